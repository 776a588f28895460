/* OpenGL without a window, and comparison of pictures. */
#pragma once

#include <glib.h>

typedef struct Offscreen Offscreen;

/**
 * offscreen_new:
 * @es: use OpenGL ES 3 instead of desktop OpenGL 3.3
 *
 * Creates a GL context and makes it current.
 *
 * Returns: (nullable): %NULL with the reason in @reason
 */
Offscreen *offscreen_new (gboolean es, int width, int height,
                          const char **reason);
void offscreen_free (Offscreen *offscreen);

/** offscreen_read: @rgba: (out caller-allocates): [height][width][4], the top
 * row first */
void offscreen_read (Offscreen *offscreen, guint8 *rgba);

/**
 * picture_compare:
 * @tolerance: levels of 255
 *
 * Fails the test if a channel differs by more than @tolerance, and then
 * writes NAME-got.ppm, NAME-want.ppm and NAME-difference.ppm to the build
 * folder.
 */
void picture_compare (const char *name, const guint8 *got, const guint8 *want,
                      int width, int height, int tolerance);

/** picture_load: Returns: [height][width][4] of tests/files/NAME.ppm; %NULL
 * if the file does not exist or has another size */
guint8 *picture_load (const char *name, int width, int height);
