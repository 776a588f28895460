#include "gpu/choice/choice.h"

#include "data/error.h"
#include "gpu/stages/fourier.h"

#include <glib/gi18n.h>
#include <math.h>

/* Returns: whether passes of @n slices suit @n_slices better than passes of
 * @best slices. */
static gboolean
fits_better (guint n, guint best, size_t n_slices)
{
  if (best == 0)
    return TRUE;
  if (best <= n_slices)
    return n <= n_slices && n > best;
  return n < best;
}

static gboolean
is_wanted (const TlChooser *chooser, const TlParams *params,
           const TlVariant *variant)
{
  const gboolean is_named = params->kernel != TL_KERNEL_AUTO;

  return tl_variant_does (variant, params->method, params->kernel,
                          params->interpolation, params->precision)
         && (is_named || chooser->max_slices == 0
             || variant->n_slices <= chooser->max_slices)
         && (is_named || !variant->is_fine || params->grid.pitch <= 1.0)
         && (chooser->failed == NULL
             || !g_hash_table_contains (chooser->failed, variant));
}

/* Returns: (nullable): the variant called @name, or the first suitable variant
 * if @name is %NULL */
static const TlVariant *
find_listed (const TlChooser *chooser, const TlParams *params, guint n_pass,
             const char *name)
{
  size_t n;
  const TlVariant *const *list = chooser->backend->list_variants (&n);

  for (size_t i = 0; i < n; i++)
    if (list[i]->n_slices == n_pass && is_wanted (chooser, params, list[i])
        && (name == NULL || g_str_equal (list[i]->name, name)))
      return list[i];
  return NULL;
}

/* Returns: the number of slices that one pass should take; 0 if no variant is
 * suitable. */
static guint
choose_pass (const TlChooser *chooser, const TlParams *params, size_t n_slices)
{
  size_t n;
  const TlVariant *const *list = chooser->backend->list_variants (&n);
  guint best = 0;

  for (size_t i = 0; i < n; i++)
    if (is_wanted (chooser, params, list[i])
        && fits_better (list[i]->n_slices, best, n_slices))
      best = list[i]->n_slices;
  return best;
}

/* A variant and its rate; the rate is 0 if it is not known. */
typedef struct
{
  const TlVariant *variant; /* %NULL if no variant is suitable */
  double gups, many_gups;   /* as in TlTuningRow */
  gboolean is_measured; /* on this machine, and not of the backend's table */
} Way;

/* Returns: the best variant for @n_slices on a grid of the size class of @grid.
 */
static Way
find_way (const TlChooser *chooser, const TlParams *params, size_t n_slices,
          const TlGrid *grid)
{
  const TlBackend *backend = chooser->backend;
  const TlTuning *tuning = chooser->tuning;
  const guint n_pass = choose_pass (chooser, params, n_slices);
  const TlVariant *first = find_listed (chooser, params, n_pass, NULL);
  /* The tables have rows for fast precision only if fast precision has variants
   * of its own. */
  const TlTuningCase asked = { params->kernel,
                               params->interpolation,
                               first != NULL ? first->precision
                                             : params->precision,
                               n_pass,
                               tl_tuning_get_class (grid->nx, grid->ny),
                               params->method == TL_METHOD_FOURIER };
  size_t n[2] = { 0 };
  const TlTuningRow *const tables[] = {
    tuning != NULL ? tl_tuning_get_rows (tuning, &n[0]) : NULL,
    backend->list_choices != NULL ? backend->list_choices (&n[1]) : NULL,
  };

  for (size_t i = 0; i < G_N_ELEMENTS (tables); i++)
    {
      const TlTuningRow *row = tl_tuning_find (tables[i], n[i], &asked);
      const TlVariant *named =
          row != NULL ? find_listed (chooser, params, n_pass, row->variant)
                      : NULL;

      if (named != NULL)
        return (Way){ named, row->gups, row->many_gups, i == 0 };
    }
  return (Way){ first };
}

/* Appends @word to a comma-separated list. */
static void
add_word (GString *text, const char *word)
{
  g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "", word);
}

/* Returns: (transfer full): the precisions in which @kernel has a variant for
 * @interpolation; for AUTO, those of all kernels. */
static char *
list_precisions (const TlVariant *const *list, size_t n, TlKernel kernel,
                 TlInterpolation interpolation)
{
  GString *text = g_string_new (NULL);

  for (guint precision = 0; precision < TL_N_PRECISIONS; precision++)
    for (size_t i = 0; i < n; i++)
      {
        if (!tl_variant_does (list[i], TL_METHOD_BACKPROJECTION, kernel,
                              interpolation, precision))
          continue;
        add_word (text, tl_precision_names[precision]);
        break;
      }
  return g_string_free (text, FALSE);
}

/* Sets the error: it names the missing combination, and as alternatives what
 * the kernel supports or which kernels exist. Returns: %FALSE */
