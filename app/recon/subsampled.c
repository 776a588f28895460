#include "app/recon/subsampled-private.h"

#include "data/array.h"
#include "data/error.h"

#include <glib/gi18n.h>
#include <string.h>

gboolean
tl_subsampled_open (TlSubsampled *subsampled, TlEngine *like, const char *name,
                    GError **error)
{
  const gboolean is_host = strcmp (tl_engine_get_name (like), "host") == 0;
  if (subsampled->engine == NULL)
    subsampled->engine = tl_engine_open (is_host ? "host" : name, error);
  return subsampled->engine != NULL;
}

void
tl_subsampled_clear (TlSubsampled *subsampled)
{
  g_clear_pointer (&subsampled->engine, tl_engine_close);
  g_free (subsampled->samples);
  g_free (subsampled->angles_rad);
  *subsampled = (TlSubsampled){ 0 };
}

/* Counts the raw samples here and in the engine, and as floats the corrected
 * values and those without zingers. Phase retrieval after a tilt correction
 * needs a third array of floats, because only then all rows are rotated. */
gboolean
tl_subsampled_check_size (const TlScanInfo *info, const TlParams *params,
                          size_t row, guint every, GError **error)
{
  const size_t wide =
      tl_rows_widen (tl_params_get_margin (params, info->n_rows, info->n_cols));
  const gboolean is_turned =
      params->phase.on
      && tl_tilt_resamples (params->tilt_deg, params->centre_col, info->n_cols);
  const double n_floats = is_turned ? 3 : 2;
  const size_t n_rows =
      MIN (wide, row) + 1 + MIN (wide, info->n_rows - row - 1);
  const size_t n_projections = (info->n_projections + every - 1) / every;
  const double sample_bytes =
      2.0 * (double)tl_sample_size (info->type) + n_floats * sizeof (float);
  const double bytes = (double)n_projections * (double)n_rows
                       * (double)info->n_cols * sample_bytes;
  if (bytes <= TL_SUBSAMPLED_BYTES)
    return TRUE;
  return tl_fail (error, TL_ERROR_MEMORY,
                  _ ("the projections of a preview take %.1f GB"), bytes / 1e9);
}

static gboolean
make_room (TlSubsampled *subsampled, size_t n_projections,
           size_t projection_bytes, GError **error)
{
  const size_t n_bytes = n_projections * projection_bytes;
  if (subsampled->n_bytes < n_bytes)
    {
      g_clear_pointer (&subsampled->samples, g_free);
      subsampled->n_bytes = 0;
      subsampled->samples =
          tl_try_alloc (n_projections, projection_bytes, 1, 1,
                        _ ("the projections of a preview"), error);
      if (subsampled->samples == NULL)
        return FALSE;
      subsampled->n_bytes = n_bytes;
    }
  g_free (subsampled->angles_rad);
  subsampled->angles_rad = tl_try_alloc (1, 1, n_projections, sizeof (double),
                                         _ ("the angles"), error);
  return subsampled->angles_rad != NULL;
}

static gboolean
has_loaded (const TlSubsampled *subsampled, const TlRows *rows, size_t margin,
            guint every)
{
  return subsampled->is_loaded && subsampled->every == every
         && subsampled->n_above >= MIN (margin / 2, rows->n_above)
         && subsampled->n_below >= MIN (margin / 2, rows->n_below);
}

static const double *
skip (const double *field, size_t n)
{
  return field != NULL ? field + n : NULL;
}

gboolean
tl_subsampled_load (TlSubsampled *subsampled, const TlRows *rows,
                    const TlScanInfo *info, const double *angles_rad,
                    size_t margin, guint *every, GError **error)
{
  const guint stride = MAX (*every / rows->every, 1); /* among @rows */
  *every = stride * rows->every;
  if (has_loaded (subsampled, rows, margin, *every))
    return TRUE;
  subsampled->is_loaded = FALSE;
  TlBlock block = tl_rows_get_block (rows, info, angles_rad);
  const size_t wide = tl_rows_widen (margin);
  const size_t all_samples = block.n_rows * block.n_cols;
  block.n_above = MIN (wide, rows->n_above);
  block.n_below = MIN (wide, rows->n_below);
  block.n_rows = block.n_above + rows->n_rows + block.n_below;
  block.n_projections = (block.n_projections + stride - 1) / stride;
  const size_t n_rows_skipped = rows->n_above - block.n_above;
  const size_t n_skipped = n_rows_skipped * block.n_cols;
  block.middle_row -= (double)n_rows_skipped;
  const size_t n_samples = block.n_rows * block.n_cols;
  const size_t sample_bytes = tl_sample_size (block.type);
  if (!make_room (subsampled, block.n_projections, n_samples * sample_bytes,
                  error))
    return FALSE;
  for (size_t p = 0; p < block.n_projections; p++)
    {
      memcpy ((char *)subsampled->samples + p * n_samples * sample_bytes,
              (const char *)rows->samples
                  + (p * stride * all_samples + n_skipped) * sample_bytes,
              n_samples * sample_bytes);
      subsampled->angles_rad[p] = angles_rad[p * stride];
    }
  block.samples = subsampled->samples;
  block.angles_rad = subsampled->angles_rad;
  block.weights = block.turn_weights = NULL;
  block.dark = skip (block.dark, n_skipped);
  block.flat_first = skip (block.flat_first, n_skipped);
  block.flat_last = skip (block.flat_last, n_skipped);
  subsampled->is_loaded = tl_engine_load (subsampled->engine, &block, error);
  subsampled->every = *every;
  subsampled->n_above = block.n_above;
  subsampled->n_below = block.n_below;
  return subsampled->is_loaded;
}
