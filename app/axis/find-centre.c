#include "app/axis/find-centre.h"

#include "app/axis/centre-row.h"
#include "app/recon/recon.h"
#include "app/recon/rows.h"

#include <glib/gi18n.h>
#include <math.h>

/* Least distance that sharpness searches to either side of the other
 * estimators' result. */
#define MIN_REACH_COL 1.0
#define REACH_DEVIATIONS 3.0

typedef gboolean (*Estimator) (const TlCentreData *data,
                               TlCentreEstimate *estimate, GError **error);

/* By method; sharpness needs an engine and is not in this table. */
static const Estimator estimators[TL_N_CENTRE_METHODS] = {
  [TL_CENTRE_PHASE] = tl_centre_by_phase,
  [TL_CENTRE_VO] = tl_centre_by_wedge,
  [TL_CENTRE_SYMMETRY] = tl_centre_by_symmetry,
  [TL_CENTRE_MOMENTS] = tl_centre_by_moments,
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

/* Moves an estimate from the row to the middle row. */
static void
shift_estimate (TlCentreEstimate *estimate, double lean_col)
{
  estimate->centre_col -= lean_col;
  for (size_t k = 0; k < estimate->n_points; k++)
    estimate->positions[k] -= lean_col;
}

/* Counts the newest estimate and records its duration. */
static void
count_estimate (const TlCentreQuestion *question, gint64 took_us,
                TlCentreAnswer *answer)
{
  shift_estimate (&answer->estimates[answer->n], question->lean_col);
  answer->estimates_s[answer->n++] = (double)took_us / G_USEC_PER_SEC;
  if (question->tell != NULL)
    question->tell (answer->estimates, answer->n, question->user_data);
}

/* A running estimator, or the check of the angles. */
typedef struct
{
  Estimator estimator; /* (nullable): %NULL for the check of the angles */
  const TlCentreData *data;
  GThread *thread; /* (nullable) */
  TlCentreEstimate estimate;
  double end_deg;
  char *note;
  gboolean good;
  GError *error;
  gint64 took_us;
} Ask;

static gpointer
answer_one (gpointer user_data)
{
  Ask *ask = user_data;
  const gint64 start_us = g_get_monotonic_time ();
  ask->good = ask->estimator != NULL
                  ? ask->estimator (ask->data, &ask->estimate, &ask->error)
                  : tl_centre_check_angles (ask->data, &ask->end_deg,
                                            &ask->note, &ask->error);
  ask->took_us = g_get_monotonic_time () - start_us;
  return NULL;
}

/* Takes over the result of @ask. Returns: %FALSE with its error, or if there is
 * an error already */
static gboolean
take_answer (Ask *ask, const TlCentreQuestion *question, gboolean good,
             TlCentreAnswer *answer, GError **error)
{
  if (ask->thread != NULL)
    g_thread_join (ask->thread);
  if (good && ask->good && ask->estimator != NULL)
    {
      answer->estimates[answer->n] = ask->estimate;
      count_estimate (question, ask->took_us, answer);
    }
  else
    tl_centre_clear (&ask->estimate);
  if (good && ask->error != NULL)
    g_propagate_error (error, g_steal_pointer (&ask->error));
  g_clear_error (&ask->error);
  if (answer->note == NULL)
    {
      answer->end_deg = ask->end_deg;
      answer->note = g_steal_pointer (&ask->note);
    }
  g_free (ask->note);
  return good && ask->good;
}

/* Runs all estimators but sharpness in parallel. */
static gboolean
ask_projections (const TlCentreQuestion *question, const TlCentreData *data,
                 TlCentreAnswer *answer, GError **error)
{
  Ask asks[TL_N_CENTRE_METHODS + 1] = { { 0 } };
  guint n = 0;
  gboolean good = TRUE;
  for (guint method = 0; method < TL_N_CENTRE_METHODS; method++)
    if (question->methods[method] && estimators[method] != NULL)
      asks[n++] = (Ask){ .estimator = estimators[method], .data = data };
  for (guint k = 0; k < n; k++)
    {
      asks[k].thread =
          g_thread_try_new ("estimator", answer_one, &asks[k], NULL);
      if (asks[k].thread == NULL)
        answer_one (&asks[k]);
    }
  asks[n].data = data;
  answer_one (&asks[n]);
  for (guint k = 0; k <= n; k++)
    good = take_answer (&asks[k], question, good, answer, error);
  return good;
}

static gboolean
ask_sharpness (TlEngine *engine, const TlCentreQuestion *question,
               const TlCentreData *data, TlCentreAnswer *answer, GError **error)
{
  const gint64 start_us = g_get_monotonic_time ();
  g_auto (TlCentreConsensus) others = { 0 };
  tl_centre_agree (answer->estimates, answer->n, &others);
  const gboolean is_guided = others.verdict != TL_CENTRE_CANNOT_TELL;
  const double reach =
      is_guided ? MAX (REACH_DEVIATIONS * others.uncertainty_col, MIN_REACH_COL)
                : 0;
  TlCentreEstimate *estimate = &answer->estimates[answer->n];
  gboolean good = TRUE;
  if (is_guided || answer->note == NULL || answer->n == 0)
    good = tl_centre_by_sharpness (engine, data,
                                   others.centre_col + question->lean_col,
                                   reach, estimate, error);
  else /* sharpness reconstructs with them, and searching everywhere is slow */
    *estimate = (TlCentreEstimate){ .method = TL_CENTRE_SHARPNESS,
                                    .centre_col = NAN,
                                    .uncertainty_col = NAN,
                                    .reason = g_strdup (_ (
                                        "the angles are in doubt, and no other "
                                        "estimate gives a range to search")) };
  if (good)
    count_estimate (question, g_get_monotonic_time () - start_us, answer);
  return good;
}

/* A result from wrong angles is not certain, however many estimators agree. */
static void
warn_of_angles (TlCentreConsensus *consensus)
{
  if (consensus->verdict != TL_CENTRE_CERTAIN)
    return;
  consensus->verdict = TL_CENTRE_UNCERTAIN;
  g_autofree char *sentence = g_steal_pointer (&consensus->sentence);
  /* translators: after what the estimates say together */
  consensus->sentence =
      g_strdup_printf (_ ("%s, but the angles are in doubt; check them and the "
                          "axis before you use it"),
                       sentence);
}

gboolean
tl_find_centre_in_row (TlEngine *engine, const TlCentreData *data,
                       const TlCentreQuestion *question, TlCentreAnswer *answer,
                       GError **error)
{
  const gint64 start_us = g_get_monotonic_time ();
  *answer = (TlCentreAnswer){ .row = question->row };
  if (!tl_centre_data_check (data, error)
      || !ask_projections (question, data, answer, error)
      || (question->methods[TL_CENTRE_SHARPNESS] && engine != NULL
          && !ask_sharpness (engine, question, data, answer, error)))
    return FALSE;
  tl_centre_agree (answer->estimates, answer->n, &answer->consensus);
  if (answer->note != NULL)
    warn_of_angles (&answer->consensus);
  answer->total_s =
      (double)(g_get_monotonic_time () - start_us) / G_USEC_PER_SEC;
  return TRUE;
}

gboolean
tl_find_centre (TlRecon *recon, const TlRecipe *recipe,
                const TlCentreQuestion *question, GCancellable *cancellable,
                TlCentreAnswer *answer, GError **error)
{
  const TlScanInfo *info = tl_reader_get_info (tl_recon_get_reader (recon));
  TlEngine *engine = tl_recon_get_engine (recon);
  const gint64 start_us = g_get_monotonic_time ();
  TlCentreQuestion leaning = *question;
  *answer = (TlCentreAnswer){ .row = question->row };
  g_autoptr (TlCentreRow) row =
      tl_centre_row_read (recon, recipe, question->row, cancellable, error);
  if (row == NULL)
    return FALSE;
  const TlCentreData data = tl_centre_row_lend (
      row, question->first_col, question->last_col, cancellable);
  leaning.lean_col = row->lean_col;
  const double read_s =
      (double)(g_get_monotonic_time () - start_us) / G_USEC_PER_SEC;
  const gboolean good =
      tl_find_centre_in_row (engine, &data, &leaning, answer, error);
  answer->read_s = read_s;
  tl_recon_set_engine (recon, engine);
  if (!good)
    tl_rows_name_scan (info, error);
  return good;
}
