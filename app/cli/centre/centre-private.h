/* The parts of "tomolens-cli centre". */
#pragma once

#include "app/cli/scan-private.h"
#include "app/axis/candidates/candidate-slice.h"
#include "app/axis/find-centre.h"
#include "app/axis/height.h"
#include "app/axis/stage-move.h"

G_BEGIN_DECLS

/* "certain", "look" …; by TlCentreVerdict. */
extern const char *const tl_cli_centre_verdict_names[];

/** tl_cli_centre_name_stranger: Returns: what follows @e where @c does not rest
 * on it, or "" */
const char *tl_cli_centre_name_stranger (const TlCentreEstimate *e,
                                         const TlCentreConsensus *c);

/** tl_cli_centre_print: A line for each estimate, one for all of them. */
void tl_cli_centre_print (const TlCentreAnswer *answer);

/** tl_cli_centre_print_timing: @open_s: for the file; @engine_s: to start it */
void tl_cli_centre_print_timing (const TlCentreAnswer *answer, double open_s,
                                 double engine_s);

/** tl_cli_centre_print_copies: The place in the words of other programs. */
void tl_cli_centre_print_copies (double centre_col, size_t n_cols);

/** tl_cli_centre_add_json: An object of an array. */
void tl_cli_centre_add_json (const TlCentreAnswer *answer, TlJson *json);

/** tl_cli_stage_place_init: Nothing is known but where the axis is and where
 * it should be, and the size of a pixel if @scan says so. */
void tl_cli_stage_place_init (TlStagePlace *place, const TlCliScan *scan,
                              const TlScanInfo *info, double centre_col);

/** tl_cli_stage_report: How to move the stage, as "stage" of @json (nullable),
 * or one printed line. */
void tl_cli_stage_report (const TlStagePlace *place, TlJson *json);

/**
 * tl_cli_opposite_run:
 * @scan: its reader is stolen
 * @which: a projection's number, or "first": the first that has an opposite
 *
 * Lays the two onto each other and prints what that says.
 *
 * Returns: %FALSE with TL_ERROR_VALUE where there is no pair, or it does not
 *   tell, or any error of tl_measured_view_read_pair()
 */
gboolean tl_cli_opposite_run (TlCliScan *scan, const char *which,
                              gboolean as_json, GCancellable *cancellable,
                              GError **error);

/* The options of "centre" for candidates, as typed; all nullable. */
typedef struct
{
  char *n, *step, *around, *region, *metric, *output;
} TlCliCandidates;

void tl_cli_candidates_add_options (TlCliCandidates *options, TlCliLine *line);
void tl_cli_candidates_clear (TlCliCandidates *options);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TlCliCandidates, tl_cli_candidates_clear)

/**
 * tl_cli_candidates_check:
 * @is_of_data: keys that "centre" takes without candidates too
 *
 * Returns: %FALSE where something is given that is for candidates, without
 *   them, or is not as it should be
 */
gboolean tl_cli_candidates_check (const TlCliCandidates *options,
                                  const TlCliLine *line,
                                  gboolean (*is_of_data) (const TlParameter *),
                                  GError **error);

/**
 * tl_cli_candidates_run:
 * @question: where, and how, a middle is looked for that is not given
 *
 * Prints the figures of each and how long it took, and writes pictures.
 */
gboolean tl_cli_candidates_run (const TlCliCandidates *options, TlCliScan *scan,
                                const TlCentreQuestion *question,
                                gboolean as_json, GCancellable *cancellable,
                                GError **error);

/** tl_cli_candidates_make_folder: Returns: %FALSE with TL_ERROR_FILE where it
 * cannot be made, or has no room for @n pictures on @grid. */
gboolean tl_cli_candidates_make_folder (TlRecon *recon, const char *folder,
                                        size_t n, const TlGrid *grid,
                                        GError **error);

/** tl_cli_candidate_write: Makes and writes one, as the recipe says, to @path.
 */
gboolean tl_cli_candidate_write (TlRecon *recon, const TlRecipe *recipe,
                                 double centre_col, const TlGrid *grid,
                                 const char *path, GCancellable *cancellable,
                                 GError **error);

/** tl_cli_candidates_write_sheet: @results: [@n], with pictures of one size;
 * the lowest centre first, in rows, to "candidates.png". */
gboolean tl_cli_candidates_write_sheet (const TlCandidateResult *results,
                                        size_t n, const char *folder,
                                        GError **error);

/**
 * tl_cli_centre_over_height:
 * @recon: of @scan's reader
 *
 * Prints what the rows say, and the line through it.
 *
 * Returns: %FALSE with TL_ERROR_VALUE where the tilt cannot be told, or any
 *   error of tl_find_centre()
 */
gboolean tl_cli_centre_over_height (const TlCliScan *scan, TlRecon *recon,
                                    const TlAxisQuestion *question,
                                    gboolean as_json, GCancellable *cancellable,
                                    GError **error);

G_END_DECLS
