/* The application in this process, and a hand on mouse and keyboard. */
#pragma once

#include "ui/window/application.h"

G_BEGIN_DECLS

/* One application with its window and a scan to open; the fixture of a case. */
typedef struct Driver Driver;
typedef void (*DriverFunction) (Driver *driver);
struct Driver
{
  DriverFunction function;
  TlApplication *application;
  TlSession *session;
  TlWindow *window; /* (nullable): weak */
  TlSliceView *view;
  char *folder;        /* for what a case writes; goes with the fixture */
  char *scan;          /* a phantom, 96 columns, 5 rows, axis at 46.25 */
  double longest_ms;   /* the main thread was away in the case, at most */
  gboolean was_closed; /* by the case */
  double end_s;        /* after the window: how long the session took to end */
};

#define SCAN_COLS 96
#define SCAN_ROWS 5
#define SCAN_CENTRE 46.25

typedef struct
{
  const char *path; /* "/ui/open" */
  DriverFunction function;
  DriverFunction check; /* (nullable): when application and session are gone */
} DriverCase;

/** driver_main: Runs the @n @cases; what a suite's main() returns. */
int driver_main (int argc, char **argv, const DriverCase *cases, guint n);

/** driver_open: Opens the scan and waits until its picture is drawn. */
void driver_open (Driver *driver);

/** driver_settle: Until nothing is on its way and the window rests. */
void driver_settle (Driver *driver);

/** driver_iterate: The main loop, once; what it does is watched. */
void driver_iterate (Driver *driver, gboolean may_block);

/**
 * driver_wait:
 * @what: for the message of a failure, after some seconds
 */
typedef gboolean (*DriverCheck) (Driver *driver);
void driver_wait (Driver *driver, DriverCheck check, const char *what);

/** driver_activate: @target: (nullable): floating. */
void driver_activate (Driver *driver, const char *action, GVariant *target);
/** driver_get_state: Returns: (transfer full): printed. */
char *driver_get_state (Driver *driver, const char *action);
void driver_assert_state (Driver *driver, const char *action, const char *want);
/** driver_assert_disabled: None of the @n @actions can be activated. */
void driver_assert_disabled (Driver *driver, const char *const *actions,
                             guint n);

/**
 * driver_xdotool:
 * @format: xdotool's commands, separated by blanks
 *
 * Real events through the X server, then driver_settle().
 */
void driver_xdotool (Driver *driver, const char *format, ...)
    G_GNUC_PRINTF (2, 3);

/** driver_remove_folder: With all that is in it. */
void driver_remove_folder (const char *path);

/** driver_send: The same without waiting for what comes of it. */
void driver_send (Driver *driver, const char *format, ...) G_GNUC_PRINTF (2, 3);

/** driver_click: Into the left half of @widget. */
void driver_click (Driver *driver, GtkWidget *widget);

/** driver_drop: A file from another program onto the picture. */
void driver_drop (Driver *driver, const char *path);

/** driver_get_candidates_grid: Returns: (transfer none): of the window's page.
 */
TlCandidatesGrid *driver_get_candidates_grid (Driver *driver);
/** driver_wait_for_candidates: driver_settle() until all are drawn. */
void driver_wait_for_candidates (Driver *driver);

/** driver_find_dialog: Returns: (transfer none) (nullable): the window on top
 * of the main one. */
GtkWindow *driver_find_dialog (Driver *driver);
gboolean driver_has_dialog (Driver *driver);
gboolean driver_has_no_dialog (Driver *driver);

/** driver_lacks: Returns: @program is not installed, and the case skipped. */
gboolean driver_lacks (const char *program);

/** driver_find: Returns: a widget by its name in the template of the panel, the
 * window, its pages or its status line. */
GtkWidget *driver_find (Driver *driver, const char *name);
/** driver_locate: Position of a place in @widget on the screen, in the pixels
 * that the screen has. */
void driver_locate (Driver *driver, GtkWidget *widget, double x, double y,
                    int *screen_x, int *screen_y);

/** driver_locate_pixel: Position of a place of the picture on the screen. */
void driver_locate_pixel (Driver *driver, double col, double row, int *screen_x,
                          int *screen_y);

/** driver_read_colour: @channel: 0 red, 1 green, 2 blue. Returns: that of
 * @shot, 0 … 255, where a pixel of the picture has its middle. */
double driver_read_colour (Driver *driver, GdkTexture *shot, double col,
                           double row, guint channel);

/** driver_shoot: Returns: (transfer full): the window as PNG in the build
 * folder, and as a texture. */
GdkTexture *driver_shoot (Driver *driver, const char *name);

/** driver_paste_text: Returns: (transfer full): what the clipboard has. */
char *driver_paste_text (Driver *driver);

G_END_DECLS
