/* HDF5 files: their scans are found by the table of layouts, and by the paths
 * that the user gives. */
#include "data/read/hdf5/contents-private.h"
#include "data/read/hdf5/layouts-private.h"
#include "data/read/hdf5/open-private.h"
#include "data/read/hdf5/paths-private.h"
#include "data/read/hdf5/scan-private.h"

#include "data/array.h"
#include "data/error.h"
#include "data/read/scan/angles.h"
#include "data/read/scan/frame-ranges.h"
#include "data/read/format/trial.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* A scan while it is being opened. */
typedef struct
{
  TlHdf5Scan *scan;
  TlHdf5Found found;
  const char *given[TL_N_HDF5_PLACES]; /* (nullable): by the user */
  const TlReaderOptions *options;
  size_t n_frames;      /* of the dataset with the projections */
  size_t n_keys;        /* as n_frames if there are none */
  size_t n_projections; /* that the keys name; some may not be there yet */
  char *later_flats; /* (nullable): path of those after the projections, where
                        the others are those before */
  char *odd_texts;   /* (nullable): the texts that are no image keys, as a note
                        lists them */
  char *keys;        /* (nullable): identity of the dataset with the keys */
  TlScanDraft *draft;
} Opening;

enum
{
  MAX_ODD_TEXTS = 3, /* listed in a note */
  MAX_PLACES = 6,    /* the same */
  MIN_SINGLE = 4     /* fewer images may be the fields of another file */
};

/* A detector that has counted on by more has lost no frames. */
#define MAX_ID_STEP 65536

/* A dataset of the scan or of another file. */
typedef struct
{
  TlHdf5Id file;
  char *path;
} Target;

static void
target_clear (Target *target)
{
  tl_hdf5_close_id (target->file);
  g_free (target->path);
  *target = (Target){ .file = -1 };
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Target, target_clear)

/* --- where the parts of a scan are --- */

/* Opens the file of @place, "FILE:/path" or a path in the file of the scan.
 *
 * @is_given: by the user: FILE may be in the current folder, too
 * @path: (out) (transfer full) */
static TlHdf5Id
open_place_file (Opening *opening, gboolean is_given, const char *place,
                 char **path, GError **error)
{
  *path = NULL;
  if (strstr (place, ":/") == NULL)
    {
      *path = g_strdup (place);
      H5Iinc_ref (opening->scan->file);
      return opening->scan->file;
    }
  g_autofree char *file = tl_container_find (
      place, opening->scan->path, is_given, TL_CONTAINER_HDF5, path, error);
  return file != NULL ? tl_hdf5_open_file (file, place, error) : -1;
}

static gboolean
has_texts (TlHdf5Id object)
{
  g_auto (TlHdf5Id) type = H5Dget_type (object);
  return type >= 0 && H5Tget_class (type) == H5T_STRING;
}

/* Of a dataset that cannot be used. */
#define CANNOT_BE_OPENED (-1)
#define IS_EMPTY (-2)
#define IS_TEXT (-3)

/* Returns: how well the dataset suits @place; 0: not at all; negative: why it
 * cannot be used */
static double
rate (const Opening *opening, TlHdf5Place place, TlHdf5Id file,
      const char *path)
{
  TlFrameSet set = { 0 };
  g_auto (TlHdf5Id) object = H5Oopen (file, path, H5P_DEFAULT);
  const int n_dims = object < 0 ? -1 : tl_hdf5_get_frames (object, &set);
  const gboolean is_text = object >= 0 && n_dims < 0 && has_texts (object);
  g_auto (TlHdf5Id) space = n_dims >= 0 || (is_text && place == TL_HDF5_KEYS)
                                ? H5Dget_space (object)
                                : -1;
  const hssize_t n = space < 0 ? 0 : H5Sget_simple_extent_npoints (space);
  H5Eclear2 (H5E_DEFAULT);
  if (object < 0)
    return CANNOT_BE_OPENED;
  if (is_text && place == TL_HDF5_ANGLES)
    return IS_TEXT;
  if (n <= 0)
    return space < 0 ? 0 : IS_EMPTY;
  if (place != TL_HDF5_FLATS && place != TL_HDF5_DARKS)
    return (size_t)n == opening->n_frames ? 2 : 1;
  g_autofree char *its_name = tl_hdf5_dup_identity (object);
  g_autofree char *projections =
      tl_hdf5_dup_identity (opening->scan->kinds->dataset);
  return n_dims < 2 || n_dims > 3 || strcmp (its_name, projections) == 0
             ? 0
             : (double)n;
}

/* Takes the best dataset of @pattern if it is better than @best.
 *
 * @broken: (inout) (nullable): the first that cannot be used
 * @why: (inout): and why
 * @good: the possible datasets are appended
 */
static void
try_pattern (Opening *opening, TlHdf5Place place, TlHdf5Id file,
             const char *pattern, Target *target, double *best, char **broken,
             double *why, GPtrArray *good)
{
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  tl_hdf5_match (file, opening->found.entry, pattern, paths);
  for (guint i = 0; i < paths->len; i++)
    {
      const double rating = rate (opening, place, file, paths->pdata[i]);
      if (rating > 0)
        g_ptr_array_add (good, g_strdup (paths->pdata[i]));
      if (rating < 0 && *broken == NULL)
        {
          *broken = g_strdup (paths->pdata[i]);
          *why = rating;
        }
      if (rating <= *best)
        continue;
      target_clear (target);
      H5Iinc_ref (file);
      *target = (Target){ file, g_strdup (paths->pdata[i]) };
      *best = rating;
    }
}

