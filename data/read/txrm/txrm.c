/* The images of one file of a Zeiss (Xradia) microscope, .txrm or .xrm: an OLE
 * compound file with one stream for each value and each image. All numbers are
 * little-endian. The maker does not document the streams; names and types are
 * those that dxchange and txrm2tiff read. The first row of an image is row 0.
 */
#include "data/array.h"
#include "data/error.h"
#include "data/read/format/change.h"
#include "data/read/format/image-format.h"
#include "data/read/format/rows.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <gsf/gsf-infile-msole.h>
#include <gsf/gsf-infile.h>
#include <gsf/gsf-input-stdio.h>
#include <math.h>

enum
{
  IMAGES_IN_STORAGE = 100, /* ImageData1 has Image1 to Image100 */
  REFERENCE = 0,           /* the place of the flat field */
  CONE_BEAM = 1            /* a value of XrayGeometry */
};

typedef struct
{
  GsfInfile *ole;
  char *name;
  guint32 n_rows, n_cols, n_images, n_planned;
  TlSampleType type, reference_type;
  gboolean has_reference;
  gint64 changed_us;
  guint32 next; /* place of the image that next() returns */
} Txrm;

static void
close_file (gpointer file)
{
  Txrm *self = file;
  g_clear_object (&self->ole);
  g_free (self->name);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Txrm, close_file)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GsfInput, g_object_unref)

static gboolean
fail (Txrm *self, const char *what, GError **error)
{
  return tl_fail (error, TL_ERROR_FILE, "%s: %s", self->name, what);
}

/* Returns: whether the stream exists and has at least @n numbers of 32 bits */
static gboolean
read_numbers (Txrm *self, const char *storage, const char *stream, size_t n,
              void *dest)
{
  g_autoptr (GsfInput) input =
      gsf_infile_child_by_vname (self->ole, storage, stream, NULL);
  if (input == NULL || gsf_input_size (input) < (gsf_off_t)(n * 4)
      || gsf_input_read (input, n * 4, dest) == NULL)
    return FALSE;
  if (G_BYTE_ORDER == G_BIG_ENDIAN)
    tl_samples_swap (TL_SAMPLE_U32, dest, n);
  return TRUE;
}

static gboolean
read_type (Txrm *self, const char *storage, TlSampleType *type)
{
  static const TlSampleType types[] = {
    [2] = TL_SAMPLE_I8,      [3] = TL_SAMPLE_U8,      [4] = TL_SAMPLE_I16,
    [5] = TL_SAMPLE_U16,     [6] = TL_SAMPLE_I32,     [7] = TL_SAMPLE_U32,
    [8] = TL_N_SAMPLE_TYPES, [9] = TL_N_SAMPLE_TYPES, [10] = TL_SAMPLE_F32,
    [11] = TL_SAMPLE_F64,
  };
  guint32 number = 0;
  *type = TL_N_SAMPLE_TYPES;
  if (read_numbers (self, storage, "DataType", 1, &number) && number >= 2
      && number < G_N_ELEMENTS (types))
    *type = types[number];
  return *type != TL_N_SAMPLE_TYPES;
}

/* Returns: (transfer full) (nullable): the stream of an image, if it is long
 * enough */
static GsfInput *
open_image (Txrm *self, guint64 place)
{
  const TlSampleType type =
      place == REFERENCE ? self->reference_type : self->type;
  g_autofree char *storage = g_strdup_printf (
      "ImageData%u", ((guint)place - 1) / IMAGES_IN_STORAGE + 1);
  g_autofree char *stream = g_strdup_printf ("Image%u", (guint)place);
  g_autoptr (GsfInput) input =
      place == REFERENCE
          ? gsf_infile_child_by_vname (self->ole, "ReferenceData", "Image",
                                       NULL)
          : gsf_infile_child_by_vname (self->ole, storage, stream, NULL);
  if (input == NULL
      || (guint64)gsf_input_size (input) / tl_sample_size (type) / self->n_rows
             < self->n_cols)
    return NULL;
  return g_steal_pointer (&input);
}

