/* Copies from device memory into shared memory that run in the background, and
 * waiting for them. Compute capability 9.0 has an engine for it, which a thread
 * tells what to copy and where to count the bytes that came; before it threads
 * copy 16 bytes each. Both ends of a copy are aligned to 16 bytes. */
#pragma once

#include <cuda_pipeline.h>

#if __CUDA_ARCH__ >= 900 && CUDART_VERSION >= 12000
#define HAS_BULK_COPY 1
#else
#define HAS_BULK_COPY 0
#endif

/* In shared memory; one for all copies that are waited for together. */
struct Arrival
{
  unsigned long long counter;
};

static __device__ inline unsigned
find_shared_address (const void *shared)
{
  return (unsigned)__cvta_generic_to_shared (shared);
}

/* By one thread; the others use it after the next barrier. */
static __device__ inline void
init_arrival (Arrival &arrival)
{
#if HAS_BULK_COPY
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n\t"
               "fence.proxy.async.shared::cta;" ::"r"(
                   find_shared_address (&arrival.counter))
               : "memory");
#endif
}

/* By all threads of the block, with the same arguments: N rows of N_BYTES, one
 * after the other, to target, row q from find (q). */
template <int N, int N_BYTES, int N_THREADS, class Find>
static __device__ inline void
begin_copies (Arrival &arrival, void *target, const Find &find)
{
  constexpr int WARP = 32, N_WARPS = N_THREADS / WARP;
  const int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;

#if HAS_BULK_COPY
  /* a warp's threads do it one after the other */
  const int q = warp + lane * N_WARPS;

  static_assert (N <= N_THREADS, "a thread for each row");
  if (threadIdx.x == 0)
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                     find_shared_address (&arrival.counter)),
                 "r"(N * N_BYTES)
                 : "memory");
  if (q < N)
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
        "[%0], [%1], %2, [%3];" ::"r"(find_shared_address (target)
                                      + q * N_BYTES),
        "l"(__cvta_generic_to_global (find (q))), "r"(N_BYTES),
        "r"(find_shared_address (&arrival.counter))
        : "memory");
#else
  constexpr int N_PIECES = N_BYTES / sizeof (uint4);

#pragma unroll 1
  for (int q = warp; q < N; q += N_WARPS)
    {
      const uint4 *from = static_cast<const uint4 *> (find (q));
      uint4 *row = static_cast<uint4 *> (target) + q * N_PIECES;

#pragma unroll
      for (int k = lane; k < N_PIECES; k += WARP)
        __pipeline_memcpy_async (row + k, from + k, sizeof (uint4));
    }
  __pipeline_commit ();
#endif
}

/* For the copies begun last with this arrival, the n-th ones, counted from 0;
 * without an engine each thread waits for its own, and a barrier has to follow.
 */
static __device__ inline void
wait_for_copies (const Arrival &arrival, unsigned n)
{
#if HAS_BULK_COPY
  asm volatile("{\n\t"
               ".reg .pred done;\n\t"
               "again:\n\t"
               "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n\t"
               "@!done bra again;\n\t"
               "}" ::"r"(find_shared_address (&arrival.counter)),
               "r"(n % 2)
               : "memory");
#else
  __pipeline_wait_prior (0);
#endif
}
