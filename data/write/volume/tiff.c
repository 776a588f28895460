/* TIFF files without compression, as a folder of files or as one file of many
 * pages. The size of everything is known before the first slice comes, so that
 * the tags are laid out here, and slices are written anywhere at any time. */
#include "data/write/part-file.h"
#include "data/write/volume/disk-private.h"
#include "data/write/volume/facts-private.h"
#include "data/write/volume/volume-private.h"
#include "data/write/writer.h"

#include <errno.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <tiffio.h>
#include <unistd.h>
#include <zlib.h>

/* The first slice begins at a multiple of it, where its first page does. */
#define ALIGNMENT 4096

/* Largest size of a classic TIFF: its offsets have 32 bits, and 16 MB are left
 * for the description. */
#define CLASSIC_BYTES ((guint64)G_MAXUINT32 - (1 << 24))

/* Tags of a page. */
#define N_TAGS 15

/* The end of the metadata of a stack. */
#define FACTS_END "}\n"

/* By so many bytes the descriptions of slices may differ in length: those of
 * the number and of the tally. */
#define MAX_DIGITS 128

/* --- layout --- */

/* A file of tags and @n_pages slices. */
typedef struct
{
  const TlVolumeInfo *info;
  gboolean is_big;
  size_t n_pages;
  guint64 data_start; /* of the first slice; the others follow it */
  guint64 slice_bytes;
  const char *description; /* 7 bit */
  /* Of the values that do not fit into a tag. */
  guint64 resolution_at, software_at, description_at;
  double pixel_per_unit;
  guint16 unit;
} Layout;

static void
append (GByteArray *bytes, guint64 value, guint n_bytes)
{
  g_byte_array_append (bytes, (const guint8 *)&value, n_bytes);
}

static void
append_tag (GByteArray *bytes, const Layout *layout, guint16 tag, guint16 type,
            guint64 count, guint64 value)
{
  const guint word = layout->is_big ? 8 : 4;

  append (bytes, tag, 2);
  append (bytes, type, 2);
  append (bytes, count, word);
  append (bytes, value, word);
}

static size_t
count_page_bytes (gboolean is_big)
{
  return is_big ? 8 + 20 * N_TAGS + 8 : 2 + 12 * N_TAGS + 4;
}

static const char software[] = TL_PROGRAM " " TL_VERSION;

/* Sets where everything begins; the description follows the slices. */
static void
lay_out (Layout *layout, gboolean is_big)
{
  const size_t start = is_big ? 16 : 8;

  layout->is_big = is_big;
  layout->resolution_at = start + layout->n_pages * count_page_bytes (is_big);
  layout->software_at = layout->resolution_at + 8;
  layout->data_start = (layout->software_at + sizeof software + ALIGNMENT - 1)
                       / ALIGNMENT * ALIGNMENT;
  layout->description_at =
      layout->data_start + layout->n_pages * layout->slice_bytes;
}

/* @description: stands at the end of the file, so that it moves no slice
 * @pixel_per_unit: 0 or infinite: unknown */
static Layout
make_layout (const TlVolume *volume, size_t n_pages, const char *description,
             double pixel_per_unit, guint16 unit)
{
  Layout layout = { .info = &volume->info,
                    .n_pages = n_pages,
                    .slice_bytes = volume->slice_bytes,
                    .description = description,
                    .pixel_per_unit = pixel_per_unit,
                    .unit = unit };

  lay_out (&layout, FALSE);
  if (layout.description_at > CLASSIC_BYTES)
    lay_out (&layout, TRUE);
  return layout;
}

/* A ratio of 32 bit numbers, as precise as they allow. */
static guint64
to_rational (double value)
{
  guint64 denominator = 1;

  if (!(value > 0) || value > G_MAXUINT32) /* unknown */
    return 1 | (guint64)1 << 32;
  while (denominator < 1000000000
         && value * (double)denominator * 10 <= G_MAXUINT32)
    denominator *= 10;
  return (guint64)(value * (double)denominator + 0.5) | denominator << 32;
}