/* Finds among @paths the two next to the projections: scans of one file are
 * numbered as they were taken. */
static void
find_neighbours (const Opening *opening, GPtrArray *paths, const char **before,
                 const char **after)
{
  g_autofree char *own =
      g_utf8_collate_key_for_filename (opening->found.data, -1);
  g_autofree char *last = NULL, *first = NULL; /* keys of the two */
  *before = *after = NULL;
  for (guint i = 0; i < paths->len; i++)
    {
      g_autofree char *key =
          g_utf8_collate_key_for_filename (paths->pdata[i], -1);
      const gboolean is_before = strcmp (key, own) < 0;
      const char **place = is_before ? before : after;
      char **best = is_before ? &last : &first;
      if (*best != NULL && (strcmp (key, *best) < 0) == is_before)
        continue;
      *place = paths->pdata[i];
      g_free (*best);
      *best = g_steal_pointer (&key);
    }
}

/* Of several flats takes those next to the projections, of several darks one of
 * these.
 *
 * @target: in: the largest; what is in another file stays */
static void
choose_fields (Opening *opening, TlHdf5Place place, GPtrArray *paths,
               Target *target)
{
  const char *before = NULL, *after = NULL;
  const char *const what = tl_frame_kind_get_name (
      place == TL_HDF5_FLATS ? TL_FRAMES_FLATS : TL_FRAMES_DARKS);
  if (target->file == opening->scan->file)
    find_neighbours (opening, paths, &before, &after);
  if (before != NULL || after != NULL)
    {
      g_free (target->path);
      target->path = g_strdup (before != NULL ? before : after);
    }
  if (place != TL_HDF5_FLATS || before == NULL || after == NULL)
    tl_scan_draft_note (opening->draft,
                        _ ("%u datasets could be the %s: %s is taken"),
                        paths->len, what, target->path);
  else
    {
      opening->later_flats = g_strdup (after);
      tl_scan_draft_note (opening->draft,
                          _ ("%u datasets could be the flats: %s is taken "
                             "before the projections, %s after them"),
                          paths->len, before, after);
    }
}

/* Returns: whether the dataset at @path is that of the image keys */
static gboolean
has_keys_at (const Opening *opening, const char *path)
{
  if (opening->keys == NULL)
    return FALSE;
  g_auto (TlHdf5Id) object = H5Oopen (opening->scan->file, path, H5P_DEFAULT);
  g_autofree char *identity = object < 0 ? NULL : tl_hdf5_dup_identity (object);
  return g_strcmp0 (identity, opening->keys) == 0;
}

/* Returns: (transfer full) (nullable): the first lists of @n numbers in the
 * file that are not known to be image keys */
static char *
list_places (const Opening *opening, size_t n)
{
  g_autoptr (GPtrArray) all = tl_hdf5_list_datasets (opening->scan->file);
  g_autoptr (GString) text = g_string_new (NULL);
  guint n_found = 0;
  for (guint i = 0; i < all->len && n_found <= MAX_PLACES; i++)
    {
      const TlDataset *dataset = all->pdata[i];
      g_autofree char *shown = g_filename_display_name (dataset->path);
      if (dataset->n_dims == 1 && dataset->dims[2] == n
          && !has_keys_at (opening, dataset->path) && ++n_found <= MAX_PLACES)
        g_string_append_printf (text, "%s%s", n_found > 1 ? ", " : "", shown);
    }
  if (n_found > MAX_PLACES)
    g_string_append (text, " …");
  return n_found > 0 ? g_string_free (g_steal_pointer (&text), FALSE) : NULL;
}

/* @given: by the user, who may have named a file alone */
static gboolean
refuse_place (const Opening *opening, TlHdf5Place place, const char *given,
              GError **error)
{
  const char *name = opening->scan->name;
  const gboolean is_file = g_file_test (given, G_FILE_TEST_IS_REGULAR);
  g_autoptr (GPtrArray) datasets =
      is_file ? tl_hdf5_contents_list_datasets (given, NULL) : NULL;
  g_autofree char *images =
      datasets != NULL ? tl_datasets_describe (datasets) : NULL;
  if (is_file && datasets == NULL)
    return tl_fail (error, TL_ERROR_FORMAT,
                    _ ("%s: %s is no HDF5 file, and has no datasets"), name,
                    given);
  if (is_file && *images != '\0')
    return tl_fail (
        error, TL_ERROR_FORMAT,
        _ ("%s: %s is a file; say which dataset in it, as %s:/path; "
           "those with images are %s"),
        name, given, given, images);
  if (is_file)
    return tl_fail (
        error, TL_ERROR_FORMAT,
        _ ("%s: %s is a file; say which dataset in it, as %s:/path"), name,
        given, given);
  g_autofree char *places = place == TL_HDF5_KEYS || place == TL_HDF5_ANGLES
                                ? list_places (opening, opening->n_frames)
                                : NULL;
  if (places != NULL)
    return tl_fail (error, TL_ERROR_FORMAT,
                    _ ("%s: there is no dataset of numbers at %s; those with "
                       "as many numbers as there are images are %s"),
                    name, given, places);
  return tl_fail (error, TL_ERROR_FORMAT,
                  *given == '/'
                      ? _ ("%s: there is no dataset of numbers at %s")
                      : _ ("%s: there is no dataset of numbers at %s; "
                           "one in another file is named FILE:/path"),
                  name, given);
}

/* Finds @place as the user or the layout says. What only the layout says may be
 * missing; then @target has no path.
 *
 * Returns: %FALSE with an error if what the user has given is missing */
