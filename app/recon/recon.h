/* Connects a scan with an engine: reads detector rows and computes frames from
 * them. The window's worker, the command line and the export all use it. */
#pragma once

#include "app/recipe/recipe.h"
#include "gpu/engine.h"

typedef struct TlRecon TlRecon;

/* Wall times of the last run, milliseconds. */
typedef struct
{
  double read_ms, load_ms, compute_ms;
  double stage_ms[TL_N_STAGES]; /* 0: the stage did not run */
} TlReconTimes;

/**
 * tl_recon_new:
 * @reader: (transfer full)
 * @engine: (transfer none): must outlive the #TlRecon
 *
 * All functions of a #TlRecon must be called from the engine's thread.
 */
TlRecon *tl_recon_new (TlReader *reader, TlEngine *engine);
void tl_recon_free (TlRecon *recon);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlRecon, tl_recon_free)

TlReader *tl_recon_get_reader (TlRecon *recon);

/**
 * tl_recon_set_engine:
 * @engine: (transfer none): must outlive @recon; may be the present one
 *
 * Replaces the engine. If something else loads data into an engine, the next
 * run loads the rows again.
 */
void tl_recon_set_engine (TlRecon *recon, TlEngine *engine);

/**
 * tl_recon_settle_method:
 * @params: of the slices
 * @method: (out): as of tl_engine_settle_method(), for the engine in use. The
 *   recipe may name another one, which was lost.
 *
 * Returns: %FALSE with any error of tl_engine_settle_method()
 */
gboolean tl_recon_settle_method (TlRecon *recon, const TlParams *params,
                                 TlMethod *method, GError **error);

/**
 * tl_recon_run:
 * @recipe: resolved; its slice is ignored
 * @first_row: detector row of the first of @n_rows slices
 *
 * Reads the rows and the margin that phase retrieval and tilt need, loads them
 * into the engine, reconstructs, and waits for the frame. Rows that are in
 * memory are not read again; rows that the engine has are not loaded again.
 *
 * Returns: (transfer full): as tl_engine_reconstruct(); %NULL with any error of
 *   the reader or the engine, naming the scan where the data is to blame
 */
TlFrame *tl_recon_run (TlRecon *recon, const TlRecipe *recipe, size_t first_row,
                       size_t n_rows, GCancellable *cancellable,
                       GError **error);

/**
 * tl_recon_run_early:
 * @every: (out): stride between the projections of which the slice was made; 1:
 *   all of them
 * @reading: (nullable): cancels the read, and nothing after it
 *
 * As tl_recon_run(), for one slice. Where the rows are not in memory and
 * reading them takes long, as of images that are compressed as a whole, it is a
 * preview from each 8th projection, or from more if they are few. Their rows
 * are read first, and tl_recon_run() then reads the others only. The last of
 * them gets the flat field of the scan's last projection.
 */
TlFrame *tl_recon_run_early (TlRecon *recon, const TlRecipe *recipe, size_t row,
                             guint *every, GCancellable *reading,
                             GCancellable *cancellable, GError **error);

/**
 * tl_recon_run_subsampled:
 * @every: (inout): stride between projections, 2 or more; set to 1 if the
 *   slice was made of all projections, and to more if no others are in memory
 *
 * Makes a preview of one slice from every @every-th projection, for corrections
 * that need many rows. A second engine does it, so that both engines keep the
 * results of their stages. The last projection of the subset gets the flat
 * field of the scan's last projection. If the preview needs more than 1 GB, or
 * the second engine runs out of memory, tl_recon_run() makes the slice; after
 * such a failure no second engine is tried again.
 */
TlFrame *tl_recon_run_subsampled (TlRecon *recon, const TlRecipe *recipe,
                                  size_t row, guint *every,
                                  GCancellable *cancellable, GError **error);

/**
 * tl_recon_run_plane:
 * @recipe: resolved; its slice and grid are ignored
 * @plane: z counts detector rows
 * @max_rows: how many rows are loaded at once; 0: as many as suit the memory
 *
 * As tl_recon_run(), for a plane of the sample, with the rows that it needs.
 * They are loaded in blocks, one after the other. The times are those of the
 * last block.
 *
 * Returns: (transfer full): [1][plane.ny][plane.nx], as
 *   tl_engine_reconstruct_plane(); %NULL with any error of it or of the reader,
 *   and with TL_ERROR_VALUE if @plane passes beside the detector
 */
