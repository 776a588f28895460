#include "app/worker/requests.h"

struct _TlRequests
{
  GObject parent;
  TlWorker *worker;
  gboolean fetch, measures;
  guint64 last;     /* serial of the newest job of any kind */
  guint64 newest;   /* of the newest scan or picture requested */
  gboolean grows;   /* that one is of what has come meanwhile */
  guint64 answered; /* of the newest one answered */
  guint64 scan;     /* of the job that opened the open scan; 0: none */
  guint n_failures; /* of newest requests */
  char *failure;    /* (nullable): why the last of them failed */
  guint delay_id;   /* source of tl_requests_push_later(); 0: none */
  GSourceFunc delayed;
  gpointer delayed_data;
};

enum
{
  PROP_0,
  PROP_BUSY,
  PROP_AWAITED,
  PROP_FETCH,
  PROP_MEASURES,
  N_PROPS
};

static GParamSpec *props[N_PROPS];

G_DEFINE_FINAL_TYPE (TlRequests, tl_requests, G_TYPE_OBJECT)

gboolean
tl_requests_is_busy (TlRequests *requests)
{
  return requests->newest > requests->answered || requests->delay_id != 0;
}

gboolean
tl_requests_is_awaited (TlRequests *requests)
{
  return requests->delay_id != 0
         || (!requests->grows && tl_requests_is_busy (requests));
}

typedef struct
{
  gboolean is_busy, is_awaited;
} State;

static State
get_state (TlRequests *requests)
{
  return (State){ tl_requests_is_busy (requests),
                  tl_requests_is_awaited (requests) };
}

static void
note_state (TlRequests *requests, State before)
{
  if (before.is_awaited != tl_requests_is_awaited (requests))
    g_object_notify_by_pspec (G_OBJECT (requests), props[PROP_AWAITED]);
  if (before.is_busy != tl_requests_is_busy (requests))
    g_object_notify_by_pspec (G_OBJECT (requests), props[PROP_BUSY]);
}

TlJob *
tl_requests_make_job (TlRequests *requests, TlJobKind kind,
                      const TlRecipe *recipe, const char *path)
{
  TlJob *job = g_new0 (TlJob, 1);
  job->kind = kind;
  job->serial = ++requests->last;
  job->path = g_strdup (path);
  job->recipe = tl_recipe_dup (recipe);
  job->fetch = requests->fetch;
  job->measures = requests->measures;
  job->scan_serial = requests->scan;
  return job;
}

void
tl_requests_push (TlRequests *requests, TlJob *job)
{
  const State before = get_state (requests);
  if (requests->worker == NULL)
    {
      tl_job_free (job);
      return;
    }
  if (job->kind < TL_JOB_DETAIL)
    {
      g_clear_handle_id (&requests->delay_id, g_source_remove);
      requests->newest = job->serial;
      requests->grows = job->grows;
    }
  tl_worker_push (requests->worker, job);
  note_state (requests, before);
}

static gboolean
on_delay (gpointer data)
{
  TlRequests *requests = data;
  g_object_ref (requests); /* a notified handler may drop the last reference */
  const guint id = requests->delay_id;
  requests->delayed (requests->delayed_data);
  if (requests->delay_id == id) /* nothing was requested */
    {
      const State before = get_state (requests);
      requests->delay_id = 0;
      note_state (requests, before);
    }
  g_object_unref (requests);
  return G_SOURCE_REMOVE;
}

void
tl_requests_push_later (TlRequests *requests, guint ms, GSourceFunc func,
                        gpointer user_data)
{
  const State before = get_state (requests);
  g_clear_handle_id (&requests->delay_id, g_source_remove);
  requests->delayed = func;
  requests->delayed_data = user_data;
  requests->delay_id = g_timeout_add (ms, on_delay, requests);
  note_state (requests, before);
}

gboolean
tl_requests_is_delayed (TlRequests *requests)
{
  return requests->delay_id != 0;
}

void
tl_requests_note_answer (TlRequests *requests, guint64 serial)
{
  const State before = get_state (requests);
  requests->answered = MAX (requests->answered, serial);
  note_state (requests, before);
}

void
tl_requests_note_failure (TlRequests *requests, const char *why)
{
  requests->n_failures++;
  g_free (requests->failure);
  requests->failure = g_strdup (why);
}

guint
tl_requests_count_failures (TlRequests *requests)
{
  return requests->n_failures;
}

const char *
tl_requests_get_failure (TlRequests *requests)
{
  return requests->failure;
}

guint64
tl_requests_get_newest (TlRequests *requests)
{
  return requests->newest;
}

guint64
tl_requests_get_scan (TlRequests *requests)
{
  return requests->scan;
}

void
tl_requests_set_scan (TlRequests *requests, guint64 serial)
{
  requests->scan = serial;
}

TlWorker *
tl_requests_get_worker (TlRequests *requests)
{
  return requests->worker;
}

void
tl_requests_stop (TlRequests *requests)
{
  g_clear_handle_id (&requests->delay_id, g_source_remove);
  g_clear_pointer (&requests->worker, tl_worker_free);
}

static void
tl_requests_set_property (GObject *object, guint prop, const GValue *value,
                          GParamSpec *pspec)
{
  TlRequests *requests = TL_REQUESTS (object);
  gboolean *is_on = prop == PROP_FETCH ? &requests->fetch : &requests->measures;
  if (*is_on == g_value_get_boolean (value))
    return;
  *is_on = !*is_on;
  g_object_notify_by_pspec (object, pspec);
}

static void
tl_requests_get_property (GObject *object, guint prop, GValue *value,
                          GParamSpec *pspec)
{
  TlRequests *requests = TL_REQUESTS (object);
  if (prop == PROP_BUSY)
    g_value_set_boolean (value, tl_requests_is_busy (requests));
  else if (prop == PROP_AWAITED)
    g_value_set_boolean (value, tl_requests_is_awaited (requests));
  else
    g_value_set_boolean (value, prop == PROP_FETCH ? requests->fetch
                                                   : requests->measures);
}

static void
tl_requests_finalize (GObject *object)
{
  tl_requests_stop (TL_REQUESTS (object));
  g_free (TL_REQUESTS (object)->failure);
  G_OBJECT_CLASS (tl_requests_parent_class)->finalize (object);
}

static void
tl_requests_class_init (TlRequestsClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags read =
      G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;
  object_class->set_property = tl_requests_set_property;
  object_class->get_property = tl_requests_get_property;
  object_class->finalize = tl_requests_finalize;
  props[PROP_BUSY] = g_param_spec_boolean ("busy", NULL, NULL, FALSE, read);
  props[PROP_AWAITED] =
      g_param_spec_boolean ("awaited", NULL, NULL, FALSE, read);
  props[PROP_FETCH] = g_param_spec_boolean ("fetch", NULL, NULL, FALSE,
                                            read | G_PARAM_WRITABLE);
  props[PROP_MEASURES] = g_param_spec_boolean ("measures", NULL, NULL, FALSE,
                                               read | G_PARAM_WRITABLE);
  g_object_class_install_properties (object_class, N_PROPS, props);
}

static void
tl_requests_init (TlRequests *requests)
{
}

TlRequests *
tl_requests_new (TlReplyFunc func, gpointer user_data)
{
  TlRequests *requests = g_object_new (TL_TYPE_REQUESTS, NULL);
  requests->worker = tl_worker_new (func, user_data);
  return requests;
}
