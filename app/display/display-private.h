/* The display's structure, and the functions shared by its files. */
#pragma once

#include "app/display/display.h"
#include "app/display/preview-scheduler.h"

/* A measured view and its newest request. */
typedef struct
{
  TlRecipe *wanted; /* (nullable): recipe of the newest job */
  guint wanted_projection;
  TlPlane wanted_planes[TL_N_PANES];
  guint64 wanted_serial;

  TlShownView shown;
  TlPlane shown_planes[TL_N_PANES]; /* as they were asked for */
  guint64 serial;                   /* of the job that made the view */
  guint64 growth;                   /* of its reply */
} TlShownMeasuredView;

struct _TlDisplay
{
  GObject parent;
  TlParameters *parameters;
  TlScanSource *source;
  TlRequests *requests;
  TlMessages *messages;
  TlSliceComparison *comparison;
  TlComposite *composite; /* (nullable): a weak pointer */

  TlPreviewScheduler scheduler;
  guint64 newest_growth; /* of all pictures of the scan */

  /* The newest finished frame of the slice. */
  TlRecipe *shown; /* (nullable): used to make frame */
  TlRecipe *whole; /* (nullable): of the last frame made from all projections */
  TlFrame *frame;  /* (nullable) */
  TlGrid grid;     /* of the frame */
  guint every;     /* stride between the projections of the frame; 1: all */
  guint64 frame_serial;
  guint64 growth; /* of its reply */
  TlStats stats;
  TlStatus status;
  char *engine, *device; /* (nullable): owned; lent by status */

  TlPage page;
  TlPictureChoice choice; /* the picture that is shown */
  TlShownMeasuredView
      measured_views[TL_N_PICTURES]; /* [TL_PICTURE_SLICE] is unused */
  TlPane pane;                       /* to save */
  TlPlaneLevel plane_levels[TL_MAX_PLANE_LEVELS];
  guint n_plane_levels;
  gboolean awaits_planes;  /* until the first level is loaded */
  gboolean makes_compared; /* the newest job of planes makes those of A, too */
  guint64 held_bytes;      /* of the planes or the volume */
  double plane_ms; /* back-projection of a pixel of planes from one projection
                      in a full scan; 0: unknown */

  /* Sharp zoom: the visible part of the slice. */
  gboolean sharp_zoom;
  TlVisible visible;
  guint detail_id;       /* source that requests the part; 0: none */
  guint64 detail_serial; /* of its job; 0: none */
  TlFrame *detail;       /* (nullable) */
  TlGrid detail_grid;

  /* The cost of fast precision, shown in place of the slice. */
  guint64 cost_serial;            /* of its job; 0: not requested */
  GCancellable *cost_cancellable; /* (nullable): of that job */
  TlPrecisionCost cost;           /* map is NULL until it is finished */
  char *caption;                  /* (nullable): the cost in words */

  /* The capabilities of the engine that made the slice. */
  const TlVariant *const *variants; /* [n_variants]; constant */
  size_t n_variants;                /* 0: unknown */
  const char *engines[5];           /* lent by tl_display_list_choices() */
};

/* display-planes.c */

/** tl_display_fill_planes_job: Chooses for @job, which is about to be pushed,
 * the level and how coarse the planes are. @is_fine: as of
 * tl_display_ask_for_view(). Returns: whether finer ones have to follow */
gboolean tl_display_fill_planes_job (TlDisplay *display, TlJob *job,
                                     gboolean is_fine);
void tl_display_forget_plane_levels (TlDisplay *display);
/** tl_display_hold_planes: Makes the parameters of the planes A. */
void tl_display_hold_planes (TlDisplay *display);
/** tl_display_update_compared_planes: Makes A's planes if they are shown from
 * now on, and gives their memory back if A was released. Without A on the
 * screen they stay until the next planes are made. */
void tl_display_update_compared_planes (TlDisplay *display);
/** tl_display_refuses_planes: Returns: whether the open scan is still being
 * taken and some of its rows had no room in memory; the user is told then */
gboolean tl_display_refuses_planes (TlDisplay *display);
/** tl_display_note_planes: Notes what the planes of @reply took. */
void tl_display_note_planes (TlDisplay *display, const TlReply *reply);
/** tl_display_shows_coarse_planes: Returns: whether planes are shown in larger
 * pixels than they were asked for, or of coarser projections */
gboolean tl_display_shows_coarse_planes (TlDisplay *display);
/** tl_display_request_fine_planes: Requests them in the pixels that they were
 * asked for, or of finer projections, if those that are shown answer the newest
 * request. */
void tl_display_request_fine_planes (TlDisplay *display);

/* display-views.c */

/** tl_display_get_view: Returns: (transfer none) (nullable): the measured view
 * that is shown; %NULL if the slice is shown */
TlShownMeasuredView *tl_display_get_view (TlDisplay *display);
/** tl_display_restore_view: After an error, resets the parameters that the
 * shown view depends on, and its projection, to those used to make it. */
void tl_display_restore_view (TlDisplay *display);
gboolean tl_display_is_view_old (TlDisplay *display);
/** tl_display_has_moved: While planes are shown. Returns: whether they are
 * wanted at other places, or in other pixels, than those that are shown */
gboolean tl_display_has_moved (TlDisplay *display);
void tl_display_forget_views (TlDisplay *display);
/** tl_display_ask_for_view: Requests the measured view that is shown. @grows:
 * as of TlJob. @is_fine: of planes: as they were asked for, and not as fast as
 * a drag needs them */
void tl_display_ask_for_view (TlDisplay *display, gboolean grows,
                              gboolean is_fine);

/* display-detail.c */

/** tl_display_add_detail: If the view is zoomed in, lets @job also make the
 * visible part, as sharp as the time allows. */
void tl_display_add_detail (TlDisplay *display, TlJob *job);
/** tl_display_forget_detail: Ignores the part that has been requested. */
void tl_display_forget_detail (TlDisplay *display);
/** tl_display_take_detail: Shows @detail: (nullable) (transfer full), which
 * covers @grid. */
void tl_display_take_detail (TlDisplay *display, TlFrame *detail,
                             const TlGrid *grid);

/* display.c */

/** tl_display_get_difference: Returns: (transfer none) (nullable): B - A, if
 * it is shown and made from the newest frame */
TlFrame *tl_display_get_difference (TlDisplay *display);
/** tl_display_is_slice_old: Returns: whether the slice is a preview, does not
 * match the recipe, or another picture has more projections */
gboolean tl_display_is_slice_old (TlDisplay *display);
/** tl_display_ask_for_whole: Requests the slice, not reduced. @grows: as of
 * TlJob */
void tl_display_ask_for_whole (TlDisplay *display, gboolean grows);
/** tl_display_on_rest: The #GSourceFunc of tl_requests_push_later(): requests
 * the whole picture if a preview is shown and nothing newer is requested. */
gboolean tl_display_on_rest (gpointer display);
/* Milliseconds without a request before the whole picture is made: longer than
 * the interval between two steps of a drag or of key repeat, shorter than a
 * delay that the user notices. */
#define TL_DISPLAY_REST_MS 120
/** tl_display_update_paused: The comparison is paused while neither the slice
 * nor planes are shown; call it when that changes. */
void tl_display_update_paused (TlDisplay *display);
/** tl_display_name_slow_step: Sets the slow step of @status if its frame_ms is
 * long. */
void tl_display_name_slow_step (TlStatus *status, const TlReply *reply);
