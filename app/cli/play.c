#include "app/play/files.h"
#include "app/play/play.h"

#include "app/cli/cli-private.h"
#include "app/cli/scan-private.h"
#include "app/cli/output-private.h"
#include "app/recon/recon.h"
#include "data/array.h"
#include "data/error.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PROGRESS_STEP_US (G_USEC_PER_SEC / 5)

/* Projections per second; no detector is outside. */
#define MIN_RATE 0.001
#define MAX_RATE 1e6

/* The options as typed; the default if not given. */
typedef struct
{
  char *to, *order, *lose, *angle_name; /* (nullable) */
  double rate;
  gboolean lacks_swmr, in_place, requests, publishes, overwrite;
  int seed;
  TlPlayWay way;   /* of to */
  TlPlayPlan plan; /* what it says of the order */
} Requests;

/* What is told while the scan is played. */
typedef struct
{
  const char *to;
  gint64 last_us;
  gboolean is_shown;
} Announcement;

static void
end_line (Announcement *announcement)
{
  if (announcement->is_shown)
    fputc ('\n', stderr);
  announcement->is_shown = FALSE;
}

static void
show_progress (const TlPlayReport *report, gpointer data)
{
  Announcement *announcement = data;
  const gint64 now_us = g_get_monotonic_time ();
  if (!isatty (STDERR_FILENO)
      || (report->n_done < report->n_steps
          && now_us - announcement->last_us < PROGRESS_STEP_US))
    return;
  announcement->last_us = now_us;
  announcement->is_shown = TRUE;
  g_autofree char *frames = tl_cli_dup_count (report->n_steps, "frame");
  fprintf (stderr, "\rplaying: %zu of %s, %.1f projections/s", report->n_done,
           frames, report->rate);
}

static void
show_wait (gpointer data)
{
  Announcement *announcement = data;
  end_line (announcement);
  fprintf (stderr, "note: %s: waiting for a receiver\n", announcement->to);
}

/* --- the command line --- */

/* @name: (nullable) */
static gboolean
take_order (const char *name, TlPlayOrder *order, GError **error)
{
  if (name == NULL)
    return TRUE;
  const int index = tl_names_index (tl_play_order_names, name);
  if (index >= 0)
    {
      *order = (TlPlayOrder)index;
      return TRUE;
    }
  g_autofree char *names =
      g_strjoinv (", ", (char **)(gpointer)tl_play_order_names);
  return tl_cli_usage_error (error, "--order takes one of %s, not \"%s\"",
                             names, name);
}

/* A folder may be named as "live/". */
static void
strip_slashes (char *path)
{
  for (size_t n = strlen (path); n > 1 && path[n - 1] == '/'; n--)
    path[n - 1] = '\0';
}

/* Returns: %FALSE for an address that says how a receiver takes it */
static gboolean
check_address (const char *to, GError **error)
{
  static const struct
  {
    const char *scheme, *says;
  } received[] = {
    { "zmq+tomopackets+rep://", "zmq+tomopackets://HOST:PORT and --request" },
    { "zmq+json+sub://", "zmq+json://HOST:PORT and --publish" },
  };
  for (size_t k = 0; k < G_N_ELEMENTS (received); k++)
    if (g_str_has_prefix (to, received[k].scheme))
      return tl_cli_usage_error (
          error, "--to: %s is the address for a receiver; the sender takes %s",
          to, received[k].says);
  return TRUE;
}

/* Each way has options of its own. */
static gboolean
check_way (Requests *requests, GError **error)
{
  const struct
  {
    const char *option;
    gboolean is_given;
    TlPlayWay way;
    const char *needs;
  } own[] = {
    { "--no-swmr", requests->lacks_swmr, TL_PLAY_FILE, "a file" },
    { "--angle-name", requests->angle_name != NULL, TL_PLAY_FILE, "a file" },
    { "--in-place", requests->in_place, TL_PLAY_FOLDER, "a folder" },
    { "--request", requests->requests, TL_PLAY_PACKETS,
      "zmq+tomopackets://HOST:PORT" },
    { "--publish", requests->publishes, TL_PLAY_JSON, "zmq+json://HOST:PORT" },
  };
  g_autoptr (GError) failure = NULL;
  if (requests->to == NULL)
    return tl_cli_usage_error (
        error, "--to is missing: it names a file, a folder or an address");
  if (strstr (requests->to, "://") == NULL)
    strip_slashes (requests->to);
  if (!check_address (requests->to, error))
    return FALSE;
  if (!tl_play_find_way (requests->to, &requests->way, &failure))
    return tl_cli_usage_error (error, "--to: %s", failure->message);
  for (size_t k = 0; k < G_N_ELEMENTS (own); k++)
    if (own[k].is_given && requests->way != own[k].way)
      return tl_cli_usage_error (error, "%s is for --to with %s, not with %s",
                                 own[k].option, own[k].needs, requests->to);
  return TRUE;
}

