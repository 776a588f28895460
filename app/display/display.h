/* What is shown: the slice, a view of measured data, or what fast precision
 * costs; and what is requested to show it. Where whole slices are slow, reduced
 * previews are shown until no further requests come. Main thread only. */
#pragma once

#include "app/display/composite.h"
#include "app/display/slice-comparison.h"
#include "app/parameters/parameters.h"
#include "app/recon/measured-view.h"
#include "app/recon/volume/plane-set.h"
#include "data/read/held/copy.h"

/* How the shown picture was made, for the status line. A plain value; the
 * strings are valid until the next change. */
typedef struct
{
  const char *engine, *device,
      *kernel;    /* (nullable): %NULL before the first picture */
  guint n_folded; /* pixels computed together by symmetry: 1, 2 or 4 */
  const char *
      fallback; /* (nullable): one sentence if a slower kernel had to be used */
  const char *precision;
  double frame_ms;       /* from taking the request to the finished frame */
  const char *slow_step; /* (nullable): the slowest step, if the frame was slow:
                            "read", "zingers", "back-project" … */
  double slow_ms;        /* duration of slow_step */
  double read_ms;        /* reading the file, part of frame_ms */
  double backproject_ms, filter_ms; /* slices only */
  gboolean is_fourier; /* backproject_ms is that of the Fourier method */
  double correct_ms;   /* measured views only */
  size_t memory_bytes; /* held by the engine on its device */
  guint64 free_bytes;  /* slices only: as of TlReply */
  size_t n_angles;
  size_t n_dead;       /* dead pixels replaced in this row */
  gboolean is_preview; /* reduced, or from some projections; the whole picture
                          follows */
} TlStatus;

/* A view of measured data; all fields are %NULL or 0 before the first one. The
 * strings of the status are constant. */
typedef struct
{
  TlFrame *frame;    /* (nullable) */
  TlRecipe *recipe;  /* (nullable): used to make the frame */
  guint projection;  /* of TL_PICTURE_PROJECTION and TL_PICTURE_OVERLAY */
  TlPair pair;       /* of TL_PICTURE_OVERLAY; its frame is the one above */
  TlPlaneSet planes; /* of TL_PICTURE_PLANES; the frame above is its first */
  TlStats stats;
  TlStatus status;
} TlShownView;

#define TL_TYPE_DISPLAY (tl_display_get_type ())
G_DECLARE_FINAL_TYPE (TlDisplay, tl_display, TL, DISPLAY, GObject)

/* Properties, all with explicit notify:
 *   "frame"       pointer, read-only: the newest frame of the shown picture,
 *                 which may be a preview or the cost of fast precision; %NULL
 *                 until the first one of that picture is finished
 *   "precision-cost"  boolean: the cost of fast precision is requested or
 *                 shown; any change of a parameter ends it
 *   "detail"      pointer, read-only, nullable: the visible part of the frame,
 *                 reconstructed at the resolution of the screen
 *   "sharp-zoom"  boolean: make a detail when zoomed in; TRUE at first
 *   "caption"     string, read-only, nullable: the cost of fast precision in
 *                 one sentence; %NULL while the slice is shown
 *   "picture"     uint, read-only: the TlPicture that is shown; also notified
 *                 when its projection or the page changes
 *   "comparison"  object, read-only: the TlSliceComparison; notified when A,
 * the mode, the difference or the composite has changed
 *   "held-bytes"  uint64, read-only: as of tl_display_set_held_bytes()
 *   "variants"    pointer, read-only: what the engine that made the slice can
 *                 do; other choices are possible when it changes
 */
TlDisplay *tl_display_new (TlParameters *parameters, TlScanSource *source,
                           TlRequests *requests, TlMessages *messages,
                           TlSliceComparison *comparison);

/** tl_display_set_precision_cost: Makes the slice in both precisions, in the
 * background, and shows fast - full in place of the slice; %FALSE shows the
 * slice again at once. Without a scan, "message" reports an error. */
void tl_display_set_precision_cost (TlDisplay *display, gboolean wanted);
gboolean tl_display_get_precision_cost (TlDisplay *display);
/** tl_display_shows_differences: Returns: whether the frame is the cost of
 * fast precision instead of a slice */
gboolean tl_display_shows_differences (TlDisplay *display);

