/* The window: its parts, and what they show of session and view. */
#include "ui/window/window.h"

#include "ui/actions/actions.h"
#include "ui/chooser/angles-window.h"
#include "ui/chooser/chooser-window.h"
#include "ui/chooser/files-window.h"
#include "ui/chooser/raw-window.h"
#include "ui/dialogs/dialogs.h"
#include "ui/view/folding-box.h"
#include "ui/view/widget.h"
#include "ui/help/help-window.h"
#include "ui/welcome/demonstration.h"
#include "ui/window/history-popover.h"
#include "ui/window/pages.h"
#include "ui/window/preferences.h"
#include "ui/window/remember.h"
#include "ui/desktop/recent.h"
#include "ui/panel/settings-panel.h"
#include "ui/window/shortcuts.h"
#include "ui/growth/address-window.h"
#include "ui/growth/growth-bar.h"
#include "ui/window/status-line.h"

#include <glib/gi18n.h>
#include <math.h>

#define ZOOM_STEP 1.5
#define TOAST_S 7    /* long enough to read a sentence with a path */
#define MIN_DRAG 1.0 /* widget units: a click may move the pointer less */

struct _TlWindow
{
  GtkApplicationWindow parent_instance;

  TlView *view;
  TlSession *session; /* the view's */
  TlLastRecipe *last_recipe;

  TlHelpWindow *help_window;       /* (nullable) weak: GTK's */
  GtkWindow *close_dialog;         /* (nullable) weak: GTK's */
  TlChooserWindow *chooser_window; /* (nullable) weak: GTK's */
  TlFilesWindow *files_window;     /* (nullable) weak: GTK's */
  TlAddressWindow *address_window; /* (nullable) weak: GTK's */
  TlAnglesWindow *angles_window;   /* (nullable) weak: GTK's */
  TlRawWindow *raw_window;         /* (nullable) weak: GTK's */
  TlPreferences *preferences;      /* (nullable) weak: GTK's */

  TlPages *pages;
  TlSettingsPanel *panel;
  GtkInfoBar *banner, *offer_bar;
  GtkWidget *angles_button, *files_button, *choose_button, *raw_button;
  GtkLabel *banner_label, *offer_label, *title_label, *subtitle_label;
  GtkSpinner *spinner;
  GtkRevealer *caption_revealer;
  GtkLabel *caption_label;
  GtkRevealer *toast_revealer;
  GtkLabel *toast_label;
  GtkWidget *toast_undo_button;
  GtkMenuButton *recent_button, *history_button, *measured_button;
  TlHistoryPopover *history_popover;
  GtkRevealer *export_revealer;
  GtkProgressBar *export_progress;
  TlGrowthBar *growth_bar;
  TlStatusLine *status_line;

  guint toast_id;      /* source that hides the toast; 0: none */
  guint step;          /* of the history, when the button was pressed */
  gboolean is_dragged; /* a control, with the button held */
};

G_DEFINE_FINAL_TYPE (TlWindow, tl_window, GTK_TYPE_APPLICATION_WINDOW)

/* --- contents of the window --- */

/* Returns: (transfer full): also which scan or dataset of the file it is */
static char *
name_scan (TlWindow *self, const char *path)
{
  const char *inside =
      tl_parameters_get_recipe (self->session->parameters)->data_path;
  g_autofree char *name = g_path_get_basename (path);

  return g_strconcat (name, inside != NULL ? ":" : NULL, inside, NULL);
}

static void
update_scan (TlWindow *self)
{
  g_autofree char *path = NULL;
  g_autofree char *name = NULL;

  g_object_get (self->session->source, "path", &path, NULL);
  if (path == NULL)
    return;
  name = name_scan (self, path);
  gtk_label_set_text (self->title_label, name);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->title_label), path);
  /* window managers show this title in their lists */
  gtk_window_set_title (GTK_WINDOW (self), name);
}

/* The title names scan and picture; its tooltip has the path. */
static void
update_subtitle (TlWindow *self)
{
  TlParameters *parameters = self->session->parameters;
  g_autofree char *text = NULL;

  gtk_widget_set_visible (GTK_WIDGET (self->subtitle_label),
                          tl_scan_source_is_open (self->session->source));
  text = g_strdup_printf (
      tl_growth_get_state (self->session->growth) == TL_GROWTH_GROWING
              && !tl_growth_get_news (self->session->growth)->has_later
          /* translators: of a scan that is being taken */
          ? _ ("live · slice %u · centre %.*f")
          : _ ("slice %u · centre %.*f"),
      tl_parameters_get_slice (parameters),
      (int)tl_parameters_get_centre_digits (parameters),
      tl_parameters_get_centre (parameters));
  gtk_label_set_text (self->subtitle_label, text);
}

