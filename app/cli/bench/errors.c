/* Errors against plain sums in double precision at some pixels. The
 * reference filters by convolution with the impulse response on the circle
 * of the padded row, and adds up projection by projection. Only its samples
 * are single precision. */
#include "app/cli/bench/errors-private.h"

#include "data/array.h"
#include "data/phantom/phantom.h"
#include "gpu/stages/filter.h"

#include <math.h>
#include <string.h>

#define N_SLICES 4
#define N_SAMPLES 4096 /* pixels of each slice, at random positions */

/* Nearest and oversampled interpolation jump at borders between columns or
 * parts of columns. Closer to a border than this, in columns, single
 * precision may round to either side. */
#define BORDER_COLS 2e-5

enum
{
  NOISE,
  PHANTOM,
  N_SETS
};

/* Forms of the rows that the interpolations need. */
enum
{
  PLAIN,
  PREFILTERED, /* coefficients of cubic B-splines */
  CIRCLE,      /* with the padding, for the Fourier method */
  N_KINDS
};

/* The interpolations, and the trigonometric one of the Fourier method. It has a
 * term for each value of the circle, so that only some pixels are compared. */
#define FOURIER TL_N_INTERPOLATIONS
#define N_WAYS (TL_N_INTERPOLATIONS + 1)
#define N_FOURIER_SAMPLES 64

struct TlBenchTruth
{
  TlParams params; /* parameters with the filter */
  size_t n;        /* columns and projections */
  GCancellable *cancellable;
  float *samples[N_SETS];        /* [projection][N_SLICES][n] */
  double *rows[N_KINDS][N_SETS]; /* (nullable): [N_SLICES][projection][n],
                                    filtered and weighted; of a circle with
                                    the padding, [tl_filter_length (n)] */
  size_t pixels[N_SAMPLES][2];   /* row, column */
  gboolean is_left_out[N_WAYS][N_SAMPLES];
  double *values[N_WAYS]; /* (nullable): [N_SETS][N_SLICES]
                                          [N_SAMPLES] */
};

double
tl_bench_find_limit (TlPrecision precision)
{
  return precision == TL_PRECISION_FULL ? 1e-5 : 1.5e-3;
}

/* --- data --- */

static void
make_phantom (size_t n, float *samples)
{
  size_t n_shapes;
  const TlEllipse *shapes = tl_phantom_shapes (&n_shapes);
  TlPhantomScan scan;
  tl_phantom_scan_init (&scan, n, N_SLICES, n);
  const double radius = tl_phantom_scan_radius (&scan);
  for (size_t p = 0; p < n; p++)
    for (size_t slice = 0; slice < N_SLICES; slice++)
      for (size_t col = 0; col < n; col++)
        *samples++ = (float)tl_phantom_project (
            shapes, n_shapes, radius, G_PI * (double)p / (double)n,
            (double)col - ((double)n - 1.0) / 2.0,
            tl_phantom_scan_height (&scan, slice));
}

static gboolean
make_samples (TlBenchTruth *truth, TlBench *bench, GError **error)
{
  const size_t n = truth->n;
  for (guint set = 0; set < N_SETS; set++)
    {
      truth->samples[set] =
          tl_try_alloc (n, N_SLICES, n, sizeof (float),
                        "the data to find errors with", error);
      if (truth->samples[set] == NULL)
        return FALSE;
    }
  if (!tl_bench_make_noise (bench, n * N_SLICES * n, error))
    return FALSE;
  memcpy (truth->samples[NOISE], bench->noise,
          n * N_SLICES * n * sizeof (float));
  make_phantom (n, truth->samples[PHANTOM]);
  return TRUE;
}

/* --- filter --- */

/* Transforms the ramp's spatial kernel, applies the window, and transforms
 * back. Returns: [2 * length], the impulse response repeated twice */
