/* Where the installed program has its files. */
#pragma once

#include <glib.h>

/**
 * tl_installation_dup_folder:
 * @folder: below the prefix, such as "share/locale", or an absolute path, which
 *   is returned as it is
 *
 * The prefix is the one that the running program lies in, so that an
 * installation can be moved; for a program that lies in no folder of programs,
 * it is the prefix of the build.
 *
 * Returns: (transfer full): an absolute path, which may not exist
 */
char *tl_installation_dup_folder (const char *folder);

/**
 * tl_installation_find:
 * @built: where a file or folder is in the build tree, such as "ui/po"
 * @installed: as @folder of tl_installation_dup_folder()
 *
 * Returns: (transfer full): the one of the build tree that the running program
 *   lies in, or else that of the installation, which may not exist
 */
char *tl_installation_find (const char *built, const char *installed);

/** tl_installation_find_cli: Returns: (transfer full): where tomolens-cli of
 * this installation is, as of tl_installation_find() */
char *tl_installation_find_cli (void);
