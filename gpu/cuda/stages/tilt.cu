/* Projections turned back about the centre, by cubic convolution (Keys, Cubic
 * convolution interpolation for digital image processing, 1981, a = -1/2):
 *
 *   x = centre_col + u cos + w sin        u = k - centre_col
 *   y = middle_row + w cos - u sin        w = r - middle_row
 *   to[r][k] = sum over 4 x 4 places of K (y - i) K (x - j) from[i][j]
 *
 * [projection][row][col]. Places outside take the outermost value. A thread has
 * one pixel. It finds the places, in double precision, and the weights once,
 * and takes every so many projections.
 */
#include "gpu/cuda/stages/launchers.h"

#include "gpu/cuda/device/device.cuh"

#include <algorithm>

constexpr int N_TAPS = 4;
/* As in flatfield.cu: enough to fill a device with a single row. */
constexpr size_t MAX_PROJECTION_BLOCKS = 1024;

/* The places and weights of a value along one axis of n samples, at the
 * distance away from sample number own. The distance is kept apart from the
 * number, so that a row is read in the same way wherever its block begins. */
struct Taps
{
  int places[N_TAPS];
  float weights[N_TAPS];

  __device__
  Taps (size_t own, double away, size_t n)
  {
    const double last = (double)n - 1.0, whole = floor (away);
    const double first = (double)own + whole - 1.0;
    const float f = (float)(away - whole);

    for (int i = 0; i < N_TAPS; i++)
      places[i] = (int)fmin (fmax (first + i, 0.0), last);
    weights[0] = ((-0.5f * f + 1.0f) * f - 0.5f) * f;
    weights[1] = (1.5f * f - 2.5f) * f * f + 1.0f;
    weights[2] = ((-1.5f * f + 2.0f) * f + 0.5f) * f;
    weights[3] = (0.5f * f - 0.5f) * f * f;
  }
};

static __global__ void
__launch_bounds__ (N_THREADS) tilt_kernel (const TlCudaTiltArgs a)
{
  const size_t n = a.n_rows * a.n_cols, n_block = a.n_block_rows * a.n_cols;
  const size_t index = (size_t)blockIdx.x * N_THREADS + threadIdx.x;

  if (index >= n)
    return;

  const size_t col = index % a.n_cols, row = a.first_row + index / a.n_cols;
  const double u = (double)col - a.centre_col;
  const double w = (double)row - a.middle_row;
  const Taps x (col, u * (a.cosine - 1.0) + w * a.sine, a.n_cols);
  const Taps y (row, w * (a.cosine - 1.0) - u * a.sine, a.n_block_rows);

  for (size_t p = blockIdx.y; p < a.n_projections; p += gridDim.y)
    {
      const float *from = a.from + p * n_block;
      float sum = 0.0f;

#pragma unroll
      for (int i = 0; i < N_TAPS; i++)
        {
          const float *line = from + (size_t)y.places[i] * a.n_cols;
          float across = 0.0f;

#pragma unroll
          for (int j = 0; j < N_TAPS; j++)
            across = fmaf (x.weights[j], line[x.places[j]], across);
          sum = fmaf (y.weights[i], across, sum);
        }
      a.to[p * n + index] = sum;
    }
}

extern "C" int
tl_cuda_turn_back (const TlCudaTiltArgs *args, cudaStream_t stream)
{
  const dim3 grid (
      ceil_div (args->n_rows * args->n_cols, N_THREADS),
      (unsigned)std::min (args->n_projections, MAX_PROJECTION_BLOCKS));

  tilt_kernel<<<grid, N_THREADS, 0, stream>>> (*args);
  return cudaGetLastError ();
}
