#include "ui/dialogs/dialogs.h"

#include "app/planes/planes.h"
#include "ui/desktop/settings.h"
#include "ui/dialogs/file-chooser.h"

#include <glib/gi18n.h>

#define MARGIN 24 /* around a message */

/* GtkNativeDialog needs a reference of ours until its response. */
static void
on_response (GtkNativeDialog *dialog, int response, const char *action)
{
  GtkWindow *parent = gtk_native_dialog_get_transient_for (dialog);
  g_autoptr (GFile) file =
      response == GTK_RESPONSE_ACCEPT
          ? gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog))
          : NULL;
  g_autofree char *path = file != NULL ? g_file_get_path (file) : NULL;

  if (path != NULL && parent != NULL)
    gtk_widget_activate_action (GTK_WIDGET (parent), action, "s", path);
  if (path != NULL
      && gtk_file_chooser_get_action (GTK_FILE_CHOOSER (dialog))
             == GTK_FILE_CHOOSER_ACTION_SAVE)
    {
      g_autofree char *folder = g_path_get_dirname (path);

      tl_settings_set_text ("save-folder", folder);
    }
  tl_file_chooser_let_go (dialog);
}

static void
show (GtkFileChooserNative *dialog, const char *action)
{
  g_signal_connect (dialog, "response", G_CALLBACK (on_response),
                    (gpointer)action);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

/* @key: of the settings: the last folder of that kind, which may be gone */
static void
begin_in (GtkFileChooserNative *dialog, const char *key)
{
  g_autofree char *folder = tl_settings_dup_text (key);
  g_autoptr (GFile) file = g_file_new_for_path (folder);

  if (g_file_test (folder, G_FILE_TEST_IS_DIR))
    gtk_file_chooser_set_current_folder (GTK_FILE_CHOOSER (dialog), file, NULL);
}

static void
add_filter (GtkFileChooser *chooser, const char *name,
            const char *const *patterns)
{
  g_autoptr (GtkFileFilter) filter = gtk_file_filter_new ();

  gtk_file_filter_set_name (filter, name);
  for (guint i = 0; patterns[i] != NULL; i++)
    gtk_file_filter_add_pattern (filter, patterns[i]);
  gtk_file_chooser_add_filter (chooser, filter);
}

void
tl_dialog_open (GtkWindow *parent, gboolean folder)
{
#define SUFFIX(text) "*." text,
  static const char *const scans[] = {
#include "app/recipe/suffixes.def"
    NULL
  };
#undef SUFFIX
  static const char *const all[] = { "*", NULL };
  GtkFileChooserNative *dialog = tl_file_chooser_take (
      parent, folder ? _ ("Open a folder of projections") : _ ("Open a scan"),
      folder ? GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER
             : GTK_FILE_CHOOSER_ACTION_OPEN,
      _ ("_Open"));
  g_autoptr (GListModel) filters =
      gtk_file_chooser_get_filters (GTK_FILE_CHOOSER (dialog));

  if (!folder && g_list_model_get_n_items (filters) == 0)
    {
      add_filter (GTK_FILE_CHOOSER (dialog), _ ("Scans and recipes"), scans);
      add_filter (GTK_FILE_CHOOSER (dialog), _ ("All files"), all);
    }
  begin_in (dialog, "open-folder");
  show (dialog, "app.open");
}

static void
save (GtkWindow *parent, const char *title, const char *name,
      const char *action)
{
  GtkFileChooserNative *dialog = tl_file_chooser_take (
      parent, title, GTK_FILE_CHOOSER_ACTION_SAVE, _ ("_Save"));

  begin_in (dialog, "save-folder");
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), name);
  show (dialog, action);
}

void
tl_dialog_save_recipe (GtkWindow *parent)
{
  save (parent, _ ("Save the recipe"), "recipe.tomolens", "app.save-recipe-as");
}

void
tl_dialog_record (GtkWindow *parent)
{
  show (tl_file_chooser_take (parent, _ ("Record scans into a folder"),
                              GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER,
                              _ ("_Record")),
        "app.record-to");
}

/* Returns: (transfer full): such as "plane_xz_380.tiff", with the row or column
 * as tomolens-cli writes it */
