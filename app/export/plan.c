#include "app/export/plan.h"

#include "app/background/time-left.h"
#include "app/export/output.h"
#include "app/export/rates.h"

#include "data/array.h"
#include "data/error.h"
#include "data/write/part-file.h"
#include "gpu/choice/device-memory.h"
#include "gpu/engine.h"
#include "gpu/host/host.h"

#include <glib/gi18n.h>

/* Of the memory that is available. */
#define DEFAULT_SHARE 0.75

/* What a process takes besides what is counted here. */
#define BASE_BYTES ((guint64)40 << 20)
#define CUDA_BASE_BYTES ((guint64)600 << 20) /* of the CUDA runtime */

/* Floats for each sample of a block that the host engine keeps: corrected,
 * filtered, and what its transforms and the removal of rings need. */
#define HOST_COPIES 4

/* Share of the budget that writing threads may take; one may exceed it. */
#define WRITERS_SHARE 0.25

/* At least this many threads may write; on machines with many processors, half
 * as many as there are processors. */
#define FEW_WRITERS 16

guint64
tl_export_plan_get_default_budget (void)
{
  const guint64 bytes = tl_read_proc_bytes ("/proc/meminfo", "MemAvailable:");
  return (guint64)(DEFAULT_SHARE
                   * (double)(bytes > 0 ? bytes : tl_get_machine_bytes ()));
}

/* What the memory depends on. */
typedef struct
{
  const TlExportSettings *settings;
  const TlScanInfo *info;
  TlVolumeInfo shape;
  TlGrid region;
  size_t margin, n_cols; /* of rows; half acquisition makes them wider */
  gboolean is_host;
  gboolean is_fourier; /* the method */
  guint n_engines;
} Needs;

static guint64
count_slice_bytes (const Needs *needs)
{
  return (guint64)needs->shape.n_rows * needs->shape.n_cols * sizeof (float);
}

/* Returns: bytes of memory that the writing threads take */
static guint64
count_writers (const Needs *needs, guint n_writers)
{
  const TlExportSettings *settings = needs->settings;
  const guint64 n_pixels = (guint64)needs->region.ny * needs->region.nx
                           / settings->binning / settings->binning;
  const gboolean reduces = settings->binning > 1 || settings->masks;
  return tl_volume_count_work (&needs->shape, n_writers,
                               needs->n_engines * TL_PIPELINE_N_SLOTS)
         + (reduces ? n_writers * n_pixels * sizeof (float) : 0);
}

static guint
choose_writers (const Needs *needs, guint64 budget_bytes)
{
  const double most = WRITERS_SHARE * (double)budget_bytes;
  guint n = CLAMP (g_get_num_processors () / 2, (guint)FEW_WRITERS,
                   (guint)TL_MAX_WRITERS);
  while (n > 1 && (double)count_writers (needs, n) > most)
    n /= 2;
  return n;
}

/* Of the host's Fourier method. */
static guint64
count_fourier_bytes (const Needs *needs)
{
  return tl_host_fourier_count_bytes (&needs->region, needs->n_cols,
                                      needs->info->n_projections,
                                      g_get_num_processors ());
}

/* Without the slices of a pass. */
static guint64
count_bytes (const Needs *needs, const TlExportPlan *plan)
{
  const size_t block_rows = plan->block_rows;
  const TlScanInfo *info = needs->info;
  const guint binning = needs->settings->binning;
  const guint64 n_rows = MIN (block_rows + 2 * needs->margin, info->n_rows);
  const guint64 n_samples = (guint64)info->n_projections * n_rows;
  const guint64 slice = (guint64)needs->region.ny * needs->region.nx;
  const guint64 n_slices =
      (guint64)needs->n_engines * TL_PIPELINE_N_SLOTS * block_rows;
  guint64 bytes = BASE_BYTES
                  + (needs->n_engines + TL_PIPELINE_SPARE_BLOCKS) * n_samples
                        * info->n_cols * tl_sample_size (info->type)
                  + n_slices * slice * sizeof (float);
  if (needs->is_host)
    bytes += n_samples * needs->n_cols * sizeof (float) * HOST_COPIES
             + (needs->is_fourier ? count_fourier_bytes (needs) : 0);
  else
    bytes += CUDA_BASE_BYTES;
  if (binning > 1) /* parts of bins */
    bytes += n_slices * slice / binning / binning * sizeof (float);
  return bytes + count_writers (needs, plan->n_writers);
}

/* The slices of a pass get what is left, the same number in each pass. Of x-y
 * planes they are written at once. Returns: whether the budget is enough; if it
 * is not, memory_bytes is the least that would do */
