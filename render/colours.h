/* A colour map as a texture of one row. */
#pragma once

#include "render/look/colormap.h"

/* A plain struct; call tl_colours_init() first. Use it only while its GL
 * context is current. */
typedef struct
{
  guint name;          /* of the GL_TEXTURE_2D */
  TlColormap colormap; /* what it has; TL_N_COLORMAPS before the first */
} TlColours;

void tl_colours_init (TlColours *colours);
void tl_colours_clear (TlColours *colours);

/** tl_colours_bind: Binds the texture to @unit, and fills it if the map has
 * changed. */
void tl_colours_bind (TlColours *colours, guint unit, TlColormap colormap);
