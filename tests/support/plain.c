#include "tests/support/plain.h"

#include <math.h>

/* --- correction --- */

static gboolean
is_live (const TlBlock *block, size_t i)
{
  const double dark = block->dark != NULL ? block->dark[i] : 0.0;

  return isfinite (dark)
         && (block->flat_first == NULL
             || (isfinite (block->flat_first[i])
                 && block->flat_first[i] - dark > 0.0))
         && (block->flat_last == NULL
             || (isfinite (block->flat_last[i])
                 && block->flat_last[i] - dark > 0.0));
}

static double
correct_pixel (const TlBlock *block, size_t p, size_t i, double sample,
               gboolean flat_field, gboolean minus_log)
{
  double value = sample;

  if (flat_field)
    {
      const double dark = block->dark != NULL ? block->dark[i] : 0.0;
      double flat = block->flat_first[i];

      if (block->flat_last != NULL && block->n_projections > 1)
        flat += (block->flat_last[i] - flat) * p / (block->n_projections - 1);
      value = (sample - dark) / (flat - dark);
    }
  if (minus_log)
    value = -log (fmax (value, 1e-6));
  return value;
}

/* Returns: the nearest live column from @col in the direction @step; n_cols if
 * there is none. */
static size_t
find_live (const TlBlock *block, size_t row, size_t col, int step)
{
  while (col < block->n_cols && !is_live (block, row * block->n_cols + col))
    col += (size_t)step;
  return MIN (col, block->n_cols);
}

static void
mend_row (const TlBlock *block, size_t row, double *v)
{
  const size_t n = block->n_cols;

  for (size_t col = 0; col < n; col++)
    {
      const size_t left = find_live (block, row, col, -1);
      const size_t right = find_live (block, row, col, 1);

      if (left == col)
        continue;
      if (left == n || right == n)
        v[col] = v[left == n ? right : left];
      else
        v[col] =
            (v[left] * (double)(right - col) + v[right] * (double)(col - left))
            / (double)(right - left);
    }
}

void
tl_plain_correct (const TlBlock *block, gboolean flat_field, gboolean minus_log,
                  double *corrected)
{
  const size_t plane = block->n_rows * block->n_cols;
  const size_t n = block->n_projections * plane;
  g_autofree double *samples = g_new (double, n);

  tl_samples_to_double (block->type, block->samples, n, samples);
  for (size_t i = 0; i < n; i++)
    corrected[i] = correct_pixel (block, i / plane, i % plane, samples[i],
                                  flat_field, minus_log);
  for (size_t p = 0; p < block->n_projections; p++)
    for (size_t row = 0; row < block->n_rows; row++)
      mend_row (block, row, corrected + p * plane + row * block->n_cols);
}

/* --- filter --- */

double
tl_plain_window (TlFilter filter, guint order, double u)
{
  const double x = G_PI * u;

  if (filter == TL_FILTER_BUTTERWORTH)
    return 1.0 / (1.0 + pow (u * u, order));
  if (u > 1.0)
    return 0.0;
  switch (filter)
    {
    case TL_FILTER_SHEPP_LOGAN:
      return x == 0.0 ? 1.0 : 2.0 * sin (x / 2.0) / x;
    case TL_FILTER_COSINE:
      return cos (x / 2.0);
    case TL_FILTER_HANN:
      return 0.5 * (1.0 + cos (x));
    case TL_FILTER_HAMMING:
      return 0.54 + 0.46 * cos (x);
    case TL_FILTER_PARZEN:
      return u < 0.5 ? 1.0 - 6.0 * pow (u, 2) + 6.0 * pow (u, 3)
                     : 2.0 * pow (1.0 - u, 3);
    default:
      return 1.0;
    }
}

static size_t
get_length (size_t n_cols)
{
  size_t length = 1;

  while (length < 2 * n_cols)
    length <<= 1;
  return length;
}

double
tl_plain_axis (const TlParams *params)
{
  return round (params->centre_col * 2.0) / 2.0;
}

/* Returns: (transfer full): [length]: the impulse response of filter and shift
 * on the circle.
 * @right: by how many columns the axis of the row lies further right than
 * centre_col */
