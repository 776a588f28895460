/* TENSOR: the tables, a kernel for coarse grids, and the variants. tensor.cuh
 * has the method. */
#include "gpu/cuda/tensor/tensor.cuh"

/* --- tables --- */

/* Sorts the rays by class, in one block. */
template <class C>
static __global__ void
__launch_bounds__ (N_THREADS) sort_kernel (const TlCudaBackprojectArgs a)
{
  __shared__ int ranks[N_CLASSES][N_THREADS];
  const TensorTables<C> tables (a.tables, a.n_rays);
  const size_t step = ceil_div (a.n_rays, N_THREADS);
  const size_t first = threadIdx.x * step;
  const size_t end = min (first + step, a.n_rays);
  int n[N_CLASSES] = {};

  for (size_t p = first; p < end; p++)
    n[find_class (a.rays[2 * p], -a.rays[2 * p + 1])]++;
#pragma unroll
  for (int c = 0; c < N_CLASSES; c++)
    ranks[c][threadIdx.x] = n[c];
  __syncthreads ();
  if (threadIdx.x == 0)
    {
      int at = 0;

      for (int c = 0; c < N_CLASSES; c++)
        {
          const int begin = at;

          for (int t = 0; t < N_THREADS; t++)
            {
              const int n_here = ranks[c][t];

              ranks[c][t] = at;
              at += n_here;
            }
          const int n_chunks = (int)ceil_div (at - begin, C::N_CHUNK);

          tables.head->n_chunks[c] = n_chunks;
          for (; at < begin + n_chunks * C::N_CHUNK; at++)
            tables.rays[at] = { 0.0, 0.0, 0.0, 0.0f, 0.0f, -1, {} };
        }
    }
  __syncthreads ();
  for (size_t p = first; p < end; p++)
    {
      const double cosine = a.rays[2 * p], sine = a.rays[2 * p + 1];
      const double x = a.pitch * cosine, y = -a.pitch * sine;
      const int c = find_class (cosine, -sine);
      const double reach = 1.5 * (fabs (x) + fabs (y));
      const double apart =
          2.0 * fabs (neighbour_col (c) * x + neighbour_row (c) * y);

      tables.rays[ranks[c][threadIdx.x]++] = {
        a.axis_col + a.x0 * cosine + a.y0 * sine,
        x,
        y,
        (float)reach,
        (float)(reach + apart),
        (int)p,
        {},
      };
    }
}

/* o - 2 t of a lane's pixel lane / 4 + 8 * lower. side: -1 or 1 in a pair, 0
 * for a single square */
static __device__ double
find_place (const TensorRay &ray, int ray_class, int lane, int lower, int side)
{
  const int pixel = lane / 4 + 8 * lower;
  const double i = pixel % 4 - 1.5 + side * 2 * neighbour_col (ray_class);
  const double j = pixel / 4 - 1.5 + side * 2 * neighbour_row (ray_class);

  return i * ray.a + j * ray.b + (side == 0 ? ray.single_reach : ray.pair_reach)
         - 2 * (lane % 4);
}

/* Writes the places of two rays: in fast for each lane [side][ray] (upper and
 * lower pixel), in full [side][lane][ray][pixel]. n_sides: 2, or 1 for single
 * squares */
template <class C>
static __device__ void
write_places (const TensorRay *rays, int ray_class, int n_sides, int lane,
              unsigned char *to)
{
  for (int s = 0; s < n_sides; s++)
    for (int ray = 0; ray < 2; ray++)
      {
        const int side = n_sides == 1 ? 0 : 2 * s - 1;
        const float upper =
            (float)find_place (rays[ray], ray_class, lane, 0, side);
        const float lower =
            (float)find_place (rays[ray], ray_class, lane, 1, side);

        if constexpr (C::IS_FULL)
          reinterpret_cast<float2 *> (to)[(s * WARP + lane) * 2 + ray] =
              make_float2 (upper, lower);
        else
          reinterpret_cast<uint32_t *> (to)[(lane * n_sides + s) * 2 + ray] =
              to_half2 (upper, lower);
      }
}

/* A warp for two rays. */
template <class C>
static __global__ void
__launch_bounds__ (N_THREADS) place_kernel (const TlCudaBackprojectArgs a)
{
  const TensorTables<C> tables (a.tables, a.n_rays);
  const int lane = threadIdx.x % WARP;
  const int two = blockIdx.x * (N_THREADS / WARP) + threadIdx.x / WARP;
  const int chunk = two / (C::N_CHUNK / 2);
  int ray_class = 0, end = tables.head->n_chunks[0];

  while (chunk >= end && ray_class < N_CLASSES - 1)
    end += tables.head->n_chunks[++ray_class];
  if (chunk >= end)
    return;
  const int n_bytes = C::get_place_bytes (ray_class);
  const int n_singles = C::get_place_bytes (ray_class) % C::PAIR_BYTES;
  unsigned char *to =
      tables.find_places (chunk) + two % (C::N_CHUNK / 2) * n_bytes;

  if (n_bytes >= C::PAIR_BYTES)
    write_places<C> (tables.rays + 2 * two, ray_class, 2, lane, to);
  if (n_singles > 0)
    write_places<C> (tables.rays + 2 * two, ray_class, 1, lane,
                     to + n_bytes - n_singles);
}

