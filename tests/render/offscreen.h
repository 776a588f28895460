/* OpenGL without a window, and pictures to compare. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct Offscreen Offscreen;

/**
 * offscreen_new:
 * @es: OpenGL ES 3 rather than desktop OpenGL 3.3
 *
 * Its context is made current.
 *
 * Returns: (nullable): %NULL with the reason in @reason
 */
Offscreen *offscreen_new (gboolean es, int width, int height,
                          const char **reason);
void offscreen_free (Offscreen *offscreen);

/** offscreen_read: @rgba: (out caller-allocates): [height][width][4], the row
 * on top first. */
void offscreen_read (Offscreen *offscreen, guint8 *rgba);

/**
 * picture_compare:
 * @tolerance: levels of 255
 *
 * Fails the test where a channel differs by more, and then leaves NAME-got.ppm,
 * NAME-want.ppm and NAME-difference.ppm in the build folder.
 */
void picture_compare (const char *name, const guint8 *got, const guint8 *want,
                      int width, int height, int tolerance);

/** picture_load: [height][width][4] of tests/files/NAME.ppm; %NULL where it is
 * not there or has another size. */
guint8 *picture_load (const char *name, int width, int height);

G_END_DECLS
