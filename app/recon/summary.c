#include "app/recon/summary.h"

#include "app/recon/identity.h"
#include "data/array.h"
#include "data/read/scan/frame-ranges.h"

#include <glib/gi18n.h>

/* Ranges of columns that a note lists before it ends with "…". */
enum
{
  MAX_RANGES = 6
};

/* Of the beam, exp (-20) is 2e-9: no detector measures so little. */
#define MAX_ATTENUATION 20

/* Steps that differ by less, as a part of their mean, are one step. */
#define SAME_STEP 0.02

/* Returns: bytes for one slice: the raw sinogram, the corrected one (float),
 * the filtered one (float, padded to twice the length), and the picture */
static double
slice_bytes (const TlScanInfo *info)
{
  const double sinogram = (double)info->n_projections * (double)info->n_cols;
  return sinogram * ((double)tl_sample_size (info->type) + 3.0 * sizeof (float))
         + (double)info->n_cols * (double)info->n_cols * sizeof (float);
}

static TlScanSizes
measure (const TlScanInfo *info)
{
  const double n_pixels = (double)info->n_rows * (double)info->n_cols;
  const double n_frames =
      (double)(info->n_projections + info->n_flats + info->n_darks);
  return (TlScanSizes){
    .raw = n_frames * n_pixels * (double)tl_sample_size (info->type),
    .slice = slice_bytes (info),
    .volume = n_pixels * (double)info->n_cols * sizeof (float),
    .machine = (double)tl_get_machine_bytes (),
  };
}

static void
add_note (TlScanSummary *summary, const char *text)
{
  g_ptr_array_add (summary->notes, tl_note_new (text, FALSE, NULL, NULL));
}

static TlAngleSteps
measure_steps (const TlScanInfo *info)
{
  const size_t n = info->n_projections;
  const double *taken = info->angles_deg;
  g_autofree double *sorted = g_memdup2 (taken, n * sizeof *taken);
  const double sign = taken[n - 1] < taken[0] ? -1 : 1;
  TlAngleSteps steps = { .in_order = TRUE };
  tl_sort_doubles (sorted, n);
  steps.lowest = sorted[0];
  steps.highest = sorted[n - 1];
  for (size_t p = 1; p < n; p++)
    {
      const double step = sorted[p] - sorted[p - 1];
      steps.narrowest = p == 1 ? step : MIN (step, steps.narrowest);
      steps.widest = MAX (step, steps.widest);
      steps.in_order = steps.in_order && sign * (taken[p] - taken[p - 1]) >= 0;
    }
  steps.mean = n > 1 ? (steps.highest - steps.lowest) / (double)(n - 1) : 0;
  return steps;
}

char *
tl_scan_summary_dup_range (const TlScanSummary *summary)
{
  const TlAngleSteps *steps = &summary->steps;
  return steps->in_order
             /* translators: first and last angle */
             ? g_strdup_printf (_ ("%.6g° to %.6g°"), summary->first_angle_deg,
                                summary->last_angle_deg)
             /* translators: least and greatest angle */
             : g_strdup_printf (_ ("%.6g° to %.6g° in no order"), steps->lowest,
                                steps->highest);
}

char *
tl_scan_summary_dup_angles (const TlScanSummary *summary)
{
  const TlAngleSteps *steps = &summary->steps;
  g_autofree char *range = tl_scan_summary_dup_range (summary);
  g_autofree char *step =
      steps->widest - steps->narrowest <= SAME_STEP * steps->mean
          ? g_strdup_printf (_ ("step %.4g°"), steps->mean)
          /* translators: narrowest and widest step between two angles */
          : g_strdup_printf (_ ("steps of %.4g° to %.4g°"), steps->narrowest,
                             steps->widest);
  return g_strdup_printf ("%s, %s", range, step);
}

