/* Measures the session behind the window, with its worker and a main loop,
 * but without a screen. Drags a parameter for two seconds, as a pointer
 * does, and counts the frames that result.
 *
 * An event is a new value of a parameter. A frame counts when it is finished
 * and the main thread has it, where the window would draw it. */
#include "app/cli/bench/cases-private.h"
#include "app/planes/planes.h"
#include "app/session/session.h"
#include "data/array.h"
#include "data/error.h"
#include "data/phantom/phantom.h"

#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>

#define EVENTS_PER_S 120

/* Events of each drag: two seconds. */
#define N_EVENTS 240

/* Size of the phantom scan that is created if no scan is named. */
#define HOST_SIZE 1024
#define HOST_PROJECTIONS 900
#define PHANTOM_ROWS 32

/* --- the drags --- */

/* A drag, and the corrections that are on during it. */
typedef struct
{
  const char *name;
  void (*move) (TlSession *session, size_t event);
  const char *settings[8]; /* "key=value" to set before; %NULL-terminated */
} Drag;

/* Fraction of a column to which the centre is rounded; fine enough for each
 * event to be a new position. */
#define CENTRE_PARTS 1000000

/* Position of the pointer, 0 … 1, that goes back and forth once a second. */
static double
swing (size_t event)
{
  return 0.5 - 0.5 * cos (2 * G_PI * (double)event / EVENTS_PER_S);
}

static void
set_number (TlSession *session, const char *key, double number)
{
  char value[G_ASCII_DTOSTR_BUF_SIZE];
  g_ascii_dtostr (value, sizeof value, number);
  tl_parameters_set (session->parameters, key, value, NULL);
}

static void
move_centre (TlSession *session, size_t event)
{
  const size_t n_cols = tl_scan_source_get_summary (session->source)->n_cols;
  const double centre_col = ((double)n_cols - 1) / 2 + 10 * swing (event + 1);
  tl_parameters_set_centre (session->parameters,
                            tl_parameters_limit_centre (
                                session->parameters, centre_col, CENTRE_PARTS));
}

static void
move_slice (TlSession *session, size_t event)
{
  tl_parameters_set_slice (
      session->parameters,
      (guint)(event % tl_scan_source_get_summary (session->source)->n_rows));
}

static void
move_cutoff (TlSession *session, size_t event)
{
  set_number (session, "cutoff", 1 - 0.8 * swing (event + 1));
}

static void
move_zinger_threshold (TlSession *session, size_t event)
{
  set_number (session, "zinger-threshold", 0.3 + 1.7 * swing (event + 1));
}

static void
move_delta_beta (TlSession *session, size_t event)
{
  set_number (session, "delta-beta", 20 + 80 * swing (event + 1));
}

static void
move_ring_size (TlSession *session, size_t event)
{
  set_number (session, "ring-size", 3 + 2 * round (20 * swing (event + 1)));
}

/* Settings for which the phase filter blurs over 3 to 7 pixels, whatever the
 * scan: it needs 29 to 57 rows above and below. */
#define PHASE                                                                  \
  "energy=20", "distance=100", "pixel-size=1", "delta-beta=20", "phase=on"

static const Drag drags[] = {
  { "centre", move_centre, { NULL } },
  { "slice", move_slice, { NULL } },
  { "filter", move_cutoff, { NULL } },
  { "zingers", move_zinger_threshold, { "zingers=on" } },
  { "rings", move_ring_size, { "rings=sorting" } },
  { "phase", move_delta_beta, { PHASE } },
  { "zingers, phase", move_zinger_threshold, { PHASE, "zingers=on" } },
};

/* --- state --- */

/* What was requested. */
typedef struct
{
  const TlRecipe *recipe;
  size_t n_cols, n_projections; /* 0: default of the engine */
  size_t n_rows;                /* 0: default, a few rows */
  size_t n_events;              /* events of each drag */
  size_t n_pane; /* pixels a side of the panes of planes; 0: the slice */
  TlJson *json;  /* (nullable) */
  GCancellable *cancellable;
} Request;

