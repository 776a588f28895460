#include "app/planes/planes.h"

#include "app/resident/resident.h"
#include "app/session/follow.h"

#include <math.h>
#include <string.h>

#define KEY "tl-planes"

struct _TlPlanes
{
  GObject parent;
  TlSession
      *session; /* (nullable): a weak pointer: the session owns the planes */
  TlAim aim;
  double density;
  char *scan; /* (nullable): that the aim belongs to */

  TlResident *resident; /* (nullable): while planes are shown */
  TlHeldBudget *budget; /* (nullable): of resident */
  guint64 scan_serial;  /* that resident belongs to */
};

G_DEFINE_FINAL_TYPE (TlPlanes, tl_planes, G_TYPE_OBJECT)

static guint changed_signal;

enum
{
  PROP_PROGRESS = 1,
  N_PROPS
};

static GParamSpec *props[N_PROPS];

const TlAim *
tl_planes_get_aim (TlPlanes *planes)
{
  g_return_val_if_fail (TL_IS_PLANES (planes), NULL);
  return &planes->aim;
}

/* The display makes the planes only while they are shown, and only if they are
 * others than before. */
static void
send (TlPlanes *planes)
{
  TlPlane wanted[TL_N_PANES];
  for (TlPane pane = 0; pane < TL_N_PANES; pane++)
    wanted[pane] = tl_aim_find_plane (&planes->aim, pane, planes->density);
  tl_display_set_planes (planes->session->display, wanted);
}

/* Lets the slice of the recipe follow the cross. */
static void
send_slice (TlPlanes *planes)
{
  TlParameters *parameters = planes->session->parameters;
  const guint slice = (guint)rint (planes->aim.cross[2]);
  if (planes->aim.grid.nx > 0 && slice != tl_parameters_get_slice (parameters))
    tl_parameters_set_slice (parameters, slice);
}

void
tl_planes_set_aim (TlPlanes *planes, const TlAim *aim)
{
  g_return_if_fail (TL_IS_PLANES (planes) && aim != NULL);
  if (planes->session == NULL || tl_aim_equal (&planes->aim, aim))
    return;
  planes->aim = *aim;
  send (planes);
  send_slice (planes);
  g_signal_emit (planes, changed_signal, 0);
}

void
tl_planes_set_density (TlPlanes *planes, double density)
{
  g_return_if_fail (TL_IS_PLANES (planes) && density > 0);
  if (planes->density == density || planes->session == NULL)
    return;
  planes->density = density;
  send (planes);
}

const TlPlaneSet *
tl_planes_get_set (TlPlanes *planes)
{
  g_return_val_if_fail (TL_IS_PLANES (planes), NULL);
  g_return_val_if_fail (planes->session != NULL, NULL);
  return &tl_display_get_shown_view (planes->session->display,
                                     TL_PICTURE_PLANES)
              ->planes;
}

const TlComparedPlanes *
tl_planes_get_compared (TlPlanes *planes)
{
  g_return_val_if_fail (TL_IS_PLANES (planes), NULL);
  g_return_val_if_fail (planes->session != NULL, NULL);
  return tl_slice_comparison_get_planes (planes->session->comparison);
}

/* @set: with the frame of @pane */
static gboolean
read_plane (const TlPlaneSet *set, TlPane pane, const double *place,
            float *value)
{
  double at[2] = { 0, 0 }, square = 0;
  const TlPlane *plane = &set->planes[pane];
  for (guint k = 0; k < 3; k++)
    {
      at[0] += (place[k] - plane->origin[k]) * plane->u[k];
      at[1] += (place[k] - plane->origin[k]) * plane->v[k];
      square += plane->u[k] * plane->u[k];
    }
  const double col = rint (at[0] / square), row = rint (at[1] / square);
  return col >= 0 && row >= 0 && col < (double)plane->nx
         && row < (double)plane->ny
         && tl_frame_read_pixel (set->frames[pane], 0, (size_t)row, (size_t)col,
                                 value, NULL);
}

