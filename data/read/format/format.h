/* The interface that each format implements for the reader. */
#pragma once

#include "data/inflater.h"
#include "data/read/scan/draft.h"

/* What a path leads to; a format reads one of these. */
typedef enum
{
  TL_CONTAINER_FOLDER,
  TL_CONTAINER_ZARR, /* a folder, too */
  TL_CONTAINER_HDF5,
  TL_CONTAINER_IMAGES
} TlContainer;

/**
 * tl_container_sniff:
 * @container: (out): by the first bytes of the file, whatever its name
 *
 * Returns: %FALSE with TL_ERROR_FILE (cannot be opened) or TL_ERROR_FORMAT
 *   (neither a folder nor a file of these kinds), or TL_ERROR_UNSUPPORTED (this
 *   build lacks the library for it)
 */
gboolean tl_container_sniff (const char *path, TlContainer *container,
                             GError **error);

/** tl_container_is_other: Returns: %TRUE with TL_ERROR_FILE if @path begins as
 * a file that is not read, such as a JPEG picture that is called image.tif */
gboolean tl_container_is_other (const char *path, GError **error);

/**
 * tl_container_find:
 * @place: "FILE:/path", with FILE in the folder of @scan
 * @is_given: by the user: FILE may be in the current folder, too
 * @container: of the scan, and of FILE
 * @inside: (out) (nullable) (transfer full): "/path"
 *
 * Returns: (transfer full): FILE; %NULL with TL_ERROR_FILE (there is none) or
 *   TL_ERROR_FORMAT (it is of another format)
 */
char *tl_container_find (const char *place, const char *scan, gboolean is_given,
                         TlContainer container, char **inside, GError **error);

/* One format. Its source is the open file or folder with the state that the
 * other functions need. */
typedef struct
{
  TlContainer container;
  const char *looks_for; /* (nullable): in words, for the error message when no
                            format finds a scan; %NULL: open() says it */

  /* Returns: (transfer full): the source. %NULL with an error, or without an
   * error if the file has no scan of this format. */
  gpointer (*open) (const char *path, const TlReaderOptions *options,
                    TlScanDraft *draft, GError **error);

  /* Returns: whether calls of read() from several threads run at once. Where
   * they do not, they wait for each other. */
  gboolean (*is_parallel) (gpointer source, TlFrameKind kind);

  /* Any thread. @rows: [@n_rows], ascending; @dest: [@n_frames][@n_rows]
   * [n_cols]. Frames and rows exist. Rows that are compressed together are
   * decoded once. */
  gboolean (*read) (gpointer source, TlFrameKind kind, size_t first_frame,
                    size_t n_frames, const size_t *rows, size_t n_rows,
                    void *dest, GError **error);

  /* (nullable). See TlDecoding.can_ascend; @bytes: ascending_bytes. */
  gboolean (*can_ascend) (gpointer source, guint64 *bytes);

  /* (nullable). Later calls of read() for projections go on in each image where
   * the last one ended, where that is possible. */
  void (*ascend) (gpointer source);

  /* (nullable). Later calls of read() need not decode an image beyond the last
   * row that is wanted, nor compare a checksum that stands behind it. */
  void (*skip_rest) (gpointer source);

  /* (nullable). Later calls of read() inflate on a device, after one of the two
   * functions before, where that is possible; a call should read as many
   * projections as TL_INFLATER_GROUP_STREAMS. @inflater: (nullable): outlives
   * the source; has no streams yet. Returns: whether it is of use */
  gboolean (*use_inflater) (gpointer source, TlInflater *inflater);

  /* (nullable). Opens the file again, because another program may have changed
   * it. Called while no thread reads. Returns: %FALSE if the frames are not
   * there any more; then read() fails. */
  gboolean (*refresh) (gpointer source);

  /* (nullable). Returns: (transfer full) (nullable): the name of the file that
   * holds the frame */
  char *(*dup_frame_name) (gpointer source, TlFrameKind kind, size_t frame);

  /* (nullable). Returns: when the newest file of the scan was written, if it
   * takes too long to find out at once */
  gint64 (*find_change_us) (gpointer source);

  void (*close) (gpointer source);

  /* (nullable): of a format with datasets to choose from: the functions of
   * contents.h; the second: (nullable): there is one scan at most. */
  GPtrArray *(*list_datasets) (const char *path, GError **error);
  GStrv (*list_scans) (const char *path, GError **error);
  GStrv (*list_sources) (const char *path); /* (nullable): there are none */

  /* (nullable). Of a folder: tl_contents_list_groups(). */
  GPtrArray *(*list_groups) (const char *path, const TlReaderOptions *options);
} TlReaderFormat;

extern const TlReaderFormat tl_hdf5_format;
extern const TlReaderFormat tl_zarr_format; /* where TL_HAVE_JSON */
extern const TlReaderFormat tl_image_folder_format;
extern const TlReaderFormat tl_image_file_format;
