#include "gpu/engine.h"

#include "data/array.h"
#include "data/error.h"
#include "gpu/backends-private.h"
#include "gpu/choice-private.h"
#include "gpu/dead-pixels-private.h"
#include "gpu/filter.h"

#include <math.h>
#include <string.h>

const char *const tl_stage_names[TL_N_STAGES + 1] = { "upload",       "correct",
                                                      "transform",    "filter",
                                                      "back-project", NULL };

/* What a reconstruction is asked to be, in the terms of the stages. */
typedef struct
{
  TlParams params;
  double axis_col, shift_cols; /* from the centre; backends-private.h */
  const TlVariant *variant;
} Wish;

struct TlEngine
{
  GThread *owner;
  const TlBackend *backend;
  gpointer impl;
  char *device;

  /* the block; samples and fields are the backend's */
  size_t n_projections, n_rows, n_cols; /* 0: nothing loaded */
  gboolean has_flat;
  float *weights; /* [n_projections], radians */
  TlDeadPixels *dead;

  const TlVariant *forced; /* (nullable): tl_engine_use_variant() */

  /* results of the stages before this one are valid, for the wish in done */
  TlStage next;
  Wish done;
  gboolean corrected; /* that stage has run since the block was loaded */

  guint n_runs[TL_N_STAGES];
};

/* The first stage that has to run again when a part of the wish changes. */
typedef struct
{
  size_t offset, size;
  TlStage first;
} Dependence;

#define DEPENDENCE(member, first)                                              \
  {                                                                            \
    offsetof (Wish, member), sizeof (((Wish *)NULL)->member), first            \
  }

static const Dependence dependences[] = {
  DEPENDENCE (params.flat_field, TL_STAGE_CORRECT),
  DEPENDENCE (params.minus_log, TL_STAGE_CORRECT),
  DEPENDENCE (params.padding, TL_STAGE_TRANSFORM),
  DEPENDENCE (params.filter, TL_STAGE_FILTER),
  DEPENDENCE (params.cutoff, TL_STAGE_FILTER),
  DEPENDENCE (params.butterworth_order, TL_STAGE_FILTER),
  DEPENDENCE (shift_cols, TL_STAGE_FILTER),
  DEPENDENCE (variant, TL_STAGE_FILTER), /* the layout of the rows is its own */
  DEPENDENCE (axis_col, TL_STAGE_BACKPROJECT),
  DEPENDENCE (params.grid, TL_STAGE_BACKPROJECT),
};

/* Returns: the first stage to run for @wanted after @done; the last one where
 * nothing changed, for a frame has to be made. */
static TlStage
compare_wishes (const Wish *done, const Wish *wanted)
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

/* Returns: the backend of that name, the first that works for "auto". */
static const TlBackend *
choose_backend (const char *name, char **device, GError **error)
{
  const gboolean is_auto = g_str_equal (name, "auto");

  for (guint i = 0; i < TL_N_BACKENDS; i++)
    {
      const TlBackend *backend;
      g_autoptr (GError) reason = NULL;

      if (!is_auto && !g_str_equal (name, tl_backend_name (i)))
        continue;
      backend = tl_backend_find (i, device, &reason);
      if (backend != NULL)
        return backend;
      if (!is_auto)
        {
          g_propagate_prefixed_error (error, g_steal_pointer (&reason),
                                      "engine %s cannot be used: ", name);
          return NULL;
        }
      g_info ("engine %s cannot be used: %s", tl_backend_name (i),
              reason->message);
    }
  g_set_error (error, TL_ERROR, TL_ERROR_UNSUPPORTED,
               "there is no engine \"%s\"; there are auto, cuda, host", name);
  return NULL;
}

TlEngine *
tl_engine_open (const char *name, GError **error)
{
  TlEngine *engine;
  const TlBackend *backend;
  g_autofree char *device = NULL;
  g_autoptr (GError) reason = NULL;
  gpointer impl;

  g_return_val_if_fail (name != NULL, NULL);

  backend = choose_backend (name, &device, error);
  if (backend == NULL)
    return NULL;
  impl = backend->open (&reason);
  if (impl == NULL)
    {
      /* probing found a device, but it cannot be had: "auto" goes on */
      if (g_str_equal (name, "auto") && backend != &tl_host_backend)
        {
          g_info ("engine %s cannot be used: %s", backend->name,
                  reason->message);
          return tl_engine_open ("host", error);
        }
      g_set_error (error, TL_ERROR, TL_ERROR_UNSUPPORTED,
                   "engine %s cannot be used: %s", backend->name,
                   reason->message);
      return NULL;
    }

  engine = g_new0 (TlEngine, 1);
  engine->owner = g_thread_self ();
  engine->backend = backend;
  engine->impl = impl;
  engine->device = g_steal_pointer (&device);
  return engine;
}

