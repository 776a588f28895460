/* Recipes as values, and what one means for a scan; keys.c has their
 * words. */
#include "app/recipe/recipe.h"

#include "data/error.h"
#include "data/read/format/contents.h"

#include <glib/gi18n.h>
#include <string.h>

TlRecipe *
tl_recipe_new (void)
{
  TlRecipe *recipe = g_new0 (TlRecipe, 1);
  tl_params_init (&recipe->params, 1);
  recipe->engine = g_strdup ("auto");
  recipe->bin = 1;
  tl_volume_camera_init (&recipe->camera);
  tl_volume_look_init (&recipe->look);
  return recipe;
}

/* Returns: the text of @key in @recipe; %NULL if the key has no text */
static char **
find_text (TlRecipe *recipe, const TlParamSpec *key)
{
  return key->type == TL_PARAMETER_TEXT || key->type == TL_PARAMETER_ENGINE
                 || key->type == TL_PARAMETER_FRAMES
             ? (char **)((char *)recipe + key->offset)
             : NULL;
}

TlRecipe *
tl_recipe_dup (const TlRecipe *recipe)
{
  TlRecipe *copy = g_new (TlRecipe, 1);
  size_t n;
  const TlParamSpec *keys = tl_recipe_list_keys (&n);
  *copy = *recipe;
  for (size_t k = 0; k < n; k++)
    {
      char **text = find_text (copy, &keys[k]);
      if (text != NULL)
        *text = g_strdup (*text);
    }
  return copy;
}

TlRecipe *
tl_recipe_dup_given (const TlRecipe *recipe)
{
  TlRecipe *copy = tl_recipe_dup (recipe);
  if (!copy->pixel_known)
    copy->params.phase.pixel_um = 0;
  return copy;
}

TlRecipe *
tl_recipe_dup_on_grid (const TlRecipe *recipe, const TlGrid *grid)
{
  TlRecipe *changed = tl_recipe_dup (recipe);
  changed->params.grid = *grid;
  changed->params.band_limit = 1 / MAX (grid->pitch, 1);
  return changed;
}

void
tl_recipe_free (TlRecipe *recipe)
{
  if (recipe == NULL)
    return;
  size_t n;
  const TlParamSpec *keys = tl_recipe_list_keys (&n);
  for (size_t k = 0; k < n; k++)
    {
      char **text = find_text (recipe, &keys[k]);
      if (text != NULL)
        g_free (*text);
    }
  g_free (recipe);
}

const char *const tl_recipe_place_keys[] = {
  "data-path",   "keys-path", "angles-path", "flats-path", "darks-path",
  "projections", "flats",     "darks",       "raw",        NULL
};

void
tl_recipe_copy_places (TlRecipe *recipe, const TlRecipe *from)
{
  for (const char *const *key = tl_recipe_place_keys; *key != NULL; key++)
    {
      g_autofree char *value = tl_recipe_get (from, *key);
      g_autofree char *before = tl_recipe_get (recipe, *key);
      if (strcmp (value, before) == 0)
        continue;
      tl_recipe_set (recipe, *key, value, NULL);
      recipe->flat_field_known = recipe->minus_log_known = FALSE;
    }
}

char *
tl_recipe_take_scan (TlRecipe *recipe, const char *name)
{
  g_autofree char *inside = NULL;
  char *file = tl_contents_split (name, &inside);
  if (inside != NULL)
    tl_recipe_set (recipe, "data-path", inside, NULL);
  return file;
}

void
tl_recipe_reader_options (const TlRecipe *recipe, TlReaderOptions *options)
{
  *options = (TlReaderOptions){
    .projections = recipe->projections,
    .flats = recipe->flats,
    .darks = recipe->darks,
    .data_path = recipe->data_path,
    .keys_path = recipe->keys_path,
    .angles_path = recipe->angles_path,
    .flats_path = recipe->flats_path,
    .darks_path = recipe->darks_path,
    .raw = recipe->raw,
    .angles_file = recipe->angles_file,
    .has_angles = recipe->has_angles,
    .angles_deg = { recipe->angles_deg[0], recipe->angles_deg[1] },
    .leave_out = recipe->leave_out,
    .bin = recipe->bin,
    .replace_nan = recipe->replace_nan,
  };
}

double
tl_bin_convert_col (double col, guint from, guint to)
{
  /* pixel k of a bin of n is its middle: n k + (n - 1) / 2 of single pixels */
  return from != to ? (col * from + 0.5 * from - 0.5 * to) / to : col;
}

void
tl_recipe_convert_bin (TlRecipe *recipe, guint from)
{
  const double ratio = (double)recipe->bin / from;
  TlParams *params = &recipe->params;
  params->centre_col =
      tl_bin_convert_col (params->centre_col, from, recipe->bin);
  params->feather_cols /= ratio;
  recipe->slice = recipe->slice * from / recipe->bin;
  params->phase.pixel_um *= ratio;
}

