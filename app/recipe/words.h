/* Parameters and their values, as the window names them. */
#pragma once

#include "gpu/stages/param-spec.h"

/** tl_value_get_words: @value: as recipes and the command line write it, such
 * as "texture-quarters". Returns: (transfer none): "Texture, quarter by
 * quarter", translated; @value itself if it is a name, or unknown */
const char *tl_value_get_words (const char *value);

/** tl_key_get_words: Returns: (transfer none): the label beside the control,
 * translated; the whole title where the label has a meaning only beside another
 * control, as "Size" of the rings; the key without a control */
const char *tl_key_get_words (const TlParamSpec *parameter);
