/* tomolens: the window. */
#include "app/recipe/recipe.h"
#include "data/read/format/trial.h"
#include "ui/desktop/language.h"
#include "ui/desktop/recent.h"
#include "ui/window/application.h"
#include "ui/window/screenshot.h"
#include "ui/window/startup-times.h"

#include <glib-unix.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

/* The screenshot is taken after QUIET_FRAMES frames without a change, so that
 * revealers and spinners have come to rest. It fails after PATIENCE_S. */
#define QUIET_FRAMES 20
#define PATIENCE_S 300

/* Exit status for wrong options, as in tomolens-cli. */
#define STATUS_USAGE 2

/* State of --screenshot, which waits for the first picture, saves the
 * window, prints how the picture reached the screen, and quits. */
typedef struct
{
  TlApplication *application;
  char *path;
  gboolean opens_file;
  gboolean has_options; /* the command line was parsed */
  gboolean measures;    /* how long the program takes to start */
  int n_quiet;
  gint64 deadline_us;
  int status;
} Screenshot;

static void
finish (Screenshot *shot, int status)
{
  shot->status = status;
  gtk_window_destroy (
      GTK_WINDOW (tl_application_get_window (shot->application)));
}

static void
print_report (Screenshot *shot)
{
  const TlStatus *status = tl_display_get_status (
      tl_application_get_session (shot->application)->display);
  TlView *view = tl_application_get_view (shot->application);
  const char *path = tl_view_get_path (view);
  const char *renderer = tl_view_get_renderer (view);

  printf ("engine: %s (%s), path: %s, GL: %s, frame: %.1f ms\n",
          status->engine != NULL ? status->engine : "none",
          status->device != NULL ? status->device : "nothing open",
          path != NULL ? path : "none", renderer != NULL ? renderer : "none",
          status->frame_ms);
}

/* Returns: whether the window shows everything that belongs on the
 * screenshot */
static gboolean
is_ready (Screenshot *shot)
{
  TlSession *session = tl_application_get_session (shot->application);
  TlWindow *window = tl_application_get_window (shot->application);
  gboolean busy;

  if (!shot->opens_file)
    return TRUE;
  g_object_get (session->requests, "busy", &busy, NULL);
  return !busy && tl_slice_view_is_drawn (tl_window_get_slice_view (window));
}

static gboolean
on_tick (GtkWidget *window, GdkFrameClock *clock, gpointer data)
{
  Screenshot *shot = data;
  TlSession *session = tl_application_get_session (shot->application);
  const char *banner = tl_window_get_banner (TL_WINDOW (window));
  const char *problem =
      banner != NULL ? banner : tl_scan_chooser_get_reason (session->chooser);
  g_autoptr (GError) error = NULL;

  if (problem != NULL)
    {
      g_printerr ("tomolens: %s\n", problem);
      finish (shot, 1);
      return G_SOURCE_REMOVE;
    }
  if (g_get_monotonic_time () > shot->deadline_us)
    {
      g_printerr ("tomolens: no picture after %d s\n", PATIENCE_S);
      finish (shot, 1);
      return G_SOURCE_REMOVE;
    }
  shot->n_quiet = is_ready (shot) ? shot->n_quiet + 1 : 0;
  if (shot->n_quiet < QUIET_FRAMES)
    return G_SOURCE_CONTINUE;
  if (tl_screenshot_save (window, shot->path, &error))
    {
      print_report (shot);
      finish (shot, 0);
      return G_SOURCE_REMOVE;
    }
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_BUSY))
    return G_SOURCE_CONTINUE;
  g_printerr ("tomolens: %s\n", error->message);
  finish (shot, 1);
  return G_SOURCE_REMOVE;
}

static void
on_window_added (GtkApplication *application, GtkWindow *window, gpointer data)
{
  Screenshot *shot = data;

  if (shot->path == NULL || shot->deadline_us != 0 || !TL_IS_WINDOW (window))
    return;
  shot->deadline_us = g_get_monotonic_time () + PATIENCE_S * G_USEC_PER_SEC;
  gtk_widget_add_tick_callback (GTK_WIDGET (window), on_tick, shot, NULL);
}