static gboolean
explain_choice (const TlBackend *backend, const TlParams *params,
                GError **error)
{
  const char *kernel = tl_kernel_names[params->kernel];
  g_autoptr (GString) ways = g_string_new (NULL);
  g_autoptr (GString) kernels = g_string_new (NULL);
  const gboolean is_any = params->kernel == TL_KERNEL_AUTO;
  guint seen = 1u << TL_KERNEL_AUTO;
  size_t n;
  const TlVariant *const *list = backend->list_variants (&n);

  if (params->method == TL_METHOD_FOURIER)
    return tl_fail (error, TL_ERROR_UNSUPPORTED,
                    _ ("engine %s has no Fourier method; use "
                       "back-projection or the engine host"),
                    backend->name);
  for (size_t i = 0; i < n; i++)
    {
      if (list[i]->is_fourier)
        continue;
      if ((seen & 1u << list[i]->kernel) == 0)
        add_word (kernels, tl_kernel_names[list[i]->kernel]);
      seen |= 1u << list[i]->kernel;
    }
  if ((seen & 1u << params->kernel) == 0)
    return tl_fail (error, TL_ERROR_UNSUPPORTED,
                    _ ("engine %s has no %s kernel; it has %s"), backend->name,
                    kernel, kernels->str);
  for (guint way = 0; way < TL_N_INTERPOLATIONS; way++)
    {
      g_autofree char *precisions =
          list_precisions (list, n, params->kernel, way);
      g_autofree char *word =
          g_strdup_printf ("%s (%s)", tl_interpolation_names[way], precisions);

      if (precisions[0] != '\0')
        add_word (ways, word);
    }
  return tl_fail (error, TL_ERROR_UNSUPPORTED,
                  _ ("engine %s has no %s%skernel for %s interpolation in %s "
                     "precision; it has one for %s"),
                  backend->name, is_any ? "" : kernel, is_any ? "" : " ",
                  tl_interpolation_names[params->interpolation],
                  tl_precision_names[params->precision], ways->str);
}

/* --- folds --- */

/* The largest angular error of a partner projection, in columns at the end of
 * the row. The limits lie below the errors that full and fast precision have
 * anyway. */
#define TOLERANCE_FULL 1e-5
#define TOLERANCE_FAST 3e-4

/* Without a measurement: the largest number of rays per projection for which
 * four pixels at once are used. With more rays, two pixels at once are faster.
 */
#define MAX_RAYS 1.5

/* Uses a fold for @choice if angles and grid have the symmetry and if the fold
 * is faster than @best. @best is updated then. */
static gboolean
try_fold (const TlChooser *chooser, const TlParams *params, guint n_pixels,
          double *best_gups, TlChoice *choice, GError **error)
{
  const TlGrid *grid = &params->grid;
  /* Rounded to a power of two, so that a zoom does not compute another fold at
   * each step. */
  const double reach =
      exp2 (ceil (log2 ((double)MAX (grid->nx, grid->ny) / 2.0 * grid->pitch)));
  Way way = { chooser->forced };
  double gups;

  if (!tl_fold_fits (n_pixels, grid))
    return TRUE;
  if (way.variant == NULL)
    {
      const TlGrid part = tl_fold_grid (n_pixels, grid);

      way = find_way (chooser, params, n_pixels, &part);
    }
  if (way.variant == NULL || way.variant->n_slices != n_pixels)
    return TRUE;
  /* The precision of the variant counts: a forced variant may differ from the
   * precision in the parameters. */
  double tolerance = way.variant->precision == TL_PRECISION_FULL
                         ? TOLERANCE_FULL
                         : TOLERANCE_FAST;
  const TlFold *fold =
      tl_folds_get (chooser->folds, n_pixels, tolerance / reach, error);
  if (fold == NULL)
    return FALSE;

  gups = way.gups * (double)fold->n_projections / (double)fold->n_rays;
  if (chooser->forced != NULL
      || (*best_gups > 0.0 && gups > 0.0
              ? gups > *best_gups
              : choice->fold == NULL
                    && (double)fold->n_rays
                           <= MAX_RAYS * (double)fold->n_projections))
    {
      *choice = (TlChoice){ way.variant, fold, NULL };
      *best_gups = gups;
    }
  return TRUE;
}

/* Chooses the variant and fold of the method of @params, which is
 * back-projection unless the Fourier method is named.
 *
 * @way: (out caller-allocates): its rate is that with the fold */
static gboolean
choose_way (const TlChooser *chooser, const TlParams *params, size_t n_rows,
            Way *way, TlChoice *choice, GError **error)
{
  *way = (Way){ chooser->forced };
  if (way->variant == NULL)
    *way = find_way (chooser, params, n_rows, &params->grid);
  if (way->variant == NULL)
    return explain_choice (chooser->backend, params, error);
  *choice = (TlChoice){ way->variant, NULL, NULL };
  const gboolean may_fold =
      chooser->backend->folds && n_rows == 1 && !way->variant->is_fourier;
  for (guint n = 4; n > 1 && may_fold; n /= 2)
    if (!try_fold (chooser, params, n, &way->gups, choice, error))
      return FALSE;
  return TRUE;
}

