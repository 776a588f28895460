#include "ui/picture/picture-area.h"

#include "app/axis/overlay/overlay.h"
#include "render/compare.h"
#include "render/program.h"
#include "render/slice-layer.h"
#include "ui/picture/picture-marks.h"
#include "ui/picture/shrinking-bin.h"
#include "ui/view/gl-context.h"
#include "ui/view/widget.h"

#include <math.h>

struct _TlPictureArea
{
  GtkGLArea parent_instance;

  TlView *view;
  TlMeasure *measure;
  TlCompare *compare;
  TlCamera camera;
  TlLine held_line;
  TlSlicePass
      *pass; /* made in realize, like the layers: both need the GL context */
  TlSliceLayer picture, detail, held, opposite;
  TlFrame *held_frame;     /* (nullable): in the layer "held" */
  TlFrame *opposite_frame; /* (nullable): in the layer "opposite" */
  gboolean is_drawn;
};

G_DEFINE_FINAL_TYPE (TlPictureArea, tl_picture_area, GTK_TYPE_GL_AREA)

static void
queue_render (TlPictureArea *self)
{
  gtk_gl_area_queue_render (GTK_GL_AREA (self));
}

static TlOverlay *
get_overlay (TlPictureArea *self)
{
  return tl_session_get_overlay (tl_view_get_session (self->view));
}

static TlSliceCombine
get_combine (TlPictureArea *self)
{
  switch (tl_overlay_get_mode (get_overlay (self)))
    {
    case TL_OVERLAY_DIFFERENCE:
      return TL_SLICE_MORE;
    case TL_OVERLAY_SUM:
      return TL_SLICE_MEAN;
    case TL_OVERLAY_RED_CYAN:
      return TL_SLICE_RED_CYAN;
    default:
      return TL_SLICE_SECOND;
    }
}

/* Draws a projection and its opposite. The opposite is mirrored about the axis
 * here, while drawing, so that it follows a drag of the axis at once. Returns:
 * %FALSE if one of them is missing */
static gboolean
draw_overlay (TlPictureArea *self, const TlSliceLook *look)
{
  TlSliceSecond onto = { .combine = get_combine (self) };
  TlMirror mirror;
  double twice;

  if (!self->opposite.is_shown || !tl_overlay_is_shown (get_overlay (self))
      || (onto.combine == TL_SLICE_SECOND
          && tl_compare_get_blink_a (self->compare)))
    return FALSE;
  tl_overlay_get_mirror (get_overlay (self), &mirror);
  tl_mirror_place (&mirror, self->picture.n_rows, 0, 0, &onto.col, &onto.row);
  twice = 2 * mirror.tilt_deg * G_PI / 180;
  onto.across[0] = -cos (twice);
  onto.across[1] = onto.down[0] = sin (twice);
  onto.down[1] = cos (twice);
  tl_compare_draw_overlay (&self->picture, &self->opposite, &onto, self->pass,
                           &self->camera, look);
  return TRUE;
}

/* Draws A and B. Returns: %FALSE if they are not compared */
static gboolean
draw_compared (TlPictureArea *self, const TlSliceLook *look)
{
  if (!self->held.is_shown
      || !tl_slice_comparison_get_place (
          tl_view_get_session (self->view)->comparison, &self->held.row,
          &self->held.col))
    return FALSE;
  return tl_compare_draw (self->compare, &self->held, &self->picture,
                          self->pass, &self->camera, look);
}

