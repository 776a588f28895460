/* The parameters of a recipe as states of actions. Main thread. */
#pragma once

#include "app/session/session.h"

/** tl_parameter_has_action: Returns: the window sets @parameter; names of files
 * and other ways to say a centre are for the command line alone. */
gboolean tl_parameter_has_action (const TlParameter *parameter);

/** tl_parameter_get_state: Returns: (transfer floating): of
 * tl_recipe_get_value_type() */
GVariant *tl_parameter_get_state (const TlParameter *parameter,
                                  TlSession *session);

/**
 * tl_parameter_get_hint:
 *
 * Returns: (transfer floating) (nullable): of a choice a(ss), a word and why it
 *   cannot be chosen, "" where it can; of a slice and a centre the range
 */
GVariant *tl_parameter_get_hint (const TlParameter *parameter,
                                 TlSession *session);
