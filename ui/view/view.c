#include "ui/view/view.h"

#include "app/axis/overlay/overlay.h"
#include "ui/view/view-kind.h"
#include "ui/view/widget.h"

#include <float.h>
#include <math.h>

/* Cuts off the ring of noise outside the object and a few hot pixels. */
#define USUAL_DARK_PERCENT 0.5
#define USUAL_BRIGHT_PERCENT 0.2
#define MOST_PERCENT 49

/* A quarter of the largest float, so that sums of two are floats. */
#define MAX_LEVEL (FLT_MAX / 4)

typedef struct
{
  double low, high;
  gboolean auto_window;
  gboolean is_set;      /* by a whole picture of this scan, or by the user */
  size_t n_angles;      /* of that picture; 0: set by the user */
  gboolean was_growing; /* its scan was still being taken */
  char *read_as;        /* (nullable): as of describe_reading() */
  gboolean was_assumed; /* nobody had set or found the axis yet */
} Window;

struct _TlView
{
  GObject parent_instance;

  TlSession *session;
  double low, high;
  gboolean auto_window;
  double dark_percent, bright_percent; /* cut off by the automatic window */
  guint kind, values;                  /* of the present window */
  Window kept_windows[TL_N_VIEW_KINDS][TL_N_VIEW_VALUES]; /* the other ones */
  char *scan; /* (nullable): whose pictures have set the windows */
  guint colormap;
  gboolean log_counts;
  gboolean copies_slices; /* slices reach the screen through host memory */
  gboolean wants_pixels;  /* pixels are needed in host memory in any case */
  char *path, *renderer, *problem;
  gboolean interop;
};

G_DEFINE_FINAL_TYPE (TlView, tl_view, G_TYPE_OBJECT)

enum
{
  PROP_LOW = 1,
  PROP_HIGH,
  PROP_AUTO_WINDOW,
  PROP_DARK_PERCENT,
  PROP_BRIGHT_PERCENT,
  PROP_LOG_COUNTS,
  PROP_COLORMAP,
  PROP_PATH,
  PROP_INTEROP,
  PROP_RENDERER,
  PROP_PROBLEM,
  N_PROPERTIES
};

static GParamSpec *properties[N_PROPERTIES];

static void
set_string (TlView *view, char **field, const char *value, guint property)
{
  char *copy;

  if (g_strcmp0 (*field, value) == 0)
    return;
  copy = g_strdup (value);
  g_free (*field);
  *field = copy;
  g_object_notify_by_pspec (G_OBJECT (view), properties[property]);
}

static void
set_boolean (TlView *view, gboolean *field, gboolean value, guint property)
{
  value = value != FALSE;
  if (*field == value)
    return;
  *field = value;
  g_object_notify_by_pspec (G_OBJECT (view), properties[property]);
}

static void
set_double (TlView *view, double *field, double value, guint property)
{
  if (*field == value)
    return;
  *field = value;
  g_object_notify_by_pspec (G_OBJECT (view), properties[property]);
}

/* --- the window --- */

static void
change_window (TlView *view, double low, double high)
{
  double least = fmax (fabs (low), fabs (high)) * 1e-6;

  /* the shaders compute with floats; NaN, too, is not within */
  if (!(fabs (low) <= MAX_LEVEL && fabs (high) <= MAX_LEVEL))
    return;
  /* widen the window of a constant picture, so that it is grey */
  if (high - low <= least)
    {
      double half = least > 0 ? least : 1e-6;

      low -= half;
      high += half;
    }
  g_object_freeze_notify (G_OBJECT (view));
  set_double (view, &view->low, low, PROP_LOW);
  set_double (view, &view->high, high, PROP_HIGH);
  g_object_thaw_notify (G_OBJECT (view));
}

