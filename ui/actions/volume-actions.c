#include "ui/actions/actions-private.h"

#include "app/volume/scene.h"
#include "data/array.h"
#include "ui/view/widget.h"

#include <string.h>
#include <math.h>

static TlScene *
get_scene (gpointer session)
{
  return tl_session_get_scene (session);
}

/* --- states, from the scene --- */

/* The least threshold that the controls offer, of the highest value: 0 is none.
 */
#define LEAST_THRESHOLD 1e-3

/* A change of the hint emits no signal, but controls need the range. */
static void
update_threshold (GActionMap *map, const TlVolumeLook *look)
{
  const double least = fmax (look->low, LEAST_THRESHOLD * look->high);
  GVariant *state = g_variant_new_double (look->threshold);

  g_variant_ref_sink (state);
  g_simple_action_set_state_hint (
      tl_actions_find (map, "volume-threshold"),
      g_variant_new ("(dd)", MIN (least, look->threshold),
                     MAX (look->high, look->threshold)));
  tl_actions_set_state (map, "volume-threshold", state);
  g_action_group_action_state_changed (G_ACTION_GROUP (map), "volume-threshold",
                                       state);
  g_variant_unref (state);
}

static void
update_states (GActionMap *map)
{
  const TlVolumeLook *look =
      tl_scene_get_look (get_scene (tl_actions_get_session (map)));

  tl_actions_set_state (map, "volume-way",
                        g_variant_new_string (tl_volume_way_names[look->way]));
  tl_actions_set_state (map, "volume-box",
                        g_variant_new ("(dddddd)", look->box[0][0],
                                       look->box[0][1], look->box[1][0],
                                       look->box[1][1], look->box[2][0],
                                       look->box[2][1]));
  tl_actions_set_state (map, "cut-plane",
                        g_variant_new_boolean (look->n_planes > 0));
  tl_actions_set_state (map, "volume-transfer",
                        tl_volume_look_list_points (look));
  update_threshold (map, look);
}

static void
update_in_box (GActionMap *map)
{
  tl_actions_set_state (map, "look-into-box",
                        g_variant_new_boolean (tl_scene_is_in_box (
                            get_scene (tl_actions_get_session (map)))));
}

static void
update_enabled (GActionMap *map)
{
  TlSession *session = tl_actions_get_session (map);

  tl_actions_enable (map,
                     "volume-way volume-threshold volume-transfer "
                     "shape-opacity volume-box turn-volume look-along "
                     "reset-volume look-into-box cut-plane turn-plane "
                     "move-plane",
                     tl_display_get_page (session->display) == TL_PAGE_VOLUME);
}

/* --- handlers of the actions --- */

static void
change_way (GSimpleAction *action, GVariant *value, gpointer session)
{
  TlVolumeLook look = *tl_scene_get_look (get_scene (session));
  const int way =
      tl_names_index (tl_volume_way_names, g_variant_get_string (value, NULL));

  if (way < 0)
    return;
  look.way = (TlVolumeWay)way;
  tl_scene_set_look (get_scene (session), &look);
}

static void
change_threshold (GSimpleAction *action, GVariant *value, gpointer session)
{
  TlVolumeLook look = *tl_scene_get_look (get_scene (session));
  const double threshold = g_variant_get_double (value);

  if (!(threshold > 0 && threshold <= TL_VIEW_MAX))
    return;
  look.threshold = threshold;
  tl_scene_set_look (get_scene (session), &look);
}

/* Points whose values do not ascend, or with other opacities, are refused; none
 * at all: the volume decides. */
static void
change_transfer (GSimpleAction *action, GVariant *value, gpointer session)
{
  TlVolumeLook look = *tl_scene_get_look (get_scene (session));
  const gsize n = g_variant_n_children (value);
  gboolean good = n <= TL_MAX_VOLUME_POINTS;

  look.n_points = (guint)MIN (n, TL_MAX_VOLUME_POINTS);
  for (guint k = 0; k < look.n_points; k++)
    {
      TlVolumePoint *point = &look.points[k];

      g_variant_get_child (value, k, "(dd)", &point->value, &point->opacity);
      good = good && ABS (point->value) <= TL_VIEW_MAX && point->opacity >= 0
             && point->opacity <= 1
             && (k == 0 || point->value > look.points[k - 1].value);
    }
  if (good)
    tl_scene_set_look (get_scene (session), &look);
}

static void
shape_opacity (GSimpleAction *action, GVariant *value, gpointer session)
{
  TlVolumeShape shape;

  if (tl_volume_shape_parse (g_variant_get_string (value, NULL), &shape))
    tl_scene_shape_opacity (get_scene (session), shape);
}

