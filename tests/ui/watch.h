/* Pauses the window's watchdog during work of GTK and the X server, which is
 * not the program's fault. */
#pragma once

#include <gtk/gtk.h>

/**
 * tl_watch_init:
 *
 * Call once, after gtk_init(). From then on the watchdog is paused while GTK
 * paints, because tests draw in software, and while Xlib waits for the X
 * server, which is another process. It goes on while a widget of the program
 * (Tl…) says what it looks like, without what it draws with OpenGL.
 */
void tl_watch_init (void);
