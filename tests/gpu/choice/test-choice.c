/* The choice among variants with and without tables, and the fallback if a
 * variant cannot be started. The backend is the host's with other names of
 * variants, and it fails on demand. */
#include "data/error.h"
#include "gpu/choice/choice.h"
#include "gpu/engine-private.h"
#include "gpu/host/host.h"
#include "tests/support/scans.h"

#include <glib/gstdio.h>
#include <string.h>

static const TlVariant variants[] = {
  { "alu-4", TL_KERNEL_ALU, TL_INTERPOLATION_LINEAR, TL_PRECISION_FULL, 4 },
  { "alu-4-wide", TL_KERNEL_ALU, TL_INTERPOLATION_LINEAR, TL_PRECISION_FULL,
    4 },
  { "texture-4", TL_KERNEL_TEXTURE, TL_INTERPOLATION_LINEAR, TL_PRECISION_FULL,
    4 },
  { "texture-1", TL_KERNEL_TEXTURE, TL_INTERPOLATION_LINEAR, TL_PRECISION_FULL,
    1 },
  { "alu-1", TL_KERNEL_ALU, TL_INTERPOLATION_LINEAR, TL_PRECISION_FULL, 1 },
  { "nearest-4", TL_KERNEL_ALU, TL_INTERPOLATION_NEAREST, TL_PRECISION_FULL,
    4 },
};
static const TlVariant fourier = {
  "fourier-1", TL_KERNEL_STANDARD, TL_INTERPOLATION_LINEAR, TL_PRECISION_FULL,
  1,           .is_fourier = TRUE
};

static const TlVariant *const *
list_variants (size_t *n)
{
  static const TlVariant *const list[] = {
    &variants[0], &variants[1], &variants[2], &variants[3],
    &variants[4], &variants[5], &fourier,
  };

  *n = G_N_ELEMENTS (list);
  return list;
}

/* The list of three variants of some tests. */
static const TlVariant *const *shared_list;

static const TlVariant *const *
list_shared (size_t *n)
{
  *n = 3;
  return shared_list;
}

static const TlTuningRow *
list_choices (size_t *n)
{
  static const TlTuningRow row = { { TL_KERNEL_AUTO, TL_INTERPOLATION_LINEAR,
                                     TL_PRECISION_FULL, 4, 4096 },
                                   "texture-4",
                                   0.0 };

  *n = 1;
  return &row;
}

static char *
dup_driver (void)
{
  return g_strdup ("driver 1.2");
}

/* Which calls of the backend fail. All cases share it, because they run one
 * after another. */
static struct
{
  GHashTable *failing; /* names of variants */
  TlStage stage;
  int code;
  guint n_filtered; /* how often the stage "filter" ran */
} orders;

static gboolean
obey (TlStage stage, const TlVariant *variant, GError **error)
{
  if (orders.stage != stage
      || !g_hash_table_contains (orders.failing, variant->name))
    return TRUE;
  g_set_error (error, TL_ERROR, orders.code, "%s was told to fail",
               variant->name);
  return FALSE;
}

static gboolean
filter (gpointer impl, const TlFilterArgs *args, GCancellable *cancellable,
        GError **error)
{
  orders.n_filtered++;
  return obey (TL_STAGE_FILTER, args->variant, error)
         && tl_host_backend.filter (impl, args, cancellable, error);
}

static TlFrame *
backproject (gpointer impl, const TlBackprojectArgs *args,
             GCancellable *cancellable, GError **error)
{
  if (!obey (TL_STAGE_BACKPROJECT, args->variant, error))
    return NULL;
  return tl_host_backend.backproject (impl, args, cancellable, error);
}

static TlBackend
make_backend (void)
{
  TlBackend backend = tl_host_backend;

  backend.name = "fake";
  backend.dup_driver = dup_driver;
  backend.list_variants = list_variants;
  backend.list_choices = list_choices;
  backend.filter = filter;
  backend.backproject = backproject;
  return backend;
}

/* Returns: (nullable): the name of the variant that is chosen for slices of
 * 1024 x 1024 pixels.
 */
static const char *
choose (const TlTuning *tuning, GHashTable *failed, TlKernel kernel,
        TlInterpolation interpolation, size_t n_slices)
{
  const TlBackend backend = make_backend ();
  const TlChooser chooser = {
    .backend = &backend,
    .tuning = tuning,
    .failed = failed,
  };
  TlChoice choice;
  TlParams params;

  tl_params_init (&params, 1024);
  params.kernel = kernel;
  params.interpolation = interpolation;
  return tl_choose (&chooser, &params, n_slices, &choice, NULL)
             ? choice.variant->name
             : NULL;
}

