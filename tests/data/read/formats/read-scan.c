/* Reads a scan for scans.py, and damaged copies of one.
 *
 *   read-scan SCAN OUT [PLACE=PATH...]
 *
 * Prints the description of SCAN as JSON-like lines "key value", and writes to
 * OUT the projections as they are in memory, [projection][row][col], and where
 * there are flats the dark, first and last flat field, [row][col], as floats.
 * PLACE is data, keys, angles, flats or darks, and PATH where in an HDF5 file
 * it is; or an option of #TlReaderOptions, as flat-files=PATTERN and
 * ends=FIRST:LAST. Exit status 1 and a sentence on stderr where SCAN is
 * refused.
 *
 *   read-scan --list FILE
 *
 * Prints the datasets and scans of an HDF5 file.
 *
 *   read-scan --damage SCAN FILE N
 *
 * Cuts FILE, which belongs to SCAN, and changes bytes of it, N times each. Each
 * time SCAN is opened and read: it may be refused, but with a sentence that
 * begins with a name. */
#include "data/error.h"
#include "data/read/format/contents.h"
#include "data/read/reader-private.h"

#include <stdio.h>
#include <string.h>

enum
{
  HEAD_BYTES = 8192, /* half of the changed bytes are among the first ones */
  N_CHANGED = 8
};

static void *
read_all (TlReader *reader, guint n_threads, GError **error)
{
  const TlScanInfo *info = tl_reader_get_info (reader);
  void *samples = g_malloc (info->n_projections * info->n_rows * info->n_cols
                            * tl_sample_size (info->type));
  tl_reader_fix_n_threads (reader, n_threads);
  if (tl_reader_read (reader, 0, info->n_rows, samples, NULL, error))
    return samples;
  g_free (samples);
  return NULL;
}

/* A row of some projections, and then of all of them, is the same as in
 * @samples. @row: [n_projections][n_cols] */
static void
check_stride (TlReader *reader, const char *samples, char *row)
{
  static const guint strides[] = { 3, 1 };
  const TlScanInfo *info = tl_reader_get_info (reader);
  const size_t row_bytes = info->n_cols * tl_sample_size (info->type);
  const size_t at = info->n_rows / 2;
  tl_reader_browse (reader, G_MAXUINT64);
  for (size_t k = 0; k < G_N_ELEMENTS (strides); k++)
    {
      guint every = strides[k];
      g_assert_true (
          tl_reader_read_part (reader, at, 1, &every, 0, row, NULL, NULL));
      for (size_t p = 0; p < info->n_projections; p += every)
        g_assert_cmpmem (row + p / every * row_bytes, row_bytes,
                         samples + (p * info->n_rows + at) * row_bytes,
                         row_bytes);
    }
}

/* Rows that are read alone, projections that are read alone, and what several
 * threads read are the same as @samples. */
static void
check_parts (TlReader *reader, const char *samples)
{
  const TlScanInfo *info = tl_reader_get_info (reader);
  const size_t row_bytes = info->n_cols * tl_sample_size (info->type);
  const size_t frame_bytes = info->n_rows * row_bytes;
  g_autofree char *part =
      g_malloc (MAX (info->n_projections * row_bytes, frame_bytes));
  g_autofree char *again = read_all (reader, 3, NULL);
  g_assert_cmpmem (again, info->n_projections * frame_bytes, samples,
                   info->n_projections * frame_bytes);
  for (size_t row = 0; row < info->n_rows; row += MAX (info->n_rows / 7, 1))
    {
      g_assert_true (tl_reader_read (reader, row, 1, part, NULL, NULL));
      for (size_t p = 0; p < info->n_projections; p++)
        g_assert_cmpmem (part + p * row_bytes, row_bytes,
                         samples + p * frame_bytes + row * row_bytes,
                         row_bytes);
    }
  for (size_t p = 0; p < info->n_projections; p++)
    {
      g_assert_true (tl_reader_read_projection (reader, p, part, NULL));
      g_assert_cmpmem (part, frame_bytes, samples + p * frame_bytes,
                       frame_bytes);
    }
  check_stride (reader, samples, part);
  tl_reader_set_budget (reader, 0);
}

static void
print_info (const TlScanInfo *info)
{
  printf ("format %s\nshape %zu %zu %zu\ntype %s\nflats %zu\nflats_before "
          "%zu\ndarks %zu\npixel_um %.9g\nangles_source %s\nangles",
          info->format, info->n_projections, info->n_rows, info->n_cols,
          tl_sample_name (info->type), info->n_flats, info->n_flats_before,
          info->n_darks, info->pixel_size_um, info->angles_source);
  for (size_t i = 0; i < info->n_projections; i++)
    printf (" %.9g", info->angles_deg[i]);
  puts ("");
  g_auto (GStrv) notes = tl_notes_list (info->notes);
  for (size_t i = 0; notes[i] != NULL; i++)
    printf ("note %s\n", notes[i]);
}

