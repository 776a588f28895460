/* The list of the slices that an unfinished volume has, in its hidden folder.
 * It lets a later export find them again, and tell whether they are whole. */
#pragma once

#include <glib.h>

typedef struct TlJournal TlJournal;

/**
 * tl_journal_open:
 * @identity: what all slices have in common: scan, recipe, shape
 *
 * Opens the journal in @folder, or begins one.
 *
 * Returns: (transfer full): %NULL with TL_ERROR_FILE, or TL_ERROR_VALUE if the
 *   journal there has another identity
 */
TlJournal *tl_journal_open (const char *folder, const char *identity,
                            GError **error);
void tl_journal_close (TlJournal *journal);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlJournal, tl_journal_close)

/** tl_journal_has: Returns: whether the file at @path is as it was when @slice
 * was added. */
gboolean tl_journal_has (TlJournal *journal, size_t slice, const char *path);

/** tl_journal_add: Adds @slice, whose file at @path is whole. Any thread. */
gboolean tl_journal_add (TlJournal *journal, size_t slice, const char *path,
                         GError **error);
