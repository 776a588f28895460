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
#include "gpu/host/host.h"

#include "data/array.h"
#include "gpu/stages/filter.h"
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

/* How slices of a shape lie in the grid. */
typedef struct
{
  size_t ny, nx; /* of the slice */
  size_t finer;  /* pixels of the slice are every so many of the transform */

  /* Cells of the fine grid; of nu only 0 to nu / 2 is used. */
  size_t nu, nv;
  size_t n_half; /* nu / 2 + 1 */
  size_t n_strips;
  size_t strip_cols;          /* of the widest strip */
  size_t strip_cells, stride; /* of a strip, and of a column in it */
  size_t half_stride, line_stride;
} Layout;

struct TlHostFourier
{
  /* What plans and tables are made for. */
  Layout layout;
  float *scale_x, *scale_y; /* [nx], [ny]: 1 / transform of the kernel */
  fftwf_plan along_u, along_v;

  TlHostBuffer strips; /* complex [n_workers][strip_cells] */
  TlHostBuffer half;   /* complex [ny][half_stride]: transformed along v */
  TlHostBuffer lines;  /* float [n_workers][line_stride] */
};

/* --- memory --- */

static Layout
lay_out (size_t ny, size_t nx, size_t finer)
{
  Layout layout = { .ny = ny, .nx = nx, .finer = finer };

  layout.nv = tl_fourier_grid_length (finer * ny);
  layout.nu = tl_fourier_grid_length (finer * nx);
  layout.n_half = layout.nu / 2 + 1;
  layout.n_strips = MAX (layout.n_half / STRIP, 1);
  layout.strip_cols = (layout.n_half + layout.n_strips - 1) / layout.n_strips;
  layout.stride = layout.nv + 2 * MARGIN;
  layout.strip_cells = (layout.strip_cols + 2 * WIDTH) * layout.stride;
  layout.half_stride = tl_host_round_up (layout.n_half, 8);
  layout.line_stride = tl_host_round_up (layout.nu, 16);
  return layout;
}

guint64
tl_host_fourier_count_bytes (const TlGrid *grid, size_t n_cols,
                             size_t n_projections, guint n_workers)
{
  const size_t length = tl_filter_length (n_cols);
  const Layout layout =
      lay_out (grid->ny, grid->nx,
               tl_fourier_count_finer (grid->pitch, length / 2, length));
  const guint64 n_complex =
      (guint64)n_workers * layout.strip_cells
      + (guint64)layout.ny * layout.half_stride
      + (guint64)n_projections * tl_host_round_up (length / 2 + 1, 8);

  return n_complex * sizeof (fftwf_complex)
         + (guint64)n_workers * layout.line_stride * sizeof (float)
         + n_projections * sizeof (TlFourierRay);
}

static void
free_shape (TlHostFourier *fourier)
{
  if (fourier->along_u != NULL)
    tl_host_plan_destroy (fourier->along_u);
  if (fourier->along_v != NULL)
    tl_host_plan_destroy (fourier->along_v);
  g_free (fourier->scale_x);
  g_free (fourier->scale_y);
  tl_host_buffer_clear (&fourier->strips);
  tl_host_buffer_clear (&fourier->half);
  tl_host_buffer_clear (&fourier->lines);
  g_free (fourier);
}

void
tl_host_fourier_free (TlHost *host)
{
  for (guint k = 0; k < TL_HOST_FOURIER_SHAPES; k++)
    g_clear_pointer (&host->fourier[k], free_shape);
  tl_host_buffer_clear (&host->rays);
  tl_host_buffer_clear (&host->points);
}

size_t
tl_host_fourier_get_memory (const TlHost *host)
{
  size_t bytes = host->rays.bytes + host->points.bytes;

  for (guint k = 0; k < TL_HOST_FOURIER_SHAPES; k++)
    if (host->fourier[k] != NULL)
      bytes += host->fourier[k]->strips.bytes + host->fourier[k]->half.bytes
               + host->fourier[k]->lines.bytes;
  return bytes;
}

/* --- the kernel --- */

