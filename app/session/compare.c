/* A slice that was held, to be looked at beside the present one.
 *
 * A is a copy in host memory, so that it takes none of the places that an
 * engine has for its frames. What is seen of the difference is computed by
 * whoever draws; its pixels and figures are computed here, in a thread, and
 * follow the frame as fast as they can. */
#include "app/session/session.h"

#include "app/session/session-private.h"

#include <glib/gi18n.h>
#include <math.h>

void
tl_session_note_comparison (TlSession *session)
{
  session->held.changes++;
  g_object_notify (G_OBJECT (session), "comparison");
}

static gboolean
is_whole (TlSession *session)
{
  return session->frame != NULL && session->grid.pitch <= 1;
}

static gboolean
is_alike (TlFrame *a, TlFrame *b)
{
  return tl_frame_get_n_rows (a) == tl_frame_get_n_rows (b)
         && tl_frame_get_n_cols (a) == tl_frame_get_n_cols (b);
}

/* What a thread is given, and what it gives back. */
typedef struct
{
  GWeakRef session; /* it may go first; looked at by the main thread only */
  guint64 serial;
  TlFrame *frame, *less; /* @less: (nullable) */
  TlRecipe *recipe;      /* that @frame was made with */
  TlFrame *result;
  TlStats stats; /* of a difference */
} Work;

static void
work_free (gpointer data)
{
  Work *work = data;
  g_weak_ref_clear (&work->session);
  tl_frame_unref (work->frame);
  g_clear_pointer (&work->less, tl_frame_unref);
  g_clear_pointer (&work->result, tl_frame_unref);
  tl_recipe_free (work->recipe);
  g_free (work);
}

/* Returns: (transfer full): what a thread is to do */
static GTask *
make_task (TlSession *session, guint64 serial, TlFrame *less,
           GAsyncReadyCallback callback)
{
  GTask *task = g_task_new (NULL, NULL, callback, NULL);
  Work *work = g_new0 (Work, 1);
  g_weak_ref_init (&work->session, session);
  work->serial = serial;
  work->frame = tl_frame_ref (session->frame);
  work->less = less != NULL ? tl_frame_ref (less) : NULL;
  work->recipe = tl_recipe_dup (session->shown);
  g_task_set_task_data (task, work, work_free);
  return task;
}

/* --- B less A --- */

/* @host: (inout) (nullable): opened by the first */
static gboolean
subtract (Work *work, TlEngine **host, GError **error)
{
  const size_t n =
      tl_frame_get_n_rows (work->less) * tl_frame_get_n_cols (work->less);
  float *pixels;
  if (!tl_frame_fetch (work->frame, error))
    return FALSE;
  work->result =
      tl_frame_new (tl_frame_get_n_rows (work->less),
                    tl_frame_get_n_cols (work->less), &pixels, error);
  if (work->result == NULL)
    return FALSE;
  const float *b = tl_frame_get_pixels (work->frame);
  const float *a = tl_frame_get_pixels (work->less);
  for (size_t i = 0; i < n; i++)
    pixels[i] = b[i] - a[i];
  if (*host == NULL)
    *host = tl_engine_open ("host", error);
  return *host != NULL
         && tl_engine_measure (*host, work->result, 0, &work->stats, error);
}

/* A thread, with an engine of its own: a new one for each difference would
 * start a thread on each core. @data: (transfer full): a queue of tasks, which
 * ends with itself. */
static gpointer
run_subtractions (gpointer data)
{
  g_autoptr (GAsyncQueue) queue = data;
  TlEngine *host = NULL;
  gpointer next;
  while ((next = g_async_queue_pop (queue)) != queue)
    {
      g_autoptr (GTask) task = next;
      GError *error = NULL;
      if (subtract (g_task_get_task_data (task), &host, &error))
        g_task_return_boolean (task, TRUE);
      else
        g_task_return_error (task, error);
    }
  g_clear_pointer (&host, tl_engine_close);
  return NULL;
}

static void
push_subtraction (TlHeld *held, GTask *task)
{
  if (held->subtractions == NULL)
    {
      held->subtractions = g_async_queue_new ();
      g_thread_unref (g_thread_new ("difference", run_subtractions,
                                    g_async_queue_ref (held->subtractions)));
    }
  g_async_queue_push (held->subtractions, task);
}

/* What is being done is finished; nobody waits for it. */
static void
end_subtractions (TlHeld *held)
{
  if (held->subtractions != NULL)
    g_async_queue_push (held->subtractions, held->subtractions);
  g_clear_pointer (&held->subtractions, g_async_queue_unref);
}

static void update_difference (TlSession *session);

