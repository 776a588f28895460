#include "data/read/survey/survey.h"

#include "data/array.h"
#include "data/read/scan/field-check.h"
#include "data/read/reader-private.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

enum
{
  MAX_PROJECTIONS = 16, /* where each can be read alone */
  MAX_FIELDS = 4,
  MAX_BANDS = 8,       /* of rows */
  MAX_BLOCK_BANDS = 2, /* reading a band decompresses all of its block */
  MAX_SAMPLE_BYTES = 8,
  MIN_CONSTANT = 4, /* fewer equal projections can be a coincidence */
  MIN_REPEATS = 10  /* of the largest value, before it counts as saturation */
};

/* About what all projections of a survey take in memory. */
#define SAMPLE_BYTES ((size_t)32 << 20)

/* What a pixel takes in the arrays of floats. */
#define FLOAT_BYTES ((size_t)6 * sizeof (float))

/* Decompressing so much takes seconds, a large scan minutes. */
#define CHECK_BYTES ((guint64)512 << 20)

/* The largest value counts as saturation if it occurs this many times as often
 * as the second largest: the tail of noise ends with single samples instead. */
#define END_RATIO 10

/* If a larger part of the pixels is constant over the projections, the scan is
 * taken to have no noise. */
#define MAX_CONSTANT 0.05

/* In flat fields with noise, a larger part of the pixels differs between two
 * fields. */
#define MIN_NOISY 0.1

/* The two largest values. */
typedef struct
{
  size_t n_frames, n_samples;
  float top, next; /* -INFINITY: none yet */
  size_t n_top, n_next;
  size_t frame, row, col; /* of the first sample with the largest value */
} Peak;

struct TlSurvey
{
  TlReader *reader;
  const TlScanInfo *info;
  size_t n_steps, step;
  size_t n_units;
  size_t unit_frames; /* projections that are read together: those of a block
                         that is compressed, else 1 */
  size_t n_bands, band_rows;

  char *samples; /* [unit_frames or 1][band_rows][n_cols] */
  float *fields; /* owns the arrays of floats below */
  float *values; /* [band_rows][n_cols] */
  /* All [n_bands][band_rows][n_cols]. */
  float *flat;     /* sum of the flat fields */
  float *dark;     /* sum of the dark fields */
  float *low;      /* minimum over the projections */
  float *high;     /* maximum over the projections */
  float *first;    /* the first flat field */
  guint8 *differs; /* whether another flat field differs from the first */
  size_t n_flats, n_darks;

  Peak projections, flats;
  GArray *columns; /* of size_t */
  TlFrameCheck *check;
  gboolean is_done;
  TlSurveyReport report;
};

/* Decides how much of the scan is read, and in how many steps. */
static void
plan (TlSurvey *survey)
{
  const TlScanInfo *info = survey->info;
  const size_t n = info->n_projections;
  const size_t block = MAX (tl_reader_get_block (survey->reader), 1);
  const size_t unit = MIN (block, n);
  const size_t n_units =
      MIN ((n + unit - 1) / unit, MAX (MAX_PROJECTIONS / unit, 2));
  const size_t pixel_bytes =
      MAX (n_units * unit * tl_sample_size (info->type), FLOAT_BYTES);
  const size_t n_rows = MAX (SAMPLE_BYTES / (info->n_cols * pixel_bytes), 1);
  const size_t max_bands = unit > 1 ? MAX_BLOCK_BANDS : MAX_BANDS;
  survey->unit_frames = unit;
  survey->n_units = n_units;
  survey->n_bands = n_rows >= info->n_rows ? 1 : MIN (max_bands, n_rows);
  survey->band_rows = MIN (n_rows, info->n_rows) / survey->n_bands;
  survey->n_flats = MIN (info->n_flats, MAX_FIELDS);
  survey->n_darks = MIN (info->n_darks, MAX_FIELDS);
  survey->n_steps =
      survey->n_bands * (survey->n_flats + survey->n_darks + n_units);
}

/* Returns: where part @k of @n_parts begins, when parts of length @part are
 * spread evenly over @n, the first at the start and the last at the end */
static size_t
spread (size_t k, size_t n_parts, size_t part, size_t n)
{
  return n_parts < 2 ? (n - part) / 2 : k * (n - part) / (n_parts - 1);
}

static size_t
band_row (const TlSurvey *survey, size_t band)
{
  return spread (band, survey->n_bands, survey->band_rows,
                 survey->info->n_rows);
}

