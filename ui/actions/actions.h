/* The program's actions: every parameter and what can be done with a scan, by
 * the words of the recipe, each with a typed state. Menus, keys, controls,
 * tests and scripts on the session bus all go through these. */
#pragma once

#include "ui/view/view.h"

/**
 * tl_actions_add:
 * @map: also a #GActionGroup, that is: the application
 *
 * Parameters, with state (a state hint lists the words, or gives the range):
 *   The recipe's, by its words: slice (u), centre (d), tilt (d), half (s),
 *   feather (d), angles (s), nan (b), flat-field (b), minus-log (b),
 *   zingers (b), zinger-threshold (d), phase (b), energy (d), distance (d),
 *   pixel-size (d), delta-beta (d), rings (s), ring-size (u), ring-levels (u),
 *   ring-sigma (d), preset (s), filter (s), cutoff (d), butterworth-order (u),
 *   padding (s), interpolation (s), precision (s), kernel (s), engine (s)
 *   Others: remove-rings (b), which is off, or what rings was last; colormap
 *   (s), window-low (d), window-high (d), follow (b), precision-cost (b)
 * Without: open (s), step-slice (i), step-centre (d), window-auto,
 *   window-full, export ((suu)): folder, first and last slice; cancel-export,
 *   save-recipe-as (s), dismiss
 */
void tl_actions_add (GActionMap *map, TlView *view);

/** tl_actions_find: Returns: (transfer none): the action of that name, which
 * there is. */
GSimpleAction *tl_actions_find (GActionMap *map, const char *name);

/** tl_actions_get_session: Returns: (transfer none): the session of the actions
 * added by tl_actions_add() */
TlSession *tl_actions_get_session (GActionMap *map);
