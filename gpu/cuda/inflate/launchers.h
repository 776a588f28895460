/* The launcher of the kernel that inflates. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C"
{
#endif

  struct CUstream_st;

  enum
  {
    TL_CUDA_WINDOW_BYTES = 32768, /* how far back a copy may reach */
    TL_CUDA_MAX_CODES = 320
  };

  /* Where a stream is between two launches; zeroed, at its beginning. */
  typedef struct
  {
    uint64_t n_bits; /* taken of the stream as it is stored */
    uint64_t n_out;  /* bytes inflated */
    uint32_t adler;  /* their checksum */
    uint32_t phase;  /* TlCudaInflatePhase */
  } TlCudaInflateProgress;

  typedef enum
  {
    TL_CUDA_INFLATE_HEADER, /* before a block's header */
    TL_CUDA_INFLATE_STORED, /* in a block that is not compressed */
    TL_CUDA_INFLATE_CODES,  /* in a block that is */
    TL_CUDA_INFLATE_ENDED,  /* before the stream's checksum */
    TL_CUDA_INFLATE_BAD
  } TlCudaInflatePhase;

  /* What only the kernel knows of a stream. */
  typedef struct
  {
    uint32_t is_last_block;
    uint32_t n_literals, n_distances;     /* codes of the block */
    uint32_t n_left;                      /* bytes of a stored block, or of a
                                             copy that is not finished */
    uint32_t distance;                    /* of that copy */
    uint8_t lengths[TL_CUDA_MAX_CODES];   /* of the codes */
    uint8_t window[TL_CUDA_WINDOW_BYTES]; /* the last bytes, at n_out modulo */
  } TlCudaInflateState;

  /* Bytes of a stream as it is stored. */
  typedef struct
  {
    uint64_t first_bit;  /* of the bytes, a multiple of 32 */
    uint32_t first_word; /* where they are in the stream's row */
    uint32_t n_words; /* of 4 bytes; the last one may have zeros at its end */
    uint32_t is_last; /* the stream has no more */
  } TlCudaInflateInput;

  enum
  {
    /* With so many bytes at least, a launch gets on: a header is no longer. */
    TL_CUDA_INFLATE_LEAST = 1024
  };

  typedef struct
  {
    unsigned n_streams, block_streams;
    const uint32_t *stored; /* [n_streams][stored_pitch] */
    unsigned stored_pitch;
    const TlCudaInflateInput *inputs; /* [n_streams] */
    TlCudaInflateProgress *progress;  /* (inout): [n_streams] */
    TlCudaInflateState *states;       /* (inout): [n_streams] */
    uint64_t stop_byte;  /* where to stop; behind a stream's last byte, it is
                            inflated to its end */
    uint64_t first_byte; /* that is wanted of each stream */
    size_t n_bytes;
    unsigned char *dest; /* (out): [n_streams][n_bytes] */
  } TlCudaInflateArgs;

  /** tl_cuda_inflate_prepare: Prepares the kernel on the current device. Any
   * thread. @block_streams: (out): for #TlCudaInflateArgs. Returns: a
   * cudaError_t */
  int tl_cuda_inflate_prepare (unsigned *block_streams);

  /** tl_cuda_inflate: Queues it in @stream: inflates each stream up to
   * stop_byte, or as far as its input goes. All arrays are device memory. Any
   * thread. Returns: a cudaError_t */
  int tl_cuda_inflate (const TlCudaInflateArgs *args,
                       struct CUstream_st *stream);

#ifdef __cplusplus
}
#endif
