/* A survey of a part of a scan finds every fault that was put there. */
#include "data/read/survey/survey.h"

#include "tests/data/read/scan-files.h"

#include <string.h>

enum
{
  N_PROJECTIONS = 40,
  N_FLATS = 6,
  N_DARKS = 3,
  N_ROWS = 10,
  N_COLS = 24
};

/* A scan with noise, [frame][row][column]. */
typedef struct
{
  guint16 projections[N_PROJECTIONS][N_ROWS][N_COLS];
  guint16 flats[N_FLATS][N_ROWS][N_COLS];
  guint16 darks[N_DARKS][N_ROWS][N_COLS];
} Made;

static void
fill (guint16 *samples, size_t n, guint16 mean, guint16 width)
{
  for (size_t i = 0; i < n; i++)
    samples[i] = (guint16)(mean + g_test_rand_int_range (0, width)
                           + g_test_rand_int_range (0, width));
}

static Made *
made_new (void)
{
  Made *made = g_new (Made, 1);
  fill (**made->projections, sizeof made->projections / 2, 2000, 400);
  fill (**made->flats, sizeof made->flats / 2, 3000, 400);
  fill (**made->darks, sizeof made->darks / 2, 90, 10);
  return made;
}

/* Clips the samples at @most, as a saturated camera does. */
static void
clip (guint16 *samples, size_t n, guint16 most)
{
  for (size_t i = 0; i < n; i++)
    samples[i] = MIN (samples[i], most);
}

static void
write_samples (hid_t file, const char *path, const void *samples,
               size_t n_frames, hsize_t block)
{
  const hsize_t dims[3] = { n_frames, N_ROWS, N_COLS };
  const hsize_t chunk[3] = { block, 1, N_COLS };
  hid_t plist = H5Pcreate (H5P_DATASET_CREATE);
  hid_t links = H5Pcreate (H5P_LINK_CREATE);
  hid_t space = H5Screate_simple (3, dims, NULL);
  H5Pset_create_intermediate_group (links, 1);
  if (block > 0)
    H5Pset_chunk (plist, 3, chunk);
  hid_t dataset = H5Dcreate2 (file, path, H5T_NATIVE_UINT16, space, links,
                              plist, H5P_DEFAULT);
  g_assert_cmpint (H5Dwrite (dataset, H5T_NATIVE_UINT16, H5S_ALL, H5S_ALL,
                             H5P_DEFAULT, samples),
                   >=, 0);
  H5Dclose (dataset);
  H5Sclose (space);
  H5Pclose (links);
  H5Pclose (plist);
}

/* @block: number of projections that are compressed together; 0: none */
static TlReader *
write_made (Folder *folder, const Made *made, hsize_t block)
{
  hid_t file = h5_create (folder, "scan.h5", 0);
  write_samples (file, "/exchange/data", made->projections, N_PROJECTIONS,
                 block);
  write_samples (file, "/exchange/data_white", made->flats, N_FLATS, 0);
  write_samples (file, "/exchange/data_dark", made->darks, N_DARKS, 0);
  H5Fclose (file);
  return assert_opens (folder, "scan.h5", NULL);
}

static size_t n_steps; /* steps of the last survey */

static TlSurvey *
look (TlReader *reader)
{
  n_steps = 0;
  TlSurvey *survey = tl_survey_new (reader);
  for (gboolean is_done = FALSE; !is_done;)
    {
      g_autoptr (GError) error = NULL;
      g_assert_true (tl_survey_step (survey, &is_done, &error));
      g_assert_no_error (error);
      n_steps++;
    }
  return survey;
}

static void
test_good (void)
{
  g_autoptr (Folder) folder = folder_new ();
  g_autofree Made *made = made_new ();
  g_autoptr (TlReader) reader = write_made (folder, made, 0);
  g_autoptr (TlSurvey) survey = look (reader);
  const TlSurveyReport *report = tl_survey_get_report (survey);
  g_assert_cmpuint (report->projections.n_frames, ==, 16);
  g_assert_cmpuint (report->projections.n_samples, ==, 16 * N_ROWS * N_COLS);
  g_assert_cmpuint (report->flats.n_frames, ==, 4);
  g_assert_cmpuint (report->n_rows, ==, N_ROWS);
  g_assert_cmpuint (report->projections.n_saturated, ==, 0);
  g_assert_cmpuint (report->flats.n_saturated, ==, 0);
  g_assert_cmpuint (report->n_dead_columns, ==, 0);
  g_assert_cmpuint (report->n_dead_pixels, ==, 0);
}

