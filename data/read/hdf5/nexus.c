/* NXtomo in NeXus HDF5: definition NXtomo of manual.nexusformat.org. Groups are
 * found by their class, because beamlines name them differently. */
#include "data/read/hdf5/scan-private.h"

#include "data/array.h"
#include "data/error.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* Levels of groups that are searched. NXtomo has fewer (entry, subentry,
 * instrument, detector), and the limit ends a loop of links. */
enum
{
  MAX_DEPTH = 5
};

/* The paths of the datasets of a scan. */
typedef struct
{
  char *data, *image_key, *rotation_angle, *pixel_size;
} Places;

static void
places_clear (Places *places)
{
  g_clear_pointer (&places->data, g_free);
  g_clear_pointer (&places->image_key, g_free);
  g_clear_pointer (&places->rotation_angle, g_free);
  g_clear_pointer (&places->pixel_size, g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Places, places_clear)

/* Appends the paths of the groups of @nx_class below @path, level by level. */
static void
find_class (TlHdf5Id file, const char *path, const char *nx_class, int depth,
            GPtrArray *found)
{
  g_auto (TlHdf5Id) group = H5Gopen2 (file, path, H5P_DEFAULT);
  g_autoptr (GPtrArray) children = g_ptr_array_new_with_free_func (g_free);
  H5G_info_t info;
  if (group < 0 || H5Gget_info (group, &info) < 0)
    info.nlinks = 0;
  for (hsize_t i = 0; i < info.nlinks; i++)
    {
      char link[256];
      if (H5Lget_name_by_idx (group, ".", H5_INDEX_NAME, H5_ITER_INC, i, link,
                              sizeof link, H5P_DEFAULT)
          < 0)
        continue;
      char *child =
          g_strdup_printf ("%s/%s", path[1] == '\0' ? "" : path, link);
      g_auto (TlHdf5Id) object = H5Oopen (file, child, H5P_DEFAULT);
      if (object < 0 || H5Iget_type (object) != H5I_GROUP)
        {
          g_free (child);
          continue;
        }
      g_autofree char *its_class = tl_hdf5_dup_attribute (object, "NX_class");
      if (its_class != NULL && strcmp (its_class, nx_class) == 0)
        g_ptr_array_add (found, g_strdup (child));
      g_ptr_array_add (children, child);
    }
  H5Eclear2 (H5E_DEFAULT);
  for (size_t i = 0; depth > 1 && i < children->len; i++)
    find_class (file, children->pdata[i], nx_class, depth - 1, found);
}

static gboolean
is_tomo (TlHdf5Id file, const char *entry)
{
  g_autofree char *path = g_strdup_printf ("%s/definition", entry);
  if (!tl_hdf5_has (file, path))
    return FALSE;
  g_auto (GStrv) names = tl_hdf5_read_strings (file, path);
  return g_strv_contains ((const char *const *)names, "NXtomo");
}

/* Returns: (transfer full) (nullable): the path of @dataset in the first group
 * of @nx_class that has it */
static char *
find_dataset (TlHdf5Id file, const char *entry, const char *nx_class,
              const char *dataset)
{
  g_autoptr (GPtrArray) groups = g_ptr_array_new_with_free_func (g_free);
  find_class (file, entry, nx_class, MAX_DEPTH, groups);
  for (size_t i = 0; i < groups->len; i++)
    {
      g_autofree char *path =
          g_strdup_printf ("%s/%s", (char *)groups->pdata[i], dataset);
      if (tl_hdf5_has (file, path))
        return g_steal_pointer (&path);
    }
  return NULL;
}

/* The images are in the detector that has the image key. NXdata links to all
 * these datasets and is used where the detector lacks one. */
static void
find_places (TlHdf5Id file, const char *entry, Places *places)
{
  static const char *const classes[] = { "NXdetector", "NXdata" };
  for (size_t i = 0; i < G_N_ELEMENTS (classes); i++)
    {
      g_autofree char *key =
          find_dataset (file, entry, classes[i], "image_key");
      if (key == NULL)
        continue;
      g_autofree char *group = g_path_get_dirname (key);
      g_autofree char *data = g_strdup_printf ("%s/data", group);
      if (places->image_key == NULL)
        places->image_key = g_strdup (key);
      if (places->data == NULL && tl_hdf5_has (file, data))
        places->data = g_steal_pointer (&data);
    }
  for (size_t i = 0; i < G_N_ELEMENTS (classes) && places->data == NULL; i++)
    places->data = find_dataset (file, entry, classes[i], "data");
  places->rotation_angle =
      find_dataset (file, entry, "NXsample", "rotation_angle");
  if (places->rotation_angle == NULL)
    places->rotation_angle =
        find_dataset (file, entry, "NXdata", "rotation_angle");
  places->pixel_size = find_dataset (file, entry, "NXdetector", "x_pixel_size");
}

/* Returns: (transfer full) (nullable): the path of the first entry whose
 * definition is NXtomo; if there is none, of the first with an image key */
static char *
find_entry (TlHdf5Id file, TlScanDraft *draft)
{
  g_autoptr (GPtrArray) entries = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) tomo = g_ptr_array_new ();
  find_class (file, "/", "NXentry", 1, entries);
  for (size_t i = 0, n = entries->len; i < n; i++)
    find_class (file, entries->pdata[i], "NXsubentry", 1, entries);
  for (size_t i = 0; i < entries->len; i++)
    if (is_tomo (file, entries->pdata[i]))
      g_ptr_array_add (tomo, entries->pdata[i]);
  if (tomo->len > 1)
    tl_scan_draft_note (draft, _ ("%u NXtomo entries: the first is read, %s"),
                        tomo->len, (char *)tomo->pdata[0]);
  if (tomo->len > 0)
    return g_strdup (tomo->pdata[0]);
  for (size_t i = 0; i < entries->len; i++)
    {
      g_autofree char *key =
          find_dataset (file, entries->pdata[i], "NXdetector", "image_key");
      if (key == NULL)
        continue;
      tl_scan_draft_note (draft,
                          _ ("%s does not say NXtomo; it is taken for one "
                             "because it has an image_key"),
                          (char *)entries->pdata[i]);
      return g_strdup (entries->pdata[i]);
    }
  return NULL;
}

