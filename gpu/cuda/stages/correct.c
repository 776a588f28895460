/* The stage "correct": flat and dark fields, dead pixels, logarithm. */
#include "gpu/cuda/stages/launchers.h"
#include "gpu/cuda/stages/stages.h"

#include <glib/gi18n.h>

/* flatfield.cu has the sample types in this order */
G_STATIC_ASSERT (TL_SAMPLE_U8 == 0 && TL_SAMPLE_I8 == 1 && TL_SAMPLE_U16 == 2
                 && TL_SAMPLE_I16 == 3 && TL_SAMPLE_U32 == 4
                 && TL_SAMPLE_I32 == 5 && TL_SAMPLE_F32 == 6
                 && TL_SAMPLE_F64 == 7 && TL_N_SAMPLE_TYPES == 8);

gboolean
tl_cuda_correct (gpointer impl, const TlCorrectArgs *args, GError **error)
{
  TlCuda *cuda = impl;
  const TlCudaBlock *block = cuda->block;
  const size_t n_rows = args->all_rows ? cuda->n_block_rows : cuda->n_rows;
  const size_t n = cuda->n_projections * n_rows * cuda->n_cols;

  g_return_val_if_fail (block->has_flat_first || !args->flat_field, FALSE);

  if (!tl_cuda_begin_stage (cuda, TL_STAGE_CORRECT, error)
      || !tl_cuda_buffer_reserve (cuda->pool, &cuda->corrected,
                                  n * sizeof (float),
                                  _ ("the corrected projections"), error)
      || !tl_cuda_buffer_reserve (cuda->pool, &cuda->peak, sizeof (unsigned),
                                  _ ("the largest value"), error))
    return FALSE;
  const TlCudaFlatfieldArgs flatfield = {
    .n_projections = cuda->n_projections,
    .n_block_rows = cuda->n_block_rows,
    .first_row = args->all_rows ? 0 : cuda->n_above,
    .n_rows = n_rows,
    .n_cols = cuda->n_cols,
    .type = cuda->type,
    .samples = block->samples.dev,
    .flat_field = args->flat_field,
    .minus_log = args->minus_log,
    .min_transmission = TL_MIN_TRANSMISSION,
    .dark = block->has_dark ? block->dark.dev : NULL,
    .flat_first = block->has_flat_first ? block->flat_first.dev : NULL,
    .flat_last = block->has_flat_last ? block->flat_last.dev : NULL,
    .left_col = block->left_col.dev,
    .right_col = block->right_col.dev,
    .mix = block->mix.dev,
    .corrected = cuda->corrected.dev,
  };
  return tl_cuda_check (tl_cuda_flatfield (&flatfield, cuda->stream),
                        _ ("flat-field correction"), error)
         && tl_cuda_end_stage (cuda, TL_STAGE_CORRECT, error);
}
