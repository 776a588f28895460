/* What tomolens-cli does with files that appear while it works, and with
 * another process that writes the same files. */
#include "tests/app/cli/cli-fixture.h"
#include "tests/support/unfinished.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Stops @child, and waits until all of its threads rest. Returns: %FALSE if it
 * has ended */
static gboolean
stop (GSubprocess *child)
{
  const char *id = g_subprocess_get_identifier (child);
  siginfo_t state = { 0 };
  if (id == NULL)
    return FALSE;
  g_subprocess_send_signal (child, SIGSTOP);
  while (waitid (P_PID, (id_t)atoi (id), &state, WSTOPPED | WEXITED | WNOWAIT)
             != 0
         && errno == EINTR)
    ;
  return state.si_code == CLD_STOPPED;
}

/* Returns: whether an export to @name in @folder has begun to write. The file
 * that it locks comes before, and is there before it is locked. */
static gboolean
has_begun (const char *folder, const char *name)
{
  g_autofree char *unfinished = find_unfinished (folder, name);
  g_autofree char *hidden =
      unfinished != NULL ? g_path_get_dirname (unfinished) : NULL;
  g_autoptr (GDir) dir = hidden != NULL ? g_dir_open (hidden, 0, NULL) : NULL;
  const char *file = dir != NULL ? g_dir_read_name (dir) : NULL;
  while (file != NULL && strcmp (file, ".lock") == 0)
    file = g_dir_read_name (dir);
  return file != NULL;
}

/* Waits until @child writes @name in @folder, and stops it there. Returns:
 * %FALSE if it has finished before it could be stopped */
static gboolean
hold (CliFixture *fixture, GSubprocess *child, const char *folder,
      const char *name)
{
  g_autofree char *path = tl_scratch_path (fixture->folder, folder);
  while (g_subprocess_get_identifier (child) != NULL)
    {
      if (has_begun (path, name))
        return stop (child) && has_begun (path, name);
      g_usleep (1000);
    }
  return FALSE;
}

static GSubprocess *
start (CliFixture *fixture, const char *line)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *whole = g_strconcat (TL_CLI_PATH " ", line, NULL);
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (
      G_SUBPROCESS_FLAGS_STDOUT_SILENCE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
  g_auto (GStrv) args = NULL;
  g_assert_true (g_shell_parse_argv (whole, NULL, &args, NULL));
  g_subprocess_launcher_set_cwd (launcher, fixture->folder);
  GSubprocess *child = g_subprocess_launcher_spawnv (
      launcher, (const char *const *)args, &error);
  g_assert_no_error (error);
  return child;
}

/* Returns: (transfer full): what @child printed to standard error */
static char *
go_on (GSubprocess *child, int status)
{
  g_autoptr (GError) error = NULL;
  char *err;
  g_subprocess_send_signal (child, SIGCONT);
  g_subprocess_communicate_utf8 (child, NULL, NULL, NULL, &err, &error);
  g_assert_no_error (error);
  g_assert_cmpint (g_subprocess_get_exit_status (child), ==, status);
  return err;
}

/* A file that appears under one of the names while a command works stays, and
 * none of the new files takes its place. */
static void
test_meanwhile (CliFixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *line, *folder, *first, *notes;
  } cases[] = {
    { "recon scan.h5 --engine host --slices 0:99 -o r", "r", "recon_00000.tiff",
      "recipe.ini" },
    { "centre scan.h5 --engine host --candidates 41 --around 32 -o c", "c",
      "centre_27.00.tiff", "candidates.png" },
    { "phantom p/made.h5 --size 192 --projections 200", "p", "made.h5",
      "made.h5" },
  };
  g_autofree char *made = tl_scratch_path (fixture->folder, "p");
  cli_make_phantom (fixture, 64, 100, 64);
  g_assert_cmpint (g_mkdir (made, 0777), ==, 0);
  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      g_autofree char *folder =
          tl_scratch_path (fixture->folder, cases[k].folder);
      g_autofree char *notes = g_build_filename (folder, cases[k].notes, NULL);
      g_autofree char *text = NULL;
      g_autoptr (GSubprocess) child = start (fixture, cases[k].line);
      g_assert_true (hold (fixture, child, cases[k].folder, cases[k].first));
      g_assert_false (g_file_test (notes, G_FILE_TEST_EXISTS));
      g_assert_true (g_file_set_contents (notes, "mine", -1, NULL));
      g_autofree char *err = go_on (child, 1);
      g_assert_nonnull (strstr (err, "not replaced without your consent"));
      g_assert_true (g_file_get_contents (notes, &text, NULL, NULL));
      g_assert_cmpstr (text, ==, "mine");
      /* The notes, and the hidden folder that the message names. */
      g_autofree char *hidden = find_unfinished (folder, cases[k].first);
      g_autofree char *kept = g_path_get_dirname (hidden);
      g_assert_nonnull (strstr (err, kept));
      g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
      guint n_files = 0;
      while (g_dir_read_name (dir) != NULL)
        n_files++;
      g_assert_cmpuint (n_files, ==, 2);
    }
}

