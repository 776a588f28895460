/* The state of the program without its window: the open scan, the requested
 * parameters and the shown picture.
 *
 * Main thread only. Setting a parameter requests a new frame from the worker;
 * the newest request wins and outdated replies are dropped. Where whole
 * pictures are slow, reduced previews are shown until no further requests come.
 * Parameters are set by their keys in the recipe (app/recipe/recipe.h), as
 * text, so that actions, menus and scripts share one way; parameters changed by
 * dragging have typed setters as well. */
#pragma once

#include "app/session/compare-mode.h"
#include "app/session/parameters.h"
#include "app/session/status.h"
#include "app/session/tasks.h"
#include "app/recon/picture.h"

G_BEGIN_DECLS

/* An opaque type of the engine; the window only passes frames on. */
typedef struct TlFrame TlFrame;

#define TL_TYPE_SESSION (tl_session_get_type ())
G_DECLARE_FINAL_TYPE (TlSession, tl_session, TL, SESSION, GObject)

/* Properties, all with explicit notify:
 *   "frame"      pointer, read-only: the newest frame of the shown picture,
 *                which may be a preview or the cost of fast precision; %NULL
 *                until the first one of that picture is finished
 *   "exporting"  boolean, read-only
 *   "progress"   double, read-only: of the export, 0 … 1
 *   "precision-cost"  boolean: the cost of fast precision is requested or
 *                shown; any change of a parameter ends it
 *   "detail"     pointer, read-only, nullable: the visible part of the frame,
 *                reconstructed at the resolution of the screen
 *   "sharp-zoom" boolean: make a detail when zoomed in; TRUE at first
 *   "caption"    string, read-only, nullable: the cost of fast precision in
 *                one sentence; %NULL while the slice is shown
 *   "picture"    uint, read-only: the TlPicture that is shown; also notified
 *                when its projection or the page changes
 *   "comparison" uint, read-only: counts every change of A, of the comparison
 *                mode, of the difference, and of the overlay
 *                (app/axis/overlay/overlay.h)
 */
TlSession *tl_session_new (void);

/* The parts of the session, all (transfer none). */
TlMessages *tl_session_get_messages (TlSession *session);
TlRequests *tl_session_get_requests (TlSession *session);
TlScanSource *tl_session_get_source (TlSession *session);
TlParameters *tl_session_get_parameters (TlSession *session);
TlTasks *tl_session_get_tasks (TlSession *session);

/* Opens a scan or a recipe (*.ini), asynchronously. The previous picture stays
 * until the new one is finished, and remains if opening fails. A recipe for the
 * open scan only changes the parameters; the scan is read again only if a
 * parameter of the reader differs. */
void tl_session_open (TlSession *session, const char *path);

/**
 * tl_session_open_recipe:
 * @scan_path: (nullable): the scan to open, instead of the one named in the
 *   recipe
 *
 * As tl_session_open().
 */
void tl_session_open_recipe (TlSession *session, const char *path,
                             const char *scan_path);

/** tl_session_set_opening: As tl_parameters_set(), but for the scan that
 * tl_session_open() is opening: a different scan that is still open is not
 * changed. %FALSE with TL_ERROR_VALUE also if opening has failed. */
gboolean tl_session_set_opening (TlSession *session, const char *key,
                                 const char *value, GError **error);
/**
 * tl_session_list_choices:
 * @key: "preset", "filter", "interpolation", "kernel", "precision", "padding",
 *   "rings", "engine"
 *
 * Returns: (transfer none): %NULL-terminated: all values of @key, including
 *   those that the engine does not support; valid until the next change of a
 *   parameter
 */
const char *const *tl_session_list_choices (TlSession *session,
                                            const char *key);

/**
 * tl_session_explain_choice:
 * @key: as for tl_session_list_choices()
 * @value: one of its values
 *
 * Returns: (transfer full) (nullable): why the engine does not support @value
 *   together with the other parameters ("needs fast precision") or gains
 *   nothing by it; %NULL if it is supported or no engine is known yet
 */
char *tl_session_explain_choice (TlSession *session, const char *key,
                                 const char *value);

/** tl_session_set_precision_cost: Makes the slice in both precisions, in the
 * background, and shows fast - full in place of the slice; %FALSE shows the
 * slice again at once. Without a scan, "message" reports an error. */
