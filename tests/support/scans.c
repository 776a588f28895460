#include "tests/support/scans.h"

#include <math.h>

TlTestScan *
tl_test_scan_new (size_t n_projections, size_t n_rows, size_t n_cols,
                  TlSampleType type)
{
  TlTestScan *scan = g_new0 (TlTestScan, 1);

  scan->samples =
      g_malloc0 (n_projections * n_rows * n_cols * tl_sample_size (type));
  scan->angles_rad = g_new (double, n_projections);
  scan->block = (TlBlock){
    .n_projections = n_projections,
    .n_rows = n_rows,
    .n_cols = n_cols,
    .type = type,
    .samples = scan->samples,
    .angles_rad = scan->angles_rad,
  };
  tl_test_scan_set_angles (scan, 0.0, 180.0, FALSE);
  return scan;
}

void
tl_test_scan_free (TlTestScan *scan)
{
  g_free (scan->samples);
  g_free (scan->angles_rad);
  g_free (scan->dark);
  g_free (scan->flat_first);
  g_free (scan->flat_last);
  g_free (scan);
}

void
tl_test_scan_fill_noise (TlTestScan *scan)
{
  const TlBlock *block = &scan->block;
  const size_t n = block->n_projections * block->n_rows * block->n_cols;
  float *samples = scan->samples;

  g_assert_cmpint (block->type, ==, TL_SAMPLE_F32);
  for (size_t i = 0; i < n; i++)
    samples[i] = (float)g_test_rand_double_range (0.05, 1.0);
}

TlTestScan *
tl_test_scan_new_noise (size_t n_projections, size_t n_rows, size_t n_cols)
{
  TlTestScan *scan =
      tl_test_scan_new (n_projections, n_rows, n_cols, TL_SAMPLE_F32);

  tl_test_scan_fill_noise (scan);
  return scan;
}

void
tl_test_scan_set_angles (TlTestScan *scan, double first_deg, double range_deg,
                         gboolean end_point)
{
  const size_t n = scan->block.n_projections;
  const size_t n_steps = end_point && n > 1 ? n - 1 : n;

  for (size_t p = 0; p < n; p++)
    scan->angles_rad[p] =
        (first_deg + range_deg * (double)p / (double)n_steps) * G_PI / 180.0;
}

/* Returns: the length of the chord that a ray cuts out of an ellipse: 2 a b
 * sqrt (m^2 - s^2) / m^2, with s the distance of the ray from the middle and m
 * the half width of the shadow.
 */
static double
get_chord (const TlTestEllipse *e, double angle_rad, double s)
{
  const double c = e->a * cos (angle_rad - e->turn_rad);
  const double d = e->b * sin (angle_rad - e->turn_rad);
  const double m2 = c * c + d * d;
  const double t = s - e->x * cos (angle_rad) - e->y * sin (angle_rad);

  return t * t < m2 ? 2.0 * e->a * e->b * sqrt (m2 - t * t) / m2 : 0.0;
}

void
tl_test_scan_fill_ellipses (TlTestScan *scan, double centre_col,
                            const TlTestEllipse *shapes, size_t n)
{
  const TlBlock *block = &scan->block;
  float *sample = scan->samples;

  g_assert_cmpint (block->type, ==, TL_SAMPLE_F32);
  for (size_t p = 0; p < block->n_projections; p++)
    for (size_t row = 0; row < block->n_rows; row++)
      for (size_t col = 0; col < block->n_cols; col++, sample++)
        {
          double sum = 0.0;

          for (size_t i = 0; i < n; i++)
            sum += shapes[i].value
                   * get_chord (&shapes[i], scan->angles_rad[p],
                                (double)col - centre_col);
          *sample = (float)sum;
        }
}

gboolean
tl_test_ellipse_contains (const TlTestEllipse *e, double x, double y,
                          double margin)
{
  const double c = cos (e->turn_rad), s = sin (e->turn_rad);
  const double u = (c * (x - e->x) + s * (y - e->y)) / (e->a - margin);
  const double v = (c * (y - e->y) - s * (x - e->x)) / (e->b - margin);

  return u * u + v * v < 1.0;
}

TlParams
tl_test_params (const TlTestScan *scan)
{
  TlParams params;

  tl_params_init (&params, scan->block.n_cols);
  params.flat_field = FALSE;
  params.minus_log = FALSE;
  return params;
}
