/* What one format has to do for the reader. */
#pragma once

#include "data/read/draft-private.h"
#include "data/read/sniff-private.h"

G_BEGIN_DECLS

/* One format. The source is what its own functions need to read. */
typedef struct
{
  TlContainer container;
  const char *looks_for; /* in words, for a file in which nobody finds a scan */

  /* Returns: (transfer full): the source; %NULL with an error, or without one
   * where there is no such scan in the file */
  gpointer (*open) (const char *path, const TlReaderOptions *options,
                    TlScanDraft *draft, GError **error);

  /* @rows: [@n_rows], ascending; @dest: [@n_frames][@n_rows][n_cols]; all are
   * inside the set. What is compressed together is decoded once. */
  gboolean (*read) (gpointer source, TlFrameKind kind, size_t first_frame,
                    size_t n_frames, const size_t *rows, size_t n_rows,
                    void *dest, GError **error);

  /* (nullable): Returns: (transfer full) (nullable): the file of one frame */
  char *(*dup_frame_name) (gpointer source, TlFrameKind kind, size_t frame);

  void (*close) (gpointer source);
} TlReaderFormat;

extern const TlReaderFormat tl_exchange_format;
extern const TlReaderFormat tl_nexus_format;
extern const TlReaderFormat tl_tiff_folder_format;
extern const TlReaderFormat tl_tiff_file_format;

G_END_DECLS
