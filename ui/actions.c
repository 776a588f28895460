#include "ui/actions.h"

#include <math.h>

/* What the actions' functions are given; one for the application, freed with
 * it. */
typedef struct
{
  GActionMap *map; /* not owned */
  TlView *view;
  TlSession *session;
} Actions;

/* A parameter of the recipe as an action. */
typedef struct
{
  const char *key;      /* of the recipe, and the action's name */
  const char *type;     /* of the state */
  const char *yes, *no; /* of a boolean: the recipe's words */
  gboolean is_free;     /* of a string: any, not one of a list */
} Parameter;

static const Parameter parameters[] = {
  { .key = "angles", .type = "s", .is_free = TRUE },
  { .key = "filter", .type = "s" },
  { .key = "padding", .type = "s" },
  { .key = "interpolation", .type = "s" },
  { .key = "precision", .type = "s" },
  { .key = "kernel", .type = "s" },
  { .key = "engine", .type = "s" },
  { .key = "slice", .type = "u" },
  { .key = "centre", .type = "d" },
  { .key = "cutoff", .type = "d" },
  { .key = "butterworth-order", .type = "u" },
  { .key = "flat-field", .type = "b", .yes = "on", .no = "off" },
  { .key = "minus-log", .type = "b", .yes = "on", .no = "off" },
  { .key = "nan", .type = "b", .yes = "replace", .no = "refuse" },
};

static const Parameter *
find_parameter (const char *key)
{
  for (guint i = 0; i < G_N_ELEMENTS (parameters); i++)
    if (strcmp (parameters[i].key, key) == 0)
      return &parameters[i];
  g_return_val_if_reached (NULL);
}

/* -- from the session to the states --------------------------------------- */

/* What "auto" means for the open scan. */
static gboolean
get_automatic (Actions *actions, const char *key)
{
  const TlScanSummary *scan = tl_session_get_summary (actions->session);

  if (scan == NULL)
    return TRUE;
  if (strcmp (key, "flat-field") == 0)
    return scan->n_flats > 0;
  return !scan->is_attenuation;
}

static GVariant *
get_state (Actions *actions, const Parameter *parameter)
{
  g_autofree char *text = NULL;

  if (strcmp (parameter->key, "slice") == 0)
    return g_variant_new_uint32 (tl_session_get_slice (actions->session));
  if (strcmp (parameter->key, "centre") == 0)
    return g_variant_new_double (tl_session_get_centre (actions->session));

  text = tl_session_get (actions->session, parameter->key);
  switch (*parameter->type)
    {
    case 's':
      return g_variant_new_string (text != NULL ? text : "");
    case 'd':
      return g_variant_new_double (text != NULL ? g_ascii_strtod (text, NULL)
                                                : 0);
    case 'u':
      return g_variant_new_uint32 (
          text != NULL ? (guint32)g_ascii_strtoull (text, NULL, 10) : 0);
    default:
      if (g_strcmp0 (text, "auto") == 0)
        return g_variant_new_boolean (get_automatic (actions, parameter->key));
      return g_variant_new_boolean (g_strcmp0 (text, parameter->yes) == 0);
    }
}

/* Pairs of a word and why it cannot be chosen, "" where it can. */
static GVariant *
list_choices (Actions *actions, const char *key)
{
  const char *const *words = tl_session_list_choices (actions->session, key);
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(ss)"));
  for (guint i = 0; words[i] != NULL; i++)
    {
      g_autofree char *why =
          tl_session_explain_choice (actions->session, key, words[i]);

      g_variant_builder_add (&builder, "(ss)", words[i],
                             why != NULL ? why : "");
    }
  return g_variant_builder_end (&builder);
}

static GVariant *
get_hint (Actions *actions, const Parameter *parameter)
{
  const TlScanSummary *scan = tl_session_get_summary (actions->session);

  if (*parameter->type == 's' && !parameter->is_free)
    return list_choices (actions, parameter->key);
  if (strcmp (parameter->key, "slice") == 0)
    return g_variant_new ("(uu)", 0,
                          scan != NULL ? (guint32)scan->n_rows - 1 : 0);
  if (strcmp (parameter->key, "centre") == 0)
    /* from edge to edge */
    return g_variant_new ("(dd)", -0.5,
                          scan != NULL ? (double)scan->n_cols - 0.5 : 0.5);
  return NULL;
}

