#include "app/session/session.h"

#include "data/error.h"
#include "data/read/format/contents.h"
#include "data/read/scan/frame-ranges.h"
#include "data/stream/stream.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <string.h>

/* A folder to which no image was added for this time is not being written. */
#define LATELY_S (10 * 60)

/* The most changed parameters that the notice of a recipe names. */
#define MAX_CHANGES 3

G_DEFINE_FINAL_TYPE (TlSession, tl_session, G_TYPE_OBJECT)

/* --- opening --- */

/* Returns: (transfer full) (nullable): the corrections that @before has and
 * @after has not, in words */
static char *
list_dropped (const TlRecipe *before, const TlRecipe *after)
{
  static const char *const keys[] = { "zingers", "rings", "phase",
                                      "beam-hardening" };
  g_autoptr (GPtrArray) labels = g_ptr_array_new ();
  for (guint k = 0; k < G_N_ELEMENTS (keys); k++)
    {
      g_autofree char *was = tl_recipe_get (before, keys[k]);
      g_autofree char *is = tl_recipe_get (after, keys[k]);
      if (strcmp (was, is) != 0)
        g_ptr_array_add (
            labels, (gpointer)_ (tl_recipe_find_key (keys[k], NULL)->label));
    }
  if (labels->len == 0)
    return NULL;
  g_ptr_array_add (labels, NULL);
  return g_strjoinv (", ", (char **)labels->pdata);
}

/* Returns: (transfer full) */
static char *
list_recalled (TlScanMemory recalled)
{
  const char *words[5] = { NULL };
  guint n = 0;
  if ((recalled & TL_SCAN_MEMORY_ANGLES) != 0)
    words[n++] = _ ("its angles");
  if ((recalled & TL_SCAN_MEMORY_FILES) != 0)
    words[n++] = _ ("its files");
  if ((recalled & TL_SCAN_MEMORY_LEFT_OUT) != 0)
    words[n++] = _ ("the projections left out");
  if ((recalled & TL_SCAN_MEMORY_RAW) != 0)
    words[n++] = _ ("how its samples are stored");
  return g_strjoinv (", ", (char **)words);
}

/* Returns: (transfer full) (nullable): what the user does not see otherwise */
static char *
describe_start (const char *file, const TlRecipe *before, const TlRecipe *after,
                TlScanMemory recalled)
{
  g_autofree char *name = g_filename_display_basename (file);
  g_autofree char *dropped = list_dropped (before, after);
  g_autofree char *words = list_recalled (recalled);
  if (recalled != 0)
    return g_strdup_printf (_ ("%s: taken over from last time: %s"), name,
                            words);
  return dropped == NULL
             ? NULL
             : g_strdup_printf (_ ("Off again, because it is another scan: %s"),
                                dropped);
}

static void
tell_change (TlSession *session, TlScanChange change)
{
  g_autofree char *name = g_filename_display_basename (
      tl_scan_source_get_summary (session->source)->path);
  g_autofree char *news = g_strdup_printf (
      change == TL_SCAN_REPLACED ? _ ("%s now holds another scan: the centre "
                                      "and the corrections were reset")
                                 : _ ("%s has changed since it was opened; the "
                                      "parameters were kept"),
      name);
  tl_messages_tell_news (session->messages, news);
}

/* Returns: whether @named says the same as @recipe, or nothing */
static gboolean
has_same_places (const TlRecipe *recipe, const TlRecipe *named)
{
  g_autoptr (TlRecipe) moved = tl_recipe_dup (recipe);
  if (named != NULL)
    tl_recipe_copy_places (moved, named);
  for (const char *const *key = tl_recipe_place_keys; *key != NULL; key++)
    if (!tl_recipe_is_equal (recipe, moved, tl_recipe_find_key (*key, NULL)))
      return FALSE;
  return TRUE;
}

/* Returns: (transfer full): the parameters of another scan */
static TlRecipe *
begin_anew (const TlRecipe *before, const TlRecipe *places)
{
  TlRecipe *recipe = tl_recipe_dup (before);
  tl_recipe_forget_scan (recipe);
  if (places != NULL)
    tl_recipe_copy_places (recipe, places);
  return recipe;
}

/* Returns: whether @path is what is followed, or the file in which a scan of it
 * was kept */
static gboolean
is_of_stream (TlSession *session, const char *path)
{
  const char *name = tl_growth_get_name (session->growth);
  return name != NULL
         && (strcmp (path, name) == 0
             || g_strcmp0 (path, session->recording) == 0);
}

/* Returns: whether @path is the open scan, or another name of the same stream
 */
static gboolean
is_open_scan (TlSession *session, const char *path)
{
  const TlScanSummary *scan = tl_scan_source_get_summary (session->source);
  return scan != NULL
         && (strcmp (scan->path, path) == 0
             || (is_of_stream (session, scan->path)
                 && is_of_stream (session, path)));
}

/* Returns: whether @path is the open scan, and no other one is being opened */
static gboolean
is_open (TlSession *session, const char *path)
{
  const TlScanSummary *scan = tl_scan_source_get_summary (session->source);
  if (scan == NULL || tl_scan_source_is_opening (session->source))
    return FALSE;
  g_autofree char *open = g_canonicalize_filename (scan->path, NULL);
  g_autofree char *wanted = g_canonicalize_filename (path, NULL);
  return strcmp (open, wanted) == 0
         || (tl_stream_is_address (path) && is_open_scan (session, path));
}

static void watch_scan (TlSession *session);

/* What was followed is followed no more when another scan is open. What came
 * over the network is nowhere but in memory.
 *
 * @held: (nullable): the frames of a scan that has begun by itself: notices
 * stay, and so does the warning that it could not be opened before */
static void
open_file (TlSession *session, const char *path, TlRecipe *recipe,
           TlRecipe *anew, TlHeld *held)
{
  const char *name = tl_growth_get_name (session->growth);
  const gboolean is_followed = g_strcmp0 (name, path) == 0;
  if (session->skips_flats && held != NULL)
    tl_recipe_set (recipe, "flat-field", "off", NULL);
  tl_refused_scan_clear (&session->refused);
  session->recalled = 0;
  if (held == NULL)
    tl_messages_dismiss (session->messages);
  else if (!tl_growth_has_failed (session->growth))
    /* even a message that stays belongs to the previous scan */
    tl_messages_clear_warning (session->messages, TRUE);
  if (held == NULL && (is_followed || tl_stream_is_address (path)))
    held = tl_scan_source_find_held (session->source, path);
  session->leaves = name != NULL && !is_of_stream (session, path);
  session->is_same = is_open_scan (session, path);
  if (session->awaited != NULL)
    watch_scan (session);
  tl_scan_chooser_cancel (session->chooser);
  tl_scan_source_start (session->source, path, recipe, anew, held);
}

/* What could not be read of the scan before is no matter of the next one. */
static void
drop_damaged (TlSession *session, TlRecipe *recipe)
{
  if (session->all_left_out == NULL
      || g_strcmp0 (recipe->leave_out, session->all_left_out) != 0)
    return;
  g_free (recipe->leave_out);
  recipe->leave_out = g_strdup (session->own_left_out);
}

/* Returns: whether the flat field is on because the open scan has flats, or off
 * because it has none, so that the user need not have chosen it */
static gboolean
are_flats_automatic (TlSession *session, const TlRecipe *recipe)
{
  const TlScanSummary *scan = tl_scan_source_get_summary (session->source);
  if (scan == NULL)
    return FALSE;
  return recipe->params.flat_field
             ? scan->n_flats > 0
             : scan->n_flats == 0 && !scan->are_counts && !session->lacks_flats;
}

/* Lets the next scan of a stream decide about the flat field and the logarithm
 * again, unless the user has chosen them: it may have flats where this one has
 * none. */
static void
drop_automatic (TlSession *session, TlRecipe *recipe)
{
  const TlScanSummary *scan = tl_scan_source_get_summary (session->source);
  if (are_flats_automatic (session, recipe))
    recipe->flat_field_known = FALSE;
  if (scan != NULL && recipe->params.minus_log == !scan->is_attenuation)
    recipe->minus_log_known = FALSE;
}

/* Another detector has its axis elsewhere, and other rows.
 *
 * @held: the frames of the next scan of a stream */
