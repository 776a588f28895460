#include "ui/chooser/raw-window.h"

#include "ui/controls/control.h"
#include "ui/view/widget.h"

#include <glib/gi18n.h>

/* In the order of the rows. */
enum
{
  WIDTH,
  HEIGHT,
  IMAGES,
  HEADER,
  N_NUMBERS
};

struct _TlRawWindow
{
  GtkWindow parent_instance;

  TlSession *session; /* kept */
  char *path;         /* (nullable): of the file that is asked about */
  guint64 n_bytes;    /* that it has */
  guint64 gap_bytes;  /* said before, and not asked for here */
  gboolean is_filling;
  gboolean counts; /* the images, because the user has not said their number */

  GtkLabel *file_label, *fit_label;
  GtkEditable *width_entry, *height_entry, *images_entry, *header_entry;
  GtkDropDown *type_drop, *order_drop;
  GtkWidget *open_button;
};

G_DEFINE_FINAL_TYPE (TlRawWindow, tl_raw_window, GTK_TYPE_WINDOW)

/* --- what the user says --- */

static void
fill (TlRawWindow *self, GtkEditable *entry, guint64 number)
{
  g_autofree char *text = g_strdup_printf ("%" G_GUINT64_FORMAT, number);

  self->is_filling = TRUE;
  gtk_editable_set_text (entry, text);
  self->is_filling = FALSE;
}

/* Returns: whether all is said, perhaps except for the number of images, which
 * is 0 then */
static gboolean
read_layout (TlRawWindow *self, TlRawLayout *layout)
{
  GtkEditable *const entries[N_NUMBERS] = {
    [WIDTH] = self->width_entry,
    [HEIGHT] = self->height_entry,
    [IMAGES] = self->images_entry,
    [HEADER] = self->header_entry,
  };
  guint64 numbers[N_NUMBERS] = { 0 };
  gboolean good = TRUE;

  for (guint k = 0; k < N_NUMBERS; k++)
    if (k != IMAGES || !self->counts)
      good = g_ascii_string_to_unsigned (
                 gtk_editable_get_text (entries[k]), 10, k == HEADER ? 0 : 1,
                 k == HEADER ? G_MAXINT64 : G_MAXINT32, &numbers[k], NULL)
             && good;
  *layout = (TlRawLayout){
    .n_cols = numbers[WIDTH],
    .n_rows = numbers[HEIGHT],
    .n_images = numbers[IMAGES],
    .stored = gtk_drop_down_get_selected (self->type_drop),
    .is_big_endian = gtk_drop_down_get_selected (self->order_drop) == 1,
    .header_bytes = numbers[HEADER],
    .gap_bytes = self->gap_bytes,
  };
  return good;
}

/* Returns: (transfer full): the number with the locale's separators */
static char *
format_number (guint64 number)
{
  return g_strdup_printf ("%'" G_GUINT64_FORMAT, number);
}

/* Returns: (transfer full): whether the file has the bytes that are needed */
static char *
describe_fit (guint64 needed, guint64 there)
{
  const gboolean lacks = needed > there;
  const guint64 n = lacks ? needed - there : there - needed;
  g_autofree char *number = format_number (n);

  if (n == 0)
    return g_strdup (_ ("This fits the size of the file."));
  return g_strdup_printf (
      lacks ? g_dngettext (NULL, "This needs %s byte more than the file has.",
                           "This needs %s bytes more than the file has.", n)
            : g_dngettext (NULL, "The file has %s byte more than this needs.",
                           "The file has %s bytes more than this needs.", n),
      number);
}

static void
show_fit (TlRawWindow *self, const char *text, gboolean fits)
{
  tl_label_show (self->fit_label, text);
  tl_widget_set_class (self->fit_label, "asks", !fits);
  gtk_widget_set_sensitive (self->open_button, fits);
}

/* Until the user says their number, there are as many images as fit. */
static void
update_fit (TlRawWindow *self)
{
  TlRawLayout layout;
  g_autofree char *text = NULL;
  guint64 needed;

  if (!read_layout (self, &layout))
    {
      show_fit (self,
                _ ("Width, height and images are whole numbers from 1, the "
                   "header from 0."),
                FALSE);
      return;
    }
  if (self->counts)
    {
      layout.n_images = tl_raw_layout_count_images (layout, self->n_bytes);
      fill (self, self->images_entry, layout.n_images);
    }
  needed = tl_raw_layout_count_bytes (&layout);
  text = describe_fit (needed, self->n_bytes);
  show_fit (self, text, needed == self->n_bytes);
}

