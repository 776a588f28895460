/* The method by which tomolens-cli makes slices: chosen by itself, told, and
 * the same in all of an export. */
#include "tests/app/cli/cli-fixture.h"
#include "tests/app/cli/json.h"

#include <string.h>

/* So large that the host prefers the Fourier method. */
enum
{
  N_PROJECTIONS = 160,
  N_ROWS = 12,
  N_COLS = 200
};

#define RECON "recon scan.h5 --engine host --centre 99.25 --overwrite --json "
#define EXPORT "export scan.h5 --engine host --centre 99.25 "

static void
assert_method (CliFixture *fixture, const char *line, const char *method)
{
  g_autofree char *pair = g_strdup_printf ("\"method\": \"%s\"", method);
  cli_run_well (fixture, line);
  g_assert_true (tl_json_is_valid (fixture->out));
  g_assert_nonnull (strstr (fixture->out, pair));
  g_assert_nonnull (strstr (fixture->out, "\"fallback\": null"));
}

/* Whether the file says that slices were made by @method. */
static void
assert_recipe (CliFixture *fixture, const char *file, const char *method)
{
  g_autofree char *line = g_strdup_printf ("\nmethod=%s\n", method);
  g_autofree char *text = cli_read_file (fixture, file, NULL);
  if (strstr (text, line) == NULL)
    g_error ("%s has no line %s: %s", file, line, text);
}

/* A slice and the same slice of an export are equal, whatever the slices around
 * it; both say how they were made. */
static void
test_chosen (CliFixture *fixture, gconstpointer data)
{
  cli_make_phantom (fixture, N_PROJECTIONS, N_ROWS, N_COLS);
  assert_method (fixture, RECON "--slice 7 -o a.tiff", "fourier");
  g_assert_nonnull (strstr (fixture->out, "\"variant\": \"host-fourier\""));
  assert_method (fixture, EXPORT "-o all --json", "fourier");
  assert_recipe (fixture, "all/recipe.ini", "fourier");
  cli_assert_same_pixels (fixture, "a.tiff", "all/recon_00007.tiff");
  assert_method (fixture, EXPORT "-o one --slices 7 --json", "fourier");
  cli_assert_same_pixels (fixture, "a.tiff", "one/recon_00007.tiff");

  assert_method (fixture, RECON "--slice 7 --method back-projection -o b.tiff",
                 "back-projection");
  assert_method (fixture, EXPORT "--method back-projection -o back --json",
                 "back-projection");
  cli_assert_same_pixels (fixture, "b.tiff", "back/recon_00007.tiff");
  assert_recipe (fixture, "back/recipe.ini", "back-projection");

  /* Parts of back-projection, too few pixels, and planes along the axis. */
  assert_method (fixture, RECON "--interpolation cubic -o c.tiff",
                 "back-projection");
  assert_method (fixture, RECON "--kernel standard -o c.tiff",
                 "back-projection");
  assert_method (fixture, EXPORT "--region 20,20,40,40 -o c --json",
                 "back-projection");
  assert_method (fixture, EXPORT "--plane xz -o d --json", "back-projection");
}

/* With few projections back-projection is faster. */
static void
test_few (CliFixture *fixture, gconstpointer data)
{
  cli_make_phantom (fixture, 20, N_ROWS, N_COLS);
  assert_method (fixture, RECON "-o a.tiff", "back-projection");
  assert_method (fixture, EXPORT "-o all --slices 0:1 --json",
                 "back-projection");
  assert_method (fixture, RECON "--method fourier -o a.tiff", "fourier");
}

static void
assert_said (CliFixture *fixture, const char *line, const char *words)
{
  cli_run_well (fixture, line);
  if (strstr (fixture->out, words) == NULL
      && strstr (fixture->err, words) == NULL)
    g_error ("%s: does not say \"%s\"", line, words);
}

/* Each command names the method in words, and says which options mean nothing
 * to it. */
