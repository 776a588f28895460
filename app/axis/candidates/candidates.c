#include "app/axis/candidates/candidates.h"

#include "app/axis/candidates/candidates-private.h"

#include <math.h>
#include <string.h>

#define KEY "tl-candidates"

#define DEFAULT_N 9
#define DEFAULT_STEP 0.5

/* Columns: centres that differ by less count as the same. */
#define SAME_COL 1e-6

const char *const tl_candidates_region_names[TL_N_CANDIDATES_REGIONS + 1] = {
  [TL_CANDIDATES_WHOLE] = "whole",
  [TL_CANDIDATES_VISIBLE] = "visible",
};

enum
{
  PROP_0,
  PROP_N,
  PROP_STEP,
  PROP_MIDDLE,
  PROP_REGION,
  PROP_METRIC,
  PROP_BEST,
  PROP_CHOSEN,
  PROP_PROGRESS,
  PROP_BUSY,
  N_PROPS
};

static GParamSpec *props[N_PROPS];
static guint changed_signal;

G_DEFINE_FINAL_TYPE (TlCandidates, tl_candidates, G_TYPE_OBJECT)

/* --- what the files share --- */

void
tl_candidates_free_tiles (TlCandidateTile *tiles, guint n)
{
  for (guint k = 0; tiles != NULL && k < n; k++)
    tl_candidate_result_clear (&tiles[k].result);
  g_free (tiles);
}

void
tl_candidates_emit (TlCandidates *self, guint index)
{
  g_signal_emit (self, changed_signal, 0, index);
}

static void
notify (TlCandidates *self, guint prop)
{
  g_object_notify_by_pspec (G_OBJECT (self), props[prop]);
}

void
tl_candidates_find_chosen (TlCandidates *self)
{
  const double centre_col =
      tl_parameters_get_centre (self->session->parameters);
  int chosen = -1;
  for (guint k = 0; k < self->n; k++)
    if (fabs (self->tiles[k].shown.centre_col - centre_col) < SAME_COL)
      chosen = (int)k;
  if (self->chosen == chosen)
    return;
  self->chosen = chosen;
  notify (self, PROP_CHOSEN);
}

static gboolean
is_busy (TlCandidates *self)
{
  return self->n_done < self->n_steps;
}

void
tl_candidates_take_progress (TlCandidates *self, guint n_steps, guint n_done)
{
  const gboolean was_busy = is_busy (self);
  self->n_steps = n_steps;
  self->n_done = n_done;
  notify (self, PROP_PROGRESS);
  if (is_busy (self) != was_busy)
    notify (self, PROP_BUSY);
}

void
tl_candidates_take_best (TlCandidates *self, int best)
{
  if (self->best == best)
    return;
  self->best = best;
  notify (self, PROP_BEST);
}

/* --- where they are --- */

void
tl_candidates_take_step (TlCandidates *self, double step_col)
{
  if (self->step_col == step_col)
    return;
  self->step_col = step_col;
  notify (self, PROP_STEP);
}

void
tl_candidates_take_middle (TlCandidates *self, double middle_col)
{
  if (self->middle_col == middle_col)
    return;
  self->middle_col = middle_col;
  notify (self, PROP_MIDDLE);
}

guint
tl_candidates_get_n (TlCandidates *self)
{
  g_return_val_if_fail (TL_IS_CANDIDATES (self), 0);
  return self->n;
}

/* Returns: the new index of candidate @index when their number changes from
 * @n_old to @n; -1: it is dropped */
static int
move_index (int index, guint n_old, guint n)
{
  const int moved = index - (int)(n_old / 2) + (int)(n / 2);
  return index >= 0 && moved >= 0 && moved < (int)n ? moved : -1;
}

void
tl_candidates_set_n (TlCandidates *self, guint n)
{
  g_return_if_fail (TL_IS_CANDIDATES (self));
  n = CLAMP (n, 1, TL_CANDIDATES_MAX);
  if (self->n == n)
    return;
  TlCandidateTile *tiles = g_new0 (TlCandidateTile, n);
  /* The middle candidate keeps its tile. */
  for (guint k = 0; k < n; k++)
    {
      const guint old = k + self->n / 2 - n / 2;
      tiles[k].shown.centre_col = self->middle_col;
      tiles[k].shown.value = NAN;
      if (old < self->n)
        {
          tiles[k] = self->tiles[old];
          self->tiles[old] = (TlCandidateTile){ 0 };
        }
    }
  tl_candidates_free_tiles (self->tiles, self->n);
  self->tiles = tiles;
  const int best = self->best, chosen = self->chosen;
  self->best = move_index (best, self->n, n);
  self->chosen = move_index (chosen, self->n, n);
  self->n = n;
  self->is_moved = TRUE;
  notify (self, PROP_N);
  if (self->best != best)
    notify (self, PROP_BEST);
  if (self->chosen != chosen)
    notify (self, PROP_CHOSEN);
  tl_candidates_update (self);
}

