/* ALU: the cores interpolate out of shared memory. alu.cuh has the method; here
 * are the kernel, a slower kernel for coarse grids, and the variants. */
#include "gpu/cuda/backproject/alu.cuh"

template <class Config, class Cell, int N_SLICES>
static __global__ void
__launch_bounds__ (Config::Tile::N_THREADS, Config::N_BLOCKS)
    alu_kernel (const TlCudaBackprojectArgs a)
{
  typedef typename Config::Tile Tile;
  __shared__ AluShared<Config, Cell> shared;
  const Index pixel = Tile::first_pixel (threadIdx.x);
  const Job job = find_job<Tile> (a, blockIdx.x);
  float sums[Tile::N_PIXELS][N_SLICES] = {};

  sum_cells<Config, Cell> (a, job, pixel, shared, sums);
  store<Tile, N_SLICES> (a, job.tile, pixel, sums, Cell::unit (a));
}

/* The same geometry with columns counted in quarters, from column -1 on, as
 * the layouts with quarters have them. */
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

/* --- coarse grids, with cells from device memory --- */

/* The tile is small: pixels that lie far from its middle would have an h of
 * fewer bits. */
typedef SquareTile<4> DirectTile;

template <class Cell>
static __device__ inline typename Cell::Type
read_cell (const typename Cell::Type *row, unsigned texel, unsigned n_texels)
{
  return texel < n_texels ? row[texel] : typename Cell::Type{};
}

template <class Tile, class Cell, int N_SLICES>
static __global__ void
__launch_bounds__ (Tile::N_THREADS)
    direct_kernel (const TlCudaBackprojectArgs a)
{
  __shared__ Ray rays[Tile::N_THREADS];
  const Index pixel = Tile::first_pixel (threadIdx.x);
  const Job job = find_job<Tile> (a, blockIdx.x);
  const Position position = find_position<Tile> (pixel);
  const unsigned n_texels = (unsigned)count_cells<Cell> (a);
  float sums[Tile::N_PIXELS][N_SLICES] = {};

  for (size_t p = 0; p < a.n_rays; p++)
    {
      const size_t i = p % Tile::N_THREADS;

      if (i == 0)
        {
          __syncthreads ();
          if (p + threadIdx.x < a.n_rays)
            rays[threadIdx.x] = add_half_column<Cell> (
                make_ray<Tile> (a, job.tile, p + threadIdx.x));
          __syncthreads ();
        }
      const typename Cell::Type *row =
          static_cast<const typename Cell::Type *> (a.cells)
          + p * Cell::N_PARTS * a.cell_stride;
      const Line line = find_line (position, rays[i]);
      const int col =
          (int)fminf (fmaxf (rays[i].whole, -1e9f), 1e9f) + Cell::N_BEFORE;

#pragma unroll
      for (int j = 0; j < Tile::N_PIXELS; j++)
        {
          const Column column = split_column<Cell> (get_col<Tile> (line, j));
          const unsigned texel = (unsigned)(col + (int)column.whole);
          const float fractions[2] = { column.weight, column.weight };
          typename Cell::Weight weights[2];
          typename Cell::Type values[Cell::N_PARTS + Cell::READS_NEXT];
          typename Cell::PartialSum part = Cell::begin (sums[j]);

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
  store<Tile, N_SLICES> (a, job.tile, pixel, sums, Cell::unit (a));
}

/* --- the variants --- */

template <class Config, Interpolation INTERPOLATION, class Cell, int N_SLICES>
static int
launch_alu (const TlCudaBackprojectArgs *a, cudaStream_t stream)
{
  const TlCudaBackprojectArgs args =
      INTERPOLATION == OVERSAMPLED ? to_quarters (*a) : *a;

  if (fits<Config, Cell> (&args))
    alu_kernel<Config, Cell, N_SLICES>
        <<<count_tiles<typename Config::Tile> (args), Config::Tile::N_THREADS,
           0, stream>>> (args);
  else
    direct_kernel<DirectTile, Cell, N_SLICES>
        <<<count_tiles<DirectTile> (args), DirectTile::N_THREADS, 0, stream>>> (
            args);
  return cudaGetLastError ();
}

template <class Config, Interpolation INTERPOLATION, Precision PRECISION,
          int N_SLICES>
static constexpr TlCudaKernel
describe_alu (const char *name)
{
  typedef CellOf<typename Config::Tile, INTERPOLATION, PRECISION, N_SLICES>
      Cell;

  static_assert (!Config::IN_PAIRS || INTERPOLATION == LINEAR,
                 "pairs are linear");
  return { name,
           TL_CUDA_LAYOUT_NONE,
           0,
           Cell::LAYOUT,
           launch_alu<Config, INTERPOLATION, Cell, N_SLICES>,
           nullptr };
}

static const TlCudaKernel kernels[] = {
#define VARIANT(name, interpolation, precision, n_slices, map, n_pixels,       \
                n_cells, n_group, n_summed, n_blocks)                          \
  describe_alu<AluConfig<map<n_pixels>, n_cells, n_group, n_summed, n_blocks>, \
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
