/* The names and roles that a screen reader gets, and the order of the Tab
 * key. */
#include "tests/ui/driver.h"

#include "ui/view/widget.h"

#include <math.h>

static gboolean
is_within (GtkWidget *widget, GType type)
{
  return gtk_widget_get_ancestor (gtk_widget_get_parent (widget), type) != NULL;
}

/* Widgets that need no name: those that cannot have the focus, and parts of
 * GTK's widgets whose owner has the name (the text of an entry, the scroller of
 * a menu, the row in a drop-down's button). */
static gboolean
is_inner_part (GtkWidget *widget)
{
  return GTK_IS_TEXT (widget)
         || (GTK_IS_SCROLLED_WINDOW (widget)
             && (is_within (widget, GTK_TYPE_POPOVER_MENU)
                 || is_within (widget, GTK_TYPE_DROP_DOWN)))
         || (is_within (widget, GTK_TYPE_DROP_DOWN)
             && is_within (widget, GTK_TYPE_TOGGLE_BUTTON));
}

static gboolean
has_name (GtkWidget *widget)
{
  GtkAccessible *accessible = GTK_ACCESSIBLE (widget);

  if (GTK_IS_LABEL (widget)) /* its text is its name */
    return TRUE;
  return gtk_test_accessible_has_property (accessible,
                                           GTK_ACCESSIBLE_PROPERTY_LABEL)
         || gtk_test_accessible_has_relation (
             accessible, GTK_ACCESSIBLE_RELATION_LABELLED_BY);
}

static char *
describe_place (GtkWidget *widget)
{
  GString *text = g_string_new (NULL);

  for (; widget != NULL; widget = gtk_widget_get_parent (widget))
    g_string_append_printf (text, "%s%s%s", text->len > 0 ? " in " : "",
                            G_OBJECT_TYPE_NAME (widget),
                            gtk_widget_get_tooltip_text (widget) != NULL
                                ? gtk_widget_get_tooltip_text (widget)
                                : "");
  return g_string_free (text, FALSE);
}

static void
list_nameless (GtkWidget *widget, GPtrArray *found)
{
  if (gtk_widget_get_focusable (widget) && !is_inner_part (widget)
      && !has_name (widget))
    g_ptr_array_add (found, describe_place (widget));
  if (GTK_IS_EXPANDER (widget)) /* folded children are inaccessible */
    gtk_expander_set_expanded (GTK_EXPANDER (widget), TRUE);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    list_nameless (child, found);
}

static void
assert_names (GtkWidget *root)
{
  g_autoptr (GPtrArray) found = g_ptr_array_new_with_free_func (g_free);

  list_nameless (root, found);
  for (guint i = 0; i < found->len; i++)
    g_test_message ("no name: %s", (char *)found->pdata[i]);
  g_assert_cmpuint (found->len, ==, 0);
}

/* Also checks hidden widgets and menus, and the page with an export. */
static void
test_names (Driver *driver)
{
  g_autofree char *volume = g_build_filename (driver->folder, "v", NULL);

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  driver_activate (driver, "centre", g_variant_new_double (40));
  gtk_widget_activate_action (GTK_WIDGET (driver->window), "win.history", NULL);
  driver_settle (driver);
  assert_names (GTK_WIDGET (driver->window));
  gtk_widget_activate_action (GTK_WIDGET (driver->window), "win.open-address",
                              NULL);
  driver_wait (driver, driver_has_dialog, "the dialog of addresses");
  assert_names (GTK_WIDGET (driver_find_dialog (driver)));
  gtk_window_close (driver_find_dialog (driver));
  gtk_widget_activate_action (GTK_WIDGET (driver->window), "win.export-page",
                              NULL);
  driver_activate (driver, "export",
                   g_variant_new_parsed ("{'path': <%s>}", volume));
  driver_wait (driver, driver_is_exported, "the export");
  assert_names (GTK_WIDGET (driver->window));
}

