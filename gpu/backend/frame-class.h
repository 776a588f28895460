/* The inside of a frame: backends make frames of a class of their own.
 * Everybody else sees gpu/backend/frame.h only. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct TlFrame TlFrame; /* as in gpu/backend/frame.h */

/* What a frame can do; the struct is the first member of each backend's. */
typedef struct
{
  void (*free) (TlFrame *frame);
  gboolean (*wait) (TlFrame *frame, GError **error);
  gboolean (*fetch) (TlFrame *frame, GError **error); /* sets pixels */
  gboolean (*read_pixel) (TlFrame *frame, size_t index, float *value,
                          GError **error);
  /* GL interop; NULL where there is none. The rules of gpu/backend/interop.h
   * hold. */
  gpointer (*interop_new) (TlFrame *frame, guint texture, GError **error);
  gboolean (*interop_show) (gpointer interop, TlFrame *frame, size_t slice,
                            GError **error);
  void (*interop_free) (gpointer interop);
} TlFrameClass;

struct TlFrame
{
  const TlFrameClass *klass;
  gint ref_count; /* atomic */
  size_t n_slices, n_rows, n_cols;
  const float *pixels; /* host memory; NULL until fetched */
};

/**
 * tl_host_frame_new:
 *
 * A frame in host memory, [@n_slices][@n_rows][@n_cols]; its pixels are
 * undefined. Any thread.
 *
 * Returns: (transfer full): %NULL with TL_ERROR_MEMORY
 */
TlFrame *tl_host_frame_new (size_t n_slices, size_t n_rows, size_t n_cols,
                            GError **error);

G_END_DECLS
