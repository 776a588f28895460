/* TENSOR: the tensor cores multiply weights with the cells of many slices.
 *
 *   r[pixel][slice] = sum over rays of w[pixel][cell] * row[cell][slice]
 *
 * The weights of linear interpolation do not depend on the slice, so a few
 * neighbouring pixels, the cells (columns) that they read of a ray, and some
 * slices are a product of matrices. One mma.m16n8k16 has
 *
 *   16 rows      a square of 4 x 4 pixels
 *   8 columns    8 slices
 *   k = 16       8 cells of ray p and 8 cells of ray p + 1
 *
 * On a grid whose pitch is at most 1 a square is at most 3 sqrt 2 = 4.24
 * columns wide; with the cell below its lowest pixel and the one above its
 * highest it reads at most 7 cells: they are in a window of 8. Two squares that
 * are neighbours along the ray share a window, so that its cells are read once
 * for 32 pixels: they fit if 3 (|a| + |b|) + 4 |vx a + vy b| <= 6, with a and b
 * the columns from a pixel to the next one to the right and below, and (vx, vy)
 * the neighbour. Right below, obliquely below and beside, that holds for a
 * quarter of all directions each: the classes of rays.
 *
 * A weight is max (0, 1 - |e|), with e the distance of the pixel from the cell
 * in columns, e = u + o - c:
 *
 *   u    in [0, 1), how far behind a cell the window begins; of a window
 *   o    where the pixel is in the window; depends on the ray, not on the tile
 *   c    = 0 ... 7, the cell
 *
 * In a fragment of a matrix a lane has the cells 2 t and 2 t + 1 of two pixels,
 * t = lane % 4. The tables (tensor.cu) have o - 2 t of all lanes; warps that do
 * nothing else find u. (u, u - 1) is a half2, and two instructions make two
 * weights. Where a weight is not 0, e is below 1 and its two summands are below
 * 2: half precision is off by 2^-11 at most. Coordinates are double until u.
 *
 * Full precision: values and weights are sums of two halves each, and three of
 * the four products are computed. The tensor cores cut sums off instead of
 * rounding them, so sums go to memory after N_BETWEEN rays.
 *
 * A block stays and takes tile after tile, so that rows of the next tile are on
 * their way while a tile is written. It has warps that compute and 4 that feed
 * them, a ring of stages between them, and two barriers a stage: full (rows and
 * tables have arrived) and empty (all warps have read them).
 *
 * Before Hopper (compute capability 9.0) the warps that feed copy 16 bytes at
 * a time, and no warp can give registers to another.
 */
#pragma once

#include "gpu/cuda/backproject/backproject.cuh"

#include <cuda_fp16.h>

#include <stdint.h>

constexpr int WARP = 32, N_FEEDERS = 4, N_CLASSES = 4;
constexpr int GROUP_SLICES = 8; /* of a cell: one row of a matrix, 16 bytes */
constexpr int N_BETWEEN = 128;  /* with which errors on noise are 3.3e-6 */

/* --- windows --- */

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

/* --- what a kernel is made of --- */

static __host__ __device__ constexpr int
max_of (int a, int b)
{
  return a > b ? a : b;
}

static __host__ __device__ constexpr int
ceil_root (int x)
{
  int root = 0;

  while (root * root < x)
    root++;
  return root;
}

/* SLICES of a pass; a warp has ACROSS x DOWN squares, a block WARPS_ACROSS x
 * WARPS_DOWN warps that compute; CHUNK rays are a stage of N_STAGES. */
template <Precision PRECISION, int SLICES, int ACROSS, int DOWN,
          int WARPS_ACROSS, int WARPS_DOWN, int CHUNK, int STAGES, bool HOPPER>
struct TensorConfig
{
  static constexpr bool IS_FULL = PRECISION == FULL, IS_HOPPER = HOPPER;
  static constexpr int N_SLICES = SLICES, N_ACROSS = ACROSS, N_DOWN = DOWN;
  static constexpr int N_WARPS_ACROSS = WARPS_ACROSS, N_CHUNK = CHUNK;
  static constexpr int N_STAGES = STAGES;
  static constexpr int N_SQUARES = ACROSS * DOWN;
  static constexpr int N_WARPS = WARPS_ACROSS * WARPS_DOWN;
  static constexpr int N_THREADS = (N_WARPS + N_FEEDERS) * WARP;
  static constexpr int WIDTH = 4 * ACROSS * WARPS_ACROSS;
  static constexpr int HEIGHT = 4 * DOWN * WARPS_DOWN;
  static constexpr int N_GROUPS = SLICES / GROUP_SLICES;
  static constexpr int N_PARTS = IS_FULL ? 2 * N_GROUPS : N_GROUPS;

