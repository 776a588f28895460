/* Looks for saturated samples and dead pixels in a part of a scan, and for odd
 * projections in all of it.
 *
 * A survey proceeds in steps, so that its thread can use the reader for other
 * work in between. Each step is one read of a few megabytes from a field or a
 * projection; where projections are compressed together, it has to decompress
 * their whole block. A survey never reads the whole scan: it reads a few
 * projections, or two blocks of them, and if these are large only a few bands
 * of rows. Of all other projections it reads what TlFrameCheck wants.
 */
#pragma once

#include "data/read/survey/frame-check.h"

typedef struct TlSurvey TlSurvey;

/* Samples at the upper end of the detector's range. */
typedef struct
{
  size_t n_frames;        /* examined */
  size_t n_samples;       /* examined */
  size_t n_saturated;     /* 0: the members below mean nothing */
  double value;           /* of the saturated samples */
  gboolean is_type_max;   /* value is the largest of the integer type; else the
                             histogram ends abruptly at it */
  size_t frame, row, col; /* of the first saturated sample */
} TlSaturation;

/* The result; a plain value, except that the survey owns what it points to. */
typedef struct
{
  size_t n_rows; /* examined */
  TlSaturation projections;
  TlSaturation flats;
  size_t n_dead_columns;
  const size_t *columns;  /* [n_dead_columns] dead in all rows, ascending */
  size_t n_dead_pixels;   /* outside dead columns */
  size_t row, col;        /* of the first of n_dead_pixels */
  size_t n_spots;         /* as of tl_reader_count_spots() */
  size_t n_field_pixels;  /* that were looked at for n_spots */
  size_t n_checked;       /* projections that are odd or not */
  double usual;           /* as of tl_frame_check_get_usual() */
  const TlOddFrames *odd; /* [TL_N_ODD_KINDS] */
  const TlOddFrames *odd_fields; /* [TL_N_FIELD_STATES] */
  TlFieldFault fault;            /* of all flats or darks */
} TlSurveyReport;

/** tl_survey_new: Reads nothing yet. @reader must outlive the survey. */
TlSurvey *tl_survey_new (TlReader *reader);
void tl_survey_free (TlSurvey *survey);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlSurvey, tl_survey_free)

/**
 * tl_survey_step:
 * @is_done: (out): TRUE after the last step
 *
 * Reads and examines the next part, in the thread that uses the reader.
 *
 * Returns: %FALSE with an error of tl_reader_read() or TL_ERROR_MEMORY; the
 *   survey can then only be freed
 */
gboolean tl_survey_step (TlSurvey *survey, gboolean *is_done, GError **error);

/** tl_survey_get_report: A pixel is dead if its flat field is not above its
 * dark field, or if it has the same value in all projections. The second
 * criterion is dropped if it holds for many pixels: the scan is then computed
 * data without noise. Returns: (transfer none): the result of a survey whose
 * last step is done */
const TlSurveyReport *tl_survey_get_report (TlSurvey *survey);
