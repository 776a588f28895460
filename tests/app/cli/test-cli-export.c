/* Exports by tomolens-cli as a process that end early, and those that several
 * processes share. */
#include "data/write/staging.h"
#include "tests/app/cli/cli-fixture.h"
#include "tests/support/unfinished.h"

#include <fcntl.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

/* So many slices are whole blocks and a part of one. */
#define ENOUGH 20

/* Longest time until they are made. */
#define PATIENCE_MS 20000

/* Waits for some slices of an export, then sends @signal to the child at a
 * random moment. */
static void
stop_export (CliFixture *fixture, GSubprocess *child, const char *name,
             int signal)
{
  for (int k = 0; k < PATIENCE_MS; k++)
    {
      g_autofree char *folder = find_unfinished (fixture->folder, name);
      if (count_slices_in (folder) >= ENOUGH)
        {
          g_usleep ((gulong)g_test_rand_int_range (0, 20 * 1000));
          g_subprocess_send_signal (child, signal);
          return;
        }
      g_usleep (1000);
    }
  g_error ("the export has written nothing for %d ms", PATIENCE_MS);
}

/* Starts an export of scan.h5 and stops it by @signal. */
static void
run_and_stop (CliFixture *fixture, const char *name, const char *centre,
              int signal)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *scan = tl_scratch_path (fixture->folder, "scan.h5");
  g_autofree char *folder = tl_scratch_path (fixture->folder, name);
  g_autoptr (GSubprocess) child =
      g_subprocess_new (G_SUBPROCESS_FLAGS_STDERR_PIPE, &error, TL_CLI_PATH,
                        "export", scan, "-o", folder, "--centre", centre,
                        "--engine", "host", "--resume", "--overwrite", NULL);
  g_assert_no_error (error);
  stop_export (fixture, child, name, signal);
  g_free (fixture->err);
  g_subprocess_communicate_utf8 (child, NULL, NULL, NULL, &fixture->err,
                                 &error);
  g_assert_no_error (error);
  fixture->status = g_subprocess_get_if_exited (child)
                        ? g_subprocess_get_exit_status (child)
                        : -1;
}

/* A scan that was written again is not that of the unfinished export. */
static void
assert_changed_scan (CliFixture *fixture)
{
  static const char line[] = "export scan.h5 -o out --engine host --resume";
  g_autofree char *scan = tl_scratch_path (fixture->folder, "scan.h5");
  GStatBuf status;
  g_assert_cmpint (g_stat (scan, &status), ==, 0);
  struct timespec times[] = { status.st_atim, status.st_mtim };
  times[1].tv_nsec = (times[1].tv_nsec + 5000000) % 1000000000;
  g_assert_cmpint (utimensat (AT_FDCWD, scan, times, 0), ==, 0);
  cli_run (fixture, line);
  cli_assert_refused (fixture, line, 1,
                      "start a new one (--overwrite without --resume); what "
                      "differs: date of the scan 20");
  cli_assert_refused (fixture, line, 1, " still wait: ");
  times[1] = status.st_mtim;
  g_assert_cmpint (utimensat (AT_FDCWD, scan, times, 0), ==, 0);
}

/* An export that is cancelled or killed leaves nothing in its place, and one
 * that resumes makes the same volume as one that goes straight through. */
static void
test_interrupt (CliFixture *fixture, gconstpointer data)
{
  enum
  {
    N_COLS = 256,
    N_ROWS = 240
  };
  cli_make_phantom (fixture, 128, N_ROWS, N_COLS);
  g_autofree char *out = tl_scratch_path (fixture->folder, "out");
  run_and_stop (fixture, "out", "middle", SIGINT);
  fixture->out = g_strdup ("");
  cli_assert_refused (fixture, "export", 1, "interrupted");
  g_assert_nonnull (strstr (fixture->err, "of 240 slices are kept"));
  g_assert_false (g_file_test (out, G_FILE_TEST_EXISTS));
  cli_run (fixture, "export scan.h5 -o out --engine host");
  cli_assert_refused (fixture, "unfinished", 1, "--resume");
  cli_run (fixture, "export scan.h5 -o out --engine host --filter hann");
  cli_assert_refused (fixture, "begun otherwise", 1,
                      " of 240 slices are kept, last written ");
  cli_assert_refused (fixture, "begun otherwise", 1,
                      "; what differs: Filter Ramp → Hann");
  g_assert_null (strstr (fixture->err, "--resume")); /* it would be refused */
  cli_run (fixture, "export scan.h5 -o out --engine host --resume "
                    "--filter hann");
  cli_assert_refused (fixture, "other filter", 1, "other settings");
  cli_assert_refused (fixture, "other filter", 1,
                      "; what differs: Filter Ramp → Hann");
  cli_run (fixture, "export scan.h5 -o out --engine host --resume --rotate 9");
  cli_assert_refused (fixture, "other rotation", 1, "other settings");
  cli_assert_refused (fixture, "other rotation", 1, " --rotate 9");
  cli_run (fixture, "export scan.h5 -o out --engine host --resume --mask");
  cli_assert_refused (fixture, "other pixels", 1, "other settings");
  assert_changed_scan (fixture);
  for (int k = 0; k < 3; k++)
    {
      run_and_stop (fixture, "out", "middle", SIGKILL);
      g_assert_cmpint (fixture->status, ==, -1);
      g_assert_false (g_file_test (out, G_FILE_TEST_EXISTS));
    }
  cli_run_well (fixture, "export scan.h5 -o out --engine host --resume");
  g_assert_nonnull (strstr (fixture->out, "made before"));
  g_assert_null (find_unfinished (fixture->folder, "out"));
  cli_run_well (fixture, "export scan.h5 -o straight --engine host");
  for (int row = 0; row < N_ROWS; row++)
    {
      g_autofree char *a = g_strdup_printf ("out/recon_%05d.tiff", row);
      g_autofree char *b = g_strdup_printf ("straight/recon_%05d.tiff", row);
      cli_assert_same_files (fixture, a, b);
    }
  run_and_stop (fixture, "found", "auto", SIGINT);
  cli_run (fixture, "export scan.h5 -o found --centre auto --engine host");
  cli_assert_refused (fixture, "unfinished", 1, "--resume");
}

