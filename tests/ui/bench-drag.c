/* How steadily the picture follows while a volume is written: bench-drag SCAN
 * [VOLUME] opens the scan in the window, exports 512 slices from the middle
 * some times, and drags the centre with the mouse meanwhile. VOLUME is removed;
 * without it nothing is exported. In place of VOLUME, --volume shows the page
 * of the volume, which follows then, and --box the part of it in its middle
 * that has BOX_COLS columns in single pixels. Prints JSON: the time between two
 * pictures on the screen, and until the first volume; of volumes also what one
 * takes to be made, without the window, and the time from a change of the
 * centre to the end of the painting that shows it, and which way they took to
 * the screen. For each late picture it prints when it came, the time since the
 * one before, the longest time without a change of the centre, and how long it
 * took to make the picture, to wait for the frame clock, and to paint. Needs
 * xdotool and an X server; on another display the centre moves without the
 * mouse. */
#include "tests/ui/driver.h"

#include "app/volume/scene.h"

#include <gdk/x11/gdkx.h>

#define N_SLICES 512U
#define N_EXPORTS 4
#define N_MOVES 60 /* of a drag, by a pixel each */
#define N_IDLE_DRAGS 12
#define BOX_COLS 512.0
#define AT_ONCE_US 1000
#define LATE_MS 33.4 /* more than two pictures of a screen with 60 Hz */

static const char *scan, *volume; /* volume: (nullable) */
static gboolean shows_volume, shows_box;

typedef struct
{
  guint n_frames, n_drawn; /* that arrived, and of these on the screen */
  gint64 last_us;          /* 0: none is on the screen */
  gint64 start_us;
  gint64 frame_us, paint_us; /* when the newest picture came, and painting
                                began */
  double picture_ms;         /* what the newest picture took to be made */
  double unchanged_ms;  /* the longest time between two changes, since the last
                           picture was painted */
  GArray *intervals_ms; /* of double */
  gint64 changed_us, shown_us; /* the newest change, and that of the newest
                                  volume */
  gboolean is_new;             /* that is not on the screen */
  gint64 sent_us;    /* the change that the volume being made shows; 0: none */
  gint64 asked_us;   /* when that was asked for, if not because one was made */
  gboolean has_come; /* a volume, after which none was asked for yet */
  GArray *made_ms;   /* of double: what a volume took */
  GArray *delays_ms; /* of double: from a change to its volume on the screen */
  GString *late;     /* JSON: the late pictures */
} Times;

static void
count_frame (TlDisplay *display, GParamSpec *pspec, gpointer data)
{
  Times *times = data;

  times->n_frames++;
  times->frame_us = g_get_monotonic_time ();
  times->picture_ms = tl_display_get_status (display)->frame_ms;
}

/* The scene is told of a change before this: where it has asked for a volume at
 * once, that is for this change. */
static void
note_change (GObject *parameters, GParamSpec *pspec, gpointer data)
{
  Times *times = data;
  const gint64 now_us = g_get_monotonic_time ();
  const double ms = (double)(now_us - times->changed_us) / 1e3;

  times->changed_us = now_us;
  if (times->last_us > 0)
    times->unchanged_ms = MAX (times->unchanged_ms, ms);
  if (now_us - times->asked_us < AT_ONCE_US)
    times->sent_us = now_us;
}

/* Each volume is asked for with the newest parameters, the next one when one
 * has been made: "busy" is notified after each of them. */
static void
note_sent (TlScene *scene, GParamSpec *pspec, gpointer data)
{
  Times *times = data;
  const gboolean is_next = times->has_come;

  times->has_come = FALSE;
  if (times->sent_us != 0 || !tl_scene_is_making (scene))
    return;
  if (!is_next)
    times->asked_us = g_get_monotonic_time ();
  times->sent_us = times->changed_us;
}