/* The whole error message for a combination that does not exist. */
static void
test_explained (void)
{
  static const struct
  {
    TlKernel kernel;
    const char *says;
  } cases[] = {
    { TL_KERNEL_AUTO, "engine fake has no kernel for cubic interpolation in "
                      "full precision; it has one for nearest (full), "
                      "linear (full)" },
    { TL_KERNEL_TEXTURE, "engine fake has no texture kernel for cubic "
                         "interpolation in full precision; it has one for "
                         "linear (full)" },
    { TL_KERNEL_STANDARD,
      "engine fake has no standard kernel; it has alu, texture" },
  };
  const TlBackend backend = make_backend ();
  const TlChooser chooser = { .backend = &backend };
  TlParams params;

  tl_params_init (&params, 1024);
  params.interpolation = TL_INTERPOLATION_CUBIC;
  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      TlChoice choice;

      params.kernel = cases[i].kernel;
      g_assert_false (tl_choose (&chooser, &params, 1, &choice, &error));
      g_assert_error (error, TL_ERROR, TL_ERROR_UNSUPPORTED);
      g_assert_cmpstr (error->message, ==, cases[i].says);
    }
}

/* The Fourier method is refused in one sentence, and used if requested,
 * whatever the kernel and the interpolation. */
static void
test_fourier (void)
{
  static const TlVariant *const list[] = { &variants[0], &variants[1],
                                           &variants[2] };
  TlBackend fake = make_backend ();
  const TlChooser chooser = { .backend = &fake };
  const TlChooser on_host = { .backend = &tl_host_backend };
  g_autoptr (GError) error = NULL;
  TlChoice choice;
  TlParams params;

  shared_list = list;
  fake.list_variants = list_shared;
  tl_params_init (&params, 1024);
  params.method = TL_METHOD_FOURIER;
  g_assert_false (tl_choose (&chooser, &params, 1, &choice, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_UNSUPPORTED);
  g_assert_cmpstr (error->message, ==,
                   "engine fake has no Fourier method; use back-projection or "
                   "the engine host");
  params.kernel = TL_KERNEL_ALU;
  params.interpolation = TL_INTERPOLATION_CUBIC;
  for (int precision = 0; precision < TL_N_PRECISIONS; precision++)
    {
      params.precision = precision;
      g_assert_true (tl_choose (&on_host, &params, 1, &choice, NULL));
      g_assert_true (choice.variant->is_fourier);
    }
  params.kernel = TL_KERNEL_AUTO;
  params.interpolation = TL_INTERPOLATION_LINEAR;
  params.method = TL_METHOD_BACKPROJECTION;
  g_assert_true (tl_choose (&on_host, &params, 1, &choice, NULL));
  g_assert_false (choice.variant->is_fourier);
}

/* Returns: what the host takes for @params of a scan with so many projections
 * and columns.
 *
 * @tuning: (nullable) */
static TlChoice
choose_on_host (const TlParams *params, size_t n_projections, size_t n_cols,
                const TlTuning *tuning)
{
  const TlChooser chooser = {
    .backend = &tl_host_backend,
    .tuning = tuning,
    .n_projections = n_projections,
    .n_cols = n_cols,
    .axis_col = ((double)n_cols - 1.0) / 2.0,
  };
  g_autoptr (GError) error = NULL;
  TlChoice choice;

  tl_choose (&chooser, params, 1, &choice, &error);
  g_assert_no_error (error);
  return choice;
}

static gboolean
takes_fourier (const TlParams *params, size_t n_projections, size_t n_cols)
{
  return choose_on_host (params, n_projections, n_cols, NULL)
      .variant->is_fourier;
}

/* Auto is the Fourier method where it is sure to be faster: for large slices of
 * enough projections, but not for a small part of a large slice. */
static void
test_auto (void)
{
  TlParams params;

  tl_params_init (&params, 1024);
  g_assert_true (takes_fourier (&params, 900, 1024));
  g_assert_true (takes_fourier (&params, 200, 1024));
  g_assert_false (takes_fourier (&params, 20, 1024));
  params.precision = TL_PRECISION_FAST;
  g_assert_true (takes_fourier (&params, 900, 1024));
  params.precision = TL_PRECISION_FULL;
  params.grid.nx = params.grid.ny = 64;
  g_assert_false (takes_fourier (&params, 900, 1024));
  params.grid.nx = params.grid.ny = 1024;
  params.grid.pitch = 1.0 / 16.0;
  g_assert_false (takes_fourier (&params, 900, 1024));
  params.grid = tl_grid_full (1024);
  params.grid.nx = params.grid.ny = 128;
  params.grid.pitch = 8.0; /* its frequencies need all 1024 pixels */
  g_assert_false (takes_fourier (&params, 900, 1024));
  tl_params_init (&params, 64);
  g_assert_false (takes_fourier (&params, 64, 64));

  /* These are parts of back-projection. */
  tl_params_init (&params, 1024);
  params.kernel = TL_KERNEL_STANDARD;
  g_assert_false (takes_fourier (&params, 900, 1024));
  params.kernel = TL_KERNEL_AUTO;
  for (guint way = 0; way < TL_N_INTERPOLATIONS; way++)
    {
      params.interpolation = way;
      g_assert_true (takes_fourier (&params, 900, 1024)
                     == (way == TL_INTERPOLATION_LINEAR));
    }
}

/* Pixels too far from the axis are back-projected, and the choice says why. */
static void
test_far (void)
{
  TlChoice choice;
  TlParams params;

  tl_params_init (&params, 1024);
  choice = choose_on_host (&params, 900, 1024, NULL);
  g_assert_null (choice.objection);
  params.grid.x0 -= 2000.0;
  choice = choose_on_host (&params, 900, 1024, NULL);
  g_assert_false (choice.variant->is_fourier);
  g_assert_nonnull (strstr (choice.objection, "from the axis"));
}

/* The measurements of this machine decide, but rates of this machine are not
 * compared with those of another one. */
static void
test_auto_tuned (void)
{
  g_autoptr (TlTuning) tuning = tl_tuning_new ("host", "2 threads");
  TlTuningRow row = { { TL_KERNEL_AUTO, TL_INTERPOLATION_LINEAR,
                        TL_PRECISION_FULL, 1, 1024 },
                      "host-linear",
                      1000.0 };
  TlParams params;

  tl_params_init (&params, 1024);
  tl_tuning_set (tuning, &row);
  g_assert_true (
      choose_on_host (&params, 900, 1024, tuning).variant->is_fourier);
  row.asked.is_fourier = TRUE;
  row.variant = "host-fourier";
  row.gups = 999.0;
  tl_tuning_set (tuning, &row);
  g_assert_false (
      choose_on_host (&params, 900, 1024, tuning).variant->is_fourier);
  row.gups = 1001.0;
  tl_tuning_set (tuning, &row);
  g_assert_true (
      choose_on_host (&params, 900, 1024, tuning).variant->is_fourier);
  g_assert_false (
      choose_on_host (&params, 500, 1024, tuning).variant->is_fourier);
  /* Twice as many projections take hardly longer. */
  row.gups = 800.0;
  row.many_gups = 1500.0;
  tl_tuning_set (tuning, &row);
  g_assert_false (
      choose_on_host (&params, 600, 1024, tuning).variant->is_fourier);
  g_assert_true (
      choose_on_host (&params, 700, 1024, tuning).variant->is_fourier);
}

/* A slice that is made at once is not folded for the Fourier method. */
static void
test_fourier_alone (void)
{
  const TlVariant variant = {
    "four", TL_KERNEL_STANDARD, TL_INTERPOLATION_LINEAR, TL_PRECISION_FULL,
    4,      .is_fourier = TRUE
  };
  TlBackend backend = tl_host_backend;
  backend.folds = TRUE;
  const TlChooser chooser = { .backend = &backend,
                              .forced = &variant,
                              .n_projections = 64,
                              .n_cols = 64,
                              .axis_col = 31.5 };
  g_autoptr (GError) error = NULL;
  TlParams params;
  TlChoice choice;

  tl_params_init (&params, 64);
  g_assert_true (tl_choose (&chooser, &params, 1, &choice, &error));
  g_assert_true (choice.variant == &variant);
  g_assert_null (choice.fold);
}

/* An engine by name answers as the one that is opened by it. */
static void
test_settled (void)
{
  g_autoptr (GError) error = NULL;
  const char *note = "";
  TlMethod method;
  TlParams params;

  tl_params_init (&params, 512);
  g_assert_true (tl_engine_settle_method ("host", &params, 400, 512, &method,
                                          &note, &error));
  g_assert_cmpint (method, ==, TL_METHOD_FOURIER);
  g_assert_null (note);
  g_assert_true (tl_engine_settle_method ("host", &params, 9, 512, &method,
                                          &note, &error));
  g_assert_cmpint (method, ==, TL_METHOD_BACKPROJECTION);
  g_assert_null (note);
  params.grid.y0 += 5000.0;
  g_assert_true (tl_engine_settle_method ("host", &params, 400, 512, &method,
                                          &note, &error));
  g_assert_cmpint (method, ==, TL_METHOD_BACKPROJECTION);
  g_assert_true (g_str_has_prefix (note, "back-projected, because the Fourier "
                                         "method cannot be used: "));
  /* A method that is named needs no engine. */
  params.method = TL_METHOD_FOURIER;
  g_assert_true (tl_engine_settle_method ("abacus", &params, 400, 512, &method,
                                          &note, &error));
  g_assert_cmpint (method, ==, TL_METHOD_FOURIER);
  params.method = TL_METHOD_AUTO;
  g_assert_false (tl_engine_settle_method ("abacus", &params, 400, 512, &method,
                                           &note, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_UNSUPPORTED);
}

/* Adds a row for linear interpolation in full precision. */
static void
add_row (TlTuning *tuning, TlKernel kernel, guint n_slices, guint size,
         const char *variant)
{
  tl_tuning_set (tuning, &(TlTuningRow){ { kernel, TL_INTERPOLATION_LINEAR,
                                           TL_PRECISION_FULL, n_slices, size },
                                         variant,
                                         0.0 });
}

static void
test_choice (void)
{
  const TlInterpolation linear = TL_INTERPOLATION_LINEAR;
  g_autoptr (TlTuning) tuning = tl_tuning_new ("fake", "GPU 9");
  g_autoptr (GHashTable) failed = g_hash_table_new (NULL, NULL);

  /* Without measurements, the backend's table decides, then the order of its
   * list. */
  g_assert_cmpstr (choose (NULL, NULL, TL_KERNEL_AUTO, linear, 4), ==,
                   "texture-4");
  g_assert_cmpstr (choose (tuning, NULL, TL_KERNEL_AUTO, linear, 9), ==,
                   "texture-4");
  g_assert_cmpstr (choose (tuning, NULL, TL_KERNEL_ALU, linear, 4), ==,
                   "alu-4");
  g_assert_cmpstr (choose (tuning, NULL, TL_KERNEL_AUTO, linear, 1), ==,
                   "texture-1");
  g_assert_cmpstr (
      choose (tuning, NULL, TL_KERNEL_AUTO, TL_INTERPOLATION_NEAREST, 1), ==,
      "nearest-4");
  g_assert_null (choose (tuning, NULL, TL_KERNEL_HYBRID, linear, 1));

  /* Measurements come first, for the requested kernel. */
  add_row (tuning, TL_KERNEL_AUTO, 4, 1024, "alu-4");
  add_row (tuning, TL_KERNEL_ALU, 4, 512, "alu-4-wide");
  add_row (tuning, TL_KERNEL_AUTO, 1, 512, "alu-1");
  g_assert_cmpstr (choose (tuning, NULL, TL_KERNEL_AUTO, linear, 4), ==,
                   "alu-4");
  g_assert_cmpstr (choose (tuning, NULL, TL_KERNEL_ALU, linear, 4), ==,
                   "alu-4-wide");
  g_assert_cmpstr (choose (tuning, NULL, TL_KERNEL_TEXTURE, linear, 4), ==,
                   "texture-4");
  g_assert_cmpstr (choose (tuning, NULL, TL_KERNEL_AUTO, linear, 2), ==,
                   "alu-1");

  /* Failed variants are skipped; narrower passes come last. */
  g_hash_table_add (failed, (gpointer)&variants[0]);
  g_assert_cmpstr (choose (tuning, failed, TL_KERNEL_AUTO, linear, 4), ==,
                   "texture-4");
  g_hash_table_add (failed, (gpointer)&variants[2]);
  g_assert_cmpstr (choose (tuning, failed, TL_KERNEL_AUTO, linear, 4), ==,
                   "alu-4-wide");
  g_hash_table_add (failed, (gpointer)&variants[1]);
  g_assert_cmpstr (choose (tuning, failed, TL_KERNEL_AUTO, linear, 4), ==,
                   "alu-1");

  /* Names of missing variants and of other kernels are ignored. */
  add_row (tuning, TL_KERNEL_AUTO, 4, 1024, "abacus");
  g_assert_cmpstr (choose (tuning, NULL, TL_KERNEL_AUTO, linear, 4), ==,
                   "texture-4");
  add_row (tuning, TL_KERNEL_AUTO, 4, 1024, "nearest-4");
  g_assert_cmpstr (choose (tuning, NULL, TL_KERNEL_AUTO, linear, 4), ==,
                   "texture-4");
  add_row (tuning, TL_KERNEL_ALU, 4, 1024, "texture-4");
  g_assert_cmpstr (choose (tuning, NULL, TL_KERNEL_ALU, linear, 4), ==,
                   "alu-4");
}

/* A variant of full precision that serves fast precision too is chosen for fast
 * by the table's rows for full. A reference variant is never chosen. */
static void
test_shared_variant (void)
{
  static const TlVariant full = {
    "full-1", TL_KERNEL_ALU,      TL_INTERPOLATION_LINEAR, TL_PRECISION_FULL,
    1,        .serves_fast = TRUE
  };
  static const TlVariant wide = {
    "wide-1", TL_KERNEL_ALU,      TL_INTERPOLATION_LINEAR, TL_PRECISION_FULL,
    1,        .serves_fast = TRUE
  };
  static const TlVariant reference = { "reference-1",
                                       TL_KERNEL_STANDARD,
                                       TL_INTERPOLATION_LINEAR,
                                       TL_PRECISION_FAST,
                                       1,
                                       .is_reference = TRUE };
  static const TlVariant *const list[] = { &reference, &full, &wide };
  static const struct
  {
    TlKernel kernel;
    TlPrecision precision;
    const TlVariant *tuned, *chosen;
  } cases[] = {
    { TL_KERNEL_AUTO, TL_PRECISION_FAST, NULL, &full },
    { TL_KERNEL_AUTO, TL_PRECISION_FAST, &wide, &wide },
    { TL_KERNEL_AUTO, TL_PRECISION_FAST, &reference, &full },
    { TL_KERNEL_AUTO, TL_PRECISION_FULL, &wide, &wide },
    { TL_KERNEL_STANDARD, TL_PRECISION_FAST, NULL, NULL },
    { TL_KERNEL_STANDARD, TL_PRECISION_FULL, NULL, NULL },
  };
  TlBackend backend = make_backend ();

  shared_list = list;
  backend.list_variants = list_shared;
  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (TlTuning) tuning = tl_tuning_new ("fake", "GPU 9");
      const TlChooser chooser = { .backend = &backend, .tuning = tuning };
      TlChoice choice = { NULL };
      TlParams params;

      tl_params_init (&params, 1024);
      params.kernel = cases[i].kernel;
      params.precision = cases[i].precision;
      if (cases[i].tuned != NULL)
        add_row (tuning, TL_KERNEL_AUTO, 1, 1024, cases[i].tuned->name);
      tl_choose (&chooser, &params, 1, &choice, NULL);
      g_assert_true (choice.variant == cases[i].chosen);
    }
}

/* Passes of many slices, for grids that are fine enough and as long as the
 * device allows them, unless their kernel is named. */
static void
test_many (void)
{
  static const TlVariant one = { "one", TL_KERNEL_ALU, TL_INTERPOLATION_LINEAR,
                                 TL_PRECISION_FULL, 1 };
  static const TlVariant four = { "four", TL_KERNEL_ALU,
                                  TL_INTERPOLATION_LINEAR, TL_PRECISION_FULL,
                                  4 };
  static const TlVariant many = {
    "many", TL_KERNEL_TENSOR, TL_INTERPOLATION_LINEAR, TL_PRECISION_FULL,
    16,     .is_fine = TRUE
  };
  static const TlVariant *const list[] = { &one, &four, &many };
  static const struct
  {
    TlKernel kernel;
    guint max_slices;
    double pitch;
    size_t n_rows;
    const TlVariant *chosen;
  } cases[] = {
    { TL_KERNEL_AUTO, 0, 1.0, 16, &many },
    { TL_KERNEL_AUTO, 0, 1.0, 40, &many },
    { TL_KERNEL_AUTO, 0, 0.3, 16, &many },
    { TL_KERNEL_AUTO, 0, 1.0, 15, &four },
    { TL_KERNEL_AUTO, 8, 1.0, 16, &four },
    { TL_KERNEL_AUTO, 0, 1.5, 16, &four },
    { TL_KERNEL_TENSOR, 8, 1.5, 16, &many },
    { TL_KERNEL_TENSOR, 0, 1.0, 1, &many },
  };
  TlBackend backend = make_backend ();

  shared_list = list;
  backend.list_variants = list_shared;
  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const TlChooser chooser = { .backend = &backend,
                                  .max_slices = cases[i].max_slices };
      TlChoice choice = { NULL };
      TlParams params;

      tl_params_init (&params, 1024);
      params.kernel = cases[i].kernel;
      params.grid.pitch = cases[i].pitch;
      tl_choose (&chooser, &params, cases[i].n_rows, &choice, NULL);
      g_assert_true (choice.variant == cases[i].chosen);
    }
}

