/* Choosing what of an HDF5 file or a Zarr folder is the scan: files of
 * tests/support/relayout.py are dropped on the window, and all else is done
 * with mouse and keyboard. */
#include "tests/support/formats.h"
#include "tests/ui/driver.h"
#include "ui/desktop/recent.h"
#include "ui/help/help-window.h"

#include <string.h>

/* Returns: %FALSE, and the case is skipped, if something is missing */
static gboolean
write_files (Driver *driver)
{
  g_autofree char *script =
      g_test_build_filename (G_TEST_DIST, "support", "relayout.py", NULL);
  g_autofree char *scan = g_build_filename (driver->folder, "large.h5", NULL);
  const char *const phantom[] = { TL_CLI_PATH, "phantom", scan, "--projections",
                                  "60",        "--rows",  "64", "--size",
                                  "96",        NULL };
  const char *const relayout[] = { "/usr/bin/python3", "-B", script, scan,
                                   driver->folder,     NULL };

  return !driver_lacks ("xdotool") && tl_run_or_skip (phantom)
         && tl_run_or_skip (relayout);
}

static gboolean
has_glances (Driver *driver)
{
  GListModel *offers = tl_scan_chooser_get_offers (driver->session->chooser);

  for (guint i = 0; i < g_list_model_get_n_items (offers); i++)
    {
      g_autoptr (TlScanOffer) offer = g_list_model_get_item (offers, i);

      if (tl_scan_offer_get_glance (offer) == NULL)
        return FALSE;
    }
  return driver_has_dialog (driver);
}

/* Returns: (transfer none): the dialog, with all its pictures */
static GtkWidget *
wait_for_dialog (Driver *driver)
{
  driver_wait (driver, has_glances, "the chooser with its pictures");
  driver_settle (driver);
  return GTK_WIDGET (driver_find_dialog (driver));
}

static void
drop (Driver *driver, const char *name)
{
  g_autofree char *path = g_build_filename (driver->folder, name, NULL);

  driver_drop (driver, path);
}

static void
assert_scan (Driver *driver, const char *format, const char *data_path)
{
  const TlScanSummary *scan =
      tl_scan_source_get_summary (driver->session->source);
  const TlRecipe *recipe =
      tl_parameters_get_recipe (driver->session->parameters);

  g_assert_cmpstr (scan->format, ==, format);
  g_assert_cmpuint (scan->n_projections, ==, 60);
  g_assert_cmpuint (scan->n_flats, ==, 20);
  g_assert_cmpuint (scan->n_darks, ==, 10);
  g_assert_cmpfloat_with_epsilon (scan->last_angle_deg, 177, 1e-6);
  g_assert_cmpstr (recipe->data_path, ==, data_path);
}

static void
click_row (Driver *driver, GtkWidget *dialog, int index)
{
  GtkListBox *list = GTK_LIST_BOX (driver_find_in (dialog, "list"));

  driver_click (driver,
                GTK_WIDGET (gtk_list_box_get_row_at_index (list, index)));
}

/* Types @text into the field @name. */
static void
type (Driver *driver, GtkWidget *dialog, const char *name, const char *text)
{
  GtkWidget *combo = driver_find_in (dialog, name);

  driver_click (driver, gtk_combo_box_get_child (GTK_COMBO_BOX (combo)));
  driver_xdotool (driver, "key ctrl+a type %s", text);
}

/* Chooses the entry @index of the list of the field @name. */
static void
pick (Driver *driver, GtkWidget *dialog, const char *name, int index)
{
  GtkWidget *combo = driver_find_in (dialog, name);
  int x, y;

  driver_locate (driver, combo, gtk_widget_get_width (combo) - 10.0,
                 gtk_widget_get_height (combo) / 2.0, &x, &y);
  driver_xdotool (driver, "mousemove %d %d click 1", x, y);
  driver_xdotool (driver, "key Home");
  for (; index > 0; index--)
    driver_xdotool (driver, "key Down");
  driver_xdotool (driver, "key Return");
}