/** tl_display_set_page: Has no effect without a scan. On any page but
 * TL_PAGE_PICTURE the picture is the slice, which is still updated, but for
 * TL_PAGE_VOLUME: then it is made when that is left. */
void tl_display_set_page (TlDisplay *display, TlPage page);
TlPage tl_display_get_page (TlDisplay *display);
/** tl_display_set_picture: Has no effect without a scan. Also turns to
 * TL_PAGE_PICTURE. */
void tl_display_set_picture (TlDisplay *display, TlPicture picture);
TlPicture tl_display_get_picture (TlDisplay *display);
/** tl_display_set_projection: Sets the projection of TL_PICTURE_PROJECTION or,
 * while TL_PICTURE_OVERLAY is shown, the first of the overlay's two opposite
 * projections, numbered as in the file. If it is left out, the next one in the
 * direction of the change is taken. Each picture keeps its own number. */
void tl_display_set_projection (TlDisplay *display, guint projection);
guint tl_display_get_projection (TlDisplay *display);

/** tl_display_set_planes: @planes: [TL_N_PANES]: what TL_PICTURE_PLANES shows:
 * the pixels of the screen; nx 0: none. They are made while it is shown; where
 * that is slow, in larger pixels until nothing has changed for a moment. */
void tl_display_set_planes (TlDisplay *display, const TlPlane *planes);

/** tl_display_leave_planes: After an error, shows the slice in place of planes
 * if these need rows that had no room in memory, and tells the user. Returns:
 * whether it does */
gboolean tl_display_leave_planes (TlDisplay *display);

/** tl_display_set_pane: Chooses the pane whose plane tl_display_save() saves;
 * TL_PANE_XY at first. */
void tl_display_set_pane (TlDisplay *display, TlPane pane);
TlPane tl_display_get_pane (TlDisplay *display);

/* Projections in bins, of which planes can be made. */
typedef struct
{
  TlHeldCopy *copy; /* a reference */
  guint bin;        /* in pixels of the file */
} TlPlaneLevel;

#define TL_MAX_PLANE_LEVELS 8

/**
 * tl_display_set_plane_levels:
 * @levels: [@n], from coarse to fine; copied, with new references
 * @awaits: whether the first of them is being loaded, and planes are not made
 *   before
 *
 * While planes change they are made of a level that is small enough for a drag,
 * and then of the coarsest one that has the pixels of the screen, or, where
 * none has, of the scan. Without levels they always are made of the scan.
 */
void tl_display_set_plane_levels (TlDisplay *display,
                                  const TlPlaneLevel *levels, guint n,
                                  gboolean awaits);

/** tl_display_set_held_bytes: Says how much host memory the planes, or the
 * volume, hold besides that of the engines. */
void tl_display_set_held_bytes (TlDisplay *display, guint64 n_bytes);
/** tl_display_get_held_bytes: Returns: what was said last */
guint64 tl_display_get_held_bytes (TlDisplay *display);

/** tl_display_estimate_slice_s: As tl_preview_scheduler_estimate_s() */
double tl_display_estimate_slice_s (TlDisplay *display, double part);

/** tl_display_count_drag_samples: Returns: of how many samples of projections
 * the engine can make planes during a drag */
double tl_display_count_drag_samples (TlDisplay *display);

/** tl_display_get_frame: Returns: (transfer none) (nullable): property "frame"
 */
TlFrame *tl_display_get_frame (TlDisplay *display);
/** tl_display_get_frame_recipe: Returns: (transfer none) (nullable): the
 * parameters with which the frame was made; valid until the next one */
const TlRecipe *tl_display_get_frame_recipe (TlDisplay *display);
/** tl_display_get_frame_size: In pixels of the frame: a preview has fewer than
 * the picture. %FALSE without a frame. */
gboolean tl_display_get_frame_size (TlDisplay *display, size_t *n_rows,
                                    size_t *n_cols);
/** tl_display_shows_preview: Returns: whether the frame is a slice that is
 * reduced, or made from some of the projections, or of planes in larger pixels,
 * and that the whole one will replace */
gboolean tl_display_shows_preview (TlDisplay *display);
/** tl_display_get_picture_size: In pixels of the whole picture, even while a
 * preview is shown. %FALSE without a frame. */
gboolean tl_display_get_picture_size (TlDisplay *display, size_t *n_rows,
                                      size_t *n_cols);
