/* How images follow each other in a file of raw samples, as the user says it.
 * Any thread. */
#pragma once

#include "data/read/format/stored.h"

/* Raw value. */
typedef struct
{
  size_t n_cols, n_rows;
  size_t n_images; /* 0: as many as the file has */
  TlStoredType stored;
  gboolean is_big_endian;
  guint64 header_bytes; /* before the first image */
  guint64 gap_bytes;    /* between two images */
} TlRawLayout;

/**
 * tl_raw_layout_parse:
 * @text: COLUMNSxROWS[xPROJECTIONS]:TYPE[le|be][:header=BYTES][:gap=BYTES];
 *   TYPE as tl_stored_get_name(); without le or be it is le
 *
 * Returns: %FALSE with TL_ERROR_VALUE
 */
gboolean tl_raw_layout_parse (const char *text, TlRawLayout *layout,
                              GError **error);

/** tl_raw_layout_format: Returns: (transfer full): as tl_raw_layout_parse()
 * takes it */
char *tl_raw_layout_format (const TlRawLayout *layout);

/** tl_raw_layout_count_bytes: Returns: bytes of the header, the images and the
 * gaps between them; %G_MAXUINT64 if they are too many to be counted */
guint64 tl_raw_layout_count_bytes (const TlRawLayout *layout);

/** tl_raw_layout_count_images: Returns: how many whole images a file of @size
 * bytes has, at least 1 */
size_t tl_raw_layout_count_images (TlRawLayout layout, guint64 size);

/** tl_raw_layout_guess: Returns: what a file of @size bytes may be: a plausible
 * scan that needs just these bytes, or the most usual layout if none does */
TlRawLayout tl_raw_layout_guess (guint64 size);
