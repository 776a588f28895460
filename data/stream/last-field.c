#include "data/stream/last-field-private.h"

#include "data/array.h"

#include <string.h>

void
tl_last_field_clear (TlLastField *field)
{
  g_free (field->sums);
  g_free (field->mean);
  *field = (TlLastField){ 0 };
}

guint64
tl_last_field_count_bytes (const TlStreamScan *scan)
{
  return (guint64)scan->n_rows * scan->n_cols
         * (sizeof (double) + tl_sample_size (scan->type));
}

static gboolean
fits (const TlLastField *field, const TlStreamScan *scan)
{
  return field->sums != NULL && field->scan.n_rows == scan->n_rows
         && field->scan.n_cols == scan->n_cols
         && field->scan.type == scan->type;
}

static void
begin_group (TlLastField *field, const TlStreamScan *scan, size_t n_projections)
{
  const size_t n = scan->n_rows * scan->n_cols;
  if (!fits (field, scan))
    {
      tl_last_field_clear (field);
      field->sums = tl_try_alloc (scan->n_rows, scan->n_cols, 1,
                                  sizeof *field->sums, "", NULL);
    }
  if (field->sums != NULL)
    memset (field->sums, 0, n * sizeof *field->sums);
  field->scan = *scan;
  field->scan.angles_deg = NULL;
  field->n_projections = n_projections;
  field->n_frames = 0;
}

void
tl_last_field_add (TlLastField *field, const TlStreamScan *scan,
                   size_t n_projections, const void *pixels)
{
  const size_t n_cols = scan->n_cols;
  const size_t row_bytes = n_cols * tl_sample_size (scan->type);
  if (!fits (field, scan) || field->scan.serial != scan->serial
      || field->n_projections != n_projections)
    begin_group (field, scan, n_projections);
  if (field->sums == NULL)
    return;
  g_autofree double *row = g_new (double, n_cols);
  for (size_t r = 0; r < scan->n_rows; r++)
    {
      double *sums = field->sums + r * n_cols;
      tl_samples_to_double (scan->type, (const char *)pixels + r * row_bytes,
                            n_cols, row);
      for (size_t col = 0; col < n_cols; col++)
        sums[col] += row[col];
    }
  field->n_frames++;
}

const void *
tl_last_field_get (TlLastField *field, const TlStreamScan *scan)
{
  if (!fits (field, scan) || field->n_frames == 0)
    return NULL;
  const size_t n_cols = scan->n_cols;
  const size_t row_bytes = n_cols * tl_sample_size (scan->type);
  g_free (field->mean);
  field->mean = tl_try_alloc (scan->n_rows, scan->n_cols, 1,
                              tl_sample_size (scan->type), "", NULL);
  g_autofree double *row = g_new (double, n_cols);
  for (size_t r = 0; r < scan->n_rows && field->mean != NULL; r++)
    {
      for (size_t col = 0; col < n_cols; col++)
        row[col] = field->sums[r * n_cols + col] / (double)field->n_frames;
      tl_samples_from_double (scan->type, row, n_cols,
                              (char *)field->mean + r * row_bytes);
    }
  return field->mean;
}
