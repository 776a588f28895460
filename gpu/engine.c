#include "gpu/engine.h"

#include "data/array.h"
#include "data/error.h"
#include "gpu/engine-private.h"

#include <math.h>
#include <string.h>

/* The first stage that has to run again when a part of the wish changes. */
typedef struct
{
  size_t offset, size;
  TlStage first;
} Dependence;

#define DEPENDENCE(member, first)                                              \
  {                                                                            \
    offsetof (TlWish, member), sizeof (((TlWish *)NULL)->member), first        \
  }

static const Dependence dependences[] = {
  DEPENDENCE (params.flat_field, TL_STAGE_CORRECT),
  DEPENDENCE (params.minus_log, TL_STAGE_CORRECT),
  DEPENDENCE (params.phase.on, TL_STAGE_CORRECT), /* the -log is then later */
  DEPENDENCE (zinger_excess, TL_STAGE_ZINGERS),
  DEPENDENCE (phase_scale, TL_STAGE_PHASE),
  DEPENDENCE (rings.rings, TL_STAGE_RINGS),
  DEPENDENCE (rings.ring_size, TL_STAGE_RINGS),
  DEPENDENCE (rings.ring_levels, TL_STAGE_RINGS),
  DEPENDENCE (rings.ring_sigma, TL_STAGE_RINGS),
  DEPENDENCE (params.padding, TL_STAGE_TRANSFORM),
  DEPENDENCE (params.half, TL_STAGE_TRANSFORM),
  DEPENDENCE (half_centre_col, TL_STAGE_TRANSFORM),
  DEPENDENCE (half_feather_cols, TL_STAGE_TRANSFORM),
  DEPENDENCE (transform, TL_STAGE_TRANSFORM),
  DEPENDENCE (params.filter, TL_STAGE_FILTER),
  DEPENDENCE (params.cutoff, TL_STAGE_FILTER),
  DEPENDENCE (params.band_limit, TL_STAGE_FILTER),
  DEPENDENCE (params.butterworth_order, TL_STAGE_FILTER),
  DEPENDENCE (shift_cols, TL_STAGE_FILTER),
  DEPENDENCE (variant, TL_STAGE_FILTER), /* the layout of the rows is its own */
  /* a fold's rows are mirrored about the axis */
  DEPENDENCE (fold_serial, TL_STAGE_FILTER),
  DEPENDENCE (fold_axis_col, TL_STAGE_FILTER),
  DEPENDENCE (axis_col, TL_STAGE_BACKPROJECT),
  DEPENDENCE (params.grid, TL_STAGE_BACKPROJECT),
};

/* Returns: the first stage to run for @wanted after @done; the last one where
 * nothing changed, for a frame has to be made. */
static TlStage
compare_wishes (const TlWish *done, const TlWish *wanted)
{
  TlStage first = TL_STAGE_BACKPROJECT;

  for (size_t i = 0; i < G_N_ELEMENTS (dependences); i++)
    {
      const Dependence *d = &dependences[i];

      if (memcmp ((const char *)done + d->offset,
                  (const char *)wanted + d->offset, d->size)
          != 0)
        first = MIN (first, d->first);
    }
  return first;
}

/* --- opening and closing --- */

TlEngine *
tl_engine_open_backend (const TlBackend *backend, guint device,
                        const char *description, GError **error)
{
  const gpointer impl = backend->open (device, error);
  g_autofree char *driver = NULL;
  TlEngine *engine;

  if (impl == NULL)
    return NULL;
  if (backend->dup_driver != NULL)
    driver = backend->dup_driver ();
  engine = g_new0 (TlEngine, 1);
  engine->owner = g_thread_self ();
  engine->backend = backend;
  engine->impl = impl;
  engine->device = g_strdup (description);
  engine->machine = g_strjoin ("; ", description, driver, NULL);
  engine->tuning = tl_tuning_load (backend->name, engine->machine);
  tl_fallback_init (&engine->fallback);
  tl_fallback_init (&engine->coarse_fallback);
  return engine;
}

static void
forget_block (TlEngine *engine)
{
  engine->n_projections = engine->n_rows = engine->n_cols = 0;
  engine->corrected = FALSE;
  g_clear_pointer (&engine->weights, g_free);
  g_clear_pointer (&engine->turn_weights, g_free);
  g_clear_pointer (&engine->col_weights, g_free);
  g_clear_pointer (&engine->dead, tl_dead_pixels_free);
  g_clear_pointer (&engine->folds, tl_folds_free);
}

