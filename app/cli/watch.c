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
  TlStream *stream;
  size_t n_scans;   /* to end after; 0: goes on */
  double timeout_s; /* 0: waits for ever */
  gboolean wants_json;
  TlRecorder *recorder; /* (nullable) */

  size_t n_ended;
  gint64 last_us; /* when something came */
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

static void
print_counts_json (const Watch *watch, const char *name)
{
  const TlStreamCounts *counts = tl_stream_get_counts (watch->stream);
  const size_t *n = counts->n_received;
  g_autoptr (TlJson) json = tl_json_new_line ();
  tl_json_add (json,
               "event: %s, scan: %u, projections: %zu, flats: %zu, darks: %zu, "
               "missing: %zu, doubled: %zu, malformed: %zu",
               name, tl_stream_get_scan (watch->stream)->serial,
               n[TL_FRAMES_PROJECTIONS], n[TL_FRAMES_FLATS], n[TL_FRAMES_DARKS],
               counts->n_missing, counts->n_doubled, counts->n_malformed);
  tl_json_print (json);
}

static void
print_trouble_json (const char *text)
{
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
  else if (event->type == TL_STREAM_END)
    print_counts_json (watch, "end");
  else if (event->type == TL_STREAM_TROUBLE)
    print_trouble_json (event->text);
}

/* --- for people --- */

static void
print_scan (const Watch *watch)
{
  const TlStreamScan *scan = tl_stream_get_scan (watch->stream);
  printf ("%s: scan %u, %zu rows x %zu columns, %s", watch->name, scan->serial,
          scan->n_rows, scan->n_cols, tl_sample_name (scan->type));
  if (scan->n_projections > 0)
    printf (", %zu projections, %zu flats, %zu darks", scan->n_projections,
            scan->n_flats, scan->n_darks);
  if (scan->angles_deg != NULL)
    printf (", %g … %g degrees", scan->angles_deg[0],
            scan->angles_deg[scan->n_projections - 1]);
  putchar ('\n');
}

static void
print_counts (const Watch *watch, const char *what)
{
  const TlStreamCounts *counts = tl_stream_get_counts (watch->stream);
  const size_t *n = counts->n_received;
  printf ("%s: scan %u %s: %zu projections, %zu flats, %zu darks; missing: "
          "%zu, doubled: %zu, malformed messages: %zu\n",
          watch->name, tl_stream_get_scan (watch->stream)->serial, what,
          n[TL_FRAMES_PROJECTIONS], n[TL_FRAMES_FLATS], n[TL_FRAMES_DARKS],
          counts->n_missing, counts->n_doubled, counts->n_malformed);
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
  fprintf (stderr, "\rscan %u: %zu projections, %zu flats, %zu darks",
           scan->serial, n[TL_FRAMES_PROJECTIONS], n[TL_FRAMES_FLATS],
           n[TL_FRAMES_DARKS]);
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
  else if (event->type == TL_STREAM_END)
    print_counts (watch, "has ended");
  else if (event->type == TL_STREAM_TROUBLE)
    fprintf (stderr, "note: %s\n", event->text);
}

/* --- the run --- */

static void
show (Watch *watch, const TlStreamEvent *event)
{
  if (watch->wants_json)
    print_json (watch, event);
  else if (event->type != TL_STREAM_QUIET)
    print_text (watch, event);
  /* Another program may read each line as it comes. */
  fflush (stdout);
}

static gboolean
check_patience (const Watch *watch, GError **error)
{
  const double waited_s =
      (double)(g_get_monotonic_time () - watch->last_us) / G_USEC_PER_SEC;
  return watch->timeout_s <= 0 || waited_s < watch->timeout_s
         || tl_fail (error, TL_ERROR_FILE, "%s: nothing has come for %g s",
                     watch->name, watch->timeout_s);
}

static gboolean
follow (Watch *watch, GCancellable *cancellable, GError **error)
{
  TlStreamEvent event;
  watch->last_us = g_get_monotonic_time ();
  while (watch->n_scans == 0 || watch->n_ended < watch->n_scans)
    {
      if (!tl_stream_next (watch->stream, WAIT_MS, cancellable, &event, error))
        return FALSE;
      show (watch, &event);
      if (watch->recorder != NULL)
        tl_recorder_take (watch->recorder, tl_stream_get_scan (watch->stream),
                          &event);
      tl_cli_record_report (watch->recorder, watch->wants_json);
      watch->n_ended += event.type == TL_STREAM_END;
      if (event.type == TL_STREAM_SCAN || event.type == TL_STREAM_FRAME)
        watch->last_us = g_get_monotonic_time ();
      else if (!check_patience (watch, error))
        return FALSE;
    }
  return TRUE;
}

/* Ctrl+C is the usual end. */
static gboolean
run (Watch *watch, GCancellable *cancellable, GError **error)
{
  g_autoptr (GError) failure = NULL;
  gboolean good = follow (watch, cancellable, &failure);
  end_line (watch);
  if (!good && g_error_matches (failure, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      if (watch->wants_json)
        print_counts_json (watch, "interrupted");
      else
        print_counts (watch, "is not followed further");
      return TRUE;
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
  TlCliStream said = { 0 };
  TlStreamOptions options;
  const TlCliSize sizes[] = {
    { "scans", &watch.n_scans, "end after so many scans (go on until Ctrl+C)" },
    { 0 },
  };
  const GOptionEntry own[] = {
    { "timeout", 0, 0, G_OPTION_ARG_DOUBLE, &watch.timeout_s,
      "give up when no frame has come for so long; 0: never (0)", "SECONDS" },
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
  tl_cli_stream_add_options (&said, &line);
  tl_cli_line_add_keys (&line, is_of_angles);
  if (!tl_cli_line_parse (&line, &rest, error)
      || !check_timeout (watch.timeout_s, error) || !check_name (rest, error))
    return FALSE;
  g_autoptr (TlRecipe) recipe =
      tl_cli_line_make_recipe (&line, NULL, NULL, error);
  if (recipe == NULL
      || !tl_cli_stream_get_options (&said, recipe, &options, error))
    return FALSE;
  watch.name = rest[1];
  watch.wants_json = line.json != NULL;
  if (!tl_cli_record_open (watch.name, record, &watch.recorder, error))
    return FALSE;
  g_autoptr (TlStream) stream = tl_stream_open (watch.name, &options, error);
  watch.stream = stream;
  const gboolean good = stream != NULL && run (&watch, cancellable, error);
  tl_cli_record_close (watch.recorder, watch.wants_json);
  return good;
}
