#include "data/read/images/numbers.h"

#include "data/read/format/change.h"
#include "data/read/scan/frame-ranges.h"
#include "data/read/images/names.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <string.h>

#define MAX_MISSING_PART 0.25

/* Returns: whether a counter of two digits or more goes on from the number of
 * @last, which is the largest of its digits, such as 9999, to that of @first,
 * such as 0000 or 0001 */
static gboolean
begins_anew (const char *last, const char *first)
{
  size_t begin = 0;
  while (last[begin] != '\0' && last[begin] == first[begin])
    begin++;
  const size_t n_digits = strspn (last + begin, "9"), end = begin + n_digits;
  return strlen (last) == strlen (first) && n_digits >= 2 && begin > 0
         && !g_ascii_isdigit (last[begin - 1]) && !g_ascii_isdigit (last[end])
         && strcmp (last + end, first + end) == 0
         && tl_name_get_number (first) <= 1;
}

/* Returns: (transfer full) (nullable): [paths->len], the numbers of @paths;
 * those after a counter that began anew go on from its largest number. %NULL if
 * they do not ascend */
static size_t *
read_numbers (GPtrArray *paths)
{
  g_autofree size_t *numbers = g_new (size_t, paths->len + 1);
  size_t offset = 0;
  for (guint i = 0; i < paths->len; i++)
    {
      numbers[i] = tl_name_get_number (paths->pdata[i]);
      if (numbers[i] == G_MAXSIZE)
        return NULL;
      if (i > 0 && offset == 0
          && begins_anew (paths->pdata[i - 1], paths->pdata[i]))
        offset = numbers[i - 1] + 1 - numbers[i];
      numbers[i] += offset;
      if (i > 0 && numbers[i] <= numbers[i - 1])
        return NULL;
    }
  return paths->len > 1 ? g_steal_pointer (&numbers) : NULL;
}

/* Returns: the least step between @n numbers, of which all others are
 * multiples; 0 if they are not */
static size_t
find_step (const size_t *numbers, size_t n)
{
  size_t step = numbers[1] - numbers[0];
  for (size_t i = 2; i < n; i++)
    step = MIN (step, numbers[i] - numbers[i - 1]);
  for (size_t i = 1; i < n; i++)
    if ((numbers[i] - numbers[i - 1]) % step != 0)
      return 0;
  return step;
}

/* Returns: (transfer full): the numbers of @paths; G_MAXSIZE for none */
static GHashTable *
list_numbers (GPtrArray *paths)
{
  GHashTable *set = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < paths->len; i++)
    g_hash_table_add (set,
                      GSIZE_TO_POINTER (tl_name_get_number (paths->pdata[i])));
  return set;
}

/* Returns: whether other images of @folder have numbers of those between @first
 * and @last that are not in @own. A group that shares a number with @own is
 * ignored: it has a numbering of its own. */
static gboolean
are_taken (GHashTable *own, size_t first, size_t last, size_t step,
           const char *folder, GPtrArray *groups)
{
  for (guint i = 0; i < groups->len; i++)
    {
      const TlImageGroup *group = groups->pdata[i];
      g_autofree char *its_folder = g_path_get_dirname (group->paths->pdata[0]);
      gboolean is_own = strcmp (its_folder, folder) != 0, is_between = FALSE;
      for (guint k = 0; k < group->paths->len && !is_own; k++)
        {
          const size_t number = tl_name_get_number (group->paths->pdata[k]);
          is_own = g_hash_table_contains (own, GSIZE_TO_POINTER (number));
          is_between |=
              number > first && number < last && (number - first) % step == 0;
        }
      if (is_between && !is_own)
        return TRUE;
    }
  return FALSE;
}

/* Returns: whether most of the numbers follow each other. Times, for example,
 * do not. */
static gboolean
is_running (const size_t *numbers, size_t n, size_t step)
{
  size_t n_next = 0;
  for (size_t i = 1; i < n; i++)
    n_next += numbers[i] - numbers[i - 1] == step;
  return 2 * n_next >= n;
}

static void
note_gaps (const size_t *numbers, size_t n, size_t n_steps, TlScanDraft *draft)
{
  tl_scan_draft_ask (draft, NULL, NULL,
                     _ ("%zu of the numbers %zu to %zu in the file names have "
                        "no image, too many to be missing ones: angles that "
                        "are not known for each image are spread evenly over "
                        "those that are there"),
                     n_steps - n, numbers[0], numbers[n - 1]);
}

/* Returns: (transfer full): the numbers from @first on, in steps of @step, that
 * are not in @numbers */
static GArray *
list_missing (const size_t *numbers, size_t n, size_t first, size_t step,
              size_t n_steps)
{
  GArray *missing = g_array_new (FALSE, FALSE, sizeof (TlFrameRange));
  size_t next = 0;
  for (size_t k = first; k < first + n_steps * step; k += step)
    if (next < n && numbers[next] == k)
      next++;
    else
      tl_frame_ranges_add (missing, k);
  return missing;
}

/* Sets the steps of @n images. */
static void
take_steps (const size_t *numbers, size_t n, size_t first, size_t step,
            size_t n_steps, TlScanDraft *draft)
{
  draft->steps = g_new (size_t, n);
  draft->n_steps = n_steps;
  for (size_t i = 0; i < n; i++)
    draft->steps[i] = (numbers[i] - first) / step;
}

static gboolean
are_many (size_t n_missing, size_t n)
{
  return (double)n_missing > MAX_MISSING_PART * (double)n;
}

/* Returns: how many numbers in @odd follow @number upwards or downwards, each
 * @step from the one before; 0 if there are many of them beside @n */
