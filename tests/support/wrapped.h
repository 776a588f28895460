/* The engine's reconstruction, wrapped by a test: with the linker option --wrap
 * (meson.build), every call goes to the test's __wrap_ function, which calls
 * the original as __real_. */
#pragma once

#include "gpu/engine.h"

TlFrame *__real_tl_engine_reconstruct (TlEngine *engine, const TlParams *params,
                                       GCancellable *cancellable,
                                       GError **error);
TlFrame *__wrap_tl_engine_reconstruct (TlEngine *engine, const TlParams *params,
                                       GCancellable *cancellable,
                                       GError **error);
