#include "ui/view/gl-context.h"

GdkGLContext *
tl_gl_context_new (GtkGLArea *area)
{
  GdkSurface *surface =
      gtk_native_get_surface (gtk_widget_get_native (GTK_WIDGET (area)));
  const struct
  {
    GdkGLAPI api;
    int major, minor;
  } requests[] = { { GDK_GL_API_GL, 3, 3 }, { GDK_GL_API_GLES, 3, 0 } };
  g_autoptr (GError) reason = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (requests); i++)
    {
      g_autoptr (GdkGLContext) context = NULL;

      g_clear_error (&reason);
      context = gdk_surface_create_gl_context (surface, &reason);
      if (context == NULL)
        break;
      gdk_gl_context_set_allowed_apis (context, requests[i].api);
      gdk_gl_context_set_required_version (context, requests[i].major,
                                           requests[i].minor);
      if (gdk_gl_context_realize (context, &reason))
        return g_steal_pointer (&context);
    }
  gtk_gl_area_set_error (area, reason);
  return NULL;
}
