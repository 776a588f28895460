/* Examines what an export would replace. */
#include "app/export/export.h"
#include "app/export/part.h"
#include "app/export/volume-private.h"
#include "app/recon/recon.h"

#include "data/error.h"
#include "data/read/format/change.h"
#include "data/read/format/contents.h"
#include "data/read/scan/frame-ranges.h"
#include "data/read/format/image-format.h"
#include "data/write/staging.h"
#include "data/write/writer.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

/* Begin the last lines of the recipe of a volume. */
#define SCAN_LINE "# scan: "
#define BETWEEN " bytes, last changed "
#define EXPORT_LINE "# export:"

/* Returns: whether an export makes a file or folder of this name in the folder
 * of a volume */
static gboolean
is_of_export (TlVolumeFormat format, const char *name)
{
  if (format == TL_VOLUME_ZARR)
    return g_str_equal (name, ".zgroup") || g_str_equal (name, ".zattrs")
           || name[strspn (name, "0123456789")] == '\0';
  return g_str_equal (name, TL_EXPORT_RECIPE)
         || g_str_equal (name, TL_VOLUME_STACK_FACTS)
         || (g_str_has_prefix (name, TL_SLICE_PREFIX)
             && g_str_has_suffix (name, TL_SLICE_SUFFIX));
}

/* @n_files: (out): how many files there are
 *
 * Returns: %FALSE with TL_ERROR_FILE if @folder is none, or has something else
 *   than an exported volume */
static gboolean
check_folder (const char *folder, TlVolumeFormat format, size_t *n_files,
              GError **error)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  if (g_file_test (folder, G_FILE_TEST_IS_SYMLINK))
    return tl_fail (error, TL_ERROR_FILE,
                    _ ("%s: this is a link; give the name of the folder that "
                       "it points to"),
                    folder);
  if (dir == NULL && !g_file_test (folder, G_FILE_TEST_EXISTS))
    return TRUE;
  if (dir == NULL)
    return tl_fail (error, TL_ERROR_FILE,
                    _ ("%s: this is not a folder that can be read; choose "
                       "another name"),
                    folder);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      if (!is_of_export (format, name))
        return tl_fail (error, TL_ERROR_FILE,
                        _ ("%s: it holds files that are not of such a volume "
                           "(%s); choose a new folder"),
                        folder, name);
      ++*n_files;
    }
  return TRUE;
}

static gboolean
check_file (const char *path, size_t *n_files, GError **error)
{
  GStatBuf status;

  if (path == NULL || g_lstat (path, &status) != 0)
    return TRUE;
  ++*n_files;
  return S_ISREG (status.st_mode)
         || tl_fail (error, TL_ERROR_FILE,
                     _ ("%s: this is a folder, a link or a device, and not a "
                        "file; choose another name"),
                     path);
}

/* Returns: whether an export has written the recipe of the folder */
static gboolean
has_export_line (const char *folder)
{
  g_autofree char *recipe = g_build_filename (folder, TL_EXPORT_RECIPE, NULL);
  g_autofree char *text = NULL;

  return g_file_get_contents (recipe, &text, NULL, NULL)
         && strstr (text, EXPORT_LINE) != NULL;
}

static gboolean
is_volume_folder (const char *path)
{
  return has_export_line (path) || tl_volume_has_mark (TL_VOLUME_TIFF, path)
         || tl_volume_has_mark (TL_VOLUME_ZARR, path);
}

/* A volume is replaced as a whole, with all that is in its folder.
 *
 * Returns: (transfer full) (nullable): the folder of the volume in which @path
 * lies, or of one that is being written */
static char *
find_volume_above (const char *path, gboolean *is_busy)
{
  g_autofree char *parent = g_path_get_dirname (path);

  *is_busy = FALSE;
  while (strlen (parent) > 1)
    {
      if (is_volume_folder (parent) || (*is_busy = tl_staging_is_busy (parent)))
        return g_steal_pointer (&parent);
      char *next = g_path_get_dirname (parent);
      g_free (parent);
      parent = next;
    }
  return NULL;
}

/* Returns: %FALSE: @path lies in the folder @volume that is being written */
static gboolean
fail_busy (const char *path, const char *volume, GError **error)
{
  return tl_fail (error, TL_ERROR_FILE,
                  _ ("%s: another program is writing the volume %s at this "
                     "moment, into which no other one is written; choose "
                     "another name"),
                  path, volume);
}

