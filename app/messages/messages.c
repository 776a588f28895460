#include "app/messages/messages.h"

struct _TlMessages
{
  GObject parent;
  char *message, *notice; /* (nullable) */
  char *news;             /* (nullable): first line of the notice */
  gboolean message_stays;
  TlAsks asks;
  gboolean is_about_opening; /* the message */
  guint step; /* of the history, that the notice tells of; 0: none */
};

enum
{
  PROP_0,
  PROP_MESSAGE,
  PROP_NOTICE,
  PROP_ASKS,
  N_PROPS
};

static GParamSpec *props[N_PROPS];

G_DEFINE_FINAL_TYPE (TlMessages, tl_messages, G_TYPE_OBJECT)

static void
set_asks (TlMessages *messages, TlAsks asks)
{
  if (messages->asks == asks)
    return;
  messages->asks = asks;
  g_object_notify_by_pspec (G_OBJECT (messages), props[PROP_ASKS]);
}

/* @text: (transfer full) (nullable) */
static void
replace (TlMessages *messages, char **place, char *text, guint prop)
{
  const gboolean is_new = g_strcmp0 (*place, text) != 0;
  g_free (*place);
  *place = text;
  if (is_new)
    g_object_notify_by_pspec (G_OBJECT (messages), props[prop]);
}

void
tl_messages_warn (TlMessages *messages, gboolean stays, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  char *message = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  if (g_strcmp0 (messages->message, message) != 0)
    messages->message_stays = stays;
  messages->is_about_opening = FALSE;
  set_asks (messages, TL_ASKS_NOTHING);
  replace (messages, &messages->message, message, PROP_MESSAGE);
}

void
tl_messages_ask (TlMessages *messages, TlAsks asks)
{
  messages->is_about_opening = TRUE;
  set_asks (messages, asks);
}

gboolean
tl_messages_are_about_opening (TlMessages *messages)
{
  return messages->is_about_opening;
}

void
tl_messages_tell (TlMessages *messages, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  g_autofree char *notice = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  messages->step = 0;
  replace (messages, &messages->notice,
           messages->news != NULL
               ? g_strconcat (messages->news, "\n", notice, NULL)
               : g_steal_pointer (&notice),
           PROP_NOTICE);
}

void
tl_messages_tell_step (TlMessages *messages, guint step)
{
  messages->step = step;
  g_object_notify_by_pspec (G_OBJECT (messages), props[PROP_NOTICE]);
}

guint
tl_messages_get_step (TlMessages *messages)
{
  return messages->step;
}

void
tl_messages_tell_news (TlMessages *messages, const char *news)
{
  g_free (messages->news);
  messages->news = g_strdup (news);
  replace (messages, &messages->notice, g_strdup (news), PROP_NOTICE);
}

void
tl_messages_clear_warning (TlMessages *messages, gboolean forces)
{
  if (!forces && messages->message_stays)
    return;
  set_asks (messages, TL_ASKS_NOTHING);
  replace (messages, &messages->message, NULL, PROP_MESSAGE);
}

void
tl_messages_clear_notice (TlMessages *messages)
{
  g_clear_pointer (&messages->news, g_free);
  messages->step = 0;
  replace (messages, &messages->notice, NULL, PROP_NOTICE);
}

void
tl_messages_take_back (TlMessages *messages, const char *notice)
{
  if (g_strcmp0 (messages->notice, notice) == 0)
    tl_messages_clear_notice (messages);
}

void
tl_messages_dismiss (TlMessages *messages)
{
  tl_messages_clear_warning (messages, TRUE);
  tl_messages_clear_notice (messages);
}

static void
tl_messages_get_property (GObject *object, guint prop, GValue *value,
                          GParamSpec *pspec)
{
  TlMessages *messages = TL_MESSAGES (object);
  if (prop == PROP_ASKS)
    g_value_set_uint (value, messages->asks);
  else
    g_value_set_string (value, prop == PROP_MESSAGE ? messages->message
                                                    : messages->notice);
}

static void
tl_messages_finalize (GObject *object)
{
  TlMessages *messages = TL_MESSAGES (object);
  g_free (messages->message);
  g_free (messages->notice);
  g_free (messages->news);
  G_OBJECT_CLASS (tl_messages_parent_class)->finalize (object);
}

static void
tl_messages_class_init (TlMessagesClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags =
      G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;
  object_class->get_property = tl_messages_get_property;
  object_class->finalize = tl_messages_finalize;
  props[PROP_MESSAGE] =
      g_param_spec_string ("message", NULL, NULL, NULL, flags);
  props[PROP_NOTICE] = g_param_spec_string ("notice", NULL, NULL, NULL, flags);
  props[PROP_ASKS] = g_param_spec_uint ("asks", NULL, NULL, TL_ASKS_NOTHING,
                                        G_MAXUINT, TL_ASKS_NOTHING, flags);
  g_object_class_install_properties (object_class, N_PROPS, props);
}

static void
tl_messages_init (TlMessages *messages)
{
}

TlMessages *
tl_messages_new (void)
{
  return g_object_new (TL_TYPE_MESSAGES, NULL);
}