static void
update_state (Actions *actions, const Parameter *parameter)
{
  GSimpleAction *action = G_SIMPLE_ACTION (
      g_action_map_lookup_action (actions->map, parameter->key));
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
    /* a hint alone tells nobody, and controls take their range from it */
    g_action_group_action_state_changed (G_ACTION_GROUP (actions->map),
                                         parameter->key, state);
}

static void
update_parameters (Actions *actions)
{
  for (guint i = 0; i < G_N_ELEMENTS (parameters); i++)
    update_state (actions, &parameters[i]);
}

static void
set_state (Actions *actions, const char *name, GVariant *state)
{
  GAction *action = g_action_map_lookup_action (actions->map, name);

  g_simple_action_set_state (G_SIMPLE_ACTION (action), state);
}

static void
update_view (Actions *actions)
{
  TlView *view = actions->view;

  set_state (actions, "window-low",
             g_variant_new_double (tl_view_get_low (view)));
  set_state (actions, "window-high",
             g_variant_new_double (tl_view_get_high (view)));
  set_state (actions, "follow",
             g_variant_new_boolean (tl_view_get_auto_window (view)));
  set_state (
      actions, "colormap",
      g_variant_new_string (tl_colormap_names[tl_view_get_colormap (view)]));
}

static void
update_precision_cost (Actions *actions)
{
  set_state (
      actions, "precision-cost",
      g_variant_new_boolean (tl_session_get_precision_cost (actions->session)));
}

/* Without a scan, or while one is exported, some have nothing to do. */
static void
update_enabled (Actions *actions)
{
  static const char *const of_a_scan[] = { "slice",          "step-slice",
                                           "centre",         "step-centre",
                                           "precision-cost", "save-recipe-as" };
  gboolean open = tl_session_has_scan (actions->session);
  gboolean exporting;

  g_object_get (actions->session, "exporting", &exporting, NULL);
#define ENABLE(name, value)                                                    \
  g_simple_action_set_enabled (                                                \
      G_SIMPLE_ACTION (g_action_map_lookup_action (actions->map, name)),       \
      value)
  for (guint i = 0; i < G_N_ELEMENTS (of_a_scan); i++)
    ENABLE (of_a_scan[i], open);
  ENABLE ("export", open && !exporting);
  ENABLE ("cancel-export", exporting);
#undef ENABLE
}

static void
on_scan (Actions *actions)
{
  update_parameters (actions);
  update_enabled (actions);
}

/* -- from the actions to the session -------------------------------------- */

static char *
to_text (const Parameter *parameter, GVariant *value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  switch (*parameter->type)
    {
    case 's':
      return g_variant_dup_string (value, NULL);
    case 'd':
      return g_strdup (
          g_ascii_dtostr (buffer, sizeof buffer, g_variant_get_double (value)));
    case 'u':
      return g_strdup_printf ("%u", g_variant_get_uint32 (value));
    default:
      return g_strdup (g_variant_get_boolean (value) ? parameter->yes
                                                     : parameter->no);
    }
}

static void
change_parameter (GSimpleAction *action, GVariant *value, gpointer data)
{
  Actions *actions = data;
  const char *name = g_action_get_name (G_ACTION (action));
  const Parameter *parameter = find_parameter (name);
  g_autofree char *text = to_text (parameter, value);
  g_autoptr (GError) error = NULL;

  if (!tl_session_set (actions->session, name, text, &error))
    tl_view_set_problem (actions->view, error->message);
  else
    tl_view_set_problem (actions->view, NULL);
  update_state (actions, parameter);
}

static void
step_slice (GSimpleAction *action, GVariant *value, gpointer data)
{
  Actions *actions = data;
  const TlScanSummary *scan = tl_session_get_summary (actions->session);
  gint64 slice = (gint64)tl_session_get_slice (actions->session)
                 + g_variant_get_int32 (value);

  if (scan != NULL)
    tl_session_set_slice (actions->session,
                          (guint)CLAMP (slice, 0, (gint64)scan->n_rows - 1));
}

