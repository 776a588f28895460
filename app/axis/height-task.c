#include "app/axis/height-task-private.h"

#include "app/axis/curve.h"
#include "app/worker/background.h"

#include <math.h>
#include <stdlib.h>

TlAxisWork *
tl_axis_work_new (const TlAxisQuestion *question, size_t n_before)
{
  TlAxisWork *work = g_new0 (TlAxisWork, 1);
  g_weak_ref_init (&work->map, NULL);
  work->question = *question;
  work->nth = (guint)n_before;
  work->k = (guint)tl_axis_line_get_order (question->n, n_before);
  return work;
}

void
tl_axis_work_free (gpointer data)
{
  TlAxisWork *work = data;
  g_weak_ref_clear (&work->map);
  tl_centre_row_free (work->row);
  g_free (work->curve);
  g_free (work);
}

gboolean
tl_axis_work_read (gpointer state, TlRecon *recon, const TlRecipe *recipe,
                   GCancellable *cancellable, gpointer *result,
                   gboolean *is_done, GError **error)
{
  const TlAxisWork *work = state;
  *result = tl_axis_read_row (recon, recipe, &work->question, work->nth,
                              cancellable, error);
  *is_done = TRUE;
  return *result != NULL;
}

/* --- its curve --- */

static int
compare (const void *a, const void *b)
{
  const float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

/* Scales from 0 for the median, since the axis is not at most positions, to 1
 * for the maximum. */
static void
normalise (float *values, size_t n)
{
  g_autofree float *sorted = g_memdup2 (values, n * sizeof *values);
  qsort (sorted, n, sizeof *sorted, compare);
  const float low = sorted[n / 2], range = sorted[n - 1] - low;
  for (size_t k = 0; k < n; k++)
    values[k] = range > 0 ? fmaxf ((values[k] - low) / range, 0) : 0;
}

/* Resamples to a common pitch; positions outside the curve get the value of its
 * end. */
static float *
resample (const TlCentreEstimate *e, size_t n)
{
  float *values = g_new0 (float, n);
  size_t at = 0;
  if (e->n_points == 0)
    return values;
  for (size_t k = 0; k < n; k++)
    {
      const double col = (double)k * TL_AXIS_MAP_PITCH;
      while (at + 1 < e->n_points && e->positions[at + 1] <= col)
        at++;
      const size_t next = MIN (at + 1, e->n_points - 1);
      const double width = e->positions[next] - e->positions[at];
      const double part =
          width > 0 ? CLAMP ((col - e->positions[at]) / width, 0, 1) : 0;
      values[k] = (float)((1 - part) * e->values[at] + part * e->values[next]);
    }
  normalise (values, n);
  return values;
}

/* A #GTaskThreadFunc. */
static void
measure (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  TlAxisWork *work = data;
  g_auto (TlCentreEstimate) estimate = { 0 };
  GError *error = NULL;
  if (!tl_axis_measure_row (NULL, work->row, &work->question, cancellable,
                            &work->point, &estimate, &error))
    {
      g_task_return_error (task, error);
      return;
    }
  work->curve = resample (&estimate, work->n_values);
  g_clear_pointer (&work->row, tl_centre_row_free);
  g_task_return_boolean (task, TRUE);
}

void
tl_axis_work_measure (TlAxisWork *work, GCancellable *cancellable,
                      GAsyncReadyCallback callback)
{
  GTask *task = g_task_new (NULL, cancellable, callback, NULL);
  g_task_set_task_data (task, work, tl_axis_work_free);
  g_thread_unref (tl_background_run (task, "axis-row", measure));
}