/* Of two that write one file at the same time, the second is refused. */
static void
test_two (CliFixture *fixture, gconstpointer data)
{
  static const char line[] =
      "recon scan.h5 --engine host --slices 0:99 -o out --overwrite";
  cli_make_phantom (fixture, 64, 100, 64);
  g_autoptr (GSubprocess) first = start (fixture, line);
  while (!hold (fixture, first, "out", "recon_00000.tiff"))
    {
      g_free (go_on (first, 0));
      g_object_unref (first);
      first = start (fixture, line);
    }
  cli_run (fixture, line);
  cli_assert_refused (fixture, line, 1, "another program is writing it");
  g_autofree char *err = go_on (first, 0);
  g_assert_null (strstr (err, "tomolens-cli:"));
  g_autofree char *out = tl_scratch_path (fixture->folder, "out");
  g_assert_cmpuint (count_whole_slices (out), ==, 100);
}

/* Notes beside a slice are no recipe, and a folder of raw projections is no
 * place for slices; --overwrite speaks of neither. */
static void
test_foreign (CliFixture *fixture, gconstpointer data)
{
  static const CliRefusal bad[] = {
    { "recon scan.h5 -o s.tiff --overwrite", 1, "s.ini: this is not a recipe" },
    { "recon set --slices 0:1 -o set/tomo", 1, "files of the scan" },
    { "recon set -o set/tomo/s.tiff", 1, "files of the scan" },
    { "export scan.h5 -o d.jpg", 2,
      "a folder of TIFF files has no suffix .jpg" },
    { "export scan.h5 -o d.TIFF --format tiff", 2, "has no suffix .tiff" },
    { "export scan.h5 -o d.jpg --format tiff", 2, "has no suffix .jpg" },
    { "export scan.h5 -o d.h5 --format tiff", 2, "has no suffix .h5" },
    { "export scan.h5 -o w.txt", 2, "has no suffix .txt: leave it out" },
    { "export scan.h5 -o w.json/", 2, "has no suffix .json" },
    { "export scan.h5 -o w.csv//", 2, "has no suffix .csv" },
    { "export scan.h5 -o w.nx", 2, "has no suffix .nx" },
    { "export scan.h5 -o w.h5/ --format tiff", 2, "has no suffix .h5" },
    { "export scan.h5 -o w.tif --format hdf5", 2,
      ".tif is no suffix of the format hdf5: take .h5" },
    { "export scan.h5 -o w.TIF --format zarr", 2, "take .zarr" },
    { "export scan.h5 -o w.nxs --format hdf5", 2, "take .h5" },
    { "export scan.h5 -o w.png --format raw", 2, "take .raw" },
    { "export scan.h5 -o w --sample uint8 --range 1:1", 2,
      "--range 1:1: the end of the range must be above its start" },
    { "export scan.h5 -o w --sample uint8 --range 1%:101%", 2,
      "--range 1%:101%: percentiles lie between 0 and 100" },
    { "export scan.h5 -o w --sample uint8 --range -1%:99%", 2,
      "--range -1%:99%: percentiles lie between 0 and 100" },
    { "export scan.h5 -o w --sample uint8 --range 9%:8%", 2,
      "--range 9%:8%: the end of the range must be above its start" },
    { "export scan.h5 -o w --sample uint8 --range 1", 2, "takes LOW:HIGH" },
    { "export scan.h5 -o w --slices 0:3:2", 1, /* row 3 would not be made */
      "scan.h5: slices 0 to 3, step 2: the scan has the slices 0 to 2; end the "
      "range at 2" },
    { "export scan.h5 -o w --slices 0:2:2 --binning 2", 1,
      "need every detector row of the range: set the step to 1" },
    { "export scan.h5 -o folder.h5", 1,
      "this is a folder, a link or a device" },
  };
  g_autofree char *notes = tl_scratch_path (fixture->folder, "s.ini");
  g_autofree char *inner = tl_scratch_path (fixture->folder, "set/tomo");
  g_autofree char *text = NULL;
  cli_make_phantom (fixture, 13, 3, 17);
  g_assert_true (g_file_set_contents (notes, "my notes\n", -1, NULL));
  g_assert_cmpint (g_mkdir_with_parents (inner, 0777), ==, 0);
  g_autofree char *folder = tl_scratch_path (fixture->folder, "folder.h5");
  g_assert_cmpint (g_mkdir (folder, 0777), ==, 0);
  cli_run_well (fixture, "recon scan.h5 --slices 0:2 -o proj");
  for (int k = 0; k < 3; k++)
    {
      g_autofree char *from =
          g_strdup_printf ("%s/proj/recon_%05d.tiff", fixture->folder, k);
      g_autofree char *to = g_strdup_printf ("%s/p_%05d.tiff", inner, k);
      g_assert_cmpint (g_rename (from, to), ==, 0);
    }
  cli_run_refused (fixture, bad, G_N_ELEMENTS (bad));
  g_assert_true (g_file_get_contents (notes, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "my notes\n");
  cli_run_well (fixture, "recon set --slices 0:1 -o set/new");
  cli_run_well (fixture, "recon set --slices 0:1 -o set/new --overwrite");
  cli_run_well (fixture, "export scan.h5 -o v.h5 --format nexus");
  cli_run_well (fixture, "export scan.h5 -o v.hdf5 --format hdf5");
  cli_run_well (fixture, "export scan.h5 -o v.tiff --format bigtiff");
  cli_run_well (fixture, "export scan.h5 -o scan.v2 --format tiff");
  cli_run_well (fixture, "export scan.h5 -o v.TIF");
  g_autofree char *file = tl_scratch_path (fixture->folder, "v.TIF");
  g_assert_true (g_file_test (file, G_FILE_TEST_IS_REGULAR));
  /* the window takes a decimal comma in a range, and so does the option */
  cli_run_well (fixture, "export scan.h5 -o point.raw --sample uint16 --range "
                         "0.5%:99.5%");
  cli_run_well (fixture, "export scan.h5 -o comma.raw --sample uint16 --range "
                         "0,5%:99,5%");
  cli_assert_same_files (fixture, "point.raw", "comma.raw");
  /* a slash at the end makes no folder of a file */
  cli_run_well (fixture, "export scan.h5 -o q.h5/");
  cli_run_well (fixture, "export scan.h5 -o q.h5// --overwrite");
  g_autofree char *slashed = tl_scratch_path (fixture->folder, "q.h5");
  g_assert_true (g_file_test (slashed, G_FILE_TEST_IS_REGULAR));
}

/* Nothing is appended to a file that is no log, nor beside the data. */
static void
test_logs (CliFixture *fixture, gconstpointer data)
{
  static const CliRefusal bad[] = {
    { "export scan.h5 -o w --log scan.h5", 1, "this is the scan" },
    { "export ./link.h5 -o w --log scan.h5", 1, "this is the scan" },
    { "export set -o w --log set/new.txt", 1, "among its files" },
    { "export set -o w --log set/recon_00000.tiff", 1, "among its files" },
    { "export set -o w --log set/raw/new.log", 1, "among its files" },
    { "export scan.h5 -o w --log notes", 1, "notes: this file is no log" },
    { "export scan.h5 -o w --log v/recipe.ini", 1, "is no log" },
    { "export scan.h5 -o v --overwrite --log v/new.txt", 1,
      "the volume is written there" },
    { "export scan.h5 -o w.raw --log w.raw", 1, "the volume is written there" },
    { "export scan.h5 -o w.raw --log w.nhdr", 1,
      "the volume is written there" },
    { "export scan.h5 -o w.h5 --slurm 2 --log notes", 1, "is no log" },
    { "export scan.h5 -o w --log v/new.txt", 1, "v holds an exported volume" },
    { "export scan.h5 -o w --log pipe", 1, "pipe: this is no regular file" },
    { "export scan.h5 -o w.h5 --slurm 2 --log pipe", 1, "no regular file" },
    { "export scan.h5 -o w --log /dev/zero", 1, "this is no regular file" },
  };
  g_autofree char *pipe = tl_scratch_path (fixture->folder, "pipe");
  g_autofree char *scan = tl_scratch_path (fixture->folder, "scan.h5");
  g_autofree char *notes = tl_scratch_path (fixture->folder, "notes");
  g_autofree char *link_path = tl_scratch_path (fixture->folder, "link.h5");
  size_t n_before, n_after;
  cli_make_phantom (fixture, 13, 3, 17);
  g_assert_cmpint (symlink (scan, link_path), ==, 0);
  g_assert_cmpint (mkfifo (pipe, 0600), ==, 0);
  g_assert_true (g_file_set_contents (notes, "2026-01-01 mine\n", -1, NULL));
  cli_run_well (fixture, "recon scan.h5 --slices 0:2 -o set");
  g_autofree char *raw = tl_scratch_path (fixture->folder, "set/raw");
  g_assert_cmpint (g_mkdir (raw, 0777), ==, 0);
  cli_run_well (fixture, "recon scan.h5 -o set/raw/a.tiff");
  cli_run_well (fixture, "export scan.h5 -o v");
  g_autofree char *before = cli_read_file (fixture, "scan.h5", &n_before);
  cli_run_refused (fixture, bad, G_N_ELEMENTS (bad));
  g_autofree char *after = cli_read_file (fixture, "scan.h5", &n_after);
  g_assert_cmpmem (before, n_before, after, n_after);
  g_autofree char *text = cli_read_file (fixture, "notes", &n_after);
  g_assert_cmpstr (text, ==, "2026-01-01 mine\n");
  g_assert_true (g_file_set_contents (notes, "", -1, NULL));
  cli_run_well (fixture, "export scan.h5 -o w --log notes");
  cli_run_well (fixture, "export scan.h5 -o w2 --log notes");
  cli_run_well (fixture, "export scan.h5 -o w3 --log /dev/null");
  g_autofree char *lines = cli_read_file (fixture, "notes", &n_after);
  g_assert_nonnull (strstr (lines, "/w2'\n"));
  /* below the scan, too, where nothing is read */
  g_autofree char *logs = tl_scratch_path (fixture->folder, "set/logs");
  g_assert_cmpint (g_mkdir (logs, 0777), ==, 0);
  cli_run_well (fixture, "export set -o w4 --log set/logs/a.txt");
  cli_run_well (fixture, "export set -o w5 --log set/logs/a.txt");
}

/* The names of a volume do not make files a volume. */
static void
test_other_files (CliFixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *volume, *file, *says;
  } cases[] = {
    { "v", "v/recon_00001.tiff", "v/recon_00001.tiff: no export has made" },
    { "v", "v/recon_99999.tiff", "v/recon_99999.tiff: no export has made" },
    { "v.zarr", "v.zarr/0/notes.txt", "0/notes.txt: no export has made" },
    { "v.zarr", "v.zarr/0/0/notes", "0/0/notes: no export has made" },
    { "v.zarr", "v.zarr/0/0/0/notes", "0/0/0/notes: no export has made" },
    { "v.zarr", "v.zarr/9", "v.zarr/9: no export has made" },
    { "v.zarr", "v.zarr/0/3", "0/3: no export has made" },
    { "v.zarr", "v.zarr/0/02", "0/02: no export has made" },
    { "v.zarr", "v.zarr/0/2/1", "0/2/1: no export has made" },
    { "v.zarr", "v.zarr/0/2/0/1", "0/2/0/1: no export has made" },
    { "v.raw", "v.raw", "v.raw: this file of an export was" },
    { "v.raw", "v.nhdr", "v.raw: no export has made what is there" },
    { "v.tif", "v.tif", "v.tif: no export has made" },
  };
  cli_make_phantom (fixture, 13, 3, 17);
  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      size_t n;
      g_autofree char *line =
          g_strdup_printf ("export scan.h5 -o %s --overwrite", cases[k].volume);
      g_autofree char *path = tl_scratch_path (fixture->folder, cases[k].file);
      g_autofree char *whole =
          tl_scratch_path (fixture->folder, cases[k].volume);
      cli_run_well (fixture, line);
      cli_run_well (fixture, line); /* ours is replaced */
      g_assert_true (g_file_set_contents (path, "mine", -1, NULL));
      cli_run (fixture, line);
      cli_assert_refused (fixture, line, 1, cases[k].says);
      g_autofree char *text = cli_read_file (fixture, cases[k].file, &n);
      g_assert_cmpstr (text, ==, "mine");
      g_assert_cmpint (g_unlink (path), ==, 0);
      g_autofree char *away = g_strdup_printf ("%s.away-%zu", whole, k);
      g_rename (whole, away);
    }
}

