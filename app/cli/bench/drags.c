/* The drags of "bench interactive", and the corrections that are on during
 * each. */
#include "app/cli/bench/drags-private.h"

#include "app/cli/bench/cases-private.h"

#include <math.h>

/* Fraction of a column to which the centre is rounded; fine enough for each
 * event to be a new position. */
#define CENTRE_PARTS 1000000

/* Position of the pointer, 0 … 1, that goes back and forth once a second. */
static double
swing (size_t event)
{
  return 0.5 - 0.5 * cos (2 * G_PI * (double)event / TL_BENCH_EVENTS_PER_S);
}

static void
set_number (TlSession *session, const char *key, double number)
{
  char value[G_ASCII_DTOSTR_BUF_SIZE];
  g_ascii_dtostr (value, sizeof value, number);
  tl_parameters_set (session->parameters, key, value, NULL);
}

static void
move_centre (TlSession *session, size_t event)
{
  const size_t n_cols = tl_scan_source_get_summary (session->source)->n_cols;
  const double centre_col = ((double)n_cols - 1) / 2 + 10 * swing (event + 1);
  tl_parameters_set_centre (session->parameters,
                            tl_parameters_limit_centre (
                                session->parameters, centre_col, CENTRE_PARTS));
}

static void
move_slice (TlSession *session, size_t event)
{
  tl_parameters_set_slice (
      session->parameters,
      (guint)(event % tl_scan_source_get_summary (session->source)->n_rows));
}

static void
move_cutoff (TlSession *session, size_t event)
{
  set_number (session, "cutoff", 1 - 0.8 * swing (event + 1));
}

static void
move_zinger_threshold (TlSession *session, size_t event)
{
  set_number (session, "zinger-threshold", 0.3 + 1.7 * swing (event + 1));
}

static void
move_delta_beta (TlSession *session, size_t event)
{
  set_number (session, "delta-beta", 20 + 80 * swing (event + 1));
}

static void
move_ring_size (TlSession *session, size_t event)
{
  set_number (session, "ring-size", 3 + 2 * round (20 * swing (event + 1)));
}

/* Settings for which the phase filter blurs over 3 to 7 pixels, whatever the
 * scan: it needs 29 to 57 rows above and below. */
#define PHASE                                                                  \
  "energy=20", "distance=100", "pixel-size=1", "delta-beta=20", "phase=on"

static const TlBenchDrag drags[] = {
  { "centre", move_centre, { NULL } },
  { "slice", move_slice, { NULL } },
  { "filter", move_cutoff, { NULL } },
  { "zingers", move_zinger_threshold, { "zingers=on" } },
  { "rings", move_ring_size, { "rings=sorting" } },
  { "phase", move_delta_beta, { PHASE } },
  { "zingers, phase", move_zinger_threshold, { PHASE, "zingers=on" } },
};

const TlBenchDrag *
tl_bench_list_drags (size_t *n)
{
  *n = G_N_ELEMENTS (drags);
  return drags;
}

gboolean
tl_bench_drag_prepare (const TlBenchDrag *drag, TlSession *session,
                       GError **error)
{
  for (size_t k = 0; drag->settings[k] != NULL; k++)
    {
      g_auto (GStrv) words = g_strsplit (drag->settings[k], "=", 2);
      if (!tl_parameters_set (session->parameters, words[0], words[1], error))
        return FALSE;
    }
  return TRUE;
}
