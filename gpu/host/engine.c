/* The host backend: it keeps data in host memory and computes on all cores. */
#include "gpu/host/host.h"

#include "gpu/host/host-private.h"

#include "data/error.h"
#include "data/parallel.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* --- opening and closing --- */

/* All processors together are one device. */
static guint
count_devices (void)
{
  return 1;
}

static gboolean
probe (guint device, char **description, GError **error)
{
  const guint n = g_get_num_processors ();

  if (device > 0)
    return tl_fail (error, TL_ERROR_UNSUPPORTED,
                    _ ("there is no device %u: host has device 0 only"),
                    device);
  *description =
      g_strdup_printf (g_dngettext (NULL, "%u thread, %s", "%u threads, %s", n),
                       n, tl_host_simd_name (tl_host_simd_detect ()));
  return TRUE;
}

static gpointer
host_open (guint device, gboolean gives_way, GError **error)
{
  if (gives_way)
    tl_thread_give_way (TL_WAY_BACKGROUND);
  TlHostPool *pool = tl_host_pool_new (g_get_num_processors (), error);

  if (pool == NULL)
    return NULL;
  TlHost *host = g_new0 (TlHost, 1);
  host->pool = pool;
  host->simd = tl_host_simd_detect ();
  return host;
}

static void
give_back (gpointer impl)
{
  TlHost *host = impl;
  TlHostBuffer *const buffers[] = {
    &host->samples,    &host->angles,   &host->fields,    &host->corrected,
    &host->zingerless, &host->tilted,   &host->retrieved, &host->phase_spectra,
    &host->ringless,   &host->weighted, &host->spectrum,  &host->factors,
    &host->filtered,
  };

  g_clear_pointer (&host->plan, tl_host_plan_free);
  g_clear_pointer (&host->phase_plan, tl_host_plan_free);
  tl_host_fourier_free (host);
  for (size_t i = 0; i < G_N_ELEMENTS (buffers); i++)
    tl_host_buffer_clear (buffers[i]);
}

static void
host_close (gpointer impl)
{
  TlHost *host = impl;

  give_back (host);
  tl_host_pool_free (host->pool);
  g_free (host);
}

/* There is one kernel. It has full precision and serves fast precision too. */
#define VARIANT(name, interpolation, precision)                                \
  &(const TlVariant)                                                           \
  {                                                                            \
    name, TL_KERNEL_STANDARD, TL_INTERPOLATION_##interpolation,                \
        TL_PRECISION_##precision, 1                                            \
  }
/* LINEAR, because the filter's response must not include the prefilter of cubic
 * interpolation. */
#define FOURIER(name, precision)                                               \
  &(const TlVariant)                                                           \
  {                                                                            \
    name, TL_KERNEL_STANDARD, TL_INTERPOLATION_LINEAR,                         \
        TL_PRECISION_##precision, 1, .is_fourier = TRUE                        \
  }
static const TlVariant *const variants[] = {
  VARIANT ("host-linear", LINEAR, FULL),
  VARIANT ("host-nearest", NEAREST, FULL),
  VARIANT ("host-oversampled", OVERSAMPLED, FULL),
  VARIANT ("host-cubic", CUBIC, FULL),
  VARIANT ("host-linear-fast", LINEAR, FAST),
  VARIANT ("host-nearest-fast", NEAREST, FAST),
  VARIANT ("host-oversampled-fast", OVERSAMPLED, FAST),
  VARIANT ("host-cubic-fast", CUBIC, FAST),
  FOURIER ("host-fourier", FULL),
  FOURIER ("host-fourier-fast", FAST),
};
#undef FOURIER
#undef VARIANT

/* The rates of both methods with 2 threads and AVX-512; their ratio counts. A
 * new table is printed by `tomolens-cli bench --engine host --tune --dry-run`.
 */
#define ROW(precision, size, is_fourier, name, gups)                           \
  {                                                                            \
    { TL_KERNEL_AUTO,                                                          \
      TL_INTERPOLATION_LINEAR,                                                 \
      TL_PRECISION_##precision,                                                \
      1,                                                                       \
      size,                                                                    \
      is_fourier },                                                            \
        name, gups                                                             \
  }
#define ROWS(size, linear, fourier)                                            \
  ROW (FULL, size, FALSE, "host-linear", linear),                              \
      ROW (FULL, size, TRUE, "host-fourier", fourier),                         \
      ROW (FAST, size, FALSE, "host-linear-fast", linear),                     \
      ROW (FAST, size, TRUE, "host-fourier-fast", fourier)
