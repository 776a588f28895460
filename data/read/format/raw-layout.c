#include "data/read/format/raw-layout.h"

#include "data/error.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* --- the layout as a text --- */

/* Reads "COLUMNSxROWS[xPROJECTIONS]". */
static gboolean
parse_sizes (const char *text, TlRawLayout *layout)
{
  guint64 sizes[3] = { 0 };
  g_auto (GStrv) words = g_strsplit (text, "x", -1);
  const guint n = g_strv_length (words);
  gboolean good = n == 2 || n == 3;
  for (guint i = 0; i < n && good; i++)
    good = g_ascii_string_to_unsigned (words[i], 10, 1, G_MAXINT32, &sizes[i],
                                       NULL);
  layout->n_cols = sizes[0];
  layout->n_rows = sizes[1];
  layout->n_images = sizes[2];
  return good;
}

/* Reads "uint16le". */
static gboolean
parse_type (const char *text, TlRawLayout *layout)
{
  g_autofree char *name = g_strdup (text);
  layout->is_big_endian = g_str_has_suffix (text, "be");
  if (layout->is_big_endian || g_str_has_suffix (text, "le"))
    name[strlen (name) - 2] = '\0';
  for (layout->stored = 0; layout->stored < TL_N_STORED_TYPES; layout->stored++)
    if (strcmp (name, tl_stored_get_name (layout->stored)) == 0)
      return TRUE;
  return FALSE;
}

/* Reads "header=512" or "gap=16". */
static gboolean
parse_more (const char *text, TlRawLayout *layout)
{
  guint64 *const bytes = g_str_has_prefix (text, "header=")
                             ? &layout->header_bytes
                         : g_str_has_prefix (text, "gap=") ? &layout->gap_bytes
                                                           : NULL;
  return bytes != NULL
         && g_ascii_string_to_unsigned (strchr (text, '=') + 1, 10, 0,
                                        G_MAXINT64, bytes, NULL);
}

gboolean
tl_raw_layout_parse (const char *text, TlRawLayout *layout, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (text, ":", -1);
  const guint n = g_strv_length (parts);
  *layout = (TlRawLayout){ 0 };
  gboolean good =
      n >= 2 && parse_sizes (parts[0], layout) && parse_type (parts[1], layout);
  for (guint i = 2; i < n && good; i++)
    good = parse_more (parts[i], layout);
  return good
         || tl_fail (error, TL_ERROR_VALUE,
                     _ ("\"%s\" does not say columns, rows, projections, type "
                        "and byte order as 2048x2048x1800:uint16le does, or "
                        "with :header=512 and :gap=16 the bytes before the "
                        "first image and between two"),
                     text);
}

char *
tl_raw_layout_format (const TlRawLayout *layout)
{
  GString *text = g_string_new (NULL);
  g_string_append_printf (text, "%zux%zu", layout->n_cols, layout->n_rows);
  if (layout->n_images > 0)
    g_string_append_printf (text, "x%zu", layout->n_images);
  g_string_append_printf (text, ":%s%s", tl_stored_get_name (layout->stored),
                          tl_stored_get_size (layout->stored) == 1 ? ""
                          : layout->is_big_endian                  ? "be"
                                                                   : "le");
  if (layout->header_bytes > 0)
    g_string_append_printf (text, ":header=%" G_GUINT64_FORMAT,
                            layout->header_bytes);
  if (layout->gap_bytes > 0)
    g_string_append_printf (text, ":gap=%" G_GUINT64_FORMAT, layout->gap_bytes);
  return g_string_free (text, FALSE);
}

/* --- sizes --- */

guint64
tl_raw_layout_count_bytes (const TlRawLayout *layout)
{
  const size_t size = tl_stored_get_size (layout->stored);
  guint64 each, bytes;
  if (!g_uint64_checked_mul (&each, layout->n_cols, layout->n_rows)
      || !g_uint64_checked_mul (&each, each, size)
      || !g_uint64_checked_add (&each, each, layout->gap_bytes)
      || !g_uint64_checked_mul (&bytes, each, layout->n_images)
      || !g_uint64_checked_add (&bytes, bytes, layout->header_bytes))
    return G_MAXUINT64;
  return layout->n_images > 0 ? bytes - layout->gap_bytes : bytes;
}

size_t
tl_raw_layout_count_images (TlRawLayout layout, guint64 size)
{
  layout.n_images = 1;
  const guint64 one = tl_raw_layout_count_bytes (&layout);
  const guint64 step = one - layout.header_bytes + layout.gap_bytes;
  return size < one ? 1 : 1 + (size_t)((size - one) / step);
}

/* --- a guess --- */

/* Images of detectors that beamlines use, the most usual first. */
static const struct
{
  size_t n_cols, n_rows;
} detectors[] = {
  { 2048, 2048 }, { 2560, 2160 }, { 1024, 1024 }, { 4096, 4096 },
  { 512, 512 },   { 2016, 2016 }, { 4008, 2672 }, { 2448, 2048 },
  { 5120, 5120 }, { 1920, 1200 },
};

static const guint64 headers[] = { 0, 512, 1024, 2048, 4096 };
static const TlStoredType types[] = { TL_SAMPLE_U16, TL_SAMPLE_U8 };

/* Other images are taken for square ones of these widths. */
#define MIN_SIDE 8
#define MAX_SIDE 16384

/* A slice needs about π/2 projections for each column.
 *
 * Returns: whether @size bytes are just images of these columns and rows, and
 *   their number is nearer to that than by @factor; it is put into both */
static gboolean
fits (TlRawLayout *layout, size_t n_cols, size_t n_rows, guint64 size,
      double *factor)
{
  TlRawLayout fit = *layout;
  fit.n_cols = n_cols;
  fit.n_rows = n_rows;
  fit.n_images = tl_raw_layout_count_images (fit, size);
  const double part = (double)fit.n_images / (G_PI_2 * (double)n_cols);
  const double off = fmax (part, 1 / part);
  if (tl_raw_layout_count_bytes (&fit) != size || off >= *factor)
    return FALSE;
  *layout = fit;
  *factor = off;
  return TRUE;
}

/* Returns: whether one of the detectors, or else a square one, fits */
static gboolean
guess_images (TlRawLayout *layout, guint64 size, gboolean is_square,
              double factor)
{
  gboolean found = FALSE;
  for (guint d = 0; d < G_N_ELEMENTS (detectors) && !is_square; d++)
    if (fits (layout, detectors[d].n_cols, detectors[d].n_rows, size, &factor))
      return TRUE;
  for (size_t side = MIN_SIDE; side <= MAX_SIDE && is_square; side++)
    found |= fits (layout, side, side, size, &factor);
  return found;
}

TlRawLayout
tl_raw_layout_guess (guint64 size)
{
  static const struct
  {
    gboolean is_square;
    double factor;
  } tries[] = { { FALSE, 3 }, { FALSE, 10 }, { TRUE, 10 } };
  TlRawLayout layout = { 0 };
  for (guint t = 0; t < G_N_ELEMENTS (types); t++)
    for (guint i = 0; i < G_N_ELEMENTS (tries); i++)
      for (guint h = 0; h < G_N_ELEMENTS (headers); h++)
        {
          layout =
              (TlRawLayout){ .stored = types[t], .header_bytes = headers[h] };
          if (guess_images (&layout, size, tries[i].is_square, tries[i].factor))
            return layout;
        }
  layout = (TlRawLayout){ .n_cols = detectors[0].n_cols,
                          .n_rows = detectors[0].n_rows,
                          .stored = types[0] };
  layout.n_images = tl_raw_layout_count_images (layout, size);
  return layout;
}
