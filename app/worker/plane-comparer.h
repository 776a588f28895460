/* Compares planes with the same planes made with other parameters, A. Keeps
 * A's planes while they stay the same, so that a drag of a knob makes only B's:
 * those of a drag, and those that follow it. Engine's thread only. */
#pragma once

#include "app/worker/job.h"

typedef struct TlPlaneComparer TlPlaneComparer;

TlPlaneComparer *tl_plane_comparer_new (void);
void tl_plane_comparer_free (TlPlaneComparer *comparer);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlPlaneComparer, tl_plane_comparer_free)

/**
 * tl_plane_comparer_find:
 * @job: with "compared"
 * @growth: as of TlReply
 *
 * Returns: (transfer none) (nullable): A's planes, as @job asks for them; valid
 *   until the next call
 */
const TlPlaneSet *tl_plane_comparer_find (TlPlaneComparer *comparer,
                                          const TlJob *job, guint64 growth);

/** tl_plane_comparer_keep: Keeps a copy in host memory of @set: A's planes,
 * made for @job. Returns: %FALSE with an error of tl_frame_copy() */
gboolean tl_plane_comparer_keep (TlPlaneComparer *comparer, const TlJob *job,
                                 guint64 growth, const TlPlaneSet *set,
                                 GError **error);

/**
 * tl_plane_comparer_compare:
 * @set: B's planes
 * @held: A's planes, which tl_plane_comparer_find() has returned
 * @compared: (out caller-allocates): must be cleared, after an error too
 *
 * Returns: %FALSE with an error of tl_plane_set_subtract(), tl_engine_open() or
 *   tl_engine_measure()
 */
gboolean tl_plane_comparer_compare (TlPlaneComparer *comparer,
                                    const TlPlaneSet *set,
                                    const TlPlaneSet *held,
                                    TlComparedPlanes *compared, GError **error);
