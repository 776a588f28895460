/* The volume in a session: what is made of which parameters, and when its
 * memory is given back. */
#include "app/volume/scene.h"
#include "app/resident/resident.h"
#include "tests/app/scratch.h"
#include "tests/app/session/other-engine.h"
#include "tests/app/session/session-fixture.h"
#include "tests/support/made-frame.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

/* Of the largest value; 2.6e-7 was measured. The coordinates of pixels are
 * rounded otherwise in a slice that begins elsewhere. */
#define ROUNDING 1e-6

/* So wide that it is read in bins of 2. */
enum
{
  COLS = 200,
  ROWS = 11,
  BIN = 2,
  MANY = 12
};

/* Of the width of the colours, by which they differ if a part of the voxels
 * decides. */
#define PART 0.1

/* --- a device that the machine need not have --- */

static guint64 free_bytes;    /* of it; 0: there is none */
static gboolean keeps_frames; /* volumes stay on it */
static TlVoxels kept;         /* what it has */
static gulong slow_us;        /* that each volume takes besides */
static guint n_fast, n_full;  /* volumes in this precision */

guint64 __wrap_tl_engine_count_free (const char *name);
gboolean __real_tl_voxels_make_at_once (TlVoxels *voxels, TlRecon *recon,
                                        const TlRecipe *recipe, size_t first,
                                        size_t n_slices,
                                        GCancellable *cancellable,
                                        GError **error);
gboolean __wrap_tl_voxels_make_at_once (TlVoxels *voxels, TlRecon *recon,
                                        const TlRecipe *recipe, size_t first,
                                        size_t n_slices,
                                        GCancellable *cancellable,
                                        GError **error);

void __real_tl_engine_give_back (TlEngine *engine);
void __wrap_tl_engine_give_back (TlEngine *engine);

/* Of the engine's thread; read while it waits. */
static guint n_given_back;
static size_t bytes_left; /* in the engine then */

void
__wrap_tl_engine_give_back (TlEngine *engine)
{
  TlEngineReport report;
  __real_tl_engine_give_back (engine);
  g_assert_true (tl_engine_get_report (engine, &report, NULL));
  bytes_left = report.memory_bytes;
  n_given_back++;
}

guint64
__wrap_tl_engine_count_free (const char *name)
{
  return free_bytes;
}

/* Outside the circle a frame has anything. */
gboolean
__wrap_tl_voxels_make_at_once (TlVoxels *voxels, TlRecon *recon,
                               const TlRecipe *recipe, size_t first,
                               size_t n_slices, GCancellable *cancellable,
                               GError **error)
{
  if (!__real_tl_voxels_make_at_once (voxels, recon, recipe, first, n_slices,
                                      cancellable, error))
    return FALSE;
  g_usleep (slow_us);
  if (recipe->params.precision == TL_PRECISION_FAST)
    n_fast++;
  else
    n_full++;
  if (!keeps_frames)
    return TRUE;
  const size_t *n = voxels->n, n_all = n[0] * n[1] * n[2];
  voxels->frame = made_frame_new (TRUE, n[2], n[1], n[0]);
  for (size_t k = 0; k < n_all; k++)
    made_frame_get_data (voxels->frame)[k] =
        isnan (voxels->values[k]) ? 1000 : voxels->values[k];
  tl_voxels_clear (&kept);
  kept = *voxels;
  kept.frame = NULL;
  voxels->values = NULL;
  return TRUE;
}

/* --- the fixture --- */

/* The window draws a volume before the next one is asked for. */
static void
on_voxels (TlScene *scene)
{
  g_assert_true (tl_scene_get_voxels (scene) == NULL
                 || !tl_scene_is_making (scene));
}

static void
set_up (TlFixture *fixture, gconstpointer data)
{
  tl_fixture_set_up (fixture, data);
  g_free (fixture->scan);
  fixture->scan =
      tl_scratch_phantom (fixture->folder, "wide.h5", 61, ROWS, COLS);
  tl_fixture_open_scan (fixture);
  tl_parameters_set (fixture->session->parameters, "engine", "host", NULL);
  tl_session_wait_for (fixture->session, "busy", FALSE);
  g_signal_connect (tl_session_get_scene (fixture->session), "notify::voxels",
                    G_CALLBACK (on_voxels), NULL);
}

static void
wait (TlFixture *fixture)
{
  TlScene *scene = tl_session_get_scene (fixture->session);
  const guint id =
      g_timeout_add_seconds (TL_PATIENCE_S, tl_lose_patience, NULL);
  while (tl_scene_is_busy (scene))
    g_main_context_iteration (NULL, TRUE);
  g_source_remove (id);
}

static TlScene *
enter (TlFixture *fixture)
{
  TlScene *scene = tl_session_get_scene (fixture->session);
  tl_display_set_page (fixture->session->display, TL_PAGE_VOLUME);
  g_assert_true (tl_scene_is_busy (scene));
  wait (fixture);
  g_assert_cmpstr (tl_scene_get_problem (scene), ==, NULL);
  return scene;
}

