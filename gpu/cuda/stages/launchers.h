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
    const float *dark;       /* [n_block_rows][n_cols], as all that follow; or
                                NULL */
    const float *flat_first; /* needed where flat_field is set */
    const float *flat_last;  /* or NULL: flat_first for all projections */
    const unsigned *left_col, *right_col; /* neighbours of dead pixels */
    const float *mix;
    float *corrected; /* (out) [n_projections][n_rows][n_cols] */
  } TlCudaFlatfieldArgs;

  int tl_cuda_flatfield (const TlCudaFlatfieldArgs *args,
                         struct CUstream_st *stream);

  /* --- zingers and rings --- */

  typedef struct
  {
    size_t n_projections, n_rows,
        n_cols;          /* 5 projections and columns or more */
    int is_transmission; /* else attenuation */
    float limit;         /* excess or its logarithm, as is_transmission says */
    float min_transmission;
    const float *from; /* [n_projections][n_rows][n_cols] */
    float *to;         /* (out) likewise; another array */
  } TlCudaZingersArgs;

  /* One row of the detector. */
  typedef struct
  {
    size_t n_projections, n_rows, n_cols;
    size_t row;
    size_t half; /* of the median's window: it has 2 half + 1 columns; n_cols at
                    most */
    const float *from; /* [n_projections][n_rows][n_cols] */
    float *to;         /* (out) likewise; another array */
    /* between steps, [n_cols][n_projections] each */
    unsigned *keys;   /* the values as integers of the same order */
    unsigned *sorted; /* the keys by rank */
    unsigned *order;  /* the projection of each sorted key */
  } TlCudaSortingArgs;

#define TL_CUDA_TAPS 20

  /* One level of the wavelet transform, for all rows. TlWaveletLevel says what
   * the images are. */
  typedef struct
  {
    float low_taps[TL_CUDA_TAPS], high_taps[TL_CUDA_TAPS];
    size_t n_rows;
    size_t n_angles, n_cols;
    size_t coarse_angles, coarse_cols;
    const float *image; /* [n_angles][n_rows][n_cols] */
    float *lost;        /* (out) likewise; may be the image */
    float *low, *coarse, *band;
    int is_first;         /* lost is what is left of the image */
    int is_last;          /* nothing is in coarse */
    size_t n_frequencies; /* of the band, that lose something */
    const float *damping; /* [n_frequencies] */
    const float *turns;   /* [2][coarse_angles]: cosines, sines */
    float
        *spectrum; /* between steps: [n_frequencies][2][n_rows][coarse_cols] */
  } TlCudaWaveletArgs;

  int tl_cuda_remove_zingers (const TlCudaZingersArgs *args,
                              struct CUstream_st *stream);
  int tl_cuda_sort_rings (const TlCudaSortingArgs *args,
                          struct CUstream_st *stream);
  /* Down to coarse, and to what the band loses. */
  int tl_cuda_take_apart (const TlCudaWaveletArgs *args,
                          struct CUstream_st *stream);
  /* From what coarse and band lose to what the image does. */
  int tl_cuda_put_together (const TlCudaWaveletArgs *args,
                            struct CUstream_st *stream);

  /* --- tilt --- */

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

  /* --- phase, less the transforms --- */

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

  /* --- transform and filter, less the transforms --- */

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

  int tl_cuda_pad (const TlCudaPadArgs *args, struct CUstream_st *stream);
  int tl_cuda_multiply (const TlCudaMultiplyArgs *args,
                        struct CUstream_st *stream);

  /* --- from filtered lines to the layout of a back-projection kernel --- */

  typedef struct
  {
    TlCudaLayout layout;
    size_t n_texels;          /* of a ray in this layout */
    size_t n_rows, n_cols;    /* of the lines */
    size_t first_ray, n_rays; /* what to do; a ray is a projection, but for
                                 a fold */
    size_t first_row;         /* of the group; slices beyond n_rows are 0 */
    /* without a fold from first_ray on; with a fold of all projections. Line l
     * at column k is
     * lines[(l >> i) * line_stride + (k << i) + (l & i)], i = interleaved */
    const float *lines;
    size_t line_stride;
    unsigned interleaved; /* 1: two lines are the parts of complex rows; or 0 */
    const unsigned
        *peak; /* the largest value before the filter: TlCudaPadArgs */

    /* gpu/stages/fold.h; 0: no fold */
    int n_folded;       /* pixels done together, 2 or 4 */
    const int *sources; /* [all rays][2] */
    int mirror_col;     /* column k and this less k are mirror images */
    int first_col;      /* of the texels */

    /* (out) */
    void *cells;        /* (nullable) [all rays][part][cell_stride];
                           then there, and not in the surface */
    size_t cell_stride; /* texels from a part to the next one */
    unsigned long long surface;
  } TlCudaPackArgs;

  int tl_cuda_pack (const TlCudaPackArgs *args, struct CUstream_st *stream);

#ifdef __cplusplus
}
#endif
