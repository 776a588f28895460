/* HDF5 files of two layouts: Data Exchange, and NXtomoproc of NeXus
 * (https://manual.nexusformat.org/classes/applications/NXtomoproc.html).
 *
 * Without compression HDF5 places all tiles when the file is made, and closes
 * it; the slices are then written to these places as to any file. With
 * compression HDF5 stays open, and keeps the index of the tiles in memory: if
 * the program is killed, the file is rescued from the places in the records. */
#include "data/array.h"
#include "data/error.h"
#include "data/hdf5-guard.h"
#include "data/write/hdf5-file.h"
#include "data/write/part-file.h"
#include "data/write/staging.h"
#include "data/write/volume/disk-private.h"
#include "data/write/volume/facts-private.h"
#include "data/write/volume/volume-private.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <isa-l/crc.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

/* Pixels along each side of a tile. A reader inflates whole tiles; without
 * compression a tile is a slice, unless HDF5 could not hold it. */
#define PACKED_TILE_SIZE 2048
#define PLAIN_TILE_SIZE 16384

/* Tiles of so many bytes begin at a page of memory, where the system copies
 * faster. */
#define ALIGNED_BYTES 65536
#define ALIGNMENT 4096

#define COPY_BYTES ((off_t)1 << 20) /* at a time */

/* More than a file takes beside its tiles and late texts, and more than one
 * tile adds to that. */
#define SPARE_BYTES ((guint64)1 << 20)
#define TILE_SPARE_BYTES 65536

/* Room for a late text. */
#define LATE_BYTES 4096
#define LATE_SLICE_BYTES 16

/* An open file; each is negative if it is not open. */
typedef struct
{
  hid_t file, data;
  TlPlace *places; /* of all tiles of all slices; %NULL: compressed slices are
                      being written */
  /* Atomic. After a failed write HDF5 1.10 may lose a tile and report success:
   * it is not asked again, and the file is rescued. */
  gint is_broken;
  GError *failure; /* atomic: what has broken it; (nullable) */
} State;

static gboolean
is_nexus (const TlVolume *volume)
{
  return volume->info.format == TL_VOLUME_NEXUS;
}

static const char *
data_path (const TlVolume *volume)
{
  return is_nexus (volume) ? "/entry/data/data" : "/exchange/data";
}

/* The groups of the facts in the two layouts. */
#define NEXUS_FACTS "/entry/reconstruction/parameters/"
#define EXCHANGE_FACTS "/process/tomolens/"

static char *
dup_fact_path (const TlVolume *volume, const char *key)
{
  return g_strconcat (is_nexus (volume) ? NEXUS_FACTS : EXCHANGE_FACTS, key,
                      NULL);
}

static size_t
count_tiles (const TlLevel *level)
{
  return level->n_down * level->n_across;
}

static size_t
count_tile_bytes (const TlVolume *volume)
{
  return volume->levels[0].tile_rows * volume->levels[0].tile_cols
         * volume->sample_bytes;
}

/* --- metadata --- */

/* The texts that are known at the end. They have fixed room in the file, so
 * that they are written over in place, too. */
static const char *const late_keys[] = { TL_FACT_SUMS, TL_FACT_FAILURES };

static gboolean
is_late (const char *key)
{
  for (size_t i = 0; i < G_N_ELEMENTS (late_keys); i++)
    if (strcmp (key, late_keys[i]) == 0)
      return TRUE;
  return FALSE;
}

/* Returns: how many failures are in the lines of @text, of which some may be
 * the number of further ones */
static size_t
count_failures (const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  size_t n = 0;

  for (char **line = lines; *line != NULL; line++)
    n += **line == '+' ? (size_t)g_ascii_strtoull (*line + 1, NULL, 10)
                       : **line != '\0';
  return n;
}

/* Copies the lines of @text that there is room for, and, as a last line, the
 * number of those that are left out: "+12". */
static void
fit_lines (const char *text, char *bytes, size_t n_bytes)
{
  enum
  {
    NUMBER_BYTES = 24
  };
  const size_t n_kept = n_bytes - NUMBER_BYTES;

  if (g_strlcpy (bytes, text, n_bytes) < n_bytes)
    return;
  const char *last = g_strrstr_len (text, (gssize)n_kept, "\n");
  const char *end = last != NULL ? last + 1 : text;
  memset (bytes + (end - text), 0, n_bytes - (size_t)(end - text));
  g_snprintf (bytes + (end - text), NUMBER_BYTES, "+%zu\n",
              count_failures (end));
}

