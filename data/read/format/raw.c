#include "data/read/format/raw.h"

#include "data/error.h"
#include "data/read/format/change.h"
#include "data/read/format/place.h"

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

/* Returns: (transfer full): what a file of @size bytes would be with images of
 * the same columns and rows: another number of them, samples of another type,
 * or a longer header; "" if it has no such image */
static char *
suggest (const TlRawLayout *layout, guint64 size)
{
  TlRawLayout fit = *layout;
  fit.n_images = tl_raw_layout_count_images (fit, size);
  const guint64 bytes = tl_raw_layout_count_bytes (&fit);
  if (bytes != size)
    {
      TlRawLayout other = *layout;
      for (other.stored = 0; other.stored < TL_N_STORED_TYPES
                             && tl_raw_layout_count_bytes (&other) != size;)
        other.stored++;
      if (other.stored < TL_N_STORED_TYPES)
        fit = other;
      else if (bytes < size)
        fit.header_bytes += size - bytes;
      else
        return NULL;
    }
  g_autofree char *text = tl_raw_layout_format (&fit);
  return g_strdup_printf (_ ("--raw %s would fit"), text);
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
    counted.n_images =
        tl_raw_layout_count_images (counted, (guint64)st.st_size);
  const guint64 bytes = tl_raw_layout_count_bytes (&counted);
  if (bytes == (guint64)st.st_size)
    return tl_raw_take (fd, name, &counted, tl_change_get_us (&st));
  close (fd);
  g_autofree char *there =
      g_strdup_printf ("%" G_GUINT64_FORMAT, (guint64)st.st_size);
  g_autofree char *needed = g_strdup_printf ("%" G_GUINT64_FORMAT, bytes);
  g_autofree char *fit = suggest (&counted, (guint64)st.st_size);
  return tl_fail_null_with_hint (
      error, TL_ERROR_SHAPE, fit,
      _ ("%s: the file has %s bytes, but %zu images of %zu x "
         "%zu pixels, %s, need %s"),
      name, there, counted.n_images, counted.n_cols, counted.n_rows,
      tl_stored_get_name (counted.stored), needed);
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
