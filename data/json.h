/* Looking things up in JSON that may be anything. Where TL_HAVE_JSON. */
#pragma once

#include <json-glib/json-glib.h>

/* These return nothing, 0 or %NULL where @node is %NULL or of another type. */

/** tl_json_get: Returns: (transfer none) (nullable): a member of an object */
JsonNode *tl_json_get (JsonNode *node, const char *member);
/** tl_json_get_element: Returns: (transfer none) (nullable): an element of a
 * list; counted from its end if @index is negative */
JsonNode *tl_json_get_element (JsonNode *node, int index);
/** tl_json_get_text: Returns: (transfer none) (nullable) */
const char *tl_json_get_text (JsonNode *node);
/** tl_json_get_number: @number: (out): unchanged where it is none. Returns:
 * whether it is a number */
gboolean tl_json_get_number (JsonNode *node, double *number);
/** tl_json_count: Returns: how many elements a list has */
guint tl_json_count (JsonNode *node);
/** tl_json_get_flag: Returns: whether it is true */
gboolean tl_json_get_flag (JsonNode *node);
