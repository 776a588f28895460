#include "app/cli/follow-private.h"
#include "data/error.h"
#include "data/stream/stream.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PROGRESS_STEP_US (G_USEC_PER_SEC / 5)

/* How long a wait lasts, at most; it is cancelled at once. */
#define WAIT_MS 1000

/* A day; no pause is longer. */
#define MAX_TIMEOUT_S 86400

typedef struct
{
  const char *name;
  TlCliStream said;
  TlStream *stream; /* (nullable): %NULL until it is opened */
  size_t n_scans;   /* to end after; 0: goes on */
  double timeout_s; /* 0: waits for ever */
  gboolean wants_json;
  TlRecorder *recorder; /* (nullable) */

  /* The present scan, as of the last event. */
  TlStreamScan scan; /* without angles_deg */
  TlStreamCounts counts;
  gboolean is_over;

  size_t n_ended;   /* scans that --scans counts */
  size_t n_over;    /* those that were broken off, too */
  size_t n_partial; /* of these, something is missing */
  gint64 last_us;   /* when something came */
  gint64 shown_us;
  gboolean is_shown; /* the line of progress */
} Watch;

static void
end_line (Watch *watch)
{
  if (watch->is_shown)
    fputc ('\n', stderr);
  watch->is_shown = FALSE;
}

/* --- for programs: a line of JSON for each event --- */

static void
print_scan_json (const Watch *watch)
{
  const TlStreamScan *scan = tl_stream_get_scan (watch->stream);
  g_autoptr (TlJson) json = tl_json_new_line ();
  tl_json_add (json,
               "event: %s, scan: %u, rows: %zu, columns: %zu, type: %s, "
               "projections: %zu, flats: %zu, darks: %zu, attenuation: %d",
               "scan", scan->serial, scan->n_rows, scan->n_cols,
               tl_sample_name (scan->type), scan->n_projections, scan->n_flats,
               scan->n_darks, scan->is_attenuation);
  tl_json_print (json);
}

static void
print_frame_json (const Watch *watch, const TlStreamEvent *event)
{
  const TlStreamScan *scan = tl_stream_get_scan (watch->stream);
  const size_t n = scan->n_rows * scan->n_cols;
  g_autofree double *row = g_new (double, scan->n_cols);
  double sum = 0, min = INFINITY, max = -INFINITY;
  for (size_t k = 0; k < scan->n_rows; k++)
    {
      const size_t row_bytes = scan->n_cols * tl_sample_size (scan->type);
      tl_samples_to_double (scan->type,
                            (const char *)event->pixels + k * row_bytes,
                            scan->n_cols, row);
      for (size_t col = 0; col < scan->n_cols; col++)
        {
          sum += row[col];
          min = MIN (min, row[col]);
          max = MAX (max, row[col]);
        }
    }
  g_autoptr (TlJson) json = tl_json_new_line ();
  tl_json_add (json,
               "event: %s, kind: %s, number: %zu, angle_deg: %f, min: %f, max: "
               "%f, mean: %f",
               "frame", tl_stream_kind_names[event->kind], event->number,
               event->angle_deg, min, max, sum / (double)n);
  tl_json_print (json);
}

/* Returns: frames of the present scan that have not come, of all kinds */
static size_t
count_missing (const Watch *watch)
{
  return tl_stream_count_missing (&watch->scan, &watch->counts);
}

static void
print_counts_json (const Watch *watch, const char *name, gboolean is_complete)
{
  const TlStreamCounts *counts = &watch->counts;
  const size_t *n = counts->n_received;
  g_autoptr (TlJson) json = tl_json_new_line ();
  tl_json_add (json,
               "event: %s, scan: %u, complete: %d, projections: %zu, flats: "
               "%zu, darks: %zu, missing: %zu, doubled: %zu, malformed: %zu",
               name, watch->scan.serial, is_complete, n[TL_FRAMES_PROJECTIONS],
               n[TL_FRAMES_FLATS], n[TL_FRAMES_DARKS], count_missing (watch),
               counts->n_doubled, counts->n_malformed);
  tl_json_print (json);
}

static void
print_trouble_json (const TlStreamEvent *event)
{
  g_autofree char *text = tl_stream_event_dup_words (event, TRUE);
  g_autoptr (TlJson) json = tl_json_new_line ();
  tl_json_add (json, "event: %s, text: %s", "trouble", text);
  tl_json_print (json);
}

