/* What all back-projection kernels share: tiles of the slice, rays as a tile
 * sees them, and where sums are written.
 *
 *   f(x, y) = sum over p of q_p (h),   h = axis_col + x cos t_p + y sin t_p
 *
 *   x, y      a pixel: x = x0 + col * pitch, y = y0 - row * pitch
 *   p         a ray: a projection, or what a fold makes of several projections
 *             (gpu/stages/fold.h)
 *   h         the detector column that the line through the pixel hits
 *   q_p       the filtered row times its angular weight; 0 outside the row
 *
 * Memory: rows as [ray][texel] in one of the layouts of layout.h, in a CUDA
 * array (read by texture fetches) or in plain memory (copied to shared memory);
 * slices as [slice][row][col].
 *
 * A block computes one tile of the slice, and each of its threads N_PIXELS
 * pixels of it. All threads of a warp are at the same ray at the same time.
 *
 * Precision of h: single precision holds h to 1e-4 columns of 2048, but weights
 * need 1e-6. So each thread of a block computes, for one of the next N_THREADS
 * rays, the h of the tile's middle in double precision, and puts it into shared
 * memory as a whole column and a rest. A pixel then adds its small distance
 * from the middle to the rest in single precision. All threads of a warp read
 * the same ray, which is a broadcast, as fast as constant memory; but shared
 * memory belongs to the launch, so that engines in other streams have their
 * own.
 */
#pragma once

#include "gpu/cuda/backproject/backproject.h"

#include "gpu/cuda/device/device.cuh"
#include "gpu/cuda/backproject/half-precision.cuh"

enum Interpolation
{
  NEAREST,
  LINEAR,
  OVERSAMPLED,
  CUBIC
};

enum Precision
{
  FULL,
  FAST
};

/* The layout of texels that hold the values of n_slices rows, and nothing else.
 */
static __host__ __device__ constexpr TlCudaLayout
layout_of (Precision precision, int n_slices)
{
  return n_slices == 4
             ? precision == FAST ? TL_CUDA_LAYOUT_HALF4 : TL_CUDA_LAYOUT_FLOAT4
         : n_slices == 2 ? TL_CUDA_LAYOUT_FLOAT2
                         : TL_CUDA_LAYOUT_FLOAT;
}

/* Of a pixel in its tile, or of a tile in the slice. */
struct Index
{
  int col, row;
};

/* --- tiles and the pixels of a thread --- */

/* A Tile has
 *   WIDTH, HEIGHT  in pixels
 *   N_THREADS      of a block; N_BLOCKS are resident at least
 *   N_PIXELS       of a thread
 *   N_UNROLLED     rays whose fetches are in flight together
 *   first_pixel (thread)   the thread's first pixel
 *   pixel_offset (j)       from there to its pixel j
 *   N_GROUPS       groups of threads that divide the rays among them: in most
 *                  tiles one, whose threads all take every ray
 *   group (thread)
 *   IN_PAIRS       in the ALU kernel, neighbours share what they read
 */
struct OneGroup
{
  static constexpr int N_GROUPS = 1;

  static __device__ int
  group (int)
  {
    return 0;
  }
};

/* 16 threads make a square of 4 x 4 pixels, numbered along a Z-order curve so
 * that 4 consecutive threads are 2 x 2 pixels. ACROSS squares lie side by side,
 * and as many rows of them follow as make 256 threads. The other pixels of a
 * thread lie below its first one. */
template <int PIXELS, int ACROSS = 16> struct SquareTile : OneGroup
{
  static constexpr int SIDE = 4; /* of a square, in pixels */
  static constexpr int N_THREADS = 256;
  static constexpr int N_DOWN = N_THREADS / (SIDE * SIDE) / ACROSS;
  static constexpr int WIDTH = SIDE * ACROSS, HEIGHT = SIDE * N_DOWN * PIXELS;
  static constexpr int N_PIXELS = PIXELS;
  static constexpr bool IN_PAIRS = false;
  static constexpr int N_UNROLLED = 2;
  static constexpr int N_BLOCKS = 4; /* 64 registers, for 4 slices */

  /* Bits of the thread's number, from the lowest: x y x y, then the square. */
  static __device__ Index
  first_pixel (int thread)
  {
    const int x = (thread & 1) | ((thread >> 1) & 2);
    const int y = ((thread >> 1) & 1) | ((thread >> 2) & 2);
    const int square = thread / (SIDE * SIDE);

    return { square % ACROSS * SIDE + x, square / ACROSS * SIDE + y };
  }

  static __host__ __device__ constexpr Index
  pixel_offset (int j)
  {
    return { 0, j * SIDE * N_DOWN };
  }
};

/* The same, but a thread has 2 x 2 neighbouring pixels in each of its places,
 * so that neighbours can share what they read: a square is 8 x 8 pixels. */