static void
note_volume (TlScene *scene, GParamSpec *pspec, gpointer data)
{
  Times *times = data;
  const gint64 sent_us = times->sent_us;
  const double ms = tl_scene_get_ms (scene);

  times->n_frames++;
  times->frame_us = g_get_monotonic_time ();
  times->picture_ms = ms;
  times->sent_us = 0;
  times->has_come = TRUE;
  /* not the finer volume that comes when it is quiet */
  if (sent_us == 0 || sent_us == times->shown_us)
    return;
  times->shown_us = sent_us;
  times->is_new = TRUE;
  g_array_append_val (times->made_ms, ms);
}

static void
note_delay (Times *times, gint64 now_us)
{
  const double ms = (double)(now_us - times->shown_us) / 1e3;

  if (times->is_new)
    g_array_append_val (times->delays_ms, ms);
  times->is_new = FALSE;
}

static void
on_paint_begin (GdkFrameClock *clock, gpointer data)
{
  ((Times *)data)->paint_us = g_get_monotonic_time ();
}

static void
note_late (Times *times, gint64 now_us, double ms)
{
  g_string_append_printf (times->late,
                          "%s{\"s\": %.2f, \"ms\": %.0f, "
                          "\"unchanged_ms\": %.0f, \"made_ms\": %.0f, "
                          "\"waited_ms\": %.0f, \"painted_ms\": %.0f}",
                          times->late->len > 0 ? ", " : "",
                          (double)(now_us - times->start_us) / 1e6, ms,
                          times->unchanged_ms, times->picture_ms,
                          (double)(times->paint_us - times->frame_us) / 1e3,
                          (double)(now_us - times->paint_us) / 1e3);
}

static void
on_painted (GdkFrameClock *clock, gpointer data)
{
  Times *times = data;
  const gint64 now_us = g_get_monotonic_time ();

  if (times->n_drawn == times->n_frames)
    return;
  times->n_drawn = times->n_frames;
  note_delay (times, now_us);
  if (times->last_us > 0)
    {
      const double ms = (double)(now_us - times->last_us) / 1e3;

      g_array_append_val (times->intervals_ms, ms);
      if (ms > LATE_MS)
        note_late (times, now_us, ms);
    }
  times->last_us = now_us;
  times->unchanged_ms = 0;
}

static gboolean
is_exporting (Driver *driver)
{
  gboolean exporting;

  g_object_get (driver->session->exporter, "running", &exporting, NULL);
  return exporting;
}

/* Drags the strip below the picture, by turns to the right and to the left. At
 * a turn within a drag a picture would be the same as the one before. */
static void
drag (Driver *driver, Times *times)
{
  static int way = -1;
  GtkWidget *strip = driver_find (driver, "centre_strip");
  g_autoptr (GString) moves = g_string_new (NULL);
  int x, y;

  driver_locate (driver, strip, gtk_widget_get_width (strip) / 2.0,
                 gtk_widget_get_height (strip) / 2.0, &x, &y);
  way = -way;
  for (int k = 1; k <= N_MOVES; k++)
    g_string_append_printf (moves, " mousemove %d %d sleep 0.008",
                            x + way * (k - N_MOVES / 2), y);
  times->last_us = 0;
  driver_send (driver, "mousemove %d %d mousedown 1%s mouseup 1",
               x - way * N_MOVES / 2, y, moves->str);
}

/* The same without a mouse. */
static void
step (Driver *driver, Times *times)
{
  static int way = -1;

  way = -way;
  times->last_us = 0;
  for (int k = 0; k < N_MOVES; k++)
    {
      const gint64 end_us = g_get_monotonic_time () + 8000;

      driver_activate (driver, "step-centre", g_variant_new_double (way * 0.1));
      while (g_get_monotonic_time () < end_us)
        driver_iterate (driver, FALSE);
    }
}

static void
start_export (Driver *driver)
{
  const guint n_rows =
      (guint)tl_scan_source_get_summary (driver->session->source)->n_rows;
  const guint n = MIN (n_rows, N_SLICES), first = (n_rows - n) / 2;
  g_autoptr (GVariantDict) dict = g_variant_dict_new (NULL);

  g_variant_dict_insert (dict, "path", "s", volume);
  g_variant_dict_insert (dict, "first", "u", first);
  g_variant_dict_insert (dict, "last", "u", first + n - 1);
  driver_activate (driver, "export", g_variant_dict_end (dict));
}

