#include "ui/actions/actions-private.h"

#include "app/volume/scene.h"
#include "data/array.h"
#include "ui/view/widget.h"

#include <glib/gi18n.h>
#include <math.h>

/* The centre is rounded to this part of a column, so that sums of hundredths
 * stay hundredths. */
#define STEP_PARTS 1000000

/* Data of the actions, freed with the application. */
typedef struct
{
  GActionMap *map; /* not owned */
  TlView *view;
  TlSession *session;
  char *rings; /* name of the method that removed rings last */
} Actions;

/* --- functions for all groups of actions --- */

GSimpleAction *
tl_actions_find (GActionMap *map, const char *name)
{
  return G_SIMPLE_ACTION (g_action_map_lookup_action (map, name));
}

void
tl_actions_set_state (GActionMap *map, const char *name, GVariant *state)
{
  g_simple_action_set_state (tl_actions_find (map, name), state);
}

void
tl_actions_enable (GActionMap *map, const char *names, gboolean enabled)
{
  g_auto (GStrv) list = g_strsplit (names, " ", -1);

  for (char **name = list; *name != NULL; name++)
    g_simple_action_set_enabled (tl_actions_find (map, *name), enabled);
}

void
tl_actions_add_property (GActionMap *map, const char *name, gpointer object,
                         const char *property)
{
  g_autoptr (GPropertyAction) action =
      g_property_action_new (name, object, property);

  g_action_map_add_action (map, G_ACTION (action));
}

/* --- a parameter as an action --- */

/* Names of files, and other ways to give a centre, are for the command line
 * alone. */
static gboolean
has_action (const TlParamSpec *parameter)
{
  return parameter->type != TL_PARAMETER_TEXT
         && parameter->type != TL_PARAMETER_BOUNDARY
         && !parameter->is_of_volume;
}

/* Returns: (transfer floating): of tl_recipe_get_value_type() */
static GVariant *
get_state (Actions *actions, const TlParamSpec *parameter)
{
  return tl_recipe_get_value (
      tl_parameters_get_recipe (actions->session->parameters), parameter);
}

/* Pairs of a word and why it cannot be chosen, "" if it can. */
static GVariant *
list_choices (TlSession *session, const char *key)
{
  TlDisplay *display = session->display;
  const char *const *words = tl_display_list_choices (display, key);
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(ss)"));
  for (guint i = 0; words[i] != NULL; i++)
    {
      g_autofree char *why = tl_display_explain_choice (display, key, words[i]);

      g_variant_builder_add (&builder, "(ss)", words[i],
                             why != NULL ? why : "");
    }
  return g_variant_builder_end (&builder);
}

/* Returns: (transfer floating) (nullable): the words of a choice, or the range
 * of a slice and a centre */
static GVariant *
get_hint (Actions *actions, const TlParamSpec *parameter)
{
  const TlScanSummary *scan =
      tl_scan_source_get_summary (actions->session->source);

  if (parameter->type != TL_PARAMETER_ANGLES
      && parameter->type != TL_PARAMETER_FRAMES
      && g_variant_type_equal (tl_recipe_get_value_type (parameter),
                               G_VARIANT_TYPE_STRING))
    return list_choices (actions->session, parameter->key);
  if (strcmp (parameter->key, "slice") == 0)
    return g_variant_new ("(uu)", 0,
                          scan != NULL ? (guint32)scan->n_rows - 1 : 0);
  if (strcmp (parameter->key, "centre") == 0)
    /* from edge to edge */
    return g_variant_new ("(dd)", -0.5,
                          scan != NULL ? (double)scan->n_cols - 0.5 : 0.5);
  return NULL;
}

/* --- states, from the session --- */

static void
update_state (Actions *actions, const TlParamSpec *parameter)
{
  GSimpleAction *action = tl_actions_find (actions->map, parameter->key);
  g_autoptr (GVariant) old = g_action_get_state (G_ACTION (action));
  g_autoptr (GVariant) old_hint = g_action_get_state_hint (G_ACTION (action));
  g_autoptr (GVariant) state =
      g_variant_ref_sink (get_state (actions, parameter));
  g_autoptr (GVariant) hint = get_hint (actions, parameter);

  if (hint != NULL)
    {
      g_variant_ref_sink (hint);
      g_simple_action_set_state_hint (action, hint);
    }
  if (!g_variant_equal (old, state))
    g_simple_action_set_state (action, state);
  else if (hint != NULL
           && (old_hint == NULL || !g_variant_equal (old_hint, hint)))
    /* a change of the hint emits no signal, but controls need its range */
    g_action_group_action_state_changed (G_ACTION_GROUP (actions->map),
                                         parameter->key, state);
}

