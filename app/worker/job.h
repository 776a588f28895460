/* Messages between the session (main thread) and the worker (engine thread).
 * Plain values with one owner at a time. */
#pragma once

#include "app/worker/task.h"
#include "app/recon/identity.h"
#include "app/recon/measured-view.h"
#include "app/recon/picture.h"
#include "app/recon/volume/plane-set.h"
#include "app/recon/precision-cost.h"
#include "app/recon/summary.h"
#include "data/read/held/copy.h"
#include "data/read/held/held.h"

typedef enum
{
  TL_JOB_OPEN,    /* opens a scan and reconstructs its slice */
  TL_JOB_PREVIEW, /* a slice; replaces a waiting PREVIEW */
  TL_JOB_VIEW,    /* a measured view; queued as PREVIEW */
  TL_JOB_COST,   /* a slice and the cost of fast precision; queued as PREVIEW */
  TL_JOB_DETAIL, /* a part of the slice; runs after a PREVIEW */
  TL_JOB_TASK,   /* one step of a task; runs after all others */
  TL_JOB_SURVEY  /* replies only: the survey of the open scan, which the worker
                    makes when idle */
} TlJobKind;

typedef struct
{
  TlJobKind kind;
  guint64 serial;    /* increases with each job */
  char *path;        /* OPEN: the scan */
  TlHeld *held;      /* OPEN: (nullable): its frames, while it is taken; path is
                        its name only */
  TlRecipe *recipe;  /* resolved, except for OPEN */
  TlRecipe *anew;    /* OPEN: (nullable): to be used instead if another scan
                        has taken the name of the open one */
  gboolean fetch;    /* copy the pixels to host memory */
  guint every;       /* PREVIEW: use every n-th projection; 0, 1: all, or
                        as tl_recon_run_early() where it does not give way */
  guint reduction;   /* PREVIEW: argument of tl_grid_reduced(); 0: none */
  gboolean grows;    /* PREVIEW, VIEW, TASK: of all projections that have come
                        until now */
  gboolean measures; /* PREVIEW, OPEN: how much a slice that grows has
                        changed */
  gboolean is_put_off;    /* of a job that grows: a task waits, which needs the
                             same projections in all its steps, so that the job is
                             cancelled */
  TlGrid detail;          /* PREVIEW, DETAIL: the part to make; nx 0: none */
  gboolean gives_way;     /* is cancelled by a job for a newer picture; PREVIEW:
                             the whole picture, which follows a preview */
  TlPictureChoice choice; /* VIEW */
  guint coarseness;       /* VIEW: of planes: their pixels are so many times as
                             wide and high; 0, 1: as chosen */
  TlHeldCopy *level;   /* VIEW: of planes: (nullable): to make them of; %NULL:
                          of the scan itself */
  guint level_bin;     /* of the level */
  TlRecipe *compared;  /* PREVIEW, and VIEW of planes: (nullable): resolved: the
                          same is made with it, too, to be compared: the slice
                          of this recipe, or the same planes */
  TlTask task;         /* TASK; the job owns its state */
  guint64 scan_serial; /* of the job that opened its scan; not for OPEN */
  GCancellable *cancellable; /* (nullable) */
  GCancellable *reading;     /* (nullable): of a picture that does not give way:
                                cancels reading its rows */
} TlJob;

typedef struct
{
  TlJobKind kind;
  guint64 serial;
  GError *error;       /* (nullable): frame is NULL then */
  char *lost_engine;   /* (nullable): the engine that host replaced */
  char *lost_reason;   /* (nullable): set with lost_engine */
  TlHeld *held;        /* OPEN: (nullable): as of the job */
  TlScanSummary *scan; /* OPEN, SURVEY, of a job that grows: (nullable) */
  guint64 growth;      /* of a picture of frames that are held: what was there,
                          TlHeldState.serial; 0: of a file */
  gboolean grows, is_put_off; /* as of the job */
  TlRecipe *recipe;           /* (nullable): resolved, as used */
  TlScanChange change;        /* OPEN: of the open scan, if the job has anew */
  gboolean centre_is_assumed; /* OPEN: the centre was not given */
  char *misfits; /* OPEN: (nullable): the parameters that do not fit the scan,
                    one sentence */
  GPtrArray *groups; /* OPEN: (nullable): of TlImageGroup, of a folder that was
                        refused */
  TlPictureChoice choice;  /* VIEW */
  TlFrame *frame;          /* (nullable) */
  TlPair pair;             /* VIEW: of an overlay; its frame is the one above */
  TlPlaneSet planes;       /* VIEW: of planes; the frame above is its first */
  TlRecipe *compared;      /* (nullable): as of the job */
  TlFrame *compared_slice; /* PREVIEW: (nullable): made with it, in host memory;
                              %NULL also after an error that does not concern
                              the slice itself */
  TlComparedPlanes compared_planes; /* VIEW: likewise */
  TlGrid grid;                      /* of the frame, except for VIEW */
  guint every;        /* stride between the projections of the frame; 1: all */
  TlFrame *detail;    /* (nullable) */
  TlGrid detail_grid; /* of the detail */
  TlStats stats;      /* of the frame */
  double unit_change; /* PREVIEW: of tl_growing_slice_measure_change(); NaN:
                         unknown */
  TlPrecisionCost cost; /* COST; map is %NULL for other jobs */
  TlEngineReport report;
  TlReconTimes times;
  TlTaskKind task;            /* TASK */
  gpointer result;            /* (nullable): of the task's step */
  GDestroyNotify free_result; /* (nullable) */
  gboolean is_last;           /* the task has no further step */
  double frame_ms;            /* from taking the job to the finished frame */
  char *engine, *device;      /* (nullable): names */
  guint64 free_bytes; /* of the engine's device, with what the engine had taken,
                         when the engine or the scan was opened; 0: no device,
                         or not known */
  const TlVariant *const *variants; /* [n_variants]: of the engine; constant */
  size_t n_variants;
} TlReply;

/**
 * tl_reply_find_slow_step:
 * @ms: (out): its duration in milliseconds
 *
 * Returns: the slowest step of the picture: "read", or one of tl_stage_names
 */
const char *tl_reply_find_slow_step (const TlReply *reply, double *ms);

/** tl_reply_clear_result: Frees all that the job made, and keeps the numbers
 * and the error of the reply. */
void tl_reply_clear_result (TlReply *reply);

void tl_job_free (TlJob *job);
void tl_reply_free (TlReply *reply);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlJob, tl_job_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlReply, tl_reply_free)