static gboolean
check_parents (const char *scan, const char *path, GError **error)
{
  g_autofree char *parent = g_path_get_dirname (path);
  gboolean is_busy;
  g_autofree char *volume = find_volume_above (path, &is_busy);

  if (tl_image_format_by_name (path) != NULL
      && !tl_check_output (scan, parent, NULL))
    return tl_fail (error, TL_ERROR_FILE,
                    _ ("%s: this folder is the scan, and another image in it "
                       "would be taken for one of the scan; choose another "
                       "folder"),
                    path);
  if (volume == NULL)
    return TRUE;
  if (is_busy)
    return fail_busy (path, volume, error);
  return tl_fail (error, TL_ERROR_FILE,
                  _ ("%s: the folder %s is an exported volume, into which no "
                     "other one is written; choose another name"),
                  path, volume);
}

/* Only what an export has made is replaced, even with consent. A file that was
 * cut short is still known by what is left of it, but raw samples only by their
 * header, which says nothing of other samples.
 *
 * @side_path: (nullable) */
static gboolean
check_mark (TlVolumeFormat format, const char *path, const char *side_path,
            GError **error)
{
  const gboolean has_mark =
      tl_volume_has_mark (format, path)
      || (format == TL_VOLUME_TIFF && has_export_line (path));
  g_autofree char *foreign =
      has_mark ? tl_volume_find_foreign (format, path) : NULL;
  const char *file = has_mark ? foreign : path;
  GStatBuf status;

  if (file == NULL
      || (has_mark && g_stat (file, &status) == 0 && status.st_size == 0)
      || tl_volume_has_trace (file))
    return TRUE;
  if (side_path != NULL && tl_volume_has_trace (side_path))
    return tl_fail (
        error, TL_ERROR_FILE,
        _ ("%s: this file of an export was damaged or replaced later, and "
           "is not overwritten: remove %s if you do not need it, or "
           "choose another name"),
        file, path);
  if (has_mark)
    return tl_fail (error, TL_ERROR_FILE,
                    _ ("%s: no export has made this file, so none replaces "
                       "%s; choose another name"),
                    file, path);
  return tl_fail (error, TL_ERROR_FILE,
                  _ ("%s: no export has made what is there, or it is too "
                     "damaged to tell, so none replaces it: remove it if you "
                     "do not need it, or choose another name"),
                  path);
}

/* @n_files: (out): how many files there are that would be replaced */
static gboolean
check_place (const TlExportJob *job, size_t *n_files, GError **error)
{
  const TlVolumeFormat format = job->settings.format;
  /* Of "link/" the system would look at the folder behind the link. */
  g_autofree char *path = g_canonicalize_filename (job->path, NULL);
  g_autofree char *side_path = tl_volume_dup_side_path (format, path);

  *n_files = 0;
  if (!tl_staging_check_name (job->path, error)
      || !check_parents (job->scan, path, error)
      || !tl_check_output (job->scan, job->path, error)
      || (side_path != NULL && !tl_check_output (job->scan, side_path, error)))
    return FALSE;
  const gboolean ok = tl_volume_format_get_info (format)->is_folder
                          ? check_folder (path, format, n_files, error)
                          : check_file (path, n_files, error)
                                && check_file (side_path, n_files, error);
  return ok && (*n_files == 0 || check_mark (format, path, side_path, error));
}

char *
tl_volume_dup_hidden (const TlExportJob *job, const char *hidden)
{
  g_autofree char *name = tl_staging_dup_name (job->path);

  return g_build_filename (hidden, name, NULL);
}

gboolean
tl_volume_can_resume (const TlExportJob *job, const char *hidden)
{
  g_autofree char *path = tl_volume_dup_hidden (job, hidden);
  g_autofree char *records = g_strconcat (path, TL_VOLUME_RECORDS_SUFFIX, NULL);

  return g_file_test (path, G_FILE_TEST_EXISTS)
         && g_file_test (records, G_FILE_TEST_EXISTS);
}

/* Returns: (transfer full): the first line of tl_export_dup_state() */
static char *
dup_unfinished (const TlExportJob *job, const char *hidden)
{
  if (hidden == NULL || !tl_volume_can_resume (job, hidden))
    return g_strdup ("-");
  g_autofree char *name = g_path_get_basename (hidden);
  return g_strescape (name, NULL); /* a name may contain a line break */
}