/* Centres the window of a difference at 0, so that 0 is grey. */
static void
follow_percentiles (TlView *view, double f_low, double f_high)
{
  float low, high;

  if (!tl_display_get_percentiles (view->session->display, f_low, f_high, &low,
                                   &high))
    return;
  if (tl_view_kind_is_difference (view->kind))
    {
      high = fmaxf (-low, high);
      low = -high;
    }
  change_window (view, low, high);
}

static void
follow_picture (TlView *view)
{
  follow_percentiles (view, view->dark_percent / 100,
                      1 - view->bright_percent / 100);
}

static Window *
get_window (TlView *view)
{
  return &view->kept_windows[view->kind][view->values];
}

static void
change_kind (TlView *view, guint kind, guint values)
{
  Window *old = get_window (view), *now;

  if (kind == view->kind && values == view->values)
    return;
  old->low = view->low;
  old->high = view->high;
  old->auto_window = view->auto_window;
  view->kind = kind;
  view->values = values;
  now = get_window (view);
  if (now->is_set)
    change_window (view, now->low, now->high);
  set_boolean (view, &view->auto_window, now->auto_window, PROP_AUTO_WINDOW);
}

static void
add_value (const TlRecipe *recipe, const char *key, GString *text)
{
  g_autofree char *value = tl_recipe_get (recipe, key);

  g_string_append_printf (text, "%s\n", value);
}

/* Returns: (transfer full): the files, the angles and the projections left out
 * of the picture that is shown */
static char *
describe_reading (TlView *view)
{
  static const char *const keys[] = { "angles", "angles-file", "leave-out" };
  const TlRecipe *recipe = tl_display_get_frame_recipe (view->session->display);
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    add_value (recipe, keys[i], text);
  for (const char *const *key = tl_recipe_place_keys; *key != NULL; key++)
    add_value (recipe, *key, text);
  return g_string_free (text, FALSE);
}

/* Returns: whether the window has to be set again: the scan is read in another
 * way, or has grown much. It is seldom set while a scan grows, because it would
 * flicker. */
static gboolean
reads_otherwise (TlView *view, const Window *window)
{
  TlSession *session = view->session;
  const TlScanSummary *scan = tl_scan_source_get_summary (session->source);
  const size_t n = tl_display_get_status (session->display)->n_angles;
  g_autofree char *read_as = NULL;

  if (window->n_angles == 0)
    return FALSE;
  read_as = describe_reading (view);
  return (g_strcmp0 (window->read_as, read_as) != 0
          || window->was_growing != scan->is_growing
          || (scan->is_growing && n >= 2 * window->n_angles));
}

/* Returns: whether the axis was found after the window was set */
static gboolean
is_axis_newer (TlView *view, const Window *window)
{
  return window->was_assumed
         && tl_parameters_is_centre_found (view->session->parameters);
}

/* Returns: whether this picture has the axis that was found after the window
 * was set */
static gboolean
has_newer_axis (TlView *view, const Window *window)
{
  TlParameters *parameters = view->session->parameters;
  const TlRecipe *shown = tl_display_get_frame_recipe (view->session->display);

  return is_axis_newer (view, window)
         && shown->params.centre_col
                == tl_parameters_get_recipe (parameters)->params.centre_col;
}

static void
note_set (TlView *view, Window *window)
{
  TlSession *session = view->session;

  window->is_set = view->kind != TL_VIEW_KIND_COST;
  window->n_angles = tl_display_get_status (session->display)->n_angles;
  window->was_growing =
      tl_scan_source_get_summary (session->source)->is_growing;
  window->was_assumed = tl_parameters_is_centre_assumed (session->parameters);
  g_free (window->read_as);
  window->read_as = describe_reading (view);
}

/* The first difference of opposite projections sets its window at once, before
 * its exact pixels are there; so does the first one with the axis that was
 * found since. Returns: whether it has */
