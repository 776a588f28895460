/* A candidate for the axis: the slice reconstructed about one centre, as a
 * small picture and as figures of merit for its sharpness. */
#pragma once

#include "app/axis/candidates/candidate-metric.h"
#include "app/recon/recon.h"
#include "gpu/centre/figures.h"

/* What is made of each candidate, the same for all; a plain value. */
typedef struct
{
  TlGrid shown;    /* the picture; nx 0: none is made */
  TlGrid judged;   /* the pixels rated; nx 0: no figures */
  double radius;   /* of judged, see tl_engine_measure_sharpness() */
  float low, high; /* range of the histogram; unless low < high, the first rated
                      candidate sets it */
  TlMethod method; /* of what is rated; unless the recipe names one, the first
                      rated candidate settles it */
} TlCandidateView;

/* The result of one candidate; cleared with tl_candidate_result_clear(). */
typedef struct
{
  double centre_col;
  TlFrame *frame; /* (nullable): on TlCandidateView.shown, in host memory */
  gboolean is_judged;
  TlSharpness sharpness;
  TlCentreRays rays;
} TlCandidateResult;

void tl_candidate_result_clear (TlCandidateResult *result);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TlCandidateResult, tl_candidate_result_clear)

/**
 * tl_candidate_centre:
 * @n: number of candidates
 * @index: 0 … @n - 1
 *
 * Returns: @middle_col for index @n / 2, plus @step_col for each further index,
 *   rounded to millionths of a column
 */
double tl_candidate_centre (size_t n, double middle_col, double step_col,
                            size_t index);

/** tl_candidate_order: Returns: (transfer full): [@n]: the indices in the
 * order of computation, from the middle outwards */
size_t *tl_candidate_order (size_t n);

/**
 * tl_candidate_view_judge_whole:
 * @recipe: resolved
 * @middle_col: of the candidates
 *
 * Rates the disc that all projections see (for half acquisition, that half of
 * them see). The disc is reduced to 0.9, so that it holds for centres beside
 * the middle too, and rounded, so that figures stay comparable when the middle
 * moves a little.
 */
void tl_candidate_view_judge_whole (TlCandidateView *view,
                                    const TlRecipe *recipe, size_t n_cols,
                                    double middle_col);

/**
 * tl_candidate_run:
 * @recipe: resolved; gives slice and half acquisition, its centre is ignored
 * @view: (inout): the same for all candidates, so that they can be compared
 * @result: (out caller-allocates): to be cleared
 *
 * The rated slice is filtered with a Hann window, as in the sharpness sweep,
 * whatever the filter of the recipe: noise would mislead the figures. Stages
 * before the filter are reused for other centres, unless half acquisition or a
 * tilt correction makes them depend on the centre. Engine's thread.
 *
 * Returns: %FALSE with any error of tl_recon_run(); nothing is changed then
 */
gboolean tl_candidate_run (TlRecon *recon, const TlRecipe *recipe,
                           double centre_col, TlCandidateView *view,
                           GCancellable *cancellable, TlCandidateResult *result,
                           GError **error);

/** tl_candidate_metric_tells: Returns: whether @metric depends on the centre
 * as it should, see tl_centre_figure_tells() */
gboolean tl_candidate_metric_tells (TlCandidateMetric metric,
                                    TlCentreRays rays);

/**
 * tl_candidates_rate:
 * @results: [@n], all with figures, of the same pixels
 * @values: (out caller-allocates): [@n], in the units of TlCandidateMetric; for
 *   TL_CANDIDATE_COMBINED, the score
 * @scores: (out caller-allocates): [@n]: from 0 for the worst to 1 for the
 *   best; all 0 if they do not differ
 *
 * A best candidate is accepted only if @metric is reliable and the four
 * quarters of the slice agree, which they do not for noise. Quarters agree if
 * their ratings of all candidates correlate, by Kendall's coefficient of
 * concordance (Kendall and Babington Smith, Ann. Math. Stat. 10 (1939) 275)
 * with figures in place of ranks, or if the best stands out in each quarter.
 *
 * Returns: the index of the best; -1: none
 */
int tl_candidates_rate (const TlCandidateResult *results, size_t n,
                        TlCandidateMetric metric, double *values,
                        double *scores);
