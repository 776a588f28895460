#include "app/worker/job-runner-private.h"

#include "app/recon/growing-slice.h"
#include "app/recon/measured-view.h"
#include "app/worker/plane-comparer.h"
#include "app/worker/plane-levels.h"

#include "data/array.h"
#include "data/error.h"
#include "data/read/format/contents.h"
#include "data/read/scan/frame-ranges.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* The most memory that keeps decoded rows around the slice, which takes less
 * where the machine has less than eight times as much. */
#define MAX_KEPT_BYTES ((guint64)1 << 30)

/* What may take several GB of an engine. */
typedef enum
{
  NOTHING_LARGE,
  VOLUME,
  PLANES
} Large;

struct TlJobRunner
{
  TlEngine *engine;          /* (nullable): opened by the first job */
  char *asked_for;           /* requested name: "auto" stays "auto" */
  guint64 free_bytes;        /* TlReply.free_bytes */
  TlRecon *recon;            /* (nullable): of the open scan */
  TlMeasuredView *view;      /* (nullable): opened for the first view */
  TlPlaneLevels *levels;     /* (nullable): while planes are made of levels */
  TlPlaneComparer *comparer; /* (nullable): while planes are compared */
  TlSurvey *survey;          /* (nullable): of the open scan, until finished */
  TlScanIdentity *identity;  /* (nullable): of the open scan when it was opened
                                first, or found to have changed */
  TlHeld *held;              /* (nullable): of the open scan, if it was opened
                                while it was taken */
  guint64 growth;            /* TlHeldState.serial of what recon has; 0: none */
  TlHeldWeights *weights; /* (nullable): of the open scan, until all of it has
                           come */
  /* (nullable): the newest ones of this scan and engine. */
  TlGrowingSlice *slice, *detail;
  guint64 serial; /* of the job that opened the scan */
  Large large;    /* what its engine has worked on last */
};

typedef struct
{
  TlJobRunner *runner;
  const TlJob *job;
  TlReply *reply;
  TlHeld *held;           /* (nullable): of the scan that the job is about */
  TlHeldWeights *weights; /* (nullable): likewise */
  TlReconTimes times;     /* of the slice that was made last */
  gboolean spares_engine; /* an error is not of the engine, but of reading or of
                             work that host does anyway */
} Run;

TlJobRunner *
tl_job_runner_new (void)
{
  return g_new0 (TlJobRunner, 1);
}

/* The next slice is made of all projections. */
static void
forget_slices (TlJobRunner *runner)
{
  g_clear_pointer (&runner->slice, tl_growing_slice_free);
  g_clear_pointer (&runner->detail, tl_growing_slice_free);
}

/* Gives back the memory of A's planes. */
static void
forget_compared (TlJobRunner *runner)
{
  g_clear_pointer (&runner->comparer, tl_plane_comparer_free);
  if (runner->levels != NULL)
    tl_plane_levels_forget_compared (runner->levels);
}

static void
forget_planes (TlJobRunner *runner)
{
  g_clear_pointer (&runner->levels, tl_plane_levels_free);
  g_clear_pointer (&runner->comparer, tl_plane_comparer_free);
}

void
tl_job_runner_free (TlJobRunner *runner)
{
  if (runner == NULL)
    return;
  forget_slices (runner);
  g_clear_pointer (&runner->survey, tl_survey_free);
  g_clear_pointer (&runner->view, tl_measured_view_free);
  forget_planes (runner);
  g_clear_pointer (&runner->recon, tl_recon_free);
  g_clear_pointer (&runner->held, tl_held_unref);
  g_clear_pointer (&runner->weights, tl_held_weights_unref);
  g_clear_pointer (&runner->engine, tl_engine_close);
  g_clear_pointer (&runner->identity, tl_scan_identity_free);
  g_free (runner->asked_for);
  g_free (runner);
}

/* Replaces the engine by @engine: (transfer full). */
static void
take_engine (TlJobRunner *runner, TlEngine *engine)
{
  forget_slices (runner);
  forget_planes (runner);
  if (runner->recon != NULL)
    tl_recon_set_engine (runner->recon, engine);
  g_clear_pointer (&runner->engine, tl_engine_close);
  runner->engine = engine;
  runner->free_bytes = tl_engine_get_free (engine);
}

