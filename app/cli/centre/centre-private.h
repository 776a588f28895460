/* Shared by the parts of "tomolens-cli centre". */
#pragma once

#include "app/cli/scan-private.h"
#include "app/axis/candidates/candidate-slice.h"
#include "app/axis/find-centre.h"
#include "app/axis/height.h"
#include "app/axis/stage-move.h"

/* The "verdict" in JSON, indexed by TlCentreVerdict: "certain", "look" for an
 * uncertain centre, and "cannot-tell". Scripts read these words. */
extern const char *const tl_cli_centre_verdict_names[];

/** tl_cli_centre_mark_outlier: Returns: text to print after @e if it does
 * not agree with the consensus @c; otherwise "" */
const char *tl_cli_centre_mark_outlier (const TlCentreEstimate *e,
                                        const TlCentreConsensus *c);

/**
 * tl_cli_centre_report:
 * @json: (nullable): gets an object
 *
 * Without @json, prints a line for each estimate, and one for the consensus.
 */
void tl_cli_centre_report (const TlCentreAnswer *answer, TlJson *json);

/** tl_cli_centre_print_timing: @open_s: time to open the file; @engine_s:
 * time to start the engine */
void tl_cli_centre_print_timing (const TlCentreAnswer *answer, double open_s,
                                 double engine_s);

/** tl_cli_centre_print_copies: Prints the centre in the notation of other
 * programs. */
void tl_cli_centre_print_copies (double centre_col, size_t n_cols);

/** tl_cli_stage_place_init: Sets the position of the axis, its target
 * position, and the pixel size if @scan states it; everything else is
 * unknown. */
void tl_cli_stage_place_init (TlStagePlace *place, const TlCliScan *scan,
                              const TlScanInfo *info, double centre_col);

/** tl_cli_stage_report: Says how to move the stage: as "stage" of @json
 * (nullable), or as a line. */
void tl_cli_stage_report (const TlStagePlace *place, TlJson *json);

/**
 * tl_cli_opposite_run:
 * @scan: its reader is stolen
 * @which: number of a projection, or "first": the first one that has an
 *   opposite
 *
 * Registers the projection with its opposite and prints the resulting centre
 * and tilt.
 *
 * Returns: %FALSE with TL_ERROR_VALUE if there is no pair or the registration
 *   gives no answer, or with any error of tl_measured_view_run_pair()
 */
gboolean tl_cli_opposite_run (TlCliScan *scan, const char *which,
                              GCancellable *cancellable, GError **error);

/* The options of "centre" for candidates as typed; texts are nullable. */
typedef struct
{
  char *n, *step, *around, *region, *metric, *output;
  gboolean overwrite;
} TlCliCandidates;

void tl_cli_candidates_add_options (TlCliCandidates *options, TlCliLine *line);

/**
 * tl_cli_candidates_check:
 * @is_of_data: keys that "centre" also takes without candidates
 *
 * Returns: %FALSE with a usage error if an option for candidates is given
 *   without --candidates, or has an invalid value
 */
gboolean tl_cli_candidates_check (const TlCliCandidates *options,
                                  const TlCliLine *line,
                                  gboolean (*is_of_data) (const TlParamSpec *),
                                  GError **error);

/**
 * tl_cli_candidates_run:
 * @question: rows and methods to find the middle centre with, if it is not
 *   given
 *
 * Prints the figures of merit of each candidate and the time, and writes the
 * pictures.
 */
gboolean tl_cli_candidates_run (const TlCliCandidates *options, TlCliScan *scan,
                                const TlCentreQuestion *question,
                                GCancellable *cancellable, GError **error);

/** tl_cli_candidates_make_folder: Returns: %FALSE with TL_ERROR_FILE if
 * @folder cannot be created, or has no room for @n pictures on @grid */
gboolean tl_cli_candidates_make_folder (TlRecon *recon, const char *folder,
                                        size_t n, const TlGrid *grid,
                                        GError **error);

/** tl_cli_candidate_write: Reconstructs one candidate with the parameters of
 * @recipe and writes it to @path. */
gboolean tl_cli_candidate_write (TlRecon *recon, const TlRecipe *recipe,
                                 double centre_col, const TlGrid *grid,
                                 const char *path, GCancellable *cancellable,
                                 GError **error);

/** tl_cli_candidates_write_sheet: Writes all pictures in rows, the lowest
 * centre first, to the PNG file @path. @results: [@n], with pictures of one
 * size */
gboolean tl_cli_candidates_write_sheet (const TlCandidateResult *results,
                                        size_t n, const char *path,
                                        GError **error);

/**
 * tl_cli_centre_over_height:
 * @recon: has @scan's reader
 *
 * Prints the estimate of each row, and the line fitted through them.
 *
 * Returns: %FALSE with TL_ERROR_VALUE if the tilt cannot be determined, or
 *   with any error of tl_find_centre()
 */
gboolean tl_cli_centre_over_height (const TlCliScan *scan, TlRecon *recon,
                                    const TlAxisQuestion *question,
                                    GCancellable *cancellable, GError **error);
