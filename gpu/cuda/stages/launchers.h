/* The launchers of the stages' kernels. gpu/backend/backend.h has the formulas;
 * fft.h has how padded lines lie in rows. Each launcher queues its kernels in
 * the stream and returns a cudaError_t. All arrays are device memory. Owner
 * thread. */
#pragma once

#include <stddef.h>

#include "gpu/cuda/backproject/layout.h"

#ifdef __cplusplus
extern "C"
{
#endif

  struct CUstream_st;

  /* --- correct --- */

  typedef struct
  {
    size_t n_projections, n_block_rows, n_cols;
    size_t first_row, n_rows; /* which rows of the block are corrected */
    int type;                 /* of the samples, a TlSampleType */
    const void *samples;      /* [n_projections][n_block_rows][n_cols] */
    int flat_field, minus_log;
    float min_transmission;
    /* (nullable) [n_block_rows][n_cols], as all arrays below. */
    const double *dark;
    const double *flat_first; /* must not be NULL if flat_field is set */
    /* (nullable); NULL: flat_first for all projections. */
    const double *flat_last;
    const unsigned *left_col, *right_col; /* neighbours of dead pixels */
    const float *mix;
    float *corrected; /* (out) [n_projections][n_rows][n_cols] */
  } TlCudaFlatfieldArgs;

  int tl_cuda_flatfield (const TlCudaFlatfieldArgs *args,
                         struct CUstream_st *stream);

  /* --- beam hardening, zingers and rings --- */

  /* to = from + factor * from^2; @n values, @to may be @from */
  int tl_cuda_correct_hardening (size_t n, float factor, const float *from,
                                 float *to, struct CUstream_st *stream);

  typedef struct
  {
    size_t n_projections, n_rows,
        n_cols;          /* n_projections and n_cols are at least 5 */
    int is_transmission; /* else attenuation */
    float limit;         /* excess if is_transmission, else its logarithm */
    float min_transmission;
    const float *from; /* [n_projections][n_rows][n_cols] */
    float *to;         /* (out) likewise; another array */
  } TlCudaZingersArgs;

  /* The sorting of one row of the detector. */
  typedef struct
  {
    size_t n_projections, n_rows, n_cols;
    size_t row;
    size_t half; /* columns of the median's window to either side, n_cols at
                    most */
    const float *from; /* [n_projections][n_rows][n_cols] */
    float *to;         /* (out) likewise; may be the same array */
    /* Scratch between the steps, [n_cols][n_projections] each. */
    unsigned *keys;   /* the values as integers of the same order */
    unsigned *sorted; /* the keys by rank */
    unsigned *order;  /* the projection of each sorted key */
  } TlCudaSortingArgs;

#define TL_CUDA_TAPS 20

  /* One level of the wavelet transform, for all rows. gpu/stages/wavelet.h
   * documents the images (TlWaveletLevel). */
  typedef struct
  {
    float low_taps[TL_CUDA_TAPS], high_taps[TL_CUDA_TAPS];
    size_t n_rows;
    size_t n_angles, n_cols;
    size_t coarse_angles, coarse_cols;
    const float *image; /* [n_angles][n_rows][n_cols] */
    float *lost;        /* (out) likewise; may be the image */
    float *low, *coarse, *band;
    int is_first;         /* lost receives the image without what it loses */
    int is_last;          /* coarse loses nothing and is not read */
    size_t n_frequencies; /* frequencies of the band that are damped */
    const float *damping; /* [n_frequencies] */
    const float *turns;   /* [2][coarse_angles]: cosines, sines */
    float *spectrum;      /* scratch, [n_frequencies][2][n_rows][coarse_cols] */
  } TlCudaWaveletArgs;

  int tl_cuda_remove_zingers (const TlCudaZingersArgs *args,
                              struct CUstream_st *stream);
  int tl_cuda_sort_rings (const TlCudaSortingArgs *args,
                          struct CUstream_st *stream);
  /* Decomposes the image into coarse and band, and replaces the band by what it
   * loses. */
  int tl_cuda_take_apart (const TlCudaWaveletArgs *args,
                          struct CUstream_st *stream);
  /* Computes what the image loses from what coarse and band lose. */
  int tl_cuda_put_together (const TlCudaWaveletArgs *args,
                            struct CUstream_st *stream);

  /* --- tilt --- */

  typedef struct
  {
    size_t n_projections, n_cols;
    size_t n_block_rows;      /* of from */
    size_t first_row, n_rows; /* the rows of from that are computed */
    double cosine, sine;      /* of the tilt */
    double centre_col, middle_row;
    const float *from; /* [n_projections][n_block_rows][n_cols] */
    float *to;         /* (out) [n_projections][n_rows][n_cols] */
  } TlCudaTiltArgs;

  int tl_cuda_turn_back (const TlCudaTiltArgs *args,
                         struct CUstream_st *stream);

  /* --- phase, without the transforms --- */

  /* A batch of projections, at most 65535. All arrays are device memory. */
  typedef struct
  {
    size_t n_projections, n_cols;
    size_t n_block_rows;       /* of transmissions */
    size_t first_row, n_lines; /* the rows of transmissions that are read */
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

  /* The three steps between the transforms: transmissions to padded lines,
   * transformed lines to sums, and sums that were transformed back to
   * retrieved. */
  int tl_cuda_phase_pad (const TlCudaPhaseArgs *args,
                         struct CUstream_st *stream);
  int tl_cuda_phase_sum (const TlCudaPhaseArgs *args,
                         struct CUstream_st *stream);
  int tl_cuda_phase_log (const TlCudaPhaseArgs *args,
                         struct CUstream_st *stream);

  /* --- transform and filter, without the transforms --- */

  typedef struct
  {
    size_t n_projections;     /* of this launch */
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
    const void *from;      /* rows of complex values, on 16 bytes */
    const float *units;    /* (nullable) [n_rows]: from has halves in these */
    float *to;             /* (out) rows of complex values, on 16 bytes */
  } TlCudaMultiplyArgs;

  /* From float to half precision, in units of a power of two, which keeps the
   * largest value of each row below 2^11: half-precision.cuh. */
  typedef struct
  {
    size_t n_rows, n_frequencies, row_floats; /* as above */
    const float *from;                        /* rows of complex values */
    void *to;     /* (out) the same rows, in halves */
    float *units; /* (out) [n_rows] */
  } TlCudaHalveArgs;

  int tl_cuda_pad (const TlCudaPadArgs *args, struct CUstream_st *stream);
  int tl_cuda_halve (const TlCudaHalveArgs *args, struct CUstream_st *stream);
  int tl_cuda_multiply (const TlCudaMultiplyArgs *args,
                        struct CUstream_st *stream);

  /* --- from filtered lines to the layout of a back-projection kernel --- */

  typedef struct
  {
    TlCudaLayout layout;
    size_t n_texels;       /* of a ray in this layout */
    size_t n_rows, n_cols; /* of the lines */
    /* The rays of this launch; without a fold, a ray is a projection. */
    size_t first_ray, n_rays;
    size_t first_row; /* of the first group; slices beyond n_rows are 0 */
    size_t n_groups, group_rows; /* more than one group only with cells */
    /* Without a fold, the lines of the rays from first_ray on; with a fold, the
     * lines of all projections. With i = interleaved, line l at column k is
     *
     *   lines[(l >> i) * line_stride + (k << i) + (l & i)] */
    const float *lines;
    size_t line_stride;
    unsigned interleaved; /* 1: two lines are the real and the imaginary parts
                             of a complex row; else 0 */
    /* The largest value before the filter: TlCudaPadArgs. */
    const unsigned *peak;

    /* gpu/stages/fold.h; 0: no fold */
    int n_folded;       /* pixels that share a coordinate, 2 or 4 */
    const int *sources; /* [all rays][2] */
    int mirror_col;     /* column k and this less k are mirror images */
    int first_col;      /* of the texels */

    /* (out) */
    /* (nullable) [all rays][part][cell_stride] of the first group; if set, the
     * texels are written here and not to the surface. */
    void *cells;
    size_t cell_stride; /* texels from a part to the next one */
    size_t group_bytes; /* from a group to the next one */
    unsigned long long surface;
  } TlCudaPackArgs;

  int tl_cuda_pack (const TlCudaPackArgs *args, struct CUstream_st *stream);

#ifdef __cplusplus
}
#endif
