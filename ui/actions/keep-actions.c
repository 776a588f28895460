#include "ui/actions/actions-private.h"

#include "ui/dialogs/dialogs.h"
#include "ui/picture/view-image.h"

#include <glib/gi18n.h>

/* Data of the actions, freed with the window. */
typedef struct
{
  GtkWindow *window; /* not owned */
  TlGetShown get_shown;
  gpointer pages; /* not owned: the window's */
  TlMeasure *measure;
} Actions;

static TlView *
get_view (Actions *actions)
{
  return tl_measure_get_view (actions->measure);
}

static TlSession *
get_session (Actions *actions)
{
  return tl_view_get_session (get_view (actions));
}

/* Returns: (transfer full) (nullable): what the page shows; the picture itself
 * has the words that it needs */
static char *
dup_caption (Actions *actions)
{
  TlSession *session = get_session (actions);
  const char *path = tl_scan_source_get_name (session->source);
  g_autofree char *name = g_path_get_basename (path != NULL ? path : "");

  switch (tl_display_get_page (session->display))
    {
    case TL_PAGE_CANDIDATES:
      return g_strdup_printf (
          /* translators: the name of a scan, and a slice */
          _ ("%s · candidates for the axis in slice %u"), name,
          tl_parameters_get_slice (session->parameters));
    case TL_PAGE_AXIS:
      /* translators: the name of a scan */
      return g_strdup_printf (_ ("%s · the axis over the height"), name);
    default:
      return NULL;
    }
}

static void
save_view (GSimpleAction *action, GVariant *value, gpointer data)
{
  Actions *actions = data;

  tl_dialog_save_view (actions->window, get_session (actions));
}

/* The window may be closed by now. */
static void
on_saved (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (TlView) view = data;
  g_autoptr (GError) error = NULL;

  tl_view_image_save_finish (result, &error);
  tl_view_set_problem (view, error != NULL ? error->message : NULL);
}

static void
save_view_as (GSimpleAction *action, GVariant *value, gpointer data)
{
  Actions *actions = data;
  g_autofree char *caption = dup_caption (actions);

  tl_view_image_save (actions->get_shown (actions->pages), caption,
                      g_variant_get_string (value, NULL), on_saved,
                      g_object_ref (get_view (actions)));
}

static void
save_slice (GSimpleAction *action, GVariant *value, gpointer data)
{
  Actions *actions = data;
  TlSession *session = get_session (actions);

  if (tl_display_check_save (session->display))
    tl_dialog_save_slice (actions->window, session);
}

static void
copy_view (GSimpleAction *action, GVariant *value, gpointer data)
{
  Actions *actions = data;
  g_autofree char *caption = dup_caption (actions);
  g_autoptr (GdkTexture) texture =
      tl_view_image_new (actions->get_shown (actions->pages), caption);

  if (texture == NULL)
    return;
  gdk_clipboard_set_texture (
      gtk_widget_get_clipboard (GTK_WIDGET (actions->window)), texture);
  tl_messages_tell (get_session (actions)->messages, _ ("The view is copied"));
}

static void
copy_profile (GSimpleAction *action, GVariant *value, gpointer data)
{
  Actions *actions = data;
  const TlProfile *profile = tl_measure_get_profile (actions->measure);
  g_autofree char *text = NULL;
  TlUnits units;

  if (profile == NULL)
    return;
  tl_measure_get_units (actions->measure, &units);
  text = tl_profile_to_csv (
      profile, tl_measure_get_held_profile (actions->measure), &units);
  gdk_clipboard_set_text (
      gtk_widget_get_clipboard (GTK_WIDGET (actions->window)), text);
  tl_messages_tell (get_session (actions)->messages,
                    _ ("The profile is copied as CSV"));
}

/* A preview cannot be saved, and the page of the export is no picture. */
static void
update_enabled (Actions *actions)
{
  GActionMap *map = G_ACTION_MAP (actions->window);
  TlDisplay *display = get_session (actions)->display;
  gboolean has_picture = tl_display_get_frame (display) != NULL
                         && !tl_display_shows_preview (display);
  const TlPage page = tl_display_get_page (display);
  gboolean is_seen =
      page == TL_PAGE_VOLUME || (has_picture && page != TL_PAGE_EXPORT);

  tl_actions_enable (map, "save-view save-view-as copy-view", is_seen);
  tl_actions_enable (map, "save-slice", has_picture);
  tl_actions_enable (map, "copy-profile",
                     tl_measure_get_profile (actions->measure) != NULL);
}

static void
actions_free (gpointer data)
{
  Actions *actions = data;

  g_signal_handlers_disconnect_by_data (get_session (actions)->display,
                                        actions);
  g_signal_handlers_disconnect_by_data (actions->measure, actions);
  g_object_unref (actions->measure);
  g_free (actions);
}

void
tl_keep_actions_add (GtkWindow *window, TlGetShown get_shown, gpointer pages,
                     TlMeasure *measure)
{
  static const GActionEntry entries[] = {
    { "save-view", save_view, NULL, NULL, NULL, { 0 } },
    { "save-view-as", save_view_as, "s", NULL, NULL, { 0 } },
    { "save-slice", save_slice, NULL, NULL, NULL, { 0 } },
    { "copy-view", copy_view, NULL, NULL, NULL, { 0 } },
    { "copy-profile", copy_profile, NULL, NULL, NULL, { 0 } },
  };
  Actions *actions = g_new0 (Actions, 1);

  actions->window = window;
  actions->get_shown = get_shown;
  actions->pages = pages;
  actions->measure = g_object_ref (measure);
  TlDisplay *display = get_session (actions)->display;
  g_object_set_data_full (G_OBJECT (window), "tl-keep-actions", actions,
                          actions_free);
  g_action_map_add_action_entries (G_ACTION_MAP (window), entries,
                                   G_N_ELEMENTS (entries), actions);
  g_signal_connect_swapped (display, "notify::frame",
                            G_CALLBACK (update_enabled), actions);
  g_signal_connect_swapped (display, "notify::picture",
                            G_CALLBACK (update_enabled), actions);
  g_signal_connect_swapped (measure, "notify::profile",
                            G_CALLBACK (update_enabled), actions);
  update_enabled (actions);
}
