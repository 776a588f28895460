/* Projections that are left out are not read, in every kind of file. */
#include "data/error.h"
#include "tests/data/read/scan-files.h"

#include <math.h>

enum
{
  N = 9
};

/* What remains of 9 projections without "1,4:6". */
static const size_t used[] = { 0, 2, 3, 7, 8 };

static void
assert_left_out (Folder *folder, const char *name, guint64 budget)
{
  const TlReaderOptions options = { .leave_out = "1,4:6",
                                    .has_angles = TRUE,
                                    .angles_deg = { 0, 160 } };
  g_autoptr (TlReader) reader = assert_opens (folder, name, &options);
  const TlScanInfo *info = tl_reader_get_info (reader);
  tl_reader_set_budget (reader, budget);
  g_assert_cmpuint (info->n_projections, ==, G_N_ELEMENTS (used));
  for (size_t p = 0; p < info->n_projections; p++)
    {
      g_assert_cmpuint (info->frames[p], ==, used[p]);
      g_assert_cmpfloat (info->angles_deg[p], ==, 20.0 * (double)used[p]);
    }
  assert_samples (reader, 3, used);
  g_assert_true (
      has_note (reader, "left out: 1,4:6; 5 of 9 projections are used"));
}

static void
test_hdf5 (void)
{
  static const H5Shape shapes[] = {
    { .dims = { N, 4, 6 }, .base = 3 },
    { .dims = { N, 4, 6 }, .base = 3, .chunk = { 1, 4, 6 }, .deflate = TRUE },
    { .dims = { N, 4, 6 }, .base = 3, .chunk = { 4, 2, 6 }, .deflate = TRUE },
  };
  g_autoptr (Folder) folder = folder_new ();
  for (size_t i = 0; i < G_N_ELEMENTS (shapes); i++)
    {
      hid_t file = h5_create (folder, "scan.h5", 0);
      h5_write_frames (file, "/exchange/data", &shapes[i]);
      H5Fclose (file);
      assert_left_out (folder, "scan.h5", 0);
      assert_left_out (folder, "scan.h5", 1 << 20);
    }
}

static void
test_images (void)
{
  const TiffShape stack = { .dims = { N, 4, 6 },
                            .type = TL_SAMPLE_U16,
                            .base = 3 };
  g_autoptr (Folder) folder = folder_new ();
  folder_write_tiff (folder, "stack.tif", &stack);
  folder_write_numbered (folder, "sub/p_", N, 3, TL_SAMPLE_U16);
  assert_left_out (folder, "stack.tif", 0);
  assert_left_out (folder, "sub", 0);
}

static void
write_stack (Folder *folder)
{
  const TiffShape shape = { .dims = { N, 4, 6 }, .type = TL_SAMPLE_U16 };
  folder_write_tiff (folder, "scan.tif", &shape);
}

/* A file that is left out need not be there. */
static void
test_missing_file (void)
{
  const TlReaderOptions options = { .leave_out = "4" };
  g_autoptr (Folder) folder = folder_new ();
  folder_write_numbered (folder, "p_", N, 3, TL_SAMPLE_U16);
  g_autoptr (TlReader) reader = assert_opens (folder, "", &options);
  g_autofree char *path = folder_path (folder, "p_4.tif");
  g_assert_cmpint (remove (path), ==, 0);
  static const size_t others[] = { 0, 1, 2, 3, 5, 6, 7, 8 };
  assert_samples (reader, 3, others);
}

