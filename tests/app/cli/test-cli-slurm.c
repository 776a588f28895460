/* The scripts that --slurm writes. The "sbatch" of these tests keeps a copy of
 * each script, as Slurm does. */
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
      g_assert_false (exists (fixture, "a.parts"));
      g_assert_false (exists (fixture, "jobs/1"));
    }
  cli_run_well (fixture, EXPORT "-o a --slurm 2 --memory 1G");
}

int
main (int argc, char **argv)
{
  static const CliCase cases[] = {
    { "/cli-slurm/refused", test_refused },
  };
  return cli_test_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