static void
on_number (TlRawWindow *self, GtkEditable *entry)
{
  if (self->is_filling)
    return;
  if (entry == self->images_entry)
    self->counts = FALSE;
  update_fit (self);
}

static void
on_choice (TlRawWindow *self, GParamSpec *pspec, GtkDropDown *drop)
{
  GtkStringObject *chosen = gtk_drop_down_get_selected_item (drop);

  if (chosen != NULL)
    tl_control_name_choice (drop, gtk_string_object_get_string (chosen));
  if (self->path != NULL && !self->is_filling)
    update_fit (self);
}

/* --- the dialog --- */

static void
on_open (TlRawWindow *self)
{
  TlRawLayout layout;
  g_autoptr (GError) error = NULL;

  if (!read_layout (self, &layout))
    return;
  if (self->counts)
    layout.n_images = tl_raw_layout_count_images (layout, self->n_bytes);
  if (tl_session_open_raw (self->session, self->path, &layout, &error))
    gtk_window_close (GTK_WINDOW (self));
  else
    show_fit (self, error->message, FALSE);
}

static void
show_layout (TlRawWindow *self, const TlRawLayout *layout)
{
  self->is_filling = TRUE;
  gtk_drop_down_set_selected (self->type_drop, layout->stored);
  gtk_drop_down_set_selected (self->order_drop, layout->is_big_endian ? 1 : 0);
  self->is_filling = FALSE;
  fill (self, self->width_entry, layout->n_cols);
  fill (self, self->height_entry, layout->n_rows);
  fill (self, self->images_entry, layout->n_images);
  fill (self, self->header_entry, layout->header_bytes);
  self->gap_bytes = layout->gap_bytes;
}

void
tl_raw_window_show (TlRawWindow *self)
{
  TlRawLayout layout;
  const char *path =
      tl_session_find_raw (self->session, &self->n_bytes, &layout);
  g_autofree char *number = format_number (self->n_bytes);
  g_autofree char *name = NULL;
  g_autofree char *text = NULL;

  if (path == NULL)
    return;
  g_free (self->path);
  self->path = g_strdup (path);
  name = g_filename_display_basename (path);
  text = g_strdup_printf (_ ("%s has %s bytes. How are its samples stored?"),
                          name, number);
  gtk_label_set_text (self->file_label, text);
  show_layout (self, &layout);
  self->counts = TRUE;
  update_fit (self);
  gtk_widget_grab_focus (GTK_WIDGET (self->width_entry));
  gtk_window_present (GTK_WINDOW (self));
}

static void
tl_raw_window_finalize (GObject *object)
{
  g_free (TL_RAW_WINDOW (object)->path);
  G_OBJECT_CLASS (tl_raw_window_parent_class)->finalize (object);
}

static void
tl_raw_window_class_init (TlRawWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = tl_raw_window_finalize;
  gtk_widget_class_set_template_from_resource (
      widget_class, "/org/tomolens/Tomolens/raw-window.ui");
#define BIND(name)                                                             \
  gtk_widget_class_bind_template_child (widget_class, TlRawWindow, name)
  BIND (file_label);
  BIND (fit_label);
  BIND (width_entry);
  BIND (height_entry);
  BIND (images_entry);
  BIND (header_entry);
  BIND (type_drop);
  BIND (order_drop);
  BIND (open_button);
#undef BIND
  gtk_widget_class_bind_template_callback (widget_class, on_number);
  gtk_widget_class_bind_template_callback (widget_class, on_choice);
  gtk_widget_class_bind_template_callback (widget_class, on_open);
}

static void
tl_raw_window_init (TlRawWindow *self)
{
  GtkStringList *types = gtk_string_list_new (NULL);

  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_window_set_default_widget (GTK_WINDOW (self), self->open_button);
  for (TlStoredType type = 0; type < TL_N_STORED_TYPES; type++)
    gtk_string_list_append (types, tl_stored_get_name (type));
  gtk_drop_down_set_model (self->type_drop, G_LIST_MODEL (types));
  g_object_unref (types);
  tl_control_name_rows (self->type_drop);
  tl_control_name_rows (self->order_drop);
  on_choice (self, NULL, self->type_drop);
  on_choice (self, NULL, self->order_drop);
}

TlRawWindow *
tl_raw_window_new (GtkWindow *parent, TlSession *session)
{
  TlRawWindow *self =
      g_object_new (TL_TYPE_RAW_WINDOW, "transient-for", parent, NULL);

  self->session = session;
  return self;
}
