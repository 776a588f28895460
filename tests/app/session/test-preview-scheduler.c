/* The reduction and subsampling of previews. */
#include "app/display/preview-scheduler.h"
#include "app/recon/subsampled-private.h"

#include "data/error.h"

static void
note (TlPreviewScheduler *scheduler, double pitch, double rest_ms,
      double sums_ms)
{
  const TlReconTimes times = { .read_ms = rest_ms / 2,
                               .compute_ms = rest_ms / 2 + sums_ms };
  tl_preview_scheduler_note (scheduler, pitch, &times, sums_ms);
}

static void
test_first (void)
{
  const TlPreviewScheduler scheduler = { 0 };
  g_assert_cmpuint (tl_preview_scheduler_choose (&scheduler), ==, 0);
}

/* The time of a whole picture decides how much the next one is reduced. */
static void
test_whole (void)
{
  static const struct
  {
    double rest_ms, sums_ms;
    guint reduction;
  } cases[] = {
    { 5, 20, 0 },    { 9, 41, 0 },      { 10, 300, 3 }, { 10, 190, 2 },
    { 10, 1000, 5 }, { 10, 100000, 8 }, { 300, 10, 0 }, { 300, 100, 3 },
  };
  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      TlPreviewScheduler scheduler = { 0 };
      note (&scheduler, 1, cases[k].rest_ms, cases[k].sums_ms);
      note (&scheduler, 1, cases[k].rest_ms, cases[k].sums_ms);
      g_test_message ("%g and %g ms", cases[k].rest_ms, cases[k].sums_ms);
      g_assert_cmpuint (tl_preview_scheduler_choose (&scheduler), ==,
                        cases[k].reduction);
    }
}

/* One slow picture may be the one that makes the plans, but two are not. */
static void
test_second (void)
{
  TlPreviewScheduler scheduler = { 0 };
  note (&scheduler, 1, 20, 100);
  g_assert_cmpuint (tl_preview_scheduler_choose (&scheduler), ==, 0);
  note (&scheduler, 1, 20, 100);
  g_assert_cmpuint (tl_preview_scheduler_choose (&scheduler), ==, 2);
  scheduler = (TlPreviewScheduler){ 0 };
  note (&scheduler, 1, 20, 140);
  g_assert_cmpuint (tl_preview_scheduler_choose (&scheduler), ==, 2);
}

/* Times of reduced pictures correct the estimate, and a fast whole picture ends
 * the reduction. */
static void
test_reduced (void)
{
  TlPreviewScheduler scheduler = { 0 };
  note (&scheduler, 1, 10, 300);
  note (&scheduler, 3, 10, 100);
  g_assert_cmpuint (tl_preview_scheduler_choose (&scheduler), ==, 5);
  note (&scheduler, 5, 45, 36);
  g_assert_cmpuint (tl_preview_scheduler_choose (&scheduler), ==, 8);
  note (&scheduler, 8, 10, 4);
  g_assert_cmpuint (tl_preview_scheduler_choose (&scheduler), ==, 3);
  note (&scheduler, 3, 10, 15);
  g_assert_cmpuint (tl_preview_scheduler_choose (&scheduler), ==, 2);
  note (&scheduler, 1, 10, 20);
  g_assert_cmpuint (tl_preview_scheduler_choose (&scheduler), ==, 0);
}

/* All stages count, although the last picture needed few of them. */
static void
test_estimate (void)
{
  TlPreviewScheduler scheduler = { 0 };
  const TlReconTimes all = { .read_ms = 500,
                             .load_ms = 10,
                             .compute_ms = 90,
                             .stage_ms = { [TL_STAGE_UPLOAD] = 10,
                                           [TL_STAGE_FILTER] = 50,
                                           [TL_STAGE_BACKPROJECT] = 40 } };
  const TlReconTimes last = { .compute_ms = 20,
                              .stage_ms = { [TL_STAGE_BACKPROJECT] = 20 } };
  g_assert_cmpfloat (tl_preview_scheduler_estimate_s (&scheduler, 1), ==, 0);
  tl_preview_scheduler_note (&scheduler, 2, &all, 40);
  g_assert_cmpfloat_with_epsilon (
      tl_preview_scheduler_estimate_s (&scheduler, 1), 0.22, 1e-9);
  tl_preview_scheduler_note (&scheduler, 1, &last, 20);
  g_assert_cmpfloat_with_epsilon (
      tl_preview_scheduler_estimate_s (&scheduler, 0.5), 0.07, 1e-9);
}

static void
test_part (void)
{
  TlPreviewScheduler scheduler = { 0 };
  note (&scheduler, 1, 10, 20);
  g_assert_true (tl_preview_scheduler_allows (&scheduler, 0.9));
  g_assert_false (tl_preview_scheduler_allows (&scheduler, 1.1));
  note (&scheduler, 1, 10, 320);
  g_assert_cmpuint (tl_preview_scheduler_choose_part (&scheduler, 0.1), ==, 1);
  g_assert_cmpuint (tl_preview_scheduler_choose_part (&scheduler, 0.5), ==, 2);
  g_assert_cmpuint (tl_preview_scheduler_choose_part (&scheduler, 1), ==, 3);
  g_assert_cmpuint (tl_preview_scheduler_choose_part (&scheduler, 100), ==, 8);
}