/* Opens the folder, of whose projections 0 and 3 cannot be read. */
static void
assert_unreadable (Folder *folder, const char *leave_out, gboolean is_noted)
{
  static const size_t others[] = { 1, 2, 4, 5, 6, 7, 8 };
  const TlReaderOptions options = { .leave_out = leave_out };
  g_autoptr (TlReader) reader = assert_opens (folder, "", &options);
  const TlScanInfo *info = tl_reader_get_info (reader);
  g_assert_cmpuint (info->n_projections, ==, G_N_ELEMENTS (others));
  g_assert_cmpuint (info->n_flats, ==, 2);
  for (size_t p = 0; p < info->n_projections; p++)
    {
      g_assert_cmpuint (info->frames[p], ==, others[p]);
      g_assert_cmpfloat (info->angles_deg[p], ==, 20.0 * (double)others[p]);
    }
  assert_samples (reader, 3, others);
  g_assert_cmpint (
      has_note (reader, "*cannot be read*: 0,3; the first: p_0.tif: *"), ==,
      is_noted);
  g_assert_false (has_note (reader, "*projection* missing*"));
  g_assert_true (has_note (reader, "1 image of 3 flat*: flat_1.tif: *"));
}

/* An image that cannot be read does not lock the others, nor shift them. */
static void
test_unreadable (void)
{
  static const char *const texts[] = { "", "this is no image" };
  for (size_t i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (Folder) folder = folder_new ();
      folder_write_numbered (folder, "p_", N, 3, TL_SAMPLE_U16);
      folder_write_numbered (folder, "flat_", 3, 3, TL_SAMPLE_U16);
      folder_write_text (folder, "p_0.tif", texts[i]);
      folder_truncate (folder, "p_3.tif", 0.5);
      folder_write_text (folder, "flat_1.tif", texts[i]);
      assert_unreadable (folder, NULL, TRUE);
      assert_unreadable (folder, "0,3", FALSE);
      folder_write_text (folder, "p_5.tif", texts[i]);
      folder_write_text (folder, "p_6.tif", texts[i]);
      folder_write_text (folder, "p_8.tif", texts[i]);
      assert_refuses (folder, "", NULL, TL_ERROR_FILE,
                      "5 of 9 files of projections cannot be read, more than "
                      "half; *the first: p_0.tif: *");
    }
}

/* Projections have one number everywhere; where their files have others, these
 * are named, too. */
static void
test_file_numbers (void)
{
  const TlReaderOptions options = { .leave_out = "1" };
  g_autoptr (Folder) folder = folder_new ();
  folder_write_numbered (folder, "p_", N, 3, TL_SAMPLE_U16);
  g_autofree char *missing = folder_path (folder, "p_2.tif");
  g_assert_cmpint (remove (missing), ==, 0);
  folder_write_text (folder, "p_5.tif", "");
  folder_write_text (folder, "p_6.tif", "");
  folder_write_text (folder, "p_8.tif", "");
  g_autoptr (TlReader) reader = assert_opens (folder, "", &options);
  g_assert_true (has_note (reader, "*left out: 4:5 (p_5.tif to p_6.tif),7 "
                                   "(p_8.tif); the first: p_5.tif: *"
                                   "--leave-out 1,4:5,7 leaves them*"));
  g_assert_true (has_note (reader, "left out: 1 (p_1.tif);*"));
}

/* A scan goes without half of its flat fields, not without more. */
static void
test_unreadable_flats (void)
{
  g_autoptr (Folder) folder = folder_new ();
  folder_write_numbered (folder, "p_", N, 3, TL_SAMPLE_U16);
  folder_write_numbered (folder, "flat_", 2, 3, TL_SAMPLE_U16);
  folder_write_text (folder, "flat_1.tif", "");
  g_autoptr (TlReader) reader = assert_opens (folder, "", NULL);
  g_assert_cmpuint (tl_reader_get_info (reader)->n_flats, ==, 1);
  g_assert_true (has_note (reader, "1 image of 2 flat*: flat_1.tif: *"));
  folder_write_numbered (folder, "flat_", 3, 3, TL_SAMPLE_U16);
  folder_write_text (folder, "flat_1.tif", "");
  folder_write_text (folder, "flat_2.tif", "");
  assert_refuses (folder, "", NULL, TL_ERROR_FILE,
                  "2 of 3 files of flats cannot be read, more than half; "
                  "*the first: flat_1.tif: *");
}

