#include "app/axis/stage-move.h"

#include <glib/gi18n.h>
#include <math.h>

/* Moves from this length on are given in millimetres. */
#define UM_IN_MM 1000.0
/* Digits if there is no uncertainty to choose them by. */
#define USUAL_DIGITS 2
#define MAX_DIGITS 4

double
tl_stage_middle (size_t n_cols)
{
  return ((double)n_cols - 1) / 2;
}

void
tl_stage_move (const TlStagePlace *place, TlStageMove *move)
{
  g_return_if_fail (place != NULL && move != NULL);
  const double um = place->pixel_size_um > 0 ? place->pixel_size_um : NAN;
  const double mrad_in_deg = G_PI / 180 * 1000;
  const double cols =
      place->is_half ? NAN : place->wanted_col - place->centre_col;
  *move = (TlStageMove){
    .is_aside = place->is_half,
    .move_cols = cols,
    .move_uncertainty_cols = place->centre_uncertainty_col,
    .move_um = cols * um,
    .move_uncertainty_um = place->centre_uncertainty_col * um,
    .roll_mrad = -place->tilt_deg * mrad_in_deg,
    .roll_uncertainty_mrad = place->tilt_uncertainty_deg * mrad_in_deg,
  };
}

int
tl_stage_count_digits (double uncertainty)
{
  if (!(uncertainty > 0))
    return USUAL_DIGITS;
  const double digits = ceil (-log10 (uncertainty / 1.95));
  return (int)CLAMP (digits, 0, MAX_DIGITS);
}

/* Appends "+12.4 µm ± 0.2", with a decimal point in every locale and a
 * typographic minus sign. */
static void
add_value (GString *text, double value, double uncertainty, const char *unit)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE], format[8];
  const int digits = tl_stage_count_digits (uncertainty);
  g_snprintf (format, sizeof format, "%%.%df", digits);
  g_ascii_formatd (number, sizeof number, format, fabs (value));
  const gboolean is_zero = g_ascii_strtod (number, NULL) == 0;
  g_string_append_printf (text, "%s%s %s",
                          is_zero     ? ""
                          : value > 0 ? "+"
                                      : "−",
                          number, unit);
  if (!isfinite (uncertainty))
    return;
  g_ascii_formatd (number, sizeof number, format, uncertainty);
  g_string_append_printf (text, " ± %s", number);
}

static char *
describe_move (const TlStageMove *move)
{
  g_autoptr (GString) text = g_string_new (NULL);
  if (!isfinite (move->move_um))
    add_value (text, move->move_cols, move->move_uncertainty_cols,
               _ ("columns"));
  else if (fabs (move->move_um) >= UM_IN_MM)
    add_value (text, move->move_um / UM_IN_MM,
               move->move_uncertainty_um / UM_IN_MM, "mm");
  else
    add_value (text, move->move_um, move->move_uncertainty_um, "µm");
  return g_string_free (g_steal_pointer (&text), FALSE);
}

char *
tl_stage_move_describe (const TlStageMove *move)
{
  g_return_val_if_fail (move != NULL, NULL);
  g_autofree char *by = describe_move (move);
  g_autoptr (GString) roll = g_string_new (NULL);
  g_autoptr (GString) text = g_string_new (NULL);
  if (move->is_aside)
    g_string_append (
        text, _ ("half acquisition: the axis is meant to be off the middle"));
  else if (!isfinite (move->move_cols))
    g_string_append (text, _ ("how far to move the stage is not known"));
  else if (move->move_cols == 0
           || fabs (move->move_cols) < move->move_uncertainty_cols)
    /* translators: a move follows, as "+0.1 µm ± 0.2" */
    g_string_append_printf (text, _ ("the stage is in the right place (%s)"),
                            by);
  else
    /* translators: a move, as "+12.4 µm ± 0.2", and its direction */
    g_string_append_printf (text,
                            move->move_cols > 0
                                ? _ ("move the stage by %s (toward higher "
                                     "columns)")
                                : _ ("move the stage by %s (toward lower "
                                     "columns)"),
                            by);
  if (!isfinite (move->roll_mrad))
    return g_string_free (g_steal_pointer (&text), FALSE);
  add_value (roll, move->roll_mrad, move->roll_uncertainty_mrad, "mrad");
  if (move->roll_mrad == 0
      || fabs (move->roll_mrad) < move->roll_uncertainty_mrad)
    /* translators: a roll follows, as "+0.1 mrad ± 0.2" */
    g_string_append_printf (text, _ (", no roll (%s)"), roll->str);
  else
    /* translators: a roll follows, as "−0.8 mrad ± 0.1" */
    g_string_append_printf (text, _ (", roll by %s"), roll->str);
  return g_string_free (g_steal_pointer (&text), FALSE);
}
