#include "tests/support/engines.h"

/* The data of all cases. They are freed here, because GLib frees the data of a
 * case only if it runs the case. */
static GPtrArray *given = NULL;

static gpointer
keep (gpointer data)
{
  if (given == NULL)
    given = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (given, data);
  return data;
}

static void
skip (gconstpointer data)
{
  g_test_skip (data);
}

int
tl_test_run_engines (int argc, char **argv,
                     void (*add_cases) (TlEngine *engine))
{
  static const char *const names[] = { "cuda", "host" };
  TlEngine *engines[G_N_ELEMENTS (names)] = { NULL };
  int result;

  g_test_init (&argc, &argv, NULL);
  for (size_t i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (GError) error = NULL;

      engines[i] = tl_engine_open (names[i], &error);
      if (engines[i] != NULL)
        add_cases (engines[i]);
      else
        {
          g_autofree char *path = g_strdup_printf ("/%s/available", names[i]);

          g_test_add_data_func (path, keep (g_strdup (error->message)), skip);
        }
    }
  result = g_test_run ();
  g_clear_pointer (&given, g_ptr_array_unref);
  for (size_t i = 0; i < G_N_ELEMENTS (names); i++)
    g_clear_pointer (&engines[i], tl_engine_close);
  return result;
}

void
tl_test_add (TlEngine *engine, const char *path, GTestDataFunc func,
             gpointer data)
{
  g_autofree char *full =
      g_strdup_printf ("/%s/%s", tl_engine_get_name (engine), path);

  g_test_add_data_func (full, keep (data), func);
}

void
tl_test_add_cases (TlEngine *engine, const TlTestCase *cases, size_t n)
{
  for (size_t i = 0; i < n; i++)
    tl_test_add (engine, cases[i].path, cases[i].func,
                 g_memdup2 (&engine, sizeof engine));
}

TlEngine *
tl_test_get_engine (gconstpointer data)
{
  return *(TlEngine *const *)data;
}

TlFrame *
tl_test_reconstruct (TlEngine *engine, const TlBlock *block,
                     const TlParams *params)
{
  g_autoptr (GError) error = NULL;
  TlFrame *frame;

  tl_engine_load (engine, block, &error);
  g_assert_no_error (error);
  frame = tl_engine_reconstruct (engine, params, NULL, &error);
  g_assert_no_error (error);
  g_assert_nonnull (frame);
  tl_frame_fetch (frame, &error);
  g_assert_no_error (error);
  return frame;
}

float *
tl_test_dup_corrected (TlEngine *engine, const TlBlock *block,
                       const TlParams *params)
{
  const size_t n_slices = block->n_rows - block->n_above - block->n_below;
  const size_t n = block->n_projections * n_slices * block->n_cols;
  g_autoptr (TlFrame) frame = tl_test_reconstruct (engine, block, params);
  g_autoptr (GError) error = NULL;
  float *got = g_new (float, n + 1);

  g_assert_cmpuint (tl_frame_get_n_slices (frame), ==, n_slices);
  got[n] = 4711.0f; /* a guard value: detects a write beyond the rows */
  g_assert_true (tl_engine_read_corrected (engine, got, &error));
  g_assert_cmpfloat (got[n], ==, 4711.0f);
  return got;
}

void
tl_test_assert_first (TlEngine *engine, const TlParams *params, TlStage first)
{
  TlEngineReport before, after;
  g_autoptr (GError) error = NULL;
  g_autoptr (TlFrame) frame = NULL;

  g_assert_true (tl_engine_get_report (engine, &before, &error));
  frame = tl_engine_reconstruct (engine, params, NULL, &error);
  g_assert_no_error (error);
  g_assert_nonnull (frame);
  g_assert_true (tl_engine_get_report (engine, &after, &error));
  for (guint stage = 0; stage < TL_N_STAGES; stage++)
    {
      g_test_message ("%s: %u", tl_stage_names[stage],
                      after.n_runs[stage] - before.n_runs[stage]);
      g_assert_cmpuint (after.n_runs[stage] - before.n_runs[stage], ==,
                        stage >= (guint)first && stage != TL_STAGE_TILT
                            && (stage != TL_STAGE_PHASE || params->phase.on));
    }
}