static void
step_centre (GSimpleAction *action, GVariant *value, gpointer data)
{
  TlSession *session = ((Actions *)data)->session;
  double centre =
      tl_session_get_centre (session) + g_variant_get_double (value);

  if (isfinite (centre))
    tl_session_set_centre (session, tl_session_limit_centre (session, centre));
}

static void
change_colormap (GSimpleAction *action, GVariant *value, gpointer data)
{
  Actions *actions = data;
  const char *name = g_variant_get_string (value, NULL);

  for (guint i = 0; i < TL_N_COLORMAPS; i++)
    if (strcmp (tl_colormap_names[i], name) == 0)
      tl_view_set_colormap (actions->view, i);
}

static void
change_low (GSimpleAction *action, GVariant *value, gpointer data)
{
  Actions *actions = data;
  double low = g_variant_get_double (value);

  tl_view_set_window (actions->view, low,
                      fmax (low, tl_view_get_high (actions->view)));
}

static void
change_high (GSimpleAction *action, GVariant *value, gpointer data)
{
  Actions *actions = data;
  double high = g_variant_get_double (value);

  tl_view_set_window (actions->view,
                      fmin (high, tl_view_get_low (actions->view)), high);
}

static void
change_follow (GSimpleAction *action, GVariant *value, gpointer data)
{
  Actions *actions = data;

  tl_view_set_auto_window (actions->view, g_variant_get_boolean (value));
}

/* The state follows what becomes of it. */
static void
change_precision_cost (GSimpleAction *action, GVariant *value, gpointer data)
{
  tl_session_set_precision_cost (((Actions *)data)->session,
                                 g_variant_get_boolean (value));
}

static void
window_auto (GSimpleAction *action, GVariant *value, gpointer data)
{
  tl_view_set_auto_percentiles (((Actions *)data)->view);
}

static void
window_full (GSimpleAction *action, GVariant *value, gpointer data)
{
  tl_view_set_percentiles (((Actions *)data)->view, 0, 1);
}

static void
open_scan (GSimpleAction *action, GVariant *value, gpointer data)
{
  Actions *actions = data;
  g_autoptr (GFile) file =
      g_file_new_for_commandline_arg (g_variant_get_string (value, NULL));

  tl_view_set_problem (actions->view, NULL);
  if (g_file_peek_path (file) != NULL)
    tl_session_open (actions->session, g_file_peek_path (file));
  else
    /* the session's sentence is better than none from here */
    tl_session_open (actions->session, g_variant_get_string (value, NULL));
}

static void
export_slices (GSimpleAction *action, GVariant *value, gpointer data)
{
  const char *folder;
  guint32 first, last;

  g_variant_get (value, "(&suu)", &folder, &first, &last);
  tl_session_export (((Actions *)data)->session, folder, first, last);
}

static void
cancel_export (GSimpleAction *action, GVariant *value, gpointer data)
{
  tl_session_cancel_export (((Actions *)data)->session);
}

static void
save_recipe (GSimpleAction *action, GVariant *value, gpointer data)
{
  Actions *actions = data;
  g_autoptr (GError) error = NULL;

  if (!tl_session_save_recipe (actions->session,
                               g_variant_get_string (value, NULL), &error))
    tl_view_set_problem (actions->view, error->message);
}

static void
dismiss (GSimpleAction *action, GVariant *value, gpointer data)
{
  Actions *actions = data;

  tl_view_set_problem (actions->view, NULL);
  tl_session_dismiss (actions->session);
}

/* -- setting up ----------------------------------------------------------- */

static void
add_parameter (Actions *actions, const Parameter *parameter)
{
  const GVariantType *type = G_VARIANT_TYPE (parameter->type);
  /* activating a boolean without a parameter turns it over: switches do */
  g_autoptr (GSimpleAction) action = g_simple_action_new_stateful (
      parameter->key, *parameter->type == 'b' ? NULL : type,
      get_state (actions, parameter));
  GVariant *hint = get_hint (actions, parameter);

  if (hint != NULL)
    g_simple_action_set_state_hint (action, hint);
  g_signal_connect (action, "change-state", G_CALLBACK (change_parameter),
                    actions);
  g_action_map_add_action (actions->map, G_ACTION (action));
}

