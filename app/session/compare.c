/* Connects the session to its comparison (app/session/slice-comparison.h):
 * passes slices to it and decides when A and B are both shown. */
#include "app/session/session.h"

#include "app/session/session-private.h"

#include <glib/gi18n.h>
#include <math.h>

void
tl_session_note_comparison (TlSession *session)
{
  session->comparison_changes++;
  g_object_notify (G_OBJECT (session), "comparison");
}

/* Sharp zoom is off while a comparison is shown, so update it as well. */
static void
on_changed (TlSession *session)
{
  tl_session_note_comparison (session);
  tl_session_update_detail (session);
}

static void
on_failed (TlSession *session, const char *message, gboolean stays)
{
  tl_messages_warn (session->messages, stays, "%s", message);
}

void
tl_session_make_comparison (TlSession *session)
{
  session->comparison = tl_slice_comparison_new ();
  g_signal_connect_object (session->comparison, "changed",
                           G_CALLBACK (on_changed), session, G_CONNECT_SWAPPED);
  g_signal_connect_object (session->comparison, "failed",
                           G_CALLBACK (on_failed), session, G_CONNECT_SWAPPED);
}

TlFrame *
tl_session_get_difference (TlSession *session)
{
  return tl_session_get_comparison (session) == TL_COMPARE_DIFFERENCE
             ? tl_slice_comparison_get_difference (session->comparison)
             : NULL;
}

/* --- what A is --- */

void
tl_session_hold (TlSession *session)
{
  g_return_if_fail (TL_IS_SESSION (session));
  const gboolean was_slice = session->choice.picture == TL_PICTURE_SLICE;
  if (!tl_scan_source_is_open (session->source)
      || tl_scan_source_is_opening (session->source))
    {
      tl_messages_warn (session->messages, FALSE,
                        _ ("The slice cannot be held as A: %s"),
                        tl_scan_source_is_opening (session->source)
                            ? _ ("a scan is being opened")
                            : _ ("no scan is open"));
      return;
    }
  tl_session_leave_cost (session);
  tl_session_set_picture (session, TL_PICTURE_SLICE);
  tl_slice_comparison_hold (session->comparison,
                            was_slice || !tl_session_is_slice_old (session));
}

void
tl_session_release (TlSession *session)
{
  g_return_if_fail (TL_IS_SESSION (session));
  tl_slice_comparison_release (session->comparison);
}

gboolean
tl_session_is_held (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), FALSE);
  return tl_slice_comparison_is_held (session->comparison);
}

TlFrame *
tl_session_get_held (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), NULL);
  return tl_slice_comparison_get_held (session->comparison);
}

guint
tl_session_get_held_slice (TlSession *session)
{
  const TlRecipe *recipe = tl_slice_comparison_get_recipe (session->comparison);
  g_return_val_if_fail (recipe != NULL, 0);
  return (guint)recipe->slice;
}

guint
tl_session_get_shown_slice (TlSession *session)
{
  g_return_val_if_fail (session->shown != NULL, 0);
  return (guint)session->shown->slice;
}

/* --- how it is looked at --- */

void
tl_session_set_compare_mode (TlSession *session, TlCompareMode mode)
{
  g_return_if_fail (TL_IS_SESSION (session));
  g_return_if_fail ((guint)mode < TL_N_COMPARE_MODES);
  if (tl_slice_comparison_get_mode (session->comparison) == mode)
    return;
  if (!tl_session_is_held (session))
    {
      tl_messages_warn (session->messages, FALSE, "%s",
                        _ ("There is nothing to compare with: hold a slice as "
                           "A first"));
      return;
    }
  tl_slice_comparison_set_mode (session->comparison, mode);
}

TlCompareMode
tl_session_get_compare_mode (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), TL_COMPARE_OFF);
  return tl_slice_comparison_get_mode (session->comparison);
}

TlCompareMode
tl_session_get_comparison (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), TL_COMPARE_OFF);
  const gboolean shows_both =
      tl_slice_comparison_get_held (session->comparison) != NULL
      && session->frame != NULL && session->choice.picture == TL_PICTURE_SLICE
      && session->cost.map == NULL;
  return shows_both ? tl_slice_comparison_get_mode (session->comparison)
                    : TL_COMPARE_OFF;
}

char *
tl_session_describe_comparison (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), NULL);
  return tl_slice_comparison_describe (session->comparison);
}

/* The rotation axis is the centre of both slices, so their centres coincide. */
gboolean
tl_session_get_held_place (TlSession *session, double *row, double *col)
{
  g_return_val_if_fail (TL_IS_SESSION (session), FALSE);
  TlFrame *held = tl_slice_comparison_get_held (session->comparison);
  size_t n_rows, n_cols;
  if (held == NULL || !tl_session_get_picture_size (session, &n_rows, &n_cols))
    return FALSE;
  *row = ((double)n_rows - (double)tl_frame_get_n_rows (held)) / 2;
  *col = ((double)n_cols - (double)tl_frame_get_n_cols (held)) / 2;
  return TRUE;
}

gboolean
tl_session_read_compared (TlSession *session, size_t row, size_t col, float *a,
                          float *b)
{
  g_return_val_if_fail (TL_IS_SESSION (session), FALSE);
  TlFrame *held = tl_slice_comparison_get_held (session->comparison);
  double first_row, first_col;
  if (!tl_session_get_held_place (session, &first_row, &first_col))
    return FALSE;
  const double held_row = floor ((double)row - first_row + 0.5);
  const double held_col = floor ((double)col - first_col + 0.5);
  return held_row >= 0 && held_row < (double)tl_frame_get_n_rows (held)
         && held_col >= 0 && held_col < (double)tl_frame_get_n_cols (held)
         && tl_frame_read_pixel (held, 0, (size_t)held_row, (size_t)held_col, a,
                                 NULL)
         && tl_session_read_pixel (session, row, col, b);
}
