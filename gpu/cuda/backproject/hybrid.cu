/* Hybrid: texture units and cores side by side, after Chilingaryan et al.,
 * "Balancing load of GPU subsystems to accelerate image reconstruction in
 * parallel beam tomography", section on the hybrid approach. It runs the code
 * of texture.cuh and of alu.cuh. Formula, symbols and memory: backproject.cuh.
 *
 * A job is a tile and its rays, or half of them. A block does one job, either
 * by fetches or out of shared memory. Every multiprocessor should always have
 * blocks of both kinds, so that texture units and cores work side by side.
 *
 * - Which jobs are fetched is fixed, so that results repeat to the bit. They
 * are spread evenly among the others. There is one queue for each kind.
 * - Each multiprocessor has a counter of its blocks that fetch. A block that
 *   begins takes a job from the queue of fetches while fewer than n_places do,
 *   else from the other queue. A block whose queue is empty takes a job from
 *   the other queue.
 */
#include "gpu/cuda/backproject/alu.cuh"
#include "gpu/cuda/backproject/texture.cuh"

/* From so many rays on two blocks may share a tile; half of the rays is then
 * still several groups. */
constexpr size_t MIN_SHARED_RAYS = 256;

/* In device memory; 0 when the kernel starts. */
struct Queues
{
  unsigned n_taken[2]; /* jobs taken from each queue: shared memory, fetches */
  unsigned n_busy[];   /* for each multiprocessor: its blocks that count as
                          fetching */
};

struct Mix
{
  unsigned n_jobs, n_fetches; /* n_fetches of all n_jobs are fetched */
  unsigned n_places;          /* blocks of a multiprocessor that may fetch */
};

/* The number, among all jobs, of job i of a queue: fetches are the numbers
 * floor (i n_jobs / n_fetches), and the others are the numbers between. */
static __device__ inline unsigned
number_job (const Mix &mix, bool fetches, unsigned i)
{
  const unsigned n = fetches ? mix.n_fetches : mix.n_jobs - mix.n_fetches;
  const size_t jobs = mix.n_jobs;

  return fetches ? i * jobs / n : ((i + 1) * jobs + n - 1) / n - 1;
}

/* The counter of the multiprocessor that runs the block. Where the device's
 * numbers of multiprocessors have gaps, two of them may share a counter. */
static __device__ inline unsigned *
find_counter (const TlCudaBackprojectArgs &a)
{
  unsigned number;

  asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
  return &static_cast<Queues *> (a.queues)->n_busy[number % a.n_counters];
}

/* The job of a block, and the counter that counts the block as fetching; NULL
 * if none does. The counter is kept, because a block that was suspended may
 * come back on another multiprocessor. */
struct Task
{
  unsigned job;
  bool fetches;
  unsigned *counter;
};

/* There are as many blocks as jobs. */
static __device__ inline Task
take_task (const TlCudaBackprojectArgs &a, const Mix &mix)
{
  Queues &queues = *static_cast<Queues *> (a.queues);
  unsigned *counter = find_counter (a);
  const bool is_counted = atomicAdd (counter, 1u) < mix.n_places;
  const unsigned n_jobs[2] = { mix.n_jobs - mix.n_fetches, mix.n_fetches };
  bool fetches = is_counted;
  unsigned job = atomicAdd (&queues.n_taken[fetches], 1u);

  if (!is_counted)
    atomicSub (counter, 1u);
  if (job >= n_jobs[fetches])
    {
      fetches = !fetches;
      job = atomicAdd (&queues.n_taken[fetches], 1u);
    }
  return { number_job (mix, fetches, job), fetches,
           is_counted ? counter : nullptr };
}

/* Adds N rays, y being the first one's in the texture. The texture unit
 * interpolates; all fetches are in flight before the first value is used. */
