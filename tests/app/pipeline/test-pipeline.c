/* Tests pipelines on each engine. A single device is opened several times to
 * stand for several devices. */
#include "app/pipeline/pipeline.h"
#include "app/pipeline/writers.h"

#include "data/array.h"
#include "data/error.h"

#include <math.h>
#include <string.h>

enum
{
  N_PROJECTIONS = 23,
  N_COLS = 33,
  N_PIXELS = N_COLS * N_COLS,
  N_ROWS = 31, /* the last block is shorter */
  BLOCK_ROWS = 4,
  ROW_SIZE = N_PROJECTIONS * N_COLS
};

#define MAX_ENGINES 5
#define N_SLOTS 4 /* for each engine; as in app/pipeline/pipeline.c */
#define BUFFER_BYTES (BLOCK_ROWS * ROW_SIZE * sizeof (float))
#define NOWHERE G_MAXSIZE

/* Where failures happen: a row, which is the first of its block where the block
 * fails, or NOWHERE. */
typedef struct
{
  size_t read_fails, write_fails, bad_angle;
  guint cancels;     /* cancel when this slice is written, from 1; 0: never */
  guint read_us;     /* duration of reading a block */
  guint write_us;    /* duration of writing a slice */
  double centre_col; /* 0: the middle */
} Trouble;

static const Trouble no_trouble = { .read_fails = NOWHERE,
                                    .write_fails = NOWHERE,
                                    .bad_angle = NOWHERE };

typedef struct
{
  Trouble trouble;
  TlParams params;
  GCancellable *cancellable;
  float *samples; /* [N_ROWS][N_PROJECTIONS][N_COLS] */
  size_t rows[N_ROWS];
  double *flat; /* [BLOCK_ROWS][N_COLS], with a dead pixel in each row */
  double angles_rad[N_PROJECTIONS], bad_angles_rad[N_PROJECTIONS];
  /* of tl_pipeline_get_n_buffers() */
  float *buffers[MAX_ENGINES + 1];
  gboolean is_pinned[MAX_ENGINES + 1];

  guint n_told;                /* calls of progress */
  GMutex lock;                 /* guards the fields below */
  float *slices;               /* [N_ROWS][N_PIXELS] */
  guint n_times[N_ROWS];       /* how often each slice was written */
  guint n_on_way, most_on_way; /* rows read and not yet written */
  guint n_written;             /* slices written or being written */
} Work;

static void
work_init (Work *work, const Trouble *trouble)
{
  *work = (Work){ .trouble = *trouble };
  g_mutex_init (&work->lock);
  work->cancellable = g_cancellable_new ();
  work->samples = g_new (float, N_ROWS *ROW_SIZE);
  work->slices = g_new0 (float, N_ROWS *N_PIXELS);
  work->flat = g_new (double, BLOCK_ROWS *N_COLS);
  for (size_t k = 0; k < G_N_ELEMENTS (work->buffers); k++)
    work->buffers[k] = tl_try_alloc_pages (BUFFER_BYTES);
  for (size_t k = 0; k < (size_t)N_ROWS * ROW_SIZE; k++)
    work->samples[k] = (float)g_test_rand_double_range (0.1, 1);
  for (size_t k = 0; k < (size_t)BLOCK_ROWS * N_COLS; k++)
    work->flat[k] = k % N_COLS == 7 ? 0 : 1;
  for (size_t k = 0; k < N_ROWS; k++)
    work->rows[k] = k;
  for (size_t p = 0; p < N_PROJECTIONS; p++)
    work->angles_rad[p] = work->bad_angles_rad[p] =
        G_PI * (double)p / N_PROJECTIONS;
  work->bad_angles_rad[3] = NAN;
  tl_params_init (&work->params, N_COLS);
  if (trouble->centre_col != 0)
    work->params.centre_col = trouble->centre_col;
}

static void
work_clear (Work *work)
{
  g_mutex_clear (&work->lock);
  g_object_unref (work->cancellable);
  for (size_t k = 0; k < G_N_ELEMENTS (work->buffers); k++)
    g_free (work->buffers[k]);
  g_free (work->samples);
  g_free (work->slices);
  g_free (work->flat);
}

