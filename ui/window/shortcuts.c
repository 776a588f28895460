/* All keys, what they do, and the window that lists them. */
#include "ui/window/shortcuts.h"

#include "ui/controls/control.h"
#include "ui/controls/free-text.h"
#include "ui/export/export-page.h"

#include <glib/gi18n.h>

#define MAX_KEYS 4

/* Rows of a column in the shortcuts window, titles included. A section has two
 * columns: GTK 4.8 shows the groups of a longer section in the wrong order. */
#define COLUMN_HEIGHT 14

typedef struct
{
  const char *action;             /* as in a menu, with its target */
  const char *keys[MAX_KEYS + 1]; /* %NULL-terminated */
} Way;

/* On the page of the export the keys of the last three do nothing, except for
 * Escape and keys with Alt or Ctrl. */
typedef enum
{
  ANYWHERE, /* wherever the focus is: keys with Alt or Ctrl, and F keys */
  NO_TEXT,  /* except in a text field being edited, which has its own undo */
  UNTAKEN,  /* if the widget with the focus does not handle the key */
  PAGE,     /* as UNTAKEN; also in fields and controls beside the picture */
  ARROW     /* as PAGE, but not in a text, nor a slider reached by keys */
} Where;

typedef struct
{
  const char *section, *group; /* (nullable): as in the row above */
  const char *title;
  Way ways[2]; /* forward, and (optional) back */
  Where where;
} Shortcut;

