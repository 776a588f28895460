#include "gpu/choice/device-memory.h"

#include "gpu/stages/filter.h"
#include "gpu/stages/fourier.h"
#include "gpu/stages/wavelet.h"

/* The working memory of transforms, in floats: a batch of lines and what cuFFT
 * needs for it. Phase retrieval has two kinds of lines. */
#define BATCH_FLOATS ((guint64)1 << 22)

/* Of three dark and flat fields, which are doubles, and of the three tables of
 * dead pixels, in floats. */
#define FIELD_FLOATS 9

/* Floats of a column of a filtered row, in the texture and the plain memory of
 * the hybrid kernel: gpu/cuda/backproject/layout.h. Fast precision halves them.
 */
static const guint64 stored_floats[TL_N_INTERPOLATIONS] = {
  [TL_INTERPOLATION_NEAREST] = 2,
  [TL_INTERPOLATION_LINEAR] = 3,
  [TL_INTERPOLATION_OVERSAMPLED] = 5,
  [TL_INTERPOLATION_CUBIC] = 5,
};

/* The same for planes, whose rows always have full precision. */
static const guint64 plane_floats[TL_N_INTERPOLATIONS] = {
  [TL_INTERPOLATION_NEAREST] = 1,
  [TL_INTERPOLATION_LINEAR] = 2,
  [TL_INTERPOLATION_OVERSAMPLED] = 4,
  [TL_INTERPOLATION_CUBIC] = 2, /* they are made with LINEAR then */
};

/* Rows are stored in groups of four slices, or of up to 32 with a float for
 * each at most, which is less than stored_floats. */
#define GROUP 4

/* Returns: the floats that the removal of rings works with */
static guint64
count_ring_floats (const TlParams *params, const TlDeviceLoad *load)
{
  const guint n_levels = params->ring_levels;
  g_autofree TlWaveletLevel *levels = g_new (TlWaveletLevel, n_levels);
  guint64 n_spectrum = 0;

  if (params->rings == TL_RINGS_OFF)
    return 0;
  if (params->rings == TL_RINGS_SORTING)
    return 3 * (guint64)load->n_projections * load->n_cols;
  const guint64 n = tl_wavelet_plan (load->n_projections, load->n_rows,
                                     load->n_cols, n_levels, levels);
  for (guint l = 0; l < n_levels; l++)
    n_spectrum =
        MAX (n_spectrum, 2
                             * tl_wavelet_count_frequencies (
                                 params->ring_sigma, levels[l].coarse_angles)
                             * load->n_rows * levels[l].coarse_cols);
  return n + n_spectrum;
}

/* Returns: the floats of the projections after each correction */
static guint64
count_corrected_floats (const TlParams *params, const TlDeviceLoad *load,
                        guint64 n_block)
{
  const guint64 n = (guint64)load->n_projections * load->n_rows * load->n_cols;
  const gboolean turns =
      tl_tilt_resamples (params->tilt_deg, params->centre_col, load->n_cols);
  const gboolean is_phase = params->phase.on;
  const guint64 n_first = turns || is_phase ? n_block : n;

  return n_first + (params->zingers ? n_first : 0)
         + (turns ? is_phase ? n_block : n : 0)
         + (is_phase ? n + 2 * BATCH_FLOATS : 0)
         + (params->rings != TL_RINGS_OFF || params->beam_hardening > 0 ? n : 0)
         + count_ring_floats (params, load);
}

/* Returns: the floats of a group of slices of the Fourier method, from lines of
 * @length values: points, grid, and rows */
static guint64
count_fourier_floats (const TlParams *params, const TlDeviceLoad *load,
                      size_t length)
{
  const size_t finer =
      tl_fourier_count_finer (params->grid.pitch, length / 2, length);
  const guint64 nu = tl_fourier_grid_length (finer * params->grid.nx);
  const guint64 nv = tl_fourier_grid_length (finer * params->grid.ny);

  return MIN (load->n_rows, GROUP)
         * (load->n_projections * ((guint64)length + 2)
            + (nu + 2) * (nv + params->grid.ny));
}

/* Returns: the floats of the filtered rows, whose lines have @n_cols columns */
static guint64
count_stored_floats (const TlParams *params, const TlDeviceLoad *load,
                     size_t n_cols)
{
  const guint64 n_ray = load->n_projections * (guint64)n_cols;
  const guint64 n_groups = (load->n_rows + GROUP - 1) / GROUP;

  if (load->for_planes)
    return n_ray * load->n_rows * plane_floats[params->interpolation];
  return n_ray * GROUP * n_groups * stored_floats[params->interpolation]
         / (params->precision == TL_PRECISION_FAST ? 2 : 1);
}

/* Returns: the floats of the spectra, and of the filtered rows or of the
 * Fourier method, which keeps no halves */
static guint64
count_filtered_floats (const TlParams *params, const TlDeviceLoad *load)
{
  const size_t n_cols =
      tl_half_span (params->half, params->centre_col, load->n_cols).n_cols;
  const size_t length = tl_filter_length (n_cols);
  const guint64 n_lines = (guint64)load->n_projections * load->n_rows;
  const guint64 n_spectrum = n_lines * (length + 4);
  const gboolean in_halves =
      params->precision == TL_PRECISION_FAST && load->n_rows >= GROUP;
  /* the lines of a single slice are all kept, for its symmetry */
  const guint64 n_batch =
      load->n_rows == 1 ? n_spectrum : MIN (n_spectrum, BATCH_FLOATS);

  const guint64 n_rows = (in_halves ? n_spectrum / 2 : n_spectrum) + n_batch
                         + count_stored_floats (params, load, n_cols);
  const guint64 n_fourier =
      tl_params_allow_fourier (params)
          ? n_spectrum + count_fourier_floats (params, load, length)
          : 0;

  return BATCH_FLOATS
         + (params->method == TL_METHOD_FOURIER ? n_fourier
                                                : MAX (n_rows, n_fourier));
}

guint64
tl_device_memory_estimate (const TlParams *params, const TlDeviceLoad *load)
{
  g_return_val_if_fail (params != NULL && load != NULL, 0);

  const guint64 n_pixels =
      (guint64)(load->n_rows + load->n_extra_rows) * load->n_cols;
  const guint64 n_block = load->n_projections * n_pixels;
  const guint64 n_slice = (guint64)params->grid.ny * params->grid.nx;
  const guint64 n_floats = 2 * FIELD_FLOATS * n_pixels
                           + count_corrected_floats (params, load, n_block)
                           + count_filtered_floats (params, load)
                           + load->n_frames * load->n_rows * n_slice;

  /* one block is uploaded while another one is reconstructed */
  return 2 * n_block * tl_sample_size (load->type) + n_floats * sizeof (float);
}
