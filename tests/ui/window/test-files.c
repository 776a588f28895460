/* Saying what the images of a folder are: a folder of tests/support/decoys.py
 * is dropped on the window, and all else is done with mouse and keyboard. */
#include "tests/support/formats.h"
#include "tests/ui/driver.h"
#include "ui/help/help-window.h"

#include <glib/gstdio.h>
#include <string.h>
#include <utime.h>

/* The groups, in the order of the list as the folder is found. */
enum
{
  PROJ,
  FLAT,
  ALIGN,
  CLOSED,
  OVERVIEW,
  PROJ_BB,
  N_GROUPS
};

static char *
get_folder (Driver *driver)
{
  return g_build_filename (driver->folder, "decoys", NULL);
}

/* Returns: %FALSE, and the case is skipped, if something is missing */
static gboolean
write_files (Driver *driver)
{
  g_autofree char *script =
      g_test_build_filename (G_TEST_DIST, "support", "decoys.py", NULL);
  g_autofree char *scan = g_build_filename (driver->folder, "large.h5", NULL);
  g_autofree char *folder = get_folder (driver);
  const char *const phantom[] = {
    TL_CLI_PATH, "phantom", scan,  "--projections", "60", "--rows",
    "40",        "--size",  "384", "--overwrite",   NULL
  };
  const char *const decoys[] = {
    "/usr/bin/python3", "-B", script, scan, folder, NULL
  };

  return !driver_lacks ("xdotool") && tl_run_or_skip (phantom)
         && tl_run_or_skip (decoys);
}

static gboolean
has_glances (Driver *driver)
{
  GListModel *offers = tl_scan_files_get_offers (driver->session->files);

  if (g_list_model_get_n_items (offers) != N_GROUPS)
    return FALSE;
  for (guint i = 0; i < N_GROUPS; i++)
    {
      g_autoptr (TlScanOffer) offer = g_list_model_get_item (offers, i);

      if (tl_scan_offer_get_glance (offer) == NULL)
        return FALSE;
    }
  return driver_has_dialog (driver);
}

/* Returns: (transfer none): the dialog, with all its pictures */
static GtkWidget *
open_dialog (Driver *driver)
{
  driver_xdotool (driver, "key ctrl+g");
  driver_wait (driver, has_glances, "the dialog with its pictures");
  driver_settle (driver);
  return GTK_WIDGET (driver_find_dialog (driver));
}

/* Returns: %FALSE, and the case is skipped, if something is missing */
static gboolean
open_decoys (Driver *driver)
{
  g_autofree char *folder = get_folder (driver);

  if (!write_files (driver))
    return FALSE;
  driver_drop (driver, folder);
  driver_wait_for_scan (driver);
  return TRUE;
}

static const TlScanSummary *
get_scan (Driver *driver)
{
  return tl_scan_source_get_summary (driver->session->source);
}

static GtkWidget *
get_drop (GtkWidget *dialog, int index)
{
  GtkListBox *list = GTK_LIST_BOX (driver_find_in (dialog, "list"));
  GtkListBoxRow *row = gtk_list_box_get_row_at_index (list, index);

  return gtk_widget_get_last_child (gtk_list_box_row_get_child (row));
}

/* A wide picture leaves room for the name. */
static void
assert_one_line (GtkWidget *dialog, int index)
{
  GtkWidget *row = gtk_widget_get_parent (get_drop (dialog, index));
  GtkLabel *name = GTK_LABEL (driver_find_in (row, "path_label"));

  g_assert_cmpint (pango_layout_get_line_count (gtk_label_get_layout (name)),
                   ==, 1);
}

static guint
get_kind (GtkWidget *dialog, int index)
{
  return gtk_drop_down_get_selected (GTK_DROP_DOWN (get_drop (dialog, index)));
}

/* Chooses @kind for a group with the mouse, and the list with the keys. */
static void
pick (Driver *driver, GtkWidget *dialog, int index, TlFrameKind kind)
{
  driver_click (driver, get_drop (dialog, index));
  driver_xdotool (driver, "key Home");
  for (guint i = 0; i < kind; i++)
    driver_xdotool (driver, "key Down");
  driver_xdotool (driver, "key Return");
  g_assert_cmpuint (get_kind (dialog, index), ==, kind);
}

/* Turns the wheel above the list. */
static void
scroll_down (Driver *driver, GtkWidget *dialog)
{
  int x, y;

  driver_locate (driver, get_drop (dialog, ALIGN), -20, 10, &x, &y);
  driver_xdotool (driver, "mousemove %d %d click --repeat 20 5", x, y);
}

