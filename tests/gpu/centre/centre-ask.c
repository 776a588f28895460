#include "tests/gpu/centre/centre-ask.h"

typedef gboolean (*Estimator) (const TlCentreData *data,
                               TlCentreEstimate *estimate, GError **error);

static const Estimator estimators[] = { tl_centre_by_phase, tl_centre_by_wedge,
                                        tl_centre_by_symmetry,
                                        tl_centre_by_moments,
                                        tl_centre_by_overlap };
#define N_ESTIMATORS (G_N_ELEMENTS (estimators))

G_STATIC_ASSERT (N_ESTIMATORS + 1 == TL_N_CENTRE_METHODS);

void
centre_answer_clear (CentreAnswer *answer)
{
  for (size_t k = 0; k <= N_ESTIMATORS; k++)
    tl_centre_clear (&answer->estimates[k]);
  tl_centre_consensus_clear (&answer->consensus);
}

void
centre_ask (TlEngine *engine, const TlCentreData *data, CentreAnswer *answer)
{
  g_autoptr (GError) error = NULL;
  g_auto (TlCentreConsensus) others = { 0 };
  g_assert_true (tl_centre_data_check (data, &error));
  for (size_t k = 0; k < N_ESTIMATORS; k++)
    {
      estimators[k](data, &answer->estimates[k], &error);
      g_assert_no_error (error);
    }
  tl_centre_agree (answer->estimates, N_ESTIMATORS, &others);
  tl_centre_by_sharpness (engine, data, others.centre_col,
                          MAX (3 * others.uncertainty_col, 1),
                          &answer->estimates[N_ESTIMATORS], &error);
  g_assert_no_error (error);
  tl_centre_agree (answer->estimates, N_ESTIMATORS + 1, &answer->consensus);
}

void
centre_print (const CentreCase *c, const CentreAnswer *answer)
{
  static const char *const verdicts[] = { "certain", "uncertain",
                                          "cannot tell" };
  g_autofree char *text = centre_case_dup_text (c);
  g_autoptr (GString) line = g_string_new (text);
  for (size_t k = 0; k <= N_ESTIMATORS; k++)
    if (answer->estimates[k].is_found)
      g_string_append_printf (
          line, "; %s %+.3f +- %.3f",
          tl_centre_method_names[answer->estimates[k].method],
          answer->estimates[k].centre_col - c->centre_col,
          answer->estimates[k].uncertainty_col);
  g_string_append_printf (line, "; together %+.3f +- %.3f, %s",
                          answer->consensus.centre_col - c->centre_col,
                          answer->consensus.uncertainty_col,
                          verdicts[answer->consensus.verdict]);
  g_test_message ("%s", line->str);
}
