#include "ui/picture/picture-menu.h"

#include "ui/view/widget.h"

#include <glib/gi18n.h>

static void
update (GtkMenuButton *button, GParamSpec *pspec, TlDisplay *display)
{
  static const char *const names[TL_N_PICTURES] = {
    [TL_PICTURE_SLICE] = N_ ("Measured"),
    [TL_PICTURE_SINOGRAM] = N_ ("Sinogram"),
    [TL_PICTURE_PROJECTION] = N_ ("Projection"),
    [TL_PICTURE_OVERLAY] = N_ ("Overlay"),
  };
  TlPicture picture = tl_display_get_picture (display);

  gtk_menu_button_set_label (button, _ (names[picture]));
  tl_widget_set_class (button, "chosen", picture != TL_PICTURE_SLICE);
}

void
tl_picture_menu_bind (GtkMenuButton *button, TlSession *session)
{
  tl_follow (session->display, "picture", G_CALLBACK (update), button);
  update (button, NULL, session->display);
}
