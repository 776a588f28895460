/* A scan is followed in the window while another process plays it, with keys
 * and mouse in between. */
#include "tests/ui/driver.h"

#include "data/stream/socket.h"

#include <signal.h>
#include <string.h>

/* Enough for some seconds: the player is stopped for each picture. */
#define N_PROJECTIONS 120
#define RATE "20"

/* Projections that have come when the player is stopped, at least. */
#define EARLY (N_PROJECTIONS * 15 / 100)
#define LATE (N_PROJECTIONS * 60 / 100)

#define N_STEPS 5

static char *
dup_address (void)
{
  g_autoptr (GSocketListener) listener = g_socket_listener_new ();
  const guint16 port =
      g_socket_listener_add_any_inet_port (listener, NULL, NULL);

  g_assert_cmpuint (port, >, 0);
  return g_strdup_printf ("zmq+tomopackets://127.0.0.1:%u", port);
}

static GSubprocess *
play (Driver *driver, const char *address)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *scan = g_build_filename (driver->folder, "played.h5", NULL);
  g_autofree char *n = g_strdup_printf ("%d", N_PROJECTIONS);
  g_autoptr (GSubprocess) phantom = g_subprocess_new (
      G_SUBPROCESS_FLAGS_STDOUT_SILENCE, &error, TL_CLI_PATH, "phantom", scan,
      "--projections", n, "--rows", "5", "--size", "128", "--overwrite", NULL);
  GSubprocess *player;

  g_assert_no_error (error);
  g_assert_true (g_subprocess_wait_check (phantom, NULL, &error));
  player =
      g_subprocess_new (G_SUBPROCESS_FLAGS_STDOUT_SILENCE, &error, TL_CLI_PATH,
                        "play", scan, "--to", address, "--rate", RATE, NULL);
  g_assert_no_error (error);
  return player;
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

static void
assert_bar (Driver *driver, const char *part)
{
  GtkProgressBar *bar = GTK_PROGRESS_BAR (find_in_bar (driver, "progress"));

  g_assert_nonnull (strstr (gtk_progress_bar_get_text (bar), part));
}

static void
shoot_both (Driver *driver, const char *name)
{
  GtkSettings *settings = gtk_settings_get_default ();
  g_autofree char *dark = g_strconcat (name, "-dark", NULL);

  driver_settle (driver);
  g_object_unref (driver_shoot (driver, name));
  g_object_set (settings, "gtk-application-prefer-dark-theme", TRUE, NULL);
  driver_settle (driver);
  g_object_unref (driver_shoot (driver, dark));
  g_object_set (settings, "gtk-application-prefer-dark-theme", FALSE, NULL);
  driver_settle (driver);
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

/* --- the case --- */

static void
test_followed (Driver *driver)
{
  g_autofree char *address = dup_address ();
  g_autoptr (GSubprocess) player = NULL;
  TlSession *session = driver->session;
  const TlRecipe *recipe;
  double before;

  if (driver_lacks ("xdotool"))
    return;
  if (tl_socket_get_missing () != NULL)
    {
      g_test_skip ("the program was built without libzmq");
      return;
    }
  gtk_window_set_default_size (GTK_WINDOW (driver->window), 1024, 700);
  tl_session_open (session, address);
  driver_wait (driver, is_bar_shown, "the line of the scan");
  assert_bar (driver, "Waiting for the first projection");
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
}

int
main (int argc, char **argv)
{
  static const DriverCase cases[] = {
    { "/growth/followed", test_followed, NULL },
  };

  return driver_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
