/* Colour maps: convert a fraction of the window to a colour. No GL. */
#pragma once

#include <glib.h>

typedef enum
{
  TL_COLORMAP_GREY,
  TL_COLORMAP_INVERTED,
  TL_COLORMAP_VIRIDIS,
  TL_COLORMAP_MAGMA,
  TL_COLORMAP_INFERNO,
  TL_COLORMAP_BONE,
  TL_N_COLORMAPS
} TlColormap;

#define TL_COLORMAP_SIZE 256

/* The names "grey" and so on; %NULL-terminated, indexed by the enumeration. */
extern const char *const tl_colormap_names[TL_N_COLORMAPS + 1];

/**
 * tl_colormap_fill:
 * @rgba: (out caller-allocates): [TL_COLORMAP_SIZE][4], opaque sRGB, from the
 *   lower end of the window to the upper end
 */
void tl_colormap_fill (TlColormap colormap, guint8 *rgba);
