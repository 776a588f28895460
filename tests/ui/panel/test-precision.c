/* The map of the error of the fast precision, and the kernels that an engine
 * lacks. */
#include "tests/ui/driver.h"

#include "tests/support/wrapped.h"

#include <math.h>

/* Part of a slice's values that the simulated error of the fast precision
 * has. */
#define NOISE 1e-6f
/* From 1/pixel to 1/cm, for the pixels of 1 µm of the scan. */
#define PER_VALUE 1e4
static gboolean is_quiet; /* switches off the noise */

/* Replaces the engine's function (see meson.build). On the host engine both
 * precisions give the same slice, so noise is added to the fast one. */
TlFrame *
__wrap_tl_engine_reconstruct (TlEngine *engine, const TlParams *params,
                              GCancellable *cancellable, GError **error)
{
  TlFrame *frame =
      __real_tl_engine_reconstruct (engine, params, cancellable, error);
  float *pixels;
  size_t n;

  if (frame == NULL || is_quiet || params->precision != TL_PRECISION_FAST)
    return frame;
  pixels = (float *)tl_frame_get_pixels (frame);
  n = tl_frame_get_n_rows (frame) * tl_frame_get_n_cols (frame);
  for (size_t i = 0; i < n; i++)
    pixels[i] += NOISE * (float)g_random_double_range (-1, 1);
  return frame;
}

static void
click (Driver *driver, GtkWidget *widget)
{
  int x, y;

  gtk_widget_grab_focus (widget); /* scrolls to it */
  driver_settle (driver);
  /* twice, because the panel may scroll in between */
  for (guint i = 0; i < 2; i++)
    {
      driver_locate (driver, widget, gtk_widget_get_width (widget) / 2.0,
                     gtk_widget_get_height (widget) / 2.0, &x, &y);
      driver_settle (driver);
    }
  driver_xdotool (driver, "mousemove %d %d click 1", x, y);
}

/* Opens the scan on the host engine and unfolds the section with the
 * precision. */
static void
open_on_host (Driver *driver)
{
  driver_activate (driver, "engine", g_variant_new_string ("host"));
  driver_open (driver);
  gtk_expander_set_expanded (
      GTK_EXPANDER (driver_find (driver, "engine_expander")), TRUE);
  driver_settle (driver);
}

static void
assert_shown (Driver *driver, gboolean is_map)
{
  GtkWidget *revealer = driver_find (driver, "caption_revealer");
  g_autofree char *state = driver_get_state (driver, "precision-cost");

  g_assert_cmpint (tl_display_shows_differences (driver->session->display), ==,
                   is_map);
  g_assert_cmpstr (state, ==, is_map ? "true" : "false");
  g_assert_cmpint (gtk_revealer_get_reveal_child (GTK_REVEALER (revealer)), ==,
                   is_map);
}

/* The map has a window of its own about 0, and the slice has its own again
 * afterwards. */
static void
test_cost (Driver *driver)
{
  TlView *view = tl_application_get_view (driver->application);
  g_autoptr (GdkTexture) shot = NULL;
  GtkEditable *high_spin;
  GtkLabel *label;
  double low, high;

  if (driver_lacks ("xdotool"))
    return;
  open_on_host (driver);
  low = tl_view_get_low (view);
  high = tl_view_get_high (view);
  click (driver, driver_find (driver, "cost_button"));
  assert_shown (driver, TRUE);
  label = GTK_LABEL (driver_find (driver, "caption_label"));
  g_assert_nonnull (
      strstr (gtk_label_get_text (label), "fast precision differs from full"));
  g_assert_cmpfloat (tl_view_get_low (view), ==, -tl_view_get_high (view));
  g_assert_cmpfloat_with_epsilon (tl_view_get_high (view), NOISE, 0.1 * NOISE);
  /* the panel shows enough digits for the small values, in the unit of the
   * colour bar */
  high_spin = GTK_EDITABLE (driver_find (driver, "window_high_spin"));
  g_assert_cmpfloat_with_epsilon (
      g_ascii_strtod (gtk_editable_get_text (high_spin), NULL),
      tl_view_get_high (view) * PER_VALUE, 0.1 * NOISE * PER_VALUE);
  shot = driver_shoot (driver, "precision-cost");
  /* moving the map's window does not move the slice's */
  driver_activate (driver, "window-high", g_variant_new_double (2 * NOISE));
  driver_xdotool (driver, "key Escape");
  assert_shown (driver, FALSE);
  g_assert_cmpfloat (tl_view_get_low (view), ==, low);
  g_assert_cmpfloat (tl_view_get_high (view), ==, high);
}

/* Without any difference the colour bar does not show halves. */
static void
test_cost_none (Driver *driver)
{
  TlView *view = tl_application_get_view (driver->application);

  if (driver_lacks ("xdotool"))
    return;
  open_on_host (driver);
  is_quiet = TRUE;
  click (driver, driver_find (driver, "cost_button"));
  assert_shown (driver, TRUE);
  is_quiet = FALSE;
  g_assert_cmpfloat (tl_view_get_low (view), ==, -tl_view_get_high (view));
  g_assert_cmpfloat (tl_view_get_high (view), <, 1e-4);
  g_assert_cmpfloat (tl_view_get_high (view), >, 0);
}

