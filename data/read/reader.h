/* Scans on disk: sniff, open, describe, read a few rows.
 *
 * One interface, one file per format (reader-*.c), one table of formats in
 * reader.c. Nothing is read that was not asked for, and samples keep the type
 * they have in the file.
 */
#pragma once

#include <gio/gio.h>

#include "data/samples.h"

G_BEGIN_DECLS

/** TL_NOTE_ASSUMED_ANGLES: the note, before translation, that asks the user */
#define TL_NOTE_ASSUMED_ANGLES                                                 \
  N_ ("no angles found: 0 to 180 degrees in equal steps are assumed, end "     \
      "point excluded; set angles to FIRST:LAST, both included, if that is "   \
      "wrong")

typedef struct TlReader TlReader;

/* What the user says about a file that cannot say it itself. Zeroed: nothing.
 */
typedef struct
{
  const char *projections; /* (nullable) glob on names in the folder, or in its
                              one sub-folder that has such */
  const char *flats;       /* (nullable) the same; may have a sub-folder */
  const char *darks;       /* (nullable) the same */
  const char *angles_file; /* (nullable) text file of degrees */
  gboolean has_angles;     /* angles_deg replace whatever the file says */
  double angles_deg[2];    /* first and last, both included */
  gboolean replace_nan;    /* mend samples that are not numbers, not refuse */
} TlReaderOptions;

/* What was found; owned by the reader, constant after opening. */
typedef struct
{
  const char *path;   /* of the scan: maybe in the folder that was opened */
  const char *format; /* "Data Exchange HDF5", "NXtomo HDF5", "TIFF folder" … */
  size_t n_projections, n_rows, n_cols;
  TlSampleType type; /* of the projections */
  size_t n_flats, n_darks;
  size_t n_flats_before;     /* of n_flats, taken before the projections; all
                                of them where the file does not say */
  gboolean is_attenuation;   /* no flats: samples are used as they are, without
                                -log, unless the user says otherwise */
  const double *angles_deg;  /* [n_projections] */
  gboolean covers_turn;      /* they do: tl_angles_cover_turn() */
  const char *angles_source; /* where they come from, in words */
  double pixel_size_um;      /* 0 where unknown */
  const char *const *notes;  /* %NULL-terminated: what is odd, in words */
} TlScanInfo;

/**
 * tl_reader_open:
 * @path: a file or a folder
 * @options: (nullable): copied
 *
 * Finds the format, reads the description and no projection. The reader belongs
 * to the calling thread until it is handed over; one thread at a time, and no
 * two threads in HDF5 readers at once.
 *
 * Returns: (transfer full): %NULL with TL_ERROR_FILE (missing, truncated, an
 *   external file missing: the message names it), TL_ERROR_FORMAT (no scan in
 *   it; the message says what was looked for), TL_ERROR_SHAPE, TL_ERROR_VALUE
 *   (an angle is not a number), TL_ERROR_UNSUPPORTED or TL_ERROR_MEMORY
 */
TlReader *tl_reader_open (const char *path, const TlReaderOptions *options,
                          GError **error);
void tl_reader_close (TlReader *reader);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlReader, tl_reader_close)

/** tl_reader_get_info: Returns: (transfer none): lives as long as @reader. */
const TlScanInfo *tl_reader_get_info (TlReader *reader);

/**
 * tl_reader_read:
 * @first_row: detector row, from 0
 * @dest: (out caller-allocates): [n_projections][@n_rows][n_cols] samples of
 *   the scan's type, native byte order, host memory
 * @cancellable: (nullable): looked at between chunks
 *
 * Reads the same rows of every projection. Samples that are NaN or infinite are
 * refused with TL_ERROR_VALUE, which says how many and where the first is, or
 * mended (tl_samples_repair_row()) where the options say so; a row that has no
 * good sample is refused always. After an error @dest is undefined and the
 * reader is as it was.
 */
gboolean tl_reader_read (TlReader *reader, size_t first_row, size_t n_rows,
                         void *dest, GCancellable *cancellable, GError **error);

/**
 * tl_reader_read_list:
 * @rows: [@n_rows], detector rows, ascending
 * @n_done: (inout): projections that @dest has; the others are read, and after
 *   an error it says how many it has then
 * @dest: (inout): [n_projections][@n_rows][n_cols], as of tl_reader_read()
 *
 * As tl_reader_read(), of rows that need not lie one behind the other: what the
 * file keeps in one piece is decoded once for all of them. After
 * G_IO_ERROR_CANCELLED it can be gone on with.
 */
gboolean tl_reader_read_list (TlReader *reader, const size_t *rows,
                              size_t n_rows, size_t *n_done, void *dest,
                              GCancellable *cancellable, GError **error);

/** tl_reader_get_block_rows: Returns: rows of a projection that the file keeps
 * in one piece, so that to read one of them takes as long as to read all; 1
 * where each stands alone. */
size_t tl_reader_get_block_rows (TlReader *reader);
/** tl_reader_count_blocks: @rows: [@n_rows], ascending, one at least. Returns:
 * pieces of a projection that these are in. */
size_t tl_reader_count_blocks (TlReader *reader, const size_t *rows,
                               size_t n_rows);

/** tl_reader_get_n_mended: Returns: samples that the last tl_reader_read()
 * mended. */
size_t tl_reader_get_n_mended (TlReader *reader);

/**
 * tl_reader_read_fields:
 * @dark: (out caller-allocates): [@n_rows][n_cols] mean of the dark fields, 0
 *   without any
 * @flat_first: (out caller-allocates): the same of the flat fields taken before
 *   the projections, or of all where the file does not tell them apart
 * @flat_last: (out caller-allocates): of those taken after; equal to
 *   @flat_first where there are none
 *
 * Only for scans with flats. TL_ERROR_VALUE where no pixel of a row has a flat
 * above its dark field.
 */
gboolean tl_reader_read_fields (TlReader *reader, size_t first_row,
                                size_t n_rows, float *dark, float *flat_first,
                                float *flat_last, GCancellable *cancellable,
                                GError **error);

/** tl_reader_read_fields_list: As tl_reader_read_fields(), of @rows as those of
 * tl_reader_read_list(). */
gboolean tl_reader_read_fields_list (TlReader *reader, const size_t *rows,
                                     size_t n_rows, float *dark,
                                     float *flat_first, float *flat_last,
                                     GCancellable *cancellable, GError **error);

/**
 * tl_reader_read_projection:
 * @dest: (out caller-allocates): [n_rows][n_cols] samples, one whole projection
 *
 * As tl_reader_read(), one projection and all rows.
 */
gboolean tl_reader_read_projection (TlReader *reader, size_t projection,
                                    void *dest, GError **error);

G_END_DECLS