/* Returns: whether the page of the export is shown, and a row says @text */
static gboolean
is_on_export_page (TlWindow *self, const char *text)
{
  GListModel *runs = tl_exporter_get_runs (self->session->exporter);
  gboolean is_there = FALSE;

  if (tl_display_get_page (self->session->display) != TL_PAGE_EXPORT)
    return FALSE;
  for (guint k = 0; k < g_list_model_get_n_items (runs) && !is_there; k++)
    {
      g_autoptr (TlExportRun) run = g_list_model_get_item (runs, k);
      g_autofree char *status = NULL;

      g_object_get (run, "status", &status, NULL);
      is_there = strstr (status, text) != NULL;
    }
  return is_there;
}

static void
update_banner (TlWindow *self)
{
  g_autofree char *message = NULL;
  const char *problem = tl_view_get_problem (self->view);

  g_object_get (self->session->messages, "message", &message, NULL);
  if (message != NULL && !is_on_export_page (self, message))
    problem = message;
  gtk_info_bar_set_revealed (self->banner, problem != NULL);
  if (problem != NULL) /* keep the text while the bar slides away */
    gtk_label_set_text (self->banner_label, problem);
}

/* Gives the focus to the picture, so that the keys that follow are for it. The
 * fields of the export keep it: they are all that its page has. */
static void
leave_field (TlWindow *self)
{
  if (tl_display_get_page (self->session->display) != TL_PAGE_EXPORT)
    tl_pages_take_focus (self->pages);
}

static void
update_offer (TlWindow *self)
{
  g_autofree char *offer = NULL;

  g_object_get (self->last_recipe, "offer", &offer, NULL);
  gtk_info_bar_set_revealed (self->offer_bar, offer != NULL);
  if (offer != NULL) /* keep the text while the bar slides away */
    gtk_label_set_text (self->offer_label, offer);
}

static void
on_offer_response (TlWindow *self, int response)
{
  if (response == GTK_RESPONSE_ACCEPT)
    tl_last_recipe_take (self->last_recipe);
  else
    tl_last_recipe_dismiss (self->last_recipe);
  leave_field (self);
}

static void
update_caption (TlWindow *self)
{
  g_autofree char *caption = NULL;

  g_object_get (self->session->display, "caption", &caption, NULL);
  gtk_revealer_set_reveal_child (self->caption_revealer, caption != NULL);
  if (caption != NULL) /* keep the text while the bar slides away */
    gtk_label_set_text (self->caption_label, caption);
}

static void
update_export_text (TlWindow *self)
{
  g_autofree char *text = tl_exporter_dup_progress (self->session->exporter);

  gtk_progress_bar_set_text (self->export_progress, text);
}

static gboolean
is_exporting (TlWindow *self)
{
  gboolean exporting;

  g_object_get (self->session->exporter, "running", &exporting, NULL);
  return exporting;
}

/* The page of the export shows the progress in its rows. There the bar would
 * only move the buttons away from the pointer. */
static void
update_export_bar (TlWindow *self)
{
  gtk_revealer_set_reveal_child (
      self->export_revealer,
      is_exporting (self)
          && tl_display_get_page (self->session->display) != TL_PAGE_EXPORT);
}

/* An export that ends by itself answers the question whether to stop it. The
 * window stays if it has to say what went wrong. */
static void
update_close_dialog (TlWindow *self)
{
  g_autofree char *message = NULL;

  if (self->close_dialog == NULL || is_exporting (self))
    return;
  g_object_get (self->session->messages, "message", &message, NULL);
  gtk_dialog_response (GTK_DIALOG (self->close_dialog),
                       message == NULL ? GTK_RESPONSE_ACCEPT
                                       : GTK_RESPONSE_CANCEL);
}

static gboolean
hide_toast (gpointer data)
{
  TlWindow *self = data;

  self->toast_id = 0;
  tl_messages_clear_notice (self->session->messages);
  return G_SOURCE_REMOVE;
}

/* The toast lies on the picture. It would cover text of the export's page,
 * which has a place of its own for the notice. */
static void
place_toast (TlWindow *self)
{
  gboolean is_shown = self->toast_id != 0;
  gboolean is_on_page =
      tl_display_get_page (self->session->display) == TL_PAGE_EXPORT;

  gtk_revealer_set_reveal_child (self->toast_revealer, is_shown && !is_on_page);
  if (is_on_page)
    tl_export_page_show_notice (
        tl_pages_get_export_page (self->pages),
        is_shown ? gtk_label_get_text (self->toast_label) : NULL);
}