static void
test_words (CliFixture *fixture, gconstpointer data)
{
#define BENCH "bench --engine host --repeat 1 --no-errors "
  cli_make_phantom (fixture, N_PROJECTIONS, 2, N_COLS);
  assert_said (fixture, "recon scan.h5 --centre 99.25 -o a.tiff --timing",
               ", Fourier method\n");
  g_assert_nonnull (strstr (fixture->out, "  Fourier method     "));
  assert_said (fixture,
               "recon scan.h5 --centre 99.25 -o b.tiff --timing --method "
               "back-projection",
               ", back-projection\n");
  g_assert_nonnull (strstr (fixture->out, "  back-project       "));
  assert_said (fixture,
               "recon scan.h5 --centre 99.25 -o c.tiff --method fourier "
               "--interpolation cubic",
               "note: --kernel and --interpolation are for back-projection");
  assert_said (fixture, "bench --engine host --volume --size 64 --rows 8",
               "%  back-projection, limited by");
  assert_said (fixture,
               "bench --engine host --volume --size 64 --rows 8 --json "
               "--method fourier",
               "\"method\": \"fourier\"");
  assert_said (fixture, BENCH "--sizes 64 --method fourier",
               "\nfourier full, 1 slice ");
  assert_said (fixture, BENCH "--sizes 64 --method fourier --json",
               "\"method\": \"fourier\"");
  cli_run (fixture, BENCH "--method fourier --interpolation cubic");
  cli_assert_refused (fixture, BENCH "--method fourier --interpolation cubic",
                      2, "an interpolation of its own");
}

/* The metadata of each format name the method. */
static void
test_formats (CliFixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *name, *file;
  } cases[] = {
    { "stack", "stack/recipe.ini" }, { "one.tif", "one.tif" },
    { "raw.raw", "raw.nhdr" },       { "hdf5.h5", "hdf5.h5" },
    { "nexus.nxs", "nexus.nxs" },    { "zarr.zarr", "zarr.zarr/.zattrs" },
  };
  cli_make_phantom (fixture, N_PROJECTIONS, 2, N_COLS);
  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      g_autofree char *line =
          g_strdup_printf (EXPORT "-o %s --json", cases[k].name);
      gsize length;
      assert_method (fixture, line, "fourier");
      g_autofree char *bytes = cli_read_file (fixture, cases[k].file, &length);
      if (g_strstr_len (bytes, -1, "method=fourier") == NULL
          && memmem (bytes, length, "method=fourier", 14) == NULL)
        g_error ("%s does not name the method", cases[k].file);
    }
}

/* Parts that nobody has named a method for are made as those that are there,
 * and are joined as such. Parts of two methods are not. */
static void
test_parts (CliFixture *fixture, gconstpointer data)
{
  static const char mixed[] = EXPORT "-o mixed --join 2";
  cli_make_phantom (fixture, N_PROJECTIONS, N_ROWS, N_COLS);
  cli_run_well (fixture, EXPORT "-o whole --method back-projection");
  cli_run_well (fixture, EXPORT "-o parts --part 2/2 --method back-projection");
  assert_method (fixture, EXPORT "-o parts --part 1/2 --json",
                 "back-projection");
  cli_run_well (fixture, EXPORT "-o parts --join 2");
  assert_recipe (fixture, "parts/recipe.ini", "back-projection");
  cli_assert_same_pixels (fixture, "whole/recon_00001.tiff",
                          "parts/recon_00001.tiff");
  cli_assert_same_pixels (fixture, "whole/recon_00011.tiff",
                          "parts/recon_00011.tiff");

  cli_run_well (fixture, EXPORT "-o mixed --part 1/2 --method fourier");
  cli_run_well (fixture, EXPORT "-o mixed --part 2/2 --method back-projection");
  cli_run (fixture, mixed);
  cli_assert_refused (fixture, mixed, 1, "2-of-2: this part was made");
  cli_assert_refused (fixture, mixed, 1,
                      "what differs: Method Back-projection → Fourier; make it "
                      "again");
  cli_run_well (fixture,
                EXPORT "-o mixed --part 2/2 --method fourier --overwrite");
  cli_run_well (fixture, mixed);
  assert_recipe (fixture, "mixed/recipe.ini", "fourier");
}

