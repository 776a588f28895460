#include "data/phantom/exchange-private.h"

#include "data/write/hdf5-file.h"

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
                && tl_hdf5_set_text (dataset, "units", "counts")
                && tl_hdf5_set_text (dataset, "axes", axes);
  *offset = address;
  if (dataset >= 0)
    ok = H5Dclose (dataset) >= 0 && ok;
  H5Pclose (properties);
  H5Sclose (space);
  return ok;
}

#define TITLE_PATH "/exchange/title"
#define TITLE "Tomolens phantom"

gboolean
tl_phantom_is_scan (const char *path)
{
  g_autofree char *title = tl_hdf5_find_text (path, TITLE_PATH);

  return g_strcmp0 (title, TITLE) == 0;
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

  return tl_hdf5_write_text (file, "/implements", "exchange:measurement")
         && tl_hdf5_write_text (file, TITLE_PATH, TITLE)
         && tl_hdf5_write_text (file, "/measurement/sample/name", "phantom")
         && tl_hdf5_write_text (file, "/measurement/sample/description", text);
}

static gboolean
write_angles (hid_t file, const TlPhantomScan *scan)
{
  const hsize_t n = scan->n_projections;
  g_autofree double *angles_deg = g_new (double, scan->n_projections);

  for (size_t i = 0; i < scan->n_projections; i++)
    angles_deg[i] = tl_phantom_scan_angle (scan, i);
  return tl_hdf5_write_dataset (file, "/exchange/theta", H5T_NATIVE_DOUBLE, 1,
                                &n, angles_deg, "degrees");
}

gboolean
tl_exchange_create (const char *file_name, const char *path,
                    const TlPhantomScan *scan, TlExchangeOffsets *offsets,
                    GError **error)
{
  TlHdf5Errors errors;

  tl_hdf5_errors_catch (&errors);
  hid_t file = H5Fcreate (file_name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  /* The small datasets go first: they fill the start of the file, and one
   * read fetches them all. */
  gboolean ok =
      file >= 0 && write_description (file, scan)
      && tl_hdf5_write_pixel_size (file, "/measurement/instrument/detector",
                                   scan->pixel_size_um)
      && write_angles (file, scan)
      && reserve_frames (file, "/exchange/data_white", scan, scan->n_flats,
                         "theta_white:y:x", &offsets->flats)
      && reserve_frames (file, "/exchange/data_dark", scan, scan->n_darks,
                         "theta_dark:y:x", &offsets->darks)
      && reserve_frames (file, "/exchange/data", scan, scan->n_projections,
                         "theta:y:x", &offsets->projections);
  if (file >= 0)
    ok = H5Fclose (file) >= 0 && ok;
  return tl_hdf5_errors_release (&errors, ok, path, error);
}
