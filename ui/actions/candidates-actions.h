/* The actions of the candidates for the axis. */
#pragma once

#include "app/session/session.h"

#include <gio/gio.h>

/** tl_candidates_actions_add: To @map, which keeps @session:
 *   "candidates"         uint: how many, "candidates-step" double: columns,
 *   "candidates-region"  string: "whole" or "visible",
 *   "candidates-metric"  string, a word of
 * app/axis/candidates/candidate-metric.h; and without a state "finer",
 * "coarser"   int: about which one; -1 as tl_candidates_finer() "adopt" uint:
 * which one The page itself is the word "candidates" of "view". */
void tl_candidates_actions_add (GActionMap *map, TlSession *session);
