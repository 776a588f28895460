/* Which variant serves what is asked. */
#pragma once

#include "gpu/backends-private.h"

G_BEGIN_DECLS

/**
 * tl_choose_variant:
 *
 * Returns: (transfer none): among those that do what is asked, the first
 *   listed of those that take the most slices at once without more slices than
 *   there are rows; where all take more, the first of those that take the
 *   fewest; %NULL with TL_ERROR_UNSUPPORTED that lists those there are
 */
const TlVariant *tl_choose_variant (const TlBackend *backend,
                                    const TlParams *params, size_t n_rows,
                                    GError **error);

G_END_DECLS