/* How many images a stack has is not known if it cannot be read, nor can a
 * detector row be left out. */
static void
test_unreadable_stack (void)
{
  static const char *const names[] = { "p_0.tif", "p_1.tif", "p_2.tif" };
  const TiffShape stack = { .dims = { 2, 4, 6 }, .type = TL_SAMPLE_U16 };
  g_autoptr (Folder) folder = folder_new ();
  for (size_t i = 0; i < G_N_ELEMENTS (names); i++)
    folder_write_tiff (folder, names[i], &stack);
  folder_truncate (folder, "p_1.tif", 0.2);
  assert_refuses (folder, "", NULL, TL_ERROR_FILE, "p_1.tif: *");
  folder_write_numbered (folder, "rows/sino_", N, 3, TL_SAMPLE_U16);
  folder_truncate (folder, "rows/sino_4.tif", 0.5);
  assert_refuses (folder, "rows", NULL, TL_ERROR_FILE, "sino_4.tif: *");
}

static void
test_refused (void)
{
  static const struct
  {
    const char *ranges, *words;
  } cases[] = {
    { "9", "scan.tif: projection 9 cannot be left out*are 0 to 8" },
    { "2,4:11", "scan.tif: projection 11 cannot be left out*are 0 to 8" },
    { "0:8", "scan.tif: all 9 projections are left out*" },
    { "x", "scan.tif: \"x\" is no list of projections*" },
  };
  g_autoptr (Folder) folder = folder_new ();
  write_stack (folder);
  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const TlReaderOptions options = { .leave_out = cases[i].ranges };
      assert_refuses (folder, "scan.tif", &options, TL_ERROR_VALUE,
                      cases[i].words);
    }
}

/* Writes a scan with angles in steps of 20 degrees; some are missing. */
static void
write_angles (Folder *folder, const double *factors)
{
  const H5Shape shape = { .dims = { N, 4, 6 }, .base = 3 };
  hid_t file = h5_create (folder, "scan.h5", 0);
  double angles_deg[N];
  for (size_t i = 0; i < N; i++)
    angles_deg[i] = factors[i] * 20 * (double)i;
  h5_write_frames (file, "/exchange/data", &shape);
  h5_write_numbers (file, "/exchange/theta", angles_deg, N, NULL);
  H5Fclose (file);
}

/* Degrees are known as such although some angles are missing. */
static void
test_no_angle (void)
{
  static const double some[N] = { 1, NAN, 1, 1, NAN, NAN, NAN, 1, 1 };
  static const double none[N] = { NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN };
  g_autoptr (Folder) folder = folder_new ();
  write_angles (folder, some);
  g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", NULL);
  const TlScanInfo *info = tl_reader_get_info (reader);
  g_assert_cmpuint (info->n_projections, ==, G_N_ELEMENTS (used));
  for (size_t p = 0; p < info->n_projections; p++)
    g_assert_cmpfloat (info->angles_deg[p], ==, 20.0 * (double)used[p]);
  assert_samples (reader, 3, used);
  g_assert_true (
      has_note (reader, "left out, because they have no angle*: 1,4:6"));
  g_assert_false (has_note (reader, "*not in order*"));
  g_clear_pointer (&reader, tl_reader_close);

  write_angles (folder, none);
  assert_refuses (folder, "scan.h5", NULL, TL_ERROR_ANGLES,
                  "scan.h5: no projection has an angle*FIRST:LAST*");
  /* other angles help */
  const TlReaderOptions options = { .has_angles = TRUE,
                                    .angles_deg = { 0, 160 } };
  g_autoptr (TlReader) given = assert_opens (folder, "scan.h5", &options);
  g_assert_cmpuint (tl_reader_get_info (given)->n_projections, ==, N);
}