gboolean
tl_recipe_set_bin (TlRecipe *recipe, guint bin, GError **error)
{
  const guint from = recipe->bin;
  if (!tl_recipe_set_number (recipe, tl_recipe_find_key ("bin", NULL), bin,
                             error))
    return FALSE;
  tl_recipe_convert_bin (recipe, from);
  return TRUE;
}

gboolean
tl_recipe_needs_flats (const TlRecipe *recipe)
{
  return recipe->params.flat_field || !recipe->flat_field_known;
}

gboolean
tl_recipe_takes_half (const TlRecipe *recipe, const TlScanInfo *info,
                      double centre_col)
{
  if (recipe->half_known)
    return recipe->params.half;
  return info->covers_turn && tl_half_suits (centre_col, info->n_cols);
}

gboolean
tl_recipe_resolve (TlRecipe *recipe, const TlScanInfo *info, GError **error)
{
  TlParams params = recipe->params;
  g_autofree char *name = g_filename_display_basename (info->path);
  const size_t slice =
      recipe->slice_known ? recipe->slice : (info->n_rows - 1) / 2;
  if (slice >= info->n_rows)
    return tl_fail (error, TL_ERROR_VALUE,
                    _ ("%s: there is no slice %zu; the rows are 0 to %zu"),
                    name, slice, info->n_rows - 1);
  if (!recipe->flat_field_known)
    params.flat_field = info->n_flats > 0;
  if (params.flat_field && info->n_flats == 0)
    return tl_fail (error, TL_ERROR_VALUE,
                    _ ("%s: flat-field correction is switched on, but the scan "
                       "has no flat fields"),
                    name);
  if (!recipe->minus_log_known)
    params.minus_log = !info->is_attenuation;
  if (!recipe->centre_known)
    params.centre_col = ((double)info->n_cols - 1) / 2;
  params.half = tl_recipe_takes_half (recipe, info, params.centre_col);
  if (params.half && !info->covers_turn)
    return tl_fail (
        error, TL_ERROR_VALUE,
        _ ("%s: half acquisition needs projections over a full turn, "
           "and these do not go all around"),
        name);
  if (!recipe->pixel_known)
    params.phase.pixel_um = info->pixel_size_um;
  params.grid = tl_grid_full (
      tl_half_span (params.half, params.centre_col, info->n_cols).n_cols);
  if (!tl_params_check (&params, info->n_cols, error))
    {
      g_prefix_error (error, "%s: ", name);
      return FALSE;
    }
  recipe->params = params;
  recipe->slice = slice;
  recipe->slice_known = recipe->centre_known = TRUE;
  recipe->flat_field_known = recipe->minus_log_known = TRUE;
  return TRUE;
}

/* Resets the first parameter whose default makes the error @misfit disappear.
 * Returns: %FALSE if there is none */
static gboolean
drop_misfit (TlRecipe *recipe, const TlScanInfo *info, const GError *misfit)
{
  g_autoptr (TlRecipe) defaults = tl_recipe_new ();
  size_t n;
  const TlParamSpec *keys = tl_recipe_list_keys (&n);
  for (size_t k = 0; k < n; k++)
    {
      if (keys[k].is_alias || keys[k].reopens)
        continue;
      g_autofree char *value = tl_recipe_get (defaults, keys[k].key);
      g_autoptr (TlRecipe) changed = tl_recipe_dup (recipe);
      g_autoptr (GError) error = NULL;
      if (tl_recipe_set (changed, keys[k].key, value, NULL)
          && (tl_recipe_resolve (changed, info, &error)
              || strcmp (error->message, misfit->message) != 0))
        return tl_recipe_set (recipe, keys[k].key, value, NULL);
    }
  return FALSE;
}

gboolean
tl_recipe_fit (TlRecipe *recipe, const TlScanInfo *info, char **misfits,
               GError **error)
{
  g_autoptr (GString) sentence = g_string_new (NULL);
  g_autoptr (GError) misfit = NULL;
  *misfits = NULL;
  while (!tl_recipe_resolve (recipe, info, &misfit))
    {
      if (!drop_misfit (recipe, info, misfit))
        {
          g_propagate_error (error, g_steal_pointer (&misfit));
          return FALSE;
        }
      g_string_append_printf (sentence, "%s%s", sentence->len > 0 ? "; " : "",
                              misfit->message);
      g_clear_error (&misfit);
    }
  if (sentence->len == 0)
    return TRUE;
  /* translators: what of a recipe the scan cannot follow */
  *misfits =
      g_strdup_printf (_ ("%s; the scan is open without this"), sentence->str);
  return TRUE;
}
