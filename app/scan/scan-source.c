#include "app/scan/scan-source.h"

#include "data/stream/stream.h"

#include <string.h>

struct _TlScanSource
{
  GObject parent;
  TlRequests *requests;
  TlMessages *messages;

  TlScanSummary *summary; /* (nullable) */
  char *name;             /* (nullable) */
  char *confirmed;        /* (nullable): the folder whose files are */
  GPtrArray *seen;        /* (nullable): texts of its notes that are confirmed;
                             NULL until it is open */

  TlRecipe *opening;         /* (nullable): of the scan being opened */
  TlRecipe *anew;            /* (nullable): as of tl_scan_source_start() */
  char *opening_path;        /* (nullable) */
  guint64 opening_serial;    /* of its job; 0: none */
  GCancellable *cancellable; /* (nullable): of its job */
  GPtrArray *changes;        /* GVariants (sv) set during opening */

  TlHeld *held, *opening_held; /* (nullable): of the scan that is open, and of
                                  the one being opened */
  char *copy; /* (nullable): the file in which held was recorded */
};

enum
{
  PROP_0,
  PROP_PATH,
  PROP_SUMMARY,
  PROP_OPENING,
  N_PROPS
};

static GParamSpec *props[N_PROPS];

G_DEFINE_FINAL_TYPE (TlScanSource, tl_scan_source, G_TYPE_OBJECT)

const TlScanSummary *
tl_scan_source_get_summary (TlScanSource *source)
{
  return source->summary;
}

gboolean
tl_scan_source_is_open (TlScanSource *source)
{
  return source->summary != NULL;
}

const char *
tl_scan_source_get_name (TlScanSource *source)
{
  return source->name;
}

guint64
tl_scan_source_get_serial (TlScanSource *source)
{
  return tl_requests_get_scan (source->requests);
}

gboolean
tl_scan_source_is_opening (TlScanSource *source)
{
  return source->opening != NULL;
}

const TlRecipe *
tl_scan_source_get_opening (TlScanSource *source)
{
  return source->opening;
}

const TlRecipe *
tl_scan_source_get_anew (TlScanSource *source)
{
  return source->anew;
}

const char *
tl_scan_source_get_newest_path (TlScanSource *source)
{
  if (source->opening != NULL)
    return source->opening_path;
  return source->summary != NULL ? source->summary->path : NULL;
}

gboolean
tl_scan_source_resolve (TlScanSource *source, TlRecipe *recipe, GError **error)
{
  const TlScanSummary *scan = source->summary;
  const TlScanInfo info = {
    .path = scan->path,
    .n_projections = scan->n_projections,
    .n_rows = scan->n_rows,
    .n_cols = scan->n_cols,
    .n_flats = scan->n_flats,
    .pixel_size_um = scan->pixel_size_um,
    .covers_turn = scan->covers_turn,
    .is_attenuation = scan->is_attenuation,
  };
  return tl_recipe_resolve (recipe, &info, error);
}

/* --- opening --- */

void
tl_scan_source_forget_changes (TlScanSource *source)
{
  g_clear_pointer (&source->changes, g_ptr_array_unref);
  source->changes =
      g_ptr_array_new_with_free_func ((GDestroyNotify)g_variant_unref);
}

void
tl_scan_source_note_change (TlScanSource *source, const char *key,
                            GVariant *value)
{
  g_ptr_array_add (source->changes,
                   g_variant_ref_sink (g_variant_new ("(sv)", key, value)));
}

TlHeld *
tl_scan_source_find_held (TlScanSource *source, const char *path)
{
  g_return_val_if_fail (TL_IS_SCAN_SOURCE (source), NULL);
  if (g_strcmp0 (path, source->opening_path) == 0)
    return source->opening_held;
  return source->summary != NULL && strcmp (path, source->summary->path) == 0
             ? source->held
             : NULL;
}

gboolean
tl_scan_source_is_held (TlScanSource *source)
{
  g_return_val_if_fail (TL_IS_SCAN_SOURCE (source), FALSE);
  return source->held != NULL;
}

gboolean
tl_scan_source_is_sorted (TlScanSource *source)
{
  TlHeldState state;
  g_return_val_if_fail (TL_IS_SCAN_SOURCE (source), FALSE);
  if (source->held == NULL)
    return TRUE;
  tl_held_get_state (source->held, &state);
  return state.is_sorted;
}

