/* Each format keeps the samples it is given, whoever stops it and when. */
#include "data/error.h"
#include "data/write/hdf5-file.h"
#include "data/write/volume/checksums.h"
#include "data/write/volume/facts-private.h"
#include "data/write/volume/sample-private.h"
#include "data/write/volume/volume-private.h"
#include "tests/data/write/full-disk.h"
#include "tests/data/write/volume/made-volume.h"
#include "tests/support/peak-memory.h"

#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <string.h>
#include <sys/statvfs.h>
#include <tiffio.h>
#include <zlib.h>

/* --- helpers --- */

/* atomic */
static guint n_synced;

/* Only counts, because a disk takes long for each of thousands of files. */
int __wrap_fsync (int fd);
int
__wrap_fsync (int fd)
{
  g_atomic_int_inc (&n_synced);
  return 0;
}

static void
empty_folder (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *inner = g_build_filename (path, name, NULL);

      empty_folder (inner);
      g_assert_cmpint (g_remove (inner), ==, 0);
    }
}

static void
remove_tree (const char *path)
{
  empty_folder (path);
  g_assert_cmpint (g_remove (path), ==, 0);
}

static guint64
count_tree_bytes (const char *path, guint *n_files)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  GStatBuf status;
  const char *name;

  g_assert_cmpint (g_lstat (path, &status), ==, 0);
  guint64 bytes = (guint64)status.st_blocks * 512;
  (*n_files)++;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *inner = g_build_filename (path, name, NULL);

      bytes += count_tree_bytes (inner, n_files);
    }
  return bytes;
}

static char *
volume_path (const char *folder, TlVolumeFormat format)
{
  g_autofree char *name =
      g_strconcat ("volume", tl_volume_format_get_info (format)->suffix, NULL);

  return g_build_filename (folder, name, NULL);
}

static TlVolume *
new_volume (const char *path, const TlVolumeInfo *info)
{
  g_autoptr (GError) error = NULL;
  TlVolume *volume = tl_volume_new (path, info, &error);

  g_assert_no_error (error);
  return volume;
}

static TlVolume *
resume_volume (const char *path, const TlVolumeInfo *info)
{
  g_autoptr (GError) error = NULL;
  TlVolume *volume = tl_volume_resume (path, info, &error);

  g_assert_no_error (error);
  return volume;
}

static void
finish_volume (TlVolume *volume)
{
  g_autoptr (GError) error = NULL;

  tl_volume_finish (volume, &error);
  g_assert_no_error (error);
}

static void
write_slice (TlVolume *volume, const TlVolumeInfo *info, size_t slice,
             guint32 *crc32)
{
  g_autofree float *pixels = made_slice (info, slice);
  g_autoptr (GError) error = NULL;

  tl_volume_write (volume, slice, pixels, crc32, &error);
  g_assert_no_error (error);
}

static void
write_whole (const char *path, const TlVolumeInfo *info)
{
  g_autoptr (TlVolume) volume = new_volume (path, info);

  for (size_t z = 0; z < info->n_slices; z++)
    write_slice (volume, info, z, NULL);
  finish_volume (volume);
}

/* --- samples --- */

static float
half_to_float (guint16 half)
{
  const int exponent = half >> 10 & 31, fraction = half & 1023;
  const float size = exponent == 0 ? ldexpf ((float)fraction, -24)
                     : exponent < 31
                         ? ldexpf ((float)(1024 + fraction), exponent - 25)
                     : fraction == 0 ? INFINITY
                                     : NAN;

  return half & 0x8000 ? -size : size;
}

static guint16
convert_to_half (float pixel)
{
  TlVolumeTally tally;
  guint16 half;

  tl_volume_tally_init (&tally);
  tl_volume_convert (TL_VOLUME_F16, 0, 0, &pixel, 1, &half, &tally);
  return half;
}

/* Each half is itself, and between two of them the nearer one is taken, the
 * even one in the middle. */
static void
test_half (void)
{
  for (guint half = 0; half < 0x7c00; half++)
    {
      const float value = half_to_float ((guint16)half);
      /* After the greatest comes infinity, in the place of 65536. */
      const float next =
          half == 0x7bff ? 65536.0f : half_to_float ((guint16)(half + 1));
      const float middle = (value + next) / 2;
      const guint even = half % 2 == 0 ? half : half + 1;

      g_assert_cmpuint (convert_to_half (value), ==, half);
      g_assert_cmpuint (convert_to_half (-value), ==, half | 0x8000);
      g_assert_cmpuint (convert_to_half (middle), ==, even);
      g_assert_cmpuint (convert_to_half (nextafterf (middle, 0)), ==, half);
      g_assert_cmpuint (convert_to_half (nextafterf (middle, INFINITY)), ==,
                        half + 1);
    }
  g_assert_cmpuint (convert_to_half (INFINITY), ==, 0x7c00);
  g_assert_cmpuint (convert_to_half (-1e30f), ==, 0xfc00);
  g_assert_true (isnan (half_to_float (convert_to_half (NAN))));
}

static void
test_clipping (void)
{
  const float pixels[] = { -1.0f,    -1.001f,   6.0f, 6.001f, NAN,
                           INFINITY, -INFINITY, 2.5f, 0.0f,   -0.9999f };
  const guint8 want_u8[] = { 0, 0, 255, 255, 0, 255, 0, 128, 36, 0 };
  const guint16 want_u16[] = {
    0, 0, 65535, 65535, 0, 65535, 0, 32768, 9362, 1
  };
  guint8 u8[10];
  guint16 u16[10];
  TlVolumeTally tally;

  for (int wide = 0; wide <= 1; wide++)
    {
      tl_volume_tally_init (&tally);
      tl_volume_convert (wide ? TL_VOLUME_U16 : TL_VOLUME_U8, -1, 6, pixels, 10,
                         wide ? (void *)u16 : u8, &tally);
      g_assert_cmpuint (tally.n_below, ==, 2);
      g_assert_cmpuint (tally.n_above, ==, 2);
      g_assert_cmpuint (tally.n_nan, ==, 1);
      g_assert_cmpfloat (tally.min, ==, -1.001f);
      g_assert_cmpfloat (tally.max, ==, 6.001f);
    }
  g_assert_cmpmem (u8, sizeof u8, want_u8, sizeof want_u8);
  g_assert_cmpmem (u16, sizeof u16, want_u16, sizeof want_u16);
}

/* The instructions of this processor make what any processor makes. */
static void
test_instructions (void)
{
  enum
  {
    N = 3 * 2048 + 7
  };
  g_autofree float *pixels = g_new (float, N);
  guint8 want[sizeof (float) * N], got[sizeof (float) * N];

  for (guint k = 0; k < N; k++)
    pixels[k] = (float)g_test_rand_double_range (-2, 7);
  pixels[5] = NAN;
  pixels[2047] = INFINITY;
  pixels[N - 1] = -INFINITY;
  pixels[2048] = 1e-6f; /* a subnormal float16 */
  for (TlVolumeSample sample = 0; sample < TL_N_VOLUME_SAMPLES; sample++)
    {
      const size_t n_bytes = N * tl_volume_sample_size (sample);
      TlVolumeTally plain, tally;

      tl_volume_tally_init (&plain);
      tl_volume_tally_init (&tally);
      tl_volume_convert_plain (sample, -1, 6, pixels, N, want, &plain);
      tl_volume_convert (sample, -1, 6, pixels, N, got, &tally);
      g_assert_cmpmem (got, n_bytes, want, n_bytes);
      g_assert_cmpmem (&tally, sizeof tally, &plain, sizeof plain);
    }
}

/* What JSON and TIFF have as text. */
static void
test_number (void)
{
  static const struct
  {
    double number;
    const char *text;
  } cases[] = {
    { 20, "20" },
    { -510, "-510" },
    { 0, "0" },
    { 0.1, "0.1" },
    { 0.1 + 0.2, "0.30000000000000004" },
    { 1e-7, "1e-07" },
    { 123456789012345, "123456789012345" },
    { 2e300, "2e+300" },
  };

  for (guint k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      g_autofree char *text = tl_dup_number (cases[k].number);

      g_assert_cmpstr (text, ==, cases[k].text);
    }
}

