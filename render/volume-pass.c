#include "render/volume-pass.h"

#include "render/colours.h"
#include "render/program.h"

#include <epoxy/gl.h>
#include <math.h>
#include <string.h>

/* Nodes of the transfer function's table. */
#define N_NODES 1024

/* A body of opacity 1 lets so little through, because nothing is opaque to a
 * logarithm. */
#define LEAST_THROUGH 1e-6

#define N_BOX_SIDES 6
#define MAX_SIDES (N_BOX_SIDES + TL_MAX_VOLUME_PLANES)

enum
{
  UNIT_VOLUME,
  UNIT_TRANSFER,
  UNIT_COLOURS
};

struct TlVolumePass
{
  guint program, vertex_array, transfer;
  TlColours colours;
  struct
  {
    GLint edges, volume, circle, transfer, colours, middle, pixel;
    GLint start, start_x, start_y, ahead, ahead_x, ahead_y;
    GLint sides, n_sides, step_voxels, jitters;
    GLint way, window, table, threshold, outside;
  } at;
};

TlVolumePass *
tl_volume_pass_new (GError **error)
{
  guint program = tl_program_build ("picture.vert", "volume.frag", error);

  if (program == 0)
    return NULL;
  TlVolumePass *pass = g_new0 (TlVolumePass, 1);
  pass->program = program;
  glGenVertexArrays (1, &pass->vertex_array);
  glGenTextures (1, &pass->transfer);
  tl_colours_init (&pass->colours);
#define FIND(name) pass->at.name = glGetUniformLocation (program, #name)
  FIND (edges);
  FIND (volume);
  FIND (circle);
  FIND (transfer);
  FIND (colours);
  FIND (middle);
  FIND (pixel);
  FIND (start);
  FIND (start_x);
  FIND (start_y);
  FIND (ahead);
  FIND (ahead_x);
  FIND (ahead_y);
  FIND (sides);
  FIND (n_sides);
  FIND (step_voxels);
  FIND (jitters);
  FIND (way);
  FIND (window);
  FIND (table);
  FIND (threshold);
  FIND (outside);
#undef FIND
  return pass;
}

void
tl_volume_pass_free (TlVolumePass *pass)
{
  if (pass == NULL)
    return;
  tl_colours_clear (&pass->colours);
  glDeleteTextures (1, &pass->transfer);
  glDeleteVertexArrays (1, &pass->vertex_array);
  glDeleteProgram (pass->program);
  g_free (pass);
}

static void
set_vector (GLint at, const double *v)
{
  glUniform3f (at, (float)v[0], (float)v[1], (float)v[2]);
}

/* Where a volume is, of which the texture may be a part; in voxels. */
typedef struct
{
  double n[3];      /* of the volume */
  double first[3];  /* of the texture, in the volume */
  double box[3][2]; /* what is shown, 0 … 1 of the volume */
} Extent;

/* @n: voxels of the texture */
static Extent
find_extent (const size_t *n, const TlVolumeLook *look,
             const TlVolumeFrame *frame)
{
  Extent extent;

  for (int k = 0; k < 3; k++)
    {
      const gboolean is_part = frame->part[k][0] < frame->part[k][1];
      const double from = is_part ? frame->part[k][0] : 0;
      const double to = is_part ? frame->part[k][1] : 1;

      extent.n[k] = (double)n[k] / (to - from);
      extent.first[k] = from * extent.n[k];
      extent.box[k][0] = fmax (look->box[k][0], from);
      extent.box[k][1] = fmin (look->box[k][1], to);
    }
  return extent;
}

static void
set_rays (const TlVolumePass *pass, const TlVolumeCamera *camera,
          const Extent *extent, const TlVolumeFrame *frame)
{
  const float right = (float)camera->width / 2;
  const float bottom = (float)camera->height / 2;
  TlVolumeRays rays;

  tl_volume_camera_get_rays (camera, &rays);
  for (int k = 0; k < 3; k++)
    rays.start[k] -= extent->first[k];
  glUniform4f (pass->at.edges, -right, -bottom, right, bottom);
  glUniform2f (pass->at.middle, (float)frame->width / 2,
               (float)frame->height / 2);
  glUniform1f (pass->at.pixel, (float)(camera->width / frame->width));
  set_vector (pass->at.start, rays.start);
  set_vector (pass->at.start_x, rays.start_x);
  set_vector (pass->at.start_y, rays.start_y);
  set_vector (pass->at.ahead, rays.ahead);
  set_vector (pass->at.ahead_x, rays.ahead_x);
  set_vector (pass->at.ahead_y, rays.ahead_y);
}

