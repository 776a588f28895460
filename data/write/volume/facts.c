#include "data/write/volume/facts-private.h"

#include "data/array.h"

#include <math.h>
#include <string.h>

/* Whole numbers up to it are written without an exponent. */
#define MAX_WHOLE 1e15

char *
tl_dup_number (double number)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  int n_digits = 1;

  if (fabs (number) < MAX_WHOLE && number == trunc (number))
    return g_strdup_printf ("%.0f", number);
  do
    {
      char format[8];

      g_snprintf (format, sizeof format, "%%.%dg", n_digits);
      g_ascii_formatd (digits, sizeof digits, format, number);
    }
  while (++n_digits <= 17 && g_ascii_strtod (digits, NULL) != number);
  return g_strdup (digits);
}

static const char *const plane_names[TL_N_PLANES + 1] = { "xy", "xz", "yz",
                                                          NULL };

const char *
tl_volume_plane_name (TlVolumePlane plane)
{
  return plane_names[plane];
}

gboolean
tl_volume_plane_from_name (const char *name, TlVolumePlane *plane)
{
  const int index = tl_names_index (plane_names, name);
  if (index >= 0)
    *plane = (TlVolumePlane)index;
  return index >= 0;
}

const char *const *
tl_volume_plane_axes (TlVolumePlane plane)
{
  static const char *const axes[TL_N_PLANES][4] = {
    [TL_PLANE_XY] = { "z", "y", "x" },
    [TL_PLANE_XZ] = { "y", "z", "x" },
    [TL_PLANE_YZ] = { "x", "z", "y" },
  };

  return axes[plane];
}

static void
add_text (GArray *facts, const char *key, const char *text)
{
  TlFact fact = { key, text != NULL ? g_utf8_make_valid (text, -1) : NULL, 0 };

  if (text != NULL && *text != '\0')
    g_array_append_val (facts, fact);
  else
    g_free (fact.text);
}

static void
add_number (GArray *facts, const char *key, double number)
{
  TlFact fact = { key, NULL, number };

  g_array_append_val (facts, fact);
}

static void
add_length (GArray *facts, const char *key, double length_um)
{
  if (length_um > 0)
    add_number (facts, key, length_um);
}

static void
clear_fact (gpointer data)
{
  g_free (((TlFact *)data)->text);
}

static void
add_tally (GArray *facts, const TlVolumeTally *tally)
{
  const gboolean has_range = tally != NULL && tally->min <= tally->max;

  add_number (facts, "samples_below",
              tally != NULL ? (double)tally->n_below : NAN);
  add_number (facts, "samples_above",
              tally != NULL ? (double)tally->n_above : NAN);
  add_number (facts, "samples_nan", tally != NULL ? (double)tally->n_nan : NAN);
  add_number (facts, "min", has_range ? (double)tally->min : NAN);
  add_number (facts, "max", has_range ? (double)tally->max : NAN);
}

/* The keys of the number of one slice, of the first one, and of the step. */
static const char *const number_keys[TL_N_PLANES][3] = {
  [TL_PLANE_XY] = { "detector_row", "first_detector_row", "detector_row_step" },
  [TL_PLANE_XZ] = { "slice_row", "first_slice_row", "slice_row_step" },
  [TL_PLANE_YZ] = { "slice_column", "first_slice_column", "slice_column_step" },
};

const char *
tl_facts_first_key (TlVolumePlane plane)
{
  return number_keys[plane][1];
}

const char *
tl_facts_find_axis (const TlVolumeInfo *info, guint axis, double *first,
                    double *step)
{
  const guint binning = MAX (info->binning, 1), bin = MAX (info->bin, 1);
  /* of a pixel that was read */
  const double pixel_size = info->pixel_um > 0 ? info->pixel_um / binning : bin;
  const double middle = (double)(binning - 1) / 2 + (bin - 1.0) / (2.0 * bin);
  const size_t first_pixels[] = { info->first_number, info->first_row,
                                  info->first_col };

  g_assert (axis < G_N_ELEMENTS (first_pixels));
  *first = ((double)first_pixels[axis] + middle) * pixel_size;
  *step = (double)(axis == 0 ? info->number_step : binning) * pixel_size;
  return info->pixel_um > 0 ? "um" : "pixel";
}