/* Writes over a dataset in place. */
static gboolean
overwrite (hid_t file, const char *path, hid_t type, const void *values)
{
  hid_t data = H5Dopen2 (file, path, H5P_DEFAULT);
  const gboolean ok =
      data >= 0
      && H5Dwrite (data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;

  return (data < 0 || H5Dclose (data) >= 0) && ok;
}

/* @text: (nullable)
 * @is_new: whether the room is to be made */
static gboolean
write_late_text (const TlVolume *volume, hid_t file, const char *key,
                 const char *text, gboolean is_new)
{
  const size_t n_bytes = LATE_BYTES + LATE_SLICE_BYTES * volume->info.n_slices;
  g_autofree char *path = dup_fact_path (volume, key);
  g_autofree char *bytes = g_malloc0 (n_bytes);
  hid_t type = H5Tcopy (H5T_C_S1);
  gboolean ok = H5Tset_size (type, n_bytes) >= 0;

  fit_lines (text != NULL ? text : "", bytes, n_bytes);
  if (is_new)
    ok = ok && tl_hdf5_write_dataset (file, path, type, 0, NULL, bytes, NULL);
  else if (H5Lexists (file, path, H5P_DEFAULT)
           > 0) /* files of earlier versions lack it */
    ok = ok && overwrite (file, path, type, bytes);
  H5Tclose (type);
  return ok;
}

static gboolean
write_late_texts (const TlVolume *volume, hid_t file, gboolean is_new)
{
  const char *const texts[] = { volume->info.slice_crc32,
                                volume->info.failures };
  gboolean ok = TRUE;

  for (size_t i = 0; i < G_N_ELEMENTS (late_keys) && ok; i++)
    ok = write_late_text (volume, file, late_keys[i], texts[i], is_new);
  return ok;
}

static gboolean
write_facts (const TlVolume *volume, hid_t file)
{
  g_autoptr (GArray) facts = tl_facts_list (&volume->info, G_MAXSIZE, NULL);
  gboolean ok = TRUE;

  for (guint i = 0; i < facts->len && ok; i++)
    {
      const TlFact *fact = &g_array_index (facts, TlFact, i);
      g_autofree char *path = dup_fact_path (volume, fact->key);

      if (is_late (fact->key))
        continue;
      ok = fact->text != NULL
               ? tl_hdf5_write_text (file, path, fact->text)
               : tl_hdf5_write_dataset (file, path, H5T_NATIVE_DOUBLE, 0, NULL,
                                        &fact->number, NULL);
    }
  return ok && write_late_texts (volume, file, TRUE);
}

/* Only numbers and late texts change while the slices are written. They are
 * written over in place, so that a kill does not damage the file. */
static gboolean
update_facts (const TlVolume *volume, hid_t file, const TlVolumeTally *tally)
{
  g_autoptr (GArray) facts = tl_facts_list (&volume->info, G_MAXSIZE, tally);
  gboolean ok = TRUE;

  for (guint i = 0; i < facts->len && ok; i++)
    {
      const TlFact *fact = &g_array_index (facts, TlFact, i);
      g_autofree char *path = dup_fact_path (volume, fact->key);

      ok = fact->text != NULL
           || overwrite (file, path, H5T_NATIVE_DOUBLE, &fact->number);
    }
  return ok && write_late_texts (volume, file, FALSE);
}

static gboolean
set_number (hid_t object, const char *name, double number)
{
  return tl_hdf5_set_attribute (object, name, H5T_NATIVE_DOUBLE, 0, &number);
}

static gboolean
describe_exchange (const TlVolume *volume, hid_t file, hid_t data)
{
  const TlVolumeInfo *info = &volume->info;
  const char *title = info->scan != NULL ? info->scan : "volume";
  const double sample_max = tl_volume_sample_max (info->sample);
  const double size_um[3] = { info->pitch_um, info->pixel_um, info->pixel_um };
  g_autofree char *axes =
      g_strjoinv (":", (char **)tl_volume_plane_axes (info->plane));

  return tl_hdf5_write_text (file, "/implements", "exchange:process")
         && tl_hdf5_write_text (file, "/exchange/title", title)
         && tl_hdf5_set_text (data, "description", TL_QUANTITY)
         && tl_hdf5_set_text (data, "units", "1/pixel")
         && tl_hdf5_set_text (data, "axes", axes)
         /* where viewers such as ImageJ's HDF5 plugin look for it */
         && (info->pixel_um <= 0 || info->pitch_um <= 0
             || tl_hdf5_set_attribute (data, "element_size_um",
                                       H5T_NATIVE_DOUBLE, 3, size_um))
         && (sample_max == 0
             || (set_number (data, "offset", info->low)
                 && set_number (data, "scale",
                                (info->high - info->low) / sample_max)));
}

/* Sets an attribute of a group, which is made if it is missing. */
static gboolean
set_group_text (hid_t file, const char *path, const char *name,
                const char *text)
{
  hid_t group =
      H5Lexists (file, path, H5P_DEFAULT) > 0
          ? H5Gopen2 (file, path, H5P_DEFAULT)
          : H5Gcreate2 (file, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  gboolean ok = group >= 0 && tl_hdf5_set_text (group, name, text);

  if (group >= 0)
    ok = H5Gclose (group) >= 0 && ok;
  return ok;
}

/* Writes where the centres of the voxels are along each axis. */
static gboolean
write_axes (const TlVolume *volume, hid_t file)
{
  const TlVolumeInfo *info = &volume->info;
  const char *const *axes = tl_volume_plane_axes (info->plane);
  const size_t n[3] = { info->n_slices, info->n_rows, info->n_cols };
  gboolean ok = TRUE;

  for (guint k = 0; k < G_N_ELEMENTS (n) && ok; k++)
    {
      double first, step;
      const char *unit = tl_facts_find_axis (info, k, &first, &step);
      g_autofree char *name = g_strconcat ("/entry/data/", axes[k], NULL);
      g_autofree double *positions = g_new (double, n[k]);
      const hsize_t dims[] = { n[k] };

      for (size_t i = 0; i < n[k]; i++)
        positions[i] = first + (double)i * step;
      ok = tl_hdf5_write_dataset (file, name, H5T_NATIVE_DOUBLE, 1, dims,
                                  positions, unit);
    }
  return ok;
}

static gboolean
set_groups (hid_t file)
{
  static const struct
  {
    const char *path, *class;
  } groups[] = {
    { "/entry", "NXentry" },
    { "/entry/instrument", "NXinstrument" },
    { "/entry/instrument/source", "NXsource" },
    { "/entry/sample", "NXsample" },
    { "/entry/reconstruction", "NXprocess" },
    { "/entry/reconstruction/parameters", "NXparameters" },
    { "/entry/data", "NXdata" },
  };
  gboolean ok = TRUE;

  for (size_t i = 0; i < G_N_ELEMENTS (groups) && ok; i++)
    ok = set_group_text (file, groups[i].path, "NX_class", groups[i].class);
  return ok && set_group_text (file, "/entry", "default", "data")
         && set_group_text (file, "/entry/data", "signal", "data");
}

static gboolean
set_axes (hid_t file, TlVolumePlane plane)
{
  hid_t group = H5Gopen2 (file, "/entry/data", H5P_DEFAULT);
  hid_t type = tl_hdf5_new_text_type ();
  const char *const *axes = tl_volume_plane_axes (plane);
  gboolean ok =
      group >= 0 && tl_hdf5_set_attribute (group, "axes", type, 3, axes);

  for (int k = 0; axes[k] != NULL && ok; k++)
    {
      g_autofree char *name = g_strconcat (axes[k], "_indices", NULL);

      ok = tl_hdf5_set_attribute (group, name, H5T_NATIVE_INT, 0, &k);
    }
  H5Tclose (type);
  if (group >= 0)
    ok = H5Gclose (group) >= 0 && ok;
  return ok;
}

static gboolean
describe_nexus (const TlVolume *volume, hid_t file, hid_t data)
{
  const TlVolumeInfo *info = &volume->info;
  const char *scan = info->scan != NULL ? info->scan : "unknown";
  const double sample_max = tl_volume_sample_max (info->sample);
  const double scaling =
      sample_max > 0 ? (info->high - info->low) / sample_max : 1;
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *date = g_date_time_format (now, "%Y-%m-%dT%H:%M:%S%:z");

  return set_groups (file) && set_axes (file, info->plane)
         && tl_hdf5_set_text (file, "default", "entry")
         && tl_hdf5_write_text (file, "/entry/title", scan)
         && tl_hdf5_write_text (file, "/entry/definition", "NXtomoproc")
         && tl_hdf5_write_text (file, "/entry/sample/name", scan)
         && tl_hdf5_write_text (file, "/entry/reconstruction/program",
                                TL_PROGRAM)
         && tl_hdf5_write_text (file, "/entry/reconstruction/version",
                                TL_VERSION)
         && tl_hdf5_write_text (file, "/entry/reconstruction/date", date)
         && tl_hdf5_write_text (
             file, "/entry/reconstruction/parameters/raw_file", scan)
         && tl_hdf5_set_text (data, "long_name", TL_QUANTITY)
         && tl_hdf5_set_text (data, "units", "1/pixel")
         && tl_hdf5_set_text (data, "transform",
                              "value = offset + scaling * data")
         && set_number (data, "offset", sample_max > 0 ? info->low : 0)
         && set_number (data, "scaling", scaling) && write_axes (volume, file);
}

/* --- files --- */

static hid_t
new_sample_type (TlVolumeSample sample)
{
  hid_t type = H5Tcopy (sample == TL_VOLUME_U16  ? H5T_STD_U16LE
                        : sample == TL_VOLUME_U8 ? H5T_STD_U8LE
                                                 : H5T_IEEE_F32LE);

  if (sample == TL_VOLUME_F16)
    {
      H5Tset_fields (type, 15, 10, 5, 0, 10);
      H5Tset_size (type, 2);
      H5Tset_ebias (type, 15);
    }
  return type;
}

static hid_t
new_data_properties (const TlVolume *volume)
{
  const hsize_t chunk[] = { 1, volume->levels[0].tile_rows,
                            volume->levels[0].tile_cols };
  hid_t properties = H5Pcreate (H5P_DATASET_CREATE);

  H5Pset_chunk (properties, 3, chunk);
  H5Pset_fill_time (properties, H5D_FILL_TIME_NEVER);
  if (volume->info.compression == 0)
    H5Pset_alloc_time (properties, H5D_ALLOC_TIME_EARLY);
  else
    {
      if (volume->sample_bytes > 1)
        H5Pset_shuffle (properties);
      H5Pset_deflate (properties, (unsigned)volume->info.compression);
    }
  return properties;
}

/* From here on HDF5 writes to @memory what is for @file. */
static void
divert (hid_t file, int memory)
{
  int *fd = NULL;

  if (memory >= 0 && H5Fget_vfd_handle (file, H5P_DEFAULT, (void **)&fd) >= 0)
    dup3 (memory, *fd, O_CLOEXEC);
}

/* Closes what is open of a file and its dataset. Returns: whether it could */
static gboolean
close_both (hid_t file, hid_t data)
{
  const gboolean ok = data < 0 || H5Dclose (data) >= 0;

  return (file < 0 || H5Fclose (file) >= 0) && ok;
}

/* Makes a file, of which the metadata go to @memory; slices are a hole.
 * @properties: of the dataset */
static gboolean
make_file (const TlVolume *volume, const char *path, hid_t properties,
           int memory)
{
  const TlVolumeInfo *info = &volume->info;
  const hsize_t dims[] = { info->n_slices, info->n_rows, info->n_cols };
  hid_t type = new_sample_type (info->sample);
  hid_t space = H5Screate_simple (3, dims, NULL);
  hid_t links = tl_hdf5_new_links ();
  hid_t access = H5Pcreate (H5P_FILE_ACCESS);

  H5Pset_alignment (access, ALIGNED_BYTES, ALIGNMENT);
  hid_t data = -1, file = H5Fcreate (path, H5F_ACC_EXCL, H5P_DEFAULT, access);
  if (file >= 0)
    {
      divert (file, memory);
      data = H5Dcreate2 (file, data_path (volume), type, space, links,
                         properties, H5P_DEFAULT);
    }
  gboolean ok = data >= 0
                && (is_nexus (volume) ? describe_nexus (volume, file, data)
                                      : describe_exchange (volume, file, data))
                && write_facts (volume, file);
  ok = close_both (file, data) && ok;
  H5Pclose (access);
  H5Pclose (links);
  H5Sclose (space);
  H5Tclose (type);
  return ok;
}

/* Copies what @from holds, and leaves out its holes. */
static gboolean
copy_file (int from, int to, const char *path, GError **error)
{
  g_autofree char *bytes = g_malloc (COPY_BYTES);
  const off_t size = lseek (from, 0, SEEK_END);
  off_t at = 0, hole = 0;

  while ((at = lseek (from, hole, SEEK_DATA)) >= 0)
    for (hole = lseek (from, at, SEEK_HOLE); at < hole;)
      {
        const size_t n = (size_t)MIN (hole - at, COPY_BYTES);

        if (!tl_disk_read (from, bytes, n, (guint64)at)
            || !tl_write_at (to, path, bytes, n, (guint64)at, error))
          return FALSE;
        at += (off_t)n;
      }
  return ftruncate (to, size) == 0
         || tl_set_write_error (error, path, errno, NULL);
}

/* Returns: how many bytes the tiles of a file without compression take */
static guint64
count_plain_bytes (const TlVolume *volume)
{
  return volume->info.n_slices * (guint64)count_tiles (&volume->levels[0])
         * (count_tile_bytes (volume) + ALIGNMENT);
}

/* @tiles_bytes: how many bytes the tiles take that HDF5 places at once
 *
 * Returns: whether a file can be made, and the first bytes of it be written;
 * it is removed again */
static gboolean
can_create (const TlVolume *volume, const char *path, guint64 tiles_bytes,
            GError **error)
{
  static const char zeros[ALIGNED_BYTES];
  const guint64 late_bytes =
      LATE_BYTES + LATE_SLICE_BYTES * volume->info.n_slices;
  const int fd = tl_disk_create (path, error);

  if (fd < 0)
    return FALSE;
  gboolean ok = tl_write_at (fd, path, zeros, sizeof zeros, 0, error);
  close (fd);
  g_unlink (path);
  if (ok
      && !tl_hdf5_is_within_limit (tiles_bytes + SPARE_BYTES
                                   + G_N_ELEMENTS (late_keys) * late_bytes))
    ok = tl_set_write_error (error, path, EFBIG, NULL);
  return ok;
}

/* After a failed write HDF5 1.10 cannot close its objects, and the program
 * crashes when it ends. So the first write is tried before, and the others go
 * to memory, where nothing fails within the limit on the size of files, and are
 * copied to the disk. */
static gboolean
create_file (const TlVolume *volume, const char *path, GError **error)
{
  TlHdf5Errors errors;
  int fd = -1;

  if (!can_create (
          volume, path,
          volume->info.compression > 0 ? 0 : count_plain_bytes (volume), error))
    return FALSE;
  const int memory = memfd_create ("hdf5", MFD_CLOEXEC);
  if (memory < 0)
    return tl_set_write_error (error, path, errno, NULL);
  tl_hdf5_errors_catch (&errors);
  hid_t properties = new_data_properties (volume);
  gboolean ok = make_file (volume, path, properties, memory);
  H5Pclose (properties);
  ok = tl_hdf5_errors_release (&errors, ok, path, error)
       && (fd = tl_disk_open (path, TRUE, error)) >= 0
       && copy_file (memory, fd, path, error);
  close (memory);
  if (fd >= 0 && close (fd) != 0 && ok)
    ok = tl_set_write_error (error, path, errno, NULL);
  return ok;
}

static gboolean
open_file (const TlVolume *volume, const char *path, gboolean is_writable,
           State *state)
{
  hid_t access = H5Pcreate (H5P_FILE_ACCESS);

  tl_hdf5_guard (access); /* a part may be damaged, or another program's */
  state->file =
      H5Fopen (path, is_writable ? H5F_ACC_RDWR : H5F_ACC_RDONLY, access);
  H5Pclose (access);
  if (state->file >= 0)
    state->data = H5Dopen2 (state->file, data_path (volume), H5P_DEFAULT);
  return state->data >= 0;
}

/* Returns: whether the disk has room for what HDF5 has in memory; %FALSE with
 * errno */
static gboolean
reserve (const State *state, int fd)
{
  haddr_t end = 0;

  return H5Fget_eoa (state->file, &end) < 0
         || fallocate (fd, 0, 0, (off_t)end) == 0 || errno == EOPNOTSUPP
         || errno == ENOSYS;
}

/* For the same reason the room for the index of compressed slices is reserved
 * before it is written. Without room, and after any other error, it goes to
 * memory, and is lost. */
static gboolean
close_file (const TlVolume *volume, State *state, TlHdf5Errors *errors)
{
  gboolean ok = !state->is_broken;
  int *fd = NULL;

  if (state->file < 0)
    return ok;
  H5Fget_vfd_handle (state->file, H5P_DEFAULT, (void **)&fd);
  if (volume->info.compression > 0 && !volume->is_read_only && ok && fd != NULL
      && !reserve (state, *fd))
    {
      errors->error_number = errno;
      ok = FALSE;
    }
  if (!ok)
    {
      int memory = memfd_create ("hdf5", MFD_CLOEXEC);

      divert (state->file, memory);
      if (memory >= 0)
        close (memory);
    }
  ok = close_both (state->file, state->data) && ok;
  *state = (State){ -1, -1, state->places, !ok, state->failure };
  return ok;
}

/* Where a tile is in the volume, as HDF5 counts. */
static void
locate (const TlLevel *level, size_t slice, size_t tile, hsize_t *at)
{
  at[0] = slice;
  at[1] = tile / level->n_across * level->tile_rows;
  at[2] = tile % level->n_across * level->tile_cols;
}

static gboolean
find_place (hid_t data, const TlLevel *level, size_t slice, size_t tile,
            TlPlace *place)
{
  hsize_t at[3], n_bytes = 0;
  haddr_t address = HADDR_UNDEF;
  unsigned skipped_filters;

  locate (level, slice, tile, at);
  if (H5Dget_chunk_info_by_coord (data, at, &skipped_filters, &address,
                                  &n_bytes)
          < 0
      || address == HADDR_UNDEF)
    return FALSE;
  *place = (TlPlace){ address, n_bytes };
  return TRUE;
}

static gboolean
find_places (const TlVolume *volume, State *state)
{
  const TlLevel *level = &volume->levels[0];
  const size_t n_tiles = count_tiles (level);

  state->places = g_new (TlPlace, level->n_slices * n_tiles);
  for (size_t i = 0; i < level->n_slices * n_tiles; i++)
    if (!find_place (state->data, level, i / n_tiles, i % n_tiles,
                     &state->places[i])
        || (volume->info.compression == 0
            && state->places[i].n_bytes != count_tile_bytes (volume)))
      return FALSE;
  return TRUE;
}

/* HDF5 never meets the limit on the size of files, because then it could not be
 * closed: the memory that it is diverted to has the same limit. */
static gboolean
store_packed (const State *state, const TlLevel *level, size_t slice,
              size_t tile, const void *bytes, size_t n, TlPlace *place,
              TlHdf5Errors *errors)
{
  static GMutex growing; /* the file, from the check to the write */
  hsize_t at[3];
  haddr_t end = 0;
  gboolean ok = FALSE;

  locate (level, slice, tile, at);
  g_mutex_lock (&growing);
  if (H5Fget_eoa (state->file, &end) >= 0)
    {
      if (tl_hdf5_is_within_limit (end + n + TILE_SPARE_BYTES))
        ok = H5Dwrite_chunk (state->data, H5P_DEFAULT, 0, at, n, bytes) >= 0;
      else
        errors->error_number = EFBIG;
    }
  g_mutex_unlock (&growing);
  return ok && find_place (state->data, level, slice, tile, place);
}

/* --- after a kill --- */

/* Copies a slice whose record is in @record, and gives it its new places.
 * Returns: whether it is whole; @is_written: whether it could be written */
static gboolean
rescue_slice (TlVolume *volume, State *fresh, size_t slice,
              TlSliceRecord *record, gboolean *is_written, TlHdf5Errors *errors)
{
  const TlLevel *level = &volume->levels[0];
  guint32 sum = 0;

  for (size_t i = 0; i < count_tiles (level) && *is_written; i++)
    {
      const TlPlace place = record->places[i];
      g_autofree void *bytes = g_try_malloc (place.n_bytes);

      if (bytes == NULL
          || !tl_disk_read (volume->fd, bytes, place.n_bytes, place.offset))
        return FALSE;
      sum = crc32_gzip_refl (sum, bytes, place.n_bytes);
      *is_written = store_packed (fresh, level, slice, i, bytes, place.n_bytes,
                                  &record->places[i], errors);
    }
  return *is_written && sum == record->crc32;
}

/* No bytes have this checksum. */
static void
mark_damaged (const TlVolume *volume, TlSliceRecord *record)
{
  memset (record, 0, volume->record_bytes);
  record->own_crc32 = record->crc32 = 1;
}

static gboolean
check_copy_room (const TlVolume *volume, GError **error)
{
  GStatBuf status = { 0 };
  guint64 free_bytes;

  if (g_stat (volume->path, &status) != 0
      || !tl_get_room (volume->path, &free_bytes, NULL)
      || (guint64)status.st_blocks * 512 <= free_bytes)
    return TRUE;
  g_autofree char *needed = g_format_size ((guint64)status.st_blocks * 512);
  g_autofree char *there = g_format_size (free_bytes);
  return tl_fail (error, TL_ERROR_FILE,
                  _ ("%s: its export was killed, so that its compressed "
                     "slices, %s, have to be copied before it goes on, but %s "
                     "is free: make room, then resume"),
                  volume->path, needed, there);
}

/* Copies the slices that are whole to a new file.
 *
 * @records: (out): of all slices in this file */
static gboolean
copy_slices (TlVolume *volume, const char *path, char *records, GError **error)
{
  const size_t n_slices = volume->info.n_slices;
  State fresh = { .file = -1, .data = -1 };
  TlHdf5Errors errors;

  if (!check_copy_room (volume, error) || !create_file (volume, path, error))
    return FALSE;
  tl_hdf5_errors_catch (&errors);
  gboolean ok = open_file (volume, path, TRUE, &fresh);
  for (size_t i = 0; i < n_slices && ok; i++)
    {
      TlSliceRecord *record =
          (TlSliceRecord *)(records + i * volume->record_bytes);

      if (!tl_volume_read_record (volume, i, record))
        memset (record, 0, volume->record_bytes);
      else if (!rescue_slice (volume, &fresh, i, record, &ok, &errors))
        mark_damaged (volume, record);
    }
  fresh.is_broken = !ok;
  ok = close_file (volume, &fresh, &errors);
  return tl_hdf5_errors_release (&errors, ok, path, error)
         && tl_flush_one (path, error);
}

/* Makes a new file of the slices that are whole. Its errors name the volume:
 * the user does not know the copy. */
static gboolean
rescue (TlVolume *volume, GError **error)
{
  const size_t n_slices = volume->info.n_slices;
  g_autofree char *path = g_strconcat (volume->path, ".rescued", NULL);
  g_autofree char *records = g_malloc0 (n_slices * volume->record_bytes);
  GError *failed = NULL;
  gboolean ok = TRUE;

  g_unlink (path);
  if (!copy_slices (volume, path, records, &failed))
    {
      g_autoptr (GString) message = g_string_new (failed->message);

      g_unlink (path);
      g_string_replace (message, path, volume->path, 0);
      g_set_error_literal (error, failed->domain, failed->code, message->str);
      g_error_free (failed);
      return FALSE;
    }
  if (g_rename (path, volume->path) != 0)
    return tl_set_write_error (error, volume->path, errno, NULL);
  /* A record left as it was could be taken for one of the new file. */
  for (size_t i = 0; i < n_slices && ok; i++)
    {
      TlSliceRecord *record =
          (TlSliceRecord *)(records + i * volume->record_bytes);

      ok = record->own_crc32 != 0
               ? tl_volume_write_record (volume, i, record, error)
               : tl_volume_clear_record (volume, i, error);
    }
  return ok;
}

/* --- the format --- */

static gboolean
open_hdf5 (TlVolume *volume, gboolean is_new, GError **error)
{
  /* HDF5 keeps the file open as long as it is to compress slices. */
  const gboolean is_packed =
      volume->info.compression > 0 && !volume->is_read_only;
  hbool_t is_safe = FALSE;
  TlHdf5Errors errors;
  State *state = g_new (State, 1);

  *state = (State){ .file = -1, .data = -1 };
  volume->state = state;
  if (H5is_library_threadsafe (&is_safe) < 0 || !is_safe)
    return tl_fail (error, TL_ERROR_UNSUPPORTED,
                    _ ("%s: cannot be written: the HDF5 library is not "
                       "made for threads: choose another format"),
                    volume->path);
  if (!is_new && is_packed && !volume->was_closed)
    {
      volume->fd = tl_disk_open (volume->path, !volume->is_read_only, error);
      if (volume->fd < 0 || !rescue (volume, error))
        return FALSE;
      close (volume->fd);
      volume->fd = -1;
    }
  if (is_new && !create_file (volume, volume->path, error))
    return FALSE;
  tl_hdf5_errors_catch (&errors);
  gboolean ok = open_file (volume, volume->path, is_packed, state);
  if (!is_packed)
    {
      ok = ok && find_places (volume, state);
      ok = close_file (volume, state, &errors) && ok;
    }
  if (!tl_hdf5_errors_release (&errors, ok, volume->path, error))
    return FALSE;
  volume->fd = tl_disk_open (volume->path, !volume->is_read_only, error);
  return volume->fd >= 0;
}

/* Does what the filters of HDF5 do: brings the first bytes of all samples
 * together, then the second ones, and deflates them. */
static size_t
pack (const TlVolume *volume, const guint8 *tile, guint8 *shuffled,
      guint8 *packed)
{
  const size_t n_bytes = count_tile_bytes (volume);
  const size_t size = volume->sample_bytes, n = n_bytes / size;
  uLongf n_packed = compressBound (n_bytes);

  if (size > 1)
    {
      for (size_t byte = 0; byte < size; byte++)
        for (size_t i = 0; i < n; i++)
          shuffled[byte * n + i] = tile[i * size + byte];
      tile = shuffled;
    }
  /* It cannot fail for want of room; without memory it does. */
  return compress2 (packed, &n_packed, tile, n_bytes, volume->info.compression)
                 == Z_OK
             ? n_packed
             : 0;
}

/* What other threads fail by after the first failure may name another reason,
 * because HDF5 has lost the true one. */
static void
set_broken (State *state, const GError *failure)
{
  GError *copy = g_error_copy (failure);

  if (!g_atomic_pointer_compare_and_exchange (&state->failure, NULL, copy))
    g_error_free (copy);
  g_atomic_int_set (&state->is_broken, TRUE);
}

/* Zlib's own buffers, with which it deflates. */
#define DEFLATE_BYTES ((guint64)1 << 18)

static guint64
count_hdf5_work (const TlVolumeInfo *info, const TlLevel *level)
{
  const guint64 tile_bytes = (guint64)level->tile_rows * level->tile_cols
                             * tl_volume_sample_size (info->sample);

  if (info->compression > 0)
    return 2 * tile_bytes + compressBound (tile_bytes) + DEFLATE_BYTES;
  return count_tiles (level) > 1 ? tile_bytes : 0;
}

static gboolean
store_packed_slice (TlVolume *volume, const TlLevel *level, size_t slice,
                    const void *samples, TlSliceRecord *record, GError **error)
{
  State *state = volume->state;
  const size_t n_bytes = count_tile_bytes (volume);
  TlHdf5Errors errors;
  g_autofree guint8 *buffers =
      tl_try_alloc (1, 1, 2 * n_bytes + compressBound (n_bytes), 1,
                    _ ("a compressed tile of a slice"), error);
  gboolean ok = buffers != NULL;
  GError *failure = NULL;

  for (size_t i = 0; i < count_tiles (level) && ok; i++)
    {
      guint8 *packed = buffers + 2 * n_bytes;
      const size_t n =
          pack (volume,
                tl_level_cut (level, volume->sample_bytes, samples, i, buffers),
                buffers + n_bytes, packed);

      if (n == 0)
        return tl_fail (error, TL_ERROR_MEMORY,
                        _ ("not enough memory to compress a slice"));
      if (g_atomic_int_get (&state->is_broken))
        {
          g_propagate_error (error, g_error_copy (state->failure));
          return FALSE;
        }
      record->crc32 = crc32_gzip_refl (record->crc32, packed, n);
      tl_hdf5_errors_catch (&errors);
      ok = store_packed (state, level, slice, i, packed, n, &record->places[i],
                         &errors);
      ok = tl_hdf5_errors_release (&errors, ok, volume->path, &failure);
    }
  if (failure != NULL)
    {
      set_broken (state, failure);
      g_propagate_error (error, failure);
    }
  return ok;
}

static gboolean
store_tiles (TlVolume *volume, const TlLevel *level, size_t slice,
             const void *samples, TlSliceRecord *record, GError **error)
{
  const State *state = volume->state;
  const size_t n_tiles = count_tiles (level);
  const size_t n_bytes = count_tile_bytes (volume);

  g_autofree void *buffer =
      tl_try_alloc (1, 1, n_bytes, 1, _ ("a tile of a slice"), error);
  gboolean ok = buffer != NULL;

  for (size_t i = 0; i < n_tiles && ok; i++)
    {
      const void *tile =
          tl_level_cut (level, volume->sample_bytes, samples, i, buffer);

      ok = tl_disk_write (volume->fd, volume->path, tile, n_bytes,
                          state->places[slice * n_tiles + i].offset,
                          &record->crc32, error);
    }
  return ok;
}

static gboolean
store_in_hdf5 (TlVolume *volume, const TlLevel *level, size_t slice,
               const float *pixels, TlSliceRecord *record, GError **error)
{
  const State *state = volume->state;
  const gboolean is_packed = volume->info.compression > 0;
  g_autofree gpointer converted = NULL;

  if (!is_packed && count_tiles (level) == 1)
    return tl_volume_write_samples (volume, volume->fd, volume->path, pixels,
                                    state->places[slice].offset, record, error);
  const void *samples = tl_volume_convert_slice (
      volume, level, pixels, &record->tally, &converted, error);
  if (samples == NULL)
    return FALSE;
  if (is_packed)
    return store_packed_slice (volume, level, slice, samples, record, error);
  return store_tiles (volume, level, slice, samples, record, error);
}

static gboolean
sum_in_hdf5 (TlVolume *volume, const TlLevel *level, size_t slice,
             const TlSliceRecord *record, guint32 *crc)
{
  const State *state = volume->state;
  const size_t n_tiles = count_tiles (level);
  gboolean ok = TRUE;

  for (size_t i = 0; i < n_tiles && ok; i++)
    {
      const TlPlace place = state->places != NULL
                                ? state->places[slice * n_tiles + i]
                                : record->places[i];

      ok = tl_disk_sum (volume->fd, place.offset, place.n_bytes, crc);
    }
  return ok;
}

static gboolean
finish_hdf5 (TlVolume *volume, const TlVolumeTally *tally, GError **error)
{
  State *state = volume->state;
  TlHdf5Errors errors;

  tl_hdf5_errors_catch (&errors);
  gboolean ok =
      (state->file >= 0 || open_file (volume, volume->path, TRUE, state))
      && update_facts (volume, state->file, tally);
  ok = close_file (volume, state, &errors) && ok;
  return tl_hdf5_errors_release (&errors, ok, volume->path, error);
}

static gboolean
close_hdf5 (TlVolume *volume)
{
  g_autofree State *state = volume->state;
  TlHdf5Errors errors;

  if (state == NULL)
    return FALSE;
  tl_hdf5_errors_catch (&errors);
  gboolean ok = close_file (volume, state, &errors);
  g_free (state->places);
  g_clear_error (&state->failure);
  return tl_hdf5_errors_release (&errors, ok, volume->path, NULL);
}

/* --- joining --- */

static gboolean
read_number (const TlVolume *volume, hid_t file, const char *key,
             double *number)
{
  g_autofree char *path = dup_fact_path (volume, key);
  hid_t data = H5Dopen2 (file, path, H5P_DEFAULT);
  gboolean ok = data >= 0 && tl_hdf5_read_number (data, number);

  if (data >= 0)
    H5Dclose (data);
  return ok;
}

/* Of a number that is negative, or too large for whole numbers, no count can
 * be made. */
static gboolean
read_count (const TlVolume *volume, hid_t file, const char *key, guint64 *count)
{
  const double most = 1ll << 53;
  double number;

  if (!read_number (volume, file, key, &number)
      || !(number >= 0 && number <= most))
    return FALSE;
  *count = (guint64)number;
  return TRUE;
}

static char *
read_hdf5_fact (const char *path, const char *key)
{
  g_autofree char *exchange = g_strconcat (EXCHANGE_FACTS, key, NULL);
  g_autofree char *nexus = g_strconcat (NEXUS_FACTS, key, NULL);
  char *text = tl_hdf5_find_text (path, exchange);

  return text != NULL ? text : tl_hdf5_find_text (path, nexus);
}

TlVolumeFormat
tl_volume_find_format (TlVolumeFormat format, const char *path)
{
  if (!tl_volume_is_hdf5 (format))
    return format;
  g_autofree char *program = tl_hdf5_find_text (path, NEXUS_FACTS "program");
  return program != NULL ? TL_VOLUME_NEXUS : TL_VOLUME_HDF5;
}

static gboolean
has_recipe (const TlVolume *volume, hid_t file)
{
  g_autofree char *path = dup_fact_path (volume, "recipe");
  g_autofree char *recipe = tl_hdf5_read_text (file, path);

  return g_strcmp0 (recipe, volume->info.recipe) == 0;
}

/* @n_slices: (out): what the part has */
static gboolean
has_shape (const TlVolume *volume, hid_t data, size_t *n_slices)
{
  const TlVolumeInfo *info = &volume->info;
  hid_t space = H5Dget_space (data), type = H5Dget_type (data);
  hid_t wanted = new_sample_type (info->sample);
  hsize_t dims[3] = { 0 };
  gboolean ok = H5Sget_simple_extent_ndims (space) == 3
                && H5Sget_simple_extent_dims (space, dims, NULL) == 3
                && dims[1] == info->n_rows && dims[2] == info->n_cols
                && H5Tequal (type, wanted) > 0;

  *n_slices = dims[0];
  H5Tclose (wanted);
  H5Tclose (type);
  H5Sclose (space);
  return ok;
}

typedef enum
{
  PART_GOOD,
  PART_UNREADABLE,
  PART_OF_OTHER_SLICES,
  PART_OF_OTHER_RANGE,
  PART_OTHERWISE
} PartFault;

/* Compares the open part with @volume, which has the range of the first part.
 * Adds its tally. */
static PartFault
match_part (const TlVolume *volume, hid_t file, TlVolumeTally *tally)
{
  const TlVolumeInfo *info = &volume->info;
  TlVolumeTally part = { 0 };
  double min = 0, max = 0;
  double low = info->low, high = info->high;
  gboolean ok = has_recipe (volume, file)
                && read_count (volume, file, "samples_below", &part.n_below)
                && read_count (volume, file, "samples_above", &part.n_above)
                && read_count (volume, file, "samples_nan", &part.n_nan)
                && read_number (volume, file, "min", &min)
                && read_number (volume, file, "max", &max)
                && (tl_volume_sample_max (info->sample) == 0
                    || (read_number (volume, file, "low", &low)
                        && read_number (volume, file, "high", &high)));

  part.min = (float)min;
  part.max = (float)max;
  tl_volume_tally_add (tally, &part);
  if (!ok)
    return PART_OTHERWISE;
  return low == info->low && high == info->high ? PART_GOOD
                                                : PART_OF_OTHER_RANGE;
}

/* The range of integers may have been found while the parts were made. */
static void
take_range (TlVolume *volume, hid_t file)
{
  if (tl_volume_sample_max (volume->info.sample) == 0)
    return;
  read_number (volume, file, "low", &volume->info.low);
  read_number (volume, file, "high", &volume->info.high);
}

/* @got: (out): the slices that the part has */
static PartFault
find_fault (TlVolume *volume, const State *state, const TlVolumePart *part,
            gboolean is_first, TlVolumePart *got, TlVolumeTally *tally)
{
  guint64 first = 0;

  if (state->data < 0
      || !read_count (volume, state->file,
                      tl_facts_first_key (volume->info.plane), &first))
    return PART_UNREADABLE;
  if (is_first)
    take_range (volume, state->file);
  if (!has_shape (volume, state->data, &got->n_slices))
    return PART_OTHERWISE;
  got->first_number = first;
  if (got->n_slices != part->n_slices
      || got->first_number != part->first_number)
    return PART_OF_OTHER_SLICES;
  return match_part (volume, state->file, tally);
}

static gboolean
check_part (TlVolume *volume, const char *path, const TlVolumePart *part,
            gboolean is_first, TlVolumeTally *tally, GError **error)
{
  State state = { .file = -1, .data = -1 };
  TlVolumePart got = { 0 };
  TlHdf5Errors errors;

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return tl_fail (error, TL_ERROR_FILE,
                    _ ("%s: this part is missing: make it, then join again"),
                    path);
  tl_hdf5_errors_catch (&errors);
  open_file (volume, path, FALSE, &state);
  const PartFault fault =
      find_fault (volume, &state, part, is_first, &got, tally);
  close_both (state.file, state.data);
  tl_hdf5_errors_release (&errors, TRUE, path, NULL);
  switch (fault)
    {
    case PART_GOOD:
      return TRUE;
    case PART_UNREADABLE:
      return tl_fail (error, TL_ERROR_FILE,
                      _ ("%s: this part cannot be read: make it again"), path);
    case PART_OF_OTHER_SLICES:
      return tl_fail (
          error, TL_ERROR_VALUE,
          g_dngettext (NULL,
                       "%s: this part has %zu slice from number %zu on, and "
                       "not %zu from %zu on: make it again",
                       "%s: this part has %zu slices from number %zu on, and "
                       "not %zu from %zu on: make it again",
                       got.n_slices),
          path, got.n_slices, got.first_number, part->n_slices,
          part->first_number);
    case PART_OF_OTHER_RANGE:
      return tl_fail (error, TL_ERROR_VALUE,
                      _ ("%s: the range of the samples of this part is not "
                         "that of the first part: give it by --range, and make "
                         "the parts again"),
                      path);
    default:
      return tl_fail (error, TL_ERROR_VALUE,
                      _ ("%s: this part was made from another scan, with "
                         "another recipe or with other options: make it again"),
                      path);
    }
}

/* Maps the slices of each part to their place in the whole. Slices of a missing
 * part read as NaN, or as 0 for integers, which have no NaN. */
static hid_t
new_view_properties (const TlVolume *volume, const TlVolumePart *parts,
                     size_t n_parts)
{
  const TlVolumeInfo *info = &volume->info;
  const hsize_t dims[] = { info->n_slices, info->n_rows, info->n_cols };
  hsize_t first[] = { 0, 0, 0 }, part_dims[] = { 0, dims[1], dims[2] };
  hid_t properties = H5Pcreate (H5P_DATASET_CREATE);
  hid_t space = H5Screate_simple (3, dims, NULL);
  const float missing = NAN;

  if (tl_volume_sample_max (info->sample) == 0)
    H5Pset_fill_value (properties, H5T_NATIVE_FLOAT, &missing);
  for (size_t k = 0; k < n_parts; k++)
    {
      part_dims[0] = parts[k].n_slices;
      hid_t part_space = H5Screate_simple (3, part_dims, NULL);
      H5Sselect_hyperslab (space, H5S_SELECT_SET, first, NULL, part_dims, NULL);
      H5Pset_virtual (properties, space, parts[k].name, data_path (volume),
                      part_space);
      H5Sclose (part_space);
      first[0] += part_dims[0];
    }
  H5Sclose (space);
  return properties;
}

gboolean
tl_volume_join (const char *path, const TlVolumeInfo *info, const char *folder,
                const TlVolumePart *parts, size_t n_parts, GError **error)
{
  TlVolume volume = { .info = *info };
  State state = { .file = -1, .data = -1 };
  TlVolumeTally tally;
  TlHdf5Errors errors;

  tl_volume_tally_init (&tally);
  for (size_t k = 0; k < n_parts; k++)
    {
      g_autofree char *part = g_build_filename (folder, parts[k].name, NULL);

      if (!check_part (&volume, part, &parts[k], k == 0, &tally, error))
        return FALSE;
    }
  if (!can_create (&volume, path, 0, error))
    return FALSE;
  tl_hdf5_errors_catch (&errors);
  hid_t properties = new_view_properties (&volume, parts, n_parts);
  gboolean ok = make_file (&volume, path, properties, -1)
                && open_file (&volume, path, TRUE, &state)
                && update_facts (&volume, state.file, &tally);
  H5Pclose (properties);
  ok = close_both (state.file, state.data) && ok;
  return tl_hdf5_errors_release (&errors, ok, path, error);
}

/* Appends the names of the files whose samples a dataset shows. */
static void
add_sources (hid_t data, GPtrArray *names)
{
  hid_t properties = H5Dget_create_plist (data);
  size_t n = 0;

  if (H5Pget_layout (properties) == H5D_VIRTUAL)
    H5Pget_virtual_count (properties, &n);
  for (size_t k = 0; k < n; k++)
    {
      const ssize_t length = H5Pget_virtual_filename (properties, k, NULL, 0);
      char *file = g_malloc0 ((size_t)MAX (length, 0) + 1);

      if (length > 0)
        H5Pget_virtual_filename (properties, k, file, (size_t)length + 1);
      g_ptr_array_add (names, file);
    }
  H5Pclose (properties);
}

GPtrArray *
tl_volume_list_parts (TlVolumeFormat format, const char *path)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  const TlVolume volume = { .info = { .format = format } };
  if (!tl_volume_is_hdf5 (format))
    return names;
  hid_t access = H5Pcreate (H5P_FILE_ACCESS);
  TlHdf5Errors errors;

  H5Pset_file_locking (access, FALSE, TRUE);
  tl_hdf5_guard (access);
  tl_hdf5_errors_catch (&errors);
  hid_t file = H5Fopen (path, H5F_ACC_RDONLY, access);
  hid_t data =
      file >= 0 ? H5Dopen2 (file, data_path (&volume), H5P_DEFAULT) : -1;
  if (data >= 0)
    add_sources (data, names);
  close_both (file, data);
  tl_hdf5_errors_release (&errors, TRUE, path, NULL);
  H5Pclose (access);
  return names;
}

gboolean
tl_volume_has_part (TlVolumeFormat format, const char *path, const char *name)
{
  g_autoptr (GPtrArray) parts = tl_volume_list_parts (format, path);

  return g_ptr_array_find_with_equal_func (parts, name, g_str_equal, NULL);
}

static char *
find_missing_part (const TlVolume *volume)
{
  g_autoptr (GPtrArray) parts =
      tl_volume_list_parts (volume->info.format, volume->path);
  g_autofree char *folder = g_path_get_dirname (volume->path);

  for (guint k = 0; k < parts->len; k++)
    {
      g_autofree char *path = g_build_filename (folder, parts->pdata[k], NULL);

      if (!g_file_test (path, G_FILE_TEST_IS_REGULAR))
        return g_steal_pointer (&path);
    }
  return NULL;
}

#define FORMAT(format_name, format_suffix, format_description)                 \
  {                                                                            \
    .info = { .name = format_name,                                             \
              .suffix = format_suffix,                                         \
              .description = format_description,                               \
              .has_f16 = TRUE,                                                 \
              .is_compressible = TRUE },                                       \
    .max_tile = PLAIN_TILE_SIZE, .max_packed_tile = PACKED_TILE_SIZE,          \
    .has_places = TRUE, .open = open_hdf5, .store = store_in_hdf5,             \
    .read_fact = read_hdf5_fact, .count_work = count_hdf5_work,                \
    .find_missing = find_missing_part, .sum = sum_in_hdf5,                     \
    .finish = finish_hdf5, .close = close_hdf5                                 \
  }

const TlVolumeClass tl_hdf5_class =
    FORMAT ("hdf5", ".h5", N_ ("HDF5 in the layout of Data Exchange"));
const TlVolumeClass tl_nexus_class =
    FORMAT ("nexus", ".nxs", N_ ("HDF5 in the layout of NeXus (NXtomoproc)"));
