/* Shared by the files of the reader; the last section is for other readers, the
 * survey and tests. One thread at a time, unless a function says otherwise. */
#pragma once

#include "data/error.h"
#include "data/read/format/format.h"
#include "data/read/reader.h"
#include "data/read/scan/field-check.h"
#include "data/thread-search.h"

enum
{
  /* One call of a format reads about this much: little enough for a cancelled
   * read to end soon, and enough for the overhead of a call not to matter. */
  TL_READ_CALL_BYTES = 32 << 20,
  TL_N_MEAN_FIELDS = 3 /* dark, first and last flat */
};

/* What later reads are expected to want: rows of all projections as they are in
 * the file, and the fields of all rows. */
typedef struct
{
  guint64 budget_bytes;
  char *samples;            /* (nullable): [n_projections][n_rows][n_cols] */
  size_t first_row, n_rows; /* of the samples */
  guint8 *is_read;          /* [n_projections]: whether the samples are there */
  size_t n_read;            /* how many they are */
  double read_s;            /* that reading them has taken */
  double *fields; /* (nullable): [3][n_rows of the scan][n_cols]: dark, first
                    and last flat */
} TlKept;

/* Projections that the last read could not read. Their threads share it. */
typedef struct
{
  GMutex mutex;
  guint8 *is_bad; /* (nullable): [n_projections]; %NULL: none */
  size_t n_bad;
  size_t first;
  char *why;    /* the first one */
  TlError code; /* of the worst one: TL_ERROR_VALUE, TL_ERROR_FILE, or
                   TL_ERROR_DAMAGE, as earlier rows may be wrong */
} TlUnreadable;

/* The samples of one read that are NaN or infinite. */
typedef struct
{
  size_t n_bad;
  size_t projection, row, col; /* of the first one; projection: of the file */
} TlDamage;

/* Frames that are read together. */
typedef struct
{
  TlReader *reader;
  TlFrameKind kind;
  const size_t *frames; /* (nullable): [end], ascending; %NULL: each number
                           below end is its own */
  size_t first, end;    /* of the frames */
  const size_t *rows;
  size_t n_rows;
  size_t sample_bytes;
  char *dest;         /* of the first frame; if it keeps: of frame 0 */
  gboolean keeps;     /* dest is what is kept for later reads */
  gboolean from_kept; /* the rows are kept in memory */
} TlReadRequest;

struct TlReader
{
  const TlReaderFormat *format;
  gpointer source;
  char *path;
  char *name;
  gboolean replace_nan;
  gboolean ascends, browses;
  TlInflater *inflater; /* (nullable) */
  gboolean uses_inflater;
  size_t n_mended; /* replaced by the last read */
  TlThreadSearch search;
  guint n_fixed;   /* 0: as many threads as the search says */
  guint n_threads; /* of the last read */
  TlKept kept;
  TlUnreadable unreadable;
  TlFieldCheck *fields; /* (nullable): judged; %NULL before the first read of
                           fields */
  size_t n_spots;       /* zingers left out of the last means */
  double
      *offsets; /* (nullable): [n_rows][n_cols], subtracted from all samples */
  TlSampleType stored[TL_N_FRAME_KINDS]; /* if so, the types before that */
  TlScanDraft draft;
  TlScanInfo info;
};

/* --- reader.c --- */

/** tl_reader_reopen: Opens the file again. Returns: whether it could */
gboolean tl_reader_reopen (TlReader *reader);

/** tl_reader_count_row_bytes: Returns: bytes of a row of all projections */
guint64 tl_reader_count_row_bytes (const TlScanInfo *info);

/** tl_reader_count_fields_bytes: Returns: bytes of the mean fields of all rows,
 * and of the sums while they are made; 0 without flats */
guint64 tl_reader_count_fields_bytes (const TlScanInfo *info);

/* --- reader-request.c --- */