gboolean
tl_planes_read (TlPlanes *planes, TlPane pane, const double *place,
                float *value)
{
  g_return_val_if_fail (TL_IS_PLANES (planes) && pane < TL_N_PANES, FALSE);
  const TlPlaneSet *set =
      planes->session != NULL ? tl_planes_get_set (planes) : NULL;
  return set != NULL && set->frames[pane] != NULL
         && read_plane (set, pane, place, value);
}

gboolean
tl_planes_read_compared (TlPlanes *planes, TlPane pane, const double *place,
                         float *a, float *b)
{
  g_return_val_if_fail (TL_IS_PLANES (planes) && pane < TL_N_PANES, FALSE);
  const TlPlaneSet *held =
      planes->session != NULL ? &tl_planes_get_compared (planes)->held : NULL;
  return held != NULL && held->frames[pane] != NULL
         && read_plane (held, pane, place, a)
         && tl_planes_read (planes, pane, place, b);
}

/* Returns: the differences while they are shown, or else what was made last */
static const TlPlaneSet *
find_shown_set (TlPlanes *planes)
{
  return tl_slice_comparison_get_shown_mode (planes->session->comparison)
                 == TL_COMPARE_DIFFERENCE
             ? &tl_planes_get_compared (planes)->difference
             : tl_planes_get_set (planes);
}

static gboolean
get_pixels (TlPlanes *planes, const TlPlaneSet *set, TlPane pane,
            TlPixels *pixels)
{
  double col = 0, row = 0, square = 0;
  if (set->frames[pane] == NULL)
    return FALSE;
  const TlPlane *plane = &set->planes[pane];
  const double slice_pitch = planes->aim.grid.pitch;
  for (guint k = 0; k < 3; k++)
    {
      col += plane->origin[k] * plane->u[k];
      row += plane->origin[k] * plane->v[k];
      square += plane->u[k] * plane->u[k];
    }
  const double pitch = sqrt (square);
  *pixels = (TlPixels){
    .values = tl_frame_get_pixels (set->frames[pane]),
    .n_rows = tl_frame_get_n_rows (set->frames[pane]),
    .n_cols = tl_frame_get_n_cols (set->frames[pane]),
    .row = row / (pitch * slice_pitch),
    .col = col / (pitch * slice_pitch),
    .pitch = pitch / slice_pitch,
  };
  return pixels->values != NULL;
}

gboolean
tl_planes_get_pixels (TlPlanes *planes, TlPane pane, TlPixels *pixels)
{
  g_return_val_if_fail (TL_IS_PLANES (planes) && pane < TL_N_PANES, FALSE);
  return planes->session != NULL
         && get_pixels (planes, find_shown_set (planes), pane, pixels);
}

gboolean
tl_planes_get_held_pixels (TlPlanes *planes, TlPane pane, TlPixels *pixels)
{
  g_return_val_if_fail (TL_IS_PLANES (planes) && pane < TL_N_PANES, FALSE);
  return planes->session != NULL
         && get_pixels (planes, &tl_planes_get_compared (planes)->held, pane,
                        pixels);
}

/* --- the memory --- */

static guint64
count_set_bytes (const TlPlaneSet *set)
{
  guint64 n_bytes = 0;
  for (TlPane pane = 0; pane < TL_N_PANES; pane++)
    if (set->frames[pane] != NULL)
      n_bytes += tl_frame_get_n_rows (set->frames[pane])
                 * tl_frame_get_n_cols (set->frames[pane]) * sizeof (float);
  return n_bytes;
}

guint64
tl_planes_count_bytes (TlPlanes *planes)
{
  g_return_val_if_fail (TL_IS_PLANES (planes), 0);
  const guint64 n_bytes =
      planes->budget != NULL ? tl_held_budget_get_taken (planes->budget) : 0;
  if (planes->session == NULL)
    return n_bytes;
  const TlComparedPlanes *compared = tl_planes_get_compared (planes);
  return n_bytes + count_set_bytes (tl_planes_get_set (planes))
         + count_set_bytes (&compared->held)
         + count_set_bytes (&compared->difference);
}

