#include "app/cli/cli-private.h"
#include "app/cli/scan-private.h"
#include "app/recon/summary.h"
#include "data/read/format/formats.h"
#include "data/stream/socket.h"

#include <stdio.h>

/* What scans over the network need. */
#define STREAMS "ZeroMQ"

/* An engine is usable if it opens. */
static void
add_engine (TlJson *json, const char *name)
{
  g_autoptr (GError) reason = NULL;
  g_autoptr (TlEngine) engine = tl_engine_open (name, &reason);
  tl_json_add (json, "{name: %s, usable: %d, %s: %s}", name, engine != NULL,
               engine != NULL ? "device" : "reason",
               engine != NULL ? tl_engine_get_device (engine)
                              : reason->message);
}

/* Adds one entry for each device; without a device, one entry that says why. */
static void
add_engines (TlJson *json, const char *name)
{
  g_auto (GStrv) devices = tl_engine_list_devices (name);
  for (char **device = devices; *device != NULL; device++)
    add_engine (json, *device);
  if (*devices == NULL)
    add_engine (json, name);
}

static void
print_machine (TlJson *json)
{
  TlFormatInfo format;
  const char *missing = tl_socket_get_missing ();
  if (json == NULL)
    {
      g_autofree char *text = tl_engine_describe_machine ();
      fputs (text, stdout);
      for (guint i = 0; tl_format_get_info (i, &format); i++)
        printf ("%s: %s%s\n", format.name,
                format.missing == NULL
                    ? "can be opened"
                    : "cannot be opened: this program was built without ",
                format.missing != NULL ? format.missing : "");
      printf ("%s: %s%s\n", STREAMS,
              missing == NULL ? "can be sent"
                              : "cannot be sent: this program was built "
                                "without ",
              missing != NULL ? missing : "");
      return;
    }
  tl_json_add (json, "version: %s, engines: [", TL_VERSION);
  add_engines (json, "cuda");
  add_engines (json, "host");
  tl_json_add (json, "], formats: [");
  for (guint i = 0; tl_format_get_info (i, &format); i++)
    tl_json_add (json, "{name: %s, usable: %d, missing: %s}", format.name,
                 format.missing == NULL, format.missing);
  tl_json_add (json, "], streams: [{name: %s, usable: %d, missing: %s}",
               STREAMS, missing == NULL, missing);
  tl_json_print (json);
}

static const char *
name_kind (TlFrameKind kind)
{
  static const char *const names[] = { "projections", "flats", "darks",
                                       "left out" };
  return names[kind];
}

static void
add_groups (TlJson *json, const GPtrArray *groups)
{
  tl_json_add (json, "groups: [");
  for (guint k = 0; k < groups->len; k++)
    {
      const TlImageGroup *group = groups->pdata[k];
      tl_json_add (json,
                   "{pattern: %s, kind: %s, files: %zu, images: %zu, rows: "
                   "%zu, columns: %zu, first: %s}",
                   group->pattern, name_kind (group->kind),
                   (size_t)group->paths->len, group->n_images, group->n_rows,
                   group->n_cols, (const char *)group->paths->pdata[0]);
    }
  tl_json_add (json, "]");
}

static void
print_groups (const GPtrArray *groups)
{
  for (guint k = 0; k < groups->len; k++)
    {
      const TlImageGroup *group = groups->pdata[k];
      printf ("images       %s: %zu ", group->pattern, group->n_images);
      if (group->n_rows > 0)
        printf ("of %zu x %zu", group->n_rows, group->n_cols);
      else if (group->is_unreadable)
        printf ("that cannot be read");
      printf (", %s\n", name_kind (group->kind));
    }
}