/**
 * tl_reader_run_request:
 * @next: (inout): the first frame that is not read; does not advance past a
 *   frame with bad samples
 * @damage: (inout) (nullable): %NULL: samples are not checked
 *
 * Reads all frames of @request in several threads, also those behind a damaged
 * projection.
 *
 * Returns: %FALSE with an error that names all projections that cannot be read
 */
gboolean tl_reader_run_request (const TlReadRequest *request, size_t *next,
                                TlDamage *damage, GCancellable *cancellable,
                                GError **error);

/** tl_reader_forget_unreadable: of the last read */
void tl_reader_forget_unreadable (TlReader *reader);

/** tl_reader_count_decoded_bytes: Returns: how many bytes have to be decoded
 * for each frame */
size_t tl_reader_count_decoded_bytes (TlReader *reader, const size_t *rows,
                                      size_t n_rows, size_t sample_bytes);

/** tl_reader_count_whole_blocks: Returns: @n, at least 1; a multiple of the
 * block where frames are compressed together */
size_t tl_reader_count_whole_blocks (TlReader *reader, size_t n);

/* --- reader-rows.c --- */

/**
 * tl_reader_give_up_keeping:
 * @failure: (transfer full): of reading what is kept
 *
 * Returns: %FALSE if the read was cancelled. After another failure nothing is
 *   kept any more; if the caller's own rows cannot be read either, the error of
 *   that read is reported.
 */
gboolean tl_reader_give_up_keeping (TlReader *reader, GError *failure,
                                    GError **error);

/* --- for other readers, the survey and tests --- */

/** tl_reader_get_block: Returns: how many projections are compressed together;
 * 0 where each can be read alone */
size_t tl_reader_get_block (TlReader *reader);

/** tl_reader_is_parallel: Returns: whether threads that read different
 * projections run at once; otherwise they wait for each other */
gboolean tl_reader_is_parallel (TlReader *reader);

/** tl_reader_has_mean_fields: Returns: whether all flats of one time are the
 * same, and so are the darks */
gboolean tl_reader_has_mean_fields (TlReader *reader);

/** tl_reader_read_frames_list: Several threads may call it at once, while no
 * other function of the reader runs. As tl_reader_read_frames(), for @rows as
 * in tl_reader_read_list(). */
gboolean tl_reader_read_frames_list (TlReader *reader, TlFrameKind kind,
                                     size_t first, size_t n_frames,
                                     const size_t *rows, size_t n_rows,
                                     void *dest, GError **error);

/** tl_reader_fix_n_threads: @n_threads: for all reads that are long enough; 0:
 * as many as measurements say */
void tl_reader_fix_n_threads (TlReader *reader, guint n_threads);

/** tl_reader_get_n_threads: Returns: how many threads the last read used at its
 * end. A read that is too short for several threads uses one. */
guint tl_reader_get_n_threads (TlReader *reader);

/** tl_reader_open_path: As tl_reader_open(), without its bins. @options: not
 * %NULL */
TlReader *tl_reader_open_path (const char *path, const TlReaderOptions *options,
                               GError **error);

/** tl_reader_read_block: As tl_reader_read_projections(), for some rows. @dest:
 * (out caller-allocates): [@n][@n_rows][n_cols] samples */
gboolean tl_reader_read_block (TlReader *reader, size_t first, size_t n,
                               size_t first_row, size_t n_rows, void *dest,
                               GCancellable *cancellable, GError **error);

/**
 * tl_reader_open_source:
 * @source: (transfer full): an open source of @format
 * @draft: (inout): what it would fill in for @source; taken. Where it says
 * which projections are used, their angles are settled, and @options say
 * nothing of both
 * @name: of the scan; its path
 *
 * As tl_reader_open(), for a scan that is there already. Frees @source after an
 * error, too.
 */
TlReader *tl_reader_open_source (const TlReaderFormat *format, gpointer source,
                                 TlScanDraft *draft, const char *name,
                                 const TlReaderOptions *options,
                                 GError **error);