/* The signal comes at the end of the user's session, or from a terminal. A
 * second one ends the program at once. */
static gboolean
on_signal (gpointer application)
{
  tl_application_end (application);
  return G_SOURCE_REMOVE;
}

/* Estimates the axis when the user opens a scan in the window, unless the user
 * has switched that off. Tests and scripts ask for the estimate themselves.
 * Screenshots and measurements neither depend on what is remembered of the user
 * nor change it. */
static void
on_startup (GApplication *application, Screenshot *shot)
{
  static const int signals[] = { SIGTERM, SIGINT, SIGHUP };

  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    g_unix_signal_add (signals[i], on_signal, application);
  g_action_group_change_action_state (G_ACTION_GROUP (application),
                                      "seek-centre",
                                      g_variant_new_boolean (TRUE));
  if (shot->path == NULL && !shot->measures)
    tl_application_remember (shot->application);
  else
    tl_recent_ignore ();
}

/* --- the command line --- */

static char *
get_text (GVariant *value)
{
  return g_variant_is_of_type (value, G_VARIANT_TYPE_BYTESTRING)
             ? g_variant_dup_bytestring (value, NULL)
             : g_variant_dup_string (value, NULL);
}

/* Returns: %FALSE after printing what is wrong */
static gboolean
collect_parameters (GVariantDict *options, GPtrArray *words)
{
  g_autoptr (TlRecipe) recipe = tl_recipe_new ();
  g_autoptr (GError) error = NULL;
  size_t n;
  const TlParamSpec *keys = tl_recipe_list_keys (&n);

  for (size_t k = 0; k < n; k++)
    {
      g_autoptr (GVariant) value =
          g_variant_dict_lookup_value (options, keys[k].key, NULL);
      g_autofree char *text = value != NULL ? get_text (value) : NULL;

      if (text == NULL)
        continue;
      if (!tl_recipe_set (recipe, keys[k].key, text, &error))
        {
          g_printerr ("tomolens: --%s: %s\n", keys[k].key, error->message);
          return FALSE;
        }
      g_ptr_array_add (words, g_strdup (keys[k].key));
      /* A running instance may have another working folder, so make the path
       * absolute. */
      g_ptr_array_add (words, tl_recipe_make_absolute (&keys[k], text, NULL));
    }
  return TRUE;
}

/* Returns: %FALSE after printing what is wrong */
static gboolean
collect_record (GVariantDict *options)
{
  g_autofree char *folder = NULL;
  g_autofree const char **names = NULL;

  if (!g_variant_dict_lookup (options, TL_APPLICATION_RECORD, "^ay", &folder))
    return TRUE;
  g_variant_dict_lookup (options, G_OPTION_REMAINING, "^a&ay", &names);
  if (names == NULL || strstr (names[0], "://") == NULL)
    {
      g_printerr ("tomolens: --record is for an address, such as "
                  "zmq+tomopackets://*:5558; a file or folder keeps the scan "
                  "itself\n");
      return FALSE;
    }
  /* A running instance may have another working folder. */
  g_autofree char *absolute = g_canonicalize_filename (folder, NULL);
  g_variant_dict_insert_value (options, TL_APPLICATION_RECORD,
                               g_variant_new_bytestring (absolute));
  return TRUE;
}

static void
print_age (const char *what, double age_s)
{
  if (isnan (age_s))
    g_printerr ("tomolens: the system does not say when the program started\n");
  else
    printf ("%s %.2f s\n", what, age_s);
}

