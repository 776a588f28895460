/* Reports the error of fast precision, and writes its map next to the slice. */
#include "app/cli/recon/cost-private.h"

#include "app/cli/cli-private.h"
#include "app/cli/json-private.h"
#include "data/write/writer.h"

#include <math.h>
#include <stdio.h>

gboolean
tl_cli_cost_write (const TlPrecisionCost *cost, const char *path, gboolean png,
                   GError **error)
{
  g_autofree char *map_path = tl_cli_swap_suffix (path, TL_CLI_COST_MAP_SUFFIX);
  g_autofree char *png_path = tl_cli_swap_suffix (path, TL_CLI_COST_PNG_SUFFIX);
  const size_t n_rows = tl_frame_get_n_rows (cost->map);
  const size_t n_cols = tl_frame_get_n_cols (cost->map);
  if (!tl_frame_fetch (cost->map, error))
    return FALSE;
  const float *pixels = tl_frame_get_pixels (cost->map);
  if (!tl_write_tiff (map_path, pixels, n_rows, n_cols,
                      "fast minus full precision, attenuation per pixel length",
                      error))
    return FALSE;
  /* The grey levels are symmetric around 0, and not empty if nothing
   * differs. */
  const float low = tl_stats_percentile (&cost->stats, TL_CLI_PNG_LOW);
  const float high = tl_stats_percentile (&cost->stats, TL_CLI_PNG_HIGH);
  const float reach = fmaxf (fmaxf (-low, high), 1e-30f);
  return !png
         || tl_write_png (png_path, pixels, n_rows, n_cols, -reach, reach,
                          error);
}

void
tl_cli_cost_report (const TlPrecisionCost *cost, const char *path, TlJson *json)
{
  const TlComparison *figures = &cost->figures;
  g_autofree char *map_path = tl_cli_swap_suffix (path, TL_CLI_COST_MAP_SUFFIX);
  g_autofree char *words = tl_precision_cost_describe (cost);
  if (json == NULL)
    printf ("%s: %s\n", map_path, words);
  tl_json_add (json,
               "precision_cost: {path: %s, full: %s, fast: %s, relative_l2: "
               "%f, max: %f, row: %zu, column: %zu, standard_deviation: %f, "
               "left_out: %zu}",
               map_path, cost->full, cost->fast, figures->relative_l2,
               (double)figures->max, figures->row, figures->col,
               figures->deviation, figures->n_left_out);
}