static gboolean
read_block (gpointer data, guint buffer, size_t first_row, size_t n_rows,
            TlBlock *block, GCancellable *cancellable, GError **error)
{
  Work *work = data;
  g_usleep (work->trouble.read_us);
  if (first_row == work->trouble.read_fails)
    {
      g_set_error_literal (error, TL_ERROR, TL_ERROR_FILE, "cannot read");
      return FALSE;
    }
  for (size_t p = 0; p < N_PROJECTIONS; p++)
    for (size_t k = 0; k < n_rows; k++)
      memcpy (work->buffers[buffer] + (p * n_rows + k) * N_COLS,
              work->samples + (first_row + k) * ROW_SIZE + p * N_COLS,
              N_COLS * sizeof (float));
  *block = (TlBlock){
    .n_projections = N_PROJECTIONS,
    .n_rows = n_rows,
    .n_cols = N_COLS,
    .type = TL_SAMPLE_F32,
    .samples = work->buffers[buffer],
    .is_pinned = work->is_pinned[buffer],
    .angles_rad = first_row == work->trouble.bad_angle ? work->bad_angles_rad
                                                       : work->angles_rad,
    .flat_first = work->flat,
  };
  g_mutex_lock (&work->lock);
  work->n_on_way += (guint)n_rows;
  work->most_on_way = MAX (work->most_on_way, work->n_on_way);
  g_mutex_unlock (&work->lock);
  return TRUE;
}

static gboolean
write_slice (gpointer data, size_t row, const float *pixels, GError **error)
{
  Work *work = data;
  g_usleep (work->trouble.write_us);
  if (row == work->trouble.write_fails)
    {
      g_set_error_literal (error, TL_ERROR, TL_ERROR_FILE, "cannot write");
      return FALSE;
    }
  /* Cancel before another slice begins, however late this thread is. */
  g_mutex_lock (&work->lock);
  if (++work->n_written == work->trouble.cancels)
    g_cancellable_cancel (work->cancellable);
  work->n_times[row]++;
  work->n_on_way--;
  g_mutex_unlock (&work->lock);
  memcpy (work->slices + row * N_PIXELS, pixels, N_PIXELS * sizeof (float));
  return TRUE;
}

/* @engine: "cuda" or "host", which must be available */
static TlPipeline *
open_pipeline (const char *engine, guint n_engines)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) devices = tl_engine_list_devices (engine);
  g_autofree const char **names = g_new0 (const char *, n_engines + 1);
  for (guint k = 0; k < n_engines; k++)
    names[k] = devices[k % g_strv_length (devices)];
  TlPipeline *pipeline = tl_pipeline_new (names, TL_MAX_WRITERS, FALSE, &error);
  g_assert_no_error (error);
  return pipeline;
}

static gboolean
run (Work *work, TlPipeline *pipeline, TlProgress progress,
     TlPipelineReport *report, GError **error)
{
  const TlPipelineJob job = {
    .n_rows = N_ROWS,
    .rows = work->rows,
    .block_rows = BLOCK_ROWS,
    .params = &work->params,
    .read = read_block,
    .write = write_slice,
    .data = work,
    .name = "scan.h5",
  };
  return tl_pipeline_run (pipeline, &job, progress, work, work->cancellable,
                          report, error);
}

static void
run_well (Work *work, TlPipeline *pipeline)
{
  g_autoptr (GError) error = NULL;
  TlPipelineReport report;
  memset (work->n_times, 0, sizeof work->n_times);
  run (work, pipeline, NULL, &report, &error);
  g_assert_no_error (error);
  for (size_t row = 0; row < N_ROWS; row++)
    g_assert_cmpuint (work->n_times[row], ==, 1);
  g_assert_cmpuint (report.n_slices, ==, N_ROWS);
  g_assert_cmpuint (report.n_dead, ==, N_ROWS);
  g_assert_cmpuint (report.n_engines, ==,
                    tl_pipeline_get_n_buffers (pipeline) - 1);
}

static void
pin_buffers (Work *work, const char *engine)
{
  for (size_t k = 0; k < G_N_ELEMENTS (work->buffers); k++)
    {
      work->is_pinned[k] =
          tl_engine_pin (engine, work->buffers[k], BUFFER_BYTES);
      g_assert_cmpint (work->is_pinned[k], ==, strcmp (engine, "host") != 0);
    }
}

