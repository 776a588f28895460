#include "app/cli/follow-private.h"

#include "data/error.h"
#include "data/stream/stream.h"

#include <stdio.h>

/* How often the state is looked at. */
#define LOOK_US (G_USEC_PER_SEC / 20)

/* --- what the user says --- */

void
tl_cli_stream_add_options (TlCliStream *stream, TlCliLine *line)
{
  const GOptionEntry own[] = {
    { "expect", 0, 0, G_OPTION_ARG_STRING, &stream->expect,
      "so many projections, flats and darks make a scan, where the sender does "
      "not say it",
      "N[,FLATS[,DARKS]]" },
    { "kind", 0, 0, G_OPTION_ARG_STRING, &stream->kinds,
      "what the frames are, where the sender does not say it: projection, flat "
      "or dark; or a list as dark,flat,projection, if it closes each series of "
      "them (projection)",
      "NAMES" },
    { "wait", 0, 0, G_OPTION_ARG_NONE, &stream->waits,
      "wait for a file or folder that is not there yet; --timeout counts from "
      "the start",
      NULL },
    { 0 },
  };
  tl_cli_line_add_own (line, own);
}

gboolean
tl_cli_stream_get_options (TlCliStream *stream, const TlRecipe *recipe,
                           TlStreamOptions *options, GError **error)
{
  *options = (TlStreamOptions){
    .has_angles = recipe->has_angles,
    .angles_deg = { recipe->angles_deg[0], recipe->angles_deg[1] },
    .angles_file = recipe->angles_file,
  };
  if (stream->expect != NULL
      && !tl_stream_options_take_expected (options, stream->expect))
    return tl_cli_usage_error (
        error,
        "--expect takes a number of projections, and after commas of flats and "
        "of darks, not \"%s\"",
        stream->expect);
  return stream->kinds == NULL
         || tl_stream_options_take_kinds (options, stream->kinds)
         || tl_cli_usage_error (error,
                                "--kind takes projection, flat or dark, or a "
                                "list of them such as dark,flat,projection, "
                                "not \"%s\"",
                                stream->kinds);
}

/* A network file system tells nobody of new files, so the name is looked up
 * again and again, as often as a file that grows. */
gboolean
tl_cli_stream_wait (const TlCliStream *stream, const char *name,
                    double timeout_s, GCancellable *cancellable, GError **error)
{
  const gint64 start_us = g_get_monotonic_time ();
  gboolean is_told = FALSE;
  if (!stream->waits || tl_stream_is_address (name))
    return TRUE;
  while (!g_file_test (name, G_FILE_TEST_EXISTS))
    {
      const gint64 waited_us = g_get_monotonic_time () - start_us;
      if (!is_told && timeout_s > 0)
        fprintf (stderr,
                 "note: %s: is not there yet; it is waited for, for %g s\n",
                 name, timeout_s);
      else if (!is_told)
        fprintf (stderr,
                 "note: %s: is not there yet; it is waited for, until Ctrl+C\n",
                 name);
      is_told = TRUE;
      if (timeout_s > 0 && (double)waited_us >= timeout_s * G_USEC_PER_SEC)
        return tl_fail (error, TL_ERROR_FILE,
                        "%s: is still not there after %g s", name, timeout_s);
      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      g_usleep (LOOK_US);
    }
  return TRUE;
}

gboolean
tl_cli_stream_fail (GError **error, GError *failure)
{
  if (g_error_matches (failure, TL_ERROR, TL_ERROR_VALUE))
    {
      tl_cli_usage_error (error, "%s", failure->message);
      g_error_free (failure);
    }
  else
    g_propagate_error (error, failure);
  return FALSE;
}

char *
tl_cli_dup_frames (const size_t *n)
{
  g_autofree char *projections =
      tl_cli_dup_count (n[TL_FRAMES_PROJECTIONS], "projection");
  g_autofree char *flats = tl_cli_dup_count (n[TL_FRAMES_FLATS], "flat");
  g_autofree char *darks = tl_cli_dup_count (n[TL_FRAMES_DARKS], "dark");
  return g_strdup_printf ("%s, %s, %s", projections, flats, darks);
}