static const Shortcut shortcuts[] = {
  { .section = N_ ("Slice and parameters"),
    .group = N_ ("Slice and axis"),
    .title = N_ ("Next or previous slice"),
    .ways = { { "app.step-slice(1)", { "Page_Up", "<Alt>Up" } },
              { "app.step-slice(-1)", { "Page_Down", "<Alt>Down" } } },
    .where = PAGE },
  { .title = N_ ("Ten slices on or back"),
    .ways = { { "app.step-slice(10)", { "<Shift>Page_Up", "<Alt>Page_Up" } },
              { "app.step-slice(-10)",
                { "<Shift>Page_Down", "<Alt>Page_Down" } } },
    .where = PAGE },
  { .title = N_ ("Axis by one column"),
    .ways = { { "app.step-centre(-1.0)", { "Left", "<Alt>Left" } },
              { "app.step-centre(1.0)", { "Right", "<Alt>Right" } } },
    .where = ARROW },
  { .title = N_ ("Axis by a tenth"),
    .ways = { { "app.step-centre(-0.1)",
                { "<Shift>Left", "<Alt><Shift>Left" } },
              { "app.step-centre(0.1)",
                { "<Shift>Right", "<Alt><Shift>Right" } } },
    .where = ARROW },
  { .title = N_ ("Axis by a hundredth"),
    .ways = { { "app.step-centre(-0.01)",
                { "<Control><Shift>Left", "<Alt><Control>Left" } },
              { "app.step-centre(0.01)",
                { "<Control><Shift>Right", "<Alt><Control>Right" } } },
    .where = ARROW },
  { .title = N_ ("Next or previous projection"),
    .ways = { { "app.step-projection(1)", { "<Alt><Shift>Up" } },
              { "app.step-projection(-1)", { "<Alt><Shift>Down" } } } },
  { .title = N_ ("Ten projections on or back"),
    .ways = { { "app.step-projection(10)", { "<Alt><Shift>Page_Up" } },
              { "app.step-projection(-10)", { "<Alt><Shift>Page_Down" } } } },

  { .group = N_ ("Steps"),
    .title = N_ ("Undo"),
    .ways = { { "app.undo", { "<Control>z" } } },
    .where = NO_TEXT },
  { .title = N_ ("Redo"),
    .ways = { { "app.redo", { "<Control><Shift>z" } } },
    .where = NO_TEXT },
  { .title = N_ ("History"), .ways = { { "win.history", { "<Control>h" } } } },

  { .group = N_ ("View"),
    .title = N_ ("Slice"),
    .ways = { { "app.view::slice", { "F2" } } } },
  { .title = N_ ("Sinogram"), .ways = { { "app.view::sinogram", { "F3" } } } },
  { .title = N_ ("Projection"),
    .ways = { { "app.view::projection", { "F4" } } } },

  { .group = N_ ("On and off"),
    .title = N_ ("Removal of zingers"),
    .ways = { { "app.zingers", { "<Control>1" } } } },
  { .title = N_ ("Phase retrieval"),
    .ways = { { "app.phase", { "<Control>2" } } } },
  { .title = N_ ("Removal of rings"),
    .ways = { { "app.remove-rings", { "<Control>3" } } } },

  { .group = N_ ("Filter and interpolation"),
    .title = N_ ("Preset: plain"),
    .ways = { { "app.preset::plain", { "<Alt>1" } } } },
  { .title = N_ ("Preset: sharp"),
    .ways = { { "app.preset::sharp", { "<Alt>2" } } } },
  { .title = N_ ("Preset: standard"),
    .ways = { { "app.preset::standard", { "<Alt>3" } } } },
  { .title = N_ ("Preset: smooth"),
    .ways = { { "app.preset::smooth", { "<Alt>4" } } } },
  { .title = N_ ("Preset: quick"),
    .ways = { { "app.preset::quick", { "<Alt>5" } } } },

  { .section = N_ ("Axis"),
    .group = N_ ("Estimates of the axis"),
    .title = N_ ("Find the axis in this slice"),
    .ways = { { "app.find-centre", { "<Control><Shift>f" } } } },
  { .title = N_ ("Next or previous estimate"),
    .ways = { { "app.next-estimate(1)", { "e" } },
              { "app.next-estimate(-1)", { "<Shift>e" } } },
    .where = UNTAKEN },
  { .title = N_ ("Candidates for the axis"),
    .ways = { { "app.view::candidates", { "g" } } },
    .where = UNTAKEN },
  { .title = N_ ("Finer or coarser candidates"),
    .ways = { { "app.finer(-1)", { "comma" } },
              { "app.coarser(-1)", { "period" } } },
    .where = UNTAKEN },
  { .title = N_ ("Axis over the height"),
    .ways = { { "app.view::axis", { "a" } } },
    .where = UNTAKEN },
  { .title = N_ ("Accept that axis"),
    .ways = { { "app.accept-axis", { "Return", "KP_Enter" } } },
    .where = UNTAKEN },

  { .group = N_ ("Tilt of the axis"),
    .title = N_ ("Tilt by a tenth of a degree"),
    .ways = { { "app.step-tilt(0.1)", { "t" } },
              { "app.step-tilt(-0.1)", { "<Shift>t" } } },
    .where = UNTAKEN },
  { .title = N_ ("Tilt by a hundredth"),
    .ways = { { "app.step-tilt(0.01)", { "<Control>t" } },
              { "app.step-tilt(-0.01)", { "<Control><Shift>t" } } } },
  { .title = N_ ("Tilt by a thousandth"),
    .ways = { { "app.step-tilt(0.001)", { "<Alt>t" } },
              { "app.step-tilt(-0.001)", { "<Alt><Shift>t" } } } },

  { .section = N_ ("Picture"),
    .group = N_ ("Picture"),
    .title = N_ ("Zoom in or out"),
    .ways = { { "win.zoom-in",
                { "<Control>plus", "<Control>equal", "<Control>KP_Add" } },
              { "win.zoom-out",
                { "<Control>minus", "<Control>KP_Subtract" } } } },
  { .title = N_ ("Sharp zoom, or not"),
    .ways = { { "app.sharp-zoom", { "<Alt>z" } } } },
  { .title = N_ ("Fit to window"),
    .ways = { { "win.fit", { "<Control>0", "<Control>KP_0" } } } },
  { .title = N_ ("Window from the picture"),
    .ways = { { "app.window-auto", { "<Control>l" } } } },
  { .title = N_ ("Window from the full range"),
    .ways = { { "app.window-full", { "<Control><Shift>l" } } } },
  { .title = N_ ("Window for each picture"),
    .ways = { { "app.follow", { "<Control>f" } } } },
  { .title = N_ ("Error of fast precision"),
    .ways = { { "app.precision-cost", { "<Control>d" } } } },
  { .title = N_ ("Back, close a message, stop opening"),
    .ways = { { "win.back", { "Escape" } } },
    .where = UNTAKEN },

  { .group = N_ ("Measure and keep"),
    .title = N_ ("Line profile"),
    .ways = { { "app.profile", { "l" } } },
    .where = UNTAKEN },
  { .title = N_ ("Move the line, or one end (Shift)"),
    .ways = { { NULL,
                { "Left Right Up Down" } } } }, /* keys of the line's own */
  { .title = N_ ("Copy the profile"),
    .ways = { { "win.copy-profile", { "<Control><Alt>c" } } } },
  { .title = N_ ("Copy the view"),
    .ways = { { "win.copy-view", { "<Control>c" } } },
    .where = UNTAKEN },
  { .title = N_ ("Save the view"),
    .ways = { { "win.save-view", { "<Control>p" } } } },
  { .title = N_ ("Save the values of the picture"),
    .ways = { { "win.save-slice", { "<Control><Shift>s" } } } },

  { .section = N_ ("Planes and volume"),
    .group = N_ ("Planes"),
    .title = N_ ("Planes"),
    .ways = { { "app.view::planes", { "p" } } },
    .where = UNTAKEN },
  { .title = N_ ("Through the stack, by ten with Shift"),
    .ways = { { NULL, { "Up Down" } } } }, /* keys of the pane's own, as the
                                              next ones */
  { .title = N_ ("Move the cross"),
    .ways = { { NULL, { "<Control>Left <Control>Right" } } } },
  { .title = N_ ("Turn the oblique plane, or back (Shift)"),
    .ways = { { NULL, { "r" } } } },

  { .group = N_ ("Volume"),
    .title = N_ ("Volume"),
    .ways = { { "app.view::volume", { "v" } } },
    .where = UNTAKEN },
  { .title = N_ ("Turn it, or move it (Shift)"),
    .ways = { { NULL, { "Left Right Up Down" } } } }, /* keys of its own */
  { .title = N_ ("Look along an axis of it"),
    .ways = { { NULL, { "x y z" } } } }, /* keys of its own */
  { .title = N_ ("Fog, maximum, surface"),
    .ways = { { NULL, { "1 2 3" } } } }, /* keys of its own */
  { .title = N_ ("Enter or leave the box"),
    .ways = { { NULL, { "b" } } } }, /* a key of its own, as the next ones */
  { .title = N_ ("Switch the cutting plane on or off"),
    .ways = { { NULL, { "c" } } } },
  { .title = N_ ("Turn the plane"),
    .ways = { { NULL,
                { "<Control>Left <Control>Right <Control>Up "
                  "<Control>Down" } } } },
  { .title = N_ ("Move the plane"),
    .ways = { { NULL, { "Page_Up Page_Down" } } } },

  { .section = N_ ("Compare"),
    .group = N_ ("Compare A, the held slice, with B"),
    .title = N_ ("Hold the slice or planes as A, or release A"),
    .ways = { { "app.hold", { "h" } } },
    .where = UNTAKEN },
  { .title = N_ ("Take A's parameters back"),
    .ways = { { "app.take-a", { "<Shift>h" } } },
    .where = UNTAKEN },
  { .title = N_ ("Next comparison mode"),
    .ways = { { "app.next-compare", { "c" } } },
    .where = UNTAKEN },
  { .title = N_ ("B alone"),
    .ways = { { "app.compare::off", { "<Shift>F5" } } } },
  { .title = N_ ("Swipe"), .ways = { { "app.compare::swipe", { "F6" } } } },
  { .title = N_ ("Blink"), .ways = { { "app.compare::blink", { "F7" } } } },
  { .title = N_ ("Side by side"),
    .ways = { { "app.compare::side-by-side", { "F8" } } } },
  { .title = N_ ("Difference"),
    .ways = { { "app.compare::difference", { "F9" } } } },
  { .title = N_ ("Blink now"),
    .ways = { { "app.blink-a", { "b" } } },
    .where = UNTAKEN },
  { .title = N_ ("Move the swipe line, with Shift ten times as far"),
    .ways = { { NULL, { "Left Right" } } } }, /* keys of the line's own */

  { .group = N_ ("Overlay of opposite projections"),
    .title = N_ ("Overlay"),
    .ways = { { "app.view::overlay", { "o" } } },
    .where = UNTAKEN },
  { .title = N_ ("Difference of both"),
    .ways = { { "app.overlay::difference", { "1" } } },
    .where = UNTAKEN },
  { .title = N_ ("Sum of both"),
    .ways = { { "app.overlay::sum", { "2" } } },
    .where = UNTAKEN },
  { .title = N_ ("Red and cyan"),
    .ways = { { "app.overlay::red-cyan", { "3" } } },
    .where = UNTAKEN },
  { .title = N_ ("Both in turn"),
    .ways = { { "app.overlay::blink", { "4" } } },
    .where = UNTAKEN },
  { .title = N_ ("The opposite one up or down by a row"),
    .ways = { { "app.step-overlay-rows(1.0)", { "Up" } },
              { "app.step-overlay-rows(-1.0)", { "Down" } } },
    .where = UNTAKEN },
  { .title = N_ ("The same by a tenth"),
    .ways = { { "app.step-overlay-rows(0.1)", { "<Shift>Up" } },
              { "app.step-overlay-rows(-0.1)", { "<Shift>Down" } } },
    .where = UNTAKEN },
  { .title = N_ ("The same by a hundredth"),
    .ways = { { "app.step-overlay-rows(0.01)", { "<Control><Shift>Up" } },
              { "app.step-overlay-rows(-0.01)", { "<Control><Shift>Down" } } },
    .where = UNTAKEN },
  { .title = N_ ("Take the measured centre and tilt"),
    .ways = { { "app.take-overlay", { "<Shift>o" } } },
    .where = UNTAKEN },

  { .section = N_ ("Files and help"),
    .group = N_ ("Files"),
    .title = N_ ("Open a scan or a recipe"),
    .ways = { { "win.open-dialog", { "<Control>o" } } } },
  { .title = N_ ("Open a folder"),
    .ways = { { "win.open-folder-dialog", { "<Control><Shift>o" } } } },
  { .title = N_ ("Open the address of a sender"),
    .ways = { { "win.open-address", { "<Control><Alt>o" } } } },
  { .title = N_ ("Read the scan again"),
    .ways = { { "app.reload", { "F5" } } } },
  { .title = N_ ("Choose another dataset or scan of the file"),
    .ways = { { "win.choose", { "<Control><Shift>d" } } } },
  { .title = N_ ("Say what the images of a folder are"),
    .ways = { { "win.files", { "<Control>g" } } } },
  { .title = N_ ("Open a recent scan"),
    .ways = { { "win.recent", { "<Control>r" } } } },
  { .title = N_ ("Save the recipe"),
    .ways = { { "win.save-recipe", { "<Control>s" } } } },
  { .title = N_ ("Copy as command"),
    .ways = { { "app.copy-command", { "<Control><Shift>c" } } } },
  { .title = N_ ("Export slices"),
    .ways = { { "win.export-page", { "<Control>e" } } } },
  { .title = N_ ("Preferences"),
    .ways = { { "win.preferences", { "<Control>comma" } } } },
  { .title = N_ ("Close the window"),
    .ways = { { "window.close", { "<Control>w" } } } },
  { .title = N_ ("Quit"), .ways = { { "app.quit", { "<Control>q" } } } },

  { .group = N_ ("Help"),
    .title = N_ ("Manual"),
    .ways = { { "win.help", { "F1" } } } },
  { .title = N_ ("Keyboard shortcuts"),
    .ways = { { "win.shortcuts", { "<Control>question" } } } },
  { .title = N_ ("About this machine"),
    .ways = { { "win.about-machine", { "<Control>i" } } } },
};

