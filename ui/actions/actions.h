/* The program's actions: every parameter and what can be done with a scan, by
 * the words of the recipe, each with a typed state. Menus, keys, controls,
 * tests and scripts on the session bus all go through these. Main thread. */
#pragma once

#include "ui/compare/compare.h"
#include "ui/measure/measure.h"
#include "ui/picture/slice-view.h"

/**
 * tl_actions_add:
 * @map: the application, which is also a #GActionGroup
 *
 * Actions with a state. The state hint lists the values, each with the reason
 * why it cannot be chosen, or gives the range:
 *   each parameter of the recipe that app/recipe/keys.c describes, by its key,
 *   but names of files; remove-rings (b): off, or the way it was last
 *   colormap (s), window-low (d), window-high (d), window-reset, follow (b),
 *   log-counts (b), dark-percent (d), bright-percent (d), sharp-zoom (b)
 *   view (s): the picture or page; projection (u); precision-cost (b)
 *   history-go (u): the present step, 0 the oldest; the hint (as) says what
 *   each step changed
 *   seek-centre (b): find the centre when a scan opens
 *   hint-dose (b): say when the slice of a scan that is followed looks finished
 *   follow-next (b): show the next scan of a sender that is followed
 *   candidates (u): how many; candidates-step (d): columns;
 *   candidates-region (s); candidates-metric (s)
 *   volume-way (s); volume-threshold (d): attenuation per pixel;
 *   volume-transfer (a(dd)): values and opacities;
 *   volume-box ((dddddd)): first and last part of columns, rows and slices
 *   axis-rows (u): rows of the axis over the height
 *   overlay (s): how opposite projections are shown; overlay-rows (d): rows by
 *   which the opposite one is moved up
 *   profile (b), profile-line ((dddd)): column and row of one end, then of the
 *   other; profile-width (u), scale-bar (b), colour-bar (b)
 *   hold (b): the slice is held as A; compare (s); swipe (d), blink-ms (u),
 *   blink-a (b): the properties of @compare
 * Without a state:
 *   follow-scan: the file that is open; stop-following; skip-flats: show the
 *   scan that is waited for without them; record-to (s): the folder for the
 *   scans of an address that begin from now on, or "" for none
 *   open (s), save-recipe-as (s), save-slice-as (s), export (a{sv}): path and
 *   settings, see ui/help/pages/bus.md; cancel-export, dismiss, copy-command,
 *   undo, redo
 *   step-slice (i), step-projection (i), step-centre (d), step-tilt (d),
 *   step-overlay-rows (d), window-auto, window-full
 *   find-centre, next-estimate (i): 1: to the right, -1: to the left;
 *   turn-volume ((dd)): degrees of azimuth and elevation; look-along (s):
 *   an axis of the volume; reset-volume; shape-opacity (s): one of
 *   tl_volume_shape_names, sets volume-transfer
 *   copy-centre-as (s): a program; finer (i), coarser (i): about that
 *   candidate, or -1; adopt (u): a candidate; accept-axis, take-overlay,
 *   next-compare, take-a
 */
void tl_actions_add (GActionMap *map, TlMeasure *measure, TlCompare *compare);

/* Returns: (transfer none): the slice view, or what a page shows in its place
 */
typedef GtkWidget *(*TlGetShown) (gpointer pages);

/**
 * tl_keep_actions_add:
 * @window: also a #GActionMap; outlives @pages
 *
 * save-view and save-slice ask for a file; save-view-as (s) takes its name;
 * copy-view and copy-profile go to the clipboard.
 */
void tl_keep_actions_add (GtkWindow *window, TlGetShown get_shown,
                          gpointer pages, TlMeasure *measure);

/** tl_centre_actions_build_menu: Returns: (transfer full): the programs that
 * the centre can be copied for. */
GMenu *tl_centre_actions_build_menu (void);
