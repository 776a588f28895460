/* One row of the axis over the height: read by the engine's thread, measured in
 * another, for the map in the main thread. */
#pragma once

#include "app/axis/height.h"

G_BEGIN_DECLS

typedef struct
{
  GWeakRef map; /* it may go first; looked at by the main thread only */
  guint generation;
  guint nth, k; /* in the order of asking, from the top */
  TlAxisQuestion question;
  TlCentreRow *row; /* (nullable) */
  size_t n_values;
  TlAxisPoint point;
  float *curve; /* [n_values], as tl_axis_map_get_curve() */
} TlAxisWork;

/** tl_axis_work_new: @n_before: rows were asked for before. Returns: (transfer
 * full): for the next by tl_axis_line_get_order(), without a map */
TlAxisWork *tl_axis_work_new (const TlAxisQuestion *question, size_t n_before);
void tl_axis_work_free (gpointer work);

/** tl_axis_work_read: A #TlTaskStep, the only one; the result is a
 * #TlCentreRow.
 */
gboolean tl_axis_work_read (gpointer state, TlRecon *recon,
                            const TlRecipe *recipe, GCancellable *cancellable,
                            gpointer *result, gboolean *is_done,
                            GError **error);

/**
 * tl_axis_work_measure:
 * @work: (transfer full): with its row
 * @cancellable: ends it soon, with %G_IO_ERROR_CANCELLED
 * @callback: main thread; @work is the data of the task, which returns a
 *   boolean
 *
 * Starts a thread that fills in point and curve.
 */
void tl_axis_work_measure (TlAxisWork *work, GCancellable *cancellable,
                           GAsyncReadyCallback callback);

G_END_DECLS
