/* Phase retrieval in the panel: comparison with and without, its values, and
 * the values it refuses. */
#include "tests/ui/driver.h"

#include <math.h>

static void
type (Driver *driver, const char *spin, const char *text)
{
  gtk_widget_grab_focus (driver_find (driver, spin));
  driver_xdotool (driver, "key ctrl+a type %s", text);
  driver_xdotool (driver, "key Return");
}

static void
press_check (Driver *driver)
{
  gtk_widget_grab_focus (driver_find (driver, "phase_check"));
  driver_xdotool (driver, "key space");
}

static gboolean
is_on (Driver *driver)
{
  g_autofree char *state = driver_get_state (driver, "phase");

  g_assert_cmpint (gtk_check_button_get_active (
                       GTK_CHECK_BUTTON (driver_find (driver, "phase_check"))),
                   ==, strcmp (state, "true") == 0);
  return strcmp (state, "true") == 0;
}

static float
get_middle (Driver *driver)
{
  float value = NAN;

  tl_display_read_pixel (driver->session->display, SCAN_COLS / 2, SCAN_COLS / 2,
                         &value);
  return value;
}

/* Missing values are named, and their fields can be edited. */
static void
test_missing (Driver *driver)
{
  GtkWidget *expander = driver_find (driver, "phase_expander");

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  g_assert_false (gtk_expander_get_expanded (GTK_EXPANDER (expander)));
  press_check (driver);
  g_assert_false (is_on (driver));
  g_assert_true (gtk_expander_get_expanded (GTK_EXPANDER (expander)));
  g_assert_nonnull (strstr (tl_window_get_banner (driver->window),
                            "needs the photon energy in keV"));
}

static void
assert_energy (Driver *driver, const char *text)
{
  g_assert_cmpstr (gtk_editable_get_text (
                       GTK_EDITABLE (driver_find (driver, "energy_spin"))),
                   ==, text);
}

static void
test_before_and_after (Driver *driver)
{
  static const char *const values[][2] = { { "energy_spin", "20" },
                                           { "distance_spin", "30" },
                                           { "delta_beta_spin", "50" } };
  float before, after;
  g_autoptr (GdkTexture) shot = NULL;

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  gtk_expander_set_expanded (
      GTK_EXPANDER (driver_find (driver, "phase_expander")), TRUE);
  driver_settle (driver);
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    type (driver, values[i][0], values[i][1]);
  before = get_middle (driver);
  press_check (driver);
  g_assert_true (is_on (driver));
  after = get_middle (driver);
  g_assert_cmpfloat (after, !=, before);
  shot = driver_shoot (driver, "phase");

  /* a required value of 0 is refused, then given up */
  type (driver, "energy_spin", "0");
  g_assert_nonnull (strstr (tl_window_get_banner (driver->window),
                            "energy takes a number of keV above 0"));
  assert_energy (driver, "0");
  gtk_widget_grab_focus (driver_find (driver, "energy_spin"));
  driver_xdotool (driver, "key Escape");
  assert_energy (driver, "20.00");
  g_assert_true (is_on (driver));

  press_check (driver);
  g_assert_false (is_on (driver));
  g_assert_cmpfloat (get_middle (driver), ==, before);
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    g_assert_cmpfloat (gtk_spin_button_get_value (GTK_SPIN_BUTTON (
                           driver_find (driver, values[i][0]))),
                       ==, g_ascii_strtod (values[i][1], NULL));
  driver_activate (driver, "phase", NULL);
  driver_settle (driver);
  g_assert_true (is_on (driver));
  g_assert_cmpfloat (get_middle (driver), ==, after);
}

/* A comma is read as a decimal point, as in every field of the panel. */
static void
test_decimal_comma (Driver *driver)
{
  static const struct
  {
    const char *spin, *action, *text, *value;
  } fields[] = {
    { "energy_spin", "energy", "33,5", "33.5" },
    { "distance_spin", "distance", "12,7", "12.699999999999999" },
    { "pixel_size_spin", "pixel-size", "0,65", "0.65000000000000002" },
    { "delta_beta_spin", "delta-beta", "12,5", "12.5" },
  };

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  gtk_expander_set_expanded (
      GTK_EXPANDER (driver_find (driver, "phase_expander")), TRUE);
  driver_settle (driver);
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    {
      g_autofree char *state = NULL;

      type (driver, fields[i].spin, fields[i].text);
      state = driver_get_state (driver, fields[i].action);
      g_assert_cmpstr (state, ==, fields[i].value);
    }
  g_assert_cmpstr (gtk_editable_get_text (
                       GTK_EDITABLE (driver_find (driver, "delta_beta_spin"))),
                   ==, "12.5");
}

int
main (int argc, char **argv)
{
  static const DriverCase cases[] = {
    { "/ui/phase/missing", test_missing },
    { "/ui/phase/before-and-after", test_before_and_after },
    { "/ui/phase/decimal-comma", test_decimal_comma },
  };

  return driver_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
