#include "app/export/outlook.h"

#include "app/export/method.h"

#include "data/error.h"
#include "data/write/part-file.h"

#include <glib/gi18n.h>
#include <unistd.h>

/* What the thread needs to know; its own copies. */
typedef struct
{
  TlScanInfo info; /* only what a plan needs */
  TlRecipe *recipe;
  char *scan, *path;
  TlExportSettings settings;
  double slice_s;
} Question;

static void
question_free (gpointer data)
{
  Question *question = data;
  tl_recipe_free (question->recipe);
  g_free (question->scan);
  g_free (question->path);
  g_free (question);
}

void
tl_export_outlook_free (TlExportOutlook *outlook)
{
  if (outlook == NULL)
    return;
  g_free (outlook->question);
  g_free (outlook->plan);
  g_free (outlook);
}

/* Returns: (transfer full): the folder of @path, or the nearest one above it
 * that is there */
static char *
find_folder (const char *path)
{
  char *folder = g_path_get_dirname (path);
  while (!g_file_test (folder, G_FILE_TEST_EXISTS) && strcmp (folder, "/") != 0)
    {
      char *parent = g_path_get_dirname (folder);
      g_free (folder);
      folder = parent;
    }
  return folder;
}

static gboolean
check_folder (const char *folder, GError **error)
{
  if (!g_file_test (folder, G_FILE_TEST_IS_DIR))
    return tl_fail (error, TL_ERROR_FILE,
                    _ ("%s: this is not a folder; choose another one"), folder);
  if (access (folder, W_OK) != 0)
    return tl_fail (error, TL_ERROR_FILE,
                    _ ("%s: you may not write in this folder; choose another "
                       "one"),
                    folder);
  return TRUE;
}

static char *
make_plan (const Question *question, GError **error)
{
  TlExportPlan plan;
  g_auto (GStrv) engines =
      tl_pipeline_choose_engines (question->recipe->engine, 0, error);
  if (engines == NULL
      || !tl_export_plan_make (
          &question->settings, &question->recipe->params, &question->info,
          (const char *const *)engines, 0,
          tl_export_plan_count_gpu_free ((const char *const *)engines), &plan,
          error))
    return NULL;
  tl_export_plan_expect (&plan, question->slice_s / plan.n_engines,
                         question->settings.n_rows);
  return tl_export_plan_describe (&plan, TRUE);
}

/* An unfinished volume has some of its room already, so that only the export
 * knows whether there is enough. */
static gboolean
look (const Question *question, TlExportOutlook *outlook, GError **error)
{
  const TlExportJob job = { .scan = question->scan,
                            .recipe = question->recipe,
                            .path = question->path,
                            .settings = question->settings };
  g_autofree char *folder = find_folder (question->path);
  const char *note; /* the export says it */
  TlVolumeInfo info;
  tl_export_settings_describe (&question->settings,
                               &question->recipe->params.grid, 0, &info);
  tl_get_room (folder, &outlook->free_bytes, NULL);
  if (!tl_export_settle_method (&job, question->info.n_projections,
                                question->info.n_cols, question->recipe, &note,
                                error))
    return FALSE;
  outlook->plan = make_plan (question, error);
  return outlook->plan != NULL && check_folder (folder, error)
         && tl_export_check_target (&job, &outlook->question,
                                    &outlook->can_resume, error)
         && (outlook->can_resume
             || tl_export_plan_check_room (question->path, &info, error));
}

static void
look_in_thread (GTask *task, gpointer source, gpointer data,
                GCancellable *cancellable)
{
  g_autoptr (TlExportOutlook) outlook = g_new0 (TlExportOutlook, 1);
  GError *error = NULL;
  if (look (data, outlook, &error))
    g_task_return_pointer (task, g_steal_pointer (&outlook),
                           (GDestroyNotify)tl_export_outlook_free);
  else
    g_task_return_error (task, error);
}

void
tl_export_outlook_ask (const TlScanSummary *scan, const TlRecipe *recipe,
                       const char *path, const TlExportSettings *settings,
                       double slice_s, GAsyncReadyCallback callback,
                       gpointer user_data)
{
  g_return_if_fail (scan != NULL && recipe != NULL);
  g_return_if_fail (path != NULL && settings != NULL);
  g_autoptr (GTask) task = g_task_new (NULL, NULL, callback, user_data);
  Question *question = g_new0 (Question, 1);
  question->scan = g_strdup (scan->path);
  question->recipe = tl_recipe_dup (recipe);
  question->path = g_strdup (path);
  question->settings = *settings;
  question->slice_s = slice_s;
  question->info = (TlScanInfo){ .n_projections = scan->n_projections,
                                 .n_rows = scan->n_rows,
                                 .n_cols = scan->n_cols,
                                 .type = scan->type,
                                 .decoding = scan->decoding };
  g_task_set_task_data (task, question, question_free);
  g_task_run_in_thread (task, look_in_thread);
}

TlExportOutlook *
tl_export_outlook_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
