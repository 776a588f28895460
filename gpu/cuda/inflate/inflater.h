/* Inflating on the device. */
#pragma once

#include "data/inflater.h"

/** tl_cuda_inflater_new: With low priority if it @gives_way to other work of
 * the device. Any thread. Returns: (transfer full): %NULL with TL_ERROR_DEVICE
 * or TL_ERROR_MEMORY */
TlInflater *tl_cuda_inflater_new (guint device, gboolean gives_way,
                                  GError **error);