template <class Tile, int N, int N_SLICES>
static __device__ inline void
add_fetched (const TlCudaBackprojectArgs &a, const Position &position,
             const Ray *rays, float y, float (&sums)[Tile::N_PIXELS][N_SLICES])
{
  typename Texel<N_SLICES>::Type values[N][Tile::N_PIXELS];

#pragma unroll
  for (int i = 0; i < N; i++)
    {
      /* good to 1e-4 columns, that is to a weight's last bit */
      const float x =
          to_texture (rays[i].whole + find_rest (position, rays[i]));

#pragma unroll
      for (int j = 0; j < Tile::N_PIXELS; j++)
        values[i][j] =
            fetch<N_SLICES> (a.texture, move<Tile> (x, rays[i], j), y + i);
    }
#pragma unroll
  for (int i = 0; i < N; i++)
#pragma unroll
    for (int j = 0; j < Tile::N_PIXELS; j++)
      add (sums[j], values[i][j], 1.0f);
}

/* All threads of the block call it. */
template <class Tile, int N_SLICES>
static __device__ inline void
sum_fetched (const TlCudaBackprojectArgs &a, const Job &job, const Index &pixel,
             Ray (&rays)[Tile::N_THREADS],
             float (&sums)[Tile::N_PIXELS][N_SLICES])
{
  constexpr int N = Tile::N_UNROLLED;
  const Position position = find_position<Tile> (pixel);

  static_assert (Tile::N_THREADS % N == 0,
                 "the last rays are in the block's memory");
  for (size_t first = 0; first < job.n_rays; first += Tile::N_THREADS)
    {
      float y = to_texture ((float)(job.first_ray + first));
      const int n = (int)min (job.n_rays - first, (size_t)Tile::N_THREADS);

      make_rays<Tile> (a, job, first, rays);
#pragma unroll 1
      for (int p = 0; p < n; p += N, y += N)
        add_fetched<Tile, N> (a, position, &rays[p], y, sums);
    }
}

template <class Config, class Cell> union HybridShared
{
  AluShared<Config, Cell> alu;
  Ray rays[Config::Tile::N_THREADS];
};

/* INTERPOLATES: fetched jobs are interpolated by the texture unit; otherwise by
 * the cores, quad by quad. */
template <class Config, bool INTERPOLATES, class Cell, int N_SLICES>
static __global__ void
__launch_bounds__ (Config::Tile::N_THREADS, Config::N_BLOCKS)
    hybrid_kernel (const TlCudaBackprojectArgs a, const Mix mix)
{
  typedef typename Config::Tile Tile;
  typedef std::conditional_t<INTERPOLATES, typename Tile::FetchTile, Tile>
      FetchTile;
  __shared__ HybridShared<Config, Cell> shared;
  __shared__ Task task;

  if (threadIdx.x == 0)
    task = take_task (a, mix);
  __syncthreads ();
  const Job job = find_job<Tile> (a, task.job);
  if (task.fetches)
    {
      const Index pixel = FetchTile::first_pixel (threadIdx.x);
      float sums[Tile::N_PIXELS][N_SLICES] = {};

      if constexpr (INTERPOLATES)
        sum_fetched<FetchTile> (a, job, pixel, shared.rays, sums);
      else
        sum_quads<FetchTile> (a, job, pixel, shared.rays, sums);
      store<FetchTile, N_SLICES> (a, job.tile, pixel, sums, Cell::unit (a));
    }
  else
    {
      const Index pixel = Tile::first_pixel (threadIdx.x);
      float sums[Tile::N_PIXELS][N_SLICES] = {};

      sum_cells<Config, Cell> (a, job, pixel, shared.alu, sums);
      store<Tile, N_SLICES> (a, job.tile, pixel, sums, Cell::unit (a));
    }
  if (threadIdx.x == 0 && task.counter != nullptr)
    atomicSub (task.counter, 1u);
}

/* Lets n_parts blocks, 1 or 2, share the rays of a tile. Two blocks add their
 * sums, so that the pixels must be 0 first. */