template <class C, int CLASS>
static __device__ void
write_middles (const TensorTables<C> &tables)
{
  constexpr Windows W = C::windows (CLASS);

  for (int r = threadIdx.x; r < C::N_WARPS * W.n; r += N_THREADS)
    {
      const int warp = r / W.n, w = r % W.n;
      int square = 0;
      bool is_single = false;

#pragma unroll
      for (int k = 0; k < W.n; k++)
        if (k == w)
          {
            square = W.first[k];
            is_single = W.second[k] < 0;
          }
      const int shift = is_single ? 0 : 2;
      const float x =
          4 * (warp % C::N_WARPS_ACROSS * C::N_ACROSS + square % C::N_ACROSS)
          + 1.5f + shift * neighbour_col (CLASS);
      const float y =
          4 * (warp / C::N_WARPS_ACROSS * C::N_DOWN + square / C::N_ACROSS)
          + 1.5f + shift * neighbour_row (CLASS);

      tables.middles[CLASS * C::N_WARPS * C::N_WINDOWS + r] =
          make_uint4 (__float_as_uint (x), __float_as_uint (y), is_single,
                      (warp * (C::N_CHUNK / 2) * W.n + w) * 16);
    }
}

template <class C>
static __global__ void
__launch_bounds__ (N_THREADS) middle_kernel (const TlCudaBackprojectArgs a)
{
  const TensorTables<C> tables (a.tables, a.n_rays);

  write_middles<C, 0> (tables);
  write_middles<C, 1> (tables);
  write_middles<C, 2> (tables);
  write_middles<C, 3> (tables);
}

template <class C>
static int
fill_tables (const TlCudaBackprojectArgs *a, cudaStream_t stream)
{
  const size_t n_twos = TensorTables<C>::count_rays (a->n_rays) / 2;

  sort_kernel<C><<<1, N_THREADS, 0, stream>>> (*a);
  middle_kernel<C><<<1, N_THREADS, 0, stream>>> (*a);
  place_kernel<C>
      <<<ceil_div (n_twos, N_THREADS / WARP), N_THREADS, 0, stream>>> (*a);
  return cudaGetLastError ();
}

/* --- grids whose pitch is above 1, where windows are too narrow --- */

/* A thread has 8 slices of a pixel. */
template <int N_GROUPS, bool IS_FULL>
static __global__ void
__launch_bounds__ (N_THREADS) coarse_kernel (const TlCudaBackprojectArgs a)
{
  constexpr int N_PARTS = IS_FULL ? 2 * N_GROUPS : N_GROUPS;
  const size_t pixel = blockIdx.x * (size_t)N_THREADS + threadIdx.x;
  const int group = blockIdx.y;
  const double x = a.x0 + (double)(pixel % a.nx) * a.pitch;
  const double y = a.y0 - (double)(pixel / a.nx) * a.pitch;
  float sums[GROUP_SLICES] = {};

  if (pixel >= a.nx * a.ny)
    return;
  for (size_t p = 0; p < a.n_rays; p++)
    {
      const double h = a.axis_col + x * a.rays[2 * p] + y * a.rays[2 * p + 1];
      const double whole = floor (h);
      const float weights[2] = { (float)(1.0 - (h - whole)),
                                 (float)(h - whole) };

      for (int side = 0; side < 2; side++)
        {
          const double col = whole + side;

          if (!(col >= 0.0 && col < (double)a.n_cols))
            continue;
#pragma unroll
          for (int k = 0; k < (IS_FULL ? 2 : 1); k++)
            {
              const uint4 cell = static_cast<const uint4 *> (
                  a.cells)[(p * N_PARTS + group + k * N_GROUPS) * a.cell_stride
                           + (size_t)col];
              const __half2 *values = reinterpret_cast<const __half2 *> (&cell);

#pragma unroll
              for (int s = 0; s < GROUP_SLICES; s++)
                sums[s] = fmaf (weights[side],
                                s % 2 ? __high2float (values[s / 2])
                                      : __low2float (values[s / 2]),
                                sums[s]);
            }
        }
    }
  for (int s = 0; s < GROUP_SLICES; s++)
    if (group * GROUP_SLICES + s < a.n_slices)
      a.pixels[(size_t)(group * GROUP_SLICES + s) * a.nx * a.ny + pixel] =
          sums[s] * half_unit (*a.peak);
}

/* --- the variants --- */

