/* A picture drawn with fewer pixels while something moves, and enlarged into
 * the framebuffer when it is shown. All functions need the GL context in which
 * the first was called. */
#pragma once

#include <glib.h>

/* Zero before use. */
typedef struct
{
  guint framebuffer, texture; /* 0: not made yet */
  int width, height;          /* of the texture */
  int before;                 /* the framebuffer that was bound at the begin */
  int viewport[4];            /* of it */
} TlReduced;

/** tl_reduced_begin: What is drawn from now on has @width x @height pixels,
 * which the viewport is set to. */
void tl_reduced_begin (TlReduced *reduced, int width, int height);

/** tl_reduced_end: Binds the framebuffer before again, with its viewport. Waits
 * until all is drawn, so that the time it takes can be measured. */
void tl_reduced_end (TlReduced *reduced);

/** tl_reduced_show: Enlarges what was drawn last, up to tl_reduced_end(), to
 * the viewport of the bound framebuffer, with linear interpolation. */
void tl_reduced_show (const TlReduced *reduced);

void tl_reduced_clear (TlReduced *reduced);
