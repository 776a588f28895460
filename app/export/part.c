#include "app/export/part.h"

#include "data/error.h"
#include "data/write/staging.h"
#include "data/write/volume/checksums.h"

#include <errno.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <string.h>

/* Parts begin at such a multiple of rows, where there are so many for each part
 * that nobody gets much more than the others: the blocks of the pipeline are
 * then the same in the parts and in the whole. */
#define UNIT 32
#define MIN_UNITS 4

static size_t
take_share (size_t n, size_t unit, guint part, guint n_parts, size_t *first)
{
  const size_t n_units = (n + unit - 1) / unit;
  *first = (part - 1) * n_units / n_parts * unit;
  return MIN (part * n_units / n_parts * unit, n) - *first;
}

gboolean
tl_export_take_part (const TlExportJob *job, TlExportSettings *settings,
                     GError **error)
{
  const TlVolumeFormat format = job->settings.format;
  const guint binning = job->settings.binning;
  const TlGrid grid =
      tl_export_settings_get_grid (&job->settings, &job->recipe->params.grid);
  *settings = job->settings;
  if (job->n_parts == 0)
    return TRUE;
  g_return_val_if_fail (job->part >= 1 && job->part <= job->n_parts, FALSE);
  if (format != TL_VOLUME_TIFF && !tl_volume_is_hdf5 (format))
    return tl_fail (error, TL_ERROR_UNSUPPORTED,
                    _ ("parts of a volume of the format %s cannot be joined: "
                       "choose tiff, hdf5 or nexus"),
                    tl_volume_format_get_info (format)->name);
  if (settings->region_n_cols == 0)
    {
      settings->region_n_cols = grid.nx;
      settings->region_n_rows = grid.ny;
    }
  size_t *n = settings->plane == TL_PLANE_XY   ? &settings->n_rows
              : settings->plane == TL_PLANE_XZ ? &settings->region_n_rows
                                               : &settings->region_n_cols;
  const size_t n_slices = *n / binning;
  const size_t unit = n_slices >= (size_t)UNIT * MIN_UNITS * job->n_parts
                          ? UNIT * binning
                          : binning;
  size_t first;
  *n = take_share (n_slices * binning, unit, job->part, job->n_parts, &first);
  if (n_slices < job->n_parts)
    return tl_fail (error, TL_ERROR_VALUE,
                    g_dngettext (NULL,
                                 "%zu slice cannot be shared in %u parts, of "
                                 "which some would be empty: take fewer parts",
                                 "%zu slices cannot be shared in %u parts, of "
                                 "which some would be empty: take fewer parts",
                                 n_slices),
                    n_slices, job->n_parts);
  if (settings->plane == TL_PLANE_XY)
    settings->first_row += first * settings->row_step;
  else if (settings->plane == TL_PLANE_XZ)
    settings->region_row += first;
  else
    settings->region_col += first;
  return TRUE;
}

static char *
dup_parts_name (const TlExportJob *job)
{
  const char *suffix = tl_volume_format_get_info (job->settings.format)->suffix;
  g_autofree char *name = tl_staging_dup_name (job->path);
  if (g_str_has_suffix (name, suffix))
    name[strlen (name) - strlen (suffix)] = '\0';
  return g_strconcat (name, ".parts", NULL);
}

char *
tl_export_dup_part_name (const TlExportJob *job)
{
  g_autofree char *parts = dup_parts_name (job);
  return g_strdup_printf (
      "%s/%u-of-%u%s", parts, job->part, job->n_parts,
      tl_volume_format_get_info (job->settings.format)->suffix);
}

static char *
dup_in_folder (const TlExportJob *job, const char *name)
{
  g_autofree char *canonical = g_canonicalize_filename (job->path, NULL);
  g_autofree char *folder = g_path_get_dirname (canonical);
  return g_build_filename (folder, name, NULL);
}

char *
tl_export_dup_part_path (const TlExportJob *job)
{
  g_autofree char *name = tl_export_dup_part_name (job);
  return dup_in_folder (job, name);
}

char *
tl_export_dup_parts_folder (const TlExportJob *job)
{
  g_autofree char *name = dup_parts_name (job);
  return dup_in_folder (job, name);
}

char *
tl_export_dup_part_sums (const TlExportJob *job)
{
  g_autofree char *path = tl_export_dup_part_path (job);
  return g_strconcat (path, TL_PART_SUMS_SUFFIX, NULL);
}

gboolean
tl_export_check_part_sums (const char *path, GCancellable *cancellable,
                           GError **error)
{
  g_autofree char *sums_path = g_strconcat (path, TL_PART_SUMS_SUFFIX, NULL);
  g_autofree char *want = NULL;
  if (!g_file_get_contents (sums_path, &want, NULL, NULL))
    return tl_fail (error, TL_ERROR_FILE,
                    _ ("%s: the checksums of this part are missing (%s): make "
                       "it again"),
                    path, sums_path);
  g_autofree char *got = tl_checksums_make (path, cancellable, error);
  if (got == NULL)
    return FALSE;
  g_autofree char *name = tl_checksums_find_difference (want, got);
  return name == NULL
         || tl_fail (error, TL_ERROR_FILE,
                     _ ("%s: this part has changed since it was made (%s was "
                        "replaced or damaged): make it again"),
                     path, name);
}

char *
tl_export_dup_joined (const TlExportJob *job)
{
  const TlVolumeFormat format = job->settings.format;
  if (job->n_parts == 0 || !tl_volume_is_hdf5 (format))
    return NULL;
  g_autofree char *name = tl_export_dup_part_name (job);
  return tl_volume_has_part (format, job->path, name) ? g_strdup (job->path)
                                                      : NULL;
}

gboolean
tl_export_check_joined (const TlExportJob *job, GError **error)
{
  g_autofree char *joined = tl_export_dup_joined (job);
  return joined == NULL || (job->overwrites && !job->resumes)
         || tl_fail (error, TL_ERROR_FILE,
                     _ ("%s: this volume shows the slices of the part, which "
                        "would change in it: remove it, or say --overwrite "
                        "without --resume, make the part and join again"),
                     joined);
}

gboolean
tl_export_remove_joined (const TlExportJob *job, GError **error)
{
  g_autofree char *joined = tl_export_dup_joined (job);
  if (!tl_export_check_joined (job, error))
    return FALSE;
  return joined == NULL || g_unlink (joined) == 0 || errno == ENOENT
         || tl_fail (error, TL_ERROR_FILE, _ ("%s: cannot be removed: %s"),
                     joined, g_strerror (errno));
}