void
tl_shortcuts_install (GtkApplication *application)
{
  for (guint i = 0; i < G_N_ELEMENTS (shortcuts); i++)
    for (const Way *way = shortcuts[i].ways; way < shortcuts[i].ways + 2; way++)
      if (way->action != NULL && shortcuts[i].where == ANYWHERE)
        gtk_application_set_accels_for_action (application, way->action,
                                               way->keys);
}

/* --- shortcuts that depend on the focus --- */

/* A field whose text equals its value has nothing to undo. The fields of the
 * export have an undo of their own. */
static gboolean
is_editing_text (GtkWidget *window)
{
  GtkWidget *focus = gtk_root_get_focus (GTK_ROOT (window));
  GtkWidget *field;

  if (!GTK_IS_TEXT (focus))
    return FALSE;
  field = gtk_widget_get_parent (focus);
  return tl_free_text_is_edited (field) || tl_control_is_edited (field)
         || gtk_widget_get_ancestor (field, TL_TYPE_EXPORT_PAGE) != NULL;
}

static gboolean
activate_outside_text (GtkWidget *window, GVariant *target, gpointer action)
{
  return !is_editing_text (window)
         && gtk_widget_activate_action_variant (window, action, target);
}

static gboolean
is_export_shown (GtkWidget *window)
{
  g_autoptr (GVariant) is_shown =
      g_action_group_get_action_state (G_ACTION_GROUP (window), "export-page");

  return g_variant_get_boolean (is_shown);
}