static gboolean
find_place (Opening *opening, TlHdf5Place place, Target *target, GError **error)
{
  const gboolean is_frames = place == TL_HDF5_FLATS || place == TL_HDF5_DARKS;
  const char *given[] = { opening->given[place], NULL };
  char **laid_out = opening->found.layout != NULL
                        ? opening->found.layout->places[place]
                        : NULL;
  const char *const *patterns =
      *given != NULL ? given : (const char *const *)laid_out;
  g_autofree char *broken = NULL;
  double best = 0, why = 0;
  for (; patterns != NULL && *patterns != NULL; patterns++)
    {
      g_autofree char *path = NULL;
      g_auto (TlHdf5Id) file =
          open_place_file (opening, *given != NULL, *patterns, &path,
                           *given != NULL ? error : NULL);
      if (file < 0 && *given != NULL)
        return FALSE;
      g_autoptr (GPtrArray) good = g_ptr_array_new_with_free_func (g_free);
      if (file >= 0)
        try_pattern (opening, place, file, path, target, &best, &broken, &why,
                     good);
      if (is_frames && good->len > 1)
        choose_fields (opening, place, good, target);
      if (is_frames && good->len > 0)
        break;
    }
  if (*given == NULL && target->path == NULL && broken != NULL)
    tl_scan_draft_note (opening->draft,
                        why == IS_EMPTY  ? _ ("%s is empty: left out")
                        : why == IS_TEXT ? _ ("%s has texts where numbers are "
                                              "expected: left out")
                                         : _ ("%s is a link that leads "
                                              "nowhere: left out"),
                        broken);
  return *given == NULL || target->path != NULL
         || refuse_place (opening, place, *given, error);
}

/* --- frames --- */

/* Adds all frames of @dataset. */
static gboolean
add_frames (Opening *opening, TlFrameKind kind, TlHdf5Id dataset,
            GError **error)
{
  g_autofree char *axes = tl_hdf5_dup_attribute (dataset, "axes");
  if (!tl_hdf5_scan_add (opening->scan, kind, dataset, opening->draft, error))
    return FALSE;
  if (axes != NULL && strcmp (axes, "y:theta:x") == 0)
    tl_hdf5_scan_turn (opening->scan, kind, opening->draft);
  return TRUE;
}

/* Makes the lists of the frames of each kind that is in the dataset of the
 * projections. Alignment frames and invalid frames are left out.
 *
 * @keys: [@n] of the first frames; the others are left out */
static gboolean
split_frames (Opening *opening, const double *keys, size_t n, GError **error)
{
  static const TlFrameKind kinds[] = { TL_FRAMES_PROJECTIONS, TL_FRAMES_FLATS,
                                       TL_FRAMES_DARKS };
  TlHdf5Frames *const frames = opening->scan->kinds;
  TlScanDraft *draft = opening->draft;
  size_t n_left_out = 0, n_of[TL_N_FRAME_KINDS] = { 0 };
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    {
      frames[kind].frames = tl_try_alloc (
          n, 1, 1, sizeof (size_t), _ ("the numbers of the frames"), error);
      if (frames[kind].frames == NULL)
        return FALSE;
    }
  for (size_t i = 0; i < n; i++)
    {
      if (keys[i] != 0 && keys[i] != 1 && keys[i] != 2)
        {
          n_left_out++;
          continue;
        }
      const TlFrameKind kind = kinds[(int)keys[i]];
      frames[kind].frames[n_of[kind]++] = i;
      if (kind == TL_FRAMES_FLATS && n_of[TL_FRAMES_PROJECTIONS] == 0)
        draft->n_flats_before++;
    }
  if (n_left_out > 0)
    tl_scan_draft_note (
        draft,
        g_dngettext (NULL, "%zu frame is marked invalid and left out%s",
                     "%zu frames are marked invalid and left out%s",
                     n_left_out),
        n_left_out, opening->odd_texts != NULL ? opening->odd_texts : "");
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    draft->frames[kind].n_frames = frames[kind].n_listed = n_of[kind];
  return TRUE;
}

/* Keys may be written before the frames, or after them: then a scan that was
 * not finished has keys without frames, or frames without keys. */
static void
note_keys (Opening *opening)
{
  if (opening->n_keys > opening->n_frames)
    tl_scan_draft_note (opening->draft,
                        _ ("%zu image keys but %zu frames, as in a scan that "
                           "was not finished: the first %zu keys are used"),
                        opening->n_keys, opening->n_frames, opening->n_frames);
  else if (opening->n_keys < opening->n_frames)
    tl_scan_draft_note (opening->draft,
                        _ ("%zu image keys but %zu frames, as in a scan that "
                           "was not finished: the frames after the first %zu "
                           "have no key and are left out"),
                        opening->n_keys, opening->n_frames, opening->n_keys);
}

/* Returns: the image key that @text means; negative: none */
static double
find_key (const char *text)
{
  static const struct
  {
    const char *text; /* of a place in Data Exchange, or of tomoscan */
    int key;
  } keys[] = {
    { "data", 0 },      { "projection", 0 }, { "data_white", 1 },
    { "flatfield", 1 }, { "data_dark", 2 },  { "darkfield", 2 },
  };
  const char *slash = strrchr (text, '/');
  for (size_t i = 0; i < G_N_ELEMENTS (keys); i++)
    if (g_ascii_strcasecmp (slash != NULL ? slash + 1 : text, keys[i].text)
        == 0)
      return keys[i].key;
  return -1;
}

/* Returns: (transfer full): in brackets, the texts that are no image keys, each
 * once */
