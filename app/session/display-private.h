/* The display's structure, and the functions shared by its files. */
#pragma once

#include "app/session/display.h"
#include "app/session/preview-scheduler.h"

/* A measured view and its newest request. */
typedef struct
{
  TlRecipe *wanted; /* (nullable): recipe of the newest job */
  guint wanted_projection;
  guint64 wanted_serial;

  TlShownView shown;
  guint64 serial; /* of the job that made the view */
  guint64 growth; /* of its reply */
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

/* display-views.c */

/** tl_display_get_view: Returns: (transfer none) (nullable): the measured view
 * that is shown; %NULL if the slice is shown */
TlShownMeasuredView *tl_display_get_view (TlDisplay *display);
/** tl_display_restore_view: After an error, resets the parameters that the
 * shown view depends on, and its projection, to those used to make it. */
void tl_display_restore_view (TlDisplay *display);
gboolean tl_display_is_view_old (TlDisplay *display);
void tl_display_forget_views (TlDisplay *display);
/** tl_display_ask_for_view: Requests the measured view that is shown. @grows:
 * as of TlJob */
void tl_display_ask_for_view (TlDisplay *display, gboolean grows);

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
/** tl_display_update_paused: The comparison is paused while the slice is not
 * shown; call it when that changes. */
void tl_display_update_paused (TlDisplay *display);
/** tl_display_name_slow_step: Sets the slow step of @status if its frame_ms is
 * long. */
void tl_display_name_slow_step (TlStatus *status, const TlReply *reply);