/* The page of the export hides what single keys change, and a key that one of
 * its controls does not handle may be meant for a field. */
static gboolean
activate_single (GtkWidget *widget, GVariant *target, gpointer action)
{
  g_autoptr (GtkShortcutAction) named = NULL;

  if (is_export_shown (GTK_WIDGET (gtk_widget_get_root (widget))))
    return FALSE;
  /* leaves the key of a disabled action to others, which
   * gtk_widget_activate_action_variant() does not */
  named = gtk_named_action_new (action);
  return gtk_shortcut_action_activate (named, 0, widget, target);
}

/* Returns: whether a picture is shown and the focus is on a control beside it,
 * but not in a list or menu that the control has opened */
static gboolean
is_beside_picture (GtkWidget *window, GtkWidget *focus)
{
  GtkWidget *pages = g_object_get_data (G_OBJECT (window), "tl-pages");

  return focus != NULL && !gtk_widget_is_ancestor (focus, pages)
         && gtk_widget_get_ancestor (focus, GTK_TYPE_POPOVER) == NULL
         && !is_export_shown (window);
}

/* A text that is being typed is applied first. */
static gboolean
activate_page (GtkWidget *window, GVariant *target, gpointer action)
{
  GtkWidget *focus = gtk_root_get_focus (GTK_ROOT (window));

  if (!is_beside_picture (window, focus))
    return FALSE;
  if (GTK_IS_TEXT (focus))
    gtk_widget_activate_action (window, "win.leave-field", NULL);
  return gtk_widget_activate_action_variant (window, action, target);
}

