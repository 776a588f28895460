/* Warps that feed: they copy rows and places to the stages, and find where
 * windows begin. */
#pragma once

#include "gpu/cuda/tensor/barriers.cuh"
#include "gpu/cuda/tensor/config.cuh"
#include "gpu/cuda/tensor/instructions.cuh"
#include "gpu/cuda/tensor/tables.cuh"

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
          meet<C::N_THREADS> ();
          stage = stage.next ();
        }
    }
}