static int
compare (gconstpointer a, gconstpointer b)
{
  const double x = *(const double *)a, y = *(const double *)b;

  return x < y ? -1 : x > y;
}

static double
find_percentile (GArray *sorted, guint percent)
{
  return sorted->len == 0 ? 0
                          : g_array_index (sorted, double,
                                           (sorted->len - 1) * percent / 100);
}

static void
print (const char *when, Times *times)
{
  const double seconds =
      (double)(g_get_monotonic_time () - times->start_us) / 1e6;
  GArray *ms = times->intervals_ms;
  double sum = 0;
  guint n_below = 0;

  g_array_sort (ms, compare);
  for (guint k = 0; k < ms->len; k++)
    {
      sum += g_array_index (ms, double, k);
      n_below += g_array_index (ms, double, k) <= LATE_MS;
    }
  g_print ("{\"when\": \"%s\", \"seconds\": %.2f, \"pictures\": %u, "
           "\"per_second\": %.1f, \"median_ms\": %.1f, \"p99_ms\": %.1f, "
           "\"longest_ms\": %.1f, "
           "\"in_time\": %.4f, \"late\": [%s]}\n",
           when, seconds, ms->len, sum > 0 ? 1e3 * ms->len / sum : 0,
           find_percentile (ms, 50), find_percentile (ms, 99),
           find_percentile (ms, 100),
           ms->len > 0 ? (double)n_below / ms->len : 0, times->late->str);
  g_string_truncate (times->late, 0);
  g_array_set_size (ms, 0);
}

static void
print_volumes (Driver *driver, Times *times)
{
  TlScene *scene = tl_session_get_scene (driver->session);
  const TlVoxels *voxels = tl_scene_get_voxels (scene);
  GArray *made = times->made_ms, *delays = times->delays_ms;

  g_array_sort (made, compare);
  g_array_sort (delays, compare);
  g_print ("{\"volumes\": %u, \"voxels\": [%zu, %zu, %zu], \"bin\": %u, "
           "\"path\": \"%s\", \"made_median_ms\": %.1f, "
           "\"made_p99_ms\": %.1f, \"delay_median_ms\": %.1f, "
           "\"delay_p99_ms\": %.1f, \"delay_longest_ms\": %.1f}\n",
           made->len, voxels->n[0], voxels->n[1], voxels->n[2],
           tl_scene_get_bin (scene),
           tl_view_get_path (tl_application_get_view (driver->application)),
           find_percentile (made, 50), find_percentile (made, 99),
           find_percentile (delays, 50), find_percentile (delays, 99),
           find_percentile (delays, 100));
}

static gboolean
has_voxels (Driver *driver)
{
  return tl_scene_get_voxels (tl_session_get_scene (driver->session)) != NULL;
}

static gboolean
is_idle (Driver *driver)
{
  return !tl_scene_is_busy (tl_session_get_scene (driver->session));
}

static gboolean
has_box (Driver *driver)
{
  TlScene *scene = tl_session_get_scene (driver->session);

  return tl_scene_get_box (scene)->n[0] > 0 && !tl_scene_is_busy (scene);
}

/* Looks into the box when the volume is at rest. The time has reading the rows
 * from the file in it, and "made_ms" is that from then on. */
static void
enter_box (Driver *driver)
{
  TlScene *scene = tl_session_get_scene (driver->session);
  const TlScanSummary *scan_info =
      tl_scan_source_get_summary (driver->session->source);
  const double n[3] = { (double)scan_info->n_cols, (double)scan_info->n_cols,
                        (double)scan_info->n_rows };
  TlVolumeLook look = *tl_scene_get_look (scene);
  const gint64 start_us = g_get_monotonic_time ();

  for (guint k = 0; k < 3; k++)
    {
      const double half = MIN (BOX_COLS / n[k], 1) / 2;

      look.box[k][0] = 0.5 - half;
      look.box[k][1] = 0.5 + half;
    }
  tl_scene_set_look (scene, &look);
  tl_scene_look_into_box (scene, TRUE);
  driver_wait (driver, has_box, "the box");
  g_print ("{\"box_s\": %.2f, \"made_ms\": %.1f}\n",
           (double)(g_get_monotonic_time () - start_us) / 1e6,
           tl_scene_get_ms (scene));
}

