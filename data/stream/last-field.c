#include "data/stream/last-field-private.h"

#include "data/array.h"

#include <math.h>
#include <string.h>

void
tl_last_field_clear (TlLastField *field)
{
  g_free (field->sums);
  g_free (field->mean);
  *field = (TlLastField){ 0 };
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

static void
set_sample (TlSampleType type, void *samples, size_t k, double value)
{
  switch (type)
    {
    case TL_SAMPLE_U8:
      ((guint8 *)samples)[k] = (guint8)lrint (value);
      break;
    case TL_SAMPLE_I8:
      ((gint8 *)samples)[k] = (gint8)lrint (value);
      break;
    case TL_SAMPLE_U16:
      ((guint16 *)samples)[k] = (guint16)lrint (value);
      break;
    case TL_SAMPLE_I16:
      ((gint16 *)samples)[k] = (gint16)lrint (value);
      break;
    case TL_SAMPLE_U32:
      ((guint32 *)samples)[k] = (guint32)llrint (value);
      break;
    case TL_SAMPLE_I32:
      ((gint32 *)samples)[k] = (gint32)llrint (value);
      break;
    case TL_SAMPLE_F32:
      ((float *)samples)[k] = (float)value;
      break;
    case TL_SAMPLE_F64:
    case TL_N_SAMPLE_TYPES:
      ((double *)samples)[k] = value;
      break;
    }
}

const void *
tl_last_field_get (TlLastField *field, const TlStreamScan *scan)
{
  if (!fits (field, scan) || field->n_frames == 0)
    return NULL;
  const size_t n = scan->n_rows * scan->n_cols;
  g_free (field->mean);
  field->mean = tl_try_alloc (scan->n_rows, scan->n_cols, 1,
                              tl_sample_size (scan->type), "", NULL);
  for (size_t k = 0; k < n && field->mean != NULL; k++)
    set_sample (scan->type, field->mean, k,
                field->sums[k] / (double)field->n_frames);
  return field->mean;
}