void tl_session_set_precision_cost (TlSession *session, gboolean wanted);
gboolean tl_session_get_precision_cost (TlSession *session);
/** tl_session_shows_differences: Returns: whether the frame is the cost of
 * fast precision instead of a slice */
gboolean tl_session_shows_differences (TlSession *session);

/** tl_session_set_page: Has no effect without a scan. On any page but
 * TL_PAGE_PICTURE the picture is the slice, which is still updated. */
void tl_session_set_page (TlSession *session, TlPage page);
TlPage tl_session_get_page (TlSession *session);
/** tl_session_set_picture: Has no effect without a scan. Also turns to
 * TL_PAGE_PICTURE. */
void tl_session_set_picture (TlSession *session, TlPicture picture);
TlPicture tl_session_get_picture (TlSession *session);
/** tl_session_set_projection: Sets the projection of TL_PICTURE_PROJECTION or,
 * while TL_PICTURE_OVERLAY is shown, the first of the overlay's two opposite
 * projections. Each picture keeps its own number. */
void tl_session_set_projection (TlSession *session, guint projection);
guint tl_session_get_projection (TlSession *session);

/** tl_session_get_frame: Returns: (transfer none) (nullable): property "frame"
 */
TlFrame *tl_session_get_frame (TlSession *session);
/** tl_session_get_frame_size: In pixels of the frame: a preview has fewer than
 * the picture. %FALSE without a frame. */
gboolean tl_session_get_frame_size (TlSession *session, size_t *n_rows,
                                    size_t *n_cols);
/** tl_session_shows_preview: Returns: whether the frame is a reduced slice
 * that the whole one will replace */
gboolean tl_session_shows_preview (TlSession *session);
/** tl_session_get_slice_bytes: Returns: the size of an exported slice in
 * bytes; 0 without a scan */
double tl_session_get_slice_bytes (TlSession *session);
/** tl_session_get_picture_size: In pixels of the whole picture, even while a
 * preview is shown. %FALSE without a frame. */
gboolean tl_session_get_picture_size (TlSession *session, size_t *n_rows,
                                      size_t *n_cols);
/** tl_session_get_frame_place: The position of the frame in the picture, all
 * in picture pixels: @row and @col of the centre of its first pixel, and the
 * distance @pitch between its pixels. */
void tl_session_get_frame_place (TlSession *session, double *row, double *col,
                                 double *pitch);
/* The part of the picture that is on the screen; a plain value, zeroed if
 * unknown. Positions and distances are in picture pixels. */
typedef struct
{
  double row, col;       /* centre of the first pixel on the screen */
  double pitch;          /* distance between pixels of the screen */
  size_t n_rows, n_cols; /* in pixels of the screen */
} TlVisible;

/** tl_session_set_visible: Call it whenever the visible part changes; sharp
 * zoom needs it. */
void tl_session_set_visible (TlSession *session, const TlVisible *visible);
void tl_session_set_sharp_zoom (TlSession *session, gboolean sharp_zoom);
/** tl_session_get_detail: Returns: (transfer none) (nullable): property
 * "detail", to be drawn above the frame; histogram and pixel values remain
 * those of the frame */
TlFrame *tl_session_get_detail (TlSession *session);
/** tl_session_get_detail_place: As tl_session_get_frame_place(), for the
 * detail. */
void tl_session_get_detail_place (TlSession *session, double *row, double *col,
                                  double *pitch);
/** tl_session_read_pixel: @row and @col are in picture pixels; %FALSE without
 * a frame or outside the picture. */
gboolean tl_session_read_pixel (TlSession *session, size_t row, size_t col,
                                float *value);
/** tl_session_get_pixels: Returns: (transfer none) (nullable):
 * [@n_rows][@n_cols] of the newest frame, whose position
 * tl_session_get_frame_place() gives; valid until the next frame. %NULL
 * without a frame, or if its pixels are in device memory only, which can be
 * so while "fetch" is not set */
const float *tl_session_get_pixels (TlSession *session, size_t *n_rows,
                                    size_t *n_cols);
/**
 * tl_session_get_histogram:
 * @min: (out): lower end of the first bin
 * @max: (out): upper end of the last bin
 *
 * Returns: (transfer none) (nullable): [@n] counts of the newest frame
 */
const guint32 *tl_session_get_histogram (TlSession *session, size_t *n,
                                         float *min, float *max);