double
tl_candidates_get_step (TlCandidates *self)
{
  g_return_val_if_fail (TL_IS_CANDIDATES (self), 0);
  return self->step_col;
}

double
tl_candidates_get_middle (TlCandidates *self)
{
  g_return_val_if_fail (TL_IS_CANDIDATES (self), 0);
  return self->middle_col;
}

/* --- what is made of them --- */

TlCandidatesRegion
tl_candidates_get_region (TlCandidates *self)
{
  g_return_val_if_fail (TL_IS_CANDIDATES (self), TL_CANDIDATES_WHOLE);
  return self->region;
}

void
tl_candidates_set_region (TlCandidates *self, TlCandidatesRegion region)
{
  g_return_if_fail (TL_IS_CANDIDATES (self));
  g_return_if_fail ((guint)region < TL_N_CANDIDATES_REGIONS);
  if (self->region == region)
    return;
  self->region = region;
  notify (self, PROP_REGION);
  tl_candidates_update (self);
}

TlCandidateMetric
tl_candidates_get_metric (TlCandidates *self)
{
  g_return_val_if_fail (TL_IS_CANDIDATES (self), TL_CANDIDATE_COMBINED);
  return self->metric;
}

void
tl_candidates_set_metric (TlCandidates *self, TlCandidateMetric metric)
{
  g_return_if_fail (TL_IS_CANDIDATES (self));
  g_return_if_fail ((guint)metric < TL_N_CANDIDATE_METRICS);
  if (self->metric == metric)
    return;
  self->metric = metric;
  notify (self, PROP_METRIC);
  tl_candidates_rate_tiles (self);
}

void
tl_candidates_set_visible (TlCandidates *self, const TlVisible *visible)
{
  g_return_if_fail (TL_IS_CANDIDATES (self) && visible != NULL);
  const TlVisible *old = &self->visible;
  if (old->row == visible->row && old->col == visible->col
      && old->pitch == visible->pitch && old->n_rows == visible->n_rows
      && old->n_cols == visible->n_cols)
    return;
  self->visible = *visible;
  tl_candidates_update (self);
}

int
tl_candidates_get_best (TlCandidates *self)
{
  g_return_val_if_fail (TL_IS_CANDIDATES (self), -1);
  return self->best;
}

int
tl_candidates_get_chosen (TlCandidates *self)
{
  g_return_val_if_fail (TL_IS_CANDIDATES (self), -1);
  return self->chosen;
}

gboolean
tl_candidates_metric_tells (TlCandidates *self)
{
  g_return_val_if_fail (TL_IS_CANDIDATES (self), TRUE);
  for (guint k = 0; k < self->n; k++)
    if (self->tiles[k].result.is_judged)
      return tl_candidate_metric_tells (self->metric,
                                        self->tiles[k].result.rays);
  return TRUE;
}

const TlCandidate *
tl_candidates_get (TlCandidates *self, guint index)
{
  g_return_val_if_fail (TL_IS_CANDIDATES (self) && index < self->n, NULL);
  return &self->tiles[index].shown;
}

size_t
tl_candidates_get_slice_size (TlCandidates *self)
{
  g_return_val_if_fail (TL_IS_CANDIDATES (self), 0);
  return self->slice_size;
}

/* --- the object --- */

