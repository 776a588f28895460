/* Every action of the window with any value, as somebody else on the session
 * bus calls it. */
#pragma once

#include "tests/ui/driver.h"

G_BEGIN_DECLS

typedef struct
{
  Driver *driver;
  GPtrArray *files;     /* to open; lent */
  GDBusConnection *bus; /* (nullable): nothing is done without */
} RandomActs;

void random_acts_init (RandomActs *acts, Driver *driver, GPtrArray *files);
void random_acts_clear (RandomActs *acts);

/** random_acts_do: One, without waiting for what becomes of it. */
void random_acts_do (RandomActs *acts);

G_END_DECLS