static void
forget_block (TlEngine *engine)
{
  engine->n_projections = engine->n_rows = engine->n_cols = 0;
  engine->corrected = FALSE;
  g_clear_pointer (&engine->weights, g_free);
  g_clear_pointer (&engine->dead, tl_dead_pixels_free);
}

void
tl_engine_close (TlEngine *engine)
{
  g_return_if_fail (engine != NULL);
  g_assert (engine->owner == g_thread_self ());

  engine->backend->close (engine->impl);
  forget_block (engine);
  g_free (engine->device);
  g_free (engine);
}

const char *
tl_engine_get_name (TlEngine *engine)
{
  g_return_val_if_fail (engine != NULL, NULL);
  return engine->backend->name;
}

const char *
tl_engine_get_device (TlEngine *engine)
{
  g_return_val_if_fail (engine != NULL, NULL);
  return engine->device;
}

const TlVariant *const *
tl_engine_list_variants (TlEngine *engine, size_t *n)
{
  g_return_val_if_fail (engine != NULL, NULL);
  g_return_val_if_fail (n != NULL, NULL);
  return engine->backend->list_variants (n);
}

void
tl_engine_use_variant (TlEngine *engine, const TlVariant *variant)
{
  g_return_if_fail (engine != NULL);
  g_assert (engine->owner == g_thread_self ());

  engine->forced = variant;
}

/* --- loading --- */

static float *
make_weights (const TlBlock *block, GError **error)
{
  static const char what[] = "the angles";
  const size_t n = block->n_projections;
  g_autofree double *weights = NULL;
  g_autofree float *result = NULL;

  for (size_t i = 0; i < n; i++)
    {
      if (!isfinite (block->angles_rad[i]))
        {
          g_set_error (error, TL_ERROR, TL_ERROR_VALUE,
                       "the angle of projection %zu of %zu is not a number", i,
                       n);
          return NULL;
        }
    }
  weights = tl_try_alloc (n, 1, 1, sizeof (double), what, error);
  if (weights == NULL)
    return NULL;
  result = tl_try_alloc (n, 1, 1, sizeof (float), what, error);
  if (result == NULL)
    return NULL;
  tl_angle_weights (block->angles_rad, n, weights);
  for (size_t i = 0; i < n; i++)
    result[i] = (float)weights[i];
  return g_steal_pointer (&result);
}

gboolean
tl_engine_load (TlEngine *engine, const TlBlock *block, GError **error)
{
  g_return_val_if_fail (engine != NULL, FALSE);
  g_assert (engine->owner == g_thread_self ());
  g_return_val_if_fail (block != NULL, FALSE);
  g_return_val_if_fail (block->n_projections > 0, FALSE);
  g_return_val_if_fail (block->n_rows > 0, FALSE);
  g_return_val_if_fail (block->n_cols > 0, FALSE);
  g_return_val_if_fail ((guint)block->type < TL_N_SAMPLE_TYPES, FALSE);
  g_return_val_if_fail (block->samples != NULL, FALSE);
  g_return_val_if_fail (block->angles_rad != NULL, FALSE);
  g_return_val_if_fail (block->flat_first != NULL || block->flat_last == NULL,
                        FALSE);

  forget_block (engine);
  engine->weights = make_weights (block, error);
  if (engine->weights == NULL)
    return FALSE;
  engine->dead = tl_dead_pixels_new (block, error);
  if (engine->dead == NULL)
    return FALSE;
  engine->n_runs[TL_STAGE_UPLOAD]++;
  if (!engine->backend->upload (engine->impl, block, error))
    {
      forget_block (engine);
      return FALSE;
    }

  engine->n_projections = block->n_projections;
  engine->n_rows = block->n_rows;
  engine->n_cols = block->n_cols;
  engine->has_flat = block->flat_first != NULL;
  engine->next = TL_STAGE_CORRECT;
  return TRUE;
}

/* --- reconstructing --- */

static gboolean
make_wish (TlEngine *engine, const TlParams *params, Wish *wish, GError **error)
{
  if (!tl_params_check (params, engine->n_cols, error))
    return FALSE;
  if (params->flat_field && !engine->has_flat)
    {
      g_set_error_literal (error, TL_ERROR, TL_ERROR_VALUE,
                           "flat-field correction was asked for, but the scan "
                           "has no flat field");
      return FALSE;
    }
  wish->params = *params;
  wish->axis_col = round (2.0 * params->centre_col) / 2.0;
  wish->shift_cols = wish->axis_col - params->centre_col;
  wish->variant =
      engine->forced != NULL
          ? engine->forced
          : tl_choose_variant (engine->backend, params, engine->n_rows, error);
  return wish->variant != NULL;
}

