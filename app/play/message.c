#include "app/play/message-private.h"

#include "data/array.h"
#include "data/error.h"

#include <glib/gi18n.h>
#include <string.h>

/* How often a wait looks whether it was cancelled, and after how long the user
 * is told about it. */
#define LOOK_MS 50
#define PATIENCE_MS 1000

/* What was sent may still be in memory; a receiver that is gone for so long is
 * not waited for at the end. */
#define LINGER_MS 10000
#define CANCELLED_LINGER_MS 1000

/* @parts: (nullable): %NULL: waits for a message instead */
static gboolean
wait_for (TlPlayLine *line, const TlMessagePart *parts, size_t n_parts,
          GError **error)
{
  const TlPlayJob *job = line->target->job;
  gboolean is_done = FALSE;
  size_t n_received;
  for (guint waited_ms = 0; !is_done; waited_ms += LOOK_MS)
    {
      if (waited_ms == PATIENCE_MS && job->waits != NULL)
        job->waits (job->data);
      if (g_cancellable_set_error_if_cancelled (line->target->cancellable,
                                                error)
          || !(parts != NULL ? tl_socket_send (line->socket, parts, n_parts,
                                               LOOK_MS, &is_done, error)
                             : tl_socket_receive (line->socket, NULL, 0,
                                                  &n_received, LOOK_MS, error)))
        return FALSE;
      is_done = is_done || (parts == NULL && n_received > 0);
    }
  return TRUE;
}

static void
free_line (TlPlayLine *line, guint linger_ms)
{
  tl_socket_close (line->socket, linger_ms);
  g_free (line->pixels);
  g_free (line);
}

TlPlayLine *
tl_play_line_open (const TlPlayTarget *target, TlSocketKind kind,
                   TlSampleType type, gboolean binds, GError **error)
{
  const TlScanInfo *info = target->info;
  TlPlayLine *line = g_new0 (TlPlayLine, 1);
  line->target = target;
  line->kind = kind;
  line->pixels =
      tl_try_alloc (info->n_rows, info->n_cols, 1, tl_sample_size (type),
                    _ ("one projection"), error);
  line->socket = line->pixels != NULL
                     ? tl_socket_open (kind, target->job->to, binds, error)
                     : NULL;
  if (line->socket != NULL
      && (kind != TL_SOCKET_PUBLISH || wait_for (line, NULL, 0, error)))
    return line;
  free_line (line, 0);
  return NULL;
}

gboolean
tl_play_line_send (TlPlayLine *line, const TlMessagePart *parts, size_t n_parts,
                   GError **error)
{
  return wait_for (line, parts, n_parts, error)
         && (line->kind != TL_SOCKET_REQUEST
             || wait_for (line, NULL, 0, error));
}

gboolean
tl_play_line_close (gpointer line, GError **error)
{
  const TlPlayTarget *target = ((TlPlayLine *)line)->target;
  free_line (line, g_cancellable_is_cancelled (target->cancellable)
                       ? CANCELLED_LINGER_MS
                       : LINGER_MS);
  return TRUE;
}
