/* Opening files that other programs may write meanwhile, and datasets that need
 * a filter which is not part of HDF5. */
#include "data/read/hdf5/open-private.h"

#include "data/error.h"
#include "data/hdf5-guard.h"
#include "data/swmr.h"

#include <glib/gi18n.h>
#include <glob.h>
#include <string.h>

/* --- files --- */

TlHdf5Id
tl_hdf5_open_file (const char *path, const char *name, GError **error)
{
  GError *failure = NULL;
  g_auto (TlHdf5Id) access = H5Pcreate (H5P_FILE_ACCESS);
  /* A lock would keep out the program that writes the file, and reading needs
   * none. */
  H5Pset_file_locking (access, FALSE, TRUE);
  tl_hdf5_guard (access);
  TlHdf5Id file = H5Fopen (path, H5F_ACC_RDONLY, access);
  if (file >= 0)
    return file;
  tl_hdf5_set_error (&failure, _ ("%s: cannot be opened as HDF5"), name);
  /* A file in the newest format says that it is being written, also after its
   * writer was killed; SWMR (single writer, multiple readers) is made for that.
   */
  H5Pset_metadata_read_attempts (access, TL_SWMR_ATTEMPTS);
  file = H5Fopen (path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access);
  H5Eclear2 (H5E_DEFAULT);
  if (file >= 0)
    g_error_free (failure);
  else if (strstr (failure->message, "already open for write") == NULL)
    g_propagate_error (error, failure);
  else
    {
      g_error_free (failure);
      tl_fail (error, TL_ERROR_FILE,
               _ ("%s: another program has it open, and does not allow reading "
                  "meanwhile (SWMR); wait until it is done, or, if it has "
                  "crashed, run: h5clear --status %s"),
               name, path);
    }
  return file;
}

TlWriter
tl_hdf5_find_writer (TlHdf5Id file)
{
  /* From this version of the superblock on, files say that they are being
   * written. */
  static const unsigned marked_version = 3;
  unsigned intent = 0;
  H5F_info2_t info = { 0 };
  if (H5Fget_intent (file, &intent) >= 0 && (intent & H5F_ACC_SWMR_READ) != 0)
    return TL_WRITER_PRESENT;
  return H5Fget_info2 (file, &info) >= 0 && info.super.version >= marked_version
             ? TL_WRITER_GONE
             : TL_WRITER_UNKNOWN;
}

/* --- filters --- */

/* Filters that detectors and archives use, and Debian's packages for them. For
 * LZF that is bitshuffle: the plug-in in Debian 12's hdf5-plugin-lzf is not
 * linked with liblzf, and cannot be loaded. */
static const struct
{
  H5Z_filter_t id;
  const char *name;
  const char *package; /* (nullable): %NULL: in none, but in Python's hdf5plugin
                        */
} known_filters[] = {
  { H5Z_FILTER_SZIP, "SZIP", "libaec0" },
  { 307, "bzip2", "hdf5-filter-plugin" },
  { 32000, "LZF", "bitshuffle" },
  { 32001, "Blosc", "hdf5-filter-plugin-blosc-serial" },
  { 32004, "LZ4", "hdf5-filter-plugin" },
  { 32008, "Bitshuffle", "bitshuffle" },
  { 32013, "ZFP", "hdf5-filter-plugin-zfp-serial" },
  { 32015, "Zstandard", NULL },
  { 32026, "Blosc2", NULL },
};

/* HDF5 1.10 ends its search at the first folder that does not exist. Its
 * default folder often does not, so these folders are put before it. */
static void
prepend_folders (const char *pattern)
{
  glob_t found;
  if (glob (pattern, 0, NULL, &found) == 0)
    for (size_t i = found.gl_pathc; i-- > 0;)
      H5PLprepend (found.gl_pathv[i]);
  globfree (&found);
}

/* Lets HDF5 look for plug-ins where Python's hdf5plugin is installed: first in
 * the environment that is active, last in the system. */
static void
prepend_python_folders (void)
{
  static const char inside[] =
      "lib/python3*/*-packages/hdf5plugin/plugins"; /* site or dist */
  static gsize is_done;
  if (!g_once_init_enter (&is_done))
    return;
  g_autofree char *users = g_build_filename (g_get_home_dir (), ".local", NULL);
  const char *const prefixes[] = { "/usr", "/usr/local", users,
                                   g_getenv ("CONDA_PREFIX"),
                                   g_getenv ("VIRTUAL_ENV") };
  for (size_t i = 0; i < G_N_ELEMENTS (prefixes); i++)
    if (prefixes[i] != NULL)
      {
        g_autofree char *path = g_build_filename (prefixes[i], inside, NULL);
        prepend_folders (path);
      }
  g_once_init_leave (&is_done, 1);
}

static gboolean
has_filter (H5Z_filter_t id)
{
  if (H5Zfilter_avail (id) > 0)
    return TRUE;
  prepend_python_folders ();
  const gboolean is_there = H5Zfilter_avail (id) > 0;
  H5Eclear2 (H5E_DEFAULT);
  return is_there;
}

static gboolean
refuse_filter (H5Z_filter_t id, const char *name, const char *what,
               GError **error)
{
  for (size_t k = 0; k < G_N_ELEMENTS (known_filters); k++)
    if (known_filters[k].id == id && known_filters[k].package != NULL)
      return tl_fail (error, TL_ERROR_UNSUPPORTED,
                      _ ("%s: the %s are compressed with %s, which HDF5 cannot "
                         "read without a plug-in: install the package %s"),
                      name, what, known_filters[k].name,
                      known_filters[k].package);
    else if (known_filters[k].id == id)
      return tl_fail (error, TL_ERROR_UNSUPPORTED,
                      _ ("%s: the %s are compressed with %s, which HDF5 cannot "
                         "read without a plug-in: install Python's hdf5plugin "
                         "(pip install hdf5plugin)"),
                      name, what, known_filters[k].name);
  return tl_fail (error, TL_ERROR_UNSUPPORTED,
                  _ ("%s: the %s are compressed with filter %d, which HDF5 "
                     "cannot read without a plug-in: install it, and set "
                     "HDF5_PLUGIN_PATH to its folder"),
                  name, what, id);
}

gboolean
tl_hdf5_check_filters (TlHdf5Id plist, const char *name, const char *what,
                       GError **error)
{
  const int n = H5Pget_nfilters (plist);
  for (int i = 0; i < n; i++)
    {
      unsigned flags;
      size_t n_values = 0;
      const H5Z_filter_t id = H5Pget_filter2 (plist, (unsigned)i, &flags,
                                              &n_values, NULL, 0, NULL, NULL);
      if (!has_filter (id))
        return refuse_filter (id, name, what, error);
    }
  H5Eclear2 (H5E_DEFAULT);
  return TRUE;
}