/* Opens the engine @name unless it is in use. The old one is closed only after
 * the new one has opened. */
static gboolean
choose_engine (TlJobRunner *runner, const char *name, GError **error)
{
  if (runner->engine != NULL && g_str_equal (name, runner->asked_for))
    return TRUE;
  TlEngine *engine = tl_engine_open (name, error);
  if (engine == NULL)
    return FALSE;
  take_engine (runner, engine);
  g_free (runner->asked_for);
  runner->asked_for = g_strdup (name);
  return TRUE;
}

/* Replaces an engine whose device is lost or too small by host, until another
 * engine is requested. */
static gboolean
fall_back (TlJobRunner *runner, GError **error)
{
  TlEngine *host = tl_engine_open ("host", error);
  if (host == NULL)
    return FALSE;
  take_engine (runner, host);
  return TRUE;
}

static gboolean
fetch_pictures (TlReply *reply, TlFrame *frame, GError **error)
{
  return tl_frame_fetch (frame, error)
         && (reply->cost.map == NULL
             || tl_frame_fetch (reply->cost.map, error));
}

/* Makes a slice of all projections. Of a scan that is being taken it is kept in
 * @newest, so that the next one can be added to it. */
static TlFrame *
run_whole (Run *run, TlRecon *recon, const TlRecipe *recipe,
           TlGrowingSlice **newest, GError **error)
{
  GCancellable *cancellable = run->job->cancellable;
  if (run->weights != NULL)
    {
      if (*newest == NULL)
        *newest = tl_growing_slice_new (run->runner->engine);
      return tl_growing_slice_make (*newest, recon, run->held, run->weights,
                                    recipe, &run->times, cancellable, error);
    }
  TlFrame *frame =
      tl_recon_run (recon, recipe, recipe->slice, 1, cancellable, error);
  tl_recon_get_times (recon, &run->times);
  return frame;
}

/* Makes the slice, and measures how much one that grows has changed, if that is
 * wanted. */
static TlFrame *
run_measured (Run *run, TlRecon *recon, const TlRecipe *recipe, GError **error)
{
  TlGrowingSlice **slice = &run->runner->slice;
  const size_t n =
      tl_reader_get_info (tl_recon_get_reader (recon))->n_projections;
  TlFrame *frame = run_whole (run, recon, recipe, slice, error);
  if (frame == NULL || run->weights == NULL || !run->job->measures
      || tl_growing_slice_measure_change (*slice, n, &run->reply->unit_change,
                                          error))
    return frame;
  tl_frame_unref (frame);
  return NULL;
}

/* @reason: (transfer full): why there is no A. Returns: %FALSE if there can be
 * no B either */
static gboolean
leave_out_compared (GError *reason, GError **error)
{
  if (g_error_matches (reason, G_IO_ERROR, G_IO_ERROR_CANCELLED)
      || g_error_matches (reason, TL_ERROR, TL_ERROR_DEVICE))
    {
      g_propagate_error (error, reason);
      return FALSE;
    }
  g_info ("no A: %s", reason->message);
  g_error_free (reason);
  return TRUE;
}

/* Makes slice A, before B, so that the engine has B's rows for the next slice.
 * Without it there is still a B to show. */
static gboolean
make_compared_slice (Run *run, TlRecon *recon, GError **error)
{
  const TlRecipe *recipe = run->job->compared;
  g_autoptr (TlGrowingSlice) own = NULL;
  g_autoptr (GError) reason = NULL;
  if (recipe == NULL || run->job->kind != TL_JOB_PREVIEW)
    return TRUE;
  g_autoptr (TlFrame) frame = run_whole (run, recon, recipe, &own, &reason);
  if (frame != NULL)
    run->reply->compared_slice = tl_frame_copy (frame, &reason);
  return reason == NULL
         || leave_out_compared (g_steal_pointer (&reason), error);
}

/* Returns: (transfer full): the slice, or a preview from some projections */
static TlFrame *
run_recon (Run *run, TlRecon *recon, const TlRecipe *recipe, GError **error)
{
  const TlJob *job = run->job;
  TlReply *reply = run->reply;
  const size_t row = reply->recipe->slice;
  reply->every = MAX (job->every, 1);
  if (job->kind == TL_JOB_COST)
    return tl_precision_cost_run (recon, recipe, row, job->cancellable,
                                  &reply->cost, error);
  if (reply->every == 1 && (job->gives_way || run->weights != NULL))
    return run_measured (run, recon, recipe, error);
  TlFrame *frame =
      reply->every > 1
          ? tl_recon_run_subsampled (recon, recipe, row, &reply->every,
                                     job->cancellable, error)
          : tl_recon_run_early (recon, recipe, row, &reply->every, job->reading,
                                job->cancellable, error);
  tl_recon_get_times (recon, &run->times);
  return frame;
}

