/* Tests what all formats share: sniffing, angles, fields, damaged samples. */
#include "data/read/reader.h"

#include "data/error.h"
#include "tests/data/read/scan-files.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

static void
test_not_a_scan (void)
{
  g_autoptr (Folder) folder = folder_new ();
  assert_refuses (folder, "gone.h5", NULL, TL_ERROR_FILE,
                  "*/gone.h5: cannot be opened: No such file*");
  folder_write_text (folder, "empty.h5", "");
  assert_refuses (folder, "empty.h5", NULL, TL_ERROR_FORMAT,
                  "*/empty.h5: the file is empty");
  folder_write_text (folder, "notes.tif", "just a text");
  assert_refuses (folder, "notes.tif", NULL, TL_ERROR_UNKNOWN,
                  "*/notes.tif: is neither*");
  g_free (folder_path (folder, "hollow/none/x"));
  assert_refuses (folder, "hollow", NULL, TL_ERROR_FORMAT,
                  "hollow: no scan in it; looked for images*");
}

static void
test_unreadable (void)
{
  const uid_t nobody = 65534, user = geteuid ();
  g_autoptr (Folder) folder = folder_new ();
  folder_write_text (folder, "locked.h5", "x");
  g_autofree char *path = folder_path (folder, "locked.h5");
  g_assert_cmpint (g_chmod (path, 0), ==, 0);
  /* Root may read everything, so the process changes its user for a moment. */
  if (user == 0 && seteuid (nobody) != 0)
    {
      g_test_skip ("root may read everything here and cannot become nobody");
      return;
    }
  g_autoptr (GError) error = NULL;
  g_assert_null (tl_reader_open (path, NULL, &error));
  g_assert_cmpint (seteuid (user), ==, 0);
  g_assert_error (error, TL_ERROR, TL_ERROR_FILE);
  g_assert_true (g_str_has_suffix (
      error->message, "/locked.h5: cannot be opened: Permission denied"));
}

