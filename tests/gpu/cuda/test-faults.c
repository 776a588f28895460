/* Each call of CUDA and cuFFT in a reconstruction fails once. */
#include "data/error.h"
#include "tests/gpu/cuda/faults.h"
#include "tests/support/compare.h"
#include "tests/support/engines.h"
#include "tests/support/scans.h"

#include <gmodule.h>
#include <math.h>
#include <string.h>

enum
{
  N_ROWS = 2,
  N_COLS = 61,
  MAX_CALLS = 5000 /* more would be a loop that never ends */
};

typedef struct
{
  TlCudaFaultsSet set;
  TlCudaFaultsGet get;
} Faults;

/* The module is the one that the engine has opened. */
static gboolean
find_faults (Faults *faults)
{
  g_autofree char *path = g_build_filename (g_getenv ("TOMOLENS_MODULE_DIR"),
                                            "tomolens-cuda.so", NULL);
  GModule *module = g_module_open (path, G_MODULE_BIND_LAZY);
  return module != NULL
         && g_module_symbol (module, "tl_cuda_faults_set",
                             (gpointer *)&faults->set)
         && g_module_symbol (module, "tl_cuda_faults_get",
                             (gpointer *)&faults->get);
}

/* One sentence: what failed, in words. */
static void
assert_said (const GError *error, const char *call, guint k)
{
  if (error == NULL || error->domain != TL_ERROR || strlen (error->message) < 9
      || strchr (error->message, '\n') != NULL)
    g_error ("call %u, %s: the error is \"%s\"", k, call,
             error != NULL ? error->message : "(none)");
}

/* Returns: (transfer full) (nullable): the pixels; %NULL with @error */
static float *
reconstruct (TlEngine *engine, TlTestScan *scan, const TlParams *params,
             GError **error)
{
  if (!tl_engine_load (engine, &scan->block, error))
    return NULL;
  g_autoptr (TlFrame) frame =
      tl_engine_reconstruct (engine, params, NULL, error);
  if (frame == NULL || !tl_frame_fetch (frame, error))
    return NULL;
  return g_memdup2 (tl_frame_get_pixels (frame),
                    N_ROWS * N_COLS * N_COLS * sizeof (float));
}

/* Another kernel may have been taken, which rounds differently. */
static void
assert_same (const float *got, const float *want, const char *call, guint k)
{
  float largest = 0.0f;

  for (size_t i = 0; i < N_ROWS * N_COLS * N_COLS; i++)
    largest = fmaxf (largest, fabsf (want[i]));
  for (size_t i = 0; i < N_ROWS * N_COLS * N_COLS; i++)
    if (!(fabsf (got[i] - want[i]) <= (float)TL_TOLERANCE_FULL * largest))
      g_error ("call %u, %s: pixel %zu is %g, not %g", k, call, i, got[i],
               want[i]);
}

/* Opens an engine and reconstructs, while call @k fails; then once more with
 * the same engine, without a fault. Returns: whether there were so many calls
 */
static gboolean
try_call (const Faults *faults, guint k, gboolean is_memory, TlTestScan *scan,
          const TlParams *params, const float *want)
{
  g_autoptr (GError) error = NULL, later = NULL;
  const char *call;
  faults->set (k, is_memory);
  TlEngine *engine = tl_engine_open ("cuda", &error);
  g_autofree float *got =
      engine != NULL ? reconstruct (engine, scan, params, &error) : NULL;
  faults->get (&call);
  faults->set (0, FALSE);
  if (got != NULL) /* it could do without */
    assert_same (got, want, call, k);
  else
    assert_said (error, call, k);
  if (engine != NULL)
    {
      g_autofree float *again = reconstruct (engine, scan, params, &later);
      if (again != NULL)
        assert_same (again, want, call, k);
      else
        assert_said (later, call, k);
      /* only a lost engine may stay without a picture */
      if (again == NULL && !g_error_matches (error, TL_ERROR, TL_ERROR_DEVICE))
        g_error ("call %u, %s: the engine is lost after \"%s\": %s", k, call,
                 error != NULL ? error->message : "(no error)", later->message);
      tl_engine_close (engine);
    }
  if (call != NULL)
    g_test_message ("%u %s: %s", k, call,
                    error != NULL ? error->message : "not needed");
  return call != NULL;
}

static void
test_each (gconstpointer data)
{
  const gboolean is_memory = GPOINTER_TO_INT (data);
  g_autoptr (TlTestScan) scan = tl_test_scan_new_noise (37, N_ROWS, N_COLS);
  TlParams params = tl_test_params (scan);
  g_autoptr (GError) error = NULL;
  Faults faults;
  guint k = 1;
  params.zingers = TRUE;
  params.rings = TL_RINGS_SORTING;
  TlEngine *engine = tl_engine_open ("cuda", &error);
  if (engine == NULL)
    {
      g_test_skip (error->message);
      return;
    }
  g_assert_true (find_faults (&faults));
  g_autofree float *want = reconstruct (engine, scan, &params, &error);
  g_assert_no_error (error);
  tl_engine_close (engine);
  while (try_call (&faults, k, is_memory, scan, &params, want))
    g_assert_cmpuint (++k, <, MAX_CALLS);
  g_test_message ("%u calls", k - 1);
  g_assert_cmpuint (k, >, 20);
  engine = tl_engine_open ("cuda", &error);
  g_assert_no_error (error);
  g_autofree float *again = reconstruct (engine, scan, &params, &error);
  g_assert_no_error (error);
  assert_same (again, want, "the last one", k);
  tl_engine_close (engine);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/cuda/faults/device", GINT_TO_POINTER (FALSE),
                        test_each);
  g_test_add_data_func ("/cuda/faults/memory", GINT_TO_POINTER (TRUE),
                        test_each);
  return g_test_run ();
}
