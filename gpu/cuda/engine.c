/* The CUDA backend: opening, closing, and the table of its operations. */
#include "gpu/cuda/backproject/variants.h"
#include "gpu/cuda/figures/figures.h"
#include "gpu/cuda/figures/launchers.h"
#include "gpu/cuda/inflate/inflater.h"
#include "gpu/cuda/memory/pinned.h"
#include "gpu/cuda/probe.h"
#include "gpu/cuda/stages/fft.h"
#include "gpu/cuda/stages/stages.h"
#include "gpu/cuda/state/turns.h"

#include <cuda_runtime_api.h>
#include <glib/gi18n.h>
#include <gmodule.h>

/* --- opening and closing --- */

/* Frees what the stages have made, when all work on the device has ended. A
 * lost device makes this fail, and nothing can be done about it. */
static void
clear_results (TlCuda *cuda)
{
  TlCudaBuffer *const buffers[] = {
    &cuda->corrected, &cuda->zingerless,     &cuda->retrieved,
    &cuda->ringless,  &cuda->phase_sums,     &cuda->phase_lines,
    &cuda->scratch,   &cuda->wavelet_tables, &cuda->spectrum,
    &cuda->peak,      &cuda->batch,          &cuda->figures,
    &cuda->tables,    &cuda->fold_rays,      &cuda->fold_sources,
    &cuda->tilted,    &cuda->units,
  };
  TlCudaUploadCache *const caches[] = {
    &cuda->weights, &cuda->col_weights,   &cuda->response,
    &cuda->shifts,  &cuda->phase_weights,
  };

  tl_cuda_pool_use (cuda->pool, NULL);
  cudaStreamSynchronize (tl_cuda_pool_get_streams (cuda->pool)->upload);
  cudaStreamSynchronize (cuda->stream);
  tl_cuda_blocks_give_back (cuda);
  for (size_t i = 0; i < G_N_ELEMENTS (buffers); i++)
    tl_cuda_buffer_clear (cuda->pool, buffers[i]);
  for (size_t i = 0; i < G_N_ELEMENTS (caches); i++)
    tl_cuda_upload_cache_clear (cuda->pool, caches[i]);
  tl_cuda_sinogram_clear (cuda->pool, &cuda->sinogram);
  tl_cuda_fourier_clear (cuda);
  g_clear_pointer (&cuda->fft, tl_cuda_fft_free);
  cuda->fold_serial = 0;
}

static void
cuda_close (gpointer impl)
{
  TlCuda *cuda = impl;

  if (cuda->pool != NULL)
    {
      clear_results (cuda);
      tl_cuda_blocks_clear (cuda);
      tl_cuda_buffer_clear (cuda->pool, &cuda->queues);
      tl_cuda_pinned_free (cuda->figures_pinned);
      tl_cuda_times_clear (cuda);
      cudaGetLastError ();
      tl_cuda_pool_unref (cuda->pool);
    }
  g_free (cuda);
}

/* Passes of many slices want tensor cores. In work that gives way they take 7
 * ms at 2048 x 2048 with 8 slices, and would take 42 ms with 32, for which a
 * picture would have to wait. */
static gboolean
find_max_slices (TlCuda *cuda, gboolean gives_way, GError **error)
{
  int major = 0;

  if (!tl_cuda_check (
          cudaDeviceGetAttribute (&major, cudaDevAttrComputeCapabilityMajor,
                                  tl_cuda_pool_get_device (cuda->pool)),
          _ ("start"), error))
    return FALSE;
  cuda->max_slices = major < TL_CUDA_TENSOR_CAPABILITY ? 4 : gives_way ? 8 : 0;
  return TRUE;
}

static gboolean
make_queues (TlCuda *cuda, GError **error)
{
  int n = 0;

  if (!tl_cuda_check (
          cudaDeviceGetAttribute (&n, cudaDevAttrMultiProcessorCount,
                                  tl_cuda_pool_get_device (cuda->pool)),
          _ ("start"), error))
    return FALSE;
  cuda->n_counters = (unsigned)n;
  return tl_cuda_buffer_reserve (cuda->pool, &cuda->queues,
                                 (2 + (size_t)n) * sizeof (unsigned),
                                 _ ("the queues of blocks"), error);
}

static gboolean
init (TlCuda *cuda, guint device, gboolean gives_way, GError **error)
{
  cuda->pool = tl_cuda_pool_new ((int)device, gives_way, error);
  if (cuda->pool == NULL)
    return FALSE;
  cuda->stream = tl_cuda_pool_get_streams (cuda->pool)->engine;
  cuda->fft = tl_cuda_fft_new (cuda->pool);
  cuda->figures_pinned = tl_cuda_pinned_alloc (sizeof *cuda->figures_pinned,
                                               _ ("the histogram"), error);
  return cuda->figures_pinned != NULL && tl_cuda_blocks_init (cuda, error)
         && tl_cuda_times_init (cuda, error) && make_queues (cuda, error)
         && find_max_slices (cuda, gives_way, error);
}

