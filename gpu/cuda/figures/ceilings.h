/* What a device can do at most in a second, of the things that back-projection
 * is made of. */
#pragma once

#ifdef __cplusplus
extern "C"
{
#endif

  struct CUstream_st;

#define TL_CUDA_CEILING_ROWS 8
#define TL_CUDA_CEILING_COLS 32

  typedef enum
  {
    TL_CUDA_CEILING_FETCHES, /* of interpolated texels of 8 bytes, cached */
    TL_CUDA_CEILING_SHARED_BYTES,
    TL_CUDA_CEILING_INSTRUCTIONS, /* multiply-adds of floats, by each lane */
    TL_CUDA_N_CEILINGS
  } TlCudaCeiling;

  /* All device memory. */
  typedef struct
  {
    unsigned long long texture; /* [TL_CUDA_CEILING_ROWS][..._COLS], half4 */
    float *sink;                /* [1]: where results would go */
    unsigned long long *spent;  /* (out) [2]: cycles and nanoseconds of one
                                   block */
  } TlCudaCeilingArgs;

  /**
   * tl_cuda_run_ceiling:
   * @amount: (out): how much the launch does
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
