/* Raw samples, described by an NRRD header: a text beside them (.nhdr), or
 * before them in the same file (.nrrd). The first row of an image is row 0. */
#include "data/error.h"
#include "data/read/image-format-private.h"
#include "data/read/place-private.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum
{
  MAX_HEADER_BYTES = 1 << 20
};

typedef struct
{
  int fd; /* of the samples */
  char *name;
  guint64 start; /* of the samples */
  gboolean is_swapped;
  TlImage image; /* the next one; its place counts from 0 */
  guint64 n_images;
} Nrrd;

static void
close_file (gpointer file)
{
  Nrrd *self = file;
  if (self->fd >= 0)
    close (self->fd);
  g_free (self->name);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Nrrd, close_file)

/* Reads the fields of the header.
 * @n_bytes: (out): length of the header with the empty line at its end
 *
 * Returns: (transfer full): their values by their names, without blanks and in
 *   lower case, because "data file" is also written "datafile" */
static GHashTable *
read_header (Nrrd *self, const char *path, size_t *n_bytes, GError **error)
{
  g_autofree char *text = g_malloc0 (MAX_HEADER_BYTES + 1);
  FILE *file = g_fopen (path, "rb");
  if (file == NULL)
    return tl_fail_null (error, TL_ERROR_FILE, _ ("%s: cannot be opened: %s"),
                         self->name, g_strerror (errno));
  const size_t n = fread (text, 1, MAX_HEADER_BYTES, file);
  fclose (file);
  GHashTable *fields =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  char *line = text;
  while (line < text + n && *line != '\n' && strncmp (line, "\r\n", 2) != 0)
    {
      char *end = strchr (line, '\n');
      char *next = end != NULL ? end + 1 : line + strlen (line);
      if (end == NULL && next < text + n)
        break; /* a zero byte: no header */
      if (end != NULL)
        *end = '\0';
      char *colon = line[0] == '#' ? NULL : strstr (line, ": ");
      if (colon != NULL)
        {
          *colon = '\0';
          g_auto (GStrv) words = g_strsplit (line, " ", -1);
          g_autofree char *key = g_strjoinv (NULL, words);
          g_hash_table_insert (fields, g_ascii_strdown (key, -1),
                               g_strdup (g_strstrip (colon + 2)));
        }
      line = next;
    }
  *n_bytes = (size_t)(line - text) + (*line == '\r' ? 2 : *line == '\n');
  return fields;
}

static gboolean
get_type (Nrrd *self, const char *name, GError **error)
{
  static const struct
  {
    const char *names; /* between bars */
    TlSampleType type;
  } types[] = {
    { "|signed char|int8|int8_t|", TL_SAMPLE_I8 },
    { "|uchar|unsigned char|uint8|uint8_t|", TL_SAMPLE_U8 },
    { "|short|short int|signed short|signed short int|int16|int16_t|",
      TL_SAMPLE_I16 },
    { "|ushort|unsigned short|unsigned short int|uint16|uint16_t|",
      TL_SAMPLE_U16 },
    { "|int|signed int|int32|int32_t|", TL_SAMPLE_I32 },
    { "|uint|unsigned int|uint32|uint32_t|", TL_SAMPLE_U32 },
    { "|float|", TL_SAMPLE_F32 },
    { "|double|", TL_SAMPLE_F64 },
  };
  g_autofree char *wanted = g_strdup_printf ("|%s|", name);
  for (size_t i = 0; i < G_N_ELEMENTS (types); i++)
    if (strstr (types[i].names, wanted) != NULL)
      {
        self->image.type = types[i].type;
        return TRUE;
      }
  return tl_fail (error, TL_ERROR_UNSUPPORTED,
                  _ ("%s: samples of type \"%s\" cannot be read"), self->name,
                  name);
}

static const char *
get_field (GHashTable *fields, const char *key)
{
  const char *value = g_hash_table_lookup (fields, key);
  return value != NULL ? value : "";
}

