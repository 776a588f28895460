#include "app/worker/plane-levels.h"

#include "app/resident/resident.h"

#include <string.h>

typedef struct
{
  gboolean is_compared;
  TlHeldCopy *copy;
  char *engine_name; /* as asked for */
  TlEngine *engine;
  TlRecon *recon;
} Level;

struct TlPlaneLevels
{
  GPtrArray *levels; /* of Level */
};

static void
level_free (gpointer data)
{
  Level *level = data;
  g_clear_pointer (&level->recon, tl_recon_free);
  g_clear_pointer (&level->engine, tl_engine_close);
  tl_held_copy_unref (level->copy);
  g_free (level->engine_name);
  g_free (level);
}

TlPlaneLevels *
tl_plane_levels_new (void)
{
  TlPlaneLevels *levels = g_new (TlPlaneLevels, 1);
  levels->levels = g_ptr_array_new_with_free_func (level_free);
  return levels;
}

void
tl_plane_levels_free (TlPlaneLevels *levels)
{
  if (levels == NULL)
    return;
  g_ptr_array_unref (levels->levels);
  g_free (levels);
}

void
tl_plane_levels_forget_compared (TlPlaneLevels *levels)
{
  for (guint k = levels->levels->len; k > 0; k--)
    if (((const Level *)levels->levels->pdata[k - 1])->is_compared)
      g_ptr_array_remove_index (levels->levels, k - 1);
}

size_t
tl_plane_levels_count_bytes (const TlPlaneLevels *levels)
{
  size_t n_bytes = 0;
  for (guint k = 0; k < levels->levels->len; k++)
    {
      const Level *level = levels->levels->pdata[k];
      TlEngineReport report;
      if (tl_engine_get_report (level->engine, &report, NULL))
        n_bytes += report.memory_bytes;
    }
  return n_bytes;
}

static gboolean
open_level (Level *level, GError **error)
{
  TlReader *reader;
  level->engine = tl_engine_open (level->engine_name, error);
  if (level->engine == NULL)
    return FALSE;
  reader = tl_held_copy_open (level->copy, error);
  if (reader == NULL)
    return FALSE;
  level->recon = tl_recon_new (reader, level->engine);
  return TRUE;
}

/* Returns: (transfer none): the level, opened when it is first used */
static Level *
find_level (TlPlaneLevels *levels, gboolean is_compared, TlHeldCopy *copy,
            const char *engine, GError **error)
{
  for (guint k = 0; k < levels->levels->len; k++)
    {
      Level *level = levels->levels->pdata[k];
      if (level->is_compared == is_compared && level->copy == copy
          && g_str_equal (level->engine_name, engine))
        return level;
    }
  Level *level = g_new0 (Level, 1);
  level->is_compared = is_compared;
  level->copy = tl_held_copy_ref (copy);
  level->engine_name = g_strdup (engine);
  if (!open_level (level, error))
    {
      level_free (level);
      return NULL;
    }
  g_ptr_array_add (levels->levels, level);
  return level;
}

/* Pixel k of a level is the mean of those from k n to k n + n - 1. Distances
 * from the axis only become smaller. */
static TlPlane
put_into_level (const TlPlane *plane, double n)
{
  TlPlane put = *plane;
  for (guint k = 0; k < 3; k++)
    {
      put.origin[k] /= n;
      put.u[k] /= n;
      put.v[k] /= n;
    }
  put.origin[2] = (plane->origin[2] - (n - 1) / 2) / n;
  return put;
}

/* Values are attenuation per pixel length. A pixel of the level is @n pixels of
 * the scan long, so the values are divided by @n. */
static gboolean
scale_values (TlEngine *engine, TlPlaneSet *set, double n, GError **error)
{
  for (TlPane pane = 0; pane < TL_N_PANES; pane++)
    {
      g_autoptr (TlFrame) frame = g_steal_pointer (&set->frames[pane]);
      if (frame == NULL)
        continue;
      set->frames[pane] =
          tl_engine_add (engine, frame, (float)(1 / n - 1), frame, error);
      if (set->frames[pane] == NULL)
        return FALSE;
    }
  return TRUE;
}

gboolean
tl_plane_levels_run (TlPlaneLevels *levels, gboolean is_compared,
                     TlHeldCopy *copy, guint bin, const char *engine,
                     const TlRecipe *recipe, const TlPlane *planes,
                     guint coarseness, GCancellable *cancellable,
                     TlPlaneSet *set, TlStats *stats, TlReconTimes *times,
                     TlEngineReport *report, GError **error)
{
  g_return_val_if_fail (levels != NULL && copy != NULL, FALSE);
  const double n = (double)bin / MAX (recipe->bin, 1);
  TlPlane put[TL_N_PANES];
  *set = (TlPlaneSet){ 0 };
  Level *level = find_level (levels, is_compared, copy, engine, error);
  if (level == NULL)
    return FALSE;
  const TlScanInfo *info =
      tl_reader_get_info (tl_recon_get_reader (level->recon));
  g_autoptr (TlRecipe) own = tl_resident_dup_recipe (recipe, bin, info, error);
  if (own == NULL)
    return FALSE;
  for (TlPane pane = 0; pane < TL_N_PANES; pane++)
    put[pane] = put_into_level (&planes[pane], n);
  if (!tl_plane_set_run (level->recon, own, put, coarseness, cancellable, set,
                         stats, times, error)
      || !scale_values (level->engine, set, n, error)
      || !tl_engine_get_report (level->engine, report, error))
    return FALSE;
  for (TlPane pane = 0; pane < TL_N_PANES; pane++)
    set->planes[pane] = tl_plane_coarse (&planes[pane], coarseness);
  set->bin = bin;
  TlFrame *first = tl_plane_set_get_first (set);
  return first == NULL
         || tl_engine_measure (level->engine, first, 0, stats, error);
}
