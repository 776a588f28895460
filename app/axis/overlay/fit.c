/* Finds the mirror that minimises the squared difference of two projections.
 *
 * A is the first projection, B the second one mirrored about the assumed axis.
 * Where they are d apart, A - B is grad A . d. For an axis that is dc columns,
 * dt radians and dr rows from the assumed one,
 *
 *   d = (-2 dc - 2 Y dt, 2 X dt + dr)
 *
 * at X columns from the axis and Y rows below the middle. The equations are sum
 * J (A - B) = 0, where J is computed from the gradient of A alone. Their
 * matrix, which gives steps and uncertainties, is the sum of products of J and
 * the same derivatives of B. The noise of B is independent of that of A,
 * whereas squares of J would contain the square of the noise. Far from the
 * mirror image the two gradients are unrelated, and that matrix may not be
 * positive definite; squares of J are used there. Their steps are too short but
 * never in the wrong direction. */
#include "app/axis/overlay/registration-private.h"

#include <math.h>
#include <string.h>

#define N_PARAMS 3 /* centre, tilt in degrees, rows */
#define TILES 8    /* per side; squared, per row if there is no roll */
#define N_TILES (TILES * TILES)
#define MAX_STEPS 20
#define SMALL_COL 1e-3 /* smallest step, in pixels of a level */
/* Residuals beyond this many deviations have half the weight. */
#define OUTLIER 3.0
/* Smallest remaining fraction of a diagonal element; below it the matrix is
 * singular. */
#define SMALL_PIVOT 1e-9
/* Part of a left-out block that is subtracted; less than 1, because all
 * information may be in one block. */
#define LEFT_OUT 0.95
/* Factor on uncertainties, because there are few tiles. */
#define CAUTION 1.3
/* Columns of the axis: an edge sharper than a pixel cannot be located better
 * than this all along the pixels that it is parallel to. Opposite edges may
 * have the same error, which tiles cannot reveal. It is the error of phantoms
 * of 256 columns without noise; a quarter of it if their pixels are means. It
 * corresponds to COMMON_COL in app/axis/line.c; the pictures are shifted by
 * twice as much. */
#define COMMON_COL 0.02

/* Sums over the pixels of a tile; r is A - B, j its derivatives. */
typedef struct
{
  double w, r, a, b, aa, bb, ab, rr;
  /* j from A, k from B */
  double j[N_PARAMS], k[N_PARAMS], jr[N_PARAMS];
  double jk[N_PARAMS][N_PARAMS], jj[N_PARAMS][N_PARAMS];
  double mean; /* of r, in the previous pass */
} Tile;

/* The matrix of the equations, from both projections and from A alone, and the
 * right-hand side. */
typedef struct
{
  double jk[N_PARAMS][N_PARAMS], jj[N_PARAMS][N_PARAMS], jr[N_PARAMS];
} Equations;

typedef struct
{
  const TlLevel *level;
  size_t n_rows; /* of the detector */
  guint n_params;
  Tile tiles[N_TILES];
  double gain;      /* factor on B to match A */
  double deviation; /* of r; 0: unknown */
  double n_pixels;
} Fitting;

/* Returns: the tile of a pixel, where tiles divide the columns common to A and
 * B */
static size_t
find_tile (const Fitting *f, double first_col, double n_cols, size_t row,
           size_t col)
{
  const double across = f->n_params > 1 ? TILES : N_TILES;
  const double x = ((double)col - first_col) / n_cols * across;
  const size_t column = (size_t)CLAMP (x, 0, across - 1);
  return f->n_params > 1 ? row * TILES / f->level->n_rows * TILES + column
                         : column;
}

static void
add_pixel (Fitting *f, Tile *tile, double a, double b, const double j[N_PARAMS],
           const double k[N_PARAMS])
{
  const double r = a - f->gain * b;
  const double away =
      f->deviation > 0 ? (r - tile->mean) / (OUTLIER * f->deviation) : 0;
  const double w = 1 / (1 + away * away);
  f->n_pixels++;
  tile->w += w;
  tile->r += w * r;
  tile->rr += w * r * r;
  tile->a += w * a;
  tile->b += w * b;
  tile->aa += w * a * a;
  tile->bb += w * b * b;
  tile->ab += w * a * b;
  for (guint i = 0; i < f->n_params; i++)
    {
      tile->j[i] += w * j[i];
      tile->k[i] += w * f->gain * k[i];
      tile->jr[i] += w * j[i] * r;
      for (guint l = 0; l < f->n_params; l++)
        {
          tile->jk[i][l] += w * j[i] * f->gain * k[l];
          tile->jj[i][l] += w * j[i] * j[l];
        }
    }
}

