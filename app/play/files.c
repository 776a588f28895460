#include "app/play/files.h"

#include "data/read/format/contents.h"

/* @given: (nullable): where flats and so on are, "FILE:/path" or a path in the
 * scan; FILE is looked for as the reader does */
static void
add_given (GPtrArray *files, const char *given, const char *scan)
{
  g_autofree char *folder = g_path_get_dirname (scan);
  const char *const folders[] = { ".", folder };
  for (guint k = 0; given != NULL && k < G_N_ELEMENTS (folders); k++)
    {
      g_autofree char *inside = NULL;
      g_autofree char *file = tl_contents_split_in (folders[k], given, &inside);
      if (inside != NULL)
        g_ptr_array_add (files, g_steal_pointer (&file));
    }
}

/* @groups: (nullable): of TlImageGroup; @fields_only: without projections and
 * images that are not used */
static void
add_groups (GPtrArray *files, const GPtrArray *groups, gboolean fields_only)
{
  for (guint k = 0; groups != NULL && k < groups->len; k++)
    {
      const TlImageGroup *group = groups->pdata[k];
      if (fields_only && group->kind != TL_FRAMES_FLATS
          && group->kind != TL_FRAMES_DARKS)
        continue;
      for (guint i = 0; i < group->paths->len; i++)
        g_ptr_array_add (files, g_strdup (group->paths->pdata[i]));
    }
}

/* A file of images may have its flats and darks in files beside it; if only
 * the flats are named, it has no darks. */
static void
add_beside (GPtrArray *files, const TlScanInfo *info,
            const TlReaderOptions *options)
{
  const gboolean are_named = options->flats != NULL || options->darks != NULL;
  const char *other = are_named ? "none" : NULL;
  const TlReaderOptions fields = {
    .flats = options->flats != NULL ? options->flats : other,
    .darks = options->darks != NULL ? options->darks : other,
  };
  g_autofree char *folder = g_path_get_dirname (info->path);
  g_autoptr (GPtrArray) groups = tl_contents_list_groups (folder, &fields);
  add_groups (files, groups, TRUE);
}

GPtrArray *
tl_play_list_files (const TlScanInfo *info, const TlReaderOptions *options)
{
  const char *const given[] = { options->keys_path, options->angles_path,
                                options->flats_path, options->darks_path };
  GPtrArray *files = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (files, g_strdup (info->path));
  add_groups (files, info->groups, FALSE);
  for (guint k = 0; info->has_paths && k < G_N_ELEMENTS (given); k++)
    add_given (files, given[k], info->path);
  if (!info->has_paths && info->groups == NULL
      && info->n_flats + info->n_darks > 0)
    add_beside (files, info, options);
  return files;
}
