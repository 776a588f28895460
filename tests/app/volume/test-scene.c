/* The volume in a session: what is made of which parameters, and when its
 * memory is given back. */
#include "app/volume/scene.h"
#include "app/resident/resident.h"
#include "tests/app/scratch.h"
#include "tests/app/session/session-fixture.h"

#include <glib/gstdio.h>
#include <string.h>

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

/* Compares the volume with one that is made from the file. */
static void
assert_volume (TlFixture *fixture)
{
  const TlRecipe *recipe =
      tl_parameters_get_recipe (fixture->session->parameters);
  const TlReaderOptions options = { .bin = BIN };
  g_autoptr (GError) error = NULL;
  TlReader *reader = tl_reader_open (fixture->scan, &options, &error);
  g_assert_no_error (error);
  g_autoptr (TlRecipe) level =
      tl_resident_dup_recipe (recipe, BIN, tl_reader_get_info (reader), &error);
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
  g_assert_cmpmem (got->n, sizeof got->n, want.n, sizeof want.n);
  for (size_t k = 0; k < n; k++)
    want.values[k] /= BIN;
  g_assert_cmpmem (got->values, n * sizeof (float), want.values,
                   n * sizeof (float));
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
  tl_parameters_set_centre (fixture->session->parameters, 71);
  wait (fixture);
  g_assert_true (tl_display_is_old (display));
  tl_display_set_page (display, TL_PAGE_PICTURE);
  g_assert_null (tl_scene_get_voxels (scene));
  g_assert_cmpuint (tl_scene_count_bytes (scene), ==, 0);
  g_assert_false (tl_scene_is_busy (scene));
  tl_session_wait_for (fixture->session, "busy", FALSE);
  g_assert_false (tl_display_is_old (display));
  g_assert_cmpuint (tl_display_get_status (display)->memory_bytes, ==,
                    engine_bytes);
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
}

/* A scan that is a little wider than the volume should be is not put into bins.
 * From so many voxels the look is chosen by a part of them, nearly as by all.
 */
static void
test_narrow (TlFixture *fixture, gconstpointer data)
{
  TlVolumeLook all;
  g_free (fixture->scan);
  fixture->scan =
      tl_scratch_phantom (fixture->folder, "narrow.h5", 50, 64, 192);
  tl_fixture_open_scan (fixture);
  TlScene *scene = enter (fixture);
  const TlVoxels *voxels = tl_scene_get_voxels (scene);
  g_assert_cmpuint (tl_scene_get_bin (scene), ==, 1);
  g_assert_cmpuint (voxels->n[0], ==, 192);
  tl_volume_look_init (&all);
  tl_volume_look_settle (&all, voxels->values, (size_t)192 * 192 * 64);
  const TlVolumeLook *look = tl_scene_get_look (scene);
  const double width = all.high - all.low;
  g_assert_cmpfloat_with_epsilon (look->threshold, all.threshold, PART * width);
  g_assert_cmpfloat_with_epsilon (look->low, all.low, PART * width);
  g_assert_cmpfloat_with_epsilon (look->high, all.high, PART * width);
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
    { "/scene/look", test_look },
    { "/scene/recipe", test_recipe },
    { "/scene/narrow", test_narrow },
    { "/scene/problem", test_problem },
  };
  return tl_fixture_run (argc, argv, set_up, cases, G_N_ELEMENTS (cases));
}
