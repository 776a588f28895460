#include "data/read/format/formats.h"

#include "data/read/format/image-format.h"

gboolean
tl_format_get_info (guint index, TlFormatInfo *info)
{
  static const TlFormatInfo others[] = {
    { "HDF5", NULL },
#ifdef TL_HAVE_JSON
    { "Zarr", NULL },
#else
    { "Zarr", "libjson-glib-dev" },
#endif
  };
  const guint n = G_N_ELEMENTS (others);
  const TlImageFormat *f = &tl_image_formats[MAX (index, n) - n];
  *info = index < n ? others[index]
                    : (TlFormatInfo){ f->name,
                                      f->reader == NULL ? f->library : NULL };
  return info->name != NULL;
}
