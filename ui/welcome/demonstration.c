#include "ui/welcome/demonstration.h"

#include "data/installation.h"

#include <glib/gi18n.h>

/* Made in less than a second by two threads; the axis is not in the middle. */
#define SIZE "512"
#define ROWS "64"
#define PROJECTIONS "400"
#define CENTRE "260.5"

/* Data of a scan being made. */
typedef struct
{
  GtkWindow *window; /* (nullable): weak */
  TlSession *session;
  char *path;
} Making;

static gboolean is_making;

static void
making_free (Making *making)
{
  g_clear_weak_pointer (&making->window);
  g_object_unref (making->session);
  g_free (making->path);
  g_free (making);
  is_making = FALSE;
}

static void
open (GtkWindow *window, const char *path)
{
  gtk_widget_activate_action (GTK_WIDGET (window), "app.open", "s", path);
}

static void
fail (Making *making, const char *reason)
{
  tl_messages_clear_notice (making->session->messages);
  tl_messages_warn (making->session->messages, FALSE,
                    _ ("The demonstration cannot be made: %s"), reason);
}

/* The user may have opened a scan since. */
static gboolean
is_wanted (const Making *making)
{
  return making->window != NULL
         && !tl_scan_source_is_open (making->session->source)
         && !tl_scan_source_is_opening (making->session->source);
}

static void
on_made (GObject *program, GAsyncResult *result, gpointer data)
{
  Making *making = data;
  g_autofree char *said = NULL;
  g_autoptr (GError) error = NULL;

  if (!g_subprocess_communicate_utf8_finish (G_SUBPROCESS (program), result,
                                             NULL, &said, &error))
    fail (making, error->message);
  else if (!g_subprocess_get_successful (G_SUBPROCESS (program)))
    fail (making,
          *g_strchomp (said) != '\0' ? said : _ ("its program was stopped"));
  else if (is_wanted (making))
    open (making->window, making->path);
  making_free (making);
}

static void
make (GtkWindow *window, TlSession *session, const char *path)
{
  g_autofree char *cli = tl_installation_find_cli ();
  g_autofree char *folder = g_path_get_dirname (path);
  g_autoptr (GSubprocess) program = NULL;
  g_autoptr (GError) error = NULL;
  Making *making = g_new0 (Making, 1);

  is_making = TRUE;
  g_set_weak_pointer (&making->window, window);
  making->session = g_object_ref (session);
  making->path = g_strdup (path);
  g_mkdir_with_parents (folder, 0700);
  tl_messages_tell (session->messages, _ ("Making the demonstration scan…"));
  program = g_subprocess_new (
      G_SUBPROCESS_FLAGS_STDOUT_SILENCE | G_SUBPROCESS_FLAGS_STDERR_PIPE,
      &error, cli, "phantom", path, "--size", SIZE, "--rows", ROWS,
      "--projections", PROJECTIONS, "--centre", CENTRE, NULL);
  if (program != NULL)
    {
      g_subprocess_communicate_utf8_async (program, NULL, NULL, on_made,
                                           making);
      return;
    }
  fail (making, error->message);
  making_free (making);
}

char *
tl_demonstration_dup_path (void)
{
  return g_build_filename (g_get_user_cache_dir (), "tomolens",
                           "demonstration.h5", NULL);
}

void
tl_demonstration_open (GtkWindow *window, TlSession *session)
{
  g_autofree char *path = tl_demonstration_dup_path ();

  if (is_making)
    return;
  if (g_file_test (path, G_FILE_TEST_EXISTS))
    open (window, path);
  else
    make (window, session, path);
}
