#include "ui/panel/settings-panel.h"

#include "app/axis/centre-search.h"
#include "app/axis/overlay/overlay.h"
#include "app/recipe/preset.h"
#include "data/geometry.h"
#include "data/read/scan/frame-ranges.h"
#include "data/read/reader.h"
#include "ui/axis/centre-estimates.h"
#include "ui/controls/bind.h"
#include "ui/controls/control.h"
#include "ui/panel/filter-curve.h"
#include "ui/panel/histogram.h"
#include "ui/picture/lines.h"
#include "ui/view/widget.h"

#include <glib/gi18n.h>
#include <math.h>

/* More notes than this are folded away. */
#define MAX_NOTES 2

/* Of the ends of the window: as many as GTK shows. */
#define MAX_DIGITS 20

/* Columns of the axis for one pixel of a drag on the strip. */
#define STRIP_STEP 0.1
#define STRIP_FINE_STEP 0.01

struct _TlSettingsPanel
{
  GtkBox parent_instance;

  TlMeasure *measure; /* of the view */
  TlView *view;
  double drag_centre; /* where the axis was when a drag of it began */
  GtkLabel *scan_label, *scan_title, *asking_label, *notes_label, *stage_label,
      *centre_strip;
  GtkExpander *scan_expander, *notes_expander, *phase_expander;
  GtkEntry *angles_entry;
  GtkWidget *leave_out_entry, *odd_button, *folder_button, *projection_row;
  GtkLabel *odd_label;
  GtkSpinButton *centre_spin, *window_low_spin, *window_high_spin;
  GtkLabel *window_unit;
  GtkScale *centre_scale;
  GtkMenuButton *preset_button;
  TlCentreEstimates *centre_estimates;
  GtkDrawingArea *filter_curve;
  TlHistogram *histogram;
};

G_DEFINE_FINAL_TYPE (TlSettingsPanel, tl_settings_panel, GTK_TYPE_BOX)

static TlSession *
get_session (TlSettingsPanel *self)
{
  return tl_view_get_session (self->view);
}

/* --- texts of the panel --- */

static void
append_counts (GString *text, const TlScanSummary *scan)
{
  g_string_append_printf (text, "%s, %s\n", scan->format, scan->sample_type);
  if (scan->is_attenuation)
    g_string_append (text, _ ("no flat fields\n"));
  else
    g_string_append_printf (text, _ ("%zu flat and %zu dark fields\n"),
                            scan->n_flats, scan->n_darks);
}

/* Returns: (transfer full): the one line that is visible without unfolding */
static char *
name_scan (const TlScanSummary *scan)
{
  return scan == NULL
             ? g_strdup (_ ("no scan"))
             : g_strdup_printf (
                 g_dngettext (NULL, "%zu projection of %zu × %zu pixels",
                              "%zu projections of %zu × %zu pixels",
                              scan->n_projections),
                 scan->n_projections, scan->n_cols, scan->n_rows);
}

static void
append_sizes (GString *text, const TlScanSummary *scan)
{
  g_autofree char *raw = g_format_size ((guint64)scan->sizes.raw);
  g_autofree char *slice = g_format_size ((guint64)scan->sizes.slice);
  g_autofree char *volume = g_format_size ((guint64)scan->sizes.volume);

  /* translators: bytes of the scan, of the work on a slice, of an export */
  g_string_append_printf (text,
                          _ ("\nraw %s, memory for a slice %s, all slices %s"),
                          raw, slice, volume);
}

static void
append_survey (GString *text, const TlScanSummary *scan)
{
  const TlSurveyReport *survey = &scan->survey;

  if (!scan->is_surveyed)
    return;
  g_string_append_printf (
      text,
      tl_scan_summary_is_fine (scan)
          ? _ ("\nchecked %zu of %zu projections, %zu of %zu rows: nothing "
               "saturated, no dead pixels")
          : _ ("\nchecked %zu of %zu projections, %zu of %zu rows"),
      survey->projections.n_frames, scan->n_projections, survey->n_rows,
      scan->n_rows);
}

/* Returns: (transfer full): a few lines; what is odd is in the notes of @scan
 */
static char *
describe_scan (const TlScanSummary *scan)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *angles = tl_scan_summary_dup_angles (scan);

  append_counts (text, scan);
  g_string_append (text, angles);
  if (scan->pixel_size_um > 0)
    g_string_append_printf (text, _ ("\npixel size %.4g µm"),
                            scan->pixel_size_um);
  append_sizes (text, scan);
  append_survey (text, scan);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Notes that ask for the user's attention are always visible. The others are
 * for information: more than MAX_NOTES are folded away. */
