/* What a target of libFuzzer is. */
#pragma once

#include <glib.h>

/** LLVMFuzzerTestOneInput: Gives the code under test one input, which may be
 * anything. A finding ends the process. Returns: 0 */
int LLVMFuzzerTestOneInput (const guint8 *bytes, size_t size);
