/* The scripts that --slurm writes, and what stands in their way. The "sbatch"
 * of these tests keeps a copy of each script, as Slurm does, and the tests run
 * the copies later. */
#include "tests/app/cli/cli-fixture.h"

#include <glib/gstdio.h>
#include <string.h>

#define EXPORT "export scan.h5 --engine host "
#define PREFIX "tomolens-cli: " /* of an error */

static void
write_text (CliFixture *fixture, const char *name, const char *text)
{
  g_autofree char *path = tl_scratch_path (fixture->folder, name);
  g_autofree char *folder = g_path_get_dirname (path);
  g_assert_cmpint (g_mkdir_with_parents (folder, 0777), ==, 0);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static void
assert_text (CliFixture *fixture, const char *name, const char *text)
{
  g_autofree char *there = cli_read_file (fixture, name, NULL);
  g_assert_cmpstr (there, ==, text);
}

static gboolean
exists (CliFixture *fixture, const char *name)
{
  g_autofree char *path = tl_scratch_path (fixture->folder, name);
  return g_file_test (path, G_FILE_TEST_EXISTS);
}

static void
make_scan (CliFixture *fixture)
{
  g_autofree char *bin = tl_scratch_path (fixture->folder, "bin");
  g_autofree char *sbatch = tl_scratch_path (fixture->folder, "bin/sbatch");
  g_autofree char *search = g_strconcat (bin, ":", g_getenv ("PATH"), NULL);
  write_text (fixture, "jobs/0", "");
  write_text (fixture, "bin/sbatch",
              "#!/bin/sh\n"
              "for script; do :; done\n"
              "n=$(ls jobs | wc -l)\n"
              "cp \"$script\" jobs/$n && echo $n\n");
  g_assert_cmpint (g_chmod (sbatch, 0700), ==, 0);
  g_setenv ("PATH", search, TRUE);
  cli_make_phantom (fixture, 13, 4, 17);
}

static void
run_job (CliFixture *fixture, guint number, const char *task)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *job = g_strdup_printf ("jobs/%u", number);
  const char *args[] = { "sh", job, NULL };
  g_auto (GStrv) environment = g_get_environ ();
  int status;
  environment =
      g_environ_setenv (environment, "SLURM_ARRAY_TASK_ID", task, TRUE);
  g_spawn_sync (fixture->folder, (char **)args, environment,
                G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL
                    | G_SPAWN_STDERR_TO_DEV_NULL,
                NULL, NULL, NULL, NULL, &status, &error);
  g_assert_no_error (error);
  g_spawn_check_wait_status (status, &error);
  g_assert_no_error (error);
}

/* @first: the number of the array of two parts */
static void
run_jobs (CliFixture *fixture, guint first)
{
  run_job (fixture, first, "1");
  run_job (fixture, first, "2");
  run_job (fixture, first + 1, "");
}

/* A stack and a file of the same stem have the folder of their parts in common,
 * and nothing else. */
static void
test_two_names (CliFixture *fixture, gconstpointer data)
{
  make_scan (fixture);
  cli_run_well (fixture, EXPORT "-o ramp --method back-projection");
  cli_run_well (fixture, EXPORT "-o x --slurm 2 --submit");
  cli_run_well (fixture, EXPORT "-o x.h5 --slurm 2 --submit --filter cosine");
  run_jobs (fixture, 1);
  cli_assert_same_files (fixture, "ramp/recon_00000.tiff",
                         "x/recon_00000.tiff");
  cli_assert_same_files (fixture, "ramp/recon_00003.tiff",
                         "x/recon_00003.tiff");
  run_jobs (fixture, 3);
  g_assert_true (exists (fixture, "x.h5"));
}

/* Jobs that wait are not changed by later ones for the same volume. */
static void
test_same_name (CliFixture *fixture, gconstpointer data)
{
  static const char again[] = EXPORT "-o x --slurm 2 --submit";
  static const char other[] = EXPORT "-o x --slurm 2 --submit --filter hann";
  static const char agreed[] =
      EXPORT "-o x --slurm 2 --submit --filter hann --overwrite";
  make_scan (fixture);
  cli_run_well (fixture, EXPORT "-o ramp --method back-projection");
  cli_run_well (fixture, again);
  cli_run (fixture, other);
  cli_assert_refused (fixture, other, 1, "say --overwrite to replace it");
  g_assert_false (exists (fixture, "jobs/3"));
  cli_run_well (fixture, again);
  cli_run_well (fixture, agreed);
  run_jobs (fixture, 1);
  cli_assert_same_files (fixture, "ramp/recon_00000.tiff",
                         "x/recon_00000.tiff");
}

/* Returns: (transfer full): "x.slurm/recipe-….ini" */
static char *
find_recipe (CliFixture *fixture)
{
  g_autofree char *folder = tl_scratch_path (fixture->folder, "x.slurm");
  g_autofree char *names = tl_scratch_list (folder);
  char *recipe = strstr (names, "recipe-");
  g_assert_nonnull (recipe);
  recipe[strcspn (recipe, "\n")] = '\0';
  return g_build_filename ("x.slurm", recipe, NULL);
}

