/* The kind of file or folder, by its first bytes. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What the first bytes say; each format looks into one kind only. */
typedef enum
{
  TL_CONTAINER_FOLDER,
  TL_CONTAINER_HDF5,
  TL_CONTAINER_TIFF
} TlContainer;

/**
 * tl_container_sniff:
 *
 * Returns: %FALSE with TL_ERROR_FILE, or TL_ERROR_FORMAT (none of them)
 */
gboolean tl_container_sniff (const char *path, TlContainer *container,
                             GError **error);

G_END_DECLS
