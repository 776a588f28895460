#include "app/play/way-private.h"

/* How long a sleep can last after it was cancelled. */
#define NAP_US (G_USEC_PER_SEC / 20)

gboolean
tl_play_sleep (gint64 until_us, GCancellable *cancellable, GError **error)
{
  for (;;)
    {
      const gint64 left_us = until_us - g_get_monotonic_time ();
      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      if (left_us <= 0)
        return TRUE;
      g_usleep ((gulong)MIN (left_us, NAP_US));
    }
}
