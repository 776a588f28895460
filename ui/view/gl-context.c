#include "ui/view/gl-context.h"

#include "render/program.h"

#include <glib/gi18n.h>

/* A driver that is reset may take some seconds: the pause before each try is
 * longer than the last one, and there is none before the first. */
#define MORE_MS 500
#define MAX_TRIES 8

/* Of an area: how often in a row it was renewed, and the next time. */
typedef struct
{
  GtkGLArea *area; /* owns this */
  TlView *view;    /* that the area keeps */
  guint n_tries;
  guint source_id;
  char *problem; /* (nullable): what the view was told */
} Renewal;

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

/* Returns: (transfer full) */
static char *
tell (TlView *view, const GError *reason)
{
  char *problem = g_strdup_printf (_ ("Pictures cannot be shown here: %s"),
                                   reason->message);

  tl_view_set_problem (view, problem);
  return problem;
}

TlSlicePass *
tl_gl_context_make_pass (GtkGLArea *area, TlView *view)
{
  TlSlicePass *pass = NULL;
  g_autoptr (GError) error = NULL;

  gtk_gl_area_make_current (area);
  if (gtk_gl_area_get_error (area) != NULL)
    error = g_error_copy (gtk_gl_area_get_error (area));
  else
    pass = tl_slice_pass_new (&error);
  if (pass == NULL)
    g_free (tell (view, error));
  return pass;
}

static void
free_renewal (gpointer data)
{
  Renewal *renewal = data;

  g_clear_handle_id (&renewal->source_id, g_source_remove);
  g_free (renewal->problem);
  g_free (renewal);
}

static Renewal *
get_renewal (GtkGLArea *area, TlView *view)
{
  static const char key[] = "tl-renewal";
  Renewal *renewal = g_object_get_data (G_OBJECT (area), key);

  if (renewal == NULL)
    {
      renewal = g_new0 (Renewal, 1);
      renewal->area = area;
      renewal->view = view;
      g_object_set_data_full (G_OBJECT (area), key, renewal, free_renewal);
    }
  return renewal;
}

static void plan (Renewal *renewal, const GError *reason);

static gboolean
renew (gpointer data)
{
  Renewal *renewal = data;
  GtkWidget *widget = GTK_WIDGET (renewal->area);
  g_autoptr (GError) error = NULL;

  renewal->source_id = 0;
  if (!gtk_widget_get_mapped (widget))
    return G_SOURCE_REMOVE; /* drawing fails again when it is shown */
  gtk_widget_unrealize (widget);
  gtk_widget_realize (widget);
  gtk_widget_map (widget);
  gtk_gl_area_make_current (renewal->area);
  /* without a context nothing is drawn, and so nothing checked */
  if (gtk_gl_area_get_error (renewal->area) != NULL)
    plan (renewal, gtk_gl_area_get_error (renewal->area));
  else if (!tl_program_check (&error))
    plan (renewal, error);
  return G_SOURCE_REMOVE;
}

static void
plan (Renewal *renewal, const GError *reason)
{
  const guint n = renewal->n_tries;

  if (renewal->source_id != 0)
    return;
  g_info ("picture: %s", reason->message);
  if (n > 0)
    {
      g_free (renewal->problem);
      renewal->problem = tell (renewal->view, reason);
    }
  if (n == MAX_TRIES)
    return;
  renewal->n_tries++;
  renewal->source_id = g_timeout_add (n * MORE_MS, renew, renewal);
}

gboolean
tl_gl_context_check (GtkGLArea *area, TlView *view)
{
  Renewal *renewal = get_renewal (area, view);
  g_autoptr (GError) error = NULL;

  if (!tl_program_check (&error))
    {
      plan (renewal, error);
      return FALSE;
    }
  if (renewal->source_id != 0)
    return TRUE;
  /* not what another widget has said since */
  if (renewal->problem != NULL
      && g_strcmp0 (tl_view_get_problem (view), renewal->problem) == 0)
    tl_view_set_problem (view, NULL);
  g_clear_pointer (&renewal->problem, g_free);
  renewal->n_tries = 0;
  return TRUE;
}
