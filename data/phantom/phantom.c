#include "data/phantom/phantom.h"

#include "data/error.h"

#include <glib/gi18n.h>
#include <math.h>

/* Radius of the phantom, as a fraction of the distance from the axis to the
 * detector's edge. */
#define FILLING 0.95

void
tl_phantom_scan_init (TlPhantomScan *scan, size_t n_projections, size_t n_rows,
                      size_t n_cols)
{
  g_return_if_fail (scan != NULL);

  *scan = (TlPhantomScan){
    .n_projections = n_projections,
    .n_rows = n_rows,
    .n_cols = n_cols,
    .angles_deg = { 0.0, 180.0 },
    /* The axis is off the middle by 2 % and a quarter of a pixel, as on a
     * real stage. */
    .centre_col = ((double)n_cols - 1.0) / 2.0,
    .noise_counts = 20000.0,
    .pixel_size_um = 1.0,
    .n_flats = 20,
    .n_darks = 10,
    .seed = 1,
  };
  if (n_cols >= 4)
    scan->centre_col += (double)(n_cols / 50) + 0.25;
  scan->shapes = tl_phantom_shapes (&scan->n_shapes);
}

double
tl_phantom_scan_radius (const TlPhantomScan *scan)
{
  const double left = scan->centre_col + 0.5;
  const double right = (double)scan->n_cols - left;

  return FILLING * (scan->half ? MAX (left, right) : MIN (left, right));
}

double
tl_phantom_scan_angle (const TlPhantomScan *scan, size_t index)
{
  const size_t n_steps =
      scan->end_point ? MAX (scan->n_projections, 2) - 1 : scan->n_projections;

  return scan->angles_deg[0]
         + (scan->angles_deg[1] - scan->angles_deg[0]) * (double)index
               / (double)n_steps;
}

double
tl_phantom_scan_height (const TlPhantomScan *scan, size_t row)
{
  return ((double)row + 0.5) / (double)scan->n_rows;
}

gboolean
tl_phantom_scan_check (const char *path, const TlPhantomScan *scan,
                       GError **error)
{
  const double last_col = (double)scan->n_cols - 1.0;
  g_autofree char *wrong = NULL, *shown = NULL;

  if (scan->n_projections == 0 || scan->n_rows == 0 || scan->n_cols == 0)
    wrong = g_strdup_printf (
        _ ("%zu projections of %zu x %zu pixels do not make a scan"),
        scan->n_projections, scan->n_rows, scan->n_cols);
  else if (!isfinite (scan->angles_deg[0]) || !isfinite (scan->angles_deg[1]))
    wrong = g_strdup (_ ("an angle is not a number"));
  else if (!(scan->centre_col >= 0.0 && scan->centre_col <= last_col))
    wrong = g_strdup_printf (
        _ ("the centre %g is outside the detector, columns 0 to %g"),
        scan->centre_col, last_col);
  else if (!(scan->noise_counts >= 0.0 && scan->noise_counts <= 1e9))
    wrong = g_strdup_printf (_ ("noise of %g photons is not possible; choose 1 "
                                "to 1e9, or 0 for no noise"),
                             scan->noise_counts);
  else if (!(scan->pixel_size_um >= 0.0 && isfinite (scan->pixel_size_um)))
    wrong = g_strdup_printf (_ ("a pixel size of %g µm is not possible; choose "
                                "a positive one, or 0 to leave it out"),
                             scan->pixel_size_um);
  else if (!(fabs (scan->tilt_deg) <= TL_TILT_MAX_DEG))
    wrong =
        g_strdup_printf (_ ("a tilt of %g degrees is not between -%g and %g"),
                         scan->tilt_deg, TL_TILT_MAX_DEG, TL_TILT_MAX_DEG);
  if (wrong == NULL)
    return TRUE;
  shown = g_filename_display_name (path);
  return tl_fail (error, TL_ERROR_VALUE, _ ("%s: cannot be made: %s"), shown,
                  wrong);
}
