/* The images of one EDF file (ESRF data format): for each a header of text in
 * braces, "key = value ;", padded to a multiple of 512 bytes, then the samples.
 * The first row of the file is row 0. */
#include "data/array.h"
#include "data/error.h"
#include "data/read/edf/acquisition-private.h"
#include "data/read/format/change.h"
#include "data/read/format/image-format.h"
#include "data/read/format/place.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum
{
  BLOCK_BYTES = 512,
  MAX_HEADER_BYTES = 512 * BLOCK_BYTES
};

typedef struct
{
  int fd;
  char *path, *name;
  guint64 size;
  gint64 changed_us;
  guint64 at;     /* of the next header */
  guint n_summed; /* as of TlImage */
} Edf;

static void
close_file (gpointer file)
{
  Edf *self = file;
  if (self->fd >= 0)
    close (self->fd);
  g_free (self->path);
  g_free (self->name);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Edf, close_file)

static gboolean
fail (Edf *self, const char *what, GError **error)
{
  return tl_fail (error, TL_ERROR_FILE, "%s: %s", self->name, what);
}

static gpointer
open_file (const char *path, GError **error)
{
  g_autoptr (Edf) self = g_new0 (Edf, 1);
  struct stat st;
  self->path = g_strdup (path);
  self->name = tl_path_dup_name (path);
  self->fd = g_open (path, O_RDONLY | O_CLOEXEC, 0);
  if (self->fd < 0 || fstat (self->fd, &st) != 0)
    return tl_fail_null (error, TL_ERROR_FILE, _ ("%s: cannot be opened: %s"),
                         self->name, g_strerror (errno));
  self->size = (guint64)st.st_size;
  self->changed_us = tl_change_get_us (&st);
  /* The ESRF writes the sum of the dark fields. */
  if (g_ascii_strncasecmp (self->name, "darkend", strlen ("darkend")) == 0)
    self->n_summed = tl_acquisition_count_darks (path);
  return g_steal_pointer (&self);
}

/* Reads the header at self->at, and moves self->at to the samples.
 *
 * Returns: (transfer full): its text without braces. %NULL at the end of the
 *   file, or with an error */
static char *
read_header (Edf *self, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  char block[BLOCK_BYTES];
  const guint64 left = self->size - self->at;
  while (text->len < MIN (left, MAX_HEADER_BYTES))
    {
      const size_t n = MIN (left - text->len, BLOCK_BYTES);
      const char *reason =
          tl_place_read (self->fd, self->at + text->len, n, block,
                         _ ("is truncated, the image is longer than the file"));
      if (reason != NULL)
        {
          fail (self, reason, error);
          return NULL;
        }
      g_string_append_len (text, block, (gssize)n);
      char *end = strstr (text->str, "}\n");
      if (end == NULL)
        end = strstr (text->str, "}\r");
      if (end == NULL)
        continue;
      const char *start = text->str + strspn (text->str, " \t\r\n");
      if (*start != '{')
        break;
      self->at += text->len;
      return g_strndup (start + 1, (gsize)(end - start - 1));
    }
  /* Some programs fill the last block with zeros or blanks. */
  size_t n_blank = 0;
  while (
      n_blank < text->len
      && (text->str[n_blank] == '\0' || g_ascii_isspace (text->str[n_blank])))
    n_blank++;
  if (n_blank < left)
    fail (self, _ ("is truncated or damaged: an EDF header is not whole"),
          error);
  return NULL;
}

/* Returns: (transfer full): the values, for messages in UTF-8, by their keys,
 * which are in lower case */
static GHashTable *
parse_header (const char *text)
{
  GHashTable *keys =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_auto (GStrv) lines = g_strsplit (text, ";", -1);
  for (char **line = lines; *line != NULL; line++)
    {
      char *equals = strchr (*line, '=');
      if (equals == NULL)
        continue;
      *equals = '\0';
      g_hash_table_insert (keys, g_ascii_strdown (g_strstrip (*line), -1),
                           g_utf8_make_valid (g_strstrip (equals + 1), -1));
    }
  return keys;
}

