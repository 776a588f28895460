/* Numbers as words of a recipe: with a point, whatever the locale. */
#pragma once

#include <glib.h>

/** tl_number_format: Returns: (transfer full): no more digits than it takes to
 * read the same number back. */
char *tl_number_format (double number);

/** tl_number_round: Returns: @number to 12 digits. A sum of steps of 0.01 is
 * 0.69 then, not 0.6900000000000001. */
double tl_number_round (double number);

/** tl_number_parse: @number: (out): untouched on failure. Returns: %FALSE where
 * all of @text is not one finite number. */
gboolean tl_number_parse (const char *text, double *number);
