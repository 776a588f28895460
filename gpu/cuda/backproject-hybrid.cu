/* Hybrid: texture units and cores side by side, after Chilingaryan et al.,
 * "Balancing load of GPU subsystems to accelerate image reconstruction in
 * parallel beam tomography", section on the hybrid approach. Formula, symbols
 * and memory layout: backproject.cuh and alu.cuh, whose code the blocks run.
 *
 * A block does its whole tile by fetches or out of shared memory. For both
 * kinds to be on every multiprocessor all the time, there is a counter for
 * each, of the blocks that fetch now: a block that begins takes one of n_places
 * among them, if one is free, and gives it back at its end. So the counters
 * are 0 again after a launch, and however long the two kinds take, the mix
 * stays. The n_last blocks that begin do not fetch: it takes longer, and all
 * others would wait for them. Who fetches depends on the order in which blocks
 * end: results differ from run to run by the rounding of the two kinds.
 */
#include "gpu/cuda/backproject-hybrid.h"

#include "gpu/cuda/alu.cuh"

/* The counter of the multiprocessor that the block is on. Where numbers have
 * gaps two of them may share one. */
static __device__ inline unsigned *
find_counter (const TlCudaBackprojectArgs &a)
{
  unsigned number;

  asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
  return &a.n_busy[number % a.n_counters];
}

/* Whether the block shall fetch. All threads of the block call it. */
static __device__ inline bool
take_place (unsigned *counter, unsigned n_places, unsigned n_last)
{
  __shared__ bool is_taken;
  const unsigned n_left = gridDim.x - blockIdx.x;

  if (threadIdx.x == 0)
    {
      is_taken = atomicAdd (counter, 1u) < (n_left > n_last ? n_places : 0u);
      if (!is_taken)
        atomicSub (counter, 1u);
    }
  __syncthreads ();
  return is_taken;
}

template <class Shape, class Cell> union HybridShared
{
  AluShared<Shape, Cell> alu;
  Ray rays[Shape::Map::N_THREADS];
};

template <class Shape, Interpolation INTERPOLATION, Precision PRECISION,
          int N_SLICES>
static __global__ void
__launch_bounds__ (Shape::Map::N_THREADS, Shape::N_BLOCKS)
    hybrid_kernel (const TlCudaBackprojectArgs a, unsigned n_places,
                   unsigned n_last)
{
  typedef typename Shape::Map Map;
  typedef Cell<INTERPOLATION, PRECISION, N_SLICES> Cell;
  __shared__ HybridShared<Shape, Cell> shared;
  const Place place = Map::place (threadIdx.x);
  unsigned *counter = find_counter (a);
  float sums[Map::N_PIXELS][N_SLICES] = {};

  if (take_place (counter, n_places, n_last))
    {
      sum_texels<Map, INTERPOLATION, PRECISION> (a, place, shared.rays, sums);
      if (threadIdx.x == 0)
        atomicSub (counter, 1u);
      store<Map, N_SLICES> (a, place, sums,
                            layout_of (INTERPOLATION, PRECISION, N_SLICES)
                                    == TL_CUDA_LAYOUT_HALF4
                                ? half_unit (*a.peak)
                                : 1.0f);
    }
  else
    {
      sum_cells<Shape, INTERPOLATION, Cell> (a, place, shared.alu, sums);
      store<Map, N_SLICES> (a, place, sums, Cell::unit (a));
    }
}

/* Where a segment is too short for the grid, all blocks fetch. */
template <class Shape, int N_PLACES, int N_LAST, Interpolation INTERPOLATION,
          Precision PRECISION, int N_SLICES>
static int
launch_hybrid (const TlCudaBackprojectArgs *a, cudaStream_t stream)
{
  typedef typename Shape::Map Map;
  const bool is_mixed = fits<Shape> (a);

  hybrid_kernel<Shape, INTERPOLATION, PRECISION, N_SLICES>
      <<<count_tiles<Map> (*a), Map::N_THREADS, 0, stream>>> (
          *a, is_mixed ? N_PLACES : ~0u,
          is_mixed ? N_LAST * a->n_counters : 0u);
  return cudaGetLastError ();
}

/* --- the variants --- */

template <class Shape, int N_PLACES, int N_LAST, Interpolation INTERPOLATION,
          Precision PRECISION, int N_SLICES>
static constexpr TlCudaKernel
describe_hybrid (const char *name)
{
  return {
    name, layout_of (INTERPOLATION, PRECISION, N_SLICES),
    interpolates (INTERPOLATION, PRECISION),
    Cell<INTERPOLATION, PRECISION, N_SLICES>::LAYOUT,
    launch_hybrid<Shape, N_PLACES, N_LAST, INTERPOLATION, PRECISION, N_SLICES>
  };
}

static const TlCudaKernel kernels[] = {
#define VARIANT(name, interpolation, precision, n_slices, n_pixels, n_cells,   \
                n_group, n_summed, n_blocks, n_places, n_last)                 \
  describe_hybrid<                                                             \
      AluShape<SquareMap<n_pixels>, n_cells, n_group, n_summed, n_blocks>,     \
      n_places, n_last, interpolation, precision, n_slices> (name),
#include "gpu/cuda/backproject-hybrid.def"
#undef VARIANT
};

extern "C" const TlCudaKernel *
tl_cuda_hybrid_kernels (size_t *n)
{
  *n = sizeof kernels / sizeof *kernels;
  return kernels;
}