static void
print_json (const Watch *watch, const TlStreamEvent *event)
{
  if (event->type == TL_STREAM_SCAN)
    print_scan_json (watch);
  else if (event->type == TL_STREAM_FRAME)
    print_frame_json (watch, event);
  else if (event->type == TL_STREAM_TROUBLE)
    print_trouble_json (event);
}

/* --- for people --- */

static void
print_scan (const Watch *watch)
{
  const TlStreamScan *scan = tl_stream_get_scan (watch->stream);
  const size_t n[TL_N_FRAME_KINDS] = {
    [TL_FRAMES_PROJECTIONS] = scan->n_projections,
    [TL_FRAMES_FLATS] = scan->n_flats,
    [TL_FRAMES_DARKS] = scan->n_darks,
  };
  g_autofree char *rows = tl_cli_dup_count (scan->n_rows, "row");
  g_autofree char *cols = tl_cli_dup_count (scan->n_cols, "column");
  printf ("%s: scan %u, %s x %s, %s", watch->name, scan->serial, rows, cols,
          tl_sample_name (scan->type));
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    if (n[kind] > 0) /* else nobody has said it */
      {
        g_autofree char *frames =
            tl_cli_dup_count (n[kind], tl_stream_kind_names[kind]);
        printf (", %s", frames);
      }
  if (scan->angles_deg != NULL)
    printf (", %g … %g degrees", scan->angles_deg[0],
            scan->angles_deg[scan->n_projections - 1]);
  putchar ('\n');
}

/* Returns: (transfer full): "38 of 40 projections" */
static char *
dup_counted (const Watch *watch, TlFrameKind kind)
{
  const size_t n = watch->counts.n_received[kind];
  const size_t n_expected =
      tl_stream_count_expected (&watch->scan, &watch->counts, kind);
  g_autofree char *all =
      tl_cli_dup_count (n_expected, tl_stream_kind_names[kind]);
  return n < n_expected ? g_strdup_printf ("%zu of %s", n, all)
                        : g_steal_pointer (&all);
}

static void
print_counts (const Watch *watch, const char *what)
{
  const TlStreamCounts *counts = &watch->counts;
  g_autofree char *projections = dup_counted (watch, TL_FRAMES_PROJECTIONS);
  g_autofree char *flats = dup_counted (watch, TL_FRAMES_FLATS);
  g_autofree char *darks = dup_counted (watch, TL_FRAMES_DARKS);
  const size_t n_missing = count_missing (watch);
  const gboolean is_known =
      watch->scan.n_projections > 0
      || counts->n_places > counts->n_received[TL_FRAMES_PROJECTIONS];
  printf ("%s: scan %u %s: %s, %s, %s; missing: %zu%s, doubled: %zu, "
          "malformed messages: %zu\n",
          watch->name, watch->scan.serial, what, projections, flats, darks,
          n_missing, is_known ? "" : " (without --expect, only gaps are known)",
          counts->n_doubled, counts->n_malformed);
}

static void
show_progress (Watch *watch)
{
  const TlStreamScan *scan = tl_stream_get_scan (watch->stream);
  const size_t *n = tl_stream_get_counts (watch->stream)->n_received;
  const gint64 now_us = g_get_monotonic_time ();
  if (!isatty (STDERR_FILENO) || now_us - watch->shown_us < PROGRESS_STEP_US)
    return;
  watch->shown_us = now_us;
  watch->is_shown = TRUE;
  g_autofree char *frames = tl_cli_dup_frames (n);
  fprintf (stderr, "\rscan %u: %s", scan->serial, frames);
}

static void
print_text (Watch *watch, const TlStreamEvent *event)
{
  if (event->type == TL_STREAM_FRAME)
    {
      show_progress (watch);
      return;
    }
  end_line (watch);
  if (event->type == TL_STREAM_SCAN)
    print_scan (watch);
  else if (event->type == TL_STREAM_TROUBLE)
    {
      g_autofree char *text = tl_stream_event_dup_words (event, TRUE);
      fprintf (stderr, "note: %s\n", text);
    }
}

/* --- the run --- */

static void
show (Watch *watch, const TlStreamEvent *event)
{
  if (watch->wants_json)
    print_json (watch, event);
  else if (event->type != TL_STREAM_QUIET)
    print_text (watch, event);
}

static gboolean
has_frames (const Watch *watch)
{
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    if (watch->counts.n_received[kind] > 0)
      return TRUE;
  return FALSE;
}

