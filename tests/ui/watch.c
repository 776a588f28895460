#include "tests/ui/watch.h"

#include "tests/support/watchdog.h"

#include <dlfcn.h>
#include <gdk/x11/gdkx.h>
#include <poll.h>

static GThread *main_thread;
static int x_server = -1; /* file descriptor of the connection */
static gboolean is_painting;

/* How widgets of the program draw themselves, by type: what takes its time
 * there is the program, not GTK. */
static GHashTable *snapshots;
static gboolean counts_snapshot; /* while GTK paints */
static void (*real_snapshot_gl_area) (GtkWidget *, GtkSnapshot *);

static void
snapshot_watched (GtkWidget *widget, GtkSnapshot *snapshot)
{
  GType type = G_OBJECT_TYPE (widget);
  void (*real) (GtkWidget *, GtkSnapshot *);

  while (!g_hash_table_contains (snapshots, GSIZE_TO_POINTER (type)))
    type = g_type_parent (type);
  *(void **)&real = g_hash_table_lookup (snapshots, GSIZE_TO_POINTER (type));
  const gboolean begins = is_painting && !counts_snapshot;

  if (begins)
    tl_watchdog_go_on ();
  counts_snapshot |= begins;
  real (widget, snapshot);
  if (begins)
    tl_watchdog_pause ();
  counts_snapshot &= !begins;
}

/* Draws with OpenGL, which is software here. */
static void
snapshot_gl_area (GtkWidget *widget, GtkSnapshot *snapshot)
{
  const gboolean ends = counts_snapshot;

  if (ends)
    tl_watchdog_pause ();
  counts_snapshot &= !ends;
  real_snapshot_gl_area (widget, snapshot);
  if (ends)
    tl_watchdog_go_on ();
  counts_snapshot |= ends;
}

/* Watches those below @type that draw themselves, as far as there are any. */
static void
watch_snapshots (GType type)
{
  g_autofree GType *types = g_type_children (type, NULL);

  for (GType *child = types; *child != 0; child++)
    {
      GtkWidgetClass *widget_class = g_type_class_peek (*child);

      watch_snapshots (*child);
      if (widget_class == NULL || !g_str_has_prefix (g_type_name (*child), "Tl")
          || widget_class->snapshot == snapshot_watched
          || widget_class->snapshot
                 == GTK_WIDGET_CLASS (g_type_class_peek_parent (widget_class))
                        ->snapshot)
        continue;
      g_hash_table_insert (snapshots, GSIZE_TO_POINTER (*child),
                           *(void **)&widget_class->snapshot);
      widget_class->snapshot = snapshot_watched;
    }
}

static gboolean
on_paint (GSignalInvocationHint *hint, guint n, const GValue *values,
          gpointer data)
{
  is_painting = tl_watchdog_pause ();
  watch_snapshots (GTK_TYPE_WIDGET);
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
  GtkWidgetClass *gl_area = g_type_class_ref (GTK_TYPE_GL_AREA); /* kept */
  GdkDisplay *display = gdk_display_get_default ();

  main_thread = g_thread_self ();
  snapshots = g_hash_table_new (NULL, NULL);
  real_snapshot_gl_area = gl_area->snapshot;
  gl_area->snapshot = snapshot_gl_area;
  if (GDK_IS_X11_DISPLAY (display))
    x_server = ConnectionNumber (gdk_x11_display_get_xdisplay (display));
  g_signal_add_emission_hook (g_signal_lookup ("paint", GDK_TYPE_FRAME_CLOCK),
                              0, on_paint, NULL, NULL);
  g_signal_add_emission_hook (
      g_signal_lookup ("after-paint", GDK_TYPE_FRAME_CLOCK), 0, on_painted,
      NULL, NULL);
  g_type_class_unref (clock);
}
