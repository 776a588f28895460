/* Which pixels are a thread's where groups of threads share the rays: 64
 * threads, numbered as in square-map.cuh, have 2 x 2 pixels each of the 16 x 16
 * of a block, and 4 such groups take every fourth ray (backproject-texture.cu).
 */
#pragma once

#include "gpu/cuda/backproject/quad-map.cuh"

struct QuarterMap
{
  typedef SquareMap<1, 2> Quads;

  static constexpr int WIDTH = 16, HEIGHT = 16, N_THREADS = 256;
  static constexpr int N_PIXELS = 4, N_GROUPS = 4;
  static constexpr int N_UNROLLED = 2;
  static constexpr int N_BLOCKS = 4; /* 64 registers, for 4 slices */

  /* Once the groups' sums are joined: a pixel for each thread. */
  struct Joined
  {
    static constexpr int WIDTH = QuarterMap::WIDTH;
    static constexpr int HEIGHT = QuarterMap::HEIGHT;
    static constexpr int N_PIXELS = 1;

    static __device__ Place
    place (int thread)
    {
      const Place first = QuarterMap::place (thread);
      const Place from = QuarterMap::offset (group (thread));

      return { first.col + from.col, first.row + from.row };
    }

    static __host__ __device__ constexpr Place
    offset (int)
    {
      return { 0, 0 };
    }
  };

  static __device__ int
  group (int thread)
  {
    return thread / (N_THREADS / N_GROUPS);
  }

  static __device__ Place
  place (int thread)
  {
    const Place quad = Quads::place (thread % (N_THREADS / N_GROUPS));

    return { 2 * quad.col, 2 * quad.row };
  }

  /* Of pixel j from the first one. */
  static __host__ __device__ constexpr Place
  offset (int j)
  {
    return { j % 2, j / 2 };
  }
};