/* A message that quotes a file is UTF-8, whatever the file has. */
static void
test_quoted (void)
{
  g_autoptr (Folder) folder = folder_new ();
  g_autoptr (GError) error = NULL;
  folder_write_text (folder, "scan.nrrd",
                     "NRRD0004\ntype: uint8\ndimension: 3\nsizes: \377 3 4\n"
                     "encoding: raw\n\n123456789012");
  g_autofree char *path = folder_path (folder, "scan.nrrd");
  g_assert_null (tl_reader_open (path, NULL, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_FORMAT);
  g_test_message ("%s", error->message);
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
}

/* Bad files are reported in the error only; nothing is printed. */
static void
test_silence (void)
{
  if (g_test_subprocess ())
    {
      g_autoptr (Folder) folder = folder_new ();
      TiffShape shape = { .dims = { 1, 30, 50 }, .type = TL_SAMPLE_U16 };
      hid_t file = h5_create (folder, "scan.h5", 0);
      h5_write_frames (file, "/exchange/data",
                       &(H5Shape){ .dims = { 9, 9, 9 } });
      H5Fclose (file);
      folder_write_tiff (folder, "stack.tif", &shape);
      for (double fraction = 0.05; fraction < 1; fraction += 0.1)
        {
          static const char *const names[] = { "scan.h5", "stack.tif" };
          for (size_t i = 0; i < G_N_ELEMENTS (names); i++)
            {
              g_autofree char *path = folder_path (folder, names[i]);
              g_autofree char *copy = folder_path (folder, "copy");
              g_autofree char *bytes = NULL;
              gsize n;
              g_assert_true (g_file_get_contents (path, &bytes, &n, NULL));
              g_assert_true (g_file_set_contents (
                  copy, bytes, (gssize)((double)n * fraction), NULL));
              g_assert_null (tl_reader_open (copy, NULL, NULL));
            }
        }
      return;
    }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_passed ();
  g_test_trap_assert_stderr ("");
}

static void
write_stack (Folder *folder, size_t n)
{
  folder_write_tiff (
      folder, "scan.tif",
      &(TiffShape){ .dims = { n, 1, 3 }, .type = TL_SAMPLE_U16, .base = 1 });
}

/* Every format uses @angles_file. */
static void
test_angles_file (void)
{
  static const struct
  {
    const char *text;
    int code; /* negative: can be read */
    const char *words;
  } cases[] = {
    { "0\n45\n90\n135\n", -1, NULL },
    { "0,45;90 135", -1, NULL },
    { "\xef\xbb\xbf"
      "0\r\n45\r\n90\r\n135\r\n",
      -1, NULL },
    { "# start\n\n0 # first\r\n45\r\n90\r\n135\r\n", -1, NULL },
    { "0\n45\n90\n", TL_ERROR_ANGLES,
      "scan.tif: 3 angles*4 projections*--angles FIRST:LAST*" },
    { "0\n45\n90\n135\n180\n", TL_ERROR_ANGLES, "scan.tif: 5 angles*" },
    { "0\n0\n45\n45\n90\n135\n180\n", TL_ERROR_ANGLES, "scan.tif: 7 angles*" },
    { "0\n0\n45\n90\n135\n", TL_ERROR_ANGLES, "scan.tif: 5 angles*" },
    { "5\n5\n5\n5\n5\n", TL_ERROR_ANGLES, "scan.tif: 5 angles*" },
    { "0\n45\nleft\n135\n", TL_ERROR_ANGLES, "a.txt: line 3 *" },
    { "0\ninf\n90\n135\n", TL_ERROR_ANGLES, "a.txt: line 2 *" },
    { "0 0\n1 45\n2 90\n3 135\n", TL_ERROR_ANGLES, "a.txt: 2 numbers*" },
    { "0,5\n45,5\n90,5\n", TL_ERROR_ANGLES,
      "a.txt: 2 numbers*with a decimal point" },
    { "# nothing\n", TL_ERROR_ANGLES, "a.txt: no angles*" },
  };
  g_autoptr (Folder) folder = folder_new ();
  g_autofree char *path = folder_path (folder, "a.txt");
  TlReaderOptions options = { .angles_file = path };
  write_stack (folder, 4);
  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      folder_write_text (folder, "a.txt", cases[i].text);
      if (cases[i].code >= 0)
        {
          assert_refuses (folder, "scan.tif", &options, cases[i].code,
                          cases[i].words);
          continue;
        }
      g_autoptr (TlReader) reader = assert_opens (folder, "scan.tif", &options);
      const TlScanInfo *info = tl_reader_get_info (reader);
      for (size_t k = 0; k < 4; k++)
        g_assert_cmpfloat (info->angles_deg[k], ==, 45.0 * (double)k);
      g_assert_true (g_str_has_prefix (info->angles_source, "a.txt"));
    }
  g_remove (path);
  assert_refuses (folder, "scan.tif", &options, TL_ERROR_ANGLES,
                  "a.txt: the angles cannot be read*");
}

/* The angles of two flats and a dark stand before or after those of the four
 * projections; more of them if the flats are means. Where there are fewer, the
 * stage has waited, or projections are missing. */
static void
test_angles_of_fields (void)
{
  static const struct
  {
    const char *text;
    gboolean is_right;
  } cases[] = {
    { "0\n0\n0\n0\n45\n90\n135\n", TRUE },
    { "0\n0\n45\n90\n135\n135.0001\n135\n", TRUE },
    { "0\n0\n0\n45\n90\n135\n", FALSE },
    { "0\n0\n0\n0\n0\n45\n90\n135\n", TRUE },
  };
  g_autoptr (Folder) folder = folder_new ();
  folder_write_numbered (folder, "run/p_", 4, 1, TL_SAMPLE_U16);
  folder_write_numbered (folder, "run/flat_", 2, 19, TL_SAMPLE_U16);
  folder_write_numbered (folder, "run/dark_", 1, 0, TL_SAMPLE_U16);
  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      folder_write_text (folder, "run/angles.txt", cases[i].text);
      if (!cases[i].is_right)
        {
          assert_refuses (folder, "run", NULL, TL_ERROR_ANGLES,
                          "run: * angles*4 projections*");
          continue;
        }
      g_autoptr (TlReader) reader = assert_opens (folder, "run", NULL);
      const TlScanInfo *info = tl_reader_get_info (reader);
      for (size_t k = 0; k < 4; k++)
        g_assert_cmpfloat (info->angles_deg[k], ==, 45.0 * (double)k);
    }
}

