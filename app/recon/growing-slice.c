#include "app/recon/growing-slice.h"

#include "data/array.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* Slices are compared if the later one has so many times as many projections:
 * fewer new ones say little, and more of them come late. */
#define COMPARED_TIMES 1.25

struct TlGrowingSlice
{
  TlEngine *engine;
  char *recipe;           /* (nullable): of the slice, as text */
  TlGrid grid;            /* of the slice */
  TlHeldWeights *weights; /* (nullable) */
  TlFrame *frame;         /* (nullable) */
  size_t n_added;
  float *before;     /* (nullable): the pixels of an earlier slice */
  size_t n_compared; /* its projections */
};

TlGrowingSlice *
tl_growing_slice_new (TlEngine *engine)
{
  TlGrowingSlice *slice = g_new0 (TlGrowingSlice, 1);
  slice->engine = engine;
  return slice;
}

static void
forget (TlGrowingSlice *slice)
{
  g_clear_pointer (&slice->recipe, g_free);
  g_clear_pointer (&slice->weights, tl_held_weights_unref);
  g_clear_pointer (&slice->frame, tl_frame_unref);
}

void
tl_growing_slice_free (TlGrowingSlice *slice)
{
  if (slice == NULL)
    return;
  forget (slice);
  g_free (slice->before);
  g_free (slice);
}

static gboolean
is_of (const TlGrowingSlice *slice, const TlRecipe *recipe)
{
  const TlGrid *a = &slice->grid, *b = &recipe->params.grid;
  if (slice->frame == NULL || a->nx != b->nx || a->ny != b->ny || a->x0 != b->x0
      || a->y0 != b->y0 || a->pitch != b->pitch)
    return FALSE;
  g_autofree char *text = tl_recipe_to_text (recipe, NULL);
  return g_str_equal (text, slice->recipe);
}

void
tl_growing_slice_keep (TlGrowingSlice *slice, const TlRecipe *recipe,
                       TlHeldWeights *weights, TlFrame *frame)
{
  g_return_if_fail (slice != NULL && weights != NULL && frame != NULL);
  TlFrame *kept = tl_frame_ref (frame);
  if (!is_of (slice, recipe))
    g_clear_pointer (&slice->before, g_free);
  forget (slice);
  slice->recipe = tl_recipe_to_text (recipe, NULL);
  slice->grid = recipe->params.grid;
  slice->weights = tl_held_weights_ref (weights);
  slice->frame = kept;
}

/* Returns: (transfer full) (nullable): what @change adds to the slice; %NULL
 * without an error if other flats have come meanwhile */
static TlFrame *
run_change (TlGrowingSlice *slice, TlHeld *held, const TlHeldChange *change,
            const TlRecipe *recipe, TlReconTimes *times,
            GCancellable *cancellable, GError **error)
{
  TlReaderOptions options;
  tl_recipe_reader_options (recipe, &options);
  TlReader *reader = tl_held_open_change (held, &options, change, error);
  if (reader == NULL)
    return NULL;
  g_autoptr (TlRecon) recon = tl_recon_new (reader, slice->engine);
  TlFrame *frame =
      tl_recon_run (recon, recipe, recipe->slice, 1, cancellable, error);
  tl_recon_get_times (recon, times);
  return frame;
}

TlFrame *
tl_growing_slice_run (TlGrowingSlice *slice, TlHeld *held,
                      TlHeldWeights *weights, const TlRecipe *recipe,
                      TlReconTimes *times, GCancellable *cancellable,
                      GError **error)
{
  g_return_val_if_fail (slice != NULL && held != NULL && weights != NULL, NULL);
  const TlParams *params = &recipe->params;
  g_auto (TlHeldChange) change = { 0 };
  if (params->zingers || params->rings != TL_RINGS_OFF || !is_of (slice, recipe)
      || !tl_held_weights_compare (slice->weights, weights, params->half,
                                   &change))
    return NULL;
  g_autoptr (TlFrame) more =
      run_change (slice, held, &change, recipe, times, cancellable, error);
  if (more == NULL)
    return NULL;
  TlFrame *frame =
      tl_engine_add (slice->engine, slice->frame, change.factor, more, error);
  if (frame == NULL)
    return NULL;
  slice->n_added = change.n;
  tl_growing_slice_keep (slice, recipe, weights, frame);
  return frame;
}

