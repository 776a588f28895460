#include "data/write/growing-file.h"

#include "data/write/hdf5-file.h"
#include "data/write/hdf5-growing.h"

#define DETECTOR_PATH "/entry/instrument/detector"
#define DATA_PATH DETECTOR_PATH "/data"
#define ATTRIBUTES_PATH "/entry/instrument/NDAttributes/"

/* The field of NeXus that says what has written the file. */
#define PROGRAM_PATH "/entry/program_name"
#define PROGRAM "tomolens-cli play"

/* What there is of each frame. */
enum
{
  PIXELS,
  UNIQUE_ID,
  IMAGE_KEY,
  ANGLE,
  N_SERIES
};

static gboolean
set_class (hid_t file, const char *path, const char *nx_class)
{
  hid_t group = H5Oopen (file, path, H5P_DEFAULT);
  const gboolean ok =
      group >= 0 && tl_hdf5_set_text (group, "NX_class", nx_class);

  if (group >= 0)
    H5Oclose (group);
  return ok;
}

static gboolean
describe (hid_t file, gconstpointer data)
{
  const TlGrowingLayout *layout = data;
  static const struct
  {
    const char *path, *nx_class;
  } groups[] = {
    { "/entry", "NXentry" },
    { "/entry/instrument", "NXinstrument" },
    { DETECTOR_PATH, "NXdetector" },
    { "/entry/instrument/NDAttributes", "NXcollection" },
    { "/entry/data", "NXdata" },
  };
  hid_t links = tl_hdf5_new_links ();
  gboolean ok = H5Lcreate_hard (file, DATA_PATH, file, "/entry/data/data",
                                links, H5P_DEFAULT)
                >= 0;

  H5Pclose (links);
  ok = ok && tl_hdf5_write_text (file, PROGRAM_PATH, PROGRAM)
       && tl_hdf5_write_pixel_size (file, DETECTOR_PATH, layout->pixel_size_um);
  for (size_t i = 0; i < G_N_ELEMENTS (groups) && ok; i++)
    ok = set_class (file, groups[i].path, groups[i].nx_class);
  return ok;
}

TlGrowingFile *
tl_growing_file_open (const char *path, const TlGrowingLayout *layout,
                      GError **error)
{
  g_return_val_if_fail (path != NULL && layout != NULL, NULL);
  g_return_val_if_fail (layout->n_rows > 0 && layout->n_cols > 0, NULL);

  g_autofree char *angle_path =
      g_strconcat (ATTRIBUTES_PATH, layout->angle_name, NULL);
  const TlHdf5Series series[N_SERIES] = {
    [PIXELS] = { DATA_PATH, tl_hdf5_get_type (layout->type), layout->n_rows,
                 layout->n_cols },
    [UNIQUE_ID] = { ATTRIBUTES_PATH "NDArrayUniqueId", H5T_NATIVE_INT32 },
    [IMAGE_KEY] = { ATTRIBUTES_PATH "image_key", H5T_NATIVE_INT32 },
    [ANGLE] = { angle_path, H5T_NATIVE_DOUBLE },
  };
  const TlHdf5GrowingLayout growing_layout = {
    .series = series,
    .n_series = N_SERIES,
    .describe = describe,
    .data = layout,
    .has_swmr = layout->has_swmr,
    .replaces = layout->replaces,
  };
  return tl_hdf5_growing_open (path, &growing_layout, error);
}

gboolean
tl_growing_file_is_one (const char *path)
{
  g_autofree char *program = tl_hdf5_find_text (path, PROGRAM_PATH);

  return g_strcmp0 (program, PROGRAM) == 0;
}

gboolean
tl_growing_file_append (TlGrowingFile *file, const void *pixels,
                        gint32 unique_id, TlImageKey key, double angle_deg,
                        GError **error)
{
  const gint32 image_key = (gint32)key;
  const TlHdf5Sample samples[N_SERIES] = {
    { PIXELS, pixels },
    { UNIQUE_ID, &unique_id },
    { IMAGE_KEY, &image_key },
    { ANGLE, &angle_deg },
  };

  return tl_hdf5_growing_append (file, samples, N_SERIES, error);
}

gboolean
tl_growing_file_close (TlGrowingFile *file, GError **error)
{
  return tl_hdf5_growing_close (file, error);
}
