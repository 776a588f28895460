#include "data/read/hdf5/paths-private.h"

#include "data/hdf5-guard.h"

#include <string.h>

/* Levels of groups that "**" stands for. NXtomo has fewer (entry, subentry,
 * instrument, detector). */
enum
{
  MAX_DEPTH = 5
};

char *
tl_hdf5_join (const char *group, const char *link)
{
  return g_strconcat (group, g_str_has_suffix (group, "/") ? "" : "/", link,
                      NULL);
}

GPtrArray *
tl_hdf5_list_links (TlHdf5Id file, const char *group)
{
  GPtrArray *links = g_ptr_array_new_with_free_func (g_free);
  g_auto (TlHdf5Id) id = H5Gopen2 (file, group, H5P_DEFAULT);
  H5G_info_t info;
  if (id < 0 || H5Gget_info (id, &info) < 0)
    info.nlinks = 0;
  for (hsize_t i = 0; i < info.nlinks; i++)
    {
      char link[256];
      if (H5Lget_name_by_idx (id, ".", H5_INDEX_NAME, H5_ITER_INC, i, link,
                              sizeof link, H5P_DEFAULT)
          >= 0)
        g_ptr_array_add (links, g_strdup (link));
    }
  H5Eclear2 (H5E_DEFAULT);
  return links;
}

/* HDF5 numbers a file anew each time it opens it, so its name stands here. */
char *
tl_hdf5_dup_identity (TlHdf5Id object)
{
  H5G_stat_t place = { 0 };
  g_autofree char *name = tl_hdf5_dup_text (H5Fget_name, object);
  g_autofree char *file = g_canonicalize_filename (name, NULL);
  H5Gget_objinfo (object, ".", TRUE, &place);
  return g_strdup_printf ("%lu %lu %s", place.objno[0], place.objno[1], file);
}

gboolean
tl_hdf5_is_below (const char *path, const char *group)
{
  const size_t length = strlen (group);
  return strcmp (group, "/") == 0
         || (strncmp (path, group, length) == 0
             && (path[length] == '\0' || path[length] == '/'));
}

/* --- conditions --- */

static gboolean
has_value (TlHdf5Id file, const char *path, const char *value)
{
  g_auto (GStrv) texts = tl_hdf5_read_strings (file, path);
  for (char **text = texts; *text != NULL; text++)
    if (g_pattern_match_simple (value, *text))
      return TRUE;
  double number;
  g_auto (TlHdf5Id) object = H5Oopen (file, path, H5P_DEFAULT);
  const gboolean is_number = *texts == NULL && object >= 0
                             && H5Iget_type (object) == H5I_DATASET
                             && tl_hdf5_read_number (object, &number);
  H5Eclear2 (H5E_DEFAULT);
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  return is_number
         && g_pattern_match_simple (
             value, g_ascii_formatd (text, sizeof text, "%.9g", number));
}

static gboolean
meets (TlHdf5Id file, const char *path, const char *condition)
{
  g_auto (GStrv) sides = g_strsplit (condition, "=", 2);
  if (*condition == '@')
    {
      g_auto (TlHdf5Id) object = H5Oopen (file, path, H5P_DEFAULT);
      g_autofree char *text =
          object < 0 ? NULL : tl_hdf5_dup_attribute (object, sides[0] + 1);
      H5Eclear2 (H5E_DEFAULT);
      return text != NULL
             && (sides[1] == NULL || g_pattern_match_simple (sides[1], text));
    }
  g_autofree char *below = tl_hdf5_join (path, sides[0]);
  return tl_hdf5_has (file, below)
         && (sides[1] == NULL || has_value (file, below, sides[1]));
}

/* @conditions: "[…][…]" */
static void
add_if (TlHdf5Id file, const char *path, const char *conditions,
        GPtrArray *found)
{
  g_auto (GStrv) list = g_strsplit_set (conditions, "[]", -1);
  for (char **condition = list; *condition != NULL; condition++)
    if (**condition != '\0' && !meets (file, path, *condition))
      return;
  g_ptr_array_add (found, g_strdup (path));
}

/* --- steps --- */

/* Each group once, by the shortest path, so that a circle of links ends. */
static void
add_groups_below (TlHdf5Id file, const char *path, const char *conditions,
                  GPtrArray *found)
{
  g_autoptr (GHashTable) seen =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GPtrArray) groups = g_ptr_array_new_with_free_func (g_free);
  guint first = 0;
  g_ptr_array_add (groups, g_strdup (path));
  for (int depth = 0; depth < MAX_DEPTH; depth++)
    for (const guint end = groups->len; first < end; first++)
      {
        g_autoptr (GPtrArray) links =
            tl_hdf5_list_links (file, groups->pdata[first]);
        for (guint i = 0; i < links->len; i++)
          {
            g_autofree char *below =
                tl_hdf5_join (groups->pdata[first], links->pdata[i]);
            g_auto (TlHdf5Id) object = H5Oopen (file, below, H5P_DEFAULT);
            if (object < 0 || H5Iget_type (object) != H5I_GROUP
                || !g_hash_table_add (seen, tl_hdf5_dup_identity (object)))
              continue;
            add_if (file, below, conditions, found);
            g_ptr_array_add (groups, g_steal_pointer (&below));
          }
      }
  H5Eclear2 (H5E_DEFAULT);
}

static void
take_step (TlHdf5Id file, const char *path, const char *name,
           const char *conditions, GPtrArray *found)
{
  if (*name == '\0')
    add_if (file, path, conditions, found);
  else if (strcmp (name, "**") == 0)
    add_groups_below (file, path, conditions, found);
  else if (strpbrk (name, "*?") == NULL)
    {
      g_autofree char *below = tl_hdf5_join (path, name);
      if (tl_hdf5_has (file, below))
        add_if (file, below, conditions, found);
    }
  else
    {
      g_autoptr (GPtrArray) links = tl_hdf5_list_links (file, path);
      for (guint i = 0; i < links->len; i++)
        if (g_pattern_match_simple (name, links->pdata[i]))
          {
            g_autofree char *below = tl_hdf5_join (path, links->pdata[i]);
            add_if (file, below, conditions, found);
          }
    }
}

/* Returns: the "/" after the step; a "/" in brackets belongs to the step */
static const char *
find_end (const char *step)
{
  for (gboolean is_inside = FALSE; *step != '\0'; step++)
    if (*step == '/' && !is_inside)
      break;
    else if (*step == '[' || *step == ']')
      is_inside = *step == '[';
  return step;
}

void
tl_hdf5_match (TlHdf5Id file, const char *base, const char *pattern,
               GPtrArray *found)
{
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (paths, g_strdup (*pattern == '/' ? "/" : base));
  for (const char *step = pattern + strspn (pattern, "/"); *step != '\0';)
    {
      const char *end = find_end (step);
      g_autofree char *name = g_strndup (step, (size_t)(end - step));
      g_autofree char *conditions = g_strdup (name + strcspn (name, "["));
      g_autoptr (GPtrArray) next = g_ptr_array_new_with_free_func (g_free);
      name[strcspn (name, "[")] = '\0';
      for (guint i = 0; i < paths->len; i++)
        take_step (file, paths->pdata[i], name, conditions, next);
      g_ptr_array_unref (paths);
      paths = g_steal_pointer (&next);
      step = end + strspn (end, "/");
    }
  g_ptr_array_extend_and_steal (found, g_steal_pointer (&paths));
}