/* Changes a file, joins, and puts it back. @length: of what becomes its content
 */
static void
join_damaged (CliFixture *fixture, const char *join, const char *name,
              char *bytes, size_t length, const char *says)
{
  size_t n;
  g_autofree char *path = tl_scratch_path (fixture->folder, name);
  g_autofree char *good = cli_read_file (fixture, name, &n);
  g_autoptr (GError) error = NULL;
  g_assert_true (g_file_set_contents (path, bytes, (gssize)length, &error));
  cli_run (fixture, join);
  cli_assert_refused (fixture, name, 1, says);
  g_assert_true (g_file_test (path, G_FILE_TEST_EXISTS));
  g_assert_true (g_file_set_contents (path, good, (gssize)n, &error));
}

/* A part is joined only as it was made: not one that was cut short, nor one of
 * which a few bytes are others. Then all parts stay. */
static void
test_damaged_parts (CliFixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *volume, *file;
  } cases[] = {
    { "stack", "stack.parts/2-of-3/recon_00003.tiff" },
    { "file.h5", "file.parts/2-of-3.h5" },
    { "entry.nxs", "entry.parts/2-of-3.nxs" },
  };
  cli_make_phantom (fixture, 13, 7, 64);
  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      const char *volume = cases[k].volume;
      for (int part = 1; part <= 3; part++)
        {
          g_autofree char *line = g_strdup_printf (
              "export scan.h5 -o %s --part %d/3", volume, part);
          cli_run_well (fixture, line);
        }
      size_t n;
      g_autofree char *join =
          g_strdup_printf ("export scan.h5 -o %s --join 3", volume);
      g_autofree char *bytes = cli_read_file (fixture, cases[k].file, &n);
      join_damaged (fixture, join, cases[k].file, bytes, n - 100, "2-of-3");
      memset (bytes + n / 2, 0x55, 6);
      join_damaged (fixture, join, cases[k].file, bytes, n,
                    "this part has changed since it was made");
      g_autofree char *sums = g_strdup_printf (
          "%.*s.crc32",
          (int)(strstr (cases[k].file, "2-of-3") - cases[k].file)
              + (int)strcspn (strstr (cases[k].file, "2-of-3"), "/"),
          cases[k].file);
      size_t n_sums;
      g_autofree char *text = cli_read_file (fixture, sums, &n_sums);
      join_damaged (fixture, join, sums, text, n_sums / 2,
                    "this part has changed since it was made");
      cli_run_well (fixture, join);
    }
}

/* Each machine finds the range of integers itself, and another one may find
 * other digits. */
static void
test_ranges (CliFixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  size_t n;
  cli_make_phantom (fixture, 13, 4, 17);
  cli_run_well (fixture, "export scan.h5 -o r --sample uint8 --part 1/2");
  g_assert_nonnull (strstr (fixture->out, "2 slices to "));
  g_assert_nonnull (strstr (fixture->out, "r.parts/1-of-2 in "));
  g_assert_nonnull (strstr (fixture->err, "r.parts/1-of-2: up to "));
  cli_run_well (fixture, "export scan.h5 -o r --sample uint8 --part 2/2");
  g_autofree char *facts =
      tl_scratch_path (fixture->folder, "r.parts/2-of-2/volume.json");
  g_autofree char *text =
      cli_read_file (fixture, "r.parts/2-of-2/volume.json", &n);
  char *high = strstr (text, "\"high\": 0.");
  g_assert_nonnull (high);
  high[strlen ("\"high\": 0.")] ^= 1;
  g_assert_true (g_file_set_contents (facts, text, (gssize)n, &error));
  cli_run (fixture, "export scan.h5 -o r --sample uint8 --join 2");
  cli_assert_refused (fixture, "ranges", 1,
                      "2-of-2: the range of the samples of this part is not");
  g_autofree char *first =
      tl_scratch_path (fixture->folder, "r.parts/1-of-2/volume.json");
  g_assert_true (g_file_set_contents (first, "", 0, &error));
  cli_run (fixture, "export scan.h5 -o r --sample uint8 --join 2");
  cli_assert_refused (fixture, "no range", 1,
                      "1-of-2: the range of the samples of this part cannot");
}