/* Files in layouts of the table open at once. */
static void
test_known (Driver *driver)
{
  if (!write_files (driver))
    return;
  drop (driver, "diamond.nxs");
  driver_wait_for_scan (driver);
  assert_scan (driver, "Diamond HDF5", NULL);
  g_object_unref (driver_shoot (driver, "chooser-diamond"));
  drop (driver, "area.h5");
  driver_wait_for_scan (driver);
  assert_scan (driver, "areaDetector HDF5", NULL);
  g_object_unref (driver_shoot (driver, "chooser-area"));
}

/* No layout fits: the user chooses the dataset, its keys and angles. */
static void
test_unknown (Driver *driver)
{
  GtkWidget *dialog;

  if (!write_files (driver))
    return;
  drop (driver, "unknown.h5");
  dialog = wait_for_dialog (driver);
  g_assert_null (tl_window_get_banner (driver->window));
  driver_shoot_both (driver, dialog, "chooser-unknown");
  click_row (driver, dialog, 1);
  click_row (driver, dialog, 0);
  driver_click (driver, driver_find_in (dialog, "expander"));
  type (driver, dialog, "keys_combo", "/run/camera/kind");
  pick (driver, dialog, "angles_combo", 2);
  driver_shoot_both (driver, dialog, "chooser-fields");
  driver_click (driver, driver_find_in (dialog, "open_button"));
  driver_wait_for_scan (driver);
  assert_scan (driver, "HDF5", "/run/camera/frames");
  g_object_unref (driver_shoot (driver, "chooser-opened"));
  /* another scan, and back by the list of recent ones */
  drop (driver, "area.h5");
  driver_wait_for_scan (driver);
  assert_scan (driver, "areaDetector HDF5", NULL);
  driver_open_recent (driver, "unknown.h5");
  driver_wait_for_scan (driver);
  assert_scan (driver, "HDF5", "/run/camera/frames");
}

static guint
count_windows (void)
{
  return g_list_model_get_n_items (gtk_window_get_toplevels ());
}

/* GTK's inspector does not come by the key that opens the dialog, and the
 * manual can be read beside it. */
static void
test_keys (Driver *driver)
{
  TlHelpWindow *manual;
  guint n_windows;

  if (!write_files (driver))
    return;
  drop (driver, "unknown.h5");
  wait_for_dialog (driver);
  n_windows = count_windows ();
  driver_xdotool (driver, "key ctrl+shift+d");
  g_assert_cmpuint (count_windows (), ==, n_windows);
  driver_xdotool (driver, "key F1");
  driver_wait (driver, driver_has_manual, "the manual");
  driver_settle (driver);
  manual = driver_find_window (TL_TYPE_HELP_WINDOW);
  g_assert_cmpstr (tl_help_window_get_page (manual), ==, "files");
  driver_xdotool (driver, "type zarr");
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (
                       driver_find_in (GTK_WIDGET (manual), "search_entry"))),
                   ==, "zarr");
  driver_xdotool (driver, "key Escape key Escape");
  driver_wait (driver, driver_has_no_manual, "the manual to close");
  g_assert_true (driver_has_dialog (driver));
}

/* The list of recent scans keeps what was chosen, wherever it is in memory. */
static void
test_recent (Driver *driver)
{
  GtkRecentManager *manager = gtk_recent_manager_get_default ();

  for (int k = 0; k < 200; k++)
    {
      g_autofree char *name = g_strdup_printf ("/scan%d.h5", k);
      g_autofree char *uri = g_strconcat ("file://", name, NULL);
      /* moves what is allocated next */
      char *filler = g_malloc ((gsize)(16 * (k % 16) + 8));
      g_autoptr (GVariant) places = g_variant_ref_sink (
          g_variant_new_parsed ("{'data-path': '/run', 'keys-path': '/k'}"));
      g_autoptr (GtkRecentInfo) info = NULL;

      tl_recent_add (name, places);
      info = gtk_recent_manager_lookup_item (manager, uri, NULL);
      g_assert_true (gtk_recent_info_has_group (info, "data-path=/run"));
      g_assert_true (gtk_recent_info_has_group (info, "keys-path=/k"));
      g_free (filler);
    }
}

