/* The metadata of a volume as a list, from which each format makes its own. */
#pragma once

#include "data/write/volume/info.h"

#define TL_PROGRAM "Tomolens"

#define TL_QUANTITY "attenuation per pixel length"

/* Keys of the texts that are known when the volume is finished. */
#define TL_FACT_SUMS "slice_crc32"
#define TL_FACT_FAILURES "failures"

/* A text or a number with a name. */
typedef struct
{
  const char *key;
  char *text; /* %NULL: a number */
  double number;
} TlFact;

/**
 * tl_facts_list:
 * @slice: for which slice, or %G_MAXSIZE for all
 * @tally: (nullable): not yet known: its numbers are NaN
 *
 * Returns: (transfer full) (element-type TlFact): valid UTF-8
 */
GArray *tl_facts_list (const TlVolumeInfo *info, size_t slice,
                       const TlVolumeTally *tally);

/** tl_facts_dup_json: Returns: (transfer full): the same facts as one JSON
 * object in one line of ASCII; numbers that are not finite are left out */
char *tl_facts_dup_json (const TlVolumeInfo *info, size_t slice,
                         const TlVolumeTally *tally);

/** tl_facts_find_text: @json: (nullable): begins with what
 * tl_facts_dup_json() has written. Returns: (transfer full) (nullable): the
 * text of @key in it, or the digits of its number */
char *tl_facts_find_text (const char *json, const char *key);

/** tl_dup_json_text: Returns: (transfer full): @text, valid UTF-8, with quotes,
 * in ASCII */
char *tl_dup_json_text (const char *text);

/**
 * tl_facts_find_axis:
 * @axis: as in tl_volume_plane_axes(): 0 counts slices, 1 rows, 2 columns
 * @first: (out): the centre of the first voxel; 0 is the centre of the first
 *   pixel of the detector, or of the whole slice
 * @step: (out): the distance of two voxels
 *
 * Returns: (transfer none): the unit of both: "um", or "pixel" (of the
 * detector) if its size is not known
 */
const char *tl_facts_find_axis (const TlVolumeInfo *info, guint axis,
                                double *first, double *step);

/** tl_facts_first_key: Returns: (transfer none): the key of the number of the
 * first slice */
const char *tl_facts_first_key (TlVolumePlane plane);
