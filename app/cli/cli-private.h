/* What the commands of tomolens-cli share. Functions that fail set a
 * G_OPTION_ERROR where the command line is to blame (exit status 2) and another
 * error where the data or the machine is (exit status 1). */
#pragma once

#include "app/axis/height.h"
#include "app/axis/candidates/candidate-slice.h"
#include "app/axis/find-centre.h"
#include "app/export/pipeline.h"
#include "app/recon/precision-cost.h"
#include "app/axis/stage-move.h"

G_BEGIN_DECLS

typedef gboolean (*TlCliFunc) (char **args, GCancellable *cancellable,
                               GError **error);

gboolean tl_cli_info (char **args, GCancellable *cancellable, GError **error);
gboolean tl_cli_centre (char **args, GCancellable *cancellable, GError **error);
gboolean tl_cli_recon (char **args, GCancellable *cancellable, GError **error);
gboolean tl_cli_export (char **args, GCancellable *cancellable, GError **error);
gboolean tl_cli_phantom (char **args, GCancellable *cancellable,
                         GError **error);
gboolean tl_cli_bench (char **args, GCancellable *cancellable, GError **error);

/* --- cli-options.c --- */

/* The command line of one command: its own options and keys of the recipe. */
typedef struct
{
  GOptionContext *context;
  char *recipe_path;     /* (nullable) */
  TlRecipe *recipe;      /* of the options alone */
  GPtrArray *texts;      /* help texts of the options */
  GPtrArray *given;      /* key, value, key, value … in order */
  gboolean takes_auto;   /* "--centre auto"; set before the keys are added */
  gboolean wants_auto;   /* it was said */
  gboolean seeks_centre; /* none need be given */
} TlCliLine;

/**
 * tl_cli_line_init:
 * @usage: "FILE"
 * @summary: one sentence, below the usage
 * @own: the command's own options
 */
void tl_cli_line_init (TlCliLine *line, const char *usage, const char *summary,
                       const GOptionEntry *own);

/**
 * tl_cli_line_add_keys:
 * @wants: (nullable): which keys; all without it
 *
 * Makes the keys of the recipe options, and adds --recipe.
 */
void tl_cli_line_add_keys (TlCliLine *line,
                           gboolean (*wants) (const TlParameter *key));
void tl_cli_line_clear (TlCliLine *line);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TlCliLine, tl_cli_line_clear)

/** tl_cli_line_parse: Consumes the options in @args, the command's name first.
 */
gboolean tl_cli_line_parse (TlCliLine *line, char ***args, GError **error);

/** tl_cli_line_has: Returns: whether the option of this key was given. */
gboolean tl_cli_line_has (const TlCliLine *line, const char *key);

/** tl_cli_check_files: @args, after parsing, must have so many file names. */
gboolean tl_cli_check_files (char **args, guint min, guint max, GError **error);

/**
 * tl_cli_line_check_scan:
 *
 * As tl_cli_check_files(): one scan or recipe, which --recipe may replace.
 */
gboolean tl_cli_line_check_scan (const TlCliLine *line, char **args,
                                 GError **error);

/**
 * tl_cli_line_make_recipe:
 * @file: (nullable): a scan, or a recipe that names one
 * @scan_path: (out) (optional): @file, or the scan that the recipe names
 *
 * The recipe in @file or of --recipe, then the other options.
 */
TlRecipe *tl_cli_line_make_recipe (const TlCliLine *line, const char *file,
                                   char **scan_path, GError **error);

/* Rows first, first + step … last; both ends included. */
typedef struct
{
  size_t first, last, step;
} TlCliRange;

/** tl_cli_parse_range: "ROW", "FIRST:LAST" or "FIRST:LAST:STEP". */
gboolean tl_cli_parse_range (const char *text, TlCliRange *range,
                             GError **error);

/** tl_cli_parse_size: A whole number, @min at least. */
gboolean tl_cli_parse_size (const char *option, const char *text, size_t min,
                            size_t *size, GError **error);

void tl_cli_usage_error (GError **error, const char *format, ...)
    G_GNUC_PRINTF (2, 3);

/** tl_cli_swap_suffix: Returns: (transfer full): "a/b.png" of "a/b.tiff" and
 * ".png". */
char *tl_cli_swap_suffix (const char *path, const char *suffix);

/* --- cli-scan.c --- */

typedef struct TlJson TlJson;

/* An open scan, and how it is to be reconstructed. */
typedef struct
{
  char *path;
  TlReader *reader;      /* (nullable): %NULL once stolen */
  TlRecipe *recipe;      /* resolved */
  GStrv notes;           /* what is odd, what was assumed */
  gboolean wants_centre; /* "--centre auto", not found yet */
} TlCliScan;

/**
 * tl_cli_scan_open:
 * @scan: (out caller-allocates): to be cleared after an error too
 * @file: (nullable): as for tl_cli_line_make_recipe()
 * @takes_slice: the recipe's slice is what is wanted
 *
 * Opens and resolves, and prints the notes to standard error.
 */
gboolean tl_cli_scan_open (TlCliScan *scan, const TlCliLine *line,
                           const char *file, gboolean takes_slice,
                           GError **error);
void tl_cli_scan_clear (TlCliScan *scan);

/** tl_cli_scan_take_note: Prints @note (transfer full) as well. */
void tl_cli_scan_take_note (TlCliScan *scan, char *note);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TlCliScan, tl_cli_scan_clear)

/**
 * tl_cli_scan_dup_axis:
 *
 * Returns: (transfer full): "centre 32 (boundary 32.5)", and ", tilt 0.3
 *   degrees" and ", half acquisition" where that is so
 */