/* What the toast tells of can be undone there until something else is changed.
 * Only then does it take clicks from the picture. */
static void
update_toast_undo (TlWindow *self)
{
  const guint step = tl_messages_get_step (self->session->messages);
  const gboolean can_undo =
      step > 0
      && step
             == tl_history_get_present (
                 tl_parameters_get_history (self->session->parameters));

  gtk_widget_set_visible (self->toast_undo_button, can_undo);
  gtk_widget_set_can_target (GTK_WIDGET (self->toast_revealer), can_undo);
}

static void
update_toast (TlWindow *self)
{
  g_autofree char *notice = NULL;

  g_object_get (self->session->messages, "notice", &notice, NULL);
  g_clear_handle_id (&self->toast_id, g_source_remove);
  if (notice != NULL && !is_on_export_page (self, notice))
    { /* otherwise the text is kept while the revealer hides it */
      gtk_label_set_text (self->toast_label, notice);
      self->toast_id = g_timeout_add_seconds (TOAST_S, hide_toast, self);
    }
  update_toast_undo (self);
  place_toast (self);
}

/* The button of the menu has the name of the picture that the menu chose. */
static void
update_picture (TlWindow *self)
{
  static const char *const names[TL_N_PICTURES] = {
    [TL_PICTURE_SLICE] = N_ ("Data"),
    [TL_PICTURE_SINOGRAM] = N_ ("Sinogram"),
    [TL_PICTURE_PROJECTION] = N_ ("Projection"),
    [TL_PICTURE_OVERLAY] = N_ ("Overlay"),
    [TL_PICTURE_PLANES] = N_ ("Data"),
  };
  TlPicture picture = tl_display_get_picture (self->session->display);

  gtk_menu_button_set_label (self->measured_button, _ (names[picture]));
  tl_widget_set_class (self->measured_button, "chosen",
                       picture != TL_PICTURE_SLICE
                           && picture != TL_PICTURE_PLANES);
}

static void
fill_recent (GtkMenuButton *button, gpointer data)
{
  g_autoptr (GMenu) menu = g_menu_new ();
  g_autoptr (GMenu) recent = tl_recent_build_menu ();
  g_autoptr (GMenu) others = g_menu_new ();

  g_menu_append (others, _ ("Open _Folder…"), "win.open-folder-dialog");
  g_menu_append (others, _ ("Ope_n Address…"), "win.open-address");
  g_menu_append_section (menu, NULL, G_MENU_MODEL (recent));
  g_menu_append_section (menu, NULL, G_MENU_MODEL (others));
  gtk_menu_button_set_menu_model (button, G_MENU_MODEL (menu));
}

/* --- drags of controls, each one step of the history --- */

/* A press alone may change a control; GtkScale also changes on a long press. */
static void
on_drag_begin (TlWindow *self)
{
  self->step = tl_history_get_present (
      tl_parameters_get_history (self->session->parameters));
}

/* The drag begins with the first motion. Clicks are no drags: repeated clicks
 * on a button are merged into one step elsewhere. */
static void
on_drag_update (TlWindow *self, double x, double y)
{
  if (self->is_dragged || (fabs (x) < MIN_DRAG && fabs (y) < MIN_DRAG))
    return;
  self->is_dragged = TRUE;
  tl_history_begin_drag (tl_parameters_get_history (self->session->parameters),
                         self->step);
}

/* Also called when the control loses its grab of the pointer. */
static void
on_drag_end (TlWindow *self)
{
  if (self->is_dragged)
    tl_history_end_drag (tl_parameters_get_history (self->session->parameters));
  self->is_dragged = FALSE;
}

static void
add_drag (TlWindow *self)
{
  GtkGesture *drag = gtk_gesture_drag_new ();

  /* in the capture phase: before the control handles the motion */
  gtk_event_controller_set_propagation_phase (GTK_EVENT_CONTROLLER (drag),
                                              GTK_PHASE_CAPTURE);
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (drag), 0);
  g_signal_connect_swapped (drag, "drag-begin", G_CALLBACK (on_drag_begin),
                            self);
  g_signal_connect_swapped (drag, "drag-update", G_CALLBACK (on_drag_update),
                            self);
  g_signal_connect_swapped (drag, "end", G_CALLBACK (on_drag_end), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drag));
}

/* --- files or an address dropped, as from the command line --- */

