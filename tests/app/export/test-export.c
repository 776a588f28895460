/* What an export makes of the same scan with different settings: compared with
 * the plain volume. */
#include "tests/app/recon/recon-fixture.h"

#include "app/background/time-left.h"
#include "app/export/join.h"
#include "app/export/part.h"
#include "app/export/sampler.h"
#include "app/pipeline/writers.h"
#include "app/recon/rows.h"
#include "tests/app/scratch.h"
#include "tests/support/open-files.h"

#include "data/error.h"
#include "data/phantom/phantom.h"
#include "data/write/staging.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

/* Odd, and not multiples of a bin. */
enum
{
  N_PROJECTIONS = 31,
  N_ROWS = 21,
  N_COLS = 45
};

/* Of the largest pixel: positions of a region are rounded elsewhere. */
#define TOLERANCE 1e-5

typedef struct
{
  size_t n[3];
  float *pixels;
} Volume;

static void
volume_clear (Volume *volume)
{
  g_free (volume->pixels);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Volume, volume_clear)

/* --- memory that is always pinned --- */

static GMutex pinned_mutex;
static GHashTable *pinned;     /* the memory that is pinned now */
static guint n_pinned;         /* how often memory was pinned */
static guint n_unpinned;       /* reads into other memory, and loads from it */
static gint n_loads, n_loaded; /* atomic: blocks, and their rows */

gboolean __real_tl_engine_pin (const char *name, void *memory, size_t bytes);
gboolean __wrap_tl_engine_pin (const char *name, void *memory, size_t bytes);
void __real_tl_engine_unpin (const char *name, void *memory);
void __wrap_tl_engine_unpin (const char *name, void *memory);
gboolean __real_tl_engine_load (TlEngine *engine, const TlBlock *block,
                                GError **error);
gboolean __wrap_tl_engine_load (TlEngine *engine, const TlBlock *block,
                                GError **error);

/* host does not pin anything, and copies from any memory. */
gboolean
__wrap_tl_engine_pin (const char *name, void *memory, size_t bytes)
{
  g_mutex_lock (&pinned_mutex);
  g_assert_true (g_hash_table_add (pinned, memory));
  n_pinned++;
  g_mutex_unlock (&pinned_mutex);
  memset (memory, 0xff, bytes); /* nothing is in it that is needed */
  __real_tl_engine_pin (name, memory, bytes);
  return TRUE;
}

void
__wrap_tl_engine_unpin (const char *name, void *memory)
{
  g_mutex_lock (&pinned_mutex);
  g_assert_true (g_hash_table_remove (pinned, memory));
  g_mutex_unlock (&pinned_mutex);
  __real_tl_engine_unpin (name, memory);
}

static void
count_unpinned (const void *memory)
{
  g_mutex_lock (&pinned_mutex);
  if (!g_hash_table_contains (pinned, memory))
    n_unpinned++;
  g_mutex_unlock (&pinned_mutex);
}

gboolean
__wrap_tl_engine_load (TlEngine *engine, const TlBlock *block, GError **error)
{
  count_unpinned (block->is_pinned ? block->samples : NULL);
  g_atomic_int_inc (&n_loads);
  g_atomic_int_add (&n_loaded, (gint)block->n_rows);
  return __real_tl_engine_load (engine, block, error);
}

/* --- a storage that fails --- */

static size_t first_lost = G_MAXSIZE, end_lost; /* rows that cannot be read */
static TlError lost_code = TL_ERROR_FILE;
static gint n_spared; /* atomic: reads of them that do succeed */
static gint n_stored; /* atomic: slices that were written */

gboolean __real_tl_rows_read (TlRows *rows, TlReader *reader,
                              const TlPrefetch *prefetch, size_t first_row,
                              size_t n_rows, size_t margin, guint every,
                              GCancellable *cancellable, GError **error);
gboolean __wrap_tl_rows_read (TlRows *rows, TlReader *reader,
                              const TlPrefetch *prefetch, size_t first_row,
                              size_t n_rows, size_t margin, guint every,
                              GCancellable *cancellable, GError **error);

gboolean
__wrap_tl_rows_read (TlRows *rows, TlReader *reader, const TlPrefetch *prefetch,
                     size_t first_row, size_t n_rows, size_t margin,
                     guint every, GCancellable *cancellable, GError **error)
{
  count_unpinned (rows->samples);
  if (first_row < end_lost && first_row + n_rows > first_lost
      && g_atomic_int_add (&n_spared, -1) <= 0)
    {
      /* Something is written before the storage is lost. */
      while ((n_rows == 1 || (lost_code == TL_ERROR_DAMAGE && first_row > 0))
             && g_atomic_int_get (&n_stored) == 0)
        g_usleep (1000);
      return tl_fail (error, lost_code, "the storage is gone");
    }
  return __real_tl_rows_read (rows, reader, prefetch, first_row, n_rows, margin,
                              every, cancellable, error);
}

/* --- a storage that waits --- */

static gint wait_us;     /* atomic: of each slice that is written */
static gint refuses_nan; /* atomic: slices of NaN cannot be written */

/* (nullable): is written to with the next slice. */
static const char *rewritten; /* atomic */
static gboolean grows;        /* and gets longer */

static void
rewrite (const char *path)
{
  FILE *file = g_fopen (path, grows ? "ab" : "r+b");
  g_assert_nonnull (file);
  g_assert_cmpuint (fwrite ("\x89", 1, 1, file), ==, 1); /* as HDF5 begins */
  g_assert_cmpint (fclose (file), ==, 0);
}

gboolean __real_tl_volume_write (TlVolume *volume, size_t slice,
                                 const float *pixels, guint32 *crc32,
                                 GError **error);
gboolean __wrap_tl_volume_write (TlVolume *volume, size_t slice,
                                 const float *pixels, guint32 *crc32,
                                 GError **error);

gboolean
__wrap_tl_volume_write (TlVolume *volume, size_t slice, const float *pixels,
                        guint32 *crc32, GError **error)
{
  g_usleep ((gulong)g_atomic_int_get (&wait_us));
  if (g_atomic_int_get (&refuses_nan) && isnan (pixels[0]))
    return tl_fail (error, TL_ERROR_FILE, "the disk is full");
  const char *path = g_atomic_pointer_exchange (&rewritten, NULL);
  if (path != NULL)
    rewrite (path);
  g_atomic_int_inc (&n_stored);
  return __real_tl_volume_write (volume, slice, pixels, crc32, error);
}

/* --- an engine that rounds otherwise --- */

static gboolean rounds_otherwise;

gboolean __real_tl_sampler_find_range (TlSampler *sampler, double low_percent,
                                       double high_percent, double *low,
                                       double *high, GError **error);
gboolean __wrap_tl_sampler_find_range (TlSampler *sampler, double low_percent,
                                       double high_percent, double *low,
                                       double *high, GError **error);

gboolean
__wrap_tl_sampler_find_range (TlSampler *sampler, double low_percent,
                              double high_percent, double *low, double *high,
                              GError **error)
{
  const gboolean good = __real_tl_sampler_find_range (
      sampler, low_percent, high_percent, low, high, error);
  if (rounds_otherwise)
    *high *= 1 + 1e-7;
  return good;
}

/* --- a storage without hard links --- */

static gboolean has_no_links;
static guint64 room_bytes; /* free; 0: as it is */

int __real_link (const char *from, const char *to);
int __wrap_link (const char *from, const char *to);

int
__wrap_link (const char *from, const char *to)
{
  errno = EPERM;
  return has_no_links ? -1 : __real_link (from, to);
}

gboolean __real_tl_get_room (const char *path, guint64 *free_bytes,
                             GError **error);
gboolean __wrap_tl_get_room (const char *path, guint64 *free_bytes,
                             GError **error);

