/* Raw samples, described by an NRRD header: a text beside them (.nhdr), or
 * before them in the same file (.nrrd). The first row of an image is row 0. */
#include "data/error.h"
#include "data/read/format/change.h"
#include "data/read/format/raw.h"

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

/* Reads the fields of the header.
 * @n_bytes: (out): length of the header with the empty line at its end
 *
 * Returns: (transfer full): their values by their names, without blanks and in
 *   lower case, because "data file" is also written "datafile" */
static GHashTable *
read_header (const char *name, const char *path, size_t *n_bytes,
             GError **error)
{
  g_autofree char *text = g_malloc0 (MAX_HEADER_BYTES + 1);
  FILE *file = g_fopen (path, "rb");
  if (file == NULL)
    return tl_fail_null (error, TL_ERROR_FILE, _ ("%s: cannot be opened: %s"),
                         name, g_strerror (errno));
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
get_type (const char *name, const char *type, TlRawLayout *layout,
          GError **error)
{
  static const struct
  {
    const char *names; /* between bars */
    TlStoredType stored;
  } types[] = {
    { "|signed char|int8|int8_t|", TL_SAMPLE_I8 },
    { "|uchar|unsigned char|uint8|uint8_t|", TL_SAMPLE_U8 },
    { "|short|short int|signed short|signed short int|int16|int16_t|",
      TL_SAMPLE_I16 },
    { "|ushort|unsigned short|unsigned short int|uint16|uint16_t|",
      TL_SAMPLE_U16 },
    { "|int|signed int|int32|int32_t|", TL_SAMPLE_I32 },
    { "|uint|unsigned int|uint32|uint32_t|", TL_SAMPLE_U32 },
    { "|longlong|long long|long long int|signed long long|"
      "signed long long int|int64|int64_t|",
      TL_STORED_I64 },
    { "|ulonglong|unsigned long long|unsigned long long int|uint64|uint64_t|",
      TL_STORED_U64 },
    { "|float|", TL_SAMPLE_F32 },
    { "|double|", TL_SAMPLE_F64 },
  };
  g_autofree char *wanted = g_strdup_printf ("|%s|", type);
  for (size_t i = 0; i < G_N_ELEMENTS (types); i++)
    if (strstr (types[i].names, wanted) != NULL)
      {
        layout->stored = types[i].stored;
        return TRUE;
      }
  return tl_fail (error, TL_ERROR_UNSUPPORTED,
                  _ ("%s: samples of type \"%s\" cannot be read"), name, type);
}

static const char *
get_field (GHashTable *fields, const char *key)
{
  const char *value = g_hash_table_lookup (fields, key);
  return value != NULL ? value : "";
}

/* Sets size and type of the images. */
static gboolean
describe_samples (const char *name, GHashTable *fields, TlRawLayout *layout,
                  GError **error)
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
                    name, get_field (fields, "encoding"));
  if (n < 2 || *at != '\0' || sizes[0] == 0 || sizes[1] == 0 || sizes[2] == 0)
    return tl_fail (error, TL_ERROR_FORMAT,
                    _ ("%s: the sizes \"%s\" are not those of projections: "
                       "columns, rows, and their number"),
                    name, get_field (fields, "sizes"));
  layout->n_cols = sizes[0];
  layout->n_rows = sizes[1];
  layout->n_images = sizes[2];
  layout->is_big_endian = strcmp (get_field (fields, "endian"), "big") == 0;
  return get_type (name, get_field (fields, "type"), layout, error);
}

/* Opens the file of the samples, and checks that it is long enough. */
static gpointer
open_samples (const char *name, const char *path, GHashTable *fields,
              size_t header_bytes, TlRawLayout *layout, GError **error)
{
  const char *beside = g_hash_table_lookup (fields, "datafile");
  const char *skipped = get_field (fields, "byteskip");
  g_autofree char *parent = g_path_get_dirname (path);
  g_autofree char *folder = g_canonicalize_filename (parent, NULL);
  g_autofree char *data_path = beside == NULL
                                   ? g_strdup (path)
                                   : g_canonicalize_filename (beside, folder);
  const guint64 bytes = tl_raw_layout_count_bytes (layout);
  struct stat st;
  const int fd = g_open (data_path, O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0 || fstat (fd, &st) != 0)
    {
      tl_fail (error, TL_ERROR_FILE,
               _ ("%s: the file of its samples, %s, cannot be opened: %s"),
               name, beside != NULL ? beside : name, g_strerror (errno));
      if (fd >= 0)
        close (fd);
      return NULL;
    }
  const gboolean fits = bytes <= (guint64)st.st_size;
  const guint64 left = fits ? (guint64)st.st_size - bytes : 0;
  /* -1: the samples are at the end of the file */
  layout->header_bytes = *skipped == '-'
                             ? left
                             : (beside == NULL ? header_bytes : 0)
                                   + g_ascii_strtoull (skipped, NULL, 10);
  if (fits && layout->header_bytes <= left)
    return tl_raw_take (fd, name, layout, tl_change_get_us (&st));
  close (fd);
  return tl_fail_null (error, TL_ERROR_FILE,
                       _ ("%s: is truncated, the images are longer than the "
                          "file of the samples"),
                       name);
}

static gpointer
open_file (const char *path, GError **error)
{
  g_autofree char *name = tl_path_dup_name (path);
  size_t header_bytes = 0;
  TlRawLayout layout = { 0 };
  g_autoptr (GHashTable) fields =
      read_header (name, path, &header_bytes, error);
  return fields != NULL && describe_samples (name, fields, &layout, error)
             ? open_samples (name, path, fields, header_bytes, &layout, error)
             : NULL;
}

const TlImageReader tl_nrrd_reader = {
  .open = open_file,
  .next = tl_raw_next,
  .read = tl_raw_read,
  .close = tl_raw_close,
};
