#include "ui/window/startup-times.h"

#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Field of /proc/self/stat, counted from the end of the name, which is the
 * second one: when the program started, in ticks since the machine did
 * (proc(5)). */
#define START_FIELD 20

typedef struct
{
  TlApplication *application; /* not owned */
  gboolean opens_file, has_window;
  TlStartupTimesFunc tell;
} Times;

/* Returns: seconds since the program was executed; NAN where the system does
 * not say */
static double
get_age_s (void)
{
  g_autofree char *stat = NULL;
  g_auto (GStrv) fields = NULL;
  struct timespec now;
  const char *name_end;

  if (!g_file_get_contents ("/proc/self/stat", &stat, NULL, NULL)
      || (name_end = strrchr (stat, ')')) == NULL)
    return NAN;
  fields = g_strsplit (name_end, " ", START_FIELD + 2);
  if (g_strv_length (fields) < START_FIELD + 1)
    return NAN;
  clock_gettime (CLOCK_BOOTTIME, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9
         - g_ascii_strtod (fields[START_FIELD], NULL)
               / (double)sysconf (_SC_CLK_TCK);
}

static gboolean
has_picture (TlApplication *application)
{
  TlWindow *window = tl_application_get_window (application);
  TlDisplay *display = tl_application_get_session (application)->display;

  return tl_display_get_frame (display) != NULL
         && tl_slice_view_is_drawn (tl_window_get_slice_view (window));
}

static void
on_painted (GdkFrameClock *clock, gpointer data)
{
  Times *times = data;
  TlWindow *window = tl_application_get_window (times->application);
  gboolean is_done;

  if (window == NULL)
    return;
  if (!times->has_window)
    times->tell ("window", get_age_s ());
  times->has_window = TRUE;
  is_done = !times->opens_file || has_picture (times->application);
  if (is_done && times->opens_file)
    times->tell ("picture", get_age_s ());
  if (is_done)
    gtk_window_destroy (GTK_WINDOW (window));
}

static void
on_realize (GtkWidget *window, gpointer data)
{
  g_signal_connect (gtk_widget_get_frame_clock (window), "after-paint",
                    G_CALLBACK (on_painted), data);
}

static void
on_window_added (GtkApplication *application, GtkWindow *window, gpointer data)
{
  if (TL_IS_WINDOW (window))
    g_signal_connect (window, "realize", G_CALLBACK (on_realize), data);
}

void
tl_startup_times_measure (TlApplication *application, gboolean opens_file,
                          TlStartupTimesFunc tell)
{
  Times *times = g_new0 (Times, 1);

  *times = (Times){ application, opens_file, FALSE, tell };
  g_object_set_data_full (G_OBJECT (application), "tl-startup-times", times,
                          g_free);
  g_signal_connect (application, "window-added", G_CALLBACK (on_window_added),
                    times);
}
