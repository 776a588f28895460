/* The four real data sets are read as their descriptions say. */
#include "data/read/reader.h"

#include "data/error.h"
#include "data/read/survey/frame-check.h"

#include <math.h>
#include <string.h>

typedef struct
{
  const char *path, *format;
  size_t n_projections, n_rows, n_cols;
  TlSampleType type;
  size_t n_flats, n_flats_before, n_darks;
  gboolean is_attenuation;
  double first_deg, last_deg;
  double low, high; /* of all samples; equal: unknown */
} Scan;

/* Ranges are those of the descriptions; the largest count, 24737, was found
 * without libtiff. */
static const Scan scans[] = {
  { "tomopy-tooth/tooth.h5", "Data Exchange HDF5", 181, 2, 640, TL_SAMPLE_F32,
    10, 10, 10, FALSE, 0, 179.0055, 3921, 33892 },
  { "savu-24737-nxtomo/24737-derived.nxs", "NXtomo HDF5", 91, 135, 160,
    TL_SAMPLE_U16, 10, 5, 10, FALSE, -88.2, 91.8, 0, 31260 },
  { "savu-24737-tiff", "TIFF folder", 91, 135, 160, TL_SAMPLE_U16, 1, 1, 1,
    FALSE, -88.2, 91.8, 0, 31260 },
  { "savu-24737-tiff/tiffs", "TIFF folder", 91, 135, 160, TL_SAMPLE_U16, 1, 1,
    1, FALSE, -88.2, 91.8, 0, 31260 },
  { "psi-wood-sinogram/woodsino_0200.tif", "TIFF sinogram", 626, 1, 448,
    TL_SAMPLE_F32, 0, 0, 0, TRUE, 0, 180 - 180.0 / 626, -0.196, 1.388 },
};

/* Returns: (transfer full) (nullable): %NULL after a skip */
static char *
find_data (const char *name)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "..", "..",
                                                 "shared", "data", name, NULL);
  if (g_file_test (path, G_FILE_TEST_EXISTS))
    return g_steal_pointer (&path);
  g_autofree char *reason =
      g_strdup_printf ("the real scan %s is not in ../shared/data", name);
  g_test_skip (reason);
  return NULL;
}

static void
test_scan (gconstpointer data)
{
  const Scan *want = data;
  g_autofree char *path = find_data (want->path);
  if (path == NULL)
    return;
  g_autoptr (GError) error = NULL;
  g_autoptr (TlReader) reader = tl_reader_open (path, NULL, &error);
  g_assert_no_error (error);
  const TlScanInfo *info = tl_reader_get_info (reader);
  g_assert_cmpstr (info->format, ==, want->format);
  g_assert_cmpuint (info->n_projections, ==, want->n_projections);
  g_assert_cmpuint (info->n_rows, ==, want->n_rows);
  g_assert_cmpuint (info->n_cols, ==, want->n_cols);
  g_assert_cmpint (info->type, ==, want->type);
  g_assert_cmpuint (info->n_flats, ==, want->n_flats);
  g_assert_cmpuint (info->n_flats_before, ==, want->n_flats_before);
  g_assert_cmpuint (info->n_darks, ==, want->n_darks);
  g_assert_true (info->is_attenuation == want->is_attenuation);
  g_assert_cmpfloat_with_epsilon (info->angles_deg[0], want->first_deg, 1e-3);
  g_assert_cmpfloat_with_epsilon (info->angles_deg[want->n_projections - 1],
                                  want->last_deg, 1e-3);
  size_t n = want->n_projections * want->n_rows * want->n_cols;
  g_autofree void *samples = g_malloc (n * tl_sample_size (info->type));
  g_autofree float *values = g_new (float, n);
  g_assert_true (
      tl_reader_read (reader, 0, want->n_rows, samples, NULL, &error));
  tl_samples_to_float (info->type, samples, n, values);
  double low = INFINITY, high = -INFINITY;
  for (size_t i = 0; i < n; i++)
    {
      low = fmin (low, values[i]);
      high = fmax (high, values[i]);
    }
  double tolerance = 0.005 * want->high;
  g_assert_cmpfloat_with_epsilon (low, want->low, tolerance);
  g_assert_cmpfloat_with_epsilon (high, want->high, tolerance);
}