/* The same if the user does without flats and darks: their angles are in the
 * list as before. */
static void
test_angles_of_excluded (void)
{
  const TlReaderOptions options = { .flats = "none", .darks = "none" };
  g_autoptr (Folder) folder = folder_new ();
  folder_write_numbered (folder, "p_", 4, 1, TL_SAMPLE_U16);
  folder_write_numbered (folder, "flat_", 2, 19, TL_SAMPLE_U16);
  folder_write_numbered (folder, "dark_", 1, 0, TL_SAMPLE_U16);
  folder_write_text (folder, "angles.txt", "0\n0\n0\n45\n90\n135\n135\n");
  g_autoptr (TlReader) reader = assert_opens (folder, "", &options);
  const TlScanInfo *info = tl_reader_get_info (reader);
  g_assert_cmpuint (info->n_flats + info->n_darks, ==, 0);
  for (size_t k = 0; k < 4; k++)
    g_assert_cmpfloat (info->angles_deg[k], ==, 45.0 * (double)k);
  g_auto (GStrv) notes = tl_notes_list (info->notes);
  g_autofree char *text = g_strjoinv ("\n", notes);
  g_assert_nonnull (strstr (text, "7 angles for 4 projections: the first value "
                                  "comes 3 times and the last 2 times"));
  folder_write_text (folder, "angles.txt", "0\n0\n45\n90\n135\n135\n");
  assert_refuses (folder, "", &options, TL_ERROR_ANGLES,
                  "* angles*4 projections*");
}

/* What cannot be right is said before all other notes. */
static void
test_angles_odd (void)
{
  static const struct
  {
    const char *text;
    const char *words; /* %NULL: nothing is said of them */
  } cases[] = {
    { "0\n0.7854\n1.5708\n2.3562\n",
      "*taken as degrees*look like radians*2.3562; give --angles FIRST:LAST*" },
    { "30\n30\n30\n30\n", "all projections have the same angle, 30 degrees*; "
                          "give --angles FIRST:LAST*" },
    { "0\n160200\n320400\n480600\n",
      "the angles go from 0 to 480600 degrees, 1335 turns*; give --angles *" },
    { "0\n45\n90\n135\n", NULL },
    { "0\n111.25\n222.5\n333.75\n", NULL },
  };
  g_autoptr (Folder) folder = folder_new ();
  g_autofree char *path = folder_path (folder, "a.txt");
  TlReaderOptions options = { .angles_file = path };
  write_stack (folder, 4);
  folder_write_tiff (
      folder, "folder/scan.tif",
      &(TiffShape){ .dims = { 4, 1, 3 }, .type = TL_SAMPLE_U16, .base = 1 });
  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      folder_write_text (folder, "a.txt", cases[i].text);
      folder_write_text (folder, "folder/theta.txt", cases[i].text);
      for (int in_folder = FALSE; in_folder <= TRUE; in_folder++)
        {
          g_autoptr (TlReader) reader =
              in_folder ? assert_opens (folder, "folder", NULL)
                        : assert_opens (folder, "scan.tif", &options);
          g_auto (GStrv) notes =
              tl_notes_list (tl_reader_get_info (reader)->notes);
          g_test_message ("%s", notes[0]);
          g_assert_cmpint (strstr (notes[0], "--angles") != NULL, ==,
                           cases[i].words != NULL);
          if (cases[i].words != NULL)
            g_assert_true (g_pattern_match_simple (cases[i].words, notes[0]));
        }
    }
}

