#include "data/read/hdf5/hdf5-private.h"

#include "data/array.h"
#include "data/error.h"
#include "data/hdf5-guard.h"

#include <glib/gi18n.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void
tl_hdf5_close_id (TlHdf5Id id)
{
  if (id >= 0)
    H5Idec_ref (id);
}

#define RAW_FOLDER "HDF5_EXTFILE_PREFIX"
#define BESIDE "${ORIGIN}"

/* Unless the user has set another folder, files of raw samples are looked for
 * beside the file that names them; HDF5 would take the current folder. It reads
 * this variable when it starts, and takes no list of properties when it opens
 * an object by its name. Programs that this one starts inherit the variable.
 * Set before main(), because other threads must not read the environment
 * meanwhile. */
__attribute__ ((constructor)) static void
look_beside (void)
{
  g_setenv (RAW_FOLDER, BESIDE, FALSE);
}

static GRecMutex mutex;
static TlHdf5Turn n_entered;
/* The locking of files in the default access list, before tl_hdf5_enter(). */
static hbool_t use_locks, ignore_locks;

TlHdf5Turn
tl_hdf5_enter (void)
{
  g_rec_mutex_lock (&mutex);
  if (n_entered == 0)
    {
      H5Eset_auto2 (H5E_DEFAULT, NULL, NULL);
      /* HDF5 opens the files behind links and virtual datasets with the
       * default, whatever the list of the file that refers to them says. */
      H5Pget_file_locking (H5P_FILE_ACCESS_DEFAULT, &use_locks, &ignore_locks);
      H5Pset_file_locking (H5P_FILE_ACCESS_DEFAULT, FALSE, TRUE);
      tl_hdf5_guard (H5P_FILE_ACCESS_DEFAULT);
    }
  return ++n_entered;
}

void
tl_hdf5_leave (TlHdf5Turn turn)
{
  g_assert (turn == n_entered);
  if (--n_entered == 0)
    H5Pset_file_locking (H5P_FILE_ACCESS_DEFAULT, use_locks, ignore_locks);
  g_rec_mutex_unlock (&mutex);
}

/* The innermost entry of the stack comes first, and states the reason. */
static herr_t
take_reason (unsigned n, const H5E_error2_t *entry, void *data)
{
  char **reason = data;
  if (n == 0 && entry->desc != NULL)
    *reason = g_strdup (entry->desc);
  return 0;
}

/* Clears the error stack. Returns: (transfer full) (nullable): its reason */
static char *
dup_reason (void)
{
  char *reason = NULL;
  H5Ewalk2 (H5E_DEFAULT, H5E_WALK_UPWARD, take_reason, &reason);
  H5Eclear2 (H5E_DEFAULT);
  return reason;
}

/* "bad superblock version number", "bad version number for layout message" */
static gboolean
is_too_new (const char *reason)
{
  return reason != NULL && strstr (reason, "version number") != NULL;
}

static gboolean
fail_too_new (GError **error, const char *what)
{
  return tl_fail (error, TL_ERROR_FILE,
                  _ ("%s: the file was written by an HDF5 library newer than "
                     "%d.%d.%d, which this program uses; where it was written, "
                     "copy it with: h5repack --high=2 FILE COPY"),
                  what, H5_VERS_MAJOR, H5_VERS_MINOR, H5_VERS_RELEASE);
}

/* "memory allocation failed for ...", of HDF5 and of hdf5-chunks.c */
static gboolean
is_for_memory (const char *reason)
{
  return reason != NULL && strstr (reason, "memory allocation failed") != NULL;
}

/* Returns: (nullable): what a reason of tl_hdf5_has_sound_chunks() means, and
 * what to do */
static const char *
explain_chunk (const char *reason)
{
  if (g_strcmp0 (reason, TL_HDF5_TOO_SHORT) == 0)
    return _ ("a chunk has fewer bytes than the dataset says; the file may be "
              "damaged: copy it again");
  if (g_strcmp0 (reason, TL_HDF5_TOO_LARGE) == 0)
    return _ ("a chunk inflates to more than this program reads; write the "
              "file with smaller chunks");
  if (g_strcmp0 (reason, TL_HDF5_DEFLATED_TWICE) == 0)
    return _ ("its chunks are compressed twice, which this program cannot "
              "undo; copy the file with: h5repack --filter=GZIP=1 FILE COPY");
  return NULL;
}

/* Returns: (transfer full): what an entry of HDF5's error stack means, and what
 * to do */
