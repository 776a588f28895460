#include "ui/welcome/welcome.h"

#include "ui/desktop/recent.h"
#include "ui/view/glance-texture.h"
#include "ui/view/widget.h"

#include <glib/gi18n.h>

/* Scans that are listed, so that the page fits in a low window. */
#define MAX_SCANS 4

#define THUMBNAIL_SIZE 32
#define LOOK_MS 300

struct _TlWelcome
{
  GtkBox parent_instance;

  TlSession *session;
  GtkLabel *empty_label;
  GtkWidget *start_box, *recent_box;
  GtkBox *recent_list;
  GListStore *offers; /* of the listed scans that are files */
  guint look_id;
  GCancellable *cancellable; /* (nullable): of the glances at them */
};

G_DEFINE_FINAL_TYPE (TlWelcome, tl_welcome, GTK_TYPE_BOX)

/* --- recent scans --- */

/* Returns: (transfer full) (nullable): for a glance at the scan that @target,
 * of "app.open" or "app.open-places", opens; %NULL if it is no file here */
static TlScanOffer *
make_offer (GVariant *target)
{
  const gboolean has_places =
      !g_variant_is_of_type (target, G_VARIANT_TYPE_STRING);
  g_autoptr (GVariant) places = NULL;
  g_autoptr (GFile) file = NULL;
  const char *uri, *data_path = NULL;

  if (has_places)
    {
      g_variant_get (target, "(&s@a{ss})", &uri, &places);
      g_variant_lookup (places, "data-path", "&s", &data_path);
    }
  else
    uri = g_variant_get_string (target, NULL);
  file = g_file_new_for_uri (uri);
  return g_file_peek_path (file) != NULL
             ? tl_scan_offer_new (g_file_peek_path (file), data_path, TRUE, "")
             : NULL;
}

static void
show_glance (GtkImage *image, TlScanOffer *offer)
{
  g_autoptr (GdkTexture) texture = tl_glance_texture_new (offer);

  gtk_image_set_from_paintable (image, GDK_PAINTABLE (texture));
}

static GtkWidget *
make_thumbnail (TlWelcome *self, GVariant *target)
{
  g_autoptr (TlScanOffer) offer = make_offer (target);
  GtkWidget *image =
      g_object_new (GTK_TYPE_IMAGE, "pixel-size", THUMBNAIL_SIZE,
                    "accessible-role", GTK_ACCESSIBLE_ROLE_PRESENTATION, NULL);

  if (offer == NULL)
    return image;
  g_list_store_append (self->offers, offer);
  g_signal_connect_object (offer, "changed", G_CALLBACK (show_glance), image,
                           G_CONNECT_SWAPPED);
  return image;
}

/* @menu: of tl_recent_build_menu(). Returns: (transfer full) (nullable): %NULL
 * for an item that says that there is none */
static GtkWidget *
make_button (TlWelcome *self, GMenuModel *menu, int item)
{
  g_autoptr (GVariant) target = g_menu_model_get_item_attribute_value (
      menu, item, G_MENU_ATTRIBUTE_TARGET, NULL);
  g_autofree char *action = NULL;
  g_autofree char *name = NULL;
  GtkWidget *button, *label, *box;

  if (target == NULL
      || !g_menu_model_get_item_attribute (menu, item, G_MENU_ATTRIBUTE_ACTION,
                                           "s", &action)
      || !g_menu_model_get_item_attribute (menu, item, G_MENU_ATTRIBUTE_LABEL,
                                           "s", &name))
    return NULL;
  label =
      g_object_new (GTK_TYPE_LABEL, "label", name, "use-underline", TRUE,
                    "ellipsize", PANGO_ELLIPSIZE_MIDDLE, "xalign", 0.0, NULL);
  box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 9);
  gtk_box_append (GTK_BOX (box), make_thumbnail (self, target));
  gtk_box_append (GTK_BOX (box), label);
  button = g_object_new (GTK_TYPE_BUTTON, "child", box, "has-frame", FALSE,
                         "action-name", action, "action-target", target, NULL);
  tl_widget_name (button, gtk_label_get_text (GTK_LABEL (label)));
  return button;
}

