/* Joins the parts of an export that several machines have made. */
#pragma once

#include "app/export/export.h"

/**
 * tl_export_join:
 * @job: with the settings of the whole volume and n_parts; its part is ignored
 *
 * Checks that all parts are there, made from the same scan with the same
 * recipe, and, by their checksums, as they were made. The files of a TIFF stack
 * move to one folder, and are copied there if it cannot have hard links to
 * them; HDF5 and NeXus become a file with a virtual dataset, which needs the
 * parts beside it.
 *
 * Returns: %FALSE with TL_ERROR_FILE or TL_ERROR_VALUE that names the part,
 *   with %G_IO_ERROR_CANCELLED, or
 *   with TL_ERROR_FILE if there is too little room for copies; the parts stay
 *   as they are
 */
gboolean tl_export_join (const TlExportJob *job, GCancellable *cancellable,
                         GError **error);
