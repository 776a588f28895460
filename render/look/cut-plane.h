/* Turns and moves a plane that cuts a volume open, as the user sees it. Plain
 * arithmetic, no GL. Cameras have the size of the volume. */
#pragma once

#include "render/look/volume-camera.h"
#include "render/look/volume-look.h"

#define TL_MAX_CUT_CORNERS 6

/** tl_cut_plane_face: @plane: (out): cuts away what is nearer to the viewer
 * than the point that is looked at */
void tl_cut_plane_face (TlCutPlane *plane, const TlVolumeCamera *camera);

/** tl_cut_plane_turn: Turns the plane, as a drag to the right and down turns
 * what is near the viewer. Its point that is nearest to the one looked at stays
 * in it. */
void tl_cut_plane_turn (TlCutPlane *plane, const TlVolumeCamera *camera,
                        double right_deg, double down_deg);

/** tl_cut_plane_move: Moves the plane by @part of the longest side of the
 * volume; above 0 less is cut away. It ends at the last corner of the volume.
 */
void tl_cut_plane_move (TlCutPlane *plane, const TlVolumeCamera *camera,
                        double part);

/**
 * tl_cut_plane_list_corners:
 * @n_voxels: [3], of the volume
 * @box: [3], its part that is shown, 0 … 1
 * @corners: (out caller-allocates): [TL_MAX_CUT_CORNERS], positions as of
 *   TlVolumeCamera, around the plane
 *
 * Returns: the number of corners of the plane in the box; 0: it passes by
 */
guint tl_cut_plane_list_corners (const TlCutPlane *plane,
                                 const double *n_voxels, const double (*box)[2],
                                 double (*corners)[3]);