static char *
list_odd (char **texts, const double *keys)
{
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);
  GString *list = g_string_new (NULL);
  for (size_t i = 0; texts[i] != NULL; i++)
    if (keys[i] < 0 && g_hash_table_add (known, texts[i]))
      {
        const guint n = g_hash_table_size (known);
        if (n > MAX_ODD_TEXTS + 1)
          continue;
        g_autofree char *shown = g_utf8_make_valid (texts[i], -1);
        if (n > MAX_ODD_TEXTS)
          g_string_append (list, " …");
        else
          g_string_append_printf (list, "%s\"%s\"", n == 1 ? " (" : ", ",
                                  shown);
      }
  if (list->len > 0)
    g_string_append_c (list, ')');
  return g_string_free (list, FALSE);
}

/* Returns: (transfer full): opening->n_keys image keys; %NULL with an error, or
 * without one if the texts of a layout cannot be read or name no kinds of
 * frames */
static double *
read_keys (Opening *opening, const Target *target, GError **error)
{
  gboolean is_known = FALSE;
  g_auto (TlHdf5Id) dataset = tl_hdf5_open_object (target->file, target->path,
                                                   opening->scan->name, error);
  if (dataset < 0)
    return NULL;
  opening->keys = tl_hdf5_dup_identity (dataset);
  if (!has_texts (dataset))
    return tl_hdf5_read_numbers (target->file, target->path,
                                 opening->scan->name, &opening->n_keys, error);
  g_auto (GStrv) texts = tl_hdf5_read_strings (target->file, target->path);
  const size_t n = g_strv_length (texts);
  g_autofree double *keys = g_new (double, n + 1);
  for (size_t i = 0; i < n; i++)
    {
      keys[i] = find_key (texts[i]);
      is_known |= keys[i] >= 0;
    }
  if (is_known)
    {
      opening->n_keys = n;
      opening->odd_texts = list_odd (texts, keys);
      return g_steal_pointer (&keys);
    }
  if (opening->given[TL_HDF5_KEYS] != NULL)
    return tl_fail_null (
        error, TL_ERROR_FORMAT,
        n == 0 ? _ ("%s: the texts in %s, which say what the "
                    "frames are, cannot be read")
               : _ ("%s: no text in %s says which frames are "
                    "projections, as data, data_white and data_dark "
                    "do"),
        opening->scan->name, target->path);
  tl_scan_draft_note (opening->draft,
                      n == 0 ? _ ("the texts in %s, which say what the frames "
                                  "are, cannot be read: left out")
                             : _ ("no text in %s says which frames are "
                                  "projections: left out"),
                      target->path);
  return NULL;
}

/* Fails if there are no projections yet, but may be: the program that writes
 * the file is not done. */
static gboolean
check_begun (const Opening *opening, GError **error)
{
  const TlWriter writer = opening->draft->writer;
  return opening->draft->frames->n_frames > 0 || writer == TL_WRITER_GONE
         || (writer == TL_WRITER_UNKNOWN && !opening->options->grows)
         || tl_fail (error, TL_ERROR_EARLY,
                     _ ("%s: is still being written and has no projection yet; "
                        "wait for the first one, or follow it (--follow)"),
                     opening->scan->name);
}

/* Divides the frames into projections, flats and darks if there are keys. */
static gboolean
apply_keys (Opening *opening, TlHdf5Id dataset, gboolean *are_there,
            GError **error)
{
  g_auto (Target) target = { .file = -1 };
  if (!find_place (opening, TL_HDF5_KEYS, &target, error))
    return FALSE;
  opening->n_keys = opening->n_projections = opening->n_frames;
  *are_there = target.path != NULL;
  if (!*are_there)
    return TRUE;
  GError *failure = NULL;
  g_autofree double *keys = read_keys (opening, &target, &failure);
  *are_there = keys != NULL;
  if (failure != NULL)
    {
      g_propagate_error (error, failure);
      return FALSE;
    }
  if (!*are_there)
    return TRUE;
  opening->n_projections = 0;
  for (size_t i = 0; i < opening->n_keys; i++)
    opening->n_projections += keys[i] == 0;
  if (!add_frames (opening, TL_FRAMES_FLATS, dataset, error)
      || !add_frames (opening, TL_FRAMES_DARKS, dataset, error)
      || !split_frames (opening, keys, MIN (opening->n_keys, opening->n_frames),
                        error)
      || !check_begun (opening, error))
    return FALSE;
  if (opening->n_keys != opening->n_frames
      && opening->draft->frames->n_frames == 0)
    return tl_fail (error, TL_ERROR_SHAPE,
                    _ ("%s: %zu image keys but %zu frames, and none of these "
                       "is a projection"),
                    opening->scan->name, opening->n_keys, opening->n_frames);
  if (opening->draft->frames->n_frames == 0)
    return tl_fail_with_hint (
        error, TL_ERROR_SHAPE,
        _ ("say where the right ones are with --keys-path"),
        _ ("%s: none of the %zu image keys is 0, as those of "
           "projections are"),
        opening->scan->name, opening->n_keys);
  note_keys (opening);
  return TRUE;
}

static gboolean
add_later_flats (Opening *opening, GError **error)
{
  TlHdf5Scan *scan = opening->scan;
  g_auto (TlHdf5Id) dataset =
      tl_hdf5_open_object (scan->file, opening->later_flats, scan->name, error);
  if (dataset < 0)
    return FALSE;
  if (!tl_hdf5_scan_add_later_flats (scan, dataset, opening->draft))
    tl_scan_draft_note (
        opening->draft,
        _ ("the flats after the projections, %s, are not like those before "
           "or cannot be read: left out"),
        opening->later_flats);
  return TRUE;
}

