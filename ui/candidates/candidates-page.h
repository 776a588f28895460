/* Page of the candidates for the axis: a bar that sets number, step, region and
 * figure of merit, and the grid. Main thread. */
#pragma once

#include "ui/candidates/candidates-grid.h"

#define TL_TYPE_CANDIDATES_PAGE (tl_candidates_page_get_type ())
G_DECLARE_FINAL_TYPE (TlCandidatesPage, tl_candidates_page, TL, CANDIDATES_PAGE,
                      GtkBox)

/** tl_candidates_page_bind: Call once, before it is shown. @actions: the
 * application's */
void tl_candidates_page_bind (TlCandidatesPage *self, TlView *view,
                              GActionGroup *actions);

/** tl_candidates_page_get_grid: Returns: (transfer none) */
TlCandidatesGrid *tl_candidates_page_get_grid (TlCandidatesPage *self);