void
tl_scan_source_note_copy (TlScanSource *source, const TlHeld *held,
                          const char *path)
{
  g_return_if_fail (TL_IS_SCAN_SOURCE (source));
  if (held == NULL || held != source->held)
    return;
  g_free (source->copy);
  source->copy = g_strdup (path);
}

const char *
tl_scan_source_get_copy (TlScanSource *source)
{
  g_return_val_if_fail (TL_IS_SCAN_SOURCE (source), NULL);
  return source->copy;
}

const char *
tl_scan_source_get_origin (TlScanSource *source)
{
  g_return_val_if_fail (TL_IS_SCAN_SOURCE (source), NULL);
  return source->copy != NULL && tl_scan_source_is_sorted (source)
             ? source->copy
         : source->summary != NULL ? source->summary->path
                                   : NULL;
}

void
tl_scan_source_start (TlScanSource *source, const char *path, TlRecipe *recipe,
                      TlRecipe *anew, TlHeld *held)
{
  g_return_if_fail (TL_IS_SCAN_SOURCE (source));
  TlJob *job =
      tl_requests_make_job (source->requests, TL_JOB_OPEN, recipe, path);
  g_autofree char *kept_path = g_strdup (path);
  if (g_strcmp0 (kept_path, source->opening_path) != 0)
    tl_scan_source_forget_changes (source);
  g_clear_pointer (&source->opening, tl_recipe_free);
  g_clear_pointer (&source->anew, tl_recipe_free);
  g_free (source->opening_path);
  source->opening = recipe;
  source->anew = anew;
  job->anew = anew != NULL ? tl_recipe_dup (anew) : NULL;
  job->held = held != NULL ? tl_held_ref (held) : NULL;
  job->cancellable = g_cancellable_new ();
  g_set_object (&source->cancellable, job->cancellable);
  g_clear_pointer (&source->opening_held, tl_held_unref);
  source->opening_held = held != NULL ? tl_held_ref (held) : NULL;
  source->opening_path = g_steal_pointer (&kept_path);
  source->opening_serial = job->serial;
  g_object_notify_by_pspec (G_OBJECT (source), props[PROP_OPENING]);
  tl_requests_push (source->requests, job);
}

void
tl_scan_source_stop (TlScanSource *source)
{
  g_return_if_fail (TL_IS_SCAN_SOURCE (source));
  if (source->cancellable != NULL)
    g_cancellable_cancel (source->cancellable);
}

gboolean
tl_scan_source_is_awaited (TlScanSource *source, const TlReply *reply)
{
  return reply->serial == source->opening_serial;
}

GPtrArray *
tl_scan_source_finish (TlScanSource *source)
{
  GPtrArray *changes = g_steal_pointer (&source->changes);
  g_clear_pointer (&source->opening, tl_recipe_free);
  g_clear_pointer (&source->anew, tl_recipe_free);
  g_clear_pointer (&source->opening_path, g_free);
  g_clear_pointer (&source->opening_held, tl_held_unref);
  g_clear_object (&source->cancellable);
  source->opening_serial = 0;
  if (source->seen == NULL) /* it did not open */
    g_clear_pointer (&source->confirmed, g_free);
  tl_scan_source_forget_changes (source);
  g_object_notify_by_pspec (G_OBJECT (source), props[PROP_OPENING]);
  return changes;
}

/* Returns: (transfer full) (element-type utf8): what the notes about files say
 */
static GPtrArray *
list_questions (const TlScanSummary *summary)
{
  GPtrArray *texts = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < summary->notes->len; i++)
    {
      const TlNote *note = summary->notes->pdata[i];
      if (note->is_about_files)
        g_ptr_array_add (texts, g_strdup (note->text));
    }
  return texts;
}

/* What is confirmed asks no more, as long as it says the same. */
static void
clear_questions (TlScanSource *source)
{
  if (source->seen == NULL
      || strcmp (source->confirmed, source->summary->path) != 0)
    return;
  for (guint i = 0; i < source->summary->notes->len; i++)
    {
      TlNote *note = source->summary->notes->pdata[i];
      if (note->is_about_files
          && g_ptr_array_find_with_equal_func (source->seen, note->text,
                                               g_str_equal, NULL))
        note->asks = FALSE;
    }
}

void
tl_scan_source_confirm_files (TlScanSource *source)
{
  g_return_if_fail (TL_IS_SCAN_SOURCE (source));
  g_free (source->confirmed);
  g_clear_pointer (&source->seen, g_ptr_array_unref);
  source->confirmed = g_strdup (tl_scan_source_get_newest_path (source));
  if (source->opening != NULL || source->summary == NULL)
    return;
  source->seen = list_questions (source->summary);
  clear_questions (source);
  g_object_notify_by_pspec (G_OBJECT (source), props[PROP_SUMMARY]);
}

