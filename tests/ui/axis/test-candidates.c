/* The page with the candidates for the axis, by mouse and keyboard. */
#include "tests/ui/driver.h"

#include "app/axis/candidates/candidates.h"
#include "ui/candidates/candidate-text.h"
#include "ui/candidates/candidate-tiles.h"

#include <math.h>

#define START_CENTRE 44.0
/* For the sharpest candidate, at a step of 0.2 and 90 projections. */
#define FINE_TOLERANCE 0.3
/* For positions in the slice that are set with the pointer, in its pixels. */
#define PLACE_TOLERANCE 0.75
#define SCALE_TOLERANCE 1e-6
/* For a grey on the screen, in steps of 1/255: the tile's pixels differ from
 * the slice's. */
#define GREY_TOLERANCE 12

static TlCandidates *
get_candidates (Driver *driver)
{
  return tl_session_get_candidates (driver->session);
}

/* Opens the scan, sets the axis some columns off, and shows the page. */
static void
enter (Driver *driver)
{
  driver_open (driver);
  driver_activate (driver, "centre", g_variant_new_double (START_CENTRE));
  driver_activate (driver, "candidates-step", g_variant_new_double (1));
  driver_settle (driver);
  driver_xdotool (driver, "mousemove 30 1000 key g");
  driver_assert_state (driver, "view", "'candidates'");
  driver_wait_for_candidates (driver);
}

/* Gets a position on the screen; @part_x and @part_y are fractions of the
 * tile's picture. */
static void
locate (Driver *driver, guint index, double part_x, double part_y, int *x,
        int *y)
{
  TlCandidatesGrid *grid = driver_get_candidates_grid (driver);
  const TlTileLayout *layout = tl_candidates_grid_get_layout (grid);
  double left, top;

  tl_tile_layout_place (layout, index, &left, &top);
  driver_locate (driver, GTK_WIDGET (grid), left + part_x * layout->width,
                 top + part_y * layout->height, x, y);
}

static void
click (Driver *driver, guint index)
{
  int x, y;

  locate (driver, index, 0.5, 0.5, &x, &y);
  driver_xdotool (driver, "mousemove %d %d click 1", x, y);
}

static double
get_centre (Driver *driver, guint index)
{
  return tl_candidates_get (get_candidates (driver), index)->centre_col;
}

/* --- choosing --- */

static void
test_without_scan (Driver *driver)
{
  static const char *const names[] = { "candidates",
                                       "candidates-step",
                                       "candidates-region",
                                       "candidates-metric",
                                       "finer",
                                       "coarser",
                                       "adopt" };

  driver_assert_disabled (driver, names, G_N_ELEMENTS (names));
  driver_activate (driver, "view", g_variant_new_string ("candidates"));
  driver_assert_state (driver, "view", "'slice'");
}

static void
test_choose (Driver *driver)
{
  TlParameters *parameters = driver->session->parameters;
  TlCandidates *candidates = get_candidates (driver);
  g_autoptr (GdkTexture) shot = NULL;
  guint best;

  if (driver_lacks ("xdotool"))
    return;
  enter (driver);
  g_assert_cmpint (tl_candidates_get_chosen (candidates), ==,
                   (int)tl_candidates_get_n (candidates) / 2);
  best = (guint)tl_candidates_get_best (candidates);
  g_assert_cmpfloat_with_epsilon (get_centre (driver, best), SCAN_CENTRE, 0.5);
  shot = driver_shoot (driver, "candidates");
  click (driver, best);
  driver_wait_for_candidates (driver);
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==,
                     get_centre (driver, best));
  g_assert_cmpint (tl_candidates_get_chosen (candidates), ==, (int)best);
  /* the candidate has stayed under the pointer */
  g_assert_cmpfloat_with_epsilon (get_centre (driver, best), SCAN_CENTRE, 0.5);
  driver_xdotool (driver, "key comma");
  driver_wait_for_candidates (driver);
  driver_assert_state (driver, "candidates-step", "0.5");
  g_assert_cmpfloat (get_centre (driver, tl_candidates_get_n (candidates) / 2),
                     ==, tl_parameters_get_centre (parameters));
  driver_xdotool (driver, "key comma");
  driver_wait_for_candidates (driver);
  best = (guint)tl_candidates_get_best (candidates);
  g_assert_cmpfloat_with_epsilon (get_centre (driver, best), SCAN_CENTRE,
                                  FINE_TOLERANCE);
  driver_xdotool (driver, "key period");
  driver_wait_for_candidates (driver);
  driver_assert_state (driver, "candidates-step", "0.5");
  driver_xdotool (driver, "key ctrl+z");
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==, START_CENTRE);
}

