/* The stage "back-project": for the pixel (x, y) the sum over projections of
 *
 *   (1 - w) q[i] + w q[i + 1]    i = floor (h), w = h - i       linear
 *   q[floor (h + 1/2)]                                          nearest
 *   as linear at floor (4 h + 1/2) / 4                          oversampled
 *   sum of c[i + k] B3 (w - k), k = -1 .. 2                     cubic
 *
 * with h = axis + x cos t + y sin t and q the filtered row, for cubic c its
 * coefficients (gpu/backend/backend.h), 0 outside.
 *
 * A tile of TILE_ROWS x TILE_COLS pixels is one work item. A batch of
 * projections is summed for the whole tile before the next batch. So the few
 * columns that the tile needs from the batch stay in the first-level cache, and
 * each float sum has few terms of similar size.
 *
 * Along a row of pixels, h increases by the same step from pixel to pixel. For
 * every block of LANES pixels, the coordinate is computed in double and split
 * into a whole column, where the window of the block begins, and a fraction.
 * The offsets of the pixels in the block are split likewise. So floats hold
 * fractions only, and the weights are exact to 2^-23 in rows of any length. If
 * the step is small enough, a window fits into one or two registers, and a
 * permutation takes both samples of a pixel from there, which is faster than a
 * gather from memory. Cubic needs four samples per pixel and always gathers.
 *
 * A slice is a plane at the height of its row. Each row of pixels of a plane is
 * swept through the detector row above it and through the one below, and the
 * two sums are added with their weights. Where the height changes along the
 * pixels, each pixel reads rows of its own, which needs a gather.
 *
 * Nearest and oversampled round down as linear does; before that, half a column
 * or an eighth of a column is added to the first coordinate of the row.
 */
#include "gpu/host/host-private.h"

#include <math.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define LANES 16
#define TILE_BLOCKS 8
#define TILE_COLS (TILE_BLOCKS * LANES)
#define TILE_ROWS 16
#define BATCH 64

/* The input of one sweep: a row of TILE_COLS pixels and a batch of projections.
 */
typedef struct
{
  const float *rows; /* column 0 of the first projection */
  size_t stride;
  int n_cols;
  const double *cosines, *sines;
  size_t n_projections;
  /* (nullable) [TILE_COLS]: from rows to the row of each pixel. */
  const ptrdiff_t *offsets;
  double x, y;           /* of the first pixel */
  double step_x, step_y; /* to the next pixel */
  double axis_col;
  TlInterpolation interpolation;
} Sweep;

typedef void (*SweepFunc) (const Sweep *sweep, float *sums);

/* The largest fraction below 1 in float. Rounding to 1 must be avoided: the
 * window would have to be one column wider. */
#define MAX_PART 0x1.fffffep-1f

/* The positions of a block's pixels in its window. */
typedef struct
{
  int wholes[LANES];
  float parts[LANES];
} Offsets;

/* Returns: what is added to a coordinate before rounding down: half the
 * distance between the positions of @interpolation. */
static inline double
get_rounding (TlInterpolation interpolation)
{
  return interpolation == TL_INTERPOLATION_NEAREST       ? 0.5
         : interpolation == TL_INTERPOLATION_OVERSAMPLED ? 0.125
                                                         : 0.0;
}

/* Computes step and offsets for projection @p. Returns: the lowest coordinate
 * in the first block, where the window of the block begins. */
static inline __attribute__ ((always_inline)) double
begin_projection (const Sweep *s, size_t p, int lanes, double *step,
                  Offsets *offsets)
{
  const double cosine = s->cosines[p], sine = s->sines[p];
  const double to_lowest = MIN (0.0, (lanes - 1) * s->step_x * cosine
                                         + (lanes - 1) * s->step_y * sine);

  *step = s->step_x * cosine + s->step_y * sine;
  for (int k = 0; k < lanes; k++)
    {
      const double offset = k * *step - to_lowest;

      offsets->wholes[k] = (int)offset;
      offsets->parts[k] = MIN ((float)(offset - offsets->wholes[k]), MAX_PART);
    }
  return s->axis_col + s->x * cosine + s->y * sine + to_lowest
         + get_rounding (s->interpolation);
}