/* Compares the voxels of @box with those of the whole volume, which is made
 * from the file in the same bins. */
static void
assert_part (const TlVoxels *got, const TlBox *box, const TlVoxels *whole,
             double tolerance)
{
  double worst = 0, most = 0;
  for (size_t z = 0; z < box->n[2]; z++)
    for (size_t y = 0; y < box->n[1]; y++)
      for (size_t x = 0; x < box->n[0]; x++)
        {
          const size_t row =
              (box->first[2] + z) * whole->n[1] + box->first[1] + y;
          const double want =
              whole->values[row * whole->n[0] + box->first[0] + x];
          const double value = got->values[(z * got->n[1] + y) * got->n[0] + x];
          g_assert_cmpint (isnan (value), ==, isnan (want));
          if (isnan (want))
            continue;
          worst = fmax (worst, fabs (value - want));
          most = fmax (most, fabs (want));
        }
  g_test_message ("error %g of %g", worst, most);
  g_assert_cmpfloat (worst, <=, tolerance * most);
}

/* Compares the volume with one that is made from the file. */
static void
assert_volume (TlFixture *fixture)
{
  const TlBox *box = tl_scene_get_box (tl_session_get_scene (fixture->session));
  const TlRecipe *recipe =
      tl_parameters_get_recipe (fixture->session->parameters);
  const TlReaderOptions options = { .bin = box->bin };
  g_autoptr (GError) error = NULL;
  TlReader *reader = tl_reader_open (fixture->scan, &options, &error);
  g_assert_no_error (error);
  g_autoptr (TlRecipe) level = tl_resident_dup_recipe (
      recipe, box->bin, tl_reader_get_info (reader), &error);
  g_assert_no_error (error);
  TlEngine *engine = tl_engine_open ("host", &error);
  g_assert_no_error (error);
  TlRecon *recon = tl_recon_new (reader, engine);
  TlVoxels want;
  tl_voxels_make (&want, recon, level, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  const TlVoxels *got =
      tl_scene_get_voxels (tl_session_get_scene (fixture->session));
  g_assert_nonnull (got);
  const size_t n = want.n[0] * want.n[1] * want.n[2];
  const TlBox whole = { .bin = box->bin,
                        .n = { want.n[0], want.n[1], want.n[2] } };
  const TlBox *shown = box->n[0] > 0 ? box : &whole;
  g_assert_cmpmem (got->n, sizeof got->n, shown->n, sizeof shown->n);
  for (size_t k = 0; k < n; k++)
    want.values[k] /= (float)box->bin;
  assert_part (got->values != NULL ? got : &kept, shown, &want,
               shown == box ? ROUNDING : 0);
  tl_voxels_clear (&want);
  tl_recon_free (recon);
  tl_engine_close (engine);
}

/* The width of a voxel is that of the volume there is, not of the next. */
static void
test_bin (TlFixture *fixture, gconstpointer data)
{
  TlScene *scene = tl_session_get_scene (fixture->session);
  tl_display_set_page (fixture->session->display, TL_PAGE_VOLUME);
  while (!tl_scene_is_making (scene))
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpuint (tl_scene_get_bin (scene), ==, 1);
  wait (fixture);
  g_assert_cmpuint (tl_scene_get_bin (scene), ==, BIN);
}

/* Centre, tilt, filter, cut-off and rings change the volume; the slice does
 * not, and no slice is made meanwhile. */
static void
test_follows (TlFixture *fixture, gconstpointer data)
{
  static const char *const changes[][2] = {
    { "centre", "70.25" }, { "tilt", "0.5" },      { "filter", "hann" },
    { "cutoff", "0.7" },   { "rings", "sorting" },
  };
  TlParameters *parameters = fixture->session->parameters;
  TlScene *scene = enter (fixture);
  g_assert_cmpuint (tl_scene_get_bin (scene), ==, BIN);
  assert_volume (fixture);
  const guint n_frames = fixture->n_frames;
  for (guint k = 0; k < G_N_ELEMENTS (changes); k++)
    {
      g_autoptr (GError) error = NULL;
      tl_parameters_set (parameters, changes[k][0], changes[k][1], &error);
      g_assert_no_error (error);
      g_assert_true (tl_scene_is_busy (scene));
      wait (fixture);
      assert_volume (fixture);
      g_assert_cmpfloat (tl_scene_get_ms (scene), >, 0);
    }
  tl_parameters_set (parameters, "slice", "1", NULL);
  g_assert_false (tl_scene_is_busy (scene));
  g_assert_cmpuint (fixture->n_frames, ==, n_frames);
}

static void
count (guint *n)
{
  (*n)++;
}

/* The newest parameters win: those between are left out. */
static void
test_newest_wins (TlFixture *fixture, gconstpointer data)
{
  TlScene *scene = enter (fixture);
  guint n = 0;
  g_signal_connect_swapped (scene, "notify::voxels", G_CALLBACK (count), &n);
  for (guint k = 0; k < MANY; k++)
    tl_parameters_set_centre (fixture->session->parameters, 70 + 0.25 * k);
  wait (fixture);
  g_assert_cmpuint (n, ==, 2);
  assert_volume (fixture);
}

/* The memory comes back when another page is shown, and the slice is made that
 * was left out. */
static void
test_memory (TlFixture *fixture, gconstpointer data)
{
  TlDisplay *display = fixture->session->display;
  const gsize engine_bytes = tl_display_get_status (display)->memory_bytes;
  TlScene *scene = enter (fixture);
  const TlVoxels *voxels = tl_scene_get_voxels (scene);
  const guint64 voxel_bytes =
      voxels->n[0] * voxels->n[1] * voxels->n[2] * sizeof (float);
  g_assert_cmpuint (tl_scene_count_bytes (scene), >, voxel_bytes);
  g_assert_cmpuint (tl_display_get_held_bytes (display), ==,
                    tl_scene_count_bytes (scene));
  tl_parameters_set_centre (fixture->session->parameters, 71);
  wait (fixture);
  g_assert_true (tl_display_is_old (display));
  const guint n_before = n_given_back;
  tl_display_set_page (display, TL_PAGE_PICTURE);
  g_assert_null (tl_scene_get_voxels (scene));
  g_assert_cmpuint (tl_scene_count_bytes (scene), ==, 0);
  g_assert_cmpuint (tl_display_get_held_bytes (display), ==, 0);
  g_assert_false (tl_scene_is_busy (scene));
  tl_session_wait_for (fixture->session, "busy", FALSE);
  g_assert_false (tl_display_is_old (display));
  g_assert_cmpuint (n_given_back, ==, n_before + 1);
  g_assert_cmpuint (bytes_left, ==, 0);
  g_assert_cmpuint (tl_display_get_status (display)->memory_bytes, ==,
                    engine_bytes);
  /* slices follow each other in the same memory */
  tl_parameters_set_centre (fixture->session->parameters, 70);
  tl_session_wait_for (fixture->session, "busy", FALSE);
  g_assert_cmpuint (n_given_back, ==, n_before + 1);
  /* the engine lets go of the volume even if the slice was not old */
  enter (fixture);
  const guint n_frames = fixture->n_frames;
  tl_display_set_page (display, TL_PAGE_PICTURE);
  tl_session_wait_for (fixture->session, "busy", FALSE);
  g_assert_cmpuint (fixture->n_frames, ==, n_frames + 1);
  g_assert_cmpuint (tl_display_get_status (display)->memory_bytes, ==,
                    engine_bytes);
  /* and again, left before it is loaded */
  tl_display_set_page (display, TL_PAGE_VOLUME);
  tl_display_set_page (display, TL_PAGE_CANDIDATES);
  g_assert_false (tl_scene_is_busy (scene));
  enter (fixture);
  assert_volume (fixture);
}

/* Planes need as many rows as a volume, and another scan may be smaller. */
static void
test_engine_memory (TlFixture *fixture, gconstpointer data)
{
  TlDisplay *display = fixture->session->display;
  const guint n_before = n_given_back;
  tl_display_set_picture (display, TL_PICTURE_PLANES);
  tl_session_wait_for (fixture->session, "busy", FALSE);
  g_assert_cmpuint (n_given_back, ==, n_before);
  tl_display_set_picture (display, TL_PICTURE_SLICE);
  tl_session_wait_for (fixture->session, "busy", FALSE);
  g_assert_cmpuint (n_given_back, ==, n_before + 1);
  tl_fixture_open_scan (fixture);
  g_assert_cmpuint (n_given_back, ==, n_before + 2);
  g_assert_cmpuint (bytes_left, ==, 0);
}

/* The look is settled once, is the user's then, and is settled anew for another
 * scan, which is loaded when it is open. */
static void
test_look (TlFixture *fixture, gconstpointer data)
{
  TlScene *scene = enter (fixture);
  TlVolumeLook look = *tl_scene_get_look (scene);
  const double threshold = look.threshold;
  g_assert_cmpfloat (look.low, <, look.high);
  g_assert_cmpuint (look.n_points, >, 0);
  look.threshold = 2 * threshold;
  tl_scene_set_look (scene, &look);
  tl_parameters_set_centre (fixture->session->parameters, 60);
  wait (fixture);
  g_assert_cmpfloat (tl_scene_get_look (scene)->threshold, ==, 2 * threshold);
  look.threshold = 0;
  tl_scene_set_look (scene, &look);
  g_assert_cmpfloat (tl_scene_get_look (scene)->threshold, >, 0);

  look.threshold = 1000;
  tl_scene_set_look (scene, &look);
  g_free (fixture->scan);
  fixture->scan =
      tl_scratch_phantom (fixture->folder, "other.h5", 50, ROWS, COLS);
  tl_fixture_open_scan (fixture);
  wait (fixture);
  g_assert_cmpfloat (tl_scene_get_look (scene)->threshold, <, 1000);
  assert_volume (fixture);

  /* a recipe that says it */
  tl_parameters_set (fixture->session->parameters, "threshold", "0.125", NULL);
  tl_display_set_page (fixture->session->display, TL_PAGE_PICTURE);
  tl_fixture_open_scan (fixture);
  enter (fixture);
  g_assert_cmpfloat (tl_scene_get_look (scene)->threshold, ==, 0.125);
}

/* A saved recipe has what is seen, and shows it again. */
static void
test_recipe (TlFixture *fixture, gconstpointer data)
{
  const TlVolumeLook colours = { .low = -1, .high = 2, .colormap = 1 };
  g_autofree char *path = tl_scratch_path (fixture->folder, "seen.ini");
  g_autoptr (GError) error = NULL;
  TlScene *scene = tl_session_get_scene (fixture->session);
  TlVolumeCamera camera;
  tl_scene_save_recipe (scene, &colours, path, &error);
  g_assert_no_error (error);
  g_autoptr (TlRecipe) plain = tl_recipe_load (path, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (plain->look.threshold, ==, 0);

  enter (fixture);
  camera = *tl_scene_get_camera (scene);
  tl_volume_camera_turn (&camera, 12.5, -5);
  tl_scene_set_camera (scene, &camera);
  TlVolumeLook look = *tl_scene_get_look (scene);
  look.way = TL_VOLUME_SURFACE;
  look.box[1][0] = 0.25;
  tl_scene_set_look (scene, &look);
  tl_scene_cut_by_plane (scene, TRUE);
  tl_scene_move_plane (scene, 0.1);
  tl_scene_turn_plane (scene, 10, 20);
  const TlCutPlane plane = tl_scene_get_look (scene)->planes[0];
  tl_scene_save_recipe (scene, &colours, path, &error);
  g_assert_no_error (error);
  g_autoptr (TlRecipe) seen = tl_recipe_load (path, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (seen->camera.azimuth_deg, ==, camera.azimuth_deg);
  g_assert_cmpuint (seen->look.way, ==, TL_VOLUME_SURFACE);
  g_assert_cmpfloat_with_epsilon (seen->look.threshold, look.threshold, 1e-9);
  g_assert_cmpfloat (seen->look.low, ==, -1);
  g_assert_cmpuint (seen->look.colormap, ==, 1);

  tl_volume_camera_init (&camera);
  tl_scene_set_camera (scene, &camera);
  look.way = TL_VOLUME_MAXIMUM;
  look.box[1][0] = 0;
  tl_scene_set_look (scene, &look);
  tl_session_open (fixture->session, path);
  wait (fixture);
  g_assert_cmpfloat (tl_scene_get_camera (scene)->azimuth_deg, ==,
                     seen->camera.azimuth_deg);
  g_assert_cmpuint (tl_scene_get_look (scene)->way, ==, TL_VOLUME_SURFACE);
  g_assert_cmpfloat (tl_scene_get_look (scene)->box[1][0], ==, 0.25);
  g_assert_cmpuint (tl_scene_get_look (scene)->n_planes, ==, 1);
  for (guint k = 0; k < 3; k++)
    {
      const TlCutPlane *got = &tl_scene_get_look (scene)->planes[0];
      g_assert_cmpfloat_with_epsilon (got->point[k], plane.point[k], 1e-9);
      g_assert_cmpfloat_with_epsilon (got->direction[k], plane.direction[k],
                                      1e-9);
    }
  tl_scene_cut_by_plane (scene, FALSE);
  tl_scene_turn_plane (scene, 10, 20); /* there is none */
  g_assert_cmpuint (tl_scene_get_look (scene)->n_planes, ==, 0);
}

/* A scan that is a little wider than the volume should be is not put into bins.
 * From so many voxels the look is chosen by a part of them, nearly as by all.
 */
static void
test_narrow (TlFixture *fixture, gconstpointer data)
{
  TlVolumeClasses all;
  g_free (fixture->scan);
  fixture->scan =
      tl_scratch_phantom (fixture->folder, "narrow.h5", 50, 64, 192);
  tl_fixture_open_scan (fixture);
  TlScene *scene = enter (fixture);
  const TlVoxels *voxels = tl_scene_get_voxels (scene);
  g_assert_cmpuint (tl_scene_get_bin (scene), ==, 1);
  g_assert_cmpuint (voxels->n[0], ==, 192);
  tl_volume_find_classes (voxels->values, (size_t)192 * 192 * 64, &all);
  const TlVolumeLook *look = tl_scene_get_look (scene);
  const double width = all.high - all.low;
  g_assert_cmpfloat_with_epsilon (look->threshold, all.threshold, PART * width);
  g_assert_cmpfloat_with_epsilon (look->low, all.low, PART * width);
  g_assert_cmpfloat_with_epsilon (look->high, all.high, PART * width);
}

/* --- the box --- */

static void
set_box (TlScene *scene, double first, double last)
{
  const double box[3][2] = { { first, last }, { 0.3, 0.8 }, { 0.1, 0.7 } };
  TlVolumeLook look = *tl_scene_get_look (scene);
  memcpy (look.box, box, sizeof look.box);
  tl_scene_set_look (scene, &look);
}

/* Cuts a box out of the volume and looks into it. */
static TlScene *
enter_box (TlFixture *fixture)
{
  TlScene *scene = enter (fixture);
  set_box (scene, 0.2, 0.6);
  g_assert_false (tl_scene_is_busy (scene));
  tl_scene_look_into_box (scene, TRUE);
  g_assert_true (tl_scene_is_busy (scene));
  wait (fixture);
  g_assert_cmpstr (tl_scene_get_problem (scene), ==, NULL);
  return scene;
}

/* The box has the voxels that a whole volume of these bins has there, whatever
 * the parameters are, and the rows that tilt and phase retrieval need. */
static void
test_box (TlFixture *fixture, gconstpointer data)
{
  static const char *const changes[][2] = {
    { "centre", "97.25" }, { "tilt", "0.5" },      { "filter", "hann" },
    { "cutoff", "0.7" },   { "rings", "sorting" }, { "tilt", "0" },
  };
  TlScene *scene = enter_box (fixture);
  const TlBox *box = tl_scene_get_box (scene);
  g_assert_cmpuint (box->bin, ==, 1);
  g_assert_false (box->is_limited);
  g_assert_cmpuint (box->first[0], ==, 40);
  g_assert_cmpuint (box->n[0], ==, 80);
  g_assert_cmpfloat_with_epsilon (box->part[0][0], 0.2, 1e-9);
  g_assert_cmpuint (box->first[2], ==, 1);
  g_assert_cmpuint (box->n[2], ==, 6);
  assert_volume (fixture);
  for (guint k = 0; k < G_N_ELEMENTS (changes); k++)
    {
      g_autoptr (GError) error = NULL;
      tl_parameters_set (fixture->session->parameters, changes[k][0],
                         changes[k][1], &error);
      g_assert_no_error (error);
      wait (fixture);
      g_assert_cmpuint (box->bin, ==, 1);
      assert_volume (fixture);
    }
}

/* The newest box wins; one that is too large is made as the whole. */
static void
test_box_moves (TlFixture *fixture, gconstpointer data)
{
  TlScene *scene = enter_box (fixture);
  const TlBox *box = tl_scene_get_box (scene);
  guint n = 0;
  g_signal_connect_swapped (scene, "notify::voxels", G_CALLBACK (count), &n);
  for (guint k = 0; k < MANY; k++)
    set_box (scene, 0.2, 0.5 + 0.02 * k);
  wait (fixture);
  g_assert_cmpuint (n, <=, 2);
  g_assert_cmpuint (box->n[0], ==, 104);
  assert_volume (fixture);

  TlVolumeLook look = *tl_scene_get_look (scene);
  look.box[2][0] = 0;
  look.box[2][1] = 1; /* other rows */
  tl_scene_set_look (scene, &look);
  g_assert_true (tl_scene_is_busy (scene));
  g_assert_nonnull (tl_scene_get_voxels (scene));
  wait (fixture);
  g_assert_cmpuint (box->n[2], ==, ROWS - 1);
  assert_volume (fixture);
}

/* When the box is left the memory of its rows comes back, and so does the view;
 * also when the page is left, which returns to the box later. */
static void
test_box_memory (TlFixture *fixture, gconstpointer data)
{
  TlScene *scene = enter (fixture);
  const guint64 bytes = tl_scene_count_bytes (scene);
  const double zoom = tl_scene_get_camera (scene)->zoom;
  tl_scene_look_into_box (scene, TRUE);
  wait (fixture);
  g_assert_true (tl_scene_is_in_box (scene));
  g_assert_cmpuint (tl_scene_get_bin (scene), ==, 1);
  g_assert_cmpfloat (tl_scene_get_look (scene)->box[0][0], ==, 0.25);
  g_assert_cmpfloat (tl_scene_get_look (scene)->box[0][1], ==, 0.75);
  g_assert_cmpfloat_with_epsilon (tl_scene_get_camera (scene)->zoom, 2 * zoom,
                                  1e-9);
  g_assert_cmpuint (tl_scene_count_bytes (scene), >, bytes);
  tl_scene_look_into_box (scene, FALSE);
  wait (fixture);
  g_assert_cmpuint (tl_scene_get_bin (scene), ==, BIN);
  g_assert_cmpuint (tl_scene_count_bytes (scene), ==, bytes);
  g_assert_cmpfloat (tl_scene_get_look (scene)->box[0][1], ==, 1);
  g_assert_cmpfloat (tl_scene_get_camera (scene)->zoom, ==, zoom);
  assert_volume (fixture);

  tl_scene_look_into_box (scene, TRUE);
  tl_display_set_page (fixture->session->display, TL_PAGE_PICTURE);
  g_assert_cmpuint (tl_scene_count_bytes (scene), ==, 0);
  enter (fixture);
  g_assert_cmpuint (tl_scene_get_bin (scene), ==, 1);
  assert_volume (fixture);

  /* another scan is seen whole */
  tl_fixture_open_scan (fixture);
  wait (fixture);
  g_assert_false (tl_scene_is_in_box (scene));
  g_assert_cmpuint (tl_scene_get_bin (scene), ==, BIN);
}

static void
plan (TlFixture *fixture, const TlBoxLimits *limits, guint bin,
      gboolean is_limited)
{
  TlSession *session = fixture->session;
  const double part[3][2] = { { 0.2, 0.6 }, { 0.3, 0.8 }, { 0, 1 } };
  TlBox box;
  const gboolean is_finer = tl_box_plan (
      &box, tl_parameters_get_recipe (session->parameters),
      tl_scan_source_get_summary (session->source), 4, part, limits);
  g_assert_cmpint (is_finer, ==, bin < 4);
  g_assert_cmpuint (box.bin, ==, bin);
  g_assert_cmpint (box.is_limited, ==, is_limited);
}

/* The finest bin that the limits allow; only memory is told of. */
static void
test_box_limits (TlFixture *fixture, gconstpointer data)
{
  enum
  {
    USED = ROWS / 4 * 4 /* by the whole volume */
  };
  g_autoptr (TlReader) reader = tl_reader_open (fixture->scan, NULL, NULL);
  const guint64 bytes =
      tl_held_copy_count_row_bytes (tl_reader_get_info (reader), USED);
  const size_t n = 80 * 100 * USED, all = 100 * 100 * ROWS;
  const guint64 enough = G_MAXUINT64, device = (guint64)1 << 40;
  const struct
  {
    TlBoxLimits limits;
    guint bin;
    gboolean is_limited;
  } cases[] = {
    { { all, bytes, 0, 0 }, 1, FALSE },
    { { all, bytes - 100, 0, 0 }, 2, TRUE },
    { { n - 1, enough, 0, 0 }, 2, FALSE },
    { { all, 100, 0, 0 }, 4, TRUE },
    { { 10, enough, 0, 0 }, 4, FALSE },
    /* a device */
    { { n - 1, enough, n, device }, 1, FALSE },
    { { n - 1, enough, n - 1, device }, 2, FALSE },
    { { n - 1, enough, n, 100 }, 2, TRUE },
    { { n - 1, enough, n, 0 }, 2, FALSE },
    { { n, enough, n, 100 }, 1, FALSE },
    { { n - 1, 100, n, device }, 4, TRUE },
  };
  for (guint k = 0; k < G_N_ELEMENTS (cases); k++)
    plan (fixture, &cases[k].limits, cases[k].bin, cases[k].is_limited);
}

/* Returns: the least free memory of a device, in GiB, that a cube of @n voxels
 * fits in */
static double
find_room (const TlRecipe *recipe, const TlScanSummary *scan, size_t n)
{
  const TlBox box = { .bin = 1, .n = { n, n, n }, .n_rows = n };
  guint64 least = 0, most = (guint64)1 << 42;
  while (most - least > 1)
    {
      const guint64 middle = least + (most - least) / 2;
      if (tl_box_fits (&box, recipe, scan, middle))
        most = middle;
      else
        least = middle;
    }
  return (double)most / (1 << 30);
}

/* Memory of the whole volume, and of a part in single pixels of a large scan,
 * with which an H200 (139 GiB) can do. Corrections take more. */
static void
test_box_fits (TlFixture *fixture, gconstpointer data)
{
  TlScanSummary coarse = {
    .n_projections = 512, .n_rows = 512, .n_cols = 512, .type = TL_SAMPLE_F32
  };
  TlScanSummary fine = {
    .n_projections = 2048, .n_rows = 2048, .n_cols = 2048, .type = TL_SAMPLE_U16
  };
  g_autoptr (TlRecipe) recipe = tl_recipe_new ();
  recipe->bin = 1;
  const double whole = find_room (recipe, &coarse, 512);
  const double part = find_room (recipe, &fine, 512);
  g_test_message ("%.1f GiB, %.1f GiB", whole, part);
  g_assert_cmpfloat_with_epsilon (0.7 * whole, 6, 1);
  g_assert_cmpfloat_with_epsilon (0.7 * part, 60, 5);
  g_assert_cmpfloat (find_room (recipe, &fine, 256), <, 0.6 * part);
  recipe->params.rings = TL_RINGS_SORTING;
  recipe->params.zingers = TRUE;
  g_assert_cmpfloat (find_room (recipe, &fine, 512), >, part + 20);
  g_assert_cmpfloat (find_room (recipe, &fine, 512), <, 139);
}

static void
note_bin (TlScene *scene, GParamSpec *pspec, GArray *bins)
{
  const guint bin = tl_scene_get_bin (scene);
  if (tl_scene_get_voxels (scene) != NULL)
    g_array_append_val (bins, bin);
}

/* Opens a scan on a device that this machine has not. Returns: the scene */
static TlScene *
enter_device (TlFixture *fixture, size_t n_projections, size_t n_rows,
              size_t n_cols, guint64 n_free)
{
  free_bytes = n_free;
  g_free (fixture->scan);
  fixture->scan = tl_scratch_phantom (fixture->folder, "device.h5",
                                      n_projections, n_rows, n_cols);
  tl_fixture_open_scan (fixture);
  return enter (fixture);
}

/* Of a volume that no sanitizer makes slow. */
#define FEW_ROWS 8

/* Changes the centre many times, and asserts what is made: for the first and
 * for the last change in fast precision and in bins of @bin, and at rest the
 * finest volume. */
static void
drag (TlFixture *fixture, GArray *bins, double first_col, guint bin)
{
  g_array_set_size (bins, 0);
  n_fast = n_full = 0;
  for (guint k = 0; k < MANY; k++)
    tl_parameters_set_centre (fixture->session->parameters,
                              first_col + 0.25 * k);
  wait (fixture);
  const guint *all = (const guint *)(gpointer)bins->data;
  g_assert_cmpuint (n_fast, ==, 2);
  g_assert_cmpuint (n_full, ==, 1);
  g_assert_cmpuint (bins->len, ==, 3);
  g_assert_cmpuint (all[0], ==, bin);
  g_assert_cmpuint (all[1], ==, bin);
  g_assert_cmpuint (all[2], ==, 1);
  assert_volume (fixture);
}

/* A device has finer projections too. Where their volume takes long, which the
 * first drag shows, the coarser one follows changes, and the finer one comes
 * when it is quiet, which may be quick again. */
static void
test_levels (TlFixture *fixture, gconstpointer data)
{
  TlScene *scene = tl_session_get_scene (fixture->session);
  g_autoptr (GArray) bins = g_array_new (FALSE, FALSE, sizeof (guint));
  g_signal_connect (scene, "notify::voxels", G_CALLBACK (note_bin), bins);
  slow_us = (gulong)(1500 * TL_SCENE_FOLLOW_MS);
  enter_device (fixture, 20, FEW_ROWS, COLS, (guint64)1 << 40);
  g_assert_cmpuint (tl_scene_get_bin (scene), ==, 1);
  assert_volume (fixture);
  drag (fixture, bins, 97, 1);
  drag (fixture, bins, 97.1, BIN);
  slow_us = 0;
  drag (fixture, bins, 97, BIN);
  drag (fixture, bins, 97.1, 1);
  tl_parameters_set_centre (fixture->session->parameters, 98);
  tl_display_set_page (fixture->session->display, TL_PAGE_PICTURE);
  g_assert_false (tl_scene_is_busy (scene));
  free_bytes = 0;
  g_signal_handlers_disconnect_by_data (scene, bins);
}

/* Another engine, chosen while the volume is shown, has other levels, although
 * the last slice was made by the one before. */
static void
test_engine (TlFixture *fixture, gconstpointer data)
{
  TlScene *scene = enter_device (fixture, 50, ROWS, COLS, 0);
  g_assert_cmpuint (tl_scene_get_bin (scene), ==, BIN);
  free_bytes = (guint64)1 << 40;
  tl_play_other_engine (TRUE);
  tl_parameters_set (fixture->session->parameters, "engine", "auto", NULL);
  wait (fixture);
  g_assert_cmpuint (tl_scene_get_bin (scene), ==, 1);
  free_bytes = 0;
  tl_play_other_engine (FALSE);
  tl_parameters_set (fixture->session->parameters, "engine", "host", NULL);
  wait (fixture);
  g_assert_cmpuint (tl_scene_get_bin (scene), ==, BIN);
}

/* A scan of one row has no room for bins. */
static void
test_low (TlFixture *fixture, gconstpointer data)
{
  g_free (fixture->scan);
  fixture->scan = tl_scratch_phantom (fixture->folder, "low.h5", 50, 1, 200);
  tl_fixture_open_scan (fixture);
  TlScene *scene = enter (fixture);
  const TlVoxels *voxels = tl_scene_get_voxels (scene);
  g_assert_cmpuint (tl_scene_get_bin (scene), ==, 1);
  g_assert_cmpuint (voxels->n[0], ==, 200);
  g_assert_cmpuint (voxels->n[2], ==, 1);
}

/* Voxels stay on a device, which says something about them by a part. */
static void
test_device (TlFixture *fixture, gconstpointer data)
{
  TlVolumeClasses all;
  TlVolumeLook open;
  keeps_frames = TRUE;
  TlScene *scene = enter_device (fixture, 50, 32, COLS, (guint64)1 << 40);
  const TlVoxels *voxels = tl_scene_get_voxels (scene);
  g_assert_null (voxels->values);
  g_assert_null (tl_frame_get_pixels (voxels->frame));
  g_assert_cmpfloat (voxels->factor, ==, 1);
  tl_volume_look_init (&open);
  tl_scene_set_look (scene, &open); /* chosen again, from the finest */
  tl_volume_find_classes (kept.values, kept.n[0] * kept.n[1] * kept.n[2], &all);
  const TlVolumeLook *look = tl_scene_get_look (scene);
  const double width = all.high - all.low;
  g_assert_cmpfloat_with_epsilon (look->threshold, all.threshold, PART * width);
  g_assert_cmpfloat_with_epsilon (look->low, all.low, PART * width);
  g_assert_cmpfloat_with_epsilon (look->high, all.high, PART * width);
  const TlVoxelCounts *counts = tl_scene_get_counts (scene);
  guint64 n = 0;
  for (guint k = 0; k < TL_N_VOXEL_BINS; k++)
    n += counts->bins[k];
  g_assert_cmpuint (n, >, 37000); /* 247 rows, 157 of 200 columns */
  g_assert_cmpuint (n, <, 40000);

  tl_scene_set_fetches (scene, TRUE);
  tl_parameters_set_centre (fixture->session->parameters, 98);
  wait (fixture);
  g_assert_nonnull (tl_frame_get_pixels (tl_scene_get_voxels (scene)->frame));
  tl_voxels_clear (&kept);
  keeps_frames = FALSE;
  free_bytes = 0;
}

/* A box stays on a device that has room for its rows, if not for all. */
static void
test_box_device (TlFixture *fixture, gconstpointer data)
{
  enum
  {
    N_PROJECTIONS = 50
  };
  const TlScanSummary scan = { .n_projections = N_PROJECTIONS,
                               .n_rows = ROWS,
                               .n_cols = 2 * COLS,
                               .type = TL_SAMPLE_U16,
                               .steps.in_order = TRUE };
  guint64 n_free = 1 << 20;
  TlBox whole;
  tl_box_init_whole (&whole, 1);
  while (!tl_box_fits (&whole,
                       tl_parameters_get_recipe (fixture->session->parameters),
                       &scan, n_free))
    n_free += n_free / 16;
  TlScene *scene =
      enter_device (fixture, N_PROJECTIONS, ROWS, 2 * COLS, n_free * 3 / 4);
  keeps_frames = TRUE;
  g_assert_cmpuint (tl_scene_get_bin (scene), ==, 2);
  set_box (scene, 0.2, 0.6);
  tl_scene_look_into_box (scene, TRUE);
  wait (fixture);
  g_assert_cmpuint (tl_scene_get_bin (scene), ==, 1);
  g_assert_cmpuint (tl_scene_get_box (scene)->n[0], ==, 160);
  g_assert_nonnull (tl_scene_get_voxels (scene)->frame);
  g_assert_cmpfloat (tl_scene_get_voxels (scene)->circle.col, ==, 199.5 - 80);
  g_assert_cmpfloat (tl_scene_get_voxels (scene)->circle.radius, ==, 200);
  assert_volume (fixture);
  tl_voxels_clear (&kept);
  keeps_frames = FALSE;
  free_bytes = 0;
}

/* A scan that cannot be read any more is told. */
static void
test_problem (TlFixture *fixture, gconstpointer data)
{
  TlScene *scene = tl_session_get_scene (fixture->session);
  g_assert_cmpint (g_unlink (fixture->scan), ==, 0);
  tl_display_set_page (fixture->session->display, TL_PAGE_VOLUME);
  wait (fixture);
  g_assert_nonnull (strstr (tl_scene_get_problem (scene), "wide.h5"));
  tl_display_set_page (fixture->session->display, TL_PAGE_PICTURE);
  g_assert_null (tl_scene_get_problem (scene));
}

int
main (int argc, char **argv)
{
  static const TlFixtureCase cases[] = {
    { "/scene/bin", test_bin },
    { "/scene/follows", test_follows },
    { "/scene/newest-wins", test_newest_wins },
    { "/scene/memory", test_memory },
    { "/scene/engine-memory", test_engine_memory },
    { "/scene/look", test_look },
    { "/scene/recipe", test_recipe },
    { "/scene/narrow", test_narrow },
    { "/scene/low", test_low },
    { "/scene/levels", test_levels },
    { "/scene/engine", test_engine },
    { "/scene/device", test_device },
    { "/scene/problem", test_problem },
    { "/scene/box", test_box },
    { "/scene/box/moves", test_box_moves },
    { "/scene/box/memory", test_box_memory },
    { "/scene/box/limits", test_box_limits },
    { "/scene/box/fits", test_box_fits },
    { "/scene/box/device", test_box_device },
  };
  return tl_fixture_run (argc, argv, set_up, cases, G_N_ELEMENTS (cases));
}