/* Ends the present scan, if frames of it have come. @is_told: its sender, or
 * the file, has said that it ends. Where nobody has said how many projections
 * come, it is complete without that if none is missing. */
static void
end_scan (Watch *watch, gboolean is_told)
{
  const gboolean is_complete =
      count_missing (watch) == 0 && (is_told || watch->scan.n_projections == 0);
  if (watch->is_over || !has_frames (watch))
    return;
  watch->is_over = TRUE;
  watch->n_over++;
  watch->n_ended += is_told || is_complete;
  watch->n_partial += !is_complete;
  if (watch->wants_json)
    print_counts_json (watch, "end", is_complete);
  else
    print_counts (watch,
                  is_told || is_complete ? "has ended" : "is not complete");
}

/* Takes over what is known of the present scan, and ends the one before. */
static void
note_scan (Watch *watch)
{
  const TlStreamScan *scan = tl_stream_get_scan (watch->stream);
  if (scan->serial != watch->scan.serial)
    {
      end_line (watch);
      end_scan (watch, FALSE);
      watch->is_over = FALSE;
    }
  watch->scan = *scan;
  watch->scan.angles_deg = NULL;
  watch->counts = *tl_stream_get_counts (watch->stream);
}

static gboolean
is_patient (const Watch *watch)
{
  const double waited_s =
      (double)(g_get_monotonic_time () - watch->last_us) / G_USEC_PER_SEC;
  return watch->timeout_s <= 0 || waited_s < watch->timeout_s;
}

/* @silence: what is said before, or "". Returns: %FALSE with TL_CLI_INCOMPLETE
 * if something is missing of the scans that are over */
static gboolean
check_whole (const Watch *watch, const char *silence, GError **error)
{
  if (watch->n_partial == 0)
    return TRUE;
  if (watch->n_over == 1)
    g_set_error (error, TL_CLI_INCOMPLETE, 0, "%s: %sthe scan is not complete",
                 watch->name, silence);
  else
    g_set_error (error, TL_CLI_INCOMPLETE, 0,
                 "%s: %s%zu of %zu scans %s not complete", watch->name, silence,
                 watch->n_partial, watch->n_over,
                 watch->n_partial == 1 ? "is" : "are");
  return FALSE;
}

/* Ends because nothing comes any more. Returns: %FALSE with TL_ERROR_FILE if no
 * scan has come, or as check_whole() */
static gboolean
give_up (Watch *watch, GError **error)
{
  end_line (watch);
  end_scan (watch, FALSE); /* not one that is only announced */
  if (watch->recorder != NULL)
    tl_recorder_end (watch->recorder);
  g_autofree char *silence =
      g_strdup_printf ("nothing has come for %g s, and ", watch->timeout_s);
  if (watch->n_over > 0)
    return check_whole (watch, silence, error);
  return tl_fail (error, TL_ERROR_FILE, "%s: nothing has come for %g s",
                  watch->name, watch->timeout_s);
}

static gboolean
follow (Watch *watch, const TlStreamOptions *options, GCancellable *cancellable,
        GError **error)
{
  TlStreamEvent event;
  GError *failure = NULL;
  if (!tl_cli_stream_wait (&watch->said, watch->name, watch->timeout_s,
                           cancellable, error))
    return FALSE;
  watch->stream = tl_stream_open (watch->name, options, &failure);
  if (watch->stream == NULL)
    return tl_cli_stream_fail (error, failure);
  watch->last_us = g_get_monotonic_time ();
  while (watch->n_scans == 0 || watch->n_ended < watch->n_scans)
    {
      if (!tl_stream_next (watch->stream, WAIT_MS, cancellable, &event, error))
        return FALSE;
      note_scan (watch);
      show (watch, &event);
      if (event.type == TL_STREAM_END)
        end_scan (watch, TRUE);
      fflush (stdout); /* another program may read each line as it comes */
      if (watch->recorder != NULL)
        tl_recorder_take (watch->recorder, tl_stream_get_scan (watch->stream),
                          &event);
      tl_cli_record_report (watch->recorder, watch->wants_json);
      if (event.type == TL_STREAM_SCAN || event.type == TL_STREAM_FRAME)
        watch->last_us = g_get_monotonic_time ();
      else if (!is_patient (watch))
        return give_up (watch, error);
    }
  return check_whole (watch, "", error);
}

