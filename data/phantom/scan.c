/* Writes a scan of a phantom on all cores. Each thread takes the next frame,
 * computes it in chunks of a megabyte and writes each chunk to its place in
 * the file. */
#include "data/array.h"
#include "data/error.h"
#include "data/phantom/detector-private.h"
#include "data/phantom/exchange-private.h"
#include "data/phantom/phantom.h"
#include "data/write/part-file.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* Bytes that are computed and written at once; they fit into a second-level
 * cache. */
#define CHUNK_BYTES ((size_t)1 << 20)

/* Room for everything in the file except counts and angles. */
#define DESCRIPTION_BYTES 65536

/* Rows that see the same shapes and therefore have the same projection. With
 * a tilted axis no two rows have. */
typedef struct
{
  size_t first_row, end_row;
  double z; /* height of one of these rows */
} Band;

typedef struct
{
  const TlPhantomScan *scan;
  TlDetector *detector;
  Band *bands;
  size_t n_bands;
  TlPartFile *file;
  TlExchangeOffsets offsets;
  GCancellable *cancellable;

  gsize next_frame;  /* atomic; no frame is left from the number of frames on */
  GAsyncQueue *done; /* from the threads: the job itself for each frame that is
                        written, a GError for each that is not */
} Job;

/* Buffers of one thread. */
typedef struct
{
  Job *job;
  double *shape_rows;   /* [n_shapes][n_cols] line integrals */
  double *sum;          /* [n_cols] */
  float *transmissions; /* [n_bands][n_cols] */
  float *lowest;        /* [n_bands] */
  guint16 *chunk;       /* [chunk_rows][n_cols] */
  size_t chunk_rows;
} Scratch;

static guint64
count_bytes (const TlPhantomScan *scan)
{
  guint64 bytes = 0, angles = 0;

  if (!g_uint64_checked_add (&bytes, scan->n_projections, scan->n_flats)
      || !g_uint64_checked_add (&bytes, bytes, scan->n_darks)
      || !g_uint64_checked_mul (&bytes, bytes, scan->n_rows)
      || !g_uint64_checked_mul (&bytes, bytes, scan->n_cols)
      || !g_uint64_checked_mul (&bytes, bytes, sizeof (guint16))
      || !g_uint64_checked_mul (&angles, scan->n_projections, sizeof (double))
      || !g_uint64_checked_add (&bytes, bytes, angles)
      || !g_uint64_checked_add (&bytes, bytes, DESCRIPTION_BYTES))
    return G_MAXUINT64;
  return bytes;
}

static gboolean
see_the_same (const TlPhantomScan *scan, double z0, double z1)
{
  for (size_t i = 0; i < scan->n_shapes; i++)
    {
      const TlEllipse *shape = &scan->shapes[i];

      if ((z0 >= shape->z0 && z0 < shape->z1)
          != (z1 >= shape->z0 && z1 < shape->z1))
        return FALSE;
    }
  return TRUE;
}

static void
find_bands (Job *job)
{
  g_autoptr (GArray) bands = g_array_new (FALSE, FALSE, sizeof (Band));

  for (size_t row = 0; row < job->scan->n_rows; row++)
    {
      const double z = tl_phantom_scan_height (job->scan, row);
      Band *last =
          bands->len > 0 ? &g_array_index (bands, Band, bands->len - 1) : NULL;

      if (last != NULL && job->scan->tilt_deg == 0.0
          && see_the_same (job->scan, last->z, z))
        last->end_row = row + 1;
      else
        {
          const Band band = { row, row + 1, z };

          g_array_append_val (bands, band);
        }
    }
  job->bands = g_array_steal (bands, &job->n_bands);
}

static void
free_scratch (Scratch *scratch)
{
  if (scratch == NULL)
    return;
  g_free (scratch->shape_rows);
  g_free (scratch->sum);
  g_free (scratch->transmissions);
  g_free (scratch->lowest);
  g_free (scratch->chunk);
  g_free (scratch);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Scratch, free_scratch)

