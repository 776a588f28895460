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
  TlMessages *messages;
  char *path;
} Making;

static void
making_free (Making *making)
{
  g_clear_weak_pointer (&making->window);
  g_object_unref (making->messages);
  g_free (making->path);
  g_free (making);
}

static void
open (GtkWindow *window, const char *path)
{
  gtk_widget_activate_action (GTK_WIDGET (window), "app.open", "s", path);
}

static void
fail (Making *making, const char *reason)
{
  tl_messages_clear_notice (making->messages);
  tl_messages_warn (making->messages, FALSE,
                    _ ("The demonstration cannot be made: %s"), reason);
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
    fail (making, g_strchomp (said));
  else if (making->window != NULL)
    open (making->window, making->path);
  making_free (making);
}

static void
make (GtkWindow *window, TlMessages *messages, const char *path)
{
  g_autofree char *cli =
      tl_installation_find ("app/tomolens-cli", TL_BINDIR "/tomolens-cli");
  g_autofree char *folder = g_path_get_dirname (path);
  g_autoptr (GSubprocess) program = NULL;
  g_autoptr (GError) error = NULL;
  Making *making = g_new0 (Making, 1);

  g_set_weak_pointer (&making->window, window);
  making->messages = g_object_ref (messages);
  making->path = g_strdup (path);
  g_mkdir_with_parents (folder, 0700);
  tl_messages_tell (messages, _ ("Making the demonstration scan…"));
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

void
tl_demonstration_open (GtkWindow *window, TlMessages *messages)
{
  g_autofree char *path = g_build_filename (g_get_user_cache_dir (), "tomolens",
                                            "demonstration.h5", NULL);

  if (g_file_test (path, G_FILE_TEST_EXISTS))
    open (window, path);
  else
    make (window, messages, path);
}
