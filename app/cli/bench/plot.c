#include "app/cli/bench/plot-private.h"

#include "data/error.h"
#include "data/write/part-file.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <math.h>
#include <unistd.h>

/* Size of the plot and its margins around the axes, in pixels. */
#define WIDTH 960.0
#define HEIGHT 540.0
#define LEFT 74.0
#define RIGHT 280.0
#define TOP 48.0
#define BOTTOM 62.0
#define MIN_TICK_DISTANCE 38.0
#define LEGEND_STEP 22.0

static const char *const colours[TL_N_KERNELS] = {
  [TL_KERNEL_AUTO] = "#222222",    [TL_KERNEL_STANDARD] = "#767676",
  [TL_KERNEL_TEXTURE] = "#1f6fb4", [TL_KERNEL_TEXTURE_QUARTERS] = "#8e5bb5",
  [TL_KERNEL_ALU] = "#d2691e",     [TL_KERNEL_HYBRID] = "#1d8a4b",
};

typedef struct
{
  GString *svg;
  const size_t *sizes;
  size_t n_sizes;
  double step, top; /* GU/s between grid lines, and at the uppermost one */
} Plot;

static double
find_x (const Plot *plot, double size)
{
  const double first = log2 ((double)plot->sizes[0]);
  const double last = log2 ((double)plot->sizes[plot->n_sizes - 1]);
  const double width = WIDTH - LEFT - RIGHT;
  return plot->n_sizes == 1
             ? LEFT + width / 2.0
             : LEFT + (log2 (size) - first) / (last - first) * width;
}

static double
find_y (const Plot *plot, double rate)
{
  return HEIGHT - BOTTOM - rate / plot->top * (HEIGHT - TOP - BOTTOM);
}

/* Chooses a step of 1, 2 or 5 times a power of ten that gives four to ten
 * grid lines. */
static void
choose_scale (Plot *plot, const TlBenchSeries *series, size_t n_series)
{
  double max = 0.0;
  for (size_t k = 0; k < n_series; k++)
    for (size_t i = 0; i < plot->n_sizes; i++)
      if (series[k].values[i] > max)
        max = series[k].values[i];
  if (max <= 0.0)
    max = 1.0;
  const double power = pow (10.0, floor (log10 (max / 4.0)));
  const double leading = max / 4.0 / power;
  plot->step = power * (leading < 2.0 ? 1.0 : leading < 5.0 ? 2.0 : 5.0);
  plot->top = plot->step * ceil (max / plot->step);
}

static void
add_text (Plot *plot, double x, double y, const char *anchor, const char *text)
{
  g_autofree char *escaped = g_markup_escape_text (text, -1);
  g_string_append_printf (
      plot->svg, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n",
      x, y, anchor, escaped);
}

static void
add_line (Plot *plot, double x0, double y0, double x1, double y1)
{
  g_string_append_printf (
      plot->svg, "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"#dddddd\"/>\n", x0,
      y0, x1, y1);
}

static void
add_grid (Plot *plot, const char *title)
{
  const double right = WIDTH - RIGHT, bottom = HEIGHT - BOTTOM;
  double last_x = -MIN_TICK_DISTANCE;
  for (double rate = 0.0; rate < plot->top + plot->step / 2.0;
       rate += plot->step)
    {
      g_autofree char *label = g_strdup_printf ("%g", rate);
      add_line (plot, LEFT, find_y (plot, rate), right, find_y (plot, rate));
      add_text (plot, LEFT - 8.0, find_y (plot, rate) + 4.5, "end", label);
    }
  for (size_t k = 0; k < plot->n_sizes; k++)
    {
      const double x = find_x (plot, (double)plot->sizes[k]);
      g_autofree char *label = g_strdup_printf ("%zu", plot->sizes[k]);
      add_line (plot, x, TOP, x, bottom);
      if (x - last_x < MIN_TICK_DISTANCE)
        continue;
      add_text (plot, x, bottom + 20.0, "middle", label);
      last_x = x;
    }
  g_string_append_printf (
      plot->svg,
      "<path d=\"M%.1f %.1fV%.1fH%.1f\" fill=\"none\" stroke=\"#222222\"/>\n",
      LEFT, TOP, bottom, right);
  add_text (plot, (LEFT + right) / 2.0, bottom + 44.0, "middle",
            "columns and projections");
  add_text (plot, LEFT - 8.0, TOP - 14.0, "end", "GU/s");
  add_text (plot, (LEFT + right) / 2.0, TOP - 20.0, "middle", title);
}

