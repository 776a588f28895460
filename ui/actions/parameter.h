/* The parameters of a recipe as states of actions: which there are, and their
 * values and words from a session and back. Main thread. */
#pragma once

#include "app/session/session.h"

G_BEGIN_DECLS

typedef struct
{
  const char *key;      /* of the recipe, and the action's name */
  const char *type;     /* of the state */
  const char *yes, *no; /* of a boolean: the recipe's words */
  gboolean is_free;     /* of a string: any, not one of a list */
} TlParameter;

/** tl_parameter_list: Returns: (transfer none): [@n] */
const TlParameter *tl_parameter_list (guint *n);

/** tl_parameter_find: @key: one of the list */
const TlParameter *tl_parameter_find (const char *key);

/** tl_parameter_get_state: Returns: (transfer floating): of its type */
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

/** tl_parameter_to_text: Returns: (transfer full): as the recipe takes it */
char *tl_parameter_to_text (const TlParameter *parameter, GVariant *value);

G_END_DECLS
