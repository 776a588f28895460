#include "app/scan/scan-offer.h"

struct _TlScanOffer
{
  GObject parent;
  char *file, *path, *text;
  gboolean is_scan, is_images;
  TlGlance *glance; /* (nullable) */
};

static guint changed;

G_DEFINE_FINAL_TYPE (TlScanOffer, tl_scan_offer, G_TYPE_OBJECT)

const char *
tl_scan_offer_get_path (TlScanOffer *offer)
{
  return offer->path;
}

gboolean
tl_scan_offer_is_scan (TlScanOffer *offer)
{
  return offer->is_scan;
}

/* A dataset is described by what was listed: what the reader says besides, of
 * flats and of a layout, is not of the dataset. */
const char *
tl_scan_offer_get_text (TlScanOffer *offer)
{
  return offer->is_scan && offer->glance != NULL ? offer->glance->text
                                                 : offer->text;
}

const TlGlance *
tl_scan_offer_get_glance (TlScanOffer *offer)
{
  return offer->glance;
}

/* --- glances --- */

/* What the thread reads. The strings are never changed. */
static void
take_glance (GTask *task, gpointer source, gpointer data,
             GCancellable *cancellable)
{
  const TlScanOffer *offer = data;
  g_task_return_pointer (task,
                         tl_glance_take (offer->file,
                                         offer->is_images ? NULL : offer->path,
                                         cancellable),
                         (GDestroyNotify)tl_glance_free);
}

static void
on_glance (GObject *source, GAsyncResult *result, gpointer data)
{
  GTask *task = G_TASK (result);
  TlScanOffer *offer = g_task_get_task_data (task);
  /* NULL after cancelling */
  TlGlance *seen = g_task_propagate_pointer (task, NULL);
  if (seen == NULL)
    return;
  offer->glance = seen;
  g_signal_emit (offer, changed, 0);
  tl_scan_offers_look (G_LIST_MODEL (source), g_task_get_cancellable (task));
}

void
tl_scan_offers_look (GListModel *offers, GCancellable *cancellable)
{
  const guint n = g_list_model_get_n_items (offers);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (TlScanOffer) offer = g_list_model_get_item (offers, i);
      if (offer->glance != NULL)
        continue;
      g_autoptr (GTask) task =
          g_task_new (offers, cancellable, on_glance, NULL);
      g_task_set_task_data (task, g_steal_pointer (&offer), g_object_unref);
      g_task_run_in_thread (task, take_glance);
      return;
    }
}

/* --- the object --- */

static void
tl_scan_offer_finalize (GObject *object)
{
  TlScanOffer *offer = TL_SCAN_OFFER (object);
  g_free (offer->file);
  g_free (offer->path);
  g_free (offer->text);
  g_clear_pointer (&offer->glance, tl_glance_free);
  G_OBJECT_CLASS (tl_scan_offer_parent_class)->finalize (object);
}

static void
tl_scan_offer_class_init (TlScanOfferClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = tl_scan_offer_finalize;
  changed = g_signal_new ("changed", TL_TYPE_SCAN_OFFER, G_SIGNAL_RUN_FIRST, 0,
                          NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
tl_scan_offer_init (TlScanOffer *offer)
{
}

TlScanOffer *
tl_scan_offer_new (const char *file, const char *path, gboolean is_scan,
                   const char *text)
{
  TlScanOffer *offer = g_object_new (TL_TYPE_SCAN_OFFER, NULL);
  offer->file = g_strdup (file);
  offer->path = g_strdup (path);
  offer->text = g_strdup (text);
  offer->is_scan = is_scan;
  return offer;
}

TlScanOffer *
tl_scan_offer_new_images (const char *file, const char *pattern,
                          const char *text)
{
  TlScanOffer *offer = tl_scan_offer_new (file, pattern, FALSE, text);
  offer->is_images = TRUE;
  return offer;
}