void
tl_engine_close (TlEngine *engine)
{
  g_return_if_fail (engine != NULL);
  g_assert (engine->owner == g_thread_self ());

  engine->backend->close (engine->impl);
  forget_block (engine);
  tl_fallback_clear (&engine->fallback);
  tl_fallback_clear (&engine->coarse_fallback);
  tl_tuning_free (engine->tuning);
  g_free (engine->machine);
  tl_kept_response_clear (&engine->response);
  tl_phase_filter_clear (&engine->phase);
  g_free (engine->device);
  g_free (engine);
}

/* --- loading --- */

/* Makes what is kept of @block here, and uploads the rest. */
static gboolean
take_block (TlEngine *engine, const TlBlock *block, GError **error)
{
  const double *angles_rad = block->angles_rad;
  const size_t n = block->n_projections;

  engine->weights = tl_filter_weights (angles_rad, n, FALSE, error);
  if (engine->weights == NULL)
    return FALSE;
  if (tl_angles_cover_turn (angles_rad, n))
    {
      engine->turn_weights = tl_filter_weights (angles_rad, n, TRUE, error);
      if (engine->turn_weights == NULL)
        return FALSE;
    }
  engine->dead = tl_dead_pixels_new (block, error);
  if (engine->dead == NULL)
    return FALSE;
  engine->folds = tl_folds_new (angles_rad, n, error);
  if (engine->folds == NULL)
    return FALSE;
  engine->n_runs[TL_STAGE_UPLOAD]++;
  return engine->backend->upload (engine->impl, block, engine->dead, error);
}

gboolean
tl_engine_load (TlEngine *engine, const TlBlock *block, GError **error)
{
  size_t n_rows;

  g_return_val_if_fail (engine != NULL, FALSE);
  g_assert (engine->owner == g_thread_self ());
  g_return_val_if_fail (block != NULL, FALSE);
  g_return_val_if_fail (block->n_projections > 0, FALSE);
  g_return_val_if_fail (block->n_above < block->n_rows, FALSE);
  g_return_val_if_fail (block->n_below < block->n_rows - block->n_above, FALSE);
  g_return_val_if_fail (block->n_cols > 0, FALSE);
  g_return_val_if_fail ((guint)block->type < TL_N_SAMPLE_TYPES, FALSE);
  g_return_val_if_fail (block->samples != NULL, FALSE);
  g_return_val_if_fail (block->angles_rad != NULL, FALSE);
  g_return_val_if_fail (block->flat_first != NULL || block->flat_last == NULL,
                        FALSE);

  /* what was too large may not be any more */
  n_rows = block->n_rows - block->n_above - block->n_below;
  if (block->n_projections != engine->n_projections || n_rows != engine->n_rows
      || block->n_cols != engine->n_cols)
    {
      tl_fallback_forget (&engine->fallback);
      tl_fallback_forget (&engine->coarse_fallback);
    }
  forget_block (engine);
  if (!take_block (engine, block, error))
    {
      forget_block (engine);
      return FALSE;
    }

  engine->total_dead += engine->dead->n_dead;
  engine->n_projections = block->n_projections;
  engine->n_rows = n_rows;
  engine->n_cols = block->n_cols;
  engine->has_flat = block->flat_first != NULL;
  engine->next = TL_STAGE_CORRECT;
  return TRUE;
}

/* --- reconstructing --- */

/* What is switched off is 0. */
static TlRingsArgs
make_rings_args (const TlParams *params)
{
  const gboolean sorting = params->rings == TL_RINGS_SORTING;
  const gboolean wavelet = params->rings == TL_RINGS_WAVELET;

  return (TlRingsArgs){
    .rings = params->rings,
    .ring_size = sorting ? params->ring_size : 0,
    .ring_levels = wavelet ? params->ring_levels : 0,
    .ring_sigma = wavelet ? params->ring_sigma : 0.0,
  };
}

static TlFallback *
find_fallback (TlEngine *engine, const TlParams *params)
{
  return params->grid.pitch > 1.0 ? &engine->coarse_fallback
                                  : &engine->fallback;
}

