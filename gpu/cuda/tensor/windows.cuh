/* Windows: which squares share one, for each class of rays. tensor.cuh has the
 * method. */
#pragma once

#include "gpu/cuda/backproject/backproject.cuh"

constexpr int N_CLASSES = 4;

/* The neighbour with which a square shares a window. */
static __host__ __device__ constexpr int
neighbour_col (int ray_class)
{
  return ray_class == 0 ? 0 : ray_class == 3 ? -1 : 1;
}

static __host__ __device__ constexpr int
neighbour_row (int ray_class)
{
  return ray_class == 2 ? 0 : 1;
}

static __device__ inline int
find_class (double a, double b)
{
  if (fabs (b) <= 0.5 * fabs (a))
    return 0;
  if (fabs (a) <= 0.5 * fabs (b))
    return 2;
  return a * b < 0.0 ? 1 : 3;
}

/* The windows of a warp: of the pairs of squares, then of those without a
 * partner. */
struct Windows
{
  int n, n_pairs;
  int first[32], second[32]; /* squares; second -1: none */
};

static __host__ __device__ constexpr Windows
list_windows (int ray_class, int n_across, int n_down)
{
  Windows windows{};
  bool is_used[32]{};

  for (int y = 0; y < n_down; y++)
    for (int x = 0; x < n_across; x++)
      {
        const int u = x + neighbour_col (ray_class);
        const int v = y + neighbour_row (ray_class);

        if (is_used[y * n_across + x] || u < 0 || u >= n_across || v >= n_down
            || is_used[v * n_across + u])
          continue;
        is_used[y * n_across + x] = is_used[v * n_across + u] = true;
        windows.first[windows.n] = y * n_across + x;
        windows.second[windows.n] = v * n_across + u;
        windows.n++;
      }
  windows.n_pairs = windows.n;
  for (int k = 0; k < n_across * n_down; k++)
    if (!is_used[k])
      {
        windows.first[windows.n] = k;
        windows.second[windows.n] = -1;
        windows.n++;
      }
  return windows;
}
