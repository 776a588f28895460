#include "data/write/staging.h"

#include "data/error.h"
#include "data/parallel.h"
#include "data/write/file-lock.h"
#include "data/write/part-file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The hidden folder for NAME is .NAME.part-XXXXXX. */
#define PART ".part-"
#define RANDOM "XXXXXX"

/* In the hidden folder. From the moment when the volume is about to move, it
 * has the volume's state, see dup_states(). */
#define LOCK ".lock"

#define OLD ".old" /* the same: a folder of what is being replaced */

#define FLUSHED_AT_ONCE 8 /* files; fast disks work on several */

struct TlStaging
{
  char *target; /* as given */
  char *parent; /* the folder of the target and of the hidden folder */
  char *path;   /* the hidden folder */
  int fd;       /* of the lock */
};

/* --- the disk --- */

/* Some file systems cannot flush folders. */
gboolean
tl_flush_one (const char *path, GError **error)
{
  const int fd = open (path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  const gboolean good = fd >= 0 && (fsync (fd) == 0 || errno == EINVAL);
  const int error_number = errno;

  if (fd >= 0)
    close (fd);
  return good || tl_set_write_error (error, path, error_number, NULL);
}

static gboolean
remove_one (const char *path, gpointer data, GError **error)
{
  return g_remove (path) == 0 || tl_set_write_error (error, path, errno, NULL);
}

static gboolean
is_folder (const char *path)
{
  return !g_file_test (path, G_FILE_TEST_IS_SYMLINK)
         && g_file_test (path, G_FILE_TEST_IS_DIR);
}

/* Calls @func for @path, after all that is in it. Links are not followed. */
static gboolean
for_each (const char *path,
          gboolean (*func) (const char *, gpointer, GError **), gpointer data,
          GError **error)
{
  gboolean good = TRUE;

  if (is_folder (path))
    {
      g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
      const char *name;

      if (dir == NULL)
        return tl_set_write_error (error, path, EACCES, NULL);
      while (good && (name = g_dir_read_name (dir)) != NULL)
        {
          g_autofree char *inside = g_build_filename (path, name, NULL);

          good = for_each (inside, func, data, error);
        }
    }
  return good && func (path, data, error);
}

static gboolean
list_one (const char *path, gpointer list, GError **error)
{
  g_ptr_array_add (list, g_strdup (path));
  return TRUE;
}

static gboolean
flush_one (gpointer list, size_t index, GError **error)
{
  return tl_flush_one (((GPtrArray *)list)->pdata[index], error);
}

gboolean
tl_flush_all (const char *path, GError **error)
{
  g_autoptr (GPtrArray) list = g_ptr_array_new_with_free_func (g_free);
  size_t n_done;

  return for_each (path, list_one, list, error)
         && tl_parallel_run (list->len, FLUSHED_AT_ONCE, flush_one, list, NULL,
                             &n_done, error);
}

/* Returns: (transfer full): where the file system has no exchange of names, the
 * place in the hidden folder for what @from replaces */
static char *
dup_old (const char *from)
{
  g_autofree char *hidden = g_path_get_dirname (from);
  g_autofree char *name = g_path_get_basename (from);

  return g_build_filename (hidden, OLD, name, NULL);
}

/* After a crash between the two renames put_back() undoes the first. */
static int
replace_simply (const char *from, const char *to)
{
  g_autofree char *old = dup_old (from);
  g_autofree char *folder = g_path_get_dirname (old);

  if (g_mkdir (folder, 0700) != 0 && errno != EEXIST)
    return errno;
  if (g_rename (to, old) != 0)
    return errno;
  if (g_rename (from, to) == 0)
    return 0;
  const int error_number = errno;
  g_rename (old, to);
  return error_number;
}

/* Renames @from to @to. What was at @to before goes to the hidden folder. A
 * file replaces no folder, because all that is in it would be lost.
 *
 * Returns: 0 or errno; EEXIST if @to exists and may not be replaced */
static int
put_in_place (const char *from, const char *to, gboolean replaces)
{
  const int error_number = tl_rename_new (from, to);

  if (error_number != EEXIST || !replaces)
    return error_number;
  if (is_folder (to) && !is_folder (from))
    return EISDIR;
  if (renameat2 (AT_FDCWD, from, AT_FDCWD, to, RENAME_EXCHANGE) == 0)
    return 0;
  return errno == EINVAL || errno == ENOSYS ? replace_simply (from, to) : errno;
}

/* --- the hidden folder --- */

char *
tl_staging_dup_name (const char *target)
{
  g_autofree char *canonical = g_canonicalize_filename (target, NULL);

  return g_path_get_basename (canonical);
}

/* Returns: (transfer full): ".NAME.part-" in the folder of @target */
static char *
dup_prefix (const char *target)
{
  g_autofree char *canonical = g_canonicalize_filename (target, NULL);
  g_autofree char *parent = g_path_get_dirname (canonical);
  g_autofree char *name = g_path_get_basename (canonical);

  return g_strconcat (parent, G_DIR_SEPARATOR_S ".", name, PART, NULL);
}

static int
open_lock (const char *path, int flags)
{
  g_autofree char *lock = g_build_filename (path, LOCK, NULL);

  return g_open (lock, O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0666);
}

/* What a crash has taken out of its place, and has put nothing there, goes
 * back. */
static void
put_back (const char *hidden, const char *parent)
{
  g_autofree char *folder = g_build_filename (hidden, OLD, NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *from = g_build_filename (folder, name, NULL);
      g_autofree char *to = g_build_filename (parent, name, NULL);

      tl_rename_new (from, to);
    }
}

/* Locks the hidden folder @path for @target.
 *
 * @flags: O_CREAT | O_EXCL for a new one, else 0
 *
 * Returns: (transfer full) (nullable): %NULL with errno; EWOULDBLOCK if another
 *   process has locked it */
static TlStaging *
take (const char *path, const char *target, int flags)
{
  const int fd = open_lock (path, flags);
  int error_number = 0;

  if (fd < 0)
    return NULL;
  if (tl_file_is_locked (fd, F_OFD_SETLK))
    error_number = EWOULDBLOCK;
  else if (!g_file_test (path, G_FILE_TEST_IS_DIR)) /* removed meanwhile */
    error_number = ENOENT;
  if (error_number != 0)
    {
      close (fd);
      errno = error_number;
      return NULL;
    }
  TlStaging *staging = g_new (TlStaging, 1);
  *staging = (TlStaging){
    .target = g_strdup (target),
    .parent = g_path_get_dirname (path),
    .path = g_strdup (path),
    .fd = fd,
  };
  put_back (path, staging->parent);
  return staging;
}

/* Returns: (transfer full): see tl_staging_dup_state() */
static char *
dup_states (const char *folder, const char *const *names)
{
  GString *text = g_string_new (NULL);

  for (size_t k = 0; names[k] != NULL; k++)
    {
      g_autofree char *path = g_build_filename (folder, names[k], NULL);
      GStatBuf s;

      if (g_lstat (path, &s) != 0)
        g_string_append (text, "-\n");
      else
        g_string_append_printf (
            text,
            "%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %" G_GINT64_FORMAT
            " %" G_GINT64_FORMAT ".%09ld\n",
            (guint64)s.st_dev, (guint64)s.st_ino, (gint64)s.st_size,
            (gint64)s.st_mtim.tv_sec, s.st_mtim.tv_nsec);
    }
  return g_string_free (text, FALSE);
}

/* Returns: (transfer full): the state of what has the name of @target in
 * @folder */
static char *
dup_target_state (const char *folder, const char *target)
{
  g_autofree char *name = tl_staging_dup_name (target);
  const char *const names[] = { name, NULL };

  return dup_states (folder, names);
}

/* Returns: whether the volume of the hidden folder @path, which a process has
 * left, is in its place. The last step, the removal of the hidden folder, is
 * missing then. */
static gboolean
is_in_place (const char *path, const char *target)
{
  g_autofree char *lock = g_build_filename (path, LOCK, NULL);
  g_autofree char *parent = g_path_get_dirname (path);
  g_autofree char *state = dup_target_state (parent, target);
  g_autofree char *moved = NULL;

  return *state != '-' && g_file_get_contents (lock, &moved, NULL, NULL)
         && strcmp (moved, state) == 0;
}

static gint64
get_time (const char *path)
{
  GStatBuf status;

  return g_stat (path, &status) == 0 ? status.st_mtime : 0;
}

static void
clear_away (const char *path, const char *target)
{
  g_autoptr (TlStaging) staging = take (path, target, 0);
  g_autoptr (GError) failed = NULL;

  if (staging != NULL && !tl_staging_remove (staging, &failed))
    g_info ("%s", failed->message);
}

/* Finds the newest hidden folder for @target that is not locked, and clears
 * away those whose volumes are in their place, and empty ones, left by a
 * process that was killed just after making or just before removing them.
 *
 * @own: (nullable): a hidden folder to leave out
 * @is_busy: (out): whether another process has locked one
 *
 * Returns: (transfer full) (nullable): its path */
static char *
find (const char *target, const char *own, gboolean *is_busy)
{
  g_autofree char *prefix = dup_prefix (target);
  g_autofree char *parent = g_path_get_dirname (prefix);
  g_autoptr (GDir) dir = g_dir_open (parent, 0, NULL);
  char *newest = NULL;
  const char *name;

  *is_busy = FALSE;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (parent, name, NULL);

      if (!g_str_has_prefix (path, prefix)
          || strlen (path) != strlen (prefix) + strlen (RANDOM)
          || g_strcmp0 (path, own) == 0)
        continue;
      const int fd = open_lock (path, 0);
      if (fd < 0)
        {
          g_rmdir (path);
          continue;
        }
      const gboolean is_taken = tl_file_is_locked (fd, F_OFD_GETLK);
      close (fd);
      if (is_taken)
        *is_busy = TRUE;
      else if (is_in_place (path, target))
        clear_away (path, target);
      else if (newest == NULL || get_time (path) >= get_time (newest))
        {
          g_free (newest);
          newest = g_steal_pointer (&path);
        }
    }
  return newest;
}

