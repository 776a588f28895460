/* Page of the volume: a bar that sets how it is drawn and what is cut away, and
 * the volume. Main thread. */
#pragma once

#include "ui/volume/volume-area.h"

#define TL_TYPE_VOLUME_PAGE (tl_volume_page_get_type ())
G_DECLARE_FINAL_TYPE (TlVolumePage, tl_volume_page, TL, VOLUME_PAGE, GtkBox)

/** tl_volume_page_bind: Call once, before it is shown. @actions: the
 * application's */
void tl_volume_page_bind (TlVolumePage *self, TlView *view,
                          GActionGroup *actions);

/** tl_volume_page_get_area: Returns: (transfer none) */
TlVolumeArea *tl_volume_page_get_area (TlVolumePage *self);
