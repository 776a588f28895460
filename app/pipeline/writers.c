#include "app/pipeline/writers.h"

#include "data/parallel.h"
#include "data/thread-search.h"

enum
{
  FIRST_WRITERS = 4, /* at least; half of the processors if these are more */
  /* A measurement takes so many parts for each thread. */
  MEASURED_PARTS = 4
};

typedef struct
{
  gpointer item;
  size_t n_parts, n_taken;
  gint n_left; /* atomic: parts that are not written */
} Order;

struct TlWriters
{
  TlWritersWrite write;
  TlWritersDone done;
  gboolean gives_way;
  guint n_most;
  GThread *threads[TL_MAX_WRITERS]; /* the first n_most of them */

  GMutex lock; /* guards the fields below */
  GCond changed;
  gboolean has_ended; /* nothing is pushed any more */
  GQueue orders;      /* of Order, those with parts that are not taken */
  guint n_writing;    /* threads that write */
  TlThreadSearch search;
  gint64 full_us; /* since when as many write as may; 0: fewer do */
  guint n_full;   /* parts written since then */
  double busy_us;
  gint64 counted_us; /* until when busy_us is counted */
};

static guint
count_allowed (const TlWriters *writers)
{
  return tl_thread_search_get (&writers->search, writers->n_most);
}

/* Counts the work until now. Call before any change of what it depends on. */
static gint64
count_work (TlWriters *writers)
{
  const gint64 now_us = g_get_monotonic_time ();
  writers->busy_us += (double)(now_us - writers->counted_us)
                      * writers->n_writing / count_allowed (writers);
  writers->counted_us = now_us;
  return now_us;
}

/* Waits until this thread may write. Returns: (nullable): %NULL: it is over */
static Order *
take_part (TlWriters *writers, size_t *index)
{
  Order *order;
  g_mutex_lock (&writers->lock);
  while ((order = g_queue_peek_head (&writers->orders)) == NULL
             ? !writers->has_ended
             : writers->n_writing >= count_allowed (writers))
    g_cond_wait (&writers->changed, &writers->lock);
  if (order != NULL)
    {
      const gint64 now_us = count_work (writers);
      *index = order->n_taken++;
      if (order->n_taken == order->n_parts)
        g_queue_pop_head (&writers->orders);
      writers->n_writing++;
      if (writers->full_us == 0
          && writers->n_writing >= count_allowed (writers))
        writers->full_us = now_us;
    }
  g_mutex_unlock (&writers->lock);
  return order;
}

/* The search learns only from times in which work was waiting. */
static void
end_part (TlWriters *writers)
{
  g_mutex_lock (&writers->lock);
  const gint64 now_us = count_work (writers);
  writers->n_writing--;
  writers->n_full++;
  if (writers->full_us == 0 || g_queue_is_empty (&writers->orders))
    writers->full_us = writers->n_full = 0;
  else if (writers->n_full >= MEASURED_PARTS * count_allowed (writers))
    {
      tl_thread_search_add (&writers->search, writers->n_most, writers->n_full,
                            (double)(now_us - writers->full_us) / 1e6);
      writers->full_us = writers->n_full = 0;
    }
  g_cond_broadcast (&writers->changed);
  g_mutex_unlock (&writers->lock);
}

static gpointer
write_parts (gpointer data)
{
  TlWriters *writers = data;
  size_t index;
  /* While readers are held up, writers have nothing to write soon. */
  tl_thread_give_way (writers->gives_way ? TL_WAY_BACKGROUND_LATER
                                         : TL_WAY_LATER);
  for (Order *order; (order = take_part (writers, &index)) != NULL;)
    {
      writers->write (order->item, index);
      if (g_atomic_int_dec_and_test (&order->n_left))
        {
          writers->done (order->item);
          g_free (order);
        }
      end_part (writers);
    }
  return NULL;
}

TlWriters *
tl_writers_new (TlWritersWrite write, TlWritersDone done, guint n_most,
                gboolean gives_way)
{
  g_return_val_if_fail (n_most > 0 && n_most <= TL_MAX_WRITERS, NULL);
  TlWriters *writers = g_new0 (TlWriters, 1);
  writers->write = write;
  writers->done = done;
  writers->gives_way = gives_way;
  writers->n_most = n_most;
  tl_thread_search_begin (&writers->search,
                          MAX (FIRST_WRITERS, g_get_num_processors () / 2));
  writers->counted_us = g_get_monotonic_time ();
  g_mutex_init (&writers->lock);
  g_cond_init (&writers->changed);
  for (guint k = 0; k < writers->n_most; k++)
    writers->threads[k] = g_thread_new ("write", write_parts, writers);
  return writers;
}

void
tl_writers_free (TlWriters *writers)
{
  if (writers == NULL)
    return;
  g_mutex_lock (&writers->lock);
  writers->has_ended = TRUE;
  g_cond_broadcast (&writers->changed);
  g_mutex_unlock (&writers->lock);
  for (guint k = 0; k < writers->n_most; k++)
    g_thread_join (writers->threads[k]);
  g_cond_clear (&writers->changed);
  g_mutex_clear (&writers->lock);
  g_free (writers);
}

void
tl_writers_push (TlWriters *writers, gpointer item, size_t n_parts)
{
  g_return_if_fail (writers != NULL && n_parts > 0);
  Order *order = g_new (Order, 1);
  *order = (Order){ item, n_parts, 0, (gint)n_parts };
  g_mutex_lock (&writers->lock);
  g_queue_push_tail (&writers->orders, order);
  g_cond_broadcast (&writers->changed);
  g_mutex_unlock (&writers->lock);
}

void
tl_writers_wait (TlWriters *writers)
{
  g_mutex_lock (&writers->lock);
  while (!g_queue_is_empty (&writers->orders) || writers->n_writing > 0)
    g_cond_wait (&writers->changed, &writers->lock);
  g_mutex_unlock (&writers->lock);
}

double
tl_writers_get_busy_s (TlWriters *writers, guint *n_threads)
{
  g_mutex_lock (&writers->lock);
  count_work (writers);
  const double busy_s = writers->busy_us / 1e6;
  if (n_threads != NULL)
    *n_threads = count_allowed (writers);
  g_mutex_unlock (&writers->lock);
  return busy_s;
}
