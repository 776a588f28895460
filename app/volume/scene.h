/* The whole sample in three dimensions, made anew while parameters change.
 *
 * Main thread only. While the page of the volume is shown (TL_PAGE_VOLUME), the
 * projections are loaded in bins (app/resident/), and the volume is made of
 * them: in bins that have at most TL_SCENE_HOST_COLS columns by the host, and
 * then in finer ones by a device, with TL_SCENE_FINE_COLS where it keeps all of
 * them: tl_box_fits(). A scan with at most 1.5 times as many columns is used
 * as it is, and no bin has more rows than the scan. A change of
 * a parameter makes the volume again; the newest parameters win, and a volume
 * that is being made is finished first, so that volumes follow a drag. A device
 * makes them in fast precision then, and where a change of the centre takes the
 * finest volume longer than TL_SCENE_FOLLOW_MS, the next coarser one follows;
 * the finest, in the precision of the recipe, comes when nothing has changed
 * for a moment. When another page is shown, all memory is given back.
 *
 * The volume of a scan that is being taken is that of the projections that have
 * come, each with the weight that it has in a slice meanwhile. While it is
 * shown, it is the picture that grows (TlGrowth): the projections are loaded
 * again whenever it is due, and what is there is followed until then: half the
 * time that a volume took after it is shown, with the newest projections.
 *
 * While the user looks into the box of the look (TlVolumeLook.box), this part
 * is made anew in about as many voxels as the whole has at most, from finer
 * projections of its rows. Where a device does not keep these, the part has as
 * many voxels as a volume of TL_SCENE_DEVICE_COLS. It follows the box and the
 * parameters. Camera and look are always those of the whole volume.
 */
#pragma once

#include "app/session/session.h"
#include "app/volume/maker.h"
#include "render/look/volume-camera.h"
#include "render/look/volume-look.h"

#define TL_SCENE_HOST_COLS 128
#define TL_SCENE_DEVICE_COLS 256
#define TL_SCENE_FINE_COLS 512

/* Two pictures of a screen with 60 Hz. */
#define TL_SCENE_FOLLOW_MS 33.0

#define TL_TYPE_SCENE (tl_scene_get_type ())
G_DECLARE_FINAL_TYPE (TlScene, tl_scene, TL, SCENE, GObject)

/* Properties, read-only with explicit notify:
 *   "voxels"    pointer, nullable: TlVoxels, the newest volume; notified before
 *               the next one is asked for
 *   "camera"    pointer: TlVolumeCamera: turn, zoom and place; without sizes
 *   "look"      pointer: TlVolumeLook, settled as soon as there are voxels.
 *               Camera and look are taken from the recipe whenever it changes
 *               them, for example when one is opened.
 *   "in-box"    boolean: the user looks into the box
 *   "progress"  double: of loading the projections, 0 … 1
 *   "busy"      boolean: projections are being loaded, or a volume is made or
 *               will be when nothing changes
 *   "problem"   string, nullable: why there is no volume, or no newer one, a
 *               sentence
 */

/** tl_session_get_scene: Returns: (transfer none): the scene of the session,
 * made on first use */
TlScene *tl_session_get_scene (TlSession *session);

/** tl_scene_get_voxels: Returns: (transfer none) (nullable): valid until
 * "voxels" is notified; values in attenuation per pixel of the detector */
const TlVoxels *tl_scene_get_voxels (TlScene *self);
/** tl_scene_set_fetches: @fetches: whether the next volumes that are made on a
 * device are copied to host memory too, by the engine's thread: whoever shows
 * the voxels says so if it cannot do without */
void tl_scene_set_fetches (TlScene *self, gboolean fetches);
/** tl_scene_get_counts: Returns: (transfer none): of the newest volume; all are
 * 0, from 0 to 1, before the first */
const TlVoxelCounts *tl_scene_get_counts (TlScene *self);
/** tl_scene_get_bin: Returns: the width of a voxel in pixels of the file; 1
 * before the first volume */
guint tl_scene_get_bin (TlScene *self);
/** tl_scene_get_box: Returns: (transfer none): what the newest volume shows;
 * its bin is tl_scene_get_bin() */
const TlBox *tl_scene_get_box (TlScene *self);
/** tl_scene_measure_whole: @n: (out): [3], voxels of the newest volume along
 * the columns, rows and slices of the whole one; 1 before the first */
void tl_scene_measure_whole (TlScene *self, double *n);
/** tl_scene_get_ms: Returns: what the newest volume took to be made, from
 * taking the request; 0: there is none */
double tl_scene_get_ms (TlScene *self);
/** tl_scene_get_growth: Returns: TlHeldState.serial of the frames of which the
 * newest volume was made, at least; 0: there is none, or the scan is not being
 * taken */
guint64 tl_scene_get_growth (TlScene *self);
/** tl_scene_count_bytes: Returns: the memory that projections and voxels take
 */
guint64 tl_scene_count_bytes (TlScene *self);
const char *tl_scene_get_problem (TlScene *self);
gboolean tl_scene_is_busy (TlScene *self);
/** tl_scene_is_making: Returns: whether a volume is being made */
gboolean tl_scene_is_making (TlScene *self);

const TlVolumeCamera *tl_scene_get_camera (TlScene *self);
/** tl_scene_set_camera: @camera: copied; its sizes do not count. */
void tl_scene_set_camera (TlScene *self, const TlVolumeCamera *camera);

gboolean tl_scene_is_in_box (TlScene *self);
/**
 * tl_scene_look_into_box:
 *
 * Into the box: the camera turns to it and shows all of it. If nothing is cut
 * away, the box becomes the part in the middle of the picture. Out of it: box,
 * zoom and place are again as before; the memory is given back.
 */
void tl_scene_look_into_box (TlScene *self, gboolean is_in_box);

/**
 * tl_scene_save_recipe:
 * @colours: its colour map, and the values of its ends, are written
 *
 * As tl_parameters_save(). If the volume of the open scan was shown, the recipe
 * has camera and look, too, so that the command render draws what is seen.
 *
 * Returns: %FALSE with an error of tl_recipe_save()
 */
gboolean tl_scene_save_recipe (TlScene *self, const TlVolumeLook *colours,
                               const char *path, GError **error);

/** tl_scene_cut_by_plane: Cuts away what is nearer to the viewer than the point
 * that is looked at, or no plane cuts any more. */
void tl_scene_cut_by_plane (TlScene *self, gboolean is_cut);
/** tl_scene_turn_plane: As tl_cut_plane_turn(), the last plane. Does nothing if
 * there is none, as the next one. */
void tl_scene_turn_plane (TlScene *self, double right_deg, double down_deg);
/** tl_scene_move_plane: As tl_cut_plane_move() */
void tl_scene_move_plane (TlScene *self, double part);

const TlVolumeLook *tl_scene_get_look (TlScene *self);
/** tl_scene_set_look: @look: copied; what is not given in it is chosen from the
 * voxels, once they are there. */
void tl_scene_set_look (TlScene *self, const TlVolumeLook *look);
/** tl_scene_shape_opacity: Gives the look the opacity of @shape in place
 * of its own, from the values of the newest volume. Returns: %FALSE if there is
 * none; then nothing was changed */
gboolean tl_scene_shape_opacity (TlScene *self, TlVolumeShape shape);