static const TlTuningRow choices[] = {
  ROWS (128, 4.1, 3.8),   ROWS (256, 4.1, 13.3),  ROWS (512, 4.3, 27.9),
  ROWS (1024, 4.5, 35.7), ROWS (2048, 4.3, 50.1),
};
#undef ROW
#undef ROWS

static const TlTuningRow *
list_choices (size_t *n)
{
  *n = G_N_ELEMENTS (choices);
  return choices;
}

static const TlVariant *const *
list_variants (size_t *n)
{
  *n = G_N_ELEMENTS (variants);
  return variants;
}

/* --- stages --- */

TlHostTimer
tl_host_timer_start (TlHost *host, TlStage stage)
{
  return (TlHostTimer){ host, stage, g_get_monotonic_time () };
}

void
tl_host_timer_stop (TlHostTimer *timer)
{
  TlHost *host = timer->host;
  const double ms =
      (double)(g_get_monotonic_time () - timer->start_us) / 1000.0;

  host->last_ms[timer->stage] = ms;
  host->total_ms[timer->stage] += ms;
}

/* Copies @field, or fills @dest with @otherwise if @field is %NULL. */
static void
copy_field (double *dest, const double *field, const double *otherwise,
            size_t n)
{
  if (field == NULL)
    field = otherwise;
  if (field != NULL)
    memcpy (dest, field, n * sizeof (double));
  else
    memset (dest, 0, n * sizeof (double));
}

static gboolean
upload (gpointer impl, const TlBlock *block, const TlDeadPixels *dead,
        GError **error)
{
  TlHost *host = impl;
  TlHostTimer timer = tl_host_timer_start (host, TL_STAGE_UPLOAD);
  const size_t n_projections = block->n_projections;
  const size_t plane = block->n_rows * block->n_cols;
  double *fields;

  if (!tl_host_buffer_resize (&host->samples, n_projections, plane, 1,
                              tl_sample_size (block->type),
                              _ ("the rows of the projections"), error)
      || !tl_host_buffer_resize (&host->angles, 2, n_projections, 1,
                                 sizeof (double), _ ("the angles"), error)
      || !tl_host_buffer_resize (&host->fields, 3, plane, 1, sizeof (double),
                                 _ ("the flat and dark fields"), error))
    return FALSE;

  host->n_projections = n_projections;
  host->n_block_rows = block->n_rows;
  host->n_above = block->n_above;
  host->n_rows = block->n_rows - block->n_above - block->n_below;
  host->n_cols = block->n_cols;
  host->type = block->type;
  host->dead = dead;
  memcpy (host->samples.data, block->samples,
          n_projections * plane * tl_sample_size (block->type));
  double *cosines = host->angles.data;
  for (size_t p = 0; p < n_projections; p++)
    {
      cosines[p] = cos (block->angles_rad[p]);
      cosines[n_projections + p] = sin (block->angles_rad[p]);
    }
  fields = host->fields.data;
  copy_field (fields, block->dark, NULL, plane);
  copy_field (fields + plane, block->flat_first, NULL, plane);
  copy_field (fields + 2 * plane, block->flat_last, block->flat_first, plane);
  tl_host_timer_stop (&timer);
  return TRUE;
}

static TlFrame *
backproject (gpointer impl, const TlBackprojectArgs *args,
             GCancellable *cancellable, GError **error)
{
  TlHost *host = impl;
  TlHostTimer timer = tl_host_timer_start (host, TL_STAGE_BACKPROJECT);
  g_autoptr (TlFrame) frame =
      tl_host_frame_new (host->n_rows, args->grid.ny, args->grid.nx, error);

  if (!args->variant->is_fourier)
    tl_host_fourier_free (host);
  if (frame == NULL
      || !(args->variant->is_fourier ? tl_host_invert : tl_host_backproject) (
          host, args, (float *)frame->pixels, cancellable, error))
    return NULL;
  tl_host_timer_stop (&timer);
  return g_steal_pointer (&frame);
}

static TlFrame *
backproject_plane (gpointer impl, const TlPlaneArgs *args,
                   GCancellable *cancellable, GError **error)
{
  TlHost *host = impl;
  TlHostTimer timer = tl_host_timer_start (host, TL_STAGE_BACKPROJECT);
  g_autoptr (TlFrame) frame =
      tl_host_frame_new (1, args->plane.ny, args->plane.nx, error);

  if (frame == NULL
      || !tl_host_backproject_plane (host, args, (float *)frame->pixels,
                                     cancellable, error))
    return NULL;
  tl_host_timer_stop (&timer);
  return g_steal_pointer (&frame);
}

