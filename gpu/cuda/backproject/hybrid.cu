/* Hybrid: texture units and cores side by side, after Chilingaryan et al.,
 * "Balancing load of GPU subsystems to accelerate image reconstruction in
 * parallel beam tomography", section on the hybrid approach. Formula, symbols
 * and memory layout: backproject.cuh and alu.cuh, whose code the blocks run.
 *
 * A job is a tile and its rays, or half of them. A block does a whole job by
 * fetches or out of shared memory. Which of the two is fixed for each job, so
 * that a result repeats to the bit; who does it is not. The jobs that are
 * fetched are spread evenly among the others; there is a queue for each kind.
 * For both kinds to be on every multiprocessor all the time, it has a counter
 * of the blocks that wanted to fetch and are still there: a block that begins
 * takes a job from that queue if there are fewer than n_places, and from the
 * other one if not. Who finds his queue empty helps with the other one.
 */
#include "gpu/cuda/backproject/hybrid.h"

#include "gpu/cuda/backproject/alu.cuh"
#include "gpu/cuda/backproject/quads.cuh"

/* From how many rays on two blocks share them: each half is some groups. */
constexpr size_t MIN_SHARED_RAYS = 256;

/* In device memory, all 0 at the beginning of a launch. */
struct Queues
{
  unsigned n_taken[2]; /* jobs out of shared memory, jobs by fetches */
  unsigned n_busy[];   /* blocks that want to fetch, of each multiprocessor */
};

struct Mix
{
  unsigned n_jobs, n_fetches; /* of them by fetches */
  unsigned n_places;
};

/* The number of job i of a queue among all of them: fetches are at
 * floor (i n_jobs / n_fetches), and the others fill what is between. */
static __device__ inline unsigned
number_job (const Mix &mix, bool fetches, unsigned i)
{
  const unsigned n = fetches ? mix.n_fetches : mix.n_jobs - mix.n_fetches;
  const size_t jobs = mix.n_jobs;

  return fetches ? i * jobs / n : ((i + 1) * jobs + n - 1) / n - 1;
}

/* The counter of the multiprocessor that the block is on. Where numbers have
 * gaps two of them may share one. */
static __device__ inline unsigned *
find_counter (const TlCudaBackprojectArgs &a)
{
  unsigned number;

  asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
  return &static_cast<Queues *> (a.queues)->n_busy[number % a.n_counters];
}

/* What a block has to do, and whether it counts as one that wants to fetch. */
struct Task
{
  unsigned job;
  bool fetches, is_counted;
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
  return { number_job (mix, fetches, job), fetches, is_counted };
}

/* Adds N rays, the first one's texels at y; the texture unit interpolates, and
 * all fetches are on their way before the first value is wanted. */
template <class Map, int N, int N_SLICES>
static __device__ inline void
add_fetched (const TlCudaBackprojectArgs &a, const Position &position,
             const Ray *rays, float y, float (&sums)[Map::N_PIXELS][N_SLICES])
{
  typename Texel<N_SLICES>::Type values[N][Map::N_PIXELS];

#pragma unroll
  for (int i = 0; i < N; i++)
    {
      /* good to 1e-4 columns, that is to a weight's last bit */
      const float x =
          to_texture (rays[i].whole + find_rest (position, rays[i]));

#pragma unroll
      for (int j = 0; j < Map::N_PIXELS; j++)
        values[i][j] =
            fetch<N_SLICES> (a.texture, move<Map> (x, rays[i], j), y + i);
    }
#pragma unroll
  for (int i = 0; i < N; i++)
#pragma unroll
    for (int j = 0; j < Map::N_PIXELS; j++)
      add (sums[j], values[i][j], 1.0f);
}

/* All threads of the block call it. */
template <class Map, int N_SLICES>
static __device__ inline void
sum_fetched (const TlCudaBackprojectArgs &a, const Job &job, const Place &place,
             Ray (&rays)[Map::N_THREADS],
             float (&sums)[Map::N_PIXELS][N_SLICES])
{
  constexpr int N = Map::N_UNROLLED;
  const Position position = find_position<Map> (place);

  static_assert (Map::N_THREADS % N == 0, "none beyond the last");
  for (size_t first = 0; first < job.n_rays; first += Map::N_THREADS)
    {
      float y = to_texture ((float)(job.first_ray + first));
      const int n = (int)min (job.n_rays - first, (size_t)Map::N_THREADS);

      make_rays<Map> (a, job, first, rays);
#pragma unroll 1
      for (int p = 0; p < n; p += N, y += N)
        add_fetched<Map, N> (a, position, &rays[p], y, sums);
    }
}