char *
tl_scan_summary_dup_example (const TlScanSummary *summary)
{
  return summary->has_ends ? g_strdup_printf ("%.6g:%.6g", summary->ends_deg[0],
                                              summary->ends_deg[1])
                           : tl_scan_summary_dup_range (summary);
}

/* A projection that is left out may have any angle, also none. */
static void
find_ends (const TlScanInfo *info, TlScanSummary *summary)
{
  const double first = info->ends_deg[0], last = info->ends_deg[1];
  const double sign = last < first ? -1 : 1;
  const double used[] = { summary->first_angle_deg, summary->last_angle_deg };
  /* no comparison holds for NaN */
  summary->has_ends = summary->steps.in_order && sign * (used[0] - first) >= 0
                      && sign * (last - used[1]) >= 0;
  summary->angles_are_spread = info->angles_are_spread;
  summary->ends_deg[0] = summary->has_ends ? first : used[0];
  summary->ends_deg[1] = summary->has_ends ? last : used[1];
}

TlScanSummary *
tl_scan_summary_new (const TlScanInfo *info)
{
  TlScanSummary *summary = g_new (TlScanSummary, 1);
  *summary = (TlScanSummary){
    .path = g_strdup (info->path),
    .format = g_strdup (info->format),
    .sample_type = g_strdup (tl_sample_name (info->type)),
    .type = info->type,
    .angles_source = g_strdup (info->angles_source),
    .n_projections = info->n_projections,
    .frames =
        g_memdup2 (info->frames, info->n_projections * sizeof *info->frames),
    .angles_deg = g_memdup2 (info->angles_deg,
                             info->n_projections * sizeof *info->angles_deg),
    .n_rows = info->n_rows,
    .n_cols = info->n_cols,
    .n_flats = info->n_flats,
    .n_flats_before = info->n_flats_before,
    .n_darks = info->n_darks,
    .n_scans = info->n_scans,
    .first_angle_deg = info->angles_deg[0],
    .last_angle_deg = info->angles_deg[info->n_projections - 1],
    .steps = measure_steps (info),
    .pixel_size_um = info->pixel_size_um,
    .covers_turn = info->covers_turn,
    .is_attenuation = info->is_attenuation,
    .are_counts = info->are_counts,
    .is_of_series = info->is_of_series,
    .is_growing = info->weights != NULL,
    .has_writer = info->writer == TL_WRITER_PRESENT,
    .changed_us = tl_scan_get_change_us (info),
    .sizes = measure (info),
    .decoding = info->decoding,
    .notes = tl_notes_new (),
    .odd_frames = g_strdup (""),
    .groups = info->groups != NULL ? g_ptr_array_ref (info->groups) : NULL,
    .has_paths = info->has_paths,
  };
  find_ends (info, summary);
  tl_notes_copy (info->notes, summary->notes);
  if (summary->sizes.slice > summary->sizes.machine)
    add_note (summary, _ ("one slice takes more memory than this machine has"));
  return summary;
}

void
tl_scan_summary_free (TlScanSummary *summary)
{
  if (summary == NULL)
    return;
  g_free (summary->path);
  g_free (summary->format);
  g_free (summary->sample_type);
  g_free (summary->angles_source);
  g_free (summary->frames);
  g_free (summary->angles_deg);
  g_ptr_array_unref (summary->notes);
  for (size_t k = 0; k < TL_N_ODD_KINDS; k++)
    g_free (summary->odd[k]);
  g_free (summary->odd_frames);
  for (size_t k = 0; k < TL_N_FIELD_STATES; k++)
    g_free (summary->odd_fields[k]);
  g_clear_pointer (&summary->groups, g_ptr_array_unref);
  g_free (summary);
}

/* "3, 17 to 20 …" */
static void
append_ranges (GString *text, const size_t *columns, size_t n)
{
  guint n_ranges = 0;
  for (size_t i = 0; i < n;)
    {
      size_t last = i;
      while (last + 1 < n && columns[last + 1] == columns[last] + 1)
        last++;
      if (n_ranges++ == MAX_RANGES)
        {
          g_string_append (text, " …");
          return;
        }
      g_string_append_printf (text, "%s%zu", i > 0 ? ", " : "", columns[i]);
      if (last > i)
        g_string_append_printf (text, _ (" to %zu"), columns[last]);
      i = last + 1;
    }
}

