#include "gpu/backend/frame.h"

#include "gpu/backend/frame-class.h"

#include <string.h>

TlFrame *
tl_frame_ref (TlFrame *frame)
{
  g_return_val_if_fail (frame != NULL, NULL);

  g_atomic_int_inc (&frame->ref_count);
  return frame;
}

void
tl_frame_unref (TlFrame *frame)
{
  g_return_if_fail (frame != NULL);

  if (g_atomic_int_dec_and_test (&frame->ref_count))
    frame->klass->free (frame);
}

size_t
tl_frame_get_n_slices (const TlFrame *frame)
{
  g_return_val_if_fail (frame != NULL, 0);
  return frame->n_slices;
}

size_t
tl_frame_get_n_rows (const TlFrame *frame)
{
  g_return_val_if_fail (frame != NULL, 0);
  return frame->n_rows;
}

size_t
tl_frame_get_n_cols (const TlFrame *frame)
{
  g_return_val_if_fail (frame != NULL, 0);
  return frame->n_cols;
}

gboolean
tl_frame_is_on_device (const TlFrame *frame)
{
  g_return_val_if_fail (frame != NULL, FALSE);
  return frame->klass->interop_new != NULL;
}

gboolean
tl_frame_wait (TlFrame *frame, GError **error)
{
  g_return_val_if_fail (frame != NULL, FALSE);
  return frame->klass->wait (frame, error);
}

gboolean
tl_frame_fetch (TlFrame *frame, GError **error)
{
  g_return_val_if_fail (frame != NULL, FALSE);

  if (g_atomic_pointer_get (&frame->pixels) != NULL)
    return frame->klass->wait (frame, error);
  g_bit_lock (&frame->fetching, 0);
  gboolean is_fetched =
      frame->pixels != NULL || frame->klass->fetch (frame, error);
  g_bit_unlock (&frame->fetching, 0);
  return is_fetched;
}

const float *
tl_frame_get_pixels (TlFrame *frame)
{
  g_return_val_if_fail (frame != NULL, NULL);
  return frame->pixels;
}

/* Reads @n_runs runs of @n pixels, which begin at pixel @first, @first +
 * @stride and so on. */
static gboolean
read_runs (TlFrame *frame, size_t first, size_t n, size_t n_runs, size_t stride,
           float *values, GError **error)
{
  const float *pixels = g_atomic_pointer_get (&frame->pixels);

  if (pixels == NULL)
    return frame->klass->read (frame, first, n, n_runs, stride, values, error);
  for (size_t k = 0; k < n_runs; k++)
    memcpy (values + k * n, pixels + first + k * stride, n * sizeof *values);
  return TRUE;
}

gboolean
tl_frame_read_pixel (TlFrame *frame, size_t slice, size_t row, size_t col,
                     float *value, GError **error)
{
  g_return_val_if_fail (frame != NULL && value != NULL, FALSE);
  g_return_val_if_fail (slice < frame->n_slices, FALSE);
  g_return_val_if_fail (row < frame->n_rows && col < frame->n_cols, FALSE);

  return read_runs (frame, (slice * frame->n_rows + row) * frame->n_cols + col,
                    1, 1, 1, value, error);
}

gboolean
tl_frame_read_rows (TlFrame *frame, size_t first_row, size_t every,
                    float *values, GError **error)
{
  g_return_val_if_fail (frame != NULL && values != NULL && every > 0, FALSE);

  const size_t n_rows = frame->n_slices * frame->n_rows;
  g_return_val_if_fail (first_row < n_rows, FALSE);
  return read_runs (frame, first_row * frame->n_cols, frame->n_cols,
                    (n_rows - first_row - 1) / every + 1, every * frame->n_cols,
                    values, error);
}

TlFrame *
tl_frame_copy (TlFrame *frame, GError **error)
{
  float *pixels;

  g_return_val_if_fail (frame != NULL, NULL);

  if (!tl_frame_fetch (frame, error))
    return NULL;
  TlFrame *copy = tl_frame_new (frame->n_rows, frame->n_cols, &pixels, error);
  if (copy != NULL)
    memcpy (pixels, frame->pixels,
            frame->n_rows * frame->n_cols * sizeof *pixels);
  return copy;
}
