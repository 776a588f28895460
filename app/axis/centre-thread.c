#include "app/axis/centre-thread-private.h"

#include "app/worker/background.h"

#include "data/error.h"

#include <gio/gio.h>
#include <string.h>

struct TlCentreThread
{
  gatomicrefcount ref_count;
  GThread *gthread;
  GCancellable *cancellable;
  TlCentreRow *row;
  char *engine;
  TlCentreThreadFunc func;
  gpointer user_data;
  gboolean is_closed; /* main thread only */
};

/* A message from the thread to the main thread. */
typedef struct
{
  TlCentreThread *thread;
  TlCentreAnswer answer;
  GError *error;
  gboolean is_over;
} Delivery;

/* --- the row --- */

static gboolean
read_row (gpointer state, TlRecon *recon, const TlRecipe *recipe,
          GCancellable *cancellable, gpointer *result, gboolean *is_done,
          GError **error)
{
  *result =
      tl_centre_row_read (recon, recipe, recipe->slice, cancellable, error);
  *is_done = TRUE;
  return *result != NULL;
}

TlTask
tl_centre_row_task (void)
{
  return (TlTask){ .kind = TL_TASK_CENTRE,
                   .step = read_row,
                   .free_result = (GDestroyNotify)tl_centre_row_free };
}

/* --- from thread to thread --- */

static void
unref_thread (TlCentreThread *thread)
{
  if (!g_atomic_ref_count_dec (&thread->ref_count))
    return;
  g_object_unref (thread->cancellable);
  tl_centre_row_free (thread->row);
  g_free (thread->engine);
  g_free (thread);
}

static void
delivery_free (gpointer data)
{
  Delivery *delivery = data;
  tl_centre_answer_clear (&delivery->answer);
  g_clear_error (&delivery->error);
  unref_thread (delivery->thread);
  g_free (delivery);
}

static gboolean
deliver (gpointer data)
{
  Delivery *delivery = data;
  TlCentreThread *thread = delivery->thread;
  if (!thread->is_closed)
    thread->func (&delivery->answer, delivery->error, delivery->is_over,
                  thread->user_data);
  return G_SOURCE_REMOVE;
}

/* Sends @answer and @error (transfer full) to the main thread. */
static void
post (TlCentreThread *thread, const TlCentreAnswer *answer, GError *error,
      gboolean is_over)
{
  Delivery *delivery = g_new0 (Delivery, 1);
  g_atomic_ref_count_inc (&thread->ref_count);
  *delivery = (Delivery){ thread, *answer, error, is_over };
  g_idle_add_full (G_PRIORITY_DEFAULT, deliver, delivery, delivery_free);
}

/* --- in the thread --- */

static void
copy_estimate (const TlCentreEstimate *from, TlCentreEstimate *to)
{
  *to = *from;
  to->reason = g_strdup (from->reason);
  to->positions =
      g_memdup2 (from->positions, from->n_points * sizeof *from->positions);
  to->values = g_memdup2 (from->values, from->n_points * sizeof *from->values);
}

/* A #TlCentreTell. */
static void
tell (const TlCentreEstimate *estimates, size_t n, gpointer data)
{
  TlCentreThread *thread = data;
  TlCentreAnswer answer = { .row = thread->row->row, .n = n };
  for (size_t k = 0; k < n; k++)
    copy_estimate (&estimates[k], &answer.estimates[k]);
  post (thread, &answer, NULL, FALSE);
}

/* @is_open: (out): whether the engine could be opened */
static gboolean
find_centre (TlCentreThread *thread, const char *engine_name,
             TlCentreAnswer *answer, gboolean *is_open, GError **error)
{
  const TlCentreRow *row = thread->row;
  g_autoptr (TlEngine) engine = tl_engine_open (engine_name, error);
  const TlCentreData data =
      tl_centre_row_lend (row, 0, (double)row->n_cols - 1, thread->cancellable);
  TlCentreQuestion question;
  *is_open = engine != NULL;
  if (!*is_open)
    return FALSE;
  tl_centre_question_init (&question, row->row, row->n_cols);
  question.lean_col = row->lean_col;
  question.tell = tell;
  question.user_data = thread;
  return tl_find_centre_in_row (engine, &data, &question, answer, error);
}

/* Returns: whether host should repeat what another engine failed to do; an
 * error in the data would be the same on host */
static gboolean
may_host (const TlCentreThread *thread, gboolean is_open, const GError *reason)
{
  return strcmp (thread->engine, "host") != 0
         && (!is_open || g_error_matches (reason, TL_ERROR, TL_ERROR_DEVICE)
             || g_error_matches (reason, TL_ERROR, TL_ERROR_MEMORY));
}

static gpointer
run_thread (gpointer data)
{
  TlCentreThread *thread = data;
  TlCentreAnswer answer = { 0 };
  GError *error = NULL;
  gboolean is_open;
  tl_background_begin ();
  if (!find_centre (thread, thread->engine, &answer, &is_open, &error)
      && may_host (thread, is_open, error))
    {
      g_info ("%s; the axis is looked for by host", error->message);
      g_clear_error (&error);
      tl_centre_answer_clear (&answer);
      find_centre (thread, "host", &answer, &is_open, &error);
    }
  post (thread, &answer, error, TRUE);
  unref_thread (thread);
  return NULL;
}

TlCentreThread *
tl_centre_thread_new (TlCentreRow *row, const char *engine,
                      TlCentreThreadFunc func, gpointer user_data)
{
  g_return_val_if_fail (row != NULL && engine != NULL && func != NULL, NULL);
  TlCentreThread *thread = g_new0 (TlCentreThread, 1);
  g_atomic_ref_count_init (&thread->ref_count);
  g_atomic_ref_count_inc (&thread->ref_count); /* reference of the thread */
  thread->cancellable = g_cancellable_new ();
  thread->row = row;
  thread->engine = g_strdup (engine);
  thread->func = func;
  thread->user_data = user_data;
  thread->gthread = g_thread_new ("centre", run_thread, thread);
  return thread;
}

void
tl_centre_thread_cancel (TlCentreThread *thread)
{
  g_cancellable_cancel (thread->cancellable);
}

void
tl_centre_thread_free (TlCentreThread *thread)
{
  if (thread == NULL)
    return;
  tl_centre_thread_cancel (thread);
  g_thread_join (thread->gthread);
  thread->is_closed = TRUE;
  unref_thread (thread);
}
