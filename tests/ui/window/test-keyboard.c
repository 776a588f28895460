/* Keys after each control of the panel, each field and each dialog: they mean
 * the picture again. */
#include "tests/ui/driver.h"

#define SLICE 2
#define CENTRE 46.0

static TlParameters *
get_parameters (Driver *driver)
{
  return driver->session->parameters;
}

static gboolean
is_holding (Driver *driver)
{
  g_autofree char *state = driver_get_state (driver, "hold");

  return strcmp (state, "true") == 0;
}

static void
go_to_start (Driver *driver)
{
  driver_activate (driver, "slice", g_variant_new_uint32 (SLICE));
  driver_activate (driver, "centre", g_variant_new_double (CENTRE));
  driver_settle (driver);
}

/* @what: after which the keys are pressed, in the message of a failure */
static void
assert_keys (Driver *driver, const char *what)
{
  const gboolean was_holding = is_holding (driver);

  go_to_start (driver);
  g_test_message ("keys after %s", what);
  driver_xdotool (driver, "key Page_Up");
  g_assert_cmpuint (tl_parameters_get_slice (get_parameters (driver)), ==,
                    SLICE + 1);
  driver_xdotool (driver, "key Left key Left key shift+Right");
  g_assert_cmpfloat (tl_parameters_get_centre (get_parameters (driver)), ==,
                     CENTRE - 1.9);
  driver_xdotool (driver, "key h");
  g_assert_cmpint (is_holding (driver), !=, was_holding);
  driver_xdotool (driver, "key h");
}

static gboolean
is_control (GtkWidget *widget)
{
  return GTK_IS_SPIN_BUTTON (widget) || GTK_IS_ENTRY (widget)
         || GTK_IS_SCALE (widget) || GTK_IS_DROP_DOWN (widget)
         || GTK_IS_CHECK_BUTTON (widget) || GTK_IS_SWITCH (widget);
}

/* Lists the controls in @root that can be used now. */
static void
list_controls (GPtrArray *controls, GtkWidget *root)
{
  if (!gtk_widget_get_mapped (root) || !gtk_widget_is_sensitive (root))
    return;
  if (is_control (root))
    {
      g_ptr_array_add (controls, root);
      return;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    list_controls (controls, child);
}

/* In view, as a user would scroll to it. */
static void
click (Driver *driver, GtkWidget *control)
{
  gtk_widget_grab_focus (control);
  driver_settle (driver);
  driver_click (driver, control);
  if (GTK_IS_DROP_DOWN (control))
    driver_xdotool (driver, "key Escape");
}

static void
test_controls (Driver *driver)
{
  g_autoptr (GPtrArray) controls = g_ptr_array_new ();

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  list_controls (controls, driver_find (driver, "panel"));
  g_assert_cmpuint (controls->len, >, 15);
  for (guint i = 0; i < controls->len; i++)
    {
      GtkWidget *control = controls->pdata[i];

      if (!gtk_widget_get_mapped (control)
          || !gtk_widget_is_sensitive (control))
        continue;
      click (driver, control);
      assert_keys (driver,
                   gtk_buildable_get_buildable_id (GTK_BUILDABLE (control)));
    }
}

/* A slider that Tab has reached is moved by the arrows, for who has no mouse,
 * while the page keys still are for the slice. */
static void
test_slider (Driver *driver)
{
  GtkWidget *scale = driver_find (driver, "cutoff_scale");
  double cutoff;

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  go_to_start (driver);
  cutoff = gtk_range_get_value (GTK_RANGE (scale));
  gtk_widget_grab_focus (driver_find (driver, "filter_drop"));
  for (guint i = 0; i < 4 && !gtk_widget_has_focus (scale); i++)
    driver_xdotool (driver, "key Tab");
  g_assert_true (gtk_widget_has_focus (scale));
  driver_xdotool (driver, "key Left");
  g_assert_cmpfloat (gtk_range_get_value (GTK_RANGE (scale)), <, cutoff);
  g_assert_cmpfloat (tl_parameters_get_centre (get_parameters (driver)), ==,
                     CENTRE);
  cutoff = gtk_range_get_value (GTK_RANGE (scale));
  driver_xdotool (driver, "key Page_Up");
  g_assert_cmpfloat (gtk_range_get_value (GTK_RANGE (scale)), ==, cutoff);
  g_assert_cmpuint (tl_parameters_get_slice (get_parameters (driver)), ==,
                    SLICE + 1);
  driver_xdotool (driver, "key Escape");
  assert_keys (driver, "Escape on a slider");
}

static void
type (Driver *driver, const char *field, const char *text, const char *key)
{
  driver_click (driver, driver_find (driver, field));
  driver_xdotool (driver, "key ctrl+a type %s", text);
  if (key != NULL)
    driver_xdotool (driver, "key %s", key);
}

static void
assert_text (Driver *driver, const char *field, const char *text)
{
  g_assert_cmpstr (
      gtk_editable_get_text (GTK_EDITABLE (driver_find (driver, field))), ==,
      text);
}

/* Enter, Escape, a page key and a click in the picture end what is typed. */
static void
test_fields (Driver *driver)
{
  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  type (driver, "centre_spin", "45", "Return");
  driver_assert_state (driver, "centre", "45.0");
  assert_keys (driver, "Enter in the centre");
  type (driver, "centre_spin", "45", "Escape");
  driver_assert_state (driver, "centre", "44.100000000000001");
  assert_keys (driver, "Escape in the centre");
  type (driver, "centre_spin", "45", "Page_Down");
  driver_assert_state (driver, "centre", "45.0");
  driver_assert_state (driver, "slice", "2");
  type (driver, "angles_entry", "0:178", "Return");
  driver_assert_state (driver, "angles", "'0:178'");
  assert_keys (driver, "Enter in the angles");
  assert_text (driver, "angles_entry", "0:178");
  type (driver, "angles_entry", "0:36", "Escape");
  assert_keys (driver, "Escape in the angles");
  assert_text (driver, "angles_entry", "0:178");
  driver_click (driver, driver_find (driver, "angles_entry"));
  driver_click (driver, GTK_WIDGET (driver->view));
  assert_keys (driver, "a click in the picture");
  assert_text (driver, "angles_entry", "0:178");
}

static void
test_dialogs (Driver *driver)
{
  static const char *const keys[] = { "ctrl+question", "ctrl+i", "ctrl+alt+o",
                                      "ctrl+o", "ctrl+s" };

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      driver_click (driver, driver_find (driver, "angles_entry"));
      driver_xdotool (driver, "key %s", keys[i]);
      driver_wait (driver, driver_has_dialog, keys[i]);
      driver_settle (driver);
      driver_xdotool (driver, "key Escape");
      driver_wait (driver, driver_has_no_dialog, "the end of the dialog");
      driver_settle (driver);
      assert_keys (driver, keys[i]);
      assert_text (driver, "angles_entry", "");
    }
}

