/* The page of the export: its form, and the queue of exports. */
#include "tests/ui/driver.h"

#include "app/axis/centre-search.h"
#include "data/phantom/phantom.h"
#include "tests/support/unfinished.h"
#include "ui/desktop/notifications.h"
#include "ui/export/export-row.h"

#include <glib/gstdio.h>
#include <unistd.h>

/* From 1/pixel to 1/cm, for the pixels of 1 µm of the scan. */
#define PER_CM 1e4

#define WIDE_WINDOW 800 /* what it needs without long texts is less */
#define LONG_ROWS 4000U
#define LONG_WRITE_US 20000U /* to write one slice of these */

/* --- the exports --- */

static TlExportRun *
get_run (Driver *driver, guint k)
{
  g_autoptr (TlExportRun) run = g_list_model_get_item (
      tl_exporter_get_runs (driver->session->exporter), k);

  g_assert_nonnull (run);
  return run; /* the list has another reference */
}

static guint
count_runs (Driver *driver)
{
  return g_list_model_get_n_items (
      tl_exporter_get_runs (driver->session->exporter));
}

static void
assert_state (Driver *driver, guint k, TlExportState state)
{
  TlExportRun *run = get_run (driver, k);
  g_autofree char *status = NULL;

  g_object_get (run, "status", &status, NULL);
  if (tl_export_run_get_state (run) != state)
    g_error ("export %u is in state %d: %s", k, tl_export_run_get_state (run),
             status);
}

static void
assert_toast (Driver *driver, const char *words, const char *path)
{
  const char *toast = driver_get_toast (driver);
  g_autofree char *want = g_strconcat (words, path, " in ", NULL);

  if (toast == NULL || !g_str_has_prefix (toast, want))
    g_error ("the toast is \"%s\", which does not begin with \"%s\"", toast,
             want);
}

/* The row says how the export ended, so that no toast covers it. */
static void
assert_done (Driver *driver, guint k, const char *words, const char *path)
{
  g_autofree char *want = g_strconcat (words, path, " in ", NULL);
  g_autofree char *status = NULL;

  assert_state (driver, k, TL_EXPORT_FINISHED);
  g_object_get (get_run (driver, k), "status", &status, NULL);
  g_assert_true (g_str_has_prefix (status, want));
  g_assert_null (driver_get_toast (driver));
  g_assert_null (tl_window_get_banner (driver->window));
}

/* Writes a scan with enough slices that the export can be cancelled. */
static gint write_us; /* atomic: what the writing of a slice takes at least */

gboolean __real_tl_volume_write (TlVolume *volume, size_t slice,
                                 const float *pixels, guint32 *crc32,
                                 GError **error);
gboolean __wrap_tl_volume_write (TlVolume *volume, size_t slice,
                                 const float *pixels, guint32 *crc32,
                                 GError **error);

gboolean
__wrap_tl_volume_write (TlVolume *volume, size_t slice, const float *pixels,
                        guint32 *crc32, GError **error)
{
  g_usleep ((gulong)g_atomic_int_get (&write_us));
  return __real_tl_volume_write (volume, slice, pixels, crc32, error);
}

