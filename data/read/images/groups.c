#include "data/read/images/groups-private.h"

#include "data/array.h"
#include "data/read/format/image-format.h"
#include "data/read/images/names.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

enum
{
  MAX_GROUPS = 6, /* named in a note */
  MAX_ROWS = 32   /* whose brightness is measured */
};

/* A file whose name is taken apart. */
typedef struct
{
  char *path;     /* canonical */
  char *key;      /* the path with "#" in place of each number of the name */
  char **numbers; /* of the name, as they are written */
} Item;

static void
item_free (gpointer data)
{
  Item *item = data;
  g_free (item->path);
  g_free (item->key);
  g_strfreev (item->numbers);
  g_free (item);
}

static void
group_free (gpointer data)
{
  TlImageGroup *group = data;
  g_free (group->pattern);
  g_ptr_array_unref (group->paths);
  g_free (group);
}

/* Returns: (transfer full): @name with "#" in place of each number.
 * @numbers: of char *, receives them */
static char *
mask_numbers (const char *name, GPtrArray *numbers)
{
  GString *mask = g_string_new (NULL);
  for (const char *at = name; *at != '\0';)
    {
      const size_t n = tl_name_measure_number (name, at);
      g_string_append_c (mask, n > 0 ? '#' : *at);
      if (n > 0)
        g_ptr_array_add (numbers, g_strndup (at, n));
      at += MAX (n, 1);
    }
  return g_string_free (mask, FALSE);
}

/* @path: (transfer full): canonical */
static Item *
item_new (char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *name = g_path_get_basename (path);
  GPtrArray *numbers = g_ptr_array_new ();
  g_autofree char *mask = mask_numbers (name, numbers);
  g_ptr_array_add (numbers, NULL);
  Item *item = g_new (Item, 1);
  *item = (Item){ path, g_build_filename (folder, mask, NULL),
                  (char **)g_ptr_array_free (numbers, FALSE) };
  return item;
}

static int
compare_items (gconstpointer a, gconstpointer b)
{
  const Item *x = *(Item *const *)a, *y = *(Item *const *)b;
  const int order = tl_name_compare (x->key, y->key);
  return order != 0 ? order : tl_name_compare (x->path, y->path);
}

/* Returns: (transfer full): @path as it is seen from @folder; both canonical */
static char *
make_relative (const char *path, const char *folder)
{
  g_autoptr (GString) up = g_string_new (NULL);
  g_autofree char *from = g_strdup (folder);
  for (;;)
    {
      const size_t n = strlen (from);
      if (strncmp (path, from, n) == 0 && path[n] == G_DIR_SEPARATOR)
        return g_strconcat (up->str, path + n + 1, NULL);
      g_autofree char *above = g_path_get_dirname (from);
      if (strcmp (above, from) == 0)
        return g_strdup (path);
      g_string_append (up, ".." G_DIR_SEPARATOR_S);
      g_free (from);
      from = g_steal_pointer (&above);
    }
}

/* --- one group --- */

/* Returns: whether all of @items, which have the same key, have the same number
 * at @place */
static gboolean
is_constant (GPtrArray *items, guint place)
{
  const Item *first = items->pdata[0];
  for (guint i = 1; i < items->len; i++)
    if (strcmp (((Item *)items->pdata[i])->numbers[place],
                first->numbers[place])
        != 0)
      return FALSE;
  return TRUE;
}

/* Returns: (transfer full): "raw/p_#.tif" */
static char *
make_pattern (GPtrArray *items, const char *folder)
{
  const Item *first = items->pdata[0];
  g_autofree char *relative = make_relative (first->path, folder);
  const char *slash = strrchr (relative, G_DIR_SEPARATOR);
  const char *name = slash != NULL ? slash + 1 : relative;
  GString *pattern = g_string_new_len (relative, name - relative);
  guint place = 0;
  for (const char *at = name; *at != '\0';)
    {
      const size_t n = tl_name_measure_number (name, at);
      if (n > 0 && !is_constant (items, place++))
        g_string_append_c (pattern, '#');
      else
        g_string_append_len (pattern, at, (gssize)MAX (n, 1));
      at += MAX (n, 1);
    }
  return g_string_free (pattern, FALSE);
}