/* A box that is empty, or beyond the volume, is refused. */
static void
change_box (GSimpleAction *action, GVariant *value, gpointer session)
{
  TlVolumeLook look = *tl_scene_get_look (get_scene (session));
  double (*box)[2] = look.box;
  gboolean good = TRUE;

  g_variant_get (value, "(dddddd)", &box[0][0], &box[0][1], &box[1][0],
                 &box[1][1], &box[2][0], &box[2][1]);
  for (guint k = 0; k < 3; k++)
    good = good && box[k][0] >= 0 && box[k][0] < box[k][1] && box[k][1] <= 1;
  if (good)
    tl_scene_set_look (get_scene (session), &look);
}

static void
look_into_box (GSimpleAction *action, GVariant *value, gpointer session)
{
  tl_scene_look_into_box (get_scene (session), g_variant_get_boolean (value));
}

static void
cut_plane (GSimpleAction *action, GVariant *value, gpointer session)
{
  tl_scene_cut_by_plane (get_scene (session), g_variant_get_boolean (value));
}

static void
turn_plane (GSimpleAction *action, GVariant *value, gpointer session)
{
  double right_deg, down_deg;

  g_variant_get (value, "(dd)", &right_deg, &down_deg);
  if (ABS (right_deg) <= 360 && ABS (down_deg) <= 360)
    tl_scene_turn_plane (get_scene (session), right_deg, down_deg);
}

static void
move_plane (GSimpleAction *action, GVariant *value, gpointer session)
{
  const double part = g_variant_get_double (value);

  if (ABS (part) <= 10)
    tl_scene_move_plane (get_scene (session), part);
}

static void
turn (GSimpleAction *action, GVariant *value, gpointer session)
{
  TlVolumeCamera camera = *tl_scene_get_camera (get_scene (session));
  double azimuth_deg, elevation_deg;

  g_variant_get (value, "(dd)", &azimuth_deg, &elevation_deg);
  if (!(ABS (azimuth_deg) <= 360 && ABS (elevation_deg) <= 360))
    return;
  tl_volume_camera_turn (&camera, azimuth_deg, elevation_deg);
  tl_scene_set_camera (get_scene (session), &camera);
}

/* Zoom and place stay. */
static void
look_along (GSimpleAction *action, GVariant *value, gpointer session)
{
  static const struct
  {
    const char *axis;
    double azimuth_deg, elevation_deg;
  } views[] = { { "x", -90, 0 }, { "y", 0, 0 }, { "z", 0, 90 } };
  TlVolumeCamera camera = *tl_scene_get_camera (get_scene (session));
  const char *axis = g_variant_get_string (value, NULL);

  for (guint k = 0; k < G_N_ELEMENTS (views); k++)
    if (strcmp (views[k].axis, axis) == 0)
      {
        camera.azimuth_deg = views[k].azimuth_deg;
        camera.elevation_deg = views[k].elevation_deg;
        tl_scene_set_camera (get_scene (session), &camera);
      }
}

static void
reset (GSimpleAction *action, GVariant *value, gpointer session)
{
  TlVolumeCamera camera;

  tl_volume_camera_init (&camera);
  tl_scene_set_camera (get_scene (session), &camera);
}

/* --- setting up --- */

void
tl_volume_actions_add (GActionMap *map, TlSession *session)
{
  static const GActionEntry entries[] = {
    { "volume-way", NULL, "s", "'emission'", change_way, { 0 } },
    { "volume-threshold", NULL, "d", "0.0", change_threshold, { 0 } },
    { "volume-transfer",
      NULL,
      "a(dd)",
      "[(0.0, 0.0)]",
      change_transfer,
      { 0 } },
    { "shape-opacity", shape_opacity, "s", NULL, NULL, { 0 } },
    { "volume-box",
      NULL,
      "(dddddd)",
      "(0.0, 1.0, 0.0, 1.0, 0.0, 1.0)",
      change_box,
      { 0 } },
    { "look-into-box", NULL, NULL, "false", look_into_box, { 0 } },
    { "cut-plane", NULL, NULL, "false", cut_plane, { 0 } },
    { "turn-plane", turn_plane, "(dd)", NULL, NULL, { 0 } },
    { "move-plane", move_plane, "d", NULL, NULL, { 0 } },
    { "turn-volume", turn, "(dd)", NULL, NULL, { 0 } },
    { "look-along", look_along, "s", NULL, NULL, { 0 } },
    { "reset-volume", reset, NULL, NULL, NULL, { 0 } },
  };

  g_action_map_add_action_entries (map, entries, G_N_ELEMENTS (entries),
                                   session);
  tl_follow (get_scene (session), "look", G_CALLBACK (update_states), map);
  tl_follow (get_scene (session), "in-box", G_CALLBACK (update_in_box), map);
  tl_follow (session->display, "picture", G_CALLBACK (update_enabled), map);
  update_states (map);
  update_enabled (map);
}
