#include "app/cli/render/draw-private.h"
#include "app/recon/volume/voxels.h"
#include "app/cli/output-private.h"
#include "app/cli/scan-private.h"
#include "data/array.h"
#include "data/error.h"
#include "data/write/writer.h"

#include <stdio.h>
#include <string.h>

/* Of compressed projections: little beside those of the volume. */
#define CHECK_BYTES ((guint64)64 << 20)

/* No display or printer shows more. */
#define MAX_SIDE 32768

#define STEP 0.5
#define MIN_STEP 0.05
#define MAX_STEP 10

/* The options and the state of the command. */
typedef struct
{
  char *path;          /* (nullable) */
  char *opacity;       /* (nullable): one of tl_volume_shape_names */
  TlVolumeShape shape; /* of that name */
  size_t max_cols;
  TlCliPicture picture;
  TlCliOutput files;
  TlCliScan scan;
  TlEngine *engine;
  TlRecon *recon;
  TlVoxels volume;
  TlVolumeLook look; /* settled, for the values of the volume */
  TlEngineReport engine_report;
  double volume_s;
} Render;

static gboolean
check_options (Render *r, GError **error)
{
  const TlCliPicture *picture = &r->picture;
  if (r->path == NULL || *r->path == '\0')
    return tl_cli_usage_error (error, "render needs a name: -o NAME.png");
  if (!tl_cli_has_suffix (r->path, ".png"))
    return tl_cli_usage_error (
        error, "%s: render writes a picture, whose name ends in .png", r->path);
  if (picture->width > MAX_SIDE || picture->height > MAX_SIDE)
    return tl_cli_usage_error (
        error, "--width and --height take up to %d pixels", MAX_SIDE);
  if (r->opacity != NULL && !tl_volume_shape_parse (r->opacity, &r->shape))
    {
      g_autofree char *names =
          g_strjoinv (", ", (char **)(gpointer)tl_volume_shape_names);
      return tl_cli_usage_error (error, "--opacity takes one of %s, not \"%s\"",
                                 names, r->opacity);
    }
  return (picture->step_voxels >= MIN_STEP && picture->step_voxels <= MAX_STEP)
         || tl_cli_usage_error (error,
                                "--step takes a number of voxels from %g to "
                                "%d, not %g",
                                MIN_STEP, MAX_STEP, picture->step_voxels);
}

/* The recipe stands beside the picture. */
static gboolean
check_files (Render *r, GError **error)
{
  const char *scan = tl_reader_get_info (r->scan.reader)->path;
  g_autofree char *recipe = tl_cli_swap_suffix (r->path, ".ini");
  g_autofree char *folder = g_path_get_dirname (r->path);
  if (!tl_cli_check_folder (r->path, error)
      || !tl_cli_check_recipe (recipe, error)
      || !tl_cli_check_raw_folder (scan, folder, error))
    return FALSE;
  tl_cli_output_add (&r->files, g_strdup (r->path));
  tl_cli_output_add (&r->files, g_steal_pointer (&recipe));
  for (guint k = 0; k < r->files.paths->len; k++)
    if (!tl_check_output (scan, r->files.paths->pdata[k], error))
      return FALSE;
  return tl_cli_output_check (&r->files, error);
}

static gboolean
make_volume (Render *r, GCancellable *cancellable, GError **error)
{
  const gint64 start_us = g_get_monotonic_time ();
  const TlScanInfo *info = tl_reader_get_info (r->scan.reader);
  TlCliProgress progress = { .word = "reconstructing",
                             .n_slices = info->n_rows };
  r->engine = tl_engine_open (r->scan.recipe->engine, error);
  if (r->engine == NULL)
    return FALSE;
  /* the blocks of rows need the same compressed projections */
  tl_reader_set_budget (r->scan.reader, tl_get_machine_bytes () / 4);
  r->recon = tl_recon_new (g_steal_pointer (&r->scan.reader), r->engine);
  if (!tl_cli_scan_find_centre (&r->scan, r->recon, info->n_rows / 2,
                                cancellable, error))
    return FALSE;
  tl_cli_scan_note_tilt (&r->scan, info, 0, info->n_rows - 1);
  const gboolean good =
      tl_voxels_make (&r->volume, r->recon, r->scan.recipe, tl_cli_progress,
                      &progress, cancellable, error);
  tl_cli_progress_end (&progress);
  r->volume_s = (double)(g_get_monotonic_time () - start_us) / 1e6;
  return good && tl_engine_get_report (r->engine, &r->engine_report, error);
}

