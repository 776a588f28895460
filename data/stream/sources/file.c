/* An HDF5 file that is being written. It is opened again and again, because not
 * every writer uses SWMR (single writer, multiple readers), and because what
 * HDF5 knows of a file is forgotten only then. */
#include "data/stream/source-private.h"

#include "data/array.h"
#include "data/error.h"
#include "data/read/reader.h"

#include <fcntl.h>
#include <glib/gi18n.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

/* How often it is looked whether the file has changed. */
#define LOOK_US (G_USEC_PER_SEC / 20)

/* How often it is opened even if it seems not to have changed: network file
 * systems tell of changes late, and a lock may be gone. */
#define OPEN_US G_USEC_PER_SEC

/* A file that cannot be read is not told of before that: its writer may be
 * about to make its datasets, or to write what belongs together. */
#define PATIENCE_US (5 * G_USEC_PER_SEC)

typedef struct
{
  GByteArray *is_taken; /* for each frame of the kind */
  size_t next;          /* those before were taken */
  size_t other;         /* tried beside it: frames may come in any order */
} Kind;

typedef struct
{
  char *path;
  TlReader *reader; /* (nullable): while it has frames that were not tried */
  Kind kinds[TL_N_FRAME_KINDS];
  struct statx status; /* when it was opened; zero before */
  guint scan;          /* counts the scans under this name */
  gint64 looked_us;    /* when it was looked at */
  gint64 opened_us;    /* when it was opened */
  gint64 good_us;      /* when it could be read */
  gboolean is_told;    /* that it cannot */
  TlWriter writer;     /* when it was opened last */
} File;

static void
begin_again (File *file)
{
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    {
      g_byte_array_set_size (file->kinds[kind].is_taken, 0);
      file->kinds[kind].next = file->kinds[kind].other = 0;
    }
  file->scan++;
}

static size_t
count_frames (const TlScanInfo *info, TlFrameKind kind)
{
  return kind == TL_FRAMES_PROJECTIONS ? info->n_projections
         : kind == TL_FRAMES_FLATS     ? info->n_flats
                                       : info->n_darks;
}

/* Makes room for the marks of new frames. A file with fewer frames than before
 * is another one. */
static void
fit_kinds (File *file, const TlScanInfo *info)
{
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    if (count_frames (info, kind) < file->kinds[kind].next)
      {
        begin_again (file);
        break;
      }
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    {
      GByteArray *is_taken = file->kinds[kind].is_taken;
      const guint before = is_taken->len;
      const guint n =
          (guint)MIN (count_frames (info, kind), (size_t)TL_STREAM_MAX_FRAMES);
      g_byte_array_set_size (is_taken, n);
      if (n > before)
        memset (is_taken->data + before, 0, n - before);
    }
}

static gboolean
open_reader (File *file, TlTrack *track, GError **error)
{
  const TlReaderOptions options = { .grows = TRUE };
  file->reader = tl_reader_open (file->path, &options, error);
  if (file->reader == NULL)
    return FALSE;
  const TlScanInfo *info = tl_reader_get_info (file->reader);
  if (!g_str_has_suffix (info->format, "HDF5"))
    return tl_fail (error, TL_ERROR_UNSUPPORTED,
                    _ ("%s: is a file of another format; only HDF5 files and "
                       "folders can be followed while they grow"),
                    file->path);
  file->writer = info->writer;
  fit_kinds (file, info);
  tl_track_set_places (track, file->scan, info->n_projections, info->n_likely,
                       info->lost_ids);
  return TRUE;
}

/* Returns: whether the samples are not all the same. What was not yet written
 * is the fill value; no detector gives such a projection or flat. */
static gboolean
is_written (const TlScanInfo *info, TlSampleType type, const char *pixels)
{
  const size_t size = tl_sample_size (type);
  const size_t n = info->n_rows * info->n_cols;
  return n == 1 || memcmp (pixels, pixels + size, (n - 1) * size) != 0;
}

/* Returns: whether the frame could be taken */
static gboolean
take_frame (File *file, TlFrameKind kind, size_t frame, TlTrack *track,
            GError **error)
{
  const TlScanInfo *info = tl_reader_get_info (file->reader);
  const TlSampleType type = tl_reader_get_type (file->reader, kind);
  const gboolean is_projection = kind == TL_FRAMES_PROJECTIONS;
  g_autofree void *pixels =
      tl_try_alloc (info->n_rows, info->n_cols, 1, tl_sample_size (type),
                    _ ("one projection"), error);
  if (pixels == NULL
      || !tl_reader_read_frames (file->reader, kind, frame, 1, 0, info->n_rows,
                                 pixels, error))
    return FALSE;
  /* A counting detector may well have darks of 0. */
  if (!is_written (info, type, pixels)
      && (kind != TL_FRAMES_DARKS
          || file->kinds[TL_FRAMES_PROJECTIONS].next == 0))
    return FALSE;
  const TlMessage message = {
    .type = TL_MESSAGE_FRAME,
    .n_rows = info->n_rows,
    .n_cols = info->n_cols,
    .has_kind = TRUE,
    .has_number = TRUE,
    .kind = kind,
    .number = frame,
    .scan = file->scan,
    .angle_deg = is_projection && !info->angles_are_spread
                     ? info->angles_deg[frame]
                     : NAN,
    .sample_type = type,
    .is_big_endian = G_BYTE_ORDER == G_BIG_ENDIAN,
    .pixels = pixels,
    .pixel_size_um = info->pixel_size_um,
  };
  tl_track_take (track, &message, g_get_monotonic_time ());
  file->kinds[kind].is_taken->data[frame] = TRUE;
  return TRUE;
}