/* A range in another unit leaves few levels for the values, or none. */
static void
test_doubtful_range (CliFixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *range, *said; /* said: (nullable) */
  } cases[] = {
    { "0:300",
      "warning: the values use only 1 of 256 levels: the range is 0 to "
      "300, but all values are " },
    { "30:40", "warning: 100 % of the pixels are clipped: the range is 30 to "
               "40, but the values are " },
    { "0.01:0.010001", "warning: 100 % of the pixels are clipped: the range is "
                       "0.01 to 0.010001, but the values are " },
    { "0:0.01", NULL },
    { "-0.05:0.05", NULL },
    { "49.9%:50.1%", NULL },
  };
  cli_make_phantom (fixture, 13, 4, 17);
  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      g_autofree char *line =
          g_strdup_printf ("export scan.h5 -o v%zu --sample uint8 --range %s",
                           k, cases[k].range);
      cli_run (fixture, line);
      g_assert_cmpint (fixture->status, ==, 0);
      if (cases[k].said != NULL)
        g_assert_nonnull (strstr (fixture->err, cases[k].said));
      else
        g_assert_null (strstr (fixture->err, "warning: "));
    }
  /* nothing is known of the values of a volume that is whole */
  cli_run_well (fixture, "export scan.h5 -o v4 --sample uint8 "
                         "--range -0.05:0.05 --resume");
  g_assert_null (strstr (fixture->err, "warning: "));
}

/* One of a kind has no plural. */
static void
test_one (CliFixture *fixture, gconstpointer data)
{
  static const CliRefusal bad[] = {
    { "export scan.h5 -o a --slices 1:1 --part 1/2", 1,
      "1 slice cannot be shared in 2 parts" },
  };
  static const struct
  {
    const char *line, *says;
  } good[] = {
    { "export scan.h5 -o one.h5 --slices 1:1 --part 1/1", "1 slice to " },
    { "export scan.h5 -o one.h5 --slices 1:1 --join 1", "1 part joined to " },
    { "export scan.h5 -o one.h5 --slices 1:1 --resume",
      "its 1 slice was made before, as it would be made now" },
  };
  cli_make_phantom (fixture, 13, 3, 17);
  cli_run_refused (fixture, bad, G_N_ELEMENTS (bad));
  for (size_t k = 0; k < G_N_ELEMENTS (good); k++)
    {
      cli_run_well (fixture, good[k].line);
      if (strstr (fixture->out, good[k].says) == NULL)
        g_error ("\"%s\" does not say \"%s\"", fixture->out, good[k].says);
    }
}

/* Parts that are joined are the volume that is made at once; parts that are
 * missing, or made in another way, are not joined. */