static double *
make_kernel (const TlBenchTruth *truth, guint kind, size_t length)
{
  g_autofree double *cosines = g_new (double, length);
  double *kernel = g_new0 (double, 2 * length);
  for (size_t k = 0; k < length; k++)
    cosines[k] = cos (2.0 * G_PI * (double)k / (double)length);
  for (size_t k = 0; k <= length / 2; k++)
    {
      double response = 0.25;
      for (size_t i = 1; i <= length / 2; i += 2)
        /* Half a period away, i and -i are the same place. */
        response -= (2 * i == length ? 1.0 : 2.0) * cosines[k * i % length]
                    / (G_PI * G_PI * (double)(i * i));
      response *= tl_filter_window (truth->params.filter,
                                    truth->params.butterworth_order,
                                    2.0 * (double)k / (double)length);
      if (kind == PREFILTERED)
        response *= 3.0 / (2.0 + cosines[k]);
      if (k > 0 && 2 * k < length)
        response *= 2.0; /* adds the equal term of -k */
      for (size_t i = 0; i < length; i++)
        kernel[i] += response * cosines[k * i % length] / (double)length;
    }
  memcpy (kernel + length, kernel, length * sizeof (double));
  return kernel;
}

/* Arguments to filter all rows of one kind; each task of a thread is one
 * row. */
typedef struct
{
  TlBenchTruth *truth;
  guint kind;
  size_t length;
  const double *kernel;
} Filtering;

static void
filter_row (gpointer task, gpointer data)
{
  const Filtering *f = data;
  const TlBenchTruth *truth = f->truth;
  const size_t n = truth->n, length = f->length;
  const size_t width = f->kind == CIRCLE ? length : n;
  const size_t index = GPOINTER_TO_SIZE (task) - 1;
  const size_t p = index % n, slice = index / n % N_SLICES;
  const size_t set = index / n / N_SLICES;
  const float *row = truth->samples[set] + (p * N_SLICES + slice) * n;
  double *filtered = truth->rows[f->kind][set] + (slice * n + p) * width;
  if (g_cancellable_is_cancelled (truth->cancellable))
    return;
  for (size_t i = 0; i < width; i++)
    filtered[i] = 0.0;
  for (size_t k = 0; k < length; k++)
    {
      /* The padding continues the last value after the row, and the first
       * value before the row on the circle. The factor is the angular step.
       */
      const size_t from = k < n ? k : k < n + (length - n) / 2 ? n - 1 : 0;
      const double value = row[from] * G_PI / (double)n;
      const double *response = f->kernel + length - k;
      for (size_t i = 0; i < width; i++)
        filtered[i] += value * response[i];
    }
}

static gboolean
filter_rows (TlBenchTruth *truth, guint kind, GError **error)
{
  const size_t n = truth->n;
  Filtering f = { .truth = truth,
                  .kind = kind,
                  .length = tl_filter_length (n) };
  g_autofree double *kernel = make_kernel (truth, kind, f.length);
  f.kernel = kernel;
  for (guint set = 0; set < N_SETS; set++)
    {
      truth->rows[kind][set] =
          tl_try_alloc (N_SLICES, n, kind == CIRCLE ? f.length : n,
                        sizeof (double), "the rows to find errors with", error);
      if (truth->rows[kind][set] == NULL)
        return FALSE;
    }
  GThreadPool *pool = g_thread_pool_new (
      filter_row, &f, (int)g_get_num_processors (), FALSE, NULL);
  for (size_t k = 0; k < N_SETS * N_SLICES * n; k++)
    g_thread_pool_push (pool, GSIZE_TO_POINTER (k + 1), NULL);
  g_thread_pool_free (pool, FALSE, TRUE);
  return !g_cancellable_set_error_if_cancelled (truth->cancellable, error);
}

/* --- back-projection --- */

static double
get_value (const double *row, size_t n, double col)
{
  return col >= 0.0 && col < (double)n ? row[(size_t)col] : 0.0;
}

static double
interpolate (TlInterpolation interpolation, const double *row, size_t n,
             double h)
{
  if (interpolation == TL_INTERPOLATION_NEAREST)
    return get_value (row, n, floor (h + 0.5));
  if (interpolation == TL_INTERPOLATION_OVERSAMPLED)
    h = floor (4.0 * h + 0.5) / 4.0;
  const double k = floor (h), w = h - k;
  if (interpolation != TL_INTERPOLATION_CUBIC)
    return (1.0 - w) * get_value (row, n, k) + w * get_value (row, n, k + 1.0);
  return ((1.0 - w) * (1.0 - w) * (1.0 - w) * get_value (row, n, k - 1.0)
          + (3.0 * w * w * w - 6.0 * w * w + 4.0) * get_value (row, n, k)
          + (-3.0 * w * w * w + 3.0 * w * w + 3.0 * w + 1.0)
                * get_value (row, n, k + 1.0)
          + w * w * w * get_value (row, n, k + 2.0))
         / 6.0;
}