static char *
dup_explanation (const char *reason)
{
  const char *of_chunk = explain_chunk (reason);
  size_t n_bytes, n_expected;
  if (of_chunk != NULL)
    return g_strdup (of_chunk);
  if (reason != NULL
      && sscanf (reason,
                 "truncated file: eof = %zu, sblock->base_addr = %*u, "
                 "stored_eof = %zu",
                 &n_bytes, &n_expected)
             == 2)
    return g_strdup_printf (_ ("only %zu of its %zu bytes are there; copy it "
                               "again, or wait until it is written"),
                            n_bytes, n_expected);
  if (reason != NULL && strstr (reason, "insufficient elements") != NULL)
    return g_strdup (_ ("a file that the virtual dataset refers to has fewer "
                        "images than it should; copy that file again, or leave "
                        "out the projections that are missing"));
  return reason != NULL
             ? g_strdup_printf (_ ("the file may be damaged: copy it again "
                                   "(HDF5 says: %s)"),
                                reason)
             : g_strdup (_ ("the file may be damaged: copy it again"));
}

gboolean
tl_hdf5_set_error (GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *what = g_strdup_vprintf (format, args);
  va_end (args);
  g_autofree char *reason = dup_reason ();
  if (is_too_new (reason))
    return fail_too_new (error, what);
  if (is_for_memory (reason))
    return tl_fail (error, TL_ERROR_MEMORY, _ ("%s: not enough memory"), what);
  g_autofree char *explanation = dup_explanation (reason);
  return tl_fail (error, TL_ERROR_FILE, "%s: %s", what, explanation);
}

char *
tl_hdf5_dup_text (ssize_t (*get) (hid_t id, char *text, size_t size),
                  TlHdf5Id id)
{
  const ssize_t length = get (id, NULL, 0);
  char *text = g_malloc0 ((size_t)MAX (length, 0) + 1);
  if (length > 0)
    get (id, text, (size_t)length + 1);
  H5Eclear2 (H5E_DEFAULT);
  return text;
}

/* Returns: whether @path, of which all but the last component exist, does, too,
 * or whether the file cannot be read there: whoever opens it learns why */
static gboolean
may_have (TlHdf5Id group, const char *path)
{
  const htri_t exists = H5Lexists (group, path, H5P_DEFAULT);
  if (exists >= 0)
    return exists > 0;
  g_autofree char *reason = dup_reason ();
  return reason != NULL && strstr (reason, "file read failed") != NULL;
}

gboolean
tl_hdf5_has (TlHdf5Id group, const char *path)
{
  g_autofree char *step = g_strdup (path);
  gboolean found = TRUE;
  for (char *end = step; end != NULL && found;)
    {
      end = strchr (end + 1, '/');
      if (end != NULL)
        *end = '\0';
      found = may_have (group, step);
      if (end != NULL)
        *end = '/';
    }
  H5Eclear2 (H5E_DEFAULT);
  return found;
}

/* Returns: (nullable): the file that an external link in @path leads to */
static char *
dup_external_file (TlHdf5Id group, const char *path)
{
  g_autofree char *step = g_strdup (path);
  for (char *end = step; end != NULL;)
    {
      H5L_info_t link;
      end = strchr (end + 1, '/');
      if (end != NULL)
        *end = '\0';
      if (H5Lget_info (group, step, &link, H5P_DEFAULT) < 0)
        return NULL;
      if (link.type == H5L_TYPE_EXTERNAL)
        {
          g_autofree char *value = g_malloc0 (link.u.val_size + 1);
          const char *file = NULL;
          if (H5Lget_val (group, step, value, link.u.val_size, H5P_DEFAULT) < 0
              || H5Lunpack_elink_val (value, link.u.val_size, NULL, &file, NULL)
                     < 0)
            return NULL;
          return g_strdup (file);
        }
      if (end != NULL)
        *end = '/';
    }
  return NULL;
}

TlHdf5Id
tl_hdf5_open_object (TlHdf5Id group, const char *path, const char *name,
                     GError **error)
{
  TlHdf5Id object = H5Oopen (group, path, H5P_DEFAULT);
  if (object >= 0)
    return object;
  g_autofree char *reason = dup_reason ();
  g_autofree char *file = dup_external_file (group, path);
  H5Eclear2 (H5E_DEFAULT);
  if (file != NULL)
    tl_fail (error, TL_ERROR_FILE,
             _ ("%s: \"%s\" is in another file that cannot be opened: %s; copy "
                "it to where the link leads"),
             name, path, file);
  else if (is_too_new (reason))
    fail_too_new (error, name);
  else
    tl_fail (error, TL_ERROR_FILE,
             _ ("%s: \"%s\" cannot be opened; the file may be damaged: copy it "
                "again"),
             name, path);
  return -1;
}

