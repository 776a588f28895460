/* What a format finds in a file, before the reader has checked it. */
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

/** tl_scan_draft_note_fields: notes what lacks of flats and darks. */
void tl_scan_draft_note_fields (TlScanDraft *draft);

/** tl_scan_draft_note_within: @within is the only scan in @folder. */
void tl_scan_draft_note_within (TlScanDraft *draft, const char *folder,
                                const char *within);

/** tl_path_dup_name: Returns: (transfer full): the last part, for messages. */
char *tl_path_dup_name (const char *path);

G_END_DECLS
