#include "app/scan/scan-files.h"

#include "data/error.h"

#include <glib/gi18n.h>
#include <string.h>

struct _TlScanFiles
{
  GObject parent;
  char *path;         /* (nullable) */
  GPtrArray *groups;  /* (nullable): of TlImageGroup, as they are listed */
  GPtrArray *owner;   /* (nullable): those of the summary, which has them */
  TlFrameKind *kinds; /* [groups->len] */
  char *patterns[TL_N_FRAME_KINDS]; /* the present parameters */
  char *angles, *example;
  char *listed_angles;  /* what @angles was */
  char *present_angles; /* (nullable): the folder could not be opened */
  GListStore *offers;
  GCancellable *cancellable; /* (nullable): of the thread that looks */
};

/* The parameters, by TlFrameKind. */
static const char *const keys[] = { "projections", "flats", "darks" };

G_DEFINE_FINAL_TYPE (TlScanFiles, tl_scan_files, G_TYPE_OBJECT)

static const TlImageGroup *
get_group (TlScanFiles *self, guint index)
{
  return self->groups->pdata[index];
}

/* --- the list --- */

static void
forget (TlScanFiles *self)
{
  tl_scan_files_cancel (self);
  g_list_store_remove_all (self->offers);
  g_clear_pointer (&self->path, g_free);
  g_clear_pointer (&self->kinds, g_free);
  g_clear_pointer (&self->groups, g_ptr_array_unref);
  g_clear_pointer (&self->owner, g_ptr_array_unref);
  g_clear_pointer (&self->angles, g_free);
  g_clear_pointer (&self->listed_angles, g_free);
  g_clear_pointer (&self->present_angles, g_free);
  g_clear_pointer (&self->example, g_free);
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    g_clear_pointer (&self->patterns[kind], g_free);
}

static void
add_offer (TlScanFiles *self, const TlImageGroup *group)
{
  g_autofree char *pattern = g_filename_display_name (group->pattern);
  g_autofree char *text =
      group->n_rows > 0 ? g_strdup_printf (
          /* translators: a number, columns, rows */
          g_dngettext (NULL, "%zu image of %zu × %zu pixels",
                       "%zu images of %zu × %zu pixels",
                       (gulong)group->n_images),
          group->n_images, group->n_cols, group->n_rows)
      : group->is_unreadable
          ? g_strdup_printf (g_dngettext (NULL, "%zu image that cannot be read",
                                          "%zu images that cannot be read",
                                          (gulong)group->n_images),
                             group->n_images)
          : g_strdup_printf (g_dngettext (NULL, "%zu image", "%zu images",
                                          (gulong)group->n_images),
                             group->n_images);
  g_autoptr (TlScanOffer) offer = tl_scan_offer_new_images (
      group->paths->pdata[group->paths->len / 2], pattern, text);
  g_list_store_append (self->offers, offer);
}

/* @places: the places of the patterns that are listed, as negative numbers; a
 * pattern that is new has 0 and comes last */
static int
compare_places (gconstpointer a, gconstpointer b, gpointer places)
{
  const TlImageGroup *x = *(TlImageGroup *const *)a;
  const TlImageGroup *y = *(TlImageGroup *const *)b;
  return GPOINTER_TO_INT (g_hash_table_lookup (places, x->pattern))
         - GPOINTER_TO_INT (g_hash_table_lookup (places, y->pattern));
}

/* Returns: (transfer container): @groups of the folder @path; where it is
 * listed already, they keep their places, so that the next click does not
 * change another group */
static GPtrArray *
arrange (TlScanFiles *self, const char *path, GPtrArray *groups)
{
  GPtrArray *arranged = g_ptr_array_new ();
  g_autoptr (GHashTable) places = g_hash_table_new (g_str_hash, g_str_equal);
  g_ptr_array_extend (arranged, groups, NULL, NULL);
  if (g_strcmp0 (path, self->path) != 0)
    return arranged;
  for (guint i = 0; i < self->groups->len; i++)
    g_hash_table_insert (places, get_group (self, i)->pattern,
                         GINT_TO_POINTER ((int)i - (int)self->groups->len));
  g_ptr_array_sort_with_data (arranged, compare_places, places);
  return arranged;
}

static void
list (TlScanFiles *self, const char *path, GPtrArray *groups,
      const TlRecipe *recipe)
{
  GPtrArray *arranged = arrange (self, path, groups);
  forget (self);
  self->path = g_strdup (path);
  self->groups = arranged;
  self->owner = g_ptr_array_ref (groups);
  self->kinds = g_new (TlFrameKind, self->groups->len);
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    self->patterns[kind] = tl_recipe_get (recipe, keys[kind]);
  self->angles = tl_recipe_get (recipe, "angles");
  self->listed_angles = g_strdup (self->angles);
  for (guint i = 0; i < self->groups->len; i++)
    {
      self->kinds[i] = get_group (self, i)->kind;
      add_offer (self, get_group (self, i));
    }
  self->cancellable = g_cancellable_new ();
  tl_scan_offers_look (G_LIST_MODEL (self->offers), self->cancellable);
}