GArray *
tl_facts_list (const TlVolumeInfo *info, size_t slice,
               const TlVolumeTally *tally)
{
  GArray *facts = g_array_new (FALSE, FALSE, sizeof (TlFact));
  const double sample_max = tl_volume_sample_max (info->sample);
  const char *const *keys = number_keys[info->plane];

  g_array_set_clear_func (facts, clear_fact);
  add_text (facts, "quantity", TL_QUANTITY);
  add_text (facts, "program", TL_PROGRAM);
  add_text (facts, "version", TL_VERSION);
  add_text (facts, "scan", info->scan);
  add_text (facts, "plane", tl_volume_plane_name (info->plane));
  if (slice != G_MAXSIZE)
    add_number (facts, keys[0],
                (double)(info->first_number + slice * info->number_step));
  else
    {
      add_number (facts, keys[1], (double)info->first_number);
      add_number (facts, keys[2], (double)info->number_step);
    }
  add_length (facts, "pixel_size_um", info->pixel_um);
  /* the values are attenuation per this length */
  add_length (facts, "unit_length_um", info->pixel_um / MAX (info->binning, 1));
  add_length (facts, "slice_pitch_um", info->pitch_um);
  add_text (facts, "sample_type", tl_volume_sample_name (info->sample));
  if (sample_max > 0)
    {
      g_autofree char *formula =
          g_strdup_printf ("low + sample * (high - low) / %.0f", sample_max);

      add_number (facts, "low", info->low);
      add_number (facts, "high", info->high);
      add_text (facts, "value", formula);
    }
  add_tally (facts, tally);
  add_text (facts, "command", info->command);
  add_text (facts, "recipe", info->recipe);
  if (slice == G_MAXSIZE)
    {
      add_text (facts, TL_FACT_SUMS, info->slice_crc32);
      add_text (facts, TL_FACT_FAILURES, info->failures);
    }
  return facts;
}

char *
tl_dup_json_text (const char *text)
{
  GString *json = g_string_new ("\"");

  for (const char *c = text; *c != '\0'; c = g_utf8_next_char (c))
    {
      const gunichar letter = g_utf8_get_char (c);

      if (letter == '"' || letter == '\\')
        g_string_append_printf (json, "\\%c", (int)letter);
      else if (letter >= ' ' && letter < 0x7f)
        g_string_append_c (json, (char)letter);
      else if (letter == '\n')
        g_string_append (json, "\\n");
      else if (letter < 0x10000)
        g_string_append_printf (json, "\\u%04x", letter);
      else
        g_string_append_printf (json, "\\u%04x\\u%04x",
                                0xd800 + ((letter - 0x10000) >> 10),
                                0xdc00 + ((letter - 0x10000) & 0x3ff));
    }
  g_string_append_c (json, '"');
  return g_string_free (json, FALSE);
}

char *
tl_facts_dup_json (const TlVolumeInfo *info, size_t slice,
                   const TlVolumeTally *tally)
{
  g_autoptr (GArray) facts = tl_facts_list (info, slice, tally);
  GString *json = g_string_new (NULL);

  for (guint i = 0; i < facts->len; i++)
    {
      const TlFact *fact = &g_array_index (facts, TlFact, i);
      g_autofree char *value = fact->text != NULL
                                   ? tl_dup_json_text (fact->text)
                                   : tl_dup_number (fact->number);

      if (fact->text != NULL || isfinite (fact->number))
        g_string_append_printf (json, "%s\"%s\": %s", i == 0 ? "{" : ", ",
                                fact->key, value);
    }
  g_string_append_c (json, '}');
  return g_string_free (json, FALSE);
}

/* Reads the four digits of a letter that follow "\\u". */
static gunichar
read_unit (const char **at)
{
  gunichar unit = 0;

  for (int i = 0; i < 4 && g_ascii_isxdigit (**at); i++)
    unit = 16 * unit + (gunichar)g_ascii_xdigit_value (*(*at)++);
  return unit;
}

/* @at: (inout): behind "\\u". Letters beyond 16 bits are two units. */
static gunichar
read_letter (const char **at)
{
  const gunichar high = read_unit (at);

  if (high < 0xd800 || high > 0xdbff || !g_str_has_prefix (*at, "\\u"))
    return high;
  *at += 2;
  return 0x10000 + ((high - 0xd800) << 10) + (read_unit (at) & 0x3ff);
}

/* The inverse of tl_dup_json_text(). */
char *
tl_facts_find_text (const char *json, const char *key)
{
  /* In a text there is a backslash before each quote. */
  g_autofree char *start = g_strdup_printf ("\"%s\": ", key);
  const char *at = json != NULL ? strstr (json, start) : NULL;

  if (at == NULL)
    return NULL;
  at += strlen (start);
  if (*at++ != '"')
    return g_strndup (at - 1, strcspn (at - 1, ",}"));
  GString *text = g_string_new (NULL);
  while (*at != '"' && *at != '\0')
    if (*at != '\\')
      g_string_append_c (text, *at++);
    else if (*++at == 'u')
      {
        at++;
        g_string_append_unichar (text, read_letter (&at));
      }
    else if (*at != '\0')
      {
        g_string_append_c (text, *at == 'n' ? '\n' : *at);
        at++;
      }
  return g_string_free (text, FALSE);
}
