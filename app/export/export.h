/* Exports a volume of a scan. The export has its own reader, engines and
 * threads, and does not touch those of the window. */
#pragma once

#include "app/export/job.h"
#include "app/export/plan.h"

/* File name of the recipe in the folder of a TIFF stack. */
#define TL_EXPORT_RECIPE "recipe.ini"

typedef void (*TlExportPlanned) (const TlExportPlan *plan, gpointer user_data);

typedef struct
{
  TlExportPlan plan;
  TlPipelineReport pipeline;
  TlVolumeInfo volume; /* its shape and range; without strings */
  TlVolumeTally tally; /* of the samples of a finished volume */
  size_t n_slices;  /* whole slices in the volume, also of an unfinished one */
  size_t n_resumed; /* of them made before */
  gboolean was_whole; /* nothing was to be done */
  /* (nullable): which slices of an unfinished or finished volume were damaged,
   * and are made again, in one sentence */
  char *damaged;
  size_t n_mended; /* samples replaced, see tl_reader_get_n_mended() */
  /* (nullable) (element-type utf8): a line for each row that could not be
   * made: its number and why */
  GPtrArray *failures;
  guint n_unnamed; /* further rows, of which a finished volume keeps no line */
  /* Of an export that has failed: whether it had a hidden folder, and
   * (nullable) where that is, unless it was removed. */
  gboolean has_begun;
  char *kept_path;
} TlExportReport;

void tl_export_report_clear (TlExportReport *report);

/** tl_export_report_get_clipped: Returns: the percentage of pixels that the
 * range of integer samples leaves out */
double tl_export_report_get_clipped (const TlExportReport *report);

/** tl_export_report_dup_doubt: @settings: of the export. Returns: (transfer
 * full) (nullable): a warning if a range of integers that was given clips
 * more than nine of ten pixels, or leaves the values few levels, because it may
 * be in another unit */
char *tl_export_report_dup_doubt (const TlExportReport *report,
                                  const TlExportSettings *settings);

/** tl_export_report_dup_kept: @error: why the export has failed. Returns:
 * (transfer full) (nullable): "12 of 20 slices are kept in /a/.b.part-h2Kd7c";
 * %NULL if it made nothing, or if @error says it */
char *tl_export_report_dup_kept (const TlExportReport *report,
                                 const GError *error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TlExportReport, tl_export_report_clear)

/**
 * tl_export:
 * @planned: (nullable) (scope call): called in the calling thread with the plan
 *   before anything is made, and again whenever what it says of the time, the
 *   limit and the disk has changed
 * @progress: (nullable) (scope call): called in the calling thread
 * @report: (out caller-allocates): to be cleared, after an error, too
 *
 * Reading, computing and writing overlap (app/pipeline/pipeline.h). The volume
 * is written in a hidden folder (data/write/staging.h), and takes its place
 * when it is whole. A slice that cannot be made becomes NaN, and is named in
 * the report. If the job resumes, and the volume is whole already, nothing is
 * done, but the report names the slices that could not be made; a part is whole
 * if its slices are in the joined TIFF stack, too. A finished volume with such
 * slices, or with damaged ones, is made again if the job overwrites, too: of a
 * TIFF stack only the slices that are damaged or missing, unless some could not
 * be made. Any thread; several exports may run at the same time.
 *
 * Returns: %FALSE with any error of reader, engine or writer, or
 *   %G_IO_ERROR_CANCELLED; whole slices are kept for an export that resumes
 */
gboolean tl_export (const TlExportJob *job, TlExportPlanned planned,
                    TlProgress progress, gpointer user_data,
                    GCancellable *cancellable, TlExportReport *report,
                    GError **error);

/** tl_export_dup_command: Returns: (transfer full): the command that repeats
 * the export of the whole volume, to "recon" with the suffix of its format, so
 * that the metadata does not depend on where a volume is written */
char *tl_export_dup_command (const TlExportJob *job);
/** tl_export_dup_own_command: Returns: (transfer full): the command that
 * repeats the export, or this part of it, to the same place */
char *tl_export_dup_own_command (const TlExportJob *job);

/**
 * tl_export_check_target:
 * @question: (out) (nullable) (transfer full): what the user has to agree to
 *   before job.overwrites may be set: that a volume is replaced, or that an
 *   unfinished one is discarded; %NULL if nothing is lost
 * @can_resume: (out): whether there is an unfinished one, begun with the same
 *   settings
 *
 * Returns: %FALSE with TL_ERROR_FILE if no export may write there: it is
 *   the scan, or has files that no export made
 */
gboolean tl_export_check_target (const TlExportJob *job, char **question,
                                 gboolean *can_resume, GError **error);

/** tl_export_dup_state: Returns: (transfer full): what is at the path, and
 * which unfinished export to it there is, for job.agreed: take it before
 * tl_export_check_target() */
char *tl_export_dup_state (const TlExportJob *job);

/** tl_export_has_consent: @question: (nullable): of tl_export_check_target().
 * Returns: whether there is no question, or the user has agreed to replace what
 * is there now */
gboolean tl_export_has_consent (const TlExportJob *job, const char *question);

/** tl_export_check_consent: As tl_export_check_target(), but also fails with
 * TL_ERROR_FILE if the job may not replace what is there. */
gboolean tl_export_check_consent (const TlExportJob *job, GError **error);

/** tl_export_check_outside: @path: a file that no export writes. Returns:
 * %FALSE with TL_ERROR_FILE if an exported volume is there, or its folder is
 * that of one, which is replaced only as a whole */
gboolean tl_export_check_outside (const char *path, GError **error);

/**
 * tl_export_dup_changes:
 * @recipe: resolved
 *
 * Returns: (transfer full) (nullable): the differences of @recipe from the
 *   recipe at @recipe_path, in words; %NULL if there are none
 */
char *tl_export_dup_changes (const char *scan, const TlRecipe *recipe,
                             const char *recipe_path);