/* @frames: "projections"; @frame: "projection" */
static void
note_saturation (TlScanSummary *summary, const TlSaturation *found,
                 size_t n_all, const char *frames, const char *frame)
{
  if (found->n_saturated == 0)
    return;
  const double part = (double)found->n_saturated / (double)found->n_samples;
  g_autofree char *end =
      found->is_type_max
          ? g_strdup_printf (_ ("the largest %s"), summary->sample_type)
          : g_strdup (_ ("where the values end abruptly"));
  g_autofree char *note = g_strdup_printf (
      g_dngettext (NULL,
                   "saturated: %zu sample (%.3g %%) in %zu of %zu %s is %.10g, "
                   "%s; the first in %s %zu, row %zu, column %zu",
                   "saturated: %zu samples (%.3g %%) in %zu of %zu %s are "
                   "%.10g, %s; the first in %s %zu, row %zu, column %zu",
                   found->n_saturated),
      found->n_saturated, 100 * part, found->n_frames, n_all, frames,
      found->value, end, frame, found->frame, found->row, found->col);
  add_note (summary, note);
}

static void
note_dead (TlScanSummary *summary, const TlSurveyReport *report)
{
  const char *why = _ ("the flat field is not above the dark field there, or "
                       "all projections are the same");
  g_autoptr (GString) text = g_string_new (NULL);
  if (report->n_dead_columns > 0)
    {
      g_string_printf (text, _ ("dead columns: %zu of %zu, "),
                       report->n_dead_columns, summary->n_cols);
      append_ranges (text, report->columns, report->n_dead_columns);
      g_string_append_printf (text, "; %s", why);
      add_note (summary, text->str);
    }
  if (report->n_dead_pixels > 0)
    {
      const gboolean is_one = report->n_dead_pixels == 1;
      g_string_printf (
          text,
          is_one ? _ ("dead pixel: %zu of %zu looked at, in row %zu, "
                      "column %zu")
                 : _ ("dead pixels: %zu of %zu looked at, the first in "
                      "row %zu, column %zu"),
          report->n_dead_pixels, report->n_rows * summary->n_cols, report->row,
          report->col);
      if (report->n_dead_columns == 0)
        g_string_append_printf (text, "; %s", why);
      add_note (summary, text->str);
    }
}

static void
note_spots (TlScanSummary *summary, const TlSurveyReport *report)
{
  if (report->n_spots == 0)
    return;
  g_autofree char *note = g_strdup_printf (
      g_dngettext (NULL,
                   "zingers: %zu value in the %zu pixels of flat and dark "
                   "fields looked at, left out of the means",
                   "zingers: %zu values in the %zu pixels of flat and dark "
                   "fields looked at, left out of the means",
                   report->n_spots),
      report->n_spots, report->n_field_pixels);
  add_note (summary, note);
}

/* Returns: (transfer full): how to leave the projections of @kind out, and in
 * the last sentence those of all kinds that do harm
 * @all: [TL_N_ODD_KINDS] */
static char *
propose (const TlOddFrames *all, TlOddKind kind)
{
  g_autofree char *joined = g_strdup ("");
  TlOddKind last = kind;
  for (size_t k = 0; k < TL_ODD_REPEATED; k++)
    if (all[k].n_frames > 0)
      {
        g_autofree char *others = joined;
        joined = tl_frame_ranges_join (others, all[k].frames);
        last = k;
      }
  return kind != last || *joined == '\0'
                 || strcmp (joined, all[kind].frames) == 0
             ? g_strdup_printf (_ ("--leave-out %s leaves them out"),
                                all[kind].frames)
             : g_strdup_printf (
                 _ ("--leave-out %s leaves them out, and "
                    "--leave-out %s leaves out all that are odd"),
                 all[kind].frames, joined);
}