/* The arrays of a Zarr folder are chosen in the same way. */
static void
test_unknown_zarr (Driver *driver)
{
  static const char *const names[][2] = { { "flats_combo", "/run/open" },
                                          { "darks_combo", "/run/shut" },
                                          { "angles_combo", "/run/omega" } };
  GtkWidget *dialog;

  if (tl_lacks_format ("Zarr") || !write_files (driver))
    return;
  drop (driver, "unknown.zarr");
  dialog = wait_for_dialog (driver);
  g_assert_null (tl_window_get_banner (driver->window));
  driver_click (driver, driver_find_in (dialog, "expander"));
  g_assert_false (
      gtk_widget_get_mapped (driver_find_in (dialog, "keys_combo")));
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    type (driver, dialog, names[i][0], names[i][1]);
  driver_shoot_both (driver, dialog, "chooser-zarr");
  driver_click (driver, driver_find_in (dialog, "open_button"));
  driver_wait_for_scan (driver);
  assert_scan (driver, "Zarr", "/run/camera");
}

/* Flats, darks and angles are in another file. Return in a field opens. */
static void
test_other_file (Driver *driver)
{
  static const char *const names[][2] = { { "flats_combo", "/run/flats" },
                                          { "darks_combo", "/run/darks" },
                                          { "angles_combo", "/run/angles" } };
  GtkWidget *dialog;

  if (!write_files (driver))
    return;
  drop (driver, "parts.h5");
  dialog = wait_for_dialog (driver);
  driver_click (driver, driver_find_in (dialog, "expander"));
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *text =
          g_strdup_printf ("%s/fields.h5:%s", driver->folder, names[i][1]);

      type (driver, dialog, names[i][0], text);
    }
  driver_xdotool (driver, "key Return");
  driver_wait_for_scan (driver);
  assert_scan (driver, "HDF5", "/frames");
}

static gboolean
asks_places (Driver *driver)
{
  return gtk_widget_get_mapped (driver_find (driver, "choose_button"));
}

/* The flats of a layout that is known have another size: the button beside the
 * message leads to others. */
static void
test_misfit (Driver *driver)
{
  GtkWidget *dialog;

  if (!write_files (driver))
    return;
  drop (driver, "misfit.h5");
  driver_wait (driver, asks_places, "the question for places");
  driver_settle (driver);
  g_assert_null (strstr (tl_window_get_banner (driver->window), "--"));
  driver_shoot_both (driver, GTK_WIDGET (driver->window), "chooser-asked");
  driver_click (driver, driver_find (driver, "choose_button"));
  dialog = wait_for_dialog (driver);
  driver_shoot_both (driver, dialog, "chooser-misfit");
  driver_click (driver, driver_find_in (dialog, "expander"));
  type (driver, dialog, "flats_combo", "/open");
  driver_xdotool (driver, "key Return");
  driver_wait_for_scan (driver);
  g_assert_cmpuint (
      tl_scan_source_get_summary (driver->session->source)->n_flats, ==, 20);
}

/* A wrong choice is asked for again. Escape leaves it, and the button beside
 * the message asks again. */
static void
test_wrong (Driver *driver)
{
  GtkWidget *dialog;

  if (!write_files (driver))
    return;
  drop (driver, "unknown.h5");
  dialog = wait_for_dialog (driver);
  click_row (driver, dialog, 1);
  driver_click (driver, driver_find_in (dialog, "expander"));
  type (driver, dialog, "keys_combo", "/run/camera/kind");
  driver_click (driver, driver_find_in (dialog, "open_button"));
  dialog = wait_for_dialog (driver);
  g_assert_nonnull (strstr (gtk_label_get_text (GTK_LABEL (
                                driver_find_in (dialog, "question_label"))),
                            "90 image keys but 3 frames"));
  driver_shoot_both (driver, dialog, "chooser-wrong");
  driver_xdotool (driver, "key Escape");
  driver_wait (driver, driver_has_no_dialog, "the chooser to close");
  g_assert_false (tl_scan_source_is_open (driver->session->source));
  driver_wait (driver, asks_places, "the question for places");
  driver_settle (driver);
  g_assert_nonnull (strstr (tl_window_get_banner (driver->window),
                            "90 image keys but 3 frames"));
  driver_click (driver, driver_find (driver, "choose_button"));
  dialog = wait_for_dialog (driver);
  g_assert_nonnull (strstr (driver_read_label (dialog, "question_label"),
                            "90 image keys but 3 frames"));
}

