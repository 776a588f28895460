#include "data/follow/recorder.h"

#include "data/write/exchange-file.h"
#include "data/write/part-file.h"

#include <errno.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

typedef enum
{
  JOB_FRAME,
  JOB_CLOSE, /* the file of the scan */
  JOB_STOP   /* the thread */
} JobType;

/* What the thread has to do. */
typedef struct
{
  JobType type;
  /* FRAME */
  TlStreamScan scan; /* without angles_deg */
  char *folder;
  TlFrameKind kind;
  double angle_deg;
  void *pixels; /* [n_bytes] */
  size_t n_bytes;
  /* CLOSE; and the scan's serial */
  size_t n_missing, n_lost;
  gboolean is_complete;
} Job;

struct TlRecorder
{
  gatomicrefcount n_refs;
  char *name;
  TlRecorderOptions options; /* without the folder */
  GThread *thread;           /* (nullable): %NULL: stopped */

  /* of the thread */
  TlExchangeFile *file; /* (nullable) */
  size_t n_frames[TL_N_FRAME_KINDS];

  GMutex mutex; /* of what follows */
  GCond has_job;
  GQueue *jobs;      /* of Job */
  guint64 n_bytes;   /* of the frames among them */
  char *folder;      /* (nullable): of the next scan */
  char *present;     /* (nullable): of the present scan; %NULL: not recorded,
                        or not any more */
  TlStreamScan scan; /* the present one */
  size_t n_missing;  /* of it */
  size_t n_come;     /* projections of it, recorded or not */
  size_t end;        /* one more than the largest of their numbers */
  gboolean is_ended; /* its file is complete */
  Job *borrowed[TL_N_FRAME_KINDS]; /* (nullable): fields of an earlier scan,
                                      which are recorded if this one ends
                                      without its own; not in n_bytes */
  GQueue *recordings;              /* of TlRecording */
  GQueue *troubles;                /* of char * */
  char *problem;  /* (nullable): as of tl_recorder_dup_problem() */
  guint n_failed; /* scans that were not recorded whole */
};

void
tl_recording_free (TlRecording *recording)
{
  if (recording == NULL)
    return;
  g_free (recording->path);
  g_free (recording);
}

static void
job_free (Job *job)
{
  g_free (job->folder);
  g_free (job->pixels);
  g_free (job);
}

/* @recorder is locked. */
static void
push (TlRecorder *recorder, Job *job)
{
  recorder->n_bytes += job->n_bytes;
  g_queue_push_tail (recorder->jobs, job);
  g_cond_signal (&recorder->has_job);
}

static void
tell (TlRecorder *recorder)
{
  if (recorder->options.changed != NULL)
    recorder->options.changed (recorder->options.data);
}

/* @serial: of the scan. @trouble: (transfer full). @recorder is locked. */
static void
note_problem (TlRecorder *recorder, guint serial, char *trouble)
{
  if (serial == recorder->scan.serial)
    {
      g_free (recorder->problem);
      recorder->problem = g_strdup (trouble);
    }
  g_queue_push_tail (recorder->troubles, trouble);
}

/* --- the thread --- */

static Job *
wait_for_job (TlRecorder *recorder)
{
  g_mutex_lock (&recorder->mutex);
  while (g_queue_is_empty (recorder->jobs))
    g_cond_wait (&recorder->has_job, &recorder->mutex);
  Job *job = g_queue_peek_head (recorder->jobs);
  g_mutex_unlock (&recorder->mutex);
  return job;
}

/* The frame counts until it is written. */
static void
drop_job (TlRecorder *recorder)
{
  g_mutex_lock (&recorder->mutex);
  Job *job = g_queue_pop_head (recorder->jobs);
  recorder->n_bytes -= job->n_bytes;
  g_mutex_unlock (&recorder->mutex);
  job_free (job);
}

/* Two scans may begin in the same second. */
static char *
choose_path (const char *folder, GDateTime *now)
{
  g_autofree char *stem = g_date_time_format (now, "%Y-%m-%d_%H-%M-%S");
  for (guint k = 1;; k++)
    {
      g_autofree char *number =
          k > 1 ? g_strdup_printf ("-%u", k) : g_strdup ("");
      g_autofree char *name = g_strconcat (stem, number, ".h5", NULL);
      g_autofree char *path = g_build_filename (folder, name, NULL);
      g_autofree char *unfinished = tl_exchange_file_dup_unfinished (path);
      GStatBuf status;
      if (g_lstat (path, &status) != 0 && g_lstat (unfinished, &status) != 0)
        return g_steal_pointer (&path);
    }
}