static void
assert_disabled (Driver *driver)
{
  g_assert_false (g_action_group_get_action_enabled (
      G_ACTION_GROUP (driver->window), "files"));
}

/* The folder opens without its decoys; the darks and the angles are said. */
static void
test_decoys (Driver *driver)
{
  static const guint kinds[] = { 0, 1, 3, 3, 3, 3 };
  GtkWidget *dialog;

  assert_disabled (driver);
  if (!open_decoys (driver))
    return;
  g_assert_cmpuint (get_scan (driver)->n_projections, ==, 60);
  g_assert_cmpuint (get_scan (driver)->n_darks, ==, 0);
  g_assert_cmpfloat_with_epsilon (get_scan (driver)->last_angle_deg, 177, 1e-9);
  /* seen at once, and said where to change it here */
  const char *asking =
      gtk_label_get_text (GTK_LABEL (driver_find (driver, "asking_label")));
  g_assert_true (
      g_pattern_match_simple ("*image files are left out: *; to use them, "
                              "open “Files of the Scan” (Ctrl+G)*",
                              asking));
  g_assert_null (strstr (asking, "--projections"));
  g_object_unref (driver_shoot (driver, "files-opened"));
  dialog = open_dialog (driver);
  for (int i = 0; i < N_GROUPS; i++)
    {
      g_assert_cmpuint (get_kind (dialog, i), ==, kinds[i]);
      assert_one_line (dialog, i);
    }
  driver_shoot_both (driver, dialog, "files-found");
  /* an example that would keep the angles as they are */
  g_assert_cmpstr (gtk_entry_get_placeholder_text (
                       GTK_ENTRY (driver_find_in (dialog, "angles_entry"))),
                   ==, "0:177");
  driver_xdotool (driver, "key F1");
  driver_wait (driver, driver_has_manual, "the manual");
  driver_settle (driver);
  driver_xdotool (driver, "key Escape");
  driver_wait (driver, driver_has_no_manual, "the manual to close");
  pick (driver, dialog, CLOSED, TL_FRAMES_DARKS);
  driver_click (driver, driver_find_in (dialog, "angles_entry"));
  driver_xdotool (driver, "type 0:354");
  driver_shoot_both (driver, dialog, "files-said");
  driver_click (driver, driver_find_in (dialog, "apply_button"));
  driver_wait_for_scan (driver);
  g_assert_cmpuint (get_scan (driver)->n_darks, ==, 10);
  g_assert_cmpuint (get_scan (driver)->n_projections, ==, 60);
  g_assert_cmpfloat_with_epsilon (get_scan (driver)->last_angle_deg, 354, 1e-9);
  g_object_unref (driver_shoot (driver, "files-applied"));
  /* the dialog shows what is in use, in the same places */
  dialog = open_dialog (driver);
  g_assert_cmpuint (get_kind (dialog, ALIGN), ==, TL_FRAMES_LEFT_OUT);
  g_assert_cmpuint (get_kind (dialog, CLOSED), ==, TL_FRAMES_DARKS);
  g_assert_cmpstr (gtk_editable_get_text (
                       GTK_EDITABLE (driver_find_in (dialog, "angles_entry"))),
                   ==, "0:354");
  driver_xdotool (driver, "key Escape");
  driver_wait (driver, driver_has_no_dialog, "the dialog to close");
}

/* A button that a key has pressed acts after a while. */
static gboolean
has_error (Driver *driver)
{
  GtkWidget *dialog = GTK_WIDGET (driver_find_dialog (driver));

  return gtk_widget_get_visible (driver_find_in (dialog, "error_label"));
}

/* What cannot be is said in the dialog, which stays; Enter applies. */
static void
test_refused (Driver *driver)
{
  GtkWidget *dialog;

  if (!open_decoys (driver))
    return;
  dialog = open_dialog (driver);
  pick (driver, dialog, PROJ, TL_FRAMES_LEFT_OUT);
  driver_click (driver, driver_find_in (dialog, "apply_button"));
  g_assert_true (driver_has_dialog (driver));
  g_assert_nonnull (
      strstr (driver_read_label (dialog, "error_label"), "No group is"));
  driver_shoot_both (driver, dialog, "files-refused");
  scroll_down (driver, dialog);
  pick (driver, dialog, PROJ_BB, TL_FRAMES_PROJECTIONS);
  g_assert_false (has_error (driver));
  driver_click (driver, driver_find_in (dialog, "angles_entry"));
  driver_xdotool (driver, "type 0:");
  driver_xdotool (driver, "key Return");
  driver_wait (driver, has_error, "the refusal");
  g_assert_nonnull (strstr (driver_read_label (dialog, "error_label"),
                            "FIRST:LAST, two different angles"));
  driver_xdotool (driver, "type 180");
  driver_xdotool (driver, "key Return");
  driver_wait_for_scan (driver);
  g_assert_cmpuint (get_scan (driver)->n_projections, ==, 12);
  /* another scan, and back by the list of recent ones */
  driver_open (driver);
  assert_disabled (driver);
  driver_open_recent (driver, "decoys");
  driver_wait_for_scan (driver);
  g_assert_cmpuint (get_scan (driver)->n_projections, ==, 12);
}

