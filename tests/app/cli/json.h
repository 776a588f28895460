/* Is it JSON? */
#pragma once

#include <glib.h>

/** tl_json_is_valid: Returns: @text is one JSON value and white space. */
gboolean tl_json_is_valid (const char *text);

/**
 * tl_json_find_number:
 *
 * Returns: the number that follows the first "@key" in @text; fails the test
 *   where there is none
 */
double tl_json_find_number (const char *text, const char *key);
