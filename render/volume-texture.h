/* A volume as a 3D texture. */
#pragma once

#include "data/geometry.h"
#include "gpu/backend/frame.h"

typedef struct TlVolumeTexture TlVolumeTexture;

/* What a voxel is kept in. */
typedef enum
{
  TL_VOLUME_FLOAT, /* 32 bits; OpenGL ES interpolates no floats and takes
                      TL_VOLUME_HALF in their place */
  TL_VOLUME_HALF,  /* 11 bits and an exponent */
  TL_VOLUME_BYTE,  /* 8 bits from the least to the largest value */
  TL_N_VOLUME_DEPTHS
} TlVolumeDepth;

/** tl_volume_texture_new: Makes an empty texture in the current GL context.
 * Call all functions below while this context, or one that shares with it, is
 * current. */
TlVolumeTexture *tl_volume_texture_new (void);

/** tl_volume_texture_free: Call while its context, or one that shares with it,
 * is current. */
void tl_volume_texture_free (TlVolumeTexture *texture);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlVolumeTexture, tl_volume_texture_free)

/**
 * tl_volume_texture_load:
 * @voxels: [@n_slices][@n_rows][@n_cols], host memory; those that are not
 *   finite become the least value
 *
 * Returns: %FALSE with TL_ERROR_UNSUPPORTED (larger than OpenGL allows) or
 *   TL_ERROR_MEMORY; the texture is then empty
 */
gboolean tl_volume_texture_load (TlVolumeTexture *texture, const float *voxels,
                                 size_t n_slices, size_t n_rows, size_t n_cols,
                                 TlVolumeDepth depth, GError **error);

/**
 * tl_volume_texture_show:
 * @frame: all slices of a volume; may be freed afterwards
 * @factor: by which values of @frame are multiplied
 * @circle: copied; where slices have values, in voxels: a sample of a ray that
 *   would be interpolated from a voxel beyond it counts as less than any value
 *
 * As tl_volume_texture_load() with TL_VOLUME_FLOAT, but the values come as they
 * are: on the device by interop, as tl_texture_show() has it, or else by a copy
 * that fetches them.
 *
 * Returns: %FALSE with an error of tl_volume_texture_load(), or with
 *   TL_ERROR_DEVICE; the texture is then empty
 */
gboolean tl_volume_texture_show (TlVolumeTexture *texture, TlFrame *frame,
                                 double factor, const TlCircle *circle,
                                 GError **error);

/** tl_volume_texture_get_path: As tl_texture_get_path(), of the last volume */
const char *tl_volume_texture_get_path (const TlVolumeTexture *texture);

/** tl_volume_texture_is_interop: Returns: whether the last volume came by
 * interop */
gboolean tl_volume_texture_is_interop (const TlVolumeTexture *texture);

/** tl_volume_texture_get_name: Returns: GL name of the GL_TEXTURE_3D, which is
 * interpolated linearly */
guint tl_volume_texture_get_name (const TlVolumeTexture *texture);

/** tl_volume_texture_get_size: @n: (out): columns, rows, slices; 0 if it is
 * empty */
void tl_volume_texture_get_size (const TlVolumeTexture *texture, size_t n[3]);

/** tl_volume_texture_get_range: What a sample of the texture means: 0 is @low,
 * 1 is @high. */
void tl_volume_texture_get_range (const TlVolumeTexture *texture, float *low,
                                  float *high);

/** tl_volume_texture_get_circle: @circle: (out): where samples have values;
 * everywhere after tl_volume_texture_load() */
void tl_volume_texture_get_circle (const TlVolumeTexture *texture,
                                   TlCircle *circle);
