/* The window's actions that take away what its picture shows. */
#pragma once

#include "ui/picture/slice-view.h"

/**
 * tl_keep_actions_add:
 * @window: also a #GActionMap; outlives @picture
 *
 * save-view and save-slice ask for a file; save-view-as (s) takes its name, as
 * the application's save-slice-as does; copy-view and copy-profile go to the
 * clipboard.
 */
void tl_keep_actions_add (GtkWindow *window, TlSliceView *picture,
                          TlMeasure *measure);