  /* the cells of a tile at its widest, of a window, and for rounding */
  static constexpr int N_CELLS =
      (ceil_root ((WIDTH - 1) * (WIDTH - 1) + (HEIGHT - 1) * (HEIGHT - 1)) + 11)
      / 2 * 2;

  static __host__ __device__ constexpr Windows
  windows (int ray_class)
  {
    return list_windows (ray_class, ACROSS, DOWN);
  }

  static constexpr int N_WINDOWS =
      max_of (max_of (list_windows (0, ACROSS, DOWN).n,
                      list_windows (1, ACROSS, DOWN).n),
              max_of (list_windows (2, ACROSS, DOWN).n,
                      list_windows (3, ACROSS, DOWN).n));

  /* Bytes of places, o - 2 t, for two rays: of pairs and of single squares. */
  static constexpr int PAIR_BYTES = IS_FULL ? 1024 : 512;
  static constexpr int SINGLE_BYTES = PAIR_BYTES / 2;

  template <int CLASS>
  static __host__ __device__ constexpr int
  place_bytes ()
  {
    constexpr Windows W = windows (CLASS);

    return (W.n_pairs > 0 ? PAIR_BYTES : 0)
           + (W.n > W.n_pairs ? SINGLE_BYTES : 0);
  }

  /* The same for a class that the compiler does not know. */
  static __device__ int
  get_place_bytes (int ray_class)
  {
    return ray_class == 0   ? place_bytes<0> ()
           : ray_class == 1 ? place_bytes<1> ()
           : ray_class == 2 ? place_bytes<2> ()
                            : place_bytes<3> ();
  }

  static __device__ int
  count_windows (int ray_class)
  {
    constexpr int N[] = { windows (0).n, windows (1).n, windows (2).n,
                          windows (3).n };

    return ray_class == 0   ? N[0]
           : ray_class == 1 ? N[1]
           : ray_class == 2 ? N[2]
                            : N[3];
  }

  static constexpr int MAX_PLACE_BYTES = PAIR_BYTES + SINGLE_BYTES;

  /* A stage: cells [ray][part][cell], places, and for each warp, two rays and
   * window where it begins. Then what is the same for all tiles, and the
   * barriers. */
  static constexpr int CELL_BYTES = 16;
  static constexpr int RAY_BYTES = N_PARTS * N_CELLS * CELL_BYTES;
  static constexpr int PLACES = CHUNK * RAY_BYTES;
  static constexpr int STARTS = PLACES + CHUNK / 2 * MAX_PLACE_BYTES;
  static constexpr int STAGE_BYTES =
      (STARTS + N_WARPS * CHUNK / 2 * N_WINDOWS * 16 + 127) / 128 * 128;
  static constexpr int MIDDLES = STAGES * STAGE_BYTES;
  static constexpr int BARRIERS =
      MIDDLES + N_CLASSES * N_WARPS * N_WINDOWS * 16;
  static constexpr int SHARED_BYTES = BARRIERS + STAGES * 16;

  /* Registers of a thread at the start, of a warp that computes, and of one
   * that feeds. */
  static constexpr int START_REGISTERS = 65536 / N_THREADS / 8 * 8;
  static constexpr int MORE_REGISTERS = 224, FEWER_REGISTERS = 56;

  static_assert (SHARED_BYTES <= (HOPPER ? 227 : 99) << 10,
                 "as much as compute capability 9.0, or 8.6, has");
  static_assert (N_WARPS == 8, "registers are divided among 8 + 4 warps");
  static_assert (N_WARPS * MORE_REGISTERS + N_FEEDERS * FEWER_REGISTERS
                     <= (N_WARPS + N_FEEDERS) * START_REGISTERS,
                 "otherwise warps wait for registers for ever");
  static_assert (N_CELLS <= TL_CUDA_CELL_GAP (TL_CUDA_LAYOUT_HALF8),
                 "a segment beside a row is all 0");
  static_assert (WARP % CHUNK == 0 && CHUNK % 4 == 0 && N_BETWEEN % CHUNK == 0,
                 "a lane has the same ray of each chunk");
  static_assert (PLACES % 16 == 0 && STARTS % 16 == 0, "copies of 16 bytes");
};