static gboolean
on_drop (GtkWindow *window, const GValue *value)
{
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_object_unref);

  if (G_VALUE_HOLDS_STRING (value))
    {
      g_autofree char *name = g_strstrip (g_value_dup_string (value));

      if (*name != '\0')
        g_ptr_array_add (files, g_file_new_for_commandline_arg (name));
    }
  else
    for (GSList *file = g_value_get_boxed (value); file != NULL;
         file = file->next)
      g_ptr_array_add (files, g_object_ref (file->data));
  if (files->len > 0)
    g_application_open (G_APPLICATION (gtk_window_get_application (window)),
                        (GFile **)files->pdata, (int)files->len, "");
  return files->len > 0;
}

static void
add_drop (TlWindow *self)
{
  GType types[] = { GDK_TYPE_FILE_LIST, G_TYPE_STRING };
  GtkDropTarget *drop = gtk_drop_target_new (G_TYPE_INVALID, GDK_ACTION_COPY);

  gtk_drop_target_set_gtypes (drop, types, G_N_ELEMENTS (types));
  g_signal_connect_swapped (drop, "drop", G_CALLBACK (on_drop), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drop));
}

/* --- actions --- */

static void
zoom_in (TlWindow *self)
{
  tl_pages_zoom (self->pages, ZOOM_STEP);
}

static void
zoom_out (TlWindow *self)
{
  tl_pages_zoom (self->pages, 1 / ZOOM_STEP);
}

static void
open_dialog (TlWindow *self)
{
  tl_dialog_open (GTK_WINDOW (self), FALSE);
}

static void
open_folder_dialog (TlWindow *self)
{
  tl_dialog_open (GTK_WINDOW (self), TRUE);
}

/* Begins to record, or ends it. */
static void
record (TlWindow *self)
{
  TlSession *session = tl_view_get_session (self->view);

  if (tl_growth_get_record_folder (session->growth) == NULL)
    tl_dialog_record (GTK_WINDOW (self));
  else
    gtk_widget_activate_action (GTK_WIDGET (self), "app.record-to", "s", "");
}

/* GTK leaks a popover that is open when a modal window appears or the focus
 * goes to another page, and with it the whole window, so the lists are closed
 * first.
 */
static void
close_lists (TlWindow *self)
{
  gtk_menu_button_popdown (self->history_button);
  gtk_menu_button_popdown (self->recent_button);
}

static void
show_page (TlWindow *self, const char *page)
{
  if (self->help_window == NULL)
    g_set_weak_pointer (&self->help_window, tl_help_window_new ());
  tl_help_window_go (self->help_window, page);
  gtk_window_present (GTK_WINDOW (self->help_window));
}

/* Shows the help on the widget with the focus. @window: a TlWindow, or a dialog
 * of one */
static void
help (GtkWindow *window)
{
  TlWindow *self = TL_WINDOW (
      TL_IS_WINDOW (window) ? window : gtk_window_get_transient_for (window));
  GtkWidget *focus = gtk_window_get_focus (window);

  show_page (self,
             tl_help_find_page (focus != NULL ? focus : GTK_WIDGET (window),
                                self->session));
}

/* The banner shows a sentence of the session, or else why there is no picture,
 * which is OpenGL's. */
static void
on_banner_help (TlWindow *self)
{
  const char *shown = gtk_label_get_text (self->banner_label);

  show_page (self,
             g_strcmp0 (shown, tl_view_get_problem (self->view)) == 0
                 ? "machine"
                 : tl_help_find_error_page (
                     gtk_window_get_focus (GTK_WINDOW (self)), self->session));
}

static void
show_named_page (TlWindow *self, GVariant *page)
{
  show_page (self, g_variant_get_string (page, NULL));
}

static void
add_help_page (TlWindow *self)
{
  g_autoptr (GSimpleAction) action =
      g_simple_action_new ("help-page", G_VARIANT_TYPE_STRING);

  g_signal_connect_swapped (action, "activate", G_CALLBACK (show_named_page),
                            self);
  g_action_map_add_action (G_ACTION_MAP (self), G_ACTION (action));
}

static void
open_demonstration (TlWindow *self)
{
  tl_demonstration_open (GTK_WINDOW (self), self->session);
}

static gboolean
on_help_key (GtkWidget *dialog, GVariant *unused, gpointer data)
{
  help (GTK_WINDOW (dialog));
  return TRUE;
}

/* Handles a key that means something else to GTK. */
static gboolean
do_nothing (GtkWidget *dialog, GVariant *unused, gpointer data)
{
  return TRUE;
}

