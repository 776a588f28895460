/* The centres of the candidates. */
#include "app/axis/candidates/candidates-private.h"

#include <math.h>

void
tl_candidates_fit (TlCandidates *self)
{
  const TlScanSummary *scan =
      tl_scan_source_get_summary (self->session->source);
  if (scan == NULL)
    return;
  const double last = (double)scan->n_cols - 1;
  if (self->n > 1)
    tl_candidates_take_step (self, MIN (self->step_col, last / (self->n - 1)));
  const double below = (self->n / 2) * self->step_col;
  const double above = (self->n - 1 - self->n / 2) * self->step_col;
  tl_candidates_take_middle (self,
                             MAX (MIN (self->middle_col, last - above), below));
}

static void
place (TlCandidates *self, double middle_col, double step_col)
{
  g_object_freeze_notify (G_OBJECT (self));
  tl_candidates_take_step (
      self, CLAMP (step_col, TL_CANDIDATES_MIN_STEP, TL_CANDIDATES_MAX_STEP));
  tl_candidates_take_middle (self, middle_col);
  tl_candidates_update (self);
  g_object_thaw_notify (G_OBJECT (self));
}

void
tl_candidates_set_step (TlCandidates *self, double step_col)
{
  g_return_if_fail (TL_IS_CANDIDATES (self) && isfinite (step_col));
  place (self, self->middle_col, step_col);
}

void
tl_candidates_set_middle (TlCandidates *self, double middle_col)
{
  g_return_if_fail (TL_IS_CANDIDATES (self) && isfinite (middle_col));
  place (self, middle_col, self->step_col);
}

/* Returns: the next value of the series 1, 2, 5, 10 below or above @step */
static double
find_step (double step, gboolean is_finer)
{
  static const double digits[] = { 0.5, 1, 2, 5, 10, 20 };
  const double ten = pow (10, floor (log10 (step) + 1e-9));
  const double digit = step / ten;
  guint k = 0;
  if (is_finer)
    {
      while (digits[k + 1] < digit - 1e-6)
        k++;
      return digits[k] * ten;
    }
  while (digits[k] < digit + 1e-6)
    k++;
  return digits[k] * ten;
}

static void
change_step (TlCandidates *self, int index, gboolean is_finer)
{
  if (index < 0)
    index = self->best >= 0 && (is_finer || self->chosen < 0) ? self->best
                                                              : self->chosen;
  place (self,
         index >= 0 && (guint)index < self->n
             ? self->tiles[index].shown.centre_col
             : self->middle_col,
         find_step (self->step_col, is_finer));
}

void
tl_candidates_finer (TlCandidates *self, int index)
{
  g_return_if_fail (TL_IS_CANDIDATES (self));
  change_step (self, index, TRUE);
}

void
tl_candidates_coarser (TlCandidates *self, int index)
{
  g_return_if_fail (TL_IS_CANDIDATES (self));
  change_step (self, index, FALSE);
}

/* Makes a step of its own in the history, even right after another change of
 * the centre. */
void
tl_candidates_adopt (TlCandidates *self, guint index)
{
  g_return_if_fail (TL_IS_CANDIDATES (self) && index < self->n);
  const double centre_col = self->tiles[index].shown.centre_col;
  if (self->session == NULL || !tl_scan_source_is_open (self->session->source))
    return;
  TlParameters *parameters = self->session->parameters;
  tl_parameters_begin_drag (parameters, tl_parameters_get_step (parameters));
  tl_parameters_set_centre (parameters, centre_col);
  tl_parameters_end_drag (parameters);
}