/* --- tables in device memory --- */

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

/* --- single instructions --- */

/* Both halves of b plus one half of a: no instruction to spread the half. */
template <bool UPPER>
static __device__ inline uint32_t
add_half_to_both (uint32_t a, uint32_t b)
{
  uint32_t sum;

  if constexpr (UPPER)
    asm("{.reg .b16 l, h; .reg .b32 x; mov.b32 {l, h}, %1; mov.b32 x, {h, h}; "
        "add.f16x2 %0, x, %2;}"
        : "=r"(sum)
        : "r"(a), "r"(b));
  else
    asm("{.reg .b16 l, h; .reg .b32 x; mov.b32 {l, h}, %1; mov.b32 x, {l, l}; "
        "add.f16x2 %0, x, %2;}"
        : "=r"(sum)
        : "r"(a), "r"(b));
  return sum;
}

/* max (0, 1 - |e|) of two halves, which is never above 1. */
static __device__ inline uint32_t
find_weights (uint32_t e)
{
  uint32_t weights;

  asm("{.reg .b32 t; abs.f16x2 t, %1; sub.sat.f16x2 %0, %2, t;}"
      : "=r"(weights)
      : "r"(e), "r"(0x3c003c00));
  return weights;
}

static __device__ inline float
find_weight (float e)
{
  return __saturatef (1.0f - fabsf (e));
}

static __device__ inline uint32_t
to_half2 (float low, float high)
{
  const __half2 both = __floats2half2_rn (low, high);

  return reinterpret_cast<const uint32_t &> (both);
}

/* Two or four 8 x 8 matrices of halves, transposed. Lanes give the addresses of
 * their rows, 16 bytes each, so that a window may begin at any cell. */
static __device__ inline void
load_two_matrices (uint32_t *to, uint32_t address)
{
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
               : "=r"(to[0]), "=r"(to[1])
               : "r"(address));
}

static __device__ inline void
load_four_matrices (uint32_t *to, uint32_t address)
{
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 "
               "{%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(address));
}

static __device__ inline uint4
load_16 (uint32_t address)
{
  uint4 v;

  asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "r"(address));
  return v;
}

static __device__ inline uint2
load_8 (uint32_t address)
{
  uint2 v;

  asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];"
               : "=r"(v.x), "=r"(v.y)
               : "r"(address));
  return v;
}

static __device__ inline void
store_4 (uint32_t address, uint32_t v)
{
  asm volatile("st.shared.b32 [%0], %1;" ::"r"(address), "r"(v) : "memory");
}

static __device__ inline void
store_2 (uint32_t address, int v)
{
  asm volatile("st.shared.u16 [%0], %1;" ::"r"(address), "h"((unsigned short)v)
               : "memory");
}

static __device__ inline void
multiply (float (&sums)[4], const uint32_t (&weights)[4], uint32_t cells0,
          uint32_t cells1)
{
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
               "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
               "{%0, %1, %2, %3};"
               : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
               : "r"(weights[0]), "r"(weights[1]), "r"(weights[2]),
                 "r"(weights[3]), "r"(cells0), "r"(cells1));
}

/* --- barriers and copies --- */

static __device__ inline void
init_barrier (uint32_t barrier, int n)
{
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(barrier), "r"(n)
               : "memory");
}

static __device__ inline void
arrive (uint32_t barrier)
{
  asm volatile(
      "{.reg .b64 state; mbarrier.arrive.shared.b64 state, [%0];}" ::"r"(
          barrier)
      : "memory");
}

/* Waits until the phase of this parity is over. */
template <bool HOPPER>
static __device__ inline void
wait_for (uint32_t barrier, uint32_t parity)
{
  if constexpr (HOPPER)
    asm volatile("{.reg .pred p; again: "
                 "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; "
                 "@!p bra again;}" ::"r"(barrier),
                 "r"(parity)
                 : "memory");
  else
    asm volatile("{.reg .pred p; again: "
                 "mbarrier.test_wait.parity.shared.b64 p, [%0], %1; "
                 "@!p bra again;}" ::"r"(barrier),
                 "r"(parity)
                 : "memory");
}

/* Hopper: the barrier waits for n more bytes; counts as an arrival. */
static __device__ inline void
expect_bytes (uint32_t barrier, int n)
{
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
      "r"(n)
      : "memory");
}