static char *
get_label (Driver *driver)
{
  TlCandidatesGrid *grid = driver_get_candidates_grid (driver);

  return tl_candidate_text_label (get_candidates (driver),
                                  tl_candidates_grid_get_focus (grid));
}

static void
test_keys (Driver *driver)
{
  TlParameters *parameters = driver->session->parameters;
  TlCandidatesGrid *grid = driver_get_candidates_grid (driver);
  g_autofree char *label = NULL;
  guint n_cols;

  if (driver_lacks ("xdotool"))
    return;
  enter (driver);
  n_cols = tl_candidates_grid_get_layout (grid)->n_cols;
  g_assert_true (gtk_widget_has_focus (GTK_WIDGET (grid)));
  g_assert_cmpuint (tl_candidates_grid_get_focus (grid), ==, 4);
  driver_xdotool (driver, "key Right");
  g_assert_cmpuint (tl_candidates_grid_get_focus (grid), ==, 5);
  driver_xdotool (driver, "key Down");
  g_assert_cmpuint (tl_candidates_grid_get_focus (grid), ==, 5 + n_cols);
  driver_xdotool (driver, "key Home");
  g_assert_cmpuint (tl_candidates_grid_get_focus (grid), ==, 0);
  driver_xdotool (driver, "key End key Left");
  g_assert_cmpuint (tl_candidates_grid_get_focus (grid), ==, 7);
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==, START_CENTRE);
  driver_xdotool (driver, "key Return");
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==,
                     get_centre (driver, 7));
  label = get_label (driver);
  g_assert_cmpstr (label, ==, "Candidate 47.00, present axis");
  gtk_test_accessible_assert_property (GTK_ACCESSIBLE (grid),
                                       GTK_ACCESSIBLE_PROPERTY_LABEL, label);
  driver_xdotool (driver, "key Escape");
  driver_assert_state (driver, "view", "'slice'");
}

/* Uses the drop-downs and the field of the bar. */
static void
test_controls (Driver *driver)
{
  TlCandidates *candidates = get_candidates (driver);
  GtkWidget *page =
      GTK_WIDGET (tl_pages_get_candidates_page (driver_get_pages (driver)));
  GtkDropDown *drop;
  GtkWidget *spin;

  if (driver_lacks ("xdotool"))
    return;
  enter (driver);
#define FIND(name)                                                             \
  gtk_widget_get_template_child (page, TL_TYPE_CANDIDATES_PAGE, name)
  spin = GTK_WIDGET (FIND ("step_spin"));
  gtk_widget_grab_focus (spin);
  driver_xdotool (driver, "key ctrl+a type 0,25");
  driver_xdotool (driver, "key Return");
  driver_assert_state (driver, "candidates-step", "0.25");
  drop = GTK_DROP_DOWN (FIND ("n_drop"));
  gtk_drop_down_set_selected (drop, 2);
  driver_assert_state (driver, "candidates", "15");
  driver_activate (driver, "candidates", g_variant_new_uint32 (11));
  g_assert_cmpuint (gtk_drop_down_get_selected (drop), ==, 2);
  g_assert_cmpstr (
      gtk_string_object_get_string (gtk_drop_down_get_selected_item (drop)), ==,
      "11");
  gtk_drop_down_set_selected (GTK_DROP_DOWN (FIND ("region_drop")), 1);
  driver_assert_state (driver, "candidates-region", "'visible'");
  gtk_drop_down_set_selected (GTK_DROP_DOWN (FIND ("metric_drop")), 3);
  driver_assert_state (driver, "candidates-metric", "'gradient'");
  driver_wait_for_candidates (driver);
  g_assert_cmpuint (tl_candidates_get_n (candidates), ==, 11);
  /* the gradient is not reliable over half a turn */
  g_assert_cmpint (tl_candidates_get_best (candidates), ==, -1);
  driver_activate (driver, "candidates-metric",
                   g_variant_new_string ("entropy"));
  g_assert_cmpint (tl_candidates_get_best (candidates), >=, 0);
  g_assert_cmpuint (
      gtk_drop_down_get_selected (GTK_DROP_DOWN (FIND ("metric_drop"))), ==, 1);
#undef FIND
  driver_wait_for_candidates (driver);
}

