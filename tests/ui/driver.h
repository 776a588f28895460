/* Runs the application in the test's process, and sends it events of mouse and
 * keyboard. Main thread. */
#pragma once

#include "ui/window/application.h"
#include "ui/window/pages.h"

/* Fixture of a case: an application with its window, and a scan to open. */
typedef struct Driver Driver;
typedef void (*DriverFunction) (Driver *driver);
struct Driver
{
  DriverFunction function;
  TlApplication *application;
  TlSession *session;
  TlWindow *window; /* (nullable): weak */
  TlSliceView *view;
  char *folder; /* for the files of the case; removed when the program ends */
  char *scan;   /* a phantom with 96 columns, 5 rows, axis at 46.25 */
  guint64 scan_serial;  /* of the scan that was waited for last */
  double longest_ms;    /* longest blocking of the main thread in the case */
  gboolean was_closed;  /* the case has closed the window */
  gboolean wants_again; /* the case asks to be repeated, as one that was blocked
                           on a busy machine is */
  double end_s; /* time until the session ended after the window closed */
};

#define SCAN_COLS 96
#define SCAN_ROWS 5
#define SCAN_CENTRE 46.25

typedef struct
{
  const char *path; /* "/ui/open" */
  DriverFunction function;
  DriverFunction
      check; /* (nullable): runs after application and session are freed */
} DriverCase;

/** driver_main: Runs @n cases. Returns: the exit status of main() */
int driver_main (int argc, char **argv, const DriverCase *cases, guint n);

/** driver_remember: From now on the applications of the cases have settings, in
 * the folder of the test, which they otherwise never read or write. A case that
 * is repeated begins with what was remembered before its first try. */
void driver_remember (void);

/** driver_open: Opens the scan and waits until its picture is drawn. */
void driver_open (Driver *driver);

/** driver_wait_for_scan: Waits until another scan than at the last call is open
 * and drawn, no dialog asks, and no banner complains. */
void driver_wait_for_scan (Driver *driver);

/** driver_settle: Waits until the session is idle and nothing is redrawn. */
void driver_settle (Driver *driver);

/** driver_iterate: Runs one iteration of the main loop, and measures how long
 * it blocks. */
void driver_iterate (Driver *driver, gboolean may_block);

/**
 * driver_wait:
 * @what: what is waited for, in the message of a failure
 *
 * Waits until @check is true, and fails after some seconds.
 */
typedef gboolean (*DriverCheck) (Driver *driver);
void driver_wait (Driver *driver, DriverCheck check, const char *what);

/** driver_is_drawn: Returns: whether the view shows the newest frame. */
gboolean driver_is_drawn (Driver *driver);

/** driver_is_exported: Returns: whether no export runs or waits. */
gboolean driver_is_exported (Driver *driver);

/** driver_activate: @target: (nullable): floating. */
void driver_activate (Driver *driver, const char *action, GVariant *target);
/** driver_get_state: Returns: (transfer full): g_variant_print() of the
 * action's state. */
char *driver_get_state (Driver *driver, const char *action);
void driver_assert_state (Driver *driver, const char *action, const char *want);
/** driver_assert_disabled: Asserts that all @n @actions are disabled. */
void driver_assert_disabled (Driver *driver, const char *const *actions,
                             guint n);

/**
 * driver_xdotool:
 * @format: xdotool's commands, separated by blanks
 *
 * Sends real events through the X server, then calls driver_settle().
 */
void driver_xdotool (Driver *driver, const char *format, ...)
    G_GNUC_PRINTF (2, 3);

/** driver_remove_folder: Removes @path with its content. */
void driver_remove_folder (const char *path);

/** driver_send: As driver_xdotool(), without driver_settle(). */
void driver_send (Driver *driver, const char *format, ...) G_GNUC_PRINTF (2, 3);

/** driver_click: Clicks into the left half of @widget. */
void driver_click (Driver *driver, GtkWidget *widget);

/** driver_double_click: Clicks twice where the pointer is, however long a busy
 * machine takes between the clicks. */
void driver_double_click (Driver *driver);

/** driver_open_recent: Chooses, by keys, the newest of the recent scans whose
 * name in the list begins with @name; it may still be opening then. */