static double
get_kernel (double z)
{
  const double u = z / HALF;

  return tl_fourier_get_kernel (WIDTH, 1.0 - u * u);
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

/* --- plans and tables --- */

/* Returns: (transfer full): [@n]: the factors of the pixels; @size: of the
 * grid */
static float *
make_scale (size_t n, size_t finer, size_t size, gboolean alternates,
            GError **error)
{
  float *scale = tl_try_alloc (1, 1, n, sizeof *scale,
                               _ ("the factors of the pixels"), error);

  for (size_t i = 0; scale != NULL && i < n; i++)
    {
      const gint64 at = ((gint64)i - (gint64)(n / 2)) * (gint64)finer;
      const double value =
          1.0 / get_kernel_transform ((double)at / (double)size);

      scale[i] = (float)(alternates && at % 2 != 0 ? -value : value);
    }
  return scale;
}

static gboolean
reserve (TlHostFourier *fourier, guint n_workers, GError **error)
{
  const Layout *layout = &fourier->layout;

  return tl_host_buffer_resize (&fourier->strips, 1, n_workers,
                                layout->strip_cells, sizeof (fftwf_complex),
                                _ ("the strips of the Fourier transform"),
                                error)
         && tl_host_buffer_resize (&fourier->half, 1, layout->ny,
                                   layout->half_stride, sizeof (fftwf_complex),
                                   _ ("the Fourier transform of the slice"),
                                   error)
         && tl_host_buffer_resize (&fourier->lines, 1, n_workers,
                                   layout->line_stride, sizeof (float),
                                   _ ("a row for each thread"), error);
}

static gboolean
make_plans (TlHostFourier *fourier, GError **error)
{
  const Layout *layout = &fourier->layout;

  fourier->along_v = tl_host_plan_complex (
      layout->nv, (fftwf_complex *)fourier->strips.data + MARGIN, error);
  if (fourier->along_v == NULL)
    return FALSE;
  fourier->along_u = tl_host_plan_to_real (layout->nu, fourier->half.data,
                                           fourier->lines.data, error);
  return fourier->along_u != NULL;
}

/* Returns: (transfer full) (nullable) */
static TlHostFourier *
make_shape (const Layout *layout, guint n_workers, GError **error)
{
  TlHostFourier *fourier = g_new0 (TlHostFourier, 1);

  fourier->layout = *layout;
  if (!reserve (fourier, n_workers, error) || !make_plans (fourier, error)
      || (fourier->scale_x =
              make_scale (layout->nx, layout->finer, layout->nu, FALSE, error))
             == NULL
      || (fourier->scale_y =
              make_scale (layout->ny, layout->finer, layout->nv, TRUE, error))
             == NULL)
    g_clear_pointer (&fourier, free_shape);
  return fourier;
}

/* Makes host->fourier[0] the one for slices of the shape of @grid. Those used
 * before are kept, because a detail of a slice, or a candidate beside the slice
 * that is shown, is made in turns with a whole one. */
static gboolean
prepare (TlHost *host, const TlGrid *grid, size_t finer, GError **error)
{
  guint found = 0;

  while (found < TL_HOST_FOURIER_SHAPES && host->fourier[found] != NULL
         && (host->fourier[found]->layout.ny != grid->ny
             || host->fourier[found]->layout.nx != grid->nx
             || host->fourier[found]->layout.finer != finer))
    found++;
  if (found == TL_HOST_FOURIER_SHAPES)
    g_clear_pointer (&host->fourier[--found], free_shape);
  TlHostFourier *fourier = host->fourier[found];
  if (fourier == NULL)
    {
      const Layout layout = lay_out (grid->ny, grid->nx, finer);
      const guint n_workers = tl_host_pool_get_n_workers (host->pool);

      while (
          (fourier = make_shape (&layout, n_workers, found > 0 ? NULL : error))
          == NULL)
        {
          if (found == 0)
            return FALSE;
          /* its memory may be enough */
          g_clear_pointer (&host->fourier[--found], free_shape);
        }
    }
  memmove (host->fourier + 1, host->fourier, found * sizeof *host->fourier);
  host->fourier[0] = fourier;
  return TRUE;
}

static gboolean
make_rays (TlHost *host, const TlGrid *grid, GError **error)
{
  const Layout *layout = &host->fourier[0]->layout;
  const double *cosines = host->angles.data;
  const double *sines = cosines + host->n_projections;
  const double cells =
      grid->pitch / (double)layout->finer / (double)host->plan->length;

  if (!tl_host_buffer_resize (&host->rays, 1, 1, host->n_projections,
                              sizeof (TlFourierRay), _ ("the rays"), error))
    return FALSE;
  TlFourierRay *rays = host->rays.data;
  for (size_t p = 0; p < host->n_projections; p++)
    {
      const double side = cosines[p] < 0.0 ? -1.0 : 1.0;
      const double u = side * cosines[p] * cells * (double)layout->nu;
      const double v = side * sines[p] * cells * (double)layout->nv;

      rays[p] = (TlFourierRay){ .u = u,
                                .v = v,
                                .turn = atan2 (v, u),
                                .is_turned = side < 0.0,
                                .projection = p };
    }
  tl_fourier_sort_rays (rays, host->n_projections);
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
sample_ray (const Work *work, const TlFourierRay *ray, double col,
            const float *spectrum, const float *factors, float *samples)
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
  double x, y;
  const fftwf_complex *factors =
      (const fftwf_complex *)host->factors.data
      + work->slice % host->n_shifts * (host->plan->length / 2 + 1);

  if (g_cancellable_is_cancelled (work->cancellable))
    return;
  tl_fourier_find_middle (grid, &x, &y);
  for (size_t i = item * LINES_PER_ITEM; i < end; i++)
    {
      const TlFourierRay *ray = (const TlFourierRay *)host->rays.data + i;
      const size_t p = ray->projection;
      const size_t line = work->slice * host->n_projections + p;
      const double col = work->axis_col + x * cosines[p]
                         + y * cosines[host->n_projections + p];

      sample_ray (work, ray, col,
                  (const float *)((const fftwf_complex *)host->spectrum.data
                                  + line * host->spectrum_stride),
                  (const float *)factors,
                  (float *)((fftwf_complex *)host->points.data
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
find_places (const Strip *strip, const TlFourierRay *ray, size_t k, size_t n,
             Places *places)
{
  const TlHostFourier *fourier = strip->work->fourier;
  const double u0 = WIDTH - HALF - (double)strip->first;
  const double v0 = (double)(fourier->layout.nv / 2) + MARGIN - HALF;
  const int stride = (int)fourier->layout.stride;

  for (size_t i = 0; i < n; i++)
    {
      const double u = u0 + (double)(int)(k + i) * ray->u;
      const double v = v0 + (double)(int)(k + i) * ray->v;
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
  /* Real and imaginary part as one number are one broadcast. */
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
      const TlFourierRay *ray = (const TlFourierRay *)work->host->rays.data + r;
      const float *samples = (const float *)work->host->points.data
                             + 2 * r * work->host->spectrum_stride;
      const double from = begin > 0.0 ? ceil (begin / ray->u) : 0.0;
      const double to = fmin (floor (end / ray->u), (double)work->last);

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
                          fourier->layout.stride);
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

  return (fftwf_complex *)strip->cells
         + (size_t)(col + WIDTH) * fourier->layout.stride + MARGIN;
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
  const size_t n = strip->work->fourier->layout.nv;
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
  const size_t last = strip->work->fourier->layout.nu / 2;
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
  for (size_t row = 0; row < fourier->layout.ny; row++)
    {
      const size_t nv = fourier->layout.nv;
      const size_t at = (row * fourier->layout.finer + nv
                         - fourier->layout.ny / 2 * fourier->layout.finer)
                        % nv;
      const float scale = fourier->scale_y[row];
      fftwf_complex *dest = (fftwf_complex *)fourier->half.data
                            + row * fourier->layout.half_stride + strip->first;

      for (size_t col = 0; col < strip->n_cols; col++)
        dest[col] = scale * column[col * fourier->layout.stride + at];
    }
}

static void
make_strip (size_t item, guint worker, gpointer data)
{
  const Work *work = data;
  const TlHostFourier *fourier = work->fourier;
  const Layout *layout = &fourier->layout;
  const size_t first = layout->n_half * item / layout->n_strips;
  const size_t end = layout->n_half * (item + 1) / layout->n_strips;
  const Strip strip = { .work = work,
                        .first = first,
                        .n_cols = end - first,
                        .cells = (float *)((fftwf_complex *)fourier->strips.data
                                           + worker * layout->strip_cells) };

  if (g_cancellable_is_cancelled (work->cancellable))
    return;
  memset (strip.cells, 0, layout->strip_cells * sizeof (fftwf_complex));
  spread (&strip);
  for (ptrdiff_t col = -WIDTH; col < (ptrdiff_t)(strip.n_cols + WIDTH); col++)
    wrap_column (get_column (&strip, col), fourier->layout.nv);
  mirror_ends (&strip);
  transform_strip (&strip);
}

static void
make_rows (size_t item, guint worker, gpointer data)
{
  const Work *work = data;
  TlHostFourier *fourier = work->fourier;
  const size_t end = MIN ((item + 1) * ROWS_PER_ITEM, fourier->layout.ny);
  const size_t nu = fourier->layout.nu;
  float *line =
      (float *)fourier->lines.data + worker * fourier->layout.line_stride;

  if (g_cancellable_is_cancelled (work->cancellable))
    return;
  for (size_t row = item * ROWS_PER_ITEM; row < end; row++)
    {
      float *pixels = work->pixels + row * fourier->layout.nx;
      size_t at = nu - fourier->layout.nx / 2 * fourier->layout.finer;

      fftwf_execute_dft_c2r (fourier->along_u,
                             (fftwf_complex *)fourier->half.data
                                 + row * fourier->layout.half_stride,
                             line);
      for (size_t col = 0; col < fourier->layout.nx; col++)
        {
          pixels[col] = fourier->scale_x[col] * line[at % nu];
          at += fourier->layout.finer;
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
      || !tl_host_buffer_resize (&host->points, 1, host->n_projections,
                                 host->spectrum_stride, sizeof (fftwf_complex),
                                 _ ("the points in Fourier space"), error))
    return FALSE;
  work.fourier = host->fourier[0];
  fit_polynomials (&work.polynomials);
  for (work.slice = 0; work.slice < host->n_rows; work.slice++)
    {
      work.pixels = pixels + work.slice * grid->ny * grid->nx;
      tl_host_pool_run (host->pool,
                        divide_up (host->n_projections, LINES_PER_ITEM),
                        sample_rays, &work);
      tl_host_pool_run (host->pool, work.fourier->layout.n_strips, make_strip,
                        &work);
      tl_host_pool_run (host->pool, divide_up (grid->ny, ROWS_PER_ITEM),
                        make_rows, &work);
    }
  return !g_cancellable_set_error_if_cancelled (cancellable, error);
}
