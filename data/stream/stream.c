#include "data/stream/stream.h"

#include "data/error.h"
#include "data/stream/last-field-private.h"
#include "data/stream/source-private.h"

#include <glib/gi18n.h>
#include <string.h>

/* How often a wait looks whether it was cancelled. */
#define LOOK_MS 50

static const TlStreamSource *const sources[] = {
  &tl_packets_source,
  &tl_packets_reply_source,
  &tl_json_source,
  &tl_json_subscribed_source,
};

struct TlStream
{
  const TlStreamSource *class;
  gpointer source;
  TlTrack *track;
};

static const TlStreamSource *
find_source (const char *name, GError **error)
{
  for (size_t k = 0; k < G_N_ELEMENTS (sources); k++)
    if (g_str_has_prefix (name, sources[k]->scheme))
      return sources[k];
  if (strstr (name, "://") != NULL)
    return tl_fail_null (error, TL_ERROR_VALUE,
                         _ ("%s: unknown kind of address; it begins with "
                            "zmq+tomopackets://, zmq+tomopackets+rep://, "
                            "zmq+json:// or zmq+json+sub://"),
                         name);
  return g_file_test (name, G_FILE_TEST_IS_DIR) ? &tl_folder_source
                                                : &tl_file_source;
}

gboolean
tl_stream_is_address (const char *name)
{
  g_return_val_if_fail (name != NULL, FALSE);
  return g_str_has_prefix (name, "zmq+") && strstr (name, "://") != NULL;
}

gboolean
tl_stream_lacks_number (const char *name)
{
  g_return_val_if_fail (name != NULL, FALSE);
  const TlStreamSource *class = find_source (name, NULL);
  return class != NULL && class->scheme != NULL && !class->announces;
}

static gboolean
check_options (const TlStreamSource *class, const char *name,
               const TlStreamOptions *options, GError **error)
{
  return options == NULL || !options->has_angles || class->announces
         || options->n_expected[TL_FRAMES_PROJECTIONS] > 0
         || tl_fail (error, TL_ERROR_VALUE,
                     _ ("%s: the number of projections has to be given "
                        "together with the first and the last angle"),
                     name);
}

TlStream *
tl_stream_open (const char *name, const TlStreamOptions *options,
                GError **error)
{
  g_return_val_if_fail (options == NULL
                            || options->n_expected[TL_FRAMES_PROJECTIONS]
                                   <= TL_STREAM_MAX_FRAMES,
                        NULL);
  const TlStreamSource *class = find_source (name, error);
  if (class == NULL || !check_options (class, name, options, error))
    return NULL;
  g_autoptr (TlTrack) track = tl_track_new (name, options, error);
  gpointer source = track != NULL ? class->open (name, error) : NULL;
  if (source == NULL)
    return NULL;
  TlStream *stream = g_new0 (TlStream, 1);
  stream->class = class;
  stream->source = source;
  stream->track = g_steal_pointer (&track);
  return stream;
}

void
tl_stream_close (TlStream *stream)
{
  if (stream == NULL)
    return;
  stream->class->close (stream->source);
  tl_track_free (stream->track);
  g_free (stream);
}

/* Waits until @end_us for one message, but not for long. */
static gboolean
take_message (TlStream *stream, gint64 end_us, GCancellable *cancellable,
              GError **error)
{
  const gint64 left_us = MAX (end_us - g_get_monotonic_time (), 0);
  if (g_cancellable_set_error_if_cancelled (cancellable, error)
      || !stream->class->poll (stream->source, stream->track,
                               (guint)MIN (left_us / 1000, LOOK_MS), error))
    return FALSE;
  const gint64 now_us = g_get_monotonic_time ();
  if (tl_track_is_late (stream->track, now_us))
    tl_track_wait (stream->track,
                   stream->class->get_rest != NULL
                       ? stream->class->get_rest (stream->source)
                       : TL_REST_LOST,
                   now_us);
  return TRUE;
}

gboolean
tl_stream_next (TlStream *stream, guint timeout_ms, GCancellable *cancellable,
                TlStreamEvent *event, GError **error)
{
  g_return_val_if_fail (stream != NULL && event != NULL, FALSE);
  const gint64 end_us = g_get_monotonic_time () + (gint64)timeout_ms * 1000;
  gboolean is_late = FALSE;
  while (!tl_track_next (stream->track, event))
    {
      if (is_late)
        {
          *event = (TlStreamEvent){ .type = TL_STREAM_QUIET };
          return TRUE;
        }
      is_late = g_get_monotonic_time () >= end_us;
      if (!take_message (stream, end_us, cancellable, error))
        return FALSE;
    }
  return TRUE;
}

const TlStreamScan *
tl_stream_get_scan (TlStream *stream)
{
  return tl_track_get_scan (stream->track);
}

const TlStreamCounts *
tl_stream_get_counts (TlStream *stream)
{
  return tl_track_get_counts (stream->track);
}

guint64
tl_stream_count_kept_bytes (TlStream *stream)
{
  return stream->class->keeps_fields
             ? 2 * tl_last_field_count_bytes (tl_stream_get_scan (stream))
             : 0;
}
