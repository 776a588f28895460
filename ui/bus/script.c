#include "ui/bus/script.h"

#include "app/axis/centre-search.h"
#include "data/write/part-file.h"
#include "ui/ui-resources.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gunixfdlist.h>
#include <glib/gi18n.h>
#include <sys/mman.h>
#include <unistd.h>

#define ERROR_NAME "org.tomolens.Tomolens.Error"
#define XML_PATH "/org/tomolens/Tomolens/script.xml"

struct TlScript
{
  GDBusConnection *connection;
  guint id;              /* of the object */
  TlSession *session;    /* (nullable) */
  GActionGroup *actions; /* (nullable): not owned */
  GPtrArray *waiting;    /* of Waiting */
  guint idle_id;         /* source that answers them; 0: none */
};

/* A call that is answered when nothing is awaited any more. */
typedef struct
{
  GDBusMethodInvocation *invocation;
  gboolean wants_picture;
  guint n_failures; /* of earlier requests */
} Waiting;

/* A picture that is on its way into shared memory. */
typedef struct
{
  GDBusMethodInvocation *invocation;
  TlFinishedPicture picture;
  const char *kind; /* constant */
} Handing;

static void
refuse (GDBusMethodInvocation *invocation, const char *why)
{
  g_autofree char *text = g_utf8_make_valid (why, -1);

  g_dbus_method_invocation_return_dbus_error (invocation, ERROR_NAME, text);
}

/* --- a picture --- */

static void
handing_free (gpointer data)
{
  Handing *handing = data;

  tl_finished_picture_clear (&handing->picture);
  g_free (handing);
}

/* Returns: a file in memory that nobody can change any more; -1 with an error
 */
static int
share (const void *pixels, size_t n_bytes, GError **error)
{
  const char *name = _ ("shared memory");
  int fd = memfd_create ("tomolens-picture", MFD_CLOEXEC | MFD_ALLOW_SEALING);

  if (fd < 0)
    tl_set_write_error (error, name, errno, NULL);
  else if (!tl_write_at (fd, name, pixels, n_bytes, 0, error)
           || fcntl (fd, F_ADD_SEALS,
                     F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL)
                  != 0)
    {
      if (error != NULL && *error == NULL)
        tl_set_write_error (error, name, errno, NULL);
      close (fd);
      fd = -1;
    }
  return fd;
}

static void
copy_pixels (GTask *task, gpointer source, gpointer data,
             GCancellable *cancellable)
{
  TlFrame *frame = ((Handing *)data)->picture.frame;
  GError *error = NULL;
  int fd = -1;

  if (tl_frame_fetch (frame, &error))
    fd = share (tl_frame_get_pixels (frame),
                tl_frame_get_n_rows (frame) * tl_frame_get_n_cols (frame)
                    * sizeof (float),
                &error);
  if (fd < 0)
    g_task_return_error (task, error);
  else
    g_task_return_int (task, fd);
}

static void
add_text (GVariantBuilder *facts, const char *name, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);

  g_variant_builder_add (facts, "{sv}", name, g_variant_new_string (valid));
}

/* Returns: (transfer floating): what ReadPicture returns beside the pixels */
static GVariant *
describe (const Handing *handing)
{
  const TlFinishedPicture *picture = &handing->picture;
  g_autofree char *recipe = tl_recipe_to_text (picture->recipe, picture->scan);
  GVariantBuilder facts;

  g_variant_builder_init (&facts, G_VARIANT_TYPE_VARDICT);
  g_variant_builder_add (
      &facts, "{sv}", "rows",
      g_variant_new_uint32 ((guint32)tl_frame_get_n_rows (picture->frame)));
  g_variant_builder_add (
      &facts, "{sv}", "columns",
      g_variant_new_uint32 ((guint32)tl_frame_get_n_cols (picture->frame)));
  add_text (&facts, "picture", handing->kind);
  add_text (&facts, "values", picture->what);
  add_text (&facts, "scan", picture->scan);
  add_text (&facts, "recipe", recipe);
  return g_variant_builder_end (&facts);
}

static void
on_shared (GObject *source, GAsyncResult *result, gpointer data)
{
  Handing *handing = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  g_autoptr (GUnixFDList) list = NULL;
  int fd = (int)g_task_propagate_int (G_TASK (result), &error);

  if (error != NULL)
    {
      refuse (handing->invocation, error->message);
      return;
    }
  list = g_unix_fd_list_new_from_array (&fd, 1);
  g_dbus_method_invocation_return_value_with_unix_fd_list (
      handing->invocation, g_variant_new ("(h@a{sv})", 0, describe (handing)),
      list);
}