/* F1 works in a dialog, too. The key that chooses a dataset would start GTK's
 * inspector there. Returns: @dialog */
static gpointer
add_keys (gpointer dialog)
{
  const struct
  {
    const char *key;
    GtkShortcutFunc function;
  } keys[] = { { "F1", on_help_key }, { "<Control><Shift>d", do_nothing } };
  GtkEventController *controller = gtk_shortcut_controller_new ();

  gtk_event_controller_set_propagation_phase (controller, GTK_PHASE_CAPTURE);
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    gtk_shortcut_controller_add_shortcut (
        GTK_SHORTCUT_CONTROLLER (controller),
        gtk_shortcut_new (
            gtk_shortcut_trigger_parse_string (keys[i].key),
            gtk_callback_action_new (keys[i].function, NULL, NULL)));
  gtk_widget_add_controller (dialog, controller);
  return dialog;
}

static void
choose (TlWindow *self)
{
  close_lists (self);
  if (self->chooser_window == NULL)
    g_set_weak_pointer (&self->chooser_window,
                        add_keys (tl_chooser_window_new (
                            GTK_WINDOW (self), self->session->chooser)));
  tl_chooser_window_show (self->chooser_window);
}

static void
list_files (TlWindow *self)
{
  close_lists (self);
  if (self->files_window == NULL)
    g_set_weak_pointer (
        &self->files_window,
        add_keys (tl_files_window_new (GTK_WINDOW (self), self->session)));
  tl_files_window_show (self->files_window);
}

static void
open_address (TlWindow *self)
{
  close_lists (self);
  if (self->address_window == NULL)
    g_set_weak_pointer (
        &self->address_window,
        add_keys (tl_address_window_new (GTK_WINDOW (self), self->session)));
  tl_address_window_show (self->address_window);
}

static void
ask_angles (TlWindow *self)
{
  close_lists (self);
  if (self->angles_window == NULL)
    g_set_weak_pointer (
        &self->angles_window,
        add_keys (tl_angles_window_new (GTK_WINDOW (self), self->session)));
  tl_angles_window_show (self->angles_window);
}

static void
describe_raw (TlWindow *self)
{
  close_lists (self);
  if (self->raw_window == NULL)
    g_set_weak_pointer (
        &self->raw_window,
        add_keys (tl_raw_window_new (GTK_WINDOW (self), self->session)));
  tl_raw_window_show (self->raw_window);
}

/* Returns from another page, the planes, the overlay, the differences or the
 * comparison to the slice; if the slice is shown, closes a message. In a text
 * beside the picture the key only leaves that. */
static void
back (TlWindow *self)
{
  TlDisplay *display = self->session->display;
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (self));
  const gboolean is_beside =
      focus != NULL
      && !gtk_widget_is_ancestor (focus, GTK_WIDGET (self->pages));

  if (is_beside)
    leave_field (self);
  if (is_beside && GTK_IS_TEXT (focus))
    return;
  if (tl_scan_source_is_opening (self->session->source))
    tl_session_stop_opening (self->session);
  else if (tl_display_get_page (display) != TL_PAGE_PICTURE)
    tl_display_set_page (display, TL_PAGE_PICTURE);
  else if (tl_slice_comparison_get_shown_mode (self->session->comparison)
           != TL_COMPARE_OFF)
    tl_slice_comparison_set_mode (self->session->comparison, TL_COMPARE_OFF);
  else if (tl_display_get_picture (display) == TL_PICTURE_OVERLAY
           || tl_display_get_picture (display) == TL_PICTURE_PLANES)
    tl_display_set_picture (display, TL_PICTURE_SLICE);
  else if (tl_display_get_precision_cost (display))
    tl_display_set_precision_cost (display, FALSE);
  else
    gtk_widget_activate_action (GTK_WIDGET (self), "app.dismiss", NULL);
}

/* Shows the page, or returns from it to the slice. */
static void
change_export_page (TlWindow *self, GVariant *shown)
{
  close_lists (self);
  tl_display_set_page (self->session->display, g_variant_get_boolean (shown)
                                                   ? TL_PAGE_EXPORT
                                                   : TL_PAGE_PICTURE);
}

/* What was refused on the page is no news beside the picture. */
static void
update_export_page (TlWindow *self)
{
  GAction *action =
      g_action_map_lookup_action (G_ACTION_MAP (self), "export-page");
  g_autoptr (GVariant) was_shown = g_action_get_state (action);
  const gboolean is_shown =
      tl_display_get_page (self->session->display) == TL_PAGE_EXPORT;

  g_simple_action_set_state (G_SIMPLE_ACTION (action),
                             g_variant_new_boolean (is_shown));
  if (g_variant_get_boolean (was_shown) && !is_shown)
    tl_exporter_withdraw_refusal (self->session->exporter);
}

