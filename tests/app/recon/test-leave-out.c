/* A slice without some projections is that of a scan that has never had them,
 * reconstructed by the plain loops. */
#include "tests/app/recon/recon-fixture.h"

#include "app/recon/rows.h"
#include "tests/app/scratch.h"
#include "tests/support/plain.h"

#include <string.h>

enum
{
  N = 60,
  N_COLS = 57,
  ROW = 2
};

/* Of 60 projections over half a turn, without the others. */
#define LEFT_OUT "0,11,20:23,40"
static const size_t left_out[] = { 0, 11, 20, 21, 22, 23, 40 };

static gboolean
is_left_out (size_t p)
{
  for (size_t k = 0; k < G_N_ELEMENTS (left_out); k++)
    if (p == left_out[k])
      return TRUE;
  return FALSE;
}

/* Removes what is left out from a block of one row of all projections. */
static void
remove_projections (TlBlock *block, char *samples, double *angles_rad)
{
  const size_t bytes = block->n_cols * tl_sample_size (block->type);
  size_t n = 0;
  for (size_t p = 0; p < block->n_projections; p++)
    if (!is_left_out (p))
      {
        memmove (samples + n * bytes, samples + p * bytes, bytes);
        angles_rad[n++] = angles_rad[p];
      }
  g_assert_cmpuint (n, ==, N - G_N_ELEMENTS (left_out));
  block->n_projections = n;
}

/* Returns: (transfer full): the slice by plain loops */
static float *
make_plain (TlReconFixture *fixture, const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TlReader) reader = tl_reader_open (path, NULL, &error);
  g_assert_no_error (error);
  const TlScanInfo *info = tl_reader_get_info (reader);
  g_autoptr (TlRows) rows = tl_rows_new (info, 1, 0, &error);
  g_assert_no_error (error);
  g_assert_true (tl_rows_read (rows, reader, NULL, ROW, 1, 0, 1, NULL, &error));
  g_autofree double *angles_rad = tl_rows_angles (info, 1, &error);
  TlBlock block = tl_rows_get_block (rows, info, angles_rad);
  remove_projections (&block, rows->samples, angles_rad);
  g_autofree double *slice =
      tl_plain_reconstruct (&block, &fixture->recipe->params);
  const size_t n = (size_t)N_COLS * N_COLS;
  float *floats = g_new (float, n);
  for (size_t i = 0; i < n; i++)
    floats[i] = (float)slice[i];
  return floats;
}

static void
test_plain (gconstpointer engine)
{
  TlReconFixture fixture;
  if (!tl_recon_fixture_init (&fixture, engine))
    return;
  const size_t n = (size_t)N_COLS * N_COLS;
  g_autofree char *path =
      tl_scratch_phantom (fixture.folder, "scan.h5", N, 5, N_COLS);
  tl_recon_fixture_set (&fixture, "centre", "28.3");
  tl_recon_fixture_open (&fixture, path);
  g_autofree float *want = make_plain (&fixture, path);
  g_autoptr (TlFrame) all = tl_recon_fixture_run (&fixture, ROW, 1);
  const double distance =
      tl_recon_distance (tl_frame_get_pixels (all), want, n);
  g_clear_pointer (&fixture.recon, tl_recon_free);

  tl_recon_fixture_set (&fixture, "leave-out", LEFT_OUT);
  tl_recon_fixture_open (&fixture, path);
  g_autoptr (TlFrame) frame = tl_recon_fixture_run (&fixture, ROW, 1);
  g_assert_cmpfloat (tl_recon_distance (tl_frame_get_pixels (frame), want, n),
                     <, 1e-4);
  g_assert_cmpfloat (distance, >, 1e-2); /* they do count */
  tl_recon_fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/host/leave-out/plain", "host", test_plain);
  g_test_add_data_func ("/cuda/leave-out/plain", "cuda", test_plain);
  return g_test_run ();
}
