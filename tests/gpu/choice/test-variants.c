/* On the real engines, the choice among variants changes results by rounding
 * only, and a variant that cannot be started is replaced. */
#include "data/error.h"
#include "tests/support/compare.h"
#include "tests/support/engines.h"
#include "tests/support/plain.h"
#include "tests/support/scans.h"

#include <string.h>

#define N_COLS 61
#define N_PROJECTIONS 40
/* more projections than a texture has rows */
#define N_MANY 70000
#define N_FEW_COLS 9

typedef struct
{
  TlEngine *engine;
  /* Both have the same interpolation and precision. */
  const TlVariant *variant, *other;
} Case;

/* Tunes the engine so that it chooses @variant. */
static void
tune (TlEngine *engine, const TlVariant *variant)
{
  g_autoptr (TlTuning) tuning = tl_engine_dup_tuning (engine);
  const TlTuningRow row = {
    { TL_KERNEL_AUTO, variant->interpolation, variant->precision,
      variant->n_slices, TL_TUNING_SMALLEST },
    variant->name,
    0.0,
  };

  tl_tuning_set (tuning, &row);
  tl_engine_set_tuning (engine, tuning);
}

static TlFrame *
reconstruct (TlEngine *engine, const TlTestScan *scan, const TlParams *params,
             const TlVariant *wanted)
{
  TlFrame *frame = tl_test_reconstruct (engine, &scan->block, params);
  g_autoptr (GError) error = NULL;
  TlEngineReport report;

  g_assert_true (tl_engine_get_report (engine, &report, &error));
  g_assert_cmpstr (report.variant->name, ==, wanted->name);
  g_assert_null (report.fallback);
  return frame;
}

static void
test_same (gconstpointer data)
{
  const Case *c = data;
  const size_t n_rows = c->variant->n_slices;
  g_autoptr (TlTestScan) scan =
      tl_test_scan_new_noise (N_PROJECTIONS, n_rows, N_COLS);
  TlParams params = tl_test_params (scan);
  const size_t n = n_rows * params.grid.nx * params.grid.ny;
  const double tolerance =
      TL_TOLERANCE_LAW_FACTOR
      * tl_test_tolerance (tl_engine_get_name (c->engine), c->variant,
                           N_PROJECTIONS, TRUE);
  g_autofree double *want = g_new (double, n), *ties = NULL;
  g_autoptr (TlFrame) got = NULL, other = NULL;

  /* The grid has no symmetry, so that a single row is not folded. */
  params.grid.x0 += 0.3;
  params.method = c->variant->is_fourier ? TL_METHOD_FOURIER : TL_METHOD_AUTO;
  params.interpolation = c->variant->interpolation;
  params.precision = c->variant->precision;
  tl_engine_use_variant (c->engine, c->other);
  other = reconstruct (c->engine, scan, &params, c->other);
  tl_engine_use_variant (c->engine, NULL);
  for (size_t i = 0; i < n; i++)
    want[i] = tl_frame_get_pixels (other)[i];

  if (c->variant->is_reference)
    tl_engine_use_variant (c->engine, c->variant);
  else
    tune (c->engine, c->variant);
  got = reconstruct (c->engine, scan, &params, c->variant);
  tl_engine_use_variant (c->engine, NULL);
  tl_engine_set_tuning (c->engine, NULL);
  ties = tl_plain_find_ties (
      &scan->block, &params,
      tl_test_rounding (tl_engine_get_name (c->engine), params.precision));
  tl_test_assert_slices (tl_frame_get_pixels (got), want, ties, n, tolerance);
}

/* With more projections than a texture has rows, the engine falls back to
 * another kernel. */
static void
test_too_many (gconstpointer data)
{
  const Case *c = data;
  g_autoptr (TlTestScan) scan =
      tl_test_scan_new_noise (N_MANY, c->variant->n_slices, N_FEW_COLS);
  TlParams params = tl_test_params (scan);
  g_autoptr (TlFrame) frame = NULL, again = NULL;
  g_autoptr (GError) error = NULL;
  TlEngineReport report;

  params.grid.x0 += 0.3; /* no symmetry, as above */
  params.interpolation = c->variant->interpolation;
  params.precision = c->variant->precision;
  tune (c->engine, c->variant);
  frame = tl_test_reconstruct (c->engine, &scan->block, &params);
  g_assert_true (tl_engine_get_report (c->engine, &report, &error));
  g_assert_cmpint (report.variant->kernel, ==, TL_KERNEL_ALU);
  g_assert_nonnull (report.fallback);
  g_test_message ("%s", report.fallback);
  g_assert_nonnull (strstr (report.fallback, c->variant->name));
  g_assert_nonnull (strstr (report.fallback, "tuned"));
  g_assert_nonnull (strstr (report.fallback, report.variant->name));

  /* If textures are requested, there is no fallback to another kernel. */
  params.kernel = TL_KERNEL_TEXTURE;
  again = tl_engine_reconstruct (c->engine, &params, NULL, &error);
  tl_engine_set_tuning (c->engine, NULL);
  g_assert_null (again);
  g_assert_error (error, TL_ERROR, TL_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message, "70000"));
}

static void
add (TlEngine *engine, const char *what, GTestDataFunc func,
     const TlVariant *variant, const TlVariant *other)
{
  g_autofree char *path =
      g_strdup_printf ("variants/%s/%s", what, variant->name);
  Case *c = g_new (Case, 1);

  *c = (Case){ engine, variant, other };
  tl_test_add (engine, path, func, c);
}

static void
add_cases (TlEngine *engine)
{
  size_t n;
  const TlVariant *const *list = tl_engine_list_variants (engine, &n);

  for (size_t i = 0; i < n; i++)
    {
      size_t first = 0;

      while (list[first]->is_fourier != list[i]->is_fourier
             || list[first]->interpolation != list[i]->interpolation
             || list[first]->precision != list[i]->precision)
        first++;
      add (engine, "same", test_same, list[i], list[first]);
      if (list[i]->kernel == TL_KERNEL_TEXTURE
          && list[i]->interpolation == TL_INTERPOLATION_LINEAR)
        add (engine, "too-many", test_too_many, list[i], NULL);
    }
}

int
main (int argc, char **argv)
{
  return tl_test_run_engines (argc, argv, add_cases);
}
