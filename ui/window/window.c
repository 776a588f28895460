/* The window: its parts, and what they show of session and view. */
#include "ui/window/window.h"

#include "ui/actions/actions.h"
#include "ui/dialogs/dialogs.h"
#include "ui/view/widget.h"
#include "ui/window/drag-steps.h"
#include "ui/dialogs/export-dialog.h"
#include "ui/help/help-window.h"
#include "ui/window/file-drop.h"
#include "ui/window/history-popover.h"
#include "ui/window/pages.h"
#include "ui/picture/picture-menu.h"
#include "ui/desktop/recent.h"
#include "ui/panel/settings-panel.h"
#include "ui/window/shortcuts.h"
#include "ui/window/status-line.h"
#include "ui/window/toast.h"

#include <glib/gi18n.h>

#define ZOOM_STEP 1.5

struct _TlWindow
{
  GtkApplicationWindow parent_instance;

  TlView *view;
  TlSession *session; /* the view's */

  TlExportDialog *export_dialog; /* (nullable) weak: GTK's */
  TlHelpWindow *help_window;     /* (nullable) weak: GTK's */
  GtkWindow *close_dialog;       /* (nullable) weak: GTK's */

  TlPages *pages;
  TlSettingsPanel *panel;
  GtkInfoBar *banner;
  GtkLabel *banner_label, *title_label, *subtitle_label;
  GtkSpinner *spinner;
  GtkRevealer *caption_revealer;
  GtkLabel *caption_label;
  GtkButton *caption_button;
  GtkRevealer *toast_revealer;
  GtkLabel *toast_label;
  GtkMenuButton *recent_button, *history_button, *measured_button;
  TlHistoryPopover *history_popover;
  GtkRevealer *export_revealer;
  GtkProgressBar *export_progress;
  GtkButton *cancel_button;
  TlStatusLine *status_line;
};

G_DEFINE_FINAL_TYPE (TlWindow, tl_window, GTK_TYPE_APPLICATION_WINDOW)

/* -- what is shown -------------------------------------------------------- */

static void
update_scan (TlWindow *self)
{
  g_autofree char *path = NULL;
  g_autofree char *name = NULL;

  g_object_get (self->session->source, "path", &path, NULL);
  if (path == NULL)
    return;
  name = g_path_get_basename (path);
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
  text = g_strdup_printf (_ ("slice %u · centre %.*f"),
                          tl_parameters_get_slice (parameters),
                          (int)tl_parameters_get_centre_digits (parameters),
                          tl_parameters_get_centre (parameters));
  gtk_label_set_text (self->subtitle_label, text);
}