static gboolean
is_reached_by_keys (GtkWidget *window)
{
  return g_object_get_data (G_OBJECT (window), "tl-reached-by-keys") != NULL;
}

static gboolean
activate_arrow (GtkWidget *window, GVariant *target, gpointer action)
{
  GtkWidget *focus = gtk_root_get_focus (GTK_ROOT (window));

  return is_beside_picture (window, focus) && !GTK_IS_TEXT (focus)
         && !(GTK_IS_SCALE (focus) && is_reached_by_keys (window))
         && gtk_widget_activate_action_variant (window, action, target);
}

/* What a key does before the widget with the focus gets it. */
static const GtkShortcutFunc captures[] = {
  [NO_TEXT] = activate_outside_text,
  [UNTAKEN] = NULL,
  [PAGE] = activate_page,
  [ARROW] = activate_arrow,
};

/* @function: (nullable): %NULL to activate the action by its name */
static void
attach_key (GtkShortcutController *controller, const Way *way, const char *key,
            GtkShortcutFunc function)
{
  GtkShortcutTrigger *trigger = gtk_shortcut_trigger_parse_string (key);
  g_autofree char *name = NULL;
  g_autoptr (GVariant) target = NULL;
  GtkShortcut *shortcut;

  g_action_parse_detailed_name (way->action, &name, &target, NULL);
  shortcut = gtk_shortcut_new (
      trigger, function != NULL
                   ? gtk_callback_action_new (function, g_strdup (name), g_free)
                   : gtk_named_action_new (name));
  gtk_shortcut_set_arguments (shortcut, target);
  gtk_shortcut_controller_add_shortcut (controller, shortcut);
}