void driver_open_recent (Driver *driver, const char *name);

/** driver_drop: Drops a file, or an address as text, from another program onto
 * the window. */
void driver_drop (Driver *driver, const char *name);

/** driver_get_candidates_grid: Returns: (transfer none): the grid of the
 * window's page. */
TlCandidatesGrid *driver_get_candidates_grid (Driver *driver);
/** driver_wait_for_candidates: Waits until all candidates are drawn. */
void driver_wait_for_candidates (Driver *driver);

/** driver_find_dialog: Returns: (transfer none) (nullable): the window above
 * the main window. */
GtkWindow *driver_find_dialog (Driver *driver);
gboolean driver_has_dialog (Driver *driver);
/** driver_find_type: Returns: (transfer none) (nullable): the first widget of
 * @type from @root on downwards */
gpointer driver_find_type (GtkWidget *root, GType type);
/** driver_find_window: Returns: (transfer none) (nullable): a visible window of
 * @type. */
gpointer driver_find_window (GType type);
gboolean driver_has_no_dialog (Driver *driver);
gboolean driver_has_manual (Driver *driver);
gboolean driver_has_no_manual (Driver *driver);

/** driver_lacks: Returns: whether @program is missing; the case is then marked
 * as skipped. */
gboolean driver_lacks (const char *program);

TlPages *driver_get_pages (Driver *driver);

/** driver_get_toast: Returns: (nullable): the notice that is shown */
const char *driver_get_toast (Driver *driver);

/** driver_find: Returns: a widget by its name in the template of the panel, the
 * window, its pages or its status line. */
GtkWidget *driver_find (Driver *driver, const char *name);

/** driver_find_in: Returns: (nullable): a widget below @root by its name in the
 * template, also one that the template keeps to itself. */
GtkWidget *driver_find_in (GtkWidget *root, const char *id);
/** driver_read_label: Returns: (transfer none): text of a label by its name in
 * the template of @part. */
const char *driver_read_label (gpointer part, const char *name);
/** driver_dup_readout: Returns: (transfer full) (nullable): text about the
 * pixel under the pointer. */
char *driver_dup_readout (Driver *driver);
/** driver_get_middle: @col, @row: (out): the place of the picture in the
 * middle of its widget. */
void driver_get_middle (Driver *driver, double *col, double *row);
/** driver_locate: Waits until @widget no longer moves (GTK scrolls to a widget
 * with the focus for 200 ms). @screen_x, @screen_y: (out): the place @x, @y of
 * @widget on the screen, device pixels. */
void driver_locate (Driver *driver, GtkWidget *widget, double x, double y,
                    int *screen_x, int *screen_y);

/** driver_locate_pixel: As driver_locate(), for a pixel of the picture. */
void driver_locate_pixel (Driver *driver, double col, double row, int *screen_x,
                          int *screen_y);

/** driver_read_colour: @channel: 0 red, 1 green, 2 blue. Returns: the value
 * in @shot, 0 … 255, at the middle of a pixel of the picture. */
double driver_read_colour (Driver *driver, GdkTexture *shot, double col,
                           double row, guint channel);

/** driver_shoot: Saves the window as PNG in the build folder. Returns:
 * (transfer full): the same image. */
GdkTexture *driver_shoot (Driver *driver, const char *name);

/** driver_shoot_window: As driver_shoot(), of another window. */
GdkTexture *driver_shoot_window (Driver *driver, GtkWidget *window,
                                 const char *name);

/** driver_shoot_both: Shoots @window in the light and in the dark style, "NAME"
 * and "NAME-dark". */
void driver_shoot_both (Driver *driver, GtkWidget *window, const char *name);

/** driver_assert_narrow: Makes the window as narrow as it can be, and asserts
 * that it is at most @width wide in every view, and has its buttons again when
 * it is wide. Shoots the views. */
void driver_assert_narrow (Driver *driver, int width, const char *name);

/** driver_assert_mnemonics: In each menu of the window and in each submenu no
 * two items have one letter, and each item has one unless none has. */
void driver_assert_mnemonics (Driver *driver);

/** driver_paste_text: Returns: (transfer full): text of the clipboard. */
char *driver_paste_text (Driver *driver);