static int
on_local_options (GApplication *application, GVariantDict *options,
                  gpointer data)
{
  Screenshot *shot = data;
  g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free);

  shot->has_options = TRUE;
  shot->opens_file = g_variant_dict_contains (options, G_OPTION_REMAINING);
  if (g_variant_dict_contains (options, "version"))
    {
      printf ("tomolens %s\n", TL_VERSION);
      return 0;
    }
  if (!collect_parameters (options, words) || !collect_record (options))
    return STATUS_USAGE;
  if (words->len > 0 && !shot->opens_file)
    {
      g_printerr ("tomolens: --%s is for a scan, and no FILE is given\n",
                  (char *)words->pdata[0]);
      return STATUS_USAGE;
    }
  g_variant_dict_insert_value (
      options, TL_APPLICATION_PARAMETERS,
      g_variant_new_bytestring_array ((const char *const *)words->pdata,
                                      (gssize)words->len));
  shot->measures = g_variant_dict_contains (options, "startup-times");
  if (shot->measures)
    tl_startup_times_measure (shot->application, shot->opens_file, print_age);
  if (g_variant_dict_lookup (options, "screenshot", "^ay", &shot->path)
      || shot->measures)
    /* Do not pass the command line to a running instance. */
    g_application_set_flags (application, g_application_get_flags (application)
                                              | G_APPLICATION_NON_UNIQUE);
  return -1;
}

/* Adds the recipe's options, which tomolens-cli has, too. @texts owns the
 * strings that GLib borrows. */
static void
add_parameters (GApplication *application, GPtrArray *texts)
{
  size_t n;
  const TlParamSpec *keys = tl_recipe_list_keys (&n);

  for (size_t k = 0; k < n; k++)
    {
      if (keys[k].is_of_volume)
        continue;
      g_autofree char *takes = tl_param_spec_describe_values (&keys[k], FALSE);
      char *help = g_strdup_printf ("%s (%s)", keys[k].help, takes);

      g_ptr_array_add (texts, help);
      g_application_add_main_option (
          application, keys[k].key, 0, G_OPTION_FLAG_NONE,
          /* a file name may have any encoding */
          keys[k].reopens ? G_OPTION_ARG_FILENAME : G_OPTION_ARG_STRING, help,
          keys[k].arg);
    }
}

int
main (int argc, char **argv)
{
  const GOptionEntry options[] = {
    { "version", 0, 0, G_OPTION_ARG_NONE, NULL, "Print the version", NULL },
    { "screenshot", 0, 0, G_OPTION_ARG_FILENAME, NULL,
      "Save the window with the first picture as PNG, and quit", "FILE.png" },
    { "startup-times", 0, 0, G_OPTION_ARG_NONE, NULL,
      "Print the seconds to the window and to the first picture, and quit",
      NULL },
    { TL_APPLICATION_RECORD, 0, 0, G_OPTION_ARG_FILENAME, NULL,
      "Keep the scans that come from an address as Data Exchange files",
      "FOLDER" },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, NULL, NULL, NULL },
    { NULL, 0, 0, 0, NULL, NULL, NULL },
  };
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (TlApplication) application =
      tl_application_new (G_APPLICATION_DEFAULT_FLAGS);
  Screenshot shot = { .application = application };
  int status;

  tl_language_init ();
  tl_trial_begin (NULL);
  g_application_add_main_option_entries (G_APPLICATION (application), options);
  g_application_set_option_context_parameter_string (
      G_APPLICATION (application), "[FILE|FOLDER|ADDRESS]");
  g_application_set_option_context_summary (
      G_APPLICATION (application),
      "Opens a scan, or the recipe of one. ADDRESS follows scans while they "
      "are being taken: zmq+tomopackets://HOST:PORT, "
      "zmq+tomopackets+rep://HOST:PORT, zmq+json://HOST:PORT or "
      "zmq+json+sub://HOST:PORT, as tomolens-cli watch takes them.");
  add_parameters (G_APPLICATION (application), texts);
  g_signal_connect (application, "handle-local-options",
                    G_CALLBACK (on_local_options), &shot);
  g_signal_connect_after (application, "startup", G_CALLBACK (on_startup),
                          &shot);
  g_signal_connect (application, "window-added", G_CALLBACK (on_window_added),
                    &shot);
  status = g_application_run (G_APPLICATION (application), argc, argv);
  g_free (shot.path);
  /* GLib has already printed what is wrong with the options. */
  if (!shot.has_options && status != 0)
    return STATUS_USAGE;
  return status != 0 ? status : shot.status;
}
