/* Back-projection by texture fetches, after Chilingaryan et al., "Balancing
 * load of GPU subsystems to accelerate image reconstruction in parallel beam
 * tomography", section on the texture-based kernel. Formula, symbols and
 * memory: backproject.cuh.
 *
 * The paper's idea: the texture unit returns the same number of texels a second
 * up to 64 bits each. So a texel has the values of 2 or 4 slices, and one fetch
 * serves all of them. Fetches are fast where neighbouring threads fetch
 * neighbouring texels, hence the Z-order of SquareTile.
 *
 * Both of the paper's mappings are here. In the simpler one all 256 threads of
 * a block are at the same ray (SquareTile, QuadTile). In the other one
 * ("texture-quarters") the tile has 16 x 16 pixels only, and four groups of 64
 * threads take every fourth ray each; their sums are joined at the end. That
 * makes more blocks of a small slice (QuarterTile).
 *
 * The paper lets the texture unit interpolate. Its weights have 8 bits only, so
 * that here the cores interpolate between texels fetched as they are: pixel by
 * pixel (texel_kernel), or for 2 x 2 pixels at once (quad_kernel), which needs
 * no more fetches than with the texture unit's own interpolation.
 */
#pragma once

#include "gpu/cuda/backproject/backproject.cuh"

/* --- four groups of threads --- */

/* 64 threads have 2 x 2 pixels each of a tile of 16 x 16. */
struct QuarterTile
{
  typedef SquareTile<1, 2> Quads;

  static constexpr int WIDTH = 16, HEIGHT = 16, N_THREADS = 256;
  static constexpr int N_PIXELS = 4, N_GROUPS = 4;
  static constexpr int N_UNROLLED = 2;
  static constexpr int N_BLOCKS = 4; /* 64 registers, for 4 slices */

  /* The same tile when the sums of the groups are joined: a pixel a thread. */
  struct Joined
  {
    static constexpr int WIDTH = QuarterTile::WIDTH;
    static constexpr int HEIGHT = QuarterTile::HEIGHT;
    static constexpr int N_PIXELS = 1;

    static __device__ Index
    first_pixel (int thread)
    {
      const Index first = QuarterTile::first_pixel (thread);
      const Index from = QuarterTile::pixel_offset (group (thread));

      return { first.col + from.col, first.row + from.row };
    }

    static __host__ __device__ constexpr Index
    pixel_offset (int)
    {
      return { 0, 0 };
    }
  };

  static __device__ int
  group (int thread)
  {
    return thread / (N_THREADS / N_GROUPS);
  }

  static __device__ Index
  first_pixel (int thread)
  {
    const Index quad = Quads::first_pixel (thread % (N_THREADS / N_GROUPS));

    return { 2 * quad.col, 2 * quad.row };
  }

  static __host__ __device__ constexpr Index
  pixel_offset (int j)
  {
    return { j % 2, j / 2 };
  }
};

/* Joins what the groups have of each pixel; group g gets the pixels g. A thread
 * has as many pixels as there are groups. All threads of the block call it. */
template <class Tile, int N_SLICES>
static __device__ inline void
join_groups (const float (&sums)[Tile::N_PIXELS][N_SLICES],
             Ray (&rays)[Tile::N_THREADS], float (&joined)[N_SLICES])
{
  constexpr int N = Tile::N_GROUPS, N_IN_GROUP = Tile::N_THREADS / N;
  float *parts = reinterpret_cast<float *> (rays); /* [pixel][thread] */
  const int group = Tile::group (threadIdx.x);

  static_assert (N == Tile::N_PIXELS && N * sizeof (float) <= sizeof (Ray),
                 "the rays' memory is large enough");
#pragma unroll
  for (int s = 0; s < N_SLICES; s++)
    {
      __syncthreads ();
#pragma unroll
      for (int j = 0; j < N; j++)
        parts[j * Tile::N_THREADS + threadIdx.x] = sums[j][s];
      __syncthreads ();
      joined[s] = 0.0f;
#pragma unroll
      for (int g = 0; g < N; g++)
        joined[s] += parts[group * Tile::N_THREADS + g * N_IN_GROUP
                           + threadIdx.x % N_IN_GROUP];
    }
}