/* Most flats do not say when they were taken: before the projections. In a
 * recording, those after the first projection have an angle. */
static gboolean
count_flats_before (Opening *opening, GError **error)
{
  const size_t n_flats = opening->draft->frames[TL_FRAMES_FLATS].n_frames;
  g_auto (Target) target = { .file = -1 };
  size_t n_angles = 0, n_before = 0;
  opening->draft->n_flats_before = n_flats;
  if (!find_place (opening, TL_HDF5_FLAT_ANGLES, &target, error))
    return FALSE;
  if (target.path == NULL)
    return TRUE;
  g_autofree double *angles = tl_hdf5_read_numbers (
      target.file, target.path, opening->scan->name, &n_angles, error);
  if (angles == NULL)
    return FALSE;
  while (n_before < n_angles && isnan (angles[n_before]))
    n_before++;
  if (n_before > 0)
    opening->draft->n_flats_before = MIN (n_before, n_flats);
  return TRUE;
}

/* Adds the flats or darks of a dataset of their own. */
static gboolean
add_fields (Opening *opening, TlFrameKind kind, TlHdf5Place place,
            GError **error)
{
  g_auto (Target) target = { .file = -1 };
  if (!find_place (opening, place, &target, error))
    return FALSE;
  if (target.path == NULL)
    return TRUE;
  tl_hdf5_scan_drop (opening->scan, kind);
  g_auto (TlHdf5Id) dataset = tl_hdf5_open_object (target.file, target.path,
                                                   opening->scan->name, error);
  if (dataset < 0 || !add_frames (opening, kind, dataset, error))
    return FALSE;
  if (kind == TL_FRAMES_FLATS && !count_flats_before (opening, error))
    return FALSE;
  return kind != TL_FRAMES_FLATS || opening->later_flats == NULL
         || add_later_flats (opening, error);
}

/* Returns: whether the image keys say which frames are of the kind, and the
 * user says nothing else */
static gboolean
has_by_keys (const Opening *opening, TlFrameKind kind, TlHdf5Place place)
{
  return opening->given[place] == NULL
         && opening->draft->frames[kind].n_frames > 0;
}

static gboolean
add_flats_and_darks (Opening *opening, TlHdf5Id dataset, GError **error)
{
  gboolean has_keys = FALSE;
  return apply_keys (opening, dataset, &has_keys, error)
         && ((has_keys && has_by_keys (opening, TL_FRAMES_FLATS, TL_HDF5_FLATS))
             || add_fields (opening, TL_FRAMES_FLATS, TL_HDF5_FLATS, error))
         && ((has_keys && has_by_keys (opening, TL_FRAMES_DARKS, TL_HDF5_DARKS))
             || add_fields (opening, TL_FRAMES_DARKS, TL_HDF5_DARKS, error));
}

/* --- angles --- */

/* Returns: whether more numbers may be appended to the dataset */
static gboolean
can_grow (const Target *list)
{
  hsize_t dims[H5S_MAX_RANK] = { 0 }, most[H5S_MAX_RANK] = { 0 };
  g_auto (TlHdf5Id) dataset = H5Dopen2 (list->file, list->path, H5P_DEFAULT);
  g_auto (TlHdf5Id) space = dataset < 0 ? -1 : H5Dget_space (dataset);
  if (space >= 0)
    H5Sget_simple_extent_dims (space, dims, most);
  H5Eclear2 (H5E_DEFAULT);
  return most[0] > dims[0];
}

/* Returns: whether the angles are those of all frames, and not of the
 * projections alone. A scan that is not finished may have more angles than
 * frames, if they were written before, or fewer, if its writer appends them. */
static gboolean
are_of_frames (const Opening *opening, gboolean grows)
{
  const size_t n = opening->draft->n_angles;
  if (opening->options->grows || n == opening->n_keys
      || (grows && n == opening->n_frames))
    return TRUE;
  return n != opening->n_projections && n != opening->draft->frames->n_frames
         && (grows || n >= opening->n_frames);
}

/* Brings the number of angles to @n, that of the frames or of the projections.
 * Angles that are not there yet become NaN. */
static gboolean
resize_angles (TlScanDraft *draft, size_t n, GError **error)
{
  g_autofree double *taken = draft->angles_deg;
  draft->angles_deg =
      tl_try_alloc (n, 1, 1, sizeof (double), _ ("the angles"), error);
  if (draft->angles_deg == NULL)
    return FALSE;
  for (size_t i = 0; i < n; i++)
    draft->angles_deg[i] = i < draft->n_angles ? taken[i] : NAN;
  if (draft->n_angles > n)
    tl_scan_draft_note (draft,
                        _ ("%zu angles (%s) but %zu images for them, as in a "
                           "scan that was not finished: the first %zu angles "
                           "are used"),
                        draft->n_angles, draft->angles_source, n, n);
  draft->n_angles = n;
  return TRUE;
}

/* Assigns the angles to the projections. Leaves them as they are if that is not
 * possible. @grows: more may be appended to them */
static gboolean
assign_angles (Opening *opening, gboolean grows, GError **error)
{
  TlScanDraft *draft = opening->draft;
  const size_t n_projections = draft->frames->n_frames;
  const size_t *projections = opening->scan->kinds->frames;
  if (draft->n_angles != opening->n_keys
      && tl_scan_draft_drop_still (draft, TRUE))
    return TRUE;
  if (!are_of_frames (opening, grows))
    return draft->n_angles != opening->n_projections
           || resize_angles (draft, n_projections, error);
  if (projections == NULL && draft->n_angles > opening->n_frames
      && !opening->options->grows && tl_scan_draft_begins_still (draft))
    return TRUE;
  if (!resize_angles (draft, opening->n_frames, error))
    return FALSE;
  draft->n_angles = n_projections;
  for (size_t i = 0; i < n_projections && projections != NULL; i++)
    draft->angles_deg[i] = draft->angles_deg[projections[i]];
  return TRUE;
}

