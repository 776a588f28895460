#include "app/export/join.h"
#include "app/export/part.h"
#include "app/export/volume-private.h"

#include "data/error.h"
#include "data/write/part-file.h"
#include "data/write/staging.h"
#include "data/write/volume/volume.h"

#include <errno.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BLOCK_BYTES 4096 /* of a file system: files take whole ones */

/* Returns: whether all parts of @job are there */
static gboolean
has_parts (TlExportJob part)
{
  gboolean found = TRUE;
  for (part.part = 1; found && part.part <= part.n_parts; part.part++)
    {
      g_autofree char *path = tl_export_dup_part_path (&part);
      found = g_file_test (path, G_FILE_TEST_EXISTS);
    }
  return found;
}

/* Returns: another number of parts than that of @job, of which all are there;
 * 0 if there is none */
static guint
find_other_number (const TlExportJob *job)
{
  const char *suffix = tl_volume_format_get_info (job->settings.format)->suffix;
  g_autofree char *folder = tl_export_dup_parts_folder (job);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      TlExportJob other = *job;
      int length = 0;
      if (sscanf (name, "%u-of-%u%n", &other.part, &other.n_parts, &length) == 2
          && strcmp (name + length, suffix) == 0
          && other.n_parts != job->n_parts && other.n_parts <= G_MAXUINT16
          && has_parts (other))
        return other.n_parts;
    }
  return 0;
}

static gboolean
check_exists (const TlExportJob *job, const char *part, GError **error)
{
  if (g_file_test (part, G_FILE_TEST_EXISTS))
    return TRUE;
  const guint other = find_other_number (job);
  return other > 0
             ? tl_fail (error, TL_ERROR_FILE,
                        _ ("%s: this part is missing, but there are parts of "
                           "%u: say --join %u, or make it, then join again"),
                        part, other, other)
             : tl_fail (
                 error, TL_ERROR_FILE,
                 _ ("%s: this part is missing: make it, then join again"),
                 part);
}

/* Integers of two ranges would be samples of different values. Those of HDF5
 * are compared when the file is made.
 *
 * @range: (inout): of the first part */
static gboolean
check_range (const TlExportJob *job, const char *part, double range[2],
             GError **error)
{
  double own[2] = { 0 };
  const gboolean has_range =
      tl_volume_read_range (job->settings.format, part, &own[0], &own[1]);
  if (!has_range && job->settings.format == TL_VOLUME_TIFF
      && tl_volume_sample_max (job->settings.sample) > 0)
    return tl_fail (error, TL_ERROR_FILE,
                    _ ("%s: the range of the samples of this part cannot be "
                       "read: make it again"),
                    part);
  if (job->part == 1)
    memcpy (range, own, sizeof own);
  return (own[0] == range[0] && own[1] == range[1])
         || tl_fail (error, TL_ERROR_VALUE,
                     _ ("%s: the range of the samples of this part is not that "
                        "of the first part: give it by --range, and make the "
                        "parts again"),
                     part);
}

