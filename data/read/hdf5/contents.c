#include "data/read/hdf5/contents-private.h"

#include "data/read/hdf5/layouts-private.h"
#include "data/read/hdf5/open-private.h"
#include "data/read/hdf5/paths-private.h"
#include "data/read/hdf5/scan-private.h"

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
add_dataset (TlHdf5Id object, const char *path, GPtrArray *datasets)
{
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

/* Each object once, by its shortest path, so that a circle of links ends. */
GPtrArray *
tl_hdf5_list_datasets (TlHdf5Id file)
{
  GPtrArray *datasets =
      g_ptr_array_new_with_free_func ((GDestroyNotify)tl_dataset_free);
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
            add_dataset (object, path, datasets);
        }
    }
  H5Eclear2 (H5E_DEFAULT);
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

GStrv
tl_hdf5_contents_list_scans (const char *file, GError **error)
{
  g_auto (TlHdf5Turn) turn G_GNUC_UNUSED = tl_hdf5_enter ();
  g_auto (TlHdf5Id) id = open_file (file, error);
  g_autofree char *problem = NULL;
  if (id < 0)
    return NULL;
  g_autoptr (GPtrArray) layouts = tl_hdf5_layouts_load (&problem);
  g_autoptr (GPtrArray) scans = tl_hdf5_layouts_find (layouts, id, NULL);
  g_autoptr (GStrvBuilder) groups = g_strv_builder_new ();
  for (guint i = 0; i < scans->len; i++)
    g_strv_builder_add (groups, ((TlHdf5Found *)scans->pdata[i])->entry);
  return g_strv_builder_end (groups);
}
