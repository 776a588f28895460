/* Rings by sorting: Vo et al., Optics Express 26 (2018) 28396, algorithm 3, one
 * row of the detector at a time.
 *
 *   rank (p, col) = how many samples of the column are less, or equal and of a
 *                   projection before p
 *   to[p][col]    = median over |i| <= half of sorted[col + i][rank (p, col)]
 *
 * Ranks are counted: every sample is compared with all of its column, out of
 * shared memory. That is n_projections^2 * n_cols comparisons, as many as a
 * back-projection has updates, but each an instruction or two without a fetch;
 * it needs no memory but the arrays that are sorted, and it works for any
 * number of projections. Columns lie one after the other, [col][projection] or
 * [col][rank], in keys: whole numbers in the order of the floats, so that the
 * host's result is found to the bit.
 */
#include "gpu/cuda/stages/launchers.h"

#include "gpu/cuda/device/device.cuh"

/* The side of a square that is transposed in shared memory, and how many of its
 * rows are copied at a time. */
constexpr int SQUARE = 32;
constexpr int SQUARE_ROWS = 8;

static __device__ unsigned
to_key (float value)
{
  const unsigned bits = __float_as_uint (value);

  return bits ^ ((bits & 0x80000000u) != 0 ? 0xffffffffu : 0x80000000u);
}

static __device__ float
from_key (unsigned key)
{
  return __uint_as_float (
      key ^ ((key & 0x80000000u) != 0 ? 0x80000000u : 0xffffffffu));
}

static __global__ void
transpose_kernel (const TlCudaSortingArgs a)
{
  __shared__ unsigned square[SQUARE][SQUARE + 1];
  const size_t first_col = (size_t)blockIdx.y * SQUARE;
  const size_t first_projection = (size_t)blockIdx.x * SQUARE;

  for (int i = threadIdx.y; i < SQUARE; i += SQUARE_ROWS)
    {
      const size_t p = first_projection + i, col = first_col + threadIdx.x;

      if (p < a.n_projections && col < a.n_cols)
        square[i][threadIdx.x] =
            to_key (a.from[(p * a.n_rows + a.row) * a.n_cols + col]);
    }
  __syncthreads ();
  for (int i = threadIdx.y; i < SQUARE; i += SQUARE_ROWS)
    {
      const size_t p = first_projection + threadIdx.x, col = first_col + i;

      if (p < a.n_projections && col < a.n_cols)
        a.keys[col * a.n_projections + p] = square[threadIdx.x][i];
    }
}

/* A block finds the ranks of some samples of one column. */
static __global__ void
sort_kernel (const TlCudaSortingArgs a)
{
  __shared__ unsigned others[N_THREADS];
  const size_t n = a.n_projections;
  const size_t start = (size_t)blockIdx.x * n;
  const size_t p = (size_t)blockIdx.y * N_THREADS + threadIdx.x;
  const unsigned key = p < n ? a.keys[start + p] : 0;
  unsigned rank = 0;

  for (size_t first = 0; first < n; first += N_THREADS)
    {
      const int count = (int)min ((size_t)N_THREADS, n - first);
      /* how many of the others belong to projections before p: there equal
       * values count as less */
      const int before = p < first ? 0 : (int)min ((size_t)count, p - first);

      __syncthreads ();
      if ((int)threadIdx.x < count)
        others[threadIdx.x] = a.keys[start + first + threadIdx.x];
      __syncthreads ();
      for (int i = 0; i < before; i++)
        rank += others[i] <= key;
      for (int i = before; i < count; i++)
        rank += others[i] < key;
    }
  if (p < n)
    {
      a.sorted[start + rank] = key;
      a.order[start + rank] = (unsigned)p;
    }
}

/* The column that @col - n of a row of @n columns is, when the row is mirrored
 * about its ends. @col must be below 3 n. */
static __device__ size_t
mirror (size_t col, size_t n)
{
  return col < n ? n - 1 - col : col < 2 * n ? col - n : 3 * n - 1 - col;
}

/* Finds the median bit by bit from the highest: it is the greatest number that
 * at most half of the window's values are below. It is written to the
 * projection that the rank came from. */
static __global__ void
smooth_kernel (const TlCudaSortingArgs a)
{
  const size_t n = a.n_projections;
  const size_t col = blockIdx.x;
  const size_t rank = (size_t)blockIdx.y * N_THREADS + threadIdx.x;
  unsigned median = 0;

  if (rank >= n)
    return;
  for (unsigned bit = 0x80000000u; bit != 0; bit >>= 1)
    {
      const unsigned tried = median | bit;
      unsigned n_below = 0;

      for (size_t i = 0; i <= 2 * a.half; i++)
        {
          const size_t other = mirror (a.n_cols + col + i - a.half, a.n_cols);

          n_below += a.sorted[other * n + rank] < tried;
        }
      if (n_below <= a.half)
        median = tried;
    }
  a.to[(a.order[col * n + rank] * a.n_rows + a.row) * a.n_cols + col] =
      from_key (median);
}

extern "C" int
tl_cuda_sort_rings (const TlCudaSortingArgs *args, cudaStream_t stream)
{
  const dim3 squares (ceil_div (args->n_projections, SQUARE),
                      ceil_div (args->n_cols, SQUARE));
  const dim3 square (SQUARE, SQUARE_ROWS);
  const dim3 columns ((unsigned)args->n_cols,
                      ceil_div (args->n_projections, N_THREADS));

  transpose_kernel<<<squares, square, 0, stream>>> (*args);
  if (const int status = cudaGetLastError ())
    return status;
  sort_kernel<<<columns, N_THREADS, 0, stream>>> (*args);
  if (const int status = cudaGetLastError ())
    return status;
  smooth_kernel<<<columns, N_THREADS, 0, stream>>> (*args);
  return cudaGetLastError ();
}
