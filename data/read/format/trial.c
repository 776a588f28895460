#include "data/read/format/trial.h"

#include "data/error.h"
#include "data/installation.h"
#include "data/read/format/change.h"
#include "data/read/format/format.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdint.h>

enum
{
  N_REMEMBERED = 64
};

static const char *program; /* (nullable) */
static GMutex mutex;
/* What was tried last and passed, and a %NULL; the oldest is replaced. */
static char *passed[N_REMEMBERED + 1];
static guint n_passed; /* until now */

void
tl_trial_begin (const char *program_path)
{
  g_return_if_fail (program == NULL);
  program = program_path != NULL ? g_strdup (program_path)
                                 : tl_installation_find_cli ();
}

/* Returns: (transfer full): the command line */
static GStrv
make_command (const char *path, const TlReaderOptions *options)
{
  g_autoptr (GStrvBuilder) words = g_strv_builder_new ();
  g_strv_builder_add_many (words, program, "try", path, NULL);
  if (options != NULL)
    {
      const char *const places[] = { options->data_path, options->keys_path,
                                     options->angles_path, options->flats_path,
                                     options->darks_path };
      for (size_t k = 0; k < G_N_ELEMENTS (places); k++)
        g_strv_builder_add (words, places[k] != NULL ? places[k] : "");
      if (options->grows)
        g_strv_builder_add (words, "grows");
    }
  return g_strv_builder_end (words);
}

/* Returns: (transfer full): differs if the file or the command does. A file
 * that grows stays the same, because it is opened again and again. */
static char *
describe (const char *path, char **command, gboolean grows)
{
  GStatBuf file = { 0 };
  g_stat (path, &file);
  g_autofree char *words = g_strjoinv ("\n", command);
  return g_strdup_printf ("%s\n%ju %ju %jd %jd", words, (uintmax_t)file.st_dev,
                          (uintmax_t)file.st_ino,
                          grows ? 0 : (intmax_t)file.st_size,
                          grows ? 0 : (intmax_t)tl_change_get_us (&file));
}

static gboolean
has_passed (const char *tried)
{
  g_mutex_lock (&mutex);
  const gboolean has = g_strv_contains ((const char *const *)passed, tried);
  g_mutex_unlock (&mutex);
  return has;
}

static void
remember (char **tried)
{
  g_mutex_lock (&mutex);
  char **place = &passed[n_passed++ % N_REMEMBERED];
  g_free (*place);
  *place = g_steal_pointer (tried);
  g_mutex_unlock (&mutex);
}

/* Returns: whether a mistake has ended it; a user, or the system for want of
 * memory, sends other signals */
static gboolean
has_crashed (GSubprocess *child)
{
  static const int signals[] = { SIGSEGV, SIGBUS, SIGABRT,
                                 SIGFPE,  SIGILL, SIGTRAP };
  for (size_t k = 0; k < G_N_ELEMENTS (signals); k++)
    if (g_subprocess_get_if_signaled (child)
        && g_subprocess_get_term_sig (child) == signals[k])
      return TRUE;
  return FALSE;
}

static gboolean
run (char **command, const char *path, GCancellable *cancellable,
     GError **error)
{
  g_autoptr (GError) failure = NULL;
  /* with the files that are open GLib need not fork, which takes long where
   * much memory is held */
  g_autoptr (GSubprocess) child = g_subprocess_newv (
      (const char *const *)command,
      G_SUBPROCESS_FLAGS_STDOUT_SILENCE | G_SUBPROCESS_FLAGS_STDERR_SILENCE
          | G_SUBPROCESS_FLAGS_INHERIT_FDS,
      &failure);
  if (child == NULL)
    {
      g_info ("HDF5 files are opened without a trial: %s", failure->message);
      return TRUE;
    }
  if (!g_subprocess_wait (child, cancellable, error))
    {
      g_subprocess_force_exit (child);
      return FALSE;
    }
  if (!has_crashed (child))
    return TRUE;
  g_autofree char *name = tl_path_dup_name (path);
  return tl_fail (error, TL_ERROR_FILE,
                  _ ("%s: not opened, because HDF5 crashes when it reads the "
                     "file (%s); the file is probably damaged: copy it again"),
                  name, g_strsignal (g_subprocess_get_term_sig (child)));
}

gboolean
tl_trial_pass (const char *path, const TlReaderOptions *options, GError **error)
{
  if (program == NULL)
    return TRUE;
  g_auto (GStrv) command = make_command (path, options);
  g_autofree char *tried =
      describe (path, command, options != NULL && options->grows);
  if (has_passed (tried))
    return TRUE;
  if (!run (command, path, options != NULL ? options->cancellable : NULL,
            error))
    return FALSE;
  remember (&tried);
  return TRUE;
}
