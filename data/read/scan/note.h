/* Sentences about what is unusual in a scan. */
#pragma once

#include <glib.h>

typedef struct
{
  char *text;
  gboolean asks; /* it needs the user's attention; the others are for
                    information */
  /* (nullable): how to change it, the end of the sentence */
  char *on_line;           /* for the command line */
  char *in_window;         /* for the window */
  gboolean is_about_files; /* asks which images of a folder are what */
} TlNote;

/** tl_note_new: @text: copied, as the others. Returns: (transfer full) */
TlNote *tl_note_new (const char *text, gboolean asks, const char *on_line,
                     const char *in_window);
void tl_note_free (TlNote *note);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlNote, tl_note_free)

/** tl_notes_new: Returns: (transfer full) (element-type TlNote): empty */
GPtrArray *tl_notes_new (void);

/** tl_notes_copy: @notes: (element-type TlNote): appended to @to, as copies */
void tl_notes_copy (const GPtrArray *notes, GPtrArray *to);

/** tl_note_dup_words: Returns: (transfer full): the sentence for the window or
 * for the command line */
char *tl_note_dup_words (const TlNote *note, gboolean in_window);

/** tl_notes_list: @notes: (element-type TlNote). Returns: (transfer full): the
 * sentences for the command line, first those that need attention */
GStrv tl_notes_list (const GPtrArray *notes);