static void
test_parts (CliFixture *fixture, gconstpointer data)
{
  enum
  {
    N_ROWS = 7
  };
  static const CliRefusal bad[] = {
    { "export scan.h5 -o a --part 3/2", 2, "K/N" },
    { "export scan.h5 -o a --part 1/2 --join 2", 2, "one of" },
    { "export scan.h5 -o a --submit", 2, "--slurm" },
    { "export scan.h5 -o a --slurm 0", 2, "1 or more" },
    { "export scan.h5 -o a --join 0", 2, "1 or more" },
    { "export scan.h5 -o a --part 1/8", 1, "8 parts, of which some would be" },
    { "export scan.h5 -o a.zarr --part 1/2", 1, "zarr" },
    { "export scan.h5 -o a --compression 1", 2,
      "tiff is written without compression: take hdf5, nexus or zarr, or" },
    { "export scan.h5 -o shared --join 3", 1, "2-of-3: this part is missing" },
    { "export scan.h5 -o shared.h5 --join 3", 1,
      "2-of-3.h5: this part is missing" },
  };
  static const CliRefusal other[] = {
    { "export scan.h5 -o shared --filter hann --join 3", 1,
      "1-of-3: this part was made from another scan" },
    { "export scan.h5 -o shared --filter hann --join 3", 1,
      "; what differs: Filter Ramp → Hann; make it again" },
    { "export scan.h5 -o shared.h5 --filter hann --join 3", 1,
      "; what differs: Filter Ramp → Hann; make it again" },
    { "export scan.h5 -o shared --rotate 9 --join 3", 1,
      "--format tiff → --slices 0:6 --format tiff --rotate 9; make it" },
    { "export scan.h5 -o shared.h5 --slices 1:6 --join 3", 1,
      "; what differs: options --slices 0:6 --format hdf5 → --slices 1:6 " },
    { "export scan.h5 -o shared --join 2", 1,
      "1-of-2: this part is missing, but there are parts of 3: say --join 3" },
    { "export scan.h5 -o shared --join 4", 1, "parts of 3: say --join 3" },
    { "export scan.h5 -o shared.nxs --join 2", 1,
      "1-of-2.nxs: this part is missing: make it" },
    { "export scan.h5 -o shared --slices 1:6 --join 3", 1, "other options" },
    { "export scan.h5 -o torn.h5 --join 1", 1,
      "1-of-1.h5: this part cannot be read" },
    { "export scan.h5 -o torn --join 1", 1,
      "1-of-1: this part cannot be read" },
  };
  cli_make_phantom (fixture, 13, N_ROWS, 17);
  cli_run_well (fixture, "export scan.h5 -o whole");
  for (int part = 1; part <= 3; part += 2)
    {
      g_autofree char *stack =
          g_strdup_printf ("export scan.h5 -o shared --part %d/3", part);
      g_autofree char *file =
          g_strdup_printf ("export scan.h5 -o shared.h5 --part %d/3", part);
      cli_run_well (fixture, stack);
      cli_run_well (fixture, file);
    }
  cli_run_refused (fixture, bad, G_N_ELEMENTS (bad));
  cli_run_well (fixture, "export scan.h5 -o shared --part 2/3");
  cli_run_well (fixture, "export scan.h5 -o shared.h5 --part 2/3");
  g_autofree char *torn = tl_scratch_path (fixture->folder, "torn.parts");
  g_autofree char *torn_file = g_build_filename (torn, "1-of-1.h5", NULL);
  g_autofree char *torn_stack = g_build_filename (torn, "1-of-1", NULL);
  g_assert_cmpint (g_mkdir_with_parents (torn_stack, 0777), ==, 0);
  g_assert_true (g_file_set_contents (torn_file, "torn", -1, NULL));
  cli_run_refused (fixture, other, G_N_ELEMENTS (other));
  /* nothing differs but the part */
  cli_run (fixture, "export scan.h5 -o shared --part 2/3");
  cli_assert_refused (fixture, "part again", 1, "of an earlier export");
  g_assert_null (strstr (fixture->err, "differs"));
  cli_run (fixture, "export scan.h5 -o shared --part 2/3 --mask");
  cli_assert_refused (fixture, "other part", 1,
                      "; what differs: options --slices 0:6 --format tiff → "
                      "--slices 0:6 --format tiff --mask");
  cli_run_well (fixture, "export scan.h5 -o shared --join 3");
  cli_run_well (fixture, "export scan.h5 -o shared.h5 --join 3");
  for (int row = 0; row < N_ROWS; row++)
    {
      g_autofree char *a = g_strdup_printf ("whole/recon_%05d.tiff", row);
      g_autofree char *b = g_strdup_printf ("shared/recon_%05d.tiff", row);
      cli_assert_same_files (fixture, a, b);
    }
  cli_assert_same_files (fixture, "whole/volume.json", "shared/volume.json");
  cli_run (fixture, "export scan.h5 -o shared --join 3");
  cli_assert_refused (fixture, "again", 1, "--overwrite");
  cli_run_well (fixture, "export scan.h5 -o shared --join 3 --resume");
  g_assert_nonnull (strstr (fixture->out, "is whole: its 7 slices were"));
  cli_run_well (fixture, "export scan.h5 -o shared.h5 --join 3 --resume");
  g_assert_nonnull (strstr (fixture->out, "is whole: its 7 slices were"));
  cli_run (fixture, "export scan.h5 -o shared --join 3 --resume --filter hann");
  cli_assert_refused (fixture, "other filter", 1, "; what differs: Filter");
  cli_run (fixture, "export scan.h5 -o shared --slices 2:3");
  cli_assert_refused (fixture, "others", 1,
                      "options --slices 0:6 --format tiff → --slices 2:3 ");
}

/* Slices of other planes are the same to the bit in any part, though each part
 * makes other columns of the slices that they cross. */
static void
test_turned_parts (CliFixture *fixture, gconstpointer data)
{
  static const char *const planes[] = { "xz", "yz" };
  enum
  {
    N_COLS = 150,
    FIRST = 80 /* of the second part; shares are multiples of 16 */
  };
  cli_make_phantom (fixture, 20, 4, N_COLS);
  for (size_t k = 0; k < G_N_ELEMENTS (planes); k++)
    {
      g_autofree char *all = g_strdup_printf ("export scan.h5 -o %s --plane %s",
                                              planes[k], planes[k]);
      g_autofree char *half = g_strdup_printf ("%s --part 2/2", all);
      cli_run_well (fixture, all);
      cli_run_well (fixture, half);
      for (int col = FIRST; col < N_COLS; col++)
        {
          g_autofree char *a =
              g_strdup_printf ("%s/recon_%05d.tiff", planes[k], col);
          g_autofree char *b = g_strdup_printf (
              "%s.parts/2-of-2/recon_%05d.tiff", planes[k], col);
          cli_assert_same_files (fixture, a, b);
        }
    }
}

