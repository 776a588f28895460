/* tomolens-cli centre --candidates. */
#include "tests/app/cli/cli-fixture.h"
#include "tests/app/cli/json.h"

#include <math.h>
#include <string.h>

/* The axis of the phantom's scan: off the middle by 2 % and a quarter of a
 * pixel. */
#define N_COLS 200
#define CENTRE_COL ((N_COLS - 1) / 2.0 + 4 + 0.25)

static guint
count (const char *text, const char *part)
{
  guint n = 0;
  for (const char *at = strstr (text, part); at != NULL;
       at = strstr (at + 1, part))
    n++;
  return n;
}

/* Without --around, the middle candidate is the centre that is found. */
static void
test_table (CliFixture *fixture, gconstpointer data)
{
  cli_make_phantom (fixture, 180, 3, N_COLS);
  cli_run_well (fixture,
                "centre scan.h5 --candidates 5 --step 0.5 --engine host");
  g_assert_nonnull (strstr (fixture->err, "candidates around 103."));
  g_assert_nonnull (strstr (fixture->out, "slice 1, best by combined\n"));
  g_assert_nonnull (strstr (fixture->out, "\nbest: centre 103."));
  g_assert_nonnull (strstr (fixture->out, "5 candidates in "));
  g_assert_cmpuint (count (fixture->out, "\n* "), ==, 1);
  cli_run_well (fixture, "centre scan.h5 --candidates 3 --step 1 --around 106");
  g_assert_null (strstr (fixture->err, "candidates around"));
  g_assert_nonnull (strstr (fixture->out, "\n*    105.000    105.500"));
  g_assert_nonnull (strstr (fixture->out, "at the end"));
  /* Hardly anything but noise. */
  cli_run_well (fixture, "phantom noise.h5 --size 200 --rows 1 --projections "
                         "60 --noise 20");
  cli_run_well (fixture, "centre noise.h5 --candidates 9 --around 103.75");
  g_assert_nonnull (strstr (fixture->out, "\nbest: none, quarters"));
  g_assert_null (strchr (fixture->out, '*'));
}

static void
test_json (CliFixture *fixture, gconstpointer data)
{
  static const char *const metrics[] = { "", " --metric entropy" };
  cli_make_phantom (fixture, 180, 3, N_COLS);
  for (size_t k = 0; k < G_N_ELEMENTS (metrics); k++)
    {
      g_autofree char *line =
          g_strconcat ("centre scan.h5 --candidates 11 --step 0.5 --around "
                       "102.75 --filter hann --json",
                       metrics[k], NULL);
      cli_run_well (fixture, line);
      g_assert_true (tl_json_is_valid (fixture->out));
      g_assert_cmpuint (count (fixture->out, "\"entropy\":"), ==, 11);
      g_assert_cmpfloat_with_epsilon (
          tl_json_find_number (fixture->out, "best"), CENTRE_COL, 1e-9);
      g_assert_cmpfloat_with_epsilon (
          tl_json_find_number (fixture->out, "best_boundary"), CENTRE_COL + 0.5,
          1e-9);
      g_assert_cmpfloat (tl_json_find_number (fixture->out, "seconds"), >, 0);
    }
}

/* Each picture equals the slice that recon makes with this centre, or a part
 * of it. */