/* Hopper: one thread copies n bytes. */
static __device__ inline void
copy_bytes (uint32_t to, const void *from, int n, uint32_t barrier)
{
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
               "bytes [%0], [%1], %2, [%3];" ::"r"(to),
               "l"(__cvta_generic_to_global (from)), "r"(n), "r"(barrier)
               : "memory");
}

/* Others: a thread copies 16 bytes. */
static __device__ inline void
copy_16 (uint32_t to, const void *from)
{
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to),
               "l"(__cvta_generic_to_global (from))
               : "memory");
}

/* Others: arrives when the thread's copies have. */
static __device__ inline void
arrive_with_copies (uint32_t barrier)
{
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(barrier)
               : "memory");
}

/* Hopper: of a whole warp, which then has so many registers a thread. The
 * compiler looks for it at the beginning of a branch. */
template <int N>
static __device__ inline void
take_registers ()
{
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(N));
}

template <int N>
static __device__ inline void
give_registers ()
{
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(N));
}

/* A place in the ring of stages. */
template <class C> struct TensorStage
{
  int number;
  uint32_t parity;

  __device__ TensorStage
  next () const
  {
    const bool is_last = number + 1 == C::N_STAGES;

    return { is_last ? 0 : number + 1, is_last ? parity ^ 1 : parity };
  }

  __device__ uint32_t
  full (uint32_t shared) const
  {
    return shared + C::BARRIERS + number * 16;
  }

  __device__ uint32_t
  empty (uint32_t shared) const
  {
    return full (shared) + 8;
  }
};

/* --- warps that compute --- */

/* Weights of two pixels for the lane's two cells, of two rays. */
static __device__ inline void
make_weights (uint32_t (&weights)[4], uint32_t places0, uint32_t places1,
              const uint4 &start)
{
  weights[0] = find_weights (add_half_to_both<false> (places0, start.x));
  weights[1] = find_weights (add_half_to_both<true> (places0, start.x));
  weights[2] = find_weights (add_half_to_both<false> (places1, start.y));
  weights[3] = find_weights (add_half_to_both<true> (places1, start.y));
}

/* The same as sums of two halves. */
static __device__ inline void
make_weights (uint32_t (&high)[4], uint32_t (&low)[4], const uint4 &places,
              const uint4 &start)
{
#pragma unroll
  for (int k = 0; k < 4; k++)
    {
      const float place = __uint_as_float (k == 0   ? places.x
                                           : k == 1 ? places.y
                                           : k == 2 ? places.z
                                                    : places.w);
      const float e = place + __uint_as_float (k < 2 ? start.x : start.y);
      const float w0 = find_weight (e), w1 = find_weight (e - 1.0f);
      /* cut off, so that the conversion is exact */
      const float h0 = __uint_as_float (__float_as_uint (w0) & 0xffffe000u);
      const float h1 = __uint_as_float (__float_as_uint (w1) & 0xffffe000u);

      high[k] = to_half2 (h0, h1);
      low[k] = to_half2 (w0 - h0, w1 - h1);
    }
}

/* What a lane of a warp that computes keeps. */
template <class C> struct TensorLane
{
  uint32_t shared;
  int warp, lane;
  uint32_t offset, pick; /* of the rows that the lane gives to ldmatrix */
  TensorStage<C> stage;
  float sums[C::N_SQUARES][C::N_GROUPS][4];
};

/* Adds n_chunks chunks of one class. A step is one window of two rays; its
 * cells are read while the step before is at work, and where it starts one step
 * earlier. */
