/* What the files of the session share. */
#pragma once

#include "app/pace.h"
#include "app/session.h"
#include "app/worker.h"

G_BEGIN_DECLS

struct _TlSession
{
  GObject parent;
  TlWorker *worker;

  TlRecipe *recipe; /* what is wanted; resolved while a scan is open */
  guint parameters; /* changes of it */
  gboolean fetch;

  TlScanSummary *scan; /* (nullable): the scan that is open */
  guint64 scan_serial; /* of the job that opened it */

  TlRecipe *opening;      /* (nullable): of the open on its way */
  char *opening_path;     /* (nullable): its scan */
  guint64 opening_serial; /* 0: none */
  GPtrArray *changes;     /* key, value, key, value … set meanwhile */

  guint64 last_serial;     /* given to a job */
  guint64 wanted_serial;   /* of the newest open or preview */
  guint64 answered_serial; /* of the newest reply to one */

  TlPace pace;
  guint rest_id; /* source that asks for the whole picture; 0: none */

  /* the newest finished frame */
  TlRecipe *shown; /* (nullable): what it was computed with */
  TlFrame *frame;  /* (nullable) */
  TlGrid grid;     /* of the frame */
  guint64 frame_serial;
  TlStats stats;
  TlStatus status;
  char *engine, *device; /* (nullable): the strings of status */

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
  double progress;
};

/* session.c */

/** tl_session_is_busy: Returns: the newest wish is not answered, or only by a
 * reduced picture. */
gboolean tl_session_is_busy (TlSession *session);

/**
 * tl_session_take_message:
 * @message: (transfer full) (nullable)
 * @stays: the next success does not clear it
 */
void tl_session_take_message (TlSession *session, char *message,
                              gboolean stays);

/** tl_session_take_notice: @notice: (transfer full) (nullable) */
void tl_session_take_notice (TlSession *session, char *notice);

/** tl_session_make_job: Returns: (transfer full): with the next serial. */
TlJob *tl_session_make_job (TlSession *session, TlJobKind kind,
                            const TlRecipe *recipe, const char *path);

/** tl_session_take_recipe: @recipe (transfer full) is what is wanted now. */
void tl_session_take_recipe (TlSession *session, TlRecipe *recipe);
/** tl_session_push_wish: @job: (transfer full): an open or a picture. */
void tl_session_push_wish (TlSession *session, TlJob *job);
void tl_session_forget_opening (TlSession *session);

/* session-live.c */

/** tl_session_ask_for_frame: Of the recipe; a reduced one first where whole
 * ones are slow. */
void tl_session_ask_for_frame (TlSession *session);

/** tl_session_is_frame_old: Returns: the picture is not the recipe's, or is a
 * reduced one. */
gboolean tl_session_is_frame_old (TlSession *session);

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

/* session-export.c */
void tl_session_take_export_reply (TlSession *session, TlReply *reply);

/* session-replies.c */

/** tl_session_take_reply: A #TlReplyFunc; @data is the session. */
void tl_session_take_reply (TlReply *reply, gpointer data);

G_END_DECLS