/* Returns: the value of @row at column @at + @u, 0 <= u < 1. */
static inline __attribute__ ((always_inline)) float
get_value (const float *row, int at, float u, TlInterpolation interpolation)
{
  const float rest = 1.0f - u;

  if (interpolation == TL_INTERPOLATION_NEAREST)
    return row[at];
  if (interpolation == TL_INTERPOLATION_CUBIC)
    return (rest * rest * rest * row[at - 1] + u * u * u * row[at + 2])
               * (1.0f / 6.0f)
           + (2.0f / 3.0f - u * u * (1.0f - 0.5f * u)) * row[at]
           + (2.0f / 3.0f - rest * rest * (1.0f - 0.5f * rest)) * row[at + 1];
  if (interpolation == TL_INTERPOLATION_OVERSAMPLED)
    u = 0.25f * (float)(int)(4.0f * u);
  return row[at] + u * (row[at + 1] - row[at]);
}

/* Works for any step on any processor; the compiler vectorises the loop.
 * @is_steep: whether there are offsets */
static inline __attribute__ ((always_inline)) void
sweep_generic (const Sweep *s, float *restrict sums,
               TlInterpolation interpolation, gboolean is_steep)
{
  for (size_t p = 0; p < s->n_projections; p++)
    {
      const float *restrict row = s->rows + p * s->stride;
      Offsets offsets;
      double step;

      double h = begin_projection (s, p, LANES, &step, &offsets);
      for (int block = 0; block < TILE_BLOCKS; block++)
        {
          const double first = floor (h + block * (LANES * step));
          const float part = (float)(h + block * (LANES * step) - first);
          const int i0 = (int)first;

          for (int k = 0; k < LANES; k++)
            {
              const float u = part + offsets.parts[k];
              const int i = (int)u;
              int at = i0 + offsets.wholes[k] + i;

              /* Beyond these columns all samples are zeros of the margin. */
              at = at < -3 ? -3 : at;
              at = at > s->n_cols + 1 ? s->n_cols + 1 : at;
              sums[block * LANES + k] += get_value (
                  row + (is_steep ? s->offsets[block * LANES + k] : 0), at,
                  u - (float)i, interpolation);
            }
        }
    }
}

/* Compiles a copy of @sweep_any for each interpolation. */
#define SPECIALISE(sweep_any, sweep, sums)                                     \
  do                                                                           \
    if ((sweep)->interpolation == TL_INTERPOLATION_NEAREST)                    \
      sweep_any (sweep, sums, TL_INTERPOLATION_NEAREST);                       \
    else if ((sweep)->interpolation == TL_INTERPOLATION_OVERSAMPLED)           \
      sweep_any (sweep, sums, TL_INTERPOLATION_OVERSAMPLED);                   \
    else if ((sweep)->interpolation == TL_INTERPOLATION_CUBIC)                 \
      sweep_any (sweep, sums, TL_INTERPOLATION_CUBIC);                         \
    else                                                                       \
      sweep_any (sweep, sums, TL_INTERPOLATION_LINEAR);                        \
  while (0)

static inline __attribute__ ((always_inline)) void
sweep_level (const Sweep *s, float *sums, TlInterpolation interpolation)
{
  sweep_generic (s, sums, interpolation, FALSE);
}

static inline __attribute__ ((always_inline)) void
sweep_steep (const Sweep *s, float *sums, TlInterpolation interpolation)
{
  sweep_generic (s, sums, interpolation, TRUE);
}

static void
sweep_plain (const Sweep *sweep, float *sums)
{
  if (sweep->offsets != NULL)
    SPECIALISE (sweep_steep, sweep, sums);
  else
    SPECIALISE (sweep_level, sweep, sums);
}

#if defined(__x86_64__)

__attribute__ ((target ("avx2,fma"))) static void
sweep_gather (const Sweep *sweep, float *sums)
{
  if (sweep->offsets != NULL)
    SPECIALISE (sweep_steep, sweep, sums);
  else
    SPECIALISE (sweep_level, sweep, sums);
}

/* --- AVX2: windows of 8 pixels in one register --- */

#define AVX2 __attribute__ ((target ("avx2,fma"), always_inline)) static inline

#define HALF_LANES 8

