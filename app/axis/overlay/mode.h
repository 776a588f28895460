/* How a projection, A, and its mirrored opposite one, B, are combined. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  TL_OVERLAY_DIFFERENCE, /* B less A */
  TL_OVERLAY_SUM,        /* their mean: the values stay in the same range */
  TL_OVERLAY_RED_CYAN,   /* A in red, B in cyan: grey where they are alike */
  TL_OVERLAY_BLINK,      /* in turn */
  TL_N_OVERLAY_MODES
} TlOverlayMode;

/* The words of the action "overlay"; %NULL-terminated. */
extern const char *const tl_overlay_mode_names[TL_N_OVERLAY_MODES + 1];

G_END_DECLS