/* Its export takes some seconds on any machine. */
static void
write_long_scan (const char *path)
{
  TlPhantomScan scan;
  g_autoptr (GError) error = NULL;

  g_atomic_int_set (&write_us, LONG_WRITE_US);
  tl_phantom_scan_init (&scan, 16, LONG_ROWS, 64);
  scan.n_flats = scan.n_darks = 1;
  tl_phantom_write_scan (path, &scan, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
}

/* --- the page --- */

static GtkWidget *
find (Driver *driver, const char *id)
{
  TlExportPage *page = tl_pages_get_export_page (driver_get_pages (driver));
  GtkWidget *found = driver_find_in (GTK_WIDGET (page), id);

  g_assert_nonnull (found);
  return found;
}

static gboolean
is_page_shown (Driver *driver)
{
  return gtk_widget_get_mapped (find (driver, "path_entry"));
}

static const char *
get_text (Driver *driver, const char *id)
{
  GtkWidget *widget = find (driver, id);

  if (!gtk_widget_get_visible (widget))
    return "";
  return GTK_IS_LABEL (widget) ? gtk_label_get_text (GTK_LABEL (widget))
                               : gtk_editable_get_text (GTK_EDITABLE (widget));
}

static gboolean
can_export (Driver *driver)
{
  return gtk_widget_get_sensitive (find (driver, "export_button"));
}

static gboolean
cannot_export (Driver *driver)
{
  return !can_export (driver);
}

static gboolean
has_plan (Driver *driver)
{
  return strstr (get_text (driver, "plan_label"), "of memory") != NULL;
}

static void
open_page (Driver *driver)
{
  driver_xdotool (driver, "key ctrl+e");
  driver_wait (driver, is_page_shown, "the page");
  driver_settle (driver);
}

static void
type_path (Driver *driver, const char *path)
{
  gtk_widget_grab_focus (find (driver, "path_entry"));
  driver_xdotool (driver, "key ctrl+a type %s", path);
  g_assert_cmpstr (get_text (driver, "path_entry"), ==, path);
}

static guint n_awaited; /* exports, since the case began */

static gboolean
has_awaited (Driver *driver)
{
  return count_runs (driver) == n_awaited;
}

static void
export_to (Driver *driver, const char *path)
{
  n_awaited = count_runs (driver) + 1;
  type_path (driver, path);
  driver_xdotool (driver, "key Return");
  driver_wait (driver, has_awaited, "the export to begin");
}

/* Types a number over the one in the field, without Enter or Tab. */
static void
type_number (Driver *driver, const char *id, const char *number)
{
  gtk_widget_grab_focus (find (driver, id));
  driver_xdotool (driver, "key ctrl+a type -- %s", number);
}

static GtkWidget *
find_in_row (Driver *driver, guint k, const char *id)
{
  GtkWidget *row = gtk_widget_get_first_child (find (driver, "rows"));

  for (; k > 0; k--)
    row = gtk_widget_get_next_sibling (row);
  return driver_find_in (row, id);
}

static void
click_in_row (Driver *driver, guint k, const char *id)
{
  GtkWidget *button = find_in_row (driver, k, id);

  g_assert_true (gtk_widget_get_mapped (button));
  gtk_widget_grab_focus (button); /* scrolls it into view */
  driver_settle (driver);
  driver_click (driver, button);
}

/* --- actions --- */

static void
test_action (Driver *driver)
{
  g_autofree char *folder = g_build_filename (driver->folder, "out", NULL);

  driver_open (driver);
  driver_activate (driver, "export",
                   g_variant_new_parsed ("{'path': <%s>, 'first': <uint32 1>, "
                                         "'last': <uint32 3>}",
                                         folder));
  driver_wait (driver, driver_is_exported, "the export");
  assert_toast (driver, "3 slices written to ", folder);
  for (int i = 0; i < SCAN_ROWS; i++)
    {
      g_autofree char *name = g_strdup_printf ("recon_%05d.tiff", i);
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_assert_cmpint (g_file_test (path, G_FILE_TEST_EXISTS), ==,
                       i >= 1 && i <= 3);
    }
}

/* Everything else that a script may say, and what it may not. */
static void
test_dictionary (Driver *driver)
{
  static const char *const refused[] = {
    "@a{sv} {}",
    "{'path': <'/tmp/a'>, 'first': <uint32 3>, 'last': <uint32 2>}",
    "{'path': <'/tmp/a'>, 'step': <uint32 0>}",
    "{'path': <'/tmp/a'>, 'sample': <'float8'>}",
    "{'path': <'/tmp/a'>, 'plane': <'ab'>}",
    "{'path': <'/tmp/a'>, 'format': <'jpeg'>}",
    "{'path': <'/tmp/a'>, 'existing': <'destroy'>}",
    "{'path': <'/tmp/a'>, 'compression': <12>}",
    "{'path': <'/tmp/a'>, 'percentiles': <(99.0, 1.0)>}",
    "{'path': <'/tmp/a'>, 'binning': <uint32 3>}",
  };
  g_autofree char *path = g_build_filename (driver->folder, "v.raw", NULL);
  g_autofree char *typed = g_strconcat (path, "/", NULL);
  GStatBuf status;

  driver_open (driver);
  for (guint i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      driver_activate (driver, "export", g_variant_new_parsed (refused[i]));
      g_assert_nonnull (tl_window_get_banner (driver->window));
      driver_activate (driver, "dismiss", NULL);
    }
  g_assert_cmpuint (count_runs (driver), ==, 0);
  for (int i = 0; i < 2; i++)
    {
      g_autofree char *said = NULL;

      driver_activate (
          driver, "export",
          g_variant_new_parsed (
              "{'path': <%s>, 'sample': <'uint8'>, 'range': <(0.9, 1.0)>, "
              "'step': <uint32 2>, 'region': <(uint32 8, uint32 4, uint32 20, "
              "uint32 10)>, 'rotate': <30.0>, 'mask': <true>, "
              "'existing': <'replace'>}",
              typed));
      driver_wait (driver, driver_is_exported, "the export");
      assert_state (driver, (guint)i, TL_EXPORT_FINISHED);
      g_object_get (get_run (driver, (guint)i), "status", &said, NULL);
      g_assert_nonnull (strstr (said, "\n600 pixels (100 %) were outside"));
    }
  g_assert_cmpint (g_stat (path, &status), ==, 0);
  g_assert_cmpint (status.st_size, ==, 3 * 20 * 10);
}

/* --- the button below the picture --- */

static GtkWidget *
find_cancel_button (Driver *driver)
{
  return driver_find (driver, "cancel_button");
}

/* Returns: whether slices are written and the button has slid in */
static gboolean
can_cancel (Driver *driver)
{
  GtkWidget *revealer =
      gtk_widget_get_ancestor (find_cancel_button (driver), GTK_TYPE_REVEALER);
  double progress;

  g_object_get (driver->session->exporter, "progress", &progress, NULL);
  return progress > 0
         && gtk_revealer_get_child_revealed (GTK_REVEALER (revealer));
}

/* After cancelling, the written slices stay, and each is complete. */
static void
test_cancel (Driver *driver)
{
  g_autofree char *folder = g_build_filename (driver->folder, "out", NULL);
  GtkWidget *button = find_cancel_button (driver);
  g_autofree char *unfinished = NULL;
  g_autofree char *kept = NULL;
  g_autofree char *status = NULL;
  guint n;
  int x, y;

  if (driver_lacks ("xdotool"))
    return;
  write_long_scan (driver->scan);
  driver_open (driver);
  driver_activate (driver, "export",
                   g_variant_new_parsed ("{'path': <%s>}", folder));
  driver_wait (driver, can_cancel, "the first slices");
  driver_locate (driver, button, gtk_widget_get_width (button) / 2.0,
                 gtk_widget_get_height (button) / 2.0, &x, &y);
  driver_xdotool (driver, "mousemove %d %d click 1", x, y);
  driver_wait (driver, driver_is_exported, "the export to end");
  g_assert_null (tl_window_get_banner (driver->window));
  assert_state (driver, 0, TL_EXPORT_CANCELLED);
  g_assert_false (g_file_test (folder, G_FILE_TEST_EXISTS));
  unfinished = find_unfinished (driver->folder, "out");
  n = count_whole_slices (unfinished);
  g_test_message ("cancelled after %u of %u slices", n, LONG_ROWS);
  kept = g_path_get_dirname (unfinished);
  g_object_get (get_run (driver, 0), "status", &status, NULL);
  g_assert_true (g_str_has_prefix (status, "Cancelled; "));
  g_assert_nonnull (strstr (status, kept));
  g_assert_cmpuint (n, >, 0);
  g_assert_cmpuint (n, <, LONG_ROWS);
  g_atomic_int_set (&write_us, 0);
}

/* --- the form --- */

static gboolean
says_two_slices (Driver *driver)
{
  return g_str_has_prefix (get_text (driver, "estimate_label"), "2 slices of");
}

/* What is typed counts at once; what cannot be is said, and the page stays. */
static void
test_typing (Driver *driver)
{
  static const struct
  {
    const char *field, *bad, *words, *good;
  } cases[] = {
    { "first_spin", "9", "comes after the last one, 4", "3" },
    { "last_spin", "x", "is not a number", "4" },
    { "last_spin", "5", "slices 3 to 5, step 1: the scan has the slices 0 to 4",
      "4" },
    { "step_spin", "0", "is less than 1", "1" },
    { "height_spin", "20.5", "is not a whole number", "96" },
    { "width_spin", "97", "is not within the slice", "96" },
    { "rotation_entry", "1.5.2", "is not a number", "-12,5" },
    { "path_entry", "volume", "needs its whole path", NULL },
  };
  g_autofree char *path = g_build_filename (driver->folder, "v", NULL);

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  open_page (driver);
  driver_wait (driver, has_plan, "the plan");
  g_assert_nonnull (strstr (get_text (driver, "plan_label"), "about"));
  g_assert_nonnull (strstr (get_text (driver, "estimate_label"), "are free"));
  type_path (driver, path);
  gtk_check_button_set_active (GTK_CHECK_BUTTON (find (driver, "range_check")),
                               TRUE);
  type_number (driver, "first_spin", "3");
  driver_wait (driver, says_two_slices, "the estimate of two slices");
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      type_number (driver, cases[i].field, cases[i].bad);
      driver_wait (driver, cannot_export, cases[i].words);
      g_assert_nonnull (
          strstr (get_text (driver, "problem_label"), cases[i].words));
      g_assert_true (
          gtk_widget_has_css_class (find (driver, cases[i].field), "error")
          == (strstr (cases[i].words, "number") != NULL
              || strstr (cases[i].words, "less") != NULL));
      driver_xdotool (driver, "key Return");
      g_assert_true (is_page_shown (driver));
      if (cases[i].good != NULL)
        type_number (driver, cases[i].field, cases[i].good);
      else
        type_path (driver, path);
      driver_wait (driver, can_export, "what can be exported");
    }
  g_assert_cmpuint (count_runs (driver), ==, 0);
  driver_click (driver, find (driver, "export_button"));
  driver_wait (driver, driver_is_exported, "the export");
  assert_done (driver, 0, "2 slices written to ", path);
}

/* --- keys without Ctrl and Alt --- */

static void
assert_unchanged (Driver *driver, const TlRecipe *recipe)
{
  TlParameters *parameters = driver->session->parameters;
  g_autoptr (GString) changes = g_string_new (NULL);

  g_assert_true (is_page_shown (driver));
  tl_recipe_compare (recipe, tl_parameters_get_recipe (parameters), 9, NULL,
                     changes);
  g_assert_cmpstr (changes->str, ==, "");
  driver_assert_state (driver, "slice", "2");
  driver_assert_state (driver, "profile", "false");
  driver_assert_state (driver, "hold", "false");
}

