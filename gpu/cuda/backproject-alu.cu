/* ALU: interpolation and addition by the cores, out of shared memory; the
 * texture units are idle. Formula, symbols and memory layout: alu.cuh.
 */
#include "gpu/cuda/backproject-alu.h"

#include "gpu/cuda/alu.cuh"

template <class Shape, Interpolation INTERPOLATION, class Cell, int N_SLICES>
static __global__ void
__launch_bounds__ (Shape::Map::N_THREADS, Shape::N_BLOCKS)
    alu_kernel (const TlCudaBackprojectArgs a)
{
  typedef typename Shape::Map Map;
  __shared__ AluShared<Shape, Cell> shared;
  const Place place = Map::place (threadIdx.x);
  float sums[Map::N_PIXELS][N_SLICES] = {};

  sum_cells<Shape, INTERPOLATION, Cell> (a, place, shared, sums);
  store<Map, N_SLICES> (a, place, sums, Cell::unit (a));
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

template <class Map, Interpolation INTERPOLATION, class Cell, int N_SLICES>
static __global__ void
__launch_bounds__ (Map::N_THREADS) direct_kernel (const TlCudaBackprojectArgs a)
{
  __shared__ Ray rays[Map::N_THREADS];
  const Place place = Map::place (threadIdx.x);
  const Position position = find_position<Map> (a, place);
  const unsigned n_texels = (unsigned)a.n_cols + Cell::N_BEFORE;
  float sums[Map::N_PIXELS][N_SLICES] = {};

  for (size_t p = 0; p < a.n_projections; p++)
    {
      const size_t i = p % Map::N_THREADS;

      if (i == 0)
        {
          __syncthreads ();
          if (p + threadIdx.x < a.n_projections)
            rays[threadIdx.x] = make_ray<Map> (a, p + threadIdx.x);
          __syncthreads ();
        }
      const typename Cell::Type *row =
          static_cast<const typename Cell::Type *> (a.cells) + p * n_texels;
      const Line line = find_line<INTERPOLATION> (position, rays[i]);
      const int col = whole_col (rays[i]) + Cell::N_BEFORE;

#pragma unroll
      for (int j = 0; j < Map::N_PIXELS; j++)
        {
          const Column column = split (get_col (line, j));
          const unsigned texel = (unsigned)(col + (int)column.whole);
          const float fractions[2] = { column.weight, column.weight };
          typename Cell::Weight weights[2];
          typename Cell::Part part = Cell::begin (sums[j]);

          Cell::convert (weights, fractions);
          Cell::add (part, read_cell<Cell> (row, texel, n_texels),
                     Cell::READS_NEXT
                         ? read_cell<Cell> (row, texel + 1, n_texels)
                         : typename Cell::Type{},
                     weights[0]);
          Cell::end (sums[j], part);
        }
    }
  store<Map, N_SLICES> (a, place, sums, Cell::unit (a));
}

/* --- the variants --- */

template <class Shape, Interpolation INTERPOLATION, class Cell, int N_SLICES>
static int
launch_alu (const TlCudaBackprojectArgs *a, cudaStream_t stream)
{
  if (fits<Shape> (a))
    alu_kernel<Shape, INTERPOLATION, Cell, N_SLICES>
        <<<count_tiles<typename Shape::Map> (*a), Shape::Map::N_THREADS, 0,
           stream>>> (*a);
  else
    direct_kernel<DirectMap, INTERPOLATION, Cell, N_SLICES>
        <<<count_tiles<DirectMap> (*a), DirectMap::N_THREADS, 0, stream>>> (*a);
  return cudaGetLastError ();
}

template <class Shape, Interpolation INTERPOLATION, Precision PRECISION,
          int N_SLICES>
static constexpr TlCudaKernel
describe_alu (const char *name)
{
  typedef Cell<INTERPOLATION, PRECISION, N_SLICES> Cell;

  return { name, TL_CUDA_LAYOUT_NONE, 0, Cell::LAYOUT,
           launch_alu<Shape, INTERPOLATION, Cell, N_SLICES> };
}

static const TlCudaKernel kernels[] = {
#define VARIANT(name, interpolation, precision, n_slices, n_pixels, n_cells,   \
                n_group, n_summed, n_blocks)                                   \
  describe_alu<                                                                \
      AluShape<SquareMap<n_pixels>, n_cells, n_group, n_summed, n_blocks>,     \
      interpolation, precision, n_slices> (name),
#include "gpu/cuda/backproject-alu.def"
#undef VARIANT
};

extern "C" const TlCudaKernel *
tl_cuda_alu_kernels (size_t *n)
{
  *n = sizeof kernels / sizeof *kernels;
  return kernels;
}
