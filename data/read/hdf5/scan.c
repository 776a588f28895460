/* Contiguous datasets in native byte order are read without HDF5, by one
 * pread() for each frame at the offset that H5Dget_offset() returns. One row of
 * 2048 frames, 2048 uint16 wide, in the page cache, takes a sixth of the time
 * that HDF5 needs (test-reader-hdf5 -m perf -p /exchange/one-row prints both).
 * Chunks of native byte order are read and inflated without HDF5 too. Both may
 * be done by several threads at once.
 */
#include "data/read/hdf5/scan-private.h"

#include "data/array.h"
#include "data/error.h"
#include "data/hdf5-guard.h"
#include "data/read/hdf5/open-private.h"
#include "data/read/format/place.h"
#include "data/read/format/rows.h"

#include <fcntl.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of sinograms that are inflated together, of which some are not wanted. HDF5
 * inflates those of larger chunks twice, but needs no memory for the others. */
#define MAX_TOGETHER_BYTES ((size_t)256 << 20)

TlHdf5Scan *
tl_hdf5_scan_open (const char *path, GError **error)
{
  g_autoptr (TlHdf5Scan) scan = g_new0 (TlHdf5Scan, 1);
  scan->path = g_strdup (path);
  scan->name = tl_path_dup_name (path);
  for (int i = 0; i < TL_N_HDF5_DATASETS; i++)
    scan->kinds[i].dataset = scan->kinds[i].fd = -1;
  scan->file = tl_hdf5_open_file (path, scan->name, error);
  return scan->file < 0 ? NULL : g_steal_pointer (&scan);
}

static void
close_dataset (TlHdf5Frames *frames)
{
  g_clear_pointer (&frames->chunks, tl_hdf5_chunks_free);
  g_clear_pointer (&frames->turned, tl_hdf5_chunks_free);
  tl_hdf5_close_id (frames->dataset);
  frames->dataset = -1;
}

static void
drop (TlHdf5Frames *frames)
{
  close_dataset (frames);
  g_clear_pointer (&frames->frames, g_free);
  if (frames->fd >= 0)
    close (frames->fd);
  *frames = (TlHdf5Frames){ .dataset = -1, .fd = -1 };
}

void
tl_hdf5_scan_drop (TlHdf5Scan *scan, TlFrameKind kind)
{
  drop (&scan->kinds[kind]);
}

void
tl_hdf5_scan_close (gpointer source)
{
  TlHdf5Scan *scan = source;
  if (scan == NULL)
    return;
  g_auto (TlHdf5Turn) turn G_GNUC_UNUSED = tl_hdf5_enter ();
  for (int i = 0; i < TL_N_HDF5_DATASETS; i++)
    drop (&scan->kinds[i]);
  tl_hdf5_close_id (scan->file);
  g_free (scan->name);
  g_free (scan->path);
  g_free (scan);
}

/* Chooses the type in memory. HDF5 converts half floats to it, and 64-bit
 * integers. */
static gboolean
choose_type (TlHdf5Id type, TlFrameSet *set)
{
  TlSampleType *sample = &set->type;
  size_t size = H5Tget_size (type);
  switch (H5Tget_class (type))
    {
    case H5T_FLOAT:
      *sample = size <= 4 ? TL_SAMPLE_F32 : TL_SAMPLE_F64;
      return TRUE;
    case H5T_INTEGER:
      {
        gboolean has_sign = H5Tget_sign (type) != H5T_SGN_NONE;
        if (size == 1)
          *sample = has_sign ? TL_SAMPLE_I8 : TL_SAMPLE_U8;
        else if (size == 2)
          *sample = has_sign ? TL_SAMPLE_I16 : TL_SAMPLE_U16;
        else if (size <= 4)
          *sample = has_sign ? TL_SAMPLE_I32 : TL_SAMPLE_U32;
        else
          *sample = TL_SAMPLE_F64;
        set->is_wide = size > 4;
        return TRUE;
      }
    default:
      return FALSE;
    }
}

static TlHdf5Id
memory_type (TlSampleType type)
{
  const TlHdf5Id types[TL_N_SAMPLE_TYPES] = {
    [TL_SAMPLE_U8] = H5T_NATIVE_UINT8,   [TL_SAMPLE_I8] = H5T_NATIVE_INT8,
    [TL_SAMPLE_U16] = H5T_NATIVE_UINT16, [TL_SAMPLE_I16] = H5T_NATIVE_INT16,
    [TL_SAMPLE_U32] = H5T_NATIVE_UINT32, [TL_SAMPLE_I32] = H5T_NATIVE_INT32,
    [TL_SAMPLE_F32] = H5T_NATIVE_FLOAT,  [TL_SAMPLE_F64] = H5T_NATIVE_DOUBLE,
  };
  return types[type];
}