/* Notes how many projections a file that grows will have: those of a dataset
 * that cannot grow, or of @angles (nullable), a list that cannot, and has none
 * of flats and darks. */
static void
note_likely (Opening *opening, const Target *angles)
{
  TlScanDraft *draft = opening->draft;
  const Target data = { opening->scan->file, opening->found.data };
  if (!opening->options->grows)
    return;
  if (!can_grow (&data))
    draft->n_likely = draft->frames->n_frames;
  else if (angles != NULL && opening->scan->kinds->frames == NULL
           && !can_grow (angles))
    draft->n_likely = draft->n_angles;
}

/* Takes the projections for sinograms where the number of angles says so, and
 * nothing else speaks against it: a scan that is being written may have more
 * angles than images, too. */
static void
turn_sinograms (Opening *opening)
{
  TlScanDraft *draft = opening->draft;
  const TlFrameSet *all = draft->frames, *flats = &all[TL_FRAMES_FLATS];
  const Target data = { opening->scan->file, opening->found.data };
  const size_t n = draft->n_angles;
  if (n == all->n_frames || n != all->n_rows
      || opening->scan->kinds->frames != NULL || opening->options->grows
      || (flats->n_frames > 0 && flats->n_rows == all->n_rows)
      || can_grow (&data))
    return;
  tl_hdf5_scan_turn (opening->scan, TL_FRAMES_PROJECTIONS, draft);
  opening->n_frames = opening->n_keys = opening->n_projections = n;
  tl_scan_draft_note (
      draft,
      _ ("%s is read as sinograms, one after the other, because "
         "its images have as many rows as there are angles, %zu"),
      opening->found.data, n);
}

static gboolean
load_angles (Opening *opening, const Target *target, GError **error)
{
  TlScanDraft *draft = opening->draft;
  const char *name = opening->scan->name;
  draft->angles_deg = tl_hdf5_read_numbers (target->file, target->path, name,
                                            &draft->n_angles, error);
  if (draft->angles_deg == NULL)
    return FALSE;
  for (size_t i = 0; i < draft->n_angles; i++)
    if (isinf (draft->angles_deg[i]))
      return tl_fail (error, TL_ERROR_VALUE,
                      _ ("%s: number %zu in %s is infinite, and no angle"),
                      name, i, target->path);
  return TRUE;
}

/* Reads one angle for each frame of the dataset, or for each projection, unless
 * the user says others. */
static gboolean
read_angles (Opening *opening, GError **error)
{
  TlScanDraft *draft = opening->draft;
  const TlHdf5Layout *layout = opening->found.layout;
  const TlReaderOptions *options = opening->options;
  g_auto (Target) target = { .file = -1 };
  g_autoptr (GError) failure = NULL;
  if (options->has_angles || options->angles_file != NULL)
    return TRUE;
  if (!find_place (opening, TL_HDF5_ANGLES, &target, error))
    return FALSE;
  if (target.path == NULL)
    {
      draft->angle_places = list_places (opening, opening->n_frames);
      if (draft->angle_places == NULL) /* there may be sinograms */
        draft->angle_places = list_places (opening, draft->frames->n_rows);
      note_likely (opening, NULL);
      return TRUE;
    }
  if (!load_angles (opening, &target, &failure))
    return tl_fail_with_hint (
        error, failure->code,
        failure->code == TL_ERROR_MEMORY
            ? NULL
            : _ ("give --angles FIRST:LAST, both included"),
        "%s", failure->message);
  g_autofree char *units = tl_hdf5_dup_units (target.file, target.path);
  tl_scan_draft_take_angle_unit (draft, target.path, units,
                                 layout != NULL ? layout->angle_unit : NULL);
  turn_sinograms (opening);
  note_likely (opening, &target);
  return assign_angles (opening, can_grow (&target), error);
}

static void
read_pixel_size (Opening *opening)
{
  g_auto (Target) target = { .file = -1 };
  if (find_place (opening, TL_HDF5_PIXEL_SIZE, &target, NULL)
      && target.path != NULL)
    tl_hdf5_read_pixel_size (target.file, target.path, opening->draft);
}

/* Returns: how much greater the id of projection @i is than that of the one
 * before it; 0: another frame is between them, or one has no id yet */
static double
get_id_step (const double *ids, const size_t *frames, size_t i)
{
  const size_t frame = frames != NULL ? frames[i] : i;
  return (frames == NULL || frames[i - 1] + 1 == frame) && ids[frame] > 0
                 && ids[frame - 1] > 0
             ? ids[frame] - ids[frame - 1]
             : 0;
}

/* Returns: by how much the ids of @n projections go up when none is lost; 0: it
 * is not known, or they are not in the order in which they were taken */
static double
find_id_step (const double *ids, const size_t *frames, size_t n)
{
  double least = 0;
  for (size_t i = 1; i < n; i++)
    {
      const double step = get_id_step (ids, frames, i);
      if (step < 0)
        return 0;
      if (step > 0 && (least == 0 || step < least))
        least = step;
    }
  return least;
}

/* Finds the ids that are missing between projections. A detector may have run
 * on between its flats and the projections. Nothing is known without ids. */
