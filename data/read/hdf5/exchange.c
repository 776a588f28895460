/* Data Exchange HDF5: De Carlo et al., "Scientific data exchange", J.
 * Synchrotron Rad. 21 (2014) 1224. */
#include "data/read/hdf5/scan-private.h"

#include "data/error.h"

#include <glib/gi18n.h>
#include <string.h>

static const char *const datasets[TL_N_FRAME_KINDS] = { "/exchange/data",
                                                        "/exchange/data_white",
                                                        "/exchange/data_dark" };

static gboolean
add_frames (TlHdf5Scan *scan, TlFrameKind kind, TlScanDraft *draft,
            GError **error)
{
  static const char *const names[] = { N_ ("projections"), N_ ("flats"),
                                       N_ ("darks") };
  g_auto (TlHdf5Id) dataset =
      tl_hdf5_open_object (scan->file, datasets[kind], scan->name, error);
  if (dataset < 0
      || !tl_hdf5_scan_add (scan, kind, dataset, _ (names[kind]), draft, error))
    return FALSE;
  g_autofree char *axes = tl_hdf5_dup_attribute (dataset, "axes");
  if (axes != NULL && strcmp (axes, "y:theta:x") == 0)
    return tl_fail (error, TL_ERROR_UNSUPPORTED,
                    _ ("%s: the axes of %s are %s; only theta:y:x can be read"),
                    scan->name, datasets[kind], axes);
  return TRUE;
}

static gboolean
read_theta (TlHdf5Scan *scan, TlScanDraft *draft, GError **error)
{
  static const char path[] = "/exchange/theta";
  if (!tl_hdf5_has (scan->file, path))
    return TRUE;
  draft->angles_deg = tl_hdf5_read_numbers (scan->file, path, scan->name,
                                            &draft->n_angles, error);
  if (draft->angles_deg == NULL)
    return FALSE;
  g_autofree char *units = tl_hdf5_dup_units (scan->file, path);
  gboolean is_rad = units != NULL && g_str_has_prefix (units, "rad");
  for (size_t i = 0; is_rad && i < draft->n_angles; i++)
    draft->angles_deg[i] *= 180 / G_PI;
  draft->angles_source =
      is_rad ? g_strdup_printf (_ ("%s, in radians"), path) : g_strdup (path);
  return TRUE;
}

static gpointer
open_exchange (const char *path, const TlReaderOptions *options,
               TlScanDraft *draft, GError **error)
{
  static const char *const pixel_sizes[] = {
    "/measurement/instrument/detector/x_pixel_size",
    "/measurement/instrument/detector/pixel_size_x",
    "/measurement/instrument/detector/pixel_size",
    "/measurement/instrument/detection_system/x_pixel_size",
  };
  g_auto (TlHdf5Turn) turn G_GNUC_UNUSED = tl_hdf5_enter ();
  g_autoptr (TlHdf5Scan) scan = tl_hdf5_scan_open (path, error);
  if (scan == NULL)
    return NULL;
  if (!tl_hdf5_has (scan->file, datasets[TL_FRAMES_PROJECTIONS]))
    return NULL;
  for (TlFrameKind kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    if (tl_hdf5_has (scan->file, datasets[kind])
        && !add_frames (scan, kind, draft, error))
      return NULL;
  if (!read_theta (scan, draft, error))
    return NULL;
  for (size_t i = 0; i < G_N_ELEMENTS (pixel_sizes); i++)
    tl_hdf5_read_pixel_size (scan->file, pixel_sizes[i], draft);
  draft->format = "Data Exchange HDF5";
  /* The format does not say when a flat was taken. */
  draft->n_flats_before = draft->frames[TL_FRAMES_FLATS].n_frames;
  return g_steal_pointer (&scan);
}

const TlReaderFormat tl_exchange_format = {
  .container = TL_CONTAINER_HDF5,
  .looks_for = N_ ("/exchange/data (Data Exchange)"),
  .open = open_exchange,
  .is_parallel = tl_hdf5_scan_is_parallel,
  .read = tl_hdf5_scan_read,
  .can_ascend = tl_hdf5_scan_can_ascend,
  .ascend = tl_hdf5_scan_ascend,
  .refresh = tl_hdf5_scan_refresh,
  .close = tl_hdf5_scan_close,
};
