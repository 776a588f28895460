#include "data/read/scan/frame-ranges.h"

#include <glib/gi18n.h>
#include <string.h>

/* Reads a number at *@text and moves *@text behind it. */
static gboolean
take_number (const char **text, size_t *number)
{
  guint64 value;
  const size_t n_digits = strspn (*text, "0123456789");
  g_autofree char *digits = g_strndup (*text, n_digits);
  if (!g_ascii_string_to_unsigned (digits, 10, 0, G_MAXUINT32, &value, NULL))
    return FALSE;
  *text += n_digits;
  *number = (size_t)value;
  return TRUE;
}

/* "120:135" or "400", with spaces around it */
static gboolean
parse_range (const char *word, TlFrameRange *range)
{
  g_autofree char *stripped = g_strstrip (g_strdup (word));
  const char *rest = stripped;
  if (!take_number (&rest, &range->first))
    return FALSE;
  range->last = range->first;
  if (*rest == ':')
    {
      rest++;
      if (!take_number (&rest, &range->last))
        return FALSE;
    }
  return *rest == '\0' && range->first <= range->last;
}

static int
compare_ranges (gconstpointer a, gconstpointer b)
{
  const TlFrameRange *u = a, *v = b;
  return (u->first > v->first) - (u->first < v->first);
}

/* Adds @range, which begins at the last one of @ranges or behind it. */
static void
append (GArray *ranges, const TlFrameRange *range)
{
  TlFrameRange *last =
      ranges->len > 0 ? &g_array_index (ranges, TlFrameRange, ranges->len - 1)
                      : NULL;
  if (last != NULL && range->first <= last->last + 1)
    last->last = MAX (last->last, range->last);
  else
    g_array_append_vals (ranges, range, 1);
}

GArray *
tl_frame_ranges_parse (const char *text)
{
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (TlFrameRange));
  GArray *ranges = g_array_new (FALSE, FALSE, sizeof (TlFrameRange));
  g_auto (GStrv) words = g_strsplit (text, ",", -1);
  for (char **word = words; *word != NULL; word++)
    {
      TlFrameRange range;
      if (!parse_range (*word, &range))
        {
          g_array_unref (ranges);
          return NULL;
        }
      g_array_append_val (all, range);
    }
  g_array_sort (all, compare_ranges);
  for (guint i = 0; i < all->len; i++)
    append (ranges, &g_array_index (all, TlFrameRange, i));
  return ranges;
}

gboolean
tl_frame_ranges_contain (GArray *ranges, size_t frame)
{
  for (guint i = 0; i < ranges->len; i++)
    {
      const TlFrameRange *range = &g_array_index (ranges, TlFrameRange, i);
      if (frame >= range->first && frame <= range->last)
        return TRUE;
    }
  return FALSE;
}

void
tl_frame_ranges_add (GArray *ranges, size_t frame)
{
  const TlFrameRange range = { frame, frame };
  append (ranges, &range);
}

static void
append_files (GString *text, const TlFrameRange *range, GPtrArray *files)
{
  const char *first = files->pdata[range->first];
  if (range->last > range->first)
    g_string_append_printf (text, _ (" (%s to %s)"), first,
                            (const char *)files->pdata[range->last]);
  else
    g_string_append_printf (text, " (%s)", first);
}

char *
tl_frame_ranges_describe (GArray *ranges, GPtrArray *files)
{
  enum
  {
    MAX_NAMED = 5
  };
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; i < ranges->len; i++)
    {
      const TlFrameRange *range = &g_array_index (ranges, TlFrameRange, i);
      g_string_append_printf (text, "%s%zu", i > 0 ? "," : "", range->first);
      if (range->last > range->first)
        g_string_append_printf (text, ":%zu", range->last);
      if (files != NULL && i < MAX_NAMED)
        append_files (text, range, files);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

char *
tl_frame_ranges_format (GArray *ranges)
{
  return tl_frame_ranges_describe (ranges, NULL);
}

size_t
tl_frame_ranges_count (GArray *ranges)
{
  size_t n = 0;
  for (guint i = 0; i < ranges->len; i++)
    {
      const TlFrameRange *range = &g_array_index (ranges, TlFrameRange, i);
      n += range->last - range->first + 1;
    }
  return n;
}

char *
tl_frame_ranges_list (GArray *ranges)
{
  enum
  {
    MAX_LISTED = 20
  };
  g_autofree char *text = tl_frame_ranges_format (ranges);
  g_auto (GStrv) words = g_strsplit (text, ",", MAX_LISTED + 1);
  if (g_strv_length (words) > MAX_LISTED)
    {
      g_free (words[MAX_LISTED]);
      words[MAX_LISTED] = g_strdup ("…");
    }
  return g_strjoinv (", ", words);
}

char *
tl_frame_ranges_join (const char *a, const char *b)
{
  g_autofree char *both =
      g_strconcat (a, *a != '\0' && *b != '\0' ? "," : "", b, NULL);
  g_autoptr (GArray) ranges = tl_frame_ranges_parse (both);
  g_return_val_if_fail (ranges != NULL, NULL);
  return tl_frame_ranges_format (ranges);
}

char *
tl_frame_ranges_remove (const char *a, const char *b)
{
  g_autoptr (GArray) from = tl_frame_ranges_parse (a);
  g_autoptr (GArray) removed = tl_frame_ranges_parse (b);
  g_autoptr (GArray) left = g_array_new (FALSE, FALSE, sizeof (TlFrameRange));
  g_return_val_if_fail (from != NULL && removed != NULL, NULL);
  for (guint i = 0; i < from->len; i++)
    {
      const TlFrameRange *range = &g_array_index (from, TlFrameRange, i);
      for (size_t frame = range->first; frame <= range->last; frame++)
        if (!tl_frame_ranges_contain (removed, frame))
          tl_frame_ranges_add (left, frame);
    }
  return tl_frame_ranges_format (left);
}
