/* Tests that a volume appears whole or not at all. */
#include "data/write/staging.h"

#include "data/error.h"
#include "tests/support/open-files.h"

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct
{
  char *folder; /* for all files of the test */
  char *target; /* in it */
} Fixture;

int __real_g_rmdir (const char *path);
int __wrap_g_rmdir (const char *path);

static gboolean is_shared; /* another thread may look into the folder */

/* The hidden folder is removed when its owner has no file in it open. */
int
__wrap_g_rmdir (const char *path)
{
  g_autofree char *file = find_open_file (path, NULL);

  if (!is_shared)
    g_assert_cmpstr (file, ==, NULL);
  return __real_g_rmdir (path);
}

static gboolean is_mortal; /* the first removal kills the process */

int __real_remove (const char *path);
int __wrap_remove (const char *path);

int
__wrap_remove (const char *path)
{
  if (is_mortal)
    raise (SIGKILL);
  return __real_remove (path);
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  fixture->folder = g_dir_make_tmp ("tomolens-test-XXXXXX", &error);
  g_assert_no_error (error);
  fixture->target = g_build_filename (fixture->folder, "volume", NULL);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  const char *const command[] = { "rm", "-r", fixture->folder, NULL };

  g_assert_true (g_spawn_sync (NULL, (char **)command, NULL,
                               G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL,
                               NULL, NULL));
  g_free (fixture->folder);
  g_free (fixture->target);
}