/* An image by itself: its folder is a click away. */
static void
test_one_image (Driver *driver)
{
  g_autofree char *folder = get_folder (driver);
  g_autofree char *image = g_build_filename (folder, "proj_0007.tif", NULL);
  GtkWidget *button = driver_find (driver, "folder_button");

  if (!write_files (driver))
    return;
  driver_drop (driver, image);
  driver_wait_for_scan (driver);
  g_assert_cmpuint (get_scan (driver)->n_rows, ==, 1);
  g_assert_true (gtk_widget_get_mapped (button));
  g_object_unref (driver_shoot (driver, "files-one-image"));
  driver_click (driver, button);
  driver_wait_for_scan (driver);
  g_assert_cmpuint (get_scan (driver)->n_projections, ==, 60);
  g_assert_false (gtk_widget_get_visible (button));
}

/* Gives all images and sub-folders of @folder names with a word of the flats.
 */
static void
name_flats (const char *folder)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);

  for (const char *name; (name = g_dir_read_name (dir)) != NULL;)
    g_ptr_array_add (names, g_strdup (name));
  for (guint k = 0; k < names->len; k++)
    {
      g_autofree char *from = g_build_filename (folder, names->pdata[k], NULL);
      g_autofree char *to =
          g_strdup_printf ("%s/flat_%s", folder, (char *)names->pdata[k]);

      g_assert_cmpint (g_rename (from, to), ==, 0);
    }
}

static gboolean
asks_files (Driver *driver)
{
  return gtk_widget_get_mapped (driver_find (driver, "files_button"));
}

static int
find_group (Driver *driver, const char *pattern)
{
  GListModel *offers = tl_scan_files_get_offers (driver->session->files);

  for (guint i = 0; i < N_GROUPS; i++)
    {
      g_autoptr (TlScanOffer) offer = g_list_model_get_item (offers, i);

      if (strcmp (tl_scan_offer_get_path (offer), pattern) == 0)
        return (int)i;
    }
  return -1;
}

/* No image can be a projection by its name. The button beside the message leads
 * to the groups, where the user says which are. */
static void
test_only_flats (Driver *driver)
{
  g_autofree char *folder = get_folder (driver);
  struct utimbuf times = { 0, 0 };
  GtkWidget *dialog;

  if (!write_files (driver))
    return;
  name_flats (folder);
  /* or else its projections might still come */
  g_assert_cmpint (g_utime (folder, &times), ==, 0);
  driver_drop (driver, folder);
  driver_wait (driver, asks_files, "the question what the images are");
  driver_settle (driver);
  g_assert_nonnull (strstr (tl_window_get_banner (driver->window),
                            "flats or darks; to say what its images are, press "
                            "“Files…”"));
  driver_shoot_both (driver, GTK_WIDGET (driver->window), "files-asked");
  driver_click (driver, driver_find (driver, "files_button"));
  driver_wait (driver, has_glances, "the dialog with its pictures");
  driver_settle (driver);
  dialog = GTK_WIDGET (driver_find_dialog (driver));
  driver_shoot_both (driver, dialog, "files-asked-groups");
  g_assert_false (
      gtk_widget_get_visible (driver_find_in (dialog, "present_label")));
  for (int i = 0; i < N_GROUPS; i++)
    g_assert_cmpuint (get_kind (dialog, i), ==, TL_FRAMES_FLATS);
  scroll_down (driver, dialog);
  pick (driver, dialog, find_group (driver, "flat_proj_#.tif"),
        TL_FRAMES_PROJECTIONS);
  pick (driver, dialog, find_group (driver, "flat_proj_#_bb.tif"),
        TL_FRAMES_LEFT_OUT);
  driver_click (driver, driver_find_in (dialog, "apply_button"));
  /* the small images are still among the flats, and left out by their size */
  driver_wait_for_scan (driver);
  g_assert_cmpuint (get_scan (driver)->n_projections, ==, 60);
  g_assert_cmpuint (get_scan (driver)->n_flats, ==, 33);
  g_assert_false (asks_files (driver));
  g_object_unref (driver_shoot (driver, "files-asked-opened"));
}

