/* Means of noisy fields: which values are zingers. */
#include "data/read/field-sum-private.h"

#include <math.h>

enum
{
  N_FRAMES = 3,
  N_COLS = 2048,
  SPOT = 700 /* column */
};

#define COUNTS 10000.0

/* Returns: counts with the noise of photons, nearly Gaussian */
static double
make_count (GRand *rand, double mean)
{
  double sum = 0;
  for (int k = 0; k < 12; k++)
    sum += g_rand_double_range (rand, -0.5, 0.5);
  return rint (mean + sqrt (mean) * sum);
}

/* Adds a row of frames, the last of which is brighter by the part @brighter,
 * with a spot of @spot counts in one of them. Returns: how many values are left
 * out */
static size_t
count_spots (GRand *rand, double brighter, double spot)
{
  TlFieldSum sums[N_COLS];
  double values[N_COLS], means[N_COLS];
  tl_field_sum_clear (sums, N_COLS);
  for (int frame = 0; frame < N_FRAMES; frame++)
    {
      const double mean = COUNTS * (frame == N_FRAMES - 1 ? 1 + brighter : 1);
      for (int col = 0; col < N_COLS; col++)
        values[col] = make_count (rand, mean);
      if (frame == 0)
        values[SPOT] += spot;
      tl_field_sum_add (sums, values, N_COLS);
    }
  const size_t n =
      tl_field_sum_get_means (sums, N_COLS, N_FRAMES, TL_SAMPLE_U16, means);
  for (int col = 0; col < N_COLS; col++)
    if (n == 0 || col != SPOT)
      g_assert_cmpfloat (means[col], ==, sums[col].sum / N_FRAMES);
  return n;
}

/* However much brighter a frame is, none of its values is a spot; and a spot is
 * found beside it while it is no more than a third brighter. */
static void
test_brighter (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  for (int percent = -10; percent <= 100; percent++)
    {
      g_assert_cmpuint (count_spots (rand, percent / 100., 0), ==, 0);
      if (percent <= 33)
        g_assert_cmpuint (count_spots (rand, percent / 100., 4 * COUNTS), ==,
                          1);
    }
}

/* Darks from which the first one was subtracted have means about 0. */
static void
test_zero (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (8);
  static const double offsets[] = { 0, -1, -100 };
  TlFieldSum sums[N_COLS];
  double values[N_COLS], first[N_COLS], means[N_COLS];
  for (size_t i = 0; i < G_N_ELEMENTS (offsets); i++)
    for (int n = 0; n < 50; n++)
      {
        tl_field_sum_clear (sums, N_COLS);
        for (int frame = 0; frame < N_FRAMES; frame++)
          {
            for (int col = 0; col < N_COLS; col++)
              {
                values[col] = make_count (rand, COUNTS);
                if (frame == 0)
                  first[col] = values[col];
                values[col] += offsets[i] - first[col];
              }
            tl_field_sum_add (sums, values, N_COLS);
          }
        g_assert_cmpuint (tl_field_sum_get_means (sums, N_COLS, N_FRAMES,
                                                  TL_SAMPLE_F32, means),
                          ==, 0);
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/field-sum/brighter", test_brighter);
  g_test_add_func ("/field-sum/zero", test_zero);
  return g_test_run ();
}
