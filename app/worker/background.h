/* Threads of their own for what is not waited for. */
#pragma once

/** tl_background_begin: Any thread but the main one: it, and those that it
 * starts from now on, give way to whoever makes pictures. */
void tl_background_begin (void);