/* Writes the sums of all threads of a block. */
template <class Tile, TlCudaLayout LAYOUT, int N_SLICES>
static __device__ inline void
store_groups (const TlCudaBackprojectArgs &a, const Job &job,
              const Index &pixel, Ray (&rays)[Tile::N_THREADS],
              const float (&sums)[Tile::N_PIXELS][N_SLICES])
{
  const float unit =
      LAYOUT == TL_CUDA_LAYOUT_HALF4 ? half_unit (*a.peak) : 1.0f;

  if constexpr (Tile::N_GROUPS == 1)
    store<Tile, N_SLICES> (a, job.tile, pixel, sums, unit);
  else
    {
      typedef typename Tile::Joined Joined;
      float joined[1][N_SLICES];

      join_groups<Tile> (sums, rays, joined[0]);
      store<Joined, N_SLICES> (a, job.tile, Joined::first_pixel (threadIdx.x),
                               joined, unit);
    }
}

/* --- pixel by pixel: nearest, cubic, and linear on coarse grids --- */

/* Adds the row's value at column whole + rest, whole being a whole number; y is
 * the ray's, as textures count it. */
template <Interpolation INTERPOLATION, int N_SLICES>
static __device__ inline void
add_value (float (&sums)[N_SLICES], cudaTextureObject_t texture, float whole,
           float rest, float y)
{
  if constexpr (INTERPOLATION == NEAREST)
    add_nearest (sums, texture, whole, rest, y);
  else
    {
      const float down = floorf (rest), weight = rest - down;
      const float x = to_texture (whole + down);

      if constexpr (INTERPOLATION == CUBIC)
        add_spline (sums, texture, x, weight, y);
      else
        {
          add (sums, fetch<N_SLICES> (texture, x, y), 1.0f - weight);
          add (sums, fetch<N_SLICES> (texture, x + 1.0f, y), weight);
        }
    }
}

/* All threads of the block call it. */
template <class Tile, Interpolation INTERPOLATION, int N_SLICES>
static __device__ inline void
sum_texels (const TlCudaBackprojectArgs &a, const Job &job, const Index &pixel,
            Ray (&rays)[Tile::N_THREADS],
            float (&sums)[Tile::N_PIXELS][N_SLICES])
{
  /* four slices have enough fetches in flight, and few registers to spare */
  constexpr int N = N_SLICES < 4 ? Tile::N_UNROLLED : 1;
  constexpr int STEP = Tile::N_GROUPS;
  const Position position = find_position<Tile> (pixel);
  const int group = Tile::group (threadIdx.x);

  for (size_t first = 0; first < job.n_rays; first += Tile::N_THREADS)
    {
      float y = to_texture ((float)(job.first_ray + first) + (float)group);
      const int n = (int)min (job.n_rays - first, (size_t)Tile::N_THREADS);

      make_rays<Tile> (a, job, first, rays);
#pragma unroll N
      for (int p = group; p < n; p += STEP, y += STEP)
        {
          const Ray ray = rays[p];
          const float rest = find_rest (position, ray);

#pragma unroll
          for (int j = 0; j < Tile::N_PIXELS; j++)
            add_value<INTERPOLATION> (sums[j], a.texture, ray.whole,
                                      move<Tile> (rest, ray, j), y);
        }
    }
}

template <class Tile, Interpolation INTERPOLATION, TlCudaLayout LAYOUT,
          int N_SLICES>