static void
update_remove_rings (Actions *actions)
{
  /* not from the group: an application answers only while it is registered */
  g_autoptr (GVariant) state =
      g_action_get_state (G_ACTION (tl_actions_find (actions->map, "rings")));
  const char *way = g_variant_get_string (state, NULL);
  const gboolean is_on = strcmp (way, "off") != 0;

  if (is_on)
    {
      g_free (actions->rings);
      actions->rings = g_strdup (way);
    }
  tl_actions_set_state (actions->map, "remove-rings",
                        g_variant_new_boolean (is_on));
}

static void
update_parameters (Actions *actions)
{
  size_t n;
  const TlParamSpec *parameters = tl_recipe_list_keys (&n);

  for (size_t i = 0; i < n; i++)
    if (has_action (&parameters[i]))
      update_state (actions, &parameters[i]);
  update_remove_rings (actions);
}

/* A refused value is no problem any more once the parameters have changed. */
static void
on_parameters (Actions *actions)
{
  tl_view_set_problem (actions->view, NULL);
  update_parameters (actions);
}

static void
update_view (Actions *actions)
{
  TlView *view = actions->view;

  tl_actions_set_state (actions->map, "window-low",
                        g_variant_new_double (tl_view_get_low (view)));
  tl_actions_set_state (actions->map, "window-high",
                        g_variant_new_double (tl_view_get_high (view)));
  tl_actions_set_state (actions->map, "follow",
                        g_variant_new_boolean (tl_view_get_auto_window (view)));
  tl_actions_set_state (
      actions->map, "colormap",
      g_variant_new_string (tl_colormap_names[tl_view_get_colormap (view)]));
}

static void
update_precision_cost (Actions *actions)
{
  tl_actions_set_state (actions->map, "precision-cost",
                        g_variant_new_boolean (tl_display_get_precision_cost (
                            actions->session->display)));
}

static void
update_enabled (Actions *actions)
{
  gboolean open = tl_scan_source_is_open (actions->session->source);

  tl_actions_enable (
      actions->map,
      "slice step-slice centre step-centre precision-cost save-recipe-as "
      "reload",
      open);
}

static void
on_scan (Actions *actions)
{
  update_parameters (actions);
  update_enabled (actions);
}

/* --- handlers of the actions --- */

static void
change_parameter (GSimpleAction *action, GVariant *value, gpointer data)
{
  Actions *actions = data;
  const char *name = g_action_get_name (G_ACTION (action));
  const TlParamSpec *parameter = tl_recipe_find_key (name, NULL);
  g_autoptr (GVariant) state = NULL;
  g_autoptr (GError) error = NULL;
  gboolean done = tl_parameters_set_value (actions->session->parameters, name,
                                           value, &error);

  tl_view_set_problem (actions->view, done ? NULL : error->message);
  update_state (actions, parameter);
  state = g_action_get_state (G_ACTION (action));
  if (!done) /* the control goes back to what it was */
    g_action_group_action_state_changed (G_ACTION_GROUP (actions->map), name,
                                         state);
}

static void
change_remove_rings (GSimpleAction *action, GVariant *value, gpointer data)
{
  Actions *actions = data;
  const char *way = g_variant_get_boolean (value) ? actions->rings : "off";

  g_action_group_activate_action (G_ACTION_GROUP (actions->map), "rings",
                                  g_variant_new_string (way));
}

static void
step_slice (GSimpleAction *action, GVariant *value, gpointer data)
{
  Actions *actions = data;
  const TlScanSummary *scan =
      tl_scan_source_get_summary (actions->session->source);
  gint64 slice = (gint64)tl_parameters_get_slice (actions->session->parameters)
                 + g_variant_get_int32 (value);

  if (scan != NULL)
    tl_parameters_set_slice (actions->session->parameters,
                             (guint)CLAMP (slice, 0, (gint64)scan->n_rows - 1));
}

static void
step_centre (GSimpleAction *action, GVariant *value, gpointer data)
{
  TlSession *session = ((Actions *)data)->session;
  TlParameters *parameters = session->parameters;
  double centre =
      tl_parameters_get_centre (parameters) + g_variant_get_double (value);

  if (isfinite (centre))
    tl_parameters_set_centre (parameters, tl_parameters_limit_centre (
                                              parameters, centre, STEP_PARTS));
}

static void
change_colormap (GSimpleAction *action, GVariant *value, gpointer data)
{
  Actions *actions = data;
  const int colormap =
      tl_names_index (tl_colormap_names, g_variant_get_string (value, NULL));

  if (colormap >= 0)
    tl_view_set_colormap (actions->view, colormap);
}

