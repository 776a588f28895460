#include "data/stream/event.h"

char *
tl_stream_event_dup_words (const TlStreamEvent *event, gboolean names_options)
{
  return names_options && event->hint != NULL
             ? g_strconcat (event->text, "; ", event->hint, NULL)
             : g_strdup (event->text);
}

size_t
tl_stream_count_announced (const TlStreamScan *scan, TlFrameKind kind)
{
  return kind == TL_FRAMES_PROJECTIONS ? scan->n_projections
         : kind == TL_FRAMES_FLATS     ? scan->n_flats
                                       : scan->n_darks;
}

size_t
tl_stream_count_expected (const TlStreamScan *scan,
                          const TlStreamCounts *counts, TlFrameKind kind)
{
  const gboolean are_projections = kind == TL_FRAMES_PROJECTIONS;
  const size_t n_known =
      counts->n_received[kind]
      + (are_projections ? counts->n_missing : counts->n_gaps[kind]);
  const size_t n = MAX (tl_stream_count_announced (scan, kind), n_known);
  return are_projections ? MAX (n, counts->n_places) : n;
}

size_t
tl_stream_count_missing (const TlStreamScan *scan, const TlStreamCounts *counts)
{
  size_t n = 0;
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    n += tl_stream_count_expected (scan, counts, kind)
         - counts->n_received[kind];
  return n;
}