char *
tl_staging_look (const char *target)
{
  gboolean is_busy;

  g_return_val_if_fail (target != NULL, NULL);
  return find (target, NULL, &is_busy);
}

gboolean
tl_staging_is_busy (const char *target)
{
  gboolean is_busy;

  g_return_val_if_fail (target != NULL, FALSE);
  g_free (find (target, NULL, &is_busy));
  return is_busy;
}

TlStaging *
tl_staging_find (const char *target)
{
  g_autofree char *path = tl_staging_look (target);

  return path != NULL ? take (path, target, 0) : NULL;
}

gboolean
tl_staging_check_name (const char *target, GError **error)
{
  g_autofree char *prefix = dup_prefix (target);
  g_autofree char *name = g_path_get_basename (prefix);
  const size_t n = strlen (name) + strlen (RANDOM);

  return n <= NAME_MAX
         || tl_fail (
             error, TL_ERROR_FILE,
             g_dngettext (
                 NULL,
                 "%s: this name is %zu byte too long; choose a shorter one",
                 "%s: this name is %zu bytes too long; choose a shorter one",
                 n - NAME_MAX),
             target, n - NAME_MAX);
}

TlStaging *
tl_staging_new (const char *target, GError **error)
{
  g_return_val_if_fail (target != NULL, NULL);

  if (!tl_staging_check_name (target, error))
    return NULL;
  g_autofree char *prefix = dup_prefix (target);
  g_autofree char *parent = g_path_get_dirname (prefix);
  g_autofree char *path = NULL;
  TlStaging *staging;
  do /* until no other process has cleared the empty folder away */
    {
      g_free (path);
      path = g_strconcat (prefix, RANDOM, NULL);
      if (g_mkdir_with_parents (parent, 0777) != 0 || mkdtemp (path) == NULL)
        {
          tl_set_write_error (error, target, errno, NULL);
          return NULL;
        }
      staging = take (path, target, O_CREAT | O_EXCL);
    }
  while (staging == NULL && errno == ENOENT);
  const int error_number = errno;
  gboolean is_busy = staging == NULL && error_number == EWOULDBLOCK;

  /* Of two that begin together, none may miss the other: each looks when its
   * own folder is locked already. */
  if (staging != NULL)
    g_free (find (target, path, &is_busy));
  if (staging != NULL && !is_busy)
    return staging;
  if (staging != NULL)
    tl_staging_remove (staging, NULL);
  else
    g_rmdir (path);
  tl_staging_free (staging);
  if (!is_busy)
    tl_set_write_error (error, target, error_number, NULL);
  else
    tl_fail (error, TL_ERROR_FILE,
             _ ("%s: another program is writing it at this moment; "
                "wait for it, or choose another name"),
             target);
  return NULL;
}