template <class C, int CLASS>
static __device__ __forceinline__ void
add_chunks (TensorLane<C> &l, int n_chunks)
{
  constexpr Windows W = C::windows (CLASS);
  constexpr int PLACE_BYTES = C::template place_bytes<CLASS> ();
  constexpr int N_STEPS = 2 * W.n; /* of 4 rays, so that their number is even */
  constexpr bool HAS_PAIRS = W.n_pairs > 0, HAS_SINGLES = W.n > W.n_pairs;
  constexpr int G = C::N_GROUPS;
  const uint32_t starts0 =
      l.shared + C::STARTS + l.warp * (C::N_CHUNK / 2) * W.n * 16;
  const uint32_t places0 = l.shared + C::PLACES + l.lane * 16;
  const uint32_t to_single =
      (HAS_PAIRS ? C::PAIR_BYTES : 0) - (C::IS_FULL ? 0 : l.lane * 8);
  uint4 start[2], pair0 = {}, pair1 = {}, single = {};
  uint32_t cells[2][2 * G];

  /* The parts of 8 slices from @first on. position: where the window begins in
   * the cells of both rays, in 16 bits each; one instruction takes the lane's
   * half and makes an address of it. */
  const auto load_cells = [&] (uint32_t (&to)[2 * G], uint32_t position,
                               int first) {
    const uint32_t address = __dp2a_lo (position, l.pick, l.offset)
                             + first * C::N_CELLS * C::CELL_BYTES;

    if constexpr (G == 1)
      load_two_matrices (to, address);
    else
      {
#pragma unroll
        for (int part = 0; part < G; part += 2)
          load_four_matrices (&to[2 * part],
                              address + part * C::N_CELLS * C::CELL_BYTES);
      }
  };
  const auto load_pair = [&] (uint32_t address) {
    pair0 = load_16 (address);
    if constexpr (C::IS_FULL)
      pair1 = load_16 (address + C::PAIR_BYTES / 2);
  };
  const auto load_single = [&] (uint32_t address) {
    if constexpr (C::IS_FULL)
      single = load_16 (address + to_single);
    else
      {
        const uint2 v = load_8 (address + to_single);

        single.x = v.x;
        single.y = v.y;
      }
  };

  wait_for<C::IS_HOPPER> (l.stage.full (l.shared), l.stage.parity);
  uint32_t starts = starts0 + l.stage.number * C::STAGE_BYTES;
  uint32_t places = places0 + l.stage.number * C::STAGE_BYTES;
  start[0] = load_16 (starts);
  start[1] = load_16 (starts + 16);
  if constexpr (HAS_PAIRS)
    load_pair (places);
  if constexpr (HAS_SINGLES)
    load_single (places);
  if constexpr (!C::IS_FULL)
    load_cells (cells[0], start[0].z, 0);
#pragma unroll 1
  for (int k = 0; k < n_chunks; k++)
    {
      const TensorStage<C> next = l.stage.next ();
#pragma unroll 1
      for (int four = 0; four < C::N_CHUNK / 4; four++)
        {
          /* where the next 4 rays are; behind the last ones these are read
           * again, for nothing */
          uint32_t next_starts = starts + N_STEPS * 16;
          uint32_t next_places = places + 2 * PLACE_BYTES;

          if (four == C::N_CHUNK / 4 - 1)
            {
              next_starts = starts;
              next_places = places;
              if (k + 1 < n_chunks)
                {
                  wait_for<C::IS_HOPPER> (next.full (l.shared), next.parity);
                  next_starts = starts0 + next.number * C::STAGE_BYTES;
                  next_places = places0 + next.number * C::STAGE_BYTES;
                }
            }
#pragma unroll
          for (int s = 0; s < N_STEPS; s++)
            {
              const int w = s % W.n, now = s % 2;
              const bool is_pair = w < W.n_pairs;
              uint32_t high[2][4], low[2][4];

              const int n_squares = is_pair ? 2 : 1;
              const uint32_t position = start[now].z;
              const auto multiply_all = [&] (const uint32_t (&weights)[2][4],
                                             const uint32_t (&c)[2 * G]) {
#pragma unroll
                for (int square = 0; square < n_squares; square++)
#pragma unroll
                  for (int g = 0; g < G; g++)
                    multiply (l.sums[square == 0 ? W.first[w] : W.second[w]][g],
                              weights[square], c[2 * g], c[2 * g + 1]);
              };

              if constexpr (C::IS_FULL)
                {
                  /* on their way while weights are made */
                  load_cells (cells[0], position, 0);
                  if (is_pair)
                    {
                      make_weights (high[0], low[0], pair0, start[now]);
                      make_weights (high[1], low[1], pair1, start[now]);
                    }
                  else
                    make_weights (high[0], low[0], single, start[now]);
                }
              else
                {
                  load_cells (cells[1 - now], start[1 - now].z, 0);
                  if (is_pair)
                    {
                      make_weights (high[0], pair0.x, pair0.y, start[now]);
                      make_weights (high[1], pair0.z, pair0.w, start[now]);
                    }
                  else
                    make_weights (high[0], single.x, single.y, start[now]);
                }
              start[now] = load_16 (s + 2 < N_STEPS
                                        ? starts + (s + 2) * 16
                                        : next_starts + (s + 2 - N_STEPS) * 16);
              if (HAS_PAIRS && w == W.n_pairs - 1)
                load_pair (s < W.n ? places + PLACE_BYTES : next_places);
              if (HAS_SINGLES && w == W.n - 1)
                load_single (s < W.n ? places + PLACE_BYTES : next_places);
              if constexpr (C::IS_FULL)
                {
                  if (G <= 4)
                    load_cells (cells[1], position, G);
                  multiply_all (high, cells[0]);
                  multiply_all (low, cells[0]);
                  if (G > 4)
                    load_cells (cells[1], position, G);
                  multiply_all (high, cells[1]);
                }
              else
                multiply_all (high, cells[now]);
            }
          starts = next_starts;
          places = next_places;
        }
      __syncwarp ();
      if (l.lane == 0)
        arrive (l.stage.empty (l.shared));
      l.stage = next;
    }
}

