/* The letters between the session (main thread) and the worker (engine
 * thread). Values; whoever holds one owns it. */
#pragma once

#include "app/worker/task.h"
#include "app/export/export.h"
#include "app/recon/measured-view.h"
#include "app/recon/picture.h"
#include "app/recon/precision-cost.h"
#include "app/recon/summary.h"

G_BEGIN_DECLS

typedef enum
{
  TL_JOB_OPEN,    /* open a scan, then reconstruct its slice */
  TL_JOB_PREVIEW, /* reconstruct; a newer one replaces it while it waits */
  TL_JOB_LOOK,    /* as PREVIEW, a picture of what was measured */
  TL_JOB_COST,    /* as PREVIEW, and what fast precision costs on the slice */
  TL_JOB_DETAIL,  /* a part of the slice alone; waits behind a picture */
  TL_JOB_EXPORT,  /* a range of slices to a folder; queues */
  TL_JOB_TASK,    /* a step of it; waits behind all of these */
  TL_JOB_SURVEY   /* never asked for: of the scan that is open, looked at while
                     nothing else was to be done */
} TlJobKind;

typedef struct
{
  TlJobKind kind;
  guint64 serial; /* counts up */
  char *path;     /* OPEN: the scan; EXPORT: the folder */
  TlRecipe *recipe;
  gboolean fetch;  /* bring the pixels to the host */
  guint every;     /* PREVIEW: of so many projections one; 0, 1: all */
  guint reduction; /* PREVIEW: the grid is tl_grid_reduced() by it; 0: not */
  TlGrid detail;   /* PREVIEW, DETAIL: a part to be made as well; nx 0: none */
  gboolean gives_way;        /* a newer picture's job cancels it */
  TlPictureChoice choice;    /* LOOK */
  size_t first_row, n_rows;  /* EXPORT */
  TlTask task;               /* ERRAND; its state is the job's */
  guint64 scan_serial;       /* ERRAND: of the job that opened its scan */
  GCancellable *cancellable; /* (nullable) */
} TlJob;

typedef struct
{
  TlJobKind kind;
  guint64 serial;
  GError *error;              /* (nullable): then frame is NULL */
  char *lost_engine;          /* (nullable): it was lost and host took over */
  char *lost_reason;          /* (nullable): then, why */
  double progress;            /* EXPORT, below 1: more is to come */
  TlScanSummary *scan;        /* OPEN, SURVEY (nullable): what is open */
  TlRecipe *recipe;           /* (nullable) resolved: what was computed */
  gboolean centre_is_assumed; /* OPEN: nobody said where it is */
  char *misfits;          /* OPEN (nullable): what of the job's recipe is not
                             in that, one sentence */
  TlPictureChoice choice; /* LOOK */
  TlFrame *frame;         /* (nullable) */
  TlPair pair;            /* LOOK: of an overlay, its frame is that */
  TlGrid grid;            /* of the frame, but of a LOOK */
  guint every;            /* PREVIEW: as the job's, or 1: all were used */
  TlFrame *detail;        /* (nullable) */
  TlGrid detail_grid;     /* of that */
  TlStats stats;          /* of the frame */
  TlPrecisionCost cost;   /* COST: its map is %NULL otherwise */
  TlEngineReport report;
  TlReconTimes times;
  TlExportReport export_report;
  TlTaskKind task;            /* ERRAND */
  gpointer result;            /* (nullable): of its step */
  GDestroyNotify free_result; /* (nullable) */
  gboolean is_last;           /* no other step follows */
  double frame_ms;            /* from taking the job to the finished frame */
  char *engine, *device;      /* (nullable) names */
  const TlVariant *const *variants; /* [n_variants] the engine's; constant */
  size_t n_variants;
} TlReply;

/**
 * tl_reply_find_slow_step:
 * @ms: (out): milliseconds that it took
 *
 * Returns: the step that a picture was waited for longest: "read", or one of
 *   tl_stage_names
 */
const char *tl_reply_find_slow_step (const TlReply *reply, double *ms);

/** tl_reply_clear_result: That of a task's step, if it was not taken. */
void tl_reply_clear_result (TlReply *reply);

void tl_job_free (TlJob *job);
void tl_reply_free (TlReply *reply);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlJob, tl_job_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlReply, tl_reply_free)

G_END_DECLS
