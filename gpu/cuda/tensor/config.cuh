/* What a kernel is made of: its squares, warps, stages and memory. */
#pragma once

#include "gpu/cuda/tensor/windows.cuh"

#include <cuda_fp16.h>

#include <stdint.h>

constexpr int WARP = 32, N_FEEDERS = 4;
constexpr int GROUP_SLICES = 8; /* of a cell: one row of a matrix, 16 bytes */
constexpr int N_BETWEEN = 128;  /* with which errors on noise are 3.3e-6 */

static __host__ __device__ constexpr int
max_of (int a, int b)
{
  return a > b ? a : b;
}

static __host__ __device__ constexpr int
ceil_root (int x)
{
  int root = 0;

  while (root * root < x)
    root++;
  return root;
}

/* SLICES of a pass; a warp has ACROSS x DOWN squares, a block WARPS_ACROSS x
 * WARPS_DOWN warps that compute; CHUNK rays are a stage of N_STAGES. */
template <Precision PRECISION, int SLICES, int ACROSS, int DOWN,
          int WARPS_ACROSS, int WARPS_DOWN, int CHUNK, int STAGES, bool HOPPER>
struct TensorConfig
{
  static constexpr bool IS_FULL = PRECISION == FULL, IS_HOPPER = HOPPER;
  static constexpr int N_SLICES = SLICES, N_ACROSS = ACROSS, N_DOWN = DOWN;
  static constexpr int N_WARPS_ACROSS = WARPS_ACROSS, N_CHUNK = CHUNK;
  static constexpr int N_STAGES = STAGES;
  static constexpr int N_SQUARES = ACROSS * DOWN;
  static constexpr int N_WARPS = WARPS_ACROSS * WARPS_DOWN;
  static constexpr int N_THREADS = (N_WARPS + N_FEEDERS) * WARP;
  static constexpr int WIDTH = 4 * ACROSS * WARPS_ACROSS;
  static constexpr int HEIGHT = 4 * DOWN * WARPS_DOWN;
  static constexpr int N_GROUPS = SLICES / GROUP_SLICES;
  static constexpr int N_PARTS = IS_FULL ? 2 * N_GROUPS : N_GROUPS;

  /* the cells of a tile at its widest, of a window, and for rounding */
  static constexpr int N_CELLS =
      (ceil_root ((WIDTH - 1) * (WIDTH - 1) + (HEIGHT - 1) * (HEIGHT - 1)) + 11)
      / 2 * 2;

  static __host__ __device__ constexpr Windows
  windows (int ray_class)
  {
    return list_windows (ray_class, ACROSS, DOWN);
  }

  static constexpr int N_WINDOWS =
      max_of (max_of (list_windows (0, ACROSS, DOWN).n,
                      list_windows (1, ACROSS, DOWN).n),
              max_of (list_windows (2, ACROSS, DOWN).n,
                      list_windows (3, ACROSS, DOWN).n));

  /* Bytes of places, o - 2 t, for two rays: of pairs and of single squares. */
  static constexpr int PAIR_BYTES = IS_FULL ? 1024 : 512;
  static constexpr int SINGLE_BYTES = PAIR_BYTES / 2;

  template <int CLASS>
  static __host__ __device__ constexpr int
  place_bytes ()
  {
    constexpr Windows W = windows (CLASS);

    return (W.n_pairs > 0 ? PAIR_BYTES : 0)
           + (W.n > W.n_pairs ? SINGLE_BYTES : 0);
  }

  /* The same for a class that the compiler does not know. */
  static __device__ int
  get_place_bytes (int ray_class)
  {
    return ray_class == 0   ? place_bytes<0> ()
           : ray_class == 1 ? place_bytes<1> ()
           : ray_class == 2 ? place_bytes<2> ()
                            : place_bytes<3> ();
  }

  static __device__ int
  count_windows (int ray_class)
  {
    constexpr int N[] = { windows (0).n, windows (1).n, windows (2).n,
                          windows (3).n };

    return ray_class == 0   ? N[0]
           : ray_class == 1 ? N[1]
           : ray_class == 2 ? N[2]
                            : N[3];
  }

  static constexpr int MAX_PLACE_BYTES = PAIR_BYTES + SINGLE_BYTES;

  /* A stage: cells [ray][part][cell], places, and for each warp, two rays and
   * window where it begins. Then what is the same for all tiles, and the
   * barriers. */
  static constexpr int CELL_BYTES = 16;
  static constexpr int RAY_BYTES = N_PARTS * N_CELLS * CELL_BYTES;
  static constexpr int PLACES = CHUNK * RAY_BYTES;
  static constexpr int STARTS = PLACES + CHUNK / 2 * MAX_PLACE_BYTES;
  static constexpr int STAGE_BYTES =
      (STARTS + N_WARPS * CHUNK / 2 * N_WINDOWS * 16 + 127) / 128 * 128;
  static constexpr int MIDDLES = STAGES * STAGE_BYTES;
  static constexpr int BARRIERS =
      MIDDLES + N_CLASSES * N_WARPS * N_WINDOWS * 16;
  static constexpr int SHARED_BYTES = BARRIERS + STAGES * 16;

  /* Registers of a thread at the start, of a warp that computes, and of one
   * that feeds. */
  static constexpr int START_REGISTERS = 65536 / N_THREADS / 8 * 8;
  static constexpr int MORE_REGISTERS = 224, FEWER_REGISTERS = 56;

  static_assert (SHARED_BYTES <= (HOPPER ? 227 : 99) << 10,
                 "as much as compute capability 9.0, or 8.6, has");
  static_assert (N_WARPS == 8, "registers are divided among 8 + 4 warps");
  static_assert (N_WARPS * MORE_REGISTERS + N_FEEDERS * FEWER_REGISTERS
                     <= (N_WARPS + N_FEEDERS) * START_REGISTERS,
                 "otherwise warps wait for registers for ever");
  static_assert (N_CELLS <= TL_CUDA_CELL_GAP (TL_CUDA_LAYOUT_HALF8),
                 "a segment beside a row is all 0");
  static_assert (WARP % CHUNK == 0 && CHUNK % 4 == 0 && N_BETWEEN % CHUNK == 0,
                 "a lane has the same ray of each chunk");
  static_assert (PLACES % 16 == 0 && STARTS % 16 == 0, "copies of 16 bytes");
};