/* Returns: the look with attenuations per pixel of the detector, as the recipe
 * and options have them */
static TlVolumeLook
get_detector_look (const Render *r)
{
  return tl_volume_look_from_bins (&r->look, r->scan.recipe->bin);
}

/* Gives the recipe the points of an opacity that a name has chosen. */
static void
keep_points (Render *r)
{
  const TlVolumeLook look = get_detector_look (r);
  TlVolumeLook *given = &r->scan.recipe->look;
  given->n_points = look.n_points;
  memcpy (given->points, look.points, sizeof look.points);
}

/* Only the points of a named opacity go into the recipe. Other values stay as
 * given: converting them to bins and back would round them anew with each
 * picture. */
static void
settle (Render *r)
{
  const TlVoxels *volume = &r->volume;
  TlVolumeClasses classes;
  tl_volume_find_classes (volume->values,
                          volume->n[0] * volume->n[1] * volume->n[2], &classes);
  r->look = tl_volume_look_to_bins (&r->scan.recipe->look, r->scan.recipe->bin);
  if (r->opacity != NULL)
    {
      tl_volume_look_shape (&r->look, r->shape, &classes);
      keep_points (r);
    }
  tl_volume_look_settle (&r->look, &classes);
}

/* Returns: whether all pixels are alike, or no largest value of a ray reaches
 * into the window, so that the volume is a box in the first colour. A single
 * pixel says nothing. */
static gboolean
is_blank (const Render *r)
{
  static const guint8 background[4] = { 0, 0, 0, 255 };
  const guint8 *first = r->picture.rgba;
  const size_t n = r->picture.width * r->picture.height;
  guint8 colours[4 * TL_COLORMAP_SIZE];
  gboolean are_alike = TRUE, are_low = r->look.way == TL_VOLUME_MAXIMUM;
  tl_colormap_fill (r->look.colormap, colours);
  for (size_t k = 0; k < n && (are_alike || are_low); k++)
    {
      const guint8 *pixel = first + 4 * k;
      are_alike = are_alike && memcmp (pixel, first, 4) == 0;
      are_low = are_low
                && (memcmp (pixel, background, 4) == 0
                    || memcmp (pixel, colours, 4) == 0);
    }
  return n > 1 && (are_alike || are_low);
}

static void
note_blank (Render *r)
{
  if (!is_blank (r))
    return;
  const TlVolumeLook look = get_detector_look (r);
  tl_cli_scan_take_note (
      &r->scan,
      g_strdup_printf ("nothing of the sample is visible with the window %.6g "
                       "… %.6g, the threshold %.6g and this camera; without "
                       "--window, --threshold and the options of the camera "
                       "the program chooses them",
                       look.low, look.high, look.threshold));
}

static gboolean
write_files (Render *r, GError **error)
{
  const char *recipe = r->files.paths->pdata[1];
  g_autofree char *hidden = tl_cli_output_hide (&r->files, r->path, error);
  g_autofree char *hidden_recipe =
      hidden != NULL ? tl_cli_output_hide (&r->files, recipe, error) : NULL;
  return hidden_recipe != NULL
         && tl_write_png_colours (hidden, r->picture.rgba, r->picture.height,
                                  r->picture.width, error)
         && tl_recipe_save (r->scan.recipe, r->scan.path, hidden_recipe, error)
         && tl_cli_output_commit (&r->files, error);
}

static void
report (Render *r)
{
  const TlCliPicture *picture = &r->picture;
  const size_t *n = r->volume.n;
  const TlVolumeLook look = get_detector_look (r);
  const char *way = tl_volume_way_names[look.way];
  const char *method =
      tl_method_names[tl_variant_get_method (r->engine_report.variant)];
  TlJson *json = r->scan.json;
  g_autofree char *axis = tl_cli_scan_dup_axis (&r->scan);
  if (json == NULL)
    printf ("%s: %zu x %zu pixels of %zu x %zu x %zu voxels (bins of %u), %s, "
            "window %.6g … %.6g, threshold %.6g, %s\n"
            "reconstructed in %.2f s by %s, %s, drawn in %.2f s by %s\n",
            r->path, picture->width, picture->height, n[0], n[1], n[2],
            r->scan.recipe->bin, way, look.low, look.high, look.threshold, axis,
            r->volume_s, tl_engine_get_name (r->engine), method,
            picture->seconds, picture->gl);
  tl_cli_scan_add_json (&r->scan, json);
  tl_json_add (json,
               "output: %s, width: %zu, height: %zu, columns: %zu, rows: %zu, "
               "slices: %zu, bin: %u, way: %s, window: [%f, %f], threshold: "
               "%f, transfer: [",
               r->path, picture->width, picture->height, n[0], n[1], n[2],
               r->scan.recipe->bin, way, look.low, look.high, look.threshold);
  for (guint k = 0; k < look.n_points; k++)
    tl_json_add (json, "[%f, %f]", look.points[k].value,
                 look.points[k].opacity);
  tl_json_add (json,
               "], engine: %s, method: %s, volume_s: %f, opengl: %s, "
               "draw_s: %f, peak_bytes: %zu",
               tl_engine_get_name (r->engine), method, r->volume_s, picture->gl,
               picture->seconds, tl_cli_peak_bytes ());
  tl_cli_scan_add_notes (&r->scan, json);
  tl_json_print (json);
}

