/* The one error domain. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * TL_ERROR:
 *
 * Domain of every error of the core. The message is one sentence for the user:
 * what failed, why, and which file or size; file names come first.
 * Cancelled work reports %G_IO_ERROR_CANCELLED instead.
 */
#define TL_ERROR (tl_error_quark ())

typedef enum
{
  TL_ERROR_FILE,        /* cannot be opened, read or written */
  TL_ERROR_FORMAT,      /* a file is not what it must be */
  TL_ERROR_SHAPE,       /* sizes disagree */
  TL_ERROR_VALUE,       /* a value, found or asked for, makes no sense */
  TL_ERROR_UNSUPPORTED, /* a combination that does not exist */
  TL_ERROR_MEMORY,      /* not enough, on the host or on the device */
  TL_ERROR_DEVICE       /* the engine is lost: close it */
} TlError;

GQuark tl_error_quark (void);

G_END_DECLS