static void
test_angles_given (void)
{
  g_autoptr (Folder) folder = folder_new ();
  TlReaderOptions options = { .has_angles = TRUE, .angles_deg = { -90, 270 } };
  write_stack (folder, 5);
  g_autoptr (TlReader) reader = assert_opens (folder, "scan.tif", &options);
  const TlScanInfo *info = tl_reader_get_info (reader);
  for (size_t k = 0; k < 5; k++)
    g_assert_cmpfloat (info->angles_deg[k], ==, -90 + 90.0 * (double)k);
  g_assert_true (g_str_has_prefix (info->angles_source, "given: -90 to 270"));
  g_assert_true (has_note (reader, "*360 degrees*repeats it"));
  options.angles_deg[1] = NAN;
  assert_refuses (folder, "scan.tif", &options, TL_ERROR_VALUE, "scan.tif: *");
}

static void
test_notes (void)
{
  static const struct
  {
    double last;
    const char *words; /* %NULL: nothing unusual */
  } cases[] = {
    { 180, "*180 degrees*mirror image" },
    { -180, "*180 degrees*mirror image" },
    { 360, "*360 degrees*repeats it" },
    { 178, NULL },
    { 358, NULL },
    { 120, "*wedge of 60 degrees*" },
    { 176, "*176 degrees: half a turn needs 1 more projection*" },
    { 165, "*165 degrees: half a turn needs 7 more projections*" },
    { 150, "*wedge of 30 degrees*" },
    { 250, "*neither half a turn nor a whole*" },
  };
  g_autoptr (Folder) folder = folder_new ();
  write_stack (folder, 91);
  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      TlReaderOptions options = { .has_angles = TRUE,
                                  .angles_deg = { 0, cases[i].last } };
      g_autoptr (TlReader) reader = assert_opens (folder, "scan.tif", &options);
      g_test_message ("%g", cases[i].last);
      g_assert_true (has_note (reader, "*no flat fields*"));
      if (cases[i].words != NULL)
        g_assert_true (has_note (reader, cases[i].words));
      else
        g_assert_false (has_note (reader, "*degrees*"));
    }
}

/* A step of almost nothing leaves room for no countable projections. */
static void
test_notes_tiny_step (void)
{
  g_autoptr (Folder) folder = folder_new ();
  g_autofree char *path = folder_path (folder, "a.txt");
  const TlReaderOptions options = { .angles_file = path };
  write_stack (folder, 4);
  folder_write_text (folder, "a.txt", "0\n1e-300\n2e-300\n179\n");
  g_autoptr (TlReader) reader = assert_opens (folder, "scan.tif", &options);
  g_assert_true (has_note (reader, "*179 degrees: a wedge of 1 degrees*"));
}

/* What is said of the ends goes by angle, and not by time. */
static void
test_notes_out_of_order (void)
{
  enum
  {
    N = 91,
    STRIDE = 34
  };
  static const struct
  {
    double range;
    const char *words; /* %NULL: nothing about the ends */
  } cases[] = {
    { 180, "*largest angle is 180 degrees*mirror image" },
    { 360, "*largest angle is 360 degrees*repeats it" },
    { 178, NULL },
    { 356, NULL },
  };
  g_autoptr (Folder) folder = folder_new ();
  g_autofree char *path = folder_path (folder, "angles.txt");
  TlReaderOptions options = { .angles_file = path };
  write_stack (folder, N);
  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GString) list = g_string_new (NULL);
      for (size_t k = 0; k < N; k++)
        g_string_append_printf (list, "%.6f\n",
                                cases[i].range * (double)(k * STRIDE % N)
                                    / (N - 1));
      folder_write_text (folder, "angles.txt", list->str);
      g_autoptr (TlReader) reader = assert_opens (folder, "scan.tif", &options);
      g_test_message ("%g", cases[i].range);
      g_assert_true (has_note (reader, "*not in order*"));
      if (cases[i].words != NULL)
        g_assert_true (has_note (reader, cases[i].words));
      else
        g_assert_false (has_note (reader, "*degrees*"));
    }
}

