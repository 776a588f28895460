#include "ui/candidates/candidate-tiles.h"

#include "render/tint.h"

/* Time for colouring within one frame of the screen. At least one picture is
 * coloured, however long it takes. */
#define BUDGET_US 6000

typedef struct
{
  GdkTexture *texture;    /* (nullable): the first picture has not come yet */
  double row, col, pitch; /* place of the texture in the slice, pixels */
  gboolean is_old;        /* the picture or its colours have changed */
} Tile;

struct TlCandidateTiles
{
  GtkWidget *widget; /* not owned */
  TlView *view;
  TlCandidates *candidates;
  GArray *tiles;
  guint tick_id; /* 0: no texture waits for an update */
};

static void
clear_tile (gpointer tile)
{
  g_clear_object (&((Tile *)tile)->texture);
}

static Tile *
get_tile (TlCandidateTiles *self, guint index)
{
  return &g_array_index (self->tiles, Tile, index);
}

/* --- colours --- */

static void
tint (TlCandidateTiles *self, guint index)
{
  Tile *tile = get_tile (self, index);
  const TlCandidate *candidate = tl_candidates_get (self->candidates, index);
  g_autoptr (GBytes) bytes = NULL;
  size_t n_rows, n_cols;
  guint8 *rgba;

  tile->is_old = FALSE;
  if (candidate->frame == NULL)
    return;
  rgba = tl_tint_frame (candidate->frame, tl_view_get_colormap (self->view),
                        tl_view_get_low (self->view),
                        tl_view_get_high (self->view), &n_rows, &n_cols);
  if (rgba == NULL)
    return;
  bytes = g_bytes_new_take (rgba, 4 * n_rows * n_cols);
  g_clear_object (&tile->texture);
  tile->texture = gdk_memory_texture_new ((int)n_cols, (int)n_rows,
                                          GDK_MEMORY_R8G8B8A8_PREMULTIPLIED,
                                          bytes, 4 * n_cols);
  tile->row = candidate->row;
  tile->col = candidate->col;
  tile->pitch = candidate->pitch;
}

/* Returns: the first old tile without a texture, else the first old tile; the
 * number of tiles if none is old */
static guint
find_next (TlCandidateTiles *self)
{
  guint next = self->tiles->len;

  for (guint i = self->tiles->len; i-- > 0;)
    {
      const Tile *tile = get_tile (self, i);

      if (tile->is_old
          && (tile->texture == NULL || next == self->tiles->len
              || get_tile (self, next)->texture != NULL))
        next = i;
    }
  return next;
}

static gboolean
on_tick (GtkWidget *widget, GdkFrameClock *clock, gpointer tiles)
{
  TlCandidateTiles *self = tiles;
  gint64 end_us = g_get_monotonic_time () + BUDGET_US;
  guint next = find_next (self);

  if (next < self->tiles->len)
    gtk_widget_queue_draw (widget);
  for (; next < self->tiles->len; next = find_next (self))
    {
      tint (self, next);
      if (g_get_monotonic_time () >= end_us)
        return G_SOURCE_CONTINUE;
    }
  self->tick_id = 0;
  return G_SOURCE_REMOVE;
}

static void
start (TlCandidateTiles *self)
{
  if (self->tick_id == 0)
    self->tick_id =
        gtk_widget_add_tick_callback (self->widget, on_tick, self, NULL);
}

/* --- changes of the candidates --- */

static void
on_changed (TlCandidateTiles *self, guint index)
{
  if (index >= self->tiles->len)
    return;
  /* the candidates were cleared: the texture belongs to another scan */
  if (tl_candidates_get (self->candidates, index)->frame == NULL)
    g_clear_object (&get_tile (self, index)->texture);
  get_tile (self, index)->is_old = TRUE;
  start (self);
}

static void
on_colours (TlCandidateTiles *self)
{
  for (guint i = 0; i < self->tiles->len; i++)
    get_tile (self, i)->is_old = TRUE;
  start (self);
}

static void
on_n (TlCandidateTiles *self)
{
  g_array_set_size (self->tiles, 0);
  g_array_set_size (self->tiles, tl_candidates_get_n (self->candidates));
  on_colours (self);
}

/* --- functions for the widget --- */

TlCandidateTiles *
tl_candidate_tiles_new (GtkWidget *widget, TlView *view)
{
  static const char *const colours[] = { "notify::low", "notify::high",
                                         "notify::colormap" };
  TlCandidateTiles *self = g_new0 (TlCandidateTiles, 1);

  self->widget = widget;
  self->view = g_object_ref (view);
  self->candidates =
      g_object_ref (tl_session_get_candidates (tl_view_get_session (view)));
  self->tiles = g_array_new (FALSE, TRUE, sizeof (Tile));
  g_array_set_clear_func (self->tiles, clear_tile);
  for (guint i = 0; i < G_N_ELEMENTS (colours); i++)
    g_signal_connect_swapped (view, colours[i], G_CALLBACK (on_colours), self);
  g_signal_connect_swapped (self->candidates, "changed",
                            G_CALLBACK (on_changed), self);
  g_signal_connect_swapped (self->candidates, "notify::n", G_CALLBACK (on_n),
                            self);
  on_n (self);
  return self;
}

void
tl_candidate_tiles_free (TlCandidateTiles *self)
{
  if (self->tick_id != 0)
    gtk_widget_remove_tick_callback (self->widget, self->tick_id);
  g_signal_handlers_disconnect_by_data (self->candidates, self);
  g_signal_handlers_disconnect_by_data (self->view, self);
  g_array_unref (self->tiles);
  g_object_unref (self->candidates);
  g_object_unref (self->view);
  g_free (self);
}

void
tl_candidate_tiles_draw (TlCandidateTiles *self, guint index,
                         GtkSnapshot *snapshot, const TlCamera *camera,
                         double x, double y)
{
  const Tile *tile = get_tile (self, index);
  TlCamera onto;
  double left, top;
  int width, height;

  if (tile->texture == NULL)
    return;
  width = gdk_texture_get_width (tile->texture);
  height = gdk_texture_get_height (tile->texture);
  onto = tl_camera_onto (camera, tile->col, tile->row, tile->pitch,
                         (size_t)width, (size_t)height);
  /* a pixel reaches half to either side of its centre */
  tl_camera_to_widget (&onto, -0.5, -0.5, &left, &top);
  gtk_snapshot_append_texture (
      snapshot, tile->texture,
      &GRAPHENE_RECT_INIT ((float)(x + left), (float)(y + top),
                           (float)(width * onto.scale),
                           (float)(height * onto.scale)));
}

gboolean
tl_candidate_tiles_are_new (TlCandidateTiles *self)
{
  return self->tick_id == 0;
}
