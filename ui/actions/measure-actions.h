/* The actions that look at the picture, beside those of ui/actions/actions.h.
 */
#pragma once

#include "ui/measure/measure.h"

/**
 * tl_measure_actions_add:
 * @map: the application
 *
 * With state: profile (b), profile-line ((dddd)): column and row of one end,
 *   then of the other; profile-width (u), scale-bar (b), colour-bar (b),
 *   log-counts (b), dark-percent (d), bright-percent (d)
 * Others: window-reset, save-slice-as (s)
 */
void tl_measure_actions_add (GActionMap *map, TlMeasure *measure);