/* --- figures --- */

static gboolean
measure (gpointer impl, TlFrame *frame, size_t slice, TlStats *stats,
         GError **error)
{
  TlHost *host = impl;
  const size_t n = frame->n_rows * frame->n_cols;

  tl_host_measure (host->pool, frame->pixels + slice * n, n, stats);
  return TRUE;
}

static gboolean
measure_sharpness (gpointer impl, TlFrame *frame, size_t slice,
                   const TlSharpnessArgs *args, TlSharpnessSums *sums,
                   GError **error)
{
  TlHost *host = impl;

  tl_host_measure_sharpness (
      host->pool, frame->pixels + slice * frame->n_rows * frame->n_cols,
      frame->n_rows, frame->n_cols, args, sums);
  return TRUE;
}

static TlFrame *
compare (gpointer impl, TlFrame *frame, TlFrame *reference, TlDifferences *sums,
         GError **error)
{
  TlHost *host = impl;
  TlFrame *result =
      tl_host_frame_new (frame->n_slices, frame->n_rows, frame->n_cols, error);

  if (result != NULL)
    tl_host_compare (host->pool, frame->pixels, reference->pixels,
                     frame->n_slices * frame->n_rows * frame->n_cols,
                     (float *)result->pixels, sums);
  return result;
}

static TlFrame *
add (gpointer impl, TlFrame *frame, float factor, TlFrame *more, GError **error)
{
  TlHost *host = impl;
  TlFrame *result =
      tl_host_frame_new (frame->n_slices, frame->n_rows, frame->n_cols, error);

  if (result != NULL)
    tl_host_add (host->pool, frame->pixels, factor, more->pixels,
                 frame->n_slices * frame->n_rows * frame->n_cols,
                 (float *)result->pixels);
  return result;
}

static gboolean
read_corrected (gpointer impl, float *dest, GError **error)
{
  TlHost *host = impl;

  memcpy (dest, host->attenuation,
          host->n_projections * host->n_rows * host->n_cols * sizeof (float));
  return TRUE;
}

static gboolean
get_times (gpointer impl, double last_ms[TL_N_STAGES],
           double total_ms[TL_N_STAGES], GError **error)
{
  TlHost *host = impl;

  memcpy (last_ms, host->last_ms, sizeof host->last_ms);
  memcpy (total_ms, host->total_ms, sizeof host->total_ms);
  return TRUE;
}

static void
release (gpointer impl, TlStage stage)
{
  TlHost *host = impl;

  if (stage == TL_STAGE_TILT)
    tl_host_buffer_clear (&host->tilted);
  else if (stage == TL_STAGE_PHASE)
    {
      g_clear_pointer (&host->phase_plan, tl_host_plan_free);
      tl_host_buffer_clear (&host->phase_spectra);
      tl_host_buffer_clear (&host->retrieved);
    }
}

static size_t
get_memory (gpointer impl)
{
  TlHost *host = impl;

  return host->samples.bytes + host->angles.bytes + host->fields.bytes
         + host->corrected.bytes + host->zingerless.bytes + host->tilted.bytes
         + host->phase_spectra.bytes + host->retrieved.bytes
         + host->ringless.bytes + host->weighted.bytes + host->spectrum.bytes
         + host->factors.bytes + host->filtered.bytes
         + tl_host_fourier_get_memory (host);
}

static const TlTransform transforms[] = { TL_TRANSFORM_REAL,
                                          TL_TRANSFORM_AUTO };

const TlBackend tl_host_backend = {
  .name = "host",
  .count_devices = count_devices,
  .probe = probe,
  .open = host_open,
  .close = host_close,
  .list_variants = list_variants,
  .list_choices = list_choices,
  .transforms = transforms,
  .upload = upload,
  .correct = tl_host_correct,
  .zingers = tl_host_zingers,
  .tilt = tl_host_tilt,
  .phase = tl_host_phase,
  .rings = tl_host_rings,
  .release = release,
  .give_back = give_back,
  .transform = tl_host_transform,
  .filter = tl_host_filter,
  .plane_kernel = TL_KERNEL_STANDARD,
  .backproject = backproject,
  .backproject_plane = backproject_plane,
  .measure = measure,
  .measure_sharpness = measure_sharpness,
  .compare = compare,
  .add = add,
  .read_corrected = read_corrected,
  .get_times = get_times,
  .get_memory = get_memory,
};