/* Stores the sums, or adds them to what is stored, and begins anew. */
template <class C>
static __device__ __forceinline__ void
store_sums (TensorLane<C> &l, const TlCudaBackprojectArgs &a, Index tile,
            bool is_first)
{
  const float unit = half_unit (*a.peak);
  const int x0 = tile.col * C::WIDTH
                 + 4 * C::N_ACROSS * (l.warp % C::N_WARPS_ACROSS)
                 + (l.lane >> 2) % 4;
  const int y0 = tile.row * C::HEIGHT
                 + 4 * C::N_DOWN * (l.warp / C::N_WARPS_ACROSS) + (l.lane >> 4);
  const int first_slice = 2 * (l.lane & 3);

#pragma unroll
  for (int m = 0; m < C::N_SQUARES; m++)
#pragma unroll
    for (int r = 0; r < 2; r++)
      {
        const size_t x = x0 + 4 * (m % C::N_ACROSS);
        const size_t y = y0 + 4 * (m / C::N_ACROSS) + 2 * r;

        if (x >= a.nx || y >= a.ny)
          continue;
#pragma unroll
        for (int g = 0; g < C::N_GROUPS; g++)
#pragma unroll
          for (int c = 0; c < 2; c++)
            {
              const int slice = g * GROUP_SLICES + first_slice + c;
              float *to = a.pixels + ((size_t)slice * a.ny + y) * a.nx + x;
              const float sum = l.sums[m][g][2 * r + c] * unit;

              if (slice >= a.n_slices)
                continue;
              if (is_first)
                *to = sum;
              else /* no other thread has the pixel: the order is the same */
                atomicAdd (to, sum);
            }
      }
#pragma unroll
  for (int m = 0; m < C::N_SQUARES; m++)
#pragma unroll
    for (int g = 0; g < C::N_GROUPS; g++)
#pragma unroll
      for (int c = 0; c < 4; c++)
        l.sums[m][g][c] = 0.0f;
}

template <class C>
static __device__ __forceinline__ void
compute_tile (TensorLane<C> &l, const TlCudaBackprojectArgs &a,
              const TensorHead &head, Index tile)
{
  constexpr int MOST = C::IS_FULL ? N_BETWEEN / C::N_CHUNK : 1 << 30;
  bool is_first = true;

#pragma unroll 1
  for (int ray_class = 0; ray_class < N_CLASSES; ray_class++)
#pragma unroll 1
    for (int left = head.n_chunks[ray_class], n; left > 0; left -= n)
      {
        n = min (left, MOST);
        if (ray_class == 0)
          add_chunks<C, 0> (l, n);
        else if (ray_class == 1)
          add_chunks<C, 1> (l, n);
        else if (ray_class == 2)
          add_chunks<C, 2> (l, n);
        else
          add_chunks<C, 3> (l, n);
        if (C::IS_FULL)
          {
            store_sums<C> (l, a, tile, is_first);
            is_first = false;
          }
      }
  if (!C::IS_FULL)
    store_sums<C> (l, a, tile, true);
}

/* --- warps that feed --- */

/* Copies the segment of each ray and the places. A lane has the same ray of
 * every chunk. */