static gboolean
set_overlay_window (TlView *view)
{
  const double part = fmin (view->dark_percent, view->bright_percent) / 100;
  Window *window = get_window (view);
  double high;

  if (view->kind != TL_VIEW_KIND_OVERLAY
      || (window->is_set && !is_axis_newer (view, window)))
    return FALSE;
  high = tl_overlay_sample_difference (tl_session_get_overlay (view->session),
                                       1 - part);
  if (high == 0)
    return FALSE;
  note_set (view, window);
  change_window (view, -high, high);
  return TRUE;
}

/* The first picture of a kind and of its values sets the window, and so does
 * the first one with the axis that the program has found. A difference
 * of precisions always sets it, a comparison until the user does. A preview
 * sets it only until the whole picture does: it has another noise, so the
 * window would flicker. The volume has the window of slices. */
static void
on_frame (TlView *view)
{
  TlDisplay *display = view->session->display;
  const char *scan = tl_scan_source_get_name (view->session->source);
  const gboolean is_preview = tl_display_shows_preview (display);
  Window *window;
  float low, high;

  if (g_strcmp0 (view->scan, scan) != 0)
    {
      g_free (view->scan);
      view->scan = g_strdup (scan);
      for (guint i = 0; i < TL_N_VIEW_KINDS; i++)
        for (guint k = 0; k < TL_N_VIEW_VALUES; k++)
          view->kept_windows[i][k].is_set = FALSE;
    }
  change_kind (view, tl_view_kind_find (view->session),
               tl_view_values_find (view->session));
  window = get_window (view);
  if (set_overlay_window (view) || tl_display_get_frame (display) == NULL
      || tl_display_get_page (display) == TL_PAGE_VOLUME
      || !tl_display_get_percentiles (display, 0, 1, &low, &high)
      || (window->is_set
          && (is_preview
              || (!view->auto_window && !reads_otherwise (view, window)
                  && !has_newer_axis (view, window)))))
    return;
  if (!is_preview)
    note_set (view, window);
  follow_picture (view);
}

/* No frame comes with the volume. */
static void
on_page (TlView *view)
{
  if (tl_display_get_page (view->session->display) == TL_PAGE_VOLUME)
    change_kind (view, tl_view_kind_find (view->session),
                 tl_view_values_find (view->session));
}

/* The window is the user's from now on. */
static void
take_window (TlView *view)
{
  get_window (view)->is_set = view->kind != TL_VIEW_KIND_COST;
  get_window (view)->n_angles = 0;
  get_window (view)->was_assumed = FALSE;
  tl_view_set_auto_window (view, FALSE);
}

double
tl_view_get_low (TlView *view)
{
  return view->low;
}

double
tl_view_get_high (TlView *view)
{
  return view->high;
}

void
tl_view_get_slice_window (TlView *view, double *low, double *high)
{
  const Window *window = &view->kept_windows[TL_PICTURE_SLICE][view->values];
  const gboolean is_shown = view->kind == TL_PICTURE_SLICE;

  *low = is_shown ? view->low : window->low;
  *high = is_shown ? view->high : window->high;
}

void
tl_view_set_window (TlView *view, double low, double high)
{
  take_window (view);
  change_window (view, low, high);
}

void
tl_view_set_percentiles (TlView *view, double f_low, double f_high)
{
  take_window (view);
  follow_percentiles (view, f_low, f_high);
}

void
tl_view_set_auto_percentiles (TlView *view)
{
  take_window (view);
  follow_picture (view);
}

void
tl_view_reset_window (TlView *view)
{
  g_object_freeze_notify (G_OBJECT (view));
  set_double (view, &view->dark_percent, USUAL_DARK_PERCENT, PROP_DARK_PERCENT);
  set_double (view, &view->bright_percent, USUAL_BRIGHT_PERCENT,
              PROP_BRIGHT_PERCENT);
  tl_view_set_auto_percentiles (view);
  g_object_thaw_notify (G_OBJECT (view));
}

gboolean
tl_view_get_auto_window (TlView *view)
{
  return view->auto_window;
}