/* @pattern: (transfer full) */
static TlImageGroup *
group_new (char *pattern)
{
  TlImageGroup *group = g_new (TlImageGroup, 1);
  *group = (TlImageGroup){
    .pattern = pattern,
    .paths = g_ptr_array_new_with_free_func (g_free),
    .kind = TL_FRAMES_LEFT_OUT,
  };
  return group;
}

static void
add_group (GPtrArray *groups, GPtrArray *items, const char *folder)
{
  TlImageGroup *group = group_new (make_pattern (items, folder));
  for (guint i = 0; i < items->len; i++)
    g_ptr_array_add (group->paths, g_strdup (((Item *)items->pdata[i])->path));
  g_ptr_array_add (groups, group);
}

/* --- series --- */

/* Returns: which number of the names has the most values; the last one of
 * several.
 * @n_values: (out): how many */
static guint
find_running (GPtrArray *items, guint *n_values)
{
  const Item *first = items->pdata[0];
  guint running = 0;
  *n_values = 0;
  for (guint place = 0; first->numbers[place] != NULL; place++)
    {
      g_autoptr (GHashTable) values =
          g_hash_table_new (g_str_hash, g_str_equal);
      for (guint i = 0; i < items->len; i++)
        g_hash_table_add (values, ((Item *)items->pdata[i])->numbers[place]);
      if (g_hash_table_size (values) < *n_values)
        continue;
      *n_values = g_hash_table_size (values);
      running = place;
    }
  return running;
}

/* Returns: (transfer full): the series of @items by the numbers before
 * @running; each an array of Item */
static GPtrArray *
split (GPtrArray *items, guint running)
{
  GPtrArray *series =
      g_ptr_array_new_with_free_func ((GDestroyNotify)g_ptr_array_unref);
  g_autoptr (GHashTable) by_numbers =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < items->len; i++)
    {
      const Item *item = items->pdata[i];
      g_autoptr (GString) numbers = g_string_new (NULL);
      for (guint place = 0; place < running; place++)
        g_string_append_printf (numbers, "%s_", item->numbers[place]);
      GPtrArray *same = g_hash_table_lookup (by_numbers, numbers->str);
      if (same == NULL)
        {
          same = g_ptr_array_new ();
          g_hash_table_insert (by_numbers, g_strdup (numbers->str), same);
          g_ptr_array_add (series, same);
        }
      g_ptr_array_add (same, items->pdata[i]);
    }
  return series;
}

/* Adds the groups of @items, which have the same key. Angles in names are no
 * series: there are more of them than images of each. */
static void
add_groups (GPtrArray *groups, GPtrArray *items, const char *folder)
{
  guint n_values, n_largest = 0;
  const guint running = find_running (items, &n_values);
  g_autoptr (GPtrArray) series = split (items, running);
  for (guint i = 0; i < series->len; i++)
    n_largest = MAX (n_largest, ((GPtrArray *)series->pdata[i])->len);
  if (n_values == items->len || series->len >= n_largest)
    add_group (groups, items, folder);
  else
    for (guint i = 0; i < series->len; i++)
      add_group (groups, series->pdata[i], folder);
}

/* --- stacks in parts --- */

static gboolean
is_empty (const TlImageGroup *group)
{
  return group->paths->len == 0;
}

/* Returns: (transfer full) (nullable): "a.tif" of "a_1.tif" */
static char *
make_first_part (const char *path)
{
  const char *number = g_strrstr (path, "_1.");
  return number != NULL && strchr (number, G_DIR_SEPARATOR) == NULL
             ? g_strdup_printf ("%.*s%s", (int)(number - path), path,
                                number + strlen ("_1"))
             : NULL;
}

