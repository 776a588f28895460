#include "app/session/follow.h"

void
tl_follow (gpointer object, const char *properties, GCallback update,
           gpointer self)
{
  g_auto (GStrv) names = g_strsplit (properties, " ", -1);

  for (char **name = names; *name != NULL; name++)
    {
      g_autofree char *signal = g_strconcat ("notify::", *name, NULL);

      g_signal_connect_object (object, signal, update, self, G_CONNECT_SWAPPED);
    }
  if (*properties == '\0')
    g_signal_connect_object (object, "notify", update, self, G_CONNECT_SWAPPED);
}
