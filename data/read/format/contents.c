#include "data/read/format/contents.h"

#include "data/error.h"
#include "data/read/format/format.h"
#include "data/read/format/trial.h"

#include <glib/gi18n.h>
#include <string.h>

enum
{
  MAX_LISTED = 12
};

void
tl_dataset_free (TlDataset *dataset)
{
  g_free (dataset->path);
  g_free (dataset);
}

/* Larger ones first, and equal ones by their paths. */
static int
compare (gconstpointer a, gconstpointer b)
{
  const TlDataset *x = *(TlDataset *const *)a, *y = *(TlDataset *const *)b;
  const double difference =
      (double)y->dims[0] * (double)y->dims[1] * (double)y->dims[2]
      - (double)x->dims[0] * (double)x->dims[1] * (double)x->dims[2];
  return difference != 0 ? (difference > 0 ? 1 : -1)
                         : strcmp (x->path, y->path);
}

void
tl_datasets_sort (GPtrArray *datasets)
{
  g_ptr_array_sort (datasets, compare);
}

char *
tl_datasets_describe (const GPtrArray *datasets)
{
  g_autoptr (GString) text = g_string_new (NULL);
  guint n = 0;
  for (guint i = 0; i < datasets->len; i++)
    {
      const TlDataset *d = datasets->pdata[i];
      g_autofree char *shown = g_filename_display_name (d->path);
      if (d->n_dims == 3 && ++n <= MAX_LISTED)
        g_string_append_printf (
            text, "%s%s (%zu x %zu x %zu, %s)", n > 1 ? ", " : "", shown,
            d->dims[0], d->dims[1], d->dims[2], tl_sample_name (d->type));
    }
  if (n > MAX_LISTED)
    g_string_append_printf (text, _ (" and %u more"), n - MAX_LISTED);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

char *
tl_contents_split (const char *name, char **inside)
{
  *inside = NULL;
  /* the folder of a name that is clear may not answer */
  if (strstr (name, ":/") == NULL || g_file_test (name, G_FILE_TEST_EXISTS))
    return g_strdup (name);
  for (const char *colon = strstr (name, ":/"); colon != NULL;
       colon = strstr (colon + 1, ":/"))
    {
      g_autofree char *file = g_strndup (name, (size_t)(colon - name));
      if (!g_file_test (file, G_FILE_TEST_EXISTS))
        continue;
      *inside = g_strdup (colon + 1);
      return g_steal_pointer (&file);
    }
  return g_strdup (name);
}

char *
tl_contents_split_in (const char *folder, const char *name, char **inside)
{
  g_autofree char *path = g_path_is_absolute (name)
                              ? g_strdup (name)
                              : g_build_filename (folder, name, NULL);
  return tl_contents_split (path, inside);
}

/* Returns: (nullable): the format of @file, if it holds datasets */
static const TlReaderFormat *
find_format (const char *file, GError **error)
{
  static const TlReaderFormat *const formats[] = {
    &tl_hdf5_format,
#ifdef TL_HAVE_JSON
    &tl_zarr_format,
#endif
  };
  TlContainer container;
  if (!tl_container_sniff (file, &container, error))
    return NULL;
  for (size_t i = 0; i < G_N_ELEMENTS (formats); i++)
    if (formats[i]->container == container)
      return formats[i];
  g_autofree char *name = tl_path_dup_name (file);
  return tl_fail_null (error, TL_ERROR_FORMAT,
                       _ ("%s: is no HDF5 or Zarr file, which have datasets"),
                       name);
}

/* The same, for a file that will be opened. */
static const TlReaderFormat *
find_tried (const char *file, GError **error)
{
  const TlReaderFormat *format = find_format (file, error);
  return format == NULL || format->container != TL_CONTAINER_HDF5
                 || tl_trial_pass (file, NULL, error)
             ? format
             : NULL;
}

gboolean
tl_contents_can_list (const char *file)
{
  return find_format (file, NULL) != NULL;
}

GPtrArray *
tl_contents_list_datasets (const char *file, GError **error)
{
  const TlReaderFormat *format = find_tried (file, error);
  return format != NULL ? format->list_datasets (file, error) : NULL;
}

GStrv
tl_contents_list_sources (const char *file)
{
  const TlReaderFormat *format = find_tried (file, NULL);
  return format != NULL && format->list_sources != NULL
             ? format->list_sources (file)
             : g_new0 (char *, 1);
}

GPtrArray *
tl_contents_list_groups (const char *path, const TlReaderOptions *options)
{
  TlContainer container;
  if (!tl_container_sniff (path, &container, NULL)
      || container != TL_CONTAINER_FOLDER)
    return NULL;
  return tl_image_folder_format.list_groups (path, options);
}

GStrv
tl_contents_list_scans (const char *file, GError **error)
{
  const TlReaderFormat *format = find_tried (file, error);
  if (format == NULL)
    return NULL;
  return format->list_scans != NULL ? format->list_scans (file, error)
                                    : g_new0 (char *, 1);
}
