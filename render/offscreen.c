#include "render/offscreen.h"

#include "data/error.h"

#include <epoxy/egl.h>
#include <epoxy/gl.h>
#include <gmodule.h>
#include <string.h>

struct TlOffscreen
{
  EGLDisplay display;
  EGLContext context;
  int width, height;
  guint framebuffer, texture;
};

/* Libepoxy ends the program where it does not find a library. */
static gboolean
check_libraries (GError **error)
{
  static const struct
  {
    const char *names[2]; /* (nullable): one of them is enough */
    const char *what;
  } needed[] = {
    { { "libEGL.so.1", NULL }, "EGL (libEGL.so.1)" },
    { { "libOpenGL.so.0", "libGL.so.1" }, "OpenGL (libGL.so.1)" },
  };
  for (guint k = 0; k < G_N_ELEMENTS (needed); k++)
    {
      GModule *module = NULL;

      for (guint i = 0; i < 2 && module == NULL; i++)
        if (needed[k].names[i] != NULL)
          module = g_module_open (needed[k].names[i], G_MODULE_BIND_LAZY);
      if (module == NULL)
        return tl_fail (error, TL_ERROR_UNSUPPORTED,
                        "%s is not installed on this machine", needed[k].what);
      g_module_close (module);
    }
  return TRUE;
}

static EGLDisplay
open_surfaceless (const char *extensions)
{
  EGLDisplay display = EGL_NO_DISPLAY;

  if (strstr (extensions, "EGL_MESA_platform_surfaceless"))
    display = eglGetPlatformDisplayEXT (EGL_PLATFORM_SURFACELESS_MESA,
                                        EGL_DEFAULT_DISPLAY, NULL);
  return display != EGL_NO_DISPLAY && eglInitialize (display, NULL, NULL)
             ? display
             : EGL_NO_DISPLAY;
}

/* NVIDIA's driver has no surfaceless platform; it offers devices. */
static EGLDisplay
open_device (const char *extensions)
{
  EGLDisplay display = EGL_NO_DISPLAY;
  EGLDeviceEXT device;
  EGLint n = 0;

  if (strstr (extensions, "EGL_EXT_platform_device")
      && eglQueryDevicesEXT (1, &device, &n) && n == 1)
    display = eglGetPlatformDisplayEXT (EGL_PLATFORM_DEVICE_EXT, device, NULL);
  return display != EGL_NO_DISPLAY && eglInitialize (display, NULL, NULL)
             ? display
             : EGL_NO_DISPLAY;
}

static EGLContext
make_context (EGLDisplay display, gboolean es)
{
  const EGLint gl[] = { EGL_CONTEXT_MAJOR_VERSION,
                        3,
                        EGL_CONTEXT_MINOR_VERSION,
                        3,
                        EGL_CONTEXT_OPENGL_PROFILE_MASK,
                        EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                        EGL_NONE };
  const EGLint gles[] = { EGL_CONTEXT_MAJOR_VERSION, 3,
                          EGL_CONTEXT_MINOR_VERSION, 0, EGL_NONE };
  EGLContext context = EGL_NO_CONTEXT;

  if (eglBindAPI (es ? EGL_OPENGL_ES_API : EGL_OPENGL_API))
    context = eglCreateContext (display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT,
                                es ? gles : gl);
  if (context != EGL_NO_CONTEXT
      && !eglMakeCurrent (display, EGL_NO_SURFACE, EGL_NO_SURFACE, context))
    {
      eglDestroyContext (display, context);
      context = EGL_NO_CONTEXT;
    }
  return context;
}

/* The display is not terminated: a leak checker cannot name functions of an
 * unloaded driver. */
static void
drop_context (EGLDisplay display, EGLContext context)
{
  eglMakeCurrent (display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
  eglDestroyContext (display, context);
}

static gboolean
make_framebuffer (TlOffscreen *offscreen, GError **error)
{
  const int width = offscreen->width, height = offscreen->height;
  GLint limit = 0;

  glGetIntegerv (GL_MAX_TEXTURE_SIZE, &limit);
  glGenTextures (1, &offscreen->texture);
  glGenFramebuffers (1, &offscreen->framebuffer);
  if (width > limit || height > limit)
    return tl_fail (error, TL_ERROR_UNSUPPORTED,
                    "The picture of %d x %d pixels is larger than the %d x %d "
                    "that OpenGL draws here",
                    width, height, limit, limit);
  glBindTexture (GL_TEXTURE_2D, offscreen->texture);
  glTexImage2D (GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA,
                GL_UNSIGNED_BYTE, NULL);
  glBindTexture (GL_TEXTURE_2D, 0);
  glBindFramebuffer (GL_FRAMEBUFFER, offscreen->framebuffer);
  glFramebufferTexture2D (GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D,
                          offscreen->texture, 0);
  if (glCheckFramebufferStatus (GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
    return tl_fail (error, TL_ERROR_UNSUPPORTED,
                    "OpenGL does not draw a picture of %d x %d pixels here",
                    width, height);
  glViewport (0, 0, width, height);
  return TRUE;
}

TlOffscreen *
tl_offscreen_new (gboolean es, int width, int height, GError **error)
{
  if (!check_libraries (error))
    return NULL;
  const char *extensions = eglQueryString (EGL_NO_DISPLAY, EGL_EXTENSIONS);
  EGLDisplay display =
      extensions != NULL ? open_surfaceless (extensions) : EGL_NO_DISPLAY;
  if (display == EGL_NO_DISPLAY && extensions != NULL)
    display = open_device (extensions);
  if (display == EGL_NO_DISPLAY)
    return tl_fail_null (error, TL_ERROR_UNSUPPORTED,
                         "EGL offers no OpenGL without a display here");
  EGLContext context = make_context (display, es);
  if (context == EGL_NO_CONTEXT)
    return tl_fail_null (error, TL_ERROR_UNSUPPORTED,
                         es ? "there is no OpenGL ES 3.0 here"
                            : "there is no OpenGL 3.3 here");
  TlOffscreen *offscreen = g_new0 (TlOffscreen, 1);
  offscreen->display = display;
  offscreen->context = context;
  offscreen->width = width;
  offscreen->height = height;
  if (!make_framebuffer (offscreen, error))
    g_clear_pointer (&offscreen, tl_offscreen_free);
  return offscreen;
}

void
tl_offscreen_free (TlOffscreen *offscreen)
{
  if (offscreen == NULL)
    return;
  glDeleteFramebuffers (1, &offscreen->framebuffer);
  glDeleteTextures (1, &offscreen->texture);
  drop_context (offscreen->display, offscreen->context);
  g_free (offscreen);
}

void
tl_offscreen_read (TlOffscreen *offscreen, guint8 *rgba)
{
  const size_t pitch = 4 * (size_t)offscreen->width;
  g_autofree guint8 *row = g_malloc (pitch);

  glReadPixels (0, 0, offscreen->width, offscreen->height, GL_RGBA,
                GL_UNSIGNED_BYTE, rgba);
  /* GL's first row is the lowest one. */
  for (int top = 0, low = offscreen->height - 1; top < low; top++, low--)
    {
      memcpy (row, rgba + (size_t)top * pitch, pitch);
      memcpy (rgba + (size_t)top * pitch, rgba + (size_t)low * pitch, pitch);
      memcpy (rgba + (size_t)low * pitch, row, pitch);
    }
}
