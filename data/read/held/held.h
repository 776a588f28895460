/* The frames of a scan that is being taken, in memory, and snapshots of them
 * that are scans like any other. */
#pragma once

#include "data/read/held/budget.h"
#include "data/read/held/layout.h"
#include "data/read/held/weights.h"
#include "data/read/reader.h"

/**
 * TlHeldChooser:
 * @max_rows: as many rows should be kept
 * @first_row: (out): the rows to be kept: those that are shown, and as many
 *   around them
 * @n_rows: (out): more than @max_rows if a picture needs more
 *
 * Called by the thread that puts frames.
 */
typedef void (*TlHeldChooser) (size_t max_rows, size_t *first_row,
                               size_t *n_rows, gpointer data);

/* Reference counted. One thread puts frames; any others look at them. */
typedef struct TlHeld TlHeld;

/* What is there. Plain value. */
typedef struct
{
  guint64 serial; /* another one after each change */
  size_t n_frames[TL_N_FRAME_KINDS];
  size_t first_kept, n_kept; /* the rows that can be read */
  size_t n_rows, n_cols;     /* of the detector */
  gboolean is_sorted; /* each projection came when its number says, so that it
                         is its place in a recording */
  gboolean is_complete;
} TlHeldState;

/**
 * tl_held_new:
 * @layout: copied
 * @budget: a reference is taken. Room for flats and darks is kept free, so that
 *   projections that come before them do not take it
 *
 * Returns: (transfer full): %NULL with TL_ERROR_MEMORY, also if the budget is
 *   not enough for flats, darks and some projections
 */
TlHeld *tl_held_new (const TlHeldLayout *layout, TlHeldBudget *budget,
                     GError **error);
TlHeld *tl_held_ref (TlHeld *held);
void tl_held_unref (TlHeld *held);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlHeld, tl_held_unref)

/**
 * tl_held_set_chooser:
 * @choose: (nullable): asked when there is no room for all rows that are kept
 * @data: must live as long as frames are put
 *
 * The rows that it does not choose are left out from then on, of the frames
 * that have come, too. The memory of flats and darks does not shrink, but their
 * rows outside can no longer be read. Call it before frames are put.
 */
void tl_held_set_chooser (TlHeld *held, TlHeldChooser choose, gpointer data);

/**
 * tl_held_put:
 * @number: of the frame within its kind; each projection comes once
 * @angle_deg: of a projection; finite
 * @pixels: [n_rows][n_cols] of the layout's type; copied
 *
 * The thread that takes frames only. Memory is taken for 64 projections
 * with numbers next to each other, or for fewer at the end of those that the
 * layout expects, or if there is no more.
 *
 * Returns: %FALSE if there is no room for the frame now, even with as few rows
 *   as can be chosen, or the projection has come before or is not expected
 */
gboolean tl_held_put (TlHeld *held, TlFrameKind kind, size_t number,
                      double angle_deg, const void *pixels);

/** tl_held_is_blank: @number: of a projection that was put. The thread that
 * takes frames only. Returns: whether it is left out, because none of its
 * samples that are kept is a number */
gboolean tl_held_is_blank (const TlHeld *held, size_t number);

/**
 * tl_held_lend:
 * @kind: flats or darks
 * @pixels: as of tl_held_put(): the mean of @n_frames of an earlier scan
 *
 * As tl_held_put(). It counts as @n_frames, and only until there is a frame of
 * this scan.
 */
gboolean tl_held_lend (TlHeld *held, TlFrameKind kind, size_t n_frames,
                       const void *pixels);

/** tl_held_end: Says that all of the scan has come. */
void tl_held_end (TlHeld *held);

void tl_held_get_state (TlHeld *held, TlHeldState *state);

/**
 * tl_held_open:
 * @options: (nullable): which projections are left out, by their numbers, their
 *   angles, and what becomes of NaN
 * @weights: (out) (transfer full) (optional): of its projections; %NULL if all
 *   of the scan has come
 *
 * A snapshot: the projections that are there, in the order of their numbers,
 * with the weights that they have at this moment. A projection without a sample
 * that is a number is left out. Later frames do not change the snapshot. Rows
 * that are not kept, or not any more, cannot be read: TL_ERROR_VALUE.
 *
 * While the scan is taken, the newest flats stand for the whole scan: those
 * between the same two projections. When it is complete, those before the first
 * projection and those after it stand for its beginning and its end, and the
 * weights are those of any scan.
 *
 * Returns: (transfer full): as tl_reader_open(); TL_ERROR_SHAPE if no
 *   projection is there, TL_ERROR_VALUE if @options give angles while it is
 *   unknown how many projections will come
 */
TlReader *tl_held_open (TlHeld *held, const TlReaderOptions *options,
                        TlHeldWeights **weights, GError **error);

/** tl_held_open_binned: As tl_held_open(), in bins of @options->bin as
 * TlReaderOptions.bin describes them, each with the weight of its projections.
 * TL_ERROR_VALUE also if that is larger than a projection. */
TlReader *tl_held_open_binned (TlHeld *held, const TlReaderOptions *options,
                               GError **error);

/**
 * tl_held_open_change:
 * @options: of that snapshot
 * @change: of the weights of a snapshot of @held; not empty
 *
 * The projections of @change alone, with what each of them counts more or less
 * as its weight.
 *
 * Returns: (transfer full) (nullable): as tl_held_open(); %NULL without an
 * error if other flats or darks have come meanwhile
 */
TlReader *tl_held_open_change (TlHeld *held, const TlReaderOptions *options,
                               const TlHeldChange *change, GError **error);
