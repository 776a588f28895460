/* The volume of a scan of which a part has come. */
#include "app/recon/volume/voxels.h"
#include "app/resident/resident.h"
#include "app/volume/live-volume.h"
#include "tests/app/scratch.h"

#include <math.h>
#include <string.h>

enum
{
  N_PROJECTIONS = 44,
  N_COME = 22, /* in the order of their numbers */
  N_ROWS = 6,
  N_COLS = 48,
  BIN = 2,
  TIMEOUT_S = 20
};

/* Of the largest value; 2e-7 was measured. The weights are multiplied before
 * the sum here, and after it there. */
#define ROUNDING 3e-6

/* Of the largest value, by which the volume differs if each projection has the
 * weight of a scan that ends here: half as much. */
#define LEAST_WRONG 0.3

typedef struct
{
  char *folder;
  TlReader *reader;
  TlRecipe *recipe;
  TlEngine *engine;
  TlHeldBudget *budget;
} Fixture;

static void
set_up (Fixture *f)
{
  g_autoptr (GError) error = NULL;
  f->folder = tl_scratch_new ();
  g_autofree char *path =
      tl_scratch_phantom (f->folder, "scan.h5", N_PROJECTIONS, N_ROWS, N_COLS);
  f->reader = tl_reader_open (path, NULL, &error);
  g_assert_no_error (error);
  f->engine = tl_engine_open ("host", &error);
  g_assert_no_error (error);
  f->recipe = tl_recipe_new ();
  f->recipe->params.method = TL_METHOD_BACKPROJECTION;
  tl_recipe_resolve (f->recipe, tl_reader_get_info (f->reader), &error);
  g_assert_no_error (error);
  f->budget = tl_held_budget_new (G_MAXUINT64);
}

static void
tear_down (Fixture *f)
{
  g_assert_cmpuint (tl_held_budget_get_taken (f->budget), ==, 0);
  tl_held_budget_unref (f->budget);
  tl_recipe_free (f->recipe);
  tl_engine_close (f->engine);
  tl_reader_close (f->reader);
  tl_scratch_free (f->folder);
}

/* Puts the frames from @first on. */
static void
put (const Fixture *f, TlHeld *held, TlFrameKind kind, size_t first, size_t n)
{
  const TlScanInfo *info = tl_reader_get_info (f->reader);
  for (size_t k = first; k < first + n; k++)
    {
      guint16 pixels[N_ROWS * N_COLS];
      g_autoptr (GError) error = NULL;
      tl_reader_read_frames (f->reader, kind, k, 1, 0, N_ROWS, pixels, &error);
      g_assert_no_error (error);
      g_assert_true (tl_held_put (
          held, kind, k,
          kind == TL_FRAMES_PROJECTIONS ? info->angles_deg[k] : 0, pixels));
    }
}

/* Returns: (transfer full): with flats, darks and projections from @first on */
static TlHeld *
take (const Fixture *f, size_t first, size_t n)
{
  const TlScanInfo *info = tl_reader_get_info (f->reader);
  g_autoptr (TlHeldBudget) own = tl_held_budget_new (G_MAXUINT64);
  g_autoptr (GError) error = NULL;
  const TlHeldLayout layout = {
    .name = "zmq+json://nowhere:1",
    .n_rows = N_ROWS,
    .n_cols = N_COLS,
    .n_kept = N_ROWS,
    .type = TL_SAMPLE_U16,
    .n_expected = N_PROJECTIONS,
    .angles_deg = info->angles_deg,
  };
  g_assert_cmpint (info->type, ==, layout.type);
  TlHeld *held = tl_held_new (&layout, own, &error);
  g_assert_no_error (error);
  put (f, held, TL_FRAMES_FLATS, 0, info->n_flats);
  put (f, held, TL_FRAMES_DARKS, 0, info->n_darks);
  put (f, held, TL_FRAMES_PROJECTIONS, first, n);
  return held;
}

static void
await (TlResident *resident)
{
  const gint64 end_us = g_get_monotonic_time () + TIMEOUT_S * G_USEC_PER_SEC;
  gboolean is_busy = TRUE;
  while (is_busy || tl_resident_is_reloading (resident))
    {
      g_assert_cmpint (g_get_monotonic_time (), <, end_us);
      g_main_context_iteration (NULL, TRUE);
      g_object_get (resident, "busy", &is_busy, NULL);
    }
}

