/* The error domain of the whole program. */
#pragma once

#include <glib.h>

/** TL_ERROR: Domain of every error of the core. The message is one sentence for
 * the user: what failed, why, and which file or size. File names come first.
 * Cancelled work reports %G_IO_ERROR_CANCELLED instead. */
#define TL_ERROR (tl_error_quark ())

typedef enum
{
  TL_ERROR_FILE,        /* a file cannot be opened, read or written */
  TL_ERROR_FORMAT,      /* the content of a file is not valid */
  TL_ERROR_UNKNOWN,     /* it is of no known format: perhaps raw samples */
  TL_ERROR_LAYOUT,      /* it may be, but what is what in it is not known */
  TL_ERROR_DAMAGE,      /* nor is what was read of it before */
  TL_ERROR_EARLY,       /* what is missing in a file may still be written */
  TL_ERROR_SHAPE,       /* sizes disagree */
  TL_ERROR_ANGLES,      /* other angles are needed */
  TL_ERROR_VALUE,       /* a value from a file or an option makes no sense */
  TL_ERROR_UNSUPPORTED, /* the combination is not supported */
  TL_ERROR_MEMORY,      /* not enough memory on the host or on the device */
  TL_ERROR_DEVICE       /* the engine is lost and must be closed */
} TlError;

GQuark tl_error_quark (void);

/** tl_fail: Sets @error as g_set_error() does; the message becomes UTF-8,
 * whatever it quotes, and loses its middle if it is very long. Returns: %FALSE,
 * so that a function can fail in one statement */
gboolean tl_fail (GError **error, TlError code, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

/** tl_fail_with_hint: As tl_fail(). @hint: (nullable): what helps on the
 * command line, a part of a sentence that names options; the message does not
 * have it, because the window has a button instead */
gboolean tl_fail_with_hint (GError **error, TlError code, const char *hint,
                            const char *format, ...) G_GNUC_PRINTF (4, 5);

/** tl_error_get_hint: @error: of any domain. Returns: (transfer none)
 * (nullable) */
const char *tl_error_get_hint (const GError *error);

/* The same for a function that returns a pointer. */
#define tl_fail_null(...) (tl_fail (__VA_ARGS__), NULL)
#define tl_fail_null_with_hint(...) (tl_fail_with_hint (__VA_ARGS__), NULL)
