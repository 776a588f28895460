/* The host backend: it keeps data in host memory and computes on all cores. */
#pragma once

#include "gpu/backend/backend.h"

extern const TlBackend tl_host_backend;
