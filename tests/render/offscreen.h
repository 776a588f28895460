/* OpenGL without a window, and comparison of pictures. */
#pragma once

#include "render/offscreen.h"

/** offscreen_begin: As tl_offscreen_new(). Returns: (nullable): %NULL after the
 * test was skipped with the reason */
TlOffscreen *offscreen_begin (gboolean es, int width, int height);

/** offscreen_end: Frees it, after it has asserted that there was no GL error.
 */
void offscreen_end (TlOffscreen *offscreen);

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