static guint64
get_number (GHashTable *keys, const char *key)
{
  const char *value = g_hash_table_lookup (keys, key);
  return value != NULL ? g_ascii_strtoull (value, NULL, 10) : 0;
}

static gboolean
get_type (Edf *self, GHashTable *keys, TlStoredType *stored, GError **error)
{
  static const struct
  {
    const char *name;
    TlStoredType type;
  } types[] = {
    { "UnsignedByte", TL_SAMPLE_U8 },
    { "Unsigned8", TL_SAMPLE_U8 },
    { "SignedByte", TL_SAMPLE_I8 },
    { "Signed8", TL_SAMPLE_I8 },
    { "UnsignedShort", TL_SAMPLE_U16 },
    { "Unsigned16", TL_SAMPLE_U16 },
    { "UnsignedShortInteger", TL_SAMPLE_U16 },
    { "SignedShort", TL_SAMPLE_I16 },
    { "Signed16", TL_SAMPLE_I16 },
    { "UnsignedInteger", TL_SAMPLE_U32 },
    { "Unsigned32", TL_SAMPLE_U32 },
    { "UnsignedLong", TL_SAMPLE_U32 },
    { "SignedInteger", TL_SAMPLE_I32 },
    { "Signed32", TL_SAMPLE_I32 },
    { "SignedLong", TL_SAMPLE_I32 },
    { "Unsigned64", TL_STORED_U64 },
    { "Signed64", TL_STORED_I64 },
    { "FloatValue", TL_SAMPLE_F32 },
    { "Float", TL_SAMPLE_F32 },
    { "FloatIEEE32", TL_SAMPLE_F32 },
    { "Float32", TL_SAMPLE_F32 },
    { "DoubleValue", TL_SAMPLE_F64 },
    { "Double", TL_SAMPLE_F64 },
    { "FloatIEEE64", TL_SAMPLE_F64 },
    { "DoubleIEEE64", TL_SAMPLE_F64 },
  };
  const char *packing = g_hash_table_lookup (keys, "compression");
  if (packing != NULL && *packing != '\0'
      && g_ascii_strncasecmp (packing, "no", 2) != 0)
    return tl_fail (error, TL_ERROR_UNSUPPORTED,
                    _ ("%s: compressed EDF (%s) cannot be read; write it "
                       "uncompressed"),
                    self->name, packing);
  const char *name = g_hash_table_lookup (keys, "datatype");
  for (size_t i = 0; name != NULL && i < G_N_ELEMENTS (types); i++)
    if (g_ascii_strcasecmp (types[i].name, name) == 0)
      {
        *stored = types[i].type;
        return TRUE;
      }
  return tl_fail (error, TL_ERROR_UNSUPPORTED,
                  _ ("%s: samples of type \"%s\" cannot be read"), self->name,
                  name != NULL ? name : "");
}

/* Describes the image whose samples are at self->at, and moves behind it.
 * A place is twice that of the samples, plus 1 if their bytes are swapped. */