/* --- zoom and place --- */

/* Asserts that all pictures show the same region of the slice. */
static void
assert_linked (Driver *driver)
{
  TlCandidates *candidates = get_candidates (driver);
  const TlCandidate *first = tl_candidates_get (candidates, 0);

  for (guint i = 0; i < tl_candidates_get_n (candidates); i++)
    {
      const TlCandidate *other = tl_candidates_get (candidates, i);

      g_assert_nonnull (other->frame);
      g_assert_false (other->is_old);
      g_assert_cmpfloat (other->row, ==, first->row);
      g_assert_cmpfloat (other->col, ==, first->col);
      g_assert_cmpfloat (other->pitch, ==, first->pitch);
    }
}

static double fitted; /* scale at which the grid shows the whole slice */

static gboolean
is_fitted (Driver *driver)
{
  return fabs (
             tl_candidates_grid_get_camera (driver_get_candidates_grid (driver))
                 ->scale
             - fitted)
         <= SCALE_TOLERANCE;
}

/* A place of the slice, and where in a candidate it is expected. */
static double place_col, place_row, place_x, place_y;

static gboolean
is_in_place (Driver *driver)
{
  double col, row;

  tl_camera_to_picture (
      tl_candidates_grid_get_camera (driver_get_candidates_grid (driver)),
      place_x, place_y, &col, &row);
  return fabs (col - place_col) <= PLACE_TOLERANCE
         && fabs (row - place_row) <= PLACE_TOLERANCE;
}

static void
test_zoom (Driver *driver)
{
  TlCandidatesGrid *grid = driver_get_candidates_grid (driver);
  const TlCamera *camera = tl_candidates_grid_get_camera (grid);
  g_autoptr (GdkTexture) shot = NULL;
  int x, y;

  if (driver_lacks ("xdotool"))
    return;
  enter (driver);
  fitted = camera->scale;
  place_x = 0.6 * camera->width;
  place_y = 0.4 * camera->height;
  tl_camera_to_picture (camera, place_x, place_y, &place_col, &place_row);
  locate (driver, 2, 0.6, 0.4, &x, &y);
  driver_xdotool (driver, "mousemove %d %d click 4 click 4 click 4", x, y);
  driver_wait_for_candidates (driver);
  g_assert_cmpfloat (camera->scale, >, 1.5 * fitted);
  g_assert_true (is_in_place (driver));
  assert_linked (driver);
  /* the pictures have one pixel for each pixel of the screen */
  g_assert_cmpfloat_with_epsilon (
      tl_candidates_get (get_candidates (driver), 0)->pitch, 1 / camera->scale,
      0.01);
  shot = driver_shoot (driver, "candidates-zoomed");
  driver_xdotool (driver,
                  "mousedown 1 mousemove %d %d mousemove %d %d mouseup 1",
                  x - 20, y + 10, x - 40, y + 20);
  /* the slice has moved with the pointer, and the drag has chosen no
   * candidate */
  place_x -= 40;
  place_y += 20;
  driver_wait (driver, is_in_place, "the slice to be moved");
  driver_wait_for_candidates (driver);
  g_assert_cmpfloat (tl_parameters_get_centre (driver->session->parameters), ==,
                     START_CENTRE);
  assert_linked (driver);
  driver_double_click (driver);
  driver_wait (driver, is_fitted, "all of the candidates to be seen");
  driver_wait_for_candidates (driver);
}

