/* The tables in device memory, which tensor.cu fills. */
#pragma once

#include "gpu/cuda/tensor/windows.cuh"

/* A pixel of a tile lands on column origin + (first column of the tile + i) * a
 * + (first row + j) * b. */
struct TensorRay
{
  double origin, a, b;
  float single_reach, pair_reach; /* half of what squares cover, in columns */
  int row, padding[3];            /* row -1: there to fill a chunk */
};

/* How many chunks of rays each class has; the last one of a class is filled up
 * with rays that add nothing. */
struct TensorHead
{
  int n_chunks[N_CLASSES];
};

/* Where they are, each on 16 bytes:
 *
 *   TensorHead
 *   uint4 [N_CLASSES][N_WARPS * N_WINDOWS]: x, y of the middle of a window in
 *     the tile, whether it is of a single square, where its start goes
 *   TensorRay [count_rays ()], by class
 *   places [chunk][CHUNK / 2][place_bytes ()], of MAX_PLACE_BYTES room each */
template <class C> struct TensorTables
{
  static __host__ __device__ size_t
  count_rays (size_t n_rays)
  {
    return (n_rays / C::N_CHUNK + N_CLASSES) * C::N_CHUNK;
  }

  static __host__ __device__ size_t
  count_bytes (size_t n_rays)
  {
    return sizeof (TensorHead) + sizeof (uint4) * N_MIDDLES
           + count_rays (n_rays)
                 * (sizeof (TensorRay) + C::MAX_PLACE_BYTES / 2);
  }

  static constexpr int N_MIDDLES = N_CLASSES * C::N_WARPS * C::N_WINDOWS;

  TensorHead *head;
  uint4 *middles;
  TensorRay *rays;
  unsigned char *places;

  __device__
  TensorTables (void *tables, size_t n_rays)
      : head (static_cast<TensorHead *> (tables)),
        middles (reinterpret_cast<uint4 *> (head + 1)),
        rays (reinterpret_cast<TensorRay *> (middles + N_MIDDLES)),
        places (reinterpret_cast<unsigned char *> (rays + count_rays (n_rays)))
  {
  }

  __device__ unsigned char *
  find_places (int chunk) const
  {
    return places + (size_t)chunk * (C::N_CHUNK / 2 * C::MAX_PLACE_BYTES);
  }
};

static_assert (sizeof (TensorRay) % 16 == 0 && sizeof (TensorHead) % 16 == 0,
               "tables are copied 16 bytes at a time");
