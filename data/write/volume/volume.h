/* Writes a volume, [z][y][x], to a file or a folder of one of several formats,
 * with its metadata, so that an unfinished volume can be resumed.
 *
 * Beside the volume, at its path with TL_VOLUME_RECORDS_SUFFIX, lies a file of
 * records: which slices are whole, with their checksums and tallies. After a
 * crash the records are what tl_volume_resume() believes, as far as the slices,
 * read back, have those checksums. The caller removes the file when the volume
 * is where it belongs: until then the volume can be resumed, also after
 * tl_volume_finish().
 *
 * All errors are TL_ERROR_FILE, with the path, unless stated otherwise. */
#pragma once

#include "data/write/volume/info.h"

#include <gio/gio.h>

#define TL_VOLUME_RECORDS_SUFFIX ".unfinished"

/* In the folder of a TIFF stack: the metadata of the volume. */
#define TL_VOLUME_STACK_FACTS "volume.json"

/* What help texts and dialogs say about a format. */
typedef struct
{
  const char *name;        /* "tiff", for an option */
  const char *suffix;      /* ".h5" and so on; "" for a folder of TIFF files */
  const char *description; /* one phrase, marked for translation */
  gboolean has_f16;        /* all formats have the other sample types */
  gboolean is_folder;
  gboolean is_compressible; /* as this program was built */
} TlVolumeFormatInfo;

typedef struct TlVolume TlVolume;

/** tl_volume_format_get_info: Returns: (transfer none): of one format */
const TlVolumeFormatInfo *tl_volume_format_get_info (TlVolumeFormat format);

/** tl_volume_format_from_name: Returns: %FALSE if no format has this name */
gboolean tl_volume_format_from_name (const char *name, TlVolumeFormat *format);

/** tl_volume_format_from_path: Returns: the format whose suffix @path has, in
 * upper or lower case; TL_VOLUME_TIFF if it has none of them */
TlVolumeFormat tl_volume_format_from_path (const char *path);

/** tl_volume_is_hdf5: Returns: whether a volume of @format is an HDF5 file: of
 * whatever layout, it can show the slices of others */
gboolean tl_volume_is_hdf5 (TlVolumeFormat format);

/** tl_volume_check_suffix: Returns: %FALSE with TL_ERROR_VALUE if the suffix of
 * @path promises another kind of file than a volume of @format. .h5 is good for
 * NeXus, too, and there are longer suffixes: .tiff, .hdf, .hdf5 */
gboolean tl_volume_check_suffix (TlVolumeFormat format, const char *path,
                                 GError **error);

/** tl_volume_dup_side_path: Returns: (transfer full) (nullable): the second
 * file of a volume at @path, which is moved along with it: the header of a raw
 * file
 */
char *tl_volume_dup_side_path (TlVolumeFormat format, const char *path);

/** tl_volume_has_mark: Returns: whether there is a volume at @path that
 * tl_volume_finish() has completed in a format like this one, by what is in its
 * metadata. Of a TIFF stack of an earlier version the metadata of the slices
 * are not looked at: %FALSE. Any thread; reads a little of the file */
gboolean tl_volume_has_mark (TlVolumeFormat format, const char *path);

/** tl_volume_is_exported: Returns: whether @path is a finished volume of any
 * format, or the header of one; as tl_volume_has_mark() */
gboolean tl_volume_is_exported (const char *path);

/** tl_volume_find_format: Returns: the format of the volume at @path, which has
 * the mark of @format: HDF5 has two layouts */
TlVolumeFormat tl_volume_find_format (TlVolumeFormat format, const char *path);

/** tl_volume_find_foreign: Returns: (transfer full) (nullable): the path of a
 * file in the volume at @path, which has this mark or is a TIFF stack, that was
 * not written with it; %NULL if there is none. Looks at all names, sizes and
 * dates of a stack, at all names of a Zarr volume, and at the size and the ends
 * of raw samples. Any thread */
char *tl_volume_find_foreign (TlVolumeFormat format, const char *path);

/** tl_volume_has_trace: Returns: whether the first or last bytes of the file
 * @path, or of some files in the folder @path, say that this program has
 * exported them: a damaged volume may have nothing else. Any thread */
gboolean tl_volume_has_trace (const char *path);

/** tl_volume_find_missing: Returns: (transfer full) (nullable): the path of a
 * file that the finished volume at @path, as of @info, lacks; %NULL if it lacks
 * none. What is in the files is not read. Any thread */