/* The first of two scans is open when the dialog asks; the other one is chosen,
 * and the dialog called again. */
static void
test_two_scans (Driver *driver)
{
  GtkWidget *dialog;
  GtkListBox *list;

  if (!write_files (driver))
    return;
  drop (driver, "two.nxs");
  dialog = wait_for_dialog (driver);
  g_assert_true (tl_scan_source_is_open (driver->session->source));
  driver_shoot_both (driver, dialog, "chooser-scans");
  click_row (driver, dialog, 1);
  driver_double_click (driver);
  driver_wait_for_scan (driver);
  assert_scan (driver, "NXtomo HDF5", "/entry2");
  g_assert_cmpstr (gtk_window_get_title (GTK_WINDOW (driver->window)), ==,
                   "two.nxs:/entry2");
  g_object_unref (driver_shoot (driver, "chooser-second"));
  driver_xdotool (driver, "key ctrl+shift+d");
  dialog = wait_for_dialog (driver);
  list = GTK_LIST_BOX (driver_find_in (dialog, "list"));
  g_assert_cmpint (
      gtk_list_box_row_get_index (gtk_list_box_get_selected_row (list)), ==, 1);
  driver_xdotool (driver, "key Up");
  driver_xdotool (driver, "key Return");
  driver_wait_for_scan (driver);
  assert_scan (driver, "NXtomo HDF5", "/entry1");
}

static void
add_recent (Driver *driver, const char *folder)
{
  g_autofree char *path =
      g_build_filename (driver->folder, folder, "same_scan.h5", NULL);
  g_autofree char *parent = g_path_get_dirname (path);
  g_autoptr (GVariant) places = g_variant_ref_sink (
      g_variant_new_array (G_VARIANT_TYPE ("{ss}"), NULL, 0));

  g_assert_cmpint (g_mkdir_with_parents (parent, 0700), ==, 0);
  g_assert_true (g_file_set_contents (path, "", 0, NULL));
  tl_recent_add (path, places);
}

/* Scans of the same name are told apart by their folders. */
static void
test_recent_names (Driver *driver)
{
  static const char *const folders[] = { "a/day1", "a/day2", "b/day1" };
  static const char *const labels[] = { "same__scan.h5 — a/day1",
                                        "same__scan.h5 — day2",
                                        "same__scan.h5 — b/day1" };
  guint n_found = 0;
  g_autoptr (GMenu) menu = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (folders); i++)
    add_recent (driver, folders[i]);
  menu = tl_recent_build_menu ();
  for (int i = 0; i < g_menu_model_get_n_items (G_MENU_MODEL (menu)); i++)
    {
      g_autofree char *label = NULL;

      g_menu_model_get_item_attribute (G_MENU_MODEL (menu), i, "label", "s",
                                       &label);
      for (guint k = 0; k < G_N_ELEMENTS (labels); k++)
        n_found += strcmp (label, labels[k]) == 0;
    }
  g_assert_cmpuint (n_found, ==, G_N_ELEMENTS (labels));
}

int
main (int argc, char **argv)
{
  static const DriverCase cases[] = {
    { "/ui/chooser/known", test_known },
    { "/ui/chooser/unknown", test_unknown },
    { "/ui/chooser/unknown-zarr", test_unknown_zarr },
    { "/ui/chooser/other-file", test_other_file },
    { "/ui/chooser/misfit", test_misfit },
    { "/ui/chooser/wrong", test_wrong },
    { "/ui/chooser/two-scans", test_two_scans },
    { "/ui/chooser/recent", test_recent },
    { "/ui/chooser/recent-names", test_recent_names },
    { "/ui/chooser/keys", test_keys },
  };

  return driver_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
