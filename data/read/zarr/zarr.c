/* Scans in Zarr 2 folders: an array of projections, alone or in a group with
 * flats, darks and angles. */
#include "data/error.h"
#include "data/read/scan/angles.h"
#include "data/read/format/change.h"
#include "data/read/format/contents.h"
#include "data/read/format/format.h"
#include "data/read/zarr/array-private.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

enum
{
  MAX_DEPTH = 3 /* of arrays in groups that are listed */
};

/* Where in a group things are; the first that is there is taken. */
static const char *const data_names[] = { "exchange/data", "data",
                                          "projections",   "0",
                                          "0/0",           NULL };
static const char *const flats_names[] = {
  "exchange/data_white", "data_white", "flats", "flat", "white", NULL
};
static const char *const darks_names[] = { "exchange/data_dark", "data_dark",
                                           "darks", "dark", NULL };
static const char *const angles_names[] = { "exchange/theta", "theta", "angles",
                                            "rotation_angle", NULL };
/* Attributes: lists of angles, and their unit */
static const char *const angles_keys[] = { "theta",           "angles",
                                           "angle",           "rotation_angle",
                                           "rotation_angles", NULL };
static const char *const unit_keys[] = { "angle_unit",
                                         "angle_units",
                                         "angles_unit",
                                         "angles_units",
                                         "theta_unit",
                                         "theta_units",
                                         "rotation_angle_unit",
                                         "rotation_angle_units",
                                         "unit",
                                         "units",
                                         NULL };

typedef struct
{
  char *folder;
  char *name;
  char *data; /* path of the projections in folder */
  TlZarrArray *arrays[TL_N_FRAME_KINDS];
} Scan;

static void
scan_free (gpointer source)
{
  Scan *scan = source;
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    tl_zarr_array_free (scan->arrays[kind]);
  g_free (scan->data);
  g_free (scan->name);
  g_free (scan->folder);
  g_free (scan);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Scan, scan_free)

/* An array of the scan or of another Zarr folder. */
typedef struct
{
  char *folder;
  char *path; /* in it; NULL: there is none */
} Place;