static gboolean
check_requests (Requests *requests, GError **error)
{
  const char *name = requests->angle_name;
  if (!(requests->rate >= MIN_RATE && requests->rate <= MAX_RATE))
    return tl_cli_usage_error (error,
                               "--rate takes a number from %g to %.0f, not %g",
                               MIN_RATE, MAX_RATE, requests->rate);
  if (requests->seed < 0)
    return tl_cli_usage_error (
        error, "--seed takes a whole number of at least 0, not %d",
        requests->seed);
  if (requests->plan.fields_last && requests->plan.repeats_flats)
    return tl_cli_usage_error (error,
                               "--fields-last and --repeat-flats-after both "
                               "move the flats: one of them, not both");
  if (name != NULL
      && (*name == '\0' || strpbrk (name, "/.") != NULL
          || strcmp (name, "image_key") == 0
          || strcmp (name, "NDArrayUniqueId") == 0))
    return tl_cli_usage_error (error,
                               "--angle-name takes a name without \"/\" and "
                               "\".\" that no other attribute has, not \"%s\"",
                               name);
  requests->plan.seed = (guint32)requests->seed;
  return take_order (requests->order, &requests->plan.order, error)
         && check_way (requests, error);
}

/* Looks whether @to is @file, which is of the scan, or a folder that has it,
 * be it behind a link. */
static gboolean
check_outside (const char *file, const char *to, GError **error)
{
  g_autofree char *inside = tl_cli_dup_real_path (file);
  while (strlen (inside) > 1)
    {
      if (!tl_check_output (inside, to, error))
        return FALSE;
      char *parent = g_path_get_dirname (inside);
      g_free (inside);
      inside = parent;
    }
  return TRUE;
}

/* Not even --overwrite replaces the scan itself, a folder that has it, or its
 * flats and darks elsewhere. */
static gboolean
check_target (const Requests *requests, const TlScanInfo *info,
              const TlReaderOptions *options, GError **error)
{
  GStatBuf status;
  const char *to = requests->to;
  if (requests->way != TL_PLAY_FILE && requests->way != TL_PLAY_FOLDER)
    return TRUE;
  g_autoptr (GPtrArray) files = tl_play_list_files (info, options);
  for (guint k = 0; k < files->len; k++)
    if (!check_outside (files->pdata[k], to, error))
      return FALSE;
  if (!tl_cli_check_folder (to, error))
    return FALSE;
  if (requests->way == TL_PLAY_FILE)
    return tl_cli_check_new (to, requests->overwrite, error);
  return requests->overwrite || g_lstat (to, &status) != 0
         || tl_fail (error, TL_ERROR_FILE,
                     "%s: is there already; choose another name, or say "
                     "--overwrite to replace its images",
                     to);
}

/* @is_lost: (out) (transfer full) (nullable) */
static gboolean
choose_lost (const Requests *requests, size_t n_projections, gboolean **is_lost,
             GError **error)
{
  g_autoptr (GError) failure = NULL;
  if (requests->lose != NULL)
    *is_lost = tl_play_lose (requests->lose, n_projections, requests->plan.seed,
                             &failure);
  return failure == NULL
         || tl_cli_usage_error (error, "--lose: %s", failure->message);
}

/* --- the run --- */

static void
print_report (const char *path, const char *to, const TlPlayReport *report,
              TlJson *json)
{
  const size_t *n = report->n_sent;
  g_autofree char *projections =
      tl_cli_dup_count (n[TL_FRAMES_PROJECTIONS], "projection");
  if (json == NULL)
    printf ("%s: %s to %s in %.1f s, %.4g projections/s; flats: %zu, darks: "
            "%zu, lost: %zu\n",
            path, projections, to, report->seconds, report->rate,
            n[TL_FRAMES_FLATS], n[TL_FRAMES_DARKS], report->n_lost);
  tl_json_add (json,
               "path: %s, to: %s, projections: %zu, flats: %zu, darks: %zu, "
               "lost: %zu, seconds: %f, rate: %f",
               path, to, n[TL_FRAMES_PROJECTIONS], n[TL_FRAMES_FLATS],
               n[TL_FRAMES_DARKS], report->n_lost, report->seconds,
               report->rate);
  tl_json_print (json);
}

