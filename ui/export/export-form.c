#include "ui/export/export-form.h"

#include "data/array.h"
#include "data/stream/stream.h"
#include "ui/controls/control.h"
#include "ui/controls/refused.h"
#include "ui/desktop/settings.h"
#include "ui/dialogs/file-chooser.h"
#include "ui/view/folding-box.h"
#include "ui/view/widget.h"

#include <glib/gi18n.h>
#include <math.h>
#include <unistd.h>

/* Choices of the list, in their order. */
enum
{
  RANGE_PERCENTILES,
  RANGE_VALUES,
  RANGE_SHOWN /* the window of the slices in the view */
};
/* The same in the settings. */
static const char *const range_names[] = { "percentiles", "values", "shown",
                                           NULL };

struct _TlExportForm
{
  GtkBox parent_instance;

  TlView *view;
  TlMeasure *measure;
  TlSession *session; /* the view's */
  GtkEntry *path_entry;
  GtkDropDown *format_drop, *sample_drop, *range_drop, *plane_drop,
      *binning_drop;
  GtkLabel *format_label, *samples_label, *compression_label, *range_label,
      *range_unit, *slices_label, *plane_label, *binning_label, *region_label,
      *rotation_label;
  GtkSpinButton *compression_spin, *first_spin, *last_spin, *step_spin,
      *row_spin, *col_spin, *height_spin, *width_spin;
  GtkWidget *range_box;
  GtkEntry *low_entry, *high_entry, *rotation_entry;
  GtkCheckButton *all_check, *this_check, *range_check, *mask_check;

  char *scan;          /* (nullable): name of the scan of the form */
  size_t n_rows;       /* of its detector */
  size_t n_slice_rows; /* of the whole slice, which the region is in */
  size_t n_slice_cols;
  double range_factor;  /* from samples to the fields of the range */
  char *last_folder;    /* (nullable): of the last export of this window */
  gboolean is_updating; /* the form changes its fields, not the user */
};

