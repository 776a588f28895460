/* State of measuring on the picture: the line, its profile, scale bar and
 * colour bar. Widgets draw and change it. Main thread. */
#pragma once

#include "app/measure/profile.h"
#include "app/recon/picture.h"
#include "ui/view/view.h"

#define TL_TYPE_MEASURE (tl_measure_get_type ())
G_DECLARE_FINAL_TYPE (TlMeasure, tl_measure, TL, MEASURE, GObject)

/* Properties, all with explicit notify:
 *   "active"      boolean, writable: the line is shown, and can be drawn
 *   "width"       uint, writable: pixels across that the profile averages
 *   "scale-bar"   boolean, writable: until it is set, on for a scan whose pixel
 *                 size is known
 *   "colour-bar"  boolean, writable
 *   "line"        pointer, read-only
 *   "profile"     pointer, read-only: follows line, width and picture
 *   "mark"        double, read-only: position of the pointer along the line, 0
 * to 1; below 0 for none
 */

TlMeasure *tl_measure_new (TlView *view);
TlView *tl_measure_get_view (TlMeasure *measure);

gboolean tl_measure_is_active (TlMeasure *measure);
gboolean tl_measure_has_scale_bar (TlMeasure *measure);
gboolean tl_measure_has_colour_bar (TlMeasure *measure);
guint tl_measure_get_width (TlMeasure *measure);

/** tl_measure_get_line: Returns: (transfer none) (nullable): %NULL if no line
 * was drawn or measuring is not active. */
const TlSegment *tl_measure_get_line (TlMeasure *measure);
/** tl_measure_set_line: Ignores a line that is far from any picture. @pane:
 * where it is, while planes are shown; its coordinates there are as of
 * tl_aim_to_picture() */
void tl_measure_set_line (TlMeasure *measure, TlPane pane,
                          const TlSegment *line);
/** tl_measure_get_line_in: As tl_measure_get_line(). @pane: while planes are
 * shown, %NULL if the line is in another one */
const TlSegment *tl_measure_get_line_in (TlMeasure *measure, TlPane pane);

/** tl_measure_get_profile: Returns: (transfer none) (nullable) */
const TlProfile *tl_measure_get_profile (TlMeasure *measure);

/** tl_measure_get_held_profile: Returns: (transfer none) (nullable): the same
 * of A, with as many values, while A and B are shown; follows "profile" */
const TlProfile *tl_measure_get_held_profile (TlMeasure *measure);

double tl_measure_get_mark (TlMeasure *measure);
void tl_measure_set_mark (TlMeasure *measure, double mark);

/** tl_measure_get_units: @units: (out): of the picture shown. */
void tl_measure_get_units (TlMeasure *measure, TlUnits *units);
/** tl_measure_get_slice_units: @units: (out): of slices, whatever is shown. */
void tl_measure_get_slice_units (TlMeasure *measure, TlUnits *units);

/** tl_measure_describe_line: Returns: (transfer full): length and angle, such
 * as "12.5 pixels · 40.6 µm · 30.0°"; "" without a line. */
char *tl_measure_describe_line (TlMeasure *measure);
