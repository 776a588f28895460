#include "data/write/hdf5-file.h"

#include "data/hdf5-guard.h"
#include "data/swmr.h"
#include "data/write/part-file.h"

#include <string.h>
#include <sys/resource.h>

/* Called for each entry of the error stack, outermost first. Keeps the last,
 * innermost entry: HDF5 puts the system's reason there. */
static herr_t
keep_innermost (unsigned n, const H5E_error2_t *item, void *user_data)
{
  char **reason = user_data;

  if (item->desc != NULL && *item->desc != '\0')
    {
      g_free (*reason);
      *reason = g_strdup (item->desc);
    }
  return 0;
}

/* HDF5 calls this function at each failure instead of printing. The reason
 * must be kept here, because the next successful call clears the stack. Only
 * the first failure counts. */
static herr_t
keep_first_failure (hid_t stack, void *user_data)
{
  TlHdf5Errors *errors = user_data;

  if (errors->reason == NULL)
    H5Ewalk2 (stack, H5E_WALK_DOWNWARD, keep_innermost, &errors->reason);
  return 0;
}

/* HDF5 gives the system's error number only as part of a text. */
static int
find_error_number (const char *reason)
{
  const char *const label = "errno = ";
  const char *number = reason != NULL ? strstr (reason, label) : NULL;

  return number != NULL
             ? (int)g_ascii_strtoll (number + strlen (label), NULL, 10)
             : 0;
}

void
tl_hdf5_errors_catch (TlHdf5Errors *errors)
{
  errors->reason = NULL;
  errors->error_number = 0;
  H5Eget_auto2 (H5E_DEFAULT, &errors->print, &errors->print_data);
  H5Eset_auto2 (H5E_DEFAULT, keep_first_failure, errors);
}

gboolean
tl_hdf5_errors_release (TlHdf5Errors *errors, gboolean ok, const char *path,
                        GError **error)
{
  H5Eset_auto2 (H5E_DEFAULT, errors->print, errors->print_data);
  if (!ok)
    tl_set_write_error (error, path,
                        errors->error_number != 0
                            ? errors->error_number
                            : find_error_number (errors->reason),
                        errors->reason);
  g_free (errors->reason);
  return ok;
}

gboolean
tl_hdf5_is_within_limit (guint64 n_bytes)
{
  struct rlimit limit;

  return getrlimit (RLIMIT_FSIZE, &limit) != 0 || n_bytes <= limit.rlim_cur;
}

hid_t
tl_hdf5_new_text_type (void)
{
  hid_t type = H5Tcopy (H5T_C_S1);

  H5Tset_size (type, H5T_VARIABLE);
  H5Tset_cset (type, H5T_CSET_UTF8);
  return type;
}

hid_t
tl_hdf5_new_links (void)
{
  hid_t links = H5Pcreate (H5P_LINK_CREATE);

  H5Pset_create_intermediate_group (links, 1);
  return links;
}

static hid_t
new_space (int n_dims, const hsize_t *dims)
{
  return n_dims > 0 ? H5Screate_simple (n_dims, dims, NULL)
                    : H5Screate (H5S_SCALAR);
}

