/* TENSOR: the tensor cores multiply weights with the cells of many slices.
 *
 *   r[pixel][slice] = sum over rays of w[pixel][cell] * row[cell][slice]
 *
 * The weights of linear interpolation do not depend on the slice, so a few
 * neighbouring pixels, the cells (columns) that they read of a ray, and some
 * slices are a product of matrices. One mma.m16n8k16 has
 *
 *   16 rows      a square of 4 x 4 pixels
 *   8 columns    8 slices
 *   k = 16       8 cells of ray p and 8 cells of ray p + 1
 *
 * On a grid whose pitch is at most 1 a square is at most 3 sqrt 2 = 4.24
 * columns wide; with the cell below its lowest pixel and the one above its
 * highest it reads at most 7 cells: they are in a window of 8. Two squares that
 * are neighbours along the ray share a window, so that its cells are read once
 * for 32 pixels: they fit if 3 (|a| + |b|) + 4 |vx a + vy b| <= 6, with a and b
 * the columns from a pixel to the next one to the right and below, and (vx, vy)
 * the neighbour. Right below, obliquely below and beside, that holds for a
 * quarter of all directions each: the classes of rays.
 *
 * A weight is max (0, 1 - |e|), with e the distance of the pixel from the cell
 * in columns, e = u + o - c:
 *
 *   u    in [0, 1), how far behind a cell the window begins; of a window
 *   o    where the pixel is in the window; depends on the ray, not on the tile
 *   c    = 0 ... 7, the cell
 *
 * In a fragment of a matrix a lane has the cells 2 t and 2 t + 1 of two pixels,
 * t = lane % 4. The tables (tensor.cu) have o - 2 t of all lanes; warps that do
 * nothing else find u. (u, u - 1) is a half2, and two instructions make two
 * weights. Where a weight is not 0, e is below 1 and its two summands are below
 * 2: half precision is off by 2^-11 at most. Coordinates are double until u.
 *
 * Full precision: values and weights are sums of two halves each, and three of
 * the four products are computed. The tensor cores cut sums off instead of
 * rounding them, so sums go to memory after N_BETWEEN rays.
 *
 * A block stays and takes tile after tile, so that rows of the next tile are on
 * their way while a tile is written. It has warps that compute and 4 that feed
 * them, a ring of stages between them, and two barriers a stage: full (rows and
 * tables have arrived) and empty (all warps have read them).
 *
 * Before Hopper (compute capability 9.0) the warps that feed copy 16 bytes at
 * a time, and no warp can give registers to another.
 */
#pragma once

#include "gpu/cuda/tensor/compute.cuh"
#include "gpu/cuda/tensor/feed.cuh"

template <class C>
static __device__ __forceinline__ void
compute (const TlCudaBackprojectArgs &a, uint32_t shared, int warp, int lane)
{
  const TensorHead head = *TensorTables<C> (a.tables, a.n_rays).head;
  const int n_across = (int)ceil_div (a.nx, C::WIDTH);
  const int n_tiles = n_across * (int)ceil_div (a.ny, C::HEIGHT);
  /* ldmatrix: lanes 0 to 7 give the rows of ray p, 8 to 15 those of p + 1, 16
   * to 31 the same of the next part */
  TensorLane<C> l = {
    shared,
    warp,
    lane,
    shared + (lane & 7) * 16
        + (C::N_PARTS > 1 ? (lane >> 4) * C::N_CELLS * C::CELL_BYTES : 0),
    (lane & 8) ? 0x1000u : 0x10u,
    { 0, 0 },
    {},
  };

  for (int t = blockIdx.x; t < n_tiles; t += gridDim.x)
    compute_tile<C> (l, a, head, { t % n_across, t / n_across });
}

template <class C>
static __device__ __forceinline__ void
run_block (const TlCudaBackprojectArgs &a, unsigned char *memory)
{
  const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
  const uint32_t shared = (uint32_t)__cvta_generic_to_shared (memory);
  const TensorTables<C> tables (a.tables, a.n_rays);

  if (threadIdx.x == 0)
    {
      /* arrivals: Hopper's one counts bytes, elsewhere each thread has one */
      for (int s = 0; s < C::N_STAGES; s++)
        {
          const TensorStage<C> stage = { s, 0 };

          init_barrier (stage.full (shared),
                        N_FEEDERS + (C::IS_HOPPER ? 1 : N_FEEDERS * WARP));
          init_barrier (stage.empty (shared), C::N_WARPS);
        }
      if constexpr (C::IS_HOPPER)
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
  for (int k = threadIdx.x; k < TensorTables<C>::N_MIDDLES; k += C::N_THREADS)
    reinterpret_cast<uint4 *> (memory + C::MIDDLES)[k] = tables.middles[k];
  __syncthreads ();
  if (warp >= C::N_WARPS)
    {
      if constexpr (C::IS_HOPPER)
        give_registers<C::FEWER_REGISTERS> ();
      feed<C> (a, shared, warp - C::N_WARPS, lane);
    }
  else
    {
      if constexpr (C::IS_HOPPER)
        take_registers<C::MORE_REGISTERS> ();
      compute<C> (a, shared, warp, lane);
    }
}
