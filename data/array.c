#include "data/array.h"

#include "data/error.h"

#include <glib/gi18n.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum
{
  PAGE_BYTES = 4 << 10,
  HUGE_PAGE_BYTES = 2 << 20, /* of x86, and of ARM with pages of 4 KiB */
  LARGE_BYTES = 8 << 20,     /* huge pages waste little of so much */
  N_FEW = 24                 /* values that are sorted by insertion */
};

void *
tl_try_alloc_pages (size_t bytes)
{
  const size_t unit = bytes < LARGE_BYTES ? PAGE_BYTES : HUGE_PAGE_BYTES;
  if (bytes > G_MAXSIZE - unit)
    return NULL;
  const size_t size = (MAX (bytes, 1) + unit - 1) / unit * unit;
  void *memory = aligned_alloc (unit, size);
  if (memory != NULL && unit == HUGE_PAGE_BYTES)
    madvise (memory, size, MADV_HUGEPAGE); /* no harm where there are none */
  return memory;
}

void *
tl_try_alloc (size_t n0, size_t n1, size_t n2, size_t size, const char *what,
              GError **error)
{
  gsize bytes = 0;
  void *memory = NULL;

  g_return_val_if_fail (what != NULL, NULL);

  if (error != NULL && *error != NULL)
    return NULL;
  if (g_size_checked_mul (&bytes, n0, n1)
      && g_size_checked_mul (&bytes, bytes, n2)
      && g_size_checked_mul (&bytes, bytes, size))
    memory = bytes < LARGE_BYTES ? g_try_malloc (MAX (bytes, 1))
                                 : tl_try_alloc_pages (bytes);
  if (memory == NULL)
    tl_fail (error, TL_ERROR_MEMORY,
             _ ("not enough memory for %s: %zu x %zu x %zu of %zu bytes"), what,
             n0, n1, n2, size);
  return memory;
}

guint64
tl_get_machine_bytes (void)
{
  return (guint64)sysconf (_SC_PHYS_PAGES) * (guint64)sysconf (_SC_PAGESIZE);
}

guint64
tl_read_proc_bytes (const char *path, const char *key)
{
  g_autofree char *text = NULL;
  const char *line = NULL;

  if (g_file_get_contents (path, &text, NULL, NULL))
    line = strstr (text, key);
  return line != NULL ? g_ascii_strtoull (line + strlen (key), NULL, 10) << 10
                      : 0;
}

int
tl_names_index (const char *const *names, const char *name)
{
  for (int k = 0; names[k] != NULL; k++)
    if (strcmp (names[k], name) == 0)
      return k;
  return -1;
}

static int
compare_doubles (const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

/* Insertion sort: for few values it is faster than qsort(), which calls a
 * function for each comparison. */
static void
sort_few (double *values, size_t n)
{
  for (size_t k = 1; k < n; k++)
    {
      const double value = values[k];
      size_t at = k;
      for (; at > 0 && values[at - 1] > value; at--)
        values[at] = values[at - 1];
      values[at] = value;
    }
}

void
tl_sort_doubles (double *values, size_t n)
{
  if (n <= N_FEW)
    sort_few (values, n);
  else
    qsort (values, n, sizeof *values, compare_doubles);
}

static int
compare_floats (const void *a, const void *b)
{
  const float x = *(const float *)a, y = *(const float *)b;

  return (x > y) - (x < y);
}

void
tl_sort_floats (float *values, size_t n)
{
  qsort (values, n, sizeof *values, compare_floats);
}

double
tl_median (double *values, size_t n)
{
  g_return_val_if_fail (n > 0, NAN);

  tl_sort_doubles (values, n);
  return (values[(n - 1) / 2] + values[n / 2]) / 2;
}