static inline int
share_rays (TlCudaBackprojectArgs &a, int n_parts, cudaStream_t stream)
{
  const size_t n_pixels =
      a.n_folded > 0 ? a.whole_nx * a.whole_ny : a.n_slices * a.nx * a.ny;

  a.n_parts = n_parts;
  return n_parts > 1
             ? cudaMemsetAsync (a.pixels, 0, n_pixels * sizeof (float), stream)
             : cudaSuccess;
}

/* Fetched jobs take long, and the launch waits for the last of them: so their
 * number is a multiple of what all multiprocessors do at once. A small slice
 * has few tiles, and its rays are shared: one slice in fast 6240 GU/s before,
 * 7940 after. A grid too coarse for the segments or for quads is done by
 * fetches alone. */
template <class Config, int N_PLACES, int PERCENT, bool INTERPOLATES,
          class Cell, TlCudaLayout LAYOUT, int N_SLICES>
static int
launch_hybrid (const TlCudaBackprojectArgs *args, cudaStream_t stream)
{
  typedef typename Config::Tile Tile;

  if (!fits<Config, Cell> (args) || args->pitch > MAX_QUAD_PITCH)
    return launch_texels<SquareTile<4>, LINEAR, LAYOUT, N_SLICES> (args,
                                                                   stream);

  TlCudaBackprojectArgs a = *args;
  const unsigned n_resident = a.n_counters * Config::N_BLOCKS;
  const unsigned n_places = a.n_counters * N_PLACES;
  const unsigned n_tiles = count_tiles<Tile> (a);
  int status = share_rays (
      a, n_tiles < 4 * n_resident && a.n_rays >= MIN_SHARED_RAYS ? 2 : 1,
      stream);
  const unsigned n_jobs = n_tiles * a.n_parts;
  unsigned n_fetches = (unsigned)(n_jobs * (PERCENT / 100.0));

  if (n_fetches > n_places)
    n_fetches = n_fetches / n_places * n_places;
  if (status == cudaSuccess)
    status = cudaMemsetAsync (
        a.queues, 0, sizeof (Queues) + a.n_counters * sizeof (unsigned),
        stream);
  if (status != cudaSuccess)
    return status;
  hybrid_kernel<Config, INTERPOLATES, Cell, N_SLICES>
      <<<n_jobs, Tile::N_THREADS, 0, stream>>> (
          a, { n_jobs, n_fetches, N_PLACES });
  return cudaGetLastError ();
}

/* --- the variants --- */

template <class Config, int N_PLACES, int PERCENT, Precision PRECISION,
          int N_SLICES>
static constexpr TlCudaKernel
describe_hybrid (const char *name)
{
  typedef CellOf<typename Config::Tile, LINEAR, PRECISION, N_SLICES> Cell;
  constexpr bool INTERPOLATES = PRECISION == FAST;
  constexpr TlCudaLayout LAYOUT = layout_of (PRECISION, N_SLICES);

  return { name,
           LAYOUT,
           INTERPOLATES,
           Cell::LAYOUT,
           launch_hybrid<Config, N_PLACES, PERCENT, INTERPOLATES, Cell, LAYOUT,
                         N_SLICES>,
           nullptr };
}

static const TlCudaKernel kernels[] = {
#define VARIANT(name, precision, n_slices, map, n_pixels, n_cells, n_group,    \
                n_summed, n_blocks, n_places, percent)                         \
  describe_hybrid<                                                             \
      AluConfig<map<n_pixels>, n_cells, n_group, n_summed, n_blocks>,          \
      n_places, percent, precision, n_slices> (name),
#include "gpu/cuda/backproject/hybrid.def"
#undef VARIANT
};

extern "C" const TlCudaKernel *
tl_cuda_hybrid_kernels (size_t *n)
{
  *n = sizeof kernels / sizeof *kernels;
  return kernels;
}
