/* What is odd about a scan, whatever its format. */
#include "data/read/reader-private.h"

#include <glib/gi18n.h>
#include <string.h>

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
tl_scan_draft_note_patterns (TlScanDraft *draft, TlContainer container,
                             const TlReaderOptions *options)
{
  const gboolean is_hdf5 = container == TL_CONTAINER_HDF5;
  if (is_hdf5
      && (options->projections != NULL || options->flats != NULL
          || options->darks != NULL))
    tl_scan_draft_note (draft,
                        _ ("patterns for projections, flats and darks are "
                           "not used: an HDF5 file says what is what"));
  else if (container == TL_CONTAINER_TIFF && options->projections != NULL)
    tl_scan_draft_note (draft,
                        _ ("the pattern for projections is not used: they "
                           "are in the file that was named"));
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