/* Returns: whether @key is pressed alone or with Shift, and is not the key that
 * leaves a page */
static gboolean
is_single (const char *key)
{
  return strstr (key, "<Control>") == NULL && !g_str_has_prefix (key, "<Alt>")
         && strcmp (key, "Escape") != 0;
}

static void
attach_keys (GtkShortcutController *controller, const Way *way, Where where,
             gboolean captures_them)
{
  for (const char *const *key = way->keys; *key != NULL; key++)
    if (!captures_them)
      attach_key (controller, way, *key,
                  is_single (*key) ? activate_single : NULL);
    else if (where == NO_TEXT || !g_str_has_prefix (*key, "<Alt>"))
      attach_key (controller, way, *key, captures[where]);
}

static void
attach (GtkWidget *widget, GtkPropagationPhase phase)
{
  GtkEventController *controller = gtk_shortcut_controller_new ();
  const gboolean captures_them = phase == GTK_PHASE_CAPTURE;

  gtk_event_controller_set_propagation_phase (controller, phase);
  for (const Shortcut *shortcut = shortcuts;
       shortcut < shortcuts + G_N_ELEMENTS (shortcuts); shortcut++)
    {
      const Where where = shortcut->where;

      if (captures_them ? captures[where] == NULL
                        : where == ANYWHERE || where == NO_TEXT)
        continue;
      for (const Way *way = shortcut->ways; way < shortcut->ways + 2; way++)
        attach_keys (GTK_SHORTCUT_CONTROLLER (controller), way, where,
                     captures_them);
    }
  gtk_widget_add_controller (widget, controller);
}

/* --- how the focus came --- */

static void
set_flag (GtkWidget *window, const char *name, gboolean is_set)
{
  g_object_set_data (G_OBJECT (window), name, GINT_TO_POINTER (is_set));
}

/* A click also counts in a control that has the focus already. */
static gboolean
on_event (GtkWidget *window, GdkEvent *event)
{
  const GdkEventType type = gdk_event_get_event_type (event);

  if (type == GDK_KEY_PRESS)
    set_flag (window, "tl-last-is-key", TRUE);
  if (type != GDK_BUTTON_PRESS)
    return GDK_EVENT_PROPAGATE;
  set_flag (window, "tl-last-is-key", FALSE);
  set_flag (window, "tl-reached-by-keys", FALSE);
  return GDK_EVENT_PROPAGATE;
}

static void
on_focus (GtkWidget *window)
{
  set_flag (window, "tl-reached-by-keys",
            g_object_get_data (G_OBJECT (window), "tl-last-is-key") != NULL);
}

static void
note_events (GtkWidget *window)
{
  GtkEventController *events = gtk_event_controller_legacy_new ();

  gtk_event_controller_set_propagation_phase (events, GTK_PHASE_CAPTURE);
  g_signal_connect_swapped (events, "event", G_CALLBACK (on_event), window);
  gtk_widget_add_controller (window, events);
  g_signal_connect (window, "notify::focus-widget", G_CALLBACK (on_focus),
                    NULL);
}

