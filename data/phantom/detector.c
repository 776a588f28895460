/* Counts of a simulated detector: dark + gain * photons + electronics.
 *
 * The number of photons is a Poisson variable. Where its mean is above
 * FEW_PHOTONS, it is approximated by a normal variable of the same mean and
 * variance, drawn together with the noise of the electronics. Below, it is
 * drawn exactly.
 *
 * Random numbers are a hash of seed, exposure, row and column, so that they
 * do not depend on the order of the work: the output function of SplitMix64
 * (Steele, Lea and Flood, Fast splittable pseudorandom number generators,
 * 2014) on a counter. Sixteen bits of the hash choose one of the quantiles of
 * the normal distribution, so no number lies further out than 4.3 standard
 * deviations. */
#include "data/phantom/detector-private.h"

#include "data/array.h"

#include <glib/gi18n.h>
#include <math.h>

#define OPEN_COUNTS 40000.0f /* where the beam is brightest */
#define DARK_COUNTS 100.0
#define READ_COUNTS 2.5f /* standard deviation of the electronics */
#define FEW_PHOTONS 32.0f
#define MAX_COUNTS 65535.0f

#define N_QUANTILES 65536

/* Columns that each loop handles at a time, so that the data stay in the
 * first-level cache. */
#define BLOCK 256

struct TlDetector
{
  size_t n_cols;
  float *open_counts; /* [n_rows][n_cols], without dark counts */
  float *dark_counts; /* [n_cols] */
  float lowest_open;  /* smallest value of open_counts */
  float gain;         /* counts per photon; 0: no noise */
  float *quantiles;   /* [N_QUANTILES] of the normal distribution */
  guint64 seed;
};

static guint64
mix (guint64 z)
{
  z = (z ^ (z >> 30)) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/* The number at @index in the sequence that starts at @start. */
static guint64
draw (guint64 start, guint64 index)
{
  return mix (start + (index + 1) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15));
}

/* Computes the quantiles from the median outwards with Newton's method on
 * the distribution function. The function is concave there, so a step that
 * starts at the previous quantile falls short of the root and never
 * overshoots. */
static void
fill_quantiles (float *quantiles)
{
  const size_t half = N_QUANTILES / 2;
  double x = 0.0, sum_squares = 0.0;
  float scale;

  for (size_t i = 0; i < half; i++)
    {
      const double want =
          ((double)i + 0.5) / N_QUANTILES; /* the probability, above 1/2 */

      for (int step = 0; step < 4; step++)
        x += (want - 0.5 * erf (x * M_SQRT1_2)) * sqrt (2.0 * G_PI)
             * exp (0.5 * x * x);
      quantiles[half + i] = (float)x;
      quantiles[half - 1 - i] = (float)-x;
      sum_squares += 2.0 * x * x;
    }
  scale = (float)sqrt (N_QUANTILES / sum_squares); /* unit variance */
  for (size_t i = 0; i < N_QUANTILES; i++)
    quantiles[i] *= scale;
}

/* The profile of the beam: brightest a little below the middle, darker
 * towards the sides, slanted, with a slow ripple in both directions. The
 * maximum is 1 or a little less. */
static float
beam_profile (double u, double v)
{
  const double falling = exp (-0.35 * (v - 0.1) * (v - 0.1)) - 0.12 * u * u;
  const double leaning = 1.0 + 0.05 * u;
  const double ripple = 1.0 + 0.02 * sin (7.0 * u + 5.0 * v);

  return (float)(falling * leaning * ripple / 1.03);
}

static void
fill_fields (TlDetector *detector, size_t n_rows)
{
  detector->lowest_open = OPEN_COUNTS;
  for (size_t row = 0; row < n_rows; row++)
    for (size_t col = 0; col < detector->n_cols; col++)
      {
        const double u =
            (2.0 * (double)col + 1.0) / (double)detector->n_cols - 1.0;
        const double v = (2.0 * (double)row + 1.0) / (double)n_rows - 1.0;
        const float counts = OPEN_COUNTS * beam_profile (u, v);

        detector->open_counts[row * detector->n_cols + col] = counts;
        detector->lowest_open = MIN (detector->lowest_open, counts);
      }
  for (size_t col = 0; col < detector->n_cols; col++)
    detector->dark_counts[col] =
        (float)floor (DARK_COUNTS + 6.0 * sin (0.11 * (double)col));
}

