#include "data/read/draft-private.h"

#include <glib/gi18n.h>
#include <string.h>

char *
tl_path_dup_name (const char *path)
{
  g_autofree char *base = g_path_get_basename (path);
  return g_filename_display_name (base);
}

void
tl_scan_draft_init (TlScanDraft *draft)
{
  *draft = (TlScanDraft){ .notes = g_ptr_array_new_with_free_func (g_free) };
}

void
tl_scan_draft_clear (TlScanDraft *draft)
{
  g_clear_pointer (&draft->angles_deg, g_free);
  g_clear_pointer (&draft->angles_source, g_free);
  g_clear_pointer (&draft->notes, g_ptr_array_unref);
  g_clear_pointer (&draft->within, g_free);
}

void
tl_scan_draft_note (TlScanDraft *draft, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_ptr_array_add (draft->notes, g_strdup_vprintf (format, args));
  va_end (args);
}

void
tl_scan_draft_note_fields (TlScanDraft *draft)
{
  const TlFrameSet *all = draft->frames;
  gboolean is_float = all->type == TL_SAMPLE_F32 || all->type == TL_SAMPLE_F64;
  if (all[TL_FRAMES_FLATS].n_frames == 0)
    tl_scan_draft_note (
        draft,
        is_float ? _ ("no flat fields: the values count as attenuation, unless "
                      "-log is switched on")
                 : _ ("no flat fields: the counts cannot be normalised "
                      "and are taken as they are; -log is off unless it "
                      "is switched on"));
  else if (all[TL_FRAMES_FLATS].n_frames == 1)
    tl_scan_draft_note (draft, _ ("one flat field only: its noise is in every "
                                  "projection"));
  if (all[TL_FRAMES_FLATS].n_frames > 0 && all[TL_FRAMES_DARKS].n_frames == 0)
    tl_scan_draft_note (draft, _ ("no dark fields: taken as zero"));
}

void
tl_scan_draft_note_within (TlScanDraft *draft, const char *folder,
                           const char *within)
{
  const char *below = within + strlen (folder);
  g_autofree char *shown =
      g_filename_display_name (below + strspn (below, G_DIR_SEPARATOR_S));
  g_autofree char *name = tl_path_dup_name (folder);
  tl_scan_draft_note (draft, _ ("opened %s, the only scan in %s"), shown, name);
}
