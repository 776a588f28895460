#include "app/axis/overlay/mode.h"

const char *const tl_overlay_mode_names[TL_N_OVERLAY_MODES + 1] = {
  [TL_OVERLAY_DIFFERENCE] = "difference",
  [TL_OVERLAY_SUM] = "sum",
  [TL_OVERLAY_RED_CYAN] = "red-cyan",
  [TL_OVERLAY_BLINK] = "blink",
};
