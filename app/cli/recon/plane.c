#include "app/cli/recon/plane-private.h"

#include "app/cli/cli-private.h"
#include "app/recipe/number.h"
#include "data/error.h"

#include <math.h>

#define MIN_SINE 1e-9 /* of the angle between the steps of a plane */

static const char *const kind_names[TL_CLI_N_PLANES + 1] = { "xy", "xz", "yz",
                                                             "oblique", NULL };

/* Parses @n numbers with commas between them. */
static gboolean
parse_numbers (const char *text, guint n, double *numbers)
{
  g_auto (GStrv) words = g_strsplit (text, ",", -1);
  gboolean good = g_strv_length (words) == n;
  for (guint k = 0; good && k < n; k++)
    good = tl_number_parse (words[k], &numbers[k]);
  return good;
}

static double
get_length (const double *v)
{
  return hypot (hypot (v[0], v[1]), v[2]);
}

/* Returns: whether the steps span a plane, and not a line because of rounding
 */
static gboolean
is_plane (const double *u, const double *v)
{
  const double n_u = get_length (u), n_v = get_length (v);
  const double a[] = { u[0] / n_u, u[1] / n_u, u[2] / n_u };
  const double b[] = { v[0] / n_v, v[1] / n_v, v[2] / n_v };
  const double normal[] = { a[1] * b[2] - a[2] * b[1],
                            a[2] * b[0] - a[0] * b[2],
                            a[0] * b[1] - a[1] * b[0] };
  return n_u > 0 && n_v > 0 && get_length (normal) > MIN_SINE;
}

gboolean
tl_cli_plane_parse (const char *text, TlCliPlane *said, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (text, ":", -1);
  const guint n = g_strv_length (parts);
  *said = (TlCliPlane){ 0 };
  while (n > 0 && said->kind < TL_CLI_N_PLANES
         && !g_str_equal (parts[0], kind_names[said->kind]))
    said->kind++;
  const gboolean good = n == 4 ? said->kind == TL_CLI_PLANE_OBLIQUE
                                     && parse_numbers (parts[1], 3, said->at)
                                     && parse_numbers (parts[2], 3, said->u)
                                     && parse_numbers (parts[3], 3, said->v)
                               : n == 2 && said->kind < TL_CLI_PLANE_OBLIQUE
                                     && parse_numbers (parts[1], 1, said->at);
  if (!good)
    return tl_cli_usage_error (
        error, "--plane takes " TL_CLI_PLANE_FORMS ", not \"%s\"", text);
  return n == 2 || is_plane (said->u, said->v)
         || tl_cli_usage_error (error,
                                "--plane %s: U and V lie on one line and span "
                                "no plane",
                                text);
}

gboolean
tl_cli_plane_place (const TlCliPlane *said, const TlScanInfo *info,
                    const TlParams *params, TlPlane *plane, GError **error)
{
  const TlGrid *grid = &params->grid;
  const double p = grid->pitch;
  const double middle[] = { grid->x0 + said->at[0] * p,
                            grid->y0 - said->at[1] * p, said->at[2] };
  const double u[] = { said->u[0] * p, (0 - said->u[1]) * p, said->u[2] };
  const double v[] = { said->v[0] * p, (0 - said->v[1]) * p, said->v[2] };
  const size_t sizes[] = { info->n_rows, grid->ny, grid->nx };
  const TlPlane planes[TL_CLI_N_PLANES] = {
    tl_plane_xy (grid, said->at[0]),
    tl_plane_xz (grid, said->at[0], info->n_rows),
    tl_plane_yz (grid, said->at[0], info->n_rows),
    tl_plane_oblique (middle, u, v, grid->nx),
  };
  g_autofree char *name = g_filename_display_basename (info->path);
  *plane = planes[said->kind];
  return said->kind == TL_CLI_PLANE_OBLIQUE
         || (said->at[0] >= 0 && said->at[0] <= (double)sizes[said->kind] - 1)
         || tl_fail (error, TL_ERROR_VALUE,
                     "%s: there is no plane %s:%.6g; these planes are 0 to %zu",
                     name, kind_names[said->kind], said->at[0],
                     sizes[said->kind] - 1);
}

char *
tl_cli_plane_dup_name (const char *text)
{
  g_autofree char *word = g_strdelimit (g_strdup (text), ":,", '_');
  return g_strdup_printf ("recon_%s.tiff", word);
}

void
tl_cli_plane_add_json (const char *text, const TlPlane *plane, TlJson *json)
{
  const double *o = plane->origin, *u = plane->u, *v = plane->v;
  tl_json_add (json,
               "plane: %s, origin: [%f, %f, %f], u: [%f, %f, %f], v: [%f, %f, "
               "%f]",
               text, o[0], o[1], o[2], u[0], u[1], u[2], v[0], v[1], v[2]);
}