/* Divides the frames into projections, flats and darks by their image key.
 * Alignment frames and invalid frames are left out. */
static gboolean
split_frames (TlHdf5Scan *scan, const Places *places, TlScanDraft *draft,
              GError **error)
{
  static const TlFrameKind kinds[] = { TL_FRAMES_PROJECTIONS, TL_FRAMES_FLATS,
                                       TL_FRAMES_DARKS };
  size_t n_keys = 0, n_frames = draft->frames->n_frames, n_left_out = 0;
  size_t n_of[TL_N_FRAME_KINDS] = { 0 };
  g_autofree double *keys = tl_hdf5_read_numbers (scan->file, places->image_key,
                                                  scan->name, &n_keys, error);
  if (keys == NULL)
    return FALSE;
  if (n_keys != n_frames)
    return tl_fail (error, TL_ERROR_SHAPE,
                    _ ("%s: %zu image keys but %zu frames"), scan->name, n_keys,
                    n_frames);
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    {
      scan->kinds[kind].frames =
          tl_try_alloc (n_frames, 1, 1, sizeof (size_t),
                        _ ("the numbers of the frames"), error);
      if (scan->kinds[kind].frames == NULL)
        return FALSE;
    }
  for (size_t i = 0; i < n_frames; i++)
    {
      if (keys[i] != 0 && keys[i] != 1 && keys[i] != 2)
        {
          n_left_out++;
          continue;
        }
      TlFrameKind kind = kinds[(int)keys[i]];
      scan->kinds[kind].frames[n_of[kind]++] = i;
      if (kind == TL_FRAMES_FLATS && n_of[TL_FRAMES_PROJECTIONS] == 0)
        draft->n_flats_before++;
    }
  if (n_left_out > 0)
    tl_scan_draft_note (draft, _ ("%zu frames are marked invalid and left out"),
                        n_left_out);
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    draft->frames[kind].n_frames = n_of[kind];
  return TRUE;
}

/* Reads one angle for each of the @n_frames frames of the dataset, as the
 * definition says, or for each projection. */
