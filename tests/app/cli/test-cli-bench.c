/* tomolens-cli bench on the host engine with small sizes: its output, its
 * plot and its error messages. */
#include "tests/app/cli/cli-fixture.h"
#include "tests/app/cli/json.h"

#include <gio/gio.h>
#include <signal.h>
#include <string.h>

#define SMALL "bench --engine host --size 32 --repeat 2 --error-size 32 "

static guint
count (const char *text, const char *word)
{
  guint n = 0;
  for (const char *c = strstr (text, word); c != NULL; c = strstr (c + 1, word))
    n++;
  return n;
}

static void
test_usage (CliFixture *fixture, gconstpointer data)
{
  static const char *const bad[][2] = {
    { "bench --repeat x", "--repeat" },
    { "bench --repeat 0", "--repeat" },
    { "bench --error-size 0", "--error-size" },
    { "bench --slices 65", "--slices takes 64 at most" },
    { "bench --sizes 64,a", "\"a\"" },
    { "bench --sizes 64,32", "ascending" },
    { "bench --sizes ''", "--sizes" },
    { "bench --sweep --size 64", "--sizes" },
    { "bench --tune --size 64", "--sizes" },
    { "bench --tune --sizes 64,128", "powers of two from 128 to 4096, not 64" },
    { "bench --tune --sizes 128,192", "not 192" },
    { "bench --tune --sizes 4096,8192", "not 8192" },
    { "bench --tune --sweep", "--sweep" },
    { "bench --tune --plot a.svg", "--plot" },
    { "bench --dry-run", "--tune" },
    { "bench --sweep --transforms", "--transforms" },
    { "bench --tune --transforms", "--transforms" },
    { "bench --volume --tune", "--volume" },
    { "bench --volume --sizes 64", "--volume" },
    { "bench --volume --plot a.svg", "--volume" },
    { "bench --volume --slices 2", "--slices" },
    { "bench --volume --repeat 2", "--repeat" },
    { "bench --volume --error-size 64", "--error-size" },
    { "bench --volume --no-errors", "--no-errors" },
    { "bench --transforms --interpolation cubic", "--interpolation" },
    { "bench --rows 8", "--volume" },
    { "bench --devices 1", "--volume" },
    { "bench --plot a.png", ".svg" },
    { "bench interactive --events 0", "--events" },
    { "bench interactive --size 64 scan.h5", "--size" },
    { "bench interactive --rows 64 scan.h5", "--rows" },
    { "bench interactive --sweep", "--sweep" },
    { "bench interactive a b", "b" },
    { "bench --kernel abacus", "abacus" },
    { "bench a", "\"a\"" },
  };
  for (size_t k = 0; k < G_N_ELEMENTS (bad); k++)
    {
      cli_run (fixture, bad[k][0]);
      cli_assert_refused (fixture, bad[k][0], 2, bad[k][1]);
    }
}

static void
test_missing (CliFixture *fixture, gconstpointer data)
{
  static const char line[] = "bench --engine host --kernel texture";
  cli_run (fixture, line);
  cli_assert_refused (fixture, line, 1, "kernel");
  cli_assert_refused (fixture, line, 1, "host");
}

static void
test_table (CliFixture *fixture, gconstpointer data)
{
  cli_run_well (fixture, SMALL);
  g_assert_nonnull (strstr (fixture->out, "32 x 32 pixels"));
  /* A variant has its own row, and appears in the engine's choice for 1, 2, 4
   * … 32 slices and for its kernel. */
  g_assert_cmpuint (count (fixture->out, "host-linear "), ==, 8);
  g_assert_cmpuint (count (fixture->out, "host-nearest-fast "), ==, 8);
  g_assert_cmpuint (count (fixture->out, " folded "), >, 0);
  /* The table of rates. */
  g_assert_nonnull (strstr (fixture->out, "\nlinear, GU/s\n"));
  /* Errors were measured, and none is marked as too large. */
  g_assert_nonnull (strstr (fixture->out, "e-0"));
  g_assert_null (strstr (fixture->out, "0*"));
  g_assert_cmpuint (count (fixture->out, "*"), ==, 1); /* only in the legend */
}

