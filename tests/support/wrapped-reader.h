/* Reading rows of a part of the projections, wrapped by a test as
 * tests/support/wrapped.h says. */
#pragma once

#include "data/read/reader.h"

gboolean __real_tl_reader_read_part (TlReader *reader, size_t first_row,
                                     size_t n_rows, guint *every,
                                     double patience_s, void *dest,
                                     GCancellable *cancellable, GError **error);
gboolean __wrap_tl_reader_read_part (TlReader *reader, size_t first_row,
                                     size_t n_rows, guint *every,
                                     double patience_s, void *dest,
                                     GCancellable *cancellable, GError **error);
