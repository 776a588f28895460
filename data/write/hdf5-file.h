/* The parts of HDF5 that writing needs: errors, attributes, datasets. */
#pragma once

#include <glib.h>
#include <hdf5.h>

/* Keeps the first failure of HDF5 in this thread, which would be printed
 * otherwise. */
typedef struct
{
  int error_number; /* errno, if the caller knows it; else 0 */
  char *reason;     /* these are private */
  H5E_auto2_t print;
  void *print_data;
} TlHdf5Errors;

/** tl_hdf5_errors_catch: From here to tl_hdf5_errors_release(), in one thread,
 * HDF5 prints nothing. */
void tl_hdf5_errors_catch (TlHdf5Errors *errors);

/**
 * tl_hdf5_errors_release:
 * @ok: whether all calls since tl_hdf5_errors_catch() succeeded
 *
 * Returns: @ok; %FALSE with TL_ERROR_FILE that names @path and the reason
 */
gboolean tl_hdf5_errors_release (TlHdf5Errors *errors, gboolean ok,
                                 const char *path, GError **error);

/** tl_hdf5_is_within_limit: Returns: whether this process may make a file of
 * @n_bytes. HDF5 1.10 crashes when it closes a file that became too large. */
gboolean tl_hdf5_is_within_limit (guint64 n_bytes);

/* The functions below return whether they succeeded. */

/** tl_hdf5_set_attribute: @n: how many @values; 0: a scalar */
gboolean tl_hdf5_set_attribute (hid_t object, const char *name, hid_t type,
                                size_t n, const void *values);

/** tl_hdf5_set_text: Sets an attribute in UTF-8. */
gboolean tl_hdf5_set_text (hid_t object, const char *name, const char *text);

/** tl_hdf5_new_text_type: Returns: the type of UTF-8 texts of any length; the
 * values are char *. Close it with H5Tclose() */
hid_t tl_hdf5_new_text_type (void);

/**
 * tl_hdf5_write_dataset:
 * @name: path in the file; missing groups are made
 * @n_dims: 0: a scalar, without @dims
 * @units: (nullable)
 */
gboolean tl_hdf5_write_dataset (hid_t file, const char *name, hid_t type,
                                int n_dims, const hsize_t *dims,
                                const void *values, const char *units);

/** tl_hdf5_write_text: Writes a scalar dataset in UTF-8. */
gboolean tl_hdf5_write_text (hid_t file, const char *name, const char *text);

/** tl_hdf5_read_text: Returns: (transfer full) (nullable): the text of the
 * scalar dataset @name; %NULL if it is empty, is no single text or is not there
 */
char *tl_hdf5_read_text (hid_t file, const char *name);

/** tl_hdf5_find_text: The same in the file @path, which may be no HDF5 file. */
char *tl_hdf5_find_text (const char *path, const char *name);

/** tl_hdf5_write_pixel_size: Writes x_pixel_size and y_pixel_size into @group,
 * in metres; nothing if @pixel_size_um is not positive. */
gboolean tl_hdf5_write_pixel_size (hid_t file, const char *group,
                                   double pixel_size_um);

/** tl_hdf5_new_links: Returns: properties that make missing groups. Close them
 * with H5Pclose() */
hid_t tl_hdf5_new_links (void);
