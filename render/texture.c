#include "render/texture.h"

#include "data/error.h"
#include "gpu/backend/interop.h"
#include "render/program.h"

#include <epoxy/gl.h>

struct TlTexture
{
  guint name;
  size_t n_rows, n_cols; /* size of the storage; 0 before the first frame */
  TlInterop *interop;
};

TlTexture *
tl_texture_new (void)
{
  TlTexture *texture = g_new0 (TlTexture, 1);

  glGenTextures (1, &texture->name);
  texture->interop = tl_interop_new (texture->name, FALSE);
  return texture;
}

void
tl_texture_free (TlTexture *texture)
{
  if (texture == NULL)
    return;
  tl_interop_free (texture->interop);
  glDeleteTextures (1, &texture->name);
  g_free (texture);
}

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
  tl_interop_release (texture->interop);
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
  return make_storage (texture, tl_frame_get_n_rows (frame),
                       tl_frame_get_n_cols (frame), error)
         && (tl_interop_show (texture->interop, frame, slice)
             || show_by_copy (texture, frame, slice, error));
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
  return tl_interop_is_used (texture->interop);
}

const char *
tl_texture_get_path (const TlTexture *texture)
{
  return tl_interop_get_path (texture->interop);
}
