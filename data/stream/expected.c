#include "data/stream/expected-private.h"

#include "data/error.h"
#include "data/read/scan/angles.h"

#include <glib/gi18n.h>
#include <math.h>

static gboolean
load_angles (TlExpected *expected, const char *path, GError **error)
{
  size_t *n_expected = &expected->n[TL_FRAMES_PROJECTIONS];
  size_t n;
  expected->angles_deg = tl_angles_load (path, FALSE, &n, error);
  if (expected->angles_deg == NULL)
    return FALSE;
  for (size_t k = 0; k < n; k++)
    if (!isfinite (expected->angles_deg[k]))
      return tl_fail (error, TL_ERROR_ANGLES,
                      _ ("%s: number %zu is no angle; while a scan is taken, "
                         "each projection needs one"),
                      path, k);
  if (*n_expected > 0 && *n_expected != n)
    return tl_fail (
        error, TL_ERROR_SHAPE,
        g_dngettext (NULL,
                     "%s: has %zu angle, and %zu projections are expected",
                     "%s: has %zu angles, and %zu projections are expected", n),
        path, n, *n_expected);
  *n_expected = n;
  return TRUE;
}

gboolean
tl_expected_init (TlExpected *expected, const TlStreamOptions *options,
                  GError **error)
{
  static const TlFrameKind projections = TL_FRAMES_PROJECTIONS;
  static const TlStreamOptions none;
  if (options == NULL)
    options = &none;
  const gboolean has_series = options->n_series > 0;
  expected->n_series = has_series ? options->n_series : 1;
  expected->series = g_memdup2 (has_series ? options->series : &projections,
                                expected->n_series * sizeof *expected->series);
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    expected->n[kind] = options->n_expected[kind];
  expected->has_ends = options->has_angles;
  for (int k = 0; k < 2; k++)
    expected->ends_deg[k] = options->angles_deg[k];
  if (expected->has_ends)
    return (isfinite (expected->ends_deg[0])
            && isfinite (expected->ends_deg[1]))
           || tl_fail (error, TL_ERROR_VALUE,
                       _ ("the first or the last angle is not a number"));
  return options->angles_file == NULL
         || load_angles (expected, options->angles_file, error);
}

void
tl_expected_clear (TlExpected *expected)
{
  g_clear_pointer (&expected->series, g_free);
  g_clear_pointer (&expected->angles_deg, g_free);
}

double *
tl_expected_dup_angles (const TlExpected *expected, size_t n)
{
  if (n == 0)
    return NULL;
  if (expected->angles_deg != NULL)
    return n == expected->n[TL_FRAMES_PROJECTIONS]
               ? g_memdup2 (expected->angles_deg, n * sizeof (double))
               : NULL;
  if (!expected->has_ends)
    return NULL;
  double *angles_deg = g_new (double, n);
  for (size_t k = 0; k < n; k++)
    angles_deg[k] = tl_angles_spread (expected->ends_deg[0],
                                      expected->ends_deg[1], k, n - 1);
  return angles_deg;
}