/* The end of a scan that is over was told before. */
static void
print_interrupted (const Watch *watch)
{
  if (watch->wants_json)
    print_counts_json (watch, "interrupted",
                       watch->is_over && count_missing (watch) == 0);
  else if (!has_frames (watch))
    printf ("%s: nothing has come\n", watch->name);
  else if (!watch->is_over)
    print_counts (watch, "is not followed further");
}

/* Ctrl+C is the usual end. The scan that is being taken then is neither
 * complete nor incomplete. */
static gboolean
run (Watch *watch, const TlStreamOptions *options, GCancellable *cancellable,
     GError **error)
{
  g_autoptr (GError) failure = NULL;
  const gboolean good = follow (watch, options, cancellable, &failure);
  end_line (watch);
  if (!good && g_error_matches (failure, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      print_interrupted (watch);
      return check_whole (watch, "", error);
    }
  if (!good)
    g_propagate_error (error, g_steal_pointer (&failure));
  return good;
}

static gboolean
check_timeout (double timeout_s, GError **error)
{
  return (timeout_s >= 0 && timeout_s <= MAX_TIMEOUT_S)
         || tl_cli_usage_error (
             error, "--timeout takes a number of seconds up to %d, not %g",
             MAX_TIMEOUT_S, timeout_s);
}

static gboolean
check_name (char **args, GError **error)
{
  if (args[1] == NULL)
    return tl_cli_usage_error (
        error,
        "%s needs a file, a folder or an address, such as "
        "zmq+tomopackets://*:5558",
        args[0]);
  return tl_cli_check_files (args, 1, 1, error);
}

/* Returns: whether the key says the angles of the projections */
static gboolean
is_of_angles (const TlParamSpec *key)
{
  return strcmp (key->key, "angles") == 0
         || strcmp (key->key, "angles-file") == 0;
}

gboolean
tl_cli_watch (char **args, GCancellable *cancellable, GError **error)
{
  Watch watch = { 0 };
  char *record = NULL;
  TlStreamOptions options;
  const TlCliSize sizes[] = {
    { "scans", &watch.n_scans, "end after so many scans (go on until Ctrl+C)" },
    { 0 },
  };
  const GOptionEntry own[] = {
    { "timeout", 0, 0, G_OPTION_ARG_DOUBLE, &watch.timeout_s,
      "end when no frame has come for so long; 0: never (0)", "SECONDS" },
    { "record", 0, 0, G_OPTION_ARG_FILENAME, &record,
      "keep each scan that comes from an address as a Data Exchange file in "
      "FOLDER",
      "FOLDER" },
    { 0 },
  };
  g_auto (TlCliLine) line = { 0 };
  g_auto (GStrv) rest = g_strdupv (args);
  tl_cli_line_init (&line, "FILE|FOLDER|ADDRESS",
                    "Follows a scan while it is being taken, and prints what "
                    "arrives; with --json a line for each event. FILE is HDF5 "
                    "and grows, FOLDER is being filled with images, and "
                    "ADDRESS is zmq+tomopackets://HOST:PORT (TomoPackets; this "
                    "program binds it, * stands for all addresses of this "
                    "machine), zmq+tomopackets+rep://HOST:PORT for senders "
                    "that wait for an answer, zmq+json://HOST:PORT (JSON and "
                    "pixels of PSI std_daq, KIT Concert or Odin; this program "
                    "connects), or zmq+json+sub://HOST:PORT for senders that "
                    "publish.",
                    sizes, own);
  tl_cli_stream_add_options (&watch.said, &line);
  tl_cli_line_add_keys (&line, is_of_angles);
  if (!tl_cli_line_parse (&line, &rest, error)
      || !check_timeout (watch.timeout_s, error) || !check_name (rest, error))
    return FALSE;
  g_autoptr (TlRecipe) recipe =
      tl_cli_line_make_recipe (&line, NULL, NULL, error);
  if (recipe == NULL
      || !tl_cli_stream_get_options (&watch.said, recipe, &options, error))
    return FALSE;
  watch.name = rest[1];
  watch.wants_json = line.json != NULL;
  if (!tl_cli_record_open (watch.name, record, &watch.recorder, error))
    return FALSE;
  const gboolean good = run (&watch, &options, cancellable, error);
  tl_stream_close (watch.stream);
  return tl_cli_record_close (watch.name, watch.recorder, watch.wants_json,
                              error)
         && good;
}
