/* Jobs about a scan that is being taken, one after the other. */
#include "app/worker/job-runner-private.h"

#include <math.h>
#include <string.h>

enum
{
  N_PROJECTIONS = 60,
  N_COLS = 41,
  N_FIRST = 20
};

typedef struct
{
  TlJobRunner *runner;
  TlHeld *held;
  size_t n;             /* projections that have come */
  gboolean measures;    /* as of the next jobs */
  TlPicture picture;    /* of the next views */
  const char *compared; /* (nullable): the filter of A, of the next jobs */
} Fixture;

static void
put (Fixture *fixture, TlFrameKind kind, size_t number)
{
  guint16 pixels[N_COLS];
  for (size_t k = 0; k < N_COLS; k++)
    pixels[k] = kind == TL_FRAMES_DARKS ? 100
                : kind == TL_FRAMES_FLATS
                    ? 50000
                    : (guint16)g_test_rand_int_range (9000, 40000);
  g_assert_true (tl_held_put (fixture->held, kind, number,
                              180.0 * (double)number / N_PROJECTIONS, pixels));
}

static void
take (Fixture *fixture, size_t n)
{
  for (size_t k = 0; k < n; k++)
    put (fixture, TL_FRAMES_PROJECTIONS, fixture->n++);
}

static TlJob *
make_job (TlJobKind kind, const char *filter)
{
  g_autoptr (GError) error = NULL;
  TlJob *job = g_new0 (TlJob, 1);
  job->kind = kind;
  job->fetch = TRUE;
  job->gives_way = kind == TL_JOB_PREVIEW;
  job->recipe = tl_recipe_new ();
  tl_recipe_set (job->recipe, "engine", "host", &error);
  tl_recipe_set (job->recipe, "centre", "20.3", &error);
  tl_recipe_set (job->recipe, "method", "back-projection", &error);
  tl_recipe_set (job->recipe, "filter", filter, &error);
  g_assert_no_error (error);
  return job;
}

/* Returns: (transfer full): the reply to opening what has come */
static TlReply *
open_now (TlJobRunner *runner, TlHeld *held, const char *filter)
{
  g_autoptr (TlJob) job = make_job (TL_JOB_OPEN, filter);
  job->path = g_strdup ("zmq+json://nowhere:1");
  job->held = tl_held_ref (held);
  job->serial = 1;
  TlReply *reply = tl_job_runner_do (runner, job);
  g_assert_no_error (reply->error);
  return reply;
}

/* @opened: the reply with the resolved recipe */
static TlReply *
run (Fixture *fixture, const TlReply *opened, TlJobKind kind,
     const char *filter, gboolean grows, GCancellable *cancellable)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TlJob) job = make_job (kind, "ramp");
  tl_recipe_free (job->recipe);
  job->recipe = tl_recipe_dup (opened->recipe);
  tl_recipe_set (job->recipe, "filter", filter, &error);
  g_assert_no_error (error);
  job->scan_serial = 1;
  job->grows = grows;
  job->measures = fixture->measures;
  job->choice.picture = fixture->picture;
  job->choice.planes[TL_PANE_XY] =
      tl_plane_xy (&opened->recipe->params.grid, 0);
  if (cancellable != NULL)
    job->cancellable = g_object_ref (cancellable);
  if (fixture->compared != NULL)
    {
      job->compared = tl_recipe_dup (opened->recipe);
      tl_recipe_set (job->compared, "filter", fixture->compared, &error);
      g_assert_no_error (error);
    }
  return tl_job_runner_do (fixture->runner, job);
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TlHeldBudget) budget = tl_held_budget_new (1 << 24);
  const TlHeldLayout layout = { .name = "zmq+json://nowhere:1",
                                .n_rows = 1,
                                .n_cols = N_COLS,
                                .n_kept = 1,
                                .type = TL_SAMPLE_U16 };
  fixture->runner = tl_job_runner_new ();
  fixture->picture = TL_PICTURE_SINOGRAM;
  fixture->held = tl_held_new (&layout, budget, &error);
  g_assert_no_error (error);
  put (fixture, TL_FRAMES_DARKS, 0);
  put (fixture, TL_FRAMES_FLATS, 0);
  take (fixture, N_FIRST);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  tl_job_runner_free (fixture->runner);
  tl_held_unref (fixture->held);
}

