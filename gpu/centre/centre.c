#include "gpu/centre/centre-private.h"

#include "data/error.h"

#include <glib/gi18n.h>
#include <math.h>
#include <stdarg.h>

const char *const tl_centre_method_names[TL_N_CENTRE_METHODS + 1] = {
  N_ ("phase"),
  N_ ("sinogram"),
  N_ ("symmetry"),
  N_ ("moments"),
  N_ ("overlap"),
  N_ ("sharpness"),
  NULL
};

const char *const tl_centre_method_texts[TL_N_CENTRE_METHODS] = {
  N_ ("correlation of opposite projections"),
  N_ ("double wedge of the sinogram"),
  N_ ("symmetry of summed projections"),
  N_ ("centres of mass"),
  N_ ("overlap of a half acquisition"),
  N_ ("sharpness of slices")
};

void
tl_centre_clear (TlCentreEstimate *estimate)
{
  g_clear_pointer (&estimate->reason, g_free);
  g_clear_pointer (&estimate->positions, g_free);
  g_clear_pointer (&estimate->values, g_free);
  estimate->n_points = 0;
}

gboolean
tl_centre_data_check (const TlCentreData *data, GError **error)
{
  const double last = (double)data->n_cols - 1;
  gboolean is_finite = TRUE;
  for (size_t p = 0; p < data->n_projections; p++)
    is_finite &= isfinite (data->angles_rad[p]);
  for (size_t k = 0; k < data->n_projections * data->n_cols; k++)
    is_finite &= isfinite (data->rows[k]);
  if (!is_finite)
    tl_fail (error, TL_ERROR_VALUE,
             _ ("the centre cannot be searched: a value or an angle is not a "
                "number"));
  else if (data->n_cols < 16 || data->n_projections < 4)
    tl_fail (error, TL_ERROR_VALUE,
             _ ("the centre cannot be searched in %zu projections of %zu "
                "columns; at least 4 projections of 16 columns are needed"),
             data->n_projections, data->n_cols);
  else if (!(data->first_col >= 0 && data->first_col + 1 <= data->last_col
             && data->last_col <= last))
    tl_fail (error, TL_ERROR_VALUE,
             _ ("the centre cannot be searched between %g and %g: the columns "
                "are 0 to %g, and a range needs at least one"),
             data->first_col, data->last_col, last);
  else
    return TRUE;
  return FALSE;
}

static int
compare_angles (gconstpointer a, gconstpointer b, gpointer angles_rad)
{
  const double x = ((const double *)angles_rad)[*(const size_t *)a];
  const double y = ((const double *)angles_rad)[*(const size_t *)b];
  return (x > y) - (x < y);
}

size_t *
tl_centre_order_angles (const TlCentreData *data)
{
  size_t *order = g_new (size_t, data->n_projections);
  for (size_t p = 0; p < data->n_projections; p++)
    order[p] = p;
  g_qsort_with_data (order, (gint)data->n_projections, sizeof *order,
                     compare_angles, (gpointer)data->angles_rad);
  return order;
}

gboolean
tl_centre_cannot_tell (TlCentreEstimate *estimate, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_free (estimate->reason);
  estimate->reason = g_strdup_vprintf (format, args);
  va_end (args);
  estimate->is_found = FALSE;
  estimate->centre_col = estimate->uncertainty_col = NAN;
  return TRUE;
}