/* Returns: (transfer full): @recipe with the method that can add projections
 * one by one: the Fourier method takes nearly as long for some as for all of
 * them.
 */
static TlRecipe *
dup_recipe (const TlRecipe *recipe)
{
  TlRecipe *copy = tl_recipe_dup (recipe);
  if (copy->params.method == TL_METHOD_AUTO)
    copy->params.method = TL_METHOD_BACKPROJECTION;
  return copy;
}

TlFrame *
tl_growing_slice_make (TlGrowingSlice *slice, TlRecon *recon, TlHeld *held,
                       TlHeldWeights *weights, const TlRecipe *asked,
                       TlReconTimes *times, GCancellable *cancellable,
                       GError **error)
{
  g_autoptr (TlRecipe) recipe = dup_recipe (asked);
  g_autoptr (GError) failure = NULL;
  TlFrame *frame = tl_growing_slice_run (slice, held, weights, recipe, times,
                                         cancellable, &failure);
  if (frame != NULL || failure != NULL)
    tl_recon_set_engine (recon, slice->engine); /* it has other rows */
  else
    {
      frame =
          tl_recon_run (recon, recipe, recipe->slice, 1, cancellable, &failure);
      tl_recon_get_times (recon, times);
      slice->n_added =
          tl_reader_get_info (tl_recon_get_reader (recon))->n_projections;
      if (frame != NULL)
        tl_growing_slice_keep (slice, recipe, weights, frame);
    }
  if (failure != NULL)
    g_propagate_error (error, g_steal_pointer (&failure));
  return frame;
}

/* Returns: the columns of @row, from the first one on, that are left out on
 * either side of the inscribed ellipse: not all projections see the corners */
static size_t
count_outside (size_t row, size_t n_rows, size_t n_cols)
{
  const double y = (2 * (double)row + 1) / (double)n_rows - 1;
  return (size_t)ceil ((1 - sqrt (1 - y * y)) * (double)n_cols / 2);
}

/* @before, @now: [@n_rows][@n_cols]. @more: 1/m - 1/n of their projections.
 * Returns: see tl_growing_slice_measure_change() */
static double
find_unit (const float *before, const float *now, size_t n_rows, size_t n_cols,
           double more)
{
  double n = 0, sum = 0, squares = 0, changes = 0;
  for (size_t row = 0; row < n_rows; row++)
    {
      const size_t n_out = count_outside (row, n_rows, n_cols);
      for (size_t k = row * n_cols + n_out; k + n_out < (row + 1) * n_cols; k++)
        {
          const double value = now[k], change = value - (double)before[k];
          n++;
          sum += value;
          squares += value * value;
          changes += change * change;
        }
    }
  const double variance = n > 0 ? squares - sum * (sum / n) : 0;
  return variance > 0 ? sqrt (changes / variance / more) : NAN;
}

gboolean
tl_growing_slice_measure_change (TlGrowingSlice *slice, size_t n_projections,
                                 double *unit, GError **error)
{
  g_return_val_if_fail (slice != NULL && slice->frame != NULL, FALSE);
  const size_t n_rows = tl_frame_get_n_rows (slice->frame);
  const size_t n_cols = tl_frame_get_n_cols (slice->frame);
  *unit = NAN;
  if (slice->before != NULL
      && (double)n_projections < COMPARED_TIMES * (double)slice->n_compared)
    return TRUE;
  if (!tl_frame_fetch (slice->frame, error))
    return FALSE;
  const float *pixels = tl_frame_get_pixels (slice->frame);
  if (slice->before != NULL)
    *unit =
        find_unit (slice->before, pixels, n_rows, n_cols,
                   1 / (double)slice->n_compared - 1 / (double)n_projections);
  else
    slice->before = tl_try_alloc (1, n_rows, n_cols, sizeof (float),
                                  _ ("the slice to compare with"), NULL);
  if (slice->before == NULL)
    return TRUE;
  memcpy (slice->before, pixels, n_rows * n_cols * sizeof (float));
  slice->n_compared = n_projections;
  return TRUE;
}

size_t
tl_growing_slice_count_added (const TlGrowingSlice *slice)
{
  return slice->n_added;
}
