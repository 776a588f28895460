/* What the session can be asked. */
#include "app/session.h"

#include "app/session-private.h"

#include "gpu/filter.h"

#include <string.h>

gboolean
tl_session_is_recipe (const char *path)
{
  return tl_recipe_has_name (path);
}

gboolean
tl_session_has_scan (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), FALSE);
  return session->scan != NULL;
}

const TlScanSummary *
tl_session_get_summary (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), NULL);
  return session->scan;
}

TlFrame *
tl_session_get_frame (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), NULL);
  return session->frame;
}

gboolean
tl_session_get_frame_size (TlSession *session, size_t *n_rows, size_t *n_cols)
{
  g_return_val_if_fail (TL_IS_SESSION (session), FALSE);
  if (session->frame == NULL)
    return FALSE;
  *n_rows = tl_frame_get_n_rows (session->frame);
  *n_cols = tl_frame_get_n_cols (session->frame);
  return TRUE;
}

gboolean
tl_session_read_pixel (TlSession *session, size_t row, size_t col, float *value)
{
  size_t n_rows, n_cols;
  return tl_session_get_frame_size (session, &n_rows, &n_cols) && row < n_rows
         && col < n_cols
         && tl_frame_read_pixel (session->frame, 0, row, col, value, NULL);
}

const guint32 *
tl_session_get_histogram (TlSession *session, size_t *n, float *min, float *max)
{
  g_return_val_if_fail (TL_IS_SESSION (session), NULL);
  if (session->frame == NULL)
    return NULL;
  *n = TL_HISTOGRAM_BINS;
  *min = session->stats.min;
  *max = session->stats.max;
  return session->stats.histogram;
}

gboolean
tl_session_get_percentiles (TlSession *session, double f_low, double f_high,
                            float *low, float *high)
{
  g_return_val_if_fail (TL_IS_SESSION (session), FALSE);
  if (session->frame == NULL)
    return FALSE;
  *low = tl_stats_percentile (&session->stats, f_low);
  *high = tl_stats_percentile (&session->stats, f_high);
  return TRUE;
}

const TlStatus *
tl_session_get_status (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), NULL);
  return &session->status;
}

void
tl_session_get_filter_curve (TlSession *session, float *curve, size_t n)
{
  g_return_if_fail (TL_IS_SESSION (session));
  g_return_if_fail (n > 1);
  const TlParams *params = &session->recipe->params;
  float peak = 0;
  for (size_t k = 0; k < n; k++)
    {
      const double nyquist_part = (double)k / (double)(n - 1);
      curve[k] =
          (float)(nyquist_part
                  * tl_filter_window (params->filter, params->butterworth_order,
                                      nyquist_part / params->cutoff));
      peak = MAX (peak, curve[k]);
    }
  for (size_t k = 0; k < n && peak > 0; k++)
    curve[k] /= peak;
}

/* The names whose bit is set; all of them where the engine is not known yet. */
static char **
pick_names (const char *const *names, guint bits)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  for (guint k = 0; names[k] != NULL; k++)
    if (bits == 0 || (bits >> k & 1) != 0)
      g_strv_builder_add (builder, names[k]);
  return g_strv_builder_end (builder);
}

const char *const *
tl_session_list_choices (TlSession *session, const char *key)
{
  static const char *const engines[] = { "auto", "cuda", "host", NULL };
  g_return_val_if_fail (TL_IS_SESSION (session), NULL);
  const struct
  {
    const char *key;
    const char *const *names;
    guint bits;
  } lists[] = {
    { "filter", tl_filter_names, 0 },
    { "padding", tl_padding_names, 0 },
    { "engine", engines, 0 },
    { "kernel", tl_kernel_names, session->kernels },
    { "interpolation", tl_interpolation_names, session->interpolations },
    { "precision", tl_precision_names, session->precisions },
  };
  gpointer choices = g_hash_table_lookup (session->choices, key);
  for (size_t k = 0; choices == NULL && k < G_N_ELEMENTS (lists); k++)
    if (strcmp (lists[k].key, key) == 0)
      {
        choices = pick_names (lists[k].names, lists[k].bits);
        g_hash_table_insert (session->choices, g_strdup (key), choices);
      }
  g_return_val_if_fail (choices != NULL, NULL);
  return choices;
}

double
tl_session_limit_centre (TlSession *session, double centre_col)
{
  g_return_val_if_fail (TL_IS_SESSION (session), centre_col);
  if (session->scan == NULL)
    return centre_col;
  return CLAMP (centre_col, -0.5, (double)session->scan->n_cols - 0.5);
}

gboolean
tl_session_save_recipe (TlSession *session, const char *path, GError **error)
{
  g_return_val_if_fail (TL_IS_SESSION (session), FALSE);
  return tl_recipe_save (session->recipe,
                         session->scan != NULL ? session->scan->path : NULL,
                         path, error);
}

static void
describe_machine (GTask *task, gpointer session, gpointer data,
                  GCancellable *cancellable)
{
  g_task_return_pointer (task, tl_engine_describe_machine (), g_free);
}

void
tl_session_describe_machine (TlSession *session, GAsyncReadyCallback callback,
                             gpointer user_data)
{
  g_return_if_fail (TL_IS_SESSION (session));
  g_autoptr (GTask) task = g_task_new (NULL, NULL, callback, user_data);
  g_task_run_in_thread (task, describe_machine);
}

char *
tl_session_describe_machine_finish (TlSession *session, GAsyncResult *result)
{
  g_return_val_if_fail (TL_IS_SESSION (session), NULL);
  return g_task_propagate_pointer (G_TASK (result), NULL);
}