/* Each sample of a range stands for itself after it is restored. */
static void
test_restored (void)
{
  const double low = -0.013, high = 0.1;
  TlVolumeTally tally;

  tl_volume_tally_init (&tally);
  for (guint want = 0; want <= 65535; want++)
    {
      const float pixel = (float)(low + want * (high - low) / 65535);
      guint16 sample;

      tl_volume_convert (TL_VOLUME_U16, low, high, &pixel, 1, &sample, &tally);
      g_assert_cmpuint (sample, ==, want);
    }
  g_assert_cmpuint (tally.n_nan, ==, 0);
}

/* --- reading back --- */

static void
read_tiff_page (TIFF *tiff, size_t n_rows, size_t n_cols, size_t sample_bytes,
                void *samples)
{
  guint32 width = 0, height = 0;
  guint16 bits = 0;

  TIFFGetField (tiff, TIFFTAG_IMAGEWIDTH, &width);
  TIFFGetField (tiff, TIFFTAG_IMAGELENGTH, &height);
  TIFFGetField (tiff, TIFFTAG_BITSPERSAMPLE, &bits);
  g_assert_cmpuint (width, ==, n_cols);
  g_assert_cmpuint (height, ==, n_rows);
  g_assert_cmpuint (bits, ==, 8 * sample_bytes);
  for (size_t row = 0; row < n_rows; row++)
    g_assert_cmpint (
        TIFFReadScanline (tiff, (char *)samples + row * n_cols * sample_bytes,
                          (guint32)row, 0),
        ==, 1);
}

static void
read_tiff (const char *path, const TlVolumeInfo *info, char *samples)
{
  const size_t sample_bytes = tl_volume_sample_size (info->sample);
  const size_t slice_bytes = info->n_rows * info->n_cols * sample_bytes;
  const gboolean is_stack = info->format == TL_VOLUME_TIFF;
  TIFF *tiff = is_stack ? NULL : TIFFOpen (path, "r");

  for (size_t i = 0; i < info->n_slices; i++)
    {
      if (is_stack)
        {
          g_autofree char *page =
              g_strdup_printf ("%s/recon_%05zu.tiff", path, 30 + 2 * i);
          tiff = TIFFOpen (page, "r");
        }
      g_assert_nonnull (tiff);
      read_tiff_page (tiff, info->n_rows, info->n_cols, sample_bytes,
                      samples + i * slice_bytes);
      g_assert_cmpint (TIFFReadDirectory (tiff), ==,
                       !is_stack && i + 1 < info->n_slices);
      if (is_stack)
        TIFFClose (tiff);
    }
  if (!is_stack)
    TIFFClose (tiff);
}

static void
read_hdf5 (const char *path, const TlVolumeInfo *info, char *samples)
{
  hid_t file = H5Fopen (path, H5F_ACC_RDONLY, H5P_DEFAULT);
  hid_t data = H5Dopen2 (file,
                         info->format == TL_VOLUME_HDF5 ? "/exchange/data"
                                                        : "/entry/data/data",
                         H5P_DEFAULT);
  hid_t space = H5Dget_space (data), type = H5Dget_type (data);
  hsize_t dims[3];

  g_assert_cmpint (H5Sget_simple_extent_dims (space, dims, NULL), ==, 3);
  g_assert_cmpuint (dims[0], ==, info->n_slices);
  g_assert_cmpuint (dims[1], ==, info->n_rows);
  g_assert_cmpuint (dims[2], ==, info->n_cols);
  g_assert_cmpuint (H5Tget_size (type), ==,
                    tl_volume_sample_size (info->sample));
  g_assert_cmpint (H5Dread (data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, samples),
                   >=, 0);
  H5Tclose (type);
  H5Sclose (space);
  H5Dclose (data);
  H5Fclose (file);
}

/* Reads a level that was written without compression. */
static void
read_zarr (const char *path, size_t index, const TlLevel *level,
           size_t sample_bytes, char *samples)
{
  for (size_t i = 0; i < level->n_slices * level->n_down * level->n_across; i++)
    {
      const size_t n_tiles = level->n_down * level->n_across;
      const size_t row = i % n_tiles / level->n_across;
      const size_t col = i % level->n_across, slice = i / n_tiles;
      g_autofree char *file =
          g_strdup_printf ("%s/%zu/%zu/%zu/%zu", path, index, slice, row, col);
      g_autofree char *tile = NULL;
      gsize size = 0;

      g_assert_true (g_file_get_contents (file, &tile, &size, NULL));
      g_assert_cmpuint (size, ==,
                        level->tile_rows * level->tile_cols * sample_bytes);
      for (size_t y = 0; y < level->tile_rows; y++)
        for (size_t x = 0; x < level->tile_cols; x++)
          {
            const size_t at_y = row * level->tile_rows + y;
            const size_t at_x = col * level->tile_cols + x;

            if (at_y < level->n_rows && at_x < level->n_cols)
              memcpy (
                  samples
                      + ((slice * level->n_rows + at_y) * level->n_cols + at_x)
                            * sample_bytes,
                  tile + (y * level->tile_cols + x) * sample_bytes,
                  sample_bytes);
          }
    }
}

static void
read_raw (const char *path, const TlVolumeInfo *info, char *samples,
          size_t n_bytes)
{
  g_autofree char *content = NULL, *header = NULL;
  g_autofree char *side_path = tl_volume_dup_side_path (TL_VOLUME_RAW, path);
  g_autofree char *sizes = g_strdup_printf (
      "\nsizes: %zu %zu %zu\n", info->n_cols, info->n_rows, info->n_slices);
  gsize size = 0;

  g_assert_true (g_str_has_suffix (side_path, "/volume.nhdr"));
  g_assert_true (g_file_get_contents (side_path, &header, NULL, NULL));
  g_assert_nonnull (strstr (header, sizes));
  g_assert_nonnull (strstr (header, "\ndata file: volume.raw\n"));
  g_assert_true (g_file_get_contents (path, &content, &size, NULL));
  g_assert_cmpuint (size, ==, n_bytes);
  memcpy (samples, content, n_bytes);
}

static double
want_integer (float pixel, double max)
{
  const double level =
      floor ((pixel - MADE_LOW) * (max / (MADE_HIGH - MADE_LOW)) + 0.5);

  return isnan (pixel) ? 0 : CLAMP (level, 0, max);
}

static void
assert_sample (TlVolumeSample type, const char *sample, float pixel)
{
  guint16 u16;
  float f32;

  memcpy (&u16, sample, 2);
  if (type == TL_VOLUME_U8)
    g_assert_cmpfloat (*(const guint8 *)sample, ==, want_integer (pixel, 255));
  else if (type == TL_VOLUME_U16)
    g_assert_cmpfloat (u16, ==, want_integer (pixel, 65535));
  else if (type == TL_VOLUME_F16)
    g_assert_cmpuint (u16, ==, convert_to_half (pixel));
  else
    {
      memcpy (&f32, sample, sizeof f32);
      g_assert_cmpmem (&f32, sizeof f32, &pixel, sizeof pixel);
    }
}

