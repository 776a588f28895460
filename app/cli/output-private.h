/* The files that a command writes. They stand in a hidden folder until all are
 * whole, and replace others only with --overwrite. */
#pragma once

#include "data/write/staging.h"

/* The option of commands that write files which may exist. */
#define TL_CLI_OVERWRITE(flag)                                                 \
  {                                                                            \
    "overwrite", 0, 0, G_OPTION_ARG_NONE, flag, "replace files that exist",    \
        NULL                                                                   \
  }

/* Zero before use. */
typedef struct
{
  gboolean overwrite;
  GPtrArray *paths;   /* (nullable): as the user names them; of one folder */
  TlStaging *staging; /* (nullable): the hidden folder */
} TlCliOutput;

/** tl_cli_output_add: @path: (transfer full) */
void tl_cli_output_add (TlCliOutput *output, char *path);

/** tl_cli_output_check: Returns: %FALSE with TL_ERROR_FILE if one of the files
 * exists, be it a link, and may not be replaced, or if their folder is an
 * exported volume */
gboolean tl_cli_output_check (const TlCliOutput *output, GError **error);

/** tl_cli_check_new: The same for one file. */
gboolean tl_cli_check_new (const char *path, gboolean overwrite,
                           GError **error);

/** tl_cli_dup_real_path: Returns: (transfer full): @path without links, if
 * there is such a file */
char *tl_cli_dup_real_path (const char *path);

/** tl_cli_check_folder: Returns: %FALSE with TL_ERROR_FILE if the folder of the
 * file @path is not there */
gboolean tl_cli_check_folder (const char *path, GError **error);

/** tl_cli_check_recipe: Returns: %FALSE with TL_ERROR_FILE if the recipe @path
 * would replace a file that is not a recipe. A link is replaced itself; its
 * target stays. */
gboolean tl_cli_check_recipe (const char *path, GError **error);

/** tl_cli_check_raw_folder: Returns: %FALSE with TL_ERROR_FILE if @folder lies
 * in that of @scan and has other files than slices with their recipe */
gboolean tl_cli_check_raw_folder (const char *scan, const char *folder,
                                  GError **error);

/** tl_cli_output_hide: Returns: (transfer full): where the file @path is
 * written until all are whole; %NULL with TL_ERROR_FILE */
char *tl_cli_output_hide (TlCliOutput *output, const char *path,
                          GError **error);

/** tl_cli_output_commit: Puts all files in their places, or none. Returns:
 * %FALSE with TL_ERROR_FILE, also if one has been made meanwhile that may not
 * be replaced; the new files are kept in the hidden folder then */
gboolean tl_cli_output_commit (TlCliOutput *output, GError **error);

/** tl_cli_output_clear: Removes what was not committed. @error: (inout): names
 * the files as the user does afterwards */
void tl_cli_output_clear (TlCliOutput *output, GError **error);