template <class C>
static __device__ __forceinline__ void
copy_chunk (const TlCudaBackprojectArgs &a, const TensorRay &ray, int first,
            const unsigned char *places, int place_bytes, uint32_t to,
            uint32_t full, int feeder, int lane)
{
  constexpr int GAP = TL_CUDA_CELL_GAP (TL_CUDA_LAYOUT_HALF8);
  constexpr int SEGMENT_BYTES = C::N_CELLS * C::CELL_BYTES;
  /* beside the row there are zeros, and nothing else is wanted there */
  const int begin = ray.row < 0 ? -GAP : max (-GAP, min (first, (int)a.n_cols));
  const uint4 *from = static_cast<const uint4 *> (a.cells)
                      + (size_t)max (ray.row, 0) * C::N_PARTS * a.cell_stride
                      + begin;

  if constexpr (C::IS_HOPPER)
    {
      if (feeder == 0 && lane == 0)
        {
          expect_bytes (full, C::PLACES + place_bytes);
          copy_bytes (to + C::PLACES, places, place_bytes, full);
        }
      /* the threads of a warp start their copies one after another, so all
       * warps take some */
      for (int part = feeder + lane / C::N_CHUNK * N_FEEDERS; part < C::N_PARTS;
           part += WARP / C::N_CHUNK * N_FEEDERS)
        copy_bytes (to + (lane % C::N_CHUNK) * C::RAY_BYTES
                        + part * SEGMENT_BYTES,
                    from + (ray.row < 0 ? 0 : part * a.cell_stride),
                    SEGMENT_BYTES, full);
    }
  else
    {
      for (int q = 0; q < C::N_CHUNK; q++)
        {
          const uint4 *row = reinterpret_cast<const uint4 *> (
              __shfl_sync (~0u, (unsigned long long)from, q));
          const bool is_ray = __shfl_sync (~0u, ray.row, q) >= 0;

          for (int k = feeder * WARP + lane; k < C::N_PARTS * C::N_CELLS;
               k += N_FEEDERS * WARP)
            copy_16 (to + q * C::RAY_BYTES + k * C::CELL_BYTES,
                     row + (is_ray ? k / C::N_CELLS * a.cell_stride : 0)
                         + k % C::N_CELLS);
        }
      for (int k = feeder * WARP + lane; k < place_bytes / 16;
           k += N_FEEDERS * WARP)
        copy_16 (to + C::PLACES + k * 16, places + k * 16);
      arrive_with_copies (full);
    }
}

/* Finds for each window of the lane's ray the cell before which it begins, and
 * u. */
template <class C>
static __device__ __forceinline__ void
find_starts (const TensorRay &ray, double h, int first, int ray_class,
             const TensorStage<C> &stage, uint32_t shared, int feeder, int lane)
{
  const int q = lane % C::N_CHUNK;
  const int n_windows = C::count_windows (ray_class);
  const uint32_t starts = shared + stage.number * C::STAGE_BYTES + C::STARTS
                          + (q / 2) * n_windows * 16;
  const int base = (stage.number * C::STAGE_BYTES + q * C::RAY_BYTES) / 16;
  const float rest = (float)(h - first), a = (float)ray.a, b = (float)ray.b;

#pragma unroll 1
  for (int r = feeder * (WARP / C::N_CHUNK) + lane / C::N_CHUNK;
       r < C::N_WARPS * n_windows; r += N_FEEDERS * WARP / C::N_CHUNK)
    {
      const uint4 middle =
          load_16 (shared + C::MIDDLES
                   + (ray_class * C::N_WARPS * C::N_WINDOWS + r) * 16);
      const float x = __uint_as_float (middle.x);
      const float y = __uint_as_float (middle.y);
      const float reach = middle.z ? ray.single_reach : ray.pair_reach;
      const uint32_t to = starts + middle.w;
      int whole;

      if constexpr (C::IS_FULL)
        {
          const double v = (h - first) + (x * ray.a + (y * ray.b - reach));

          whole = (int)floor (v);
          store_4 (to + q % 2 * 4, __float_as_uint ((float)(v - whole)));
        }
      else
        {
          const float v = rest + x * a + y * b - reach;
          const float u = v - floorf (v);

          whole = (int)floorf (v);
          store_4 (to + q % 2 * 4, to_half2 (u, u - 1.0f));
        }
      store_2 (to + 8 + q % 2 * 2, base + whole);
    }
}