TlFrame *tl_recon_run_plane (TlRecon *recon, const TlRecipe *recipe,
                             const TlPlane *plane, size_t max_rows,
                             GCancellable *cancellable, GError **error);

/**
 * tl_recon_run_planes:
 * @planes: [@n]; nx 0: none
 * @max_rows: as of tl_recon_run_plane()
 * @frames: (out caller-allocates): [@n] (transfer full) (nullable): %NULL for
 *   no plane, and for one that passes beside the detector; all are %NULL after
 *   an error
 * @times: (out caller-allocates): of all runs together
 *
 * As tl_recon_run_plane(), for several planes, whose rows are loaded only once.
 * Where all rows of the detector suit the memory, all are loaded, and the next
 * planes find them there.
 *
 * Returns: %FALSE with any error of tl_recon_run_plane()
 */
gboolean tl_recon_run_planes (TlRecon *recon, const TlRecipe *recipe,
                              const TlPlane *planes, guint n, size_t max_rows,
                              TlFrame **frames, TlReconTimes *times,
                              GCancellable *cancellable, GError **error);

/** tl_recon_describe_plane: Returns: (transfer full): what the pixels of @plane
 * are, and where, in English, for a file */
char *tl_recon_describe_plane (const TlPlane *plane);

/** tl_recon_run_plane_rows: As tl_recon_run_plane(), for one block of rows.
 * Returns: (transfer full): the part of the plane that the rows give: see
 * tl_engine_reconstruct_plane() */
TlFrame *tl_recon_run_plane_rows (TlRecon *recon, const TlRecipe *recipe,
                                  const TlPlane *plane, size_t first_row,
                                  size_t n_rows, GCancellable *cancellable,
                                  GError **error);

/** tl_recon_has_rows: Returns: whether the engine has loaded these rows, and no
 * others but a margin */
gboolean tl_recon_has_rows (TlRecon *recon, size_t first_row, size_t n_rows);

/** tl_recon_lacks_rows: Returns: whether the last run failed because its rows
 * could not be read, which is not the engine's fault */
gboolean tl_recon_lacks_rows (const TlRecon *recon);

/** tl_recon_get_last_engine: Returns: (transfer none): the engine that made the
 * last run: the second one after a preview of a subset. */
TlEngine *tl_recon_get_last_engine (TlRecon *recon);

/**
 * tl_recon_read_corrected:
 * @recipe: resolved; its slice is ignored
 * @dest: (out caller-allocates): [n_projections][n_cols], host memory
 *
 * Reads one row and runs the stages before the filter. @dest gets the input of
 * the filter.
 */
gboolean tl_recon_read_corrected (TlRecon *recon, const TlRecipe *recipe,
                                  size_t row, float *dest,
                                  GCancellable *cancellable, GError **error);

/**
 * tl_recon_read_about:
 * @row: of the detector
 * @centre_col: approximate column of the axis in @row
 *
 * As tl_recon_read_corrected(), but the tilt correction rotates about @row and
 * @centre_col instead of the middle row, so that the columns of this row are
 * hardly moved: cubic convolution pulls fine detail towards whole columns,
 * which biases the estimators of the axis. Without a tilt both functions give
 * the same result.
 */
gboolean tl_recon_read_about (TlRecon *recon, const TlRecipe *recipe,
                              size_t row, double centre_col, float *dest,
                              GCancellable *cancellable, GError **error);

/**
 * tl_recon_prefetch:
 * @wanted: [@n], rows for which tl_recon_read_corrected() will be called with
 *   @recipe, in this order
 *
 * If the file keeps many rows of a projection in one chunk, reads as many of
 * @wanted together as fit into 512 MB, and keeps them until the last of them
 * was used or other rows are prefetched. Does nothing if the first of @wanted
 * is in memory. After G_IO_ERROR_CANCELLED the next call continues. If the rows
 * cannot be read together they are read one by one later, so that the error
 * comes from the row that has it.
 *
 * Returns: %FALSE with G_IO_ERROR_CANCELLED
 */
gboolean tl_recon_prefetch (TlRecon *recon, const TlRecipe *recipe,
                            const size_t *wanted, size_t n,
                            GCancellable *cancellable, GError **error);

/**
 * tl_check_output:
 * @scan: the path of the open scan
 * @path: a file or a folder that will be written
 *
 * Returns: %FALSE with TL_ERROR_FILE if @path is the scan itself
 */
gboolean tl_check_output (const char *scan, const char *path, GError **error);

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
