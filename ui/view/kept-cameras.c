#include "ui/view/kept-cameras.h"

void
tl_kept_cameras_init (TlKeptCameras *kept)
{
  for (guint i = 0; i < TL_N_PICTURES; i++)
    tl_camera_init (&kept->cameras[i]);
}

void
tl_kept_cameras_clear (TlKeptCameras *kept)
{
  for (guint i = 0; i < TL_N_PICTURES; i++)
    g_clear_pointer (&kept->paths[i], g_free);
}

gboolean
tl_kept_cameras_turn_to (TlKeptCameras *kept, TlPicture picture,
                         TlCamera *camera)
{
  if (picture == kept->picture)
    return FALSE;
  kept->cameras[kept->picture] = *camera;
  *camera = kept->cameras[picture];
  kept->picture = picture;
  return TRUE;
}

gboolean
tl_kept_cameras_take_size (TlKeptCameras *kept, TlSession *session,
                           TlCamera *camera)
{
  const TlScanSummary *scan = tl_scan_source_get_summary (session->source);
  char **path = &kept->paths[kept->picture];
  size_t n_rows, n_cols;

  if (!tl_display_get_picture_size (session->display, &n_rows, &n_cols))
    return FALSE;
  if (kept->picture == TL_PICTURE_SLICE && camera->n_cols > 0
      && g_strcmp0 (*path, scan->path) == 0)
    tl_camera_widen (camera, n_cols, n_rows);
  else
    tl_camera_set_picture (camera, n_cols, n_rows);
  g_free (*path);
  *path = g_strdup (scan->path);
  return TRUE;
}