/* --- what is recorded --- */

gboolean
tl_cli_record_open (const char *name, const char *folder, TlRecorder **recorder,
                    GError **error)
{
  if (folder == NULL)
    return TRUE;
  if (!tl_stream_is_address (name))
    return tl_cli_usage_error (error,
                               "%s: is a file or folder, which keeps the scan "
                               "itself; --record is for addresses",
                               name);
  const TlRecorderOptions options = { .folder = folder,
                                      .max_bytes = TL_RECORDER_MAX_BYTES };
  *recorder = tl_recorder_new (name, &options, error);
  return *recorder != NULL;
}

static void
print_recording (const TlRecording *recording, gboolean wants_json)
{
  const size_t *n = recording->n_frames;
  const gboolean is_complete = recording->is_complete && recording->n_lost == 0;
  g_autoptr (TlJson) json = wants_json ? tl_json_new_line () : NULL;
  tl_json_add (json,
               "event: %s, path: %s, projections: %zu, flats: %zu, darks: %zu, "
               "missing: %zu, not_recorded: %zu, complete: %d",
               "recorded", recording->path, n[TL_FRAMES_PROJECTIONS],
               n[TL_FRAMES_FLATS], n[TL_FRAMES_DARKS], recording->n_lost,
               recording->n_missing, is_complete);
  tl_json_print (json);
  if (json != NULL)
    return;
  g_autofree char *frames = tl_cli_dup_frames (n);
  printf ("%s: recorded %s%s\n", recording->path, frames,
          is_complete ? "" : "; the scan is not complete");
}

void
tl_cli_record_report (TlRecorder *recorder, gboolean wants_json)
{
  char *text;
  TlRecording *recording;
  while (recorder != NULL
         && (text = tl_recorder_take_trouble (recorder)) != NULL)
    {
      fprintf (stderr, "note: %s\n", text);
      g_free (text);
    }
  while (recorder != NULL
         && (recording = tl_recorder_take_recording (recorder)) != NULL)
    {
      print_recording (recording, wants_json);
      tl_recording_free (recording);
    }
  fflush (stdout); /* another program may read each line as it comes */
}

gboolean
tl_cli_record_close (const char *name, TlRecorder *recorder,
                     gboolean wants_json, GError **error)
{
  if (recorder == NULL)
    return TRUE;
  tl_recorder_stop (recorder);
  tl_cli_record_report (recorder, wants_json);
  const guint n_failed = tl_recorder_count_failed (recorder);
  tl_recorder_unref (recorder);
  if (n_failed > 0 && g_error_matches (*error, TL_CLI_INCOMPLETE, 0))
    g_clear_error (error);
  return n_failed == 0 || *error != NULL
         || tl_fail (error, TL_ERROR_FILE, "%s: %u scan%s not recorded whole",
                     name, n_failed, n_failed == 1 ? " was" : "s were");
}

/* --- pictures --- */

gboolean
tl_cli_follow_open (TlCliFollow *follow, const TlFollowerOptions *options,
                    GError **error)
{
  GError *failure = NULL;
  follow->follower = tl_follower_new (follow->name, options, &failure);
  return follow->follower != NULL || tl_cli_stream_fail (error, failure);
}

void
tl_cli_follow_clear (TlCliFollow *follow)
{
  g_clear_pointer (&follow->follower, tl_follower_free);
  g_clear_pointer (&follow->held, tl_held_unref);
}

static void
print_troubles (TlCliFollow *follow)
{
  char *text;
  while ((text = tl_follower_take_trouble (follow->follower)) != NULL)
    {
      fprintf (stderr, "note: %s\n", text);
      g_free (text);
    }
}

/* Goes to the scan that is taken now, unless the one before is complete and
 * has not been shown, and gets its news. */