/* A sentence about odd projections of one kind. @all: [TL_N_ODD_KINDS] */
static void
note_kind (GPtrArray *notes, TlOddKind kind, const TlOddFrames *all,
           size_t n_projections)
{
  const TlOddFrames *odd = &all[kind];
  static const char *const sentences[TL_N_ODD_KINDS] = {
    [TL_ODD_UNREADABLE] = N_ ("projections that cannot be read (%zu of %zu)"),
    [TL_ODD_EMPTY] = N_ ("empty projections (%zu of %zu): one value "
                         "everywhere, as if never written"),
    [TL_ODD_UNFINISHED] =
        N_ ("unfinished projections (%zu of %zu): one value in the whole lower "
            "part, as if not written to the end"),
    [TL_ODD_LOST] = N_ ("projections without a beam (%zu of %zu): hardly "
                        "brighter than the dark fields"),
    [TL_ODD_DIM] = N_ ("projections with a weak beam (%zu of %zu): at once "
                       "darker than their neighbours by more than 10 %%"),
    [TL_ODD_REPEATED] =
        N_ ("projections at the angle of an earlier one (%zu of %zu), as if "
            "the stage had stood still or gone back"),
  };
  g_autofree char *what =
      g_strdup_printf (_ (sentences[kind]), odd->n_frames, n_projections);
  g_autofree char *which = odd->files == NULL
                               ? g_strdup (what)
                               : g_strdup_printf ("%s: %s", what, odd->files);
  g_autofree char *text =
      odd->reason == NULL
          ? g_strdup (which)
          : g_strdup_printf (_ ("%s; the first: %s"), which, odd->reason);
  g_autofree char *on_line = propose (all, kind);
  g_autofree char *in_window = g_strdup_printf (
      _ ("press the button below, or type %s into “Leave out”"), odd->frames);
  g_ptr_array_add (notes, tl_note_new (text, TRUE, on_line, in_window));
}

/* Which fields a sentence is about, as bits. */
enum
{
  FLATS = 1,
  DARKS = 2
};

/* How the images of a scan are named. */
typedef struct
{
  gboolean has_paths; /* as of TlScanInfo */
  gboolean is_folder;
} Naming;

/* Adds a sentence about fields, and how to choose others. */
static void
ask_for_fields (GPtrArray *notes, const char *text, guint fields,
                const Naming *naming)
{
  static const char *const choices[][2] = {
    [FLATS] = { N_ ("--flats chooses others"),
                N_ ("--flats-path chooses others") },
    [DARKS] = { N_ ("--darks chooses others"),
                N_ ("--darks-path chooses others") },
    [FLATS | DARKS] = { N_ ("--flats and --darks choose others"),
                        N_ ("--flats-path and --darks-path choose others") },
  };
  g_ptr_array_add (
      notes, tl_note_new (text, TRUE, _ (choices[fields][naming->has_paths]),
                          naming->is_folder ? _ (
                              "choose others in “Files of the Scan” (Ctrl+G)")
                                            : NULL));
}

/* Floats without flats count as attenuation, but may be counts.
 * @usual: as of tl_frame_check_get_usual()
 *
 * Returns: whether they are like counts; a sentence says so */
static gboolean
note_like_counts (GPtrArray *notes, gboolean is_attenuation, double usual,
                  const Naming *naming)
{
  if (!is_attenuation || usual <= MAX_ATTENUATION)
    return FALSE;
  g_autofree char *text = g_strdup_printf (
      _ ("the values, about %.4g, are too large for attenuation: they look "
         "like counts, which need flat fields"),
      usual);
  g_ptr_array_add (
      notes,
      tl_note_new (text, TRUE,
                   naming->has_paths ? _ ("--flats-path names the flat fields")
                                     : _ ("--flats names the flat fields"),
                   naming->is_folder ? _ (
                       "choose the flat fields in “Files of the Scan” (Ctrl+G)")
                                     : NULL));
  return TRUE;
}

