#include "gpu/stages/params.h"

#include "data/array.h"
#include "data/error.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

const char *const tl_filter_names[TL_N_FILTERS + 1] = {
  "ramp",    "shepp-logan", "cosine",      "hann",
  "hamming", "parzen",      "butterworth", NULL
};
const char *const tl_method_names[TL_N_METHODS + 1] = { "auto",
                                                        "back-projection",
                                                        "fourier", NULL };
const char *const tl_interpolation_names[TL_N_INTERPOLATIONS + 1] = {
  "nearest", "linear", "oversampled", "cubic", NULL
};
const char *const tl_kernel_names[TL_N_KERNELS + 1] = {
  "auto", "standard", "texture", "texture-quarters",
  "alu",  "hybrid",   "tensor",  NULL
};
const char *const tl_precision_names[TL_N_PRECISIONS + 1] = { "full", "fast",
                                                              NULL };
const char *const tl_padding_names[TL_N_PADDINGS + 1] = { "edge", "zero",
                                                          NULL };
const char *const tl_rings_names[TL_N_RINGS + 1] = { "off", "sorting",
                                                     "wavelet", NULL };

/* --- descriptors --- */

static const char *const off_on_names[] = { "off", "on", NULL };

#define AT(member) .offset = offsetof (TlParams, member)
#define SWITCH(member)                                                         \
  .type = TL_PARAMETER_SWITCH, .names = off_on_names, AT (member)
#define CHOICE(member, list)                                                   \
  .type = TL_PARAMETER_CHOICE, .names = list, AT (member)
#define COUNT(member) .type = TL_PARAMETER_COUNT, AT (member)
#define NUMBER(member) .type = TL_PARAMETER_NUMBER, AT (member)
#define QUANTITY(member)                                                       \
  .type = TL_PARAMETER_QUANTITY, AT (member), .is_above = TRUE

