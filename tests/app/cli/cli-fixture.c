#include "tests/app/cli/cli-fixture.h"

#include "data/write/writer.h"

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define PREFIX "tomolens-cli: "

static void
set_up (CliFixture *fixture, gconstpointer data)
{
  *fixture = (CliFixture){ .folder = tl_scratch_new () };
  /* The cache that one child writes is used by the next children of this
   * case. */
  g_setenv ("XDG_CACHE_HOME", fixture->folder, TRUE);
}

static void
tear_down (CliFixture *fixture, gconstpointer data)
{
  tl_scratch_free (fixture->folder);
  g_free (fixture->out);
  g_free (fixture->err);
}

int
cli_test_main (int argc, char **argv, const CliCase *cases, size_t n)
{
  g_test_init (&argc, &argv, NULL);
  for (size_t k = 0; k < n; k++)
    g_test_add (cases[k].path, CliFixture, NULL, set_up, cases[k].func,
                tear_down);
  return g_test_run ();
}

/* Runs in the child before it executes tomolens-cli. */
static void
limit_file_size (gpointer data)
{
  const struct rlimit limit = { GPOINTER_TO_SIZE (data), RLIM_INFINITY };
  setrlimit (RLIMIT_FSIZE, &limit);
}

void
cli_run_limited (CliFixture *fixture, const char *line, size_t file_bytes)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) args = NULL;
  g_autofree char *whole = g_strconcat (TL_CLI_PATH " ", line, NULL);
  g_assert_true (g_shell_parse_argv (whole, NULL, &args, NULL));
  g_clear_pointer (&fixture->out, g_free);
  g_clear_pointer (&fixture->err, g_free);
  g_spawn_sync (fixture->folder, args, NULL, G_SPAWN_DEFAULT,
                file_bytes > 0 ? limit_file_size : NULL,
                GSIZE_TO_POINTER (file_bytes), &fixture->out, &fixture->err,
                &fixture->status, &error);
  g_assert_no_error (error);
  g_assert_true (WIFEXITED (fixture->status));
  fixture->status = WEXITSTATUS (fixture->status);
}

void
cli_run (CliFixture *fixture, const char *line)
{
  cli_run_limited (fixture, line, 0);
}

/* Returns: (transfer none): the part of @err after notes and announcements */
static const char *
skip_notes (const char *err)
{
  while (g_str_has_prefix (err, "note: ")
         || g_str_has_prefix (err, "exporting "))
    err = strchr (err, '\n') + 1;
  return err;
}

void
cli_run_well (CliFixture *fixture, const char *line)
{
  cli_run (fixture, line);
  if (fixture->status != 0)
    g_test_fail_printf ("%s: %s", line, fixture->err);
  g_assert_cmpstr (skip_notes (fixture->err), ==, "");
}

void
cli_assert_refused (CliFixture *fixture, const char *line, int status,
                    const char *says)
{
  const char *err = skip_notes (fixture->err);
  if (fixture->status != status || *fixture->out != '\0'
      || !g_str_has_prefix (err, PREFIX)
      || strchr (err, '\n') != strrchr (err, '\n')
      || strstr (err, says) == NULL)
    g_test_fail_printf ("%s: status %d, \"%s\", \"%s\"; wanted %d and \"%s\"",
                        line, fixture->status, fixture->out, fixture->err,
                        status, says);
}

void
cli_run_refused (CliFixture *fixture, const CliRefusal *refusals, size_t n)
{
  for (size_t k = 0; k < n; k++)
    {
      cli_run (fixture, refusals[k].line);
      cli_assert_refused (fixture, refusals[k].line, refusals[k].status,
                          refusals[k].says);
    }
}

void
cli_make_phantom (CliFixture *fixture, size_t n_projections, size_t n_rows,
                  size_t n_cols)
{
  g_free (tl_scratch_phantom (fixture->folder, "scan.h5", n_projections, n_rows,
                              n_cols));
}

char *
cli_read_file (CliFixture *fixture, const char *name, size_t *length)
{
  g_autofree char *path = tl_scratch_path (fixture->folder, name);
  char *text = NULL;
  g_assert_true (g_file_get_contents (path, &text, length, NULL));
  return text;
}

void
cli_assert_same_files (CliFixture *fixture, const char *a, const char *b)
{
  size_t a_length, b_length;
  g_autofree char *a_text = cli_read_file (fixture, a, &a_length);
  g_autofree char *b_text = cli_read_file (fixture, b, &b_length);
  g_assert_cmpmem (a_text, a_length, b_text, b_length);
}

void
cli_assert_same_pixels (CliFixture *fixture, const char *a, const char *b)
{
  g_autofree char *a_path = tl_scratch_path (fixture->folder, a);
  g_autofree char *b_path = tl_scratch_path (fixture->folder, b);
  size_t n_a, n_b;
  g_autofree float *a_pixels = tl_scratch_load_tiff (a_path, &n_a);
  g_autofree float *b_pixels = tl_scratch_load_tiff (b_path, &n_b);
  g_assert_cmpmem (a_pixels, n_a * sizeof (float), b_pixels,
                   n_b * sizeof (float));
}

void
cli_make_bad_scans (CliFixture *fixture)
{
  static const char *const folders[] = { "empty",       "shapes", "zeros",
                                         "zeros/flats", "nan",    "cut" };
  float pixels[3 * 8];
  for (size_t k = 0; k < G_N_ELEMENTS (pixels); k++)
    pixels[k] = k == 11 ? NAN : 0.5f;
  char *paths[G_N_ELEMENTS (folders)];
  for (size_t k = 0; k < G_N_ELEMENTS (folders); k++)
    {
      paths[k] = tl_scratch_path (fixture->folder, folders[k]);
      g_assert_cmpint (g_mkdir (paths[k], 0777), ==, 0);
    }
  g_autofree char *text = tl_scratch_path (paths[0], "notes.txt");
  g_assert_true (g_file_set_contents (text, "nothing here\n", -1, NULL));
  tl_scratch_images (paths[1], "p", 5, 3, 8, 1000);
  tl_scratch_images (paths[1], "flat_", 2, 3, 9, 2000);
  tl_scratch_images (paths[2], "p", 5, 3, 8, 1000);
  tl_scratch_images (paths[3], "f", 2, 3, 8, 0);
  tl_scratch_images (paths[4], "p", 5, 3, 8, 0.5f);
  g_autofree char *nan = tl_scratch_path (paths[4], "p002.tiff");
  g_assert_true (tl_write_tiff (nan, pixels, 3, 8, NULL, NULL));
  tl_scratch_images (paths[5], "p", 5, 3, 8, 0.5f);
  g_autofree char *cut = tl_scratch_path (paths[5], "p003.tiff");
  g_assert_cmpint (truncate (cut, 60), ==, 0);
  for (size_t k = 0; k < G_N_ELEMENTS (folders); k++)
    g_free (paths[k]);
}