static void
drop_places (TlSession *session, TlHeld *held, TlRecipe *recipe)
{
  const TlScanSummary *scan = tl_scan_source_get_summary (session->source);
  TlHeldState state;
  tl_held_get_state (held, &state);
  if (scan != NULL && scan->n_cols != state.n_cols)
    recipe->centre_known = FALSE;
  else
    tl_parameters_drop_uncertain_centre (session->parameters, recipe);
  if (recipe->slice >= state.n_rows)
    recipe->slice_known = FALSE;
}

/* @named: (nullable): where the parts of the scan are; %NULL: where they are
 * now, if the file is open
 * @held: (nullable): as of open_file() */
static void
start (TlSession *session, const char *file, const TlRecipe *named,
       TlHeld *held)
{
  const TlScanSummary *scan = tl_scan_source_get_summary (session->source);
  const TlRecipe *before = tl_parameters_get_recipe (session->parameters);
  const gboolean is_open = is_open_scan (session, file);
  const TlRecipe *places = named == NULL && is_open ? before : named;
  const gboolean is_other =
      scan != NULL
      && (!is_open
          || (named != NULL
              && g_strcmp0 (named->data_path, before->data_path) != 0));
  TlRecipe *recipe =
      is_other ? begin_anew (before, places) : tl_recipe_dup (before);
  if (!is_other && places != NULL)
    tl_recipe_copy_places (recipe, places);
  if (held != NULL && held != tl_scan_source_find_held (session->source, file))
    {
      g_clear_pointer (&recipe->leave_out, g_free);
      drop_automatic (session, recipe);
      drop_places (session, held, recipe);
    }
  TlRecipe *anew = is_open && has_same_places (before, named)
                       ? begin_anew (before, places)
                       : NULL;
  TlScanMemory recalled =
      TL_SCAN_MEMORY_ANGLES | TL_SCAN_MEMORY_FILES | TL_SCAN_MEMORY_RAW;
  if (held == NULL) /* a new scan of a stream has other projections */
    recalled |= TL_SCAN_MEMORY_LEFT_OUT;
  recalled =
      is_open && !is_other ? 0 : tl_scan_memory_recall (file, recalled, recipe);
  g_free (session->news);
  session->news = describe_start (file, before, recipe, recalled);
  session->opened_at_once = FALSE;
  open_file (session, file, recipe, anew, held);
  session->recalled = recalled;
}

/* Returns: whether it is followed */
static gboolean
follow_or_warn (TlSession *session, const char *name,
                const TlStreamOptions *options)
{
  g_autoptr (GError) error = NULL;
  const gboolean good = tl_session_follow (session, name, options, &error);
  if (!good)
    tl_messages_warn (session->messages, FALSE, "%s", error->message);
  return good;
}

/* What was said of the address holds until something else is. */
static void
open_address (TlSession *session, const char *address)
{
  g_auto (TlAddressWords) words = { 0 };
  g_autoptr (GError) error = NULL;
  if (!tl_scan_memory_recall_address (address, &words))
    follow_or_warn (session, address, NULL);
  else if (tl_session_follow_address (session, address, words.expected,
                                      words.angles, words.kinds, &error))
    tl_messages_tell (session->messages,
                      _ ("%s: opened with the settings from last time; Open "
                         "Address… changes them"),
                      address);
  else
    tl_messages_warn (session->messages, FALSE, "%s", error->message);
}

void
tl_session_open (TlSession *session, const char *path)
{
  g_return_if_fail (TL_IS_SESSION (session));
  g_return_if_fail (path != NULL);
  /* Who opens something wants to see it. */
  if (tl_display_get_page (session->display) == TL_PAGE_EXPORT)
    tl_display_set_page (session->display, TL_PAGE_PICTURE);
  if (tl_stream_is_address (path))
    {
      open_address (session, path);
      return;
    }
  g_autoptr (TlRecipe) named = tl_recipe_new ();
  g_autofree char *file = tl_recipe_take_scan (named, path);
  if (tl_recipe_has_name (path))
    tl_session_open_recipe (session, path, NULL);
  else
    start (session, file, named->data_path != NULL ? named : NULL, NULL);
}

void
tl_session_stop_opening (TlSession *session)
{
  g_return_if_fail (TL_IS_SESSION (session));
  tl_scan_source_stop (session->source);
}

void
tl_session_reload (TlSession *session)
{
  g_return_if_fail (TL_IS_SESSION (session));
  const TlScanSummary *scan = tl_scan_source_get_summary (session->source);
  g_autofree char *path = scan != NULL ? g_strdup (scan->path) : NULL;
  if (path == NULL)
    return;
  start (session, path, NULL, NULL);
  session->leaves = FALSE; /* it is no other scan, which ends following */
}

void
tl_session_open_places (TlSession *session, const char *path, GVariant *places)
{
  g_return_if_fail (TL_IS_SESSION (session));
  g_autoptr (GVariant) given = g_variant_ref_sink (places);
  g_autoptr (TlRecipe) named = tl_recipe_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *parent = g_path_get_dirname (path);
  g_autofree char *folder = g_canonicalize_filename (parent, NULL);
  GVariantIter iter;
  const char *name, *typed;
  g_variant_iter_init (&iter, given);
  while (error == NULL && g_variant_iter_next (&iter, "{&s&s}", &name, &typed))
    {
      const TlParamSpec *key = tl_recipe_find_key (name, &error);
      g_autofree char *value =
          key != NULL ? tl_recipe_make_absolute (key, typed, folder) : NULL;
      if (key != NULL)
        tl_recipe_set (named, name, value, &error);
    }
  if (error == NULL)
    start (session, path, named, NULL);
  else
    tl_messages_warn (session->messages, FALSE, "%s", error->message);
}

GVariant *
tl_session_get_places (TlSession *session)
{
  const TlRecipe *recipe = tl_parameters_get_recipe (session->parameters);
  GVariantBuilder places;
  g_variant_builder_init (&places, G_VARIANT_TYPE ("a{ss}"));
  for (const char *const *key = tl_recipe_place_keys; *key != NULL; key++)
    {
      g_autofree char *value = tl_recipe_get (recipe, *key);
      if (*value != '\0' && g_utf8_validate (value, -1, NULL))
        g_variant_builder_add (&places, "{ss}", *key, value);
    }
  return g_variant_builder_end (&places);
}

/* --- choosing in a file --- */

/* Returns: whether the message asks for it, which is about session->refused */
static gboolean
asks_for (TlSession *session, TlAsks what)
{
  guint asks;
  g_object_get (session->messages, "asks", &asks, NULL);
  return (asks & what) != 0 && session->refused.path != NULL;
}

gboolean
tl_session_can_choose (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), FALSE);
  const TlScanSummary *scan = tl_scan_source_get_summary (session->source);
  return asks_for (session, TL_ASKS_PLACES)
         || (scan != NULL
             && (g_str_has_suffix (scan->format, "HDF5")
                 || g_str_has_suffix (scan->format, "Zarr")));
}

void
tl_session_choose (TlSession *session)
{
  g_return_if_fail (TL_IS_SESSION (session));
  g_autofree char *reason = NULL;
  g_object_get (session->messages, "message", &reason, NULL);
  if (asks_for (session, TL_ASKS_PLACES))
    tl_scan_chooser_ask (session->chooser, session->refused.path,
                         session->refused.recipe, reason,
                         session->refused.asks);
  else if (tl_session_can_choose (session))
    tl_scan_chooser_ask (
        session->chooser, tl_scan_source_get_summary (session->source)->path,
        tl_parameters_get_recipe (session->parameters), NULL, TL_ASKS_NOTHING);
}

/* Returns: whether another choice in the file may help against @error */
static gboolean
is_matter_of_choice (const TlRecipe *recipe, const GError *error)
{
  gboolean has_place = FALSE;
  for (const char *const *key = tl_recipe_place_keys; *key != NULL; key++)
    {
      g_autofree char *value = tl_recipe_get (recipe, *key);
      has_place |= g_str_has_suffix (*key, "-path") && *value != '\0';
    }
  return g_error_matches (error, TL_ERROR, TL_ERROR_LAYOUT)
         || (recipe->angles_path != NULL
             && g_error_matches (error, TL_ERROR, TL_ERROR_ANGLES))
         || (has_place
             && (g_error_matches (error, TL_ERROR, TL_ERROR_FILE)
                 || g_error_matches (error, TL_ERROR, TL_ERROR_FORMAT)
                 || g_error_matches (error, TL_ERROR, TL_ERROR_SHAPE)
                 || g_error_matches (error, TL_ERROR, TL_ERROR_UNSUPPORTED)));
}