static void
unpin_buffers (Work *work, const char *engine)
{
  for (size_t k = 0; k < G_N_ELEMENTS (work->buffers); k++)
    if (work->is_pinned[k])
      {
        tl_engine_unpin (engine, work->buffers[k]);
        work->is_pinned[k] = FALSE;
      }
}

/* The slices are the same for any number of engines and runs, and from pinned
 * memory, which is unpinned before the engines are closed or after that. */
static void
test_same (gconstpointer data)
{
  static const guint n_engines[] = { 1, 2, MAX_ENGINES };
  g_autofree float *want = NULL;
  const size_t bytes = (size_t)N_ROWS * N_PIXELS * sizeof (float);
  Work work;
  work_init (&work, &no_trouble);
  for (size_t k = 0; k < G_N_ELEMENTS (n_engines); k++)
    {
      g_autoptr (TlPipeline) pipeline = open_pipeline (data, n_engines[k]);
      for (guint i = 0; i < 3; i++)
        {
          if (i == 1)
            pin_buffers (&work, data);
          run_well (&work, pipeline);
          if (want == NULL)
            want = g_memdup2 (work.slices, bytes);
          g_assert_cmpmem (work.slices, bytes, want, bytes);
          memset (work.slices, 0, bytes);
        }
      if (k == 0)
        unpin_buffers (&work, data);
      g_clear_pointer (&pipeline, tl_pipeline_free);
      unpin_buffers (&work, data);
    }
  work_clear (&work);
}

/* Compares with the slice that an engine alone makes of one block. */
static void
test_right (gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TlEngine) engine = tl_engine_open (data, &error);
  g_autoptr (TlPipeline) pipeline = open_pipeline (data, 2);
  const size_t bytes = (size_t)BLOCK_ROWS * N_PIXELS * sizeof (float);
  const size_t row = 2 * BLOCK_ROWS;
  TlBlock block;
  Work work;
  work_init (&work, &no_trouble);
  run_well (&work, pipeline);
  read_block (&work, 0, row, BLOCK_ROWS, &block, NULL, NULL);
  g_assert_true (tl_engine_load (engine, &block, &error));
  g_autoptr (TlFrame) frame =
      tl_engine_reconstruct (engine, &work.params, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (tl_frame_fetch (frame, &error));
  g_assert_cmpmem (work.slices + row * N_PIXELS, bytes,
                   tl_frame_get_pixels (frame), bytes);
  work_clear (&work);
}

static void
assert_fails (const char *engine, const Trouble *trouble, GQuark domain,
              int code, const char *says)
{
  for (guint n_engines = 1; n_engines <= 3; n_engines += 2)
    {
      g_autoptr (TlPipeline) pipeline = open_pipeline (engine, n_engines);
      g_autoptr (GError) error = NULL;
      TlPipelineReport report;
      Work work;
      work_init (&work, trouble);
      g_assert_false (run (&work, pipeline, NULL, &report, &error));
      g_assert_error (error, domain, code);
      g_assert_nonnull (strstr (error->message, says));
      g_assert_cmpuint (report.n_slices, <, N_ROWS);
      work_clear (&work);
      /* The pipeline works as before. */
      work_init (&work, &no_trouble);
      run_well (&work, pipeline);
      work_clear (&work);
    }
}

static void
test_read_fails (gconstpointer data)
{
  Trouble trouble = no_trouble;
  trouble.read_fails = 3 * BLOCK_ROWS;
  assert_fails (data, &trouble, TL_ERROR, TL_ERROR_FILE, "cannot read");
  trouble.read_fails = 0;
  assert_fails (data, &trouble, TL_ERROR, TL_ERROR_FILE, "cannot read");
}

static void
test_write_fails (gconstpointer data)
{
  Trouble trouble = no_trouble;
  trouble.write_fails = 2 * BLOCK_ROWS;
  assert_fails (data, &trouble, TL_ERROR, TL_ERROR_FILE, "cannot write");
}