static Scratch *
new_scratch (Job *job, GError **error)
{
  const char *const what = _ ("one projection");
  const size_t n_cols = job->scan->n_cols;
  g_autoptr (Scratch) scratch = g_new0 (Scratch, 1);

  scratch->job = job;
  scratch->chunk_rows = CLAMP (CHUNK_BYTES / 2 / n_cols, 1, job->scan->n_rows);
  scratch->lowest = g_new (float, job->n_bands);
  scratch->shape_rows = tl_try_alloc (1, job->scan->n_shapes, n_cols,
                                      sizeof (double), what, error);
  scratch->sum = tl_try_alloc (1, 1, n_cols, sizeof (double), what, error);
  scratch->transmissions =
      tl_try_alloc (1, job->n_bands, n_cols, sizeof (float), what, error);
  scratch->chunk = tl_try_alloc (1, scratch->chunk_rows, n_cols,
                                 sizeof (guint16), what, error);
  if (scratch->shape_rows == NULL || scratch->sum == NULL
      || scratch->transmissions == NULL || scratch->chunk == NULL)
    return NULL;
  return g_steal_pointer (&scratch);
}

/* Computes the transmissions of @band from the line integrals in
 * scratch->sum. */
static void
transmit (Scratch *scratch, size_t band)
{
  const size_t n_cols = scratch->job->scan->n_cols;
  float *transmission = scratch->transmissions + band * n_cols;

  scratch->lowest[band] = G_MAXFLOAT;
  for (size_t col = 0; col < n_cols; col++)
    {
      transmission[col] = (float)exp (-scratch->sum[col]);
      scratch->lowest[band] = MIN (scratch->lowest[band], transmission[col]);
    }
}

/* A row of the detector crosses the heights of the phantom when the axis is
 * tilted. With x and y counted from the centre in the middle row, the ray at
 * (x, y) passes the axis at x cos tilt - y sin tilt, and x sin tilt + y cos
 * tilt below the middle. Above the first slice and below the last, the
 * phantom continues as in these slices. */
static void
project_slantwise (Scratch *scratch, double radius, double angle_rad,
                   size_t row)
{
  const TlPhantomScan *scan = scratch->job->scan;
  const size_t n_cols = scan->n_cols;
  const double c = cos (scan->tilt_deg * G_PI / 180.0);
  const double s = sin (scan->tilt_deg * G_PI / 180.0);
  const double y = (double)row - ((double)scan->n_rows - 1.0) / 2.0;
  const double height = (double)scan->n_rows;
  const double first = 0.5 / height, last = 1.0 - first;
  double *line =
      scratch->shape_rows; /* line integrals of one shape at a time */

  memset (scratch->sum, 0, n_cols * sizeof *scratch->sum);
  for (size_t i = 0; i < scan->n_shapes; i++)
    {
      const TlEllipse *shape = &scan->shapes[i];

      memset (line, 0, n_cols * sizeof *line);
      tl_ellipse_add_row (shape, radius, angle_rad,
                          -scan->centre_col * c - y * s, c, n_cols, line);
      for (size_t col = 0; col < n_cols; col++)
        {
          const double below = ((double)col - scan->centre_col) * s + y * c;
          const double z = CLAMP (0.5 + below / height, first, last);

          if (z >= shape->z0 && z < shape->z1)
            scratch->sum[col] += line[col];
        }
    }
}

/* Projects each shape once and then adds it up for each band: most bands
 * share most shapes. */
