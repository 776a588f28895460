/* What is open and what is wanted: the program without its window.
 *
 * Main thread only. Setting a parameter asks the worker for a new frame; the
 * newest request wins, stale replies are dropped. Where whole pictures are
 * slow, a reduced preview answers first, until no more requests come.
 * Parameters go by the words of the recipe (app/recipe/recipe.h), as text, so
 * that actions, menus and scripts drive the same thing; the few that are
 * dragged have typed setters too.
 */
#pragma once

#include "app/session/compare-mode.h"
#include "app/recipe/recipe.h"
#include "app/session/status.h"
#include "app/recon/picture.h"
#include "app/recon/summary.h"

#include <gio/gio.h>

G_BEGIN_DECLS

/* From the core; the window hands them on and looks into none of them. */
typedef struct TlFrame TlFrame;

#define TL_TYPE_SESSION (tl_session_get_type ())
G_DECLARE_FINAL_TYPE (TlSession, tl_session, TL, SESSION, GObject)

/* Properties, all with explicit notify:
 *   "scan-open"  boolean, read-only: a scan is open; notified also when more
 *                is known about it
 *   "path"       string, read-only: its file
 *   "busy"       boolean, read-only: a frame or a scan is on its way; also
 *                while a preview stands for the whole picture
 *   "parameters" uint, read-only: counts every change of any parameter
 *   "slice"      uint        detector row
 *   "centre"     double      column coordinate
 *   "frame"      pointer, read-only: the newest finished frame of the picture
 *                that is shown, be it a preview, or what fast precision costs
 *                on the slice; %NULL while that picture is on its way for the
 *                first time
 *   "message"    string, read-only, nullable: what went wrong, one sentence,
 *                for the banner; cleared by the next success or by
 *                tl_session_dismiss()
 *   "notice"     string, read-only, nullable: what went well, one sentence, to
 *                be shown for a while; cleared by tl_session_tell(), the next
 *                export or open, and by tl_session_dismiss()
 *   "exporting"  boolean, read-only
 *   "progress"   double, read-only: of the export, 0 … 1
 *   "fetch"      boolean: the worker brings the pixels to host memory: the
 *                screen cannot do interop, or somebody looks into them
 *   "precision-cost"  boolean: what fast precision costs is wanted, or shown;
 *                any change of a parameter ends it
 *   "detail"     pointer, read-only, nullable: what is visible of that frame,
 *                reconstructed at the resolution of the screen
 *   "sharp-zoom" boolean: a detail is wanted when zoomed in; TRUE at first
 *   "caption"    string, read-only, nullable: what that cost is, one sentence;
 *                %NULL while the slice is shown
 *   "picture"    uint, read-only: TlPicture, which one is shown; notified also
 *                when it is of another projection, and with another page
 *   "comparison" uint, read-only: counts every change of A, of the way to look
 *                at it, and of what is known of the difference; and the same of
 *                an overlay, app/axis/overlay/overlay.h
 */
TlSession *tl_session_new (void);

/* Opens a scan, or a recipe (*.ini): asynchronous; the previous picture stays
 * until the new one is there, and for good if it fails. A recipe for the scan
 * that is open changes the parameters; the scan is read again only for those
 * that say how. */
void tl_session_open (TlSession *session, const char *path);

/**
 * tl_session_open_recipe:
 * @scan_path: (nullable): which scan it is for, whatever it says itself
 *
 * As tl_session_open().
 */
void tl_session_open_recipe (TlSession *session, const char *path,
                             const char *scan_path);

/** tl_session_is_recipe: Returns: what tl_session_open() takes @path for. */
gboolean tl_session_is_recipe (const char *path);

gboolean tl_session_has_scan (TlSession *session);
/** tl_session_is_busy: Returns: property "busy" */
gboolean tl_session_is_busy (TlSession *session);
/** tl_session_get_summary: Returns: (transfer none) (nullable) */
const TlScanSummary *tl_session_get_summary (TlSession *session);

void tl_session_set_slice (TlSession *session, guint slice);
guint tl_session_get_slice (TlSession *session);
void tl_session_set_centre (TlSession *session, double centre_col);
double tl_session_get_centre (TlSession *session);
/** tl_session_get_centre_digits: Returns: how many decimals show it as it is;
 * from 2 to 6. */
