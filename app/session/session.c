#include "app/session/session.h"

#include "app/session/session-private.h"

#include "data/error.h"

#include <glib/gi18n.h>
#include <string.h>

enum
{
  PROP_0,
  PROP_FRAME,
  PROP_EXPORTING,
  PROP_PROGRESS,
  PROP_PRECISION_COST,
  PROP_CAPTION,
  PROP_PICTURE,
  PROP_DETAIL,
  PROP_SHARP_ZOOM,
  PROP_COMPARISON,
  N_PROPS
};

static GParamSpec *props[N_PROPS];

G_DEFINE_FINAL_TYPE (TlSession, tl_session, G_TYPE_OBJECT)

TlMessages *
tl_session_get_messages (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), NULL);
  return session->messages;
}

TlRequests *
tl_session_get_requests (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), NULL);
  return session->requests;
}

TlScanSource *
tl_session_get_source (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), NULL);
  return session->source;
}

TlParameters *
tl_session_get_parameters (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), NULL);
  return session->parameters;
}

TlTasks *
tl_session_get_tasks (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), NULL);
  return session->tasks;
}

/* --- opening --- */

void
tl_session_open (TlSession *session, const char *path)
{
  g_return_if_fail (TL_IS_SESSION (session));
  g_return_if_fail (path != NULL);
  const TlScanSummary *scan = tl_scan_source_get_summary (session->source);
  if (tl_recipe_has_name (path))
    {
      tl_session_open_recipe (session, path, NULL);
      return;
    }
  TlRecipe *recipe =
      tl_recipe_dup (tl_parameters_get_recipe (session->parameters));
  if (scan != NULL && strcmp (scan->path, path) != 0)
    tl_recipe_forget_scan (recipe);
  session->opened_at_once = FALSE;
  tl_scan_source_start (session->source, path, recipe);
}

static gboolean
is_open (TlSession *session, const char *path)
{
  const TlScanSummary *scan = tl_scan_source_get_summary (session->source);
  if (scan == NULL || tl_scan_source_is_opening (session->source))
    return FALSE;
  g_autofree char *open = g_canonicalize_filename (scan->path, NULL);
  g_autofree char *wanted = g_canonicalize_filename (path, NULL);
  return strcmp (open, wanted) == 0;
}

/* The message about a bad recipe stays while a scan is being opened, which may
 * succeed in the meantime. */
void
tl_session_open_recipe (TlSession *session, const char *path,
                        const char *scan_path)
{
  g_return_if_fail (TL_IS_SESSION (session));
  g_return_if_fail (path != NULL);
  g_autoptr (GError) error = NULL;
  g_autofree char *noted = NULL;
  g_autoptr (TlRecipe) recipe = tl_recipe_load (path, &noted, &error);
  const char *wanted = scan_path != NULL ? scan_path
                       : noted != NULL
                           ? noted
                           : tl_scan_source_get_newest_path (session->source);
  session->opened_at_once = FALSE;
  if (recipe == NULL)
    tl_messages_warn (session->messages,
                      tl_scan_source_is_opening (session->source), "%s",
                      error->message);
  else if (wanted == NULL)
    tl_messages_warn (session->messages, FALSE,
                      _ ("%s: the recipe does not say which scan it is for"),
                      path);
  else if (is_open (session, wanted))
    {
      tl_messages_dismiss (session->messages);
      session->opened_at_once =
          tl_parameters_set_recipe (session->parameters, recipe);
    }
  else
    {
      /* the recipe has all parameters */
      tl_scan_source_forget_changes (session->source);
      tl_scan_source_start (session->source, wanted, g_steal_pointer (&recipe));
    }
}

gboolean
tl_session_set_opening (TlSession *session, const char *key, const char *value,
                        GError **error)
{
  g_return_val_if_fail (TL_IS_SESSION (session), FALSE);
  if (tl_scan_source_is_opening (session->source))
    return tl_parameters_set_and_reopen (session->parameters, key, value,
                                         error);
  if (session->opened_at_once)
    return tl_parameters_set (session->parameters, key, value, error);
  if (tl_recipe_find_key (key, error) != NULL)
    g_set_error (error, TL_ERROR, TL_ERROR_VALUE,
                 _ ("%s needs a scan to be opened with it"), key);
  return FALSE;
}

void
tl_session_take_held (TlSession *session)
{
  g_return_if_fail (TL_IS_SESSION (session));
  const TlRecipe *recipe = tl_slice_comparison_get_recipe (session->comparison);
  if (recipe != NULL)
    tl_parameters_set_recipe_as_step (session->parameters, recipe);
}

/* --- the object --- */

/* Requests the shown picture again if its pixels are not in host memory. */
static void
on_fetch (TlSession *session)
{
  gboolean fetch;
  g_object_get (session->requests, "fetch", &fetch, NULL);
  if (!fetch || session->frame == NULL
      || tl_scan_source_is_opening (session->source)
      || tl_frame_get_pixels (session->frame) != NULL)
    return;
  if (session->cost_serial != 0)
    tl_session_ask_for_cost (session);
  else
    tl_session_ask_for_frame (session);
}