/* Returns: whether all parts are there and were made as @job would make them */
static gboolean
check_parts (const TlExportJob *job, GError **error)
{
  g_autofree char *want = tl_volume_dup_recipe (job);
  double range[2];
  TlExportJob part = *job;
  for (part.part = 1; part.part <= job->n_parts; part.part++)
    {
      g_autofree char *path = tl_export_dup_part_path (&part);
      if (!check_exists (job, path, error))
        return FALSE;
      g_autofree char *got = tl_volume_dup_kept_recipe (&part, path);
      if (got == NULL)
        return tl_fail (error, TL_ERROR_FILE,
                        _ ("%s: this part cannot be read: make it again"),
                        path);
      g_autofree char *changes = tl_volume_dup_changes (job, got);
      if (strcmp (got, want) != 0)
        return tl_fail (error, TL_ERROR_VALUE,
                        _ ("%s: this part was made from another scan, with "
                           "another recipe or with other options%s; make it "
                           "again"),
                        path, changes);
      if (!check_range (&part, path, range, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
check_all_sums (const TlExportJob *job, GCancellable *cancellable,
                GError **error)
{
  TlExportJob part = *job;
  gboolean good = TRUE;
  for (part.part = 1; good && part.part <= job->n_parts; part.part++)
    {
      g_autofree char *path = tl_export_dup_part_path (&part);
      good = tl_export_check_part_sums (path, cancellable, error);
    }
  return good;
}

/* Slices that cannot have a second name, but must be copied. */
typedef struct
{
  GPtrArray *paths;
  guint64 n_bytes; /* on the disk */
} Copies;

static gboolean
link_file (const char *from, const char *to, goffset n_bytes, Copies *copies,
           GError **error)
{
  if (link (from, to) == 0)
    return TRUE;
  if (errno != EPERM && errno != EOPNOTSUPP && errno != EMLINK
      && errno != EXDEV)
    return tl_set_write_error (error, to, errno, NULL);
  g_ptr_array_add (copies->paths, g_strdup (from));
  copies->n_bytes += ((guint64)n_bytes / BLOCK_BYTES + 1) * BLOCK_BYTES;
  return TRUE;
}

static gboolean
check_room (const TlExportJob *job, const Copies *copies, GError **error)
{
  guint64 free_bytes;
  if (!tl_get_room (job->path, &free_bytes, error))
    return FALSE;
  g_autofree char *needed = g_format_size (copies->n_bytes);
  g_autofree char *there = g_format_size (free_bytes);
  return copies->n_bytes <= free_bytes
         || tl_fail (error, TL_ERROR_FILE,
                     _ ("%s: hard links are not possible here, and copies of "
                        "the slices of the parts take %s, but %s is free: make "
                        "room, then join again"),
                     job->path, needed, there);
}

static gboolean
copy_files (const Copies *copies, const char *folder, GError **error)
{
  for (guint k = 0; k < copies->paths->len; k++)
    {
      const char *from = copies->paths->pdata[k];
      g_autofree char *name = g_path_get_basename (from);
      g_autofree char *to = g_build_filename (folder, name, NULL);
      g_autoptr (GFile) source = g_file_new_for_path (from);
      g_autoptr (GFile) target = g_file_new_for_path (to);
      if (!g_file_copy (source, target, G_FILE_COPY_NONE, NULL, NULL, NULL,
                        error))
        return FALSE;
    }
  return TRUE;
}

/* Gives the slices of a part a second name in @folder, and lists those that
 * cannot have one. */
static gboolean
join_slices (const TlExportJob *job, const char *part, const char *folder,
             Copies *copies, GError **error)
{
  TlExportSettings settings;
  TlVolumeInfo info;
  if (!tl_export_take_part (job, &settings, error))
    return FALSE;
  tl_export_settings_describe (&settings, &job->recipe->params.grid, 0, &info);
  for (size_t k = 0; k < info.n_slices; k++)
    {
      g_autofree char *name = tl_volume_dup_slice_name (&info, k);
      g_autofree char *from = g_build_filename (part, name, NULL);
      g_autofree char *to = g_build_filename (folder, name, NULL);
      GStatBuf status;
      if (g_stat (from, &status) != 0)
        return tl_fail (error, TL_ERROR_FILE,
                        _ ("%s: this slice is missing: make the part again"),
                        from);
      if (!link_file (from, to, status.st_size, copies, error))
        return FALSE;
    }
  return TRUE;
}

/* What the metadata of the joined volume say. The strings are borrowed. */
static void
describe (const TlExportJob *job, const char *scan, const char *recipe,
          const char *command, TlVolumeInfo *info)
{
  tl_volume_describe (job, &job->settings, &job->recipe->params.grid, info);
  info->scan = scan;
  info->recipe = recipe;
  info->command = command;
}

/* Returns: (transfer full): what the metadata of all parts say of the rows that
 * could not be made */
static char *
dup_failures (const TlExportJob *job)
{
  GString *text = g_string_new (NULL);
  TlExportJob part = *job;
  for (part.part = 1; part.part <= job->n_parts; part.part++)
    {
      g_autofree char *path = tl_export_dup_part_path (&part);
      g_autofree char *own =
          tl_volume_read_failures (job->settings.format, path);
      g_string_append (text, own != NULL ? own : "");
    }
  return g_string_free (text, FALSE);
}

static gboolean
join_stack (const TlExportJob *job, const char *path, GError **error)
{
  g_autofree char *recipe_path =
      g_build_filename (path, TL_EXPORT_RECIPE, NULL);
  g_autofree char *recipe = tl_volume_dup_recipe (job);
  g_autofree char *scan = g_filename_display_basename (job->scan);
  g_autofree char *command = tl_export_dup_command (job);
  g_autoptr (GStrvBuilder) parts = g_strv_builder_new ();
  TlVolumeInfo info;
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  Copies copies = { .paths = paths };
  if (g_mkdir (path, 0777) != 0)
    return tl_set_write_error (error, path, errno, NULL);
  TlExportJob part = *job;
  for (part.part = 1; part.part <= job->n_parts; part.part++)
    {
      g_autofree char *part_path = tl_export_dup_part_path (&part);
      if (!join_slices (&part, part_path, path, &copies, error))
        return FALSE;
      g_strv_builder_add (parts, part_path);
    }
  describe (job, scan, recipe, command, &info);
  g_auto (GStrv) list = g_strv_builder_end (parts);
  return check_room (job, &copies, error) && copy_files (&copies, path, error)
         && tl_volume_join_stack (path, &info, (const char *const *)list, error)
         && tl_write_file (recipe_path, recipe, strlen (recipe), TRUE, error);
}

static gboolean
join_hdf5 (const TlExportJob *job, const char *path, GError **error)
{
  g_autofree TlVolumePart *parts = g_new0 (TlVolumePart, job->n_parts);
  g_autofree char *scan = g_filename_display_basename (job->scan);
  g_autofree char *recipe = tl_volume_dup_recipe (job);
  g_autofree char *command = tl_export_dup_command (job);
  g_autofree char *canonical = g_canonicalize_filename (job->path, NULL);
  g_autofree char *folder = g_path_get_dirname (canonical);
  g_autofree char *failures = NULL;
  TlExportJob part = *job;
  TlVolumeInfo info;
  gboolean good = TRUE;
  describe (job, scan, recipe, command, &info);
  info.failures = failures = dup_failures (job);
  for (part.part = 1; good && part.part <= job->n_parts; part.part++)
    {
      TlExportSettings settings;
      TlVolumeInfo own;
      good = tl_export_take_part (&part, &settings, error);
      tl_export_settings_describe (&settings, &job->recipe->params.grid, 0,
                                   &own);
      parts[part.part - 1].name = tl_export_dup_part_name (&part);
      parts[part.part - 1].first_number = own.first_number;
      parts[part.part - 1].n_slices = own.n_slices;
    }
  good =
      good && tl_volume_join (path, &info, folder, parts, job->n_parts, error);
  for (guint k = 0; k < job->n_parts; k++)
    g_free (parts[k].name);
  return good;
}

/* The files of a stack are in its folder now. A part that cannot be removed
 * does no harm to the volume, which is whole. */
static void
remove_parts (const TlExportJob *job)
{
  g_autofree char *parts = tl_export_dup_parts_folder (job);
  TlExportJob part = *job;
  for (part.part = 1; part.part <= job->n_parts; part.part++)
    {
      g_autofree char *path = tl_export_dup_part_path (&part);
      g_autofree char *sums_path = tl_export_dup_part_sums (&part);
      g_autoptr (GError) error = NULL;
      if (!tl_remove_all (path, &error))
        g_info ("%s", error->message);
      g_unlink (sums_path);
    }
  g_rmdir (parts); /* which may have parts of other volumes */
}

gboolean
tl_export_join (const TlExportJob *job, GCancellable *cancellable,
                GError **error)
{
  const gboolean is_stack = job->settings.format == TL_VOLUME_TIFF;
  TlExportJob whole = *job;
  whole.n_parts = 0;
  g_autofree char *state = tl_export_dup_state (&whole);
  g_auto (GStrv) names = tl_volume_dup_names (&whole);
  if (!tl_export_check_consent (&whole, error) || !check_parts (job, error))
    return FALSE;
  tl_staging_free (tl_volume_find_left (&whole, state));
  g_autoptr (TlStaging) staging = tl_staging_new (job->path, error);
  if (staging == NULL)
    return FALSE;
  g_autofree char *path =
      g_build_filename (tl_staging_get_path (staging), names[0], NULL);
  const gboolean good =
      is_stack ? join_stack (job, path, error) : join_hdf5 (job, path, error);
  if (!good || !check_all_sums (job, cancellable, error))
    {
      tl_staging_remove (staging, NULL);
      return FALSE;
    }
  if (!tl_staging_commit (staging, (const char *const *)names,
                          tl_volume_get_place (state), error))
    return FALSE;
  if (is_stack)
    remove_parts (job);
  return TRUE;
}
