/* Fields for text and numbers: their keys, and the values they refuse. */
#include "tests/ui/driver.h"

static void
assert_centre (Driver *driver, double want)
{
  g_assert_cmpfloat (tl_parameters_get_centre (driver->session->parameters), ==,
                     want);
}

/* The keys edit the text until it is sent. */
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
  driver_assert_state (driver, "slice", "1");
  assert_centre (driver, 47.5);
  /* the text is unchanged, so Ctrl+Z undoes the last step of the program */
  driver_xdotool (driver, "key ctrl+z");
  driver_assert_state (driver, "slice", "2");
  driver_xdotool (driver, "key ctrl+shift+z");
  driver_assert_state (driver, "slice", "1");
  /* after the text is sent, Ctrl+Z undoes the value, not the typing */
  driver_xdotool (driver, "type 0:90");
  driver_xdotool (driver, "key Return");
  driver_assert_state (driver, "angles", "'0:90'");
  driver_xdotool (driver, "key ctrl+z");
  driver_assert_state (driver, "angles", "''");
  g_assert_cmpstr (gtk_editable_get_text (angles), ==, "");
}

/* In a field for a number, Ctrl+Z undoes the typing, or else the last value. */
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
  g_assert_true (gtk_widget_has_focus (GTK_WIDGET (driver->view)));
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (spin)), ==, "47.50");
  assert_centre (driver, 47.5);
  driver_assert_state (driver, "slice", "1");
  gtk_widget_grab_focus (spin);
  driver_xdotool (driver, "key Left key shift+Left key Up");
  assert_centre (driver, 48.5);
  driver_xdotool (driver, "key ctrl+z");
  assert_centre (driver, 47.5);
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (spin)), ==, "47.50");
  /* at the end of a slider; the keys must not scroll the panel */
  gtk_widget_grab_focus (driver_find (driver, "filter_drop"));
  driver_xdotool (driver, "key Page_Up");
  driver_assert_state (driver, "slice", "2");
}

/* A click in the picture ends the entry, so that the keys go to the picture. */
static void
test_click (Driver *driver)
{
  GtkWidget *spin = driver_find (driver, "centre_spin");

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  gtk_widget_grab_focus (spin);
  driver_xdotool (driver, "key ctrl+a type 46");
  driver_click (driver, GTK_WIDGET (driver->view));
  driver_settle (driver);
  assert_centre (driver, 46);
  driver_xdotool (driver, "key Right");
  assert_centre (driver, 47);
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

/* A message about a refused value leaves when the next value is accepted. It
 * does not move the picture. */
static void
test_banner (Driver *driver)
{
  g_autofree char *good = write_recipe (driver, "1");
  g_autofree char *bad = write_recipe (driver, "7");
  g_autoptr (GdkTexture) shot = NULL;
  double top;

  driver_open (driver);
  top = get_top (driver);
  /* the new picture that is being made does not remove the message */
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

static void
type (Driver *driver, const char *name, const char *text)
{
  gtk_widget_grab_focus (driver_find (driver, name));
  driver_xdotool (driver, "key ctrl+a type -- \"%s\"", text);
  driver_xdotool (driver, "key Return");
}

/* @reason: (nullable): why @text is refused; NULL if @text is the valid
 * value */
static void
assert_refused (Driver *driver, GtkWidget *spin, const char *text,
                const char *reason)
{
  const char *tooltip = gtk_widget_get_tooltip_text (spin);
  const char *banner = tl_window_get_banner (driver->window);

  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (spin)), ==, text);
  g_assert_cmpint (gtk_widget_has_css_class (spin, "error"), ==,
                   reason != NULL);
  if (reason == NULL)
    {
      g_assert_null (banner);
      return;
    }
  g_assert_nonnull (strstr (banner, reason));
  g_assert_cmpstr (tooltip, ==, banner);
}

/* Refused text stays in the field with its reason until it is corrected or
 * given up. The value does not change, and is shown again when the focus leaves
 * the field; the banner still says why. */
static void
test_refused (Driver *driver)
{
  TlParameters *parameters = driver->session->parameters;
  static const char *const texts[][2] = {
    { "abc", "“abc” is not a number" },
    { "12x", "“12x” is not a number" },
    { " ", "“ ” is not a number" },
    { "inf", "“inf” is not a number" },
    { "1000", "centre 1000 is outside the detector" },
  };
  GtkWidget *spin = driver_find (driver, "centre_spin");

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  driver_activate (driver, "centre", g_variant_new_double (46.25));
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_assert_null (tl_window_get_banner (driver->window));
      type (driver, "centre_spin", texts[i][0]);
      g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==, 46.25);
      assert_refused (driver, spin, texts[i][0], texts[i][1]);
      driver_xdotool (driver, "key Escape");
      assert_refused (driver, spin, "46.25", NULL);
      gtk_widget_grab_focus (spin);
      driver_xdotool (driver, "key ctrl+a type -- \"%s\"", texts[i][0]);
      driver_xdotool (driver, "key Tab");
      g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==, 46.25);
      g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (spin)), ==,
                       "46.25");
      g_assert_false (gtk_widget_has_css_class (spin, "error"));
      g_assert_nonnull (
          strstr (tl_window_get_banner (driver->window), texts[i][1]));
      driver_activate (driver, "dismiss", NULL);
    }
  /* a value that is set elsewhere replaces the text */
  type (driver, "centre_spin", "-8");
  driver_activate (driver, "centre", g_variant_new_double (47));
  driver_settle (driver);
  assert_refused (driver, spin, "47.00", NULL);
  type (driver, "slice_spin", "5");
  g_assert_cmpuint (tl_parameters_get_slice (parameters), ==, 2);
  g_assert_nonnull (strstr (tl_window_get_banner (driver->window),
                            "there is no slice 5; the rows are 0 to 4"));
  type (driver, "slice_spin", "4");
  g_assert_cmpuint (tl_parameters_get_slice (parameters), ==, 4);
  g_assert_null (tl_window_get_banner (driver->window));
}

