/* tomolens-cli: the program without a window. */
#include "app/cli/cli-private.h"

#include "app/recipe/recipe.h"

#include "data/error.h"
#include "data/read/format/trial.h"

#include <errno.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

enum
{
  STATUS_GOOD = 0,
  STATUS_FAILED = 1, /* the data or the machine is the cause */
  STATUS_USAGE = 2,
  STATUS_INCOMPLETE = 3
};

static const struct
{
  const char *name;
  TlCliFunc run;
  const char *summary;
} commands[] = {
  { "info", tl_cli_info, "describes a scan or the machine" },
  { "centre", tl_cli_centre, "finds the axis by several methods" },
  { "recon", tl_cli_recon, "reconstructs a slice, or a few, and shows timing" },
  { "export", tl_cli_export, "reconstructs a volume to a folder or a file" },
  { "volume", tl_cli_volume, "reconstructs a small volume from means" },
  { "render", tl_cli_render, "draws a small volume, without a display" },
  { "thumbnail", tl_cli_thumbnail, "draws the middle projection of a scan" },
  { "phantom", tl_cli_phantom, "makes a scan of a phantom" },
  { "play", tl_cli_play, "plays a scan as if it were being taken" },
  { "watch", tl_cli_watch, "follows a scan while it is being taken" },
  { "bench", tl_cli_bench, "measures the engines" },
  { "try", tl_cli_try, NULL }, /* for our own programs */
};

static void
print_help (FILE *out)
{
  fputs ("Usage:\n  tomolens-cli COMMAND [OPTION…]\n\nCommands:\n", out);
  for (size_t k = 0; k < G_N_ELEMENTS (commands); k++)
    if (commands[k].summary != NULL)
      fprintf (out, "  %-11s%s\n", commands[k].name, commands[k].summary);
  fputs ("\ntomolens-cli COMMAND --help lists the options of a command.\n"
         "tomolens-cli --version prints the version.\n\n"
         "Exit status: 0 done; 1 the data or the machine do not allow it; 2 "
         "the command line is wrong; 3 a scan was followed to its end, and "
         "frames of it are missing.\n",
         out);
}

static void
block_signals (sigset_t *signals)
{
  sigemptyset (signals);
  sigaddset (signals, SIGINT);
  sigaddset (signals, SIGTERM);
  pthread_sigmask (SIG_BLOCK, signals, NULL);
}

/* Waits for signals in a thread of its own, because a signal handler must
 * not cancel a GCancellable. The first signal cancels the work, a second one
 * ends the process. */
static gpointer
wait_for_signal (gpointer data)
{
  GCancellable *cancellable = data;
  sigset_t signals;
  int number;
  block_signals (&signals);
  if (sigwait (&signals, &number) != 0)
    return NULL;
  g_cancellable_cancel (cancellable);
  signal (SIGINT, SIG_DFL);
  signal (SIGTERM, SIG_DFL);
  pthread_sigmask (SIG_UNBLOCK, &signals, NULL);
  return NULL;
}

/* "nan=replace" of a recipe is "--nan replace" here. */
static gboolean
spell_option (const GMatchInfo *match, GString *text, gpointer data)
{
  g_autofree char *key = g_match_info_fetch (match, 1);
  if (tl_recipe_find_key (key, NULL) != NULL)
    g_string_append_printf (text, "--%s ", key);
  else
    g_string_append_printf (text, "%s=", key);
  return FALSE;
}

char *
tl_cli_spell_options (const char *message)
{
  g_autoptr (GRegex) settings =
      g_regex_new ("(?<=[ (])([a-z]+(?:-[a-z]+)*)=(?=[^ ])", 0, 0, NULL);
  return g_regex_replace_eval (settings, message, -1, 0, 0, spell_option, NULL,
                               NULL);
}

char *
tl_cli_dup_error (const GError *error)
{
  g_autofree char *message = tl_cli_spell_options (error->message);
  const char *hint = tl_error_get_hint (error);
  return g_strconcat (message != NULL ? message : error->message, /* no UTF-8 */
                      hint != NULL ? "; " : "", hint, NULL);
}

static int
report_error (const GError *error)
{
  g_autofree char *text = tl_cli_dup_error (error);
  /* Flush first, so that the error follows the output if both go to the same
   * place. */
  fflush (stdout);
  fprintf (stderr, "tomolens-cli: %s\n", text);
  return error->domain == G_OPTION_ERROR      ? STATUS_USAGE
         : error->domain == TL_CLI_INCOMPLETE ? STATUS_INCOMPLETE
                                              : STATUS_FAILED;
}

/* The output is part of the work: flush it, because a full disk shows only
 * here. */
static gboolean
flush_output (GError **error)
{
  if (fflush (stdout) == 0 && !ferror (stdout))
    return TRUE;
  return tl_fail (error, TL_ERROR_FILE,
                  "the standard output cannot be written: %s",
                  g_strerror (errno));
}

static int
run_command (TlCliFunc run, char **args)
{
  g_autoptr (GError) error = NULL;
  sigset_t signals;
  /* Before any thread is started, so that all threads inherit the mask. */
  block_signals (&signals);
  /* Exceeding the limit on file sizes then is an ordinary write error, like
   * a full disk. */
  signal (SIGXFSZ, SIG_IGN);
  if (run != tl_cli_try)
    tl_trial_begin (NULL);
  GCancellable *cancellable = g_cancellable_new ();
  /* The thread and the cancellable live as long as the process. */
  g_thread_unref (g_thread_new ("signals", wait_for_signal, cancellable));
  return run (args, cancellable, &error) && flush_output (&error)
             ? STATUS_GOOD
             : report_error (error);
}

int
main (int argc, char **argv)
{
  setlocale (LC_ALL, "");
  setlocale (LC_NUMERIC, "C"); /* programs read the output */
  if (argc < 2)
    {
      print_help (stderr);
      return STATUS_USAGE;
    }
  if (strcmp (argv[1], "--help") == 0 || strcmp (argv[1], "-h") == 0)
    {
      print_help (stdout);
      return STATUS_GOOD;
    }
  if (strcmp (argv[1], "--version") == 0)
    {
      puts ("tomolens-cli " TL_VERSION);
      return STATUS_GOOD;
    }
  for (size_t k = 0; k < G_N_ELEMENTS (commands); k++)
    if (strcmp (argv[1], commands[k].name) == 0)
      {
        g_autofree char *name =
            g_strconcat ("tomolens-cli ", commands[k].name, NULL);
        g_set_prgname (name);
        return run_command (commands[k].run, argv + 1);
      }
  fprintf (
      stderr,
      "tomolens-cli: there is no command \"%s\"; tomolens-cli --help lists "
      "them\n",
      argv[1]);
  return STATUS_USAGE;
}