static gboolean
asks_angles (Driver *driver)
{
  return gtk_widget_get_mapped (driver_find (driver, "angles_button"));
}

/* A list of three angles for all projections: the user gives others. */
static void
test_angles (Driver *driver)
{
  g_autofree char *folder = get_folder (driver);
  g_autofree char *list = g_build_filename (folder, "angles.txt", NULL);
  g_autoptr (GError) error = NULL;
  GtkWidget *dialog;

  if (!write_files (driver))
    return;
  g_file_set_contents (list, "0\n1\n2\n", -1, &error);
  g_assert_no_error (error);
  driver_drop (driver, folder);
  driver_wait (driver, asks_angles, "the question for angles");
  driver_settle (driver);
  g_object_unref (driver_shoot (driver, "angles-asked"));
  driver_click (driver, driver_find (driver, "angles_button"));
  driver_wait (driver, driver_has_dialog, "the dialog");
  driver_settle (driver);
  dialog = GTK_WIDGET (driver_find_dialog (driver));
  g_assert_nonnull (
      strstr (driver_read_label (dialog, "reason_label"), "3 angles"));
  driver_xdotool (driver, "type 0:");
  driver_xdotool (driver, "key Return");
  driver_wait (driver, has_error, "the refusal");
  driver_shoot_both (driver, dialog, "angles-refused");
  driver_xdotool (driver, "type 354");
  driver_xdotool (driver, "key Return");
  driver_wait_for_scan (driver);
  g_assert_cmpfloat (get_scan (driver)->first_angle_deg, ==, 0);
  g_assert_cmpfloat (get_scan (driver)->last_angle_deg, ==, 354);
  g_assert_false (asks_angles (driver));
  /* another scan, and back with the same angles */
  driver_open (driver);
  driver_open_recent (driver, "decoys");
  driver_wait_for_scan (driver);
  g_assert_cmpfloat (get_scan (driver)->last_angle_deg, ==, 354);
}

static gboolean
asks_raw (Driver *driver)
{
  return gtk_widget_get_mapped (driver_find (driver, "raw_button"));
}

/* Replaces the text of an entry of the dialog by typing. */
static void
retype (Driver *driver, GtkWidget *dialog, const char *id, const char *text)
{
  driver_click (driver, driver_find_in (dialog, id));
  driver_xdotool (driver, "key ctrl+a");
  driver_xdotool (driver, "type %s", text);
}

static const char *
get_text (GtkWidget *dialog, const char *id)
{
  return gtk_editable_get_text (GTK_EDITABLE (driver_find_in (dialog, id)));
}

static void
assert_fit (GtkWidget *dialog, const char *words, gboolean fits)
{
  const char *text = driver_read_label (dialog, "fit_label");

  g_test_message ("%s", text);
  g_assert_nonnull (strstr (text, words));
  g_assert_true (
      gtk_widget_get_sensitive (driver_find_in (dialog, "open_button"))
      == fits);
}

/* 8-bit images after a header, whose size alone suggests something else. */
static void
write_raw (const char *path)
{
  const gsize n = 10 + 60 * 24 * 50;
  g_autofree char *bytes = g_malloc (n);
  g_autoptr (GError) error = NULL;

  for (gsize k = 0; k < n; k++)
    bytes[k] = (char)(20 + k % 60);
  g_file_set_contents (path, bytes, (gssize)n, &error);
  g_assert_no_error (error);
}

static GtkWidget *
wait_for_dialog (Driver *driver)
{
  driver_wait (driver, driver_has_dialog, "the dialog");
  driver_settle (driver);
  return GTK_WIDGET (driver_find_dialog (driver));
}

static gboolean
is_small (Driver *driver)
{
  gtk_window_set_default_size (GTK_WINDOW (driver->window), 600, 560);
  return gtk_widget_get_width (GTK_WIDGET (driver->window)) <= 940;
}

/* A file of raw samples is described, opened, found again in the list of recent
 * scans, and described anew from the menu. */
