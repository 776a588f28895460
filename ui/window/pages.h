/* Pages of the window's middle: a welcome page without a scan, the picture, the
 * planes, the candidates for the axis, the axis over the height, the volume,
 * and the export. The session chooses the page. Picture and candidates share
 * zoom and place. Main thread. */
#pragma once

#include "ui/axis/axis-page.h"
#include "ui/candidates/candidates-page.h"
#include "ui/export/export-page.h"
#include "ui/picture/slice-view.h"
#include "ui/planes/planes-view.h"
#include "ui/volume/volume-page.h"

#define TL_TYPE_PAGES (tl_pages_get_type ())
G_DECLARE_FINAL_TYPE (TlPages, tl_pages, TL, PAGES, GtkBox)

/** tl_pages_bind: Call once, before it is shown. @actions: as for
 * tl_window_new() */
void tl_pages_bind (TlPages *self, TlMeasure *measure, TlCompare *compare,
                    GActionGroup *actions);

/** tl_pages_zoom: Zooms the page shown: pictures about the pointer, the axis
 * over the height along the columns. */
void tl_pages_zoom (TlPages *self, double factor);
/** tl_pages_get_shown: Returns: (transfer none): the picture, or what the page
 * shows in its place */
GtkWidget *tl_pages_get_shown (TlPages *self);
/** tl_pages_take_focus: Gives the focus to the picture, or to what the page
 * shows in its place. */
void tl_pages_take_focus (TlPages *self);
/** tl_pages_fit: Makes the page show its whole picture. */
void tl_pages_fit (TlPages *self);

/* Returns: (transfer none). The pages other than the slice view are made by the
 * first call, because few sessions need them. */

TlSliceView *tl_pages_get_slice_view (TlPages *self);
TlPlanesView *tl_pages_get_planes_view (TlPages *self);
TlCandidatesPage *tl_pages_get_candidates_page (TlPages *self);
TlAxisPage *tl_pages_get_axis_page (TlPages *self);
TlVolumePage *tl_pages_get_volume_page (TlPages *self);
TlExportPage *tl_pages_get_export_page (TlPages *self);