static void
test_cost_left (Driver *driver)
{
  if (driver_lacks ("xdotool"))
    return;
  open_on_host (driver);
  driver_activate (driver, "precision-cost", NULL);
  driver_settle (driver);
  assert_shown (driver, TRUE);
  click (driver, driver_find (driver, "caption_button"));
  assert_shown (driver, FALSE);
  driver_xdotool (driver, "key ctrl+d");
  assert_shown (driver, TRUE);
  driver_activate (driver, "slice", g_variant_new_uint32 (1));
  driver_settle (driver);
  assert_shown (driver, FALSE);
  /* Escape has no map to leave then */
  driver_xdotool (driver, "key Escape");
  assert_shown (driver, FALSE);
}

static void
test_cost_without_scan (Driver *driver)
{
  g_assert_false (g_action_group_get_action_enabled (
      G_ACTION_GROUP (driver->application), "precision-cost"));
  g_assert_false (
      gtk_widget_get_sensitive (driver_find (driver, "cost_button")));
}

static gboolean
uses_host (Driver *driver)
{
  return g_strcmp0 (tl_display_get_status (driver->session->display)->engine,
                    "host")
         == 0;
}

/* A kernel that the engine lacks is listed but cannot be chosen. Its action is
 * refused with a message. */
static void
test_kernels (Driver *driver)
{
  GtkDropDown *drop = GTK_DROP_DOWN (driver_find (driver, "kernel_drop"));
  GtkLabel *status = GTK_LABEL (driver_find (driver, "engine_label"));
  g_autoptr (GVariant) hint = NULL;
  g_autofree char *text = NULL;
  g_autofree char *state = NULL;

  if (driver_lacks ("xdotool"))
    return;
  open_on_host (driver);
  driver_wait (driver, uses_host, "the host engine");
  g_assert_nonnull (
      strstr (gtk_label_get_text (status), "back-projection (host-linear)"));
  g_assert_cmpuint (g_list_model_get_n_items (gtk_drop_down_get_model (drop)),
                    ==, TL_N_KERNELS);
  hint = g_action_group_get_action_state_hint (
      G_ACTION_GROUP (driver->application), "kernel");
  text = g_variant_print (hint, FALSE);
  g_assert_nonnull (strstr (text, "('standard', '')"));
  g_assert_nonnull (strstr (text, "('alu', 'not in this engine')"));

  click (driver, GTK_WIDGET (drop));
  driver_xdotool (driver, "key Down key Return"); /* standard */
  g_assert_cmpuint (gtk_drop_down_get_selected (drop), ==, TL_KERNEL_STANDARD);
  driver_xdotool (driver, "key Return"); /* Return opens the list again */
  driver_xdotool (driver, "key Down key Down key Return key Escape");
  g_assert_cmpuint (gtk_drop_down_get_selected (drop), ==, TL_KERNEL_STANDARD);
  g_assert_null (tl_window_get_banner (driver->window));

  driver_activate (driver, "kernel", g_variant_new_string ("alu"));
  driver_settle (driver);
  g_assert_nonnull (strstr (tl_window_get_banner (driver->window), "alu"));
  state = driver_get_state (driver, "kernel");
  g_assert_cmpstr (state, ==, "'standard'");
}

static gboolean
has_list (Driver *driver)
{
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (driver->window));

  return focus != NULL
         && gtk_widget_get_ancestor (focus, GTK_TYPE_POPOVER) != NULL;
}

/* Fourier is chosen in the list, and the status line names it. */
static void
test_methods (Driver *driver)
{
  GtkDropDown *drop = GTK_DROP_DOWN (driver_find (driver, "method_drop"));
  GtkLabel *status = GTK_LABEL (driver_find (driver, "engine_label"));

  if (driver_lacks ("xdotool"))
    return;
  open_on_host (driver);
  driver_wait (driver, uses_host, "the host engine");
  click (driver, GTK_WIDGET (drop));
  driver_wait (driver, has_list, "the list of methods");
  driver_xdotool (driver, "key Down key Down key Return");
  driver_settle (driver);
  g_assert_cmpuint (gtk_drop_down_get_selected (drop), ==, TL_METHOD_FOURIER);
  g_assert_nonnull (
      strstr (gtk_label_get_text (status), "Fourier method (host-fourier)"));
  g_assert_null (tl_window_get_banner (driver->window));
}

int
main (int argc, char **argv)
{
  static const DriverCase cases[] = {
    { "/ui/precision/cost", test_cost },
    { "/ui/precision/cost-none", test_cost_none },
    { "/ui/precision/cost-left", test_cost_left },
    { "/ui/precision/cost-without-scan", test_cost_without_scan },
    { "/ui/precision/kernels", test_kernels },
    { "/ui/precision/methods", test_methods },
  };

  return driver_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
