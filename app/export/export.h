/* Exports a range of slices to a TIFF stack, with the recipe in the same
 * folder. */
#pragma once

#include "app/export/pipeline.h"
#include "app/recon/recon.h"

typedef struct
{
  TlPipelineReport pipeline;
  size_t n_slices; /* complete slices in the folder, also after an error */
  size_t n_mended; /* samples replaced, see tl_reader_get_n_mended() */
} TlExportReport;

/* File name of the recipe in the folder of the slices. */
#define TL_EXPORT_RECIPE "recipe.ini"

/**
 * tl_export:
 * @recipe: resolved
 * @folder: created if needed; gets recon_00000.tiff … and recipe.ini
 * @n_devices: number of GPUs, ignored on host; 0: all of the same kind
 * @progress: (nullable) (scope call): called in the calling thread; first
 *   called after the range and the devices have been checked
 * @report: (out caller-allocates) (optional)
 *
 * Reading, computing and writing overlap (app/export/pipeline.h). The export
 * opens its own engines: those that the recipe names, or host if @recon's
 * engine is host. Engine thread only. The first error stops everything.
 *
 * Returns: %FALSE with the first error or %G_IO_ERROR_CANCELLED; files that
 *   were finished stay, whole
 */
gboolean tl_export (TlRecon *recon, const TlRecipe *recipe, size_t first_row,
                    size_t n_rows, const char *folder, guint n_devices,
                    TlProgress progress, gpointer user_data,
                    GCancellable *cancellable, TlExportReport *report,
                    GError **error);

/**
 * tl_export_check_folder:
 * @recipe: resolved
 *
 * The recipe in a folder must hold for all slices in the folder. Call before
 * tl_export(), which replaces files of the same name and keeps the others.
 *
 * Returns: %FALSE with TL_ERROR_FILE if @folder has slices outside the range
 *   that were made from another scan or with another recipe
 */
gboolean tl_export_check_folder (const TlScanInfo *info, const TlRecipe *recipe,
                                 size_t first_row, size_t n_rows,
                                 const char *folder, GError **error);

/**
 * tl_export_dup_changes:
 * @recipe: resolved
 *
 * Returns: (transfer full) (nullable): the differences of @recipe from the
 *   recipe at @recipe_path, in words; %NULL if there are none
 */
char *tl_export_dup_changes (const TlScanInfo *info, const TlRecipe *recipe,
                             const char *recipe_path);

/**
 * tl_export_dup_replaced:
 * @recipe: resolved
 *
 * Returns: (transfer full) (nullable): a sentence if tl_export() would
 *   replace slices in @folder that were made with other parameters
 */
char *tl_export_dup_replaced (const TlScanInfo *info, const TlRecipe *recipe,
                              size_t first_row, size_t n_rows,
                              const char *folder);
