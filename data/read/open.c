/* Opens a scan: as it is, or in bins. */
#include "data/read/binned-private.h"
#include "data/read/reader-private.h"

TlReader *
tl_reader_open (const char *path, const TlReaderOptions *options,
                GError **error)
{
  static const TlReaderOptions nothing = { 0 };
  g_return_val_if_fail (path != NULL, NULL);
  const TlReaderOptions *said = options != NULL ? options : &nothing;
  TlReader *reader = tl_reader_open_path (path, said, error);
  return reader != NULL && said->bin > 1 ? tl_binned_open (reader, said, error)
                                         : reader;
}
