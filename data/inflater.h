/* A device that inflates many streams of zlib at once (RFC 1950 and 1951). */
#pragma once

#include <gio/gio.h>

typedef struct TlInflater TlInflater;

/* Streams are numbered. So many of them in a row share memory, as a group. */
#define TL_INFLATER_GROUP_STREAMS 256

/* The most memory that a group takes: on the device, and on the host. */
#define TL_INFLATER_GROUP_BYTES                                                \
  (TL_INFLATER_GROUP_STREAMS * ((guint64)148 << 10))
#define TL_INFLATER_GROUP_HOST_BYTES                                           \
  (TL_INFLATER_GROUP_STREAMS * ((guint64)98 << 10))

/**
 * TlReadStored:
 * @data: of the request
 * @stream: as in the request
 * @offset: in the stream as it is stored
 * @n: bytes
 * @dest: (out caller-allocates): [@n]
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
  size_t first, n;             /* streams, which the caller has numbered; at
                                  least 1 */
  guint64 bytes;               /* of each stream when it is inflated */
  const guint64 *stored_bytes; /* [n] */
  guint64 first_byte;          /* that is wanted of each, inflated */
  size_t n_bytes;              /* from there on, at least 1, within bytes */
  char *dest;                  /* (out caller-allocates): [n], n_bytes of each
                                  stream; undefined after a failure */
  size_t stride;               /* bytes in dest from stream to stream */
  TlReadStored read;
  gpointer data;
} TlInflaterRequest;

struct TlInflater
{
  /* The user's; plain values. */
  size_t n_at_once;          /* how many streams a row needs. Groups beyond that
                                number give their memory away, and their streams
                                start again; 0: no limit */
  GCancellable *cancellable; /* (nullable): ends requests early */
  gint has_failed;           /* atomic: a request has, so that others may */

  /* Takes the memory for streams 0 to @n - 1. Otherwise their first requests
   * do, which costs time then. Any thread. */
  void (*prepare) (TlInflater *inflater, size_t n);

  /* Continues each stream after the last request, or from its beginning if that
   * request ended after first_byte or if another group has taken the memory
   * since. What stands between two requests is inflated and dropped. A stream's
   * checksum is compared when its last byte is wanted. Any thread; several at
   * once for different streams.
   *
   * Returns: %FALSE if a stream is damaged or cannot be read, if the device
   * fails or has no memory, or if the request was cancelled: otherwise the
   * processor should try it, and say what is wrong */
  gboolean (*inflate) (TlInflater *inflater, const TlInflaterRequest *request);

  /* The streams are other ones from now on. No thread inflates meanwhile. */
  void (*forget) (TlInflater *inflater);
  void (*free) (TlInflater *inflater);
};

/** tl_inflater_count_groups: Returns: the most groups that @n streams in a row
 * can touch, if the first number is a multiple of @n */
static inline size_t
tl_inflater_count_groups (size_t n)
{
  return n % TL_INFLATER_GROUP_STREAMS == 0
             ? n / TL_INFLATER_GROUP_STREAMS
             : (n + TL_INFLATER_GROUP_STREAMS - 2) / TL_INFLATER_GROUP_STREAMS
                   + 1;
}