gboolean
tl_scan_source_take_scan (TlScanSource *source, TlReply *reply)
{
  g_autoptr (TlScanSummary) old = source->summary;
  g_autofree char *old_name = source->name;
  const char *inside = reply->recipe->data_path;
  if (reply->held != source->held)
    g_clear_pointer (&source->copy, g_free);
  g_clear_pointer (&source->held, tl_held_unref);
  source->held = g_steal_pointer (&reply->held);
  source->summary = g_steal_pointer (&reply->scan);
  if (source->seen == NULL && tl_scan_source_is_awaited (source, reply)
      && g_strcmp0 (source->confirmed, source->summary->path) == 0)
    source->seen = list_questions (source->summary);
  clear_questions (source);
  source->name = g_strconcat (source->summary->path,
                              inside != NULL ? ":" : NULL, inside, NULL);
  tl_requests_set_scan (source->requests, reply->serial);
  g_object_notify_by_pspec (G_OBJECT (source), props[PROP_SUMMARY]);
  g_object_notify_by_pspec (G_OBJECT (source), props[PROP_PATH]);
  return old != NULL && strcmp (old_name, source->name) != 0;
}

static void
take_summary (TlScanSource *source, TlReply *reply)
{
  g_clear_pointer (&source->summary, tl_scan_summary_free);
  source->summary = g_steal_pointer (&reply->scan);
  clear_questions (source);
  g_object_notify_by_pspec (G_OBJECT (source), props[PROP_SUMMARY]);
}

gboolean
tl_scan_source_take_survey (TlScanSource *source, TlReply *reply)
{
  const gboolean is_open = reply->serial == tl_scan_source_get_serial (source);
  if (is_open)
    take_summary (source, reply);
  return is_open;
}

void
tl_scan_source_take_growth (TlScanSource *source, TlReply *reply)
{
  if (reply->scan != NULL && reply->serial > tl_scan_source_get_serial (source))
    take_summary (source, reply);
}

/* --- the object --- */

static void
tl_scan_source_get_property (GObject *object, guint prop, GValue *value,
                             GParamSpec *pspec)
{
  TlScanSource *source = TL_SCAN_SOURCE (object);
  if (prop == PROP_OPENING)
    g_value_set_boolean (value, source->opening != NULL);
  else if (prop == PROP_SUMMARY)
    g_value_set_pointer (value, source->summary);
  else if (source->summary != NULL)
    g_value_set_string (value, source->summary->path);
}

static void
tl_scan_source_finalize (GObject *object)
{
  TlScanSource *source = TL_SCAN_SOURCE (object);
  g_clear_pointer (&source->summary, tl_scan_summary_free);
  g_free (source->name);
  g_free (source->confirmed);
  g_clear_pointer (&source->seen, g_ptr_array_unref);
  g_clear_pointer (&source->opening, tl_recipe_free);
  g_clear_pointer (&source->anew, tl_recipe_free);
  g_free (source->opening_path);
  g_clear_object (&source->cancellable);
  g_ptr_array_unref (source->changes);
  g_clear_pointer (&source->held, tl_held_unref);
  g_clear_pointer (&source->opening_held, tl_held_unref);
  g_free (source->copy);
  g_object_unref (source->requests);
  g_object_unref (source->messages);
  G_OBJECT_CLASS (tl_scan_source_parent_class)->finalize (object);
}

static void
tl_scan_source_class_init (TlScanSourceClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags =
      G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;
  object_class->get_property = tl_scan_source_get_property;
  object_class->finalize = tl_scan_source_finalize;
  props[PROP_PATH] = g_param_spec_string ("path", NULL, NULL, NULL, flags);
  props[PROP_SUMMARY] = g_param_spec_pointer ("summary", NULL, NULL, flags);
  props[PROP_OPENING] =
      g_param_spec_boolean ("opening", NULL, NULL, FALSE, flags);
  g_object_class_install_properties (object_class, N_PROPS, props);
}

static void
tl_scan_source_init (TlScanSource *source)
{
  tl_scan_source_forget_changes (source);
}

TlScanSource *
tl_scan_source_new (TlRequests *requests, TlMessages *messages)
{
  TlScanSource *source = g_object_new (TL_TYPE_SCAN_SOURCE, NULL);
  source->requests = g_object_ref (requests);
  source->messages = g_object_ref (messages);
  return source;
}
