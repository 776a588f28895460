#include "data/phantom/exchange-private.h"

#include "data/write/part-file.h"

#include <hdf5.h>
#include <string.h>

/* Called for each entry of the error stack, outermost first. Keeps the last,
 * innermost entry: HDF5 puts the system's reason there. */
static herr_t
keep_innermost (unsigned n, const H5E_error2_t *item, void *user_data)
{
  char **reason = user_data;

  if (item->desc != NULL && *item->desc != '\0')
    {
      g_free (*reason);
      *reason = g_strdup (item->desc);
    }
  return 0;
}

/* HDF5 calls this function at each failure instead of printing. The reason
 * must be kept here, because the next successful call clears the stack. Only
 * the first failure counts. */
static herr_t
keep_first_failure (hid_t stack, void *user_data)
{
  char **reason = user_data;

  if (*reason == NULL)
    H5Ewalk2 (stack, H5E_WALK_DOWNWARD, keep_innermost, reason);
  return 0;
}

/* HDF5 gives the system's error number only as part of a text. */
static int
find_error_number (const char *reason)
{
  const char *const label = "errno = ";
  const char *number = reason != NULL ? strstr (reason, label) : NULL;

  return number != NULL
             ? (int)g_ascii_strtoll (number + strlen (label), NULL, 10)
             : 0;
}

