#include "app/cli/render/draw-private.h"

#include "data/error.h"

void
tl_cli_picture_clear (TlCliPicture *picture)
{
}

gboolean
tl_cli_picture_open (TlCliPicture *picture, GError **error)
{
  return tl_fail (error, TL_ERROR_UNSUPPORTED,
                  "no volume can be drawn: this program was built without "
                  "libepoxy-dev");
}

gboolean
tl_cli_picture_draw (TlCliPicture *picture, const float *voxels,
                     const size_t n[3], const TlVolumeCamera *camera,
                     const TlVolumeLook *look, GError **error)
{
  return tl_cli_picture_open (picture, error);
}
