#include "app/picture.h"

const char *const tl_picture_names[TL_N_PICTURES + 1] = {
  [TL_PICTURE_SLICE] = "slice",
  [TL_PICTURE_SINOGRAM] = "sinogram",
  [TL_PICTURE_PROJECTION] = "projection",
};