/* The first picture of a scan is reduced where the whole one would take longer
 * than this. The host adds 1.2e9 projections to a pixel in a second and thread,
 * or more (AVX-512 without hyperthreads: 2.5e9); the Fourier method takes as
 * long as 12e9 such sums would. */
#define FIRST_PICTURE_S 0.2
#define HOST_SUMS_PER_S 1.2e9
#define HOST_FOURIER_SUMS_PER_S 12e9
#define MAX_FIRST_REDUCTION 8 /* a picture reduced further shows too little */

/* Returns: as of TlJob.reduction */
static guint
choose_reduction (const Run *run, TlRecon *recon, const TlGrid *grid)
{
  const TlJob *job = run->job;
  if (job->kind != TL_JOB_OPEN || job->held != NULL
      || strcmp (tl_engine_get_name (run->runner->engine), "host") != 0)
    return job->reduction;
  const TlScanInfo *info = tl_reader_get_info (tl_recon_get_reader (recon));
  const double sums =
      (double)grid->nx * (double)grid->ny * (double)info->n_projections;
  const double rate = tl_params_allow_fourier (&run->reply->recipe->params)
                          ? HOST_FOURIER_SUMS_PER_S
                          : HOST_SUMS_PER_S;
  const double limit = FIRST_PICTURE_S * rate * g_get_num_processors ();
  guint reduction = 1;
  while (reduction < MAX_FIRST_REDUCTION
         && sums / (reduction * reduction) > limit)
    reduction *= 2;
  return reduction > 1 ? reduction : 0;
}

/* Makes one slice with @recon and stores it in the reply. */
static gboolean
make_frame (Run *run, TlRecon *recon, GError **error)
{
  const TlJob *job = run->job;
  TlReply *reply = run->reply;
  reply->grid = reply->recipe->params.grid;
  const guint reduction = choose_reduction (run, recon, &reply->grid);
  if (reduction > 0)
    reply->grid = tl_grid_reduced (reply->grid.nx, reduction);
  g_autoptr (TlRecipe) recipe =
      tl_recipe_dup_on_grid (reply->recipe, &reply->grid);
  g_autoptr (TlFrame) frame = run_recon (run, recon, recipe, error);
  run->spares_engine = tl_recon_lacks_rows (recon);
  if (frame == NULL || (job->fetch && !fetch_pictures (reply, frame, error))
      || !tl_engine_measure (tl_recon_get_last_engine (recon), frame, 0,
                             &reply->stats, error)
      || !tl_engine_get_report (tl_recon_get_last_engine (recon),
                                &reply->report, error))
    return FALSE;
  reply->times = run->times;
  if (job->kind == TL_JOB_COST)
    {
      reply->times = reply->cost.times;
      reply->report = reply->cost.report;
    }
  reply->frame = g_steal_pointer (&frame);
  return TRUE;
}

/* Makes the part of the slice that the job asks for, if any. A preview from
 * some projections has no such part: it would have to wait for the others. */
static gboolean
make_detail (Run *run, TlRecon *recon, GError **error)
{
  const TlJob *job = run->job;
  TlReply *reply = run->reply;
  if (job->detail.nx == 0 || reply->every > 1)
    return TRUE;
  reply->detail_grid = job->detail;
  g_autoptr (TlRecipe) recipe =
      tl_recipe_dup_on_grid (reply->recipe, &job->detail);
  g_autoptr (TlFrame) frame =
      run_whole (run, recon, recipe, &run->runner->detail, error);
  run->spares_engine = tl_recon_lacks_rows (recon);
  if (frame == NULL || (job->fetch && !tl_frame_fetch (frame, error)))
    return FALSE;
  reply->detail = g_steal_pointer (&frame);
  return TRUE;
}

/* What is made of planes besides the frames. */
typedef struct
{
  TlStats stats;
  TlReconTimes times;
  TlEngineReport report;
} PlaneFigures;