static void
add_marker (Plot *plot, const TlBenchSeries *series, double x, double y)
{
  const char *colour = colours[series->kernel];
  g_string_append_printf (
      plot->svg,
      "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\" "
      "stroke=\"%s\" stroke-width=\"1.5\"/>\n",
      x, y, series->is_hollow ? "#ffffff" : colour, colour);
}

static void
begin_curve (Plot *plot)
{
  g_string_append (plot->svg, "<path fill=\"none\" d=\"");
}

static void
end_curve (Plot *plot, const TlBenchSeries *series)
{
  g_string_append_printf (plot->svg,
                          "\" stroke=\"%s\" stroke-width=\"2\"%s/>\n",
                          colours[series->kernel],
                          series->is_dashed ? " stroke-dasharray=\"6 4\"" : "");
}

/* Adds a curve, which is interrupted where a value is missing. */
static void
add_series (Plot *plot, const TlBenchSeries *series)
{
  gboolean is_begun = FALSE;
  begin_curve (plot);
  for (size_t k = 0; k < plot->n_sizes; k++)
    {
      if (isfinite (series->values[k]))
        g_string_append_printf (plot->svg, "%c%.1f %.1f", is_begun ? 'L' : 'M',
                                find_x (plot, (double)plot->sizes[k]),
                                find_y (plot, series->values[k]));
      is_begun = isfinite (series->values[k]);
    }
  end_curve (plot, series);
  for (size_t k = 0; k < plot->n_sizes; k++)
    if (isfinite (series->values[k]))
      add_marker (plot, series, find_x (plot, (double)plot->sizes[k]),
                  find_y (plot, series->values[k]));
}

/* @place: 0 for the uppermost entry */
static void
add_to_legend (Plot *plot, const TlBenchSeries *series, size_t place)
{
  const double x = WIDTH - RIGHT + 18.0;
  const double y = TOP + 8.0 + LEGEND_STEP * (double)place;
  begin_curve (plot);
  g_string_append_printf (plot->svg, "M%.1f %.1fh36", x, y);
  end_curve (plot, series);
  add_marker (plot, series, x + 18.0, y);
  add_text (plot, x + 46.0, y + 4.5, "start", series->label);
}

gboolean
tl_bench_check_plot (const char *path, GError **error)
{
  if (!g_str_has_suffix (path, ".svg"))
    return tl_cli_usage_error (
        error,
        "--plot draws SVG: the file's name has to end in "
        ".svg, not \"%s\"",
        path);
  g_autofree char *folder = g_path_get_dirname (path);
  const gboolean is_folder = g_file_test (path, G_FILE_TEST_IS_DIR);
  if (!is_folder && g_access (folder, W_OK | X_OK) == 0)
    return TRUE;
  return tl_fail (error, TL_ERROR_FILE, "%s: the plot cannot be written: %s",
                  path, g_strerror (is_folder ? EISDIR : errno));
}

gboolean
tl_bench_plot (const char *path, gboolean overwrites, const char *title,
               const size_t *sizes, size_t n_sizes, const TlBenchSeries *series,
               size_t n_series, GError **error)
{
  g_autoptr (GString) svg = g_string_new (NULL);
  Plot plot = { .svg = svg, .sizes = sizes, .n_sizes = n_sizes };
  choose_scale (&plot, series, n_series);
  g_string_append_printf (
      svg,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" "
      "viewBox=\"0 0 %g %g\" font-family=\"sans-serif\" font-size=\"13\">\n"
      "<rect width=\"%g\" height=\"%g\" fill=\"#ffffff\"/>\n",
      WIDTH, HEIGHT, WIDTH, HEIGHT, WIDTH, HEIGHT);
  add_grid (&plot, title);
  for (size_t k = 0; k < n_series; k++)
    add_series (&plot, &series[k]);
  for (size_t k = 0; k < n_series; k++)
    add_to_legend (&plot, &series[k], k);
  g_string_append (svg, "</svg>\n");
  return tl_write_file (path, svg->str, svg->len, overwrites, error);
}
