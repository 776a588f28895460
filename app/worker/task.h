/* Background tasks: work for the engine's thread, done in short steps while no
 * picture is requested. */
#pragma once

#include "app/recon/recon.h"

/* In order of priority; at most one task of each kind at a time. */
typedef enum
{
  TL_TASK_VOLUME,
  TL_TASK_OVERLAY,
  TL_TASK_CANDIDATES,
  TL_TASK_HEIGHT,
  TL_TASK_CENTRE,
  TL_N_TASKS
} TlTaskKind;

/**
 * TlTaskStep:
 * @recon: of the open scan
 * @recipe: resolved for that scan
 * @cancellable: cancelled when a picture is requested or the task is dropped
 * @result: (out) (transfer full) (nullable): for the main thread
 * @is_done: (out): initially %FALSE; set to %TRUE by the last step
 *
 * Does one short step, in the engine's thread. After %G_IO_ERROR_CANCELLED, or
 * when the engine was lost and host has taken over, the same step is repeated,
 * so leave @state unchanged in these cases.
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
  GDestroyNotify
      free_state; /* called from either thread, never during a step */
  GDestroyNotify free_result; /* (nullable) */
  gboolean grows; /* before a step the open scan takes in the projections that
                     have come, unless another task needs it as it is */
} TlTask;
