#include "data/json.h"

JsonNode *
tl_json_get (JsonNode *node, const char *member)
{
  return node != NULL && JSON_NODE_HOLDS_OBJECT (node)
             ? json_object_get_member (json_node_get_object (node), member)
             : NULL;
}

guint
tl_json_count (JsonNode *node)
{
  return node != NULL && JSON_NODE_HOLDS_ARRAY (node)
             ? json_array_get_length (json_node_get_array (node))
             : 0;
}

JsonNode *
tl_json_get_element (JsonNode *node, int index)
{
  const int n = (int)tl_json_count (node);
  const int at = index < 0 ? n + index : index;
  return at >= 0 && at < n
             ? json_array_get_element (json_node_get_array (node), (guint)at)
             : NULL;
}

const char *
tl_json_get_text (JsonNode *node)
{
  return node != NULL && JSON_NODE_HOLDS_VALUE (node)
                 && json_node_get_value_type (node) == G_TYPE_STRING
             ? json_node_get_string (node)
             : NULL;
}

gboolean
tl_json_get_number (JsonNode *node, double *number)
{
  if (node == NULL || !JSON_NODE_HOLDS_VALUE (node)
      || (json_node_get_value_type (node) != G_TYPE_INT64
          && json_node_get_value_type (node) != G_TYPE_DOUBLE))
    return FALSE;
  *number = json_node_get_double (node);
  return TRUE;
}

gboolean
tl_json_get_flag (JsonNode *node)
{
  return node != NULL && JSON_NODE_HOLDS_VALUE (node)
         && json_node_get_value_type (node) == G_TYPE_BOOLEAN
         && json_node_get_boolean (node);
}