/* Nor does the size of samples make them those of a volume, or the size of a
 * TIFF file a slice. */
static void
test_same_size (CliFixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *volume, *file, *says;
  } cases[] = { { "v.raw", "v.raw", "this file of an export was damaged" },
                { "v", "v/recon_00000.tiff", "no export has made" },
                { "v", "v/recon_00001.tiff", "no export has made" },
                { "v", "v/recon_00002.tiff", "no export has made" } };
  cli_make_phantom (fixture, 13, 3, 17);
  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      size_t n, n_after;
      g_autofree char *line =
          g_strdup_printf ("export scan.h5 -o %s --overwrite", cases[k].volume);
      g_autofree char *says =
          g_strdup_printf ("%s: %s", cases[k].file, cases[k].says);
      g_autofree char *path = tl_scratch_path (fixture->folder, cases[k].file);
      g_autofree char *whole =
          tl_scratch_path (fixture->folder, cases[k].volume);
      cli_run_well (fixture, line);
      cli_run_well (fixture, line); /* ours is replaced */
      g_autofree char *mine = cli_read_file (fixture, cases[k].file, &n);
      memset (mine, 7, n);
      g_assert_true (g_file_set_contents (path, mine, (gssize)n, NULL));
      cli_run (fixture, line);
      cli_assert_refused (fixture, line, 1, says);
      g_autofree char *after = cli_read_file (fixture, cases[k].file, &n_after);
      g_assert_cmpmem (mine, n, after, n_after);
      g_autofree char *away = g_strdup_printf ("%s.away-%zu", whole, k);
      g_rename (whole, away);
    }
}