void
tl_view_set_auto_window (TlView *view, gboolean auto_window)
{
  if (auto_window)
    follow_picture (view);
  set_boolean (view, &view->auto_window, auto_window, PROP_AUTO_WINDOW);
}

static void
set_percent (TlView *view, double *field, const GValue *value, guint property)
{
  if (!isfinite (g_value_get_double (value)))
    return;
  set_double (view, field, g_value_get_double (value), property);
  follow_picture (view);
}

gboolean
tl_view_get_log_counts (TlView *view)
{
  return view->log_counts;
}

TlColormap
tl_view_get_colormap (TlView *view)
{
  return view->colormap;
}

void
tl_view_set_colormap (TlView *view, TlColormap colormap)
{
  g_return_if_fail ((guint)colormap < TL_N_COLORMAPS);

  if (view->colormap == colormap)
    return;
  view->colormap = colormap;
  g_object_notify_by_pspec (G_OBJECT (view), properties[PROP_COLORMAP]);
}

/* --- the path to the screen --- */

static void
update_fetch (TlView *view)
{
  g_object_set (view->session->requests, "fetch",
                view->copies_slices || view->wants_pixels, NULL);
}

const char *
tl_view_get_path (TlView *view)
{
  return view->path;
}

gboolean
tl_view_get_interop (TlView *view)
{
  return view->interop;
}

void
tl_view_set_path (TlView *view, const char *path, gboolean interop)
{
  g_object_freeze_notify (G_OBJECT (view));
  set_string (view, &view->path, path, PROP_PATH);
  set_boolean (view, &view->interop, interop, PROP_INTEROP);
  g_object_thaw_notify (G_OBJECT (view));
  /* sinograms and projections are always in host memory */
  if (tl_display_get_picture (view->session->display) == TL_PICTURE_SLICE)
    view->copies_slices = !interop;
  update_fetch (view);
}

void
tl_view_set_wants_pixels (TlView *view, gboolean wants_pixels)
{
  view->wants_pixels = wants_pixels;
  update_fetch (view);
}

const char *
tl_view_get_renderer (TlView *view)
{
  return view->renderer;
}

void
tl_view_set_renderer (TlView *view, const char *renderer)
{
  set_string (view, &view->renderer, renderer, PROP_RENDERER);
}

const char *
tl_view_get_problem (TlView *view)
{
  return view->problem;
}

void
tl_view_set_problem (TlView *view, const char *problem)
{
  set_string (view, &view->problem, problem, PROP_PROBLEM);
}

/* --- the object --- */

static void
tl_view_get_property (GObject *object, guint property, GValue *value,
                      GParamSpec *pspec)
{
  TlView *view = TL_VIEW (object);

  switch (property)
    {
    case PROP_LOW:
      g_value_set_double (value, view->low);
      break;
    case PROP_HIGH:
      g_value_set_double (value, view->high);
      break;
    case PROP_AUTO_WINDOW:
      g_value_set_boolean (value, view->auto_window);
      break;
    case PROP_DARK_PERCENT:
      g_value_set_double (value, view->dark_percent);
      break;
    case PROP_BRIGHT_PERCENT:
      g_value_set_double (value, view->bright_percent);
      break;
    case PROP_LOG_COUNTS:
      g_value_set_boolean (value, view->log_counts);
      break;
    case PROP_COLORMAP:
      g_value_set_uint (value, view->colormap);
      break;
    case PROP_PATH:
      g_value_set_string (value, view->path);
      break;
    case PROP_INTEROP:
      g_value_set_boolean (value, view->interop);
      break;
    case PROP_RENDERER:
      g_value_set_string (value, view->renderer);
      break;
    case PROP_PROBLEM:
      g_value_set_string (value, view->problem);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property, pspec);
    }
}

