/* Two ways to test a full disk: a limit on the size of files, which works
 * everywhere, and a tiny file system, which needs permission to mount. */
#pragma once

#include <errno.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>

/* Files cannot grow past @bytes until lift_file_limit(). Print nothing in
 * between, because standard output may be a file. */
static inline void
limit_files (guint64 bytes)
{
  struct rlimit limit;

  signal (SIGXFSZ, SIG_IGN);
  getrlimit (RLIMIT_FSIZE, &limit);
  limit.rlim_cur = bytes;
  setrlimit (RLIMIT_FSIZE, &limit);
}

static inline void
lift_file_limit (void)
{
  struct rlimit limit;

  getrlimit (RLIMIT_FSIZE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit (RLIMIT_FSIZE, &limit);
}

/* Mounts a file system of @size on @folder, visible only to this process.
 * Skips the test if mounting is not permitted. */
static inline gboolean
mount_tiny_disk (const char *folder, const char *size)
{
  g_autofree char *options = g_strconcat ("size=", size, NULL);

  if (unshare (CLONE_NEWNS) == 0
      && mount (NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0
      && mount ("tmpfs", folder, "tmpfs", 0, options) == 0)
    return TRUE;
  g_test_skip_printf ("no right to mount a tiny file system: %s",
                      g_strerror (errno));
  return FALSE;
}

static inline void
unmount_tiny_disk (const char *folder)
{
  g_assert_cmpint (umount2 (folder, MNT_DETACH), ==, 0);
}

static inline guint
count_files (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  guint n = 0;

  g_assert_nonnull (dir);
  while (g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

static inline char *
make_folder (void)
{
  g_autoptr (GError) error = NULL;
  char *folder = g_dir_make_tmp ("tomolens-test-XXXXXX", &error);

  g_assert_no_error (error);
  return folder;
}

/* Removes the folder and the files in it; it must not contain folders. */
static inline void
remove_folder (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  g_assert_nonnull (dir);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_assert_cmpint (g_unlink (path), ==, 0);
    }
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}
