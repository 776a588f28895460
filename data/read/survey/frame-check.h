/* Looks at all projections of a scan for those that do not belong into a slice,
 * and lists the flats and darks that are unlike the others.
 *
 * A few rows of each projection are read. Where this takes long, because images
 * are compressed as a whole, the check reads projections at equal distances
 * first, and then all those beside odd ones. Only projections that were read
 * are called odd. */
#pragma once

#include "data/read/reader.h"

/* Why a projection is odd. A projection has the first that applies. */
typedef enum
{
  TL_ODD_UNREADABLE, /* its file is damaged */
  TL_ODD_EMPTY,      /* one value in all samples */
  TL_ODD_UNFINISHED, /* one value in the last rows */
  TL_ODD_LOST,       /* as dark as without a beam */
  TL_ODD_DIM,        /* darker than its neighbours */
  TL_ODD_REPEATED,   /* the angle of an earlier projection */
  TL_N_ODD_KINDS
} TlOddKind;

typedef struct
{
  char *frames; /* as of tl_frame_ranges_parse(), numbered as in the file;
                   %NULL: none */
  char *files;  /* (nullable): as of tl_frame_ranges_describe(), where the
                   numbers in the names of the files are others */
  size_t n_frames;
  char *reason; /* (nullable): why the first one cannot be read */
} TlOddFrames;

/* What is wrong with all flats or all darks, as the projections show. */
typedef enum
{
  TL_FIELDS_FINE,
  TL_FIELDS_EXCHANGED,   /* flats are darks, and darks are flats */
  TL_FIELDS_LIT_DARKS,   /* all darks have a beam */
  TL_FIELDS_UNLIT_FLATS, /* no flat has a beam */
  TL_FIELDS_EMPTY_FLATS, /* no flat has any finite value */
  TL_N_FIELD_FAULTS
} TlFieldFault;

typedef struct TlFrameCheck TlFrameCheck;

/**
 * tl_frame_check_new:
 * @bytes: of samples that may be read or decompressed to look at projections at
 *   equal distances
 *
 * Reads nothing yet. @reader must outlive the check.
 */
TlFrameCheck *tl_frame_check_new (TlReader *reader, guint64 bytes);
void tl_frame_check_free (TlFrameCheck *check);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlFrameCheck, tl_frame_check_free)

/**
 * tl_frame_check_step:
 * @is_done: (out): TRUE after the last step
 *
 * Reads and examines the next projections. Several threads decompress them,
 * which have ended when it returns. In the thread that uses the reader.
 *
 * Returns: %FALSE with an error of tl_reader_read() or TL_ERROR_MEMORY; the
 *   check can then only be freed
 */
gboolean tl_frame_check_step (TlFrameCheck *check, gboolean *is_done,
                              GError **error);

/**
 * tl_frame_check_go_without:
 * @failure: (transfer full): why projection @frame could not be read
 *
 * Takes a projection whose file is damaged for an odd one.
 *
 * Returns: %FALSE with @failure if that is not the reason, or if more than half
 *   of the projections cannot be read, or TL_ERROR_MEMORY
 */
gboolean tl_frame_check_go_without (TlFrameCheck *check, size_t frame,
                                    GError *failure, GError **error);

/** tl_frame_check_get: Returns: (transfer none): [TL_N_ODD_KINDS], after the
 * last step */
const TlOddFrames *tl_frame_check_get (TlFrameCheck *check);

/** tl_frame_check_get_fields: Returns: (transfer none): [TL_N_FIELD_STATES],
 * after the last step; flats and darks are each numbered from 0 */
const TlOddFrames *tl_frame_check_get_fields (TlFrameCheck *check);

/** tl_frame_check_get_fault: Returns: of all fields, after the last step */
TlFieldFault tl_frame_check_get_fault (TlFrameCheck *check);

/** tl_frame_check_get_usual: Returns: the usual value of the projections beside
 * the sample, above the darks, after the last step; 0 if there is none */
double tl_frame_check_get_usual (TlFrameCheck *check);

/** tl_frame_check_count: Returns: how many projections were examined */
size_t tl_frame_check_count (TlFrameCheck *check);
