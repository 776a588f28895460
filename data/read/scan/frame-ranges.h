/* Ranges of projections as the user writes them: "120:135,400" are the
 * projections 120 to 135 and 400, counted from 0. */
#pragma once

#include <glib.h>

typedef struct
{
  size_t first, last; /* both included */
} TlFrameRange;

/**
 * tl_frame_ranges_parse:
 * @text: numbers and ranges, with commas between them, in any order; ""
 *
 * Returns: (transfer full) (nullable) (element-type TlFrameRange): ascending,
 *   apart from each other; %NULL if @text is no such list
 */
GArray *tl_frame_ranges_parse (const char *text);

/** tl_frame_ranges_contain: Returns: whether @frame is in one of @ranges */
gboolean tl_frame_ranges_contain (GArray *ranges, size_t frame);

/** tl_frame_ranges_add: Adds a frame behind all others of @ranges. */
void tl_frame_ranges_add (GArray *ranges, size_t frame);

/** tl_frame_ranges_format: Returns: (transfer full): as
 * tl_frame_ranges_parse() takes it, in the shortest form */
char *tl_frame_ranges_format (GArray *ranges);

/**
 * tl_frame_ranges_describe:
 * @files: (nullable): of char *, the names of the files of all frames; %NULL if
 *   they add nothing
 *
 * Returns: (transfer full): for the eye, with the files of the first ranges:
 *   "3 (p_4.tif),5:8 (p_6.tif to p_9.tif)"
 */
char *tl_frame_ranges_describe (GArray *ranges, GPtrArray *files);

/** tl_frame_ranges_count: Returns: the frames of all of them */
size_t tl_frame_ranges_count (GArray *ranges);

/** tl_frame_ranges_list: Returns: (transfer full): for the eye, as
 * "3, 5:8"; of many ranges the first ones and "…" */
char *tl_frame_ranges_list (GArray *ranges);

/** tl_frame_ranges_join: @a, @b: as tl_frame_ranges_parse() takes them.
 * Returns: (transfer full): the frames of both */
char *tl_frame_ranges_join (const char *a, const char *b);

/** tl_frame_ranges_remove: The same. Returns: (transfer full): the frames of
 * @a that are not in @b */
char *tl_frame_ranges_remove (const char *a, const char *b);