static void
add_odd (const TlScanSummary *scan, TlJson *json)
{
  static const char *const kinds[TL_N_ODD_KINDS] = {
    [TL_ODD_UNREADABLE] = "unreadable", [TL_ODD_EMPTY] = "empty",
    [TL_ODD_UNFINISHED] = "unfinished", [TL_ODD_LOST] = "lost_beam",
    [TL_ODD_DIM] = "weak_beam",         [TL_ODD_REPEATED] = "repeated_angle",
  };
  static const char *const states[TL_N_FIELD_STATES] = {
    [TL_FIELD_WITHOUT_BEAM] = "flats_without_beam",
    [TL_FIELD_COVERED] = "flats_covered",
    [TL_FIELD_WITH_BEAM] = "darks_with_beam",
    [TL_FIELD_DIM] = "flats_dim",
    [TL_FIELD_EMPTY_FLAT] = "flats_without_values",
    [TL_FIELD_EMPTY_DARK] = "darks_without_values",
  };
  static const char *const faults[TL_N_FIELD_FAULTS] = {
    [TL_FIELDS_EXCHANGED] = "exchanged",
    [TL_FIELDS_LIT_DARKS] = "all_darks_with_beam",
    [TL_FIELDS_UNLIT_FLATS] = "all_flats_without_beam",
    [TL_FIELDS_EMPTY_FLATS] = "all_flats_without_values",
  };
  tl_json_add (json, "odd: {checked: %zu, leave_out: %s",
               scan->survey.n_checked, scan->odd_frames);
  for (size_t k = 0; k < TL_N_ODD_KINDS; k++)
    if (scan->odd[k] != NULL)
      tl_json_add (json, "%s: %s", kinds[k], scan->odd[k]);
  for (size_t k = 0; k < TL_N_FIELD_STATES; k++)
    if (scan->odd_fields[k] != NULL)
      tl_json_add (json, "%s: %s", states[k], scan->odd_fields[k]);
  if (scan->survey.fault != TL_FIELDS_FINE)
    tl_json_add (json, "fields: %s", faults[scan->survey.fault]);
  tl_json_add (json, "}");
}

static void
print_json (const TlScanSummary *scan, TlJson *json)
{
  const double centre_col = ((double)scan->n_cols - 1) / 2;
  const TlSurveyReport *survey = &scan->survey;
  tl_json_add (
      json,
      "path: %s, format: %s, projections: %zu, rows: %zu, columns: %zu, type: "
      "%s, flats: %zu, flats_before: %zu, darks: %zu, attenuation: %d, angles: "
      "{first_deg: %f, last_deg: %f, in_order: %d, step_deg: %f, "
      "narrowest_step_deg: %f, widest_step_deg: %f, source: %s}",
      scan->path, scan->format, scan->n_projections, scan->n_rows, scan->n_cols,
      scan->sample_type, scan->n_flats, scan->n_flats_before, scan->n_darks,
      scan->is_attenuation, scan->first_angle_deg, scan->last_angle_deg,
      scan->steps.in_order, scan->steps.mean, scan->steps.narrowest,
      scan->steps.widest, scan->angles_source);
  if (scan->pixel_size_um > 0)
    tl_json_add (json, "pixel_size_um: %f", scan->pixel_size_um);
  tl_json_add (json,
               "middle: {centre: %f, boundary: %f}, bytes: {raw: %f, slice: "
               "%f, volume: %f, machine: %f}",
               centre_col, tl_centre_to_boundary (centre_col), scan->sizes.raw,
               scan->sizes.slice, scan->sizes.volume, scan->sizes.machine);
  if (scan->is_surveyed)
    tl_json_add (
        json,
        "looked_at: {projections: %zu, flats: %zu, rows: %zu, saturated: %zu, "
        "saturated_flats: %zu, dead_columns: %zu, dead_pixels: %zu, "
        "zingers: %zu}",
        survey->projections.n_frames, survey->flats.n_frames, survey->n_rows,
        survey->projections.n_saturated, survey->flats.n_saturated,
        survey->n_dead_columns, survey->n_dead_pixels, survey->n_spots);
  if (scan->is_surveyed)
    add_odd (scan, json);
  if (scan->groups != NULL)
    add_groups (json, scan->groups);
  g_auto (GStrv) notes = tl_notes_list (scan->notes);
  tl_json_add_strings (json, "notes", (const char *const *)notes);
  tl_json_print (json);
}

/* Returns: how samples are treated that the flat field cannot normalise */
static const char *
describe_samples (const TlScanSummary *scan)
{
  if (!scan->is_attenuation)
    return "";
  return scan->are_counts || scan->are_like_counts
             ? ", counts without flat fields (used as they are, without -log)"
             : ", attenuation (-log already taken)";
}

static void
print_sizes (const TlScanSizes *sizes)
{
  g_autofree char *raw = g_format_size ((guint64)sizes->raw);
  g_autofree char *slice = g_format_size ((guint64)sizes->slice);
  g_autofree char *volume = g_format_size ((guint64)sizes->volume);
  g_autofree char *machine = g_format_size ((guint64)sizes->machine);
  printf ("memory       %s raw, about %s for one slice, %s for all slices as "
          "32-bit floats; this machine has %s\n",
          raw, slice, volume, machine);
}