/* --- angles --- */

/* Sets the first and the last angle, or the file that has all. */
static gboolean
take_angles (TlRecipe *recipe, const char *angles, GError **error)
{
  const gboolean is_file =
      g_path_is_absolute (angles) || g_file_test (angles, G_FILE_TEST_EXISTS);
  g_autofree char *file =
      is_file ? g_canonicalize_filename (angles, NULL) : NULL;
  return tl_recipe_set (recipe, "angles", is_file ? "" : angles, error)
         && tl_recipe_set (recipe, "angles-file", is_file ? file : "", error);
}

gboolean
tl_session_open_with_angles (TlSession *session, const char *angles,
                             GError **error)
{
  g_return_val_if_fail (TL_IS_SESSION (session), FALSE);
  if (session->refused.path == NULL)
    return tl_fail (error, TL_ERROR_VALUE,
                    _ ("another scan was opened meanwhile"));
  g_autoptr (TlRecipe) recipe = tl_recipe_dup (session->refused.recipe);
  if (!take_angles (recipe, angles, error))
    return FALSE;
  g_autofree char *path = g_steal_pointer (&session->refused.path);
  g_clear_pointer (&session->news, g_free);
  session->opened_at_once = FALSE;
  open_file (session, path, g_steal_pointer (&recipe), NULL, NULL);
  return TRUE;
}

/* --- raw samples --- */

/* Returns: (transfer none) (nullable): the file that the message is about */
static const char *
get_refused_raw (TlSession *session)
{
  return asks_for (session, TL_ASKS_RAW) ? session->refused.path : NULL;
}

/* Returns: (transfer none) (nullable): the open scan, if it was described */
static const char *
get_open_raw (TlSession *session)
{
  const TlScanSummary *scan = tl_scan_source_get_summary (session->source);
  const TlRecipe *recipe = tl_parameters_get_recipe (session->parameters);
  return scan != NULL && recipe->raw != NULL
                 && g_file_test (scan->path, G_FILE_TEST_IS_REGULAR)
             ? scan->path
             : NULL;
}

gboolean
tl_session_can_describe_raw (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), FALSE);
  return get_refused_raw (session) != NULL || get_open_raw (session) != NULL;
}

const char *
tl_session_find_raw (TlSession *session, guint64 *size, TlRawLayout *layout)
{
  g_return_val_if_fail (TL_IS_SESSION (session), NULL);
  const char *refused = get_refused_raw (session);
  const char *path = refused != NULL ? refused : get_open_raw (session);
  const TlRecipe *recipe = refused != NULL
                               ? session->refused.recipe
                               : tl_parameters_get_recipe (session->parameters);
  GStatBuf there = { 0 };
  if (path == NULL)
    return NULL;
  g_stat (path, &there);
  *size = (guint64)there.st_size;
  if (recipe->raw == NULL || !tl_raw_layout_parse (recipe->raw, layout, NULL))
    *layout = tl_raw_layout_guess (*size);
  if (layout->n_images == 0)
    layout->n_images = tl_raw_layout_count_images (*layout, *size);
  return path;
}

gboolean
tl_session_open_raw (TlSession *session, const char *path,
                     const TlRawLayout *layout, GError **error)
{
  g_return_val_if_fail (TL_IS_SESSION (session), FALSE);
  const TlRecipe *before = tl_parameters_get_recipe (session->parameters);
  const gboolean is_refused = (session->refused.asks & TL_ASKS_RAW) != 0
                              && strcmp (path, session->refused.path) == 0;
  if (!is_refused && g_strcmp0 (path, get_open_raw (session)) != 0)
    return tl_fail (error, TL_ERROR_VALUE,
                    _ ("another scan was opened meanwhile"));
  g_autofree char *file = g_strdup (path);
  g_autofree char *text = tl_raw_layout_format (layout);
  g_autoptr (TlRecipe) recipe = is_refused
                                    ? tl_recipe_dup (session->refused.recipe)
                                    : begin_anew (before, before);
  if (!tl_recipe_set (recipe, "raw", text, error))
    return FALSE;
  if (!is_refused)
    tl_scan_memory_recall (path, TL_SCAN_MEMORY_ANGLES, recipe);
  g_clear_pointer (&session->news, g_free);
  session->opened_at_once = FALSE;
  open_file (session, file, g_steal_pointer (&recipe), NULL, NULL);
  return TRUE;
}

/* --- the files of a folder --- */

gboolean
tl_session_can_list_files (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), FALSE);
  const TlScanSummary *scan = tl_scan_source_get_summary (session->source);
  return asks_for (session, TL_ASKS_FILES)
         || (scan != NULL && scan->groups != NULL);
}

void
tl_session_list_files (TlSession *session)
{
  g_return_if_fail (TL_IS_SESSION (session));
  const TlRefusedScan *refused = &session->refused;
  if (asks_for (session, TL_ASKS_FILES))
    tl_scan_files_list_refused (session->files, refused->path, refused->groups,
                                refused->recipe);
  else if (tl_session_can_list_files (session))
    tl_scan_files_list (session->files,
                        tl_scan_source_get_summary (session->source),
                        tl_parameters_get_recipe (session->parameters));
}

/* @places: (transfer floating): of tl_scan_files_make_places() */
static gboolean
open_refused_folder (TlSession *session, GVariant *places, const char *angles,
                     GError **error)
{
  static const char *const keys[] = { "projections", "flats", "darks" };
  g_autoptr (GVariant) given = g_variant_ref_sink (places);
  if (g_strcmp0 (session->refused.path, tl_scan_files_get_path (session->files))
      != 0)
    return tl_fail (error, TL_ERROR_VALUE,
                    _ ("another scan was opened meanwhile"));
  g_autoptr (TlRecipe) recipe = tl_recipe_dup (session->refused.recipe);
  /* a place that changes takes along what was learnt of the fields */
  g_autoptr (TlRecipe) named = tl_recipe_dup (recipe);
  for (guint k = 0; k < G_N_ELEMENTS (keys); k++)
    {
      const char *pattern;
      if (g_variant_lookup (given, keys[k], "&s", &pattern)
          && !tl_recipe_set (named, keys[k], pattern, error))
        return FALSE;
    }
  tl_recipe_copy_places (recipe, named);
  if (!tl_recipe_set (recipe, "angles", angles, error))
    return FALSE;
  g_autofree char *path = g_strdup (session->refused.path);
  g_clear_pointer (&session->news, g_free);
  session->opened_at_once = FALSE;
  open_file (session, path, g_steal_pointer (&recipe), NULL, NULL);
  return TRUE;
}

/* Returns: %FALSE with TL_ERROR_VALUE */
static gboolean
open_listed_folder (TlSession *session, const char *angles, GError **error)
{
  TlScanFiles *files = session->files;
  GVariant *places = tl_scan_files_make_places (files, error);
  if (places == NULL)
    return FALSE;
  if (tl_scan_files_is_refused (files))
    return open_refused_folder (session, places, angles, error);
  tl_session_open_places (session, tl_scan_files_get_path (files), places);
  return tl_session_set_opening (session, "angles", angles, error);
}

gboolean
tl_session_assign_files (TlSession *session, GError **error)
{
  g_return_val_if_fail (TL_IS_SESSION (session), FALSE);
  const char *path = tl_scan_files_get_path (session->files);
  const char *angles = tl_scan_files_get_angles (session->files);
  g_autoptr (TlRecipe) tried = tl_recipe_new ();
  if (!tl_recipe_set (tried, "angles", angles, error))
    return FALSE;
  const gboolean is_as_said =
      is_open (session, path) && !tl_scan_files_is_changed (session->files);
  if (!is_as_said && !open_listed_folder (session, angles, error))
    return FALSE;
  tl_scan_source_confirm_files (session->source);
  return TRUE;
}

/* --- recipes --- */

/* Says whether the scan that comes can be shown without flats. If another scan
 * is open that has none, it was not the user who switched the flat field off.
 */
static void
note_flats (TlSession *session)
{
  const TlScanSummary *scan = tl_scan_source_get_summary (session->source);
  const gboolean is_coming = session->coming != NULL;
  const TlRecipe *recipe = is_coming
                               ? session->coming
                               : tl_parameters_get_recipe (session->parameters);
  const gboolean is_of_other = !is_coming && scan != NULL && scan->n_flats == 0
                               && !is_of_stream (session, scan->path);
  tl_growth_set_needs_flats (
      session->growth,
      !session->skips_flats
          && (is_of_other || tl_recipe_needs_flats (recipe)
              || (!is_coming && are_flats_automatic (session, recipe))));
}

