/* Low priority for threads whose result nobody waits for. */
#pragma once

/** tl_background_begin: Lowers the priority of the calling thread and of those
 * that it starts afterwards. Any thread but the main one. */
void tl_background_begin (void);