static void
project (Scratch *scratch, size_t projection)
{
  const Job *job = scratch->job;
  const TlPhantomScan *scan = job->scan;
  const size_t n_cols = scan->n_cols;
  const double radius = tl_phantom_scan_radius (scan);
  const double angle_rad =
      tl_phantom_scan_angle (scan, projection) * G_PI / 180.0;

  for (size_t row = 0; scan->tilt_deg != 0.0 && row < scan->n_rows; row++)
    {
      project_slantwise (scratch, radius, angle_rad, row);
      transmit (scratch, row);
    }
  if (scan->tilt_deg != 0.0)
    return;

  memset (scratch->shape_rows, 0,
          scan->n_shapes * n_cols * sizeof *scratch->shape_rows);
  for (size_t i = 0; i < scan->n_shapes; i++)
    tl_ellipse_add_row (&scan->shapes[i], radius, angle_rad, -scan->centre_col,
                        1.0, n_cols, scratch->shape_rows + i * n_cols);
  for (size_t b = 0; b < job->n_bands; b++)
    {
      const double z = job->bands[b].z;

      memset (scratch->sum, 0, n_cols * sizeof *scratch->sum);
      for (size_t i = 0; i < scan->n_shapes; i++)
        if (z >= scan->shapes[i].z0 && z < scan->shapes[i].z1)
          for (size_t col = 0; col < n_cols; col++)
            scratch->sum[col] += scratch->shape_rows[i * n_cols + col];
      transmit (scratch, b);
    }
}

typedef enum
{
  FRAME_PROJECTION,
  FRAME_FLAT,
  FRAME_DARK
} FrameKind;

/* Returns: the band of @row, at @band or after it. @band: the band of @row
 * or of a row above it */
static const Band *
find_band (const Band *band, size_t row)
{
  while (row >= band->end_row)
    band++;
  return band;
}

static gboolean
write_frame (Scratch *scratch, FrameKind kind, size_t index, guint64 offset,
             GError **error)
{
  const Job *job = scratch->job;
  const size_t n_rows = job->scan->n_rows, n_cols = job->scan->n_cols;
  const size_t row_bytes = n_cols * sizeof *scratch->chunk;
  const guint64 frame = ((guint64)kind << 32) + index;
  const Band *band = job->bands;

  if (kind == FRAME_PROJECTION)
    project (scratch, index);
  else
    for (size_t col = 0; col < n_cols; col++)
      scratch->transmissions[col] = 1.0f;

  offset += index * n_rows * row_bytes;
  for (size_t row = 0; row < n_rows; row += scratch->chunk_rows)
    {
      const size_t n = MIN (scratch->chunk_rows, n_rows - row);

      for (size_t i = 0; i < n; i++)
        {
          const float *transmission = scratch->transmissions;
          float lowest = 1.0f;

          if (kind == FRAME_PROJECTION)
            {
              band = find_band (band, row + i);
              transmission += (size_t)(band - job->bands) * n_cols;
              lowest = scratch->lowest[band - job->bands];
            }
          tl_detector_read_row (job->detector, frame, row + i,
                                kind != FRAME_DARK ? transmission : NULL,
                                lowest, scratch->chunk + i * n_cols);
        }
      if (!tl_write_at (job->file->fd, job->file->path, scratch->chunk,
                        n * row_bytes, offset + row * row_bytes, error))
        return FALSE;
    }
  return TRUE;
}

/* The order is that of the file: flats and darks come first. */
static gboolean
write_nth_frame (Scratch *scratch, size_t n, GError **error)
{
  const Job *job = scratch->job;
  const size_t n_flats = job->scan->n_flats, n_darks = job->scan->n_darks;

  if (g_cancellable_set_error_if_cancelled (job->cancellable, error))
    return FALSE;
  if (n < n_flats)
    return write_frame (scratch, FRAME_FLAT, n, job->offsets.flats, error);
  n -= n_flats;
  if (n < n_darks)
    return write_frame (scratch, FRAME_DARK, n, job->offsets.darks, error);
  return write_frame (scratch, FRAME_PROJECTION, n - n_darks,
                      job->offsets.projections, error);
}

static size_t
count_frames (const TlPhantomScan *scan)
{
  return scan->n_flats + scan->n_darks + scan->n_projections;
}

