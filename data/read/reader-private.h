/* What reader.c and the readers of single formats share. */
#pragma once

#include "data/read/reader.h"

G_BEGIN_DECLS

typedef enum
{
  TL_FRAMES_PROJECTIONS,
  TL_FRAMES_FLATS,
  TL_FRAMES_DARKS,
  TL_N_FRAME_KINDS
} TlFrameKind;

/* Frames of one kind, [n_frames][n_rows][n_cols]; all zero where there are
 * none. */
typedef struct
{
  size_t n_frames, n_rows, n_cols;
  TlSampleType type;
} TlFrameSet;

/* What a format finds in a file; reader.c checks it and fills what is missing.
 */
typedef struct
{
  const char *format; /* static */
  TlFrameSet frames[TL_N_FRAME_KINDS];
  size_t n_flats_before; /* equal to all of them where nothing is known */
  double *angles_deg;    /* (nullable): [n_angles] */
  size_t n_angles;
  char *angles_source; /* (nullable) */
  double pixel_size_um;
  size_t block_frames; /* compressed together; 0 where frames stand alone */
  size_t block_rows;   /* of a projection that one read touches; 0 or 1: one */
  GPtrArray *notes;    /* of char * */
  char *within; /* (nullable): no scan, but this path in the folder is one */
} TlScanDraft;

void tl_scan_draft_init (TlScanDraft *draft);
void tl_scan_draft_clear (TlScanDraft *draft);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TlScanDraft, tl_scan_draft_clear)

/** tl_scan_draft_note: one sentence about what is odd. */
void tl_scan_draft_note (TlScanDraft *draft, const char *format, ...)
    G_GNUC_PRINTF (2, 3);

/* What the first bytes say; each format looks into one kind only. */
typedef enum
{
  TL_CONTAINER_FOLDER,
  TL_CONTAINER_HDF5,
  TL_CONTAINER_TIFF
} TlContainer;

/**
 * tl_container_sniff:
 *
 * Returns: %FALSE with TL_ERROR_FILE, or TL_ERROR_FORMAT (none of them)
 */
gboolean tl_container_sniff (const char *path, TlContainer *container,
                             GError **error);

/* One format. The source is what its own functions need to read. */
typedef struct
{
  TlContainer container;
  const char *looks_for; /* in words, for a file in which nobody finds a scan */

  /* Returns: (transfer full): the source; %NULL with an error, or without one
   * where there is no such scan in the file */
  gpointer (*open) (const char *path, const TlReaderOptions *options,
                    TlScanDraft *draft, GError **error);

  /* @rows: [@n_rows], ascending; @dest: [@n_frames][@n_rows][n_cols]; all are
   * inside the set. What is compressed together is decoded once. */
  gboolean (*read) (gpointer source, TlFrameKind kind, size_t first_frame,
                    size_t n_frames, const size_t *rows, size_t n_rows,
                    void *dest, GError **error);

  /* (nullable): Returns: (transfer full) (nullable): the file of one frame */
  char *(*dup_frame_name) (gpointer source, TlFrameKind kind, size_t frame);

  void (*close) (gpointer source);
} TlReaderFormat;

extern const TlReaderFormat tl_exchange_format;
extern const TlReaderFormat tl_nexus_format;
extern const TlReaderFormat tl_tiff_folder_format;
extern const TlReaderFormat tl_tiff_file_format;

/* What a reader has open. */
struct TlReader
{
  const TlReaderFormat *format;
  gpointer source;
  char *path;
  char *name;
  gboolean replace_nan;
  size_t n_mended; /* samples of the last read */
  TlScanDraft draft;
  TlScanInfo info;
};

/* For a look at a part of a scan. */

/** tl_reader_get_block: Returns: projections that are compressed together; 0
 * where each stands alone. */
size_t tl_reader_get_block (TlReader *reader);

/** tl_reader_get_type: Returns: of the samples of @kind. */
TlSampleType tl_reader_get_type (TlReader *reader, TlFrameKind kind);

/**
 * tl_reader_read_frames:
 * @dest: (out caller-allocates): [@n_frames][@n_rows][n_cols] samples
 *
 * As they are in the file, NaN too.
 */
gboolean tl_reader_read_frames (TlReader *reader, TlFrameKind kind,
                                size_t first_frame, size_t n_frames,
                                size_t first_row, size_t n_rows, void *dest,
                                GError **error);

/** tl_reader_list_rows: Returns: (transfer full): [@n_rows], one behind the
 * other; %NULL with TL_ERROR_MEMORY */
size_t *tl_reader_list_rows (size_t first_row, size_t n_rows, GError **error);

/** tl_reader_count_run: Returns: how many of @rows, from the @k-th, lie one
 * behind the other. */
size_t tl_reader_count_run (const size_t *rows, size_t n_rows, size_t k);

/** tl_path_dup_name: Returns: (transfer full): the last part, for messages. */
char *tl_path_dup_name (const char *path);

/**
 * tl_angles_load:
 * @path: text, numbers of degrees; "#" starts a comment
 * @n: (out): how many
 *
 * Returns: (transfer full): %NULL with TL_ERROR_FILE, or TL_ERROR_FORMAT that
 *   names the line
 */
double *tl_angles_load (const char *path, size_t *n, GError **error);

/**
 * tl_scan_draft_settle_angles:
 * @name: of the scan, for messages
 *
 * Leaves one angle for each projection in @draft, and says where it comes from:
 * from @options, else what the format found, else 0 to 180 degrees without the
 * end point.
 *
 * Returns: %FALSE with TL_ERROR_SHAPE where the counts cannot be brought
 *   together, TL_ERROR_VALUE where an angle is not a number, TL_ERROR_MEMORY
 */
gboolean tl_scan_draft_settle_angles (TlScanDraft *draft, const char *name,
                                      const TlReaderOptions *options,
                                      GError **error);

/** tl_scan_draft_note_fields: notes what lacks of flats and darks. */
void tl_scan_draft_note_fields (TlScanDraft *draft);

/** tl_scan_draft_note_patterns: notes which of @options are not used: images
 * are told apart by their names in folders, and beside a TIFF file. */
void tl_scan_draft_note_patterns (TlScanDraft *draft, TlContainer container,
                                  const TlReaderOptions *options);

/** tl_scan_draft_note_within: @within is the only scan in @folder. */
void tl_scan_draft_note_within (TlScanDraft *draft, const char *folder,
                                const char *within);

/** tl_scan_draft_note_angles: notes what is odd about settled angles. */
void tl_scan_draft_note_angles (TlScanDraft *draft);

G_END_DECLS
