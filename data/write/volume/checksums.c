#include "data/write/volume/checksums.h"

#include "data/parallel.h"
#include "data/write/volume/disk-private.h"

#include <string.h>

/* The files of a volume, and their checksums. */
typedef struct
{
  const char *folder;
  GPtrArray *names; /* of char */
  guint32 *sums;    /* [names->len] */
} Files;

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *)a, *(char *const *)b);
}

static gboolean
sum_file (gpointer data, size_t index, GError **error)
{
  Files *files = data;
  g_autofree char *path =
      g_build_filename (files->folder, files->names->pdata[index], NULL);

  return tl_disk_sum_file (path, &files->sums[index], error);
}

/* Returns: the folder of the files, which are added to @names */
static char *
list_files (const char *path, GPtrArray *names)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  if (dir == NULL)
    {
      g_ptr_array_add (names, g_path_get_basename (path));
      return g_path_get_dirname (path);
    }
  while ((name = g_dir_read_name (dir)) != NULL)
    g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);
  return g_strdup (path);
}

char *
tl_checksums_make (const char *path, GCancellable *cancellable, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *folder = list_files (path, names);
  g_autofree guint32 *sums = g_new0 (guint32, names->len);
  Files files = { folder, names, sums };
  size_t n_done;

  if (!tl_parallel_run (names->len, g_get_num_processors (), sum_file, &files,
                        cancellable, &n_done, error))
    return NULL;
  GString *text = g_string_new (NULL);
  for (guint k = 0; k < names->len; k++)
    g_string_append_printf (text, "%08x %s\n", sums[k],
                            (char *)names->pdata[k]);
  return g_string_free (text, FALSE);
}

/* Returns: (transfer full): the name in a line */
static char *
dup_name (const char *line)
{
  const char *space = strchr (line, ' ');

  return g_strdup (space != NULL ? space + 1 : line);
}

char *
tl_checksums_find_difference (const char *want, const char *got)
{
  g_auto (GStrv) wanted = g_strsplit (want, "\n", -1);
  g_auto (GStrv) there = g_strsplit (got, "\n", -1);
  size_t k = 0;

  if (strcmp (want, got) == 0)
    return NULL;
  while (wanted[k] != NULL && there[k] != NULL
         && strcmp (wanted[k], there[k]) == 0)
    k++;
  return dup_name (wanted[k] != NULL && *wanted[k] != '\0' ? wanted[k]
                   : there[k] != NULL                      ? there[k]
                                                           : "");
}