/* With steps up to this, the last of HALF_LANES pixels lies less than
 * HALF_LANES columns from the beginning of the window. */
#define MAX_HALF_WINDOW_STEP 1.0

/* Computes for HALF_LANES blocks at once the first column of each window and
 * the fraction of the lowest coordinate, which stays below 1 after rounding.
 * Windows that lie wholly outside the row are moved to the zero margin. */
AVX2 void
begin_half_blocks (double h, double step, int n_cols, int *begins, float *parts)
{
  for (int i = 0; i < HALF_LANES; i += 4)
    {
      const __m256d block = _mm256_setr_pd (i, i + 1, i + 2, i + 3);
      const __m256d at = _mm256_fmadd_pd (
          block, _mm256_set1_pd (HALF_LANES * step), _mm256_set1_pd (h));
      const __m256d first = _mm256_floor_pd (at);
      const __m128 part = _mm256_cvtpd_ps (_mm256_sub_pd (at, first));
      __m128i begin = _mm256_cvttpd_epi32 (first);

      begin = _mm_max_epi32 (begin, _mm_set1_epi32 (-(HALF_LANES + 2)));
      begin = _mm_min_epi32 (begin, _mm_set1_epi32 (n_cols));
      _mm_storeu_si128 ((__m128i *)(begins + i), begin);
      _mm_storeu_ps (parts + i, _mm_min_ps (part, _mm_set1_ps (MAX_PART)));
    }
}

AVX2 __m256
add_half_block (__m256 sum, const float *window, float part, __m256i wholes,
                __m256 parts, TlInterpolation interpolation)
{
  const __m256 u = _mm256_add_ps (parts, _mm256_set1_ps (part));
  const __m256i whole = _mm256_cvttps_epi32 (u);
  const __m256i i = _mm256_add_epi32 (wholes, whole);
  const __m256 left = _mm256_permutevar8x32_ps (_mm256_loadu_ps (window), i);

  sum = _mm256_add_ps (sum, left);
  if (interpolation == TL_INTERPOLATION_NEAREST)
    return sum;
  __m256 right = _mm256_permutevar8x32_ps (_mm256_loadu_ps (window + 1), i);
  __m256 w = _mm256_sub_ps (u, _mm256_cvtepi32_ps (whole));
  if (interpolation == TL_INTERPOLATION_OVERSAMPLED)
    w = _mm256_mul_ps (
        _mm256_floor_ps (_mm256_mul_ps (w, _mm256_set1_ps (4.0f))),
        _mm256_set1_ps (0.25f));
  return _mm256_fmadd_ps (w, _mm256_sub_ps (right, left), sum);
}

/* Sums HALF_LANES blocks of HALF_LANES pixels: as many as the registers can
 * hold. */
AVX2 void
sweep_half_windows (const Sweep *s, float *sums, TlInterpolation interpolation)
{
  __m256 sum[HALF_LANES];

  for (int block = 0; block < HALF_LANES; block++)
    sum[block] = _mm256_loadu_ps (sums + block * HALF_LANES);
  for (size_t p = 0; p < s->n_projections; p++)
    {
      const float *row = s->rows + p * s->stride;
      float parts[HALF_LANES];
      int begins[HALF_LANES];
      Offsets offsets;
      double step;
      __m256i wholes;

      double h = begin_projection (s, p, HALF_LANES, &step, &offsets);
      begin_half_blocks (h, step, s->n_cols, begins, parts);
      wholes = _mm256_loadu_si256 ((const __m256i *)offsets.wholes);
      __m256 fractions = _mm256_loadu_ps (offsets.parts);
#pragma GCC unroll 8
      for (int block = 0; block < HALF_LANES; block++)
        sum[block] =
            add_half_block (sum[block], row + begins[block], parts[block],
                            wholes, fractions, interpolation);
    }
  for (int block = 0; block < HALF_LANES; block++)
    _mm256_storeu_ps (sums + block * HALF_LANES, sum[block]);
}

__attribute__ ((target ("avx2,fma"))) static void
sweep_avx2 (const Sweep *sweep, float *sums)
{
  Sweep part = *sweep;

  for (int col = 0; col < TILE_COLS; col += HALF_LANES * HALF_LANES)
    {
      part.x = sweep->x + col * sweep->step_x;
      part.y = sweep->y + col * sweep->step_y;
      SPECIALISE (sweep_half_windows, &part, sums + col);
    }
}

