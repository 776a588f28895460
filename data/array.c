#include "data/array.h"

#include "data/error.h"

#include <glib/gi18n.h>
#include <math.h>
#include <stdlib.h>

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
    memory = g_try_malloc (MAX (bytes, 1));
  if (memory == NULL)
    tl_fail (error, TL_ERROR_MEMORY,
             _ ("not enough memory for %s: %zu x %zu x %zu of %zu bytes"), what,
             n0, n1, n2, size);
  return memory;
}

static int
compare_doubles (const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

void
tl_sort_doubles (double *values, size_t n)
{
  qsort (values, n, sizeof *values, compare_doubles);
}

double
tl_median (double *values, size_t n)
{
  g_return_val_if_fail (n > 0, NAN);

  tl_sort_doubles (values, n);
  return (values[(n - 1) / 2] + values[n / 2]) / 2;
}