static void
update_banner (TlWindow *self)
{
  g_autofree char *message = NULL;
  const char *problem = tl_view_get_problem (self->view);

  g_object_get (self->session->messages, "message", &message, NULL);
  if (message != NULL)
    problem = message;
  gtk_info_bar_set_revealed (self->banner, problem != NULL);
  if (problem != NULL) /* keep the text while the bar slides away */
    gtk_label_set_text (self->banner_label, problem);
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
update_busy (TlWindow *self)
{
  gboolean busy;

  g_object_get (self->session->requests, "busy", &busy, NULL);
  gtk_spinner_set_spinning (self->spinner, busy);
}

static void
update_export (TlWindow *self)
{
  TlExporter *exporter = self->session->exporter;
  gboolean exporting;
  double progress;
  g_autofree char *text = tl_exporter_dup_progress (exporter);

  g_object_get (exporter, "running", &exporting, "progress", &progress, NULL);
  gtk_progress_bar_set_fraction (self->export_progress, progress);
  gtk_progress_bar_set_text (self->export_progress, text);
  gtk_revealer_set_reveal_child (self->export_revealer, exporting);
}

static void
fill_recent (GtkMenuButton *button, gpointer data)
{
  g_autoptr (GMenu) menu = tl_recent_build_menu ();

  gtk_menu_button_set_menu_model (button, G_MENU_MODEL (menu));
}

/* -- actions -------------------------------------------------------------- */

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

/* GTK leaks a popover that is open when a modal window appears, and with it the
 * whole window, so the lists are closed first. */
static void
close_lists (TlWindow *self)
{
  gtk_menu_button_popdown (self->history_button);
  gtk_menu_button_popdown (self->recent_button);
}

static void
export_dialog (TlWindow *self)
{
  close_lists (self);
  /* reuse the dialog for the same scan: it keeps the user's choices */
  if (self->export_dialog != NULL
      && !tl_export_dialog_is_for (self->export_dialog, self->session))
    {
      gtk_window_destroy (GTK_WINDOW (self->export_dialog));
      g_clear_weak_pointer (&self->export_dialog);
    }
  if (self->export_dialog == NULL)
    g_set_weak_pointer (
        &self->export_dialog,
        tl_export_dialog_new (GTK_WINDOW (self), self->session));
  tl_export_dialog_open (self->export_dialog);
}

/* Shows the help on the widget with the focus. */
static void
help (TlWindow *self)
{
  if (self->help_window == NULL)
    g_set_weak_pointer (&self->help_window, tl_help_window_new ());
  tl_help_window_go (
      self->help_window,
      tl_help_find_page (gtk_window_get_focus (GTK_WINDOW (self)),
                         self->session));
  gtk_window_present (GTK_WINDOW (self->help_window));
}

/* Returns from another page, the overlay, the differences or the comparison to
 * the slice; if the slice is shown, closes a message. */
static void
back (TlWindow *self)
{
  TlDisplay *display = self->session->display;

  if (tl_display_get_page (display) != TL_PAGE_PICTURE)
    tl_display_set_page (display, TL_PAGE_PICTURE);
  else if (tl_display_get_picture (display) == TL_PICTURE_OVERLAY)
    tl_display_set_picture (display, TL_PICTURE_SLICE);
  else if (tl_display_get_precision_cost (display))
    tl_display_set_precision_cost (display, FALSE);
  else if (tl_slice_comparison_get_shown_mode (self->session->comparison)
           != TL_COMPARE_OFF)
    tl_slice_comparison_set_mode (self->session->comparison, TL_COMPARE_OFF);
  else
    gtk_widget_activate_action (GTK_WIDGET (self), "app.dismiss", NULL);
}

static void
about_machine (TlWindow *self)
{
  tl_dialog_machine (GTK_WINDOW (self), self->view);
}

/* Some actions are disabled without a scan or during an export. */
static void
update_enabled (TlWindow *self)
{
  gboolean open = tl_scan_source_is_open (self->session->source);
  gboolean exporting;

  g_object_get (self->session->exporter, "running", &exporting, NULL);
#define ENABLE(name, value)                                                    \
  g_simple_action_set_enabled (G_SIMPLE_ACTION (g_action_map_lookup_action (   \
                                   G_ACTION_MAP (self), name)),                \
                               value)
  ENABLE ("save-recipe", open);
  ENABLE ("export-dialog", open && !exporting);
  ENABLE ("history", open);
  ENABLE ("zoom-in", open);
  ENABLE ("zoom-out", open);
  ENABLE ("fit", open);
#undef ENABLE
  gtk_widget_set_sensitive (GTK_WIDGET (self->history_button), open);
  gtk_widget_set_sensitive (GTK_WIDGET (self->panel), open);
}

/* -- the window ----------------------------------------------------------- */

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
  gboolean exporting;

  g_object_get (self->session->exporter, "running", &exporting, NULL);
  if (!exporting)
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
  g_clear_weak_pointer (&self->export_dialog);
  g_clear_weak_pointer (&self->close_dialog);
  if (self->help_window != NULL)
    gtk_window_destroy (GTK_WINDOW (self->help_window));
  g_clear_weak_pointer (&self->help_window);
  g_clear_object (&self->view);
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
  g_type_ensure (TL_TYPE_STATUS_LINE);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/org/tomolens/Tomolens/window.ui");
#define BIND(name)                                                             \
  gtk_widget_class_bind_template_child (widget_class, TlWindow, name)
  BIND (pages);
  BIND (panel);
  BIND (banner);
  BIND (banner_label);
  BIND (title_label);
  BIND (subtitle_label);
  BIND (spinner);
  BIND (caption_revealer);
  BIND (caption_label);
  BIND (caption_button);
  BIND (toast_revealer);
  BIND (toast_label);
  BIND (recent_button);
  BIND (measured_button);
  BIND (history_button);
  BIND (history_popover);
  BIND (export_revealer);
  BIND (export_progress);
  BIND (cancel_button);
  BIND (status_line);
#undef BIND
  gtk_widget_class_bind_template_callback (widget_class, on_banner_response);
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
    { "save-recipe", G_CALLBACK (tl_dialog_save_recipe), self },
    { "export-dialog", G_CALLBACK (export_dialog), self },
    { "recent", G_CALLBACK (gtk_menu_button_popup), self->recent_button },
    { "history", G_CALLBACK (gtk_menu_button_popup), self->history_button },
    { "back", G_CALLBACK (back), self },
    { "help", G_CALLBACK (help), self },
    { "shortcuts", G_CALLBACK (tl_shortcuts_show), self },
    { "about", G_CALLBACK (tl_dialog_about), self },
    { "about-machine", G_CALLBACK (about_machine), self },
  };

  for (guint i = 0; i < G_N_ELEMENTS (calls); i++)
    tl_add_call (G_ACTION_MAP (self), calls[i].name, calls[i].function,
                 calls[i].object);
  tl_shortcuts_attach (GTK_WINDOW (self), GTK_WIDGET (self->panel));
  tl_file_drop_attach (GTK_WINDOW (self));
  gtk_menu_button_set_create_popup_func (self->recent_button, fill_recent, NULL,
                                         NULL);
}

