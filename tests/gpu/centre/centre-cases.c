#include "tests/gpu/centre/centre-cases.h"

#include "data/phantom/shapes.h"

#include <math.h>

#define MAX_SHAPES 64

const char *const centre_turn_names[] = { "180", "180 end", "360", "360 end",
                                          "360 half" };

CentreCase
centre_case_random (guint32 seed)
{
  static const double counts[] = { 0, 50, 200, 1000, 5000, 50000 };
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  CentreCase c = { .seed = seed };
  c.turn = (CentreTurn)g_rand_int_range (rand, 0, CENTRE_N_TURNS);
  c.n_cols = (size_t)g_rand_int_range (rand, 120, 300);
  const double per_turn = g_rand_double_range (rand, 0.5, 1.6);
  c.n_projections = (size_t)(per_turn * (double)c.n_cols);
  c.few = g_rand_int_range (rand, 0, 8) == 0;
  if (c.few)
    c.n_projections = (size_t)g_rand_int_range (rand, 40, 64);
  if (c.turn >= CENTRE_FULL)
    c.n_projections *= 2;
  c.n_projections += (size_t)g_rand_int_range (rand, 0, 2);
  const double middle = ((double)c.n_cols - 1) / 2;
  const double away = g_rand_double_range (
      rand, -1, 1); /* most centres near the middle, some far from it */
  if (c.turn == CENTRE_HALF_ACQUIRED)
    c.centre_col =
        middle
        + (away < 0 ? -1 : 1) * (double)c.n_cols * (0.25 + 0.17 * fabs (away));
  else
    c.centre_col = middle + 0.3 * away * fabs (away) * (double)c.n_cols;
  switch (g_rand_int_range (rand, 0, 4))
    {
    case 0:
      c.centre_col = round (c.centre_col);
      break;
    case 1:
      c.centre_col = round (3 * c.centre_col) / 3;
      break;
    default:
      c.is_free = TRUE;
      break;
    }
  if (g_rand_int_range (rand, 0, 4) == 0)
    c.tilt_deg =
        (g_rand_boolean (rand) ? 1 : -1) * g_rand_double_range (rand, 0.1, 1);
  c.counts = counts[g_rand_int_range (rand, 0, G_N_ELEMENTS (counts))];
  c.transmission = g_rand_int_range (rand, 0, 4) == 0;
  c.rings = g_rand_int_range (rand, 0, 3) == 0;
  c.zingers = g_rand_int_range (rand, 0, 3) == 0;
  c.gains = g_rand_int_range (rand, 0, 3) == 0;
  c.truncated =
      c.turn != CENTRE_HALF_ACQUIRED && g_rand_int_range (rand, 0, 5) == 0;
  c.air = c.turn != CENTRE_HALF_ACQUIRED && !c.truncated
          && g_rand_int_range (rand, 0, 5) == 0;
  return c;
}

char *
centre_case_dup_text (const CentreCase *c)
{
  return g_strdup_printf (
      "%4u %-8s %4zu x %3zu, axis %8.3f, tilt %+.2f, %5.0f counts"
      "%s%s%s%s%s%s%s",
      c->seed, centre_turn_names[c->turn], c->n_projections, c->n_cols,
      c->centre_col, c->tilt_deg, c->counts,
      c->transmission ? " transmission" : "", c->rings ? " rings" : "",
      c->zingers ? " zingers" : "", c->gains ? " gains" : "",
      c->truncated ? " truncated" : "", c->air ? " air" : "",
      c->few ? " few" : "");
}

/* Chooses the shapes of the demonstration phantom or random ellipses. Returns:
 * the number of shapes */
static size_t
choose_shapes (GRand *rand, TlEllipse *shapes)
{
  size_t n;
  const TlEllipse *all = tl_phantom_shapes (&n);
  if (g_rand_boolean (rand))
    {
      for (size_t k = 0; k < n; k++)
        shapes[k] = all[k];
      return n;
    }
  n = (size_t)g_rand_int_range (rand, 4, 30);
  shapes[0] = (TlEllipse){ .a = g_rand_double_range (rand, 0.5, 0.9),
                           .b = g_rand_double_range (rand, 0.5, 0.9),
                           .turn_rad = g_rand_double (rand),
                           .value = 0.6,
                           .z1 = 1 };
  for (size_t k = 1; k < n; k++)
    {
      const double r = g_rand_double_range (rand, 0, 0.7);
      const double t = g_rand_double_range (rand, 0, 2 * G_PI);
      shapes[k] = (TlEllipse){
        .x = r * cos (t),
        .y = r * sin (t),
        .a = g_rand_double_range (rand, 0.01, 0.2),
        .b = g_rand_double_range (rand, 0.01, 0.2),
        .turn_rad = g_rand_double_range (rand, 0, G_PI),
        .value = g_rand_double_range (rand, -0.5, 1),
        .z1 = 1,
      };
    }
  return n;
}

