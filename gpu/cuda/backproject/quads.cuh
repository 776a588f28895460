/* Back-projection by texture fetches, linear, with the texture unit's values
 * and the cores' weights: the unit's own have 8 bits. Formula, symbols and
 * memory layout: backproject.cuh.
 *
 * A thread's pixels are quads, 2 x 2 neighbours. Where pixels are no more than
 * a column apart, all that a quad wants lies within 4 columns, so that 4
 * fetches do for 4 pixels, as many as the texture unit's interpolation takes.
 * The lowest pixel of a quad is at cell 0 and w, 0 <= w < 1; with f the
 * distance of another one from cell 0, s0, s1 and s2 are what of f lies in the
 * intervals behind cells 0, 1 and 2, and its value is
 *
 *   c0 (1 - s0) + c1 (s0 - s1) + c2 (s1 - s2) + c3 s2
 */
#pragma once

#include "gpu/cuda/backproject/quad-map.cuh"

/* Which way h grows from pixel 0 of a quad, to its right and down. */
template <bool IS_RIGHT_HIGHER, bool IS_DOWN_HIGHER> struct QuadKind
{
  /* the pixel that is so many steps to the right and down from the lowest one
   */
  static __device__ constexpr int
  get_pixel (int right, int down)
  {
    return (IS_RIGHT_HIGHER ? right : 1 - right)
           + 2 * (IS_DOWN_HIGHER ? down : 1 - down);
  }
};

template <class Kind, class Map, int N, int N_SLICES>
static __device__ inline void
add_quads_of_kind (cudaTextureObject_t texture, const Position &position,
                   const Ray (&rays)[N], const float (&ys)[N],
                   float (&sums)[Map::N_PIXELS][N_SLICES])
{
  constexpr int N_QUADS = Map::N_PIXELS / 4;
  typename Texel<N_SLICES>::Type cells[N][N_QUADS][4];
  float weights[N][N_QUADS];

#pragma unroll
  for (int i = 0; i < N; i++)
#pragma unroll
    for (int q = 0; q < N_QUADS; q++)
      {
        const float h = move<Map> (find_rest (position, rays[i]), rays[i],
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

template <class Map, int N, int N_SLICES>
static __device__ inline void
add_quads (cudaTextureObject_t texture, const Position &position,
           const Ray (&rays)[N], const float (&ys)[N],
           float (&sums)[Map::N_PIXELS][N_SLICES])
{
#define ADD(RIGHT, DOWN)                                                       \
  case RIGHT + 2 * DOWN:                                                       \
    add_quads_of_kind<QuadKind<RIGHT, DOWN>, Map> (texture, position, rays,    \
                                                   ys, sums);                  \
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

/* All threads of the block call it. Two rays at a time, where they are of one
 * kind, so that more fetches are on their way. */
template <class Map, int N_SLICES>
static __device__ inline void
sum_quads (const TlCudaBackprojectArgs &a, const Job &job, const Place &place,
           Ray (&rays)[Map::N_THREADS], float (&sums)[Map::N_PIXELS][N_SLICES])
{
  constexpr int STEP = Map::N_GROUPS;
  const Position position = find_position<Map> (place);
  const int group = Map::group (threadIdx.x);

  static_assert (Map::N_THREADS % (2 * STEP) == 0, "none beyond the last");
  for (size_t first = 0; first < job.n_rays; first += Map::N_THREADS)
    {
      float y = to_texture ((float)(job.first_ray + first) + (float)group);
      const int n = (int)min (job.n_rays - first, (size_t)Map::N_THREADS);

      make_rays<Map> (a, job, first, rays);
#pragma unroll 1
      for (int p = group; p < n; p += 2 * STEP, y += 2 * STEP)
        {
          const Ray two[2] = { rays[p], rays[p + STEP] };
          const float ys[2] = { y, y + STEP };

          if (find_quad_kind (two[0]) == find_quad_kind (two[1]))
            {
              add_quads<Map> (a.texture, position, two, ys, sums);
              continue;
            }
#pragma unroll 1
          for (int i = 0; i < 2; i++)
            {
              const Ray one[1] = { i == 0 ? two[0] : two[1] };
              const float ys_one[1] = { i == 0 ? ys[0] : ys[1] };

              add_quads<Map> (a.texture, position, one, ys_one, sums);
            }
        }
    }
}

/* For neighbours to be no more than a column apart. */
constexpr double MAX_QUAD_PITCH = 1.0;