static void
test_choosing (CliFixture *fixture, gconstpointer data)
{
  cli_run_well (fixture, SMALL "--interpolation nearest --precision fast "
                               "--kernel standard --no-errors");
  g_assert_null (strstr (fixture->out, "linear"));
  g_assert_null (strstr (fixture->out, "host-nearest "));
  g_assert_null (strstr (fixture->out, "e-0"));
  g_assert_cmpuint (count (fixture->out, "host-nearest-fast "), ==, 7);
}

/* A number of slices that is no power of two has a column too. */
static void
test_slices (CliFixture *fixture, gconstpointer data)
{
  cli_run_well (fixture, SMALL "--slices 3 --no-errors --interpolation linear");
  g_assert_nonnull (strstr (fixture->out, "full   3 fast   3\n"));
  g_assert_null (strstr (strstr (fixture->out, "GU/s\n  slices"), " -"));
}

static void
test_json (CliFixture *fixture, gconstpointer data)
{
  static const char *const positive[] = {
    "median_ms",
    "min_ms",
    "max_ms",
    "gups",
    "filter_gsamples_per_s",
    "error_noise",
    "error_phantom",
    "error_limit",
  };
  cli_run_well (fixture, SMALL "--projections 24 --json");
  g_assert_true (tl_json_is_valid (fixture->out));
  for (size_t k = 0; k < G_N_ELEMENTS (positive); k++)
    {
      g_test_message ("%s", positive[k]);
      g_assert_cmpfloat (tl_json_find_number (fixture->out, positive[k]), >, 0);
    }
  g_assert_cmpfloat (tl_json_find_number (fixture->out, "repeats"), ==, 2);
  g_assert_cmpfloat (tl_json_find_number (fixture->out, "size"), ==, 32);
  g_assert_cmpfloat (tl_json_find_number (fixture->out, "projections"), ==, 24);
  g_assert_cmpfloat (tl_json_find_number (fixture->out, "error_size"), ==, 32);
  /* The host engine does not fold. */
  g_assert_cmpuint (count (fixture->out, "\"folded\": 1,"), ==,
                    count (fixture->out, "\"variant\": "));
  g_assert_nonnull (strstr (fixture->out, "\"variants\": ["));
  g_assert_nonnull (strstr (fixture->out, "\"choices\": ["));
}

/* The errors of the host engine are below its limits in both precisions, in
 * every interpolation, and for sizes of any kind. */
static void
test_errors (CliFixture *fixture, gconstpointer data)
{
  static const char *const sizes[] = { "17", "64", "90", "200" };
  for (size_t k = 0; k < G_N_ELEMENTS (sizes); k++)
    {
      g_autofree char *line =
          g_strconcat ("bench --engine host --size 8 --repeat 1 --json "
                       "--filter shepp-logan --error-size ",
                       sizes[k], NULL);
      cli_run_well (fixture, line);
      g_assert_null (strstr (fixture->out, "\"is_below_limit\": false"));
      g_assert_nonnull (strstr (fixture->out, "\"host-fourier\""));
      /* In all rows except the one with 8 slices. */
      g_assert_cmpuint (count (fixture->out, "\"is_below_limit\": true"), >=,
                        4 * 5);
      g_assert_cmpfloat (tl_json_find_number (fixture->out, "error_noise"), <,
                         1e-5);
    }
}

static void
test_sweep (CliFixture *fixture, gconstpointer data)
{
  cli_run_well (fixture, "bench --engine host --sizes 16,33 --repeat 1");
  g_assert_nonnull (strstr (fixture->out, " 16       33\n"));
  g_assert_nonnull (strstr (fixture->out, "standard fast, 1 slice "));
  cli_run_well (fixture, "bench --engine host --sweep --sizes 16,33 --repeat 1 "
                         "--precision full --interpolation nearest --json");
  g_assert_true (tl_json_is_valid (fixture->out));
  g_assert_nonnull (strstr (fixture->out, "\"sweep\": ["));
  g_assert_cmpuint (count (fixture->out, "\"variant\": \"host-nearest\""), ==,
                    2);
  g_assert_cmpfloat (tl_json_find_number (fixture->out, "gups"), >, 0);
}