/* While they are not shown, the volume may hold memory. */
static void
note_bytes (TlPlanes *planes)
{
  if (planes->session != NULL && planes->scan_serial != 0)
    tl_display_set_held_bytes (planes->session->display,
                               tl_planes_count_bytes (planes));
}

/* --- the projections in bins --- */

static void
send_levels (TlPlanes *planes)
{
  TlPlaneLevel levels[TL_MAX_PLANE_LEVELS];
  TlResident *resident = planes->resident;
  guint n = 0;
  gboolean is_busy = FALSE;
  TlHeldCopy *copy;
  if (resident != NULL)
    g_object_get (resident, "busy", &is_busy, NULL);
  while (resident != NULL && n < TL_MAX_PLANE_LEVELS
         && (copy = tl_resident_get_level (resident, n)) != NULL)
    {
      levels[n] = (TlPlaneLevel){ copy, tl_resident_get_bin (resident, n) };
      n++;
    }
  tl_display_set_plane_levels (planes->session->display, levels, n,
                               is_busy && n == 0);
}

static void
on_loaded (TlPlanes *planes)
{
  if (planes->session != NULL)
    send_levels (planes);
}

static void
on_progress (TlPlanes *planes)
{
  note_bytes (planes);
  g_object_notify_by_pspec (G_OBJECT (planes), props[PROP_PROGRESS]);
}

static void
on_problem (TlPlanes *planes)
{
  if (planes->session != NULL)
    tl_messages_warn (planes->session->messages, FALSE, "%s",
                      tl_resident_get_problem (planes->resident));
}

static void
follow (TlPlanes *planes)
{
  TlResident *resident = planes->resident;
  tl_follow (resident, "n-loaded busy", G_CALLBACK (on_loaded), planes);
  tl_follow (resident, "progress", G_CALLBACK (on_progress), planes);
  tl_follow (resident, "problem", G_CALLBACK (on_problem), planes);
}

/* Loads levels of 2, 4, 8 … times larger pixels, the coarsest one first: it is
 * small enough for a drag. A scan that is so itself needs no levels. */
static void
load (TlPlanes *planes)
{
  TlSession *session = planes->session;
  const TlScanSummary *scan = tl_scan_source_get_summary (session->source);
  const TlRecipe *recipe = tl_parameters_get_recipe (session->parameters);
  const double n_samples =
      (double)scan->n_projections * (double)scan->n_rows * (double)scan->n_cols;
  const double limit = tl_display_count_drag_samples (session->display);
  guint bins[TL_MAX_PLANE_LEVELS], n = 0, ratio = 1;
  while (n_samples > limit * pow (ratio, 3)
         && recipe->bin * ratio * 2 <= TL_MAX_BIN)
    ratio *= 2;
  for (; ratio > 1 && n < G_N_ELEMENTS (bins); ratio /= 2)
    bins[n++] = recipe->bin * ratio;
  planes->scan_serial = tl_scan_source_get_serial (session->source);
  if (n == 0 || tl_scan_source_is_held (session->source))
    {
      send_levels (planes);
      return;
    }
  planes->budget = tl_held_budget_new (tl_held_budget_get_usual ());
  planes->resident =
      tl_resident_new (scan->path, NULL, recipe, bins, n, planes->budget);
  follow (planes);
  send_levels (planes);
  on_progress (planes);
}

static void
give_back (TlPlanes *planes)
{
  if (planes->resident != NULL)
    g_signal_handlers_disconnect_by_data (planes->resident, planes);
  g_clear_object (&planes->resident);
  g_clear_pointer (&planes->budget, tl_held_budget_unref);
  note_bytes (planes);
  planes->scan_serial = 0;
}