static char *
suggest_plane_name (TlSession *session, const char *suffix)
{
  static const char *const panes[TL_N_PANES] = {
    [TL_PANE_XY] = "xy",
    [TL_PANE_XZ] = "xz",
    [TL_PANE_YZ] = "yz",
    [TL_PANE_OBLIQUE] = "oblique",
  };
  const TlPane pane = tl_display_get_pane (session->display);
  char position[G_ASCII_DTOSTR_BUF_SIZE];

  if (pane == TL_PANE_OBLIQUE)
    return g_strdup_printf ("plane_%s_%05u.%s", panes[pane],
                            tl_parameters_get_slice (session->parameters),
                            suffix);
  g_ascii_formatd (
      position, sizeof position, "%.6g",
      tl_aim_get_position (tl_planes_get_aim (tl_session_get_planes (session)),
                           pane));
  return g_strdup_printf ("plane_%s_%s.%s", panes[pane], position, suffix);
}

/* "sinogram_00012.png" */
static char *
suggest_name (TlSession *session, const char *suffix)
{
  TlPicture picture = tl_display_get_picture (session->display);
  guint number =
      picture == TL_PICTURE_PROJECTION || picture == TL_PICTURE_OVERLAY
          ? tl_display_get_projection (session->display)
          : tl_parameters_get_slice (session->parameters);

  if (picture == TL_PICTURE_PLANES)
    return suggest_plane_name (session, suffix);
  return g_strdup_printf ("%s_%05u.%s", tl_picture_names[picture], number,
                          suffix);
}

void
tl_dialog_save_view (GtkWindow *parent, TlSession *session)
{
  const TlPage page = tl_display_get_page (session->display);
  g_autofree char *name =
      page == TL_PAGE_AXIS     ? g_strdup ("axis.png")
      : page == TL_PAGE_VOLUME ? g_strdup ("volume.png")
      : page == TL_PAGE_CANDIDATES
          ? g_strdup_printf ("candidates_%05u.png",
                             tl_parameters_get_slice (session->parameters))
          : suggest_name (session, "png");

  save (parent, _ ("Save the view as PNG, or as SVG by the name"), name,
        "win.save-view-as");
}

void
tl_dialog_save_slice (GtkWindow *parent, TlSession *session)
{
  g_autofree char *name = suggest_name (session, "tiff");

  save (parent, _ ("Save the values of the picture"), name,
        "app.save-slice-as");
}

/* Destroys the parent in an idle callback: GTK still handles the click on the
 * dialog's button, which needs the parent. */
static gboolean
destroy_window (gpointer window)
{
  gtk_window_destroy (window);
  return G_SOURCE_REMOVE;
}

static void
on_close_response (GtkWindow *dialog, int response)
{
  GtkWindow *parent = gtk_window_get_transient_for (dialog);

  if (response == GTK_RESPONSE_ACCEPT && parent != NULL)
    g_idle_add_full (G_PRIORITY_DEFAULT, destroy_window, g_object_ref (parent),
                     g_object_unref);
  gtk_window_destroy (dialog);
}

GtkWindow *
tl_dialog_close (GtkWindow *parent)
{
  GtkWidget *dialog = gtk_message_dialog_new (
      parent, GTK_DIALOG_MODAL | GTK_DIALOG_DESTROY_WITH_PARENT,
      GTK_MESSAGE_QUESTION, GTK_BUTTONS_NONE, "%s",
      _ ("Stop the export and close?"));

  gtk_message_dialog_format_secondary_text (
      GTK_MESSAGE_DIALOG (dialog), "%s",
      _ ("The slices that are made already are kept, and the export can be "
         "resumed."));
  gtk_dialog_add_buttons (GTK_DIALOG (dialog), _ ("_Cancel"),
                          GTK_RESPONSE_CANCEL, _ ("_Stop and Close"),
                          GTK_RESPONSE_ACCEPT, NULL);
  gtk_widget_add_css_class (gtk_dialog_get_widget_for_response (
                                GTK_DIALOG (dialog), GTK_RESPONSE_ACCEPT),
                            "destructive-action");
  gtk_dialog_set_default_response (GTK_DIALOG (dialog), GTK_RESPONSE_CANCEL);
  gtk_widget_grab_focus (gtk_dialog_get_widget_for_response (
      GTK_DIALOG (dialog), GTK_RESPONSE_CANCEL));
  g_signal_connect (dialog, "response", G_CALLBACK (on_close_response), NULL);
  gtk_window_present (GTK_WINDOW (dialog));
  return GTK_WINDOW (dialog);
}