/* The precision of the variant decides which angles may be folded, even if a
 * variant is forced and the parameters allow less precision. */
static void
test_forced_fold (void)
{
  /* At the end of a row of 1024 columns, the angles are 1e-4 columns off: too
   * much for full precision, but not for fast. */
  static const double angles_rad[] = { 0.2, 0.2 + G_PI_2 + 1e-4 / 512.0 };
  TlFolds *folds = tl_folds_new (angles_rad, 2, NULL);
  TlBackend backend = make_backend ();
  const TlVariant fast = { "fast-4", TL_KERNEL_ALU, TL_INTERPOLATION_LINEAR,
                           TL_PRECISION_FAST, 4 };
  const TlVariant *const forced[] = { &variants[0], &fast };
  TlParams params;

  backend.folds = TRUE;
  tl_params_init (&params, 1024);
  for (guint precision = 0; precision < TL_N_PRECISIONS; precision++)
    for (size_t i = 0; i < G_N_ELEMENTS (forced); i++)
      {
        const TlChooser chooser = { .backend = &backend,
                                    .forced = forced[i],
                                    .folds = folds };
        TlChoice choice;

        params.precision = precision;
        g_assert_true (tl_choose (&chooser, &params, 1, &choice, NULL));
        g_assert_true (choice.variant == forced[i]);
        g_assert_cmpuint (choice.fold->n_rays, ==, i == 0 ? 4 : 2);
      }
  tl_folds_free (folds);
}

