/* Scans on disk: find the format, describe the scan, read some of its rows.
 *
 * All formats share this interface; reader.c has the table of formats. The
 * reader reads only the rows that are asked for, and samples keep the type they
 * have in the file.
 */
#pragma once

#include "data/inflater.h"
#include "data/read/scan/scan-info.h"

#include <gio/gio.h>

typedef struct TlReader TlReader;

/**
 * tl_reader_open:
 * @path: a file or a folder
 * @options: (nullable): copied
 *
 * Finds the format and reads the description, but no projection. Only one
 * thread at a time may use a reader. No file is locked, so that another program
 * may go on writing it.
 *
 * With a cancellable in @options the function returns soon after it is
 * cancelled, even if a system call waits for a network folder
 * (G_IO_ERROR_TIMED_OUT). The thread that made the call stays behind until the
 * folder answers; while 16 stay, no further scan is opened (G_IO_ERROR_BUSY).
 *
 * Returns: (transfer full): %NULL with TL_ERROR_FILE (a file is missing or
 *   truncated; the message names it), TL_ERROR_FORMAT (there is no scan; the
 *   message lists the formats that were tried), TL_ERROR_LAYOUT (of an HDF5
 *   file; tl_contents_list_datasets() has what data_path may choose),
 *   TL_ERROR_EARLY (an HDF5 file that is being written has no projection yet),
 *   TL_ERROR_SHAPE, TL_ERROR_VALUE (there is no such projection to leave out,
 *   or none would remain), TL_ERROR_UNSUPPORTED, TL_ERROR_MEMORY,
 *   G_IO_ERROR_CANCELLED, G_IO_ERROR_TIMED_OUT or G_IO_ERROR_BUSY
 */
TlReader *tl_reader_open (const char *path, const TlReaderOptions *options,
                          GError **error);
void tl_reader_close (TlReader *reader);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlReader, tl_reader_close)

/**
 * tl_reader_refresh:
 *
 * Opens the file again, because another program has written to it. HDF5 keeps
 * what it knows of a file while any reader of this program has it open. If the
 * frames are not there any more, later reads fail. Forgets the rows that were
 * kept. Only the thread that uses the reader.
 *
 * Returns: %FALSE if they are not there, or nothing needed to be opened
 */
gboolean tl_reader_refresh (TlReader *reader);

/** tl_reader_look_for_change: Sets TlScanInfo.changed_us also where it takes a
 * look at thousands of files. Only the thread that uses the reader. */
void tl_reader_look_for_change (TlReader *reader);

/**
 * tl_reader_set_budget:
 * @bytes: at most so much memory keeps rows and fields for later reads; 0, as
 *   after opening: none
 *
 * A block of rows that is read after the other decodes the same compressed
 * images again and again. Within the budget a read decodes, besides its own
 * rows, those that follow, and later reads find them in memory; scans whose
 * rows can be read alone keep nothing. With room for all projections
 * (TlDecoding) each image is decoded once, with less room as many times as the
 * rows need. The samples are the same. Forgets what was kept before. Only the
 * thread that uses the reader.
 */
void tl_reader_set_budget (TlReader *reader, guint64 bytes);
/**
 * tl_reader_ascend:
 *
 * For scans where TlDecoding.can_ascend is set.
 *
 * Instead of a budget, if each later read begins where the one before has ended
 * or after it, and the last read has the last row (one that begins before
 * decodes from the start, unless an inflater still has its rows): images are
 * decoded as far as the rows are wanted, and the next read goes on from there.
 * So each image is decoded once, whatever its size, and the first rows are
 * there early. The samples are the same, but a checksum at the end of an image
 * is compared when its last row is read: then TL_ERROR_DAMAGE says that earlier
 * rows may be wrong.
 */
void tl_reader_ascend (TlReader *reader);

/**
 * tl_reader_browse:
 * @bytes: as for tl_reader_set_budget()
 *
 * Instead of that, for rows that a user looks at, in any order: what is kept is
 * around the rows that are read, and an image is decoded only as far as its
 * rows are wanted. A checksum at the end of the image is not compared then.
 */
void tl_reader_browse (TlReader *reader, guint64 bytes);

