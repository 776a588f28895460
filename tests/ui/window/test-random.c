/* Hundreds of random actions by mouse, keyboard and session bus. Afterwards the
 * window still responds, and uses little more memory than half-way. A failure
 * prints the seed, which --seed repeats; TL_RANDOM_ACTIONS sets the number of
 * actions. */
#include "tests/ui/window/chance.h"
#include "tests/ui/driver.h"
#include "tests/ui/window/keys.h"
#include "tests/ui/window/messages.h"
#include "tests/ui/window/random-acts.h"

#include "data/phantom/phantom.h"

#include <gdk/x11/gdkx.h>
#include <malloc.h>
#include <stdio.h>
#include <unistd.h>

/* Fewer actions under the sanitizers, because they are slow. */
#ifdef __SANITIZE_ADDRESS__
#define N_ACTIONS 200
#else
#define N_ACTIONS 500
#endif

/* Memory that the second half may add: pages of libraries used for the first
 * time, fragmented heaps, and the machine code that software OpenGL compiles
 * and keeps for each combination of shader and state. The latter is nine tenths
 * of the growth of a run, up to 137 MiB in its second half. */
#ifdef __SANITIZE_ADDRESS__
#define MAX_GROWTH_MIB 400.0 /* freed memory is kept for a while */
#else
#define MAX_GROWTH_MIB 256.0
#endif

/* From an action to a different picture, at the end of the run. */
#define MAX_ANSWER_S 2.0

typedef struct
{
  Driver *driver;
  GPtrArray *keys;  /* in xdotool's names */
  GPtrArray *files; /* scans, a recipe, and files that are neither */
  RandomActs acts;
} Random;

/* --- keys --- */

static void
press_key (Random *random)
{
  driver_send (
      random->driver, "key %s",
      (char *)random->keys->pdata[chance_pick ((int)random->keys->len)]);
}

/* Keys that move the focus or leave what is open. */
static void
press_other_key (Random *random)
{
  static const char *const keys[] = { "Tab",   "shift+Tab", "Down",      "Up",
                                      "space", "Escape",    "End",       "Home",
                                      "Prior", "Delete",    "BackSpace", "F10",
                                      "Left",  "Right",     "Return" };

  driver_send (random->driver, "key %s", CHANCE_PICK (keys));
}

/* Sends Escape to the topmost window. No window manager runs, so the focus is
 * set here; the window may vanish meanwhile, which gives an X error. */
static void
press_escape (Driver *driver)
{
  GtkWindow *dialog = driver_find_dialog (driver);
  GtkNative *top =
      GTK_NATIVE (dialog != NULL ? dialog : GTK_WINDOW (driver->window));
  GdkDisplay *display = gtk_widget_get_display (GTK_WIDGET (top));

  gdk_x11_display_error_trap_push (display);
  XSetInputFocus (gdk_x11_display_get_xdisplay (display),
                  gdk_x11_surface_get_xid (gtk_native_get_surface (top)),
                  RevertToParent, CurrentTime);
  gdk_x11_display_error_trap_pop_ignored (display);
  driver_send (driver, "key Escape key Escape");
}

/* Shows the pages for the axis and works there by key; other actions click and
 * scroll. */
static void
look_for_axis (Random *random)
{
  static const char *const ways[] = { "g", "g", "a", "o", "ctrl+shift+f" };
  static const char *const keys[] = {
    "Left",   "Right", "Up",     "Down",    "shift+Up", "End",    "Home",
    "Return", "comma", "period", "e",       "shift+e",  "1",      "2",
    "3",      "4",     "t",      "shift+t", "space",    "ctrl+z", "shift+o"
  };
  g_autoptr (GString) line = g_string_new (NULL);

  g_string_append_printf (line, "key %s", CHANCE_PICK (ways));
  for (int n = chance_pick (8); n > 0; n--)
    g_string_append_printf (line, " sleep 0.0%d key %s", chance_pick (6),
                            CHANCE_PICK (keys));
  driver_send (random->driver, "%s", line->str);
}

static void
leave_dialog (Random *random)
{
  press_escape (random->driver);
}

/* The second choice is for a submenu. */
static void
choose_from_menu (Random *random)
{
  driver_send (random->driver,
               "key F10 key --repeat %d Down key Return sleep 0.1"
               " key --repeat %d Down key Return",
               1 + chance_pick (12), 1 + chance_pick (7));
}

/* --- the pointer --- */

static void
pick_place (Random *random, int *x, int *y)
{
  GtkWidget *window = GTK_WIDGET (random->driver->window);

  driver_locate (random->driver, window,
                 chance_pick (MAX (gtk_widget_get_width (window), 1)),
                 chance_pick (MAX (gtk_widget_get_height (window), 1)), x, y);
}

/* Clicks in the picture or in the panel, never on a button that closes the
 * window. */
static void
click (Random *random)
{
  static const int buttons[] = { 1, 1, 1, 1, 2, 3 };
  int x, y;

  pick_place (random, &x, &y);
  driver_send (random->driver, "mousemove %d %d click %d", x, MAX (y, 60),
               CHANCE_PICK (buttons));
}

