#include "data/read/scan/note.h"

TlNote *
tl_note_new (const char *text, gboolean asks, const char *on_line,
             const char *in_window)
{
  TlNote *note = g_new (TlNote, 1);
  *note = (TlNote){ g_strdup (text), asks, g_strdup (on_line),
                    g_strdup (in_window), FALSE };
  return note;
}

void
tl_note_free (TlNote *note)
{
  if (note == NULL)
    return;
  g_free (note->text);
  g_free (note->on_line);
  g_free (note->in_window);
  g_free (note);
}

GPtrArray *
tl_notes_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify)tl_note_free);
}

void
tl_notes_copy (const GPtrArray *notes, GPtrArray *to)
{
  for (guint i = 0; i < notes->len; i++)
    {
      const TlNote *note = notes->pdata[i];
      TlNote *copy =
          tl_note_new (note->text, note->asks, note->on_line, note->in_window);
      copy->is_about_files = note->is_about_files;
      g_ptr_array_add (to, copy);
    }
}

char *
tl_note_dup_words (const TlNote *note, gboolean in_window)
{
  const char *how = in_window ? note->in_window : note->on_line;
  return how == NULL ? g_strdup (note->text)
                     : g_strdup_printf ("%s; %s", note->text, how);
}

GStrv
tl_notes_list (const GPtrArray *notes)
{
  g_autoptr (GStrvBuilder) list = g_strv_builder_new ();
  for (int asks = TRUE; asks >= FALSE; asks--)
    for (guint i = 0; i < notes->len; i++)
      if (((TlNote *)notes->pdata[i])->asks == asks)
        {
          g_autofree char *words = tl_note_dup_words (notes->pdata[i], FALSE);
          g_strv_builder_add (list, words);
        }
  return g_strv_builder_end (list);
}
