/* The table of measured variants and its file. */
#include "data/error.h"
#include "gpu/choice/tuning.h"

#include <glib/gstdio.h>
#include <string.h>

#define MACHINE "GPU 9 (1 GiB); driver 1.2"

/* --- the table --- */

static void
test_class (void)
{
  static const struct
  {
    size_t nx, ny;
    guint size;
  } cases[] = {
    { 1, 1, 128 },        { 128, 128, 128 },    { 181, 181, 128 },
    { 182, 182, 256 },    { 64, 1024, 256 },    { 1000, 1000, 1024 },
    { 1500, 1500, 2048 }, { 4096, 4096, 4096 }, { 100000, 9000, 4096 },
  };

  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmpuint (tl_tuning_get_class (cases[i].nx, cases[i].ny), ==,
                      cases[i].size);
}

/* Returns: a row for linear interpolation in full precision. */
static TlTuningRow
make_row (TlKernel kernel, guint n_slices, guint size, const char *variant)
{
  return (TlTuningRow){ { kernel, TL_INTERPOLATION_LINEAR, TL_PRECISION_FULL,
                          n_slices, size },
                        variant,
                        12.5 };
}

static void
add_row (TlTuning *tuning, TlKernel kernel, guint n_slices, guint size,
         const char *variant)
{
  const TlTuningRow row = make_row (kernel, n_slices, size, variant);

  tl_tuning_set (tuning, &row);
}

/* Returns: (nullable): the name of the variant in @tuning for this case. */
static const char *
look_up (const TlTuning *tuning, TlKernel kernel, guint n_slices, guint size)
{
  size_t n;
  const TlTuningRow *rows = tl_tuning_get_rows (tuning, &n);
  const TlTuningRow asked = make_row (kernel, n_slices, size, "");
  const TlTuningRow *found = tl_tuning_find (rows, n, &asked.asked);

  return found != NULL ? found->variant : NULL;
}

static TlTuning *
make_tuning (void)
{
  TlTuning *tuning = tl_tuning_new ("cuda", MACHINE);
  TlTuningRow row = make_row (TL_KERNEL_AUTO, 4, 1024, "fourier");

  add_row (tuning, TL_KERNEL_AUTO, 4, 2048, "large");
  add_row (tuning, TL_KERNEL_AUTO, 4, 512, "before");
  add_row (tuning, TL_KERNEL_AUTO, 4, 512, "middle");
  add_row (tuning, TL_KERNEL_ALU, 4, 1024, "alu");
  row.asked.is_fourier = TRUE;
  row.many_gups = 99.0;
  tl_tuning_set (tuning, &row);
  return tuning;
}

static void
test_find (void)
{
  g_autoptr (TlTuning) tuning = make_tuning ();
  size_t n;

  tl_tuning_get_rows (tuning, &n);
  g_assert_cmpuint (n, ==, 4);
  g_assert_cmpstr (look_up (tuning, TL_KERNEL_AUTO, 4, 2048), ==, "large");
  g_assert_cmpstr (look_up (tuning, TL_KERNEL_AUTO, 4, 4096), ==, "large");
  g_assert_cmpstr (look_up (tuning, TL_KERNEL_AUTO, 4, 128), ==, "middle");
  g_assert_cmpstr (look_up (tuning, TL_KERNEL_AUTO, 4, 1024), ==, "middle");
  g_assert_cmpstr (look_up (tuning, TL_KERNEL_ALU, 4, 128), ==, "alu");
  g_assert_null (look_up (tuning, TL_KERNEL_TEXTURE, 4, 1024));
  g_assert_null (look_up (tuning, TL_KERNEL_AUTO, 2, 2048));
}

/* --- the file --- */

static char *
save (const TlTuning *tuning)
{
  g_autoptr (GError) error = NULL;
  char *path = tl_tuning_save (tuning, &error);

  g_assert_no_error (error);
  g_assert_true (g_str_has_prefix (path, g_get_user_cache_dir ()));
  return path;
}