/* A single sample at the maximum of the type is one too many. */
static void
test_type_max (void)
{
  g_autoptr (Folder) folder = folder_new ();
  g_autofree Made *made = made_new ();
  made->projections[0][3][7] = made->projections[39][5][2] = G_MAXUINT16;
  made->flats[0][1][4] = G_MAXUINT16;
  g_autoptr (TlReader) reader = write_made (folder, made, 0);
  g_autoptr (TlSurvey) survey = look (reader);
  const TlSurveyReport *report = tl_survey_get_report (survey);
  g_assert_cmpuint (report->projections.n_saturated, ==, 2);
  g_assert_true (report->projections.is_type_max);
  g_assert_cmpfloat (report->projections.value, ==, G_MAXUINT16);
  g_assert_cmpuint (report->projections.frame, ==, 0);
  g_assert_cmpuint (report->projections.row, ==, 3);
  g_assert_cmpuint (report->projections.col, ==, 7);
  g_assert_cmpuint (report->flats.n_saturated, ==, 1);
  g_assert_cmpuint (report->flats.col, ==, 4);
}

/* 4095 is the maximum of a 12-bit camera; any other maximum is detected by
 * its missing noise. */
static void
test_plateau (gconstpointer data)
{
  const guint16 most = (guint16)GPOINTER_TO_UINT (data);
  g_autoptr (Folder) folder = folder_new ();
  g_autofree Made *made = made_new ();
  fill (**made->projections, sizeof made->projections / 2,
        (guint16)(most - 300), 400);
  clip (**made->projections, sizeof made->projections / 2, most);
  g_autoptr (TlReader) reader = write_made (folder, made, 0);
  g_autoptr (TlSurvey) survey = look (reader);
  const TlSurveyReport *report = tl_survey_get_report (survey);
  g_assert_cmpuint (report->projections.n_saturated, >, 16 * N_ROWS);
  g_assert_false (report->projections.is_type_max);
  g_assert_cmpfloat (report->projections.value, ==, most);
  g_assert_cmpuint (report->flats.n_saturated, ==, 0);
}

/* A pixel that never changes is dead; its value is not a saturation level. */
static void
test_dead (void)
{
  g_autoptr (Folder) folder = folder_new ();
  g_autofree Made *made = made_new ();
  for (size_t row = 0; row < N_ROWS; row++)
    for (size_t k = 0; k < N_FLATS; k++)
      made->flats[k][row][5] = 20; /* below the dark field */
  for (size_t k = 0; k < N_PROJECTIONS; k++)
    made->projections[k][8][11] = 9000;
  g_autoptr (TlReader) reader = write_made (folder, made, 0);
  g_autoptr (TlSurvey) survey = look (reader);
  const TlSurveyReport *report = tl_survey_get_report (survey);
  g_assert_cmpuint (report->n_dead_columns, ==, 1);
  g_assert_cmpuint (report->columns[0], ==, 5);
  g_assert_cmpuint (report->n_dead_pixels, ==, 1);
  g_assert_cmpuint (report->row, ==, 8);
  g_assert_cmpuint (report->col, ==, 11);
  g_assert_cmpuint (report->projections.n_saturated, ==, 0);
}

/* Returns: the mean of a pixel of all flats but @left_out */
static double
find_mean (const Made *made, size_t row, size_t col, size_t left_out)
{
  double sum = 0;
  for (size_t k = 0; k < N_FLATS; k++)
    if (k != left_out)
      sum += made->flats[k][row][col];
  return sum / (left_out < N_FLATS ? N_FLATS - 1 : N_FLATS);
}

/* A white spot does not count in the mean of the flats, nor in that of the
 * darks. One that two frames have stays, and so does a frame that is brighter
 * as a whole. */
static void
test_spots (void)
{
  g_autoptr (Folder) folder = folder_new ();
  g_autoptr (GError) error = NULL;
  g_autofree Made *made = made_new ();
  double dark[N_ROWS][N_COLS], flat[N_ROWS][N_COLS], last[N_ROWS][N_COLS];
  made->flats[2][3][7] = 9000;
  made->flats[5][3][8] = 60000;
  made->flats[0][6][0] = made->flats[4][6][0] = 9000;
  made->darks[1][9][23] = 4000;
  for (size_t col = 0; col < N_COLS; col++)
    made->flats[1][4][col] += 3000;
  g_autoptr (TlReader) reader = write_made (folder, made, 0);
  g_assert_true (tl_reader_read_fields (reader, 0, N_ROWS, *dark, *flat, *last,
                                        NULL, &error));
  for (size_t row = 0; row < N_ROWS; row++)
    for (size_t col = 0; col < N_COLS; col++)
      {
        const size_t left_out = row == 3 && col == 7   ? 2
                                : row == 3 && col == 8 ? 5
                                                       : N_FLATS;
        g_assert_cmpfloat (flat[row][col], ==,
                           find_mean (made, row, col, left_out));
      }
  g_assert_cmpfloat (dark[9][23], <, 110);
  g_autoptr (TlSurvey) survey = look (reader);
  const TlSurveyReport *report = tl_survey_get_report (survey);
  g_assert_cmpuint (report->n_spots, ==, 3);
  g_assert_cmpuint (report->n_field_pixels, ==, N_ROWS * N_COLS);
}

