#include "data/read/images/numbers.h"

#include "data/read/frame-ranges.h"
#include "data/read/images/names.h"

#include <glib/gi18n.h>
#include <string.h>

#define MAX_MISSING_PART 0.25

/* Numbers that span more than this many times the number of images are no
 * count. */
#define MAX_SPAN 10

/* Returns: (transfer full) (nullable): [paths->len], the numbers of @paths;
 * %NULL if they do not ascend */
static size_t *
read_numbers (GPtrArray *paths)
{
  g_autofree size_t *numbers = g_new (size_t, paths->len + 1);
  for (guint i = 0; i < paths->len; i++)
    {
      numbers[i] = tl_name_get_number (paths->pdata[i]);
      if (numbers[i] == G_MAXSIZE || (i > 0 && numbers[i] <= numbers[i - 1]))
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

/* Returns: whether both sets have a number in common */
static gboolean
overlap (GHashTable *a, GHashTable *b)
{
  GHashTableIter iter;
  gpointer number;
  g_hash_table_iter_init (&iter, a);
  while (g_hash_table_iter_next (&iter, &number, NULL))
    if (g_hash_table_contains (b, number))
      return TRUE;
  return FALSE;
}

/* Returns: whether other images of @folder have some of the numbers in
 * @missing. A group that shares a number with @numbers is ignored: it has a
 * numbering of its own. */
static gboolean
are_taken (GHashTable *missing, GHashTable *numbers, const char *folder,
           GPtrArray *groups)
{
  for (guint i = 0; i < groups->len; i++)
    {
      const TlImageGroup *group = groups->pdata[i];
      g_autofree char *its_folder = g_path_get_dirname (group->paths->pdata[0]);
      g_autoptr (GHashTable) its = list_numbers (group->paths);
      if (strcmp (its_folder, folder) == 0 && !overlap (its, numbers)
          && overlap (its, missing))
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
 * are not in @numbers. @set: receives them, too */
static GArray *
list_missing (const size_t *numbers, size_t n, size_t first, size_t step,
              size_t n_steps, GHashTable *set)
{
  GArray *missing = g_array_new (FALSE, FALSE, sizeof (TlFrameRange));
  size_t next = 0;
  for (size_t k = first; k < first + n_steps * step; k += step)
    if (next < n && numbers[next] == k)
      next++;
    else
      {
        g_hash_table_add (set, GSIZE_TO_POINTER (k));
        tl_frame_ranges_add (missing, k);
      }
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

GArray *
tl_numbers_find_missing (GPtrArray *paths, TlScanDraft *draft)
{
  const guint n = paths->len;
  g_autofree size_t *numbers = read_numbers (paths);
  const size_t step = numbers != NULL ? find_step (numbers, n) : 0;
  if (step == 0)
    return NULL;
  const size_t n_steps = (numbers[n - 1] - numbers[0]) / step + 1;
  const gboolean are_many = (double)(n_steps - n) > MAX_MISSING_PART * n;
  if (n_steps == n || n_steps / MAX_SPAN > n
      || (are_many && !is_running (numbers, n, step)))
    return NULL;
  g_autofree char *folder = g_path_get_dirname (paths->pdata[0]);
  g_autoptr (GHashTable) own = list_numbers (paths);
  g_autoptr (GHashTable) set = g_hash_table_new (NULL, NULL);
  g_autoptr (GArray) missing =
      list_missing (numbers, n, numbers[0], step, n_steps, set);
  if (are_taken (set, own, folder, draft->groups))
    return NULL;
  if (are_many)
    {
      note_gaps (numbers, n, n_steps, draft);
      return NULL;
    }
  take_steps (numbers, n, numbers[0], step, n_steps, draft);
  return g_steal_pointer (&missing);
}

GArray *
tl_numbers_take_planned (GPtrArray *paths, size_t n_planned, size_t *n_taken,
                         TlScanDraft *draft)
{
  g_autoptr (GHashTable) set = g_hash_table_new (NULL, NULL);
  g_autofree size_t *numbers = read_numbers (paths);
  if (numbers == NULL || numbers[0] >= n_planned)
    return NULL;
  size_t n = 0;
  while (n < paths->len && numbers[n] < n_planned)
    n++;
  *n_taken = n;
  if (n < n_planned)
    take_steps (numbers, n, 0, 1, n_planned, draft);
  return list_missing (numbers, n, 0, 1, n_planned, set);
}
