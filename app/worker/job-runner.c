#include "app/worker/job-runner-private.h"

#include "app/recon/measured-view.h"

#include "data/error.h"

#include <glib/gi18n.h>
#include <string.h>

struct TlEngineer
{
  TlEngine *engine; /* (nullable): opened by the first job */
  char *asked_for;  /* the name it was opened for: "auto" stays "auto" */
  TlRecon *recon;   /* (nullable): of the scan that is open */
  TlLook *look;     /* (nullable): at that, opened by the first */
  TlSurvey *survey; /* (nullable): of that, until it is done */
  guint64 serial;   /* of the job that opened it */
};

typedef struct
{
  TlEngineer *engineer;
  const TlJob *job;
  TlProgress progress;
  gpointer user_data;
  TlReply *reply;
} Task;

TlEngineer *
tl_engineer_new (void)
{
  return g_new0 (TlEngineer, 1);
}

void
tl_engineer_free (TlEngineer *engineer)
{
  if (engineer == NULL)
    return;
  g_clear_pointer (&engineer->survey, tl_survey_free);
  g_clear_pointer (&engineer->look, tl_look_free);
  g_clear_pointer (&engineer->recon, tl_recon_free);
  g_clear_pointer (&engineer->engine, tl_engine_close);
  g_free (engineer->asked_for);
  g_free (engineer);
}

/* @engine: (transfer full). The old one goes. */
static void
take_engine (TlEngineer *engineer, TlEngine *engine)
{
  if (engineer->recon != NULL)
    tl_recon_set_engine (engineer->recon, engine);
  g_clear_pointer (&engineer->engine, tl_engine_close);
  engineer->engine = engine;
}

/* Makes engineer->engine the one that the recipe names. The old one goes only
 * when the new one is there. */
static gboolean
choose_engine (TlEngineer *engineer, const char *name, GError **error)
{
  if (engineer->engine != NULL && g_str_equal (name, engineer->asked_for))
    return TRUE;
  TlEngine *engine = tl_engine_open (name, error);
  if (engine == NULL)
    return FALSE;
  take_engine (engineer, engine);
  g_free (engineer->asked_for);
  engineer->asked_for = g_strdup (name);
  return TRUE;
}

/* The device is gone, or too small: closes the engine and goes on with host,
 * for as long as nobody asks for another engine. */
static gboolean
fall_back (TlEngineer *engineer, GError **error)
{
  TlEngine *host = tl_engine_open ("host", error);
  if (host == NULL)
    return FALSE;
  take_engine (engineer, host);
  return TRUE;
}

static gboolean
fetch_pictures (TlReply *reply, TlFrame *frame, GError **error)
{
  return tl_frame_fetch (frame, error)
         && (reply->cost.map == NULL
             || tl_frame_fetch (reply->cost.map, error));
}

static TlFrame *
run_recon (Task *task, TlRecon *recon, GError **error)
{
  const TlJob *job = task->job;
  TlReply *reply = task->reply;
  const size_t row = reply->recipe->slice;
  reply->grid = reply->recipe->params.grid;
  if (job->kind == TL_JOB_COST)
    return tl_precision_cost_run (recon, reply->recipe, row, job->cancellable,
                                  &reply->cost, error);
  if (job->reduction == 0)
    return tl_recon_run (recon, reply->recipe, row, 1, job->cancellable, error);
  reply->grid = tl_grid_reduced (reply->grid.nx, job->reduction);
  g_autoptr (TlRecipe) reduced =
      tl_recipe_dup_on_grid (reply->recipe, &reply->grid);
  reply->every = job->every;
  if (job->every > 1)
    return tl_recon_run_thinned (recon, reduced, row, &reply->every,
                                 job->cancellable, error);
  return tl_recon_run (recon, reduced, row, 1, job->cancellable, error);
}

/* One slice of @recon into the reply. */
static gboolean
make_frame (Task *task, TlRecon *recon, GError **error)
{
  const TlJob *job = task->job;
  TlReply *reply = task->reply;
  g_autoptr (TlFrame) frame = run_recon (task, recon, error);
  if (frame == NULL || (job->fetch && !fetch_pictures (reply, frame, error))
      || !tl_engine_measure (tl_recon_get_last_engine (recon), frame, 0,
                             &reply->stats, error)
      || !tl_engine_get_report (tl_recon_get_last_engine (recon),
                                &reply->report, error))
    return FALSE;
  tl_recon_get_times (recon, &reply->times);
  if (job->kind == TL_JOB_COST)
    {
      reply->times = reply->cost.times;
      reply->report = reply->cost.report;
    }
  reply->frame = g_steal_pointer (&frame);
  return TRUE;
}