static void
append_page (GByteArray *bytes, const Layout *layout, size_t page)
{
  const TlVolumeInfo *info = layout->info;
  const guint word = layout->is_big ? 8 : 4;
  const guint16 offset_type = layout->is_big ? TIFF_LONG8 : TIFF_LONG;
  const guint64 resolution = to_rational (layout->pixel_per_unit);
  /* In a BigTIFF it fits into the tag. */
  const guint64 resolution_value =
      layout->is_big ? resolution : layout->resolution_at;
  const guint64 next = bytes->len + count_page_bytes (layout->is_big);
  const gboolean is_float = tl_volume_sample_max (info->sample) == 0;

  append (bytes, N_TAGS, layout->is_big ? 8 : 2);
  append_tag (bytes, layout, TIFFTAG_IMAGEWIDTH, TIFF_LONG, 1, info->n_cols);
  append_tag (bytes, layout, TIFFTAG_IMAGELENGTH, TIFF_LONG, 1, info->n_rows);
  append_tag (bytes, layout, TIFFTAG_BITSPERSAMPLE, TIFF_SHORT, 1,
              8 * tl_volume_sample_size (info->sample));
  append_tag (bytes, layout, TIFFTAG_COMPRESSION, TIFF_SHORT, 1,
              COMPRESSION_NONE);
  append_tag (bytes, layout, TIFFTAG_PHOTOMETRIC, TIFF_SHORT, 1,
              PHOTOMETRIC_MINISBLACK);
  append_tag (bytes, layout, TIFFTAG_IMAGEDESCRIPTION, TIFF_ASCII,
              strlen (layout->description) + 1, layout->description_at);
  append_tag (bytes, layout, TIFFTAG_STRIPOFFSETS, offset_type, 1,
              layout->data_start + page * layout->slice_bytes);
  append_tag (bytes, layout, TIFFTAG_SAMPLESPERPIXEL, TIFF_SHORT, 1, 1);
  append_tag (bytes, layout, TIFFTAG_ROWSPERSTRIP, TIFF_LONG, 1, info->n_rows);
  append_tag (bytes, layout, TIFFTAG_STRIPBYTECOUNTS, offset_type, 1,
              layout->slice_bytes);
  append_tag (bytes, layout, TIFFTAG_XRESOLUTION, TIFF_RATIONAL, 1,
              resolution_value);
  append_tag (bytes, layout, TIFFTAG_YRESOLUTION, TIFF_RATIONAL, 1,
              resolution_value);
  append_tag (bytes, layout, TIFFTAG_RESOLUTIONUNIT, TIFF_SHORT, 1,
              layout->unit);
  append_tag (bytes, layout, TIFFTAG_SOFTWARE, TIFF_ASCII, sizeof software,
              layout->software_at);
  append_tag (bytes, layout, TIFFTAG_SAMPLEFORMAT, TIFF_SHORT, 1,
              is_float ? SAMPLEFORMAT_IEEEFP : SAMPLEFORMAT_UINT);
  append (bytes, page + 1 < layout->n_pages ? next : 0, word);
}

/* Returns: (transfer full): all that comes before the first slice */
static GByteArray *
make_head (const Layout *layout)
{
  GByteArray *bytes = g_byte_array_new ();

  g_byte_array_append (bytes, (const guint8 *)"II", 2);
  if (layout->is_big)
    {
      append (bytes, 43, 2);
      append (bytes, 8, 2); /* bytes of an offset */
      append (bytes, 0, 2);
      append (bytes, 16, 8);
    }
  else
    {
      append (bytes, 42, 2);
      append (bytes, 8, 4);
    }
  for (size_t page = 0; page < layout->n_pages; page++)
    append_page (bytes, layout, page);
  append (bytes, to_rational (layout->pixel_per_unit), 8);
  g_byte_array_append (bytes, (const guint8 *)software, sizeof software);
  const guint written = bytes->len;
  g_byte_array_set_size (bytes, (guint)layout->data_start);
  memset (bytes->data + written, 0, bytes->len - written);
  return bytes;
}

