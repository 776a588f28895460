#include "render/colours.h"

#include <epoxy/gl.h>

void
tl_colours_init (TlColours *colours)
{
  colours->colormap = TL_N_COLORMAPS;
  glGenTextures (1, &colours->name);
}

void
tl_colours_clear (TlColours *colours)
{
  glDeleteTextures (1, &colours->name);
}

void
tl_colours_bind (TlColours *colours, guint unit, TlColormap colormap)
{
  guint8 rgba[4 * TL_COLORMAP_SIZE];

  glActiveTexture (GL_TEXTURE0 + unit);
  glBindTexture (GL_TEXTURE_2D, colours->name);
  if (colours->colormap == colormap)
    return;
  tl_colormap_fill (colormap, rgba);
  glTexImage2D (GL_TEXTURE_2D, 0, GL_RGBA8, TL_COLORMAP_SIZE, 1, 0, GL_RGBA,
                GL_UNSIGNED_BYTE, rgba);
  glTexParameteri (GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri (GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  colours->colormap = colormap;
}
