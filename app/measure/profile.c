#include "app/measure/profile.h"

#include <math.h>

/* Nine digits are enough to restore a float exactly. */
#define NUMBER "%.9g"

#define DEG_PER_RAD (180 / G_PI)

double
tl_segment_get_length (const TlSegment *line)
{
  return hypot (line->col[1] - line->col[0], line->row[1] - line->row[0]);
}

/* The sign of dy is turned: rows go down the screen, angles turn
 * counter-clockwise. */
double
tl_segment_get_angle_deg (const TlSegment *line)
{
  const double dx = line->col[1] - line->col[0];
  const double dy = line->row[0] - line->row[1];
  /* The difference of equal rows may be -0, for which atan2() would give
   * -180 degrees. */
  return atan2 (dy == 0 ? 0 : dy, dx) * DEG_PER_RAD;
}

void
tl_segment_snap (TlSegment *line, guint end, double step_deg)
{
  g_return_if_fail (end < 2);
  const guint other = 1 - end;
  const double length = tl_segment_get_length (line);
  const double angle = atan2 (line->row[end] - line->row[other],
                              line->col[end] - line->col[other]);
  const double snapped =
      round (angle * DEG_PER_RAD / step_deg) * step_deg / DEG_PER_RAD;
  line->col[end] = line->col[other] + length * cos (snapped);
  line->row[end] = line->row[other] + length * sin (snapped);
}

/* --- sampling --- */

static gboolean
sample (const TlPixels *pixels, double picture_col, double picture_row,
        double *value)
{
  const double col = (picture_col - pixels->col) / pixels->pitch;
  const double row = (picture_row - pixels->row) / pixels->pitch;
  if (!(col >= 0 && col <= (double)(pixels->n_cols - 1) && row >= 0
        && row <= (double)(pixels->n_rows - 1)))
    return FALSE;
  const size_t left = (size_t)col;
  const size_t above = (size_t)row;
  const size_t right = MIN (left + 1, pixels->n_cols - 1);
  const size_t below = MIN (above + 1, pixels->n_rows - 1);
  const double u = col - (double)left;
  const double v = row - (double)above;
  const float *upper = pixels->values + above * pixels->n_cols;
  const float *lower = pixels->values + below * pixels->n_cols;
  *value = (1 - v) * ((1 - u) * upper[left] + u * upper[right])
           + v * ((1 - u) * lower[left] + u * lower[right]);
  return TRUE;
}

/* Mean across the line at @col, @row. @across_col, @across_row: unit vector
 * across the line */
static double
average (const TlPixels *pixels, double col, double row, double across_col,
         double across_row, guint width)
{
  double sum = 0;
  guint n = 0;
  for (guint i = 0; i < width; i++)
    {
      const double offset = i - (width - 1) / 2.0;
      double value;
      if (!sample (pixels, col + offset * across_col, row + offset * across_row,
                   &value))
        continue;
      sum += value;
      n++;
    }
  return n > 0 ? sum / n : NAN;
}

TlProfile *
tl_profile_new (const TlSegment *line, guint width, const TlPixels *pixels)
{
  g_return_val_if_fail (width >= 1 && width <= TL_PROFILE_MAX_WIDTH, NULL);
  g_return_val_if_fail (pixels->n_rows > 0 && pixels->n_cols > 0, NULL);
  g_return_val_if_fail (pixels->pitch > 0, NULL);
  const double length = tl_segment_get_length (line);
  const double d_col = line->col[1] - line->col[0];
  const double d_row = line->row[1] - line->row[0];
  const double across_col = length > 0 ? -d_row / length : 0;
  const double across_row = length > 0 ? d_col / length : 0;
  TlProfile *profile = g_new (TlProfile, 1);
  profile->n = MAX (2, (size_t)ceil (length) + 1);
  profile->step = length / (double)(profile->n - 1);
  profile->values = g_new (float, profile->n);
  for (size_t i = 0; i < profile->n; i++)
    {
      const double part = (double)i / (double)(profile->n - 1);
      profile->values[i] = (float)average (pixels, line->col[0] + part * d_col,
                                           line->row[0] + part * d_row,
                                           across_col, across_row, width);
    }
  return profile;
}

void
tl_profile_free (TlProfile *profile)
{
  if (profile == NULL)
    return;
  g_free (profile->values);
  g_free (profile);
}

gboolean
tl_profile_get_range (const TlProfile *profile, float *min, float *max)
{
  float least = INFINITY, most = -INFINITY;
  for (size_t i = 0; i < profile->n; i++)
    {
      /* fminf() and fmaxf() ignore NaN. */
      least = fminf (least, profile->values[i]);
      most = fmaxf (most, profile->values[i]);
    }
  *min = least;
  *max = most;
  return least <= most;
}

/* --- text --- */

static void
append_number (GString *text, double number)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];
  if (isfinite (number))
    g_string_append (text,
                     g_ascii_formatd (buffer, sizeof buffer, NUMBER, number));
}

/* @factor: of the values */
static void
append_values (GString *text, const TlProfile *profile, const TlProfile *held,
               size_t i, double factor)
{
  g_string_append_c (text, ',');
  append_number (text, profile->values[i] * factor);
  if (held == NULL)
    return;
  g_string_append_c (text, ',');
  append_number (text, held->values[i] * factor);
}

static void
append_head (GString *text, const char *length, const TlProfile *held,
             const char *unit)
{
  g_string_append_printf (text, "position [%s],value [%s]", length, unit);
  if (held != NULL)
    g_string_append_printf (text, ",value of A [%s]", unit);
}

char *
tl_profile_to_csv (const TlProfile *profile, const TlProfile *held,
                   const TlUnits *units)
{
  g_return_val_if_fail (held == NULL || held->n == profile->n, NULL);
  GString *text = g_string_new (NULL);
  append_head (text, "pixel", held, units->own_unit);
  if (units->pixel_size_um > 0)
    {
      g_string_append_c (text, ',');
      append_head (text, "um", held, units->unit);
    }
  g_string_append_c (text, '\n');
  for (size_t i = 0; i < profile->n; i++)
    {
      const double position = (double)i * profile->step;
      append_number (text, position);
      append_values (text, profile, held, i, 1);
      if (units->pixel_size_um > 0)
        {
          g_string_append_c (text, ',');
          append_number (text, position * units->pixel_size_um);
          append_values (text, profile, held, i, units->per_value);
        }
      g_string_append_c (text, '\n');
    }
  return g_string_free (text, FALSE);
}
