#include "data/read/hdf5/contents-private.h"

#include "data/read/hdf5/layouts-private.h"
#include "data/read/hdf5/open-private.h"
#include "data/read/hdf5/paths-private.h"
#include "data/read/hdf5/scan-private.h"

#include <stdio.h>
#include <string.h>

/* Called by HDF5 before it follows an external link. Returns: negative if that
 * leads out of @folder */
static herr_t
refuse_outside (const char *from, const char *group, const char *target,
                const char *object, unsigned *flags, hid_t access, void *folder)
{
  g_autofree char *beside = g_path_get_dirname (from);
  g_autofree char *absolute = g_canonicalize_filename (beside, NULL);
  g_autofree char *other = g_canonicalize_filename (target, absolute);
  return tl_hdf5_is_below (other, folder)
                 && g_file_test (other, G_FILE_TEST_EXISTS)
             ? 0
             : -1;
}

static void
add_dataset (TlHdf5Id object, const char *path, gpointer data)
{
  GPtrArray *datasets = data;
  TlFrameSet set;
  const int n_dims = tl_hdf5_get_frames (object, &set);
  if (n_dims < 1)
    return;
  TlDataset *dataset = g_new (TlDataset, 1);
  *dataset = (TlDataset){ g_strdup (path),
                          (guint)n_dims,
                          { set.n_frames, set.n_rows, set.n_cols },
                          set.type };
  g_ptr_array_add (datasets, dataset);
}

/* Calls @add for each dataset once, by its shortest path, so that a circle of
 * links ends. */
static void
visit (TlHdf5Id file,
       void (*add) (TlHdf5Id object, const char *path, gpointer data),
       gpointer data)
{
  g_autoptr (GHashTable) seen =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GPtrArray) groups = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *name = tl_hdf5_dup_text (H5Fget_name, file);
  g_autofree char *parent = g_path_get_dirname (name);
  g_autofree char *folder = g_canonicalize_filename (parent, NULL);
  g_auto (TlHdf5Id) access = H5Pcreate (H5P_LINK_ACCESS);
  H5Pset_elink_cb (access, refuse_outside, folder);
  g_ptr_array_add (groups, g_strdup ("/"));
  for (guint k = 0; k < groups->len; k++)
    {
      const char *group = groups->pdata[k];
      g_autoptr (GPtrArray) links = tl_hdf5_list_links (file, group);
      for (guint i = 0; i < links->len; i++)
        {
          g_autofree char *path = tl_hdf5_join (group, links->pdata[i]);
          g_auto (TlHdf5Id) object = H5Oopen (file, path, access);
          if (object < 0
              || !g_hash_table_add (seen, tl_hdf5_dup_identity (object)))
            continue;
          if (H5Iget_type (object) == H5I_GROUP)
            g_ptr_array_add (groups, g_steal_pointer (&path));
          else
            add (object, path, data);
        }
    }
  H5Eclear2 (H5E_DEFAULT);
}

GPtrArray *
tl_hdf5_list_datasets (TlHdf5Id file)
{
  GPtrArray *datasets =
      g_ptr_array_new_with_free_func ((GDestroyNotify)tl_dataset_free);
  visit (file, add_dataset, datasets);
  tl_datasets_sort (datasets);
  return datasets;
}

/* Returns: (transfer full): after tl_hdf5_enter() */
static TlHdf5Id
open_file (const char *file, GError **error)
{
  g_autofree char *name = tl_path_dup_name (file);
  return tl_hdf5_open_file (file, name, error);
}

GPtrArray *
tl_hdf5_contents_list_datasets (const char *file, GError **error)
{
  g_auto (TlHdf5Turn) turn G_GNUC_UNUSED = tl_hdf5_enter ();
  g_auto (TlHdf5Id) id = open_file (file, error);
  return id < 0 ? NULL : tl_hdf5_list_datasets (id);
}

/* Adds the file @name, which is beside the file that names it or in the working
 * folder. Returns: whether there is such a file */
static gboolean
add_source (const char *folder, const char *name, GHashTable *sources)
{
  g_autofree char *beside = g_build_filename (folder, name, NULL);
  const char *path =
      g_path_is_absolute (name) || !g_file_test (beside, G_FILE_TEST_EXISTS)
          ? name
          : beside;
  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return FALSE;
  g_hash_table_add (sources, g_canonicalize_filename (path, NULL));
  return TRUE;
}

/* HDF5 replaces "%b" by 0, 1 and so on, as far as there are files. */
static void
add_virtual (const char *folder, const char *name, GHashTable *sources)
{
  const char *number = strstr (name, "%b");
  if (number == NULL && strcmp (name, ".") != 0)
    add_source (folder, name, sources);
  for (guint k = 0; number != NULL; k++)
    {
      g_autofree char *one = g_strdup_printf ("%.*s%u%s", (int)(number - name),
                                              name, k, number + strlen ("%b"));
      if (!add_source (folder, one, sources))
        return;
    }
}

/* Adds the files with the samples of a dataset. */
static void
add_sources (TlHdf5Id object, const char *path, gpointer sources)
{
  TlFrameSet set;
  if (tl_hdf5_get_frames (object, &set) < 1)
    return;
  g_auto (TlHdf5Id) plist = H5Dget_create_plist (object);
  g_autofree char *own = tl_hdf5_dup_text (H5Fget_name, object);
  g_autofree char *folder = g_path_get_dirname (own);
  const int n_external = H5Pget_external_count (plist);
  size_t n_virtual = 0;
  if (H5Pget_layout (plist) == H5D_VIRTUAL)
    H5Pget_virtual_count (plist, &n_virtual);
  g_hash_table_add (sources, g_canonicalize_filename (own, NULL));
  for (int k = 0; k < n_external; k++)
    {
      char name[FILENAME_MAX + 1] = "";
      if (H5Pget_external (plist, (unsigned)k, FILENAME_MAX, name, NULL, NULL)
          >= 0)
        add_source (folder, name, sources);
    }
  for (size_t k = 0; k < n_virtual; k++)
    {
      g_autofree char *name = tl_hdf5_dup_virtual_name (plist, k);
      add_virtual (folder, name, sources);
    }
}

GStrv
tl_hdf5_contents_list_sources (const char *file)
{
  g_auto (TlHdf5Turn) turn G_GNUC_UNUSED = tl_hdf5_enter ();
  g_auto (TlHdf5Id) id = open_file (file, NULL);
  g_autofree char *own = g_canonicalize_filename (file, NULL);
  g_autoptr (GHashTable) sources =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  if (id >= 0)
    visit (id, add_sources, sources);
  g_hash_table_remove (sources, own);
  g_autofree char **names =
      (char **)g_hash_table_get_keys_as_array (sources, NULL);
  return g_strdupv (names);
}

GStrv
tl_hdf5_contents_list_scans (const char *file, GError **error)
{
  g_auto (TlHdf5Turn) turn G_GNUC_UNUSED = tl_hdf5_enter ();
  g_auto (TlHdf5Id) id = open_file (file, error);
  g_autofree char *problem = NULL;
  if (id < 0)
    return NULL;
  g_autoptr (GPtrArray) layouts = tl_hdf5_layouts_load (&problem);
  g_autoptr (GPtrArray) scans = tl_hdf5_layouts_find (layouts, id, NULL, NULL);
  g_autoptr (GStrvBuilder) groups = g_strv_builder_new ();
  for (guint i = 0; i < scans->len; i++)
    g_strv_builder_add (groups, ((TlHdf5Found *)scans->pdata[i])->entry);
  return g_strv_builder_end (groups);
}
