/* A volume whose pixels are known, and threads that write it. */
#pragma once

#include "data/write/volume/volume.h"

#include <math.h>

#define MADE_LOW -1.0
#define MADE_HIGH 6.0
#define MADE_THREADS 4

static inline float
made_pixel (size_t z, size_t y, size_t x)
{
  if (z == 1 && y == 2 && x == 3)
    return NAN;
  return (float)((double)((z * 7919 + y * 353 + x * 31) % 10007) / 1000 - 2);
}

static inline float *
made_slice (const TlVolumeInfo *info, size_t z)
{
  float *pixels = g_new (float, info->n_rows * info->n_cols);

  for (size_t y = 0; y < info->n_rows; y++)
    for (size_t x = 0; x < info->n_cols; x++)
      pixels[y * info->n_cols + x] = made_pixel (z, y, x);
  return pixels;
}

static inline TlVolumeInfo
made_info (TlVolumeFormat format, TlVolumeSample sample, int compression,
           size_t n_slices, size_t n_rows, size_t n_cols)
{
  return (TlVolumeInfo){ .format = format,
                         .n_slices = n_slices,
                         .n_rows = n_rows,
                         .n_cols = n_cols,
                         .first_number = 30,
                         .number_step = 2,
                         .sample = sample,
                         .low = MADE_LOW,
                         .high = MADE_HIGH,
                         .compression = compression,
                         .pixel_um = 1.3,
                         .pitch_um = 2.6,
                         .scan = "Knochen µ \"7\".h5",
                         .recipe = "[recipe]\nfilter=hann\npath=C:\\x\n",
                         .command = "tomolens-cli export scan.h5 -o x" };
}

/* One slice that a thread writes. */
typedef struct
{
  TlVolume *volume;
  const TlVolumeInfo *info;
  gboolean *is_kept;           /* (nullable): [n_slices]: need not be written */
  guint32 *crc32;              /* [n_slices] */
  void (*told) (size_t slice); /* (nullable): it is written */
} MadeWork;

static inline void
made_write (gpointer slice_plus_one, gpointer user_data)
{
  const MadeWork *work = user_data;
  const size_t slice = GPOINTER_TO_SIZE (slice_plus_one) - 1;
  g_autofree float *pixels = made_slice (work->info, slice);
  g_autoptr (GError) error = NULL;

  tl_volume_write (work->volume, slice, pixels, &work->crc32[slice], &error);
  g_assert_no_error (error);
  if (work->told != NULL)
    work->told (slice);
}

/* Writes the slices, in random order, with several threads at once. */
static inline void
made_write_all (MadeWork *work, GRand *random)
{
  const size_t n = work->info->n_slices;
  g_autofree size_t *order = g_new (size_t, n);
  GThreadPool *pool =
      g_thread_pool_new (made_write, work, MADE_THREADS, TRUE, NULL);

  for (size_t i = 0; i < n; i++)
    {
      const size_t other = (size_t)g_rand_int_range (random, 0, (gint32)i + 1);

      order[i] = order[other];
      order[other] = i;
    }
  for (size_t i = 0; i < n; i++)
    if (work->is_kept == NULL || !work->is_kept[order[i]])
      g_thread_pool_push (pool, GSIZE_TO_POINTER (order[i] + 1), NULL);
  g_thread_pool_free (pool, FALSE, TRUE);
}
