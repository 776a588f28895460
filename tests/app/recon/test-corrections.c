/* Rings and zingers of real scans: ring removal reduces the rings of slices,
 * and no zingers are found where there are none. */
#include "tests/app/recon/recon-fixture.h"
#include "tests/app/scratch.h"

#include <math.h>
#include <string.h>

typedef struct
{
  const char *scan, *row, *centre;
  double reach; /* pixels from the axis: inside the object, where rings are
                   visible */
} Real;

static const Real scans[] = {
  { "tomopy-tooth/tooth.h5", "0", "295.6", 100 },
  { "savu-24737-tiff", "60", "85.83", 60 },
};

typedef struct
{
  const char *engine;
  const Real *real;
} Case;

static TlFrame *
run (TlReconFixture *fixture, const char *rings, const char *zingers)
{
  tl_recon_fixture_set (fixture, "rings", rings);
  tl_recon_fixture_set (fixture, "zingers", zingers);
  return tl_recon_fixture_run (fixture, fixture->recipe->slice, 1);
}

/* Averages over circles about the axis, a pixel apart. Returns: the root mean
 * square difference of each average from the mean of its two neighbours */
static double
measure_rings (TlFrame *frame, double reach)
{
  const size_t n = tl_frame_get_n_cols (frame), n_circles = (size_t)reach;
  const float *pixels = tl_frame_get_pixels (frame);
  const double middle = ((double)n - 1) / 2;
  g_autofree double *sums = g_new0 (double, n_circles);
  g_autofree double *counts = g_new0 (double, n_circles);
  double total = 0;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      {
        const size_t circle =
            (size_t)hypot ((double)i - middle, (double)j - middle);
        if (circle < n_circles)
          {
            sums[circle] += (double)pixels[i * n + j];
            counts[circle]++;
          }
      }
  for (size_t k = 0; k < n_circles; k++)
    sums[k] /= counts[k];
  for (size_t k = 1; k + 1 < n_circles; k++)
    total += pow (sums[k] - (sums[k - 1] + sums[k + 1]) / 2, 2);
  return sqrt (total / (double)(n_circles - 2));
}

static double
measure_change (TlFrame *frame, TlFrame *before)
{
  const size_t n = tl_frame_get_n_rows (frame) * tl_frame_get_n_cols (frame);
  return tl_recon_distance (tl_frame_get_pixels (frame),
                            tl_frame_get_pixels (before), n);
}

static void
test_real (gconstpointer data)
{
  static const char *const ways[] = { "sorting", "wavelet" };
  const Case *c = data;
  TlReconFixture fixture;
  g_autofree char *path = tl_scratch_shared (c->real->scan);
  if (path == NULL || !tl_recon_fixture_init (&fixture, c->engine))
    return;
  tl_recon_fixture_set (&fixture, "slice", c->real->row);
  tl_recon_fixture_set (&fixture, "centre", c->real->centre);
  tl_recon_fixture_open (&fixture, path);
  g_autoptr (TlFrame) before = run (&fixture, "off", "off");
  const double rings = measure_rings (before, c->real->reach);
  for (size_t k = 0; k < G_N_ELEMENTS (ways); k++)
    {
      g_autoptr (TlFrame) after = run (&fixture, ways[k], "off");
      const double left = measure_rings (after, c->real->reach);
      g_test_message ("%s: rings of %.3g, %.3g before; changed by %.3g",
                      ways[k], left, rings, measure_change (after, before));
      g_assert_cmpfloat (2 * left, <, rings);
    }
  g_autoptr (TlFrame) zingers = run (&fixture, "off", "on");
  g_test_message ("zingers: changed by %.3g", measure_change (zingers, before));
  g_assert_cmpfloat (measure_change (zingers, before), <, 1e-3);
  tl_recon_fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  static const char *const engines[] = { "cuda", "host" };
  g_test_init (&argc, &argv, NULL);
  for (size_t e = 0; e < G_N_ELEMENTS (engines); e++)
    for (size_t k = 0; k < G_N_ELEMENTS (scans); k++)
      {
        g_autofree char *path =
            g_strdup_printf ("/%s/corrections/%.*s", engines[e],
                             (int)strcspn (scans[k].scan, "/"), scans[k].scan);
        Case *c = g_new (Case, 1);
        *c = (Case){ engines[e], &scans[k] };
        g_test_add_data_func_full (path, c, test_real, g_free);
      }
  return g_test_run ();
}