/* Adds a sentence about the flats or darks of each state.
 * @fields: [TL_N_FIELD_STATES] */
static void
note_odd_fields (GPtrArray *notes, const TlOddFrames *fields, size_t n_flats,
                 size_t n_darks, const Naming *naming)
{
  static const char *const sentences[TL_N_FIELD_STATES] = {
    [TL_FIELD_WITHOUT_BEAM] =
        N_ ("flat fields without a beam (%zu of %zu, counted from 0) are left "
            "out of the mean, because they are hardly brighter than dark "
            "fields: %s"),
    [TL_FIELD_COVERED] =
        N_ ("flat fields with something in the beam that the others do not "
            "have (%zu of %zu, counted from 0) are left out of the mean: %s"),
    [TL_FIELD_WITH_BEAM] =
        N_ ("dark fields with a beam (%zu of %zu, counted from 0) are left out "
            "of the mean, because they are more like flat fields: %s"),
    [TL_FIELD_DIM] = N_ ("flat fields less than half as bright as others (%zu "
                         "of %zu, counted from 0) count in the mean: %s"),
    [TL_FIELD_EMPTY_FLAT] =
        N_ ("flat fields without values (%zu of %zu, counted from 0) are left "
            "out of the mean, because no number is in them: %s"),
    [TL_FIELD_EMPTY_DARK] =
        N_ ("dark fields without values (%zu of %zu, counted from 0) are left "
            "out of the mean, because no number is in them: %s"),
  };
  for (size_t k = TL_FIELD_GOOD + 1; k < TL_N_FIELD_STATES; k++)
    {
      const TlOddFrames *odd = &fields[k];
      const gboolean is_dark =
          k == TL_FIELD_WITH_BEAM || k == TL_FIELD_EMPTY_DARK;
      if (odd->n_frames == 0)
        continue;
      g_autofree char *text = g_strdup_printf (
          _ (sentences[k]), odd->n_frames, is_dark ? n_darks : n_flats,
          odd->files != NULL ? odd->files : odd->frames);
      ask_for_fields (notes, text, is_dark ? DARKS : FLATS, naming);
    }
}

/* Adds a sentence about all flats or darks. */
static void
note_fault (GPtrArray *notes, TlFieldFault fault, const Naming *naming)
{
  static const struct
  {
    const char *text;
    guint fields;
  } faults[TL_N_FIELD_FAULTS] = {
    [TL_FIELDS_EXCHANGED] = { N_ ("flat and dark fields look exchanged: the "
                                  "dark fields are "
                                  "brighter than the flat fields, and the "
                                  "projections are too"),
                              FLATS | DARKS },
    [TL_FIELDS_LIT_DARKS] = { N_ ("all dark fields look as if taken with a "
                                  "beam, because much of "
                                  "the projections is darker than they are"),
                              DARKS },
    [TL_FIELDS_UNLIT_FLATS] = { N_ ("all flat fields look as if taken without "
                                    "a beam, because the "
                                    "projections have more than ten times as "
                                    "much light"),
                                FLATS },
    [TL_FIELDS_EMPTY_FLATS] = { N_ ("all flat fields are empty: none of "
                                    "their samples is a number"),
                                FLATS },
  };
  if (fault != TL_FIELDS_FINE)
    ask_for_fields (notes, _ (faults[fault].text), faults[fault].fields,
                    naming);
}