typedef struct
{
  gint64 sent_us;
  guint64 serial; /* serial of the job for this event; 0: none */
} Event;

/* One drag and its results. */
typedef struct
{
  TlSession *session;
  GMainLoop *loop;
  const Drag *drag;
  GError *error; /* (nullable) */

  gint64 start_us;
  size_t n_wanted, n_events; /* n_events of n_wanted have been sent so far */
  Event *events;             /* [n_wanted] */

  size_t n_whole, n_previews,
      n_during; /* full frames, previews, and frames before the last event */
  size_t n_answered; /* events that a frame was made for */
  double *
      latencies_ms; /* [n_wanted] from event to its frame; n_answered are set */
  double whole_ms;  /* from the last event to the last full frame */
} Run;

/* --- a drag --- */

/* Called after the last event too: if this changed nothing, no frame
 * follows. */
static void
quit_at_end (Run *run)
{
  if (run->n_events == run->n_wanted
      && !tl_requests_is_busy (run->session->requests))
    g_main_loop_quit (run->loop);
}

/* Sends the next event. The event after it is scheduled from the start of
 * the drag, so that delays do not add up. */
static gboolean
send_event (gpointer data)
{
  Run *run = data;
  TlRequests *requests = run->session->requests;
  const size_t k = run->n_events++;
  const guint64 before = tl_requests_get_newest (requests);
  run->events[k].sent_us = g_get_monotonic_time ();
  run->drag->move (run->session, k);
  if (tl_requests_get_newest (requests) != before)
    run->events[k].serial = tl_requests_get_newest (requests);
  quit_at_end (run);
  g_source_set_ready_time (
      g_main_current_source (),
      run->start_us + (gint64)run->n_events * G_USEC_PER_SEC / EVENTS_PER_S);
  return run->n_events < run->n_wanted;
}

static gboolean
dispatch (GSource *source, GSourceFunc callback, gpointer data)
{
  return callback (data);
}

static void
note_latency (Run *run, gint64 now_us)
{
  for (size_t k = 0; k < run->n_events; k++)
    if (run->events[k].serial
        == tl_display_get_picture_serial (run->session->display))
      run->latencies_ms[run->n_answered++] =
          (double)(now_us - run->events[k].sent_us) / 1e3;
}

static void
on_frame (Run *run)
{
  TlDisplay *display = run->session->display;
  if (run->error == NULL
      && !tl_frame_wait (tl_display_get_frame (display), &run->error))
    g_main_loop_quit (run->loop);
  const gint64 now_us = g_get_monotonic_time ();
  note_latency (run, now_us);
  if (run->n_events < run->n_wanted)
    run->n_during++;
  if (tl_display_shows_preview (display))
    run->n_previews++;
  else
    {
      run->n_whole++;
      run->whole_ms =
          (double)(now_us - run->events[run->n_events - 1].sent_us) / 1e3;
    }
}

static gboolean
on_interrupt (GCancellable *cancellable, gpointer data)
{
  g_main_loop_quit (data);
  return G_SOURCE_REMOVE;
}

/* Runs the main loop until a handler quits it. */
static gboolean
run_loop (GMainLoop *loop, TlSession *session, GCancellable *cancellable,
          GError **error)
{
  g_autoptr (GSource) interrupt = g_cancellable_source_new (cancellable);
  g_source_set_callback (interrupt, G_SOURCE_FUNC (on_interrupt), loop, NULL);
  g_source_attach (interrupt, NULL);
  g_main_loop_run (loop);
  g_source_destroy (interrupt);
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;
  g_autofree char *message = NULL;
  g_object_get (session->messages, "message", &message, NULL);
  if (message == NULL)
    return TRUE;
  return tl_fail (error, TL_ERROR_VALUE, "%s", message);
}