TlDetector *
tl_detector_new (size_t n_rows, size_t n_cols, double noise_counts,
                 guint32 seed, GError **error)
{
  g_autoptr (TlDetector) detector = g_new0 (TlDetector, 1);

  detector->n_cols = n_cols;
  detector->gain =
      noise_counts > 0.0 ? (float)(OPEN_COUNTS / noise_counts) : 0.0f;
  detector->seed = mix (seed);
  detector->open_counts = tl_try_alloc (1, n_rows, n_cols, sizeof (float),
                                        _ ("the open beam"), error);
  detector->dark_counts =
      tl_try_alloc (1, 1, n_cols, sizeof (float), _ ("the dark field"), error);
  if (detector->open_counts == NULL || detector->dark_counts == NULL)
    return NULL;
  detector->quantiles = g_new (float, N_QUANTILES);
  fill_fields (detector, n_rows);
  fill_quantiles (detector->quantiles);
  return g_steal_pointer (&detector);
}

void
tl_detector_free (TlDetector *detector)
{
  if (detector == NULL)
    return;
  g_free (detector->open_counts);
  g_free (detector->dark_counts);
  g_free (detector->quantiles);
  g_free (detector);
}

static guint16
to_counts (float value)
{
  return (guint16)(CLAMP (value, 0.0f, MAX_COUNTS) + 0.5f);
}

static void
read_exact (const float *mean, const float *dark, size_t n, guint16 *counts)
{
  for (size_t i = 0; i < n; i++)
    counts[i] = to_counts (dark[i] + mean[i]);
}

static void
read_many_photons (const TlDetector *detector, guint64 start, size_t first_col,
                   const float *mean, const float *dark, size_t n,
                   guint16 *counts)
{
  const float read_variance = READ_COUNTS * READ_COUNTS;
  float normal[BLOCK];

  for (size_t i = 0; i < n; i += 4)
    {
      const guint64 bits = draw (start, (first_col + i) / 4);

      normal[i] = detector->quantiles[bits & 0xffff];
      normal[i + 1] = detector->quantiles[bits >> 16 & 0xffff];
      normal[i + 2] = detector->quantiles[bits >> 32 & 0xffff];
      normal[i + 3] = detector->quantiles[bits >> 48];
    }
  for (size_t i = 0; i < n; i++)
    counts[i] = to_counts (dark[i] + mean[i]
                           + sqrtf (detector->gain * mean[i] + read_variance)
                                 * normal[i]);
}

/* Adds up the probabilities of 0, 1, 2, … until the sum passes a uniform
 * random number. Ends where the terms no longer change the sum. */
static unsigned
draw_poisson (double mean, guint64 bits)
{
  const double uniform = (double)(bits >> 11) * 0x1p-53;
  const unsigned last = (unsigned)(mean + 12.0 * sqrt (mean) + 24.0);
  double term = exp (-mean), sum = term;
  unsigned n = 0;

  while (sum <= uniform && n < last)
    {
      n++;
      term *= mean / n;
      sum += term;
    }
  return n;
}

static void
read_few_photons (const TlDetector *detector, guint64 start, size_t first_col,
                  const float *mean, const float *dark, size_t n,
                  guint16 *counts)
{
  for (size_t i = 0; i < n; i++)
    {
      const guint64 index = 2 * (first_col + i);
      const guint64 bits = draw (start, index);
      const float normal = detector->quantiles[bits & 0xffff];
      const float photons = mean[i] / detector->gain;
      float number;

      if (photons < FEW_PHOTONS)
        number = (float)draw_poisson (photons, draw (start, index + 1));
      else
        number = photons
                 + sqrtf (photons) * detector->quantiles[bits >> 16 & 0xffff];
      counts[i] =
          to_counts (dark[i] + number * detector->gain + READ_COUNTS * normal);
    }
}

void
tl_detector_read_row (const TlDetector *detector, guint64 frame, size_t row,
                      const float *transmission, float lowest, guint16 *counts)
{
  const float *open = detector->open_counts + row * detector->n_cols;
  const guint64 start = draw (draw (detector->seed, frame), row);
  const gboolean many =
      transmission == NULL
      || lowest * detector->lowest_open >= FEW_PHOTONS * detector->gain;
  float mean[BLOCK];

  for (size_t col = 0; col < detector->n_cols; col += BLOCK)
    {
      const size_t n = MIN (BLOCK, detector->n_cols - col);
      const float *dark = detector->dark_counts + col;

      for (size_t i = 0; i < n; i++)
        mean[i] =
            transmission != NULL ? open[col + i] * transmission[col + i] : 0.0f;
      if (detector->gain <= 0.0f)
        read_exact (mean, dark, n, counts + col);
      else if (many)
        read_many_photons (detector, start, col, mean, dark, n, counts + col);
      else
        read_few_photons (detector, start, col, mean, dark, n, counts + col);
    }
}