static const TlTuningRow *
list_fast_folds (size_t *n)
{
#define CHOICE(n_slices, size, is_fourier, name, gups)                         \
  {                                                                            \
    { TL_KERNEL_AUTO,                                                          \
      TL_INTERPOLATION_LINEAR,                                                 \
      TL_PRECISION_FULL,                                                       \
      n_slices,                                                                \
      size,                                                                    \
      is_fourier },                                                            \
        name, gups                                                             \
  }
  static const TlTuningRow rows[] = {
    CHOICE (1, 1024, FALSE, "one", 1000.0),
    CHOICE (4, 512, FALSE, "four", 4000.0),
    CHOICE (1, 1024, TRUE, "fourier", 2000.0),
  };
#undef CHOICE

  *n = G_N_ELEMENTS (rows);
  return rows;
}

/* If only the Fourier method was measured on this machine, it is compared with
 * the folded kernel of the backend's table, not with the plain one. */
static void
test_fold_untuned (void)
{
  static const TlVariant one = { "one", TL_KERNEL_ALU, TL_INTERPOLATION_LINEAR,
                                 TL_PRECISION_FULL, 1 };
  static const TlVariant four = { "four", TL_KERNEL_ALU,
                                  TL_INTERPOLATION_LINEAR, TL_PRECISION_FULL,
                                  4 };
  static const TlVariant fourier = {
    "fourier", TL_KERNEL_STANDARD, TL_INTERPOLATION_LINEAR, TL_PRECISION_FULL,
    1,         .is_fourier = TRUE
  };
  static const TlVariant *const list[] = { &one, &four, &fourier };
  static const TlTuningRow measured = { { TL_KERNEL_AUTO,
                                          TL_INTERPOLATION_LINEAR,
                                          TL_PRECISION_FULL, 1, 1024, TRUE },
                                        "fourier",
                                        2000.0 };
  g_autoptr (TlTuning) tuning = tl_tuning_new ("fake", "GPU 9");
  TlBackend backend = make_backend ();
  double angles_rad[512];
  TlChooser chooser = {
    .backend = &backend, .n_projections = 512, .n_cols = 1024, .axis_col = 511.5
  };
  TlChoice choice;
  TlParams params;

  for (size_t p = 0; p < 512; p++)
    angles_rad[p] = (double)p * G_PI / 512.0;
  chooser.folds = tl_folds_new (angles_rad, 512, NULL);
  shared_list = list;
  backend.folds = TRUE;
  backend.list_variants = list_shared;
  backend.list_choices = list_fast_folds;
  tl_params_init (&params, 1024);
  for (int is_tuned = 0; is_tuned < 2; is_tuned++)
    {
      chooser.tuning = is_tuned ? tuning : NULL;
      tl_tuning_set (tuning, &measured);
      g_assert_true (tl_choose (&chooser, &params, 1, &choice, NULL));
      g_assert_cmpstr (choice.variant->name, ==, "four");
      g_assert_nonnull (choice.fold);
    }
  tl_folds_free (chooser.folds);
}

