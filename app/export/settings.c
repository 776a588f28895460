#include "app/export/settings.h"

#include "data/error.h"

#include <glib/gi18n.h>
#include <math.h>
#include <stdarg.h>

#define LOW_PERCENT 0.1
#define HIGH_PERCENT 99.9

void
tl_export_settings_init (TlExportSettings *settings, size_t n_rows)
{
  *settings = (TlExportSettings){
    .low_percent = LOW_PERCENT,
    .high_percent = HIGH_PERCENT,
    .n_rows = n_rows,
    .row_step = 1,
    .binning = 1,
  };
}

/* The numbers are those that the user has typed. */
static gboolean
check_last (size_t first, size_t last, size_t step, size_t n_rows,
            GError **error)
{
  return last < n_rows
         || tl_fail (error, TL_ERROR_VALUE,
                     _ ("slices %zu to %zu, step %zu: the scan has the slices "
                        "0 to %zu; end the range at %zu or before"),
                     first, last, step, n_rows - 1, n_rows - 1);
}

gboolean
tl_export_settings_set_rows (TlExportSettings *settings, size_t first,
                             size_t last, size_t step, size_t n_rows,
                             GError **error)
{
  g_return_val_if_fail (step > 0, FALSE);
  if (first > last)
    return tl_fail (error, TL_ERROR_VALUE,
                    _ ("the first slice, %zu, comes after the last one, %zu"),
                    first, last);
  if (!check_last (first, last, step, n_rows, error))
    return FALSE;
  settings->first_row = first;
  settings->n_rows = (last - first) / step + 1;
  settings->row_step = step;
  return TRUE;
}

gboolean
tl_export_parse_number (const char *text, double *number)
{
  g_autofree char *digits =
      g_strdelimit (g_strstrip (g_strdup (text)), ",", '.');
  char *end;
  *number = g_ascii_strtod (digits, &end);
  return end != digits && *end == '\0' && isfinite (*number);
}

gboolean
tl_export_settings_set_range (TlExportSettings *settings, gboolean is_percent,
                              double low, double high, GError **error)
{
  if (!(low < high))
    return tl_fail (error, TL_ERROR_VALUE,
                    _ ("the end of the range must be above its start"));
  if (is_percent && (low < 0 || high > 100))
    return tl_fail (error, TL_ERROR_VALUE,
                    _ ("percentiles lie between 0 and 100"));
  settings->has_range = !is_percent;
  *(is_percent ? &settings->low_percent : &settings->low) = low;
  *(is_percent ? &settings->high_percent : &settings->high) = high;
  return TRUE;
}

static gboolean
check_rows (const TlExportSettings *s, size_t n_rows, GError **error)
{
  const size_t last = s->first_row + (s->n_rows - 1) * s->row_step;
  if (!check_last (s->first_row, last, s->row_step, n_rows, error))
    return FALSE;
  if (s->row_step > 1 && (s->binning > 1 || s->plane != TL_PLANE_XY))
    return tl_fail (error, TL_ERROR_UNSUPPORTED,
                    _ ("binning, and the planes xz and yz, need every "
                       "detector row of the range: set the step to 1"));
  return TRUE;
}

static gboolean
check_region (const TlExportSettings *s, const TlGrid *whole, GError **error)
{
  const gboolean fits = s->region_row < whole->ny && s->region_col < whole->nx
                        && s->region_n_rows <= whole->ny - s->region_row
                        && s->region_n_cols <= whole->nx - s->region_col
                        && (s->region_n_cols == 0) == (s->region_n_rows == 0);
  return fits
         || tl_fail (error, TL_ERROR_VALUE,
                     _ ("the region of %zu x %zu pixels at column %zu, row %zu "
                        "is not within the slice of %zu x %zu"),
                     s->region_n_cols, s->region_n_rows, s->region_col,
                     s->region_row, whole->nx, whole->ny);
}

gboolean
tl_export_settings_check (const TlExportSettings *settings, const TlGrid *whole,
                          size_t n_rows, GError **error)
{
  g_return_val_if_fail (settings->n_rows > 0 && settings->row_step > 0, FALSE);
  const guint binning = settings->binning;
  TlVolumeInfo info;
  if (binning < 1 || binning > TL_EXPORT_MAX_BINNING
      || (binning & (binning - 1)) != 0)
    return tl_fail (error, TL_ERROR_VALUE,
                    _ ("a binning of %u is not possible; it is 1, 2, 4 or 8"),
                    binning);
  if (!check_rows (settings, n_rows, error)
      || !check_region (settings, whole, error))
    return FALSE;
  tl_export_settings_describe (settings, whole, 0, &info);
  if (info.n_slices == 0 || info.n_rows == 0 || info.n_cols == 0)
    return tl_fail (error, TL_ERROR_VALUE,
                    _ ("nothing is left of so few voxels after a binning of "
                       "%u"),
                    binning);
  if (!settings->has_range)
    info.high = info.low + 1; /* found later */
  return tl_volume_check (&info, error);
}

TlGrid
tl_export_settings_get_grid (const TlExportSettings *settings,
                             const TlGrid *whole)
{
  TlGrid grid = *whole;
  if (settings->region_n_cols > 0)
    {
      grid.x0 += (double)settings->region_col * grid.pitch;
      grid.y0 -= (double)settings->region_row * grid.pitch;
      grid.nx = settings->region_n_cols;
      grid.ny = settings->region_n_rows;
    }
  return grid;
}

