/* The stage "back-project" of the Fourier method. With Q_p[k] the transform of
 * the filtered row of projection p and L its length, the sum over projections
 * of the rows' trigonometric interpolation is
 *
 *   f(x, y) = sum over p, k of Q_p[k] / L exp (2 pi i k h / L)
 *   h = axis + x cos t + y sin t
 *
 * which is a transform from points on rays, k / L (cos t, sin t), to the pixels
 * of a grid. It is computed as in Fourmont, Non-equispaced fast Fourier
 * transforms with applications to tomography, J. Fourier Anal. Appl. 9 (2003)
 * 431, and Barnett, Magland, af Klinteberg, A parallel nonuniform fast Fourier
 * transform library, SIAM J. Sci. Comput. 41 (2019) C479: every point is spread
 * over the WIDTH x WIDTH nearest cells of a finer grid, the grid is transformed
 * by FFTs, and the picture is divided by the transform of the spreading kernel.
 * The kernel is that of Kaiser and Bessel,
 *
 *   K (z) = I0 (beta sqrt (1 - (2 z / WIDTH)^2)),    |z| < WIDTH / 2
 *   transform: WIDTH sinh (s) / s,    s^2 = beta^2 - (pi WIDTH f)^2
 *
 * The grid has twice as many cells as pixels in either direction. Then a
 * picture repeats itself only at twice its width, and WIDTH = 7 leaves an error
 * of 1.4e-7, below the rounding of floats (1.6e-6 together, of Gaussians in 512
 * columns).
 *
 * The picture is real, so rays are turned into the half u >= 0 of the grid, and
 * only this half is transformed.
 *
 * A work item is a strip of grid columns. It takes all points that touch the
 * strip, those near its edges too, so that strips share no cell, need no lock
 * and give the same result with any number of threads. Rays are sorted by
 * direction: neighbours in a strip touch neighbouring cells, which stay in the
 * cache. The strip is transformed along v at once and only the rows of the
 * picture are kept, so that the fine grid is never in memory as a whole. */
#include "gpu/host/host-private.h"

#include "data/array.h"
#include "gpu/stages/fourier.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#define WIDTH 7
#define HALF (WIDTH / 2.0)

/* The taps of a kernel are computed in LANES lanes, of which the last ones are
 * 0. */
#define LANES 8

/* Degree of the polynomials for the kernel: their error is below 1e-7. */
#define DEGREE 9

/* Cells beside a column of the grid, of which kernels touch LANES at most; a
 * whole number of cache lines, because FFTW's plans need every column aligned
 * like the first one. */
#define MARGIN 16

/* Columns of the grid in a strip: with more of them, fewer points are spread in
 * two strips; with fewer, more threads have work. */
#define STRIP 32

#define LINES_PER_ITEM 16
#define ROWS_PER_ITEM 8

/* Points of a ray whose places are computed at once. */
#define CHUNK 64

/* Two floats for each lane: the real and the imaginary part of a cell. Memory
 * is accessed at any multiple of a float. */
typedef float Cells __attribute__ ((vector_size (2 * LANES * sizeof (float)),
                                    aligned (4), may_alias));
typedef float Taps
    __attribute__ ((vector_size (LANES * sizeof (float)), aligned (4)));
typedef double Pairs
    __attribute__ ((vector_size (LANES * sizeof (double)), aligned (4)));

/* A projection in the grid: point k is at k times the step, whose u is not
 * negative. */
typedef struct
{
  double step_u, step_v;
  gboolean is_turned; /* by half a turn; the values are conjugated */
  size_t projection;
} Ray;

struct TlHostFourier
{
  /* What the plans and tables are made for. */
  size_t ny, nx;
  size_t finer; /* pixels of the picture are every so many of the transform */

  /* Cells of the fine grid; of nu only 0 to nu / 2 is used. */
  size_t nu, nv;
  size_t n_strips;
  size_t strip_cols;        /* of the widest strip */
  size_t stride;            /* cells of a column in a strip */
  float *scale_x, *scale_y; /* [nx], [ny]: 1 / transform of the kernel */
  fftwf_plan along_u, along_v;

  TlHostBuffer rays;    /* Ray [n_projections], sorted by direction */
  TlHostBuffer samples; /* complex [n_projections][spectrum_stride] */
  TlHostBuffer strips;  /* complex [n_workers][strip_cols + 2 WIDTH][stride] */
  size_t half_stride;
  TlHostBuffer half; /* complex [ny][half_stride]: transformed along v */
  size_t line_stride;
  TlHostBuffer lines; /* float [n_workers][line_stride] */
};

