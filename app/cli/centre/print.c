/* Prints the estimates of the axis as text and as JSON. */
#include "app/axis/centre-copy.h"
#include "app/cli/centre/centre-private.h"

#include <math.h>
#include <stdio.h>

const char *const tl_cli_centre_verdict_names[] = { "certain", "look",
                                                    "cannot-tell" };

const char *
tl_cli_centre_mark_outlier (const TlCentreEstimate *e,
                            const TlCentreConsensus *c)
{
  return c->agrees[e->method] || c->verdict == TL_CENTRE_CANNOT_TELL
             ? ""
             : " (does not agree)";
}

/* Prints a line of the table. @is_found: whether there is a column to print */
static void
print_line (const char *name, gboolean is_found, double centre_col,
            double uncertainty_col, const char *words, const char *more)
{
  if (is_found)
    printf ("  %-10s %10.3f %10.3f %8.3f   %s%s\n", name, centre_col,
            tl_centre_to_boundary (centre_col), uncertainty_col, words, more);
  else
    printf ("  %-10s %10s %10s %8s   %s%s\n", name, "-", "-", "-", words, more);
}

static void
print_answer (const TlCentreAnswer *answer)
{
  const TlCentreConsensus *c = &answer->consensus;
  printf ("slice %zu\n  %-10s %10s %10s %8s\n", answer->row, "method", "centre",
          "boundary", "+-");
  for (size_t k = 0; k < answer->n; k++)
    {
      const TlCentreEstimate *e = &answer->estimates[k];
      print_line (tl_centre_method_names[e->method], e->is_found, e->centre_col,
                  e->uncertainty_col, e->is_found ? e->reason : "no result: ",
                  e->is_found ? tl_cli_centre_mark_outlier (e, c) : e->reason);
    }
  print_line ("consensus", c->verdict != TL_CENTRE_CANNOT_TELL, c->centre_col,
              c->uncertainty_col, c->sentence, "");
  if (answer->note != NULL)
    printf ("  note: %s\n", answer->note);
}

static void
add_answer (const TlCentreAnswer *answer, TlJson *json)
{
  const TlCentreConsensus *c = &answer->consensus;
  tl_json_add (json,
               "{slice: %zu, verdict: %s, centre: %f, boundary: %f, "
               "uncertainty: %f, spread: %f, agreeing_spread: %f, "
               "sentence: %s, note: %s, estimates: [",
               answer->row, tl_cli_centre_verdict_names[c->verdict],
               c->centre_col, tl_centre_to_boundary (c->centre_col),
               c->uncertainty_col, c->n_found > 0 ? c->spread_col : NAN,
               c->n_agreeing > 0 ? c->agreeing_spread_col : NAN, c->sentence,
               answer->note);
  for (size_t k = 0; k < answer->n; k++)
    {
      const TlCentreEstimate *e = &answer->estimates[k];
      tl_json_add (json,
                   "{method: %s, found: %d, centre: %f, boundary: %f, "
                   "uncertainty: %f, agrees: %d, reason: %s, seconds: %f}",
                   tl_centre_method_names[e->method], e->is_found,
                   e->centre_col, tl_centre_to_boundary (e->centre_col),
                   e->uncertainty_col, c->agrees[e->method], e->reason,
                   answer->estimates_s[k]);
    }
  tl_json_add (json, "], read_seconds: %f, estimate_seconds: %f}",
               answer->read_s, answer->total_s);
}

void
tl_cli_centre_report (const TlCentreAnswer *answer, TlJson *json)
{
  if (json != NULL)
    add_answer (answer, json);
  else
    print_answer (answer);
}

void
tl_cli_centre_print_timing (const TlCentreAnswer *answer, double open_s,
                            double engine_s)
{
  printf ("  opening the file     %8.3f s\n"
          "  starting the engine  %8.3f s\n"
          "  reading the row      %8.3f s\n",
          open_s, engine_s, answer->read_s);
  for (size_t k = 0; k < answer->n; k++)
    printf ("    %-17s  %8.3f s\n",
            tl_centre_method_names[answer->estimates[k].method],
            answer->estimates_s[k]);
  printf ("  all estimates        %8.3f s\n", answer->total_s);
}

void
tl_cli_centre_print_copies (double centre_col, size_t n_cols)
{
  printf ("copy as\n");
  for (guint program = 0; program < TL_N_CENTRE_PROGRAMS; program++)
    {
      g_autofree char *text = tl_centre_copy_as (program, centre_col, n_cols);
      printf ("  %-10s %s\n", tl_centre_program_names[program], text);
    }
}
