#include "render/volume-texture.h"

#include "data/array.h"
#include "data/error.h"
#include "render/look/volume-look.h"
#include "render/program.h"

#include <epoxy/gl.h>
#include <math.h>

struct TlVolumeTexture
{
  guint name;
  size_t n[3];     /* columns, rows, slices; 0: empty */
  float low, high; /* of the finite values */
};

TlVolumeTexture *
tl_volume_texture_new (void)
{
  TlVolumeTexture *texture = g_new0 (TlVolumeTexture, 1);

  glGenTextures (1, &texture->name);
  return texture;
}

void
tl_volume_texture_free (TlVolumeTexture *texture)
{
  if (texture == NULL)
    return;
  glDeleteTextures (1, &texture->name);
  g_free (texture);
}

static gboolean
make_storage (const size_t n[3], TlVolumeDepth depth, GError **error)
{
  static const GLint formats[TL_N_VOLUME_DEPTHS] = { GL_R32F, GL_R16F, GL_R8 };
  GLint limit = 0;

  glGetIntegerv (GL_MAX_3D_TEXTURE_SIZE, &limit);
  if (n[0] > (size_t)limit || n[1] > (size_t)limit || n[2] > (size_t)limit)
    return tl_fail (error, TL_ERROR_UNSUPPORTED,
                    "The volume of %zu x %zu x %zu voxels is larger than the "
                    "%d x %d x %d that OpenGL draws here",
                    n[0], n[1], n[2], limit, limit, limit);
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

  if (slice == NULL || !make_storage (n, depth, error))
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

gboolean
tl_volume_texture_load (TlVolumeTexture *texture, const float *voxels,
                        size_t n_slices, size_t n_rows, size_t n_cols,
                        TlVolumeDepth depth, GError **error)
{
  texture->n[0] = n_cols;
  texture->n[1] = n_rows;
  texture->n[2] = n_slices;
  glBindTexture (GL_TEXTURE_3D, texture->name);
  const gboolean loaded = load (texture, voxels, depth, error);
  glBindTexture (GL_TEXTURE_3D, 0);
  if (!loaded)
    texture->n[0] = texture->n[1] = texture->n[2] = 0;
  return loaded;
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