/* --- in an engine --- */

typedef struct
{
  TlBackend backend;
  TlEngine *engine;
  TlTestScan *scan; /* a loaded scan of four rows */
  TlParams params;
} Fixture;

static void
load (Fixture *fixture, size_t n_projections)
{
  g_autoptr (GError) error = NULL;

  g_clear_pointer (&fixture->scan, tl_test_scan_free);
  fixture->scan = tl_test_scan_new_noise (n_projections, 4, 31);
  fixture->params = tl_test_params (fixture->scan);
  tl_engine_load (fixture->engine, &fixture->scan->block, &error);
  g_assert_no_error (error);
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  orders.failing = g_hash_table_new (g_str_hash, g_str_equal);
  orders.stage = TL_STAGE_FILTER;
  orders.code = TL_ERROR_UNSUPPORTED;
  *fixture = (Fixture){ .backend = make_backend () };
  fixture->engine = tl_engine_open_backend (&fixture->backend, 0, FALSE,
                                            "GPU 9 (1 GiB)", &error);
  g_assert_no_error (error);
  load (fixture, 19);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  tl_engine_close (fixture->engine);
  tl_test_scan_free (fixture->scan);
  g_hash_table_unref (orders.failing);
}

static void
order (const char *variant, TlStage stage, int code)
{
  g_hash_table_add (orders.failing, (gpointer)variant);
  orders.stage = stage;
  orders.code = code;
}

