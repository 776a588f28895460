/* What a file name says: its place in the order, and the kind of frame. */
#pragma once

#include "data/read/scan/draft.h"

/** tl_name_measure_number: Returns: the length of the number at @at in @name, 0
 * if there is none. In "p_-5" it has a sign; in "p-5" and "p -5" the dash
 * separates it from the rest, and it has none. */
size_t tl_name_measure_number (const char *name, const char *at);

/** tl_name_compare: Compares like strcmp(), but numbers by their values: "p9"
 * comes before "p10", and "p_-10.5" before "p_-10.25" and "p_0". */
int tl_name_compare (const char *a, const char *b);

/** tl_name_split: Returns: (transfer full): the words of letters in the name of
 * the file, in lower case, without its extension */
char **tl_name_split (const char *path);

/** tl_name_get_kind: Returns: the kind of frame by the words in the name of
 * @path; projections if no word says otherwise */
TlFrameKind tl_name_get_kind (const char *path);

/** tl_name_get_kind_beside: As tl_name_get_kind(), for a file beside
 * @projection. Words that both names have are the sample's, as in
 * "flat_bread_0001.tif" and "flat_bread_dark_0001.tif", unless they have
 * nothing in common but a word for flats or darks. */
TlFrameKind tl_name_get_kind_beside (const char *path, const char *projection);

/** tl_name_get_number: Returns: the number at the end of the name, before the
 * extension; G_MAXSIZE if there is none */
size_t tl_name_get_number (const char *path);

/** tl_name_matches: @pattern: one, with "*", "?" and "#" as in
 * #TlReaderOptions. */
gboolean tl_name_matches (const char *name, const char *pattern);

/** tl_name_is_series: Returns: whether the file has flats of the ESRF,
 * "refHST1500.edf", taken before the projection of that number */
gboolean tl_name_is_series (const char *path);

/** tl_name_is_after: Returns: whether the name of the file or of its folder
 * says that these are flats taken after the projections */
gboolean tl_name_is_after (const char *path);

/** tl_name_is_reconstruction: Returns: whether the name says that the file or
 * folder holds slices, as in "recon_00001.tiff" */
gboolean tl_name_is_reconstruction (const char *path);
