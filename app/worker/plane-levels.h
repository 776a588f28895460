/* Makes planes from levels of a scan, which are smaller: its projections in
 * bins. Each level that is used has an engine of its own, so that it keeps its
 * filtered rows while another one is used. Engine's thread only. */
#pragma once

#include "app/recon/volume/plane-set.h"
#include "data/read/held/copy.h"

typedef struct TlPlaneLevels TlPlaneLevels;

TlPlaneLevels *tl_plane_levels_new (void);
void tl_plane_levels_free (TlPlaneLevels *levels);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlPlaneLevels, tl_plane_levels_free)

/** tl_plane_levels_forget_compared: Closes the engines of runs with
 * @is_compared. */
void tl_plane_levels_forget_compared (TlPlaneLevels *levels);
/** tl_plane_levels_count_bytes: Returns: the memory that their engines hold */
size_t tl_plane_levels_count_bytes (const TlPlaneLevels *levels);

/**
 * tl_plane_levels_run:
 * @is_compared: uses another engine than without, so that each keeps its
 *   filtered rows
 * @copy: the level
 * @bin: of the level, in pixels of the file
 * @engine: its name; "auto" as of tl_engine_open()
 * @recipe: resolved for the whole scan, as are @planes
 * @report: (out caller-allocates): of the engine
 *
 * As tl_plane_set_run(). @set is in pixels of the scan, and so are its values.
 *
 * Returns: %FALSE with any error of tl_plane_set_run() or tl_engine_open()
 */
gboolean tl_plane_levels_run (TlPlaneLevels *levels, gboolean is_compared,
                              TlHeldCopy *copy, guint bin, const char *engine,
                              const TlRecipe *recipe, const TlPlane *planes,
                              guint coarseness, GCancellable *cancellable,
                              TlPlaneSet *set, TlStats *stats,
                              TlReconTimes *times, TlEngineReport *report,
                              GError **error);
