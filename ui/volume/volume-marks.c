#include "ui/volume/volume-marks.h"

#include "render/look/cut-plane.h"
#include "ui/plot/plot.h"

#include <math.h>
#include <string.h>

/* All in widget units. */
#define MARGIN 14.0
#define CUBE_SIDE 30.0
#define AXIS_LENGTH 42.0
#define AXIS_ROOM 52.0 /* from the edge of the widget to the cube's middle */
#define SCALE_BAR_PART 0.22
#define SCALE_BAR_HEIGHT 4.0
#define GAP 5.0

/* Of the edges of the volume, and of the box in it. */
#define FAINT 0.35
#define STRONG 0.7

typedef struct
{
  cairo_t *cr;
  GtkWidget *widget;
  const TlVolumeCamera *camera;
} Marks;

static const double whole[3][2] = { { 0, 1 }, { 0, 1 }, { 0, 1 } };

/* A corner of a part of the volume: bit k of @corner chooses the end along axis
 * k. Returns: whether it is in front of the viewer */
static gboolean
find_corner (const TlVolumeCamera *camera, const double (*part)[2],
             guint corner, double *x, double *y)
{
  double place[3];

  for (guint k = 0; k < 3; k++)
    place[k] = part[k][corner >> k & 1] * camera->n_voxels[k] - 0.5;
  return tl_volume_camera_project (camera, place, x, y);
}

/* Adds the edges of a part of the volume of @camera to the path, @size times as
 * large as it has them, about @middle_x, @middle_y. */
static void
add_edges (cairo_t *cr, const TlVolumeCamera *camera, const double (*part)[2],
           double middle_x, double middle_y, double size)
{
  for (guint corner = 0; corner < 8; corner++)
    for (guint k = 0; k < 3; k++)
      {
        double x, y, to_x, to_y;

        if ((corner >> k & 1) != 0
            || !find_corner (camera, part, corner, &x, &y)
            || !find_corner (camera, part, corner | 1u << k, &to_x, &to_y))
          continue;
        cairo_move_to (cr, middle_x + size * x, middle_y + size * y);
        cairo_line_to (cr, middle_x + size * to_x, middle_y + size * to_y);
      }
}

static void
draw_edges (const Marks *marks, const double (*part)[2], double strength)
{
  cairo_set_source_rgba (marks->cr, 1, 1, 1, strength);
  cairo_set_line_width (marks->cr, 1);
  add_edges (marks->cr, marks->camera, part, marks->camera->width / 2,
             marks->camera->height / 2, 1);
  cairo_stroke (marks->cr);
}

static void
draw_plane (const Marks *marks, const TlCutPlane *plane, const double (*box)[2])
{
  double corners[TL_MAX_CUT_CORNERS][3];
  const guint n =
      tl_cut_plane_list_corners (plane, marks->camera->n_voxels, box, corners);

  cairo_set_source_rgba (marks->cr, 1, 0.8, 0.3, STRONG);
  for (guint k = 0; k < n; k++)
    {
      double x, y;

      if (tl_volume_camera_project (marks->camera, corners[k], &x, &y))
        cairo_line_to (marks->cr, marks->camera->width / 2 + x,
                       marks->camera->height / 2 + y);
    }
  cairo_close_path (marks->cr);
  cairo_stroke (marks->cr);
}

/* Returns: a camera that sees a cube of one voxel from the same side, without
 * perspective, of which a voxel is one unit of the picture */
static TlVolumeCamera
make_cube (const TlVolumeCamera *camera)
{
  TlVolumeCamera cube = *camera;

  cube.perspective_deg = 0;
  cube.zoom = 1;
  cube.width = cube.height = sqrt (3);
  for (guint k = 0; k < 3; k++)
    {
      cube.n_voxels[k] = 1;
      cube.look_at[k] = 0.5;
    }
  return cube;
}

/* A cube with the axes from one of its corners: along columns, against rows and
 * along slices. */
