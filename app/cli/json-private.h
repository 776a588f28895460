/* Writing JSON. */
#pragma once

#include <glib.h>

/* A JSON text under construction. It starts as an object. */
typedef struct TlJson TlJson;

TlJson *tl_json_new (void);
/** tl_json_new_line: As tl_json_new(); all is printed in one line. */
TlJson *tl_json_new_line (void);
void tl_json_free (TlJson *json);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlJson, tl_json_free)

/**
 * tl_json_add:
 * @json: (nullable): does nothing if %NULL
 * @format: JSON without quotes, such as "slice: %zu, seconds: %f, notes: ["
 *
 * Adds what @format shows. An object or array may be begun in one call and
 * ended in another. The conversions are %s for a string (%NULL becomes null) or
 * a key, %zu and %u for a whole number, %f for a number (NaN and infinity
 * become null, because JSON cannot represent them), and %d for a boolean.
 */
void tl_json_add (TlJson *json, const char *format, ...) G_GNUC_PRINTF (2, 3);

/** tl_json_add_strings: Adds an array. @strings: (nullable):
 * %NULL-terminated */
void tl_json_add_strings (TlJson *json, const char *key,
                          const char *const *strings);

/** tl_json_print: Ends all open objects and arrays, and prints the text with
 * a line break. @json: (nullable): as for tl_json_add() */
void tl_json_print (TlJson *json);