char *tl_volume_find_missing (const char *path, const TlVolumeInfo *info);

/**
 * tl_volume_check_sums:
 * @info: of the finished volume at @path, as for tl_volume_find_missing()
 * @damaged: (out) (nullable) (transfer full): the names of the slices that are
 *   not as they were written: "slice 12, slice 17 and 3 more", or the list of
 *   the checksums itself
 *
 * Reads all slices of a finished volume, in several threads. A volume of an
 * earlier version, and a joined HDF5 file, have no checksums and count as good.
 * Any thread.
 *
 * Returns: %FALSE with TL_ERROR_FILE if the volume cannot be opened, or
 *   %G_IO_ERROR_CANCELLED
 */
gboolean tl_volume_check_sums (const char *path, const TlVolumeInfo *info,
                               GCancellable *cancellable, char **damaged,
                               GError **error);

/** tl_volume_read_recipe: Returns: (transfer full) (nullable): the recipe in
 * the metadata of a volume that has this mark; %NULL if there is none */
char *tl_volume_read_recipe (TlVolumeFormat format, const char *path);

/** tl_volume_read_failures: Returns: (transfer full) (nullable): what the
 * finished volume keeps of tl_volume_set_failures() */
char *tl_volume_read_failures (TlVolumeFormat format, const char *path);

/** tl_volume_check: Returns: %FALSE with TL_ERROR_VALUE or
 * TL_ERROR_UNSUPPORTED if no volume can be written like this */
gboolean tl_volume_check (const TlVolumeInfo *info, GError **error);

/** tl_volume_count_bytes: Returns: an upper bound of the size on disk; a
 * compressed volume is smaller */
guint64 tl_volume_count_bytes (const TlVolumeInfo *info);

/**
 * tl_volume_count_work:
 * @n_threads: that are in tl_volume_write() at the same time
 * @n_blocks: of slices that come in any order; within a block they come roughly
 *   in order
 *
 * Returns: bytes of memory that writing takes at most, without the pixels
 */
guint64 tl_volume_count_work (const TlVolumeInfo *info, guint n_threads,
                              guint n_blocks);

/**
 * tl_volume_new:
 * @path: must not exist; its folder must
 *
 * Creates the volume and its file of records.
 *
 * Returns: (transfer full): %NULL with TL_ERROR_FILE or an error of
 *   tl_volume_check(); files made until then are left
 */
TlVolume *tl_volume_new (const char *path, const TlVolumeInfo *info,
                         GError **error);

/**
 * tl_volume_resume:
 * @info: as for tl_volume_new(); only the command may differ
 *
 * Opens an unfinished volume, whether its writer closed or lost it. Slices that
 * tl_volume_check_slice() does not confirm must be written again. No two
 * writers may have one volume open. A compressed HDF5 file whose writer was
 * killed is copied, so that it needs its room twice for a while.
 *
 * Returns: (transfer full): %NULL with TL_ERROR_FILE, or TL_ERROR_VALUE if it
 *   was begun with another @info
 */
TlVolume *tl_volume_resume (const char *path, const TlVolumeInfo *info,
                            GError **error);

/** tl_volume_list_waiting: Returns: (transfer full) (element-type size_t): the
 * numbers of the slices that an unfinished volume at @path lacks, as its
 * records say; tl_volume_check_slice() knows better
 *
 * @n_slices: (out): of the whole volume; 0 if it has no records, or damaged
 * ones */
GArray *tl_volume_list_waiting (const char *path, size_t *n_slices);

/** tl_volume_adopt_stack: Takes over the slices of @from, a finished TIFF stack
 * of the same info, into @volume, which is new: those that are not as they were
 * written count as damaged. Takes none where the file system has no hard links,
 * or @from has no checksums. */
void tl_volume_adopt_stack (TlVolume *volume, const char *from);

/**
 * tl_volume_write:
 * @slice: 0 … n_slices - 1
 * @pixels: [n_rows][n_cols], attenuation per pixel length
 * @crc32: (out) (optional): zlib's checksum of the bytes stored for the slice:
 *   of the whole file in a TIFF stack, of the samples as they are stored, maybe
 *   compressed, elsewhere
 *
 * Any thread, several at the same time, in any order, but each slice by one
 * thread. A slice may be written again, also after an error (compressed HDF5:
 * after a resume). A slice that cannot be computed may be written as NaN. The
 * formats write in parallel; of compressed HDF5 only the compression is
 * parallel.
 *
 * Zarr keeps a quarter of the pixels of a slice until its neighbour comes, to
 * make the coarser levels: slices should come roughly in order.
 *
 * Returns: %FALSE with TL_ERROR_FILE or TL_ERROR_MEMORY; the other slices stay
 */
