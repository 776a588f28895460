/* Threads that write, as many at once as pay: storage decides how many that
 * are, because writing waits more than it computes. */
#pragma once

#include <glib.h>

/* The most that write at once. */
#define TL_MAX_WRITERS 32

typedef struct TlWriters TlWriters;

/* Writes part @index of @item. In a writing thread. */
typedef void (*TlWritersWrite) (gpointer item, size_t index);

/* All parts of @item are written. In a writing thread. */
typedef void (*TlWritersDone) (gpointer item);

/** tl_writers_new: @n_most: how many may write at once, up to TL_MAX_WRITERS.
 * @gives_way: the threads leave the processors to others. Returns: (transfer
 * full) */
TlWriters *tl_writers_new (TlWritersWrite write, TlWritersDone done,
                           guint n_most, gboolean gives_way);
/** tl_writers_free: Waits as tl_writers_wait(). */
void tl_writers_free (TlWriters *writers);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlWriters, tl_writers_free)

/** tl_writers_push: Has all @n_parts of @item written, of which there is at
 * least one. Parts begin in the order in which they came. */
void tl_writers_push (TlWriters *writers, gpointer item, size_t n_parts);

/** tl_writers_wait: Waits until all parts are written. */
void tl_writers_wait (TlWriters *writers);

/**
 * tl_writers_get_busy_s:
 * @n_threads: (out) (optional): how many may write at once now
 *
 * Returns: for how many seconds since tl_writers_new() all threads that may
 *   write at once would have been busy: the wall time, if they never had to
 * wait
 */
double tl_writers_get_busy_s (TlWriters *writers, guint *n_threads);