static void
on_subtracted (GObject *source, GAsyncResult *result, gpointer data)
{
  Work *work = g_task_get_task_data (G_TASK (result));
  g_autoptr (TlSession) session = g_weak_ref_get (&work->session);
  g_autoptr (GError) error = NULL;
  const gboolean is_done = g_task_propagate_boolean (G_TASK (result), &error);
  if (session == NULL)
    return;
  TlHeld *held = &session->held;
  held->is_being_computed = FALSE;
  if (work->less == held->frame)
    {
      g_clear_pointer (&held->difference, tl_frame_unref);
      held->difference_serial = work->serial;
      if (is_done)
        {
          held->difference = g_steal_pointer (&work->result);
          held->stats = work->stats;
        }
      else
        tl_session_show_message (session, g_strdup (error->message), FALSE);
      tl_session_note_comparison (session);
    }
  update_difference (session);
}

/* One at a time: of the newest frame when that one is done, or has failed. */
static void
update_difference (TlSession *session)
{
  TlHeld *held = &session->held;
  if (held->mode != TL_COMPARE_DIFFERENCE || held->frame == NULL
      || held->is_being_computed || !is_whole (session)
      || !is_alike (session->frame, held->frame)
      || held->difference_serial == session->frame_serial)
    return;
  held->is_being_computed = TRUE;
  push_subtraction (held, make_task (session, session->frame_serial,
                                     held->frame, on_subtracted));
}

TlFrame *
tl_session_get_difference (TlSession *session)
{
  const TlHeld *held = &session->held;
  return tl_session_get_comparison (session) == TL_COMPARE_DIFFERENCE
                 && is_whole (session)
                 && held->difference_serial == session->frame_serial
             ? held->difference
             : NULL;
}

/* --- what A is --- */

static void
forget_difference (TlHeld *held)
{
  g_clear_pointer (&held->difference, tl_frame_unref);
  held->difference_serial = 0;
}

void
tl_session_clear_held (TlSession *session)
{
  TlHeld *held = &session->held;
  g_clear_pointer (&held->frame, tl_frame_unref);
  g_clear_pointer (&held->recipe, tl_recipe_free);
  forget_difference (held);
  end_subtractions (held);
  held->is_awaited = FALSE;
  held->copy_serial = 0;
}

/* Not while a scan of another size stands: what cannot be subtracted is seen
 * side by side. */
static void
check_size (TlSession *session)
{
  TlHeld *held = &session->held;
  if (held->frame == NULL || held->mode != TL_COMPARE_DIFFERENCE
      || !is_whole (session) || is_alike (session->frame, held->frame))
    return;
  held->mode = TL_COMPARE_SIDE_BY_SIDE;
  tl_session_note_comparison (session);
  tl_session_show_message (
      session,
      g_strdup_printf (
          _ ("A has %zu × %zu pixels and B %zu × %zu: they cannot be "
             "subtracted"),
          tl_frame_get_n_cols (held->frame), tl_frame_get_n_rows (held->frame),
          tl_frame_get_n_cols (session->frame),
          tl_frame_get_n_rows (session->frame)),
      TRUE);
}

static void
run_copy (GTask *task, gpointer source, gpointer data,
          GCancellable *cancellable)
{
  Work *work = data;
  GError *error = NULL;
  work->result = tl_frame_copy (work->frame, &error);
  if (work->result != NULL)
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
on_copied (GObject *source, GAsyncResult *result, gpointer data)
{
  Work *work = g_task_get_task_data (G_TASK (result));
  g_autoptr (TlSession) session = g_weak_ref_get (&work->session);
  g_autoptr (GError) error = NULL;
  const gboolean is_done = g_task_propagate_boolean (G_TASK (result), &error);
  if (session == NULL || session->held.copy_serial != work->serial)
    return; /* released meanwhile, or another one is held */
  tl_session_clear_held (session);
  if (is_done)
    {
      session->held.frame = g_steal_pointer (&work->result);
      session->held.recipe = g_steal_pointer (&work->recipe);
    }
  else
    {
      session->held.mode = TL_COMPARE_OFF;
      tl_session_show_message (session, g_strdup (error->message), FALSE);
    }
  check_size (session);
  update_difference (session);
  tl_session_note_comparison (session);
  tl_session_update_detail (session);
}

void
tl_session_compare_frame (TlSession *session)
{
  TlHeld *held = &session->held;
  if (held->is_awaited && is_whole (session))
    {
      held->is_awaited = FALSE;
      held->copy_serial = ++session->last_serial;
      g_autoptr (GTask) task =
          make_task (session, held->copy_serial, NULL, on_copied);
      g_task_run_in_thread (task, run_copy);
    }
  check_size (session);
  update_difference (session);
}

void
tl_session_hold (TlSession *session)
{
  g_return_if_fail (TL_IS_SESSION (session));
  const gboolean was_slice = session->choice.picture == TL_PICTURE_SLICE;
  if (session->scan == NULL || session->opening != NULL)
    {
      tl_session_show_message (
          session,
          g_strdup_printf (_ ("Nothing can be held as A: %s"),
                           session->opening != NULL
                               ? _ ("a scan is being opened")
                               : _ ("no scan is open")),
          FALSE);
      return;
    }
  tl_session_leave_cost (session);
  tl_session_set_picture (session, TL_PICTURE_SLICE);
  session->held.is_awaited = TRUE;
  session->held.copy_serial = 0;
  if (was_slice || !tl_session_is_slice_old (session))
    tl_session_compare_frame (session);
  tl_session_note_comparison (session);
}

void
tl_session_release (TlSession *session)
{
  g_return_if_fail (TL_IS_SESSION (session));
  if (!tl_session_is_held (session))
    return;
  tl_session_clear_held (session);
  session->held.mode = TL_COMPARE_OFF;
  tl_session_note_comparison (session);
  tl_session_update_detail (session);
}

gboolean
tl_session_is_held (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), FALSE);
  const TlHeld *held = &session->held;
  return held->frame != NULL || held->is_awaited || held->copy_serial != 0;
}