TlSurvey *
tl_survey_new (TlReader *reader)
{
  g_return_val_if_fail (reader != NULL, NULL);
  TlSurvey *survey = g_new0 (TlSurvey, 1);
  survey->reader = reader;
  survey->info = tl_reader_get_info (reader);
  survey->check = tl_frame_check_new (reader, CHECK_BYTES);
  survey->columns = g_array_new (FALSE, FALSE, sizeof (size_t));
  survey->projections.top = survey->projections.next = -INFINITY;
  survey->flats.top = survey->flats.next = -INFINITY;
  plan (survey);
  return survey;
}

void
tl_survey_free (TlSurvey *survey)
{
  if (survey == NULL)
    return;
  g_free (survey->samples);
  g_free (survey->fields);
  g_free (survey->differs);
  g_array_unref (survey->columns);
  tl_frame_check_free (survey->check);
  g_free (survey);
}

static size_t
n_pixels (const TlSurvey *survey)
{
  return survey->n_bands * survey->band_rows * survey->info->n_cols;
}

static gboolean
allocate (TlSurvey *survey, GError **error)
{
  const char *what = _ ("the survey of the scan");
  const size_t n = n_pixels (survey);
  float **fields[] = { &survey->values, &survey->flat, &survey->dark,
                       &survey->low,    &survey->high, &survey->first };
  survey->fields =
      tl_try_alloc (G_N_ELEMENTS (fields), n, 1, sizeof (float), what, error);
  survey->differs = tl_try_alloc (1, n, 1, 1, what, error);
  /* the samples of fields may be larger than those of projections */
  survey->samples = tl_try_alloc (
      1, survey->band_rows, survey->info->n_cols,
      MAX (survey->unit_frames * tl_sample_size (survey->info->type),
           MAX_SAMPLE_BYTES),
      what, error);
  if (survey->fields == NULL || survey->differs == NULL
      || survey->samples == NULL)
    return FALSE;
  memset (survey->fields, 0, G_N_ELEMENTS (fields) * n * sizeof (float));
  memset (survey->differs, 0, n);
  for (size_t k = 0; k < G_N_ELEMENTS (fields); k++)
    *fields[k] = survey->fields + k * n;
  for (size_t i = 0; i < n; i++)
    {
      survey->low[i] = INFINITY;
      survey->high[i] = -INFINITY;
    }
  return TRUE;
}

/* Updates the two largest values. @values: [band_rows][n_cols] of the band */
static void
take_peak (const TlSurvey *survey, Peak *peak, size_t frame, size_t band,
           const float *values)
{
  const size_t n_cols = survey->info->n_cols;
  const size_t n = survey->band_rows * n_cols;
  peak->n_samples += n;
  for (size_t i = 0; i < n; i++)
    {
      const float v = values[i];
      if (v == peak->top)
        peak->n_top++;
      else if (v > peak->top && isfinite (v))
        {
          peak->next = peak->top;
          peak->n_next = peak->n_top;
          peak->top = v;
          peak->n_top = 1;
          peak->frame = frame;
          peak->row = band_row (survey, band) + i / n_cols;
          peak->col = i % n_cols;
        }
      else if (v == peak->next)
        peak->n_next++;
      else if (v > peak->next && v < peak->top)
        {
          peak->next = v;
          peak->n_next = 1;
        }
    }
}

/* Adds field @k, whose band is in survey->values. */
static void
take_field (TlSurvey *survey, TlFrameKind kind, size_t k, size_t frame,
            size_t band)
{
  const size_t n = survey->band_rows * survey->info->n_cols;
  const size_t at = band * n;
  float *sums = (kind == TL_FRAMES_FLATS ? survey->flat : survey->dark) + at;
  for (size_t i = 0; i < n; i++)
    sums[i] += survey->values[i];
  if (kind != TL_FRAMES_FLATS)
    return;
  for (size_t i = 0; i < n && k > 0; i++)
    survey->differs[at + i] |= survey->values[i] != survey->first[at + i];
  if (k == 0)
    memcpy (survey->first + at, survey->values, n * sizeof (float));
  take_peak (survey, &survey->flats, frame, band, survey->values);
}

/* Returns: @frame, or the next one that counts in the mean, if any does */
static size_t
find_used (TlSurvey *survey, TlFrameKind kind, size_t frame, size_t n)
{
  const guint8 *states =
      survey->info->n_flats > 0
          ? tl_reader_judge_fields (survey->reader, kind, NULL)
          : NULL;
  for (size_t k = 0; k < n && states != NULL; k++)
    if (tl_field_is_used (states[(frame + k) % n]))
      return (frame + k) % n;
  return frame;
}

