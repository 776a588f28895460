/* Fields that are typed in: what the keys do there, and what is refused. */
#include "tests/ui/driver.h"

static void
assert_state (Driver *driver, const char *action, const char *want)
{
  g_autofree char *state = driver_get_state (driver, action);

  g_assert_cmpstr (state, ==, want);
}

static void
assert_centre (Driver *driver, double want)
{
  g_assert_cmpfloat (tl_session_get_centre (driver->session), ==, want);
}

/* What is typed is edited by the keys, until it counts. */
static void
test_text (Driver *driver)
{
  GtkEditable *angles = GTK_EDITABLE (driver_find (driver, "angles_entry"));

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  driver_activate (driver, "slice", g_variant_new_uint32 (1));
  gtk_widget_grab_focus (GTK_WIDGET (angles));
  driver_xdotool (driver, "type 09");
  driver_xdotool (driver, "key Left type :");
  g_assert_cmpstr (gtk_editable_get_text (angles), ==, "0:9");
  driver_xdotool (driver, "key shift+Left key ctrl+shift+Left");
  for (guint i = 0; i < 4 && *gtk_editable_get_text (angles) != '\0'; i++)
    driver_xdotool (driver, "key ctrl+z");
  g_assert_cmpstr (gtk_editable_get_text (angles), ==, "");
  assert_state (driver, "slice", "1");
  assert_centre (driver, 47.5);
  /* nothing was changed: it is the program that is undone */
  driver_xdotool (driver, "key ctrl+z");
  assert_state (driver, "slice", "2");
  driver_xdotool (driver, "key ctrl+shift+z");
  assert_state (driver, "slice", "1");
  /* what was sent is a value: what it was made of cannot be undone */
  driver_xdotool (driver, "type 0:90");
  driver_xdotool (driver, "key Return");
  assert_state (driver, "angles", "'0:90'");
  driver_xdotool (driver, "key ctrl+z");
  assert_state (driver, "angles", "''");
  g_assert_cmpstr (gtk_editable_get_text (angles), ==, "");
}

/* Of a number it is the value that is undone, or what is being typed. */
static void
test_number (Driver *driver)
{
  GtkWidget *spin = driver_find (driver, "centre_spin");

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  driver_activate (driver, "slice", g_variant_new_uint32 (1));
  gtk_widget_grab_focus (spin);
  driver_xdotool (driver, "key ctrl+a type 46");
  driver_xdotool (driver, "key ctrl+z");
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (spin)), ==, "47.50");
  driver_xdotool (driver, "type 3");
  driver_xdotool (driver, "key Escape");
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (spin)), ==, "47.50");
  assert_centre (driver, 47.5);
  assert_state (driver, "slice", "1");
  driver_xdotool (driver, "key Left key shift+Left key Up");
  assert_centre (driver, 48.5);
  driver_xdotool (driver, "key ctrl+z");
  assert_centre (driver, 47.5);
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (spin)), ==, "47.50");
  /* beyond a slider, before the panel scrolls */
  gtk_widget_grab_focus (driver_find (driver, "filter_drop"));
  driver_xdotool (driver, "key Page_Up");
  assert_state (driver, "slice", "2");
}

static char *
write_recipe (Driver *driver, const char *slice)
{
  char *path = g_strdup_printf ("%s/%s.ini", driver->folder, slice);
  g_autofree char *text = g_strdup_printf ("[recipe]\nslice=%s\n", slice);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  return path;
}

static double
get_top (Driver *driver)
{
  double top;

  gtk_widget_translate_coordinates (driver_find (driver, "scan_label"),
                                    GTK_WIDGET (driver->window), 0, 0, NULL,
                                    &top);
  return top;
}

/* What was refused is forgotten with the next that is not; and what is said of
 * it moves nothing. */
static void
test_banner (Driver *driver)
{
  g_autofree char *good = write_recipe (driver, "1");
  g_autofree char *bad = write_recipe (driver, "7");
  g_autoptr (GdkTexture) shot = NULL;
  double top;

  driver_open (driver);
  top = get_top (driver);
  /* while a picture is made, that does not take it away */
  driver_activate (driver, "centre", g_variant_new_double (46));
  driver_activate (driver, "open", g_variant_new_string (bad));
  driver_settle (driver);
  g_assert_nonnull (
      strstr (tl_window_get_banner (driver->window), "there is no slice 7"));
  g_assert_cmpfloat (get_top (driver), ==, top);
  shot = driver_shoot (driver, "banner");
  driver_activate (driver, "open", g_variant_new_string (good));
  driver_settle (driver);
  g_assert_null (tl_window_get_banner (driver->window));

  driver_activate (driver, "cutoff", g_variant_new_double (7));
  g_assert_nonnull (tl_window_get_banner (driver->window));
  driver_activate (driver, "undo", NULL);
  driver_settle (driver);
  g_assert_null (tl_window_get_banner (driver->window));
}

int
main (int argc, char **argv)
{
  static const DriverCase cases[] = {
    { "/ui/fields/text", test_text },
    { "/ui/fields/number", test_number },
    { "/ui/fields/banner", test_banner },
  };

  return driver_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
