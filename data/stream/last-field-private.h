/* The newest flats, or darks, of a stream, for a scan that begins without any.
 */
#pragma once

#include "data/stream/event.h"

/* Zero before use. */
typedef struct
{
  TlStreamScan scan;    /* that they came with, without angles_deg */
  size_t n_projections; /* that had come before them */
  size_t n_frames;
  double *sums; /* (nullable): [n_rows][n_cols] */
  void *mean;   /* (nullable): [n_rows][n_cols] of the scan's type */
} TlLastField;

void tl_last_field_clear (TlLastField *field);

/** tl_last_field_add: @n_projections: of the scan that have come. Only frames
 * between the same two projections are kept. Without memory none is. */
void tl_last_field_add (TlLastField *field, const TlStreamScan *scan,
                        size_t n_projections, const void *pixels);

/** tl_last_field_count_bytes: Returns: the memory of a field of frames of
 * @scan */
guint64 tl_last_field_count_bytes (const TlStreamScan *scan);

/** tl_last_field_get: Returns: (nullable): the mean, valid until the field is
 * changed or asked for again; %NULL: frames of @scan have another shape or
 * type, or there are none */
const void *tl_last_field_get (TlLastField *field, const TlStreamScan *scan);
