/* Which scans lie in a folder that is none itself. */
#include "data/read/tiff/tiff-private.h"

#include "data/error.h"

#include <glib/gi18n.h>
#include <string.h>

enum
{
  MAX_NAMES = 20, /* that a message lists */
  MAX_DEPTH = 2   /* folders below a sub-folder that are looked into */
};

/* Returns: something in it could be opened. */
static gboolean
holds_scan (const TlListing *listing, guint depth)
{
  if (listing->files[TL_FRAMES_PROJECTIONS]->len > 0 || listing->hdf5->len > 0)
    return TRUE;
  for (guint i = 0; depth > 0 && i < listing->folders->len; i++)
    {
      const char *path = listing->folders->pdata[i];
      if (tl_name_get_kind (path) != TL_FRAMES_PROJECTIONS)
        continue;
      g_autoptr (TlListing) below = tl_listing_new (path, NULL);
      if (below != NULL && !tl_listing_is_reconstruction (below)
          && holds_scan (below, depth - 1))
        return TRUE;
    }
  return FALSE;
}

static gboolean
has_field_folders (const TlListing *top)
{
  for (guint i = 0; i < top->folders->len; i++)
    if (tl_name_get_kind (top->folders->pdata[i]) != TL_FRAMES_PROJECTIONS)
      return TRUE;
  return FALSE;
}

static gboolean
refuse_several (const TlListing *top, GPtrArray *scans, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);
  for (guint i = 0; i < scans->len && i < MAX_NAMES; i++)
    {
      g_autofree char *name = tl_path_dup_name (scans->pdata[i]);
      g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", name);
    }
  g_autofree char *name = tl_path_dup_name (top->path);
  g_set_error (error, TL_ERROR, TL_ERROR_FORMAT,
               _ ("%s: holds several scans: %s%s; name one of them"), name,
               names->str, scans->len > MAX_NAMES ? " …" : "");
  return FALSE;
}

gboolean
tl_tiff_find_scan_within (const TlListing *top, GPtrArray *children,
                          char **within, GError **error)
{
  g_autoptr (GPtrArray) scans = g_ptr_array_new_with_free_func (g_free);
  gboolean has_images = FALSE;
  /* beside flats, darks and projections it is a note about these */
  const gboolean has_fields = has_field_folders (top);
  if (!has_fields)
    tl_paths_append (scans, top->hdf5);
  for (guint i = 0; i < children->len; i++)
    {
      const TlListing *child = children->pdata[i];
      if (!holds_scan (child, MAX_DEPTH))
        continue;
      g_ptr_array_add (scans, g_strdup (child->path));
      has_images |= child->files[TL_FRAMES_PROJECTIONS]->len > 0;
    }
  if (scans->len > 1)
    return refuse_several (top, scans, error);
  /* images in a sub-folder are the folder's own */
  if (scans->len == 1 && !has_images && !has_fields)
    *within = g_strdup (scans->pdata[0]);
  return TRUE;
}
