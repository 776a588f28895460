#include "ui/window/application.h"

#include "ui/actions/actions.h"
#include "ui/bus/script.h"
#include "ui/desktop/dark-style.h"
#include "ui/desktop/notifications.h"
#include "ui/desktop/recent.h"
#include "ui/desktop/settings.h"
#include "ui/view/widget.h"
#include "ui/welcome/demonstration.h"
#include "ui/window/remember.h"
#include "ui/window/shortcuts.h"
#include "ui/ui-resources.h"

#include <glib/gi18n.h>
#include <malloc.h>

struct _TlApplication
{
  GtkApplication parent_instance;

  TlSession *session;
  TlView *view;
  TlMeasure *measure;
  TlCompare *compare;
  TlNotifications *notifications;
  TlScript *script; /* (nullable): %NULL without a bus */
  TlLastRecipe *last_recipe;
  TlWindow *window; /* owned by GTK until it is closed */
};

G_DEFINE_FINAL_TYPE (TlApplication, tl_application, GTK_TYPE_APPLICATION)

static void
tl_application_activate (GApplication *application)
{
  TlApplication *self = TL_APPLICATION (application);

  if (self->window == NULL)
    g_set_weak_pointer (&self->window,
                        tl_window_new (GTK_APPLICATION (application),
                                       self->measure, self->compare,
                                       self->last_recipe));
  gtk_window_present (GTK_WINDOW (self->window));
}

/* Closes the window, which asks first if an export is running. */
static void
quit (GSimpleAction *action, GVariant *value, gpointer data)
{
  TlApplication *self = data;

  if (self->window != NULL)
    gtk_window_close (GTK_WINDOW (self->window));
}

/* For the next choice of a scan. An address has no folder, and that of the
 * demonstration is not the user's. */
static void
note_folder (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *demonstration = tl_demonstration_dup_path ();

  if (g_file_test (path, G_FILE_TEST_EXISTS)
      && strcmp (path, demonstration) != 0)
    tl_settings_set_text ("open-folder", folder);
}

static void
show_window (GSimpleAction *action, GVariant *value, gpointer data)
{
  tl_application_activate (G_APPLICATION (data));
}

static void
on_path (TlApplication *self)
{
  g_autofree char *path = NULL;

  g_object_get (self->session->source, "path", &path, NULL);
  if (path != NULL)
    {
      g_autoptr (GVariant) places =
          g_variant_ref_sink (tl_session_get_places (self->session));

      tl_recent_add (path, places);
      note_folder (path);
    }
}