TlFrame *
tl_session_get_held (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), NULL);
  return session->held.frame;
}

guint
tl_session_get_held_slice (TlSession *session)
{
  g_return_val_if_fail (session->held.recipe != NULL, 0);
  return (guint)session->held.recipe->slice;
}

guint
tl_session_get_shown_slice (TlSession *session)
{
  g_return_val_if_fail (session->shown != NULL, 0);
  return (guint)session->shown->slice;
}

/* --- how it is looked at --- */

void
tl_session_set_compare_mode (TlSession *session, TlCompareMode mode)
{
  g_return_if_fail (TL_IS_SESSION (session));
  g_return_if_fail ((guint)mode < TL_N_COMPARE_MODES);
  if (session->held.mode == mode)
    return;
  if (!tl_session_is_held (session))
    {
      tl_session_show_message (
          session,
          g_strdup (_ ("There is nothing to compare with: hold a slice as A "
                       "first")),
          FALSE);
      return;
    }
  session->held.mode = mode;
  if (session->held.difference == NULL)
    forget_difference (&session->held); /* one that failed is tried again */
  check_size (session);
  update_difference (session);
  tl_session_note_comparison (session);
  tl_session_update_detail (session);
}

TlCompareMode
tl_session_get_compare_mode (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), TL_COMPARE_OFF);
  return session->held.mode;
}

TlCompareMode
tl_session_get_comparison (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), TL_COMPARE_OFF);
  const gboolean shows_both = session->held.frame != NULL
                              && session->frame != NULL
                              && session->choice.picture == TL_PICTURE_SLICE
                              && session->cost.map == NULL;
  return shows_both ? session->held.mode : TL_COMPARE_OFF;
}

char *
tl_session_describe_comparison (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), NULL);
  g_autoptr (GString) words = g_string_new (NULL);
  if (session->held.recipe != NULL && session->shown != NULL)
    tl_recipe_compare (session->held.recipe, session->shown, G_MAXUINT, NULL,
                       words);
  return g_string_free (g_steal_pointer (&words), FALSE);
}

/* The axis is in the middle of both. */
gboolean
tl_session_get_held_place (TlSession *session, double *row, double *col)
{
  g_return_val_if_fail (TL_IS_SESSION (session), FALSE);
  TlFrame *held = session->held.frame;
  size_t n_rows, n_cols;
  if (held == NULL || !tl_session_get_picture_size (session, &n_rows, &n_cols))
    return FALSE;
  *row = ((double)n_rows - (double)tl_frame_get_n_rows (held)) / 2;
  *col = ((double)n_cols - (double)tl_frame_get_n_cols (held)) / 2;
  return TRUE;
}

gboolean
tl_session_read_compared (TlSession *session, size_t row, size_t col, float *a,
                          float *b)
{
  g_return_val_if_fail (TL_IS_SESSION (session), FALSE);
  TlFrame *held = session->held.frame;
  double first_row, first_col;
  if (!tl_session_get_held_place (session, &first_row, &first_col))
    return FALSE;
  const double held_row = floor ((double)row - first_row + 0.5);
  const double held_col = floor ((double)col - first_col + 0.5);
  return held_row >= 0 && held_row < (double)tl_frame_get_n_rows (held)
         && held_col >= 0 && held_col < (double)tl_frame_get_n_cols (held)
         && tl_frame_read_pixel (held, 0, (size_t)held_row, (size_t)held_col, a,
                                 NULL)
         && tl_session_read_pixel (session, row, col, b);
}
