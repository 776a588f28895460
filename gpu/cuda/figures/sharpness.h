/* How sharp a slice looks: sums over its quarters. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C"
{
#endif

  struct CUstream_st;

#define TL_CUDA_QUARTERS 4
#define TL_CUDA_JUDGE_BINS 256
/* What the histogram counts a whole pixel as. */
#define TL_CUDA_JUDGE_UNIT (1u << 19)

  /* Of one quarter; or, without the histogram, of one block's pixels. */
  typedef struct
  {
    double sum, square, negative, gradient;
    unsigned long long n;
  } TlCudaSharpnessSums;

  typedef struct
  {
    TlCudaSharpnessSums sums;
    unsigned long long histogram[TL_CUDA_JUDGE_BINS];
  } TlCudaSharpness;

  typedef struct
  {
    size_t first_row, n_rows, first_col, n_cols;
  } TlCudaQuarter;

  /* All device memory. */
  typedef struct
  {
    const float *pixels; /* [n_rows][n_cols] */
    size_t n_rows, n_cols;
    TlCudaQuarter quarters[TL_CUDA_QUARTERS];
    double radius, low, bins_per_unit, last_place;
    TlCudaSharpness *judged;       /* (out) [TL_CUDA_QUARTERS] */
    TlCudaSharpnessSums *partials; /* [tl_cuda_sharpness_n_partials()] */
  } TlCudaSharpnessArgs;

  /** tl_cuda_sharpness_n_partials: Returns: how many are needed. */
  size_t tl_cuda_sharpness_n_partials (const TlCudaSharpnessArgs *args);

  /** tl_cuda_measure_sharpness: Returns: a cudaError_t. */
  int tl_cuda_measure_sharpness (const TlCudaSharpnessArgs *args,
                                 struct CUstream_st *stream);

#ifdef __cplusplus
}
#endif
