/* What plots and marks over pictures share: text in the font of a widget, and
 * an area with scales and ticks. Lengths are in widget units. Main thread. */
#pragma once

#include "app/measure/ruler.h"

#include <gtk/gtk.h>

#define TL_PLOT_TICK 4.0 /* length of a tick */
#define TL_PLOT_GAP 5.0  /* between a number and its tick */

/* The area of a plot; a plain value. */
typedef struct
{
  GtkWidget *widget; /* gives font and size; not owned */
  double left, right, top, bottom;
  double first, last; /* values at the left and the right edge */
  double low, high;   /* values at the bottom and the top edge */
  double margin; /* numbers below the area stay this far inside the widget */
} TlPlot;

double tl_plot_get_x (const TlPlot *plot, double value);
double tl_plot_get_y (const TlPlot *plot, double value);

/** tl_plot_draw_x_ticks: Draws ticks and numbers below the area in the source
 * of @cr. @unit: (nullable): follows the last number */
void tl_plot_draw_x_ticks (const TlPlot *plot, cairo_t *cr,
                           const TlTicks *ticks, const char *unit);
/** tl_plot_draw_y_ticks: The same left of the area. */
void tl_plot_draw_y_ticks (const TlPlot *plot, cairo_t *cr,
                           const TlTicks *ticks);

/** tl_words_new: Returns: (transfer full): @words in the font of @widget;
 * @width, @height: (out): their size */
PangoLayout *tl_words_new (GtkWidget *widget, const char *words, double *width,
                           double *height);
/** tl_words_draw: @align_x, @align_y: part of the text that is left of @x and
 * above @y: 0, 0.5 or 1 */
void tl_words_draw (GtkWidget *widget, cairo_t *cr, const char *words, double x,
                    double y, double align_x, double align_y);
/** tl_words_measure_ticks: Returns: the width of the widest number; @height:
 * (out): of any of them */
double tl_words_measure_ticks (GtkWidget *widget, const TlTicks *ticks,
                               double *height);

/** tl_words_append: Draws @words with the upper left corner at @x and @y. */
void tl_words_append (GtkSnapshot *snapshot, PangoLayout *words,
                      const GdkRGBA *colour, double x, double y);
/** tl_words_append_label: The same on a dark plate, which reaches @padding to
 * the left and the right of @words, half of it above and below. */
void tl_words_append_label (GtkSnapshot *snapshot, PangoLayout *words,
                            const GdkRGBA *colour, double x, double y,
                            double padding);