static gboolean
tl_picture_area_render (GtkGLArea *area, GdkGLContext *context)
{
  TlPictureArea *self = TL_PICTURE_AREA (area);
  int scale = gtk_widget_get_scale_factor (GTK_WIDGET (area));
  /* transparent: the window's background shows beside the picture */
  TlSliceLook look = {
    .width = gtk_widget_get_width (GTK_WIDGET (area)) * scale,
    .height = gtk_widget_get_height (GTK_WIDGET (area)) * scale,
  };

  if (self->pass == NULL)
    return FALSE;
  tl_program_forget_errors ();
  look.low = (float)tl_view_get_low (self->view);
  look.high = (float)tl_view_get_high (self->view);
  look.colormap = tl_view_get_colormap (self->view);
  if (!draw_compared (self, &look) && !draw_overlay (self, &look))
    {
      tl_slice_layer_draw (&self->picture, self->pass, &self->camera, &look);
      look.is_above = TRUE;
      if (self->detail.is_shown)
        tl_slice_layer_draw (&self->detail, self->pass, &self->camera, &look);
    }
  self->is_drawn =
      tl_gl_context_check (area, self->view) && self->picture.is_shown;
  return TRUE;
}

/* Uploads the sharper detail. A failure is not reported: the picture below the
 * detail is still shown. */
static void
take_detail (TlPictureArea *self)
{
  TlDisplay *display = tl_view_get_session (self->view)->display;
  TlFrame *detail = tl_display_get_detail (display);

  if (self->pass == NULL)
    return;
  gtk_gl_area_make_current (GTK_GL_AREA (self));
  self->detail.is_shown = FALSE;
  queue_render (self);
  if (detail == NULL || !tl_slice_layer_show (&self->detail, detail, NULL))
    return;
  tl_display_get_detail_place (display, &self->detail.row, &self->detail.col,
                               &self->detail.pitch);
}

/* Uploads the newest frame. If this fails nothing is shown, because the old
 * texture may belong to another scan. */
static void
take_frame (TlPictureArea *self)
{
  TlDisplay *display = tl_view_get_session (self->view)->display;
  TlFrame *frame = tl_display_get_frame (display);
  TlSliceLayer *picture = &self->picture;
  g_autoptr (GError) error = NULL;

  if (self->pass == NULL
      || tl_display_get_picture (display) == TL_PICTURE_PLANES)
    return;
  gtk_gl_area_make_current (GTK_GL_AREA (self));
  self->is_drawn = picture->is_shown = FALSE;
  take_detail (self);
  if (frame == NULL)
    return;
  if (!tl_slice_layer_show (picture, frame, &error))
    {
      tl_view_set_problem (self->view, error->message);
      return;
    }
  tl_display_get_frame_place (display, &picture->row, &picture->col,
                              &picture->pitch);
  tl_view_set_path (self->view, tl_texture_get_path (picture->texture),
                    tl_texture_is_interop (picture->texture));
}

/* Uploads @frame, (nullable), if it is another than @old. */
static void
take_second (TlPictureArea *self, TlFrame *frame, TlFrame **old,
             TlSliceLayer *layer)
{
  g_autoptr (GError) error = NULL;

  if (frame == *old)
    return;
  gtk_gl_area_make_current (GTK_GL_AREA (self));
  g_clear_pointer (old, tl_frame_unref);
  tl_slice_layer_clear (layer);
  if (frame == NULL)
    return;
  *old = tl_frame_ref (frame);
  layer->pitch = 1;
  if (!tl_slice_layer_show (layer, frame, &error))
    tl_view_set_problem (self->view, error->message);
}

static void
take_opposite (TlPictureArea *self)
{
  if (self->pass == NULL)
    return;
  queue_render (self);
  take_second (self, tl_overlay_get_opposite (get_overlay (self)),
               &self->opposite_frame, &self->opposite);
}

/* Takes A. The session has no detail while A and B are compared. */
static void
take_held (TlPictureArea *self)
{
  TlSession *session = tl_view_get_session (self->view);

  if (self->pass == NULL)
    return;
  take_detail (self);
  take_second (self, tl_slice_comparison_get_held (session->comparison),
               &self->held_frame, &self->held);
}

/* --- the widget --- */

static void
tl_picture_area_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  TlPictureArea *self = TL_PICTURE_AREA (widget);
  GtkWidget *parent = gtk_widget_get_parent (widget);

  GTK_WIDGET_CLASS (tl_picture_area_parent_class)->snapshot (widget, snapshot);
  gtk_snapshot_save (snapshot);
  tl_shrinking_bin_scale (widget, snapshot);
  tl_lines_snapshot (
      parent, snapshot, tl_view_get_session (self->view), &self->camera,
      self->held_line,
      tl_picture_marks_get_room (parent, &self->camera, self->measure));
  gtk_snapshot_restore (snapshot);
}