/* Fills @weights, [@length], with the weights of the values of a circle in
 * their trigonometric interpolation at @h. */
static void
find_weights (size_t length, double h, double *weights)
{
  const double n = (double)length;
  for (size_t i = 0; i < length; i++)
    {
      const double turn = G_PI * (h - (double)i);
      weights[i] = fabs (sin (turn / n)) < 1e-12
                       ? 1.0
                       : sin (turn) / (n * tan (turn / n));
    }
}

/* Returns: whether single precision may round @h to either side */
static gboolean
is_at_border (TlInterpolation interpolation, double h)
{
  const double n_parts = interpolation == TL_INTERPOLATION_NEAREST       ? 1.0
                         : interpolation == TL_INTERPOLATION_OVERSAMPLED ? 4.0
                                                                         : 0.0;
  const double place = n_parts * h + 0.5;
  return n_parts > 0.0 && fabs (place - round (place)) < n_parts * BORDER_COLS;
}

static guint
get_kind (guint way)
{
  return way == FOURIER                  ? CIRCLE
         : way == TL_INTERPOLATION_CUBIC ? PREFILTERED
                                         : PLAIN;
}

/* Adds projection @p to one pixel of all slices. @weights: scratch, of the
 * length of the circle */
static void
add_projection (TlBenchTruth *truth, guint way, size_t p, size_t pixel,
                double *weights)
{
  const size_t n = truth->n, length = tl_filter_length (n);
  const double angle_rad = G_PI * (double)p / (double)n;
  const double middle = ((double)n - 1.0) / 2.0;
  const double x = (double)truth->pixels[pixel][1] - middle;
  const double y = middle - (double)truth->pixels[pixel][0];
  const double h = middle + x * cos (angle_rad) + y * sin (angle_rad);
  if (way == FOURIER)
    find_weights (length, h, weights);
  else if (is_at_border (way, h))
    truth->is_left_out[way][pixel] = TRUE;
  for (size_t set = 0; set < N_SETS; set++)
    for (size_t slice = 0; slice < N_SLICES; slice++)
      {
        const double *rows = truth->rows[get_kind (way)][set];
        double *value =
            truth->values[way] + (set * N_SLICES + slice) * N_SAMPLES + pixel;
        if (way != FOURIER)
          *value += interpolate (way, rows + (slice * n + p) * n, n, h);
        for (size_t i = 0; way == FOURIER && i < length; i++)
          *value += weights[i] * rows[(slice * n + p) * length + i];
      }
}

static gboolean
backproject (TlBenchTruth *truth, guint way, GError **error)
{
  const guint kind = get_kind (way);
  const size_t n_samples = way == FOURIER ? N_FOURIER_SAMPLES : N_SAMPLES;
  g_autofree double *weights = g_new (double, tl_filter_length (truth->n));
  if (truth->rows[kind][0] == NULL && !filter_rows (truth, kind, error))
    return FALSE;
  truth->values[way] = g_new0 (double, N_SETS *N_SLICES *N_SAMPLES);
  for (size_t pixel = n_samples; pixel < N_SAMPLES; pixel++)
    truth->is_left_out[way][pixel] = TRUE;
  for (size_t p = 0; p < truth->n; p++)
    {
      if (g_cancellable_set_error_if_cancelled (truth->cancellable, error))
        return FALSE;
      for (size_t pixel = 0; pixel < n_samples; pixel++)
        add_projection (truth, way, p, pixel, weights);
    }
  return TRUE;
}

/* --- comparing --- */

static gboolean
has_fourier (const TlBench *bench)
{
  size_t n;
  const TlVariant *const *variants =
      tl_engine_list_variants (bench->engine, &n);
  for (size_t k = 0; k < n; k++)
    if (variants[k]->is_fourier
        && tl_bench_takes (bench, variants[k], bench->recipe->params.kernel,
                           TL_BENCH_ANY_INTERPOLATION, TL_BENCH_ANY_PRECISION))
      return TRUE;
  return FALSE;
}