/* Computes the derivatives of a pixel by the parameters of the axis, from a
 * gradient of A or of the mirrored B. */
static inline void
differentiate (double x, double y, double across, double along,
               double j[N_PARAMS])
{
  j[0] = -2 * across;
  j[1] = (2 * x * along - 2 * y * across) * G_PI / 180;
  j[2] = along;
}

/* Adds a row of A, and B at the mirrored positions. */
static void
add_row (Fitting *f, const TlMirror *mirror, size_t row)
{
  const TlLevel *level = f->level;
  const size_t n_cols = level->n_cols;
  const size_t up = row > 0 ? row - 1 : 0;
  const size_t down = MIN (row + 1, level->n_rows - 1);
  const double cosine = cos (mirror->tilt_deg * G_PI / 90);
  const double sine = sin (mirror->tilt_deg * G_PI / 90);
  const double ratio = (double)level->col_pitch / (double)level->row_pitch;
  const double centre =
      tl_level_from_detector (mirror->centre_col, level->col_pitch);
  const double first = fmax (0, 2 * centre - (double)(n_cols - 1));
  const double n_shared = fmin ((double)n_cols - 1, 2 * centre) - first + 1;
  const double y = tl_level_to_detector ((double)row, level->row_pitch)
                   - ((double)f->n_rows - 1) / 2;
  const double edge = f->n_params > 1 ? 1.5 : -0.5;
  double col_there, row_there;
  tl_mirror_place (mirror, f->n_rows,
                   tl_level_to_detector (0, level->col_pitch),
                   tl_level_to_detector ((double)row, level->row_pitch),
                   &col_there, &row_there);
  col_there = tl_level_from_detector (col_there, level->col_pitch);
  row_there = tl_level_from_detector (row_there, level->row_pitch);
  for (size_t col = 2; col + 2 < n_cols; col++)
    {
      const double c = col_there - (double)col * cosine;
      const double r = row_there + (double)col * sine * ratio;
      if (!(c >= 1.5 && c <= (double)n_cols - 2.5 && r >= edge
            && r <= (double)level->n_rows - 1 - edge))
        continue;
      const float *a = level->a + row * n_cols + col;
      const double x = tl_level_to_detector ((double)col, level->col_pitch)
                       - mirror->centre_col;
      const double across =
          ((double)a[1] - a[-1]) / 2 / (double)level->col_pitch;
      const double along =
          ((double)level->a[down * n_cols + col] - level->a[up * n_cols + col])
          / 2 / (double)level->row_pitch;
      double slope[2], j_a[N_PARAMS], j_b[N_PARAMS];
      const double b =
          tl_cubic_read (level->b, level->n_rows, n_cols, c, r, slope);
      slope[0] /= (double)level->col_pitch;
      slope[1] /= (double)level->row_pitch;
      differentiate (x, y, across, along, j_a);
      differentiate (x, y, sine * slope[1] - cosine * slope[0],
                     sine * slope[0] + cosine * slope[1], j_b);
      add_pixel (f, &f->tiles[find_tile (f, first, n_shared, row, col)], *a, b,
                 j_a, j_b);
    }
}

static void
add_all (Fitting *f, const TlMirror *mirror)
{
  const size_t edge = f->n_params > 1 ? 2 : 0;
  for (size_t t = 0; t < N_TILES; t++)
    {
      Tile *tile = &f->tiles[t];
      const double mean = tile->w > 0 ? tile->r / tile->w : 0;
      *tile = (Tile){ .mean = mean };
    }
  f->n_pixels = 0;
  for (size_t row = edge; row + edge < f->level->n_rows; row++)
    add_row (f, mirror, row);
}

/* Updates gain and deviation after a pass. Returns: the correlation of A and B
 */
