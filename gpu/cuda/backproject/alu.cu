/* ALU: interpolation and addition by the cores, out of shared memory; the
 * texture units are idle. Formula, symbols and memory layout: alu.cuh.
 */
#include "gpu/cuda/backproject/alu.h"

#include "gpu/cuda/backproject/alu.cuh"

template <class Shape, class Cell, int N_SLICES>
static __global__ void
__launch_bounds__ (Shape::Map::N_THREADS, Shape::N_BLOCKS)
    alu_kernel (const TlCudaBackprojectArgs a)
{
  typedef typename Shape::Map Map;
  __shared__ AluShared<Shape, Cell> shared;
  const Place place = Map::place (threadIdx.x);
  const Job job = find_job<Map> (a, blockIdx.x);
  float sums[Map::N_PIXELS][N_SLICES] = {};

  sum_cells<Shape, Cell> (a, job, place, shared, sums);
  store<Map, N_SLICES> (a, job.tile, place, sums, Cell::unit (a));
}

/* Columns counted in quarters, from column -1 on, as layout.h's quarters are.
 */
static TlCudaBackprojectArgs
to_quarters (TlCudaBackprojectArgs a)
{
  a.axis_col = 4.0 * (a.axis_col + 1.0);
  a.x0 *= 4.0;
  a.y0 *= 4.0;
  a.pitch *= 4.0;
  a.n_cols = 4 * (a.n_cols + 1);
  return a;
}

/* --- without segments: any grid --- */

/* Pixels that are far apart are far from the middle, and h has fewer bits: the
 * tile is a small one. */
typedef SquareMap<4> DirectMap;

template <class Cell>
static __device__ inline typename Cell::Type
read_cell (const typename Cell::Type *row, unsigned texel, unsigned n_texels)
{
  return texel < n_texels ? row[texel] : typename Cell::Type{};
}

template <class Map, class Cell, int N_SLICES>
static __global__ void
__launch_bounds__ (Map::N_THREADS) direct_kernel (const TlCudaBackprojectArgs a)
{
  __shared__ Ray rays[Map::N_THREADS];
  const Place place = Map::place (threadIdx.x);
  const Job job = find_job<Map> (a, blockIdx.x);
  const Position position = find_position<Map> (place);
  const unsigned n_texels = (unsigned)count_cells<Cell> (a);
  float sums[Map::N_PIXELS][N_SLICES] = {};

  for (size_t p = 0; p < a.n_rays; p++)
    {
      const size_t i = p % Map::N_THREADS;

      if (i == 0)
        {
          __syncthreads ();
          if (p + threadIdx.x < a.n_rays)
            rays[threadIdx.x] = add_half_column<Cell> (
                make_ray<Map> (a, job.tile, p + threadIdx.x));
          __syncthreads ();
        }
      const typename Cell::Type *row =
          static_cast<const typename Cell::Type *> (a.cells)
          + p * Cell::N_PARTS * a.cell_stride;
      const Line line = find_line (position, rays[i]);
      const int col =
          (int)fminf (fmaxf (rays[i].whole, -1e9f), 1e9f) + Cell::N_BEFORE;

#pragma unroll
      for (int j = 0; j < Map::N_PIXELS; j++)
        {
          const Column column = split<Cell> (get_col<Map> (line, j));
          const unsigned texel = (unsigned)(col + (int)column.whole);
          const float fractions[2] = { column.weight, column.weight };
          typename Cell::Weight weights[2];
          typename Cell::Type values[Cell::N_PARTS + Cell::READS_NEXT];
          typename Cell::Part part = Cell::begin (sums[j]);

          Cell::convert (weights, fractions);
#pragma unroll
          for (int n = 0; n < Cell::N_PARTS; n++)
            values[n] =
                read_cell<Cell> (row + n * a.cell_stride, texel, n_texels);
          if constexpr (Cell::READS_NEXT)
            values[1] = read_cell<Cell> (row, texel + 1, n_texels);
          Cell::add (part, values, weights[0]);
          Cell::end (sums[j], part);
        }
    }
  store<Map, N_SLICES> (a, job.tile, place, sums, Cell::unit (a));
}

/* --- the variants --- */

template <class Shape, Interpolation INTERPOLATION, class Cell, int N_SLICES>
static int
launch_alu (const TlCudaBackprojectArgs *a, cudaStream_t stream)
{
  const TlCudaBackprojectArgs args =
      INTERPOLATION == OVERSAMPLED ? to_quarters (*a) : *a;

  if (fits<Shape, Cell> (&args))
    alu_kernel<Shape, Cell, N_SLICES>
        <<<count_tiles<typename Shape::Map> (args), Shape::Map::N_THREADS, 0,
           stream>>> (args);
  else
    direct_kernel<DirectMap, Cell, N_SLICES>
        <<<count_tiles<DirectMap> (args), DirectMap::N_THREADS, 0, stream>>> (
            args);
  return cudaGetLastError ();
}

template <class Shape, Interpolation INTERPOLATION, Precision PRECISION,
          int N_SLICES>
static constexpr TlCudaKernel
describe_alu (const char *name)
{
  typedef CellOf<typename Shape::Map, INTERPOLATION, PRECISION, N_SLICES> Cell;

  static_assert (!Shape::IN_PAIRS || INTERPOLATION == LINEAR,
                 "pairs are linear");
  return { name, TL_CUDA_LAYOUT_NONE, 0, Cell::LAYOUT,
           launch_alu<Shape, INTERPOLATION, Cell, N_SLICES> };
}

static const TlCudaKernel kernels[] = {
#define VARIANT(name, interpolation, precision, n_slices, map, n_pixels,       \
                n_cells, n_group, n_summed, n_blocks)                          \
  describe_alu<AluShape<map<n_pixels>, n_cells, n_group, n_summed, n_blocks>,  \
               interpolation, precision, n_slices> (name),
#include "gpu/cuda/backproject/alu.def"
#undef VARIANT
};

extern "C" const TlCudaKernel *
tl_cuda_alu_kernels (size_t *n)
{
  *n = sizeof kernels / sizeof *kernels;
  return kernels;
}