gboolean
__wrap_tl_get_room (const char *path, guint64 *free_bytes, GError **error)
{
  const gboolean good = __real_tl_get_room (path, free_bytes, error);
  if (room_bytes > 0)
    *free_bytes = room_bytes;
  return good;
}

/* --- a storage that keeps open files --- */

gboolean __real_tl_staging_commit (TlStaging *staging, const char *const *names,
                                   const char *replaces, GError **error);
gboolean __wrap_tl_staging_commit (TlStaging *staging, const char *const *names,
                                   const char *replaces, GError **error);

gboolean
__wrap_tl_staging_commit (TlStaging *staging, const char *const *names,
                          const char *replaces, GError **error)
{
  const char *hidden = tl_staging_get_path (staging);
  g_autofree char *lock = g_build_filename (hidden, ".lock", NULL);
  g_autofree char *file = find_open_file (hidden, lock);
  g_assert_cmpstr (file, ==, NULL);
  return __real_tl_staging_commit (staging, names, replaces, error);
}

/* --- the scan --- */

static gboolean
set_up (TlReconFixture *fixture, const char *engine)
{
  g_autoptr (GError) error = NULL;
  TlPhantomScan scan;
  if (!tl_recon_fixture_init (fixture, engine))
    return FALSE;
  tl_phantom_scan_init (&scan, N_PROJECTIONS, N_ROWS, N_COLS);
  g_autofree char *path = tl_scratch_path (fixture->folder, "scan.h5");
  tl_phantom_write_scan (path, &scan, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  tl_recon_fixture_open (fixture, path);
  return TRUE;
}

static void
run_job (const TlExportJob *job, TlExportReport *report)
{
  g_autoptr (GError) error = NULL;
  tl_export (job, NULL, NULL, NULL, NULL, report, &error);
  g_assert_no_error (error);
}

/* Returns: the volume that @job, which is for raw floats, has made */
static Volume
export_volume (const TlExportJob *job)
{
  g_auto (TlExportReport) report = { 0 };
  g_autoptr (GError) error = NULL;
  char *bytes;
  gsize n_bytes;
  run_job (job, &report);
  Volume volume = { { report.volume.n_slices, report.volume.n_rows,
                      report.volume.n_cols } };
  g_file_get_contents (job->path, &bytes, &n_bytes, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (n_bytes, ==,
                    volume.n[0] * volume.n[1] * volume.n[2] * sizeof (float));
  volume.pixels = (float *)(gpointer)bytes;
  return volume;
}

static TlExportJob
make_job (TlReconFixture *fixture, const char *path)
{
  TlExportJob job = tl_recon_fixture_job (fixture, 0, N_ROWS, path);
  job.settings.format = TL_VOLUME_RAW;
  job.overwrites = TRUE;
  return job;
}

static float
get (const Volume *volume, size_t z, size_t y, size_t x)
{
  g_assert_cmpuint (z, <, volume->n[0]);
  g_assert_cmpuint (y, <, volume->n[1]);
  g_assert_cmpuint (x, <, volume->n[2]);
  return volume->pixels[(z * volume->n[1] + y) * volume->n[2] + x];
}

/* The pixel at slice @z, row @y, column @x of an export with @settings is made
 * of these voxels of the plain volume. */
static double
find_wanted (const Volume *plain, const TlExportSettings *settings, size_t z,
             size_t y, size_t x)
{
  const size_t b = settings->binning;
  const double middle = ((double)N_COLS - 1) / 2, radius = N_COLS / 2.0;
  double sum = 0;
  for (size_t k = 0; k < b * b * b; k++)
    {
      const size_t row = settings->region_row + y * b + k / b % b;
      const size_t col = settings->region_col + x * b + k % b;
      const double distance =
          hypot ((double)row - middle, (double)col - middle);
      if (!settings->masks || distance <= radius)
        sum += (double)get (plain,
                            settings->first_row
                                + (z * b + k / b / b) * settings->row_step,
                            row, col);
    }
  return sum / (double)(b * b * b);
}

static void
assert_as_wanted (const Volume *got, const Volume *plain,
                  const TlExportSettings *settings)
{
  double largest = 0, worst = 0;
  for (size_t i = 0; i < plain->n[0] * plain->n[1] * plain->n[2]; i++)
    largest = fmax (largest, fabs ((double)plain->pixels[i]));
  for (size_t i = 0; i < got->n[0]; i++)
    for (size_t j = 0; j < got->n[1]; j++)
      for (size_t k = 0; k < got->n[2]; k++)
        {
          const double want = settings->plane == TL_PLANE_XY
                                  ? find_wanted (plain, settings, i, j, k)
                              : settings->plane == TL_PLANE_XZ
                                  ? find_wanted (plain, settings, j, i, k)
                                  : find_wanted (plain, settings, j, k, i);
          worst = fmax (worst, fabs ((double)get (got, i, j, k) - want));
        }
  g_assert_cmpfloat (worst, <=, TOLERANCE * largest);
}

/* --- cases --- */

static void
test_settings (gconstpointer engine)
{
  static const TlExportSettings cases[] = {
    { .masks = TRUE },
    { .binning = 2 },
    { .binning = 4, .masks = TRUE },
    { .first_row = 3, .n_rows = 5, .row_step = 4 },
    { .region_row = 3,
      .region_col = 8,
      .region_n_rows = 30,
      .region_n_cols = 17 },
    { .plane = TL_PLANE_XZ },
    { .plane = TL_PLANE_YZ, .masks = TRUE },
    { .plane = TL_PLANE_XZ,
      .binning = 2,
      .region_row = 3,
      .region_col = 8,
      .region_n_rows = 31,
      .region_n_cols = 17 },
    { .plane = TL_PLANE_YZ,
      .first_row = 2,
      .n_rows = 7,
      .region_row = 3,
      .region_col = 8,
      .region_n_rows = 31,
      .region_n_cols = 17 },
  };
  TlReconFixture fixture;
  if (!set_up (&fixture, engine))
    return;
  g_autofree char *plain_path = tl_scratch_path (fixture.folder, "plain.raw");
  g_autofree char *path = tl_scratch_path (fixture.folder, "volume.raw");
  TlExportJob job = make_job (&fixture, plain_path);
  g_auto (Volume) plain = export_volume (&job);
  job.path = path;
  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      TlExportSettings *settings = &job.settings;
      *settings = cases[k];
      settings->format = TL_VOLUME_RAW;
      if (settings->n_rows == 0)
        settings->n_rows = N_ROWS;
      settings->row_step = MAX (settings->row_step, 1);
      settings->binning = MAX (settings->binning, 1);
      g_auto (Volume) got = export_volume (&job);
      assert_as_wanted (&got, &plain, settings);
    }
  tl_recon_fixture_clear (&fixture);
}

/* A quarter of a turn, counter-clockwise: what was at the right is on top. */
static void
test_rotation (gconstpointer engine)
{
  TlReconFixture fixture;
  if (!set_up (&fixture, engine))
    return;
  g_autofree char *path = tl_scratch_path (fixture.folder, "volume.raw");
  TlExportJob job = make_job (&fixture, path);
  g_auto (Volume) plain = export_volume (&job);
  job.settings.rotation_deg = 90;
  g_auto (Volume) got = export_volume (&job);
  double worst = 0, largest = 0;
  for (size_t y = 0; y < N_COLS; y++)
    for (size_t x = 0; x < N_COLS; x++)
      {
        const double want = (double)get (&plain, 5, x, N_COLS - 1 - y);
        worst = fmax (worst, fabs ((double)get (&got, 5, y, x) - want));
        largest = fmax (largest, fabs (want));
      }
  g_assert_cmpfloat (worst, <=, 100 * TOLERANCE * largest);
  tl_recon_fixture_clear (&fixture);
}

/* Returns: the largest budget with which one pass is not enough */
static guint64
find_small_budget (TlReconFixture *fixture, const TlExportJob *job)
{
  const TlScanInfo *info =
      tl_reader_get_info (tl_recon_get_reader (fixture->recon));
  g_auto (GStrv) engines =
      tl_pipeline_choose_engines (job->recipe->engine, job->n_devices, NULL);
  guint64 small = 1, enough = (guint64)64 << 30;
  while (enough - small > 1)
    {
      const guint64 bytes = small + (enough - small) / 2;
      TlExportPlan plan;
      if (tl_export_plan_make (&job->settings, &job->recipe->params, info,
                               (const char *const *)engines, bytes, 0, &plan,
                               NULL)
          && plan.n_passes == 1)
        enough = bytes;
      else
        small = bytes;
    }
  return small;
}

/* With little memory, a stack of another plane takes several passes, and is the
 * same. A budget that is too small is refused with one that does. */
static void
test_budget (gconstpointer engine)
{
  TlReconFixture fixture;
  g_autoptr (GError) error = NULL;
  if (!set_up (&fixture, engine))
    return;
  g_autofree char *path = tl_scratch_path (fixture.folder, "volume.raw");
  TlExportJob job = make_job (&fixture, path);
  job.settings.plane = TL_PLANE_XZ;
  g_auto (Volume) whole = export_volume (&job);
  const guint64 all_bytes = N_ROWS * N_COLS * N_COLS * sizeof (float);
  job.budget_bytes = find_small_budget (&fixture, &job);
  g_auto (TlExportReport) twice = { 0 };
  run_job (&job, &twice);
  g_assert_cmpuint (twice.plan.n_passes, >=, 2);
  g_assert_cmpuint (twice.plan.memory_bytes, <=, job.budget_bytes);
  g_auto (Volume) parts = export_volume (&job);
  /* a GPU rounds the positions of another region in another way */
  if (g_str_equal (engine, "host"))
    g_assert_cmpmem (whole.pixels, all_bytes, parts.pixels, all_bytes);
  double largest = 0, worst = 0;
  for (size_t i = 0; i < N_ROWS * N_COLS * N_COLS; i++)
    {
      const double want = (double)whole.pixels[i];
      worst = fmax (worst, fabs ((double)parts.pixels[i] - want));
      largest = fmax (largest, fabs (want));
    }
  g_assert_cmpfloat (worst, <=, TOLERANCE * largest);
  job.budget_bytes = 1000 * 1000;
  g_auto (TlExportReport) refused = { 0 };
  g_assert_false (tl_export (&job, NULL, NULL, NULL, NULL, &refused, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_MEMORY);
  g_assert_nonnull (strstr (error->message, ": allow "));
  tl_recon_fixture_clear (&fixture);
}

/* Integers: pixels beyond the range are clipped and counted. */
static void
test_integers (gconstpointer engine)
{
  TlReconFixture fixture;
  if (!set_up (&fixture, engine))
    return;
  g_autofree char *plain_path = tl_scratch_path (fixture.folder, "plain.raw");
  g_autofree char *path = tl_scratch_path (fixture.folder, "volume.raw");
  TlExportJob job = make_job (&fixture, plain_path);
  g_auto (Volume) plain = export_volume (&job);
  job.path = path;
  job.settings.sample = TL_VOLUME_U16;
  job.settings.low_percent = 5;
  job.settings.high_percent = 80;
  g_auto (TlExportReport) report = { 0 };
  run_job (&job, &report);
  const double low = report.volume.low, high = report.volume.high;
  g_autofree char *bytes = NULL;
  g_assert_true (g_file_get_contents (path, &bytes, NULL, NULL));
  const guint16 *samples = (const guint16 *)(gpointer)bytes;
  const size_t n = N_ROWS * N_COLS * N_COLS;
  size_t n_below = 0, n_above = 0;
  for (size_t i = 0; i < n; i++)
    {
      const double pixel = (double)plain.pixels[i];
      const double want = CLAMP (pixel, low, high);
      const double got = low + samples[i] * (high - low) / G_MAXUINT16;
      n_below += pixel < low;
      n_above += pixel > high;
      g_assert_cmpfloat (fabs (got - want), <=,
                         0.501 * (high - low) / G_MAXUINT16);
    }
  g_assert_cmpuint (report.tally.n_below, ==, n_below);
  g_assert_cmpuint (report.tally.n_above, ==, n_above);
  g_assert_cmpfloat (fabs ((double)n_below / (double)n - 0.05), <, 0.04);
  g_assert_cmpfloat (fabs ((double)n_above / (double)n - 0.20), <, 0.08);
  tl_recon_fixture_clear (&fixture);
}

/* An export that resumes takes over the range with which the volume was begun,
 * also on an engine that finds another one; other percentiles are refused. */
static void
test_range_kept (gconstpointer engine)
{
  TlReconFixture fixture;
  g_autoptr (GError) error = NULL;
  if (!set_up (&fixture, engine))
    return;
  g_autofree char *path = tl_scratch_path (fixture.folder, "volume.raw");
  TlExportJob job = make_job (&fixture, path);
  job.settings.sample = TL_VOLUME_U16;
  job.settings.low_percent = 5;
  job.settings.high_percent = 80;
  job.settings.row_step = 4; /* blocks of one row */
  job.settings.n_rows = 6;
  job.is_strict = TRUE;
  first_lost = N_ROWS - 1;
  end_lost = N_ROWS;
  g_atomic_int_set (&n_spared, 1); /* for the range */
  g_atomic_int_set (&n_stored, 0);
  g_auto (TlExportReport) begun = { 0 };
  g_assert_false (tl_export (&job, NULL, NULL, NULL, NULL, &begun, &error));
  g_clear_error (&error);
  first_lost = G_MAXSIZE;
  g_assert_cmpuint (begun.n_slices, >, 0);
  rounds_otherwise = TRUE;
  job.resumes = TRUE;
  job.settings.high_percent = 90;
  g_auto (TlExportReport) other = { 0 };
  g_assert_false (tl_export (&job, NULL, NULL, NULL, NULL, &other, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);
  g_assert_nonnull (strstr (error->message, "other settings"));
  job.settings.high_percent = 80;
  g_auto (TlExportReport) resumed = { 0 };
  run_job (&job, &resumed);
  rounds_otherwise = FALSE;
  g_assert_cmpuint (resumed.n_resumed, ==, begun.n_slices);
  g_assert_true (resumed.volume.low == begun.volume.low
                 && resumed.volume.high == begun.volume.high);
  tl_recon_fixture_clear (&fixture);
}

/* Rows that cannot be read are named and become NaN; the others are as they
 * are without them. */
static void
test_lost_rows (gconstpointer engine)
{
  TlReconFixture fixture;
  if (!set_up (&fixture, engine))
    return;
  g_autofree char *plain_path = tl_scratch_path (fixture.folder, "plain.raw");
  g_autofree char *path = tl_scratch_path (fixture.folder, "volume.raw");
  TlExportJob job = make_job (&fixture, plain_path);
  g_auto (Volume) plain = export_volume (&job);
  job.path = path;
  first_lost = 9;
  end_lost = 11;
  g_auto (TlExportReport) report = { 0 };
  run_job (&job, &report);
  g_assert_cmpuint (report.failures->len, ==, 2);
  g_assert_nonnull (strstr (report.failures->pdata[0],
                            "slice 9 cannot be made: the storage is gone"));
  g_auto (Volume) got = export_volume (&job);
  first_lost = G_MAXSIZE;
  double largest = 0;
  for (size_t i = 0; i < N_ROWS * N_COLS * N_COLS; i++)
    largest = fmax (largest, fabs ((double)plain.pixels[i]));
  for (size_t z = 0; z < N_ROWS; z++)
    for (size_t i = 0; i < N_COLS * N_COLS; i++)
      {
        const double pixel = (double)got.pixels[z * N_COLS * N_COLS + i];
        const double want = (double)plain.pixels[z * N_COLS * N_COLS + i];
        if (z == 9 || z == 10)
          g_assert_true (isnan (pixel));
        else
          g_assert_cmpfloat (fabs (pixel - want), <=, TOLERANCE * largest);
      }
  tl_recon_fixture_clear (&fixture);
}

static void
put_slice (const TlExportPlan *plan, gpointer path)
{
  g_mkdir (path, 0777);
  g_autofree char *slice = tl_scratch_path (path, "recon_00000.tiff");
  g_assert_true (g_file_set_contents (slice, "mine", -1, NULL));
}

/* What put_slice() has put there. */
static void
take_away (const char *path)
{
  g_autofree char *slice = tl_scratch_path (path, "recon_00000.tiff");
  g_assert_cmpint (g_unlink (slice) + g_rmdir (path), ==, 0);
}

/* A row that fails in the second of two passes only is named, once. Where all
 * rows of a pass fail, so does the export. */
static void
test_lost_later (gconstpointer engine)
{
  TlReconFixture fixture;
  g_autoptr (GError) error = NULL;
  if (!set_up (&fixture, engine))
    return;
  g_autofree char *path = tl_scratch_path (fixture.folder, "volume.raw");
  TlExportJob job = make_job (&fixture, path);
  job.settings.plane = TL_PLANE_XZ;
  job.settings.first_row = 9;
  job.settings.n_rows = 3;
  job.budget_bytes = find_small_budget (&fixture, &job);
  first_lost = 9;
  end_lost = 10;
  g_atomic_int_set (&n_spared, 1);
  g_auto (TlExportReport) report = { 0 };
  run_job (&job, &report);
  g_assert_cmpuint (report.plan.n_passes, ==, 2);
  g_assert_cmpuint (report.failures->len, ==, 1);
  g_assert_nonnull (
      strstr (report.failures->pdata[0], "slice 9 cannot be made"));
  end_lost = 12;
  g_atomic_int_set (&n_spared, 1);
  g_auto (TlExportReport) gone = { 0 };
  g_assert_false (tl_export (&job, NULL, NULL, NULL, NULL, &gone, &error));
  g_assert_nonnull (strstr (error->message, "the storage is gone"));
  first_lost = G_MAXSIZE;
  tl_recon_fixture_clear (&fixture);
}

static void
damage_start (const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  const int fd = g_open (path, O_WRONLY, 0);
  g_assert_cmpint (pwrite (fd, "damage", 6, 0), ==, 6);
  close (fd);
}

/* Rows that could not be made are named by the export that goes on, too, also
 * where nothing else is left to be made but a slice that was damaged. */
static void
test_lost_before (gconstpointer engine)
{
  TlReconFixture fixture;
  g_autoptr (GError) error = NULL;
  if (!set_up (&fixture, engine))
    return;
  g_autofree char *path = tl_scratch_path (fixture.folder, "volume.raw");
  TlExportJob job = make_job (&fixture, path);
  job.settings.row_step = 2;
  job.settings.n_rows = 8;
  job.resumes = TRUE;
  first_lost = 8;
  end_lost = 9;
  for (int k = 0; k < 2; k++)
    {
      g_auto (TlExportReport) report = { 0 };
      g_atomic_int_set (&refuses_nan, TRUE);
      g_assert_false (
          tl_export (&job, NULL, NULL, NULL, NULL, &report, &error));
      g_assert_nonnull (strstr (error->message, "the disk is full"));
      g_clear_error (&error);
      g_assert_cmpuint (report.n_slices, ==, 7);
      g_assert_nonnull (report.kept_path);
      g_assert_cmpuint (report.failures->len, ==, 1);
      if (k == 1)
        damage_start (report.kept_path, "volume.raw");
    }
  g_atomic_int_set (&refuses_nan, FALSE);
  g_auto (TlExportReport) report = { 0 };
  run_job (&job, &report);
  g_assert_cmpuint (report.n_resumed, ==, 6);
  g_assert_cmpstr (report.damaged, ==,
                   "1 kept slice was damaged and is made again: slice 0");
  g_assert_cmpuint (report.failures->len, ==, 1);
  tl_recon_fixture_clear (&fixture);
  first_lost = G_MAXSIZE;
}

/* The last step of an export, in which the volume takes its place, is one that
 * can be resumed as well. */
static void
test_lost_and_kept (gconstpointer engine)
{
  TlReconFixture fixture;
  g_autoptr (GError) error = NULL;
  if (!set_up (&fixture, engine))
    return;
  g_autofree char *path = tl_scratch_path (fixture.folder, "volume");
  TlExportJob job = tl_recon_fixture_job (&fixture, 0, 5, path);
  first_lost = 3;
  end_lost = 4;
  g_auto (TlExportReport) report = { 0 };
  g_assert_false (
      tl_export (&job, put_slice, NULL, path, NULL, &report, &error));
  g_autofree char *kept = tl_export_report_dup_kept (&report, error);
  g_assert_null (kept); /* the error says it */
  first_lost = G_MAXSIZE;
  take_away (path);
  job.overwrites = job.resumes = TRUE;
  g_auto (TlExportReport) resumed = { 0 };
  run_job (&job, &resumed);
  g_assert_cmpuint (resumed.n_resumed, ==, 5);
  g_assert_cmpuint (resumed.failures->len, ==, 1);
  g_assert_cmpstr (resumed.failures->pdata[0], ==, report.failures->pdata[0]);
  tl_recon_fixture_clear (&fixture);
}

/* What has no volume to go on with is not offered, and is cleared away. */
static void
test_left (gconstpointer engine)
{
  TlReconFixture fixture;
  g_autoptr (GError) error = NULL;
  g_autofree char *question = NULL;
  gboolean can_resume;
  if (!set_up (&fixture, engine))
    return;
  g_autofree char *path = tl_scratch_path (fixture.folder, "volume");
  const TlExportJob job = tl_recon_fixture_job (&fixture, 0, 1, path);
  TlStaging *left = tl_staging_new (path, &error);
  g_assert_no_error (error);
  g_autofree char *inside =
      g_build_filename (tl_staging_get_path (left), "volume", NULL);
  g_assert_true (g_file_set_contents (inside, "joined", -1, NULL));
  tl_staging_free (left);
  g_assert_true (tl_export_check_target (&job, &question, &can_resume, &error));
  g_assert_null (question);
  g_assert_false (can_resume);
  for (int k = 0; k < 2; k++) /* none of two stays */
    {
      TlStaging *more = tl_staging_new (path, &error);
      g_assert_no_error (error);
      tl_staging_free (more);
    }
  g_auto (TlExportReport) report = { 0 };
  run_job (&job, &report);
  g_assert_false (g_file_test (inside, G_FILE_TEST_EXISTS));
  g_assert_null (tl_staging_look (path));
  tl_recon_fixture_clear (&fixture);
}

/* Before something is replaced, the user learns what it is. */
static void
test_question (gconstpointer engine)
{
  static const struct
  {
    const char *name, *kind;
  } cases[] = {
    { "v.h5", "(HDF5 in the layout of Data Exchange), written " },
    { "v.nxs", "(HDF5 in the layout of NeXus (NXtomoproc)), written " },
    { "v.tif", "(one TIFF file, a page for each slice), written " },
    { "v.raw", "(samples alone, " },
    { "v.zarr", "(OME-Zarr 0.4, with coarser levels for viewers), written " },
    { "v", "holds 2 slices of an earlier export, written " },
  };
  TlReconFixture fixture;
  if (!set_up (&fixture, engine))
    return;
  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      g_autofree char *path = tl_scratch_path (fixture.folder, cases[k].name);
      TlExportJob job = tl_recon_fixture_job (&fixture, 0, 2, path);
      g_auto (TlExportReport) report = { 0 };
      g_autofree char *question = NULL;
      gboolean can_resume;
      struct stat status;
      job.settings.format = tl_volume_format_from_path (path);
      run_job (&job, &report);
      g_assert_cmpint (stat (path, &status), ==, 0);
      g_assert_true (
          tl_export_check_target (&job, &question, &can_resume, NULL));
      g_test_message ("%s", question);
      g_assert_true (g_str_has_prefix (question, path));
      g_assert_nonnull (strstr (question, cases[k].kind));
      g_autoptr (GDateTime) date =
          g_date_time_new_from_unix_local ((gint64)status.st_mtime);
      g_autofree char *day =
          g_date_time_format (date, "written %Y-%m-%d %H:%M");
      g_assert_nonnull (strstr (question, day));
      g_autofree char *size = g_format_size ((guint64)status.st_size);
      g_assert_cmpint (S_ISREG (status.st_mode), ==,
                       strstr (question, size) != NULL);
      g_assert_null (strstr (question, "differs"));
      /* what made it, as far as that differs */
      g_clear_pointer (&question, g_free);
      job.settings.masks = TRUE;
      tl_recon_fixture_set (&fixture, "filter", "hann");
      g_assert_true (
          tl_export_check_target (&job, &question, &can_resume, NULL));
      g_assert_nonnull (strstr (question,
                                "; what differs: Filter Ramp → Hann, Circular "
                                "mask off → on"));
      tl_recon_fixture_set (&fixture, "filter", "ramp");
    }
  tl_recon_fixture_clear (&fixture);
}

/* Leaves an unfinished export to the path of @job. Returns: (transfer full):
 * its hidden folder */
static char *
leave_unfinished (TlExportJob job)
{
  g_autoptr (GError) error = NULL;
  g_auto (TlExportReport) report = { 0 };
  first_lost = N_ROWS - 1;
  end_lost = N_ROWS;
  g_atomic_int_set (&n_stored, 0);
  job.is_strict = job.overwrites = TRUE;
  job.agreed = NULL;
  job.settings.n_rows = 6;
  job.settings.row_step = 4; /* blocks of one row */
  g_assert_false (tl_export (&job, NULL, NULL, NULL, NULL, &report, &error));
  first_lost = G_MAXSIZE;
  g_assert_nonnull (report.kept_path);
  return g_strdup (report.kept_path);
}

static char
    *another; /* (nullable): a hidden folder that came after the start */

/* Does it when the first plan is told, before the export has its own folder. */
static void
leave_another (const TlExportPlan *plan, gpointer path)
{
  g_autoptr (TlStaging) left =
      another == NULL ? tl_staging_new (path, NULL) : NULL;
  if (left == NULL)
    return;
  const char *hidden = tl_staging_get_path (left);
  another = g_strdup (hidden);
  g_autofree char *name = g_path_get_basename (path);
  g_autofree char *volume = g_build_filename (hidden, name, NULL);
  g_autofree char *records = g_strconcat (volume, ".unfinished", NULL);
  g_assert_true (g_file_set_contents (volume, "", -1, NULL));
  g_assert_true (g_file_set_contents (records, "", -1, NULL));
}

/* Damages the records of the unfinished volume in the folder @hidden. */
static void
claim_slices (const char *hidden, guint64 n_slices)
{
  g_autofree char *records =
      tl_scratch_path (hidden, "volume.raw" TL_VOLUME_RECORDS_SUFFIX);
  FILE *file = g_fopen (records, "r+");
  g_assert_nonnull (file);
  g_assert_cmpint (fseek (file, 16, SEEK_SET), ==, 0);
  g_assert_cmpuint (fwrite (&n_slices, sizeof n_slices, 1, file), ==, 1);
  g_assert_cmpint (fclose (file), ==, 0);
}

/* An unfinished export is discarded only if the user was asked about it: not if
 * it came after the question, nor after the start. */
static void
test_discarding (gconstpointer engine)
{
  TlReconFixture fixture;
  g_autoptr (GError) error = NULL;
  g_autofree char *question = NULL;
  gboolean can_resume;
  if (!set_up (&fixture, engine))
    return;
  g_autofree char *path = tl_scratch_path (fixture.folder, "volume.raw");
  TlExportJob job = make_job (&fixture, path);
  g_auto (TlExportReport) first = { 0 };
  run_job (&job, &first);
  g_autofree char *agreed = tl_export_dup_state (&job);
  g_autofree char *unfinished = leave_unfinished (job);
  job.agreed = agreed;
  g_auto (TlExportReport) refused = { 0 };
  g_assert_false (tl_export (&job, NULL, NULL, NULL, NULL, &refused, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_FILE);
  g_assert_nonnull (
      strstr (error->message, "an unfinished export to it would be discarded"));
  g_clear_error (&error);
  g_assert_true (g_file_test (unfinished, G_FILE_TEST_IS_DIR));
  g_assert_true (tl_export_check_target (&job, &question, &can_resume, NULL));
  g_assert_nonnull (strstr (question, "would be discarded"));
  g_assert_false (can_resume); /* it has other slices */
  g_autofree char *both = tl_export_dup_state (&job);
  job.agreed = both;
  g_auto (TlExportReport) good = { 0 };
  g_assert_true (
      tl_export (&job, leave_another, NULL, path, NULL, &good, &error));
  g_assert_no_error (error);
  g_assert_true (g_file_test (another, G_FILE_TEST_IS_DIR));
  g_assert_true (tl_remove_all (another, NULL));
  job.agreed = NULL;
  g_auto (TlExportReport) last = { 0 };
  run_job (&job, &last);
  g_assert_false (g_file_test (unfinished, G_FILE_TEST_EXISTS));
  /* one with the settings of the job can go on instead */
  g_autofree char *header = tl_scratch_path (fixture.folder, "volume.nhdr");
  g_assert_cmpint (g_unlink (path) + g_unlink (header), ==, 0);
  job.settings.n_rows = 6;
  job.settings.row_step = 4;
  g_autofree char *alike = leave_unfinished (job);
  g_assert_true (g_file_test (alike, G_FILE_TEST_IS_DIR));
  g_clear_pointer (&question, g_free);
  g_assert_true (tl_export_check_target (&job, &question, &can_resume, NULL));
  g_assert_nonnull (strstr (question, "was not finished; "));
  g_assert_nonnull (
      strstr (question, " of 6 slices are kept, last written 20"));
  g_assert_null (strstr (question, "; 0 of 6 "));
  g_assert_true (can_resume);
  claim_slices (alike, (guint64)1 << 30);
  g_clear_pointer (&question, g_free);
  g_assert_true (tl_export_check_target (&job, &question, &can_resume, NULL));
  g_assert_nonnull (strstr (question, "its records are missing or damaged"));
  g_clear_pointer (&another, g_free);
  tl_recon_fixture_clear (&fixture);
}

/* A line break in the name of the volume belongs to its name, and not to the
 * state that the user agreed to replace. */
static void
test_line_break (gconstpointer engine)
{
  TlReconFixture fixture;
  if (!set_up (&fixture, engine))
    return;
  g_autofree char *path = tl_scratch_path (fixture.folder, "a\nvolume.raw");
  TlExportJob job = make_job (&fixture, path);
  g_auto (TlExportReport) first = { 0 };
  run_job (&job, &first);
  g_autofree char *unfinished = leave_unfinished (job);
  g_assert_true (g_file_test (unfinished, G_FILE_TEST_IS_DIR));
  g_auto (TlExportReport) again = { 0 };
  run_job (&job, &again);
  g_assert_false (g_file_test (unfinished, G_FILE_TEST_EXISTS));
  tl_recon_fixture_clear (&fixture);
}

/* Where there are no hard links, the slices of the parts are copied if there is
 * room for them; else nothing is begun and the parts stay. */
static void
test_join_room (gconstpointer engine)
{
  TlReconFixture fixture;
  g_autoptr (GError) error = NULL;
  if (!set_up (&fixture, engine))
    return;
  g_autofree char *path = tl_scratch_path (fixture.folder, "volume");
  g_autofree char *parts = g_strconcat (path, ".parts", NULL);
  TlExportJob job = tl_recon_fixture_job (&fixture, 0, 5, path);
  job.n_parts = 2;
  for (job.part = 1; job.part <= 2; job.part++)
    {
      g_auto (TlExportReport) report = { 0 };
      run_job (&job, &report);
    }
  has_no_links = TRUE;
  room_bytes = 5 * N_COLS * N_COLS * sizeof (float);
  g_assert_false (tl_export_join (&job, NULL, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_FILE);
  g_assert_nonnull (strstr (error->message, "make room"));
  g_assert_true (g_str_has_prefix (error->message, path));
  g_clear_error (&error);
  g_assert_null (tl_staging_look (path));
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  room_bytes *= 4;
  tl_export_join (&job, NULL, &error);
  g_assert_no_error (error);
  has_no_links = FALSE;
  room_bytes = 0;
  g_autofree char *last = tl_scratch_path (path, "recon_00004.tiff");
  g_assert_true (g_file_test (last, G_FILE_TEST_IS_REGULAR));
  g_assert_false (g_file_test (parts, G_FILE_TEST_EXISTS));
  tl_recon_fixture_clear (&fixture);
}

/* Writes to what has appeared in the folder of a part, so that it is not what
 * the user has agreed to replace. */
static void
touch_part (const TlExportPlan *plan, gpointer path)
{
  struct stat status;
  g_assert_cmpint (stat (path, &status), ==, 0);
  const struct utimbuf times = { .modtime = status.st_mtime + 5 };
  g_assert_cmpint (utime (path, &times), ==, 0);
}

/* A part that cannot be replaced stays one that can be joined: its checksums
 * are replaced with it, and not before. */
static void
test_part_sums (gconstpointer engine)
{
  static const char *const names[] = { "volume", "volume.h5" };
  TlReconFixture fixture;
  g_autoptr (GError) error = NULL;
  if (!set_up (&fixture, engine))
    return;
  for (size_t k = 0; k < G_N_ELEMENTS (names); k++)
    {
      g_autofree char *path = tl_scratch_path (fixture.folder, names[k]);
      TlExportJob job = tl_recon_fixture_job (&fixture, 0, 5, path);
      job.settings.format = tl_volume_format_from_path (path);
      job.n_parts = 2;
      for (job.part = 1; job.part <= 2; job.part++)
        {
          g_auto (TlExportReport) report = { 0 };
          run_job (&job, &report);
        }
      job.part = 1;
      TlExportJob other = job;
      other.settings.masks = other.overwrites = TRUE;
      g_autofree char *part = tl_export_dup_part_path (&job);
      g_autofree char *sums_path = tl_export_dup_part_sums (&job);
      g_autofree char *before = NULL;
      g_autofree char *after = NULL;
      g_assert_true (g_file_get_contents (sums_path, &before, NULL, NULL));
      g_auto (TlExportReport) failed = { 0 };
      g_assert_false (
          tl_export (&other, touch_part, NULL, part, NULL, &failed, &error));
      g_assert_nonnull (strstr (error->message, "consent"));
      g_clear_error (&error);
      g_assert_true (g_file_get_contents (sums_path, &after, NULL, NULL));
      g_assert_cmpstr (before, ==, after);
      g_auto (TlExportReport) good = { 0 };
      other.resumes = TRUE;
      run_job (&other, &good);
      g_clear_pointer (&after, g_free);
      g_assert_true (g_file_get_contents (sums_path, &after, NULL, NULL));
      g_assert_cmpstr (before, !=, after);
      g_auto (TlExportReport) again = { 0 };
      job.overwrites = TRUE;
      run_job (&job, &again);
      /* what is wrong if only one of the two is there */
      g_autofree char *aside = g_strconcat (sums_path, ".aside", NULL);
      g_assert_cmpint (g_rename (sums_path, aside), ==, 0);
      g_assert_false (tl_export_join (&job, NULL, &error));
      g_assert_nonnull (
          strstr (error->message, "checksums of this part are missing"));
      g_clear_error (&error);
      g_assert_cmpint (g_rename (aside, sums_path), ==, 0);
      g_assert_cmpint (g_rename (part, aside), ==, 0);
      g_assert_false (tl_export_join (&job, NULL, &error));
      g_assert_nonnull (strstr (error->message, "this part is missing"));
      g_clear_error (&error);
      g_assert_cmpint (g_rename (aside, part), ==, 0);
      tl_export_join (&job, NULL, &error);
      g_assert_no_error (error);
    }
  tl_recon_fixture_clear (&fixture);
}

static void
cancel (const TlExportPlan *plan, gpointer cancellable)
{
  g_cancellable_cancel (cancellable);
}

/* A failure says what is kept; an export that has made nothing leaves
 * nothing. */
static void
test_kept (gconstpointer engine)
{
  TlReconFixture fixture;
  g_autoptr (GError) error = NULL;
  if (!set_up (&fixture, engine))
    return;
  g_autofree char *path = tl_scratch_path (fixture.folder, "volume.raw");
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  TlExportJob job = make_job (&fixture, path);
  g_auto (TlExportReport) none = { 0 };
  g_assert_false (
      tl_export (&job, cancel, NULL, cancellable, cancellable, &none, &error));
  g_autofree char *nothing = tl_export_report_dup_kept (&none, error);
  g_assert_cmpstr (nothing, ==, "nothing is kept");
  g_assert_null (tl_staging_look (path));
  g_clear_error (&error);
  first_lost = N_ROWS - 1;
  end_lost = N_ROWS;
  job.is_strict = TRUE;
  g_atomic_int_set (&n_stored, 0);
  job.settings.row_step = 4; /* blocks of one row */
  job.settings.n_rows = 6;
  g_auto (TlExportReport) some = { 0 };
  g_assert_false (tl_export (&job, NULL, NULL, NULL, NULL, &some, &error));
  g_autofree char *left = tl_staging_look (path);
  g_autofree char *want =
      g_strdup_printf ("%zu of 6 slices are kept in %s", some.n_slices, left);
  g_autofree char *kept = tl_export_report_dup_kept (&some, error);
  g_assert_cmpstr (kept, ==, want);
  first_lost = G_MAXSIZE;
  tl_recon_fixture_clear (&fixture);
}

/* Slices of other planes are whole at the end of a pass: those of an earlier
 * pass are kept, and the message says why those of the first one are not. */
static void
test_kept_turned (gconstpointer engine)
{
  TlReconFixture fixture;
  g_autoptr (GError) error = NULL;
  if (!set_up (&fixture, engine))
    return;
  g_autofree char *path = tl_scratch_path (fixture.folder, "volume.raw");
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  TlExportJob job = make_job (&fixture, path);
  job.settings.plane = TL_PLANE_XZ;
  job.settings.first_row = 9;
  job.settings.n_rows = 3;
  job.budget_bytes = find_small_budget (&fixture, &job);
  g_auto (Volume) straight = export_volume (&job);
  g_auto (TlExportReport) none = { 0 };
  g_assert_false (
      tl_export (&job, cancel, NULL, cancellable, cancellable, &none, &error));
  g_autofree char *nothing = tl_export_report_dup_kept (&none, error);
  g_assert_nonnull (strstr (nothing, "only at the end of a pass"));
  g_clear_error (&error);
  first_lost = 9;
  end_lost = 10;
  g_atomic_int_set (&n_spared, 1); /* in the first of two passes */
  job.is_strict = TRUE;
  g_auto (TlExportReport) some = { 0 };
  g_assert_false (tl_export (&job, NULL, NULL, NULL, NULL, &some, &error));
  g_assert_cmpuint (some.n_slices, >, 0);
  first_lost = G_MAXSIZE;
  job.resumes = TRUE;
  g_auto (TlExportReport) rest = { 0 };
  run_job (&job, &rest);
  g_assert_cmpuint (rest.n_resumed, ==, some.n_slices);
  g_autofree char *bytes = NULL;
  gsize n_bytes;
  g_assert_true (g_file_get_contents (path, &bytes, &n_bytes, NULL));
  g_assert_cmpmem (bytes, n_bytes, straight.pixels,
                   3 * N_COLS * N_COLS * sizeof (float));
  tl_recon_fixture_clear (&fixture);
}

/* An export whose storage goes away ends without a volume, and makes the rest
 * when it is resumed. */
static void
test_lost_storage (gconstpointer engine)
{
  enum
  {
    N_LOST = 16 /* twice what ends it, whenever the others are written */
  };
  TlReconFixture fixture;
  g_autoptr (GError) error = NULL;
  if (!set_up (&fixture, engine))
    return;
  g_autofree char *plain_path = tl_scratch_path (fixture.folder, "plain.raw");
  g_autofree char *path = tl_scratch_path (fixture.folder, "volume.raw");
  TlExportJob job = make_job (&fixture, plain_path);
  g_auto (Volume) plain = export_volume (&job);
  job.path = path;
  g_atomic_int_set (&n_stored, 0);
  first_lost = N_ROWS - N_LOST;
  end_lost = N_ROWS;
  g_auto (TlExportReport) report = { 0 };
  g_assert_false (tl_export (&job, NULL, NULL, NULL, NULL, &report, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_FILE);
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  g_assert_cmpuint (report.n_slices, >, 0);
  g_assert_cmpuint (report.n_slices, <=, N_ROWS - N_LOST);
  first_lost = G_MAXSIZE;
  job.resumes = TRUE;
  g_auto (Volume) got = export_volume (&job);
  const size_t n_bytes = N_ROWS * N_COLS * N_COLS * sizeof (float);
  g_assert_cmpmem (got.pixels, n_bytes, plain.pixels, n_bytes);
  tl_recon_fixture_clear (&fixture);
}

/* Where slices that were made may be wrong, nothing is left to resume. */
static void
test_damage (gconstpointer engine)
{
  TlReconFixture fixture;
  g_autoptr (GError) error = NULL;
  if (!set_up (&fixture, engine))
    return;
  g_autofree char *path = tl_scratch_path (fixture.folder, "volume.raw");
  const TlExportJob job = make_job (&fixture, path);
  g_atomic_int_set (&n_stored, 0);
  first_lost = N_ROWS - 1;
  end_lost = N_ROWS;
  lost_code = TL_ERROR_DAMAGE;
  g_auto (TlExportReport) report = { 0 };
  g_assert_false (tl_export (&job, NULL, NULL, NULL, NULL, &report, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_DAMAGE);
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  g_assert_null (tl_staging_find (path));
  first_lost = G_MAXSIZE;
  lost_code = TL_ERROR_FILE;
  tl_recon_fixture_clear (&fixture);
}

/* An empty folder is taken; what comes into it while the export runs stays,
 * whoever has agreed to replace what was there before, and so do the slices
 * that were made, which a resumed export puts there when it is gone. */
static void
test_place (gconstpointer engine)
{
  TlReconFixture fixture;
  g_autoptr (GError) error = NULL;
  if (!set_up (&fixture, engine))
    return;
  g_autofree char *path = tl_scratch_path (fixture.folder, "volume");
  g_autofree char *slice = tl_scratch_path (path, "recon_00000.tiff");
  g_autofree char *text = NULL;
  TlExportJob job = tl_recon_fixture_job (&fixture, 0, 3, path);
  for (int k = 0; k < 2; k++)
    {
      g_auto (TlExportReport) report = { 0 };
      job.overwrites = k > 0;
      g_assert_false (
          tl_export (&job, put_slice, NULL, path, NULL, &report, &error));
      g_assert_error (error, TL_ERROR, TL_ERROR_FILE);
      g_assert_nonnull (strstr (error->message, "consent"));
      g_clear_error (&error);
      g_assert_true (g_file_get_contents (slice, &text, NULL, NULL));
      g_assert_cmpstr (text, ==, "mine");
      g_clear_pointer (&text, g_free);
      if (k == 0)
        take_away (path);
    }
  g_auto (TlExportReport) resumed = { 0 };
  job.resumes = TRUE;
  g_assert_false (tl_export (&job, NULL, NULL, NULL, NULL, &resumed, &error));
  g_assert_nonnull (strstr (error->message, "no export has made"));
  g_clear_error (&error);
  take_away (path);
  run_job (&job, &resumed);
  g_assert_cmpuint (resumed.n_resumed, ==, 3);
  g_autofree char *empty = tl_scratch_path (fixture.folder, "empty");
  g_assert_cmpint (g_mkdir (empty, 0777), ==, 0);
  job = tl_recon_fixture_job (&fixture, 0, 3, empty);
  g_auto (TlExportReport) report = { 0 };
  run_job (&job, &report);
  tl_recon_fixture_clear (&fixture);
}

static void
keep_first (const TlExportPlan *plan, gpointer data)
{
  TlExportPlan *first = data;
  if (first->n_slices == 0)
    *first = *plan;
}

/* In place of the scan of set_up(). */
static void
open_phantom (TlReconFixture *fixture, size_t n_projections, size_t n_rows,
              size_t n_cols)
{
  g_autoptr (GError) error = NULL;
  TlPhantomScan scan;
  tl_phantom_scan_init (&scan, n_projections, n_rows, n_cols);
  g_autofree char *path = tl_scratch_path (fixture->folder, "other.h5");
  tl_phantom_write_scan (path, &scan, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  tl_recon_free (fixture->recon);
  tl_recipe_forget_scan (fixture->recipe);
  tl_recon_fixture_open (fixture, path);
}

/* Where each slice waits for the storage, many threads write. */
static void
test_writers (gconstpointer engine)
{
  TlReconFixture fixture;
  g_autoptr (GError) error = NULL;
  if (!set_up (&fixture, engine))
    return;
  open_phantom (&fixture, 3, 800, 16);
  g_autofree char *path = tl_scratch_path (fixture.folder, "volume.raw");
  TlExportJob job = make_job (&fixture, path);
  job.settings.n_rows = 800;
  wait_us = 20 * 1000;
  g_auto (TlExportReport) slow = { 0 };
  run_job (&job, &slow);
  wait_us = 0;
  g_assert_cmpuint (slow.pipeline.n_writers, >=, TL_MAX_WRITERS / 2);
  g_assert_cmpfloat (slow.plan.expected_s, >, 0);
  g_assert_cmpfloat (slow.plan.expected_s, <, 2 * slow.pipeline.wall_s);
  /* the next one is expected to take as long, before anything is made */
  TlExportPlan plan = { 0 };
  g_auto (TlExportReport) quick = { 0 };
  g_assert_true (
      tl_export (&job, keep_first, NULL, &plan, NULL, &quick, &error));
  g_assert_no_error (error);
  g_assert_false (plan.is_measured);
  g_assert_cmpfloat (plan.expected_s, >, slow.pipeline.wall_s / 2);
  g_assert_cmpfloat (plan.expected_s, <, 2 * slow.pipeline.wall_s);
  g_autofree char *words = tl_export_plan_describe (&plan, TRUE);
  g_autofree char *time = tl_describe_duration (plan.expected_s);
  g_autofree char *about = g_strconcat (", about ", time, NULL);
  g_assert_true (g_str_has_suffix (words, about));
  /* one that was much faster corrects what is expected */
  TlExportPlan corrected = { 0 };
  g_auto (TlExportReport) third = { 0 };
  g_assert_cmpfloat (2 * quick.pipeline.wall_s, <, plan.expected_s);
  g_assert_true (
      tl_export (&job, keep_first, NULL, &corrected, NULL, &third, &error));
  g_assert_no_error (error);
  g_assert_cmpfloat (corrected.expected_s, <, plan.expected_s / 2);
  tl_recon_fixture_clear (&fixture);
}

typedef struct
{
  TlExportPlan plan;
  gint n_loads, n_loaded; /* before slices are made */
  GCancellable *cancellable;
} Trial;

static void
take_trial (const TlExportPlan *plan, gpointer data)
{
  Trial *trial = data;
  trial->plan = *plan;
  if (trial->n_loads == 0)
    {
      trial->n_loads = g_atomic_int_get (&n_loads);
      trial->n_loaded = g_atomic_int_get (&n_loaded);
    }
}

/* An export that ends here leaves no rate behind. */
static void
end_trial (double fraction, gpointer data)
{
  Trial *trial = data;
  g_cancellable_cancel (trial->cancellable);
}

/* Returns: the last plan before the slices of an export begin, and what was
 * loaded for it */
static Trial
find_plan (const TlExportJob *job)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  g_auto (TlExportReport) report = { 0 };
  Trial trial = { .cancellable = cancellable };
  g_atomic_int_set (&n_loads, 0);
  g_atomic_int_set (&n_loaded, 0);
  g_assert_false (tl_export (job, take_trial, end_trial, &trial, cancellable,
                             &report, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  return trial;
}

/* Returns: seconds that a slice of a block takes, when tables and plans are
 * made, and no other program holds it up */
static double
measure_slice (TlReconFixture *fixture)
{
  enum
  {
    N = 8
  }; /* a device leaves gaps between single slices */
  double least_ms = G_MAXDOUBLE;
  for (guint k = 0; k < 10; k++)
    {
      TlReconTimes times;
      tl_frame_unref (tl_recon_fixture_run (fixture, k * N, N));
      tl_recon_get_times (fixture->recon, &times);
      least_ms = MIN (least_ms, times.load_ms + times.compute_ms);
    }
  return least_ms / N / 1e3;
}

/* Before the first export of its kind a block tells how long it takes, unless
 * there are few slices, or some of them are there. */
static void
test_trial (gconstpointer engine)
{
  TlReconFixture fixture;
  if (!set_up (&fixture, engine))
    return;
  open_phantom (&fixture, 100, 200, 128);
  g_autofree char *path = tl_scratch_path (fixture.folder, "volume.h5");
  TlExportJob job = make_job (&fixture, path);
  job.settings.n_rows = 200;
  job.settings.format = TL_VOLUME_HDF5;
  job.settings.compression = 3; /* in no other test */
  job.n_devices = 1;            /* with many, a block would be one row */
  const Trial trial = find_plan (&job);
  const TlExportPlan plan = trial.plan;
  g_assert_true (plan.is_of_slice);
  g_assert_cmpint (trial.n_loads, ==, (gint)plan.n_engines + 1);
  g_assert_cmpint (trial.n_loaded, >, trial.n_loads);
  g_assert_cmpint (trial.n_loaded, <=, 200 / 20);
  const double wanted_s = measure_slice (&fixture) * 200;
  g_assert_cmpfloat (plan.expected_s, >, wanted_s / 20);
  g_assert_cmpfloat (plan.expected_s, <, wanted_s * 200);
  g_autofree char *words = tl_export_plan_describe (&plan, TRUE);
  g_assert_nonnull (strstr (words, "; computing takes about "));
  job.resumes = TRUE;
  g_assert_cmpfloat (find_plan (&job).plan.expected_s, ==, 0);
  job.resumes = FALSE;
  job.settings.n_rows = 39;
  g_assert_cmpfloat (find_plan (&job).plan.expected_s, ==, 0);
  tl_recon_fixture_clear (&fixture);
}

/* Two devices make the bytes that one makes. */
static void
test_devices (gconstpointer engine)
{
  TlReconFixture fixture;
  g_auto (GStrv) devices = tl_engine_list_devices (engine);
  if (!set_up (&fixture, engine))
    return;
  if (devices == NULL || g_strv_length (devices) < 2)
    {
      g_test_skip ("this machine has no two devices of this engine");
      tl_recon_fixture_clear (&fixture);
      return;
    }
  g_autofree char *path = tl_scratch_path (fixture.folder, "volume.raw");
  TlExportJob job = make_job (&fixture, path);
  const size_t n_bytes = N_ROWS * N_COLS * N_COLS * sizeof (float);
  job.n_devices = 1;
  g_auto (Volume) one = export_volume (&job);
  job.n_devices = 2;
  g_auto (Volume) two = export_volume (&job);
  g_assert_cmpmem (one.pixels, n_bytes, two.pixels, n_bytes);
  tl_recon_fixture_clear (&fixture);
}

/* A scan that is written again meanwhile does not become a volume, of which
 * nobody knows what its slices show. One that only grows does. */
static void
test_rewritten (gconstpointer engine)
{
  for (int k = 0; k < 2; k++)
    {
      TlReconFixture fixture;
      g_autoptr (GError) error = NULL;
      if (!set_up (&fixture, engine))
        return;
      g_autofree char *path = tl_scratch_path (fixture.folder, "volume");
      TlExportJob job = make_job (&fixture, path);
      g_auto (TlExportReport) report = { 0 };
      grows = k == 1;
      g_atomic_pointer_set (&rewritten, job.scan);
      const gboolean good =
          tl_export (&job, NULL, NULL, NULL, NULL, &report, &error);
      g_assert_cmpint (good, ==, grows);
      g_assert_cmpint (g_file_test (path, G_FILE_TEST_EXISTS), ==, grows);
      if (!grows)
        {
          g_assert_error (error, TL_ERROR, TL_ERROR_DAMAGE);
          g_assert_null (report.kept_path); /* its slices may be wrong */
          g_assert_nonnull (
              strstr (error->message, "was changed while it was"));
        }
      tl_recon_fixture_clear (&fixture);
    }
}

/* Buffers are pinned once, before anything is read into them, and not longer
 * than they live. */
static void
test_pinned (gconstpointer engine)
{
  TlReconFixture fixture;
  if (!set_up (&fixture, engine))
    return;
  g_autofree char *path = tl_scratch_path (fixture.folder, "volume.raw");
  const TlExportJob job = make_job (&fixture, path);
  n_pinned = n_unpinned = 0;
  g_auto (TlExportReport) report = { 0 };
  run_job (&job, &report);
  g_assert_cmpuint (n_pinned, >, 0);
  g_assert_cmpuint (n_unpinned, ==, 0);
  g_assert_cmpuint (g_hash_table_size (pinned), ==, 0);
  tl_recon_fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  static const char *const engines[] = { "host", "cuda" };
  static const struct
  {
    const char *name;
    GTestDataFunc func;
  } cases[] = {
    { "settings", test_settings },
    { "rotation", test_rotation },
    { "budget", test_budget },
    { "integers", test_integers },
    { "pinned", test_pinned },
    { "range-kept", test_range_kept },
    { "lost-rows", test_lost_rows },
    { "lost-storage", test_lost_storage },
    { "damage", test_damage },
    { "writers", test_writers },
    { "trial", test_trial },
    { "place", test_place },
    { "lost-later", test_lost_later },
    { "lost-before", test_lost_before },
    { "lost-and-kept", test_lost_and_kept },
    { "join-room", test_join_room },
    { "part-sums", test_part_sums },
    { "discarding", test_discarding },
    { "line-break", test_line_break },
    { "question", test_question },
    { "kept", test_kept },
    { "kept-turned", test_kept_turned },
    { "left", test_left },
    { "rewritten", test_rewritten },
    { "devices", test_devices },
  };
  pinned = g_hash_table_new (NULL, NULL);
  g_test_init (&argc, &argv, NULL);
  for (size_t e = 0; e < G_N_ELEMENTS (engines); e++)
    for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
      {
        g_autofree char *path =
            g_strdup_printf ("/%s/export/%s", engines[e], cases[k].name);
        g_test_add_data_func (path, engines[e], cases[k].func);
      }
  return g_test_run ();
}
