#include "ui/view/folding-box.h"

struct _TlFoldingBox
{
  GtkWidget parent_instance;

  int narrow_width;
  gboolean is_folded;
};

G_DEFINE_FINAL_TYPE (TlFoldingBox, tl_folding_box, GTK_TYPE_WIDGET)

enum
{
  PROP_NARROW_WIDTH = 1
};

static GtkWidget *
get_shown (TlFoldingBox *self)
{
  return self->is_folded ? gtk_widget_get_last_child (GTK_WIDGET (self))
                         : gtk_widget_get_first_child (GTK_WIDGET (self));
}

/* Lays out the only child, which is a GtkBox. Does nothing if there are two. */
static void
turn_only_child (TlFoldingBox *self)
{
  GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (self));

  if (gtk_widget_get_next_sibling (child) == NULL)
    gtk_orientable_set_orientation (
        GTK_ORIENTABLE (child), self->is_folded ? GTK_ORIENTATION_VERTICAL
                                                : GTK_ORIENTATION_HORIZONTAL);
}

/* The window has another size. A widget that keeps its place is not allocated
 * again. */
static void
update (TlFoldingBox *self)
{
  GtkWidget *root = GTK_WIDGET (gtk_widget_get_root (GTK_WIDGET (self)));
  const int width = gtk_widget_get_width (root);
  gboolean is_narrow = width < self->narrow_width;

  if (width == 0 || is_narrow == self->is_folded)
    return;
  self->is_folded = is_narrow;
  turn_only_child (self);
  gtk_widget_queue_resize (GTK_WIDGET (self));
}

static GdkSurface *
get_surface (GtkWidget *widget)
{
  return gtk_native_get_surface (gtk_widget_get_native (widget));
}

static void
tl_folding_box_realize (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (tl_folding_box_parent_class)->realize (widget);
  /* after the handler of the window */
  g_signal_connect_object (get_surface (widget), "layout", G_CALLBACK (update),
                           widget, G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  update (TL_FOLDING_BOX (widget));
  gtk_widget_queue_resize (widget); /* it was measured by its last child */
}

static void
tl_folding_box_unrealize (GtkWidget *widget)
{
  g_signal_handlers_disconnect_by_func (get_surface (widget), update, widget);
  GTK_WIDGET_CLASS (tl_folding_box_parent_class)->unrealize (widget);
}

static void
tl_folding_box_measure (GtkWidget *widget, GtkOrientation orientation,
                        int for_size, int *minimum, int *natural,
                        int *minimum_baseline, int *natural_baseline)
{
  /* Two children on a page that was never shown must not keep the window wide.
   * An only child may. */
  GtkWidget *shown = gtk_widget_get_realized (widget)
                         ? get_shown (TL_FOLDING_BOX (widget))
                         : gtk_widget_get_last_child (widget);

  gtk_widget_measure (shown, orientation, for_size, minimum, natural,
                      minimum_baseline, natural_baseline);
  /* A window that is made narrow at once is not kept wide by the first child
   * either. */
  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    {
      int folded;

      gtk_widget_measure (gtk_widget_get_last_child (widget), orientation,
                          for_size, &folded, NULL, NULL, NULL);
      *minimum = MIN (*minimum, folded);
    }
}

/* Returns: the child for this width: also a wide window may have other things
 * beside the box, so that the first child does not fit */
static GtkWidget *
find_fitting (TlFoldingBox *self, int width)
{
  GtkWidget *shown = get_shown (self);
  int least;

  gtk_widget_measure (shown, GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL,
                      NULL);
  return least <= width ? shown : gtk_widget_get_last_child (GTK_WIDGET (self));
}

static void
tl_folding_box_size_allocate (GtkWidget *widget, int width, int height,
                              int baseline)
{
  GtkWidget *shown = find_fitting (TL_FOLDING_BOX (widget), width);

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    gtk_widget_set_child_visible (child, child == shown);
  gtk_widget_allocate (shown, width, height, baseline, NULL);
}

static void
tl_folding_box_set_property (GObject *object, guint id, const GValue *value,
                             GParamSpec *pspec)
{
  TlFoldingBox *self = TL_FOLDING_BOX (object);

  if (id == PROP_NARROW_WIDTH)
    self->narrow_width = g_value_get_int (value);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
tl_folding_box_dispose (GObject *object)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))) != NULL)
    gtk_widget_unparent (child);
  G_OBJECT_CLASS (tl_folding_box_parent_class)->dispose (object);
}

static void
tl_folding_box_class_init (TlFoldingBoxClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->dispose = tl_folding_box_dispose;
  object_class->set_property = tl_folding_box_set_property;
  g_object_class_install_property (
      object_class, PROP_NARROW_WIDTH,
      g_param_spec_int ("narrow-width", NULL, NULL, 1, G_MAXINT, 1000,
                        G_PARAM_WRITABLE | G_PARAM_CONSTRUCT
                            | G_PARAM_STATIC_STRINGS));
  widget_class->realize = tl_folding_box_realize;
  widget_class->unrealize = tl_folding_box_unrealize;
  widget_class->measure = tl_folding_box_measure;
  widget_class->size_allocate = tl_folding_box_size_allocate;
}

static void
tl_folding_box_init (TlFoldingBox *self)
{
}
