#include "app/recipe/preset.h"

#include <glib/gi18n.h>

/* name, filter, cut-off, interpolation */
#define PRESETS                                                                \
  PRESET ("plain", RAMP, 1, LINEAR)                                            \
  PRESET ("sharp", RAMP, 1, CUBIC)                                             \
  PRESET ("standard", SHEPP_LOGAN, 1, LINEAR)                                  \
  PRESET ("smooth", HANN, 0.5, LINEAR)                                         \
  PRESET ("quick", SHEPP_LOGAN, 1, NEAREST)

#define PRESET(name, filter, cutoff, interpolation) name,
const char *const tl_preset_names[] = { PRESETS NULL };
#undef PRESET

typedef struct
{
  TlFilter filter;
  double cutoff;
  TlInterpolation interpolation;
} Preset;

#define PRESET(name, filter, cutoff, interpolation)                            \
  { TL_FILTER_##filter, cutoff, TL_INTERPOLATION_##interpolation },
static const Preset presets[] = { PRESETS };
#undef PRESET

gboolean
tl_preset_apply (const char *name, TlParams *params, GError **error)
{
  int k;
  if (!tl_name_find (tl_preset_names, "preset", name, &k, error))
    return FALSE;
  params->filter = presets[k].filter;
  params->cutoff = presets[k].cutoff;
  params->interpolation = presets[k].interpolation;
  return TRUE;
}

const char *
tl_preset_find (const TlParams *params)
{
  for (size_t k = 0; k < G_N_ELEMENTS (presets); k++)
    if (params->filter == presets[k].filter
        && params->cutoff == presets[k].cutoff
        && params->interpolation == presets[k].interpolation)
      return tl_preset_names[k];
  return NULL;
}

char *
tl_preset_describe (const char *name)
{
  int k;
  if (!tl_name_find (tl_preset_names, "preset", name, &k, NULL))
    g_return_val_if_reached (NULL);
  const char *filter = tl_filter_names[presets[k].filter];
  const char *interpolation = tl_interpolation_names[presets[k].interpolation];
  return presets[k].cutoff < 1
             ? g_strdup_printf (_ ("%s up to %g, %s"), filter,
                                presets[k].cutoff, interpolation)
             : g_strdup_printf ("%s, %s", filter, interpolation);
}