enum
{
  CHANGED,
  ACTIVATED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (TlExportForm, tl_export_form, GTK_TYPE_BOX)

/* --- fields --- */

static const char *
get_text (gpointer field)
{
  return gtk_editable_get_text (GTK_EDITABLE (field));
}

/* What is typed counts at once, so the text is read, and not the value, which
 * follows when the focus leaves. @reason: (inout): why a field before this one
 * was refused, or this one */
static double
read_number (gpointer field, double low, gboolean is_whole, char **reason)
{
  const char *text = get_text (field);
  g_autofree char *why = NULL;
  double value;

  if (!tl_export_parse_number (text, &value))
    why = g_strdup_printf (_ ("“%s” is not a number"), text);
  else if (value < low)
    why = g_strdup_printf (_ ("%s is less than %g"), text, low);
  else if (is_whole && (value != floor (value) || value > G_MAXINT32))
    why = g_strdup_printf (_ ("“%s” is not a whole number"), text);
  tl_refused_mark (GTK_WIDGET (field), why);
  if (*reason == NULL)
    *reason = g_steal_pointer (&why);
  return *reason == NULL ? value : low;
}

static size_t
read_whole (gpointer field, size_t low, char **reason)
{
  return (size_t)read_number (field, (double)low, TRUE, reason);
}

/* The suffix of the name says which format it is. */
static TlVolumeFormat
get_format (TlExportForm *self)
{
  g_autofree char *path = tl_export_form_dup_path (self);

  return tl_volume_format_from_path (path);
}

static const char *
get_word (GtkDropDown *drop)
{
  return gtk_string_object_get_string (
      GTK_STRING_OBJECT (gtk_drop_down_get_selected_item (drop)));
}

static TlVolumeSample
get_sample (TlExportForm *self)
{
  TlVolumeSample sample = TL_VOLUME_F32;

  tl_volume_sample_from_name (get_word (self->sample_drop), &sample);
  return sample;
}

static void
read_rows (TlExportForm *self, TlExportSettings *s, char **reason)
{
  if (gtk_check_button_get_active (self->this_check))
    {
      s->first_row = tl_parameters_get_slice (self->session->parameters);
      s->n_rows = 1;
    }
  else if (gtk_check_button_get_active (self->range_check))
    {
      const size_t first = read_whole (self->first_spin, 0, reason);
      const size_t last = read_whole (self->last_spin, 0, reason);
      const size_t step = read_whole (self->step_spin, 1, reason);
      g_autoptr (GError) error = NULL;

      if (*reason == NULL
          && !tl_export_settings_set_rows (s, first, last, step, self->n_rows,
                                           &error))
        *reason = g_strdup (error->message);
    }
}

/* The region that is the whole slice is none. */
static void
read_region (TlExportForm *self, TlExportSettings *s, char **reason)
{
  const size_t row = read_whole (self->row_spin, 0, reason);
  const size_t col = read_whole (self->col_spin, 0, reason);
  const size_t n_rows = read_whole (self->height_spin, 1, reason);
  const size_t n_cols = read_whole (self->width_spin, 1, reason);

  if (*reason != NULL
      || (row == 0 && col == 0 && n_rows == self->n_slice_rows
          && n_cols == self->n_slice_cols))
    return;
  s->region_row = row;
  s->region_col = col;
  s->region_n_rows = n_rows;
  s->region_n_cols = n_cols;
}

/* Returns: the unit of the fields of the range, that of the colour bar
 * @factor: (out): from values of the samples to it */
static const char *
get_range_unit (TlExportForm *self, double *factor)
{
  TlUnits units;

  *factor = 1;
  if (self->measure == NULL
      || gtk_drop_down_get_selected (self->range_drop) == RANGE_PERCENTILES)
    return "%";
  tl_measure_get_slice_units (self->measure, &units);
  *factor = units.per_value;
  return units.unit;
}

static void
read_range (TlExportForm *self, TlExportSettings *s, char **reason)
{
  const guint choice = gtk_drop_down_get_selected (self->range_drop);
  const gboolean is_percent = choice == RANGE_PERCENTILES;
  const double least = is_percent ? 0 : -INFINITY;
  const double factor = self->range_factor;
  g_autoptr (GError) error = NULL;
  double low, high;

  if (tl_volume_sample_max (s->sample) == 0)
    return;
  low = read_number (self->low_entry, least, FALSE, reason) / factor;
  high = read_number (self->high_entry, least, FALSE, reason) / factor;
  if (choice == RANGE_SHOWN) /* not as rounded in the fields */
    tl_view_get_slice_window (self->view, &low, &high);
  if (*reason == NULL
      && !tl_export_settings_set_range (s, is_percent, low, high, &error))
    *reason = g_strdup (error->message);
}

char *
tl_export_form_read (TlExportForm *self, TlExportSettings *s)
{
  const TlRecipe *recipe = tl_parameters_get_recipe (self->session->parameters);
  g_autofree char *path = tl_export_form_dup_path (self);
  g_autoptr (GError) error = NULL;
  char *reason = NULL;

  tl_export_settings_init (s, self->n_rows);
  s->format = get_format (self);
  s->sample = get_sample (self);
  s->plane = gtk_drop_down_get_selected (self->plane_drop);
  s->binning = 1U << gtk_drop_down_get_selected (self->binning_drop);
  s->masks = gtk_check_button_get_active (self->mask_check);
  if (!g_path_is_absolute (get_text (self->path_entry)))
    return g_strdup (_ ("the name of the volume needs its whole path, which "
                        "begins with “/”"));
  if (!tl_volume_check_suffix (s->format, path, &error))
    return g_strdup (error->message);
  if (tl_volume_format_get_info (s->format)->is_compressible)
    s->compression = (int)read_whole (self->compression_spin, 0, &reason);
  read_range (self, s, &reason);
  read_rows (self, s, &reason);
  read_region (self, s, &reason);
  s->rotation_deg =
      read_number (self->rotation_entry, -INFINITY, FALSE, &reason);
  if (reason == NULL && s->compression > 9)
    reason = g_strdup (_ ("the compression is from 0 to 9"));
  if (reason == NULL
      && !tl_export_settings_check (s, &recipe->params.grid, self->n_rows,
                                    &error))
    reason = g_strdup (error->message);
  return reason;
}

static void
update_range_fields (TlExportForm *self)
{
  const TlVolumeFormatInfo *format =
      tl_volume_format_get_info (get_format (self));
  const gboolean is_integer = tl_volume_sample_max (get_sample (self)) > 0;
  const gboolean is_range = gtk_check_button_get_active (self->range_check);
  double factor;

  gtk_widget_set_visible (GTK_WIDGET (self->range_label), is_integer);
  gtk_widget_set_visible (self->range_box, is_integer);
  gtk_label_set_text (self->range_unit, get_range_unit (self, &factor));
  gtk_widget_set_visible (GTK_WIDGET (self->compression_label),
                          format->is_compressible);
  gtk_widget_set_visible (GTK_WIDGET (self->compression_spin),
                          format->is_compressible);
  gtk_widget_set_sensitive (GTK_WIDGET (self->first_spin), is_range);
  gtk_widget_set_sensitive (GTK_WIDGET (self->last_spin), is_range);
  gtk_widget_set_sensitive (GTK_WIDGET (self->step_spin), is_range);
}

static void
update (TlExportForm *self)
{
  if (self->is_updating || self->scan == NULL
      || !gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  update_range_fields (self);
  g_signal_emit (self, signals[CHANGED], 0);
}

/* --- format and name --- */

/* Lists float16 only for a format that has it, and keeps the chosen type if it
 * is still in the list. */
static void
update_samples (TlExportForm *self, const TlVolumeFormatInfo *format)
{
  GtkStringList *list =
      GTK_STRING_LIST (gtk_drop_down_get_model (self->sample_drop));
  const char *f16 = tl_volume_sample_name (TL_VOLUME_F16);
  guint place = 0;

  while (gtk_string_list_get_string (list, place) != NULL
         && strcmp (gtk_string_list_get_string (list, place), f16) != 0)
    place++;
  if (gtk_string_list_get_string (list, place) == NULL && format->has_f16)
    gtk_string_list_splice (list, 1, 0, (const char *const[]){ f16, NULL });
  else if (gtk_string_list_get_string (list, place) != NULL && !format->has_f16)
    gtk_string_list_remove (list, place);
}

static void
on_path (TlExportForm *self)
{
  const TlVolumeFormat format = get_format (self);
  const gboolean was_updating = self->is_updating;

  self->is_updating = TRUE;
  gtk_drop_down_set_selected (self->format_drop, format);
  update_samples (self, tl_volume_format_get_info (format));
  self->is_updating = was_updating;
  update (self);
}

/* Shows the end of a long path, which says more than its beginning. */
static void
set_path (TlExportForm *self, const char *path)
{
  gtk_editable_set_text (GTK_EDITABLE (self->path_entry), path);
  gtk_editable_set_position (GTK_EDITABLE (self->path_entry), -1);
}

/* Returns: (transfer full): @path with the suffix of another format */
static char *
change_suffix (const char *path, TlVolumeFormat format)
{
  const TlVolumeFormat before = tl_volume_format_from_path (path);
  const char *suffix = tl_volume_format_get_info (format)->suffix;
  const char *slash = strrchr (path, '/');
  const char *dot = before != TL_VOLUME_TIFF ? strrchr (path, '.') : NULL;
  const size_t n = dot != NULL && (slash == NULL || dot > slash)
                       ? (size_t)(dot - path)
                       : strlen (path);

  return g_strdup_printf ("%.*s%s", (int)n, path, suffix);
}

static void
on_format (TlExportForm *self)
{
  const TlVolumeFormat format = gtk_drop_down_get_selected (self->format_drop);
  g_autofree char *path = tl_export_form_dup_path (self);
  g_autofree char *renamed = NULL;

  if (self->is_updating || format == tl_volume_format_from_path (path))
    return;
  renamed = change_suffix (path, format);
  set_path (self, renamed);
}

/* Writes @number with a decimal point in any language. */
static void
write_number (GtkEntry *entry, const char *format, double number)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  gtk_editable_set_text (GTK_EDITABLE (entry),
                         g_ascii_formatd (text, sizeof text, format, number));
}

/* Percentiles have numbers of their own; the values are at first those of the
 * window of slices, which is also what is shown. */
static void
on_range (TlExportForm *self)
{
  const guint choice = gtk_drop_down_get_selected (self->range_drop);
  const gboolean was_updating = self->is_updating;
  TlExportSettings s;
  double from, to;

  tl_export_settings_init (&s, 1);
  from = s.low_percent;
  to = s.high_percent;
  get_range_unit (self, &self->range_factor);
  if (choice != RANGE_PERCENTILES && self->view != NULL)
    tl_view_get_slice_window (self->view, &from, &to);
  self->is_updating = TRUE;
  write_number (self->low_entry, "%.4g", from * self->range_factor);
  write_number (self->high_entry, "%.4g", to * self->range_factor);
  gtk_widget_set_sensitive (GTK_WIDGET (self->low_entry),
                            choice != RANGE_SHOWN);
  gtk_widget_set_sensitive (GTK_WIDGET (self->high_entry),
                            choice != RANGE_SHOWN);
  self->is_updating = was_updating;
  update (self);
}

/* What is no number stays as it was typed. */
static void
multiply (GtkEntry *entry, double factor)
{
  double value;

  if (tl_export_parse_number (get_text (entry), &value))
    write_number (entry, "%.9g", value * factor);
}

/* The pixel size changes the unit of the colour bar: the values that were typed
 * stay the same in the new unit. */
static void
convert_range (TlExportForm *self)
{
  const double before = self->range_factor;
  const gboolean was_updating = self->is_updating;

  get_range_unit (self, &self->range_factor);
  if (self->range_factor == before)
    return;
  self->is_updating = TRUE;
  multiply (self->low_entry, self->range_factor / before);
  multiply (self->high_entry, self->range_factor / before);
  self->is_updating = was_updating;
  update (self);
}

static void
on_window (TlExportForm *self)
{
  const guint choice = gtk_drop_down_get_selected (self->range_drop);

  if (choice == RANGE_SHOWN)
    on_range (self);
  else if (choice == RANGE_VALUES)
    convert_range (self);
}

static void
take_path (GtkWidget *widget, const char *path)
{
  set_path (TL_EXPORT_FORM (widget), path);
}

static void
on_choose (TlExportForm *self)
{
  const char *path = get_text (self->path_entry);
  g_autofree char *name = g_path_get_basename (path);
  g_autofree char *folder = g_path_get_dirname (path);
  g_autoptr (GFile) file = g_file_new_for_path (folder);
  GtkNativeDialog *dialog =
      tl_file_chooser_prepare (GTK_WIDGET (self), _ ("Name of the volume"),
                               GTK_FILE_CHOOSER_ACTION_SAVE, take_path);

  gtk_file_chooser_set_current_folder (GTK_FILE_CHOOSER (dialog), file, NULL);
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), name);
  gtk_native_dialog_show (dialog);
}