/** tl_reader_use_inflater: After tl_reader_ascend() or tl_reader_browse().
 * @inflater: (transfer full) (nullable): inflates projections from now on,
 * where it can, instead of the one before; the samples are the same. Its memory
 * is taken at once where images are compressed as a whole. After a failure it
 * is not used before tl_reader_refresh(). Only the thread that uses the reader.
 * Returns: whether there are projections that it inflates */
gboolean tl_reader_use_inflater (TlReader *reader, TlInflater *inflater);

/** tl_reader_get_info: Returns: (transfer none): lives as long as @reader. */
const TlScanInfo *tl_reader_get_info (TlReader *reader);

/**
 * tl_reader_read:
 * @first_row: detector row, from 0
 * @dest: (out caller-allocates): [n_projections][@n_rows][n_cols] samples of
 *   the scan's type, native byte order, host memory
 * @cancellable: (nullable): checked between chunks of projections
 *
 * Reads the same rows of every projection, in as many threads as it pays; the
 * samples do not depend on their number. If up to half of the projections
 * cannot be read, the error is that of the first of them and names the others;
 * if more, it is that of one of them. With #TlReaderOptions.replace_nan,
 * samples that are NaN or infinite are interpolated by tl_samples_repair_row(),
 * and only a row without any finite sample is an error; otherwise each such
 * sample is an error. The error is TL_ERROR_VALUE; its message says how many
 * samples are affected and where the first one is. After an error the contents
 * of @dest are undefined, and the reader can be used again.
 */
gboolean tl_reader_read (TlReader *reader, size_t first_row, size_t n_rows,
                         void *dest, GCancellable *cancellable, GError **error);

/**
 * tl_reader_dup_unreadable:
 * @why: (out) (transfer full) (nullable): the error of the first of them
 *
 * In the thread that reads, after a read.
 *
 * Returns: (transfer full) (nullable): the projections that the last read could
 *   not read, as #TlReaderOptions.leave_out takes them; %NULL if it has
 *   succeeded, or failed for another reason or at more than half of them
 */
char *tl_reader_dup_unreadable (TlReader *reader, char **why);

/**
 * tl_reader_read_part:
 * @every: (inout): a part is the first projection and each @every-th after it;
 *   set to 1 if all were read
 * @patience_s: if the other projections take no longer, going by the time of
 *   the part, all are read
 * @dest: (out caller-allocates): as of tl_reader_read(); gets the projections
 *   that were read one after the other
 *
 * As tl_reader_read(), for a picture of a part of the projections where all of
 * them take long. The budget keeps the rows of the part, so that a later read
 * decodes the others only. Reads all if there is no budget for these rows, if
 * the file compresses projections together, and after an error, which is then
 * that of tl_reader_read().
 */
gboolean tl_reader_read_part (TlReader *reader, size_t first_row, size_t n_rows,
                              guint *every, double patience_s, void *dest,
                              GCancellable *cancellable, GError **error);

/**
 * tl_reader_read_list:
 * @rows: [@n_rows], detector rows, ascending
 * @n_done: (inout): the number of projections that @dest already holds; the
 *   function reads the rest and updates the number, after an error too
 * @dest: (inout): [n_projections][@n_rows][n_cols], as of tl_reader_read()
 *
 * As tl_reader_read(), for rows that need not be consecutive. Rows that the
 * file compresses together are decoded once. After G_IO_ERROR_CANCELLED a call
 * with the same arguments continues the read.
 */
gboolean tl_reader_read_list (TlReader *reader, const size_t *rows,
                              size_t n_rows, size_t *n_done, void *dest,
                              GCancellable *cancellable, GError **error);

/** tl_reader_get_block_rows: Returns: the number of rows of a projection that
 * the file stores in one block, so that reading one of them takes as long as
 * reading all; 1 where each row can be read alone */
size_t tl_reader_get_block_rows (TlReader *reader);
/** tl_reader_count_blocks: @rows: [@n_rows], ascending, at least one. Returns:
 * how many blocks of a projection contain these rows */
size_t tl_reader_count_blocks (TlReader *reader, const size_t *rows,
                               size_t n_rows);

/** tl_reader_get_n_mended: Returns: how many samples the last tl_reader_read()
 * interpolated */
size_t tl_reader_get_n_mended (TlReader *reader);