static gboolean
open_file (TlRecorder *recorder, const Job *job, GError **error)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *start = g_date_time_format_iso8601 (now);
  g_autofree char *path = choose_path (job->folder, now);
  const TlExchangeFileLayout layout = {
    .n_rows = job->scan.n_rows,
    .n_cols = job->scan.n_cols,
    .type = job->scan.type,
    .title = recorder->name,
    .start = start,
  };
  memset (recorder->n_frames, 0, sizeof recorder->n_frames);
  recorder->file = tl_exchange_file_open (path, &layout, error);
  return recorder->file != NULL;
}

/* @trouble: (transfer full): why the file of scan @serial is not whole */
static void
add_failure (TlRecorder *recorder, guint serial, char *trouble)
{
  g_mutex_lock (&recorder->mutex);
  recorder->n_failed++;
  note_problem (recorder, serial, trouble);
  g_mutex_unlock (&recorder->mutex);
  tell (recorder);
}

/* Closes the file of a scan that cannot be recorded further. */
static void
give_up (TlRecorder *recorder, guint serial, const GError *why)
{
  if (recorder->file != NULL)
    g_free (tl_exchange_file_close (recorder->file, 0, FALSE, NULL));
  recorder->file = NULL;
  g_mutex_lock (&recorder->mutex);
  if (recorder->scan.serial == serial)
    g_clear_pointer (&recorder->present, g_free);
  g_mutex_unlock (&recorder->mutex);
  add_failure (recorder, serial,
               g_strdup_printf (_ ("%s: this scan is not recorded further: %s"),
                                recorder->name, why->message));
}

/* @broken: (inout): the scan that was given up; frames of it may still come */
static void
write_frame (TlRecorder *recorder, const Job *job, guint *broken)
{
  static const TlImageKey keys[TL_N_FRAME_KINDS] = {
    [TL_FRAMES_PROJECTIONS] = TL_IMAGE_KEY_PROJECTION,
    [TL_FRAMES_FLATS] = TL_IMAGE_KEY_FLAT,
    [TL_FRAMES_DARKS] = TL_IMAGE_KEY_DARK,
  };
  g_autoptr (GError) error = NULL;
  if (job->scan.serial == *broken)
    return;
  if ((recorder->file != NULL || open_file (recorder, job, &error))
      && tl_exchange_file_append (recorder->file, keys[job->kind], job->pixels,
                                  job->angle_deg, &error))
    {
      recorder->n_frames[job->kind]++;
      return;
    }
  *broken = job->scan.serial;
  give_up (recorder, job->scan.serial, error);
}

static void
close_file (TlRecorder *recorder, const Job *job, guint broken)
{
  g_autoptr (GError) error = NULL;
  if (recorder->file == NULL)
    {
      if (job->n_missing > 0 && job->scan.serial != broken)
        add_failure (recorder, job->scan.serial,
                     g_strdup_printf (_ ("%s: nothing of the scan is recorded, "
                                         "because the disk was too slow"),
                                      recorder->name));
      return;
    }
  char *path = tl_exchange_file_close (recorder->file, job->n_missing,
                                       job->is_complete, &error);
  recorder->file = NULL;
  if (path == NULL)
    {
      add_failure (recorder, job->scan.serial,
                   g_strdup_printf ("%s: %s", recorder->name, error->message));
      return;
    }
  TlRecording *recording = g_new (TlRecording, 1);
  *recording = (TlRecording){ .path = path,
                              .serial = job->scan.serial,
                              .n_missing = job->n_missing,
                              .n_lost = job->n_lost,
                              .is_complete = job->is_complete };
  memcpy (recording->n_frames, recorder->n_frames, sizeof recorder->n_frames);
  if (job->n_missing > 0)
    add_failure (
        recorder, job->scan.serial,
        g_strdup_printf (g_dngettext (NULL,
                                      "%s: %zu frame is missing in it, "
                                      "because the disk was too slow",
                                      "%s: %zu frames are missing in "
                                      "it, because the disk was too "
                                      "slow",
                                      job->n_missing),
                         path, job->n_missing));
  g_mutex_lock (&recorder->mutex);
  g_queue_push_tail (recorder->recordings, recording);
  g_mutex_unlock (&recorder->mutex);
  tell (recorder);
}

static gpointer
record (gpointer data)
{
  TlRecorder *recorder = data;
  guint broken = 0;
  for (gboolean goes_on = TRUE; goes_on;)
    {
      const Job *job = wait_for_job (recorder);
      if (job->type == JOB_FRAME)
        write_frame (recorder, job, &broken);
      else if (job->type == JOB_CLOSE)
        close_file (recorder, job, broken);
      goes_on = job->type != JOB_STOP;
      drop_job (recorder);
    }
  return NULL;
}

