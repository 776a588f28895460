/* The order of projections, and those that are missing, by the numbers in the
 * names of their files. */
#pragma once

#include "data/read/scan/draft.h"

/**
 * tl_numbers_find_wrap:
 * @paths: the files of the projections, in the order of their numbers
 * @draft: receives a note
 *
 * A counter may have reached the largest number of its digits, as 9999, and
 * have begun again at 0 or 1: the files after the widest gap were written
 * before the others then. If all have the same time, more numbers must be
 * missing in the gap than there are files. Where this is not certain, a note
 * tells it if more than a quarter of the numbers is missing.
 *
 * Returns: how many of @paths, the first ones, were taken after all others; 0
 *   if the order is right
 */
guint tl_numbers_find_wrap (GPtrArray *paths, TlScanDraft *draft);

/**
 * tl_numbers_find_missing:
 * @paths: the files of the projections, in order
 * @odd: of char *: files of projections that are left out, so that they are
 *   not in @paths
 * @draft: of a folder, with its groups; receives the steps
 *
 * The numbers must ascend by the same step. Gaps are allowed: at most a quarter
 * as many numbers may be missing as are there; of more a note is added. Those
 * before the first and after the last number are not known to be missing,
 * unless the files of @odd have the numbers next to it. A counter may begin
 * again, as of tl_numbers_find_wrap(): its numbers go on then. Where another
 * image of the folder has one of the missing numbers, such as a flat taken
 * between projections, nothing is missing.
 *
 * Returns: (transfer full) (nullable) (element-type TlFrameRange): the missing
 *   numbers; %NULL if there are none, or too many; @draft receives no more
 *   than a note then
 */
GArray *tl_numbers_find_missing (GPtrArray *paths, GPtrArray *odd,
                                 TlScanDraft *draft);

/**
 * tl_numbers_take_planned:
 * @n_planned: how many projections the scan was to have, numbered from 0
 * @n_taken: (inout): how many of @paths are among them; those after them are
 *   not; changed unless %NULL is returned
 * @draft: receives the steps of the images that are taken
 *
 * Returns: (transfer full) (nullable) (element-type TlFrameRange): the missing
 *   numbers; %NULL, with nothing changed, if there are fewer than two paths,
 *   their numbers do not ascend, or the first is not planned
 */
GArray *tl_numbers_take_planned (GPtrArray *paths, size_t n_planned,
                                 size_t *n_taken, TlScanDraft *draft);