/* What these keys change in the picture would be exported unseen. */
static void
test_single_keys (Driver *driver)
{
  static const char *const fields[] = { "range_check", "this_check",
                                        "format_drop", "plane_drop",
                                        "mask_check" };
  static const char *const letters =
      "key Page_Up key t key shift+t key t key l key h key e key comma key p "
      "key v key g key a key o";
  TlParameters *parameters = driver->session->parameters;
  GtkWidget *page;
  g_autoptr (TlRecipe) recipe = NULL;
  double centre;

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  driver_activate (driver, "slice", g_variant_new_uint32 (2));
  driver_settle (driver);
  open_page (driver);
  page = GTK_WIDGET (tl_pages_get_export_page (driver_get_pages (driver)));
  recipe = tl_recipe_dup (tl_parameters_get_recipe (parameters));
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    {
      g_test_message ("keys on %s", fields[i]);
      gtk_widget_grab_focus (find (driver, fields[i]));
      driver_xdotool (driver, "%s", letters);
      driver_xdotool (driver, "key Right key Right key Left key shift+Right");
      assert_unchanged (driver, recipe);
      g_assert_true (gtk_widget_is_ancestor (
          gtk_window_get_focus (GTK_WINDOW (driver->window)), page));
    }
  g_test_message ("keys on a control beside the page, and on none");
  gtk_widget_grab_focus (driver_find (driver, "filter_drop"));
  driver_xdotool (driver, "%s", letters);
  assert_unchanged (driver, recipe);
  gtk_window_set_focus (GTK_WINDOW (driver->window), NULL);
  driver_xdotool (driver, "%s", letters);
  assert_unchanged (driver, recipe);

  centre = tl_parameters_get_centre (parameters);
  driver_xdotool (driver, "key alt+Right");
  g_assert_cmpfloat (tl_parameters_get_centre (parameters), ==, centre + 1);
  driver_xdotool (driver, "key Escape key t key l");
  g_assert_false (is_page_shown (driver));
  driver_assert_state (driver, "profile", "true");
  driver_assert_state (driver, "tilt", "0.10000000000000001");
}

static gboolean
says_too_little (Driver *driver)
{
  return strstr (get_text (driver, "problem_label"), "/proc/volume") != NULL;
}

static gboolean
says_scan (Driver *driver)
{
  return strstr (get_text (driver, "problem_label"), "the scan itself") != NULL;
}

static gboolean
says_no_folder (Driver *driver)
{
  return strstr (get_text (driver, "problem_label"), "not a folder") != NULL;
}

/* Nothing can be written in /proc, over the scan, or below a file. */
static void
test_refusals (Driver *driver)
{
  g_autofree char *good = g_build_filename (driver->folder, "a", NULL);
  g_autofree char *below = g_build_filename (driver->scan, "no", NULL);

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  open_page (driver);
  driver_wait (driver, has_plan, "the plan");
  type_path (driver, "/proc/volume");
  driver_wait (driver, says_too_little, "the refusal of /proc");
  g_assert_false (can_export (driver));
  driver_xdotool (driver, "key Return");
  type_path (driver, driver->scan);
  driver_wait (driver, says_scan, "the refusal of the scan");
  type_path (driver, below);
  driver_wait (driver, says_no_folder, "the refusal of the file");
  g_assert_cmpuint (count_runs (driver), ==, 0);
  type_path (driver, good);
  driver_wait (driver, can_export, "a folder with room");
}

/* Enter right after a name counts, though what was there before was refused and
 * nobody has looked at the new name yet. */
static void
test_eager (Driver *driver)
{
  g_autofree char *good = g_build_filename (driver->folder, "a", NULL);

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  open_page (driver);
  driver_wait (driver, has_plan, "the plan");
  type_path (driver, "/proc/volume");
  driver_wait (driver, says_too_little, "the refusal of /proc");
  n_awaited = 1;
  driver_send (driver, "key ctrl+a type --delay 0 --args 1 %s key Return",
               good);
  driver_wait (driver, has_awaited, "the export to begin");
  driver_wait (driver, driver_is_exported, "the export");
  assert_done (driver, 0, "5 slices written to ", good);
}

static gint is_slow; /* atomic: looking at a place does not end */

gboolean __real_tl_export_check_target (const TlExportJob *job, char **question,
                                        gboolean *can_resume, GError **error);
gboolean __wrap_tl_export_check_target (const TlExportJob *job, char **question,
                                        gboolean *can_resume, GError **error);

gboolean
__wrap_tl_export_check_target (const TlExportJob *job, char **question,
                               gboolean *can_resume, GError **error)
{
  while (g_atomic_int_get (&is_slow))
    g_usleep (1000);
  return __real_tl_export_check_target (job, question, can_resume, error);
}

/* Enter does not count any more when the page has been left before anybody has
 * looked at the name. */
static void
test_left_early (Driver *driver)
{
  g_autofree char *file = g_build_filename (driver->folder, "ab", NULL);

  if (driver_lacks ("xdotool"))
    return;
  g_assert_true (g_file_set_contents (file, "text", -1, NULL));
  driver_open (driver);
  open_page (driver);
  driver_wait (driver, has_plan, "the plan");
  type_path (driver, file);
  driver_wait (driver, cannot_export, "the refusal of the file");
  driver_settle (driver);
  g_atomic_int_set (&is_slow, TRUE);
  driver_xdotool (driver, "key BackSpace key Return key Escape");
  g_assert_false (is_page_shown (driver));
  g_assert_false (has_plan (driver));
  g_atomic_int_set (&is_slow, FALSE);
  driver_wait (driver, has_plan, "the plan of the good name");
  g_assert_cmpuint (count_runs (driver), ==, 0);
}

/* Returns: whether the banner is shown, and ends above @widget */
static gboolean
is_above (Driver *driver, GtkWidget *widget)
{
  GtkWidget *window = GTK_WIDGET (driver->window);
  graphene_rect_t banner, below;

  return tl_window_get_banner (driver->window) != NULL
         && gtk_widget_compute_bounds (driver_find (driver, "banner"), window,
                                       &banner)
         && gtk_widget_compute_bounds (widget, window, &below)
         && banner.size.height > 0
         && banner.origin.y + banner.size.height <= below.origin.y;
}

static gboolean
is_above_page (Driver *driver)
{
  return is_above (driver, find (driver, "path_entry"));
}

static gboolean
is_above_picture (Driver *driver)
{
  return is_above (driver, GTK_WIDGET (driver->view));
}

/* A complaint covers no field of the page, and nothing of a picture. */
static void
test_banner (Driver *driver)
{
  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  open_page (driver);
  driver_activate (driver, "export", g_variant_new_parsed ("@a{sv} {}"));
  driver_wait (driver, is_above_page, "the banner above the name");
  driver_xdotool (driver, "key Escape");
  g_assert_false (is_page_shown (driver));
  driver_wait (driver, is_above_picture, "the banner above the picture");
}

static guint
get_chosen (Driver *driver, const char *id)
{
  return gtk_drop_down_get_selected (GTK_DROP_DOWN (find (driver, id)));
}

static void
choose (Driver *driver, const char *id, guint place)
{
  gtk_drop_down_set_selected (GTK_DROP_DOWN (find (driver, id)), place);
  driver_settle (driver);
}

/* Returns: whether a label in @widget has the text */
static gboolean
shows (GtkWidget *widget, const char *text)
{
  if (GTK_IS_LABEL (widget))
    return strcmp (gtk_label_get_text (GTK_LABEL (widget)), text) == 0;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (shows (child, text))
      return TRUE;
  return FALSE;
}

