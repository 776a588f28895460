#include "gpu/stages/dead-pixels.h"

#include "data/array.h"
#include "data/error.h"

#include <glib/gi18n.h>
#include <math.h>

static gboolean
is_dead (const TlBlock *block, size_t i)
{
  const double dark = block->dark != NULL ? block->dark[i] : 0.0;

  return !isfinite (dark)
         || (block->flat_first != NULL
             && !(isfinite (block->flat_first[i])
                  && block->flat_first[i] > dark))
         || (block->flat_last != NULL
             && !(isfinite (block->flat_last[i])
                  && block->flat_last[i] > dark));
}

/* Fills one row of the arrays of @dead. Returns: the number of dead pixels in
 * the row. */
static size_t
scan_row (const TlBlock *block, size_t row, TlDeadPixels *dead)
{
  const size_t n = block->n_cols, first = row * n;
  size_t n_dead = 0;
  guint32 live = G_MAXUINT32; /* the last live column so far; G_MAXUINT32 before
                                 the first */

  for (size_t col = 0; col < n; col++)
    {
      if (is_dead (block, first + col))
        n_dead++;
      else
        live = (guint32)col;
      dead->left_col[first + col] = live;
    }
  live = G_MAXUINT32;
  for (size_t col = n; col-- > 0;)
    {
      if (dead->left_col[first + col] == col)
        live = (guint32)col;
      dead->right_col[first + col] = live;
    }
  return n_dead;
}

static void
mix_row (TlDeadPixels *dead, size_t row, size_t n)
{
  for (size_t col = 0; col < n; col++)
    {
      guint32 *left = &dead->left_col[row * n + col];
      guint32 *right = &dead->right_col[row * n + col];
      float *mix = &dead->mix[row * n + col];

      if (*left == G_MAXUINT32)
        *left = *right;
      if (*right == G_MAXUINT32)
        *right = *left;
      *mix = *left < *right ? (float)(col - *left) / (float)(*right - *left)
                            : 0.0f;
    }
}

TlDeadPixels *
tl_dead_pixels_new (const TlBlock *block, GError **error)
{
  const char *what = _ ("the list of dead pixels");
  g_autoptr (TlDeadPixels) dead = g_new0 (TlDeadPixels, 1);
  const size_t ny = block->n_rows, nx = block->n_cols;

  dead->left_col = tl_try_alloc (ny, nx, 1, sizeof (guint32), what, error);
  dead->right_col = tl_try_alloc (ny, nx, 1, sizeof (guint32), what, error);
  dead->mix = tl_try_alloc (ny, nx, 1, sizeof (float), what, error);
  if (dead->left_col == NULL || dead->right_col == NULL || dead->mix == NULL)
    return NULL;

  for (size_t row = 0; row < ny; row++)
    {
      const size_t n_dead = scan_row (block, row, dead);

      if (n_dead == nx)
        return tl_fail_null (
            error, TL_ERROR_VALUE,
            _ ("the flat field is nowhere above the dark field in row "
               "%zu of the %zu rows read, %zu columns"),
            row, ny, nx);
      mix_row (dead, row, nx);
      if (row >= block->n_above && row < ny - block->n_below)
        dead->n_dead += n_dead;
    }
  return g_steal_pointer (&dead);
}

void
tl_dead_pixels_free (TlDeadPixels *dead)
{
  g_free (dead->left_col);
  g_free (dead->right_col);
  g_free (dead->mix);
  g_free (dead);
}