static void
assert_angles (GtkEntry *entry, const char *text, gboolean is_marked)
{
  const char *tooltip = gtk_widget_get_tooltip_text (GTK_WIDGET (entry));

  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (entry)), ==, text);
  g_assert_cmpint (gtk_widget_has_css_class (GTK_WIDGET (entry), "error"), ==,
                   is_marked);
  g_assert_cmpint (strstr (tooltip, "two different angles") != NULL, ==,
                   is_marked);
}

static gboolean
has_no_order (Driver *driver)
{
  return !tl_scan_source_get_summary (driver->session->source)->steps.in_order
         && driver_is_drawn (driver);
}

/* Angles in no order are none that could be typed as first and last. */
static void
test_no_order (Driver *driver)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *file = g_build_filename (driver->folder, "angles.txt", NULL);
  GtkEntry *entry = GTK_ENTRY (driver_find (driver, "angles_entry"));
  size_t n;

  driver_open (driver);
  n = tl_scan_source_get_summary (driver->session->source)->n_projections;
  for (size_t k = 0; k < n; k++)
    g_string_append_printf (text, "%zu\n",
                            k * 2 < n ? 4 * k : 4 * k - 2 * n + 2);
  g_assert_true (g_file_set_contents (file, text->str, -1, NULL));
  g_assert_true (tl_parameters_set (driver->session->parameters, "angles-file",
                                    file, NULL));
  driver_wait (driver, has_no_order, "the scan with these angles");
  g_assert_nonnull (
      strstr (gtk_entry_get_placeholder_text (entry), " in no order"));
}

/* Angles are given, refused, and reset. The picture and its axis stay. */
static void
test_angles (Driver *driver)
{
  TlScanSource *source = driver->session->source;
  GtkEntry *entry = GTK_ENTRY (driver_find (driver, "angles_entry"));
  const TlScanSummary *scan;

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  g_assert_cmpstr (gtk_entry_get_placeholder_text (entry), ==, "0:178");
  driver_activate (driver, "centre", g_variant_new_double (46.25));
  type (driver, "angles_entry", "-90:90");
  scan = tl_scan_source_get_summary (source);
  g_assert_cmpfloat (scan->first_angle_deg, ==, -90);
  g_assert_cmpfloat (scan->last_angle_deg, ==, 90);
  g_assert_cmpfloat (tl_parameters_get_centre (driver->session->parameters), ==,
                     46.25);
  type (driver, "angles_entry", "half a turn");
  g_assert_nonnull (strstr (tl_window_get_banner (driver->window),
                            "FIRST:LAST, two different angles in degrees"));
  /* the text is marked and has the reason as tooltip until it is corrected or
   * given up */
  assert_angles (entry, "half a turn", TRUE);
  driver_xdotool (driver, "key Tab");
  assert_angles (entry, "-90:90", FALSE);
  type (driver, "angles_entry", "half a turn");
  driver_xdotool (driver, "key End type s");
  assert_angles (entry, "half a turns", FALSE);
  driver_xdotool (driver, "key Return");
  assert_angles (entry, "half a turns", TRUE);
  driver_xdotool (driver, "key Escape");
  assert_angles (entry, "-90:90", FALSE);
  g_assert_null (tl_window_get_banner (driver->window));
  /* also when the focus leaves the field */
  gtk_widget_grab_focus (GTK_WIDGET (entry));
  driver_xdotool (driver, "key ctrl+a key Delete");
  driver_xdotool (driver, "key Tab");
  scan = tl_scan_source_get_summary (source);
  g_assert_cmpfloat (scan->last_angle_deg, ==, 178);
  g_assert_null (tl_window_get_banner (driver->window));
}

/* A sum of steps has no more digits than its steps. */
static void
test_steps (Driver *driver)
{
  GtkWidget *spin = driver_find (driver, "cutoff_spin");
  g_autofree char *value = NULL;

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  gtk_widget_grab_focus (spin);
  driver_xdotool (driver, "key --repeat 31 Down");
  value = tl_recipe_get (tl_parameters_get_recipe (driver->session->parameters),
                         "cutoff");
  g_assert_cmpstr (value, ==, "0.69");
}

/* The arrow keys begin at the chosen row of a list that opens. */
static void
test_list (Driver *driver)
{
  GtkWidget *drop = driver_find (driver, "filter_drop");

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  for (guint i = 0; i < 2; i++)
    {
      driver_activate (driver, "filter", g_variant_new_string ("hann"));
      driver_settle (driver);
      gtk_widget_grab_focus (drop);
      driver_xdotool (driver, "key space");
      driver_xdotool (driver, "key Down key Return");
      driver_assert_state (driver, "filter", "'hamming'");
    }
}

int
main (int argc, char **argv)
{
  static const DriverCase cases[] = {
    { "/ui/fields/text", test_text },
    { "/ui/fields/number", test_number },
    { "/ui/fields/click", test_click },
    { "/ui/fields/banner", test_banner },
    { "/ui/fields/refused", test_refused },
    { "/ui/fields/angles", test_angles },
    { "/ui/fields/no-order", test_no_order },
    { "/ui/fields/list", test_list },
    { "/ui/fields/steps", test_steps },
  };

  return driver_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
