/* Writes JSON (RFC 8259), indented by two spaces or in one line. */
#include "app/cli/json-private.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct TlJson
{
  GString *text;
  GString *open;     /* the closing '}' or ']' of each open object or array */
  gboolean is_first; /* the innermost one has no element yet */
  gboolean has_key;  /* the value of the last key is missing */
  gboolean is_line;  /* without line breaks */
};

TlJson *
tl_json_new (void)
{
  TlJson *json = g_new0 (TlJson, 1);
  json->text = g_string_new ("{");
  json->open = g_string_new ("}");
  json->is_first = TRUE;
  return json;
}

TlJson *
tl_json_new_line (void)
{
  TlJson *json = tl_json_new ();
  json->is_line = TRUE;
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
  g_string_append_c (json->text, json->is_line ? ' ' : '\n');
  for (size_t k = 0; !json->is_line && k < json->open->len; k++)
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

/* Begins a key or a value. A value that follows its key needs no comma. */
static void
begin (TlJson *json)
{
  if (!json->is_first && !json->has_key)
    g_string_append_c (json->text, ',');
  if (!json->has_key)
    break_line (json);
  json->is_first = json->has_key = FALSE;
}

static void
add_key (TlJson *json, const char *key)
{
  begin (json);
  append_string (json, key);
  g_string_append (json->text, ": ");
  json->has_key = TRUE;
}

static void
begin_group (TlJson *json, char open)
{
  begin (json);
  g_string_append_c (json->text, open);
  g_string_append_c (json->open, open == '{' ? '}' : ']');
  json->is_first = TRUE;
}

static void
end_group (TlJson *json)
{
  g_return_if_fail (json->open->len > 0);
  const char close = json->open->str[json->open->len - 1];
  g_string_truncate (json->open, json->open->len - 1);
  if (!json->is_first)
    break_line (json);
  g_string_append_c (json->text, close);
  json->is_first = FALSE;
}

/* Adds the next of @args. @conversion: the letter after "%" */
static void
add_value (TlJson *json, char conversion, va_list *args)
{
  begin (json);
  if (conversion == 's')
    {
      const char *value = va_arg (*args, const char *);
      if (value != NULL)
        append_string (json, value);
      else
        g_string_append (json->text, "null");
    }
  else if (conversion == 'd')
    g_string_append (json->text, va_arg (*args, int) ? "true" : "false");
  else if (conversion == 'u')
    g_string_append_printf (json->text, "%u", va_arg (*args, guint));
  else if (conversion == 'z')
    g_string_append_printf (json->text, "%zu", va_arg (*args, size_t));
  else
    {
      const double value = va_arg (*args, double);
      char text[G_ASCII_DTOSTR_BUF_SIZE];
      g_ascii_formatd (text, sizeof text, "%.15g", value);
      g_string_append (json->text, isfinite (value) ? text : "null");
    }
}

void
tl_json_add (TlJson *json, const char *format, ...)
{
  va_list args;
  if (json == NULL)
    return;
  va_start (args, format);
  for (const char *at = format; *at != '\0';)
    {
      const size_t n = strcspn (at, ":,{}[]% ");
      if (n > 0)
        {
          g_autofree char *key = g_strndup (at, n);
          add_key (json, key);
          at += n;
        }
      else if (g_str_has_prefix (at, "%s:"))
        {
          add_key (json, va_arg (args, const char *));
          at += strlen ("%s:");
        }
      else if (*at == '%')
        {
          add_value (json, at[1], &args);
          at += at[1] == 'z' ? strlen ("%zu") : strlen ("%f");
        }
      else
        {
          if (*at == '{' || *at == '[')
            begin_group (json, *at);
          else if (*at == '}' || *at == ']')
            end_group (json);
          at++;
        }
    }
  va_end (args);
}

void
tl_json_add_strings (TlJson *json, const char *key, const char *const *strings)
{
  tl_json_add (json, "%s: [", key);
  for (; strings != NULL && *strings != NULL; strings++)
    tl_json_add (json, "%s", *strings);
  tl_json_add (json, "]");
}

void
tl_json_print (TlJson *json)
{
  if (json == NULL)
    return;
  while (json->open->len > 0)
    end_group (json);
  puts (json->text->str);
}
