/* The scan in an HDF5 file, as the plugin of areaDetector writes it. */
#include "app/play/way-private.h"

#include "data/error.h"
#include "data/write/growing-file.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>

/* What --overwrite may not replace: the file of somebody else. */
static gboolean
check_file (const char *path, GError **error)
{
  GStatBuf status;
  if (g_lstat (path, &status) != 0 || tl_growing_file_is_one (path))
    return TRUE;
  g_autofree char *shown = g_filename_display_name (path);
  return tl_fail (error, TL_ERROR_FILE,
                  _ ("%s: is not replaced, because it is no file that "
                     "tomolens-cli play has written; choose another name, or "
                     "delete the file yourself"),
                  shown);
}

static gpointer
open_file (const TlPlayTarget *target, GError **error)
{
  const TlPlayJob *job = target->job;
  if (job->replaces && !check_file (job->to, error))
    return NULL;
  const TlGrowingLayout layout = {
    .n_rows = target->info->n_rows,
    .n_cols = target->info->n_cols,
    .type = target->type,
    .pixel_size_um = target->info->pixel_size_um,
    .angle_name = job->angle_name,
    .has_swmr = !job->lacks_swmr,
    .replaces = job->replaces,
  };
  return tl_growing_file_open (job->to, &layout, error);
}

static gboolean
append_frame (gpointer to, const TlPlayStep *step, const void *pixels,
              GError **error)
{
  static const TlImageKey keys[TL_N_FRAME_KINDS] = {
    [TL_FRAMES_PROJECTIONS] = TL_IMAGE_KEY_PROJECTION,
    [TL_FRAMES_FLATS] = TL_IMAGE_KEY_FLAT,
    [TL_FRAMES_DARKS] = TL_IMAGE_KEY_DARK,
  };
  /* Detectors count from 1. */
  return tl_growing_file_append (to, pixels, (gint32)(step->number + 1),
                                 keys[step->kind], step->angle_deg, error);
}

static gboolean
close_file (gpointer to, GError **error)
{
  return tl_growing_file_close (to, error);
}

const TlPlayWayClass tl_play_file = {
  .way = TL_PLAY_FILE,
  .open = open_file,
  .send = append_frame,
  .close = close_file,
};