static void
add_export_page (TlWindow *self)
{
  g_autoptr (GSimpleAction) action = g_simple_action_new_stateful (
      "export-page", NULL, g_variant_new_boolean (FALSE));

  g_signal_connect_swapped (action, "change-state",
                            G_CALLBACK (change_export_page), self);
  g_action_map_add_action (G_ACTION_MAP (self), G_ACTION (action));
}

static void
show_preferences (TlWindow *self)
{
  close_lists (self);
  if (self->preferences == NULL)
    g_set_weak_pointer (
        &self->preferences,
        add_keys (tl_preferences_new (
            GTK_WINDOW (self),
            G_ACTION_GROUP (gtk_window_get_application (GTK_WINDOW (self))),
            self->last_recipe)));
  gtk_window_present (GTK_WINDOW (self->preferences));
}

static void
about_machine (TlWindow *self)
{
  tl_dialog_machine (GTK_WINDOW (self), self->view);
}

static void
update_enabled (TlWindow *self)
{
  static const char *const of_scan[] = { "save-recipe", "export-page",
                                         "history",     "zoom-in",
                                         "zoom-out",    "fit" };
  gboolean open = tl_scan_source_is_open (self->session->source);

  for (guint i = 0; i < G_N_ELEMENTS (of_scan); i++)
    g_simple_action_set_enabled (G_SIMPLE_ACTION (g_action_map_lookup_action (
                                     G_ACTION_MAP (self), of_scan[i])),
                                 open);
  g_simple_action_set_enabled (G_SIMPLE_ACTION (g_action_map_lookup_action (
                                   G_ACTION_MAP (self), "choose")),
                               tl_session_can_choose (self->session));
  g_simple_action_set_enabled (G_SIMPLE_ACTION (g_action_map_lookup_action (
                                   G_ACTION_MAP (self), "files")),
                               tl_session_can_list_files (self->session));
  g_simple_action_set_enabled (
      G_SIMPLE_ACTION (g_action_map_lookup_action (G_ACTION_MAP (self), "raw")),
      tl_session_can_describe_raw (self->session));
  gtk_widget_set_sensitive (GTK_WIDGET (self->history_button), open);
  gtk_widget_set_sensitive (GTK_WIDGET (self->panel), open);
}

/* What the user may say so that a scan can be opened. */
static void
update_asked (TlWindow *self)
{
  guint asks;

  g_object_get (self->session->messages, "asks", &asks, NULL);
  gtk_widget_set_visible (self->angles_button, (asks & TL_ASKS_ANGLES) != 0);
  gtk_widget_set_visible (self->files_button, (asks & TL_ASKS_FILES) != 0);
  gtk_widget_set_visible (self->choose_button, (asks & TL_ASKS_PLACES) != 0);
  gtk_widget_set_visible (self->raw_button, (asks & TL_ASKS_RAW) != 0);
  update_enabled (self);
}

/* --- the window --- */

/* @window: any, also one that is hidden */
static gboolean
is_dialog (TlWindow *self, GtkWindow *window)
{
  return gtk_widget_get_visible (GTK_WIDGET (window))
         && gtk_window_get_transient_for (window) == GTK_WINDOW (self);
}

/* When a dialog ends, GTK gives the focus back to what had it before. */
static void
on_active (TlWindow *self)
{
  GListModel *windows = gtk_window_get_toplevels ();

  if (gtk_window_is_active (GTK_WINDOW (self)))
    return;
  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GtkWindow) window = g_list_model_get_item (windows, i);

      if (is_dialog (self, window))
        leave_field (self);
    }
}

static void
on_banner_response (TlWindow *self)
{
  gtk_widget_activate_action (GTK_WIDGET (self), "app.dismiss", NULL);
}

/* Asks before closing during an export, which may have run for an hour. */
static gboolean
tl_window_close_request (GtkWindow *window)
{
  TlWindow *self = TL_WINDOW (window);

  tl_remember_size (window);
  if (!is_exporting (self))
    return GTK_WINDOW_CLASS (tl_window_parent_class)->close_request (window);
  close_lists (self);
  if (self->close_dialog == NULL)
    g_set_weak_pointer (&self->close_dialog, tl_dialog_close (window));
  gtk_window_present (self->close_dialog);
  return TRUE;
}

