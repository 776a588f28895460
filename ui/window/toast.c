#include "ui/window/toast.h"

#include "ui/view/widget.h"

/* Long enough to read a sentence with a path. */
#define TOAST_S 7

/* Owned by the revealer, as its object data. */
typedef struct
{
  GtkLabel *label; /* owned by the revealer */
  TlSession *session;
  guint timeout_id; /* 0: none */
} Toast;

static void
toast_free (gpointer data)
{
  Toast *toast = data;

  g_clear_handle_id (&toast->timeout_id, g_source_remove);
  g_object_unref (toast->session);
  g_free (toast);
}

static gboolean
on_timeout (gpointer data)
{
  Toast *toast = data;

  toast->timeout_id = 0;
  tl_messages_clear_notice (toast->session->messages);
  return G_SOURCE_REMOVE;
}

static void
on_notice (GtkRevealer *revealer)
{
  Toast *toast = g_object_get_data (G_OBJECT (revealer), "tl-toast");
  g_autofree char *notice = NULL;

  g_object_get (toast->session->messages, "notice", &notice, NULL);
  g_clear_handle_id (&toast->timeout_id, g_source_remove);
  gtk_revealer_set_reveal_child (revealer, notice != NULL);
  if (notice == NULL) /* keep the text while the revealer hides it */
    return;
  gtk_label_set_text (toast->label, notice);
  toast->timeout_id = g_timeout_add_seconds (TOAST_S, on_timeout, toast);
}

static void
on_clipboard (GtkRevealer *revealer)
{
  Toast *toast = g_object_get_data (G_OBJECT (revealer), "tl-toast");

  tl_messages_clear_notice (toast->session->messages);
}

void
tl_toast_bind (GtkRevealer *revealer, GtkLabel *label, TlSession *session)
{
  Toast *toast = g_new0 (Toast, 1);

  toast->label = label;
  toast->session = g_object_ref (session);
  g_object_set_data_full (G_OBJECT (revealer), "tl-toast", toast, toast_free);
  tl_follow (session->messages, "notice", G_CALLBACK (on_notice), revealer);
  g_signal_connect_object (gtk_widget_get_clipboard (GTK_WIDGET (revealer)),
                           "changed", G_CALLBACK (on_clipboard), revealer,
                           G_CONNECT_SWAPPED);
  on_notice (revealer);
}