guint tl_session_get_centre_digits (TlSession *session);
/** tl_session_get_axis_col: Returns: where the axis is in @row of a projection
 * as it is shown: leaning with a tilt, unless that turns projections back. */
double tl_session_get_axis_col (TlSession *session, double row);
/**
 * tl_session_limit_centre:
 * @n_parts: of a column, at least 1: what a gesture can resolve
 *
 * For drags and steps, which add up more digits than they mean, and leave the
 * detector.
 *
 * Returns: the place on the detector, in whole such parts, that is nearest to
 *   @centre_col
 */
double tl_session_limit_centre (TlSession *session, double centre_col,
                                guint n_parts);

/**
 * tl_session_set_value:
 * @value: of tl_recipe_get_value_type() or a string; a floating one is taken
 *
 * Sets any parameter; FALSE with TL_ERROR_VALUE.
 */
gboolean tl_session_set_value (TlSession *session, const char *key,
                               GVariant *value, GError **error);
/** tl_session_get_recipe: Returns: (transfer none): what is wanted, resolved
 * while a scan is open; until the next change of a parameter. */
const TlRecipe *tl_session_get_recipe (TlSession *session);
/** tl_session_set: Any parameter by its word; FALSE with TL_ERROR_VALUE. */
gboolean tl_session_set (TlSession *session, const char *key, const char *value,
                         GError **error);
/**
 * tl_session_set_opening: As tl_session_set(), of what tl_session_open() was
 * called for only: another scan that is open stays. FALSE with TL_ERROR_VALUE
 * also where that has failed.
 */
gboolean tl_session_set_opening (TlSession *session, const char *key,
                                 const char *value, GError **error);
/** tl_session_get: Returns: (transfer full) */
char *tl_session_get (TlSession *session, const char *key);
/**
 * tl_session_list_choices:
 * @key: "preset", "filter", "interpolation", "kernel", "precision", "padding",
 *   "rings", "engine"
 *
 * Returns: (transfer none): %NULL-terminated: the words there are, also those
 *   that the engine cannot serve; until the next change of a parameter
 */
const char *const *tl_session_list_choices (TlSession *session,
                                            const char *key);

/**
 * tl_session_explain_choice:
 * @key: as above
 * @value: one of its words
 *
 * Returns: (transfer full) (nullable): why the engine cannot serve @value
 *   beside the other parameters, "needs fast precision", or has nothing to gain
 *   by it; %NULL where it can, or where no engine is known yet
 */
char *tl_session_explain_choice (TlSession *session, const char *key,
                                 const char *value);

/**
 * tl_session_set_precision_cost:
 *
 * Makes the slice in both precisions, in the background, and shows in place of
 * it what fast adds to full; %FALSE shows the slice again, at once. Without a
 * scan it is refused by the message.
 */
void tl_session_set_precision_cost (TlSession *session, gboolean wanted);
gboolean tl_session_get_precision_cost (TlSession *session);
/** tl_session_shows_differences: Returns: the frame is that, and no slice. */
gboolean tl_session_shows_differences (TlSession *session);

/** tl_session_set_page: Without a scan the picture stays. On another page the
 * picture is the slice, and goes on to be made. */
void tl_session_set_page (TlSession *session, TlPage page);
TlPage tl_session_get_page (TlSession *session);
/** tl_session_set_picture: Without a scan the slice stays. It is the page, too.
 */
void tl_session_set_picture (TlSession *session, TlPicture picture);
TlPicture tl_session_get_picture (TlSession *session);
/** tl_session_set_projection: Which one TL_PICTURE_PROJECTION shows; that and
 * its opposite where the picture is TL_PICTURE_OVERLAY, which has its own. */
void tl_session_set_projection (TlSession *session, guint projection);
guint tl_session_get_projection (TlSession *session);

/** tl_session_get_frame: Returns: (transfer none) (nullable) */
TlFrame *tl_session_get_frame (TlSession *session);
/** tl_session_get_frame_size: In its own pixels: a preview has fewer. */
gboolean tl_session_get_frame_size (TlSession *session, size_t *n_rows,
                                    size_t *n_cols);
/** tl_session_shows_preview: Returns: the frame is a reduced picture, and the
 * whole one is to follow. */
gboolean tl_session_shows_preview (TlSession *session);
/** tl_session_get_slice_bytes: Returns: of a slice as it is exported; 0 without
 * a scan. */