TlWindow *
tl_window_new (GtkApplication *application, TlMeasure *measure,
               TlCompare *compare)
{
  TlWindow *self =
      g_object_new (TL_TYPE_WINDOW, "application", application, NULL);
  TlView *view = tl_measure_get_view (measure);
  TlSession *session = tl_view_get_session (view);
  TlExporter *exporter = session->exporter;
  TlScanSource *source = session->source;

  self->view = g_object_ref (view);
  self->session = session;
  tl_pages_bind (self->pages, measure, compare, G_ACTION_GROUP (application));
  tl_keep_actions_add (GTK_WINDOW (self), tl_pages_get_slice_view (self->pages),
                       measure);
  tl_drag_steps_attach (GTK_WIDGET (self), session);
  tl_picture_menu_bind (self->measured_button, session);
  tl_status_line_bind (self->status_line, view);
  tl_toast_bind (self->toast_revealer, self->toast_label, session);
  tl_settings_panel_bind (self->panel, view, G_ACTION_GROUP (application));
  tl_history_popover_bind (self->history_popover, G_ACTION_GROUP (application));
  tl_follow (source, "path", G_CALLBACK (update_scan), self);
  tl_follow (source, "summary", G_CALLBACK (update_subtitle), self);
  tl_follow (session->parameters, "recipe", G_CALLBACK (update_subtitle), self);
  tl_follow (session->messages, "message", G_CALLBACK (update_banner), self);
  tl_follow (view, "problem", G_CALLBACK (update_banner), self);
  tl_follow (session->display, "caption", G_CALLBACK (update_caption), self);
  tl_follow (session->requests, "busy", G_CALLBACK (update_busy), self);
  tl_follow (exporter, "progress running", G_CALLBACK (update_export), self);
  tl_follow (exporter, "running", G_CALLBACK (update_enabled), self);
  tl_follow (source, "summary", G_CALLBACK (update_enabled), self);
  update_scan (self);
  update_subtitle (self);
  update_banner (self);
  update_enabled (self);
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
