/* From filtered lines to the layout of a back-projection kernel. */
#pragma once

#include <stddef.h>

#include "gpu/cuda/backproject/layout.h"

#ifdef __cplusplus
extern "C"
{
#endif

  struct CUstream_st;

  typedef struct
  {
    TlCudaLayout layout;
    size_t n_texels;          /* of a ray in this layout */
    size_t n_rows, n_cols;    /* of the lines */
    size_t first_ray, n_rays; /* what to do; a ray is a projection, but for
                                 a fold */
    size_t first_row;         /* of the group; slices beyond n_rows are 0 */
    /* device, of first_ray and those that follow, of all projections for a
     * fold; line l at column k is
     * lines[(l >> i) * line_stride + (k << i) + (l & i)], i = interleaved */
    const float *lines;
    size_t line_stride;
    unsigned interleaved; /* 1: two lines are the parts of complex rows; or 0 */
    const unsigned *peak; /* device, of the lines before the filter: filter.h */

    /* gpu/stages/fold.h; 0: no fold */
    int n_folded;       /* pixels done together, 2 or 4 */
    const int *sources; /* device, [all rays][2] */
    int mirror_col;     /* column k and this less k are mirror images */
    int first_col;      /* of the texels */

    /* (out) */
    void *cells;        /* (nullable) device, [all rays][part][cell_stride];
                           then there, and not in the surface */
    size_t cell_stride; /* texels from a part to the next one */
    unsigned long long surface;
  } TlCudaPackArgs;

  /** tl_cuda_pack: Returns: a cudaError_t. */
  int tl_cuda_pack (const TlCudaPackArgs *args, struct CUstream_st *stream);

#ifdef __cplusplus
}
#endif