static void
drag (Random *random)
{
  static const char *const modifiers[] = { "ctrl", "shift", "alt" };
  const char *modifier = CHANCE_PICK (modifiers);
  gboolean is_held = chance_pick (3) == 0;
  g_autoptr (GString) line = g_string_new (NULL);
  int x, y;

  pick_place (random, &x, &y);
  if (is_held)
    g_string_append_printf (line, "keydown %s ", modifier);
  g_string_append_printf (line, "mousemove %d %d mousedown 1", x, MAX (y, 60));
  for (int i = 0; i < 6; i++)
    {
      x += chance_pick (81) - 40;
      y += chance_pick (81) - 40;
      x = MAX (x, 0);
      y = MAX (y, 60);
      g_string_append_printf (line, " mousemove %d %d sleep 0.01", x, y);
    }
  g_string_append (line, " mouseup 1");
  if (is_held)
    g_string_append_printf (line, " keyup %s", modifier);
  driver_send (random->driver, "%s", line->str);
}

static void
turn_wheel (Random *random)
{
  int x, y;

  pick_place (random, &x, &y);
  driver_send (random->driver, "mousemove %d %d click --repeat %d --delay 5 %d",
               x, y, 1 + chance_pick (8), 4 + chance_pick (2));
}

/* --- fields --- */

static void
type_into_field (Random *random)
{
  static const char *const fields[] = {
    "slice_spin",      "centre_spin",      "butterworth_order_spin",
    "window_low_spin", "window_high_spin", "angles_entry"
  };
  GtkWidget *field = driver_find (random->driver, CHANCE_PICK (fields));

  gtk_widget_grab_focus (field);
  driver_send (random->driver, "key ctrl+a type -- '%s'", chance_rubbish ());
  driver_send (random->driver, "key %s",
               chance_pick (2) == 0 ? "Return" : "Tab");
}

static void
act (Random *random)
{
  random_acts_do (&random->acts);
}

/* Holds a slice, picks a mode, and usually releases the slice again, so that
 * some of the next actions run while two slices are shown. */
static void
compare (Random *random)
{
  static const char *const ways[] = { "F6", "F7", "F8", "F9" };

  driver_send (random->driver, "key h sleep 0.02 key %s", CHANCE_PICK (ways));
  drag (random);
  if (chance_pick (3) > 0)
    driver_send (random->driver, "key shift+F5 key h");
}

/* --- the window --- */

static void
open_file (Random *random)
{
  driver_activate (
      random->driver, "open",
      g_variant_new_string (
          random->files->pdata[chance_pick ((int)random->files->len)]));
}

static void
resize (Random *random)
{
  gtk_window_set_default_size (GTK_WINDOW (random->driver->window),
                               700 + chance_pick (560),
                               500 + chance_pick (480));
}

static void
change_look (Random *random)
{
  GtkSettings *settings = gtk_settings_get_default ();

  g_object_set (settings, "gtk-application-prefer-dark-theme",
                chance_pick (2) == 0, NULL);
}

/* --- random actions --- */

typedef struct
{
  const char *name;
  void (*function) (Random *random);
  int weight;
} Action;

static const Action actions[] = {
  { "key", press_key, 20 },
  { "other-key", press_other_key, 8 },
  { "leave", leave_dialog, 14 },
  { "menu", choose_from_menu, 3 },
  { "click", click, 12 },
  { "drag", drag, 12 },
  { "wheel", turn_wheel, 6 },
  { "field", type_into_field, 6 },
  { "act", act, 30 },
  { "compare", compare, 6 },
  { "axis", look_for_axis, 10 },
  { "open", open_file, 4 },
  { "resize", resize, 3 },
  { "look", change_look, 1 },
};

static const Action *
pick_action (void)
{
  int total = 0, chance;
  guint i = 0;

  for (guint k = 0; k < G_N_ELEMENTS (actions); k++)
    total += actions[k].weight;
  chance = chance_pick (total);
  while (chance >= actions[i].weight)
    chance -= actions[i++].weight;
  return &actions[i];
}

static gboolean
raise_flag (gpointer flag)
{
  *(gboolean *)flag = TRUE;
  return G_SOURCE_REMOVE;
}

/* Pauses as briefly as a quick user. */
static void
pause_shortly (Driver *driver)
{
  gboolean is_over = FALSE;

  g_timeout_add ((guint)chance_pick (40), raise_flag, &is_over);
  while (!is_over)
    driver_iterate (driver, TRUE);
}

static void
do_things (Random *random, int n)
{
  for (int i = 0; i < n; i++)
    {
      const Action *action = pick_action ();

      g_test_message ("%d %s", i, action->name);
      action->function (random);
      pause_shortly (random->driver);
      if (random->driver->window == NULL)
        g_error ("action %d, %s, has closed the window", i, action->name);
    }
}