/* In a drag, A's planes and B's are made by different engines, so that neither
 * filters all rows anew because of the other one. */
static gboolean
run_level (Run *run, const TlRecipe *recipe, TlPlaneSet *set,
           PlaneFigures *figures, GError **error)
{
  const TlJob *job = run->job;
  TlJobRunner *runner = run->runner;
  g_autofree char *engine = tl_engine_dup_device_name (runner->engine);
  if (runner->levels == NULL)
    runner->levels = tl_plane_levels_new ();
  return tl_plane_levels_run (
      runner->levels, recipe == job->compared && !job->gives_way, job->level,
      job->level_bin, engine, recipe, job->choice.planes,
      MAX (job->coarseness, 1), job->cancellable, set, &figures->stats,
      &figures->times, &figures->report, error);
}

static gboolean
run_planes (Run *run, const TlRecipe *recipe, TlPlaneSet *set,
            PlaneFigures *figures, GError **error)
{
  const TlJob *job = run->job;
  if (job->level != NULL)
    return run_level (run, recipe, set, figures, error);
  const gboolean good = tl_plane_set_run (
      run->runner->recon, recipe, job->choice.planes, MAX (job->coarseness, 1),
      job->cancellable, set, &figures->stats, &figures->times, error);
  run->spares_engine = tl_recon_lacks_rows (run->runner->recon);
  return good
         && tl_engine_get_report (run->runner->engine, &figures->report, error);
}

/* Makes A's planes, unless they are kept. Without them there is still a B to
 * show. */
static gboolean
make_compared_planes (Run *run, GError **error)
{
  TlJobRunner *runner = run->runner;
  const TlJob *job = run->job;
  g_auto (TlPlaneSet) set = { 0 };
  g_autoptr (GError) reason = NULL;
  PlaneFigures figures;
  if (job->compared == NULL)
    {
      forget_compared (runner);
      return TRUE;
    }
  if (runner->comparer == NULL)
    runner->comparer = tl_plane_comparer_new ();
  if (tl_plane_comparer_find (runner->comparer, job, runner->growth) != NULL
      || (run_planes (run, job->compared, &set, &figures, &reason)
          && tl_plane_comparer_keep (runner->comparer, job, runner->growth,
                                     &set, &reason)))
    return TRUE;
  return leave_out_compared (g_steal_pointer (&reason), error);
}

static gboolean
compare_planes (Run *run, GError **error)
{
  TlJobRunner *runner = run->runner;
  const TlPlaneSet *held =
      runner->comparer != NULL
          ? tl_plane_comparer_find (runner->comparer, run->job, runner->growth)
          : NULL;
  return held == NULL
         || tl_plane_comparer_compare (runner->comparer, &run->reply->planes,
                                       held, &run->reply->compared_planes,
                                       error);
}

/* Returns: the memory of the engine and of those of the levels */
static size_t
count_bytes (const TlJobRunner *runner)
{
  TlEngineReport report;
  return (runner->levels != NULL ? tl_plane_levels_count_bytes (runner->levels)
                                 : 0)
         + (tl_engine_get_report (runner->engine, &report, NULL)
                ? report.memory_bytes
                : 0);
}

/* Planes may all pass beside what the scan shows: then there is no frame. */
static gboolean
do_planes (Run *run, GError **error)
{
  const TlJob *job = run->job;
  TlReply *reply = run->reply;
  PlaneFigures figures;
  if (!make_compared_planes (run, error)
      || !run_planes (run, reply->recipe, &reply->planes, &figures, error)
      || !compare_planes (run, error))
    return FALSE;
  reply->stats = figures.stats;
  reply->times = figures.times;
  reply->report = figures.report;
  reply->report.memory_bytes = count_bytes (run->runner);
  for (guint k = 0; k < TL_N_PANES && job->fetch; k++)
    if (reply->planes.frames[k] != NULL
        && !tl_frame_fetch (reply->planes.frames[k], error))
      return FALSE;
  TlFrame *first = tl_plane_set_get_first (&reply->planes);
  if (first != NULL)
    reply->frame = tl_frame_ref (first);
  return TRUE;
}