/* Returns: how many dimensions have more than one element */
static guint
count_long (TlHdf5Id space)
{
  hsize_t dims[H5S_MAX_RANK];
  guint n = 0;
  const int n_dims = H5Sget_simple_extent_dims (space, dims, NULL);
  for (int k = 0; k < n_dims; k++)
    n += dims[k] > 1;
  return n;
}

char *
tl_hdf5_dup_missing_raw (TlHdf5Id dataset)
{
  g_auto (TlHdf5Id) plist = H5Dget_create_plist (dataset);
  g_autofree char *own = tl_hdf5_dup_text (H5Fget_name, dataset);
  g_autofree char *parent = g_path_get_dirname (own);
  g_autofree char *folder = g_canonicalize_filename (parent, NULL);
  const int n = g_strcmp0 (g_getenv (RAW_FOLDER), BESIDE) == 0
                    ? H5Pget_external_count (plist)
                    : 0;
  for (int k = 0; k < n; k++)
    {
      char name[FILENAME_MAX + 1] = "";
      H5Pget_external (plist, (unsigned)k, FILENAME_MAX, name, NULL, NULL);
      g_autofree char *path = g_canonicalize_filename (name, folder);
      if (!g_file_test (path, G_FILE_TEST_EXISTS))
        return g_filename_display_name (name);
    }
  return NULL;
}

/* One for each frame of a scan. HDF5 fills memory for numbers that the file
 * only declares. */
#define MAX_NUMBERS (TL_N_FRAME_KINDS * TL_MAX_FRAMES)

double *
tl_hdf5_read_numbers (TlHdf5Id group, const char *path, const char *name,
                      size_t *n, GError **error)
{
  g_auto (TlHdf5Id) object = tl_hdf5_open_object (group, path, name, error);
  if (object < 0)
    return NULL;
  g_auto (TlHdf5Id) type = H5Dget_type (object);
  g_auto (TlHdf5Id) space = H5Dget_space (object);
  H5T_class_t kind = type < 0 ? H5T_NO_CLASS : H5Tget_class (type);
  hssize_t count = space < 0 ? -1 : H5Sget_simple_extent_npoints (space);
  const guint n_long = space < 0 ? 0 : count_long (space);
  H5Eclear2 (H5E_DEFAULT);
  if (n_long > 1)
    return tl_fail_null (error, TL_ERROR_FORMAT,
                         _ ("%s: \"%s\" is no list of numbers: it has %u "
                            "dimensions"),
                         name, path, n_long);
  if ((kind != H5T_INTEGER && kind != H5T_FLOAT) || count < 0)
    return tl_fail_null (error, TL_ERROR_FORMAT,
                         _ ("%s: \"%s\" is not a dataset of numbers"), name,
                         path);
  if ((size_t)count > MAX_NUMBERS)
    return tl_fail_null (error, TL_ERROR_SHAPE,
                         _ ("%s: \"%s\" declares %zu numbers, more than the "
                            "%zu that can be read; the file may be damaged"),
                         name, path, (size_t)count, MAX_NUMBERS);
  g_autofree char *missing = tl_hdf5_dup_missing_raw (object);
  if (missing != NULL)
    return tl_fail_null (error, TL_ERROR_FILE,
                         _ ("%s: the file with the numbers of \"%s\" is not "
                            "there: %s; copy it to where this file is"),
                         name, path, missing);
  g_autofree double *numbers =
      tl_try_alloc ((size_t)count, 1, 1, sizeof (double), path, error);
  if (numbers == NULL)
    return NULL;
  if (!tl_hdf5_has_sound_chunks (object, H5S_ALL)
      || H5Dread (object, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                  numbers)
             < 0)
    {
      tl_hdf5_set_error (error, _ ("%s: \"%s\" cannot be read"), name, path);
      return NULL;
    }
  *n = (size_t)count;
  return g_steal_pointer (&numbers);
}

/* Appends copies of the texts of a dataset or an attribute; @memory is what
 * HDF5 has read. */
static void
append_texts (GPtrArray *texts, TlHdf5Id type, const char *memory, size_t count)
{
  size_t size = H5Tget_size (type);
  for (size_t i = 0; i < count; i++)
    {
      char *text = H5Tis_variable_str (type) > 0
                       ? g_strdup (((char *const *)memory)[i])
                       : g_strndup (memory + i * size, size);
      g_ptr_array_add (texts, text != NULL ? g_strstrip (text) : g_strdup (""));
    }
}

