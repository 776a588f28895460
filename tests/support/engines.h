/* Test programs whose cases run once for each engine. */
#pragma once

#include "gpu/engine.h"

/**
 * tl_test_run_engines:
 * @add_cases: adds cases whose paths begin with the engine's name, such as
 *   "/host/correct/clamp"; the engine stays open until all have run
 *
 * For each engine that cannot be opened on this machine, one case is skipped
 * with the reason.
 *
 * Returns: what main() has to return
 */
int tl_test_run_engines (int argc, char **argv,
                         void (*add_cases) (TlEngine *engine));

/**
 * tl_test_add:
 * @path: below the engine's name, no slash at the beginning
 * @data: (transfer full): a flat piece of memory for g_free()
 */
void tl_test_add (TlEngine *engine, const char *path, GTestDataFunc func,
                  gpointer data);

/* A case that needs only the engine. */
typedef struct
{
  const char *path; /* as in tl_test_add() */
  GTestDataFunc func;
} TlTestCase;

/** tl_test_add_cases: Adds @cases, [@n]; their functions get the engine with
 * tl_test_get_engine(). */
void tl_test_add_cases (TlEngine *engine, const TlTestCase *cases, size_t n);

/** tl_test_get_engine: Returns: (transfer none): the engine of the case with
 * @data. */
TlEngine *tl_test_get_engine (gconstpointer data);

/**
 * tl_test_reconstruct:
 *
 * Loads @block, reconstructs it and fetches the frame. An error fails the test.
 *
 * Returns: (transfer full)
 */
TlFrame *tl_test_reconstruct (TlEngine *engine, const TlBlock *block,
                              const TlParams *params);

/**
 * tl_test_dup_corrected:
 *
 * Loads and reconstructs @block and reads the corrected rows. An error, or a
 * write beyond the rows, fails the test.
 *
 * Returns: (transfer full): [n_projections][slices][n_cols]: the rows before
 *   the filter
 */
float *tl_test_dup_corrected (TlEngine *engine, const TlBlock *block,
                              const TlParams *params);

/**
 * tl_test_assert_first:
 * @params: without a tilt that turns projections back
 *
 * Reconstructs and asserts that exactly the stages from @first on run, once
 * each; phase retrieval runs only if it is on.
 */
void tl_test_assert_first (TlEngine *engine, const TlParams *params,
                           TlStage first);