static void
test_engine_fails (gconstpointer data)
{
  Trouble trouble = no_trouble;
  trouble.bad_angle = 4 * BLOCK_ROWS;
  assert_fails (data, &trouble, TL_ERROR, TL_ERROR_VALUE,
                "scan.h5: the angle of projection 3");
  trouble = no_trouble;
  trouble.centre_col = N_COLS;
  assert_fails (data, &trouble, TL_ERROR, TL_ERROR_VALUE,
                "outside the detector");
}

/* All engines fail at about the same time: one error is reported, and no
 * thread waits forever. */
static void
test_all_fail (gconstpointer data)
{
  g_autoptr (TlPipeline) pipeline = open_pipeline (data, 2);
  Trouble trouble = no_trouble;
  trouble.write_fails = 0;
  trouble.bad_angle = BLOCK_ROWS;
  for (guint k = 0; k < 20; k++)
    {
      g_autoptr (GError) error = NULL;
      Work work;
      trouble.read_fails = (2 + k % 4) * BLOCK_ROWS;
      work_init (&work, &trouble);
      g_assert_false (run (&work, pipeline, NULL, NULL, &error));
      g_assert_nonnull (error);
      g_assert_cmpint (error->domain, ==, TL_ERROR);
      work_clear (&work);
      work_init (&work, &no_trouble);
      run_well (&work, pipeline);
      work_clear (&work);
    }
}

static void
test_cancelled (gconstpointer data)
{
  Trouble trouble = no_trouble;
  trouble.cancels = 2 * BLOCK_ROWS;
  assert_fails (data, &trouble, G_IO_ERROR, G_IO_ERROR_CANCELLED, "");
}

/* A cancellation after the last slice is written is not an error. */
static void
test_cancelled_late (gconstpointer data)
{
  g_autoptr (TlPipeline) pipeline = open_pipeline (data, 1);
  Trouble trouble = no_trouble;
  Work work;
  trouble.cancels = N_ROWS;
  work_init (&work, &trouble);
  run_well (&work, pipeline);
  g_assert_true (g_cancellable_is_cancelled (work.cancellable));
  work_clear (&work);
}

static void
cancel (double fraction, gpointer data)
{
  Work *work = data;
  g_assert_cmpfloat (fraction, >=, 0);
  g_assert_cmpfloat (fraction, <, 1);
  g_cancellable_cancel (work->cancellable);
}

