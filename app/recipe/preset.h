/* A filter and an interpolation that go together, under one word. */
#pragma once

#include "gpu/stages/params.h"

/* %NULL-terminated; the first is what a scan is opened with. */
extern const char *const tl_preset_names[];

/**
 * tl_preset_apply:
 *
 * Sets filter, cut-off and interpolation.
 *
 * Returns: %FALSE with TL_ERROR_VALUE that lists the presets there are; then
 *   nothing was changed
 */
gboolean tl_preset_apply (const char *name, TlParams *params, GError **error);

/** tl_preset_find: Returns: (nullable): the one that @params are. */
const char *tl_preset_find (const TlParams *params);

/**
 * tl_preset_describe:
 * @name: one of tl_preset_names
 *
 * Returns: (transfer full): "hann up to 0.5, linear"
 */
char *tl_preset_describe (const char *name);
