#include "app/play/plan.h"

#include "data/error.h"
#include "data/read/scan/frame-ranges.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* A power of two: each pass lies in the middle of the gaps that those before it
 * have left. */
#define N_PASSES 8

const char *const tl_play_order_names[] = { "sequential", "interlaced",
                                            "golden", "random", NULL };

/* Returns: (transfer full): [@n] 0 … @n - 1 */
static size_t *
count_up (size_t n)
{
  size_t *order = g_new (size_t, n);
  for (size_t k = 0; k < n; k++)
    order[k] = k;
  return order;
}

static void
interlace (size_t *order, size_t n)
{
  size_t k = 0;
  for (guint pass = 0; pass < N_PASSES; pass++)
    {
      /* The bits of the pass, reversed: 0 4 2 6 1 5 3 7. */
      guint first = 0;
      for (guint bit = 1; bit < N_PASSES; bit *= 2)
        first = 2 * first + ((pass & bit) != 0);
      for (size_t projection = first; projection < n; projection += N_PASSES)
        order[k++] = projection;
    }
}

static int
compare_doubles (gconstpointer a, gconstpointer b, gpointer places)
{
  const double x = ((const double *)places)[*(const size_t *)a];
  const double y = ((const double *)places)[*(const size_t *)b];
  return (x > y) - (x < y);
}

/* The k-th place is k times the golden ratio, of which the whole turns are
 * dropped. The projection with the same rank among the angles is taken. */
static void
spread_golden (size_t *order, size_t n)
{
  const double ratio = (sqrt (5) - 1) / 2;
  g_autofree double *places = g_new (double, n);
  g_autofree size_t *ranked = count_up (n);
  for (size_t k = 0; k < n; k++)
    places[k] = fmod ((double)k * ratio, 1);
  g_qsort_with_data (ranked, (int)n, sizeof *ranked, compare_doubles, places);
  for (size_t rank = 0; rank < n; rank++)
    order[ranked[rank]] = rank;
}

static void
shuffle (size_t *order, size_t n, guint32 seed)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  for (size_t k = n; k > 1; k--)
    {
      const size_t other = (size_t)(g_rand_double (random) * (double)k);
      const size_t swapped = order[k - 1];
      order[k - 1] = order[other];
      order[other] = swapped;
    }
}

static size_t *
choose_order (const TlPlayPlan *plan, size_t n)
{
  size_t *order = count_up (n);
  if (plan->order == TL_PLAY_INTERLACED)
    interlace (order, n);
  else if (plan->order == TL_PLAY_GOLDEN)
    spread_golden (order, n);
  else if (plan->order == TL_PLAY_RANDOM)
    shuffle (order, n, plan->seed);
  return order;
}

static void
add (GArray *steps, TlPlayStep step)
{
  step.number = steps->len;
  g_array_append_val (steps, step);
}

/* Adds @n darks or flats; the stage stands still meanwhile. */
static void
add_fields (GArray *steps, const TlPlayStep *first, size_t n)
{
  for (size_t k = 0; k < n; k++)
    {
      TlPlayStep step = *first;
      step.source += k;
      step.index += k;
      add (steps, step);
    }
}

GArray *
tl_play_plan (const TlScanInfo *info, const TlPlayPlan *plan)
{
  const size_t n = info->n_projections;
  const size_t n_before = plan->fields_last ? 0 : info->n_flats_before;
  GArray *steps = g_array_new (FALSE, FALSE, sizeof (TlPlayStep));
  g_autofree size_t *order = choose_order (plan, n);
  TlPlayStep dark = { .kind = TL_FRAMES_DARKS, .is_after = plan->fields_last };
  TlPlayStep flat = { .kind = TL_FRAMES_FLATS };
  dark.angle_deg =
      info->angles_deg[plan->fields_last ? order[n - 1] : order[0]];
  flat.angle_deg = info->angles_deg[order[0]];

  if (!plan->fields_last)
    add_fields (steps, &dark, info->n_darks);
  add_fields (steps, &flat, n_before);
  for (size_t k = 0; k < n; k++)
    add (steps, (TlPlayStep){
                    .kind = TL_FRAMES_PROJECTIONS,
                    .source = order[k],
                    .index = order[k],
                    .angle_deg = info->angles_deg[order[k]],
                    .is_lost = plan->is_lost != NULL && plan->is_lost[order[k]],
                });
  flat.is_after = TRUE;
  flat.angle_deg = info->angles_deg[order[n - 1]];
  flat.source = flat.index = n_before;
  add_fields (steps, &flat, info->n_flats - n_before);
  flat.source = 0;
  flat.index = info->n_flats;
  add_fields (steps, &flat, plan->repeats_flats ? info->n_flats : 0);
  if (plan->fields_last)
    add_fields (steps, &dark, info->n_darks);
  return steps;
}

/* --- what is lost --- */

static gboolean
lose_percent (const char *text, gboolean *is_lost, size_t n, guint32 seed)
{
  char *end;
  const double percent = g_ascii_strtod (text, &end);
  if (end == text || strcmp (end, "%") != 0 || !(percent >= 0 && percent < 100))
    return FALSE;
  g_autofree size_t *order = count_up (n);
  const size_t n_lost = (size_t)lround (percent / 100 * (double)n);
  shuffle (order, n, seed);
  for (size_t k = 0; k < n_lost; k++)
    is_lost[order[k]] = TRUE;
  return TRUE;
}

static gboolean
lose_listed (const char *text, gboolean *is_lost, size_t n)
{
  g_autoptr (GArray) ranges = tl_frame_ranges_parse (text);
  if (ranges == NULL || ranges->len == 0
      || g_array_index (ranges, TlFrameRange, ranges->len - 1).last >= n)
    return FALSE;
  for (guint i = 0; i < ranges->len; i++)
    {
      const TlFrameRange *range = &g_array_index (ranges, TlFrameRange, i);
      for (size_t k = range->first; k <= range->last; k++)
        is_lost[k] = TRUE;
    }
  return TRUE;
}

gboolean *
tl_play_lose (const char *text, size_t n, guint32 seed, GError **error)
{
  g_autofree gboolean *is_lost = g_new0 (gboolean, n);
  if (lose_percent (text, is_lost, n, seed) || lose_listed (text, is_lost, n))
    return g_steal_pointer (&is_lost);
  return tl_fail_null (error, TL_ERROR_VALUE,
                       _ ("\"%s\" is neither a percentage below 100, such as "
                          "5%%, nor a list of projections from 0 to %zu, such "
                          "as 0,17,20:29"),
                       text, n - 1);
}
