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
  size_t n_dead;   /* dead pixels replaced, see TlEngineReport */
  size_t n_mended; /* samples replaced, see tl_reader_get_n_mended() */
} TlExportReport;

/* The recipe beside the slices. */
#define TL_EXPORT_RECIPE "recipe.ini"

/**
 * tl_export:
 * @recipe: resolved
 * @folder: made if needed; gets recon_00000.tiff … and recipe.ini, which notes
 *   the range
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

/**
 * tl_export_check_folder:
 * @recipe: resolved
 *
 * One recipe in a folder is to be true of all slices in it. To be asked before
 * tl_export(), which replaces files of the same name and leaves others.
 *
 * Returns: %FALSE with TL_ERROR_FILE if @folder has slices outside the range
 *   that were made from another scan or with another recipe
 */
gboolean tl_export_check_folder (const TlScanInfo *info, const TlRecipe *recipe,
                                 size_t first_row, size_t n_rows,
                                 const char *folder, GError **error);

G_END_DECLS