/* No flat and no dark of a real scan is left out, nor are all called wrong. */
static void
test_fields (gconstpointer data)
{
  const Scan *scan = data;
  g_autofree char *path = find_data (scan->path);
  if (path == NULL)
    return;
  g_autoptr (GError) error = NULL;
  g_autoptr (TlReader) reader = tl_reader_open (path, NULL, &error);
  g_assert_no_error (error);
  for (TlFrameKind kind = TL_FRAMES_FLATS; kind <= TL_FRAMES_DARKS; kind++)
    {
      const size_t n = kind == TL_FRAMES_FLATS ? scan->n_flats : scan->n_darks;
      const guint8 *states = tl_reader_judge_fields (reader, kind, &error);
      g_assert_no_error (error);
      for (size_t k = 0; k < n; k++)
        g_assert_cmpuint (states[k], ==, TL_FIELD_GOOD);
    }
  g_autoptr (TlFrameCheck) check =
      tl_frame_check_new (reader, (guint64)512 << 20);
  for (gboolean is_done = FALSE; !is_done;)
    {
      g_assert_true (tl_frame_check_step (check, &is_done, &error));
      g_assert_no_error (error);
    }
  g_assert_cmpint (tl_frame_check_get_fault (check), ==, TL_FIELDS_FINE);
}

/* The container has the same pixels as the folder. */
static void
test_same_pixels (void)
{
  static const char *const names[] = { "savu-24737-nxtomo/24737-derived.nxs",
                                       "savu-24737-tiff" };
  enum
  {
    N = 91 * 160
  };
  g_autofree guint16 *samples = g_new (guint16, 2 * N);
  double dark[2][160], first[2][160], last[2][160];
  for (size_t i = 0; i < 2; i++)
    {
      g_autofree char *path = find_data (names[i]);
      if (path == NULL)
        return;
      g_autoptr (GError) error = NULL;
      g_autoptr (TlReader) reader = tl_reader_open (path, NULL, &error);
      g_assert_no_error (error);
      g_assert_true (
          tl_reader_read (reader, 100, 1, samples + i * N, NULL, &error));
      g_assert_true (tl_reader_read_fields (reader, 100, 1, dark[i], first[i],
                                            last[i], NULL, &error));
    }
  g_assert_cmpmem (samples, N * 2, samples + N, N * 2);
  g_assert_cmpmem (dark[0], sizeof dark[0], dark[1], sizeof dark[1]);
  g_assert_cmpmem (first[0], sizeof first[0], first[1], sizeof first[1]);
  g_assert_cmpmem (last[0], sizeof last[0], last[1], sizeof last[1]);
}

static void
test_missing_images (void)
{
  g_autofree char *path = find_data ("savu-24737-nxtomo/24888.nxs");
  if (path == NULL)
    return;
  g_autoptr (GError) error = NULL;
  g_assert_null (tl_reader_open (path, NULL, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_FILE);
  g_assert_true (g_str_has_prefix (error->message, "24888.nxs: "));
  g_assert_nonnull (strstr (error->message,
                            "/dls/i13/data/2014/mt9396-1/raw/pco1-24888.hdf"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (size_t i = 0; i < G_N_ELEMENTS (scans); i++)
    {
      g_autofree char *path = g_strdup_printf ("/real/%s", scans[i].path);
      g_test_add_data_func (path, &scans[i], test_scan);
      g_autofree char *fields = g_strconcat (path, "/fields", NULL);
      if (scans[i].n_flats > 0)
        g_test_add_data_func (fields, &scans[i], test_fields);
    }
  g_test_add_func ("/real/same-pixels", test_same_pixels);
  g_test_add_func ("/real/missing-images", test_missing_images);
  return g_test_run ();
}
