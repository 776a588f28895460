#include "ui/view/folding-box.h"

struct _TlFoldingBox
{
  GtkWidget parent_instance;

  gboolean is_folded;
};

G_DEFINE_FINAL_TYPE (TlFoldingBox, tl_folding_box, GTK_TYPE_WIDGET)

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
  gboolean is_narrow = width < TL_FOLDING_WIDTH;

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
}

static void
tl_folding_box_size_allocate (GtkWidget *widget, int width, int height,
                              int baseline)
{
  GtkWidget *shown = get_shown (TL_FOLDING_BOX (widget));

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    gtk_widget_set_child_visible (child, child == shown);
  gtk_widget_allocate (shown, width, height, baseline, NULL);
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

  G_OBJECT_CLASS (klass)->dispose = tl_folding_box_dispose;
  widget_class->realize = tl_folding_box_realize;
  widget_class->unrealize = tl_folding_box_unrealize;
  widget_class->measure = tl_folding_box_measure;
  widget_class->size_allocate = tl_folding_box_size_allocate;
}

static void
tl_folding_box_init (TlFoldingBox *self)
{
}