static void
test_transforms (CliFixture *fixture, gconstpointer data)
{
  cli_run_well (fixture, "bench --engine host --transforms --sizes 16,33 "
                         "--repeat 1");
  g_assert_nonnull (strstr (fixture->out, "    16      1  real "));
  g_assert_nonnull (strstr (fixture->out, "    33      4  real "));
  cli_run_well (fixture, "bench --engine host --transforms --size 32 "
                         "--projections 7 --slices 2 --repeat 3 --json");
  g_assert_true (tl_json_is_valid (fixture->out));
  g_assert_cmpuint (count (fixture->out, "\"fastest\": \"real\""), ==, 1);
  g_assert_cmpfloat (tl_json_find_number (fixture->out, "size"), ==, 32);
  g_assert_cmpfloat (tl_json_find_number (fixture->out, "projections"), ==, 7);
  g_assert_cmpfloat (tl_json_find_number (fixture->out, "slices"), ==, 2);
  g_assert_cmpfloat (tl_json_find_number (fixture->out, "median_ms"), >, 0);
}

/* Curves and marks of one colour, counted with an XML parser. */
typedef struct
{
  guint n_curves, n_marks, n_texts;
} Picture;

static void
start_element (GMarkupParseContext *context, const char *name,
               const char **keys, const char **values, gpointer data,
               GError **error)
{
  Picture *picture = data;
  picture->n_marks += g_str_equal (name, "circle");
  picture->n_texts += g_str_equal (name, "text");
  for (size_t k = 0; keys[k] != NULL; k++)
    picture->n_curves +=
        g_str_equal (name, "path") && g_str_equal (keys[k], "stroke-width");
}

static void
test_plot (CliFixture *fixture, gconstpointer data)
{
  static const GMarkupParser parser = { .start_element = start_element };
  g_autoptr (GError) error = NULL;
  Picture picture = { 0 };
  size_t length;
  cli_run_well (fixture, "bench --engine host --sizes 8,16,33 --repeat 1 "
                         "--plot plot.svg");
  g_autofree char *svg = cli_read_file (fixture, "plot.svg", &length);
  g_autoptr (GMarkupParseContext) context =
      g_markup_parse_context_new (&parser, 0, &picture, NULL);
  g_assert_true (
      g_markup_parse_context_parse (context, svg, (gssize)length, &error));
  g_assert_no_error (error);
  g_assert_true (g_markup_parse_context_end_parse (context, &error));
  g_assert_no_error (error);
  g_assert_true (g_str_has_prefix (svg, "<svg xmlns="));
  g_assert_null (strstr (svg, "nan"));
  g_assert_nonnull (strstr (svg, ">33</text>"));
  g_assert_nonnull (strstr (svg, ">standard full, 1 slice</text>"));
  /* Full and fast, each with a sample in the legend. */
  g_assert_cmpuint (picture.n_curves, ==, 4);
  g_assert_cmpuint (picture.n_marks, ==, 2 * (3 + 1));
  g_assert_cmpuint (picture.n_texts, >, 8);
}

static void
test_plot_nowhere (CliFixture *fixture, gconstpointer data)
{
  static const char line[] = "bench --plot missing/plot.svg";
  cli_run (fixture, line);
  cli_assert_refused (fixture, line, 1, "missing/plot.svg: the plot");
  g_assert_null (strstr (fixture->err, "plot.svg."));
}

#define TUNE                                                                   \
  "bench --tune --engine host --sizes 128 --projections 8 --repeat 1 "