/* @axes: (out): [3], as of TlHdf5Frames; -1 where one is missing, and for more
 *   than three dimensions
 * @sizes: (out): [3], theirs; 1 if missing
 *
 * Returns: how many dimensions there are, as tl_hdf5_get_frames() counts them
 */
static int
find_axes (TlHdf5Id space, int *axes, hsize_t *sizes)
{
  hsize_t dims[H5S_MAX_RANK];
  int used[H5S_MAX_RANK], n = 0;
  const int n_dims = H5Sget_simple_extent_dims (space, dims, NULL);
  for (int k = 0; k < n_dims; k++)
    if (dims[k] != 1 || n + n_dims - k <= 3)
      used[n++] = k;
  for (int i = 0; i < 3; i++)
    {
      axes[i] = n <= 3 && i >= 3 - n ? used[i + n - 3] : -1;
      sizes[i] = axes[i] >= 0 ? dims[axes[i]] : 1;
    }
  return n;
}

/* As tl_hdf5_get_frames(). @axes: (out): as of find_axes() */
static int
look_at (TlHdf5Id object, TlFrameSet *set, int *axes)
{
  hsize_t sizes[3];
  g_auto (TlHdf5Id) space = H5Dget_space (object);
  g_auto (TlHdf5Id) type = H5Dget_type (object);
  const int n_dims = find_axes (space, axes, sizes);
  H5Eclear2 (H5E_DEFAULT);
  *set = (TlFrameSet){ sizes[0], sizes[1], sizes[2] };
  return type >= 0 && choose_type (type, set) ? n_dims : -1;
}

int
tl_hdf5_get_frames (TlHdf5Id object, TlFrameSet *set)
{
  int axes[3];
  return look_at (object, set, axes);
}

static void
exchange (TlFrameSet *set)
{
  const size_t n_rows = set->n_rows;
  set->n_rows = set->n_frames;
  set->n_frames = n_rows;
}

static void
turn (TlHdf5Frames *frames)
{
  const int row_axis = frames->axes[1];
  exchange (&frames->set);
  frames->axes[1] = frames->axes[0];
  frames->axes[0] = row_axis;
}

static gboolean
describe (TlHdf5Scan *scan, TlHdf5Frames *frames, const char *what,
          GError **error)
{
  const int n_dims = look_at (frames->dataset, &frames->set, frames->axes);
  if (frames->is_turned)
    turn (frames);
  if (n_dims == 2 || n_dims == 3)
    return TRUE;
  if (n_dims >= 0)
    return tl_fail (error, TL_ERROR_SHAPE,
                    _ ("%s: the %s have %d dimensions, not 3"), scan->name,
                    what, n_dims);
  return tl_fail (error, TL_ERROR_UNSUPPORTED,
                  _ ("%s: the %s are neither integers nor floats"), scan->name,
                  what);
}

char *
tl_hdf5_dup_virtual_name (TlHdf5Id plist, size_t i)
{
  const ssize_t length = H5Pget_virtual_filename (plist, i, NULL, 0);
  char *name = g_malloc0 ((size_t)MAX (length, 0) + 1);
  if (length > 0)
    H5Pget_virtual_filename (plist, i, name, (size_t)length + 1);
  return name;
}

/* Returns: (transfer full): the @i-th source file of a virtual dataset in
 * @folder; %NULL if it is there, or has no name of its own */
static char *
dup_missing_source (TlHdf5Id plist, size_t i, const char *folder)
{
  g_autofree char *file = tl_hdf5_dup_virtual_name (plist, i);
  g_autofree char *path = g_build_filename (folder, file, NULL);
  /* "." is the file itself; HDF5 replaces a % by a number. */
  return *file == '\0' || strcmp (file, ".") == 0 || strchr (file, '%') != NULL
                 || g_file_test (path, G_FILE_TEST_EXISTS)
                 || g_file_test (file, G_FILE_TEST_EXISTS)
             ? NULL
             : g_steal_pointer (&file);
}

