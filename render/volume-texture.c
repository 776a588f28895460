#include "render/volume-texture.h"

#include "data/array.h"
#include "data/error.h"
#include "gpu/backend/interop.h"
#include "render/look/volume-look.h"
#include "render/program.h"

#include <epoxy/gl.h>
#include <math.h>
#include <string.h>

/* A radius in voxels that no texture has, and whose square a float has. */
#define EVERYWHERE 1e9

struct TlVolumeTexture
{
  guint name;
  size_t n[3];     /* columns, rows, slices; 0: empty */
  float low, high; /* what 0 and 1 in it are */
  TlCircle circle;
  TlInterop *interop;
  size_t stored[3]; /* the size of its storage, which is of floats; 0: other */
};

TlVolumeTexture *
tl_volume_texture_new (void)
{
  TlVolumeTexture *texture = g_new0 (TlVolumeTexture, 1);

  glGenTextures (1, &texture->name);
  texture->interop = tl_interop_new (texture->name, TRUE);
  return texture;
}

void
tl_volume_texture_free (TlVolumeTexture *texture)
{
  if (texture == NULL)
    return;
  tl_interop_free (texture->interop);
  glDeleteTextures (1, &texture->name);
  g_free (texture);
}

static gboolean
make_storage (TlVolumeTexture *texture, TlVolumeDepth depth, GError **error)
{
  const size_t *n = texture->n;
  static const GLint formats[TL_N_VOLUME_DEPTHS] = { GL_R32F, GL_R16F, GL_R8 };
  GLint limit = 0;

  glGetIntegerv (GL_MAX_3D_TEXTURE_SIZE, &limit);
  if (n[0] > (size_t)limit || n[1] > (size_t)limit || n[2] > (size_t)limit)
    return tl_fail (error, TL_ERROR_UNSUPPORTED,
                    "The volume of %zu x %zu x %zu voxels is larger than the "
                    "%d x %d x %d that OpenGL draws here",
                    n[0], n[1], n[2], limit, limit, limit);
  tl_interop_release (texture->interop);
  memset (texture->stored, 0, sizeof texture->stored);
  if (depth == TL_VOLUME_FLOAT && !epoxy_is_desktop_gl ())
    depth = TL_VOLUME_HALF;
  tl_program_forget_errors ();
  glTexImage3D (GL_TEXTURE_3D, 0, formats[depth], (GLsizei)n[0], (GLsizei)n[1],
                (GLsizei)n[2], 0, GL_RED,
                depth == TL_VOLUME_BYTE ? GL_UNSIGNED_BYTE : GL_FLOAT, NULL);
  if (glGetError () != GL_NO_ERROR)
    return tl_fail (error, TL_ERROR_MEMORY,
                    "OpenGL has no memory for a volume of %zu x %zu x %zu "
                    "voxels",
                    n[0], n[1], n[2]);
  glTexParameteri (GL_TEXTURE_3D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glTexParameteri (GL_TEXTURE_3D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  glTexParameteri (GL_TEXTURE_3D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri (GL_TEXTURE_3D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  glTexParameteri (GL_TEXTURE_3D, GL_TEXTURE_WRAP_R, GL_CLAMP_TO_EDGE);
  return TRUE;
}

/* Values from 0 to 1, so that halves and bytes have all their bits. */
static void
fill_slice (const TlVolumeTexture *texture, const float *voxels, gboolean bytes,
            void *out)
{
  const size_t n = texture->n[0] * texture->n[1];
  const float scale = 1 / (texture->high - texture->low);

  for (size_t k = 0; k < n; k++)
    {
      const float part =
          isfinite (voxels[k]) ? (voxels[k] - texture->low) * scale : 0;

      if (bytes)
        ((guint8 *)out)[k] = (guint8)(255 * part + 0.5F);
      else
        ((float *)out)[k] = part;
    }
}

static gboolean
load (TlVolumeTexture *texture, const float *voxels, TlVolumeDepth depth,
      GError **error)
{
  const size_t *n = texture->n;
  const gboolean bytes = depth == TL_VOLUME_BYTE;
  g_autofree void *slice = tl_try_alloc (1, n[1], n[0], sizeof (float),
                                         "a slice of the volume", error);

  if (slice == NULL || !make_storage (texture, depth, error))
    return FALSE;
  tl_volume_find_range (voxels, n[0] * n[1] * n[2], &texture->low,
                        &texture->high);
  glPixelStorei (GL_UNPACK_ALIGNMENT, bytes ? 1 : 4);
  glPixelStorei (GL_UNPACK_ROW_LENGTH, 0);
  for (size_t k = 0; k < n[2]; k++)
    {
      fill_slice (texture, voxels + k * n[0] * n[1], bytes, slice);
      glTexSubImage3D (GL_TEXTURE_3D, 0, 0, 0, (GLint)k, (GLsizei)n[0],
                       (GLsizei)n[1], 1, GL_RED,
                       bytes ? GL_UNSIGNED_BYTE : GL_FLOAT, slice);
    }
  glPixelStorei (GL_UNPACK_ALIGNMENT, 4);
  return TRUE;
}

static void
begin (TlVolumeTexture *texture, size_t n_slices, size_t n_rows, size_t n_cols)
{
  texture->n[0] = n_cols;
  texture->n[1] = n_rows;
  texture->n[2] = n_slices;
  glBindTexture (GL_TEXTURE_3D, texture->name);
}

/* @good: whether it has its values. Returns: @good */
static gboolean
end (TlVolumeTexture *texture, gboolean good)
{
  glBindTexture (GL_TEXTURE_3D, 0);
  if (!good)
    texture->n[0] = texture->n[1] = texture->n[2] = 0;
  return good;
}

gboolean
tl_volume_texture_load (TlVolumeTexture *texture, const float *voxels,
                        size_t n_slices, size_t n_rows, size_t n_cols,
                        TlVolumeDepth depth, GError **error)
{
  begin (texture, n_slices, n_rows, n_cols);
  texture->circle = (TlCircle){ .radius = EVERYWHERE };
  return end (texture, load (texture, voxels, depth, error));
}

/* --- frames --- */

static gboolean
show_by_copy (const TlVolumeTexture *texture, TlFrame *frame, GError **error)
{
  const size_t *n = texture->n;

  if (tl_frame_get_pixels (frame) == NULL && !tl_frame_fetch (frame, error))
    return FALSE;
  glPixelStorei (GL_UNPACK_ALIGNMENT, 4);
  glPixelStorei (GL_UNPACK_ROW_LENGTH, 0);
  glTexSubImage3D (GL_TEXTURE_3D, 0, 0, 0, 0, (GLsizei)n[0], (GLsizei)n[1],
                   (GLsizei)n[2], GL_RED, GL_FLOAT,
                   tl_frame_get_pixels (frame));
  return TRUE;
}

static gboolean
show (TlVolumeTexture *texture, TlFrame *frame, GError **error)
{
  if (memcmp (texture->stored, texture->n, sizeof texture->n) != 0)
    {
      if (!make_storage (texture, TL_VOLUME_FLOAT, error))
        return FALSE;
      memcpy (texture->stored, texture->n, sizeof texture->n);
    }
  return tl_interop_show (texture->interop, frame, 0)
         || show_by_copy (texture, frame, error);
}

gboolean
tl_volume_texture_show (TlVolumeTexture *texture, TlFrame *frame, double factor,
                        const TlCircle *circle, GError **error)
{
  g_return_val_if_fail (texture != NULL && frame != NULL, FALSE);

  begin (texture, tl_frame_get_n_slices (frame), tl_frame_get_n_rows (frame),
         tl_frame_get_n_cols (frame));
  texture->circle = *circle;
  /* the farthest of the voxels between which a sample is interpolated */
  texture->circle.radius = fmax (circle->radius - G_SQRT2, 0);
  texture->low = 0;
  texture->high = (float)factor;
  return end (texture, show (texture, frame, error));
}

const char *
tl_volume_texture_get_path (const TlVolumeTexture *texture)
{
  if (texture->stored[0] > 0)
    return tl_interop_get_path (texture->interop);
  return texture->n[0] > 0 ? "copy: in host memory" : NULL;
}

gboolean
tl_volume_texture_is_interop (const TlVolumeTexture *texture)
{
  return texture->stored[0] > 0 && tl_interop_is_used (texture->interop);
}

guint
tl_volume_texture_get_name (const TlVolumeTexture *texture)
{
  return texture->name;
}

void
tl_volume_texture_get_size (const TlVolumeTexture *texture, size_t n[3])
{
  for (int k = 0; k < 3; k++)
    n[k] = texture->n[k];
}

void
tl_volume_texture_get_range (const TlVolumeTexture *texture, float *low,
                             float *high)
{
  *low = texture->low;
  *high = texture->high;
}

void
tl_volume_texture_get_circle (const TlVolumeTexture *texture, TlCircle *circle)
{
  *circle = texture->circle;
}
