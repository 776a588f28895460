#include "ui/view/glance-texture.h"

GdkTexture *
tl_glance_texture_new (TlScanOffer *offer)
{
  const TlGlance *glance = tl_scan_offer_get_glance (offer);

  if (glance == NULL || glance->pixels == NULL)
    return NULL;
  return gdk_memory_texture_new ((int)glance->n_cols, (int)glance->n_rows,
                                 GDK_MEMORY_R8G8B8, glance->pixels,
                                 3 * glance->n_cols);
}
