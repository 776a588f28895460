/* Keeps the scans of a stream as Data Exchange files, in a thread of its own.
 */
#pragma once

#include "data/stream/event.h"

/* Reference counted. */
typedef struct TlRecorder TlRecorder;

/* The frames that wait to be written take no more memory than that. */
#define TL_RECORDER_MAX_BYTES ((guint64)512 << 20)

/* Plain value. */
typedef struct
{
  const char *folder; /* (nullable): as of tl_recorder_set_folder() */
  guint64 max_bytes;  /* that may wait, such as TL_RECORDER_MAX_BYTES; one frame
                         always may */
  void (*changed) (gpointer data); /* (nullable): called by the recorder's
                                      thread when there is a new recording or
                                      trouble */
  gpointer data;
} TlRecorderOptions;

/* A file that is closed. */
typedef struct
{
  char *path;
  guint serial;                      /* of the scan */
  size_t n_frames[TL_N_FRAME_KINDS]; /* in it */
  size_t n_missing;                  /* frames that came and are not */
  size_t n_lost;                     /* projections that have not come */
  gboolean is_complete;              /* whether the scan has ended */
} TlRecording;

void tl_recording_free (TlRecording *recording);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlRecording, tl_recording_free)

/**
 * tl_recorder_new:
 * @name: of the stream
 * @options: copied
 *
 * Returns: (transfer full): %NULL with TL_ERROR_FILE if the folder cannot be
 *   written to
 */
TlRecorder *tl_recorder_new (const char *name, const TlRecorderOptions *options,
                             GError **error);
TlRecorder *tl_recorder_ref (TlRecorder *recorder);
void tl_recorder_unref (TlRecorder *recorder);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlRecorder, tl_recorder_unref)

/**
 * tl_recorder_set_folder:
 * @folder: (nullable): for the files of scans that begin from now on, which
 *   have the date and the time as their names; made if it is not there. %NULL:
 *   they are not recorded
 *
 * A scan of which frames have come stays recorded, or not. Any thread.
 *
 * Returns: %FALSE with TL_ERROR_FILE; then it stays as it was
 */
gboolean tl_recorder_set_folder (TlRecorder *recorder, const char *folder,
                                 GError **error);

/**
 * tl_recorder_take:
 * @scan: that @event belongs to
 *
 * Records frames, and closes the file when the scan ends; other events are of
 * no use here. Does not wait: if the disk is too slow, frames are not recorded,
 * and counted. One thread at a time.
 */
void tl_recorder_take (TlRecorder *recorder, const TlStreamScan *scan,
                       const TlStreamEvent *event);

/** tl_recorder_end: The present scan counts as complete. Any thread. */
void tl_recorder_end (TlRecorder *recorder);

/** tl_recorder_stop: Closes the file when all that has come is written, and
 * ends the thread. */
void tl_recorder_stop (TlRecorder *recorder);

/** tl_recorder_take_recording: Returns: (transfer full) (nullable): the files
 * that were closed, one after the other; any thread */
TlRecording *tl_recorder_take_recording (TlRecorder *recorder);

/** tl_recorder_dup_problem: Returns: (transfer full) (nullable): why the
 * present scan is not recorded, or not all of it; until the next one begins.
 * Any thread
 */
char *tl_recorder_dup_problem (TlRecorder *recorder);

/** tl_recorder_count_failed: Returns: of how many scans a file was begun or
 * wanted, and frames that came are not in it; any thread */
guint tl_recorder_count_failed (TlRecorder *recorder);

/** tl_recorder_take_trouble: Returns: (transfer full) (nullable): what the user
 * should know, one sentence after the other; any thread */
char *tl_recorder_take_trouble (TlRecorder *recorder);
