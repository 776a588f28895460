#include "gpu/host/plan.h"

#include "data/error.h"

#include <glib/gi18n.h>

/* FFTW's planner has global state and is not thread-safe. */
static GMutex planner_lock;

void
tl_host_plan_free (TlHostPlan *plan)
{
  g_mutex_lock (&planner_lock);
  if (plan->forward != NULL)
    fftwf_destroy_plan (plan->forward);
  if (plan->inverse != NULL)
    fftwf_destroy_plan (plan->inverse);
  g_mutex_unlock (&planner_lock);
  tl_host_buffer_clear (&plan->scratch);
  g_free (plan);
}

/* Returns: %FALSE with TL_ERROR_MEMORY if one of the plans is %NULL */
static gboolean
check_plans (fftwf_plan plan, fftwf_plan other, size_t length, GError **error)
{
  if (plan != NULL && other != NULL)
    return TRUE;
  return tl_fail (error, TL_ERROR_MEMORY,
                  _ ("no Fourier transform of %zu values can be planned"),
                  length);
}

/* Uses FFTW_ESTIMATE instead of measuring: planning takes no time, and the plan
 * is the same in every run, so that a reconstruction is reproducible to the
 * bit. */
static TlHostPlan *
make_plan (TlHostPool *pool, size_t length, GError **error)
{
  TlHostPlan *plan = g_new0 (TlHostPlan, 1);

  plan->length = length;
  plan->scratch_stride = tl_host_round_up (length + 2, 16);
  if (!tl_host_buffer_resize (&plan->scratch,
                              2 * (size_t)tl_host_pool_get_n_workers (pool),
                              plan->scratch_stride, 1, sizeof (float),
                              _ ("the padded rows"), error))
    {
      tl_host_plan_free (plan);
      return NULL;
    }
  float *row = tl_host_plan_get_row (plan, 0);
  fftwf_complex *spectrum = tl_host_plan_get_spectrum (plan, 0);

  g_mutex_lock (&planner_lock);
  plan->forward =
      fftwf_plan_dft_r2c_1d ((int)length, row, spectrum, FFTW_ESTIMATE);
  plan->inverse =
      fftwf_plan_dft_c2r_1d ((int)length, spectrum, row, FFTW_ESTIMATE);
  g_mutex_unlock (&planner_lock);
  if (!check_plans (plan->forward, plan->inverse, length, error))
    g_clear_pointer (&plan, tl_host_plan_free);
  return plan;
}

/* Returns: %FALSE with TL_ERROR_UNSUPPORTED */
static gboolean
check_length (size_t length, GError **error)
{
  return length <= G_MAXINT
         || tl_fail (error, TL_ERROR_UNSUPPORTED,
                     _ ("rows padded to %zu columns are too long for the host "
                        "engine"),
                     length);
}

gboolean
tl_host_plan_prepare (TlHostPlan **plan, TlHostPool *pool, size_t length,
                      GError **error)
{
  if (!check_length (length, error))
    {
      g_clear_pointer (plan, tl_host_plan_free);
      return FALSE;
    }
  if (*plan != NULL && (*plan)->length == length)
    return TRUE;
  g_clear_pointer (plan, tl_host_plan_free);
  *plan = make_plan (pool, length, error);
  return *plan != NULL;
}

fftwf_plan
tl_host_plan_complex (size_t length, fftwf_complex *line, GError **error)
{
  if (!check_length (length, error))
    return NULL;
  g_mutex_lock (&planner_lock);
  fftwf_plan plan =
      fftwf_plan_dft_1d ((int)length, line, line, FFTW_FORWARD, FFTW_ESTIMATE);
  g_mutex_unlock (&planner_lock);
  check_plans (plan, plan, length, error);
  return plan;
}

fftwf_plan
tl_host_plan_to_real (size_t length, fftwf_complex *spectrum, float *row,
                      GError **error)
{
  if (!check_length (length, error))
    return NULL;
  g_mutex_lock (&planner_lock);
  fftwf_plan plan =
      fftwf_plan_dft_c2r_1d ((int)length, spectrum, row, FFTW_ESTIMATE);
  g_mutex_unlock (&planner_lock);
  check_plans (plan, plan, length, error);
  return plan;
}

void
tl_host_plan_destroy (fftwf_plan plan)
{
  g_mutex_lock (&planner_lock);
  fftwf_destroy_plan (plan);
  g_mutex_unlock (&planner_lock);
}
