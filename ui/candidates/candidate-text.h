/* Describes candidates for captions, tooltips and screen readers. */
#pragma once

#include "app/axis/candidates/candidates.h"

/** tl_candidate_text_centre: Returns: (transfer full): "46.25" */
char *tl_candidate_text_centre (TlCandidates *candidates, guint index);

/** tl_candidate_text_value: Returns: (transfer full): the figure of
 * merit, with as many decimals as tell the candidates apart; "" if it is not
 * known yet. */
char *tl_candidate_text_value (TlCandidates *candidates, guint index);

/** tl_candidate_text_label: Returns: (transfer full): "candidate 46.25,
 * sharpest, present centre" */
char *tl_candidate_text_label (TlCandidates *candidates, guint index);

/** tl_candidate_text_details: Returns: (transfer full): some lines: the centre
 * in both conventions, the figure of merit, sharpest, present axis */
char *tl_candidate_text_details (TlCandidates *candidates, guint index);
