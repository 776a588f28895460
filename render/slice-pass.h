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

/* What is made of the first picture and a second one, before the window. */
typedef enum
{
  TL_SLICE_LESS,     /* the first less the second */
  TL_SLICE_MORE,     /* the second less the first */
  TL_SLICE_MEAN,     /* of both */
  TL_SLICE_RED_CYAN, /* the first in red, the second in green and blue, each by
                        the window; no colour map */
  TL_SLICE_SECOND    /* the second alone, in the pixels of the first */
} TlSliceCombine;

/* A second picture; a plain value. */
typedef struct
{
  const TlTexture *texture;
  TlSliceCombine combine;
  double col, row;    /* its place that the first one's first pixel lies at */
  double across[2];   /* columns and rows of it from one column of the first to
                         the next */
  double down[2];     /* the same from one row to the next */
  gboolean is_smooth; /* it is read between its pixels too: by cubic
                         convolution where one of the first is a pixel of the
                         screen or more, else linearly. For those that are
                         turned or mirrored, with pixels of the same size */
} TlSliceSecond;

/** tl_slice_pass_new: For the current GL context and no other. %NULL with
 * TL_ERROR_UNSUPPORTED. */
TlSlicePass *tl_slice_pass_new (GError **error);

/** tl_slice_pass_free: While its context is current. */
void tl_slice_pass_free (TlSlicePass *pass);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlSlicePass, tl_slice_pass_free)

/**
 * tl_slice_pass_draw:
 * @texture: (nullable): nothing to show: only the outside colour
 * @second: (nullable): where one pixel of @texture lies over several of it, it
 *   is their mean
 * @camera: of the texture's pixels
 *
 * Fills the viewport, or what the picture covers of it. Zoomed in, pixels are
 * squares of one colour; zoomed out, a screen pixel shows the mean of what it
 * covers. Leaves no program, vertex array or texture bound.
 */
void tl_slice_pass_draw (TlSlicePass *pass, const TlTexture *texture,
                         const TlSliceSecond *second, const TlCamera *camera,
                         const TlSliceLook *look);

G_END_DECLS