static void
find_lost (Opening *opening)
{
  g_auto (Target) target = { .file = -1 };
  const size_t *frames = opening->scan->kinds->frames;
  size_t n_ids;
  if (!find_place (opening, TL_HDF5_IDS, &target, NULL) || target.path == NULL)
    return;
  g_autofree double *ids = tl_hdf5_read_numbers (
      target.file, target.path, opening->scan->name, &n_ids, NULL);
  size_t n = ids != NULL ? opening->draft->frames->n_frames : 0;
  while (n > 0 && (frames != NULL ? frames[n - 1] : n - 1) >= n_ids)
    n--; /* the others are not there yet */
  const double step = find_id_step (ids, frames, n);
  opening->draft->lost_ids = g_array_new (FALSE, FALSE, sizeof (TlFrameRange));
  for (size_t i = 1; step > 0 && i < n; i++)
    {
      const double end = ids[frames != NULL ? frames[i] : i];
      const double gap = get_id_step (ids, frames, i);
      if (gap <= MAX_ID_STEP)
        for (double id = end - gap + step; id < end; id += step)
          tl_frame_ranges_add (opening->draft->lost_ids, (size_t)id);
    }
}

/* Whoever follows a file that grows says it at the end of the scan. */
static void
note_lost (TlScanDraft *draft)
{
  const size_t n =
      draft->lost_ids != NULL ? tl_frame_ranges_count (draft->lost_ids) : 0;
  if (n == 0)
    return;
  g_autofree char *list = tl_frame_ranges_list (draft->lost_ids);
  tl_scan_draft_note (
      draft,
      g_dngettext (NULL,
                   "%zu projection has not come into the file, by the gap in "
                   "the unique ids: %s",
                   "%zu projections have not come into the file, by the gaps "
                   "in the unique ids: %s",
                   n),
      n, list);
}

/* --- the scan --- */

/* Returns: (nullable): the path of one with more than three dimensions */
static const char *
find_deep (GPtrArray *datasets)
{
  for (guint i = 0; i < datasets->len; i++)
    if (((TlDataset *)datasets->pdata[i])->n_dims > 3)
      return ((TlDataset *)datasets->pdata[i])->path;
  return NULL;
}

/* Returns: how many datasets have one image each; 0 if one has several */
static guint
count_single (GPtrArray *datasets)
{
  guint n = 0;
  for (guint i = 0; i < datasets->len; i++)
    {
      const TlDataset *dataset = datasets->pdata[i];
      if (dataset->n_dims == 3 && dataset->dims[0] > 1)
        return 0;
      n += dataset->n_dims == 3;
    }
  return n;
}

static char *
list_layouts (GPtrArray *layouts)
{
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; i < layouts->len; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? ", " : "",
                            ((TlHdf5Layout *)layouts->pdata[i])->name);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static gboolean
refuse (Opening *opening, GPtrArray *layouts, GError **error)
{
  const char *name = opening->scan->name;
  const char *inside = opening->given[TL_HDF5_DATA];
  g_autoptr (GPtrArray) all = tl_hdf5_list_datasets (opening->scan->file);
  g_autofree char *datasets = tl_datasets_describe (all);
  g_autofree char *known = list_layouts (layouts);
  g_autofree char *hint = g_strdup_printf (
      inside != NULL
          ? _ ("--data-path takes one of the datasets with three dimensions: "
               "%s")
          : _ ("say which dataset has the projections with --data-path: %s"),
      datasets);
  const char *deep = find_deep (all);
  if (*datasets == '\0' && deep != NULL)
    return tl_fail (error, TL_ERROR_FORMAT,
                    _ ("%s: no dataset in it has three dimensions (images, "
                       "rows, columns), as projections have; %s has more"),
                    name, deep);
  if (*datasets == '\0')
    return tl_fail (error, TL_ERROR_FORMAT,
                    _ ("%s: no scan in it, and no dataset of three dimensions; "
                       "looked for the layouts %s"),
                    name, known);
  if (count_single (all) >= MIN_SINGLE)
    return tl_fail (error, TL_ERROR_FORMAT,
                    _ ("%s: each of its %u images is a dataset of its own, as "
                       "in files of ALS 8.3.2, and this layout cannot be read; "
                       "write the images to TIFF files, or all projections to "
                       "one dataset"),
                    name, count_single (all));
  if (inside != NULL)
    return tl_fail_with_hint (error, TL_ERROR_LAYOUT, hint,
                              _ ("%s: there is no scan at %s"), name, inside);
  return tl_fail_with_hint (error, TL_ERROR_LAYOUT, hint,
                            _ ("%s: no scan in a layout that is known (%s)"),
                            name, known);
}

/* Notes that @scans has more than the first, which is read. */
static void
note_scans (Opening *opening, GPtrArray *scans)
{
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; i < scans->len; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? ", " : "",
                            ((TlHdf5Found *)scans->pdata[i])->entry);
  tl_scan_draft_note (opening->draft,
                      _ ("%u scans in the file (%s): the first is read; "
                         "another is opened as %s:%s"),
                      scans->len, text->str, opening->scan->name,
                      ((TlHdf5Found *)scans->pdata[1])->entry);
}

/* Sets opening->found, which @scans and @layouts own.
 * @problem: (nullable): why the user's layouts are missing */