/* Sets size and type of the images. */
static gboolean
describe_samples (Nrrd *self, GHashTable *fields, GError **error)
{
  guint64 sizes[3] = { 0, 0, 1 };
  char *at = (char *)get_field (fields, "sizes");
  size_t n = 0;
  for (; n < 3 && g_ascii_isdigit (*at); n++)
    {
      sizes[n] = g_ascii_strtoull (at, &at, 10);
      at += strspn (at, " \t");
    }
  if (strcmp (get_field (fields, "encoding"), "raw") != 0)
    return tl_fail (error, TL_ERROR_UNSUPPORTED,
                    _ ("%s: samples that are encoded as \"%s\" cannot be read; "
                       "write them raw"),
                    self->name, get_field (fields, "encoding"));
  if (n < 2 || *at != '\0' || sizes[0] == 0 || sizes[1] == 0 || sizes[2] == 0)
    return tl_fail (error, TL_ERROR_FORMAT,
                    _ ("%s: the sizes \"%s\" are not those of projections: "
                       "columns, rows, and their number"),
                    self->name, get_field (fields, "sizes"));
  self->image.n_cols = sizes[0];
  self->image.n_rows = sizes[1];
  self->image.has_rows = TRUE;
  self->n_images = sizes[2];
  self->is_swapped = (strcmp (get_field (fields, "endian"), "big") == 0)
                     != (G_BYTE_ORDER == G_BIG_ENDIAN);
  return get_type (self, get_field (fields, "type"), error);
}

/* Opens the file of the samples, and checks that it is long enough. */
static gboolean
open_samples (Nrrd *self, const char *path, GHashTable *fields,
              size_t header_bytes, GError **error)
{
  const char *beside = g_hash_table_lookup (fields, "datafile");
  const char *skipped = get_field (fields, "byteskip");
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *data_path = beside == NULL
                                   ? g_strdup (path)
                                   : g_canonicalize_filename (beside, folder);
  guint64 bytes = self->n_images;
  struct stat st;
  self->fd = g_open (data_path, O_RDONLY | O_CLOEXEC, 0);
  if (self->fd < 0 || fstat (self->fd, &st) != 0)
    return tl_fail (error, TL_ERROR_FILE,
                    _ ("%s: the file of its samples, %s, cannot be opened: %s"),
                    self->name, beside != NULL ? beside : self->name,
                    g_strerror (errno));
  const gboolean fits =
      g_uint64_checked_mul (&bytes, bytes, self->image.n_rows)
      && g_uint64_checked_mul (&bytes, bytes, self->image.n_cols)
      && g_uint64_checked_mul (&bytes, bytes, tl_sample_size (self->image.type))
      && bytes <= (guint64)st.st_size;
  const guint64 left = fits ? (guint64)st.st_size - bytes : 0;
  /* -1: the samples are at the end of the file */
  self->start = *skipped == '-' ? left
                                : (beside == NULL ? header_bytes : 0)
                                      + g_ascii_strtoull (skipped, NULL, 10);
  return (fits && self->start <= left)
         || tl_fail (error, TL_ERROR_FILE,
                     _ ("%s: is truncated, the images are longer than the "
                        "file of the samples"),
                     self->name);
}

static gpointer
open_file (const char *path, GError **error)
{
  g_autoptr (Nrrd) self = g_new0 (Nrrd, 1);
  size_t header_bytes = 0;
  self->fd = -1;
  self->name = tl_path_dup_name (path);
  g_autoptr (GHashTable) fields =
      read_header (self, path, &header_bytes, error);
  return fields != NULL && describe_samples (self, fields, error)
                 && open_samples (self, path, fields, header_bytes, error)
             ? g_steal_pointer (&self)
             : NULL;
}

static gboolean
next_image (gpointer file, TlImage *image, gboolean *found, GError **error)
{
  Nrrd *self = file;
  *image = self->image;
  *found = self->image.place < self->n_images;
  self->image.place++;
  return TRUE;
}

static gboolean
read_image (gpointer file, const TlImage *image, const size_t *rows,
            size_t n_rows, void *dest, GError **error)
{
  Nrrd *self = file;
  const size_t row_bytes = image->n_cols * tl_sample_size (image->type);
  if (image->n_cols != self->image.n_cols || image->n_rows != self->image.n_rows
      || image->type != self->image.type || image->place >= self->n_images)
    return tl_fail (error, TL_ERROR_FILE,
                    _ ("%s: has changed since it was opened"), self->name);
  const char *reason = tl_place_read_rows (
      self->fd, self->start + image->place * image->n_rows * row_bytes,
      row_bytes, rows, n_rows, dest,
      _ ("is truncated, the image is longer than the file"));
  if (reason != NULL)
    return tl_fail (error, TL_ERROR_FILE, "%s: %s", self->name, reason);
  if (self->is_swapped)
    tl_samples_swap (image->type, dest, n_rows * image->n_cols);
  return TRUE;
}

const TlImageReader tl_nrrd_reader = {
  .open = open_file,
  .next = next_image,
  .read = read_image,
  .close = close_file,
};