/* Without noise, all values of the open beam are equal. */
static void
test_no_noise (void)
{
  g_autoptr (Folder) folder = folder_new ();
  g_autofree Made *made = made_new ();
  for (size_t f = 0; f < N_FLATS; f++)
    for (size_t row = 0; row < N_ROWS; row++)
      for (size_t col = 0; col < N_COLS; col++)
        made->flats[f][row][col] = 3000;
  for (size_t k = 0; k < N_PROJECTIONS; k++)
    for (size_t row = 0; row < N_ROWS; row++)
      for (size_t col = 0; col < N_COLS / 2; col++)
        made->projections[k][row][col] = 3000;
  g_autoptr (TlReader) reader = write_made (folder, made, 0);
  g_autoptr (TlSurvey) survey = look (reader);
  const TlSurveyReport *report = tl_survey_get_report (survey);
  g_assert_cmpuint (report->projections.n_saturated, ==, 0);
  g_assert_cmpuint (report->flats.n_saturated, ==, 0);
  g_assert_cmpuint (report->n_dead_pixels, ==, 0);
}

/* Projections that are compressed together are surveyed together. */
static void
test_blocks (void)
{
  g_autoptr (Folder) folder = folder_new ();
  g_autofree Made *made = made_new ();
  made->projections[39][9][0] = G_MAXUINT16;
  g_autoptr (TlReader) reader = write_made (folder, made, 12);
  g_autoptr (TlSurvey) survey = look (reader);
  const TlSurveyReport *report = tl_survey_get_report (survey);
  /* The first block and the last one, of 4 projections each. */
  g_assert_cmpuint (report->projections.n_frames, ==, 12 + 4);
  /* A step is one read; the last one reads some rows of all projections. */
  g_assert_cmpuint (n_steps, ==,
                    report->flats.n_frames + MIN (N_DARKS, 4) + 2 + 1);
  g_assert_cmpuint (report->projections.n_saturated, ==, 1);
  g_assert_cmpuint (report->projections.frame, ==, 39);
  g_assert_cmpuint (report->projections.row, ==, 9);
}

/* A large scan is surveyed in bands from the first row to the last. */
static void
test_part (void)
{
  g_autoptr (Folder) folder = folder_new ();
  hid_t file = h5_create (folder, "scan.h5", 0);
  const H5Shape shape = { .dims = { 64, 600, 4096 }, .is_empty = TRUE };
  h5_write_frames (file, "/exchange/data", &shape);
  H5Fclose (file);
  g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", NULL);
  g_autoptr (TlSurvey) survey = look (reader);
  const TlSurveyReport *report = tl_survey_get_report (survey);
  g_assert_cmpuint (report->projections.n_frames, ==, 16);
  g_assert_cmpuint (report->n_rows, >=, 200);
  g_assert_cmpuint (report->n_rows, <=, 256);
  /* A step is one read of a band, or of some rows of all projections. */
  g_assert_cmpuint (n_steps, ==, 16 * 8 + 1);
}

/* Files that end too early, or are not there, are odd projections, unless they
 * are more than half of all. */
static void
test_truncated (void)
{
  g_autoptr (Folder) folder = folder_new ();
  const TiffShape shape = { .dims = { 1, 40, 50 }, .type = TL_SAMPLE_U16 };
  for (guint i = 0; i < 7; i++)
    {
      g_autofree char *name = g_strdup_printf ("p_%u.tif", i);
      folder_write_tiff (folder, name, &shape);
    }
  g_autoptr (TlReader) reader = assert_opens (folder, "", NULL);
  g_autofree char *path = folder_path (folder, "p_4.tif");
  g_assert_cmpint (remove (path), ==, 0);
  folder_truncate (folder, "p_1.tif", 0.6);
  folder_truncate (folder, "p_2.tif", 0);
  g_autoptr (TlSurvey) survey = look (reader);
  const TlOddFrames *odd =
      &tl_survey_get_report (survey)->odd[TL_ODD_UNREADABLE];
  g_assert_cmpstr (odd->frames, ==, "1:2,4");
  g_assert_cmpuint (odd->n_frames, ==, 3);
  g_assert_true (g_str_has_prefix (odd->reason, "p_1.tif: "));
  folder_truncate (folder, "p_3.tif", 0);
  g_autoptr (TlSurvey) again = tl_survey_new (reader);
  g_autoptr (GError) error = NULL;
  gboolean is_done = FALSE;
  while (tl_survey_step (again, &is_done, &error))
    g_assert_false (is_done);
  g_assert_nonnull (error);
  g_assert_nonnull (strstr (error->message, "p_4.tif"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/survey/good", test_good);
  g_test_add_func ("/survey/type-max", test_type_max);
  g_test_add_data_func ("/survey/plateau/camera", GUINT_TO_POINTER (4095),
                        test_plateau);
  g_test_add_data_func ("/survey/plateau/any", GUINT_TO_POINTER (3900),
                        test_plateau);
  g_test_add_func ("/survey/dead", test_dead);
  g_test_add_func ("/survey/spots", test_spots);
  g_test_add_func ("/survey/no-noise", test_no_noise);
  g_test_add_func ("/survey/blocks", test_blocks);
  g_test_add_func ("/survey/part", test_part);
  g_test_add_func ("/survey/truncated", test_truncated);
  return g_test_run ();
}
