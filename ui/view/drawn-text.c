#include "ui/view/drawn-text.h"

PangoLayout *
tl_words_new (GtkWidget *widget, const char *words, double *width,
              double *height)
{
  PangoLayout *layout = gtk_widget_create_pango_layout (widget, words);
  int pixel_width, pixel_height;

  pango_layout_get_pixel_size (layout, &pixel_width, &pixel_height);
  *width = pixel_width;
  *height = pixel_height;
  return layout;
}
