/* The program's keyboard shortcuts, as xdotool names them. */
#pragma once

#include "tests/ui/driver.h"

/** keys_list: Returns: (transfer full) (element-type utf8): all keys of the
 * table of shortcuts, including those that GTK has given to widgets. */
GPtrArray *keys_list (Driver *driver);