/* Writers that cut a long stack call its parts "a.tif", "a_1.tif", "a_2.tif"
 * and so on. */
static void
join_parts (GPtrArray *groups)
{
  g_autoptr (GHashTable) map = tl_image_groups_map (groups);
  for (guint k = 0; k < groups->len; k++)
    {
      TlImageGroup *rest = groups->pdata[k];
      g_autofree char *path =
          is_empty (rest) ? NULL : make_first_part (rest->paths->pdata[0]);
      TlImageGroup *first =
          path != NULL ? g_hash_table_lookup (map, path) : NULL;
      if (first == NULL || first->paths->len != 1
          || !tl_image_group_is_stack (first)
          || !tl_image_group_is_stack (rest))
        continue;
      g_autofree char *pattern = rest->pattern;
      rest->pattern = g_strconcat (first->pattern, ";", pattern, NULL);
      rest->n_images += first->n_images;
      g_ptr_array_insert (rest->paths, 0,
                          g_ptr_array_steal_index (first->paths, 0));
    }
  for (guint k = groups->len; k-- > 0;)
    if (is_empty (groups->pdata[k]))
      g_ptr_array_remove_index (groups, k);
}

GPtrArray *
tl_image_groups_new (const char *folder, GPtrArray *paths)
{
  GPtrArray *groups = g_ptr_array_new_with_free_func (group_free);
  g_autofree char *canonical = g_canonicalize_filename (folder, NULL);
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (item_free);
  g_autoptr (GPtrArray) same = g_ptr_array_new ();
  for (guint i = 0; i < paths->len; i++)
    g_ptr_array_add (
        items, item_new (g_canonicalize_filename (paths->pdata[i], NULL)));
  g_ptr_array_sort (items, compare_items);
  for (guint i = 0; i < items->len; i++)
    {
      const Item *item = items->pdata[i];
      const Item *before = i > 0 ? items->pdata[i - 1] : NULL;
      if (before != NULL && strcmp (before->path, item->path) == 0)
        continue;
      if (before != NULL && strcmp (before->key, item->key) != 0)
        {
          add_groups (groups, same, canonical);
          g_ptr_array_set_size (same, 0);
        }
      g_ptr_array_add (same, items->pdata[i]);
    }
  if (same->len > 0)
    add_groups (groups, same, canonical);
  join_parts (groups);
  return groups;
}

/* --- all groups --- */

/* Returns: how many of the images of @group are in @set */
static guint
count_in (const TlImageGroup *group, GHashTable *set)
{
  guint n = 0;
  for (guint i = 0; i < group->paths->len; i++)
    n += g_hash_table_contains (set, group->paths->pdata[i]);
  return n;
}

void
tl_image_groups_split (GPtrArray *groups, GPtrArray *paths, const char *pattern)
{
  const guint n_groups = groups->len;
  g_autoptr (GHashTable) set =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < paths->len; i++)
    g_hash_table_add (set, g_canonicalize_filename (paths->pdata[i], NULL));
  for (guint k = 0; k < n_groups; k++)
    {
      TlImageGroup *group = groups->pdata[k];
      const guint n = count_in (group, set);
      if (n == 0 || n == group->paths->len)
        continue;
      g_autoptr (GPtrArray) all = group->paths;
      TlImageGroup *part = group_new (g_strdup (pattern));
      group->paths = g_ptr_array_new_with_free_func (g_free);
      group->n_images = 0;
      for (guint i = 0; i < all->len; i++)
        g_ptr_array_add (g_hash_table_contains (set, all->pdata[i])
                             ? part->paths
                             : group->paths,
                         g_strdup (all->pdata[i]));
      g_ptr_array_add (groups, part);
    }
}