TlBenchTruth *
tl_bench_truth_new (TlBench *bench, GError **error)
{
  g_autoptr (TlBenchTruth) truth = g_new0 (TlBenchTruth, 1);
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  tl_bench_init_params (bench, &(TlBenchCase){ .n_cols = bench->error_size },
                        &truth->params);
  truth->n = bench->error_size;
  truth->cancellable = bench->cancellable;
  for (size_t k = 0; k < N_SAMPLES; k++)
    for (guint axis = 0; axis < 2; axis++)
      truth->pixels[k][axis] =
          (size_t)(g_rand_double (rand) * (double)truth->n);
  if (!make_samples (truth, bench, error))
    return NULL;
  for (guint way = 0; way < TL_N_INTERPOLATIONS; way++)
    if (tl_bench_has (bench, bench->recipe->params.kernel, way,
                      TL_BENCH_ANY_PRECISION)
        && !backproject (truth, way, error))
      return NULL;
  if (has_fourier (bench) && !backproject (truth, FOURIER, error))
    return NULL;
  return g_steal_pointer (&truth);
}

void
tl_bench_truth_free (TlBenchTruth *truth)
{
  for (guint set = 0; set < N_SETS; set++)
    {
      g_free (truth->samples[set]);
      for (guint kind = 0; kind < N_KINDS; kind++)
        g_free (truth->rows[kind][set]);
    }
  for (guint way = 0; way < N_WAYS; way++)
    g_free (truth->values[way]);
  g_free (truth);
}

/* Returns: relative L2 error over the samples of all slices */
static double
compare (const TlBenchTruth *truth, guint way, guint set, size_t n_slices,
         const float *pixels)
{
  const size_t n = truth->n;
  double difference = 0.0, norm = 0.0;
  for (size_t slice = 0; slice < n_slices; slice++)
    for (size_t k = 0; k < N_SAMPLES; k++)
      {
        const double want =
            truth->values[way]
                         [(set * N_SLICES + slice % N_SLICES) * N_SAMPLES + k];
        const double got =
            pixels[(slice * n + truth->pixels[k][0]) * n + truth->pixels[k][1]];
        if (truth->is_left_out[way][k])
          continue;
        difference += (got - want) * (got - want);
        norm += want * want;
      }
  return sqrt (difference / norm);
}

static gboolean
compare_set (TlBenchTruth *truth, TlBench *bench, const TlBenchCase *c,
             guint set, double *result, GError **error)
{
  const size_t n = truth->n;
  g_autofree float *samples = tl_try_alloc (
      n, c->n_slices, n, sizeof (float), "the data to find errors with", error);
  TlEngineReport report;
  TlParams params;
  if (samples == NULL)
    return FALSE;
  for (size_t p = 0; p < n; p++)
    for (size_t slice = 0; slice < c->n_slices; slice++)
      memcpy (samples + (p * c->n_slices + slice) * n,
              truth->samples[set] + (p * N_SLICES + slice % N_SLICES) * n,
              n * sizeof (float));
  tl_bench_init_params (bench, c, &params);
  tl_engine_use_variant (bench->engine, c->variant);
  if (!tl_bench_load (bench, c, samples, error))
    return FALSE;
  g_autoptr (TlFrame) frame =
      tl_engine_reconstruct (bench->engine, &params, bench->cancellable, error);
  if (frame == NULL || !tl_frame_fetch (frame, error))
    return FALSE;
  if (!tl_engine_get_report (bench->engine, &report, error))
    return FALSE;
  const guint way = report.variant->is_fourier ? FOURIER : c->interpolation;
  *result = compare (truth, way, set, c->n_slices, tl_frame_get_pixels (frame));
  return TRUE;
}

gboolean
tl_bench_truth_compare (TlBenchTruth *truth, TlBench *bench,
                        const TlBenchCase *c, TlBenchErrors *errors,
                        GError **error)
{
  TlBenchCase own = *c;
  *errors = (TlBenchErrors){ NAN, NAN };
  if (truth == NULL)
    return TRUE;
  own.n_cols = own.n_projections = truth->n;
  return compare_set (truth, bench, &own, NOISE, &errors->noise, error)
         && compare_set (truth, bench, &own, PHANTOM, &errors->phantom, error);
}