/* Returns: whether an end of the window may have @value; says so if not */
static gboolean
check_end (Actions *actions, double value)
{
  const gboolean is_good = fabs (value) <= TL_VIEW_MAX; /* not for NaN */
  g_autofree char *text = g_strdup_printf ("%g", value);
  g_autofree char *problem =
      is_good ? NULL
              : g_strdup_printf (_ ("%s is not from %g to %g"), text,
                                 -TL_VIEW_MAX, TL_VIEW_MAX);

  tl_view_set_problem (actions->view, problem);
  return is_good;
}

static void
change_low (GSimpleAction *action, GVariant *value, gpointer data)
{
  Actions *actions = data;
  double low = g_variant_get_double (value);

  if (check_end (actions, low))
    tl_view_set_window (actions->view, low,
                        fmax (low, tl_view_get_high (actions->view)));
}

static void
change_high (GSimpleAction *action, GVariant *value, gpointer data)
{
  Actions *actions = data;
  double high = g_variant_get_double (value);

  if (check_end (actions, high))
    tl_view_set_window (actions->view,
                        fmin (high, tl_view_get_low (actions->view)), high);
}

static void
change_follow (GSimpleAction *action, GVariant *value, gpointer data)
{
  Actions *actions = data;

  tl_view_set_auto_window (actions->view, g_variant_get_boolean (value));
}

/* The state changes when the object says so. */
static void
change_precision_cost (GSimpleAction *action, GVariant *value, gpointer data)
{
  tl_display_set_precision_cost (((Actions *)data)->session->display,
                                 g_variant_get_boolean (value));
}

static void
window_full (GSimpleAction *action, GVariant *value, gpointer data)
{
  tl_view_set_percentiles (((Actions *)data)->view, 0, 1);
}

/* @name: a path or a URI. Returns: (transfer full): the path; @name itself if
 * there is none, so that the session explains why it cannot be opened */
static char *
get_path (const char *name)
{
  g_autoptr (GFile) file = g_file_new_for_commandline_arg (name);

  return g_file_peek_path (file) != NULL ? g_file_get_path (file)
                                         : g_strdup (name);
}

static void
open_scan (GSimpleAction *action, GVariant *value, gpointer data)
{
  Actions *actions = data;
  g_autofree char *path = get_path (g_variant_get_string (value, NULL));

  tl_view_set_problem (actions->view, NULL);
  tl_session_open (actions->session, path);
}

static void
open_places (GSimpleAction *action, GVariant *value, gpointer data)
{
  Actions *actions = data;
  const char *name;
  g_autoptr (GVariant) places = NULL;
  g_autofree char *path = NULL;

  g_variant_get (value, "(&s@a{ss})", &name, &places);
  path = get_path (name);
  tl_view_set_problem (actions->view, NULL);
  tl_session_open_places (actions->session, path, places);
}

static void
save_recipe (GSimpleAction *action, GVariant *value, gpointer data)
{
  Actions *actions = data;
  const char *path = g_variant_get_string (value, NULL);
  g_autoptr (GError) error = NULL;
  TlMessages *messages = actions->session->messages;
  const TlVolumeLook colours = {
    .low = tl_view_get_low (actions->view),
    .high = tl_view_get_high (actions->view),
    .colormap = tl_view_get_colormap (actions->view),
  };

  if (tl_scene_save_recipe (tl_session_get_scene (actions->session), &colours,
                            path, &error))
    tl_messages_tell (messages, _ ("The recipe is written to %s"), path);
  else
    tl_messages_clear_notice (messages);
  tl_view_set_problem (actions->view, error != NULL ? error->message : NULL);
}

static void
dismiss (GSimpleAction *action, GVariant *value, gpointer data)
{
  Actions *actions = data;

  tl_view_set_problem (actions->view, NULL);
  tl_messages_dismiss (actions->session->messages);
}

/* --- setting up --- */

static void
add_parameter (Actions *actions, const TlParamSpec *parameter)
{
  const GVariantType *type = tl_recipe_get_value_type (parameter);
  /* activating a boolean without a parameter toggles it, as switches do */
  g_autoptr (GSimpleAction) action = g_simple_action_new_stateful (
      parameter->key,
      g_variant_type_equal (type, G_VARIANT_TYPE_BOOLEAN) ? NULL : type,
      get_state (actions, parameter));
  GVariant *hint = get_hint (actions, parameter);

  if (hint != NULL)
    g_simple_action_set_state_hint (action, hint);
  g_signal_connect (action, "change-state", G_CALLBACK (change_parameter),
                    actions);
  g_action_map_add_action (actions->map, G_ACTION (action));
}