static gboolean
run_drag (Run *run, GCancellable *cancellable, GError **error)
{
  static GSourceFuncs funcs = { .dispatch = dispatch };
  g_autoptr (GSource) events = g_source_new (&funcs, sizeof (GSource));
  const gulong frame = g_signal_connect_swapped (
      run->session->display, "notify::frame", G_CALLBACK (on_frame), run);
  const gulong busy = g_signal_connect_swapped (
      run->session->requests, "notify::busy", G_CALLBACK (quit_at_end), run);
  run->start_us = g_get_monotonic_time ();
  g_source_set_callback (events, send_event, run, NULL);
  g_source_set_ready_time (events, run->start_us);
  g_source_attach (events, NULL);
  const gboolean good = run_loop (run->loop, run->session, cancellable, error);
  g_source_destroy (events);
  g_signal_handler_disconnect (run->session->display, frame);
  g_signal_handler_disconnect (run->session->requests, busy);
  if (good && run->error != NULL)
    g_propagate_error (error, g_steal_pointer (&run->error));
  g_clear_error (&run->error);
  return good;
}

/* --- the report --- */

/* Returns: the percentile of the latencies: the fraction @part of
 * run->latencies_ms, which must be sorted, is not above it; NaN if there are
 * none */
static double
find_percentile (const Run *run, double part)
{
  if (run->n_answered == 0)
    return NAN;
  return run->latencies_ms[(size_t)ceil (part * (double)run->n_answered) - 1];
}

static void
print_head (TlSession *session, TlJson *json)
{
  const TlScanSummary *scan = tl_scan_source_get_summary (session->source);
  const TlStatus *status = tl_display_get_status (session->display);
  if (json == NULL)
    printf ("%s, %s: %zu x %zu pixels from %zu projections, %d events a "
            "second; ms from event to frame\n"
            "%-14s %8s %8s %8s %11s %9s %8s %8s %11s\n",
            status->engine, status->device, scan->n_cols, scan->n_cols,
            scan->n_projections, EVENTS_PER_S, "drag", "frames/s", "whole",
            "previews", "superseded", "latency", "99 %", "last", "then whole");
  tl_json_add (json,
               "version: %s, engine: %s, device: %s, size: %zu, "
               "projections: %zu, drags: [",
               TL_VERSION, status->engine, status->device, scan->n_cols,
               scan->n_projections);
}

static void
print_run (Run *run, TlJson *json)
{
  const double rate =
      (double)run->n_during * EVENTS_PER_S / (double)run->n_events;
  const size_t n_superseded = run->n_events - run->n_answered;
  tl_sort_doubles (run->latencies_ms, run->n_answered);
  const double median = find_percentile (run, 0.5);
  const double p99 = find_percentile (run, 0.99);
  const double most = find_percentile (run, 1);
  if (json == NULL)
    printf ("%-14s %8.1f %8zu %8zu %11zu %9.1f %8.1f %8.1f %11.0f\n",
            run->drag->name, rate, run->n_whole, run->n_previews, n_superseded,
            median, p99, most, run->whole_ms);
  fflush (stdout);
  tl_json_add (json,
               "{name: %s, events: %zu, whole: %zu, previews: %zu, "
               "superseded: %zu, frames_per_s: %f, latency_median_ms: %f, "
               "latency_p99_ms: %f, latency_max_ms: %f, whole_after_ms: %f}",
               run->drag->name, run->n_events, run->n_whole, run->n_previews,
               n_superseded, rate, median, p99, most, run->whole_ms);
}

/* --- the scan --- */

/* Waits until the session has finished what was requested. */
static gboolean
settle (const Request *request, TlSession *session, GMainLoop *loop,
        GError **error)
{
  TlRequests *requests = session->requests;
  const gulong busy = g_signal_connect_swapped (
      requests, "notify::busy", G_CALLBACK (g_main_loop_quit), loop);
  gboolean good = TRUE;
  while (good && tl_requests_is_busy (requests))
    good = run_loop (loop, session, request->cancellable, error);
  g_signal_handler_disconnect (requests, busy);
  return good;
}

