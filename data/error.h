/* The error domain of the whole program. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * TL_ERROR:
 *
 * Domain of every error of the core. The message is one sentence for the
 * user: what failed, why, and which file or size. File names come first.
 * Cancelled work reports %G_IO_ERROR_CANCELLED instead.
 */
#define TL_ERROR (tl_error_quark ())

typedef enum
{
  TL_ERROR_FILE,        /* a file cannot be opened, read or written */
  TL_ERROR_FORMAT,      /* the content of a file is not valid */
  TL_ERROR_SHAPE,       /* sizes disagree */
  TL_ERROR_VALUE,       /* a value from a file or an option makes no sense */
  TL_ERROR_UNSUPPORTED, /* the combination is not supported */
  TL_ERROR_MEMORY,      /* not enough memory on the host or on the device */
  TL_ERROR_DEVICE       /* the engine is lost and must be closed */
} TlError;

GQuark tl_error_quark (void);

G_END_DECLS
