/* Which method the slices of an export are made by: all of them by the same
 * one. */
#pragma once

#include "app/export/job.h"

/**
 * tl_export_settle_method:
 * @job: its recipe may be @recipe
 * @n_projections: of the scan
 * @n_cols: of the detector
 * @recipe: resolved; afterwards its method is not TL_METHOD_AUTO
 * @note: (out) (nullable), interned: as of tl_engine_settle_method()
 *
 * Before an export begins: TL_METHOD_AUTO becomes the method of the volume that
 * @job goes on with, or of the parts that are there; else that of
 * tl_engine_settle_method(). Slices of the planes xz and yz are back-projected:
 * a pass over the scan makes as many of their rows as fit into the memory, and
 * by the Fourier method the last digits of a pixel depend on the whole grid, so
 * that strips of different heights would differ. Parts are back-projected
 * unless the engine is host, because machines that share an export may have
 * different engines, which choose differently. Any thread but the main one.
 *
 * Returns: %FALSE with any error of tl_engine_settle_method()
 */
gboolean tl_export_settle_method (const TlExportJob *job, size_t n_projections,
                                  size_t n_cols, TlRecipe *recipe,
                                  const char **note, GError **error);