TlStaging *
tl_volume_find_left (const TlExportJob *job, const char *state)
{
  g_autofree char *agreed = g_strndup (state, strcspn (state, "\n"));
  TlStaging *left;

  while ((left = tl_staging_find (job->path)) != NULL)
    {
      const char *hidden = tl_staging_get_path (left);
      const gboolean can_resume = tl_volume_can_resume (job, hidden);
      g_autofree char *unfinished = dup_unfinished (job, hidden);

      if (can_resume && job->resumes)
        return left;
      const gboolean is_gone =
          (!can_resume || (job->overwrites && strcmp (unfinished, agreed) == 0))
          && tl_staging_remove (left, NULL);
      tl_staging_free (left);
      if (!is_gone)
        return NULL;
    }
  return NULL;
}

/* Returns: (transfer full): of tl_contents_list_sources(). It looks at all
 * groups of the file, and several questions are asked about one scan, so the
 * list is kept until the file itself changes. */
static GStrv
list_sources (const char *path, const TlChange *file)
{
  static GMutex mutex;
  static char *kept_path;
  static GStrv kept;
  static TlChange kept_file;

  g_mutex_lock (&mutex);
  const gboolean is_kept = g_strcmp0 (kept_path, path) == 0
                           && kept_file.n_bytes == file->n_bytes
                           && kept_file.changed_us == file->changed_us;
  GStrv sources = is_kept ? g_strdupv (kept) : NULL;
  g_mutex_unlock (&mutex);
  if (is_kept)
    return sources;
  sources = tl_contents_list_sources (path);
  g_mutex_lock (&mutex);
  g_free (kept_path);
  g_strfreev (kept);
  kept_path = g_strdup (path);
  kept = g_strdupv (sources);
  kept_file = *file;
  g_mutex_unlock (&mutex);
  return sources;
}

/* Returns: of the file and those whose samples it shows, or of all images or
 * chunks of the folder: one of these may be written again in place, which does
 * not change its folder */
static TlChange
get_scan_state (const char *path)
{
  TlChange state = { 0 };
  g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);

  if (folder == NULL)
    {
      tl_change_add_file (&state, path);
      g_auto (GStrv) sources = list_sources (path, &state);
      for (char **source = sources; *source != NULL; source++)
        tl_change_add_file (&state, *source);
    }
  else if (tl_contents_can_list (path)) /* Zarr */
    tl_change_add_inside (&state, path);
  for (const char *name;
       folder != NULL && (name = g_dir_read_name (folder)) != NULL;)
    {
      g_autofree char *image = g_build_filename (path, name, NULL);

      if (tl_image_format_by_name (name) != NULL)
        tl_change_add_file (&state, image);
    }
  return state;
}

char *
tl_volume_dup_recipe (const TlExportJob *job)
{
  g_autoptr (TlRecipe) copy = tl_recipe_dup (job->recipe);
  g_autofree char *path = g_canonicalize_filename (job->scan, NULL);
  g_autofree char *options = tl_export_settings_to_options (&job->settings);
  g_autofree char *text = NULL;
  const TlChange scan = get_scan_state (path);

  copy->slice_known = FALSE;
  text = tl_recipe_to_text (copy, path);
  g_autoptr (GDateTime) whole =
      g_date_time_new_from_unix_utc (scan.changed_us / G_USEC_PER_SEC);
  g_autoptr (GDateTime) date =
      g_date_time_add (whole, scan.changed_us % G_USEC_PER_SEC);
  g_autofree char *changed = g_date_time_format_iso8601 (date);
  return g_strdup_printf ("%s" SCAN_LINE "%" G_GINT64_FORMAT BETWEEN
                          "%s\n" EXPORT_LINE "%s\n",
                          text, scan.n_bytes, changed, options);
}

/* Returns: whether a volume is there that is one file, of whatever suffix */
static gboolean
is_volume_file (const char *path)
{
  gboolean found = FALSE;

  for (TlVolumeFormat k = 0; k < TL_N_VOLUME_FORMATS && !found; k++)
    found = !tl_volume_format_get_info (k)->is_folder
            && tl_volume_has_mark (k, path);
  return found && g_file_test (path, G_FILE_TEST_IS_REGULAR);
}

