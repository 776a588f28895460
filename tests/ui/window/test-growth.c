/* A scan is followed in the window while another process plays it, with keys
 * and mouse in between. Its address is opened by the dialog, and dropped. */
#include "tests/ui/driver.h"

#include "app/volume/scene.h"
#include "data/stream/socket.h"
#include "tests/support/sum-values.h"

#include <glib/gstdio.h>
#include <math.h>
#include <signal.h>
#include <string.h>

/* Enough for some seconds: the player is stopped for each picture. */
#define N_PROJECTIONS 120
#define RATE "20"

/* Projections that have come when the player is stopped, at least. */
#define EARLY (N_PROJECTIONS * 15 / 100)
#define LATE (N_PROJECTIONS * 60 / 100)

#define N_STEPS 5

/* @place: (out) (transfer full): HOST:PORT. Returns: (transfer full) */
static char *
dup_address (const char *scheme, char **place)
{
  g_autoptr (GSocketListener) listener = g_socket_listener_new ();
  const guint16 port =
      g_socket_listener_add_any_inet_port (listener, NULL, NULL);

  g_assert_cmpuint (port, >, 0);
  *place = g_strdup_printf ("127.0.0.1:%u", port);
  return g_strconcat (scheme, *place, NULL);
}

static const char *n_rows = "5"; /* of the next scan */

/* @option: (nullable) */
static GSubprocess *
play_with (Driver *driver, const char *address, const char *option)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *scan = g_build_filename (driver->folder, "played.h5", NULL);
  g_autofree char *n = g_strdup_printf ("%d", N_PROJECTIONS);
  g_autoptr (GSubprocess) phantom =
      g_subprocess_new (G_SUBPROCESS_FLAGS_STDOUT_SILENCE, &error, TL_CLI_PATH,
                        "phantom", scan, "--projections", n, "--rows", n_rows,
                        "--size", "128", "--overwrite", NULL);
  GSubprocess *player;

  g_assert_no_error (error);
  g_assert_true (g_subprocess_wait_check (phantom, NULL, &error));
  player = g_subprocess_new (G_SUBPROCESS_FLAGS_STDOUT_SILENCE, &error,
                             TL_CLI_PATH, "play", scan, "--to", address,
                             "--rate", RATE, option, NULL);
  g_assert_no_error (error);
  return player;
}

static GSubprocess *
play (Driver *driver, const char *address)
{
  return play_with (driver, address, NULL);
}

/* --- what is waited for --- */

static size_t
count_come (Driver *driver)
{
  return tl_growth_get_news (driver->session->growth)->n_projections;
}

static gboolean
is_early (Driver *driver)
{
  return count_come (driver) >= EARLY;
}

static gboolean
is_late (Driver *driver)
{
  return count_come (driver) >= LATE;
}

/* Returns: whether the picture is of all that has come */
static gboolean
is_up_to_date (Driver *driver)
{
  return tl_growth_get_state (driver->session->growth) != TL_GROWTH_WAITING
         && tl_display_get_status (driver->session->display)->n_angles
                == count_come (driver)
         && driver_is_drawn (driver);
}

static gboolean
is_complete (Driver *driver)
{
  return tl_growth_get_state (driver->session->growth) == TL_GROWTH_COMPLETE
         && driver_is_drawn (driver);
}

/* --- the window --- */

static GtkWidget *
find_in_bar (Driver *driver, const char *id)
{
  return driver_find_in (driver_find (driver, "growth_bar"), id);
}

static gboolean
is_bar_shown (Driver *driver)
{
  return gtk_revealer_get_child_revealed (
      GTK_REVEALER (find_in_bar (driver, "revealer")));
}

static gboolean
is_bar_hidden (Driver *driver)
{
  return !is_bar_shown (driver);
}

static const char *
get_line (Driver *driver)
{
  return gtk_label_get_text (GTK_LABEL (find_in_bar (driver, "line_label")));
}

static void
assert_bar (Driver *driver, const char *part)
{
  g_assert_nonnull (strstr (get_line (driver), part));
}

static void
shoot_both (Driver *driver, const char *name)
{
  driver_shoot_both (driver, GTK_WIDGET (driver->window), name);
}

