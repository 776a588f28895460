#include "app/recon/growing-slice.h"

struct TlGrowingSlice
{
  TlEngine *engine;
  char *recipe;           /* (nullable): of the slice, as text */
  TlGrid grid;            /* of the slice */
  TlHeldWeights *weights; /* (nullable) */
  TlFrame *frame;         /* (nullable) */
  size_t n_added;
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
  g_free (slice);
}

void
tl_growing_slice_keep (TlGrowingSlice *slice, const TlRecipe *recipe,
                       TlHeldWeights *weights, TlFrame *frame)
{
  g_return_if_fail (slice != NULL && weights != NULL && frame != NULL);
  TlFrame *kept = tl_frame_ref (frame);
  forget (slice);
  slice->recipe = tl_recipe_to_text (recipe, NULL);
  slice->grid = recipe->params.grid;
  slice->weights = tl_held_weights_ref (weights);
  slice->frame = kept;
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

/* Returns: (transfer full) (nullable): what @change adds to the slice; %NULL
 * without an error if other flats have come meanwhile */
static TlFrame *
run_change (TlGrowingSlice *slice, TlHeld *held, const TlHeldChange *change,
            const TlRecipe *recipe, TlReconTimes *times,
            GCancellable *cancellable, GError **error)
{
  TlReader *reader =
      tl_held_open_change (held, recipe->replace_nan, change, error);
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

size_t
tl_growing_slice_count_added (const TlGrowingSlice *slice)
{
  return slice->n_added;
}