static const TlParamSpec parameters[] = {
  { .key = "centre",
    NUMBER (centre_col),
    .automatic = "middle",
    .min = -G_MAXDOUBLE,
    .max = G_MAXDOUBLE,
    .step = 1,
    .page = 10,
    .digits = 2,
    .arg = "COLUMN",
    .takes = N_ ("a column coordinate or \"middle\""),
    .help = "rotation centre, counted from the centre of column 0; for an axis "
            "near an edge, see --half",
    .label = N_ ("Centre"),
    .title = N_ ("Column of the rotation axis"),
    .explanation = N_ ("Column of the rotation axis; the arrow keys move by 1, "
                       "with Shift by 0.1, with Ctrl+Shift by 0.01"),
    .stage = TL_STAGE_FILTER,
    .is_of_axis = TRUE,
    .is_derived = TRUE,
    .is_of_scan = TRUE },
  { .key = "tilt",
    NUMBER (tilt_deg),
    .min = -TL_TILT_MAX_DEG,
    .max = TL_TILT_MAX_DEG,
    .step = 0.01,
    .page = 0.1,
    .digits = 3,
    .arg = "DEGREES",
    .unit = N_ ("°"),
    .noun = N_ ("degrees"),
    .help = "tilt of the axis, counter-clockwise about the middle row",
    .label = N_ ("Tilt"),
    .title = N_ ("Tilt of the axis in degrees"),
    .explanation = N_ ("Counter-clockwise tilt of the axis on the detector "
                       "about its middle row, in degrees"),
    .stage = TL_STAGE_FILTER,
    .is_of_axis = TRUE,
    .is_derived = TRUE,
    .is_of_scan = TRUE },
  { .key = "half",
    SWITCH (half),
    .automatic = "auto",
    .arg = "WHEN",
    .help = "half acquisition: a full turn, and the axis near an edge",
    .label = N_ ("Half"),
    .title = N_ ("Half acquisition"),
    .explanation =
        N_ ("Half acquisition: a full turn with the axis near an edge is "
            "reconstructed over the full width. Auto: where less than a third "
            "of the columns are on one side"),
    .stage = TL_STAGE_TRANSFORM,
    .says_automatic = TRUE,
    .is_of_scan = TRUE },
  { .key = "feather",
    QUANTITY (feather_cols),
    .arg = "COLUMNS",
    .unit = N_ ("columns"),
    .help = "columns over which both halves are blended; if it is not given, "
            "all columns that both see",
    .stage = TL_STAGE_TRANSFORM,
    .of = "half",
    .is_of_scan = TRUE },
  { .key = "filter",
    CHOICE (filter, tl_filter_names),
    .arg = "NAME",
    .help = "filter: a window on the ramp",
    .label = N_ ("Filter"),
    .title = N_ ("Filter"),
    .stage = TL_STAGE_FILTER },
  { .key = "cutoff",
    NUMBER (cutoff),
    .is_above = TRUE,
    .max = 1,
    .initial = 1,
    .step = 0.01,
    .page = 0.1,
    .digits = 2,
    .arg = "FRACTION",
    .noun = N_ ("a fraction of the Nyquist frequency"),
    .help = "cut-off frequency of the filter",
    .label = N_ ("Cut-off"),
    .title = N_ ("Cut-off of the filter"),
    .explanation = N_ ("Where the filter ends, as a fraction of the highest "
                       "frequency of the detector"),
    .stage = TL_STAGE_FILTER },
  { .key = "butterworth-order",
    COUNT (butterworth_order),
    .min = 1,
    .max = 64,
    .initial = 8,
    .step = 1,
    .page = 4,
    .arg = "N",
    .help = "steepness of the Butterworth filter",
    .label = N_ ("Order"),
    .title = N_ ("Order of the Butterworth filter"),
    .stage = TL_STAGE_FILTER,
    .of = "filter",
    .of_name = "butterworth" },
  { .key = "method",
    CHOICE (method, tl_method_names),
    .arg = "NAME",
    .help = "how filtered projections become a slice",
    .label = N_ ("Method"),
    .title = N_ ("Method"),
    .explanation = N_ ("How filtered projections become a slice. Fourier: the "
                       "same slice by Fourier transforms, much faster on a "
                       "processor. Auto: Fourier where it is faster, "
                       "unless a kernel or an interpolation is chosen"),
    .stage = TL_STAGE_FILTER,
    .is_derived = TRUE },
  { .key = "interpolation",
    CHOICE (interpolation, tl_interpolation_names),
    .initial = TL_INTERPOLATION_LINEAR,
    .arg = "NAME",
    .help = "interpolation between two columns",
    .label = N_ ("Interpolation"),
    .title = N_ ("Interpolation"),
    .stage = TL_STAGE_FILTER,
    .is_derived = TRUE },
  { .key = "kernel",
    CHOICE (kernel, tl_kernel_names),
    .arg = "NAME",
    .help = "back-projection kernel",
    .label = N_ ("Kernel"),
    .title = N_ ("Kernel"),
    .stage = TL_STAGE_FILTER,
    .is_derived = TRUE },
  { .key = "precision",
    CHOICE (precision, tl_precision_names),
    .arg = "NAME",
    .help = "full: single precision throughout; fast: half precision allowed",
    .label = N_ ("Precision"),
    .title = N_ ("Precision"),
    .stage = TL_STAGE_FILTER,
    .is_derived = TRUE },
  { .key = "padding",
    CHOICE (padding, tl_padding_names),
    .arg = "NAME",
    .help = "values beyond the detector: edge repeats the outermost one, "
            "zero is 0",
    .label = N_ ("Padding"),
    .title = N_ ("Padding"),
    .explanation = N_ ("Values of the rows beyond the detector: edge repeats "
                       "the outermost one, zero is 0"),
    .stage = TL_STAGE_TRANSFORM },
  { .key = "flat-field",
    SWITCH (flat_field),
    .automatic = "auto",
    .initial = TRUE,
    .arg = "WHEN",
    .help = "divide by the flat field",
    .label = N_ ("Flat field"),
    .title = N_ ("Flat field"),
    .explanation = N_ ("Divide by the open beam"),
    .stage = TL_STAGE_CORRECT,
    .is_of_scan = TRUE },
  { .key = "minus-log",
    SWITCH (minus_log),
    .automatic = "auto",
    .initial = TRUE,
    .arg = "WHEN",
    .help = "turn transmission into attenuation",
    .label = N_ ("Minus logarithm"),
    .title = N_ ("Minus logarithm"),
    .explanation = N_ ("From transmission to attenuation"),
    .stage = TL_STAGE_CORRECT,
    .is_of_scan = TRUE },
  { .key = "zingers",
    SWITCH (zingers),
    .arg = "WHEN",
    .help = "remove samples that are too bright in one or two projections",
    .label = N_ ("Zingers"),
    .title = N_ ("Zingers"),
    .explanation =
        N_ ("Replaces bright specks in one or two projections by the median "
            "along the angle. Switch it off and on to see the effect"),
    .stage = TL_STAGE_ZINGERS,
    .is_of_scan = TRUE },
  { .key = "zinger-threshold",
    NUMBER (zinger_threshold),
    .is_above = TRUE,
    .max = 100,
    .initial = 0.5,
    .step = 0.05,
    .page = 0.2,
    .digits = 2,
    .arg = "PART",
    .help = "a zinger is brighter than its neighbours by this fraction; 0.5 is "
            "1.5 times as bright",
    .label = N_ ("above"),
    .title = N_ ("Threshold of zingers, as a fraction of their neighbours"),
    .explanation =
        N_ ("A zinger is brighter than its neighbours by this fraction; 0.5 is "
            "1.5 times as bright. Lower values remove more"),
    .stage = TL_STAGE_ZINGERS,
    .of = "zingers" },
  { .key = "phase",
    SWITCH (phase.on),
    .arg = "WHEN",
    .help = "phase retrieval (Paganin), with the four values that follow",
    .label = N_ ("Phase retrieval"),
    .title = N_ ("Phase retrieval"),
    .explanation = N_ ("Turns phase contrast into the thickness of one "
                       "material (Paganin). Switched off, the values are kept"),
    .stage = TL_STAGE_CORRECT, /* the -log is then later */
    .is_of_scan = TRUE },
  /* from the water window of soft X-rays to beyond any X-ray tube */
  { .key = "energy",
    QUANTITY (phase.energy_kev),
    .min = 0.1,
    .max = 1000,
    .step = 0.5,
    .page = 5,
    .digits = 2,
    .arg = "KEV",
    .unit = N_ ("keV"),
    .note = N_ ("20000 eV are 20 keV"),
    .help = "energy of the photons",
    .label = N_ ("Energy"),
    .title = N_ ("Energy of the photons, in keV"),
    .explanation = N_ ("Energy of the photons"),
    .stage = TL_STAGE_PHASE,
    .is_derived = TRUE,
    .of = "phase" },
  { .key = "distance",
    QUANTITY (phase.distance_mm),
    .step = 1,
    .page = 10,
    .digits = 1,
    .arg = "MM",
    .unit = N_ ("mm"),
    .help = "distance from the object to the detector",
    .label = N_ ("Distance"),
    .title = N_ ("Distance from the object to the detector, in millimetres"),
    .explanation = N_ ("Distance from the object to the detector"),
    .stage = TL_STAGE_PHASE,
    .is_derived = TRUE,
    .of = "phase" },
  { .key = "pixel-size",
    QUANTITY (phase.pixel_um),
    .automatic = "",
    .max = 1e6, /* a metre: products with it stay finite */
    .step = 0.01,
    .page = 0.1,
    .digits = 3,
    .arg = "UM",
    .unit = N_ ("µm"),
    .help = "size of a pixel; replaces that of the scan",
    .label = N_ ("Pixel size"),
    .title = N_ ("Size of a pixel, in micrometres"),
    .explanation = N_ ("Size of a detector pixel in the object; taken from the "
                       "scan if stored there"),
    .stage = TL_STAGE_PHASE,
    .is_derived = TRUE,
    .is_of_scan = TRUE },
  { .key = "delta-beta",
    QUANTITY (phase.delta_beta),
    .step = 10,
    .page = 100,
    .digits = 1,
    .arg = "RATIO",
    .help = "delta over beta of the object's refractive index",
    .label = N_ ("δ/β"),
    .title = N_ ("Delta over beta of the object"),
    .explanation =
        N_ ("δ/β of the object's refractive index. A larger value gives a "
            "smoother picture; increase it if edges have bright and dark rims"),
    .stage = TL_STAGE_PHASE,
    .is_derived = TRUE,
    .of = "phase" },
  { .key = "rings",
    CHOICE (rings, tl_rings_names),
    .arg = "HOW",
    .help = "method to remove rings",
    .label = N_ ("Rings"),
    .title = N_ ("Method to remove rings"),
    .explanation = N_ ("Sorting: each column is matched to its neighbours. "
                       "Wavelet: narrow stripes are damped"),
    .stage = TL_STAGE_RINGS,
    .is_of_scan = TRUE },
  { .key = "ring-size",
    COUNT (ring_size),
    .min = 3,
    .max = 301,
    .initial = 9,
    .step = 2,
    .page = 10,
    .arg = "COLUMNS",
    .help = "sorting: twice as wide as the widest ring, or wider",
    .label = N_ ("Size"),
    .title = N_ ("Size of the median across columns"),
    .explanation = N_ ("Columns of the median: twice as wide as the widest "
                       "ring, or wider"),
    .stage = TL_STAGE_RINGS,
    .of = "rings",
    .of_name = "sorting" },
  { .key = "ring-levels",
    COUNT (ring_levels),
    .min = 1,
    .max = 10,
    .initial = 3,
    .step = 1,
    .page = 1,
    .arg = "N",
    .help = "wavelet: the widest ring has some 2^N columns",
    .label = N_ ("Levels"),
    .title = N_ ("Levels of the wavelet"),
    .explanation =
        N_ ("1, 2, 3 … levels remove rings up to about 2, 4, 8 … columns wide"),
    .stage = TL_STAGE_RINGS,
    .of = "rings",
    .of_name = "wavelet" },
  { .key = "ring-sigma",
    NUMBER (ring_sigma),
    .is_above = TRUE,
    .max = 20,
    .initial = 1,
    .step = 0.1,
    .page = 1,
    .digits = 1,
    .arg = "N",
    .help = "wavelet: strength; larger values also remove incomplete rings",
    .label = N_ ("Sigma"),
    .title = N_ ("Damping of the stripes"),
    .explanation = N_ (
        "Strength of the damping; larger values also remove incomplete rings"),
    .stage = TL_STAGE_RINGS,
    .of = "rings",
    .of_name = "wavelet" },
  { .key = "beam-hardening",
    NUMBER (beam_hardening),
    .max = 10,
    .step = 0.01,
    .page = 0.1,
    .digits = 3,
    .arg = "B",
    .help = "adds B times the square of the attenuation to it; 0: off",
    .label = N_ ("Beam hardening"),
    .title = N_ ("Correction of beam hardening"),
    .explanation =
        N_ ("White and pink beams make objects look darker inside than at the "
            "rim. Increase the value until they are even; 0: off"),
    .stage = TL_STAGE_RINGS,
    .is_of_scan = TRUE },
};

