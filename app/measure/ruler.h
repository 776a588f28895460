/* Round steps and lengths in words, for axes, bars and rulers. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** tl_ruler_floor: Returns: the largest of 1, 2 and 5 times a power of ten that
 * is not above @length, which is positive. */
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
 * @n_pixels: the length of what is to be labelled
 * @unit: (out): "pixels", "µm" or "mm"
 *
 * Returns: how many of @unit a pixel has
 */
double tl_ruler_get_length_unit (double n_pixels, double pixel_size_um,
                                 const char **unit);

/* What the lengths and the values of a picture are in; a plain value. */
typedef struct
{
  double pixel_size_um; /* 0 where unknown: lengths are in pixels */
  double per_value;     /* what a pixel's value is multiplied with, for … */
  const char *unit;     /* "1/cm", or "1/pixel", or "1" for a mere number */
  const char *own_unit; /* of the value as it is */
} TlUnits;

/** tl_units_init: @is_per_length: the values are per pixel length, as in a
 * slice; else they are mere numbers. */
void tl_units_init (TlUnits *units, double pixel_size_um,
                    gboolean is_per_length);

/* Where an axis has its numbers; a plain value. */
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
 * At most @most multiples of a round step, all within @low … @high.
 */
void tl_ticks_init (TlTicks *ticks, double low, double high, guint most);

double tl_ticks_get (const TlTicks *ticks, guint i);

/** tl_ticks_format: Returns: (transfer full): with as many digits as the step
 * needs. */
char *tl_ticks_format (const TlTicks *ticks, guint i);

G_END_DECLS
