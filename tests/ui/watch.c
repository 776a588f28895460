#include "tests/ui/watch.h"

#include "tests/support/watchdog.h"

#include <dlfcn.h>
#include <gdk/x11/gdkx.h>
#include <poll.h>

static GThread *main_thread;
static int x_server = -1; /* file descriptor of the connection */
static gboolean is_painting;

static gboolean
on_paint (GSignalInvocationHint *hint, guint n, const GValue *values,
          gpointer data)
{
  is_painting = tl_watchdog_pause ();
  return TRUE;
}

static gboolean
on_painted (GSignalInvocationHint *hint, guint n, const GValue *values,
            gpointer data)
{
  if (is_painting)
    tl_watchdog_go_on ();
  is_painting = FALSE;
  return TRUE;
}

/* Replaces the C library's poll(), by which Xlib waits for its answers. The
 * function has another name in C, because the library's header declares that
 * poll() writes only to @fds. */
int poll_watched (struct pollfd *fds, nfds_t n_fds,
                  int timeout_ms) __asm__("poll");

int
poll_watched (struct pollfd *fds, nfds_t n_fds, int timeout_ms)
{
  static int (*real_poll) (struct pollfd *, nfds_t, int);
  gboolean waits_for_x = n_fds == 1 && fds[0].fd == x_server
                         && g_thread_self () == main_thread
                         && tl_watchdog_pause ();
  int result;

  if (real_poll == NULL)
    *(void **)&real_poll = dlsym (RTLD_NEXT, "poll");
  result = real_poll (fds, n_fds, timeout_ms);
  if (waits_for_x)
    tl_watchdog_go_on ();
  return result;
}

/* Counts as painting, too: the result goes to a file or the clipboard. */
GdkTexture *
gsk_renderer_render_texture (GskRenderer *renderer, GskRenderNode *node,
                             const graphene_rect_t *area)
{
  static GdkTexture *(*real) (GskRenderer *, GskRenderNode *,
                              const graphene_rect_t *);
  gboolean is_watched = tl_watchdog_pause ();
  GdkTexture *texture;

  if (real == NULL)
    *(void **)&real = dlsym (RTLD_NEXT, "gsk_renderer_render_texture");
  texture = real (renderer, node, area);
  if (is_watched)
    tl_watchdog_go_on ();
  return texture;
}

/* The first and the last call wait for software rendering in other threads. */
void
gtk_gl_area_make_current (GtkGLArea *area)
{
  static void (*real) (GtkGLArea *);
  gboolean is_watched = g_thread_self () == main_thread && tl_watchdog_pause ();

  if (real == NULL)
    *(void **)&real = dlsym (RTLD_NEXT, "gtk_gl_area_make_current");
  real (area);
  if (is_watched)
    tl_watchdog_go_on ();
}

void
gdk_texture_download (GdkTexture *texture, guchar *pixels, gsize stride)
{
  static void (*real) (GdkTexture *, guchar *, gsize);
  gboolean is_watched = g_thread_self () == main_thread && tl_watchdog_pause ();

  if (real == NULL)
    *(void **)&real = dlsym (RTLD_NEXT, "gdk_texture_download");
  real (texture, pixels, stride);
  if (is_watched)
    tl_watchdog_go_on ();
}

void
tl_watch_init (void)
{
  /* registers the signals of the class */
  GTypeClass *clock = g_type_class_ref (GDK_TYPE_FRAME_CLOCK);
  GdkDisplay *display = gdk_display_get_default ();

  main_thread = g_thread_self ();
  if (GDK_IS_X11_DISPLAY (display))
    x_server = ConnectionNumber (gdk_x11_display_get_xdisplay (display));
  g_signal_add_emission_hook (g_signal_lookup ("paint", GDK_TYPE_FRAME_CLOCK),
                              0, on_paint, NULL, NULL);
  g_signal_add_emission_hook (
      g_signal_lookup ("after-paint", GDK_TYPE_FRAME_CLOCK), 0, on_painted,
      NULL, NULL);
  g_type_class_unref (clock);
}
