#include "ui/measure/measure.h"

#include "app/planes/planes.h"
#include "ui/view/widget.h"

#include <glib/gi18n.h>
#include <math.h>

/* The first line lies in the middle row and has this part of its length, so
 * that measuring can begin without a mouse. */
#define FIRST_PART 0.5

/* Pixels. A profile has a value for each pixel of the line, so its length must
 * be bounded; no picture is larger. */
#define FARTHEST 65536

struct _TlMeasure
{
  GObject parent_instance;

  TlView *view;
  gboolean active, scale_bar, colour_bar;
  gboolean scale_bar_is_chosen; /* the user has set it */
  guint width;
  TlPicture picture; /* shown now; each picture has a line of its own */
  gboolean has_line[TL_N_PICTURES]; /* a line was drawn */
  TlSegment lines[TL_N_PICTURES];
  char *path; /* (nullable): scan on which the slice's line was drawn */
  size_t slice_rows, slice_cols; /* size of the slice on which it was drawn */
  TlPane pane;                   /* with the line of the planes */
  char *planes_path; /* (nullable): scan on which it was drawn, and its columns
                      */
  size_t planes_cols;
  TlProfile *profile, *held_profile; /* (nullable) */
  double mark;
};

G_DEFINE_FINAL_TYPE (TlMeasure, tl_measure, G_TYPE_OBJECT)

enum
{
  PROP_ACTIVE = 1,
  PROP_WIDTH,
  PROP_SCALE_BAR,
  PROP_COLOUR_BAR,
  PROP_LINE,
  PROP_PROFILE,
  PROP_MARK,
  N_PROPERTIES
};

static GParamSpec *properties[N_PROPERTIES];

static void
notify (TlMeasure *self, guint property)
{
  g_object_notify_by_pspec (G_OBJECT (self), properties[property]);
}

static TlSession *
get_session (TlMeasure *self)
{
  return tl_view_get_session (self->view);
}

/* --- the line and its profile --- */

static TlPlanes *
get_planes (TlMeasure *self)
{
  return tl_session_get_planes (get_session (self));
}

static gboolean
get_pixels (TlMeasure *self, TlPixels *pixels)
{
  TlDisplay *display = get_session (self)->display;

  if (self->picture == TL_PICTURE_PLANES)
    return tl_planes_get_pixels (get_planes (self), self->pane, pixels);
  pixels->values =
      tl_display_get_pixels (display, &pixels->n_rows, &pixels->n_cols);
  if (pixels->values == NULL)
    return FALSE;
  tl_display_get_frame_place (display, &pixels->row, &pixels->col,
                              &pixels->pitch);
  return TRUE;
}

/* Sets @pixels to those of A. Returns: %FALSE unless both A and B are shown */
static gboolean
get_held_pixels (TlMeasure *self, TlPixels *pixels)
{
  TlSliceComparison *comparison = get_session (self)->comparison;
  const TlCompareMode mode = tl_slice_comparison_get_shown_mode (comparison);
  TlFrame *held = tl_slice_comparison_get_held (comparison);

  if (mode == TL_COMPARE_OFF || mode == TL_COMPARE_DIFFERENCE)
    return FALSE;
  if (self->picture == TL_PICTURE_PLANES)
    return tl_planes_get_held_pixels (get_planes (self), self->pane, pixels);
  if (!tl_slice_comparison_get_place (comparison, &pixels->row, &pixels->col))
    return FALSE;
  pixels->values = tl_frame_get_pixels (held);
  pixels->n_rows = tl_frame_get_n_rows (held);
  pixels->n_cols = tl_frame_get_n_cols (held);
  pixels->pitch = 1;
  return pixels->values != NULL;
}

static void
update_profile (TlMeasure *self)
{
  const TlSegment *line = tl_measure_get_line (self);
  TlPixels pixels;

  g_clear_pointer (&self->profile, tl_profile_free);
  g_clear_pointer (&self->held_profile, tl_profile_free);
  if (line != NULL && get_pixels (self, &pixels))
    self->profile = tl_profile_new (line, self->width, &pixels);
  if (self->profile != NULL && get_held_pixels (self, &pixels))
    self->held_profile = tl_profile_new (line, self->width, &pixels);
  notify (self, PROP_PROFILE);
}

static void
take_line (TlMeasure *self, const TlSegment *line)
{
  self->lines[self->picture] = *line;
  self->has_line[self->picture] = TRUE;
  notify (self, PROP_LINE);
}

