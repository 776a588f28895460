#include "gpu/choice-private.h"

#include "data/error.h"

/* Returns: whether @candidate serves @n_rows rows better than @best. */
static gboolean
fits_better (const TlVariant *candidate, const TlVariant *best, size_t n_rows)
{
  if (best == NULL)
    return TRUE;
  if (best->n_slices <= n_rows)
    return candidate->n_slices <= n_rows
           && candidate->n_slices > best->n_slices;
  return candidate->n_slices < best->n_slices;
}

const TlVariant *
tl_choose_variant (const TlBackend *backend, const TlParams *params,
                   size_t n_rows, GError **error)
{
  size_t n;
  const TlVariant *const *list = backend->list_variants (&n);
  const TlVariant *best = NULL;
  g_autoptr (GString) names = NULL;

  for (size_t i = 0; i < n; i++)
    {
      if ((params->kernel == TL_KERNEL_AUTO
           || params->kernel == list[i]->kernel)
          && params->interpolation == list[i]->interpolation
          && params->precision == list[i]->precision
          && fits_better (list[i], best, n_rows))
        best = list[i];
    }
  if (best != NULL)
    return best;

  names = g_string_new (NULL);
  for (size_t i = 0; i < n; i++)
    g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", list[i]->name);
  g_set_error (error, TL_ERROR, TL_ERROR_UNSUPPORTED,
               "engine %s has no kernel \"%s\" with %s interpolation in %s "
               "precision; it has %s",
               backend->name, tl_kernel_names[params->kernel],
               tl_interpolation_names[params->interpolation],
               tl_precision_names[params->precision], names->str);
  return NULL;
}