static gpointer
cuda_open (guint device, gboolean gives_way, GError **error)
{
  TlCuda *cuda = g_new0 (TlCuda, 1);

  if (!init (cuda, device, gives_way, error))
    g_clear_pointer (&cuda, cuda_close);
  return cuda;
}

/* --- results and memory --- */

static gboolean
read_corrected (gpointer impl, float *dest, GError **error)
{
  const char *step = _ ("transfer of the corrected projections");
  TlCuda *cuda = impl;
  const size_t n = cuda->n_projections * cuda->n_rows * cuda->n_cols;

  return tl_cuda_pool_use (cuda->pool, error)
         && tl_cuda_pool_download (cuda->pool, dest, cuda->attenuation,
                                   n * sizeof (float), step, error);
}

static void
release (gpointer impl, TlStage stage)
{
  TlCuda *cuda = impl;

  if (stage == TL_STAGE_TILT)
    tl_cuda_buffer_give_back (cuda->pool, &cuda->tilted);
  else if (stage == TL_STAGE_PHASE)
    {
      tl_cuda_buffer_give_back (cuda->pool, &cuda->retrieved);
      tl_cuda_buffer_give_back (cuda->pool, &cuda->phase_sums);
      tl_cuda_buffer_give_back (cuda->pool, &cuda->phase_lines);
      tl_cuda_upload_cache_clear (cuda->pool, &cuda->phase_weights);
    }
}

static void
give_back (gpointer impl)
{
  TlCuda *cuda = impl;

  clear_results (cuda);
  cuda->fft = tl_cuda_fft_new (cuda->pool);
  tl_cuda_pool_give_back (cuda->pool);
}

static size_t
get_memory (gpointer impl)
{
  TlCuda *cuda = impl;

  return tl_cuda_pool_get_bytes (cuda->pool);
}

static guint
get_max_slices (gpointer impl)
{
  return ((TlCuda *)impl)->max_slices;
}

static void
begin_turn (gpointer impl)
{
  tl_cuda_turn_begin (((TlCuda *)impl)->pool);
}

static void
end_turn (gpointer impl)
{
  tl_cuda_turn_end (((TlCuda *)impl)->pool);
}

/* "bench --transforms" compares them; the first is the default. */
static const TlTransform transforms[] = { TL_TRANSFORM_PAIRS, TL_TRANSFORM_REAL,
                                          TL_TRANSFORM_AUTO };

static const TlBackend backend = {
  .name = "cuda",
  .count_devices = tl_cuda_count_devices,
  .probe = tl_cuda_probe,
  .dup_driver = tl_cuda_dup_driver,
  .count_free = tl_cuda_count_free,
  .open = cuda_open,
  .open_inflater = tl_cuda_inflater_new,
  .pin = tl_cuda_pin,
  .unpin = tl_cuda_unpin,
  .close = cuda_close,
  .list_variants = tl_cuda_list_variants,
  .transforms = transforms,
  .has_halves = TRUE,
  .plane_kernel = TL_KERNEL_ALU,
  .folds = TRUE,
  .list_choices = tl_cuda_list_choices,
  .get_max_slices = get_max_slices,
  .measure_ceilings = tl_cuda_measure_ceilings,
  .upload = tl_cuda_upload,
  .correct = tl_cuda_correct,
  .zingers = tl_cuda_zingers,
  .tilt = tl_cuda_tilt,
  .phase = tl_cuda_phase,
  .rings = tl_cuda_rings,
  .release = release,
  .give_back = give_back,
  .transform = tl_cuda_transform,
  .filter = tl_cuda_filter,
  .backproject = tl_cuda_backproject,
  .backproject_plane = tl_cuda_backproject_plane,
  .begin_turn = begin_turn,
  .end_turn = end_turn,
  .measure = tl_cuda_frame_measure,
  .measure_sharpness = tl_cuda_frame_measure_sharpness,
  .compare = tl_cuda_compare_frames,
  .add = tl_cuda_add_frames,
  .read_corrected = read_corrected,
  .get_times = tl_cuda_get_times,
  .get_memory = get_memory,
};

G_MODULE_EXPORT const TlBackend *tl_cuda_get_backend (guint version);

const TlBackend *
tl_cuda_get_backend (guint version)
{
  return version == TL_BACKEND_VERSION ? &backend : NULL;
}
