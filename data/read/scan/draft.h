/* The description of a scan while it is being opened: a format fills it, the
 * reader checks and completes it. */
#pragma once

#include "data/read/scan/scan-info.h"

/* Frames of one kind, [n_frames][n_rows][n_cols]; all members are 0 where the
 * scan has none. */
typedef struct
{
  size_t n_frames, n_rows, n_cols;
  TlSampleType type;
  gboolean is_wide; /* integers of 64 bits, which are read as floats */
} TlFrameSet;

/* tl_scan_draft_init() first. */
typedef struct
{
  const char *format; /* static */
  TlFrameSet frames[TL_N_FRAME_KINDS];
  gboolean are_counts;       /* the samples are integers, or means of them */
  size_t n_scans;            /* in the file, to choose from; 0: no choice */
  gboolean is_of_series;     /* as of TlScanInfo */
  size_t n_flats_before;     /* all of them where the file does not say */
  gboolean fields_are_means; /* all flats of one time are the same, and so are
                                the darks */
  double *angles_deg;        /* (nullable): [n_angles] */
  size_t n_angles;
  double ends_deg[2];    /* as of TlScanInfo */
  size_t *used_numbers;  /* [n_angles], ascending: the numbers of the
                            projections that are used, by which the format reads
                            them; see tl_scan_draft_leave_out() */
  const size_t *numbers; /* (nullable): [n_angles], lent, ascending: the numbers
                            of the projections, if not all are there; those that
                            come have numbers below n_numbers. %NULL: the number
                            of each one is its place in frames */
  size_t n_numbers;
  GArray *unreadable;   /* (nullable): of TlFrameRange, of frames: projections
                           that cannot be read at all */
  GArray *lost_ids;     /* (nullable): as of TlScanInfo */
  size_t n_likely;      /* as of TlScanInfo */
  char *why_unreadable; /* (nullable): the first one, in words */
  double *weights, *turn_weights; /* (nullable): [n_angles], as of TlScanInfo */
  char *angles_source;            /* (nullable) */
  char *angle_places; /* (nullable): datasets that may have the angles, for a
                         message */
  gboolean angles_are_spread; /* as of TlScanInfo */
  GPtrArray *files;           /* (nullable): as of TlScanInfo */
  size_t *steps; /* (nullable): [frames->n_frames]: set if projections are
                    missing: the index of each one's angle among n_steps */
  size_t n_steps;
  TlWriter writer; /* as of TlScanInfo */
  double pixel_size_um;
  gint64 changed_us;   /* as of TlScanInfo */
  size_t block_frames; /* compressed together; 0 where each frame can be read
                          alone */
  size_t block_rows; /* rows of a projection in one block; 0 or 1: each row can
                        be read alone */
  size_t n_averaged; /* samples of the file in each sample; 0 or 1: it is one */
  GPtrArray *notes;  /* of TlNote */
  gboolean is_noted; /* they have all that is to be said of angles and fields */
  GPtrArray *groups; /* (nullable): of TlImageGroup, of a folder */
  char *within; /* (nullable): set instead of all others: the folder itself is
                   no scan, but contains this one */
} TlScanDraft;

void tl_scan_draft_init (TlScanDraft *draft);
void tl_scan_draft_clear (TlScanDraft *draft);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TlScanDraft, tl_scan_draft_clear)

/** tl_scan_draft_note: Adds a sentence about what is unusual in the scan. */
void tl_scan_draft_note (TlScanDraft *draft, const char *format, ...)
    G_GNUC_PRINTF (2, 3);

/** tl_scan_draft_ask: As tl_scan_draft_note(), of what needs the user's
 * attention. @on_line, @in_window: (nullable): how to change it, as of TlNote
 */
void tl_scan_draft_ask (TlScanDraft *draft, const char *on_line,
                        const char *in_window, const char *format, ...)
    G_GNUC_PRINTF (4, 5);

/** tl_frame_kind_get_name: Returns: (transfer none): "projections" and so on,
 * for messages */
const char *tl_frame_kind_get_name (TlFrameKind kind);

/** tl_path_dup_name: Returns: (transfer full): the last component of @path, in
 * UTF-8 for messages */
char *tl_path_dup_name (const char *path);

/** tl_length_get_um: Returns: how many micrometres @unit is; 0 if it is unknown
 */
double tl_length_get_um (const char *unit);