static void
update_notes (TlSettingsPanel *self, const TlScanSummary *scan)
{
  g_autoptr (GStrvBuilder) asking_notes = g_strv_builder_new ();
  g_autoptr (GStrvBuilder) other_notes = g_strv_builder_new ();
  g_auto (GStrv) asking = NULL;
  g_auto (GStrv) other = NULL;
  g_autofree char *asking_text = NULL;
  g_autofree char *other_text = NULL;
  g_autofree char *title = NULL;
  guint n;

  for (guint i = 0; scan != NULL && i < scan->notes->len; i++)
    {
      const TlNote *note = scan->notes->pdata[i];
      g_autofree char *words = tl_note_dup_words (note, TRUE);
      g_strv_builder_add (note->asks ? asking_notes : other_notes, words);
    }
  asking = g_strv_builder_end (asking_notes);
  other = g_strv_builder_end (other_notes);
  asking_text = g_strjoinv ("\n", asking);
  other_text = g_strjoinv ("\n", other);
  n = g_strv_length (other);
  title = g_strdup_printf (g_dngettext (NULL, "%u note", "%u notes", n), n);
  gtk_label_set_text (self->asking_label, asking_text);
  gtk_label_set_text (self->notes_label, other_text);
  gtk_expander_set_label (self->notes_expander, title);
  tl_widget_name (self->notes_expander, title);
  gtk_expander_set_expanded (self->notes_expander,
                             n + g_strv_length (asking) <= MAX_NOTES);
  gtk_widget_set_visible (GTK_WIDGET (self->asking_label), *asking != NULL);
  gtk_widget_set_visible (GTK_WIDGET (self->notes_expander), n > 0);
}

/* The placeholder shows the angles of the scan, which hold while the field is
 * empty: as they would be typed, unless no first and last angle says them. */
static void
update_angles (TlSettingsPanel *self, const TlScanSummary *scan)
{
  GtkWidget *entry = GTK_WIDGET (self->angles_entry);
  g_autofree char *range = NULL;
  g_autofree char *source = NULL;

  gtk_widget_set_sensitive (entry, scan != NULL);
  if (scan == NULL)
    return;
  range = tl_scan_summary_dup_example (scan);
  /* translators: where the angles are from */
  source = g_strdup_printf (_ ("First and last angle in degrees, as 0:180, "
                               "both included; empty: those of the scan\n"
                               "Now: %s"),
                            scan->angles_source);
  gtk_entry_set_placeholder_text (self->angles_entry, range);
  gtk_widget_set_tooltip_text (entry, source);
}

/* The button opens the folder of an image that was opened by itself. */
static void
update_folder (TlSettingsPanel *self, const TlScanSummary *scan)
{
  const gboolean is_one = scan != NULL && scan->is_of_series;

  if (is_one)
    {
      g_autoptr (GFile) file = g_file_new_for_path (scan->path);
      g_autoptr (GFile) folder = g_file_get_parent (file);
      g_autofree char *uri = g_file_get_uri (folder);

      gtk_actionable_set_action_target (GTK_ACTIONABLE (self->folder_button),
                                        "s", uri);
    }
  gtk_widget_set_visible (self->folder_button, is_one);
}

/* The button leaves out what the survey has found, and the projections without
 * a beam of a scan that is being taken, besides what is left out already. */
static void
update_odd (TlSettingsPanel *self, const TlScanSummary *scan)
{
  const char *left_out =
      tl_parameters_get_recipe (get_session (self)->parameters)->leave_out;
  g_autofree char *odd =
      scan != NULL ? tl_frame_ranges_join (
          scan->odd_frames, tl_growth_get_beamless (get_session (self)->growth))
                   : g_strdup ("");
  const gboolean is_some = *odd != '\0';
  g_autofree char *both =
      tl_frame_ranges_join (left_out != NULL ? left_out : "", odd);
  /* translators: numbers of projections, as 120:135,400 */
  g_autofree char *text = g_strdup_printf (_ ("Leave out %s"), odd);

  gtk_label_set_label (self->odd_label, text);
  tl_widget_name (self->odd_button, text);
  gtk_actionable_set_action_target (GTK_ACTIONABLE (self->odd_button), "s",
                                    both);
  gtk_widget_set_visible (self->odd_button, is_some);
  gtk_widget_set_sensitive (self->leave_out_entry, scan != NULL);
}

static void
update_scan (TlSettingsPanel *self)
{
  const TlScanSummary *scan =
      tl_scan_source_get_summary (get_session (self)->source);
  g_autofree char *text = scan != NULL ? describe_scan (scan) : NULL;

  g_autofree char *title = name_scan (scan);

  gtk_label_set_text (self->scan_label, text != NULL ? text : "");
  gtk_label_set_text (self->scan_title, title);
  tl_widget_name (self->scan_expander, title);
  update_notes (self, scan);
  update_angles (self, scan);
  update_odd (self, scan);
  update_folder (self, scan);
}

