/* Micro-benchmarks: fetches, reads of shared memory and multiply-adds, each
 * with as many threads as are resident and little else to do. Loops are long
 * enough for some milliseconds at 2 GHz and 2048 threads.
 *
 * The compiler must not find out that the results are not needed. So the
 * kernels store a result only if it has a certain value, which never occurs.
 */
#include "gpu/cuda/figures/launchers.h"

#include "gpu/cuda/backproject/backproject.h"
#include "gpu/cuda/device/device.cuh"

constexpr int N_UNROLLED = 8;

/* A warp reads some ten columns of one row, as in a slice of pitch 1, and all
 * of them are in the texture units' cache. */
struct Fetches
{
  static constexpr int N_LOOPS = 1500;
  static constexpr double AMOUNT = (double)N_LOOPS * N_UNROLLED;

  static __device__ float
  run (const TlCudaCeilingArgs &a)
  {
    float sums[4] = {};
    float x = to_texture ((float)(threadIdx.x % 32) * 0.3f);

    static_assert (N_UNROLLED <= TL_CUDA_CEILING_ROWS, "a row for each");
    for (int i = 0; i < N_LOOPS; i++)
      {
#pragma unroll
        for (int k = 0; k < N_UNROLLED; k++)
          add (sums, fetch<4> (a.texture, x, to_texture ((float)k)), 1.0f);
        x += 0.01f;
      }
    return sums[0] + sums[1] + sums[2] + sums[3];
  }
};

/* Each lane reads 16 bytes, next to its neighbour's, so that lanes that are
 * served together never meet in a bank. */
struct SharedBytes
{
  static constexpr int N_LOOPS = 3000;
  static constexpr double AMOUNT =
      (double)N_LOOPS * N_UNROLLED * sizeof (float4);

  static __device__ float
  run (const TlCudaCeilingArgs &)
  {
    __shared__ float4 cells[N_THREADS + N_UNROLLED];
    float sums[4] = {};

    for (int i = threadIdx.x; i < N_THREADS + N_UNROLLED; i += N_THREADS)
      cells[i] = make_float4 (i, i + 1, i + 2, i + 3);
    __syncthreads ();
    for (int i = 0; i < N_LOOPS; i++)
      {
        const float4 *from = &cells[threadIdx.x ^ (i % 32)];

#pragma unroll
        for (int k = 0; k < N_UNROLLED; k++)
          add (sums, from[k], 1.0f);
      }
    return sums[0] + sums[1] + sums[2] + sums[3];
  }
};

/* Eight chains of products of matrices, 16 x 16 by 16 x 8, with a warp for
 * each. Before compute capability 8.0 there are none of this size: 0. */
struct Products
{
  static constexpr int N_LOOPS = 4000;
  static constexpr double AMOUNT =
      (double)N_LOOPS * N_UNROLLED * (16 * 16 * 8) / 32;

  static __device__ float
  run (const TlCudaCeilingArgs &)
  {
    float sums[N_UNROLLED][4] = {};

#if __CUDA_ARCH__ >= 800
    const unsigned a = 0x3c003c00u + threadIdx.x % 32, b = 0x3c003c00u;

    for (int i = 0; i < N_LOOPS; i++)
#pragma unroll
      for (int k = 0; k < N_UNROLLED; k++)
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                     "{%0, %1, %2, %3}, {%4, %4, %4, %4}, {%5, %5}, "
                     "{%0, %1, %2, %3};"
                     : "+f"(sums[k][0]), "+f"(sums[k][1]), "+f"(sums[k][2]),
                       "+f"(sums[k][3])
                     : "r"(a), "r"(b));
#endif
    return sums[0][0] + sums[1][0] + sums[2][0] + sums[3][0] + sums[4][0]
           + sums[5][0] + sums[6][0] + sums[7][0];
  }
};

