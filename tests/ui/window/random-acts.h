/* Calls any action of the window with any value over the session bus, as
 * another program would. */
#pragma once

#include "tests/ui/driver.h"

typedef struct
{
  Driver *driver;
  GPtrArray *files;     /* to open; borrowed */
  GDBusConnection *bus; /* (nullable): without it nothing is sent */
} RandomActs;

void random_acts_init (RandomActs *acts, Driver *driver, GPtrArray *files);
void random_acts_clear (RandomActs *acts);

/** random_acts_do: Sends one action without waiting for its effect. */
void random_acts_do (RandomActs *acts);