/* Stops the player meanwhile, so that the picture is that of the moment. */
static void
shoot_stopped (Driver *driver, GSubprocess *player, const char *name)
{
  g_subprocess_send_signal (player, SIGSTOP);
  driver_wait (driver, is_up_to_date, "the picture of all that has come");
  shoot_both (driver, name);
  g_subprocess_send_signal (player, SIGCONT);
}

/* --- the cases --- */

static gboolean
lacks_something (void)
{
  if (driver_lacks ("xdotool"))
    return TRUE;
  if (tl_socket_get_missing () == NULL)
    return FALSE;
  g_test_skip ("the program was built without libzmq");
  return TRUE;
}

static GtkWidget *
find_in_export (Driver *driver, const char *id)
{
  TlExportPage *page = tl_pages_get_export_page (driver_get_pages (driver));
  return driver_find_in (GTK_WIDGET (page), id);
}

static gboolean
is_refused (Driver *driver)
{
  return gtk_widget_get_mapped (find_in_export (driver, "problem_label"));
}

/* What is only in memory cannot be exported: the page says what to do, and the
 * name that it proposes has no letters of an address. */
static void
assert_no_export (Driver *driver, const char *place)
{
  g_autofree char *name = g_strdup_printf ("/stream-%s-recon", place);
  driver_send (driver, "key ctrl+e");
  driver_wait (driver, is_refused, "what cannot be exported");
  const char *problem =
      gtk_label_get_text (GTK_LABEL (find_in_export (driver, "problem_label")));
  const char *path = gtk_editable_get_text (
      GTK_EDITABLE (find_in_export (driver, "path_entry")));
  g_assert_nonnull (strstr (problem, "if it is recorded, export it"));
  g_assert_false (
      gtk_widget_get_sensitive (find_in_export (driver, "export_button")));
  *strchr (name, ':') = '-';
  g_assert_true (g_str_has_suffix (path, name));
}

static void
test_followed (Driver *driver)
{
  g_autofree char *place = NULL;
  g_autofree char *address = dup_address ("zmq+tomopackets://", &place);
  g_autoptr (GSubprocess) player = NULL;
  TlSession *session = driver->session;
  const TlRecipe *recipe;
  double before;

  if (lacks_something ())
    return;
  gtk_window_set_default_size (GTK_WINDOW (driver->window), 1024, 700);
  tl_session_open (session, address);
  driver_wait (driver, is_bar_shown, "the line of the scan");
  assert_bar (driver, "Waiting for the first projection");
  g_assert_nonnull (strstr (gtk_label_get_text (GTK_LABEL (driver_find_in (
                                GTK_WIDGET (driver->window), "empty_label"))),
                            address));
  shoot_both (driver, "live-waiting");

  player = play (driver, address);
  driver_wait (driver, is_early, "the first projections");
  shoot_stopped (driver, player, "live-15");
  assert_bar (driver, "of 120 projections");

  recipe = tl_parameters_get_recipe (session->parameters);
  before = recipe->params.centre_col;
  for (int k = 0; k < N_STEPS; k++)
    driver_send (driver, "key Right");
  driver_settle (driver);
  recipe = tl_parameters_get_recipe (session->parameters);
  g_assert_cmpfloat_with_epsilon (recipe->params.centre_col, before + N_STEPS,
                                  1e-6);
  driver_wait (driver, is_late, "further projections");
  shoot_stopped (driver, player, "live-60");

  driver_wait (driver, is_complete, "the whole scan");
  shoot_both (driver, "live-100");
  assert_bar (driver, "complete");
  g_assert_true (g_subprocess_wait_check (player, NULL, NULL));

  driver_click (driver, find_in_bar (driver, "stop_button"));
  driver_wait (driver, is_bar_hidden, "the line to go");
  g_assert_cmpuint (tl_growth_get_state (session->growth), ==, TL_GROWTH_NONE);
  g_assert_cmpuint (tl_display_get_status (session->display)->n_angles, ==,
                    N_PROJECTIONS);
  recipe = tl_parameters_get_recipe (session->parameters);
  g_assert_cmpfloat_with_epsilon (recipe->params.centre_col, before + N_STEPS,
                                  1e-6);
  shoot_both (driver, "live-stopped");
  assert_no_export (driver, place);
}

static gboolean
can_skip_flats (Driver *driver)
{
  return gtk_widget_get_mapped (find_in_bar (driver, "skip_button"));
}

static gboolean
is_growing (Driver *driver)
{
  return tl_growth_get_state (driver->session->growth) == TL_GROWTH_GROWING
         && driver_is_drawn (driver) && !can_skip_flats (driver);
}

