#include "ui/panel/scan-text.h"

#include <glib/gi18n.h>

static void
append_counts (GString *text, const TlScanSummary *scan)
{
  g_string_append_printf (
      text, _ ("%s, %s\n%zu projections of %zu × %zu pixels\n"), scan->format,
      scan->sample_type, scan->n_projections, scan->n_cols, scan->n_rows);
  if (scan->is_attenuation)
    g_string_append (text, _ ("no flat fields\n"));
  else
    g_string_append_printf (text, _ ("%zu flat and %zu dark fields\n"),
                            scan->n_flats, scan->n_darks);
}

static void
append_sizes (GString *text, const TlScanSummary *scan)
{
  g_autofree char *raw = g_format_size ((guint64)scan->sizes.raw);
  g_autofree char *slice = g_format_size ((guint64)scan->sizes.slice);
  g_autofree char *volume = g_format_size ((guint64)scan->sizes.volume);

  /* translators: bytes of the scan, of the work on a slice, of an export */
  g_string_append_printf (text,
                          _ ("\nraw %s, memory for a slice %s, all slices %s"),
                          raw, slice, volume);
}

/* What is odd about it is in the notes. */
static void
append_survey (GString *text, const TlScanSummary *scan)
{
  const TlSurveyReport *survey = &scan->survey;

  if (!scan->is_surveyed)
    return;
  g_string_append_printf (
      text,
      tl_scan_summary_is_fine (scan)
          ? _ ("\nchecked %zu of %zu projections, %zu of %zu rows: nothing "
               "saturated, no dead pixels")
          : _ ("\nchecked %zu of %zu projections, %zu of %zu rows"),
      survey->projections.n_frames, scan->n_projections, survey->n_rows,
      scan->n_rows);
}

char *
tl_scan_text_new (const TlScanSummary *scan)
{
  g_autoptr (GString) text = g_string_new (NULL);

  append_counts (text, scan);
  /* translators: first and last angle, angular step */
  g_string_append_printf (text, _ ("%.4g° to %.4g°, step %.4g°"),
                          scan->first_angle_deg, scan->last_angle_deg,
                          scan->step_deg);
  if (scan->pixel_size_um > 0)
    g_string_append_printf (text, _ ("\npixel size %.4g µm"),
                            scan->pixel_size_um);
  append_sizes (text, scan);
  append_survey (text, scan);
  return g_string_free (g_steal_pointer (&text), FALSE);
}
