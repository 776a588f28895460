/* A volume of one or more files that appears whole or not at all.
 *
 * It is written in a hidden folder beside its final place, with a name that
 * nobody can guess, and a file in it is locked for as long as the process
 * writes: network file systems pass such a lock on to other machines. When all
 * is written, files and folders move from there to their place. Until then, a
 * volume that they replace stays as it was. What a killed process leaves behind
 * can be found and continued. If the process was killed when the volume had
 * moved, nothing is left to do but to remove the hidden folder, which whoever
 * looks for it does. */
#pragma once

#include <glib.h>

typedef struct TlStaging TlStaging;

/** tl_staging_dup_name: Returns: (transfer full): the name that @target has in
 * the hidden folder and in its place; that of "folder/volume/." is "volume" */
char *tl_staging_dup_name (const char *target);

/** tl_staging_check_name: Returns: %FALSE with TL_ERROR_FILE if the name of
 * @target is too long for that of its hidden folder */
gboolean tl_staging_check_name (const char *target, GError **error);

/**
 * tl_staging_new:
 * @target: where the volume will be: a folder, or the first of its files
 *
 * Creates the hidden folder, empty, and the folders above @target.
 *
 * Returns: (transfer full): %NULL with TL_ERROR_FILE, also if another process
 *   is writing to @target
 */
TlStaging *tl_staging_new (const char *target, GError **error);

/** tl_staging_look: Returns: (transfer full) (nullable): the path of the newest
 * hidden folder for @target that no process is writing to, after clearing away
 * those whose volumes are in their place already. Disturbs nobody */
char *tl_staging_look (const char *target);

/** tl_staging_is_busy: Returns: whether a process is writing to @target.
 * Disturbs nobody */
gboolean tl_staging_is_busy (const char *target);

/** tl_staging_find: Returns: (transfer full) (nullable): the same folder,
 * locked
 */
TlStaging *tl_staging_find (const char *target);

/** tl_staging_get_path: Returns: (transfer none): the hidden folder. */
const char *tl_staging_get_path (TlStaging *staging);

/** tl_staging_name_target: Users know the target, not what is in the hidden
 * folder: puts its place in the message of @error, named as the target was. */
void tl_staging_name_target (const TlStaging *staging, GError *error);

/** tl_staging_dup_state: Returns: (transfer full): a text that is another one
 * as soon as a file or folder of @names beside @target is made, changed or
 * replaced; what changes below a folder does not count */
char *tl_staging_dup_state (const char *target, const char *const *names);

/**
 * tl_staging_commit:
 * @names: (array zero-terminated=1): of files and folders in the hidden folder
 * @replaces: (nullable): the tl_staging_dup_state() in which files and folders
 *   of these names may be replaced; %NULL: they may not. They are removed with
 *   all that is in them, which the caller has to check
 *
 * Flushes @names to the disk, moves them to the folder of the target, and
 * removes the hidden folder, in which no file should be open. A file never
 * replaces a folder.
 *
 * Returns: %FALSE with TL_ERROR_FILE, also if there is something that may not
 *   be replaced; then all files stay as they were, and so does the hidden
 *   folder
 */
gboolean tl_staging_commit (TlStaging *staging, const char *const *names,
                            const char *replaces, GError **error);

/** tl_staging_remove: Removes the hidden folder with all that is in it. */
gboolean tl_staging_remove (TlStaging *staging, GError **error);

/** tl_staging_free: Unlocks the hidden folder, which stays if it was neither
 * committed nor removed. */
void tl_staging_free (TlStaging *staging);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlStaging, tl_staging_free)

/** tl_remove_all: Removes the folder @path with all that is in it. Returns:
 * %FALSE with TL_ERROR_FILE */
gboolean tl_remove_all (const char *path, GError **error);

/** tl_flush_one: Waits until a file, or the names in a folder, are on the disk.
 * Returns: %FALSE with TL_ERROR_FILE */
gboolean tl_flush_one (const char *path, GError **error);

/** tl_flush_all: The same for @path and all that is in it. */
gboolean tl_flush_all (const char *path, GError **error);
