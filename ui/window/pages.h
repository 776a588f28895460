/* What the window shows in its middle: a page that asks for a scan, and those
 * of the picture, of the candidates for the axis and of the axis over the
 * height. The session says which; the zoom goes along from one to the other. */
#pragma once

#include "ui/axis/axis-page.h"
#include "ui/candidates/candidates-page.h"
#include "ui/picture/slice-view.h"

G_BEGIN_DECLS

#define TL_TYPE_PAGES (tl_pages_get_type ())
G_DECLARE_FINAL_TYPE (TlPages, tl_pages, TL, PAGES, GtkWidget)

/** tl_pages_bind: Once, before it is shown; @actions: as of tl_window_new(). */
void tl_pages_bind (TlPages *self, TlMeasure *measure, TlCompare *compare,
                    GActionGroup *actions);

/** tl_pages_zoom: What is shown; the picture about the pointer, the axis over
 * the height across the columns. */
void tl_pages_zoom (TlPages *self, double factor);
/** tl_pages_fit: All of what is shown. */
void tl_pages_fit (TlPages *self);

/* Returns: (transfer none): made by the first who asks, but for the slice view,
 * which is there */

TlSliceView *tl_pages_get_slice_view (TlPages *self);
TlCandidatesPage *tl_pages_get_candidates_page (TlPages *self);
TlAxisPage *tl_pages_get_axis_page (TlPages *self);

G_END_DECLS