/* Writes floats with @n_bad NaN in projection 1, row 2, from column 3 on. */
static void
write_damaged (Folder *folder, const char *name, size_t n_bad)
{
  enum
  {
    N_FRAMES = 3,
    N_ROWS = 4,
    N_COLS = 6
  };
  hid_t file = h5_create (folder, name, 0);
  h5_write_frames (file, "/exchange/data",
                   &(H5Shape){ .dims = { N_FRAMES, N_ROWS, N_COLS },
                               .type = H5T_NATIVE_FLOAT,
                               .base = 1 });
  hid_t dataset = H5Dopen2 (file, "/exchange/data", H5P_DEFAULT);
  hid_t space = H5Dget_space (dataset);
  for (size_t i = 0; i < n_bad; i++)
    {
      hsize_t at[] = { 1, 2, (3 + i) % N_COLS }, one[] = { 1, 1, 1 };
      float bad = i == 0 ? NAN : INFINITY;
      hid_t memory = H5Screate_simple (3, one, NULL);
      H5Sselect_hyperslab (space, H5S_SELECT_SET, at, NULL, one, NULL);
      H5Dwrite (dataset, H5T_NATIVE_FLOAT, memory, space, H5P_DEFAULT, &bad);
      H5Sclose (memory);
    }
  H5Sclose (space);
  H5Dclose (dataset);
  H5Fclose (file);
}