static gboolean
touches_picture (const TlSegment *line, size_t n_rows, size_t n_cols)
{
  return fmax (line->col[0], line->col[1]) >= 0
         && fmin (line->col[0], line->col[1]) <= (double)(n_cols - 1)
         && fmax (line->row[0], line->row[1]) >= 0
         && fmin (line->row[0], line->row[1]) <= (double)(n_rows - 1);
}

/* Through the cross, in the pane that had the focus last. */
static void
offer_line_of_planes (TlMeasure *self)
{
  const TlAim *aim = tl_planes_get_aim (get_planes (self));
  double half = round ((double)aim->grid.nx * FIRST_PART / 2), col, row;

  if (self->has_line[TL_PICTURE_PLANES] || aim->grid.nx == 0)
    return;
  self->pane = tl_display_get_pane (get_session (self)->display);
  tl_aim_to_picture (aim, self->pane, aim->cross, &col, &row);
  take_line (self, &(TlSegment){ { col - half, col + half }, { row, row } });
}

/* A line drawn on another scan may lie outside this picture. */
static void
offer_line (TlMeasure *self)
{
  size_t n_rows, n_cols;
  TlSegment line;

  if (self->active && self->picture == TL_PICTURE_PLANES)
    offer_line_of_planes (self);
  if (!self->active || self->picture == TL_PICTURE_PLANES
      || !tl_display_get_picture_size (get_session (self)->display, &n_rows,
                                       &n_cols)
      || (self->has_line[self->picture]
          && touches_picture (&self->lines[self->picture], n_rows, n_cols)))
    return;
  line.col[0] = round ((double)(n_cols - 1) * (1 - FIRST_PART) / 2);
  line.col[1] = round ((double)(n_cols - 1) * (1 + FIRST_PART) / 2);
  line.row[0] = line.row[1] = round ((double)(n_rows - 1) / 2);
  take_line (self, &line);
}

static void
change_picture (TlMeasure *self)
{
  TlPicture picture = tl_display_get_picture (get_session (self)->display);

  if (picture == self->picture)
    return;
  self->picture = picture;
  notify (self, PROP_LINE);
}

/* Moves the line when the slice changes its size, so that it stays at its place
 * in the object: slices of one scan have the axis in the middle. */
static void
take_size (TlMeasure *self)
{
  const TlScanSummary *scan =
      tl_scan_source_get_summary (get_session (self)->source);
  TlSegment *line = &self->lines[TL_PICTURE_SLICE];
  size_t n_rows, n_cols;

  if (self->picture != TL_PICTURE_SLICE || scan == NULL
      || !tl_display_get_picture_size (get_session (self)->display, &n_rows,
                                       &n_cols))
    return;
  if (self->has_line[TL_PICTURE_SLICE]
      && g_strcmp0 (self->path, scan->path) == 0
      && (n_rows != self->slice_rows || n_cols != self->slice_cols))
    {
      for (guint end = 0; end < 2; end++)
        {
          line->row[end] += ((double)n_rows - (double)self->slice_rows) / 2;
          line->col[end] += ((double)n_cols - (double)self->slice_cols) / 2;
        }
      notify (self, PROP_LINE);
    }
  self->slice_rows = n_rows;
  self->slice_cols = n_cols;
  g_free (self->path);
  self->path = g_strdup (scan->path);
}

static void
on_frame (TlMeasure *self)
{
  change_picture (self);
  take_size (self);
  offer_line (self);
  if (self->active)
    update_profile (self);
}

static void
set_active (TlMeasure *self, gboolean active)
{
  if (self->active == active)
    return;
  self->active = active;
  tl_view_set_wants_pixels (self->view, active);
  notify (self, PROP_ACTIVE);
  offer_line (self);
  notify (self, PROP_LINE);
  update_profile (self);
}

const TlSegment *
tl_measure_get_line (TlMeasure *self)
{
  return self->active && self->has_line[self->picture]
             ? &self->lines[self->picture]
             : NULL;
}

const TlSegment *
tl_measure_get_line_in (TlMeasure *self, TlPane pane)
{
  return self->picture != TL_PICTURE_PLANES || self->pane == pane
             ? tl_measure_get_line (self)
             : NULL;
}

void
tl_measure_set_line (TlMeasure *self, TlPane pane, const TlSegment *line)
{
  for (guint end = 0; end < 2; end++)
    if (!(fabs (line->col[end]) <= FARTHEST
          && fabs (line->row[end]) <= FARTHEST))
      return;
  if (self->picture == TL_PICTURE_PLANES)
    self->pane = pane;
  take_line (self, line);
  update_profile (self);
}

