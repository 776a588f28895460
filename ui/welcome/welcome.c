#include "ui/welcome/welcome.h"

#include "ui/desktop/recent.h"
#include "ui/view/widget.h"

#include <glib/gi18n.h>

/* Scans that are listed, so that the page fits in a low window. */
#define MAX_SCANS 4

struct _TlWelcome
{
  GtkBox parent_instance;

  TlSession *session;
  GtkLabel *empty_label;
  GtkWidget *start_box, *recent_box;
  GtkBox *recent_list;
};

G_DEFINE_FINAL_TYPE (TlWelcome, tl_welcome, GTK_TYPE_BOX)

/* --- recent scans --- */

/* @menu: of tl_recent_build_menu(). Returns: (transfer full) (nullable): %NULL
 * for an item that says that there is none */
static GtkWidget *
make_button (GMenuModel *menu, int item)
{
  g_autoptr (GVariant) target = g_menu_model_get_item_attribute_value (
      menu, item, G_MENU_ATTRIBUTE_TARGET, NULL);
  g_autofree char *action = NULL;
  g_autofree char *name = NULL;
  GtkWidget *button, *label;

  if (target == NULL
      || !g_menu_model_get_item_attribute (menu, item, G_MENU_ATTRIBUTE_ACTION,
                                           "s", &action)
      || !g_menu_model_get_item_attribute (menu, item, G_MENU_ATTRIBUTE_LABEL,
                                           "s", &name))
    return NULL;
  label =
      g_object_new (GTK_TYPE_LABEL, "label", name, "use-underline", TRUE,
                    "ellipsize", PANGO_ELLIPSIZE_MIDDLE, "xalign", 0.0, NULL);
  button = g_object_new (GTK_TYPE_BUTTON, "child", label, "has-frame", FALSE,
                         "action-name", action, "action-target", target, NULL);
  tl_widget_name (button, gtk_label_get_text (GTK_LABEL (label)));
  return button;
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
  for (int i = 0; i < n; i++)
    {
      GtkWidget *button = make_button (G_MENU_MODEL (menu), i);

      if (button != NULL)
        gtk_box_append (self->recent_list, button);
    }
  gtk_widget_set_visible (
      self->recent_box,
      gtk_widget_get_first_child (GTK_WIDGET (self->recent_list)) != NULL);
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
tl_welcome_class_init (TlWelcomeClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

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
  update (self);
  fill (self);
}
