/* Draws one slice into the current framebuffer. */
#pragma once

#include "render/camera.h"
#include "render/look/colormap.h"
#include "render/texture.h"

typedef struct TlSlicePass TlSlicePass;

/* How to draw; a plain value. */
typedef struct
{
  int width, height; /* size of the viewport, in its own pixels */
  float low, high;   /* window; low < high */
  TlColormap colormap;
  float outside[4];  /* colour beyond the picture: red, green, blue, alpha,
                        premultiplied */
  gboolean is_above; /* keep what was drawn before beyond the picture */
  int left;          /* first column of the viewport in the framebuffer */
  int first, end;    /* columns of the viewport to draw; both 0: all */
} TlSliceLook;

/* How the values of two pictures are combined before the window is applied. */
typedef enum
{
  TL_SLICE_LESS,     /* first - second */
  TL_SLICE_MORE,     /* second - first */
  TL_SLICE_MEAN,     /* mean of both */
  TL_SLICE_RED_CYAN, /* the first in red, the second in green and blue, each
                        windowed; no colour map */
  TL_SLICE_SECOND    /* the second alone, in the pixels of the first */
} TlSliceCombine;

/* The second picture and its position; a plain value. */
typedef struct
{
  const TlTexture *texture;
  TlSliceCombine combine;
  double col, row;  /* position in it of the first pixel of the first picture */
  double across[2]; /* step in its columns and rows from one column of the first
                       picture to the next */
  double down[2];   /* the same from one row to the next */
  gboolean is_smooth; /* interpolate between its pixels: by cubic convolution
                         where a pixel of the first picture covers a screen
                         pixel or more, else linearly. For pictures that are
                         turned or mirrored and have pixels of the same size */
} TlSliceSecond;

/** tl_slice_pass_new: Creates the pass for the current GL context only.
 * Returns: %NULL with TL_ERROR_UNSUPPORTED */
TlSlicePass *tl_slice_pass_new (GError **error);

/** tl_slice_pass_free: Call while its GL context is current. */
void tl_slice_pass_free (TlSlicePass *pass);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlSlicePass, tl_slice_pass_free)

/**
 * tl_slice_pass_draw:
 * @texture: (nullable): %NULL: draws only the outside colour
 * @second: (nullable): where a pixel of @texture covers several pixels of it,
 *   their mean is used
 * @camera: camera in pixels of @texture
 *
 * Fills the viewport, or the part of it that the picture covers. When zoomed
 * in, pixels are squares of one colour; when zoomed out, a screen pixel shows
 * the mean of the pixels it covers. Leaves no program, vertex array or
 * texture bound.
 */
void tl_slice_pass_draw (TlSlicePass *pass, const TlTexture *texture,
                         const TlSliceSecond *second, const TlCamera *camera,
                         const TlSliceLook *look);