const TlParamSpec *
tl_params_list (size_t *n)
{
  *n = G_N_ELEMENTS (parameters);
  return parameters;
}

const TlParamSpec *
tl_params_find (const char *key)
{
  for (size_t i = 0; i < G_N_ELEMENTS (parameters); i++)
    if (strcmp (parameters[i].key, key) == 0)
      return &parameters[i];
  return NULL;
}

gboolean
tl_params_is_relevant (const TlParams *params, const TlParamSpec *parameter)
{
  if (parameter->of == NULL)
    return TRUE;
  const TlParamSpec *of = tl_params_find (parameter->of);
  const guint value = (guint)tl_param_spec_get_number (of, params);
  return parameter->of_name != NULL
             ? strcmp (of->names[value], parameter->of_name) == 0
             : value != 0;
}

TlStage
tl_params_compare (const TlParams *a, const TlParams *b)
{
  TlStage first = TL_STAGE_BACKPROJECT;

  for (size_t i = 0; i < G_N_ELEMENTS (parameters); i++)
    {
      const TlParamSpec *p = &parameters[i];

      if (!p->is_derived && p->stage < first
          && tl_param_spec_get_number (p, a) != tl_param_spec_get_number (p, b)
          && (tl_params_is_relevant (a, p) || tl_params_is_relevant (b, p)))
        first = p->stage;
    }
  return first;
}

