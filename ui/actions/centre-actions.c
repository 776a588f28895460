#include "ui/actions/actions-private.h"

#include "app/axis/centre-copy.h"
#include "app/axis/centre-search.h"
#include "data/array.h"
#include "ui/view/widget.h"

#include <glib/gi18n.h>
#include <gtk/gtk.h>
#include <math.h>

/* --- states, from the session --- */

static void
update_scan (GActionMap *map)
{
  TlSession *session = tl_actions_get_session (map);

  tl_actions_enable (map, "find-centre copy-centre-as",
                     tl_scan_source_is_open (session->source));
}

static void
update_estimates (GActionMap *map, TlCentreSearch *search)
{
  tl_actions_enable (map, "next-estimate",
                     !isnan (tl_centre_search_find_next (search, 0, 1)));
}

/* --- handlers of the actions --- */

static void
next_estimate (GSimpleAction *action, GVariant *value, gpointer data)
{
  TlSession *session = data;
  TlParameters *parameters = session->parameters;
  TlCentreSearch *search = tl_session_get_centre_search (session);
  gint32 n = g_variant_get_int32 (value);

  if (n != 0)
    tl_parameters_set_centre (
        parameters,
        tl_centre_search_find_next (
            search, tl_parameters_get_centre (parameters), n > 0 ? 1 : -1));
}

static void
copy_centre_as (GSimpleAction *action, GVariant *value, gpointer data)
{
  TlSession *session = data;
  const TlScanSummary *scan = tl_scan_source_get_summary (session->source);
  const char *name = g_variant_get_string (value, NULL);
  const int program = tl_names_index (tl_centre_program_names, name);

  if (program < 0)
    return;
  g_autofree char *text = tl_centre_copy_as (
      program, tl_parameters_get_centre (session->parameters), scan->n_cols);
  gdk_clipboard_set_text (
      gdk_display_get_clipboard (gdk_display_get_default ()), text);
  /* translators: a program, and what is copied for it */
  tl_messages_tell (session->messages, _ ("Copied for %s: %s"), name, text);
}

GMenu *
tl_centre_actions_build_menu (void)
{
  GMenu *menu = g_menu_new ();

  for (guint i = 0; i < TL_N_CENTRE_PROGRAMS; i++)
    {
      g_autoptr (GMenuItem) item =
          g_menu_item_new (tl_centre_program_names[i], NULL);

      g_menu_item_set_action_and_target (item, "app.copy-centre-as", "s",
                                         tl_centre_program_names[i]);
      g_menu_append_item (menu, item);
    }
  return menu;
}

void
tl_centre_actions_add (GActionMap *map, TlSession *session)
{
  static const GActionEntry entries[] = {
    { "next-estimate", next_estimate, "i", NULL, NULL, { 0 } },
    { "copy-centre-as", copy_centre_as, "s", NULL, NULL, { 0 } },
  };
  TlCentreSearch *search = tl_session_get_centre_search (session);

  g_action_map_add_action_entries (map, entries, G_N_ELEMENTS (entries),
                                   session);
  tl_add_call (map, "find-centre", G_CALLBACK (tl_centre_search_start), search);
  tl_actions_add_property (map, "seek-centre", search, "seeks");
  tl_follow (session->source, "summary", G_CALLBACK (update_scan), map);
  g_signal_connect_object (search, "changed", G_CALLBACK (update_estimates),
                           map, G_CONNECT_SWAPPED);
  update_scan (map);
  update_estimates (map, search);
}