static gboolean
plan_passes (const Needs *needs, const TlGrid *whole, TlExportPlan *plan)
{
  const guint64 slice_bytes = count_slice_bytes (needs);
  const guint64 used = count_bytes (needs, plan);
  const size_t n = needs->shape.n_slices;
  const gboolean is_turned = needs->settings->plane != TL_PLANE_XY;
  plan->memory_bytes = used + (is_turned ? slice_bytes : 0);
  if (plan->budget_bytes < plan->memory_bytes)
    return FALSE;
  plan->pass_bytes = MIN (plan->budget_bytes - used, slice_bytes * n);
  plan->n_passes =
      tl_output_count_passes (needs->settings, whole, plan->pass_bytes);
  if (!is_turned)
    return TRUE;
  plan->pass_bytes = slice_bytes * ((n - 1) / plan->n_passes + 1);
  plan->memory_bytes = used + plan->pass_bytes;
  return TRUE;
}

/* Returns: how many rows of the detector the slices span, with those between
 * them that are left out */
static size_t
count_spanned (const TlExportSettings *settings)
{
  return (settings->n_rows - 1) * settings->row_step + 1;
}

/* Returns: whether blocks have no rows in common and reach the last row */
static gboolean
reaches_end (const Needs *needs)
{
  const TlExportSettings *settings = needs->settings;
  return needs->margin == 0
         && settings->first_row + count_spanned (settings)
                == needs->info->n_rows;
}

/* Returns: whether a device will inflate the projections, if the budget allows
 * to read them in ascending order */
static gboolean
may_inflate (const Needs *needs)
{
  const TlDecoding *decoding = &needs->info->decoding;
  return !needs->is_host && decoding->can_ascend
         && decoding->ascending_bytes > 0 && reaches_end (needs);
}

/* Returns: groups of streams for which a device that inflates takes memory; 0:
 * none does */
static size_t
count_inflated_groups (const Needs *needs)
{
  return may_inflate (needs)
             ? tl_inflater_count_groups (needs->info->n_projections)
             : 0;
}

static guint64
estimate_gpu_bytes (const Needs *needs, const TlParams *params,
                    size_t block_rows)
{
  const TlScanInfo *info = needs->info;
  const size_t n_rows = MIN (block_rows, info->n_rows);
  const TlDeviceLoad load = {
    .n_projections = info->n_projections,
    .n_cols = info->n_cols,
    .n_rows = n_rows,
    .n_extra_rows = MIN (2 * needs->margin, info->n_rows - n_rows),
    .type = info->type,
    .n_frames = TL_PIPELINE_N_SLOTS,
  };
  TlParams region = *params;
  region.grid = needs->region;
  const guint64 inflater_bytes =
      count_inflated_groups (needs) * TL_INFLATER_GROUP_BYTES;
  return needs->is_host
             ? 0
             : tl_device_memory_estimate (&region, &load) + inflater_bytes;
}

guint64
tl_export_plan_count_gpu_free (const char *const *engines)
{
  guint64 least = 0;
  for (; *engines != NULL; engines++)
    {
      const guint64 bytes = tl_engine_count_free (*engines);
      if (bytes > 0)
        least = least == 0 ? bytes : MIN (least, bytes);
    }
  return least;
}

static size_t
round_up (size_t n, size_t unit)
{
  return (n + unit - 1) / unit * unit;
}

/* @free_bytes: 0: unknown */
static gboolean
fits_gpu (const TlExportPlan *plan, guint64 free_bytes)
{
  return free_bytes == 0 || plan->gpu_bytes <= free_bytes;
}

/* --- what does not fit --- */

/* Returns: (transfer full): as g_format_size(), with the last digit rounded up,
 * so that it is enough: "48.2 MB" */
static char *
format_size_up (guint64 bytes)
{
  guint64 unit = 1;
  while (bytes / unit >= 1000)
    unit *= 1000;
  const guint64 digit = MAX (unit / 10, 1);
  return g_format_size ((bytes + digit - 1) / digit * digit);
}

/* Returns: what a region of at most @side x @side pixels needs.
 * @settings: (out): those of the region; the result points to them */
static Needs
take_region (const Needs *whole, const TlParams *params, size_t side,
             TlExportSettings *settings)
{
  Needs needs = *whole;
  *settings = *whole->settings;
  settings->region_n_cols = MIN (side, whole->region.nx);
  settings->region_n_rows = MIN (side, whole->region.ny);
  needs.settings = settings;
  needs.region = tl_export_settings_get_grid (settings, &params->grid);
  tl_export_settings_describe (settings, &params->grid, 0, &needs.shape);
  return needs;
}

