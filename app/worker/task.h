/* Work for the engine's thread that is done in short steps while no picture is
 * asked for. */
#pragma once

#include "app/recon/recon.h"

G_BEGIN_DECLS

/* One of each at a time; those that come first go first. */
typedef enum
{
  TL_TASK_OVERLAY,
  TL_TASK_CANDIDATES,
  TL_TASK_HEIGHT,
  TL_TASK_CENTRE,
  TL_N_TASKS
} TlTaskKind;

/**
 * TlTaskStep:
 * @recon: of the scan that is open
 * @recipe: resolved for it
 * @cancellable: a picture is wanted, or nobody wants the task any more
 * @result: (out) (transfer full) (nullable): for the main thread
 * @is_done: (out): %FALSE before; %TRUE: there is no other step
 *
 * Engine's thread. One short step. After %G_IO_ERROR_CANCELLED, and after the
 * engine was lost and host took over, the same step is done again; @state has
 * to be as before then.
 *
 * Returns: %FALSE with any error, which ends the task
 */
typedef gboolean (*TlTaskStep) (gpointer state, TlRecon *recon,
                                const TlRecipe *recipe,
                                GCancellable *cancellable, gpointer *result,
                                gboolean *is_done, GError **error);

/* A plain value. */
typedef struct
{
  TlTaskKind kind;
  TlTaskStep step;
  gpointer state;
  GDestroyNotify free_state;  /* in either thread, when none is at work */
  GDestroyNotify free_result; /* (nullable) */
} TlTask;

G_END_DECLS
