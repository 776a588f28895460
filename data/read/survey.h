/* A look at a part of a scan: what is saturated, which pixels are of no use.
 *
 * A survey goes in steps, so that whoever has the reader can do something else
 * in between. Each is one read: a few megabytes of a field or a projection, or
 * where projections are compressed together, of the block that they are in,
 * which has to be decompressed for it. It never reads it all: a few
 * projections, or two whole blocks, in a few bands of rows where they are
 * large.
 */
#pragma once

#include "data/read/reader.h"

G_BEGIN_DECLS

typedef struct TlSurvey TlSurvey;

/* Samples at the upper end of what the detector can say. */
typedef struct
{
  size_t n_frames;        /* looked at */
  size_t n_samples;       /* looked at */
  size_t n_saturated;     /* of these; 0: nothing below has a meaning */
  double value;           /* theirs */
  gboolean is_type_max;   /* the largest of an integer type; else the values end
                             there abruptly */
  size_t frame, row, col; /* of the first */
} TlSaturation;

/* What was found; plain but for @columns, which the survey owns. */
typedef struct
{
  size_t n_rows;            /* looked at */
  TlSaturation projections; /* of which so many were looked at */
  TlSaturation flats;
  size_t n_dead_columns;
  const size_t *columns; /* [n_dead_columns] dead in all rows, rising */
  size_t n_dead_pixels;  /* others */
  size_t row, col;       /* of the first of those */
} TlSurveyReport;

/** tl_survey_new: Reads nothing. @reader: outlives the survey. */
TlSurvey *tl_survey_new (TlReader *reader);
void tl_survey_free (TlSurvey *survey);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlSurvey, tl_survey_free)

/**
 * tl_survey_step:
 * @is_done: (out): nothing is left to be read
 *
 * Reads the next part; in the thread that has the reader.
 *
 * Returns: %FALSE with an error of tl_reader_read() or TL_ERROR_MEMORY; the
 *   survey cannot go on then
 */
gboolean tl_survey_step (TlSurvey *survey, gboolean *is_done, GError **error);

/**
 * tl_survey_get_report:
 *
 * A pixel is dead where its flat field is not above its dark field, or where
 * all projections have the same value; the latter only where so few pixels are
 * like that that the scan was not made without noise.
 *
 * Returns: (transfer none): of a survey that is done
 */
const TlSurveyReport *tl_survey_get_report (TlSurvey *survey);

G_END_DECLS
