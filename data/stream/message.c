#include "data/stream/message-private.h"

#include "data/error.h"

#include <glib/gi18n.h>

gboolean
tl_message_check_shape (gint64 n_rows, gint64 n_cols, GError **error)
{
  if (n_rows > 0 && n_cols > 0 && n_rows <= TL_STREAM_MAX_SIDE
      && n_cols <= TL_STREAM_MAX_SIDE
      && n_rows * n_cols <= TL_STREAM_MAX_PIXELS)
    return TRUE;
  return tl_fail (error, TL_ERROR_SHAPE,
                  _ ("a frame says that it has %lld rows and %lld columns; it "
                     "needs 1 to %d of each, and at most %lld pixels"),
                  (long long)n_rows, (long long)n_cols, TL_STREAM_MAX_SIDE,
                  (long long)TL_STREAM_MAX_PIXELS);
}
