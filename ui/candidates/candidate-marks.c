#include "ui/candidates/candidate-marks.h"

#include "ui/plot/plot.h"

#include <math.h>

/* All in widget units. */
#define BAR_HEIGHT 4.0
#define PADDING 2.0 /* above and below the words, and beside them */
#define THIN 1.0
#define THICK 3.0 /* frame of the present axis */
#define FOCUS 2.0 /* frame of the focus, around picture and caption */

/* Opacities of the text's colour. */
#define TRACK_ALPHA 0.15F
#define BAR_ALPHA 0.5F
#define FRAME_ALPHA 0.5F

typedef struct
{
  double x, y; /* of the picture */
  gboolean is_best, is_present;
  GdkRGBA text, accent, on_accent;
} Tile;

double
tl_candidate_marks_measure (GtkWidget *widget)
{
  double width, height;

  g_object_unref (tl_words_new (widget, "★0", &width, &height));
  return height + 2 * PADDING + BAR_HEIGHT;
}

static void
find_colours (Tile *tile, GtkWidget *widget)
{
  GtkStyleContext *style = gtk_widget_get_style_context (widget);

  gtk_style_context_get_color (style, &tile->text);
  tile->accent = tile->on_accent = tile->text;
  if (gtk_style_context_lookup_color (style, "theme_selected_bg_color",
                                      &tile->accent))
    gtk_style_context_lookup_color (style, "theme_selected_fg_color",
                                    &tile->on_accent);
}

static GdkRGBA
fade (GdkRGBA colour, float alpha)
{
  colour.alpha *= alpha;
  return colour;
}

/* --- rectangles --- */

static void
fill (GtkSnapshot *snapshot, const GdkRGBA *colour, double x, double y,
      double width, double height)
{
  gtk_snapshot_append_color (
      snapshot, colour,
      &GRAPHENE_RECT_INIT ((float)x, (float)y, (float)width, (float)height));
}

/* Draws a frame of @thick widget units outside the rectangle. */
static void
frame (GtkSnapshot *snapshot, const GdkRGBA *colour, double x, double y,
       double width, double height, double thick)
{
  const GdkRGBA colours[4] = { *colour, *colour, *colour, *colour };
  const float t = (float)thick;
  const float widths[4] = { t, t, t, t };
  GskRoundedRect outline;

  gsk_rounded_rect_init_from_rect (
      &outline,
      &GRAPHENE_RECT_INIT ((float)(x - thick), (float)(y - thick),
                           (float)(width + 2 * thick),
                           (float)(height + 2 * thick)),
      t);
  gtk_snapshot_append_border (snapshot, &outline, widths, colours);
}

/* --- a tile --- */

/* The figure is left out if it does not fit beside the centre. */
static void
draw_caption (const TlCandidateMarks *marks, guint index, GtkSnapshot *snapshot,
              const Tile *tile)
{
  const double room = marks->layout->width - 2 * PADDING;
  const double top = tile->y + marks->layout->height + PADDING;
  const GdkRGBA *colour = tile->is_present ? &tile->on_accent : &tile->text;
  g_autofree char *centre = tl_candidate_text_centre (marks->candidates, index);
  g_autofree char *value = tl_candidate_text_value (marks->candidates, index);
  g_autofree char *name = g_strconcat (tile->is_best ? "★ " : "", centre, NULL);
  double name_width, value_width, height;
  g_autoptr (PangoLayout) name_text =
      tl_words_new (marks->widget, name, &name_width, &height);
  g_autoptr (PangoLayout) value_text =
      tl_words_new (marks->widget, value, &value_width, &height);

  if (tile->is_present)
    fill (snapshot, &tile->accent, tile->x, top - PADDING, marks->layout->width,
          height + 2 * PADDING);
  if (name_width > room)
    {
      pango_layout_set_width (name_text, (int)(room * PANGO_SCALE));
      pango_layout_set_ellipsize (name_text, PANGO_ELLIPSIZE_START);
    }
  tl_words_append (snapshot, name_text, colour, tile->x + PADDING, top);
  if (name_width + 4 * PADDING + value_width > room)
    return;
  tl_words_append (snapshot, value_text, colour,
                   tile->x + PADDING + room - value_width, top);
}

/* The bar's length is the score: none for the worst candidate, the full width
 * for the best. */
static void
draw_bar (const TlCandidateMarks *marks, guint index, GtkSnapshot *snapshot,
          const Tile *tile)
{
  const TlCandidate *candidate = tl_candidates_get (marks->candidates, index);
  const double width = marks->layout->width;
  const double y =
      tile->y + marks->layout->height + marks->layout->caption - BAR_HEIGHT;
  GdkRGBA track = fade (tile->text, TRACK_ALPHA);
  GdkRGBA bar = tile->is_best ? tile->accent : fade (tile->text, BAR_ALPHA);

  if (!candidate->has_value)
    return;
  fill (snapshot, &track, tile->x, y, width, BAR_HEIGHT);
  fill (snapshot, &bar, tile->x, y, width * candidate->score, BAR_HEIGHT);
}

static void
draw_frames (const TlCandidateMarks *marks, guint index, GtkSnapshot *snapshot,
             const Tile *tile)
{
  const TlTileLayout *layout = marks->layout;
  GdkRGBA thin = fade (tile->text, FRAME_ALPHA);

  if (tile->is_present)
    frame (snapshot, &tile->accent, tile->x + THICK, tile->y + THICK,
           layout->width - 2 * THICK, layout->height - THICK, THICK);
  else if (index == marks->pointed)
    frame (snapshot, &thin, tile->x, tile->y, layout->width, layout->height,
           THIN);
  if (index == marks->focused)
    frame (snapshot, &tile->text, tile->x - 1, tile->y - 1, layout->width + 2,
           layout->height + layout->caption + 2, FOCUS);
}

void
tl_candidate_marks_draw (const TlCandidateMarks *marks, guint index,
                         GtkSnapshot *snapshot)
{
  Tile tile = {
    .is_best = tl_candidates_get_best (marks->candidates) == (int)index,
    .is_present = tl_candidates_get_chosen (marks->candidates) == (int)index,
  };

  find_colours (&tile, marks->widget);
  tl_tile_layout_place (marks->layout, index, &tile.x, &tile.y);
  draw_caption (marks, index, snapshot, &tile);
  draw_bar (marks, index, snapshot, &tile);
  draw_frames (marks, index, snapshot, &tile);
}