static double *
make_kernel (const TlParams *params, double right, size_t length)
{
  const double shift = tl_plain_axis (params) - params->centre_col - right;
  double *kernel = g_new0 (double, length);

  for (size_t k = 0; k <= length / 2; k++)
    {
      const double f = (double)k / (double)length;
      double response = 0.25;

      for (size_t n = 1; n <= length / 2; n += 2)
        {
          /* At half the length, n and -n are the same position. */
          const double h =
              (2 * n == length ? -1.0 : -2.0) / (G_PI * G_PI * (double)(n * n));

          response += h * cos (2.0 * G_PI * f * (double)n);
        }
      response *= tl_plain_window (params->filter, params->butterworth_order,
                                   f / (0.5 * params->cutoff));
      if (params->band_limit < 1.0)
        response *= tl_plain_window (TL_FILTER_COSINE, 0,
                                     f / (0.5 * params->band_limit));
      if (params->interpolation == TL_INTERPOLATION_CUBIC
          && params->method != TL_METHOD_FOURIER)
        response *= 3.0 / (2.0 + cos (2.0 * G_PI * f));
      for (size_t n = 0; n < length; n++)
        {
          const double turn = 2.0 * G_PI * f;

          if (k == 0)
            kernel[n] += response;
          else if (2 * k == length)
            kernel[n] += response * cos (G_PI * (double)n) * cos (G_PI * shift);
          else
            kernel[n] += 2.0 * response * cos (turn * ((double)n - shift));
        }
    }
  for (size_t n = 0; n < length; n++)
    kernel[n] /= (double)length;
  return kernel;
}

/* @filtered: (out): [@n_filtered]: the first values of the padded row convolved
 * with @kernel on a circle of @length values */
static void
convolve (const double *kernel, size_t length, TlPadding padding, size_t n_cols,
          const double *row, size_t n_filtered, double *filtered)
{
  const size_t behind = (length - n_cols) / 2;
  g_autofree double *padded = g_new0 (double, length);
  g_autofree double *circle = g_new (double, 2 * length);

  for (size_t k = 0; k < n_cols; k++)
    padded[k] = row[k];
  for (size_t k = n_cols; padding == TL_PADDING_EDGE && k < length; k++)
    padded[k] = k < n_cols + behind ? row[n_cols - 1] : row[0];
  /* The kernel is stored twice, so that no index needs a modulo. */
  for (size_t k = 0; k < 2 * length; k++)
    circle[k] = kernel[k % length];
  for (size_t i = 0; i < n_filtered; i++)
    {
      double sum = 0.0;

      for (size_t k = 0; k < length; k++)
        sum += padded[k] * circle[i + length - k];
      filtered[i] = sum;
    }
}

void
tl_plain_filter (const TlParams *params, size_t n_cols, const double *row,
                 double *filtered)
{
  const size_t length = get_length (n_cols);
  g_autofree double *kernel = make_kernel (params, 0.0, length);

  convolve (kernel, length, params->padding, n_cols, row, n_cols, filtered);
}

/* --- back-projection --- */

static gboolean
has_ties (TlInterpolation interpolation)
{
  return interpolation == TL_INTERPOLATION_NEAREST
         || interpolation == TL_INTERPOLATION_OVERSAMPLED;
}

static double
get_value (const double *row, size_t n_cols, double col)
{
  return col >= 0.0 && col < (double)n_cols ? row[(size_t)col] : 0.0;
}

static double
interpolate_linearly (const double *row, size_t n_cols, double h)
{
  const double w = h - floor (h);

  return (1.0 - w) * get_value (row, n_cols, floor (h))
         + w * get_value (row, n_cols, floor (h) + 1.0);
}

static double
get_b_spline (double u)
{
  if (u < 1.0)
    return 2.0 / 3.0 - u * u + u * u * u / 2.0;
  return u < 2.0 ? (2.0 - u) * (2.0 - u) * (2.0 - u) / 6.0 : 0.0;
}

static double
interpolate (TlInterpolation interpolation, const double *row, size_t n_cols,
             double h)
{
  double sum = 0.0;

  switch (interpolation)
    {
    case TL_INTERPOLATION_NEAREST:
      return get_value (row, n_cols, floor (h + 0.5));
    case TL_INTERPOLATION_OVERSAMPLED:
      return interpolate_linearly (row, n_cols, floor (4.0 * h + 0.5) / 4.0);
    case TL_INTERPOLATION_CUBIC:
      for (double k = floor (h) - 1.0; k <= floor (h) + 2.0; k++)
        sum += get_value (row, n_cols, k) * get_b_spline (fabs (h - k));
      return sum;
    default:
      return interpolate_linearly (row, n_cols, h);
    }
}

double
tl_plain_tie (TlInterpolation interpolation, const double *row, size_t n_cols,
              double h, double rounding)
{
  if (!has_ties (interpolation))
    return 0.0;
  return fabs (interpolate (interpolation, row, n_cols, h + rounding)
               - interpolate (interpolation, row, n_cols, h - rounding));
}

