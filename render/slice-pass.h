/* Draws one slice into the current framebuffer. */
#pragma once

#include "render/camera.h"
#include "render/colormap.h"
#include "render/texture.h"

G_BEGIN_DECLS

typedef struct TlSlicePass TlSlicePass;

/* How to draw; a plain value. */
typedef struct
{
  int width, height; /* of the viewport, in its own pixels */
  float low, high;   /* window; low < high */
  TlColormap colormap;
  float outside[4];  /* red, green, blue, alpha, premultiplied */
  gboolean is_above; /* beyond the picture what was drawn before stays */
  int left;          /* where in the framebuffer the viewport begins */
  int first, end;    /* columns of the viewport to draw; both 0: all */
} TlSliceLook;

/* A second picture, to be taken off the first; a plain value. */
typedef struct
{
  const TlTexture *texture;
  double col, row; /* its pixel that the first one's first pixel lies at */
  double pitch;    /* its pixels from one of the first to the next */
} TlSliceLess;

/** tl_slice_pass_new: For the current GL context and no other. %NULL with
 * TL_ERROR_UNSUPPORTED. */
TlSlicePass *tl_slice_pass_new (GError **error);

/** tl_slice_pass_free: While its context is current. */
void tl_slice_pass_free (TlSlicePass *pass);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlSlicePass, tl_slice_pass_free)

/**
 * tl_slice_pass_draw:
 * @texture: (nullable): nothing to show: only the outside colour
 * @less: (nullable): is taken off @texture, before the window. Where one pixel
 *   of @texture lies over several of it, their mean is
 * @camera: of the texture's pixels
 *
 * Fills the viewport, or what the picture covers of it. Zoomed in, pixels are
 * squares of one colour; zoomed out, a screen pixel shows the mean of what it
 * covers. Leaves no program, vertex array or texture bound.
 */
void tl_slice_pass_draw (TlSlicePass *pass, const TlTexture *texture,
                         const TlSliceLess *less, const TlCamera *camera,
                         const TlSliceLook *look);

G_END_DECLS