/* Returns: the largest side of a region that fits, with the blocks and writers
 * of @plan; 0: none */
static size_t
find_side (const Needs *whole, const TlParams *params, const TlExportPlan *plan,
           guint64 gpu_free_bytes)
{
  TlExportSettings settings;
  size_t fits = 0, too_large = MAX (whole->region.nx, whole->region.ny);
  while (too_large - fits > 1)
    {
      const size_t side = fits + (too_large - fits) / 2;
      const Needs needs = take_region (whole, params, side, &settings);
      TlExportPlan trial = *plan;
      trial.gpu_bytes = estimate_gpu_bytes (&needs, params, plan->block_rows);
      if (side < settings.binning
          || (fits_gpu (&trial, gpu_free_bytes)
              && plan_passes (&needs, &params->grid, &trial)))
        fits = side;
      else
        too_large = side;
    }
  return fits >= whole->settings->binning ? fits : 0;
}

/* @plan: the smallest one, which does not fit either. Fails with a message that
 * says what it needs, and what the user can do. */
static gboolean
refuse (const Needs *needs, const TlParams *params, const TlExportPlan *plan,
        gboolean is_default, guint64 gpu_free_bytes, GError **error)
{
  const gboolean is_gpu = !fits_gpu (plan, gpu_free_bytes);
  g_autofree char *wanted =
      format_size_up (is_gpu ? plan->gpu_bytes : plan->memory_bytes);
  g_autofree char *there =
      g_format_size (is_gpu ? gpu_free_bytes : plan->budget_bytes);
  const size_t side = find_side (needs, params, plan, gpu_free_bytes);
  g_autoptr (GString) text = g_string_new (NULL);
  if (is_gpu)
    g_string_printf (
        text,
        _ ("the export needs at least %s of GPU memory, but only %s "
           "is free: close other programs that use the GPU, or "
           "choose the engine host"),
        wanted, there);
  else if (is_default)
    g_string_printf (
        text,
        _ ("the export needs at least %s of memory, but only %s of "
           "the free memory may be used: close other programs"),
        wanted, there);
  else
    g_string_printf (
        text,
        _ ("the export needs at least %s of memory, but the limit is "
           "%s: allow %s"),
        wanted, there, wanted);
  if (side > 0)
    g_string_append_printf (
        text, _ (", or export a region of at most %zu × %zu pixels"),
        MIN (side, needs->region.nx), MIN (side, needs->region.ny));
  if (!is_gpu && needs->n_engines > 1)
    g_string_append (text, _ (", or use fewer GPUs"));
  return tl_fail (error, TL_ERROR_MEMORY, "%s", text->str);
}

/* Chooses the rows of a block, up to @most_rows, and the number of writers.
 * Every pass reads and makes all rows again, so the fewest passes win; among
 * equals, more writers, then larger blocks. A larger budget allows every choice
 * of a smaller one, so it never needs more passes. */
static gboolean
choose_blocks (const Needs *needs, const TlParams *params, size_t most_rows,
               gboolean is_default, guint64 gpu_free_bytes, TlExportPlan *plan,
               GError **error)
{
  const guint binning = needs->settings->binning;
  TlExportPlan best = { 0 }, trial = *plan;
  for (trial.n_writers = choose_writers (needs, plan->budget_bytes);
       trial.n_writers > 0; trial.n_writers /= 2)
    {
      trial.block_rows = 0;
      do
        {
          trial.block_rows = round_up (
              trial.block_rows == 0 ? most_rows : trial.block_rows / 2,
              binning);
          trial.gpu_bytes =
              estimate_gpu_bytes (needs, params, trial.block_rows);
          if (fits_gpu (&trial, gpu_free_bytes)
              && plan_passes (needs, &params->grid, &trial)
              && (best.n_passes == 0 || trial.n_passes < best.n_passes))
            best = trial;
        }
      while (trial.block_rows > binning);
    }
  if (best.n_passes == 0)
    {
      trial.n_writers = 1;
      return refuse (needs, params, &trial, is_default, gpu_free_bytes, error);
    }
  *plan = best;
  return TRUE;
}

/* Lets the reader decode each image once, in the memory that is left: by and
 * by where blocks have no rows in common and reach the last row, else by
 * keeping decoded rows. */