/* A volume that is finished need not be resumed, unless it would be another one
 * or a file of it is missing. */
static void
test_resume_finished (CliFixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *volume, *missing; /* missing: (nullable): a file */
  } cases[] = {
    { "v", "v/recon_00001.tiff" },
    { "w", "w/volume.json" },
    { "v.zarr", "v.zarr/0/1/0/0" },
    { "v.h5", NULL },
    { "v.nxs", NULL },
    { "v.tif", NULL },
    { "w.tiff", NULL },
    { "v.raw", "v.raw" },
  };
  cli_make_phantom (fixture, 13, 3, 17);
  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      g_autofree char *line =
          g_strdup_printf ("export scan.h5 -o %s", cases[k].volume);
      g_autofree char *again = g_strconcat (line, " --resume", NULL);
      g_autofree char *other = g_strconcat (again, " --filter hann", NULL);
      cli_run_well (fixture, line);
      cli_run_well (fixture, again);
      g_assert_nonnull (strstr (fixture->out, "is whole: its 3 slices were"));
      g_assert_null (strstr (fixture->err, "exporting"));
      cli_run (fixture, other);
      cli_assert_refused (fixture, other, 1, "; what differs: Filter");
      if (strcmp (cases[k].volume, "v.h5") == 0)
        {
          cli_run (fixture, "export scan.h5 -o v.h5 --format nexus");
          cli_assert_refused (fixture, "layout", 1,
                              "(HDF5 in the layout of Data Exchange)");
        }
      if (cases[k].missing == NULL)
        continue;
      g_autofree char *path =
          tl_scratch_path (fixture->folder, cases[k].missing);
      g_assert_cmpint (g_unlink (path), ==, 0);
      cli_run (fixture, again);
      cli_assert_refused (fixture, again, 1, ", a file of it, is missing; say");
      cli_assert_refused (fixture, again, 1, cases[k].missing);
      g_autofree char *agreed = g_strconcat (line, " --overwrite", NULL);
      cli_run_well (fixture, agreed);
      g_assert_true (g_file_test (path, G_FILE_TEST_EXISTS));
    }
}

/* Changes a byte in the middle of the file. */
static void
damage (CliFixture *fixture, const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = tl_scratch_path (fixture->folder, name);
  size_t n;
  g_autofree char *bytes = cli_read_file (fixture, name, &n);
  bytes[n / 2] ^= 1;
  g_assert_true (g_file_set_contents (path, bytes, (gssize)n, &error));
}

/* A slice of a finished volume that was changed later is named, and made again
 * with consent. */
static void
test_resume_damaged (CliFixture *fixture, gconstpointer data)
{
  static const char all[] = "all slices are made again";
  static const char *const cases[][3] = {
    { "v", "v/recon_00001.tiff",
      "note: 1 kept slice was damaged and is made again: slice 1\n" },
    { "v.zarr", "v.zarr/0/1/0/0", all },
    { "v.tif", "v.tif", all },
    { "v.raw", "v.raw", all },
  };
  cli_make_phantom (fixture, 13, 3, 64);
  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      g_autofree char *line =
          g_strdup_printf ("export scan.h5 -o %s", cases[k][0]);
      g_autofree char *again = g_strconcat (line, " --resume", NULL);
      g_autofree char *agreed = g_strconcat (again, " --overwrite", NULL);
      size_t n, n_after;
      cli_run_well (fixture, line);
      g_autofree char *good = cli_read_file (fixture, cases[k][1], &n);
      damage (fixture, cases[k][1]);
      cli_run (fixture, again);
      cli_assert_refused (fixture, again, 1,
                          "slice 1 was damaged or changed after the export; "
                          "say --overwrite beside --resume");
      cli_run_well (fixture, agreed);
      g_assert_nonnull (strstr (fixture->err, cases[k][2]));
      g_autofree char *after = cli_read_file (fixture, cases[k][1], &n_after);
      g_assert_cmpmem (after, n_after, good, n);
      cli_run_well (fixture, again);
      g_assert_nonnull (strstr (fixture->out, "is whole: its 3 slices were"));
    }
  g_autofree char *facts = tl_scratch_path (fixture->folder, "v/volume.json");
  g_assert_true (g_file_set_contents (facts, "", 0, NULL));
  cli_run (fixture, "export scan.h5 -o v --resume");
  cli_assert_refused (fixture, "no checksums", 1,
                      "the list of the checksums was damaged or changed");
  cli_run_well (fixture, "export scan.h5 -o v --resume --overwrite");
}

/* Returns: the number of the file itself, which a slice keeps that is not made
 * again */
static ino_t
find_inode (CliFixture *fixture, const char *name)
{
  g_autofree char *path = tl_scratch_path (fixture->folder, name);
  GStatBuf status;
  g_assert_cmpint (g_stat (path, &status), ==, 0);
  return status.st_ino;
}

/* Of a stack only the slice that was damaged, cut short or lost is made again,
 * and the volume is as it was, also with a range that was found. */