/* Fails if source files of a virtual dataset are missing: HDF5 would return the
 * fill value for their frames, without an error. */
static gboolean
check_virtual_sources (TlHdf5Scan *scan, TlHdf5Id dataset, TlHdf5Id plist,
                       const char *what, GError **error)
{
  size_t n = 0;
  g_autofree char *own = tl_hdf5_dup_text (H5Fget_name, dataset);
  g_autofree char *folder = g_path_get_dirname (own);
  g_autofree char *first = NULL;
  g_autoptr (GHashTable) missing =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  if (H5Pget_virtual_count (plist, &n) < 0)
    n = 0;
  for (size_t i = 0; i < n; i++)
    {
      char *file = dup_missing_source (plist, i, folder);
      if (first == NULL)
        first = g_strdup (file);
      if (file != NULL)
        g_hash_table_add (missing, file);
    }
  const guint n_missing = g_hash_table_size (missing);
  return n_missing == 0
         || tl_fail (error, TL_ERROR_FILE,
                     g_dngettext (
                         NULL,
                         "%s: %u file with its %s is not there: %s; copy it to "
                         "where this file is",
                         "%s: %u files with its %s are not there, the first: "
                         "%s; copy them to where this file is",
                         n_missing),
                     scan->name, n_missing, what, first);
}

/* Fails if a file with samples of the dataset is missing. */
static gboolean
check_sources (TlHdf5Scan *scan, TlHdf5Id dataset, TlHdf5Id plist,
               const char *what, GError **error)
{
  g_autofree char *missing = tl_hdf5_dup_missing_raw (dataset);
  if (missing != NULL)
    return tl_fail (error, TL_ERROR_FILE,
                    _ ("%s: the file with its %s is not there: %s; copy it to "
                       "where this file is"),
                    scan->name, what, missing);
  return H5Pget_layout (plist) != H5D_VIRTUAL
         || check_virtual_sources (scan, dataset, plist, what, error);
}

/* Returns: the file of the dataset, opened for reading without HDF5; negative
 * if its samples are not in one file, or not in native byte order */
static int
open_native (TlHdf5Frames *frames, TlHdf5Id plist)
{
  g_auto (TlHdf5Id) type = H5Dget_type (frames->dataset);
  g_auto (TlHdf5Id) file = H5Iget_file_id (frames->dataset);
  g_auto (TlHdf5Id) access = file < 0 ? -1 : H5Fget_access_plist (file);
  if (access < 0 || !tl_hdf5_is_one_file (access)
      || H5Pget_external_count (plist) != 0
      || H5Tequal (type, memory_type (frames->set.type)) <= 0)
    return -1;
  g_autofree char *path = tl_hdf5_dup_text (H5Fget_name, frames->dataset);
  return g_open (path, O_RDONLY | O_CLOEXEC, 0);
}

/* Prepares reading without HDF5. Leaves place and chunks unset if the samples
 * are stored in another way. */
static void
find_place (TlHdf5Frames *frames, TlHdf5Id plist)
{
  const H5D_layout_t layout = H5Pget_layout (plist);
  const haddr_t offset = H5Dget_offset (frames->dataset);
  TlFrameSet stored = frames->set;
  struct stat st;
  frames->fd = open_native (frames, plist);
  if (frames->fd < 0)
    return;
  if (frames->is_turned)
    exchange (&stored);
  if (layout == H5D_CHUNKED)
    *(frames->is_turned ? &frames->turned : &frames->chunks) =
        tl_hdf5_chunks_new (frames->dataset, &stored, frames->fd);
  frames->is_contiguous =
      !frames->is_turned && layout == H5D_CONTIGUOUS && offset != HADDR_UNDEF
      && fstat (frames->fd, &st) == 0
      && (guint64)st.st_size >= offset + H5Dget_storage_size (frames->dataset);
  frames->offset = offset;
}

/* Says in @draft how many frames and rows of the projections are in one chunk.
 */
static void
describe_chunks (const TlHdf5Frames *frames, TlHdf5Id plist, TlScanDraft *draft)
{
  hsize_t chunk[H5S_MAX_RANK];
  const int row_axis = frames->axes[1];
  if (frames->axes[0] < 0 || H5Pget_layout (plist) != H5D_CHUNKED
      || H5Pget_chunk (plist, H5S_MAX_RANK, chunk) < 0)
    return;
  draft->block_frames = chunk[frames->axes[0]];
  if (frames->chunks == NULL || !tl_hdf5_chunks_have_rows (frames->chunks))
    draft->block_rows = row_axis >= 0 ? chunk[row_axis] : 1;
}

