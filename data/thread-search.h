/* Finding by measurement how many threads read or write fastest. */
#pragma once

#include <glib.h>

enum
{
  TL_THREAD_SEARCH_STEPS = 16 /* 1, 2, 4 ... threads */
};

/* Storage and compression decide how many threads pay, so neither the number
 * of processors nor any constant does. If it begins zeroed, one thread is the
 * first. */
typedef struct
{
  guint step;          /* 1 << step threads are in use */
  gboolean is_settled; /* no other number is tried for a while */
  double rates[TL_THREAD_SEARCH_STEPS]; /* amounts in a second */
  double amount, seconds;               /* measured since the last change */
} TlThreadSearch;

/** tl_thread_search_begin: Begins with @n_threads, or with fewer if that is no
 * power of 2; a good guess spares the time in which too few are used. */
void tl_thread_search_begin (TlThreadSearch *search, guint n_threads);

/** tl_thread_search_get: Returns: how many threads to use next, at most
 * @n_most */
guint tl_thread_search_get (const TlThreadSearch *search, guint n_most);

/**
 * tl_thread_search_add:
 * @amount: what tl_thread_search_get() threads have read or written, in any
 *   unit
 *
 * Doubles the number of threads as long as the rate rises by a tenth, then goes
 * back to the best number. After some time the search goes on from there,
 * because the load of the storage changes.
 */
void tl_thread_search_add (TlThreadSearch *search, guint n_most, double amount,
                           double seconds);
