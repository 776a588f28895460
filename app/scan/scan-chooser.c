#include "app/scan/scan-chooser.h"

#include "data/read/format/contents.h"

#include <glib/gi18n.h>
#include <string.h>

struct _TlScanChooser
{
  GObject parent;
  TlMessages *messages;
  char *file, *reason; /* (nullable) */
  TlAsks asks;         /* what may help against the reason */
  TlRecipe *recipe;    /* (nullable) */
  GListStore *offers;
  GPtrArray *lists;  /* char *, datasets of one dimension: angles, keys */
  GPtrArray *images; /* char *, of two or three: flats, darks */
  gboolean takes_files;
  GCancellable *cancellable; /* (nullable): of the threads for the file */
};

enum
{
  ASKED,
  CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (TlScanChooser, tl_scan_chooser, G_TYPE_OBJECT)

/* What a thread works on. */
typedef struct
{
  char *file;
  GPtrArray *datasets; /* (nullable) */
  GStrv scans;         /* (nullable) */
  gboolean is_folder;
} Work;

static void
work_free (gpointer data)
{
  Work *work = data;
  g_free (work->file);
  g_clear_pointer (&work->datasets, g_ptr_array_unref);
  g_strfreev (work->scans);
  g_free (work);
}

/* @work: (transfer full) */
static void
run (TlScanChooser *self, Work *work, GTaskThreadFunc func,
     GAsyncReadyCallback callback)
{
  g_autoptr (GTask) task = g_task_new (self, self->cancellable, callback, NULL);
  g_task_set_task_data (task, work, work_free);
  g_task_run_in_thread (task, func);
}

/* --- the list --- */

static void
list (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Work *work = data;
  GError *error = NULL;
  work->is_folder = g_file_test (work->file, G_FILE_TEST_IS_DIR);
  work->datasets = tl_contents_list_datasets (work->file, &error);
  if (work->datasets != NULL)
    work->scans = tl_contents_list_scans (work->file, &error);
  if (work->scans != NULL)
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
add_offer (TlScanChooser *self, const char *path, gboolean is_scan,
           const char *text)
{
  g_autoptr (TlScanOffer) offer =
      tl_scan_offer_new (self->file, path, is_scan, text);
  if (g_utf8_validate (path, -1, NULL)) /* the window shows no other */
    g_list_store_append (self->offers, offer);
}

/* @file: (nullable): of the datasets, if they are not in that of the scan */
static void
add_places (TlScanChooser *self, const GPtrArray *datasets, const char *file)
{
  for (guint i = 0; i < datasets->len; i++)
    {
      const TlDataset *d = datasets->pdata[i];
      char *place = file != NULL ? g_strconcat (file, ":", d->path, NULL)
                                 : g_strdup (d->path);
      const gboolean is_text = g_utf8_validate (place, -1, NULL);
      if (is_text && d->n_dims == 1 && d->dims[2] > 1)
        g_ptr_array_add (self->lists, place);
      else if (is_text && (d->n_dims == 2 || d->n_dims == 3))
        g_ptr_array_add (self->images, place);
      else
        g_free (place);
    }
}

static void
take_list (TlScanChooser *self, const Work *work)
{
  for (char **scan = work->scans; *scan != NULL; scan++)
    add_offer (self, *scan, TRUE, "…");
  for (guint i = 0; i < work->datasets->len; i++)
    {
      const TlDataset *d = work->datasets->pdata[i];
      g_autofree char *text =
          g_strdup_printf ("%zu × %zu × %zu, %s", d->dims[0], d->dims[1],
                           d->dims[2], tl_sample_name (d->type));
      if (d->n_dims == 3)
        add_offer (self, d->path, FALSE, text);
    }
  add_places (self, work->datasets, NULL);
  self->takes_files = !work->is_folder;
}

static void
on_list (GObject *source, GAsyncResult *result, gpointer data)
{
  TlScanChooser *self = TL_SCAN_CHOOSER (source);
  const Work *work = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  const gboolean good = g_task_propagate_boolean (G_TASK (result), &error);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  if (good)
    take_list (self, work);
  if (g_list_model_get_n_items (G_LIST_MODEL (self->offers)) > 0)
    {
      g_signal_emit (self, signals[ASKED], 0);
      tl_scan_offers_look (G_LIST_MODEL (self->offers), self->cancellable);
    }
  else if (self->reason != NULL || error != NULL)
    tl_messages_warn (self->messages, TRUE, "%s",
                      self->reason != NULL ? self->reason : error->message);
  else
    {
      g_autofree char *name = g_filename_display_basename (self->file);
      tl_messages_warn (self->messages, TRUE,
                        _ ("%s: no dataset in it has three dimensions"), name);
    }
}

void
tl_scan_chooser_cancel (TlScanChooser *self)
{
  if (self->cancellable != NULL)
    g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
}

void
tl_scan_chooser_decline (TlScanChooser *self)
{
  g_return_if_fail (TL_IS_SCAN_CHOOSER (self));
  if (self->cancellable != NULL && self->reason != NULL)
    {
      tl_messages_warn (self->messages, TRUE, "%s", self->reason);
      tl_messages_ask (self->messages, self->asks);
    }
  tl_scan_chooser_cancel (self);
}

void
tl_scan_chooser_ask (TlScanChooser *self, const char *file,
                     const TlRecipe *recipe, const char *reason, TlAsks asks)
{
  g_return_if_fail (TL_IS_SCAN_CHOOSER (self));
  g_autofree char *kept_file = g_strdup (file);
  g_autofree char *kept_reason = g_strdup (reason);
  Work *work = g_new0 (Work, 1);
  work->file = g_strdup (file);
  tl_scan_chooser_cancel (self);
  self->cancellable = g_cancellable_new ();
  g_clear_pointer (&self->recipe, tl_recipe_free);
  self->recipe = tl_recipe_dup (recipe);
  g_free (self->file);
  self->file = g_steal_pointer (&kept_file);
  g_free (self->reason);
  self->reason = g_steal_pointer (&kept_reason);
  self->asks = asks;
  g_list_store_remove_all (self->offers);
  g_ptr_array_set_size (self->lists, 0);
  g_ptr_array_set_size (self->images, 0);
  run (self, work, list, on_list);
}

/* --- other files --- */

static void
on_other_list (GObject *source, GAsyncResult *result, gpointer data)
{
  TlScanChooser *self = TL_SCAN_CHOOSER (source);
  const Work *work = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  if (g_task_propagate_boolean (G_TASK (result), &error))
    {
      add_places (self, work->datasets, work->file);
      g_signal_emit (self, signals[CHANGED], 0);
    }
  else if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    tl_messages_warn (self->messages, TRUE, "%s", error->message);
}

void
tl_scan_chooser_add_file (TlScanChooser *self, const char *file)
{
  g_return_if_fail (TL_IS_SCAN_CHOOSER (self));
  Work *work = g_new0 (Work, 1);
  work->file = g_strdup (file);
  run (self, work, list, on_other_list);
}

/* --- what may be chosen --- */

const char *
tl_scan_chooser_get_file (TlScanChooser *self)
{
  return self->file;
}

const char *
tl_scan_chooser_get_reason (TlScanChooser *self)
{
  return self->reason;
}

char *
tl_scan_chooser_dup_question (TlScanChooser *self)
{
  g_autoptr (TlScanOffer) first =
      g_list_model_get_item (G_LIST_MODEL (self->offers), 0);
  g_autoptr (TlScanOffer) second =
      g_list_model_get_item (G_LIST_MODEL (self->offers), 1);
  if (self->reason != NULL && self->recipe->data_path == NULL
      && !tl_scan_offer_is_scan (first))
    return g_strdup (_ ("The layout of this file is not known. Which dataset "
                        "has the projections?"));
  if (self->reason != NULL)
    return g_strdup (self->reason);
  if (self->recipe->data_path == NULL && second != NULL
      && tl_scan_offer_is_scan (second))
    return g_strdup (
        _ ("The file has several scans. The first one has been opened."));
  return NULL;
}

GListModel *
tl_scan_chooser_get_offers (TlScanChooser *self)
{
  return G_LIST_MODEL (self->offers);
}

guint
tl_scan_chooser_get_present (TlScanChooser *self)
{
  const guint n = g_list_model_get_n_items (G_LIST_MODEL (self->offers));
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (TlScanOffer) offer =
          g_list_model_get_item (G_LIST_MODEL (self->offers), i);
      if (g_strcmp0 (self->recipe->data_path, tl_scan_offer_get_path (offer))
          == 0)
        return i;
    }
  return 0;
}

char *
tl_scan_chooser_dup_place (TlScanChooser *self, const char *key)
{
  return tl_recipe_get (self->recipe, key);
}

gboolean
tl_scan_chooser_takes_files (TlScanChooser *self)
{
  return self->takes_files;
}

const char **
tl_scan_chooser_list_places (TlScanChooser *self, const char *key)
{
  const gboolean is_images =
      strcmp (key, "flats-path") == 0 || strcmp (key, "darks-path") == 0;
  const GPtrArray *places = is_images ? self->images : self->lists;
  const char **list = g_new0 (const char *, places->len + 1);
  for (guint i = 0; i < places->len; i++)
    list[i] = places->pdata[i];
  return list;
}

/* --- the object --- */

static void
tl_scan_chooser_finalize (GObject *object)
{
  TlScanChooser *self = TL_SCAN_CHOOSER (object);
  tl_scan_chooser_cancel (self);
  g_clear_pointer (&self->recipe, tl_recipe_free);
  g_free (self->file);
  g_free (self->reason);
  g_ptr_array_unref (self->lists);
  g_ptr_array_unref (self->images);
  g_object_unref (self->offers);
  g_object_unref (self->messages);
  G_OBJECT_CLASS (tl_scan_chooser_parent_class)->finalize (object);
}

static void
tl_scan_chooser_class_init (TlScanChooserClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = tl_scan_chooser_finalize;
  signals[ASKED] =
      g_signal_new ("asked", TL_TYPE_SCAN_CHOOSER, G_SIGNAL_RUN_FIRST, 0, NULL,
                    NULL, NULL, G_TYPE_NONE, 0);
  signals[CHANGED] =
      g_signal_new ("changed", TL_TYPE_SCAN_CHOOSER, G_SIGNAL_RUN_FIRST, 0,
                    NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
tl_scan_chooser_init (TlScanChooser *self)
{
  self->offers = g_list_store_new (TL_TYPE_SCAN_OFFER);
  self->lists = g_ptr_array_new_with_free_func (g_free);
  self->images = g_ptr_array_new_with_free_func (g_free);
}

TlScanChooser *
tl_scan_chooser_new (TlMessages *messages)
{
  TlScanChooser *self = g_object_new (TL_TYPE_SCAN_CHOOSER, NULL);
  self->messages = g_object_ref (messages);
  return self;
}