static void
assert_volume (const char *path, const TlVolumeInfo *info)
{
  const size_t sample_bytes = tl_volume_sample_size (info->sample);
  const size_t n_bytes =
      info->n_slices * info->n_rows * info->n_cols * sample_bytes;
  g_autofree char *samples = g_malloc0 (n_bytes + sample_bytes);
  const char *sample = samples;
  size_t n_levels;
  g_autofree TlLevel *levels = tl_levels_plan (info, 1024, TRUE, &n_levels);

  switch (info->format)
    {
    case TL_VOLUME_TIFF:
    case TL_VOLUME_BIGTIFF:
      read_tiff (path, info, samples);
      break;
    case TL_VOLUME_ZARR:
      read_zarr (path, 0, &levels[0], sample_bytes, samples);
      break;
    case TL_VOLUME_RAW:
      read_raw (path, info, samples, n_bytes);
      break;
    default:
      read_hdf5 (path, info, samples);
    }
  for (size_t z = 0; z < info->n_slices; z++)
    for (size_t y = 0; y < info->n_rows; y++)
      for (size_t x = 0; x < info->n_cols; x++, sample += sample_bytes)
        assert_sample (info->sample, sample, made_pixel (z, y, x));
}

/* --- all formats --- */

/* What a case writes; compressed Zarr is read by others, in readers.py. */
typedef struct
{
  TlVolumeFormat format;
  TlVolumeSample sample;
  int compression;
} Case;

static const size_t sizes[][3] = {
  { 1, 1, 1 },    { 2, 5, 3 },    { 7, 37, 61 },
  { 3, 1027, 5 }, { 2, 3, 2050 }, { 2, 350, 801 } /* two or three parts */
};

static void
test_format (gconstpointer data)
{
  const Case *c = data;
  g_autofree char *folder = make_folder ();
  g_autofree char *path = volume_path (folder, c->format);
  GRand *random = g_rand_new_with_seed ((guint32)g_test_rand_int ());

  /* the last size is for what is written in parts; compressed slices are not */
  for (size_t i = 0; i < G_N_ELEMENTS (sizes) - (c->compression > 0); i++)
    {
      const TlVolumeInfo info =
          made_info (c->format, c->sample, c->compression, sizes[i][0],
                     sizes[i][1], sizes[i][2]);
      g_autofree guint32 *crc32 = g_new (guint32, info.n_slices);
      g_autofree char *records =
          g_strconcat (path, TL_VOLUME_RECORDS_SUFFIX, NULL);
      g_autoptr (TlVolume) volume = new_volume (path, &info);
      TlVolumeTally tally;
      float min = INFINITY, max = -INFINITY;
      size_t n_below = 0;
      guint n_files = 0;

      made_write_all (&(MadeWork){ volume, &info, .crc32 = crc32 }, random);
      for (size_t z = 0; z < info.n_slices; z++)
        {
          guint32 sum = 0;

          g_assert_true (tl_volume_check_slice (volume, z, &sum));
          g_assert_cmphex (sum, ==, crc32[z]);
          for (size_t y = 0; y < info.n_rows; y++)
            for (size_t x = 0; x < info.n_cols; x++)
              {
                const float pixel = made_pixel (z, y, x);

                n_below +=
                    tl_volume_sample_max (info.sample) > 0 && pixel < MADE_LOW;
                min = fminf (min, pixel); /* ignores NaN */
                max = fmaxf (max, pixel);
              }
        }
      tl_volume_get_tally (volume, &tally);
      g_assert_cmpuint (tally.n_below, ==, n_below);
      g_assert_cmpfloat (tally.min, ==, min);
      g_assert_cmpfloat (tally.max, ==, max);
      g_assert_cmpuint (tally.n_nan, ==,
                        info.n_slices > 1 && info.n_rows > 2
                            && info.n_cols > 3);
      n_synced = 0;
      finish_volume (volume);
      g_assert_cmpint (g_unlink (records), ==, 0);
      if (c->format != TL_VOLUME_ZARR || c->compression == 0)
        assert_volume (path, &info);
      g_assert_cmpuint (count_tree_bytes (folder, &n_files), <=,
                        tl_volume_count_bytes (&info));
      g_assert_cmpuint (n_synced, ==, n_files);
      empty_folder (folder);
    }
  g_rand_free (random);
  remove_tree (folder);
}

/* Bins of slices have the values of pixels as they were read, which may be bins
 * of the scan. */
static void
test_unit_length (void)
{
  TlVolumeInfo info = made_info (TL_VOLUME_TIFF, TL_VOLUME_F32, 0, 2, 5, 7);

  info.pixel_um = 6;
  for (info.binning = 0; info.binning <= 4; info.binning += 2)
    for (info.bin = 0; info.bin <= 2; info.bin++)
      {
        g_autofree char *facts = tl_facts_dup_json (&info, 0, NULL);

        g_assert_nonnull (
            strstr (facts, info.binning == 0   ? "\"unit_length_um\": 6,"
                           : info.binning == 2 ? "\"unit_length_um\": 3,"
                                               : "\"unit_length_um\": 1.5,"));
      }
}

/* The checksum of a slice of a stack is that of its file. */
static void
test_stack_checksum (void)
{
  g_autofree char *folder = make_folder ();
  g_autofree char *path = g_build_filename (folder, "stack", NULL);
  g_autofree char *file = g_build_filename (path, "recon_00032.tiff", NULL);
  g_autofree char *content = NULL;
  const TlVolumeInfo info =
      made_info (TL_VOLUME_TIFF, TL_VOLUME_F32, 0, 2, 5, 7);
  g_autoptr (TlVolume) volume = new_volume (path, &info);
  guint32 crc = 0;
  gsize size = 0;

  write_slice (volume, &info, 1, &crc);
  g_assert_true (g_file_get_contents (file, &content, &size, NULL));
  g_assert_cmphex (crc, ==, crc32_z (0, (guint8 *)content, size));
  remove_tree (folder);
}

/* The mean of those of 2 x 2 x 2 voxels that are there. */
static float *
plain_coarse (const float *fine, const TlLevel *from, const TlLevel *to)
{
  float *means = g_new (float, to->n_slices * to->n_rows * to->n_cols);

  for (size_t z = 0; z < to->n_slices; z++)
    for (size_t y = 0; y < to->n_rows; y++)
      for (size_t x = 0; x < to->n_cols; x++)
        {
          double sum = 0;
          int n = 0;

          for (size_t i = 0; i < 8; i++)
            {
              const size_t at_z = 2 * z + i / 4, at_y = 2 * y + i / 2 % 2;
              const size_t at_x = 2 * x + i % 2;

              if (at_z >= from->n_slices || at_y >= from->n_rows
                  || at_x >= from->n_cols)
                continue;
              sum += (double)
                  fine[(at_z * from->n_rows + at_y) * from->n_cols + at_x];
              n++;
            }
          means[(z * to->n_rows + y) * to->n_cols + x] = (float)(sum / n);
        }
  return means;
}

static void
test_levels (void)
{
  static const size_t shapes[][4] = {
    { 7, 1025, 3, 4 }, /* 4, 2, 1 slices */
    { 1, 5, 600, 3 },
    { 258, 3, 2, 2 },
    { 3, 256, 256, 1 },
  };

  for (size_t s = 0; s < G_N_ELEMENTS (shapes); s++)
    {
      g_autofree char *folder = make_folder ();
      g_autofree char *path = g_build_filename (folder, "v.zarr", NULL);
      const TlVolumeInfo info =
          made_info (TL_VOLUME_ZARR, TL_VOLUME_F32, 0, shapes[s][0],
                     shapes[s][1], shapes[s][2]);
      const size_t slice = info.n_rows * info.n_cols;
      size_t n_levels;
      g_autofree TlLevel *levels =
          tl_levels_plan (&info, 1024, TRUE, &n_levels);
      g_autofree guint32 *crc32 = g_new (guint32, info.n_slices);
      g_autoptr (TlVolume) volume = new_volume (path, &info);
      g_autofree float *want = g_new (float, info.n_slices *slice);
      GRand *random = g_rand_new_with_seed ((guint32)g_test_rand_int ());

      g_assert_cmpuint (n_levels, ==, shapes[s][3]);
      made_write_all (&(MadeWork){ volume, &info, .crc32 = crc32 }, random);
      finish_volume (volume);
      g_rand_free (random);
      for (size_t z = 0; z < info.n_slices; z++)
        {
          g_autofree float *pixels = made_slice (&info, z);

          memcpy (want + z * slice, pixels, slice * sizeof *pixels);
        }
      for (size_t i = 1; i < n_levels; i++)
        {
          const TlLevel *level = &levels[i];
          const size_t n = level->n_slices * level->n_rows * level->n_cols;
          g_autofree float *finer = g_steal_pointer (&want);
          g_autofree float *got = g_new (float, n);

          want = plain_coarse (finer, level - 1, level);
          read_zarr (path, i, level, sizeof (float), (char *)got);
          for (size_t k = 0; k < n; k++)
            g_assert_true (fabsf (got[k] - want[k]) < 1e-5f
                           || (isnan (got[k]) && isnan (want[k])));
        }
      remove_tree (folder);
    }
}

