/* From what a backend has summed up of a slice to how sharp it is. */
#pragma once

#include "gpu/backend/backend.h"

G_BEGIN_DECLS

/* Pixels of a slice, those with a neighbour to the right and below. */
typedef struct
{
  size_t first_row, n_rows, first_col, n_cols;
} TlQuarter;

/** tl_quarter_get: Returns: that @quarter of a slice, which may be empty. */
TlQuarter tl_quarter_get (size_t n_rows, size_t n_cols, guint quarter);

/**
 * tl_sharpness_init:
 * @sharpness: (out caller-allocates)
 * @sums: [TL_N_QUARTERS]
 */
void tl_sharpness_init (TlSharpness *sharpness, const TlSharpnessSums *sums);

G_END_DECLS
