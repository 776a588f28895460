/* Writes pictures of candidates for the axis: one file each, and all on one
 * sheet. */
#include "app/cli/centre/centre-private.h"
#include "data/array.h"
#include "data/error.h"
#include "data/write/part-file.h"
#include "data/write/writer.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

/* Finds the grey levels in the picture of the middle candidate; all pictures
 * use them. */
static void
find_levels (TlFrame *frame, float *low, float *high)
{
  const size_t n = tl_frame_get_n_rows (frame) * tl_frame_get_n_cols (frame);
  const float *pixels = tl_frame_get_pixels (frame);
  g_autofree double *sorted = g_new (double, n);
  for (size_t k = 0; k < n; k++)
    sorted[k] = (double)pixels[k];
  tl_sort_doubles (sorted, n);
  *low = (float)sorted[(size_t)(TL_CLI_PNG_LOW * (double)(n - 1))];
  *high = (float)sorted[(size_t)(TL_CLI_PNG_HIGH * (double)(n - 1))];
}

/* Places the pictures in rows on a sheet, with a line of the darkest grey
 * between them. */
gboolean
tl_cli_candidates_write_sheet (const TlCandidateResult *results, size_t n,
                               const char *path, GError **error)
{
  const size_t n_rows = tl_frame_get_n_rows (results[0].frame);
  const size_t n_cols = tl_frame_get_n_cols (results[0].frame);
  const size_t n_across = (size_t)ceil (sqrt ((double)n));
  const size_t width = n_across * (n_cols + 1);
  const size_t height = (n + n_across - 1) / n_across * (n_rows + 1);
  float low, high;
  g_autofree float *sheet = tl_try_alloc (height, width, 1, sizeof (float),
                                          "a picture of all candidates", error);
  if (sheet == NULL)
    return FALSE;
  find_levels (results[n / 2].frame, &low, &high);
  for (size_t k = 0; k < height * width; k++)
    sheet[k] = low;
  for (size_t k = 0; k < n; k++)
    for (size_t i = 0; i < n_rows; i++)
      memcpy (sheet + (k / n_across * (n_rows + 1) + i) * width
                  + k % n_across * (n_cols + 1),
              tl_frame_get_pixels (results[k].frame) + i * n_cols,
              n_cols * sizeof (float));
  return tl_write_png (path, sheet, height, width, low, high, error);
}

gboolean
tl_cli_candidate_write (TlRecon *recon, const TlRecipe *recipe,
                        double centre_col, const TlGrid *grid, const char *path,
                        GCancellable *cancellable, GError **error)
{
  g_autofree char *description = g_strdup_printf (
      "attenuation per pixel length; slice %zu, centre %g, boundary %g",
      recipe->slice, centre_col, tl_centre_to_boundary (centre_col));
  g_auto (TlCandidateResult) made = { 0 };
  TlCandidateView view = { .shown = *grid };
  return tl_candidate_run (recon, recipe, centre_col, &view, cancellable, &made,
                           error)
         && tl_write_tiff (path, tl_frame_get_pixels (made.frame), grid->ny,
                           grid->nx, description, error);
}

gboolean
tl_cli_candidates_make_folder (TlRecon *recon, const char *folder, size_t n,
                               const TlGrid *grid, GError **error)
{
  const TlScanInfo *info = tl_reader_get_info (tl_recon_get_reader (recon));
  if (!tl_check_output (info->path, folder, error)
      || !tl_check_room (folder, n * grid->ny * grid->nx * sizeof (float),
                         error))
    return FALSE;
  if (g_mkdir_with_parents (folder, 0777) == 0)
    return TRUE;
  return tl_fail (error, TL_ERROR_FILE, "%s: the folder cannot be made: %s",
                  folder, g_strerror (errno));
}