static void
put (const char *folder, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static void
assert_text (const char *folder, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *found = NULL;

  g_assert_true (g_file_get_contents (path, &found, NULL, NULL));
  g_assert_cmpstr (found, ==, text);
}

static guint
count (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  guint n = 0;

  while (dir != NULL && g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

static TlStaging *
begin (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;
  TlStaging *staging = tl_staging_new (fixture->target, &error);

  g_assert_no_error (error);
  return staging;
}

/* Puts a folder "volume" with one file into the hidden folder. */
static void
fill (TlStaging *staging, const char *text)
{
  g_autofree char *folder =
      g_build_filename (tl_staging_get_path (staging), "volume", NULL);

  g_assert_cmpint (g_mkdir (folder, 0777), ==, 0);
  put (folder, "a", text);
}

static const char *const names[] = { "volume", NULL };

/* Commits with the consent to replace what is there now. */
static gboolean
commit_over (TlStaging *staging, const char *target, const char *const *list,
             GError **error)
{
  g_autofree char *state = tl_staging_dup_state (target, list);

  return tl_staging_commit (staging, list, state, error);
}

static void
test_whole (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TlStaging) staging = begin (fixture);

  fill (staging, "new");
  put (tl_staging_get_path (staging), "journal", "not for the user");
  g_assert_false (g_file_test (fixture->target, G_FILE_TEST_EXISTS));
  tl_staging_commit (staging, names, NULL, &error);
  g_assert_no_error (error);
  assert_text (fixture->target, "a", "new");
  g_assert_cmpuint (count (fixture->folder), ==, 1);
}

/* The volume that was there stays until the new one is whole, and without the
 * user's consent it stays for good. */
static void
test_replaced (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TlStaging) staging = begin (fixture);

  g_mkdir (fixture->target, 0777);
  put (fixture->target, "a", "old");
  put (fixture->target, "b", "old");
  fill (staging, "new");
  g_assert_false (tl_staging_commit (staging, names, NULL, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_FILE);
  g_assert_nonnull (strstr (error->message, tl_staging_get_path (staging)));
  assert_text (fixture->target, "a", "old");
  g_clear_error (&error);
  commit_over (staging, fixture->target, names, &error);
  g_assert_no_error (error);
  assert_text (fixture->target, "a", "new");
  g_assert_cmpuint (count (fixture->target), ==, 1);
  g_assert_cmpuint (count (fixture->folder), ==, 1);
}

static void
test_files (Fixture *fixture, gconstpointer data)
{
  static const char *const pair[] = { "v.raw", "v.nhdr", NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (TlStaging) staging = begin (fixture);

  put (fixture->folder, "v.nhdr", "old");
  put (tl_staging_get_path (staging), "v.raw", "samples");
  put (tl_staging_get_path (staging), "v.nhdr", "header");
  commit_over (staging, fixture->target, pair, &error);
  g_assert_no_error (error);
  assert_text (fixture->folder, "v.raw", "samples");
  assert_text (fixture->folder, "v.nhdr", "header");
  g_assert_cmpuint (count (fixture->folder), ==, 2);
}

/* If one file of a pair cannot take its place, both stay as they were: where a
 * file may not be replaced, and where a folder would be. */
static void
test_pair (Fixture *fixture, gconstpointer data)
{
  static const char *const pair[] = { "v.tiff", "v.png", "v.ini", NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (TlStaging) staging = begin (fixture);
  const char *hidden = tl_staging_get_path (staging);
  g_autofree char *folder = g_build_filename (fixture->folder, "v.ini", NULL);

  for (size_t k = 0; pair[k] != NULL; k++)
    put (hidden, pair[k], pair[k]);
  put (fixture->folder, "v.ini", "notes");
  g_assert_false (tl_staging_commit (staging, pair, NULL, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_FILE);
  g_clear_error (&error);
  assert_text (fixture->folder, "v.ini", "notes");
  g_assert_cmpuint (count (fixture->folder), ==, 2);

  g_assert_cmpint (g_unlink (folder), ==, 0);
  g_assert_cmpint (g_mkdir (folder, 0777), ==, 0);
  put (folder, "a", "mine");
  put (fixture->folder, "v.tiff", "old");
  g_assert_false (commit_over (staging, fixture->target, pair, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_FILE);
  assert_text (folder, "a", "mine");
  assert_text (fixture->folder, "v.tiff", "old");
  g_assert_cmpuint (count (fixture->folder), ==, 3);
  for (size_t k = 0; pair[k] != NULL; k++)
    assert_text (hidden, pair[k], pair[k]);
}

/* A second writer of the same volume is refused; writers of others are not. */
static void
test_two (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TlStaging) first = begin (fixture);
  g_autofree char *other = g_strconcat (fixture->target, "-2", NULL);
  g_autoptr (TlStaging) second = tl_staging_new (fixture->target, &error);

  g_assert_nonnull (first);
  g_assert_null (second);
  g_assert_error (error, TL_ERROR, TL_ERROR_FILE);
  g_clear_error (&error);
  second = tl_staging_new (other, &error);
  g_assert_no_error (error);
  g_assert_null (tl_staging_find (fixture->target));
}

/* The consent is to replace what was there when it was asked for: not what has
 * come since, nor what has changed since. */
static void
test_changed (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TlStaging) staging = begin (fixture);
  g_autofree char *nothing = tl_staging_dup_state (fixture->target, names);

  fill (staging, "new");
  g_mkdir (fixture->target, 0777);
  g_assert_false (tl_staging_commit (staging, names, nothing, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_FILE);
  g_clear_error (&error);
  g_autofree char *empty = tl_staging_dup_state (fixture->target, names);
  put (fixture->target, "a", "mine");
  g_assert_false (tl_staging_commit (staging, names, empty, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_FILE);
  g_clear_error (&error);
  assert_text (fixture->target, "a", "mine");
  g_assert_true (commit_over (staging, fixture->target, names, &error));
  assert_text (fixture->target, "a", "new");
}

static gpointer
begin_too (gpointer data)
{
  return tl_staging_new (data, NULL);
}

/* Of two that begin together, one goes on at most. */
static void
test_together (Fixture *fixture, gconstpointer data)
{
  is_shared = TRUE;
  for (int k = 0; k < 200; k++)
    {
      GThread *thread = g_thread_new ("other", begin_too, fixture->target);
      g_autoptr (TlStaging) one = tl_staging_new (fixture->target, NULL);
      g_autoptr (TlStaging) other = g_thread_join (thread);

      g_assert_true (one == NULL || other == NULL);
      if (one != NULL)
        g_assert_true (tl_staging_remove (one, NULL));
      if (other != NULL)
        g_assert_true (tl_staging_remove (other, NULL));
    }
  is_shared = FALSE;
  g_assert_cmpuint (count (fixture->folder), ==, 0);
}

/* What a killed process has left is found, and nobody else's. */
static void
test_left (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  TlStaging *killed = begin (fixture);
  g_autofree char *path = g_strdup (tl_staging_get_path (killed));

  fill (killed, "half");
  tl_staging_free (killed);
  g_autoptr (TlStaging) found = tl_staging_find (fixture->target);
  g_assert_nonnull (found);
  g_assert_cmpstr (tl_staging_get_path (found), ==, path);
  tl_staging_commit (found, names, NULL, &error);
  g_assert_no_error (error);
  assert_text (fixture->target, "a", "half");
}

/* Where names cannot be exchanged, a crash may leave the old volume in the
 * hidden folder: it goes back, unless the new one is there. */
static void
test_put_back (Fixture *fixture, gconstpointer data)
{
  for (int is_there = 0; is_there < 2; is_there++)
    {
      TlStaging *killed = begin (fixture);
      g_autofree char *old = g_build_filename (tl_staging_get_path (killed),
                                               ".old", "volume", NULL);

      if (is_there)
        put (fixture->target, "a", "new");
      g_assert_cmpint (g_mkdir_with_parents (old, 0777), ==, 0);
      put (old, "a", "old");
      tl_staging_free (killed);
      g_autoptr (TlStaging) found = tl_staging_find (fixture->target);
      assert_text (fixture->target, "a", is_there ? "new" : "old");
      g_assert_true (tl_staging_remove (found, NULL));
    }
}

/* Commits over what is there in a process that is killed before it removes the
 * hidden folder. */
static void
commit_and_die (Fixture *fixture, const char *text)
{
  const pid_t child = fork ();
  int status;

  if (child == 0)
    {
      TlStaging *staging = begin (fixture);

      fill (staging, text);
      is_mortal = TRUE;
      commit_over (staging, fixture->target, names, NULL);
      _exit (0);
    }
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_true (WIFSIGNALED (status) && WTERMSIG (status) == SIGKILL);
  assert_text (fixture->target, "a", text);
}

/* What a process leaves that is killed when the volume is in its place, is
 * cleared away with what the volume replaced. A place that has changed since is
 * left alone. */
static void
test_in_place (Fixture *fixture, gconstpointer data)
{
  commit_and_die (fixture, "first");
  commit_and_die (fixture, "second");
  g_assert_cmpuint (count (fixture->folder), ==, 2);
  g_assert_null (tl_staging_look (fixture->target));
  g_assert_cmpuint (count (fixture->folder), ==, 1);
  assert_text (fixture->target, "a", "second");
  commit_and_die (fixture, "third");
  put (fixture->target, "b", "another");
  g_autofree char *path = tl_staging_look (fixture->target);
  g_assert_nonnull (path);
}

static gint has_ended; /* atomic */

static gpointer
look (gpointer data)
{
  guint n = 0;

  while (!g_atomic_int_get (&has_ended))
    {
      g_autofree char *path = tl_staging_look (data);

      n += path != NULL;
    }
  return GUINT_TO_POINTER (n);
}

/* Whoever looks for an unfinished volume does not keep others from it, and does
 * not find one that is being written. */
static void
test_looked_at (Fixture *fixture, gconstpointer data)
{
  TlStaging *killed = begin (fixture);

  g_assert_null (tl_staging_look (fixture->target));
  tl_staging_free (killed);
  g_atomic_int_set (&has_ended, FALSE);
  GThread *thread = g_thread_new ("looks", look, fixture->target);
  for (int k = 0; k < 2000; k++)
    {
      g_autoptr (TlStaging) found = tl_staging_find (fixture->target);

      g_assert_nonnull (found);
    }
  g_atomic_int_set (&has_ended, TRUE);
  g_assert_cmpuint (GPOINTER_TO_UINT (g_thread_join (thread)), >, 0);
}

/* What a process leaves that is killed right after it has made the hidden
 * folder, or right before it removes it, is cleared away; a process that has
 * just made one makes another. */
static void
test_emptied (Fixture *fixture, gconstpointer data)
{
  g_autofree char *left =
      g_build_filename (fixture->folder, ".volume.part-abcdef", NULL);

  g_assert_cmpint (g_mkdir (left, 0700), ==, 0);
  g_assert_null (tl_staging_look (fixture->target));
  g_assert_cmpuint (count (fixture->folder), ==, 0);
  is_shared = TRUE;
  g_atomic_int_set (&has_ended, FALSE);
  GThread *thread = g_thread_new ("looks", look, fixture->target);
  for (int k = 0; k < 2000; k++)
    {
      g_autoptr (TlStaging) staging = begin (fixture);

      g_assert_true (tl_staging_remove (staging, NULL));
    }
  g_atomic_int_set (&has_ended, TRUE);
  g_thread_join (thread);
  is_shared = FALSE;
  g_assert_cmpuint (count (fixture->folder), ==, 0);
}

/* Neither a link at the target nor one in a replaced volume loses what it
 * points to. */
static void
test_links (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TlStaging) staging = begin (fixture);
  g_autofree char *mine = g_build_filename (fixture->folder, "mine", NULL);
  g_autoptr (GFile) link = g_file_new_for_path (fixture->target);

  g_mkdir (mine, 0777);
  put (mine, "notes", "mine");
  g_assert_true (g_file_make_symbolic_link (link, mine, NULL, NULL));
  fill (staging, "new");
  commit_over (staging, fixture->target, names, &error);
  g_assert_no_error (error);
  assert_text (fixture->target, "a", "new");
  assert_text (mine, "notes", "mine");
}

/* The folder of a volume has the rights that the user's new folders have. */
static void
test_rights (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TlStaging) staging = begin (fixture);
  g_autofree char *plain = g_build_filename (fixture->folder, "plain", NULL);
  GStatBuf want, got;

  fill (staging, "new");
  g_mkdir (plain, 0777);
  g_assert_cmpint (g_stat (tl_staging_get_path (staging), &got), ==, 0);
  g_assert_cmpuint (got.st_mode & 0777, ==, 0700);
  g_assert_true (tl_staging_commit (staging, names, NULL, NULL));
  g_assert_cmpint (g_stat (plain, &want), ==, 0);
  g_assert_cmpint (g_stat (fixture->target, &got), ==, 0);
  g_assert_cmpuint (got.st_mode, ==, want.st_mode);
}

static void
test_refused (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *below = NULL;

  put (fixture->folder, "volume", "a file");
  below = g_build_filename (fixture->target, "volume", NULL);
  g_assert_null (tl_staging_new (below, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_FILE);
}

/* A message names the target as it was given, what is beside it likewise, and
 * the hidden folder where that is what is meant. */
static void
test_named (Fixture *fixture, gconstpointer data)
{
  g_autofree char *typed =
      g_build_filename (fixture->folder, ".", "volume", NULL);
  g_autoptr (TlStaging) staging = tl_staging_new (typed, NULL);
  const char *hidden = tl_staging_get_path (staging);
  g_autoptr (GError) error = g_error_new (
      TL_ERROR, TL_ERROR_FILE, "%s/volume/a, %s/volume.ini, %s/b, kept in %s",
      hidden, hidden, hidden, hidden);
  g_autofree char *want =
      g_strdup_printf ("%s/a, %s.ini, %s/./b, kept in %s", typed, typed,
                       fixture->folder, hidden);

  tl_staging_name_target (staging, error);
  g_assert_cmpstr (error->message, ==, want);
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *name;
    void (*func) (Fixture *, gconstpointer);
  } cases[] = {
    { "whole", test_whole },       { "replaced", test_replaced },
    { "files", test_files },       { "pair", test_pair },
    { "two", test_two },           { "together", test_together },
    { "left", test_left },         { "links", test_links },
    { "rights", test_rights },     { "refused", test_refused },
    { "named", test_named },       { "looked-at", test_looked_at },
    { "changed", test_changed },   { "put-back", test_put_back },
    { "in-place", test_in_place }, { "emptied", test_emptied },
  };

  g_test_init (&argc, &argv, NULL);
  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      g_autofree char *path = g_strconcat ("/staging/", cases[k].name, NULL);

      g_test_add (path, Fixture, NULL, set_up, cases[k].func, tear_down);
    }
  return g_test_run ();
}