/* --- resuming --- */

static void
flip_byte (const char *path, gint64 offset)
{
  int fd = g_open (path, O_RDWR, 0);
  guint8 byte;

  g_assert_cmpint (pread (fd, &byte, 1, offset), ==, 1);
  byte ^= 1;
  g_assert_cmpint (pwrite (fd, &byte, 1, offset), ==, 1);
  close (fd);
}

/* Returns: where the file of slice 2 has some of its bytes */
static gint64
find_byte (TlVolume *volume)
{
  const TlVolumeFormat format = volume->info.format;
  const gint64 within = 100;

  if (format == TL_VOLUME_HDF5 || format == TL_VOLUME_NEXUS)
    {
      g_autofree TlSliceRecord *record = tl_volume_new_record (volume);
      const struct
      {
        hid_t file, data;
        TlPlace *places;
      } *state = volume->state;

      g_assert_true (tl_volume_read_record (volume, 2, record));
      return (gint64)(volume->info.compression > 0 ? record->places[0].offset
                                                   : state->places[2].offset)
             + within;
    }
  if (format == TL_VOLUME_RAW || format == TL_VOLUME_BIGTIFF)
    return (gint64)(volume->data_start + 2 * volume->slice_bytes) + within;
  return 5000;
}

/* @want: (nullable): the damaged slices */
static void
assert_damaged (const char *path, const TlVolumeInfo *info, const char *want)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *damaged = NULL;

  g_assert_true (tl_volume_check_sums (path, info, NULL, &damaged, &error));
  g_assert_no_error (error);
  g_assert_cmpstr (damaged, ==, want);
}

/* Slices 0 to 3 and 6 are written, and 2 is damaged on the disk, as it is once
 * more when the volume is finished. In Zarr, of
 * two levels, the damaged slice and 6, whose neighbour is missing, go back to
 * be written; 3 stays although its neighbour does not. */