/* The page starts with the region that the slice view shows, and the slice view
 * continues with the region that the page shows. */
static void
test_same_region (Driver *driver)
{
  TlCandidatesGrid *grid = driver_get_candidates_grid (driver);
  const TlCamera *camera = tl_candidates_grid_get_camera (grid);
  double col, row, scale;

  driver_open (driver);
  tl_slice_view_move (driver->view, 4, 100, 100, 0, 0);
  driver_get_middle (driver, &col, &row);
  scale = tl_slice_view_get_camera (driver->view)->scale;
  driver_activate (driver, "view", g_variant_new_string ("candidates"));
  driver_wait_for_candidates (driver);
  g_assert_cmpfloat_with_epsilon (camera->col, col, SCALE_TOLERANCE);
  g_assert_cmpfloat_with_epsilon (camera->row, row, SCALE_TOLERANCE);
  g_assert_cmpfloat (camera->scale, <, scale);
  driver_activate (driver, "view", g_variant_new_string ("slice"));
  driver_settle (driver);
  g_assert_cmpfloat (tl_slice_view_get_camera (driver->view)->scale, ==, scale);
  driver_activate (driver, "view", g_variant_new_string ("candidates"));
  driver_wait_for_candidates (driver);
  g_action_group_activate_action (G_ACTION_GROUP (driver->window), "fit", NULL);
  driver_activate (driver, "view", g_variant_new_string ("slice"));
  driver_settle (driver);
  driver_get_middle (driver, &col, &row);
  g_assert_cmpfloat_with_epsilon (col, (SCAN_COLS - 1) / 2.0, SCALE_TOLERANCE);
  g_assert_cmpfloat_with_epsilon (row, (SCAN_COLS - 1) / 2.0, SCALE_TOLERANCE);
}

/* --- the drawn tiles --- */

/* Returns: green of the shot at the middle of a pixel of the slice in tile
 * @index */
static double
read_grey (Driver *driver, GdkTexture *shot, guint index, double col,
           double row)
{
  TlCandidatesGrid *grid = driver_get_candidates_grid (driver);
  const TlCamera *camera = tl_candidates_grid_get_camera (grid);
  size_t width = (size_t)gdk_texture_get_width (shot);
  size_t height = (size_t)gdk_texture_get_height (shot);
  g_autofree guchar *pixels = g_malloc (4 * width * height);
  double offset_x, offset_y, tile_x, tile_y;
  int x, y;

  tl_camera_to_widget (camera, col, row, &tile_x, &tile_y);
  locate (driver, index, tile_x / camera->width, tile_y / camera->height, &x,
          &y);
  gtk_native_get_surface_transform (GTK_NATIVE (driver->window), &offset_x,
                                    &offset_y);
  gdk_texture_download (shot, pixels, 4 * width);
  return pixels[4 * ((size_t)(y - offset_y) * width + (size_t)(x - offset_x))
                + 1];
}

/* The tile of the present axis shows the slice with the same grey window, and
 * follows changes of that window. */