gboolean
tl_hdf5_scan_add (TlHdf5Scan *scan, TlFrameKind kind, TlHdf5Id dataset,
                  TlScanDraft *draft, GError **error)
{
  const char *const what = tl_frame_kind_get_name (kind);
  TlHdf5Frames *frames = &scan->kinds[kind];
  g_return_val_if_fail (frames->dataset < 0, FALSE);
  if (H5Iget_type (dataset) != H5I_DATASET)
    return tl_fail (error, TL_ERROR_FORMAT,
                    _ ("%s: a group stands where the %s should be"), scan->name,
                    what);
  H5Iinc_ref (dataset);
  frames->dataset = dataset;
  g_auto (TlHdf5Id) plist = H5Dget_create_plist (dataset);
  if (!describe (scan, frames, what, error)
      || !tl_hdf5_check_filters (plist, scan->name, what, error)
      || !check_sources (scan, dataset, plist, what, error))
    return FALSE;
  find_place (frames, plist);
  if (kind == TL_FRAMES_PROJECTIONS)
    describe_chunks (frames, plist, draft);
  H5Eclear2 (H5E_DEFAULT);
  draft->frames[kind] = frames->set;
  return TRUE;
}

void
tl_hdf5_scan_turn (TlHdf5Scan *scan, TlFrameKind kind, TlScanDraft *draft)
{
  TlHdf5Frames *frames = &scan->kinds[kind];
  g_auto (TlHdf5Id) plist = H5Dget_create_plist (frames->dataset);
  g_return_if_fail (!frames->is_turned);
  frames->turned = g_steal_pointer (&frames->chunks);
  frames->is_turned = TRUE;
  frames->is_contiguous = FALSE;
  turn (frames);
  if (kind == TL_FRAMES_PROJECTIONS)
    describe_chunks (frames, plist, draft);
  H5Eclear2 (H5E_DEFAULT);
  draft->frames[kind] = frames->set;
}

gboolean
tl_hdf5_scan_add_later_flats (TlHdf5Scan *scan, TlHdf5Id dataset,
                              TlScanDraft *draft)
{
  const TlFrameSet *first = &scan->kinds[TL_FRAMES_FLATS].set;
  TlHdf5Frames *frames = &scan->kinds[TL_HDF5_LATER_FLATS];
  g_auto (TlHdf5Id) plist = H5Dget_create_plist (dataset);
  H5Iinc_ref (dataset);
  frames->dataset = dataset;
  const gboolean good =
      describe (scan, frames, "", NULL) && frames->set.n_rows == first->n_rows
      && frames->set.n_cols == first->n_cols && frames->set.type == first->type
      && tl_hdf5_check_filters (plist, scan->name, "", NULL)
      && check_sources (scan, dataset, plist, "", NULL);
  if (good)
    {
      find_place (frames, plist);
      draft->frames[TL_FRAMES_FLATS].n_frames += frames->set.n_frames;
    }
  else
    drop (frames);
  H5Eclear2 (H5E_DEFAULT);
  return good;
}

/* Selects one block for each run of rows: tl_hdf5_has_sound_chunks() takes
 * memory for each block. Given as a count, each sample would be a block. */
static gboolean
select_rows (TlHdf5Id space, TlHdf5Frames *frames, size_t first, size_t n,
             const size_t *rows, size_t n_rows)
{
  for (size_t k = 0; k < n_rows;)
    {
      const size_t n_run = tl_rows_count_run (rows, n_rows, k);
      const hsize_t starts[3] = { first, rows[k], 0 };
      const hsize_t counts[3] = { n, n_run, frames->set.n_cols };
      hsize_t start[H5S_MAX_RANK] = { 0 }, block[H5S_MAX_RANK],
              one[H5S_MAX_RANK];
      for (int i = 0; i < H5S_MAX_RANK; i++)
        one[i] = block[i] = 1;
      for (int i = 0; i < 3; i++)
        if (frames->axes[i] >= 0)
          {
            start[frames->axes[i]] = starts[i];
            block[frames->axes[i]] = counts[i];
          }
      if (H5Sselect_hyperslab (space, k == 0 ? H5S_SELECT_SET : H5S_SELECT_OR,
                               start, NULL, one, block)
          < 0)
        return FALSE;
      k += n_run;
    }
  return TRUE;
}