/* The suffix follows the format, and the format the suffix. */
static void
test_format (Driver *driver)
{
  g_autofree char *stem = g_build_filename (driver->folder, "v", NULL);

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  open_page (driver);
  for (guint k = 0; k < TL_N_VOLUME_FORMATS; k++)
    {
      const char *suffix = tl_volume_format_get_info (k)->suffix;
      g_autofree char *path = g_strconcat (stem, suffix, NULL);

      type_path (driver, stem);
      choose (driver, "format_drop", k);
      g_assert_cmpstr (get_text (driver, "path_entry"), ==, path);
      choose (driver, "format_drop", TL_VOLUME_TIFF);
      g_assert_cmpstr (get_text (driver, "path_entry"), ==, stem);
      type_path (driver, path);
      g_assert_cmpuint (get_chosen (driver, "format_drop"), ==, k);
      g_assert_cmpint (
          gtk_widget_get_visible (find (driver, "compression_spin")), ==,
          tl_volume_format_get_info (k)->is_compressible);
    }
  g_assert_false (gtk_widget_get_visible (find (driver, "range_box")));
  choose (driver, "sample_drop",
          gtk_widget_get_visible (find (driver, "compression_spin")) ? 0 : 1);
  while (!gtk_widget_get_visible (find (driver, "range_box")))
    choose (driver, "sample_drop", get_chosen (driver, "sample_drop") + 1);
  g_assert_true (shows (find (driver, "sample_drop"), "16-bit integer"));
  type_number (driver, "low_entry", "50");
  type_number (driver, "high_entry", "40");
  driver_wait (driver, cannot_export, "the refusal of the range");
  type_number (driver, "high_entry", "60");
  driver_wait (driver, can_export, "the good range");
  g_assert_true (shows (find (driver, "range_unit"), "%"));
  choose (driver, "range_drop", 1);
  driver_wait (driver, can_export, "the range of the window");
  g_assert_true (shows (find (driver, "range_unit"), "1/cm"));
  g_assert_cmpfloat_with_epsilon (
      g_ascii_strtod (get_text (driver, "high_entry"), NULL),
      tl_view_get_high (tl_application_get_view (driver->application)) * PER_CM,
      1);
  g_assert_nonnull (driver_shoot (driver, "export-form"));
}

/* Integers have the range of the window that the user sees, in the unit of the
 * colour bar, also if it is moved while the page is open. */
static void
test_as_shown (Driver *driver)
{
  g_autofree char *path = g_build_filename (driver->folder, "a", NULL);
  g_autofree char *recipe = NULL;
  g_autofree char *text = NULL;
  TlView *view = tl_application_get_view (driver->application);

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  open_page (driver);
  driver_wait (driver, has_plan, "the plan");
  type_path (driver, path);
  while (!gtk_widget_get_visible (find (driver, "range_box")))
    choose (driver, "sample_drop", get_chosen (driver, "sample_drop") + 1);
  choose (driver, "range_drop", 2);
  g_assert_false (gtk_widget_get_sensitive (find (driver, "low_entry")));
  g_assert_cmpfloat_with_epsilon (
      g_ascii_strtod (get_text (driver, "high_entry"), NULL),
      PER_CM * tl_view_get_high (view),
      PER_CM * 1e-3 * tl_view_get_high (view));
  driver_activate (driver, "window-high", g_variant_new_double (0.05));
  driver_activate (driver, "window-low", g_variant_new_double (0.0125));
  g_assert_cmpstr (get_text (driver, "low_entry"), ==, "125");
  g_assert_true (shows (find (driver, "range_unit"), "1/cm"));
  driver_wait (driver, can_export, "the range of the window");
  driver_shoot_both (driver, GTK_WIDGET (driver->window), "export-as-shown");
  driver_click (driver, find (driver, "export_button"));
  driver_wait (driver, driver_is_exported, "the export");
  recipe = g_build_filename (path, "recipe.ini", NULL);
  g_assert_true (g_file_get_contents (recipe, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "--range 0.0125:0.05"));
  choose (driver, "range_drop", 0);
  g_assert_true (gtk_widget_get_sensitive (find (driver, "low_entry")));
  g_assert_cmpstr (get_text (driver, "low_entry"), ==, "0.1");
}

/* Values that were typed stay the same when the unit of the colour bar changes
 * with the pixel size. */
static void
test_unit (Driver *driver)
{
  g_autofree char *path = g_build_filename (driver->folder, "a", NULL);
  g_autofree char *recipe = g_build_filename (path, "recipe.ini", NULL);
  g_autofree char *text = NULL;

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  open_page (driver);
  driver_wait (driver, has_plan, "the plan");
  type_path (driver, path);
  while (!gtk_widget_get_visible (find (driver, "range_box")))
    choose (driver, "sample_drop", get_chosen (driver, "sample_drop") + 1);
  choose (driver, "range_drop", 1);
  type_number (driver, "low_entry", "12.34567"); /* of the file: 1 µm */
  type_number (driver, "high_entry", "x");
  driver_activate (driver, "pixel-size", g_variant_new_double (2));
  g_assert_cmpstr (get_text (driver, "low_entry"), ==, "6.172835");
  g_assert_cmpstr (get_text (driver, "high_entry"), ==, "x");
  type_number (driver, "high_entry", "100");
  driver_activate (driver, "pixel-size", g_variant_new_double (1));
  g_assert_cmpstr (get_text (driver, "high_entry"), ==, "200");
  driver_wait (driver, can_export, "the range of values");
  driver_click (driver, find (driver, "export_button"));
  driver_wait (driver, driver_is_exported, "the export");
  g_assert_true (g_file_get_contents (recipe, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "--range 0.001234567:0.02"));
}

static gboolean
has_other_scan (Driver *driver)
{
  const TlScanSummary *scan =
      tl_scan_source_get_summary (driver->session->source);

  return g_str_has_suffix (scan->path, "/other.h5");
}

/* For another scan the page proposes a name beside the last volume, wherever
 * the scan is. An export goes on with the scan that it was given. */
static void
test_other_scan (Driver *driver)
{
  g_autofree char *there = g_build_filename (driver->folder, "there", NULL);
  g_autofree char *wanted = g_build_filename (there, "other-recon.h5", NULL);
  g_autofree char *volume = g_build_filename (there, "a.h5", NULL);
  g_autofree char *other = g_build_filename (driver->folder, "other.h5", NULL);

  if (driver_lacks ("xdotool"))
    return;
  g_assert_cmpint (g_mkdir (there, 0777), ==, 0);
  driver_open (driver);
  open_page (driver);
  export_to (driver, volume);
  g_assert_cmpint (symlink (driver->scan, other), ==, 0);
  driver_activate (driver, "open", g_variant_new_string (other));
  driver_wait (driver, has_other_scan, "the other scan");
  driver_wait (driver, driver_is_exported, "the export");
  assert_state (driver, 0, TL_EXPORT_FINISHED);
  g_assert_nonnull (
      strstr (tl_export_run_get_what (get_run (driver, 0)), "phantom.h5"));
  driver_settle (driver);
  if (!is_page_shown (driver))
    open_page (driver);
  g_assert_cmpstr (get_text (driver, "path_entry"), ==, wanted);
}

static gboolean
has_inner_scan (Driver *driver)
{
  return g_str_has_suffix (tl_scan_source_get_name (driver->session->source),
                           ":/exchange/data");
}

/* Scans of one file have names of their own. */
static void
test_inner_scan (Driver *driver)
{
  g_autofree char *inner = g_strconcat (driver->scan, ":/exchange/data", NULL);

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  open_page (driver);
  g_assert_true (
      g_str_has_suffix (get_text (driver, "path_entry"), "/phantom-recon"));
  driver_activate (driver, "open", g_variant_new_string (inner));
  driver_wait (driver, has_inner_scan, "the scan in the file");
  driver_settle (driver);
  if (!is_page_shown (driver))
    open_page (driver);
  g_assert_true (g_str_has_suffix (get_text (driver, "path_entry"),
                                   "/phantom-exchange-data-recon"));
}

/* Escape, the button, and Ctrl+E again lead back to the slice. */
static void
test_leaving (Driver *driver)
{
  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  open_page (driver);
  driver_xdotool (driver, "key Escape");
  g_assert_false (is_page_shown (driver));
  open_page (driver);
  driver_xdotool (driver, "key ctrl+e");
  g_assert_false (is_page_shown (driver));
  open_page (driver);
  driver_click (driver, find (driver, "back_button"));
  g_assert_false (is_page_shown (driver));
  g_assert_true (driver_is_drawn (driver));
}

