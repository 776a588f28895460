/* A glance at a scan: what it is in words, and one projection in small. */
#pragma once

#include <gio/gio.h>

/* A plain value. */
typedef struct
{
  char *text;     /* layout, sizes and type, or why it cannot be opened */
  GBytes *pixels; /* (nullable): [n_rows][n_cols][3], grey, dark to bright from
                     the 1st to the 99th percentile */
  size_t n_rows, n_cols;
} TlGlance;

/**
 * tl_glance_take:
 * @path: (nullable): the scan or dataset in @file, of HDF5
 * @cancellable: (nullable): ends the opening of @file
 *
 * Reads one projection; of a single row all of it, as it is in the file. Any
 * thread. Returns: (transfer full)
 */
TlGlance *tl_glance_take (const char *file, const char *path,
                          GCancellable *cancellable);
void tl_glance_free (TlGlance *glance);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlGlance, tl_glance_free)
