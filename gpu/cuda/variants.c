#include "gpu/cuda/variants.h"

#include "gpu/cuda/backproject-alu.h"
#include "gpu/cuda/backproject-hybrid.h"
#include "gpu/cuda/backproject-standard.h"
#include "gpu/cuda/backproject-texture.h"

/* The order of preference, as measured: README.md. The hybrid kernel is faster
 * still, but which of its blocks fetch depends on the order in which they
 * start, and with it the last bits of a pixel; whoever wants it asks for it, so
 * that without asking a result repeats to the bit. */
static const TlVariant variants[] = {
#define VARIANT(name, interpolation, precision, n_slices, n_pixels, n_cells,   \
                n_group, n_summed, n_blocks)                                   \
  { name, TL_KERNEL_ALU, TL_INTERPOLATION_##interpolation,                     \
    TL_PRECISION_##precision, n_slices },
#include "gpu/cuda/backproject-alu.def"
#undef VARIANT
#define VARIANT(name, interpolation, precision, n_slices, n_pixels, n_cells,   \
                n_group, n_summed, n_blocks, n_places, n_last)                 \
  { name, TL_KERNEL_HYBRID, TL_INTERPOLATION_##interpolation,                  \
    TL_PRECISION_##precision, n_slices },
#include "gpu/cuda/backproject-hybrid.def"
#undef VARIANT
#define VARIANT(name, interpolation, precision, n_slices, n_pixels)            \
  { name, TL_KERNEL_TEXTURE, TL_INTERPOLATION_##interpolation,                 \
    TL_PRECISION_##precision, n_slices },
#include "gpu/cuda/backproject-texture.def"
#undef VARIANT
#define VARIANT(name, interpolation, precision, n_slices)                      \
  { name, TL_KERNEL_STANDARD, TL_INTERPOLATION_##interpolation,                \
    TL_PRECISION_##precision, n_slices },
#include "gpu/cuda/backproject-standard.def"
#undef VARIANT
};

static gpointer
make_list (gpointer data)
{
  static const TlVariant *list[G_N_ELEMENTS (variants)];

  for (size_t i = 0; i < G_N_ELEMENTS (variants); i++)
    list[i] = &variants[i];
  return list;
}

const TlVariant *const *
tl_cuda_list_variants (size_t *n)
{
  static GOnce once = G_ONCE_INIT;

  *n = G_N_ELEMENTS (variants);
  return g_once (&once, make_list, NULL);
}

static const TlCudaKernel *
list_kernels (TlKernel kernel, size_t *n)
{
  switch (kernel)
    {
    case TL_KERNEL_STANDARD:
      return tl_cuda_standard_kernels (n);
    case TL_KERNEL_TEXTURE:
      return tl_cuda_texture_kernels (n);
    case TL_KERNEL_ALU:
      return tl_cuda_alu_kernels (n);
    case TL_KERNEL_HYBRID:
      return tl_cuda_hybrid_kernels (n);
    default:
      g_assert_not_reached ();
    }
}

const TlCudaKernel *
tl_cuda_find_kernel (const TlVariant *variant)
{
  size_t n;
  const TlCudaKernel *kernels = list_kernels (variant->kernel, &n);

  for (size_t i = 0; i < n; i++)
    {
      if (g_str_equal (kernels[i].name, variant->name))
        return &kernels[i];
    }
  g_assert_not_reached ();
}