void
tl_host_fourier_free (TlHostFourier *fourier)
{
  if (fourier->along_u != NULL)
    tl_host_plan_destroy (fourier->along_u);
  if (fourier->along_v != NULL)
    tl_host_plan_destroy (fourier->along_v);
  g_free (fourier->scale_x);
  g_free (fourier->scale_y);
  tl_host_buffer_clear (&fourier->rays);
  tl_host_buffer_clear (&fourier->samples);
  tl_host_buffer_clear (&fourier->strips);
  tl_host_buffer_clear (&fourier->half);
  tl_host_buffer_clear (&fourier->lines);
  g_free (fourier);
}

size_t
tl_host_fourier_get_memory (const TlHostFourier *fourier)
{
  return fourier->rays.bytes + fourier->samples.bytes + fourier->strips.bytes
         + fourier->half.bytes + fourier->lines.bytes;
}

/* --- the kernel --- */

static double
get_kernel (double z)
{
  const double u = z / HALF, beta = tl_fourier_get_beta (WIDTH);

  return tl_fourier_bessel (0, beta * sqrt (fmax (0.0, 1.0 - u * u)))
         / tl_fourier_bessel (0, beta);
}

/* @f: cycles per cell, so small that the root is real */
static double
get_kernel_transform (double f)
{
  const double turn = G_PI * WIDTH * f, beta = tl_fourier_get_beta (WIDTH);
  const double s = sqrt (beta * beta - turn * turn);

  return WIDTH * sinh (s) / (s * tl_fourier_bessel (0, beta));
}

/* The taps of a kernel as polynomials, highest power first. With d the distance
 * from the left end of the kernel to the first cell in it, tap i is the kernel
 * at i + d - HALF, and the variable is 2 d - 1. */
typedef struct
{
  Taps along_u[DEGREE + 1];
  Cells along_v[DEGREE + 1]; /* each tap twice */
} Polynomials;

/* @z: 2 d - 1; @tap: of int */
static double
get_tap (double z, gconstpointer tap)
{
  return get_kernel (*(const int *)tap + (z + 1.0) / 2.0 - HALF);
}

static void
fit_polynomials (Polynomials *polynomials)
{
  memset (polynomials, 0, sizeof *polynomials);
  for (int tap = 0; tap < WIDTH; tap++)
    {
      double powers[DEGREE + 1];

      tl_fourier_fit (get_tap, &tap, DEGREE + 1, powers);
      for (int i = 0; i <= DEGREE; i++)
        {
          const float power = (float)powers[DEGREE - i];

          polynomials->along_u[i][tap] = power;
          polynomials->along_v[i][2 * tap] = power;
          polynomials->along_v[i][2 * tap + 1] = power;
        }
    }
}

/* --- tables and memory --- */

/* Returns: (transfer full): [@n]: the factors of the pixels; @size: of the
 * grid */
static float *
make_scale (size_t n, size_t finer, size_t size, gboolean alternates)
{
  float *scale = g_new (float, n);

  for (size_t i = 0; i < n; i++)
    {
      const gint64 at = ((gint64)i - (gint64)(n / 2)) * (gint64)finer;
      const double value =
          1.0 / get_kernel_transform ((double)at / (double)size);

      scale[i] = (float)(alternates && at % 2 != 0 ? -value : value);
    }
  return scale;
}

static gboolean
make_plans (TlHostFourier *fourier, TlHostPool *pool, GError **error)
{
  const size_t n_workers = tl_host_pool_get_n_workers (pool);
  const size_t n_half = fourier->nu / 2 + 1;

  fourier->n_strips = MAX (n_half / STRIP, 1);
  fourier->strip_cols = (n_half + fourier->n_strips - 1) / fourier->n_strips;
  fourier->stride = fourier->nv + 2 * MARGIN;
  fourier->half_stride = tl_host_round_up (n_half, 8);
  fourier->line_stride = tl_host_round_up (fourier->nu, 16);
  if (!tl_host_buffer_resize (&fourier->strips, n_workers,
                              fourier->strip_cols + 2 * WIDTH, fourier->stride,
                              sizeof (fftwf_complex),
                              _ ("the strips of the Fourier transform"), error)
      || !tl_host_buffer_resize (&fourier->half, 1, fourier->ny,
                                 fourier->half_stride, sizeof (fftwf_complex),
                                 _ ("the Fourier transform of the slice"),
                                 error)
      || !tl_host_buffer_resize (&fourier->lines, 1, n_workers,
                                 fourier->line_stride, sizeof (float),
                                 _ ("a row for each thread"), error))
    return FALSE;
  fourier->along_v = tl_host_plan_complex (
      fourier->nv, (fftwf_complex *)fourier->strips.data + MARGIN, error);
  fourier->along_u =
      fourier->along_v != NULL ? tl_host_plan_to_real (
          fourier->nu, fourier->half.data, fourier->lines.data, error)
                               : NULL;
  return fourier->along_u != NULL;
}