static void
note_odd (TlScanSummary *summary, const TlSurveyReport *report)
{
  const Naming naming = { summary->has_paths, summary->groups != NULL };
  for (size_t k = 0; k < TL_N_ODD_KINDS; k++)
    {
      const TlOddFrames *odd = &report->odd[k];
      if (odd->n_frames == 0)
        continue;
      g_autofree char *others = summary->odd_frames;
      summary->odd_frames = tl_frame_ranges_join (others, odd->frames);
      summary->odd[k] = g_strdup (odd->frames);
      note_kind (summary->notes, k, report->odd, summary->n_projections);
    }
  for (size_t k = 0; k < TL_N_FIELD_STATES; k++)
    summary->odd_fields[k] = g_strdup (report->odd_fields[k].frames);
  note_fault (summary->notes, report->fault, &naming);
  note_odd_fields (summary->notes, report->odd_fields, summary->n_flats,
                   summary->n_darks, &naming);
}

GPtrArray *
tl_scan_check_frames (TlReader *reader, guint64 bytes,
                      GCancellable *cancellable)
{
  static const TlOddKind kinds[] = { TL_ODD_EMPTY, TL_ODD_UNFINISHED,
                                     TL_ODD_LOST, TL_ODD_DIM };
  g_return_val_if_fail (reader != NULL, NULL);
  const TlScanInfo *info = tl_reader_get_info (reader);
  const Naming naming = { info->has_paths, info->groups != NULL };
  g_autoptr (TlFrameCheck) check = tl_frame_check_new (reader, bytes);
  GPtrArray *notes = tl_notes_new ();
  for (gboolean is_done = FALSE; !is_done;)
    if (g_cancellable_is_cancelled (cancellable)
        || !tl_frame_check_step (check, &is_done, NULL))
      return notes;
  const TlOddFrames *odd = tl_frame_check_get (check);
  for (size_t k = 0; k < G_N_ELEMENTS (kinds); k++)
    if (odd[kinds[k]].n_frames > 0)
      note_kind (notes, kinds[k], odd, info->n_projections);
  note_like_counts (notes, info->is_attenuation && !info->are_counts,
                    tl_frame_check_get_usual (check), &naming);
  note_fault (notes, tl_frame_check_get_fault (check), &naming);
  note_odd_fields (notes, tl_frame_check_get_fields (check), info->n_flats,
                   info->n_darks, &naming);
  return notes;
}

static void
take_report (TlScanSummary *summary, const TlSurveyReport *report)
{
  const Naming naming = { summary->has_paths, summary->groups != NULL };
  summary->is_surveyed = TRUE;
  summary->survey = *report;
  summary->survey.columns = NULL;
  summary->survey.odd = summary->survey.odd_fields = NULL;
  note_saturation (summary, &report->projections, summary->n_projections,
                   _ ("projections"), _ ("projection"));
  note_saturation (summary, &report->flats, summary->n_flats, _ ("flat fields"),
                   _ ("flat field"));
  if (report->fault == TL_FIELDS_FINE)
    {
      note_dead (summary, report);
      note_spots (summary, report);
    }
  summary->are_like_counts = note_like_counts (
      summary->notes, summary->is_attenuation && !summary->are_counts,
      report->usual, &naming);
  note_odd (summary, report);
}

void
tl_scan_summary_take_survey (TlScanSummary *summary,
                             const TlSurveyReport *report, const GError *reason)
{
  g_return_if_fail (summary != NULL && !summary->is_surveyed);
  if (report != NULL)
    {
      take_report (summary, report);
      return;
    }
  g_autofree char *note =
      g_strdup_printf (_ ("not all of it can be read: %s"), reason->message);
  add_note (summary, note);
}

gboolean
tl_scan_summary_is_fine (const TlScanSummary *summary)
{
  const TlSurveyReport *survey = &summary->survey;
  for (size_t k = 0; k < TL_N_FIELD_STATES; k++)
    if (summary->odd_fields[k] != NULL)
      return FALSE;
  return summary->is_surveyed && survey->fault == TL_FIELDS_FINE
         && survey->projections.n_saturated == 0
         && survey->flats.n_saturated == 0 && survey->n_dead_columns == 0
         && survey->n_dead_pixels == 0 && *summary->odd_frames == '\0';
}