/* @bgra: (out): of the pixel in the lower left corner of the window */
static void
pick_corner (GdkTexture *picture, guint8 bgra[4])
{
  const size_t width = (size_t)gdk_texture_get_width (picture);
  const size_t height = (size_t)gdk_texture_get_height (picture);
  g_autofree guint8 *pixels = g_malloc (width * height * 4);

  gdk_texture_download (picture, pixels, width * 4);
  memcpy (bgra, pixels + ((height - 8) * width + 8) * 4, 4);
}

/* Takes pictures in light and dark, large and small; the dark one is dark. */
static void
shoot_themes (Driver *driver)
{
  GtkSettings *settings = gtk_settings_get_default ();
  GtkWindow *window = GTK_WINDOW (driver->window);
  g_autoptr (GdkTexture) light = driver_shoot (driver, "export-queue");
  guint8 shades[2][4];
  int width, height;

  gtk_window_get_default_size (window, &width, &height);
  g_object_set (settings, "gtk-application-prefer-dark-theme", TRUE, NULL);
  driver_settle (driver);
  g_autoptr (GdkTexture) dark = driver_shoot (driver, "export-dark");
  gtk_window_set_default_size (window, 1024, 700);
  driver_settle (driver);
  g_autoptr (GdkTexture) small = driver_shoot (driver, "export-dark-small");
  g_assert_cmpint (gdk_texture_get_width (small), <, 1100);
  g_object_set (settings, "gtk-application-prefer-dark-theme", FALSE, NULL);
  driver_settle (driver);
  g_object_unref (driver_shoot (driver, "export-small"));
  gtk_window_set_default_size (window, width, height);
  driver_settle (driver);
  pick_corner (light, shades[0]);
  pick_corner (dark, shades[1]);
  g_assert_cmpuint (shades[0][1], >, 128);
  g_assert_cmpuint (shades[1][1], <, 128);
}

/* --- the queue --- */

/* Two exports queue, and both finish; a third one to the name of the first asks
 * in its row before it replaces anything. */
static void
test_queue (Driver *driver)
{
  g_autofree char *first = g_build_filename (driver->folder, "a", NULL);
  g_autofree char *second = g_build_filename (driver->folder, "b.zarr", NULL);

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  open_page (driver);
  export_to (driver, first);
  export_to (driver, second);
  driver_wait (driver, driver_is_exported, "both exports");
  assert_state (driver, 0, TL_EXPORT_FINISHED);
  assert_state (driver, 1, TL_EXPORT_FINISHED);
  gtk_check_button_set_active (GTK_CHECK_BUTTON (find (driver, "this_check")),
                               TRUE);
  export_to (driver, first);
  driver_wait (driver, driver_is_exported, "the question");
  assert_state (driver, 2, TL_EXPORT_ASKING);
  g_assert_null (driver_find_dialog (driver));
  driver_settle (driver);
  g_assert_nonnull (strstr (
      gtk_label_get_text (GTK_LABEL (find_in_row (driver, 2, "status_label"))),
      "holds 5 slices"));
  shoot_themes (driver);
  click_in_row (driver, 2, "replace_button");
  driver_wait (driver, driver_is_exported, "the export");
  assert_done (driver, 2, "1 slice written to ", first);
  click_in_row (driver, 2, "again_button");
  driver_wait (driver, driver_is_exported, "the question again");
  assert_state (driver, 2, TL_EXPORT_ASKING);
  click_in_row (driver, 2, "cancel_button");
  assert_state (driver, 2, TL_EXPORT_CANCELLED);
  click_in_row (driver, 1, "remove_button");
  g_assert_cmpuint (count_runs (driver), ==, 2);
  g_assert_true (g_file_test (second, G_FILE_TEST_EXISTS));
}

/* @bounds: (out): of a widget in the page */
static void
get_bounds (Driver *driver, const char *id, graphene_rect_t *bounds)
{
  TlExportPage *page = tl_pages_get_export_page (driver_get_pages (driver));

  g_assert_true (
      gtk_widget_compute_bounds (find (driver, id), GTK_WIDGET (page), bounds));
}

/* Returns: how much of the page is below a widget. The page itself changes its
 * height a little with the status below it. */
static float
find_rest (Driver *driver, const char *id)
{
  TlExportPage *page = tl_pages_get_export_page (driver_get_pages (driver));
  graphene_rect_t bounds;

  get_bounds (driver, id, &bounds);
  return (float)gtk_widget_get_height (GTK_WIDGET (page)) - bounds.origin.y
         - bounds.size.height;
}

/* In a small window, too, rows that come move neither the buttons nor the
 * form. */
static void
test_layout (Driver *driver)
{
  graphene_rect_t form, after;
  float rest;

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  gtk_window_set_default_size (GTK_WINDOW (driver->window), 1024, 700);
  driver_settle (driver);
  open_page (driver);
  driver_wait (driver, has_plan, "the plan");
  driver_settle (driver);
  rest = find_rest (driver, "export_button");
  for (guint i = 0; i < 4; i++)
    {
      g_autofree char *name = g_strdup_printf ("v%u", i);
      g_autofree char *path = g_build_filename (driver->folder, name, NULL);

      export_to (driver, path);
      driver_wait (driver, driver_is_exported, "the export");
      driver_settle (driver);
      g_assert_cmpfloat (find_rest (driver, "export_button"), ==, rest);
      get_bounds (driver, "form_scroller", &after);
      if (i == 0)
        form = after;
      g_assert_true (graphene_rect_equal (&after, &form));
      get_bounds (driver, "queue", &after);
      g_assert_cmpfloat (after.size.height, >=, 110);
    }
  get_bounds (driver, "mask_check", &after);
  g_assert_cmpfloat (after.origin.y + after.size.height, <=,
                     form.origin.y + form.size.height);
}

static gboolean
has_no_overlay (Driver *driver)
{
  return !gtk_widget_get_mapped (
      driver_find_in (GTK_WIDGET (driver->window), "toast_label"));
}

static void
assert_notice (Driver *driver, const char *text, float rest)
{
  g_assert_cmpstr (driver_get_toast (driver), ==, text);
  g_assert_cmpstr (get_text (driver, "notice_label"), ==, text);
  driver_wait (driver, has_no_overlay, "nothing above the page");
  driver_settle (driver);
  g_assert_cmpfloat (find_rest (driver, "export_button"), ==, rest);
}

/* A notice covers nothing of the page and does not move its buttons, whether it
 * comes before the page or after it. */
static void
test_toast (Driver *driver)
{
  TlMessages *messages = driver->session->messages;
  float rest;

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  gtk_window_set_default_size (GTK_WINDOW (driver->window), 1024, 700);
  open_page (driver);
  driver_wait (driver, has_plan, "the plan");
  driver_settle (driver);
  rest = find_rest (driver, "export_button");
  driver_xdotool (driver, "key Escape");
  tl_messages_tell (messages, "The first notice");
  g_assert_cmpstr (driver_get_toast (driver), ==, "The first notice");
  driver_activate (driver, "view", g_variant_new_string ("export"));
  assert_notice (driver, "The first notice", rest);
  tl_messages_clear_notice (messages);
  g_assert_null (driver_get_toast (driver));
  tl_messages_tell (messages, "The second notice");
  assert_notice (driver, "The second notice", rest);
  driver_shoot_both (driver, GTK_WIDGET (driver->window), "export-notice");
}

static gboolean
shows_row (Driver *driver, guint k)
{
  GtkWidget *queue = find (driver, "queue");
  graphene_rect_t title;

  g_assert_true (gtk_widget_compute_bounds (
      find_in_row (driver, k, "title_label"), queue, &title));
  return title.origin.y >= 0
         && title.origin.y + title.size.height
                <= (float)gtk_widget_get_height (queue);
}

static gboolean
shows_first (Driver *driver)
{
  return shows_row (driver, 0);
}

static gboolean
hides_first (Driver *driver)
{
  return !shows_first (driver);
}

