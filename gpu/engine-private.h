/* Opening an engine on a backend that is already found; for the list of
 * backends and for tests. */
#pragma once

#include "gpu/backend/backend.h"
#include "gpu/engine.h"

/** tl_engine_format_name: @device: its number. Returns: (transfer full): the
 * name by which tl_engine_open() opens it. Any thread. */
char *tl_engine_format_name (const char *backend, guint device);

/**
 * tl_engine_open_backend:
 * @device: number of the device to open
 * @gives_way: as of tl_engine_open_behind()
 * @description: what the probe said about the device; copied
 *
 * The calling thread becomes the owner.
 *
 * Returns: (transfer full): %NULL with any error of the backend's open()
 */
TlEngine *tl_engine_open_backend (const TlBackend *backend, guint device,
                                  gboolean gives_way, const char *description,
                                  GError **error);

/** tl_engine_settle_on_backend: As tl_engine_settle_method(); @description: of
 * the device, as for tl_engine_open_backend(). Any thread. */
gboolean tl_engine_settle_on_backend (const TlBackend *backend,
                                      const char *description,
                                      const TlParams *params,
                                      size_t n_projections, size_t n_cols,
                                      TlMethod *method, const char **note,
                                      GError **error);