/* Counts whose flats come at the end are shown without them if that is wanted,
 * and the flat field can be switched on later. */
static void
test_without_flats (Driver *driver)
{
  g_autofree char *place = NULL;
  g_autofree char *address = dup_address ("zmq+tomopackets://", &place);
  g_autoptr (GSubprocess) player = NULL;

  if (lacks_something ())
    return;
  gtk_window_set_default_size (GTK_WINDOW (driver->window), 1024, 700);
  tl_session_open (driver->session, address);
  driver_wait (driver, is_bar_shown, "the line of the scan");
  g_assert_false (can_skip_flats (driver));
  player = play_with (driver, address, "--fields-last");
  driver_wait (driver, can_skip_flats, "the button to show it without flats");
  assert_bar (driver, "waiting for flat fields");
  shoot_both (driver, "live-without-flats");
  driver_click (driver, find_in_bar (driver, "skip_button"));
  driver_wait (driver, is_growing, "the picture without flats");
  g_assert_false (tl_parameters_get_recipe (driver->session->parameters)
                      ->params.flat_field);

  driver_wait (driver, is_complete, "the whole scan");
  g_assert_true (g_subprocess_wait_check (player, NULL, NULL));
  gtk_widget_grab_focus (driver_find (driver, "flat_field_check"));
  driver_settle (driver);
  driver_click (driver, driver_find (driver, "flat_field_check"));
  driver_settle (driver);
  g_assert_true (tl_parameters_get_recipe (driver->session->parameters)
                     ->params.flat_field);
}

/* --- the volume --- */

static TlScene *
get_scene (Driver *driver)
{
  return tl_session_get_scene (driver->session);
}

static TlVolumeArea *
get_area (Driver *driver)
{
  return tl_volume_page_get_area (
      tl_pages_get_volume_page (driver_get_pages (driver)));
}

static gboolean
is_volume_drawn (Driver *driver)
{
  return tl_scene_get_voxels (get_scene (driver)) != NULL
         && !tl_scene_is_busy (get_scene (driver))
         && tl_volume_area_is_drawn (get_area (driver));
}

/* Returns: whether the volume is that of all that has come */
static gboolean
is_volume_new (Driver *driver)
{
  TlHeldState state;

  tl_held_get_state (tl_growth_get_held (driver->session->growth), &state);
  return is_volume_drawn (driver)
         && tl_scene_get_growth (get_scene (driver)) == state.serial;
}

static gboolean
is_volume_complete (Driver *driver)
{
  return tl_growth_get_state (driver->session->growth) == TL_GROWTH_COMPLETE
         && is_volume_drawn (driver);
}

static void
count_volume (guint *n)
{
  (*n)++;
}

/* Lets the volume take in what has come, and takes its picture. The player is
 * stopped. Returns: the sum of its values */
static double
shoot_volume (Driver *driver, const char *name)
{
  driver_wait (driver, is_volume_new, "the volume of all that has come");
  shoot_both (driver, name);
  g_assert_cmpint (tl_growth_get_state (driver->session->growth), ==,
                   TL_GROWTH_GROWING);
  const TlVoxels *voxels = tl_scene_get_voxels (get_scene (driver));
  return sum_values (voxels->values,
                     voxels->n[0] * voxels->n[1] * voxels->n[2]);
}

/* The volume follows the scan while it is turned, its axis moves and the user
 * looks into a box. Nothing has to be done for it. */