void
tl_session_skip_flats (TlSession *session)
{
  g_return_if_fail (TL_IS_SESSION (session));
  session->skips_flats = session->lacks_flats = TRUE;
  note_flats (session);
}

/* Keeps parameters until the scan that they are for begins to come.
 *
 * @recipe: (transfer full) */
static void
keep_for_later (TlSession *session, TlRecipe *recipe)
{
  g_clear_pointer (&session->coming, tl_recipe_free);
  if (tl_scan_source_is_open (session->source))
    session->coming = recipe;
  else
    tl_parameters_take_recipe (session->parameters, recipe);
  note_flats (session);
}

static void
follow_with_recipe (TlSession *session, const char *address, TlRecipe *recipe)
{
  g_autofree char *name = g_strdup (address);
  open_address (session, name);
  if (g_strcmp0 (tl_growth_get_name (session->growth), name) == 0)
    keep_for_later (session, recipe);
  else
    tl_recipe_free (recipe);
}

/* Returns: (transfer full): a notice
 *
 * @before: the parameters that @recipe replaces */
static char *
describe_recipe (const char *path, const TlRecipe *before,
                 const TlRecipe *recipe)
{
  g_autofree char *name = g_filename_display_basename (path);
  g_autoptr (GString) words = g_string_new (NULL);
  if (tl_recipe_compare (before, recipe, MAX_CHANGES, NULL, words) == 0)
    return g_strdup_printf (_ ("%s has the same parameters"), name);
  /* translators: a recipe, and how the parameters differ, as "Filter Ramp →
     Hann" */
  return g_strdup_printf (_ ("%s: the parameters are taken over: %s"), name,
                          words->str);
}

/* Returns: (transfer full): a notice */
static char *
describe_scan_of_recipe (const char *path, const char *scan)
{
  g_autofree char *name = g_filename_display_basename (path);
  g_autofree char *scan_name = g_filename_display_basename (scan);
  /* translators: a scan, and the recipe that was opened and names this scan */
  return g_strdup_printf (_ ("%s was opened, with the parameters of %s"),
                          scan_name, name);
}

/* @step: the present one of the history before the recipe: one that is new can
 * be undone */
static void
tell_recipe (TlSession *session, const char *notice, guint step)
{
  TlHistory *history = tl_parameters_get_history (session->parameters);
  tl_messages_tell (session->messages, "%s", notice);
  if (tl_history_get_present (history) != step)
    tl_messages_tell_step (session->messages, tl_history_get_present (history));
}

/* Takes over the parameters of the open scan. Those that say how it is read are
 * told of when it is open again. If they are refused, the message says why. */
static void
set_recipe (TlSession *session, const char *path, const TlRecipe *recipe)
{
  TlParameters *parameters = session->parameters;
  const guint step =
      tl_history_get_present (tl_parameters_get_history (parameters));
  g_autoptr (TlRecipe) before =
      tl_recipe_dup (tl_parameters_get_recipe (parameters));
  session->opened_at_once =
      tl_parameters_set_recipe_as_step (parameters, recipe);
  if (session->opened_at_once)
    {
      g_autofree char *notice =
          describe_recipe (path, before, tl_parameters_get_recipe (parameters));
      tell_recipe (session, notice, step);
    }
  else if (tl_scan_source_is_opening (session->source))
    {
      g_free (session->news);
      session->news = describe_recipe (path, before, recipe);
    }
}

/* The message about a bad recipe stays while a scan is being opened, which may
 * succeed in the meantime. */
void
tl_session_open_recipe (TlSession *session, const char *path,
                        const char *scan_path)
{
  g_return_if_fail (TL_IS_SESSION (session));
  g_return_if_fail (path != NULL);
  g_autoptr (GError) error = NULL;
  g_autofree char *noted = NULL;
  g_autoptr (TlRecipe) recipe = tl_recipe_load (path, &noted, &error);
  g_autofree char *named = recipe != NULL && scan_path != NULL
                               ? tl_recipe_take_scan (recipe, scan_path)
                               : NULL;
  const gboolean is_named = named != NULL || noted != NULL;
  const char *wanted = named != NULL ? named
                       : noted != NULL
                           ? noted
                           : tl_scan_source_get_newest_path (session->source);
  session->opened_at_once = FALSE;
  if (recipe == NULL)
    tl_messages_warn (session->messages,
                      tl_scan_source_is_opening (session->source), "%s",
                      error->message);
  else if (wanted == NULL)
    tl_messages_warn (session->messages, FALSE,
                      _ ("%s: the recipe does not say which scan it is for"),
                      path);
  else if (is_open (session, wanted))
    {
      tl_messages_dismiss (session->messages);
      if (is_named && tl_stream_is_address (wanted)
          && !is_of_stream (session, wanted))
        open_address (session, wanted);
      set_recipe (session, path, recipe);
    }
  else if (tl_stream_is_address (wanted))
    follow_with_recipe (session, wanted, g_steal_pointer (&recipe));
  else
    {
      /* the recipe has all parameters */
      g_clear_pointer (&session->news, g_free);
      tl_scan_source_forget_changes (session->source);
      session->news = describe_scan_of_recipe (path, wanted);
      open_file (session, wanted, g_steal_pointer (&recipe), NULL, NULL);
    }
}

/* Returns: %FALSE for angles of a scan that is waited for, if nobody says of
 * how many projections */
static gboolean
check_awaited (TlSession *session, const char *key, const char *value,
               GError **error)
{
  const char *name = tl_growth_get_name (session->growth);
  return name == NULL || strcmp (key, "angles") != 0 || *value == '\0'
         || session->has_number || !tl_stream_lacks_number (name)
         || tl_fail (error, TL_ERROR_VALUE,
                     _ ("%s: the sender does not say how many projections "
                        "come, which the angles need; give both in Open "
                        "Address…"),
                     name);
}

gboolean
tl_session_set_opening (TlSession *session, const char *key, const char *value,
                        GError **error)
{
  g_return_val_if_fail (TL_IS_SESSION (session), FALSE);
  if (tl_scan_source_is_opening (session->source))
    return tl_parameters_set_and_reopen (session->parameters, key, value,
                                         error);
  /* a scan that is waited for gets the recipe as it is */
  if (session->opened_at_once
      || (tl_growth_get_state (session->growth) == TL_GROWTH_WAITING
          && !tl_scan_source_is_open (session->source)))
    return check_awaited (session, key, value, error)
           && tl_parameters_set (session->parameters, key, value, error);
  if (tl_recipe_find_key (key, error) != NULL)
    return tl_fail (error, TL_ERROR_VALUE,
                    _ ("%s needs a scan to be opened with it"), key);
  return FALSE;
}

/* --- a scan that is being taken --- */

gboolean
tl_session_follow (TlSession *session, const char *name,
                   const TlStreamOptions *options, GError **error)
{
  g_return_val_if_fail (TL_IS_SESSION (session) && name != NULL, FALSE);
  tl_messages_dismiss (session->messages);
  if (!tl_growth_follow (session->growth, name, options, error))
    return FALSE;
  g_clear_pointer (&session->watch, tl_growth_watch_free);
  g_clear_pointer (&session->awaited, g_free);
  g_clear_pointer (&session->recording, g_free);
  g_clear_pointer (&session->told, g_free);
  g_clear_pointer (&session->stalled, g_free);
  g_clear_pointer (&session->completed, g_free);
  g_clear_pointer (&session->coming, tl_recipe_free);
  tl_refused_scan_clear (&session->refused);
  session->leaves = session->skips_flats = session->lacks_flats = FALSE;
  session->has_number =
      options != NULL && options->n_expected[TL_FRAMES_PROJECTIONS] > 0;
  note_flats (session);
  return TRUE;
}

