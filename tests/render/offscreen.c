#include "tests/render/offscreen.h"

#include <epoxy/egl.h>
#include <epoxy/gl.h>
#include <string.h>

struct Offscreen
{
  EGLDisplay display;
  EGLContext context;
  int width, height;
  guint framebuffer, texture;
};

static EGLDisplay
open_display (void)
{
  const char *extensions = eglQueryString (EGL_NO_DISPLAY, EGL_EXTENSIONS);
  EGLDisplay display = EGL_NO_DISPLAY;

  if (extensions != NULL
      && strstr (extensions, "EGL_MESA_platform_surfaceless"))
    display = eglGetPlatformDisplayEXT (EGL_PLATFORM_SURFACELESS_MESA,
                                        EGL_DEFAULT_DISPLAY, NULL);
  if (display != EGL_NO_DISPLAY && eglInitialize (display, NULL, NULL))
    return display;
  /* NVIDIA's driver has no surfaceless platform; it offers devices. */
  if (extensions != NULL && strstr (extensions, "EGL_EXT_platform_device"))
    {
      EGLDeviceEXT device;
      EGLint n = 0;

      if (eglQueryDevicesEXT (1, &device, &n) && n == 1)
        display =
            eglGetPlatformDisplayEXT (EGL_PLATFORM_DEVICE_EXT, device, NULL);
      if (display != EGL_NO_DISPLAY && eglInitialize (display, NULL, NULL))
        return display;
    }
  return EGL_NO_DISPLAY;
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

Offscreen *
offscreen_new (gboolean es, int width, int height, const char **reason)
{
  EGLDisplay display = open_display ();
  Offscreen *offscreen;
  EGLContext context;

  if (display == EGL_NO_DISPLAY)
    {
      *reason = "no EGL display without a window here";
      return NULL;
    }
  context = make_context (display, es);
  if (context == EGL_NO_CONTEXT)
    {
      eglTerminate (display);
      *reason = es ? "no OpenGL ES 3.0 here" : "no OpenGL 3.3 here";
      return NULL;
    }
  offscreen = g_new0 (Offscreen, 1);
  offscreen->display = display;
  offscreen->context = context;
  offscreen->width = width;
  offscreen->height = height;
  glGenTextures (1, &offscreen->texture);
  glBindTexture (GL_TEXTURE_2D, offscreen->texture);
  glTexImage2D (GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA,
                GL_UNSIGNED_BYTE, NULL);
  glBindTexture (GL_TEXTURE_2D, 0);
  glGenFramebuffers (1, &offscreen->framebuffer);
  glBindFramebuffer (GL_FRAMEBUFFER, offscreen->framebuffer);
  glFramebufferTexture2D (GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D,
                          offscreen->texture, 0);
  glViewport (0, 0, width, height);
  return offscreen;
}

void
offscreen_free (Offscreen *offscreen)
{
  /* Any earlier GL error is detected here at the latest. */
  g_assert_cmpuint (glGetError (), ==, GL_NO_ERROR);
  glDeleteFramebuffers (1, &offscreen->framebuffer);
  glDeleteTextures (1, &offscreen->texture);
  eglMakeCurrent (offscreen->display, EGL_NO_SURFACE, EGL_NO_SURFACE,
                  EGL_NO_CONTEXT);
  eglDestroyContext (offscreen->display, offscreen->context);
  /* The display is not terminated: a leak checker cannot name functions of
   * an unloaded driver. */
  g_free (offscreen);
}

void
offscreen_read (Offscreen *offscreen, guint8 *rgba)
{
  size_t pitch = 4 * (size_t)offscreen->width;
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

/* --- pictures --- */

static void
save (const char *name, const char *what, const guint8 *rgba, int width,
      int height)
{
  g_autofree char *file = g_strdup_printf ("%s-%s.ppm", name, what);
  g_autofree char *path =
      g_test_build_filename (G_TEST_BUILT, "render", file, NULL);
  g_autoptr (GString) text = g_string_new (NULL);

  g_string_printf (text, "P6 %d %d 255\n", width, height);
  for (int i = 0; i < width * height; i++)
    g_string_append_len (text, (const char *)rgba + 4 * i, 3);
  /* Ends in a line break like every file of the tree, so that the picture
   * can be added to it. */
  g_string_append_c (text, '\n');
  g_file_set_contents (path, text->str, (gssize)text->len, NULL);
  g_test_message ("see %s", path);
}

void
picture_compare (const char *name, const guint8 *got, const guint8 *want,
                 int width, int height, int tolerance)
{
  size_t n = 4 * (size_t)width * (size_t)height, worst = 0;
  g_autofree guint8 *difference = g_malloc (n);
  int most = 0;

  for (size_t i = 0; i < n; i++)
    {
      int d = ABS (got[i] - want[i]);

      difference[i] = (guint8)d;
      if (d > most)
        {
          most = d;
          worst = i;
        }
    }
  if (most <= tolerance)
    return;
  save (name, "got", got, width, height);
  save (name, "want", want, width, height);
  save (name, "difference", difference, width, height);
  g_test_message ("%s: channel %zu of pixel %zu, %zu: got %u, want %u", name,
                  worst % 4, worst / 4 % (size_t)width,
                  worst / 4 / (size_t)width, got[worst], want[worst]);
  g_test_fail ();
}

guint8 *
picture_load (const char *name, int width, int height)
{
  g_autofree char *file = g_strconcat (name, ".ppm", NULL);
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "files", file, NULL);
  g_autofree char *header = g_strdup_printf ("P6 %d %d 255\n", width, height);
  g_autofree char *contents = NULL;
  size_t n_pixels = (size_t)width * (size_t)height, length;
  guint8 *rgba;

  if (!g_file_get_contents (path, &contents, &length, NULL)
      || length != strlen (header) + 3 * n_pixels + 1
      || memcmp (contents, header, strlen (header)) != 0)
    return NULL;
  rgba = g_malloc (4 * n_pixels);
  for (size_t i = 0; i < n_pixels; i++)
    {
      memcpy (rgba + 4 * i, contents + strlen (header) + 3 * i, 3);
      rgba[4 * i + 3] = 255;
    }
  return rgba;
}
