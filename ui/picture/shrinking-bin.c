#include "ui/picture/shrinking-bin.h"

#include "ui/picture/draw-pace.h"

#include <string.h>

/* Milliseconds without a picture after which nothing moves: longer than the
 * interval between two steps of a drag or of key repeat. */
#define REST_MS 250

struct _TlShrinkingBin
{
  GtkWidget parent_instance;

  GtkWidget *area;
  TlDrawPace pace;
  gboolean is_remote;
  guint divisor;   /* of the picture that is drawn next */
  gint64 begin_us; /* of the picture that is being drawn; 0: none */
  gint64 end_us;   /* of the last picture; 0: none */
  guint rest_id;   /* source that draws the whole size; 0: none */
};

enum
{
  PROP_REMOTE = 1,
  PROP_SMALL
};

G_DEFINE_FINAL_TYPE (TlShrinkingBin, tl_shrinking_bin, GTK_TYPE_WIDGET)

static void
set_divisor (TlShrinkingBin *self, guint divisor)
{
  if (divisor == self->divisor)
    return;
  self->divisor = divisor;
  gtk_widget_queue_allocate (GTK_WIDGET (self));
  g_object_notify (G_OBJECT (self), "small");
}

static gboolean
on_rest (gpointer data)
{
  TlShrinkingBin *self = data;

  self->rest_id = 0;
  set_divisor (self, 1);
  return G_SOURCE_REMOVE;
}

/* Returns: %FALSE, so that the area draws */
static gboolean
on_render (TlShrinkingBin *self)
{
  self->begin_us = g_get_monotonic_time ();
  return FALSE;
}

/* The window is drawn, and has been sent to the screen as far as the link takes
 * it: a link that is full holds up the drawing. */
static void
on_painted (TlShrinkingBin *self)
{
  const gint64 now_us = g_get_monotonic_time ();

  if (self->begin_us == 0 || !self->is_remote)
    return;
  g_clear_handle_id (&self->rest_id, g_source_remove);
  if (self->end_us > 0 && self->begin_us - self->end_us < 1000 * REST_MS)
    {
      if (self->divisor == self->pace.divisor)
        tl_draw_pace_note (&self->pace,
                           (double)(now_us - self->begin_us) / 1000);
      set_divisor (self, self->pace.divisor);
    }
  if (self->divisor > 1)
    self->rest_id = g_timeout_add (REST_MS, on_rest, self);
  self->begin_us = 0;
  self->end_us = now_us;
}

/* --- the widget --- */

static void
tl_shrinking_bin_measure (GtkWidget *widget, GtkOrientation orientation,
                          int for_size, int *minimum, int *natural,
                          int *minimum_baseline, int *natural_baseline)
{
  gtk_widget_measure (TL_SHRINKING_BIN (widget)->area, orientation, for_size,
                      minimum, natural, minimum_baseline, natural_baseline);
}

/* The smaller picture is in the middle. */
static void
tl_shrinking_bin_size_allocate (GtkWidget *widget, int width, int height,
                                int baseline)
{
  TlShrinkingBin *self = TL_SHRINKING_BIN (widget);
  const int divisor = (int)self->divisor;
  GtkAllocation place = {
    .width = MAX (width / divisor, 1),
    .height = MAX (height / divisor, 1),
  };

  place.x = (width - place.width) / 2;
  place.y = (height - place.height) / 2;
  gtk_widget_size_allocate (self->area, &place, -1);
}

/* An X server of another machine has its name before the colon, also where ssh
 * leads to it: "localhost:10.0". Only Cairo sends what has changed; other
 * renderers send the whole window, so that a smaller picture helps nothing. */
static gboolean
is_far (GtkWidget *widget)
{
  const char *name = gdk_display_get_name (gtk_widget_get_display (widget));
  GskRenderer *renderer =
      gtk_native_get_renderer (gtk_widget_get_native (widget));

  return GSK_IS_CAIRO_RENDERER (renderer) && strchr (name, ':') != NULL
         && name[0] != ':' && name[0] != '/'
         && !g_str_has_prefix (name, "unix:");
}

static void
tl_shrinking_bin_realize (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (tl_shrinking_bin_parent_class)->realize (widget);
  TL_SHRINKING_BIN (widget)->is_remote = is_far (widget);
  g_signal_connect_object (gtk_widget_get_frame_clock (widget), "after-paint",
                           G_CALLBACK (on_painted), widget, G_CONNECT_SWAPPED);
}

static void
tl_shrinking_bin_unrealize (GtkWidget *widget)
{
  TlShrinkingBin *self = TL_SHRINKING_BIN (widget);

  g_clear_handle_id (&self->rest_id, g_source_remove);
  g_signal_handlers_disconnect_by_func (gtk_widget_get_frame_clock (widget),
                                        on_painted, widget);
  GTK_WIDGET_CLASS (tl_shrinking_bin_parent_class)->unrealize (widget);
}

static void
tl_shrinking_bin_get_property (GObject *object, guint id, GValue *value,
                               GParamSpec *pspec)
{
  if (id == PROP_REMOTE)
    g_value_set_boolean (value, TL_SHRINKING_BIN (object)->is_remote);
  else if (id == PROP_SMALL)
    g_value_set_boolean (value, TL_SHRINKING_BIN (object)->divisor > 1);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
tl_shrinking_bin_set_property (GObject *object, guint id, const GValue *value,
                               GParamSpec *pspec)
{
  if (id == PROP_REMOTE)
    TL_SHRINKING_BIN (object)->is_remote = g_value_get_boolean (value);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
tl_shrinking_bin_dispose (GObject *object)
{
  g_clear_pointer (&TL_SHRINKING_BIN (object)->area, gtk_widget_unparent);
  G_OBJECT_CLASS (tl_shrinking_bin_parent_class)->dispose (object);
}

static void
tl_shrinking_bin_class_init (TlShrinkingBinClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->dispose = tl_shrinking_bin_dispose;
  object_class->get_property = tl_shrinking_bin_get_property;
  object_class->set_property = tl_shrinking_bin_set_property;
  g_object_class_install_property (
      object_class, PROP_REMOTE,
      g_param_spec_boolean ("remote", NULL, NULL, FALSE,
                            G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS));
  g_object_class_install_property (
      object_class, PROP_SMALL,
      g_param_spec_boolean ("small", NULL, NULL, FALSE,
                            G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  widget_class->measure = tl_shrinking_bin_measure;
  widget_class->size_allocate = tl_shrinking_bin_size_allocate;
  widget_class->realize = tl_shrinking_bin_realize;
  widget_class->unrealize = tl_shrinking_bin_unrealize;
}

static void
tl_shrinking_bin_init (TlShrinkingBin *self)
{
  self->divisor = 1;
  tl_draw_pace_init (&self->pace);
}

GtkWidget *
tl_shrinking_bin_new (GtkGLArea *area)
{
  TlShrinkingBin *self = g_object_new (TL_TYPE_SHRINKING_BIN, NULL);

  self->area = GTK_WIDGET (area);
  gtk_widget_set_parent (self->area, GTK_WIDGET (self));
  g_signal_connect_object (area, "render", G_CALLBACK (on_render), self,
                           G_CONNECT_SWAPPED);
  return GTK_WIDGET (self);
}

void
tl_shrinking_bin_scale (GtkWidget *area, GtkSnapshot *snapshot)
{
  GtkWidget *bin = gtk_widget_get_parent (area);

  gtk_snapshot_scale (
      snapshot,
      (float)gtk_widget_get_width (area) / (float)gtk_widget_get_width (bin),
      (float)gtk_widget_get_height (area) / (float)gtk_widget_get_height (bin));
}