gboolean
tl_session_follow_address (TlSession *session, const char *address,
                           const char *expected, const char *angles,
                           const char *kinds, GError **error)
{
  TlStreamOptions options = { 0 };
  g_autoptr (TlRecipe) recipe = tl_recipe_new ();
  if (!tl_stream_options_take_expected (&options, expected))
    return tl_fail (error, TL_ERROR_VALUE,
                    _ ("the projections, flat and dark fields of a scan are "
                       "whole numbers up to %u, or empty where the sender "
                       "says them"),
                    (guint)TL_STREAM_MAX_FRAMES);
  if (*kinds != '\0' && !tl_stream_options_take_kinds (&options, kinds))
    return tl_fail (error, TL_ERROR_VALUE,
                    _ ("the frames are projection, flat or dark, or a list of "
                       "these such as dark,flat,projection, not \"%s\""),
                    kinds);
  if (!take_angles (recipe, angles, error))
    return FALSE;
  options.angles_file = recipe->angles_file;
  options.has_angles = recipe->has_angles;
  for (int k = 0; k < 2; k++)
    options.angles_deg[k] = recipe->angles_deg[k];
  if (!tl_session_follow (session, address, &options, error))
    return FALSE;
  tl_scan_memory_note_address (
      address, expected,
      recipe->angles_file != NULL ? recipe->angles_file : angles, kinds);
  return TRUE;
}

/* Returns: whether a stream can have what @recipe says of the scan: no places,
 * the angles of a list or its own, and all projections and pixels */
static gboolean
fits_stream (const TlRecipe *recipe)
{
  g_autoptr (TlRecipe) none = tl_recipe_new ();
  return has_same_places (recipe, none) && recipe->leave_out == NULL
         && !recipe->has_angles && recipe->bin == none->bin;
}

static gboolean
can_follow (TlSession *session, const TlRecipe *recipe)
{
  return tl_growth_get_state (session->growth) == TL_GROWTH_NONE
         && fits_stream (recipe);
}

gboolean
tl_session_can_follow_scan (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), FALSE);
  return tl_scan_source_is_open (session->source)
         && can_follow (session,
                        tl_parameters_get_recipe (session->parameters));
}

/* Returns: whether it is followed */
static gboolean
follow_scan (TlSession *session)
{
  const TlScanSummary *scan = tl_scan_source_get_summary (session->source);
  const TlRecipe *recipe = tl_parameters_get_recipe (session->parameters);
  const TlStreamOptions options = { .angles_file = recipe->angles_file };
  g_autofree char *path = scan != NULL ? g_strdup (scan->path) : NULL;
  return path != NULL && follow_or_warn (session, path, &options);
}

void
tl_session_follow_scan (TlSession *session)
{
  g_return_if_fail (TL_IS_SESSION (session));
  follow_scan (session);
}

static void
tell_growth (TlSession *session, const char *path)
{
  tl_messages_tell (session->messages,
                    _ ("%s grows, and is followed until it is complete"), path);
}

static gboolean
on_growth (gpointer data)
{
  TlSession *session = data;
  g_autofree char *path =
      g_strdup (tl_scan_source_get_summary (session->source)->path);
  if (tl_scan_source_is_opening (session->source))
    return FALSE;
  if (follow_scan (session))
    tell_growth (session, path);
  return TRUE;
}

/* Opens the folder again, of which more has come. */
static gboolean
on_rest (gpointer data)
{
  TlSession *session = data;
  if (tl_scan_source_is_opening (session->source))
    return FALSE;
  g_autofree char *name = g_filename_display_basename (
      tl_scan_source_get_summary (session->source)->path);
  tl_session_reload (session);
  g_free (session->news);
  session->news =
      g_strdup_printf (_ ("%s has grown, and was opened again"), name);
  return TRUE;
}

/* Waits for more of the HDF5 file or the folder that is open: others are not
 * followed. Where the angles are spread over the images, each new one changes
 * those of all others, so that the folder has to be opened again. */
static void
watch_scan (TlSession *session)
{
  const TlScanSummary *scan = tl_scan_source_get_summary (session->source);
  const gboolean is_watched =
      scan != NULL && !tl_scan_source_is_held (session->source)
      && tl_growth_get_state (session->growth) == TL_GROWTH_NONE;
  const gboolean is_folder =
      is_watched && g_file_test (scan->path, G_FILE_TEST_IS_DIR);
  const gboolean rests = is_folder && scan->angles_are_spread;
  g_clear_pointer (&session->awaited, g_free);
  if (rests && tl_growth_watch_rests_for (session->watch, scan->path))
    return; /* it has noticed what came while the folder was opened */
  g_clear_pointer (&session->watch, tl_growth_watch_free);
  if (!is_watched)
    return;
  if (rests)
    session->watch = tl_growth_watch_new (scan->path, TRUE, on_rest, session);
  else if (tl_session_can_follow_scan (session)
           && (is_folder || g_str_has_suffix (scan->format, "HDF5")))
    session->watch =
        tl_growth_watch_new (scan->path, FALSE, on_growth, session);
}

static gboolean
on_images (gpointer data)
{
  TlSession *session = data;
  g_autofree char *path = g_steal_pointer (&session->awaited);
  if (path != NULL && !tl_scan_source_is_opening (session->source)
      && follow_or_warn (session, path, NULL))
    tell_growth (session, path);
  return TRUE;
}

/* Returns: whether a file has been added to the folder lately */
static gboolean
was_just_written (const char *folder)
{
  GStatBuf there;
  return g_stat (folder, &there) == 0
         && ABS (g_get_real_time () / G_USEC_PER_SEC - there.st_mtime)
                < LATELY_S;
}

/* Waits for images in a folder that is no scan: its first ones may not be there
 * yet, or a list of angles may be complete before its last ones are. An HDF5
 * file may be in the same state.
 *
 * Returns: whether they are likely to come, in a folder */
static gboolean
await_images (TlSession *session, const char *path, const TlRecipe *recipe,
              const GError *failure)
{
  /* a folder that has not answered is not asked here */
  const gboolean is_folder =
      failure->domain == TL_ERROR && g_file_test (path, G_FILE_TEST_IS_DIR);
  const gboolean is_early =
      (g_error_matches (failure, TL_ERROR, TL_ERROR_FORMAT)
       || g_error_matches (failure, TL_ERROR, TL_ERROR_SHAPE)
       || g_error_matches (failure, TL_ERROR, TL_ERROR_ANGLES))
      && can_follow (session, recipe) && recipe->angles_file == NULL
      && (is_folder || tl_contents_can_list (path));
  TlGrowthWatch *watch =
      is_early ? tl_growth_watch_new (path, FALSE, on_images, session) : NULL;
  if (watch == NULL)
    return FALSE;
  g_clear_pointer (&session->watch, tl_growth_watch_free);
  session->watch = watch;
  g_free (session->awaited);
  session->awaited = g_strdup (path);
  return is_folder && was_just_written (path);
}

/* Follows an HDF5 file whose writer has not begun with the projections.
 * Returns: whether it does */
static gboolean
follow_early (TlSession *session, const char *path, const TlRecipe *recipe,
              const GError *failure)
{
  const TlStreamOptions options = { .angles_file = recipe->angles_file };
  return g_error_matches (failure, TL_ERROR, TL_ERROR_EARLY)
         && fits_stream (recipe) && follow_or_warn (session, path, &options);
}

static void
on_busy (TlSession *session)
{
  tl_growth_set_idle (session->growth,
                      !tl_requests_is_busy (session->requests));
}

static void
on_recipe (TlSession *session)
{
  const TlRecipe *recipe = tl_parameters_get_recipe (session->parameters);
  tl_growth_set_recipe (session->growth, recipe);
  session->lacks_flats &= !recipe->params.flat_field;
  note_flats (session);
}

static void
on_told (TlSession *session, const char *text)
{
  tl_messages_tell (session->messages, "%s", text);
  g_clear_pointer (&session->told, g_free);
  g_object_get (session->messages, "notice", &session->told, NULL);
}

/* Stops following a folder whose images have no angles, and opens it as a
 * whole.
 *
 * Returns: whether it does */
static gboolean
stop_without_angles (TlSession *session)
{
  const TlGrowthNews *news = tl_growth_get_news (session->growth);
  g_autofree char *name = g_strdup (tl_growth_get_name (session->growth));
  if (name == NULL || news->n_projections == 0
      || news->n_without_angle < news->n_projections
      || tl_growth_get_state (session->growth) != TL_GROWTH_WAITING
      || !g_file_test (name, G_FILE_TEST_IS_DIR))
    return FALSE;
  tl_growth_stop (session->growth);
  start (session, name, NULL, NULL);
  g_autofree char *folder = g_filename_display_basename (name);
  g_free (session->news);
  session->news = g_strdup_printf (
      _ ("%s: its images have no angles, so that it was opened as it is; when "
         "it has grown, it is opened again"),
      folder);
  return TRUE;
}