void
tl_dialog_about (GtkWindow *parent)
{
  gtk_show_about_dialog (
      parent, "program-name", "Tomolens", "version", TL_VERSION, "comments",
      _ ("Interactive parallel-beam X-ray tomography"), "license-type",
      GTK_LICENSE_GPL_3_0, "logo-icon-name", "org.tomolens.Tomolens", NULL);
}

/* Data of a pending answer of the engines; the dialog may be closed first. */
typedef struct
{
  GtkWidget *dialog; /* (nullable): weak */
  TlView *view;
} Machine;

/* @format: has one %s, for @word */
static void
append_line (GString *text, const char *format, const char *word)
{
  g_string_append_c (text, '\n');
  g_string_append_printf (text, format, word);
}

static char *
describe_machine (TlView *view, const char *engines)
{
  const TlStatus *status =
      tl_display_get_status (tl_view_get_session (view)->display);
  const char *path = tl_view_get_path (view);
  const char *renderer = tl_view_get_renderer (view);
  g_autoptr (GString) text = g_string_new (engines);

  g_strchomp (text->str);
  g_string_set_size (text, strlen (text->str));
  if (status->engine != NULL)
    append_line (g_string_append_c (text, '\n'), _ ("In use: %s"),
                 status->engine);
  if (renderer != NULL)
    append_line (text, _ ("Pictures are drawn by %s"), renderer);
  if (path != NULL)
    append_line (text, _ ("Pictures reach the window by %s"), path);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
on_machine (GObject *source, GAsyncResult *result, gpointer data)
{
  Machine *machine = data;
  g_autofree char *engines = tl_session_describe_machine_finish (
      tl_view_get_session (machine->view), result);

  if (machine->dialog != NULL)
    {
      g_autofree char *text = describe_machine (machine->view, engines);

      gtk_message_dialog_format_secondary_text (
          GTK_MESSAGE_DIALOG (machine->dialog), "%s", text);
    }
  g_clear_weak_pointer (&machine->dialog);
  g_object_unref (machine->view);
  g_free (machine);
}

/* GTK's theme gives a resizable message dialog no margin. */
static void
add_margins (GtkWidget *widget)
{
  gtk_widget_set_margin_start (widget, MARGIN);
  gtk_widget_set_margin_end (widget, MARGIN);
  gtk_widget_set_margin_top (widget, MARGIN);
  gtk_widget_set_margin_bottom (widget, MARGIN);
}

void
tl_dialog_machine (GtkWindow *parent, TlView *view)
{
  GtkWidget *dialog = gtk_message_dialog_new (
      parent, GTK_DIALOG_MODAL | GTK_DIALOG_DESTROY_WITH_PARENT,
      GTK_MESSAGE_INFO, GTK_BUTTONS_CLOSE, "%s", _ ("About this machine"));
  Machine *machine = g_new0 (Machine, 1);

  gtk_message_dialog_format_secondary_text (GTK_MESSAGE_DIALOG (dialog), "%s",
                                            _ ("Asking the engines…"));
  add_margins (
      gtk_message_dialog_get_message_area (GTK_MESSAGE_DIALOG (dialog)));
  /* the answer must fit, because a dialog may not grow without a window manager
   */
  gtk_window_set_resizable (GTK_WINDOW (dialog), TRUE);
  gtk_window_set_default_size (GTK_WINDOW (dialog), 520, 400);
  g_signal_connect (dialog, "response", G_CALLBACK (gtk_window_destroy), NULL);
  gtk_window_present (GTK_WINDOW (dialog));
  g_set_weak_pointer (&machine->dialog, dialog);
  machine->view = g_object_ref (view);
  tl_session_describe_machine (tl_view_get_session (view), on_machine, machine);
}