static void
test_resume (gconstpointer data)
{
  const Case *c = data;
  const gboolean is_zarr = c->format == TL_VOLUME_ZARR;
  const gboolean keeps[] = { TRUE,  TRUE,  FALSE,    TRUE,
                             FALSE, FALSE, !is_zarr, FALSE };
  g_autofree char *folder = make_folder ();
  g_autofree char *path = volume_path (folder, c->format);
  TlVolumeInfo info =
      made_info (c->format, c->sample, c->compression, 8, 300, 31);
  g_autofree char *records = g_strconcat (path, TL_VOLUME_RECORDS_SUFFIX, NULL);
  guint32 crc32[8] = { 0 };
  g_autofree char *damaged = NULL;
  gint64 at = 0;
  TlVolumeTally tally, want;
  g_autoptr (GError) error = NULL;

  g_autoptr (TlVolume) volume = new_volume (path, &info);
  for (size_t z = 0; z < 8; z++)
    if (z < 4 || z == 6)
      write_slice (volume, &info, z, &crc32[z]);
  g_assert_false (tl_volume_finish (volume, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);
  g_clear_error (&error);
  at = find_byte (volume);
  g_clear_pointer (&volume, tl_volume_free);
  damaged = g_strconcat (path,
                         is_zarr                       ? "/0/2/0/0"
                         : c->format == TL_VOLUME_TIFF ? "/recon_00034.tiff"
                                                       : "",
                         NULL);
  flip_byte (damaged, at);

  info.n_rows++;
  g_assert_null (tl_volume_resume (path, &info, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);
  g_clear_error (&error);
  info.n_rows--;
  info.command = "tomolens-cli export --resume";
  volume = resume_volume (path, &info);
  for (size_t z = 0; z < 8; z++)
    {
      guint32 sum = 0;

      g_assert_cmpint (tl_volume_check_slice (volume, z, &sum), ==, keeps[z]);
      g_assert_cmpint (tl_volume_is_damaged (volume, z), ==, z == 2);
      if (keeps[z])
        g_assert_cmphex (sum, ==, crc32[z]);
    }
  for (size_t z = 0; z < 8; z++)
    if (!keeps[z])
      write_slice (volume, &info, z, &crc32[z]);
  tl_volume_get_tally (volume, &tally);
  tl_volume_set_failures (volume, "3 why\n");
  at = find_byte (volume);
  finish_volume (volume);
  assert_volume (path, &info);
  g_autofree char *failures = tl_volume_read_failures (c->format, path);
  g_assert_cmpstr (failures, ==, "3 why\n");
  assert_damaged (path, &info, NULL);
  flip_byte (damaged, at);
  assert_damaged (path, &info, "slice 34");

  /* The tallies of both runs add up. */
  tl_volume_tally_init (&want);
  for (size_t z = 0; z < 8; z++)
    {
      g_autofree float *pixels = made_slice (&info, z);
      g_autofree double *samples = g_new (double, info.n_rows *info.n_cols);

      tl_volume_convert (info.sample, info.low, info.high, pixels,
                         info.n_rows * info.n_cols, samples, &want);
    }
  g_assert_cmpmem (&tally, sizeof tally, &want, sizeof want);

  g_assert_cmpint (g_unlink (records), ==, 0);
  g_assert_null (tl_volume_resume (path, &info, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_FILE);
  remove_tree (folder);
}

/* Puts @text in place of @old in the metadata, or cuts them there. */
static void
spoil_facts (const char *facts_path, const char *facts, const char *old,
             const char *text)
{
  const char *at = strstr (facts, old);
  g_autoptr (GError) error = NULL;

  g_assert_nonnull (at);
  g_autofree char *spoilt = g_strdup_printf (
      "%.*s%s%s", (int)(at - facts), facts, text != NULL ? text : "",
      text != NULL ? at + strlen (old) : "");
  g_file_set_contents (facts_path, spoilt, -1, &error);
  g_assert_no_error (error);
}

/* Where checksums are missing, the slices do not count as good, unless there
 * never were any. */
static void
test_spoilt_sums (void)
{
  g_autofree char *folder = make_folder ();
  g_autofree char *path = volume_path (folder, TL_VOLUME_TIFF);
  const TlVolumeInfo info =
      made_info (TL_VOLUME_TIFF, TL_VOLUME_U8, 0, 3, 4, 5);
  g_autoptr (TlVolume) volume = new_volume (path, &info);
  g_autofree char *facts_path =
      g_build_filename (path, TL_VOLUME_STACK_FACTS, NULL);
  g_autofree char *facts = NULL;
  const char *const want = "the list of the checksums";

  for (size_t z = 0; z < info.n_slices; z++)
    write_slice (volume, &info, z, NULL);
  finish_volume (volume);
  assert_damaged (path, &info, NULL);
  g_assert_null (tl_volume_find_missing (path, &info));
  g_assert_true (g_file_get_contents (facts_path, &facts, NULL, NULL));
  spoil_facts (facts_path, facts, "\"slice_crc32\": \"",
               "\"slice_crc32\": \"0 ");
  assert_damaged (path, &info, want);
  spoil_facts (facts_path, facts, "\"slice_crc32\"", NULL);
  assert_damaged (path, &info, want);
  spoil_facts (facts_path, facts, facts, NULL);
  assert_damaged (path, &info, want);
  spoil_facts (facts_path, facts, "\"slice_crc32\"", "\"of earlier versions\"");
  assert_damaged (path, &info, NULL);
  g_assert_cmpint (g_unlink (facts_path), ==, 0);
  assert_damaged (path, &info, want);
  g_autofree char *missing = tl_volume_find_missing (path, &info);
  g_assert_cmpstr (missing, ==, facts_path);
  remove_tree (folder);
}

/* A stack of parts, of which one is of an earlier version, has no checksums. */
static void
test_joined_sums (void)
{
  static const struct
  {
    const char *first, *second, *want;
  } cases[] = {
    { "{\"slice_crc32\": \"01\"}\n", "{\"slice_crc32\": \"02 03\"}\n",
      "\"slice_crc32\": \"01 02 03\"" },
    { "{\"slice_crc32\": \"01\"}\n", "{}\n", NULL },
  };
  g_autofree char *folder = make_folder ();
  const TlVolumeInfo info =
      made_info (TL_VOLUME_TIFF, TL_VOLUME_U8, 0, 3, 4, 5);

  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      g_autofree char *first = g_strdup_printf ("%s/%zu-1", folder, k);
      g_autofree char *second = g_strdup_printf ("%s/%zu-2", folder, k);
      g_autofree char *whole = g_strdup_printf ("%s/%zu", folder, k);
      const char *const paths[] = { first, second, whole };
      const char *const texts[] = { cases[k].first, cases[k].second, "" };
      g_autofree char *got = NULL;
      g_autoptr (GError) error = NULL;

      for (size_t i = 0; i < G_N_ELEMENTS (paths); i++)
        {
          g_autofree char *facts =
              g_build_filename (paths[i], TL_VOLUME_STACK_FACTS, NULL);

          g_assert_cmpint (g_mkdir (paths[i], 0700), ==, 0);
          g_assert_true (g_file_set_contents (facts, texts[i], -1, NULL));
        }
      tl_volume_join_stack (
          whole, &info, (const char *const[]){ first, second, NULL }, &error);
      g_assert_no_error (error);
      g_autofree char *facts =
          g_build_filename (whole, TL_VOLUME_STACK_FACTS, NULL);
      g_assert_true (g_file_get_contents (facts, &got, NULL, NULL));
      g_assert_nonnull (strstr (got, "\"program\""));
      if (cases[k].want != NULL)
        g_assert_nonnull (strstr (got, cases[k].want));
      else
        g_assert_null (strstr (got, "slice_crc32"));
    }
  remove_tree (folder);
}

/* Joins a first part of two slices with one that another program, another
 * recipe or another range has made. */
static void
test_joined_parts (void)
{
  static const char other[] = "[recipe]\nfilter=ramp\n";
  static const struct
  {
    const char *recipe;
    size_t more_cols, more_slices, later;
    double higher;
    gboolean is_cut;
    TlError code;
    const char *want; /* (nullable): of the error; %NULL: they are joined */
  } cases[] = {
    { .want = NULL },
    { .is_cut = TRUE, .code = TL_ERROR_FILE, .want = "part cannot be read" },
    { .recipe = other, .code = TL_ERROR_VALUE, .want = "with another recipe" },
    { .more_cols = 1, .code = TL_ERROR_VALUE, .want = "from another scan" },
    { .higher = 1,
      .code = TL_ERROR_VALUE,
      .want = "range of the samples of this part is not that of the first" },
    { .more_slices = 1,
      .code = TL_ERROR_VALUE,
      .want = "has 3 slices from number 34 on, and not 2 from 34 on" },
    { .later = 2,
      .code = TL_ERROR_VALUE,
      .want = "has 2 slices from number 36 on, and not 2 from 34 on" },
  };
  const TlVolumeInfo part =
      made_info (TL_VOLUME_HDF5, TL_VOLUME_U16, 0, 2, 4, 5);
  TlVolumeInfo whole = part;
  whole.n_slices = 4;
  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      g_autofree char *folder = make_folder ();
      g_autofree char *path = volume_path (folder, TL_VOLUME_HDF5);
      g_autofree char *first = g_build_filename (folder, "first.h5", NULL);
      g_autofree char *second = g_build_filename (folder, "second.h5", NULL);
      const TlVolumePart parts[] = { { (char *)"first.h5", 30, 2 },
                                     { (char *)"second.h5", 34, 2 } };
      TlVolumeInfo info = part;
      g_autoptr (GError) error = NULL;

      write_whole (first, &info);
      info.first_number = 34 + cases[k].later;
      info.n_cols += cases[k].more_cols;
      info.n_slices += cases[k].more_slices;
      info.high += cases[k].higher;
      if (cases[k].recipe != NULL)
        info.recipe = cases[k].recipe;
      write_whole (second, &info);
      if (cases[k].is_cut)
        g_assert_cmpint (truncate (second, 700), ==, 0);
      const gboolean is_joined = tl_volume_join (path, &whole, folder, parts,
                                                 G_N_ELEMENTS (parts), &error);
      g_assert_cmpint (is_joined, ==, cases[k].want == NULL);
      if (is_joined)
        g_assert_no_error (error);
      else
        {
          g_assert_error (error, TL_ERROR, (int)cases[k].code);
          g_assert_nonnull (strstr (error->message, "second.h5: "));
          g_assert_nonnull (strstr (error->message, cases[k].want));
        }
      remove_tree (folder);
    }
}

/* Zeros, as in a file of which a page was not written, take the place of what
 * is behind the recipe among the texts: HDF5 never ends with them. */
static void
damage_texts (const char *path)
{
  const TlVolumeInfo info =
      made_info (TL_VOLUME_HDF5, TL_VOLUME_U16, 0, 2, 4, 5);
  const size_t length = strlen (info.recipe);
  g_autofree char *bytes = NULL;
  gsize size;
  guint64 heap_bytes;

  g_assert_true (g_file_get_contents (path, &bytes, &size, NULL));
  char *recipe = memmem (bytes, size, info.recipe, length);
  g_assert_nonnull (recipe);
  char *heap = recipe;
  while (memcmp (heap, "GCOL", 4) != 0)
    heap--;
  memcpy (&heap_bytes, heap + 8, sizeof heap_bytes);
  char *end = recipe + (length + 7) / 8 * 8;
  memset (end, 0, (size_t)(heap + heap_bytes - end));
  g_assert_true (g_file_set_contents (path, bytes, (gssize)size, NULL));
}

/* Puts @n numbers, of which each is @number, in place of a fact. */
static void
replace_fact (const char *path, const char *fact, hsize_t n, double number)
{
  hid_t file = H5Fopen (path, H5F_ACC_RDWR, H5P_DEFAULT);
  hid_t space = H5Screate_simple (1, &n, NULL);
  hid_t made = H5Pcreate (H5P_DATASET_CREATE);

  g_assert_cmpint (H5Ldelete (file, fact, H5P_DEFAULT), >=, 0);
  H5Pset_fill_value (made, H5T_NATIVE_DOUBLE, &number);
  hid_t data = H5Dcreate2 (file, fact, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT,
                           made, H5P_DEFAULT);
  g_assert_cmpint (data, >=, 0);
  H5Dclose (data);
  H5Pclose (made);
  H5Sclose (space);
  H5Fclose (file);
}

/* 8 GiB of numbers, which the file only declares, where there is room for one
 */
static void
declare_numbers (const char *path)
{
  replace_fact (path, "/process/tomolens/min", (hsize_t)1 << 30, 0);
}

static void
make_count_negative (const char *path)
{
  replace_fact (path, "/process/tomolens/samples_below", 1, -1);
}

static void
make_count_huge (const char *path)
{
  replace_fact (path, "/process/tomolens/samples_nan", 1, 1e300);
}

static void
make_number_none (const char *path)
{
  replace_fact (path, "/process/tomolens/first_detector_row", 1, NAN);
}

/* A part may be damaged when it is copied from machine to machine. */
static void
test_damaged_parts (void)
{
  static const struct
  {
    void (*damage) (const char *path);
    const char *want; /* of the error */
  } cases[] = {
    { damage_texts, "with another recipe" },
    { declare_numbers, "with other options" },
    { make_count_negative, "with other options" },
    { make_count_huge, "with other options" },
    { make_number_none, "part cannot be read" },
  };
  TlVolumeInfo info = made_info (TL_VOLUME_HDF5, TL_VOLUME_U16, 0, 2, 4, 5);
  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      g_autofree char *folder = make_folder ();
      g_autofree char *path = volume_path (folder, TL_VOLUME_HDF5);
      g_autofree char *part = g_build_filename (folder, "part.h5", NULL);
      const TlVolumePart parts[] = { { (char *)"part.h5", 30, 2 } };
      g_autoptr (GError) error = NULL;

      write_whole (part, &info);
      cases[k].damage (part);
      alarm (20);
      const size_t before = restart_peak_memory ();
      g_assert_false (tl_volume_join (path, &info, folder, parts, 1, &error));
      g_assert_cmpuint (get_peak_memory () - before, <, 256 << 20);
      alarm (0);
      g_assert_nonnull (strstr (error->message, cases[k].want));
      g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
      remove_tree (folder);
    }
}