const char *
tl_staging_get_path (TlStaging *staging)
{
  g_return_val_if_fail (staging != NULL, NULL);
  return staging->path;
}

void
tl_staging_name_target (const TlStaging *staging, GError *error)
{
  g_return_if_fail (staging != NULL && error != NULL);

  const char *slash = strrchr (staging->target, G_DIR_SEPARATOR);
  g_autofree char *folder =
      g_strndup (staging->target,
                 slash != NULL ? (size_t)(slash - staging->target) + 1 : 0);
  g_autofree char *name = tl_staging_dup_name (staging->target);
  g_autofree char *hidden =
      g_strconcat (staging->path, G_DIR_SEPARATOR_S, NULL);
  g_autofree char *hidden_target = g_strconcat (hidden, name, NULL);
  GString *message = g_string_new (error->message);
  g_string_replace (message, hidden_target, staging->target, 0);
  g_string_replace (message, hidden, folder, 0);
  g_free (error->message);
  error->message = g_string_free (message, FALSE);
}

static gboolean
put_one (TlStaging *staging, const char *name, gboolean replaces,
         GError **error)
{
  g_autofree char *from = g_build_filename (staging->path, name, NULL);
  g_autofree char *to = g_build_filename (staging->parent, name, NULL);
  const int error_number = put_in_place (from, to, replaces);

  if (error_number == EEXIST)
    return tl_fail (error, TL_ERROR_FILE,
                    _ ("%s: it exists and is not replaced without your "
                       "consent; the new one is kept in %s"),
                    to, staging->path);
  return error_number == 0
         || tl_set_write_error (error, to, error_number, NULL);
}

