/* Builds the shader programs in shaders/, for desktop OpenGL 3.3 and OpenGL
 * ES 3 alike. */
#pragma once

#include <glib.h>

/**
 * tl_program_build:
 * @vertex: name of a file in shaders/ that has no #version line
 * @fragment: likewise
 *
 * Compiles and links in the current GL context.
 *
 * Returns: a program that the caller deletes; 0 with TL_ERROR_UNSUPPORTED and
 *   the driver's message
 */
guint tl_program_build (const char *vertex, const char *fragment,
                        GError **error);

/** tl_program_describe_gl: Returns: (transfer full): version and renderer of
 * the current GL context, such as "OpenGL 4.5, llvmpipe" */
char *tl_program_describe_gl (void);

/** tl_program_forget_errors: Drops the errors of earlier GL calls. A lost
 * context may report one at each call, so it drops a limited number. */
void tl_program_forget_errors (void);

/** tl_program_check: Returns: %FALSE with TL_ERROR_DEVICE if the current GL
 * context is lost, or if a call since tl_program_forget_errors() has failed */
gboolean tl_program_check (GError **error);