static gboolean
measure_drag (const Request *request, TlSession *session, GMainLoop *loop,
              const Drag *drag, GError **error)
{
  g_autofree Event *events = g_new0 (Event, request->n_events);
  g_autofree double *latencies_ms = g_new (double, request->n_events);
  Run run = { .session = session,
              .loop = loop,
              .drag = drag,
              .n_wanted = request->n_events,
              .events = events,
              .latencies_ms = latencies_ms };
  g_autoptr (GError) reason = NULL;
  for (size_t k = 0; drag->settings[k] != NULL; k++)
    {
      g_auto (GStrv) words = g_strsplit (drag->settings[k], "=", 2);
      if (tl_parameters_set (session->parameters, words[0], words[1], &reason))
        continue;
      g_info ("%s is not dragged: %s", drag->name, reason->message);
      return TRUE;
    }
  if (!settle (request, session, loop, error)
      || !run_drag (&run, request->cancellable, error))
    return FALSE;
  print_run (&run, request->json);
  return TRUE;
}

/* Measures each drag with its own corrections only. */
static gboolean
measure_drags (const Request *request, TlSession *session, GMainLoop *loop,
               GError **error)
{
  static const char *const corrections[] = { "zingers", "phase", "rings" };
  for (size_t k = 0; k < G_N_ELEMENTS (drags); k++)
    {
      for (size_t i = 0; i < G_N_ELEMENTS (corrections); i++)
        if (!tl_parameters_set (session->parameters, corrections[i], "off",
                                error))
          return FALSE;
      if (!settle (request, session, loop, error)
          || !measure_drag (request, session, loop, &drags[k], error))
        return FALSE;
    }
  return TRUE;
}

/* Shows the planes in panes of @n_pixels a side, and waits for them: they come
 * when some projections are loaded. */
static gboolean
show_planes (const Request *request, TlSession *session, GMainLoop *loop,
             double n_pixels, GError **error)
{
  gboolean good = TRUE;
  TlPlanes *planes = tl_session_get_planes (session);
  TlAim aim = *tl_planes_get_aim (planes);
  for (TlPane pane = 0; pane < TL_N_PANES; pane++)
    tl_aim_set_size (&aim, pane, n_pixels, n_pixels);
  tl_aim_fit (&aim);
  tl_planes_set_aim (planes, &aim);
  tl_display_set_picture (session->display, TL_PICTURE_PLANES);
  const gulong frame = g_signal_connect_swapped (
      session->display, "notify::frame", G_CALLBACK (g_main_loop_quit), loop);
  while (good
         && (tl_display_get_frame (session->display) == NULL
             || tl_display_shows_preview (session->display)))
    good = run_loop (loop, session, request->cancellable, error);
  g_signal_handler_disconnect (session->display, frame);
  return good;
}

static gboolean
measure_scan (const Request *request, const char *path, GError **error)
{
  static const char *const words[] = { "engine",    "method",        "kernel",
                                       "precision", "interpolation", "filter" };
  g_autoptr (TlSession) session = tl_session_new ();
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  for (size_t k = 0; k < G_N_ELEMENTS (words); k++)
    {
      g_autofree char *value = tl_recipe_get (request->recipe, words[k]);
      if (!tl_parameters_set (session->parameters, words[k], value, error))
        return FALSE;
    }
  tl_session_open (session, path);
  if (!settle (request, session, loop, error))
    return FALSE;
  if (request->n_pane > 0
      && !show_planes (request, session, loop, (double)request->n_pane, error))
    return FALSE;
  print_head (session, request->json);
  return measure_drags (request, session, loop, error);
}