static void
test_volume (Driver *driver)
{
  g_autofree char *place = NULL;
  g_autofree char *address = dup_address ("zmq+tomopackets://", &place);
  g_autoptr (GSubprocess) player = NULL;
  double early, late;
  guint n = 0;
  gulong id;

  if (lacks_something ())
    return;
  gtk_window_set_default_size (GTK_WINDOW (driver->window), 1024, 700);
  tl_session_open (driver->session, address);
  driver_wait (driver, is_bar_shown, "the line of the scan");
  n_rows = "64";
  player = play (driver, address);
  n_rows = "5";
  driver_wait (driver, is_early, "the first projections");
  g_subprocess_send_signal (player, SIGSTOP);
  driver_wait (driver, is_growing, "the first picture");
  driver_xdotool (driver, "mousemove 30 1000 key v");
  early = shoot_volume (driver, "live-volume-15");

  id = g_signal_connect_swapped (get_scene (driver), "notify::voxels",
                                 G_CALLBACK (count_volume), &n);
  g_subprocess_send_signal (player, SIGCONT);
  while (!is_late (driver) || n < 2)
    driver_xdotool (driver, "key Left sleep 0.1");
  g_subprocess_send_signal (player, SIGSTOP);
  g_test_message ("%u volumes", n);
  late = shoot_volume (driver, "live-volume-60");
  g_assert_cmpfloat (fabs (late - early), >, 1e-2 * early);

  g_subprocess_send_signal (player, SIGCONT);
  for (int k = 0; k < N_STEPS; k++)
    driver_xdotool (driver, "key alt+Right");
  driver_xdotool (driver, "key b");
  g_assert_true (tl_scene_is_in_box (get_scene (driver)));
  driver_wait (driver, is_volume_complete, "the whole scan in the box");
  g_signal_handler_disconnect (get_scene (driver), id);
  shoot_both (driver, "live-volume-box");
  driver_xdotool (driver, "key b");
  driver_wait (driver, is_volume_new, "all of it");
  shoot_both (driver, "live-volume-100");
  assert_bar (driver, "complete");
  g_assert_true (g_subprocess_wait_check (player, NULL, NULL));
  driver_xdotool (driver, "key F2");
  driver_wait (driver, is_up_to_date, "the slice of all that has come");
  g_assert_cmpuint (tl_scene_count_bytes (get_scene (driver)), ==, 0);
}

/* --- the dialog --- */

static GtkWidget *
open_dialog (Driver *driver)
{
  driver_send (driver, "key ctrl+alt+o");
  driver_wait (driver, driver_has_dialog, "the dialog");
  driver_settle (driver);
  return GTK_WIDGET (driver_find_dialog (driver));
}

static const char *
read_entry (GtkWidget *dialog, const char *id)
{
  return gtk_editable_get_text (GTK_EDITABLE (driver_find_in (dialog, id)));
}

static guint
get_kind (GtkWidget *dialog)
{
  return gtk_drop_down_get_selected (
      GTK_DROP_DOWN (driver_find_in (dialog, "kind_drop")));
}

/* Goes to the field by its mnemonic, and replaces its text. */
static void
fill (Driver *driver, const char *mnemonic, const char *text)
{
  driver_xdotool (driver, "key alt+%s", mnemonic);
  driver_xdotool (driver, "key ctrl+a");
  driver_xdotool (driver, "type %s", text);
}

static gboolean
has_error (Driver *driver)
{
  return gtk_widget_get_visible (
      driver_find_in (GTK_WIDGET (driver_find_dialog (driver)), "error_label"));
}

/* Presses Enter. Asserts that the dialog stays, with a sentence that has the
 * words. */
static void
assert_refused (Driver *driver, GtkWidget *dialog, const char *words)
{
  driver_xdotool (driver, "key Return");
  driver_wait (driver, has_error, words);
  g_assert_nonnull (strstr (driver_read_label (dialog, "error_label"), words));
}

static gboolean
is_in_list (Driver *driver)
{
  GtkWidget *focus = gtk_window_get_focus (driver_find_dialog (driver));

  return gtk_widget_get_ancestor (focus, GTK_TYPE_LIST_VIEW) != NULL;
}

static gboolean
is_waiting (Driver *driver)
{
  return driver_has_no_dialog (driver)
         && tl_growth_get_state (driver->session->growth) == TL_GROWTH_WAITING;
}

static gboolean
is_axis_shown (Driver *driver)
{
  return gtk_widget_get_visible (find_in_bar (driver, "axis_label"));
}

/* What the slice looks like is told to those who want it. */
static void
assert_hint (Driver *driver)
{
  TlGrowth *growth = driver->session->growth;
  /* a scan that is taken in this order looks finished at its end only */
  TlGrowthNews *news = (TlGrowthNews *)tl_growth_get_news (growth);
  gboolean measures;

  news->n_finished = N_PROJECTIONS * 61 / 100;
  g_object_notify (G_OBJECT (growth), "news");
  g_assert_null (strstr (get_line (driver), "finished"));
  driver_click (driver, find_in_bar (driver, "hint_button"));
  assert_bar (driver, "looks finished at 61 % of the projections");
  g_object_get (driver->session->requests, "measures", &measures, NULL);
  g_assert_true (measures);
}