gboolean
tl_export_check_outside (const char *path, GError **error)
{
  g_autofree char *canonical = g_canonicalize_filename (path, NULL);
  gboolean is_busy;
  g_autofree char *volume = find_volume_above (canonical, &is_busy);

  if (is_volume_file (path))
    return tl_fail (error, TL_ERROR_FILE,
                    _ ("%s: an exported volume is there, which only an export "
                       "replaces; choose another name"),
                    path);
  if (is_busy)
    return fail_busy (path, volume, error);
  return volume == NULL
         || tl_fail (error, TL_ERROR_FILE,
                     _ ("%s: the folder %s holds an exported volume, which "
                        "only an export replaces as a whole; choose another "
                        "folder, or export the volume again"),
                     path, volume);
}

/* Appends how @recipe differs from @there.
 *
 * @there: (nullable)
 * @there_scan: (nullable): its scan */
static void
compare_recipes (const char *scan, const TlRecipe *recipe, TlRecipe *there,
                 const char *there_scan, GString *text)
{
  g_autofree char *path = g_canonicalize_filename (scan, NULL);
  g_autoptr (TlRecipe) now = tl_recipe_dup_given (recipe);

  if (there == NULL)
    return;
  if (there_scan != NULL && strcmp (there_scan, path) != 0)
    g_string_append_printf (text, _ ("scan %s → %s"), there_scan, path);
  there->slice_known = now->slice_known = FALSE;
  tl_recipe_compare (there, now, G_MAXUINT, NULL, text);
}

char *
tl_export_dup_changes (const char *scan, const TlRecipe *recipe,
                       const char *recipe_path)
{
  g_autofree char *there_scan = NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (TlRecipe) there = tl_recipe_load (recipe_path, &there_scan, NULL);

  compare_recipes (scan, recipe, there, there_scan, text);
  return text->len == 0 ? NULL : g_strdup (text->str);
}

/* Returns: (transfer full) (nullable): the value of an option in a line of
 * options; "" if it takes none; %NULL if it is not there */
static char *
find_option (const char *line, const char *option)
{
  g_auto (GStrv) words = g_strsplit (line, " ", -1);

  for (char **word = words; *word != NULL; word++)
    if (g_str_has_prefix (*word, "--") && strcmp (*word + 2, option) == 0)
      return g_strdup (
          word[1] != NULL && !g_str_has_prefix (word[1], "--") ? word[1] : "");
  return NULL;
}

static void
append_change (GString *text, const char *what, const char *before,
               const char *after)
{
  if (text->len > 0)
    g_string_append (text, ", ");
  g_string_append_printf (text, "%s %s → %s", what, before, after);
}

/* Returns: (transfer full): the label of a field without its mnemonic */
static char *
dup_label (const TlExportFieldInfo *field)
{
  GString *label = g_string_new (_ (field->label));

  g_string_replace (label, "_", "", 0);
  return g_string_free (label, FALSE);
}

/* As the page calls them. */
static void
append_changed_fields (const char *there, const char *now, GString *text)
{
  for (TlExportField k = 0; k < TL_N_EXPORT_FIELDS; k++)
    {
      const TlExportFieldInfo *field = tl_export_field_get_info (k);
      g_autofree char *before = find_option (there, field->option);
      g_autofree char *after = find_option (now, field->option);
      g_autofree char *label = dup_label (field);
      const char *values[] = { before, after };

      if (g_strcmp0 (before, after) == 0)
        continue;
      for (size_t i = 0; i < G_N_ELEMENTS (values); i++)
        if (values[i] == NULL)
          values[i] = *field->without == '\0' ? "" : _ (field->without);
        else if (field->with != NULL)
          values[i] = _ (field->with);
      append_change (text, label, values[0], values[1]);
    }
}

/* Returns: (transfer full) (nullable): what follows @start in its line */
static char *
find_line (const char *recipe, const char *start)
{
  const char *line = strstr (recipe, start);

  if (line == NULL)
    return NULL;
  line += strlen (start);
  return g_strndup (line, strcspn (line, "\n"));
}

/* Appends how the scan was changed since. */
static void
compare_scans (const TlExportJob *job, const char *recipe, GString *text)
{
  static const char *const names[] = { N_ ("bytes of the scan"),
                                       N_ ("date of the scan") };
  g_autofree char *recipe_now = tl_volume_dup_recipe (job);
  g_autofree char *now = find_line (recipe_now, SCAN_LINE);
  g_autofree char *there = find_line (recipe, SCAN_LINE);
  g_auto (GStrv) after = g_strsplit (now, BETWEEN, 2);
  g_auto (GStrv) before = there != NULL ? g_strsplit (there, BETWEEN, 2) : NULL;

  for (guint k = 0; before != NULL && before[k] != NULL; k++)
    if (strcmp (before[k], after[k]) != 0)
      append_change (text, _ (names[k]), before[k], after[k]);
}

