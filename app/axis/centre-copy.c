#include "app/axis/centre-copy.h"

#include "data/geometry.h"

#include <math.h>

const char *const tl_centre_program_names[] = { "tomopy", "tofu",     "nabu",
                                                "ASTRA",  "tomolens", NULL };

/* The text before and after the number. */
static const struct
{
  const char *before, *after;
} texts[TL_N_CENTRE_PROGRAMS] = {
  [TL_CENTRE_PROGRAM_TOMOPY] = { "center=", "" },
  [TL_CENTRE_PROGRAM_TOFU] = { "--center-position-x ", "" },
  [TL_CENTRE_PROGRAM_NABU] = { "rotation_axis_position = ", "" },
  [TL_CENTRE_PROGRAM_ASTRA] = { "proj_geom = "
                                "astra.geom_postalignment(proj_geom, ",
                                ")" },
  [TL_CENTRE_PROGRAM_TOMOLENS] = { "--centre ", "" },
};

double
tl_centre_program_get_number (TlCentreProgram program, double centre_col,
                              size_t n_cols)
{
  g_return_val_if_fail (program < TL_N_CENTRE_PROGRAMS, NAN);
  g_return_val_if_fail (isfinite (centre_col) && n_cols > 0, NAN);
  switch (program)
    {
    case TL_CENTRE_PROGRAM_TOFU:
      return tl_centre_to_boundary (centre_col);
    case TL_CENTRE_PROGRAM_ASTRA:
      return ((double)n_cols - 1) / 2 - centre_col;
    case TL_CENTRE_PROGRAM_TOMOPY:
    case TL_CENTRE_PROGRAM_NABU:
    case TL_CENTRE_PROGRAM_TOMOLENS:
    default:
      return centre_col;
    }
}

char *
tl_centre_copy_as (TlCentreProgram program, double centre_col, size_t n_cols)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  const double number =
      tl_centre_program_get_number (program, centre_col, n_cols);
  g_return_val_if_fail (isfinite (number), NULL);
  /* Avoids "-0.000". */
  g_ascii_formatd (digits, sizeof digits, "%.3f",
                   fabs (number) < 0.0005 ? 0 : number);
  return g_strconcat (texts[program].before, digits, texts[program].after,
                      NULL);
}