/* Makes plans and tables for slices of the shape of @grid, unless they are
 * there. */
static gboolean
prepare (TlHost *host, const TlGrid *grid, size_t finer, GError **error)
{
  TlHostFourier *fourier = host->fourier;

  if (fourier != NULL && fourier->ny == grid->ny && fourier->nx == grid->nx
      && fourier->finer == finer)
    return TRUE;
  g_clear_pointer (&host->fourier, tl_host_fourier_free);
  fourier = g_new0 (TlHostFourier, 1);
  fourier->ny = grid->ny;
  fourier->nx = grid->nx;
  fourier->finer = finer;
  fourier->nv = tl_fourier_grid_length (finer * grid->ny);
  fourier->nu = tl_fourier_grid_length (finer * grid->nx);
  if (!make_plans (fourier, host->pool, error))
    {
      tl_host_fourier_free (fourier);
      return FALSE;
    }
  fourier->scale_x = make_scale (grid->nx, finer, fourier->nu, FALSE);
  fourier->scale_y = make_scale (grid->ny, finer, fourier->nv, TRUE);
  host->fourier = fourier;
  return TRUE;
}

static int
compare_rays (const void *a, const void *b)
{
  const Ray *first = a, *second = b;
  const double turn =
      first->step_v * second->step_u - second->step_v * first->step_u;

  if (turn != 0.0)
    return turn < 0.0 ? -1 : 1;
  return first->projection < second->projection ? -1 : 1;
}

static gboolean
make_rays (TlHost *host, const TlGrid *grid, GError **error)
{
  TlHostFourier *fourier = host->fourier;
  const double *cosines = host->angles.data;
  const double *sines = cosines + host->n_projections;
  const double cells =
      grid->pitch / (double)fourier->finer / (double)host->plan->length;

  if (!tl_host_buffer_resize (&fourier->rays, 1, 1, host->n_projections,
                              sizeof (Ray), _ ("the rays"), error))
    return FALSE;
  Ray *rays = fourier->rays.data;
  for (size_t p = 0; p < host->n_projections; p++)
    {
      const double side = cosines[p] < 0.0 ? -1.0 : 1.0;

      rays[p] =
          (Ray){ .step_u = side * cosines[p] * cells * (double)fourier->nu,
                 .step_v = side * sines[p] * cells * (double)fourier->nv,
                 .is_turned = side < 0.0,
                 .projection = p };
    }
  qsort (rays, host->n_projections, sizeof (Ray), compare_rays);
  return TRUE;
}

/* --- points --- */

typedef struct
{
  TlHost *host;
  TlHostFourier *fourier;
  const TlGrid *grid;
  double axis_col;
  size_t slice;
  size_t last; /* the highest frequency with a response other than 0 */
  Polynomials polynomials;
  float *pixels;
  GCancellable *cancellable;
} Work;

/* Frequencies of which the phase is computed in floats from one in doubles. */
#define PHASES 16

/* Computes the points of one ray: @spectrum times @factors, times the phase
 * that moves @col to 0. Frequency 0 and the Nyquist frequency count half,
 * because the others stand for their negatives too. */
static void
sample_ray (const Work *work, const Ray *ray, double col, const float *spectrum,
            const float *factors, float *samples)
{
  const double turn = col / (double)work->host->plan->length;
  const double complex step = cexp (2.0 * G_PI * I * PHASES * turn);
  double complex first = 1.0;
  const float sign = ray->is_turned ? -1.0f : 1.0f;
  float near[2 * PHASES];

  for (int i = 0; i < PHASES; i++)
    {
      const double complex phase = cexp (2.0 * G_PI * I * i * turn);

      near[2 * i] = (float)creal (phase);
      near[2 * i + 1] = (float)cimag (phase);
    }
  for (size_t k = 0; k <= work->last; k += PHASES, first *= step)
    {
      const float re = (float)creal (first), im = (float)cimag (first);

      for (size_t i = 0; i < 2 * MIN (PHASES, work->last + 1 - k); i += 2)
        {
          const float *s = spectrum + 2 * k + i, *f = factors + 2 * k + i;
          const float a = s[0] * f[0] - s[1] * f[1];
          const float b = s[0] * f[1] + s[1] * f[0];
          const float c = near[i] * re - near[i + 1] * im;
          const float d = near[i] * im + near[i + 1] * re;

          samples[2 * k + i] = a * c - b * d;
          samples[2 * k + i + 1] = sign * (a * d + b * c);
        }
    }
  samples[0] *= 0.5f;
  samples[1] *= 0.5f;
  if (2 * work->last == work->host->plan->length)
    {
      samples[2 * work->last] *= 0.5f;
      samples[2 * work->last + 1] *= 0.5f;
    }
}