static gpointer
write_frames (gpointer data)
{
  g_autoptr (Scratch) scratch = data;
  Job *job = scratch->job;

  for (;;)
    {
      const size_t n = (size_t)g_atomic_pointer_add (&job->next_frame, 1);
      GError *error = NULL;

      if (n >= count_frames (job->scan))
        return NULL;
      write_nth_frame (scratch, n, &error);
      g_async_queue_push (job->done, error != NULL ? (gpointer)error : job);
    }
}

/* Waits until all frames are written, or until one of them fails. */
static gboolean
wait_for_frames (Job *job, TlProgress progress, gpointer user_data,
                 GError **error)
{
  const size_t n_frames = count_frames (job->scan);

  for (size_t n = 0; n < n_frames; n++)
    {
      gpointer done = g_async_queue_pop (job->done);

      if (done != job)
        {
          g_propagate_error (error, done);
          return FALSE;
        }
      if (progress != NULL)
        progress ((double)(n + 1) / (double)n_frames, user_data);
    }
  return TRUE;
}

/* Continues with fewer threads if the system cannot start more. */
static gboolean
run_threads (Job *job, TlProgress progress, gpointer user_data, GError **error)
{
  const size_t n_frames = count_frames (job->scan);
  const size_t n_threads = MIN (g_get_num_processors (), n_frames);
  g_autoptr (GPtrArray) threads = g_ptr_array_new ();
  g_autoptr (GError) first_error = NULL;

  for (size_t i = 0; i < n_threads && first_error == NULL; i++)
    {
      Scratch *scratch = new_scratch (job, &first_error);
      GThread *thread = scratch == NULL
                            ? NULL
                            : g_thread_try_new ("phantom", write_frames,
                                                scratch, &first_error);

      if (thread != NULL)
        g_ptr_array_add (threads, thread);
      else
        free_scratch (scratch);
    }
  if (threads->len == 0)
    {
      g_autofree char *shown = g_filename_display_name (job->file->path);

      return tl_fail (error, TL_ERROR_MEMORY, _ ("%s: cannot be made: %s"),
                      shown, first_error->message);
    }
  const gboolean ok = wait_for_frames (job, progress, user_data, error);
  /* After an error the threads take no more frames. */
  g_atomic_pointer_set (&job->next_frame, n_frames);
  for (guint i = 0; i < threads->len; i++)
    g_thread_join (threads->pdata[i]);
  for (gpointer left; (left = g_async_queue_try_pop (job->done)) != NULL;)
    if (left != job)
      g_error_free (left); /* only the first error is reported */
  return ok;
}

gboolean
tl_phantom_write_scan (const char *path, const TlPhantomScan *scan,
                       TlProgress progress, gpointer user_data,
                       GCancellable *cancellable, GError **error)
{
  g_autoptr (GAsyncQueue) done = g_async_queue_new ();
  Job job = { .scan = scan, .cancellable = cancellable, .done = done };

  g_return_val_if_fail (path != NULL && scan != NULL, FALSE);
  g_return_val_if_fail (scan->shapes != NULL || scan->n_shapes == 0, FALSE);

  if (!tl_phantom_scan_check (path, scan, error)
      || !tl_check_room (path, count_bytes (scan), error))
    return FALSE;
  g_autoptr (TlDetector) detector = tl_detector_new (
      scan->n_rows, scan->n_cols, scan->noise_counts, scan->seed, error);
  if (detector == NULL)
    return FALSE;
  g_autoptr (TlPartFile) file = tl_part_file_open (path, error);
  /* HDF5 1.10 never closes a file that it failed to write, so check size and
   * room before it is created. */
  if (file == NULL || !tl_part_file_try_size (file, count_bytes (scan), error)
      || !tl_exchange_create (file->part_path, path, scan, &job.offsets, error))
    return FALSE;

  job.detector = detector;
  job.file = file;
  find_bands (&job);
  gboolean ok = run_threads (&job, progress, user_data, error)
                && tl_part_file_commit (file, TRUE, error);
  g_free (job.bands);
  return ok;
}