/* Counts the images, and looks whether the file has a flat field. */
static gboolean
find_images (Txrm *self, GError **error)
{
  guint32 is_corrected = 0;
  if (!read_numbers (self, "ImageInfo", "ImageWidth", 1, &self->n_cols)
      || !read_numbers (self, "ImageInfo", "ImageHeight", 1, &self->n_rows)
      || !read_numbers (self, "ImageInfo", "NoOfImages", 1, &self->n_planned))
    return tl_fail (error, TL_ERROR_FORMAT,
                    _ ("%s: is no Zeiss file, or damaged: it has no number "
                       "and size of the images"),
                    self->name);
  if (self->n_cols == 0 || self->n_rows == 0)
    return fail (self, _ ("has an image without pixels"), error);
  if (!read_type (self, "ImageInfo", &self->type))
    return tl_fail (error, TL_ERROR_UNSUPPORTED,
                    _ ("%s: the type of its samples is not known"), self->name);
  self->n_images = self->n_planned;
  read_numbers (self, "ImageInfo", "ImagesTaken", 1, &self->n_images);
  read_numbers (self, "ImageInfo", "OriginalDataRefCorrected", 1,
                &is_corrected);
  self->n_images = MIN (self->n_images, self->n_planned);
  if (!is_corrected && read_type (self, "ReferenceData", &self->reference_type))
    {
      g_autoptr (GsfInput) reference = open_image (self, REFERENCE);
      self->has_reference = reference != NULL;
    }
  self->next = self->has_reference ? REFERENCE : 1;
  return TRUE;
}

static void
drop_message (const char *domain, GLogLevelFlags level, const char *message,
              gpointer data)
{
}

/* libgsf complains about itself where a file is truncated. */
static gpointer
silence_gsf (gpointer unused)
{
  g_log_set_handler ("libgsf:msole", G_LOG_LEVEL_MASK | G_LOG_FLAG_FATAL,
                     drop_message, NULL);
  return NULL;
}

static gpointer
open_file (const char *path, GError **error)
{
  static GOnce once = G_ONCE_INIT;
  g_autoptr (Txrm) self = g_new0 (Txrm, 1);
  g_autoptr (GError) failure = NULL;
  self->name = tl_path_dup_name (path);
  g_once (&once, silence_gsf, NULL);
  g_autoptr (GsfInput) input = gsf_input_stdio_new (path, &failure);
  if (input != NULL)
    self->ole = gsf_infile_msole_new (input, &failure);
  if (self->ole == NULL)
    return tl_fail_null (error, TL_ERROR_FILE,
                         _ ("%s: is a truncated or damaged OLE file: %s"),
                         self->name, failure != NULL ? failure->message : "?");
  GStatBuf st;
  if (g_stat (path, &st) == 0)
    self->changed_us = tl_change_get_us (&st);
  return find_images (self, error) ? g_steal_pointer (&self) : NULL;
}

static gboolean
next_image (gpointer file, TlImage *image, gboolean *found, GError **error)
{
  Txrm *self = file;
  const gboolean is_reference = self->next == REFERENCE;
  *found = self->next <= self->n_images;
  if (!*found)
    return TRUE;
  *image = (TlImage){
    .place = self->next,
    .kind = is_reference ? TL_FRAMES_FLATS : TL_FRAMES_PROJECTIONS,
    .n_rows = self->n_rows,
    .n_cols = self->n_cols,
    .changed_us = self->changed_us,
    .stored = is_reference ? self->reference_type : self->type,
  };
  image->type = tl_stored_get_type (image->stored);
  g_autoptr (GsfInput) input = open_image (self, self->next++);
  return input != NULL
         || tl_fail (error, TL_ERROR_FILE,
                     _ ("%s: is truncated: image %u of %u is missing or "
                        "too short"),
                     self->name, (guint)image->place, self->n_images);
}

static gboolean
read_image (gpointer file, const TlImage *image, const size_t *rows,
            size_t n_rows, void *dest, GError **error)
{
  Txrm *self = file;
  const size_t row_bytes = image->n_cols * tl_stored_get_size (image->stored);
  g_autoptr (GsfInput) input = image->n_cols == self->n_cols
                                       && image->n_rows == self->n_rows
                                       && image->place <= self->n_images
                                   ? open_image (self, image->place)
                                   : NULL;
  if (input == NULL)
    return fail (self, _ ("has changed since it was opened"), error);
  for (size_t k = 0, n; k < n_rows; k += n)
    {
      n = tl_rows_count_run (rows, n_rows, k);
      if (gsf_input_seek (input, (gsf_off_t)(rows[k] * row_bytes), G_SEEK_SET)
          || gsf_input_read (input, n * row_bytes,
                             (guint8 *)dest + k * row_bytes)
                 == NULL)
        return fail (
            self, _ ("is truncated, the image is longer than the file"), error);
    }
  tl_stored_convert (image->stored, G_BYTE_ORDER == G_BIG_ENDIAN, dest,
                     n_rows * image->n_cols, dest);
  return TRUE;
}