static gboolean
set_attribute (hid_t object, const char *name, const char *text)
{
  hid_t type = H5Tcopy (H5T_C_S1);
  hid_t space = H5Screate (H5S_SCALAR);

  H5Tset_size (type, H5T_VARIABLE);
  H5Tset_cset (type, H5T_CSET_UTF8);
  hid_t attribute =
      H5Acreate2 (object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  gboolean ok = attribute >= 0 && H5Awrite (attribute, type, &text) >= 0;
  if (attribute >= 0)
    ok = H5Aclose (attribute) >= 0 && ok;
  H5Sclose (space);
  H5Tclose (type);
  return ok;
}

/* @units: (nullable) */
static gboolean
write_dataset (hid_t file, const char *name, hid_t type, int n_dims,
               const hsize_t *dims, const void *values, const char *units)
{
  hid_t space = n_dims > 0 ? H5Screate_simple (n_dims, dims, NULL)
                           : H5Screate (H5S_SCALAR);
  hid_t links = H5Pcreate (H5P_LINK_CREATE);

  H5Pset_create_intermediate_group (links, 1);
  hid_t dataset =
      H5Dcreate2 (file, name, type, space, links, H5P_DEFAULT, H5P_DEFAULT);
  gboolean ok =
      dataset >= 0
      && H5Dwrite (dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0
      && (units == NULL || set_attribute (dataset, "units", units));
  if (dataset >= 0)
    ok = H5Dclose (dataset) >= 0 && ok;
  H5Pclose (links);
  H5Sclose (space);
  return ok;
}

static gboolean
write_text (hid_t file, const char *name, const char *text)
{
  hid_t type = H5Tcopy (H5T_C_S1);

  H5Tset_size (type, H5T_VARIABLE);
  H5Tset_cset (type, H5T_CSET_UTF8);
  gboolean ok = write_dataset (file, name, type, 0, NULL, &text, NULL);
  H5Tclose (type);
  return ok;
}

/* Reserves room for @n_frames frames without writing to it: the file system
 * keeps a hole until the counts are written. */
static gboolean
reserve_frames (hid_t file, const char *name, const TlPhantomScan *scan,
                size_t n_frames, const char *axes, guint64 *offset)
{
  const hsize_t dims[] = { n_frames, scan->n_rows, scan->n_cols };
  haddr_t address = HADDR_UNDEF;

  *offset = 0;
  if (n_frames == 0)
    return TRUE;
  hid_t space = H5Screate_simple (G_N_ELEMENTS (dims), dims, NULL);
  hid_t properties = H5Pcreate (H5P_DATASET_CREATE);
  H5Pset_layout (properties, H5D_CONTIGUOUS);
  H5Pset_alloc_time (properties, H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time (properties, H5D_FILL_TIME_NEVER);
  hid_t dataset = H5Dcreate2 (file, name, H5T_NATIVE_UINT16, space, H5P_DEFAULT,
                              properties, H5P_DEFAULT);
  if (dataset >= 0)
    address = H5Dget_offset (dataset);
  gboolean ok = address != HADDR_UNDEF
                && set_attribute (dataset, "units", "counts")
                && set_attribute (dataset, "axes", axes);
  *offset = address;
  if (dataset >= 0)
    ok = H5Dclose (dataset) >= 0 && ok;
  H5Pclose (properties);
  H5Sclose (space);
  return ok;
}

static gboolean
write_description (hid_t file, const TlPhantomScan *scan)
{
  g_autofree char *noise =
      scan->noise_counts > 0.0
          ? g_strdup_printf ("noise of %g photons in the open beam, seed %u",
                             scan->noise_counts, scan->seed)
          : g_strdup ("no noise");
  g_autofree char *tilt =
      scan->tilt_deg != 0.0
          ? g_strdup_printf (", tilted by %g degrees,", scan->tilt_deg)
          : g_strdup ("");
  g_autofree char *text = g_strdup_printf (
      "Computed phantom of radius %g pixels; the axis%s projects onto column "
      "%g (the middle of the first column is 0); %s",
      tl_phantom_scan_radius (scan), tilt, scan->centre_col, noise);

  return write_text (file, "/implements", "exchange:measurement")
         && write_text (file, "/exchange/title", "Tomolens phantom")
         && write_text (file, "/measurement/sample/name", "phantom")
         && write_text (file, "/measurement/sample/description", text);
}

static gboolean
write_pixel_size (hid_t file, double pixel_size_um)
{
  const double size_m = pixel_size_um * 1e-6;
  const char *const folder = "/measurement/instrument/detector";
  g_autofree char *x = g_strconcat (folder, "/x_pixel_size", NULL);
  g_autofree char *y = g_strconcat (folder, "/y_pixel_size", NULL);

  if (pixel_size_um <= 0.0)
    return TRUE;
  return write_dataset (file, x, H5T_NATIVE_DOUBLE, 0, NULL, &size_m, "m")
         && write_dataset (file, y, H5T_NATIVE_DOUBLE, 0, NULL, &size_m, "m");
}

static gboolean
write_angles (hid_t file, const TlPhantomScan *scan)
{
  const hsize_t n = scan->n_projections;
  g_autofree double *angles_deg = g_new (double, scan->n_projections);

  for (size_t i = 0; i < scan->n_projections; i++)
    angles_deg[i] = tl_phantom_scan_angle (scan, i);
  return write_dataset (file, "/exchange/theta", H5T_NATIVE_DOUBLE, 1, &n,
                        angles_deg, "degrees");
}

gboolean
tl_exchange_create (const char *file_name, const char *path,
                    const TlPhantomScan *scan, TlExchangeOffsets *offsets,
                    GError **error)
{
  g_autofree char *reason = NULL;
  H5E_auto2_t print = NULL;
  void *print_data = NULL;

  H5Eget_auto2 (H5E_DEFAULT, &print, &print_data);
  H5Eset_auto2 (H5E_DEFAULT, keep_first_failure, &reason);
  hid_t file = H5Fcreate (file_name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  /* The small datasets go first: they fill the start of the file, and one
   * read fetches them all. */
  gboolean ok =
      file >= 0 && write_description (file, scan)
      && write_pixel_size (file, scan->pixel_size_um)
      && write_angles (file, scan)
      && reserve_frames (file, "/exchange/data_white", scan, scan->n_flats,
                         "theta_white:y:x", &offsets->flats)
      && reserve_frames (file, "/exchange/data_dark", scan, scan->n_darks,
                         "theta_dark:y:x", &offsets->darks)
      && reserve_frames (file, "/exchange/data", scan, scan->n_projections,
                         "theta:y:x", &offsets->projections);
  if (file >= 0)
    ok = H5Fclose (file) >= 0 && ok;
  H5Eset_auto2 (H5E_DEFAULT, print, print_data);
  if (!ok)
    tl_set_write_error (error, path, find_error_number (reason), reason);
  return ok;
}