template <int PIXELS, int ACROSS = 8> struct QuadTile : OneGroup
{
  typedef SquareTile<PIXELS / 4, ACROSS> Quads;
  /* The same tile for fetches through the texture unit, which are fastest where
   * neighbouring threads have neighbouring pixels. */
  typedef SquareTile<PIXELS, 2 * ACROSS> FetchTile;

  static constexpr int WIDTH = 2 * Quads::WIDTH, HEIGHT = 2 * Quads::HEIGHT;
  static constexpr int N_THREADS = Quads::N_THREADS, N_PIXELS = PIXELS;
  static constexpr bool IN_PAIRS = true;
  static constexpr int N_UNROLLED = Quads::N_UNROLLED;
  static constexpr int N_BLOCKS = 4; /* 64 registers, for 4 slices */

  static __device__ Index
  first_pixel (int thread)
  {
    const Index quad = Quads::first_pixel (thread);

    return { 2 * quad.col, 2 * quad.row };
  }

  /* Row by row in each quad of 2 x 2 pixels. */
  static __host__ __device__ constexpr Index
  pixel_offset (int j)
  {
    return { j % 2, 2 * Quads::pixel_offset (j / 4).row + j / 2 % 2 };
  }
};

/* The same, 32 pixels wide. */
template <int PIXELS> using NarrowSquareTile = SquareTile<PIXELS, 8>;
template <int PIXELS> using NarrowQuadTile = QuadTile<PIXELS, 4>;

/* --- rays, as a tile sees them --- */

/* h of the tile's middle is whole + rest. It grows by right with each column of
 * the slice, and by down with each row. */
struct Ray
{
  float whole, rest, right, down;
};

/* Tiles that cover the slice. */
template <class Tile>
static __host__ __device__ inline unsigned
count_tiles (const TlCudaBackprojectArgs &a)
{
  return ceil_div (a.nx, Tile::WIDTH) * ceil_div (a.ny, Tile::HEIGHT);
}

/* The work of one block: a tile, and a share of the rays. */
struct Job
{
  Index tile;
  size_t first_ray, n_rays;
};

/* Jobs are numbered tile by tile, row after row, with the first of n_parts
 * equal shares of the rays; then follow all tiles with the second share. They
 * lie along grid x, because grid y ends at 65535 blocks. */
template <class Tile>
static __device__ inline Job
find_job (const TlCudaBackprojectArgs &a, unsigned number)
{
  const unsigned n_tiles = count_tiles<Tile> (a);
  const unsigned n_across = ceil_div (a.nx, Tile::WIDTH);
  const unsigned tile = number % n_tiles, part = number / n_tiles;
  const size_t first = a.n_rays * part / a.n_parts;

  return { { (int)(tile % n_across), (int)(tile / n_across) },
           first,
           a.n_rays * (part + 1) / a.n_parts - first };
}

template <class Tile>
static __device__ inline Ray
make_ray (const TlCudaBackprojectArgs &a, const Index &tile, size_t number)
{
  const double x =
      a.x0 + ((double)tile.col * Tile::WIDTH + Tile::WIDTH / 2) * a.pitch;
  const double y =
      a.y0 - ((double)tile.row * Tile::HEIGHT + Tile::HEIGHT / 2) * a.pitch;
  const double2 ray = reinterpret_cast<const double2 *> (a.rays)[number];
  const double h = a.axis_col + x * ray.x + y * ray.y;
  const double whole = floor (h);

  return { (float)whole, (float)(h - whole), (float)(a.pitch * ray.x),
           (float)(-a.pitch * ray.y) };
}

/* Puts the next N_THREADS rays of the job, from first on, into shared memory.
 * All threads of the block call it. */
template <class Tile>
static __device__ inline void
make_rays (const TlCudaBackprojectArgs &a, const Job &job, size_t first,
           Ray (&rays)[Tile::N_THREADS])
{
  const size_t p = first + threadIdx.x;

  __syncthreads ();
  /* a ray that does not exist passes outside the row, where all is 0 */
  rays[threadIdx.x] = p < job.n_rays
                          ? make_ray<Tile> (a, job.tile, job.first_ray + p)
                          : Ray{ -1e6f, 0.0f, 0.0f, 0.0f };
  __syncthreads ();
}

/* A thread's first pixel, counted from the tile's middle. */
struct Position
{
  float col, row;
};

template <class Tile>
static __device__ inline Position
find_position (const Index &pixel)
{
  return { (float)(pixel.col - Tile::WIDTH / 2),
           (float)(pixel.row - Tile::HEIGHT / 2) };
}

/* h of that pixel, counted from ray.whole. */
static __device__ inline float
find_rest (const Position &position, const Ray &ray)
{
  return fmaf (position.col, ray.right,
               fmaf (position.row, ray.down, ray.rest));
}

/* From the thread's pixel 0 to its pixel j. The offsets are known when this is
 * compiled, so that a step of 0 costs nothing. */
template <class Tile, class Steps>
static __device__ inline float
move (float first, const Steps &steps, int j)
{
  const Index offset = Tile::pixel_offset (j);
  const float below =
      offset.row == 0 ? first : fmaf ((float)offset.row, steps.down, first);

  return offset.col == 0 ? below : fmaf ((float)offset.col, steps.right, below);
}