gboolean
tl_hdf5_set_attribute (hid_t object, const char *name, hid_t type, size_t n,
                       const void *values)
{
  const hsize_t dims[] = { n };
  hid_t space = new_space (n > 0 ? 1 : 0, dims);
  hid_t attribute =
      H5Acreate2 (object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  gboolean ok = attribute >= 0 && H5Awrite (attribute, type, values) >= 0;

  if (attribute >= 0)
    ok = H5Aclose (attribute) >= 0 && ok;
  H5Sclose (space);
  return ok;
}

gboolean
tl_hdf5_set_text (hid_t object, const char *name, const char *text)
{
  hid_t type = tl_hdf5_new_text_type ();
  gboolean ok = tl_hdf5_set_attribute (object, name, type, 0, &text);

  H5Tclose (type);
  return ok;
}

gboolean
tl_hdf5_write_dataset (hid_t file, const char *name, hid_t type, int n_dims,
                       const hsize_t *dims, const void *values,
                       const char *units)
{
  hid_t space = new_space (n_dims, dims);
  hid_t links = tl_hdf5_new_links ();
  hid_t dataset =
      H5Dcreate2 (file, name, type, space, links, H5P_DEFAULT, H5P_DEFAULT);
  gboolean ok =
      dataset >= 0
      && H5Dwrite (dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0
      && (units == NULL || tl_hdf5_set_text (dataset, "units", units));

  if (dataset >= 0)
    ok = H5Dclose (dataset) >= 0 && ok;
  H5Pclose (links);
  H5Sclose (space);
  return ok;
}

gboolean
tl_hdf5_write_text (hid_t file, const char *name, const char *text)
{
  hid_t type = tl_hdf5_new_text_type ();
  gboolean ok = tl_hdf5_write_dataset (file, name, type, 0, NULL, &text, NULL);

  H5Tclose (type);
  return ok;
}

gboolean
tl_hdf5_write_pixel_size (hid_t file, const char *group, double pixel_size_um)
{
  const double size_m = pixel_size_um * 1e-6;
  g_autofree char *x = g_strconcat (group, "/x_pixel_size", NULL);
  g_autofree char *y = g_strconcat (group, "/y_pixel_size", NULL);

  if (pixel_size_um <= 0.0)
    return TRUE;
  return tl_hdf5_write_dataset (file, x, H5T_NATIVE_DOUBLE, 0, NULL, &size_m,
                                "m")
         && tl_hdf5_write_dataset (file, y, H5T_NATIVE_DOUBLE, 0, NULL, &size_m,
                                   "m");
}

/* Returns: (transfer full) (nullable): a text of fixed length; %NULL if it is
 * empty, or longer than any that is written */
static char *
read_fixed_text (hid_t data, hid_t type)
{
  enum
  {
    MAX_BYTES = 1 << 26
  };
  const size_t size = H5Tget_size (type);
  g_autofree char *text = size <= MAX_BYTES ? g_malloc0 (size + 1) : NULL;

  return text != NULL && H5Tget_class (type) == H5T_STRING
                 && H5Dread (data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text)
                        >= 0
                 && *text != '\0'
             ? g_steal_pointer (&text)
             : NULL;
}

/* There is room for one text only. */
static gboolean
is_one_text (hid_t data)
{
  hid_t space = H5Dget_space (data);
  const gboolean is_one = H5Sget_simple_extent_npoints (space) == 1;

  H5Sclose (space);
  return is_one;
}

char *
tl_hdf5_read_text (hid_t file, const char *name)
{
  hid_t data = H5Dopen2 (file, name, H5P_DEFAULT);
  hid_t type = data >= 0 && is_one_text (data)
                       && tl_hdf5_has_sound_chunks (data, H5S_ALL)
                   ? H5Dget_type (data)
                   : -1;
  char *text = NULL, *copy = NULL;

  if (type >= 0 && H5Tis_variable_str (type) <= 0)
    copy = read_fixed_text (data, type);
  else if (type >= 0 && tl_hdf5_has_sound_texts (data)
           && H5Dread (data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &text) >= 0)
    copy = g_strdup (text);
  H5free_memory (text);
  if (type >= 0)
    H5Tclose (type);
  if (data >= 0)
    H5Dclose (data);
  return copy;
}

/* Of a file with a block of other bytes before HDF5 it does not know: this
 * program writes none. A pipe is not read, because its other end may be open
 * and silent. */
static gboolean
begins_as_hdf5 (const char *path)
{
  static const guint8 signature[8] = { 0x89, 'H', 'D', 'F', 13, 10, 26, 10 };
  guint8 bytes[sizeof signature];
  FILE *file =
      g_file_test (path, G_FILE_TEST_IS_REGULAR) ? fopen (path, "rbe") : NULL;
  const gboolean begins = file != NULL
                          && fread (bytes, sizeof bytes, 1, file) == 1
                          && memcmp (bytes, signature, sizeof bytes) == 0;

  if (file != NULL)
    fclose (file);
  return begins;
}

/* The file may be another program's, which is not to be kept out by a lock. It
 * may be open for writing, too, or its writer was killed: SWMR allows that. All
 * calls of HDF5 wait while a disk does not answer one of them, so it is called
 * for its own files alone. */
char *
tl_hdf5_find_text (const char *path, const char *name)
{
  TlHdf5Errors errors;

  if (!begins_as_hdf5 (path))
    return NULL;
  hid_t access = H5Pcreate (H5P_FILE_ACCESS);
  H5Pset_file_locking (access, FALSE, TRUE);
  tl_hdf5_guard (access);
  tl_hdf5_errors_catch (&errors);
  hid_t file = H5Fopen (path, H5F_ACC_RDONLY, access);
  H5Pset_metadata_read_attempts (access, TL_SWMR_ATTEMPTS);
  if (file < 0)
    file = H5Fopen (path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access);
  char *text = file >= 0 ? tl_hdf5_read_text (file, name) : NULL;
  if (file >= 0)
    H5Fclose (file);
  tl_hdf5_errors_release (&errors, TRUE, path, NULL);
  H5Pclose (access);
  return text;
}