static void
tl_session_set_property (GObject *object, guint prop, const GValue *value,
                         GParamSpec *pspec)
{
  TlSession *session = TL_SESSION (object);
  switch (prop)
    {
    case PROP_PRECISION_COST:
      tl_session_set_precision_cost (session, g_value_get_boolean (value));
      break;
    case PROP_SHARP_ZOOM:
      tl_session_set_sharp_zoom (session, g_value_get_boolean (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop, pspec);
    }
}

static void
tl_session_get_property (GObject *object, guint prop, GValue *value,
                         GParamSpec *pspec)
{
  TlSession *session = TL_SESSION (object);
  switch (prop)
    {
    case PROP_FRAME:
      g_value_set_pointer (value, tl_session_get_frame (session));
      break;
    case PROP_EXPORTING:
      g_value_set_boolean (value, session->export_serial != 0);
      break;
    case PROP_PROGRESS:
      g_value_set_double (value, session->progress);
      break;
    case PROP_PRECISION_COST:
      g_value_set_boolean (value, tl_session_get_precision_cost (session));
      break;
    case PROP_CAPTION:
      g_value_set_string (value, session->caption);
      break;
    case PROP_PICTURE:
      g_value_set_uint (value, session->choice.picture);
      break;
    case PROP_DETAIL:
      g_value_set_pointer (value, session->detail);
      break;
    case PROP_SHARP_ZOOM:
      g_value_set_boolean (value, session->sharp_zoom);
      break;
    case PROP_COMPARISON:
      g_value_set_uint (value, session->comparison_changes);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop, pspec);
    }
}

static void
tl_session_finalize (GObject *object)
{
  TlSession *session = TL_SESSION (object);
  tl_session_cancel_export (session);
  tl_requests_stop (session->requests);
  tl_session_forget_detail (session);
  g_clear_pointer (&session->tasks, tl_tasks_free);
  g_clear_weak_pointer (&session->composite);
  g_clear_pointer (&session->shown, tl_recipe_free);
  g_clear_pointer (&session->whole, tl_recipe_free);
  g_clear_pointer (&session->frame, tl_frame_unref);
  tl_session_forget_measured_views (session);
  g_object_run_dispose (G_OBJECT (session->comparison));
  g_clear_object (&session->comparison);
  g_clear_pointer (&session->detail, tl_frame_unref);
  g_clear_object (&session->export_cancellable);
  g_clear_object (&session->cost_cancellable);
  tl_precision_cost_clear (&session->cost);
  g_free (session->caption);
  g_free (session->engine);
  g_free (session->device);
  g_free (session->export_folder);
  g_clear_object (&session->parameters);
  g_clear_object (&session->source);
  g_clear_object (&session->messages);
  g_clear_object (&session->requests);
  G_OBJECT_CLASS (tl_session_parent_class)->finalize (object);
}

static void
tl_session_class_init (TlSessionClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags read =
      G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;
  const GParamFlags write = read | G_PARAM_WRITABLE;
  object_class->set_property = tl_session_set_property;
  object_class->get_property = tl_session_get_property;
  object_class->finalize = tl_session_finalize;

  props[PROP_FRAME] = g_param_spec_pointer ("frame", NULL, NULL, read);
  props[PROP_EXPORTING] =
      g_param_spec_boolean ("exporting", NULL, NULL, FALSE, read);
  props[PROP_PROGRESS] =
      g_param_spec_double ("progress", NULL, NULL, 0, 1, 0, read);
  props[PROP_PRECISION_COST] =
      g_param_spec_boolean ("precision-cost", NULL, NULL, FALSE, write);
  props[PROP_CAPTION] = g_param_spec_string ("caption", NULL, NULL, NULL, read);
  props[PROP_PICTURE] =
      g_param_spec_uint ("picture", NULL, NULL, 0, TL_N_PICTURES - 1, 0, read);
  props[PROP_DETAIL] = g_param_spec_pointer ("detail", NULL, NULL, read);
  props[PROP_SHARP_ZOOM] =
      g_param_spec_boolean ("sharp-zoom", NULL, NULL, TRUE, write);
  props[PROP_COMPARISON] =
      g_param_spec_uint ("comparison", NULL, NULL, 0, G_MAXUINT, 0, read);
  g_object_class_install_properties (object_class, N_PROPS, props);
}

static void
tl_session_init (TlSession *session)
{
  session->messages = tl_messages_new ();
  session->requests = tl_requests_new (tl_session_take_reply, session);
  session->source = tl_scan_source_new (session->requests, session->messages);
  session->parameters =
      tl_parameters_new (session->source, session->requests, session->messages);
  session->tasks = tl_tasks_new (session->requests, session->source);
  session->sharp_zoom = TRUE;
  tl_session_make_comparison (session);
  g_signal_connect_object (session->requests, "notify::fetch",
                           G_CALLBACK (on_fetch), session, G_CONNECT_SWAPPED);
  g_signal_connect_object (session->source, "notify::opening",
                           G_CALLBACK (tl_session_leave_cost), session,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session->parameters, "notify::recipe",
                           G_CALLBACK (tl_session_leave_cost), session,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session->parameters, "requested",
                           G_CALLBACK (tl_session_ask_for_frame), session,
                           G_CONNECT_SWAPPED);
}

TlSession *
tl_session_new (void)
{
  return g_object_new (TL_TYPE_SESSION, NULL);
}