static __global__ void
__launch_bounds__ (Tile::N_THREADS, Tile::N_BLOCKS)
    texel_kernel (const TlCudaBackprojectArgs a)
{
  __shared__ Ray rays[Tile::N_THREADS];
  const Index pixel = Tile::first_pixel (threadIdx.x);
  const Job job = find_job<Tile> (a, blockIdx.x);
  float sums[Tile::N_PIXELS][N_SLICES] = {};

  sum_texels<Tile, INTERPOLATION> (a, job, pixel, rays, sums);
  store_groups<Tile, LAYOUT> (a, job, pixel, rays, sums);
}

template <class Tile, Interpolation INTERPOLATION, TlCudaLayout LAYOUT,
          int N_SLICES>
static int
launch_texels (const TlCudaBackprojectArgs *a, cudaStream_t stream)
{
  texel_kernel<Tile, INTERPOLATION, LAYOUT, N_SLICES>
      <<<count_tiles<Tile> (*a), Tile::N_THREADS, 0, stream>>> (*a);
  return cudaGetLastError ();
}

/* --- 2 x 2 pixels at once: linear --- */

/* For neighbouring pixels to be no more than a column apart. */
constexpr double MAX_QUAD_PITCH = 1.0;

/* Where pixels are no more than a column apart, all texels that a quad needs
 * lie within 4 columns c0 to c3, so that 4 fetches serve 4 pixels. The lowest
 * pixel of a quad, that with the smallest h, is at w columns behind c0, 0 <= w
 * < 1. For another pixel at f columns behind c0, s0, s1 and s2 are the parts of
 * f that lie between c0 and c1, c1 and c2, c2 and c3. Its value is
 *
 *   c0 (1 - s0) + c1 (s0 - s1) + c2 (s1 - s2) + c3 s2
 *
 * Which pixel is the lowest depends on the ray: a Kind says whether h grows to
 * the right, and whether it grows downwards, from pixel 0 of the quad. */
template <bool IS_RIGHT_HIGHER, bool IS_DOWN_HIGHER> struct QuadKind
{
  /* The pixel that lies so many steps (0 or 1) higher than the lowest one along
   * the quad's row and column. */
  static __device__ constexpr int
  get_pixel (int right, int down)
  {
    return (IS_RIGHT_HIGHER ? right : 1 - right)
           + 2 * (IS_DOWN_HIGHER ? down : 1 - down);
  }
};

template <class Kind, class Tile, int N, int N_SLICES>
static __device__ inline void
add_quads_of_kind (cudaTextureObject_t texture, const Position &position,
                   const Ray (&rays)[N], const float (&ys)[N],
                   float (&sums)[Tile::N_PIXELS][N_SLICES])
{
  constexpr int N_QUADS = Tile::N_PIXELS / 4;
  typename Texel<N_SLICES>::Type cells[N][N_QUADS][4];
  float weights[N][N_QUADS];

#pragma unroll
  for (int i = 0; i < N; i++)
#pragma unroll
    for (int q = 0; q < N_QUADS; q++)
      {
        const float h = move<Tile> (find_rest (position, rays[i]), rays[i],
                                    4 * q + Kind::get_pixel (0, 0));
        const float whole = round_down (h);
        const float x = to_texture (rays[i].whole) + whole;

        weights[i][q] = h - whole;
#pragma unroll
        for (int k = 0; k < 4; k++)
          cells[i][q][k] = fetch<N_SLICES> (texture, x + (float)k, ys[i]);
      }
#pragma unroll
  for (int i = 0; i < N; i++)
    {
      const float right = fabsf (rays[i].right), down = fabsf (rays[i].down);

#pragma unroll
      for (int q = 0; q < N_QUADS; q++)
        {
          const float w = weights[i][q];
          float (&low)[N_SLICES] = sums[4 * q + Kind::get_pixel (0, 0)];
          float (&beside)[N_SLICES] = sums[4 * q + Kind::get_pixel (1, 0)];
          float (&below)[N_SLICES] = sums[4 * q + Kind::get_pixel (0, 1)];
          float (&high)[N_SLICES] = sums[4 * q + Kind::get_pixel (1, 1)];
          const float f1 = w + right, f2 = w + down, f3 = f1 + down;
          const float s0_1 = fminf (f1, 1.0f), s1_1 = f1 - s0_1;
          const float s0_2 = fminf (f2, 1.0f), s1_2 = f2 - s0_2;
          const float s0_3 = fminf (f3, 1.0f), rest = f3 - s0_3;
          const float s1_3 = fminf (rest, 1.0f), s2_3 = rest - s1_3;

          add (low, cells[i][q][0], 1.0f - w);
          add (low, cells[i][q][1], w);
          add (beside, cells[i][q][0], 1.0f - s0_1);
          add (beside, cells[i][q][1], s0_1 - s1_1);
          add (beside, cells[i][q][2], s1_1);
          add (below, cells[i][q][0], 1.0f - s0_2);
          add (below, cells[i][q][1], s0_2 - s1_2);
          add (below, cells[i][q][2], s1_2);
          add (high, cells[i][q][0], 1.0f - s0_3);
          add (high, cells[i][q][1], s0_3 - s1_3);
          add (high, cells[i][q][2], s1_3 - s2_3);
          add (high, cells[i][q][3], s2_3);
        }
    }
}

