/* Ways to look at a slice beside one that was held. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A is the slice that was held, B the present one. */
typedef enum
{
  TL_COMPARE_OFF,
  TL_COMPARE_SWIPE,        /* A on the left of a line, B on its right */
  TL_COMPARE_BLINK,        /* now A, now B */
  TL_COMPARE_SIDE_BY_SIDE, /* both, with one zoom and place */
  TL_COMPARE_DIFFERENCE,   /* B less A */
  TL_N_COMPARE_MODES
} TlCompareMode;

/* The words of the action "compare"; %NULL-terminated. */
extern const char *const tl_compare_mode_names[TL_N_COMPARE_MODES + 1];

G_END_DECLS