void
tl_params_init (TlParams *params, size_t n_cols)
{
  g_return_if_fail (params != NULL);
  g_return_if_fail (n_cols > 0);

  *params = (TlParams){ .band_limit = 1.0 };
  for (size_t i = 0; i < G_N_ELEMENTS (parameters); i++)
    tl_param_spec_set_number (&parameters[i], params, parameters[i].initial);
  params->centre_col = ((double)n_cols - 1.0) / 2.0;
  params->grid = tl_grid_full (n_cols);
}

/* --- checks --- */

static gboolean
check_grid (const TlGrid *grid, GError **error)
{
  const double x1 = grid->x0 + (double)grid->nx * grid->pitch;
  const double y1 = grid->y0 - (double)grid->ny * grid->pitch;

  if (grid->nx == 0 || grid->ny == 0)
    return tl_fail (error, TL_ERROR_VALUE,
                    _ ("a slice of %zu x %zu pixels has no pixel"), grid->ny,
                    grid->nx);
  if (!(grid->pitch > 0.0))
    return tl_fail (error, TL_ERROR_VALUE,
                    _ ("the distance between pixels is %g, it must be above 0"),
                    grid->pitch);
  if (!(fabs (grid->x0) <= TL_MAX_DISTANCE && fabs (grid->y0) <= TL_MAX_DISTANCE
        && fabs (x1) <= TL_MAX_DISTANCE && fabs (y1) <= TL_MAX_DISTANCE))
    return tl_fail (error, TL_ERROR_VALUE,
                    _ ("the slice reaches from x %g to %g and from y %g to %g, "
                       "more than %g columns from the axis"),
                    grid->x0, x1, grid->y0, y1, TL_MAX_DISTANCE);
  return TRUE;
}