static __device__ inline int
find_quad_kind (const Ray &ray)
{
  return (ray.right > 0.0f ? 1 : 0) + (ray.down > 0.0f ? 2 : 0);
}

template <class Tile, int N, int N_SLICES>
static __device__ inline void
add_quads (cudaTextureObject_t texture, const Position &position,
           const Ray (&rays)[N], const float (&ys)[N],
           float (&sums)[Tile::N_PIXELS][N_SLICES])
{
#define ADD(RIGHT, DOWN)                                                       \
  case RIGHT + 2 * DOWN:                                                       \
    add_quads_of_kind<QuadKind<RIGHT, DOWN>, Tile> (texture, position, rays,   \
                                                    ys, sums);                 \
    break
  switch (find_quad_kind (rays[0]))
    {
      ADD (0, 0);
      ADD (1, 0);
      ADD (0, 1);
      ADD (1, 1);
    }
#undef ADD
}

/* Takes two rays at a time where they are of one kind, so that more fetches are
 * in flight. All threads of the block call it. */
template <class Tile, int N_SLICES>
static __device__ inline void
sum_quads (const TlCudaBackprojectArgs &a, const Job &job, const Index &pixel,
           Ray (&rays)[Tile::N_THREADS],
           float (&sums)[Tile::N_PIXELS][N_SLICES])
{
  constexpr int STEP = Tile::N_GROUPS;
  const Position position = find_position<Tile> (pixel);
  const int group = Tile::group (threadIdx.x);

  static_assert (Tile::N_THREADS % (2 * STEP) == 0,
                 "the last two rays are in the block's memory");
  for (size_t first = 0; first < job.n_rays; first += Tile::N_THREADS)
    {
      float y = to_texture ((float)(job.first_ray + first) + (float)group);
      const int n = (int)min (job.n_rays - first, (size_t)Tile::N_THREADS);

      make_rays<Tile> (a, job, first, rays);
#pragma unroll 1
      for (int p = group; p < n; p += 2 * STEP, y += 2 * STEP)
        {
          const Ray two[2] = { rays[p], rays[p + STEP] };
          const float ys[2] = { y, y + STEP };

          if (find_quad_kind (two[0]) == find_quad_kind (two[1]))
            {
              add_quads<Tile> (a.texture, position, two, ys, sums);
              continue;
            }
#pragma unroll 1
          for (int i = 0; i < 2; i++)
            {
              const Ray one[1] = { i == 0 ? two[0] : two[1] };
              const float ys_one[1] = { i == 0 ? ys[0] : ys[1] };

              add_quads<Tile> (a.texture, position, one, ys_one, sums);
            }
        }
    }
}
