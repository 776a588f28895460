/* A picture less another, and what they differ by. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C"
{
#endif

  struct CUstream_st;

  /* Over the n pixels whose difference is finite: of the reference, of its
   * squares, of the squares of the differences; the largest absolute difference
   * and the first pixel that has it. */
  typedef struct
  {
    double sum, sum_2, difference_2;
    unsigned long long n, index;
    float max;
  } TlCudaSums;

  /* All device memory. */
  typedef struct
  {
    const float *pixels, *reference; /* [n] */
    size_t n;
    float *differences; /* (out) [n] */
    TlCudaSums *sums;   /* (out) [tl_cuda_compare_n_sums()], the first is the
                           result */
  } TlCudaCompareArgs;

  /** tl_cuda_compare_n_sums: Returns: how many are needed. */
  size_t tl_cuda_compare_n_sums (void);

  /** tl_cuda_compare: Returns: a cudaError_t. */
  int tl_cuda_compare (const TlCudaCompareArgs *args,
                       struct CUstream_st *stream);

#ifdef __cplusplus
}
#endif