static void
plan_reading (const Needs *needs, TlExportPlan *plan)
{
  const TlScanInfo *info = needs->info;
  const TlDecoding *decoding = &info->decoding;
  const guint64 left_bytes = plan->budget_bytes - plan->memory_bytes;
  const guint64 inflater_bytes =
      count_inflated_groups (needs) * TL_INFLATER_GROUP_HOST_BYTES;
  const guint64 ascending_bytes =
      decoding->fields_bytes + MAX (decoding->ascending_bytes, inflater_bytes);
  const size_t n_rows = count_spanned (needs->settings) + 2 * needs->margin;
  plan->ascends = reaches_end (needs) && decoding->can_ascend
                  && ascending_bytes <= left_bytes;
  plan->kept_bytes = plan->ascends
                         ? ascending_bytes
                         : MIN (left_bytes, decoding->fields_bytes
                                                + MIN (n_rows, info->n_rows)
                                                      * decoding->row_bytes);
  plan->memory_bytes += plan->kept_bytes;
}

gboolean
tl_export_plan_make (const TlExportSettings *settings, const TlParams *params,
                     const TlScanInfo *info, const char *const *engines,
                     guint64 budget_bytes, guint64 gpu_free_bytes,
                     TlExportPlan *plan, GError **error)
{
  Needs needs = {
    .settings = settings,
    .info = info,
    .region = tl_export_settings_get_grid (settings, &params->grid),
    .margin = tl_params_get_margin (params, info->n_rows, info->n_cols),
    .n_cols = MAX (info->n_cols, params->grid.nx),
    .is_host = g_str_equal (engines[0], "host"),
    .is_fourier = params->method == TL_METHOD_FOURIER,
    .n_engines = g_strv_length ((char **)engines),
  };
  tl_export_settings_describe (settings, &params->grid, 0, &needs.shape);
  /* Margins are read again for every block: with larger blocks, fewer margins
   * are read. */
  const size_t block_rows =
      (needs.margin > 0 ? 2 : 1)
      * tl_pipeline_choose_rows (info->n_projections, needs.n_cols,
                                 needs.is_host || may_inflate (&needs),
                                 params->method);
  *plan = (TlExportPlan){
    .n_slices = needs.shape.n_slices,
    .n_left_out = { settings->n_rows % settings->binning,
                    needs.region.ny % settings->binning,
                    needs.region.nx % settings->binning },
    .budget_bytes =
        budget_bytes > 0 ? budget_bytes : tl_export_plan_get_default_budget (),
    .disk_bytes = tl_volume_count_bytes (&needs.shape),
    .n_engines = needs.n_engines,
    .limit = TL_N_PIPELINE_STAGES,
  };
  if (!choose_blocks (&needs, params, MIN (block_rows, settings->n_rows),
                      budget_bytes == 0, gpu_free_bytes, plan, error))
    return FALSE;
  plan_reading (&needs, plan);
  const TlExportEffort effort = {
    .settings = settings,
    .params = params,
    .info = info,
    .engines = engines,
    .n_passes = plan->n_passes,
  };
  plan->expected_s = tl_export_rates_expect (&effort);
  return TRUE;
}

/* Several passes correct and filter the same rows several times, which one
 * slice does not tell. */
void
tl_export_plan_expect (TlExportPlan *plan, double slice_s, size_t n_rows)
{
  g_return_if_fail (plan != NULL);
  if (plan->expected_s > 0 || plan->n_passes > 1)
    return;
  plan->expected_s = slice_s * (double)n_rows;
  plan->is_of_slice = slice_s > 0;
}

/* Returns: how many slices of @info take at most @bytes on the disk */
static size_t
count_slices (const TlVolumeInfo *info, guint64 bytes)
{
  TlVolumeInfo some = *info;
  size_t fit = 0, too_many = info->n_slices;
  while (too_many - fit > 1)
    {
      some.n_slices = fit + (too_many - fit) / 2;
      if (tl_volume_count_bytes (&some) <= bytes)
        fit = some.n_slices;
      else
        too_many = some.n_slices;
    }
  return fit;
}

/* Returns: the name of the largest type of samples with which the volume takes
 * at most @bytes on the disk; %NULL: it takes more with all of them */
static const char *
find_sample (const TlVolumeInfo *info, guint64 bytes)
{
  TlVolumeInfo other = *info;
  const gboolean has_f16 = tl_volume_format_get_info (info->format)->has_f16;
  for (guint sample = 0; sample < TL_N_VOLUME_SAMPLES; sample++)
    {
      other.sample = (TlVolumeSample)sample;
      if ((sample != TL_VOLUME_F16 || has_f16)
          && tl_volume_count_bytes (&other) <= bytes)
        return tl_volume_sample_name (other.sample);
    }
  return NULL;
}

