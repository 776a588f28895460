/* From filtered lines to the layout of a back-projection kernel. */
#pragma once

#include <stddef.h>

#include "gpu/cuda/layout.h"

#ifdef __cplusplus
extern "C"
{
#endif

  struct CUstream_st;

  typedef struct
  {
    TlCudaLayout layout;
    size_t n_rows, n_cols;
    size_t first_projection, n_projections; /* what to do */
    size_t first_row; /* of the group; slices beyond n_rows are 0 */
    unsigned length_log2;
    const float *lines;   /* device, complex rows as in filter.h, of
                             first_projection and those that follow */
    const unsigned *peak; /* device, of the lines before the filter: filter.h */
    /* (out) [all projections][texels] */
    void *cells; /* (nullable) device; then there, and not in the surface */
    unsigned long long surface;
  } TlCudaPackArgs;

  /** tl_cuda_pack: Returns: a cudaError_t. */
  int tl_cuda_pack (const TlCudaPackArgs *args, struct CUstream_st *stream);

#ifdef __cplusplus
}
#endif
