/* Formats that a build may lack. */
#pragma once

#include <glib.h>

/** tl_lacks_format: @name: as tl_format_get_info() has it. Returns: whether
 * this build cannot read it; the test is skipped then */
gboolean tl_lacks_format (const char *name);