/* Takes back that nothing comes when something comes. */
static void
on_news (TlSession *session)
{
  if (stop_without_angles (session))
    return;
  const TlGrowthNews *news = tl_growth_get_news (session->growth);
  const gboolean is_quiet =
      news->is_stalled
      || news->n_projections + news->n_flats + news->n_darks == 0;
  if (is_quiet && session->stalled == NULL)
    session->stalled = g_strdup (session->told);
  if (is_quiet || session->stalled == NULL)
    return;
  tl_messages_take_back (session->messages, session->stalled);
  g_clear_pointer (&session->stalled, g_free);
}

/* What was told of the end of a scan goes when the next one begins. */
static void
note_completed (TlSession *session)
{
  g_clear_pointer (&session->completed, g_free);
  g_object_get (session->messages, "notice", &session->completed, NULL);
}

static void
on_slice_due (TlSession *session)
{
  tl_display_grow (session->display);
}

static void
on_failed (TlSession *session, const char *text)
{
  tl_messages_warn (session->messages, TRUE, "%s", text);
}

static void
on_begun (TlSession *session, TlHeld *held)
{
  g_autofree char *name = g_strdup (tl_growth_get_name (session->growth));
  if (session->completed != NULL)
    tl_messages_take_back (session->messages, session->completed);
  g_clear_pointer (&session->completed, g_free);
  if (session->coming == NULL)
    start (session, name, NULL, held);
  else
    open_file (session, name, tl_recipe_dup (session->coming), NULL, held);
}

/* Returns: projections of the scan that is followed that have not come, or have
 * no angle */
static size_t
count_missing (TlSession *session)
{
  const TlGrowthNews *news = tl_growth_get_news (session->growth);
  const size_t n = news->n_projections;
  return MAX (news->n_expected, n + news->n_lost - news->n_dropped) - n;
}

/* From now on a file or folder is a scan like any other. That frames are
 * missing has been told, and is told again when the file is open. */
static void
on_ended (TlSession *session)
{
  g_autofree char *name = g_strdup (tl_growth_get_name (session->growth));
  if (tl_stream_is_address (name))
    {
      if (count_missing (session) == 0
          && !tl_growth_get_news (session->growth)->lacks_fields)
        {
          tl_messages_tell (session->messages, _ ("%s: the scan is complete"),
                            name);
          note_completed (session);
        }
      return;
    }
  tl_growth_stop (session->growth);
  start (session, name, NULL, NULL);
  g_free (session->news);
  session->news = count_missing (session) > 0 && session->told != NULL
                      ? g_strdup (session->told)
                      : g_strdup_printf (_ ("%s: the scan is complete"), name);
}

/* Returns: whether the recipe means projections by numbers that are others in a
 * recording of the open scan, where they are in the order in which they came */
static gboolean
has_other_numbers (TlSession *session)
{
  const TlRecipe *recipe = tl_parameters_get_recipe (session->parameters);
  return tl_scan_source_is_held (session->source)
         && !tl_scan_source_is_sorted (session->source)
         && (recipe->leave_out != NULL || recipe->has_angles
             || recipe->angles_file != NULL);
}

/* The recording of the shown scan takes its place, so that it has a file. */
static void
on_recorded (TlSession *session, const TlRecording *recording,
             TlGrowthRecorded what, TlHeld *held)
{
  const char *path = recording->path;
  const gboolean has_others =
      what == TL_GROWTH_RECORDED_ALL && has_other_numbers (session);
  if (what == TL_GROWTH_RECORDED_PART || has_others)
    tl_scan_source_note_copy (session->source, held, path);
  if (has_others)
    {
      tl_messages_tell (session->messages,
                        _ ("%s: the scan is recorded, and is not opened, "
                           "because “Leave out” and “Angles” mean other "
                           "projections there: some are lost, or came in "
                           "another order"),
                        path);
      return;
    }
  if (what != TL_GROWTH_RECORDED_ALL)
    {
      tl_messages_tell (session->messages,
                        recording->is_complete
                            ? _ ("%s: the scan is recorded")
                            : _ ("%s: the scan is recorded as far as it came"),
                        path);
      return;
    }
  g_free (session->recording);
  session->recording = g_strdup (path);
  start (session, path, NULL, NULL);
  g_free (session->news);
  const size_t n_missing = count_missing (session);
  session->news =
      n_missing == 0
          ? g_strdup_printf (_ ("%s: the scan is complete, and recorded"), path)
          : g_strdup_printf (
              g_dngettext (NULL,
                           "%s: the scan is recorded; %zu of its projections "
                           "has not come",
                           "%s: the scan is recorded; %zu of its projections "
                           "have not come",
                           n_missing),
              path, n_missing);
}

/* --- replies of the worker --- */

/* Keeps what the user has left out of the scan, if more is left out. */
static void
note_damaged (TlSession *session, const TlRecipe *recipe, gboolean is_other)
{
  const TlRecipe *asked = tl_scan_source_get_opening (session->source);
  const gboolean is_all = g_strcmp0 (recipe->leave_out, asked->leave_out) == 0;
  if (is_all && !is_other
      && g_strcmp0 (recipe->leave_out, session->all_left_out) == 0)
    return; /* it was opened again */
  g_free (session->own_left_out);
  g_free (session->all_left_out);
  session->own_left_out = is_all ? NULL : g_strdup (asked->leave_out);
  session->all_left_out = is_all ? NULL : g_strdup (recipe->leave_out);
}

/* Notes what the user has said of the scan that is opened with @recipe. */
static void
note_said (TlSession *session, const TlRecipe *recipe)
{
  g_autoptr (TlRecipe) said = tl_recipe_dup (recipe);
  drop_damaged (session, said);
  tl_scan_memory_note (
      tl_scan_source_get_newest_path (session->source), said,
      tl_scan_source_get_summary (session->source)->changed_us);
}

/* Returns: (transfer full) (nullable): the projections that are left out of the
 * scan just opened because they were left out last time */
static char *
dup_recalled_left_out (TlSession *session)
{
  const TlRecipe *asked = tl_scan_source_get_opening (session->source);
  g_autoptr (TlRecipe) noted = tl_recipe_new ();
  if ((session->recalled & TL_SCAN_MEMORY_LEFT_OUT) == 0)
    return NULL;
  noted->data_path = g_strdup (asked->data_path);
  tl_scan_memory_recall (tl_scan_source_get_newest_path (session->source),
                         TL_SCAN_MEMORY_LEFT_OUT, noted);
  return g_strcmp0 (asked->leave_out, noted->leave_out) == 0
             ? g_strdup (noted->leave_out)
             : NULL;
}

/* Returns: as dup_recalled_left_out(), if the scan may be another one now */
static char *
dup_old_left_out (TlSession *session)
{
  g_autofree char *recalled = dup_recalled_left_out (session);
  return recalled != NULL
                 && tl_scan_memory_has_changed (
                     tl_scan_source_get_newest_path (session->source),
                     tl_scan_source_get_opening (session->source),
                     tl_scan_source_get_summary (session->source)->changed_us)
             ? g_steal_pointer (&recalled)
             : NULL;
}

/* Opens the scan just opened again, with the projections @old that were left
 * out before it changed. */
static void
use_all_again (TlSession *session, const char *old)
{
  const char *path = tl_scan_source_get_summary (session->source)->path;
  g_autofree char *name = g_filename_display_basename (path);
  session->recalled &= ~TL_SCAN_MEMORY_LEFT_OUT;
  if (tl_scan_source_is_opening (session->source)
      || !tl_parameters_set (session->parameters, "leave-out", "", NULL))
    return;
  session->news =
      g_strdup_printf (_ ("%s: all projections are used, because the scan "
                          "has changed since you left out %s"),
                       name, old);
}

/* Returns: whether a file or folder has fewer or more projections than when it
 * was opened before. The next scan of a stream may have, too, and is another
 * one.
 *
 * @n_before: 0: it was not open */
static gboolean
has_grown (TlSession *session, const TlReply *reply, size_t n_before)
{
  return n_before > 0 && reply->held == NULL
         && tl_growth_get_name (session->growth) == NULL
         && tl_scan_source_get_summary (session->source)->n_projections
                != n_before;
}

