/* Calls after changes of properties. Main thread. */
#pragma once

#include <glib-object.h>

/**
 * tl_follow:
 * @properties: names with blanks between them; "" for all
 * @update: gets @self as its first argument
 *
 * Calls @update after each change of one of the properties of @object, as long
 * as @self lives.
 */
void tl_follow (gpointer object, const char *properties, GCallback update,
                gpointer self);