/* The trigonometric interpolation of a circle of @n values, an even number. */
static double
interpolate_circle (const double *row, size_t n, double h)
{
  double sum = 0.0;

  for (size_t i = 0; i < n; i++)
    {
      const double turn = G_PI * (h - (double)i), part = turn / (double)n;

      sum += fabs (sin (part)) < 1e-13
                 ? row[i]
                 : row[i] * sin (turn) / ((double)n * tan (part));
    }
  return sum;
}

/* Returns: what a row adds at @h; with @rounding > 0, its tie there */
static double
get_part (const TlParams *params, double rounding, const double *row,
          size_t n_cols, double h)
{
  if (rounding > 0.0)
    return tl_plain_tie (params->interpolation, row, n_cols, h, rounding);
  return params->method == TL_METHOD_FOURIER
             ? interpolate_circle (row, n_cols, h)
             : interpolate (params->interpolation, row, n_cols, h);
}

/* Sums get_part(). */
static void
backproject (const TlParams *params, double rounding, size_t n_projections,
             size_t n_cols, const double *angles_rad, const double *rows,
             double *slice)
{
  const TlGrid *grid = &params->grid;
  const double axis = tl_plain_axis (params);

  for (size_t i = 0; i < grid->ny * grid->nx; i++)
    slice[i] = 0.0;
  for (size_t p = 0; p < n_projections; p++)
    {
      const double *row = rows + p * n_cols;
      const double c = cos (angles_rad[p]), s = sin (angles_rad[p]);

      for (size_t i = 0; i < grid->ny; i++)
        for (size_t j = 0; j < grid->nx; j++)
          {
            const double x = grid->x0 + (double)j * grid->pitch;
            const double y = grid->y0 - (double)i * grid->pitch;

            slice[i * grid->nx + j] +=
                get_part (params, rounding, row, n_cols, axis + x * c + y * s);
          }
    }
}

void
tl_plain_backproject (const TlParams *params, size_t n_projections,
                      size_t n_cols, const double *angles_rad,
                      const double *rows, double *slice)
{
  backproject (params, 0.0, n_projections, n_cols, angles_rad, rows, slice);
}

/* A row of a half acquisition, extended to the same width on both sides of the
 * axis. */
typedef struct
{
  size_t n_cols, first_col;
} Wide;

static Wide
get_wide (const TlParams *params, size_t n_cols)
{
  const double before = params->centre_col;
  const double behind = (double)n_cols - 1.0 - params->centre_col;
  size_t n = n_cols;

  if (!params->half)
    return (Wide){ n_cols, 0 };
  while (n % 16 != 0 || (double)n < 2.0 * fmax (before, behind) + 1.0)
    n++;
  return (Wide){ n, before <= behind ? n - n_cols : 0 };
}

/* Returns: the weight of a column. The weights of opposite rays, at the
 * distance d on either side of the axis, are squares of sines that add up to 1.
 */
static double
get_share (const TlParams *params, double right, size_t n_cols, size_t col)
{
  const double last = (double)n_cols - 1.0;
  const double axis = params->centre_col + right;
  const gboolean is_left = params->centre_col <= last - params->centre_col;
  const double far = is_left ? (double)col - axis : axis - (double)col;
  double reach = fmax (is_left ? axis : last - axis, 0.0);

  if (params->feather_cols > 0.0)
    reach = fmin (reach, params->feather_cols / 2.0);
  if (far == 0.0)
    return 0.5;
  if (far <= -reach)
    return 0.0;
  if (far >= reach)
    return 1.0;
  return pow (sin (G_PI_4 * (1.0 + far / reach)), 2.0);
}

/* Rows on their way to a slice. */
typedef struct
{
  const TlBlock *block;
  TlParams params; /* centre_col counts in the wide row */
  Wide wide;
  size_t length, n_filtered;
  double *corrected, *weights;
  double *filtered; /* [n_projections][n_filtered], of one row */
} Rows;

static Rows
make_rows (const TlBlock *block, const TlParams *params)
{
  const size_t n_projections = block->n_projections;
  Rows rows = { block, *params, get_wide (params, block->n_cols), 0, 0, NULL,
                NULL,  NULL };

  rows.length = get_length (rows.wide.n_cols);
  rows.n_filtered =
      params->method == TL_METHOD_FOURIER ? rows.length : rows.wide.n_cols;
  rows.params.centre_col += (double)rows.wide.first_col;
  rows.corrected =
      g_new (double, n_projections * block->n_rows * block->n_cols);
  rows.weights = g_new (double, n_projections);
  rows.filtered = g_new (double, n_projections *rows.n_filtered);
  tl_plain_correct (block, params->flat_field, params->minus_log,
                    rows.corrected);
  tl_angle_weights (block->angles_rad, n_projections, params->half,
                    rows.weights, NULL);
  return rows;
}