/* Appends how the options of the export differ from those of the volume that is
 * there. */
static void
compare_options (const TlExportJob *job, const char *recipe, GString *text)
{
  g_autofree char *now = tl_export_settings_to_options (&job->settings);
  g_autofree char *there = find_line (recipe, EXPORT_LINE);

  if (there == NULL || strcmp (there, now) == 0)
    return;
  if (job->names_options)
    append_change (text, "options", g_strchug (there), g_strchug (now));
  else
    append_changed_fields (there, now, text);
}

char *
tl_volume_dup_changes (const TlExportJob *job, const char *recipe)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *scan = NULL;

  if (recipe == NULL || strstr (recipe, EXPORT_LINE) == NULL)
    return g_strdup (_ ("; its recipe is missing or damaged"));
  g_autoptr (TlRecipe) there =
      tl_recipe_from_text (recipe, strlen (recipe), job->path, &scan, NULL);
  compare_recipes (job->scan, job->recipe, there, scan, text);
  compare_scans (job, recipe, text);
  compare_options (job, recipe, text);
  if (text->len > 0)
    g_string_prepend (text, _ ("; what differs: "));
  return g_strdup (text->str);
}

char *
tl_volume_dup_begun (const char *hidden)
{
  g_autofree char *path = g_build_filename (hidden, TL_VOLUME_BEGUN, NULL);
  char *recipe = NULL;

  g_file_get_contents (path, &recipe, NULL, NULL);
  return recipe;
}

/* Returns: (transfer full): which slices the unfinished volume lacks */
static char *
describe_waiting (const GArray *waiting)
{
  enum
  {
    MAX_RANGES = 5
  };
  g_autoptr (GArray) ranges = g_array_new (FALSE, FALSE, sizeof (TlFrameRange));

  for (guint k = 0; k < waiting->len; k++)
    tl_frame_ranges_add (ranges, g_array_index (waiting, size_t, k));
  const gboolean has_more = ranges->len > MAX_RANGES;
  g_array_set_size (ranges, MIN (ranges->len, MAX_RANGES));
  g_autofree char *text = tl_frame_ranges_format (ranges);
  const char *more =
      /* translators: after a list of slices that was cut: "3:5,7 and others" */
      has_more ? _ (" and others") : "";
  return waiting->len == 0
             ? g_strdup ("")
             /* translators: how many slices, their numbers: "32:59", and maybe
              * " and others" */
             : g_strdup_printf (
                 g_dngettext (NULL, "; %u slice still waits: %s%s",
                              "; %u slices still wait: %s%s", waiting->len),
                 waiting->len, text, more);
}

char *
tl_volume_dup_begun_changes (const TlExportJob *job, const char *hidden)
{
  g_autofree char *path = tl_volume_dup_hidden (job, hidden);
  size_t n_slices;
  g_autoptr (GArray) list = tl_volume_list_waiting (path, &n_slices);
  g_autofree char *waiting = describe_waiting (list);
  g_autofree char *begun = tl_volume_dup_begun (hidden);
  g_autofree char *changes = tl_volume_dup_changes (job, begun);

  return g_strconcat (changes, waiting, NULL);
}

/* Returns: (transfer full): when a file was changed last: "2026-11-25 18:30" */
static char *
dup_date (const GStatBuf *status)
{
  g_autoptr (GDateTime) date =
      g_date_time_new_from_unix_local ((gint64)status->st_mtime);

  return g_date_time_format (date, "%Y-%m-%d %H:%M");
}

/* Returns: (transfer full): what would be lost, for any format but the TIFF
 * stack. No size of a folder: counting it would take too long. */