/* --- a folder of files --- */

char *
tl_volume_dup_slice_name (const TlVolumeInfo *info, size_t slice)
{
  return g_strdup_printf (TL_SLICE_PREFIX "%05zu" TL_SLICE_SUFFIX,
                          info->first_number + slice * info->number_step);
}

static char *
dup_slice_path (const TlVolume *volume, size_t slice)
{
  g_autofree char *name = tl_volume_dup_slice_name (&volume->info, slice);

  return g_build_filename (volume->path, name, NULL);
}

static gboolean
open_stack (TlVolume *volume, gboolean is_new, GError **error)
{
  return !is_new || tl_disk_make_folder (volume->path, FALSE, error);
}

static Layout
lay_out_slice (const TlVolume *volume, const char *description)
{
  const double pixel_um = volume->info.pixel_um;

  return make_layout (volume, 1, description, 1e4 / pixel_um,
                      pixel_um > 0 ? RESUNIT_CENTIMETER : RESUNIT_NONE);
}

/* The samples are written first, because the tags and the description depend on
 * their tally. Where they begin does not depend on the description, which
 * stands behind them. */
static gboolean
write_in_stack (TlVolume *volume, int fd, const char *path, size_t slice,
                const float *pixels, TlSliceRecord *record, GError **error)
{
  if (!tl_volume_write_samples (volume, fd, path, pixels,
                                lay_out_slice (volume, "").data_start, record,
                                error))
    return FALSE;
  g_autofree char *description =
      tl_facts_dup_json (&volume->info, slice, &record->tally);
  const Layout layout = lay_out_slice (volume, description);
  g_autoptr (GByteArray) head = make_head (&layout);
  const size_t end_bytes = strlen (description) + 1;
  guint32 head_crc32 = 0, end_crc32 = 0;
  const gboolean ok =
      tl_disk_write (fd, path, description, end_bytes, layout.description_at,
                     &end_crc32, error)
      && tl_disk_write (fd, path, head->data, head->len, 0, &head_crc32, error);
  /* the record keeps the checksum of the whole file */
  record->crc32 = (guint32)crc32_combine (head_crc32, record->crc32,
                                          (z_off_t)volume->slice_bytes);
  record->crc32 =
      (guint32)crc32_combine (record->crc32, end_crc32, (z_off_t)end_bytes);
  return ok;
}

static gboolean
store_in_stack (TlVolume *volume, const TlLevel *level, size_t slice,
                const float *pixels, TlSliceRecord *record, GError **error)
{
  g_autofree char *path = dup_slice_path (volume, slice);

  /* the file may be of a finished volume, which has a link to it */
  if (g_unlink (path) != 0 && errno != ENOENT)
    return tl_set_write_error (error, path, errno, NULL);
  const int fd = tl_disk_create (path, error);
  if (fd < 0)
    return FALSE;
  const gboolean ok =
      write_in_stack (volume, fd, path, slice, pixels, record, error);
  return tl_disk_close (fd, path, ok ? error : NULL) && ok;
}

static gboolean
sum_in_stack (TlVolume *volume, const TlLevel *level, size_t slice,
              const TlSliceRecord *record, guint32 *crc)
{
  g_autofree char *path = dup_slice_path (volume, slice);

  return tl_disk_sum_file (path, crc, NULL);
}

static gboolean
write_stack_facts (const char *path, const TlVolumeInfo *info,
                   const TlVolumeTally *tally, GError **error)
{
  g_autofree char *facts_path =
      g_build_filename (path, TL_VOLUME_STACK_FACTS, NULL);
  g_autofree char *facts = tl_facts_dup_json (info, G_MAXSIZE, tally);

  return tl_disk_write_file (
      facts_path,
      (struct iovec[]){ { facts, strlen (facts) }, { (void *)"\n", 1 } }, 2,
      NULL, error);
}

