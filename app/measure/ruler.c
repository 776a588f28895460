#include "app/measure/ruler.h"

#include <glib/gi18n.h>
#include <math.h>

/* Relative tolerance for rounding errors when steps are counted. */
#define ROUNDING 1e-9

/* Numbers that need more decimal places, or are larger, are written with an
 * exponent. */
#define MOST_DIGITS 5
#define LARGEST_PLAIN 1e6

#define UM_PER_MM 1e3
#define UM_PER_CM 1e4

double
tl_ruler_floor (double length)
{
  static const double steps[] = { 5, 2, 1 };
  const double power = pow (10, floor (log10 (length) + ROUNDING));
  for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
    if (steps[i] * power <= length * (1 + ROUNDING))
      return steps[i] * power;
  return power;
}

double
tl_ruler_get_length_unit (double n_pixels, double pixel_size_um,
                          const char **unit)
{
  if (pixel_size_um <= 0)
    {
      *unit = _ ("pixels");
      return 1;
    }
  if (n_pixels * pixel_size_um < UM_PER_MM)
    {
      *unit = "µm";
      return pixel_size_um;
    }
  *unit = "mm";
  return pixel_size_um / UM_PER_MM;
}

char *
tl_ruler_format_length (double n_pixels, double pixel_size_um)
{
  const char *unit;
  const double scale =
      tl_ruler_get_length_unit (n_pixels, pixel_size_um, &unit);
  if (pixel_size_um <= 0)
    return g_strdup_printf ("%.1f %s", n_pixels, unit);
  return g_strdup_printf ("%.4g %s", n_pixels * scale, unit);
}

void
tl_units_init (TlUnits *units, double pixel_size_um, gboolean is_per_length)
{
  units->pixel_size_um = pixel_size_um;
  units->per_value = 1;
  units->unit = units->own_unit = is_per_length ? "1/pixel" : "1";
  if (!is_per_length || pixel_size_um <= 0)
    return;
  units->per_value = UM_PER_CM / pixel_size_um;
  units->unit = "1/cm";
}

char *
tl_units_format (const TlUnits *units, double value)
{
  if (units->per_value == 1)
    return g_strdup_printf ("%.6g %s", value, units->own_unit);
  return g_strdup_printf ("%.6g %s · %.5g %s", value, units->own_unit,
                          value * units->per_value, units->unit);
}

/* Returns: the next larger round step */
static double
grow (double step)
{
  const double power = pow (10, floor (log10 (step) + ROUNDING));
  const double digit = step / power;
  return (digit < 1.5 ? 2 : digit < 3 ? 5 : 10) * power;
}

void
tl_ticks_init (TlTicks *ticks, double low, double high, guint most)
{
  g_return_if_fail (low < high);
  g_return_if_fail (most >= 2);
  double step = tl_ruler_floor ((high - low) / most);
  double first, last;
  for (;; step = grow (step))
    {
      first = ceil (low / step - ROUNDING);
      last = floor (high / step + ROUNDING);
      if (last - first < most)
        break;
    }
  ticks->step = step;
  ticks->first = first * step;
  ticks->n = (guint)(last - first + 1);
}

double
tl_ticks_get (const TlTicks *ticks, guint i)
{
  const double value = ticks->first + i * ticks->step;
  /* Replaces -0, and rounding errors such as 1e-17, by zero. */
  return fabs (value) < ROUNDING * ticks->step ? 0 : value;
}

char *
tl_ticks_format (const TlTicks *ticks, guint i)
{
  const double value = tl_ticks_get (ticks, i);
  const double largest =
      fmax (fabs (ticks->first), fabs (tl_ticks_get (ticks, ticks->n - 1)));
  const int digits = (int)MAX (0, -floor (log10 (ticks->step) + ROUNDING));
  if (value == 0)
    return g_strdup ("0");
  if (digits <= MOST_DIGITS && largest < LARGEST_PLAIN)
    return g_strdup_printf ("%.*f", digits, value);
  return g_strdup_printf ("%.*e", (int)floor (log10 (largest / ticks->step)),
                          value);
}