static gboolean
read_field (TlSurvey *survey, TlFrameKind kind, size_t k, size_t band,
            GError **error)
{
  const TlScanInfo *info = survey->info;
  const gboolean is_flat = kind == TL_FRAMES_FLATS;
  const size_t n_all = is_flat ? info->n_flats : info->n_darks;
  const size_t n_read = is_flat ? survey->n_flats : survey->n_darks;
  const size_t frame =
      find_used (survey, kind, spread (k, n_read, 1, n_all), n_all);
  if (!tl_reader_read_frames (survey->reader, kind, frame, 1,
                              band_row (survey, band), survey->band_rows,
                              survey->samples, error))
    return FALSE;
  tl_samples_to_float (tl_reader_get_type (survey->reader, kind),
                       survey->samples, survey->band_rows * info->n_cols,
                       survey->values);
  take_field (survey, kind, k, frame, band);
  return TRUE;
}

/* Projections that are read together cannot be told apart. */
static gboolean
go_without (TlSurvey *survey, size_t first, size_t n_frames, GError *failure,
            GError **error)
{
  for (size_t k = 1; k < n_frames; k++)
    if (!tl_frame_check_go_without (survey->check, first + k,
                                    g_error_copy (failure), error))
      {
        g_error_free (failure);
        return FALSE;
      }
  return tl_frame_check_go_without (survey->check, first, failure, error);
}

static gboolean
read_unit (TlSurvey *survey, size_t unit, size_t band, GError **error)
{
  const TlScanInfo *info = survey->info;
  const size_t n = survey->band_rows * info->n_cols;
  const size_t n_blocks =
      (info->n_projections + survey->unit_frames - 1) / survey->unit_frames;
  const size_t first =
      spread (unit, survey->n_units, 1, n_blocks) * survey->unit_frames;
  const size_t n_frames =
      MIN (survey->unit_frames, info->n_projections - first);
  GError *failure = NULL;
  if (!tl_reader_read_frames (survey->reader, TL_FRAMES_PROJECTIONS, first,
                              n_frames, band_row (survey, band),
                              survey->band_rows, survey->samples, &failure))
    return go_without (survey, first, n_frames, failure, error);
  float *low = survey->low + band * n, *high = survey->high + band * n;
  for (size_t k = 0; k < n_frames; k++)
    {
      tl_samples_to_float (
          info->type, survey->samples + k * n * tl_sample_size (info->type), n,
          survey->values);
      take_peak (survey, &survey->projections, info->frames[first + k], band,
                 survey->values);
      for (size_t i = 0; i < n; i++)
        {
          if (survey->values[i] < low[i]) /* FALSE for NaN */
            low[i] = survey->values[i];
          if (survey->values[i] > high[i])
            high[i] = survey->values[i];
        }
    }
  if (band == 0)
    survey->projections.n_frames += n_frames;
  return TRUE;
}

/* Reads one band of a flat field, of a dark field, or of some projections. */
static gboolean
read_step (TlSurvey *survey, size_t step, GError **error)
{
  const size_t k = step / survey->n_bands, band = step % survey->n_bands;
  const size_t n_fields = survey->n_flats + survey->n_darks;
  if (k < survey->n_flats)
    return read_field (survey, TL_FRAMES_FLATS, k, band, error);
  if (k < n_fields)
    return read_field (survey, TL_FRAMES_DARKS, k - survey->n_flats, band,
                       error);
  return read_unit (survey, k - n_fields, band, error);
}

/* Whether a camera of 8 to 16 bits saturates at @value. */
static gboolean
is_camera_max (float value)
{
  for (guint bits = 8; bits <= 16; bits++)
    if (value == (float)((1u << bits) - 1))
      return TRUE;
  return FALSE;
}

static TlSaturation
find_saturation (const Peak *peak, TlSampleType type, gboolean is_noisy)
{
  static const float type_max[TL_N_SAMPLE_TYPES] = {
    [TL_SAMPLE_U8] = G_MAXUINT8,          [TL_SAMPLE_I8] = G_MAXINT8,
    [TL_SAMPLE_U16] = G_MAXUINT16,        [TL_SAMPLE_I16] = G_MAXINT16,
    [TL_SAMPLE_U32] = (float)G_MAXUINT32, [TL_SAMPLE_I32] = (float)G_MAXINT32,
    [TL_SAMPLE_F32] = INFINITY,           [TL_SAMPLE_F64] = INFINITY,
  };
  TlSaturation found = {
    .n_frames = peak->n_frames,
    .n_samples = peak->n_samples,
    .value = peak->top,
    .is_type_max = peak->top >= type_max[type],
    .frame = peak->frame,
    .row = peak->row,
    .col = peak->col,
  };
  /* one hot pixel is no saturation, in however many frames it repeats its value
   */
  const gboolean is_end =
      peak->n_top > END_RATIO * peak->n_next
      && ((is_camera_max (peak->top) && peak->n_top >= MIN_REPEATS)
          || (is_noisy && peak->n_next > 0
              && peak->n_top >= MIN_REPEATS * peak->n_frames));
  if (found.is_type_max || is_end)
    found.n_saturated = peak->n_top;
  return found;
}