/* The whole number below, and the nearest one, of |h| < 2^22: floats near
 * 1.5 * 2^23 are whole numbers. A multiprocessor does many times as many
 * additions as conversions. */
static __device__ inline float
round_down (float h)
{
  constexpr float MAGIC = 1.5f * (1 << 23);

  return __fadd_rd (h, MAGIC) - MAGIC;
}

static __device__ inline float
round_near (float h)
{
  constexpr float MAGIC = 1.5f * (1 << 23);

  return __fadd_rn (h, MAGIC) - MAGIC;
}

/* --- fetches that need no weights of the texture unit --- */

/* Adds the texel nearest to column whole + rest, whole being a whole number; y
 * is the ray's, as textures count it. */
template <int N_SLICES>
static __device__ inline void
add_nearest (float (&sums)[N_SLICES], cudaTextureObject_t texture, float whole,
             float rest, float y)
{
  const float col = whole + floorf (rest + 0.5f);

  add (sums, fetch<N_SLICES> (texture, to_texture (col), y), 1.0f);
}

/* Adds the cubic B-spline at the texture's x + w, x being a texel's. */
template <int N_SLICES>
static __device__ inline void
add_spline (float (&sums)[N_SLICES], cudaTextureObject_t texture, float x,
            float w, float y)
{
  const float rest = 1.0f - w, w2 = w * w, rest2 = rest * rest;

  add (sums, fetch<N_SLICES> (texture, x - 1.0f, y),
       rest2 * rest * (1.0f / 6.0f));
  add (sums, fetch<N_SLICES> (texture, x, y),
       fmaf (w2, fmaf (0.5f, w, -1.0f), 2.0f / 3.0f));
  add (sums, fetch<N_SLICES> (texture, x + 1.0f, y),
       fmaf (rest2, fmaf (0.5f, rest, -1.0f), 2.0f / 3.0f));
  add (sums, fetch<N_SLICES> (texture, x + 2.0f, y), w2 * w * (1.0f / 6.0f));
}

/* --- writing the slices --- */

/* Where component s of a texel is written. With a fold each component is
 * another pixel of the same slice: while A, the first one, is at (row, col),
 * the pixel of component s is number first + col * right + row * down of the
 * slice. B and D are quarter turns of a square slice, C is half a turn. */
struct Target
{
  ptrdiff_t first, right, down;
};

static __device__ inline Target
find_target (const TlCudaBackprojectArgs &a, int s)
{
  const ptrdiff_t width = a.whole_nx, last = a.whole_ny * a.whole_nx - 1;

  if (a.n_folded == 0)
    return { (ptrdiff_t)(s * a.ny * a.nx), 1, (ptrdiff_t)a.nx };
  if (s == 0)
    return { 0, 1, width };
  if (a.n_folded == 4 && s % 2 == 1)
    return s == 1 ? Target{ last - (width - 1), -width, 1 }
                  : Target{ width - 1, width, -1 };
  return { last, -1, -width };
}

/* Where the number of rows or columns is odd, a fold computes pixels of the
 * middle twice. Only one of them is written. */
static __device__ inline bool
is_kept (const TlCudaBackprojectArgs &a, int s, size_t row, size_t col)
{
  return a.n_folded == 0 || 2 * row + 1 != a.whole_ny
         || (s == 0 && (a.n_folded == 2 || 2 * col + 1 == a.whole_nx));
}

/* Writes a thread's sums. unit: the value of 1 in the texels' units. Where two
 * blocks share the rays of a tile, each adds its part to a pixel that was 0;
 * two numbers have the same sum in either order, so that results repeat to the
 * bit. */
template <class Tile, int N_SLICES>
static __device__ inline void
store (const TlCudaBackprojectArgs &a, const Index &tile, const Index &pixel,
       const float (&sums)[Tile::N_PIXELS][N_SLICES], float unit)
{
  const int n = max (a.n_slices, a.n_folded);
  const size_t first_col = (size_t)tile.col * Tile::WIDTH + pixel.col;
  const size_t first_row = (size_t)tile.row * Tile::HEIGHT + pixel.row;

#pragma unroll
  for (int s = 0; s < N_SLICES; s++)
    {
      if (s >= n)
        break;
      const Target target = find_target (a, s);
      float *first = a.pixels + target.first + first_col * target.right
                     + first_row * target.down;

#pragma unroll
      for (int j = 0; j < Tile::N_PIXELS; j++)
        {
          const Index offset = Tile::pixel_offset (j);
          const size_t col = first_col + offset.col;
          const size_t row = first_row + offset.row;
          float *pixel =
              first + offset.col * target.right + offset.row * target.down;

          if (col >= a.nx || row >= a.ny || !is_kept (a, s, row, col))
            continue;
          if (a.n_parts > 1)
            atomicAdd (pixel, sums[j][s] * unit);
          else
            *pixel = sums[j][s] * unit;
        }
    }
}