static void
test_raw (Driver *driver)
{
  g_autofree char *path = g_build_filename (driver->folder, "a.bin", NULL);
  TlHelpWindow *manual;
  GtkWidget *dialog;

  if (driver_lacks ("xdotool"))
    return;
  write_raw (path);
  driver_drop (driver, path);
  driver_wait (driver, asks_raw, "the question how the samples are stored");
  driver_settle (driver);
  g_assert_false (asks_angles (driver));
  g_assert_nonnull (strstr (tl_window_get_banner (driver->window),
                            "press “Describe Raw File…”"));
  g_assert_null (strstr (tl_window_get_banner (driver->window), "--raw"));
  driver_shoot_both (driver, GTK_WIDGET (driver->window), "raw-asked");
  driver_wait (driver, is_small, "a small window");
  driver_shoot_both (driver, GTK_WIDGET (driver->window), "raw-asked-small");
  driver_click (driver, driver_find (driver, "raw_button"));
  dialog = wait_for_dialog (driver);
  g_assert_nonnull (strstr (driver_read_label (dialog, "file_label"), "a.bin"));
  assert_fit (dialog, "fits", TRUE); /* so would other images */
  driver_shoot_both (driver, dialog, "raw-guess");
  driver_xdotool (driver, "key F1");
  driver_wait (driver, driver_has_manual, "the manual");
  manual = driver_find_window (TL_TYPE_HELP_WINDOW);
  g_assert_cmpstr (tl_help_window_get_page (manual), ==, "files");
  driver_xdotool (driver, "key Escape");
  driver_wait (driver, driver_has_no_manual, "the manual to close");

  retype (driver, dialog, "width_entry", "60");
  retype (driver, dialog, "height_entry", "24");
  retype (driver, dialog, "header_entry", "0");
  g_assert_cmpstr (get_text (dialog, "images_entry"), ==, "25");
  assert_fit (dialog, "The file has 10 bytes more", FALSE);
  driver_click (driver, driver_find_in (dialog, "type_drop"));
  driver_xdotool (driver, "key Home key Return");
  g_assert_cmpstr (get_text (dialog, "images_entry"), ==, "50");
  retype (driver, dialog, "header_entry", "11");
  g_assert_cmpstr (get_text (dialog, "images_entry"), ==, "49");
  retype (driver, dialog, "images_entry", "50");
  assert_fit (dialog, "needs 1 byte more", FALSE);
  retype (driver, dialog, "height_entry", "x");
  assert_fit (dialog, "whole numbers", FALSE);
  driver_shoot_both (driver, dialog, "raw-refused");
  retype (driver, dialog, "height_entry", "24");
  retype (driver, dialog, "header_entry", "10");
  assert_fit (dialog, "fits", TRUE);
  driver_xdotool (driver, "key Return");
  driver_wait_for_scan (driver);
  g_assert_cmpuint (get_scan (driver)->n_projections, ==, 50);
  g_assert_cmpuint (get_scan (driver)->n_rows, ==, 24);
  g_assert_cmpuint (get_scan (driver)->n_cols, ==, 60);
  g_assert_false (asks_raw (driver));

  driver_open (driver);
  driver_drop (driver, path);
  driver_wait_for_scan (driver);
  g_assert_cmpuint (get_scan (driver)->n_projections, ==, 50);
  gtk_widget_activate_action (GTK_WIDGET (driver->window), "win.raw", NULL);
  dialog = wait_for_dialog (driver);
  g_assert_cmpstr (get_text (dialog, "header_entry"), ==, "10");
  assert_fit (dialog, "fits", TRUE);
  retype (driver, dialog, "height_entry", "12");
  driver_xdotool (driver, "key Return");
  driver_wait_for_scan (driver);
  g_assert_cmpuint (get_scan (driver)->n_projections, ==, 100);
  g_assert_cmpuint (get_scan (driver)->n_rows, ==, 12);
}

static void
set_angles (Driver *driver, const char *angles)
{
  g_autoptr (GError) error = NULL;

  tl_parameters_set (driver->session->parameters, "angles", angles, &error);
  g_assert_no_error (error);
  driver_wait_for_scan (driver);
  driver_settle (driver);
}

/* Other angles make another slice, whose grey window is set again unless the
 * user has set it. */
static void
test_grey_window (Driver *driver)
{
  const double low = -1, high = 2;
  TlView *view = tl_application_get_view (driver->application);
  double before;

  driver_open (driver);
  driver_settle (driver);
  before = tl_view_get_high (view);
  set_angles (driver, "0:30");
  g_assert_cmpfloat (tl_view_get_high (view), !=, before);
  tl_view_set_window (view, low, high);
  set_angles (driver, "0:90");
  g_assert_cmpfloat (tl_view_get_low (view), ==, low);
  g_assert_cmpfloat (tl_view_get_high (view), ==, high);
}

int
main (int argc, char **argv)
{
  static const DriverCase cases[] = {
    { "/ui/files/decoys", test_decoys },
    { "/ui/files/refused", test_refused },
    { "/ui/files/only-flats", test_only_flats },
    { "/ui/files/one-image", test_one_image },
    { "/ui/files/angles", test_angles },
    { "/ui/files/grey-window", test_grey_window },
    { "/ui/files/raw", test_raw },
  };

  return driver_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