/* --- AVX-512: windows of 16 pixels in two registers --- */

#define AVX512                                                                 \
  __attribute__ ((target ("avx512f,avx512dq,avx512vl,fma"),                    \
                  always_inline)) static inline

/* The largest step for which LANES pixels fit into the window of 2 * LANES
 * columns: (2 * LANES - 1) / (LANES - 1) is 2.07, reduced for the fraction at
 * the beginning of the window. */
#define MAX_WINDOW_STEP 2.0

/* As begin_half_blocks(), for all blocks at once. */
AVX512 void
begin_blocks (double h, double step, int n_cols, int *begins, float *parts)
{
  const __m512d block = _mm512_setr_pd (0, 1, 2, 3, 4, 5, 6, 7);
  const __m512d at = _mm512_fmadd_pd (block, _mm512_set1_pd (LANES * step),
                                      _mm512_set1_pd (h));
  const __m512d first =
      _mm512_roundscale_pd (at, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
  __m256i begin = _mm512_cvttpd_epi32 (first);

  begin = _mm256_max_epi32 (begin, _mm256_set1_epi32 (-(2 * LANES + 2)));
  begin = _mm256_min_epi32 (begin, _mm256_set1_epi32 (n_cols));
  _mm256_storeu_si256 ((__m256i *)begins, begin);
  _mm256_storeu_ps (parts, _mm512_cvtpd_ps (_mm512_sub_pd (at, first)));
}

AVX512 __m512
add_block (__m512 sum, const float *window, float part, __m512i wholes,
           __m512 parts, TlInterpolation interpolation)
{
  const __m512 u = _mm512_add_ps (parts, _mm512_set1_ps (part));
  const __m512i whole = _mm512_cvttps_epi32 (u);
  const __m512i i = _mm512_add_epi32 (wholes, whole);
  const __m512 left = _mm512_permutex2var_ps (_mm512_loadu_ps (window), i,
                                              _mm512_loadu_ps (window + LANES));

  sum = _mm512_add_ps (sum, left);
  if (interpolation == TL_INTERPOLATION_NEAREST)
    return sum;
  __m512 right = _mm512_permutex2var_ps (_mm512_loadu_ps (window + 1), i,
                                         _mm512_loadu_ps (window + 1 + LANES));
  __m512 w = _mm512_sub_ps (u, _mm512_cvtepi32_ps (whole));
  if (interpolation == TL_INTERPOLATION_OVERSAMPLED)
    w = _mm512_roundscale_ps (w,
                              2 << 4 | _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
  return _mm512_fmadd_ps (w, _mm512_sub_ps (right, left), sum);
}

AVX512 void
sweep_windows (const Sweep *s, float *sums, TlInterpolation interpolation)
{
  __m512 sum[TILE_BLOCKS];

  for (int block = 0; block < TILE_BLOCKS; block++)
    sum[block] = _mm512_loadu_ps (sums + block * LANES);
  for (size_t p = 0; p < s->n_projections; p++)
    {
      const float *row = s->rows + p * s->stride;
      float parts[TILE_BLOCKS];
      int begins[TILE_BLOCKS];
      Offsets offsets;
      double step;
      __m512i wholes;

      double h = begin_projection (s, p, LANES, &step, &offsets);
      begin_blocks (h, step, s->n_cols, begins, parts);
      wholes = _mm512_loadu_si512 (offsets.wholes);
      __m512 fractions = _mm512_loadu_ps (offsets.parts);
#pragma GCC unroll 8
      for (int block = 0; block < TILE_BLOCKS; block++)
        sum[block] = add_block (sum[block], row + begins[block], parts[block],
                                wholes, fractions, interpolation);
    }
  for (int block = 0; block < TILE_BLOCKS; block++)
    _mm512_storeu_ps (sums + block * LANES, sum[block]);
}

__attribute__ ((target ("avx512f,avx512dq,avx512vl,fma"))) static void
sweep_avx512 (const Sweep *sweep, float *sums)
{
  SPECIALISE (sweep_windows, sweep, sums);
}

/* @pitch: the largest step along a row of pixels, @is_steep: whether their
 * height changes */
static SweepFunc
choose_sweep (TlHostSimd simd, double pitch, gboolean is_steep,
              TlInterpolation interpolation)
{
  const gboolean gathers = is_steep || interpolation == TL_INTERPOLATION_CUBIC;

  if (simd >= TL_HOST_SIMD_AVX512 && pitch <= MAX_WINDOW_STEP && !gathers)
    return sweep_avx512;
  if (simd >= TL_HOST_SIMD_AVX2)
    return pitch <= MAX_HALF_WINDOW_STEP && !gathers ? sweep_avx2
                                                     : sweep_gather;
  return sweep_plain;
}

TlHostSimd
tl_host_simd_detect (void)
{
  if (!__builtin_cpu_supports ("avx2") || !__builtin_cpu_supports ("fma"))
    return TL_HOST_SIMD_PLAIN;
  if (!__builtin_cpu_supports ("avx512f")
      || !__builtin_cpu_supports ("avx512dq")
      || !__builtin_cpu_supports ("avx512vl"))
    return TL_HOST_SIMD_AVX2;
  return TL_HOST_SIMD_AVX512;
}

#else

static SweepFunc
choose_sweep (TlHostSimd simd, double pitch, gboolean is_steep,
              TlInterpolation interpolation)
{
  return sweep_plain;
}

TlHostSimd
tl_host_simd_detect (void)
{
  return TL_HOST_SIMD_PLAIN;
}

#endif

const char *
tl_host_simd_name (TlHostSimd simd)
{
  static const char *const names[] = { "no AVX2", "AVX2", "AVX-512" };

  return names[simd];
}

typedef struct
{
  TlHost *host;
  TlPlane plane; /* of the first slice; the others follow row by row */
  double axis_col;
  TlInterpolation interpolation;
  float *pixels;
  SweepFunc sweep;
  size_t n_tiles_y, n_tiles_x;
  GCancellable *cancellable;
} Work;

/* The detector rows above or below a row of pixels. */
typedef struct
{
  float weights[TILE_COLS];     /* of each pixel; 0 where there is no row */
  ptrdiff_t offsets[TILE_COLS]; /* from row 0; only the first if all have the
                                   same height */
} Rows;

/* @z: of the first pixel, @side: 0: the rows above or at the pixels, 1: those
 * below. Returns: whether any row has a weight */
static gboolean
find_rows (const Work *work, double z, guint side, Rows *rows)
{
  const size_t n = work->plane.u[2] == 0.0 ? 1 : TILE_COLS;
  const size_t stride = work->host->n_projections * work->host->filtered_stride;
  gboolean found = FALSE;

  for (size_t col = 0; col < n; col++)
    {
      const double at = z + (double)col * work->plane.u[2];
      const double row = floor (at) + side;
      const gboolean is_there = row >= 0.0 && row < (double)work->host->n_rows;

      rows->weights[col] = is_there ? (float)(1.0 - fabs (at - row)) : 0.0f;
      rows->offsets[col] = is_there ? (ptrdiff_t)((size_t)row * stride) : 0;
      found |= rows->weights[col] > 0.0f;
    }
  for (size_t col = n; found && col < TILE_COLS; col++)
    rows->weights[col] = rows->weights[0];
  return found;
}

/* Adds the projections of @sweep to a row of TILE_COLS pixels at height @z. */
static void
add_row (const Work *work, double z, const Sweep *sweep, float *sums)
{
  for (guint side = 0; side < 2; side++)
    {
      Rows rows;

      if (!find_rows (work, z, side, &rows))
        continue;
      float batch[TILE_COLS] = { 0 };
      Sweep part = *sweep;
      if (work->plane.u[2] != 0.0)
        part.offsets = rows.offsets;
      else
        part.rows += rows.offsets[0];
      work->sweep (&part, batch);
      /* a row without weight may have values that are no numbers */
      for (size_t col = 0; col < TILE_COLS; col++)
        sums[col] += rows.weights[col] > 0 ? rows.weights[col] * batch[col] : 0;
    }
}

/* Sums all projections for one tile. @sums: [TILE_ROWS][TILE_COLS] */
static gboolean
sum_tile (const Work *work, size_t slice, size_t y0, size_t x0, size_t n_rows,
          float *sums)
{
  const TlHost *host = work->host;
  const TlPlane *plane = &work->plane;
  const double *cosines = host->angles.data;
  const double cols = (double)x0;
  Sweep sweep = {
    .stride = host->filtered_stride,
    .n_cols = (int)host->row_cols,
    .step_x = plane->u[0],
    .step_y = plane->u[1],
    .axis_col = work->axis_col,
    .interpolation = work->interpolation,
  };

  memset (sums, 0, TILE_ROWS * TILE_COLS * sizeof (float));
  for (size_t p = 0; p < host->n_projections; p += BATCH)
    {
      if (g_cancellable_is_cancelled (work->cancellable))
        return FALSE;
      sweep.rows = (const float *)host->filtered.data
                   + p * host->filtered_stride + TL_HOST_MARGIN;
      sweep.cosines = cosines + p;
      sweep.sines = cosines + host->n_projections + p;
      sweep.n_projections = MIN (BATCH, host->n_projections - p);
      for (size_t row = 0; row < n_rows; row++)
        {
          const double down = (double)(y0 + row);

          sweep.x = plane->origin[0] + cols * plane->u[0] + down * plane->v[0];
          sweep.y = plane->origin[1] + cols * plane->u[1] + down * plane->v[1];
          add_row (work,
                   (double)slice + plane->origin[2] + cols * plane->u[2]
                       + down * plane->v[2],
                   &sweep, sums + row * TILE_COLS);
        }
    }
  return TRUE;
}

static void
backproject_tile (size_t item, guint worker, gpointer data)
{
  const Work *work = data;
  const TlPlane *plane = &work->plane;
  const size_t slice = item / (work->n_tiles_y * work->n_tiles_x);
  const size_t y0 = item / work->n_tiles_x % work->n_tiles_y * TILE_ROWS;
  const size_t x0 = item % work->n_tiles_x * TILE_COLS;
  const size_t n_rows = MIN (TILE_ROWS, plane->ny - y0);
  const size_t n_cols = MIN (TILE_COLS, plane->nx - x0);
  float sums[TILE_ROWS * TILE_COLS];

  if (!sum_tile (work, slice, y0, x0, n_rows, sums))
    return;
  for (size_t row = 0; row < n_rows; row++)
    memcpy (work->pixels + (slice * plane->ny + y0 + row) * plane->nx + x0,
            sums + row * TILE_COLS, n_cols * sizeof (float));
}

/* @pixels: (out): [@n_slices][ny][nx] of the plane, each slice one row below
 * the one before */
static gboolean
backproject (TlHost *host, const TlPlaneArgs *args, size_t n_slices,
             float *pixels, GCancellable *cancellable, GError **error)
{
  const TlPlane *plane = &args->plane;
  const TlInterpolation interpolation = args->variant->interpolation;
  Work work = {
    .host = host,
    .plane = *plane,
    .axis_col = args->axis_col,
    .interpolation = interpolation,
    .pixels = pixels,
    .sweep = choose_sweep (host->simd, hypot (plane->u[0], plane->u[1]),
                           plane->u[2] != 0.0, interpolation),
    .n_tiles_y = (plane->ny + TILE_ROWS - 1) / TILE_ROWS,
    .n_tiles_x = (plane->nx + TILE_COLS - 1) / TILE_COLS,
    .cancellable = cancellable,
  };

  tl_host_pool_run (host->pool, n_slices * work.n_tiles_y * work.n_tiles_x,
                    backproject_tile, &work);
  return !g_cancellable_set_error_if_cancelled (cancellable, error);
}

gboolean
tl_host_backproject (TlHost *host, const TlBackprojectArgs *args, float *pixels,
                     GCancellable *cancellable, GError **error)
{
  const TlPlaneArgs slices = { args->variant, args->axis_col,
                               tl_plane_xy (&args->grid, 0.0) };

  return backproject (host, &slices, host->n_rows, pixels, cancellable, error);
}

gboolean
tl_host_backproject_plane (TlHost *host, const TlPlaneArgs *args, float *pixels,
                           GCancellable *cancellable, GError **error)
{
  return backproject (host, args, 1, pixels, cancellable, error);
}