/* How much a slice changes is measured only for those who want to know. */
static void
test_measure (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TlReply) opened =
      open_now (fixture->runner, fixture->held, "ramp");
  for (int k = 0; k < 2; k++)
    {
      fixture->measures = k > 0;
      g_autoptr (TlReply) before =
          run (fixture, opened, TL_JOB_PREVIEW, "ramp", TRUE, NULL);
      g_assert_true (isnan (before->unit_change));
      take (fixture, fixture->n / 2);
      g_autoptr (TlReply) after =
          run (fixture, opened, TL_JOB_PREVIEW, "ramp", TRUE, NULL);
      g_assert_no_error (after->error);
      g_assert_cmpint (isfinite (after->unit_change), ==, k > 0);
    }
}

/* After a slice was added to, the engine has the new projections alone: the
 * next slice with another filter still has to be made of all of them. */
static void
test_other_filter (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TlReply) opened =
      open_now (fixture->runner, fixture->held, "ramp");
  take (fixture, 3);
  g_autoptr (TlReply) sinogram =
      run (fixture, opened, TL_JOB_VIEW, "ramp", TRUE, NULL);
  g_assert_no_error (sinogram->error);
  g_autoptr (TlReply) slice =
      run (fixture, opened, TL_JOB_PREVIEW, "ramp", FALSE, NULL);
  g_assert_no_error (slice->error);
  g_autoptr (TlReply) other =
      run (fixture, opened, TL_JOB_PREVIEW, "hann", FALSE, NULL);
  g_assert_no_error (other->error);

  g_autoptr (TlJobRunner) fresh = tl_job_runner_new ();
  g_autoptr (TlReply) want = open_now (fresh, fixture->held, "hann");
  const size_t n =
      tl_frame_get_n_rows (want->frame) * tl_frame_get_n_cols (want->frame);
  g_assert_cmpmem (tl_frame_get_pixels (other->frame), n * sizeof (float),
                   tl_frame_get_pixels (want->frame), n * sizeof (float));
}

/* A picture that was cancelled is not the one of what has come. */
static void
test_cancelled (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (TlReply) opened =
      open_now (fixture->runner, fixture->held, "ramp");
  g_assert_cmpuint (opened->growth, >, 0);
  take (fixture, 3);
  g_cancellable_cancel (cancellable);
  g_autoptr (TlReply) cancelled =
      run (fixture, opened, TL_JOB_PREVIEW, "ramp", TRUE, cancellable);
  g_assert_error (cancelled->error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_autoptr (TlReply) next =
      run (fixture, opened, TL_JOB_PREVIEW, "hann", FALSE, NULL);
  g_assert_no_error (next->error);
  g_assert_cmpuint (next->growth, ==, 0);
  g_autoptr (TlReply) grown =
      run (fixture, opened, TL_JOB_PREVIEW, "hann", TRUE, NULL);
  g_assert_no_error (grown->error);
  g_assert_cmpuint (grown->growth, >, opened->growth);
  g_assert_cmpuint (grown->scan->n_projections, ==, fixture->n);
}

/* Planes are made of all projections that have come, with their weights of
 * now, also after a slice to which only the new ones were added. */
static void
test_planes (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TlReply) opened =
      open_now (fixture->runner, fixture->held, "ramp");
  take (fixture, 3);
  g_autoptr (TlReply) slice =
      run (fixture, opened, TL_JOB_PREVIEW, "ramp", TRUE, NULL);
  g_assert_no_error (slice->error);
  take (fixture, 4);
  fixture->picture = TL_PICTURE_PLANES;
  g_autoptr (TlReply) planes =
      run (fixture, opened, TL_JOB_VIEW, "ramp", TRUE, NULL);
  g_assert_no_error (planes->error);

  g_autoptr (TlJobRunner) fresh = tl_job_runner_new ();
  g_autoptr (TlReply) want = open_now (fresh, fixture->held, "ramp");
  const size_t n =
      tl_frame_get_n_rows (want->frame) * tl_frame_get_n_cols (want->frame);
  const float *got = tl_frame_get_pixels (planes->planes.frames[TL_PANE_XY]);
  for (size_t k = 0; k < n; k++)
    g_assert_cmpfloat_with_epsilon (got[k],
                                    tl_frame_get_pixels (want->frame)[k], 1e-6);
}

