#include "app/background/background.h"

#include "data/parallel.h"

typedef struct
{
  GTask *task;
  GTaskThreadFunc func;
} Run;

static gpointer
run_thread (gpointer data)
{
  g_autofree Run *run = data;
  g_autoptr (GTask) task = run->task;
  tl_thread_give_way (TL_WAY_BACKGROUND);
  run->func (task, g_task_get_source_object (task), g_task_get_task_data (task),
             g_task_get_cancellable (task));
  return NULL;
}

GThread *
tl_background_run (GTask *task, const char *name, GTaskThreadFunc func)
{
  Run *run = g_new (Run, 1);
  *run = (Run){ task, func };
  return g_thread_new (name, run_thread, run);
}
