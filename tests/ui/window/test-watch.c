/* The watchdog of the tests of the window: what it counts while GTK paints. */
#include "tests/support/watchdog.h"
#include "tests/ui/watch.h"

#include <time.h>

#define SLOW_MS 200.0

/* A widget as one of the program's. */
typedef struct
{
  GtkWidget parent;
} TlSlow;
typedef struct
{
  GtkWidgetClass parent;
} TlSlowClass;

GType tl_slow_get_type (void);
G_DEFINE_TYPE (TlSlow, tl_slow, GTK_TYPE_WIDGET)

static double lasts_ms;
static gboolean sleeps;
static guint n_drawn;

static void
tl_slow_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  const clock_t end = clock () + (clock_t)(lasts_ms / 1e3 * CLOCKS_PER_SEC);

  if (sleeps)
    g_usleep ((gulong)(lasts_ms * 1e3));
  while (!sleeps && clock () < end)
    ;
  n_drawn++;
}

static void
tl_slow_class_init (TlSlowClass *klass)
{
  GTK_WIDGET_CLASS (klass)->snapshot = tl_slow_snapshot;
}

static void
tl_slow_init (TlSlow *slow)
{
  gtk_widget_set_size_request (GTK_WIDGET (slow), 50, 50);
}

static void
draw (GtkWidget *widget, guint n)
{
  n_drawn = 0;
  while (n_drawn < n)
    {
      gtk_widget_queue_draw (widget);
      g_main_context_iteration (NULL, TRUE);
    }
}

/* Computing is told from waiting. */
static void
test_snapshot (void)
{
  GtkWidget *window = gtk_window_new ();
  GtkWidget *slow = g_object_new (tl_slow_get_type (), NULL);

  gtk_window_set_child (GTK_WINDOW (window), slow);
  gtk_window_present (GTK_WINDOW (window));
  draw (slow, 2);
  lasts_ms = SLOW_MS;
  for (sleeps = FALSE; sleeps <= TRUE; sleeps++)
    {
      double longest_ms;

      tl_watchdog_start ();
      draw (slow, 1);
      longest_ms = tl_watchdog_stop ();
      g_test_message ("away for %.0f ms, busy for %.0f ms", longest_ms,
                      tl_watchdog_get_busy_ms ());
      g_assert_cmpfloat (longest_ms, >, SLOW_MS / 2);
      if (sleeps)
        g_assert_cmpfloat (tl_watchdog_get_busy_ms (), <, SLOW_MS / 2);
      else
        g_assert_cmpfloat (tl_watchdog_get_busy_ms (), >, SLOW_MS / 2);
    }
  gtk_window_destroy (GTK_WINDOW (window));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  gtk_init ();
  tl_watch_init ();
  g_test_add_func ("/watch/snapshot", test_snapshot);
  return g_test_run ();
}
