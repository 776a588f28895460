/* Which pixels are a thread's, of kernels with several pixels in a thread. 16
 * threads make a square of 4 x 4 pixels, numbered along a Z so that 4 threads
 * in a row are 2 x 2 pixels; ACROSS squares are side by side, and the rows of
 * them that make 256 threads follow below; a thread's other pixels are as many
 * rows below each other. */
#pragma once

#include "gpu/cuda/backproject/backproject.cuh"

/* All threads are at the same ray. */
struct OneGroup
{
  static constexpr int N_GROUPS = 1;

  static __device__ int
  group (int)
  {
    return 0;
  }
};

template <int PIXELS, int ACROSS = 16> struct SquareMap : OneGroup
{
  static constexpr int SIDE = 4; /* of a square */
  static constexpr int N_THREADS = 256;
  static constexpr int N_DOWN = N_THREADS / (SIDE * SIDE) / ACROSS;
  static constexpr int WIDTH = SIDE * ACROSS, HEIGHT = SIDE * N_DOWN * PIXELS;
  static constexpr int N_PIXELS = PIXELS;
  static constexpr bool IN_PAIRS = false;
  static constexpr int N_UNROLLED = 2;
  static constexpr int N_BLOCKS = 4; /* 64 registers, for 4 slices */

  /* Bits of the thread's number, from the lowest: x y x y, then the square. */
  static __device__ Place
  place (int thread)
  {
    const int x = (thread & 1) | ((thread >> 1) & 2);
    const int y = ((thread >> 1) & 1) | ((thread >> 2) & 2);
    const int square = thread / (SIDE * SIDE);

    return { square % ACROSS * SIDE + x, square / ACROSS * SIDE + y };
  }

  /* Of pixel j from the first one. */
  static __host__ __device__ constexpr Place
  offset (int j)
  {
    return { 0, j * SIDE * N_DOWN };
  }
};
