/* A scan and an engine together: from a row number to a frame. The one path
 * that the window's worker, the command line and the export all take. */
#pragma once

#include "app/recipe/recipe.h"
#include "gpu/engine.h"

G_BEGIN_DECLS

typedef struct TlRecon TlRecon;

/* Where the time of the last run went; milliseconds of wall time. */
typedef struct
{
  double read_ms, load_ms, compute_ms;
  double stage_ms[TL_N_STAGES]; /* of the engine's; 0: one that did not run */
} TlReconTimes;

/**
 * tl_recon_new:
 * @reader: (transfer full)
 * @engine: (transfer none): must outlive it
 *
 * Belongs to the engine's thread.
 */
TlRecon *tl_recon_new (TlReader *reader, TlEngine *engine);
void tl_recon_free (TlRecon *recon);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlRecon, tl_recon_free)

TlReader *tl_recon_get_reader (TlRecon *recon);

/**
 * tl_recon_set_engine:
 * @engine: (transfer none): must outlive it; may be the same
 *
 * Goes on with another engine. Also to be called when something else has
 * loaded data into the engine: the rows are read again by the next run.
 */
void tl_recon_set_engine (TlRecon *recon, TlEngine *engine);

/**
 * tl_recon_run:
 * @recipe: resolved; its slice is ignored
 * @first_row: the slices wanted: @n_rows of them
 *
 * Reads the rows, and for phase retrieval and a tilt those around them, unless
 * they are there already, loads them unless the engine has them, reconstructs,
 * and waits for the frame.
 *
 * Returns: (transfer full): as tl_engine_reconstruct(); %NULL with any error of
 *   the reader or the engine, naming the scan where the data is to blame
 */
TlFrame *tl_recon_run (TlRecon *recon, const TlRecipe *recipe, size_t first_row,
                       size_t n_rows, GCancellable *cancellable,
                       GError **error);

/**
 * tl_recon_run_subsampled:
 * @every: (inout): 2 and more; 1 afterwards where the whole was made
 *
 * As tl_recon_run() of one row, of every so-and-so-th projection alone, by an
 * engine of its own, which keeps its stages as the other one does: for a
 * preview that follows a correction of many rows. The flat field of the last
 * projection is taken for the last of them. What it needs besides is
 * 1 GB at most: where that is too little, or the engine has no
 * room, the whole is made; an engine that has none is not asked again.
 */
TlFrame *tl_recon_run_subsampled (TlRecon *recon, const TlRecipe *recipe,
                                  size_t row, guint *every,
                                  GCancellable *cancellable, GError **error);

/** tl_recon_get_last_engine: Returns: that of the last run. */
TlEngine *tl_recon_get_last_engine (TlRecon *recon);

/**
 * tl_recon_read_corrected:
 * @recipe: resolved; its slice is ignored
 * @dest: (out caller-allocates): [n_projections][n_cols], host memory
 *
 * As tl_recon_run(), of one row and as far as the filter: what that is given.
 */
gboolean tl_recon_read_corrected (TlRecon *recon, const TlRecipe *recipe,
                                  size_t row, float *dest,
                                  GCancellable *cancellable, GError **error);

/**
 * tl_recon_read_about:
 * @row: of the detector
 * @centre_col: about where the axis is in it
 *
 * As tl_recon_read_corrected(), of projections that are turned back about this
 * place instead of that in the middle row, so that columns stay where they are:
 * cubic convolution leaves fine detail nearer to the next column than it
 * should, and the estimators of the axis see that. Where @recipe turns none
 * back, they are the same.
 */
gboolean tl_recon_read_about (TlRecon *recon, const TlRecipe *recipe,
                              size_t row, double centre_col, float *dest,
                              GCancellable *cancellable, GError **error);

/**
 * tl_recon_prefetch:
 * @wanted: [@n], rows that tl_recon_read_corrected() will be asked for with
 *   @recipe, in this order
 *
 * Where the file keeps many rows of a projection in one piece, reads as many of
 * @wanted together as fit into 512 MB, unless the first of them is
 * there already, and holds them until the last was asked for, or others are.
 * After G_IO_ERROR_CANCELLED the next call goes on where it was. Rows that
 * cannot be read so are left to be read one by one, with the error of their
 * own.
 *
 * Returns: %FALSE with G_IO_ERROR_CANCELLED
 */
gboolean tl_recon_prefetch (TlRecon *recon, const TlRecipe *recipe,
                            const size_t *wanted, size_t n,
                            GCancellable *cancellable, GError **error);

/**
 * tl_check_output:
 * @path: a file or a folder that is to be written
 *
 * Returns: %FALSE with TL_ERROR_FILE if that is the scan itself
 */
gboolean tl_check_output (const TlScanInfo *info, const char *path,
                          GError **error);

void tl_recon_get_times (TlRecon *recon, TlReconTimes *times);

/** tl_recon_get_engine: Returns: (transfer none): its engine, for the thread
 * that owns it. */
TlEngine *tl_recon_get_engine (TlRecon *recon);

/**
 * tl_stats_percentile:
 *
 * Returns: the value below which the fraction @part of the pixels lies, from
 *   the histogram
 */
float tl_stats_percentile (const TlStats *stats, double part);

G_END_DECLS
