/* What an export makes of a scan: which part of it, and in which form. */
#pragma once

#include "data/geometry.h"
#include "data/write/volume/volume.h"

#define TL_EXPORT_MAX_BINNING 8

/* Plain value. */
typedef struct
{
  TlVolumeFormat format;
  TlVolumeSample sample;
  int compression; /* as of TlVolumeInfo */
  /* The range of integer samples: [low, high] if has_range, else these
   * percentiles of some slices. */
  gboolean has_range;
  double low, high;
  double low_percent, high_percent;
  /* The detector rows: first_row, first_row + row_step, … */
  size_t first_row, n_rows, row_step;
  TlVolumePlane plane;
  double rotation_deg; /* of the slice about the axis, counter-clockwise */
  /* The region of the rotated slice, in its pixels; n_cols 0: all of it. */
  size_t region_row, region_col, region_n_rows, region_n_cols;
  gboolean masks; /* pixels outside the largest circle in the whole slice
                     become 0 */
  guint binning;  /* 1, 2, 4 or 8: means of so many voxels along each axis;
                     voxels that do not fill a bin are left out, which the
                     plan says */
} TlExportSettings;

typedef enum
{
  TL_EXPORT_FIELD_FORMAT,
  TL_EXPORT_FIELD_SAMPLES,
  TL_EXPORT_FIELD_COMPRESSION,
  TL_EXPORT_FIELD_RANGE,
  TL_EXPORT_FIELD_SLICES,
  TL_EXPORT_FIELD_PLANE,
  TL_EXPORT_FIELD_BINNING,
  TL_EXPORT_FIELD_REGION,
  TL_EXPORT_FIELD_ROTATION,
  TL_EXPORT_FIELD_MASK,
  TL_N_EXPORT_FIELDS
} TlExportField;

/* How page and command line call a field. What is marked for translation is in
 * English. */
typedef struct
{
  const char *option;  /* without "--" */
  const char *label;   /* marked, with a mnemonic */
  const char *without; /* marked: the value where the option is not given */
  const char *with;    /* (nullable): marked: the value shown for an option
                          that takes none */
} TlExportFieldInfo;

/** tl_export_field_get_info: Returns: (transfer none): of one field */
const TlExportFieldInfo *tl_export_field_get_info (TlExportField field);

/** tl_export_settings_init: @n_rows: of the detector: all slices, whole, as a
 * TIFF stack of floats */
void tl_export_settings_init (TlExportSettings *settings, size_t n_rows);

/** tl_export_settings_set_rows: Sets which slices are made: @first, @first +
 * @step, …, up to @last. @n_rows: of the detector. Returns: %FALSE with
 * TL_ERROR_VALUE if there are no such slices */
gboolean tl_export_settings_set_rows (TlExportSettings *settings, size_t first,
                                      size_t last, size_t step, size_t n_rows,
                                      GError **error);

/** tl_export_parse_number: @text: with a decimal point or a decimal comma.
 * Returns: %FALSE if it is not a finite number */
gboolean tl_export_parse_number (const char *text, double *number);

/** tl_export_settings_set_range: Sets the range of integer samples, or the
 * percentiles that it is found by. Returns: %FALSE with TL_ERROR_VALUE */
gboolean tl_export_settings_set_range (TlExportSettings *settings,
                                       gboolean is_percent, double low,
                                       double high, GError **error);

/**
 * tl_export_settings_check:
 * @whole: the grid of the whole slice
 * @n_rows: of the detector
 *
 * Returns: %FALSE with TL_ERROR_VALUE or TL_ERROR_UNSUPPORTED that says what
 *   cannot be exported, and what could
 */
gboolean tl_export_settings_check (const TlExportSettings *settings,
                                   const TlGrid *whole, size_t n_rows,
                                   GError **error);

/** tl_export_settings_get_grid: Returns: the pixels of the region. */
TlGrid tl_export_settings_get_grid (const TlExportSettings *settings,
                                    const TlGrid *whole);

/**
 * tl_export_settings_describe:
 * @pixel_um: of the detector; 0: unknown
 * @info: (out caller-allocates): without range and strings
 *
 * The volume that is made.
 */
void tl_export_settings_describe (const TlExportSettings *settings,
                                  const TlGrid *whole, double pixel_um,
                                  TlVolumeInfo *info);

/** tl_export_settings_to_options: Returns: (transfer full): the options of the
 * command "export" that give @settings, with a blank before each */
char *tl_export_settings_to_options (const TlExportSettings *settings);