/* Returns: a random number of photons that approximates Poisson's distribution.
 */
static double
count_photons (GRand *rand, double mean)
{
  const double u = 1 - g_rand_double (rand), v = g_rand_double (rand);
  const double normal = sqrt (-2 * log (u)) * cos (2 * G_PI * v);
  return MAX (round (mean + sqrt (mean) * normal), 0.5);
}

/* Returns: the part of the range at which projection @p is, from 0 to 1; @part:
 * the same if they are even */
static double
space (CentreSpacing spacing, size_t p, size_t n, double part)
{
  switch (spacing)
    {
    case CENTRE_SHAKEN:
      return part + 0.45 * sin (2.3 * (double)(p * p)) / (double)n;
    case CENTRE_GOLDEN:
      return fmod ((double)p * (sqrt (5) - 1) / 2, 1);
    case CENTRE_DENSER:
      return part < 0.25 ? 2 * part : 0.5 + (part - 0.25) / 1.5;
    default:
      return part;
    }
}

static void
set_angles (const CentreCase *c, double *angles_rad)
{
  const double range = c->turn < CENTRE_FULL ? G_PI : 2 * G_PI;
  const gboolean end = c->turn == CENTRE_HALF_END || c->turn == CENTRE_FULL_END;
  for (size_t p = 0; p < c->n_projections; p++)
    {
      const double part =
          (double)p / (double)(c->n_projections - (end ? 1 : 0));
      angles_rad[p] =
          0.3 + range * space (c->spacing, p, c->n_projections, part);
    }
}

CentreSinogram *
centre_sinogram_new (const CentreCase *c)
{
  const size_t n = c->n_projections, n_cols = c->n_cols;
  const double to_edge = c->centre_col + 0.5;
  const double near = MIN (to_edge, (double)n_cols - to_edge);
  const double far = MAX (to_edge, (double)n_cols - to_edge);
  TlEllipse shapes[MAX_SHAPES];
  g_autoptr (GRand) rand = g_rand_new_with_seed (c->seed + 1000000);
  CentreSinogram *s = g_new0 (CentreSinogram, 1);
  const size_t n_shapes = choose_shapes (rand, shapes);
  /* The object is as high as wide; with a tilted axis, the height changes along
   * the row. */
  const double tilt_rad = c->tilt_deg * G_PI / 180;
  const double z = g_rand_double (rand), rise = sin (tilt_rad) / (double)n_cols;
  for (size_t k = 1; c->tilt_deg != 0 && k < n_shapes; k++)
    if (shapes[k].z0 <= 0 && shapes[k].z1 >= 1)
      {
        shapes[k].z0 = g_rand_double_range (rand, -1, 0.3);
        shapes[k].z1 = shapes[k].z0 + g_rand_double_range (rand, 0.3, 2);
      }
  const double radius = c->turn == CENTRE_HALF_ACQUIRED ? 0.95 * far
                        : c->truncated
                            ? near * g_rand_double_range (rand, 1.1, 1.6)
                        : c->air ? near * g_rand_double_range (rand, 0.2, 0.5)
                                 : near * g_rand_double_range (rand, 0.5, 0.97);
  g_autofree double *rings = g_new0 (double, n_cols);
  s->rows = g_new (float, n *n_cols);
  s->angles_rad = g_new (double, n);
  set_angles (c, s->angles_rad);
  for (size_t k = 0; c->rings && k < n_cols; k++)
    rings[k] = g_rand_int_range (rand, 0, 10) == 0
                   ? g_rand_double_range (rand, -0.1, 0.1)
                   : g_rand_double_range (rand, -0.01, 0.01);
  for (size_t p = 0; p < n; p++)
    {
      const double gain = c->gains ? g_rand_double_range (rand, 0.9, 1.1) : 1;
      for (size_t k = 0; k < n_cols; k++)
        {
          const double away = (double)k - c->centre_col;
          const double v =
              tl_phantom_project (shapes, n_shapes, radius, s->angles_rad[p],
                                  away * cos (tilt_rad),
                                  CLAMP (z + away * rise, 0, 1 - 1e-9))
              + rings[k];
          double t = exp (-v);
          if (c->counts > 0)
            t = count_photons (rand, c->counts * t) / c->counts;
          if (c->zingers && g_rand_int_range (rand, 0, 3000) == 0)
            t += g_rand_double_range (rand, 0.5, 5);
          t *= gain;
          s->rows[p * n_cols + k] = (float)(c->transmission ? t : -log (t));
        }
    }
  s->data = (TlCentreData){
    .n_projections = n,
    .n_cols = n_cols,
    .rows = s->rows,
    .angles_rad = s->angles_rad,
    .last_col = (double)n_cols - 1,
  };
  return s;
}

void
centre_sinogram_free (CentreSinogram *s)
{
  g_free (s->rows);
  g_free (s->angles_rad);
  g_free (s);
}
