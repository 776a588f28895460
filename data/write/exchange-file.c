#include "data/write/exchange-file.h"

#include "data/error.h"
#include "data/write/hdf5-file.h"
#include "data/write/hdf5-growing.h"
#include "data/write/part-file.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#define SUFFIX ".h5"
#define UNFINISHED_SUFFIX ".unfinished" SUFFIX

/* What grows; the images first, by their keys. */
enum
{
  N_IMAGE_SERIES = TL_IMAGE_KEY_DARK + 1,
  THETA = N_IMAGE_SERIES,
  THETA_WHITE,
  NOT_RECORDED, /* one number, at the end */
  N_SERIES
};

static const char *const paths[N_SERIES] = {
  [TL_IMAGE_KEY_PROJECTION] = "/exchange/data",
  [TL_IMAGE_KEY_FLAT] = "/exchange/data_white",
  [TL_IMAGE_KEY_DARK] = "/exchange/data_dark",
  [THETA] = "/exchange/theta",
  [THETA_WHITE] = "/exchange/theta_white",
  [NOT_RECORDED] = "/process/acquisition/frames_not_recorded",
};

struct TlExchangeFile
{
  char *path, *unfinished;
  TlHdf5Growing *growing;
  double last_deg; /* of the last projection that has an angle */
};

char *
tl_exchange_file_dup_unfinished (const char *path)
{
  g_return_val_if_fail (g_str_has_suffix (path, SUFFIX), NULL);
  return g_strdup_printf ("%.*s" UNFINISHED_SUFFIX,
                          (int)(strlen (path) - strlen (SUFFIX)), path);
}

static gboolean
set_text (hid_t file, int series, const char *name, const char *text)
{
  hid_t dataset = H5Dopen2 (file, paths[series], H5P_DEFAULT);
  const gboolean ok = dataset >= 0 && tl_hdf5_set_text (dataset, name, text);

  if (dataset >= 0)
    H5Dclose (dataset);
  return ok;
}

static gboolean
describe (hid_t file, gconstpointer data)
{
  const TlExchangeFileLayout *layout = data;

  return set_text (file, TL_IMAGE_KEY_PROJECTION, "axes", "theta:y:x")
         && set_text (file, TL_IMAGE_KEY_FLAT, "axes", "theta_white:y:x")
         && set_text (file, THETA, "units", "degree")
         && set_text (file, THETA_WHITE, "units", "degree")
         && tl_hdf5_write_text (file, "/implements", "exchange:process")
         && tl_hdf5_write_text (file, "/exchange/title", layout->title)
         && tl_hdf5_write_text (file, "/process/acquisition/start_date",
                                layout->start);
}

static TlHdf5Growing *
open_growing (const char *path, const TlExchangeFileLayout *layout,
              GError **error)
{
  TlHdf5Series series[N_SERIES];
  const TlHdf5GrowingLayout growing_layout = {
    .series = series,
    .n_series = N_SERIES,
    .describe = describe,
    .data = layout,
    .has_swmr = TRUE,
  };

  for (int i = 0; i < N_SERIES; i++)
    series[i] = (TlHdf5Series){ paths[i], H5T_NATIVE_DOUBLE, 0, 0 };
  for (int i = 0; i < N_IMAGE_SERIES; i++)
    series[i] = (TlHdf5Series){ paths[i], tl_hdf5_get_type (layout->type),
                                layout->n_rows, layout->n_cols };
  series[NOT_RECORDED].type = H5T_NATIVE_UINT64;
  return tl_hdf5_growing_open (path, &growing_layout, error);
}

TlExchangeFile *
tl_exchange_file_open (const char *path, const TlExchangeFileLayout *layout,
                       GError **error)
{
  hbool_t is_safe = FALSE;

  g_return_val_if_fail (layout->n_rows > 0 && layout->n_cols > 0, NULL);

  if (H5is_library_threadsafe (&is_safe) < 0 || !is_safe)
    return tl_fail_null (error, TL_ERROR_UNSUPPORTED,
                         _ ("%s: cannot be written: the HDF5 library is not "
                            "made for threads"),
                         path);
  g_autofree char *unfinished = tl_exchange_file_dup_unfinished (path);
  TlHdf5Growing *growing = open_growing (unfinished, layout, error);
  if (growing == NULL)
    return NULL;
  TlExchangeFile *file = g_new (TlExchangeFile, 1);
  *file = (TlExchangeFile){ .path = g_strdup (path),
                            .unfinished = g_steal_pointer (&unfinished),
                            .growing = growing,
                            .last_deg = NAN };
  return file;
}

gboolean
tl_exchange_file_append (TlExchangeFile *file, TlImageKey key,
                         const void *pixels, double angle_deg, GError **error)
{
  const TlHdf5Sample samples[] = {
    { key, pixels },
    key == TL_IMAGE_KEY_PROJECTION
        ? (TlHdf5Sample){ THETA, &angle_deg }
        : (TlHdf5Sample){ THETA_WHITE, &file->last_deg },
  };

  if (!tl_hdf5_growing_append (file->growing, samples,
                               key == TL_IMAGE_KEY_DARK ? 1 : 2, error))
    return FALSE;
  if (key == TL_IMAGE_KEY_PROJECTION && isfinite (angle_deg))
    file->last_deg = angle_deg;
  return TRUE;
}

static gboolean
note_missing (TlExchangeFile *file, size_t n_missing, GError **error)
{
  const guint64 n = n_missing;
  const TlHdf5Sample sample = { NOT_RECORDED, &n };

  return n == 0 || tl_hdf5_growing_append (file->growing, &sample, 1, error);
}

static gboolean
take_name (const TlExchangeFile *file, GError **error)
{
  const int error_number = tl_rename_new (file->unfinished, file->path);

  return error_number == 0
         || tl_set_write_error (error, file->path, error_number, NULL);
}

char *
tl_exchange_file_close (TlExchangeFile *file, size_t n_missing,
                        gboolean is_complete, GError **error)
{
  const gboolean is_noted = note_missing (file, n_missing, error);
  const gboolean is_closed =
      tl_hdf5_growing_close (file->growing, is_noted ? error : NULL);
  const gboolean ok =
      is_noted && is_closed && (!is_complete || take_name (file, error));
  char *path =
      ok ? g_strdup (is_complete ? file->path : file->unfinished) : NULL;

  g_free (file->path);
  g_free (file->unfinished);
  g_free (file);
  return path;
}
