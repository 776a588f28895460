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
#include "gpu/cuda/backproject-hybrid.h"

#include "gpu/cuda/alu.cuh"

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

template <class Shape, class Cell> union HybridShared
{
  AluShared<Shape, Cell> alu;
  Ray rays[Shape::Map::N_THREADS];
};

template <class Shape, Interpolation INTERPOLATION, Precision PRECISION,
          int N_SLICES>
static __global__ void
__launch_bounds__ (Shape::Map::N_THREADS, Shape::N_BLOCKS)
    hybrid_kernel (const TlCudaBackprojectArgs a, const Mix mix)
{
  typedef typename Shape::Map Map;
  typedef CellOf<Map, INTERPOLATION, PRECISION, N_SLICES> Cell;
  __shared__ HybridShared<Shape, Cell> shared;
  __shared__ Task task;
  const Place place = Map::place (threadIdx.x);
  float sums[Map::N_PIXELS][N_SLICES] = {};

  if (threadIdx.x == 0)
    task = take_task (a, mix);
  __syncthreads ();
  const Job job = find_job<Map> (a, task.job);
  if (task.fetches)
    sum_texels<Map, INTERPOLATION, PRECISION> (a, job, place, shared.rays,
                                               sums);
  else
    sum_cells<Shape, INTERPOLATION, Cell> (a, job, place, shared.alu, sums);
  if (threadIdx.x == 0 && task.is_counted)
    atomicSub (find_counter (a), 1u);
  store<Map, N_SLICES> (a, job.tile, place, sums, Cell::unit (a));
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

/* Where a segment is too short for the grid, all blocks fetch. Otherwise every
 * multiprocessor gets as many fetched jobs as any other: they take long, and
 * all would wait for the last one. */
template <class Shape, int N_PLACES, int PERCENT, Interpolation INTERPOLATION,
          Precision PRECISION, int N_SLICES>
static int
launch_hybrid (const TlCudaBackprojectArgs *args, cudaStream_t stream)
{
  typedef typename Shape::Map Map;
  TlCudaBackprojectArgs a = *args;
  const unsigned n_resident = a.n_counters * Shape::N_BLOCKS;
  const unsigned n_places = a.n_counters * N_PLACES;
  const unsigned n_tiles = count_tiles<Map> (a);
  int status = share_rays (
      a, n_tiles < 4 * n_resident && a.n_rays >= MIN_SHARED_RAYS ? 2 : 1,
      stream);
  const unsigned n_jobs = n_tiles * a.n_parts;
  unsigned n_fetches = n_jobs;

  if (fits<Shape> (&a))
    {
      n_fetches = (unsigned)(n_jobs * (PERCENT / 100.0));
      if (n_fetches > n_places)
        n_fetches = n_fetches / n_places * n_places;
    }
  if (status == cudaSuccess)
    status = cudaMemsetAsync (
        a.queues, 0, sizeof (Queues) + a.n_counters * sizeof (unsigned),
        stream);
  if (status != cudaSuccess)
    return status;
  hybrid_kernel<Shape, INTERPOLATION, PRECISION, N_SLICES>
      <<<n_jobs, Map::N_THREADS, 0, stream>>> (a,
                                               { n_jobs, n_fetches, N_PLACES });
  return cudaGetLastError ();
}

/* --- the variants --- */

template <class Shape, int N_PLACES, int PERCENT, Interpolation INTERPOLATION,
          Precision PRECISION, int N_SLICES>
static constexpr TlCudaKernel
describe_hybrid (const char *name)
{
  return {
    name, layout_of (INTERPOLATION, PRECISION, N_SLICES),
    interpolates (INTERPOLATION, PRECISION),
    CellOf<typename Shape::Map, INTERPOLATION, PRECISION, N_SLICES>::LAYOUT,
    launch_hybrid<Shape, N_PLACES, PERCENT, INTERPOLATION, PRECISION, N_SLICES>
  };
}

static const TlCudaKernel kernels[] = {
#define VARIANT(name, interpolation, precision, n_slices, map, n_pixels,       \
                n_cells, n_group, n_summed, n_blocks, n_places, percent)       \
  describe_hybrid<                                                             \
      AluShape<map<n_pixels>, n_cells, n_group, n_summed, n_blocks>, n_places, \
      percent, interpolation, precision, n_slices> (name),
#include "gpu/cuda/backproject-hybrid.def"
#undef VARIANT
};

extern "C" const TlCudaKernel *
tl_cuda_hybrid_kernels (size_t *n)
{
  *n = sizeof kernels / sizeof *kernels;
  return kernels;
}
