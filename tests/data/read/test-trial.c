/* Another process opens HDF5 files first: which ones, and how often. A script
 * stands for it, and notes the arguments of each start. */
#include "data/read/format/trial.h"

#include "data/error.h"
#include "tests/data/read/scan-files.h"

#include <glib/gstdio.h>
#include <string.h>

static Folder *folder; /* of the script */

static char *
make_script (void)
{
  char *path = folder_path (folder, "tomolens-cli");
  g_autofree char *log = folder_path (folder, "started");
  /* "[try][FILE]..." in a line; a file of that name ends it */
  g_autofree char *script =
      g_strdup_printf ("#!/bin/sh\n"
                       "printf '[%%s]' \"$@\" >>'%s'\n"
                       "echo >>'%s'\n"
                       "case \"$2\" in *damaged.h5) kill -SEGV $$;; esac\n",
                       log, log);
  folder_write_text (folder, "tomolens-cli", script);
  g_assert_cmpint (g_chmod (path, 0700), ==, 0);
  return path;
}

/* Returns: (transfer full): what was started since the last call */
static GStrv
take_started (void)
{
  g_autofree char *path = folder_path (folder, "started");
  g_autofree char *text = NULL;
  if (!g_file_get_contents (path, &text, NULL, NULL))
    return g_new0 (char *, 1);
  g_assert_cmpint (g_remove (path), ==, 0);
  return g_strsplit (g_strchomp (text), "\n", -1);
}

static void
assert_started (guint n)
{
  g_auto (GStrv) started = take_started ();
  g_assert_cmpuint (g_strv_length (started), ==, n);
}

static void
pass (const char *name, const TlReaderOptions *options)
{
  g_autofree char *path = folder_path (folder, name);
  g_autoptr (GError) error = NULL;
  g_assert_true (tl_trial_pass (path, options, &error));
  g_assert_no_error (error);
}

/* Several scans that are open at once are tried once each. */
static void
test_several (void)
{
  enum
  {
    N = 20
  };
  for (int again = 0; again < 2; again++)
    for (int i = 0; i < N; i++)
      {
        g_autofree char *name = g_strdup_printf ("scan-%d.h5", i);
        if (!again)
          folder_write_text (folder, name, name);
        pass (name, NULL);
        pass (name, &(TlReaderOptions){ .data_path = "/data" });
      }
  assert_started (2 * N);
}

/* What has changed since is tried again. */
static void
test_changed (void)
{
  folder_write_text (folder, "changed.h5", "one");
  pass ("changed.h5", NULL);
  folder_write_text (folder, "changed.h5", "another");
  pass ("changed.h5", NULL);
  pass ("changed.h5", NULL);
  assert_started (2);
}

/* A file that grows is opened again and again, and tried once, as one that
 * grows: other things are read of it then. */
static void
test_grows (void)
{
  const TlReaderOptions options = { .angles_path = "/angles", .grows = TRUE };
  g_autofree char *path = folder_path (folder, "grows.h5");
  folder_write_text (folder, "grows.h5", "one");
  pass ("grows.h5", &options);
  FILE *file = g_fopen (path, "ae");
  fputs (", two", file);
  fclose (file);
  pass ("grows.h5", &options);
  g_auto (GStrv) started = take_started ();
  g_assert_cmpuint (g_strv_length (started), ==, 1);
  g_assert_true (g_str_has_prefix (started[0], "[try]["));
  g_assert_true (
      g_str_has_suffix (started[0], "/grows.h5][][][/angles][][][grows]"));
}

/* A file on which the other process crashes is refused each time. */
static void
test_damaged (void)
{
  g_autofree char *path = folder_path (folder, "damaged.h5");
  folder_write_text (folder, "damaged.h5", "damaged");
  for (int k = 0; k < 2; k++)
    {
      g_autoptr (GError) error = NULL;
      g_assert_false (tl_trial_pass (path, NULL, &error));
      g_assert_error (error, TL_ERROR, TL_ERROR_FILE);
      g_assert_nonnull (strstr (error->message, "copy it again"));
    }
  assert_started (2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  folder = folder_new ();
  g_autofree char *script = make_script ();
  tl_trial_begin (script);
  g_test_add_func ("/trial/several", test_several);
  g_test_add_func ("/trial/changed", test_changed);
  g_test_add_func ("/trial/grows", test_grows);
  g_test_add_func ("/trial/damaged", test_damaged);
  const int status = g_test_run ();
  folder_remove (folder);
  return status;
}