static void
load_style (void)
{
  g_autoptr (GtkCssProvider) provider = gtk_css_provider_new ();

  gtk_css_provider_load_from_resource (provider,
                                       "/org/tomolens/Tomolens/style.css");
  gtk_style_context_add_provider_for_display (
      gdk_display_get_default (), GTK_STYLE_PROVIDER (provider),
      GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
}

static gboolean
tl_application_dbus_register (GApplication *application,
                              GDBusConnection *connection, const char *path,
                              GError **error)
{
  TlApplication *self = TL_APPLICATION (application);

  self->script = tl_script_new (connection, path, error);
  return self->script != NULL
         && G_APPLICATION_CLASS (tl_application_parent_class)
                ->dbus_register (application, connection, path, error);
}

static void
tl_application_dbus_unregister (GApplication *application,
                                GDBusConnection *connection, const char *path)
{
  g_clear_pointer (&TL_APPLICATION (application)->script, tl_script_free);
  G_APPLICATION_CLASS (tl_application_parent_class)
      ->dbus_unregister (application, connection, path);
}

static void
tl_application_startup (GApplication *application)
{
  static const GActionEntry entries[] = {
    { "quit", quit, NULL, NULL, NULL, { 0 } },
    { "show-window", show_window, NULL, NULL, NULL, { 0 } },
  };
  TlApplication *self = TL_APPLICATION (application);

  /* must come before GTK looks for icons in the resources */
  g_resources_register (tl_ui_get_resource ());
  G_APPLICATION_CLASS (tl_application_parent_class)->startup (application);
  gtk_window_set_default_icon_name (TL_APPLICATION_ID);
  load_style ();
  tl_dark_style_follow (g_application_get_dbus_connection (application));
  self->session = tl_session_new ();
  if (self->script != NULL)
    tl_script_set_session (self->script, self->session, G_ACTION_GROUP (self));
  self->view = tl_view_new (self->session);
  self->measure = tl_measure_new (self->view);
  self->compare = tl_compare_new (self->view);
  self->last_recipe = tl_last_recipe_new (self->session);
  tl_actions_add (G_ACTION_MAP (self), self->measure, self->compare);
  g_action_map_add_action_entries (G_ACTION_MAP (self), entries,
                                   G_N_ELEMENTS (entries), self);
  tl_shortcuts_install (GTK_APPLICATION (self));
  tl_follow (self->session->source, "path", G_CALLBACK (on_path), self);
  self->notifications = tl_notifications_new (
      GTK_APPLICATION (self), self->session, TL_NOTIFICATIONS_LONG_S);
}

static gboolean
is_recipe (GFile *file)
{
  g_autofree char *name = g_file_get_basename (file);

  return name != NULL && tl_recipe_has_name (name);
}

static void
open_file (TlApplication *self, GFile *file)
{
  g_autofree char *uri = g_file_get_uri (file);

  g_action_group_activate_action (G_ACTION_GROUP (self), "open",
                                  g_variant_new_string (uri));
}

/* @scan: (nullable): scan to which the recipe is applied */
static void
open_recipe (TlApplication *self, GFile *recipe, GFile *scan)
{
  const char *path = g_file_peek_path (recipe);

  if (scan == NULL || path == NULL)
    {
      open_file (self, recipe);
      return;
    }
  tl_view_set_problem (self->view, NULL);
  tl_session_open_recipe (self->session, path, g_file_peek_path (scan));
}

static gboolean
is_open (TlApplication *self, GFile *scan)
{
  g_autofree char *path = NULL;
  g_autoptr (GFile) open = NULL;

  g_object_get (self->session->source, "path", &path, NULL);
  if (path == NULL)
    return FALSE;
  open = g_file_new_for_path (path);
  return g_file_equal (open, scan);
}

/* Opens the first scan among the files, then applies the recipes to it. If only
 * recipes change, a scan that is open is not read again. Says so if there are
 * other scans. */
static void
tl_application_open (GApplication *application, GFile **files, int n_files,
                     const char *hint)
{
  TlApplication *self = TL_APPLICATION (application);
  GFile *scan = NULL;
  gboolean has_recipe = FALSE;
  guint n_scans = 0;

  tl_application_activate (application);
  for (int i = 0; i < n_files; i++)
    if (is_recipe (files[i]))
      has_recipe = TRUE;
    else if (n_scans++ == 0)
      scan = files[i];
  if (scan != NULL && !(has_recipe && is_open (self, scan)))
    open_file (self, scan);
  for (int i = 0; i < n_files; i++)
    if (is_recipe (files[i]))
      open_recipe (self, files[i], scan);
  if (n_scans > 1)
    tl_messages_warn (self->session->messages, TRUE,
                      _ ("The window shows one scan at a time: of %u, only the "
                         "first is opened"),
                      n_scans);
}

/* The parameters are for the scan that the command line names, which may not be
 * open yet. */
static void
set_parameters (TlApplication *self, const char *const *words)
{
  g_autoptr (GError) error = NULL;

  for (; words[0] != NULL && words[1] != NULL; words += 2)
    if (!tl_session_set_opening (self->session, words[0], words[1], &error))
      {
        tl_view_set_problem (self->view, error->message);
        return;
      }
}

/* GIO would take "scan.h5:/entry" for a URI, whose scheme is "scan.h5". */
static GFile *
make_file (GApplicationCommandLine *line, const char *name)
{
  if (strstr (name, ":/") == NULL || strstr (name, "://") != NULL
      || g_str_has_prefix (name, "file:"))
    return g_application_command_line_create_file_for_arg (line, name);
  g_autofree char *path =
      g_canonicalize_filename (name, g_application_command_line_get_cwd (line));
  return g_file_new_for_path (path);
}

static int
tl_application_command_line (GApplication *application,
                             GApplicationCommandLine *line)
{
  GVariantDict *options = g_application_command_line_get_options_dict (line);
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_object_unref);
  g_autofree const char **names = NULL;
  g_autofree const char **words = NULL;
  const char *folder = NULL;
  g_autoptr (GError) error = NULL;

  if (g_variant_dict_lookup (options, TL_APPLICATION_RECORD, "^&ay", &folder)
      && !tl_growth_set_record_folder (
          TL_APPLICATION (application)->session->growth, folder, &error))
    {
      g_application_command_line_printerr (line, "tomolens: %s\n",
                                           error->message);
      return 1;
    }
  g_variant_dict_lookup (options, G_OPTION_REMAINING, "^a&ay", &names);
  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    g_ptr_array_add (files, make_file (line, names[i]));
  if (files->len > 0)
    g_application_open (application, (GFile **)files->pdata, (int)files->len,
                        "");
  else
    g_application_activate (application);
  if (g_variant_dict_lookup (options, TL_APPLICATION_PARAMETERS, "^a&ay",
                             &words))
    set_parameters (TL_APPLICATION (application), words);
  return 0;
}

