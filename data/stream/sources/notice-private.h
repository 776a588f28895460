/* Names in a folder whose files change, as the system tells it. */
#pragma once

#include <glib.h>

typedef struct TlNotice TlNotice;

typedef enum
{
  TL_NOTICE_MADE,  /* there is a new file, which may still be written */
  TL_NOTICE_CLOSED /* it was written and closed, or got its name then */
} TlNoticeType;

typedef void (*TlNoticeFunc) (const char *name, TlNoticeType type,
                              gpointer data);

/** tl_notice_new: Returns: (transfer full) (nullable): %NULL where the system
 * does not tell of changes, or not of those that other machines make */
TlNotice *tl_notice_new (const char *folder);
void tl_notice_free (TlNotice *notice);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlNotice, tl_notice_free)

/** tl_notice_wait: Returns: whether something has changed */
gboolean tl_notice_wait (TlNotice *notice, gint64 timeout_us);

/**
 * tl_notice_take:
 *
 * Calls @func for each change since the last call.
 *
 * Returns: %FALSE if not all changes are told any more
 */
gboolean tl_notice_take (TlNotice *notice, TlNoticeFunc func, gpointer data);