static gboolean
find_scan (Opening *opening, GPtrArray *layouts, GPtrArray *scans,
           const char *problem, GError **error)
{
  const char *inside = opening->given[TL_HDF5_DATA];
  TlFrameSet set;
  GError *failure = NULL;
  if (scans->len > 1)
    note_scans (opening, scans);
  opening->draft->n_scans = scans->len;
  if (scans->len > 0)
    {
      opening->found = *(TlHdf5Found *)scans->pdata[0];
      return TRUE;
    }
  g_auto (TlHdf5Id) object =
      inside == NULL ? -1 : H5Oopen (opening->scan->file, inside, H5P_DEFAULT);
  if (object < 0 || tl_hdf5_get_frames (object, &set) < 0)
    {
      refuse (opening, layouts, &failure);
      if (problem != NULL)
        g_prefix_error (&failure, "%s; ", problem);
      g_propagate_error (error, failure);
      return FALSE;
    }
  opening->found = (TlHdf5Found){ NULL, (char *)"/", (char *)inside };
  return TRUE;
}

/* LImA writes a long scan to several files, and says in each how many images
 * were to be taken in all. */
static void
note_part (Opening *opening)
{
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  size_t n = 0;
  tl_hdf5_match (opening->scan->file, opening->found.entry,
                 "**/acquisition/nb_frames", paths);
  g_autofree double *numbers =
      paths->len == 0
          ? NULL
          : tl_hdf5_read_numbers (opening->scan->file, paths->pdata[0],
                                  opening->scan->name, &n, NULL);
  if (numbers != NULL && n == 1 && numbers[0] > (double)opening->n_frames)
    tl_scan_draft_ask (
        opening->draft, NULL, NULL,
        g_dngettext (
            NULL,
            "this file has %zu of the %.0f images of its scan; give the angle "
            "of this one. The others are in further files, or were not taken. "
            "To see all, open the file that joins them as a virtual dataset, "
            "such as the master file of BLISS",
            "this file has %zu of the %.0f images of its scan; give the angles "
            "of these %zu. The others are in further files, or were not taken. "
            "To see all, open the file that joins them as a virtual dataset, "
            "such as the master file of BLISS",
            opening->n_frames),
        opening->n_frames, numbers[0], opening->n_frames);
}

static gboolean
describe (Opening *opening, GError **error)
{
  TlScanDraft *draft = opening->draft;
  const TlHdf5Layout *layout = opening->found.layout;
  g_auto (TlHdf5Id) dataset = tl_hdf5_open_object (
      opening->scan->file, opening->found.data, opening->scan->name, error);
  if (dataset < 0
      || !add_frames (opening, TL_FRAMES_PROJECTIONS, dataset, error)
      || !check_begun (opening, error))
    return FALSE;
  opening->n_frames = draft->frames->n_frames;
  if (!add_flats_and_darks (opening, dataset, error)
      || !read_angles (opening, error))
    return FALSE;
  read_pixel_size (opening);
  note_part (opening);
  find_lost (opening);
  if (!opening->options->grows)
    note_lost (draft);
  g_autofree char *format =
      g_strconcat (layout != NULL ? layout->name : "",
                   layout != NULL ? " " : "", "HDF5", NULL);
  draft->format = g_intern_string (format);
  return TRUE;
}

static gpointer
open_hdf5 (const char *path, const TlReaderOptions *options, TlScanDraft *draft,
           GError **error)
{
  if (!tl_trial_pass (path, options, error))
    return NULL;
  g_auto (TlHdf5Turn) turn G_GNUC_UNUSED = tl_hdf5_enter ();
  g_autoptr (TlHdf5Scan) scan = tl_hdf5_scan_open (path, error);
  g_autofree char *problem = NULL;
  if (scan == NULL)
    return NULL;
  g_autoptr (GPtrArray) layouts = tl_hdf5_layouts_load (&problem);
  g_autofree char *inside =
      options->data_path != NULL
          ? g_canonicalize_filename (options->data_path, "/")
          : NULL;
  Opening opening = {
    .scan = scan,
    .given = { [TL_HDF5_DATA] = inside,
               [TL_HDF5_KEYS] = options->keys_path,
               [TL_HDF5_ANGLES] = options->angles_path,
               [TL_HDF5_FLATS] = options->flats_path,
               [TL_HDF5_DARKS] = options->darks_path },
    .options = options,
    .draft = draft,
  };
  g_autoptr (GPtrArray) scans =
      tl_hdf5_layouts_find (layouts, scan->file, inside, options->cancellable);
  draft->writer = tl_hdf5_find_writer (scan->file);
  if (problem != NULL)
    tl_scan_draft_ask (draft, NULL, NULL, "%s", problem);
  const gboolean good =
      !g_cancellable_set_error_if_cancelled (options->cancellable, error)
      && find_scan (&opening, layouts, scans, problem, error)
      && describe (&opening, error);
  g_free (opening.later_flats);
  g_free (opening.odd_texts);
  g_free (opening.keys);
  return good ? g_steal_pointer (&scan) : NULL;
}

const TlReaderFormat tl_hdf5_format = {
  .container = TL_CONTAINER_HDF5,
  .open = open_hdf5,
  .is_parallel = tl_hdf5_scan_is_parallel,
  .read = tl_hdf5_scan_read,
  .can_ascend = tl_hdf5_scan_can_ascend,
  .ascend = tl_hdf5_scan_ascend,
  .skip_rest = tl_hdf5_scan_skip_rest,
  .use_inflater = tl_hdf5_scan_use_inflater,
  .refresh = tl_hdf5_scan_refresh,
  .close = tl_hdf5_scan_close,
  .list_datasets = tl_hdf5_contents_list_datasets,
  .list_scans = tl_hdf5_contents_list_scans,
  .list_sources = tl_hdf5_contents_list_sources,
};
