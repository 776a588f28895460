/* Phase retrieval, Paganin et al. (2002), equation 12: transformed along the
 * rows, and summed over neighbouring rows.
 *
 *   f[r]  = transform of t[r] - 1, padded by its first and last values
 *   g[r]  = sum over j of weights[|j|] f[r + j]      |j| < n_taps
 *   v[r]  = -ln (max (1 + transform back of g[r], min_transmission))
 *
 * r + j is held between the first and the last line. Transmissions are
 * [projection][row][col], lines and sums [projection][line][frequency].
 *
 * A thread has one frequency of one slice and goes through the lines. The
 * lines of a batch of projections stay in the cache of the device from slice to
 * slice.
 */
#include "gpu/cuda/stages/launchers.h"

#include "gpu/cuda/device/device.cuh"

static __global__ void
pad_kernel (const TlCudaPhaseArgs a)
{
  const size_t col = (size_t)blockIdx.x * N_THREADS + threadIdx.x;
  const size_t projection = blockIdx.y;

  if (col >= a.length)
    return;

  const size_t half = (a.length - a.n_cols) / 2;
  const size_t source = col < a.n_cols          ? col
                        : col < a.n_cols + half ? a.n_cols - 1
                                                : 0;

  for (size_t line = blockIdx.z; line < a.n_lines; line += gridDim.z)
    {
      const size_t row = projection * a.n_block_rows + a.first_row + line;

      a.lines[(projection * a.n_lines + line) * a.row_floats + col] =
          a.transmissions[row * a.n_cols + source] - 1.0f;
    }
}

static __global__ void
sum_kernel (const TlCudaPhaseArgs a)
{
  const size_t n_frequencies = a.length / 2 + 1, stride = a.row_floats / 2;
  const size_t k = (size_t)blockIdx.x * N_THREADS + threadIdx.x;
  const size_t projection = blockIdx.y;
  const int reach = (int)a.n_taps - 1, last = (int)a.n_lines - 1;

  if (k >= n_frequencies)
    return;

  const float2 *lines = reinterpret_cast<const float2 *> (a.lines)
                        + projection * a.n_lines * stride + k;
  float2 *sums =
      reinterpret_cast<float2 *> (a.sums) + projection * a.n_rows * stride + k;

  for (size_t row = blockIdx.z; row < a.n_rows; row += gridDim.z)
    {
      const int own = (int)(a.first_slice + row);
      float2 sum = make_float2 (0.0f, 0.0f);

      for (int j = -reach; j <= reach; j++)
        {
          const int line = min (max (own + j, 0), last);
          const float weight = a.weights[(size_t)abs (j) * n_frequencies + k];
          const float2 value = lines[(size_t)line * stride];

          sum.x = fmaf (weight, value.x, sum.x);
          sum.y = fmaf (weight, value.y, sum.y);
        }
      sums[row * stride] = sum;
    }
}

/* -ln (max (1 + off, min_transmission)). Near 1 log1pf() is exact where 1 + off
 * would round. Elsewhere fmaxf() returns min_transmission if off is not a
 * number. */
static __device__ float
take_log (float off, float min_transmission)
{
  return off > -0.5f ? -log1pf (off)
                     : -logf (fmaxf (1.0f + off, min_transmission));
}

static __global__ void
log_kernel (const TlCudaPhaseArgs a)
{
  const size_t col = (size_t)blockIdx.x * N_THREADS + threadIdx.x;
  const size_t projection = blockIdx.y;

  if (col >= a.n_cols)
    return;
  for (size_t row = blockIdx.z; row < a.n_rows; row += gridDim.z)
    {
      const size_t line = projection * a.n_rows + row;

      a.retrieved[line * a.n_cols + col] =
          take_log (a.sums[line * a.row_floats + col], a.min_transmission);
    }
}

/* Grid z has a row each, up to 65535, where it ends; then a block does several
 * rows. */
static dim3
make_grid (const TlCudaPhaseArgs *a, size_t n_across, size_t n_rows)
{
  return dim3 (ceil_div (n_across, N_THREADS), (unsigned)a->n_projections,
               (unsigned)(n_rows < 65535 ? n_rows : 65535));
}

extern "C" int
tl_cuda_phase_pad (const TlCudaPhaseArgs *args, cudaStream_t stream)
{
  const dim3 grid = make_grid (args, args->length, args->n_lines);

  pad_kernel<<<grid, N_THREADS, 0, stream>>> (*args);
  return cudaGetLastError ();
}

extern "C" int
tl_cuda_phase_sum (const TlCudaPhaseArgs *args, cudaStream_t stream)
{
  const dim3 grid = make_grid (args, args->length / 2 + 1, args->n_rows);

  sum_kernel<<<grid, N_THREADS, 0, stream>>> (*args);
  return cudaGetLastError ();
}

extern "C" int
tl_cuda_phase_log (const TlCudaPhaseArgs *args, cudaStream_t stream)
{
  const dim3 grid = make_grid (args, args->n_cols, args->n_rows);

  log_kernel<<<grid, N_THREADS, 0, stream>>> (*args);
  return cudaGetLastError ();
}
