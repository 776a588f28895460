/* The plan of an export, without an export: memory and what is read ahead. */
#include "app/export/plan.h"
#include "app/export/rates.h"

#include "data/error.h"
#include "data/inflater.h"
#include "data/write/part-file.h"

#include <stdlib.h>
#include <string.h>

#define N_PROJECTIONS 100
#define N_ROWS 64
#define N_COLS 128
#define ROW_BYTES ((guint64)N_PROJECTIONS * N_COLS * 2)

static const char *const host[] = { "host", NULL };

/* --- GPUs that the machine need not have --- */

static size_t silent; /* the GPU that cannot tell what is free */

guint64 __real_tl_engine_count_free (const char *name);
guint64 __wrap_tl_engine_count_free (const char *name);

guint64
__wrap_tl_engine_count_free (const char *name)
{
  static const guint64 free_bytes[] = { 9, 5, 7 };
  const char *colon = strchr (name, ':');

  if (colon == NULL)
    return __real_tl_engine_count_free (name);
  const size_t gpu = (size_t)atoi (colon + 1);
  return gpu == silent ? 0 : free_bytes[gpu];
}

/* --- plans --- */

static TlExportPlan
make_plan (const TlDecoding *decoding, const TlExportSettings *settings,
           guint64 budget_bytes)
{
  TlParams params;
  TlExportPlan plan;
  g_autoptr (GError) error = NULL;
  const TlScanInfo info = {
    .n_projections = N_PROJECTIONS,
    .n_rows = N_ROWS,
    .n_cols = N_COLS,
    .type = TL_SAMPLE_U16,
    .decoding = *decoding,
  };

  tl_params_init (&params, N_COLS);
  tl_export_plan_make (settings, &params, &info, host, budget_bytes, 0, &plan,
                       &error);
  g_assert_no_error (error);
  return plan;
}

/* What the reader keeps is in the plan, within the budget. */
static void
test_reading (void)
{
  const TlDecoding none = { 0 };
  const TlDecoding rows = { .fields_bytes = 1000, .row_bytes = ROW_BYTES };
  const TlDecoding both = { .fields_bytes = 1000,
                            .row_bytes = ROW_BYTES,
                            .can_ascend = TRUE,
                            .ascending_bytes = 5000 };
  TlExportSettings settings;

  tl_export_settings_init (&settings, N_ROWS);
  const TlExportPlan plain = make_plan (&none, &settings, 0);
  g_assert_cmpuint (plain.kept_bytes, ==, 0);
  TlExportPlan plan = make_plan (&rows, &settings, 0);
  g_assert_false (plan.ascends);
  g_assert_cmpuint (plan.kept_bytes, ==, 1000 + N_ROWS * ROW_BYTES);
  g_assert_cmpuint (plan.memory_bytes, ==,
                    plain.memory_bytes + plan.kept_bytes);
  plan = make_plan (&rows, &settings, plain.memory_bytes + 3000);
  g_assert_cmpuint (plan.kept_bytes, ==, 3000);
  g_assert_cmpuint (plan.memory_bytes, ==, plan.budget_bytes);

  plan = make_plan (&both, &settings, 0);
  g_assert_true (plan.ascends);
  g_assert_cmpuint (plan.kept_bytes, ==, 1000 + 5000);
  /* too little to go on from row to row, and a last row that is not read */
  plan = make_plan (&both, &settings, plain.memory_bytes + 3000);
  g_assert_false (plan.ascends);
  settings.n_rows = 10;
  plan = make_plan (&both, &settings, 0);
  g_assert_false (plan.ascends);
  g_assert_cmpuint (plan.kept_bytes, ==, 1000 + 10 * ROW_BYTES);
}

/* The plan says what a binning leaves out. */
static void
test_left_out (void)
{
  const TlDecoding none = { 0 };
  TlExportSettings settings;

  tl_export_settings_init (&settings, 63);
  settings.binning = 4;
  settings.region_n_rows = 65;
  settings.region_n_cols = 96;
  const TlExportPlan some = make_plan (&none, &settings, 0);
  g_autofree char *words = tl_export_plan_describe (&some, TRUE);
  g_assert_true (g_str_has_suffix (words,
                                   "; left out, because they fill no bin: 3 "
                                   "detector rows, 1 row of the slice"));
  settings.region_n_rows = 64;
  settings.region_n_cols = 95;
  settings.n_rows = 60;
  const TlExportPlan cols = make_plan (&none, &settings, 0);
  g_autofree char *other = tl_export_plan_describe (&cols, TRUE);
  g_assert_true (
      g_str_has_suffix (other, "fill no bin: 3 columns of the slice"));
  settings.region_n_cols = 96;
  const TlExportPlan all = make_plan (&none, &settings, 0);
  g_autofree char *nothing = tl_export_plan_describe (&all, TRUE);
  g_assert_null (strstr (nothing, "left out"));
}

