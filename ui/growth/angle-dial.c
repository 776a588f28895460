#include "ui/growth/angle-dial.h"

#include "ui/view/widget.h"

#include <glib/gi18n.h>
#include <string.h>

/* Widget units. */
#define SIZE 22
#define RING 5.0

/* The part of the ring that is empty. */
#define FAINT 0.25

/* Directions so near to each other are one range, where projections are
 * sparse. */
#define GAP_DEGREES 10

/* So many ranges are named. */
#define MAX_RANGES 3

struct _TlAngleDial
{
  GtkWidget parent_instance;

  guint8 covered[TL_DIAL_DEGREES];
};

G_DEFINE_FINAL_TYPE (TlAngleDial, tl_angle_dial, GTK_TYPE_WIDGET)

/* --- words --- */

static gboolean
is_covered (const TlAngleDial *self, int degree)
{
  return self->covered[degree % TL_DIAL_DEGREES] != 0;
}

/* Returns: the first degree after @from without projections, not yet at the end
 * of a turn from @start */
static int
find_end (const TlAngleDial *self, int from, int start)
{
  int last = from;

  for (int degree = from;
       degree < start + TL_DIAL_DEGREES && degree - last <= GAP_DEGREES;
       degree++)
    if (is_covered (self, degree))
      last = degree;
  return last + 1;
}

/* Returns: a degree behind a gap, where a range begins; 0 if there is none */
static int
find_start (const TlAngleDial *self)
{
  int n_empty = 0;

  for (int degree = 0; degree < 2 * TL_DIAL_DEGREES; degree++)
    {
      if (is_covered (self, degree) && n_empty >= GAP_DEGREES)
        return degree % TL_DIAL_DEGREES;
      n_empty = is_covered (self, degree) ? 0 : n_empty + 1;
    }
  return 0;
}

/* Returns: (transfer full) */
static char *
describe (const TlAngleDial *self)
{
  GString *text = g_string_new (NULL);
  const int start = find_start (self);
  int n_ranges = 0;

  for (int degree = start; degree < start + TL_DIAL_DEGREES; degree++)
    {
      if (!is_covered (self, degree))
        continue;
      const int end = find_end (self, degree, start);

      if (n_ranges++ < MAX_RANGES)
        g_string_append_printf (text, "%s%d° – %d°", n_ranges > 1 ? ", " : "",
                                degree % TL_DIAL_DEGREES,
                                (end - 1) % TL_DIAL_DEGREES + 1);
      degree = end;
    }
  if (n_ranges > MAX_RANGES)
    g_string_append (text, " …");
  if (n_ranges == 0)
    g_string_append (text, _ ("none"));
  return g_string_free (text, FALSE);
}

/* --- the picture --- */

static void
draw_arc (cairo_t *cr, double first_degree, double end_degree)
{
  const double middle = SIZE / 2.0;

  /* cairo turns clockwise */
  cairo_arc (cr, middle, middle, middle - RING / 2 - 1,
             -end_degree * G_PI / 180, -first_degree * G_PI / 180);
  cairo_stroke (cr);
}

static void
tl_angle_dial_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  TlAngleDial *self = TL_ANGLE_DIAL (widget);
  graphene_rect_t bounds = GRAPHENE_RECT_INIT (
      ((float)gtk_widget_get_width (widget) - SIZE) / 2,
      ((float)gtk_widget_get_height (widget) - SIZE) / 2, SIZE, SIZE);
  cairo_t *cr = gtk_snapshot_append_cairo (snapshot, &bounds);
  GdkRGBA colour;

  gtk_style_context_get_color (gtk_widget_get_style_context (widget), &colour);
  cairo_translate (cr, bounds.origin.x, bounds.origin.y);
  cairo_set_line_width (cr, RING);
  cairo_set_source_rgba (cr, colour.red, colour.green, colour.blue, FAINT);
  draw_arc (cr, 0, TL_DIAL_DEGREES);
  gdk_cairo_set_source_rgba (cr, &colour);
  for (int degree = 0; degree < TL_DIAL_DEGREES; degree++)
    if (is_covered (self, degree))
      draw_arc (cr, degree, degree + 1);
  cairo_destroy (cr);
}

static void
tl_angle_dial_measure (GtkWidget *widget, GtkOrientation orientation,
                       int for_size, int *minimum, int *natural,
                       int *minimum_baseline, int *natural_baseline)
{
  *minimum = *natural = SIZE;
}

static void
tl_angle_dial_class_init (TlAngleDialClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->snapshot = tl_angle_dial_snapshot;
  widget_class->measure = tl_angle_dial_measure;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
tl_angle_dial_init (TlAngleDial *self)
{
  tl_widget_name (self, _ ("Angles that have come"));
}

void
tl_angle_dial_set_covered (TlAngleDial *self, const guint8 *covered)
{
  g_autofree char *ranges = NULL;
  g_autofree char *text = NULL;

  g_return_if_fail (TL_IS_ANGLE_DIAL (self) && covered != NULL);
  if (memcmp (self->covered, covered, sizeof self->covered) == 0
      && gtk_widget_get_tooltip_text (GTK_WIDGET (self)) != NULL)
    return;
  memcpy (self->covered, covered, sizeof self->covered);
  ranges = describe (self);
  /* translators: ranges of angles follow */
  text = g_strdup_printf (_ ("Angles that have come: %s"), ranges);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self), text);
  tl_widget_describe (self, ranges);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}
