/* Odd projections are found, wherever they are, and good ones are not. */
#include "data/read/survey/frame-check.h"

#include "tests/data/read/scan-files.h"

#include <math.h>
#include <string.h>

enum
{
  N = 160,
  N_ROWS = 6,
  N_COLS = 32,
  DARK = 100,
  BRIGHT = 2000
};

#define ALL_BYTES (1 << 30)

typedef struct
{
  Folder *folder;
  guint16 samples[N][N_ROWS][N_COLS];
  double angles_deg[N];
  gboolean is_float; /* attenuation, without fields */
  hsize_t chunk[3];
  const size_t *damaged; /* [n_damaged], of chunks of one projection */
  size_t n_damaged;
} Made;

/* Beside the beam a sample that is thick in some projections. */
static Made *
made_new (void)
{
  Made *made = g_new0 (Made, 1);
  made->folder = folder_new ();
  for (size_t p = 0; p < N; p++)
    {
      const double thick = 1 + cos (G_PI * (double)p / N);
      made->angles_deg[p] = 180.0 * (double)p / N;
      for (size_t i = 0; i < (size_t)N_ROWS * N_COLS; i++)
        {
          const gboolean in_sample = i % N_COLS > 4 && i % N_COLS < 24;
          made->samples[p][i / N_COLS][i % N_COLS] =
              (guint16)(DARK + BRIGHT * (in_sample ? exp (-thick) : 1)
                        + g_test_rand_int_range (0, 20));
        }
    }
  return made;
}

static void
made_free (Made *made)
{
  folder_remove (made->folder);
  g_free (made);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Made, made_free)

/* Scales the beam in projections @first to @last. */
static void
dim (Made *made, size_t first, size_t last, double factor)
{
  for (size_t p = first; p <= last; p++)
    for (size_t i = 0; i < (size_t)N_ROWS * N_COLS; i++)
      {
        guint16 *sample = &made->samples[p][i / N_COLS][i % N_COLS];
        *sample = (guint16)(DARK + factor * (*sample - DARK));
      }
}

static void
fill (Made *made, size_t first, size_t last, size_t first_row, guint16 value)
{
  for (size_t p = first; p <= last; p++)
    for (size_t row = first_row; row < N_ROWS; row++)
      for (size_t col = 0; col < N_COLS; col++)
        made->samples[p][row][col] = value;
}

static void
write_samples (Made *made, hid_t file)
{
  const hsize_t dims[3] = { N, N_ROWS, N_COLS };
  hid_t plist = H5Pcreate (H5P_DATASET_CREATE);
  hid_t links = H5Pcreate (H5P_LINK_CREATE);
  hid_t space = H5Screate_simple (3, dims, NULL);
  hid_t type = made->is_float ? H5T_NATIVE_FLOAT : H5T_NATIVE_UINT16;
  H5Pset_create_intermediate_group (links, 1);
  if (made->chunk[0] > 0)
    {
      H5Pset_chunk (plist, 3, made->chunk);
      H5Pset_deflate (plist, 1);
    }
  hid_t dataset = H5Dcreate2 (file, "/exchange/data", type, space, links, plist,
                              H5P_DEFAULT);
  g_assert_cmpint (H5Dwrite (dataset, H5T_NATIVE_UINT16, H5S_ALL, H5S_ALL,
                             H5P_DEFAULT, made->samples),
                   >=, 0);
  for (size_t k = 0; k < made->n_damaged; k++)
    {
      const hsize_t at[3] = { made->damaged[k], 0, 0 };
      g_assert_cmpint (H5Dwrite_chunk (dataset, H5P_DEFAULT, 0, at, 4, "bad"),
                       >=, 0);
    }
  H5Dclose (dataset);
  H5Sclose (space);
  H5Pclose (links);
  H5Pclose (plist);
}

static TlReader *
open_made (Made *made, const char *leave_out)
{
  const TlReaderOptions options = { .leave_out = leave_out };
  const H5Shape flats = { .dims = { 2, N_ROWS, N_COLS }, .value = BRIGHT };
  const H5Shape darks = { .dims = { 2, N_ROWS, N_COLS }, .value = DARK };
  hid_t file = h5_create (made->folder, "scan.h5", 0);
  if (!made->is_float)
    {
      h5_write_frames (file, "/exchange/data_white", &flats);
      h5_write_frames (file, "/exchange/data_dark", &darks);
    }
  write_samples (made, file);
  h5_write_numbers (file, "/exchange/theta", made->angles_deg, N, NULL);
  H5Fclose (file);
  return assert_opens (made->folder, "scan.h5", &options);
}

/* @want: [TL_N_ODD_KINDS], %NULL where nothing is to be found. Returns: how
 * many projections were examined */
