/* The centre of rotation in the conventions of other programs. */
#pragma once

#include <glib.h>

typedef enum
{
  TL_CENTRE_PROGRAM_TOMOPY,
  TL_CENTRE_PROGRAM_TOFU,
  TL_CENTRE_PROGRAM_NABU,
  TL_CENTRE_PROGRAM_ASTRA,
  TL_CENTRE_PROGRAM_TOMOLENS,
  TL_N_CENTRE_PROGRAMS
} TlCentreProgram;

/* "tomopy", "tofu" …, spelled as by their authors. */
extern const char *const tl_centre_program_names[TL_N_CENTRE_PROGRAMS + 1];

/**
 * tl_centre_program_get_number:
 * @centre_col: finite, a column (data/geometry.h), anywhere
 * @n_cols: of the detector, at least 1
 *
 * The same place in the numbers of another program, columns too:
 *
 * - tomopy has the middle of a column at whole numbers: its gridrec turns the
 *   transform of a row by exp (-2 pi i f center), f in cycles a sample
 *   (tomopy: source/libtomo/gridrec/gridrec.c; tomopy issue 409).
 * - nabu likewise; left empty it means (n - 1) / 2 (nabu: documentation of
 *   "Parameters estimation").
 * - tofu has the boundaries between columns at whole numbers: 1.5 is the middle
 *   of the second column (tofu: docs, "General 3D Reconstruction").
 * - ASTRA puts the axis opposite the middle of the detector, and takes the
 * shift of the detector along its columns in pixels, (n - 1) / 2 - c (astra:
 *   functions.py, geom_postalignment); in nabu's tests 511 columns with the
 * axis at 255.5 are a shift of -0.5.
 */
double tl_centre_program_get_number (TlCentreProgram program, double centre_col,
                                     size_t n_cols);

/**
 * tl_centre_copy_as:
 * Formats the result of tl_centre_program_get_number() with the name of the
 * option, for pasting: an argument of tomopy.recon, options of "tofu reco" and
 * of tomolens-cli, a line of nabu's configuration, or a statement for ASTRA's
 * projection geometry.
 *
 * Returns: (transfer full): with a decimal point and three digits in any locale
 */
char *tl_centre_copy_as (TlCentreProgram program, double centre_col,
                         size_t n_cols);
