/* A range of slices to a TIFF stack, with the recipe beside it. */
#pragma once

#include "app/recon.h"
#include "data/phantom.h"

G_BEGIN_DECLS

/* Where the time went, seconds; the stages overlap. */
typedef struct
{
  double wall_s, read_s, compute_s, write_s;
  size_t n_slices;
} TlExportReport;

/**
 * tl_export:
 * @recipe: resolved
 * @folder: made if needed; gets recon_00000.tiff … and recipe.ini
 * @progress: (nullable) (scope call): in the calling thread
 * @report: (out caller-allocates) (optional)
 *
 * Reading, computing and writing overlap: an in thread reads the next rows and
 * an out thread writes. Engine thread only. The first error stops all three.
 *
 * Returns: %FALSE with the first error or %G_IO_ERROR_CANCELLED; files that
 *   were finished stay, whole
 */
gboolean tl_export (TlRecon *recon, const TlRecipe *recipe, size_t first_row,
                    size_t n_rows, const char *folder, TlProgress progress,
                    gpointer user_data, GCancellable *cancellable,
                    TlExportReport *report, GError **error);

G_END_DECLS