static size_t
assert_found (Made *made, const char *leave_out, guint64 bytes,
              const char *const *want)
{
  g_autoptr (TlReader) reader = open_made (made, leave_out);
  g_autoptr (TlFrameCheck) check = tl_frame_check_new (reader, bytes);
  for (gboolean is_done = FALSE; !is_done;)
    {
      g_autoptr (GError) error = NULL;
      g_assert_true (tl_frame_check_step (check, &is_done, &error));
      g_assert_no_error (error);
    }
  const TlOddFrames *found = tl_frame_check_get (check);
  for (size_t k = 0; k < TL_N_ODD_KINDS; k++)
    {
      g_test_message ("kind %zu: %s", k, found[k].frames);
      g_assert_cmpstr (found[k].frames, ==, want[k]);
    }
  g_assert_cmpint (tl_frame_check_get_fault (check), ==, TL_FIELDS_FINE);
  return tl_frame_check_count (check);
}

static const char *const nothing[TL_N_ODD_KINDS];

static void
test_good (void)
{
  g_autoptr (Made) made = made_new ();
  g_assert_cmpuint (assert_found (made, NULL, ALL_BYTES, nothing), ==, N);
}

/* All kinds in one scan, however it is compressed. */
static void
test_kinds (void)
{
  static const hsize_t chunks[][3] = {
    { 0 }, { 1, N_ROWS, N_COLS }, { 16, N_ROWS, N_COLS }, { 7, 2, N_COLS }
  };
  static const char *const want[TL_N_ODD_KINDS] = {
    [TL_ODD_EMPTY] = "0,20:29",    [TL_ODD_UNFINISHED] = "50",
    [TL_ODD_LOST] = "70:73",       [TL_ODD_DIM] = "100,120:122",
    [TL_ODD_REPEATED] = "151,155",
  };
  g_autoptr (Made) made = made_new ();
  fill (made, 0, 0, 0, 0);
  fill (made, 20, 29, 0, G_MAXUINT16);
  fill (made, 50, 50, 4, 0);
  dim (made, 70, 73, 0.01);
  dim (made, 100, 100, 0.85);
  dim (made, 120, 122, 0.5);
  made->angles_deg[151] = made->angles_deg[150];
  made->angles_deg[155] = made->angles_deg[40];
  for (size_t k = 0; k < G_N_ELEMENTS (chunks); k++)
    {
      memcpy (made->chunk, chunks[k], sizeof made->chunk);
      g_assert_cmpuint (assert_found (made, NULL, ALL_BYTES, want), ==, N);
    }
}

/* The end of a scan that was broken off, more than half of it. */
static void
test_broken_off (void)
{
  static const char *const want[TL_N_ODD_KINDS] = {
    [TL_ODD_EMPTY] = "51:159", [TL_ODD_UNFINISHED] = "50"
  };
  g_autoptr (Made) made = made_new ();
  fill (made, 50, 50, 3, 0);
  fill (made, 51, N - 1, 0, 0);
  assert_found (made, NULL, ALL_BYTES, want);
}

/* Numbers are those of the file, and what is left out is not found again. */
static void
test_left_out (void)
{
  static const char *const want[TL_N_ODD_KINDS] = { [TL_ODD_LOST] = "70:73" };
  g_autoptr (Made) made = made_new ();
  fill (made, 20, 29, 0, 0);
  dim (made, 70, 73, 0.01);
  g_assert_cmpuint (assert_found (made, "5,20:29", ALL_BYTES, want), ==,
                    N - 11);
}

/* Of compressed images only some are read, and all that may be odd. */
static void
test_some (void)
{
  static const char *const want[TL_N_ODD_KINDS] = {
    [TL_ODD_EMPTY] = "43:97", [TL_ODD_LOST] = "121:127"
  };
  g_autoptr (Made) made = made_new ();
  const hsize_t chunk[3] = { 1, N_ROWS, N_COLS };
  memcpy (made->chunk, chunk, sizeof chunk);
  fill (made, 43, 97, 0, 0);
  dim (made, 121, 127, 0.01);
  /* of a projection the reading of 4 rows counts as 16 kB */
  const size_t n = assert_found (made, NULL, N / 4 * 16 * 1024, want);
  g_assert_cmpuint (n, ==,
                    N / 4 + 3 * (97 / 4 - 43 / 4 + 1 + 128 / 4 - 120 / 4));
}

/* A projection that is not read, because it is between two that are odd, may
 * be good; and where most of those that are read are neighbours, which hardly
 * differ, the sample makes others that are far apart differ more. */