static void
add_colormap (Actions *actions)
{
  g_autoptr (GSimpleAction) action = g_simple_action_new_stateful (
      "colormap", G_VARIANT_TYPE_STRING,
      g_variant_new_string (tl_colormap_names[TL_COLORMAP_GREY]));
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(ss)"));
  for (guint i = 0; i < TL_N_COLORMAPS; i++)
    g_variant_builder_add (&builder, "(ss)", tl_colormap_names[i], "");
  g_simple_action_set_state_hint (action, g_variant_builder_end (&builder));
  g_signal_connect (action, "change-state", G_CALLBACK (change_colormap),
                    actions);
  g_action_map_add_action (actions->map, G_ACTION (action));
}

static void
actions_free (gpointer data)
{
  Actions *actions = data;

  g_signal_handlers_disconnect_by_data (actions->session, actions);
  g_signal_handlers_disconnect_by_data (actions->view, actions);
  g_object_unref (actions->session);
  g_object_unref (actions->view);
  g_free (actions);
}

static void
follow_objects (Actions *actions)
{
  g_signal_connect_swapped (actions->session, "notify::parameters",
                            G_CALLBACK (update_parameters), actions);
  g_signal_connect_swapped (actions->session, "notify::path",
                            G_CALLBACK (on_scan), actions);
  g_signal_connect_swapped (actions->session, "notify::scan-open",
                            G_CALLBACK (on_scan), actions);
  g_signal_connect_swapped (actions->session, "notify::exporting",
                            G_CALLBACK (update_enabled), actions);
  g_signal_connect_swapped (actions->session, "notify::precision-cost",
                            G_CALLBACK (update_precision_cost), actions);
  g_signal_connect_swapped (actions->view, "notify", G_CALLBACK (update_view),
                            actions);
}

void
tl_actions_add (GActionMap *map, TlView *view)
{
  static const GActionEntry entries[] = {
    { "open", open_scan, "s", NULL, NULL, { 0 } },
    { "step-slice", step_slice, "i", NULL, NULL, { 0 } },
    { "step-centre", step_centre, "d", NULL, NULL, { 0 } },
    { "window-low", NULL, "d", "0.0", change_low, { 0 } },
    { "window-high", NULL, "d", "1.0", change_high, { 0 } },
    { "follow", NULL, NULL, "false", change_follow, { 0 } },
    { "precision-cost", NULL, NULL, "false", change_precision_cost, { 0 } },
    { "window-auto", window_auto, NULL, NULL, NULL, { 0 } },
    { "window-full", window_full, NULL, NULL, NULL, { 0 } },
    { "export", export_slices, "(suu)", NULL, NULL, { 0 } },
    { "cancel-export", cancel_export, NULL, NULL, NULL, { 0 } },
    { "save-recipe-as", save_recipe, "s", NULL, NULL, { 0 } },
    { "dismiss", dismiss, NULL, NULL, NULL, { 0 } },
  };
  Actions *actions = g_new0 (Actions, 1);
  /* no recipe has it: it changes no number */
  g_autoptr (GPropertyAction) sharp_zoom = g_property_action_new (
      "sharp-zoom", tl_view_get_session (view), "sharp-zoom");

  actions->map = map;
  actions->view = g_object_ref (view);
  actions->session = g_object_ref (tl_view_get_session (view));
  g_object_set_data_full (G_OBJECT (map), "tl-actions", actions, actions_free);
  for (guint i = 0; i < G_N_ELEMENTS (parameters); i++)
    add_parameter (actions, &parameters[i]);
  add_colormap (actions);
  g_action_map_add_action (map, G_ACTION (sharp_zoom));
  g_action_map_add_action_entries (map, entries, G_N_ELEMENTS (entries),
                                   actions);
  follow_objects (actions);
  update_view (actions);
  update_enabled (actions);
}