static void
hand_over (TlScript *script, GDBusMethodInvocation *invocation)
{
  TlDisplay *display = script->session->display;
  TlFinishedPicture picture = { 0 };
  g_autoptr (GTask) task = NULL;
  g_autoptr (GError) error = NULL;
  Handing *handing;

  if (!tl_display_get_finished (display, &picture, &error))
    {
      refuse (invocation, error->message);
      return;
    }
  handing = g_new (Handing, 1);
  *handing = (Handing){ invocation, picture,
                        tl_picture_names[tl_display_get_picture (display)] };
  task = g_task_new (NULL, NULL, on_shared, NULL);
  g_task_set_task_data (task, handing, handing_free);
  g_task_run_in_thread (task, copy_pixels);
}

/* --- waiting --- */

static gboolean
is_searching (TlSession *session)
{
  TlCentreSearchState state =
      tl_centre_search_get_state (tl_session_get_centre_search (session));

  return state == TL_CENTRE_SEARCH_READING
         || state == TL_CENTRE_SEARCH_ESTIMATING;
}

/* Returns: whether @waiting can be answered: by an error at once, else when the
 * search of the axis at the opening has set the centre, too */
static gboolean
is_settled (TlSession *session, const Waiting *waiting)
{
  if (tl_requests_is_awaited (session->requests)
      || tl_scan_source_is_opening (session->source))
    return FALSE;
  return tl_requests_count_failures (session->requests) != waiting->n_failures
         || (!is_searching (session)
             && !tl_display_shows_preview (session->display)
             && !tl_display_is_composing (session->display));
}

static void
answer (TlScript *script, const Waiting *waiting)
{
  TlRequests *requests = script->session->requests;

  if (tl_requests_count_failures (requests) != waiting->n_failures)
    refuse (waiting->invocation, tl_requests_get_failure (requests));
  else if (waiting->wants_picture)
    hand_over (script, waiting->invocation);
  else
    g_dbus_method_invocation_return_value (waiting->invocation, NULL);
}

static gboolean
answer_settled (gpointer data)
{
  TlScript *script = data;

  script->idle_id = 0;
  for (guint i = 0; i < script->waiting->len;)
    {
      Waiting *waiting = script->waiting->pdata[i];

      if (is_settled (script->session, waiting))
        {
          answer (script, waiting);
          g_ptr_array_remove_index (script->waiting, i);
        }
      else
        i++;
    }
  return G_SOURCE_REMOVE;
}

/* Answers when all handlers of a change have run: one of them may request
 * another picture. */
static void
answer_soon (TlScript *script)
{
  if (script->waiting->len > 0 && script->idle_id == 0)
    script->idle_id = g_idle_add (answer_settled, script);
}

/* @n_failures: of the requests before the call */
static void
wait (TlScript *script, GDBusMethodInvocation *invocation,
      gboolean wants_picture, guint n_failures)
{
  Waiting *waiting = g_new (Waiting, 1);

  *waiting = (Waiting){ invocation, wants_picture, n_failures };
  g_ptr_array_add (script->waiting, waiting);
  answer_soon (script);
}

/* --- the methods --- */

static void
open_scan (TlScript *script, GVariant *arguments,
           GDBusMethodInvocation *invocation)
{
  TlSession *session = script->session;
  const guint n_failures = tl_requests_count_failures (session->requests);
  g_autoptr (GVariant) name = g_variant_get_child_value (arguments, 0);
  g_autoptr (GVariant) places = g_variant_get_child_value (arguments, 1);
  g_autofree char *message = NULL;

  tl_messages_dismiss (session->messages);
  if (g_variant_n_children (places) > 0)
    g_action_group_activate_action (script->actions, "open-places", arguments);
  else
    g_action_group_activate_action (script->actions, "open", name);
  g_object_get (session->messages, "message", &message, NULL);
  if (message != NULL && !tl_scan_source_is_opening (session->source))
    refuse (invocation, message);
  else
    wait (script, invocation, FALSE, n_failures);
}

/* @recipe: the present parameters, which get @values. @rest: a copy, which gets
 * those for which the scan has not to be opened again. Returns: %FALSE with
 * TL_ERROR_VALUE if one of them is not allowed */
static gboolean
fill_recipes (TlRecipe *recipe, TlRecipe *rest, GVariant *values,
              GError **error)
{
  GVariantIter iter;
  const char *name;
  GVariant *value;
  gboolean good = TRUE;

  g_variant_iter_init (&iter, values);
  while (good && g_variant_iter_next (&iter, "{&sv}", &name, &value))
    {
      const TlParamSpec *key = tl_recipe_find_key (name, error);

      good = key != NULL && tl_recipe_set_value (recipe, key, value, error)
             && (key->reopens || tl_recipe_set_value (rest, key, value, error));
      g_variant_unref (value);
    }
  return good;
}