/* Reconstructs and asserts that @variant was used and that the filter ran
 * @n_filtered times. */
static void
assert_done (Fixture *fixture, const char *variant, guint n_filtered)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TlFrame) frame = NULL;
  TlEngineReport report;

  tl_engine_invalidate (fixture->engine, TL_STAGE_FILTER);
  orders.n_filtered = 0;
  frame =
      tl_engine_reconstruct (fixture->engine, &fixture->params, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (tl_engine_get_report (fixture->engine, &report, &error));
  g_assert_cmpstr (report.variant->name, ==, variant);
  g_assert_cmpuint (orders.n_filtered, ==, n_filtered);
}

static void
assert_fails (Fixture *fixture, int code, const char *says)
{
  g_autoptr (GError) error = NULL;

  tl_engine_invalidate (fixture->engine, TL_STAGE_FILTER);
  g_assert_null (
      tl_engine_reconstruct (fixture->engine, &fixture->params, NULL, &error));
  g_assert_error (error, TL_ERROR, code);
  g_assert_nonnull (strstr (error->message, says));
}

/* Asserts the text of the fallback in the report. @says: (nullable): the whole
 * text */
static void
assert_says (Fixture *fixture, const char *says)
{
  g_autoptr (GError) error = NULL;
  TlEngineReport report;

  g_assert_true (tl_engine_get_report (fixture->engine, &report, &error));
  g_assert_cmpstr (report.fallback, ==, says);
}