static gboolean
has_no_dialog (Driver *driver)
{
  GtkWindow *dialog = driver_find_dialog (driver);

  if (dialog == NULL)
    return TRUE;
  g_test_message ("left open: %s \"%s\"", G_OBJECT_TYPE_NAME (dialog),
                  gtk_window_get_title (dialog));
  press_escape (driver);
  return FALSE;
}

static void
close_dialogs (Driver *driver)
{
  press_escape (driver);
  driver_wait (driver, has_no_dialog, "the dialogs to go");
  driver_activate (driver, "cancel-export", NULL);
  driver_settle (driver);
}

/* Leaves out freed memory where the C library can return it to the system. */
static double
read_memory_mib (void)
{
  long all, resident = 0;
  FILE *file = fopen ("/proc/self/statm", "r");

#ifdef __GLIBC__
  malloc_trim (0);
#endif
  if (file != NULL && fscanf (file, "%ld %ld", &all, &resident) != 2)
    resident = 0;
  if (file != NULL)
    fclose (file);
  return (double)resident * (double)sysconf (_SC_PAGESIZE) / 1024 / 1024;
}

/* Each scan has opposite projections for the overlay; the scan with more rows
 * has a tilted axis. */
static void
write_scan (const char *path, size_t n_rows, size_t n_cols)
{
  TlPhantomScan scan;
  g_autoptr (GError) error = NULL;

  tl_phantom_scan_init (&scan, 60, n_rows, n_cols);
  scan.angles_deg[1] = 360;
  scan.centre_col = (double)n_cols / 2 + 1.7;
  scan.tilt_deg = n_rows > 8 ? 0.8 : 0;
  tl_phantom_write_scan (path, &scan, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
}

static void
set_up (Random *random)
{
  static const char *const names[] = { "a.h5",  "b.h5",    "bad.h5",
                                       "r.ini", "bad.ini", "nothing.h5",
                                       "" };

  random->keys = keys_list (random->driver);
  random->files = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    g_ptr_array_add (random->files,
                     g_build_filename (random->driver->folder, names[i], NULL));
  write_scan (random->files->pdata[0], 4, 256);
  write_scan (random->files->pdata[1], 24, 97);
  g_file_set_contents (random->files->pdata[2], "no scan at all", -1, NULL);
  g_file_set_contents (random->files->pdata[3],
                       "[recipe]\nslice=1\nfilter=hann\n", -1, NULL);
  g_file_set_contents (random->files->pdata[4], "[recipe]\nslice=x\n", -1,
                       NULL);
  random_acts_init (&random->acts, random->driver, random->files);
}

static void
clear (Random *random)
{
  random_acts_clear (&random->acts);
  g_ptr_array_unref (random->keys);
  g_ptr_array_unref (random->files);
}

/* --- checks after the actions --- */

static TlFrame *old_frame;

static gboolean
has_other_frame (Driver *driver)
{
  return tl_display_get_frame (driver->session->display) != old_frame
         && tl_slice_view_is_drawn (driver->view);
}

static void
assert_answers (Random *random)
{
  Driver *driver = random->driver;
  g_autoptr (GdkTexture) shot = NULL;
  gint64 start_us;

  driver_activate (driver, "open",
                   g_variant_new_string (random->files->pdata[0]));
  driver_settle (driver);
  driver_activate (driver, "view", g_variant_new_string ("slice"));
  driver_activate (driver, "slice", g_variant_new_uint32 (0));
  driver_settle (driver);
  old_frame = tl_display_get_frame (driver->session->display);
  start_us = g_get_monotonic_time ();
  driver_activate (driver, "slice", g_variant_new_uint32 (3));
  driver_wait (driver, has_other_frame, "another picture");
  g_assert_cmpfloat ((double)(g_get_monotonic_time () - start_us) / 1e6, <,
                     MAX_ANSWER_S);
  driver_settle (driver);
  shot = driver_shoot (driver, "random");
}

static void
test_random (Driver *driver)
{
  Random random = { .driver = driver };
  const char *number = g_getenv ("TL_RANDOM_ACTIONS");
  int n = number != NULL ? atoi (number) : N_ACTIONS;
  double before_mib, after_mib;

  if (driver_lacks ("xdotool"))
    return;
  g_test_log_set_fatal_handler (messages_is_fatal, NULL);
  /* dialogs save into the current folder */
  g_assert_cmpint (chdir (driver->folder), ==, 0);
  set_up (&random);
  driver_activate (driver, "open",
                   g_variant_new_string (random.files->pdata[0]));
  driver_settle (driver);
  do_things (&random, n / 2);
  close_dialogs (driver);
  before_mib = read_memory_mib ();
  do_things (&random, n / 2);
  close_dialogs (driver);
  after_mib = read_memory_mib ();
  g_test_message ("%d actions, %.0f MiB after half, %.0f MiB after all", n,
                  before_mib, after_mib);
  assert_answers (&random);
  g_assert_cmpfloat (after_mib - before_mib, <, MAX_GROWTH_MIB);
  clear (&random);
}

int
main (int argc, char **argv)
{
  static const DriverCase cases[] = {
    { "/ui/random", test_random, NULL },
  };

  messages_init ();
  return driver_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
