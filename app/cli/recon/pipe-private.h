/* A picture on the standard output, for another program. */
#pragma once

#include <gio/gio.h>

/* The name that stands for it. */
#define TL_CLI_PIPE "-"

typedef enum
{
  TL_CLI_PIPE_TIFF,
  TL_CLI_PIPE_NPY
} TlCliPipeFormat;

/** tl_cli_pipe_format_parse: @text: (nullable): %NULL: TIFF. Returns: %FALSE
 * with a usage error */
gboolean tl_cli_pipe_format_parse (const char *text, TlCliPipeFormat *format,
                                   GError **error);

/** tl_cli_pipe_check: To be called before any file is opened, which might take
 * the place of a standard output that is closed. Returns: %FALSE with
 * TL_ERROR_FILE if the standard output is closed or a terminal */
gboolean tl_cli_pipe_check (GError **error);

/**
 * tl_cli_pipe_write:
 * @pixels: [@n_rows][@n_cols]
 * @description: for the ImageDescription tag of a TIFF
 *
 * Returns: %FALSE with TL_ERROR_FILE, also if the reader has closed its end,
 *   or G_IO_ERROR_CANCELLED; a part may have been written then
 */
gboolean tl_cli_pipe_write (TlCliPipeFormat format, const float *pixels,
                            size_t n_rows, size_t n_cols,
                            const char *description, GCancellable *cancellable,
                            GError **error);
