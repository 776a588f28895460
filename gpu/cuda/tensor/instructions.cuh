/* Single instructions: arithmetic of halves, matrices, memory. */
#pragma once

#include <cuda_fp16.h>

#include <stdint.h>

/* Both halves of b plus one half of a: no instruction to spread the half. */
template <bool UPPER>
static __device__ inline uint32_t
add_half_to_both (uint32_t a, uint32_t b)
{
  uint32_t sum;

  if constexpr (UPPER)
    asm("{.reg .b16 l, h; .reg .b32 x; mov.b32 {l, h}, %1; mov.b32 x, {h, h}; "
        "add.f16x2 %0, x, %2;}"
        : "=r"(sum)
        : "r"(a), "r"(b));
  else
    asm("{.reg .b16 l, h; .reg .b32 x; mov.b32 {l, h}, %1; mov.b32 x, {l, l}; "
        "add.f16x2 %0, x, %2;}"
        : "=r"(sum)
        : "r"(a), "r"(b));
  return sum;
}

/* max (0, 1 - |e|) of two halves, which is never above 1. */
static __device__ inline uint32_t
find_weights (uint32_t e)
{
  uint32_t weights;

  asm("{.reg .b32 t; abs.f16x2 t, %1; sub.sat.f16x2 %0, %2, t;}"
      : "=r"(weights)
      : "r"(e), "r"(0x3c003c00));
  return weights;
}

static __device__ inline float
find_weight (float e)
{
  return __saturatef (1.0f - fabsf (e));
}

static __device__ inline uint32_t
to_half2 (float low, float high)
{
  const __half2 both = __floats2half2_rn (low, high);

  return reinterpret_cast<const uint32_t &> (both);
}

/* Two or four 8 x 8 matrices of halves, transposed. Lanes give the addresses of
 * their rows, 16 bytes each, so that a window may begin at any cell. */
static __device__ inline void
load_two_matrices (uint32_t *to, uint32_t address)
{
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
               : "=r"(to[0]), "=r"(to[1])
               : "r"(address));
}

static __device__ inline void
load_four_matrices (uint32_t *to, uint32_t address)
{
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 "
               "{%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(address));
}

static __device__ inline uint4
load_16 (uint32_t address)
{
  uint4 v;

  asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "r"(address));
  return v;
}

static __device__ inline uint2
load_8 (uint32_t address)
{
  uint2 v;

  asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];"
               : "=r"(v.x), "=r"(v.y)
               : "r"(address));
  return v;
}

static __device__ inline void
store_4 (uint32_t address, uint32_t v)
{
  asm volatile("st.shared.b32 [%0], %1;" ::"r"(address), "r"(v) : "memory");
}

static __device__ inline void
store_2 (uint32_t address, int v)
{
  asm volatile("st.shared.u16 [%0], %1;" ::"r"(address), "h"((unsigned short)v)
               : "memory");
}

static __device__ inline void
multiply (float (&sums)[4], const uint32_t (&weights)[4], uint32_t cells0,
          uint32_t cells1)
{
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
               "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
               "{%0, %1, %2, %3};"
               : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
               : "r"(weights[0]), "r"(weights[1]), "r"(weights[2]),
                 "r"(weights[3]), "r"(cells0), "r"(cells1));
}
