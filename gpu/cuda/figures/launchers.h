/* The launchers of the kernels that measure slices and the device. Each queues
 * its kernels in the stream and returns a cudaError_t. All arrays are device
 * memory. Owner thread. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C"
{
#endif

  struct CUstream_st;

  /* --- histogram --- */

#define TL_CUDA_BINS 512

  /* Of the finite pixels; the histogram has equal steps from min to max. */
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
    TlCudaFigures *figures; /* (out) [tl_cuda_measure_n_figures()], the first is
                               the result */
  } TlCudaMeasureArgs;

  /** tl_cuda_measure_n_figures: Returns: how many are needed. */
  size_t tl_cuda_measure_n_figures (void);

  /** tl_cuda_measure: Returns: a cudaError_t. */
  int tl_cuda_measure (const TlCudaMeasureArgs *args,
                       struct CUstream_st *stream);

  /* --- comparison of two slices --- */

  /* Over the n pixels whose difference is finite: of the reference, of its
   * squares, of the squares of the differences; the largest absolute difference
   * and the first pixel that has it. */
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
    TlCudaSums *sums;   /* (out) [tl_cuda_compare_n_sums()], the first is the
                           result */
  } TlCudaCompareArgs;

  /** tl_cuda_compare_n_sums: Returns: how many are needed. */
  size_t tl_cuda_compare_n_sums (void);

  /** tl_cuda_compare: Returns: a cudaError_t. */
  int tl_cuda_compare (const TlCudaCompareArgs *args,
                       struct CUstream_st *stream);

  /* --- sharpness, over the quarters of a slice --- */

#define TL_CUDA_QUARTERS 4
#define TL_CUDA_SHARPNESS_BINS 256
/* How much a whole pixel counts in the histogram. */
#define TL_CUDA_SHARPNESS_UNIT (1u << 19)

  /* Of the pixels of one quarter, or of one block. */
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
    TlCudaSharpness *results;      /* (out) [TL_CUDA_QUARTERS] */
    TlCudaSharpnessSums *partials; /* [tl_cuda_sharpness_n_partials()] */
  } TlCudaSharpnessArgs;

  /** tl_cuda_sharpness_n_partials: Returns: how many are needed. */
  size_t tl_cuda_sharpness_n_partials (const TlCudaSharpnessArgs *args);

  /** tl_cuda_measure_sharpness: Returns: a cudaError_t. */
  int tl_cuda_measure_sharpness (const TlCudaSharpnessArgs *args,
                                 struct CUstream_st *stream);

  /* --- what a device can do at most in a second --- */

#define TL_CUDA_CEILING_ROWS 8
#define TL_CUDA_CEILING_COLS 32

  typedef enum
  {
    TL_CUDA_CEILING_FETCHES, /* of interpolated texels of 8 bytes, cached */
    TL_CUDA_CEILING_SHARED_BYTES,
    TL_CUDA_CEILING_INSTRUCTIONS, /* multiply-adds of floats, by each lane */
    TL_CUDA_N_CEILINGS
  } TlCudaCeiling;

  typedef struct
  {
    unsigned long long texture; /* [TL_CUDA_CEILING_ROWS][..._COLS], half4 */
    float *sink;                /* [1]: where results would go */
    unsigned long long *spent;  /* (out) [2]: cycles and nanoseconds of one
                                   block */
  } TlCudaCeilingArgs;

  /**
   * tl_cuda_run_ceiling:
   * @amount: (out): fetches, bytes or multiply-adds that the launch does
   *
   * Keeps the device busy for some milliseconds.
   *
   * Returns: a cudaError_t
   */
  int tl_cuda_run_ceiling (TlCudaCeiling ceiling, const TlCudaCeilingArgs *args,
                           double *amount, struct CUstream_st *stream);

#ifdef __cplusplus
}
#endif