static void
count_role (GtkWidget *widget, GtkAccessibleRole role, guint *n)
{
  if (gtk_accessible_get_accessible_role (GTK_ACCESSIBLE (widget)) == role)
    {
      g_assert_true (has_name (widget) || role == GTK_ACCESSIBLE_ROLE_ALERT);
      ++*n;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    count_role (child, role, n);
}

static void
assert_drawn (GtkWidget *widget)
{
  gtk_test_accessible_assert_role (GTK_ACCESSIBLE (widget),
                                   GTK_ACCESSIBLE_ROLE_IMG);
  g_assert_true (has_name (widget));
  g_assert_true (gtk_test_accessible_has_property (
      GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION));
}

/* The drawn picture has the role of an image, the status line and overlays that
 * of a status, and the message above that of an alert. */
static void
test_roles (Driver *driver)
{
  static const char *const drawn[] = { "histogram", "filter_curve" };
  guint n_status = 0, n_alert = 0;

  driver_open (driver);
  gtk_test_accessible_assert_role (GTK_ACCESSIBLE (driver->view),
                                   GTK_ACCESSIBLE_ROLE_IMG);
  g_assert_true (has_name (GTK_WIDGET (driver->view)));
  for (guint i = 0; i < G_N_ELEMENTS (drawn); i++)
    assert_drawn (driver_find (driver, drawn[i]));
  assert_drawn (GTK_WIDGET (tl_axis_page_get_plot (
      tl_pages_get_axis_page (driver_get_pages (driver)))));
  count_role (GTK_WIDGET (driver->window), GTK_ACCESSIBLE_ROLE_STATUS,
              &n_status);
  count_role (GTK_WIDGET (driver->window), GTK_ACCESSIBLE_ROLE_ALERT, &n_alert);
  g_assert_cmpuint (n_status, ==, 3);
  g_assert_cmpuint (n_alert, ==, 1);
}

/* --- the Tab key --- */

#define MAX_STOPS 100

typedef enum
{
  REGION_HEADER,
  REGION_PICTURE,
  REGION_PANEL,
} Region;

static Region
find_region (GtkWidget *widget)
{
  if (gtk_widget_get_ancestor (widget, GTK_TYPE_HEADER_BAR) != NULL)
    return REGION_HEADER;
  return gtk_widget_get_ancestor (widget, GTK_TYPE_STACK) != NULL
             ? REGION_PICTURE
             : REGION_PANEL;
}

/* Returns: whether the whole focused widget is in the visible part of the
 * panel */
static gboolean
is_in_view (Driver *driver)
{
  GtkWidget *focus = gtk_root_get_focus (GTK_ROOT (driver->window));
  GtkWidget *scrolled =
      gtk_widget_get_ancestor (focus, GTK_TYPE_SCROLLED_WINDOW);
  graphene_rect_t bounds;

  if (scrolled == NULL)
    return TRUE;
  g_assert_true (gtk_widget_compute_bounds (focus, scrolled, &bounds));
  return bounds.origin.y > -1
         && bounds.origin.y + bounds.size.height
                < gtk_widget_get_height (scrolled) + 1;
}

/* Asserts the order of the focus: by region, and in the panel from top to
 * bottom. */
static void
assert_after (Driver *driver, GtkWidget *before, GtkWidget *focus)
{
  Region region = find_region (focus);
  double x, y, y_before;

  if (region == find_region (before))
    {
      gtk_widget_translate_coordinates (focus, GTK_WIDGET (driver->window), 0,
                                        gtk_widget_get_height (focus), &x, &y);
      gtk_widget_translate_coordinates (before, GTK_WIDGET (driver->window), 0,
                                        0, &x, &y_before);
      if (y <= y_before)
        {
          g_autofree char *place = describe_place (focus);
          g_error ("%s has the focus before what is above it", place);
        }
    }
  else
    g_assert_cmpint (region, >, find_region (before));
}

static GtkWidget *
press_tab (Driver *driver)
{
  GtkWidget *focus;

  driver_xdotool (driver, "key Tab");
  focus = gtk_root_get_focus (GTK_ROOT (driver->window));
  g_assert_nonnull (focus);
  return focus;
}

static gboolean
has_held (Driver *driver)
{
  return tl_slice_comparison_get_held (driver->session->comparison) != NULL;
}

/* Goes once round from the first button of the header bar. @n_of: number of
 * stops in each region */
static void
go_round (Driver *driver, guint n_of[REGION_PANEL + 1])
{
  GtkWidget *first, *before, *focus;
  guint n = 0;

  gtk_widget_grab_focus (driver_find (driver, "colormap_drop"));
  while (find_region (before = press_tab (driver)) != REGION_HEADER)
    g_assert_cmpuint (n++, <, MAX_STOPS);
  first = before;
  do
    {
      g_autofree char *place = describe_place (before);
      g_test_message ("%s", place);
      n_of[find_region (before)]++;
      focus = press_tab (driver);
      g_assert_true (
          gtk_window_get_focus_visible (GTK_WINDOW (driver->window)));
      driver_wait (driver, is_in_view, "what has the focus to be in view");
      if (focus != first)
        assert_after (driver, before, focus);
      before = focus;
      g_assert_cmpuint (n++, <, 2 * MAX_STOPS);
    }
  while (focus != first);
  g_test_message ("stops: %u header, %u picture, %u panel", n_of[REGION_HEADER],
                  n_of[REGION_PICTURE], n_of[REGION_PANEL]);
  g_assert_cmpuint (n_of[REGION_HEADER], >=, 6);
  g_assert_cmpuint (n_of[REGION_PANEL], >=, 25);
}

static void
test_tab (Driver *driver)
{
  guint n_of[] = { 0, 0, 0 };

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  driver_activate (driver, "profile", NULL);
  driver_activate (driver, "hold", NULL);
  driver_wait (driver, has_held, "A");
  driver_activate (driver, "compare", g_variant_new_string ("blink"));
  driver_settle (driver);
  go_round (driver, n_of);
  g_assert_cmpuint (n_of[REGION_PICTURE], >=, 3);
}

/* The pages for the axis: their bars and the drawn widgets. */
static void
test_tab_pages (Driver *driver)
{
  static const struct
  {
    const char *view;
    guint n_stops;
  } pages[] = { { "candidates", 5 },
                { "axis", 3 },
                { "overlay", 3 },
                { "export", 12 },
                { "planes", 4 } };

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  for (guint i = 0; i < G_N_ELEMENTS (pages); i++)
    {
      guint n_of[] = { 0, 0, 0 };

      driver_activate (driver, "view", g_variant_new_string (pages[i].view));
      driver_settle (driver);
      go_round (driver, n_of);
      g_assert_cmpuint (n_of[REGION_PICTURE], >=, pages[i].n_stops);
    }
}

/* Returns: whether a click at a place in @widget reaches it or a part of it */
static gboolean
is_under_pointer (GtkWidget *widget, double x, double y)
{
  GtkWidget *root = GTK_WIDGET (gtk_widget_get_root (widget)), *met;
  double root_x, root_y;

  gtk_widget_translate_coordinates (widget, root, x, y, &root_x, &root_y);
  met = gtk_widget_pick (root, root_x, root_y, GTK_PICK_DEFAULT);
  return met != NULL && (met == widget || gtk_widget_is_ancestor (met, widget));
}

static guint
assert_under_pointer (GtkWidget *widget)
{
  guint n = 0;

  if (!gtk_widget_get_mapped (widget))
    return 0;
  if (gtk_widget_get_focusable (widget) && gtk_widget_is_sensitive (widget)
      && !is_inner_part (widget))
    {
      g_autofree char *place = describe_place (widget);
      double width = gtk_widget_get_width (widget);

      g_test_message ("%s", place);
      g_assert_true (is_under_pointer (widget, width / 2, 2));
      g_assert_true (is_under_pointer (widget, width / 2,
                                       gtk_widget_get_height (widget) / 2.0));
      n++;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    n += assert_under_pointer (child);
  return n;
}

static gboolean
is_sliding (GtkWidget *widget)
{
  if (GTK_IS_REVEALER (widget)
      && gtk_revealer_get_reveal_child (GTK_REVEALER (widget))
             != gtk_revealer_get_child_revealed (GTK_REVEALER (widget)))
    return TRUE;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (is_sliding (child))
      return TRUE;
  return FALSE;
}

static gboolean
is_at_rest (Driver *driver)
{
  return !is_sliding (driver_find (driver, "pages"));
}

/* No invisible widget covers a visible one. */
static void
test_pointer (Driver *driver)
{
  static const struct
  {
    const char *view;
    guint n_controls;
  } views[] = {
    { "slice", 0 },   { "candidates", 5 }, { "axis", 3 },
    { "overlay", 3 }, { "export", 12 },    { "planes", 4 },
  };
  GtkWidget *pages = driver_find (driver, "pages");

  driver_open (driver);
  for (guint i = 0; i < G_N_ELEMENTS (views); i++)
    {
      driver_activate (driver, "view", g_variant_new_string (views[i].view));
      driver_settle (driver);
      driver_wait (driver, is_at_rest, "bars to have come and gone");
      for (int y = 1; y < gtk_widget_get_height (pages); y++)
        g_assert_true (
            is_under_pointer (pages, gtk_widget_get_width (pages) / 2.0, y));
      g_assert_cmpuint (assert_under_pointer (pages), >=, views[i].n_controls);
    }
}

/* --- colours --- */

static double
measure_light (const GdkRGBA *colour)
{
  const double parts[] = { colour->red, colour->green, colour->blue };
  const double weights[] = { 0.2126, 0.7152, 0.0722 };
  double sum = 0;

  for (guint k = 0; k < G_N_ELEMENTS (parts); k++)
    sum += weights[k]
           * (parts[k] <= 0.04045 ? parts[k] / 12.92
                                  : pow ((parts[k] + 0.055) / 1.055, 2.4));
  return sum;
}

/* Text needs 4.5 to 1 (1.4.3), what is dim too. */
static void
assert_text (Driver *driver, const char *name, const GdkRGBA *ground)
{
  GtkStyleContext *style =
      gtk_widget_get_style_context (driver_find (driver, name));
  GdkRGBA text;
  double a, b;

  gtk_style_context_get_color (style, &text);
  text.red = text.alpha * text.red + (1 - text.alpha) * ground->red;
  text.green = text.alpha * text.green + (1 - text.alpha) * ground->green;
  text.blue = text.alpha * text.blue + (1 - text.alpha) * ground->blue;
  a = measure_light (&text);
  b = measure_light (ground);
  g_test_message ("%s: %.2f", name, (MAX (a, b) + 0.05) / (MIN (a, b) + 0.05));
  g_assert_cmpfloat (MAX (a, b) + 0.05, >=, 4.5 * (MIN (a, b) + 0.05));
}

/* Lines and handles that the widgets draw stand out from the background at
 * least 3 to 1, as WCAG 2.1 asks of what is not text (1.4.11). */
static void
test_contrast (Driver *driver)
{
  static const struct
  {
    const char *theme;
    gboolean is_dark;
  } styles[] = { { "Default", FALSE },
                 { "Default", TRUE },
                 { "HighContrast", FALSE },
                 { "HighContrast", TRUE } };
  GtkWidget *plot;
  GtkSettings *settings;

  driver_open (driver);
  plot = driver_find (driver, "histogram");
  settings = gtk_widget_get_settings (plot);
  for (guint i = 0; i < G_N_ELEMENTS (styles); i++)
    {
      GdkRGBA line, ground;
      double a, b;

      g_object_set (settings, "gtk-theme-name", styles[i].theme,
                    "gtk-application-prefer-dark-theme", styles[i].is_dark,
                    NULL);
      driver_settle (driver);
      tl_widget_find_accent (plot, &line);
      g_assert_true (gtk_style_context_lookup_color (
          gtk_widget_get_style_context (plot), "theme_bg_color", &ground));
      a = measure_light (&line);
      b = measure_light (&ground);
      g_test_message ("%s, dark %d: %.2f", styles[i].theme, styles[i].is_dark,
                      (MAX (a, b) + 0.05) / (MIN (a, b) + 0.05));
      g_assert_cmpfloat (MAX (a, b) + 0.05, >=, 3 * (MIN (a, b) + 0.05));
      assert_text (driver, "notes_label", &ground);
      assert_text (driver, "stage_label", &ground);
      assert_text (driver, "silent_label", &ground);
      assert_text (driver, "centre_strip", &ground);
      assert_text (driver, "subtitle_label", &ground);
    }
  gtk_settings_reset_property (settings, "gtk-theme-name");
  gtk_settings_reset_property (settings, "gtk-application-prefer-dark-theme");
}

int
main (int argc, char **argv)
{
  static const DriverCase cases[] = {
    { "/ui/access/roles", test_roles },
    { "/ui/access/tab", test_tab },
    { "/ui/access/tab-pages", test_tab_pages },
    { "/ui/access/pointer", test_pointer },
    { "/ui/access/names", test_names },
    { "/ui/access/contrast", test_contrast },
  };

  g_setenv ("GTK_A11Y", "test", TRUE);
  return driver_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