static void
assert_kept (CliFixture *fixture, const char *name, const char *text)
{
  static const CliRefusal bad[] = {
    { EXPORT "-o x --slurm 2", 1, "move it away, or choose another name" },
    { EXPORT "-o x --slurm 2 --overwrite", 1,
      "this is not as tomolens-cli writes it" },
  };
  write_text (fixture, name, text);
  cli_run_refused (fixture, bad, G_N_ELEMENTS (bad));
  assert_text (fixture, name, text);
  g_autofree char *path = tl_scratch_path (fixture->folder, name);
  g_assert_cmpint (g_unlink (path), ==, 0);
}

/* What others have written, or changed, is never replaced. */
static void
test_others (CliFixture *fixture, gconstpointer data)
{
  static const char notes[] = "my notes\n";
  make_scan (fixture);
  write_text (fixture, "x.parts/recipe.ini", notes);
  write_text (fixture, "x.parts/part.sbatch", notes);
  assert_kept (fixture, "x.slurm/part.sbatch", notes);
  assert_kept (fixture, "x.slurm/join.sbatch", notes);
  cli_run_well (fixture, EXPORT "-o x --slurm 2");
  assert_text (fixture, "x.parts/recipe.ini", notes);
  assert_text (fixture, "x.parts/part.sbatch", notes);

  g_autofree char *script =
      cli_read_file (fixture, "x.slurm/part.sbatch", NULL);
  g_autofree char *longer = g_strconcat (script, notes, NULL);
  assert_kept (fixture, "x.slurm/part.sbatch", longer);
  *strstr (script, "--part") = '+';
  assert_kept (fixture, "x.slurm/part.sbatch", script);
  g_autofree char *recipe = find_recipe (fixture);
  assert_kept (fixture, recipe, notes);
  cli_run_well (fixture, EXPORT "-o x --slurm 2");

  static const CliRefusal bad[] = {
    { EXPORT "-o v --slurm 2", 1, "v.slurm holds an exported volume" },
  };
  cli_run_well (fixture, EXPORT "-o v.slurm");
  cli_run_refused (fixture, bad, G_N_ELEMENTS (bad));
}

/* What no job can make is refused before the jobs wait, as a job would refuse
 * it. */
static void
test_refused (CliFixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *options;
    guint n_parts;
    const char *says;
  } bad[] = {
    { "-o a.tif", 2, "parts of a volume of the format bigtiff cannot" },
    { "-o a.zarr", 2, "parts of a volume of the format zarr cannot" },
    { "-o a.raw", 2, "parts of a volume of the format raw cannot" },
    { "-o a", 100, "4 slices cannot be shared in 100 parts" },
    { "-o a --slices 1:1", 2, "1 slice cannot be shared in 2 parts" },
    { "-o a --region 10,10,20,20", 2, "scan.h5: " },
    { "-o a.h5 --plane xz --region 0,0,17,1", 2, "1 slice cannot be shared" },
    { "-o a --memory 1M", 2, "of memory, but the limit is 1.0" },
    { "-o a --memory 1M --centre auto", 2, "but the limit is 1.0" },
    { "-o b", 2, "b.parts/1-of-2: " },
  };
  make_scan (fixture);
  write_text (fixture, "b.parts/1-of-2", "my notes\n");
  for (size_t k = 0; k < G_N_ELEMENTS (bad); k++)
    {
      g_autofree char *part = g_strdup_printf (EXPORT "%s --part 1/%u",
                                               bad[k].options, bad[k].n_parts);
      g_autofree char *jobs = g_strdup_printf (EXPORT "%s --slurm %u --submit",
                                               bad[k].options, bad[k].n_parts);
      cli_run (fixture, part);
      cli_assert_refused (fixture, part, 1, bad[k].says);
      g_autofree char *sentence = g_strdup (strstr (fixture->err, PREFIX));
      cli_run (fixture, jobs);
      cli_assert_refused (fixture, jobs, 1, bad[k].says);
      g_assert_cmpstr (strstr (fixture->err, PREFIX), ==, sentence);
      g_assert_false (exists (fixture, "a.slurm"));
      g_assert_false (exists (fixture, "a.h5.slurm"));
      g_assert_false (exists (fixture, "b.slurm"));
      g_assert_false (exists (fixture, "jobs/1"));
    }
  cli_run_well (fixture, EXPORT "-o a --slurm 2 --memory 1G");
}

int
main (int argc, char **argv)
{
  static const CliCase cases[] = {
    { "/cli-slurm/two-names", test_two_names },
    { "/cli-slurm/same-name", test_same_name },
    { "/cli-slurm/others", test_others },
    { "/cli-slurm/refused", test_refused },
  };
  return cli_test_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
