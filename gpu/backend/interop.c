#include "gpu/backend/interop.h"

#include "data/error.h"
#include "gpu/backend/frame-class.h"

struct TlInterop
{
  guint texture;
  gboolean is_volume;
  /* The class of the engine that registered the texture, and what it made. */
  const TlFrameClass *klass;
  gpointer impl;       /* (nullable): the texture is not registered */
  gboolean is_refused; /* and is not tried again */
  gboolean is_used;
  char *reason; /* (nullable): why interop failed the last time */
  char *path;   /* (nullable) */
};

TlInterop *
tl_interop_new (guint texture, gboolean is_volume)
{
  g_return_val_if_fail (texture != 0, NULL);

  TlInterop *interop = g_new (TlInterop, 1);
  *interop = (TlInterop){ .texture = texture, .is_volume = is_volume };
  return interop;
}

void
tl_interop_release (TlInterop *interop)
{
  g_return_if_fail (interop != NULL);

  if (interop->impl != NULL)
    interop->klass->interop_free (interop->impl);
  interop->impl = NULL;
}

void
tl_interop_free (TlInterop *interop)
{
  g_return_if_fail (interop != NULL);

  tl_interop_release (interop);
  g_free (interop->reason);
  g_free (interop->path);
  g_free (interop);
}

/* Registers the texture if it is not. */
static gboolean
try_show (TlInterop *interop, TlFrame *frame, size_t slice, GError **error)
{
  if (interop->impl == NULL)
    {
      interop->klass = frame->klass;
      interop->impl = frame->klass->interop_new (frame, interop->texture,
                                                 interop->is_volume, error);
    }
  return interop->impl != NULL
         && interop->klass->interop_show (interop->impl, frame, slice, error);
}

static gboolean
show (TlInterop *interop, TlFrame *frame, size_t slice)
{
  g_autoptr (GError) error = NULL;

  if (interop->is_refused || !tl_frame_is_on_device (frame))
    return FALSE;
  if (interop->klass != frame->klass)
    tl_interop_release (interop);

  /* Try twice: an old registration fails if the engine was reopened since. */
  for (gboolean is_fresh = FALSE; !is_fresh; g_clear_error (&error))
    {
      is_fresh = interop->impl == NULL;
      if (try_show (interop, frame, slice, &error))
        return TRUE;
      tl_interop_release (interop);
      if (!is_fresh)
        continue;
      /* A lost device does not mean that this window cannot use interop:
       * another device may follow. */
      interop->is_refused =
          g_error_matches (error, TL_ERROR, TL_ERROR_UNSUPPORTED);
      g_free (interop->reason);
      interop->reason = g_strdup (error->message);
    }
  return FALSE;
}

gboolean
tl_interop_show (TlInterop *interop, TlFrame *frame, size_t slice)
{
  g_return_val_if_fail (interop != NULL && frame != NULL, FALSE);
  g_return_val_if_fail (slice < frame->n_slices, FALSE);

  interop->is_used = show (interop, frame, slice);
  g_free (interop->path);
  if (interop->is_used)
    interop->path = g_strdup ("interop");
  else if (!tl_frame_is_on_device (frame))
    interop->path = g_strdup ("copy: in host memory");
  else
    interop->path = g_strconcat ("copy: ", interop->reason, NULL);
  return interop->is_used;
}

const char *
tl_interop_get_path (const TlInterop *interop)
{
  g_return_val_if_fail (interop != NULL, NULL);

  return interop->path;
}

gboolean
tl_interop_is_used (const TlInterop *interop)
{
  g_return_val_if_fail (interop != NULL, FALSE);

  return interop->is_used;
}
