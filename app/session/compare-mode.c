#include "app/session/compare-mode.h"

const char *const tl_compare_mode_names[TL_N_COMPARE_MODES + 1] = {
  [TL_COMPARE_OFF] = "off",
  [TL_COMPARE_SWIPE] = "swipe",
  [TL_COMPARE_BLINK] = "blink",
  [TL_COMPARE_SIDE_BY_SIDE] = "side-by-side",
  [TL_COMPARE_DIFFERENCE] = "difference",
};
