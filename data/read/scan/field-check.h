/* Compares flats with each other, and with darks, to find those that would
 * spoil the mean of all. */
#pragma once

#include "data/read/scan/scan-info.h"

/* The fields in small: a few pixels stand for a block of a row.
 * All arrays are owned. */
typedef struct
{
  size_t *rows, n_rows; /* that are compared, ascending */
  size_t n_cols, n_blocks;
  size_t n_frames[TL_N_FRAME_KINDS]; /* flats and darks */
  size_t n_flats_before;
  float *small[TL_N_FRAME_KINDS];   /* [n_frames][n_rows][n_blocks] */
  guint8 *states[TL_N_FRAME_KINDS]; /* [n_frames], of TlFieldState */
  size_t n_pixels, n_spots;         /* see tl_reader_count_spots() */
} TlFieldCheck;

/** tl_field_check_new: @info: of a scan with flats. Returns: (transfer full):
 * all fields count as good; %NULL with TL_ERROR_MEMORY */
TlFieldCheck *tl_field_check_new (const TlScanInfo *info, GError **error);
void tl_field_check_free (TlFieldCheck *check);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlFieldCheck, tl_field_check_free)

/**
 * tl_field_check_take:
 * @r: which of @check->rows
 * @values: [n_cols], of this row of @frame
 */
void tl_field_check_take (TlFieldCheck *check, TlFrameKind kind, size_t frame,
                          size_t r, const float *values);

/** tl_field_check_judge: Fills @check->states, once all fields were taken.
 * Returns: %FALSE with TL_ERROR_MEMORY */
gboolean tl_field_check_judge (TlFieldCheck *check, GError **error);

/** tl_field_is_used: Returns: whether a field in @state counts in the mean */
gboolean tl_field_is_used (guint8 state);