static void
test_tune (CliFixture *fixture, gconstpointer data)
{
  g_autofree char *folder = tl_scratch_path (fixture->folder, "tomolens");
  cli_run_well (fixture, TUNE "--dry-run");
  g_assert_nonnull (strstr (fixture->out, "not kept"));
  g_assert_false (g_file_test (folder, G_FILE_TEST_EXISTS));

  cli_run_well (fixture, TUNE "--interpolation linear --precision full");
  g_assert_cmpuint (count (fixture->out, " host-"), ==, 2);
  g_assert_nonnull (strstr (fixture->out, " host-linear "));
  g_assert_nonnull (strstr (fixture->out, " host-fourier "));
  const char *path = strstr (fixture->out, folder);
  g_assert_nonnull (path);
  g_autofree char *file = g_strndup (path, strcspn (path, "\n"));
  g_autofree char *text = NULL;
  g_assert_true (g_file_get_contents (file, &text, NULL, NULL));
  g_assert_cmpuint (count (text, "variant="), ==, 2);
  g_clear_pointer (&text, g_free);

  /* The next tuning starts from the saved result. */
  cli_run_well (fixture, TUNE "--json --interpolation nearest");
  g_assert_true (tl_json_is_valid (fixture->out));
  g_assert_cmpfloat (tl_json_find_number (fixture->out, "gups"), >, 0);
  g_assert_cmpfloat (tl_json_find_number (fixture->out, "size"), ==, 128);
  g_assert_nonnull (strstr (fixture->out, "\"variant\": \"host-nearest\""));
  g_assert_nonnull (strstr (fixture->out, file));
  g_assert_true (g_file_get_contents (file, &text, NULL, NULL));
  g_assert_cmpuint (count (text, "variant="), ==, 4);
}

/* An engine that is opened later says that it uses the saved result. */
static void
test_tuned (CliFixture *fixture, gconstpointer data)
{
  static const char info[] = "kernels are chosen as measured";
  cli_make_phantom (fixture, 7, 1, 9);
  g_setenv ("G_MESSAGES_DEBUG", "tomolens", TRUE);
  cli_run_well (fixture,
                "recon scan.h5 --engine host --json -o a.tiff --overwrite");
  g_assert_null (strstr (fixture->out, info));
  g_assert_nonnull (strstr (fixture->out, "\"fallback\": null"));
  g_assert_cmpfloat (tl_json_find_number (fixture->out, "folded"), ==, 1);
  g_assert_nonnull (strstr (fixture->out, "\"kernel\": \"standard\""));
  g_assert_nonnull (strstr (fixture->out, "\"variant\": \"host-linear\""));
  cli_run_well (fixture, TUNE);
  cli_run_well (fixture, "recon scan.h5 --engine host -o b.tiff");
  g_assert_nonnull (strstr (fixture->out, info));
  cli_assert_same_files (fixture, "a.tiff", "b.tiff");
  g_unsetenv ("G_MESSAGES_DEBUG");
}

static void
test_tune_nowhere (CliFixture *fixture, gconstpointer data)
{
  g_autofree char *folder = tl_scratch_path (fixture->folder, "tomolens");
  g_assert_true (g_file_set_contents (folder, "", 0, NULL));
  cli_run (fixture, TUNE "--json");
  cli_assert_refused (fixture, TUNE, 1, folder);
}

/* Interrupts the run at its first output, long before @line would be
 * finished. */
static void
interrupt (CliFixture *fixture, const char *line)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) args = NULL;
  g_autofree char *whole = g_strconcat (TL_CLI_PATH " ", line, NULL);
  g_assert_true (g_shell_parse_argv (whole, NULL, &args, &error));
  g_autoptr (GSubprocess) child = g_subprocess_newv (
      (const char *const *)args,
      G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE, &error);
  g_assert_no_error (error);
  char first;
  g_assert_cmpint (g_input_stream_read (g_subprocess_get_stdout_pipe (child),
                                        &first, 1, NULL, &error),
                   ==, 1);
  g_subprocess_send_signal (child, SIGINT);
  g_subprocess_communicate_utf8 (child, NULL, NULL, &fixture->out,
                                 &fixture->err, &error);
  g_assert_no_error (error);
  g_assert_cmpint (g_subprocess_get_exit_status (child), ==, 1);
  g_assert_nonnull (strstr (fixture->err, "interrupted"));
  g_clear_pointer (&fixture->out, g_free);
  g_clear_pointer (&fixture->err, g_free);
}

