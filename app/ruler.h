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

/**
 * tl_ruler_get_value_unit:
 * @unit: (out): "1/pixel", or "1/cm" where the size of a pixel is known
 *
 * Returns: what a value of a slice, attenuation per pixel length, is multiplied
 *   with
 */
double tl_ruler_get_value_unit (double pixel_size_um, const char **unit);

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