/* @volume: whose jobs have the recipe */
static void
assert_recipe_of_jobs (CliFixture *fixture, const char *volume,
                       const char *method)
{
  g_autofree char *name = g_strconcat (volume, ".slurm", NULL);
  g_autofree char *folder = tl_scratch_path (fixture->folder, name);
  g_autofree char *names = tl_scratch_list (folder);
  char *recipe = strstr (names, "recipe-");
  g_assert_nonnull (recipe);
  recipe[strcspn (recipe, "\n")] = '\0';
  g_autofree char *file = g_build_filename (name, recipe, NULL);
  assert_recipe (fixture, file, method);
}

/* The jobs of a cluster, which has other machines, get a method that all
 * engines have, unless the engine is named. */
static void
test_slurm (CliFixture *fixture, gconstpointer data)
{
  cli_make_phantom (fixture, N_PROJECTIONS, N_ROWS, N_COLS);
  cli_run_well (fixture, EXPORT "-o out --slurm 2");
  assert_recipe_of_jobs (fixture, "out", "fourier");
  cli_run_well (fixture, "export scan.h5 -o any --slurm 2");
  assert_recipe_of_jobs (fixture, "any", "back-projection");
}

/* An export that resumes keeps to the method that it was begun with. */
static void
test_resumed (CliFixture *fixture, gconstpointer data)
{
  static const char begun[] = EXPORT "-o out.raw --method back-projection";
  static const char other[] = EXPORT "-o out.raw --resume --method fourier";
  const size_t slice_bytes = N_COLS * N_COLS * sizeof (float);
  cli_make_phantom (fixture, N_PROJECTIONS, N_ROWS, N_COLS);
  cli_run_well (fixture, EXPORT "-o back.raw --method back-projection");
  cli_run_limited (fixture, begun, slice_bytes * N_ROWS - 1);
  cli_assert_refused (fixture, begun, 1, "--resume goes on");
  cli_run (fixture, other);
  cli_assert_refused (fixture, other, 1,
                      "what differs: Method Back-projection → Fourier");
  assert_method (fixture, EXPORT "-o out.raw --resume --json",
                 "back-projection");
  cli_assert_same_files (fixture, "back.raw", "out.raw");

  /* of a finished one, too */
  cli_run_well (fixture, EXPORT "-o out.raw --resume");
  g_assert_nonnull (strstr (fixture->out, "is whole"));
  cli_run (fixture, other);
  cli_assert_refused (fixture, other, 1,
                      "what differs: Method Back-projection → Fourier");
}

#define SMALL(command) command " scan.h5 --engine host --json "

/* A method that is named is used for small slices, too. */
static void
test_named (CliFixture *fixture, gconstpointer data)
{
  cli_make_phantom (fixture, 30, 3, 40);
  assert_method (fixture, SMALL ("recon") "-o a.tiff", "back-projection");
  assert_method (fixture, SMALL ("recon") "--method fourier -o b.tiff",
                 "fourier");
  assert_method (fixture, SMALL ("export") "--method fourier -o c", "fourier");
  cli_assert_same_pixels (fixture, "b.tiff", "c/recon_00001.tiff");
  assert_recipe (fixture, "c/recipe.ini", "fourier");
}

int
main (int argc, char **argv)
{
  static const CliCase cases[] = {
    { "/cli-method/chosen", test_chosen },
    { "/cli-method/few", test_few },
    { "/cli-method/words", test_words },
    { "/cli-method/formats", test_formats },
    { "/cli-method/parts", test_parts },
    { "/cli-method/slurm", test_slurm },
    { "/cli-method/resumed", test_resumed },
    { "/cli-method/named", test_named },
  };
  return cli_test_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