static double
compare (Fitting *f)
{
  double w = 0, aa = 0, bb = 0, ab = 0, rr = 0;
  for (size_t t = 0; t < N_TILES; t++)
    {
      const Tile *tile = &f->tiles[t];
      if (!(tile->w > 0))
        continue;
      w += tile->w;
      aa += tile->aa - tile->a * tile->a / tile->w;
      bb += tile->bb - tile->b * tile->b / tile->w;
      ab += tile->ab - tile->a * tile->b / tile->w;
      rr += tile->rr - tile->r * tile->r / tile->w;
    }
  if (!(aa > 0 && bb > 0))
    return NAN;
  f->gain = sqrt (aa / bb);
  f->deviation = sqrt (fmax (rr, 0) / w);
  return ab / sqrt (aa * bb);
}

/* Inverts by Gauss-Jordan elimination. %FALSE if the matrix is not positive
 * definite; parameters without any gradient are ignored. */
static gboolean
invert (const double matrix[N_PARAMS][N_PARAMS], guint n,
        double inverse[N_PARAMS][N_PARAMS])
{
  double m[N_PARAMS][N_PARAMS];
  memcpy (m, matrix, sizeof m);
  memset (inverse, 0, sizeof m);
  for (guint i = 0; i < n; i++)
    inverse[i][i] = 1;
  for (guint i = 0; i < n; i++)
    {
      const double pivot = m[i][i];
      if (!(pivot > 0 && pivot > SMALL_PIVOT * matrix[i][i]))
        return FALSE;
      for (guint k = 0; k < n; k++)
        {
          m[i][k] /= pivot;
          inverse[i][k] /= pivot;
        }
      for (guint j = 0; j < n; j++)
        {
          const double part = m[j][i];
          for (guint k = 0; k < n && j != i; k++)
            {
              m[j][k] -= part * m[i][k];
              inverse[j][k] -= part * inverse[i][k];
            }
        }
    }
  return TRUE;
}

/* @step: (out): the solution of the equations with matrix @m. %FALSE if there
 * is none. */
static gboolean
solve (const double m[N_PARAMS][N_PARAMS], const double jr[N_PARAMS], guint n,
       double step[N_PARAMS])
{
  double inverse[N_PARAMS][N_PARAMS];
  if (!invert (m, n, inverse))
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      step[i] = 0;
      for (guint k = 0; k < n; k++)
        step[i] += inverse[i][k] * jr[k];
    }
  return TRUE;
}

/* Adds a tile to the equations, with an offset of its own. */
static void
add_tile (const Fitting *f, const Tile *tile, Equations *e)
{
  if (!(tile->w > 0))
    return;
  for (guint i = 0; i < f->n_params; i++)
    {
      e->jr[i] += tile->jr[i] - tile->j[i] * tile->r / tile->w;
      for (guint l = 0; l < f->n_params; l++)
        {
          e->jj[i][l] += tile->jj[i][l] - tile->j[i] * tile->j[l] / tile->w;
          e->jk[i][l] +=
              0.5
              * (tile->jk[i][l] + tile->jk[l][i]
                 - (tile->j[i] * tile->k[l] + tile->j[l] * tile->k[i])
                       / tile->w);
        }
    }
}

static guint
add_tiles (const Fitting *f, Equations *e)
{
  guint n_tiles = 0;
  *e = (Equations){ 0 };
  for (size_t t = 0; t < N_TILES; t++)
    {
      add_tile (f, &f->tiles[t], e);
      n_tiles += f->tiles[t].w > 0;
    }
  return n_tiles;
}

/* Leaves out @n tiles from @first on, @pitch apart, and adds to @squares how
 * far each parameter moves then. %FALSE if these tiles are empty. */
static gboolean
leave_out (const Fitting *f, const Equations *all, const double step[N_PARAMS],
           size_t first, size_t n, size_t pitch, double squares[N_PARAMS])
{
  Equations out = { 0 }, rest = *all;
  double moved[N_PARAMS];
  gboolean is_any = FALSE;
  for (size_t k = 0; k < n; k++)
    {
      const Tile *tile = &f->tiles[first + k * pitch];
      add_tile (f, tile, &out);
      is_any |= tile->w > 0;
    }
  for (guint i = 0; i < f->n_params; i++)
    {
      rest.jr[i] -= out.jr[i];
      for (guint l = 0; l < f->n_params; l++)
        rest.jk[i][l] -= LEFT_OUT * out.jk[i][l];
    }
  if (is_any
      && (solve (rest.jk, rest.jr, f->n_params, moved)
          || solve (all->jk, rest.jr, f->n_params, moved)
          || solve (all->jj, rest.jr, f->n_params, moved)))
    for (guint i = 0; i < f->n_params; i++)
      squares[i] += (moved[i] - step[i]) * (moved[i] - step[i]);
  return is_any;
}