/**
 * tl_reader_read_fields:
 * @dark: (out caller-allocates): [@n_rows][n_cols], mean of the dark fields; 0
 *   if the scan has none
 * @flat_first: (out caller-allocates): [@n_rows][n_cols], mean of the flat
 *   fields taken before the projections, or of all flat fields where the file
 *   does not distinguish them
 * @flat_last: (out caller-allocates): [@n_rows][n_cols], mean of the flat
 *   fields taken after the projections; equal to @flat_first if there are none
 *
 * The scan must have flats. Fields that spoil a mean (#TlFieldState) do not
 * count; if these are all flats of one time, those of the other time stand for
 * them. Of three fields or more the largest value of a pixel does not count
 * if it is more than 8 standard deviations above the mean of the others: a
 * gamma ray makes such a value, which would draw a ring. With Gaussian noise
 * this changes the mean by less than 1e-6 standard deviations.
 * data/read/field-sum-private.h has the rule in full.
 *
 * Returns: %FALSE with an error of tl_reader_read(), or TL_ERROR_VALUE if in
 *   some row the flat field exceeds the dark field in no pixel
 */
gboolean tl_reader_read_fields (TlReader *reader, size_t first_row,
                                size_t n_rows, double *dark, double *flat_first,
                                double *flat_last, GCancellable *cancellable,
                                GError **error);

/** tl_reader_read_fields_list: As tl_reader_read_fields(), for @rows as in
 * tl_reader_read_list(). */
gboolean tl_reader_read_fields_list (TlReader *reader, const size_t *rows,
                                     size_t n_rows, double *dark,
                                     double *flat_first, double *flat_last,
                                     GCancellable *cancellable, GError **error);

/**
 * tl_reader_judge_fields:
 * @kind: %TL_FRAMES_FLATS or %TL_FRAMES_DARKS
 *
 * Says which fields the means of tl_reader_read_fields() are made of. Compares
 * some rows of all fields, unless the means were read before. The scan must
 * have flats. Only the thread that uses the reader may call this.
 *
 * Returns: (transfer none): [n_flats] or [n_darks], of #TlFieldState, until the
 *   reader is closed; %NULL with an error of tl_reader_read()
 */
const guint8 *tl_reader_judge_fields (TlReader *reader, TlFrameKind kind,
                                      GError **error);

/**
 * tl_reader_count_spots:
 * @n_pixels: (out): how many pixels of flats and darks were looked at
 *
 * Returns: how many of their values are left out of the means as zingers. Both
 *   are 0 before tl_reader_judge_fields(), and where the file stores means or
 *   the means were made as the frames came
 */
size_t tl_reader_count_spots (TlReader *reader, size_t *n_pixels);

/**
 * tl_reader_read_projection:
 * @dest: (out caller-allocates): [n_rows][n_cols] samples, one whole projection
 *
 * As tl_reader_read(), for all rows of one projection.
 */
gboolean tl_reader_read_projection (TlReader *reader, size_t projection,
                                    void *dest, GError **error);

/**
 * tl_reader_read_projections:
 * @first: projection, from 0
 * @dest: (out caller-allocates): [@n][n_rows][n_cols] samples
 *
 * As tl_reader_read(), for all rows of some projections.
 */
gboolean tl_reader_read_projections (TlReader *reader, size_t first, size_t n,
                                     void *dest, GCancellable *cancellable,
                                     GError **error);

/** tl_reader_get_type: Returns: the type of the samples of @kind */
TlSampleType tl_reader_get_type (TlReader *reader, TlFrameKind kind);

/**
 * tl_reader_read_frames:
 * @first_frame: of @kind, from 0
 * @dest: (out caller-allocates): [@n_frames][@n_rows][n_cols] samples of the
 *   type of @kind, native byte order, host memory
 *
 * Frames of one kind, each as it is in the file: NaN is neither an error nor
 * replaced. Only from counts too large for float32 the first dark field is
 * subtracted, as in all functions, which a note says.
 *
 * Returns: %FALSE with an error of tl_reader_read() that is not about NaN
 */
gboolean tl_reader_read_frames (TlReader *reader, TlFrameKind kind,
                                size_t first_frame, size_t n_frames,
                                size_t first_row, size_t n_rows, void *dest,
                                GError **error);
