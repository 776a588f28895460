#include "ui/picture/picture-menu.h"

#include <glib/gi18n.h>

static void
update (GtkMenuButton *button, GParamSpec *pspec, TlSession *session)
{
  static const char *const names[TL_N_PICTURES] = {
    [TL_PICTURE_SLICE] = N_ ("Measured"),
    [TL_PICTURE_SINOGRAM] = N_ ("Sinogram"),
    [TL_PICTURE_PROJECTION] = N_ ("Projection"),
    [TL_PICTURE_OVERLAY] = N_ ("Overlay"),
  };
  TlPicture picture = tl_session_get_picture (session);

  gtk_menu_button_set_label (button, _ (names[picture]));
  if (picture != TL_PICTURE_SLICE)
    gtk_widget_add_css_class (GTK_WIDGET (button), "chosen");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (button), "chosen");
}

void
tl_picture_menu_bind (GtkMenuButton *button, TlSession *session)
{
  g_signal_connect_object (session, "notify::picture", G_CALLBACK (update),
                           button, G_CONNECT_SWAPPED);
  update (button, NULL, session);
}