static char *
describe_other (const TlExportJob *job)
{
  const TlVolumeFormatInfo *format = tl_volume_format_get_info (
      tl_volume_find_format (job->settings.format, job->path));
  g_autofree char *side_path =
      tl_volume_dup_side_path (job->settings.format, job->path);
  GStatBuf status = { 0 };
  const char *path = g_stat (job->path, &status) == 0 ? job->path : side_path;

  if (path != job->path)
    g_stat (path, &status);
  g_autofree char *date = dup_date (&status);
  g_autofree char *size = g_format_size ((guint64)status.st_size);
  g_autofree char *recipe =
      tl_volume_read_recipe (job->settings.format, job->path);
  g_autofree char *changes = tl_volume_dup_changes (job, recipe);
  if (format->is_folder)
    /* translators: path, kind, date, maybe what differs */
    return g_strdup_printf (_ ("%s is an earlier export (%s), written %s%s"),
                            path, _ (format->description), date, changes);
  /* translators: path, kind, date, size, maybe what differs */
  return g_strdup_printf (_ ("%s is an earlier export (%s), written %s, %s%s"),
                          path, _ (format->description), date, size, changes);
}

/* Returns: (transfer full): what would be lost if the volume were replaced */
static char *
describe_volume (const TlExportJob *job, size_t n_files)
{
  if (job->settings.format != TL_VOLUME_TIFF)
    return describe_other (job);
  g_autofree char *path = g_build_filename (job->path, TL_EXPORT_RECIPE, NULL);
  g_autofree char *recipe = tl_volume_dup_kept_recipe (job, job->path);
  g_autofree char *changes = tl_volume_dup_changes (job, recipe);
  g_autofree char *facts =
      g_build_filename (job->path, TL_VOLUME_STACK_FACTS, NULL);
  const size_t n = n_files - g_file_test (path, G_FILE_TEST_EXISTS)
                   - g_file_test (facts, G_FILE_TEST_EXISTS);
  GStatBuf status = { 0 };

  g_stat (job->path, &status);
  g_autofree char *date = dup_date (&status);
  return g_strdup_printf (
      g_dngettext (NULL,
                   "%s holds %zu slice of an earlier export, written %s%s",
                   "%s holds %zu slices of an earlier export, written %s%s", n),
      job->path, n, date, changes);
}

/* Returns: (transfer full): what is asked about an unfinished volume alone */
static char *
describe_unfinished (const TlExportJob *job, const char *hidden)
{
  g_autofree char *path = tl_volume_dup_hidden (job, hidden);
  g_autofree char *records = g_strconcat (path, TL_VOLUME_RECORDS_SUFFIX, NULL);
  g_autofree char *changes = tl_volume_dup_begun_changes (job, hidden);
  GStatBuf status = { 0 };
  size_t n_slices;
  g_autoptr (GArray) waiting = tl_volume_list_waiting (path, &n_slices);
  const size_t n = n_slices - waiting->len;

  if (n_slices == 0)
    return g_strdup_printf (_ ("%s: an export to it was not finished, and its "
                               "records are missing or damaged, so that "
                               "nothing of it can be kept%s"),
                            job->path, changes);
  g_stat (records, &status);
  g_autofree char *date = dup_date (&status);
  /* translators: path, slices that are kept, all slices, date, maybe what
   * differs */
  return g_strdup_printf (
      g_dngettext (NULL,
                   "%s: an export to it was not finished; %zu of %zu slice is "
                   "kept, last written %s%s",
                   "%s: an export to it was not finished; %zu of %zu slices "
                   "are kept, last written %s%s",
                   n_slices),
      job->path, n, n_slices, date, changes);
}

void
tl_volume_describe (const TlExportJob *job, const TlExportSettings *settings,
                    const TlGrid *whole, TlVolumeInfo *info)
{
  tl_export_settings_describe (settings, whole,
                               job->recipe->params.phase.pixel_um, info);
  info->bin = job->recipe->bin;
}

gboolean
tl_volume_is_scan_rewritten (const TlExportJob *job, const char *hidden)
{
  g_autofree char *recipe_now = tl_volume_dup_recipe (job);
  g_autofree char *now = find_line (recipe_now, SCAN_LINE);
  g_autofree char *begun = tl_volume_dup_begun (hidden);
  g_autofree char *there = begun != NULL ? find_line (begun, SCAN_LINE) : NULL;

  return there != NULL && strcmp (there, now) != 0
         && g_ascii_strtoll (now, NULL, 10)
                <= g_ascii_strtoll (there, NULL, 10);
}