void
tl_shortcuts_attach (GtkWindow *window, GtkWidget *panel, GtkWidget *pages)
{
  g_object_set_data (G_OBJECT (window), "tl-pages", pages);
  note_events (GTK_WIDGET (window));
  attach (GTK_WIDGET (window), GTK_PHASE_CAPTURE);
  attach (GTK_WIDGET (window), GTK_PHASE_BUBBLE);
  attach (panel, GTK_PHASE_BUBBLE);
}

/* --- tooltips --- */

/* Returns: (transfer full): a key as the user's language writes it: "Shift+O"
 */
static char *
name_key (const char *key)
{
  GdkModifierType modifiers;
  guint keyval;

  gtk_accelerator_parse (key, &keyval, &modifiers);
  return gtk_accelerator_get_label (keyval, modifiers);
}

/* Returns: (transfer full) (nullable): the first key of @action, as in a menu
 * with its target */
static char *
find_key (const char *action)
{
  for (guint i = 0; i < G_N_ELEMENTS (shortcuts); i++)
    for (const Way *way = shortcuts[i].ways; way < shortcuts[i].ways + 2; way++)
      if (g_strcmp0 (way->action, action) == 0)
        return name_key (way->keys[0]);
  return NULL;
}

static void
add_to_tooltip (GtkWidget *button)
{
  GtkActionable *actionable = GTK_ACTIONABLE (button);
  const char *name = gtk_actionable_get_action_name (actionable);
  const char *old = gtk_widget_get_tooltip_text (button);
  g_autofree char *action = NULL;
  g_autofree char *key = NULL;
  g_autofree char *tooltip = NULL;

  if (name == NULL || old == NULL)
    return;
  action = g_action_print_detailed_name (
      name, gtk_actionable_get_action_target_value (actionable));
  key = find_key (action);
  if (key == NULL)
    return;
  tooltip = g_strdup_printf ("%s (%s)", old, key);
  gtk_widget_set_tooltip_text (button, tooltip);
}

void
tl_shortcuts_add_to_tooltips (GtkWidget *root)
{
  if (GTK_IS_ACTIONABLE (root))
    add_to_tooltip (root);
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    tl_shortcuts_add_to_tooltips (child);
}

/* --- the window of shortcuts --- */

static char *
list_keys (const Shortcut *shortcut)
{
  return g_strjoin (" ", shortcut->ways[0].keys[0], shortcut->ways[1].keys[0],
                    NULL);
}

/* Returns: (transfer full): the other keys of the first way, as "or Alt+Left";
 * "" if the keypad has the only other ones, which are not listed */
static char *
list_more_keys (const Shortcut *shortcut)
{
  g_autoptr (GString) list = g_string_new (NULL);

  for (const char *const *key = shortcut->ways[0].keys + 1; *key != NULL; key++)
    {
      g_autofree char *label = name_key (*key);

      if (strstr (*key, "KP_") != NULL)
        continue;
      g_string_append (list, list->len > 0 ? ", " : "");
      g_string_append (list, label);
    }
  if (list->len == 0)
    return g_strdup ("");
  if (shortcut->ways[1].action != NULL)
    g_string_append (list, " …");
  /* translators: other keys for the same, as in "or Alt+Left" */
  return g_strdup_printf (_ ("or %s"), list->str);
}

static void
add_row (GString *text, const Shortcut *shortcut)
{
  g_autofree char *keys = list_keys (shortcut);
  g_autofree char *more_keys = list_more_keys (shortcut);
  g_autofree char *row = g_markup_printf_escaped (
      "<child><object class='GtkShortcutsShortcut'>"
      "<property name='title'>%s</property>"
      "<property name='subtitle'>%s</property>"
      "<property name='subtitle-set'>%d</property>"
      "<property name='accelerator'>%s</property></object></child>",
      _ (shortcut->title), more_keys, *more_keys != '\0', keys);

  g_string_append (text, row);
}

