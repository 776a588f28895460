/* A range of slices to a TIFF stack, with the recipe beside it. */
#pragma once

#include "app/export/pipeline.h"
#include "app/recon/recon.h"

G_BEGIN_DECLS

typedef struct
{
  TlPipelineReport pipeline;
  size_t n_slices; /* complete in the folder, after an error too */
  size_t n_mended; /* samples replaced, see tl_reader_get_n_mended() */
} TlExportReport;

/* The recipe beside the slices. */
#define TL_EXPORT_RECIPE "recipe.ini"

/**
 * tl_export:
 * @recipe: resolved
 * @folder: made if needed; gets recon_00000.tiff … and recipe.ini
 * @n_devices: how many GPUs, where it is not host that computes; 0: all of the
 *   same kind
 * @progress: (nullable) (scope call): in the calling thread; the first time
 * when the range and the devices are found to be there
 * @report: (out caller-allocates) (optional)
 *
 * Reading, computing and writing overlap, as app/export/pipeline.h has it, on
 * engines of its own: those that the recipe names, or host where @recon's
 * engine is that. Engine thread only. The first error stops everything.
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
 * One recipe in a folder is to be true of all slices in it. To be asked before
 * tl_export(), which replaces files of the same name and leaves others.
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
 * Returns: (transfer full) (nullable): what it says otherwise than the recipe
 *   at @recipe_path, in words; %NULL where there is none
 */
char *tl_export_dup_changes (const TlScanInfo *info, const TlRecipe *recipe,
                             const char *recipe_path);

/**
 * tl_export_dup_replaced:
 * @recipe: resolved
 *
 * Returns: (transfer full) (nullable): a sentence where tl_export() is to
 *   replace slices in @folder that were made with other parameters
 */
char *tl_export_dup_replaced (const TlScanInfo *info, const TlRecipe *recipe,
                              size_t first_row, size_t n_rows,
                              const char *folder);

G_END_DECLS