static void
sample_rays (size_t item, guint worker, gpointer data)
{
  const Work *work = data;
  const TlHost *host = work->host;
  const TlGrid *grid = work->grid;
  const size_t end = MIN ((item + 1) * LINES_PER_ITEM, host->n_projections);
  const double *cosines = host->angles.data;
  /* The pixel to which the transform gives the place 0. */
  const double x = grid->x0 + (double)(grid->nx / 2) * grid->pitch;
  const double y = grid->y0 - (double)(grid->ny / 2) * grid->pitch;
  const fftwf_complex *factors =
      (const fftwf_complex *)host->factors.data
      + work->slice % host->n_shifts * (host->plan->length / 2 + 1);

  if (g_cancellable_is_cancelled (work->cancellable))
    return;
  for (size_t i = item * LINES_PER_ITEM; i < end; i++)
    {
      const Ray *ray = (const Ray *)work->fourier->rays.data + i;
      const size_t p = ray->projection;
      const size_t line = work->slice * host->n_projections + p;
      const double col = work->axis_col + x * cosines[p]
                         + y * cosines[host->n_projections + p];

      sample_ray (work, ray, col,
                  (const float *)((const fftwf_complex *)host->spectrum.data
                                  + line * host->spectrum_stride),
                  (const float *)factors,
                  (float *)((fftwf_complex *)work->fourier->samples.data
                            + i * host->spectrum_stride));
    }
}

/* --- spreading --- */

typedef struct
{
  const Work *work;
  size_t first, n_cols; /* columns of the grid */
  float *cells; /* complex [n_cols + 2 WIDTH][stride]; cell [WIDTH][MARGIN] is
                   the cell u = first, v = -nv / 2 */
} Strip;

/* The places of some points: their first cell, and the variables of the
 * polynomials. */
typedef struct
{
  int cells[CHUNK];
  float along_u[CHUNK], along_v[CHUNK];
} Places;

static inline __attribute__ ((always_inline)) void
find_places (const Strip *strip, const Ray *ray, size_t k, size_t n,
             Places *places)
{
  const TlHostFourier *fourier = strip->work->fourier;
  const double u0 = WIDTH - HALF - (double)strip->first;
  const double v0 = (double)(fourier->nv / 2) + MARGIN - HALF;
  const int stride = (int)fourier->stride;

  for (size_t i = 0; i < n; i++)
    {
      const double u = u0 + (double)(int)(k + i) * ray->step_u;
      const double v = v0 + (double)(int)(k + i) * ray->step_v;
      const int col = (int)u + 1, row = (int)v + 1;

      places->cells[i] = col * stride + row;
      places->along_u[i] = (float)(2.0 * (col - u) - 1.0);
      places->along_v[i] = (float)(2.0 * (row - v) - 1.0);
    }
}

static inline __attribute__ ((always_inline)) void
spread_point (const Polynomials *polynomials, const float *sample, float u,
              float v, float *cell, size_t stride)
{
  Taps taps = polynomials->along_u[0];
  Cells values = polynomials->along_v[0];
  float along_u[LANES];
  double pair;

  for (int i = 1; i <= DEGREE; i++)
    {
      taps = taps * u + polynomials->along_u[i];
      values = values * v + polynomials->along_v[i];
    }
  memcpy (along_u, &taps, sizeof along_u);
  memcpy (&pair, sample, sizeof pair);
  values *= (Cells)(Pairs){ pair, pair, pair, pair, pair, pair, pair, pair };
#pragma GCC unroll 8
  for (int i = 0; i < WIDTH; i++)
    *(Cells *)(cell + 2 * (size_t)i * stride) += values * along_u[i];
}

