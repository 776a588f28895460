/* The stage "tilt": projections turned back. */
#include "gpu/cuda/stages/launchers.h"

#include "gpu/cuda/stages/stages.h"

#include <glib/gi18n.h>

gboolean
tl_cuda_tilt (gpointer impl, const TlTiltArgs *args, GCancellable *cancellable,
              GError **error)
{
  TlCuda *cuda = impl;
  const gboolean all = args->before_phase;
  TlCudaTiltArgs tilt = {
    .n_projections = cuda->n_projections,
    .n_cols = cuda->n_cols,
    .n_block_rows = cuda->n_block_rows,
    .first_row = all ? 0 : cuda->n_above,
    .n_rows = all ? cuda->n_block_rows : cuda->n_rows,
    .cosine = args->cosine,
    .sine = args->sine,
    .centre_col = args->centre_col,
    .middle_row = args->middle_row,
    .from = cuda->for_tilt,
  };

  if (!tl_cuda_begin_stage (cuda, TL_STAGE_TILT, error)
      || !tl_cuda_buffer_reserve (cuda->pool, &cuda->tilted,
                                  tilt.n_projections * tilt.n_rows * tilt.n_cols
                                      * sizeof (float),
                                  _ ("the projections turned back"), error))
    return FALSE;
  tilt.to = cuda->tilted.dev;
  cuda->for_phase = cuda->for_rings = tilt.to;
  return tl_cuda_check (tl_cuda_turn_back (&tilt, cuda->stream),
                        _ ("turning back of the projections"), error)
         && tl_cuda_end_stage (cuda, TL_STAGE_TILT, error);
}