/* --overwrite replaces files; a folder is never replaced. */
static void
test_folders (CliFixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *line, *name;
  } cases[] = {
    { "recon scan.h5 -o a.tiff --overwrite", "a.tiff" },
    { "recon scan.h5 -o a.tiff --overwrite", "a.ini" },
    { "recon scan.h5 -o . --slice 1 --overwrite", "recipe.ini" },
    { "phantom a.h5 --size 9 --overwrite", "a.h5" },
    { "centre scan.h5 --candidates 1 --around 8 -o . --overwrite",
      "candidates.png" },
  };
  cli_make_phantom (fixture, 13, 3, 17);
  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      g_autofree char *folder =
          tl_scratch_path (fixture->folder, cases[k].name);
      g_autofree char *notes = g_build_filename (folder, "notes", NULL);
      g_assert_cmpint (g_mkdir (folder, 0777), ==, 0);
      g_assert_true (g_file_set_contents (notes, "mine", -1, NULL));
      cli_run (fixture, cases[k].line);
      cli_assert_refused (fixture, cases[k].line, 1, "is a folder");
      g_assert_true (g_file_test (notes, G_FILE_TEST_EXISTS));
      g_assert_cmpint (g_unlink (notes), ==, 0);
      g_assert_cmpint (g_rmdir (folder), ==, 0);
    }
}

/* A message names the file as the user does, not where it is written first. */
static void
test_names (CliFixture *fixture, gconstpointer data)
{
  static const CliRefusal cases[] = {
    { "recon scan.h5 -o ./a.tiff", 1, "tomolens-cli: ./a.tiff: cannot" },
    { "phantom a.h5 --size 64 --rows 4", 1, "tomolens-cli: a.h5: cannot" },
  };
  cli_make_phantom (fixture, 7, 3, 64);
  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      cli_run_limited (fixture, cases[k].line, 8000);
      cli_assert_refused (fixture, cases[k].line, cases[k].status,
                          cases[k].says);
    }
}

int
main (int argc, char **argv)
{
  static const CliCase cases[] = {
    { "/cli-files/meanwhile", test_meanwhile },
    { "/cli-files/two", test_two },
    { "/cli-files/foreign", test_foreign },
    { "/cli-files/logs", test_logs },
    { "/cli-files/other-files", test_other_files },
    { "/cli-files/same-size", test_same_size },
    { "/cli-files/folders", test_folders },
    { "/cli-files/names", test_names },
  };
  return cli_test_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
