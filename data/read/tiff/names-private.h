/* What the names of files say: order, and kind of frame. */
#pragma once

#include "data/read/draft-private.h"

G_BEGIN_DECLS

/** tl_tiff_compare_names: as strcmp(), but numbers count as numbers. */
int tl_tiff_compare_names (const char *a, const char *b);

/** tl_name_split: Returns: its words of letters, lower case, no extension. */
char **tl_name_split (const char *path);

/** tl_name_get_kind: Returns: what the words in the name of @path say. */
TlFrameKind tl_name_get_kind (const char *path);

/** tl_name_is_after: Returns: whether file or folder are flats "after". */
gboolean tl_name_is_after (const char *path);

/** tl_name_is_reconstruction: Returns: whether it is of slices: "recon_". */
gboolean tl_name_is_reconstruction (const char *path);

/** tl_name_has_extension: @extensions: lower case, with the dot. */
gboolean tl_name_has_extension (const char *name,
                                const char *const *extensions);

G_END_DECLS