/* @places: %NULL-terminated, "PLACE=PATH" */
static TlReaderOptions
take_places (char **places)
{
  TlReaderOptions options = { 0 };
  const struct
  {
    const char *name;
    const char **path;
  } known[] = {
    { "data=", &options.data_path },
    { "keys=", &options.keys_path },
    { "angles=", &options.angles_path },
    { "flats=", &options.flats_path },
    { "darks=", &options.darks_path },
    { "raw=", &options.raw },
    { "leave-out=", &options.leave_out },
    { "flat-files=", &options.flats },
    { "dark-files=", &options.darks },
    { "projection-files=", &options.projections },
    { "angles-file=", &options.angles_file },
  };
  for (; *places != NULL; places++)
    {
      options.has_angles |= sscanf (*places, "ends=%lf:%lf", options.angles_deg,
                                    options.angles_deg + 1)
                            == 2;
      for (size_t k = 0; k < G_N_ELEMENTS (known); k++)
        if (g_str_has_prefix (*places, known[k].name))
          *known[k].path = *places + strlen (known[k].name);
    }
  return options;
}

static gboolean
read_scan (const char *scan, const char *out, char **places, GError **error)
{
  const TlReaderOptions options = take_places (places);
  g_autoptr (TlReader) reader = tl_reader_open (scan, &options, error);
  g_autofree void *samples =
      reader != NULL ? read_all (reader, 1, error) : NULL;
  if (samples == NULL)
    return FALSE;
  const TlScanInfo *info = tl_reader_get_info (reader);
  const size_t n = info->n_rows * info->n_cols;
  g_autofree double *fields = g_new (double, 3 * n);
  g_autofree float *means = g_new (float, 3 * n);
  FILE *file = fopen (out, "wb");
  g_assert_nonnull (file);
  print_info (info);
  check_parts (reader, samples);
  g_assert_cmpuint (fwrite (samples, tl_sample_size (info->type),
                            info->n_projections * n, file),
                    ==, info->n_projections * n);
  if (info->n_flats > 0
      && !tl_reader_read_fields (reader, 0, info->n_rows, fields, fields + n,
                                 fields + 2 * n, NULL, error))
    return FALSE;
  tl_samples_to_float (TL_SAMPLE_F64, fields, 3 * n, means);
  if (info->n_flats > 0)
    g_assert_cmpuint (fwrite (means, sizeof *means, 3 * n, file), ==, 3 * n);
  g_assert_cmpint (fclose (file), ==, 0);
  return TRUE;
}

static gboolean
list (const char *file, GError **error)
{
  g_autoptr (GPtrArray) datasets = tl_contents_list_datasets (file, error);
  g_auto (GStrv) scans =
      datasets == NULL ? NULL : tl_contents_list_scans (file, error);
  if (scans == NULL)
    return FALSE;
  for (guint i = 0; i < datasets->len; i++)
    {
      const TlDataset *d = datasets->pdata[i];
      printf ("dataset %s %zu %zu %zu %s\n", d->path, d->dims[0], d->dims[1],
              d->dims[2], tl_sample_name (d->type));
    }
  for (char **scan = scans; *scan != NULL; scan++)
    printf ("scan %s\n", *scan);
  return TRUE;
}

/* Opens and reads a damaged scan. Returns: whether it was refused */
static gboolean
is_refused (const char *scan)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TlReader) reader = tl_reader_open (scan, NULL, &error);
  const TlScanInfo *info = reader != NULL ? tl_reader_get_info (reader) : NULL;
  /* A size that grew by the damage may be too large for this test. */
  if (info != NULL
      && info->n_projections * info->n_rows * info->n_cols < 1 << 20)
    g_free (read_all (reader, 1, &error));
  if (error == NULL)
    return FALSE;
  g_assert_cmpint (error->domain, ==, TL_ERROR);
  g_assert_nonnull (strstr (error->message, ": "));
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
  return TRUE;
}

static void
write_file (const char *path, const char *bytes, gsize size)
{
  FILE *file = fopen (path, "wb");
  g_assert_nonnull (file);
  g_assert_cmpuint (fwrite (bytes, 1, size, file), ==, size);
  g_assert_cmpint (fclose (file), ==, 0);
}

static void
damage (const char *scan, const char *path, guint n_times)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *whole = NULL;
  gsize size;
  guint n_cut = 0, n_changed = 0;
  g_file_get_contents (path, &whole, &size, &error);
  g_assert_no_error (error);
  g_autoptr (GRand) random = g_rand_new_with_seed (14);
  for (guint i = 0; i < n_times; i++)
    {
      const gsize limit = i % 2 == 0 ? MIN (size, HEAD_BYTES) : size;
      g_autofree char *changed = g_memdup2 (whole, size);
      write_file (path, whole, (gsize)(g_rand_double (random) * (double)limit));
      n_cut += is_refused (scan);
      for (guint k = 0; k < N_CHANGED; k++)
        changed[(gsize)(g_rand_double (random) * (double)limit)] ^=
            (char)(1 + g_rand_int_range (random, 0, 255));
      write_file (path, changed, size);
      n_changed += is_refused (scan);
    }
  write_file (path, whole, size);
  printf ("cut %u\nchanged %u\n", n_cut, n_changed);
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  if (argc == 5 && strcmp (argv[1], "--damage") == 0)
    {
      damage (argv[2], argv[3], (guint)g_ascii_strtoull (argv[4], NULL, 10));
      return 0;
    }
  g_assert_cmpint (argc, >=, 3);
  if (strcmp (argv[1], "--list") == 0
          ? list (argv[2], &error)
          : read_scan (argv[1], argv[2], argv + 3, &error))
    return 0;
  const char *hint = tl_error_get_hint (error);
  fprintf (stderr, "%s%s%s\n", error->message, hint != NULL ? "; " : "",
           hint != NULL ? hint : "");
  return 1;
}