/** tl_display_get_frame_place: The position of the frame in the picture, all
 * in picture pixels: @row and @col of the centre of its first pixel, and the
 * distance @pitch between its pixels. */
void tl_display_get_frame_place (TlDisplay *display, double *row, double *col,
                                 double *pitch);
/* The part of the picture that is on the screen; a plain value, zeroed if
 * unknown. Positions and distances are in picture pixels. */
typedef struct
{
  double row, col;       /* centre of the first pixel on the screen */
  double pitch;          /* distance between pixels of the screen */
  size_t n_rows, n_cols; /* in pixels of the screen */
} TlVisible;

/** tl_display_set_visible: Call it whenever the visible part changes; sharp
 * zoom needs it. */
void tl_display_set_visible (TlDisplay *display, const TlVisible *visible);
void tl_display_set_sharp_zoom (TlDisplay *display, gboolean sharp_zoom);
/** tl_display_get_detail: Returns: (transfer none) (nullable): property
 * "detail", to be drawn above the frame; histogram and pixel values remain
 * those of the frame */
TlFrame *tl_display_get_detail (TlDisplay *display);
/** tl_display_get_detail_place: As tl_display_get_frame_place(), for the
 * detail. */
void tl_display_get_detail_place (TlDisplay *display, double *row, double *col,
                                  double *pitch);
/** tl_display_read_pixel: @row and @col are in picture pixels; %FALSE without
 * a frame or outside the picture. */
gboolean tl_display_read_pixel (TlDisplay *display, size_t row, size_t col,
                                float *value);
/** tl_display_get_pixels: Returns: (transfer none) (nullable):
 * [@n_rows][@n_cols] of the newest frame, whose position
 * tl_display_get_frame_place() gives; valid until the next frame. %NULL
 * without a frame, or if its pixels are in device memory only, which can be
 * so while "fetch" is not set */
const float *tl_display_get_pixels (TlDisplay *display, size_t *n_rows,
                                    size_t *n_cols);
/**
 * tl_display_get_histogram:
 * @min: (out): lower end of the first bin
 * @max: (out): upper end of the last bin
 *
 * Returns: (transfer none) (nullable): [@n] counts of the newest frame
 */
const guint32 *tl_display_get_histogram (TlDisplay *display, size_t *n,
                                         float *min, float *max);
/** tl_display_get_percentiles: Estimates from the histogram the values below
 * which the fractions @f_low and @f_high of the pixels lie. */
gboolean tl_display_get_percentiles (TlDisplay *display, double f_low,
                                     double f_high, float *low, float *high);
const TlStatus *tl_display_get_status (TlDisplay *display);
/** tl_display_get_picture_serial: Returns: the number of the request that made
 * the shown picture; 0 before the first */
guint64 tl_display_get_picture_serial (TlDisplay *display);

/** tl_visible_find_grid: Returns: the part of the screen that lies on a slice
 * of the grid @whole, at the resolution of the screen; nx is 0 if there is
 * none */
TlGrid tl_visible_find_grid (const TlVisible *visible, const TlGrid *whole);

/* --- data to save, compare and combine --- */

/* A picture as it is saved or handed over; owns what it has. */
typedef struct
{
  TlFrame *frame;
  TlRecipe *recipe; /* used to make it */
  char *scan;       /* as of tl_scan_source_get_origin() */
  char *what;       /* meaning of the values, for the file */
} TlFinishedPicture;

void tl_finished_picture_clear (TlFinishedPicture *picture);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TlFinishedPicture, tl_finished_picture_clear)

/** tl_display_is_composing: Returns: whether the picture of two projections is
 * still being computed for the present axis; "comparison" is notified when it
 * is there */
gboolean tl_display_is_composing (TlDisplay *display);

/** tl_display_get_finished: @picture: (out caller-allocates): the shown one,
 * which is no preview. Its pixels may have to be fetched, in a thread. Returns:
 * %FALSE with TL_ERROR_VALUE: why there is none */
gboolean tl_display_get_finished (TlDisplay *display,
                                  TlFinishedPicture *picture, GError **error);

/** tl_display_check_save: Returns: whether there is a picture to save. If not,
 * "message" says why. */
gboolean tl_display_check_save (TlDisplay *display);

