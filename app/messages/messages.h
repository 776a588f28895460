/* The sentences for the user: what went wrong, for the banner, and what
 * succeeded, for a note that is shown for a while. Main thread only. */
#pragma once

#include <glib-object.h>

#define TL_TYPE_MESSAGES (tl_messages_get_type ())
G_DECLARE_FINAL_TYPE (TlMessages, tl_messages, TL, MESSAGES, GObject)

/* What the user may say so that a scan can be opened; several may be joined. */
typedef enum
{
  TL_ASKS_NOTHING = 0,
  TL_ASKS_ANGLES = 1,
  TL_ASKS_RAW = 2,   /* how the samples of a raw file are stored */
  TL_ASKS_FILES = 4, /* what the images of a folder are */
  TL_ASKS_PLACES = 8 /* where the parts of the scan are in a file */
} TlAsks;

/* Properties, with explicit notify:
 *   "message"  string, read-only, nullable: an error in one sentence
 *   "notice"   string, read-only, nullable: a success in one sentence, or in
 *              two on two lines
 *   "asks"     uint, read-only: #TlAsks, what may help against "message"
 */
TlMessages *tl_messages_new (void);

/** tl_messages_warn: Makes the sentence the "message". @stays: the next
 * picture does not clear it. */
void tl_messages_warn (TlMessages *messages, gboolean stays, const char *format,
                       ...) G_GNUC_PRINTF (3, 4);

/** tl_messages_ask: Sets "asks", until the next warning. The present one is
 * about a scan that could not be opened. */
void tl_messages_ask (TlMessages *messages, TlAsks asks);
gboolean tl_messages_are_about_opening (TlMessages *messages);

/** tl_messages_tell: Makes the sentence the "notice". */
void tl_messages_tell (TlMessages *messages, const char *format, ...)
    G_GNUC_PRINTF (2, 3);

/** tl_messages_tell_step: The notice tells of step @step of the history, which
 * can be undone unless it is 0. */
void tl_messages_tell_step (TlMessages *messages, guint step);
/** tl_messages_get_step: Returns: the step; 0 if the notice tells of none */
guint tl_messages_get_step (TlMessages *messages);

/** tl_messages_tell_news: The same, of a scan that has opened: later sentences
 * do not replace it, but stand below it, until it is cleared. */
void tl_messages_tell_news (TlMessages *messages, const char *news);

/** tl_messages_clear_warning: Clears "message"; one that stays, only if
 * @forces. */
void tl_messages_clear_warning (TlMessages *messages, gboolean forces);
void tl_messages_clear_notice (TlMessages *messages);
/** tl_messages_take_back: Clears "notice" if it is still @notice (nullable). */
void tl_messages_take_back (TlMessages *messages, const char *notice);
/** tl_messages_dismiss: Clears both sentences. */
void tl_messages_dismiss (TlMessages *messages);
