/* The memory that all frames which are held may take together: those of a scan
 * that is being taken, and of the one before while somebody looks at it. */
#pragma once

#include <gio/gio.h>

/* Reference counted; any thread. */
typedef struct TlHeldBudget TlHeldBudget;

/** tl_held_budget_get_usual: Returns: bytes, a quarter of the machine, and no
 * more than a large scan has */
guint64 tl_held_budget_get_usual (void);

TlHeldBudget *tl_held_budget_new (guint64 max_bytes);
TlHeldBudget *tl_held_budget_ref (TlHeldBudget *budget);
void tl_held_budget_unref (TlHeldBudget *budget);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlHeldBudget, tl_held_budget_unref)

guint64 tl_held_budget_get_max (const TlHeldBudget *budget);

/** tl_held_budget_get_taken: Returns: the bytes that are taken now */
guint64 tl_held_budget_get_taken (TlHeldBudget *budget);

/** tl_held_budget_take: Counts memory that is about to be taken. Returns:
 * whether it is allowed */
gboolean tl_held_budget_take (TlHeldBudget *budget, guint64 n_bytes);
void tl_held_budget_give_back (TlHeldBudget *budget, guint64 n_bytes);

/** tl_held_budget_await: Waits until @n_bytes could be taken, at most
 * @timeout_us, or until @cancellable (nullable) is cancelled. */
void tl_held_budget_await (TlHeldBudget *budget, guint64 n_bytes,
                           gint64 timeout_us, GCancellable *cancellable);
