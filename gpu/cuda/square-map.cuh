/* Which pixels are a thread's, of kernels with several pixels in a thread. 16
 * threads make a square of 4 x 4 pixels, numbered along a Z so that 4 threads
 * in a row are 2 x 2 pixels; 16 squares side by side are a block's 256 threads;
 * a thread's other pixels follow 4 rows below each other. */
#pragma once

#include "gpu/cuda/backproject.cuh"

template <int PIXELS> struct SquareMap
{
  static constexpr int SIDE = 4; /* of a square */
  static constexpr int WIDTH = 64, HEIGHT = SIDE * PIXELS, N_THREADS = 256;
  static constexpr int N_PIXELS = PIXELS, ROW_STEP = SIDE;
  static constexpr int N_UNROLLED = 2;
  static constexpr int N_BLOCKS = 4; /* 64 registers, for 4 slices */

  /* Bits of the thread's number, from the lowest: x y x y, then the square. */
  static __device__ Place
  place (int thread)
  {
    const int x = (thread & 1) | ((thread >> 1) & 2);
    const int y = ((thread >> 1) & 1) | ((thread >> 2) & 2);

    return { thread / (SIDE * SIDE) * SIDE + x, y };
  }
};