#define N_KILLED 32

/* Starts a program that writes the volume, and kills it after some slices. */
static void
kill_writer (const char *path, const TlVolumeInfo *info, guint n_before,
             gboolean *is_written)
{
  g_autofree char *program =
      g_test_build_filename (G_TEST_BUILT, "data", "write-volume", NULL);
  g_autofree char *compression = g_strdup_printf ("%d", info->compression);
  g_autofree char *n_slices = g_strdup_printf ("%zu", info->n_slices);
  g_autofree char *n_rows = g_strdup_printf ("%zu", info->n_rows);
  g_autofree char *n_cols = g_strdup_printf ("%zu", info->n_cols);
  g_autoptr (GError) error = NULL;
  g_autoptr (GSubprocess) writer =
      g_subprocess_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE, &error, program,
                        tl_volume_format_get_info (info->format)->name,
                        tl_volume_sample_name (info->sample), compression,
                        n_slices, n_rows, n_cols, path, NULL);
  g_assert_no_error (error);
  g_autoptr (GDataInputStream) lines =
      g_data_input_stream_new (g_subprocess_get_stdout_pipe (writer));

  for (guint n = 0;; n++)
    {
      if (n == n_before)
        g_subprocess_force_exit (writer);
      g_autofree char *line =
          g_data_input_stream_read_line (lines, NULL, NULL, &error);
      if (line == NULL)
        break;
      if (strcmp (line, "finished") != 0)
        is_written[g_ascii_strtoull (line, NULL, 10)] = TRUE;
    }
  g_assert_no_error (error);
  g_subprocess_wait (writer, NULL, NULL);
}

/* A volume can be resumed until its records are removed. */
static void
resume_finished (const char *path, const TlVolumeInfo *info)
{
  g_autoptr (TlVolume) volume = resume_volume (path, info);

  for (size_t z = 0; z < info->n_slices; z++)
    g_assert_true (tl_volume_check_slice (volume, z, NULL));
  finish_volume (volume);
}

/* A power cut may leave the slices and an empty file of records: the volume is
 * made again. */
static void
test_lost_records (gconstpointer data)
{
  const Case *c = data;
  const TlVolumeInfo info =
      made_info (c->format, c->sample, c->compression, 3, 40, 50);
  g_autofree char *folder = make_folder ();
  g_autofree char *path = volume_path (folder, c->format);
  g_autofree char *records = g_strconcat (path, TL_VOLUME_RECORDS_SUFFIX, NULL);
  g_autoptr (TlVolume) volume = new_volume (path, &info);

  for (size_t z = 0; z < 3; z++)
    write_slice (volume, &info, z, NULL);
  g_clear_pointer (&volume, tl_volume_free);
  g_assert_cmpint (truncate (records, 0), ==, 0);
  volume = resume_volume (path, &info);
  for (size_t z = 0; z < 3; z++)
    {
      g_assert_false (tl_volume_check_slice (volume, z, NULL));
      write_slice (volume, &info, z, NULL);
    }
  finish_volume (volume);
  assert_volume (path, &info);
  remove_tree (folder);
}

/* Other bytes in the place of the records are not taken for them. */
static void
test_damaged_records (void)
{
  const TlVolumeInfo info =
      made_info (TL_VOLUME_TIFF, TL_VOLUME_U8, 0, 3, 4, 5);
  g_autofree char *folder = make_folder ();
  g_autofree char *path = volume_path (folder, TL_VOLUME_TIFF);
  g_autofree char *records = g_strconcat (path, TL_VOLUME_RECORDS_SUFFIX, NULL);
  g_autoptr (TlVolume) volume = new_volume (path, &info);
  g_autoptr (GError) error = NULL;
  static const char other[4096] = "anything";

  write_slice (volume, &info, 0, NULL);
  g_clear_pointer (&volume, tl_volume_free);
  g_assert_true (g_file_set_contents (records, other, sizeof other, NULL));
  g_assert_null (tl_volume_resume (path, &info, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_FILE);
  g_assert_nonnull (
      strstr (error->message, "records of this unfinished volume are damaged"));
  remove_tree (folder);
}

static void
test_kill (gconstpointer data)
{
  const Case *c = data;
  const TlVolumeInfo info =
      made_info (c->format, c->sample, c->compression, N_KILLED, 150, 301);

  for (guint n_before = 1; n_before < 16; n_before += 3)
    {
      g_autofree char *folder = make_folder ();
      g_autofree char *path = volume_path (folder, c->format);
      g_autofree char *records =
          g_strconcat (path, TL_VOLUME_RECORDS_SUFFIX, NULL);
      gboolean is_written[N_KILLED] = { FALSE }, is_kept[N_KILLED];
      guint32 crc32[N_KILLED];
      GRand *random = g_rand_new_with_seed ((guint32)g_test_rand_int ());

      kill_writer (path, &info, n_before, is_written);
      if (g_file_test (records, G_FILE_TEST_EXISTS))
        {
          g_autoptr (TlVolume) volume = resume_volume (path, &info);

          for (size_t z = 0; z < N_KILLED; z++)
            {
              is_kept[z] = tl_volume_check_slice (volume, z, NULL);
              g_assert_true (is_kept[z] || !is_written[z]
                             || c->format == TL_VOLUME_ZARR);
            }
          g_test_message ("killed after %u", n_before);
          made_write_all (
              &(MadeWork){ volume, &info, .is_kept = is_kept, .crc32 = crc32 },
              random);
          finish_volume (volume);
          resume_finished (path, &info);
        }
      g_unlink (records);
      assert_volume (path, &info);
      g_rand_free (random);
      remove_tree (folder);
    }
}

/* --- failures --- */

static void
assert_new_fails (const char *path, const TlVolumeInfo *info, int code,
                  const char *want)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (tl_volume_new (path, info, &error));
  g_assert_error (error, TL_ERROR, code);
  g_test_message ("%s", error->message);
  g_assert_true (strstr (error->message, want) != NULL);
}

