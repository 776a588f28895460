/* Barriers and copies, and the ring of stages that they guard. */
#pragma once

#include <stdint.h>

static __device__ inline void
init_barrier (uint32_t barrier, int n)
{
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(barrier), "r"(n)
               : "memory");
}

/* For tests of the barriers: warps are late by up to some stages, so that what
 * is not waited for is wrong. */
static __device__ inline void
delay ()
{
#ifdef TL_CUDA_CHECK_DELAYS
  const unsigned any = (unsigned)clock () * 0x9E3779B1u;

  if (any >> 30 == 0)
    __nanosleep (any >> 12 & 0x3fff);
#endif
}

static __device__ inline void
arrive (uint32_t barrier)
{
  delay ();
  asm volatile(
      "{.reg .b64 state; mbarrier.arrive.shared.b64 state, [%0];}" ::"r"(
          barrier)
      : "memory");
}

/* Waits until the phase of this parity is over. */
template <bool HOPPER>
static __device__ inline void
wait_for (uint32_t barrier, uint32_t parity)
{
  delay ();
  if constexpr (HOPPER)
    asm volatile("{.reg .pred p; again: "
                 "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; "
                 "@!p bra again;}" ::"r"(barrier),
                 "r"(parity)
                 : "memory");
  else
    asm volatile("{.reg .pred p; again: "
                 "mbarrier.test_wait.parity.shared.b64 p, [%0], %1; "
                 "@!p bra again;}" ::"r"(barrier),
                 "r"(parity)
                 : "memory");
}

/* racecheck of compute-sanitizer takes a barrier in memory for no order between
 * warps in a loop. For it all N threads of a block meet once for each stage,
 * after it was filled and before it is waited for; then it reports other
 * hazards only. */
template <int N>
static __device__ inline void
meet ()
{
#ifdef TL_CUDA_CHECK_RACES
  asm volatile("bar.sync 1, %0;" ::"n"(N) : "memory");
#endif
}

/* Hopper: the barrier waits for n more bytes; counts as an arrival. */
static __device__ inline void
expect_bytes (uint32_t barrier, int n)
{
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
      "r"(n)
      : "memory");
}

/* Hopper: one thread copies n bytes. */
static __device__ inline void
copy_bytes (uint32_t to, const void *from, int n, uint32_t barrier)
{
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
               "bytes [%0], [%1], %2, [%3];" ::"r"(to),
               "l"(__cvta_generic_to_global (from)), "r"(n), "r"(barrier)
               : "memory");
}

/* Others: a thread copies 16 bytes. */
static __device__ inline void
copy_16 (uint32_t to, const void *from)
{
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to),
               "l"(__cvta_generic_to_global (from))
               : "memory");
}

/* Others: arrives when the thread's copies have. */
static __device__ inline void
arrive_with_copies (uint32_t barrier)
{
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(barrier)
               : "memory");
}

/* Hopper: of a whole warp, which then has so many registers a thread. The
 * compiler looks for it at the beginning of a branch. */
template <int N>
static __device__ inline void
take_registers ()
{
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(N));
}

template <int N>
static __device__ inline void
give_registers ()
{
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(N));
}

/* A place in the ring of stages. */
template <class C> struct TensorStage
{
  int number;
  uint32_t parity;

  __device__ TensorStage
  next () const
  {
    const bool is_last = number + 1 == C::N_STAGES;

    return { is_last ? 0 : number + 1, is_last ? parity ^ 1 : parity };
  }

  __device__ uint32_t
  full (uint32_t shared) const
  {
    return shared + C::BARRIERS + number * 16;
  }

  __device__ uint32_t
  empty (uint32_t shared) const
  {
    return full (shared) + 8;
  }
};