static gboolean
describe_image (Edf *self, GHashTable *keys, TlImage *image, GError **error)
{
  const char *order = g_hash_table_lookup (keys, "byteorder");
  const gboolean is_big =
      order != NULL && g_ascii_strncasecmp (order, "high", 4) == 0;
  const guint64 n_cols = get_number (keys, "dim_1");
  const guint64 n_rows = get_number (keys, "dim_2");
  const guint64 stated =
      MAX (get_number (keys, "edf_binarysize"), get_number (keys, "size"));
  guint64 bytes = 0;
  *image = (TlImage){ .place = 2 * self->at
                               + (is_big != (G_BYTE_ORDER == G_BIG_ENDIAN)),
                      .n_rows = n_rows,
                      .n_cols = n_cols,
                      .changed_us = self->changed_us,
                      .has_rows = TRUE,
                      .n_summed = self->n_summed };
  if (!get_type (self, keys, &image->stored, error))
    return FALSE;
  image->type =
      image->n_summed > 1 ? TL_SAMPLE_F64 : tl_stored_get_type (image->stored);
  if (n_rows == 0 || n_cols == 0)
    return fail (self, _ ("has an image without pixels"), error);
  if (get_number (keys, "dim_3") > 1)
    return tl_fail (error, TL_ERROR_UNSUPPORTED,
                    _ ("%s: an image of three dimensions cannot be read; write "
                       "each projection with its own header"),
                    self->name);
  if (!g_uint64_checked_mul (&bytes, n_rows, n_cols)
      || !g_uint64_checked_mul (&bytes, bytes,
                                tl_stored_get_size (image->stored))
      || bytes > self->size - self->at)
    return fail (self, _ ("is truncated, the image is longer than the file"),
                 error);
  if (stated != 0 && stated < bytes)
    return fail (self,
                 _ ("is damaged: an EDF header states fewer bytes than "
                    "its image has"),
                 error);
  self->at += CLAMP (stated, bytes, self->size - self->at);
  return TRUE;
}

static gboolean
next_image (gpointer file, TlImage *image, gboolean *found, GError **error)
{
  Edf *self = file;
  *found = FALSE;
  while (self->at < self->size)
    {
      GError *failure = NULL;
      g_autofree char *text = read_header (self, &failure);
      if (text == NULL && failure != NULL)
        {
          g_propagate_error (error, failure);
          return FALSE;
        }
      if (text == NULL)
        return TRUE;
      g_autoptr (GHashTable) keys = parse_header (text);
      /* A general block describes the file and has no samples. */
      if (g_hash_table_contains (keys, "edf_dataformatversion")
          && !g_hash_table_contains (keys, "dim_1"))
        {
          self->at +=
              MIN (get_number (keys, "edf_binarysize"), self->size - self->at);
          continue;
        }
      *found = TRUE;
      return describe_image (self, keys, image, error);
    }
  return TRUE;
}

static gboolean
read_stored (gpointer file, const TlImage *image, const size_t *rows,
             size_t n_rows, void *dest, GError **error)
{
  Edf *self = file;
  const size_t n = n_rows * image->n_cols;
  void *place = tl_stored_get_place (image->stored, n, dest);
  const char *reason = tl_place_read_rows (
      self->fd, image->place / 2,
      image->n_cols * tl_stored_get_size (image->stored), rows, n_rows, place,
      _ ("is truncated, the image is longer than the file"));
  if (reason != NULL)
    return fail (self, reason, error);
  tl_stored_convert (image->stored, image->place % 2 == 1, place, n, dest);
  return TRUE;
}

static gboolean
read_image (gpointer file, const TlImage *image, const size_t *rows,
            size_t n_rows, void *dest, GError **error)
{
  const TlSampleType type = tl_stored_get_type (image->stored);
  const size_t n = n_rows * image->n_cols;
  double *means = dest;
  if (image->n_summed < 2)
    return read_stored (file, image, rows, n_rows, dest, error);
  g_autofree void *sums =
      tl_try_alloc (n_rows, image->n_cols, 1, tl_sample_size (type),
                    _ ("the dark fields"), error);
  if (sums == NULL || !read_stored (file, image, rows, n_rows, sums, error))
    return FALSE;
  tl_samples_to_double (type, sums, n, means);
  for (size_t i = 0; i < n; i++)
    means[i] /= image->n_summed;
  return TRUE;
}

static gboolean
describe (gpointer file, TlScanDraft *draft, GError **error)
{
  tl_acquisition_describe (((Edf *)file)->path, draft);
  return TRUE;
}

const TlImageReader tl_edf_reader = {
  .open = open_file,
  .next = next_image,
  .read = read_image,
  .describe = describe,
  .close = close_file,
};
