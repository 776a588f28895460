/* Writing JSON. */
#pragma once

#include <glib.h>

/* A JSON text under construction. It starts as an object. @key is %NULL for
 * an element of an array. */
typedef struct TlJson TlJson;

TlJson *tl_json_new (void);
void tl_json_free (TlJson *json);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlJson, tl_json_free)

void tl_json_begin_object (TlJson *json, const char *key);
void tl_json_begin_array (TlJson *json, const char *key);
void tl_json_end (TlJson *json); /* ends the innermost object or array */
void tl_json_add_string (TlJson *json, const char *key,
                         const char *value /* nullable */);
void tl_json_add_size (TlJson *json, const char *key, size_t value);
/* NaN and infinity become null: JSON cannot represent them. */
void tl_json_add_number (TlJson *json, const char *key, double value);
void tl_json_add_boolean (TlJson *json, const char *key, gboolean value);

/** tl_json_print: Ends all open objects and arrays, and prints the text with
 * a line break. */
void tl_json_print (TlJson *json);

/** tl_json_dup_text: Returns: (transfer full): the text that tl_json_print()
 * prints */
char *tl_json_dup_text (TlJson *json);
