#include "ui/controls/free-text.h"

#include "app/recipe/recipe.h"
#include "ui/controls/control.h"
#include "ui/controls/refused.h"
#include "ui/view/widget.h"

/* Data of the entry, freed with it. */
typedef struct
{
  GtkEntry *entry; /* not owned */
  TlView *view;
  GActionGroup *actions;
  char *action;
  char *sent; /* (nullable): text that is neither accepted nor refused yet */
  char *old;  /* (nullable): the value when the text was sent */
  gboolean is_left; /* it was sent because the user left the field */
} FreeText;

static void
free_text_free (gpointer data)
{
  FreeText *self = data;

  g_clear_object (&self->view);
  g_clear_object (&self->actions);
  g_free (self->action);
  g_free (self->sent);
  g_free (self->old);
  g_free (self);
}

static FreeText *
get_free_text (gpointer entry)
{
  return g_object_get_data (entry, "tl-free-text");
}

static char *
dup_value (FreeText *self)
{
  g_autoptr (GVariant) state =
      g_action_group_get_action_state (self->actions, self->action);

  return g_variant_dup_string (state, NULL);
}

/* A comma in a list of projections is no decimal point. */
static char *
dup_text (FreeText *self)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->entry));
  const TlParamSpec *parameter = tl_recipe_find_key (self->action, NULL);

  return parameter != NULL && parameter->type == TL_PARAMETER_FRAMES
             ? g_strstrip (g_strdup (text))
             : tl_control_read_decimals (text);
}

static gboolean
is_edited (FreeText *self)
{
  g_autofree char *value = dup_value (self);
  g_autofree char *text = dup_text (self);

  return strcmp (text, value) != 0;
}

/* Returns: (transfer full) (nullable): the text of the banner */
static char *
dup_reason (FreeText *self)
{
  const char *problem = tl_view_get_problem (self->view);
  char *message;

  if (problem != NULL)
    return g_strdup (problem);
  g_object_get (tl_view_get_session (self->view)->messages, "message", &message,
                NULL);
  return message;
}

/* --- sending text, and the answer --- */

static void
show_value (FreeText *self)
{
  GtkEditable *entry = GTK_EDITABLE (self->entry);
  g_autofree char *value = dup_value (self);

  g_clear_pointer (&self->sent, g_free);
  g_clear_pointer (&self->old, g_free);
  tl_refused_mark (GTK_WIDGET (self->entry), NULL);
  gtk_editable_set_text (entry, value);
  gtk_editable_set_position (entry, -1);
  /* forgets the steps of undo, which lead to the text of another value */
  gtk_editable_set_enable_undo (entry, FALSE);
  gtk_editable_set_enable_undo (entry, TRUE);
}

/* The text is refused if the value is still the old one and there is a reason.
 * Sending has cleared older reasons. Once the user has left the field, refused
 * text would be taken for the value; after Enter it stays to be corrected. */
static void
on_answer (FreeText *self)
{
  g_autofree char *value = dup_value (self);
  g_autofree char *reason = dup_reason (self);

  if (reason == NULL || g_strcmp0 (value, self->old) != 0 || self->is_left)
    {
      show_value (self);
      return;
    }
  g_clear_pointer (&self->sent, g_free);
  tl_refused_mark (GTK_WIDGET (self->entry), reason);
}

static void
on_busy (GtkEntry *entry)
{
  FreeText *self = get_free_text (entry);
  gboolean busy;

  g_object_get (tl_view_get_session (self->view)->requests, "busy", &busy,
                NULL);
  if (!busy && self->sent != NULL)
    on_answer (self);
}

static void
on_state (GtkEntry *entry)
{
  FreeText *self = get_free_text (entry);

  if (self->sent != NULL)
    on_answer (self);
  else
    show_value (self);
}

/* Text that was refused for another scan goes. */
static void
on_scan (GtkEntry *entry)
{
  FreeText *self = get_free_text (entry);

  if (tl_refused_is_marked (GTK_WIDGET (self->entry)))
    show_value (self);
}

static void
send (FreeText *self)
{
  if (self->sent != NULL || !is_edited (self))
    return;
  g_free (self->old);
  self->old = dup_value (self);
  self->sent = dup_text (self);
  tl_refused_mark (GTK_WIDGET (self->entry), NULL);
  g_action_group_activate_action (self->actions, self->action,
                                  g_variant_new_string (self->sent));
  on_busy (self->entry); /* the text may have been refused at once */
}

/* The keys that follow are for the picture, unless the text is refused. */
static void
on_activate (FreeText *self)
{
  GtkWidget *entry = GTK_WIDGET (self->entry);

  self->is_left = FALSE;
  send (self);
  if (!tl_refused_is_marked (entry))
    gtk_widget_activate_action (entry, "win.leave-field", NULL);
}

static void
on_leave (FreeText *self)
{
  if (tl_refused_is_marked (GTK_WIDGET (self->entry)))
    show_value (self);
  else if (self->sent == NULL)
    {
      self->is_left = TRUE;
      send (self);
    }
}

static gboolean
on_key (FreeText *self, guint keyval)
{
  if (keyval != GDK_KEY_Escape || !is_edited (self))
    return GDK_EVENT_PROPAGATE;
  if (tl_refused_is_marked (GTK_WIDGET (self->entry)))
    gtk_widget_activate_action (GTK_WIDGET (self->entry), "app.dismiss", NULL);
  show_value (self);
  gtk_widget_activate_action (GTK_WIDGET (self->entry), "win.leave-field",
                              NULL);
  return GDK_EVENT_STOP;
}

static void
on_changed (FreeText *self)
{
  tl_refused_mark (GTK_WIDGET (self->entry), NULL);
}

/* --- setting up --- */

static void
add_controllers (FreeText *self)
{
  GtkWidget *entry = GTK_WIDGET (self->entry);
  GtkEventController *focus = gtk_event_controller_focus_new ();
  GtkEventController *keys = gtk_event_controller_key_new ();

  g_signal_connect_swapped (entry, "activate", G_CALLBACK (on_activate), self);
  g_signal_connect_swapped (entry, "changed", G_CALLBACK (on_changed), self);
  g_signal_connect_swapped (focus, "leave", G_CALLBACK (on_leave), self);
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect_swapped (keys, "key-pressed", G_CALLBACK (on_key), self);
  gtk_widget_add_controller (entry, focus);
  gtk_widget_add_controller (entry, keys);
}

void
tl_free_text_bind (GtkEntry *entry, TlView *view, GActionGroup *actions,
                   const char *action)
{
  FreeText *self = g_new0 (FreeText, 1);
  TlSession *session = tl_view_get_session (view);
  g_autofree char *state = g_strconcat ("action-state-changed::", action, NULL);

  self->entry = entry;
  self->view = g_object_ref (view);
  self->actions = g_object_ref (actions);
  self->action = g_strdup (action);
  g_object_set_data_full (G_OBJECT (entry), "tl-free-text", self,
                          free_text_free);
  add_controllers (self);
  g_signal_connect_object (actions, state, G_CALLBACK (on_state), entry,
                           G_CONNECT_SWAPPED);
  tl_follow (session->requests, "busy", G_CALLBACK (on_busy), entry);
  tl_follow (session->source, "path", G_CALLBACK (on_scan), entry);
}

gboolean
tl_free_text_is_edited (GtkWidget *widget)
{
  FreeText *self = get_free_text (widget);

  return self != NULL && is_edited (self);
}
