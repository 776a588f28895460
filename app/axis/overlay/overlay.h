/* Overlays a projection with the opposite one, mirrored about the axis. Where
 * they differ, the axis is not where it is assumed to be.
 *
 * The projections A and B are those of TL_PICTURE_OVERLAY;
 * tl_display_set_projection() chooses them while it is shown. They are
 * corrected by flat field and -log as set in the session. B is mirrored about
 * the present centre and tilt and shifted by "rows". The view draws this
 * approximately at once; the exact picture follows when nothing has changed for
 * a moment, and then, once for each pair, the registration.
 *
 * Main thread only; lives as long as the session. */
#pragma once

#include "app/axis/overlay/registration.h"
#include "app/recon/opposite.h"
#include "app/session/session.h"

/* The ways to combine a projection, A, with its mirrored opposite, B. */
typedef enum
{
  TL_OVERLAY_DIFFERENCE, /* B - A */
  TL_OVERLAY_SUM,        /* mean of both, which keeps the range of values */
  TL_OVERLAY_RED_CYAN,   /* A in red, B in cyan; equal values are grey */
  TL_OVERLAY_BLINK,      /* A and B in turn */
  TL_N_OVERLAY_MODES
} TlOverlayMode;

/* States of the action "overlay"; %NULL-terminated. */
extern const char *const tl_overlay_mode_names[TL_N_OVERLAY_MODES + 1];

#define TL_TYPE_OVERLAY (tl_overlay_get_type ())
G_DECLARE_FINAL_TYPE (TlOverlay, tl_overlay, TL, OVERLAY, GObject)

/* Signal "changed": the mode, the rows, the pair, its mirror or its
 * registration is another; the display's "comparison" changes with it while the
 * overlay is shown. */

/** tl_session_get_overlay: Returns: (transfer none): the overlay of the
 * session, made on first use */
TlOverlay *tl_session_get_overlay (TlSession *session);

void tl_overlay_set_mode (TlOverlay *overlay, TlOverlayMode mode);
TlOverlayMode tl_overlay_get_mode (TlOverlay *overlay);
/** tl_overlay_set_rows: Limits @rows, a finite number, to the height of the
 * detector. */
void tl_overlay_set_rows (TlOverlay *overlay, double rows);
double tl_overlay_get_rows (TlOverlay *overlay);

/** tl_overlay_is_shown: Returns: whether the overlay is the shown picture and
 * A has been read */
gboolean tl_overlay_is_shown (TlOverlay *overlay);
/** tl_overlay_get_opposite: Returns: (transfer none) (nullable): B, not
 * mirrored, in host memory; %NULL if A has no opposite projection */
TlFrame *tl_overlay_get_opposite (TlOverlay *overlay);
/** tl_overlay_get_mirror: Gets the mirror to apply to B. */
void tl_overlay_get_mirror (TlOverlay *overlay, TlMirror *mirror);
/** tl_overlay_read: Reads A and the mirrored B at a pixel of A; %FALSE if one
 * of them does not cover it. */
gboolean tl_overlay_read (TlOverlay *overlay, size_t row, size_t col, float *a,
                          float *b);

/**
 * tl_overlay_sample_difference:
 * @part: of the pixels, from 0 to 1
 *
 * Reads the pair on a coarse grid, before the exact picture is there.
 *
 * Returns: the value that @part of |B - A| does not exceed; 0 without a pair
 */
double tl_overlay_sample_difference (TlOverlay *overlay, double part);

/** tl_overlay_get_registration: Returns: (transfer none) (nullable): of the
 * present pair; %NULL until it is finished */
const TlRegistration *tl_overlay_get_registration (TlOverlay *overlay);
/** tl_overlay_take: Sets the session's centre and tilt, in one step of the
 * history, and "rows" to those of the registration, as far as they were
 * found. A tilt of at most twice its uncertainty is taken as 0. */
void tl_overlay_take (TlOverlay *overlay);

/** tl_overlay_describe_pair: Returns: (transfer full): the two projections and
 * their angles, or why there is no pair; "" before the first */
char *tl_overlay_describe_pair (TlOverlay *overlay);
/** tl_overlay_describe_registration: Returns: (transfer full): one line */
char *tl_overlay_describe_registration (TlOverlay *overlay);
/** tl_overlay_describe_found_move: Returns: (transfer full): how to move the
 * stage according to the registration; "" without one */
char *tl_overlay_describe_found_move (TlOverlay *overlay);
/** tl_overlay_describe_move: Returns: (transfer full): how to move the stage
 * according to the session's centre and tilt. Each has an uncertainty if it
 * comes from the registration, from an accepted line of app/axis/map.h, or
 * (the centre) from app/axis/centre-search.h. If the centre comes from none of
 * these, the centre of the search is used if it is certain, or no user has set
 * another one. "" without
 * a scan, while the centre is the default, the middle, and if it was found with
 * angles that the projections contradict */
char *tl_overlay_describe_move (TlOverlay *overlay);
/** tl_session_dup_centre_line: Returns: (transfer full) (nullable): where the
 * axis of the open scan was found, how certain that is, and how to move the
 * stage, as of tl_overlay_describe_move(), as one line; with the centre, if the
 * user has set it. %NULL while there is no result */
char *tl_session_dup_centre_line (TlSession *session);

/** tl_overlay_describe_values: Returns: (transfer full): the meaning of the
 * exact picture's values, in English, for files */
char *tl_overlay_describe_values (TlOverlay *overlay);