/* Tries the first frame that was not taken, and one of those behind it.
 * Returns: whether one could be taken */
static gboolean
take_next (File *file, TlFrameKind kind, TlTrack *track, GError **error)
{
  Kind *state = &file->kinds[kind];
  const guint8 *is_taken = state->is_taken->data;
  const size_t n = state->is_taken->len;
  while (state->next < n && is_taken[state->next])
    state->next++;
  if (state->next >= n)
    return FALSE;
  if (take_frame (file, kind, state->next, track, error))
    return TRUE;
  state->other = MAX (state->other, state->next) + 1;
  while (state->other < n && is_taken[state->other])
    state->other++;
  if (state->other >= n)
    state->other = state->next;
  return state->other > state->next && *error == NULL
         && take_frame (file, kind, state->other, track, error);
}

/* Returns: whether a frame could be taken */
static gboolean
take_any (File *file, TlTrack *track, GError **error)
{
  for (size_t k = 0; k < TL_N_FRAME_KINDS && *error == NULL; k++)
    if (take_next (file, tl_stream_order[k], track, error))
      return TRUE;
  return FALSE;
}

/* --- the source --- */

static gpointer
open_file (const char *path, GError **error)
{
  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return tl_fail_null_with_hint (
        error, TL_ERROR_FILE, "--wait waits until it is there",
        _ ("%s: there is no such file or folder"), path);
  File *file = g_new0 (File, 1);
  file->path = g_strdup (path);
  file->good_us = g_get_monotonic_time ();
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    file->kinds[kind].is_taken = g_byte_array_new ();
  return file;
}

static void
tell (File *file, TlTrack *track, const GError *why)
{
  if (!file->is_told && g_get_monotonic_time () - file->good_us >= PATIENCE_US)
    {
      file->is_told = TRUE;
      tl_track_tell (track, why);
    }
}

static gboolean
is_same_time (const struct statx_timestamp *a, const struct statx_timestamp *b)
{
  return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/* Returns: whether it is the same file. One that is made after the other was
 * removed often has its inode, and was born later. */
static gboolean
is_same_file (const struct statx *a, const struct statx *b)
{
  return a->stx_ino == b->stx_ino
         && is_same_time (&a->stx_btime, &b->stx_btime);
}

/* Keeps the state of the file, and begins another scan if it is another file.
 * Returns: whether it may have changed since it was opened */
static gboolean
update_status (File *file)
{
  const struct statx before = file->status;
  struct statx now = { 0 };
  if (statx (AT_FDCWD, file->path, 0, STATX_BASIC_STATS | STATX_BTIME, &now)
      == 0)
    {
      if (before.stx_ino != 0 && !is_same_file (&before, &now))
        begin_again (file);
      file->status = now;
    }
  return file->looked_us - file->opened_us >= OPEN_US
         || !is_same_file (&before, &now) || before.stx_size != now.stx_size
         || !is_same_time (&before.stx_mtime, &now.stx_mtime);
}

/* Opens the file when it is due. Returns: whether it has frames to try */
static gboolean
look (File *file, TlTrack *track, guint timeout_ms, GError **error)
{
  const gint64 due_us = file->looked_us + LOOK_US - g_get_monotonic_time ();
  if (due_us > 0)
    g_usleep ((gulong)MIN (due_us, (gint64)timeout_ms * 1000));
  if (due_us > (gint64)timeout_ms * 1000)
    return FALSE;
  file->looked_us = g_get_monotonic_time ();
  if (!update_status (file))
    return FALSE;
  file->opened_us = file->looked_us;
  return open_reader (file, track, error);
}

static gboolean
poll_file (gpointer source, TlTrack *track, guint timeout_ms, GError **error)
{
  File *file = source;
  g_autoptr (GError) why = NULL;
  if ((file->reader != NULL || look (file, track, timeout_ms, &why))
      && take_any (file, track, &why))
    {
      file->good_us = g_get_monotonic_time ();
      file->is_told = FALSE;
      return TRUE;
    }
  g_clear_pointer (&file->reader, tl_reader_close);
  if (g_error_matches (why, TL_ERROR, TL_ERROR_UNSUPPORTED))
    {
      g_propagate_error (error, g_steal_pointer (&why));
      return FALSE;
    }
  if (why != NULL && !g_error_matches (why, TL_ERROR, TL_ERROR_EARLY))
    tell (file, track, why);
  return TRUE;
}

static TlTrackRest
get_file_rest (gpointer source)
{
  const File *file = source;
  return file->writer == TL_WRITER_GONE      ? TL_REST_CLOSED
         : file->writer == TL_WRITER_PRESENT ? TL_REST_OPEN
                                             : TL_REST_UNKNOWN;
}

static void
close_file (gpointer source)
{
  File *file = source;
  g_clear_pointer (&file->reader, tl_reader_close);
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    g_byte_array_unref (file->kinds[kind].is_taken);
  g_free (file->path);
  g_free (file);
}

const TlStreamSource tl_file_source = {
  .open = open_file,
  .poll = poll_file,
  .get_rest = get_file_rest,
  .close = close_file,
};