static void
test_mended_slice (CliFixture *fixture, gconstpointer data)
{
  static const char line[] = "export scan.h5 -o v --engine host --sample uint16"
                             " --slices 0:34:2 --resume --overwrite";
  static const char slice[] = "v/recon_00006.tiff";
  g_autofree char *path = tl_scratch_path (fixture->folder, slice);
  g_autoptr (GError) error = NULL;
  size_t n, n_facts, n_after;
  cli_make_phantom (fixture, 13, 35, 17);
  cli_run_well (fixture, line);
  const ino_t first = find_inode (fixture, "v/recon_00000.tiff");
  g_autofree char *good = cli_read_file (fixture, slice, &n);
  g_autofree char *facts = cli_read_file (fixture, "v/volume.json", &n_facts);
  for (int i = 0; i < 3; i++)
    {
      if (i == 0)
        damage (fixture, slice);
      else if (i == 1)
        g_assert_true (g_file_set_contents (path, good, (gssize)n / 2, &error));
      else
        g_assert_cmpint (g_unlink (path), ==, 0);
      cli_run_well (fixture, line);
      g_assert_nonnull (strstr (fixture->out, "18 slices to "));
      g_assert_nonnull (strstr (fixture->out, ", 17 of them made before"));
      g_assert_cmpuint (find_inode (fixture, "v/recon_00000.tiff"), ==, first);
      g_autofree char *after = cli_read_file (fixture, slice, &n_after);
      g_assert_cmpmem (after, n_after, good, n);
      g_autofree char *facts_after =
          cli_read_file (fixture, "v/volume.json", &n_after);
      g_assert_cmpmem (facts_after, n_after, facts, n_facts);
    }
}

/* Parts of another number do not matter, and are proposed only if all of them
 * are there. */
static void
test_other_parts (CliFixture *fixture, gconstpointer data)
{
  static const char *const names[] = { "v", "v.h5" };
  cli_make_phantom (fixture, 13, 6, 17);
  for (size_t k = 0; k < G_N_ELEMENTS (names); k++)
    {
      static const char *const parts[] = { "1/3", "3/3", "1/2", "2/2" };
      g_autofree char *two =
          g_strdup_printf ("export scan.h5 -o %s --join 2", names[k]);
      g_autofree char *four =
          g_strdup_printf ("export scan.h5 -o %s --join 4", names[k]);
      for (size_t i = 0; i < G_N_ELEMENTS (parts); i++)
        {
          g_autofree char *line = g_strdup_printf (
              "export scan.h5 -o %s --part %s", names[k], parts[i]);
          if (i == 2)
            {
              cli_run (fixture, four);
              cli_assert_refused (fixture, four, 1,
                                  "this part is missing: make it, then join");
            }
          cli_run_well (fixture, line);
        }
      cli_run (fixture, four);
      cli_assert_refused (fixture, four, 1, "parts of 2: say --join 2");
      cli_run_well (fixture, two);
    }
}

/* The part of a stack that is joined already is not made again, as long as the
 * joined volume has it. */
static void
test_part_of_joined (CliFixture *fixture, gconstpointer data)
{
  static const char part[] = "export scan.h5 -o v --part 1/2 --resume";
  g_autofree char *parts = tl_scratch_path (fixture->folder, "v.parts");
  cli_make_phantom (fixture, 13, 4, 64);
  cli_run_well (fixture, "export scan.h5 -o v --part 1/2");
  cli_run_well (fixture, "export scan.h5 -o v --part 2/2");
  cli_run_well (fixture, "export scan.h5 -o v --join 2");
  cli_run_well (fixture, part);
  g_assert_true (g_str_has_prefix (fixture->out, "v is whole: its 4 sl"));
  g_assert_false (g_file_test (parts, G_FILE_TEST_EXISTS));
  damage (fixture, "v/recon_00001.tiff");
  cli_run (fixture, part);
  cli_assert_refused (fixture, part, 1, "slice 1 was damaged or changed");
  cli_run_well (fixture,
                "export scan.h5 -o v --part 1/2 --resume --filter hann");
  g_assert_true (g_file_test (parts, G_FILE_TEST_EXISTS));
}

/* A volume that is opened as a scan is called a volume, but not refused; what
 * is beside it is not. */
static void
test_volume_as_scan (CliFixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *volume, *scan;
  } cases[] = {
    { "v", "v" },         { "v.tif", "v.tif" },   { "v.h5", "v.h5" },
    { "v.nxs", "v.nxs" }, { "v.zarr", "v.zarr" }, { "v.raw", "v.nhdr" },
  };
  static const char says[] = "note         this is a reconstructed volume, not "
                             "a scan: its slices are taken for projections;";
  cli_make_phantom (fixture, 13, 3, 17);
  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      g_autofree char *line =
          g_strdup_printf ("export scan.h5 -o %s", cases[k].volume);
      g_autofree char *info = g_strdup_printf ("info %s", cases[k].scan);
      g_autofree char *recon = g_strdup_printf ("recon %s -o a%zu.tiff "
                                                "--engine host",
                                                cases[k].scan, k);
      cli_run_well (fixture, line);
      cli_run (fixture, info);
      if (strstr (fixture->err, "this program was built without ") != NULL)
        continue;
      g_assert_nonnull (strstr (fixture->out, says));
      cli_run_well (fixture, recon);
    }
  cli_run_well (fixture, "info scan.h5");
  g_assert_null (strstr (fixture->out, "volume, not a scan"));
  cli_run_well (fixture, "export scan.h5 -o scan.raw");
  cli_run_well (fixture, "info scan.h5");
  g_assert_null (strstr (fixture->out, "volume, not a scan"));
}