/* For is_in_place(). A full disk has no room for the note, but the volume is
 * there. */
static void
note_move (const TlStaging *staging)
{
  g_autofree char *state = dup_target_state (staging->path, staging->target);
  g_autoptr (GError) failed = NULL;

  if (ftruncate (staging->fd, 0) != 0
      || !tl_write_at (staging->fd, staging->path, state, strlen (state), 0,
                       &failed))
    g_info ("%s", failed != NULL ? failed->message : g_strerror (errno));
}

/* Undoes put_one(). */
static void
take_back (TlStaging *staging, const char *name)
{
  g_autofree char *from = g_build_filename (staging->path, name, NULL);
  g_autofree char *to = g_build_filename (staging->parent, name, NULL);
  g_autofree char *old = dup_old (from);

  if (renameat2 (AT_FDCWD, from, AT_FDCWD, to, RENAME_EXCHANGE) != 0
      && g_rename (to, from) == 0)
    g_rename (old, to);
}

char *
tl_staging_dup_state (const char *target, const char *const *names)
{
  g_return_val_if_fail (target != NULL && names != NULL, NULL);

  g_autofree char *canonical = g_canonicalize_filename (target, NULL);
  g_autofree char *folder = g_path_get_dirname (canonical);
  return dup_states (folder, names);
}

gboolean
tl_staging_commit (TlStaging *staging, const char *const *names,
                   const char *replaces, GError **error)
{
  g_return_val_if_fail (staging != NULL && names != NULL, FALSE);

  for (size_t k = 0; names[k] != NULL; k++)
    {
      g_autofree char *from = g_build_filename (staging->path, names[k], NULL);

      if (!tl_flush_all (from, error))
        return FALSE;
    }
  g_autofree char *state = tl_staging_dup_state (staging->target, names);
  const gboolean may_replace = g_strcmp0 (replaces, state) == 0;
  note_move (staging);
  for (size_t k = 0; names[k] != NULL; k++)
    if (!put_one (staging, names[k], may_replace, error))
      {
        while (k-- > 0)
          take_back (staging, names[k]);
        return FALSE;
      }
  if (!tl_flush_one (staging->parent, error))
    return FALSE;
  g_autoptr (GError) failed = NULL;
  if (!tl_staging_remove (staging, &failed))
    g_info ("%s", failed->message); /* the volume is in its place */
  return TRUE;
}

/* Removes what it can of the hidden folder, but for the lock. */
static gboolean
remove_contents (const TlStaging *staging, GError **error)
{
  g_autoptr (GDir) dir = g_dir_open (staging->path, 0, NULL);
  g_autoptr (GError) first = NULL;
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (staging->path, name, NULL);

      if (strcmp (name, LOCK) != 0)
        tl_remove_all (path, first == NULL ? &first : NULL);
    }
  if (first == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&first));
  return FALSE;
}

/* The lock goes last: a folder without it is not found any more. It is closed
 * before, because a network file system keeps an open file under another name,
 * and then the folder could not be removed. */
gboolean
tl_staging_remove (TlStaging *staging, GError **error)
{
  g_return_val_if_fail (staging != NULL, FALSE);

  g_autofree char *lock = g_build_filename (staging->path, LOCK, NULL);
  if (!remove_contents (staging, error))
    return FALSE;
  close (staging->fd);
  staging->fd = -1;
  g_remove (lock);
  g_rmdir (staging->path);
  return TRUE;
}

gboolean
tl_remove_all (const char *path, GError **error)
{
  return for_each (path, remove_one, NULL, error);
}

void
tl_staging_free (TlStaging *staging)
{
  if (staging == NULL)
    return;
  if (staging->fd >= 0)
    close (staging->fd);
  g_free (staging->target);
  g_free (staging->parent);
  g_free (staging->path);
  g_free (staging);
}
