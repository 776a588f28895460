#include "app/growth/growth-watch.h"

#include "data/read/format/image-format.h"

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>

/* Milliseconds between two looks: a writer may change a file all the time. */
#define UPDATE_MS 500

/* Milliseconds without a change, after which a folder rests. */
#define REST_MS 5000

struct TlGrowthWatch
{
  char *path;
  GFileMonitor *monitor;
  GStatBuf before; /* of the file */
  gboolean rests;
  guint timeout_id; /* source of on_timeout(); 0: none */
  gboolean (*func) (gpointer data);
  gpointer data;
};

static gboolean
has_grown (const TlGrowthWatch *watch)
{
  GStatBuf now;
  if (g_stat (watch->path, &now) != 0)
    return FALSE;
  return S_ISDIR (now.st_mode)
         || (now.st_ino == watch->before.st_ino
             && now.st_size > watch->before.st_size);
}

static gboolean
on_timeout (gpointer data)
{
  TlGrowthWatch *watch = data;
  const guint id = watch->timeout_id;
  watch->timeout_id = 0;
  if (!has_grown (watch) || watch->func (watch->data))
    return G_SOURCE_REMOVE;
  watch->timeout_id = id;
  return G_SOURCE_CONTINUE;
}

/* In a folder, only new files count: those that are there are images that
 * somebody may edit. */
static void
on_change (GFileMonitor *monitor, GFile *file, GFile *other,
           GFileMonitorEvent event, gpointer data)
{
  TlGrowthWatch *watch = data;
  g_autofree char *name = g_file_get_basename (file);
  const gboolean is_folder = S_ISDIR (watch->before.st_mode);
  const gboolean is_being_written = watch->rests && watch->timeout_id != 0;
  if (is_folder ? (event != G_FILE_MONITOR_EVENT_CREATED && !is_being_written)
                      || *name == '.' || tl_image_format_by_name (name) == NULL
                : event != G_FILE_MONITOR_EVENT_CHANGED)
    return;
  if (watch->rests)
    g_clear_handle_id (&watch->timeout_id, g_source_remove);
  if (watch->timeout_id == 0)
    watch->timeout_id =
        g_timeout_add (watch->rests ? REST_MS : UPDATE_MS, on_timeout, watch);
}

TlGrowthWatch *
tl_growth_watch_new (const char *path, gboolean rests,
                     gboolean (*func) (gpointer), gpointer data)
{
  g_return_val_if_fail (path != NULL && func != NULL, NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  GStatBuf before;
  GFileMonitor *monitor =
      g_stat (path, &before) == 0
          ? g_file_monitor (file, G_FILE_MONITOR_NONE, NULL, NULL)
          : NULL;
  if (monitor == NULL)
    return NULL;
  TlGrowthWatch *watch = g_new (TlGrowthWatch, 1);
  *watch = (TlGrowthWatch){
    .path = g_strdup (path),
    .monitor = monitor,
    .before = before,
    .rests = rests,
    .func = func,
    .data = data,
  };
  g_signal_connect (monitor, "changed", G_CALLBACK (on_change), watch);
  return watch;
}

gboolean
tl_growth_watch_rests_for (const TlGrowthWatch *watch, const char *path)
{
  return watch != NULL && watch->rests && strcmp (watch->path, path) == 0;
}

void
tl_growth_watch_free (TlGrowthWatch *watch)
{
  if (watch == NULL)
    return;
  g_clear_handle_id (&watch->timeout_id, g_source_remove);
  g_signal_handlers_disconnect_by_data (watch->monitor, watch);
  g_file_monitor_cancel (watch->monitor);
  g_object_unref (watch->monitor);
  g_free (watch->path);
  g_free (watch);
}
