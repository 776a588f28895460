#include "data/read/images/names.h"

#include <string.h>

#define DIGITS "0123456789"

static gboolean
is_sign (char letter)
{
  return letter == '-' || letter == '+';
}

size_t
tl_name_measure_number (const char *name, const char *at)
{
  const size_t sign =
      is_sign (*at)
      && (at == name || (!g_ascii_isalnum (at[-1]) && at[-1] != ' '));
  const size_t n_digits = strspn (at + sign, DIGITS);
  return n_digits > 0 ? sign + n_digits : 0;
}

/* Compares two runs of digits, which may be longer than any integer type:
 * without leading zeros the longer run is larger, and runs of the same length
 * compare as text. */
static int
compare_digits (const char **a, const char **b)
{
  *a += strspn (*a, "0");
  *b += strspn (*b, "0");
  size_t n_a = strspn (*a, DIGITS), n_b = strspn (*b, DIGITS);
  int order = n_a != n_b ? (n_a > n_b) - (n_a < n_b) : memcmp (*a, *b, n_a);
  *a += n_a;
  *b += n_b;
  return order;
}

/* Compares the decimals of two numbers with the same sign before them. */
static int
compare_decimals (const char **a, const char **b)
{
  const char *x = *a + 1, *y = *b + 1;
  if (**a != '.' || **b != '.' || !g_ascii_isdigit (*x)
      || !g_ascii_isdigit (*y))
    return 0;
  while (g_ascii_isdigit (*x) && *x == *y)
    {
      x++;
      y++;
    }
  *a = x;
  *b = y;
  return (g_ascii_isdigit (*x) ? *x : 0) - (g_ascii_isdigit (*y) ? *y : 0);
}

/* Compares two numbers. Those with a sign are angles, and may have decimals;
 * in others, "1.10" comes after "1.9". */
static int
compare_numbers (const char **a, const char **b)
{
  const char sign_a = is_sign (**a) ? *(*a)++ : ' ';
  const char sign_b = is_sign (**b) ? *(*b)++ : ' ';
  if ((sign_a == '-') != (sign_b == '-'))
    return sign_a == '-' ? -1 : 1;
  int order = compare_digits (a, b);
  if (order == 0 && sign_a != ' ' && sign_b != ' ')
    order = compare_decimals (a, b);
  if (order != 0)
    return sign_a == '-' ? -order : order;
  return sign_a - sign_b;
}

int
tl_name_compare (const char *a, const char *b)
{
  const char *x = a, *y = b;
  while (*x != '\0' && *y != '\0')
    {
      const gboolean is_x = tl_name_measure_number (a, x) > 0;
      const gboolean is_y = tl_name_measure_number (b, y) > 0;
      /* Before a letter, a number with a sign stands as a digit would. */
      const int order = is_x && is_y ? compare_numbers (&x, &y)
                                     : (is_x ? '0' : (guchar)*x++)
                                           - (is_y ? '0' : (guchar)*y++);
      if (order != 0)
        return order;
    }
  /* "a01" and "a1" are equal numbers: use strcmp() to have a definite order */
  return *x != *y ? (guchar)*x - (guchar)*y : strcmp (a, b);
}

char **
tl_name_split (const char *path)
{
  g_autofree char *name = g_path_get_basename (path);
  g_autofree char *lower = g_ascii_strdown (name, -1);
  char *dot = strrchr (lower, '.');
  if (dot != NULL)
    *dot = '\0';
  for (char *c = lower; *c != '\0'; c++)
    if (!g_ascii_isalpha (*c) && (guchar)*c < 128)
      *c = '_';
  return g_strsplit (lower, "_", -1);
}

/* Returns: whether @word is @kind, as "flats" and "flatfield" are "flat", and
 * "flattop" is not */
static gboolean
is_kind (const char *word, const char *kind)
{
  static const char *const ends[] = {
    "",       "s",     "field", "fields", "frame", "frames",  "image",
    "images", "img",   "imgs",  "before", "after", "pre",     "post",
    "begin",  "start", "end",   "first",  "last",  "current", NULL
  };
  return g_str_has_prefix (word, kind)
         && g_strv_contains (ends, word + strlen (kind));
}