/* @first, @n: consecutive frames of the dataset. @dest: in the order of the
 * dataset */
static gboolean
read_in_order (TlHdf5Scan *scan, TlHdf5Frames *frames, size_t first, size_t n,
               const size_t *rows, size_t n_rows, char *dest, GError **error)
{
  const hsize_t count[3] = { n, n_rows, frames->set.n_cols };
  if (frames->dataset < 0)
    return tl_fail (error, TL_ERROR_FILE,
                    _ ("%s: another program has changed it, and it cannot be "
                       "opened again"),
                    scan->name);
  g_auto (TlHdf5Turn) turn G_GNUC_UNUSED = tl_hdf5_enter ();
  g_auto (TlHdf5Id) space = H5Dget_space (frames->dataset);
  g_auto (TlHdf5Id) memory = H5Screate_simple (3, count, NULL);
  if (select_rows (space, frames, first, n, rows, n_rows)
      && tl_hdf5_has_sound_chunks (frames->dataset, space)
      && H5Dread (frames->dataset, memory_type (frames->set.type), memory,
                  space, H5P_DEFAULT, dest)
             >= 0)
    return TRUE;
  return tl_hdf5_set_error (error,
                            n == 1 ? _ ("%s: frame %zu cannot be read")
                                   : _ ("%s: frames %zu to %zu cannot be read"),
                            scan->name, first, first + n - 1);
}

/* Reads sinograms that are inflated together.
 * @list: [@n], frames; @bytes: of a sinogram
 * @dest: [@n_rows][@n][n_cols] */
static gboolean
read_together (TlHdf5Chunks *turned, const size_t *rows, size_t n_rows,
               const size_t *list, size_t n, size_t bytes, char *dest)
{
  const size_t n_all = rows[n_rows - 1] - rows[0] + 1;
  if (n_all == n_rows)
    return tl_hdf5_chunks_read (turned, rows[0], n_rows, list, n, dest, NULL);
  g_autofree char *all = n_all <= MAX_TOGETHER_BYTES / bytes
                             ? g_try_malloc_n (n_all, bytes)
                             : NULL;
  if (all == NULL
      || !tl_hdf5_chunks_read (turned, rows[0], n_all, list, n, all, NULL))
    return FALSE;
  for (size_t k = 0; k < n_rows; k++)
    memcpy (dest + k * bytes, all + (rows[k] - rows[0]) * bytes, bytes);
  return TRUE;
}

/* Reads the sinograms of a dataset that is turned, [n_rows][n][n_cols], without
 * HDF5. Returns: %FALSE: HDF5 has to read them */
static gboolean
read_turned (const TlHdf5Frames *frames, size_t first, size_t n,
             const size_t *rows, size_t n_rows, char *dest)
{
  const size_t sinogram_bytes =
      n * frames->set.n_cols * tl_sample_size (frames->set.type);
  if (frames->turned == NULL)
    return FALSE;
  g_autofree size_t *list = g_new (size_t, n);
  for (size_t i = 0; i < n; i++)
    list[i] = first + i;
  for (size_t k = 0, n_here; k < n_rows; k += n_here)
    {
      n_here = tl_rows_count_within (
          rows, n_rows, k, tl_hdf5_chunks_count_together (frames->turned));
      if (!read_together (frames->turned, rows + k, n_here, list, n,
                          sinogram_bytes, dest + k * sinogram_bytes))
        return FALSE;
    }
  return TRUE;
}

/* @first, @n: consecutive frames of the dataset */
static gboolean
read_by_hdf5 (TlHdf5Scan *scan, TlHdf5Frames *frames, size_t first, size_t n,
              const size_t *rows, size_t n_rows, char *dest, GError **error)
{
  const size_t bytes = frames->set.n_cols * tl_sample_size (frames->set.type);
  if (!frames->is_turned)
    return read_in_order (scan, frames, first, n, rows, n_rows, dest, error);
  g_autofree char *sinograms =
      tl_try_alloc (n_rows, n, bytes, 1, _ ("the sinograms"), error);
  if (sinograms == NULL
      || (!read_turned (frames, first, n, rows, n_rows, sinograms)
          && !read_in_order (scan, frames, first, n, rows, n_rows, sinograms,
                             error)))
    return FALSE;
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < n_rows; k++)
      memcpy (dest + (i * n_rows + k) * bytes, sinograms + (k * n + i) * bytes,
              bytes);
  return TRUE;
}