static void
place_clear (Place *place)
{
  g_clear_pointer (&place->folder, g_free);
  g_clear_pointer (&place->path, g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Place, place_clear)

/* --- where the parts of a scan are --- */

/* Returns: whether there is an array at @path */
static gboolean
has_array (const char *folder, const char *path)
{
  g_autofree char *inside = g_build_filename (folder, path, NULL);
  return tl_zarr_is_array (inside);
}

/* Returns: (transfer full) (nullable): the path of the first array in @names */
static char *
find_array (const Scan *scan, const char *const *names)
{
  for (; *names != NULL; names++)
    if (has_array (scan->folder, *names))
      return g_strdup (*names);
  return NULL;
}

/* @given: (nullable): by the user, "FILE:/path" or a path in the scan; takes
 * the place of @names
 * @place: (out): zeroed before the call */
static gboolean
find_place (const Scan *scan, const char *given, const char *const *names,
            Place *place, GError **error)
{
  place->folder = g_strdup (scan->folder);
  if (given == NULL)
    {
      place->path = find_array (scan, names);
      return TRUE;
    }
  g_autofree char *inside = NULL;
  if (strstr (given, ":/") != NULL)
    {
      g_free (place->folder);
      place->folder = tl_container_find (given, scan->folder, TRUE,
                                         TL_CONTAINER_ZARR, &inside, error);
    }
  if (place->folder == NULL)
    return FALSE;
  const char *path = inside != NULL ? inside : given;
  place->path = g_strdup (path + strspn (path, "/"));
  return has_array (place->folder, place->path)
         || tl_fail (error, TL_ERROR_FORMAT,
                     inside != NULL
                         ? _ ("%s: there is no array at %s")
                         : _ ("%s: there is no array at %s; one in another "
                              "folder is named FOLDER.zarr:/path"),
                     scan->name, given);
}

/* --- contents --- */

static void
add_dataset (const char *folder, const char *path, GPtrArray *datasets)
{
  g_autoptr (TlZarrArray) array = tl_zarr_array_open (folder, path, NULL);
  if (array == NULL)
    return;
  const TlZarrMetadata *metadata = &array->metadata;
  TlDataset *dataset = g_new (TlDataset, 1);
  *dataset = (TlDataset){ g_strconcat ("/", path, NULL),
                          MIN (metadata->n_dims, (guint)TL_ZARR_N_AXES),
                          { metadata->shape[0], metadata->shape[1],
                            metadata->shape[2] },
                          tl_stored_get_type (metadata->stored) };
  g_ptr_array_add (datasets, dataset);
}

/* Adds the arrays of a group and of the groups in it. */
static void
add_group (const char *folder, const char *group, int depth,
           GPtrArray *datasets)
{
  g_autofree char *inside = g_build_filename (folder, group, NULL);
  g_autoptr (GDir) dir = g_dir_open (inside, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (group, name, NULL);
      g_autofree char *below = g_build_filename (folder, path, NULL);
      if (tl_zarr_is_array (below))
        add_dataset (folder, path, datasets);
      else if (depth < MAX_DEPTH && name[0] != '.')
        add_group (folder, path, depth + 1, datasets);
    }
}

static GPtrArray *
list_datasets (const char *folder, GError **error)
{
  GPtrArray *datasets =
      g_ptr_array_new_with_free_func ((GDestroyNotify)tl_dataset_free);
  if (tl_zarr_is_array (folder))
    add_dataset (folder, "", datasets);
  else
    add_group (folder, "", 1, datasets);
  tl_datasets_sort (datasets);
  return datasets;
}

/* @given: (nullable): path of the projections that the user has given */
static gboolean
refuse (const Scan *scan, const char *given, GError **error)
{
  g_autoptr (GPtrArray) all = list_datasets (scan->folder, NULL);
  g_autofree char *arrays = tl_datasets_describe (all);
  if (*arrays == '\0')
    return tl_fail (error, TL_ERROR_FORMAT,
                    _ ("%s: no array in it has three dimensions (images, rows, "
                       "columns), as projections have"),
                    scan->name);
  if (given != NULL)
    {
      g_autofree char *hint = g_strdup_printf (
          _ ("--data-path takes one of those with three dimensions: %s"),
          arrays);
      return tl_fail_with_hint (error, TL_ERROR_LAYOUT, hint,
                                _ ("%s: there is no array at %s"), scan->name,
                                given);
    }
  g_autofree char *hint =
      g_strdup_printf (_ ("say which it is with --data-path: %s"), arrays);
  return tl_fail_with_hint (
      error, TL_ERROR_LAYOUT, hint,
      _ ("%s: no array in it is called as projections usually are "
         "(exchange/data, data, projections)"),
      scan->name);
}

/* --- frames --- */

/* Opens the array of @kind. */
static gboolean
add_frames (Scan *scan, TlFrameKind kind, const char *folder, const char *path,
            TlScanDraft *draft, GError **error)
{
  TlZarrArray *array = tl_zarr_array_open (folder, path, error);
  scan->arrays[kind] = array;
  if (array == NULL)
    return FALSE;
  const TlZarrMetadata *metadata = &array->metadata;
  if (metadata->n_dims < 2)
    return tl_fail (error, TL_ERROR_SHAPE,
                    _ ("%s: the array has one dimension; frames have rows and "
                       "columns"),
                    array->name);
  draft->frames[kind] =
      (TlFrameSet){ metadata->shape[0], metadata->shape[1], metadata->shape[2],
                    tl_stored_get_type (metadata->stored),
                    tl_stored_is_wide (metadata->stored) };
  return TRUE;
}

/* Opens the array of the flats or darks, if there is one.
 * @given, @names: as of find_place() */
static gboolean
add_fields (Scan *scan, TlFrameKind kind, const char *given,
            const char *const *names, TlScanDraft *draft, GError **error)
{
  g_auto (Place) place = { 0 };
  return find_place (scan, given, names, &place, error)
         && (place.path == NULL
             || add_frames (scan, kind, place.folder, place.path, draft,
                            error));
}

static void
describe_blocks (const Scan *scan, TlScanDraft *draft)
{
  const TlZarrMetadata *metadata =
      &scan->arrays[TL_FRAMES_PROJECTIONS]->metadata;
  if (metadata->codec == TL_ZARR_PLAIN)
    return;
  draft->block_frames = metadata->chunk[0];
  draft->block_rows = metadata->chunk[1];
}

/* --- angles --- */

/* Returns: (transfer none) (nullable): the first member of @keys */
static JsonNode *
find_member (JsonNode *object, const char *const *keys)
{
  JsonNode *found = NULL;
  for (; *keys != NULL && found == NULL; keys++)
    found = tl_json_get (object, *keys);
  return found;
}

/* Returns: (nullable): the unit of the angles */
static const char *
get_unit (JsonNode *attributes)
{
  return tl_json_get_text (find_member (attributes, unit_keys));
}

/* Returns: (transfer full) (nullable): the attributes of @path in @folder;
 * notes why they cannot be read */
static JsonNode *
load_attributes (const Scan *scan, const char *folder, const char *path,
                 TlScanDraft *draft)
{
  g_autoptr (GError) failure = NULL;
  g_autofree char *inside = g_build_filename (folder, path, NULL);
  JsonNode *node = tl_zarr_load_attributes (inside, &failure);
  if (failure != NULL)
    tl_scan_draft_note (draft, _ ("the attributes of %s are left out: %s"),
                        *path != '\0' ? path : scan->name, failure->message);
  return node;
}

/* Takes the angles of an array. */
static gboolean
read_angles (const Scan *scan, const Place *place, TlScanDraft *draft,
             GError **error)
{
  const char *path = place->path;
  g_autoptr (TlZarrArray) array =
      tl_zarr_array_open (place->folder, path, error);
  if (array == NULL)
    return FALSE;
  draft->angles_deg =
      tl_zarr_array_read_numbers (array, &draft->n_angles, error);
  if (draft->angles_deg == NULL)
    return FALSE;
  g_autoptr (JsonNode) attributes =
      load_attributes (scan, place->folder, path, draft);
  tl_scan_draft_take_angle_unit (
      draft, path, get_unit (attributes),
      g_str_has_prefix (path, "exchange/") ? "degrees" : NULL);
  return TRUE;
}

/* Takes the angles that are a list in the attributes. Returns: whether there is
 * one */
static gboolean
take_angles (JsonNode *attributes, TlScanDraft *draft)
{
  for (const char *const *key = angles_keys; *key != NULL; key++)
    {
      JsonNode *list = tl_json_get (attributes, *key);
      const guint n = tl_json_count (list);
      if (n < 2)
        continue;
      draft->n_angles = n;
      draft->angles_deg = g_new (double, n);
      for (guint i = 0; i < n; i++)
        if (!tl_json_get_number (tl_json_get_element (list, (int)i),
                                 &draft->angles_deg[i]))
          draft->angles_deg[i] = NAN; /* refused like one in a file */
      tl_scan_draft_take_angle_unit (draft, *key, get_unit (attributes), NULL);
      return TRUE;
    }
  return FALSE;
}

static gboolean
add_angles (Scan *scan, const TlReaderOptions *options, TlScanDraft *draft,
            GError **error)
{
  g_auto (Place) place = { 0 };
  if (!find_place (scan, options->angles_path, angles_names, &place, error))
    return FALSE;
  if (place.path != NULL)
    return read_angles (scan, &place, draft, error);
  g_autoptr (JsonNode) own =
      load_attributes (scan, scan->folder, scan->data, draft);
  if (take_angles (own, draft) || *scan->data == '\0')
    return TRUE;
  g_autoptr (JsonNode) of_group =
      load_attributes (scan, scan->folder, "", draft);
  take_angles (of_group, draft);
  return TRUE;
}

/* --- OME-Zarr --- */

/* Takes the size of a column of the full resolution. */
static void
take_pixel_size (JsonNode *image, TlScanDraft *draft)
{
  JsonNode *axis = tl_json_get_element (tl_json_get (image, "axes"), -1);
  const char *unit = tl_json_get_text (tl_json_get (axis, "unit"));
  JsonNode *level = tl_json_get_element (tl_json_get (image, "datasets"), 0);
  JsonNode *transforms = tl_json_get (level, "coordinateTransformations");
  double size = 0;
  for (guint i = 0; i < tl_json_count (transforms); i++)
    {
      JsonNode *scale =
          tl_json_get (tl_json_get_element (transforms, (int)i), "scale");
      tl_json_get_number (tl_json_get_element (scale, -1), &size);
    }
  if (unit != NULL && size > 0 && isfinite (size))
    draft->pixel_size_um = size * tl_length_get_um (unit);
}

/* Returns: (transfer full) (nullable): the path of the full resolution */
static char *
find_image (const Scan *scan, TlScanDraft *draft)
{
  g_autoptr (JsonNode) attributes =
      load_attributes (scan, scan->folder, "", draft);
  JsonNode *image =
      tl_json_get_element (tl_json_get (attributes, "multiscales"), 0);
  JsonNode *level = tl_json_get_element (tl_json_get (image, "datasets"), 0);
  const char *path = tl_json_get_text (tl_json_get (level, "path"));
  if (path != NULL)
    take_pixel_size (image, draft);
  return g_strdup (path);
}

/* --- the scan --- */

/* Sets the path of the projections. */
static gboolean
find_data (Scan *scan, const TlReaderOptions *options, TlScanDraft *draft,
           GError **error)
{
  draft->format = "Zarr";
  if (options->data_path == NULL && has_array (scan->folder, ""))
    scan->data = g_strdup ("");
  else if (options->data_path == NULL)
    scan->data = find_image (scan, draft);
  if (scan->data != NULL)
    draft->format = *scan->data != '\0' ? "OME-Zarr" : "Zarr";
  else if (options->data_path == NULL)
    scan->data = find_array (scan, data_names);
  else if (has_array (scan->folder, options->data_path))
    scan->data =
        g_strdup (options->data_path + strspn (options->data_path, "/"));
  return scan->data != NULL || refuse (scan, options->data_path, error);
}

static gboolean
is_newer (const char *folder)
{
  g_autofree char *path = g_build_filename (folder, "zarr.json", NULL);
  return g_file_test (path, G_FILE_TEST_EXISTS);
}

static gpointer
open_scan (const char *path, const TlReaderOptions *options, TlScanDraft *draft,
           GError **error)
{
  g_autoptr (Scan) scan = g_new0 (Scan, 1);
  scan->folder = g_strdup (path);
  scan->name = tl_path_dup_name (path);
  if (is_newer (path))
    return tl_fail_null (error, TL_ERROR_UNSUPPORTED,
                         _ ("%s: is in the format Zarr 3, which cannot be "
                            "read; write Zarr 2"),
                         scan->name);
  if (options->keys_path != NULL)
    return tl_fail_null_with_hint (
        error, TL_ERROR_UNSUPPORTED,
        _ ("leave --keys-path out, and name flats and darks with --flats-path "
           "and --darks-path"),
        _ ("%s: is a Zarr scan, in which flats and darks are arrays of their "
           "own, and image keys have no meaning"),
        scan->name);
  if (!find_data (scan, options, draft, error))
    return NULL;
  if (!add_frames (scan, TL_FRAMES_PROJECTIONS, scan->folder, scan->data, draft,
                   error)
      || !add_fields (scan, TL_FRAMES_FLATS, options->flats_path, flats_names,
                      draft, error)
      || !add_fields (scan, TL_FRAMES_DARKS, options->darks_path, darks_names,
                      draft, error)
      || !add_angles (scan, options, draft, error))
    return NULL;
  draft->n_flats_before = draft->frames[TL_FRAMES_FLATS].n_frames;
  describe_blocks (scan, draft);
  return g_steal_pointer (&scan);
}

static gboolean
is_parallel (gpointer source, TlFrameKind kind)
{
  return TRUE;
}

static gboolean
read_frames (gpointer source, TlFrameKind kind, size_t first_frame,
             size_t n_frames, const size_t *rows, size_t n_rows, void *dest,
             GError **error)
{
  Scan *scan = source;
  return tl_zarr_array_read (scan->arrays[kind], first_frame, n_frames, rows,
                             n_rows, dest, error);
}

static gint64
find_change_us (gpointer source)
{
  Scan *scan = source;
  TlChange change = { 0 };
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    if (scan->arrays[kind] != NULL)
      tl_change_add_inside (&change, scan->arrays[kind]->folder);
  return change.changed_us;
}

const TlReaderFormat tl_zarr_format = {
  .container = TL_CONTAINER_ZARR,
  .open = open_scan,
  .is_parallel = is_parallel,
  .read = read_frames,
  .find_change_us = find_change_us,
  .close = scan_free,
  .list_datasets = list_datasets,
};
