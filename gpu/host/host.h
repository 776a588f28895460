/* The host backend: it keeps data in host memory and computes on all cores. */
#pragma once

#include "gpu/backend/backend.h"

G_BEGIN_DECLS

extern const TlBackend tl_host_backend;

G_END_DECLS