/* Estimates the variances by the jackknife: leaves out each of @n_blocks blocks
 * of tiles in turn; tiles of a block are @pitch apart. */
static void
find_variances (const Fitting *f, const Equations *all,
                const double step[N_PARAMS], size_t n_blocks, size_t n,
                size_t pitch, double variances[N_PARAMS])
{
  double n_full = 0;
  memset (variances, 0, sizeof (double[N_PARAMS]));
  for (size_t k = 0; k < n_blocks; k++)
    n_full +=
        leave_out (f, all, step, pitch > 1 ? k : k * n, n, pitch, variances);
  for (guint i = 0; i < f->n_params && n_full > 0; i++)
    variances[i] *= (n_full - 1) / n_full;
}

/* An edge runs through the tiles of a row or column and has the same error in
 * all of them. So rows, columns and single tiles are left out in turn, and the
 * part common to rows and columns is counted once (Cameron, Gelbach and Miller,
 * Robust inference with multiway clustering, J. Bus. Econ. Stat. 29 (2011)
 * 238). */
static void
find_uncertainty (const Fitting *f, const Equations *all,
                  const double step[N_PARAMS], TlMirror *uncertainty)
{
  double tiles[N_PARAMS], rows[N_PARAMS], cols[N_PARAMS];
  double own[N_PARAMS] = { 0 };
  find_variances (f, all, step, N_TILES, 1, 1, tiles);
  find_variances (f, all, step, TILES, TILES, 1, rows);
  find_variances (f, all, step, TILES, TILES, TILES, cols);
  for (guint i = 0; i < f->n_params; i++)
    own[i] = CAUTION
             * sqrt (fmax (fmax (rows[i], cols[i]),
                           fmax (tiles[i], rows[i] + cols[i] - tiles[i])));
  uncertainty->centre_col = hypot (own[0], COMMON_COL);
  if (f->n_params == 1)
    return;
  uncertainty->tilt_deg =
      hypot (own[1], M_SQRT2 * COMMON_COL / (double)f->n_rows * 180 / G_PI);
  uncertainty->rows = hypot (own[2], 2 * COMMON_COL);
}

gboolean
tl_fit_refine (const TlLevel *level, size_t n_rows, gboolean has_roll,
               GCancellable *cancellable, TlFit *fit, GError **error)
{
  g_autofree Fitting *f = g_new0 (Fitting, 1);
  const double col_pitch = (double)level->col_pitch;
  const double row_pitch = (double)level->row_pitch;
  double step[N_PARAMS] = { 0 };
  Equations e;
  f->level = level;
  f->n_rows = n_rows;
  f->n_params = has_roll ? N_PARAMS : 1;
  f->gain = 1;
  for (guint pass = 0; pass < MAX_STEPS; pass++)
    {
      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      add_all (f, &fit->mirror);
      const guint n_tiles = add_tiles (f, &e);
      fit->likeness = compare (f);
      fit->n_pixels = f->n_pixels;
      if (n_tiles <= f->n_params + 1 || isnan (fit->likeness)
          || (!solve (e.jk, e.jr, f->n_params, step)
              && !solve (e.jj, e.jr, f->n_params, step)))
        {
          fit->likeness = NAN;
          return TRUE;
        }
      fit->mirror.centre_col += CLAMP (step[0], -2 * col_pitch, 2 * col_pitch);
      fit->mirror.tilt_deg += CLAMP (step[1], -1, 1);
      fit->mirror.rows += CLAMP (step[2], -2 * row_pitch, 2 * row_pitch);
      if (pass > 1 && fabs (step[0]) < SMALL_COL * col_pitch
          && fabs (step[2]) < SMALL_COL * row_pitch
          && fabs (step[1]) < SMALL_COL)
        break;
    }
  find_uncertainty (f, &e, step, &fit->uncertainty);
  return TRUE;
}
