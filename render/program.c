#include "render/program.h"

#include "data/error.h"
#include "render/render-resources.h"

#include <epoxy/gl.h>
#include <gio/gio.h>

#define LOG_BYTES 1024

/* OpenGL has fewer kinds of errors, and keeps one of each. */
#define MAX_ERRORS 16

static guint
compile (GLenum type, const char *name, GError **error)
{
  const char *header = epoxy_is_desktop_gl ()
                           ? "#version 330 core\n"
                           : "#version 300 es\n"
                             "precision highp float;\nprecision highp int;\n";
  g_autofree char *path = g_strconcat ("/org/tomolens/render/", name, NULL);
  g_autoptr (GBytes) source = g_resource_lookup_data (
      tl_render_get_resource (), path, G_RESOURCE_LOOKUP_FLAGS_NONE, error);
  GLint compiled = GL_FALSE;

  if (source == NULL)
    return 0;
  guint shader = glCreateShader (type);
  glShaderSource (shader, 2,
                  (const char *[]){ header, g_bytes_get_data (source, NULL) },
                  (const GLint[]){ -1, (GLint)g_bytes_get_size (source) });
  glCompileShader (shader);
  glGetShaderiv (shader, GL_COMPILE_STATUS, &compiled);
  if (!compiled)
    {
      char log[LOG_BYTES] = "";

      glGetShaderInfoLog (shader, sizeof log, NULL, log);
      tl_fail (error, TL_ERROR_UNSUPPORTED,
               "%s: OpenGL does not take this shader: %s", name,
               g_strstrip (log));
      glDeleteShader (shader);
      return 0;
    }
  return shader;
}

static guint
link_shaders (guint vertex, guint fragment, GError **error)
{
  guint program = glCreateProgram ();
  GLint linked = GL_FALSE;

  glAttachShader (program, vertex);
  glAttachShader (program, fragment);
  glLinkProgram (program);
  glGetProgramiv (program, GL_LINK_STATUS, &linked);
  if (!linked)
    {
      char log[LOG_BYTES] = "";

      glGetProgramInfoLog (program, sizeof log, NULL, log);
      tl_fail (error, TL_ERROR_UNSUPPORTED,
               "OpenGL cannot link two shaders: %s", g_strstrip (log));
      glDeleteProgram (program);
      return 0;
    }
  glDetachShader (program, vertex);
  glDetachShader (program, fragment);
  return program;
}

guint
tl_program_build (const char *vertex, const char *fragment, GError **error)
{
  guint v = compile (GL_VERTEX_SHADER, vertex, error);
  guint f = v == 0 ? 0 : compile (GL_FRAGMENT_SHADER, fragment, error);
  guint program = f == 0 ? 0 : link_shaders (v, f, error);

  glDeleteShader (f);
  glDeleteShader (v);
  return program;
}

char *
tl_program_describe_gl (void)
{
  int version = epoxy_gl_version ();

  return g_strdup_printf (
      "%s %d.%d, %s", epoxy_is_desktop_gl () ? "OpenGL" : "OpenGL ES",
      version / 10, version % 10, (const char *)glGetString (GL_RENDERER));
}

void
tl_program_forget_errors (void)
{
  for (guint i = 0; i < MAX_ERRORS && glGetError () != GL_NO_ERROR; i++)
    ;
}

/* The driver says it at the calls, or only if it is asked. */
static gboolean
is_lost (guint failure)
{
  if (failure == GL_CONTEXT_LOST)
    return TRUE;
  if (epoxy_is_desktop_gl ()
          ? epoxy_gl_version () < 45
                && !epoxy_has_gl_extension ("GL_KHR_robustness")
          : epoxy_gl_version () < 32)
    return FALSE;
  return glGetGraphicsResetStatus () != GL_NO_ERROR;
}

gboolean
tl_program_check (GError **error)
{
  guint failure = glGetError ();

  if (is_lost (failure))
    return tl_fail (error, TL_ERROR_DEVICE, "the graphics driver was reset");
  if (failure != GL_NO_ERROR)
    return tl_fail (error, TL_ERROR_DEVICE,
                    "OpenGL has failed with error 0x%04x", failure);
  return TRUE;
}
