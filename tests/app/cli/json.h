/* Checks JSON. */
#pragma once

#include <glib.h>

/** tl_json_is_valid: Returns: whether @text is exactly one JSON value, with
 * white space around it */
gboolean tl_json_is_valid (const char *text);

/**
 * tl_json_find_number:
 *
 * Returns: the number after the first "@key" in @text; fails the test if
 *   there is none
 */
double tl_json_find_number (const char *text, const char *key);