static gboolean
make_wish (TlEngine *engine, const TlParams *params, TlWish *wish,
           GError **error)
{
  const TlChooser chooser = {
    .backend = engine->backend,
    .forced = engine->forced,
    .tuning = engine->tuning,
    .folds = engine->folds,
  };
  TlFallback *fallback = find_fallback (engine, params);
  TlChoice choice;

  if (!tl_params_check (params, engine->n_cols, error))
    return FALSE;
  if (params->flat_field && !engine->has_flat)
    {
      g_set_error_literal (error, TL_ERROR, TL_ERROR_VALUE,
                           "flat-field correction was asked for, but the scan "
                           "has no flat field");
      return FALSE;
    }
  if (params->half && engine->turn_weights == NULL)
    {
      g_set_error_literal (error, TL_ERROR, TL_ERROR_VALUE,
                           "half acquisition needs projections over a full "
                           "turn, and these do not go all around");
      return FALSE;
    }
  wish->params = *params;
  wish->zinger_excess = params->zingers ? 1.0 + params->zinger_threshold : 0.0;
  wish->phase_scale = tl_phase_get_scale (&params->phase);
  wish->rings = make_rings_args (params);
  wish->span = tl_half_span (params->half, params->centre_col, engine->n_cols);
  wish->half_centre_col = params->half ? params->centre_col : 0.0;
  wish->half_feather_cols = params->half ? params->feather_cols : 0.0;
  wish->axis_col = round (2.0 * params->centre_col) / 2.0;
  wish->shift_cols = wish->axis_col - params->centre_col;
  wish->axis_col += (double)wish->span.first_col;
  if (!tl_fallback_choose (fallback, &chooser, params, engine->n_rows, &choice,
                           error))
    return FALSE;
  engine->fallback_text = fallback->text;
  wish->variant = choice.variant;
  /* it decides, also where it was forced: the filter depends on it */
  wish->params.interpolation = wish->variant->interpolation;
  wish->fold = choice.fold;
  wish->fold_serial = choice.fold != NULL ? choice.fold->serial : 0;
  wish->fold_axis_col = choice.fold != NULL ? wish->axis_col : 0.0;
  return tl_choose_transform (engine->backend, engine->transform,
                              &wish->transform, error);
}

static gboolean
run_correct (TlEngine *engine, const TlWish *wish, GError **error)
{
  const TlCorrectArgs args = {
    .flat_field = wish->params.flat_field,
    .minus_log = wish->params.minus_log && !wish->params.phase.on,
    .all_rows = wish->params.phase.on,
  };

  return engine->backend->correct (engine->impl, &args, error);
}

static gboolean
run_phase (TlEngine *engine, const TlWish *wish, GCancellable *cancellable,
           GError **error)
{
  TlPhaseArgs args;

  if (!tl_phase_filter_prepare (&engine->phase, wish->phase_scale,
                                engine->n_cols, error))
    return FALSE;
  args = (TlPhaseArgs){
    .length = engine->phase.length,
    .n_taps = engine->phase.n_taps,
    .weights = engine->phase.weights,
  };
  return engine->backend->phase (engine->impl, &args, cancellable, error);
}

/* Of every row the weights of its columns, for a half acquisition. */
static gboolean
make_col_weights (TlEngine *engine, const TlWish *wish, GError **error)
{
  const double centre_col = wish->params.centre_col;
  const size_t n_cols = engine->n_cols;

  if (engine->col_weights == NULL)
    engine->col_weights =
        tl_try_alloc (1, engine->n_rows, n_cols, sizeof (double),
                      "the weights of the columns", error);
  if (engine->col_weights == NULL)
    return FALSE;
  for (size_t row = 0; row < engine->n_rows; row++)
    tl_half_weights (centre_col, centre_col,
                     tl_half_get_near (centre_col, centre_col, n_cols),
                     wish->params.feather_cols, n_cols,
                     engine->col_weights + row * n_cols);
  return TRUE;
}

static gboolean
run_transform (TlEngine *engine, const TlWish *wish, GCancellable *cancellable,
               GError **error)
{
  const gboolean half = wish->params.half;
  TlTransformArgs args = {
    .length = tl_filter_length (wish->span.n_cols),
    .span = wish->span,
    .padding = wish->params.padding,
    .transform = wish->transform,
    .weights = half ? engine->turn_weights : engine->weights,
  };

  if (half && !make_col_weights (engine, wish, error))
    return FALSE;
  args.col_weights = half ? engine->col_weights : NULL;
  return engine->backend->transform (engine->impl, &args, cancellable, error);
}

static gboolean
run_filter (TlEngine *engine, const TlWish *wish, GCancellable *cancellable,
            GError **error)
{
  const size_t length = tl_filter_length (wish->span.n_cols);
  const TlFilterArgs args = {
    .length = length,
    .response = tl_kept_response_get (&engine->response, &wish->params, length),
    .shift_cols = wish->shift_cols,
    .variant = wish->variant,
    .fold = wish->fold,
    .axis_col = wish->axis_col,
  };

  return engine->backend->filter (engine->impl, &args, cancellable, error);
}