template <class C>
static __device__ __forceinline__ void
feed (const TlCudaBackprojectArgs &a, uint32_t shared, int feeder, int lane)
{
  const TensorTables<C> tables (a.tables, a.n_rays);
  const int n_across = (int)ceil_div (a.nx, C::WIDTH);
  const int n_tiles = n_across * (int)ceil_div (a.ny, C::HEIGHT);
  const TensorHead head = *tables.head;
  const int n_chunks =
      head.n_chunks[0] + head.n_chunks[1] + head.n_chunks[2] + head.n_chunks[3];
  /* a fresh barrier is taken for one whose phase 1 is over */
  TensorStage<C> stage = { 0, 1 };
  /* read one chunk ahead */
  const TensorRay *rays = tables.rays + lane % C::N_CHUNK;
  TensorRay next = rays[0];

  for (int t = blockIdx.x; t < n_tiles; t += gridDim.x)
    {
      const int col = t % n_across * C::WIDTH, row = t / n_across * C::HEIGHT;
      int ray_class = 0, end = head.n_chunks[0];

      for (int chunk = 0; chunk < n_chunks; chunk++)
        {
          while (chunk == end)
            end += head.n_chunks[++ray_class];
          const TensorRay ray = next;

          next = rays[(chunk + 1 == n_chunks ? 0 : chunk + 1) * C::N_CHUNK];
          const uint32_t full = stage.full (shared);
          const double h = ray.origin + col * ray.a + row * ray.b;
          const int first = (int)floor (h + fmin (0.0, (C::WIDTH - 1) * ray.a)
                                        + fmin (0.0, (C::HEIGHT - 1) * ray.b))
                            - 1;

          wait_for<C::IS_HOPPER> (stage.empty (shared), stage.parity);
          copy_chunk<C> (a, ray, first, tables.find_places (chunk),
                         C::N_CHUNK / 2 * C::get_place_bytes (ray_class),
                         shared + stage.number * C::STAGE_BYTES, full, feeder,
                         lane);
          find_starts<C> (ray, h, first, ray_class, stage, shared, feeder,
                          lane);
          __syncwarp ();
          if (lane == 0)
            arrive (full);
          stage = stage.next ();
        }
    }
}

/* --- the kernel --- */

template <class C>
static __device__ __forceinline__ void
compute (const TlCudaBackprojectArgs &a, uint32_t shared, int warp, int lane)
{
  const TensorHead head = *TensorTables<C> (a.tables, a.n_rays).head;
  const int n_across = (int)ceil_div (a.nx, C::WIDTH);
  const int n_tiles = n_across * (int)ceil_div (a.ny, C::HEIGHT);
  /* ldmatrix: lanes 0 to 7 give the rows of ray p, 8 to 15 those of p + 1, 16
   * to 31 the same of the next part */
  TensorLane<C> l = {
    shared,
    warp,
    lane,
    shared + (lane & 7) * 16
        + (C::N_PARTS > 1 ? (lane >> 4) * C::N_CELLS * C::CELL_BYTES : 0),
    (lane & 8) ? 0x1000u : 0x10u,
    { 0, 0 },
    {},
  };

  for (int t = blockIdx.x; t < n_tiles; t += gridDim.x)
    compute_tile<C> (l, a, head, { t % n_across, t / n_across });
}

template <class C>
static __device__ __forceinline__ void
run_block (const TlCudaBackprojectArgs &a, unsigned char *memory)
{
  const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
  const uint32_t shared = (uint32_t)__cvta_generic_to_shared (memory);
  const TensorTables<C> tables (a.tables, a.n_rays);

  if (threadIdx.x == 0)
    {
      /* arrivals: Hopper's one counts bytes, elsewhere each thread has one */
      for (int s = 0; s < C::N_STAGES; s++)
        {
          const TensorStage<C> stage = { s, 0 };

          init_barrier (stage.full (shared),
                        N_FEEDERS + (C::IS_HOPPER ? 1 : N_FEEDERS * WARP));
          init_barrier (stage.empty (shared), C::N_WARPS);
        }
      if constexpr (C::IS_HOPPER)
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
  for (int k = threadIdx.x; k < TensorTables<C>::N_MIDDLES; k += C::N_THREADS)
    reinterpret_cast<uint4 *> (memory + C::MIDDLES)[k] = tables.middles[k];
  __syncthreads ();
  if (warp >= C::N_WARPS)
    {
      if constexpr (C::IS_HOPPER)
        give_registers<C::FEWER_REGISTERS> ();
      feed<C> (a, shared, warp - C::N_WARPS, lane);
    }
  else
    {
      if constexpr (C::IS_HOPPER)
        take_registers<C::MORE_REGISTERS> ();
      compute<C> (a, shared, warp, lane);
    }
}
