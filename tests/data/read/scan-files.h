/* Tiny scans of every format, created in a temporary folder. */
#pragma once

#include "data/read/reader.h"

#include <hdf5.h>

/* A folder that is removed with its contents. */
typedef char Folder;

Folder *folder_new (void);
void folder_remove (Folder *folder);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Folder, folder_remove)

/** folder_path: Returns: (transfer full): the path of @name; its parent
 * folder is created if missing */
char *folder_path (Folder *folder, const char *name);

void folder_write_text (Folder *folder, const char *name, const char *text);

/** folder_truncate: Keeps the first @fraction of a file. */
void folder_truncate (Folder *folder, const char *name, double fraction);

/** sample_value: Returns: the value in every created file; it fits into every
 * type for @base < 20 */
double sample_value (size_t base, size_t frame, size_t row, size_t col);

/* How a TIFF is written. Zeroed: one strip, little-endian, uncompressed. */
typedef struct
{
  size_t dims[3]; /* pages, rows, columns */
  TlSampleType type;
  size_t base;        /* base of the values, see sample_value() */
  size_t first_frame; /* number of the first page */
  const char *mode;   /* "w", "wb" big-endian, "w8" BigTIFF; NULL: "w" */
  guint16 compression;
  guint32 strip_rows, tile; /* 0: whole image; no tiles */
} TiffShape;

void folder_write_tiff (Folder *folder, const char *name,
                        const TiffShape *shape);

/** folder_write_numbered: Writes @n TIFF files of 3 x 5 pixels,
 * "@prefix0.tif" and so on. */
void folder_write_numbered (Folder *folder, const char *prefix, size_t n,
                            size_t base, TlSampleType type);

/* How a dataset is written. */
typedef struct
{
  hsize_t dims[3]; /* frames, rows, columns */
  hid_t type;      /* type in the file; 0: native uint16 */
  size_t base;
  hsize_t chunk[3]; /* 0: contiguous */
  gboolean deflate;
  gboolean is_empty; /* no sample is written */
  double value;      /* value of every sample, if not 0 */
} H5Shape;

/** h5_create: @user_block: bytes, 0 or a power of two of at least 512 */
hid_t h5_create (Folder *folder, const char *name, hsize_t user_block);
void h5_write_frames (hid_t file, const char *path, const H5Shape *shape);
void h5_write_numbers (hid_t file, const char *path, const double *numbers,
                       hsize_t n, const char *units);
void h5_write_class (hid_t file, const char *group, const char *nx_class);

/** assert_opens: Fails the test with the reader's message. */
TlReader *assert_opens (Folder *folder, const char *name,
                        const TlReaderOptions *options);

/** assert_refuses: @words: pattern that the message must match, file names
 * first */
void assert_refuses (Folder *folder, const char *name,
                     const TlReaderOptions *options, int code,
                     const char *words);

/**
 * assert_samples:
 * @frames: (nullable): frame numbers of the projections
 *
 * Reads all rows at once, each row alone, some of the rows, and each
 * projection.
 */
void assert_samples (TlReader *reader, size_t base, const size_t *frames);

gboolean has_note (TlReader *reader, const char *words);