static void
print_survey (const TlScanSummary *scan)
{
  const TlSurveyReport *survey = &scan->survey;
  g_autofree char *projections =
      tl_cli_dup_count (scan->n_projections, "projection");
  g_autofree char *rows = tl_cli_dup_count (scan->n_rows, "row");
  if (scan->is_surveyed)
    printf ("looked at    %zu of %s, %zu of %s%s\n",
            survey->projections.n_frames, projections, survey->n_rows, rows,
            tl_scan_summary_is_fine (scan)
                ? ": nothing saturated, no dead pixels"
                : "");
  if (scan->is_surveyed)
    printf ("checked      %zu of %s for missing ones and the beam%s\n",
            survey->n_checked, projections,
            *scan->odd_frames == '\0' ? ": none is odd" : "");
}

static void
print_words (const TlScanSummary *scan)
{
  const double centre_col = ((double)scan->n_cols - 1) / 2;
  g_autofree char *angles = tl_scan_summary_dup_angles (scan);
  printf ("%s\n", scan->path);
  printf ("format       %s\n", scan->format);
  printf ("projections  %zu of %zu row%s x %zu column%s, %s%s\n",
          scan->n_projections, scan->n_rows, scan->n_rows == 1 ? "" : "s",
          scan->n_cols, scan->n_cols == 1 ? "" : "s", scan->sample_type,
          describe_samples (scan));
  printf ("angles       %s (%s)\n", angles, scan->angles_source);
  if (scan->n_flats_before > 0 && scan->n_flats_before < scan->n_flats)
    printf ("flats        %zu (%zu before, %zu after)\n", scan->n_flats,
            scan->n_flats_before, scan->n_flats - scan->n_flats_before);
  else
    printf ("flats        %zu\n", scan->n_flats);
  printf ("darks        %zu\n", scan->n_darks);
  if (scan->groups != NULL)
    print_groups (scan->groups);
  if (scan->pixel_size_um > 0)
    printf ("pixel size   %g µm\n", scan->pixel_size_um);
  print_sizes (&scan->sizes);
  printf ("middle       centre %.1f (boundary %.1f)\n", centre_col,
          tl_centre_to_boundary (centre_col));
  print_survey (scan);
  g_auto (GStrv) notes = tl_notes_list (scan->notes);
  for (char **note = notes; *note != NULL; note++)
    printf ("note         %s\n", *note);
}

static gboolean
survey (TlReader *reader, TlScanSummary *scan, GCancellable *cancellable,
        GError **error)
{
  g_autoptr (TlSurvey) survey = tl_survey_new (reader);
  g_autoptr (GError) reason = NULL;
  for (gboolean is_done = FALSE; !is_done && reason == NULL;)
    if (g_cancellable_set_error_if_cancelled (cancellable, error))
      return FALSE;
    else
      tl_survey_step (survey, &is_done, &reason);
  tl_scan_summary_take_survey (
      scan, reason == NULL ? tl_survey_get_report (survey) : NULL, reason);
  return TRUE;
}

/* Returns: whether the key determines how the scan is read */
static gboolean
reopens (const TlParamSpec *key)
{
  return key->reopens;
}

gboolean
tl_cli_info (char **args, GCancellable *cancellable, GError **error)
{
  gboolean machine = FALSE;
  const GOptionEntry own[] = {
    { "machine", 0, 0, G_OPTION_ARG_NONE, &machine,
      "print which engines work here, and why", NULL },
    { 0 },
  };
  g_auto (TlCliLine) line = { 0 };
  g_auto (GStrv) rest = g_strdupv (args);
  tl_cli_line_init (&line, "FILE",
                    "Describes a scan. FILE may be a recipe that names it.",
                    NULL, NULL);
  tl_cli_line_add_own (&line, own);
  tl_cli_line_add_keys (&line, reopens);
  if (!tl_cli_line_parse (&line, &rest, error)
      || !(machine ? tl_cli_check_files (rest, 0, 0, error)
                   : tl_cli_line_check_scan (&line, rest, error)))
    return FALSE;
  if (machine)
    {
      print_machine (line.json);
      return TRUE;
    }
  g_autofree char *path = NULL;
  g_autoptr (TlRecipe) recipe =
      tl_cli_line_make_recipe (&line, rest[1], &path, error);
  if (recipe == NULL)
    return FALSE;
  g_autoptr (TlReader) reader =
      tl_cli_open_reader (path, recipe, cancellable, error);
  if (reader == NULL)
    return FALSE;
  g_autoptr (TlScanSummary) scan =
      tl_scan_summary_new (tl_reader_get_info (reader));
  if (!survey (reader, scan, cancellable, error))
    {
      tl_cli_explain_cancel (error, "%s: interrupted", path);
      return FALSE;
    }
  if (line.json != NULL)
    print_json (scan, line.json);
  else
    print_words (scan);
  return TRUE;
}