/* A menu that is closed without a choice, and a button that stays pressed. */
static void
test_header (Driver *driver)
{
  static const char *const menus[] = { "recent_button", "measured_button",
                                       "history_button" };

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  go_to_start (driver);
  for (guint i = 0; i < G_N_ELEMENTS (menus); i++)
    {
      driver_click (driver, driver_find (driver, menus[i]));
      driver_xdotool (driver, "key Escape");
      assert_keys (driver, menus[i]);
    }
  driver_click (driver, gtk_widget_get_next_sibling (gtk_widget_get_parent (
                            driver_find (driver, "view_buttons"))));
  g_assert_true (is_holding (driver));
  assert_keys (driver, "Hold");
}

static GtkWidget *
find_menu (Driver *driver)
{
  return GTK_WIDGET (gtk_menu_button_get_popover (
      GTK_MENU_BUTTON (driver_find (driver, "main_menu_button"))));
}

/* Returns: whether the menu is there, and gets the keys */
static gboolean
is_menu_open (Driver *driver)
{
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (driver->window));
  GtkWidget *menu = find_menu (driver);

  return gtk_widget_get_mapped (menu) && focus != NULL
         && gtk_widget_is_ancestor (focus, menu);
}

/* While it slides in, the letters of the main menu count, too. */
static gboolean
is_submenu_open (Driver *driver)
{
  GtkWidget *menu = find_menu (driver);
  g_autofree char *name = NULL;

  g_object_get (menu, "visible-submenu", &name, NULL);
  return g_strcmp0 (name, "_Save and Copy") == 0
         && !gtk_stack_get_transition_running (
             driver_find_type (menu, GTK_TYPE_STACK));
}

static gboolean
is_menu_closed (Driver *driver)
{
  return !gtk_widget_get_mapped (find_menu (driver));
}

/* The main menu by the keyboard alone, with a submenu. */
static void
test_mnemonics (Driver *driver)
{
  g_autofree char *text = NULL;

  driver_assert_mnemonics (driver);
  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  driver_xdotool (driver, "key F10");
  driver_wait (driver, is_menu_open, "the main menu");
  driver_xdotool (driver, "key s");
  driver_wait (driver, is_submenu_open, "the submenu");
  driver_xdotool (driver, "key m");
  driver_wait (driver, is_menu_closed, "the menu to close");
  driver_settle (driver);
  text = driver_paste_text (driver);
  g_assert_true (g_str_has_prefix (text, "tomolens-cli"));
}

/* Down is a key of the overlay. Where that is not shown, it moves the focus. */
static void
test_disabled (Driver *driver)
{
  GtkWidget *button = driver_find (driver, "find_button");

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  gtk_widget_grab_focus (button);
  g_assert_true (gtk_widget_has_focus (button));
  driver_xdotool (driver, "key Down");
  g_assert_false (gtk_widget_has_focus (button));
}

/* Tooltips name the keys of the table. */
static void
test_tooltips (Driver *driver)
{
  GtkWidget *views = driver_find (driver, "view_buttons");
  GtkWidget *hold = gtk_widget_get_next_sibling (gtk_widget_get_parent (views));

  g_assert_cmpstr (
      gtk_widget_get_tooltip_text (gtk_widget_get_first_child (views)), ==,
      "The reconstruction (F2)");
  g_assert_cmpstr (
      gtk_widget_get_tooltip_text (hold), ==,
      "Hold this slice or these planes as A, to compare others with it (H)");
}

int
main (int argc, char **argv)
{
  static const DriverCase cases[] = {
    { "/ui/keyboard/controls", test_controls },
    { "/ui/keyboard/header", test_header },
    { "/ui/keyboard/slider", test_slider },
    { "/ui/keyboard/fields", test_fields },
    { "/ui/keyboard/dialogs", test_dialogs },
    { "/ui/keyboard/mnemonics", test_mnemonics },
    { "/ui/keyboard/disabled", test_disabled },
    { "/ui/keyboard/tooltips", test_tooltips },
  };

  return driver_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
