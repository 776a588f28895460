/* The parts of HDF5 that the readers need: objects, errors, numbers, texts. */
#pragma once

#include <hdf5.h>

#include "data/read/scan/draft.h"

/* The identifier of any HDF5 object; negative: none. */
typedef hid_t TlHdf5Id;

void tl_hdf5_close_id (TlHdf5Id id);

G_DEFINE_AUTO_CLEANUP_FREE_FUNC (TlHdf5Id, tl_hdf5_close_id, -1)

/* The right to call HDF5, held by one thread at a time. */
typedef guint TlHdf5Turn;

/**
 * tl_hdf5_enter:
 *
 * Waits until no other thread calls HDF5, which need not be thread-safe. A
 * thread may enter several times. Until the last tl_hdf5_leave() HDF5 prints no
 * errors, and locks no file that it opens through a link or a virtual dataset,
 * so that a program that writes the file is not kept out.
 *
 * Declare the result before anything whose cleanup calls HDF5.
 */
TlHdf5Turn tl_hdf5_enter (void);
void tl_hdf5_leave (TlHdf5Turn turn);

G_DEFINE_AUTO_CLEANUP_FREE_FUNC (TlHdf5Turn, tl_hdf5_leave, 0)

/**
 * tl_hdf5_set_error:
 * @format: what failed, in words; the reason and what to do are appended
 *
 * Turns the error stack of HDF5 into @error, with TL_ERROR_FILE, or
 * TL_ERROR_MEMORY if memory was short, and clears it.
 */
gboolean tl_hdf5_set_error (GError **error, const char *format, ...)
    G_GNUC_PRINTF (2, 3);

/** tl_hdf5_dup_text: Returns: (transfer full): what @get, a function of HDF5
 * such as H5Fget_name(), says of @id; "" where it fails */
char *tl_hdf5_dup_text (ssize_t (*get) (hid_t id, char *text, size_t size),
                        TlHdf5Id id);

/** tl_hdf5_has: Returns: whether @path exists, or cannot be looked for because
 * the file cannot be read. H5Lexists() fails if a parent is missing, so each
 * component of the path is asked for. */
gboolean tl_hdf5_has (TlHdf5Id group, const char *path);

/**
 * tl_hdf5_open_object:
 * @name: of the file, for the message
 *
 * Returns: (transfer full): a group or dataset; negative with TL_ERROR_FILE. If
 *   an external link cannot be followed, the message names the other file.
 */
TlHdf5Id tl_hdf5_open_object (TlHdf5Id group, const char *path,
                              const char *name, GError **error);

/** tl_hdf5_dup_missing_raw: Returns: (transfer full) (nullable): the first file
 * outside the HDF5 file that has samples of @dataset, and is not there; for
 * messages */
char *tl_hdf5_dup_missing_raw (TlHdf5Id dataset);

/**
 * tl_hdf5_read_numbers:
 * @n: (out): how many numbers there are
 *
 * Returns: (transfer full): all numbers of a dataset, of which one dimension
 * may be longer than 1; %NULL with TL_ERROR_FILE, TL_ERROR_FORMAT,
 * TL_ERROR_MEMORY, or TL_ERROR_SHAPE if there are more than a scan can have
 */
double *tl_hdf5_read_numbers (TlHdf5Id group, const char *path,
                              const char *name, size_t *n, GError **error);

/** tl_hdf5_read_strings: Returns: (transfer full): the strings of a dataset, of
 * fixed or variable length; an empty array if it has none */
char **tl_hdf5_read_strings (TlHdf5Id group, const char *path);

/** tl_hdf5_dup_attribute: Returns: (transfer full) (nullable): the text of an
 * attribute */
char *tl_hdf5_dup_attribute (TlHdf5Id object, const char *attribute);

/** tl_hdf5_dup_units: Returns: (transfer full) (nullable): the attribute
 * "units" of @path, in lower case */
char *tl_hdf5_dup_units (TlHdf5Id group, const char *path);

/** tl_hdf5_read_pixel_size: Sets pixel_size_um in @draft if @path is a length
 * and no pixel size has been found before. */
void tl_hdf5_read_pixel_size (TlHdf5Id group, const char *path,
                              TlScanDraft *draft);
