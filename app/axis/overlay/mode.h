/* The ways to combine a projection, A, with its mirrored opposite, B. */
#pragma once

#include <glib.h>

typedef enum
{
  TL_OVERLAY_DIFFERENCE, /* B - A */
  TL_OVERLAY_SUM,        /* mean of both, which keeps the range of values */
  TL_OVERLAY_RED_CYAN,   /* A in red, B in cyan; equal values are grey */
  TL_OVERLAY_BLINK,      /* A and B in turn */
  TL_N_OVERLAY_MODES
} TlOverlayMode;

/* States of the action "overlay"; %NULL-terminated. */
extern const char *const tl_overlay_mode_names[TL_N_OVERLAY_MODES + 1];
