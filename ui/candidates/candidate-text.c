#include "ui/candidates/candidate-text.h"

#include "data/geometry.h"

#include <glib/gi18n.h>
#include <math.h>

#define MIN_DIGITS 2
#define MAX_DIGITS 4

/* A figure has so many decimals that a hundredth of the range of all figures is
 * seen, at most these. */
#define MAX_VALUE_DIGITS 6

/* Returns: decimals of a centre: 2, or more if the step needs them */
static int
get_digits (TlCandidates *candidates)
{
  double step = tl_candidates_get_step (candidates);
  int digits = MIN_DIGITS;

  for (; digits < MAX_DIGITS; digits++)
    {
      double parts = step * pow (10, digits);

      if (fabs (parts - round (parts)) < 1e-3)
        break;
    }
  return digits;
}

static double
get_centre (TlCandidates *candidates, guint index)
{
  return tl_candidates_get (candidates, index)->centre_col;
}

char *
tl_candidate_text_centre (TlCandidates *candidates, guint index)
{
  return g_strdup_printf ("%.*f", get_digits (candidates),
                          get_centre (candidates, index));
}

static double
find_range (TlCandidates *candidates)
{
  double low = G_MAXDOUBLE, high = -G_MAXDOUBLE;

  for (guint i = 0; i < tl_candidates_get_n (candidates); i++)
    {
      const TlCandidate *candidate = tl_candidates_get (candidates, i);

      if (!candidate->has_value)
        continue;
      low = fmin (low, candidate->value);
      high = fmax (high, candidate->value);
    }
  return high - low;
}

char *
tl_candidate_text_value (TlCandidates *candidates, guint index)
{
  const TlCandidate *candidate = tl_candidates_get (candidates, index);
  double range;
  int digits;

  if (!candidate->has_value)
    return g_strdup ("");
  range = find_range (candidates);
  digits = range > 0 ? (int)ceil (2 - log10 (range)) : 2;
  digits = CLAMP (digits, 0, MAX_VALUE_DIGITS);
  /* far smaller than 1: significant digits instead of decimals */
  if (digits == MAX_VALUE_DIGITS)
    return g_strdup_printf ("%.4g", candidate->value);
  return g_strdup_printf ("%.*f", digits, candidate->value);
}

static gboolean
is_best (TlCandidates *candidates, guint index)
{
  return tl_candidates_get_best (candidates) == (int)index;
}

static gboolean
is_chosen (TlCandidates *candidates, guint index)
{
  return tl_candidates_get_chosen (candidates) == (int)index;
}

char *
tl_candidate_text_label (TlCandidates *candidates, guint index)
{
  g_autofree char *centre = tl_candidate_text_centre (candidates, index);
  gboolean best = is_best (candidates, index);

  if (is_chosen (candidates, index))
    /* translators: a centre */
    return g_strdup_printf (best ? _ ("Candidate %s, sharpest, present axis")
                                 : _ ("Candidate %s, present axis"),
                            centre);
  return g_strdup_printf (
      best ? _ ("Candidate %s, sharpest") : _ ("Candidate %s"), centre);
}

char *
tl_candidate_text_details (TlCandidates *candidates, guint index)
{
  int digits = get_digits (candidates);
  double centre = get_centre (candidates, index);
  g_autofree char *value = tl_candidate_text_value (candidates, index);
  GString *text = g_string_new (NULL);

  /* translators: the same place, counted in two ways */
  g_string_append_printf (text, _ ("column %.*f · boundary %.*f"), digits,
                          centre, digits, tl_centre_to_boundary (centre));
  if (*value != '\0')
    {
      g_string_append_c (text, '\n');
      /* translators: the figure that candidates are judged by */
      g_string_append_printf (text, _ ("figure %s"), value);
    }
  if (is_best (candidates, index))
    {
      g_string_append_c (text, '\n');
      g_string_append (text, _ ("★ the sharpest of these"));
    }
  g_string_append_c (text, '\n');
  g_string_append (text, is_chosen (candidates, index)
                             ? _ ("the present axis")
                             : _ ("Click to take it as the axis"));
  return g_string_free (text, FALSE);
}