/* Eight chains of multiply-adds, so that none waits for its last result. */
struct Instructions
{
  static constexpr int N_LOOPS = 3000, N_LINKS = 16;
  static constexpr double AMOUNT = (double)N_LOOPS * N_LINKS * N_UNROLLED;

  static __device__ float
  run (const TlCudaCeilingArgs &)
  {
    const float factor = 0.5f + (float)threadIdx.x * 0x1p-10f;
    const float summand = (float)threadIdx.x;
    float values[N_UNROLLED], sum = 0.0f;

    for (int k = 0; k < N_UNROLLED; k++)
      values[k] = (float)k;
    for (int i = 0; i < N_LOOPS; i++)
      {
#pragma unroll
        for (int link = 0; link < N_LINKS; link++)
#pragma unroll
          for (int k = 0; k < N_UNROLLED; k++)
            values[k] = fmaf (values[k], factor, summand);
      }
    for (int k = 0; k < N_UNROLLED; k++)
      sum += values[k];
    return sum;
  }
};

static __device__ inline unsigned long long
read_cycles ()
{
  unsigned long long cycles;

  asm volatile("mov.u64 %0, %%clock64;" : "=l"(cycles) : : "memory");
  return cycles;
}

static __device__ inline unsigned long long
read_ns ()
{
  unsigned long long ns;

  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns) : : "memory");
  return ns;
}

/* Results are sums of values that are not negative. */
template <class Work>
static __global__ void
__launch_bounds__ (N_THREADS) ceiling_kernel (const TlCudaCeilingArgs a)
{
  const unsigned long long first_cycle = read_cycles (), first_ns = read_ns ();
  const float result = Work::run (a);

  if (result == -1.0f)
    *a.sink = result;
  if (blockIdx.x == 0 && threadIdx.x == 0)
    {
      a.spent[0] = read_cycles () - first_cycle;
      a.spent[1] = read_ns () - first_ns;
    }
}

template <class Work>
static int
run (const TlCudaCeilingArgs *a, double *amount, cudaStream_t stream)
{
  int device = 0, n_processors = 0, n_blocks = 0;
  cudaError_t status = cudaGetDevice (&device);

  if (status == cudaSuccess)
    status = cudaDeviceGetAttribute (&n_processors,
                                     cudaDevAttrMultiProcessorCount, device);
  if (status == cudaSuccess)
    status = cudaOccupancyMaxActiveBlocksPerMultiprocessor (
        &n_blocks, ceiling_kernel<Work>, N_THREADS, 0);
  if (status != cudaSuccess)
    return status;
  *amount = Work::AMOUNT * n_processors * n_blocks * N_THREADS;
  ceiling_kernel<Work><<<n_processors * n_blocks, N_THREADS, 0, stream>>> (*a);
  return cudaGetLastError ();
}

static int
run_products (const TlCudaCeilingArgs *a, double *amount, cudaStream_t stream)
{
  int device = 0, major = 0;
  cudaError_t status = cudaGetDevice (&device);

  if (status == cudaSuccess)
    status = cudaDeviceGetAttribute (&major, cudaDevAttrComputeCapabilityMajor,
                                     device);
  if (status == cudaSuccess)
    status = (cudaError_t)run<Products> (a, amount, stream);
  if (major < TL_CUDA_TENSOR_CAPABILITY)
    *amount = 0.0;
  return status;
}

extern "C" int
tl_cuda_run_ceiling (TlCudaCeiling ceiling, const TlCudaCeilingArgs *a,
                     double *amount, cudaStream_t stream)
{
  switch (ceiling)
    {
    case TL_CUDA_CEILING_FETCHES:
      return run<Fetches> (a, amount, stream);
    case TL_CUDA_CEILING_SHARED_BYTES:
      return run<SharedBytes> (a, amount, stream);
    case TL_CUDA_CEILING_PRODUCTS:
      return run_products (a, amount, stream);
    default:
      return run<Instructions> (a, amount, stream);
    }
}
