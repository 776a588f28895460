#include "data/read/zarr/metadata-private.h"

#include "data/error.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* Blosc decodes no more bytes at once. */
#define MAX_PACKED_BYTES ((size_t)G_MAXINT32)

/* Integers up to this size are what a double says. */
#define MAX_WHOLE 9007199254740992. /* 2^53 */

/* Returns: (transfer full): %NULL with the reason, which names no file; without
 * one if there is no such file */
static JsonNode *
load_json (const char *folder, const char *file, GError **error)
{
  g_autofree char *path = g_build_filename (folder, file, NULL);
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();
  g_autofree char *text = NULL;
  g_autoptr (GError) failure = NULL;
  gsize n;
  if (!g_file_get_contents (path, &text, &n, &failure))
    {
      if (!g_error_matches (failure, G_FILE_ERROR, G_FILE_ERROR_NOENT))
        g_propagate_error (error, g_steal_pointer (&failure));
      return NULL;
    }
  return json_parser_load_from_data (parser, text, (gssize)n, error)
             ? json_parser_steal_root (parser)
             : NULL;
}

gboolean
tl_zarr_is_array (const char *folder)
{
  g_autofree char *path = g_build_filename (folder, ".zarray", NULL);
  return g_file_test (path, G_FILE_TEST_IS_REGULAR);
}

JsonNode *
tl_zarr_load_attributes (const char *folder, GError **error)
{
  return load_json (folder, ".zattrs", error);
}

/* @sizes: (out): [TL_ZARR_MAX_DIMS]. Returns: how many there are; 0 if it is no
 * list of sizes */
static guint
read_sizes (JsonNode *list, size_t *sizes)
{
  const guint n = tl_json_count (list);
  for (guint i = 0; i < n && n <= TL_ZARR_MAX_DIMS; i++)
    {
      double size = -1;
      if (!tl_json_get_number (tl_json_get_element (list, (int)i), &size)
          || size < 0 || size > G_MAXINT32 || size != floor (size))
        return 0;
      sizes[i] = (size_t)size;
    }
  return n <= TL_ZARR_MAX_DIMS ? n : 0;
}

/* Returns: (transfer full): "2 x 3 x 4" */
static char *
describe_sizes (const size_t *sizes, guint n)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%zu", i > 0 ? " x " : "", sizes[i]);
  return g_string_free (text, FALSE);
}

/* Sets the last three dimensions; those before them must be 1. */
static gboolean
take_shape (TlZarrMetadata *metadata, JsonNode *root, const char *name,
            GError **error)
{
  size_t shape[TL_ZARR_MAX_DIMS], chunk[TL_ZARR_MAX_DIMS];
  const guint n = read_sizes (tl_json_get (root, "shape"), shape);
  metadata->chunk_bytes = tl_stored_get_size (metadata->stored);
  metadata->n_dims = n;
  if (n == 0 || read_sizes (tl_json_get (root, "chunks"), chunk) != n)
    return tl_fail (error, TL_ERROR_FORMAT,
                    _ ("%s: \"shape\" and \"chunks\" in .zarray are not the "
                       "sizes of an array and of its chunks"),
                    name);
  for (int axis = 0; axis < TL_ZARR_N_AXES; axis++)
    metadata->shape[axis] = metadata->chunk[axis] = 1;
  for (guint i = 0; i < n; i++)
    {
      const int axis = (int)i - (int)n + TL_ZARR_N_AXES;
      if (chunk[i] == 0
          || !g_size_checked_mul (&metadata->chunk_bytes, metadata->chunk_bytes,
                                  chunk[i]))
        return tl_fail (error, TL_ERROR_SHAPE,
                        _ ("%s: chunks of such a size cannot be read"), name);
      if (axis >= 0)
        {
          metadata->shape[axis] = shape[i];
          metadata->chunk[axis] = chunk[i];
        }
      else if (shape[i] != 1)
        {
          g_autofree char *sizes = describe_sizes (shape, n);
          return tl_fail (error, TL_ERROR_SHAPE,
                          _ ("%s: the array has the dimensions %s; only the "
                             "last three, projections, rows and columns, may "
                             "be larger than 1"),
                          name, sizes);
        }
    }
  return TRUE;
}

/* As "<u2": byte order, kind, bytes. */
static gboolean
take_type (TlZarrMetadata *metadata, JsonNode *root, const char *name,
           GError **error)
{
  static const struct
  {
    char name[3];
    TlStoredType stored;
  } types[] = {
    { "u1", TL_SAMPLE_U8 },  { "i1", TL_SAMPLE_I8 },  { "u2", TL_SAMPLE_U16 },
    { "i2", TL_SAMPLE_I16 }, { "u4", TL_SAMPLE_U32 }, { "i4", TL_SAMPLE_I32 },
    { "u8", TL_STORED_U64 }, { "i8", TL_STORED_I64 }, { "f2", TL_STORED_F16 },
    { "f4", TL_SAMPLE_F32 }, { "f8", TL_SAMPLE_F64 },
  };
  const char *text = tl_json_get_text (tl_json_get (root, "dtype"));
  for (size_t i = 0; i < G_N_ELEMENTS (types) && text != NULL; i++)
    if (*text != '\0' && strchr ("<>|", *text) != NULL
        && strcmp (text + 1, types[i].name) == 0)
      {
        metadata->is_swapped =
            *text == (G_BYTE_ORDER == G_LITTLE_ENDIAN ? '>' : '<');
        metadata->stored = types[i].stored;
        return TRUE;
      }
  return tl_fail (error, TL_ERROR_UNSUPPORTED,
                  _ ("%s: samples of type \"%s\" cannot be read"), name,
                  text != NULL ? text : "");
}

