#include "app/axis/centre-thread-private.h"

#include "app/background/background.h"

#include "data/error.h"

#include <gio/gio.h>
#include <string.h>

/* The input of the task, and its result. */
typedef struct
{
  TlCentreRow *row;
  char *engine;
  TlCentrePartFunc func;
  TlCentreAnswer answer;
} Work;

static void
work_free (gpointer data)
{
  Work *work = data;
  tl_centre_row_free (work->row);
  g_free (work->engine);
  tl_centre_answer_clear (&work->answer);
  g_free (work);
}

/* --- the estimates so far --- */

typedef struct
{
  GTask *task;
  TlCentreAnswer answer;
} Part;

static void
part_free (gpointer data)
{
  Part *part = data;
  tl_centre_answer_clear (&part->answer);
  g_object_unref (part->task);
  g_free (part);
}

static gboolean
deliver (gpointer data)
{
  Part *part = data;
  const Work *work = g_task_get_task_data (part->task);
  if (!g_cancellable_is_cancelled (g_task_get_cancellable (part->task)))
    work->func (g_task_get_source_object (part->task), &part->answer);
  return G_SOURCE_REMOVE;
}

/* A #TlCentreTell. */
static void
tell (const TlCentreEstimate *estimates, size_t n, gpointer task)
{
  const Work *work = g_task_get_task_data (task);
  Part *part = g_new0 (Part, 1);
  part->task = g_object_ref (task);
  part->answer = (TlCentreAnswer){ .row = work->row->row, .n = n };
  for (size_t k = 0; k < n; k++)
    {
      const TlCentreEstimate *from = &estimates[k];
      TlCentreEstimate *to = &part->answer.estimates[k];
      *to = *from;
      to->reason = g_strdup (from->reason);
      to->positions =
          g_memdup2 (from->positions, from->n_points * sizeof *from->positions);
      to->values =
          g_memdup2 (from->values, from->n_points * sizeof *from->values);
    }
  g_idle_add_full (G_PRIORITY_DEFAULT, deliver, part, part_free);
}

/* --- the work of the thread --- */

/* @is_open: (out): whether the engine could be opened */
static gboolean
find_centre (GTask *task, const char *engine_name, gboolean *is_open,
             GError **error)
{
  Work *work = g_task_get_task_data (task);
  const TlCentreRow *row = work->row;
  g_autoptr (TlEngine) engine = tl_engine_open_behind (engine_name, error);
  const TlCentreData data = tl_centre_row_lend (row, 0, (double)row->n_cols - 1,
                                                g_task_get_cancellable (task));
  TlCentreQuestion question;
  *is_open = engine != NULL;
  if (!*is_open)
    return FALSE;
  tl_centre_question_init (&question, row->row, row->n_cols);
  question.lean_col = row->lean_col;
  question.tell = tell;
  question.user_data = task;
  return tl_find_centre_in_row (engine, &data, &question, &work->answer, error);
}

/* Returns: whether host should repeat what another engine failed to do; an
 * error in the data would be the same on host */
static gboolean
may_host (const Work *work, gboolean is_open, const GError *reason)
{
  return strcmp (work->engine, "host") != 0
         && (!is_open || g_error_matches (reason, TL_ERROR, TL_ERROR_DEVICE)
             || g_error_matches (reason, TL_ERROR, TL_ERROR_MEMORY));
}

/* A #GTaskThreadFunc. */
static void
run (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Work *work = data;
  GError *error = NULL;
  gboolean is_open;
  gboolean good = find_centre (task, work->engine, &is_open, &error);
  if (!good && may_host (work, is_open, error))
    {
      g_info ("%s; host searches for the axis", error->message);
      g_clear_error (&error);
      tl_centre_answer_clear (&work->answer);
      good = find_centre (task, "host", &is_open, &error);
    }
  if (good)
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

GThread *
tl_centre_thread_start (gpointer source, TlCentreRow *row, const char *engine,
                        GCancellable *cancellable, TlCentrePartFunc func,
                        GAsyncReadyCallback callback, gpointer user_data)
{
  g_return_val_if_fail (row != NULL && engine != NULL && func != NULL, NULL);
  GTask *task = g_task_new (source, cancellable, callback, user_data);
  Work *work = g_new0 (Work, 1);
  *work = (Work){ .row = row, .engine = g_strdup (engine), .func = func };
  g_task_set_task_data (task, work, work_free);
  return tl_background_run (task, "centre", FALSE, run);
}

gboolean
tl_centre_thread_finish (GAsyncResult *result, TlCentreAnswer *answer,
                         GError **error)
{
  Work *work = g_task_get_task_data (G_TASK (result));
  const gboolean good = g_task_propagate_boolean (G_TASK (result), error);
  *answer = work->answer;
  work->answer = (TlCentreAnswer){ 0 };
  return good;
}
