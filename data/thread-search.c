#include "data/thread-search.h"

#define MIN_GAIN 1.1
/* A shorter measurement is noise. */
#define MEASURE_S 0.02
/* One of the two measurements of a new search uses too few threads, which costs
 * less than a hundredth of this time. */
#define SETTLED_S 2

void
tl_thread_search_begin (TlThreadSearch *search, guint n_threads)
{
  *search = (TlThreadSearch){ .step = g_bit_storage (MAX (n_threads, 1)) - 1 };
}

guint
tl_thread_search_get (const TlThreadSearch *search, guint n_most)
{
  return MIN (1u << search->step, n_most);
}

void
tl_thread_search_add (TlThreadSearch *search, guint n_most, double amount,
                      double seconds)
{
  search->amount += amount;
  search->seconds += seconds;
  if (search->seconds < (search->is_settled ? SETTLED_S : MEASURE_S))
    return;
  const guint step = search->step;
  const double rate = search->amount / search->seconds;
  const gboolean gains =
      step == 0 || rate >= MIN_GAIN * search->rates[step - 1];
  search->rates[step] = rate;
  search->amount = search->seconds = 0;
  if (search->is_settled)
    *search = (TlThreadSearch){ .step = step - MIN (step, 1) };
  else if (!gains)
    {
      search->is_settled = TRUE;
      search->step--;
    }
  else if (1u << step < n_most && step + 1 < TL_THREAD_SEARCH_STEPS)
    search->step++;
  else
    search->is_settled = TRUE;
}