static gboolean
shows_last (Driver *driver)
{
  return shows_row (driver, count_runs (driver) - 1);
}

/* A name may end with a slash or be a detour. A queue that is longer than its
 * place shows what was started last, and a row that asks. */
static void
test_long_queue (Driver *driver)
{
  static const char *const names[][2] = { { "a/", "a" },
                                          { "b.h5/", "b.h5" },
                                          { "./c.h5", "c.h5" },
                                          { "d/../e", "e" },
                                          { "ä b'.raw", "ä b'.raw" } };

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  open_page (driver);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *typed =
          g_strconcat (driver->folder, "/", names[i][0], NULL);
      g_autofree char *path =
          g_strconcat (driver->folder, "/", names[i][1], NULL);
      GtkWidget *entry = find (driver, "path_entry");

      gtk_editable_set_text (GTK_EDITABLE (entry), typed);
      gtk_widget_grab_focus (entry);
      driver_xdotool (driver, "key Return");
      driver_wait (driver, driver_is_exported, "the export");
      assert_done (driver, i, "5 slices written to ", path);
      g_assert_cmpint (g_file_test (path, G_FILE_TEST_IS_DIR), ==,
                       tl_volume_format_from_path (path) == TL_VOLUME_TIFF);
      driver_wait (driver, shows_last, "the last row to be in view");
    }
  driver_wait (driver, hides_first, "the first row to be out of view");
  tl_exporter_run_again (driver->session->exporter, get_run (driver, 0));
  driver_wait (driver, driver_is_exported, "the question");
  driver_wait (driver, shows_first, "the question to be in view");
}

static gboolean
has_rate (Driver *driver)
{
  const char *status =
      gtk_label_get_text (GTK_LABEL (find_in_row (driver, 0, "status_label")));

  return strstr (status, "slices/") != NULL && strstr (status, " left") != NULL;
}

static gboolean
is_first_cancelled (Driver *driver)
{
  return tl_export_run_get_state (get_run (driver, 0)) == TL_EXPORT_CANCELLED;
}

static gboolean
has_progress (Driver *driver)
{
  return tl_export_run_get_progress (get_run (driver, 0)) > 0;
}

static GtkRevealer *
find_export_bar (Driver *driver)
{
  return GTK_REVEALER (gtk_widget_get_ancestor (
      driver_find (driver, "export_progress"), GTK_TYPE_REVEALER));
}

/* It is refused, as the first export to @path has not ended. */
static void
export_again (Driver *driver, const char *path)
{
  driver_activate (driver, "export",
                   g_variant_new_parsed ("{'path': <%s>}", path));
  g_assert_cmpuint (count_runs (driver), ==, 1);
  g_assert_nonnull (strstr (tl_window_get_banner (driver->window),
                            "has not ended; wait for it"));
}

/* The bar below the picture would move the buttons of the page, where a row
 * shows the progress. A refusal is withdrawn with its reason, and with the
 * page. */
static void
test_running (Driver *driver)
{
  g_autofree char *path = g_build_filename (driver->folder, "a", NULL);

  if (driver_lacks ("xdotool"))
    return;
  write_long_scan (driver->scan);
  driver_open (driver);
  open_page (driver);
  export_to (driver, path);
  driver_wait (driver, has_progress, "the first slices");
  g_assert_false (gtk_revealer_get_reveal_child (find_export_bar (driver)));
  export_again (driver, path);
  driver_xdotool (driver, "key Escape");
  g_assert_false (is_page_shown (driver));
  g_assert_null (tl_window_get_banner (driver->window));
  open_page (driver);
  export_again (driver, path);
  click_in_row (driver, 0, "cancel_button");
  driver_wait (driver, is_first_cancelled, "the export to be cancelled");
  g_assert_null (tl_window_get_banner (driver->window));
}

static gboolean
is_closed (Driver *driver)
{
  return driver->window == NULL;
}

/* Starts a long export, and asks to close the window meanwhile. */
static void
close_while_exporting (Driver *driver, const char *path)
{
  write_long_scan (driver->scan);
  driver_open (driver);
  driver_activate (driver, "export",
                   g_variant_new_parsed ("{'path': <%s>}", path));
  driver_wait (driver, has_progress, "the first slices");
  g_assert_true (gtk_revealer_get_reveal_child (find_export_bar (driver)));
  gtk_window_close (GTK_WINDOW (driver->window));
  driver_wait (driver, driver_has_dialog, "the question");
}

/* The question whether to stop an export goes when it ends by itself, and so
 * does the window, as the user wanted. */
static void
test_close_at_end (Driver *driver)
{
  g_autofree char *path = g_build_filename (driver->folder, "a.raw", NULL);

  close_while_exporting (driver, path);
  g_atomic_int_set (&write_us, 0);
  driver_wait (driver, is_closed, "the window to close");
  g_assert_true (g_file_test (path, G_FILE_TEST_EXISTS));
}

/* The window stays to say why the export has failed. */
static void
test_stay_at_failure (Driver *driver)
{
  g_autofree char *path = g_build_filename (driver->folder, "a.raw", NULL);

  close_while_exporting (driver, path);
  g_assert_cmpint (g_mkdir (path, 0777), ==, 0);
  g_atomic_int_set (&write_us, 0);
  driver_wait (driver, driver_has_no_dialog, "the question to go");
  assert_state (driver, 0, TL_EXPORT_FAILED);
  driver_settle (driver);
  g_assert_false (is_closed (driver));
  g_assert_nonnull (tl_window_get_banner (driver->window));
}

static gboolean
asks_first (Driver *driver)
{
  return tl_export_run_get_state (get_run (driver, 0)) == TL_EXPORT_ASKING;
}

static gboolean
notes_unfinished (Driver *driver)
{
  return strstr (get_text (driver, "note_label"), "was not finished") != NULL;
}

/* Beside the time that is left, the row says no other one. */
static void
assert_one_time (Driver *driver)
{
  const char *plan =
      gtk_label_get_text (GTK_LABEL (find_in_row (driver, 0, "plan_label")));

  g_assert_nonnull (strstr (plan, "of memory"));
  g_assert_null (strstr (plan, "about"));
  g_assert_null (strstr (plan, "time"));
}

/* The row of a running export tells of its rate. One that was cancelled can be
 * run again, and asks whether to go on; one that waits can be cancelled, too.
 */
static void
test_rows (Driver *driver)
{
  g_autofree char *first = g_build_filename (driver->folder, "a", NULL);
  g_autofree char *second = g_build_filename (driver->folder, "b", NULL);
  int least_width;

  if (driver_lacks ("xdotool"))
    return;
  write_long_scan (driver->scan);
  driver_open (driver);
  open_page (driver);
  export_to (driver, first);
  export_to (driver, second);
  assert_state (driver, 1, TL_EXPORT_WAITING);
  click_in_row (driver, 1, "cancel_button");
  assert_state (driver, 1, TL_EXPORT_CANCELLED);
  driver_wait (driver, has_rate, "the rate");
  assert_one_time (driver);
  g_assert_nonnull (driver_shoot (driver, "export-running"));
  click_in_row (driver, 0, "cancel_button");
  driver_wait (driver, is_first_cancelled, "the export to be cancelled");
  g_assert_true (driver_is_exported (driver));
  type_path (driver, first);
  driver_wait (driver, notes_unfinished, "the note");
  click_in_row (driver, 0, "again_button");
  driver_wait (driver, asks_first, "the question");
  driver_settle (driver);
  g_assert_true (
      gtk_widget_get_mapped (find_in_row (driver, 0, "resume_button")));
  g_assert_true (gtk_widget_has_css_class (
      find_in_row (driver, 0, "resume_button"), "suggested-action"));
  g_assert_nonnull (strstr (
      gtk_label_get_text (GTK_LABEL (find_in_row (driver, 0, "status_label"))),
      " of 4000 slices are kept, last written "));
  /* nor does the hidden bar, which says the same, make the window wide */
  gtk_widget_measure (GTK_WIDGET (driver->window), GTK_ORIENTATION_HORIZONTAL,
                      -1, &least_width, NULL, NULL, NULL);
  g_assert_cmpint (least_width, <, WIDE_WINDOW);
  click_in_row (driver, 0, "resume_button");
  g_assert_false (driver_is_exported (driver));
  driver_settle (driver);
  g_assert_false (driver_is_exported (driver));
  g_assert_false (notes_unfinished (driver)); /* it is being finished */
  driver_activate (driver, "cancel-export", NULL);
  driver_wait (driver, driver_is_exported, "the export to end");
  g_atomic_int_set (&write_us, 0);
}

