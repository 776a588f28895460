#include "app/find-centre.h"

#include "app/recon-private.h"
#include "app/rows-private.h"

#include "data/array.h"

#include <math.h>

/* How far sharpness looks about what the others say, at least. */
#define MIN_REACH_COL 1.0
#define REACH_DEVIATIONS 3.0

typedef gboolean (*Estimator) (const TlCentreData *data,
                               TlCentreEstimate *estimate, GError **error);

/* By the method; sharpness wants an engine. */
static const Estimator estimators[TL_N_CENTRE_METHODS] = {
  [TL_CENTRE_PHASE] = tl_centre_by_phase,
  [TL_CENTRE_VO] = tl_centre_by_wedge,
  [TL_CENTRE_SYMMETRY] = tl_centre_by_moments,
  [TL_CENTRE_OVERLAP] = tl_centre_by_overlap,
};

void
tl_centre_answer_clear (TlCentreAnswer *answer)
{
  for (size_t k = 0; k < answer->n; k++)
    tl_centre_clear (&answer->estimates[k]);
  answer->n = 0;
  tl_centre_consensus_clear (&answer->consensus);
  g_clear_pointer (&answer->note, g_free);
}

void
tl_centre_question_init (TlCentreQuestion *question, size_t row, size_t n_cols)
{
  *question = (TlCentreQuestion){ .row = row, .last_col = (double)n_cols - 1 };
  for (guint method = 0; method < TL_N_CENTRE_METHODS; method++)
    question->methods[method] = TRUE;
}

static gboolean
ask_all (TlRecon *recon, const TlCentreQuestion *question,
         const TlCentreData *data, GCancellable *cancellable,
         TlCentreAnswer *answer, GError **error)
{
  for (guint method = 0; method < TL_N_CENTRE_METHODS; method++)
    {
      if (!question->methods[method] || estimators[method] == NULL)
        continue;
      if (g_cancellable_set_error_if_cancelled (cancellable, error)
          || !estimators[method](data, &answer->estimates[answer->n], error))
        return FALSE;
      answer->n++;
    }
  if (!question->methods[TL_CENTRE_SHARPNESS])
    return TRUE;
  g_auto (TlCentreConsensus) others = { 0 };
  tl_centre_agree (answer->estimates, answer->n, &others);
  const gboolean is_guided = others.verdict != TL_CENTRE_CANNOT_TELL;
  const double reach =
      is_guided ? MAX (REACH_DEVIATIONS * others.uncertainty_col, MIN_REACH_COL)
                : 0;
  const gboolean good = tl_centre_by_sharpness (
      tl_recon_get_engine (recon), data, others.centre_col, reach, cancellable,
      &answer->estimates[answer->n], error);
  tl_recon_set_engine (recon, tl_recon_get_engine (recon));
  answer->n += good;
  return good;
}

/* What rests on angles that are wrong is not certain, however many agree. */
static void
doubt (TlCentreConsensus *consensus)
{
  if (consensus->verdict != TL_CENTRE_CERTAIN)
    return;
  consensus->verdict = TL_CENTRE_LOOK;
  g_autofree char *sentence = g_steal_pointer (&consensus->sentence);
  consensus->sentence = g_strconcat (
      sentence, ", but the angles are in doubt: please look", NULL);
}

gboolean
tl_find_centre (TlRecon *recon, const TlRecipe *recipe,
                const TlCentreQuestion *question, GCancellable *cancellable,
                TlCentreAnswer *answer, GError **error)
{
  const TlScanInfo *info = tl_reader_get_info (tl_recon_get_reader (recon));
  *answer = (TlCentreAnswer){ .row = question->row };
  g_autofree double *angles_rad = tl_rows_angles (info, error);
  if (angles_rad == NULL)
    return FALSE;
  g_autofree float *rows = tl_try_alloc (info->n_projections, info->n_cols, 1,
                                         sizeof (float), "a sinogram", error);
  if (rows == NULL
      || !tl_recon_read_corrected (recon, recipe, question->row, rows,
                                   cancellable, error))
    return FALSE;
  const TlCentreData data = {
    .n_projections = info->n_projections,
    .n_cols = info->n_cols,
    .rows = rows,
    .angles_rad = angles_rad,
    .first_col = question->first_col,
    .last_col = question->last_col,
  };
  if (!tl_centre_data_check (&data, error))
    {
      tl_rows_name_scan (info, error);
      return FALSE;
    }
  if (!ask_all (recon, question, &data, cancellable, answer, error)
      || !tl_centre_check_angles (&data, &answer->note, error))
    return FALSE;
  tl_centre_agree (answer->estimates, answer->n, &answer->consensus);
  if (answer->note != NULL)
    doubt (&answer->consensus);
  return TRUE;
}