static gboolean
take_codec (TlZarrMetadata *metadata, JsonNode *root, const char *name,
            GError **error)
{
  static const char *const names[] = {
    [TL_ZARR_ZLIB] = "zlib", [TL_ZARR_GZIP] = "gzip", [TL_ZARR_BLOSC] = "blosc"
  };
  JsonNode *compressor = tl_json_get (root, "compressor");
  if (compressor == NULL || JSON_NODE_HOLDS_NULL (compressor))
    return TRUE;
  const char *id = tl_json_get_text (tl_json_get (compressor, "id"));
  for (size_t i = TL_ZARR_ZLIB; i < G_N_ELEMENTS (names); i++)
    if (g_strcmp0 (id, names[i]) == 0)
      metadata->codec = (TlZarrCodec)i;
  if (metadata->codec == TL_ZARR_PLAIN)
    return tl_fail (error, TL_ERROR_UNSUPPORTED,
                    _ ("%s: chunks that are compressed with \"%s\" cannot be "
                       "read; write them with Blosc, zlib or gzip, or "
                       "uncompressed"),
                    name, id != NULL ? id : "");
#ifndef TL_HAVE_BLOSC
  if (metadata->codec == TL_ZARR_BLOSC)
    return tl_fail (error, TL_ERROR_UNSUPPORTED,
                    _ ("%s: its chunks are compressed with Blosc, but this "
                       "program was built without libblosc-dev; install it "
                       "and build again"),
                    name);
#endif
  if (metadata->chunk_bytes > MAX_PACKED_BYTES)
    return tl_fail (error, TL_ERROR_UNSUPPORTED,
                    _ ("%s: compressed chunks of %zu bytes cannot be read; "
                       "write chunks of less than 2 GB"),
                    name, metadata->chunk_bytes);
  return TRUE;
}

static gboolean
check_order (JsonNode *root, const char *name, GError **error)
{
  const char *order = tl_json_get_text (tl_json_get (root, "order"));
  JsonNode *filters = tl_json_get (root, "filters");
  JsonNode *filter = tl_json_get_element (filters, 0);
  const char *id = tl_json_get_text (tl_json_get (filter, "id"));
  if (g_strcmp0 (order, "C") != 0)
    return tl_fail (error, TL_ERROR_UNSUPPORTED,
                    _ ("%s: samples in the order \"%s\" cannot be read; write "
                       "them in the order C, columns fastest"),
                    name, order != NULL ? order : "");
  if (filter != NULL)
    return tl_fail (error, TL_ERROR_UNSUPPORTED,
                    _ ("%s: chunks with the filter \"%s\" cannot be read; "
                       "write them without filters"),
                    name, id != NULL ? id : "");
  return TRUE;
}

static void
take_fill (TlZarrMetadata *metadata, JsonNode *root)
{
  JsonNode *fill = tl_json_get (root, "fill_value");
  const char *text = tl_json_get_text (fill);
  if (!tl_json_get_number (fill, &metadata->fill) && text != NULL)
    metadata->fill = g_ascii_strtod (text, NULL); /* "NaN", "-Infinity" */
  if ((tl_stored_is_wide (metadata->stored)
       || !tl_sample_is_float (tl_stored_get_type (metadata->stored)))
      && !(fabs (metadata->fill) < MAX_WHOLE))
    metadata->fill = 0;
}

gboolean
tl_zarr_metadata_load (const char *folder, const char *name,
                       TlZarrMetadata *metadata, GError **error)
{
  g_autoptr (GError) failure = NULL;
  g_autoptr (JsonNode) root = load_json (folder, ".zarray", &failure);
  double version = 0;
  *metadata = (TlZarrMetadata){ 0 };
  if (root == NULL)
    return tl_fail (error, TL_ERROR_FORMAT,
                    _ ("%s: the description of the array cannot be read: %s"),
                    name, failure != NULL ? failure->message : ".zarray");
  if (!tl_json_get_number (tl_json_get (root, "zarr_format"), &version)
      || version != 2)
    return tl_fail (error, TL_ERROR_UNSUPPORTED,
                    _ ("%s: .zarray does not describe an array of Zarr 2"),
                    name);
  const char *separator =
      tl_json_get_text (tl_json_get (root, "dimension_separator"));
  metadata->separator = g_strcmp0 (separator, "/") == 0 ? '/' : '.';
  if (!take_type (metadata, root, name, error))
    return FALSE;
  take_fill (metadata, root);
  return take_shape (metadata, root, name, error)
         && take_codec (metadata, root, name, error)
         && check_order (root, name, error);
}
