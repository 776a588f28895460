/* Follows a stream whose messages may be anything. An input is a sequence of
 * messages with MESSAGE between them; PART is between the parts of a message.
 * Each message is taken as a packet of TomoPackets by one track and as JSON and
 * pixels by another. */
#include "tests/fuzz/fuzz.h"

#include "data/stream/track-private.h"

#include <string.h>

#define MESSAGE "<message>"
#define PART "<part>"

enum
{
  MAX_PARTS = 4
};

static void
take_events (TlTrack *track)
{
  TlStreamEvent event;
  static volatile guint8 seen;
  const TlStreamScan *scan;
  while (tl_track_next (track, &event))
    {
      scan = tl_track_get_scan (track);
      if (event.type == TL_STREAM_FRAME)
        seen = ((const guint8 *)event.pixels)[scan->n_rows * scan->n_cols
                                                  * tl_sample_size (scan->type)
                                              - 1];
      if (event.text != NULL)
        g_assert_true (g_utf8_validate (event.text, -1, NULL));
    }
  (void)seen;
}

static void
take (TlTrack *track, const TlMessagePart *parts, size_t n_parts,
      gboolean is_json, gint64 now_us)
{
  g_autoptr (GError) why = NULL;
  TlMessage message;
  if (is_json ? tl_parse_json (parts, n_parts, &message, &why)
              : tl_parse_packet (parts, n_parts, &message, &why))
    {
      message.may_lack_fields = TRUE;
      tl_track_take (track, &message, now_us);
    }
  else
    tl_track_refuse (track, why);
  take_events (track);
}

/* Returns: how many parts @bytes have, which are copied to blocks of their
 * size */
static size_t
split (const guint8 *bytes, size_t size, TlMessagePart *parts)
{
  size_t n = 0;
  const guint8 *end = bytes + size;
  while (bytes != NULL && n < MAX_PARTS)
    {
      const guint8 *mark =
          memmem (bytes, (size_t)(end - bytes), PART, strlen (PART));
      parts[n].n = (size_t)((mark != NULL ? mark : end) - bytes);
      parts[n].bytes =
          memcpy (g_malloc (MAX (parts[n].n, 1)), bytes, parts[n].n);
      n++;
      bytes = mark != NULL ? mark + strlen (PART) : NULL;
    }
  return n;
}

int
LLVMFuzzerTestOneInput (const guint8 *bytes, size_t size)
{
  const guint8 *end = bytes + size;
  g_autoptr (TlTrack) packets = tl_track_new ("packets", NULL, NULL);
  g_autoptr (TlTrack) json = tl_track_new ("json", NULL, NULL);
  const gboolean has_json = tl_parse_json_get_missing () == NULL;
  gint64 now_us = 0;
  while (bytes != NULL)
    {
      TlMessagePart parts[MAX_PARTS];
      const guint8 *mark =
          memmem (bytes, (size_t)(end - bytes), MESSAGE, strlen (MESSAGE));
      const size_t n =
          split (bytes, (size_t)((mark != NULL ? mark : end) - bytes), parts);
      now_us += G_USEC_PER_SEC;
      take (packets, parts, n, FALSE, now_us);
      if (has_json)
        take (json, parts, n, TRUE, now_us);
      for (size_t k = 0; k < n; k++)
        g_free ((void *)parts[k].bytes);
      bytes = mark != NULL ? mark + strlen (MESSAGE) : NULL;
    }
  tl_track_wait (packets, TL_REST_LOST, now_us + 100 * G_USEC_PER_SEC);
  take_events (packets);
  return 0;
}
