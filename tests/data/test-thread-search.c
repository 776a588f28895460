/* Tests the search for the number of threads with storages that are formulas.
 */
#include "data/thread-search.h"

#include <math.h>

enum
{
  N_MOST = 16
};

/* Reads for a while from a storage that serves @n_useful threads at @rate
 * each, while every further thread costs @loss of the rate. Returns: the number
 * of threads that read most bytes */
static guint
search_in (TlThreadSearch *search, double n_useful, double rate, double loss)
{
  double bytes[N_MOST + 1] = { 0 };
  guint best = 1;
  for (double now_s = 0; now_s < 20; now_s += 0.03)
    {
      const guint n = tl_thread_search_get (search, N_MOST);
      g_assert_cmpuint (n, <=, N_MOST);
      const double idle = fmax (n - n_useful, 0);
      const double now = rate * fmin (n, n_useful) * (1 - loss * idle) * 0.03;
      bytes[n] += now;
      tl_thread_search_add (search, N_MOST, now, 0.03);
    }
  for (guint n = 1; n <= N_MOST; n++)
    best = bytes[n] > bytes[best] ? n : best;
  return best;
}

static void
test_settles (void)
{
  static const struct
  {
    double n_useful, loss;
    guint want;
  } cases[] = { { 1, 0, 1 },    { 1, 0.01, 1 }, { 2, 0, 2 },   { 3, 0, 4 },
                { 4, 0.01, 4 }, { 6, 0, 8 },    { 8.5, 0, 8 }, { 64, 0, 16 } };
  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      TlThreadSearch search = { 0 };
      g_assert_cmpuint (tl_thread_search_get (&search, N_MOST), ==, 1);
      g_assert_cmpuint (
          search_in (&search, cases[i].n_useful, 1e9, cases[i].loss), ==,
          cases[i].want);
    }
}

/* A first number does not decide the last. */
static void
test_begins (void)
{
  static const guint first[] = { 1, 2, 4, 11, 16 }, got[] = { 1, 2, 4, 8, 16 };
  for (size_t i = 0; i < G_N_ELEMENTS (first); i++)
    for (guint want = 1; want <= N_MOST; want *= 2)
      {
        TlThreadSearch search;
        tl_thread_search_begin (&search, first[i]);
        g_assert_cmpuint (tl_thread_search_get (&search, N_MOST), ==, got[i]);
        g_assert_cmpuint (search_in (&search, want, 1e9, 0.01), ==, want);
      }
}

/* The storage becomes slower or faster, and serves other numbers. */
static void
test_follows (void)
{
  TlThreadSearch search = { 0 };
  g_assert_cmpuint (search_in (&search, 4, 1e9, 0), ==, 4);
  g_assert_cmpuint (search_in (&search, 4, 1e8, 0), ==, 4);
  g_assert_cmpuint (search_in (&search, 1, 1e9, 0.01), ==, 1);
  g_assert_cmpuint (search_in (&search, 16, 1e8, 0), ==, 16);
}

/* Short reads are measured together. */
static void
test_short (void)
{
  TlThreadSearch search = { 0 };
  for (int k = 0; k < 15; k++)
    {
      g_assert_cmpuint (tl_thread_search_get (&search, N_MOST), ==, 1);
      tl_thread_search_add (&search, N_MOST, 1e6, 0.001);
    }
  tl_thread_search_add (&search, N_MOST, 1e6, 0.1);
  g_assert_cmpuint (tl_thread_search_get (&search, N_MOST), ==, 2);
  g_assert_cmpuint (tl_thread_search_get (&search, 1), ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/thread-search/settles", test_settles);
  g_test_add_func ("/thread-search/begins", test_begins);
  g_test_add_func ("/thread-search/follows", test_follows);
  g_test_add_func ("/thread-search/short", test_short);
  return g_test_run ();
}
