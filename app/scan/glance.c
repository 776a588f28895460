#include "app/scan/glance.h"

#include "app/recon/small-projection.h"
#include "data/array.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

enum
{
  MAX_SIZE = 96 /* pixels, the longer side */
};

/* @pixels: (out caller-allocates): [@n][3] */
static void
make_grey (const float *values, size_t n, guint8 *pixels)
{
  g_autofree float *sorted = g_new (float, n + 1);
  size_t n_finite = 0;
  for (size_t i = 0; i < n; i++)
    if (isfinite (values[i]))
      sorted[n_finite++] = values[i];
  sorted[n_finite] = 0;
  tl_sort_floats (sorted, n_finite);
  const size_t margin = n_finite / 100;
  const float low = sorted[margin];
  const float high = sorted[n_finite > 0 ? n_finite - 1 - margin : 0];
  for (size_t i = 0; i < n; i++)
    {
      const float part = (values[i] - low) / (high - low);
      const int grey = part > 0 ? (int)(255 * fminf (part, 1)) : 0;
      memset (pixels + 3 * i, grey, 3);
    }
}

static void
take_picture (TlGlance *glance, TlReader *reader)
{
  size_t n_rows, n_cols;
  g_autofree float *values =
      tl_small_projection_read (reader, MAX_SIZE, &n_rows, &n_cols, NULL);
  if (values == NULL)
    return;
  guint8 *pixels = g_malloc (3 * n_rows * n_cols);
  make_grey (values, n_rows * n_cols, pixels);
  glance->n_rows = n_rows;
  glance->n_cols = n_cols;
  glance->pixels = g_bytes_new_take (pixels, 3 * n_rows * n_cols);
}

TlGlance *
tl_glance_take (const char *file, const char *path, GCancellable *cancellable)
{
  const TlReaderOptions options = { .data_path = path,
                                    .cancellable = cancellable };
  g_autoptr (GError) error = NULL;
  TlGlance *glance = g_new0 (TlGlance, 1);
  g_autoptr (TlReader) reader = tl_reader_open (file, &options, &error);
  if (reader == NULL)
    {
      glance->text = g_strdup (error->message);
      return glance;
    }
  const TlScanInfo *info = tl_reader_get_info (reader);
  /* translators: layout; projections, rows, columns; type of the samples */
  glance->text = g_strdup_printf (
      _ ("%s: %zu × %zu × %zu, %s; flats: %zu, darks: %zu"), info->format,
      info->n_projections, info->n_rows, info->n_cols,
      tl_sample_name (info->type), info->n_flats, info->n_darks);
  take_picture (glance, reader);
  return glance;
}

void
tl_glance_free (TlGlance *glance)
{
  g_free (glance->text);
  g_clear_pointer (&glance->pixels, g_bytes_unref);
  g_free (glance);
}