/* --- other programs and dialogs --- */

static gboolean
is_shown_in_files (Driver *driver)
{
  g_autofree char *shown = g_build_filename (driver->folder, "shown", NULL);

  return g_file_test (shown, G_FILE_TEST_EXISTS);
}

static void
write_text (const char *folder, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *parent = g_path_get_dirname (path);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (g_mkdir_with_parents (parent, 0700), ==, 0);
  g_file_set_contents (path, text, -1, &error);
  g_assert_no_error (error);
}

/* Makes a script the file manager of the user, whose folders are those of the
 * test. It keeps what it is to show. */
static void
install_file_manager (Driver *driver)
{
  g_autofree char *script = g_strdup_printf (
      "cd %s; echo \"$1\" >written; mv written shown", driver->folder);
  g_autofree char *entry = g_strdup_printf (
      "[Desktop Entry]\nType=Application\nName=Files\nExec=sh %s/script %%f\n",
      driver->folder);

  write_text (driver->folder, "script", script);
  write_text (g_get_user_data_dir (), "applications/files.desktop", entry);
  write_text (g_get_user_config_dir (), "mimeapps.list",
              "[Default Applications]\ninode/directory=files.desktop\n");
}

/* The file manager is given the folder of a file, and a volume that is a folder
 * itself. */
static void
test_show (Driver *driver)
{
  static const struct
  {
    const char *name, *shown;
  } cases[] = { { "a b%ä/v.h5", "a b%ä" }, { "a b%ä/stack", "a b%ä/stack" } };
  g_autofree char *shown = g_build_filename (driver->folder, "shown", NULL);

  if (driver_lacks ("xdotool"))
    return;
  install_file_manager (driver);
  driver_open (driver);
  open_page (driver);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path =
          g_build_filename (driver->folder, cases[i].name, NULL);
      g_autofree char *folder =
          g_build_filename (driver->folder, cases[i].shown, NULL);
      g_autofree char *got = NULL;

      driver_activate (driver, "export",
                       g_variant_new_parsed ("{'path': <%s>}", path));
      driver_wait (driver, driver_is_exported, "the export");
      driver_settle (driver);
      click_in_row (driver, i, "show_button");
      driver_wait (driver, is_shown_in_files, "the file manager");
      g_assert_true (g_file_get_contents (shown, &got, NULL, NULL));
      g_assert_cmpstr (g_strchomp (got), ==, folder);
      g_assert_cmpint (g_unlink (shown), ==, 0);
    }
}

/* What is chosen in the dialog counts at once, the suffix too. */
static void
test_choosing (Driver *driver)
{
  g_autofree char *path = g_build_filename (driver->folder, "c.h5", NULL);

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  open_page (driver);
  driver_click (driver, find (driver, "choose_button"));
  driver_wait (driver, driver_has_dialog, "the dialog");
  driver_settle (driver);
  driver_xdotool (driver, "key ctrl+a type %s", path);
  driver_xdotool (driver, "key Return");
  driver_wait (driver, driver_has_no_dialog, "the end of the dialog");
  driver_settle (driver);
  g_assert_cmpstr (get_text (driver, "path_entry"), ==, path);
  g_assert_cmpuint (get_chosen (driver, "format_drop"), ==, TL_VOLUME_HDF5);
  driver_click (driver, find (driver, "export_button"));
  driver_wait (driver, driver_is_exported, "the export");
  assert_done (driver, 0, "5 slices written to ", path);
}

/* --- notifications --- */

/* Stands for the desktop: keeps the words of the last notification. */
static struct
{
  char *title, *body; /* (nullable) */
  char *action;       /* (nullable): of a click */
} desktop;

static void
on_call (GDBusConnection *bus, const char *sender, const char *path,
         const char *interface, const char *method, GVariant *arguments,
         GDBusMethodInvocation *call, gpointer data)
{
  g_autoptr (GVariant) actions = NULL;

  g_assert_cmpstr (method, ==, "Notify");
  g_free (desktop.title);
  g_free (desktop.body);
  g_free (desktop.action);
  g_variant_get (arguments, "(susss@asa{sv}i)", NULL, NULL, NULL,
                 &desktop.title, &desktop.body, &actions, NULL, NULL);
  g_variant_get_child (actions, 0, "s", &desktop.action);
  g_dbus_method_invocation_return_value (call, g_variant_new ("(u)", 1));
}

static gboolean
is_notified (Driver *driver)
{
  return desktop.title != NULL;
}

static gboolean
is_searched (Driver *driver)
{
  return tl_centre_search_get_state (
             tl_session_get_centre_search (driver->session))
         == TL_CENTRE_SEARCH_DONE;
}

static gboolean
is_inactive (Driver *driver)
{
  return !gtk_window_is_active (GTK_WINDOW (driver->window));
}

/* Offers an interface on the bus under the name that its object has. */
static guint
serve (GDBusConnection *bus, const char *object, const char *xml,
       const GDBusInterfaceVTable *table)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GDBusNodeInfo) node = g_dbus_node_info_new_for_xml (xml, &error);
  guint id;

  g_assert_no_error (error);
  id = g_dbus_connection_register_object (bus, object, node->interfaces[0],
                                          table, NULL, NULL, &error);
  g_assert_no_error (error);
  return id;
}

static guint
serve_notifications (GDBusConnection *bus)
{
  static const char xml[] =
      "<node><interface name='org.freedesktop.Notifications'>"
      "<method name='Notify'><arg type='s' direction='in'/>"
      "<arg type='u' direction='in'/><arg type='s' direction='in'/>"
      "<arg type='s' direction='in'/><arg type='s' direction='in'/>"
      "<arg type='as' direction='in'/><arg type='a{sv}' direction='in'/>"
      "<arg type='i' direction='in'/><arg type='u' direction='out'/>"
      "</method></interface></node>";
  static const GDBusInterfaceVTable table = { .method_call = on_call };

  return serve (bus, "/org/freedesktop/Notifications", xml, &table);
}

/* Opens the scan, and another window that takes the focus. Returns: (transfer
 * full) (nullable): that window; %NULL without a bus */
static GtkWidget *
open_behind (Driver *driver, GDBusConnection **bus)
{
  GtkWidget *other;

  *bus =
      g_application_get_dbus_connection (G_APPLICATION (driver->application));
  if (*bus == NULL)
    {
      g_test_skip ("no session bus: dbus-run-session is not installed");
      return NULL;
    }
  driver_open (driver);
  other = gtk_window_new ();
  gtk_window_present (GTK_WINDOW (other));
  driver_wait (driver, is_inactive, "the other window to have the focus");
  return other;
}

/* The object and the name of the desktop on the bus. */
typedef struct
{
  GDBusConnection *bus;
  guint object, name;
} Desktop;

static Desktop
start_desktop (Driver *driver, GDBusConnection *bus)
{
  Desktop served = { bus, serve_notifications (bus), 0 };

  served.name = g_bus_own_name_on_connection (
      bus, "org.freedesktop.Notifications", G_BUS_NAME_OWNER_FLAGS_NONE, NULL,
      NULL, NULL, NULL);
  driver_settle (driver);
  return served;
}