void
tl_export_settings_describe (const TlExportSettings *settings,
                             const TlGrid *whole, double pixel_um,
                             TlVolumeInfo *info)
{
  const TlGrid grid = tl_export_settings_get_grid (settings, whole);
  const guint binning = settings->binning;
  const size_t nz = settings->n_rows / binning;
  const size_t ny = grid.ny / binning, nx = grid.nx / binning;
  *info = (TlVolumeInfo){
    .format = settings->format,
    .plane = settings->plane,
    .number_step = binning,
    .binning = binning,
    .sample = settings->sample,
    .low = settings->low,
    .high = settings->high,
    .compression = settings->compression,
    .pixel_um = pixel_um * binning,
    .pitch_um = pixel_um * binning * (double)settings->row_step,
  };
  switch (settings->plane)
    {
    case TL_PLANE_XY:
      info->n_slices = nz;
      info->n_rows = ny;
      info->n_cols = nx;
      info->first_number = settings->first_row;
      info->first_row = settings->region_row;
      info->first_col = settings->region_col;
      info->number_step = settings->row_step * binning;
      break;
    case TL_PLANE_XZ:
      info->n_slices = ny;
      info->n_rows = nz;
      info->n_cols = nx;
      info->first_number = settings->region_row;
      info->first_row = settings->first_row;
      info->first_col = settings->region_col;
      break;
    default:
      info->n_slices = nx;
      info->n_rows = nz;
      info->n_cols = ny;
      info->first_number = settings->region_col;
      info->first_row = settings->first_row;
      info->first_col = settings->region_row;
    }
}

static const TlExportFieldInfo fields[TL_N_EXPORT_FIELDS] = {
  [TL_EXPORT_FIELD_FORMAT] = { "format", N_ ("F_ormat"), "" },
  [TL_EXPORT_FIELD_SAMPLES] = { "sample", N_ ("Sam_ples"), "float32" },
  [TL_EXPORT_FIELD_COMPRESSION] = { "compression", N_ ("_Compression"), "0" },
  [TL_EXPORT_FIELD_RANGE] = { "range", N_ ("Range"), "–" },
  [TL_EXPORT_FIELD_SLICES] = { "slices", N_ ("Slices"), "" },
  [TL_EXPORT_FIELD_PLANE] = { "plane", N_ ("P_lane"), "xy" },
  [TL_EXPORT_FIELD_BINNING] = { "binning", N_ ("_Binning"), "1" },
  [TL_EXPORT_FIELD_REGION] = { "region", N_ ("Region"),
                               N_ ("the whole slice") },
  [TL_EXPORT_FIELD_ROTATION] = { "rotate", N_ ("Rotat_ion"), "0" },
  [TL_EXPORT_FIELD_MASK] = { "mask", N_ ("Circular _mask"), N_ ("off"),
                             N_ ("on") },
};

const TlExportFieldInfo *
tl_export_field_get_info (TlExportField field)
{
  return &fields[field];
}

/* @format: of the value, with the blank before it */
static void add_option (GString *text, TlExportField field, const char *format,
                        ...) G_GNUC_PRINTF (3, 4);

static void
add_option (GString *text, TlExportField field, const char *format, ...)
{
  va_list args;
  g_string_append_printf (text, " --%s", fields[field].option);
  va_start (args, format);
  g_string_append_vprintf (text, format, args);
  va_end (args);
}

static void
add_form (const TlExportSettings *s, GString *text)
{
  g_autofree char *low = tl_dup_number (s->has_range ? s->low : s->low_percent);
  g_autofree char *high =
      tl_dup_number (s->has_range ? s->high : s->high_percent);
  const char *percent = s->has_range ? "" : "%";
  add_option (text, TL_EXPORT_FIELD_FORMAT, " %s",
              tl_volume_format_get_info (s->format)->name);
  if (s->sample != TL_VOLUME_F32)
    add_option (text, TL_EXPORT_FIELD_SAMPLES, " %s",
                tl_volume_sample_name (s->sample));
  if (s->compression > 0)
    add_option (text, TL_EXPORT_FIELD_COMPRESSION, " %d", s->compression);
  if (tl_volume_sample_max (s->sample) > 0)
    add_option (text, TL_EXPORT_FIELD_RANGE, " %s%s:%s%s", low, percent, high,
                percent);
}

char *
tl_export_settings_to_options (const TlExportSettings *settings)
{
  const TlExportSettings *s = settings;
  g_autofree char *degrees = tl_dup_number (s->rotation_deg);
  GString *text = g_string_new (NULL);
  add_option (text, TL_EXPORT_FIELD_SLICES, " %zu:%zu", s->first_row,
              s->first_row + (s->n_rows - 1) * s->row_step);
  if (s->row_step > 1)
    g_string_append_printf (text, ":%zu", s->row_step);
  add_form (s, text);
  if (s->plane != TL_PLANE_XY)
    add_option (text, TL_EXPORT_FIELD_PLANE, " %s",
                tl_volume_plane_name (s->plane));
  if (s->rotation_deg != 0)
    add_option (text, TL_EXPORT_FIELD_ROTATION, " %s", degrees);
  if (s->region_n_cols > 0)
    add_option (text, TL_EXPORT_FIELD_REGION, " %zu,%zu,%zu,%zu", s->region_col,
                s->region_row, s->region_n_cols, s->region_n_rows);
  if (s->masks)
    add_option (text, TL_EXPORT_FIELD_MASK, "%s", "");
  if (s->binning > 1)
    add_option (text, TL_EXPORT_FIELD_BINNING, " %u", s->binning);
  return g_string_free (text, FALSE);
}
