/* The stage "correct" on the device; gpu/backend/backend.h has the formula. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C"
{
#endif

  struct CUstream_st;

  /* All arrays are device memory. */
  typedef struct
  {
    size_t n_projections, n_block_rows, n_cols;
    size_t first_row, n_rows; /* of the block's, those that are corrected */
    int type;                 /* of the samples, a TlSampleType */
    const void *samples;      /* [n_projections][n_block_rows][n_cols] */
    int flat_field, minus_log;
    float min_transmission;
    const float *dark;       /* [n_block_rows][n_cols], as all that follow; or
                                NULL */
    const float *flat_first; /* needed where flat_field is set */
    const float *flat_last;  /* or NULL: flat_first for all projections */
    const unsigned *left_col, *right_col; /* neighbours of dead pixels */
    const float *mix;
    float *corrected; /* (out) [n_projections][n_rows][n_cols] */
  } TlCudaFlatfieldArgs;

  /** tl_cuda_flatfield: Returns: a cudaError_t. */
  int tl_cuda_flatfield (const TlCudaFlatfieldArgs *args,
                         struct CUstream_st *stream);

#ifdef __cplusplus
}
#endif