/* Neither a file, nor a link to nowhere, nor a folder is written to. */
static void
test_existing (gconstpointer data)
{
  const Case *c = data;
  const TlVolumeInfo info =
      made_info (c->format, c->sample, c->compression, 2, 3, 4);
  g_autofree char *folder = make_folder ();
  g_autofree char *path = volume_path (folder, c->format);
  g_autofree char *target = g_build_filename (folder, "target", NULL);
  g_autofree char *missing = g_build_filename (folder, "no", "volume", NULL);
  g_autofree char *records = g_strconcat (path, TL_VOLUME_RECORDS_SUFFIX, NULL);
  g_autofree char *content = NULL;
  const char *want = "there is a file or folder of this name";

  g_assert_true (g_file_set_contents (path, "old", -1, NULL));
  assert_new_fails (path, &info, TL_ERROR_FILE, want);
  g_assert_true (g_file_get_contents (path, &content, NULL, NULL));
  g_assert_cmpstr (content, ==, "old");
  g_assert_false (g_file_test (records, G_FILE_TEST_EXISTS));
  empty_folder (folder);

  g_assert_cmpint (symlink (target, path), ==, 0);
  assert_new_fails (path, &info, TL_ERROR_FILE, want);
  g_assert_false (g_file_test (target, G_FILE_TEST_EXISTS));
  empty_folder (folder);

  g_assert_cmpint (g_mkdir (path, 0700), ==, 0);
  assert_new_fails (path, &info, TL_ERROR_FILE, want);
  assert_new_fails (missing, &info, TL_ERROR_FILE, "its folder is not there");
  remove_tree (folder);
}

static guint64
count_free_bytes (const char *folder)
{
  struct statvfs status;

  g_assert_cmpint (statvfs (folder, &status), ==, 0);
  return (guint64)status.f_bavail * status.f_frsize;
}

static void
fill (const char *path, gsize n_bytes)
{
  g_autofree char *junk = g_strnfill (n_bytes, 'x');

  g_assert_true (g_file_set_contents (path, junk, (gssize)n_bytes, NULL));
}

static void
assert_disk_full (const GError *error, const char *path)
{
  g_assert_error (error, TL_ERROR, TL_ERROR_FILE);
  g_test_message ("%s", error->message);
  g_assert_true (g_str_has_prefix (error->message, path));
  g_assert_true (g_str_has_suffix (error->message,
                                   ": cannot be written: the disk is full"));
}

/* Slices that were written before the disk was full stay, and after room was
 * made the others can be written. */
static void
test_full_disk (gconstpointer data)
{
  const Case *c = data;
  const TlVolumeInfo info =
      made_info (c->format, c->sample, c->compression, 8, 256, 256);
  g_autofree char *folder = make_folder ();
  g_autofree char *path = volume_path (folder, c->format);
  g_autoptr (TlVolume) volume = NULL;
  g_autoptr (GError) error = NULL;
  size_t n = 0;

  if (mount_tiny_disk (folder, "8m"))
    {
      g_autofree char *junk = g_build_filename (folder, "junk", NULL);
      guint64 before, after;

      /* Room for some blocks, so that a later file cannot be made, or the
       * first slice not be written. */
      for (guint64 room = 0; room <= 5 * 4096; room += 4096)
        {
          g_autofree float *pixels = made_slice (&info, 0);

          fill (junk, count_free_bytes (folder) - room);
          volume = tl_volume_new (path, &info, &error);
          if (volume != NULL)
            g_assert_false (tl_volume_write (volume, 0, pixels, NULL, &error));
          assert_disk_full (error, folder);
          g_clear_error (&error);
          g_clear_pointer (&volume, tl_volume_free);
          empty_folder (folder);
        }

      volume = new_volume (path, &info);
      before = count_free_bytes (folder);
      write_slice (volume, &info, n++, NULL);
      after = count_free_bytes (folder);
      fill (junk, after - 7 * (before - after) / 2);
      for (; n < 8 && error == NULL; n++)
        {
          g_autofree float *pixels = made_slice (&info, n);

          tl_volume_write (volume, n, pixels, NULL, &error);
        }
      assert_disk_full (error, path);
      if (c->sample == TL_VOLUME_U16)
        g_clear_pointer (&volume, tl_volume_free); /* the disk is still full */
      g_assert_cmpint (g_unlink (junk), ==, 0);
      if (c->sample == TL_VOLUME_U16)
        volume = resume_volume (path, &info);
      else if (info.compression > 0)
        {
          g_clear_pointer (&volume, tl_volume_free);
          volume = resume_volume (path, &info);
        }
      for (size_t z = 0; z < n - 1; z++)
        g_assert_true (tl_volume_check_slice (volume, z, NULL));
      g_assert_false (tl_volume_check_slice (volume, n - 1, NULL));
      for (size_t z = n - 1; z < 8; z++)
        write_slice (volume, &info, z, NULL);
      finish_volume (volume);
      assert_volume (path, &info);
      g_clear_pointer (&volume, tl_volume_free);
      unmount_tiny_disk (folder);
    }
  remove_tree (folder);
}

static void
test_refused (void)
{
  g_autofree char *folder = make_folder ();
  g_autofree char *path = g_build_filename (folder, "v.raw", NULL);
  TlVolumeInfo info = made_info (TL_VOLUME_RAW, TL_VOLUME_F16, 0, 1, 1, 1);

  assert_new_fails (path, &info, TL_ERROR_UNSUPPORTED,
                    "the format raw has no float16 samples");
  info.sample = TL_VOLUME_U8;
  info.high = info.low;
  assert_new_fails (path, &info, TL_ERROR_VALUE, "from -1 to -1, is not valid");
  info.high = NAN;
  assert_new_fails (path, &info, TL_ERROR_VALUE, "is not valid");
  g_assert_cmpuint (count_files (folder), ==, 0);
  remove_tree (folder);
}

static void
test_names (void)
{
  for (int i = 0; i < TL_N_VOLUME_FORMATS; i++)
    {
      const TlVolumeFormatInfo *info =
          tl_volume_format_get_info ((TlVolumeFormat)i);
      TlVolumeFormat format;

      g_assert_true (tl_volume_format_from_name (info->name, &format));
      g_assert_cmpint (format, ==, i);
    }
  for (int i = 0; i < TL_N_VOLUME_SAMPLES; i++)
    {
      TlVolumeSample sample;

      g_assert_true (tl_volume_sample_from_name (
          tl_volume_sample_name ((TlVolumeSample)i), &sample));
      g_assert_cmpint (sample, ==, i);
    }
}

/* A file of more than 4 GB, of which only the last sample is really there. */
static void
test_big (void)
{
  g_autofree char *folder = make_folder ();
  g_autofree char *path = g_build_filename (folder, "v.tif", NULL);
  const TlVolumeInfo info =
      made_info (TL_VOLUME_BIGTIFF, TL_VOLUME_U16, 0, 5, 20000, 30000);
  g_autoptr (TlVolume) volume = new_volume (path, &info);
  g_autofree TlSliceRecord *record = tl_volume_new_record (volume);
  const guint16 last = 4711;
  g_autoptr (GError) error = NULL;
  TIFF *tiff;
  guint64 offset = 0, *offsets = NULL;
  guint16 got = 0;

  tl_volume_tally_init (&record->tally);
  g_assert_cmpint (
      pwrite (volume->fd, &last, 2,
              (off_t)(volume->data_start + 5 * volume->slice_bytes - 2)),
      ==, 2);
  g_assert_true (volume->class->finish (volume, &record->tally, &error));
  tiff = TIFFOpen (path, "r");
  g_assert_true (TIFFIsBigTIFF (tiff));
  g_assert_cmpint (TIFFNumberOfDirectories (tiff), ==, 5);
  g_assert_true (TIFFSetDirectory (tiff, 4));
  g_assert_true (TIFFGetField (tiff, TIFFTAG_STRIPOFFSETS, &offsets));
  offset = offsets[0] + volume->slice_bytes - 2;
  g_assert_cmpint (pread (volume->fd, &got, 2, (off_t)offset), ==, 2);
  g_assert_cmpuint (got, ==, last);
  TIFFClose (tiff);
  remove_tree (folder);
}

