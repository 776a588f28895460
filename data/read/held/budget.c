#include "data/read/held/budget.h"

#include "data/array.h"

#define MACHINE_PARTS 4
#define MAX_USUAL_BYTES (G_GUINT64_CONSTANT (32) << 30)

struct TlHeldBudget
{
  gatomicrefcount n_refs;
  guint64 max_bytes;
  GMutex mutex;
  GCond changed;   /* memory was given back, or a wait was cancelled */
  guint64 n_bytes; /* that are taken */
};

guint64
tl_held_budget_get_usual (void)
{
  return MIN (tl_get_machine_bytes () / MACHINE_PARTS, MAX_USUAL_BYTES);
}

TlHeldBudget *
tl_held_budget_new (guint64 max_bytes)
{
  TlHeldBudget *budget = g_new0 (TlHeldBudget, 1);
  g_atomic_ref_count_init (&budget->n_refs);
  g_mutex_init (&budget->mutex);
  g_cond_init (&budget->changed);
  budget->max_bytes = max_bytes;
  return budget;
}

TlHeldBudget *
tl_held_budget_ref (TlHeldBudget *budget)
{
  g_atomic_ref_count_inc (&budget->n_refs);
  return budget;
}

void
tl_held_budget_unref (TlHeldBudget *budget)
{
  if (budget == NULL || !g_atomic_ref_count_dec (&budget->n_refs))
    return;
  g_cond_clear (&budget->changed);
  g_mutex_clear (&budget->mutex);
  g_free (budget);
}

guint64
tl_held_budget_get_max (const TlHeldBudget *budget)
{
  return budget->max_bytes;
}

guint64
tl_held_budget_get_taken (TlHeldBudget *budget)
{
  g_mutex_lock (&budget->mutex);
  const guint64 n_bytes = budget->n_bytes;
  g_mutex_unlock (&budget->mutex);
  return n_bytes;
}

/* The budget is locked. */
static gboolean
has_room (const TlHeldBudget *budget, guint64 n_bytes)
{
  return n_bytes <= budget->max_bytes - budget->n_bytes;
}

gboolean
tl_held_budget_take (TlHeldBudget *budget, guint64 n_bytes)
{
  g_mutex_lock (&budget->mutex);
  const gboolean is_allowed = has_room (budget, n_bytes);
  if (is_allowed)
    budget->n_bytes += n_bytes;
  g_mutex_unlock (&budget->mutex);
  return is_allowed;
}

void
tl_held_budget_give_back (TlHeldBudget *budget, guint64 n_bytes)
{
  g_mutex_lock (&budget->mutex);
  g_assert (n_bytes <= budget->n_bytes);
  budget->n_bytes -= n_bytes;
  g_cond_broadcast (&budget->changed);
  g_mutex_unlock (&budget->mutex);
}

static void
wake (GCancellable *cancellable, gpointer data)
{
  TlHeldBudget *budget = data;
  g_mutex_lock (&budget->mutex);
  g_cond_broadcast (&budget->changed);
  g_mutex_unlock (&budget->mutex);
}

void
tl_held_budget_await (TlHeldBudget *budget, guint64 n_bytes, gint64 timeout_us,
                      GCancellable *cancellable)
{
  const gint64 end_us = g_get_monotonic_time () + timeout_us;
  const gulong id =
      cancellable != NULL
          ? g_cancellable_connect (cancellable, G_CALLBACK (wake), budget, NULL)
          : 0;
  g_mutex_lock (&budget->mutex);
  while (!has_room (budget, n_bytes)
         && !g_cancellable_is_cancelled (cancellable)
         && g_cond_wait_until (&budget->changed, &budget->mutex, end_us))
    continue;
  g_mutex_unlock (&budget->mutex);
  g_cancellable_disconnect (cancellable, id);
}
