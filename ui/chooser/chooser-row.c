#include "ui/chooser/chooser-row.h"

#include "ui/view/glance-texture.h"
#include "ui/view/widget.h"

struct _TlChooserRow
{
  GtkBox parent_instance;

  TlScanOffer *offer; /* kept */
  GtkImage *picture;
  GtkLabel *path_label, *text_label;
};

G_DEFINE_FINAL_TYPE (TlChooserRow, tl_chooser_row, GTK_TYPE_BOX)

static void
update (TlChooserRow *self)
{
  g_autoptr (GdkTexture) texture = tl_glance_texture_new (self->offer);

  gtk_label_set_text (self->text_label, tl_scan_offer_get_text (self->offer));
  gtk_image_set_from_paintable (self->picture, GDK_PAINTABLE (texture));
}

static void
tl_chooser_row_class_init (TlChooserRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  gtk_widget_class_set_template_from_resource (
      widget_class, "/org/tomolens/Tomolens/chooser-row.ui");
#define BIND(name)                                                             \
  gtk_widget_class_bind_template_child (widget_class, TlChooserRow, name)
  BIND (picture);
  BIND (path_label);
  BIND (text_label);
#undef BIND
}

static void
tl_chooser_row_init (TlChooserRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

GtkWidget *
tl_chooser_row_new (TlScanOffer *offer)
{
  TlChooserRow *self = g_object_new (TL_TYPE_CHOOSER_ROW, NULL);

  self->offer = tl_keep (self, offer);
  gtk_label_set_text (self->path_label, tl_scan_offer_get_path (offer));
  g_signal_connect_object (offer, "changed", G_CALLBACK (update), self,
                           G_CONNECT_SWAPPED);
  update (self);
  return GTK_WIDGET (self);
}