/* Only a GPU needs GPU memory. More rows in a block, as of a margin, and
 * corrections take more. */
static void
test_gpu (void)
{
  static const char *const gpus[] = { "cuda", "cuda:1", NULL };
  const TlScanInfo info = {
    .n_projections = N_PROJECTIONS,
    .n_rows = N_ROWS,
    .n_cols = N_COLS,
    .type = TL_SAMPLE_U16,
  };
  TlExportSettings settings;
  TlParams params;
  TlExportPlan plan;

  tl_params_init (&params, N_COLS);
  tl_export_settings_init (&settings, N_ROWS);
  g_assert_true (
      tl_export_plan_make (&settings, &params, &info, host, 0, 0, &plan, NULL));
  g_autofree char *words = tl_export_plan_describe (&plan, TRUE);
  g_assert_cmpuint (plan.gpu_bytes, ==, 0);
  g_assert_null (strstr (words, "GPU"));
  g_assert_true (tl_export_plan_make (&settings, &params, &info, gpus + 1, 0, 0,
                                      &plan, NULL));
  g_autofree char *one = tl_export_plan_describe (&plan, TRUE);
  g_assert_nonnull (strstr (one, " of GPU memory, "));
  const guint64 plain_bytes = plan.gpu_bytes;
  params.tilt_deg = 2;
  g_assert_true (
      tl_export_plan_make (&settings, &params, &info, gpus, 0, 0, &plan, NULL));
  g_autofree char *each = tl_export_plan_describe (&plan, TRUE);
  g_assert_nonnull (strstr (each, " of memory on each GPU, "));
  g_assert_cmpuint (plan.gpu_bytes, >, plain_bytes);
}

/* Blocks are small where a device inflates; elsewhere they have as many rows as
 * the method needs. */
static void
test_block_rows (void)
{
  static const char *const gpu[] = { "cuda", NULL };
  const TlDecoding none = { 0 };
  const TlDecoding images = { .fields_bytes = 1000,
                              .row_bytes = ROW_BYTES,
                              .can_ascend = TRUE };
  const TlDecoding packed = { .fields_bytes = 1000,
                              .row_bytes = ROW_BYTES,
                              .can_ascend = TRUE,
                              .ascending_bytes = 5000 };
  const struct
  {
    const TlDecoding *decoding;
    TlMethod method;
    size_t first_row, want;
    guint64 kept_bytes;
  } cases[] = {
    { &none, TL_METHOD_FOURIER, 0, 16, 0 },
    { &none, TL_METHOD_BACKPROJECTION, 0, 32, 0 },
    { &images, TL_METHOD_FOURIER, 0, 16, 1000 },
    { &images, TL_METHOD_BACKPROJECTION, 0, 32, 1000 },
    { &packed, TL_METHOD_FOURIER, 0, 8,
      1000
          + tl_inflater_count_groups (N_PROJECTIONS)
                * TL_INFLATER_GROUP_HOST_BYTES },
    { &packed, TL_METHOD_BACKPROJECTION, 0, 8,
      1000
          + tl_inflater_count_groups (N_PROJECTIONS)
                * TL_INFLATER_GROUP_HOST_BYTES },
    /* the last row is not read: the processor inflates */
    { &packed, TL_METHOD_FOURIER, 1, 16, 1000 + 40 * ROW_BYTES },
  };
  TlExportSettings settings;
  TlParams params;
  guint64 gpu_bytes[G_N_ELEMENTS (cases)];

  tl_params_init (&params, N_COLS);
  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      const TlScanInfo info = {
        .n_projections = N_PROJECTIONS,
        .n_rows = cases[k].first_row > 0 ? 100 : 40,
        .n_cols = N_COLS,
        .type = TL_SAMPLE_U16,
        .decoding = *cases[k].decoding,
      };
      TlExportPlan plan;
      params.method = cases[k].method;
      tl_export_settings_init (&settings, 40);
      settings.first_row = cases[k].first_row;
      g_assert_true (tl_export_plan_make (&settings, &params, &info, gpu, 0, 0,
                                          &plan, NULL));
      g_assert_cmpuint (plan.block_rows, ==, cases[k].want);
      g_assert_cmpuint (plan.kept_bytes, ==, cases[k].kept_bytes);
      gpu_bytes[k] = plan.gpu_bytes;
    }
  g_assert_cmpuint (gpu_bytes[2], ==, gpu_bytes[0]);
  g_assert_cmpuint (gpu_bytes[4], >=,
                    tl_inflater_count_groups (N_PROJECTIONS)
                        * TL_INFLATER_GROUP_BYTES);
}

