/* All frames of a scan, or some of their rows, in host memory, as a scan like
 * any other. */
#pragma once

#include "data/progress.h"
#include "data/read/held/budget.h"
#include "data/read/reader.h"

/* Reference counted; constant; any thread. */
typedef struct TlHeldCopy TlHeldCopy;

/** tl_held_copy_count_bytes: Returns: bytes that a copy of the scan takes */
guint64 tl_held_copy_count_bytes (const TlScanInfo *info);
/** tl_held_copy_count_row_bytes: Returns: bytes that a copy of @n_rows of its
 * rows takes */
guint64 tl_held_copy_count_row_bytes (const TlScanInfo *info, size_t n_rows);

/**
 * tl_held_copy_new:
 * @scan: lent; no other thread may use it meanwhile
 * @budget: a reference is taken; it counts the copy until that is freed
 * @progress: (nullable): called between some projections
 *
 * Reads all projections, and the means of the flats and darks.
 *
 * Returns: (transfer full): %NULL with TL_ERROR_MEMORY, also if @budget has not
 *   enough left, or with an error of tl_reader_read() or
 *   tl_reader_read_fields()
 */
TlHeldCopy *tl_held_copy_new (TlReader *scan, TlHeldBudget *budget,
                              TlProgress progress, gpointer progress_data,
                              GCancellable *cancellable, GError **error);
/** tl_held_copy_new_rows: As tl_held_copy_new(), of the rows from @first_row
 * on. As a scan the copy has all rows, but only these can be read. */
TlHeldCopy *tl_held_copy_new_rows (TlReader *scan, size_t first_row,
                                   size_t n_rows, TlHeldBudget *budget,
                                   TlProgress progress, gpointer progress_data,
                                   GCancellable *cancellable, GError **error);
/** tl_held_copy_new_after: As tl_held_copy_new_rows(), of the rows of @before,
 * where @scan is a later snapshot of the same frames, in the same bins. The
 * first projections that are in both are not read again, unless two have the
 * same angle, because then the angle does not identify a projection. */
TlHeldCopy *tl_held_copy_new_after (const TlHeldCopy *before, TlReader *scan,
                                    TlHeldBudget *budget, TlProgress progress,
                                    gpointer progress_data,
                                    GCancellable *cancellable, GError **error);
TlHeldCopy *tl_held_copy_ref (TlHeldCopy *copy);
void tl_held_copy_unref (TlHeldCopy *copy);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlHeldCopy, tl_held_copy_unref)

/**
 * tl_held_copy_open:
 *
 * Samples, means and weights are those of the scan, to the bit. The copy has at
 * most two flats and a dark, which are these means.
 *
 * Returns: (transfer full): keeps a reference to @copy; %NULL with
 *   TL_ERROR_MEMORY. A read of rows that the copy does not have is
 *   TL_ERROR_VALUE
 */
TlReader *tl_held_copy_open (TlHeldCopy *copy, GError **error);