/* Returns: (transfer full) (nullable): the metadata of the stack at @path;
 * %NULL if they are missing or were cut short */
static char *
read_stack_facts (const char *path)
{
  g_autofree char *facts_path =
      g_build_filename (path, TL_VOLUME_STACK_FACTS, NULL);
  g_autofree char *facts = NULL;

  return g_file_get_contents (facts_path, &facts, NULL, NULL)
                 && g_str_has_suffix (facts, FACTS_END)
             ? g_steal_pointer (&facts)
             : NULL;
}

static char *
read_stack_fact (const char *path, const char *key)
{
  g_autofree char *facts = read_stack_facts (path);

  return tl_facts_find_text (facts, key);
}

/* @number: (inout): stays as it is if the facts have none */
static void
read_number (const char *facts, const char *key, double *number)
{
  g_autofree char *text = tl_facts_find_text (facts, key);

  if (text != NULL)
    *number = g_ascii_strtod (text, NULL);
}

static void
add_part_tally (const char *facts, TlVolumeTally *tally)
{
  double below = 0, above = 0, nan = 0;
  double min = (double)tally->min, max = (double)tally->max;

  read_number (facts, "samples_below", &below);
  read_number (facts, "samples_above", &above);
  read_number (facts, "samples_nan", &nan);
  read_number (facts, "min", &min);
  read_number (facts, "max", &max);
  tl_volume_tally_add (tally, &(TlVolumeTally){ .n_below = (guint64)below,
                                                .n_above = (guint64)above,
                                                .n_nan = (guint64)nan,
                                                .min = (float)min,
                                                .max = (float)max });
}

static void
append_failures (GString *text, const char *facts)
{
  g_autofree char *own = tl_facts_find_text (facts, TL_FACT_FAILURES);

  g_string_append (text, own != NULL ? own : "");
}

/* Returns: whether the part has checksums */
static gboolean
append_sums (GString *text, const char *facts)
{
  g_autofree char *own = tl_facts_find_text (facts, TL_FACT_SUMS);

  g_string_append_printf (text, "%s%s", text->len > 0 ? " " : "",
                          own != NULL ? own : "");
  return own != NULL;
}

gboolean
tl_volume_join_stack (const char *path, const TlVolumeInfo *info,
                      const char *const *parts, GError **error)
{
  TlVolumeInfo whole = *info;
  TlVolumeTally tally;
  g_autoptr (GString) sums = g_string_new (NULL);
  g_autoptr (GString) failures = g_string_new (NULL);
  gboolean has_sums = TRUE;

  tl_volume_tally_init (&tally);
  for (size_t k = 0; parts[k] != NULL; k++)
    {
      g_autofree char *facts = read_stack_facts (parts[k]);

      has_sums = append_sums (sums, facts) && has_sums;
      append_failures (failures, facts);
      add_part_tally (facts, &tally);
      read_number (facts, "low", &whole.low);
      read_number (facts, "high", &whole.high);
    }
  whole.slice_crc32 = has_sums ? sums->str : NULL;
  whole.failures = failures->str;
  return write_stack_facts (path, &whole, &tally, error);
}

static gboolean
finish_stack (TlVolume *volume, const TlVolumeTally *tally, GError **error)
{
  return write_stack_facts (volume->path, &volume->info, tally, error);
}

static int
ignore_message (TIFF *tiff, void *data, const char *module, const char *format,
                va_list list)
{
  return 1; /* not printed */
}

/* @start: what stands before the metadata in the description. Returns:
 * (transfer full) (nullable): the metadata */
