#include "app/background/background.h"

#include "data/parallel.h"

typedef struct
{
  GTask *task;
  gboolean is_awaited;
  GTaskThreadFunc func;
} Run;

static gpointer
run_thread (gpointer data)
{
  g_autofree Run *run = data;
  g_autoptr (GTask) task = run->task;
  tl_thread_give_way (run->is_awaited ? TL_WAY_LATER : TL_WAY_BACKGROUND);
  run->func (task, g_task_get_source_object (task), g_task_get_task_data (task),
             g_task_get_cancellable (task));
  return NULL;
}

GThread *
tl_background_run (GTask *task, const char *name, gboolean is_awaited,
                   GTaskThreadFunc func)
{
  Run *run = g_new (Run, 1);
  *run = (Run){ task, is_awaited, func };
  return g_thread_new (name, run_thread, run);
}