/* Returns: whether the unfinished volume was begun as @job would begin it */
static gboolean
is_begun_alike (const TlExportJob *job, const char *hidden)
{
  g_autofree char *now = tl_volume_dup_recipe (job);
  g_autofree char *begun = tl_volume_dup_begun (hidden);

  return g_strcmp0 (begun, now) == 0;
}

char *
tl_volume_dup_kept_recipe (const TlExportJob *job, const char *path)
{
  g_autofree char *file = g_build_filename (path, TL_EXPORT_RECIPE, NULL);
  char *recipe = NULL;

  if (job->settings.format != TL_VOLUME_TIFF)
    return tl_volume_read_recipe (job->settings.format, path);
  g_file_get_contents (file, &recipe, NULL, NULL);
  return recipe;
}

gboolean
tl_volume_is_whole (const TlExportJob *job, char **missing)
{
  g_autofree char *want = tl_volume_dup_recipe (job);
  g_autofree char *unfinished = tl_staging_look (job->path);
  g_autofree char *recipe = tl_volume_dup_kept_recipe (job, job->path);
  TlExportSettings settings;
  TlVolumeInfo info;

  *missing = NULL;
  if (g_strcmp0 (recipe, want) != 0
      || (unfinished != NULL && tl_volume_can_resume (job, unfinished))
      || !tl_export_take_part (job, &settings, NULL))
    return FALSE;
  tl_export_settings_describe (&settings, &job->recipe->params.grid, 0, &info);
  *missing = tl_volume_find_missing (job->path, &info);
  return *missing == NULL;
}

gboolean
tl_export_check_target (const TlExportJob *job, char **question,
                        gboolean *can_resume, GError **error)
{
  g_autofree char *missing = NULL;
  size_t n_files;

  g_return_val_if_fail (job != NULL && question != NULL, FALSE);

  *question = NULL;
  if (!check_place (job, &n_files, error))
    return FALSE;
  g_autofree char *unfinished = tl_staging_look (job->path);
  const gboolean is_left =
      unfinished != NULL && tl_volume_can_resume (job, unfinished);
  *can_resume = is_left && is_begun_alike (job, unfinished);
  if (n_files > 0 && !(job->resumes && tl_volume_is_whole (job, &missing)))
    {
      g_autofree char *volume = describe_volume (job, n_files);
      if (is_left && !job->resumes)
        *question = g_strdup_printf (_ ("%s; an unfinished export to it would "
                                        "be discarded"),
                                     volume);
      else if (missing != NULL)
        *question = g_strdup_printf (_ ("%s; %s, a file of it, is missing"),
                                     volume, missing);
      else
        *question = g_steal_pointer (&volume);
    }
  else if (is_left && !job->resumes)
    *question = describe_unfinished (job, unfinished);
  return TRUE;
}

char **
tl_volume_dup_names (const TlExportJob *job)
{
  g_autofree char *name = tl_staging_dup_name (job->path);
  g_autofree char *side_name =
      tl_volume_dup_side_path (job->settings.format, name);
  g_autofree char *sums_name = g_strconcat (name, TL_PART_SUMS_SUFFIX, NULL);
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();

  if (side_name != NULL)
    g_strv_builder_add (names, side_name);
  if (job->n_parts > 0)
    g_strv_builder_add (names, sums_name);
  g_strv_builder_add (names, name);
  return g_strv_builder_end (names);
}

char *
tl_export_dup_state (const TlExportJob *job)
{
  g_auto (GStrv) names = tl_volume_dup_names (job);
  g_autofree char *hidden = tl_staging_look (job->path);
  g_autofree char *unfinished = dup_unfinished (job, hidden);
  g_autofree char *place =
      tl_staging_dup_state (job->path, (const char *const *)names);

  return g_strconcat (unfinished, "\n", place, NULL);
}

const char *
tl_volume_get_place (const char *state)
{
  return strchr (state, '\n') + 1;
}

gboolean
tl_export_has_consent (const TlExportJob *job, const char *question)
{
  g_autofree char *state = tl_export_dup_state (job);

  return question == NULL
         || (job->overwrites
             && (job->agreed == NULL || strcmp (job->agreed, state) == 0));
}

gboolean
tl_export_check_consent (const TlExportJob *job, GError **error)
{
  g_autofree char *question = NULL;
  gboolean can_resume;

  return tl_export_check_target (job, &question, &can_resume, error)
         && (tl_export_has_consent (job, question)
             || tl_fail (error, TL_ERROR_FILE, "%s", question));
}