/* --- what comes --- */

/* @recorder is locked. */
static void
end_scan (TlRecorder *recorder, gboolean is_complete)
{
  if (recorder->present == NULL)
    return;
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    if (recorder->borrowed[kind] != NULL)
      push (recorder, g_steal_pointer (&recorder->borrowed[kind]));
  Job *job = g_new0 (Job, 1);
  job->type = JOB_CLOSE;
  job->scan.serial = recorder->scan.serial;
  job->n_missing = recorder->n_missing;
  job->n_lost =
      MAX (recorder->end, recorder->scan.n_projections) - recorder->n_come;
  job->is_complete = is_complete;
  push (recorder, job);
  g_clear_pointer (&recorder->present, g_free);
  recorder->is_ended = TRUE;
}

/* @recorder is locked. */
static void
begin_scan (TlRecorder *recorder, const TlStreamScan *scan)
{
  recorder->scan = *scan;
  recorder->scan.angles_deg = NULL;
  recorder->present = g_strdup (recorder->folder);
  recorder->n_missing = recorder->n_come = recorder->end = 0;
  recorder->is_ended = FALSE;
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    g_clear_pointer (&recorder->borrowed[kind], job_free);
  g_clear_pointer (&recorder->problem, g_free);
}

/* Returns: whether the frame is recorded, if there is room. @recorder is
 * locked. */
static gboolean
wants_frame (TlRecorder *recorder, TlFrameKind kind)
{
  if (recorder->is_ended)
    {
      recorder->is_ended = FALSE; /* told once */
      note_problem (
          recorder, recorder->scan.serial,
          g_strdup_printf (_ ("%s: frames that came after the end of the scan "
                              "are not in its file"),
                           recorder->name));
    }
  /* What flats and darks say is in attenuations. */
  return recorder->present != NULL
         && (kind == TL_FRAMES_PROJECTIONS || !recorder->scan.is_attenuation);
}

/* @recorder is locked. */
static void
count_projection (TlRecorder *recorder, size_t number)
{
  recorder->n_come++;
  recorder->end = MAX (recorder->end, number + 1);
}

/* @recorder is locked. */
static void
miss_frame (TlRecorder *recorder)
{
  if (recorder->n_missing++ == 0)
    note_problem (
        recorder, recorder->scan.serial,
        g_strdup_printf (_ ("%s: the disk is too slow for this stream; frames "
                            "for which there is no room are not recorded"),
                         recorder->name));
}

/* @recorder is locked. */
static gboolean
has_room (const TlRecorder *recorder, size_t n_bytes)
{
  return recorder->n_bytes == 0
         || recorder->n_bytes + n_bytes <= recorder->options.max_bytes;
}

/* Copies without the lock: only this thread adds frames. @recorder is locked.
 */
static void
take_frame (TlRecorder *recorder, const TlStreamEvent *event)
{
  const TlStreamScan *scan = &recorder->scan;
  const size_t n_bytes =
      scan->n_rows * scan->n_cols * tl_sample_size (scan->type);
  void *pixels = has_room (recorder, n_bytes) ? g_try_malloc (n_bytes) : NULL;
  if (pixels == NULL)
    {
      miss_frame (recorder);
      return;
    }
  Job *job = g_new0 (Job, 1);
  *job = (Job){ .type = JOB_FRAME,
                .scan = *scan,
                .folder = g_strdup (recorder->present),
                .kind = event->kind,
                .angle_deg = event->angle_deg,
                .pixels = pixels,
                .n_bytes = n_bytes };
  g_mutex_unlock (&recorder->mutex);
  memcpy (pixels, event->pixels, n_bytes);
  g_mutex_lock (&recorder->mutex);
  g_clear_pointer (&recorder->borrowed[event->kind], job_free);
  if (recorder->present == NULL)
    job_free (job);
  else if (event->n_borrowed > 0)
    recorder->borrowed[event->kind] = job;
  else
    push (recorder, job);
}