static void
assert_near (TlFrame *frame, TlFrame *want)
{
  const size_t n = tl_frame_get_n_rows (want) * tl_frame_get_n_cols (want);
  for (size_t k = 0; k < n; k++)
    g_assert_cmpfloat_with_epsilon (tl_frame_get_pixels (frame)[k],
                                    tl_frame_get_pixels (want)[k], 1e-6);
}

/* A, which is made with other parameters, has all projections that have come,
 * too. Its planes are kept only as long as none comes. */
static void
test_compared (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TlReply) opened =
      open_now (fixture->runner, fixture->held, "ramp");
  TlFrame *before = NULL;
  fixture->picture = TL_PICTURE_PLANES;
  fixture->compared = "hann";
  for (guint k = 0; k < 3; k++)
    {
      if (k == 2)
        take (fixture, 5);
      g_autoptr (TlReply) planes =
          run (fixture, opened, TL_JOB_VIEW, "ramp", TRUE, NULL);
      g_assert_no_error (planes->error);
      g_autoptr (TlJobRunner) fresh = tl_job_runner_new ();
      g_autoptr (TlReply) a = open_now (fresh, fixture->held, "hann");
      TlFrame *held = planes->compared_planes.held.frames[TL_PANE_XY];
      assert_near (held, a->frame);
      g_assert_true (k != 2 || held != before);
      g_clear_pointer (&before, tl_frame_unref);
      before = tl_frame_ref (held);
    }
  /* the slice likewise; without A there is none */
  fixture->picture = TL_PICTURE_SLICE;
  take (fixture, 2);
  g_autoptr (TlReply) slice =
      run (fixture, opened, TL_JOB_PREVIEW, "ramp", TRUE, NULL);
  g_assert_no_error (slice->error);
  g_autoptr (TlJobRunner) fresh = tl_job_runner_new ();
  g_autoptr (TlReply) a = open_now (fresh, fixture->held, "hann");
  assert_near (slice->compared_slice, a->frame);
  fixture->compared = NULL;
  g_autoptr (TlReply) alone =
      run (fixture, opened, TL_JOB_PREVIEW, "ramp", FALSE, NULL);
  g_assert_no_error (alone->error);
  g_assert_null (alone->compared_slice);
  assert_near (slice->frame, alone->frame);
  tl_frame_unref (before);
}

/* Without a change, a drag of another knob finds A's planes. */
static void
test_kept (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TlReply) opened =
      open_now (fixture->runner, fixture->held, "ramp");
  fixture->picture = TL_PICTURE_PLANES;
  fixture->compared = "hann";
  g_autoptr (TlReply) first =
      run (fixture, opened, TL_JOB_VIEW, "ramp", FALSE, NULL);
  g_autoptr (TlReply) next =
      run (fixture, opened, TL_JOB_VIEW, "shepp-logan", FALSE, NULL);
  g_assert_true (first->compared_planes.held.frames[TL_PANE_XY]
                 == next->compared_planes.held.frames[TL_PANE_XY]);
  g_assert_true (first->planes.frames[TL_PANE_XY]
                 != next->planes.frames[TL_PANE_XY]);
  fixture->compared = "cosine";
  g_autoptr (TlReply) other =
      run (fixture, opened, TL_JOB_VIEW, "shepp-logan", FALSE, NULL);
  g_assert_true (first->compared_planes.held.frames[TL_PANE_XY]
                 != other->compared_planes.held.frames[TL_PANE_XY]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/growing-jobs/measure", Fixture, NULL, set_up, test_measure,
              tear_down);
  g_test_add ("/growing-jobs/other-filter", Fixture, NULL, set_up,
              test_other_filter, tear_down);
  g_test_add ("/growing-jobs/cancelled", Fixture, NULL, set_up, test_cancelled,
              tear_down);
  g_test_add ("/growing-jobs/planes", Fixture, NULL, set_up, test_planes,
              tear_down);
  g_test_add ("/growing-jobs/compared", Fixture, NULL, set_up, test_compared,
              tear_down);
  g_test_add ("/growing-jobs/kept", Fixture, NULL, set_up, test_kept,
              tear_down);
  return g_test_run ();
}