static void
test_pictures (CliFixture *fixture, gconstpointer data)
{
  cli_make_phantom (fixture, 60, 3, N_COLS);
  cli_run_well (fixture, "centre scan.h5 --candidates 3 --step 0.125 --around "
                         "60 --filter hann --slice 2 --engine host -o out");
  g_autofree char *folder = tl_scratch_path (fixture->folder, "out");
  g_autofree char *list = tl_scratch_list (folder);
  g_assert_cmpstr (list, ==,
                   "candidates.png\ncentre_59.875.tiff\ncentre_60.000.tiff\n"
                   "centre_60.125.tiff\n");
  cli_run_well (fixture,
                "recon scan.h5 --centre 60.125 --filter hann --slice 2 "
                "--engine host -o slice.tiff");
  g_autofree char *got_path = tl_scratch_path (folder, "centre_60.125.tiff");
  g_autofree char *want_path = tl_scratch_path (fixture->folder, "slice.tiff");
  g_autofree float *got = tl_scratch_read_tiff (got_path, N_COLS * N_COLS);
  g_autofree float *want = tl_scratch_read_tiff (want_path, N_COLS * N_COLS);
  g_assert_cmpmem (got, N_COLS * N_COLS * sizeof (float), want,
                   N_COLS * N_COLS * sizeof (float));
  cli_run_well (fixture, "centre scan.h5 --candidates 1 --around 60 --region "
                         "30:49,60:89 --slice 2 --engine host -o part");
  cli_run_well (fixture, "recon scan.h5 --centre 60 --slice 2 --engine host "
                         "-o slice.tiff --overwrite");
  g_autofree char *part_path =
      tl_scratch_path (fixture->folder, "part/centre_60.00.tiff");
  g_autofree float *part = tl_scratch_read_tiff (part_path, 20 * 30);
  g_autofree float *whole = tl_scratch_read_tiff (want_path, N_COLS * N_COLS);
  for (size_t i = 0; i < 30; i++)
    for (size_t j = 0; j < 20; j++)
      g_assert_cmpfloat_with_epsilon (part[i * 20 + j],
                                      whole[(i + 60) * N_COLS + j + 30], 1e-5f);
}

static void
test_refused (CliFixture *fixture, gconstpointer data)
{
  static const CliRefusal bad[] = {
    { "centre scan.h5 --candidates 0", 2, "--candidates" },
    { "centre scan.h5 --candidates 10001", 2, "10000 at most" },
    { "centre scan.h5 --candidates 3 --step 0", 2, "above 0" },
    { "centre scan.h5 --candidates 3 --around x", 2, "--around" },
    { "centre scan.h5 --candidates 3 --metric x", 2, "--metric" },
    { "centre scan.h5 --candidates 3 --region 3,4", 2, "X0:X1,Y0:Y1" },
    { "centre scan.h5 --candidates 3 --region 3:9", 2, "X0:X1,Y0:Y1" },
    { "centre scan.h5 --candidates 3 --slices 0:1", 2,
      "does not take --slices" },
    { "centre scan.h5 --candidates 3 --height", 2, "not both" },
    { "centre scan.h5 --step 0.1", 2, "--step is for --candidates" },
    { "centre scan.h5 -o out", 2, "--output is for --candidates" },
    { "centre scan.h5 --filter hann", 2, "--filter is for --candidates" },
    { "centre scan.h5 --candidates 3 --around 199", 1, "columns are 0 to 199" },
    { "centre scan.h5 --candidates 3 --around 60 --region 0:200,0:9", 1,
      "beyond the slice" },
    { "centre scan.h5 --candidates 3 --around 60 -o scan.h5", 1,
      "the scan itself" },
    { "centre scan.h5 --candidates 3 --around 60 -o there/in", 1, "there" },
  };
  g_autofree char *there = tl_scratch_path (fixture->folder, "there");
  cli_make_phantom (fixture, 180, 3, N_COLS);
  g_assert_true (g_file_set_contents (there, "", 0, NULL));
  cli_run_refused (fixture, bad, G_N_ELEMENTS (bad));
}

/* All pixels are equal: no middle and no best candidate is reported. */
static void
test_no_answer (CliFixture *fixture, gconstpointer data)
{
  tl_scratch_images (fixture->folder, "p", 40, 2, 32, 0.5f);
  cli_run (fixture, "centre . --angles 0:175 --candidates 3");
  cli_assert_refused (fixture, "none", 1, "--around says where to look");
}

int
main (int argc, char **argv)
{
  static const CliCase cases[] = {
    { "/cli-candidates/table", test_table },
    { "/cli-candidates/json", test_json },
    { "/cli-candidates/pictures", test_pictures },
    { "/cli-candidates/refused", test_refused },
    { "/cli-candidates/no-answer", test_no_answer },
  };
  return cli_test_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