static void
test_no_angle_in_text (void)
{
  g_autoptr (Folder) folder = folder_new ();
  g_autofree char *path = folder_path (folder, "a.txt");
  const TlReaderOptions options = { .angles_file = path, .leave_out = "5,6" };
  write_stack (folder);
  folder_write_text (folder, "a.txt", "0 nan 40 60 NaN 100 120 140 160");
  g_autoptr (TlReader) reader = assert_opens (folder, "scan.tif", &options);
  const TlScanInfo *info = tl_reader_get_info (reader);
  g_assert_cmpuint (info->n_projections, ==, G_N_ELEMENTS (used));
  for (size_t p = 0; p < info->n_projections; p++)
    g_assert_cmpuint (info->frames[p], ==, used[p]);
  g_assert_true (
      has_note (reader, "left out, because they have no angle*: 1,4"));
}

/* A gap is named where no neighbour can stand for it. */
static void
test_gap (void)
{
  static const struct
  {
    double last_deg;
    const char *leave_out, *words; /* words %NULL: no note */
  } cases[] = {
    { 180, "", NULL },
    { 180, "80", NULL },
    { 180, "80:83", NULL }, /* 5 steps of 1 degree */
    { 180, "80:90", "*79 and 91 degrees*" },
    { -180, "80:90", "*-91 and -79 degrees*" },
    { 360, "40:50", NULL }, /* the other half turn fills it */
    { 360, "40:50,130:140", "*78 and 102 degrees*" },
    { 120, "", NULL }, /* a wedge at the end has a note of its own */
  };
  const TiffShape shape = { .dims = { 181, 2, 3 }, .type = TL_SAMPLE_U8 };
  g_autoptr (Folder) folder = folder_new ();
  folder_write_tiff (folder, "scan.tif", &shape);
  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const TlReaderOptions options = { .has_angles = TRUE,
                                        .angles_deg = { 0, cases[i].last_deg },
                                        .leave_out = cases[i].leave_out };
      g_autoptr (TlReader) reader = assert_opens (folder, "scan.tif", &options);
      g_test_message ("%g without %s", cases[i].last_deg, cases[i].leave_out);
      g_assert_cmpint (has_note (reader, "no projection is between*"), ==,
                       cases[i].words != NULL);
      if (cases[i].words != NULL)
        g_assert_true (has_note (reader, cases[i].words));
    }
}

/* Messages number projections as the file does. */
static void
test_numbers (void)
{
  const TlReaderOptions options = { .leave_out = "0:3" };
  const H5Shape shape = { .dims = { N, 4, 6 },
                          .type = H5T_NATIVE_FLOAT,
                          .value = NAN };
  g_autoptr (Folder) folder = folder_new ();
  g_autoptr (GError) error = NULL;
  float row[5 * 6];
  hid_t file = h5_create (folder, "scan.h5", 0);
  h5_write_frames (file, "/exchange/data", &shape);
  H5Fclose (file);
  g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", &options);
  g_assert_false (tl_reader_read (reader, 2, 1, row, NULL, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);
  g_assert_cmpstr (error->message, ==,
                   "scan.h5: row 2 of projection 4 has no sample that is a "
                   "number");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leave-out/hdf5", test_hdf5);
  g_test_add_func ("/leave-out/images", test_images);
  g_test_add_func ("/leave-out/missing-file", test_missing_file);
  g_test_add_func ("/leave-out/unreadable", test_unreadable);
  g_test_add_func ("/leave-out/file-numbers", test_file_numbers);
  g_test_add_func ("/leave-out/unreadable-flats", test_unreadable_flats);
  g_test_add_func ("/leave-out/unreadable-stack", test_unreadable_stack);
  g_test_add_func ("/leave-out/refused", test_refused);
  g_test_add_func ("/leave-out/no-angle", test_no_angle);
  g_test_add_func ("/leave-out/no-angle-in-text", test_no_angle_in_text);
  g_test_add_func ("/leave-out/gap", test_gap);
  g_test_add_func ("/leave-out/numbers", test_numbers);
  return g_test_run ();
}
