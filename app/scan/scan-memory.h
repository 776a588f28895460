/* What the user has said about scans that their files do not say, their angles,
 * what the images of a folder are, which projections to leave out and how raw
 * samples are stored, and about addresses that their senders do not say. A key
 * file, tomolens/scans.ini in the user's state folder, has a group for each of
 * the last scans and addresses. Several windows may change it. Main thread: the
 * file is small. */
#pragma once

#include "app/recipe/recipe.h"

/* What is remembered of a scan; several may be joined. */
typedef enum
{
  TL_SCAN_MEMORY_ANGLES = 1,
  TL_SCAN_MEMORY_FILES = 2,    /* patterns of projections, flats and darks */
  TL_SCAN_MEMORY_LEFT_OUT = 4, /* projections */
  TL_SCAN_MEMORY_RAW = 8       /* how the samples of a raw file are stored */
} TlScanMemory;

/** tl_scan_memory_recall: Sets what was noted for the scan that @recipe reads
 * from the file @path, where @recipe says nothing of it. @wanted: what may be
 * set. Returns: what was set */
TlScanMemory tl_scan_memory_recall (const char *path, TlScanMemory wanted,
                                    TlRecipe *recipe);

/** tl_scan_memory_note: Notes what @recipe says of them for the scan that it
 * reads from the file @path, or forgets what was noted. @changed_us: when the
 * scan was written last. A file that cannot be written is left as it is. */
void tl_scan_memory_note (const char *path, const TlRecipe *recipe,
                          gint64 changed_us);

/** tl_scan_memory_has_changed: Returns: whether the scan was written at another
 * time when it was noted what to leave out of it, so that its projections may
 * be others now */
gboolean tl_scan_memory_has_changed (const char *path, const TlRecipe *recipe,
                                     gint64 changed_us);

/* Words as of tl_session_follow_address(); owned. */
typedef struct
{
  char *expected, *angles, *kinds;
} TlAddressWords;

void tl_address_words_clear (TlAddressWords *words);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TlAddressWords, tl_address_words_clear)

/** tl_scan_memory_recall_address: @words: (out): to be cleared if the result is
 * %TRUE. Returns: whether anything was noted for @address */
gboolean tl_scan_memory_recall_address (const char *address,
                                        TlAddressWords *words);

/** tl_scan_memory_note_address: Notes the words, or forgets what was noted if
 * they say nothing. */
void tl_scan_memory_note_address (const char *address, const char *expected,
                                  const char *angles, const char *kinds);

/** tl_scan_memory_forget: Forgets all scans and addresses. */
void tl_scan_memory_forget (void);
/** tl_scan_memory_dup_file: Returns: (transfer full): where they are */
char *tl_scan_memory_dup_file (void);
