/* How each kind of image file is recognised. */
#include "data/read/format/image-format.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

enum
{
  START_BYTES = 512 /* enough for each signature */
};

static gboolean
is_tiff (const guint8 *b, size_t n)
{
  return n >= 4
         && ((b[0] == 'I' && b[1] == 'I' && (b[2] == 42 || b[2] == 43)
              && b[3] == 0)
             || (b[0] == 'M' && b[1] == 'M' && b[2] == 0
                 && (b[3] == 42 || b[3] == 43)));
}

static gboolean
is_fits (const guint8 *b, size_t n)
{
  return n >= 10 && memcmp (b, "SIMPLE  = ", 10) == 0;
}

static gboolean
is_ole (const guint8 *b, size_t n)
{
  static const guint8 signature[8] = { 0xd0, 0xcf, 0x11, 0xe0,
                                       0xa1, 0xb1, 0x1a, 0xe1 };
  return n >= 8 && memcmp (b, signature, 8) == 0;
}

/* A brace, then "key = value ;". In JSON a quotation mark comes first. */
static gboolean
is_edf (const guint8 *b, size_t n)
{
  size_t k = 0;
  while (k < n && g_ascii_isspace (b[k]))
    k++;
  const guint8 *equals =
      k < n && b[k] == '{' ? memchr (b + k, '=', n - k) : NULL;
  return equals != NULL && memchr (b, '"', (size_t)(equals - b)) == NULL
         && memchr (equals, ';', n - (size_t)(equals - b)) != NULL;
}

static gboolean
is_nrrd (const guint8 *b, size_t n)
{
  return n >= 8 && memcmp (b, "NRRD000", 7) == 0;
}

/* A format stays in the table where its library is missing, so that its files
 * are recognised and the error names the library. */
#ifdef TL_HAVE_CFITSIO
#define FITS_READER &tl_fits_reader
#else
#define FITS_READER NULL
#endif
#ifdef TL_HAVE_GSF
#define TXRM_READER &tl_txrm_reader
#else
#define TXRM_READER NULL
#endif

static const char *const tiff_names[] = { ".tif", ".tiff", NULL };
static const char *const fits_names[] = { ".fits", ".fit", ".fts", NULL };
static const char *const edf_names[] = { ".edf", NULL };
static const char *const nrrd_names[] = { ".nhdr", ".nrrd", NULL };
static const char *const txrm_names[] = { ".txrm", ".xrm", NULL };

const TlImageFormat tl_image_formats[] = {
  { "TIFF", NULL, tiff_names, is_tiff, &tl_tiff_reader },
  { "FITS", "libcfitsio-dev", fits_names, is_fits, FITS_READER },
  { "EDF", NULL, edf_names, is_edf, &tl_edf_reader },
  { "NRRD", NULL, nrrd_names, is_nrrd, &tl_nrrd_reader },
  { "TXRM", "libgsf-1-dev", txrm_names, is_ole, TXRM_READER },
  { 0 },
};

const TlImageFormat *
tl_image_format_of_file (const char *path)
{
  guint8 start[START_BYTES];
  FILE *file = g_fopen (path, "rb");
  const size_t n = file != NULL ? fread (start, 1, sizeof start, file) : 0;
  if (file != NULL)
    fclose (file);
  for (const TlImageFormat *f = tl_image_formats; f->name != NULL; f++)
    if (f->has_signature (start, n))
      return f;
  return NULL;
}

gboolean
tl_name_has_extension (const char *name, const char *const *extensions)
{
  const char *dot = strrchr (name, '.');
  g_autofree char *lower = g_ascii_strdown (dot != NULL ? dot : "", -1);
  return g_strv_contains (extensions, lower);
}

const TlImageFormat *
tl_image_format_by_name (const char *name)
{
  for (const TlImageFormat *f = tl_image_formats; f->name != NULL; f++)
    if (tl_name_has_extension (name, f->extensions))
      return f;
  return NULL;
}