template <class Shape, class Cell> union HybridShared
{
  AluShared<Shape, Cell> alu;
  Ray rays[Shape::Map::N_THREADS];
};

/* INTERPOLATES: the texture unit; else it is the cores, of quads. */
template <class Shape, bool INTERPOLATES, class Cell, int N_SLICES>
static __global__ void
__launch_bounds__ (Shape::Map::N_THREADS, Shape::N_BLOCKS)
    hybrid_kernel (const TlCudaBackprojectArgs a, const Mix mix)
{
  typedef typename Shape::Map Map;
  typedef std::conditional_t<INTERPOLATES, typename Map::FetchMap, Map>
      FetchMap;
  __shared__ HybridShared<Shape, Cell> shared;
  __shared__ Task task;

  if (threadIdx.x == 0)
    task = take_task (a, mix);
  __syncthreads ();
  const Job job = find_job<Map> (a, task.job);
  if (task.fetches)
    {
      const Place place = FetchMap::place (threadIdx.x);
      float sums[Map::N_PIXELS][N_SLICES] = {};

      if constexpr (INTERPOLATES)
        sum_fetched<FetchMap> (a, job, place, shared.rays, sums);
      else
        sum_quads<FetchMap> (a, job, place, shared.rays, sums);
      store<FetchMap, N_SLICES> (a, job.tile, place, sums, Cell::unit (a));
    }
  else
    {
      const Place place = Map::place (threadIdx.x);
      float sums[Map::N_PIXELS][N_SLICES] = {};

      sum_cells<Shape, Cell> (a, job, place, shared.alu, sums);
      store<Map, N_SLICES> (a, job.tile, place, sums, Cell::unit (a));
    }
  if (threadIdx.x == 0 && task.is_counted)
    atomicSub (find_counter (a), 1u);
}

/* Shares the rays among n_parts blocks, 1 or 2: for that pixels are 0 first. */
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

/* Every multiprocessor gets as many fetched jobs as any other: they take long,
 * and all would wait for the last one. A grid too coarse for the segments or
 * for quads is done by fetches alone. */
template <class Shape, int N_PLACES, int PERCENT, bool INTERPOLATES, class Cell,
          TlCudaLayout LAYOUT, int N_SLICES>
static int
launch_hybrid (const TlCudaBackprojectArgs *args, cudaStream_t stream)
{
  typedef typename Shape::Map Map;

  if (!fits<Shape, Cell> (args) || args->pitch > MAX_QUAD_PITCH)
    return launch<SquareMap<4>, LINEAR, LAYOUT, N_SLICES> (args, stream);

  TlCudaBackprojectArgs a = *args;
  const unsigned n_resident = a.n_counters * Shape::N_BLOCKS;
  const unsigned n_places = a.n_counters * N_PLACES;
  const unsigned n_tiles = count_tiles<Map> (a);
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
  hybrid_kernel<Shape, INTERPOLATES, Cell, N_SLICES>
      <<<n_jobs, Map::N_THREADS, 0, stream>>> (a,
                                               { n_jobs, n_fetches, N_PLACES });
  return cudaGetLastError ();
}

/* --- the variants --- */

template <class Shape, int N_PLACES, int PERCENT, Precision PRECISION,
          int N_SLICES>
static constexpr TlCudaKernel
describe_hybrid (const char *name)
{
  typedef CellOf<typename Shape::Map, LINEAR, PRECISION, N_SLICES> Cell;
  constexpr bool INTERPOLATES = PRECISION == FAST;
  constexpr TlCudaLayout LAYOUT = layout_of (PRECISION, N_SLICES);

  return { name, LAYOUT, INTERPOLATES, Cell::LAYOUT,
           launch_hybrid<Shape, N_PLACES, PERCENT, INTERPOLATES, Cell, LAYOUT,
                         N_SLICES> };
}

static const TlCudaKernel kernels[] = {
#define VARIANT(name, precision, n_slices, map, n_pixels, n_cells, n_group,    \
                n_summed, n_blocks, n_places, percent)                         \
  describe_hybrid<                                                             \
      AluShape<map<n_pixels>, n_cells, n_group, n_summed, n_blocks>, n_places, \
      percent, precision, n_slices> (name),
#include "gpu/cuda/backproject/hybrid.def"
#undef VARIANT
};

extern "C" const TlCudaKernel *
tl_cuda_hybrid_kernels (size_t *n)
{
  *n = sizeof kernels / sizeof *kernels;
  return kernels;
}
