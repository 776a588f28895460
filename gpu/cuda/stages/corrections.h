/* The stages "zingers" and "rings" on the device; gpu/backend/backend.h and
 * gpu/stages/wavelet.h have the formulas. */
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
    size_t n_projections, n_rows,
        n_cols;          /* 5 projections and columns or more */
    int is_transmission; /* else attenuation */
    float limit;         /* excess or its logarithm, as is_transmission says */
    float min_transmission;
    const float *from; /* [n_projections][n_rows][n_cols] */
    float *to;         /* (out) likewise, another one */
  } TlCudaZingersArgs;

  /* One row of the detector. */
  typedef struct
  {
    size_t n_projections, n_rows, n_cols;
    size_t row;
    size_t half; /* columns of the median on either side, n_cols at most */
    const float *from; /* [n_projections][n_rows][n_cols] */
    float *to;         /* (out) likewise, another one */
    /* between steps, [n_cols][n_projections] each */
    unsigned *keys;   /* values as whole numbers in the same order */
    unsigned *sorted; /* the same, by rank */
    unsigned *order;  /* projections of the sorted ones */
  } TlCudaSortingArgs;

#define TL_CUDA_TAPS 20

  /* One level of the wavelet transform, all rows; TlWaveletLevel has what the
   * images are. */
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

  /* Each returns a cudaError_t. */
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

#ifdef __cplusplus
}
#endif
