/* Writing JSON. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A JSON text under construction. It begins as an object; @key is %NULL for an
 * element of an array. */
typedef struct TlJson TlJson;

TlJson *tl_json_new (void);
void tl_json_free (TlJson *json);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlJson, tl_json_free)

void tl_json_begin_object (TlJson *json, const char *key);
void tl_json_begin_array (TlJson *json, const char *key);
void tl_json_end (TlJson *json); /* of the innermost one */
void tl_json_add_string (TlJson *json, const char *key,
                         const char *value /* nullable */);
void tl_json_add_size (TlJson *json, const char *key, size_t value);
/* What is not finite becomes null: JSON has no word for it. */
void tl_json_add_number (TlJson *json, const char *key, double value);
void tl_json_add_boolean (TlJson *json, const char *key, gboolean value);

/** tl_json_print: Ends what is open; one line break at the end. */
void tl_json_print (TlJson *json);

/** tl_json_dup_text: Returns: (transfer full): what tl_json_print() prints. */
char *tl_json_dup_text (TlJson *json);

G_END_DECLS