/* The part of the slice that the job asks for, into the reply. */
static gboolean
make_detail (Task *task, TlRecon *recon, GError **error)
{
  const TlJob *job = task->job;
  TlReply *reply = task->reply;
  if (job->detail.nx == 0)
    return TRUE;
  reply->detail_grid = job->detail;
  g_autoptr (TlRecipe) recipe =
      tl_recipe_dup_on_grid (reply->recipe, &job->detail);
  g_autoptr (TlFrame) frame =
      tl_recon_run (recon, recipe, recipe->slice, 1, job->cancellable, error);
  if (frame == NULL || (job->fetch && !tl_frame_fetch (frame, error)))
    return FALSE;
  reply->detail = g_steal_pointer (&frame);
  return TRUE;
}

static gboolean
do_preview (Task *task, GError **error)
{
  TlRecon *recon = task->engineer->recon;
  const TlScanInfo *info = tl_reader_get_info (tl_recon_get_reader (recon));
  return tl_recipe_resolve (task->reply->recipe, info, error)
         && (task->job->kind == TL_JOB_DETAIL
             || make_frame (task, recon, error))
         && make_detail (task, recon, error);
}

static gboolean
do_look (Task *task, GError **error)
{
  TlEngineer *engineer = task->engineer;
  TlReply *reply = task->reply;
  const TlScanInfo *info =
      tl_reader_get_info (tl_recon_get_reader (engineer->recon));
  if (engineer->look == NULL)
    engineer->look = tl_look_new (engineer->recon);
  if (!tl_recipe_resolve (reply->recipe, info, error))
    return FALSE;
  if (task->job->choice.picture != TL_PICTURE_OVERLAY)
    reply->frame = tl_look_run (engineer->look, reply->recipe,
                                &task->job->choice, task->job->cancellable,
                                &reply->stats, &reply->times, error);
  else if (tl_look_run_pair (engineer->look, reply->recipe,
                             task->job->choice.pair, task->job->cancellable,
                             &reply->pair, &reply->stats, &reply->times, error))
    reply->frame = g_steal_pointer (&reply->pair.frame);
  return reply->frame != NULL;
}

/* The open scan is given up only when the new one's first picture is there. */
static gboolean
do_open (Task *task, GError **error)
{
  TlEngineer *engineer = task->engineer;
  TlReaderOptions options;
  tl_recipe_reader_options (task->reply->recipe, &options);
  g_autoptr (TlReader) reader =
      tl_reader_open (task->job->path, &options, error);
  if (reader == NULL)
    return FALSE;
  const TlScanInfo *info = tl_reader_get_info (reader);
  if (!tl_recipe_fit (task->reply->recipe, info, &task->reply->misfits, error))
    return FALSE;
  task->reply->scan = tl_scan_summary_new (info);
  /* nobody said it, or what was said is not on this detector */
  const TlRecipe *asked = task->job->recipe;
  task->reply->centre_is_assumed =
      !asked->centre_known
      || asked->params.centre_col != task->reply->recipe->params.centre_col;

  g_autoptr (TlRecon) recon =
      tl_recon_new (g_steal_pointer (&reader), engineer->engine);
  if (!make_frame (task, recon, error))
    {
      /* what the engine holds is not the old scan's any more */
      if (engineer->recon != NULL)
        tl_recon_set_engine (engineer->recon, engineer->engine);
      return FALSE;
    }
  g_clear_pointer (&engineer->survey, tl_survey_free);
  g_clear_pointer (&engineer->look, tl_look_free);
  g_clear_pointer (&engineer->recon, tl_recon_free);
  engineer->recon = g_steal_pointer (&recon);
  engineer->survey = tl_survey_new (tl_recon_get_reader (engineer->recon));
  engineer->serial = task->job->serial;
  return TRUE;
}

static gboolean
do_export (Task *task, GError **error)
{
  TlRecon *recon = task->engineer->recon;
  const TlJob *job = task->job;
  const TlScanInfo *info = tl_reader_get_info (tl_recon_get_reader (recon));
  return tl_recipe_resolve (task->reply->recipe, info, error)
         && tl_export_check_folder (info, task->reply->recipe, job->first_row,
                                    job->n_rows, job->path, error)
         && tl_export (recon, task->reply->recipe, job->first_row, job->n_rows,
                       job->path, 0, task->progress, task->user_data,
                       job->cancellable, &task->reply->export_report, error);
}

static gboolean
do_errand (Task *task, GError **error)
{
  TlRecon *recon = task->engineer->recon;
  const TlErrand *errand = &task->job->errand;
  TlReply *reply = task->reply;
  const TlScanInfo *info = tl_reader_get_info (tl_recon_get_reader (recon));
  reply->is_last = FALSE;
  return tl_recipe_resolve (reply->recipe, info, error)
         && errand->step (errand->state, recon, reply->recipe,
                          task->job->cancellable, &reply->result,
                          &reply->is_last, error);
}

