#include "gpu/engine.h"

#include "data/array.h"
#include "data/error.h"
#include "gpu/backend/frame-class.h"
#include "gpu/choice/fallback.h"
#include "gpu/engine-private.h"
#include "gpu/request.h"
#include "gpu/stages/filter.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* Of all engines, since the program started. */
static gint n_loads;

struct TlEngine
{
  GThread *owner;
  const TlBackend *backend;
  gpointer impl;
  guint number;           /* of the device */
  char *device, *machine; /* machine: the key of TlTuning */

  /* The loaded block; the backend holds its samples and fields. */
  guint load;                   /* tl_engine_get_load() */
  size_t n_projections, n_cols; /* 0 if no block is loaded */
  size_t n_rows;                /* rows of which slices are made */
  double middle_row; /* of the detector, counted from the first of n_rows */
  size_t n_above;    /* rows of the block above the first of n_rows */
  gboolean has_flat;
  float *weights;      /* [n_projections], radians */
  float *turn_weights; /* likewise, weights of a full turn; %NULL if the scan
                          covers less */
  double *col_weights; /* (nullable) [n_rows][n_cols], for a half acquisition
                          only */
  double *shift_cols;  /* [n_rows] */
  TlDeadPixels *dead;
  size_t total_dead; /* sum over all loaded blocks */
  TlFolds *folds;

  const TlVariant *forced; /* (nullable): tl_engine_use_variant() */
  TlTuning *tuning;        /* (nullable) */
  /* Failures on grids coarser than the columns are kept apart, because such a
   * grid may exceed a kernel that can do all other grids. */
  TlFallback fallback, coarse_fallback;
  /* (nullable), interned: the fallback of the last choice. */
  const char *fallback_text;
  TlTransform transform; /* tl_engine_use_transform() */
  TlKeptResponse response;
  TlPhaseFilter phase;

  /* The results of all stages before this one are valid for the request done.
   */
  TlStage next;
  TlRequest done;
  gboolean corrected; /* all stages before the transform have run */

  guint n_runs[TL_N_STAGES];
};

static void
assert_owner (const TlEngine *engine)
{
  g_assert (engine != NULL && engine->owner == g_thread_self ());
}

/* --- opening and closing --- */

/* Returns: (transfer full): the key of TlTuning */
static char *
make_machine (const TlBackend *backend, const char *description)
{
  g_autofree char *driver =
      backend->dup_driver != NULL ? backend->dup_driver () : NULL;

  return g_strjoin ("; ", description, driver, NULL);
}

TlEngine *
tl_engine_open_backend (const TlBackend *backend, guint device,
                        gboolean gives_way, const char *description,
                        GError **error)
{
  const gpointer impl = backend->open (device, gives_way, error);

  if (impl == NULL)
    return NULL;
  TlEngine *engine = g_new0 (TlEngine, 1);
  engine->owner = g_thread_self ();
  engine->backend = backend;
  engine->impl = impl;
  engine->number = device;
  engine->device = g_strdup (description);
  engine->machine = make_machine (backend, description);
  engine->tuning = tl_tuning_load (backend->name, engine->machine);
  tl_fallback_init (&engine->fallback);
  tl_fallback_init (&engine->coarse_fallback);
  return engine;
}

static void
forget_block (TlEngine *engine)
{
  engine->load = 0;
  engine->n_projections = engine->n_rows = engine->n_cols = 0;
  engine->corrected = FALSE;
  g_clear_pointer (&engine->weights, g_free);
  g_clear_pointer (&engine->turn_weights, g_free);
  g_clear_pointer (&engine->col_weights, g_free);
  g_clear_pointer (&engine->shift_cols, g_free);
  g_clear_pointer (&engine->dead, tl_dead_pixels_free);
  g_clear_pointer (&engine->folds, tl_folds_free);
}

void
tl_engine_give_back (TlEngine *engine)
{
  assert_owner (engine);
  forget_block (engine);
  engine->backend->give_back (engine->impl);
}