const TlProfile *
tl_measure_get_profile (TlMeasure *self)
{
  return self->profile;
}

const TlProfile *
tl_measure_get_held_profile (TlMeasure *self)
{
  return self->held_profile;
}

double
tl_measure_get_mark (TlMeasure *self)
{
  return self->mark;
}

void
tl_measure_set_mark (TlMeasure *self, double mark)
{
  if (self->mark == mark)
    return;
  self->mark = mark;
  notify (self, PROP_MARK);
}

/* Returns: what a number without a unit is, in a word or a formula */
static const char *
name_quantity (const TlRecipe *recipe, TlPicture picture,
               gboolean is_attenuation)
{
  if (picture == TL_PICTURE_SLICE)
    return _ ("no unit");
  if (is_attenuation)
    return "−ln(I/I₀)";
  return recipe->params.flat_field ? "I/I₀" : _ ("counts");
}

static void
init_units (TlMeasure *self, TlPicture picture, TlUnits *units)
{
  TlSession *session = get_session (self);
  /* from the file, or as the user has set it */
  const TlRecipe *recipe = tl_parameters_get_recipe (session->parameters);
  const TlScanSummary *scan = tl_scan_source_get_summary (session->source);
  g_autofree char *size = tl_recipe_get (recipe, "pixel-size");
  gboolean is_attenuation =
      recipe->params.minus_log
      || (scan != NULL && scan->is_attenuation && !scan->are_counts);

  /* the rows of a sinogram are angles; only attenuation in a slice is per
   * length */
  tl_units_init (
      units, picture != TL_PICTURE_SINOGRAM ? g_ascii_strtod (size, NULL) : 0,
      picture == TL_PICTURE_SLICE && is_attenuation);
  if (picture != TL_PICTURE_SLICE || !is_attenuation)
    units->unit = units->own_unit =
        name_quantity (recipe, picture, is_attenuation);
}

void
tl_measure_get_units (TlMeasure *self, TlUnits *units)
{
  const TlPicture shown = tl_display_get_picture (get_session (self)->display);

  /* planes have the values of slices */
  init_units (self, shown == TL_PICTURE_PLANES ? TL_PICTURE_SLICE : shown,
              units);
}

void
tl_measure_get_slice_units (TlMeasure *self, TlUnits *units)
{
  init_units (self, TL_PICTURE_SLICE, units);
}

char *
tl_measure_describe_line (TlMeasure *self)
{
  const TlSegment *line = tl_measure_get_line (self);
  TlUnits units;
  double length;
  g_autofree char *pixels = NULL;
  g_autofree char *physical = NULL;

  if (line == NULL)
    return g_strdup ("");
  tl_measure_get_units (self, &units);
  length = tl_segment_get_length (line);
  pixels = tl_ruler_format_length (length, 0);
  if (units.pixel_size_um <= 0)
    return g_strdup_printf ("%s · %.1f°", pixels,
                            tl_segment_get_angle_deg (line));
  physical = tl_ruler_format_length (length, units.pixel_size_um);
  return g_strdup_printf ("%s · %s · %.1f°", pixels, physical,
                          tl_segment_get_angle_deg (line));
}

/* --- scan, width and bars --- */

static void
on_scan (TlMeasure *self)
{
  const TlScanSummary *scan =
      tl_scan_source_get_summary (get_session (self)->source);
  gboolean known = scan != NULL && scan->pixel_size_um > 0;

  if (scan != NULL
      && (g_strcmp0 (self->planes_path, scan->path) != 0
          || self->planes_cols != scan->n_cols))
    {
      g_free (self->planes_path);
      self->planes_path = g_strdup (scan->path);
      self->planes_cols = scan->n_cols;
      self->has_line[TL_PICTURE_PLANES] = FALSE;
    }
  if (!self->scale_bar_is_chosen && self->scale_bar != known)
    {
      self->scale_bar = known;
      notify (self, PROP_SCALE_BAR);
    }
}

static void
set_width (TlMeasure *self, guint width)
{
  if (self->width == width)
    return;
  self->width = width;
  notify (self, PROP_WIDTH);
  update_profile (self);
}

gboolean
tl_measure_is_active (TlMeasure *self)
{
  return self->active;
}

gboolean
tl_measure_has_scale_bar (TlMeasure *self)
{
  return self->scale_bar;
}

