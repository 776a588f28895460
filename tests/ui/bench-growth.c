/* How soon a projection is in the picture: bench-growth ADDRESS EXPECTED ANGLES
 * [SECONDS] follows one scan in the window, EXPECTED and ANGLES as of
 * tl_session_follow_address(), and prints JSON: the time from a projection's
 * arrival until a picture with it is painted. Needs a display; the sender is
 * another program. After SECONDS (120) without an end, it tells what there
 * is. */
#include "tests/ui/driver.h"

#define MAX_PROJECTIONS 100000U
#define MAX_MS 100

static const char *address, *expected, *angles;
static double patience_s = 120;

static gint64 arrivals_us[MAX_PROJECTIONS];
static gint n_arrived; /* atomic; the array is full up to there */

gboolean __real_tl_held_put (TlHeld *held, TlFrameKind kind, size_t number,
                             double angle_deg, const void *pixels);
gboolean __wrap_tl_held_put (TlHeld *held, TlFrameKind kind, size_t number,
                             double angle_deg, const void *pixels);

/* The follower's thread. */
gboolean
__wrap_tl_held_put (TlHeld *held, TlFrameKind kind, size_t number,
                    double angle_deg, const void *pixels)
{
  const gint64 now_us = g_get_monotonic_time ();
  const gint n = g_atomic_int_get (&n_arrived);

  if (!__real_tl_held_put (held, kind, number, angle_deg, pixels))
    return FALSE;
  if (kind == TL_FRAMES_PROJECTIONS && n < (gint)MAX_PROJECTIONS)
    {
      arrivals_us[n] = now_us;
      g_atomic_int_set (&n_arrived, n + 1);
    }
  return TRUE;
}

typedef struct
{
  TlSession *session;
  guint n_in_frame; /* projections of the newest frame */
  guint n_painted;  /* of the picture on the screen */
  guint n_pictures;
  gint64 first_us;   /* when the first picture was painted */
  GArray *delays_ms; /* of double: of each projection after the first picture */
  GString *late;     /* "[PROJECTION, MS], ...": pictures that were too late */
} Times;

static void
note_frame (GObject *display, GParamSpec *pspec, gpointer data)
{
  Times *times = data;

  times->n_in_frame =
      (guint)tl_display_get_status (times->session->display)->n_angles;
}

static void
on_painted (GdkFrameClock *clock, gpointer data)
{
  Times *times = data;
  const gint64 now_us = g_get_monotonic_time ();
  const guint n = MIN (times->n_in_frame, (guint)g_atomic_int_get (&n_arrived));

  if (n <= times->n_painted)
    return;
  if (times->n_pictures > 0
      && now_us - arrivals_us[times->n_painted] > MAX_MS * 1000)
    g_string_append_printf (times->late, "%s[%u, %.0f]",
                            times->late->len > 0 ? ", " : "", times->n_painted,
                            (double)(now_us - arrivals_us[times->n_painted])
                                / 1e3);
  for (guint k = times->n_painted; k < n && times->n_pictures > 0; k++)
    {
      const double ms = (double)(now_us - arrivals_us[k]) / 1e3;

      g_array_append_val (times->delays_ms, ms);
    }
  if (times->n_pictures++ == 0)
    times->first_us = now_us;
  times->n_painted = n;
}

static int
compare (gconstpointer a, gconstpointer b)
{
  const double x = *(const double *)a, y = *(const double *)b;

  return x < y ? -1 : x > y;
}

static double
find_permille (GArray *sorted, guint permille)
{
  return sorted->len == 0 ? 0
                          : g_array_index (sorted, double,
                                           (sorted->len - 1) * permille / 1000);
}

static void
print (Times *times)
{
  GArray *ms = times->delays_ms;
  const TlGrowthNews *news = tl_growth_get_news (times->session->growth);
  const guint n = (guint)g_atomic_int_get (&n_arrived);
  guint n_soon = 0;

  g_array_sort (ms, compare);
  for (guint k = 0; k < ms->len; k++)
    n_soon += g_array_index (ms, double, k) < MAX_MS;
  g_print ("{\"projections\": %u, \"painted\": %u, \"lost\": %zu, "
           "\"pictures\": %u, \"rate\": %.1f, \"median_ms\": %.1f, "
           "\"p99_ms\": %.1f, \"longest_ms\": %.1f, \"in_time\": %.4f, "
           "\"late\": [%s]}\n",
           n, times->n_painted, news->n_lost, times->n_pictures,
           n > 1 ? (n - 1) * 1e6 / (double)(arrivals_us[n - 1] - arrivals_us[0])
                 : 0,
           find_permille (ms, 500), find_permille (ms, 990),
           find_permille (ms, 1000), ms->len > 0 ? (double)n_soon / ms->len : 0,
           times->late->str);
}

static gboolean
has_all (Times *times)
{
  return tl_growth_get_state (times->session->growth) == TL_GROWTH_COMPLETE
         && times->n_painted == (guint)g_atomic_int_get (&n_arrived);
}

static gboolean
keep_awake (gpointer data)
{
  return G_SOURCE_CONTINUE;
}

static void
measure (Driver *driver)
{
  Times times = { .session = driver->session,
                  .delays_ms = g_array_new (FALSE, FALSE, sizeof (double)),
                  .late = g_string_new (NULL) };
  GdkFrameClock *clock =
      gtk_widget_get_frame_clock (GTK_WIDGET (driver->window));
  const gint64 end_us =
      g_get_monotonic_time () + (gint64)(patience_s * G_USEC_PER_SEC);
  g_autoptr (GError) error = NULL;
  guint source;

  g_signal_connect (driver->session->display, "notify::frame",
                    G_CALLBACK (note_frame), &times);
  g_signal_connect (clock, "after-paint", G_CALLBACK (on_painted), &times);
  tl_session_follow_address (driver->session, address, expected, angles, "",
                             &error);
  g_assert_no_error (error);
  source = g_timeout_add (20, keep_awake, NULL);
  while (!has_all (&times) && g_get_monotonic_time () < end_us)
    driver_iterate (driver, TRUE);
  g_source_remove (source);
  print (&times);
  g_signal_handlers_disconnect_by_data (clock, &times);
  g_signal_handlers_disconnect_by_data (driver->session->display, &times);
  g_array_unref (times.delays_ms);
  g_string_free (times.late, TRUE);
}

int
main (int argc, char **argv)
{
  static const DriverCase cases[] = { { "/bench/growth", measure, NULL } };

  if (argc != 4 && argc != 5)
    {
      g_printerr ("usage: %s ADDRESS EXPECTED ANGLES [SECONDS]\n", argv[0]);
      return 2;
    }
  address = argv[1];
  expected = argv[2];
  angles = argv[3];
  if (argc == 5)
    patience_s = g_ascii_strtod (argv[4], NULL);
  char *args[] = { argv[0], (char *)"-m=perf", NULL };
  return driver_main (2, args, cases, G_N_ELEMENTS (cases));
}
