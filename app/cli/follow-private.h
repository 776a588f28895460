/* A scan that is being taken: what the user says of it, and for a command that
 * makes a picture of it again and again, when that is due. */
#pragma once

#include "app/cli/cli-private.h"
#include "data/follow/follower.h"

/* Zero before use; must live until the line is parsed. */
typedef struct
{
  char *expect, *kinds; /* (nullable): as typed; freed with the line */
  gboolean waits;       /* for a file or folder that is not there yet */
} TlCliStream;

/** tl_cli_stream_add_options: Adds --expect, --kind and --wait. --angles and
 * --angles-file are keys of the recipe. */
void tl_cli_stream_add_options (TlCliStream *stream, TlCliLine *line);

/**
 * tl_cli_stream_get_options:
 * @recipe: has the angles
 * @options: (out): lends from @recipe
 *
 * Returns: %FALSE with a usage error
 */
gboolean tl_cli_stream_get_options (TlCliStream *stream, const TlRecipe *recipe,
                                    TlStreamOptions *options, GError **error);

/**
 * tl_cli_stream_wait:
 * @name: of the stream
 * @timeout_s: 0: for ever
 *
 * With --wait, waits until there is such a file or folder, and says so. Does
 * nothing for an address, at which the stream itself waits.
 *
 * Returns: %FALSE with %G_IO_ERROR_CANCELLED, or with TL_ERROR_FILE after
 *   @timeout_s
 */
gboolean tl_cli_stream_wait (const TlCliStream *stream, const char *name,
                             double timeout_s, GCancellable *cancellable,
                             GError **error);

/** tl_cli_stream_fail: @failure: (transfer full): of tl_stream_open().
 * Returns: %FALSE with it, or with a usage error if the name or the options
 * cannot be meant */
gboolean tl_cli_stream_fail (GError **error, GError *failure);

/**
 * tl_cli_record_open:
 * @name: of the stream
 * @folder: (nullable): %NULL: it is not recorded
 * @recorder: (out): stays %NULL then
 *
 * Returns: %FALSE with a usage error if @name is not an address, or with an
 *   error of tl_recorder_new()
 */
gboolean tl_cli_record_open (const char *name, const char *folder,
                             TlRecorder **recorder, GError **error);

/** tl_cli_record_report: @recorder: (nullable). Prints what the user should
 * know of the recording, and the names of the files that are closed. */
void tl_cli_record_report (TlRecorder *recorder, gboolean wants_json);

/**
 * tl_cli_record_close:
 * @name: of the stream
 * @recorder: (nullable)
 * @error: (inout): may be set already; a TL_CLI_INCOMPLETE is replaced, because
 *   frames that were not recorded are worse
 *
 * Waits for the disk, and reports.
 *
 * Returns: %FALSE with TL_ERROR_FILE if frames were not recorded
 */
gboolean tl_cli_record_close (const char *name, TlRecorder *recorder,
                              gboolean wants_json, GError **error);

/** tl_cli_dup_frames: @n: [TL_N_FRAME_KINDS]. Returns: (transfer full): "180
 * projections, 20 flats, 1 dark" */
char *tl_cli_dup_frames (const size_t *n);

/* Zero before use; then set the first members. */
typedef struct
{
  double every_s;   /* between two pictures */
  double timeout_s; /* without a frame, after which the scan counts as complete;
                       0: never */
  gboolean needs_flats; /* as of tl_follow_news_can_show() */
  const char *name;
  TlFollower *follower;
  TlHeld *held;      /* (nullable): the scan of the next picture */
  TlFollowNews news; /* as of the last picture */
  gboolean is_last;  /* the scan was complete then */
  guint64 shown_serial;
  gint64 due_us; /* 0: no frame has come */
} TlCliFollow;

/** tl_cli_follow_open: Returns: %FALSE with an error of tl_follower_new(), or a
 * usage error, as of tl_cli_stream_fail() */
gboolean tl_cli_follow_open (TlCliFollow *follow,
                             const TlFollowerOptions *options, GError **error);
void tl_cli_follow_clear (TlCliFollow *follow);

/**
 * tl_cli_follow_wait:
 * @replace_nan: as of tl_held_open()
 * @weights: (out) (transfer full): as of tl_held_open()
 *
 * Waits until a picture is due, and prints meanwhile what the user should know.
 *
 * Returns: (transfer full): what is there; %NULL with an error of the follower,
 *   %G_IO_ERROR_CANCELLED, or TL_ERROR_FILE if no projection has come, or a
 * scan of counts has ended without flats
 */
TlReader *tl_cli_follow_wait (TlCliFollow *follow, gboolean replace_nan,
                              TlHeldWeights **weights,
                              GCancellable *cancellable, GError **error);
