/* Images that follow each other in a file as they are in memory. */
#pragma once

#include "data/read/format/image-format.h"
#include "data/read/format/raw-layout.h"

/**
 * tl_raw_open:
 * @name: of the scan, for messages
 *
 * Returns: (transfer full): for tl_raw_read(); %NULL with
 *   TL_ERROR_FILE, or with TL_ERROR_SHAPE if the file has not exactly the bytes
 *   of @layout
 */
gpointer tl_raw_open (const char *path, const char *name,
                      const TlRawLayout *layout, GError **error);

/** tl_raw_take: As tl_raw_open(), for a file that has the bytes of @layout,
 * and perhaps others. @fd: (transfer full); @changed_us: as of change.h */
gpointer tl_raw_take (int fd, const char *name, const TlRawLayout *layout,
                      gint64 changed_us);

/* The functions of #TlImageReader. */
gboolean tl_raw_next (gpointer file, TlImage *image, gboolean *found,
                      GError **error);
gboolean tl_raw_read (gpointer file, const TlImage *image, const size_t *rows,
                      size_t n_rows, void *dest, GError **error);
void tl_raw_close (gpointer file);

/* The kind of a file whose layout the user says; tl_raw_open() opens it. */
extern const TlImageFormat tl_raw_format;