gboolean tl_volume_write (TlVolume *volume, size_t slice, const float *pixels,
                          guint32 *crc32, GError **error);

/**
 * tl_volume_check_slice:
 * @crc32: (out) (optional): as of tl_volume_write()
 *
 * Reads a slice back, and in Zarr the coarser slices that it is part of. Any
 * thread, also while other slices are written.
 *
 * Returns: whether the slice is whole and need not be written again
 */
gboolean tl_volume_check_slice (TlVolume *volume, size_t slice, guint32 *crc32);

/** tl_volume_is_damaged: Returns: whether the slice was written, but is not as
 * it was written any more */
gboolean tl_volume_is_damaged (TlVolume *volume, size_t slice);

/** tl_volume_set_failures: @text: (nullable): lines of ASCII; what the metadata
 * of the finished volume say of the rows of the scan that could not be made.
 * HDF5 keeps the lines that it has room for, and then a line "+12" if 12 others
 * are left out */
void tl_volume_set_failures (TlVolume *volume, const char *text);

/** tl_volume_get_tally: Sums up the tallies of the slices that are written. */
void tl_volume_get_tally (TlVolume *volume, TlVolumeTally *tally);

/**
 * tl_volume_finish:
 *
 * Completes the metadata, and waits until everything is on the disk. After it
 * only tl_volume_free() may be called. One thread.
 *
 * Returns: %FALSE with TL_ERROR_FILE, or TL_ERROR_VALUE if slices have not been
 *   written; the volume can then be resumed
 */
gboolean tl_volume_finish (TlVolume *volume, GError **error);

/** tl_volume_dup_slice_name: Returns: (transfer full): the name of a slice's
 * file in the folder of a TIFF stack. @slice: 0 … n_slices - 1 */
char *tl_volume_dup_slice_name (const TlVolumeInfo *info, size_t slice);

/** tl_volume_join_stack: Writes the metadata of a TIFF stack in the folder
 * @path that has the slices of finished ones. @info: of the whole volume.
 * @parts: (array zero-terminated=1): their folders, in the order of their
 * slices. If a part is of an earlier version and has no checksums, the volume
 * has none */
gboolean tl_volume_join_stack (const char *path, const TlVolumeInfo *info,
                               const char *const *parts, GError **error);

/** tl_volume_read_range: Returns: whether @low and @high are those of the
 * integer samples of a finished volume, and not as before: floats have none,
 * and of HDF5 tl_volume_join() compares them */
gboolean tl_volume_read_range (TlVolumeFormat format, const char *path,
                               double *low, double *high);

/* A file with some of the slices of a volume. */
typedef struct
{
  char *name; /* relative to the folder of the volume */
  size_t first_number, n_slices;
} TlVolumePart;

/**
 * tl_volume_join:
 * @path: must not exist
 * @info: of the whole volume, HDF5 or NeXus
 * @folder: of the volume at last; @path may be in another one
 * @parts: [@n_parts], finished, in the order of their slices, and made with the
 *   same @info apart from n_slices, first numbers and command
 *
 * Makes a file of which the samples are a virtual dataset: they stay in the
 * files of the parts.
 *
 * Returns: %FALSE with TL_ERROR_FILE if a part is missing or cannot be read, or
 *   TL_ERROR_VALUE if it has other slices or was made with another @info
 */
gboolean tl_volume_join (const char *path, const TlVolumeInfo *info,
                         const char *folder, const TlVolumePart *parts,
                         size_t n_parts, GError **error);

/** tl_volume_list_parts: Returns: (transfer full) (element-type utf8): the
 * names of the parts that the volume at @path shows, as those of TlVolumePart;
 * none if it is not joined. Any thread */
GPtrArray *tl_volume_list_parts (TlVolumeFormat format, const char *path);

/** tl_volume_has_part: @format: HDF5 or NeXus. @name: as that of a
 * TlVolumePart. Returns: whether the volume at @path is joined, and has the
 * samples of this part. Any thread */
gboolean tl_volume_has_part (TlVolumeFormat format, const char *path,
                             const char *name);

/** tl_volume_free: Closes the volume. Unless it is finished, it can be
 * resumed. */
void tl_volume_free (TlVolume *volume);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlVolume, tl_volume_free)
