#include "app/session/scan-offer.h"

struct _TlScanOffer
{
  GObject parent;
  char *path, *text;
  gboolean is_scan;
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

void
tl_scan_offer_take_glance (TlScanOffer *offer, TlGlance *glance)
{
  g_clear_pointer (&offer->glance, tl_glance_free);
  offer->glance = glance;
  g_signal_emit (offer, changed, 0);
}

static void
tl_scan_offer_finalize (GObject *object)
{
  TlScanOffer *offer = TL_SCAN_OFFER (object);
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
tl_scan_offer_new (const char *path, gboolean is_scan, const char *text)
{
  TlScanOffer *offer = g_object_new (TL_TYPE_SCAN_OFFER, NULL);
  offer->path = g_strdup (path);
  offer->text = g_strdup (text);
  offer->is_scan = is_scan;
  return offer;
}