/* Subsampling depends only on the stages that run again. */
static void
test_subsampling (void)
{
  TlPreviewScheduler scheduler = { 0 };
  TlReconTimes times = { .load_ms = 90,
                         .compute_ms = 760,
                         .stage_ms = { [TL_STAGE_UPLOAD] = 40,
                                       [TL_STAGE_CORRECT] = 20,
                                       [TL_STAGE_ZINGERS] = 300,
                                       [TL_STAGE_PHASE] = 110,
                                       [TL_STAGE_RINGS] = 10,
                                       [TL_STAGE_TRANSFORM] = 20,
                                       [TL_STAGE_BACKPROJECT] = 300 } };
  g_assert_cmpuint (
      tl_preview_scheduler_choose_subsampling (&scheduler, TL_STAGE_UPLOAD), ==,
      1);
  tl_preview_scheduler_note (&scheduler, 1, &times, 300);
  g_assert_cmpuint (
      tl_preview_scheduler_choose_subsampling (&scheduler, TL_STAGE_UPLOAD), ==,
      8);
  g_assert_cmpuint (
      tl_preview_scheduler_choose_subsampling (&scheduler, TL_STAGE_PHASE), ==,
      4);
  g_assert_cmpuint (
      tl_preview_scheduler_choose_subsampling (&scheduler, TL_STAGE_RINGS), ==,
      1);
  g_assert_cmpuint (
      tl_preview_scheduler_choose_subsampling (&scheduler, TL_STAGE_FILTER), ==,
      1);
  g_assert_cmpuint (tl_preview_scheduler_choose_subsampled (&scheduler, 4), ==,
                    2);
  g_assert_cmpuint (tl_preview_scheduler_choose_subsampled (&scheduler, 2), ==,
                    3);
  /* The axis moves; stages that did not run keep their times. */
  times.stage_ms[TL_STAGE_UPLOAD] = times.stage_ms[TL_STAGE_CORRECT] = 0;
  times.stage_ms[TL_STAGE_ZINGERS] = times.stage_ms[TL_STAGE_PHASE] = 0;
  times.stage_ms[TL_STAGE_RINGS] = times.stage_ms[TL_STAGE_TRANSFORM] = 0;
  tl_preview_scheduler_note (&scheduler, 1, &times, 300);
  g_assert_cmpuint (
      tl_preview_scheduler_choose_subsampling (&scheduler, TL_STAGE_PHASE), ==,
      4);
  /* Phase retrieval is switched off. */
  times.stage_ms[TL_STAGE_CORRECT] = 2;
  times.stage_ms[TL_STAGE_ZINGERS] = 3;
  tl_preview_scheduler_note (&scheduler, 1, &times, 300);
  g_assert_cmpuint (
      tl_preview_scheduler_choose_subsampling (&scheduler, TL_STAGE_CORRECT),
      ==, 1);
}

/* Asserts the largest number of projections that fits, with @sample_bytes per
 * sample. */
static void
assert_most (const TlParams *params, size_t row, size_t n_rows,
             size_t sample_bytes)
{
  const size_t n = TL_SUBSAMPLED_BYTES / (n_rows * 2048 * sample_bytes);
  TlScanInfo info = { .n_projections = 2 * n,
                      .n_rows = 1024,
                      .n_cols = 2048,
                      .type = TL_SAMPLE_U16 };
  g_autoptr (GError) error = NULL;
  g_assert_true (tl_subsampled_check_size (&info, params, row, 2, NULL));
  info.n_projections++;
  g_assert_false (tl_subsampled_check_size (&info, params, row, 2, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_MEMORY);
  g_assert_true (tl_subsampled_check_size (&info, params, row, 4, NULL));
}

/* Returns: extra rows on one side, including the spare ones */
static size_t
find_margin (const TlParams *params)
{
  const size_t margin = tl_params_get_margin (params, 1024, 2048);
  g_assert_cmpuint (margin, >, 10);
  g_assert_cmpuint (margin, <, 300);
  return margin + margin / 4;
}

/* The memory holds counts twice, corrected samples, samples without zingers
 * and, if phase retrieval needs all rows, samples resampled to correct the
 * tilt. */
static void
test_subsampled_size (void)
{
  TlParams params;
  tl_params_init (&params, 2048);
  params.phase = (TlPhase){ .on = TRUE,
                            .energy_kev = 20,
                            .distance_mm = 20,
                            .pixel_um = 1,
                            .delta_beta = 200 };
  const size_t straight = find_margin (&params);
  assert_most (&params, 500, 2 * straight + 1, 2 * 2 + 2 * 4);
  assert_most (&params, 0, straight + 1, 2 * 2 + 2 * 4);
  assert_most (&params, 1023, straight + 1, 2 * 2 + 2 * 4);
  params.tilt_deg = 2;
  assert_most (&params, 500, 2 * find_margin (&params) + 1, 2 * 2 + 3 * 4);
  params.phase.on = FALSE;
  assert_most (&params, 500, 2 * find_margin (&params) + 1, 2 * 2 + 2 * 4);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/preview-scheduler/first", test_first);
  g_test_add_func ("/preview-scheduler/whole", test_whole);
  g_test_add_func ("/preview-scheduler/second", test_second);
  g_test_add_func ("/preview-scheduler/reduced", test_reduced);
  g_test_add_func ("/preview-scheduler/estimate", test_estimate);
  g_test_add_func ("/preview-scheduler/part", test_part);
  g_test_add_func ("/preview-scheduler/subsampling", test_subsampling);
  g_test_add_func ("/preview-scheduler/subsampled-size", test_subsampled_size);
  return g_test_run ();
}