static gboolean
do_view (Run *run, GError **error)
{
  TlJobRunner *runner = run->runner;
  TlReply *reply = run->reply;
  if (run->job->choice.picture == TL_PICTURE_PLANES)
    return do_planes (run, error);
  if (runner->view == NULL)
    runner->view = tl_measured_view_new (runner->recon);
  if (run->job->choice.picture != TL_PICTURE_OVERLAY)
    reply->frame = tl_measured_view_run (
        runner->view, reply->recipe, &run->job->choice, run->job->cancellable,
        &reply->stats, &reply->times, error);
  else if (tl_measured_view_run_pair (runner->view, reply->recipe,
                                      run->job->choice.pair,
                                      run->job->cancellable, &reply->pair,
                                      &reply->stats, &reply->times, error))
    reply->frame = g_steal_pointer (&reply->pair.frame);
  /* Host corrects projections, whatever the engine of slices is. */
  run->spares_engine = run->job->choice.picture != TL_PICTURE_SINOGRAM
                       || tl_recon_lacks_rows (runner->recon);
  return reply->frame != NULL;
}

/* @identity: (out): %NULL for a scan that is being taken */
static TlReader *
open_with (Run *run, const TlRecipe *recipe, TlScanIdentity **identity,
           GError **error)
{
  TlReaderOptions options;
  *identity = NULL;
  g_clear_pointer (&run->weights, tl_held_weights_unref);
  tl_recipe_reader_options (recipe, &options);
  options.cancellable = run->job->cancellable;
  TlHeld *held = run->job->held;
  TlReader *reader = held != NULL
                         ? tl_held_open (held, &options, &run->weights, error)
                         : tl_reader_open (run->job->path, &options, error);
  run->spares_engine = reader == NULL;
  if (reader == NULL || held != NULL)
    return reader;
  tl_reader_browse (reader, MIN (MAX_KEPT_BYTES, tl_get_machine_bytes () / 8));
  *identity = tl_scan_identity_new (reader);
  return reader;
}

/* Opens the scan with the recipe of the job. If another scan has its name now,
 * that recipe may not fit: opens it with job->anew instead. */
static TlReader *
open_reader (Run *run, const TlRecipe **used, TlScanIdentity **identity,
             GError **error)
{
  const TlScanIdentity *before = run->runner->identity;
  const TlRecipe *anew =
      before != NULL && run->job->held == NULL ? run->job->anew : NULL;
  TlScanChange *change = &run->reply->change;
  g_autoptr (GError) failure = NULL;
  g_autoptr (TlReader) reader =
      open_with (run, run->job->recipe, identity, &failure);
  *used = run->job->recipe;
  *change = reader != NULL && anew != NULL
                ? tl_scan_identity_compare (before, *identity)
                : TL_SCAN_AS_BEFORE;
  if (anew != NULL && (reader == NULL || *change == TL_SCAN_REPLACED))
    {
      g_clear_pointer (&reader, tl_reader_close);
      g_clear_pointer (identity, tl_scan_identity_free);
      reader =
          open_with (run, anew, identity, failure == NULL ? &failure : NULL);
      *used = anew;
      *change = reader != NULL ? tl_scan_identity_compare (before, *identity)
                               : TL_SCAN_AS_BEFORE;
    }
  /* If it is still the same scan, a recipe that does not fit is an error. */
  if (reader != NULL && (failure == NULL || *change == TL_SCAN_REPLACED))
    return g_steal_pointer (&reader);
  g_propagate_error (error, g_steal_pointer (&failure));
  return NULL;
}

/* What is made from the open scan goes with it. */
static void
take_recon (TlJobRunner *runner, TlRecon *recon)
{
  TlReader *reader = tl_recon_get_reader (recon);
  g_clear_pointer (&runner->survey, tl_survey_free);
  g_clear_pointer (&runner->view, tl_measured_view_free);
  forget_planes (runner);
  g_clear_pointer (&runner->recon, tl_recon_free);
  runner->recon = recon;
  if (tl_reader_get_info (reader)->weights == NULL)
    runner->survey = tl_survey_new (reader);
}

/* Other jobs than those with a recipe to begin anew keep the old identity, so
 * that the next such job still reports the change. */
static void
take_identity (TlJobRunner *runner, const TlJob *job, TlScanIdentity *identity)
{
  TlScanIdentity *old = runner->identity;
  if (job->anew != NULL || old == NULL || identity == NULL
      || !tl_scan_identity_has_same_name (old, identity))
    runner->identity = g_steal_pointer (&identity);
  else
    old = identity;
  g_clear_pointer (&old, tl_scan_identity_free);
}