/* Spreads the points of all rays that touch the strip. */
static inline __attribute__ ((always_inline)) void
spread_strip (const Strip *strip)
{
  const Work *work = strip->work;
  const TlHostFourier *fourier = work->fourier;
  const Polynomials polynomials = work->polynomials;
  const double begin = (double)strip->first - HALF;
  const double end = (double)(strip->first + strip->n_cols - 1) + HALF;

  for (size_t r = 0; r < work->host->n_projections; r++)
    {
      const Ray *ray = (const Ray *)fourier->rays.data + r;
      const float *samples = (const float *)fourier->samples.data
                             + 2 * r * work->host->spectrum_stride;
      const double from = begin > 0.0 ? ceil (begin / ray->step_u) : 0.0;
      const double to = fmin (floor (end / ray->step_u), (double)work->last);

      if (!(from <= to))
        continue;
      for (size_t k = (size_t)from; k <= (size_t)to; k += CHUNK)
        {
          const size_t n = MIN (CHUNK, (size_t)to + 1 - k);
          Places places;

          find_places (strip, ray, k, n, &places);
          for (size_t i = 0; i < n; i++)
            spread_point (&polynomials, samples + 2 * (k + i),
                          places.along_u[i], places.along_v[i],
                          strip->cells + 2 * (size_t)places.cells[i],
                          fourier->stride);
        }
    }
}

static void
spread_plain (const Strip *strip)
{
  spread_strip (strip);
}

#if defined(__x86_64__)

__attribute__ ((target ("avx2,fma"))) static void
spread_avx2 (const Strip *strip)
{
  spread_strip (strip);
}

__attribute__ ((target ("avx512f,avx512dq,avx512vl,fma"))) static void
spread_avx512 (const Strip *strip)
{
  spread_strip (strip);
}

static void
spread (const Strip *strip)
{
  const TlHostSimd simd = strip->work->host->simd;

  if (simd >= TL_HOST_SIMD_AVX512)
    spread_avx512 (strip);
  else if (simd >= TL_HOST_SIMD_AVX2)
    spread_avx2 (strip);
  else
    spread_plain (strip);
}

#else

static void
spread (const Strip *strip)
{
  spread_plain (strip);
}

#endif

/* --- transforms --- */

/* Returns: (transfer none): the cells of column @col from v = -nv / 2 on */
static fftwf_complex *
get_column (const Strip *strip, ptrdiff_t col)
{
  const TlHostFourier *fourier = strip->work->fourier;

  return (fftwf_complex *)strip->cells + (size_t)(col + WIDTH) * fourier->stride
         + MARGIN;
}

/* Adds the cells beyond both ends of a column, which repeats itself, to the
 * cells that they stand for. */
static void
wrap_column (fftwf_complex *column, size_t n)
{
  for (size_t i = 0; i < MARGIN; i++)
    {
      column[i] += column[n + i];
      column[n - 1 - i] += column[-1 - (ptrdiff_t)i];
    }
}

/* Adds the mirror image of column @from to column @to: the points that are left
 * out are the negatives of those that are spread, with conjugate values. */
static void
mirror_column (const Strip *strip, ptrdiff_t from, ptrdiff_t to)
{
  const size_t n = strip->work->fourier->nv;
  const fftwf_complex *source = get_column (strip, from);
  fftwf_complex *dest = get_column (strip, to);

  for (size_t i = 0; i <= n / 2; i++)
    {
      const size_t other = (n - i) % n;
      const fftwf_complex a = conjf (source[other]), b = conjf (source[i]);

      dest[i] += a;
      if (other != i)
        dest[other] += b;
    }
}

/* Completes the columns at both ends of the half grid, where points of the
 * other half reach in. */
static void
mirror_ends (const Strip *strip)
{
  const size_t last = strip->work->fourier->nu / 2;
  const size_t end = strip->first + strip->n_cols;

  if (strip->first == 0)
    for (ptrdiff_t i = 0; i <= WIDTH / 2; i++)
      mirror_column (strip, -i, i);
  if (end == last + 1)
    for (ptrdiff_t i = 0; i <= WIDTH / 2; i++)
      mirror_column (strip, (ptrdiff_t)strip->n_cols - 1 + i,
                     (ptrdiff_t)strip->n_cols - 1 - i);
}