static void
tl_candidates_set_property (GObject *object, guint prop, const GValue *value,
                            GParamSpec *pspec)
{
  TlCandidates *self = TL_CANDIDATES (object);
  switch (prop)
    {
    case PROP_N:
      tl_candidates_set_n (self, g_value_get_uint (value));
      break;
    case PROP_STEP:
      tl_candidates_set_step (self, g_value_get_double (value));
      break;
    case PROP_MIDDLE:
      tl_candidates_set_middle (self, g_value_get_double (value));
      break;
    case PROP_REGION:
      tl_candidates_set_region (self, g_value_get_uint (value));
      break;
    case PROP_METRIC:
      tl_candidates_set_metric (self, g_value_get_uint (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop, pspec);
    }
}

static void
tl_candidates_get_property (GObject *object, guint prop, GValue *value,
                            GParamSpec *pspec)
{
  TlCandidates *self = TL_CANDIDATES (object);
  switch (prop)
    {
    case PROP_N:
      g_value_set_uint (value, self->n);
      break;
    case PROP_STEP:
      g_value_set_double (value, self->step_col);
      break;
    case PROP_MIDDLE:
      g_value_set_double (value, self->middle_col);
      break;
    case PROP_REGION:
      g_value_set_uint (value, self->region);
      break;
    case PROP_METRIC:
      g_value_set_uint (value, self->metric);
      break;
    case PROP_BEST:
      g_value_set_int (value, self->best);
      break;
    case PROP_CHOSEN:
      g_value_set_int (value, self->chosen);
      break;
    case PROP_PROGRESS:
      g_value_set_double (
          value, is_busy (self) ? (double)self->n_done / self->n_steps : 1);
      break;
    case PROP_BUSY:
      g_value_set_boolean (value, is_busy (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop, pspec);
    }
}

static void
tl_candidates_finalize (GObject *object)
{
  TlCandidates *self = TL_CANDIDATES (object);
  g_clear_weak_pointer (&self->session);
  tl_candidates_free_tiles (self->tiles, self->n);
  g_free (self->wanted);
  G_OBJECT_CLASS (tl_candidates_parent_class)->finalize (object);
}

static void
tl_candidates_class_init (TlCandidatesClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags read =
      G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;
  const GParamFlags write = read | G_PARAM_WRITABLE;
  object_class->set_property = tl_candidates_set_property;
  object_class->get_property = tl_candidates_get_property;
  object_class->finalize = tl_candidates_finalize;

  props[PROP_N] = g_param_spec_uint ("n", NULL, NULL, 1, TL_CANDIDATES_MAX,
                                     DEFAULT_N, write);
  props[PROP_STEP] =
      g_param_spec_double ("step", NULL, NULL, TL_CANDIDATES_MIN_STEP,
                           TL_CANDIDATES_MAX_STEP, DEFAULT_STEP, write);
  props[PROP_MIDDLE] = g_param_spec_double ("middle", NULL, NULL, -G_MAXDOUBLE,
                                            G_MAXDOUBLE, 0, write);
  props[PROP_REGION] =
      g_param_spec_uint ("region", NULL, NULL, 0, TL_N_CANDIDATES_REGIONS - 1,
                         TL_CANDIDATES_WHOLE, write);
  props[PROP_METRIC] =
      g_param_spec_uint ("metric", NULL, NULL, 0, TL_N_CANDIDATE_METRICS - 1,
                         TL_CANDIDATE_COMBINED, write);
  props[PROP_BEST] = g_param_spec_int ("best", NULL, NULL, -1,
                                       TL_CANDIDATES_MAX - 1, -1, read);
  props[PROP_CHOSEN] = g_param_spec_int ("chosen", NULL, NULL, -1,
                                         TL_CANDIDATES_MAX - 1, -1, read);
  props[PROP_PROGRESS] =
      g_param_spec_double ("progress", NULL, NULL, 0, 1, 1, read);
  props[PROP_BUSY] = g_param_spec_boolean ("busy", NULL, NULL, FALSE, read);
  g_object_class_install_properties (object_class, N_PROPS, props);

  changed_signal =
      g_signal_new ("changed", TL_TYPE_CANDIDATES, G_SIGNAL_RUN_LAST, 0, NULL,
                    NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
}

static void
tl_candidates_init (TlCandidates *self)
{
  self->n = DEFAULT_N;
  self->step_col = DEFAULT_STEP;
  self->best = self->chosen = -1;
  self->tiles = g_new0 (TlCandidateTile, self->n);
  for (guint k = 0; k < self->n; k++)
    self->tiles[k].shown.value = NAN;
}

TlCandidates *
tl_session_get_candidates (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), NULL);
  TlCandidates *self = g_object_get_data (G_OBJECT (session), KEY);
  if (self != NULL)
    return self;
  self = g_object_new (TL_TYPE_CANDIDATES, NULL);
  g_set_weak_pointer (&self->session, session);
  g_object_set_data_full (G_OBJECT (session), KEY, self, g_object_unref);
  g_signal_connect_object (session->display, "notify::picture",
                           G_CALLBACK (tl_candidates_update), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session->parameters, "notify::recipe",
                           G_CALLBACK (tl_candidates_update), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session->source, "notify::summary",
                           G_CALLBACK (tl_candidates_update), self,
                           G_CONNECT_SWAPPED);
  tl_candidates_update (self);
  return self;
}