gboolean
tl_export_plan_check_room (const char *path, const TlVolumeInfo *info,
                           GError **error)
{
  guint64 free_bytes;
  GError *failed = NULL;
  if (tl_check_room (path, tl_volume_count_bytes (info), &failed))
    return TRUE;
  if (tl_get_room (path, &free_bytes, NULL))
    {
      const size_t n = count_slices (info, free_bytes);
      const char *sample = find_sample (info, free_bytes);
      g_autofree char *why = failed->message;
      GString *text = g_string_new (why);
      if (n > 0)
        g_string_append_printf (text,
                                g_dngettext (NULL, "; %zu slice would fit",
                                             "; %zu slices would fit", n),
                                n);
      if (sample != NULL)
        g_string_append_printf (
            text, _ ("; with samples of the type %s all would fit"), sample);
      failed->message = g_string_free (text, FALSE);
    }
  g_propagate_error (error, failed);
  return FALSE;
}

/* Returns: (transfer full): what follows the passes of the plan */
static char *
describe_time (const TlExportPlan *plan)
{
  g_autofree char *duration = tl_describe_duration (plan->expected_s);
  if (plan->expected_s <= 0)
    /* translators: follows what an export takes of memory and disk */
    return g_strdup (_ ("; the time is known after the first slices"));
  return g_strdup_printf (
      plan->is_of_slice
          /* translators: follows what an export takes: expected duration */
          ? _ ("; computing takes about %s, estimated from a few slices; "
               "reading and writing may take longer")
          /* translators: follows what an export takes: expected duration */
          : _ (", about %s"),
      duration);
}

/* Returns: (transfer full): what follows the time of the plan; "" if all voxels
 * are used */
static char *
describe_left_out (const TlExportPlan *plan)
{
  const size_t *n = plan->n_left_out;
  g_autofree char *detector = g_strdup_printf (
      g_dngettext (NULL, "%zu detector row", "%zu detector rows", n[0]), n[0]);
  g_autofree char *rows = g_strdup_printf (
      g_dngettext (NULL, "%zu row of the slice", "%zu rows of the slice", n[1]),
      n[1]);
  g_autofree char *cols =
      g_strdup_printf (g_dngettext (NULL, "%zu column of the slice",
                                    "%zu columns of the slice", n[2]),
                       n[2]);
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  if (n[0] > 0)
    g_strv_builder_add (builder, detector);
  if (n[1] > 0)
    g_strv_builder_add (builder, rows);
  if (n[2] > 0)
    g_strv_builder_add (builder, cols);
  g_auto (GStrv) parts = g_strv_builder_end (builder);
  g_autofree char *list = g_strjoinv (", ", parts);
  return parts[0] == NULL
             ? g_strdup ("")
             /* translators: a list of rows and columns */
             : g_strdup_printf (_ ("; left out, because they fill no bin: %s"),
                                list);
}

char *
tl_export_plan_describe (const TlExportPlan *plan, gboolean says_time)
{
  g_autofree char *memory = g_format_size (plan->memory_bytes);
  g_autofree char *budget = g_format_size (plan->budget_bytes);
  g_autofree char *disk = g_format_size (plan->disk_bytes);
  g_autofree char *lacking = g_format_size (plan->lacking_bytes);
  g_autofree char *gpu_size = g_format_size (plan->gpu_bytes);
  /* translators: follows the memory of the process */
  g_autofree char *gpu =
      plan->gpu_bytes == 0
          ? g_strdup ("")
          : g_strdup_printf (g_dngettext (NULL, ", up to %s of GPU memory",
                                          ", up to %s of memory on each GPU",
                                          plan->n_engines),
                             gpu_size);
  g_autofree char *time = says_time ? describe_time (plan) : g_strdup ("");
  g_autofree char *left_out = describe_left_out (plan);
  g_autofree char *text = g_strdup_printf (
      g_dngettext (NULL,
                   "up to %s of memory (%s allowed)%s, up to %s on the disk, "
                   "%zu pass over the scan%s%s",
                   "up to %s of memory (%s allowed)%s, up to %s on the disk, "
                   "%zu passes over the scan%s%s",
                   plan->n_passes),
      memory, budget, gpu, disk, plan->n_passes, time, left_out);
  return plan->lacking_bytes == 0
             ? g_steal_pointer (&text)
             : g_strdup_printf (_ ("%s; the disk has %s too little for the "
                                   "rest: free some, or the export will stop"),
                                text, lacking);
}