/* No slice is written after a call of progress that cancels. */
static void
test_cancelled_before (gconstpointer data)
{
  g_autoptr (TlPipeline) pipeline = open_pipeline (data, 2);
  g_autoptr (GError) error = NULL;
  TlPipelineReport report;
  Work work;
  work_init (&work, &no_trouble);
  g_assert_false (run (&work, pipeline, cancel, &report, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpuint (report.n_slices, ==, 0);
  for (size_t row = 0; row < N_ROWS; row++)
    g_assert_cmpuint (work.n_times[row], ==, 0);
  work_clear (&work);
}

static void
count_words (double fraction, gpointer data)
{
  ((Work *)data)->n_told++;
}

/* Progress is also reported while no block arrives for a long time. */
static void
test_told (gconstpointer data)
{
  g_autoptr (TlPipeline) pipeline = open_pipeline (data, 1);
  g_autoptr (GError) error = NULL;
  Trouble trouble = no_trouble;
  Work work;
  trouble.read_us = 150 * 1000;
  work_init (&work, &trouble);
  g_assert_true (run (&work, pipeline, count_words, NULL, &error));
  g_assert_cmpuint (work.n_told, >, N_ROWS / BLOCK_ROWS + 1);
  work_clear (&work);
}

#ifdef __SANITIZE_THREAD__
#define WRITE_US 50000 /* computing is slow there, too */
#else
#define WRITE_US 5000
#endif

/* Slow writing holds up all other stages, so that few blocks are in memory,
 * and is reported as the limit. */
static void
test_bounded (gconstpointer data)
{
  g_autoptr (TlPipeline) pipeline = open_pipeline (data, 1);
  g_autoptr (GError) error = NULL;
  g_autofree char *limit = NULL;
  TlPipelineReport report;
  Trouble trouble = no_trouble;
  Work work;
  /* a device takes long to begin */
  work_init (&work, &no_trouble);
  g_assert_true (run (&work, pipeline, NULL, &report, &error));
  work_clear (&work);
  trouble.write_us = WRITE_US;
  work_init (&work, &trouble);
  g_assert_true (run (&work, pipeline, NULL, &report, &error));
  g_assert_cmpuint (work.most_on_way, <=,
                    (tl_pipeline_get_n_buffers (pipeline) + N_SLOTS)
                        * BLOCK_ROWS);
  g_assert_cmpint (tl_pipeline_find_limit (&report), ==, TL_PIPELINE_WRITE);
  g_assert_cmpfloat (report.busy_s[TL_PIPELINE_WRITE], >=,
                     N_ROWS * trouble.write_us / 1e6 / TL_MAX_WRITERS);
  g_assert_cmpfloat (report.busy_s[TL_PIPELINE_COMPUTE], >, 0);
  limit = tl_pipeline_describe_limit (&report);
  g_test_message ("%s", limit);
  g_assert_true (g_str_has_prefix (limit, "limited by writing: "));
  work_clear (&work);
}

static void
test_not_opened (void)
{
  static const char *const names[] = { "host", "abacus", "host", NULL };
  g_autoptr (GError) error = NULL;
  g_assert_null (tl_pipeline_new (names, TL_MAX_WRITERS, FALSE, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message, "abacus"));
}

static void
test_choice (void)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) all = tl_pipeline_choose_engines ("host", 0, &error);
  g_auto (GStrv) one = tl_pipeline_choose_engines ("host", 1, &error);
  g_auto (GStrv) unknown = tl_pipeline_choose_engines ("abacus", 0, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_strv_length (all), ==, 1);
  g_assert_cmpstr (one[0], ==, "host");
  g_assert_cmpstr (unknown[0], ==, "abacus"); /* refused when opened */
  g_assert_null (tl_pipeline_choose_engines ("host", 2, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message, "2 devices"));
  static const struct
  {
    size_t n_projections, n_cols, slow, fourier, tensor;
  } cases[] = {
    { 1, 1, 8, 16, 32 },       { 2048, 2048, 8, 16, 32 },
    { 3000, 2048, 8, 16, 16 }, { 4096, 4096, 4, 8, 8 },
    { 8192, 8192, 1, 2, 2 },   { 1 << 20, 1 << 20, 1, 1, 1 },
  };

  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      const size_t n_projections = cases[k].n_projections;
      const size_t n_cols = cases[k].n_cols;
      for (TlMethod method = TL_METHOD_BACKPROJECTION;
           method <= TL_METHOD_FOURIER; method++)
        {
          g_assert_cmpuint (
              tl_pipeline_choose_rows (n_projections, n_cols, TRUE, method), ==,
              cases[k].slow);
          g_assert_cmpuint (
              tl_pipeline_choose_rows (n_projections, n_cols, FALSE, method),
              ==,
              method == TL_METHOD_FOURIER ? cases[k].fourier : cases[k].tensor);
        }
    }
}

static void
skip (gconstpointer data)
{
  g_test_skip ("no such engine here; tomolens-cli info --machine says why");
}

static void
add_cases (const char *engine)
{
  static const struct
  {
    const char *name;
    GTestDataFunc func;
  } cases[] = {
    { "same", test_same },
    { "right", test_right },
    { "read-fails", test_read_fails },
    { "write-fails", test_write_fails },
    { "engine-fails", test_engine_fails },
    { "all-fail", test_all_fail },
    { "cancelled", test_cancelled },
    { "cancelled-late", test_cancelled_late },
    { "cancelled-before", test_cancelled_before },
    { "told", test_told },
    { "bounded", test_bounded },
  };
  g_auto (GStrv) devices = tl_engine_list_devices (engine);
  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      g_autofree char *path =
          g_strdup_printf ("/%s/pipeline/%s", engine, cases[k].name);
      g_test_add_data_func (path, engine,
                            devices[0] != NULL ? cases[k].func : skip);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add_cases ("cuda");
  add_cases ("host");
  g_test_add_func ("/host/pipeline/not-opened", test_not_opened);
  g_test_add_func ("/host/pipeline/choice", test_choice);
  return g_test_run ();
}