/* A later engine on the same machine uses the saved table. */
static void
test_kept (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TlTuning) tuning = tl_engine_dup_tuning (fixture->engine);
  g_autofree char *path = NULL;
  g_autoptr (GError) error = NULL;
  TlEngine *first = fixture->engine;

  assert_done (fixture, "texture-4", 1);
  add_row (tuning, TL_KERNEL_AUTO, 4, 128, "alu-4-wide");
  path = tl_tuning_save (tuning, &error);
  g_assert_no_error (error);
  assert_done (fixture, "texture-4", 1);

  fixture->engine = tl_engine_open_backend (&fixture->backend, 0, FALSE,
                                            "GPU 9 (1 GiB)", &error);
  load (fixture, 19);
  assert_done (fixture, "alu-4-wide", 1);
  assert_says (fixture, NULL);
  tl_engine_set_tuning (fixture->engine, NULL);
  assert_done (fixture, "texture-4", 1);
  tl_engine_set_tuning (fixture->engine, tuning);
  assert_done (fixture, "alu-4-wide", 1);
  tl_engine_close (fixture->engine);

  fixture->engine = tl_engine_open_backend (&fixture->backend, 0, FALSE,
                                            "GPU 8 (1 GiB)", &error);
  load (fixture, 19);
  assert_done (fixture, "texture-4", 1);
  tl_engine_close (first);
  g_unlink (path);
}

static void
test_fallback (Fixture *fixture, gconstpointer data)
{
  static const char said[] =
      "the kernel alu-4-wide that was tuned for this machine could not be "
      "started (alu-4-wide was told to fail); texture-4 is used instead";
  g_autoptr (TlTuning) tuning = tl_engine_dup_tuning (fixture->engine);

  add_row (tuning, TL_KERNEL_AUTO, 4, 128, "alu-4-wide");
  tl_engine_set_tuning (fixture->engine, tuning);
  order ("alu-4-wide", TL_STAGE_FILTER, TL_ERROR_UNSUPPORTED);
  assert_done (fixture, "texture-4", 2);
  assert_says (fixture, said);
  /* The failed variant is not tried again and stays in the report. */
  assert_done (fixture, "texture-4", 1);
  assert_says (fixture, said);
  fixture->params.grid.pitch = 2; /* failures on a coarse grid are kept apart */
  assert_done (fixture, "texture-4", 2);
  load (fixture, 19);
  assert_done (fixture, "texture-4", 1);
  /* A block of another size clears the failures. */
  load (fixture, 18);
  assert_done (fixture, "texture-4", 2);
  /* The report does not mention failures of variants that would not be chosen.
   */
  fixture->params.interpolation = TL_INTERPOLATION_NEAREST;
  assert_done (fixture, "nearest-4", 1);
  assert_says (fixture, NULL);
}

/* The fallback works without a table, after failures in other stages, and after
 * several failures. */
static void
test_fallback_further (Fixture *fixture, gconstpointer data)
{
  order ("texture-4", TL_STAGE_FILTER, TL_ERROR_MEMORY);
  assert_done (fixture, "alu-4", 2);
  assert_says (fixture, "the kernel texture-4 could not be started (texture-4 "
                        "was told to fail); alu-4 is used instead");
  order ("alu-4", TL_STAGE_BACKPROJECT, TL_ERROR_UNSUPPORTED);
  order ("alu-4-wide", TL_STAGE_BACKPROJECT, TL_ERROR_UNSUPPORTED);
  assert_done (fixture, "texture-1", 3);
  assert_says (fixture, "the kernel texture-4 could not be started (texture-4 "
                        "was told to fail); texture-1 is used instead");
  /* The fallback stays within the requested kernel. */
  fixture->params.kernel = TL_KERNEL_ALU;
  assert_done (fixture, "alu-1", 1);
  fixture->params.kernel = TL_KERNEL_TEXTURE;
  assert_done (fixture, "texture-1", 1);
}

/* Where memory is refused to the Fourier method, a slice is back-projected, and
 * the report says so; a method that is named stays. */
