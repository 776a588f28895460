/* The stage "phase" on the device, less the transforms themselves: lines lie in
 * rows as "real" ones of fft.h. A line is one of the detector rows that are
 * looked at, of a projection. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C"
{
#endif

  struct CUstream_st;

  /* All arrays are device memory; of some projections, up to 65535. */
  typedef struct
  {
    size_t n_projections, n_cols;
    size_t n_block_rows;       /* of transmissions */
    size_t first_row, n_lines; /* of them, those that are looked at */
    size_t first_slice;        /* line of the first slice */
    size_t n_rows;             /* slices */
    size_t length;             /* of a padded line */
    size_t row_floats;         /* from one row to the next */
    size_t n_taps;
    float min_transmission;
    const float *weights;       /* [n_taps][length / 2 + 1] */
    const float *transmissions; /* [n_projections][n_block_rows][n_cols] */
    float *lines;               /* [n_projections][n_lines][row_floats] */
    float *sums;                /* [n_projections][n_rows][row_floats] */
    float *retrieved;           /* [n_projections][n_rows][n_cols] */
  } TlCudaPhaseArgs;

  /* From transmissions to lines, from their transforms to sums, and from what
   * those are transformed back to to the retrieved. Each returns a cudaError_t.
   */
  int tl_cuda_phase_pad (const TlCudaPhaseArgs *args,
                         struct CUstream_st *stream);
  int tl_cuda_phase_sum (const TlCudaPhaseArgs *args,
                         struct CUstream_st *stream);
  int tl_cuda_phase_log (const TlCudaPhaseArgs *args,
                         struct CUstream_st *stream);

#ifdef __cplusplus
}
#endif