/* Makes a finished part, a TIFF stack, one that was not finished. */
static void
make_unfinished (CliFixture *fixture, const char *parts, const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = tl_scratch_path (fixture->folder, parts);
  g_autofree char *part = g_build_filename (folder, name, NULL);
  g_autofree char *recipe = g_build_filename (part, "recipe.ini", NULL);
  g_autoptr (TlStaging) staging = tl_staging_new (part, &error);
  g_assert_no_error (error);
  const char *hidden = tl_staging_get_path (staging);
  g_autofree char *hidden_part = g_build_filename (hidden, name, NULL);
  g_autofree char *begun = g_build_filename (hidden, "begun", NULL);
  g_autofree char *records = g_strconcat (hidden_part, ".unfinished", NULL);
  g_assert_cmpint (g_rename (recipe, begun), ==, 0);
  g_assert_cmpint (g_rename (part, hidden_part), ==, 0);
  g_assert_true (g_file_set_contents (records, "", -1, NULL));
}

/* A part that was not finished is refused with what can be done. */
static void
test_unfinished_part (CliFixture *fixture, gconstpointer data)
{
  static const CliRefusal bad[] = {
    { "export scan.h5 -o v --part 1/2", 1,
      "say --resume to go on, --overwrite to replace" },
    { "export scan.h5 -o v --part 1/2 --filter hann", 1,
      "what differs: Filter Ramp → Hann; say --overwrite to replace" },
  };
  cli_make_phantom (fixture, 13, 4, 17);
  cli_run_well (fixture, "export scan.h5 -o v --part 1/2");
  make_unfinished (fixture, "v.parts", "1-of-2");
  cli_run_refused (fixture, bad, G_N_ELEMENTS (bad));
  cli_run_well (fixture, "export scan.h5 -o v --part 1/2 --resume");
}

/* Without the files of its parts, as they were made, a joined volume is not
 * whole. */
static void
test_moved_parts (CliFixture *fixture, gconstpointer data)
{
  static const CliRefusal bad[] = {
    { "export scan.h5 -o v.h5 --resume", 1,
      "v.parts/1-of-2.h5, a file of it, is missing" },
    { "info v.h5", 1,
      "2 files with its projections are not there, the first: "
      "v.parts/1-of-2.h5" },
  };
  g_autofree char *parts = tl_scratch_path (fixture->folder, "v.parts");
  g_autofree char *away = tl_scratch_path (fixture->folder, "away");
  cli_make_phantom (fixture, 13, 4, 17);
  cli_run_well (fixture, "export scan.h5 -o v.h5 --part 1/2");
  cli_run_well (fixture, "export scan.h5 -o v.h5 --part 2/2");
  cli_run_well (fixture, "export scan.h5 -o v.h5 --join 2");
  cli_run_well (fixture, "export scan.h5 -o v.h5 --resume");
  damage (fixture, "v.parts/2-of-2.h5");
  cli_run (fixture, "export scan.h5 -o v.h5 --resume");
  cli_assert_refused (fixture, "damaged", 1,
                      "2-of-2.h5: this part has changed since it was made");
  g_assert_cmpint (g_rename (parts, away), ==, 0);
  cli_run_refused (fixture, bad, G_N_ELEMENTS (bad));
}

/* A joined volume never shows slices of a part that was made otherwise: it goes
 * first, with consent. */