char *tl_cli_scan_dup_axis (const TlCliScan *scan);

/**
 * tl_cli_scan_find_centre:
 * @recon: of @scan's reader, which may have been stolen
 * @row: to look at
 *
 * For "--centre auto", and does nothing without it: finds the centre, says how
 * in notes on standard error, and puts it into the recipe.
 *
 * Returns: %FALSE with TL_ERROR_VALUE where it cannot be told, or any error of
 *   tl_find_centre()
 */
gboolean tl_cli_scan_find_centre (TlCliScan *scan, TlRecon *recon, size_t row,
                                  GCancellable *cancellable, GError **error);

/** tl_cli_scan_note_tilt: Notes where rows @first_row … @last_row are made of
 * what is beyond the detector. */
void tl_cli_scan_note_tilt (TlCliScan *scan, const TlScanInfo *info,
                            size_t first_row, size_t last_row);

/** tl_cli_scan_add_json: its path, centre, boundary, tilt, whether it is a half
 * acquisition, and notes. */
void tl_cli_scan_add_json (const TlCliScan *scan, TlJson *json);

/**
 * tl_cli_dup_mended:
 *
 * Returns: (transfer full): ", 3 dead pixels mended" and the like, for the end
 *   of a line; "" where nothing was
 */
char *tl_cli_dup_mended (size_t n_dead, size_t n_mended);

/* --- cli-centre-print.c --- */

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

/* --- cli-centre-stage.c --- */

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

/* --- progress --- */

/* A line that counts up, where standard error is a terminal. */
typedef struct
{
  const char *word; /* for what is done: "exporting" */
  size_t n_slices;  /* to count; 0: percent */
  gint64 last_us;
  gboolean is_shown;
} TlCliProgress;

/** tl_cli_progress: A #TlProgress; @data is a #TlCliProgress. */
void tl_cli_progress (double fraction, gpointer data);

/** tl_cli_progress_end: Whatever is printed next has a line of its own. */
void tl_cli_progress_end (TlCliProgress *progress);

/* Grey levels of a picture: all but the darkest and brightest half percent. */
#define TL_CLI_PNG_LOW 0.005
#define TL_CLI_PNG_HIGH 0.995

/** tl_cli_explain_cancel: Gives a cancelled work's error a sentence. */
void tl_cli_explain_cancel (GError **error, const char *format, ...)
    G_GNUC_PRINTF (2, 3);

/** tl_cli_peak_bytes: Returns: the most memory this process has had. */
size_t tl_cli_peak_bytes (void);

/* --- cli-centre-candidates.c --- */

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

/* --- cli-centre-sheet.c --- */

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

/* --- cli-centre-height.c --- */

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

/* --- cli-cost.c: the map beside a slice at @path, "a.error.tiff" --- */

/** tl_cli_cost_check: Returns: %FALSE with TL_ERROR_FILE if that is the scan.
 */
gboolean tl_cli_cost_check (const char *path, TlReader *reader, GError **error);

/** tl_cli_cost_write: @png: also as a picture, grey where nothing differs. */
gboolean tl_cli_cost_write (const TlPrecisionCost *cost, const char *path,
                            gboolean png, GError **error);
void tl_cli_cost_print (const TlPrecisionCost *cost, const char *path);
void tl_cli_cost_add_json (const TlPrecisionCost *cost, const char *path,
                           TlJson *json);

/* --- cli-pipeline.c --- */

/** tl_cli_parse_devices: @text: (nullable): a number, or "all": then @n is 0.
 */
gboolean tl_cli_parse_devices (const char *text, guint *n, GError **error);

/** tl_cli_pipeline_add_json: devices, slices_per_s, wall_s, the busy seconds of
 * each stage, limit and limit_share. */
void tl_cli_pipeline_add_json (const TlPipelineReport *report, TlJson *json);

/** tl_cli_pipeline_dup_text: Returns: (transfer full): the same, in words. */
char *tl_cli_pipeline_dup_text (const TlPipelineReport *report);

/* --- cli-bench-volume.c --- */

/* The options of "bench" for volumes. */
typedef struct
{
  gboolean is_wanted;
  char *rows, *devices; /* as typed (nullable) */
} TlCliVolume;

void tl_cli_volume_add_options (TlCliVolume *options, TlCliLine *line);
void tl_cli_volume_clear (TlCliVolume *options);

/**
 * tl_cli_volume_run:
 * @size: (nullable): as typed, and @projections
 *
 * Measures one engine and, where there are more, all; prints.
 */
gboolean tl_cli_volume_run (const TlCliVolume *options, const TlRecipe *recipe,
                            const char *size, const char *projections,
                            gboolean as_json, GCancellable *cancellable,
                            GError **error);

/* --- cli-json.c --- */

/* Starts as an object. @key is %NULL inside an array. */
TlJson *tl_json_new (void);
void tl_json_free (TlJson *json);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlJson, tl_json_free)

void tl_json_begin_object (TlJson *json, const char *key);
void tl_json_begin_array (TlJson *json, const char *key);
void tl_json_end (TlJson *json); /* of the innermost one */
void tl_json_add_string (TlJson *json, const char *key,
                         const char *value /* nullable */);
void tl_json_add_size (TlJson *json, const char *key, size_t value);
/* What is not finite becomes null: JSON has no word for it. */
void tl_json_add_number (TlJson *json, const char *key, double value);
void tl_json_add_boolean (TlJson *json, const char *key, gboolean value);

/** tl_json_print: Ends what is open; one line break at the end. */
void tl_json_print (TlJson *json);

/** tl_json_dup_text: Returns: (transfer full): what tl_json_print() prints. */
char *tl_json_dup_text (TlJson *json);

G_END_DECLS
