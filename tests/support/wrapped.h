/* The engine's reconstruction, with something of a test in front of it: where
 * the linker is told to wrap it (meson.build), every call goes to the test's
 * __wrap_ function, and __real_ is what it stands in front of. */
#pragma once

#include "gpu/engine.h"

G_BEGIN_DECLS

TlFrame *__real_tl_engine_reconstruct (TlEngine *engine, const TlParams *params,
                                       GCancellable *cancellable,
                                       GError **error);
TlFrame *__wrap_tl_engine_reconstruct (TlEngine *engine, const TlParams *params,
                                       GCancellable *cancellable,
                                       GError **error);

G_END_DECLS