static void
test_damaged (void)
{
  g_autoptr (Folder) folder = folder_new ();
  g_autoptr (GError) error = NULL;
  float samples[3 * 4 * 6];
  write_damaged (folder, "scan.h5", 2);
  g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", NULL);
  g_assert_true (tl_reader_read (reader, 0, 2, samples, NULL, NULL));
  g_assert_false (tl_reader_read (reader, 1, 3, samples, NULL, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);
  g_assert_cmpstr (error->message, ==,
                   "scan.h5: 2 samples are NaN or infinite, the first in "
                   "projection 1, row 2, column 3; nan=replace mends them "
                   "from the neighbours");
  g_clear_error (&error);
  g_assert_false (tl_reader_read_projection (reader, 1, samples, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);
  g_assert_true (tl_reader_read_projection (reader, 0, samples, NULL));
}

/* A list that was started is continued, not started again. */
static void
test_list_goes_on (void)
{
  static const size_t rows[] = { 0, 2, 3 };
  enum
  {
    N_LIST = 3 * G_N_ELEMENTS (rows) * 6,
    N_FIRST = G_N_ELEMENTS (rows) * 6
  };
  g_autoptr (Folder) folder = folder_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  float samples[N_LIST];
  size_t n_done = 0;
  write_damaged (folder, "scan.h5", 2);
  g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", NULL);
  g_assert_false (tl_reader_read_list (reader, rows, G_N_ELEMENTS (rows),
                                       &n_done, samples, NULL, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);
  g_assert_cmpuint (n_done, ==, 0);
  g_clear_error (&error);
  g_cancellable_cancel (cancellable);
  n_done = 1;
  g_assert_false (tl_reader_read_list (reader, rows, 1, &n_done, samples,
                                       cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpuint (n_done, ==, 1);
  for (size_t k = 0; k < N_LIST; k++)
    samples[k] = -1;
  n_done = 2; /* the damage is earlier */
  g_assert_true (tl_reader_read_list (reader, rows, G_N_ELEMENTS (rows),
                                      &n_done, samples, NULL, NULL));
  g_assert_cmpuint (n_done, ==, 3);
  for (size_t k = 0; k < N_LIST; k++)
    g_assert_cmpfloat (
        samples[k], ==,
        k < 2 * N_FIRST ? -1 : sample_value (1, 2, rows[k / 6 % 3], k % 6));
}

static void
test_mended (void)
{
  g_autoptr (Folder) folder = folder_new ();
  g_autoptr (GError) error = NULL;
  TlReaderOptions options = { .replace_nan = TRUE };
  float samples[3 * 6];
  write_damaged (folder, "scan.h5", 2);
  g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", &options);
  g_assert_true (tl_reader_read (reader, 2, 1, samples, NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (tl_reader_get_n_mended (reader), ==, 2);
  /* Columns 3 and 4 lie on the line from 2 to 5, as the values do. */
  for (size_t k = 0; k < 18; k++)
    g_assert_cmpfloat_with_epsilon (samples[k],
                                    sample_value (1, k / 6, 2, k % 6), 1e-4);
  write_damaged (folder, "worse.h5", 6);
  g_autoptr (TlReader) worse = assert_opens (folder, "worse.h5", &options);
  g_assert_false (tl_reader_read (worse, 2, 1, samples, NULL, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);
  g_assert_cmpstr (error->message, ==,
                   "worse.h5: row 2 of projection 1 has no sample that is a "
                   "number; leave-out=1 leaves this projection out");
}

static void
write_fields (Folder *folder, double flat, double dark)
{
  hid_t file = h5_create (folder, "scan.h5", 0);
  h5_write_frames (file, "/exchange/data", &(H5Shape){ .dims = { 3, 4, 6 } });
  h5_write_frames (file, "/exchange/data_white",
                   &(H5Shape){ .dims = { 5, 4, 6 },
                               .type = H5T_NATIVE_FLOAT,
                               .value = flat });
  h5_write_frames (file, "/exchange/data_dark",
                   &(H5Shape){ .dims = { 2, 4, 6 }, .value = dark });
  H5Fclose (file);
}

static void
test_fields (void)
{
  g_autoptr (Folder) folder = folder_new ();
  g_autoptr (GError) error = NULL;
  double dark[2 * 6], first[2 * 6], last[2 * 6];
  write_fields (folder, 500, 20);
  g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", NULL);
  g_assert_false (tl_reader_get_info (reader)->is_attenuation);
  g_assert_true (
      tl_reader_read_fields (reader, 2, 2, dark, first, last, NULL, &error));
  for (size_t k = 0; k < 12; k++)
    {
      g_assert_cmpfloat (dark[k], ==, 20);
      g_assert_cmpfloat (first[k], ==, 500);
      g_assert_cmpfloat (last[k], ==, 500);
    }
}

static void
test_fields_without_light (void)
{
  static const double flats[] = { 20, 19, NAN };
  g_autoptr (Folder) folder = folder_new ();
  double dark[6], first[6], last[6];
  for (size_t i = 0; i < G_N_ELEMENTS (flats); i++)
    {
      g_autoptr (GError) error = NULL;
      write_fields (folder, flats[i], 20);
      g_autoptr (TlReader) reader = assert_opens (folder, "scan.h5", NULL);
      g_assert_false (tl_reader_read_fields (reader, 3, 1, dark, first, last,
                                             NULL, &error));
      g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);
      g_assert_cmpstr (error->message, ==,
                       "scan.h5: the flat fields of row 3 are nowhere above "
                       "the dark fields");
    }
}

static void
test_cancel (void)
{
  g_autoptr (Folder) folder = folder_new ();
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  guint16 samples[4 * 3];
  write_stack (folder, 4);
  g_autoptr (TlReader) reader = assert_opens (folder, "scan.tif", NULL);
  g_cancellable_cancel (cancellable);
  g_assert_false (tl_reader_read (reader, 0, 1, samples, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  assert_samples (reader, 1, NULL); /* the reader works as before */
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/reader/not-a-scan", test_not_a_scan);
  g_test_add_func ("/reader/unreadable", test_unreadable);
  g_test_add_func ("/reader/quoted", test_quoted);
  g_test_add_func ("/reader/silence", test_silence);
  g_test_add_func ("/reader/angles/file", test_angles_file);
  g_test_add_func ("/reader/angles/of-fields", test_angles_of_fields);
  g_test_add_func ("/reader/angles/of-excluded", test_angles_of_excluded);
  g_test_add_func ("/reader/angles/odd", test_angles_odd);
  g_test_add_func ("/reader/angles/given", test_angles_given);
  g_test_add_func ("/reader/angles/notes", test_notes);
  g_test_add_func ("/reader/angles/notes-tiny-step", test_notes_tiny_step);
  g_test_add_func ("/reader/angles/notes-out-of-order",
                   test_notes_out_of_order);
  g_test_add_func ("/reader/damaged", test_damaged);
  g_test_add_func ("/reader/list-goes-on", test_list_goes_on);
  g_test_add_func ("/reader/mended", test_mended);
  g_test_add_func ("/reader/fields", test_fields);
  g_test_add_func ("/reader/fields-without-light", test_fields_without_light);
  g_test_add_func ("/reader/cancel", test_cancel);
  return g_test_run ();
}
