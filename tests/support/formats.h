/* What a build or a machine may lack. */
#pragma once

#include <glib.h>

/** tl_lacks_format: @name: as tl_format_get_info() has it. Returns: whether
 * this build cannot read it; the test is skipped then */
gboolean tl_lacks_format (const char *name);

/** tl_run_or_skip: Runs the command @line and waits for its end. Returns:
 * %FALSE if there is no such program or it ends with 77, as scripts of Python
 * do without h5py; the test is skipped then */
gboolean tl_run_or_skip (const char *const *line);
