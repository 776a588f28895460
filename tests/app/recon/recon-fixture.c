#include "tests/app/recon/recon-fixture.h"

#include "tests/app/scratch.h"

#include <math.h>

gboolean
tl_recon_fixture_init (TlReconFixture *fixture, const char *engine)
{
  g_autoptr (GError) error = NULL;
  *fixture = (TlReconFixture){ .engine = tl_engine_open (engine, &error) };
  if (fixture->engine == NULL)
    {
      g_test_skip (error->message);
      return FALSE;
    }
  fixture->folder = tl_scratch_new ();
  fixture->recipe = tl_recipe_new ();
  tl_recon_fixture_set (fixture, "engine", engine);
  return TRUE;
}

void
tl_recon_fixture_clear (TlReconFixture *fixture)
{
  g_clear_pointer (&fixture->recon, tl_recon_free);
  tl_recipe_free (fixture->recipe);
  tl_engine_close (fixture->engine);
  tl_scratch_free (fixture->folder);
}

void
tl_recon_fixture_set (TlReconFixture *fixture, const char *key,
                      const char *value)
{
  g_autoptr (GError) error = NULL;
  tl_recipe_set (fixture->recipe, key, value, &error);
  g_assert_no_error (error);
}

void
tl_recon_fixture_open (TlReconFixture *fixture, const char *path)
{
  g_autoptr (GError) error = NULL;
  TlReaderOptions options;
  tl_recipe_reader_options (fixture->recipe, &options);
  TlReader *reader = tl_reader_open (path, &options, &error);
  g_assert_no_error (error);
  tl_recipe_resolve (fixture->recipe, tl_reader_get_info (reader), &error);
  g_assert_no_error (error);
  fixture->recon = tl_recon_new (reader, fixture->engine);
}

TlFrame *
tl_recon_fixture_run (TlReconFixture *fixture, size_t row, size_t n_rows)
{
  g_autoptr (GError) error = NULL;
  TlFrame *frame =
      tl_recon_run (fixture->recon, fixture->recipe, row, n_rows, NULL, &error);
  g_assert_no_error (error);
  tl_frame_fetch (frame, &error);
  g_assert_no_error (error);
  return frame;
}

TlExportJob
tl_recon_fixture_job (TlReconFixture *fixture, size_t first_row, size_t n_rows,
                      const char *path)
{
  TlExportJob job = {
    .scan = tl_reader_get_info (tl_recon_get_reader (fixture->recon))->path,
    .recipe = fixture->recipe,
    .path = path,
  };
  fixture->recipe->params.method = TL_METHOD_BACKPROJECTION;
  tl_export_settings_init (&job.settings, n_rows);
  job.settings.first_row = first_row;
  return job;
}

double
tl_recon_distance (const float *got, const float *want, size_t n)
{
  double off = 0, all = 0;
  for (size_t i = 0; i < n; i++)
    {
      off += pow ((double)got[i] - (double)want[i], 2);
      all += pow ((double)want[i], 2);
    }
  g_assert_cmpfloat (all, >, 0);
  return sqrt (off / all);
}