GHashTable *
tl_image_groups_map (GPtrArray *groups)
{
  GHashTable *map = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint k = 0; k < groups->len; k++)
    {
      TlImageGroup *group = groups->pdata[k];
      for (guint i = 0; i < group->paths->len; i++)
        g_hash_table_insert (map, group->paths->pdata[i], group);
    }
  return map;
}

TlImageGroup *
tl_image_groups_look_up (GHashTable *map, const char *path)
{
  g_autofree char *canonical = g_canonicalize_filename (path, NULL);
  return g_hash_table_lookup (map, canonical);
}

/* Looks at the images of @path. Returns: how many can be read; of a file with
 * too many, some */
static size_t
look_at_file (TlImageGroup *group, const char *path)
{
  const TlImageFormat *format = tl_image_format_by_name (path);
  const TlImageReader *reader = format != NULL ? format->reader : NULL;
  gpointer file = reader != NULL ? reader->open (path, NULL) : NULL;
  size_t n = 0;
  gboolean found = file != NULL;
  while (found && n <= TL_MAX_FRAMES)
    {
      TlImage image = { 0 };
      if (!reader->next (file, &image, &found, NULL) || !found)
        break;
      if (n++ > 0)
        continue;
      group->n_rows = image.n_rows;
      group->n_cols = image.n_cols;
    }
  if (file != NULL)
    reader->close (file);
  return n;
}

void
tl_image_group_look (TlImageGroup *group, GCancellable *cancellable)
{
  size_t n = 0;
  if (group->n_images > 0)
    return;
  for (guint i = 0; i < group->paths->len && n == 0
                    && !g_cancellable_is_cancelled (cancellable);
       i++)
    n = look_at_file (group, group->paths->pdata[i]);
  group->is_unreadable =
      n == 0 && tl_image_format_by_name (group->paths->pdata[0]) != NULL;
  group->n_images = MAX (n, 1) * group->paths->len;
}

gboolean
tl_image_group_is_stack (TlImageGroup *group)
{
  const TlImageFormat *format =
      tl_image_format_by_name (group->paths->pdata[0]);
  tl_image_group_look (group, NULL);
  return group->n_images > group->paths->len
         && !(format != NULL && format->reader->is_scan);
}

/* The note added last. */
static void
mark_note (TlScanDraft *draft)
{
  TlNote *note = draft->notes->pdata[draft->notes->len - 1];
  note->is_about_files = TRUE;
}

void
tl_image_groups_note (GPtrArray *groups, TlScanDraft *draft)
{
  g_autoptr (GString) names = g_string_new (NULL);
  guint n_left_out = 0, n_files = 0;
  for (guint k = 0; k < groups->len; k++)
    {
      const TlImageGroup *group = groups->pdata[k];
      if (group->kind != TL_FRAMES_LEFT_OUT)
        continue;
      n_files += group->paths->len;
      if (n_left_out++ >= MAX_GROUPS)
        continue;
      g_autofree char *shown = g_filename_display_name (group->pattern);
      g_string_append_printf (names, "%s%s (%u)", n_left_out > 1 ? ", " : "",
                              shown, group->paths->len);
    }
  if (n_left_out > MAX_GROUPS)
    g_string_append (names, " …");
  if (n_left_out == 0)
    return;
  tl_scan_draft_ask (
      draft,
      _ ("to use them, give such names to --projections, --flats or "
         "--darks"),
      _ ("to use them, open “Files of the Scan” (Ctrl+G)"),
      g_dngettext (NULL, "%u image file is left out: %s",
                   "%u image files are left out: %s", n_files),
      n_files, names->str);
  mark_note (draft);
}

/* --- flats under another name --- */

/* The beam changes by this between two sets of flats. */
#define ABOUT_AS_BRIGHT 0.95