static gboolean
run (Render *r, GCancellable *cancellable, GError **error)
{
  /* before the volume, which takes longer */
  if (!check_files (r, error) || !tl_cli_picture_open (&r->picture, error))
    return FALSE;
  tl_cli_scan_note_odd (&r->scan, CHECK_BYTES, cancellable);
  if (!make_volume (r, cancellable, error))
    return FALSE;
  settle (r);
  if (!tl_cli_picture_draw (&r->picture, r->volume.values, r->volume.n,
                            &r->scan.recipe->camera, &r->look, error)
      || !write_files (r, error))
    return FALSE;
  note_blank (r);
  report (r);
  return TRUE;
}

static void
clear (Render *r)
{
  tl_cli_picture_clear (&r->picture);
  tl_voxels_clear (&r->volume);
  g_clear_pointer (&r->recon, tl_recon_free);
  g_clear_pointer (&r->engine, tl_engine_close);
  tl_cli_scan_clear (&r->scan);
}

static gboolean
is_not_slice (const TlParamSpec *key)
{
  return strcmp (key->key, "slice") != 0;
}

gboolean
tl_cli_render (char **args, GCancellable *cancellable, GError **error)
{
  Render r = { .picture = {
                   .width = 800, .height = 800, .step_voxels = STEP } };
  const TlCliSize sizes[] = {
    { "size", &r.max_cols,
      "columns and rows of a slice, at most (256; up to 512 in the bins of a "
      "recipe)" },
    { "width", &r.picture.width, "columns of the picture (800)" },
    { "height", &r.picture.height, "rows of the picture (800)" },
    { 0 },
  };
  const GOptionEntry own[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &r.path,
      "the picture, with the recipe beside it", "NAME.png" },
    TL_CLI_OVERWRITE (&r.files.overwrite),
    { "step", 0, 0, G_OPTION_ARG_DOUBLE, &r.picture.step_voxels,
      "from one sample of a ray to the next; longer ones are quicker (0.5)",
      "VOXELS" },
    { "opacity", 0, 0, G_OPTION_ARG_STRING, &r.opacity,
      "shape of the fog's opacity, from the values of the volume, in place of "
      "the transfer of a recipe: ramp, band, dense or glass",
      "SHAPE" },
    { 0 },
  };
  g_auto (TlCliLine) line = { 0 };
  g_auto (GStrv) rest = g_strdupv (args);
  tl_cli_line_init (
      &line, "FILE -o NAME.png",
      "Draws the whole sample in three dimensions, without a display, by "
      "OpenGL. "
      "Pixels and projections are read in bins, as large as --size needs or a "
      "recipe says; --centre and --pixel-size count the pixels of the scan. "
      "FILE may be a recipe that names its scan.",
      sizes, own);
  line.takes_auto = TRUE;
  line.takes_volume = TRUE;
  line.chooses_bin = TRUE;
  tl_cli_line_add_keys (&line, is_not_slice);
  gboolean good = tl_cli_line_parse (&line, &rest, error)
                  && tl_cli_line_check_scan (&line, rest, error)
                  && check_options (&r, error);
  if (good && r.opacity != NULL && tl_cli_line_has (&line, "transfer"))
    good = tl_cli_usage_error (error, "--opacity chooses what --transfer says; "
                                      "give one of them");
  line.max_cols = r.max_cols;
  good =
      good
      && tl_cli_scan_open (&r.scan, &line, rest[1], FALSE, cancellable, error)
      && run (&r, cancellable, error);
  tl_cli_explain_cancel (error, "%s: the picture was interrupted", r.scan.path);
  tl_cli_output_clear (&r.files, error);
  clear (&r);
  return good;
}
