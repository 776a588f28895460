/* What the files of the session share. */
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

/* A measured view, and the newest request for it. */
typedef struct
{
  TlRecipe *wanted; /* (nullable): of the newest job for it */
  guint wanted_projection;
  guint64 wanted_serial;

  TlShownView shown;
  guint64 serial; /* of the job that made it */
} TlShownMeasuredView;

struct _TlSession
{
  GObject parent;
  TlWorker *worker;

  TlRecipe *recipe;   /* what is wanted; resolved while a scan is open */
  guint parameters;   /* changes of it */
  TlHistory *history; /* of no step before the first scan */
  gboolean fetch;

  TlScanSummary *scan;       /* (nullable): the scan that is open */
  double assumed_centre_col; /* what was taken for the centre of it where nobody
                                said it; else NaN */
  guint64 scan_serial;       /* of the job that opened it */

  TlRecipe *opening;       /* (nullable): of the open on its way */
  char *opening_path;      /* (nullable): its scan */
  guint64 opening_serial;  /* 0: none */
  GPtrArray *changes;      /* of GVariant, (sv): key and value, set meanwhile */
  gboolean opened_at_once; /* the last open asked for nothing to be read */

  guint64 last_serial;     /* given to a job */
  guint64 wanted_serial;   /* of the newest open or preview */
  guint64 answered_serial; /* of the newest reply to one */

  TlPreviewScheduler scheduler;
  guint rest_id; /* source that asks for the whole picture; 0: none */

  /* the newest finished frame */
  TlRecipe *shown; /* (nullable): what it was computed with */
  TlRecipe *whole; /* (nullable): likewise, the last of all projections */
  TlFrame *frame;  /* (nullable) */
  TlGrid grid;     /* of the frame */
  guint64 frame_serial;
  TlStats stats;
  TlStatus status;
  char *engine, *device; /* (nullable): the strings of status */

  TlPage page;
  TlPictureChoice choice; /* what the view shows */
  TlShownMeasuredView
      measured_views[TL_N_PICTURES]; /* that of the slice is not used */
  /* what is visible of it, sharp */
  gboolean sharp_zoom;
  TlVisible visible;
  guint detail_id;       /* source that asks for it; 0: none */
  guint64 detail_serial; /* of the job that was asked; 0: none */
  TlFrame *detail;       /* (nullable) */
  TlGrid detail_grid;

  /* what fast precision costs on that slice, shown in its place */
  guint64 cost_serial;            /* of the job that was asked; 0: not wanted */
  GCancellable *cost_cancellable; /* (nullable): of that job */
  TlPrecisionCost cost;           /* its map is NULL until there is one */
  char *caption;                  /* (nullable): the cost in words */

  TlSliceComparison *comparison;
  guint comparison_changes;

  TlTasks *tasks;
  TlComposite *composite; /* (nullable): a weak pointer */

  /* what the engine of that slice can do */
  const TlVariant *const *variants; /* [n_variants]; constant */
  size_t n_variants;                /* 0: not known yet */
  const char *engines[5];           /* as tl_session_list_choices() lends it */

  char *message;
  gboolean message_stays; /* the next success does not clear it */
  char *notice;           /* (nullable) */

  guint64 export_serial; /* 0: none */
  char *export_folder;
  GCancellable *export_cancellable;
  guint n_export_slices; /* of the last export */
  double progress;
};

/* session.c */

/** tl_session_show_notice: @notice: (transfer full) (nullable) */
void tl_session_show_notice (TlSession *session, char *notice);

/** tl_session_make_job: Returns: (transfer full): with the next serial. */
TlJob *tl_session_make_job (TlSession *session, TlJobKind kind,
                            const TlRecipe *recipe, const char *path);

/** tl_session_take_recipe: @recipe (transfer full) is what is wanted now. */
void tl_session_take_recipe (TlSession *session, TlRecipe *recipe);
/** tl_session_push_request: @job: (transfer full): an open or a picture. */
void tl_session_push_request (TlSession *session, TlJob *job);

