/* The session's structure, and the functions shared by its files. */
#pragma once

#include "app/session/composite.h"
#include "app/session/history.h"
#include "app/session/preview-scheduler.h"
#include "app/session/session.h"
#include "app/session/shown-view.h"
#include "app/session/slice-comparison.h"
#include "app/session/tasks.h"
#include "app/worker/worker.h"

G_BEGIN_DECLS

/* A measured view and its newest request. */
typedef struct
{
  TlRecipe *wanted; /* (nullable): recipe of the newest job */
  guint wanted_projection;
  guint64 wanted_serial;

  TlShownView shown;
  guint64 serial; /* of the job that made the view */
} TlShownMeasuredView;

struct _TlSession
{
  GObject parent;
  TlMessages *messages;
  TlRequests *requests;
  TlScanSource *source;
  TlParameters *parameters;
  TlTasks *tasks;
  gboolean opened_at_once; /* the last open needed no reading */

  TlPreviewScheduler scheduler;

  /* The newest finished frame of the slice. */
  TlRecipe *shown; /* (nullable): used to make frame */
  TlRecipe *whole; /* (nullable): of the last frame made from all projections */
  TlFrame *frame;  /* (nullable) */
  TlGrid grid;     /* of the frame */
  guint64 frame_serial;
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

  TlSliceComparison *comparison;
  guint comparison_changes;

  TlComposite *composite; /* (nullable): a weak pointer */

  /* The capabilities of the engine that made the slice. */
  const TlVariant *const *variants; /* [n_variants]; constant */
  size_t n_variants;                /* 0: unknown */
  const char *engines[5];           /* lent by tl_session_list_choices() */

  guint64 export_serial; /* of the export's job; 0: none */
  char *export_folder;
  GCancellable *export_cancellable;
  guint n_export_slices; /* in the last export */
  double progress;
};

/* measured-views.c */

/** tl_session_get_measured_view: Returns: (transfer none) (nullable): the
 * measured view that is shown; %NULL if the slice is shown */
TlShownMeasuredView *tl_session_get_measured_view (TlSession *session);

/** tl_session_ask_for_measured_view: Requests the shown view unless it is up
 * to date or already requested. */
void tl_session_ask_for_measured_view (TlSession *session);
/** tl_session_take_measured_view: Stores the view of @reply unless a newer one
 * is there. */
void tl_session_take_measured_view (TlSession *session, TlReply *reply);
/** tl_session_restore_measured_view: After an error, resets the parameters
 * that the shown view depends on, and its projection, to those used to make
 * it. */
void tl_session_restore_measured_view (TlSession *session);
/** tl_session_is_measured_view_old: Returns: whether the shown view does not
 * match the recipe */
gboolean tl_session_is_measured_view_old (TlSession *session);
/** tl_session_forget_measured_views: Drops all views; for use when another
 * scan is opened. */
void tl_session_forget_measured_views (TlSession *session);

/* live.c */

/** tl_session_ask_for_frame: Requests the shown picture with the present
 * recipe; a slice is reduced at first if whole slices are slow. */
void tl_session_ask_for_frame (TlSession *session);

/** tl_session_follow_preview: Requests the whole slice if a reduced one has
 * arrived and no other request is pending. */
void tl_session_follow_preview (TlSession *session);

/** tl_session_is_slice_old: Returns: whether the slice is reduced or does not
 * match the recipe */
gboolean tl_session_is_slice_old (TlSession *session);

/* compare.c */

/** tl_session_make_comparison: Called once, when the session is made. */
void tl_session_make_comparison (TlSession *session);

/** tl_session_get_difference: Returns: (transfer none) (nullable): B - A, if
 * it is shown and made from the newest frame */
TlFrame *tl_session_get_difference (TlSession *session);

/** tl_session_note_comparison: Counts a change and notifies "comparison". */
void tl_session_note_comparison (TlSession *session);

/* cost.c */
void tl_session_ask_for_cost (TlSession *session);

/** tl_session_take_cost: Shows the map of @reply if it is still requested. */
void tl_session_take_cost (TlSession *session, TlReply *reply);

/** tl_session_leave_cost: Cancels the request and shows the slice again. */
void tl_session_leave_cost (TlSession *session);

/* detail.c */

/** tl_session_add_detail: If the view is zoomed in, lets @job also make the
 * visible part, as sharp as the time allows. */
void tl_session_add_detail (TlSession *session, TlJob *job);

/** tl_session_update_detail: Requests the visible part of the shown picture
 * once nothing has changed for a moment. */
void tl_session_update_detail (TlSession *session);

/** tl_session_forget_detail: Ignores the part that has been requested. */
void tl_session_forget_detail (TlSession *session);

/** tl_session_take_detail: Shows @detail: (nullable) (transfer full), which
 * covers @grid. */
void tl_session_take_detail (TlSession *session, TlFrame *detail,
                             const TlGrid *grid);

/** tl_session_name_slow_step: Sets the slow step of @status if its frame_ms is
 * long. */
void tl_session_name_slow_step (TlStatus *status, const TlReply *reply);

/* export.c */
void tl_session_take_export_reply (TlSession *session, TlReply *reply);

/* replies.c */

/** tl_session_take_reply: A #TlReplyFunc; @data is the session. */
void tl_session_take_reply (TlReply *reply, gpointer data);

G_END_DECLS