/* Returns: the kind of frame that the first word for one of them says */
static TlFrameKind
find_kind (char *const *words)
{
  static const char *const flats[] = {
    "ff",  "white",    "whites", "whitefield", "bright",    "brightfield", "ob",
    "obs", "openbeam", "ref",    "refs",       "reference", "refhst",      NULL
  };
  static const char *const darks[] = { "df", "dc", "dcs", NULL };
  for (size_t i = 0; words[i] != NULL; i++)
    {
      if (is_kind (words[i], "dark") || g_strv_contains (darks, words[i]))
        return TL_FRAMES_DARKS;
      if (is_kind (words[i], "flat") || g_strv_contains (flats, words[i])
          || (strcmp (words[i], "open") == 0 && words[i + 1] != NULL
              && strcmp (words[i + 1], "beam") == 0))
        return TL_FRAMES_FLATS;
    }
  return TL_FRAMES_PROJECTIONS;
}

TlFrameKind
tl_name_get_kind (const char *path)
{
  g_auto (GStrv) words = tl_name_split (path);
  return find_kind (words);
}

TlFrameKind
tl_name_get_kind_beside (const char *path, const char *projection)
{
  g_auto (GStrv) words = tl_name_split (path);
  g_auto (GStrv) common = tl_name_split (projection);
  gboolean is_of_sample = FALSE;
  for (char **word = common; *word != NULL; word++)
    {
      char *const alone[] = { *word, NULL };
      size_t i = 0;
      while (words[i] != NULL && strcmp (words[i], *word) != 0)
        i++;
      if (**word == '\0' || words[i] == NULL)
        continue;
      *words[i] = '\0';
      is_of_sample |= find_kind (alone) == TL_FRAMES_PROJECTIONS;
    }
  const TlFrameKind kind = find_kind (words);
  return kind != TL_FRAMES_PROJECTIONS || is_of_sample
             ? kind
             : tl_name_get_kind (path);
}

size_t
tl_name_get_number (const char *path)
{
  g_autofree char *name = g_path_get_basename (path);
  const char *dot = strrchr (name, '.');
  const char *end = dot != NULL ? dot : name + strlen (name), *start = end;
  while (start > name && g_ascii_isdigit (start[-1]))
    start--;
  return start == end ? G_MAXSIZE : (size_t)g_ascii_strtoull (start, NULL, 10);
}

/* Names need not be valid UTF-8. */
static const char *
skip_letter (const char *name)
{
  name++;
  while ((*name & 0xc0) == 0x80)
    name++;
  return name;
}

gboolean
tl_name_matches (const char *name, const char *pattern)
{
  const size_t sign = is_sign (*name);
  const size_t n_digits = strspn (name + sign, DIGITS);
  switch (*pattern)
    {
    case '\0':
      return *name == '\0';
    case '*':
      return tl_name_matches (name, pattern + 1)
             || (*name != '\0' && tl_name_matches (name + 1, pattern));
    case '?':
      return *name != '\0' && tl_name_matches (skip_letter (name), pattern + 1);
    case '#':
      if (n_digits > 0)
        return tl_name_matches (name + sign + n_digits, pattern + 1);
      break; /* a name may have this sign itself */
    default:
      break;
    }
  return *name == *pattern && tl_name_matches (name + 1, pattern + 1);
}

gboolean
tl_name_is_series (const char *path)
{
  g_autofree char *name = g_path_get_basename (path);
  return g_ascii_strncasecmp (name, "refHST", 6) == 0
         && tl_name_get_number (path) != G_MAXSIZE;
}

gboolean
tl_name_is_after (const char *path)
{
  if (tl_name_is_series (path))
    return tl_name_get_number (path) > 0;
  static const char *const after[] = { "after", "post", NULL };
  g_autofree char *folder = g_path_get_dirname (path);
  const char *const names[] = { path, folder };
  for (size_t n = 0; n < G_N_ELEMENTS (names); n++)
    {
      g_auto (GStrv) words = tl_name_split (names[n]);
      for (size_t i = 0; words[i] != NULL; i++)
        if (g_strv_contains (after, words[i]))
          return tl_name_get_kind (names[n]) == TL_FRAMES_FLATS;
    }
  return FALSE;
}

gboolean
tl_name_is_reconstruction (const char *path)
{
  g_auto (GStrv) words = tl_name_split (path);
  for (size_t i = 0; words[i] != NULL; i++)
    if (strcmp (words[i], "rec") == 0 || g_str_has_prefix (words[i], "recon"))
      return TRUE;
  return FALSE;
}