/* Keeps the weights of the snapshot for the next picture. */
static void
take_weights (Run *run)
{
  TlJobRunner *runner = run->runner;
  g_clear_pointer (&runner->weights, tl_held_weights_unref);
  if (run->weights != NULL)
    runner->weights = tl_held_weights_ref (run->weights);
  else
    forget_slices (runner);
}

/* Returns: (transfer full) */
static char *
tell_left_out (const char *damaged, const char *why)
{
  return g_strdup_printf (
      _ ("projections that cannot be read are left out: %s; the first: %s"),
      damaged, why);
}

/* Makes the first picture of the scan of @reader: (transfer full), which was
 * opened with @asked. Projections that cannot be read are left out, and
 * @identity is then that of the scan without them.
 *
 * Returns: (transfer full): %NULL with an error */
static TlRecon *
begin_scan (Run *run, TlReader *reader, const TlRecipe *asked,
            TlScanIdentity **identity, GError **error)
{
  TlReply *reply = run->reply;
  g_autoptr (TlRecon) recon = tl_recon_new (reader, run->runner->engine);
  const TlScanInfo *info = tl_reader_get_info (reader);
  GError *failure = NULL;
  tl_reply_clear_result (reply);
  reply->recipe = tl_recipe_dup (asked);
  if (!tl_recipe_fit (reply->recipe, info, &reply->misfits, error))
    return NULL;
  reply->scan = tl_scan_summary_new (info);
  /* The centre was not given, or the given one is off this detector. */
  reply->centre_is_assumed =
      !asked->centre_known
      || asked->params.centre_col != reply->recipe->params.centre_col;
  if (make_frame (run, recon, &failure))
    return g_steal_pointer (&recon);

  g_autofree char *why = NULL;
  g_autofree char *damaged = tl_reader_dup_unreadable (reader, &why);
  if (damaged == NULL)
    {
      g_propagate_error (error, failure);
      return NULL;
    }
  g_error_free (failure);
  g_clear_pointer (&recon, tl_recon_free);
  g_clear_pointer (identity, tl_scan_identity_free);
  g_autoptr (TlRecipe) rest = tl_recipe_dup (asked);
  const char *others = asked->leave_out != NULL ? asked->leave_out : "";
  g_free (rest->leave_out);
  rest->leave_out = tl_frame_ranges_join (others, damaged);
  reader = open_with (run, rest, identity, error);
  if (reader != NULL)
    recon = begin_scan (run, reader, rest, identity, error);
  if (recon != NULL)
    {
      g_autofree char *misfits = reply->misfits;
      g_autofree char *told = tell_left_out (damaged, why);
      reply->misfits =
          g_strconcat (told, misfits != NULL ? "; " : NULL, misfits, NULL);
    }
  return g_steal_pointer (&recon);
}

/* The previous scan stays open until the first picture of the new one is made.
 */
static gboolean
do_open (Run *run, GError **error)
{
  TlJobRunner *runner = run->runner;
  const TlRecipe *asked;
  TlHeldState state = { 0 };
  g_autoptr (TlScanIdentity) identity = NULL;
  forget_slices (runner);
  run->held = run->job->held;
  if (runner->identity != NULL
      && tl_scan_identity_was_written (runner->identity))
    tl_reader_refresh (tl_recon_get_reader (runner->recon));
  if (run->job->held != NULL)
    tl_held_get_state (run->job->held, &state);
  TlReader *reader = open_reader (run, &asked, &identity, error);
  if (reader == NULL)
    return FALSE;
  TlRecon *recon = begin_scan (run, reader, asked, &identity, error);
  if (recon == NULL)
    return FALSE;
  take_recon (runner, recon);
  take_identity (runner, run->job, g_steal_pointer (&identity));
  g_clear_pointer (&runner->held, tl_held_unref);
  if (run->job->held != NULL)
    runner->held = tl_held_ref (run->job->held);
  take_weights (run);
  runner->growth = state.serial;
  runner->serial = run->job->serial;
  return TRUE;
}

