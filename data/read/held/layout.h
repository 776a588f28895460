/* What frames of a scan that is being taken look like. */
#pragma once

#include "data/samples.h"

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
} TlHeldLayout;
