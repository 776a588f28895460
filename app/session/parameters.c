/* What the session does with a recipe as a whole: opens and saves one, goes
 * back to an earlier one, says it as a command. */
#include "app/session/session.h"

#include "app/session/model.h"
#include "app/session/session-private.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

gboolean
tl_session_resolve (TlSession *session, TlRecipe *recipe, GError **error)
{
  const TlScanSummary *scan = session->scan;
  const TlScanInfo info = {
    .path = scan->path,
    .n_projections = scan->n_projections,
    .n_rows = scan->n_rows,
    .n_cols = scan->n_cols,
    .n_flats = scan->n_flats,
    .pixel_size_um = scan->pixel_size_um,
    .covers_turn = scan->covers_turn,
    .is_attenuation = scan->is_attenuation,
  };
  return tl_recipe_resolve (recipe, &info, error);
}

/* --- all parameters at once --- */

/* Returns: the scan is read in another way. */
static gboolean
reads_otherwise (const TlRecipe *a, const TlRecipe *b)
{
  size_t n;
  const TlParameter *keys = tl_recipe_list_keys (&n);
  for (size_t k = 0; k < n; k++)
    {
      if (keys[k].reopens && !tl_recipe_is_equal (a, b, &keys[k]))
        return TRUE;
    }
  return FALSE;
}

/* One change, for the scan that is open: in place of one on its way, and
 * without reading it again where nothing asks for that.
 *
 * Returns: it is done already */
static gboolean
change_to (TlSession *session, const TlRecipe *recipe)
{
  g_autoptr (TlRecipe) wanted = tl_recipe_dup (recipe);
  g_autoptr (GError) error = NULL;
  if (session->opening != NULL || reads_otherwise (session->recipe, wanted))
    {
      tl_session_forget_changes (session); /* the recipe says them all */
      tl_session_start_open (session, session->scan->path,
                             g_steal_pointer (&wanted));
      return FALSE;
    }
  if (!tl_session_resolve (session, wanted, &error))
    {
      tl_history_drop_aim (session->history);
      tl_session_show_message (session, g_strdup (error->message),
                               tl_session_is_busy (session));
      return FALSE;
    }
  tl_session_take_recipe (session, g_steal_pointer (&wanted));
  tl_session_ask_for_frame (session);
  return TRUE;
}

/* --- files --- */

static gboolean
is_open (TlSession *session, const char *path)
{
  if (session->scan == NULL || session->opening != NULL)
    return FALSE;
  g_autofree char *open = g_canonicalize_filename (session->scan->path, NULL);
  g_autofree char *wanted = g_canonicalize_filename (path, NULL);
  return strcmp (open, wanted) == 0;
}

/* Returns: (transfer full) (nullable): the one on its way, or else the open one
 */
static char *
dup_newest_scan (TlSession *session)
{
  if (session->opening != NULL)
    return g_strdup (session->opening_path);
  return session->scan != NULL ? g_strdup (session->scan->path) : NULL;
}

/* What is wrong with the recipe stays to be read: the scan may succeed
 * meanwhile. */
void
tl_session_open_recipe (TlSession *session, const char *path,
                        const char *scan_path)
{
  g_return_if_fail (TL_IS_SESSION (session));
  g_return_if_fail (path != NULL);
  g_autoptr (GError) error = NULL;
  g_autofree char *noted = NULL;
  g_autoptr (TlRecipe) recipe = tl_recipe_load (path, &noted, &error);
  g_autofree char *newest = dup_newest_scan (session);
  const char *wanted = scan_path != NULL ? scan_path
                       : noted != NULL   ? noted
                                         : newest;
  session->opened_at_once = FALSE;
  if (recipe == NULL)
    tl_session_show_message (session, g_strdup (error->message),
                             session->opening != NULL);
  else if (wanted == NULL)
    tl_session_show_message (
        session,
        g_strdup_printf (_ ("%s: the recipe does not say which scan it is for"),
                         path),
        FALSE);
  else if (is_open (session, wanted))
    {
      tl_session_show_notice (session, NULL);
      /* of what was before, even one that stays */
      tl_session_show_message (session, NULL, FALSE);
      session->opened_at_once = change_to (session, recipe);
    }
  else
    {
      tl_session_forget_changes (session); /* the recipe says them all */
      tl_session_start_open (session, wanted, g_steal_pointer (&recipe));
    }
}

