/* The stage "tilt" on the device; gpu/backend/backend.h has the formula. */
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
    size_t n_projections, n_cols;
    size_t n_block_rows;      /* of from */
    size_t first_row, n_rows; /* of them, those that are made */
    double cosine, sine;      /* of the tilt */
    double centre_col, middle_row;
    const float *from; /* [n_projections][n_block_rows][n_cols] */
    float *to;         /* (out) [n_projections][n_rows][n_cols] */
  } TlCudaTiltArgs;

  /* Returns a cudaError_t. */
  int tl_cuda_turn_back (const TlCudaTiltArgs *args,
                         struct CUstream_st *stream);

#ifdef __cplusplus
}
#endif