/* --- the scan --- */

/* Proposes the folder of the last export, else the one of the scan if it may be
 * written. */
static char *
choose_folder (TlExportForm *self, const TlScanSummary *scan)
{
  g_autofree char *folder = g_path_get_dirname (scan->path);
  const char *documents = g_get_user_special_dir (G_USER_DIRECTORY_DOCUMENTS);

  if (self->last_folder != NULL && access (self->last_folder, W_OK) == 0)
    return g_strdup (self->last_folder);
  if (access (folder, W_OK) == 0)
    return g_steal_pointer (&folder);
  return g_strdup (documents != NULL && access (documents, W_OK) == 0
                       ? documents
                       : g_get_home_dir ());
}

/* Returns: (transfer full): what the name of a volume begins with: that of the
 * scan without its suffix, or its address in letters that any disk has */
static char *
dup_stem (const TlScanSummary *scan)
{
  char *name = g_path_get_basename (scan->path);
  char *dot = strrchr (name, '.');

  if (tl_stream_is_address (scan->path))
    {
      g_autofree char *address = name;
      g_strcanon (address, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS ".", '-');
      return g_strconcat ("stream-", address + strspn (address, "-"), NULL);
    }
  if (dot != NULL && dot != name)
    *dot = '\0';
  return name;
}