gboolean
tl_session_save_recipe (TlSession *session, const char *path, GError **error)
{
  g_return_val_if_fail (TL_IS_SESSION (session), FALSE);
  return tl_recipe_save (session->recipe,
                         session->scan != NULL ? session->scan->path : NULL,
                         path, error);
}

char *
tl_session_dup_command (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), NULL);
  g_autoptr (TlRecipe) defaults = tl_recipe_new ();
  if (session->scan == NULL)
    return NULL;
  tl_session_resolve (session, defaults, NULL);
  return tl_recipe_to_command (session->recipe, defaults, session->scan->path);
}

/* --- there and back --- */

guint
tl_session_get_n_steps (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), 0);
  return tl_history_get_length (session->history);
}

guint
tl_session_get_step (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), 0);
  return tl_history_get_present (session->history);
}

const char *
tl_session_get_step_words (TlSession *session, guint index)
{
  g_return_val_if_fail (TL_IS_SESSION (session), NULL);
  return tl_history_get_words (session->history, index);
}

void
tl_session_go_to_step (TlSession *session, guint index)
{
  g_return_if_fail (TL_IS_SESSION (session));
  const TlRecipe *recipe = tl_history_aim (session->history, index);
  if (recipe != NULL)
    change_to (session, recipe);
}

void
tl_session_begin_drag (TlSession *session, guint since)
{
  g_return_if_fail (TL_IS_SESSION (session));
  tl_history_begin_drag (session->history, since);
}

void
tl_session_end_drag (TlSession *session)
{
  g_return_if_fail (TL_IS_SESSION (session));
  tl_history_end_drag (session->history);
}

/* Also where the same parameter has been changed a moment ago. */
void
tl_session_take_held (TlSession *session)
{
  g_return_if_fail (TL_IS_SESSION (session));
  const TlRecipe *recipe = tl_slice_comparison_get_recipe (session->comparison);
  if (recipe == NULL)
    return;
  tl_history_end_burst (session->history);
  change_to (session, recipe);
  tl_history_end_burst (session->history);
}

gboolean
tl_session_set_axis (TlSession *session, double centre_col, double tilt_deg)
{
  g_return_val_if_fail (TL_IS_SESSION (session), FALSE);
  g_autoptr (TlRecipe) recipe = tl_recipe_dup (session->recipe);
  g_autoptr (GError) error = NULL;
  if (!tl_recipe_set_number (recipe, tl_params_find ("centre"), centre_col,
                             &error)
      || (isfinite (tilt_deg)
          && !tl_recipe_set_number (recipe, tl_params_find ("tilt"), tilt_deg,
                                    &error)))
    {
      tl_session_show_message (session, g_strdup (error->message), FALSE);
      return FALSE;
    }
  tl_history_end_burst (session->history);
  const gboolean is_done = change_to (session, recipe);
  tl_history_end_burst (session->history);
  return is_done;
}

gboolean
tl_session_set_as_step (TlSession *session, const char *key, GVariant *value,
                        const char *words, GError **error)
{
  g_return_val_if_fail (TL_IS_SESSION (session), FALSE);
  g_object_freeze_notify (G_OBJECT (session));
  const guint step = tl_history_get_present (session->history);
  tl_history_end_burst (session->history);
  const gboolean good = tl_session_set_value (session, key, value, error);
  if (good && tl_history_get_present (session->history) != step)
    tl_history_name (session->history, words);
  g_object_thaw_notify (G_OBJECT (session));
  return good;
}

void
tl_session_undo (TlSession *session)
{
  g_return_if_fail (TL_IS_SESSION (session));
  const guint step = tl_history_get_aim (session->history);
  if (step > 0)
    tl_session_go_to_step (session, step - 1);
}

void
tl_session_redo (TlSession *session)
{
  g_return_if_fail (TL_IS_SESSION (session));
  tl_session_go_to_step (session, tl_history_get_aim (session->history) + 1);
}
