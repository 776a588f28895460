/* Figures of a slice for the histogram and the automatic window. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C"
{
#endif

  struct CUstream_st;

#define TL_CUDA_BINS 512

  /* Of the finite pixels; the histogram has equal steps from min to max. */
  typedef struct
  {
    float min, max;
    double sum;
    unsigned long long n;
    unsigned histogram[TL_CUDA_BINS];
  } TlCudaFigures;

  /* All device memory. */
  typedef struct
  {
    const float *pixels; /* [n] */
    size_t n;
    TlCudaFigures *figures; /* (out) [tl_cuda_measure_n_figures()], the first is
                               the result */
  } TlCudaMeasureArgs;

  /** tl_cuda_measure_n_figures: Returns: how many are needed. */
  size_t tl_cuda_measure_n_figures (void);

  /** tl_cuda_measure: Returns: a cudaError_t. */
  int tl_cuda_measure (const TlCudaMeasureArgs *args,
                       struct CUstream_st *stream);

#ifdef __cplusplus
}
#endif
