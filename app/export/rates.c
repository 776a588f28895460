#include "app/export/rates.h"

#include "data/write/part-file.h"
#include "gpu/choice/tuning.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

/* The host's name is part of it, because machines may share a home folder. */
static char *
dup_path (void)
{
  g_autofree char *name =
      g_strdup_printf ("export-rates-%s.ini", g_get_host_name ());
  return g_build_filename (g_get_user_cache_dir (), "tomolens", name, NULL);
}

/* Returns: (transfer full): "host", "cuda x 2" */
static char *
dup_group (const TlExportEffort *effort)
{
  const guint n = g_strv_length ((char **)effort->engines);
  const char *name = effort->engines[0];
  return g_strdup_printf ("%.*s x %u", (int)strcspn (name, ":"), name, n);
}

/* Returns: (transfer full): "xy-1024-zarr-uint8-5-auto-linear-full" */
static char *
dup_key (const TlExportEffort *effort)
{
  const TlExportSettings *settings = effort->settings;
  const TlParams *params = effort->params;
  const TlGrid grid = tl_export_settings_get_grid (settings, &params->grid);
  return g_strdup_printf (
      "%s-%u-%s-%s-%d-%s-%s-%s", tl_volume_plane_name (settings->plane),
      tl_tuning_get_class (grid.nx, grid.ny),
      tl_volume_format_get_info (settings->format)->name,
      tl_volume_sample_name (settings->sample), settings->compression,
      tl_method_names[params->method],
      tl_interpolation_names[params->interpolation],
      tl_precision_names[params->precision]);
}

/* Returns: additions to a pixel, each of a projection, for one row of a pass */
static double
count_work (const TlExportEffort *effort)
{
  const TlExportSettings *settings = effort->settings;
  const TlGrid grid =
      tl_export_settings_get_grid (settings, &effort->params->grid);
  const double n_pixels =
      (double)grid.nx * (double)grid.ny
      / (settings->plane == TL_PLANE_XY ? 1 : (double)effort->n_passes);
  return n_pixels * (double)effort->info->n_projections;
}

double
tl_export_rates_expect (const TlExportEffort *effort)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autofree char *path = dup_path ();
  g_autofree char *group = dup_group (effort);
  g_autofree char *key = dup_key (effort);
  if (!g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, NULL))
    return 0;
  const double unit_s = g_key_file_get_double (file, group, key, NULL);
  return isfinite (unit_s) && unit_s > 0
             ? unit_s * count_work (effort) * (double)effort->settings->n_rows
                   * (double)effort->n_passes
             : 0;
}

void
tl_export_rates_note (const TlExportEffort *effort, size_t n_rows,
                      double seconds)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *path = dup_path ();
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *group = dup_group (effort);
  g_autofree char *key = dup_key (effort);
  g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, NULL);
  g_key_file_set_double (file, group, key,
                         seconds / (double)n_rows / count_work (effort));
  g_autofree char *text = g_key_file_to_data (file, NULL, NULL);
  if (g_mkdir_with_parents (folder, 0777) != 0)
    g_info ("%s: %s", folder, g_strerror (errno));
  else if (!tl_write_file (path, text, strlen (text), TRUE, &error))
    g_info ("%s", error->message);
}