static void
update_growth (TlSettingsPanel *self)
{
  update_odd (self, tl_scan_source_get_summary (get_session (self)->source));
}

/* The move follows from the present centre. Its uncertainty may come later,
 * with the estimates; the label keeps its place until then. */
static void
update_stage (TlSettingsPanel *self)
{
  g_autofree char *move =
      tl_overlay_describe_move (tl_session_get_overlay (get_session (self)));

  gtk_label_set_text (self->stage_label, move);
}

static void
update_parameters (TlSettingsPanel *self)
{
  TlSession *session = get_session (self);
  double centre = tl_parameters_get_centre (session->parameters);
  int digits = (int)tl_parameters_get_centre_digits (session->parameters);
  /* translators: the centre, counted from the edge of the first pixel */
  g_autofree char *text =
      g_strdup_printf (_ ("boundary %.*f · drag here to fine-tune"), digits,
                       tl_centre_to_boundary (centre));

  gtk_spin_button_set_digits (self->centre_spin, (guint)digits);
  gtk_label_set_text (self->centre_strip, text);
  update_stage (self);
}

/* The user has turned the switch, which is refused if a value is missing. */
static void
show_phase (TlSettingsPanel *self)
{
  gtk_expander_set_expanded (self->phase_expander, TRUE);
}

static void
update_picture (TlSettingsPanel *self)
{
  TlPicture picture = tl_display_get_picture (get_session (self)->display);

  gtk_widget_set_visible (self->projection_row,
                          picture == TL_PICTURE_PROJECTION
                              || picture == TL_PICTURE_OVERLAY);
}

/* Shows the window in the unit of the colour bar. A narrow window, as of a
 * difference, needs more digits. */
static void
update_window (TlSettingsPanel *self)
{
  GtkSpinButton *const spins[] = { self->window_low_spin,
                                   self->window_high_spin };
  TlUnits units;

  tl_measure_get_units (self->measure, &units);
  double width = (tl_view_get_high (self->view) - tl_view_get_low (self->view))
                 * units.per_value;
  double wanted = 3 - floor (log10 (width));
  guint digits = (guint)CLAMP (wanted, 0, MAX_DIGITS);
  double step = pow (10, 2 - (double)digits) / units.per_value;

  for (guint i = 0; i < G_N_ELEMENTS (spins); i++)
    {
      gtk_spin_button_set_digits (spins[i], digits);
      gtk_adjustment_set_step_increment (
          gtk_spin_button_get_adjustment (spins[i]), step);
      tl_control_set_factor (spins[i], units.per_value);
    }
  gtk_label_set_text (self->window_unit, units.unit);
}

/* --- the axis --- */

/* In the text, left and right move the cursor. Keys with Alt are shortcuts of
 * the window. */
static gboolean
on_centre_key (TlSettingsPanel *self, guint keyval, guint keycode,
               GdkModifierType state, GtkEventController *keys)
{
  gboolean in_text =
      gtk_event_controller_get_widget (keys) == GTK_WIDGET (self->centre_spin);
  double step = 1;

  if ((state & GDK_ALT_MASK) != 0)
    return GDK_EVENT_PROPAGATE;
  if ((state & GDK_CONTROL_MASK) != 0)
    step = 0.01;
  else if ((state & GDK_SHIFT_MASK) != 0)
    step = 0.1;
  switch (keyval)
    {
    case GDK_KEY_Up:
    case GDK_KEY_KP_Up:
      break;
    case GDK_KEY_Down:
    case GDK_KEY_KP_Down:
      step = -step;
      break;
    case GDK_KEY_Right:
    case GDK_KEY_KP_Right:
      if (in_text)
        return GDK_EVENT_PROPAGATE;
      break;
    case GDK_KEY_Left:
    case GDK_KEY_KP_Left:
      if (in_text)
        return GDK_EVENT_PROPAGATE;
      step = -step;
      break;
    default:
      return GDK_EVENT_PROPAGATE;
    }
  gtk_widget_activate_action (GTK_WIDGET (self), "app.step-centre", "d", step);
  return GDK_EVENT_STOP;
}

static void
on_strip_begin (TlSettingsPanel *self)
{
  self->drag_centre = tl_parameters_get_centre (get_session (self)->parameters);
}

static void
on_strip_update (TlSettingsPanel *self, double x, double y,
                 GtkEventController *drag)
{
  GdkModifierType state = gtk_event_controller_get_current_event_state (drag);
  double step = (state & GDK_SHIFT_MASK) != 0 ? STRIP_FINE_STEP : STRIP_STEP;

  gtk_widget_activate_action (
      GTK_WIDGET (self), "app.centre", "d",
      tl_parameters_limit_centre (get_session (self)->parameters,
                                  self->drag_centre + x * step, TL_DRAG_PARTS));
}

