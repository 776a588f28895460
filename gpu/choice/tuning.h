/* The variant that was measured to be the fastest, for each case: one table per
 * engine and machine, kept in the user's cache folder. Another choice changes
 * results by rounding only. */
#pragma once

#include "gpu/backend/variant.h"

/* The size classes of grids are the powers of two between these limits. */
#define TL_TUNING_SMALLEST 128
#define TL_TUNING_LARGEST 4096

typedef struct TlTuning TlTuning;

/**
 * tl_tuning_new:
 * @engine: "cuda"
 * @machine: device and driver on which the rates were measured, such as "NVIDIA
 *   H200; driver 580.159"
 *
 * Returns: (transfer full): an empty table
 */
TlTuning *tl_tuning_new (const char *engine, const char *machine);
TlTuning *tl_tuning_dup (const TlTuning *tuning);
void tl_tuning_free (TlTuning *tuning);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlTuning, tl_tuning_free)

/** tl_tuning_set: @row: copied; replaces the row of the same case.
 */
void tl_tuning_set (TlTuning *tuning, const TlTuningRow *row);

/** tl_tuning_get_rows: Returns: (transfer none): [@n] rows, valid until the
 * next change of @tuning.
 */
const TlTuningRow *tl_tuning_get_rows (const TlTuning *tuning, size_t *n);

/**
 * tl_tuning_find:
 * @rows: [@n]
 *
 * Returns: (transfer none) (nullable): the row for @asked with the nearest size
 *   class; the smaller one if two are equally near; %NULL if there is none
 */
const TlTuningRow *tl_tuning_find (const TlTuningRow *rows, size_t n,
                                   const TlTuningCase *asked);

/** tl_tuning_get_n_projections: Returns: with how many projections grids of the
 * class @size are measured: enough for a kernel to reach its steady rate */
size_t tl_tuning_get_n_projections (guint size);

/** tl_tuning_get_class: Returns: the size class of a grid of @nx x @ny pixels:
 * the power of two that is nearest, by ratio, to sqrt (@nx @ny) */
guint tl_tuning_get_class (size_t nx, size_t ny);

/** tl_tuning_load: Reads the file of tl_tuning_save() for this engine, this
 * machine and this version of the program. Any thread. Returns: (transfer full)
 * (nullable): %NULL if there is no such file, or if the file is damaged or was
 * written for another engine, machine or version */
TlTuning *tl_tuning_load (const char *engine, const char *machine);

/** tl_tuning_save: Writes the table to the file of this engine, machine and
 * version in the user's cache folder. A failure leaves the old file intact.
 * Returns: (transfer full): the path of the file; %NULL with TL_ERROR_FILE */
char *tl_tuning_save (const TlTuning *tuning, GError **error);