/* Where the GPU has less memory free, blocks are smaller; where it has too
 * little for one row, the export is refused. */
static void
test_gpu_room (void)
{
  static const char *const gpu[] = { "cuda", NULL };
  const TlScanInfo info = {
    .n_projections = N_PROJECTIONS,
    .n_rows = N_ROWS,
    .n_cols = N_COLS,
    .type = TL_SAMPLE_U16,
  };
  g_autoptr (GError) error = NULL;
  TlExportSettings settings;
  TlParams params;
  TlExportPlan plan, smaller;

  tl_params_init (&params, N_COLS);
  tl_export_settings_init (&settings, N_ROWS);
  g_assert_true (
      tl_export_plan_make (&settings, &params, &info, gpu, 0, 0, &plan, NULL));
  g_assert_cmpuint (plan.block_rows, >, 1);
  g_assert_true (tl_export_plan_make (&settings, &params, &info, gpu, 0,
                                      plan.gpu_bytes, &smaller, NULL));
  g_assert_cmpuint (smaller.block_rows, ==, plan.block_rows);
  g_assert_true (tl_export_plan_make (&settings, &params, &info, gpu, 0,
                                      plan.gpu_bytes - 1, &smaller, NULL));
  g_assert_cmpuint (smaller.block_rows, <, plan.block_rows);
  g_assert_cmpuint (smaller.gpu_bytes, <, plan.gpu_bytes);
  g_assert_false (tl_export_plan_make (&settings, &params, &info, gpu, 0, 1,
                                       &smaller, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_MEMORY);
  g_assert_nonnull (strstr (error->message, "GPU memory"));
  g_assert_cmpuint (tl_export_plan_count_gpu_free (host), ==, 0);
}

/* The GPU with the least room counts, whichever cannot tell what it has. */
static void
test_gpu_free (void)
{
  static const char *const gpus[] = { "cuda:0", "cuda:1", "cuda:2", NULL };
  static const guint64 want[] = { 5, 7, 5 };

  for (size_t k = 0; k < G_N_ELEMENTS (want); k++)
    {
      silent = k;
      g_assert_cmpuint (tl_export_plan_count_gpu_free (gpus), ==, want[k]);
    }
}

/* Returns: (transfer full): why an export of x-y slices is refused */
static char *
refuse (const char *const *engines, guint64 budget_bytes, guint64 gpu_bytes,
        const TlExportSettings *settings)
{
  const TlScanInfo info = {
    .n_projections = N_PROJECTIONS,
    .n_rows = N_ROWS,
    .n_cols = 1024,
    .type = TL_SAMPLE_U16,
  };
  g_autoptr (GError) error = NULL;
  TlParams params;
  TlExportPlan plan;

  tl_params_init (&params, info.n_cols);
  if (tl_export_plan_make (settings, &params, &info, engines, budget_bytes,
                           gpu_bytes, &plan, &error))
    return NULL;
  g_assert_error (error, TL_ERROR, TL_ERROR_MEMORY);
  return g_strdup (error->message);
}

/* Returns: the number that follows @words in @text */
static double
find_number (const char *text, const char *words)
{
  const char *at = strstr (text, words);

  g_assert_nonnull (at);
  return g_ascii_strtod (at + strlen (words), NULL);
}

/* A refusal names the smallest budget and the largest region that will do. */
static void
check_refusal (const char *const *engines, guint64 budget_bytes,
               guint64 gpu_bytes, gboolean has_more_gpus)
{
  TlExportSettings settings;

  tl_export_settings_init (&settings, N_ROWS);
  g_autofree char *why = refuse (engines, budget_bytes, gpu_bytes, &settings);
  g_assert_nonnull (why);
  g_assert_cmpint (strstr (why, "fewer GPUs") != NULL, ==, has_more_gpus);
  if (gpu_bytes == 0)
    {
      const guint64 least = (guint64)(find_number (why, "allow ") * 1e6 + 0.5);

      g_assert_nonnull (strstr (why, "MB"));
      g_assert_null (refuse (engines, least, 0, &settings));
      g_autofree char *still = refuse (engines, least - 200000, 0, &settings);
      g_assert_nonnull (still);
    }
  settings.region_n_cols = settings.region_n_rows =
      (size_t)find_number (why, "at most ");
  g_assert_null (refuse (engines, budget_bytes, gpu_bytes, &settings));
  settings.region_n_cols++;
  settings.region_n_rows++;
  g_autofree char *larger =
      refuse (engines, budget_bytes, gpu_bytes, &settings);
  g_assert_nonnull (larger);
}

static void
test_refusals (void)
{
  static const char *const gpus[] = { "cuda", "cuda:1", NULL };
  TlExportSettings settings;

  check_refusal (host, 60000000, 0, FALSE);
  check_refusal (gpus, 700000000, 0, TRUE);
  check_refusal (gpus + 1, 0, 40500000, FALSE);
  tl_export_settings_init (&settings, N_ROWS);
  g_autofree char *none = refuse (host, 1000, 0, &settings);
  g_assert_null (strstr (none, "region")); /* none would help */
}

/* What the window and the command line cannot say, a recipe or a caller can. */
static void
test_settings (void)
{
  const TlGrid grid = tl_grid_full (64);
  const TlExportSettings good = {
    .n_rows = 8, .row_step = 1, .binning = 1, .high = 1, .has_range = TRUE
  };
  TlExportSettings bad[] = { good, good, good, good, good };
  static const char *const says[] = { "binning of 3 is not possible",
                                      "set the step to 1", "region of 65 x 1",
                                      "nothing is left", "after the last" };
  bad[0].binning = 3;
  bad[1].binning = bad[1].row_step = 2;
  bad[1].n_rows = 4;
  bad[2].region_n_rows = 1;
  bad[2].region_n_cols = 65;
  bad[3].binning = 8;
  bad[3].n_rows = 4;
  g_assert_true (tl_export_settings_check (&good, &grid, 8, NULL));
  for (size_t k = 0; k < G_N_ELEMENTS (bad); k++)
    {
      g_autoptr (GError) error = NULL;
      g_assert_false (
          k < 4 ? tl_export_settings_check (&bad[k], &grid, 8, &error)
                : tl_export_settings_set_rows (&bad[k], 5, 4, 1, 8, &error));
      g_assert_nonnull (error);
      if (strstr (error->message, says[k]) == NULL)
        g_error ("\"%s\" does not say \"%s\"", error->message, says[k]);
    }
}

/* Of a volume that takes three times the room of the disk, a third of the
 * slices would fit, or all of them with the smallest samples. */
static void
test_room (void)
{
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "volume", NULL);
  g_autoptr (GError) error = NULL;
  guint64 free_bytes;
  TlVolumeInfo info = { .format = TL_VOLUME_RAW,
                        .n_slices = 1000,
                        .n_rows = 1024,
                        .number_step = 1,
                        .binning = 1 };

  g_assert_true (tl_get_room (path, &free_bytes, NULL));
  info.n_cols = free_bytes * 3 / info.n_slices / info.n_rows / sizeof (float);
  if (info.n_cols == 0)
    {
      g_test_skip ("the disk is full");
      return;
    }
  g_assert_false (tl_export_plan_check_room (path, &info, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_FILE);
  const double n = find_number (error->message, "free; ");
  g_assert_cmpfloat (n, >, 300);
  g_assert_cmpfloat (n, <, 340);
  g_assert_nonnull (
      strstr (error->message, "samples of the type uint8 all would fit"));
  info.sample = TL_VOLUME_U8;
  g_assert_true (tl_export_plan_check_room (path, &info, NULL));
}

/* Every pass reads the scan again: with more memory there are never more of
 * them. */
static void
test_passes (void)
{
  static const guint binnings[] = { 1, 2 };
  const TlScanInfo info = {
    .n_projections = 512,
    .n_rows = 512,
    .n_cols = 512,
    .type = TL_SAMPLE_U16,
  };
  TlExportSettings settings;
  TlParams params;

  tl_params_init (&params, info.n_cols);
  tl_export_settings_init (&settings, info.n_rows);
  settings.plane = TL_PLANE_XZ;
  for (size_t k = 0; k < G_N_ELEMENTS (binnings); k++)
    {
      size_t n_passes = info.n_rows + 1;
      TlExportPlan plan = { 0 };

      settings.binning = binnings[k];
      for (guint64 mb = 40; plan.n_passes != 1; mb++)
        {
          g_assert_cmpuint (mb, <, 2000);
          if (!tl_export_plan_make (&settings, &params, &info, host,
                                    mb * 1000000, 0, &plan, NULL))
            g_assert_cmpuint (n_passes, ==, info.n_rows + 1);
          else
            {
              g_assert_cmpuint (plan.n_passes, <=, n_passes);
              g_assert_cmpuint (plan.memory_bytes, <=, plan.budget_bytes);
              n_passes = plan.n_passes;
            }
        }
    }
}

/* --- rates of earlier exports --- */

#define N_NOTES 50
#define N_WRITERS 3

static gint n_ended; /* atomic: threads */

/* @data: the compression, so that the threads have different rates */
static gpointer
note_rates (gpointer data)
{
  const TlScanInfo info = { .n_projections = N_PROJECTIONS };
  TlExportSettings settings;
  TlParams params;

  tl_params_init (&params, N_COLS);
  tl_export_settings_init (&settings, N_ROWS);
  settings.compression = GPOINTER_TO_INT (data);
  const TlExportEffort effort = { &settings, &params, &info, host, 1 };
  for (int k = 0; k < N_NOTES; k++)
    tl_export_rates_note (&effort, N_ROWS, 2);
  g_atomic_int_inc (&n_ended);
  return NULL;
}

/* While several threads replace the file, it is always complete. */
static void
test_rates (void)
{
  g_autofree char *name =
      g_strdup_printf ("export-rates-%s.ini", g_get_host_name ());
  g_autofree char *path =
      g_build_filename (g_get_user_cache_dir (), "tomolens", name, NULL);
  GThread *threads[N_WRITERS];

  note_rates (GINT_TO_POINTER (0));
  g_atomic_int_set (&n_ended, 0);
  for (int k = 0; k < N_WRITERS; k++)
    threads[k] = g_thread_new ("rates", note_rates, GINT_TO_POINTER (k));
  do
    {
      g_autoptr (GKeyFile) file = g_key_file_new ();
      g_autoptr (GError) error = NULL;

      g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, &error);
      g_assert_no_error (error);
      g_assert_true (g_key_file_has_key (
          file, "host x 1", "xy-128-tiff-float32-0-auto-linear-full", NULL));
    }
  while (g_atomic_int_get (&n_ended) < N_WRITERS);
  for (int k = 0; k < N_WRITERS; k++)
    g_thread_join (threads[k]);
}

