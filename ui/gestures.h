/* What moves the picture without a button: the wheel, two fingers on a touchpad
 * or on the screen. */
#pragma once

#include "ui/slice-view.h"

G_BEGIN_DECLS

typedef enum
{
  TL_SCROLL_ZOOM,
  TL_SCROLL_PAN
} TlScrollUse;

/**
 * tl_gestures_choose_scroll:
 * @source: of the device that scrolls
 *
 * Returns: what it does: a wheel zooms; two fingers on a touchpad pan, and zoom
 *   with Ctrl
 */
TlScrollUse tl_gestures_choose_scroll (GdkInputSource source,
                                       GdkModifierType state);

/** tl_gestures_add: Once for a view. Two fingers that part or close zoom about
 * their middle, and take the picture along. */
void tl_gestures_add (TlSliceView *view);

G_END_DECLS