/** tl_session_start_open: Opens a scan with @recipe (transfer full). */
void tl_session_start_open (TlSession *session, const char *path,
                            TlRecipe *recipe);
void tl_session_forget_changes (TlSession *session);
void tl_session_forget_opening (TlSession *session);

/* session-recipe.c */

/** tl_session_resolve: tl_recipe_resolve() for the scan that is open. */
gboolean tl_session_resolve (TlSession *session, TlRecipe *recipe,
                             GError **error);

/* session-look.c */

/** tl_session_get_measured_view: Returns: (nullable): the one the view shows;
 * %NULL where that is the slice. */
TlShownMeasuredView *tl_session_get_measured_view (TlSession *session);

/** tl_session_ask_for_measured_view: Where it is not there or on its way
 * already. */
void tl_session_ask_for_measured_view (TlSession *session);
/** tl_session_take_measured_view: Shows what came, unless a newer one is shown.
 */
void tl_session_take_measured_view (TlSession *session, TlReply *reply);
/** tl_session_restore_measured_view: What the one shown depends on, of the
 * recipe, and the projection are again what it was made with. */
void tl_session_restore_measured_view (TlSession *session);
/** tl_session_is_measured_view_old: Returns: the one shown is not of the
 * recipe. */
gboolean tl_session_is_measured_view_old (TlSession *session);
/** tl_session_forget_measured_views: The scan is another one. */
void tl_session_forget_measured_views (TlSession *session);

/* session-live.c */

/** tl_session_ask_for_frame: Of the recipe, what the view shows; a reduced
 * slice first where whole ones are slow. */
void tl_session_ask_for_frame (TlSession *session);

/** tl_session_follow_preview: The whole picture is asked for, where a reduced
 * one has come and nothing else is to come. */
void tl_session_follow_preview (TlSession *session);

/** tl_session_is_slice_old: Returns: it is not the recipe's, or is a reduced
 * one. */
gboolean tl_session_is_slice_old (TlSession *session);

/* session-compare.c */

/** tl_session_make_comparison: When the session is made. */
void tl_session_make_comparison (TlSession *session);

/** tl_session_get_difference: Returns: (nullable): B less A, if it is shown and
 * of the newest frame. */
TlFrame *tl_session_get_difference (TlSession *session);

/** tl_session_note_comparison: "comparison" has changed. */
void tl_session_note_comparison (TlSession *session);

/* session-cost.c */
void tl_session_ask_for_cost (TlSession *session);

/** tl_session_take_cost: Shows the map of @reply, if it is still wanted. */
void tl_session_take_cost (TlSession *session, TlReply *reply);

/** tl_session_leave_cost: Nobody wants it any more: the slice is shown. */
void tl_session_leave_cost (TlSession *session);

/* session-detail.c */

/** tl_session_add_detail: To @job, for a picture, where it is zoomed in; as
 * sharp as there is time for. */
void tl_session_add_detail (TlSession *session, TlJob *job);

/** tl_session_update_detail: When nothing has changed for a moment, that of the
 * picture that is shown is asked for. */
void tl_session_update_detail (TlSession *session);

/** tl_session_forget_detail: The one on its way is not wanted any more. */
void tl_session_forget_detail (TlSession *session);

/** tl_session_take_detail: Shows @detail: (nullable) (transfer full). */
void tl_session_take_detail (TlSession *session, TlFrame *detail,
                             const TlGrid *grid);

/** tl_session_name_slow_step: In @status, with its frame_ms, where that is
 * long.
 */
void tl_session_name_slow_step (TlStatus *status, const TlReply *reply);

/* session-export.c */
void tl_session_take_export_reply (TlSession *session, TlReply *reply);

/* session-replies.c */

/** tl_session_take_reply: A #TlReplyFunc; @data is the session. */
void tl_session_take_reply (TlReply *reply, gpointer data);

G_END_DECLS