static gboolean
is_constant (const TlSurvey *survey, size_t i)
{
  return survey->low[i] >= survey->high[i];
}

static gboolean
is_below_dark (const TlSurvey *survey, size_t i)
{
  const float dark =
      survey->n_darks > 0 ? survey->dark[i] / (float)survey->n_darks : 0;
  return survey->n_flats > 0
         && !(survey->flat[i] / (float)survey->n_flats > dark);
}

/* Marks dead pixels in survey->differs, whose former contents are not needed
 * any more. */
static void
mark_dead (TlSurvey *survey)
{
  const size_t n = n_pixels (survey);
  size_t n_constant = 0;
  for (size_t i = 0; i < n; i++)
    n_constant += is_constant (survey, i);
  const gboolean counts = survey->projections.n_frames >= MIN_CONSTANT
                          && (double)n_constant <= MAX_CONSTANT * (double)n;
  for (size_t i = 0; i < n; i++)
    survey->differs[i] =
        is_below_dark (survey, i) || (counts && is_constant (survey, i));
}

static void
count_dead (TlSurvey *survey)
{
  TlSurveyReport *report = &survey->report;
  const size_t n_cols = survey->info->n_cols;
  const size_t n_rows = survey->n_bands * survey->band_rows;
  for (size_t col = 0; col < n_cols; col++)
    {
      size_t n_dead = 0;
      for (size_t row = 0; row < n_rows; row++)
        n_dead += survey->differs[row * n_cols + col];
      if (n_dead == n_rows)
        g_array_append_val (survey->columns, col);
      for (size_t row = 0; n_dead > 0 && n_dead < n_rows && row < n_rows; row++)
        if (survey->differs[row * n_cols + col] && report->n_dead_pixels++ == 0)
          {
            report->row = band_row (survey, row / survey->band_rows)
                          + row % survey->band_rows;
            report->col = col;
          }
    }
  report->columns = (const size_t *)(gpointer)survey->columns->data;
  report->n_dead_columns = survey->columns->len;
}

static void
conclude (TlSurvey *survey)
{
  size_t n_differ = 0;
  for (size_t i = 0; i < n_pixels (survey); i++)
    n_differ += survey->differs[i];
  const gboolean is_noisy =
      (double)n_differ > MIN_NOISY * (double)n_pixels (survey);
  survey->flats.n_frames = survey->n_flats;
  survey->report.n_rows = survey->n_bands * survey->band_rows;
  survey->report.projections =
      find_saturation (&survey->projections, survey->info->type, is_noisy);
  if (survey->n_flats > 0)
    survey->report.flats = find_saturation (
        &survey->flats, tl_reader_get_type (survey->reader, TL_FRAMES_FLATS),
        is_noisy);
  mark_dead (survey);
  count_dead (survey);
  survey->report.n_spots =
      tl_reader_count_spots (survey->reader, &survey->report.n_field_pixels);
  survey->report.n_checked = tl_frame_check_count (survey->check);
  survey->report.usual = tl_frame_check_get_usual (survey->check);
  survey->report.odd = tl_frame_check_get (survey->check);
  survey->report.odd_fields = tl_frame_check_get_fields (survey->check);
  survey->report.fault = tl_frame_check_get_fault (survey->check);
}

gboolean
tl_survey_step (TlSurvey *survey, gboolean *is_done, GError **error)
{
  g_return_val_if_fail (survey != NULL && is_done != NULL, FALSE);
  g_return_val_if_fail (!survey->is_done, FALSE);
  if (survey->step == 0 && !allocate (survey, error))
    return FALSE;
  if (survey->step < survey->n_steps
          ? !read_step (survey, survey->step, error)
          : !tl_frame_check_step (survey->check, &survey->is_done, error))
    return FALSE;
  survey->step++;
  if (survey->is_done)
    conclude (survey);
  *is_done = survey->is_done;
  return TRUE;
}

const TlSurveyReport *
tl_survey_get_report (TlSurvey *survey)
{
  g_return_val_if_fail (survey != NULL, NULL);
  g_return_val_if_fail (survey->is_done, NULL);
  return &survey->report;
}
