#include "data/read/format/rows.h"

#include "data/array.h"

#include <glib/gi18n.h>

size_t *
tl_rows_list (size_t first_row, size_t n_rows, GError **error)
{
  size_t *rows =
      tl_try_alloc (n_rows, 1, 1, sizeof *rows, _ ("a list of rows"), error);
  for (size_t k = 0; rows != NULL && k < n_rows; k++)
    rows[k] = first_row + k;
  return rows;
}

size_t
tl_rows_count_run (const size_t *rows, size_t n_rows, size_t k)
{
  size_t n = 1;
  while (k + n < n_rows && rows[k + n] == rows[k] + n)
    n++;
  return n;
}

size_t
tl_rows_count_within (const size_t *rows, size_t n_rows, size_t k,
                      size_t block_rows)
{
  size_t n = 1;
  while (k + n < n_rows && rows[k + n] / block_rows == rows[k] / block_rows)
    n++;
  return n;
}

gboolean
tl_rows_are_list (const size_t *rows, size_t n_rows, size_t end)
{
  for (size_t k = 1; k < n_rows; k++)
    if (rows[k] <= rows[k - 1])
      return FALSE;
  return n_rows > 0 && rows[n_rows - 1] < end;
}
