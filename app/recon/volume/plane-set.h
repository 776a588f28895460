/* The planes of the sample that the panes of TL_PICTURE_PLANES show, made
 * together. */
#pragma once

#include "app/recon/picture.h"
#include "app/recon/recon.h"

/* Owns its frames; zeroed it is empty; cleared with tl_plane_set_clear(). */
typedef struct
{
  TlPlane planes[TL_N_PANES];  /* of the frames; z counts detector rows */
  TlFrame *frames[TL_N_PANES]; /* (nullable): [ny][nx] of the plane */
  guint coarseness; /* the pixels are so many times as wide and high as they
                       were asked for */
  guint bin; /* of the projections they were made of, in pixels of the file */
} TlPlaneSet;

void tl_plane_set_clear (TlPlaneSet *set);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TlPlaneSet, tl_plane_set_clear)

/* What planes are compared with; owns its frames, which are in host memory;
 * zeroed it is empty. */
typedef struct
{
  TlPlaneSet held;       /* A: the same planes, made with other parameters */
  TlPlaneSet difference; /* B - A */
  TlStats stats;         /* of the first frame of the difference */
} TlComparedPlanes;

void tl_compared_planes_clear (TlComparedPlanes *compared);

/** tl_plane_set_get_first: Returns: (transfer none) (nullable): the first frame
 * that there is */
TlFrame *tl_plane_set_get_first (const TlPlaneSet *set);

/** tl_plane_set_copy: Makes @copy the same planes in host memory; it must be
 * cleared, after an error too. Any thread; waits as tl_frame_fetch() does.
 * Returns: %FALSE with an error of tl_frame_copy() */
gboolean tl_plane_set_copy (const TlPlaneSet *set, TlPlaneSet *copy,
                            GError **error);

/** tl_plane_set_share: Returns: the same, with references to its frames */
TlPlaneSet tl_plane_set_share (const TlPlaneSet *set);

/** tl_plane_set_subtract: Makes @difference @set - @less, which are the same
 * planes, in host memory, where their frames are fetched; it must be cleared,
 * after an error too. Any thread. Returns: %FALSE with an error of
 * tl_frame_fetch() or TL_ERROR_MEMORY */
gboolean tl_plane_set_subtract (const TlPlaneSet *set, const TlPlaneSet *less,
                                TlPlaneSet *difference, GError **error);

/**
 * tl_plane_set_run:
 * @recipe: resolved; as of tl_recon_run_planes()
 * @planes: [TL_N_PANES]; nx 0: none
 * @coarseness: 1 or more
 * @set: (out caller-allocates): must be cleared, after an error too
 * @stats: (out caller-allocates): of the first frame; zeroed without one
 * @times: (out caller-allocates): of all planes
 *
 * Engine's thread only. Planes know neither the Fourier method nor some
 * interpolations, and are made by back-projection with linear interpolation
 * then.
 *
 * Returns: %FALSE with any error of tl_recon_run_planes()
 */
gboolean tl_plane_set_run (TlRecon *recon, const TlRecipe *recipe,
                           const TlPlane *planes, guint coarseness,
                           GCancellable *cancellable, TlPlaneSet *set,
                           TlStats *stats, TlReconTimes *times, GError **error);