static void
test_fallback_method (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TlTuning) tuning = tl_engine_dup_tuning (fixture->engine);
  TlTuningRow row = { { TL_KERNEL_AUTO, TL_INTERPOLATION_LINEAR,
                        TL_PRECISION_FULL, 4, 128 },
                      "texture-4",
                      1.0 };

  tl_tuning_set (tuning, &row);
  row = (TlTuningRow){ { TL_KERNEL_AUTO, TL_INTERPOLATION_LINEAR,
                         TL_PRECISION_FULL, 1, 128, TRUE },
                       "fourier-1",
                       1000.0 };
  tl_tuning_set (tuning, &row);
  tl_engine_set_tuning (fixture->engine, tuning);
  assert_done (fixture, "fourier-1", 1);
  assert_says (fixture, NULL);
  order ("fourier-1", TL_STAGE_BACKPROJECT, TL_ERROR_MEMORY);
  assert_done (fixture, "texture-4", 2);
  assert_says (fixture, "back-projected, because the Fourier method cannot be "
                        "used: fourier-1 was told to fail");
  fixture->params.method = TL_METHOD_BACKPROJECTION;
  assert_done (fixture, "texture-4", 1);
  assert_says (fixture, NULL);
  load (fixture, 18);
  fixture->params.method = TL_METHOD_FOURIER;
  assert_fails (fixture, TL_ERROR_MEMORY, "fourier-1 was told");
}

static void
test_all_fail (Fixture *fixture, gconstpointer data)
{
  order ("alu-4", TL_STAGE_FILTER, TL_ERROR_UNSUPPORTED);
  order ("alu-4-wide", TL_STAGE_FILTER, TL_ERROR_UNSUPPORTED);
  order ("alu-1", TL_STAGE_FILTER, TL_ERROR_UNSUPPORTED);
  fixture->params.kernel = TL_KERNEL_ALU;
  assert_fails (fixture, TL_ERROR_UNSUPPORTED, "alu-4 was told");
  /* If all variants fail, the cause lies elsewhere, and they may be tried
   * again. */
  g_hash_table_remove_all (orders.failing);
  assert_done (fixture, "alu-4", 1);
  assert_says (fixture, NULL);
}

/* There is no fallback for errors that no other variant avoids, and none for a
 * forced variant. */
static void
test_no_fallback (Fixture *fixture, gconstpointer data)
{
  order ("texture-4", TL_STAGE_FILTER, TL_ERROR_DEVICE);
  assert_fails (fixture, TL_ERROR_DEVICE, "texture-4");
  order ("texture-4", TL_STAGE_BACKPROJECT, TL_ERROR_MEMORY);
  assert_fails (fixture, TL_ERROR_MEMORY, "texture-4");
  order ("texture-4", TL_STAGE_FILTER, TL_ERROR_UNSUPPORTED);
  tl_engine_use_variant (fixture->engine, &variants[2]);
  assert_fails (fixture, TL_ERROR_UNSUPPORTED, "texture-4");
  tl_engine_use_variant (fixture->engine, NULL);
  g_hash_table_remove_all (orders.failing);
  assert_done (fixture, "texture-4", 1);
  assert_says (fixture, NULL);
}

static void
add (const char *path, void (*func) (Fixture *, gconstpointer))
{
  g_test_add (path, Fixture, NULL, set_up, func, tear_down);
}

int
main (int argc, char **argv)
{
  g_autofree char *cache = g_dir_make_tmp ("test-choice-XXXXXX", NULL);
  g_autofree char *folder = g_build_filename (cache, "tomolens", NULL);
  int result;

  /* Set the folder before GLib reads the variable. */
  g_setenv ("XDG_CACHE_HOME", cache, TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/choice/tables", test_choice);
  g_test_add_func ("/choice/explained", test_explained);
  g_test_add_func ("/choice/fourier", test_fourier);
  g_test_add_func ("/choice/auto", test_auto);
  g_test_add_func ("/choice/far", test_far);
  g_test_add_func ("/choice/auto-tuned", test_auto_tuned);
  g_test_add_func ("/choice/fourier-alone", test_fourier_alone);
  g_test_add_func ("/choice/settled", test_settled);
  g_test_add_func ("/choice/shared-variant", test_shared_variant);
  g_test_add_func ("/choice/many", test_many);
  g_test_add_func ("/choice/forced-fold", test_forced_fold);
  g_test_add_func ("/choice/fold-untuned", test_fold_untuned);
  add ("/choice/kept", test_kept);
  add ("/choice/fallback", test_fallback);
  add ("/choice/fallback-further", test_fallback_further);
  add ("/choice/fallback-method", test_fallback_method);
  add ("/choice/all-fail", test_all_fail);
  add ("/choice/no-fallback", test_no_fallback);
  result = g_test_run ();
  g_rmdir (folder);
  g_rmdir (cache);
  return result;
}
