/* Measures one row for the axis map: the engine's thread reads the row, another
 * thread measures it, the main thread takes the result. */
#pragma once

#include "app/axis/height.h"

typedef struct
{
  GWeakRef map; /* may be finalized first; main thread only */
  guint generation;
  guint nth, k; /* index in the order of measurement, and from the top */
  TlAxisQuestion question;
  TlCentreRow *row; /* (nullable) */
  size_t n_values;
  TlAxisPoint point;
  float *curve; /* [n_values], see tl_axis_map_get_curve() */
} TlAxisWork;

/** tl_axis_work_new: @n_before: rows requested so far. Returns: (transfer
 * full): work for the next row in the order of tl_axis_line_get_order(),
 * without a map */
TlAxisWork *tl_axis_work_new (const TlAxisQuestion *question, size_t n_before);
void tl_axis_work_free (gpointer work);

/** tl_axis_work_read: A #TlTaskStep, the only one of its task; the result is a
 * #TlCentreRow. */
gboolean tl_axis_work_read (gpointer state, TlRecon *recon,
                            const TlRecipe *recipe, GCancellable *cancellable,
                            gpointer *result, gboolean *is_done,
                            GError **error);

/**
 * tl_axis_work_measure:
 * @work: (transfer full): with its row
 * @cancellable: ends the measurement early, with %G_IO_ERROR_CANCELLED
 * @callback: main thread; @work is the data of the task, which returns a
 *   boolean
 *
 * Starts a thread that fills in point and curve.
 */
void tl_axis_work_measure (TlAxisWork *work, GCancellable *cancellable,
                           GAsyncReadyCallback callback);