static void
add_centre_keys (TlSettingsPanel *self, gpointer control)
{
  GtkEventController *keys = gtk_event_controller_key_new ();

  /* before the control takes the arrows for its own step */
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect_swapped (keys, "key-pressed", G_CALLBACK (on_centre_key),
                            self);
  gtk_widget_add_controller (control, keys);
}

static void
add_controllers (TlSettingsPanel *self)
{
  GtkGesture *drag = gtk_gesture_drag_new ();

  add_centre_keys (self, self->centre_spin);
  add_centre_keys (self, self->centre_scale);
  g_signal_connect_swapped (drag, "drag-begin", G_CALLBACK (on_strip_begin),
                            self);
  g_signal_connect_swapped (drag, "drag-update", G_CALLBACK (on_strip_update),
                            self);
  gtk_widget_add_controller (GTK_WIDGET (self->centre_strip),
                             GTK_EVENT_CONTROLLER (drag));
  gtk_widget_set_cursor_from_name (GTK_WIDGET (self->centre_strip),
                                   "ew-resize");
}

/* --- the widget --- */

static void
tl_settings_panel_class_init (TlSettingsPanelClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  g_type_ensure (TL_TYPE_CENTRE_ESTIMATES);
  g_type_ensure (TL_TYPE_HISTOGRAM);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/org/tomolens/Tomolens/settings-panel.ui");
#define BIND(name)                                                             \
  gtk_widget_class_bind_template_child (widget_class, TlSettingsPanel, name)
  BIND (scan_label);
  BIND (scan_title);
  BIND (asking_label);
  BIND (folder_button);
  BIND (notes_label);
  BIND (stage_label);
  BIND (centre_strip);
  BIND (scan_expander);
  BIND (notes_expander);
  BIND (phase_expander);
  BIND (angles_entry);
  BIND (leave_out_entry);
  BIND (odd_button);
  BIND (odd_label);
  BIND (projection_row);
  BIND (centre_spin);
  BIND (window_low_spin);
  BIND (window_high_spin);
  BIND (window_unit);
  BIND (centre_scale);
  BIND (preset_button);
  BIND (centre_estimates);
  BIND (filter_curve);
  BIND (histogram);
#undef BIND
}

/* An item is "Smooth: hann up to 0.5, linear". */
static void
fill_presets (GtkMenuButton *button)
{
  g_autoptr (GMenu) menu = g_menu_new ();

  for (guint i = 0; tl_preset_names[i] != NULL; i++)
    {
      const char *name = tl_preset_names[i];
      g_autofree char *text = tl_preset_describe (name);
      g_autofree char *label =
          g_strdup_printf ("%c%s: %s", g_ascii_toupper (*name), name + 1, text);
      g_autofree char *action = g_strconcat ("app.preset::", name, NULL);

      g_menu_append (menu, label, action);
    }
  gtk_menu_button_set_menu_model (button, G_MENU_MODEL (menu));
}

static void
tl_settings_panel_init (TlSettingsPanel *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  fill_presets (self->preset_button);
  add_controllers (self);
}

void
tl_settings_panel_bind (TlSettingsPanel *self, TlMeasure *measure,
                        GActionGroup *actions)
{
  TlView *view = tl_measure_get_view (measure);
  TlSession *session = tl_view_get_session (view);

  g_return_if_fail (self->view == NULL);

  self->measure = tl_keep (self, measure);
  self->view = tl_keep (self, view);
  tl_centre_estimates_set_session (self->centre_estimates, session);
  tl_filter_curve_bind (self->filter_curve, session);
  tl_histogram_bind (self->histogram, measure);
  tl_controls_bind (GTK_WIDGET (self), view, actions);
  g_signal_connect_object (actions, "action-state-changed::phase",
                           G_CALLBACK (show_phase), self, G_CONNECT_SWAPPED);
  tl_follow (session->source, "path summary", G_CALLBACK (update_scan), self);
  tl_follow (session->growth, "news", G_CALLBACK (update_growth), self);
  tl_follow (session->parameters, "recipe", G_CALLBACK (update_parameters),
             self);
  g_signal_connect_object (tl_session_get_centre_search (session), "changed",
                           G_CALLBACK (update_stage), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (tl_session_get_overlay (session), "changed",
                           G_CALLBACK (update_stage), self, G_CONNECT_SWAPPED);
  tl_follow (session->display, "picture", G_CALLBACK (update_picture), self);
  tl_follow (view, "low high", G_CALLBACK (update_window), self);
  tl_follow (session->parameters, "recipe", G_CALLBACK (update_window), self);
  tl_follow (session->display, "picture", G_CALLBACK (update_window), self);
  update_scan (self);
  update_parameters (self);
}
