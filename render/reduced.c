#include "render/reduced.h"

#include <epoxy/gl.h>

static void
make (TlReduced *reduced, int width, int height)
{
  if (reduced->framebuffer == 0)
    {
      glGenFramebuffers (1, &reduced->framebuffer);
      glGenTextures (1, &reduced->texture);
    }
  glBindFramebuffer (GL_FRAMEBUFFER, reduced->framebuffer);
  if (reduced->width == width && reduced->height == height)
    return;
  glBindTexture (GL_TEXTURE_2D, reduced->texture);
  glTexImage2D (GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA,
                GL_UNSIGNED_BYTE, NULL);
  glTexParameteri (GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri (GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glBindTexture (GL_TEXTURE_2D, 0);
  glFramebufferTexture2D (GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D,
                          reduced->texture, 0);
  reduced->width = width;
  reduced->height = height;
}

void
tl_reduced_begin (TlReduced *reduced, int width, int height)
{
  glGetIntegerv (GL_FRAMEBUFFER_BINDING, &reduced->before);
  glGetIntegerv (GL_VIEWPORT, reduced->viewport);
  make (reduced, width, height);
  glViewport (0, 0, width, height);
}

void
tl_reduced_end (TlReduced *reduced)
{
  const int *before = reduced->viewport;

  glBindFramebuffer (GL_FRAMEBUFFER, (guint)reduced->before);
  glViewport (before[0], before[1], before[2], before[3]);
  glFinish ();
}

void
tl_reduced_show (const TlReduced *reduced)
{
  int to[4], framebuffer;

  glGetIntegerv (GL_FRAMEBUFFER_BINDING, &framebuffer);
  glGetIntegerv (GL_VIEWPORT, to);
  glBindFramebuffer (GL_READ_FRAMEBUFFER, reduced->framebuffer);
  glBlitFramebuffer (0, 0, reduced->width, reduced->height, to[0], to[1],
                     to[0] + to[2], to[1] + to[3], GL_COLOR_BUFFER_BIT,
                     GL_LINEAR);
  glBindFramebuffer (GL_FRAMEBUFFER, (guint)framebuffer);
}

void
tl_reduced_clear (TlReduced *reduced)
{
  if (reduced->framebuffer != 0)
    {
      glDeleteFramebuffers (1, &reduced->framebuffer);
      glDeleteTextures (1, &reduced->texture);
    }
  *reduced = (TlReduced){ 0 };
}
