/* Which pixels are a thread's, in the paper's mapping (backproject-texture.cu).
 * 64 threads have a strip of 16 x 4 pixels, 4 squares of square-map.cuh side by
 * side, and the 3 strips below it; 4 such groups share the rays of the 16 x 16
 * pixels, each takes every fourth. */
#pragma once

#include "gpu/cuda/square-map.cuh"

struct StripMap
{
  static constexpr int WIDTH = 16, HEIGHT = 16, N_THREADS = 256;
  static constexpr int N_PIXELS = 4, N_GROUPS = 4;
  static constexpr int N_UNROLLED = 2;
  static constexpr int N_BLOCKS = 4; /* 64 registers, for 4 slices */

  /* Once the groups' sums are joined: a pixel for each thread. */
  struct Joined
  {
    static constexpr int WIDTH = StripMap::WIDTH, HEIGHT = StripMap::HEIGHT;
    static constexpr int N_PIXELS = 1;

    static __device__ Place
    place (int thread)
    {
      const Place first = StripMap::place (thread);

      return { first.col, first.row + offset_of (group (thread)) };
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
    return SquareMap<1, 4>::place (thread % (N_THREADS / N_GROUPS));
  }

  static __host__ __device__ constexpr int
  offset_of (int j)
  {
    return j * (HEIGHT / N_PIXELS);
  }

  /* Of pixel j from the first one. */
  static __host__ __device__ constexpr Place
  offset (int j)
  {
    return { 0, offset_of (j) };
  }
};