/* Runs one stage; the last one sets @frame. */
static gboolean
run_stage (TlEngine *engine, TlStage stage, const TlWish *wish,
           GCancellable *cancellable, TlFrame **frame, GError **error)
{
  const TlZingersArgs zingers = {
    .excess = wish->zinger_excess,
    .before_phase = wish->params.phase.on,
  };
  const TlBackprojectArgs backproject = {
    .variant = wish->variant,
    .axis_col = wish->axis_col,
    .grid = wish->params.grid,
    .fold = wish->fold,
  };

  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;

  engine->n_runs[stage]++;
  switch (stage)
    {
    case TL_STAGE_CORRECT:
      return run_correct (engine, wish, error);
    case TL_STAGE_ZINGERS:
      return engine->backend->zingers (engine->impl, &zingers, error);
    case TL_STAGE_PHASE:
      return run_phase (engine, wish, cancellable, error);
    case TL_STAGE_RINGS:
      return engine->backend->rings (engine->impl, &wish->rings, cancellable,
                                     error);
    case TL_STAGE_TRANSFORM:
      return run_transform (engine, wish, cancellable, error);
    case TL_STAGE_FILTER:
      return run_filter (engine, wish, cancellable, error);
    case TL_STAGE_BACKPROJECT:
      *frame = engine->backend->backproject (engine->impl, &backproject,
                                             cancellable, error);
      return *frame != NULL;
    case TL_STAGE_UPLOAD:
    case TL_N_STAGES:
      break;
    }
  g_assert_not_reached ();
}

/* Runs the stages before @end, the transform or a later one, that @wish asks
 * for; @frame: (out): of the last one, where that is among them. */
static gboolean
run_stages (TlEngine *engine, TlStage end, const TlWish *wish,
            GCancellable *cancellable, TlFrame **frame, GError **error)
{
  engine->next = MIN (engine->next, compare_wishes (&engine->done, wish));
  engine->done = *wish;
  for (guint stage = engine->next; stage < end; stage++)
    {
      if (stage == TL_STAGE_PHASE && !wish->params.phase.on)
        continue;
      /* a stage that fails leaves its own result undefined, not the earlier
       * ones */
      engine->next = stage;
      engine->corrected = stage >= TL_STAGE_TRANSFORM;
      if (!run_stage (engine, stage, wish, cancellable, frame, error))
        return FALSE;
    }
  engine->corrected = TRUE;
  /* the last one runs always */
  engine->next = MIN (MAX (engine->next, end), TL_STAGE_BACKPROJECT);
  return TRUE;
}

/* Returns: whether another variant may do what this one did not: filtered rows
 * are kept in a layout and a memory of its own, slices are the same for all. */
static gboolean
may_go_on (const TlEngine *engine, const GError *reason)
{
  if (engine->forced != NULL || engine->next < TL_STAGE_FILTER)
    return FALSE;
  return g_error_matches (reason, TL_ERROR, TL_ERROR_UNSUPPORTED)
         || (engine->next == TL_STAGE_FILTER
             && g_error_matches (reason, TL_ERROR, TL_ERROR_MEMORY));
}

TlFrame *
tl_engine_reconstruct (TlEngine *engine, const TlParams *params,
                       GCancellable *cancellable, GError **error)
{
  TlWish wish;

  g_return_val_if_fail (engine != NULL, NULL);
  g_assert (engine->owner == g_thread_self ());
  g_return_val_if_fail (engine->n_projections > 0, NULL);
  g_return_val_if_fail (params != NULL, NULL);

  while (make_wish (engine, params, &wish, error))
    {
      g_autoptr (GError) reason = NULL;
      TlFrame *frame = NULL;

      if (run_stages (engine, TL_N_STAGES, &wish, cancellable, &frame, &reason))
        return frame;
      if (!may_go_on (engine, reason))
        {
          g_propagate_error (error, g_steal_pointer (&reason));
          return NULL;
        }
      tl_fallback_add (find_fallback (engine, params), wish.variant,
                       g_steal_pointer (&reason));
    }
  return NULL;
}

gboolean
tl_engine_correct (TlEngine *engine, const TlParams *params,
                   GCancellable *cancellable, GError **error)
{
  TlWish wish;

  g_return_val_if_fail (engine != NULL, FALSE);
  g_assert (engine->owner == g_thread_self ());
  g_return_val_if_fail (engine->n_projections > 0, FALSE);
  g_return_val_if_fail (params != NULL, FALSE);

  return make_wish (engine, params, &wish, error)
         && run_stages (engine, TL_STAGE_TRANSFORM, &wish, cancellable, NULL,
                        error);
}

void
tl_engine_invalidate (TlEngine *engine, TlStage stage)
{
  g_return_if_fail (engine != NULL);
  g_assert (engine->owner == g_thread_self ());
  g_return_if_fail ((guint)stage < TL_N_STAGES);

  /* uploading again would need the block, which was only lent */
  engine->next = MIN (engine->next, MAX (stage, TL_STAGE_CORRECT));
}