/* A scan within a file has its path there in the name of its volume: "/1.1/ccd"
 * in "a.h5" is "a-1.1-ccd-recon". */
static void
propose_path (TlExportForm *self, const TlScanSummary *scan)
{
  const TlVolumeFormat format = get_format (self);
  g_autofree char *folder = choose_folder (self, scan);
  g_autofree char *name = dup_stem (scan);
  /* ":/1.1/ccd", or nothing */
  const char *place = self->scan + strlen (scan->path);
  g_autofree char *inside =
      g_strdup (g_str_has_prefix (place, ":/") ? place + 1 : place);
  g_autofree char *recon = NULL;
  g_autofree char *path = NULL;

  g_strdelimit (inside, ":/", '-');
  recon = g_strconcat (name, inside, "-recon",
                       tl_volume_format_get_info (format)->suffix, NULL);
  path = g_build_filename (folder, recon, NULL);
  set_path (self, path);
}

static void
set_range (GtkSpinButton *spin, size_t value, size_t low, size_t high)
{
  gtk_spin_button_set_range (spin, (double)low, (double)high);
  gtk_spin_button_set_value (spin, (double)value);
}

/* Format, samples, range and compression stay for the next scan and the next
 * start. Slices, plane, binning, region, rotation and mask begin anew. */