/* Reads texts as they are stored, so that neither the character set nor the
 * padding is converted. */
static char **
read_texts (TlHdf5Id object, gboolean is_attribute)
{
  enum
  {
    MAX_BYTES = 1 << 26 /* areaDetector's texts of 256 bytes for each frame */
  };
  g_autoptr (GPtrArray) texts = g_ptr_array_new ();
  g_auto (TlHdf5Id) type =
      is_attribute ? H5Aget_type (object) : H5Dget_type (object);
  g_auto (TlHdf5Id) space =
      is_attribute ? H5Aget_space (object) : H5Dget_space (object);
  hssize_t count = space < 0 ? -1 : H5Sget_simple_extent_npoints (space);
  size_t size = type < 0 ? 0 : H5Tget_size (type);
  if (type >= 0 && H5Tget_class (type) == H5T_STRING && count > 0 && size > 0
      && size < MAX_BYTES && (size_t)count < MAX_BYTES / size
      && (is_attribute || tl_hdf5_has_sound_chunks (object, H5S_ALL))
      && tl_hdf5_has_sound_texts (object))
    {
      g_autofree char *memory = g_try_malloc0 ((size_t)count * size);
      herr_t status = memory == NULL ? -1
                      : is_attribute ? H5Aread (object, type, memory)
                                     : H5Dread (object, type, H5S_ALL, H5S_ALL,
                                                H5P_DEFAULT, memory);
      if (status >= 0)
        append_texts (texts, type, memory, (size_t)count);
      if (status >= 0 && H5Tis_variable_str (type) > 0)
        H5Dvlen_reclaim (type, space, H5P_DEFAULT, memory);
    }
  H5Eclear2 (H5E_DEFAULT);
  g_ptr_array_add (texts, NULL);
  return (char **)g_ptr_array_free (g_steal_pointer (&texts), FALSE);
}

char **
tl_hdf5_read_strings (TlHdf5Id group, const char *path)
{
  g_auto (TlHdf5Id) object = H5Oopen (group, path, H5P_DEFAULT);
  if (object >= 0 && H5Iget_type (object) == H5I_DATASET)
    return read_texts (object, FALSE);
  H5Eclear2 (H5E_DEFAULT);
  return g_new0 (char *, 1);
}

char *
tl_hdf5_dup_attribute (TlHdf5Id object, const char *attribute)
{
  if (H5Aexists (object, attribute) <= 0)
    {
      H5Eclear2 (H5E_DEFAULT);
      return NULL;
    }
  g_auto (TlHdf5Id) id = H5Aopen (object, attribute, H5P_DEFAULT);
  g_auto (GStrv) texts = read_texts (id, TRUE);
  return g_strdup (texts[0]);
}

char *
tl_hdf5_dup_units (TlHdf5Id group, const char *path)
{
  g_auto (TlHdf5Id) object = H5Oopen (group, path, H5P_DEFAULT);
  g_autofree char *units =
      object < 0 ? NULL : tl_hdf5_dup_attribute (object, "units");
  H5Eclear2 (H5E_DEFAULT);
  return units == NULL ? NULL : g_utf8_strdown (units, -1);
}

void
tl_hdf5_read_pixel_size (TlHdf5Id group, const char *path, TlScanDraft *draft)
{
  size_t n = 0;
  if (draft->pixel_size_um > 0 || !tl_hdf5_has (group, path))
    return;
  g_autoptr (GError) error = NULL;
  g_autofree double *size =
      tl_hdf5_read_numbers (group, path, path, &n, &error);
  if (size == NULL)
    tl_scan_draft_note (draft, _ ("the pixel size cannot be read: %s"),
                        error->message);
  if (size == NULL || n == 0 || !isfinite (size[0]) || size[0] <= 0)
    return;
  /* In both formats the unit is the metre unless the file states another. */
  g_autofree char *units = tl_hdf5_dup_units (group, path);
  draft->pixel_size_um =
      size[0] * tl_length_get_um (units != NULL ? units : "m");
  if (units == NULL)
    tl_scan_draft_note (
        draft, _ ("the pixel size has no unit and is taken as metres"));
  else if (draft->pixel_size_um == 0)
    tl_scan_draft_note (draft, _ ("the unit of the pixel size is unknown: %s"),
                        units);
}