/* Notes what the microscope's own program would correct. */
static void
note_shifts (Txrm *self, const float *shifts, TlScanDraft *draft)
{
  float largest = 0, centre = 0;
  for (guint i = 0; i < self->n_images; i++)
    largest = fmaxf (largest, fabsf (shifts[i]));
  if (largest > 0)
    tl_scan_draft_note (draft,
                        _ ("the file states a shift for each projection, up "
                           "to %.3g columns; the shifts are not applied"),
                        (double)largest);
  if (read_numbers (self, "ReconSettings", "CenterShift", 1, &centre)
      && centre != 0)
    tl_scan_draft_note (draft,
                        _ ("the file states a centre shift of %.6g columns, "
                           "which is not used"),
                        (double)centre);
}

/* Notes that the beam is not parallel. The distances may be negative, or both
 * 0 or 1 where they are not known. */
static void
note_cone (Txrm *self, TlScanDraft *draft)
{
  float source_mm = 0, detector_mm = 0;
  read_numbers (self, "ImageInfo", "StoRADistance", 1, &source_mm);
  read_numbers (self, "ImageInfo", "DtoRADistance", 1, &detector_mm);
  const double source = fabs ((double)source_mm);
  const double detector = fabs ((double)detector_mm);
  const gboolean is_known = isfinite (source) && isfinite (detector)
                            && source > 0 && detector > 0
                            && !(source == 1 && detector == 1);
  g_autofree char *distances =
      is_known ? g_strdup_printf (_ (" (source %.6g mm from the axis, detector "
                                     "%.6g mm: magnified %.4g times)"),
                                  source, detector, 1 + detector / source)
               : g_strdup ("");
  tl_scan_draft_ask (draft, NULL, NULL,
                     _ ("the scan was taken with a cone beam%s; it is "
                        "reconstructed as with a parallel beam, which is only "
                        "right near the middle row"),
                     distances);
}

static gboolean
describe (gpointer file, TlScanDraft *draft, GError **error)
{
  Txrm *self = file;
  const size_t n = self->n_images;
  float pixel_um = 0;
  guint32 geometry = 0;
  if (n == 0)
    return TRUE; /* the reader says that there are no projections */
  g_autofree float *numbers =
      tl_try_alloc (n, 1, 1, sizeof (float), _ ("the angles"), error);
  if (numbers == NULL)
    return FALSE;
  if (read_numbers (self, "ImageInfo", "Angles", n, numbers))
    {
      draft->angles_deg =
          tl_try_alloc (n, 1, 1, sizeof (double), _ ("the angles"), error);
      if (draft->angles_deg == NULL)
        return FALSE;
      for (size_t i = 0; i < n; i++)
        draft->angles_deg[i] = (double)numbers[i];
      draft->n_angles = n;
      draft->angles_source = g_strdup ("ImageInfo/Angles");
    }
  if (read_numbers (self, "Alignment", "X-Shifts", n, numbers))
    note_shifts (self, numbers, draft);
  if (read_numbers (self, "ImageInfo", "PixelSize", 1, &pixel_um)
      && isfinite (pixel_um) && pixel_um > 0)
    draft->pixel_size_um = (double)pixel_um;
  if (self->n_images < self->n_planned)
    tl_scan_draft_note (draft, _ ("%u of %u planned projections were taken"),
                        self->n_images, self->n_planned);
  if (read_numbers (self, "ImageInfo", "XrayGeometry", 1, &geometry)
      && geometry == CONE_BEAM)
    note_cone (self, draft);
  return TRUE;
}

const TlImageReader tl_txrm_reader = {
  .open = open_file,
  .next = next_image,
  .read = read_image,
  .describe = describe,
  .close = close_file,
  .is_scan = TRUE,
};
