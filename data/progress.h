/* Progress of a long computation. */
#pragma once

#include <glib.h>

/** TlProgress: @fraction: from 0 to 1. Called in the thread that called the
 * computation. */
typedef void (*TlProgress) (double fraction, gpointer user_data);
