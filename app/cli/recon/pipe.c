#include "app/cli/recon/pipe-private.h"

#include "app/cli/cli-private.h"
#include "data/array.h"
#include "data/error.h"
#include "data/write/writer.h"

#include <fcntl.h>
#include <gio/gunixoutputstream.h>
#include <signal.h>
#include <unistd.h>

#define NAME "the standard output"

/* Of PIPE_BUF bytes it is known whether a pipe has room for them, so that a
 * write does not wait, and a cancellation is seen. */
#define PIECE_BYTES 4096

gboolean
tl_cli_pipe_format_parse (const char *text, TlCliPipeFormat *format,
                          GError **error)
{
  static const char *const names[] = { "tiff", "npy", NULL };
  const int index =
      text != NULL ? tl_names_index (names, text) : TL_CLI_PIPE_TIFF;
  if (index < 0)
    return tl_cli_usage_error (error, "--format takes tiff or npy, not \"%s\"",
                               text);
  *format = (TlCliPipeFormat)index;
  return TRUE;
}

gboolean
tl_cli_pipe_check (GError **error)
{
  if (fcntl (STDOUT_FILENO, F_GETFL) < 0)
    return tl_fail (error, TL_ERROR_FILE, NAME " is closed");
  return !isatty (STDOUT_FILENO)
         || tl_fail (error, TL_ERROR_FILE,
                     NAME " is a terminal, which cannot show a picture; send "
                          "it to a program or a file, or name one with -o");
}

static gboolean
write_pieces (GOutputStream *stream, const char *bytes, size_t n,
              GCancellable *cancellable, GError **error)
{
  for (size_t done = 0; done < n; done += PIECE_BYTES)
    if (!g_output_stream_write_all (stream, bytes + done,
                                    MIN (PIECE_BYTES, n - done), NULL,
                                    cancellable, error))
      return FALSE;
  return TRUE;
}

/* Puts a sentence in place of what the system says. @cause: (transfer full) */
static gboolean
explain (GError **error, GError *cause)
{
  g_autoptr (GError) own = cause;
  if (g_error_matches (own, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      g_propagate_error (error, g_steal_pointer (&own));
      return FALSE;
    }
  if (g_error_matches (own, G_IO_ERROR, G_IO_ERROR_BROKEN_PIPE))
    return tl_fail (error, TL_ERROR_FILE,
                    NAME ": the program that reads it ended before it had the "
                         "whole picture");
  return tl_fail (error, TL_ERROR_FILE, NAME " cannot be written: %s",
                  own->message);
}

gboolean
tl_cli_pipe_write (TlCliPipeFormat format, const float *pixels, size_t n_rows,
                   size_t n_cols, const char *description,
                   GCancellable *cancellable, GError **error)
{
  GError *cause = NULL;
  const gboolean is_npy = format == TL_CLI_PIPE_NPY;
  g_autoptr (GBytes) bytes =
      is_npy ? tl_make_npy_head (n_rows, n_cols)
             : tl_make_tiff (NAME, pixels, n_rows, n_cols, description, error);
  if (bytes == NULL)
    return FALSE;
  /* A write to a closed pipe then fails instead of ending the process. */
  signal (SIGPIPE, SIG_IGN);
  g_autoptr (GOutputStream) stream =
      g_unix_output_stream_new (STDOUT_FILENO, FALSE);
  return (write_pieces (stream, g_bytes_get_data (bytes, NULL),
                        g_bytes_get_size (bytes), cancellable, &cause)
          && (!is_npy
              || write_pieces (stream, (const char *)pixels,
                               n_rows * n_cols * sizeof *pixels, cancellable,
                               &cause)))
         || explain (error, cause);
}
