/* Warps that compute: weights, products and sums. */
#pragma once

#include "gpu/cuda/tensor/barriers.cuh"
#include "gpu/cuda/tensor/config.cuh"
#include "gpu/cuda/tensor/instructions.cuh"
#include "gpu/cuda/tensor/tables.cuh"

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

  meet<C::N_THREADS> ();
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
                  meet<C::N_THREADS> ();
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
