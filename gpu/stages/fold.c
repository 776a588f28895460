#include "gpu/stages/fold.h"

#include "data/array.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* --- angles --- */

/* A projection and its direction in [0, pi). flipped: the angle of the
 * projection is its direction plus pi. */
typedef struct
{
  double direction_rad;
  gboolean is_flipped;
  size_t projection;
  gboolean is_taken; /* is the partner of another projection */
} Direction;

static Direction
find_direction (double angle_rad, size_t projection)
{
  const double turns = floor (angle_rad / G_PI);
  Direction direction = { angle_rad - turns * G_PI, fmod (turns, 2.0) != 0.0,
                          projection, FALSE };

  /* Rounding may turn a value just below pi into pi. */
  if (direction.direction_rad >= G_PI)
    {
      direction.direction_rad -= G_PI;
      direction.is_flipped = !direction.is_flipped;
    }
  return direction;
}

static int
compare_directions (const void *a, const void *b)
{
  const Direction *x = a, *y = b;

  if (x->direction_rad != y->direction_rad)
    return x->direction_rad < y->direction_rad ? -1 : 1;
  return x->projection < y->projection ? -1 : x->projection > y->projection;
}

/* Returns: the index of the first of the sorted @all whose direction is not
 * below @direction_rad; @n if there is none. */
