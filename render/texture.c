#include "render/texture.h"

#include "data/error.h"
#include "gpu/backend/interop.h"
#include "render/program.h"

#include <epoxy/gl.h>

struct TlTexture
{
  guint name;
  size_t n_rows, n_cols; /* size of the storage; 0 before the first frame */
  TlInterop *interop;    /* (nullable): registered with this storage */
  gboolean refused;      /* interop was refused and is not tried again */
  char *reason;          /* (nullable): why interop failed the last time */
  gboolean is_interop;
  char *path;
};

TlTexture *
tl_texture_new (void)
{
  TlTexture *texture = g_new0 (TlTexture, 1);

  glGenTextures (1, &texture->name);
  return texture;
}

void
tl_texture_free (TlTexture *texture)
{
  if (texture == NULL)
    return;
  g_clear_pointer (&texture->interop, tl_interop_free);
  glDeleteTextures (1, &texture->name);
  g_free (texture->reason);
  g_free (texture->path);
  g_free (texture);
}

/* The size of the storage must not change while it is registered, so
 * unregister first. */
static gboolean
make_storage (TlTexture *texture, size_t n_rows, size_t n_cols, GError **error)
{
  GLint limit = 0;

  if (texture->n_rows == n_rows && texture->n_cols == n_cols)
    return TRUE;
  glGetIntegerv (GL_MAX_TEXTURE_SIZE, &limit);
  if (n_rows > (size_t)limit || n_cols > (size_t)limit)
    return tl_fail (
        error, TL_ERROR_UNSUPPORTED,
        "The picture of %zu x %zu pixels is larger than the %d x %d "
        "that OpenGL shows here",
        n_cols, n_rows, limit, limit);
  g_clear_pointer (&texture->interop, tl_interop_free);
  texture->n_rows = texture->n_cols = 0;
  tl_program_forget_errors ();
  glTexImage2D (GL_TEXTURE_2D, 0, GL_R32F, (GLsizei)n_cols, (GLsizei)n_rows, 0,
                GL_RED, GL_FLOAT, NULL);
  if (glGetError () != GL_NO_ERROR)
    return tl_fail (error, TL_ERROR_MEMORY,
                    "OpenGL has no memory for a picture of %zu x %zu pixels",
                    n_cols, n_rows);
  /* OpenGL ES does not filter float textures; the shader filters by itself. */
  glTexParameteri (GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri (GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glTexParameteri (GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri (GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  texture->n_rows = n_rows;
  texture->n_cols = n_cols;
  return TRUE;
}

static gboolean
show_by_interop (TlTexture *texture, TlFrame *frame, size_t slice)
{
  g_autoptr (GError) error = NULL;

  if (texture->refused || !tl_frame_is_on_device (frame))
    return FALSE;

  /* Try twice: an old registration fails if the engine was reopened since. */
  for (gboolean fresh = FALSE; !fresh; g_clear_error (&error))
    {
      fresh = texture->interop == NULL;
      if (fresh)
        texture->interop = tl_interop_new (frame, texture->name, &error);
      if (texture->interop != NULL
          && tl_interop_show (texture->interop, frame, slice, &error))
        return TRUE;
      g_clear_pointer (&texture->interop, tl_interop_free);
      if (!fresh)
        continue;
      /* A lost device does not mean that this window cannot use interop:
       * another device may follow. */
      texture->refused =
          g_error_matches (error, TL_ERROR, TL_ERROR_UNSUPPORTED);
      g_free (texture->reason);
      texture->reason = g_strdup (error->message);
    }
  return FALSE;
}

static gboolean
show_by_copy (TlTexture *texture, TlFrame *frame, size_t slice, GError **error)
{
  size_t n_pixels = texture->n_rows * texture->n_cols;
  const float *pixels = tl_frame_get_pixels (frame);

  if (pixels == NULL)
    {
      if (!tl_frame_fetch (frame, error))
        return FALSE;
      pixels = tl_frame_get_pixels (frame);
    }
  glPixelStorei (GL_UNPACK_ALIGNMENT, 4);
  glPixelStorei (GL_UNPACK_ROW_LENGTH, 0);
  glTexSubImage2D (GL_TEXTURE_2D, 0, 0, 0, (GLsizei)texture->n_cols,
                   (GLsizei)texture->n_rows, GL_RED, GL_FLOAT,
                   pixels + slice * n_pixels);
  return TRUE;
}

static gboolean
show (TlTexture *texture, TlFrame *frame, size_t slice, GError **error)
{
  if (!make_storage (texture, tl_frame_get_n_rows (frame),
                     tl_frame_get_n_cols (frame), error))
    return FALSE;
  texture->is_interop = show_by_interop (texture, frame, slice);
  if (!texture->is_interop && !show_by_copy (texture, frame, slice, error))
    return FALSE;

  g_free (texture->path);
  if (texture->is_interop)
    texture->path = g_strdup ("interop");
  else if (!tl_frame_is_on_device (frame))
    texture->path = g_strdup ("copy: in host memory");
  else
    texture->path = g_strconcat ("copy: ", texture->reason, NULL);
  return TRUE;
}

gboolean
tl_texture_show (TlTexture *texture, TlFrame *frame, size_t slice,
                 GError **error)
{
  g_return_val_if_fail (slice < tl_frame_get_n_slices (frame), FALSE);

  glBindTexture (GL_TEXTURE_2D, texture->name);
  gboolean shown = show (texture, frame, slice, error);
  glBindTexture (GL_TEXTURE_2D, 0);
  return shown;
}

guint
tl_texture_get_name (const TlTexture *texture)
{
  return texture->name;
}

gboolean
tl_texture_is_interop (const TlTexture *texture)
{
  return texture->is_interop;
}

const char *
tl_texture_get_path (const TlTexture *texture)
{
  return texture->path;
}
