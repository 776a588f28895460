#include "ui/view.h"

#include <math.h>

/* Cuts off the ring of noise outside the object and a few hot pixels. */
#define AUTO_LOW 0.005
#define AUTO_HIGH 0.998

struct _TlView
{
  GObject parent_instance;

  TlSession *session;
  double low, high;
  gboolean auto_window;
  gboolean is_of_differences;   /* low and high are, and not of a slice */
  double slice_low, slice_high; /* the slice's own meanwhile */
  char *scan_path; /* (nullable): whose picture has set the window */
  guint colormap;
  char *path, *renderer, *problem;
  gboolean interop;
};

G_DEFINE_FINAL_TYPE (TlView, tl_view, G_TYPE_OBJECT)

enum
{
  PROP_LOW = 1,
  PROP_HIGH,
  PROP_AUTO_WINDOW,
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

/* -- the window ----------------------------------------------------------- */

static void
change_window (TlView *view, double low, double high)
{
  double least = fmax (fabs (low), fabs (high)) * 1e-6;

  if (!isfinite (low) || !isfinite (high))
    return;
  /* a flat picture: grey, neither black nor white */
  if (high - low <= least)
    {
      double half = least > 0 ? least : 0.5;

      low -= half;
      high += half;
    }
  g_object_freeze_notify (G_OBJECT (view));
  set_double (view, &view->low, low, PROP_LOW);
  set_double (view, &view->high, high, PROP_HIGH);
  g_object_thaw_notify (G_OBJECT (view));
}

/* Differences are of both signs, and none of them is grey. */
static void
follow_picture (TlView *view, double f_low, double f_high)
{
  float low, high;

  if (!tl_session_get_percentiles (view->session, f_low, f_high, &low, &high))
    return;
  if (view->is_of_differences)
    {
      high = fmaxf (-low, high);
      low = -high;
    }
  change_window (view, low, high);
}

/* Each of the two kinds of picture has a window of its own; that of the
 * differences is made anew each time. */
static void
change_kind (TlView *view, gboolean is_of_differences)
{
  if (is_of_differences && !view->is_of_differences)
    {
      view->slice_low = view->low;
      view->slice_high = view->high;
    }
  else if (!is_of_differences && view->is_of_differences)
    change_window (view, view->slice_low, view->slice_high);
  view->is_of_differences = is_of_differences;
}

/* A preview has less noise than the whole picture, and would flicker. */
static void
on_frame (TlView *view)
{
  const TlScanSummary *scan = tl_session_get_summary (view->session);

  if (tl_session_shows_preview (view->session))
    return;
  change_kind (view, tl_session_shows_differences (view->session));
  if (view->is_of_differences)
    {
      follow_picture (view, AUTO_LOW, AUTO_HIGH);
      return;
    }
  if (g_strcmp0 (view->scan_path, scan->path) != 0)
    {
      g_free (view->scan_path);
      view->scan_path = g_strdup (scan->path);
    }
  else if (!view->auto_window)
    return;
  follow_picture (view, AUTO_LOW, AUTO_HIGH);
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

/* That of the slices: a look at the differences leaves it as it is. */
static void
end_auto_window (TlView *view)
{
  if (!view->is_of_differences)
    tl_view_set_auto_window (view, FALSE);
}

void
tl_view_set_window (TlView *view, double low, double high)
{
  end_auto_window (view);
  change_window (view, low, high);
}

void
tl_view_set_percentiles (TlView *view, double f_low, double f_high)
{
  end_auto_window (view);
  follow_picture (view, f_low, f_high);
}

void
tl_view_set_auto_percentiles (TlView *view)
{
  tl_view_set_percentiles (view, AUTO_LOW, AUTO_HIGH);
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
    follow_picture (view, AUTO_LOW, AUTO_HIGH);
  set_boolean (view, &view->auto_window, auto_window, PROP_AUTO_WINDOW);
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

/* -- on the way to the screen --------------------------------------------- */

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
  g_object_set (view->session, "fetch", !interop, NULL);
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

/* -- the object ----------------------------------------------------------- */

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
tl_view_finalize (GObject *object)
{
  TlView *view = TL_VIEW (object);

  g_clear_object (&view->session);
  g_free (view->scan_path);
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

  object_class->get_property = tl_view_get_property;
  object_class->finalize = tl_view_finalize;

  properties[PROP_LOW] = g_param_spec_double ("low", NULL, NULL, -G_MAXDOUBLE,
                                              G_MAXDOUBLE, 0, flags);
  properties[PROP_HIGH] = g_param_spec_double ("high", NULL, NULL, -G_MAXDOUBLE,
                                               G_MAXDOUBLE, 1, flags);
  properties[PROP_AUTO_WINDOW] =
      g_param_spec_boolean ("auto-window", NULL, NULL, FALSE, flags);
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
}

TlView *
tl_view_new (TlSession *session)
{
  TlView *view = g_object_new (TL_TYPE_VIEW, NULL);

  view->session = g_object_ref (session);
  g_signal_connect_object (session, "notify::frame", G_CALLBACK (on_frame),
                           view, G_CONNECT_SWAPPED);
  return view;
}

TlSession *
tl_view_get_session (TlView *view)
{
  return view->session;
}
