#include "tests/ui/window/messages.h"

/* Warnings of GTK that the program cannot avoid: a button is released after a
 * popover or window has opened in between; text is selected while the cursor
 * blinks; a file is dragged with Shift within the list of a file chooser. Every
 * other warning ends the test. */
static const char *const known[] = {
  "Broken accounting of active state",
  "GtkText - unexpected blinking selection",
  "gtk_tree_drag_source_drag_data_delete: assertion 'iface->drag_data_delete",
};

static gboolean
is_known (const char *message)
{
  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (g_str_has_prefix (message, known[i]))
      return TRUE;
  return FALSE;
}

/* Messages of failed preconditions reach the log handler, not only the
 * writer. */
static void
write_critical (const char *domain, GLogLevelFlags level, const char *message,
                gpointer data)
{
  if (!is_known (message))
    g_log_default_handler (domain, level, message, NULL);
}

static GLogWriterOutput
write_message (GLogLevelFlags level, const GLogField *fields, gsize n_fields,
               gpointer data)
{
  for (gsize i = 0; i < n_fields; i++)
    if (strcmp (fields[i].key, "MESSAGE") == 0 && is_known (fields[i].value))
      return G_LOG_WRITER_HANDLED;
  return g_log_writer_default (level, fields, n_fields, data);
}

void
messages_init (void)
{
  g_log_set_writer_func (write_message, NULL, NULL);
  g_log_set_handler ("Gtk", G_LOG_LEVEL_CRITICAL | G_LOG_FLAG_FATAL,
                     write_critical, NULL);
}

gboolean
messages_is_fatal (const char *domain, GLogLevelFlags level,
                   const char *message, gpointer data)
{
  return !is_known (message);
}