/* Loads the levels while planes are shown, and gives them back afterwards. */
static void
on_picture (TlPlanes *planes)
{
  TlSession *session = planes->session;
  if (session == NULL || !tl_scan_source_is_open (session->source))
    return;
  const gboolean is_shown =
      tl_display_get_picture (session->display) == TL_PICTURE_PLANES;
  const guint64 serial = tl_scan_source_get_serial (session->source);
  if (planes->scan_serial != 0 && (!is_shown || planes->scan_serial != serial))
    {
      give_back (planes);
      send_levels (planes);
      on_progress (planes);
    }
  if (is_shown && planes->scan_serial == 0)
    load (planes);
}

double
tl_planes_get_progress (TlPlanes *planes)
{
  g_return_val_if_fail (TL_IS_PLANES (planes), 1);
  double progress = 1;
  if (planes->resident != NULL)
    g_object_get (planes->resident, "progress", &progress, NULL);
  return progress;
}

/* Takes over what has changed in the scan or the recipe: the size of the
 * sample, and the slice, unless it comes from the cross. */
static void
on_recipe (TlPlanes *planes)
{
  TlSession *session = planes->session;
  const TlScanSummary *scan =
      session != NULL ? tl_scan_source_get_summary (session->source) : NULL;
  if (scan == NULL)
    return;
  on_picture (planes);
  const TlRecipe *recipe = tl_parameters_get_recipe (session->parameters);
  TlAim aim = planes->aim;
  if (g_strcmp0 (planes->scan, scan->path) != 0)
    {
      g_free (planes->scan);
      planes->scan = g_strdup (scan->path);
      aim.n_rows = 0;
    }
  tl_aim_set_sample (&aim, &recipe->params.grid, scan->n_rows);
  if (rint (aim.cross[2]) != (double)recipe->slice)
    {
      aim.cross[2] = (double)recipe->slice;
      tl_aim_move_cross (&aim, aim.cross);
    }
  tl_planes_set_aim (planes, &aim);
}

/* --- the object --- */

static void
tl_planes_get_property (GObject *object, guint prop, GValue *value,
                        GParamSpec *pspec)
{
  g_value_set_double (value, tl_planes_get_progress (TL_PLANES (object)));
}

static void
tl_planes_finalize (GObject *object)
{
  TlPlanes *planes = TL_PLANES (object);
  give_back (planes);
  g_clear_weak_pointer (&planes->session);
  g_free (planes->scan);
  G_OBJECT_CLASS (tl_planes_parent_class)->finalize (object);
}

static void
tl_planes_class_init (TlPlanesClass *klass)
{
  const GParamFlags read =
      G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;
  G_OBJECT_CLASS (klass)->finalize = tl_planes_finalize;
  G_OBJECT_CLASS (klass)->get_property = tl_planes_get_property;
  props[PROP_PROGRESS] =
      g_param_spec_double ("progress", NULL, NULL, 0, 1, 1, read);
  g_object_class_install_properties (G_OBJECT_CLASS (klass), N_PROPS, props);
  changed_signal = g_signal_new ("changed", TL_TYPE_PLANES, G_SIGNAL_RUN_LAST,
                                 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
tl_planes_init (TlPlanes *planes)
{
  tl_aim_init (&planes->aim);
  planes->density = 1;
}

TlPlanes *
tl_session_get_planes (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), NULL);
  TlPlanes *planes = g_object_get_data (G_OBJECT (session), KEY);
  if (planes != NULL)
    return planes;
  planes = g_object_new (TL_TYPE_PLANES, NULL);
  g_object_set_data_full (G_OBJECT (session), KEY, planes, g_object_unref);
  g_set_weak_pointer (&planes->session, session);
  tl_follow (session->parameters, "recipe", G_CALLBACK (on_recipe), planes);
  tl_follow (session->source, "path", G_CALLBACK (on_recipe), planes);
  tl_follow (session->display, "picture", G_CALLBACK (on_picture), planes);
  tl_follow (session->display, "frame", G_CALLBACK (note_bytes), planes);
  on_recipe (planes);
  on_picture (planes);
  return planes;
}
