#include "data/read/raw-private.h"

#include "data/error.h"
#include "data/read/change.h"
#include "data/read/place-private.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct
{
  int fd;
  char *name;
  TlRawLayout layout;
  gint64 changed_us;
  size_t n_found; /* by next() */
} Raw;

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

/* --- the file --- */

guint64
tl_raw_count_bytes (const TlRawLayout *layout)
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

/* Returns: how many whole images a file of @size bytes has, at least 1 */
static size_t
count_images (TlRawLayout layout, guint64 size)
{
  layout.n_images = 1;
  const guint64 one = tl_raw_count_bytes (&layout);
  const guint64 step = one - layout.header_bytes + layout.gap_bytes;
  return size < one ? 1 : 1 + (size_t)((size - one) / step);
}

/* Returns: (transfer full): as tl_raw_layout_parse() takes it */
static char *
format_layout (const TlRawLayout *layout)
{
  GString *text = g_string_new (NULL);
  g_string_append_printf (text, "%zux%zux%zu:%s%s", layout->n_cols,
                          layout->n_rows, layout->n_images,
                          tl_stored_get_name (layout->stored),
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

/* Returns: (transfer full): what a file of @size bytes would be with images of
 * the same columns and rows: another number of them, samples of another type,
 * or a longer header; "" if it has no such image */
static char *
suggest (const TlRawLayout *layout, guint64 size)
{
  TlRawLayout fit = *layout;
  fit.n_images = count_images (fit, size);
  const guint64 bytes = tl_raw_count_bytes (&fit);
  if (bytes != size)
    {
      TlRawLayout other = *layout;
      for (other.stored = 0; other.stored < TL_N_STORED_TYPES
                             && tl_raw_count_bytes (&other) != size;)
        other.stored++;
      if (other.stored < TL_N_STORED_TYPES)
        fit = other;
      else if (bytes < size)
        fit.header_bytes += size - bytes;
      else
        return g_strdup ("");
    }
  g_autofree char *text = format_layout (&fit);
  return g_strdup_printf (_ ("; raw=%s would fit"), text);
}

gpointer
tl_raw_take (int fd, const char *name, const TlRawLayout *layout,
             gint64 changed_us)
{
  Raw *self = g_new0 (Raw, 1);
  self->fd = fd;
  self->name = g_strdup (name);
  self->layout = *layout;
  self->changed_us = changed_us;
  return self;
}

gpointer
tl_raw_open (const char *path, const char *name, const TlRawLayout *layout,
             GError **error)
{
  TlRawLayout counted = *layout;
  struct stat st;
  const int fd = g_open (path, O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0 || fstat (fd, &st) != 0)
    {
      tl_fail (error, TL_ERROR_FILE, _ ("%s: cannot be opened: %s"), name,
               g_strerror (errno));
      if (fd >= 0)
        close (fd);
      return NULL;
    }
  if (counted.n_images == 0)
    counted.n_images = count_images (counted, (guint64)st.st_size);
  const guint64 bytes = tl_raw_count_bytes (&counted);
  if (bytes == (guint64)st.st_size)
    return tl_raw_take (fd, name, &counted, tl_change_get_us (&st));
  close (fd);
  g_autofree char *there =
      g_strdup_printf ("%" G_GUINT64_FORMAT, (guint64)st.st_size);
  g_autofree char *needed = g_strdup_printf ("%" G_GUINT64_FORMAT, bytes);
  g_autofree char *fit = suggest (&counted, (guint64)st.st_size);
  return tl_fail_null (error, TL_ERROR_SHAPE,
                       _ ("%s: the file has %s bytes, but %zu images of %zu x "
                          "%zu pixels, %s, need %s%s"),
                       name, there, counted.n_images, counted.n_cols,
                       counted.n_rows, tl_stored_get_name (counted.stored),
                       needed, fit);
}

gboolean
tl_raw_next (gpointer file, TlImage *image, gboolean *found, GError **error)
{
  Raw *self = file;
  *image = (TlImage){ .place = self->n_found,
                      .n_rows = self->layout.n_rows,
                      .n_cols = self->layout.n_cols,
                      .stored = self->layout.stored,
                      .type = tl_stored_get_type (self->layout.stored),
                      .changed_us = self->changed_us,
                      .has_rows = TRUE };
  *found = self->n_found < self->layout.n_images;
  self->n_found++;
  return TRUE;
}

gboolean
tl_raw_read (gpointer file, const TlImage *image, const size_t *rows,
             size_t n_rows, void *dest, GError **error)
{
  Raw *self = file;
  const TlRawLayout *layout = &self->layout;
  const size_t row_bytes = image->n_cols * tl_stored_get_size (image->stored);
  const size_t n = n_rows * image->n_cols;
  void *place = tl_stored_get_place (image->stored, n, dest);
  if (image->n_cols != layout->n_cols || image->n_rows != layout->n_rows
      || image->stored != layout->stored || image->place >= layout->n_images)
    return tl_fail (error, TL_ERROR_FILE,
                    _ ("%s: has changed since it was opened"), self->name);
  const char *reason = tl_place_read_rows (
      self->fd,
      layout->header_bytes
          + image->place * (image->n_rows * row_bytes + layout->gap_bytes),
      row_bytes, rows, n_rows, place,
      _ ("is truncated, the image is longer than the file"));
  if (reason != NULL)
    return tl_fail (error, TL_ERROR_FILE, "%s: %s", self->name, reason);
  tl_stored_convert (image->stored,
                     layout->is_big_endian != (G_BYTE_ORDER == G_BIG_ENDIAN),
                     place, n, dest);
  return TRUE;
}

void
tl_raw_close (gpointer file)
{
  Raw *self = file;
  close (self->fd);
  g_free (self->name);
  g_free (self);
}

static const TlImageReader reader = {
  .next = tl_raw_next,
  .read = tl_raw_read,
  .close = tl_raw_close,
};

const TlImageFormat tl_raw_format = { .name = "raw", .reader = &reader };