static void
take_scan (TlExportForm *self, const TlScanSummary *scan)
{
  g_autofree char *all =
      g_strdup_printf (_ ("_All slices, 0 to %zu"), scan->n_rows - 1);

  g_free (self->scan);
  self->scan = g_strdup (tl_scan_source_get_name (self->session->source));
  self->n_rows = scan->n_rows;
  self->n_slice_rows = self->n_slice_cols = 0;
  gtk_check_button_set_label (self->all_check, all);
  gtk_check_button_set_active (self->all_check, TRUE);
  set_range (self->first_spin, 0, 0, scan->n_rows - 1);
  set_range (self->last_spin, scan->n_rows - 1, 0, scan->n_rows - 1);
  gtk_spin_button_set_value (self->step_spin, 1);
  gtk_drop_down_set_selected (self->plane_drop, TL_PLANE_XY);
  gtk_drop_down_set_selected (self->binning_drop, 0);
  gtk_editable_set_text (GTK_EDITABLE (self->rotation_entry), "0");
  gtk_check_button_set_active (self->mask_check, FALSE);
  on_range (self);
  propose_path (self, scan);
}

static void
set_whole_region (TlExportForm *self)
{
  const size_t n_rows = self->n_slice_rows, n_cols = self->n_slice_cols;

  set_range (self->row_spin, 0, 0, n_rows - 1);
  set_range (self->col_spin, 0, 0, n_cols - 1);
  set_range (self->height_spin, n_rows, 1, n_rows);
  set_range (self->width_spin, n_cols, 1, n_cols);
}

/* Half acquisition makes larger slices, so that a change of the centre may
 * change their size. */
static void
take_grid (TlExportForm *self, const TlGrid *grid)
{
  if (grid->ny == self->n_slice_rows && grid->nx == self->n_slice_cols)
    return;
  self->n_slice_rows = grid->ny;
  self->n_slice_cols = grid->nx;
  set_whole_region (self);
}

/* Follows the scan, the slice and the parameters. */
static void
on_session (TlExportForm *self)
{
  const TlScanSummary *scan =
      tl_scan_source_get_summary (self->session->source);
  const TlRecipe *recipe = tl_parameters_get_recipe (self->session->parameters);
  g_autofree char *this =
      g_strdup_printf (_ ("_This slice, %u"),
                       tl_parameters_get_slice (self->session->parameters));

  if (scan == NULL || !gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  self->is_updating = TRUE;
  const char *name = tl_scan_source_get_name (self->session->source);
  if (g_strcmp0 (name, self->scan) != 0 || scan->n_rows != self->n_rows)
    take_scan (self, scan);
  take_grid (self, &recipe->params.grid);
  on_window (self); /* the pixel size may have changed */
  gtk_check_button_set_label (self->this_check, this);
  self->is_updating = FALSE;
  update (self);
}

static void
on_whole (TlExportForm *self)
{
  self->is_updating = TRUE;
  set_whole_region (self);
  self->is_updating = FALSE;
  update (self);
}

static void
on_activate (TlExportForm *self)
{
  g_signal_emit (self, signals[ACTIVATED], 0);
}

gboolean
tl_export_form_is_ready (TlExportForm *self)
{
  return self->scan != NULL;
}

char *
tl_export_form_dup_path (TlExportForm *self)
{
  return g_canonicalize_filename (get_text (self->path_entry), NULL);
}

void
tl_export_form_note_export (TlExportForm *self, const TlExportSettings *s)
{
  const TlVolumeFormatInfo *format = tl_volume_format_get_info (s->format);
  g_autofree char *path = tl_export_form_dup_path (self);

  g_free (self->last_folder);
  self->last_folder = g_path_get_dirname (path);
  tl_settings_set_text ("export-format", format->name);
  tl_settings_set_text ("export-samples", tl_volume_sample_name (s->sample));
  tl_settings_set_text (
      "export-range",
      range_names[gtk_drop_down_get_selected (self->range_drop)]);
  if (tl_settings_get () != NULL && format->is_compressible)
    g_settings_set_int (tl_settings_get (), "export-compression",
                        s->compression);
}

/* --- the widget --- */

/* The wheel scrolls the page, whatever is under the pointer. */
static void
ignore_wheel (GtkWidget *widget)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller =
          g_list_model_get_item (controllers, i);

      if (GTK_IS_EVENT_CONTROLLER_SCROLL (controller))
        gtk_event_controller_set_propagation_phase (controller, GTK_PHASE_NONE);
    }
}