static gboolean
read_angles (TlHdf5Scan *scan, const Places *places, size_t n_frames,
             TlScanDraft *draft, GError **error)
{
  const size_t *projections = scan->kinds[TL_FRAMES_PROJECTIONS].frames;
  size_t n = draft->frames->n_frames;
  if (places->rotation_angle == NULL)
    return TRUE;
  double *angles = tl_hdf5_read_numbers (scan->file, places->rotation_angle,
                                         scan->name, &draft->n_angles, error);
  if (angles == NULL)
    return FALSE;
  draft->angles_deg = angles;
  if (draft->n_angles == n_frames)
    {
      for (size_t i = 0; i < n; i++)
        angles[i] = angles[projections[i]];
      draft->n_angles = n;
    }
  double largest = 0;
  for (size_t i = 0; i < draft->n_angles; i++)
    largest = MAX (largest, fabs (angles[i]));
  g_autofree char *units =
      tl_hdf5_dup_units (scan->file, places->rotation_angle);
  gboolean is_rad = units != NULL ? g_str_has_prefix (units, "rad")
                                  : largest <= 2 * G_PI * (1 + 1e-6);
  for (size_t i = 0; is_rad && i < draft->n_angles; i++)
    angles[i] *= 180 / G_PI;
  draft->angles_source =
      g_strdup_printf (units != NULL ? is_rad ? _ ("%s, in radians") : "%s"
                       : is_rad      ? _ ("%s, in radians (no unit is given)")
                                     : _ ("%s (no unit is given)"),
                       places->rotation_angle);
  if (units == NULL)
    tl_scan_draft_note (
        draft,
        is_rad ? _ ("the angles have no unit and are taken as radians, because "
                    "the largest is %g")
               : _ ("the angles have no unit and are taken as degrees, because "
                    "the largest is %g"),
        largest);
  return TRUE;
}

static gboolean
describe (TlHdf5Scan *scan, const Places *places, TlScanDraft *draft,
          GError **error)
{
  if (places->data == NULL || places->image_key == NULL)
    return tl_fail (
        error, TL_ERROR_FORMAT,
        _ ("%s: the NXtomo entry has no %s in an NXdetector or NXdata"),
        scan->name, places->data == NULL ? "data" : "image_key");
  g_auto (TlHdf5Id) data =
      tl_hdf5_open_object (scan->file, places->data, scan->name, error);
  if (data < 0)
    return FALSE;
  for (TlFrameKind kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    if (!tl_hdf5_scan_add (scan, kind, data, _ ("frames"), draft, error))
      return FALSE;
  size_t n_frames = draft->frames->n_frames;
  return split_frames (scan, places, draft, error)
         && read_angles (scan, places, n_frames, draft, error);
}

static gpointer
open_nexus (const char *path, const TlReaderOptions *options,
            TlScanDraft *draft, GError **error)
{
  g_auto (TlHdf5Turn) turn G_GNUC_UNUSED = tl_hdf5_enter ();
  g_autoptr (TlHdf5Scan) scan = tl_hdf5_scan_open (path, error);
  if (scan == NULL)
    return NULL;
  g_autofree char *entry = find_entry (scan->file, draft);
  if (entry == NULL)
    return NULL;
  g_auto (Places) places = { 0 };
  find_places (scan->file, entry, &places);
  if (!describe (scan, &places, draft, error))
    return NULL;
  if (places.pixel_size != NULL)
    tl_hdf5_read_pixel_size (scan->file, places.pixel_size, draft);
  draft->format = "NXtomo HDF5";
  return g_steal_pointer (&scan);
}

const TlReaderFormat tl_nexus_format = {
  .container = TL_CONTAINER_HDF5,
  .looks_for = N_ ("an NXentry or NXsubentry with definition NXtomo"),
  .open = open_nexus,
  .is_parallel = tl_hdf5_scan_is_parallel,
  .read = tl_hdf5_scan_read,
  .can_ascend = tl_hdf5_scan_can_ascend,
  .ascend = tl_hdf5_scan_ascend,
  .refresh = tl_hdf5_scan_refresh,
  .close = tl_hdf5_scan_close,
};