static void
stop_looking (TlWelcome *self)
{
  g_clear_handle_id (&self->look_id, g_source_remove);
  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
}

static gboolean
look (gpointer data)
{
  TlWelcome *self = data;

  self->look_id = 0;
  self->cancellable = g_cancellable_new ();
  tl_scan_offers_look (G_LIST_MODEL (self->offers), self->cancellable);
  return G_SOURCE_REMOVE;
}

/* Reads nothing before the window is there, nor when a scan opens at once. */
static void
look_soon (TlWelcome *self)
{
  stop_looking (self);
  if (gtk_widget_get_mapped (GTK_WIDGET (self)))
    self->look_id = g_timeout_add (LOOK_MS, look, self);
}

static void
fill (TlWelcome *self)
{
  g_autoptr (GMenu) menu = tl_recent_build_menu ();
  const int n = MIN (MAX_SCANS, g_menu_model_get_n_items (G_MENU_MODEL (menu)));
  GtkWidget *old;

  while ((old = gtk_widget_get_first_child (GTK_WIDGET (self->recent_list)))
         != NULL)
    gtk_box_remove (self->recent_list, old);
  g_list_store_remove_all (self->offers);
  for (int i = 0; i < n; i++)
    {
      GtkWidget *button = make_button (self, G_MENU_MODEL (menu), i);

      if (button != NULL)
        gtk_box_append (self->recent_list, button);
    }
  gtk_widget_set_visible (
      self->recent_box,
      gtk_widget_get_first_child (GTK_WIDGET (self->recent_list)) != NULL);
  look_soon (self);
}

/* --- a scan that is waited for --- */

static void
update (TlWelcome *self)
{
  TlGrowth *growth = self->session->growth;
  const gboolean waits = tl_growth_get_state (growth) == TL_GROWTH_WAITING;
  g_autofree char *text =
      !waits ? g_strdup (_ ("Open a scan or drop it here"))
      : tl_growth_get_news (growth)->waits_for_flats
          ? g_strdup_printf (_ ("Waiting for flat fields from %s"),
                             tl_growth_get_name (growth))
          : g_strdup_printf (_ ("Waiting for the first projection from %s"),
                             tl_growth_get_name (growth));

  gtk_label_set_text (self->empty_label, text);
  gtk_widget_set_visible (self->start_box, !waits);
}

/* --- the widget --- */

static void
tl_welcome_dispose (GObject *object)
{
  TlWelcome *self = TL_WELCOME (object);

  stop_looking (self);
  g_clear_object (&self->offers);
  G_OBJECT_CLASS (tl_welcome_parent_class)->dispose (object);
}

static void
tl_welcome_class_init (TlWelcomeClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = tl_welcome_dispose;
  gtk_widget_class_set_template_from_resource (
      widget_class, "/org/tomolens/Tomolens/welcome.ui");
#define BIND(name)                                                             \
  gtk_widget_class_bind_template_child (widget_class, TlWelcome, name)
  BIND (empty_label);
  BIND (start_box);
  BIND (recent_box);
  BIND (recent_list);
#undef BIND
}

static void
tl_welcome_init (TlWelcome *self)
{
  self->offers = g_list_store_new (TL_TYPE_SCAN_OFFER);
  gtk_widget_init_template (GTK_WIDGET (self));
}

void
tl_welcome_bind (TlWelcome *self, TlSession *session)
{
  g_return_if_fail (self->session == NULL);

  self->session = session;
  tl_follow (session->growth, "state news", G_CALLBACK (update), self);
  g_signal_connect_object (gtk_recent_manager_get_default (), "changed",
                           G_CALLBACK (fill), self, G_CONNECT_SWAPPED);
  g_signal_connect (self, "map", G_CALLBACK (look_soon), NULL);
  g_signal_connect (self, "unmap", G_CALLBACK (stop_looking), NULL);
  update (self);
  fill (self);
}