static void
name_choice (GtkDropDown *drop)
{
  if (gtk_drop_down_get_selected_item (drop) != NULL)
    tl_control_name_choice (drop, get_word (drop));
}

static void
adopt (GtkWidget *widget)
{
  if (GTK_IS_SPIN_BUTTON (widget))
    ignore_wheel (widget);
  else if (GTK_IS_DROP_DOWN (widget))
    {
      tl_control_name_rows (GTK_DROP_DOWN (widget));
      g_signal_connect (widget, "notify::selected", G_CALLBACK (name_choice),
                        NULL);
      name_choice (GTK_DROP_DOWN (widget));
    }
  else
    for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
         child = gtk_widget_get_next_sibling (child))
      adopt (child);
}

static gboolean
tl_export_form_grab_focus (GtkWidget *widget)
{
  return gtk_widget_grab_focus (
      GTK_WIDGET (TL_EXPORT_FORM (widget)->path_entry));
}

static void
tl_export_form_dispose (GObject *object)
{
  TlExportForm *self = TL_EXPORT_FORM (object);

  g_clear_pointer (&self->last_folder, g_free);
  g_clear_pointer (&self->scan, g_free);
  G_OBJECT_CLASS (tl_export_form_parent_class)->dispose (object);
}

static void
tl_export_form_class_init (TlExportFormClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = tl_export_form_dispose;
  widget_class->grab_focus = tl_export_form_grab_focus;
  signals[CHANGED] =
      g_signal_new ("changed", TL_TYPE_EXPORT_FORM, G_SIGNAL_RUN_LAST, 0, NULL,
                    NULL, NULL, G_TYPE_NONE, 0);
  signals[ACTIVATED] =
      g_signal_new ("activated", TL_TYPE_EXPORT_FORM, G_SIGNAL_RUN_LAST, 0,
                    NULL, NULL, NULL, G_TYPE_NONE, 0);
  g_type_ensure (TL_TYPE_FOLDING_BOX);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/org/tomolens/Tomolens/export-form.ui");
#define BIND(name)                                                             \
  gtk_widget_class_bind_template_child (widget_class, TlExportForm, name)
  BIND (path_entry);
  BIND (format_drop);
  BIND (sample_drop);
  BIND (range_drop);
  BIND (plane_drop);
  BIND (binning_drop);
  BIND (format_label);
  BIND (samples_label);
  BIND (compression_label);
  BIND (range_label);
  BIND (range_unit);
  BIND (slices_label);
  BIND (plane_label);
  BIND (binning_label);
  BIND (region_label);
  BIND (rotation_label);
  BIND (compression_spin);
  BIND (first_spin);
  BIND (last_spin);
  BIND (step_spin);
  BIND (row_spin);
  BIND (col_spin);
  BIND (height_spin);
  BIND (width_spin);
  BIND (range_box);
  BIND (low_entry);
  BIND (high_entry);
  BIND (rotation_entry);
  BIND (all_check);
  BIND (this_check);
  BIND (range_check);
  BIND (mask_check);
#undef BIND
  gtk_widget_class_bind_template_callback (widget_class, on_path);
  gtk_widget_class_bind_template_callback (widget_class, on_activate);
  gtk_widget_class_bind_template_callback (widget_class, on_format);
  gtk_widget_class_bind_template_callback (widget_class, on_range);
  gtk_widget_class_bind_template_callback (widget_class, on_choose);
  gtk_widget_class_bind_template_callback (widget_class, on_whole);
  gtk_widget_class_bind_template_callback (widget_class, update);
}

