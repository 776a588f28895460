/* Decides, from measured times, how large a picture is drawn while it moves.
 * Plain arithmetic. */
#pragma once

#include <glib.h>

/* Milliseconds: with fewer than ten pictures a second, a drag moves in steps.
 */
#define TL_DRAW_PACE_SLOW_MS 100.0

/* One slow picture may have another cause. */
#define TL_DRAW_PACE_N_SLOW 3

/* So many quick pictures show that the link is better than before. */
#define TL_DRAW_PACE_N_QUICK 10

/* A smaller picture shows too little. */
#define TL_DRAW_PACE_MAX_DIVISOR 4

/* A plain value; tl_draw_pace_init() before the first picture. */
typedef struct
{
  guint divisor;         /* of the width and the height: 1, 2 or 4 */
  guint n_slow, n_quick; /* pictures in a row, since the last change of divisor
                          */
} TlDrawPace;

void tl_draw_pace_init (TlDrawPace *pace);

/**
 * tl_draw_pace_note:
 * @ms: from the beginning of the drawing until the window was painted
 *
 * Takes the time of a picture that was drawn with the present divisor, during a
 * motion.
 */
void tl_draw_pace_note (TlDrawPace *pace, double ms);