/* The body only where the device can have it: launch_tensor() asks. */
template <class C>
static __global__ void
__launch_bounds__ (C::N_THREADS, 1)
    tensor_kernel (const __grid_constant__ TlCudaBackprojectArgs a)
{
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ __align__ (128) unsigned char memory[];

  if constexpr (C::IS_HOPPER)
    run_block<C> (a, memory);
#elif __CUDA_ARCH__ >= 800
  extern __shared__ __align__ (128) unsigned char memory[];

  if constexpr (!C::IS_HOPPER)
    run_block<C> (a, memory);
#endif
}

static bool
find_capability (int *major, int *minor)
{
  int device = 0;

  return cudaGetDevice (&device) == cudaSuccess
         && cudaDeviceGetAttribute (major, cudaDevAttrComputeCapabilityMajor,
                                    device)
                == cudaSuccess
         && cudaDeviceGetAttribute (minor, cudaDevAttrComputeCapabilityMinor,
                                    device)
                == cudaSuccess;
}

/* Returns: whether the code for Hopper was built and is for this device */
static bool
is_hopper (int major, int minor)
{
#ifdef TL_CUDA_HOPPER
  return major == 9 && minor == 0;
#else
  (void)major;
  (void)minor;
  return false;
#endif
}

template <class C>
static int
launch_tiles (const TlCudaBackprojectArgs *a, cudaStream_t stream)
{
  const unsigned n_tiles =
      ceil_div (a->nx, C::WIDTH) * ceil_div (a->ny, C::HEIGHT);
  const cudaError_t status = cudaFuncSetAttribute (
      tensor_kernel<C>, cudaFuncAttributeMaxDynamicSharedMemorySize,
      C::SHARED_BYTES);

  if (status != cudaSuccess)
    return status;
  tensor_kernel<C><<<min (n_tiles, a->n_counters), C::N_THREADS,
                     C::SHARED_BYTES, stream>>> (*a);
  return cudaGetLastError ();
}

/* H and P: the kernel for Hopper, and for others. */
template <class H, class P> struct TensorKernel
{
  static size_t
  count_bytes (size_t n_rays)
  {
    return max (TensorTables<H>::count_bytes (n_rays),
                TensorTables<P>::count_bytes (n_rays));
  }

  static int
  fill (const TlCudaBackprojectArgs *a, cudaStream_t stream)
  {
    int major = 0, minor = 0;

    if (!find_capability (&major, &minor) || major < TL_CUDA_TENSOR_CAPABILITY)
      return cudaErrorNoKernelImageForDevice;
    if (a->pitch > 1.0)
      return cudaSuccess;
    return is_hopper (major, minor) ? fill_tables<H> (a, stream)
                                    : fill_tables<P> (a, stream);
  }

  static int
  launch (const TlCudaBackprojectArgs *a, cudaStream_t stream)
  {
    int major = 0, minor = 0;

    if (!find_capability (&major, &minor) || major < TL_CUDA_TENSOR_CAPABILITY)
      return cudaErrorNoKernelImageForDevice;
    if (a->pitch <= 1.0)
      return is_hopper (major, minor) ? launch_tiles<H> (a, stream)
                                      : launch_tiles<P> (a, stream);
    coarse_kernel<H::N_GROUPS, H::IS_FULL>
        <<<dim3 (ceil_div (a->nx * a->ny, N_THREADS), H::N_GROUPS), N_THREADS,
           0, stream>>> (*a);
    return cudaGetLastError ();
  }

  static constexpr TlCudaTables TABLES = { count_bytes, fill };
};

static constexpr TlCudaLayout
find_layout (Precision precision, int n_slices)
{
  if (precision == FULL)
    return n_slices == 32 ? TL_CUDA_LAYOUT_TWO_HALVES32
                          : TL_CUDA_LAYOUT_TWO_HALVES16;
  return n_slices == 32   ? TL_CUDA_LAYOUT_HALF32
         : n_slices == 16 ? TL_CUDA_LAYOUT_HALF16
                          : TL_CUDA_LAYOUT_HALF8;
}

template <class H, class P>
static constexpr TlCudaKernel
describe_tensor (const char *name, Precision precision)
{
  return { name,
           TL_CUDA_LAYOUT_NONE,
           0,
           find_layout (precision, H::N_SLICES),
           TensorKernel<H, P>::launch,
           &TensorKernel<H, P>::TABLES };
}

static const TlCudaKernel kernels[] = {
#define VARIANT(name, precision, n_slices, across, down, warps_across,         \
                warps_down, n_chunk, n_stages, other_across, other_down,       \
                other_stages)                                                  \
  describe_tensor<                                                             \
      TensorConfig<precision, n_slices, across, down, warps_across,            \
                   warps_down, n_chunk, n_stages, true>,                       \
      TensorConfig<precision, n_slices, other_across, other_down,              \
                   warps_across, warps_down, n_chunk, other_stages, false>> (  \
      name, precision),
#include "gpu/cuda/backproject/tensor.def"
#undef VARIANT
};

extern "C" const TlCudaKernel *
tl_cuda_tensor_kernels (size_t *n)
{
  *n = sizeof kernels / sizeof *kernels;
  return kernels;
}
