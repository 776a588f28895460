#include "gpu/backend/variant.h"

const char *const tl_transform_names[TL_N_TRANSFORMS + 1] = { "auto", "pairs",
                                                              "real", NULL };