static gboolean
set_each (TlParameters *parameters, GVariant *values, GError **error)
{
  GVariantIter iter;
  const char *name;
  GVariant *value;
  gboolean good = TRUE;

  g_variant_iter_init (&iter, values);
  while (good && g_variant_iter_next (&iter, "{&sv}", &name, &value))
    {
      good = tl_parameters_set_value (parameters, name, value, error);
      g_variant_unref (value);
    }
  return good;
}

/* In one change of the open scan, unless it is opened again. Nothing is set
 * until all that the open scan can judge is known to be good. */
static gboolean
set_all (TlSession *session, GVariant *values, GError **error)
{
  const TlRecipe *present = tl_parameters_get_recipe (session->parameters);
  g_autoptr (TlRecipe) recipe = tl_recipe_dup (present);
  g_autoptr (TlRecipe) rest = tl_recipe_dup (present);

  if (!fill_recipes (recipe, rest, values, error)
      || (tl_scan_source_is_open (session->source)
          && !tl_scan_source_resolve (session->source, rest, error)))
    return FALSE;
  if (!tl_recipe_reads_alike (recipe, rest)
      || !tl_scan_source_is_open (session->source)
      || tl_scan_source_is_opening (session->source))
    return set_each (session->parameters, values, error);
  if (!tl_scan_source_resolve (session->source, recipe, error))
    return FALSE;
  tl_parameters_set_recipe (session->parameters, recipe);
  return TRUE;
}

static void
set_values (TlScript *script, GVariant *arguments,
            GDBusMethodInvocation *invocation)
{
  g_autoptr (GVariant) values = g_variant_get_child_value (arguments, 0);
  g_autoptr (GError) error = NULL;

  if (set_all (script->session, values, &error))
    g_dbus_method_invocation_return_value (invocation, NULL);
  else
    refuse (invocation, error->message);
}

static void
on_call (GDBusConnection *connection, const char *sender, const char *path,
         const char *interface, const char *method, GVariant *arguments,
         GDBusMethodInvocation *invocation, gpointer data)
{
  TlScript *script = data;

  if (g_str_equal (method, "Open"))
    open_scan (script, arguments, invocation);
  else if (g_str_equal (method, "Set"))
    set_values (script, arguments, invocation);
  else
    wait (script, invocation, TRUE,
          tl_requests_count_failures (script->session->requests));
}

/* --- life --- */

static GDBusInterfaceInfo *
make_info (void)
{
  g_autoptr (GBytes) xml =
      g_resource_lookup_data (tl_ui_get_resource (), XML_PATH, 0, NULL);
  g_autoptr (GDBusNodeInfo) node =
      g_dbus_node_info_new_for_xml (g_bytes_get_data (xml, NULL), NULL);

  return g_dbus_interface_info_ref (node->interfaces[0]);
}

TlScript *
tl_script_new (GDBusConnection *connection, const char *path, GError **error)
{
  static const GDBusInterfaceVTable functions = { .method_call = on_call };
  GDBusInterfaceInfo *info = make_info ();
  g_autoptr (TlScript) script = g_new0 (TlScript, 1);

  script->waiting = g_ptr_array_new_with_free_func (g_free);
  script->connection = g_object_ref (connection);
  script->id = g_dbus_connection_register_object (
      connection, path, info, &functions, script, NULL, error);
  g_dbus_interface_info_unref (info);
  return script->id != 0 ? g_steal_pointer (&script) : NULL;
}

void
tl_script_set_session (TlScript *script, TlSession *session,
                       GActionGroup *actions)
{
  static const char *const part_signals[] = {
    "notify::awaited", "notify::opening", "notify::frame", "notify::comparison",
    "notify::state"
  };
  gpointer parts[] = { session->requests, session->source, session->display,
                       session->display,
                       tl_session_get_centre_search (session) };

  g_return_if_fail (script->session == NULL);
  script->session = g_object_ref (session);
  script->actions = actions;
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    g_signal_connect_swapped (parts[i], part_signals[i],
                              G_CALLBACK (answer_soon), script);
}

void
tl_script_free (TlScript *script)
{
  TlSession *session = script->session;

  if (session != NULL)
    {
      gpointer parts[] = { session->requests, session->source, session->display,
                           tl_session_get_centre_search (session) };

      for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
        g_signal_handlers_disconnect_by_data (parts[i], script);
    }
  g_clear_handle_id (&script->idle_id, g_source_remove);
  for (guint i = 0; i < script->waiting->len; i++)
    refuse (((Waiting *)script->waiting->pdata[i])->invocation,
            _ ("the window was closed"));
  if (script->id != 0)
    g_dbus_connection_unregister_object (script->connection, script->id);
  g_ptr_array_unref (script->waiting);
  g_object_unref (script->connection);
  g_clear_object (&script->session);
  g_free (script);
}