/** tl_session_get_percentiles: Estimates from the histogram the values below
 * which the fractions @f_low and @f_high of the pixels lie. */
gboolean tl_session_get_percentiles (TlSession *session, double f_low,
                                     double f_high, float *low, float *high);
const TlStatus *tl_session_get_status (TlSession *session);
/** tl_session_export: Exports slices @first … @last to @folder, in the
 * background. An error is reported as "message". */
void tl_session_export (TlSession *session, const char *folder, guint first,
                        guint last);
/** tl_session_has_room: Returns: whether slices @first … @last fit on the disk
 * of @folder, counting the space of existing slices that they replace */
gboolean tl_session_has_room (TlSession *session, const char *folder,
                              guint first, guint last);
/** tl_session_dup_progress: Returns: (transfer full): the export's progress in
 * words, in slices */
char *tl_session_dup_progress (TlSession *session);
void tl_session_cancel_export (TlSession *session);
/**
 * tl_session_save_slice:
 * @path: a TIFF of 32-bit floats, replaced if it exists
 *
 * Saves the shown picture in the background, and its recipe beside it
 * ("slice.ini" for "slice.tiff"). "notice" or "message" reports the result. A
 * preview is refused.
 */
void tl_session_save_slice (TlSession *session, const char *path);
/* A is a held slice, B the slice that is shown, whatever its parameters.
 * Opening another scan drops A. Sharp zoom is off during a comparison: both
 * slices are shown at their own resolution. */

/** tl_session_hold: Makes the slice A, replacing any previous A; if a preview
 * is shown, A is the whole slice that follows. Without a scan, "message"
 * reports an error. */
void tl_session_hold (TlSession *session);
/** tl_session_release: Drops A. */
void tl_session_release (TlSession *session);
/** tl_session_is_held: Returns: whether there is an A, or one is being made */
gboolean tl_session_is_held (TlSession *session);
/** tl_session_get_held: Returns: (transfer none) (nullable): A, whole and in
 * host memory */
TlFrame *tl_session_get_held (TlSession *session);
/** tl_session_get_held_slice: Returns: the number of slice A; call it only if
 * there is an A */
guint tl_session_get_held_slice (TlSession *session);
/** tl_session_get_shown_slice: Returns: the number of slice B; call it only if
 * there is a frame */
guint tl_session_get_shown_slice (TlSession *session);
/** tl_session_take_held: Sets the parameters to those of A, in one step of the
 * history. */
void tl_session_take_held (TlSession *session);
/** tl_session_set_compare_mode: "message" reports an error if no slice is
 * held, or if A and B differ in size and cannot be subtracted. */
void tl_session_set_compare_mode (TlSession *session, TlCompareMode mode);
TlCompareMode tl_session_get_compare_mode (TlSession *session);
/** tl_session_get_comparison: Returns: the mode that is in effect: OFF while A
 * is being made and while another picture is shown. In DIFFERENCE, pixels,
 * histogram and percentiles are those of B - A; they follow a moment after
 * the frame, which stays B. */
TlCompareMode tl_session_get_comparison (TlSession *session);
/** tl_session_describe_comparison: Returns: (transfer full): how the
 * parameters of B differ from those of A; "" if they do not, or if there is
 * no A */
char *tl_session_describe_comparison (TlSession *session);
/** tl_session_get_held_place: The position of the centre of A's first pixel,
 * in pixels of B. The axis is in the middle of every slice of a scan,
 * whatever its size. %FALSE if A or B is missing. */
gboolean tl_session_get_held_place (TlSession *session, double *row,
                                    double *col);
/** tl_session_read_compared: As tl_session_read_pixel(), for A and B; %FALSE
 * also where A does not cover the pixel of B. */
gboolean tl_session_read_compared (TlSession *session, size_t row, size_t col,
                                   float *a, float *b);

/**
 * tl_session_describe_machine:
 * @callback: gets the text with tl_session_describe_machine_finish()
 *
 * Describes engines and devices for the About dialog. Runs in a thread, because
 * a driver may take seconds to answer.
 */
void tl_session_describe_machine (TlSession *session,
                                  GAsyncReadyCallback callback,
                                  gpointer user_data);
/** tl_session_describe_machine_finish: Returns: (transfer full) */
char *tl_session_describe_machine_finish (TlSession *session,
                                          GAsyncResult *result);

G_END_DECLS