static void
test_grey_window (Driver *driver)
{
  TlView *view = tl_application_get_view (driver->application);

  driver_open (driver);
  driver_activate (driver, "view", g_variant_new_string ("candidates"));
  driver_wait_for_candidates (driver);
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (GdkTexture) shot = NULL;
      guint n_grey = 0;

      driver_activate (driver, "window-high",
                       g_variant_new_double (i == 0 ? 0.04 : 0.02));
      driver_activate (driver, "window-low", g_variant_new_double (-0.01));
      driver_wait_for_candidates (driver);
      shot = driver_shoot (driver,
                           i == 0 ? "candidates-light" : "candidates-bright");
      for (size_t at = 24; at < SCAN_COLS - 24; at += 4)
        {
          float value;
          double want;

          g_assert_true (
              tl_display_read_pixel (driver->session->display, at, at, &value));
          want = (value - tl_view_get_low (view))
                 / (tl_view_get_high (view) - tl_view_get_low (view));
          want = 255 * CLAMP (want, 0, 1);
          if (fabs (read_grey (driver, shot, 4, (double)at, (double)at) - want)
              < GREY_TOLERANCE)
            n_grey++;
        }
      /* tile and slice may differ at edges, because their pixels differ */
      g_assert_cmpuint (n_grey, >=, 8);
    }
}

static void
test_dark_theme (Driver *driver)
{
  GtkSettings *settings = gtk_settings_get_default ();
  g_autoptr (GdkTexture) shot = NULL;

  driver_open (driver);
  g_object_set (settings, "gtk-application-prefer-dark-theme", TRUE, NULL);
  driver_activate (driver, "view", g_variant_new_string ("candidates"));
  driver_wait_for_candidates (driver);
  shot = driver_shoot (driver, "candidates-dark");
  g_object_set (settings, "gtk-application-prefer-dark-theme", FALSE, NULL);
  driver_settle (driver);
}

/* The watchdog fails the case if many candidates block the main thread. */
static void
test_many (Driver *driver)
{
  g_autoptr (GdkTexture) shot = NULL;

  driver_open (driver);
  driver_activate (driver, "candidates-step", g_variant_new_double (0.1));
  driver_activate (driver, "candidates",
                   g_variant_new_uint32 (TL_CANDIDATES_MAX));
  driver_activate (driver, "view", g_variant_new_string ("candidates"));
  driver_wait_for_candidates (driver);
  for (guint i = 0; i < 10; i++)
    {
      driver_activate (driver, "window-high",
                       g_variant_new_double (0.02 + 0.002 * i));
      driver_settle (driver);
    }
  driver_wait_for_candidates (driver);
  assert_linked (driver);
  shot = driver_shoot (driver, "candidates-many");
}

/* Returns: whether the tile has a picture */
static gboolean
has_picture (Driver *driver, TlCandidateTiles *tiles, guint index)
{
  GtkSnapshot *snapshot = gtk_snapshot_new ();
  GskRenderNode *node;
  gboolean is_seen;

  tl_candidate_tiles_draw (
      tiles, index, snapshot,
      tl_candidates_grid_get_camera (driver_get_candidates_grid (driver)), 0,
      0);
  node = gtk_snapshot_free_to_node (snapshot);
  is_seen = node != NULL;
  g_clear_pointer (&node, gsk_render_node_unref);
  return is_seen;
}

/* After another scan is opened, no picture of the previous scan stands above a
 * caption of the new one. */
