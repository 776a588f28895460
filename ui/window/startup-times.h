/* How long the program takes to start, for tests/bench/startup.py. Main thread.
 */
#pragma once

#include "ui/window/application.h"

/* @what: "window" or "picture". @age_s: since the program was executed; NAN
 * where the system does not say */
typedef void (*TlStartupTimesFunc) (const char *what, double age_s);

/**
 * tl_startup_times_measure:
 * @opens_file: whether a picture follows
 * @tell: called when @application has painted its window, and again when it has
 *   painted the first picture; then the window is closed
 *
 * The system counts the execution in hundredths of a second.
 */
void tl_startup_times_measure (TlApplication *application, gboolean opens_file,
                               TlStartupTimesFunc tell);