static char *
read_description (const char *path, const char *start)
{
  TIFFOpenOptions *options = TIFFOpenOptionsAlloc ();
  const char *description = NULL;

  TIFFOpenOptionsSetErrorHandlerExtR (options, ignore_message, NULL);
  TIFFOpenOptionsSetWarningHandlerExtR (options, ignore_message, NULL);
  TIFF *tiff = TIFFOpenExt (path, "r", options);
  TIFFOpenOptionsFree (options);
  if (tiff == NULL)
    return NULL;
  char *text = TIFFGetField (tiff, TIFFTAG_IMAGEDESCRIPTION, &description) == 1
                   ? g_strdup (strstr (description, start))
                   : NULL;
  TIFFClose (tiff);
  return text;
}

static char *
read_description_fact (const char *path, const char *start, const char *key)
{
  g_autofree char *facts = read_description (path, start);

  return tl_facts_find_text (facts, key);
}

void
tl_volume_adopt_stack (TlVolume *volume, const char *from)
{
  g_autofree TlSliceRecord *record = tl_volume_new_record (volume);
  g_autofree char *sums = read_stack_fact (from, TL_FACT_SUMS);
  g_auto (GStrv) words = g_strsplit (sums != NULL ? sums : "", " ", -1);

  if (g_strv_length (words) != volume->info.n_slices)
    return;
  for (size_t k = 0; k < volume->info.n_slices; k++)
    {
      g_autofree char *path = dup_slice_path (volume, k);
      g_autofree char *name = tl_volume_dup_slice_name (&volume->info, k);
      g_autofree char *own = g_build_filename (from, name, NULL);
      g_autofree char *facts = read_description (own, "{");

      record->crc32 = (guint32)g_ascii_strtoull (words[k], NULL, 16);
      tl_volume_tally_init (&record->tally);
      add_part_tally (facts, &record->tally);
      if (link (own, path) != 0
          || !tl_volume_write_record (volume, k, record, NULL))
        g_info ("%s: the slice is made again", own);
    }
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *)a, *(char *const *)b);
}

/* Returns: (transfer full) (element-type utf8): the names of the slices in the
 * folder @path, in their order */
static GPtrArray *
list_slices (const char *path)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_prefix (name, TL_SLICE_PREFIX))
      g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);
  return names;
}

static gboolean
is_later (const GStatBuf *a, const GStatBuf *b)
{
  return a->st_mtim.tv_sec > b->st_mtim.tv_sec
         || (a->st_mtim.tv_sec == b->st_mtim.tv_sec
             && a->st_mtim.tv_nsec > b->st_mtim.tv_nsec);
}

/* Opening 2000 slices takes 0.2 s on a local disk, so only the first and the
 * last one are opened, those that were written after the metadata of the
 * volume, and those of another size than the first. Other programs lay out
 * their files otherwise: a slice that one of them has saved has another size by
 * hundreds of bytes, while in ours only digits differ. */
static char *
find_foreign_slice (const char *path)
{
  g_autoptr (GPtrArray) names = list_slices (path);
  g_autofree char *facts_path =
      g_build_filename (path, TL_VOLUME_STACK_FACTS, NULL);
  GStatBuf facts;
  const gboolean has_facts = g_lstat (facts_path, &facts) == 0;
  goffset first_bytes = 0;

  for (guint k = 0; k < names->len; k++)
    {
      g_autofree char *slice = g_build_filename (path, names->pdata[k], NULL);
      GStatBuf status = { 0 };

      g_lstat (slice, &status);
      if (k == 0)
        first_bytes = status.st_size;
      if (k > 0 && k + 1 < names->len && S_ISREG (status.st_mode)
          && !(has_facts && is_later (&status, &facts))
          && ABS (status.st_size - first_bytes) <= MAX_DIGITS)
        continue;
      g_autofree char *program = read_description_fact (slice, "{", "program");
      if (g_strcmp0 (program, TL_PROGRAM) != 0)
        return g_steal_pointer (&slice);
    }
  return NULL;
}

static char *
find_missing_slice (const TlVolume *volume)
{
  for (size_t k = 0; k < volume->info.n_slices; k++)
    {
      g_autofree char *path = dup_slice_path (volume, k);

      if (!g_file_test (path, G_FILE_TEST_IS_REGULAR))
        return g_steal_pointer (&path);
    }
  g_autofree char *facts =
      g_build_filename (volume->path, TL_VOLUME_STACK_FACTS, NULL);
  return g_file_test (facts, G_FILE_TEST_IS_REGULAR) ? NULL
                                                     : g_steal_pointer (&facts);
}

