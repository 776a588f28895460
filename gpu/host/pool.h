/* A pool of threads that share numbered work items. */
#pragma once

#include <glib.h>

typedef struct TlHostPool TlHostPool;

/* Processes work item @item. @worker is 0 to n_workers - 1. A worker processes
 * one item at a time, so scratch memory may be indexed by @worker. */
typedef void (*TlHostFunc) (size_t item, guint worker, gpointer data);

/**
 * tl_host_pool_new:
 * @n_workers: 1 or more; the caller of tl_host_pool_run() is one of them
 *
 * Returns: (transfer full): %NULL with a #GThreadError
 */
TlHostPool *tl_host_pool_new (guint n_workers, GError **error);
void tl_host_pool_free (TlHostPool *pool);
guint tl_host_pool_get_n_workers (TlHostPool *pool);

/** tl_host_pool_run: Calls @func once for every item from 0 to @n_items - 1, in
 * any order, and returns when all are done. Any thread; runs in several threads
 * at once share the threads of the pool. */
void tl_host_pool_run (TlHostPool *pool, size_t n_items, TlHostFunc func,
                       gpointer data);