static gboolean
play (const Requests *requests, const char *path,
      const TlReaderOptions *options, TlReader *reader, TlJson *json,
      GCancellable *cancellable, GError **error)
{
  Announcement announcement = { .to = requests->to };
  TlPlayReport report;
  TlPlayJob job = {
    .to = requests->to,
    .plan = requests->plan,
    .rate = requests->rate,
    .replaces = requests->overwrite,
    .lacks_swmr = requests->lacks_swmr,
    .angle_name =
        requests->angle_name != NULL ? requests->angle_name : "rotation_angle",
    .in_place = requests->in_place,
    .requests = requests->requests,
    .publishes = requests->publishes,
    .progress = show_progress,
    .waits = show_wait,
    .data = &announcement,
  };
  g_autofree gboolean *is_lost = NULL;
  const TlScanInfo *info = tl_reader_get_info (reader);
  if (!choose_lost (requests, info->n_projections, &is_lost, error)
      || !check_target (requests, info, options, error))
    return FALSE;
  job.plan.is_lost = is_lost;
  const gboolean good = tl_play (reader, &job, cancellable, &report, error);
  end_line (&announcement);
  if (good)
    print_report (path, requests->to, &report, json);
  g_autofree char *frames = tl_cli_dup_count (report.n_steps, "frame");
  tl_cli_explain_cancel (error, "%s: interrupted after %zu of %s", requests->to,
                         report.n_done, frames);
  return good;
}

/* Returns: whether the key determines how the scan is read. Samples are sent as
 * they are, NaN too. */
static gboolean
is_of_reading (const TlParamSpec *key)
{
  return key->reopens && strcmp (key->key, "nan") != 0;
}

static void
add_options (Requests *requests, TlCliLine *line)
{
  const GOptionEntry own[] = {
    { "to", 0, 0, G_OPTION_ARG_FILENAME, &requests->to,
      "an HDF5 file as areaDetector writes it (.h5, .hdf5, .hdf, .nxs), a "
      "folder of TIFF images, or an address: zmq+tomopackets://HOST:PORT or "
      "tcp://HOST:PORT (TomoPackets; the receiver binds it), "
      "zmq+json://HOST:PORT (PSI std_daq; this program binds it)",
      "FILE|FOLDER|ADDRESS" },
    { "rate", 0, 0, G_OPTION_ARG_DOUBLE, &requests->rate,
      "projections per second, and as many darks and flats (10)", "N" },
    { "order", 0, 0, G_OPTION_ARG_STRING, &requests->order,
      "in which the projections are taken: sequential, interlaced, golden or "
      "random (sequential)",
      "NAME" },
    { "lose", 0, 0, G_OPTION_ARG_STRING, &requests->lose,
      "do not send these projections: \"5%\" at random, or numbers in the scan "
      "such as 0,17,20:29",
      "LIST" },
    { "seed", 0, 0, G_OPTION_ARG_INT, &requests->seed,
      "seed of the random order and of random losses", "N" },
    { "fields-last", 0, 0, G_OPTION_ARG_NONE, &requests->plan.fields_last,
      "darks and flats after the projections", NULL },
    { "repeat-flats-after", 0, 0, G_OPTION_ARG_NONE,
      &requests->plan.repeats_flats,
      "the flats once more after the projections", NULL },
    { "no-swmr", 0, 0, G_OPTION_ARG_NONE, &requests->lacks_swmr,
      "FILE: without SWMR (single writer, multiple readers)", NULL },
    { "angle-name", 0, 0, G_OPTION_ARG_STRING, &requests->angle_name,
      "FILE: name of the attribute with the angle (rotation_angle)", "NAME" },
    { "in-place", 0, 0, G_OPTION_ARG_NONE, &requests->in_place,
      "FOLDER: images grow slowly under their names, instead of appearing "
      "whole",
      NULL },
    { "request", 0, 0, G_OPTION_ARG_NONE, &requests->requests,
      "TomoPackets: REQ instead of PUSH, so that each packet is answered",
      NULL },
    { "publish", 0, 0, G_OPTION_ARG_NONE, &requests->publishes,
      "std_daq: PUB instead of PUSH, for any number of receivers", NULL },
    TL_CLI_OVERWRITE (&requests->overwrite),
    { 0 },
  };
  tl_cli_line_add_own (line, own);
}

gboolean
tl_cli_play (char **args, GCancellable *cancellable, GError **error)
{
  Requests requests = { .rate = 10 };
  g_auto (TlCliLine) line = { 0 };
  g_auto (GStrv) rest = g_strdupv (args);
  g_autofree char *path = NULL;
  tl_cli_line_init (&line, "FILE --to FILE|FOLDER|ADDRESS",
                    "Plays a scan as if it were being taken. FILE may be a "
                    "recipe that names it.",
                    NULL, NULL);
  add_options (&requests, &line);
  tl_cli_line_add_keys (&line, is_of_reading);
  if (!tl_cli_line_parse (&line, &rest, error)
      || !tl_cli_line_check_scan (&line, rest, error)
      || !check_requests (&requests, error))
    return FALSE;
  g_autoptr (TlRecipe) recipe =
      tl_cli_line_make_recipe (&line, rest[1], &path, error);
  if (recipe == NULL)
    return FALSE;
  g_autoptr (TlReader) reader =
      tl_cli_open_reader (path, recipe, cancellable, error);
  TlReaderOptions options;
  tl_recipe_reader_options (recipe, &options);
  return reader != NULL
         && play (&requests, path, &options, reader, line.json, cancellable,
                  error);
}
