#include "app/worker/plane-comparer.h"

#include <string.h>

typedef struct
{
  TlPlaneSet set; /* in host memory; empty: nothing is kept */
  TlPlane asked[TL_N_PANES];
  guint coarseness;
  TlHeldCopy *level; /* (nullable): a reference */
  guint64 scan_serial, growth;
  char *recipe; /* (nullable): as text */
} Kept;

struct TlPlaneComparer
{
  Kept kept[2];   /* of a drag; of those that follow it */
  TlEngine *host; /* (nullable): opened for the first difference */
};

static void
forget (Kept *kept)
{
  tl_plane_set_clear (&kept->set);
  g_clear_pointer (&kept->level, tl_held_copy_unref);
  g_clear_pointer (&kept->recipe, g_free);
}

TlPlaneComparer *
tl_plane_comparer_new (void)
{
  return g_new0 (TlPlaneComparer, 1);
}

void
tl_plane_comparer_free (TlPlaneComparer *comparer)
{
  if (comparer == NULL)
    return;
  for (guint k = 0; k < G_N_ELEMENTS (comparer->kept); k++)
    forget (&comparer->kept[k]);
  g_clear_pointer (&comparer->host, tl_engine_close);
  g_free (comparer);
}

static Kept *
choose (TlPlaneComparer *comparer, const TlJob *job)
{
  return &comparer->kept[job->gives_way ? 1 : 0];
}

static gboolean
has_same_planes (const Kept *kept, const TlJob *job)
{
  gboolean same = kept->coarseness == job->coarseness;
  for (TlPane pane = 0; pane < TL_N_PANES; pane++)
    same =
        same && tl_plane_equal (&kept->asked[pane], &job->choice.planes[pane]);
  return same;
}

const TlPlaneSet *
tl_plane_comparer_find (TlPlaneComparer *comparer, const TlJob *job,
                        guint64 growth)
{
  g_return_val_if_fail (comparer != NULL && job->compared != NULL, NULL);
  const Kept *kept = choose (comparer, job);
  g_autofree char *recipe = tl_recipe_to_text (job->compared, NULL);
  return g_strcmp0 (kept->recipe, recipe) == 0 && kept->level == job->level
                 && kept->scan_serial == job->scan_serial
                 && kept->growth == growth && has_same_planes (kept, job)
             ? &kept->set
             : NULL;
}

gboolean
tl_plane_comparer_keep (TlPlaneComparer *comparer, const TlJob *job,
                        guint64 growth, const TlPlaneSet *set, GError **error)
{
  g_return_val_if_fail (comparer != NULL && job->compared != NULL, FALSE);
  Kept *kept = choose (comparer, job);
  forget (kept);
  if (!tl_plane_set_copy (set, &kept->set, error))
    return FALSE;
  memcpy (kept->asked, job->choice.planes, sizeof kept->asked);
  kept->coarseness = job->coarseness;
  kept->level = job->level != NULL ? tl_held_copy_ref (job->level) : NULL;
  kept->scan_serial = job->scan_serial;
  kept->growth = growth;
  kept->recipe = tl_recipe_to_text (job->compared, NULL);
  return TRUE;
}

/* The frames of the difference are in host memory, whatever the engine of the
 * planes is. */
gboolean
tl_plane_comparer_compare (TlPlaneComparer *comparer, const TlPlaneSet *set,
                           const TlPlaneSet *held, TlComparedPlanes *compared,
                           GError **error)
{
  g_return_val_if_fail (comparer != NULL, FALSE);
  *compared = (TlComparedPlanes){ .held = tl_plane_set_share (held) };
  if (!tl_plane_set_subtract (set, held, &compared->difference, error))
    return FALSE;
  TlFrame *first = tl_plane_set_get_first (&compared->difference);
  if (first == NULL)
    return TRUE;
  if (comparer->host == NULL)
    comparer->host = tl_engine_open ("host", error);
  return comparer->host != NULL
         && tl_engine_measure (comparer->host, first, 0, &compared->stats,
                               error);
}