static size_t
find_first (const Direction *all, size_t n, double direction_rad)
{
  size_t low = 0, high = n;

  while (low < high)
    {
      const size_t middle = low + (high - low) / 2;

      if (all[middle].direction_rad < direction_rad)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/* Finds a projection in the direction @wanted among the sorted @all that is not
 * taken, and marks it as taken.
 *
 * Returns: its source as in TlFold; 0 if there is none. */
static gint32
take_partner (Direction *all, size_t n, const Direction *wanted,
              double tolerance_rad)
{
  /* Directions are periodic in pi, so search near wanted - pi and wanted + pi
   * too. */
  for (int turn = -1; turn <= 1; turn++)
    {
      const double direction_rad = wanted->direction_rad + turn * G_PI;

      for (size_t i = find_first (all, n, direction_rad - tolerance_rad);
           i < n && all[i].direction_rad <= direction_rad + tolerance_rad; i++)
        {
          const gint32 source = (gint32)all[i].projection + 1;
          const gboolean is_flipped = all[i].is_flipped != wanted->is_flipped;

          if (all[i].is_taken)
            continue;
          all[i].is_taken = TRUE;
          return is_flipped != (turn != 0) ? -source : source;
        }
    }
  return 0;
}

/* Fills angles_rad and sources for quarter turns. There are at most 2 n rays.
 */
static void
pair_up (TlFold *fold, Direction *all, const double *angles_rad, size_t n,
         double tolerance_rad)
{
  for (size_t p = 0; p < n; p++)
    all[p] = find_direction (angles_rad[p], p);
  qsort (all, n, sizeof *all, compare_directions);

  for (size_t p = 0; p < n; p++)
    {
      const Direction wanted = find_direction (angles_rad[p] + G_PI_2, p);

      fold->angles_rad[p] = angles_rad[p];
      fold->sources[2 * p] = (gint32)p + 1;
      fold->sources[2 * p + 1] = take_partner (all, n, &wanted, tolerance_rad);
    }
  fold->n_rays = n;
  for (size_t i = 0; i < n; i++)
    {
      if (all[i].is_taken)
        continue;
      fold->angles_rad[fold->n_rays] = angles_rad[all[i].projection] - G_PI_2;
      fold->sources[2 * fold->n_rays] = 0;
      fold->sources[2 * fold->n_rays + 1] = (gint32)all[i].projection + 1;
      fold->n_rays++;
    }
}

static void
free_fold (TlFold *fold)
{
  g_free (fold->angles_rad);
  g_free (fold->sources);
  g_free (fold);
}

static TlFold *
make_fold (guint n_pixels, const double *angles_rad, size_t n_projections,
           double tolerance_rad, GError **error)
{
  const char *what = _ ("the order of the projections");
  static gint last_serial; /* atomic */

  TlFold *fold = g_new0 (TlFold, 1);
  fold->n_pixels = n_pixels;
  fold->n_projections = n_projections;
  fold->serial = (guint)g_atomic_int_add (&last_serial, 1) + 1;
  fold->angles_rad =
      tl_try_alloc (n_projections, 2, 1, sizeof (double), what, error);
  fold->sources =
      tl_try_alloc (n_projections, 4, 1, sizeof (gint32), what, error);
  g_autofree Direction *all =
      tl_try_alloc (n_projections, 1, 1, sizeof (Direction), what, error);
  if (fold->angles_rad == NULL || fold->sources == NULL || all == NULL)
    {
      free_fold (fold);
      return NULL;
    }
  if (n_pixels == 4)
    {
      pair_up (fold, all, angles_rad, n_projections, tolerance_rad);
      return fold;
    }
  fold->n_rays = n_projections;
  for (size_t p = 0; p < n_projections; p++)
    {
      fold->angles_rad[p] = angles_rad[p];
      fold->sources[2 * p] = (gint32)p + 1;
      fold->sources[2 * p + 1] = 0;
    }
  return fold;
}

/* --- the folds of a block --- */

struct TlFolds
{
  double *angles_rad; /* [n_projections] */
  size_t n_projections;
  TlFold *of_2, *of_4;  /* (nullable) */
  double tolerance_rad; /* the tolerance of of_4 */
};

TlFolds *
tl_folds_new (const double *angles_rad, size_t n_projections, GError **error)
{
  double *copy = tl_try_alloc (n_projections, 1, 1, sizeof (double),
                               _ ("the angles"), error);

  if (copy == NULL)
    return NULL;
  memcpy (copy, angles_rad, n_projections * sizeof (double));
  TlFolds *folds = g_new0 (TlFolds, 1);
  folds->angles_rad = copy;
  folds->n_projections = n_projections;
  return folds;
}

void
tl_folds_free (TlFolds *folds)
{
  g_clear_pointer (&folds->of_2, free_fold);
  g_clear_pointer (&folds->of_4, free_fold);
  g_free (folds->angles_rad);
  g_free (folds);
}

const TlFold *
tl_folds_get (TlFolds *folds, guint n_pixels, double tolerance_rad,
              GError **error)
{
  TlFold **fold = n_pixels == 2 ? &folds->of_2 : &folds->of_4;

  g_return_val_if_fail (n_pixels == 2 || n_pixels == 4, NULL);

  if (n_pixels == 4 && tolerance_rad != folds->tolerance_rad)
    {
      g_clear_pointer (fold, free_fold);
      folds->tolerance_rad = tolerance_rad;
    }
  if (*fold == NULL)
    *fold = make_fold (n_pixels, folds->angles_rad, folds->n_projections,
                       tolerance_rad, error);
  return *fold;
}

/* --- the grid and the rows --- */

gboolean
tl_fold_fits (guint n_pixels, const TlGrid *grid)
{
  const double right = ((double)grid->nx - 1.0) / 2.0 * grid->pitch;
  const double top = ((double)grid->ny - 1.0) / 2.0 * grid->pitch;
  /* far below what is visible, far above rounding errors */
  const double tolerance = 1e-6 * grid->pitch;

  return fabs (grid->x0 + right) <= tolerance
         && fabs (grid->y0 - top) <= tolerance
         && (n_pixels == 2 || grid->nx == grid->ny);
}

TlGrid
tl_fold_grid (guint n_pixels, const TlGrid *grid)
{
  TlGrid part = *grid;

  part.ny = (grid->ny + 1) / 2;
  if (n_pixels == 4)
    part.nx = (grid->nx + 1) / 2;
  return part;
}

TlFoldSpan
tl_fold_span (double axis_col, size_t n_cols)
{
  const gint64 last = (gint64)n_cols - 1;
  const gint64 mirrored_first = (gint64)round (2.0 * axis_col) - last;
  const gint64 first = MIN (0, mirrored_first);
  const gint64 end = MAX (last, mirrored_first + last) + 1;

  return (TlFoldSpan){ first, (size_t)(end - first) };
}
