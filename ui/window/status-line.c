#include "ui/window/status-line.h"

#include "ui/view/widget.h"
#include "ui/window/status-text.h"

#include <glib/gi18n.h>

struct _TlStatusLine
{
  GtkBox parent_instance;

  TlView *view;
  GtkLabel *time_label, *path_label, *engine_label, *memory_label;
  GtkLabel *angles_label;
};

G_DEFINE_FINAL_TYPE (TlStatusLine, tl_status_line, GTK_TYPE_BOX)

/* Returns: what holds for the volume, too, of which its page says the time */
static TlStatus
without_slice (const TlStatus *of_slice)
{
  TlStatus status = *of_slice;

  status.kernel = status.fallback = status.slow_step = NULL;
  status.n_folded = 0;
  status.is_preview = FALSE;
  return status;
}

static void
update (TlStatusLine *self)
{
  TlDisplay *display = tl_view_get_session (self->view)->display;
  const gboolean is_volume = tl_display_get_page (display) == TL_PAGE_VOLUME;
  const TlStatus *of_slice = tl_display_get_status (display);
  const TlStatus status = is_volume ? without_slice (of_slice) : *of_slice;
  g_autofree char *time = NULL;
  g_autofree char *angles = NULL;
  g_autofree char *details = NULL;
  g_autofree char *engine = NULL;
  g_autofree char *engine_details = NULL;
  g_autofree char *memory = NULL;
  g_autofree char *memory_details = NULL;

  if (tl_display_get_frame (display) == NULL)
    return;
  time = is_volume ? g_strdup ("") : tl_status_describe_time (&status);
  angles = tl_status_describe_angles (&status);
  details = is_volume ? NULL : tl_status_describe_steps (&status);
  engine = tl_status_describe_engine (&status);
  engine_details = status.fallback != NULL
                       ? g_strdup_printf ("%s\n%s", engine, status.fallback)
                       : g_strdup (engine);
  memory = g_format_size_full (status.memory_bytes
                                   + tl_display_get_held_bytes (display),
                               G_FORMAT_SIZE_IEC_UNITS);
  memory_details =
      tl_status_describe_memory (&status, tl_display_get_held_bytes (display));
  gtk_label_set_text (self->time_label, time);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->time_label), details);
  gtk_label_set_text (self->engine_label, engine);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->engine_label), engine_details);
  gtk_label_set_text (self->memory_label, memory);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->memory_label), memory_details);
  gtk_label_set_text (self->angles_label, angles);
}

static void
update_path (TlStatusLine *self)
{
  gboolean interop = tl_view_get_interop (self->view);
  const char *path = tl_view_get_path (self->view);
  GtkWidget *label = GTK_WIDGET (self->path_label);

  gtk_widget_set_visible (label, path != NULL);
  gtk_label_set_text (self->path_label,
                      interop ? C_ ("way of the picture", "on the GPU")
                              : C_ ("way of the picture", "through memory"));
  gtk_widget_set_tooltip_text (
      label, interop ? _ ("The picture stays on the GPU") : path);
  tl_widget_set_class (label, "interop", interop);
}

static void
tl_status_line_class_init (TlStatusLineClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  gtk_widget_class_set_template_from_resource (
      widget_class, "/org/tomolens/Tomolens/status-line.ui");
#define BIND(name)                                                             \
  gtk_widget_class_bind_template_child (widget_class, TlStatusLine, name)
  BIND (time_label);
  BIND (path_label);
  BIND (engine_label);
  BIND (memory_label);
  BIND (angles_label);
#undef BIND
  gtk_widget_class_set_accessible_role (widget_class,
                                        GTK_ACCESSIBLE_ROLE_STATUS);
}

static void
tl_status_line_init (TlStatusLine *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

void
tl_status_line_bind (TlStatusLine *self, TlView *view)
{
  g_return_if_fail (self->view == NULL);

  self->view = tl_keep (self, view);
  tl_follow (tl_view_get_session (view)->display, "frame held-bytes picture",
             G_CALLBACK (update), self);
  tl_follow (view, "path", G_CALLBACK (update_path), self);
  update (self);
  update_path (self);
}
