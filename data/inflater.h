/* A device that inflates many streams of zlib at once (RFC 1950 and 1951). */
#pragma once

#include <glib.h>

typedef struct TlInflater TlInflater;

/**
 * TlReadStored:
 * @stream: as in the request
 * @offset: in the stream as it is stored
 * @dest: (out caller-allocates): [@n] bytes
 *
 * In the thread that inflates.
 *
 * Returns: %FALSE if the bytes cannot be read
 */
typedef gboolean (*TlReadStored) (gpointer data, size_t stream, guint64 offset,
                                  size_t n, void *dest);

/* Which bytes of which streams. Plain value. */
typedef struct
{
  size_t first, n;             /* streams, which the caller has numbered */
  guint64 bytes;               /* of each stream when it is inflated */
  const guint64 *stored_bytes; /* [n] */
  guint64 first_byte;          /* that is wanted of each, inflated */
  size_t n_bytes;              /* from there on, at least 1 */
  char *dest;                  /* (out caller-allocates): [n][n_bytes] */
  TlReadStored read;
  gpointer data;
} TlInflaterRequest;

struct TlInflater
{
  /* Goes on in each stream where the last request has ended, or from its
   * beginning if that was behind @first_byte. What stands between two requests
   * is inflated and dropped. A stream's checksum is compared when its last byte
   * is wanted. Any thread; several at once for different streams.
   *
   * Returns: %FALSE if a stream is damaged or cannot be read, or if the device
   * fails or has no memory: the processor should try it, and say what is wrong
   */
  gboolean (*inflate) (TlInflater *inflater, const TlInflaterRequest *request);

  /* The streams are other ones from now on. No thread inflates meanwhile. */
  void (*forget) (TlInflater *inflater);
  void (*free) (TlInflater *inflater);
};