/* Takes in the projections that have come since. */
static gboolean
grow (Run *run, GError **error)
{
  TlJobRunner *runner = run->runner;
  TlReply *reply = run->reply;
  TlHeldState state; /* at least that is in the snapshot */
  TlReaderOptions options;
  tl_held_get_state (runner->held, &state);
  g_clear_pointer (&run->weights, tl_held_weights_unref);
  tl_recipe_reader_options (reply->recipe, &options);
  TlReader *reader =
      tl_held_open (runner->held, &options, &run->weights, error);
  run->spares_engine = reader == NULL;
  if (reader == NULL)
    return FALSE;
  take_weights (run);
  take_recon (runner, tl_recon_new (reader, runner->engine));
  reply->scan = tl_scan_summary_new (tl_reader_get_info (reader));
  runner->growth = state.serial;
  return TRUE;
}

static gboolean
do_task (Run *run, GError **error)
{
  const TlTask *task = &run->job->task;
  TlReply *reply = run->reply;
  reply->is_last = FALSE;
  return task->step (task->state, run->runner->recon, reply->recipe,
                     run->job->cancellable, &reply->result, &reply->is_last,
                     error);
}

/* Gives back the memory of what is not shown any more: the levels of planes,
 * and what the engine has taken for a volume, for planes or for the last scan,
 * which may be several GB. Other tasks work beside what is shown. */
static void
give_back (TlJobRunner *runner, const TlJob *job)
{
  const gboolean is_task = job->kind == TL_JOB_TASK;
  const Large large = is_task && job->task.kind == TL_TASK_VOLUME ? VOLUME
                      : !is_task && job->choice.picture == TL_PICTURE_PLANES
                          ? PLANES
                          : NOTHING_LARGE;
  if (is_task && large != VOLUME)
    return;
  if (large != PLANES)
    forget_planes (runner);
  if (job->kind == TL_JOB_OPEN
      || (runner->large != NOTHING_LARGE && runner->large != large))
    tl_engine_give_back (runner->engine);
  runner->large = large;
}

static gboolean
do_once (Run *run, GError **error)
{
  const TlJob *job = run->job;
  TlRecon *recon = run->runner->recon;
  if (g_cancellable_set_error_if_cancelled (job->cancellable, error)
      || !choose_engine (run->runner, job->recipe->engine, error))
    return FALSE;
  give_back (run->runner, job);
  if (job->kind == TL_JOB_OPEN)
    {
      run->runner->free_bytes = tl_engine_get_free (run->runner->engine);
      return do_open (run, error);
    }
  if (recon == NULL)
    return tl_fail (error, TL_ERROR_VALUE, _ ("no scan is open"));
  /* The job's recipe was resolved for the scan that was open then. */
  if (job->scan_serial != run->runner->serial)
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_CANCELLED,
                           _ ("another scan is open"));
      return FALSE;
    }
  if (job->is_put_off)
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_CANCELLED,
                           _ ("a background task needs the same projections"));
      return FALSE;
    }
  run->held = run->runner->held;
  g_clear_pointer (&run->weights, tl_held_weights_unref);
  if (run->runner->weights != NULL)
    run->weights = tl_held_weights_ref (run->runner->weights);
  if (job->grows && run->held != NULL && !grow (run, error))
    return FALSE;
  recon = run->runner->recon;
  switch (job->kind)
    {
    case TL_JOB_VIEW:
      return do_view (run, error);
    case TL_JOB_TASK:
      return do_task (run, error);
    default:
      return make_compared_slice (run, recon, error)
             && (job->kind == TL_JOB_DETAIL || make_frame (run, recon, error))
             && make_detail (run, recon, error);
    }
}

/* Returns: whether host has to take over. If only a task runs out of memory,
 * the engine can still make pictures; if reading does, host needs as much. */
static gboolean
is_engine_lost (const Run *run, const GError *reason)
{
  return g_error_matches (reason, TL_ERROR, TL_ERROR_DEVICE)
         || (run->job->kind != TL_JOB_TASK && !run->spares_engine
             && g_error_matches (reason, TL_ERROR, TL_ERROR_MEMORY));
}

/* Runs do_once() and, if the engine was lost or out of memory, repeats it with
 * a new host engine. */