/* Shows the page of the volume. */
static void
enter_volume (Driver *driver, Times *times)
{
  TlScene *scene = tl_session_get_scene (driver->session);
  const gint64 start_us = g_get_monotonic_time ();

  driver_activate (driver, "view", g_variant_new_string ("volume"));
  driver_wait (driver, has_voxels, "the volume");
  g_print ("{\"first_volume_s\": %.2f, \"bytes\": %" G_GUINT64_FORMAT "}\n",
           (double)(g_get_monotonic_time () - start_us) / 1e6,
           tl_scene_count_bytes (scene));
  driver_settle (driver);
  driver_wait (driver, is_idle, "all projections");
  if (shows_box)
    enter_box (driver);
  g_signal_connect (scene, "notify::busy", G_CALLBACK (note_sent), times);
  g_signal_connect (scene, "notify::voxels", G_CALLBACK (note_volume), times);
}

static void
measure (Driver *driver)
{
  Times times = { .intervals_ms = g_array_new (FALSE, FALSE, sizeof (double)),
                  .made_ms = g_array_new (FALSE, FALSE, sizeof (double)),
                  .delays_ms = g_array_new (FALSE, FALSE, sizeof (double)),
                  .late = g_string_new (NULL) };
  GdkFrameClock *clock =
      gtk_widget_get_frame_clock (GTK_WIDGET (driver->window));

  g_free (driver->scan);
  driver->scan = g_strdup (scan);
  driver_open (driver);
  if (shows_volume)
    enter_volume (driver, &times);
  else
    g_signal_connect (driver->session->display, "notify::frame",
                      G_CALLBACK (count_frame), &times);
  g_signal_connect (driver->session->parameters, "notify::recipe",
                    G_CALLBACK (note_change), &times);
  g_signal_connect (clock, "before-paint", G_CALLBACK (on_paint_begin), &times);
  g_signal_connect (clock, "after-paint", G_CALLBACK (on_painted), &times);
  times.start_us = g_get_monotonic_time ();
  for (guint k = 0; k < N_IDLE_DRAGS; k++)
    if (GDK_IS_X11_DISPLAY (gdk_display_get_default ()))
      drag (driver, &times);
    else
      step (driver, &times);
  print ("idle", &times);
  if (shows_volume)
    print_volumes (driver, &times);
  times.start_us = g_get_monotonic_time ();
  for (guint k = 0; volume != NULL && k < N_EXPORTS; k++)
    {
      start_export (driver);
      do
        drag (driver, &times);
      while (is_exporting (driver));
      driver_remove_folder (volume);
      times.last_us = 0; /* removing has kept pictures waiting */
    }
  if (volume != NULL)
    print ("exporting", &times);
  g_signal_handlers_disconnect_by_data (clock, &times);
  g_signal_handlers_disconnect_by_data (driver->session->display, &times);
  if (shows_volume)
    g_signal_handlers_disconnect_by_data (
        tl_session_get_scene (driver->session), &times);
  g_signal_handlers_disconnect_by_data (driver->session->parameters, &times);
  g_array_unref (times.intervals_ms);
  g_array_unref (times.made_ms);
  g_array_unref (times.delays_ms);
  g_string_free (times.late, TRUE);
}

int
main (int argc, char **argv)
{
  static const DriverCase cases[] = { { "/bench/drag", measure, NULL } };

  if (argc != 2 && argc != 3)
    {
      g_printerr ("usage: %s SCAN [VOLUME | --volume | --box]\n", argv[0]);
      return 2;
    }
  scan = argv[1];
  shows_box = g_strcmp0 (argv[2], "--box") == 0;
  shows_volume = shows_box || g_strcmp0 (argv[2], "--volume") == 0;
  volume = shows_volume ? NULL : argv[2];
  char *args[] = { argv[0], (char *)"-m=perf", NULL };
  return driver_main (2, args, cases, G_N_ELEMENTS (cases));
}
