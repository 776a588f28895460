#include "app/pipeline/trial.h"

#include "data/array.h"

#include <string.h>

static gboolean
lend_block (gpointer data, guint buffer, size_t first_row, size_t n_rows,
            TlBlock *block, GCancellable *cancellable, GError **error)
{
  *block = *(const TlBlock *)data;
  return TRUE;
}

/* Returns: whether there is memory for @samples and @flat */
static gboolean
fill (const TlBlock *shape, void **samples, double **flat)
{
  const size_t n_pixels = shape->n_rows * shape->n_cols;
  const size_t size = tl_sample_size (shape->type);
  const char *what = "a trial"; /* no one is told */
  *samples = tl_try_alloc (shape->n_projections, n_pixels, 1, size, what, NULL);
  *flat = tl_try_alloc (n_pixels, 1, 1, sizeof (double), what, NULL);
  if (*samples == NULL || *flat == NULL)
    return FALSE;
  memset (*samples, 1, shape->n_projections * n_pixels * size);
  for (size_t i = 0; i < n_pixels; i++)
    (*flat)[i] = 1;
  return TRUE;
}

double
tl_pipeline_try (TlPipeline *pipeline, const TlParams *params,
                 const TlBlock *shape, GCancellable *cancellable)
{
  g_return_val_if_fail (pipeline != NULL && params != NULL, 0);
  g_return_val_if_fail (shape != NULL && shape->samples == NULL, 0);
  g_autofree void *samples = NULL;
  g_autofree double *flat = NULL;
  TlBlock block = *shape;
  const size_t n_rows = shape->n_rows - shape->n_above - shape->n_below;
  g_autofree size_t *rows = g_new (size_t, n_rows);
  const TlPipelineJob job = {
    .n_rows = n_rows,
    .rows = rows,
    .block_rows = n_rows,
    .params = params,
    .read = lend_block,
    .data = &block,
  };
  TlPipelineReport report;
  double least_s = G_MAXDOUBLE;
  guint n = 0;
  for (size_t k = 0; k < n_rows; k++)
    rows[k] = k;
  if (!fill (shape, &samples, &flat))
    return 0;
  block.samples = samples;
  block.flat_first = flat;
  do
    {
      if (!tl_pipeline_run (pipeline, &job, NULL, NULL, cancellable, &report,
                            NULL))
        return 0;
      least_s = MIN (least_s, report.busy_s[TL_PIPELINE_UPLOAD]
                                  + report.busy_s[TL_PIPELINE_COMPUTE]);
    }
  while (++n <= report.n_engines);
  return least_s / (double)n_rows;
}