static void
tl_application_dispose (GObject *object)
{
  TlApplication *self = TL_APPLICATION (object);

  g_clear_weak_pointer (&self->window);
  g_clear_pointer (&self->script, tl_script_free);
  g_clear_pointer (&self->notifications, tl_notifications_free);
  g_clear_object (&self->last_recipe);
  g_clear_object (&self->compare);
  g_clear_object (&self->measure);
  g_clear_object (&self->view);
  g_clear_object (&self->session);
  if (tl_settings_get () != NULL)
    tl_settings_close ();
  G_OBJECT_CLASS (tl_application_parent_class)->dispose (object);
}

static void
tl_application_class_init (TlApplicationClass *klass)
{
  GApplicationClass *application_class = G_APPLICATION_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = tl_application_dispose;
  application_class->dbus_register = tl_application_dbus_register;
  application_class->dbus_unregister = tl_application_dbus_unregister;
  application_class->startup = tl_application_startup;
  application_class->activate = tl_application_activate;
  application_class->open = tl_application_open;
  application_class->command_line = tl_application_command_line;
}

static void
tl_application_init (TlApplication *self)
{
  g_application_set_option_context_parameter_string (G_APPLICATION (self),
                                                     "[FILE…]");
  g_application_set_option_context_summary (
      G_APPLICATION (self),
      /* not translated, like all messages of the command line */
      "Interactive parallel-beam X-ray tomography. FILE is a scan "
      "(HDF5, or a file or folder of images), or a recipe; a recipe may come "
      "together with its scan.");
}

/* More than there are threads. With fewer, as on a machine of few processors,
 * the window shares the locks of its memory with threads that give way to it:
 * where one of them holds such a lock and has to wait for a processor, the
 * window waits, too. */
#define MAX_ARENAS 256

TlApplication *
tl_application_new (GApplicationFlags flags)
{
  mallopt (M_ARENA_MAX, MAX_ARENAS);
  return g_object_new (
      TL_TYPE_APPLICATION, "application-id", TL_APPLICATION_ID, "flags",
      flags | G_APPLICATION_HANDLES_OPEN | G_APPLICATION_HANDLES_COMMAND_LINE,
      NULL);
}

void
tl_application_remember (TlApplication *self)
{
  g_autoptr (GAction) offer = NULL;

  tl_settings_open (g_application_get_dbus_connection (G_APPLICATION (self))
                    != NULL);
  tl_remember_actions (G_ACTION_GROUP (self));
  if (tl_settings_get () == NULL)
    return;
  g_settings_bind (tl_settings_get (), "offer-recipe", self->last_recipe,
                   "is-active", G_SETTINGS_BIND_GET);
  offer = g_settings_create_action (tl_settings_get (), "offer-recipe");
  g_action_map_add_action (G_ACTION_MAP (self), offer);
}

/* Not by g_application_quit(), which drops what the widgets do last, and with
 * it their references: the session would not be freed, and an export not
 * ended. */
void
tl_application_end (TlApplication *self)
{
  GList *windows;

  if (self->window != NULL)
    tl_remember_size (GTK_WINDOW (self->window));
  while ((windows = gtk_application_get_windows (GTK_APPLICATION (self)))
         != NULL)
    gtk_window_destroy (windows->data);
}

TlSession *
tl_application_get_session (TlApplication *self)
{
  return self->session;
}

TlView *
tl_application_get_view (TlApplication *self)
{
  return self->view;
}

TlWindow *
tl_application_get_window (TlApplication *self)
{
  return self->window;
}