static gboolean
run_correct (TlEngine *engine, const Wish *wish, GError **error)
{
  const TlCorrectArgs args = {
    .flat_field = wish->params.flat_field,
    .minus_log = wish->params.minus_log,
    .left_col = engine->dead->left_col,
    .right_col = engine->dead->right_col,
    .mix = engine->dead->mix,
  };

  engine->corrected = FALSE;
  if (!engine->backend->correct (engine->impl, &args, error))
    return FALSE;
  engine->corrected = TRUE;
  return TRUE;
}

static gboolean
run_filter (TlEngine *engine, const Wish *wish, GCancellable *cancellable,
            GError **error)
{
  const size_t length = tl_filter_length (engine->n_cols);
  g_autofree float *response = g_new (float, length / 2 + 1);
  const TlFilterArgs args = {
    .length = length,
    .response = response,
    .shift_cols = wish->shift_cols,
    .variant = wish->variant,
  };

  tl_filter_response (&wish->params, length, response);
  return engine->backend->filter (engine->impl, &args, cancellable, error);
}

/* Runs one stage; the last one sets @frame. */
static gboolean
run_stage (TlEngine *engine, TlStage stage, const Wish *wish,
           GCancellable *cancellable, TlFrame **frame, GError **error)
{
  const TlTransformArgs transform = {
    .length = tl_filter_length (engine->n_cols),
    .padding = wish->params.padding,
    .weights = engine->weights,
  };
  const TlBackprojectArgs backproject = {
    .variant = wish->variant,
    .axis_col = wish->axis_col,
    .grid = wish->params.grid,
  };

  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;

  engine->n_runs[stage]++;
  switch (stage)
    {
    case TL_STAGE_CORRECT:
      return run_correct (engine, wish, error);
    case TL_STAGE_TRANSFORM:
      return engine->backend->transform (engine->impl, &transform, cancellable,
                                         error);
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

TlFrame *
tl_engine_reconstruct (TlEngine *engine, const TlParams *params,
                       GCancellable *cancellable, GError **error)
{
  TlFrame *frame = NULL;
  Wish wish;
  TlStage first;

  g_return_val_if_fail (engine != NULL, NULL);
  g_assert (engine->owner == g_thread_self ());
  g_return_val_if_fail (engine->n_projections > 0, NULL);
  g_return_val_if_fail (params != NULL, NULL);

  if (!make_wish (engine, params, &wish, error))
    return NULL;

  first = MIN (engine->next, compare_wishes (&engine->done, &wish));
  engine->done = wish;
  for (guint stage = first; stage < TL_N_STAGES; stage++)
    {
      /* a stage that fails leaves its own result undefined, not the earlier
       * ones */
      engine->next = stage;
      if (!run_stage (engine, stage, &wish, cancellable, &frame, error))
        return NULL;
    }
  return frame;
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

/* --- asking --- */

gboolean
tl_engine_measure (TlEngine *engine, TlFrame *frame, size_t slice,
                   TlStats *stats, GError **error)
{
  g_return_val_if_fail (engine != NULL, FALSE);
  g_assert (engine->owner == g_thread_self ());
  g_return_val_if_fail (frame != NULL, FALSE);
  g_return_val_if_fail (slice < frame->n_slices, FALSE);
  g_return_val_if_fail (stats != NULL, FALSE);

  return engine->backend->measure (engine->impl, frame, slice, stats, error);
}

gboolean
tl_engine_get_report (TlEngine *engine, TlEngineReport *report, GError **error)
{
  g_return_val_if_fail (engine != NULL, FALSE);
  g_assert (engine->owner == g_thread_self ());
  g_return_val_if_fail (report != NULL, FALSE);

  *report = (TlEngineReport){
    .variant = engine->done.variant,
    .n_dead = engine->dead != NULL ? engine->dead->n_dead : 0,
    .memory_bytes = engine->backend->get_memory (engine->impl),
  };
  memcpy (report->n_runs, engine->n_runs, sizeof engine->n_runs);
  return engine->backend->get_times (engine->impl, report->last_ms, error);
}

gboolean
tl_engine_read_corrected (TlEngine *engine, float *dest, GError **error)
{
  g_return_val_if_fail (engine != NULL, FALSE);
  g_assert (engine->owner == g_thread_self ());
  g_return_val_if_fail (dest != NULL, FALSE);

  if (!engine->corrected)
    {
      g_set_error_literal (error, TL_ERROR, TL_ERROR_VALUE,
                           "nothing has been corrected yet");
      return FALSE;
    }
  return engine->backend->read_corrected (engine->impl, dest, error);
}