double tl_session_get_slice_bytes (TlSession *session);
/** tl_session_get_picture_size: Of the whole picture, whatever pixels the frame
 * has; FALSE without a frame. */
gboolean tl_session_get_picture_size (TlSession *session, size_t *n_rows,
                                      size_t *n_cols);
/**
 * tl_session_get_frame_place:
 *
 * Where the frame lies in the picture: @row and @col are the place of its first
 * pixel's centre, @pitch is the distance between two, all in picture pixels.
 */
void tl_session_get_frame_place (TlSession *session, double *row, double *col,
                                 double *pitch);
/* What of the picture is on the screen; a plain value, zeroed: unknown. Places
 * and distances are in picture pixels. */
typedef struct
{
  double row, col;       /* of the centre of the screen's first pixel */
  double pitch;          /* from one pixel of the screen to the next */
  size_t n_rows, n_cols; /* of the screen */
} TlVisible;

/** tl_session_set_visible: For sharp zoom; as often as it changes. */
void tl_session_set_visible (TlSession *session, const TlVisible *visible);
void tl_session_set_sharp_zoom (TlSession *session, gboolean sharp_zoom);
/** tl_session_get_detail: Returns: (transfer none) (nullable): to be shown
 * above the frame; all figures are the frame's */
TlFrame *tl_session_get_detail (TlSession *session);
/** tl_session_get_detail_place: As tl_session_get_frame_place(), of that. */
void tl_session_get_detail_place (TlSession *session, double *row, double *col,
                                  double *pitch);
/** tl_session_read_pixel: @row and @col of the picture; FALSE without a frame
 * or outside it. */
gboolean tl_session_read_pixel (TlSession *session, size_t row, size_t col,
                                float *value);
/**
 * tl_session_get_pixels:
 *
 * Returns: (transfer none) (nullable): [@n_rows][@n_cols] of the newest frame,
 *   which lies where tl_session_get_frame_place() says, until the next; %NULL
 * without one, or where it is on a device only, as it may be while "fetch" is
 * not set
 */
const float *tl_session_get_pixels (TlSession *session, size_t *n_rows,
                                    size_t *n_cols);
/**
 * tl_session_get_histogram:
 * @min: (out): lower end of the first bin
 * @max: (out): upper end of the last
 *
 * Returns: (transfer none) (nullable): [@n] counts of the newest frame
 */
const guint32 *tl_session_get_histogram (TlSession *session, size_t *n,
                                         float *min, float *max);
/**
 * tl_session_get_percentiles:
 *
 * The values below which the fractions @f_low and @f_high of the pixels lie,
 * from the histogram.
 */
gboolean tl_session_get_percentiles (TlSession *session, double f_low,
                                     double f_high, float *low, float *high);
const TlStatus *tl_session_get_status (TlSession *session);
/** tl_session_get_filter_curve: [@n] from frequency 0 to Nyquist, peak 1. */
void tl_session_get_filter_curve (TlSession *session, float *curve, size_t n);

/** tl_session_export: Slices @first … @last to @folder, in the background. */
void tl_session_export (TlSession *session, const char *folder, guint first,
                        guint last);
/** tl_session_has_room: Returns: whether they fit where @folder is or will be,
 * with the room that slices they replace give back. */
gboolean tl_session_has_room (TlSession *session, const char *folder,
                              guint first, guint last);
/** tl_session_dup_progress: Returns: (transfer full): "progress" in slices, in
 * words. */
char *tl_session_dup_progress (TlSession *session);
void tl_session_cancel_export (TlSession *session);
/**
 * tl_session_save_slice:
 * @path: TIFF of 32-bit floats, replaced if there
 *
 * The whole picture that is shown, in the background; its recipe goes beside
 * it, as "slice.ini" to "slice.tiff". The message or the notice tells. A
 * preview is refused.
 */
void tl_session_save_slice (TlSession *session, const char *path);
gboolean tl_session_save_recipe (TlSession *session, const char *path,
                                 GError **error);
/** tl_session_dup_command: Returns: (transfer full) (nullable): what makes the
 * wanted slice on a command line; %NULL without a scan */
char *tl_session_dup_command (TlSession *session);

/* The steps in which the parameters came to what they are since the scan was
 * opened, 0 the oldest; app/session/history.h. They change with "parameters".
 */
