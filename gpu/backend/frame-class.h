/* The implementation side of a frame: every backend has its own frame class.
 * All other code includes gpu/backend/frame.h only. */
#pragma once

#include <glib.h>

typedef struct TlFrame TlFrame; /* as in gpu/backend/frame.h */

/* The functions of a frame class. Each backend's own frame struct begins with a
 * TlFrame. */
typedef struct
{
  void (*free) (TlFrame *frame);
  gboolean (*wait) (TlFrame *frame, GError **error);
  gboolean (*fetch) (TlFrame *frame, GError **error); /* sets pixels */
  /* @n_runs times @n pixels, the first run from the pixel @first on, counted
   * through all slices, each of the others @stride pixels behind the one
   * before; for a frame without pixels in host memory */
  gboolean (*read) (TlFrame *frame, size_t first, size_t n, size_t n_runs,
                    size_t stride, float *values, GError **error);
  /* GL interop; NULL if the backend has none. The rules of
   * gpu/backend/interop.h hold. interop_new registers the texture, interop_free
   * ends that. TL_ERROR_UNSUPPORTED: it is never tried again; TL_ERROR_DEVICE:
   * another engine may do it. */
  gpointer (*interop_new) (TlFrame *frame, guint texture, gboolean is_volume,
                           GError **error);
  gboolean (*interop_show) (gpointer interop, TlFrame *frame, size_t slice,
                            GError **error);
  void (*interop_free) (gpointer interop);
} TlFrameClass;

struct TlFrame
{
  const TlFrameClass *klass;
  gint ref_count; /* atomic */
  gint fetching;  /* bit 0 is locked while one thread fetches the pixels */
  size_t n_slices, n_rows, n_cols;
  const float *pixels; /* host memory; NULL until fetched */
};

/** tl_host_frame_new: Makes a frame in host memory,
 * [@n_slices][@n_rows][@n_cols], whose pixels are undefined. Any thread.
 * Returns: (transfer full): %NULL with TL_ERROR_MEMORY */
TlFrame *tl_host_frame_new (size_t n_slices, size_t n_rows, size_t n_cols,
                            GError **error);