static void
tl_picture_area_realize (GtkWidget *widget)
{
  TlPictureArea *self = TL_PICTURE_AREA (widget);
  g_autofree char *renderer = NULL;

  GTK_WIDGET_CLASS (tl_picture_area_parent_class)->realize (widget);
  self->pass = tl_gl_context_make_pass (GTK_GL_AREA (widget), self->view);
  if (self->pass == NULL)
    return;
  renderer = tl_program_describe_gl ();
  tl_view_set_renderer (self->view, renderer);
  take_frame (self);
  take_held (self);
  take_opposite (self);
}

static void
tl_picture_area_unrealize (GtkWidget *widget)
{
  TlPictureArea *self = TL_PICTURE_AREA (widget);

  gtk_gl_area_make_current (GTK_GL_AREA (self));
  self->is_drawn = FALSE;
  tl_slice_layer_clear (&self->picture);
  tl_slice_layer_clear (&self->detail);
  tl_slice_layer_clear (&self->held);
  tl_slice_layer_clear (&self->opposite);
  g_clear_pointer (&self->held_frame, tl_frame_unref);
  g_clear_pointer (&self->opposite_frame, tl_frame_unref);
  g_clear_pointer (&self->pass, tl_slice_pass_free);
  GTK_WIDGET_CLASS (tl_picture_area_parent_class)->unrealize (widget);
}

static void
tl_picture_area_class_init (TlPictureAreaClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  GtkGLAreaClass *area_class = GTK_GL_AREA_CLASS (klass);

  widget_class->realize = tl_picture_area_realize;
  widget_class->unrealize = tl_picture_area_unrealize;
  widget_class->snapshot = tl_picture_area_snapshot;
  area_class->render = tl_picture_area_render;
  area_class->create_context = tl_gl_context_new;
}

/* "auto-render" stays on: GtkGLArea takes another of its textures for each
 * snapshot, and a texture that is not rendered anew is older or empty. */
static void
tl_picture_area_init (TlPictureArea *self)
{
  tl_camera_init (&self->camera);
}

GtkWidget *
tl_picture_area_new (void)
{
  return g_object_new (TL_TYPE_PICTURE_AREA, NULL);
}

void
tl_picture_area_bind (TlPictureArea *self, TlMeasure *measure,
                      TlCompare *compare)
{
  TlView *view = tl_compare_get_view (compare);
  TlSession *session = tl_view_get_session (view);

  g_return_if_fail (self->compare == NULL);

  self->measure = tl_keep (self, measure);
  self->compare = tl_keep (self, compare);
  self->view = tl_keep (self, view);
  tl_follow (compare, "", G_CALLBACK (queue_render), self);
  tl_follow (view, "low high colormap", G_CALLBACK (queue_render), self);
  tl_follow (session->display, "frame", G_CALLBACK (take_frame), self);
  tl_follow (session->display, "detail", G_CALLBACK (take_detail), self);
  tl_follow (session->display, "comparison", G_CALLBACK (take_held), self);
  g_signal_connect_object (get_overlay (self), "changed",
                           G_CALLBACK (take_opposite), self, G_CONNECT_SWAPPED);
  tl_follow (session->parameters, "recipe", G_CALLBACK (gtk_widget_queue_draw),
             self);
  tl_follow (measure, "colour-bar scale-bar",
             G_CALLBACK (gtk_widget_queue_draw), self);
}

void
tl_picture_area_set_camera (TlPictureArea *self, const TlCamera *camera)
{
  self->camera = *camera;
  queue_render (self);
}

void
tl_picture_area_set_held (TlPictureArea *self, TlLine line)
{
  self->held_line = line;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

gboolean
tl_picture_area_is_drawn (TlPictureArea *self)
{
  return self->is_drawn;
}