static void
clear_rows (Rows *rows)
{
  g_free (rows->corrected);
  g_free (rows->weights);
  g_free (rows->filtered);
}

static void
filter_row (const Rows *rows, const TlParams *params, size_t row)
{
  const TlBlock *block = rows->block;
  const size_t n = rows->wide.n_cols;
  const double right =
      ((double)row - block->middle_row) * tan (params->tilt_deg * G_PI / 180.0);
  g_autofree double *kernel = make_kernel (params, right, rows->length);
  g_autofree double *line = g_new (double, n);

  for (size_t p = 0; p < block->n_projections; p++)
    {
      const double *from =
          rows->corrected + (p * block->n_rows + row) * block->n_cols;
      double *filtered = rows->filtered + p * rows->n_filtered;

      for (size_t i = 0; i < n; i++)
        line[i] = 0.0;
      for (size_t i = 0; i < block->n_cols; i++)
        line[rows->wide.first_col + i] =
            params->half ? from[i] * get_share (params, right, block->n_cols, i)
                         : from[i];
      convolve (kernel, rows->length, params->padding, n, line,
                rows->n_filtered, filtered);
      for (size_t i = 0; i < rows->n_filtered; i++)
        filtered[i] *= rows->weights[p];
    }
}

/* Returns: (transfer full): the slices, or with @rounding > 0 their ties */
static double *
reconstruct (const TlBlock *block, const TlParams *params, double rounding)
{
  const size_t n_pixels = params->grid.ny * params->grid.nx;
  Rows rows = make_rows (block, params);
  double *slices = g_new (double, block->n_rows *n_pixels);

  for (size_t row = 0; row < block->n_rows; row++)
    {
      filter_row (&rows, params, row);
      backproject (&rows.params, rounding, block->n_projections,
                   rows.n_filtered, block->angles_rad, rows.filtered,
                   slices + row * n_pixels);
    }
  clear_rows (&rows);
  return slices;
}

double *
tl_plain_reconstruct (const TlBlock *block, const TlParams *params)
{
  return reconstruct (block, params, 0.0);
}

double *
tl_plain_find_ties (const TlBlock *block, const TlParams *params,
                    double rounding)
{
  return has_ties (params->interpolation)
             ? reconstruct (block, params, rounding)
             : NULL;
}

/* Returns: the slice of the filtered rows at one pixel, or with @rounding > 0
 * its tie */
static double
sum_pixel (const Rows *rows, double rounding, double x, double y)
{
  const double axis = tl_plain_axis (&rows->params);
  double sum = 0.0;

  for (size_t p = 0; p < rows->block->n_projections; p++)
    {
      const double t = rows->block->angles_rad[p];

      sum += get_part (&rows->params, rounding,
                       rows->filtered + p * rows->n_filtered, rows->n_filtered,
                       axis + x * cos (t) + y * sin (t));
    }
  return sum;
}

/* As reconstruct() for a plane. */
static double *
reconstruct_plane (const TlBlock *block, const TlPlane *plane,
                   const TlParams *params, double rounding)
{
  Rows rows = make_rows (block, params);
  double *pixels = g_new0 (double, plane->ny * plane->nx);

  for (size_t row = 0; row < block->n_rows; row++)
    {
      filter_row (&rows, params, row);
      for (size_t k = 0; k < plane->ny * plane->nx; k++)
        {
          const double i = (double)(k / plane->nx);
          const double j = (double)(k % plane->nx);
          double at[3];

          for (size_t d = 0; d < 3; d++)
            at[d] = plane->origin[d] + j * plane->u[d] + i * plane->v[d];
          const double near = 1.0 - fabs (at[2] - (double)row);
          if (near > 0.0)
            pixels[k] += near * sum_pixel (&rows, rounding, at[0], at[1]);
        }
    }
  clear_rows (&rows);
  return pixels;
}

double *
tl_plain_reconstruct_plane (const TlBlock *block, const TlPlane *plane,
                            const TlParams *params)
{
  return reconstruct_plane (block, plane, params, 0.0);
}

double *
tl_plain_find_plane_ties (const TlBlock *block, const TlPlane *plane,
                          const TlParams *params, double rounding)
{
  return has_ties (params->interpolation)
             ? reconstruct_plane (block, plane, params, rounding)
             : NULL;
}
