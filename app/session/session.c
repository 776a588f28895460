/* The requests of the session, sent as jobs to the worker. Replies are handled
 * in replies.c, recipe files and the history in parameters.c, and view.c has
 * the functions that only read the state.
 *
 * The recipe holds the requested parameters. A change takes effect in it at
 * once. If its picture cannot be made and there is no newer request, the recipe
 * returns to the one of the shown picture, so that the controls always match
 * the picture. */
#include "app/session/session.h"

#include "app/session/session-private.h"

#include "data/error.h"

#include <glib/gi18n.h>
#include <string.h>

enum
{
  PROP_0,
  PROP_SCAN_OPEN,
  PROP_PATH,
  PROP_BUSY,
  PROP_PARAMETERS,
  PROP_SLICE,
  PROP_CENTRE,
  PROP_FRAME,
  PROP_MESSAGE,
  PROP_NOTICE,
  PROP_EXPORTING,
  PROP_PROGRESS,
  PROP_FETCH,
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

void
tl_session_show_message (TlSession *session, char *message, gboolean stays)
{
  if (g_strcmp0 (session->message, message) == 0)
    {
      g_free (message);
      return;
    }
  g_free (session->message);
  session->message = message;
  session->message_stays = stays;
  g_object_notify (G_OBJECT (session), "message");
}

void
tl_session_show_notice (TlSession *session, char *notice)
{
  const gboolean is_new = g_strcmp0 (session->notice, notice) != 0;
  g_free (session->notice);
  session->notice = notice;
  if (is_new)
    g_object_notify (G_OBJECT (session), "notice");
}

void
tl_session_tell (TlSession *session, const char *sentence)
{
  g_return_if_fail (TL_IS_SESSION (session));
  tl_session_show_notice (session, g_strdup (sentence));
}

void
tl_session_dismiss (TlSession *session)
{
  g_return_if_fail (TL_IS_SESSION (session));
  tl_session_show_message (session, NULL, FALSE);
  tl_session_show_notice (session, NULL);
}

void
tl_session_take_recipe (TlSession *session, TlRecipe *recipe)
{
  g_autoptr (TlRecipe) old = session->recipe;
  tl_session_leave_cost (session);
  session->recipe = recipe;
  session->parameters++;
  if (session->scan != NULL && session->opening == NULL)
    tl_history_note (session->history, recipe, g_get_monotonic_time ());
  g_object_freeze_notify (G_OBJECT (session));
  g_object_notify (G_OBJECT (session), "parameters");
  if (old->slice != recipe->slice)
    g_object_notify (G_OBJECT (session), "slice");
  if (old->params.centre_col != recipe->params.centre_col)
    g_object_notify (G_OBJECT (session), "centre");
  g_object_thaw_notify (G_OBJECT (session));
}

TlJob *
tl_session_make_job (TlSession *session, TlJobKind kind, const TlRecipe *recipe,
                     const char *path)
{
  TlJob *job = g_new0 (TlJob, 1);
  job->kind = kind;
  job->serial = ++session->last_serial;
  job->path = g_strdup (path);
  job->recipe = tl_recipe_dup (recipe);
  job->fetch = session->fetch;
  return job;
}

void
tl_session_push_request (TlSession *session, TlJob *job)
{
  const gboolean was_busy = tl_session_is_busy (session);
  g_clear_handle_id (&session->rest_id, g_source_remove);
  tl_session_forget_detail (session);
  session->wanted_serial = job->serial;
  tl_worker_push (session->worker, job);
  if (!was_busy)
    g_object_notify (G_OBJECT (session), "busy");
}

void
tl_session_forget_changes (TlSession *session)
{
  g_ptr_array_unref (session->changes);
  session->changes =
      g_ptr_array_new_with_free_func ((GDestroyNotify)g_variant_unref);
}

void
tl_session_forget_opening (TlSession *session)
{
  g_clear_pointer (&session->opening, tl_recipe_free);
  g_clear_pointer (&session->opening_path, g_free);
  session->opening_serial = 0;
  tl_session_forget_changes (session);
}

/* Parameters set from now until the reply are applied to the open scan and
 * recorded, to be applied to the new one as well. */
void
tl_session_start_open (TlSession *session, const char *path, TlRecipe *recipe)
{
  TlJob *job = tl_session_make_job (session, TL_JOB_OPEN, recipe, path);
  g_autofree char *kept_path = g_strdup (path);
  tl_session_show_notice (session, NULL);
  /* The message belongs to the previous scan, so clear it even if it is meant
   * to stay. */
  tl_session_show_message (session, NULL, FALSE);
  tl_session_leave_cost (session);
  if (g_strcmp0 (kept_path, session->opening_path) != 0)
    tl_session_forget_changes (session);
  g_clear_pointer (&session->opening, tl_recipe_free);
  g_free (session->opening_path);
  session->opening = recipe;
  session->opening_path = g_steal_pointer (&kept_path);
  session->opening_serial = job->serial;
  session->opened_at_once = FALSE;
  tl_session_push_request (session, job);
}

void
tl_session_open (TlSession *session, const char *path)
{
  g_return_if_fail (TL_IS_SESSION (session));
  g_return_if_fail (path != NULL);
  if (tl_session_is_recipe (path))
    {
      tl_session_open_recipe (session, path, NULL);
      return;
    }
  TlRecipe *recipe = tl_recipe_dup (session->recipe);
  if (session->scan != NULL && strcmp (session->scan->path, path) != 0)
    tl_recipe_forget_scan (recipe);
  tl_session_start_open (session, path, recipe);
}

/* Opens the scan that is being opened, or else the open scan, again with the
 * new value. */
static gboolean
set_and_reopen (TlSession *session, const TlParameter *key, GVariant *value,
                GError **error)
{
  const TlRecipe *base =
      session->opening != NULL ? session->opening : session->recipe;
  g_autoptr (TlRecipe) recipe = tl_recipe_dup (base);
  if (!tl_recipe_set_value (recipe, key, value, error))
    return FALSE;
  if (key->picks_files) /* other files may have other flat fields */
    recipe->flat_field_known = recipe->minus_log_known = FALSE;
  g_autofree char *path = g_strdup (
      session->opening != NULL ? session->opening_path : session->scan->path);
  tl_session_start_open (session, path, g_steal_pointer (&recipe));
  return TRUE;
}

/* @value: (transfer none), not floating */
static gboolean
set_value (TlSession *session, const TlParameter *key, GVariant *value,
           GError **error)
{
  if (key->reopens && (session->scan != NULL || session->opening != NULL))
    return set_and_reopen (session, key, value, error);

  g_autoptr (TlRecipe) recipe = tl_recipe_dup (session->recipe);
  if (!tl_recipe_set_value (recipe, key, value, error)
      || (session->scan != NULL
          && !tl_session_resolve (session, recipe, error)))
    return FALSE;
  if (session->opening != NULL)
    g_ptr_array_add (session->changes, g_variant_ref_sink (g_variant_new (
                                           "(sv)", key->key, value)));
  if (tl_recipe_is_equal (session->recipe, recipe, key))
    return TRUE;
  tl_session_take_recipe (session, g_steal_pointer (&recipe));
  if (session->scan != NULL && session->opening == NULL)
    tl_session_ask_for_frame (session);
  return TRUE;
}

gboolean
tl_session_set_value (TlSession *session, const char *word, GVariant *value,
                      GError **error)
{
  g_return_val_if_fail (TL_IS_SESSION (session), FALSE);
  g_return_val_if_fail (word != NULL && value != NULL, FALSE);
  g_autoptr (GVariant) owned = g_variant_ref_sink (value);
  const TlParameter *key = tl_recipe_find_key (word, error);
  return key != NULL && set_value (session, key, owned, error);
}

gboolean
tl_session_set (TlSession *session, const char *word, const char *value,
                GError **error)
{
  g_return_val_if_fail (value != NULL, FALSE);
  return tl_session_set_value (session, word, g_variant_new_string (value),
                               error);
}

gboolean
tl_session_set_opening (TlSession *session, const char *word, const char *value,
                        GError **error)
{
  g_return_val_if_fail (TL_IS_SESSION (session), FALSE);
  g_return_val_if_fail (word != NULL && value != NULL, FALSE);
  const TlParameter *key = tl_recipe_find_key (word, error);
  if (key == NULL)
    return FALSE;
  if (session->opening != NULL)
    {
      g_autoptr (GVariant) text =
          g_variant_ref_sink (g_variant_new_string (value));
      return set_and_reopen (session, key, text, error);
    }
  if (session->opened_at_once)
    return tl_session_set (session, word, value, error);
  g_set_error (error, TL_ERROR, TL_ERROR_VALUE,
               _ ("%s is for a scan, and none is being opened"), word);
  return FALSE;
}

void
tl_session_set_slice (TlSession *session, guint slice)
{
  g_return_if_fail (TL_IS_SESSION (session));
  if (session->scan != NULL)
    slice = MIN (slice, (guint)session->scan->n_rows - 1);
  tl_session_set_value (session, "slice", g_variant_new_uint32 (slice), NULL);
}

/* A centre outside the detector is refused: the banner shows the error, and the
 * notification resets the control. */
void
tl_session_set_centre (TlSession *session, double centre_col)
{
  g_return_if_fail (TL_IS_SESSION (session));
  g_autoptr (GError) error = NULL;
  if (tl_session_set_value (session, "centre",
                            g_variant_new_double (centre_col), &error))
    return;
  tl_session_show_message (session, g_strdup (error->message), FALSE);
  g_object_notify (G_OBJECT (session), "centre");
}

/* --- the object --- */

static void
set_fetch (TlSession *session, gboolean fetch)
{
  if (session->fetch == fetch)
    return;
  session->fetch = fetch;
  g_object_notify (G_OBJECT (session), "fetch");
  if (!fetch || session->frame == NULL || session->opening != NULL
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
    case PROP_SLICE:
      tl_session_set_slice (session, g_value_get_uint (value));
      break;
    case PROP_CENTRE:
      tl_session_set_centre (session, g_value_get_double (value));
      break;
    case PROP_FETCH:
      set_fetch (session, g_value_get_boolean (value));
      break;
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
    case PROP_SCAN_OPEN:
      g_value_set_boolean (value, session->scan != NULL);
      break;
    case PROP_PATH:
      g_value_set_string (value,
                          session->scan != NULL ? session->scan->path : NULL);
      break;
    case PROP_BUSY:
      g_value_set_boolean (value, tl_session_is_busy (session));
      break;
    case PROP_PARAMETERS:
      g_value_set_uint (value, session->parameters);
      break;
    case PROP_SLICE:
      g_value_set_uint (value, tl_session_get_slice (session));
      break;
    case PROP_CENTRE:
      g_value_set_double (value, tl_session_get_centre (session));
      break;
    case PROP_FRAME:
      g_value_set_pointer (value, tl_session_get_frame (session));
      break;
    case PROP_MESSAGE:
      g_value_set_string (value, session->message);
      break;
    case PROP_NOTICE:
      g_value_set_string (value, session->notice);
      break;
    case PROP_EXPORTING:
      g_value_set_boolean (value, session->export_serial != 0);
      break;
    case PROP_PROGRESS:
      g_value_set_double (value, session->progress);
      break;
    case PROP_FETCH:
      g_value_set_boolean (value, session->fetch);
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
  g_clear_handle_id (&session->rest_id, g_source_remove);
  tl_session_forget_detail (session);
  g_clear_pointer (&session->tasks, tl_tasks_free);
  g_clear_pointer (&session->worker, tl_worker_free);
  g_clear_weak_pointer (&session->composite);
  tl_session_forget_opening (session);
  g_ptr_array_unref (session->changes);
  g_clear_pointer (&session->recipe, tl_recipe_free);
  g_clear_pointer (&session->history, tl_history_free);
  g_clear_pointer (&session->shown, tl_recipe_free);
  g_clear_pointer (&session->whole, tl_recipe_free);
  g_clear_pointer (&session->scan, tl_scan_summary_free);
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
  g_free (session->message);
  g_free (session->notice);
  g_free (session->export_folder);
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

  props[PROP_SCAN_OPEN] =
      g_param_spec_boolean ("scan-open", NULL, NULL, FALSE, read);
  props[PROP_PATH] = g_param_spec_string ("path", NULL, NULL, NULL, read);
  props[PROP_BUSY] = g_param_spec_boolean ("busy", NULL, NULL, FALSE, read);
  props[PROP_PARAMETERS] =
      g_param_spec_uint ("parameters", NULL, NULL, 0, G_MAXUINT, 0, read);
  props[PROP_SLICE] =
      g_param_spec_uint ("slice", NULL, NULL, 0, G_MAXUINT, 0, write);
  props[PROP_CENTRE] = g_param_spec_double ("centre", NULL, NULL, -G_MAXDOUBLE,
                                            G_MAXDOUBLE, 0, write);
  props[PROP_FRAME] = g_param_spec_pointer ("frame", NULL, NULL, read);
  props[PROP_MESSAGE] = g_param_spec_string ("message", NULL, NULL, NULL, read);
  props[PROP_NOTICE] = g_param_spec_string ("notice", NULL, NULL, NULL, read);
  props[PROP_EXPORTING] =
      g_param_spec_boolean ("exporting", NULL, NULL, FALSE, read);
  props[PROP_PROGRESS] =
      g_param_spec_double ("progress", NULL, NULL, 0, 1, 0, read);
  props[PROP_FETCH] = g_param_spec_boolean ("fetch", NULL, NULL, FALSE, write);
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
  session->recipe = tl_recipe_new ();
  session->history = tl_history_new ();
  session->sharp_zoom = TRUE;
  session->changes =
      g_ptr_array_new_with_free_func ((GDestroyNotify)g_variant_unref);
  tl_session_make_comparison (session);
  session->worker = tl_worker_new (tl_session_take_reply, session);
  session->tasks = tl_tasks_new (session->worker);
}

TlSession *
tl_session_new (void)
{
  return g_object_new (TL_TYPE_SESSION, NULL);
}
