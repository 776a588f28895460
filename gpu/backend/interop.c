#include "gpu/backend/interop.h"

#include "data/error.h"
#include "gpu/backend/frame-class.h"

#include <glib/gi18n.h>

struct TlInterop
{
  /* The class of the engine that registered the texture. */
  const TlFrameClass *klass;
  gpointer impl;
};

TlInterop *
tl_interop_new (TlFrame *frame, guint texture, GError **error)
{
  g_return_val_if_fail (frame != NULL && texture != 0, NULL);

  if (frame->klass->interop_new == NULL)
    return tl_fail_null (error, TL_ERROR_UNSUPPORTED,
                         _ ("the slice is in host memory"));
  gpointer impl = frame->klass->interop_new (frame, texture, error);
  if (impl == NULL)
    return NULL;

  TlInterop *interop = g_new (TlInterop, 1);
  *interop = (TlInterop){ .klass = frame->klass, .impl = impl };
  return interop;
}

gboolean
tl_interop_show (TlInterop *interop, TlFrame *frame, size_t slice,
                 GError **error)
{
  g_return_val_if_fail (interop != NULL && frame != NULL, FALSE);
  g_return_val_if_fail (slice < frame->n_slices, FALSE);

  if (frame->klass != interop->klass)
    return tl_fail (error, TL_ERROR_UNSUPPORTED,
                    _ ("the slice comes from a different engine than the "
                       "texture was made for"));
  return interop->klass->interop_show (interop->impl, frame, slice, error);
}

void
tl_interop_free (TlInterop *interop)
{
  g_return_if_fail (interop != NULL);

  interop->klass->interop_free (interop->impl);
  g_free (interop);
}
