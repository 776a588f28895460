/* HDF5 in words that the readers need: objects, errors, numbers, texts. */
#pragma once

#include <hdf5.h>

#include "data/read/draft-private.h"

G_BEGIN_DECLS

/* Any HDF5 object; negative: none. */
typedef hid_t TlHdf5Id;

void tl_hdf5_close_id (TlHdf5Id id);

G_DEFINE_AUTO_CLEANUP_FREE_FUNC (TlHdf5Id, tl_hdf5_close_id, -1)

/** tl_hdf5_silence: HDF5 prints nothing from now on, in this thread. */
void tl_hdf5_silence (void);

/**
 * tl_hdf5_set_error:
 * @format: what failed, in words; HDF5's own reason is put behind it
 *
 * Turns HDF5's error stack into @error and clears it.
 */
void tl_hdf5_set_error (GError **error, const char *format, ...)
    G_GNUC_PRINTF (2, 3);

/** tl_hdf5_has: Returns: whether there is a link, each step of @path asked. */
gboolean tl_hdf5_has (TlHdf5Id group, const char *path);

/**
 * tl_hdf5_open_object:
 * @name: of the file, for the message
 *
 * Returns: (transfer full): a group or dataset; negative with TL_ERROR_FILE,
 *   which names the other file where the link leads into one
 */
TlHdf5Id tl_hdf5_open_object (TlHdf5Id group, const char *path,
                              const char *name, GError **error);

/**
 * tl_hdf5_read_numbers:
 * @n: (out): how many
 *
 * Returns: (transfer full): a whole dataset of numbers of any shape; %NULL with
 *   TL_ERROR_FILE, TL_ERROR_FORMAT or TL_ERROR_MEMORY
 */
double *tl_hdf5_read_numbers (TlHdf5Id group, const char *path,
                              const char *name, size_t *n, GError **error);

/**
 * tl_hdf5_read_strings:
 *
 * Returns: (transfer full): the strings of a dataset, fixed or variable length;
 *   empty where it holds none
 */
char **tl_hdf5_read_strings (TlHdf5Id group, const char *path);

/** tl_hdf5_dup_attribute: Returns: (transfer full) (nullable): a text. */
char *tl_hdf5_dup_attribute (TlHdf5Id object, const char *attribute);

/** tl_hdf5_dup_units: Returns: (transfer full) (nullable): lower case. */
char *tl_hdf5_dup_units (TlHdf5Id group, const char *path);

/** tl_hdf5_read_pixel_size: sets pixel_size_um if @path has a length. */
void tl_hdf5_read_pixel_size (TlHdf5Id group, const char *path,
                              TlScanDraft *draft);

G_END_DECLS
