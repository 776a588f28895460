#include "tests/ui/window/random-acts.h"

#include "app/axis/candidates/candidates.h"
#include "app/axis/centre-copy.h"
#include "app/axis/overlay/overlay.h"
#include "render/look/volume-look.h"
#include "tests/ui/window/chance.h"

void
random_acts_init (RandomActs *acts, Driver *driver, GPtrArray *files)
{
  const char *address = g_getenv ("DBUS_SESSION_BUS_ADDRESS");
  g_autoptr (GError) error = NULL;

  *acts = (RandomActs){ .driver = driver, .files = files };
  if (address == NULL)
    return;
  acts->bus = g_dbus_connection_new_for_address_sync (
      address,
      G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT
          | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
      NULL, NULL, &error);
  g_assert_no_error (error);
}

void
random_acts_clear (RandomActs *acts)
{
  g_clear_object (&acts->bus);
}

static char *
pick_new_path (RandomActs *acts)
{
  g_autofree char *name = g_strdup_printf ("made-%d", chance_pick (1000));

  return g_build_filename (acts->driver->folder,
                           chance_pick (8) == 0 ? "no/no" : "", name, NULL);
}

/* Picks a word for an action whose state hint does not list its words. Returns:
 * (nullable) */
static const char *
pick_word (const char *action)
{
  static const struct
  {
    const char *action;
    const char *const *words;
    int n;
  } known[] = {
    { "view", tl_picture_names, TL_N_PICTURES },
    { "view", tl_page_names, TL_N_PAGES },
    { "compare", tl_compare_mode_names, TL_N_COMPARE_MODES },
    { "overlay", tl_overlay_mode_names, TL_N_OVERLAY_MODES },
    { "candidates-region", tl_candidates_region_names,
      TL_N_CANDIDATES_REGIONS },
    { "candidates-metric", tl_candidate_metric_names, TL_N_CANDIDATE_METRICS },
    { "volume-way", tl_volume_way_names, TL_N_VOLUME_WAYS },
    { "copy-centre-as", tl_centre_program_names, TL_N_CENTRE_PROGRAMS },
  };
  const char *word = NULL;
  int n = 0;

  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (strcmp (known[i].action, action) == 0 && chance_pick (++n) == 0)
      word = known[i].words[chance_pick (known[i].n)];
  return word;
}

static const char *
pick_choice (const char *action, GVariant *hint)
{
  const char *word = pick_word (action);

  if (chance_pick (8) == 0)
    return chance_rubbish ();
  if (word != NULL)
    return word;
  if (hint == NULL || !g_variant_is_of_type (hint, G_VARIANT_TYPE ("a(ss)"))
      || g_variant_n_children (hint) == 0)
    return chance_rubbish ();
  g_variant_get_child (hint,
                       (gsize)chance_pick ((int)g_variant_n_children (hint)),
                       "(&s&s)", &word, NULL);
  return word;
}

/* Returns: (transfer floating): a value of @type, sensible or not */
static GVariant *
pick_value (RandomActs *acts, const char *action, const GVariantType *type,
            GVariant *hint)
{
  if (strcmp (action, "open") == 0)
    return g_variant_new_string (
        acts->files->pdata[chance_pick ((int)acts->files->len)]);
  if ((g_str_has_prefix (action, "save-") && g_str_has_suffix (action, "-as"))
      || strcmp (action, "export") == 0)
    {
      g_autofree char *path = pick_new_path (acts);

      return g_variant_type_equal (type, G_VARIANT_TYPE_STRING)
                 ? g_variant_new_string (path)
                 : g_variant_new_parsed (
                     "{'path': <%s>, 'first': <%u>, 'last': <%u>}", path,
                     (guint)chance_pick (4), (guint)chance_pick (6));
    }
  if (g_variant_type_equal (type, G_VARIANT_TYPE_STRING))
    return g_variant_new_string (pick_choice (action, hint));
  if (g_variant_type_equal (type, G_VARIANT_TYPE_DOUBLE))
    return g_variant_new_double (chance_double ());
  if (g_variant_type_equal (type, G_VARIANT_TYPE_BOOLEAN))
    return g_variant_new_boolean (chance_pick (2) == 0);
  if (g_variant_type_equal (type, G_VARIANT_TYPE_UINT32))
    return g_variant_new_uint32 (
        chance_pick (8) == 0 ? G_MAXUINT32 : (guint32)chance_pick (100));
  if (g_variant_type_equal (type, G_VARIANT_TYPE_INT32))
    return g_variant_new_int32 (chance_pick (8) == 0 ? G_MININT32
                                                     : chance_pick (21) - 10);
  if (g_variant_type_equal (type, G_VARIANT_TYPE ("(dddd)")))
    return g_variant_new ("(dddd)", chance_double (), chance_double (),
                          chance_double (), chance_double ());
  if (g_variant_type_equal (type, G_VARIANT_TYPE ("(dd)")))
    return g_variant_new ("(dd)", chance_double (), chance_double ());
  if (g_variant_type_equal (type, G_VARIANT_TYPE ("a(dd)")))
    return g_variant_new_parsed ("[(%d, %d), (%d, 0.5)]", chance_double (),
                                 chance_double (), chance_double ());
  if (g_variant_type_equal (type, G_VARIANT_TYPE ("(dddddd)")))
    return g_variant_new ("(dddddd)", chance_double (), chance_double (),
                          chance_double (), chance_double (), chance_double (),
                          chance_double ());
  if (g_variant_type_equal (type, G_VARIANT_TYPE ("(sa{ss})")))
    return g_variant_new_parsed (
        "(%s, {'data-path': '/exchange/data'})",
        (const char *)acts->files->pdata[chance_pick ((int)acts->files->len)]);
  g_error ("the action %s takes a type that this test cannot make", action);
}

static void
call (RandomActs *acts, const char *method, GVariant *parameters)
{
  if (acts->bus == NULL)
    {
      g_variant_unref (g_variant_ref_sink (parameters));
      return;
    }
  g_dbus_connection_call (
      acts->bus, TL_APPLICATION_ID, "/org/tomolens/Tomolens", "org.gtk.Actions",
      method, parameters, NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL, NULL, NULL);
}

static GVariant *
no_platform_data (void)
{
  return g_variant_new_array (G_VARIANT_TYPE ("{sv}"), NULL, 0);
}

void
random_acts_do (RandomActs *acts)
{
  GActionGroup *group = G_ACTION_GROUP (acts->driver->application);
  g_auto (GStrv) names = g_action_group_list_actions (group);
  const char *name = names[chance_pick ((int)g_strv_length (names))];
  const GVariantType *type =
      g_action_group_get_action_parameter_type (group, name);
  const GVariantType *state_type =
      g_action_group_get_action_state_type (group, name);
  g_autoptr (GVariant) hint =
      g_action_group_get_action_state_hint (group, name);

  if (strcmp (name, "quit") == 0)
    return;
  if (state_type != NULL && chance_pick (2) == 0)
    call (acts, "SetState",
          g_variant_new ("(sv@a{sv})", name,
                         pick_value (acts, name, state_type, hint),
                         no_platform_data ()));
  else
    {
      GVariantBuilder parameter;

      g_variant_builder_init (&parameter, G_VARIANT_TYPE ("av"));
      if (type != NULL)
        g_variant_builder_add (&parameter, "v",
                               pick_value (acts, name, type, hint));
      call (
          acts, "Activate",
          g_variant_new ("(sav@a{sv})", name, &parameter, no_platform_data ()));
    }
}