/**
 * tl_display_save:
 * @path: a TIFF of 32-bit floats, replaced if it exists
 *
 * Saves the shown picture in the background, and its recipe beside it
 * ("slice.ini" for "slice.tiff"). "notice" or "message" reports the result. A
 * preview is refused.
 */
void tl_display_save (TlDisplay *display, const char *path);

/** tl_display_hold_slice: Makes the slice A, replacing any previous A; if a
 * preview is shown, A is the whole slice that follows. While planes are shown,
 * A is what the present parameters make: planes wherever the panes look, and
 * the present slice, which is made when the slice is shown again. Without a
 * scan, "message" reports an error. */
void tl_display_hold_slice (TlDisplay *display);
/** tl_display_can_make_held: Returns: whether A was made of the same data as
 * the scan that is open: bins, files, and projections that are left out. Only
 * then its planes are made, or its slice if that is missing */
gboolean tl_display_can_make_held (TlDisplay *display);
/** tl_display_read_compared: As tl_display_read_pixel(), for A and B; %FALSE
 * also where A does not cover the pixel of B. */
gboolean tl_display_read_compared (TlDisplay *display, size_t row, size_t col,
                                   float *a, float *b);
/** tl_display_get_shown_view: Returns: (transfer none): the newest view of
 * @picture, not TL_PICTURE_SLICE, even while another picture is shown, except
 * that planes are given back then; valid until the next notification of
 * "frame" */
const TlShownView *tl_display_get_shown_view (TlDisplay *display,
                                              TlPicture picture);

/** tl_display_set_composite: @composite: (transfer none): a weak pointer to it
 * is kept */
void tl_display_set_composite (TlDisplay *display, TlComposite *composite);

/** tl_display_note_composite: The composite has changed: notifies
 * "comparison". */
void tl_display_note_composite (TlDisplay *display);

/* --- choices --- */

/**
 * tl_display_list_choices:
 * @key: "preset", "filter", "interpolation", "kernel", "precision", "padding",
 *   "rings", "engine"
 *
 * Returns: (transfer none): %NULL-terminated: all values of @key, including
 *   those that the engine does not support; valid until the next change of a
 *   parameter
 */
const char *const *tl_display_list_choices (TlDisplay *display,
                                            const char *key);

/**
 * tl_display_explain_choice:
 * @key: as for tl_display_list_choices()
 * @value: one of its values
 *
 * Returns: (transfer full) (nullable): why the engine does not support @value
 *   together with the other parameters ("needs fast precision") or gains
 *   nothing by it; %NULL if it is supported or no engine is known yet
 */
char *tl_display_explain_choice (TlDisplay *display, const char *key,
                                 const char *value);

/* --- replies of the worker --- */

/** tl_display_begin_scan: Another scan has opened, or the same one again. */
void tl_display_begin_scan (TlDisplay *display, gboolean is_other);
/** tl_display_request: Requests the shown picture with the present parameters;
 * a slice is reduced at first if whole slices are slow. */
void tl_display_request (TlDisplay *display);
/** tl_display_request_view: Requests the shown measured view, if any, unless it
 * is up to date or already requested. */
void tl_display_request_view (TlDisplay *display);
/** tl_display_grow: Requests the shown picture again, with the projections that
 * have come since. */
void tl_display_grow (TlDisplay *display);
/** tl_display_is_old: Returns: whether the shown picture does not match the
 * parameters, or is a preview */
gboolean tl_display_is_old (TlDisplay *display);
/** tl_display_fall_back: After an error, sets the parameters to those of the
 * shown picture. */
void tl_display_fall_back (TlDisplay *display);
void tl_display_take_frame (TlDisplay *display, TlReply *reply);
/** tl_display_follow_preview: Requests the whole slice if a preview is shown
 * and nothing newer is requested. */
void tl_display_follow_preview (TlDisplay *display);
void tl_display_take_view (TlDisplay *display, TlReply *reply);
void tl_display_take_detail_reply (TlDisplay *display, TlReply *reply);
/** tl_display_is_cost: Returns: whether @reply answers the request for the cost
 * of fast precision */
gboolean tl_display_is_cost (TlDisplay *display, const TlReply *reply);
/** tl_display_leave_cost: Cancels that request and shows the slice again. */
void tl_display_leave_cost (TlDisplay *display);
/** tl_display_update_detail: Requests the visible part of the shown picture
 * once nothing has changed for a moment. */
void tl_display_update_detail (TlDisplay *display);