/* --- the method --- */

/* Returns: the grid of @params with pixels no finer than columns: a region is
 * made by the same method at every magnification. */
static TlGrid
coarsen_to_columns (const TlParams *params)
{
  TlGrid grid = params->grid;
  const double cols = fmin (grid.pitch, 1.0);

  grid.nx = (size_t)ceil ((double)grid.nx * cols);
  grid.ny = (size_t)ceil ((double)grid.ny * cols);
  return grid;
}

/* Returns: the rate of @way, the Fourier method, for @n_projections of a whole
 * slice in the class @size. Time is interpolated linearly between the two
 * measured numbers of projections, and extrapolated above them; fewer take the
 * same time at most. */
static double
get_rate (const Way *way, guint size, double n_projections)
{
  const double n = (double)tl_tuning_get_n_projections (size);
  const double time = n / way->gups;
  /* for each projection more */
  const double more =
      size > n && way->many_gups > 0.0
          ? fmax (size / way->many_gups - time, 0.0) / (size - n)
          : 1.0 / way->gups;

  return n_projections / (time + more * fmax (n_projections - n, 0.0));
}

/* Returns: an estimate of the rate of the Fourier method on @grid, which errs
 * low. k times the columns take k times as long at most. A grid that is too
 * coarse for its frequencies is transformed as a finer one. */
static double
estimate_rate (const TlChooser *chooser, const TlParams *params,
               const TlGrid *grid, const Way *way)
{
  const double side = sqrt ((double)grid->nx * (double)grid->ny);
  const double finer = fmax (ceil (grid->pitch * params->band_limit), 1.0);

  return get_rate (way, tl_tuning_get_class (grid->nx, grid->ny),
                   (double)chooser->n_projections)
         / (finer * finer) * fmin (side / (double)chooser->n_cols, 1.0);
}

/* Rates are compared with those of the same table only.
 *
 * @best: of back-projection
 * @faster: (out caller-allocates): the Fourier method, if it is faster; else
 *   without a variant */
static gboolean
find_fourier (const TlChooser *chooser, const TlParams *params, size_t n_rows,
              Way best, Way *faster, GError **error)
{
  const TlGrid grid = coarsen_to_columns (params);
  TlChooser untuned = *chooser;
  TlParams own = *params;
  TlChoice unused;

  own.method = TL_METHOD_FOURIER;
  *faster = find_way (chooser, &own, n_rows, &grid);
  if (faster->is_measured != best.is_measured)
    {
      untuned.tuning = NULL;
      *faster = find_way (&untuned, &own, n_rows, &grid);
      if (!choose_way (&untuned, params, n_rows, &best, &unused, error))
        return FALSE;
    }
  if (best.gups <= 0.0 || faster->gups <= 0.0
      || estimate_rate (chooser, params, &grid, faster) <= best.gups)
    *faster = (Way){ NULL };
  return TRUE;
}

/* Uses the Fourier method for @choice if it is faster than @best. */
static gboolean
try_fourier (const TlChooser *chooser, const TlParams *params, size_t n_rows,
             const Way *best, TlChoice *choice, GError **error)
{
  Way way;

  if (!find_fourier (chooser, params, n_rows, *best, &way, error))
    return FALSE;
  if (way.variant == NULL)
    return TRUE;
  if (tl_fourier_check_reach (&params->grid, chooser->n_cols, chooser->axis_col,
                              NULL))
    *choice = (TlChoice){ way.variant, NULL, NULL };
  else
    choice->objection = _ ("the pixels reach too far from the axis");
  return TRUE;
}

gboolean
tl_choose (const TlChooser *chooser, const TlParams *params, size_t n_rows,
           TlChoice *choice, GError **error)
{
  Way way;

  return choose_way (chooser, params, n_rows, &way, choice, error)
         && (chooser->forced != NULL || params->method != TL_METHOD_AUTO
             || !tl_params_allow_fourier (params)
             || try_fourier (chooser, params, n_rows, &way, choice, error));
}

gboolean
tl_choose_transform (const TlBackend *backend, TlTransform wanted,
                     TlTransform *chosen, GError **error)
{
  for (const TlTransform *t = backend->transforms; *t != TL_TRANSFORM_AUTO; t++)
    if (wanted == TL_TRANSFORM_AUTO || wanted == *t)
      {
        *chosen = *t;
        return TRUE;
      }
  return tl_fail (error, TL_ERROR_UNSUPPORTED,
                  _ ("engine %s does not transform rows as \"%s\""),
                  backend->name, tl_transform_names[wanted]);
}