guint tl_session_get_n_steps (TlSession *session); /* 0 without a scan */
guint tl_session_get_step (TlSession *session);    /* the present one */
/** tl_session_begin_drag: Until it ends, the changes of one parameter are one
 * step, which is no part of another. @since: the step when the button was
 * pressed, as of tl_history_begin_drag() */
void tl_session_begin_drag (TlSession *session, guint since);
void tl_session_end_drag (TlSession *session);
/** tl_session_get_step_words: Returns: (transfer none): what it changed. */
const char *tl_session_get_step_words (TlSession *session, guint index);
/** tl_session_go_to_step: All parameters are as they were then; the steps stay
 * until the next change. Nothing happens where there is no such step. */
void tl_session_go_to_step (TlSession *session, guint index);
void tl_session_undo (TlSession *session);
void tl_session_redo (TlSession *session);

/* A is a slice that was held; B is the one that is shown, whatever is changed
 * meanwhile. Another scan drops A. While the two are compared there is no sharp
 * zoom: both are seen in their own pixels. */

/** tl_session_hold: The slice becomes A, in place of another: the whole
 * picture, which after a preview is still to come. Without a scan it is refused
 * by the message. */
void tl_session_hold (TlSession *session);
/** tl_session_release: There is no A any more. */
void tl_session_release (TlSession *session);
/** tl_session_is_held: Returns: there is an A, or it is on its way. */
gboolean tl_session_is_held (TlSession *session);
/** tl_session_get_held: Returns: (transfer none) (nullable): A, whole and in
 * host memory */
TlFrame *tl_session_get_held (TlSession *session);
/** tl_session_get_held_slice: Returns: which slice A is; with A only */
guint tl_session_get_held_slice (TlSession *session);
/** tl_session_get_shown_slice: Returns: which one B is; with a frame only */
guint tl_session_get_shown_slice (TlSession *session);
/** tl_session_take_held: A's parameters are the present ones: one step. */
void tl_session_take_held (TlSession *session);
/** tl_session_set_compare_mode: Refused by the message where nothing is held,
 * or where the two have not as many pixels and cannot be subtracted. */
void tl_session_set_compare_mode (TlSession *session, TlCompareMode mode);
TlCompareMode tl_session_get_compare_mode (TlSession *session);
/** tl_session_get_comparison: Returns: the mode that shows: OFF also while A is
 * on its way, and where the picture is no slice. In DIFFERENCE pixels,
 * histogram and percentiles are those of B less A, and come a moment after the
 * frame, which stays B. */
TlCompareMode tl_session_get_comparison (TlSession *session);
/** tl_session_describe_comparison: Returns: (transfer full): how the parameters
 * of B differ from those of A; "" where they do not, or there is no A */
char *tl_session_describe_comparison (TlSession *session);
/** tl_session_get_held_place: Where the first pixel of A has its centre, in
 * pixels of B: two slices of one scan have the axis in the middle, whatever
 * their sizes. FALSE: there are not both. */
gboolean tl_session_get_held_place (TlSession *session, double *row,
                                    double *col);
/** tl_session_read_compared: As tl_session_read_pixel(), of each; FALSE also
 * where A has no pixel at that place of B. */
gboolean tl_session_read_compared (TlSession *session, size_t row, size_t col,
                                   float *a, float *b);

/**
 * tl_session_show_message:
 * @message: (transfer full) (nullable): one sentence, for the banner
 * @stays: the next success does not clear it
 */
void tl_session_show_message (TlSession *session, char *message,
                              gboolean stays);

/** tl_session_tell: Something went well: @sentence is the notice; (nullable):
 * that is over. */
void tl_session_tell (TlSession *session, const char *sentence);
void tl_session_dismiss (TlSession *session);

/**
 * tl_session_describe_machine:
 * @callback: gets the text with tl_session_describe_machine_finish()
 *
 * For About. In a thread of its own: a driver may take seconds to answer.
 */
void tl_session_describe_machine (TlSession *session,
                                  GAsyncReadyCallback callback,
                                  gpointer user_data);
/** tl_session_describe_machine_finish: Returns: (transfer full) */
char *tl_session_describe_machine_finish (TlSession *session,
                                          GAsyncResult *result);

G_END_DECLS
