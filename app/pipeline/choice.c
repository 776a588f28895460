/* Chooses engines and block size of a pipeline, and explains its report. */
#include "app/pipeline/pipeline.h"

#include "data/error.h"

#include <glib/gi18n.h>

/* Rows that most kernels take at once. A block has twice as many or more where
 * memory allows it, so that files are read in longer pieces. */
#define ROWS_AT_ONCE 4
#define SLOW_ROWS (2 * ROWS_AT_ONCE)
/* By the Fourier method 32 rows would gain nothing, and the first slices would
 * come later. */
#define FOURIER_ROWS 16
/* Tensor cores take 8, 16 or 32: no number between them, which they would
 * compute as if it were the next one. */
#define TENSOR_ROWS 32
/* Limit of a block's projections as floats. The intermediate results take
 * about eight times as much, and three times more if rings are removed. */
#define MAX_SLOW_BYTES ((size_t)256 << 20)
#define MAX_BYTES ((size_t)512 << 20)

const char *const tl_pipeline_stage_names[TL_N_PIPELINE_STAGES + 1] = {
  N_ ("reading"),     N_ ("uploading"), N_ ("computing"),
  N_ ("downloading"), N_ ("writing"),   NULL
};

/* Returns: (transfer full): the @devices of the same kind as the first one */
static char **
pick_equals (char **devices)
{
  g_autoptr (GStrvBuilder) equals = g_strv_builder_new ();
  g_autofree char *first = tl_engine_describe_device (devices[0]);
  for (char **device = devices; *device != NULL; device++)
    {
      g_autofree char *description = tl_engine_describe_device (*device);
      if (g_strcmp0 (description, first) == 0)
        g_strv_builder_add (equals, *device);
    }
  return g_strv_builder_end (equals);
}

char **
tl_pipeline_choose_engines (const char *name, guint n_wanted, GError **error)
{
  g_return_val_if_fail (name != NULL, NULL);
  g_auto (GStrv) devices = tl_engine_list_devices (name);
  const guint n = g_strv_length (devices);
  if (n == 0)
    {
      /* tl_engine_open() will report why there is none. */
      char *const one[] = { (char *)name, NULL };
      return g_strdupv ((char **)one);
    }
  if (n_wanted > n)
    {
      g_autofree char *list = g_strjoinv (", ", devices);
      g_set_error (
          error, TL_ERROR, TL_ERROR_UNSUPPORTED,
          _ ("%u devices were requested, but here the engine %s has %u: %s"),
          n_wanted, name, n, list);
      return NULL;
    }
  if (n_wanted == 0)
    return pick_equals (devices);
  for (guint k = n_wanted; k < n; k++)
    g_clear_pointer (&devices[k], g_free);
  return g_steal_pointer (&devices);
}

size_t
tl_pipeline_choose_rows (size_t n_projections, size_t n_cols, gboolean is_slow,
                         TlMethod method)
{
  const size_t row_bytes = n_projections * n_cols * sizeof (float);
  const size_t most = is_slow                       ? SLOW_ROWS
                      : method == TL_METHOD_FOURIER ? FOURIER_ROWS
                                                    : TENSOR_ROWS;
  const size_t n = CLAMP (
      (is_slow ? MAX_SLOW_BYTES : MAX_BYTES) / MAX (row_bytes, 1), 1, most);
  if (n <= ROWS_AT_ONCE)
    return n;
  return is_slow ? n / ROWS_AT_ONCE * ROWS_AT_ONCE
                 : (size_t)1 << g_bit_nth_msf (n, -1);
}

TlPipelineStage
tl_pipeline_find_limit (const TlPipelineReport *report)
{
  TlPipelineStage limit = TL_PIPELINE_READ;
  for (guint stage = 0; stage < TL_N_PIPELINE_STAGES; stage++)
    if (report->busy_s[stage] > report->busy_s[limit])
      limit = stage;
  return limit;
}

char *
tl_pipeline_describe_limit (const TlPipelineReport *report)
{
  const TlPipelineStage limit = tl_pipeline_find_limit (report);
  return g_strdup_printf (_ ("limited by %s: %.0f %% of the time busy"),
                          _ (tl_pipeline_stage_names[limit]),
                          100 * report->busy_s[limit] / report->wall_s);
}