static void
assert_kept (Driver *driver)
{
  TlGrowth *growth = driver->session->growth;
  TlGrowthNews *news = (TlGrowthNews *)tl_growth_get_news (growth);

  g_assert_null (strstr (get_line (driver), "rows"));
  news->first_kept = 1;
  news->n_kept = 3;
  g_object_notify (G_OBJECT (growth), "news");
  assert_bar (driver, "of 5 rows, only rows 1 to 3 are kept");
}

/* The direction of the move is read in a narrow window, too. */
static void
assert_narrow (Driver *driver)
{
  GtkLabel *axis = GTK_LABEL (find_in_bar (driver, "axis_label"));

  gtk_window_set_default_size (GTK_WINDOW (driver->window), 720, 600);
  driver_settle (driver);
  g_assert_true (gtk_widget_get_visible (GTK_WIDGET (axis)));
  g_assert_false (pango_layout_is_ellipsized (gtk_label_get_layout (axis)));
  shoot_both (driver, "live-narrow");
  gtk_window_set_default_size (GTK_WINDOW (driver->window), 1024, 700);
  driver_settle (driver);
}

/* Returns: whether the axis and the sharpness of the scan before are gone, the
 * next one having begun */
static gboolean
is_next_announced (Driver *driver)
{
  return tl_growth_get_news (driver->session->growth)->is_of_before
         && !is_axis_shown (driver)
         && !gtk_widget_get_visible (find_in_bar (driver, "sharpness"));
}

static gboolean
is_told_not_shown (Driver *driver)
{
  return strstr (get_line (driver),
                 "another scan is being taken, and is not shown")
         != NULL;
}

/* The next scan, which has begun, is not shown if the user does not want it. */
static void
assert_not_followed (Driver *driver)
{
  TlGrowth *growth = driver->session->growth;

  g_object_set (growth, "follows", FALSE, NULL);
  driver_wait (driver, is_told_not_shown, "what becomes of the next scan");
  g_object_set (growth, "follows", TRUE, NULL);
  driver_wait (driver, is_next_announced, "the next scan to be announced");
}

/* What has not come of a scan that has ended is said. */
static void
assert_ended (Driver *driver)
{
  TlGrowth *growth = driver->session->growth;
  TlGrowthNews *news = (TlGrowthNews *)tl_growth_get_news (growth);
  const size_t n = news->n_projections;

  news->n_projections = n - 10;
  g_object_notify (G_OBJECT (growth), "news");
  assert_bar (driver, "110 of 120 projections · 10 missing");
  assert_bar (driver, " · ended; waiting for the next scan");
  news->n_projections = n;
}

/* What is said of a scan goes when the next one is announced, which cannot be
 * shown meanwhile, and when another one is waited for. */
static void
assert_of_before (Driver *driver, const char *address)
{
  TlSession *session = driver->session;
  g_autofree char *place = NULL;
  g_autofree char *other = dup_address ("zmq+tomopackets://", &place);
  g_autoptr (GSubprocess) player = NULL;

  g_assert_true (is_axis_shown (driver));
  tl_growth_set_idle (session->growth, FALSE);
  player = play (driver, address);
  driver_wait (driver, is_next_announced, "the next scan to be announced");
  assert_bar (driver, "complete; the next scan has begun");
  assert_not_followed (driver);
  g_assert_cmpuint (tl_growth_get_state (session->growth), ==,
                    TL_GROWTH_COMPLETE);
  g_subprocess_force_exit (player);
  tl_session_open (session, other);
  g_assert_false (is_axis_shown (driver));
  g_assert_false (gtk_widget_get_visible (find_in_bar (driver, "sharpness")));
}

/* That nothing comes is said as long as it is so, and what cannot be used. */
static void
assert_faults (Driver *driver)
{
  TlGrowth *growth = driver->session->growth;
  TlGrowthNews *news = (TlGrowthNews *)tl_growth_get_news (growth);

  news->is_stalled = TRUE;
  news->idle_s = 14;
  news->n_malformed = 3;
  g_object_notify (G_OBJECT (growth), "news");
  assert_bar (driver, " · nothing has come for 14 s");
  assert_bar (driver, " · 3 unusable");
  news->is_stalled = FALSE;
  news->n_malformed = 0;
}

