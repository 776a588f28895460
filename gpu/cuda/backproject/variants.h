/* The lists of variants, as the engine and as the launchers see them. */
#pragma once

#include "gpu/cuda/backproject/backproject.h"
#include "gpu/backend/variant.h"

/** tl_cuda_list_variants: Returns: (transfer none): [@n], preferred first. */
const TlVariant *const *tl_cuda_list_variants (size_t *n);

/** tl_cuda_list_choices: Returns: (transfer none): [@n], the built-in table. */
const TlTuningRow *tl_cuda_list_choices (size_t *n);

/** tl_cuda_find_kernel: Returns: (transfer none): the one that @variant names.
 */
const TlCudaKernel *tl_cuda_find_kernel (const TlVariant *variant);