/* The box and the planes, as what is kept of the volume. */
static void
set_sides (const TlVolumePass *pass, const TlVolumeLook *look,
           const Extent *extent)
{
  const double *n_voxels = extent->n, *first = extent->first;
  float sides[MAX_SIDES][4] = { 0 };
  guint n = 0;

  for (int k = 0; k < 3; k++)
    {
      sides[n][k] = -1;
      sides[n++][3] = (float)(0.5 + first[k] - extent->box[k][0] * n_voxels[k]);
      sides[n][k] = 1;
      sides[n++][3] = (float)(extent->box[k][1] * n_voxels[k] - first[k] - 0.5);
    }
  for (guint i = 0; i < look->n_planes; i++, n++)
    {
      const TlCutPlane *plane = &look->planes[i];
      const double *d = plane->direction;
      const double length = sqrt (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
      double most = 0;

      for (int k = 0; k < 3; k++)
        {
          sides[n][k] = (float)(d[k] / length);
          most +=
              d[k] / length * (plane->point[k] * n_voxels[k] - first[k] - 0.5);
        }
      sides[n][3] = (float)most;
    }
  glUniform4fv (pass->at.sides, (GLsizei)n, sides[0]);
  glUniform1i (pass->at.n_sides, (GLint)n);
}

static void
set_ends (GLint at, double low, double high)
{
  glUniform2f (at, (float)low, high > low ? (float)(1 / (high - low)) : 0);
}

/* Fills the texture of the transfer function: extinction per voxel. */
static void
fill_transfer (const TlVolumePass *pass, const TlVolumeLook *look,
               const double *n_voxels)
{
  const double side = fmax (n_voxels[0], fmax (n_voxels[1], n_voxels[2]));
  const double first = look->points[0].value;
  const double last = look->points[MAX (look->n_points, 1) - 1].value;
  float row[N_NODES];

  for (int k = 0; k < N_NODES; k++)
    {
      const double value = first + (last - first) * k / (N_NODES - 1);
      const double through = 1 - tl_volume_look_get_opacity (look, value);

      row[k] = (float)(-log (fmax (through, LEAST_THROUGH)) * 100 / side);
    }
  glActiveTexture (GL_TEXTURE0 + UNIT_TRANSFER);
  glBindTexture (GL_TEXTURE_2D, pass->transfer);
  glTexImage2D (GL_TEXTURE_2D, 0, GL_R32F, N_NODES, 1, 0, GL_RED, GL_FLOAT,
                row);
  glTexParameteri (GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri (GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
}

/* The values in parts of the range that the texture has. */
static void
set_values (const TlVolumePass *pass, const TlVolumeTexture *texture,
            const TlVolumeLook *look)
{
  const guint last = MAX (look->n_points, 1) - 1;
  float low, high;

  tl_volume_texture_get_range (texture, &low, &high);
  const double least = low, width = (double)high - low;
  set_ends (pass->at.window, (look->low - least) / width,
            (look->high - least) / width);
  set_ends (pass->at.table, (look->points[0].value - least) / width,
            (look->points[last].value - least) / width);
  glUniform1f (pass->at.threshold, (float)((look->threshold - least) / width));
}

static void
set_circle (const TlVolumePass *pass, const TlVolumeTexture *texture)
{
  TlCircle circle;

  tl_volume_texture_get_circle (texture, &circle);
  glUniform3f (pass->at.circle, (float)circle.col, (float)circle.row,
               (float)(circle.radius * circle.radius));
}

static void
unbind (guint unit, GLenum target)
{
  glActiveTexture (GL_TEXTURE0 + unit);
  glBindTexture (target, 0);
}

/* @camera: with the size of the volume */
static void
draw (TlVolumePass *pass, const TlVolumeTexture *texture,
      const TlVolumeCamera *camera, const Extent *extent,
      const TlVolumeLook *look, const TlVolumeFrame *frame)
{
  glDisable (GL_BLEND);
  glDisable (GL_DEPTH_TEST);
  glUseProgram (pass->program);
  glUniform1i (pass->at.volume, UNIT_VOLUME);
  glUniform1i (pass->at.transfer, UNIT_TRANSFER);
  glUniform1i (pass->at.colours, UNIT_COLOURS);
  set_rays (pass, camera, extent, frame);
  set_sides (pass, look, extent);
  set_values (pass, texture, look);
  set_circle (pass, texture);
  glUniform1f (pass->at.step_voxels, (float)frame->step_voxels);
  glUniform1i (pass->at.jitters, frame->jitters);
  glUniform1i (pass->at.way, (GLint)look->way);
  glUniform4fv (pass->at.outside, 1, frame->outside);
  fill_transfer (pass, look, extent->n);
  tl_colours_bind (&pass->colours, UNIT_COLOURS, look->colormap);
  glActiveTexture (GL_TEXTURE0 + UNIT_VOLUME);
  glBindTexture (GL_TEXTURE_3D, tl_volume_texture_get_name (texture));
  glBindVertexArray (pass->vertex_array);
  glDrawArrays (GL_TRIANGLE_STRIP, 0, 4);

  glBindVertexArray (0);
  unbind (UNIT_COLOURS, GL_TEXTURE_2D);
  unbind (UNIT_TRANSFER, GL_TEXTURE_2D);
  unbind (UNIT_VOLUME, GL_TEXTURE_3D);
  glUseProgram (0);
}

void
tl_volume_pass_draw (TlVolumePass *pass, const TlVolumeTexture *texture,
                     const TlVolumeCamera *camera, const TlVolumeLook *look,
                     const TlVolumeFrame *frame)
{
  const float *outside = frame->outside;
  TlVolumeCamera sized = *camera;
  size_t n[3] = { 0, 0, 0 };

  g_return_if_fail (frame->step_voxels > 0);
  if (texture != NULL)
    tl_volume_texture_get_size (texture, n);
  const Extent extent = find_extent (n, look, frame);
  memcpy (sized.n_voxels, extent.n, sizeof sized.n_voxels);
  if (n[0] > 0 && frame->width > 0 && frame->height > 0)
    draw (pass, texture, &sized, &extent, look, frame);
  else
    {
      glClearColor (outside[0], outside[1], outside[2], outside[3]);
      glClear (GL_COLOR_BUFFER_BIT);
    }
}