void
tl_recorder_take (TlRecorder *recorder, const TlStreamScan *scan,
                  const TlStreamEvent *event)
{
  g_return_if_fail (recorder != NULL && scan != NULL && event != NULL);
  const gboolean is_frame = event->type == TL_STREAM_FRAME;
  g_mutex_lock (&recorder->mutex);
  /* The next scan ends one of which nobody knew how many projections come. */
  if (scan->serial != recorder->scan.serial)
    end_scan (recorder, recorder->scan.n_projections == 0);
  if (is_frame && scan->serial != recorder->scan.serial)
    begin_scan (recorder, scan);
  if (is_frame && event->kind == TL_FRAMES_PROJECTIONS)
    count_projection (recorder, event->number);
  if (is_frame && wants_frame (recorder, event->kind))
    take_frame (recorder, event);
  if (event->type == TL_STREAM_END)
    end_scan (recorder, TRUE);
  g_mutex_unlock (&recorder->mutex);
}

void
tl_recorder_end (TlRecorder *recorder)
{
  g_mutex_lock (&recorder->mutex);
  end_scan (recorder, TRUE);
  g_mutex_unlock (&recorder->mutex);
}

gboolean
tl_recorder_set_folder (TlRecorder *recorder, const char *folder,
                        GError **error)
{
  if (folder != NULL
      && (g_mkdir_with_parents (folder, 0777) != 0
          || g_access (folder, W_OK | X_OK) != 0))
    return tl_set_write_error (error, folder, errno, NULL);
  g_mutex_lock (&recorder->mutex);
  g_free (recorder->folder);
  recorder->folder = g_strdup (folder);
  g_mutex_unlock (&recorder->mutex);
  return TRUE;
}

/* --- the recorder --- */

TlRecorder *
tl_recorder_new (const char *name, const TlRecorderOptions *options,
                 GError **error)
{
  g_return_val_if_fail (name != NULL && options != NULL, NULL);
  g_autoptr (TlRecorder) recorder = g_new0 (TlRecorder, 1);
  g_atomic_ref_count_init (&recorder->n_refs);
  recorder->name = g_strdup (name);
  recorder->options = *options;
  recorder->jobs = g_queue_new ();
  recorder->recordings = g_queue_new ();
  recorder->troubles = g_queue_new ();
  g_mutex_init (&recorder->mutex);
  g_cond_init (&recorder->has_job);
  if (!tl_recorder_set_folder (recorder, options->folder, error))
    return NULL;
  recorder->options.folder = NULL;
  recorder->thread = g_thread_new ("record", record, recorder);
  return g_steal_pointer (&recorder);
}

TlRecorder *
tl_recorder_ref (TlRecorder *recorder)
{
  g_atomic_ref_count_inc (&recorder->n_refs);
  return recorder;
}

void
tl_recorder_stop (TlRecorder *recorder)
{
  if (recorder->thread == NULL)
    return;
  Job *job = g_new0 (Job, 1);
  job->type = JOB_STOP;
  g_mutex_lock (&recorder->mutex);
  g_clear_pointer (&recorder->folder, g_free);
  end_scan (recorder, FALSE);
  push (recorder, job);
  g_mutex_unlock (&recorder->mutex);
  g_thread_join (g_steal_pointer (&recorder->thread));
}

void
tl_recorder_unref (TlRecorder *recorder)
{
  if (recorder == NULL || !g_atomic_ref_count_dec (&recorder->n_refs))
    return;
  tl_recorder_stop (recorder);
  g_queue_free (recorder->jobs);
  g_queue_free_full (recorder->recordings, (GDestroyNotify)tl_recording_free);
  g_queue_free_full (recorder->troubles, g_free);
  g_cond_clear (&recorder->has_job);
  g_mutex_clear (&recorder->mutex);
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    g_clear_pointer (&recorder->borrowed[kind], job_free);
  g_free (recorder->problem);
  g_free (recorder->folder);
  g_free (recorder->present);
  g_free (recorder->name);
  g_free (recorder);
}

static gpointer
pop (TlRecorder *recorder, GQueue *queue)
{
  g_mutex_lock (&recorder->mutex);
  gpointer item = g_queue_pop_head (queue);
  g_mutex_unlock (&recorder->mutex);
  return item;
}

TlRecording *
tl_recorder_take_recording (TlRecorder *recorder)
{
  return pop (recorder, recorder->recordings);
}

guint
tl_recorder_count_failed (TlRecorder *recorder)
{
  g_mutex_lock (&recorder->mutex);
  const guint n_failed = recorder->n_failed;
  g_mutex_unlock (&recorder->mutex);
  return n_failed;
}

char *
tl_recorder_dup_problem (TlRecorder *recorder)
{
  g_mutex_lock (&recorder->mutex);
  char *problem = g_strdup (recorder->problem);
  g_mutex_unlock (&recorder->mutex);
  return problem;
}

char *
tl_recorder_take_trouble (TlRecorder *recorder)
{
  return pop (recorder, recorder->troubles);
}
