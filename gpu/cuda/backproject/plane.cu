/* Planes of the sample, which may be oblique: a thread for each pixel goes
 * through all rays of the two detector rows beside it.
 *
 *   f(i, j) = sum over r of w_r sum over p of q_rp (h)
 *   (x, y, z) = origin + j u + i v
 *   w_r = max (0, 1 - |z - r|)     h = axis_col + x cos t_p + y sin t_p
 *
 *   i, j      row and column of the pixel
 *   r         a detector row: floor (z) and the next one have a weight
 *   p, q_rp   a ray, and its filtered row times its angular weight
 *
 * Memory: rows as [r][ray][texel] in plain memory, in the layouts of the ALU
 * kernel for one slice (layout.h); the picture as [row][col].
 *
 * Rows come through the caches, because the pixels of a block may need any of
 * them. As in backproject.cuh, which explains it, h of the middle of a tile is
 * computed in double precision, and the distance from there in single
 * precision. */
#include "gpu/cuda/backproject/backproject.cuh"

struct PlaneTile : OneGroup
{
  static constexpr int WIDTH = 16, HEIGHT = 16, N_THREADS = 256;
};

/* Coordinate k of a pixel. */
static __device__ inline double
get_place (const TlCudaPlaneArgs &a, int k, double col, double row)
{
  return a.origin[k] + col * a.u[k] + row * a.v[k];
}

static __device__ inline Ray
make_plane_ray (const TlCudaPlaneArgs &a, double col, double row, size_t p)
{
  const double2 ray = reinterpret_cast<const double2 *> (a.rays)[p];
  const double h = a.axis_col + get_place (a, 0, col, row) * ray.x
                   + get_place (a, 1, col, row) * ray.y;
  const double whole = floor (h);

  return { (float)whole, (float)(h - whole),
           (float)(a.u[0] * ray.x + a.u[1] * ray.y),
           (float)(a.v[0] * ray.x + a.v[1] * ray.y) };
}

/* The value of a row at column whole + rest. Beyond the row the gap is read,
 * which is 0. */
template <Interpolation INTERPOLATION>
static __device__ inline float
read_row (const float *row, int n_cols, float whole, float rest)
{
  constexpr int SCALE = INTERPOLATION == OVERSAMPLED ? 4 : 1;
  const float at = SCALE * rest + (INTERPOLATION == LINEAR ? 0.0f : 0.5f);
  const float down = floorf (at);
  const int cell = min (max (SCALE * (int)whole + (int)down, -2 * SCALE),
                        SCALE * (n_cols + 1));

  if constexpr (INTERPOLATION == LINEAR)
    {
      /* the pair of column k is texel k + 1 */
      const float2 pair = reinterpret_cast<const float2 *> (row)[cell + 1];

      return fmaf (at - down, pair.y, pair.x);
    }
  return row[INTERPOLATION == OVERSAMPLED ? cell + 4 : cell];
}

template <Interpolation INTERPOLATION>
static __global__ void
__launch_bounds__ (PlaneTile::N_THREADS) plane_kernel (const TlCudaPlaneArgs a)
{
  typedef PlaneTile Tile;
  constexpr size_t N_FLOATS = INTERPOLATION == LINEAR ? 2 : 1; /* of a texel */
  __shared__ Ray rays[Tile::N_THREADS];
  const unsigned n_across = ceil_div (a.nx, Tile::WIDTH);
  const size_t col0 = (size_t)(blockIdx.x % n_across) * Tile::WIDTH;
  const size_t row0 = (size_t)(blockIdx.x / n_across) * Tile::HEIGHT;
  const Index pixel = { (int)threadIdx.x % Tile::WIDTH,
                        (int)threadIdx.x / Tile::WIDTH };
  const size_t col = col0 + pixel.col, row = row0 + pixel.row;
  const Position position = find_position<Tile> (pixel);
  const double z = get_place (a, 2, (double)col, (double)row);
  const float *sides[2];
  float weights[2], sums[2] = {};

  for (int side = 0; side < 2; side++)
    {
      const double r = floor (z) + side;
      const bool is_there = r >= 0.0 && r < (double)a.n_rows;

      sides[side] = reinterpret_cast<const float *> (
          static_cast<const char *> (a.rows)
          + (is_there ? (size_t)r : (size_t)0) * a.row_bytes);
      weights[side] = is_there ? (float)(1.0 - fabs (z - r)) : 0.0f;
    }
  for (size_t first = 0; first < a.n_rays; first += Tile::N_THREADS)
    {
      const int n = (int)min (a.n_rays - first, (size_t)Tile::N_THREADS);

      __syncthreads ();
      if ((int)threadIdx.x < n)
        rays[threadIdx.x] = make_plane_ray (a, (double)col0 + Tile::WIDTH / 2,
                                            (double)row0 + Tile::HEIGHT / 2,
                                            first + threadIdx.x);
      __syncthreads ();
      for (int p = 0; p < n; p++)
        {
          const Ray ray = rays[p];
          const float rest = find_rest (position, ray);
          const size_t start = (first + p) * a.cell_stride * N_FLOATS;

#pragma unroll
          for (int side = 0; side < 2; side++)
            if (weights[side] > 0.0f)
              sums[side] += read_row<INTERPOLATION> (
                  sides[side] + start, (int)a.n_cols, ray.whole, rest);
        }
    }
  if (col < a.nx && row < a.ny)
    a.pixels[row * a.nx + col] = weights[0] * sums[0] + weights[1] * sums[1];
}

template <Interpolation INTERPOLATION>
static int
launch_plane (const TlCudaPlaneArgs *a, cudaStream_t stream)
{
  const unsigned n_tiles =
      ceil_div (a->nx, PlaneTile::WIDTH) * ceil_div (a->ny, PlaneTile::HEIGHT);

  plane_kernel<INTERPOLATION>
      <<<n_tiles, PlaneTile::N_THREADS, 0, stream>>> (*a);
  return cudaGetLastError ();
}

extern "C" int
tl_cuda_launch_plane (const TlCudaPlaneArgs *a, cudaStream_t stream)
{
  switch (a->layout)
    {
    case TL_CUDA_LAYOUT_PAIR:
      return launch_plane<LINEAR> (a, stream);
    case TL_CUDA_LAYOUT_FLOAT:
      return launch_plane<NEAREST> (a, stream);
    case TL_CUDA_LAYOUT_QUARTER:
      return launch_plane<OVERSAMPLED> (a, stream);
    default:
      return cudaErrorInvalidValue;
    }
}
