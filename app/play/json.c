/* The messages of PSI's std_daq, as recastx and foamstream take them: JSON,
 * then the pixels, little-endian. The receivers connect to the address that
 * this program binds. */
#include "app/play/message-private.h"

#include <string.h>

static gpointer
open_json (const TlPlayTarget *target, GError **error)
{
  return tl_play_line_open (
      target, target->job->publishes ? TL_SOCKET_PUBLISH : TL_SOCKET_PUSH,
      target->type, TRUE, error);
}

static gboolean
send_frame (gpointer to, const TlPlayStep *step, const void *pixels,
            GError **error)
{
  static const int scan_indices[TL_N_FRAME_KINDS] = {
    [TL_FRAMES_DARKS] = 0,
    [TL_FRAMES_FLATS] = 1,
    [TL_FRAMES_PROJECTIONS] = 2,
  };
  TlPlayLine *line = to;
  const TlScanInfo *info = line->target->info;
  const TlSampleType type = line->target->type;
  const size_t n = info->n_rows * info->n_cols;
  g_autofree char *json = g_strdup_printf (
      "{\"frame\": %zu, \"shape\": [%zu, %zu], \"type\": \"%s\", "
      "\"image_attributes\": {\"scan_index\": %d}}",
      step->index, info->n_rows, info->n_cols, tl_sample_name (type),
      scan_indices[step->kind]);
  if (G_BYTE_ORDER == G_BIG_ENDIAN)
    {
      memcpy (line->pixels, pixels, n * tl_sample_size (type));
      tl_samples_swap (type, line->pixels, n);
      pixels = line->pixels;
    }
  const TlMessagePart parts[] = {
    { json, strlen (json) },
    { pixels, n * tl_sample_size (type) },
  };
  return tl_play_line_send (line, parts, G_N_ELEMENTS (parts), error);
}

const TlPlayWayClass tl_play_json = {
  .scheme = "zmq+json://",
  .way = TL_PLAY_JSON,
  .open = open_json,
  .send = send_frame,
  .close = tl_play_line_close,
};
