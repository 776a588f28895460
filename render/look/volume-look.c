#include "render/look/volume-look.h"

#include "data/array.h"

const char *const tl_volume_way_names[TL_N_VOLUME_WAYS + 1] = {
  "emission", "maximum", "surface", NULL
};

const char *const tl_volume_shape_names[TL_N_VOLUME_SHAPES + 1] = {
  "ramp", "band", "dense", "glass", NULL
};

/* Of the default transfer function at the upper end of the colours: a body of
 * a tenth of the volume lets 1 % through. */
#define MOST_OPACITY 0.37

/* Of the shapes. A body of half of the volume lets 37 % through as glass. */
#define RAMP_OPACITY 0.06
#define BAND_OPACITY 0.15
#define GLASS_OPACITY 0.02

/* Of the width of the band: how far its opacity falls to 0. */
#define BAND_EDGE 0.25

void
tl_volume_look_init (TlVolumeLook *look)
{
  *look = (TlVolumeLook){ .box = { { 0, 1 }, { 0, 1 }, { 0, 1 } } };
}

static TlVolumeLook
scale (const TlVolumeLook *look, double factor)
{
  TlVolumeLook scaled = *look;
  scaled.low *= factor;
  scaled.high *= factor;
  scaled.threshold *= factor;
  for (guint k = 0; k < scaled.n_points; k++)
    scaled.points[k].value *= factor;
  return scaled;
}

TlVolumeLook
tl_volume_look_to_bins (const TlVolumeLook *look, guint bin)
{
  return scale (look, bin);
}

TlVolumeLook
tl_volume_look_from_bins (const TlVolumeLook *look, guint bin)
{
  return scale (look, 1 / (double)bin);
}

static void
add_point (TlVolumeLook *look, double value, double opacity)
{
  look->points[look->n_points++] = (TlVolumePoint){ value, opacity };
}

void
tl_volume_look_settle (TlVolumeLook *look, const TlVolumeClasses *classes)
{
  if (!(look->low < look->high))
    {
      look->low = classes->low;
      look->high = classes->high;
    }
  if (look->threshold == 0)
    look->threshold = classes->threshold;
  if (look->n_points == 0)
    {
      add_point (look, classes->threshold, 0);
      add_point (look, classes->high, MOST_OPACITY);
    }
}

void
tl_volume_look_shape (TlVolumeLook *look, TlVolumeShape shape,
                      const TlVolumeClasses *classes)
{
  const double *band = classes->band;
  const double edge = BAND_EDGE * (band[1] - band[0]);

  g_return_if_fail (shape < TL_N_VOLUME_SHAPES);

  look->n_points = 0;
  switch (shape)
    {
    case TL_VOLUME_RAMP:
      add_point (look, classes->low, 0);
      add_point (look, classes->high, RAMP_OPACITY);
      break;
    case TL_VOLUME_BAND:
      add_point (look, band[0] - edge, 0);
      add_point (look, band[0], BAND_OPACITY);
      add_point (look, band[1], BAND_OPACITY);
      add_point (look, band[1] + edge, 0);
      break;
    case TL_VOLUME_DENSE:
      add_point (look, classes->dense, 0);
      add_point (look, classes->high, MOST_OPACITY);
      break;
    case TL_VOLUME_GLASS:
      add_point (look, classes->threshold, 0);
      add_point (look, (classes->threshold + classes->dense) / 2,
                 GLASS_OPACITY);
      add_point (look, classes->dense, GLASS_OPACITY);
      add_point (look, classes->high, MOST_OPACITY);
      break;
    case TL_N_VOLUME_SHAPES:
      break;
    }
}

gboolean
tl_volume_shape_parse (const char *name, TlVolumeShape *shape)
{
  const int index = tl_names_index (tl_volume_shape_names, name);
  if (index >= 0)
    *shape = (TlVolumeShape)index;
  return index >= 0;
}

double
tl_volume_look_get_opacity (const TlVolumeLook *look, double value)
{
  const TlVolumePoint *points = look->points;
  guint k = 0;

  if (look->n_points == 0)
    return 0;
  while (k < look->n_points && points[k].value <= value)
    k++;
  if (k == 0 || k == look->n_points)
    return points[k == 0 ? 0 : k - 1].opacity;
  const TlVolumePoint *below = &points[k - 1], *above = &points[k];

  return below->opacity
         + (above->opacity - below->opacity) * (value - below->value)
               / (above->value - below->value);
}

GVariant *
tl_volume_look_list_points (const TlVolumeLook *look)
{
  GVariantBuilder points;

  g_variant_builder_init (&points, G_VARIANT_TYPE ("a(dd)"));
  for (guint k = 0; k < look->n_points; k++)
    g_variant_builder_add (&points, "(dd)", look->points[k].value,
                           look->points[k].opacity);
  return g_variant_builder_end (&points);
}
