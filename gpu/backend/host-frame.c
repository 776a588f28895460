/* Frames whose pixels are in host memory from the beginning. */
#include "gpu/backend/frame-class.h"
#include "gpu/backend/frame.h"

#include "data/error.h"

#include <glib/gi18n.h>
#include <stdlib.h>

/* The size of a cache line, bytes. */
#define ALIGNMENT 64

/* Freeing takes some tenths of a millisecond per megabyte. */
#define LARGE_BYTES ((size_t)1 << 20)

static void
free_pixels (gpointer pixels, gpointer data)
{
  free (pixels);
}

/* Queues @pixels for the freeing thread. The thread ends after it has been idle
 * for some time. */
static void
free_pixels_in_thread (float *pixels)
{
  static GThreadPool *pool;

  if (g_once_init_enter (&pool))
    g_once_init_leave (&pool,
                       g_thread_pool_new (free_pixels, NULL, 1, FALSE, NULL));
  g_thread_pool_push (pool, pixels, NULL);
}

/* The main loop must not wait. Other threads free the pixels themselves: on a
 * busy machine the freeing thread comes late, and the pictures of an export
 * would pile up beyond the memory that it may take. */
static void
frame_free (TlFrame *frame)
{
  float *pixels = (float *)frame->pixels;

  if (frame->n_slices * frame->n_rows * frame->n_cols * sizeof *pixels
          >= LARGE_BYTES
      && g_main_context_is_owner (NULL))
    free_pixels_in_thread (pixels);
  else
    free (pixels);
  g_free (frame);
}

static gboolean
frame_wait (TlFrame *frame, GError **error)
{
  return TRUE;
}

static const TlFrameClass frame_class = {
  .free = frame_free,
  .wait = frame_wait,
  .fetch = frame_wait,
};

TlFrame *
tl_host_frame_new (size_t n_slices, size_t n_rows, size_t n_cols,
                   GError **error)
{
  float *pixels = NULL;
  gsize bytes;

  if (g_size_checked_mul (&bytes, n_slices, n_rows)
      && g_size_checked_mul (&bytes, bytes, n_cols)
      && g_size_checked_mul (&bytes, bytes, sizeof *pixels)
      && g_size_checked_add (&bytes, bytes, ALIGNMENT - 1))
    pixels = aligned_alloc (ALIGNMENT, bytes / ALIGNMENT * ALIGNMENT);
  if (pixels == NULL)
    return tl_fail_null (
        error, TL_ERROR_MEMORY,
        _ ("not enough memory for %s: %zu x %zu x %zu of %zu bytes"),
        _ ("the picture"), n_slices, n_rows, n_cols, sizeof *pixels);
  TlFrame *frame = g_new (TlFrame, 1);
  *frame = (TlFrame){
    .klass = &frame_class,
    .ref_count = 1,
    .n_slices = n_slices,
    .n_rows = n_rows,
    .n_cols = n_cols,
    .pixels = pixels,
  };
  return frame;
}

TlFrame *
tl_frame_new (size_t n_rows, size_t n_cols, float **pixels, GError **error)
{
  g_return_val_if_fail (n_rows > 0 && n_cols > 0, NULL);
  g_return_val_if_fail (pixels != NULL, NULL);

  TlFrame *frame = tl_host_frame_new (1, n_rows, n_cols, error);
  if (frame != NULL)
    *pixels = (float *)frame->pixels;
  return frame;
}