static void
take_scan (TlSession *session, TlReply *reply)
{
  const TlScanSummary *before = tl_scan_source_get_summary (session->source);
  const size_t n_before = before != NULL ? before->n_projections : 0;
  const gboolean is_awaited =
      tl_scan_source_is_awaited (session->source, reply);
  const gboolean is_first = !tl_scan_source_is_open (session->source);
  const gboolean has_come =
      reply->held != NULL
      && reply->held == tl_growth_get_held (session->growth);
  const gboolean is_other =
      tl_scan_source_take_scan (session->source, reply) && !session->is_same;
  if (is_other || reply->change == TL_SCAN_REPLACED)
    g_clear_pointer (&session->surveyed_out, g_free);
  tl_display_begin_scan (session->display, is_other);
  tl_tasks_drop_all (session->tasks);
  tl_parameters_begin_scan (session->parameters, reply->recipe,
                            is_first || is_other,
                            reply->centre_is_assumed && is_awaited,
                            is_awaited && has_grown (session, reply, n_before));
  if (has_come)
    {
      g_clear_pointer (&session->coming, tl_recipe_free);
      session->skips_flats = FALSE;
    }
  tl_display_take_frame (session->display, reply);
  if (reply->misfits != NULL)
    tl_messages_warn (session->messages, TRUE, "%s", reply->misfits);
  if (session->leaves)
    tl_growth_stop (session->growth);
  watch_scan (session);
  if (is_awaited)
    {
      g_autofree char *old_left_out = dup_old_left_out (session);
      note_damaged (session, reply->recipe, is_other);
      note_said (session, reply->recipe);
      g_autoptr (GPtrArray) changes = tl_scan_source_finish (session->source);
      if (reply->change == TL_SCAN_REPLACED
          || (reply->change != TL_SCAN_AS_BEFORE && session->news == NULL))
        tell_change (session, reply->change);
      else if (session->news != NULL)
        tl_messages_tell_news (session->messages, session->news);
      if (session->recording != NULL
          && g_strcmp0 (session->recording,
                        tl_scan_source_get_summary (session->source)->path)
                 == 0)
        note_completed (session);
      g_clear_pointer (&session->news, g_free);
      tl_parameters_end_opening (session->parameters);
      tl_parameters_apply_changes (session->parameters, changes, is_other);
      if ((is_first || is_other) && reply->recipe->data_path == NULL
          && tl_scan_source_get_summary (session->source)->n_scans > 1)
        tl_session_choose (session);
      if (old_left_out != NULL)
        use_all_again (session, old_left_out);
    }
  if (!tl_scan_source_is_opening (session->source))
    tl_display_request_view (session->display);
}

/* The checksum of a compressed image is known to be wrong only after the first
 * picture. The image is left out then, unless the user has taken that back. */
static void
take_survey (TlSession *session, TlReply *reply)
{
  if (!tl_scan_source_take_survey (session->source, reply))
    return;
  const TlScanSummary *scan = tl_scan_source_get_summary (session->source);
  const char *damaged = scan->odd[TL_ODD_UNREADABLE];
  const char *before =
      tl_parameters_get_recipe (session->parameters)->leave_out;
  g_autofree char *all = tl_frame_ranges_join (before != NULL ? before : "",
                                               damaged != NULL ? damaged : "");
  if (damaged == NULL || tl_scan_source_is_opening (session->source)
      || g_strcmp0 (damaged, session->surveyed_out) == 0)
    return;
  g_free (session->surveyed_out);
  session->surveyed_out = g_strdup (damaged);
  if (g_strcmp0 (before, session->all_left_out) != 0)
    {
      g_free (session->own_left_out);
      session->own_left_out = g_strdup (before);
    }
  g_free (session->all_left_out);
  session->all_left_out = g_strdup (all);
  if (tl_parameters_set (session->parameters, "leave-out", all, NULL))
    tl_messages_warn (session->messages, TRUE, "%s", reply->misfits);
}

/* Returns: whether what was said of a scan may not fit it any more */
static gboolean
is_misfit (const GError *error)
{
  static const TlError misfits[] = { TL_ERROR_ANGLES,  TL_ERROR_SHAPE,
                                     TL_ERROR_UNKNOWN, TL_ERROR_LAYOUT,
                                     TL_ERROR_FORMAT,  TL_ERROR_VALUE };
  for (guint k = 0; k < G_N_ELEMENTS (misfits); k++)
    if (g_error_matches (error, TL_ERROR, (int)misfits[k]))
      return TRUE;
  return FALSE;
}

static void
forget_recalled (TlSession *session, const char *path, const GError *error)
{
  const TlRecipe *asked = tl_scan_source_get_opening (session->source);
  g_autoptr (TlRecipe) none = tl_recipe_new ();
  none->data_path = g_strdup (asked->data_path);
  if (session->recalled != 0 && is_misfit (error)
      && g_file_test (path, G_FILE_TEST_EXISTS))
    tl_scan_memory_note (path, none, 0);
}

/* Opens the scan again with all projections, if those that were left out last
 * time may not fit it any more. Returns: whether it does */
static gboolean
drop_left_out (TlSession *session, const GError *error)
{
  const TlRecipe *asked = tl_scan_source_get_opening (session->source);
  g_autofree char *path =
      g_strdup (tl_scan_source_get_newest_path (session->source));
  g_autofree char *old =
      is_misfit (error) ? dup_recalled_left_out (session) : NULL;
  if (old == NULL)
    return FALSE; /* or the user has said something else meanwhile */
  g_autofree char *name = g_filename_display_basename (path);
  TlRecipe *recipe = tl_recipe_dup (asked);
  g_clear_pointer (&recipe->leave_out, g_free);
  session->recalled &= ~TL_SCAN_MEMORY_LEFT_OUT;
  g_free (session->news);
  session->news =
      g_strdup_printf (_ ("%s: all projections are used, because those that "
                          "you left out last time (%s) do not fit any more"),
                       name, old);
  tl_scan_source_start (session->source, path, recipe, NULL,
                        tl_scan_source_find_held (session->source, path));
  return TRUE;
}

/* What is done about a scan that could not be opened. */
typedef struct
{
  gboolean asks_user;   /* the chooser asks for another part of the file */
  TlAsks asks;          /* the message does */
  gboolean waits;       /* for the images of a folder */
  gboolean is_followed; /* its projections are still to come */
} Remedy;

static Remedy
seek_remedy (TlSession *session, const GError *error, GPtrArray *groups)
{
  const TlRecipe *recipe = tl_scan_source_get_opening (session->source);
  const char *path = tl_scan_source_get_newest_path (session->source);
  Remedy remedy = { 0 };
  forget_recalled (session, path, error);
  remedy.asks_user =
      is_matter_of_choice (recipe, error) && tl_contents_can_list (path);
  remedy.asks = tl_refused_scan_note (&session->refused, path, recipe, error,
                                      groups, remedy.asks_user);
  if (remedy.asks_user)
    {
      tl_scan_chooser_ask (session->chooser, path, recipe, error->message,
                           remedy.asks);
      return remedy;
    }
  remedy.waits = await_images (session, path, recipe, error);
  remedy.is_followed = follow_early (session, path, recipe, error);
  if (remedy.is_followed)
    keep_for_later (session, tl_recipe_dup (recipe));
  return remedy;
}

static void
tell_stopped (TlSession *session)
{
  g_autofree char *name = g_filename_display_basename (
      tl_scan_source_get_newest_path (session->source));
  tl_messages_tell (session->messages, _ ("%s: the opening was stopped"), name);
}

static void
end_opening (TlSession *session)
{
  session->leaves = FALSE;
  g_ptr_array_unref (tl_scan_source_finish (session->source));
  g_clear_pointer (&session->news, g_free);
  tl_parameters_end_opening (session->parameters);
}

/* Returns: whether @error is not about a number or an angle that the user gave
 */
static gboolean
is_about_images (const GError *error)
{
  return !g_error_matches (error, TL_ERROR, TL_ERROR_VALUE)
         && !g_error_matches (error, TL_ERROR, TL_ERROR_ANGLES);
}

