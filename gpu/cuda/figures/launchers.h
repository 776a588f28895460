/* The launchers of the kernels that measure slices and the device. Each queues
 * its kernels in the stream and returns a cudaError_t; a function …_n_… returns
 * the size of an array. All arrays are device memory. Owner thread. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C"
{
#endif

  struct CUstream_st;

  /* --- histogram --- */

#define TL_CUDA_BINS 512

  /* The figures of the finite pixels; the bins have equal widths from min to
   * max. */
  typedef struct TlCudaFigures
  {
    float min, max;
    double sum;
    unsigned long long n;
    unsigned histogram[TL_CUDA_BINS];
  } TlCudaFigures;

  typedef struct
  {
    const float *pixels; /* [n] */
    size_t n;
    TlCudaFigures *figures; /* (out) [tl_cuda_measure_n_figures()]: the first
                               element is the result, the others are scratch */
  } TlCudaMeasureArgs;

  size_t tl_cuda_measure_n_figures (void);

  int tl_cuda_measure (const TlCudaMeasureArgs *args,
                       struct CUstream_st *stream);

  /* --- comparison of two slices --- */

  /* The sums over the n pixels whose difference is finite: of the reference, of
   * its squares and of the squared differences. Also the largest absolute
   * difference and the first pixel with it. */
  typedef struct
  {
    double sum, sum_2, difference_2;
    unsigned long long n, index;
    float max;
  } TlCudaSums;

  typedef struct
  {
    const float *pixels, *reference; /* [n] */
    size_t n;
    float *differences; /* (out) [n] */
    TlCudaSums *sums; /* (out) [tl_cuda_compare_n_sums()]: the first element is
                         the result, the others are scratch */
  } TlCudaCompareArgs;

  size_t tl_cuda_compare_n_sums (void);

  int tl_cuda_compare (const TlCudaCompareArgs *args,
                       struct CUstream_st *stream);

  /* --- the sum of two slices --- */

  typedef struct
  {
    const float *pixels, *more; /* [n] */
    float factor;               /* of pixels */
    size_t n;
    float *sum; /* (out) [n] */
  } TlCudaAddArgs;

  int tl_cuda_add (const TlCudaAddArgs *args, struct CUstream_st *stream);

  /* --- sharpness, over the quarters of a slice --- */

#define TL_CUDA_QUARTERS 4
#define TL_CUDA_SHARPNESS_BINS 256
/* The weight of one pixel in the integer histogram. */
#define TL_CUDA_SHARPNESS_UNIT (1u << 19)

  /* The sums over the pixels of one quarter, or of one block. */
  typedef struct
  {
    double sum, square, negative, gradient;
    unsigned long long n;
  } TlCudaSharpnessSums;

  typedef struct
  {
    TlCudaSharpnessSums sums;
    unsigned long long histogram[TL_CUDA_SHARPNESS_BINS];
  } TlCudaSharpness;

  typedef struct
  {
    size_t first_row, n_rows, first_col, n_cols;
  } TlCudaQuarter;

  typedef struct
  {
    const float *pixels; /* [n_rows][n_cols] */
    size_t n_rows, n_cols;
    TlCudaQuarter quarters[TL_CUDA_QUARTERS];
    double radius, low, bins_per_unit, last_place;
    TlCudaSharpness *results; /* (out) [TL_CUDA_QUARTERS] */
    /* scratch, [tl_cuda_sharpness_n_partials()]. */
    TlCudaSharpnessSums *partials;
  } TlCudaSharpnessArgs;

  size_t tl_cuda_sharpness_n_partials (const TlCudaSharpnessArgs *args);

  int tl_cuda_measure_sharpness (const TlCudaSharpnessArgs *args,
                                 struct CUstream_st *stream);

  /* --- ceilings: the highest rates of a device --- */

#define TL_CUDA_CEILING_ROWS 8
#define TL_CUDA_CEILING_COLS 32

  typedef enum
  {
    TL_CUDA_CEILING_FETCHES, /* of interpolated texels of 8 bytes, cached */
    TL_CUDA_CEILING_SHARED_BYTES,
    TL_CUDA_CEILING_PRODUCTS,     /* multiply-adds of halves by tensor cores */
    TL_CUDA_CEILING_INSTRUCTIONS, /* multiply-adds of floats, by each lane */
    TL_CUDA_N_CEILINGS
  } TlCudaCeiling;

  typedef struct
  {
    unsigned long long texture; /* [TL_CUDA_CEILING_ROWS][..._COLS], half4 */
    float *sink; /* [1]: takes the results, so that the compiler keeps the
                    computation */
    unsigned long long *spent; /* (out) [2]: cycles and nanoseconds of one
                                  block */
  } TlCudaCeilingArgs;

  /**
   * tl_cuda_run_ceiling:
   * @amount: (out): the number of fetches, bytes or multiply-adds of the launch
   *
   * Keeps the device busy for some milliseconds.
   */
  int tl_cuda_run_ceiling (TlCudaCeiling ceiling, const TlCudaCeilingArgs *args,
                           double *amount, struct CUstream_st *stream);

#ifdef __cplusplus
}
#endif
