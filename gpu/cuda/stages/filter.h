/* The stages "transform" and "filter" on the device, less the transforms
 * themselves; fft.h has how lines lie in rows for them.
 *
 * A line is a detector row of a projection; line l = projection * n_rows + row.
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
    size_t n_projections;     /* what to do */
    size_t n_rows, n_cols;    /* of the detector */
    size_t first_col;         /* where its column 0 lies in a line */
    size_t line_cols;         /* of a line before it is padded */
    size_t length;            /* of a padded line, a power of two */
    int repeats_edge;         /* else pads with 0 */
    const float *corrected;   /* [n_projections][n_rows][n_cols] */
    const float *weights;     /* [n_projections] */
    const float *col_weights; /* [n_rows][n_cols]; NULL: all 1 */
    int pairs;                /* two lines in a row, else one */
    size_t row_floats;        /* from one row to the next, a multiple of 4 */
    float *rows;              /* (out) on 16 bytes */
    unsigned *peak; /* (in/out) the largest |value| so far, a float's bits */
  } TlCudaPadArgs;

  typedef struct
  {
    size_t n_rows;
    size_t n_frequencies; /* of a row: length, or length / 2 + 1 */
    size_t length;        /* a power of two */
    size_t row_floats;    /* as above */
    double shift_cols;
    const double *shifts; /* [n_shifts], instead, where rows are lines; or NULL:
                             of row n that of n % n_shifts */
    size_t n_shifts;
    const float *response; /* [length / 2 + 1] */
    const float *from;     /* rows of complex values, on 16 bytes */
    float *to;             /* (out) the same */
  } TlCudaMultiplyArgs;

  /* Each returns a cudaError_t. */
  int tl_cuda_pad (const TlCudaPadArgs *args, struct CUstream_st *stream);
  int tl_cuda_multiply (const TlCudaMultiplyArgs *args,
                        struct CUstream_st *stream);

#ifdef __cplusplus
}
#endif
