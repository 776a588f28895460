#include "render/tint.h"

#include "gpu/backend/frame.h"

#include <math.h>
#include <string.h>

static void
tint (const float *values, size_t n, const guint32 *colours, float low,
      float per_value, guint32 *out)
{
  for (size_t i = 0; i < n; i++)
    {
      float t = (values[i] - low) * per_value;

      /* NaN is not below the last entry either */
      if (!isfinite (values[i]))
        out[i] = 0;
      else
        out[i] = colours[(
            int)(fminf (fmaxf (t, 0), (float)(TL_COLORMAP_SIZE - 1)) + 0.5F)];
    }
}

guint8 *
tl_tint_frame (TlFrame *frame, TlColormap colormap, double low, double high,
               size_t *n_rows, size_t *n_cols)
{
  const float *pixels = tl_frame_get_pixels (frame);
  guint8 rgba[4 * TL_COLORMAP_SIZE];
  guint32 colours[TL_COLORMAP_SIZE];

  g_return_val_if_fail (high > low, NULL);

  *n_rows = tl_frame_get_n_rows (frame);
  *n_cols = tl_frame_get_n_cols (frame);
  if (pixels == NULL)
    return NULL;
  /* The product cannot overflow: @frame has as many floats. */
  guint32 *out = g_try_malloc (sizeof *out * *n_rows * *n_cols);
  if (out == NULL)
    return NULL;
  tl_colormap_fill (colormap, rgba);
  memcpy (colours, rgba,
          sizeof colours); /* red, green, blue, alpha in the order of memory */
  tint (pixels, *n_rows * *n_cols, colours, (float)low,
        (float)((TL_COLORMAP_SIZE - 1) / (high - low)), out);
  return (guint8 *)out;
}