gboolean
tl_params_check (const TlParams *params, size_t n_cols, GError **error)
{
  g_return_val_if_fail (params != NULL, FALSE);

  for (size_t i = 0; i < G_N_ELEMENTS (parameters); i++)
    {
      const TlParamSpec *p = &parameters[i];
      const double value = tl_param_spec_get_number (p, params);

      /* tl_phase_check() checks the values of phase retrieval */
      if (p->names == NULL && g_strcmp0 (p->of, "phase") != 0
          && strcmp (p->key, "centre") != 0
          && !tl_param_spec_check (p, value, error))
        return FALSE;
      g_return_val_if_fail (
          p->names == NULL || value < g_strv_length ((char **)p->names), FALSE);
    }
  /* the detector ends at the edges of its first and last pixel; the
   * comparisons are written so that NaN fails them */
  if (!(params->centre_col >= -0.5
        && params->centre_col <= (double)n_cols - 0.5))
    return tl_fail (
        error, TL_ERROR_VALUE,
        _ ("centre %g is outside the detector, whose %zu columns reach "
           "from -0.5 to %g"),
        params->centre_col, n_cols, (double)n_cols - 0.5);
  if (!(params->band_limit > 0.0 && params->band_limit <= 1.0))
    return tl_fail (
        error, TL_ERROR_VALUE,
        _ ("band limit %g is not a fraction of the Nyquist frequency "
           "above 0 and up to 1"),
        params->band_limit);
  return tl_phase_check (&params->phase, params->minus_log, n_cols, error)
         && check_grid (&params->grid, error);
}

gboolean
tl_params_allow_fourier (const TlParams *params)
{
  return params->method == TL_METHOD_FOURIER
         || (params->method == TL_METHOD_AUTO
             && params->interpolation == TL_INTERPOLATION_LINEAR
             && params->kernel == TL_KERNEL_AUTO);
}

size_t
tl_params_get_margin (const TlParams *params, size_t n_rows, size_t n_cols)
{
  return tl_phase_get_margin (&params->phase)
         + tl_tilt_get_margin (params->tilt_deg, params->centre_col, n_rows,
                               n_cols);
}

gboolean
tl_name_find (const char *const *names, const char *what, const char *name,
              int *value, GError **error)
{
  g_autofree char *list = NULL;

  g_return_val_if_fail (names != NULL, FALSE);
  g_return_val_if_fail (what != NULL, FALSE);
  g_return_val_if_fail (name != NULL, FALSE);
  g_return_val_if_fail (value != NULL, FALSE);

  const int index = tl_names_index (names, name);
  if (index >= 0)
    {
      *value = index;
      return TRUE;
    }
  list = g_strjoinv (", ", (char **)names);
  return tl_fail (error, TL_ERROR_VALUE,
                  _ ("there is no %s \"%s\"; there are %s"), what, name, list);
}