static gboolean
find_held (TlCliFollow *follow, TlHeldState *state, GError **error)
{
  g_autoptr (TlHeld) newest = tl_follower_ref_held (follow->follower);
  *state = (TlHeldState){ 0 };
  if (follow->held != NULL)
    tl_held_get_state (follow->held, state);
  if (newest != NULL && newest != follow->held && !state->is_complete)
    {
      g_clear_pointer (&follow->held, tl_held_unref);
      follow->held = g_steal_pointer (&newest);
      follow->shown_serial = 0;
      follow->due_us = 0;
      tl_held_get_state (follow->held, state);
    }
  return tl_follower_get_news (follow->follower, follow->held, &follow->news,
                               error);
}

/* Ends a scan whose sender does not say that it has ended. Returns: %FALSE with
 * TL_ERROR_FILE if nothing of it has come */
static gboolean
check_patience (TlCliFollow *follow, TlHeldState *state, GError **error)
{
  const double waited_s =
      (double)(g_get_monotonic_time () - follow->news.last_us) / G_USEC_PER_SEC;
  if (follow->timeout_s <= 0 || waited_s < follow->timeout_s
      || state->is_complete)
    return TRUE;
  if (state->n_frames[TL_FRAMES_PROJECTIONS] == 0)
    return tl_fail (error, TL_ERROR_FILE,
                    follow->news.n_without_angle > 0
                        ? "%s: no projection has an angle, and nothing has "
                          "come for %g s"
                        : "%s: nothing has come for %g s",
                    follow->name, follow->timeout_s);
  tl_follower_end (follow->follower);
  tl_held_get_state (follow->held, state);
  return TRUE;
}

/* Returns: whether it is time for a picture */
static gboolean
is_due (TlCliFollow *follow, const TlHeldState *state)
{
  const gint64 now_us = g_get_monotonic_time ();
  const gint64 step_us = (gint64)(follow->every_s * G_USEC_PER_SEC);
  if (state->is_complete)
    return TRUE;
  if (!tl_follow_news_can_show (&follow->news, state, follow->needs_flats))
    return FALSE;
  if (follow->due_us == 0)
    follow->due_us = now_us + step_us;
  if (now_us < follow->due_us || state->serial == follow->shown_serial)
    return FALSE;
  follow->due_us = now_us + step_us;
  return TRUE;
}

TlReader *
tl_cli_follow_wait (TlCliFollow *follow, gboolean replace_nan,
                    TlHeldWeights **weights, GCancellable *cancellable,
                    GError **error)
{
  TlHeldState state;
  for (;;)
    {
      const gboolean goes_on = find_held (follow, &state, error);
      print_troubles (follow);
      if (!goes_on || g_cancellable_set_error_if_cancelled (cancellable, error))
        return NULL;
      if (!check_patience (follow, &state, error))
        return NULL;
      if (is_due (follow, &state))
        break;
      g_usleep (LOOK_US);
    }
  follow->shown_serial = state.serial;
  follow->is_last = state.is_complete;
  if (state.n_frames[TL_FRAMES_PROJECTIONS] == 0)
    return tl_fail_null (error, TL_ERROR_FILE,
                         "%s: the scan has ended without a projection that has "
                         "an angle",
                         follow->name);
  if (!tl_follow_news_can_show (&follow->news, &state, follow->needs_flats))
    return tl_fail_null (error, TL_ERROR_FILE,
                         "%s: the scan has ended without flats, so that its "
                         "counts make no slice, and none is written; "
                         "--flat-field off makes slices without them%s",
                         follow->name,
                         follow->news.scan.n_flats > 0
                             ? ""
                             : "; if flats come after the last projection, "
                               "expect them, too, with --expect "
                               "PROJECTIONS,FLATS,DARKS");
  const TlReaderOptions options = { .replace_nan = replace_nan };
  return tl_held_open (follow->held, &options, weights, error);
}