static void
name_fields (TlExportForm *self)
{
  GtkLabel *const labels[TL_N_EXPORT_FIELDS] = {
    [TL_EXPORT_FIELD_FORMAT] = self->format_label,
    [TL_EXPORT_FIELD_SAMPLES] = self->samples_label,
    [TL_EXPORT_FIELD_COMPRESSION] = self->compression_label,
    [TL_EXPORT_FIELD_RANGE] = self->range_label,
    [TL_EXPORT_FIELD_SLICES] = self->slices_label,
    [TL_EXPORT_FIELD_PLANE] = self->plane_label,
    [TL_EXPORT_FIELD_BINNING] = self->binning_label,
    [TL_EXPORT_FIELD_REGION] = self->region_label,
    [TL_EXPORT_FIELD_ROTATION] = self->rotation_label,
  };
  const TlExportFieldInfo *mask =
      tl_export_field_get_info (TL_EXPORT_FIELD_MASK);

  for (guint k = 0; k < TL_N_EXPORT_FIELDS; k++)
    if (labels[k] != NULL)
      gtk_label_set_label (labels[k], _ (tl_export_field_get_info (k)->label));
  gtk_check_button_set_label (self->mask_check, _ (mask->label));
}

static void
list_formats (TlExportForm *self)
{
  g_autoptr (GtkStringList) list = gtk_string_list_new (NULL);

  for (guint k = 0; k < TL_N_VOLUME_FORMATS; k++)
    gtk_string_list_append (list,
                            _ (tl_volume_format_get_info (k)->description));
  gtk_drop_down_set_model (self->format_drop, G_LIST_MODEL (list));
  tl_control_name_rows (self->format_drop); /* in full, unlike the chosen one */
}

static void
list_samples (TlExportForm *self)
{
  g_autoptr (GtkStringList) list = gtk_string_list_new (NULL);

  for (guint k = 0; k < TL_N_VOLUME_SAMPLES; k++)
    gtk_string_list_append (list, tl_volume_sample_name (k));
  gtk_drop_down_set_model (self->sample_drop, G_LIST_MODEL (list));
  tl_control_show_words (self->sample_drop);
}

static void
recall_range (TlExportForm *self)
{
  g_autofree char *name = tl_settings_dup_text ("export-range");
  const int range = tl_names_index (range_names, name);

  if (range >= 0)
    gtk_drop_down_set_selected (self->range_drop, (guint)range);
  if (tl_settings_get () != NULL)
    gtk_spin_button_set_value (
        self->compression_spin,
        g_settings_get_int (tl_settings_get (), "export-compression"));
}

/* The format is in the suffix of the name, which has to be proposed yet. */
static void
recall_format (TlExportForm *self)
{
  g_autofree char *format_name = tl_settings_dup_text ("export-format");
  g_autofree char *sample_name = tl_settings_dup_text ("export-samples");
  TlVolumeFormat format;
  TlVolumeSample sample;

  if (!tl_volume_format_from_name (format_name, &format)
      || !tl_volume_sample_from_name (sample_name, &sample))
    return;
  set_path (self, tl_volume_format_get_info (format)->suffix);
  update_samples (self, tl_volume_format_get_info (format));
  for (guint k = 0; k < g_list_model_get_n_items (
                        gtk_drop_down_get_model (self->sample_drop));
       k++)
    if (strcmp (
            gtk_string_list_get_string (
                GTK_STRING_LIST (gtk_drop_down_get_model (self->sample_drop)),
                k),
            sample_name)
        == 0)
      gtk_drop_down_set_selected (self->sample_drop, k);
}

static void
tl_export_form_init (TlExportForm *self)
{
  self->is_updating = TRUE;
  gtk_widget_init_template (GTK_WIDGET (self));
  name_fields (self);
  list_formats (self);
  list_samples (self);
  recall_format (self);
  recall_range (self);
  adopt (GTK_WIDGET (self));
  gtk_editable_set_text (GTK_EDITABLE (self->rotation_entry), "0");
  on_range (self);
  self->is_updating = FALSE;
}

void
tl_export_form_bind (TlExportForm *self, TlMeasure *measure)
{
  TlView *view = tl_measure_get_view (measure);
  TlSession *session = tl_view_get_session (view);

  g_return_if_fail (self->session == NULL);

  self->view = tl_keep (self, view);
  self->measure = tl_keep (self, measure);
  self->session = session;
  tl_follow (session->source, "summary", G_CALLBACK (on_session), self);
  tl_follow (session->parameters, "recipe", G_CALLBACK (on_session), self);
  tl_follow (view, "low high", G_CALLBACK (on_window), self);
  g_signal_connect (self, "map", G_CALLBACK (on_session), NULL);
}
