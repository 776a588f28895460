/* How long the program takes to start, for tests/bench/startup.py. Main thread.
 */
#pragma once

#include "ui/window/application.h"

/**
 * tl_startup_times_print:
 * @opens_file: whether a picture follows
 *
 * When @application has painted its window, prints the seconds since the
 * program was executed, and so for the first picture; then closes the window.
 * The system counts the execution in hundredths of a second.
 */
void tl_startup_times_print (TlApplication *application, gboolean opens_file);