/* Returns: the mean of rows of the image; NaN if they cannot be read */
static double
measure_rows (const TlImageReader *reader, gpointer file, const TlImage *image)
{
  size_t rows[MAX_ROWS];
  const size_t n_rows = MIN (image->n_rows, MAX_ROWS);
  const size_t n = n_rows * image->n_cols;
  const size_t size = tl_sample_size (image->type);
  g_autofree void *samples =
      tl_try_alloc (n_rows, image->n_cols, 1, size, "", NULL);
  g_autofree float *values =
      tl_try_alloc (n_rows, image->n_cols, 1, sizeof (float), "", NULL);
  for (size_t i = 0; i < n_rows; i++)
    rows[i] = i * image->n_rows / n_rows;
  if (samples == NULL || values == NULL
      || !reader->read (file, image, rows, n_rows, samples, NULL))
    return NAN;
  double sum = 0;
  tl_samples_to_float (image->type, samples, n, values);
  for (size_t i = 0; i < n; i++)
    sum += (double)values[i];
  return sum / (double)n;
}

/* Returns: the mean of the file in the middle; NaN if it cannot be read */
static double
measure_brightness (const TlImageGroup *group)
{
  const char *path = group->paths->pdata[group->paths->len / 2];
  const TlImageFormat *format = tl_image_format_by_name (path);
  const TlImageReader *reader = format != NULL ? format->reader : NULL;
  gpointer file = reader != NULL ? reader->open (path, NULL) : NULL;
  TlImage image = { 0 };
  gboolean found = FALSE;
  double mean = NAN;
  if (file == NULL)
    return NAN;
  if (reader->next (file, &image, &found, NULL) && found)
    mean = measure_rows (reader, file, &image);
  reader->close (file);
  return mean;
}

/* Returns: whether @group may be flats of @projections: it is left out, of the
 * same size, and has fewer images */
static gboolean
may_be_flats (const TlImageGroup *group, const TlImageGroup *projections)
{
  return group->kind == TL_FRAMES_LEFT_OUT
         && group->n_images < projections->n_images
         && group->n_rows == projections->n_rows
         && group->n_cols == projections->n_cols;
}

/* Returns: (nullable): of the groups that may be flats, and are brighter than
 * the projections, one about as bright as the brightest, with the most images
 */
static const TlImageGroup *
find_bright (GPtrArray *groups, const TlImageGroup *projections)
{
  g_autofree double *brightness = g_new (double, groups->len);
  const TlImageGroup *best = NULL;
  double least = NAN, most = NAN; /* least: of the projections */
  for (guint k = 0; k < groups->len; k++)
    {
      const TlImageGroup *group = groups->pdata[k];
      if (group->kind == TL_FRAMES_FLATS)
        return NULL;
      brightness[k] = NAN;
      if (!may_be_flats (group, projections))
        continue;
      if (isnan (least))
        least = measure_brightness (projections);
      const double value = measure_brightness (group);
      if (value > least)
        brightness[k] = value;
      most = fmax (most, brightness[k]);
    }
  for (guint k = 0; k < groups->len; k++)
    {
      const TlImageGroup *group = groups->pdata[k];
      if (brightness[k] >= ABOUT_AS_BRIGHT * most
          && (best == NULL || group->n_images > best->n_images))
        best = group;
    }
  return best;
}

void
tl_image_groups_hint_flats (GPtrArray *groups, TlScanDraft *draft)
{
  const TlImageGroup *bright = find_bright (groups, groups->pdata[0]);
  if (bright == NULL)
    return;
  g_autofree char *shown = g_filename_display_name (bright->pattern);
  g_autofree char *on_line =
      g_strdup_printf (_ ("if they are flats, add --flats '%s'"), shown);
  tl_scan_draft_ask (
      draft, on_line,
      _ ("if they are flats, say so in “Files of the Scan” (Ctrl+G)"),
      _ ("no flat fields were found by their names, but the images %s (%zu) "
         "are brighter than the projections"),
      shown, bright->n_images);
  mark_note (draft);
}
