/* Which pixels are a thread's, of kernels where neighbours share what they read
 * (alu.cuh, quads.cuh): as in square-map.cuh, but each of a thread's places in
 * a square has 2 x 2 pixels, so that a square is 8 x 8 of them. */
#pragma once

#include "gpu/cuda/backproject/square-map.cuh"

template <int PIXELS, int ACROSS = 8> struct QuadMap : OneGroup
{
  typedef SquareMap<PIXELS / 4, ACROSS> Quads;
  /* of the same tile, for fetches: pixels of neighbouring threads shall be
   * neighbours */
  typedef SquareMap<PIXELS, 2 * ACROSS> FetchMap;

  static constexpr int WIDTH = 2 * Quads::WIDTH, HEIGHT = 2 * Quads::HEIGHT;
  static constexpr int N_THREADS = Quads::N_THREADS, N_PIXELS = PIXELS;
  static constexpr bool IN_PAIRS = true;
  static constexpr int N_UNROLLED = Quads::N_UNROLLED;
  static constexpr int N_BLOCKS = 4; /* 64 registers, for 4 slices */

  static __device__ Place
  place (int thread)
  {
    const Place quad = Quads::place (thread);

    return { 2 * quad.col, 2 * quad.row };
  }

  /* Of pixel j from the first one: row by row in a quad. */
  static __host__ __device__ constexpr Place
  offset (int j)
  {
    return { j % 2, 2 * Quads::offset (j / 4).row + j / 2 % 2 };
  }
};

/* Tiles 32 pixels wide. */
template <int PIXELS> using NarrowSquareMap = SquareMap<PIXELS, 8>;
template <int PIXELS> using NarrowQuadMap = QuadMap<PIXELS, 4>;