static void
test_other_scan (Driver *driver)
{
  g_autofree char *path = g_build_filename (driver->folder, "other.h5", NULL);
  g_autoptr (GFile) from = g_file_new_for_path (driver->scan);
  g_autoptr (GFile) to = g_file_new_for_path (path);
  TlCandidateTiles *tiles;
  guint n;

  g_assert_true (
      g_file_copy (from, to, G_FILE_COPY_NONE, NULL, NULL, NULL, NULL));
  enter (driver);
  n = tl_candidates_get_n (get_candidates (driver));
  tiles =
      tl_candidate_tiles_new (GTK_WIDGET (driver_get_candidates_grid (driver)),
                              tl_application_get_view (driver->application));
  while (!tl_candidate_tiles_are_new (tiles))
    driver_iterate (driver, TRUE);
  for (guint i = 0; i < n; i++)
    g_assert_true (has_picture (driver, tiles, i));
  /* while no candidates are computed, the tiles stay empty */
  driver_activate (driver, "view", g_variant_new_string ("slice"));
  driver_activate (driver, "open", g_variant_new_string (path));
  driver_settle (driver);
  for (guint i = 0; i < n; i++)
    g_assert_false (has_picture (driver, tiles, i));
  tl_candidate_tiles_free (tiles);
  driver_activate (driver, "view", g_variant_new_string ("candidates"));
  driver_wait_for_candidates (driver);
  g_assert_nonnull (tl_candidates_get (get_candidates (driver), 0)->frame);
}

static char *saved; /* the file that is_saved() waits for */

static gboolean
is_saved (Driver *driver)
{
  return g_file_test (saved, G_FILE_TEST_EXISTS);
}

/* A view that waits to be drawn again is saved, too. Returns: (transfer full):
 * what the file has, which is whole when it appears */
static char *
save (Driver *driver, const char *name)
{
  char *text = NULL;

  saved = g_build_filename (driver->folder, name, NULL);
  gtk_widget_queue_draw (gtk_root_get_focus (GTK_ROOT (driver->window)));
  gtk_widget_activate_action (GTK_WIDGET (driver->window), "win.save-view-as",
                              "s", saved);
  driver_wait (driver, is_saved, name);
  g_assert_true (g_file_get_contents (saved, &text, NULL, NULL));
  return text;
}

/* The candidates and the axis over the height are saved as they are, with a
 * caption below. */
static void
test_saved (Driver *driver)
{
  static const char *const pages[] = { "candidates", "axis" };

  driver_open (driver);
  for (guint i = 0; i < G_N_ELEMENTS (pages); i++)
    {
      g_autofree char *png = g_strconcat (pages[i], ".png", NULL);
      g_autofree char *svg = g_strconcat (pages[i], ".svg", NULL);
      g_autofree char *text = NULL;
      g_autofree char *bytes = NULL;
      g_autofree char *path = NULL;
      g_autoptr (GdkTexture) image = NULL;
      GtkWidget *shown;

      driver_activate (driver, "view", g_variant_new_string (pages[i]));
      driver_settle (driver);
      if (i == 0)
        driver_wait_for_candidates (driver);
      text = save (driver, svg);
      g_free (saved);
      g_assert_nonnull (strstr (text, "<svg"));
      g_assert_nonnull (strstr (text, "<image"));
      bytes = save (driver, png);
      path = g_steal_pointer (&saved);
      image = gdk_texture_new_from_filename (path, NULL);
      shown = gtk_root_get_focus (GTK_ROOT (driver->window));
      g_assert_cmpint (gdk_texture_get_width (image), ==,
                       gtk_widget_get_width (shown));
      g_assert_cmpint (gdk_texture_get_height (image), >,
                       gtk_widget_get_height (shown));
    }
}

int
main (int argc, char **argv)
{
  static const DriverCase cases[] = {
    { "/ui/candidates/without-scan", test_without_scan },
    { "/ui/candidates/choose", test_choose },
    { "/ui/candidates/keys", test_keys },
    { "/ui/candidates/controls", test_controls },
    { "/ui/candidates/zoom", test_zoom },
    { "/ui/candidates/same-region-as-slice", test_same_region },
    { "/ui/candidates/grey-window", test_grey_window },
    { "/ui/candidates/dark-theme", test_dark_theme },
    { "/ui/candidates/many", test_many },
    { "/ui/candidates/other-scan", test_other_scan },
    { "/ui/candidates/saved", test_saved },
  };

  g_setenv ("GTK_A11Y", "test", TRUE);
  return driver_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