/* Measures on a phantom, in a temporary folder that is removed afterwards. */
static gboolean
measure_phantom (const Request *request, GError **error)
{
  g_auto (GStrv) engines =
      tl_pipeline_choose_engines (request->recipe->engine, 1, error);
  if (engines == NULL)
    return FALSE;
  const gboolean is_host = g_str_equal (engines[0], "host");
  const size_t n_cols = is_host ? HOST_SIZE : TL_BENCH_DEVICE_SIZE;
  const size_t n_projections =
      is_host ? HOST_PROJECTIONS : TL_BENCH_DEVICE_SIZE;
  TlPhantomScan scan;
  tl_phantom_scan_init (&scan,
                        request->n_projections > 0 ? request->n_projections
                                                   : n_projections,
                        request->n_rows > 0 ? request->n_rows : PHANTOM_ROWS,
                        request->n_cols > 0 ? request->n_cols : n_cols);
  g_autofree char *folder = g_dir_make_tmp ("tomolens-XXXXXX", error);
  if (folder == NULL)
    return FALSE;
  g_autofree char *path = g_build_filename (folder, "phantom.h5", NULL);
  const gboolean good = tl_phantom_write_scan (path, &scan, NULL, NULL,
                                               request->cancellable, error)
                        && measure_scan (request, path, error);
  g_unlink (path);
  g_rmdir (folder);
  return good;
}

/* @scan: (nullable) */
static gboolean
run_interactive (Request *request, const TlCliLine *line, const char *scan,
                 GError **error)
{
  g_autoptr (TlRecipe) recipe =
      tl_cli_line_make_recipe (line, NULL, NULL, error);
  request->recipe = recipe;
  request->json = line->json;
  if (recipe == NULL)
    return FALSE;
  if (scan != NULL
      && (request->n_cols > 0 || request->n_rows > 0
          || request->n_projections > 0))
    return tl_cli_usage_error (
        error, "--size, --rows and --projections are for the scan that is made "
               "where none is named");
  if (!(scan != NULL ? measure_scan (request, scan, error)
                     : measure_phantom (request, error)))
    return FALSE;
  tl_json_print (line->json);
  return TRUE;
}

gboolean
tl_bench_interactive (char **args, GCancellable *cancellable, GError **error)
{
  Request request = { .n_events = N_EVENTS, .cancellable = cancellable };
  const TlCliSize sizes[] = {
    { "size", &request.n_cols,
      "columns of the scan that is made (" G_STRINGIFY (
          HOST_SIZE) " on host, " G_STRINGIFY (TL_BENCH_DEVICE_SIZE) " on a "
                                                                     "device"
                                                                     ")" },
    { "rows", &request.n_rows,
      "its rows (" G_STRINGIFY (
          PHANTOM_ROWS) "); phase retrieval reads those around a slice" },
    { "projections", &request.n_projections,
      "its projections (" G_STRINGIFY (HOST_PROJECTIONS) ", " G_STRINGIFY (
          TL_BENCH_DEVICE_SIZE) ")" },
    { "events", &request.n_events,
      "events of each drag, " G_STRINGIFY (
          EVENTS_PER_S) " a second (" G_STRINGIFY (N_EVENTS) ")" },
    { "planes", &request.n_pane,
      "show the planes in panes of so many pixels a side, in place of the "
      "slice" },
    { 0 },
  };
  g_auto (TlCliLine) line = { 0 };
  g_auto (GStrv) rest = g_strdupv (args);
  tl_cli_line_init (&line, "interactive [SCAN]",
                    "Drags the centre, the slice, the filter and the "
                    "corrections of a scan as in the window, and measures how "
                    "the picture follows.",
                    sizes, NULL);
  tl_cli_line_add_keys (&line, tl_bench_is_measured);
  const gboolean good = tl_cli_line_parse (&line, &rest, error)
                        && tl_cli_check_files (rest, 0, 1, error)
                        && run_interactive (&request, &line, rest[1], error);
  tl_cli_explain_cancel (error, "the measurement was interrupted");
  return good;
}
