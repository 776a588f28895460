/* A plug-in of HDF5 with a filter that nothing else has: it inverts all bits.
 * The test installs it as Python's hdf5plugin installs its own. */
#include <H5PLextern.h>

enum
{
  FILTER = 311 /* of those that are for tests */
};

static size_t
invert (unsigned flags, size_t n_values, const unsigned *values, size_t n_bytes,
        size_t *capacity, void **buffer)
{
  unsigned char *bytes = *buffer;
  (void)flags;
  (void)n_values;
  (void)values;
  (void)capacity;
  for (size_t i = 0; i < n_bytes; i++)
    bytes[i] = (unsigned char)~bytes[i];
  return n_bytes;
}

H5PL_type_t
H5PLget_plugin_type (void)
{
  return H5PL_TYPE_FILTER;
}

const void *
H5PLget_plugin_info (void)
{
  static const H5Z_class2_t filter = {
    .version = H5Z_CLASS_T_VERS,
    .id = FILTER,
    .encoder_present = 1,
    .decoder_present = 1,
    .name = "inverted bits",
    .filter = invert,
  };
  return &filter;
}