static void
draw_axes (const Marks *marks)
{
  static const struct
  {
    const char *name;
    double colour[3], direction[3];
  } axes[] = {
    { "x", { 1, 0.45, 0.4 }, { 1, 0, 0 } },
    { "y", { 0.5, 0.9, 0.45 }, { 0, -1, 0 } },
    { "z", { 0.5, 0.7, 1 }, { 0, 0, 1 } },
  };
  static const double corner[] = { -0.5, 0.5, -0.5 };
  const TlVolumeCamera cube = make_cube (marks->camera);
  const double middle_x = AXIS_ROOM;
  const double middle_y = marks->camera->height - AXIS_ROOM;
  double corner_x, corner_y;

  cairo_set_source_rgba (marks->cr, 1, 1, 1, 0.5);
  cairo_set_line_width (marks->cr, 1);
  add_edges (marks->cr, &cube, whole, middle_x, middle_y, CUBE_SIDE);
  cairo_stroke (marks->cr);
  tl_volume_camera_project (&cube, corner, &corner_x, &corner_y);
  for (guint k = 0; k < G_N_ELEMENTS (axes); k++)
    {
      const double from_x = middle_x + CUBE_SIDE * corner_x;
      const double from_y = middle_y + CUBE_SIDE * corner_y;
      double x, y;

      tl_volume_camera_project (&cube, axes[k].direction, &x, &y);
      cairo_set_source_rgb (marks->cr, axes[k].colour[0], axes[k].colour[1],
                            axes[k].colour[2]);
      cairo_set_line_width (marks->cr, 2);
      cairo_move_to (marks->cr, from_x, from_y);
      cairo_line_to (marks->cr, from_x + AXIS_LENGTH * x,
                     from_y + AXIS_LENGTH * y);
      cairo_stroke (marks->cr);
      tl_words_draw (marks->widget, marks->cr, axes[k].name,
                     from_x + 1.2 * AXIS_LENGTH * x,
                     from_y + 1.2 * AXIS_LENGTH * y, 0.5, 0.5);
    }
}

/* With a perspective it holds at the depth of the middle of the picture. */
static void
draw_scale (const Marks *marks, guint bin, double pixel_size_um)
{
  const TlVolumeCamera *camera = marks->camera;
  const double pixels =
      tl_volume_camera_get_scale (camera) * bin; /* per unit */
  const double most = SCALE_BAR_PART * camera->width * pixels;
  const char *unit;
  const double per_pixel =
      tl_ruler_get_length_unit (most, pixel_size_um, &unit);
  const double length = tl_ruler_floor (most * per_pixel);
  const double bar = length / per_pixel / pixels;
  const double x = camera->width - MARGIN - bar;
  const double y = camera->height - MARGIN - SCALE_BAR_HEIGHT;
  g_autofree char *words = g_strdup_printf ("%g %s", length, unit);

  cairo_set_source_rgb (marks->cr, 1, 1, 1);
  cairo_rectangle (marks->cr, x, y, bar, SCALE_BAR_HEIGHT);
  cairo_fill (marks->cr);
  tl_words_draw (marks->widget, marks->cr, words, x + bar / 2, y - GAP, 0.5, 1);
}

/* Returns: (transfer full) */
static GskRenderNode *
draw (GtkWidget *widget, const TlVolumeCamera *camera, const TlVolumeLook *look,
      guint bin, double pixel_size_um)
{
  const graphene_rect_t all =
      GRAPHENE_RECT_INIT (0, 0, (float)camera->width, (float)camera->height);
  GtkSnapshot *snapshot = gtk_snapshot_new ();
  Marks marks = { .widget = widget, .camera = camera };

  gtk_snapshot_push_clip (snapshot, &all);
  marks.cr = gtk_snapshot_append_cairo (snapshot, &all);
  draw_edges (&marks, whole, FAINT);
  if (memcmp (look->box, whole, sizeof whole) != 0)
    draw_edges (&marks, look->box, STRONG);
  for (guint k = 0; k < look->n_planes; k++)
    draw_plane (&marks, &look->planes[k], look->box);
  draw_axes (&marks);
  draw_scale (&marks, bin, pixel_size_um);
  cairo_destroy (marks.cr);
  gtk_snapshot_pop (snapshot);
  return gtk_snapshot_free_to_node (snapshot);
}

void
tl_volume_marks_clear (TlVolumeMarks *marks)
{
  g_clear_pointer (&marks->node, gsk_render_node_unref);
}

void
tl_volume_marks_draw (TlVolumeMarks *marks, GtkSnapshot *snapshot,
                      GtkWidget *widget, const TlVolumeCamera *camera,
                      const TlVolumeLook *look, guint bin, double pixel_size_um)
{
  if (camera->width < 1 || camera->height < 1)
    return;
  if (memcmp (&marks->camera, camera, sizeof *camera) != 0
      || memcmp (&marks->look, look, sizeof *look) != 0 || marks->bin != bin
      || marks->pixel_size_um != pixel_size_um)
    tl_volume_marks_clear (marks);
  if (marks->node == NULL)
    *marks = (TlVolumeMarks){
      .camera = *camera,
      .look = *look,
      .bin = bin,
      .pixel_size_um = pixel_size_um,
      .node = draw (widget, camera, look, bin, pixel_size_um),
    };
  gtk_snapshot_append_node (snapshot, marks->node);
}