const TlVolumeClass tl_tiff_stack_class = {
  .info = { .name = "tiff",
            .suffix = "",
            .description = N_ ("a folder of TIFF files, one for each slice"),
            .has_f16 = TRUE,
            .is_folder = TRUE },
  .read_fact = read_stack_fact,
  .find_foreign = find_foreign_slice,
  .find_missing = find_missing_slice,
  .open = open_stack,
  .store = store_in_stack,
  .sum = sum_in_stack,
  .finish = finish_stack,
};

/* --- one file --- */

/* The description as ImageJ writes it: it reads the pitch and the unit here,
 * and the pixel size, in that unit, from the resolution tags. */
static char *
describe_to_imagej (const TlVolumeInfo *info, const TlVolumeTally *tally)
{
  const double sample_max = tl_volume_sample_max (info->sample);
  g_autofree char *facts = tl_facts_dup_json (info, G_MAXSIZE, tally);
  g_autofree char *pitch = tl_dup_number (info->pitch_um);
  GString *text = g_string_new ("ImageJ=1.53t\n");

  g_string_append_printf (text, "images=%zu\nslices=%zu\nloop=false\n",
                          info->n_slices, info->n_slices);
  if (info->pixel_um > 0)
    g_string_append (text, "unit=um\n");
  if (info->pitch_um > 0)
    g_string_append_printf (text, "spacing=%s\n", pitch);
  if (sample_max > 0)
    {
      /* The calibration with which ImageJ shows the values. */
      g_autofree char *low = tl_dup_number (info->low);
      g_autofree char *step =
          tl_dup_number ((info->high - info->low) / sample_max);

      g_string_append_printf (
          text, "cf=0\nc0=%s\nc1=%s\nvunit=1/pixel\nmin=0\nmax=%.0f\n", low,
          step, sample_max);
    }
  else if (tally != NULL && tally->min <= tally->max)
    {
      g_autofree char *min = tl_dup_number ((double)tally->min);
      g_autofree char *max = tl_dup_number ((double)tally->max);

      g_string_append_printf (text, "min=%s\nmax=%s\n", min, max);
    }
  g_string_append_printf (text, "tomolens=%s\n", facts);
  return g_string_free (text, FALSE);
}

static Layout
lay_out_pages (const TlVolume *volume, const char *description)
{
  return make_layout (volume, volume->info.n_slices, description,
                      1 / volume->info.pixel_um, RESUNIT_NONE);
}

static gboolean
open_pages (TlVolume *volume, gboolean is_new, GError **error)
{
  volume->data_start = lay_out_pages (volume, "").data_start;
  return tl_plain_open (volume, is_new, error);
}

static char *
read_pages_fact (const char *path, const char *key)
{
  return read_description_fact (path, "\ntomolens={", key);
}

static gboolean
finish_pages (TlVolume *volume, const TlVolumeTally *tally, GError **error)
{
  g_autofree char *description = describe_to_imagej (&volume->info, tally);
  const Layout layout = lay_out_pages (volume, description);
  g_autoptr (GByteArray) head = make_head (&layout);

  return tl_write_at (volume->fd, volume->path, head->data, head->len, 0, error)
         && tl_write_at (volume->fd, volume->path, description,
                         strlen (description) + 1, layout.description_at,
                         error);
}

const TlVolumeClass tl_bigtiff_class = {
  .info = { .name = "bigtiff",
            .suffix = ".tif",
            .description = N_ ("one TIFF file, a page for each slice"),
            .has_f16 = TRUE },
  .read_fact = read_pages_fact,
  .open = open_pages,
  .store = tl_plain_store,
  .sum = tl_plain_sum,
  .finish = finish_pages,
};
