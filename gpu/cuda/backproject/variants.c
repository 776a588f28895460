#include "gpu/cuda/backproject/variants.h"

/* How much a pixel reads out of shared memory, compared to a pixel that shares
 * no cells with a neighbour. The names end in _PART so that a line of alu.def
 * finds the number of its tile. */
#define SquareTile_PART 1.0
#define NarrowSquareTile_PART 1.0
#define QuadTile_PART 0.75
#define NarrowQuadTile_PART 0.75

/* In the order of preference, which decides where choices[] has no row. */
static TlVariant variants[] = {
#define VARIANT(name, interpolation, precision, n_slices, map, n_pixels,       \
                n_cells, n_group, n_summed, n_blocks)                          \
  { name,                                                                      \
    TL_KERNEL_ALU,                                                             \
    TL_INTERPOLATION_##interpolation,                                          \
    TL_PRECISION_##precision,                                                  \
    n_slices,                                                                  \
    0.0,                                                                       \
    map##_PART },
#include "gpu/cuda/backproject/alu.def"
#undef VARIANT
#define VARIANT(name, precision, n_slices, map, n_pixels, n_cells, n_group,    \
                n_summed, n_blocks, n_places, percent)                         \
  { name,                                                                      \
    TL_KERNEL_HYBRID,                                                          \
    TL_INTERPOLATION_LINEAR,                                                   \
    TL_PRECISION_##precision,                                                  \
    n_slices,                                                                  \
    0.0,                                                                       \
    map##_PART },
#include "gpu/cuda/backproject/hybrid.def"
#undef VARIANT
#define VARIANT(name, precision, n_slices, across, down, warps_across,         \
                warps_down, n_chunk, n_stages, other_across, other_down,       \
                other_stages)                                                  \
  { name,                                                                      \
    TL_KERNEL_TENSOR,                                                          \
    TL_INTERPOLATION_LINEAR,                                                   \
    TL_PRECISION_##precision,                                                  \
    n_slices,                                                                  \
    .is_fine = TRUE },
#include "gpu/cuda/backproject/tensor.def"
#undef VARIANT
#define VARIANT(name, kernel, interpolation, precision, n_slices, map)         \
  { name, TL_KERNEL_##kernel, TL_INTERPOLATION_##interpolation,                \
    TL_PRECISION_##precision, n_slices },
#include "gpu/cuda/backproject/texture.def"
#undef VARIANT
/* Fast is the textbook kernel, there to compare the others with. */
#define VARIANT(name, interpolation, precision, n_slices)                      \
  { name,                                                                      \
    TL_KERNEL_STANDARD,                                                        \
    TL_INTERPOLATION_##interpolation,                                          \
    TL_PRECISION_##precision,                                                  \
    n_slices,                                                                  \
    .is_reference = TL_PRECISION_##precision == TL_PRECISION_FAST },
#include "gpu/cuda/backproject/standard.def"
#undef VARIANT
/* LINEAR, because the filter's response must not include the prefilter of cubic
 * interpolation. */
#define VARIANT(name, precision, n_slices)                                     \
  { name,                                                                      \
    TL_KERNEL_STANDARD,                                                        \
    TL_INTERPOLATION_LINEAR,                                                   \
    TL_PRECISION_##precision,                                                  \
    n_slices,                                                                  \
    .is_fourier = TRUE },
#include "gpu/cuda/fourier/fourier.def"
#undef VARIANT
};

/* Used until "bench --tune" has measured this machine. */
static const TlTuningRow choices[] = {
#define CHOICE(kernel, interpolation, precision, n_slices, size, name, gups)   \
  { { TL_KERNEL_##kernel, TL_INTERPOLATION_##interpolation,                    \
      TL_PRECISION_##precision, n_slices, size, FALSE },                       \
    name,                                                                      \
    gups },
#define FOURIER(precision, n_slices, size, name, gups, many_gups)              \
  { { TL_KERNEL_AUTO, TL_INTERPOLATION_LINEAR, TL_PRECISION_##precision,       \
      n_slices, size, TRUE },                                                  \
    name,                                                                      \
    gups,                                                                      \
    many_gups },
#include "gpu/cuda/backproject/choices.def"
#undef FOURIER
#undef CHOICE
};

const TlTuningRow *
tl_cuda_list_choices (size_t *n)
{
  *n = G_N_ELEMENTS (choices);
  return choices;
}

/* Memory does not limit a kernel with one or two slices, so that half precision
 * would gain nothing there: the full variant serves fast precision too. */
static gboolean
serves_fast (const TlVariant *variant)
{
  return variant->precision == TL_PRECISION_FULL && variant->n_slices < 4
         && !variant->is_fourier;
}

/* The number of values, differences or coefficients that an interpolation needs
 * for each slice. Linear needs two, but a fetch brings both, or neighbours
 * share the second one. Half precision is for four slices at once. A fetch of
 * 16 bytes takes as long as two of 8. */
static void
count_reads (TlVariant *variant)
{
  static const struct
  {
    double numbers, fetches;
  } rules[TL_N_INTERPOLATIONS] = {
    [TL_INTERPOLATION_NEAREST] = { 1.0, 1.0 },
    [TL_INTERPOLATION_LINEAR] = { 2.0, 1.0 },
    [TL_INTERPOLATION_OVERSAMPLED] = { 1.0, 1.0 },
    [TL_INTERPOLATION_CUBIC] = { 4.0, 4.0 },
  };
  const gboolean is_half =
      variant->precision == TL_PRECISION_FAST && variant->n_slices == 4;
  const double texel_bytes = variant->n_slices * (is_half ? 2.0 : 4.0);

  if (variant->is_fourier)
    return;
  if (variant->kernel == TL_KERNEL_TENSOR)
    {
      /* a weight for each cell of a window; three products of two halves */
      variant->products = 8.0 * variant->n_slices
                          * (variant->precision == TL_PRECISION_FULL ? 3 : 1);
      return;
    }
  if (variant->kernel != TL_KERNEL_ALU)
    variant->fetches =
        rules[variant->interpolation].fetches * MAX (1.0, texel_bytes / 8.0);
  /* shared_bytes holds the _PART of the tile, 0 without shared memory */
  variant->shared_bytes *= rules[variant->interpolation].numbers * texel_bytes;
}

static gpointer
make_list (gpointer data)
{
  static const TlVariant *list[G_N_ELEMENTS (variants)];

  for (size_t i = 0; i < G_N_ELEMENTS (variants); i++)
    {
      count_reads (&variants[i]);
      variants[i].serves_fast = serves_fast (&variants[i]);
      list[i] = &variants[i];
    }
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
    case TL_KERNEL_TEXTURE_QUARTERS:
      return tl_cuda_texture_kernels (n);
    case TL_KERNEL_ALU:
      return tl_cuda_alu_kernels (n);
    case TL_KERNEL_HYBRID:
      return tl_cuda_hybrid_kernels (n);
    case TL_KERNEL_TENSOR:
      return tl_cuda_tensor_kernels (n);
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
    if (g_str_equal (kernels[i].name, variant->name))
      return &kernels[i];
  g_assert_not_reached ();
}