/* std_daq says neither the angles nor how many projections come. */
static void
test_address (Driver *driver)
{
  g_autofree char *place = NULL;
  g_autofree char *address = dup_address ("zmq+json://", &place);
  g_autofree char *published = g_strconcat ("zmq+json+sub://", place, NULL);
  g_autoptr (GSubprocess) player = NULL;
  GtkWidget *dialog;
  const char *axis;

  if (lacks_something ())
    return;
  gtk_window_set_default_size (GTK_WINDOW (driver->window), 1024, 700);
  dialog = open_dialog (driver);
  driver_shoot_both (driver, dialog, "address");
  driver_xdotool (driver, "type http://there");
  assert_refused (driver, dialog, "unknown kind of address");
  g_assert_cmpuint (get_kind (dialog), ==, GTK_INVALID_LIST_POSITION);

  fill (driver, "a", published);
  g_assert_false (has_error (driver));
  g_assert_cmpuint (get_kind (dialog), ==, 3);
  driver_send (driver, "key alt+s");
  driver_wait (driver, is_in_list, "the list of the kinds");
  driver_xdotool (driver, "key Home");
  driver_xdotool (driver, "key Down");
  driver_xdotool (driver, "key Down");
  driver_xdotool (driver, "key Return");
  g_assert_cmpstr (read_entry (dialog, "address_entry"), ==, address);

  fill (driver, "a", place);
  fill (driver, "l", "0:178.5");
  assert_refused (driver, dialog, "number of projections has to be given");
  driver_shoot_both (driver, dialog, "address-refused");
  fill (driver, "p", "120");
  driver_xdotool (driver, "key Return");
  driver_wait (driver, is_waiting, "the dialog to go");
  g_assert_cmpstr (tl_growth_get_name (driver->session->growth), ==, address);
  assert_faults (driver);

  driver_activate (driver, "seek-centre", NULL);
  player = play (driver, address);
  driver_wait (driver, is_complete, "the whole scan");
  assert_bar (driver, "complete");
  g_assert_cmpuint (tl_display_get_status (driver->session->display)->n_angles,
                    ==, N_PROJECTIONS);
  g_assert_true (g_subprocess_wait_check (player, NULL, NULL));
  driver_wait (driver, is_axis_shown, "the axis");
  axis = driver_read_label (driver_find (driver, "growth_bar"), "axis_label");
  g_assert_true (g_str_has_prefix (axis, "Last scan: Axis "));
  g_assert_nonnull (strstr (axis, "stage"));
  g_assert_null (strstr (axis, "is set to"));
  driver_activate (driver, "seek-centre", NULL);
  assert_hint (driver);
  assert_ended (driver);
  assert_kept (driver);
  shoot_both (driver, "live-axis");
  assert_narrow (driver);

  dialog = open_dialog (driver);
  g_assert_cmpstr (read_entry (dialog, "address_entry"), ==, address);
  g_assert_cmpstr (read_entry (dialog, "projections_entry"), ==, "120");
  g_assert_cmpstr (read_entry (dialog, "angles_entry"), ==, "0:178.5");
  /* they are not those of another address */
  fill (driver, "a", "zmq+json://127.0.0.1:9");
  g_assert_cmpstr (read_entry (dialog, "projections_entry"), ==, "");
  g_assert_cmpstr (read_entry (dialog, "angles_entry"), ==, "");
  fill (driver, "a", address);
  g_assert_cmpstr (read_entry (dialog, "angles_entry"), ==, "0:178.5");
  g_assert_false (has_error (driver));
  driver_send (driver, "key Escape");
  driver_wait (driver, driver_has_no_dialog, "the dialog to go");
  g_assert_true (is_complete (driver));
  assert_of_before (driver, address);
}

static void
test_dropped (Driver *driver)
{
  GtkWidget *dialog;
  g_autofree char *place = NULL;
  g_autofree char *address = dup_address ("zmq+tomopackets://", &place);

  if (lacks_something ())
    return;
  driver_drop (driver, address);
  driver_wait (driver, is_waiting, "the address to be followed");
  g_assert_cmpstr (tl_growth_get_name (driver->session->growth), ==, address);

  dialog = open_dialog (driver);
  g_assert_cmpstr (read_entry (dialog, "address_entry"), ==, address);
}

/* --- recording --- */

static gboolean
is_recorded (Driver *driver)
{
  const TlScanSummary *scan =
      tl_scan_source_get_summary (driver->session->source);

  return scan != NULL && g_str_has_suffix (scan->path, ".h5")
         && is_complete (driver);
}

