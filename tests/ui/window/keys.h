/* The keys of the program, to be pressed by xdotool. */
#pragma once

#include "tests/ui/driver.h"

G_BEGIN_DECLS

/** keys_list: Returns: (transfer full) (element-type utf8): all that the table
 * of shortcuts has, wherever GTK has taken them, as xdotool names them. */
GPtrArray *keys_list (Driver *driver);

G_END_DECLS
