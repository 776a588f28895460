#include "app/recon/picture.h"

const char *const tl_picture_names[TL_N_PICTURES + 1] = {
  [TL_PICTURE_SLICE] = "slice",           [TL_PICTURE_SINOGRAM] = "sinogram",
  [TL_PICTURE_PROJECTION] = "projection", [TL_PICTURE_OVERLAY] = "overlay",
  [TL_PICTURE_PLANES] = "planes",
};

const char *const tl_page_names[TL_N_PAGES + 1] = {
  [TL_PAGE_PICTURE] = "picture", [TL_PAGE_CANDIDATES] = "candidates",
  [TL_PAGE_AXIS] = "axis",       [TL_PAGE_VOLUME] = "volume",
  [TL_PAGE_EXPORT] = "export",
};
