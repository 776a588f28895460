/* The stages "transform" and "filter" on the device, less the transforms
 * themselves, which are fft.h's.
 *
 * A line is a detector row of a projection; line l = projection * n_rows + row.
 * Lines 2m and 2m + 1 are the real and the imaginary part of complex row m:
 * for a filter with a real impulse response they stay apart, and one complex
 * transform does two lines.
 */
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
    size_t n_rows, n_cols;
    size_t first_line, n_lines; /* what to do; the first one is even */
    unsigned length_log2;       /* of a padded row */
    int repeats_edge;           /* else pads with 0 */
    const float *corrected;     /* [all lines][n_cols] */
    const float *weights;       /* [n_projections] */
    float *rows;                /* (out) [(n_lines + 1) / 2][length] complex */
    unsigned *peak; /* (in/out) the largest |value| so far, a float's bits */
  } TlCudaPadArgs;

  typedef struct
  {
    unsigned length_log2;
    double shift_cols;
    const float *response; /* [length / 2 + 1] */
    float *factors;        /* (out) [length / 2 + 1] complex */
  } TlCudaFactorsArgs;

  typedef struct
  {
    size_t n_rows; /* complex ones */
    unsigned length_log2;
    const float *factors; /* [length / 2 + 1] complex */
    const float *from;    /* [n_rows][length] complex */
    float *to;            /* (out) the same */
  } TlCudaMultiplyArgs;

  /* Each returns a cudaError_t. */
  int tl_cuda_pad (const TlCudaPadArgs *args, struct CUstream_st *stream);
  int tl_cuda_factors (const TlCudaFactorsArgs *args,
                       struct CUstream_st *stream);
  int tl_cuda_multiply (const TlCudaMultiplyArgs *args,
                        struct CUstream_st *stream);

#ifdef __cplusplus
}
#endif
