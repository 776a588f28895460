/* Exports slices of a scan to a folder of TIFF files, with the recipe beside
 * them. The export has its own reader, engines and threads, and does not touch
 * those of the window. */
#pragma once

#include "app/export/pipeline.h"
#include "app/recipe/recipe.h"

/* File name of the recipe in the folder of the slices. */
#define TL_EXPORT_RECIPE "recipe.ini"

/* What is exported. Plain value; all pointers are borrowed. */
typedef struct
{
  const char *scan;       /* its path */
  const TlRecipe *recipe; /* resolved for the scan; its slice is ignored */
  const char *folder;     /* of the volume; it need not exist */
  /* The slices' rows: first_row, first_row + step, … */
  size_t first_row, n_slices, step;
  guint n_devices;     /* GPUs, ignored on host; 0: all of the same kind */
  gboolean overwrites; /* a volume in the folder, or an unfinished one, may be
                          replaced */
  gboolean resumes;    /* goes on with an unfinished volume if there is one */
  gboolean is_strict;  /* the first slice that cannot be made ends the export */
} TlExportJob;

typedef struct
{
  TlPipelineReport pipeline;
  size_t n_slices;  /* whole slices in the volume, also of an unfinished one */
  size_t n_resumed; /* of them made before */
  size_t n_mended;  /* samples replaced, see tl_reader_get_n_mended() */
  /* (nullable) (element-type utf8): a line for each slice that could not be
   * made: its number and why */
  GPtrArray *failures;
} TlExportReport;

void tl_export_report_clear (TlExportReport *report);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TlExportReport, tl_export_report_clear)

/**
 * tl_export:
 * @progress: (nullable) (scope call): called in the calling thread
 * @report: (out caller-allocates): to be cleared, after an error, too
 *
 * Reading, computing and writing overlap (app/export/pipeline.h). The slices
 * are written to a hidden folder (data/write/staging.h), which takes the place
 * of @folder when all slices that can be made are there. A slice that cannot
 * be made is left out and named in the report. Any thread; several exports may
 * run at the same time.
 *
 * Returns: %FALSE with any error of reader, engine or writer, or
 *   %G_IO_ERROR_CANCELLED; whole slices are kept for an export that resumes
 */
gboolean tl_export (const TlExportJob *job, TlProgress progress,
                    gpointer user_data, GCancellable *cancellable,
                    TlExportReport *report, GError **error);

/**
 * tl_export_check_target:
 * @question: (out) (nullable) (transfer full): what the user has to agree to
 *   before job.overwrites may be set: that a volume is replaced, or that an
 *   unfinished one is given up; %NULL if nothing is lost
 * @can_resume: (out): whether there is an unfinished one
 *
 * Returns: %FALSE with TL_ERROR_FILE if no export may write to the folder:
 *   it is the scan, or has files that no export made
 */
gboolean tl_export_check_target (const TlExportJob *job, char **question,
                                 gboolean *can_resume, GError **error);

/**
 * tl_export_dup_changes:
 * @recipe: resolved
 *
 * Returns: (transfer full) (nullable): the differences of @recipe from the
 *   recipe at @recipe_path, in words; %NULL if there are none
 */
char *tl_export_dup_changes (const char *scan, const TlRecipe *recipe,
                             const char *recipe_path);