static void
stop_desktop (const Desktop *served)
{
  g_bus_unown_name (served->name);
  g_dbus_connection_unregister_object (served->bus, served->object);
  g_clear_pointer (&desktop.title, g_free);
  g_clear_pointer (&desktop.body, g_free);
  g_clear_pointer (&desktop.action, g_free);
}

static gboolean
is_shown (Driver *driver)
{
  return gtk_widget_get_mapped (GTK_WIDGET (driver->window));
}

/* An export that ends while another window has the focus is told to the
 * desktop, where there is one that listens. A click there activates the
 * program. */
static void
test_notification (Driver *driver)
{
  g_autofree char *path = g_build_filename (driver->folder, "v.h5", NULL);
  g_autoptr (GError) error = NULL;
  GDBusConnection *bus;
  GtkWidget *other = open_behind (driver, &bus);
  Desktop served;

  if (other == NULL)
    return;
  driver_activate (driver, "export",
                   g_variant_new_parsed ("{'path': <%s>}", path));
  driver_wait (driver, driver_is_exported, "the export without a desktop");
  driver_settle (driver);
  served = start_desktop (driver, bus);
  driver_activate (
      driver, "export",
      g_variant_new_parsed ("{'path': <%s>, 'existing': <'replace'>}", path));
  driver_wait (driver, is_notified, "the notification");
  g_assert_cmpstr (desktop.title, ==, "The export is finished");
  g_assert_nonnull (strstr (desktop.body, "5 slices written to"));
  g_assert_cmpstr (desktop.action, ==, "default");
  driver_settle (driver);
  /* without a window manager, X would not give the focus to an older window */
  gtk_widget_set_visible (GTK_WIDGET (driver->window), FALSE);
  g_dbus_connection_emit_signal (bus, NULL, "/org/freedesktop/Notifications",
                                 "org.freedesktop.Notifications",
                                 "ActionInvoked",
                                 g_variant_new ("(us)", 1, "default"), &error);
  g_assert_no_error (error);
  driver_wait (driver, is_shown, "the window");
  stop_desktop (&served);
  gtk_window_destroy (GTK_WINDOW (other));
}

/* So is a search of the axis that takes long; the others are not. */
static void
test_long_search (Driver *driver)
{
  GDBusConnection *bus;
  GtkWidget *other = open_behind (driver, &bus);
  TlNotifications *eager;
  Desktop served;

  if (other == NULL)
    return;
  served = start_desktop (driver, bus);
  driver_activate (driver, "find-centre", NULL);
  driver_settle (driver);
  driver_wait (driver, is_searched, "the short search");
  driver_settle (driver);
  g_assert_null (desktop.title);
  eager = tl_notifications_new (GTK_APPLICATION (driver->application),
                                driver->session, 0);
  driver_activate (driver, "find-centre", NULL);
  driver_wait (driver, is_notified, "the notification");
  g_assert_cmpstr (desktop.title, ==, "The search of the axis has ended");
  g_assert_cmpuint (strlen (desktop.body), >, 10);
  g_clear_pointer (&desktop.title, g_free);
  g_action_group_change_action_state (G_ACTION_GROUP (driver->application),
                                      "candidates", g_variant_new_uint32 (3));
  driver_activate (driver, "view", g_variant_new_string ("candidates"));
  driver_wait_for_candidates (driver);
  driver_wait (driver, is_notified, "the notification of the candidates");
  g_assert_nonnull (strstr (desktop.title, "candidates"));
  g_assert_cmpstr (desktop.body, ==, "phantom.h5");
  tl_notifications_free (eager);
  stop_desktop (&served);
  gtk_window_destroy (GTK_WINDOW (other));
}

static char *selected; /* (nullable): what a file manager is to select */

static void
on_show_items (GDBusConnection *bus, const char *sender, const char *path,
               const char *interface, const char *method, GVariant *arguments,
               GDBusMethodInvocation *call, gpointer data)
{
  g_autofree const char **uris = NULL;

  g_assert_cmpstr (method, ==, "ShowItems");
  g_variant_get (arguments, "(^a&s&s)", &uris, NULL);
  g_assert_cmpuint (g_strv_length ((char **)uris), ==, 1);
  selected = g_filename_from_uri (uris[0], NULL, NULL);
  g_dbus_method_invocation_return_value (call, NULL);
}

static gboolean
is_selected (Driver *driver)
{
  return selected != NULL;
}

/* A file manager on the bus is asked to select the volume, and no folder is
 * opened. */
static void
test_selected (Driver *driver)
{
  static const char xml[] =
      "<node><interface name='org.freedesktop.FileManager1'>"
      "<method name='ShowItems'><arg type='as' direction='in'/>"
      "<arg type='s' direction='in'/></method></interface></node>";
  static const GDBusInterfaceVTable table = { .method_call = on_show_items };
  GDBusConnection *bus =
      g_application_get_dbus_connection (G_APPLICATION (driver->application));
  g_autofree char *path = g_build_filename (driver->folder, "a ä.h5", NULL);
  guint object, name;

  if (bus == NULL)
    {
      g_test_skip ("no session bus: dbus-run-session is not installed");
      return;
    }
  if (driver_lacks ("xdotool"))
    return;
  install_file_manager (driver);
  object = serve (bus, "/org/freedesktop/FileManager1", xml, &table);
  name = g_bus_own_name_on_connection (bus, "org.freedesktop.FileManager1",
                                       G_BUS_NAME_OWNER_FLAGS_NONE, NULL, NULL,
                                       NULL, NULL);
  driver_open (driver);
  open_page (driver);
  driver_activate (driver, "export",
                   g_variant_new_parsed ("{'path': <%s>}", path));
  driver_wait (driver, driver_is_exported, "the export");
  driver_settle (driver);
  click_in_row (driver, 0, "show_button");
  driver_wait (driver, is_selected, "the file manager");
  g_assert_cmpstr (selected, ==, path);
  driver_settle (driver);
  g_assert_false (is_shown_in_files (driver));
  g_bus_unown_name (name);
  g_dbus_connection_unregister_object (bus, object);
  g_clear_pointer (&selected, g_free);
}

int
main (int argc, char **argv)
{
  static const DriverCase cases[] = {
    { "/ui/export-page/action", test_action },
    { "/ui/export-page/dictionary", test_dictionary },
    { "/ui/export-page/cancel", test_cancel },
    { "/ui/export-page/typing", test_typing },
    { "/ui/export-page/single-keys", test_single_keys },
    { "/ui/export-page/refusals", test_refusals },
    { "/ui/export-page/eager", test_eager },
    { "/ui/export-page/left-early", test_left_early },
    { "/ui/export-page/banner", test_banner },
    { "/ui/export-page/as-shown", test_as_shown },
    { "/ui/export-page/unit", test_unit },
    { "/ui/export-page/format", test_format },
    { "/ui/export-page/other-scan", test_other_scan },
    { "/ui/export-page/inner-scan", test_inner_scan },
    { "/ui/export-page/leaving", test_leaving },
    { "/ui/export-page/queue", test_queue },
    { "/ui/export-page/layout", test_layout },
    { "/ui/export-page/toast", test_toast },
    { "/ui/export-page/long-queue", test_long_queue },
    { "/ui/export-page/rows", test_rows },
    { "/ui/export-page/running", test_running },
    { "/ui/export-page/close-at-end", test_close_at_end },
    { "/ui/export-page/stay-at-failure", test_stay_at_failure },
    { "/ui/export-page/show", test_show },
    { "/ui/export-page/choosing", test_choosing },
    { "/ui/export-page/notification", test_notification },
    { "/ui/export-page/long-search", test_long_search },
    { "/ui/export-page/selected", test_selected },
  };

  return driver_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
