#include "app/recon/identity.h"

#include "data/read/format/change.h"

#include <glib/gstdio.h>
#include <string.h>

struct TlScanIdentity
{
  char *path;
  guint64 device, inode; /* of the file or folder */
  gint64 changed_us;     /* of the file, or of the newest image of the folder */
  size_t n_rows, n_cols;
  TlSampleType type;
  char *first_row; /* (nullable): a checksum, of the first projection */
  size_t n_projections;
  size_t *frames;      /* [n_projections], as of TlScanInfo */
  char *angles_source; /* (nullable): %NULL: they depend on the number of
                          projections */
  double *angles_deg;  /* [n_projections] */
};

gboolean
tl_scan_identity_was_written (const TlScanIdentity *identity)
{
  GStatBuf file;
  g_return_val_if_fail (identity != NULL, FALSE);
  return g_stat (identity->path, &file) == 0 && file.st_dev == identity->device
         && file.st_ino == identity->inode
         && tl_change_get_us (&file) != identity->changed_us;
}

gint64
tl_scan_get_change_us (const TlScanInfo *info)
{
  GStatBuf file;
  g_return_val_if_fail (info != NULL, 0);
  /* a folder is not written to when one of its images is */
  return g_stat (info->path, &file) == 0
             ? MAX (tl_change_get_us (&file), info->changed_us)
             : info->changed_us;
}

static void
take_file (TlScanIdentity *identity, const TlScanInfo *info)
{
  GStatBuf file;
  if (g_stat (info->path, &file) == 0)
    {
      identity->device = file.st_dev;
      identity->inode = file.st_ino;
    }
  identity->changed_us = tl_scan_get_change_us (info);
}

/* Returns: (transfer full) (nullable): %NULL also if all samples are the same:
 * other scans may have such a row, too */
static char *
sum_first_row (TlReader *reader)
{
  const TlScanInfo *info = tl_reader_get_info (reader);
  const size_t size = tl_sample_size (info->type);
  const size_t n_bytes = info->n_cols * size;
  g_autofree char *row = g_try_malloc (n_bytes);
  return row != NULL
                 && tl_reader_read_frames (reader, TL_FRAMES_PROJECTIONS, 0, 1,
                                           0, 1, row, NULL)
                 && memcmp (row, row + size, n_bytes - size) != 0
             ? g_compute_checksum_for_data (G_CHECKSUM_MD5, (guchar *)row,
                                            n_bytes)
             : NULL;
}

TlScanIdentity *
tl_scan_identity_new (TlReader *reader)
{
  g_return_val_if_fail (reader != NULL, NULL);
  tl_reader_look_for_change (reader);
  const TlScanInfo *info = tl_reader_get_info (reader);
  const size_t n = info->n_projections;
  TlScanIdentity *identity = g_new (TlScanIdentity, 1);
  *identity = (TlScanIdentity){
    .path = g_strdup (info->path),
    .n_rows = info->n_rows,
    .n_cols = info->n_cols,
    .type = info->type,
    .first_row = sum_first_row (reader),
    .n_projections = n,
    .frames = g_memdup2 (info->frames, n * sizeof *info->frames),
    .angles_source =
        info->angles_are_spread ? NULL : g_strdup (info->angles_source),
    .angles_deg = g_memdup2 (info->angles_deg, n * sizeof *info->angles_deg),
  };
  take_file (identity, info);
  return identity;
}

void
tl_scan_identity_free (TlScanIdentity *identity)
{
  if (identity == NULL)
    return;
  g_free (identity->path);
  g_free (identity->first_row);
  g_free (identity->frames);
  g_free (identity->angles_source);
  g_free (identity->angles_deg);
  g_free (identity);
}

/* Returns: whether the projections that both have are at the same angles */
static gboolean
have_same_angles (const TlScanIdentity *a, const TlScanIdentity *b)
{
  if (a->angles_source == NULL
      || g_strcmp0 (a->angles_source, b->angles_source) != 0)
    return TRUE;
  for (size_t i = 0, k = 0; i < a->n_projections && k < b->n_projections;)
    if (a->frames[i] < b->frames[k])
      i++;
    else if (a->frames[i] > b->frames[k])
      k++;
    else if (a->angles_deg[i++] != b->angles_deg[k++])
      return FALSE;
  return TRUE;
}

/* Compares angles only if the first projections cannot be compared, because the
 * user may have corrected the angles in a file. */
static gboolean
are_same_scan (const TlScanIdentity *a, const TlScanIdentity *b)
{
  if (a->n_rows != b->n_rows || a->n_cols != b->n_cols || a->type != b->type)
    return FALSE;
  return a->first_row != NULL && b->first_row != NULL
                 && a->frames[0] == b->frames[0]
             ? strcmp (a->first_row, b->first_row) == 0
             : have_same_angles (a, b);
}

gboolean
tl_scan_identity_has_same_name (const TlScanIdentity *a,
                                const TlScanIdentity *b)
{
  g_return_val_if_fail (a != NULL && b != NULL, FALSE);
  return strcmp (a->path, b->path) == 0;
}

TlScanChange
tl_scan_identity_compare (const TlScanIdentity *before,
                          const TlScanIdentity *now)
{
  if (!tl_scan_identity_has_same_name (before, now))
    return TL_SCAN_AS_BEFORE;
  if (before->device != now->device || before->inode != now->inode
      || !are_same_scan (before, now))
    return TL_SCAN_REPLACED;
  return before->changed_us == now->changed_us ? TL_SCAN_AS_BEFORE
                                               : TL_SCAN_CHANGED;
}
