/* What frames of a scan that is being taken look like. */
#pragma once

#include "data/samples.h"

/* The rows around slices at equal distances, @first, @first + @step and so on:
 * those that are at most @reach rows away. @step 0: all rows. Plain value. */
typedef struct
{
  size_t first, step, reach;
} TlHeldSlices;

/* Plain value. */
typedef struct
{
  const char *name; /* of the stream */
  size_t n_rows, n_cols;
  size_t first_row, n_kept; /* the rows that are kept of each frame */
  TlSampleType type;
  size_t n_expected;        /* projections; 0: unknown */
  const double *angles_deg; /* (nullable): [n_expected], announced */
  const char *angles_file; /* (nullable): the list from which the angles come */
  double pixel_size_um;    /* 0: unknown */
  guint64 n_other_bytes;   /* that the stream takes for flats and darks, which
                              count with those that are held */
  TlHeldSlices slices;     /* of the rows that are kept, the only ones */
} TlHeldLayout;

/** tl_held_slices_have: Returns: whether @row is one of those around the slices
 */
static inline gboolean
tl_held_slices_have (const TlHeldSlices *slices, size_t row)
{
  const size_t beyond = row + slices->reach;
  return slices->step == 0
         || (beyond >= slices->first
             && (beyond - slices->first) % slices->step <= 2 * slices->reach);
}