static void
tl_window_dispose (GObject *object)
{
  TlWindow *self = TL_WINDOW (object);

  /* losing the focus makes a field apply its text, which needs the session */
  gtk_window_set_focus (GTK_WINDOW (self), NULL);
  g_clear_weak_pointer (&self->close_dialog);
  if (self->help_window != NULL)
    gtk_window_destroy (GTK_WINDOW (self->help_window));
  g_clear_weak_pointer (&self->help_window);
  g_clear_weak_pointer (&self->chooser_window);
  g_clear_weak_pointer (&self->files_window);
  g_clear_weak_pointer (&self->address_window);
  g_clear_weak_pointer (&self->angles_window);
  g_clear_weak_pointer (&self->raw_window);
  g_clear_weak_pointer (&self->preferences);
  g_clear_handle_id (&self->toast_id, g_source_remove);
  G_OBJECT_CLASS (tl_window_parent_class)->dispose (object);
}

static void
tl_window_class_init (TlWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = tl_window_dispose;
  GTK_WINDOW_CLASS (klass)->close_request = tl_window_close_request;
  g_type_ensure (TL_TYPE_HISTORY_POPOVER);
  g_type_ensure (TL_TYPE_PAGES);
  g_type_ensure (TL_TYPE_SETTINGS_PANEL);
  g_type_ensure (TL_TYPE_GROWTH_BAR);
  g_type_ensure (TL_TYPE_STATUS_LINE);
  g_type_ensure (TL_TYPE_FOLDING_BOX);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/org/tomolens/Tomolens/window.ui");
#define BIND(name)                                                             \
  gtk_widget_class_bind_template_child (widget_class, TlWindow, name)
  BIND (pages);
  BIND (panel);
  BIND (banner);
  BIND (angles_button);
  BIND (files_button);
  BIND (choose_button);
  BIND (raw_button);
  BIND (banner_label);
  BIND (offer_bar);
  BIND (offer_label);
  BIND (title_label);
  BIND (subtitle_label);
  BIND (spinner);
  BIND (caption_revealer);
  BIND (caption_label);
  BIND (toast_revealer);
  BIND (toast_label);
  BIND (toast_undo_button);
  BIND (recent_button);
  BIND (measured_button);
  BIND (history_button);
  BIND (history_popover);
  BIND (export_revealer);
  BIND (export_progress);
  BIND (growth_bar);
  BIND (status_line);
#undef BIND
  gtk_widget_class_bind_template_callback (widget_class, on_banner_help);
  gtk_widget_class_bind_template_callback (widget_class, on_banner_response);
  gtk_widget_class_bind_template_callback (widget_class, on_offer_response);
}

static void
tl_window_init (TlWindow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  const struct
  {
    const char *name;
    GCallback function;
    gpointer object;
  } calls[] = {
    { "zoom-in", G_CALLBACK (zoom_in), self },
    { "zoom-out", G_CALLBACK (zoom_out), self },
    { "fit", G_CALLBACK (tl_pages_fit), self->pages },
    { "open-dialog", G_CALLBACK (open_dialog), self },
    { "open-folder-dialog", G_CALLBACK (open_folder_dialog), self },
    { "open-address", G_CALLBACK (open_address), self },
    { "files", G_CALLBACK (list_files), self },
    { "angles", G_CALLBACK (ask_angles), self },
    { "raw", G_CALLBACK (describe_raw), self },
    { "save-recipe", G_CALLBACK (tl_dialog_save_recipe), self },
    { "record", G_CALLBACK (record), self },
    { "demonstration", G_CALLBACK (open_demonstration), self },
    { "recent", G_CALLBACK (gtk_menu_button_popup), self->recent_button },
    { "history", G_CALLBACK (gtk_menu_button_popup), self->history_button },
    { "back", G_CALLBACK (back), self },
    { "leave-field", G_CALLBACK (leave_field), self },
    { "help", G_CALLBACK (help), self },
    { "shortcuts", G_CALLBACK (tl_shortcuts_show), self },
    { "preferences", G_CALLBACK (show_preferences), self },
    { "about", G_CALLBACK (tl_dialog_about), self },
    { "about-machine", G_CALLBACK (about_machine), self },
  };

  for (guint i = 0; i < G_N_ELEMENTS (calls); i++)
    tl_add_call (G_ACTION_MAP (self), calls[i].name, calls[i].function,
                 calls[i].object);
  add_export_page (self);
  add_help_page (self);
  tl_shortcuts_attach (GTK_WINDOW (self), GTK_WIDGET (self->panel),
                       GTK_WIDGET (self->pages));
  tl_follow (self, "is-active", G_CALLBACK (on_active), self);
  add_drag (self);
  add_drop (self);
  gtk_menu_button_set_create_popup_func (self->recent_button, fill_recent, NULL,
                                         NULL);
}

