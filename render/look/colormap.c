#include "render/look/colormap.h"

#include <math.h>

const char *const tl_colormap_names[TL_N_COLORMAPS + 1] = {
  "grey", "inverted", "viridis", "magma", "inferno", "bone", NULL
};

/* A map is a few colours at equal distances, 0xrrggbb. Between them each
 * channel follows a Catmull-Rom spline, so that no edge shows at the knots. */
typedef struct
{
  guint n;
  guint32 colours[10];
} Knots;

/* viridis, magma and inferno are perceptually uniform. The knots are the
 * colours at ninths of the maps that N. Smith, S. van der Walt and E. Firing
 * published under CC0 (bids.github.io/colormap). */
static const Knots knots[TL_N_COLORMAPS] = {
  [TL_COLORMAP_GREY] = { 2, { 0x000000, 0xffffff } },
  [TL_COLORMAP_INVERTED] = { 2, { 0xffffff, 0x000000 } },
  [TL_COLORMAP_VIRIDIS] = { 10,
                            { 0x440154, 0x482878, 0x3e4989, 0x31688e, 0x26828e,
                              0x1f9e89, 0x35b779, 0x6dcd59, 0xb4de2c,
                              0xfde725 } },
  [TL_COLORMAP_MAGMA] = { 10,
                          { 0x000004, 0x180f3e, 0x451077, 0x721f81, 0x9f2f7f,
                            0xcd4071, 0xf1605d, 0xfd9567, 0xfec98d,
                            0xfcfdbf } },
  [TL_COLORMAP_INFERNO] = { 10,
                            { 0x000004, 0x1b0c41, 0x4a0c6b, 0x781c6d, 0xa52c60,
                              0xcf4446, 0xed6925, 0xfb9b06, 0xf7d13d,
                              0xfcffa4 } },
  /* resembles a film on a light box: grey with a blue cast in the shadows */
  [TL_COLORMAP_BONE] = { 5,
                         { 0x000000, 0x353547, 0x6a737f, 0xa7bcbc, 0xffffff } },
};

static double
channel (const Knots *k, gint index, guint shift)
{
  gint last = (gint)k->n - 1;
  gint before = CLAMP (index, 0, last);
  double value = (double)((k->colours[before] >> shift) & 255);

  /* Beyond either end, extrapolate linearly from the last two knots. */
  if (index < 0)
    return 2 * value - channel (k, 1, shift);
  if (index > last)
    return 2 * value - channel (k, last - 1, shift);
  return value;
}

static double
spline (const Knots *k, double at, guint shift)
{
  gint i = MIN ((gint)floor (at), (gint)k->n - 2);
  double t = at - i;
  double p0 = channel (k, i - 1, shift), p1 = channel (k, i, shift);
  double p2 = channel (k, i + 1, shift), p3 = channel (k, i + 2, shift);

  return p1
         + 0.5 * t
               * (p2 - p0
                  + t
                        * (2 * p0 - 5 * p1 + 4 * p2 - p3
                           + t * (3 * (p1 - p2) + p3 - p0)));
}

void
tl_colormap_fill (TlColormap colormap, guint8 *rgba)
{
  g_return_if_fail ((guint)colormap < TL_N_COLORMAPS);

  const Knots *k = &knots[colormap];
  for (guint i = 0; i < TL_COLORMAP_SIZE; i++)
    {
      double at = (double)i * (k->n - 1) / (TL_COLORMAP_SIZE - 1);

      for (guint c = 0; c < 3; c++)
        {
          double value = spline (k, at, 16 - 8 * c);

          rgba[4 * i + c] = (guint8)(CLAMP (value, 0, 255) + 0.5);
        }
      rgba[4 * i + 3] = 255;
    }
}