/* Transforms the columns of the strip and keeps the rows of the picture. */
static void
transform_strip (const Strip *strip)
{
  TlHostFourier *fourier = strip->work->fourier;
  const fftwf_complex *column = get_column (strip, 0);

  for (size_t col = 0; col < strip->n_cols; col++)
    {
      fftwf_complex *line = get_column (strip, (ptrdiff_t)col);

      fftwf_execute_dft (fourier->along_v, line, line);
    }
  for (size_t row = 0; row < fourier->ny; row++)
    {
      const size_t nv = fourier->nv;
      const size_t at =
          (row * fourier->finer + nv - fourier->ny / 2 * fourier->finer) % nv;
      const float scale = fourier->scale_y[row];
      fftwf_complex *dest = (fftwf_complex *)fourier->half.data
                            + row * fourier->half_stride + strip->first;

      for (size_t col = 0; col < strip->n_cols; col++)
        dest[col] = scale * column[col * fourier->stride + at];
    }
}

static void
make_strip (size_t item, guint worker, gpointer data)
{
  const Work *work = data;
  const TlHostFourier *fourier = work->fourier;
  const size_t n_half = fourier->nu / 2 + 1;
  const size_t first = n_half * item / fourier->n_strips;
  const size_t end = n_half * (item + 1) / fourier->n_strips;
  const size_t n_cells = (fourier->strip_cols + 2 * WIDTH) * fourier->stride;
  const Strip strip = { .work = work,
                        .first = first,
                        .n_cols = end - first,
                        .cells = (float *)((fftwf_complex *)fourier->strips.data
                                           + worker * n_cells) };

  if (g_cancellable_is_cancelled (work->cancellable))
    return;
  memset (strip.cells, 0, n_cells * sizeof (fftwf_complex));
  spread (&strip);
  for (ptrdiff_t col = -WIDTH; col < (ptrdiff_t)(strip.n_cols + WIDTH); col++)
    wrap_column (get_column (&strip, col), fourier->nv);
  mirror_ends (&strip);
  transform_strip (&strip);
}

static void
make_rows (size_t item, guint worker, gpointer data)
{
  const Work *work = data;
  TlHostFourier *fourier = work->fourier;
  const size_t end = MIN ((item + 1) * ROWS_PER_ITEM, fourier->ny);
  const size_t nu = fourier->nu;
  float *line = (float *)fourier->lines.data + worker * fourier->line_stride;

  if (g_cancellable_is_cancelled (work->cancellable))
    return;
  for (size_t row = item * ROWS_PER_ITEM; row < end; row++)
    {
      float *pixels = work->pixels + row * fourier->nx;
      size_t at = nu - fourier->nx / 2 * fourier->finer;

      fftwf_execute_dft_c2r (fourier->along_u,
                             (fftwf_complex *)fourier->half.data
                                 + row * fourier->half_stride,
                             line);
      for (size_t col = 0; col < fourier->nx; col++)
        {
          pixels[col] = fourier->scale_x[col] * line[at % nu];
          at += fourier->finer;
        }
    }
}

/* --- the stage --- */

static size_t
divide_up (size_t n, size_t by)
{
  return (n + by - 1) / by;
}

gboolean
tl_host_invert (TlHost *host, const TlBackprojectArgs *args, float *pixels,
                GCancellable *cancellable, GError **error)
{
  const TlGrid *grid = &args->grid;
  Work work = { .host = host,
                .grid = grid,
                .axis_col = args->axis_col,
                .last = host->last_frequency,
                .cancellable = cancellable };
  const size_t finer =
      tl_fourier_count_finer (grid->pitch, work.last, host->plan->length);

  if (!tl_fourier_check_reach (grid, host->row_cols, args->axis_col, error)
      || !prepare (host, grid, finer, error) || !make_rays (host, grid, error)
      || !tl_host_buffer_resize (&host->fourier->samples, 1,
                                 host->n_projections, host->spectrum_stride,
                                 sizeof (fftwf_complex),
                                 _ ("the points in Fourier space"), error))
    return FALSE;
  work.fourier = host->fourier;
  fit_polynomials (&work.polynomials);
  for (work.slice = 0; work.slice < host->n_rows; work.slice++)
    {
      work.pixels = pixels + work.slice * grid->ny * grid->nx;
      tl_host_pool_run (host->pool,
                        divide_up (host->n_projections, LINES_PER_ITEM),
                        sample_rays, &work);
      tl_host_pool_run (host->pool, work.fourier->n_strips, make_strip, &work);
      tl_host_pool_run (host->pool, divide_up (grid->ny, ROWS_PER_ITEM),
                        make_rows, &work);
    }
  return !g_cancellable_set_error_if_cancelled (cancellable, error);
}
