/* The volume of a scan that is being taken, as the picture that grows
 * (TlGrowth). */
#pragma once

#include "app/resident/resident.h"
#include "app/session/session.h"

/* Zeroed: the scan is not being taken. Main thread only. */
typedef struct
{
  TlGrowth *growth; /* (nullable): a weak pointer: of the session */
  TlHeld *held;     /* (nullable): frames of the scan */
  gboolean is_due;  /* projections are loaded again, and growth waits for it */
  guint64 sent;     /* as of tl_resident_get_growth(), of the newest task */
  guint64 shown;    /* and of the newest volume */
} TlLiveVolume;

/**
 * tl_live_volume_begin:
 * @live: zeroed
 *
 * Finds the frames of the open scan, if it is being taken.
 *
 * Returns: %FALSE while another scan is being opened in place of one that is
 *   being taken: its frames may have gone
 */
gboolean tl_live_volume_begin (TlLiveVolume *live, TlSession *session);

/** tl_live_volume_end: Lets slices grow again, and zeroes @live. */
void tl_live_volume_end (TlLiveVolume *live);

/** tl_live_volume_describe: @scan: the open one. Returns: the same, with all
 * projections that will come if that is known: there will have to be room for
 * them */
TlScanSummary tl_live_volume_describe (const TlLiveVolume *live,
                                       const TlScanSummary *scan);

/**
 * tl_live_volume_reload:
 * @resident: of the picture
 * @has_failed: the newest projections or volume could not be had
 *
 * Loads the projections again, with those that have come, unless they are being
 * loaded for the first time. For a handler of "due". After a failure slices
 * grow meanwhile, so that the end of the scan is not missed.
 *
 * Returns: whether the volume is the picture that grows
 */
gboolean tl_live_volume_reload (TlLiveVolume *live, TlResident *resident,
                                gboolean has_failed);

/** tl_live_volume_tell: Ends what tl_live_volume_reload() has begun.
 * @shown: as of tl_growth_take_picture() */
void tl_live_volume_tell (TlLiveVolume *live, guint64 shown);
