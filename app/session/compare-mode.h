/* The ways to compare a slice with one that is held. */
#pragma once

#include <glib.h>

/* A is the held slice, B the present one. */
typedef enum
{
  TL_COMPARE_OFF,
  TL_COMPARE_SWIPE,        /* A left of a line, B right of it */
  TL_COMPARE_BLINK,        /* A and B in turn */
  TL_COMPARE_SIDE_BY_SIDE, /* both, with the same zoom and position */
  TL_COMPARE_DIFFERENCE,   /* B - A */
  TL_N_COMPARE_MODES
} TlCompareMode;

/* States of the action "compare"; %NULL-terminated. */
extern const char *const tl_compare_mode_names[TL_N_COMPARE_MODES + 1];