/* @stays: the next picture does not clear the message */
static void
warn_of_failure (TlSession *session, const GError *error, const Remedy *remedy,
                 gboolean stays)
{
  if (remedy->asks_user || remedy->is_followed
      || g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  tl_messages_warn (
      session->messages, stays,
      remedy->waits ? _ ("%s; its images are shown as they come, if it "
                         "is still being taken")
      : (remedy->asks & TL_ASKS_RAW) != 0
          ? _ ("%s; to say how its samples are stored, press "
               "“Describe Raw File…”")
      : (remedy->asks & TL_ASKS_FILES) != 0 && is_about_images (error)
          ? _ ("%s; to say what its images are, press “Files…”")
          : "%s",
      error->message);
  tl_messages_ask (session->messages, remedy->asks);
}

/* @is_told: the user knows of the failure */
static void
take_failure (TlSession *session, TlReply *reply, gboolean is_told)
{
  const gboolean was_open = tl_scan_source_is_awaited (session->source, reply);
  Remedy remedy = { 0 };
  const gboolean is_newest =
      reply->serial == tl_requests_get_newest (session->requests);
  if (was_open && drop_left_out (session, reply->error))
    return;
  if (is_newest
      && !g_error_matches (reply->error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    tl_requests_note_failure (session->requests, reply->error->message);
  if (was_open)
    {
      if (g_error_matches (reply->error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        tell_stopped (session);
      remedy = seek_remedy (session, reply->error, reply->groups);
      end_opening (session);
    }
  if (tl_display_is_cost (session->display, reply))
    tl_display_leave_cost (session->display);
  const gboolean misses_frame = tl_scan_source_is_open (session->source)
                                && !tl_scan_source_is_opening (session->source)
                                && tl_display_is_old (session->display);
  /* An open has cancelled the picture, or a cost job has replaced it. */
  const gboolean asks_again =
      misses_frame && (was_open || (reply->kind == TL_JOB_COST && is_newest));
  if (!is_told)
    warn_of_failure (session, reply->error, &remedy, asks_again);
  if (tl_display_leave_planes (session->display))
    return;
  if (asks_again)
    tl_display_request (session->display);
  else if (misses_frame && is_newest)
    tl_display_fall_back (session->display);
}

static void
take_request_reply (TlSession *session, TlReply *reply)
{
  const gboolean is_told =
      reply->held != NULL && tl_growth_has_failed (session->growth);
  tl_growth_take_reply (session->growth, reply);
  tl_requests_note_answer (session->requests, reply->serial);
  if (reply->error == NULL && reply->kind != TL_JOB_OPEN)
    tl_scan_source_take_growth (session->source, reply);
  if (reply->error != NULL)
    take_failure (session, reply, is_told);
  else if (reply->kind == TL_JOB_OPEN)
    take_scan (session, reply);
  else if (reply->kind == TL_JOB_VIEW)
    tl_display_take_view (session->display, reply);
  else
    tl_display_take_frame (session->display, reply);
  tl_display_follow_preview (session->display);
  tl_display_update_detail (session->display);
}

static void
warn_of_loss (TlSession *session, const TlReply *reply)
{
  if (reply->error == NULL
      || g_error_matches (reply->error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    tl_messages_warn (session->messages, TRUE,
                      _ ("The engine %s failed, so host computes now: %s"),
                      reply->lost_engine, reply->lost_reason);
  else
    tl_messages_warn (session->messages, TRUE,
                      _ ("The engine %s failed, so host computes now: %s; host "
                         "failed, too: %s"),
                      reply->lost_engine, reply->lost_reason,
                      reply->error->message);
}

void
tl_session_take_reply (TlReply *reply, gpointer data)
{
  TlSession *session = data;
  /* "busy" comes last: its handlers look at everything else. */
  GObject *const parts[] = {
    G_OBJECT (session),
    G_OBJECT (session->source),
    G_OBJECT (session->parameters),
    G_OBJECT (session->display),
    G_OBJECT (session->messages),
    G_OBJECT (session->requests),
  };
  for (guint k = 0; k < G_N_ELEMENTS (parts); k++)
    /* a notified handler may drop the last reference */
    g_object_freeze_notify (g_object_ref (parts[k]));
  if (reply->kind == TL_JOB_DETAIL)
    tl_display_take_detail_reply (session->display, reply);
  else if (reply->kind == TL_JOB_SURVEY)
    take_survey (session, reply);
  else if (reply->kind == TL_JOB_TASK)
    tl_tasks_take_reply (session->tasks, reply);
  else
    take_request_reply (session, reply);
  if (reply->lost_reason != NULL)
    warn_of_loss (session, reply);
  for (guint k = 0; k < G_N_ELEMENTS (parts); k++)
    g_object_thaw_notify (parts[k]);
  for (guint k = 0; k < G_N_ELEMENTS (parts); k++)
    g_object_unref (parts[k]);
}

/* --- the object --- */

static void
tl_session_finalize (GObject *object)
{
  TlSession *session = TL_SESSION (object);
  tl_requests_stop (session->requests);
  tl_exporter_stop (session->exporter);
  g_object_run_dispose (G_OBJECT (session->comparison));
  g_clear_pointer (&session->watch, tl_growth_watch_free);
  tl_growth_stop (session->growth);
  g_clear_object (&session->growth);
  g_clear_object (&session->display);
  g_clear_object (&session->exporter);
  g_clear_object (&session->comparison);
  g_clear_pointer (&session->tasks, tl_tasks_free);
  g_clear_object (&session->parameters);
  g_clear_object (&session->source);
  tl_scan_chooser_cancel (session->chooser);
  g_clear_object (&session->chooser);
  tl_scan_files_cancel (session->files);
  g_clear_object (&session->files);
  g_clear_object (&session->requests);
  g_clear_object (&session->messages);
  tl_refused_scan_clear (&session->refused);
  g_clear_pointer (&session->coming, tl_recipe_free);
  g_free (session->recording);
  g_free (session->told);
  g_free (session->stalled);
  g_free (session->completed);
  g_free (session->awaited);
  g_free (session->all_left_out);
  g_free (session->surveyed_out);
  g_free (session->own_left_out);
  g_free (session->news);
  G_OBJECT_CLASS (tl_session_parent_class)->finalize (object);
}

static void
tl_session_class_init (TlSessionClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = tl_session_finalize;
}

static void
follow_growth (TlSession *session)
{
  const struct
  {
    gpointer object;
    const char *signal;
    GCallback handler;
  } signals[] = {
    { session->growth, "begun", G_CALLBACK (on_begun) },
    { session->growth, "slice-due", G_CALLBACK (on_slice_due) },
    { session->growth, "ended", G_CALLBACK (on_ended) },
    { session->growth, "recorded", G_CALLBACK (on_recorded) },
    { session->growth, "told", G_CALLBACK (on_told) },
    { session->growth, "notify::news", G_CALLBACK (on_news) },
    { session->growth, "failed", G_CALLBACK (on_failed) },
    { session->requests, "notify::busy", G_CALLBACK (on_busy) },
    { session->parameters, "notify::recipe", G_CALLBACK (on_recipe) },
  };
  for (guint k = 0; k < G_N_ELEMENTS (signals); k++)
    g_signal_connect_object (signals[k].object, signals[k].signal,
                             signals[k].handler, session, G_CONNECT_SWAPPED);
  on_recipe (session);
}

static void
tl_session_init (TlSession *session)
{
  TlMessages *messages = session->messages = tl_messages_new ();
  TlRequests *requests = session->requests =
      tl_requests_new (tl_session_take_reply, session);
  TlScanSource *source = session->source =
      tl_scan_source_new (requests, messages);
  session->chooser = tl_scan_chooser_new (messages);
  session->files = tl_scan_files_new ();
  TlParameters *parameters = session->parameters =
      tl_parameters_new (source, requests, messages);
  session->tasks = tl_tasks_new (requests, source);
  session->comparison = tl_slice_comparison_new (messages);
  session->display = tl_display_new (parameters, source, requests, messages,
                                     session->comparison);
  session->growth = tl_growth_new ();
  follow_growth (session);
  g_object_bind_property (session->growth, "hints", requests, "measures", 0);
  session->exporter = tl_exporter_new (parameters, source, messages);
}

TlSession *
tl_session_new (void)
{
  return g_object_new (TL_TYPE_SESSION, NULL);
}

static void
describe_machine (GTask *task, gpointer session, gpointer data,
                  GCancellable *cancellable)
{
  g_task_return_pointer (task, tl_engine_describe_machine (), g_free);
}

void
tl_session_describe_machine (TlSession *session, GAsyncReadyCallback callback,
                             gpointer user_data)
{
  g_return_if_fail (TL_IS_SESSION (session));
  g_autoptr (GTask) task = g_task_new (NULL, NULL, callback, user_data);
  g_task_run_in_thread (task, describe_machine);
}

char *
tl_session_describe_machine_finish (TlSession *session, GAsyncResult *result)
{
  g_return_val_if_fail (TL_IS_SESSION (session), NULL);
  return g_task_propagate_pointer (G_TASK (result), NULL);
}
