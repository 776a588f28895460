#include "gpu/cuda/variants.h"

#include "gpu/cuda/backproject-standard.h"
#include "gpu/cuda/backproject-texture.h"

/* The order of preference: the texture kernel's neighbours lie closer, and it
 * spends fewer instructions on a pixel. */
static const TlVariant variants[] = {
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

const TlCudaKernel *
tl_cuda_find_kernel (const TlVariant *variant)
{
  size_t n;
  const TlCudaKernel *kernels = variant->kernel == TL_KERNEL_STANDARD
                                    ? tl_cuda_standard_kernels (&n)
                                    : tl_cuda_texture_kernels (&n);

  for (size_t i = 0; i < n; i++)
    {
      if (g_str_equal (kernels[i].name, variant->name))
        return &kernels[i];
    }
  g_assert_not_reached ();
}