static void
assert_record_button (Driver *driver, const char *label)
{
  GtkButton *button = GTK_BUTTON (find_in_bar (driver, "record_button"));

  g_assert_cmpstr (gtk_button_get_label (button), ==, label);
}

/* Returns: the left edge of the tick boxes, which shall stay */
static float
get_box_place (Driver *driver)
{
  graphene_rect_t bounds;

  g_assert_true (gtk_widget_compute_bounds (find_in_bar (driver, "hint_button"),
                                            GTK_WIDGET (driver->window),
                                            &bounds));
  return bounds.origin.x;
}

/* The folder is chosen in a dialog of the system. */
static void
test_recorded (Driver *driver)
{
  g_autofree char *place = NULL;
  g_autofree char *address = dup_address ("zmq+tomopackets://", &place);
  g_autofree char *folder = g_build_filename (driver->folder, "kept", NULL);
  g_autoptr (GSubprocess) player = NULL;
  TlSession *session = driver->session;
  float place_of_box;

  if (lacks_something ())
    return;
  tl_session_open (session, address);
  driver_wait (driver, is_bar_shown, "the line of the scan");
  assert_record_button (driver, "Record…");
  driver_settle (driver);
  place_of_box = get_box_place (driver);
  driver_activate (driver, "record-to", g_variant_new_string (folder));
  assert_record_button (driver, "Stop Recording");
  driver_settle (driver);
  g_assert_cmpfloat (get_box_place (driver), ==, place_of_box);
  player = play (driver, address);
  driver_wait (driver, is_recorded, "the file of the scan");
  g_assert_true (g_subprocess_wait_check (player, NULL, NULL));
  g_assert_true (g_str_has_prefix (
      tl_scan_source_get_summary (session->source)->path, folder));
  assert_bar (driver, "waiting for the next scan");
  gtk_widget_activate_action (GTK_WIDGET (driver->window), "win.record", NULL);
  assert_record_button (driver, "Record…");
  g_assert_null (tl_growth_get_record_folder (session->growth));

  /* the line stays as long as the disk needs */
  driver_activate (driver, "record-to", g_variant_new_string (folder));
  tl_growth_stop (session->growth);
  assert_bar (driver, "the rest of the recording is being written");
  g_assert_true (gtk_revealer_get_reveal_child (
      GTK_REVEALER (find_in_bar (driver, "revealer"))));
  driver_wait (driver, is_bar_hidden, "the line to go");
}

static gboolean
has_problem (Driver *driver)
{
  return gtk_widget_get_visible (find_in_bar (driver, "problem_label"));
}

/* The line that says so stays when the notice has gone. */
static void
test_not_recorded (Driver *driver)
{
  g_autofree char *place = NULL;
  g_autofree char *address = dup_address ("zmq+tomopackets://", &place);
  g_autofree char *folder = g_build_filename (driver->folder, "gone", NULL);
  g_autoptr (GSubprocess) player = NULL;

  if (lacks_something ())
    return;
  tl_session_open (driver->session, address);
  driver_wait (driver, is_bar_shown, "the line of the scan");
  driver_activate (driver, "record-to", g_variant_new_string (folder));
  g_assert_cmpint (g_rmdir (folder), ==, 0);
  g_assert_false (has_problem (driver));
  player = play (driver, address);
  driver_wait (driver, has_problem, "the problem of the recording");
  tl_messages_dismiss (driver->session->messages);
  driver_wait (driver, is_complete, "the whole scan");
  g_assert_true (has_problem (driver));
  g_assert_nonnull (strstr (
      driver_read_label (driver_find (driver, "growth_bar"), "problem_label"),
      "not recorded further"));
  shoot_both (driver, "live-not-recorded");
  g_assert_true (g_subprocess_wait_check (player, NULL, NULL));
}

int
main (int argc, char **argv)
{
  static const DriverCase cases[] = {
    { "/growth/followed", test_followed, NULL },
    { "/growth/volume", test_volume, NULL },
    { "/growth/address", test_address, NULL },
    { "/growth/dropped", test_dropped, NULL },
    { "/growth/without-flats", test_without_flats, NULL },
    { "/growth/recorded", test_recorded, NULL },
    { "/growth/not-recorded", test_not_recorded, NULL },
  };

  return driver_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