static TlResident *
load (const Fixture *f, TlHeld *held)
{
  static const guint bins[] = { BIN };
  TlResident *resident =
      tl_resident_new ("nowhere", held, f->recipe, bins, 1, f->budget);
  await (resident);
  g_assert_cmpstr (tl_resident_get_problem (resident), ==, NULL);
  return resident;
}

static void
make (const Fixture *f, TlResident *resident, TlVoxels *voxels)
{
  g_autoptr (GError) error = NULL;
  TlReader *level =
      tl_held_copy_open (tl_resident_get_level (resident, 0), &error);
  g_assert_no_error (error);
  g_autoptr (TlRecipe) recipe = tl_resident_dup_recipe (
      f->recipe, BIN, tl_reader_get_info (level), &error);
  g_assert_no_error (error);
  TlRecon *recon = tl_recon_new (level, f->engine);
  tl_voxels_make (voxels, recon, recipe, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  tl_recon_free (recon);
}

static size_t
count_voxels (const TlVoxels *voxels)
{
  return voxels->n[0] * voxels->n[1] * voxels->n[2];
}

/* Adds the volume of one bin alone, which has the weight pi, times @factor. */
static void
add_bin (const Fixture *f, size_t bin, double factor, TlVoxels *sum)
{
  g_autoptr (TlHeld) held = take (f, bin * BIN, BIN);
  TlVoxels one;
  tl_held_end (held);
  g_autoptr (TlResident) resident = load (f, held);
  make (f, resident, &one);
  const size_t n = count_voxels (&one);
  if (sum->values == NULL)
    {
      *sum = one;
      sum->values = g_new0 (float, n);
    }
  for (size_t k = 0; k < n; k++)
    sum->values[k] += (float)factor * one.values[k];
  tl_voxels_clear (&one);
}

/* Returns: the largest difference, in parts of the largest value */
static double
compare (const TlVoxels *got, const TlVoxels *want)
{
  double worst = 0, most = 0;
  g_assert_cmpmem (got->n, sizeof got->n, want->n, sizeof want->n);
  for (size_t k = 0; k < count_voxels (want); k++)
    {
      g_assert_cmpint (isnan (got->values[k]), ==, isnan (want->values[k]));
      if (isnan (want->values[k]))
        continue;
      worst = fmax (worst, fabs ((double)got->values[k] - want->values[k]));
      most = fmax (most, fabs ((double)want->values[k]));
    }
  g_assert_cmpfloat (most, >, 0.01);
  g_test_message ("difference %g of %g", worst, most);
  return worst / most;
}

/* The volume is the sum of those of its projections, each times the weight that
 * it has in a slice of the scan at this moment. */
static void
test_weights (void)
{
  Fixture f;
  TlVoxels got, want = { 0 }, wrong;
  g_autoptr (GError) error = NULL;
  set_up (&f);
  TlHeld *held = take (&f, 0, N_COME);
  TlReader *each = tl_held_open (held, NULL, NULL, &error);
  g_assert_no_error (error);
  TlResident *resident = load (&f, held);
  make (&f, resident, &got);
  for (size_t bin = 0; bin < N_COME / BIN; bin++)
    {
      double weight = 0;
      for (size_t k = bin * BIN; k < (bin + 1) * BIN; k++)
        weight += tl_reader_get_info (each)->weights[k];
      add_bin (&f, bin, weight / G_PI, &want);
    }
  g_assert_cmpfloat (compare (&got, &want), <=, ROUNDING);
  /* the same projections as a scan that ends here */
  tl_held_end (held);
  g_assert_true (tl_resident_reload (resident));
  await (resident);
  make (&f, resident, &wrong);
  g_assert_cmpfloat (compare (&wrong, &want), >=, LEAST_WRONG);
  tl_voxels_clear (&got);
  tl_voxels_clear (&want);
  tl_voxels_clear (&wrong);
  g_object_unref (resident);
  tl_reader_close (each);
  tl_held_unref (held);
  tear_down (&f);
}

/* Loaded again, the projections are those that a new object has, to the bit;
 * until then the ones of before are there. */
static void
test_again (void)
{
  Fixture f;
  TlVoxels got, want;
  set_up (&f);
  TlHeld *held = take (&f, 0, N_COME);
  TlResident *resident = load (&f, held);
  TlHeldCopy *before = tl_resident_get_level (resident, 0);
  const guint64 growth = tl_resident_get_growth (resident);
  const guint64 n_bytes = tl_held_budget_get_taken (f.budget);
  g_assert_cmpuint (growth, >, 0);
  put (&f, held, TL_FRAMES_PROJECTIONS, N_COME, N_PROJECTIONS - N_COME - 1);
  g_assert_true (tl_resident_reload (resident));
  g_assert_false (tl_resident_reload (resident));
  g_assert_true (tl_resident_get_level (resident, 0) == before);
  await (resident);
  g_assert_true (tl_resident_get_level (resident, 0) != before);
  g_assert_cmpuint (tl_resident_get_growth (resident), >, growth);
  g_assert_cmpuint (tl_held_budget_get_taken (f.budget), >, n_bytes);
  g_assert_cmpuint (tl_held_budget_get_taken (f.budget), <, 2 * n_bytes);
  make (&f, resident, &got);
  g_clear_object (&resident);
  resident = load (&f, held);
  make (&f, resident, &want);
  g_assert_cmpfloat (compare (&got, &want), ==, 0);
  tl_voxels_clear (&got);
  tl_voxels_clear (&want);
  g_object_unref (resident);
  tl_held_unref (held);
  tear_down (&f);
}

/* Where there is no room for both, those of before go first. */
static void
test_room (void)
{
  Fixture f;
  set_up (&f);
  g_autoptr (TlHeld) held = take (&f, 0, N_COME);
  TlResident *resident = load (&f, held);
  const guint64 n_bytes = tl_held_budget_get_taken (f.budget);
  g_object_unref (resident);
  g_clear_pointer (&f.budget, tl_held_budget_unref);
  f.budget = tl_held_budget_new (n_bytes + n_bytes / 2);
  resident = load (&f, held);
  put (&f, held, TL_FRAMES_PROJECTIONS, N_COME, 2);
  g_assert_true (tl_resident_reload (resident));
  g_assert_null (tl_resident_get_level (resident, 0));
  await (resident);
  g_assert_nonnull (tl_resident_get_level (resident, 0));
  g_assert_cmpuint (tl_held_budget_get_taken (f.budget), >, n_bytes);
  g_assert_cmpstr (tl_resident_get_problem (resident), ==, NULL);
  /* and what has no room at all is there no more, but may be tried again */
  put (&f, held, TL_FRAMES_PROJECTIONS, N_COME + 2, N_PROJECTIONS - N_COME - 2);
  g_assert_true (tl_resident_reload (resident));
  await (resident);
  g_assert_null (tl_resident_get_level (resident, 0));
  g_assert_nonnull (strstr (tl_resident_get_problem (resident), "GB"));
  g_assert_cmpuint (tl_resident_get_growth (resident), ==, 0);
  g_assert_cmpuint (tl_held_budget_get_taken (f.budget), ==, 0);
  g_assert_true (tl_resident_reload (resident));
  g_object_unref (resident);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  tear_down (&f);
}

static void
end (GObject *resident, GParamSpec *pspec, gpointer live)
{
  tl_live_volume_end (live);
}

/* Whoever is told that the former projections are gone may give up the volume,
 * for which growth does not wait then. */
static void
test_ended (void)
{
  Fixture f;
  set_up (&f);
  g_autoptr (TlHeld) held = take (&f, 0, N_COME);
  TlLiveVolume live = { .held = tl_held_ref (held) };
  TlResident *resident = load (&f, held);
  g_assert_true (tl_live_volume_reload (&live, resident, FALSE));
  g_assert_true (live.is_due);
  await (resident);
  const guint64 n_bytes = tl_held_budget_get_taken (f.budget);
  g_object_unref (resident);
  g_clear_pointer (&f.budget, tl_held_budget_unref);
  f.budget = tl_held_budget_new (n_bytes + n_bytes / 2);
  resident = load (&f, held);
  g_signal_connect (resident, "notify::n-loaded", G_CALLBACK (end), &live);
  g_assert_false (tl_live_volume_reload (&live, resident, FALSE));
  g_assert_null (live.held);
  g_assert_false (live.is_due);
  g_object_unref (resident);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  tear_down (&f);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/live-volume/weights", test_weights);
  g_test_add_func ("/live-volume/again", test_again);
  g_test_add_func ("/live-volume/room", test_room);
  g_test_add_func ("/live-volume/ended", test_ended);
  return g_test_run ();
}