/* Texts come out of the metadata as they went in. */
static void
test_recipe (void)
{
  static const char recipe[] = "a = \"b\"\\n\n# µ → 𝄞\t\\\\\n";
  g_autofree char *folder = g_dir_make_tmp ("tomolens-XXXXXX", NULL);

  for (int format = 0; format < TL_N_VOLUME_FORMATS; format++)
    {
      const TlVolumeInfo info = { .format = (TlVolumeFormat)format,
                                  .n_slices = 1,
                                  .n_rows = 3,
                                  .n_cols = 5,
                                  .number_step = 1,
                                  .binning = 1,
                                  .recipe = recipe,
                                  .command = "\"recipe\": \"no\"" };
      const char *suffix = tl_volume_format_get_info (info.format)->suffix;
      g_autofree char *path = g_strconcat (folder, "/v", suffix, NULL);
      const float pixels[15] = { 0 };
      g_autoptr (GError) error = NULL;
      TlVolume *volume = tl_volume_new (path, &info, &error);

      g_assert_no_error (error);
      g_assert_true (tl_volume_write (volume, 0, pixels, NULL, &error));
      g_assert_true (tl_volume_finish (volume, &error));
      tl_volume_free (volume);
      g_autofree char *got = tl_volume_read_recipe (info.format, path);
      g_assert_cmpstr (got, ==, recipe);
      g_assert_true (tl_volume_has_mark (info.format, path));
    }
  remove_tree (folder);
}

/* A foreign file may have several texts where one is looked for, for which
 * there is no room. */
static void
test_many_texts (void)
{
  g_autofree char *folder = make_folder ();
  g_autofree char *path = g_build_filename (folder, "foreign.h5", NULL);
  const char *const texts[2] = { "recipe", "text of 16 byte" };
  const char bytes[2][16] = { "recipe", "text of 16 byte" };

  for (int is_fixed = 0; is_fixed < 2; is_fixed++)
    {
      hid_t file = H5Fcreate (path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
      hid_t type = is_fixed ? H5Tcopy (H5T_C_S1) : tl_hdf5_new_text_type ();
      const hsize_t dims[] = { 2 };

      if (is_fixed)
        H5Tset_size (type, sizeof bytes[0]);
      g_assert_true (tl_hdf5_write_dataset (
          file, "/process/tomolens/recipe", type, 1, dims,
          is_fixed ? (const void *)bytes : (const void *)texts, NULL));
      H5Tclose (type);
      g_assert_cmpint (H5Fclose (file), >=, 0);
      g_assert_null (tl_volume_read_recipe (TL_VOLUME_HDF5, path));
    }
  remove_tree (folder);
}

/* What HDF5 has no room for is counted, also where it was counted before. */
static void
test_many_failures (void)
{
  g_autofree char *folder = make_folder ();
  g_autofree char *path = volume_path (folder, TL_VOLUME_HDF5);
  const TlVolumeInfo info =
      made_info (TL_VOLUME_HDF5, TL_VOLUME_U8, 0, 1, 3, 4);
  g_autoptr (GString) text = g_string_new (NULL);
  size_t n = 0;

  for (size_t k = 0; k < 300; k++)
    g_string_append_printf (text, "%zu why \\303\\244\n", k);
  g_string_append (text, "+40\n");
  g_autoptr (TlVolume) volume = new_volume (path, &info);
  write_slice (volume, &info, 0, NULL);
  tl_volume_set_failures (volume, text->str);
  finish_volume (volume);
  g_autofree char *got = tl_volume_read_failures (TL_VOLUME_HDF5, path);
  g_assert_true (g_str_has_suffix (got, "\n"));
  g_assert_cmpuint (strlen (got), >, 4000);
  g_auto (GStrv) lines = g_strsplit (got, "\n", -1);
  while (g_str_has_suffix (lines[n], " why \\303\\244"))
    n++;
  g_autofree char *rest = g_strdup_printf ("+%zu", 340 - n);
  g_assert_cmpstr (lines[n], ==, rest);
  g_assert_cmpstr (lines[n + 1], ==, "");
  remove_tree (folder);
}

/* Checksums of what cannot be read say why. */
static void
test_unreadable (void)
{
  g_autofree char *folder = g_dir_make_tmp ("tomolens-XXXXXX", NULL);
  g_autofree char *link = g_build_filename (folder, "link", NULL);
  g_autofree char *inner = g_build_filename (folder, "inner", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (symlink ("nowhere", link), ==, 0);
  g_assert_null (tl_checksums_make (folder, NULL, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_FILE);
  g_assert_nonnull (strstr (error->message, "/link: cannot be read: "));
  g_assert_nonnull (strstr (error->message, g_strerror (ELOOP)));
  g_clear_error (&error);
  g_assert_cmpint (g_remove (link), ==, 0);
  g_assert_cmpint (g_mkdir (inner, 0777), ==, 0);
  g_assert_null (tl_checksums_make (folder, NULL, &error));
  g_assert_nonnull (strstr (error->message,
                            "/inner: cannot be read: it is not a file, or has "
                            "become shorter meanwhile; check the file or make "
                            "it again"));
  remove_tree (folder);
}

static void
add_cases (const char *test, GTestDataFunc function, gboolean has_all)
{
  for (int format = 0; format < TL_N_VOLUME_FORMATS; format++)
    for (int sample = 0; sample < TL_N_VOLUME_SAMPLES; sample++)
      for (int compression = 0; compression <= 6; compression += 3)
        {
          const TlVolumeFormatInfo *info =
              tl_volume_format_get_info ((TlVolumeFormat)format);
          g_autofree char *path = g_strdup_printf (
              "/%s/%s/%s-%d", test, info->name,
              tl_volume_sample_name ((TlVolumeSample)sample), compression);
          Case *c = g_new (Case, 1);

          *c = (Case){ (TlVolumeFormat)format, (TlVolumeSample)sample,
                       compression };
          if ((sample == TL_VOLUME_F16 && !info->has_f16)
              || (compression > 0 && !info->is_compressible)
              || (!has_all
                  && (sample == TL_VOLUME_F16 || sample == TL_VOLUME_U8
                      || (compression > 0
                          && (compression > 3 || format == TL_VOLUME_ZARR)))))
            g_free (c);
          else
            g_test_add_data_func_full (path, c, function, g_free);
        }
}

int
main (int argc, char **argv)
{
  /* Files in memory: there are thousands. */
  if (g_access ("/dev/shm", W_OK) == 0)
    g_setenv ("TMPDIR", "/dev/shm", FALSE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sample/half", test_half);
  g_test_add_func ("/sample/clipping", test_clipping);
  g_test_add_func ("/sample/instructions", test_instructions);
  g_test_add_func ("/sample/restored", test_restored);
  add_cases ("format", test_format, TRUE);
  g_test_add_func ("/number", test_number);
  g_test_add_func ("/unit-length", test_unit_length);
  g_test_add_func ("/stack-checksum", test_stack_checksum);
  g_test_add_func ("/levels", test_levels);
  add_cases ("resume", test_resume, FALSE);
  g_test_add_func ("/spoilt-sums", test_spoilt_sums);
  g_test_add_func ("/joined-sums", test_joined_sums);
  add_cases ("lost-records", test_lost_records, FALSE);
  g_test_add_func ("/joined-parts", test_joined_parts);
  g_test_add_func ("/damaged-parts", test_damaged_parts);
  g_test_add_func ("/damaged-records", test_damaged_records);
  add_cases ("kill", test_kill, FALSE);
  add_cases ("existing", test_existing, FALSE);
  add_cases ("full-disk", test_full_disk, FALSE);
  g_test_add_func ("/refused", test_refused);
  g_test_add_func ("/unreadable", test_unreadable);
  g_test_add_func ("/recipe", test_recipe);
  g_test_add_func ("/many-failures", test_many_failures);
  g_test_add_func ("/many-texts", test_many_texts);
  g_test_add_func ("/names", test_names);
  g_test_add_func ("/big", test_big);
  const int status = g_test_run ();
  /* HDF5 crashes at the end on what it could not close. */
  g_assert_cmpint (H5Fget_obj_count (H5F_OBJ_ALL, H5F_OBJ_ALL), ==, 0);
  return status;
}