static gboolean
read_directly (TlHdf5Scan *scan, TlHdf5Frames *frames, size_t first, size_t n,
               const size_t *rows, size_t n_rows, char *dest, GError **error)
{
  const TlFrameSet *set = &frames->set;
  const size_t row_bytes = set->n_cols * tl_sample_size (set->type);
  for (size_t i = first; i < first + n; i++, dest += n_rows * row_bytes)
    {
      const guint64 offset =
          frames->offset + (guint64)i * set->n_rows * row_bytes;
      const char *reason =
          tl_place_read_rows (frames->fd, offset, row_bytes, rows, n_rows, dest,
                              _ ("the file ends before it"));
      if (reason != NULL)
        return tl_fail (error, TL_ERROR_FILE,
                        _ ("%s: frame %zu cannot be read: %s"), scan->name, i,
                        reason);
    }
  return TRUE;
}

/* @first, @n: consecutive frames of the dataset */
static gboolean
read_run (TlHdf5Scan *scan, TlHdf5Frames *frames, size_t first, size_t n,
          const size_t *rows, size_t n_rows, char *dest, GError **error)
{
  if (frames->is_contiguous)
    return read_directly (scan, frames, first, n, rows, n_rows, dest, error);
  GError *damage = NULL;
  if (frames->chunks != NULL
      && tl_hdf5_chunks_read (frames->chunks, first, n, rows, n_rows, dest,
                              &damage))
    return TRUE;
  if (damage == NULL)
    return read_by_hdf5 (scan, frames, first, n, rows, n_rows, dest, error);
  g_propagate_prefixed_error (error, damage, "%s: ", scan->name);
  return FALSE;
}

/* Frames that are consecutive in the dataset are read by one call. */
static gboolean
read_frames (TlHdf5Scan *scan, TlHdf5Frames *frames, size_t first_frame,
             size_t n_frames, const size_t *rows, size_t n_rows, char *dest,
             GError **error)
{
  size_t frame_bytes =
      n_rows * frames->set.n_cols * tl_sample_size (frames->set.type);
  for (size_t i = 0; i < n_frames;)
    {
      size_t k = first_frame + i, n = 1;
      size_t first = frames->frames != NULL ? frames->frames[k] : k;
      while (i + n < n_frames
             && (frames->frames == NULL || frames->frames[k + n] == first + n))
        n++;
      if (!read_run (scan, frames, first, n, rows, n_rows,
                     dest + i * frame_bytes, error))
        return FALSE;
      i += n;
    }
  return TRUE;
}

/* Returns: how many frames of @kind are in its first dataset; all, unless later
 * flats follow */
static size_t
count_first (const TlHdf5Scan *scan, TlFrameKind kind)
{
  return kind == TL_FRAMES_FLATS
                 && scan->kinds[TL_HDF5_LATER_FLATS].set.n_frames > 0
             ? scan->kinds[kind].set.n_frames
             : G_MAXSIZE;
}

gboolean
tl_hdf5_scan_read (gpointer source, TlFrameKind kind, size_t first_frame,
                   size_t n_frames, const size_t *rows, size_t n_rows,
                   void *dest, GError **error)
{
  TlHdf5Scan *scan = source;
  TlHdf5Frames *frames = &scan->kinds[kind];
  const size_t n_first = count_first (scan, kind);
  const size_t n_here = MIN (n_frames, n_first - MIN (n_first, first_frame));
  const size_t frame_bytes =
      n_rows * frames->set.n_cols * tl_sample_size (frames->set.type);
  return (n_here == 0
          || read_frames (scan, frames, first_frame, n_here, rows, n_rows, dest,
                          error))
         && (n_here == n_frames
             || read_frames (scan, &scan->kinds[TL_HDF5_LATER_FLATS],
                             first_frame + n_here - n_first, n_frames - n_here,
                             rows, n_rows, (char *)dest + n_here * frame_bytes,
                             error));
}

static gboolean
is_parallel (const TlHdf5Frames *frames)
{
  return frames->is_contiguous || frames->chunks != NULL;
}

gboolean
tl_hdf5_scan_is_parallel (gpointer source, TlFrameKind kind)
{
  const TlHdf5Scan *scan = source;
  return is_parallel (&scan->kinds[kind])
         && (count_first (scan, kind) == G_MAXSIZE
             || is_parallel (&scan->kinds[TL_HDF5_LATER_FLATS]));
}

