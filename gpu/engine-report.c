/* Stages are run in engine.c; here an engine says what it is and what it did,
 * and is told what to choose by. */
#include "gpu/engine-private.h"

#include "data/error.h"
#include "gpu/backend/comparison.h"
#include "gpu/backend/figures.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

const char *const tl_stage_names[TL_N_STAGES + 1] = {
  "upload", "correct",   "zingers", "tilt",         "phase",
  "rings",  "transform", "filter",  "back-project", NULL
};
const char *const tl_transform_names[TL_N_TRANSFORMS + 1] = { "auto", "pairs",
                                                              "real", NULL };

/* --- what it is --- */

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

gboolean
tl_engine_measure_ceilings (TlEngine *engine, TlCeilings *ceilings,
                            GError **error)
{
  g_return_val_if_fail (engine != NULL, FALSE);
  g_assert (engine->owner == g_thread_self ());
  g_return_val_if_fail (ceilings != NULL, FALSE);

  *ceilings = (TlCeilings){ 0 };
  return engine->backend->measure_ceilings == NULL
         || engine->backend->measure_ceilings (engine->impl, ceilings, error);
}

/* --- what it chooses by --- */

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

const TlTransform *
tl_engine_list_transforms (TlEngine *engine)
{
  g_return_val_if_fail (engine != NULL, NULL);
  return engine->backend->transforms;
}

void
tl_engine_use_transform (TlEngine *engine, TlTransform transform)
{
  g_return_if_fail (engine != NULL);
  g_assert (engine->owner == g_thread_self ());
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
  g_return_if_fail (engine != NULL);
  g_assert (engine->owner == g_thread_self ());

  tl_tuning_free (engine->tuning);
  engine->tuning = tuning != NULL ? tl_tuning_dup (tuning) : NULL;
}

/* --- frames --- */

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

  g_return_val_if_fail (engine != NULL, FALSE);
  g_assert (engine->owner == g_thread_self ());
  g_return_val_if_fail (frame != NULL, FALSE);
  g_return_val_if_fail (slice < frame->n_slices, FALSE);
  g_return_val_if_fail (radius >= 0, FALSE);
  g_return_val_if_fail (isfinite (low) && isfinite (high), FALSE);
  g_return_val_if_fail (sharpness != NULL, FALSE);

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
  TlFrame *result;

  g_return_val_if_fail (engine != NULL, NULL);
  g_assert (engine->owner == g_thread_self ());
  g_return_val_if_fail (frame != NULL && reference != NULL, NULL);
  g_return_val_if_fail (tl_frames_are_alike (frame, reference), NULL);
  g_return_val_if_fail (figures != NULL, NULL);

  result =
      engine->backend->compare (engine->impl, frame, reference, &sums, error);
  if (result != NULL)
    tl_comparison_init (figures, &sums, frame);
  return result;
}

/* --- what it did --- */

gboolean
tl_engine_get_report (TlEngine *engine, TlEngineReport *report, GError **error)
{
  g_return_val_if_fail (engine != NULL, FALSE);
  g_assert (engine->owner == g_thread_self ());
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

gboolean
tl_engine_read_corrected (TlEngine *engine, float *dest, GError **error)
{
  g_return_val_if_fail (engine != NULL, FALSE);
  g_assert (engine->owner == g_thread_self ());
  g_return_val_if_fail (dest != NULL, FALSE);

  if (!engine->corrected)
    {
      g_set_error_literal (error, TL_ERROR, TL_ERROR_VALUE,
                           _ ("nothing has been corrected yet"));
      return FALSE;
    }
  return engine->backend->read_corrected (engine->impl, dest, error);
}
