#include "data/read/scan/draft.h"

#include <glib/gi18n.h>
#include <string.h>

const char *
tl_frame_kind_get_name (TlFrameKind kind)
{
  static const char *const names[TL_N_FRAME_KINDS] = { N_ ("projections"),
                                                       N_ ("flats"),
                                                       N_ ("darks") };
  g_return_val_if_fail (kind < TL_N_FRAME_KINDS, "");
  return _ (names[kind]);
}

char *
tl_path_dup_name (const char *path)
{
  g_autofree char *base = g_path_get_basename (path);
  return g_filename_display_name (base);
}

void
tl_scan_draft_init (TlScanDraft *draft)
{
  *draft = (TlScanDraft){ .notes = tl_notes_new () };
}

void
tl_scan_draft_clear (TlScanDraft *draft)
{
  g_clear_pointer (&draft->angles_deg, g_free);
  g_clear_pointer (&draft->weights, g_free);
  g_clear_pointer (&draft->turn_weights, g_free);
  g_clear_pointer (&draft->unreadable, g_array_unref);
  g_clear_pointer (&draft->lost_ids, g_array_unref);
  g_clear_pointer (&draft->why_unreadable, g_free);
  g_clear_pointer (&draft->angles_source, g_free);
  g_clear_pointer (&draft->angle_places, g_free);
  g_clear_pointer (&draft->files, g_ptr_array_unref);
  g_clear_pointer (&draft->steps, g_free);
  g_clear_pointer (&draft->used_numbers, g_free);
  g_clear_pointer (&draft->notes, g_ptr_array_unref);
  g_clear_pointer (&draft->groups, g_ptr_array_unref);
  g_clear_pointer (&draft->within, g_free);
}

void
tl_scan_draft_note (TlScanDraft *draft, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  g_ptr_array_add (draft->notes, tl_note_new (text, FALSE, NULL, NULL));
}

void
tl_scan_draft_ask (TlScanDraft *draft, const char *on_line,
                   const char *in_window, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  g_ptr_array_add (draft->notes, tl_note_new (text, TRUE, on_line, in_window));
}

double
tl_length_get_um (const char *units)
{
  static const struct
  {
    const char *name;
    double um;
  } lengths[] = {
    { "m", 1e6 },        { "metre", 1e6 },      { "meter", 1e6 },
    { "metres", 1e6 },   { "meters", 1e6 },     { "cm", 1e4 },
    { "mm", 1e3 },       { "millimetre", 1e3 }, { "millimeter", 1e3 },
    { "um", 1 },         { "\302\265m", 1 },    { "\316\274m", 1 },
    { "micron", 1 },     { "microns", 1 },      { "micrometre", 1 },
    { "micrometer", 1 }, { "nm", 1e-3 },        { "nanometer", 1e-3 },
  };
  for (size_t i = 0; i < G_N_ELEMENTS (lengths); i++)
    if (strcmp (units, lengths[i].name) == 0)
      return lengths[i].um;
  return 0;
}
