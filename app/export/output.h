/* What becomes of the slices that a pipeline makes: they are masked, binned
 * and, for other planes than x-y, turned over in memory, and written to a
 * volume.
 *
 * Slices of x-y planes need one pass over the scan. A slice of another plane
 * has pixels of every detector row, so all rows must be made before the first
 * slice is whole. Each pass takes as many slices as fit into its memory, and
 * makes only the pixels of each row that these slices need. */
#pragma once

#include "app/export/settings.h"

#include <gio/gio.h>

typedef struct TlOutput TlOutput;

/**
 * tl_output_new:
 * @settings: borrowed, as @volume
 * @whole: the grid of the whole slice
 * @volume: of the shape of tl_export_settings_describe()
 * @bytes: how much memory the slices of a pass may take
 *
 * Finds out which slices @volume has.
 *
 * Returns: (transfer full)
 */
TlOutput *tl_output_new (const TlExportSettings *settings, const TlGrid *whole,
                         TlVolume *volume, guint64 bytes);
void tl_output_free (TlOutput *output);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlOutput, tl_output_free)

/** tl_output_count_passes: Returns: how many passes @bytes allow; 0 if not even
 * one slice fits */
size_t tl_output_count_passes (const TlExportSettings *settings,
                               const TlGrid *whole, guint64 bytes);

/** tl_output_dup_damaged: Returns: (transfer full) (nullable): "3 slices that
 * were kept were damaged …" if the volume had slices that are not as they were
 * written */
char *tl_output_dup_damaged (const TlOutput *output);

/** tl_output_count_whole: Returns: how many slices of the volume are whole */
size_t tl_output_count_whole (TlOutput *output);

/**
 * tl_output_next_pass:
 * @grid: (out): the pixels to be made of each row
 * @error: TL_ERROR_MEMORY
 *
 * Returns: whether there is another pass, which has slices to be made
 */
gboolean tl_output_next_pass (TlOutput *output, TlGrid *grid, GError **error);

/** tl_output_needs: Returns: whether the pass needs one of the rows @first_row
 * …
 * @first_row + @n_rows - 1, counted in the settings */
gboolean tl_output_needs (TlOutput *output, size_t first_row, size_t n_rows);

/**
 * tl_output_take:
 * @index: of the row in the settings
 * @pixels: [grid.ny][grid.nx] of the pass; %NULL: they cannot be made, and
 *   become NaN
 *
 * Any thread, several at the same time, each with another row.
 *
 * Returns: %FALSE with an error of tl_volume_write() or TL_ERROR_MEMORY
 */
gboolean tl_output_take (TlOutput *output, size_t index, const float *pixels,
                         GError **error);

/** tl_output_end_pass: Writes what is still in memory. @n_threads: that may
 * write at once */
gboolean tl_output_end_pass (TlOutput *output, guint n_threads,
                             GCancellable *cancellable, GError **error);