static void
tl_view_set_property (GObject *object, guint property, const GValue *value,
                      GParamSpec *pspec)
{
  TlView *view = TL_VIEW (object);

  switch (property)
    {
    case PROP_DARK_PERCENT:
      set_percent (view, &view->dark_percent, value, property);
      break;
    case PROP_BRIGHT_PERCENT:
      set_percent (view, &view->bright_percent, value, property);
      break;
    case PROP_LOG_COUNTS:
      set_boolean (view, &view->log_counts, g_value_get_boolean (value),
                   property);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property, pspec);
    }
}

static void
tl_view_finalize (GObject *object)
{
  TlView *view = TL_VIEW (object);

  for (guint i = 0; i < TL_N_VIEW_KINDS; i++)
    for (guint k = 0; k < TL_N_VIEW_VALUES; k++)
      g_free (view->kept_windows[i][k].read_as);
  g_clear_object (&view->session);
  g_free (view->scan);
  g_free (view->path);
  g_free (view->renderer);
  g_free (view->problem);
  G_OBJECT_CLASS (tl_view_parent_class)->finalize (object);
}

static void
tl_view_class_init (TlViewClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;
  const GParamFlags writable =
      flags | G_PARAM_WRITABLE | G_PARAM_EXPLICIT_NOTIFY;
  /* clamp: an action may pass any value */
  const GParamFlags lax = writable | G_PARAM_LAX_VALIDATION;

  object_class->get_property = tl_view_get_property;
  object_class->set_property = tl_view_set_property;
  object_class->finalize = tl_view_finalize;

  properties[PROP_LOW] = g_param_spec_double ("low", NULL, NULL, -G_MAXDOUBLE,
                                              G_MAXDOUBLE, 0, flags);
  properties[PROP_HIGH] = g_param_spec_double ("high", NULL, NULL, -G_MAXDOUBLE,
                                               G_MAXDOUBLE, 1, flags);
  properties[PROP_AUTO_WINDOW] =
      g_param_spec_boolean ("auto-window", NULL, NULL, FALSE, flags);
  properties[PROP_DARK_PERCENT] = g_param_spec_double (
      "dark-percent", NULL, NULL, 0, MOST_PERCENT, USUAL_DARK_PERCENT, lax);
  properties[PROP_BRIGHT_PERCENT] = g_param_spec_double (
      "bright-percent", NULL, NULL, 0, MOST_PERCENT, USUAL_BRIGHT_PERCENT, lax);
  properties[PROP_LOG_COUNTS] =
      g_param_spec_boolean ("log-counts", NULL, NULL, TRUE, writable);
  properties[PROP_COLORMAP] = g_param_spec_uint (
      "colormap", NULL, NULL, 0, TL_N_COLORMAPS - 1, TL_COLORMAP_GREY, flags);
  properties[PROP_PATH] = g_param_spec_string ("path", NULL, NULL, NULL, flags);
  properties[PROP_INTEROP] =
      g_param_spec_boolean ("interop", NULL, NULL, FALSE, flags);
  properties[PROP_RENDERER] =
      g_param_spec_string ("renderer", NULL, NULL, NULL, flags);
  properties[PROP_PROBLEM] =
      g_param_spec_string ("problem", NULL, NULL, NULL, flags);
  g_object_class_install_properties (object_class, N_PROPERTIES, properties);
}

static void
tl_view_init (TlView *view)
{
  view->high = 1;
  for (guint k = 0; k < TL_N_VIEW_VALUES; k++)
    view->kept_windows[TL_VIEW_KIND_COMPARISON][k].auto_window = TRUE;
  view->dark_percent = USUAL_DARK_PERCENT;
  view->bright_percent = USUAL_BRIGHT_PERCENT;
  view->log_counts = TRUE;
}

TlView *
tl_view_new (TlSession *session)
{
  TlView *view = g_object_new (TL_TYPE_VIEW, NULL);

  view->session = g_object_ref (session);
  tl_follow (session->display, "frame comparison", G_CALLBACK (on_frame), view);
  tl_follow (session->display, "picture", G_CALLBACK (on_page), view);
  return view;
}

TlSession *
tl_view_get_session (TlView *view)
{
  return view->session;
}