static void
test_interrupt (CliFixture *fixture, gconstpointer data)
{
  interrupt (fixture, "bench --engine host --size 64 --no-errors --repeat 200");
  interrupt (fixture, "bench --volume --engine host --size 8 --rows 100000000");
  interrupt (fixture, "bench interactive --engine host --size 64");
}

static void
test_volume (CliFixture *fixture, gconstpointer data)
{
  cli_run_well (fixture, "bench --volume --engine host --size 32 --rows 13 "
                         "--projections 8 --json");
  g_assert_true (tl_json_is_valid (fixture->out));
  g_assert_cmpfloat (tl_json_find_number (fixture->out, "slices"), ==, 13);
  g_assert_cmpfloat (tl_json_find_number (fixture->out, "slices_per_s"), >, 0);
  g_assert_cmpfloat (tl_json_find_number (fixture->out, "computing"), >, 0);
  g_assert_nonnull (strstr (fixture->out, "\"limit\": \""));
  cli_run_well (fixture, "bench --volume --engine host --size 32 --rows 3");
  g_assert_nonnull (strstr (fixture->out, "limited by "));
  cli_run (fixture, "bench --volume --engine host --devices 2");
  cli_assert_refused (fixture, "bench --volume", 1, "2 devices");
}

#define DRAG "bench interactive --engine host --events 12 "

static void
test_interactive (CliFixture *fixture, gconstpointer data)
{
  cli_run_well (fixture, DRAG "--size 24 --projections 9 --json");
  g_assert_true (tl_json_is_valid (fixture->out));
  g_assert_cmpuint (count (fixture->out, "\"events\": 12,"), ==, 7);
  g_assert_cmpfloat (tl_json_find_number (fixture->out, "size"), ==, 24);
  g_assert_cmpfloat (tl_json_find_number (fixture->out, "projections"), ==, 9);
  g_assert_cmpfloat (tl_json_find_number (fixture->out, "whole"), >, 0);
  g_assert_cmpfloat (tl_json_find_number (fixture->out, "latency_p99_ms"), >,
                     0);
  cli_run_well (fixture, DRAG "--size 24 --rows 12 --projections 9 "
                              "--planes 20 --json");
  g_assert_cmpuint (count (fixture->out, "\"events\": 12,"), ==, 7);
  g_assert_cmpfloat (tl_json_find_number (fixture->out, "whole"), >, 0);
  cli_make_phantom (fixture, 7, 2, 9);
  cli_run_well (fixture, DRAG "scan.h5");
  g_assert_nonnull (strstr (fixture->out, "9 x 9 pixels from 7 projections"));
  g_assert_cmpuint (count (fixture->out, "\n"), ==, 9);
  cli_make_phantom (fixture, 7, 1, 9); /* one row: there is no other slice */
  cli_run_well (fixture, DRAG "scan.h5");
  cli_run (fixture, DRAG "missing.h5");
  cli_assert_refused (fixture, DRAG, 1, "missing.h5");
}

int
main (int argc, char **argv)
{
  static const CliCase cases[] = {
    { "/bench/usage", test_usage },
    { "/bench/missing", test_missing },
    { "/bench/table", test_table },
    { "/bench/choosing", test_choosing },
    { "/bench/slices", test_slices },
    { "/bench/json", test_json },
    { "/bench/errors", test_errors },
    { "/bench/sweep", test_sweep },
    { "/bench/transforms", test_transforms },
    { "/bench/plot", test_plot },
    { "/bench/plot-nowhere", test_plot_nowhere },
    { "/bench/tune", test_tune },
    { "/bench/tuned", test_tuned },
    { "/bench/tune-nowhere", test_tune_nowhere },
    { "/bench/volume", test_volume },
    { "/bench/interrupt", test_interrupt },
    { "/bench/interactive", test_interactive },
  };
  return cli_test_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