TlWindow *
tl_window_new (GtkApplication *application, TlMeasure *measure,
               TlCompare *compare, TlLastRecipe *last_recipe)
{
  TlWindow *self =
      g_object_new (TL_TYPE_WINDOW, "application", application, NULL);
  TlView *view = tl_measure_get_view (measure);
  TlSession *session = tl_view_get_session (view);
  TlExporter *exporter = session->exporter;
  TlScanSource *source = session->source;

  self->view = tl_keep (self, view);
  self->session = session;
  self->last_recipe = tl_keep (self, last_recipe);
  tl_pages_bind (self->pages, measure, compare, G_ACTION_GROUP (application));
  tl_keep_actions_add (GTK_WINDOW (self), (TlGetShown)tl_pages_get_shown,
                       self->pages, measure);
  tl_growth_bar_bind (self->growth_bar, session);
  tl_status_line_bind (self->status_line, view);
  tl_settings_panel_bind (self->panel, measure, G_ACTION_GROUP (application));
  tl_history_popover_bind (self->history_popover, G_ACTION_GROUP (application));
  tl_add_call (G_ACTION_MAP (self), "choose", G_CALLBACK (tl_session_choose),
               session);
  g_signal_connect_object (session->chooser, "asked", G_CALLBACK (choose), self,
                           G_CONNECT_SWAPPED);
  tl_follow (source, "path", G_CALLBACK (update_scan), self);
  tl_follow (source, "summary", G_CALLBACK (update_subtitle), self);
  tl_follow (session->parameters, "recipe", G_CALLBACK (update_subtitle), self);
  tl_follow (session->growth, "state news", G_CALLBACK (update_subtitle), self);
  tl_follow (session->messages, "message", G_CALLBACK (update_banner), self);
  tl_follow (last_recipe, "offer", G_CALLBACK (update_offer), self);
  tl_follow (view, "problem", G_CALLBACK (update_banner), self);
  tl_follow (session->display, "caption", G_CALLBACK (update_caption), self);
  tl_follow (session->messages, "notice", G_CALLBACK (update_toast), self);
  tl_follow (session->parameters, "recipe", G_CALLBACK (update_toast_undo),
             self);
  /* the notice may be about what the clipboard had */
  g_signal_connect_object (gtk_widget_get_clipboard (GTK_WIDGET (self)),
                           "changed", G_CALLBACK (tl_messages_clear_notice),
                           session->messages, G_CONNECT_SWAPPED);
  tl_follow (session->display, "picture", G_CALLBACK (update_picture), self);
  tl_follow (session->display, "picture", G_CALLBACK (update_export_page),
             self);
  tl_follow (session->display, "picture", G_CALLBACK (update_banner), self);
  tl_follow (session->display, "picture", G_CALLBACK (place_toast), self);
  tl_follow (session->messages, "asks", G_CALLBACK (update_asked), self);
  g_object_bind_property (session->requests, "awaited", self->spinner,
                          "spinning", G_BINDING_DEFAULT);
  g_object_bind_property (exporter, "progress", self->export_progress,
                          "fraction", G_BINDING_DEFAULT);
  tl_follow (exporter, "running", G_CALLBACK (update_export_bar), self);
  tl_follow (session->display, "picture", G_CALLBACK (update_export_bar), self);
  tl_follow (exporter, "running", G_CALLBACK (update_close_dialog), self);
  tl_follow (exporter, "progress running", G_CALLBACK (update_export_text),
             self);
  tl_follow (exporter, "running", G_CALLBACK (update_enabled), self);
  tl_follow (source, "summary", G_CALLBACK (update_enabled), self);
  update_scan (self);
  update_subtitle (self);
  update_banner (self);
  update_picture (self);
  update_toast (self);
  update_enabled (self);
  tl_shortcuts_add_to_tooltips (GTK_WIDGET (self));
  tl_remember_window (GTK_WINDOW (self), GTK_WIDGET (self->panel));
  return self;
}

TlSliceView *
tl_window_get_slice_view (TlWindow *self)
{
  return tl_pages_get_slice_view (self->pages);
}

const char *
tl_window_get_banner (TlWindow *self)
{
  return gtk_info_bar_get_revealed (self->banner)
             ? gtk_label_get_text (self->banner_label)
             : NULL;
}
