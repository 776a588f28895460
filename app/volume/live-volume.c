#include "app/volume/live-volume.h"

gboolean
tl_live_volume_begin (TlLiveVolume *live, TlSession *session)
{
  g_return_val_if_fail (live != NULL && live->held == NULL, FALSE);
  TlScanSource *source = session->source;
  TlHeld *held = tl_scan_source_find_held (
      source, tl_scan_source_get_summary (source)->path);
  if (held == NULL)
    return !tl_scan_source_is_held (source);
  live->held = tl_held_ref (held);
  g_set_weak_pointer (&live->growth, session->growth);
  return TRUE;
}

void
tl_live_volume_end (TlLiveVolume *live)
{
  g_return_if_fail (live != NULL);
  tl_live_volume_tell (live, 0);
  g_clear_weak_pointer (&live->growth);
  g_clear_pointer (&live->held, tl_held_unref);
  *live = (TlLiveVolume){ 0 };
}

TlScanSummary
tl_live_volume_describe (const TlLiveVolume *live, const TlScanSummary *scan)
{
  TlScanSummary all = *scan;
  if (live->growth != NULL)
    all.n_projections = MAX (scan->n_projections,
                             tl_growth_get_news (live->growth)->n_expected);
  return all;
}

gboolean
tl_live_volume_reload (TlLiveVolume *live, TlResident *resident,
                       gboolean has_failed)
{
  g_return_val_if_fail (live != NULL, FALSE);
  if (live->held == NULL)
    return FALSE;
  tl_resident_reload (resident);
  /* Where the former levels had to be dropped, a handler of "n-loaded" may have
   * ended @live. Growth must not wait for it: nobody would tell it. */
  if (live->held == NULL)
    return FALSE;
  live->is_due = !has_failed;
  return live->is_due;
}

void
tl_live_volume_tell (TlLiveVolume *live, guint64 shown)
{
  g_return_if_fail (live != NULL);
  live->is_due = FALSE;
  if (live->growth != NULL)
    tl_growth_take_picture (live->growth, shown);
}
