/* The kinds of image files, and the interface that each of them implements. A
 * scan is one such file, or a folder of them; data/read/images/images.c
 * reads both. */
#pragma once

#include "data/read/scan/draft.h"
#include "data/read/format/stored.h"

/* One image of a file. */
typedef struct
{
  guint64 place;    /* in the file, as its reader counts */
  TlFrameKind kind; /* other than projections only where the file says so */
  size_t n_rows, n_cols;
  TlStoredType stored;
  TlSampleType type; /* tl_stored_get_type(), as read() gives the samples */
  gint64 changed_us; /* when the file was written, as of change.h */
  gboolean has_rows; /* a row is read without those before it */
  guint n_summed;    /* exposures whose sum is in the file; read() gives their
                        mean; 0: one */
} TlImage;

typedef struct
{
  /* Returns: (transfer full): an open file, used by one thread at a time;
   * next() finds its first image. %NULL with TL_ERROR_FILE (missing, truncated)
   * or TL_ERROR_FORMAT (not of this kind) */
  gpointer (*open) (const char *path, GError **error);

  /* Finds the next image of the file. @found: (out): whether there was one.
   * Returns: %FALSE with TL_ERROR_FILE (truncated), TL_ERROR_FORMAT or
   *   TL_ERROR_UNSUPPORTED */
  gboolean (*next) (gpointer file, TlImage *image, gboolean *found,
                    GError **error);

  /* @image: from next(), of this file. @rows: [@n_rows], ascending; @dest: (out
   * caller-allocates): [@n_rows][n_cols], native byte order.
   * Returns: %FALSE with TL_ERROR_FILE or TL_ERROR_MEMORY */
  gboolean (*read) (gpointer file, const TlImage *image, const size_t *rows,
                    size_t n_rows, void *dest, GError **error);

  /* (nullable). Adds to @draft what else the file says: angles, pixel size,
   * notes. Called after next() has found no further image. */
  gboolean (*describe) (gpointer file, TlScanDraft *draft, GError **error);

  void (*close) (gpointer file);

  gboolean is_scan; /* a file of several images is a scan of its own */
} TlImageReader;

typedef struct
{
  const char *name;              /* as it is shown: "TIFF" */
  const char *library;           /* (nullable): its Debian package */
  const char *const *extensions; /* lower case, with the dot */
  /* @start: [@n], the first bytes of the file */
  gboolean (*has_signature) (const guint8 *start, size_t n);
  const TlImageReader *reader; /* %NULL where this build lacks the library */
} TlImageFormat;

/* The last one has no name. */
extern const TlImageFormat tl_image_formats[];

/** tl_image_format_of_file: Returns: (nullable): the kind by the first bytes of
 * the file */
const TlImageFormat *tl_image_format_of_file (const char *path);

/** tl_image_format_by_name: Returns: (nullable): the kind by the extension of
 * @name */
const TlImageFormat *tl_image_format_by_name (const char *name);

/** tl_name_has_extension: @extensions: %NULL-terminated, lower case, with the
 * dot. */
gboolean tl_name_has_extension (const char *name,
                                const char *const *extensions);

extern const TlImageReader tl_edf_reader;
extern const TlImageReader tl_fits_reader;
extern const TlImageReader tl_nrrd_reader;
extern const TlImageReader tl_tiff_reader;
extern const TlImageReader tl_txrm_reader;