void
tl_scan_files_list (TlScanFiles *self, const TlScanSummary *scan,
                    const TlRecipe *recipe)
{
  g_return_if_fail (TL_IS_SCAN_FILES (self));
  g_return_if_fail (scan->groups != NULL);
  list (self, scan->path, scan->groups, recipe);
  self->example = tl_scan_summary_dup_example (scan);
  self->present_angles = g_strdup_printf (
      _ ("At present: %g … %g degrees (%s)"), scan->ends_deg[0],
      scan->ends_deg[1], scan->angles_source);
}

void
tl_scan_files_list_refused (TlScanFiles *self, const char *path,
                            GPtrArray *groups, const TlRecipe *recipe)
{
  g_return_if_fail (TL_IS_SCAN_FILES (self));
  list (self, path, groups, recipe);
  self->example = g_strdup ("0:180");
}

void
tl_scan_files_cancel (TlScanFiles *self)
{
  if (self->cancellable != NULL)
    g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
}

const char *
tl_scan_files_get_path (TlScanFiles *self)
{
  return self->path;
}

gboolean
tl_scan_files_is_refused (TlScanFiles *self)
{
  return self->path != NULL && self->present_angles == NULL;
}

GListModel *
tl_scan_files_get_offers (TlScanFiles *self)
{
  return G_LIST_MODEL (self->offers);
}

/* --- what the user says --- */

TlFrameKind
tl_scan_files_get_kind (TlScanFiles *self, guint index)
{
  g_return_val_if_fail (self->groups != NULL && index < self->groups->len,
                        TL_FRAMES_LEFT_OUT);
  return self->kinds[index];
}

void
tl_scan_files_set_kind (TlScanFiles *self, guint index, TlFrameKind kind)
{
  g_return_if_fail (self->groups != NULL && index < self->groups->len);
  self->kinds[index] = kind;
}

const char *
tl_scan_files_get_angles (TlScanFiles *self)
{
  return self->angles;
}

void
tl_scan_files_set_angles (TlScanFiles *self, const char *angles)
{
  g_autofree char *kept = g_strdup (angles);
  g_free (self->angles);
  self->angles = g_steal_pointer (&kept);
}

char *
tl_scan_files_dup_present_angles (TlScanFiles *self)
{
  return g_strdup (self->present_angles);
}

char *
tl_scan_files_dup_example (TlScanFiles *self)
{
  return g_strdup (self->example);
}

/* Returns: (transfer full): the value of the parameter for frames of @kind */
static char *
make_pattern (TlScanFiles *self, TlFrameKind kind)
{
  g_autoptr (GString) pattern = g_string_new (NULL);
  gboolean is_changed = FALSE;
  for (guint i = 0; i < self->groups->len; i++)
    {
      const TlImageGroup *group = get_group (self, i);
      is_changed |= (group->kind == kind) != (self->kinds[i] == kind);
      if (self->kinds[i] == kind)
        g_string_append_printf (pattern, "%s%s", pattern->len > 0 ? ";" : "",
                                group->pattern);
    }
  if (!is_changed && !tl_scan_files_is_refused (self))
    return g_strdup (self->patterns[kind]);
  return g_strdup (pattern->len > 0 ? pattern->str : "none");
}

static gboolean
has_projections (TlScanFiles *self)
{
  for (guint i = 0; i < self->groups->len; i++)
    if (self->kinds[i] == TL_FRAMES_PROJECTIONS)
      return TRUE;
  return FALSE;
}

gboolean
tl_scan_files_is_changed (TlScanFiles *self)
{
  for (guint i = 0; self->groups != NULL && i < self->groups->len; i++)
    if (get_group (self, i)->kind != self->kinds[i])
      return TRUE;
  return tl_scan_files_is_refused (self)
         || strcmp (self->angles, self->listed_angles) != 0;
}

GVariant *
tl_scan_files_make_places (TlScanFiles *self, GError **error)
{
  g_return_val_if_fail (self->groups != NULL, NULL);
  GVariantBuilder places;
  if (!has_projections (self))
    return tl_fail_null (error, TL_ERROR_VALUE,
                         _ ("No group is the projections; choose which one"));
  g_variant_builder_init (&places, G_VARIANT_TYPE ("a{ss}"));
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    {
      g_autofree char *pattern = make_pattern (self, kind);
      if (*pattern != '\0')
        g_variant_builder_add (&places, "{ss}", keys[kind], pattern);
    }
  return g_variant_builder_end (&places);
}

/* --- the object --- */

static void
tl_scan_files_finalize (GObject *object)
{
  TlScanFiles *self = TL_SCAN_FILES (object);
  forget (self);
  g_object_unref (self->offers);
  G_OBJECT_CLASS (tl_scan_files_parent_class)->finalize (object);
}

static void
tl_scan_files_class_init (TlScanFilesClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = tl_scan_files_finalize;
}

static void
tl_scan_files_init (TlScanFiles *self)
{
  self->offers = g_list_store_new (TL_TYPE_SCAN_OFFER);
}

TlScanFiles *
tl_scan_files_new (void)
{
  return g_object_new (TL_TYPE_SCAN_FILES, NULL);
}
