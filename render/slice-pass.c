#include "render/slice-pass.h"

#include "render/colours.h"
#include "render/program.h"

#include <epoxy/gl.h>
#include <math.h>

/* Largest number of samples along a side: 64 samples for a screen pixel.
 * When zoomed out to less than an eighth, the mean leaves pixels out; more
 * samples cost time and show no difference. */
#define MAX_TAPS 8

enum
{
  UNIT_PICTURE,
  UNIT_SECOND,
  UNIT_COLOURS
};

struct TlSlicePass
{
  guint program, vertex_array;
  TlColours colours;
  struct
  {
    GLint edges, picture, colours, footprint, taps, window, outside;
    GLint second, second_taps, onto_place, onto_turn, combine, is_smooth;
  } at;
};

TlSlicePass *
tl_slice_pass_new (GError **error)
{
  guint program = tl_program_build ("picture.vert", "slice.frag", error);

  if (program == 0)
    return NULL;
  TlSlicePass *pass = g_new0 (TlSlicePass, 1);
  pass->program = program;
  glGenVertexArrays (1, &pass->vertex_array);
  tl_colours_init (&pass->colours);
#define FIND(name) pass->at.name = glGetUniformLocation (program, #name)
  FIND (edges);
  FIND (picture);
  FIND (colours);
  FIND (footprint);
  FIND (taps);
  FIND (window);
  FIND (outside);
  FIND (second);
  FIND (second_taps);
  FIND (onto_place);
  FIND (onto_turn);
  FIND (combine);
  FIND (is_smooth);
#undef FIND
  return pass;
}

void
tl_slice_pass_free (TlSlicePass *pass)
{
  if (pass == NULL)
    return;
  tl_colours_clear (&pass->colours);
  glDeleteVertexArrays (1, &pass->vertex_array);
  glDeleteProgram (pass->program);
  g_free (pass);
}

/* Samples along a side. The tolerance keeps rounding from making 1:1 zoomed
 * out. */
static GLint
count_taps (double footprint)
{
  return (GLint)CLAMP (ceil (footprint - 1e-6), 1, MAX_TAPS);
}

/* @footprint: size of a screen pixel, in pixels of the first picture */
static void
set_second (TlSlicePass *pass, const TlSliceSecond *second, double footprint)
{
  glUniform1i (pass->at.second, UNIT_SECOND);
  glUniform1i (pass->at.second_taps, 0);
  if (second == NULL)
    return;
  const float turn[] = { (float)second->across[0], (float)second->across[1],
                         (float)second->down[0], (float)second->down[1] };
  glUniform2f (pass->at.onto_place, (float)second->col, (float)second->row);
  glUniformMatrix2fv (pass->at.onto_turn, 1, GL_FALSE, turn);
  glUniform1i (pass->at.combine, (GLint)second->combine);
  glUniform1i (pass->at.is_smooth, second->is_smooth);
  glUniform1i (pass->at.second_taps,
               count_taps (fmax (footprint, 1)
                           * hypot (second->across[0], second->across[1])));
}

static void
set_uniforms (TlSlicePass *pass, const TlSliceSecond *second,
              const TlCamera *camera, const TlSliceLook *look)
{
  double left, top, right, bottom, footprint[2];
  double width = (double)look->high - look->low;

  tl_camera_to_picture (camera, 0, 0, &left, &top);
  tl_camera_to_picture (camera, camera->width, camera->height, &right, &bottom);
  footprint[0] = (right - left) / look->width;
  footprint[1] = (bottom - top) / look->height;

  glUniform1i (pass->at.picture, UNIT_PICTURE);
  glUniform1i (pass->at.colours, UNIT_COLOURS);
  glUniform4f (pass->at.edges, (float)left, (float)top, (float)right,
               (float)bottom);
  glUniform2f (pass->at.footprint, (float)footprint[0], (float)footprint[1]);
  glUniform1i (pass->at.taps, count_taps (fmax (footprint[0], footprint[1])));
  set_second (pass, second, fmax (footprint[0], footprint[1]));
  glUniform2f (pass->at.window, look->low,
               width > 0 ? (float)(1 / width) : G_MAXFLOAT);
  glUniform4fv (pass->at.outside, 1, look->outside);
}

/* Sets the scissor to the requested columns. A picture drawn above another
 * one is also limited to the screen pixels whose centres lie on it. */
static void
limit (const TlCamera *camera, const TlSliceLook *look)
{
  const double scale_x = look->width / camera->width;
  const double scale_y = look->height / camera->height;
  const double first = look->first,
               end = look->end > 0 ? look->end : look->width;
  double left = first, top = 0, right = end, bottom = look->height;

  if (look->is_above)
    {
      tl_camera_to_widget (camera, -0.5, -0.5, &left, &top);
      tl_camera_to_widget (camera, (double)camera->n_cols - 0.5,
                           (double)camera->n_rows - 0.5, &right, &bottom);
      left = CLAMP (round (left * scale_x), first, end);
      right = CLAMP (round (right * scale_x), first, end);
      top = CLAMP (round (top * scale_y), 0, look->height);
      bottom = CLAMP (round (bottom * scale_y), 0, look->height);
    }
  glEnable (GL_SCISSOR_TEST);
  glScissor (look->left + (GLint)left, look->height - (GLint)bottom,
             (GLint)(right - left), (GLint)(bottom - top));
}

static void
bind (guint unit, guint name)
{
  glActiveTexture (GL_TEXTURE0 + unit);
  glBindTexture (GL_TEXTURE_2D, name);
}

static void
draw (TlSlicePass *pass, const TlTexture *texture, const TlSliceSecond *second,
      const TlCamera *camera, const TlSliceLook *look)
{
  GLint viewport[4];

  glDisable (GL_BLEND);
  glDisable (GL_DEPTH_TEST);
  glGetIntegerv (GL_VIEWPORT, viewport);
  glViewport (look->left, 0, look->width, look->height);
  glUseProgram (pass->program);
  set_uniforms (pass, second, camera, look);
  tl_colours_bind (&pass->colours, UNIT_COLOURS, look->colormap);
  bind (UNIT_SECOND,
        second != NULL ? tl_texture_get_name (second->texture) : 0);
  bind (UNIT_PICTURE, tl_texture_get_name (texture));
  glBindVertexArray (pass->vertex_array);
  glDrawArrays (GL_TRIANGLE_STRIP, 0, 4);

  glBindVertexArray (0);
  bind (UNIT_COLOURS, 0);
  bind (UNIT_SECOND, 0);
  bind (UNIT_PICTURE, 0);
  glUseProgram (0);
  glViewport (viewport[0], viewport[1], viewport[2], viewport[3]);
}

void
tl_slice_pass_draw (TlSlicePass *pass, const TlTexture *texture,
                    const TlSliceSecond *second, const TlCamera *camera,
                    const TlSliceLook *look)
{
  const float *outside = look->outside;

  limit (camera, look);
  if (texture != NULL && look->width > 0 && look->height > 0)
    draw (pass, texture, second, camera, look);
  else
    {
      glClearColor (outside[0], outside[1], outside[2], outside[3]);
      glClear (GL_COLOR_BUFFER_BIT);
    }
  glDisable (GL_SCISSOR_TEST);
}