void
tl_engine_close (TlEngine *engine)
{
  assert_owner (engine);

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

/* Computes the weights and dead pixels of @block and uploads its samples and
 * fields. */
static gboolean
take_block (TlEngine *engine, const TlBlock *block, GError **error)
{
  const double *angles_rad = block->angles_rad;
  const size_t n = block->n_projections;
  gboolean covers_turn = block->turn_weights != NULL;

  engine->weights =
      tl_filter_weights (angles_rad, n, FALSE, block->weights, error);
  if (engine->weights == NULL
      || (block->weights == NULL
          && !tl_angles_cover_turn (angles_rad, n, &covers_turn, error)))
    return FALSE;
  if (covers_turn)
    {
      engine->turn_weights =
          tl_filter_weights (angles_rad, n, TRUE, block->turn_weights, error);
      if (engine->turn_weights == NULL)
        return FALSE;
    }
  engine->dead = tl_dead_pixels_new (block, error);
  if (engine->dead == NULL)
    return FALSE;
  engine->shift_cols = tl_try_alloc (1, 1, block->n_rows, sizeof (double),
                                     _ ("the shifts of the rows"), error);
  if (engine->shift_cols == NULL)
    return FALSE;
  engine->folds = tl_folds_new (angles_rad, n, error);
  if (engine->folds == NULL)
    return FALSE;
  engine->n_runs[TL_STAGE_UPLOAD]++;
  engine->load = (guint)g_atomic_int_add (&n_loads, 1) + 1;
  return engine->backend->upload (engine->impl, block, engine->dead, error);
}

guint
tl_engine_get_load (TlEngine *engine)
{
  assert_owner (engine);

  return engine->load;
}

gboolean
tl_engine_load (TlEngine *engine, const TlBlock *block, GError **error)
{
  size_t n_rows;

  assert_owner (engine);
  g_return_val_if_fail (block != NULL && block->n_projections > 0, FALSE);
  g_return_val_if_fail (block->n_above < block->n_rows, FALSE);
  g_return_val_if_fail (block->n_below < block->n_rows - block->n_above, FALSE);
  g_return_val_if_fail (block->n_cols > 0, FALSE);
  g_return_val_if_fail ((guint)block->type < TL_N_SAMPLE_TYPES, FALSE);
  g_return_val_if_fail (block->samples != NULL && block->angles_rad != NULL,
                        FALSE);
  g_return_val_if_fail (block->flat_first != NULL || block->flat_last == NULL,
                        FALSE);
  g_return_val_if_fail (block->weights != NULL || block->turn_weights == NULL,
                        FALSE);

  /* Variants that failed on a block of another size may work now. */
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
  engine->n_above = block->n_above;
  engine->middle_row = block->middle_row - (double)block->n_above;
  engine->has_flat = block->flat_first != NULL;
  engine->next = TL_STAGE_CORRECT;
  return TRUE;
}

/* --- reconstructing --- */

static TlFallback *
find_fallback (TlEngine *engine, const TlParams *params)
{
  return params->grid.pitch > 1.0 ? &engine->coarse_fallback
                                  : &engine->fallback;
}

/* Spectra are most of what stays on the device. A single slice has room. The
 * rows of planes are in full precision, whatever the parameters say. */
static gboolean
keeps_halves (const TlEngine *engine, const TlRequest *request,
              const TlVariant *variant)
{
  const TlPrecision precision =
      request->plane.nx > 0 ? request->params.precision : variant->precision;

  return engine->backend->has_halves && precision == TL_PRECISION_FAST
         && !variant->is_fourier && engine->n_rows > 1;
}

/* Completes @request. */
static gboolean
set_choice (TlEngine *engine, TlRequest *request, const TlChoice *choice,
            GError **error)
{
  TlTransform transform = engine->transform;

  /* A complex row that holds a pair of rows can be shifted by one distance
   * only. */
  if (request->shear_deg != 0.0 && engine->n_rows > 1)
    transform = TL_TRANSFORM_REAL;
  if (!tl_choose_transform (engine->backend, transform, &transform, error))
    return FALSE;
  tl_request_set_choice (request, choice->variant, choice->fold, transform);
  request->in_halves = keeps_halves (engine, request, choice->variant);
  return TRUE;
}

static TlRequestLimits
get_limits (const TlEngine *engine)
{
  return (TlRequestLimits){
    .n_cols = engine->n_cols,
    .has_flat = engine->has_flat,
    .covers_turn = engine->turn_weights != NULL,
  };
}

/* Returns: %FALSE with an error of tl_engine_reconstruct() if @params are out
 * of range or need something that the block or the backend lacks */
static gboolean
make_request (TlEngine *engine, const TlParams *params, TlRequest *request,
              GError **error)
{
  const TlRequestLimits limits = get_limits (engine);
  const TlBackend *backend = engine->backend;
  TlChooser chooser = {
    .backend = backend,
    .max_slices = backend->get_max_slices != NULL
                      ? backend->get_max_slices (engine->impl)
                      : 0,
    .forced = engine->forced,
    .tuning = engine->tuning,
    .folds = engine->folds,
    .n_projections = engine->n_projections,
  };
  TlFallback *fallback = find_fallback (engine, params);
  TlChoice choice;

  if (!tl_request_init (request, params, &limits, error))
    return FALSE;
  chooser.n_cols = request->span.n_cols;
  chooser.axis_col = request->axis_col;
  if (!tl_fallback_choose (fallback, &chooser, params, engine->n_rows, &choice,
                           error))
    return FALSE;
  engine->fallback_text = fallback->text;
  return set_choice (engine, request, &choice, error);
}

/* Returns: (nullable): the variant whose rows a plane is made of */
static const TlVariant *
find_plane_variant (const TlEngine *engine, TlInterpolation interpolation)
{
  size_t n;
  const TlVariant *const *list = engine->backend->list_variants (&n);

  for (size_t i = 0; i < n; i++)
    if (list[i]->n_slices == 1
        && tl_variant_does (list[i], TL_METHOD_BACKPROJECTION,
                            engine->backend->plane_kernel, interpolation,
                            TL_PRECISION_FULL))
      return list[i];
  return NULL;
}

/* As make_request(), for a plane. */
static gboolean
make_plane_request (TlEngine *engine, const TlPlane *plane,
                    const TlParams *params, TlRequest *request, GError **error)
{
  const TlRequestLimits limits = get_limits (engine);
  const TlChoice choice = {
    .variant = find_plane_variant (engine, params->interpolation),
  };
  TlParams own = *params;

  own.grid = tl_grid_full (engine->n_cols);
  if (!tl_request_init (request, &own, &limits, error)
      || !tl_request_check_plane (plane, error))
    return FALSE;
  if (params->method == TL_METHOD_FOURIER)
    return tl_fail (error, TL_ERROR_UNSUPPORTED,
                    _ ("the Fourier method makes slices only; a plane needs "
                       "back-projection"));
  if (choice.variant == NULL)
    return tl_fail (error, TL_ERROR_UNSUPPORTED,
                    _ ("engine %s makes no planes with %s interpolation; "
                       "linear works"),
                    engine->backend->name,
                    tl_interpolation_names[params->interpolation]);
  request->plane = *plane;
  engine->fallback_text = NULL;
  return set_choice (engine, request, &choice, error);
}

gboolean
tl_engine_settle_on_backend (const TlBackend *backend, const char *description,
                             const TlParams *params, size_t n_projections,
                             size_t n_cols, TlMethod *method, const char **note,
                             GError **error)
{
  /* What the data lacks is found when it is loaded. */
  const TlRequestLimits limits = { .n_cols = n_cols,
                                   .has_flat = TRUE,
                                   .covers_turn = TRUE };
  g_autofree char *machine = make_machine (backend, description);
  g_autoptr (TlTuning) tuning = tl_tuning_load (backend->name, machine);
  TlChooser chooser = {
    .backend = backend,
    .tuning = tuning,
    .n_projections = n_projections,
  };
  g_auto (TlFallback) fallback;
  TlRequest request;
  TlChoice choice;

  tl_fallback_init (&fallback);
  if (!tl_request_init (&request, params, &limits, error))
    return FALSE;
  chooser.n_cols = request.span.n_cols;
  chooser.axis_col = request.axis_col;
  /* as many slices at once as the engine can make */
  if (!tl_fallback_choose (&fallback, &chooser, params, G_MAXSIZE, &choice,
                           error))
    return FALSE;
  *method = tl_variant_get_method (choice.variant);
  *note = fallback.text;
  return TRUE;
}

static gboolean
run_correct (TlEngine *engine, const TlRequest *request, GError **error)
{
  const TlCorrectArgs args = {
    .flat_field = request->params.flat_field,
    .minus_log = request->params.minus_log && !request->params.phase.on,
    .all_rows = request->all_rows,
  };

  return engine->backend->correct (engine->impl, &args, error);
}

static gboolean
run_tilt (TlEngine *engine, const TlRequest *request, GCancellable *cancellable,
          GError **error)
{
  const double tilt_rad = request->tilt_deg * G_PI / 180.0;
  const TlTiltArgs args = {
    .cosine = cos (tilt_rad),
    .sine = sin (tilt_rad),
    .centre_col = request->tilt_centre_col,
    .middle_row = engine->middle_row + (double)engine->n_above,
    .before_phase = request->params.phase.on,
  };

  return engine->backend->tilt (engine->impl, &args, cancellable, error);
}

static gboolean
run_phase (TlEngine *engine, const TlRequest *request,
           GCancellable *cancellable, GError **error)
{
  if (!tl_phase_filter_prepare (&engine->phase, request->phase_scale,
                                engine->n_cols, error))
    return FALSE;
  const TlPhaseArgs args = {
    .length = engine->phase.length,
    .n_taps = engine->phase.n_taps,
    .weights = engine->phase.weights,
  };
  return engine->backend->phase (engine->impl, &args, cancellable, error);
}

/* Computes the column weights of every row for a half acquisition. After
 * projections are turned back, a row still covers only the columns that the
 * detector measured at the row's original position. */
static gboolean
make_col_weights (TlEngine *engine, const TlRequest *request, GError **error)
{
  const double centre_col = request->params.centre_col;
  const size_t n_cols = engine->n_cols;

  if (engine->col_weights == NULL)
    engine->col_weights =
        tl_try_alloc (1, engine->n_rows, n_cols, sizeof (double),
                      _ ("the weights of the columns"), error);
  if (engine->col_weights == NULL)
    return FALSE;
  for (size_t row = 0; row < engine->n_rows; row++)
    {
      const double rows = (double)row - engine->middle_row;
      const double axis_col =
          tl_tilt_get_axis_col (request->shear_deg, centre_col, rows);
      const double seen_col =
          tl_tilt_get_axis_col (request->params.tilt_deg, centre_col, rows);

      tl_half_weights (centre_col, axis_col,
                       fmin (tl_half_get_near (centre_col, axis_col, n_cols),
                             tl_half_get_near (centre_col, seen_col, n_cols)),
                       request->params.feather_cols, n_cols,
                       engine->col_weights + row * n_cols);
    }
  return TRUE;
}

static gboolean
run_transform (TlEngine *engine, const TlRequest *request,
               GCancellable *cancellable, GError **error)
{
  const gboolean half = request->params.half;
  TlTransformArgs args = {
    .length = tl_filter_length (request->span.n_cols),
    .span = request->span,
    .padding = request->params.padding,
    .transform = request->transform,
    .in_halves = request->in_halves,
    .weights = half ? engine->turn_weights : engine->weights,
  };

  if (half && !make_col_weights (engine, request, error))
    return FALSE;
  args.col_weights = half ? engine->col_weights : NULL;
  return engine->backend->transform (engine->impl, &args, cancellable, error);
}

static gboolean
run_filter (TlEngine *engine, const TlRequest *request,
            GCancellable *cancellable, GError **error)
{
  const size_t length = tl_filter_length (request->span.n_cols);
  const TlFilterArgs args = {
    .length = length,
    .response =
        tl_kept_response_get (&engine->response, &request->params, length),
    .shift_cols = engine->shift_cols,
    .n_shifts = request->shear_deg != 0.0 ? engine->n_rows : 1,
    .variant = request->variant,
    .fold = request->fold,
    .axis_col = request->axis_col,
  };

  for (size_t row = 0; row < args.n_shifts; row++)
    engine->shift_cols[row] =
        request->shift_cols
        - tl_tilt_get_axis_col (request->shear_deg, 0.0,
                                (double)row - engine->middle_row);
  return engine->backend->filter (engine->impl, &args, cancellable, error);
}

/* Runs one stage. TL_STAGE_BACKPROJECT sets @frame. */
static gboolean
run_stage (TlEngine *engine, TlStage stage, const TlRequest *request,
           GCancellable *cancellable, TlFrame **frame, GError **error)
{
  const TlZingersArgs zingers = {
    .excess = request->zinger_excess,
    .before_phase = request->params.phase.on,
    .all_rows = request->all_rows,
  };
  const TlBackprojectArgs backproject = {
    .variant = request->variant,
    .axis_col = request->axis_col,
    .grid = request->params.grid,
    .fold = request->fold,
  };
  const TlPlaneArgs plane = {
    .variant = request->variant,
    .axis_col = request->axis_col,
    .plane = request->plane,
  };

  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;

  engine->n_runs[stage]++;
  switch (stage)
    {
    case TL_STAGE_CORRECT:
      return run_correct (engine, request, error);
    case TL_STAGE_ZINGERS:
      return engine->backend->zingers (engine->impl, &zingers, error);
    case TL_STAGE_TILT:
      return run_tilt (engine, request, cancellable, error);
    case TL_STAGE_PHASE:
      return run_phase (engine, request, cancellable, error);
    case TL_STAGE_RINGS:
      return engine->backend->rings (engine->impl, &request->params,
                                     cancellable, error);
    case TL_STAGE_TRANSFORM:
      return run_transform (engine, request, cancellable, error);
    case TL_STAGE_FILTER:
      return run_filter (engine, request, cancellable, error);
    case TL_STAGE_BACKPROJECT:
      *frame = request->plane.nx > 0
                   ? engine->backend->backproject_plane (engine->impl, &plane,
                                                         cancellable, error)
                   : engine->backend->backproject (engine->impl, &backproject,
                                                   cancellable, error);
      return *frame != NULL;
    case TL_STAGE_UPLOAD:
    case TL_N_STAGES:
      break;
    }
  g_assert_not_reached ();
}

static void
begin_turn (TlEngine *engine)
{
  if (engine->backend->begin_turn != NULL)
    engine->backend->begin_turn (engine->impl);
}

static void
end_turn (TlEngine *engine)
{
  if (engine->backend->end_turn != NULL)
    engine->backend->end_turn (engine->impl);
}

/* As run_stages(). */
static gboolean
run_stages_in_turn (TlEngine *engine, TlStage end, const TlRequest *request,
                    GCancellable *cancellable, TlFrame **frame, GError **error)
{
  engine->next =
      MIN (engine->next, tl_request_compare (&engine->done, request));
  engine->done = *request;
  for (guint stage = engine->next; stage < end; stage++)
    {
      if ((stage == TL_STAGE_TILT && !request->resamples)
          || (stage == TL_STAGE_PHASE && !request->params.phase.on))
        {
          engine->backend->release (engine->impl, stage);
          continue;
        }
      /* If the stage fails, its own result is undefined and those of earlier
       * stages stay valid. */
      engine->next = stage;
      engine->corrected = stage >= TL_STAGE_TRANSFORM;
      if (!run_stage (engine, stage, request, cancellable, frame, error))
        return FALSE;
    }
  engine->corrected = TRUE;
  /* Back-projection runs in every call, because each call returns a new frame.
   */
  engine->next = MIN (MAX (engine->next, end), TL_STAGE_BACKPROJECT);
  return TRUE;
}

/* Runs those stages before @end that @request needs; @end is the transform or a
 * later stage. @frame: (out): the result of TL_STAGE_BACKPROJECT, if it ran. */
static gboolean
run_stages (TlEngine *engine, TlStage end, const TlRequest *request,
            GCancellable *cancellable, TlFrame **frame, GError **error)
{
  begin_turn (engine);
  const gboolean ok =
      run_stages_in_turn (engine, end, request, cancellable, frame, error);
  end_turn (engine);
  return ok;
}

/* Returns: whether another variant may succeed where @failed has failed.
 * Variants differ in the layout and the memory of filtered rows and tables,
 * which the stage "filter" takes; the memory for slices is the same for all,
 * but the Fourier method needs its grid, too. */
static gboolean
may_go_on (const TlEngine *engine, const TlVariant *failed,
           const GError *reason)
{
  if (engine->forced != NULL || engine->next < TL_STAGE_FILTER)
    return FALSE;
  return g_error_matches (reason, TL_ERROR, TL_ERROR_UNSUPPORTED)
         || ((engine->next == TL_STAGE_FILTER || failed->is_fourier)
             && g_error_matches (reason, TL_ERROR, TL_ERROR_MEMORY));
}

TlFrame *
tl_engine_reconstruct (TlEngine *engine, const TlParams *params,
                       GCancellable *cancellable, GError **error)
{
  TlRequest request;

  assert_owner (engine);
  g_return_val_if_fail (engine->n_projections > 0 && params != NULL, NULL);

  while (make_request (engine, params, &request, error))
    {
      g_autoptr (GError) reason = NULL;
      TlFrame *frame = NULL;

      if (run_stages (engine, TL_N_STAGES, &request, cancellable, &frame,
                      &reason))
        return frame;
      if (!may_go_on (engine, request.variant, reason))
        {
          g_propagate_error (error, g_steal_pointer (&reason));
          return NULL;
        }
      tl_fallback_add (find_fallback (engine, params), request.variant,
                       g_steal_pointer (&reason));
    }
  return NULL;
}

TlFrame *
tl_engine_reconstruct_plane (TlEngine *engine, const TlPlane *plane,
                             const TlParams *params, GCancellable *cancellable,
                             GError **error)
{
  TlRequest request;
  TlFrame *frame = NULL;

  assert_owner (engine);
  g_return_val_if_fail (engine->n_projections > 0, NULL);
  g_return_val_if_fail (plane != NULL && params != NULL, NULL);

  return make_plane_request (engine, plane, params, &request, error)
                 && run_stages (engine, TL_N_STAGES, &request, cancellable,
                                &frame, error)
             ? frame
             : NULL;
}

gboolean
tl_engine_correct (TlEngine *engine, const TlParams *params,
                   GCancellable *cancellable, GError **error)
{
  TlRequest request;

  assert_owner (engine);
  g_return_val_if_fail (engine->n_projections > 0 && params != NULL, FALSE);

  return make_request (engine, params, &request, error)
         && run_stages (engine, TL_STAGE_TRANSFORM, &request, cancellable, NULL,
                        error);
}

void
tl_engine_invalidate (TlEngine *engine, TlStage stage)
{
  assert_owner (engine);
  g_return_if_fail ((guint)stage < TL_N_STAGES);

  /* The upload cannot be repeated: the block was lent for the call only. */
  engine->next = MIN (engine->next, MAX (stage, TL_STAGE_CORRECT));
}

/* --- description --- */

const char *
tl_engine_get_name (TlEngine *engine)
{
  g_return_val_if_fail (engine != NULL, NULL);
  return engine->backend->name;
}

char *
tl_engine_dup_device_name (TlEngine *engine)
{
  g_return_val_if_fail (engine != NULL, NULL);
  return tl_engine_format_name (engine->backend->name, engine->number);
}

const char *
tl_engine_get_device (TlEngine *engine)
{
  g_return_val_if_fail (engine != NULL, NULL);
  return engine->device;
}

gboolean
tl_engine_measure_ceilings (TlEngine *engine, TlCeilings *ceilings,
                            GError **error)
{
  assert_owner (engine);
  g_return_val_if_fail (ceilings != NULL, FALSE);

  *ceilings = (TlCeilings){ 0 };
  return engine->backend->measure_ceilings == NULL
         || engine->backend->measure_ceilings (engine->impl, ceilings, error);
}

/* --- choice of variants --- */

const TlVariant *const *
tl_engine_list_variants (TlEngine *engine, size_t *n)
{
  g_return_val_if_fail (engine != NULL && n != NULL, NULL);
  return engine->backend->list_variants (n);
}

void
tl_engine_use_variant (TlEngine *engine, const TlVariant *variant)
{
  assert_owner (engine);

  engine->forced = variant;
}

const TlTransform *
tl_engine_list_transforms (TlEngine *engine)
{
  g_return_val_if_fail (engine != NULL, NULL);
  return engine->backend->transforms;
}

void
tl_engine_use_transform (TlEngine *engine, TlTransform transform)
{
  assert_owner (engine);
  g_return_if_fail ((guint)transform < TL_N_TRANSFORMS);

  engine->transform = transform;
}

TlTuning *
tl_engine_dup_tuning (TlEngine *engine)
{
  g_return_val_if_fail (engine != NULL, NULL);
  return engine->tuning != NULL
             ? tl_tuning_dup (engine->tuning)
             : tl_tuning_new (engine->backend->name, engine->machine);
}

void
tl_engine_set_tuning (TlEngine *engine, const TlTuning *tuning)
{
  assert_owner (engine);

  tl_tuning_free (engine->tuning);
  engine->tuning = tuning != NULL ? tl_tuning_dup (tuning) : NULL;
}

/* --- frames --- */

gboolean
tl_engine_measure (TlEngine *engine, TlFrame *frame, size_t slice,
                   TlStats *stats, GError **error)
{
  assert_owner (engine);
  g_return_val_if_fail (frame != NULL && stats != NULL, FALSE);
  g_return_val_if_fail (slice < frame->n_slices, FALSE);

  begin_turn (engine);
  const gboolean ok =
      engine->backend->measure (engine->impl, frame, slice, stats, error);
  end_turn (engine);
  return ok;
}

gboolean
tl_engine_measure_sharpness (TlEngine *engine, TlFrame *frame, size_t slice,
                             double radius, float low, float high,
                             TlSharpness *sharpness, GError **error)
{
  const double width = (double)high - low;
  const TlSharpnessArgs args = {
    .radius = radius,
    .low = low,
    .bins_per_unit = width > 0 ? TL_SHARPNESS_LAST_PLACE / width : 0,
  };
  TlSharpnessSums sums[TL_N_QUARTERS];

  assert_owner (engine);
  g_return_val_if_fail (frame != NULL && sharpness != NULL, FALSE);
  g_return_val_if_fail (slice < frame->n_slices && radius >= 0, FALSE);
  g_return_val_if_fail (isfinite (low) && isfinite (high), FALSE);

  if (!engine->backend->measure_sharpness (engine->impl, frame, slice, &args,
                                           sums, error))
    return FALSE;
  tl_sharpness_init (sharpness, sums);
  return TRUE;
}

TlFrame *
tl_engine_compare (TlEngine *engine, TlFrame *frame, TlFrame *reference,
                   TlComparison *figures, GError **error)
{
  TlDifferences sums;

  assert_owner (engine);
  g_return_val_if_fail (frame != NULL && reference != NULL && figures != NULL,
                        NULL);
  g_return_val_if_fail (tl_frames_are_alike (frame, reference), NULL);

  TlFrame *result =
      engine->backend->compare (engine->impl, frame, reference, &sums, error);
  if (result != NULL)
    tl_comparison_init (figures, &sums, frame);
  return result;
}

TlFrame *
tl_engine_add (TlEngine *engine, TlFrame *frame, double factor, TlFrame *more,
               GError **error)
{
  assert_owner (engine);
  g_return_val_if_fail (frame != NULL && more != NULL, NULL);
  g_return_val_if_fail (tl_frames_are_alike (frame, more), NULL);

  return engine->backend->add (engine->impl, frame, (float)factor, more, error);
}

/* --- report --- */

gboolean
tl_engine_get_report (TlEngine *engine, TlEngineReport *report, GError **error)
{
  assert_owner (engine);
  g_return_val_if_fail (report != NULL, FALSE);

  *report = (TlEngineReport){
    .variant = engine->done.variant,
    .n_folded =
        engine->done.fold_serial != 0 ? engine->done.variant->n_slices : 1,
    .fallback = engine->fallback_text,
    .n_dead = engine->dead != NULL ? engine->dead->n_dead : 0,
    .total_dead = engine->total_dead,
    .memory_bytes = engine->backend->get_memory (engine->impl),
  };
  memcpy (report->n_runs, engine->n_runs, sizeof engine->n_runs);
  return engine->backend->get_times (engine->impl, report->last_ms,
                                     report->total_ms, error);
}

guint64
tl_engine_get_free (TlEngine *engine)
{
  TlEngineReport report;

  g_return_val_if_fail (engine != NULL, 0);

  g_autofree char *name = tl_engine_dup_device_name (engine);
  const guint64 free_bytes = tl_engine_count_free (name);
  return free_bytes > 0 && tl_engine_get_report (engine, &report, NULL)
             ? free_bytes + report.memory_bytes
             : 0;
}

gboolean
tl_engine_read_corrected (TlEngine *engine, float *dest, GError **error)
{
  assert_owner (engine);
  g_return_val_if_fail (dest != NULL, FALSE);

  if (!engine->corrected)
    return tl_fail (error, TL_ERROR_VALUE,
                    _ ("nothing has been corrected yet"));
  return engine->backend->read_corrected (engine->impl, dest, error);
}