gboolean
tl_measure_has_colour_bar (TlMeasure *self)
{
  return self->colour_bar;
}

guint
tl_measure_get_width (TlMeasure *self)
{
  return self->width;
}

/* --- the object --- */

static void
tl_measure_get_property (GObject *object, guint property, GValue *value,
                         GParamSpec *pspec)
{
  TlMeasure *self = TL_MEASURE (object);

  switch (property)
    {
    case PROP_ACTIVE:
      g_value_set_boolean (value, self->active);
      break;
    case PROP_WIDTH:
      g_value_set_uint (value, self->width);
      break;
    case PROP_SCALE_BAR:
      g_value_set_boolean (value, self->scale_bar);
      break;
    case PROP_COLOUR_BAR:
      g_value_set_boolean (value, self->colour_bar);
      break;
    case PROP_LINE:
      g_value_set_pointer (value, self->has_line[self->picture]
                                      ? &self->lines[self->picture]
                                      : NULL);
      break;
    case PROP_PROFILE:
      g_value_set_pointer (value, self->profile);
      break;
    case PROP_MARK:
      g_value_set_double (value, self->mark);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property, pspec);
    }
}

static void
tl_measure_set_property (GObject *object, guint property, const GValue *value,
                         GParamSpec *pspec)
{
  TlMeasure *self = TL_MEASURE (object);

  switch (property)
    {
    case PROP_ACTIVE:
      set_active (self, g_value_get_boolean (value));
      break;
    case PROP_WIDTH:
      set_width (self, g_value_get_uint (value));
      break;
    case PROP_SCALE_BAR:
      self->scale_bar_is_chosen = TRUE;
      self->scale_bar = g_value_get_boolean (value);
      notify (self, property);
      break;
    case PROP_COLOUR_BAR:
      self->colour_bar = g_value_get_boolean (value);
      notify (self, property);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property, pspec);
    }
}

static void
tl_measure_finalize (GObject *object)
{
  TlMeasure *self = TL_MEASURE (object);

  g_clear_pointer (&self->path, g_free);
  g_clear_pointer (&self->planes_path, g_free);
  g_clear_pointer (&self->profile, tl_profile_free);
  g_clear_pointer (&self->held_profile, tl_profile_free);
  g_clear_object (&self->view);
  G_OBJECT_CLASS (tl_measure_parent_class)->finalize (object);
}

static void
tl_measure_class_init (TlMeasureClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags readable = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;
  const GParamFlags writable =
      readable | G_PARAM_WRITABLE | G_PARAM_EXPLICIT_NOTIFY;

  object_class->get_property = tl_measure_get_property;
  object_class->set_property = tl_measure_set_property;
  object_class->finalize = tl_measure_finalize;

  properties[PROP_ACTIVE] =
      g_param_spec_boolean ("active", NULL, NULL, FALSE, writable);
  properties[PROP_WIDTH] =
      g_param_spec_uint ("width", NULL, NULL, 1, TL_PROFILE_MAX_WIDTH, 1,
                         /* clamp: an action may pass any value */
                         writable | G_PARAM_LAX_VALIDATION);
  properties[PROP_SCALE_BAR] =
      g_param_spec_boolean ("scale-bar", NULL, NULL, FALSE, writable);
  properties[PROP_COLOUR_BAR] =
      g_param_spec_boolean ("colour-bar", NULL, NULL, TRUE, writable);
  properties[PROP_LINE] = g_param_spec_pointer ("line", NULL, NULL, readable);
  properties[PROP_PROFILE] =
      g_param_spec_pointer ("profile", NULL, NULL, readable);
  properties[PROP_MARK] =
      g_param_spec_double ("mark", NULL, NULL, -1, 1, -1, readable);
  g_object_class_install_properties (object_class, N_PROPERTIES, properties);
}

static void
tl_measure_init (TlMeasure *self)
{
  self->width = 1;
  self->colour_bar = TRUE;
  self->mark = -1;
}

TlMeasure *
tl_measure_new (TlView *view)
{
  TlMeasure *self = g_object_new (TL_TYPE_MEASURE, NULL);
  TlSession *session = tl_view_get_session (view);

  self->view = g_object_ref (view);
  tl_follow (session->display, "frame comparison", G_CALLBACK (on_frame), self);
  tl_follow (session->source, "path", G_CALLBACK (on_scan), self);
  return self;
}

TlView *
tl_measure_get_view (TlMeasure *self)
{
  return self->view;
}
