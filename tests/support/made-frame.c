#include "tests/support/made-frame.h"

#include "data/error.h"
#include "gpu/backend/frame-class.h"

#include <string.h>

typedef struct
{
  TlFrame base;
  float *data;
  gboolean lost;
} MadeFrame;

static void
free_frame (TlFrame *frame)
{
  g_free (((MadeFrame *)frame)->data);
  g_free (frame);
}

static gboolean
wait_for_frame (TlFrame *frame, GError **error)
{
  return TRUE;
}

static gboolean
fetch_frame (TlFrame *frame, GError **error)
{
  MadeFrame *self = (MadeFrame *)frame;

  if (self->lost)
    {
      g_set_error (error, TL_ERROR, TL_ERROR_DEVICE, "the device is gone");
      return FALSE;
    }
  frame->pixels = self->data;
  return TRUE;
}

static gboolean
read_frame (TlFrame *frame, size_t first, size_t n, size_t n_runs,
            size_t stride, float *values, GError **error)
{
  for (size_t k = 0; k < n_runs; k++)
    memcpy (values + k * n, ((MadeFrame *)frame)->data + first + k * stride,
            n * sizeof *values);
  return TRUE;
}

static gpointer
refuse_interop (TlFrame *frame, guint texture, gboolean is_volume,
                GError **error)
{
  g_set_error (error, TL_ERROR, TL_ERROR_UNSUPPORTED, "no such luck");
  return NULL;
}

TlFrame *
made_frame_new (gboolean on_device, size_t n_slices, size_t n_rows,
                size_t n_cols)
{
  static const TlFrameClass host = { .free = free_frame,
                                     .wait = wait_for_frame };
  static const TlFrameClass device = { .free = free_frame,
                                       .wait = wait_for_frame,
                                       .fetch = fetch_frame,
                                       .read = read_frame,
                                       .interop_new = refuse_interop };
  MadeFrame *frame = g_new0 (MadeFrame, 1);
  size_t n = n_slices * n_rows * n_cols;

  frame->base = (TlFrame){ .klass = on_device ? &device : &host,
                           .ref_count = 1,
                           .n_slices = n_slices,
                           .n_rows = n_rows,
                           .n_cols = n_cols };
  frame->data = g_new (float, n);
  for (size_t i = 0; i < n; i++)
    frame->data[i] = (float)g_test_rand_double_range (-1, 1);
  if (!on_device)
    frame->base.pixels = frame->data;
  return &frame->base;
}

float *
made_frame_get_data (TlFrame *frame)
{
  return ((MadeFrame *)frame)->data;
}

void
made_frame_lose (TlFrame *frame)
{
  ((MadeFrame *)frame)->lost = TRUE;
}