static void
list_colormaps (GActionMap *map)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(ss)"));
  for (guint i = 0; i < TL_N_COLORMAPS; i++)
    g_variant_builder_add (&builder, "(ss)", tl_colormap_names[i], "");
  g_simple_action_set_state_hint (tl_actions_find (map, "colormap"),
                                  g_variant_builder_end (&builder));
}

static void
actions_free (gpointer data)
{
  Actions *actions = data;

  g_signal_handlers_disconnect_by_data (actions->session->display, actions);
  g_signal_handlers_disconnect_by_data (actions->session->parameters, actions);
  g_signal_handlers_disconnect_by_data (actions->session->source, actions);
  g_signal_handlers_disconnect_by_data (actions->view, actions);
  g_object_unref (actions->session);
  g_object_unref (actions->view);
  g_free (actions->rings);
  g_free (actions);
}

static void
follow_objects (Actions *actions)
{
  g_signal_connect_swapped (actions->session->parameters, "notify::recipe",
                            G_CALLBACK (on_parameters), actions);
  g_signal_connect_swapped (actions->session->display, "notify::variants",
                            G_CALLBACK (on_parameters), actions);
  g_signal_connect_swapped (actions->session->source, "notify::path",
                            G_CALLBACK (on_scan), actions);
  g_signal_connect_swapped (actions->session->source, "notify::summary",
                            G_CALLBACK (on_scan), actions);
  g_signal_connect_swapped (actions->session->display, "notify::precision-cost",
                            G_CALLBACK (update_precision_cost), actions);
  g_signal_connect_swapped (actions->view, "notify", G_CALLBACK (update_view),
                            actions);
}

static void
add_actions (GActionMap *map, TlView *view)
{
  static const GActionEntry entries[] = {
    { "open", open_scan, "s", NULL, NULL, { 0 } },
    { "open-places", open_places, "(sa{ss})", NULL, NULL, { 0 } },
    { "step-slice", step_slice, "i", NULL, NULL, { 0 } },
    { "step-centre", step_centre, "d", NULL, NULL, { 0 } },
    { "remove-rings", NULL, NULL, "false", change_remove_rings, { 0 } },
    { "colormap", NULL, "s", "'grey'", change_colormap, { 0 } },
    { "window-low", NULL, "d", "0.0", change_low, { 0 } },
    { "window-high", NULL, "d", "1.0", change_high, { 0 } },
    { "follow", NULL, NULL, "false", change_follow, { 0 } },
    { "precision-cost", NULL, NULL, "false", change_precision_cost, { 0 } },
    { "window-full", window_full, NULL, NULL, NULL, { 0 } },
    { "save-recipe-as", save_recipe, "s", NULL, NULL, { 0 } },
    { "dismiss", dismiss, NULL, NULL, NULL, { 0 } },
  };
  size_t n;
  const TlParamSpec *parameters = tl_recipe_list_keys (&n);
  Actions *actions = g_new0 (Actions, 1);

  actions->map = map;
  actions->view = g_object_ref (view);
  actions->session = g_object_ref (tl_view_get_session (view));
  actions->rings = g_strdup ("sorting");
  g_object_set_data_full (G_OBJECT (map), "tl-actions", actions, actions_free);
  for (size_t i = 0; i < n; i++)
    if (has_action (&parameters[i]))
      add_parameter (actions, &parameters[i]);
  g_action_map_add_action_entries (map, entries, G_N_ELEMENTS (entries),
                                   actions);
  tl_add_call (map, "reload", G_CALLBACK (tl_session_reload), actions->session);
  tl_add_call (map, "window-auto", G_CALLBACK (tl_view_set_auto_percentiles),
               view);
  list_colormaps (map);
  /* not in recipes: it changes no pixel of the slice */
  tl_actions_add_property (map, "sharp-zoom", actions->session->display,
                           "sharp-zoom");
  follow_objects (actions);
  update_remove_rings (actions);
  update_view (actions);
  update_enabled (actions);
}

TlSession *
tl_actions_get_session (GActionMap *map)
{
  const Actions *actions = g_object_get_data (G_OBJECT (map), "tl-actions");

  return actions->session;
}

void
tl_actions_add (GActionMap *map, TlMeasure *measure, TlCompare *compare)
{
  TlView *view = tl_measure_get_view (measure);
  TlSession *session = tl_view_get_session (view);

  add_actions (map, view);
  tl_edit_actions_add (map, session);
  tl_export_actions_add (map, session);
  tl_growth_actions_add (map, session);
  tl_centre_actions_add (map, session);
  tl_picture_actions_add (map, session);
  tl_candidates_actions_add (map, session);
  tl_volume_actions_add (map, session);
  tl_axis_actions_add (map, session);
  tl_overlay_actions_add (map, session);
  tl_measure_actions_add (map, measure);
  tl_compare_actions_add (map, compare);
}
