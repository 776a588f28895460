/* Candidates for the axis: one slice about several centres, each as a small
 * picture and in figures that say how sharp it is. */
#pragma once

#include "app/axis/candidates/candidate-metric.h"
#include "app/recon/recon.h"
#include "gpu/centre/figures.h"

G_BEGIN_DECLS

/* What is made of each, the same for all; a plain value. */
typedef struct
{
  TlGrid shown;    /* of the picture; nx 0: none is made */
  TlGrid judged;   /* what the figures are of; nx 0: there are none */
  double radius;   /* of that, as of tl_engine_measure_sharpness() */
  float low, high; /* of the histogram; where low is not below high they become
                      the range of the candidate that is judged first */
} TlCandidateView;

/* What came of one; cleared with tl_candidate_result_clear(). */
typedef struct
{
  double centre_col;
  TlFrame *frame; /* (nullable): as TlCandidateView.shown, in host memory */
  gboolean is_judged;
  TlSharpness sharpness;
  TlCentreRays rays;
} TlCandidateResult;

void tl_candidate_result_clear (TlCandidateResult *result);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TlCandidateResult, tl_candidate_result_clear)

/**
 * tl_candidate_centre:
 * @n: how many
 * @index: 0 … @n - 1
 *
 * Returns: @middle_col for @index @n / 2, and @step_col more for each next one;
 *   in whole millionths of a column
 */
double tl_candidate_centre (size_t n, double middle_col, double step_col,
                            size_t index);

/**
 * tl_candidate_order:
 *
 * Returns: (transfer full): [@n]: indices from the middle outwards, as they are
 *   to be made
 */
size_t *tl_candidate_order (size_t n);

/**
 * tl_candidate_view_judge_whole:
 * @recipe: resolved
 * @middle_col: of the candidates
 *
 * What all projections see of the slice, or of a half acquisition half of them:
 * the disc is 0.9 of that, so that what is beyond does not count, also about
 * centres somewhat beside. It is rounded, so that figures stay comparable while
 * the middle moves a little.
 */
void tl_candidate_view_judge_whole (TlCandidateView *view,
                                    const TlRecipe *recipe, size_t n_cols,
                                    double middle_col);

/**
 * tl_candidate_run:
 * @recipe: resolved: its slice is made; its centre is ignored, but half
 *   acquisition stays as it is
 * @view: (inout): the same for all candidates, so that they can be compared
 * @result: (out caller-allocates): to be cleared
 *
 * What is judged is filtered by a Hann window, as by the sharpness sweep,
 * whatever the recipe's filter is: by noise the figures would be led astray.
 * Nothing before the filter's multiply is done again for another centre, where
 * neither half acquisition nor a projection that is turned back depends on it.
 * Belongs to the engine's thread.
 *
 * Returns: %FALSE with any error of tl_recon_run(); then nothing was changed
 */
gboolean tl_candidate_run (TlRecon *recon, const TlRecipe *recipe,
                           double centre_col, TlCandidateView *view,
                           GCancellable *cancellable, TlCandidateResult *result,
                           GError **error);

/** tl_candidate_metric_tells: Returns: whether what @metric says depends on
 * the centre as it should, tl_centre_figure_tells(). */
gboolean tl_candidate_metric_tells (TlCandidateMetric metric,
                                    TlCentreRays rays);

/**
 * tl_candidates_rate:
 * @results: [@n], all with figures, of the same pixels
 * @values: (out caller-allocates): [@n], in the units of TlCandidateMetric; of
 *   TL_CANDIDATE_COMBINED the score
 * @scores: (out caller-allocates): [@n]: 0, the worst of them, to 1, the best;
 *   all 0 where they do not differ
 *
 * The best is one only where @metric tells and quarters of the slice agree, as
 * those of noise do not: where what they say of all candidates correlates,
 * Kendall's coefficient of concordance (Kendall and Babington Smith, Ann. Math.
 * Stat. 10 (1939) 275) with figures in the place of ranks, or where it stands
 * out in each.
 *
 * Returns: the index of the best; -1: there is none
 */
int tl_candidates_rate (const TlCandidateResult *results, size_t n,
                        TlCandidateMetric metric, double *values,
                        double *scores);

G_END_DECLS