gboolean
tl_hdf5_scan_can_ascend (gpointer source, guint64 *bytes)
{
  const TlHdf5Scan *scan = source;
  const TlHdf5Chunks *chunks = scan->kinds[TL_FRAMES_PROJECTIONS].chunks;
  *bytes = chunks != NULL ? tl_hdf5_chunks_count_ascending (chunks) : 0;
  return *bytes > 0;
}

void
tl_hdf5_scan_ascend (gpointer source)
{
  TlHdf5Chunks *chunks =
      ((TlHdf5Scan *)source)->kinds[TL_FRAMES_PROJECTIONS].chunks;
  if (chunks != NULL)
    tl_hdf5_chunks_ascend (chunks);
}

void
tl_hdf5_scan_skip_rest (gpointer source)
{
  TlHdf5Scan *scan = source;
  for (int i = 0; i < TL_N_HDF5_DATASETS; i++)
    if (scan->kinds[i].chunks != NULL)
      tl_hdf5_chunks_skip_rest (scan->kinds[i].chunks);
}

gboolean
tl_hdf5_scan_use_inflater (gpointer source, TlInflater *inflater)
{
  TlHdf5Chunks *chunks =
      ((TlHdf5Scan *)source)->kinds[TL_FRAMES_PROJECTIONS].chunks;
  return chunks != NULL && tl_hdf5_chunks_use_inflater (chunks, inflater);
}

/* --- a file that has changed --- */

/* Where a dataset is: behind a link, another file than that of the scan. */
typedef struct
{
  char *file, *path;
} Address;

static void
address_clear (Address *address)
{
  g_free (address->file);
  g_free (address->path);
}

/* Opens the dataset at @address again. Returns: whether it has the frames that
 * it had, at least by their shape. Otherwise samples in one piece can be read
 * as before */
static gboolean
reopen (TlHdf5Scan *scan, TlHdf5Frames *frames, const Address *address)
{
  const TlFrameSet before = frames->set;
  g_auto (TlHdf5Id) file = tl_hdf5_open_file (address->file, scan->name, NULL);
  frames->dataset = file < 0 ? -1 : H5Dopen2 (file, address->path, H5P_DEFAULT);
  g_auto (TlHdf5Id) plist =
      frames->dataset < 0 ? -1 : H5Dget_create_plist (frames->dataset);
  const gboolean is_open = plist >= 0 && describe (scan, frames, "", NULL);
  const TlFrameSet now = frames->set;
  const size_t n_needed = frames->frames == NULL ? before.n_frames
                          : frames->n_listed > 0
                              ? frames->frames[frames->n_listed - 1] + 1
                              : 0;
  frames->set = before;
  if (!is_open || now.n_frames < n_needed || now.n_rows != before.n_rows
      || now.n_cols != before.n_cols || now.type != before.type)
    {
      close_dataset (frames);
      return FALSE;
    }
  if (frames->fd >= 0)
    close (frames->fd);
  frames->is_contiguous = FALSE;
  find_place (frames, plist);
  return TRUE;
}

gboolean
tl_hdf5_scan_refresh (gpointer source)
{
  TlHdf5Scan *scan = source;
  Address addresses[TL_N_HDF5_DATASETS] = { { NULL, NULL } };
  gboolean good = TRUE;
  g_auto (TlHdf5Turn) turn G_GNUC_UNUSED = tl_hdf5_enter ();
  for (int i = 0; i < TL_N_HDF5_DATASETS; i++)
    if (scan->kinds[i].dataset >= 0)
      {
        const TlHdf5Id dataset = scan->kinds[i].dataset;
        addresses[i] = (Address){ tl_hdf5_dup_text (H5Fget_name, dataset),
                                  tl_hdf5_dup_text (H5Iget_name, dataset) };
        close_dataset (&scan->kinds[i]);
      }
  /* HDF5 forgets what it knows of a file when all of it is closed. */
  tl_hdf5_close_id (scan->file);
  scan->file = tl_hdf5_open_file (scan->path, scan->name, NULL);
  for (int i = 0; i < TL_N_HDF5_DATASETS; i++)
    {
      if (addresses[i].file != NULL)
        good = reopen (scan, &scan->kinds[i], &addresses[i]) && good;
      address_clear (&addresses[i]);
    }
  H5Eclear2 (H5E_DEFAULT);
  return good;
}
