/* Whether a path is a folder, an HDF5 file or a TIFF file. */
#pragma once

#include <glib.h>

/* Each format handles one of these. */
typedef enum
{
  TL_CONTAINER_FOLDER,
  TL_CONTAINER_HDF5,
  TL_CONTAINER_TIFF
} TlContainer;

/**
 * tl_container_sniff:
 * @container: (out): by the first bytes of the file, whatever its name
 *
 * Returns: %FALSE with TL_ERROR_FILE (cannot be opened) or TL_ERROR_FORMAT
 *   (neither a folder nor a file of these kinds)
 */
gboolean tl_container_sniff (const char *path, TlContainer *container,
                             GError **error);