/* What was noted of one method says nothing of another. */
static void
test_rates_of_kinds (void)
{
  const TlScanInfo info = { .n_projections = N_PROJECTIONS };
  TlExportSettings settings;
  TlParams params;

  tl_params_init (&params, N_COLS);
  tl_export_settings_init (&settings, N_ROWS);
  const TlExportEffort effort = { &settings, &params, &info, host, 1 };
  params.method = TL_METHOD_FOURIER;
  tl_export_rates_note (&effort, N_ROWS, 2);
  g_assert_cmpfloat_with_epsilon (tl_export_rates_expect (&effort), 2, 1e-6);
  params.method = TL_METHOD_BACKPROJECTION;
  g_assert_cmpfloat (tl_export_rates_expect (&effort), ==, 0);
  params.method = TL_METHOD_FOURIER;
  params.interpolation = TL_INTERPOLATION_CUBIC;
  g_assert_cmpfloat (tl_export_rates_expect (&effort), ==, 0);
  params.interpolation = TL_INTERPOLATION_LINEAR;
  params.precision = TL_PRECISION_FAST;
  g_assert_cmpfloat (tl_export_rates_expect (&effort), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/plan/reading", test_reading);
  g_test_add_func ("/plan/left-out", test_left_out);
  g_test_add_func ("/plan/gpu", test_gpu);
  g_test_add_func ("/plan/block-rows", test_block_rows);
  g_test_add_func ("/plan/gpu-room", test_gpu_room);
  g_test_add_func ("/plan/gpu-free", test_gpu_free);
  g_test_add_func ("/plan/refusals", test_refusals);
  g_test_add_func ("/plan/settings", test_settings);
  g_test_add_func ("/plan/room", test_room);
  g_test_add_func ("/plan/passes", test_passes);
  g_test_add_func ("/plan/rates", test_rates);
  g_test_add_func ("/plan/rates-of-kinds", test_rates_of_kinds);
  return g_test_run ();
}