static void
test_joined_part (CliFixture *fixture, gconstpointer data)
{
  static const char *const names[] = { "p.h5", "p.nxs" };
  cli_make_phantom (fixture, 13, 4, 17);
  for (size_t k = 0; k < G_N_ELEMENTS (names); k++)
    {
      const char *name = names[k];
      g_autofree char *path = tl_scratch_path (fixture->folder, name);
      g_autofree char *first =
          g_strdup_printf ("export scan.h5 -o %s --part 1/2", name);
      g_autofree char *second =
          g_strdup_printf ("export scan.h5 -o %s --part 2/2", name);
      g_autofree char *join =
          g_strdup_printf ("export scan.h5 -o %s --join 2", name);
      g_autofree char *other = g_strconcat (first, " --filter hann", NULL);
      g_autofree char *consent = g_strconcat (other, " --overwrite", NULL);
      g_autofree char *again =
          g_strconcat (first, " --resume --overwrite", NULL);
      g_autofree char *changed =
          g_strconcat (other, " --resume --overwrite", NULL);
      g_autofree char *jobs =
          g_strdup_printf ("export scan.h5 -o %s --slurm 2 --overwrite", name);
      g_autofree char *part =
          g_strdup_printf ("p.parts/1-of-2%s", strchr (name, '.'));
      g_autofree char *part_path = tl_scratch_path (fixture->folder, part);
      cli_run_well (fixture, first);
      cli_run_well (fixture, second);
      cli_run_well (fixture, join);
      /* as a job of Slurm that is run again */
      cli_run_well (fixture, again);
      g_assert_nonnull (strstr (fixture->out, "is whole: its 2 slices"));
      cli_run (fixture, changed);
      cli_assert_refused (fixture, changed, 1, "--overwrite without --resume");
      cli_run (fixture, jobs);
      cli_assert_refused (fixture, jobs, 1, "shows the files of its parts");
      g_assert_true (g_file_test (path, G_FILE_TEST_EXISTS));
      /* also if the part itself is gone */
      g_assert_cmpint (g_unlink (part_path), ==, 0);
      cli_run (fixture, other);
      cli_assert_refused (fixture, other, 1,
                          "this volume shows the slices of the part");
      g_assert_true (g_file_test (path, G_FILE_TEST_EXISTS));
      /* parts of another number are not shown */
      g_autofree char *third =
          g_strdup_printf ("export scan.h5 -o %s --part 1/3", name);
      cli_run_well (fixture, third);
      g_assert_true (g_file_test (path, G_FILE_TEST_EXISTS));
      cli_run_well (fixture, consent);
      g_assert_nonnull (strstr (fixture->err, "and is removed: join again"));
      g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
      cli_run (fixture, join);
      cli_assert_refused (fixture, join, 1, "1-of-2");
    }
}

/* No volume is begun in the folder of one that is being written, which would
 * be replaced as a whole. */
static void
test_inside (CliFixture *fixture, gconstpointer data)
{
  static const CliRefusal bad[] = {
    { "export scan.h5 -o v/sub", 1, "another program is writing the volume" },
    { "export scan.h5 -o v/a/sub.h5", 1,
      "another program is writing the volume" },
    { "recon scan.h5 -o v/a.tiff", 1, "another program is writing the volume" },
  };
  g_autoptr (GError) error = NULL;
  g_autofree char *path = tl_scratch_path (fixture->folder, "v");
  cli_make_phantom (fixture, 13, 4, 17);
  g_autoptr (TlStaging) staging = tl_staging_new (path, &error);
  g_assert_no_error (error);
  g_assert_cmpint (g_mkdir (path, 0777), ==, 0); /* an older volume */
  cli_run_refused (fixture, bad, G_N_ELEMENTS (bad));
  g_assert_true (tl_staging_remove (staging, &error));
  cli_run_well (fixture, "export scan.h5 -o v/sub");
}

/* HDF5 would crash at the end of the program after a write that failed: a file
 * that becomes too large is refused before. */
static void
test_file_limit (CliFixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *line;
    size_t file_bytes;
  } cases[] = {
    { "export scan.h5 -o v.h5", 100000 },
    { "export scan.h5 -o v.nxs", 100000 },
    { "export scan.h5 -o v.h5 --part 1/2", 100000 },
    { "export scan.h5 -o v.h5", 2500000 },
    { "export scan.h5 -o v.h5 --compression 1", 100000 },
    { "export scan.h5 -o v.nxs --compression 1", 2500000 },
  };
  cli_make_phantom (fixture, 13, 64, 128);
  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      g_autofree char *line =
          g_strconcat (cases[k].line, " --engine host --overwrite", NULL);
      cli_run_limited (fixture, line, cases[k].file_bytes);
      cli_assert_refused (fixture, line, 1,
                          "the file is larger than this system allows");
    }
}

int
main (int argc, char **argv)
{
  static const CliCase cases[] = {
    { "/cli-export/one", test_one },
    { "/cli-export/parts", test_parts },
    { "/cli-export/turned-parts", test_turned_parts },
    { "/cli-export/ranges", test_ranges },
    { "/cli-export/doubtful-range", test_doubtful_range },
    { "/cli-export/resume-finished", test_resume_finished },
    { "/cli-export/resume-damaged", test_resume_damaged },
    { "/cli-export/mended-slice", test_mended_slice },
    { "/cli-export/part-of-joined", test_part_of_joined },
    { "/cli-export/other-parts", test_other_parts },
    { "/cli-export/volume-as-scan", test_volume_as_scan },
    { "/cli-export/unfinished-part", test_unfinished_part },
    { "/cli-export/moved-parts", test_moved_parts },
    { "/cli-export/joined-part", test_joined_part },
    { "/cli-export/damaged-parts", test_damaged_parts },
    { "/cli-export/inside", test_inside },
    { "/cli-export/file-limit", test_file_limit },
    { "/cli-export/interrupt", test_interrupt },
  };
  return cli_test_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
