/* Round steps and formatted lengths for axes, scale bars and rulers. */
#pragma once

#include <glib.h>

/** tl_ruler_floor: Returns: the largest of 1, 2 and 5 times a power of ten
 * that is not above @length. @length: above 0 */
double tl_ruler_floor (double length);

/**
 * tl_ruler_format_length:
 * @pixel_size_um: 0 where unknown
 *
 * Returns: (transfer full): "12.3 pixels", or "1.23 mm" or "45.6 µm"
 */
char *tl_ruler_format_length (double n_pixels, double pixel_size_um);

/**
 * tl_ruler_get_length_unit:
 * @n_pixels: the length to be labelled
 * @pixel_size_um: 0 if unknown
 * @unit: (out): "pixels", "µm" or "mm"
 *
 * Returns: the size of a pixel in @unit
 */
double tl_ruler_get_length_unit (double n_pixels, double pixel_size_um,
                                 const char **unit);

/* Units of the lengths and the values of a picture; a plain value. */
typedef struct
{
  double pixel_size_um; /* 0 if unknown: lengths are in pixels */
  double per_value;     /* factor from a pixel's value to unit */
  const char *unit; /* "1/cm" or "1/pixel"; "1" for a dimensionless number */
  const char *own_unit; /* unit of the value without the factor */
} TlUnits;

/** tl_units_init: @is_per_length: the values are per pixel length, as in a
 * slice; otherwise they are dimensionless */
void tl_units_init (TlUnits *units, double pixel_size_um,
                    gboolean is_per_length);

/** tl_units_format: @value: of a pixel. Returns: (transfer full): "0.012
 * 1/pixel · 18.5 1/cm", or "0.98 I/I₀" where there is one unit only */
char *tl_units_format (const TlUnits *units, double value);

/* The labelled positions of an axis; a plain value. */
typedef struct
{
  double first, step;
  guint n;
} TlTicks;

/**
 * tl_ticks_init:
 * @high: above @low
 * @most: at least 2
 *
 * Sets at most @most ticks at multiples of a round step, none of them outside
 * the range @low … @high.
 */
void tl_ticks_init (TlTicks *ticks, double low, double high, guint most);

/** tl_ticks_get: Returns: the value of tick @i */
double tl_ticks_get (const TlTicks *ticks, guint i);

/** tl_ticks_format: Returns: (transfer full): the value of tick @i, with as
 * many digits as the step needs */
char *tl_ticks_format (const TlTicks *ticks, guint i);