static gboolean
do_once (Task *task, GError **error)
{
  if (g_cancellable_set_error_if_cancelled (task->job->cancellable, error)
      || !choose_engine (task->engineer, task->job->recipe->engine, error))
    return FALSE;
  if (task->job->kind == TL_JOB_OPEN)
    return do_open (task, error);
  if (task->engineer->recon == NULL)
    {
      g_set_error_literal (error, TL_ERROR, TL_ERROR_VALUE,
                           _ ("no scan is open"));
      return FALSE;
    }
  switch (task->job->kind)
    {
    case TL_JOB_EXPORT:
      return do_export (task, error);
    case TL_JOB_LOOK:
      return do_look (task, error);
    case TL_JOB_ERRAND:
      return do_errand (task, error);
    default:
      return do_preview (task, error);
    }
}

static void
clear_result (TlReply *reply)
{
  g_clear_pointer (&reply->frame, tl_frame_unref);
  g_clear_pointer (&reply->detail, tl_frame_unref);
  tl_pair_clear (&reply->pair);
  g_clear_pointer (&reply->scan, tl_scan_summary_free);
  g_clear_pointer (&reply->recipe, tl_recipe_free);
  g_clear_pointer (&reply->misfits, g_free);
  tl_precision_cost_clear (&reply->cost);
  tl_reply_clear_result (reply);
}

/* Returns: whether another engine is to do what this one did not. Where an
 * errand alone has not enough memory, pictures need not suffer. */
static gboolean
is_engine_lost (const TlJob *job, const GError *reason)
{
  return g_error_matches (reason, TL_ERROR, TL_ERROR_DEVICE)
         || (job->kind != TL_JOB_ERRAND
             && g_error_matches (reason, TL_ERROR, TL_ERROR_MEMORY));
}

/* As do_once(), and once more with host where the device was lost or has not
 * enough memory; with a new one where it was host that held too much. */
static gboolean
do_twice (Task *task, GError **error)
{
  TlReply *reply = task->reply;
  g_autoptr (GError) reason = NULL;
  if (do_once (task, &reason))
    return TRUE;
  if (!is_engine_lost (task->job, reason) || task->engineer->engine == NULL)
    {
      g_propagate_error (error, g_steal_pointer (&reason));
      return FALSE;
    }
  g_autofree char *name =
      g_strdup (tl_engine_get_name (task->engineer->engine));
  if (!fall_back (task->engineer, error))
    return FALSE;
  if (strcmp (name, "host") != 0)
    {
      reply->lost_engine = g_steal_pointer (&name);
      reply->lost_reason = g_strdup (reason->message);
    }
  clear_result (reply);
  reply->recipe = tl_recipe_dup (task->job->recipe);
  return do_once (task, error);
}

static void
describe_engine (TlEngine *engine, TlReply *reply)
{
  reply->engine = g_strdup (tl_engine_get_name (engine));
  reply->device = g_strdup (tl_engine_get_device (engine));
  reply->variants = tl_engine_list_variants (engine, &reply->n_variants);
}

TlReply *
tl_engineer_do (TlEngineer *engineer, const TlJob *job, TlProgress progress,
                gpointer user_data)
{
  g_return_val_if_fail (engineer != NULL && job != NULL, NULL);
  const gint64 start_us = g_get_monotonic_time ();
  TlReply *reply = g_new0 (TlReply, 1);
  reply->kind = job->kind;
  reply->serial = job->serial;
  reply->progress = 1;
  reply->recipe = tl_recipe_dup (job->recipe);
  reply->choice = job->choice;
  reply->errand = job->errand.kind;
  reply->free_result = job->errand.free_result;
  Task task = { engineer, job, progress, user_data, reply };
  if (!do_twice (&task, &reply->error))
    clear_result (reply);
  if (engineer->engine != NULL)
    describe_engine (engineer->engine, reply);
  reply->frame_ms = (double)(g_get_monotonic_time () - start_us) / 1e3;
  return reply;
}

gboolean
tl_engineer_has_more (const TlEngineer *engineer)
{
  g_return_val_if_fail (engineer != NULL, FALSE);
  return engineer->survey != NULL;
}

TlReply *
tl_engineer_do_more (TlEngineer *engineer)
{
  g_return_val_if_fail (engineer != NULL && engineer->survey != NULL, NULL);
  g_autoptr (GError) reason = NULL;
  gboolean is_done = FALSE;
  if (tl_survey_step (engineer->survey, &is_done, &reason) && !is_done)
    return NULL;
  TlReply *reply = g_new0 (TlReply, 1);
  reply->kind = TL_JOB_SURVEY;
  reply->serial = engineer->serial;
  reply->progress = 1;
  reply->scan = tl_scan_summary_new (
      tl_reader_get_info (tl_recon_get_reader (engineer->recon)));
  tl_scan_summary_take_survey (
      reply->scan,
      reason == NULL ? tl_survey_get_report (engineer->survey) : NULL, reason);
  g_clear_pointer (&engineer->survey, tl_survey_free);
  return reply;
}
