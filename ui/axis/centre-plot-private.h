/* How TlCentreCurve lays out and draws what the estimators say. */
#pragma once

#include "app/axis/centre-search.h"
#include "app/measure/ruler.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* A row: one that has found something, or what they say together. */
typedef struct
{
  TlCentreFound found; /* lent by the search */
  const char *title;   /* what the user sees for its name; lent */
  gboolean is_common;
} TlCentreLine;

/* What is to be drawn; plain values. */
typedef struct
{
  GtkWidget *widget; /* whose size, font and colours it has */
  const TlCentreLine *lines;
  guint n_lines;
  int pointed;       /* the one under the pointer; -1: none */
  double centre_col; /* the present one */
} TlCentrePlot;

/* Where what is drawn, in widget units. */
typedef struct
{
  double left, right;       /* of the columns */
  double low_col, high_col; /* what they show */
  double line_height;
  double curve_bottom; /* below the curves come the lines */
  double bottom;       /* of the last one; then the axis */
  TlTicks ticks;
} TlCentreAxes;

/** tl_centre_axes_init: Returns: %FALSE where there is nothing to draw, or no
 * room. */
gboolean tl_centre_axes_init (TlCentreAxes *axes, const TlCentrePlot *plot);
double tl_centre_axes_get_x (const TlCentreAxes *axes, double col);
/** tl_centre_axes_get_y: Returns: of the middle of a line. */
double tl_centre_axes_get_y (const TlCentreAxes *axes, guint line);
/** tl_centre_axes_get_height: Returns: what the widget needs for @n_lines. */
int tl_centre_axes_get_height (GtkWidget *widget, guint n_lines);

void tl_centre_plot_draw (const TlCentrePlot *plot, const TlCentreAxes *axes,
                          cairo_t *cr);

G_END_DECLS