static void
test_beside_damaged (void)
{
  static const double beam[] = { 1, 0.95, 1, 0.95, 0.8 };
  static const size_t damaged[] = { 48, 56, 88, 128 };
  static const char *const want[TL_N_ODD_KINDS] = { [TL_ODD_UNREADABLE] =
                                                        "48,56,88,128" };
  enum
  {
    STRIDE = 8
  };
  g_autoptr (Made) made = made_new ();
  const hsize_t chunk[3] = { 1, N_ROWS, N_COLS };
  memcpy (made->chunk, chunk, sizeof chunk);
  made->damaged = damaged;
  made->n_damaged = G_N_ELEMENTS (damaged);
  for (size_t p = 0; p < N; p++)
    {
      const double part = (double)(p % STRIDE) / STRIDE;
      const double before = beam[p / STRIDE % G_N_ELEMENTS (beam)];
      const double after = beam[(p / STRIDE + 1) % G_N_ELEMENTS (beam)];
      dim (made, p, p, before + part * (after - before));
    }
  const size_t n = assert_found (made, NULL, N / STRIDE * 16 * 1024, want);
  g_assert_cmpuint (n, <, N / 2);
}

/* Rows behind an aperture are the same in every projection. */
static void
test_aperture (void)
{
  g_autoptr (Made) made = made_new ();
  for (size_t p = 0; p < N; p++)
    fill (made, p, p, N_ROWS - 1, 0);
  assert_found (made, NULL, ALL_BYTES, nothing);
}

/* A plate that turns into the beam covers it little by little. */
static void
test_plate (void)
{
  g_autoptr (Made) made = made_new ();
  for (size_t p = 0; p < N; p++)
    dim (made, p, p,
         exp (-0.2 / fmax (fabs (cos (G_PI * (double)p / N)), 0.05)));
  assert_found (made, NULL, ALL_BYTES, nothing);
}

/* A lamp that becomes weaker, and steps of it for good. */
static void
test_drift (void)
{
  g_autoptr (Made) made = made_new ();
  for (size_t p = 0; p < N; p++)
    dim (made, p, p, 1 - 0.5 * (double)p / N);
  assert_found (made, NULL, ALL_BYTES, nothing);
}

/* Attenuation says nothing of the beam. */
static void
test_attenuation (void)
{
  static const char *const want[TL_N_ODD_KINDS] = { [TL_ODD_EMPTY] = "20" };
  g_autoptr (Made) made = made_new ();
  made->is_float = TRUE;
  fill (made, 20, 20, 0, 0);
  dim (made, 70, 73, 0.01);
  assert_found (made, NULL, ALL_BYTES, want);
}

/* Two projections at each angle are a plan, and 0 and 360 degrees differ. */
static void
test_angles (void)
{
  g_autoptr (Made) made = made_new ();
  for (size_t p = 0; p < N; p++)
    made->angles_deg[p] = 360.0 * (double)(p / 2) / (N / 2 - 1);
  assert_found (made, NULL, ALL_BYTES, nothing);
}

/* In the golden ratio neighbours are far apart. */
static void
test_golden_angles (void)
{
  static const char *const want[TL_N_ODD_KINDS] = { [TL_ODD_REPEATED] = "90" };
  g_autoptr (Made) made = made_new ();
  for (size_t p = 0; p < N; p++)
    made->angles_deg[p] = fmod (111.246117975 * (double)p, 180);
  assert_found (made, NULL, ALL_BYTES, nothing);
  made->angles_deg[90] = made->angles_deg[12];
  assert_found (made, NULL, ALL_BYTES, want);
}

/* A sample that covers the detector is darker from one side than from the
 * other. In order of the angles that comes little by little; interlaced, at
 * once. */
static void
test_interlaced (void)
{
  static const size_t n_passes[] = { 1, 8 };
  for (size_t i = 0; i < G_N_ELEMENTS (n_passes); i++)
    {
      g_autoptr (Made) made = made_new ();
      const size_t n = n_passes[i];
      for (size_t p = 0; p < N; p++)
        {
          const size_t place = p % (N / n) * n + p / (N / n);
          const double angle_deg = 180.0 * (double)place / N;
          made->angles_deg[p] = angle_deg;
          dim (made, p, p, 1 - 0.8 * exp (-pow ((angle_deg - 70) / 8, 2)));
        }
      assert_found (made, NULL, ALL_BYTES, nothing);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/frame-check/good", test_good);
  g_test_add_func ("/frame-check/kinds", test_kinds);
  g_test_add_func ("/frame-check/broken-off", test_broken_off);
  g_test_add_func ("/frame-check/left-out", test_left_out);
  g_test_add_func ("/frame-check/some", test_some);
  g_test_add_func ("/frame-check/beside-damaged", test_beside_damaged);
  g_test_add_func ("/frame-check/aperture", test_aperture);
  g_test_add_func ("/frame-check/plate", test_plate);
  g_test_add_func ("/frame-check/drift", test_drift);
  g_test_add_func ("/frame-check/attenuation", test_attenuation);
  g_test_add_func ("/frame-check/angles", test_angles);
  g_test_add_func ("/frame-check/golden-angles", test_golden_angles);
  g_test_add_func ("/frame-check/interlaced", test_interlaced);
  return g_test_run ();
}
