/* Random numbers; the seed of a run repeats them. */
#pragma once

#include <glib.h>

/** chance_pick: Returns: from 0 to @n - 1. */
int chance_pick (int n);

#define CHANCE_PICK(array) ((array)[chance_pick (G_N_ELEMENTS (array))])

/** chance_double: Returns: usually a sensible value, sometimes not. */
double chance_double (void);

/** chance_rubbish: Returns: text that no user should type. */
const char *chance_rubbish (void);
