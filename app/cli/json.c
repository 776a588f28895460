/* Writes JSON (RFC 8259), indented by two spaces. */
#include "app/cli/json-private.h"

#include <math.h>
#include <stdio.h>

struct TlJson
{
  GString *text;
  GString *open;     /* the closing '}' or ']' of each open object or array */
  gboolean is_first; /* the innermost one has no element yet */
};

TlJson *
tl_json_new (void)
{
  TlJson *json = g_new (TlJson, 1);
  json->text = g_string_new ("{");
  json->open = g_string_new ("}");
  json->is_first = TRUE;
  return json;
}

void
tl_json_free (TlJson *json)
{
  if (json == NULL)
    return;
  g_string_free (json->text, TRUE);
  g_string_free (json->open, TRUE);
  g_free (json);
}

static void
break_line (TlJson *json)
{
  g_string_append_c (json->text, '\n');
  for (size_t k = 0; k < json->open->len; k++)
    g_string_append (json->text, "  ");
}

/* JSON is UTF-8: invalid file names are converted. */
static void
append_string (TlJson *json, const char *value)
{
  g_autofree char *valid = g_utf8_make_valid (value, -1);
  g_string_append_c (json->text, '"');
  for (const char *c = valid; *c != '\0'; c++)
    if (*c == '"' || *c == '\\')
      g_string_append_printf (json->text, "\\%c", *c);
    else if ((guchar)*c < 0x20)
      g_string_append_printf (json->text, "\\u%04x", (guchar)*c);
    else
      g_string_append_c (json->text, *c);
  g_string_append_c (json->text, '"');
}

static void
begin_value (TlJson *json, const char *key)
{
  if (!json->is_first)
    g_string_append_c (json->text, ',');
  json->is_first = FALSE;
  break_line (json);
  if (key == NULL)
    return;
  append_string (json, key);
  g_string_append (json->text, ": ");
}

static void
begin_group (TlJson *json, const char *key, char open, char close)
{
  begin_value (json, key);
  g_string_append_c (json->text, open);
  g_string_append_c (json->open, close);
  json->is_first = TRUE;
}

void
tl_json_begin_object (TlJson *json, const char *key)
{
  begin_group (json, key, '{', '}');
}

void
tl_json_begin_array (TlJson *json, const char *key)
{
  begin_group (json, key, '[', ']');
}

void
tl_json_end (TlJson *json)
{
  g_return_if_fail (json->open->len > 0);
  const char close = json->open->str[json->open->len - 1];
  g_string_truncate (json->open, json->open->len - 1);
  if (!json->is_first)
    break_line (json);
  g_string_append_c (json->text, close);
  json->is_first = FALSE;
}

void
tl_json_add_string (TlJson *json, const char *key, const char *value)
{
  begin_value (json, key);
  if (value != NULL)
    append_string (json, value);
  else
    g_string_append (json->text, "null");
}

void
tl_json_add_size (TlJson *json, const char *key, size_t value)
{
  begin_value (json, key);
  g_string_append_printf (json->text, "%zu", value);
}

void
tl_json_add_number (TlJson *json, const char *key, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  begin_value (json, key);
  if (isfinite (value))
    g_string_append (json->text,
                     g_ascii_formatd (text, sizeof text, "%.15g", value));
  else
    g_string_append (json->text, "null");
}

void
tl_json_add_boolean (TlJson *json, const char *key, gboolean value)
{
  begin_value (json, key);
  g_string_append (json->text, value ? "true" : "false");
}

char *
tl_json_dup_text (TlJson *json)
{
  while (json->open->len > 0)
    tl_json_end (json);
  return g_strconcat (json->text->str, "\n", NULL);
}

void
tl_json_print (TlJson *json)
{
  g_autofree char *text = tl_json_dup_text (json);
  fputs (text, stdout);
}
