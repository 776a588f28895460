/* Damaged HDF5 files that would keep the library busy, or end the program in
 * it. */
#pragma once

#include <glib.h>
#include <hdf5.h>

/**
 * tl_hdf5_guard:
 * @access: a list of properties of file access, or H5P_FILE_ACCESS_DEFAULT for
 *   the files behind links and virtual datasets
 *
 * Lets files that are opened with @access be read as before, except that a
 * damaged collection of the global heap cannot be read. There are the texts of
 * any length and the parts of virtual datasets. HDF5 1.10 follows the sizes in
 * a collection unchecked: a size of 0, as in a file of which a page was not
 * written, never ends, and others lead beyond the memory of the collection.
 *
 * Call it from one thread at a time, as all of HDF5.
 */
void tl_hdf5_guard (hid_t access);

/**
 * tl_hdf5_has_sound_texts:
 * @data: a dataset or an attribute of a file that this program does not write
 *
 * HDF5 1.10 allocates as much as the stated length of a text of variable
 * length, and ends the program if the global heap has no such object: check
 * before reading.
 *
 * Returns: whether each text is an object of that length, and there are at most
 *   4 million. %FALSE for those of a virtual dataset, which may be in several
 *   files; %TRUE for texts of a fixed length, and, without a look, in a file of
 *   several parts
 */
gboolean tl_hdf5_has_sound_texts (hid_t data);

/**
 * tl_hdf5_read_number:
 * @data: a dataset of a file that this program does not write
 *
 * There is room for one number, so that no other dataset is read.
 *
 * Returns: whether @data is one number and could be read
 */
gboolean tl_hdf5_read_number (hid_t data, double *number);

#define TL_HDF5_MAX_FILTERS 32 /* that HDF5 has */

/* The filters of a dataset, in the order in which they were applied. */
typedef struct
{
  int n;
  H5Z_filter_t ids[TL_HDF5_MAX_FILTERS];
  unsigned shuffled_bytes[TL_HDF5_MAX_FILTERS]; /* of a sample, of shuffle */
} TlHdf5Filters;

/** tl_hdf5_get_filters: @made: how a dataset was created. Returns: whether all
 * are of those that this program can undo: deflate, shuffle, fletcher32 */
gboolean tl_hdf5_get_filters (hid_t made, TlHdf5Filters *filters);

/* What tl_hdf5_has_sound_chunks() says of chunks on HDF5's stack of errors. */
#define TL_HDF5_TOO_SHORT "a chunk has fewer bytes than the dataset says"
#define TL_HDF5_TOO_LARGE "a chunk inflates to more than is allowed"
#define TL_HDF5_DEFLATED_TWICE "a chunk is deflated twice"

/**
 * tl_hdf5_has_sound_chunks:
 * @data: a dataset of a file that this program does not write
 * @selected: a space with few, large blocks of what is to be read; H5S_ALL: all
 *   of it, which is not large
 *
 * HDF5 1.10 assumes that a chunk has at least the size that the dataset says,
 * and reads beyond the memory of a smaller one: check before reading. Of a
 * larger chunk, which some writers make, HDF5 uses the beginning.
 *
 * Returns: whether each chunk of @selected has that size and inflates to less
 *   than 4 GiB, or 256 MiB of H5S_ALL. %TRUE, without a look, for virtual
 *   datasets, and for filters other than those of tl_hdf5_get_filters().
 *   %FALSE leaves one of the three reasons on HDF5's stack of errors, or that a
 *   "memory allocation failed"
 */
gboolean tl_hdf5_has_sound_chunks (hid_t data, hid_t selected);

/** tl_hdf5_is_one_file: @access: of an open file. Returns: whether an address
 * in it is an offset in one file, guarded or not */
gboolean tl_hdf5_is_one_file (hid_t access);
