#include "tests/support/engines.h"

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

          g_test_add_data_func_full (path, g_strdup (error->message), skip,
                                     g_free);
        }
    }
  result = g_test_run ();
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

  g_test_add_data_func_full (full, data, func, g_free);
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