static size_t
count_odd (GHashTable *odd, size_t number, size_t step, gboolean upwards,
           size_t n)
{
  size_t k = 0;
  while ((upwards || number >= (k + 1) * step)
         && g_hash_table_contains (
             odd, GSIZE_TO_POINTER (upwards ? number + (k + 1) * step
                                            : number - (k + 1) * step)))
    k++;
  return are_many (k, n) ? 0 : k;
}

GArray *
tl_numbers_find_missing (GPtrArray *paths, GPtrArray *odd, TlScanDraft *draft)
{
  const guint n = paths->len;
  g_autofree size_t *numbers = read_numbers (paths);
  const size_t step = numbers != NULL ? find_step (numbers, n) : 0;
  if (step == 0)
    return NULL;
  size_t first = numbers[0], last = numbers[n - 1];
  if (last == tl_name_get_number (paths->pdata[n - 1]))
    {
      g_autoptr (GHashTable) beyond = list_numbers (odd);
      first -= step * count_odd (beyond, first, step, FALSE, n);
      last += step * count_odd (beyond, last, step, TRUE, n);
    }
  const size_t n_steps = (last - first) / step + 1;
  const gboolean too_many = are_many (n_steps - n, n);
  g_autofree char *folder = g_path_get_dirname (paths->pdata[0]);
  g_autoptr (GHashTable) own = list_numbers (paths);
  if (n_steps == n || (too_many && !is_running (numbers, n, step))
      || are_taken (own, first, last, step, folder, draft->groups))
    return NULL;
  if (too_many)
    {
      note_gaps (numbers, n, n_steps, draft);
      return NULL;
    }
  take_steps (numbers, n, first, step, n_steps, draft);
  return list_missing (numbers, n, first, step, n_steps);
}

GArray *
tl_numbers_take_planned (GPtrArray *paths, size_t n_planned, size_t *n_taken,
                         TlScanDraft *draft)
{
  g_autofree size_t *numbers = read_numbers (paths);
  if (numbers == NULL || numbers[0] >= n_planned)
    return NULL;
  size_t n = 0;
  while (n < paths->len && numbers[n] < n_planned)
    n++;
  *n_taken = n;
  if (n < n_planned)
    take_steps (numbers, n, 0, 1, n_planned, draft);
  return list_missing (numbers, n, 0, 1, n_planned);
}

typedef enum
{
  WRITTEN_AT_ONCE,
  WRITTEN_SECOND_FIRST, /* the second part before the first one */
  WRITTEN_OTHERWISE
} Written;

/* Returns: in which order the files of both parts of @paths were written. Each
 * must have been written forwards: a copy that was made backwards says nothing.
 * @n_first: of the first part */
static Written
find_written (GPtrArray *paths, guint n_first)
{
  gint64 from[2] = { G_MAXINT64, G_MAXINT64 }, to[2] = { 0 };
  gint64 begin[2] = { 0 }, end[2] = { 0 };
  for (guint i = 0; i < paths->len; i++)
    {
      const int part = i >= n_first;
      GStatBuf st;
      if (g_stat (paths->pdata[i], &st) != 0)
        return WRITTEN_OTHERWISE;
      const gint64 time_us = tl_change_get_us (&st);
      if (i == 0 || i == n_first)
        begin[part] = time_us;
      end[part] = time_us;
      from[part] = MIN (from[part], time_us);
      to[part] = MAX (to[part], time_us);
    }
  if (MIN (from[0], from[1]) == MAX (to[0], to[1]))
    return WRITTEN_AT_ONCE;
  return to[1] <= from[0] && begin[0] <= end[0] && begin[1] <= end[1]
             ? WRITTEN_SECOND_FIRST
             : WRITTEN_OTHERWISE;
}

guint
tl_numbers_find_wrap (GPtrArray *paths, TlScanDraft *draft)
{
  const guint n = paths->len;
  g_autofree size_t *numbers = read_numbers (paths);
  if (numbers == NULL || !begins_anew (paths->pdata[n - 1], paths->pdata[0]))
    return 0;
  guint n_first = 1;
  for (guint i = 2; i < n; i++)
    if (numbers[i] - numbers[i - 1] > numbers[n_first] - numbers[n_first - 1])
      n_first = i;
  const size_t gap = numbers[n_first] - numbers[n_first - 1] - 1;
  if (gap == 0)
    return 0;
  const Written written = find_written (paths, n_first);
  const char *on_line =
      _ ("to set the order, give --projections several patterns in that "
         "order, as 'p_9*.tif;p_0*.tif'");
  const char *in_window =
      _ ("to set the order, rename the files so that their numbers ascend");
  const size_t first = numbers[0], end = numbers[n_first - 1];
  const size_t second = numbers[n_first], last = numbers[n - 1];
  if (written == WRITTEN_SECOND_FIRST
      || (written == WRITTEN_AT_ONCE && gap > n))
    {
      tl_scan_draft_ask (
          draft, on_line, in_window,
          _ ("the numbers in the file names begin again at %zu after %zu: the "
             "images %zu to %zu come before %zu to %zu, which count as %zu to "
             "%zu"),
          first, last, second, last, first, end, last + 1,
          last + 1 + end - first);
      return n_first;
    }
  if (are_many (gap, n))
    tl_scan_draft_ask (
        draft, on_line, in_window,
        _ ("the numbers in the file names are %zu to %zu and %zu to %zu: if "
           "the counter began again after %zu, the images %zu to %zu were "
           "taken "
           "first, but the times of the files do not show it; the images stay "
           "in the order of their numbers"),
        first, end, second, last, last, second, last);
  return 0;
}