static void
begin_group (GString *text, const char *title)
{
  g_autofree char *group =
      g_markup_printf_escaped ("<child><object class='GtkShortcutsGroup'>"
                               "<property name='title'>%s</property>",
                               title);

  g_string_append (text, group);
}

/* GTK takes their rows from a builder's text alone. @next: (inout): the
 * section's first shortcut, and that of the next one. */
static char *
describe_section (guint *next)
{
  const char *title = _ (shortcuts[*next].section);
  const guint first = *next;
  g_autofree char *begin = g_markup_printf_escaped (
      "<interface><object class='GtkShortcutsSection' id='section'>"
      "<property name='section-name'>%s</property>"
      "<property name='title'>%s</property>"
      "<property name='max-height'>%d</property>",
      title, title, COLUMN_HEIGHT);
  g_autoptr (GString) text = g_string_new (begin);

  do
    {
      const Shortcut *shortcut = &shortcuts[(*next)++];

      if (shortcut->group != NULL && shortcut != &shortcuts[first])
        g_string_append (text, "</object></child>");
      if (shortcut->group != NULL)
        begin_group (text, _ (shortcut->group));
      add_row (text, shortcut);
    }
  while (*next < G_N_ELEMENTS (shortcuts) && shortcuts[*next].section == NULL);
  g_string_append (text, "</object></child></object></interface>");
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
add_section (GtkWindow *window, guint *next)
{
  g_autofree char *text = describe_section (next);
  g_autoptr (GtkBuilder) builder = gtk_builder_new_from_string (text, -1);

  GTK_BUILDABLE_GET_IFACE (window)->add_child (
      GTK_BUILDABLE (window), builder,
      gtk_builder_get_object (builder, "section"), NULL);
}

/* GTK shows a key without a symbol by its keysym name, such as "Page_Up". */
static void
name_keys (GtkWidget *widget)
{
  if (GTK_IS_LABEL (widget)
      && GTK_IS_SHORTCUT_LABEL (gtk_widget_get_parent (widget)))
    {
      g_autofree char *name =
          g_strdup (gtk_label_get_text (GTK_LABEL (widget)));

      gtk_label_set_text (GTK_LABEL (widget), g_strdelimit (name, "_", ' '));
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    name_keys (child);
}

/* A shortcuts window being built. */
typedef struct
{
  GtkWindow *parent; /* (nullable) weak */
  GtkWindow *window; /* (nullable): not shown yet */
  guint next;        /* shortcut */
} Making;

static void
making_free (gpointer data)
{
  Making *making = data;

  if (making->parent != NULL)
    g_object_set_data (G_OBJECT (making->parent), "making-shortcuts", NULL);
  g_clear_weak_pointer (&making->parent);
  g_clear_pointer (&making->window, gtk_window_destroy);
  g_free (making);
}

/* Builds a section at a time: all of them would block the main loop for longer
 * than a frame. */
static gboolean
make_more (gpointer data)
{
  Making *making = data;

  if (making->parent == NULL)
    return G_SOURCE_REMOVE;
  if (making->next < G_N_ELEMENTS (shortcuts))
    {
      add_section (making->window, &making->next);
      return G_SOURCE_CONTINUE;
    }
  name_keys (GTK_WIDGET (making->window));
  gtk_window_set_transient_for (making->window, making->parent);
  gtk_window_present (g_steal_pointer (&making->window));
  return G_SOURCE_REMOVE;
}

void
tl_shortcuts_show (GtkWindow *parent)
{
  Making *making;

  if (g_object_get_data (G_OBJECT (parent), "making-shortcuts") != NULL)
    return;
  making = g_new0 (Making, 1);
  g_set_weak_pointer (&making->parent, parent);
  making->window =
      g_object_new (GTK_TYPE_SHORTCUTS_WINDOW, "modal", TRUE, NULL);
  g_object_set_data (G_OBJECT (parent), "making-shortcuts", making);
  g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, make_more, making, making_free);
}
