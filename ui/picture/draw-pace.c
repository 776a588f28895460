#include "ui/picture/draw-pace.h"

void
tl_draw_pace_init (TlDrawPace *pace)
{
  *pace = (TlDrawPace){ .divisor = 1 };
}

static void
set_divisor (TlDrawPace *pace, guint divisor)
{
  *pace = (TlDrawPace){ .divisor = divisor };
}

/* A picture twice as wide and high takes up to four times as long, and must not
 * be slow again. */
void
tl_draw_pace_note (TlDrawPace *pace, double ms)
{
  pace->n_slow = ms > TL_DRAW_PACE_SLOW_MS ? pace->n_slow + 1 : 0;
  pace->n_quick = 8 * ms < TL_DRAW_PACE_SLOW_MS ? pace->n_quick + 1 : 0;
  if (pace->n_slow >= TL_DRAW_PACE_N_SLOW
      && pace->divisor < TL_DRAW_PACE_MAX_DIVISOR)
    set_divisor (pace, 2 * pace->divisor);
  else if (pace->n_quick >= TL_DRAW_PACE_N_QUICK && pace->divisor > 1)
    set_divisor (pace, pace->divisor / 2);
}