static void
test_saved (void)
{
  g_autoptr (TlTuning) tuning = make_tuning ();
  g_autofree char *path = save (tuning);
  g_autoptr (TlTuning) loaded = tl_tuning_load ("cuda", MACHINE);
  size_t n, n_loaded;
  const TlTuningRow *rows = tl_tuning_get_rows (tuning, &n);
  const TlTuningRow *loaded_rows;

  g_assert_nonnull (loaded);
  loaded_rows = tl_tuning_get_rows (loaded, &n_loaded);
  g_assert_cmpuint (n_loaded, ==, n);
  for (size_t i = 0; i < n; i++)
    {
      g_assert_cmpmem (&loaded_rows[i].asked, sizeof rows[i].asked,
                       &rows[i].asked, sizeof rows[i].asked);
      g_assert_cmpstr (loaded_rows[i].variant, ==, rows[i].variant);
      g_assert_cmpfloat (loaded_rows[i].gups, ==, rows[i].gups);
      g_assert_cmpfloat (loaded_rows[i].many_gups, ==, rows[i].many_gups);
    }
  g_assert_null (tl_tuning_load ("host", MACHINE));
  g_assert_null (tl_tuning_load ("cuda", "GPU 9 (1 GiB); driver 1.3"));
  /* Another machine whose name gives the same file name does not match. */
  g_assert_null (tl_tuning_load ("cuda", "GPU 9 (1 GiB), driver 1.2"));
  g_unlink (path);
  g_assert_null (tl_tuning_load ("cuda", MACHINE));
}

static void
test_damaged (void)
{
  static const char *const changes[][2] = {
    { "format=3", "format=2" },
    { "format=3", "" },
    { "engine=cuda", "engine=host" },
    { "machine=GPU 9", "machine=GPU 8" },
    { "version=", "version=0" },
    { "kernel=auto", "kernel=abacus" },
    { "kernel=auto", "" },
    { "interpolation=linear", "interpolation=straight" },
    { "precision=full", "precision=" },
    { "method=back-projection", "method=guess" },
    { "method=back-projection", "" },
    { "slices=4", "slices=0" },
    { "slices=4", "slices=few" },
    { "size=2048", "size=5" },
    { "size=2048", "size=5000" },
    { "variant=large", "" },
    { "gups=12.5", "gups=fast" },
    { "gups=12.5", "gups=inf" },
    { "gups=12.5", "gups=-12.5" },
    { "many_gups=99", "many_gups=-99" },
    { "[tuning]", "tuning" },
    { "[choice 1]", "[choice 1" },
  };
  g_autoptr (TlTuning) tuning = make_tuning ();
  g_autofree char *path = save (tuning);
  g_autofree char *text = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  for (size_t i = 0; i < G_N_ELEMENTS (changes); i++)
    {
      g_autoptr (GString) changed = g_string_new (text);

      g_assert_cmpuint (
          g_string_replace (changed, changes[i][0], changes[i][1], 1), ==, 1);
      g_assert_true (g_file_set_contents (path, changed->str, -1, NULL));
      g_test_message ("%s -> %s", changes[i][0], changes[i][1]);
      g_assert_null (tl_tuning_load ("cuda", MACHINE));
    }
  g_assert_true (g_file_set_contents (path, "\xff\0\x01", 3, NULL));
  g_assert_null (tl_tuning_load ("cuda", MACHINE));
  g_unlink (path);
}

static void
test_unwritable (void)
{
  g_autoptr (TlTuning) tuning = make_tuning ();
  g_autofree char *path = save (tuning);
  g_autofree char *folder = g_path_get_dirname (path);
  g_autoptr (GError) error = NULL;

  /* Saving fails if a folder has the file's name or a file has the folder's
   * name. */
  g_unlink (path);
  g_assert_cmpint (g_mkdir (path, 0700), ==, 0);
  g_assert_null (tl_tuning_save (tuning, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_FILE);
  g_assert_nonnull (strstr (error->message, path));
  g_clear_error (&error);
  g_rmdir (path);
  g_rmdir (folder);
  g_assert_true (g_file_set_contents (folder, "", 0, NULL));
  g_assert_null (tl_tuning_save (tuning, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_FILE);
  g_assert_nonnull (strstr (error->message, folder));
  g_unlink (folder);
}

int
main (int argc, char **argv)
{
  g_autofree char *cache = g_dir_make_tmp ("test-tuning-XXXXXX", NULL);
  int result;

  /* Set the folder before GLib reads the variable. */
  g_setenv ("XDG_CACHE_HOME", cache, TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tuning/class", test_class);
  g_test_add_func ("/tuning/find", test_find);
  g_test_add_func ("/tuning/saved", test_saved);
  g_test_add_func ("/tuning/damaged", test_damaged);
  g_test_add_func ("/tuning/unwritable", test_unwritable);
  result = g_test_run ();
  g_rmdir (cache);
  return result;
}
