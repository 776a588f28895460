/* Mouse and keyboard on the grid of candidates. */
#pragma once

#include "ui/candidates/candidates-grid.h"

G_BEGIN_DECLS

/** tl_candidates_hand_add: Once for a grid; what it does says
 * ui/candidates/candidates-grid.h. */
void tl_candidates_hand_add (TlCandidatesGrid *grid);

G_END_DECLS