static gboolean
do_twice (Run *run, GError **error)
{
  TlReply *reply = run->reply;
  g_autoptr (GError) reason = NULL;
  if (do_once (run, &reason))
    return TRUE;
  if (!is_engine_lost (run, reason) || run->runner->engine == NULL)
    {
      g_propagate_error (error, g_steal_pointer (&reason));
      return FALSE;
    }
  g_autofree char *name = g_strdup (tl_engine_get_name (run->runner->engine));
  if (!fall_back (run->runner, error))
    return FALSE;
  if (strcmp (name, "host") != 0)
    {
      reply->lost_engine = g_steal_pointer (&name);
      reply->lost_reason = g_strdup (reason->message);
    }
  tl_reply_clear_result (reply);
  reply->recipe = tl_recipe_dup (run->job->recipe);
  return do_once (run, error);
}

static void
describe_engine (const TlJobRunner *runner, TlReply *reply)
{
  TlEngine *engine = runner->engine;
  reply->free_bytes = runner->free_bytes;
  reply->engine = g_strdup (tl_engine_get_name (engine));
  reply->device = g_strdup (tl_engine_get_device (engine));
  reply->variants = tl_engine_list_variants (engine, &reply->n_variants);
}

/* Lists what the user may say of a folder that was refused. */
static void
list_groups (const TlJob *job, TlReply *reply)
{
  TlReaderOptions options;
  if (job->kind != TL_JOB_OPEN || job->held != NULL
      || reply->error->domain != TL_ERROR
      || reply->error->code == TL_ERROR_MEMORY
      || reply->error->code == TL_ERROR_DEVICE)
    return;
  tl_recipe_reader_options (job->recipe, &options);
  options.cancellable = job->cancellable;
  reply->groups = tl_contents_list_groups (job->path, &options);
}

TlReply *
tl_job_runner_do (TlJobRunner *runner, const TlJob *job)
{
  g_return_val_if_fail (runner != NULL && job != NULL, NULL);
  const gint64 start_us = g_get_monotonic_time ();
  TlReply *reply = g_new0 (TlReply, 1);
  reply->kind = job->kind;
  reply->serial = job->serial;
  reply->recipe = tl_recipe_dup (job->recipe);
  reply->held = job->held != NULL ? tl_held_ref (job->held) : NULL;
  reply->compared =
      job->compared != NULL ? tl_recipe_dup (job->compared) : NULL;
  reply->grows = job->grows;
  reply->is_put_off = job->is_put_off;
  reply->choice = job->choice;
  reply->task = job->task.kind;
  reply->free_result = job->task.free_result;
  reply->unit_change = NAN;
  Run run = { .runner = runner, .job = job, .reply = reply };
  if (do_twice (&run, &reply->error))
    reply->growth = runner->growth;
  else
    {
      tl_reply_clear_result (reply);
      list_groups (job, reply);
      if (job->grows) /* its summary is lost: a picture is asked for again */
        runner->growth = 0;
    }
  g_clear_pointer (&run.weights, tl_held_weights_unref);
  if (runner->engine != NULL)
    describe_engine (runner, reply);
  reply->frame_ms = (double)(g_get_monotonic_time () - start_us) / 1e3;
  return reply;
}

gboolean
tl_job_runner_has_more (const TlJobRunner *runner)
{
  g_return_val_if_fail (runner != NULL, FALSE);
  return runner->survey != NULL;
}

TlReply *
tl_job_runner_do_more (TlJobRunner *runner)
{
  g_return_val_if_fail (runner != NULL && runner->survey != NULL, NULL);
  g_autoptr (GError) reason = NULL;
  gboolean is_done = FALSE;
  if (tl_survey_step (runner->survey, &is_done, &reason) && !is_done)
    return NULL;
  TlReply *reply = g_new0 (TlReply, 1);
  reply->kind = TL_JOB_SURVEY;
  reply->serial = runner->serial;
  reply->scan = tl_scan_summary_new (
      tl_reader_get_info (tl_recon_get_reader (runner->recon)));
  const TlSurveyReport *report =
      reason == NULL ? tl_survey_get_report (runner->survey) : NULL;
  const TlOddFrames *damaged =
      report != NULL ? &report->odd[TL_ODD_UNREADABLE] : NULL;
  if (damaged != NULL && damaged->n_frames > 0)
    reply->misfits = tell_left_out (damaged->frames, damaged->reason);
  tl_scan_summary_take_survey (reply->scan, report, reason);
  g_clear_pointer (&runner->survey, tl_survey_free);
  return reply;
}
